// A hand of every game, played by a person: by mouse, and by keyboard alone. The live region tells its end, every face
// on the felt is proven, and the page's chips equal the log's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calm } from './bots.js';
import { assertNone, served, sleep, slow, until } from './harness.js';
import { CALM } from './playing.js';
import { findings, named, say, settled } from './rooms.js';
import { drawn, seated } from './seated.js';

const service = await served();

const GAMES = [
  { rules: 'joy', game: 'blackjack', solo: true },
  { rules: 'live-blackjack', game: 'blackjack' },
  { rules: 'rng-blackjack', game: 'blackjack', solo: true },
  { rules: 'six-deck', game: 'blackjack' },
  { rules: 'six-deck-solo', game: 'blackjack', solo: true },
  { rules: 'study-group', game: 'blackjack' },
  { rules: 'study-group-solo', game: 'blackjack', solo: true },
  { rules: 'baccarat', game: 'baccarat' },
  { rules: 'rng-baccarat', game: 'baccarat', solo: true },
  { rules: 'dragon-tiger', game: 'dragon_tiger' },
  { rules: 'rng-dragon-tiger', game: 'dragon_tiger', solo: true },
  { rules: 'sic-bo', game: 'sic_bo' },
  { rules: 'rng-sic-bo', game: 'sic_bo', solo: true },
  { rules: 'roulette', game: 'roulette' },
  { rules: 'rng-roulette', game: 'roulette', solo: true },
  { rules: 'safe', game: 'safe', company: true },
  { rules: 'holdem', game: 'poker', company: true },
  { rules: 'omaha', game: 'poker', company: true },
];
const SAMPLED = {
  mouse: new Set(['joy', 'live-blackjack', 'baccarat', 'dragon-tiger']),
  keyboard: new Set(['joy']),
};

/** A game of Safe has as many rounds of its own as its players survive. */
const PATIENCE_MS = 180_000;

const tableOf = entry => seated(service, entry);

/** The outcome is told, the faces are proven, the round is settled, and the shown balance equals the log's. */
async function isOver({ table, me, player }, { over }, game) {
  assert.ok(over.trim().length > 3, 'the outcome is said in words');
  if (game !== 'poker' && !['roulette', 'sic_bo'].includes(game)) await player.proven();
  await player.allProven();
  const { body } = await service.call(`/v1/rounds/${table}:0`);
  assert.ok(['settled', 'voided'].includes(body.round.phase));
  assert.equal(body.round.phase, 'settled', over);
  const { balance } = await me.must(`/v1/players/${me.player}`);
  const head = player.page.getByRole('banner');
  const shown = head.getByText(balance.toLocaleString('en-GB'), { exact: true });
  await until(() => shown.count(), `the balance ${balance}`);
  assert.equal(await player.halt.count(), 0);
}

for (const entry of GAMES) {
  const { rules, game, solo } = entry;
  test(`${rules} by mouse`, { skip: !slow && !SAMPLED.mouse.has(rules) && 'in the slow run' }, async () => {
    const at = await tableOf(entry);
    const { player } = at;
    if (!solo) await player.sit();
    if (game !== 'poker') await player.bet(game);
    const end = await player.playOn({ patience: PATIENCE_MS });
    await isOver(at, end, game);
    await at.done();
  });

  test(`${rules} by keyboard alone`, { skip: !slow && !SAMPLED.keyboard.has(rules) && 'in the slow run' }, async () => {
    const at = await tableOf(entry);
    const { player } = at;
    // No mouse from here on: every action must be possible by keyboard.
    if (!solo) await player.sitByKeyboard();
    if (game !== 'poker') await player.betByKeyboard(game);
    const end = await player.playOn({ press: button => player.pressShown(button), patience: PATIENCE_MS });
    await isOver(at, end, game);
    await at.done();
  });
}

const inSlowRun = { skip: !slow && 'in the slow run' };

test('a tournament: registered, drawn, a hand at its table, in the browser', inSlowRun, async () => {
  const { player, done } = await drawn(service, 'friday', { stack: 20, choose: calm });
  await player.playOn({ order: ['poker.do_check', 'poker.do_call', 'poker.do_fold', ...CALM], patience: 60_000 });
  await done();
});

test('a tournament played to its end: its room says place and prize as the log pays them', inSlowRun, async () => {
  const event = 'sprint';
  const { me, player, page, stage, done } = await drawn(service, event, { stack: 2, choose: calm });
  const order = ['poker.do_all_in', 'poker.do_call_all', 'poker.do_call', ...CALM];
  await until(async () => {
    await player.decide(order).catch(() => undefined);
    await sleep(60);
    return await stage() === 'ended';
  }, async () => `the end of the event: ${await player.status()}`, 120_000);
  await page.goto(`/tournament/${event}`);
  await settled(page);
  const { rank: [place], received } = (await me.must(`/v1/tournaments/${event}`)).own.entry;
  const words = named('tournament.finished', { values: { place, amount: received.toLocaleString('en-GB') } });
  await page.getByRole('main').getByText(words).waitFor();
  await done();
});

test('in mid-hand: the focus is beside the buttons, the turn is said, axe-core finds nothing', inSlowRun, async () => {
  const at = await tableOf(GAMES[0]);
  const { player } = at;
  await player.dealt();
  const focused = await player.turn.evaluate(group => document.activeElement === group);
  assert.ok(focused, 'the focus is on the group, and on none of its buttons');
  assert.match(await player.status(), named('status.your_turn', { within: true }));
  assertNone(await findings(player.page), 'findings');
  // A card opens to its proof, and the proof is closed by Escape.
  const card = player.felt.locator('[data-seal=proven]').first();
  await card.waitFor();
  await card.click();
  const proof = player.page.getByRole('dialog');
  for (const key of ['seal.slot', 'seal.salt', 'seal.root', 'seal.path']) {
    await proof.getByText(say(key), { exact: true }).waitFor();
  }
  assertNone(await findings(player.page), 'findings');
  await player.page.keyboard.press('Escape');
  await proof.waitFor({ state: 'hidden' });
  await player.playOn();
  await at.done();
});

test('the seed that a player types is the one that is revealed', async () => {
  const at = await tableOf(GAMES[0]);
  const { player, table } = at;
  const seed = 'c0ffee'.repeat(11).slice(0, 64);
  await player.actions.getByText(say('play.seed'), { exact: true }).first().click();
  await player.actions.getByRole('textbox', { name: say('play.seed') }).fill(seed);
  await player.bet('blackjack');
  await player.playOn();
  const { body } = await service.call(`/v1/rounds/${table}:0`);
  assert.equal(body.round.contributors[0].seed, seed);
  await at.done();
});

test('a round that is over is replayed step by step in its room, with the verdict in words', async () => {
  const at = await tableOf(GAMES[0]);
  const { player, table, visitor } = at;
  await player.bet('blackjack');
  await player.playOn();
  await visitor.page.goto(`/round/${table}:0`);
  await settled(visitor.page);
  await visitor.page.getByRole('main').getByText(named('round.sound', { within: true })).first().waitFor();
  await at.done();
});

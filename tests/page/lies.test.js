// A liar between the page and the service: one card, proof, checkpoint, key, own card, bet changed. The page notices
// every one, stops, says what failed, sends no more binding requests, and offers evidence that others can judge.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { before, test } from 'node:test';
import { Bot, calm, folds } from './bots.js';
import { served, Service, sleep, slow, until, visit } from './harness.js';
import { assertShown, assertSigned } from './judging.js';
import { Player } from './playing.js';
import { go, named, say, withToken } from './rooms.js';

const service = await served();
let vkey, made = 0;
before(async () => {
  ({ vkey } = await service.must('/v1/log'));
});

/** A player only for this test, with chips. */
const somebody = (name = 'player') => Bot.credited(service, `${name}-${made += 1}`, 100_000);

/** That player's own table of joy, open in their browser. */
async function ownTable(look) {
  const bot = await somebody();
  const { table } = await bot.must('/v1/tables', { rules: 'joy' });
  const visitor = await visit(service, look);
  await go(visitor.page, '/');
  await withToken(visitor.page, bot);
  const player = await Player.at(visitor, table);
  visitor.proxy.recording = true;
  return { bot, player, table, ...visitor };
}

/** The receipt, or the table's entries, offered by the page if the binding entry differs from the request. */
function assertAsked({ evidence, check }) {
  const { receipts } = JSON.parse(fs.readFileSync(evidence.file, 'utf8'));
  if (receipts) assertSigned(evidence, undefined, vkey);
  else assertShown(evidence, check, vkey);
}

/** The binding requests to the service. */
const BINDS = /bets|reveals|actions|commitments|seat/;
const binding = proxy => proxy.traffic.filter(one => one.method === 'POST' && BINDS.test(one.path));

/** The page has stopped: no binding request is sent, whichever button is pressed. */
async function stays(player, proxy) {
  const before = binding(proxy).length;
  await player.page.keyboard.press('Escape');
  for (const key of ['h', 's', 'd', 'Enter', 'n', 'y', 'f', 'c', 'k']) await player.page.keyboard.press(key);
  for (const button of await player.actions.getByRole('button').all()) {
    if (await button.isEnabled()) await button.click({ timeout: 1000 }).catch(() => {});
  }
  await sleep(1200);
  const more = binding(proxy).slice(before).map(one => `${one.method} ${one.path}`);
  assert.deepEqual(more, [], 'something binding was sent after the failed check');
}

/**
 * Lies about a hand of blackjack. `checks`: the possible failed checks; `sealed`: the seed must not have been sent.
 */
const HANDS = [
  { kind: 'card', match: /reveals|actions|entries/, checks: ['inclusion', 'receipt'] },
  { kind: 'opening', match: /reveals/, checks: ['opening'] },
  { kind: 'salt', match: /reveals/, checks: ['opening'] },
  { kind: 'path', match: /reveals/, checks: ['opening'] },
  { kind: 'payment', match: /bets/, checks: ['inclusion', 'receipt'], sealed: true },
  { kind: 'proof', match: /bets/, checks: ['inclusion', 'receipt'], sealed: true },
  { kind: 'checkpoint', match: /bets/, checks: ['signature', 'checkpoint', 'receipt'], sealed: true },
  { kind: 'root', match: /bets/, checks: ['signature', 'checkpoint', 'receipt', 'inclusion'], sealed: true },
  { kind: 'stake', match: /bets/, checks: ['asked'], sealed: true },
  { kind: 'commitment', match: /bets/, checks: ['asked'], sealed: true },
  { kind: 'choice', match: /actions/, checks: ['asked'] },
];
/** Lies that change the player's request. */
const IN_THEIR_NAME = new Set(['stake', 'commitment', 'choice']);
const SAMPLED = new Set(['card', 'opening', 'proof', 'checkpoint', 'stake', 'commitment', 'choice']);

for (const { kind, match, checks, sealed } of HANDS) {
  test(`a lie about a hand: ${kind}`, { skip: !slow && !SAMPLED.has(kind) && 'in the slow run' }, async () => {
    // For a player with a key the house itself refuses the changed request: below.
    const { player, proxy, close } = await ownTable({ signs: !IN_THEIR_NAME.has(kind) });
    const lie = proxy.lie(kind, { match });
    await player.bet('blackjack');
    // A lie about the deal or a choice comes when there is one.
    for (let tried = 0; lie.what.length === 0 && tried < 6; tried += 1) {
      if (sealed) await until(() => lie.what.length > 0, 'the lie');
      else {
        await player.playOn().catch(() => {});
        if (lie.what.length === 0) await player.bet('blackjack');
      }
    }
    assert.ok(lie.what.length > 0, 'the lie was told');
    const stopped = await player.stopped();
    assert.ok(checks.includes(stopped.check), `${lie.what}: said to have failed is ${stopped.check}: ${stopped.words}`);
    if (kind === 'opening') await player.felt.locator('[data-seal=failed]').waitFor();
    await stays(player, proxy);
    if (sealed) {
      const seeds = proxy.traffic.filter(one => /reveals$/.test(one.path));
      assert.deepEqual(seeds, [], 'no seed was sent');
    }
    assert.ok(stopped.evidence, 'evidence is offered');
    // The house signed the request in the player's name in good faith: the receipt shows it.
    if (IN_THEIR_NAME.has(kind)) assertAsked(stopped);
    else assertShown(stopped.evidence, stopped.check, vkey);
    await close();
  });
}

for (const kind of ['stake', 'commitment']) {
  test(`what a player with a key asks for is not changed on the way: ${kind}`, async () => {
    const { page, player, proxy, table, checked } = await ownTable();
    const lie = proxy.lie(kind, { match: /bets/ });
    await player.bet('blackjack');
    await page.getByText(say('trouble.signature_wrong'), { exact: false }).first().waitFor();
    assert.equal(lie.what.length, 1);
    const { body: { entries } } = await service.call(`/v1/tables/${table}/entries?limit=256`);
    assert.deepEqual(entries.filter(({ entry }) => JSON.parse(entry).command.bet), [], 'no bet is on the log');
    await player.placing.click();
    await player.playOn();
    await checked();
  });
}

test('a reply whose view of the round is a lie is not believed: the cards shown are those of the log', async () => {
  const { player, proxy, table, close } = await ownTable();
  const lie = proxy.lie('view');
  await player.bet('blackjack');
  await player.playOn();
  assert.ok(lie.what.length > 0, 'the lie was told');
  const { body } = await service.call(`/v1/rounds/${table}:0`);
  const cards = [...JSON.stringify(body.round.game).matchAll(/"([A2-9TJQK][cdhs])"/g)].map(([, card]) => card).sort();
  const shown = (await player.cards()).map(one => one.card).filter(Boolean).sort();
  assert.deepEqual(shown, cards);
  await close();
});

test('openings that the stream does not bring leave the seals pending, and nothing calls them proven', async () => {
  const [one, two] = [await somebody(), await somebody()];
  const visitor = await visit(service);
  visitor.proxy.lie('withheld', { match: /events/ });
  const table = 'live-blackjack-1';
  const player = await Player.at(visitor, table);
  for (const bot of [one, two]) await bot.sit(table);
  const patient = () => undefined;
  for (const bot of [one, two]) bot.start(table, { choose: patient, rounds: 1 });
  await until(async () => (await player.cards()).some(card => card.card), 'cards on the felt');
  await sleep(2500);
  const seals = (await player.cards()).filter(card => card.card).map(card => card.seal);
  assert.ok(seals.length >= 3 && seals.every(seal => seal !== 'proven'), `seals: ${seals}`);
  for (const bot of [one, two]) await bot.stop();
  for (const bot of [one, two]) bot.start(table, { rounds: bot.seeds.size });
  await until(async () => (await service.must(`/v1/tables/${table}`)).round === null, 'the end of the round', 30_000);
  for (const bot of [one, two]) await bot.stop();
  await visitor.close();
});

/** A stranger watches two bots play, through a liar. */
async function watching(table, kind, options, choose = calm) {
  const bots = [await somebody(), await somebody()];
  const visitor = await visit(service);
  const player = await Player.at(visitor, table);
  const lie = visitor.proxy.lie(kind, options);
  for (const bot of bots) await bot.sit(table);
  for (const bot of bots) bot.start(table, { choose, rounds: 2, pace: 150 });
  const done = async () => {
    for (const bot of bots) {
      await bot.stop();
      await service.call(`/v1/tables/${table}/seat`, { token: bot.token, method: 'DELETE' });
    }
    await visitor.close();
  };
  return { player, lie, bots, done, ...visitor };
}

const STREAMS = [
  { kind: 'card', table: 'six-deck-1', match: /events/, checks: ['inclusion', 'opening', 'dealt_slot', 'broken'] },
  { kind: 'pocket', table: 'roulette-1', match: /events/, checks: ['inclusion', 'opening', 'spin'] },
  { kind: 'opening', table: 'baccarat-1', match: /events/, checks: ['opening'] },
  { kind: 'proof', table: 'study-group-1', match: /entries/, checks: ['inclusion'] },
];
for (const { kind, table, match, checks } of STREAMS) {
  test(`a lie to a watcher of ${table}: ${kind}`, { skip: !slow && kind !== 'card' && 'in the slow run' }, async () => {
    const { player, lie, done } = await watching(table, kind, { match });
    await until(() => lie.what.length > 0, 'the lie', 40_000);
    const stopped = await player.stopped(30_000);
    assert.ok(checks.includes(stopped.check), `${lie.what}: ${stopped.check}: ${stopped.words}`);
    assert.ok(stopped.evidence, 'evidence is offered');
    assertShown(stopped.evidence, stopped.check, vkey);
    await done();
  });
}

test('an entry that is left out of the stream is fetched, and the table goes on', async () => {
  const { player, lie, done } = await watching('baccarat-1', 'gap', { match: /events/ });
  await until(() => lie.what.length > 0, 'the lie', 40_000);
  const dealt = async () => (await player.cards()).filter(card => card.card).length >= 4;
  await until(dealt, 'the cards all the same', 40_000);
  assert.equal(await player.halt.isVisible(), false);
  await done();
});

test('another key at the second visit', async () => {
  const visitor = await visit(service);
  await go(visitor.page, '/');
  await visitor.page.waitForFunction(() => JSON.stringify(localStorage).includes('+'), undefined);
  const lie = visitor.proxy.lie('key');
  const player = new Player(visitor, 'joy-1');
  await visitor.page.goto('/play/joy-1');
  const stopped = await player.stopped();
  assert.ok(lie.what.length > 0);
  assert.equal(stopped.check, 'key', stopped.words);
  // The stored finding stays: the next visit shows it again.
  await visitor.page.reload();
  assert.equal((await player.stopped()).check, 'key');
  visitor.proxy.honest();
  await go(visitor.page, '/play/joy-1');
  assert.equal(await player.halt.count(), 0, 'with the true key it goes on');
  await visitor.close();
});

test('a forked history: both signed by the true key, the page has seen one and is shown the other', async () => {
  const first = await Service.start();
  const bot = await Bot.credited(first, 'ann');
  await bot.rounds('joy-1', 1);
  await first.kill();
  // The same log continues in two ways.
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'fairshoe-fork-'));
  fs.cpSync(first.data, copy, { recursive: true });
  await first.again();
  const second = await Service.start({ data: copy });
  const other = new Bot(second, 'ann', bot.token);
  await bot.rounds('joy-1', 2);
  await other.rounds('joy-1', 4);
  const visitor = await visit(first);
  await go(visitor.page, '/play/joy-1');
  await visitor.page.waitForFunction(() => JSON.stringify(localStorage).includes('\\n'));
  visitor.proxy.service = second.url;
  const player = new Player(visitor, 'joy-1');
  await visitor.page.goto('/play/joy-1');
  const stopped = await player.stopped();
  assert.ok(['consistency', 'fork', 'checkpoint'].includes(stopped.check), `${stopped.check}: ${stopped.words}`);
  assert.ok(stopped.evidence, 'evidence is offered');
  assertShown(stopped.evidence, stopped.check, (await first.must('/v1/log')).vkey);
  await visitor.close();
  for (const one of [first, second]) await one.end();
});

/** A hand of hold'em: the player's browser behind a liar, the company without one. */
async function pokerHand(kind, prepare) {
  const rules = 'holdem';
  const table = `poker-${made += 1}`;
  await service.openTable({ table, rules });
  const [me, company] = [await somebody('me'), await somebody('company')];
  // Before the page is open: otherwise both take the first seat.
  await company.sit(table);
  const visitor = await visit(service);
  await go(visitor.page, '/');
  await withToken(visitor.page, me);
  const player = await Player.at(visitor, table);
  const others = new Map();
  const lie = visitor.proxy.lie(kind, { others, ...prepare });
  company.start(table, { choose: folds, pace: 100 });
  // The lie has the company's own cards as soon as they exist.
  const watch = (async () => {
    while (!company.stopped) {
      for (const own of company.own) others.set(own.round, own);
      const view = await service.must(`/v1/tables/${table}`).catch(() => ({}));
      if (view.round && !others.has(view.round)) {
        const { body } = await company.call(`/v1/rounds/${view.round}`);
        if (body.own) others.set(view.round, body.own);
      }
      await sleep(5);
    }
  })();
  visitor.proxy.recording = true;
  await player.sit();
  const done = async () => {
    await company.stop();
    await watch;
    await visitor.close();
  };
  return { player, lie, done, ...visitor };
}

for (const kind of ['own', 'own-face']) {
  const skip = !slow && kind === 'own-face' && 'in the slow run';
  test(`a lie about one's own cards: ${kind}`, { skip }, async () => {
    const { player, lie, proxy, done } = await pokerHand(kind);
    // A reply may come after its hand, when its cards are no longer read: the next one lies as well.
    const goOn = () => player.decide(['poker.do_check', 'poker.do_call']).catch(() => undefined);
    await until(async () => await player.halt.isVisible() || (await goOn(), false), 'the lie, seen', 70_000);
    assert.ok(lie.what.length > 0, 'the lie was told');
    const stopped = await player.stopped(30_000);
    assert.ok(['own', 'opening', 'dealt_slot', 'dealt_place'].includes(stopped.check), `${lie.what}: ${stopped.check}`);
    await stays(player, proxy);
    await done();
  });
}

test('an honest house is never accused: a hand through a proxy that tells the truth', async () => {
  const { player, close, trouble } = await ownTable();
  for (let hand = 0; hand < (slow ? 12 : 2); hand += 1) {
    await player.bet('blackjack');
    await player.playOn();
    await player.proven();
  }
  assert.equal(await player.halt.count(), 0);
  assert.equal(await player.page.getByText(named('halt.title')).count(), 0);
  await close();
  assert.deepEqual(trouble, []);
});

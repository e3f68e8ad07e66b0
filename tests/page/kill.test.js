// The service is killed (`kill -9`) in mid-hand while browsers are open: after its return each page continues with the
// same cards, or shows that the hand was rolled back and the chips are back, by the table's policy.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Bot } from './bots.js';
import { closeBrowser, Service, slow, sleep, until, visit } from './harness.js';
import { Player } from './playing.js';
import { go, named, withToken } from './rooms.js';

after(closeBrowser);

/** Two browsers at a new table with these rules, at its own service. */
async function two(rules) {
  const service = await Service.start({ options: ['--connections-per-address', '0'] });
  const table = `${rules}-killed`;
  // No clock of the table runs out on a slow machine.
  await service.openTable({ table, rules, options: { bet_time_ms: 60_000, turn_time_ms: 60_000 } });
  const players = [];
  for (const name of ['ann', 'bea']) {
    const bot = await Bot.credited(service, name);
    const visitor = await visit(service);
    await go(visitor.page, '/');
    await withToken(visitor.page, bot);
    players.push(Object.assign(await Player.at(visitor, table), { bot, checked: visitor.checked }));
  }
  return { service, table, players };
}

/** Each at their own seat: a page learns a moment later that another took the first one. */
async function sitDown(players) {
  for (const [at, player] of players.entries()) await player.sit(at + 1);
}

/** Waits until a round of the table is open and a player must decide. `deal` begins one, anew if it has ended. */
const midHand = async (service, table, deal = () => {}) => {
  let dealt = null;
  return until(async () => {
    const { round, next_round: next } = await service.must(`/v1/tables/${table}`);
    if (!round && dealt !== next) {
      await deal();
      dealt = next;
    }
    if (!round) return undefined;
    const { body } = await service.call(`/v1/rounds/${round}`);
    return body.round?.decisions.length > 0 && body.round;
  }, 'a hand in which somebody has to decide', 120_000);
};

/** Killed, away for a while, and back. */
async function killed(service, away = 1500) {
  await service.kill();
  await sleep(away);
  await service.again();
}

const facesOf = async player => (await player.cards()).map(card => card.card).filter(Boolean);

test('blackjack resumes: both browsers go on with the same cards', { timeout: 150_000 }, async () => {
  const { service, table, players } = await two('live-blackjack');
  await sitDown(players);
  // A blackjack of the dealer ends a round at once.
  const round = await midHand(service, table, async () => {
    for (const player of players) await player.bet('blackjack');
  });
  await until(async () => (await facesOf(players[0])).length >= 5, 'the deal');
  const before = await facesOf(players[0]);
  await killed(service);
  for (const player of players) {
    await until(async () => (await facesOf(player)).slice(0, before.length).length >= before.length, 'cards');
    await player.page.getByText(named('play.resumed')).first().waitFor({ timeout: 30_000 });
  }
  const after_ = (await service.must(`/v1/rounds/${round.id}`)).round;
  assert.notEqual(after_.phase, 'voided');
  const ends = await Promise.all(players.map(player => player.playOn({ patience: 60_000 })));
  assert.equal((await service.must(`/v1/rounds/${round.id}`)).round.phase, 'settled', JSON.stringify(ends));
  for (const player of players) {
    const now = await facesOf(player);
    for (const card of before) assert.ok(now.includes(card), `${card} is still there`);
    assert.equal(await player.halt.count(), 0);
    await player.checked();
  }
  await service.end();
});

test("hold'em rolls back: both browsers show it, and the chips are where they were", { timeout: 150_000 }, async () => {
  const { service, table, players } = await two('holdem');
  await sitDown(players);
  const round = await midHand(service, table);
  const stacks = async () => {
    const { cash } = await service.must(`/v1/tables/${table}`);
    return cash.seats.map(seat => seat.stack);
  };
  const before = await stacks();
  // The pot holds more than the blinds.
  await until(async () => {
    for (const player of players) if (await player.decide(['poker.do_call'])) return true;
    return false;
  }, 'a call');
  await killed(service);
  assert.equal((await service.must(`/v1/rounds/${round.id}`)).round.phase, 'voided');
  for (const player of players) {
    await player.page.getByText(named('void.crash', { within: true })).first().waitFor({ timeout: 30_000 });
    assert.equal(await player.halt.count(), 0);
  }
  // The next hand begins by itself, with each player's old chips.
  const next = async () => (await service.must(`/v1/tables/${table}`)).next_round > round.round_no + 1;
  await until(next, 'the next hand', 40_000);
  assert.deepEqual(before, await stacks());
  for (const player of players) await player.checked();
  await service.end();
});

test('a hand alone resumes, through a reload while the service was away', { timeout: 150_000 }, async () => {
  const service = await Service.start();
  const bot = await Bot.credited(service, 'ann');
  const visitor = await visit(service);
  await go(visitor.page, '/');
  await withToken(visitor.page, bot);
  const player = await Player.at(visitor, 'joy-1');
  await player.dealt();
  const round = { id: (await service.must('/v1/tables/joy-1')).round };
  await killed(service, slow ? 8000 : 500);
  await visitor.page.reload();
  await player.turn.waitFor({ timeout: 30_000 });
  await player.playOn();
  assert.equal((await service.must(`/v1/rounds/${round.id}`)).round.phase, 'settled');
  await visitor.checked();
  await service.end();
});

test('killed between bet and seed: the page reveals when the service is back', { timeout: 150_000 }, async () => {
  const service = await Service.start();
  const bot = await Bot.credited(service, 'ann');
  const visitor = await visit(service);
  await go(visitor.page, '/');
  await withToken(visitor.page, bot);
  const player = await Player.at(visitor, 'joy-1');
  // The seed reaches no service: the reply to the bet was this service's last message.
  visitor.proxy.fault('refused', { match: /reveals/, times: Infinity });
  await player.bet('blackjack');
  await until(async () => (await service.must('/v1/tables/joy-1')).round, 'the bet');
  await service.kill();
  visitor.proxy.honest();
  await sleep(1000);
  await service.again();
  await player.playOn({ patience: 60_000 });
  assert.equal((await service.must('/v1/rounds/joy-1:0')).round.phase, 'settled');
  await visitor.checked();
  await service.end();
});

test('a choice made while the service was away: the page says whether it arrived', { timeout: 150_000 }, async () => {
  const service = await Service.start();
  const bot = await Bot.credited(service, 'ann');
  const visitor = await visit(service);
  await go(visitor.page, '/');
  await withToken(visitor.page, bot);
  const player = await Player.at(visitor, 'joy-1');
  await player.dealt();
  await service.kill();
  const said = player.actions.getByRole('alert');
  await player.turn.getByRole('button').last().click();
  await said.getByText(named('trouble.offline', { within: true })).waitFor({ timeout: 60_000 });
  await service.again();
  // Outdated words are removed.
  await said.getByText(named('play.not_arrived')).waitFor({ timeout: 30_000 });
  assert.doesNotMatch(await said.innerText(), /cannot be reached/);
  await player.playOn();
  await visitor.checked();
  await service.end();
});

// Two people in two browsers, each its own process, at one table: each sees the other's actions, and own cards are only
// in the memory and the traffic of their owner's browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Bot } from './bots.js';
import { closeBrowser, connect, family, inMemory, launch, Service, slow, until, visit } from './harness.js';
import { Player } from './playing.js';
import { go, withToken } from './rooms.js';

let service, browsers, made = 0;
before(async () => {
  service = await Service.start({ options: ['--connections-per-address', '0'] });
  const servers = [await launch(), await launch()];
  browsers = await Promise.all(servers.map(async server => (
    { server, pid: server.process().pid, own: await connect(server) })));
});
after(async () => {
  await closeBrowser();
  for (const { own, server } of browsers ?? []) {
    await own.close();
    await server.close();
  }
  await service.end();
});

/** Two players of a new table with these rules, each in their own browser. */
async function two(rules) {
  const table = `${rules}-with-${made += 1}`;
  // No clock of the table runs out while memories are read.
  await service.openTable({ table, rules, options: { bet_time_ms: 120_000, turn_time_ms: 120_000 } });
  const players = [];
  for (const [at, { own, pid }] of browsers.entries()) {
    const bot = await Bot.credited(service, `player-${made}-${at}`);
    const visitor = await visit(service, { from: own });
    visitor.proxy.recording = true;
    await go(visitor.page, '/');
    await withToken(visitor.page, bot);
    players.push(Object.assign(await Player.at(visitor, table), { bot, pid, checked: visitor.checked }));
  }
  return { table, players };
}

/** Each at their own seat: a page learns a moment later that another took the first one. */
async function sitDown(players) {
  for (const [at, player] of players.entries()) await player.sit(at + 1);
}

/** All data sent to this browser, as one text. */
const trafficTo = player => player.proxy.traffic.map(one => one.answered).join('\n');

test('two browsers at one shared table: each sees the other bet, draw and win or lose', async () => {
  const { table, players: [one, other] } = await two('live-blackjack');
  await sitDown([one, other]);
  await one.bet('blackjack');
  await other.bet('blackjack');
  const ends = await Promise.all([one, other].map(player => player.playOn({ patience: 60_000 })));
  for (const end of ends) assert.ok(end.over.length > 3);
  // The same cards in the same places, proven to both.
  const [first, second] = await Promise.all([one, other].map(player => player.proven()));
  assert.deepEqual(first.map(card => card.card), second.map(card => card.card));
  for (const [player, theirs] of [[one, other], [other, one]]) {
    assert.ok((await player.felt.innerText()).includes(theirs.bot.player), 'the other is named on the felt');
  }
  assert.equal((await service.must(`/v1/rounds/${table}:0`)).round.contributors.length, 2);
  for (const player of [one, other]) await player.checked();
});

/** Own cards are only in memory and traffic of their owner, and never of the other. */
function assertApart(owner, stranger, own) {
  const secrets = own.openings.map(opening => opening.salt);
  assert.ok(secrets.length >= 2);
  const mine = inMemory(family(owner.pid), secrets);
  assert.deepEqual([...mine.found].sort(), [...secrets].sort(), `the owner's memory has them (${mine.looked} bytes)`);
  const theirs = inMemory(family(stranger.pid), secrets);
  assert.ok(theirs.looked > 50e6, `${theirs.looked} bytes of the other's memory were read`);
  assert.deepEqual([...theirs.found], [], 'the other browser has none of them in its memory');
  const [to, from] = [trafficTo(stranger), trafficTo(owner)];
  assert.ok(secrets.every(salt => from.includes(salt)), 'they came to their owner through the proxy');
  assert.ok(!secrets.some(salt => to.includes(salt)), 'none went to the other browser');
}

for (const rules of ['holdem', 'omaha']) {
  const skip = !slow && rules === 'omaha' && 'in the slow run';
  test(`two browsers at one table of ${rules}: own cards are their owner's alone`, { skip }, async () => {
    const { table, players } = await two(rules);
    await sitDown(players);
    const id = await until(async () => {
      const { round } = await service.must(`/v1/tables/${table}`);
      return round && (await service.must(`/v1/rounds/${round}`)).round.phase === 'open' && round;
    }, 'a hand', 40_000);
    const owns = await Promise.all(players.map(async ({ bot }) => (await bot.must(`/v1/rounds/${id}`)).own));
    for (const [at, player] of players.entries()) {
      // The owner sees the faces, the other the same number of backs.
      const faces = await until(async () => {
        const shown = (await player.cards()).map(card => card.card).filter(Boolean);
        return owns[at].cards.every(card => shown.includes(card)) && shown;
      }, 'own cards on the felt');
      assert.ok(!owns[1 - at].cards.some(card => faces.includes(card)), 'the cards of the other are backs');
    }
    assertApart(players[0], players[1], owns[0]);
    assertApart(players[1], players[0], owns[1]);
    // One folds: folded cards stay private.
    const folder = await until(async () => {
      for (const player of players) if (await player.decide(['poker.do_fold'])) return player;
      return undefined;
    }, 'somebody who folds', 30_000);
    const at = players.indexOf(folder);
    await players[1 - at].ended.waitFor({ timeout: 20_000 });
    assertApart(folder, players[1 - at], owns[at]);
    for (const player of players) await player.checked();
  });
}

test('a watcher of a poker table sees no hole card, and no stream brings one', async () => {
  const { table, players } = await two('holdem');
  const visitor = await visit(service, { from: browsers[1].own });
  visitor.proxy.recording = true;
  const watcher = await Player.at(visitor, table);
  await sitDown(players);
  await until(async () => (await players[0].cards()).some(card => card.card), 'own cards', 40_000);
  const { round } = await service.must(`/v1/tables/${table}`);
  const { own } = await players[0].bot.must(`/v1/rounds/${round}`);
  await until(async () => (await watcher.cards()).length >= 4, 'backs');
  assert.deepEqual((await watcher.cards()).filter(card => card.card), []);
  const told = trafficTo(watcher);
  assert.ok(told.length > 1000 && !own.openings.some(opening => told.includes(opening.salt)));
  assert.ok(!/event: own/.test(told));
  await visitor.checked();
  for (const player of players) await player.checked();
});

// What the service's own page rests on: tables that are told of by a stream, one's own seeds, several tabs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behindProxy, fairshoe, fake, json, noService, problem, to } from './harness.js';
import { betting, decide, playing } from './strategies.js';

let service, proxy;
behindProxy((...made) => {
  [service, proxy] = made;
});
const options = { skip: noService };

const A = 'aa'.repeat(32);

/** What a player hands a table of what its stream tells, until `isEnough`. */
async function streaming(client, at, isEnough) {
  const stop = new AbortController(),
    { signal } = stop;
  try {
    for await (const event of client.tableEvents(at.name, { lastEventId: at.newest.index, signal })) {
      if (event.type === 'entry') await at.takeStreamed(event);
      else if (event.type === 'openings') await at.takeStreamed({ ...at.newest, index: event.index }, event.openings);
      else await at.takeStreamedOwn(event.own);
      if (isEnough()) return;
    }
  } finally {
    stop.abort();
  }
}

test('what a stream tells is decided at once, told once, and proven later', options, async () => {
  const player = await service.player('told', 10_000);
  const { table } = await player.openTable({ body: { rules: 'joy-own' } });
  const mine = await player.table(table).open();
  const watcher = service.client({ addresses: proxy.url }),
    heard = [];
  const at = await watcher.table(table, { onEntry: taken => heard.push(taken) }).open();
  const first = at.newest.index;
  await Promise.all([streaming(watcher, at, () => at.round?.phase === 'settled'), playing(mine, betting(), 1)]);
  assert.equal(at.isPending, true);
  assert.equal(await at.prove(), true);
  assert.equal(at.isPending, false);
  await at.refresh();
  const { entries } = await player.listTableEntries({ table, query: { limit: 256 } });
  assert.deepEqual(
    heard,
    entries.filter(({ index }) => index > first).map(({ index, entry }) => ({ index, entry })),
  );
  assert.ok(at.faces.length >= 3 && at.faces.every(({ state }) => state === 'proven'));
});

test('no seed is shown while what a stream told is on no log', options, async () => {
  const player = await service.player('sealed', 10_000, { addresses: proxy.url });
  const { table } = await player.openTable({ body: { rules: 'joy-own' } });
  const at = await player.table(table).open();
  await at.bet([{ spot: '1', stake: 10 }]);
  // The entry that comes next by the stream alone: the service shows nothing of it otherwise.
  const made = { ...JSON.parse(at.newest.entry) };
  made.at = { ...made.at, seq: made.at.seq + 1 };
  made.command = { close_table: { table } };
  made.events = [];
  await at.takeStreamed({ index: at.newest.index + 1, entry: JSON.stringify(made) }).catch(error => {
    assert.ok(error instanceof fairshoe.CheckFailed, String(error));
  });
  await assert.rejects(at.reveal(), error => error instanceof fairshoe.NotYet || error instanceof fairshoe.CheckFailed);
  assert.equal(proxy.requests(/POST .*\/reveals$/).filter(({ url }) => url.includes(table)).length, 0);
});

test('a seed that the player made is the one that binds, and one place has one', options, async () => {
  const player = await service.player('chooser', 10_000);
  const { table } = await player.openTable({ body: { rules: 'joy-own' } });
  const at = await player.table(table).open();
  await at.bet([{ spot: '1', stake: 10 }], A);
  const accepted = await at.reveal();
  assert.equal(JSON.parse(accepted.receipts[0].entry).command.reveal.seed, A);
  const place = { origin: 'o', table: 't', epoch: A, roundNo: 0, player: 'chooser' };
  const kept = await player.seeds.prepare(place, null);
  assert.equal((await player.seeds.prepare(place, null, A)).seed, kept.seed);
});

test('at a cash table the commitment to the next hand goes with a seed', options, async () => {
  const name = 'ahead';
  await service.client({ token: service.operatorToken }).openTable({ body: { table: name, rules: 'holdem' } });
  const tables = [];
  for (const who of ['ahead-one', 'ahead-two']) {
    const at = await (await service.player(who)).table(name).open();
    await at.sit({ buy_in: 10_000 });
    tables.push(at);
  }
  const until = async isSo => {
    for (let looked = 0; looked < 200; looked += 1) {
      await Promise.all(tables.map(at => at.refresh()));
      if (isSo()) return;
      await new Promise(done => {
        setTimeout(done, 50);
      });
    }
    assert.fail('it did not come to it');
  };
  await until(() => tables.every(({ state }) => state?.cash?.call));
  const { round_no: called } = tables[0].state.cash.call;
  for (const at of tables) await at.commit(called);
  await until(() => tables.every(({ round }) => round?.phase === 'awaiting_reveals'));
  for (const at of tables) {
    const accepted = await at.reveal({ withNext: true });
    const { next } = JSON.parse(accepted.receipts[0].entry).command.reveal;
    const { origin } = await at.client.getLog();
    const kept = await at.client.seeds.find(origin, name, called + 1, at.client.player, next);
    assert.ok(kept, 'the seed for the next hand is kept');
  }
  const at = tables.find(({ round, client }) => round.decisions.some(one => one.player === client.player)) ?? tables[1];
  await at.refresh();
  const [decision] = at.round.decisions;
  if (decision?.player === at.client.player) await at.act(decision, decide({ decision }));
});

test('a page stays at its address, and says what it waits for', async () => {
  const waits = [],
    leader = await fake(() => assert.fail('another address was asked'));
  // Node's fetch, as its standard says, sends a request that is answered with 421 once more by itself.
  const node = await fake((_, count) =>
    count <= 2
      ? problem(421, 'not_leader', { leader: leader.url })
      : { status: 200, headers: { 'content-type': 'application/json' }, body: '{"tables":[],"next":null}' },
  );
  const retry = { firstWaitMs: 1, followLeader: false, onWait: waiting => waits.push(waiting) };
  const client = new fairshoe.Client({ addresses: node.url, retry });
  await client.listTables({});
  assert.equal(client.address, node.url);
  assert.equal(waits.length, 2);
  assert.equal(waits[0].error.leader, leader.url);
  assert.equal(waits[1], null, 'calls go through again');
  await node.close();
  await leader.close();
});

test('a newer checkpoint that another tab kept stays', options, async () => {
  const store = new fairshoe.MemoryStore(),
    first = service.client({ store });
  await first.getCheckpoint();
  const name = [...store.names()].find(one => one.startsWith('checkpoint of '));
  const other = await service.player('other-tab', 10_000);
  const newer = await other.getCheckpoint();
  // This tab does not know of it, and takes up one that lies between.
  const { table } = await other.openTable({ body: { rules: 'joy-own' } });
  const newest = await other.getCheckpoint();
  await store.set(name, newest);
  await first.holdCheckpoint(newer);
  assert.equal(await store.get(name), newest);
  assert.ok(table);
});

test('who played before is taken up, and who was another is forgotten', options, async () => {
  const one = await service.player('resumed', 500);
  const client = service.client();
  client.resume('resumed', one.token);
  assert.equal((await client.getPlayer({ player: 'resumed' })).balance, 500);
  client.resume('nobody', 'x'.repeat(43));
  await assert.rejects(client.getPlayer({ player: 'resumed' }), ({ code }) => code === 'unauthorized');
});

test('a key that is another one than before comes with the checkpoint under it', options, async () => {
  const client = service.client({ addresses: proxy.url });
  await client.ready();
  proxy.change(
    to(/GET \/v1\/log$/),
    json(info => {
      info.vkey = info.vkey.replace('+', '-other+');
    }),
  );
  await assert.rejects(
    client.getLog(),
    error => error.check === 'key' && error.evidence.name === 'checkpoint' && !error.detail.startsWith('key:'),
  );
  proxy.honest();
});

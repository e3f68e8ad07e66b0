// Lost answers, a service that dies, a client that dies: nothing is done twice, and no seed is lost.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import {
  FileStore,
  Proxy,
  Service,
  behindProxy,
  fairshoe,
  fake,
  noService,
  problem,
  scratch,
  to,
} from './harness.js';
import { betting, playing } from './strategies.js';

let service, proxy;
behindProxy((...made) => {
  [service, proxy] = made;
});
const options = { skip: noService };

const retry = { firstWaitMs: 10, mostWaitMs: 200 };
const through = () => ({ addresses: proxy.url, retry });

test('every answer of a round is lost once, and the round is played once', options, async () => {
  const client = await service.player('unlucky', 10_000, through());
  for (const pattern of [
    /POST \/v1\/tables$/,
    /POST .*\/bets$/,
    /POST .*\/reveals/,
    /POST .*\/actions/,
    /GET .*\/bundle/,
  ])
    proxy.lose(to(pattern));
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  const at = await client.table(table).open();
  const [one] = await playing(at, betting(), 1);
  const sent = [/POST \/v1\/tables$/, /POST .*\/bets$/, /POST .*\/reveals/].map(pattern => proxy.requests(pattern));
  for (const [first, second] of sent) {
    assert.equal(first.body, second.body, 'the same request again');
    assert.equal(first.headers['idempotency-key'], second.headers['idempotency-key']);
  }
  assert.ok(sent[0][0].headers['idempotency-key'], 'a table is named by the client');
  assert.equal(one.verdict.verdict, 'sound');
  const { balance } = await client.getPlayer({ player: 'unlucky' });
  assert.equal(balance, 10_000 - one.staked + one.returned);
  const { rounds } = await client.listTableRounds({ table });
  assert.equal(rounds.length, 1);
});

test('a guest whose token was lost with its answer is left behind for another one', options, async () => {
  proxy.lose(to(/POST \/v1\/guests$/));
  const client = service.client(through());
  const view = await client.joinAsGuest();
  assert.equal(view.player, client.player);
  assert.equal(view.guest, true);
  assert.equal((await client.getPlayer({ player: client.player })).balance, view.balance, 'it has a token that works');
  const keys = proxy.requests(/POST \/v1\/guests$/).map(({ headers }) => headers['idempotency-key']);
  assert.deepEqual([keys.length, new Set(keys).size], [3, 2], 'the repeat had the same key, the next guest another');
});

test('a service that dies in the middle of a round finishes it with the same seed', options, async () => {
  const mortal = await Service.start();
  const client = await mortal.player('survivor', 10_000, { retry: { ...retry, attempts: 30 } });
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  const at = await client.table(table).open();
  await at.bet([{ spot: '1', stake: 10 }]);
  await mortal.restart();
  const [one] = await playing(at, betting(), 1);
  assert.equal(one.id, `${table}:0`);
  assert.equal(one.verdict.verdict, 'sound');
  // The dealer has another epoch now: a new bet is bound to that one.
  const [two] = await playing(at, betting(), 1);
  assert.equal(two.verdict.verdict, 'sound');
  assert.equal(client.failure, null);
  await mortal.end();
});

test('a bet whose answer is lost in a start of the dealer is not sent again as it was', options, async () => {
  const mortal = await Service.start();
  const before = await Proxy.before(mortal.url);
  const patient = { ...retry, attempts: 60 };
  const client = await mortal.player('restarted', 10_000, { addresses: before.url, retry: patient });
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  const at = await client.table(table).open();
  let restarted = null;
  before.misstate(to(/POST .*\/bets$/), asked => {
    // It ends before it hears of the bet, and has another epoch after that, which the commitment is not bound to.
    restarted ??= mortal.restart();
    return asked;
  });
  const [one] = await playing(at, betting(), 1);
  await restarted;
  const sent = before.requests(/POST .*\/bets$/).map(({ body }) => JSON.parse(body).commitment);
  assert.notEqual(sent[0], sent.at(-1), 'another commitment');
  assert.deepEqual([one.verdict.verdict, one.round.phase, client.failure], ['sound', 'settled', null]);
  await before.close();
  await mortal.end();
});

test('a commitment names its epoch, and a service that denies it is not asked for ever', options, async () => {
  const client = await service.player('epochal', 10_000, through());
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  const at = await client.table(table).open();
  const bets = () => proxy.requests(new RegExp(`POST .*/${table}/bets$`));
  proxy.misstate(to(new RegExp(`POST .*/${table}/bets$`)), asked =>
    JSON.stringify({ ...JSON.parse(asked), epoch: '00'.repeat(32) }),
  );
  await assert.rejects(at.bet([{ spot: '1', stake: 10 }]), { code: 'wrong_epoch' });
  assert.equal(bets().length, 1, 'the log shows that the epoch of the commitment is in force');
  proxy.honest();
  await at.bet([{ spot: '1', stake: 10 }]);
  assert.equal(JSON.parse(bets().at(-1).body).epoch, (await client.getTable({ table })).epoch);
  const [one] = await playing(at, betting(), 1);
  assert.equal(one.verdict.verdict, 'sound');
});

test('a client that dies after its bet reveals from its store on disk', options, async () => {
  const store = new FileStore(path.join(scratch(), 'kept'));
  const first = await service.player('forgetful', 10_000, { store });
  const { table } = await first.openTable({ body: { rules: 'joy-own' } });
  await (await first.table(table).open()).bet([{ spot: '1', stake: 10 }]);
  const names = await store.names();
  const kept = names.filter(name => name.startsWith('seed '));
  assert.equal(kept.length, 1);
  const { seed } = JSON.parse(await store.get(kept[0]));
  assert.match(seed, /^[0-9a-f]{64}$/);
  // Another process: another client and another store over the same folder.
  const { token } = await service
    .client({ token: service.operatorToken })
    .issueToken({ player: 'forgetful', body: {} });
  const second = service.client({ store, token, player: 'forgetful' });
  const [one] = await playing(await second.table(table).open(), betting(), 1);
  assert.equal(one.verdict.verdict, 'sound');
  assert.equal(one.round.contributors[0].seed, seed);
  assert.deepEqual(
    (await store.names()).filter(name => name.startsWith('seed ')),
    [],
    'a seed that is out is forgotten',
  );
});

test('a round is played by way of a node that follows, which names the leader', options, async () => {
  const follower = await fake(() => problem(421, 'not_leader', { leader: service.url }));
  const client = await service.player('misdirected', 10_000, { addresses: follower.url, retry });
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  const [one] = await playing(await client.table(table).open(), betting(), 1);
  assert.equal(one.verdict.verdict, 'sound');
  assert.equal(client.address, service.url);
  await follower.close();
});

test('without its seed a round cannot be revealed, and the error says so', options, async () => {
  const first = await service.player('careless', 10_000);
  const { table } = await first.openTable({ body: { rules: 'joy-own' } });
  await (await first.table(table).open()).bet([{ spot: '1', stake: 10 }]);
  const { token } = await service.client({ token: service.operatorToken }).issueToken({ player: 'careless', body: {} });
  const second = service.client({ token, player: 'careless' });
  await assert.rejects(playing(await second.table(table).open(), betting(), 1), fairshoe.SeedLost);
});

test('notes of what the house received and refused are handed on, once they verify', options, async () => {
  const notes = [];
  const client = await service.player('noted', 10_000, { onNote: note => notes.push(note) });
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  const at = await client.table(table).open();
  await assert.rejects(at.bet([{ spot: '9', stake: 10 }]), error => error.code === 'unknown_spot');
  await playing(at, betting(), 1);
  assert.deepEqual([...new Set(notes.map(({ kind }) => kind))], ['received', 'refused']);
  assert.ok(notes.every(({ kind, note }) => note.startsWith(`fairshoe ${kind}/v1\n`)));
});

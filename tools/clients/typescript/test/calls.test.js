// How calls are sent: repeats, pauses, several addresses, the leader, wrong input. Without a service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairshoe, fake, problem } from './harness.js';

const { Client, InvalidInput, NoAnswer, ProblemError, BadReply } = fairshoe;
const retry = { firstWaitMs: 5, mostWaitMs: 20 };
const ready = { ready: true, bets: true, size: 1, reason: null };
/** A reply without receipts, which the service never sends, and which shows how a call is sent. */
const nothing = { body: {} };

test('a request without an answer is sent again, under the same key', async () => {
  const server = await fake((_, count) => (count < 3 ? null : nothing));
  const client = new Client({ addresses: server.url, token: 't', retry });
  await client.creditPlayer({ player: 'alice', body: { amount: 5 } });
  assert.equal(server.seen.length, 3);
  const keys = new Set(server.seen.map(({ headers }) => headers['idempotency-key']));
  assert.equal(keys.size, 1);
  assert.match([...keys][0], /^[0-9a-f]{32}$/);
  await client.creditPlayer({ player: 'alice', body: { amount: 5 } });
  assert.notEqual(server.seen[3].headers['idempotency-key'], [...keys][0], 'another call has another key');
  await client.creditPlayer({ player: 'alice', body: { amount: 5 } }, { idempotencyKey: 'desk-1' });
  assert.equal(server.seen[4].headers['idempotency-key'], 'desk-1');
  await server.close();
});

test('what would be done twice is not sent again after a lost answer', async () => {
  const server = await fake(() => null);
  const client = new Client({ addresses: server.url, token: 't', retry });
  await assert.rejects(client.issueToken({ player: 'alice', body: {} }), NoAnswer);
  assert.equal(server.seen.length, 1);
  await assert.rejects(client.getReady(), NoAnswer);
  assert.equal(server.seen.length, 1 + 8, 'a read is repeated to the end');
  await server.close();
});

test('a service that is busy is asked again after the time it names', async () => {
  const server = await fake((_, count) => (count === 1 ? problem(503, 'busy', { retry: 1 }) : { body: ready }));
  const client = new Client({ addresses: server.url, retry });
  const before = Date.now();
  assert.deepEqual(await client.getReady(), ready);
  assert.ok(Date.now() - before >= 1000, 'Retry-After is kept');
  await server.close();
});

test('a pause that is too long is told instead of waited for', async () => {
  const server = await fake(() => problem(429, 'rate_limited', { retry: 3600 }));
  const client = new Client({ addresses: server.url, token: 't', retry });
  await assert.rejects(client.takeSeat({ table: 't1', body: {} }), error => {
    assert.ok(error instanceof ProblemError);
    assert.equal(error.code, 'rate_limited');
    assert.equal(error.status, 429);
    assert.equal(error.retryAfterMs, 3_600_000);
    return true;
  });
  assert.equal(server.seen.length, 1);
  await server.close();
});

test('a refusal is an error with its status, stable code and text, and is not repeated', async () => {
  const server = await fake(() => problem(409, 'insufficient_balance'));
  const client = new Client({ addresses: server.url, token: 't', retry });
  await assert.rejects(client.addChips({ table: 't1', body: { amount: 1 } }), error => {
    assert.ok(error instanceof ProblemError && error instanceof fairshoe.FairshoeError);
    assert.deepEqual(
      [error.status, error.code, error.detail],
      [409, 'insufficient_balance', 'because of insufficient_balance'],
    );
    return true;
  });
  assert.equal(server.seen.length, 1);
  await server.close();
});

test('421 is followed to the leader, with the same key, and the next call goes there at once', async () => {
  const leader = await fake(() => nothing);
  const follower = await fake(() => problem(421, 'not_leader', { leader: leader.url, retry: 9 }));
  const client = new Client({ addresses: [follower.url], token: 'secret', retry });
  const before = Date.now();
  await client.takeSeat({ table: 't1', body: { seat: 2 } }, { idempotencyKey: 'seat-1' });
  assert.ok(Date.now() - before < 8000, 'a leader that is named is asked at once');
  assert.equal(leader.seen[0].headers['idempotency-key'], 'seat-1');
  assert.equal(leader.seen[0].headers.authorization, 'Bearer secret');
  assert.equal(leader.seen[0].body, follower.seen[0].body);
  assert.equal(client.address, leader.url);
  await client.sitOut({ table: 't1' });
  // Node's fetch, as its standard says, sends a request that is answered with 421 once more by itself.
  assert.ok(follower.seen.length <= 2 && follower.seen.every(({ url }) => url.endsWith('/seat')));
  assert.equal(leader.seen.length, 2);
  await follower.close();
  await leader.close();
});

test('nodes that name each other are asked so often, and no more', async () => {
  const urls = {};
  const one = await fake(() => problem(421, 'not_leader', { leader: urls.two }));
  const two = await fake(() => problem(421, 'not_leader', { leader: urls.one }));
  Object.assign(urls, { one: one.url, two: two.url });
  const client = new Client({ addresses: [one.url, two.url], retry: { ...retry, attempts: 5 } });
  await assert.rejects(client.listTables(), error => error.code === 'not_leader' && error.leader !== null);
  assert.ok(one.seen.length + two.seen.length <= 10, 'five calls of fetch, each of which may ask twice');
  await one.close();
  await two.close();
});

test('a leader at no proper address is not followed', async () => {
  const server = await fake((_, count) =>
    count === 1 ? problem(421, 'not_leader', { leader: 'http://user:pass@127.0.0.1:1' }) : { body: ready },
  );
  const client = new Client({ addresses: server.url, retry });
  await client.getReady();
  assert.equal(client.address, server.url);
  await server.close();
});

test('of several addresses the next one is asked where one gives no answer', async () => {
  const dead = await fake(() => null),
    alive = await fake(() => ({ body: ready }));
  const client = new Client({ addresses: [dead.url, alive.url], retry });
  assert.deepEqual(await client.getReady(), ready);
  assert.deepEqual([dead.seen.length, alive.seen.length], [1, 1]);
  await dead.close();
  await alive.close();
});

test('a redirect is no answer: the token does not go where it points', async () => {
  const thief = await fake(() => ({ body: ready }));
  const server = await fake(() => ({ status: 307, headers: { location: `${thief.url}/readyz` } }));
  const client = new Client({ addresses: server.url, token: 'secret', retry: { ...retry, attempts: 2 } });
  await assert.rejects(client.getReady(), NoAnswer);
  assert.equal(thief.seen.length, 0);
  await server.close();
  await thief.close();
});

test('a signal ends a call, its pauses and its repeats', async () => {
  const stop = new AbortController(),
    before = Date.now();
  const server = await fake(() => {
    // While the client waits as it was asked to.
    setTimeout(() => stop.abort(new Error('enough')), 300);
    return problem(503, 'busy', { retry: 20 });
  });
  const client = new Client({ addresses: server.url, retry });
  await assert.rejects(client.getReady({ signal: stop.signal }), /enough/);
  assert.ok(Date.now() - before < 15_000);
  await assert.rejects(client.getReady({ signal: AbortSignal.abort(new Error('before')) }), /before/);
  assert.equal(server.seen.length, 1);
  await server.close();
});

test('what cannot be sent is refused here, with what is wrong', async () => {
  const server = await fake(() => nothing);
  const client = new Client({ addresses: server.url, token: 't', retry });
  const refused = (asked, words) =>
    assert.rejects(asked, error => error instanceof InvalidInput && words.test(error.message));
  await refused(client.addChips({ table: 't1', body: { amount: 10.5 } }), /10\.5 is not a whole number/);
  await refused(client.addChips({ table: 't1', body: { amount: 2 ** 53 } }), /whole number/);
  await refused(client.setKey({ player: 'alice', body: { key: null } }), /null/);
  await refused(client.getTable({ table: '..' }), /no name/);
  await refused(client.getTable({ table: 'a/b' }), /no name/);
  await refused(client.getTable({}), /table is missing/);
  await refused(client.getEntry({ index: 1.5 }), /whole number/);
  assert.throws(() => client.tableEvents('../x'), InvalidInput);
  assert.equal(server.seen.length, 0);
  for (const address of [
    'fairshoe.example',
    'ftp://fairshoe.example',
    'http://a:b@fairshoe.example',
    'http://x/path',
    [],
  ])
    assert.throws(() => new Client({ addresses: address }), InvalidInput, String(address));
  assert.throws(() => new Client({ addresses: server.url, logKey: 'no key' }), InvalidInput);
  assert.throws(
    () => fairshoe.commitmentTo('ab', { origin: 'o', table: 't', epoch: '00'.repeat(32), roundNo: 0, player: 'p' }),
    /64 lower-case/,
  );
  await server.close();
});

test('an answer that is not what the contract says is no answer to use', async () => {
  const answers = ['{"ready":true,"size":1e400}', '{"size":9007199254740993}', '{"size":1.5}', '<html>', ''];
  for (const body of answers) {
    const server = await fake(() => ({ body }));
    await assert.rejects(new Client({ addresses: server.url, retry }).getReady(), BadReply, body);
    await server.close();
  }
  const server = await fake(() => ({ body: 'text', headers: { 'content-type': 'text/html' } }));
  await assert.rejects(new Client({ addresses: server.url, retry }).getReady(), BadReply);
  await server.close();
});

test('errors and what is shown of a client hold no token', async () => {
  const { inspect } = await import('node:util');
  const server = await fake(() => problem(403, 'not_allowed'));
  const client = new Client({ addresses: server.url, token: 'very-secret', player: 'alice', retry });
  const error = await client.getPlayer({ player: 'alice' }).catch(one => one);
  assert.equal(error.code, 'not_allowed');
  for (const shown of [inspect(error, { depth: 9 }), inspect(client, { depth: 9 }), JSON.stringify(client)])
    assert.ok(!shown.includes('very-secret'));
  assert.ok(server.seen.every(({ url }) => !url.includes('very-secret')));
  await server.close();
});

test('every operation of the contract has a method of its name', () => {
  const names = Object.keys(fairshoe.OPERATIONS);
  assert.ok(names.length > 80, `${names.length} operations`);
  for (const name of names) assert.equal(typeof Client.prototype[name], 'function', name);
  assert.ok(fairshoe.ERROR_CODES.includes('not_leader'));
});

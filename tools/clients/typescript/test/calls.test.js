// How calls are sent: repeats, pauses, several addresses, the leader, wrong input. Without a service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairshoe, fake, internal, problem } from './harness.js';
import { House } from './house.js';

const { Client, InvalidInput, NoAnswer, ProblemError, BadReply } = fairshoe;
const retry = { firstWaitMs: 5, mostWaitMs: 20 };
const ready = { ready: true, bets: true, size: 1, reason: null };

/** A house that puts this on its log for each request that changes something, once `answers` lets it. */
async function doing(by, command, answers = () => undefined) {
  const house = new House();
  let sent = 0;
  const server = await house.serve(({ method }) => {
    if (method === 'GET') return undefined;
    const told = answers((sent += 1));
    return told === undefined ? { body: { receipts: [house.receipt(house.append(by, command))] } } : told;
  });
  const changing = () => server.seen.filter(({ method }) => method !== 'GET');
  return { server, changing, options: { addresses: server.url, logKey: house.key, token: 't', retry } };
}

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
  await assert.rejects(client.takeSeat({ table: 't1', body: {} }, { idempotencyKey: 'k' }), error => {
    assert.ok(error instanceof ProblemError);
    assert.equal(error.code, 'rate_limited');
    assert.equal(error.status, 429);
    assert.equal(error.retryAfterMs, 3_600_000);
    return true;
  });
  assert.equal(server.seen.length, 1);
  await server.close();
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

test('a redirect is not followed: the token does not go where it points', async () => {
  const thief = await fake(() => ({ body: ready }));
  const server = await fake(() => ({ status: 307, headers: { location: `${thief.url}/readyz` } }));
  const client = new Client({ addresses: server.url, token: 'secret', retry: { ...retry, attempts: 2 } });
  await assert.rejects(client.getReady(), BadReply);
  await assert.rejects(client.tableEvents('t1').next(), BadReply);
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
  const server = await fake(() => ({ body: {} }));
  const client = new Client({ addresses: server.url, token: 't', retry });
  assert.throws(() => client.tableEvents('../x'), InvalidInput);
  const round = {};
  round.of = round;
  for (const body of [10n, { round_no: 10n }, round])
    await assert.rejects(client.placeBet({ table: 't', body }), InvalidInput);
  await assert.rejects(client.prepare('nothing'), InvalidInput);
  await assert.rejects(client.bundleText('\ud800:0'), InvalidInput);
  const place = { origin: 'o', event: 'e', epoch: '00', use: 0, player: 'p' };
  assert.throws(() => fairshoe.seatCommitmentTo('00'.repeat(32), place), InvalidInput);
  assert.equal(server.seen.length, 0);
  for (const address of [
    'fairshoe.example',
    'ftp://fairshoe.example',
    'http://a:b@fairshoe.example',
    'http://x/path',
    [],
    undefined,
    5,
  ])
    assert.throws(() => new Client({ addresses: address }), InvalidInput, String(address));
  for (const address of ['http://a:secret@x/path', 'ftp://a:secret@x', 'http://a:secret@x:port'])
    assert.throws(
      () => new Client({ addresses: address }),
      error => error instanceof InvalidInput && !error.message.includes('secret'),
      address,
    );
  assert.throws(() => new Client({ addresses: server.url, logKey: 'no key' }), InvalidInput);
  assert.throws(
    () => fairshoe.commitmentTo('ab', { origin: 'o', table: 't', epoch: '00'.repeat(32), roundNo: 0, player: 'p' }),
    /64 lower-case/,
  );
  await server.close();
});

test('an answer that is made to break its reader is an error of this package', async () => {
  const hostile = [
    problem(409, 'x', { code: 7, title: {}, detail: ['no'], leader: 5, replaced_by: false, refused: { note: 1 } }),
    { status: 409, body: 'null' },
    { status: 421, body: { code: 'not_leader', leader: 'http://[' } },
    { status: 302, headers: { location: '/elsewhere' } },
    { body: 'null' },
    { body: '[]' },
    { body: { vkey: 7, checkpoint: {}, origin: null } },
    { body: { vkey: 'x+00000000+AAAA', checkpoint: 'nothing', origin: 'x' } },
    { body: { entries: [null], checkpoint: 'x', receipts: [null] } },
    { body: { entries: 7, checkpoint: null, closed: 1 } },
  ];
  for (const told of hostile) {
    const server = await fake(() => told);
    const options = { addresses: server.url, token: 't', player: 'alice', retry: { ...retry, attempts: 2 } };
    for (const asks of [
      client => client.getLog(),
      client => client.getCheckpoint(),
      client => client.listTableEntries({ table: 't1', query: { proofs: true } }),
      client => client.placeBet({ table: 't1', body: { round_no: 0, bets: [], commitment: '00'.repeat(32) } }),
      client => client.act({ id: 't1:0', body: { decision: 0, action: 'stand' } }),
      client => client.table('t1').open(),
      client => client.tournament('t1').reveal(),
      client => client.verifyRound('t1:0'),
      client => client.tableEvents('t1').next(),
    ])
      await assert.rejects(
        asks(new Client({ ...options, onNote: () => undefined })),
        error => error instanceof fairshoe.FairshoeError,
        `${asks} ${JSON.stringify(told)}`,
      );
    await server.close();
  }
});

test('a body without an end, fast or slow, is no answer', async () => {
  const { Connection } = await internal('http');
  const { OPERATIONS } = fairshoe;
  let pulled = 0;
  const endless = pause => () =>
    Promise.resolve(
      new Response(
        new ReadableStream({
          async pull(at) {
            await new Promise(done => {
              setTimeout(done, pause);
            });
            pulled += 1;
            if (pulled < 2000) at.enqueue(new Uint8Array(pause ? 1 : 1024 * 1024));
            else at.close();
          },
        }),
        { headers: { 'content-type': 'application/json' } },
      ),
    );
  // These ways to fetch take no notice of a signal.
  const fast = new Connection('http://x', endless(0), { attempts: 1 });
  await assert.rejects(fast.send(OPERATIONS.getReady, {}, {}, null), BadReply);
  assert.ok(pulled < 1000, `${pulled} MiB`);
  pulled = 0;
  const slow = new Connection('http://x', endless(20), { attempts: 1, replyMs: 200 });
  await assert.rejects(slow.send(OPERATIONS.getReady, {}, {}, null), NoAnswer);
  assert.ok(pulled < 100, `${pulled} pieces`);
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

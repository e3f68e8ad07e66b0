// Lists that come line by line, chips in the house's currency, and calls that make no entry.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { Service, behindProxy, fairshoe, fake, internal, json, noService, problem, to } from './harness.js';
import { betting, playing } from './strategies.js';

let service, proxy;
behindProxy((...both) => {
  [service, proxy] = both;
});
const options = { skip: noService };
const { BadReply, BrokenOff, CheckFailed, Client, InvalidInput, NoAnswer, ProblemError, formatChips } = fairshoe;
const NDJSON = { 'content-type': 'application/x-ndjson' };

const PART = {
  ...{ round: 't:3', rules: 'joy', begun: 1, ended: 2, player: 'alice', outcome: 'won', unit: 'money', staked: 5 },
  ...{ returned: 9, net: 4, cause: null, first_entry: 7, last_entry: 9 },
};
const POSTED = [
  [10, 100, 100],
  [11, -30, 70],
  [11, 5, 75],
  [20, -75, 0],
].map(([index, amount, balance]) => {
  const by = 'player:alice';
  return { index, time: 5, what: 'bet', by, table: null, amount, balance };
});
const lines = rows => rows.map(row => `${JSON.stringify(row)}\n`).join('');

/** All of a list that a server tells. */
async function listed(body, list) {
  const server = await fake(() => ({ headers: NDJSON, body })),
    found = [];
  const client = new Client({ addresses: server.url, retry: { attempts: 1 } });
  try {
    for await (const one of list(client)) found.push(one);
    return { found, server };
  } finally {
    await server.close();
  }
}
const rounds = query => client => client.eachRound(query);
const moved = client => client.eachTransaction('alice', { from: '1' });

test('lines become parts in rounds and transactions, one by one', async () => {
  const { found, server } = await listed(lines([PART, { ...PART, round: 't:4' }]), rounds({ table: 't', min_net: -3 }));
  assert.deepEqual(found, [PART, { ...PART, round: 't:4' }]);
  assert.equal(server.seen[0].url, '/v1/rounds?table=t&min_net=-3');
  assert.equal(server.seen[0].headers.accept, 'application/x-ndjson');
  const posted = await listed(lines(POSTED), moved);
  assert.deepEqual(posted.found, POSTED);
  assert.equal(posted.server.seen[0].url, '/v1/players/alice/transactions?from=1');
  assert.deepEqual((await listed('', moved)).found, []);
});

test('a list that breaks off is not the whole', async () => {
  const isBroken = count => error => error instanceof BrokenOff && error instanceof NoAnswer && error.lines === count;
  await assert.rejects(listed(`${lines(POSTED.slice(0, 2))}{"index":`, moved), isBroken(2));
  const server = http.createServer((asked, answer) => {
    answer.writeHead(200, NDJSON);
    answer.write(lines(POSTED.slice(0, 1)));
    setTimeout(() => answer.destroy(), 50);
  });
  await new Promise(done => {
    server.listen(0, '127.0.0.1', done);
  });
  const client = new Client({ addresses: `http://127.0.0.1:${server.address().port}` }),
    found = [];
  await assert.rejects(async () => {
    for await (const one of moved(client)) found.push(one);
  }, isBroken(1));
  assert.equal(found.length, 1);
  server.close();
});

test('before its first line a list is asked for again, and a refusal is told', async () => {
  const server = await fake((_, count) =>
    count === 1 ? problem(503, 'unavailable') : count === 2 ? null : { headers: NDJSON, body: lines([PART]) },
  );
  const client = new Client({ addresses: server.url, retry: { firstWaitMs: 1 } });
  for await (const part of client.eachRound()) assert.deepEqual(part, PART);
  assert.equal(server.seen.length, 3);
  await server.close();
  const refusing = await fake(() => problem(403, 'not_allowed'));
  const refused = new Client({ addresses: refusing.url });
  await assert.rejects(refused.eachRound().next(), error => error instanceof ProblemError && error.status === 403);
  await refusing.close();
});

test('a line without an end, and one that does not come, end the list', async () => {
  await assert.rejects(listed('x'.repeat(70_000), moved), BadReply);
  const { linesOf } = await internal('lists');
  const silent = () => new ReadableStream({ pull: () => new Promise(() => undefined) });
  await assert.rejects(linesOf(silent(), 'list', undefined, 10, 20).next(), BrokenOff);
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('enough')), 20);
  await assert.rejects(linesOf(silent(), 'list', stop.signal).next(), /enough/);
});

test('a house lists what was played and what moved', options, async () => {
  const client = await service.player('lister', 10_000);
  const [{ id, staked, returned }] = await playing(await client.table('joy-1').open(), betting(), 1);
  const parts = [];
  for await (const part of client.eachRound({ player: 'lister', table: 'joy-1' })) parts.push(part);
  assert.deepEqual(
    parts.map(({ round, net }) => [round, net]),
    [[id, returned - staked]],
  );
  let balance = 0;
  for await (const one of client.eachTransaction('lister')) ({ balance } = one);
  assert.equal(balance, 10_000 + returned - staked);
});

test('a house says its currency', options, async () => {
  const own = await Service.start(['--currency', 'EUR:2']);
  assert.equal(formatChips(1250, (await own.client().getLog()).currency), '12.50 EUR');
  await own.end();
  assert.equal(formatChips(1250, (await service.client().getLog()).currency), '1250');
});

test('the dry run of a commitment is held against what this client makes', options, async () => {
  const client = await service.player('tester', 1, { addresses: proxy.url });
  const trial = await client.tryCommitment({ table: 'joy-1' });
  assert.deepEqual([trial.player, trial.table, trial.round_no], ['tester', 'joy-1', 0]);
  const sent = () => JSON.parse(proxy.requests(/commitment$/).at(-1).body);
  const { seed } = sent();
  assert.match(seed, /^[0-9a-f]{64}$/);
  await client.tryCommitment({ table: 'joy-1', body: { round_no: 7 } });
  assert.notEqual(sent().seed, seed);
  assert.equal(sent().round_no, 7);
  const nobody = service.client({ addresses: proxy.url });
  await assert.rejects(nobody.tryCommitment({ table: 'joy-1' }), InvalidInput);
  for (const lie of [
    trial => Object.assign(trial, { commitment: 'ab'.repeat(32) }),
    trial => Object.assign(trial, { hashed: trial.hashed.slice(0, -1) + (trial.hashed.endsWith('0') ? '1' : '0') }),
    trial => Object.assign(trial, { epoch: 'ab'.repeat(32) }),
    trial => Object.assign(trial, { table: 'joy-2' }),
  ]) {
    const lied = service.client({ addresses: proxy.url, token: client.token, player: 'tester' });
    proxy.change(to(/commitment$/), json(lie), 1);
    await assert.rejects(lied.tryCommitment({ table: 'joy-1' }), CheckFailed);
  }
  proxy.honest();
});

test('a ticket is issued, and makes a player of a client', options, async () => {
  const operator = service.client({ token: service.operatorToken });
  await operator.createPlayer({ body: { player: 'visitor' } });
  const { ticket } = await operator.issueTicket({ player: 'visitor', body: { seconds: 60 } });
  const browser = service.client();
  assert.equal((await browser.joinByTicket(ticket)).player, 'visitor');
});

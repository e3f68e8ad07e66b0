// Proofs that come later (spec/receipts.md): what was told without a proof is held against the one that comes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behindProxy, fairshoe, fake, internal, json, noService, replyIn, to, vectors } from './harness.js';
import { House } from './house.js';
import { betting, playing } from './strategies.js';

const { CheckFailed, Client, ProblemError } = fairshoe;
const { MOST_OWED, Owed } = await internal('owed');
const retry = { attempts: 2, firstWaitMs: 5, mostWaitMs: 20 };

const stand = { decision: 0, action: 'stand' };
/** Another entry, which answers the same request. */
const later = entry => entry.replace(/"time":(\d+)/, (_, time) => `"time":${Number(time) + 1}`);
const isFailed = check => error => error instanceof CheckFailed && error.check === check;

test('so many are owed at most, and two entries are not told at one place', () => {
  const owed = new Owed(),
    args = { id: 't:0', query: { received: 'first' } };
  for (let index = 0; index < MOST_OWED; index += 1) {
    assert.deepEqual(owed.ask('act', args, true).query, { received: 'first', proofs: 'later' });
    assert.equal(owed.add({ index, entry: '{}' }, 't:0'), true);
  }
  assert.equal(owed.add({ index: MOST_OWED, entry: '{}' }, 't:0'), false);
  assert.equal(owed.list().length, MOST_OWED);
  assert.deepEqual(owed.ask('act', args, true).query, { received: 'first' });
  assert.deepEqual(owed.ask('act', { ...args, query: { proofs: 'later' } }, false).query, {});
  owed.add({ index: 0, entry: '{}' }, 't:0');
  assert.throws(() => owed.add({ index: 0, entry: '[]' }, 't:0'), isFailed('receipt'));
  owed.settle({ index: 0, entry: '{}' });
  assert.equal(owed.ask('act', args, true).query.proofs, 'later');
  assert.equal(owed.ask('getRound', args, true), args);
});

test('what is past the most that are owed is proven at once', async () => {
  // Calls that go out at once each see that there is room; what they bring is as much as they like.
  let count = 0;
  const asked = [];
  const fetching = async url => {
    const { pathname } = new URL(url);
    if (pathname.startsWith('/v1/receipts/')) {
      asked.push(pathname);
      return Response.json({ code: 'not_found' }, { status: 404 });
    }
    const index = (count += 1);
    const command = { act: { table: 't', round_no: 0, ...stand } };
    const entry = JSON.stringify({ v: 1, time: 1, by: 'player:alice', at: ['t', 0], command, events: [] });
    return Response.json({ receipts: [{ index, entry }] });
  };
  const given = { addresses: 'http://a.example', logKey: new House().key, token: 't', player: 'alice', retry };
  const client = new Client({ ...given, fetch: fetching, proofs: 'later' });
  const act = () => client.act({ id: 't:0', body: stand });
  const done = await Promise.allSettled(Array.from({ length: MOST_OWED + 5 }, act));
  assert.equal(done.filter(({ reason }) => reason instanceof ProblemError).length, 5);
  assert.deepEqual([client.owed.length, asked.length, client.failure], [MOST_OWED, 5, null]);
});

// --- By a round's bundle --------------------------------------------------------------------------------------------

const { bundle: text } = vectors('bundles').cases.find(({ about }) => about === 'baccarat, settled');
const bundle = JSON.parse(text);

/** A client that has revealed its seed and holds no proof of it, before a service that has the round's bundle. */
async function revealed({ told = one => one, receipt = () => null } = {}) {
  const { index, entry } = bundle.entries.find(one => one.entry.includes('"command":{"reveal"'));
  const { player, seed } = JSON.parse(entry).command.reveal;
  const plain = body => ({ headers: { 'content-type': 'text/plain' }, body });
  const server = await fake(({ method, url }) => {
    if (method === 'POST') return { body: { receipts: [told({ index, entry })] } };
    return url.endsWith('/bundle') ? { body: text } : plain(receipt());
  });
  const given = { addresses: server.url, logKey: bundle.vkey, token: 't', player, retry };
  const client = new Client({ ...given, proofs: 'later' });
  await client.revealSeed({ id: bundle.round, body: { player, seed } });
  assert.equal(client.owed.length, 1);
  return { client, server };
}

test('a bundle proves what is owed of its round', async () => {
  const { client, server } = await revealed();
  assert.equal((await client.verifyRound(bundle.round)).verdict, 'sound');
  assert.deepEqual([client.owed, client.failure], [[], null]);
  assert.deepEqual(server.seen.map(({ url }) => url.split('/').at(-1)), ['reveals?proofs=later', 'bundle']);
  await server.close();
});

test('a bundle with another entry convicts what was told', async () => {
  const { client, server } = await revealed({ told: one => ({ ...one, entry: later(one.entry) }) });
  await assert.rejects(client.verifyRound(bundle.round), isFailed('receipt'));
  assert.match(client.failure.message, /another entry/);
  const { told, other } = JSON.parse(client.failure.evidence.text);
  assert.equal(told, later(other));
  assert.equal(client.owed.length, 1);
  await server.close();
});

test('of an entry that the bundle does not have its own receipt decides', async () => {
  const { client, server } = await revealed({
    told: one => ({ ...one, index: 9999 }),
    receipt: () => `c2sp.org/tlog-proof@v1\nindex 9999\n\n${bundle.checkpoint}`,
  });
  await assert.rejects(client.verifyRound(bundle.round), isFailed('receipt'));
  assert.equal(server.seen.at(-1).url, '/v1/receipts/9999');
  await server.close();
});

// --- Against the service --------------------------------------------------------------------------------------------

let service, proxy;
behindProxy((...both) => {
  [service, proxy] = both;
});
const options = { skip: noService };

async function atTable(name, more = {}) {
  proxy.honest();
  const client = await service.player(name, 10_000, { addresses: proxy.url, proofs: 'later', ...more });
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  return { client, at: await client.table(table).open() };
}

test('rounds are played with their proofs later, and proven by their bundles', options, async () => {
  const { client, at } = await atTable('late-one');
  const replies = [];
  proxy.change(to(/POST .*\?proofs=later$/), reply => {
    replies.push(replyIn(reply));
    return reply;
  });
  const rounds = await playing(at, betting(), 3);
  assert.ok(rounds.every(({ verdict }) => verdict.verdict !== 'not_sound'));
  assert.ok(replies.length >= 3 && replies.flatMap(({ receipts }) => receipts).every(one => !('proof' in one)));
  assert.deepEqual([client.owed, client.failure, at.isPending], [[], null, false]);
  // By bundles alone: no receipt was asked for, and no list of entries for the proofs of what was told.
  assert.equal(proxy.requests(/GET .*\/receipts\//).length, 0);
});

test('a reply without proofs that lies is found by the bundle, or before it', options, async () => {
  const { client, at } = await atTable('late-two');
  proxy.change(
    to(/POST .*\/reveals\?proofs=later$/),
    json(reply => {
      reply.receipts[0].entry = later(reply.receipts[0].entry);
    }),
  );
  await assert.rejects(playing(at, betting(), 1), error => error instanceof CheckFailed);
  assert.ok(client.failure);
  assert.equal(client.owed.length, 1);
});

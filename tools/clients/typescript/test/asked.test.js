// An acknowledged call is held against its own entry: a house that signs everything, and answers with something else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairshoe } from './harness.js';
import { House } from './house.js';

const { BadReply, Client } = fairshoe;

const credit = { player: 'alice', body: { amount: 5 } };
const credited = () => ({ credit: { player: 'alice', amount: 5 } });

test('an entry from before this client is no answer to it, unless it repeats a key of its own', async () => {
  const house = new House();
  const old = house.append('operator', credited());
  const server = await house.serve(({ method }) =>
    method === 'GET' ? undefined : { body: { receipts: [house.receipt(old)] } },
  );
  const options = { addresses: server.url, logKey: house.key, token: 't' };
  await new Client(options).creditPlayer(credit, { idempotencyKey: 'order-17' });
  await assert.rejects(new Client(options).creditPlayer(credit), error => error.check === 'asked');
  await server.close();
});

test('one entry does not answer two requests at once', async () => {
  const house = new House();
  let one = null;
  const server = await house.serve(({ method }) => {
    if (method === 'GET') return undefined;
    one ??= house.append('operator', credited());
    return { body: { receipts: [house.receipt(one)] } };
  });
  const client = new Client({ addresses: server.url, logKey: house.key, token: 't' });
  const told = await Promise.allSettled([client.creditPlayer(credit), client.creditPlayer(credit)]);
  assert.deepEqual(told.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.equal(client.failure.check, 'asked');
  await server.close();
});

test('entries that were asked for with their proofs do not come without', async () => {
  const house = new House();
  const index = house.append('house', { open_bets: { table: 't1' } }, { at: { table: 't1', seq: 0 } });
  const entry = { index, seq: 0, entry: house.entries[index] };
  const server = await house.serve(({ url }) =>
    url.startsWith('/v1/tables')
      ? { body: { table: 't1', entries: [entry], next_seq: 1, closed: false, size: 2, checkpoint: house.checkpoint() } }
      : undefined,
  );
  const client = new Client({ addresses: server.url, logKey: house.key });
  await client.listTableEntries({ table: 't1' });
  await assert.rejects(client.listTableEntries({ table: 't1', query: { proofs: true } }), BadReply);
  await server.close();
});

// An acknowledged call is held against its own entry: a house that signs everything, and answers with something else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairshoe } from './harness.js';
import { House } from './house.js';

const { BadReply, CheckFailed, Client, NoAnswer } = fairshoe;
const retry = { attempts: 2, firstWaitMs: 5, mostWaitMs: 20 };

/** The answer of a house to each request that changes something: what `answer` makes of it. */
async function lying(answer, options = {}) {
  const house = new House();
  const server = await house.serve(request =>
    request.method === 'GET' ? undefined : answer(house, JSON.parse(request.body || '{}'), request),
  );
  const client = new Client({ addresses: server.url, logKey: house.key, token: 't', retry, ...options });
  return { house, server, client };
}

/** A house that does `command(body)` in the name of `by`, and says so. */
const doing =
  (by, command, more = {}) =>
  (house, body) => ({ body: { receipts: [house.receipt(house.append(by, command(body)))], ...more } });

const alice = { player: 'alice' };
const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const structure = { name: 'duel', rules: { name: 'holdem', digest: A }, seats: 2 };
const joy = { name: 'joy-own', table: { stake_min: 1 }, game: { blackjack: { decks: 1 } } };
const event = (name, fields) => () => ({ tournament: { [name]: { event: 'e', ...fields } } });

/** A call, an entry that is what was asked for, and entries that are not. */
const CALLS = [
  {
    asks: client => client.takeSeat({ table: 't1', body: { seat: 2 } }),
    right: doing('player:alice', () => ({ take_seat: { table: 't1', seat: 2 } })),
    wrong: [
      doing('player:bob', () => ({ take_seat: { table: 't1', seat: 2 } })),
      doing('player:alice', () => ({ take_seat: { table: 't1', seat: 3 } })),
      doing('operator', () => ({ take_seat: { table: 't1', seat: 2 } })),
    ],
  },
  {
    asks: client => client.takeSeat({ table: 't1', body: { buy_in: 100, straddle: true } }),
    right: doing('player:alice', () => ({ sit_down: { table: 't1', seat: 1, buy_in: 100, straddle: true } })),
    wrong: [
      doing('player:alice', () => ({ sit_in: { table: 't1' } })),
      doing('player:alice', () => ({ sit_down: { table: 't1', seat: 1, buy_in: 900, straddle: true } })),
    ],
  },
  {
    asks: client => client.openTable({ body: { rules: 'joy-own' } }),
    right: doing('player:alice', () => ({ open_table: { table: 'own-1', rules: joy } }), { table: 'own-1' }),
    wrong: [
      doing('player:alice', () => ({ open_table: { table: 'own-1', rules: { ...joy, name: 'poor' } } }), {
        table: 'own-1',
      }),
      doing('player:alice', () => ({ open_table: { table: 'own-1', rules: joy } }), { table: 'other' }),
    ],
  },
  {
    as: null,
    asks: client => client.openTable({ body: { rules: 'joy-own', options: { decks: 8 } } }),
    right: doing(
      'operator',
      () => ({ open_table: { table: 'own-1', rules: { ...joy, game: { blackjack: { decks: 8 } } } } }),
      { table: 'own-1' },
    ),
    wrong: [doing('operator', () => ({ open_table: { table: 'own-1', rules: joy } }), { table: 'own-1' })],
  },
  {
    as: null,
    asks: client => client.creditPlayer({ player: 'alice', body: { amount: 5 } }),
    right: doing('operator', () => ({ credit: { player: 'alice', amount: 5 } })),
    wrong: [doing('player:alice', () => ({ credit: { player: 'alice', amount: 5 } }))],
  },
  {
    as: null,
    asks: client => client.createTournament({ body: { tournament: 'e', structure, starts_at: 9 } }),
    right: doing('operator', event('create', { structure, starts_at: 9, rules: joy })),
    wrong: [
      doing('operator', event('create', { structure: { ...structure, seats: 9 }, starts_at: 9, rules: joy })),
      doing('operator', event('create', { structure, starts_at: 8, rules: joy })),
    ],
  },
  {
    as: null,
    asks: client => client.substitutePrize({ tournament: 'e', body: { place: 1, what: 'a car', value: 5 } }),
    right: doing('operator', event('substitute_prize', { place: 1, what: 'a car', value: 5 })),
    wrong: [doing('operator', event('substitute_prize', { place: 1, what: 'a car', value: 4 }))],
  },
  {
    asks: client => client.substitutePrize({ tournament: 'e', body: { place: 1, what: 'a car', value: 5 } }),
    right: doing('player:alice', event('substitute_prize', { place: 1, what: 'a car', value: 5 })),
    wrong: [doing('player:bob', event('substitute_prize', { place: 1, what: 'a car', value: 5 }))],
  },
  {
    asks: client => client.issueToken({ ...alice, body: { revoke: true } }),
    right: doing('player:alice', () => ({ issue_token: { holder: 'player:alice', revoke: true } })),
    wrong: [doing('player:alice', () => ({ issue_token: { holder: 'player:alice', revoke: false } }))],
  },
  {
    as: null,
    asks: client => client.exchangeTicket({ body: { ticket: A } }),
    right: doing('operator', () => ({ issue_token: { holder: 'player:alice', revoke: false } })),
    wrong: [
      doing('player:bob', () => ({ issue_token: { holder: 'player:bob', revoke: false } })),
      doing('operator', () => ({ issue_token: { holder: 'auditor:alice', revoke: false } })),
      doing('operator', () => ({ credit: { player: 'alice', amount: 5 } })),
    ],
  },
  {
    as: null,
    asks: client => client.knowLog({ body: { log: 'other/log', policy: 'log x' } }),
    right: doing('operator', () => ({ know_log: { log: 'other/log', policy: btoa('log x') } })),
    wrong: [
      doing('operator', () => ({ know_log: { log: 'other/log', policy: btoa('log y') } })),
      doing('operator', () => ({ know_log: { log: 'other/log' } })),
    ],
  },
  {
    asks: client => client.claimTransfer({ body: { from: 'other/log', entry: '{}', proof: 'proof' } }),
    right: doing('anyone', () => ({ transfer_in: { from: 'other/log', entry: '{}', receipt: btoa('proof') } })),
    wrong: [doing('anyone', () => ({ transfer_in: { from: 'other/log', entry: '{}', receipt: btoa('another') } }))],
  },
  {
    asks: client => client.register({ tournament: 'e', body: { commitment: A, pay: 'cash' } }),
    right: doing('player:alice', event('register', { commitment: A, pay: 'cash' })),
    wrong: [
      doing('player:bob', event('register', { commitment: A, pay: 'cash' })),
      doing('player:alice', event('register', { commitment: B, pay: 'cash' })),
    ],
  },
];

for (const { as = 'alice', asks, right, wrong } of CALLS) {
  const [, name] = /client\.(\w+)/.exec(asks.toString());
  test(`an entry that is not what was asked for: ${name}`, async () => {
    const options = as === null ? {} : { player: as };
    const honest = await lying(right, options);
    await asks(honest.client);
    assert.equal(honest.client.failure, null);
    await honest.server.close();
    for (const lie of wrong) {
      const { client, server } = await lying(lie, options);
      await assert.rejects(asks(client), error => error instanceof CheckFailed && error.check === 'asked');
      assert.equal(client.failure?.check, 'asked');
      await server.close();
    }
  });
}

const credit = { player: 'alice', body: { amount: 5 } };
const credited = () => ({ credit: { player: 'alice', amount: 5 } });

test('the old receipt of an equal credit is not that of a new one', async () => {
  let first = null;
  const { client, server } = await lying(house => {
    first ??= house.append('operator', credited());
    return { body: { receipts: [house.receipt(first)] } };
  });
  await client.creditPlayer(credit);
  await assert.rejects(client.creditPlayer(credit), error => error.check === 'asked' && /older/.test(error.message));
  await server.close();
});

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
  let one = null;
  const { client, server } = await lying(house => {
    one ??= house.append('operator', credited());
    return { body: { receipts: [house.receipt(one)] } };
  });
  const told = await Promise.allSettled([client.creditPlayer(credit), client.creditPlayer(credit)]);
  assert.deepEqual(told.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.equal(client.failure.check, 'asked');
  await server.close();
});

test('an answer that says done and holds no receipt is none', async () => {
  for (const body of [{}, { receipts: [] }, { receipts: null, balance: 5 }, { receipts: [{}] }, [], 'done']) {
    const { client, server } = await lying(() => ({ body: typeof body === 'string' ? '"done"' : body }));
    await assert.rejects(client.creditPlayer(credit), BadReply, JSON.stringify(body));
    await assert.rejects(client.discloseShoe({ table: 't1', shoe_no: 0, body: { reason: 'r' } }), BadReply);
    await server.close();
  }
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

test('an error of a call that may have been carried out names the key to repeat it by', async () => {
  for (const [told, kind] of [
    [() => null, NoAnswer],
    [() => ({ status: 500, body: { code: 'internal' } }), fairshoe.ProblemError],
    [() => ({ body: {} }), BadReply],
  ]) {
    const { client, server } = await lying(told);
    const error = await client.creditPlayer(credit).catch(one => one);
    assert.ok(error instanceof kind, String(error));
    const sent = server.seen.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key']);
    assert.deepEqual([...new Set(sent)], [error.idempotencyKey]);
    assert.match(error.idempotencyKey, /^[0-9a-f]{32}$/);
    const again = await client.creditPlayer(credit, { idempotencyKey: error.idempotencyKey }).catch(one => one);
    assert.equal(again.idempotencyKey, error.idempotencyKey);
    await server.close();
  }
});

// A tournament from its registration to its prizes: seeds for the draws of seats, and hands at the tables they give.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behindProxy, fairshoe, json, noService, sleep, to, vectors } from './harness.js';
import { decide } from './strategies.js';

let service, proxy;
behindProxy((...both) => {
  [service, proxy] = both;
});
const options = { skip: noService };

/**
 * An event in which all of these are entered when it begins: on a busy machine it is announced again, with more time.
 * A duel with clocks that nobody here runs out of, and chips for few hands.
 */
async function entered(clients, change = () => undefined, name = 'heads-up') {
  const operator = service.client({ token: service.operatorToken });
  const { structure } = await operator.getStructure({ name });
  structure.entry.stack = 2 * structure.levels[0].big;
  // Every hour of a shipped one has its break: for five minutes nobody would be dealt a hand.
  structure.breaks = { after: [] };
  change(structure);
  Object.assign(structure.clocks, { turn_ms: 60_000, commit_ms: 60_000, reveal_ms: 60_000, between_hands_ms: 0 });
  for (const lead of [2000, 10_000, 60_000]) {
    const tournament = `duel-${(announced += 1)}`;
    await operator.createTournament({ body: { tournament, structure, starts_at: Date.now() + lead } });
    try {
      for (const client of clients) await client.tournament(tournament).register();
      return tournament;
    } catch (error) {
      if (error.code !== 'registration_closed') throw error;
    }
  }
  throw new Error('no event could be entered in a minute');
}
let announced = 0;

/** Everything goes in: few hands end it. */
const allIn = ({ decision }) => {
  const raise = decision.options.find(({ action, to }) => (action === 'raise' || action === 'bet') && to);
  return raise ? { [raise.action]: { to: raise.to[1] } } : decide({ decision });
};

/** Reveals seeds and plays wherever this player is seated, until the event is over. */
async function playsIn(client, event) {
  const seats = new Map(),
    tables = [],
    ends = [],
    hands = [],
    stop = new AbortController();
  const playAt = async at => {
    try {
      const table = client.table(at, { signal: stop.signal });
      tables.push(table);
      for await (const hand of table.play({ decide: allIn })) hands.push(hand);
      ends.push(`${at} ended`);
    } catch (error) {
      ends.push(`${at}: ${error.code ?? error.message}`);
      if (!stop.signal.aborted && error.code !== 'unknown_table') throw error;
    }
  };
  const limit = AbortSignal.timeout(90_000);
  try {
    await client.tournament(event).attend({
      signal: limit,
      onView: ({ own }) => {
        const at = own?.entry?.table;
        if (at && !seats.has(at)) seats.set(at, playAt(at));
      },
    });
  } catch (error) {
    if (!limit.aborted) throw error;
    // Where it stands: what the service shows of the event, and what this player has of each table.
    const view = await client.getTournament({ tournament: event });
    const known = tables.map(({ name, state, isClosed }) => ({ name, isClosed, state }));
    throw new Error(`${client.player} waits: ${JSON.stringify({ view, ends, known })}`, { cause: error });
  }
  // The event is over with its last hand, whose verdict may be on its way.
  for (let waited = 0; !hands.length && waited < 600; waited += 1) await sleep(50);
  stop.abort();
  await Promise.all(seats.values());
  return { client, hands, seats };
}

/** What the log says of an event, by name. */
async function said(event) {
  const { entries } = await service
    .client()
    .listTournamentEntries({ tournament: event, query: { limit: 256, proofs: true } });
  return entries.flatMap(({ entry }) => JSON.parse(entry).events.flatMap(one => Object.entries(one.tournament ?? {})));
}

test('two players enter, are seated by their own seeds, and one wins', options, async () => {
  const operator = service.client({ token: service.operatorToken });
  const clients = [];
  for (const name of ['duel-one', 'duel-two']) clients.push(await service.player(name, 10_000_000));
  const event = await entered(clients);
  const players = await Promise.all(clients.map(client => playsIn(client, event)));
  const view = await operator.getTournament({ tournament: event });
  assert.equal(view.summary.stage, 'ended');
  for (const { hands, client, seats } of players) {
    assert.ok(seats.size === 1 && hands.length >= 1, `${hands.length} hands`);
    assert.ok(hands.every(({ verdict }) => verdict.verdict !== 'not_sound'));
    assert.equal(client.failure, null);
  }
  // Both seeds are out: nobody is named as one who withheld theirs.
  const events = await said(event);
  assert.equal(events.filter(([name]) => name === 'seat_seed_revealed').length, 2);
  assert.equal(events.find(([name]) => name === 'seats_drawn')[1].withheld, 0);
});

test('a table breaks, and who sat there is seated anew by their own seed', options, async () => {
  const clients = [];
  for (const name of ['four-a', 'four-b', 'four-c', 'four-d']) clients.push(await service.player(name, 10_000_000));
  const event = await entered(
    clients,
    structure => {
      Object.assign(structure, { seats: 3, draw_hands: 1 });
      structure.entry.players_min = 4;
    },
    'freezeout-6',
  );
  const players = await Promise.all(clients.map(client => playsIn(client, event)));
  for (const { client } of players) assert.equal(client.failure, null);
  const events = await said(event);
  const drawn = events.filter(([name]) => name === 'seats_drawn');
  // All in with the first hands: a table is left with one player, and one of the two tables breaks.
  assert.ok(drawn.length >= 1);
  assert.deepEqual(
    drawn.map(([, { withheld }]) => withheld),
    drawn.map(() => 0),
  );
  assert.equal(events.filter(([name, { draw_no: no }]) => name === 'seat_seed_revealed' && no === 0).length, 4);
});

/** An event that does not begin yet, and a player who is there through the proxy. */
async function early(name) {
  proxy.honest();
  const operator = service.client({ token: service.operatorToken });
  const tournament = `early-${(announced += 1)}`;
  await operator.createTournament({ body: { tournament, structure: 'heads-up', starts_at: Date.now() + 3_600_000 } });
  const store = new fairshoe.MemoryStore();
  const client = await service.player(name, 10_000_000, { addresses: proxy.url, store });
  return { client, store, at: client.tournament(tournament) };
}
const isView = to(/GET \/v1\/tournaments\/[^/]+$/);

test('a view that says that a draw awaits a seed gets none before the log has the draw', options, async () => {
  const { client, at } = await early('hasty');
  await at.register();
  proxy.change(
    isView,
    json(view => {
      const until = Date.now() + 60_000;
      view.draw = { draw_no: 0, kind: 'first', awaited: 1, entrants: 2, reveal_by: until, table: null };
      view.own.reveals_use = 0;
    }),
  );
  assert.equal(await at.reveal(), false);
  assert.equal(proxy.requests(/POST .*\/draws\//).length, 0, 'no seed left');
  assert.equal(client.failure, null);
});

test('a view with another number or epoch binds no commitment to it', options, async () => {
  const { client, store, at } = await early('misled');
  proxy.change(
    isView,
    json(view => {
      view.epoch = '00'.repeat(32);
      view.own.next_use = 7;
    }),
  );
  await at.register();
  proxy.honest();
  const [{ body }] = proxy.requests(/POST .*\/registration$/).slice(-1);
  const [name] = (await store.names()).filter(one => one.startsWith('seat-seed '));
  const [, origin, event, epoch, player, use] = name.split(' ');
  assert.deepEqual([event, player, use], [at.name, 'misled', '0']);
  const { seed } = JSON.parse(await store.get(name));
  assert.equal(
    JSON.parse(body).commitment,
    fairshoe.seatCommitmentTo(seed, { origin, event, epoch, use: 0, player }),
  );
  const view = await client.getTournament({ tournament: at.name });
  assert.deepEqual([view.epoch, view.own.next_use], [epoch, 1]);
});

test('an entry of an event that is left out is missed', options, async () => {
  const { client, at } = await early('left-out');
  proxy.change(
    to(/GET \/v1\/tournaments\/[^/]+\/entries/),
    json(page => {
      page.entries = page.entries.map(one => ({ ...one, seq: one.seq - 1 })).slice(1);
    }),
  );
  await at.register().then(
    () => assert.fail('it entered an event whose creation it did not see'),
    error => assert.ok(error instanceof fairshoe.FairshoeError, String(error)),
  );
  assert.equal(proxy.requests(/POST .*\/registration$/).filter(({ url }) => url.includes(at.name)).length, 0);
  assert.equal(client.failure, null);
});

test('a seat whose seed is lost is said to be', options, async () => {
  const clients = [];
  for (const name of ['lost-one', 'lost-two']) clients.push(await service.player(name, 10_000_000));
  const event = await entered(clients);
  const { token } = await service.client({ token: service.operatorToken }).issueToken({ player: 'lost-one', body: {} });
  const forgetful = service.client({ token, player: 'lost-one' });
  await assert.rejects(forgetful.tournament(event).attend({ signal: AbortSignal.timeout(90_000) }), fairshoe.SeedLost);
});

test('commitments to seeds for seats are those of the vectors', () => {
  let checked = 0;
  for (const { context, entrants } of vectors('tournaments').draws) {
    const { origin, epoch, table: event } = context;
    for (const { commitment, seed, player, use } of entrants) {
      if (!seed) continue;
      assert.equal(fairshoe.seatCommitmentTo(seed, { origin, epoch, event, use, player }), commitment);
      checked += 1;
    }
  }
  assert.ok(checked > 10, `${checked} commitments`);
});

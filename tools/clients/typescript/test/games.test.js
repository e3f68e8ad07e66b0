// Every game of the house is played for a round against the service, and every round is verified whole.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Service, fairshoe, noService } from './harness.js';
import { betting, decide, playing } from './strategies.js';

let service;
const options = { skip: noService };
before(async () => {
  if (!noService) service = await Service.start(['--connections-per-address', '0']);
});
after(async () => {
  await service?.end();
});

/** A round that was played, as the player, the log and the verifier have it. */
function holds({ id, round, staked, returned, verdict }, player, rules) {
  assert.equal(round.phase, 'settled');
  assert.equal(verdict.round.id, id);
  assert.equal(verdict.round.rules, rules);
  assert.ok(['sound', 'sound_so_far'].includes(verdict.verdict), verdict.findings[0]?.message);
  assert.equal(verdict.key_trusted, true);
  const judged = verdict.round.players.find(one => one.player === player);
  assert.deepEqual([judged.staked, judged.returned], [staked, returned]);
  assert.ok(Number.isSafeInteger(staked) && Number.isSafeInteger(returned));
}

/** At a table where one plays against the house. */
async function alone(name, table, strategy, { sits, rounds = 1, client: known }) {
  const client = known ?? (await service.player(name)),
    at = await client.table(table).open();
  if (sits) await at.sit();
  const before = (await client.getPlayer({ player: name })).balance;
  const played = await playing(at, strategy, rounds);
  assert.equal(played.length, rounds);
  for (const one of played) holds(one, name, at.info.rules.name);
  const net = played.reduce((sum, { staked, returned }) => sum + returned - staked, 0);
  assert.equal((await client.getPlayer({ player: name })).balance - before, net);
  assert.equal(client.failure, null);
  return { at, played };
}

test('joy: blackjack alone, a fresh shoe every round, which is out at its end', options, async () => {
  const { played } = await alone('joy-player', 'joy-1', betting(), { rounds: 3 });
  assert.ok(played.every(({ verdict }) => verdict.verdict === 'sound' && verdict.shoes.length === 1));
});

const SOLO = [
  ['rng-blackjack', []],
  ['rng-baccarat', ['player']],
  ['rng-roulette', ['red', 'straight:17']],
];
for (const [rules, spots] of SOLO) {
  test(`${rules}: at a table of one's own`, options, async () => {
    const name = `${rules}-player`,
      client = await service.player(name);
    const { table } = await client.openTable({ body: { rules } });
    await alone(name, table, betting(...spots), { rounds: 2, client });
  });
}

const SHARED = [
  ['live-blackjack', []],
  ['six-deck', []],
  ['study-group', []],
  ['baccarat', ['banker']],
  ['roulette', ['black']],
];
for (const [rules, spots] of SHARED) {
  test(`${rules}: at a shared table, through a betting window`, options, async () => {
    await alone(`${rules}-sitter`, `${rules}-1`, betting(...spots), { sits: true });
  });
}

/** Two who play with each other. */
async function together(rules, sit, strategy) {
  const players = await Promise.all(
    ['one', 'two'].map(async which => {
      const name = `${rules}-${which}`,
        client = await service.player(name);
      const table = await client.table(`${rules}-1`).open();
      return { name, client, table };
    }),
  );
  for (const { table } of players) await table.sit(sit);
  const stop = new AbortController();
  const hands = await Promise.all(players.map(({ table }) => playing(table, strategy, 1)));
  stop.abort();
  for (const [i, { name, client }] of players.entries()) {
    holds(hands[i][0], name, rules);
    assert.equal(client.failure, null);
  }
  assert.equal(hands[0][0].id, hands[1][0].id);
  return { players, hands };
}

test('safe: two players, face-down hands', options, async () => {
  await together('safe', {}, betting());
});

for (const rules of ['holdem', 'omaha']) {
  test(`${rules}: a hand of poker, with cards of one's own`, options, async () => {
    const seen = new Map();
    const strategy = {
      decide: turn => {
        seen.set(turn.table.client.player, { cards: turn.own?.cards, faces: turn.table.faces });
        return decide(turn);
      },
    };
    await together(rules, { buy_in: 10000 }, strategy);
    for (const { cards, faces } of seen.values()) {
      assert.equal(cards.length, rules === 'holdem' ? 2 : 4);
      const own = faces.filter(({ card }) => cards.includes(card));
      assert.ok(own.length >= cards.length && own.every(({ state }) => state === 'proven'));
    }
    assert.equal(seen.size, 2);
  });
}

test('a bet that the rules refuse is an error with its code, and binds nothing', options, async () => {
  const client = await service.player('refused', 100),
    table = await client.table('joy-1').open();
  const code = wanted => error => error instanceof fairshoe.ProblemError && error.code === wanted;
  await assert.rejects(table.bet([{ spot: '1', stake: 500 }]), code('insufficient_balance'));
  await assert.rejects(table.bet([{ spot: '9', stake: 10 }]), code('unknown_spot'));
  await assert.rejects(table.bet([{ spot: '1', stake: 5000 }]), code('above_maximum'));
  await assert.rejects(client.table('nowhere').open(), code('unknown_table'));
  await assert.rejects(client.takeSeat({ table: 'joy-1', body: {} }), code('solo_table'));
  await assert.rejects(client.getPlayer({ player: 'joy-player' }), code('not_allowed'));
  await assert.rejects(client.getPlayer({ player: 'refused' }, { token: 'no-token' }), code('unauthorized'));
  await assert.rejects(client.getEntry({ index: 999999 }), code('unknown_entry'));
  await assert.rejects(client.signIn('refused', 'wrong'), code('unauthorized'));
  assert.equal((await client.getPlayer({ player: 'refused' })).balance, 100);
  assert.equal(client.failure, null, 'a refusal is no failed check');
  await assert.rejects(service.client().table('joy-1').bet([]), fairshoe.InvalidInput);
});

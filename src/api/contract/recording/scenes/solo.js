// Rounds of one player: blackjack at a table for everyone, roulette at a table of the player's own, and what is told of
// them afterwards.
'use strict';
const { commitment, seed } = require('../seeds');
const { until } = require('../programs');
const { Unexpected } = require('../recorder');

// Cards come by chance: so many rounds are played until one shows what an example is to show.
const ATTEMPTS = 300;

const JOY = { table: 'joy-1' };

/** What a decision offers that is like any other. */
const PLAIN = 'hit stand double';

/** The body of a bet for a table's next round. */
async function betFor(player, table, bets) {
  const view = await player.ask('getTable', { table });
  const roundNo = view.next_round;
  return { round_no: roundNo, bets, commitment: commitment(view, roundNo, player.name), epoch: view.epoch };
}

/** Places a bet and reveals its seed; the reply with the deal. */
async function deal(player, table, bets) {
  const body = await betFor(player, table, bets);
  const { round } = await player.ask('placeBet', { table }, { body });
  return player.ask('revealSeed', { id: round.id }, { body: revelation(player, round) });
}

const revelation = (player, { table, round_no: roundNo }, more = {}) =>
  ({ player: player.name, seed: seed(player.name, table, roundNo), ...more });

/** Declines and stands until the round is over. */
async function standOut(player, reply) {
  for (let { round } = reply; round.decisions.length;) {
    const { decision, options } = round.decisions[0];
    const action = { insurance: { insurance: { take: false } } }[options[0].action] || 'stand';
    ({ round } = await player.ask('act', { id: round.id }, { body: { decision, action } }));
  }
}

/** The tree of the checkpoint that a receipt is under. */
function treeOf(proof) {
  const [, size, root] = proof.split('\n\n')[1].split('\n');
  return { size: Number(size), root };
}

/** What the open decision of a reply's round offers, in a line. */
const offered = ({ round }) => (round.decisions[0]?.options || []).map(one => one.action).join(' ');

/**
 * A round in which all is plain: no insurance or split is offered, a hit goes on, a stand settles, the dealer draws.
 * Each attempt is recorded over the one before.
 */
async function plainRound(stage, alice) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const view = await stage.anyone.ask('getTable', JOY, { reply: 'between' });
    await stage.anyone.ask('getTableShoe', JOY, { reply: 'one' });
    const body = await betFor(alice, 'joy-1', [{ spot: '1', stake: 7, chips: [5, 1, 1] }]);
    const trial = { player: 'alice', round_no: body.round_no, seed: '5'.repeat(64) };
    const tried = await stage.anyone.ask('tryCommitment', JOY, { body: trial, as: 'one' });
    if (tried.commitment !== commitment(view, body.round_no, 'alice', trial.seed))
      throw new Unexpected(`the service expects another commitment than its specification: ${tried.commitment}`);
    const placed = await alice.ask('placeBet', JOY, { body, as: 'one' });
    await stage.anyone.ask('getTable', JOY, { reply: 'in_play' });
    const { id } = placed.round, saw = treeOf(placed.receipts[0].proof);
    const dealt = await alice.ask('revealSeed', { id }, { body: revelation(alice, placed.round, { saw }), as: 'one' });
    if (offered(dealt) !== PLAIN) {
      await standOut(alice, dealt);
      continue;
    }
    await alice.ask('listActions', { id }, { reply: 'one' });
    const hit = { decision: dealt.round.decisions[0].decision, action: 'hit' };
    const goesOn = await alice.ask('act', { id }, { body: hit, request: 'hit', reply: 'goes_on' });
    if (goesOn.round.phase !== 'open') continue;
    const stand = { decision: goesOn.round.decisions[0].decision, action: 'stand' };
    const over = await alice.ask('act', { id }, { body: stand, request: 'stand', reply: 'settled' });
    if (over.receipts[0].entry.includes('"dealt"')) return { placed, goesOn };
  }
  throw new Unexpected(`no plain round in ${ATTEMPTS}`);
}

/** What is told of that round. */
async function readRound({ anyone, recorder }, alice, { placed, goesOn }) {
  const { id, shoe_no: shoeNo } = placed.round;
  await anyone.ask('getRound', { id }, { reply: 'one' });
  await anyone.ask('getShoe', { table: 'joy-1', shoe_no: shoeNo }, { reply: 'one' });
  await anyone.stream('streamTable', JOY, { after: goesOn.receipts[0].index - 1, events: 2, reply: 'one' });
  await alice.ask('listPlayerRounds', { player: 'alice' }, { reply: 'one', query: { limit: 1 } });
  await anyone.ask('listTableRounds', JOY, { reply: 'one', query: { limit: 1 } });
  const bundle = await anyone.ask('getBundle', { id });
  recorder.keep('bundle', bundle, 'A settled round; its shoe is revealed, so no opening is needed.');
  await anyone.ask('getTableBundle', JOY);
  await anyone.ask('verifyBundle', {}, { body: bundle, reply: 'sound' });
  // The player stood, the log says: let it say that they hit.
  const last = bundle.entries.length - 1;
  const lie = one => ({ ...one, entry: one.entry.replace('"stand"', '"hit"') });
  const entries = bundle.entries.map((one, n) => (n === last ? lie(one) : one));
  await anyone.ask('verifyBundle', {}, { body: { ...bundle, entries }, reply: 'not_sound' });
}

const timeOf = reply => JSON.parse(reply.receipts[0].entry).time;

/** Choices that come up by chance, and one that is refused after it was signed for. */
async function otherChoices(alice) {
  const wanted = new Map([
    ['double', { body: { double: {} }, request: 'double' }],
    ['insurance', { body: { insurance: { take: true } }, request: 'insurance' }],
  ]);
  let plain = false;
  for (let attempt = 0; (wanted.size || !plain) && attempt < ATTEMPTS; attempt++) {
    let dealt = await deal(alice, 'joy-1', [{ spot: '1', stake: 10, chips: [5, 5] }]);
    const id = dealt.round.id;
    if (!plain && offered(dealt) === PLAIN) {
      const body = { decision: dealt.round.decisions[0].decision, action: 'split' };
      const query = { received: 'first' };
      await alice.ask('act', { id }, { body, query, reply: 'refused', summary: 'Received, and then refused' });
      const stand = { decision: dealt.round.decisions[0].decision, action: 'stand' };
      const asked = { body: stand, query: { proofs: 'later' }, reply: 'later', summary: 'Without its proof' };
      dealt = await alice.ask('act', { id }, asked);
      plain = dealt.receipts[0].entry.includes('"dealt"');
    }
    for (const [action, { body, request }] of wanted)
      if (offered(dealt).split(' ').includes(action)) {
        const { decision } = dealt.round.decisions[0];
        dealt = await alice.ask('act', { id }, { body: { decision, action: body }, request });
        wanted.delete(action);
        break;
      }
    await standOut(alice, dealt);
  }
  if (wanted.size || !plain) throw new Unexpected(`in ${ATTEMPTS} rounds no ${[...wanted.keys()].join(' and no ')}`);
}

/** A table of the player's own: a spin, its recall, and the end of the table. */
async function ownTable(stage, alice) {
  const { operator, anyone } = stage, table = 'alices-wheel';
  await alice.ask('openTable', {}, { body: { table, rules: 'rng-roulette' }, request: 'own', reply: 'one' });
  const options = { crash: 'rollback', stake_max: 100 };
  await operator.ask('openTable', {}, { body: { rules: 'joy', options }, request: 'operator' });
  const bets = [{ spot: 'straight:17', stake: 100 }, { spot: 'red', stake: 200 }];
  const twice = await betFor(alice, table, [bets[0], bets[0]]);
  await alice.ask('placeBet', { table }, { body: twice, code: 'spot_twice' });
  const placed = await alice.ask('placeBet', { table }, { body: await betFor(alice, table, bets) });
  const { id } = placed.round, from = timeOf(placed);
  const lie = { player: 'alice', seed: '0'.repeat(64) };
  await alice.ask('revealSeed', { id },
    { body: lie, query: { received: 'first' }, reply: 'refused', summary: 'Received, and then refused' });
  await alice.ask('revealSeed', { id }, { body: revelation(alice, placed.round) });
  await anyone.ask('recallRound', { id }, { reply: 'one' });
  await alice.ask('recallPlayer', { player: 'alice' }, { reply: 'one', query: { last: 1 } });
  await operator.ask('exportRounds', {}, { reply: 'one', query: { from, to: from + 1 } });
  await operator.ask('findRounds', {}, { reply: 'one', query: { player: 'alice', from } });
  await operator.ask('findRounds', {}, { reply: 'csv', query: { player: 'alice', from, format: 'csv' } });
  await alice.ask('closeTable', { table }, { body: {}, as: 'one' });
}

/** Waits until a round is void for want of a seed. */
const voided = (client, id) =>
  until(`${id} is void`, async () => (await client.ask('getRound', { id })).round.phase === 'voided');

/** Rounds that do not end as they should: one that the operator voids, one whose seed comes too late. */
async function voids(stage, alice) {
  const { operator, anyone } = stage;
  await operator.ask('openTable', {}, { body: { table: 'joy-2', rules: 'joy' } });
  // Now and then a round is over as it is dealt.
  let dealt;
  do dealt = await deal(alice, 'joy-2', [{ spot: '1', stake: 10 }]);
  while (dealt.round.phase !== 'open');
  await operator.ask('voidRound', { id: dealt.round.id }, { body: { reason: 'reader fault 3' }, as: 'one' });
  const options = { reveal_time_ms: 1000 };
  await operator.ask('openTable', {}, { body: { table: 'joy-3', rules: 'joy', options } });
  const { round } = await alice.ask('placeBet', { table: 'joy-3' },
    { body: await betFor(alice, 'joy-3', [{ spot: '1', stake: 10 }]) });
  await voided(anyone, round.id);
  await anyone.ask('handInLateSeed', { id: round.id }, { body: revelation(alice, round), as: 'one' });
}

module.exports = async (stage, { alice }) => {
  // A round before, so that lists have a page behind their first.
  await standOut(alice, await deal(alice, 'joy-1', [{ spot: '1', stake: 10 }]));
  await readRound(stage, alice, await plainRound(stage, alice));
  await otherChoices(alice);
  await ownTable(stage, alice);
  await voids(stage, alice);
  await stage.operator.ask('listSignificant', {}, { reply: 'one', query: { limit: 3 } });
};
Object.assign(module.exports, { PLAIN, betFor, deal, offered, revelation, standOut, voided });

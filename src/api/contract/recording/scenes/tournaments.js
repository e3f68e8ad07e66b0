// Tournaments: one that is announced and called off, and four that are played as far as their examples go, all at the
// same time. Their structures are those that the product ships, made quick.
'use strict';
const { seatCommitment, seed, commitment } = require('../seeds');
const { until } = require('../programs');

const HOUR = 3_600_000;
// Long enough for all who take part to enter before the start, on a machine that has much to do.
const SOON = 6_000;

/** Of a structure's levels and rows the first two. */
const shortened = structure => ({
  ...structure,
  levels: structure.levels.slice(0, 2),
  payouts: structure.payouts.rows ? { rows: structure.payouts.rows.slice(0, 2) } : structure.payouts,
});
const shortView = view => ({ ...view, structure: shortened(view.structure) });

/** A structure in which two big blinds are a stack, with clocks that nobody waits for. */
function quick(shipped, change = () => {}) {
  const structure = structuredClone(shipped);
  structure.entry.stack = 2 * structure.levels[0].big;
  structure.entry.players_min = 2;
  structure.breaks = { after: [] };
  Object.assign(structure, { guarantee: 0, late_levels: 0, unregister_ms: 0, draw_hands: 0 });
  Object.assign(structure.clocks, { turn_ms: 30_000, commit_ms: 30_000, reveal_ms: 30_000 });
  change(structure);
  return structure;
}

/** From the second level on the blinds are more than the stacks: few hands end it. */
function fewHands(structure, firstLevel) {
  structure.levels[0].ms = firstLevel;
  for (const level of structure.levels.slice(1)) Object.assign(level, { small: 10_000, big: 20_000, ms: 600_000 });
}

/** A tournament and those who play it. */
class Field {
  constructor(stage, event) {
    Object.assign(this, { stage, event, players: [], at: { tournament: event } });
  }

  async announce(structure, names) {
    const body = { tournament: this.event, structure, starts_at: Date.now() + SOON };
    await this.stage.operator.ask('createTournament', {}, { body });
    for (const name of names) this.players.push(await this.stage.player(name, 100_000));
  }

  view(player = this.stage.anyone) {
    return player.ask('getTournament', this.at);
  }

  async register(player, names = {}) {
    const view = await this.view(player);
    const body = { commitment: seatCommitment(view, view.own.next_use, player.name), pay: 'cash' };
    return player.ask('register', this.at, { body, ...names });
  }

  /** The body that reveals a player's seed for the draw that is open, or null where theirs is not awaited. */
  async revelation(player) {
    const view = await this.view(player), { own } = view;
    if (own.reveals_use === null) return null;
    const next = seatCommitment(view, own.next_use, player.name);
    const path = { ...this.at, draw_no: view.draw.draw_no };
    return { path, body: { entry_no: own.entry.entry_no, seed: seed(player.name, this.event, own.reveals_use), next } };
  }

  named(name) {
    return this.players.find(player => player.name === name);
  }

  /** The views of the tables that are open. */
  async tables() {
    const { tables } = await this.stage.anyone.ask('listTournamentTables', this.at);
    const views = [];
    for (const { open, table } of tables)
      if (open) {
        const view = await this.stage.anyone.ask('getTable', { table }, { anyStatus: true });
        if (view.table) views.push(view);
      }
    return views;
  }

  /** Whether no hand is called or in progress. */
  async rests() {
    return (await this.tables()).every(view => view.round === null && view.cash.call === null);
  }

  /** Seeds for a draw, and a step at each table. What comes too late, since the house went on meanwhile, is refused. */
  async step(choice) {
    const late = { anyStatus: true };
    for (const player of this.players) {
      const due = await this.revelation(player);
      if (due) await player.ask('revealSeatSeed', due.path, { body: due.body, ...late });
    }
    for (const view of await this.tables()) {
      if (view.round) await this.#play(view.round, choice, late);
      const call = view.cash.call;
      if (call)
        for (const { player } of view.seats.filter(one => !view.cash.committed.includes(one.player))) {
          const body = { commitment: commitment(view, call.round_no, player) };
          await this.named(player).ask('commitSeed', { id: `${view.table}:${call.round_no}` }, { body, ...late });
        }
    }
  }

  async #play(id, choice, late) {
    const { round } = await this.stage.anyone.ask('getRound', { id });
    const open = round.decisions[0];
    if (open) {
      const action = choice.find(word => open.options.some(option => option.action === word));
      await this.named(open.player).ask('act', { id }, { body: { decision: open.decision, action }, ...late });
    }
    for (const { player } of round.contributors.filter(one => one.seed === null)) {
      const body = { player, seed: seed(player, round.table, round.round_no) };
      await this.named(player).ask('revealSeed', { id }, { body, ...late });
    }
  }

  /** Plays until it is so. */
  async play(what, choice, enough) {
    await until(`${this.event}: ${what}`, async () => {
      if (await enough(await this.view())) return true;
      await this.step(choice);
      return false;
    });
  }

  wait(what, enough) {
    return until(`${this.event}: ${what}`, async () => enough(await this.view()));
  }
}

const PASSIVE = ['check', 'call', 'show'];
const FOLDS = ['fold', 'muck', 'show'];

/** From the registration to the winner. */
async function sitAndGo(stage, shipped) {
  const field = new Field(stage, 'sit'), three = structure => {
    structure.seats = structure.entry.players_min = structure.entry.players_max = 3;
    fewHands(structure, 3_000);
  };
  await field.announce(quick(shipped['sit-and-go'], three), ['sit-a', 'sit-b', 'sit-c']);
  const [a, b, c] = field.players;
  const first = await field.register(a, { as: 'one' });
  await field.register(b);
  await stage.anyone.stream('streamTournament', field.at,
    { after: first.receipts[0].index - 1, events: 1, reply: 'one' });
  await stage.anyone.ask('listTournamentEntries', field.at,
    { reply: 'one', query: { from_seq: 1, limit: 2, proofs: true } });
  await field.register(c);
  await c.ask('unregister', field.at, { reply: 'one' });
  await field.register(c);
  const late = await stage.player('sit-d', 10_000);
  await field.register(late, { code: 'field_full' });
  await late.ask('rebuy', field.at, { body: {}, code: 'not_registered' });
  await field.wait('a draw waits for seeds', view => view.draw);
  await c.ask('unregister', field.at, { code: 'deadline_passed' });
  const summary = 'A first draw waits for the player\'s seed. Of its levels and rows the first two.';
  await a.ask('getTournament', field.at, { reply: 'draw', shown: shortView, summary });
  const [ofA, ofB] = [await field.revelation(a), await field.revelation(b)];
  await a.ask('revealSeatSeed', { ...ofA.path, draw_no: 9 }, { body: ofA.body, code: 'wrong_draw' });
  await a.ask('revealSeatSeed', ofA.path, { body: { ...ofA.body, entry_no: 77 }, code: 'not_an_entrant' });
  await a.ask('revealSeatSeed', ofA.path, { body: ofA.body, query: { received: 'first' }, reply: 'first' });
  await b.ask('revealSeatSeed', ofB.path, { body: ofB.body, as: 'one' });
  await field.play('a table is open', PASSIVE, async () => (await field.tables()).length);
  await stage.anyone.ask('listTournamentTables', field.at, { reply: 'one' });
  await a.ask('takeSeat', { table: 'sit.1' }, { body: {}, code: 'tournament_table' });
  await field.play('it is over', PASSIVE, view => view.summary.stage === 'ended');
  await stage.anyone.ask('listStandings', field.at, { reply: 'one' });
}

/** Chips bought again before the first seat, more of them in a break, and none after the last chip. */
async function rebuys(stage, shipped) {
  const field = new Field(stage, 'rebuy');
  await field.announce(quick(shipped.rebuy, structure => {
    Object.assign(structure.rebuy, { levels: 2, time_ms: 60_000 });
    Object.assign(structure.add_on, { after_level: 1, chips: 50 });
    structure.entry.stack = 5_000;
    structure.breaks.after = [{ level: 1, ms: 4_000 }];
    fewHands(structure, 3_000);
  }), ['re-a', 're-b']);
  const [a, b] = field.players;
  for (const player of field.players) await field.register(player);
  await field.wait('a draw waits for seeds', view => view.draw);
  await a.ask('rebuy', field.at, { body: {}, as: 'one' });
  await field.play('its break', FOLDS, async view => view.clock.in_break && field.rests());
  await b.ask('addOn', field.at, { body: {}, as: 'one' });
  let broke = null;
  await field.play('somebody has no chips', PASSIVE, async () => {
    for (const player of field.players) {
      const { own } = await field.view(player);
      if (own.rebuy_until !== null) broke = { player, entry: own.entry.entry_no };
    }
    return broke;
  });
  await broke.player.ask('declineRebuy', field.at, { body: { entry_no: broke.entry }, as: 'one' });
}

/** Parts of an entry are sold, and a prize is replaced. */
async function stakes(stage, shipped) {
  const field = new Field(stage, 'stakes');
  await field.announce(quick(shipped['freezeout-6']), ['st-a', 'st-b']);
  const [a, b] = field.players;
  for (const player of field.players) await field.register(player);
  await a.ask('offerStake', field.at, { body: { basis_points: 5000 }, as: 'one' });
  await b.ask('buyStake', { ...field.at, seller: 'st-a' }, { body: { basis_points: 1 }, code: 'stake_refused' });
  await b.ask('buyStake', { ...field.at, seller: 'st-a' }, { body: { basis_points: 2500 }, as: 'one' });
  const { payouts } = await field.wait('prizes are final', view => (view.prizes.is_final ? view : null));
  const body = { place: 1, what: 'a car', value: payouts[0].cash };
  await stage.operator.ask('substitutePrize', field.at, { body, as: 'one' });
}

/** Three who are left talk of a deal; then one of them is disqualified. */
async function deal(stage, shipped) {
  const field = new Field(stage, 'deal');
  await field.announce(quick(shipped['freezeout-6'], structure => {
    structure.guarantee = 40_000;
    structure.entry.stack = 10_000;
  }), ['de-a', 'de-b', 'de-c']);
  const [a, b, c] = field.players;
  for (const player of field.players) await field.register(player);
  await field.play('its hands begin', FOLDS, view => view.prizes.is_final && view.tables === 1 && view.draw === null);
  await field.play('a hand is called', FOLDS, async () => !await field.rests());
  for (const player of field.players)
    await player.ask('wantDeal', field.at, { body: { want: true }, as: player === a ? 'one' : undefined });
  await a.ask('proposeDeal', field.at, { body: { method: 'chips' }, code: 'hand_in_progress' });
  await field.play('no hand is in progress', FOLDS, () => field.rests());
  const body = { method: 'amounts', amounts: [[0, 1], [1, 1], [2, 39_998]] };
  const tooFew = { method: 'amounts', amounts: [[0, 1], [1, 1], [2, 1]] };
  await a.ask('proposeDeal', field.at, { body: tooFew, code: 'deal_refused' });
  await a.ask('proposeDeal', field.at, { body, request: 'amounts', reply: 'one' });
  const summary = 'A deal is proposed. Of its levels and rows the first two.';
  const { deal: { proposal } } =
    await stage.anyone.ask('getTournament', field.at, { reply: 'deal', shown: shortView, summary });
  await b.ask('answerDeal', field.at, { body: { digest: proposal.digest, accept: true }, as: 'one' });
  await c.ask('answerDeal', field.at, { body: { digest: proposal.digest, accept: false } });
  for (const player of field.players) await player.ask('wantDeal', field.at, { body: { want: true }, anyStatus: true });
  await field.play('no hand is in progress', FOLDS, () => field.rests());
  await b.ask('proposeDeal', field.at, { body: { method: 'icm' }, request: 'icm' });
  await stage.operator.ask('disqualify', field.at, { body: { player: 'de-c', reason: 'case 4' }, as: 'one' });
}

/** Announced, put off and called off; and one with bounties on some. */
async function beforeTheStart(stage, shipped, alice) {
  const { operator } = stage, at = { tournament: 'friday' };
  const starts = Date.now() + 2 * HOUR;
  const body = { tournament: 'friday', structure: 'freezeout-6', starts_at: starts, registration_from: starts - HOUR };
  await operator.ask('createTournament', {}, { body, request: 'shipped', reply: 'one' });
  await operator.ask('postpone', at, { body: { starts_at: starts + HOUR, reason: 'storm' }, as: 'one' });
  const times = { late_levels: 2, unregister_ms: 1000, reason: 'storm' };
  await operator.ask('changeRegistration', at, { body: times, as: 'one' });
  const tooEarly = { commitment: '0'.repeat(64), pay: 'cash' };
  await alice.ask('register', at, { body: tooEarly, code: 'deadline_ahead' });
  await operator.ask('cancelTournament', at, { body: { instant: 1, reason: 'storm' }, code: 'instant_out_of_range' });
  await operator.ask('cancelTournament', at, { body: { reason: 'storm' }, as: 'one' });
  await alice.ask('register', at, { body: tooEarly, code: 'registration_closed' });
  const falling = structuredClone(shipped['freezeout-6']);
  falling.levels[1].small = 1;
  await operator.ask('createTournament', {},
    { body: { tournament: 'sunday', structure: falling, starts_at: starts }, code: 'structure_refused' });

  const some = quick(shipped['bounty-progressive'], structure => {
    structure.bounty_on = 'some';
  });
  await operator.ask('createTournament', {}, { body: { tournament: 'bounty', structure: some, starts_at: starts } });
  await stage.player('bo-a');
  await operator.ask('setBounty', { tournament: 'bounty' }, { body: { player: 'bo-a', has: true }, as: 'one' });
}

module.exports = async (stage, { alice }) => {
  const { anyone } = stage;
  const first = ({ structures }) =>
    ({ structures: structures.filter(one => one.name === 'freezeout-6').map(shortView) });
  const { structures } = await anyone.ask('listStructures', {},
    { reply: 'one', shown: first, summary: 'Two levels and two rows of one of them.' });
  await anyone.ask('getStructure', { name: 'freezeout-6' },
    { reply: 'one', shown: shortView, summary: 'Of its levels and rows the first two.' });
  const shipped = Object.fromEntries(structures.map(one => [one.name, one.structure]));
  await beforeTheStart(stage, shipped, alice);
  await Promise.all([sitAndGo, rebuys, stakes, deal].map(play => play(stage, shipped)));
  await anyone.ask('listTournaments', {}, { reply: 'one', query: { limit: 2 } });
};

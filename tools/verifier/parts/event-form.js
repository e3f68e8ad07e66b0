// The form of tournaments: structures, commands, events (spec/games/tournaments.md, 2, 14, 15).

const isWords = value => typeof value === 'string';
const isEntryNo = isCount, isTableNo = isSlot;
const isDrawKind = oneOf('first', 'late', 'break', 'final'), isStand = oneOf('crash', 'deal');
const isCancelCause = oneOf('crash', 'too_few_players', 'operator'), isMethod = oneOf('chips', 'icm', 'amounts');
const pairOf = (one, other) => value => isList(value) && value.length === 2 && one(value[0]) && other(value[1]);
const isPlaceAt = pairOf(isTableNo, isSeat), isAmounts = listOf(pairOf(isEntryNo, isAmount));
const isStructure = fieldsOf({
  name: isWords,
  rules: fieldsOf({ name: isWords, digest: isWords }),
  seats: isSeat,
  entry: fieldsOf({
    buy_in: isAmount, fee: isAmount, bounty: isAmount, stack: isAmount, players_min: isAmount, players_max: isAmount,
    entries_per_player: isSeat,
  }),
  guarantee: isAmount,
  late_levels: isSlot,
  'unregister_ms?': isAmount,
  'rebuy?': fieldsOf({
    price: isAmount, fee: isAmount, chips: isAmount, most: isSeat, stack_at_most: isAmount, levels: isSlot,
    time_ms: isAmount,
  }),
  'add_on?': fieldsOf({ price: isAmount, fee: isAmount, chips: isAmount, after_level: isSlot }),
  levels: listOf(fieldsOf({ small: isAmount, big: isAmount, 'third?': isAmount, ante: isAmount, ms: isAmount })),
  breaks: value =>
    fieldsOf({ after: listOf(fieldsOf({ level: isSlot, ms: isAmount })) })(value) ||
    fieldsOf({ synchronised: fieldsOf({ every_ms: isAmount, at_ms: isAmount, ms: isAmount }) })(value),
  payouts: value =>
    fieldsOf({
      rows: listOf(fieldsOf({ from: isAmount, places: listOf(fieldsOf({ to: isAmount, share: isAmount })) })),
    })(value) ||
    fieldsOf({
      satellite: fieldsOf({ target: isWords, buy_in: isAmount, fee: isAmount, non_unregisterable: isBool }),
    })(value),
  bounty_onto_head: oneOf('none', 'half', 'all'),
  bounty_on: oneOf('all', 'some'),
  'deal?': fieldsOf({ most_players: isSeat }),
  staking: isBool,
  hand_for_hand: isSeat,
  final_redraw: isBool,
  clocks: fieldsOf({
    turn_ms: isAmount, bank_ms: isAmount, bank_refill_ms: isAmount, late_extra_ms: isAmount, late_players: isAmount,
    commit_ms: isAmount, reveal_ms: isAmount,
  }),
  draw_hands: isSeat,
  cancel_after_ms: isAmount,
  refund_method: oneOf('document', 'chip_count'),
});

const ofEvent = { event: isName };
const TOURNAMENT_COMMANDS = {
  create: { event: isName, structure: isStructure, rules: isObject, starts_at: isCount, registration_from: isCount },
  register: { event: isName, commitment: isHash, pay: oneOf('cash', 't_dollars', 'ticket') },
  set_bounty: { event: isName, player: isName, has: isBool },
  unregister: ofEvent,
  rebuy: ofEvent,
  decline_rebuy: { event: isName, entry_no: isEntryNo },
  add_on: ofEvent,
  offer_stake: { event: isName, basis_points: isCount },
  buy_stake: { event: isName, seller: isName, basis_points: isCount },
  start: ofEvent,
  call_draw: ofEvent,
  reveal_seat_seed: { event: isName, draw_no: isSlot, entry_no: isEntryNo, seed: isHash, 'next?': isHash },
  draw_seats: { event: isName, draw_no: isSlot },
  move_player: ofEvent,
  next_level: ofEvent,
  settle_hand: { event: isName, table: isTableNo },
  next_round: ofEvent,
  end_registration: ofEvent,
  pay_places: ofEvent,
  pay_bounties: ofEvent,
  start_clock: ofEvent,
  end: ofEvent,
  want_deal: { event: isName, want: isBool },
  propose_deal: { event: isName, method: isMethod, 'amounts?': isAmounts },
  answer_deal: { event: isName, digest: isWords, accept: isBool },
  disqualify: { event: isName, player: isName, reason: isLabel },
  substitute_prize: { event: isName, place: isCount, what: isLabel, value: isAmount },
  change_registration: { event: isName, late_levels: isSlot, 'unregister_ms?': isCount, reason: isLabel },
  postpone: { event: isName, starts_at: isCount, reason: isLabel },
  cancel: { event: isName, cause: isCancelCause, instant: isCount, 'reason?': isLabel },
  pay_refunds: ofEvent,
};

const isEventRank = pairOf(isCount, isCount), ofEntry = { entry_no: isEntryNo };
const TOURNAMENT_EVENTS = {
  created: {
    structure: isStructure, digest: isWords, rules: isObject, starts_at: isCount, registration_from: isCount,
    epoch: isHash,
    tip: isHash,
  },
  registered: {
    entry_no: isEntryNo,
    player: isName,
    commitment: isHash,
    paid_by: fieldsOf({ cash: isAmount, t_dollars: isAmount, ticket: isAmount }),
    bounty: isAmount,
    non_unregisterable: isBool,
  },
  bounty_set: { player: isName, has: isBool },
  unregistered: ofEntry,
  rebought: { entry_no: isEntryNo, chips: isAmount },
  added_on: { entry_no: isEntryNo, chips: isAmount },
  stake_offered: { player: isName, basis_points: isCount },
  stake_sold: { seller: isName, buyer: isName, basis_points: isCount, price: isAmount },
  stakes_divided: ofEntry,
  started: { players: isCount },
  draw_called: { draw_no: isSlot, kind: isDrawKind, 'table?': isTableNo, reveal_by: isCount },
  seat_seed_revealed: { draw_no: isSlot, entry_no: isEntryNo, seed: isHash, 'next?': isHash },
  seats_drawn: { draw_no: isSlot, link: isHash, entropy: isHash, withheld: isCount },
  player_moved: { entry_no: isEntryNo, from: isPlaceAt, to: isPlaceAt },
  level_begun: { level: isSlot },
  break_begun: { until: isCount },
  break_ended: {},
  player_eliminated: { entry_no: isEntryNo, hand: isCount, table: isTableNo, stack: isAmount, distance: isSeat },
  rebuy_awaited: { entry_no: isEntryNo, until: isCount },
  bounty_won: {
    entry_no: isEntryNo,
    winners: listOf(fieldsOf({ entry_no: isEntryNo, to_total: isAmount, onto_head: isAmount })),
  },
  hand_for_hand: { round: isCount },
  registration_ended: { cause: oneOf('schedule', 'full', 'itm'), entries: isCount, places: isCount },
  pool_final: { pool: isAmount, overlay: isAmount },
  prize_paid: {
    entry_no: isEntryNo,
    rank: isEventRank,
    prize: fieldsOf({ 'cash?': isNotZero, 'ticket?': isNotZero, 't_dollars?': isNotZero }),
  },
  bounty_paid: { entry_no: isEntryNo, amount: isAmount },
  deal_wanted: { entry_no: isEntryNo, want: isBool },
  deal_proposed: { method: isMethod, digest: isWords, amounts: isAmounts, answer_by: isCount },
  deal_answered: { entry_no: isEntryNo, accept: isBool },
  deal_made: { amounts: isAmounts },
  deal_off: {},
  player_disqualified: { entry_no: isEntryNo, reason: isLabel },
  prize_substituted: { place: isCount, what: isLabel, value: isAmount },
  registration_changed: { late_levels: isSlot, 'unregister_ms?': isCount },
  postponed: { starts_at: isCount },
  clock_stopped: { cause: isStand },
  clock_started: { cause: isStand },
  // Refunds: spec/games/refunds.md, 7.
  cancelled: {
    cause: isCancelCause, instant: isCount, case: whole(1, 4), method: oneOf('document', 'chip_count'),
    remaining: isCount, pool: isAmount, chips: isAmount, residual: isAmount,
  },
  refunded: { entry_no: isEntryNo, fee: isAmount, bounty: isAmount, pool: isAmount },
  ended: { residual: isAmount },
};

/** A field that is left out where it is 0. */
function isNotZero(value) {
  if (value === 0) unsound('canonical_form', 'an amount that is 0 is left out');
  return isAmount(value);
}

/** One command, or event, of a tournament, by its name. */
const oneOfForms = forms => value => {
  const [[word, inner]] = oneField(value) ? Object.entries(value) : [[]];
  return word !== undefined && Object.hasOwn(forms, word) && forms[word](inner);
};
commandForm.tournament = oneOfForms(formsOf(TOURNAMENT_COMMANDS));
eventForm.tournament = oneOfForms(formsOf(TOURNAMENT_EVENTS));

/** Null, or why a structure of the right form is none (section 2). */
function whyNoStructure(structure) {
  const { entry, rebuy, add_on: addOn, levels, breaks, payouts, clocks, deal } = structure, E12 = 1e12, E9 = 1e9;
  const within = (value, low, high) => value >= low && value <= high;
  const extra = ({ price, fee, chips }) =>
    price <= E12 && fee <= E12 && Math.max(price, fee) > 0 && within(chips, 1, E9);
  const pairs = (list, holds) => list.every((one, i) => !i || holds(list[i - 1], one));
  const blinds = ({ small, big: bigger, third = bigger, ante }) =>
    small >= 1 && small <= bigger && bigger <= third && third <= E9 && ante <= bigger;
  const row = ({ from, places }) =>
    within(places.length, 1, 256) && places[0].to >= 1 &&
    pairs(places, (a, b) => a.to < b.to && a.share >= b.share) &&
    places.every(({ share }) => within(share, 1, 1e6)) && places[places.length - 1].to <= Math.min(from, 10000);
  const after = ({ level, ms }) => within(level, 1, levels.length - 1) && within(ms, 1000, 3600000);
  const { synchronised: sync } = breaks, { satellite } = payouts;
  const checks = [
    [isName(structure.name) && isName(structure.rules.name) && isHash(structure.rules.digest), 'a name, or the digest'],
    [within(entry.buy_in, 1, E12) && entry.fee <= E12 && entry.bounty <= E12, 'what an entry costs'],
    [within(entry.stack, 1, E9) && within(entry.entries_per_player, 1, 100), 'the stack, or the number of entries'],
    [entry.players_min >= 2 && within(entry.players_max, entry.players_min, 20000), 'the number of players'],
    [structure.guarantee <= E12 && (structure.unregister_ms ?? 0) <= WEEK_MS, 'the guarantee, or a time'],
    [entry.bounty || (structure.bounty_onto_head === 'none' && structure.bounty_on === 'all'), 'there is no bounty'],
    [!rebuy || (!entry.bounty && extra(rebuy) && within(rebuy.most, 1, 100) && rebuy.stack_at_most <= E9 &&
      within(rebuy.levels, 1, levels.length - 1) && within(rebuy.time_ms, 1000, 600000)), 'the rebuy'],
    [!addOn || (extra(addOn) && breaks.after && breaks.after.some(({ level }) => level === addOn.after_level)),
      'the add-on'],
    [within(levels.length, 1, 200) && structure.late_levels < levels.length, 'the number of levels'],
    [levels.every(level => blinds(level) && within(level.ms, 1000, DAY_MS)), 'a level'],
    [pairs(levels, (a, b) => a.small <= b.small && a.big <= b.big && (a.third ?? 0) <= (b.third ?? 0)), 'blinds fall'],
    [sync ? sync.ms >= 1000 && sync.every_ms <= DAY_MS && sync.at_ms + sync.ms <= sync.every_ms && sync.ms < sync.every_ms
      : breaks.after.every(after) && pairs(breaks.after, (a, b) => a.level < b.level), 'a break'],
    [satellite ? isName(satellite.target) && satellite.target.length <= 56 && within(satellite.buy_in, 1, E12) &&
        satellite.fee <= E12 && !deal && !structure.staking
      : within(payouts.rows.length, 1, 64) && payouts.rows[0].from <= entry.players_min &&
        pairs(payouts.rows, (a, b) => a.from < b.from) && payouts.rows.every(row), 'the payouts'],
    [within(structure.seats, 2, 10) && (!deal || within(deal.most_players, 2, 10)), 'the seats, or a deal'],
    [structure.hand_for_hand <= 10 && structure.draw_hands <= 8, 'hand_for_hand, or draw_hands'],
    [within(clocks.turn_ms, 1000, 3600000) && clocks.late_players <= 20000, 'the clocks'],
    [Math.max(clocks.bank_ms, clocks.bank_refill_ms, clocks.late_extra_ms) <= 3600000, 'the clocks'],
    [[clocks.commit_ms, clocks.reveal_ms].every(ms => within(ms, 1000, 600000)), 'the times for seeds'],
    [structure.cancel_after_ms <= DAY_MS, 'cancel_after_ms'],
  ];
  const failed = checks.find(([holds]) => !holds);
  return failed ? failed[1] : null;
}

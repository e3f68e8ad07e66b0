// The form of tournaments: structures, commands, events (spec/games/tournaments.md, 2, 14, 15).

const isWords = value => typeof value === 'string';
const isEntryNo = isCount, isTableNo = isSlot;
const isDrawKind = oneOf('first', 'late', 'break', 'final'), isStand = oneOf('crash', 'deal');
const isCancelCause = oneOf('crash', 'too_few_players', 'operator'), isMethod = oneOf('chips', 'icm', 'amounts');
const isNoted = oneOf('rebuy', 'add_on', 'disqualification');
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
    commit_ms: isAmount, reveal_ms: isAmount, 'between_hands_ms?': isAmount,
  }),
  draw_hands: isSeat,
  cancel_after_ms: isAmount,
  refund_method: oneOf('document', 'chip_count'),
});

const ofEvent = { event: isName };
const TOURNAMENT_COMMANDS = {
  create: {
    event: isName, structure: isStructure, rules: value => isRuleForm(value), starts_at: isCount,
    registration_from: isCount,
  },
  register: { event: isName, commitment: isHash, pay: oneOf('cash', 't_dollars', 'ticket') },
  set_bounty: { event: isName, player: isName, has: isBool },
  unregister: ofEvent,
  rebuy: ofEvent,
  decline_rebuy: { event: isName, entry_no: isEntryNo },
  add_on: ofEvent,
  carry_out: { event: isName, entry_no: isEntryNo },
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
    structure: isStructure, digest: isWords, rules: value => isRuleForm(value), starts_at: isCount,
    registration_from: isCount,
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
  noted: { entry_no: isEntryNo, what: isNoted, 'reason?': isLabel },
  note_dropped: { entry_no: isEntryNo, what: isNoted, why: oneOf('stack', 'balance', 'room', 'over') },
  stake_offered: { player: isName, basis_points: isCount },
  stake_sold: { seller: isName, buyer: isName, basis_points: isCount, price: isAmount },
  stakes_divided: ofEntry,
  ticket_returned: { player: isName, value: isAmount },
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
    prize: fieldsOf({
      'cash?': isNotZero, 'ticket?': isNotZero, 't_dollars?': isNotZero, 'substitute?': isNotZero,
    }),
  },
  bounty_paid: { entry_no: isEntryNo, amount: isAmount },
  deal_wanted: { entry_no: isEntryNo, want: isBool },
  deal_proposed: { method: isMethod, digest: isWords, amounts: isAmounts, answer_by: isCount },
  deal_answered: { entry_no: isEntryNo, accept: isBool },
  deal_made: { amounts: isAmounts },
  deal_off: {},
  player_disqualified: { entry_no: isEntryNo, reason: isLabel },
  prize_substituted: { place: isCount, what: isLabel, value: isAmount },
  substitute_accepted: { entry_no: isEntryNo, place: isCount },
  registration_changed: { late_levels: isSlot, 'unregister_ms?': isCount },
  postponed: { starts_at: isCount },
  clock_stopped: { cause: isStand },
  clock_started: { cause: isStand },
  // Refunds: spec/games/refunds.md, 7.
  cancelled: {
    cause: isCancelCause, instant: isCount, case: whole(1, 4), method: oneOf('document', 'chip_count'),
    remaining: isCount, pool: isAmount, chips: isAmount, residual: isAmount,
  },
  refunded: {
    entry_no: isEntryNo, fee: isAmount, bounty: isAmount, pool: isAmount, 'due?': isNotZero, 'bought?': isNotZero,
    'taken?': isNotZero,
  },
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

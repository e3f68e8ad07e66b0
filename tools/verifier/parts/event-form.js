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

Object.assign(NAMED, {
  Structure: isStructure, EntryNo: isEntryNo, Digest: isWords, AnyDigest: isWords,
  Pay: oneOf('cash', 't_dollars', 'ticket'), DealMethod: isMethod, Amounts: isAmounts, CancelCause: isCancelCause,
  Noted: isNoted, DrawKind: isDrawKind, StandCause: isStand, PlaceAt: isPlaceAt, Rank: pairOf(isCount, isCount),
  RegistrationEnd: oneOf('schedule', 'full', 'itm'), BasisPoints: isCount, SoldPoints: isCount, Case: whole(1, 4),
});

/** A field that is left out where it is 0. */
function isNotZero(value) {
  if (value === 0) unsound('canonical_form', 'an amount that is 0 is left out');
  return isAmount(value);
}

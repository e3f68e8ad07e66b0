// An event in a file: its payments when it is cancelled, and when it is played (spec/games/refunds.md, section 9).
// `fault` codes are those of 9.6.

const MOST_CENTS = 1e12, MOST_CHIPS = 1e9;
const MOST_FILE = 8 * 1024 * 1024, MOST_FILE_ENTRIES = 65534;

const times = (a, b) => {
  const product = big(a) * big(b);
  if (product > big(MAX_AMOUNT)) refuseFile('amount_out_of_range', `an amount above ${MAX_AMOUNT}`);
  return Number(product);
};

// --- Forms: a field whose name ends in `?` is optional ---

const hasFields = form => value => {
  if (!isObject(value)) return false;
  const names = Object.keys(form);
  const known = name => names.includes(name) || names.includes(`${name}?`);
  return Object.keys(value).every(known) && names.every(name => {
    const optional = name.endsWith('?'), field = optional ? name.slice(0, -1) : name;
    return Object.hasOwn(value, field) ? form[name](value[field]) : optional;
  });
};
const taggedWith = forms => value => {
  const names = isObject(value) ? Object.keys(value) : [];
  return names.length === 1 && Object.hasOwn(forms, names[0]) && forms[names[0]](value[names[0]]);
};
const isOntoHead = oneOf('none', 'half', 'all'), isRefundMethod = oneOf('document', 'chip_count');
const isRows = listOf(hasFields({ from: isAmount, places: listOf(hasFields({ to: isAmount, share: isAmount })) }));

const WHOLE_STRUCTURE = hasFields({
  name: isText,
  rules: hasFields({ name: isText, digest: isText }),
  seats: isByte,
  entry: hasFields({
    buy_in: isAmount, fee: isAmount, bounty: isAmount, stack: isAmount, players_min: isAmount,
    players_max: isAmount, entries_per_player: isByte,
  }),
  guarantee: isAmount,
  late_levels: isSmall,
  'unregister_ms?': isAmount,
  'rebuy?': hasFields({
    price: isAmount, fee: isAmount, chips: isAmount, most: isByte, stack_at_most: isAmount, levels: isSmall,
    time_ms: isAmount,
  }),
  'add_on?': hasFields({ price: isAmount, fee: isAmount, chips: isAmount, after_level: isSmall }),
  levels: listOf(hasFields({
    small: isAmount, big: isAmount, 'third?': isAmount, ante: isAmount, ms: isAmount,
  })),
  breaks: taggedWith({
    after: listOf(hasFields({ level: isSmall, ms: isAmount })),
    synchronised: hasFields({ every_ms: isAmount, at_ms: isAmount, ms: isAmount }),
  }),
  payouts: taggedWith({
    rows: isRows,
    satellite: hasFields({ target: isText, buy_in: isAmount, fee: isAmount, non_unregisterable: isBool }),
  }),
  bounty_onto_head: isOntoHead,
  bounty_on: oneOf('all', 'some'),
  'deal?': hasFields({ most_players: isByte }),
  staking: isBool,
  hand_for_hand: isByte,
  final_redraw: isBool,
  clocks: hasFields({
    turn_ms: isAmount, bank_ms: isAmount, bank_refill_ms: isAmount, late_extra_ms: isAmount,
    late_players: isAmount, commit_ms: isAmount, reveal_ms: isAmount, 'between_hands_ms?': isAmount,
  }),
  draw_hands: isByte,
  cancel_after_ms: isAmount,
  refund_method: isRefundMethod,
});

const EXTRA = hasFields({ price: isAmount, fee: isAmount, chips: isAmount });
const SHORT_STRUCTURE = hasFields({
  buy_in: isAmount, 'fee?': isAmount, 'bounty?': isAmount, 'bounty_onto_head?': isOntoHead, 'stack?': isAmount,
  'players_max?': isAmount, 'guarantee?': isAmount, 'late?': isAmount, 'rebuy?': EXTRA, 'add_on?': EXTRA,
  'payouts?': taggedWith({
    prizes: listOf(isAmount), shares: listOf(isAmount), rows: isRows,
    satellite: hasFields({ buy_in: isAmount, fee: isAmount }),
  }),
  'refund_method?': isRefundMethod,
});
const HAND_END = hasFields({ at: isAmount, chips: isAmount, 'head?': isAmount, 'won?': isAmount });
const ENTRY_FORM = hasFields({
  'count?': isAmount, 'player?': isName, 'at?': isAmount, 'unregistered?': isBool,
  'pay?': oneOf('cash', 't_dollars', 'ticket'), 't_dollars?': isAmount, 'chips?': isAmount,
  'hands?': listOf(HAND_END), 'may_rebuy?': isBool, 'rebuys?': listOf(isAmount), 'add_on?': isAmount,
  'has_bounty?': isBool, 'head?': isAmount, 'won?': isAmount, 'stakes?': listOf(pairOf(isName, isAmount)),
});
const anything = () => true;
const CANCELLED_FORM = hasFields({
  structure: anything, 'start?': isAmount, 'stops?': listOf(pairOf(isAmount, isAmount)), instant: isAmount,
  entries: listOf(ENTRY_FORM),
});
const PRIZES_FORM = hasFields({
  structure: anything,
  sold: hasFields({
    entries: isAmount, 'players?': isAmount, 'with_bounty?': isAmount, 'rebuys?': isAmount,
    'add_ons?': isAmount,
  }),
  'cut_short?': isBool,
  'bounty?': hasFields({ head: isAmount, 'total?': isAmount, winners: isAmount }),
  'deal?': hasFields({ method: oneOf('chips', 'icm'), chips: listOf(isAmount) }),
});

/** The object of a file, in which all numbers are amounts, and every field stands once. */
function readEventFile(bytes, form) {
  if (bytes.length > MOST_FILE) refuseFile('too_long', `a file is at most ${MOST_FILE} bytes, not ${bytes.length}`);
  const malformed = why => refuseFile('malformed', why);
  let text, file;
  try { text = strictText(bytes, 'the file'); } catch (error) { malformed(error.message); }
  if (!nestedWithin(text, 100)) malformed('nested too deeply');
  try { file = JSON.parse(text); } catch (error) { malformed(error.message); }
  const why = ambiguity(text);
  if (why) malformed(why);
  const isPlain = value => typeof value === 'number' ? isAmount(value)
    : value === null || typeof value !== 'object' || Object.values(value).every(isPlain);
  if (!isPlain(file)) malformed('a number is not an integer from 0 to 2^53 - 1');
  if (!form(file)) malformed('an unknown field, a missing one, or one of another kind');
  return file;
}

// --- Structures ---

const never = (list, falls) => list.every((item, i) => !i || !falls(list[i - 1], item));

/** Why rows of payouts are impossible, or null. */
function whyNoRows(rows, playersMin) {
  if (rows.length < 1 || rows.length > 64) return '1 to 64 rows of payouts';
  if (rows[0].from > playersMin) return 'the first row must begin at players_min or before';
  if (!never(rows, (a, b) => a.from >= b.from)) return 'rows must ascend';
  for (const { from, places } of rows) {
    if (places.length < 1 || places.length > 256) return '1 to 256 ranges of places';
    if (places[0].to < 1) return 'places begin at 1';
    if (!never(places, (a, b) => a.to >= b.to || a.share < b.share)) return 'places must ascend, and shares never rise';
    if (!places.every(({ share }) => share >= 1 && share <= 1e6)) return 'a share is 1 to 10^6';
    if (places[places.length - 1].to > Math.min(from, 10000)) return 'no more places are paid than there are entries';
  }
  return null;
}

/** Why a whole structure is impossible, or null (tournaments.md, section 2). */
function whyNoStructure(given) {
  const { entry, rebuy, add_on: addOn, levels, breaks, payouts, clocks } = given;
  const within = (value, from, to) => value >= from && value <= to;
  const isDigest = unhex(given.rules.digest, 32) !== null;
  if (!isName(given.name) || !isName(given.rules.name) || !isDigest) return 'a name or digest';
  if (!within(entry.buy_in, 1, MOST_CENTS) || Math.max(entry.fee, entry.bounty, given.guarantee) > MOST_CENTS)
    return 'an amount';
  if (!within(entry.stack, 1, MOST_CHIPS) || !within(entry.entries_per_player, 1, 100)) return 'the entry';
  if (entry.players_min < 2 || entry.players_min > entry.players_max || entry.players_max > 20000) return 'players';
  if (given.unregister_ms !== undefined && given.unregister_ms > 604800000) return 'unregister_ms';
  if (!entry.bounty && (given.bounty_onto_head !== 'none' || given.bounty_on !== 'all')) return 'bounties';
  const extra = ({ price, fee, chips }) =>
    Math.max(price, fee) <= MOST_CENTS && Math.max(price, fee) > 0 && within(chips, 1, MOST_CHIPS);
  if (rebuy && (entry.bounty || !extra(rebuy) || !within(rebuy.most, 1, 100) || rebuy.stack_at_most > MOST_CHIPS
    || !within(rebuy.levels, 1, levels.length - 1) || !within(rebuy.time_ms, 1000, 600000))) return 'rebuy';
  if (addOn && (!extra(addOn) || !(breaks.after || []).some(({ level }) => level === addOn.after_level)))
    return 'add_on';
  if (!within(levels.length, 1, 200) || given.late_levels >= levels.length) return 'levels';
  const top = level => (level.third === undefined ? level.big : level.third);
  const wrong = level => level.small < 1 || level.small > level.big || level.big > top(level)
    || top(level) > MOST_CHIPS || level.ante > level.big || !within(level.ms, 1000, 86400000);
  if (levels.some(wrong)) return 'a level';
  if (!never(levels, (a, b) => a.small > b.small || a.big > b.big || (a.third || 0) > (b.third || 0)))
    return 'blinds never fall';
  if (breaks.after && (!never(breaks.after, (a, b) => a.level >= b.level)
    || !breaks.after.every(({ level, ms }) => within(level, 1, levels.length - 1) && within(ms, 1000, 3600000))))
    return 'breaks';
  const same = breaks.synchronised;
  if (same && (same.ms < 1000 || same.every_ms > 86400000 || same.at_ms + same.ms > same.every_ms
    || same.ms >= same.every_ms)) return 'breaks';
  if (payouts.rows && whyNoRows(payouts.rows, entry.players_min)) return 'payouts';
  const { satellite } = payouts;
  if (satellite && (!isName(satellite.target) || satellite.target.length > 56 || satellite.fee > MOST_CENTS
    || !within(satellite.buy_in, 1, MOST_CENTS) || given.deal || given.staking)) return 'the satellite';
  if (!within(given.seats, 2, 10) || (given.deal && !within(given.deal.most_players, 2, 10))) return 'seats or deal';
  if (given.hand_for_hand > 10 || given.draw_hands > 8 || !within(clocks.turn_ms, 1000, 3600000)) return 'play';
  if (Math.max(clocks.bank_ms, clocks.bank_refill_ms, clocks.late_extra_ms) > 3600000) return 'clocks';
  if (clocks.late_players > 20000 || given.cancel_after_ms > 86400000) return 'clocks';
  if ((clocks.between_hands_ms || 0) > 30000) return 'clocks';
  if (![clocks.commit_ms, clocks.reveal_ms].every(ms => within(ms, 1000, 600000))) return 'clocks';
  return null;
}

/** A short structure's payouts, and the sum of prizes named in cents. */
function shortPayouts(payouts = { shares: [1] }) {
  const check = (holds, why) => holdsOr('structure', holds, why);
  if (payouts.satellite) {
    const { buy_in, fee } = payouts.satellite;
    check(buy_in >= 1 && buy_in <= MOST_CENTS && fee <= MOST_CENTS, 'the seat\'s buy_in must be 1 to 10^12');
    return { payouts, fixed: null };
  }
  if (payouts.rows) {
    const why = whyNoRows(payouts.rows, 2);
    check(!why, why);
    return { payouts, fixed: null };
  }
  const list = payouts.prizes || payouts.shares;
  check(list.length >= 1 && list.length <= 10000, '1 to 10000 prizes or shares');
  check(list.every(share => share >= 1 && share <= MOST_CENTS), 'a prize or share is 1 to 10^12');
  check(never(list, (a, b) => a < b), 'prizes and shares never rise');
  const rows = [{ from: 1, places: list.map((share, i) => ({ to: i + 1, share })) }];
  return { payouts: { rows }, fixed: payouts.prizes ? plus(...list) : null };
}

/** The full structure of a short one, as far as money needs it. */
function expandStructure(short) {
  const check = (holds, why) => holdsOr('structure', holds, why);
  check(SHORT_STRUCTURE(short), 'an unknown field, a missing one, or one of another kind');
  const { buy_in, fee = 0, bounty = 0, stack = 0, players_max = 20000, guarantee = 0, late = 0, rebuy } = short;
  check(buy_in >= 1 && buy_in <= MOST_CENTS, 'buy_in must be 1 to 10^12');
  check(Math.max(fee, bounty, guarantee) <= MOST_CENTS, 'fee, bounty and guarantee are at most 10^12');
  check(short.stack === undefined || (stack >= 1 && stack <= MOST_CHIPS), 'stack must be 1 to 10^9');
  check(players_max >= 2 && players_max <= 20000, 'players_max must be 2 to 20000');
  check(late <= 1e12, 'late is at most 10^12');
  const { bounty_onto_head = 'none', refund_method = 'document', add_on } = short;
  check(bounty || bounty_onto_head === 'none', 'without a bounty nothing goes onto a head');
  check(!bounty || !rebuy, 'an event with bounties has no rebuys');
  for (const extra of [rebuy, add_on].filter(Boolean)) {
    const most = Math.max(extra.price, extra.fee);
    check(most > 0 && most <= MOST_CENTS, 'a rebuy or add-on costs something up to 10^12');
    check(extra.chips >= 1 && extra.chips <= MOST_CHIPS, 'a rebuy or add-on brings 1 to 10^9 chips');
  }
  const { payouts, fixed } = shortPayouts(short.payouts);
  const structure = {
    entry: { buy_in, fee, bounty, stack, players_max },
    guarantee,
    late_levels: late ? 1 : 0,
    levels: [{ ms: late }, { ms: 1 }],
    breaks: { after: [] },
    payouts,
    staking: !payouts.satellite,
    bounty_onto_head,
    bounty_on: bounty ? 'some' : 'all',
    refund_method,
    ...(rebuy ? { rebuy: { ...rebuy, most: 100 } } : {}),
    ...(add_on ? { add_on } : {}),
  };
  return { structure, fixed };
}

/** The structure that a file names or holds; `shipped` has the shipped ones by name. */
function structureOfFile(value, shipped) {
  if (isText(value)) {
    const structure = shipped(value);
    holdsOr('structure', structure, `no structure ${value} is shipped`);
    return { structure, fixed: null };
  }
  holdsOr('structure', isObject(value), 'a structure is a name or an object');
  if (!Object.hasOwn(value, 'levels')) return expandStructure(value);
  holdsOr('structure', WHOLE_STRUCTURE(value), 'an unknown field, a missing one, or one of another kind');
  holdsOr('structure', sortedText(value).length <= 65535, 'a structure is at most 65535 bytes');
  const why = whyNoStructure(value);
  holdsOr('structure', !why, `the structure contradicts itself: ${why}`);
  return { structure: value, fixed: null };
}

// --- Entries ---

/** Stakes with their prices. */
function fileStakes(file, structure, form, entryNo, at, price) {
  if (form.stakes === undefined) return [];
  const check = (holds, why) => holdsOr('stakes', holds, `entry ${entryNo}: ${why}`);
  check(structure.staking, 'this structure has no staking');
  check(file.start === undefined || at <= file.start, 'stakes are sold before the start');
  let sold = 0;
  return form.stakes.map(([buyer, basis_points], i) => {
    check(buyer !== form.player, 'nobody buys of themselves');
    sold += basis_points;
    const most = `${sold} basis points are more than 10000, or less than is sold already, or nothing`;
    check(basis_points && sold <= 10000, most);
    check(i < 100, 'an entry has at most 100 stakes');
    const exact = big(basis_points) * big(price);
    check(exact % 10000n === 0n, `the price of ${basis_points} basis points is not whole`);
    return { buyer, basis_points, price: Number(exact / 10000n) };
  });
}

/** An entry's holdings, from one record to the next, up to the instant; later purchases go into `one`. */
function fileRecords(file, structure, form, one, at) {
  const check = (holds, why) => holdsOr('entry', holds, `entry ${one.entry_no}: ${why}`);
  const { stack, bounty } = structure.entry, { hands = [], rebuys = [] } = form;
  check(form.chips === undefined || form.hands === undefined, 'either chips at the instant or hands');
  check(never(hands, (a, b) => a.at >= b.at) && (!hands.length || hands[0].at >= at), 'hands ascend by their times');
  check(never(rebuys, (a, b) => a > b) && (!rebuys.length || rebuys[0] >= at), 'rebuys ascend by their times');
  check(rebuys.length <= (structure.rebuy ? structure.rebuy.most : 0), 'more rebuys than the structure has');
  check(form.add_on === undefined || (structure.add_on && form.add_on >= at), 'an add-on is one that there is');
  const says = ({ head, won }) => head !== undefined || won !== undefined;
  check(bounty || !(hands.some(says) || says(form)), 'this structure has no bounties');
  check(!says(form) || form.hands === undefined, 'with hands, head and won stand with a hand');
  check(form.may_rebuy === undefined || (structure.rebuy && form.chips === 0), 'may_rebuy is for who has 0 chips');

  const [buyIn, fee, own] = one.cost;
  let head = own, won = 0, known = stack > 0 || file.start === undefined;
  let held = { at, chips: Math.max(1, stack), may_rebuy: false, bounty: own, fee, to_pool: buyIn };
  const records = [held], bought = (time, terms) => ({ at: time, order: 1, terms });
  const steps = [
    ...hands.map(hand => ({ at: hand.at, order: 0, hand })),
    ...rebuys.map(time => bought(time, structure.rebuy)),
    ...(form.add_on === undefined ? [] : [bought(form.add_on, structure.add_on)]),
  ].sort((a, b) => a.at - b.at || a.order - b.order);
  for (const { at: time, hand, terms } of steps) {
    if (time > file.instant) {
      if (terms) one.since = [plus(one.since[0], terms.price), plus(one.since[1], terms.fee)];
      continue;
    }
    if (hand) {
      if (hand.head !== undefined) head = hand.head;
      if (hand.won !== undefined) won = hand.won;
      held = { ...held, at: time, chips: hand.chips, bounty: plus(head, won) };
      known = true;
    } else {
      const chips = plus(held.chips, terms.chips), fees = plus(held.fee, terms.fee);
      held = { ...held, at: time, chips, fee: fees, to_pool: plus(held.to_pool, terms.price) };
    }
    records.push(held);
  }
  if (form.chips !== undefined || says(form)) {
    if (form.head !== undefined) head = form.head;
    if (form.won !== undefined) won = form.won;
    held = { ...held, at: file.instant, bounty: plus(head, won) };
    if (form.chips !== undefined) {
      Object.assign(held, { chips: form.chips, may_rebuy: form.may_rebuy === true });
      known = true;
    }
    records.push(held);
  }
  holdsOr('no_chips', known, `entry ${one.entry_no}: nothing says how many chips it had at the instant`);
  return records;
}

function fileEntry(file, structure, form, entryNo) {
  const check = (holds, why) => holdsOr('entry', holds, `entry ${entryNo}: ${why}`);
  const { buy_in, fee, bounty } = structure.entry, has = name => form[name] !== undefined;
  const at = has('at') ? form.at : file.start === undefined ? file.instant : file.start;
  const unregistered = form.unregistered === true;
  const counts = file.start !== undefined && at <= file.instant && !unregistered;
  const played = ['chips', 'hands', 'may_rebuy', 'rebuys', 'add_on', 'head', 'won'].some(has);
  check(counts || !played, 'what is played needs a start, and an entry by the instant that was kept');
  check(!has('has_bounty') || (bounty && structure.bounty_on === 'some'), 'has_bounty is for where some have one');
  const cost = [buy_in, fee, form.has_bounty === false ? 0 : bounty], price = plus(...cost), { pay = 'cash' } = form;
  check(!has('t_dollars') || (pay === 't_dollars' && form.t_dollars >= 1 && form.t_dollars <= price),
    't_dollars is for an entry paid by them');
  const t_dollars = pay !== 't_dollars' ? 0 : has('t_dollars') ? form.t_dollars : price;
  const stakes = fileStakes(file, structure, form, entryNo, at, price);
  const one = {
    entry_no: entryNo, player: form.player, place: unregistered ? 'unregistered' : 'after', cost, pay, t_dollars,
    stakes, since: [0, 0], re_entry: false, held: [],
  };
  if (unregistered || at > file.instant) return one;
  one.held = fileRecords(file, structure, form, one, at);
  one.place = one.held[one.held.length - 1].chips > 0 ? 'in' : 'out';
  return one;
}

function fileEntries(file, structure) {
  const all = [], players = new Map();
  let parts = 0;
  for (const form of file.entries) {
    const entryNo = all.length, { count = 1, player } = form;
    const check = (holds, why) => holdsOr('entry', holds, `entry ${entryNo}: ${why}`);
    check(count >= 1 && all.length + count <= MOST_FILE_ENTRIES, 'at least 1, all entries together at most 65534');
    check(count === 1 || player === undefined, 'one player is one entry: count goes without player');
    for (const name of ['hands', 'rebuys', 'stakes']) parts += form[name] ? form[name].length * count : 0;
    check(parts <= 300000, 'all hands, rebuys and stakes together are at most 300000');
    const first = fileEntry(file, structure, form, entryNo);
    if (player !== undefined && first.place !== 'unregistered') {
      const before = players.get(player);
      players.set(player, first);
      first.re_entry = before !== undefined;
      holdsOr('stakes', !before || !first.stakes.length, `entry ${entryNo}: stakes are of a player's first entry`);
      if (before && first.place !== 'after') { first.stakes = before.stakes; before.stakes = []; }
    }
    all.push(first);
    for (let more = 1; more < count; more++) all.push({ ...first, entry_no: entryNo + more });
  }
  const inPlay = new Set();
  for (const { entry_no, player } of all.filter(({ place, player: named }) => place === 'in' && named !== undefined)) {
    holdsOr('entry', !inPlay.has(player), `entry ${entry_no}: its player has another entry in play`);
    inPlay.add(player);
  }
  return all;
}

// --- Payments ---

/** Whether the paid places were reached while one could still enter; null: not reached. */
function moneyOfFile(structure, file, all) {
  const { start, instant, stops = [] } = file, records = [];
  for (const one of all) {
    let before = { chips: 0, may_rebuy: false, to_pool: 0 };
    one.held.forEach((held, i) => {
      const left = ({ chips, may_rebuy }) => (chips > 0 || may_rebuy ? 1 : 0);
      const first = i === 0 ? 1 : 0;
      records.push({
        at: held.at, entries: first, players: first && !one.re_entry ? 1 : 0,
        remaining: left(held) - left(before), collected: held.to_pool - before.to_pool,
      });
      before = held;
    });
  }
  records.sort((a, b) => a.at - b.at);
  const field = { entries: 0, players: 0, remaining: 0, collected: 0 };
  const look = moment => {
    const before = stops.filter(([from]) => from < moment).map(([from, until]) => [from, Math.min(until, moment)]);
    const running = runningTime(structure, start, before, moment);
    return inTheMoney(structure, { ...field, running }) ? wouldCutShort(structure, field.players, running) : null;
  };
  let begun = false, money = null;
  for (let i = 0; i < records.length;) {
    const moment = records[i].at;
    if (!begun && moment > start) money = look(start);
    begun = moment >= start;
    if (money !== null) return money;
    for (; i < records.length && records[i].at === moment; i++)
      for (const name of Object.keys(field)) field[name] += records[i][name];
    if (begun) money = look(moment);
    if (money !== null) return money;
  }
  if (!begun) money = look(start);
  return money === null ? look(instant) : money;
}

const CASE_RULES = { 1: 'R001.27', 2: 'R001.28', 3: 'R001.29', 4: 'R001.30' };
function caseWords(kind, method) {
  const left = method === 'document' ? 'the next prize, the rest of the prizes left by chips'
    : 'the prizes left by chips';
  if (kind === 1) return 'not started: all that was paid comes back';
  if (kind === 2)
    return `started, not in the money: fee and bounty, ${method === 'document'
      ? 'half of the pool in equal parts, half by chips' : 'the pool by chips'}`;
  if (kind === 3) return `in the money: fee and bounty, ${left}`;
  return `in the money while late registration was open: prizes of what was collected; fee and bounty, ${left}`;
}

function stakesOfPayment(one, of, cash, back) {
  if (!one.stakes.length) return {};
  const escrow = plus(...one.stakes.map(({ price }) => price));
  const { buyers: paid } = stakeDivision(back ? 'ticket' : 'cash', of, one.stakes);
  const buyers = one.stakes.map(({ buyer, basis_points, price }, i) => {
    const exact = back ? [big(price), 1n] : reduced(big(of) * big(basis_points), 10000n);
    return { buyer, basis_points, price, exact: exact.map(String), paid: paid[i] };
  });
  return { stakes: {
    form: back ? 'escrow_back' : 'divided', of, escrow, buyers,
    seller: back ? of : of - sum(paid),
    seller_escrow: back ? 0 : escrow,
    seller_cash: minus(plus(cash, escrow), sum(paid)),
  } };
}

function paymentOfFile(one, part) {
  const { place, cost, since, pay } = one, whole = !part && place !== 'out';
  const [buyIn, fee, bounty] = part ? [0, part.fee, part.bounty] : whole ? cost : [0, 0, 0];
  const pool = part ? part.pool : 0, shared = plus(buyIn, fee, bounty, pool);
  let ticket = 0, t_dollars = 0;
  if (pay === 'ticket') { if (part) t_dollars = cost[1]; else ticket = shared; }
  if (pay === 't_dollars' && part) t_dollars = Math.min(cost[1], Math.max(0, one.t_dollars - cost[0]));
  if (pay === 't_dollars' && whole) t_dollars = one.t_dollars;
  const total = plus(shared, ...since), cash = total - ticket - t_dollars, other = ticket + t_dollars;
  const back = place === 'unregistered' || (whole ? pay !== 'cash' : other > 0 && other === shared);
  const why = { in: part ? 'remaining' : 'registered', out: 'eliminated', after: 'after_instant' }[place] || place;
  return {
    entry_no: one.entry_no,
    ...(one.player === undefined ? {} : { player: one.player }),
    why,
    chips: part ? one.held[one.held.length - 1].chips : 0,
    buy_in: plus(buyIn, since[0]), fee: plus(fee, since[1]), bounty, pool,
    exact: part ? part.exact : ['0', '1'],
    total, cash, t_dollars, ticket,
    ...stakesOfPayment(one, shared, cash, back),
  };
}

/** The payments of a file's cancelled event (9.4). */
function cancelledFile(bytes, shipped) {
  const file = readEventFile(bytes, CANCELLED_FORM);
  const { structure, fixed } = structureOfFile(file.structure, shipped), { start, instant, stops = [] } = file;
  const started = start !== undefined;
  holdsOr('times', !started || instant >= start, 'the instant is not before the start');
  const first = started ? start : 0;
  const inOrder = stops.every(([from, until], i) => from <= until && from >= (i ? stops[i - 1][1] : first));
  holdsOr('times', stops.length <= 1000 && inOrder && (started || !stops.length), 'at most 1000 stops, that ascend');
  const all = fileEntries(file, structure), counted = all.filter(({ held }) => held.length);
  const last = ({ held }) => held[held.length - 1], left = counted.filter(({ place }) => place === 'in');
  const total = (list, of) => plus(...list.map(of));
  const collected = {
    pool: total(counted, one => last(one).to_pool), fees: total(counted, one => last(one).fee),
    bounties: total(counted, one => one.cost[2]),
  };
  const players = counted.filter(({ re_entry }) => !re_entry).length, entries = counted.length;
  const cutShort = started ? moneyOfFile(structure, file, counted) : null;
  const kind = !started ? 1 : cutShort === null ? 2 : cutShort ? 4 : 3, method = structure.refund_method;
  const missing = Math.max(0, structure.guarantee - collected.pool), used = kind === 3 ? missing : 0;
  const whole = plus(collected.pool, used), inMoney = kind > 2;
  const table = inMoney ? prizeTable(structure, entries, players, whole) : { prizes: [], residual: 0 };
  const worth = ({ seat, cash }) => cash + (seat ? seatValue(structure) : 0);
  const prizes = inMoney ? left.map((_, i) => (table.prizes[i] ? worth(table.prizes[i]) : 0)) : [];
  const pool = kind === 1 ? 0 : kind === 2 ? collected.pool : total(prizes, prize => prize);
  holdsOr('nobody', kind === 1 || left.length, 'the event has started, and nobody has chips at the instant');
  const rest = { fees_to_house: 0, awarded: 0, cut_of_prizes: 0, bounties_paid: 0 };
  if (kind > 1) {
    const bounties = total(left, one => last(one).bounty);
    holdsOr('bounties', bounties <= collected.bounties,
      `bounties of ${bounties} are to be refunded, ${collected.bounties} were collected`);
    rest.bounties_paid = collected.bounties - bounties;
    rest.fees_to_house = minus(collected.fees, total(left, one => last(one).fee));
  }
  if (inMoney) {
    const remaining = counted.filter(one => last(one).chips > 0 || last(one).may_rebuy).length;
    holdsOr('over', remaining > endsWith(structure, players, whole),
      `with ${remaining} left the event is over (R001.19): prizes are paid, nothing is refunded`);
    holdsOr('prizes', fixed === null || kind !== 3 || fixed === whole, `the prizes come to ${fixed}, not to ${whole}`);
    rest.cut_of_prizes = table.residual;
    rest.awarded = whole - pool - table.residual;
  }
  const given = { case: kind, method, pool, prizes, players: left.map(one => {
    const { chips, fee, bounty } = last(one);
    return { entry_no: one.entry_no, chips, fee, bounty };
  }) };
  const out = kind === 1 ? { chips: 0, residual: 0, payments: [] } : eventRefund(given);
  const parts = new Map(out.payments.map(part => [part.entry_no, part]));
  const payments = all.map(one => paymentOfFile(one, parts.get(one.entry_no)));
  const check = {
    payments: total(payments, payment => payment.total), residual: out.residual, pool,
    buy_ins: total(payments, payment => payment.buy_in), fees: total(payments, payment => payment.fee),
    bounties: total(payments, payment => payment.bounty),
  };
  const holds =
    plus(check.payments, check.residual) === plus(check.pool, check.buy_ins, check.fees, check.bounties);
  return {
    case: kind, rule: CASE_RULES[kind], words: caseWords(kind, method), method, instant, entries, players,
    remaining: left.length, chips: out.chips, collected, overlay: { used, unused: kind > 1 ? missing - used : 0 },
    pool, prizes, residual: out.residual, rest, payments, sum: { ...check, holds },
  };
}

/** The payments of a file's event that is played to its end (9.5). */
function prizesFile(bytes, shipped) {
  const file = readEventFile(bytes, PRIZES_FORM), { structure, fixed } = structureOfFile(file.structure, shipped);
  const { entries, rebuys = 0, add_ons = 0 } = file.sold;
  const { players = entries, with_bounty = entries } = file.sold, cut = file.cut_short === true;
  const possible = entries >= 1 && entries <= MOST_FILE_ENTRIES && players >= 1 && players <= entries
    && with_bounty <= entries && add_ons <= entries && (!rebuys || structure.rebuy) && (!add_ons || structure.add_on);
  holdsOr('entry', possible, 'sold: 1 to 65534 entries, no more players, bounties and add-ons than these');
  const { entry, rebuy, add_on } = structure;
  const total = (of, extra) => plus(times(entries, entry[of]), rebuy ? times(rebuys, rebuy[extra]) : 0,
    add_on ? times(add_ons, add_on[extra]) : 0);
  const collected = {
    pool: total('buy_in', 'price'), fees: total('fee', 'fee'), bounties: times(with_bounty, entry.bounty),
  };
  total('stack', 'chips');
  const overlay = cut ? 0 : Math.max(0, structure.guarantee - collected.pool), pool = plus(collected.pool, overlay);
  holdsOr('prizes', fixed === null || cut || fixed === pool, `the prizes come to ${fixed}, not to ${pool}`);
  const table = prizeTable(structure, entries, players, pool), { satellite } = structure.payouts;
  const seats = table.prizes.filter(({ seat }) => seat).length, all = seats === players;
  const shares = satellite ? [] : placeShares(structure, entries, players);
  const parts = shares.reduce((a, b) => a + big(b), 0n);
  const exact = i => (!satellite ? reduced(big(pool) * big(shares[i]), parts)
    : all ? reduced(big(pool - times(seats, seatValue(structure))), big(seats)) : [big(table.prizes[i].cash), 1n]);
  return {
    collected, overlay, pool,
    prizes: table.prizes.map(({ seat, cash }, i) => ({ place: i + 1, seat, exact: exact(i).map(String), cash })),
    residual: table.residual,
    ...(satellite ? { seat: {
      ticket: seatValue(structure), further_t_dollars: satellite.buy_in, further_to_house: satellite.fee,
      closed_t_dollars: seatValue(structure),
    } } : {}),
    ...(file.bounty ? { bounty: bountyOfFile(structure, file.bounty) } : {}),
    ...(file.deal ? { deal: dealOfFile(table.prizes, file.deal, satellite) } : {}),
  };
}

function bountyOfFile({ bounty_onto_head }, { head, total = 0, winners }) {
  holdsOr('won', winners >= 1 && winners <= 9, '1 to 9 winners share a bounty');
  plus(head, total);
  const totals = splitEqually(total, winners);
  return splitEqually(head, winners).map((part, i) => {
    const cashed = { none: part, half: Math.floor(part / 2), all: 0 }[bounty_onto_head];
    return { to_total: plus(cashed, totals[i]), onto_head: part - cashed };
  });
}

function dealOfFile(table, { method, chips }, satellite) {
  holdsOr('deal', !satellite, 'a satellite has no deals');
  holdsOr('deal', chips.length >= 2 && chips.length <= 10, `${chips.length} players: 2 to 10 can make a deal`);
  holdsOr('deal', chips.every(own => own > 0), 'somebody has no chips');
  holdsOr('deal', sum(chips) <= MAX_AMOUNT, 'an amount above 2^53 - 1');
  const prizes = chips.map((_, i) => (table[i] ? table[i].cash : 0));
  const { exact, paid } = dealShares(method, chips.map((own, entry_no) => ({ entry_no, chips: own })), prizes);
  return chips.map((own, i) => ({ chips: own, exact: exact[i].map(String), paid: paid[i] }));
}

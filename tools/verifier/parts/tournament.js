// Tournaments: seats, tables, clock, prizes, ranks, bounties, deals, stakes, refunds (spec/games/tournaments.md,
// spec/games/refunds.md). Amounts are numbers below 2^53; products are computed in BigInt, and a fraction is a pair of
// BigInts in lowest terms.

const LAST_DRAW = 65535;
const big = BigInt;
const floorOf = ([over, under]) => Number(over / under);

/** A file has no result, with the reason. */
class FileRefusal extends Unusable {
  constructor(code, message) { super(`${code}: ${message}`); this.code = code; }
}
const refuseFile = (code, message) => { throw new FileRefusal(code, message); };
const holdsOr = (code, holds, message) => { if (!holds) refuseFile(code, message); };

/** A sum of amounts, which must be an amount. */
const plus = (...amounts) => amounts.reduce((total, amount) => {
  const next = total + amount;
  if (next > MAX_AMOUNT) refuseFile('amount_out_of_range', `an amount above ${MAX_AMOUNT}, or below zero`);
  return next;
}, 0);
const minus = (from, less) => {
  if (less > from) refuseFile('amount_out_of_range', `an amount above ${MAX_AMOUNT}, or below zero`);
  return from - less;
};

/** A fraction of BigInts in lowest terms. */
function reduced(over, under) {
  let [a, b] = [over, under];
  while (b) [a, b] = [b, a % b];
  return [over / a, under / a];
}

const structureDigest = structure => hex(sha256(concat(label('structure'), ascii(sortedText(structure)))));

// --- Draws (section 3) ---

const linkBefore = (dctx, drawNo, link) => sha256(concat(label('draw-chain'), dctx, u64(drawNo), link));

/** All links of an event's chain, and the tip. */
function drawChain(master, dctx) {
  const links = [];
  let link = hmac(master, concat(label('draw-seed'), dctx));
  for (let d = LAST_DRAW; d >= 0; d--) { links[d] = link; link = linkBefore(dctx, d, link); }
  return { links, tip: link };
}

const seatCommitment = (dctx, { use, player, seed }) =>
  hex(sha256(concat(label('seat-seed'), dctx, u16(use), lp(ascii(player)), unhex(seed, 32))));

const runningAfterHand = (running, entropy) => sha256(concat(label('event-entropy'), running, unhex(entropy, 32)));

/** E_d: over the entrants whose seed is published. */
function drawEntropy(dctx, drawNo, link, running, entrants) {
  const out = entrants.filter(({ seed }) => seed !== undefined).sort((a, b) => a.entry_no - b.entry_no);
  return sha256(concat(label('draw'), dctx, u64(drawNo), link, running, u16(out.length),
    ...out.flatMap(({ entry_no, player, seed }) => [u64(entry_no), lp(ascii(player)), unhex(seed, 32)])));
}

/** A table's seats, free and taken, as `players: {seat: entry}`. */
const takenSeats = table => Object.keys(table.players).map(Number).sort((a, b) => a - b);
const sizeOf = table => Object.keys(table.players).length;
const allSeats = field => Array.from({ length: field.seats }, (_, i) => i + 1);

function openEventTable(field) {
  const table = { table: ++field.last_table, last_big: 0, players: {} };
  field.tables.push(table);
  return table;
}

function drawButton(stream, table) {
  const taken = takenSeats(table), button = taken[below(stream, taken.length)];
  const next = taken.find(seat => seat > button);
  table.first_button = button;
  table.last_big = taken.length < 3 ? button : next === undefined ? taken[0] : next;
}

/** The seats of a draw; `field` is changed. */
function drawSeats(entropy, kind, entrants, field) {
  const stream = new Stream(entropy), list = shuffle(stream, entrants.slice().sort((a, b) => a - b));
  if (kind === 'first' || kind === 'final') {
    const count = Math.ceil(list.length / field.seats);
    field.tables = [];
    for (let t = 0; t < count; t++) {
      const seats = shuffle(stream, allSeats(field)), table = openEventTable(field);
      for (let p = t; p < list.length; p += count) table.players[seats[(p - t) / count]] = list[p];
      drawButton(stream, table);
    }
    return;
  }
  const opened = [];
  for (const entry of list) {
    let open = field.tables.filter(table => sizeOf(table) < field.seats);
    if (!open.length) { open = [openEventTable(field)]; opened.push(open[0]); }
    const least = Math.min(...open.map(sizeOf));
    open = open.filter(table => sizeOf(table) === least).sort((a, b) => a.table - b.table);
    const table = open[below(stream, open.length)];
    const free = allSeats(field).filter(seat => table.players[seat] === undefined);
    table.players[free[below(stream, free.length)]] = entry;
  }
  for (const table of opened) drawButton(stream, table);
}

// --- Tables (section 6) ---

/** The number of players who post the big blind before this seat would. */
function blindDistance(table, seat) {
  const ahead = of => (of - table.last_big - 1 + 256) % 256;
  return takenSeats(table).filter(other => ahead(other) < ahead(seat)).length;
}

/** The step that is due: `{break}`, `{move}` or null. */
function seatingDue(field) {
  const { tables, seats } = field, all = sum(tables.map(sizeOf));
  const least = tables.reduce((best, table) => (sizeOf(table) < sizeOf(best) ? table : best));
  if (tables.length > Math.max(1, Math.ceil(all / seats))) {
    return { break: Math.max(...tables.filter(t => sizeOf(t) === sizeOf(least)).map(t => t.table)) };
  }
  const most = tables.reduce((best, table) => (sizeOf(table) >= sizeOf(best) ? table : best));
  if (sizeOf(most) < sizeOf(least) + 2) return null;
  const pairs = [];
  for (const seat of takenSeats(most)) {
    const now = blindDistance(most, seat);
    for (let free = 1; free <= seats; free++) {
      if (least.players[free] !== undefined) continue;
      const then = blindDistance(least, free);
      pairs.push([Math.abs(now - then), then, now, free, seat]);
    }
  }
  pairs.sort((a, b) => a.map((x, i) => x - b[i]).find(x => x) || 0);
  const [, , , to, seat] = pairs[0];
  return { move: { entry_no: most.players[seat], from: [most.table, seat], to: [least.table, to] } };
}

// --- Clock (section 5) ---

/** The part of the time up to `time` that lay in synchronised breaks. */
function brokenUpTo({ synchronised }, time) {
  if (!synchronised) return 0;
  const { every_ms: every, at_ms: at, ms } = synchronised;
  return Math.floor(time / every) * ms + Math.min(ms, Math.max(0, (time % every) - at));
}

function runningTime(structure, start, stops, now) {
  const broken = (from, until) => brokenUpTo(structure.breaks, until) - brokenUpTo(structure.breaks, from);
  return now - start - broken(start, now) - sum(stops.map(([from, until]) => until - from - broken(from, until)));
}

/** Levels and the breaks after them: `{level, pause, from, until}`; the last level has no end. */
function clockParts({ levels, breaks }) {
  const parts = [];
  let at = 0;
  levels.forEach(({ ms }, i) => {
    const last = i + 1 === levels.length, pause = !last && (breaks.after || []).find(({ level }) => level === i + 1);
    parts.push({ level: i + 1, pause: false, from: at, until: last ? Infinity : at + ms });
    at += ms;
    if (pause) { parts.push({ level: i + 1, pause: true, from: at, until: at + pause.ms }); at += pause.ms; }
  });
  return parts;
}

const withinLevels = (structure, levels, running) => clockParts(structure)
  .some(({ level, pause, until }) => level === levels && !pause && running < until && until !== Infinity);

function clockAt(structure, running, now) {
  const parts = clockParts(structure), here = parts.find(({ until }) => running < until);
  const next = parts.find(({ level, pause }) => level === here.level + 1 && !pause);
  let inBreak = here.pause;
  const later = parts.find(({ pause, from }) => pause && from > running);
  const ahead = here.pause ? here.until : later ? later.from : null;
  let toBreak = ahead === null ? null : ahead - running;
  const { synchronised } = structure.breaks;
  if (synchronised) {
    const { every_ms: every, at_ms: at, ms } = synchronised, within = now % every;
    inBreak = within >= at && within < at + ms;
    toBreak = inBreak ? at + ms - within : within < at ? at - within : every - within + at;
  }
  return { level: here.level, in_break: inBreak, to_next_level: next ? next.from - running : null, to_break: toBreak };
}

// --- Entry and prizes (sections 4 and 9) ---

const seatValue = ({ payouts: { satellite } }) => (satellite ? satellite.buy_in + satellite.fee : 0);

/** The share of each place that is paid. */
function placeShares({ payouts: { rows } }, entries, players) {
  const { places } = rows.filter(({ from }) => from <= entries).pop() || rows[0], shares = [];
  for (const { to, share } of places) while (shares.length < to) shares.push(share);
  return shares.slice(0, players);
}

/** `{prizes: [{seat, cash}], residual}`. */
function prizeTable(structure, entries, players, pool) {
  if (structure.payouts.satellite) {
    const value = seatValue(structure), seats = Math.min(Math.floor(pool / value), players);
    const rest = pool - seats * value;
    const all = seats === players;
    const prizes = Array.from({ length: seats }, () => ({ seat: true, cash: all ? Math.floor(rest / seats) : 0 }));
    if (!all && rest) prizes.push({ seat: false, cash: rest });
    return { prizes, residual: all ? rest % seats : 0 };
  }
  const shares = placeShares(structure, entries, players), parts = shares.reduce((a, b) => a + big(b), 0n);
  const prizes = shares.map(share => ({ seat: false, cash: Number(big(pool) * big(share) / parts) }));
  return { prizes, residual: pool - sum(prizes.map(({ cash }) => cash)) };
}

/** The number of places with a prize: needed after every entry, so no table is made for it. */
function placesPaid(structure, entries, players, pool) {
  const { rows } = structure.payouts, value = seatValue(structure);
  if (!rows) {
    const seats = Math.min(Math.floor(pool / value), players);
    return seats + (seats < players && pool > seats * value ? 1 : 0);
  }
  const { places } = rows.filter(({ from }) => from <= entries).pop() || rows[0];
  return Math.min(places[places.length - 1].to, players);
}
const endsWith = (structure, players, pool) =>
  (structure.payouts.satellite ? Math.max(1, Math.min(Math.floor(pool / seatValue(structure)), players)) : 1);

/** The amount of each player who ties over places `first` to `last`, and the fractions cut. */
function tiedPrize({ prizes }, value, first, last) {
  const places = Array.from({ length: last - first + 1 }, (_, i) => prizes[first - 1 + i] || { seat: false, cash: 0 });
  if (places.every(({ seat, cash }) => seat === places[0].seat && cash === places[0].cash)) return [places[0], 0];
  const total = sum(places.map(({ seat, cash }) => cash + (seat ? value : 0)));
  return [{ seat: false, cash: Math.floor(total / places.length) }, total % places.length];
}

/** The amounts collected for pool, fees and bounties, and in chips. */
function collectedOf({ entry, rebuy, add_on }, sold) {
  const ofExtra = (terms, name) => (terms ? terms[name] : 0);
  const total = (of, extra) =>
    sold.entries * entry[of] + sold.rebuys * ofExtra(rebuy, extra) + sold.add_ons * ofExtra(add_on, extra);
  const bounties = sold.with_bounty * entry.bounty;
  return { pool: total('buy_in', 'price'), fees: total('fee', 'fee'), bounties, chips: total('stack', 'chips') };
}

/** Whether the paid places would cut late registration short now, and so remove the guarantee. */
const wouldCutShort = (structure, players, running) =>
  withinLevels(structure, structure.late_levels, running) && players < structure.entry.players_max;

/** Whether the paid places are reached. */
function inTheMoney(structure, { entries, players, remaining, running, collected }) {
  const pool = wouldCutShort(structure, players, running) ? collected : Math.max(collected, structure.guarantee);
  return remaining <= placesPaid(structure, entries, players, pool);
}

/** Why registration is closed, or null. */
function registrationClosed(structure, field) {
  const { entries, players, running, was_itm } = field, started = running !== null;
  if (started && !withinLevels(structure, structure.late_levels, running)) return 'schedule';
  if (players >= structure.entry.players_max) return 'full';
  const collected = entries * structure.entry.buy_in;
  return was_itm || (started && inTheMoney(structure, { ...field, collected })) ? 'itm' : null;
}

/** Ranks as `{entry_no: [first, last]}` (section 7). */
function eliminationRanks(remaining, eliminations) {
  const ranked = {}, left = eliminations.slice();
  left.sort((a, b) => b.hand - a.hand || b.stack - a.stack || a.distance - b.distance);
  let place = remaining;
  while (left.length) {
    const equal = left.filter(({ hand, stack }) => hand === left[0].hand && stack === left[0].stack);
    left.splice(0, equal.length);
    const tie = equal.some(({ table }) => table !== equal[0].table);
    equal.forEach(({ entry_no }, i) => {
      ranked[entry_no] = tie ? [place + 1, place + equal.length] : [place + 1 + i, place + 1 + i];
    });
    place += equal.length;
  }
  return ranked;
}

// --- Bounties, deals, stakes (sections 10 to 12) ---

/** Equal parts, the odd units one each to the first. */
const splitEqually = (whole, among) =>
  Array.from({ length: among }, (_, i) => Math.floor(whole / among) + (i < whole % among ? 1 : 0));

class EventBounties {
  constructor(ontoHead, heads) {
    this.ontoHead = ontoHead;
    this.of = new Map(heads.map((head, entry) => [entry, { head, won: 0 }]));
    this.paid = new Map();
    this.inTheMoney = false;
  }
  pay(entry, cents) { if (cents) this.paid.set(entry, (this.paid.get(entry) || 0) + cents); }
  payTotals() { for (const [entry, bounty] of this.of) { this.pay(entry, bounty.won); bounty.won = 0; } }
  eliminate(out, winners, paidPlace) {
    const fallen = this.of.get(out);
    this.of.delete(out);
    const heads = splitEqually(fallen.head, winners.length);
    const totals = splitEqually(paidPlace ? 0 : fallen.won, winners.length);
    winners.forEach((winner, i) => {
      const bounty = this.of.get(winner);
      const cashed = { none: heads[i], half: Math.floor(heads[i] / 2), all: 0 }[this.ontoHead];
      bounty.won += cashed + totals[i];
      bounty.head += heads[i] - cashed;
    });
    if (paidPlace) this.pay(out, fallen.won);
  }
  disqualify(out) {
    const fallen = this.of.get(out);
    this.of.delete(out);
    const others = [...this.of.keys()].sort((a, b) => a - b);
    splitEqually(fallen.head + fallen.won, others.length).forEach((part, i) => { this.of.get(others[i]).won += part; });
  }
  standing() { return [...this.of].sort(([a], [b]) => a - b).map(([entry, { head, won }]) => [entry, head, won]); }
  reachMoney() { this.inTheMoney = true; this.payTotals(); }
  endHand() { if (this.inTheMoney) this.payTotals(); }
  finish() { this.payTotals(); for (const [entry, { head }] of this.of) this.pay(entry, head); this.of.clear(); }
}

/** The value of each stack by the chances of its chips, as fractions: sets of players are bits. */
function icmShares(chips, prizes) {
  const least = prizes[prizes.length - 1], above = prizes.map(prize => big(prize - least)).filter(prize => prize > 0n);
  const stacks = chips.map(big), total = stacks.reduce((a, b) => a + b);
  const left = set => stacks.reduce((rest, stack, i) => (set >> i & 1 ? rest - stack : rest), total);
  // chance[set] = [over, under]: the chance that these are the first to place.
  let chance = new Map([[0, [1n, 1n]]]);
  const worth = chips.map(() => [big(least), 1n]);
  const plus = ([a, b], [c, d]) => reduced(a * d + c * b, b * d);
  for (const prize of above) {
    const next = new Map();
    for (const [set, [over, under]] of chance) {
      stacks.forEach((stack, i) => {
        if (set >> i & 1) return;
        const step = reduced(over * stack, under * left(set)), grown = set | 1 << i;
        worth[i] = plus(worth[i], [step[0] * prize, step[1]]);
        next.set(grown, next.has(grown) ? plus(next.get(grown), step) : step);
      });
    }
    chance = next;
  }
  return worth;
}

/** A deal: exact fractions, and the cents of each. */
function dealShares(method, players, prizes) {
  const chips = players.map(player => player.chips), least = prizes[prizes.length - 1];
  const pool = sum(prizes), all = big(sum(chips));
  const exact = method === 'icm' ? icmShares(chips, prizes)
    : chips.map(own => reduced(big(least) * all + big(pool - least * prizes.length) * big(own), all));
  const paid = exact.map(floorOf);
  const order = players.map((_, i) => i);
  order.sort((a, b) => chips[b] - chips[a] || players[a].entry_no - players[b].entry_no);
  for (const i of order.slice(0, pool - sum(paid))) paid[i]++;
  return { exact, paid };
}

/** The division of the event's payment to a seller; with a ticket the escrow goes back. */
function stakeDivision(form, total, stakes) {
  const escrow = sum(stakes.map(({ price }) => price));
  if (form !== 'cash') return { buyers: stakes.map(({ price }) => price), seller: 0, seller_escrow: 0 };
  // A state that is taken as given may say so.
  const sold = sum(stakes.map(({ basis_points }) => basis_points));
  if (sold > 10000) broken(`${sold} basis points of one entry are sold`);
  const buyers = stakes.map(({ basis_points }) => Number(big(basis_points) * big(total) / 10000n));
  return { buyers, seller: total - sum(buyers), seller_escrow: escrow };
}

// --- Refunds ---

/** The inputs for which no refund exists (refunds.md, 8). */
function checkRefund({ case: kind, pool, prizes, players }) {
  holdsOr('nobody', players.length, 'a refund is for those who are left: nobody is');
  const seen = new Set();
  for (const { entry_no, chips } of players) {
    const once = !seen.has(entry_no) && (kind === 1 || chips > 0);
    holdsOr('player', once, `entry ${entry_no} is named twice, or is left without chips`);
    seen.add(entry_no);
  }
  const falls = prizes.every((prize, i) => !i || prize <= prizes[i - 1]);
  const fits = kind <= 2 ? !prizes.length && (kind === 2 || !pool)
    : falls && prizes.length === players.length && plus(...prizes) === pool;
  holdsOr('prizes', fits, 'cases 3 and 4 need a prize for each player, the best first, and their sum as the pool');
}

/** The refund of `{case, method, pool, prizes, players}` (refunds.md, 4 and 8). */
function eventRefund({ case: kind, method, pool, prizes, players }) {
  checkRefund({ case: kind, pool, prizes, players });
  const n = big(players.length), P = big(plus(pool));
  const chips = plus(...players.map(player => player.chips)), C = big(chips);
  const payments = players.map(({ entry_no, chips: own, fee, bounty }) => {
    const c = big(own), m = prizes.length ? big(prizes[prizes.length - 1]) : 0n;
    const exact = kind === 1 ? [0n, 1n] : method === 'chip_count' ? reduced(P * c, C)
      : kind === 2 ? reduced(P * (C + n * c), 2n * n * C) : reduced(m * C + (P - n * m) * c, C);
    const part = floorOf(exact);
    return { entry_no, pool: part, exact: exact.map(String), fee, bounty, paid: plus(part, fee, bounty) };
  });
  const residual = pool - sum(payments.map(payment => payment.pool));
  return { case: kind, total: plus(...payments.map(({ paid }) => paid)), chips, residual, payments };
}

/** The state at a time, by each entry's last record until then. */
function standingAt({ records }, moment) {
  const last = new Map();
  for (const record of records) if (record.at <= moment) last.set(record.entry_no, record);
  const held = [...last.values()].sort((a, b) => a.entry_no - b.entry_no);
  const left = held.filter(({ chips }) => chips > 0), players = held.filter(({ re_entry }) => !re_entry).length;
  const remaining = held.filter(({ chips, may_rebuy }) => chips > 0 || may_rebuy).length;
  return { entries: held.length, players, remaining, collected: sum(held.map(({ to_pool }) => to_pool)), left };
}

/** Whether the paid places were reached while one could still enter; null: not reached by the instant. */
function moneyAt(structure, event, instant) {
  const { start, stops, records } = event;
  const moments = [start, instant, ...records.map(({ at }) => at)].filter(at => at >= start && at <= instant);
  moments.sort((a, b) => a - b);
  for (const moment of moments) {
    const standing = standingAt(event, moment), { players } = standing;
    const before = stops.filter(([from]) => from < moment).map(([from, until]) => [from, Math.min(until, moment)]);
    const running = runningTime(structure, start, before, moment);
    if (inTheMoney(structure, { ...standing, running })) return wouldCutShort(structure, players, running);
  }
  return null;
}

/** The refund at an instant, from each entry's holdings over time. */
function refundAt(structure, event, instant) {
  const { entries, players: firsts, collected, left } = standingAt(event, instant), method = structure.refund_method;
  if (instant < event.start) {
    const players = left.map(({ entry_no, chips, fee, bounty, to_pool }) =>
      ({ entry_no, chips, fee: fee + bounty + to_pool, bounty: 0 }));
    return eventRefund({ case: 1, method, pool: 0, prizes: [], players });
  }
  const players = left.map(({ entry_no, chips, fee, bounty }) => ({ entry_no, chips, fee, bounty }));
  const cutShort = moneyAt(structure, event, instant);
  if (cutShort === null) return eventRefund({ case: 2, method, pool: collected, prizes: [], players });
  const whole = cutShort ? collected : Math.max(collected, structure.guarantee);
  const table = prizeTable(structure, entries, firsts, whole).prizes;
  const prizes = left.map((_, i) => (table[i] ? table[i].cash + (table[i].seat ? seatValue(structure) : 0) : 0));
  return eventRefund({ case: cutShort ? 4 : 3, method, pool: sum(prizes), prizes, players });
}

// The payments of a cancelled event (spec/games/refunds.md): each entry's holdings at an earlier instant, the players'
// parts, and the entries for them. tournament.js has the arithmetic of the four cases.

/** An instant may lie at least this far back (2.1). */
const REACH_MS = 1800000, MOST_REFUNDED = 100;

// --- What entries held before -----------------------------------------------------------------------

/** Stores an entry's holdings before a change: `changes` are `[time, entry_no, before]`, null: no entry. */
function keepHeld(ev, no) {
  const { touched } = ev.journal, before = ev.entries.get(no);
  if (ev.stage === 'running' && !touched.has(no)) touched.set(no, before ? { ...before } : null);
}

/** An entry that is about to be changed. */
function changing(ev, no) {
  keepHeld(ev, no);
  return ev.entries.get(no);
}

/** After an entry of the log: its changes are stored, and changes that no instant can reach any more are dropped. */
function endJournal(ev, time) {
  const { touched, changes } = ev.journal, [first] = refundInstants(ev, time);
  const differs = (before, entry) => !before || quote(thenPart(before)) !== quote(thenPart(entry));
  for (const no of ascending(touched.keys())) {
    const before = touched.get(no);
    if (differs(before, ev.entries.get(no))) changes.push([time, no, before]);
  }
  touched.clear();
  const kept = changes.findIndex(([at]) => at > first);
  changes.splice(0, kept < 0 ? changes.length : kept);
}

/** The first and the last instant as of which an event can be cancelled (2.1). */
function refundInstants({ stage, clock, structure }, now) {
  const last = clock.stands && clock.stands[1] === 'crash' ? clock.stands[0] : now;
  const first = Math.max(0, last - Math.max(structure.cancel_after_ms, REACH_MS));
  return [stage === 'registering' ? first : Math.max(first, clock.started), last];
}

/** Each entry's holdings at an instant, ascending by number. */
function heldAt(ev, instant) {
  const held = new Map(ev.entries), { changes } = ev.journal;
  for (let i = changes.length - 1; i >= 0 && changes[i][0] > instant; i--) {
    const [, no, before] = changes[i];
    if (before) held.set(no, before); else held.delete(no);
  }
  return new Map([...held].sort(([a], [b]) => a - b));
}

/** Running time at an instant that may have passed. */
function runningAt({ structure, clock }, instant) {
  const stops = [...clock.stops, ...(clock.stands ? [[clock.stands[0], instant]] : [])];
  const before = stops.filter(([from]) => from < instant).map(([from, until]) => [from, Math.min(until, instant)]);
  return runningTime(structure, clock.started, before, instant);
}

// --- Who gets what ----------------------------------------------------------------------------------

const isBarred = (ev, no) => ev.entries.get(no).at === 'disqualified';
/** The parts paid in T$ and by a ticket, which comes back as T$. */
const notCash = ({ paidBy }) => paidBy.t_dollars + paidBy.ticket;
const newRefund = () => ({
  fee: 0, bounty: 0, pool: 0, prize: 0, total: 0, bought: { pool: 0, fees: 0, bounty: 0 }, dollars: 0, owed: 0,
});
const boughtSum = ({ bought }) => bought.pool + bought.fees + bought.bounty;

/** All payments for an entry, later purchases included: they come back in full. */
function wholeEntry({ structure: { entry: terms } }, { paidBy, toPool, fees }) {
  return { pool: toPool, fees, bounty: notCash({ paidBy }) + paidBy.cash - terms.buy_in - terms.fee };
}

/** The payments of a cancellation as of an instant: `{out, pool, refunds, needed}`, refunds by entry, ascending. */
function settlementOf(ev, instant, cause) {
  return ev.stage === 'registering' ? settlementWhole(ev) : settlementAt(ev, instant, cause);
}

/** Case 1: each player gets their whole payment back. */
function settlementWhole(ev) {
  const left = entriesLeft(ev).sort((a, b) => a.no - b.no);
  const refunds = left.map(entry => [
    entry.no, { ...newRefund(), bought: wholeEntry(ev, entry), dollars: notCash(entry) },
  ]);
  const out = { case: 1, chips: sum(left.map(({ chips }) => chips)), residual: 0, payments: left };
  const needed = name => sum(refunds.map(([, { bought }]) => bought[name]));
  return { out, pool: 0, refunds, needed: { pool: needed('pool'), bounties: needed('bounty') } };
}

function settlementAt(ev, instant, cause) {
  const then = heldAt(ev, instant), all = [...then.values()], running = runningAt(ev, instant);
  const structure = scheduled(ev, ev.leastLateLevels), method = structure.refund_method;
  const left = all.filter(held => inPlay(held) && held.chips > 0 && !isBarred(ev, held.no));
  const remaining = left.length + all.filter(held => mightRebuy(ev, held, running)).length;
  const collected = sum(all.map(({ toPool }) => toPool)), players = all.filter(({ again }) => !again).length;
  // In the money before, or now: `itm` tells whether that cut registration short.
  let itm = ev.itmAt !== null && ev.itmAt <= instant ? ev.itm : null;
  if (itm === null && inTheMoney(structure, { entries: all.length, players, remaining, running, collected }))
    itm = wouldCutShort(structure, players, running);
  const kind = itm === null ? 2 : itm ? 4 : 3;
  const keepsGuarantee = kind === 3 || (kind === 2 && cause === 'operator');
  const whole = keepsGuarantee ? Math.max(collected, structure.guarantee) : collected;
  const table = kind === 2 ? { prizes: [] } : prizeTable(structure, all.length, players, whole);
  const prizes = kind === 2 ? [] : left.map((_, i) => prizeInCash(table, i + 1, seatValue(structure)));
  const pool = kind === 2 ? whole : sum(prizes);

  if (!left.length) broken('nobody is left at the instant');
  const parts = partsBeside(ev, then, left, table);
  const out = eventRefund({
    case: kind, method, pool, prizes,
    players: left.map(({ no, chips, fees }) => ({ entry_no: no, chips, fee: fees, bounty: parts.bounties.get(no) })),
  });
  const refunds = new Map(parts.refunds);
  for (const { entry_no: no, fee, bounty, pool: part } of out.payments)
    Object.assign(refundOf(refunds, no), { fee, bounty, pool: part });
  const awarded = sum(all.map(({ fromPool }) => fromPool)) + parts.elsewhere, each = [...refunds.values()];
  if (awarded > whole) broken('more was awarded than the pool');
  const needed = {
    pool: whole - awarded + sum(each.map(({ bought }) => bought.pool)),
    bounties: sum(each.map(({ bounty, total, bought }) => bounty + total + bought.bounty)),
  };
  return { out, pool, refunds: [...refunds].sort(([a], [b]) => a - b), needed };
}

function refundOf(refunds, no) {
  if (!refunds.has(no)) refunds.set(no, newRefund());
  return refunds.get(no);
}

/** Whether a player without chips may still buy some (2.4). */
function mightRebuy(ev, held, running) {
  if (!inPlay(held) || held.chips || isBarred(ev, held.no)) return false;
  const { rebuy: terms } = ev.structure;
  const allows = terms && withinLevels(ev.structure, terms.levels, running) && held.rebuys < terms.most;
  return held.rebuyUntil !== null || (!!held.falls && allows);
}

/**
 * By entry: the amounts due beside a part of the pool, the bounties of the remaining players, and the part of the
 * prizes that goes to no place: to the giver of a substitute, or as a disqualified player's to the remaining players
 * (2.3, 4.9).
 */
function partsBeside(ev, then, left, table) {
  const isLeft = new Set(left.map(({ no }) => no)), refunds = new Map(), ranks = ranksAt(ev, then, isLeft);
  const isPaid = no => !!ranks[no] && ranks[no][0] <= table.prizes.length;
  const bounties = bountiesAt(ev, then, isPaid);
  let elsewhere = 0, forfeit = 0;
  for (const no of Object.keys(ranks).map(Number).filter(isPaid)) {
    if (then.get(no).fromPool) continue;
    const [{ seat, cash }] = tiedPrize(table, seatValue(ev.structure), ...ranks[no]);
    const prize = cash + (seat ? seatValue(ev.structure) : 0);
    if (isBarred(ev, no)) forfeit += prize;
    if (isBarred(ev, no) || takesSubstitute(ev, no, ranks[no])) elsewhere += prize;
    else refundOf(refunds, no).prize = prize;
  }
  for (const [no, total] of bounties) {
    if (isLeft.has(no) || !total) continue;
    if (isBarred(ev, no)) forfeit += total; else refundOf(refunds, no).total = total;
  }
  const shares = splitEqually(forfeit, left.length);
  left.forEach(({ no }, i) => bounties.set(no, bounties.get(no) + shares[i]));
  addBought(ev, then, refunds);
  return { refunds, bounties, elsewhere };
}

/** The places of all players who were out at the instant, of those without chips, and of those disqualified since. */
function ranksAt(ev, then, isLeft) {
  // Each player's last entry counts: an entry before a re-entry takes no place.
  const last = new Map();
  for (const { no, player } of then.values()) last.set(player, no);
  const outs = [...last.values()].filter(no => !isLeft.has(no)).map(no => {
    const { falls } = then.get(no);
    return falls ? { ...falls, entry_no: no } : ev.entries.get(no).out;
  });
  const known = outs.filter(out => out).sort((a, b) => a.table - b.table || a.entry_no - b.entry_no);
  return eliminationRanks(isLeft.size, known);
}

/** Head and won total of each entry at the instant, after the heads of players without chips were won. */
function bountiesAt(ev, then, isPaid) {
  const standing = new Map(), due = new Map();
  for (const { no, head, total } of then.values()) standing.set(no, { head, total });
  const falling = [...then.values()].filter(({ falls }) => falls);
  falling.sort(({ falls: a, no: one }, { falls: b, no: other }) =>
    a.hand - b.hand || a.stack - b.stack || b.distance - a.distance || other - one);
  for (const { no, falls: { winners } } of falling) {
    // A head that cannot be won stays with its entry.
    if (!winners.length || !winners.every(winner => winner !== no && standing.has(winner))) continue;
    if (isPaid(no)) due.set(no, standing.get(no).total);
    bountyParts(standing, no, winners, ev.structure.bounty_onto_head, isPaid(no));
  }
  for (const [no, { head, total }] of standing) due.set(no, head + total);
  return due;
}

/** Purchases after the instant come back in full; payments received since are owed. */
function addBought(ev, then, refunds) {
  for (const entry of ev.entries.values()) {
    const was = then.get(entry.no);
    const bought = was
      ? { pool: entry.toPool - was.toPool, fees: entry.fees - was.fees, bounty: 0 }
      : wholeEntry(ev, entry);
    const dollars = was ? 0 : notCash(entry);
    if (boughtSum({ bought })) Object.assign(refundOf(refunds, entry.no), { bought, dollars });
    const owed = entry.received - (was ? was.received : 0);
    // A seller's winnings are still in escrow; any other player owes by their last entry, whichever entry won them.
    const own = ev.entrants.get(entry.player).entries;
    if (owed) refundOf(refunds, entry.stakes.length ? entry.no : own[own.length - 1]).owed += owed;
  }
}

/** A refund in the forms of the entry's payment: `cash` of a seller goes to the escrow, `own` does not (4.6, 5). */
function refundForms({ structure: { entry: terms }, refundCase }, entry, refund) {
  const bought = boughtSum(refund) - refund.dollars;
  if (refundCase === 1) {
    const [cash, own] = refund.dollars ? [0, bought] : [bought, 0];
    return { cash, own, fee: 0, dollars: refund.dollars };
  }
  const fee = Math.min(Math.max(0, notCash(entry) - terms.buy_in), terms.fee, refund.fee);
  const cash = refund.fee - fee + refund.bounty + refund.pool + refund.prize + refund.total;
  return { cash, own: bought, fee, dollars: fee + refund.dollars };
}

/** The entry with whose escrow an entry's refund is divided, and the amount that goes there, or null. */
function refundEscrow(ev, { player, stakes }, { owed }, { cash }) {
  const seller = ev.entries.get(ev.entrants.get(player).entries[0]);
  if (!seller.stakes.length) return null;
  // Payments to the seller's own entry are in escrow; payments to a re-entry were the player's.
  return { seller, amount: cash - (stakes.length ? owed : Math.min(owed, cash)) };
}

/** Whether the escrow of an entry goes back to the buyers of its stakes (5). */
const givesEscrowBack = (ev, entry) => ev.refundCase === 1 && notCash(entry) > 0;

// --- The entries ------------------------------------------------------------------------------------

Object.assign(EVENT_FOLDS, {
  cancelled(ev, { case: kind, instant, cause }) {
    ev.refunds = settlementOf(ev, instant, cause).refunds;
    Object.assign(ev, { stage: 'cancelled', refundCase: kind, handForHand: null, waiting: new Set() });
    // No input is awaited any more.
    ev.clock.nextChange = null;
    Object.assign(ev.draws, { open: null, frozen: null });
    // A request that was not carried out counts as never made.
    ev.noted = new Map();
    noDealTalk(ev);
    ev.journal = newJournal();
    for (const awaited of [ev.toSettle, ev.rebuying, ev.unpaid, ev.won]) awaited.clear();
  },

  refunded(ev, { entry_no: no }) {
    const [, refund] = ev.refunds.shift(), entry = ev.entries.get(no);
    const forms = refundForms(ev, entry, refund), escrow = refundEscrow(ev, entry, refund, forms);
    if (!escrow) return;
    escrow.seller.earned += escrow.amount;
    escrow.seller.dollarsEarned += forms.fee;
  },
});

extendHouse({
  event_cancel({ cause, instant, reason }) { this.cancelEvent(cause, instant, reason); },

  cancelEvent(cause, instant, reason) {
    const { event: ev } = this;
    need(['registering', 'running'].includes(ev.stage) && !isEventOver(ev), 'nothing_to_do');
    this.needCause(cause, instant, reason);
    const [first, last] = refundInstants(ev, this.time);
    need(instant >= first && instant <= last, 'instant_out_of_range', `${first} to ${last}`);
    const { out, pool, needed } = settlementOf(ev, instant, cause);
    this.sayEvent('cancelled', {
      cause, instant,
      case: out.case,
      method: ev.structure.refund_method,
      remaining: out.payments.length,
      pool,
      chips: out.chips,
      residual: out.residual,
    });
    const more = needed.pool - this.accounts.get(this.ofPool());
    const bounties = needed.bounties - this.accounts.get(this.ofBounties());
    this.postSummed(['house', -more - bounties], [this.ofPool(), more], [this.ofBounties(), bounties]);
  },

  /** Who cancels, and why: the operator with a reason; the house after a long crash, or with too few players. */
  needCause(cause, instant, reason) {
    const { event: ev } = this, { stands } = ev.clock;
    if (this.by === 'operator') {
      need(reason !== undefined, 'malformed');
      need(cause === 'operator', 'nothing_to_do');
      return;
    }
    this.only('house');
    need(cause !== 'operator', 'not_allowed');
    need(reason === undefined, 'malformed');
    if (ev.stage === 'running') {
      need(cause === 'crash' && isCrashOver(ev, this.time), 'nothing_to_do');
      need(instant === stands[0], 'malformed');
      return;
    }
    const tooFew = this.time >= ev.startsAt && ev.players < ev.structure.entry.players_min;
    need(cause === 'crash' ? this.isStartMissed(ev) : tooFew, 'nothing_to_do');
  },

  /** The dealer was down at the event's start, and for too long since (1.2). */
  isStartMissed(ev) {
    return this.startedAt >= ev.startsAt && this.time >= ev.startsAt + ev.structure.cancel_after_ms;
  },

  event_pay_refunds() {
    const { event: ev } = this, lines = [], moved = new Map();
    this.isDuty('pay_refunds');
    for (const [no, refund] of ev.refunds.slice(0, MOST_REFUNDED))
      lines.push(...this.payRefund(ev.entries.get(no), refund, moved));
    this.postSummed(...lines);
  },

  /**
   * One refund, minus the amounts taken back: from its cash, then its T$, then the balance; `moved` are the balances'.
   */
  payRefund(entry, refund, moved) {
    const { event: ev } = this, { no, player, stakes } = entry, { bought, fee, bounty, pool, prize, total } = refund;
    const forms = refundForms(ev, entry, refund), escrow = refundEscrow(ev, entry, refund, forms);
    let cash = forms.own + (escrow ? 0 : forms.cash), { dollars } = forms, taken = refund.owed;
    this.tell(player);
    if (!stakes.length) {
      const ofEscrow = escrow ? Math.min(refund.owed, forms.cash) : 0, owed = refund.owed - ofEscrow;
      const ofDollars = Math.min(Math.max(0, owed - cash), dollars);
      const has = this.balance(player) + (moved.get(player) || 0) + cash;
      const ofCash = Math.min(owed - ofDollars, has);
      taken = ofEscrow + ofDollars + ofCash;
      cash -= ofCash;
      dollars -= ofDollars;
    }
    moved.set(player, (moved.get(player) || 0) + cash);
    const whole = ev.refundCase === 1, sums = boughtSum(refund);
    this.sayEvent('refunded', {
      entry_no: no, fee: whole ? sums : fee, bounty, pool,
      ...unlessZero('due', prize + total), ...unlessZero('bought', whole ? 0 : sums), ...unlessZero('taken', taken),
    });
    return [
      [this.ofPool(), -(pool + prize + bought.pool)],
      [this.ofFees(), -(fee + bought.fees)],
      [this.ofBounties(), -(bounty + total + bought.bounty)],
      [`player:${player}`, cash],
      [this.ofStakes(), escrow ? escrow.amount : 0],
      [`tdollars:${player}`, dollars],
      ['house', taken],
    ];
  },
});

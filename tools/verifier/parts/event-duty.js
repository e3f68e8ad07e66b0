// The house's duties in a tournament, with their times (spec/games/tournaments.md, "Commands", "by house").

const eventCommand = (ev, word, fields = {}) => ({ tournament: { [word]: { event: ev.name, ...fields } } });

extendHouse({
  /** The house's duty that must come first there, or null. */
  dutyOfEvent(ev) {
    if (ev.stage === 'running') return runningDuty(ev);
    if (ev.stage !== 'cancelled') return null;
    // Tables with a hand in progress, too: the hand is void.
    const [open] = ascending(ev.tables.open);
    if (open !== undefined) return { close_table: { table: tableName(ev, open) } };
    return eventCommand(ev, ev.refunds.length ? 'pay_refunds' : 'end');
  },

  /** Whether a hand may be called at a table now: then it is the house's duty there. */
  isCallDue(ev, name) {
    const number = tableNumber(ev, name);
    return isCallable(ev, number) && !isClockBehind(ev, this.time) && this.time >= pausesUntil(ev, number);
  },

  /** Whether the house must close a table. */
  isClosing(ev, name) {
    const over = ['cancelled', 'ended'].includes(ev.stage) || isEventOver(ev);
    return over || !fieldTable(ev, tableNumber(ev, name));
  },
});

/** Whether a hand may be called at a table, were it not for the clock and the pause. */
function isCallable(ev, number) {
  const { clock, tables } = ev, held = [heldTable(eventSeatingDue(ev)), fixedTable(ev)];
  return ev.stage === 'running' && !clock.stands && !clock.inBreak && !tables.unrecovered.size &&
    !isEventOver(ev) && !isHandForHandAhead(ev) && !held.includes(number) &&
    isIdleAt(ev, number) && !!fieldTable(ev, number) && !tables.dirty.has(number) && mayCall(ev, number) &&
    // A draw that is due is called first: the house does not play on as long as it likes the seats.
    (!!ev.draws.open || !dueDraw(ev));
}

/** Until when a table between hands calls none, so that people see how the last one ended. */
const pausesUntil = ({ tables, structure }, number) =>
  tables.calls.get(number).idleSince + (structure.clocks.between_hands_ms || 0);

/** The tables between hands, that which has been so for longest first. */
function idleTables({ tables: { calls } }) {
  const idle = [...calls].filter(([, { idleSince }]) => idleSince !== null);
  idle.sort(([a, one], [b, other]) => one.idleSince - other.idleSince || a - b);
  return idle.map(([number]) => number);
}

function runningDuty(ev) {
  const one = (word, fields) => eventCommand(ev, word, fields), now = ev.lastUsed;
  if (ev.tables.unrecovered.size) return null;
  if (ev.clock.stands && ev.clock.stands[1] === 'crash') return one('start_clock');
  // Requests noted in a hand come before the hand's results, a disqualification after them.
  const buying = ascending(ev.noted.keys()).find(no => isPurchaseDue(ev, no));
  if (buying !== undefined) return one('carry_out', { entry_no: buying });
  const settling = tableToSettle(ev);
  if (settling !== undefined) return one('settle_hand', { table: settling });
  // Once the event is over no hand and no draw is waited for: an open draw is then never made.
  const [disqualified] = isEventOver(ev) ? notedOut(ev) : toDisqualify(ev);
  if (disqualified) return one('carry_out', { entry_no: disqualified.no });
  const closes = ev.registrationEnded === null && entryClosed(ev, now) !== null;
  if (closes || (ev.pool === null && (isEventOver(ev) || allIsBought(ev, now)))) return one('end_registration');
  if (ev.pool !== null && ev.unpaid.size) return one('pay_places');
  if (owesBounties(ev)) return one('pay_bounties');
  // Hands in progress at other tables are finished first: a table is not left open.
  if (isEventOver(ev)) return closingOf(ev, () => true) || (ev.tables.open.size ? null : one('end'));
  if (ev.clock.stands) return null;
  if (isRoundDue(ev)) return one('next_round');
  const { open, frozen, next } = ev.draws;
  if (open) {
    if (!open.awaited.size && frozen) return one('draw_seats', { draw_no: next });
  } else if (dueDraw(ev)) return one('call_draw');
  const due = eventSeatingDue(ev);
  if (due && due.move && isIdleAt(ev, due.move.from[0])) return one('move_player');
  return tablesDuty(ev, due);
}

/** Tables that are to be opened, closed, put in order, and hands to be called. */
function tablesDuty(ev, due) {
  const { open, dirty } = ev.tables, named = number => ({ table: tableName(ev, number) });
  const unopened = ev.field.tables.find(({ table }) => !open.has(table));
  if (unopened) return { open_event_table: { ...named(unopened.table), rules: ev.tableRules } };
  const closing = closingOf(ev, number => !fieldTable(ev, number));
  if (closing) return closing;
  const held = heldTable(due), waits = ev.clock.inBreak || isHandForHandAhead(ev);
  for (const number of idleTables(ev)) {
    if (number === held || number === fixedTable(ev) || !isIdleAt(ev, number) || !fieldTable(ev, number)) continue;
    if (dirty.has(number)) return { set_seats: named(number) };
    if (!waits && mayCall(ev, number) && pausesUntil(ev, number) <= ev.lastUsed) return { call_hand: named(number) };
  }
  return null;
}

/** Whether the next hand may be called at a table with these seats, while the event goes on. */
function mayCall(ev, number) {
  const { players } = fieldTable(ev, number);
  const withChips = Object.values(players).filter(no => ev.entries.get(no).chips > 0);
  return withChips.length >= 2 && !(ev.handForHand && ev.handForHand.played.has(number));
}

/** The next table between hands that must be closed. */
function closingOf(ev, closes) {
  const number = ascending(ev.tables.open).find(one => closes(one) && isIdleAt(ev, one));
  return number === undefined ? null : { close_table: { table: tableName(ev, number) } };
}

/** Whether the noted rebuy or add-on of an entry must be carried out: its table's hand is over. */
const isPurchaseDue = (ev, no) => {
  const table = tableOfEntry(ev.entries.get(no));
  return ev.noted.get(no).what !== 'disqualification' && (table === null || restsAt(ev, table));
};

/** The table whose last hand must be processed; in a round of hand-for-hand only after all have ended. */
function tableToSettle(ev) {
  if (ev.handForHand && !allHavePlayed(ev, ev.handForHand.played)) return undefined;
  const awaits = no => ev.entries.get(no).rebuyUntil === null;
  return ascending(ev.toSettle.keys()).find(number => ev.toSettle.get(number).some(awaits));
}

/** Whether a round of hand-for-hand begins, or the last one has ended. */
function isRoundDue(ev) {
  // A round in which no table could play would end at once, and the next one too, without end.
  if (wantsHandForHand(ev) && !ev.field.tables.some(({ table }) => couldPlay(ev, table))) return false;
  if (ev.handForHand) return allHavePlayed(ev, ev.handForHand.played) && !ev.toSettle.size;
  return wantsHandForHand(ev) && ev.field.tables.every(({ table }) => isIdleAt(ev, table));
}

const hasBounty = ({ head, total }) => head > 0 || total > 0;
const owesBounties = ev => !ev.handForHand &&
  ((isEventOver(ev) && entriesLeft(ev).some(hasBounty)) || (ev.itm !== null && ev.won.size > 0));

/** All timed duties, `{at, command}`; of those with the same time the first comes first. */
function eventDeadlines(ev) {
  const all = [], add = (at, word, fields) => all.push({ at, command: eventCommand(ev, word, fields) });
  if (ev.stage === 'registering') add(ev.startsAt, 'start');
  if (ev.stage !== 'running') return all;
  const { stands, nextChange: next } = ev.clock, { open, frozen } = ev.draws;
  if (stands && stands[1] === 'crash') {
    // A finished event is paid as it ended.
    if (isEventOver(ev)) return all;
    add(stands[0] + ev.structure.cancel_after_ms, 'cancel', { cause: 'crash', instant: stands[0] });
    return all;
  }
  const [rebuying] = [...ev.rebuying].map(no => ev.entries.get(no))
    .sort((a, b) => a.rebuyUntil - b.rebuyUntil || a.no - b.no);
  if (rebuying) add(rebuying.rebuyUntil, 'decline_rebuy', { entry_no: rebuying.no });
  if (open && frozen) add(open.by, 'draw_seats', { draw_no: ev.draws.next });
  const ends = dealEnds(ev), { proposal } = ev.deal;
  if (ends !== null) add(ends, 'answer_deal', { digest: proposal ? proposal.digest : '', accept: false });
  if (!isEventOver(ev) && next !== null) add(next, 'next_level');
  const waits = number => pausesUntil(ev, number) > ev.lastUsed && isCallable(ev, number);
  const paused = ev.structure.clocks.between_hands_ms && idleTables(ev).find(waits);
  if (paused)
    all.push({ at: pausesUntil(ev, paused), command: { call_hand: { table: tableName(ev, paused) } } });
  return all;
}

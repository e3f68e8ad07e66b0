// What the house has to do in a tournament by itself, and when (spec/games/tournaments.md, "Commands", "by house").

const eventCommand = (ev, word, fields = {}) => ({ tournament: { [word]: { event: ev.name, ...fields } } });

extendHouse({
  /** What the house has to do before anything else can happen there, or null. */
  dutyOfEvent(ev) {
    if (ev.stage === 'running') return runningDuty(ev);
    if (ev.stage !== 'cancelled') return null;
    // Tables with a hand in progress, too: it is void.
    const [open] = ascending(ev.tables.open);
    if (open !== undefined) return { close_table: { table: tableName(ev, open) } };
    return eventCommand(ev, ev.refunds.length ? 'pay_refunds' : 'end');
  },

  /** Whether a hand may be called at a table now: it is what the house has to do there. */
  isCallDue(ev, name) {
    const number = tableNumber(ev, name), { clock, tables } = ev;
    const held = [heldTable(eventSeatingDue(ev)), fixedTable(ev)];
    return ev.stage === 'running' && !clock.stands && !clock.inBreak && !tables.unrecovered.size &&
      !isEventOver(ev) && !isHandForHandAhead(ev) && !held.includes(number) &&
      isIdleAt(ev, number) && !!fieldTable(ev, number) && !tables.dirty.has(number) && mayCall(ev, number) &&
      !isClockBehind(ev, this.time) &&
      // A draw that is due is called first: the house does not play on as long as it likes the seats.
      (!!ev.draws.open || !dueDraw(ev));
  },

  /** Whether a table is to be closed by the house. */
  isClosing(ev, name) {
    const over = ['cancelled', 'ended'].includes(ev.stage) || isEventOver(ev);
    return over || !fieldTable(ev, tableNumber(ev, name));
  },
});

function runningDuty(ev) {
  const one = (word, fields) => eventCommand(ev, word, fields), now = ev.lastUsed;
  if (ev.tables.unrecovered.size) return null;
  if (ev.clock.stands && ev.clock.stands[1] === 'crash') return one('start_clock');
  // What was asked for in a hand comes before what the hand left, a disqualification after it.
  const buying = ascending(ev.noted.keys()).find(no => isPurchaseDue(ev, no));
  if (buying !== undefined) return one('carry_out', { entry_no: buying });
  const settling = tableToSettle(ev);
  if (settling !== undefined) return one('settle_hand', { table: settling });
  // When the event is over no hand and no draw is waited for: a draw that is open then is never made.
  const [disqualified] = isEventOver(ev) ? notedOut(ev) : toDisqualify(ev);
  if (disqualified) return one('carry_out', { entry_no: disqualified.no });
  const closes = ev.registrationEnded === null && entryClosed(ev, now) !== null;
  if (closes || (ev.pool === null && (isEventOver(ev) || allIsBought(ev, now)))) return one('end_registration');
  if (ev.pool !== null && ev.unpaid.size) return one('pay_places');
  if (owesBounties(ev)) return one('pay_bounties');
  // Hands in progress at other tables are played out first: a table is not left open.
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
  const { open, dirty, calls } = ev.tables, named = number => ({ table: tableName(ev, number) });
  const unopened = ev.field.tables.find(({ table }) => !open.has(table));
  if (unopened) return { open_event_table: { ...named(unopened.table), rules: ev.tableRules } };
  const closing = closingOf(ev, number => !fieldTable(ev, number));
  if (closing) return closing;
  const held = heldTable(due), waits = ev.clock.inBreak || isHandForHandAhead(ev);
  const idle = [...calls].filter(([, { idleSince }]) => idleSince !== null);
  idle.sort(([a, one], [b, other]) => one.idleSince - other.idleSince || a - b);
  for (const [number] of idle) {
    if (number === held || number === fixedTable(ev) || !isIdleAt(ev, number) || !fieldTable(ev, number)) continue;
    if (dirty.has(number)) return { set_seats: named(number) };
    if (!waits && mayCall(ev, number)) return { call_hand: named(number) };
  }
  return null;
}

/** Whether a table of these seats may be called its next hand, the event going on. */
function mayCall(ev, number) {
  const { players } = fieldTable(ev, number);
  const withChips = Object.values(players).filter(no => ev.entries.get(no).chips > 0);
  return withChips.length >= 2 && !(ev.handForHand && ev.handForHand.played.has(number));
}

/** The next table between hands that is to be closed. */
function closingOf(ev, closes) {
  const number = ascending(ev.tables.open).find(one => closes(one) && isIdleAt(ev, one));
  return number === undefined ? null : { close_table: { table: tableName(ev, number) } };
}

/** Whether the rebuy or add-on that was noted of an entry is to be carried out: its table's hand is over. */
const isPurchaseDue = (ev, no) => {
  const table = tableOfEntry(ev.entries.get(no));
  return ev.noted.get(no).what !== 'disqualification' && (table === null || restsAt(ev, table));
};

/** The table whose last hand is to be dealt with: of a round of hand-for-hand not before all have ended. */
function tableToSettle(ev) {
  if (ev.handForHand && !allHavePlayed(ev, ev.handForHand.played)) return undefined;
  const awaits = no => ev.entries.get(no).rebuyUntil === null;
  return ascending(ev.toSettle.keys()).find(number => ev.toSettle.get(number).some(awaits));
}

/** Whether a round of hand-for-hand begins, or the last one has ended. */
function isRoundDue(ev) {
  // A round in which no table could play would be over at once, and the next one, without end.
  if (wantsHandForHand(ev) && !ev.field.tables.some(({ table }) => couldPlay(ev, table))) return false;
  if (ev.handForHand) return allHavePlayed(ev, ev.handForHand.played) && !ev.toSettle.size;
  return wantsHandForHand(ev) && ev.field.tables.every(({ table }) => isIdleAt(ev, table));
}

const hasBounty = ({ head, total }) => head > 0 || total > 0;
const owesBounties = ev => !ev.handForHand &&
  ((isEventOver(ev) && entriesLeft(ev).some(hasBounty)) || (ev.itm !== null && ev.won.size > 0));

/** Everything that has a time, `{at, command}`; of one time the first comes first. */
function eventDeadlines(ev) {
  const all = [], add = (at, word, fields) => all.push({ at, command: eventCommand(ev, word, fields) });
  if (ev.stage === 'registering') add(ev.startsAt, 'start');
  if (ev.stage !== 'running') return all;
  const { stands, nextChange: next } = ev.clock, { open, frozen } = ev.draws;
  if (stands && stands[1] === 'crash') {
    // What is over is paid as it ended.
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
  return all;
}

// Folds a tournament's entries in (spec/games/tournaments.md, "Events"), with the effects of its tables' hands (3.6, 6,
// 7). Only decided entries are folded: this part refuses nothing.

/** Clockwise from the button: 1 to its left, the button itself last. */
const fromButton = (button, seat, seats) => (seat + seats - button) % seats || seats;

const EVENT_FOLDS = {
  registered(ev, { entry_no: no, player, commitment, paid_by, bounty, non_unregisterable: bound }) {
    const { entry: terms, clocks } = ev.structure;
    if (!ev.entrants.has(player)) ev.entrants.set(player, newEntrant());
    const entrant = ev.entrants.get(player), again = entrant.entries.length > 0;
    // A player who enters again has no place for the entry before.
    ev.unranked = ev.unranked.filter(({ entry_no }) => !entrant.entries.includes(entry_no));
    entrant.entries.push(no);
    entrant.registered++;
    ev.nextEntry++;
    ev.sold.entries++;
    if (bounty) ev.sold.with_bounty++;
    if (!again) ev.players++;
    countRemaining(ev, 1);
    ev.waiting.add(no);
    keepHeld(ev, no);
    ev.entries.set(no, {
      no, player, bound, again,
      at: 'waiting', chips: terms.stack, head: bounty, total: 0, paidBy: paid_by, toPool: terms.buy_in, fees: terms.fee,
      rebuys: 0, addedOn: false, rebuyUntil: null, falls: null, bank: clocks.bank_ms, cutOff: null,
      commitment: { commitment, use: entrant.uses++, called: ev.tables.called },
      offered: 0, stakes: [], earned: 0, dollarsEarned: 0, received: 0, fromPool: 0, out: null, rank: null,
      isPaid: false,
    });
  },

  bounty_set(ev, { player, has }) {
    if (!ev.entrants.has(player)) ev.entrants.set(player, newEntrant());
    ev.entrants.get(player).hasBounty = has;
  },

  unregistered(ev, { entry_no: no }) {
    const entry = ev.entries.get(no), entrant = ev.entrants.get(entry.player);
    // Only its number remains, which is not used again.
    ev.entries.delete(no);
    ev.sellers.delete(no);
    entrant.entries = entrant.entries.filter(other => other !== no);
    ev.waiting.delete(no);
    ev.sold.entries--;
    if (entry.head) ev.sold.with_bounty--;
    ev.players--;
    countRemaining(ev, -1);
  },

  rebought(ev, { entry_no: no, chips }) {
    changing(ev, no).rebuys++;
    ev.sold.rebuys++;
    takeChips(ev, no, chips, ev.structure.rebuy);
  },

  added_on(ev, { entry_no: no, chips }) {
    ev.entries.get(no).addedOn = true;
    ev.sold.add_ons++;
    takeChips(ev, no, chips, ev.structure.add_on);
  },

  /** A player who is to be disqualified buys no more chips. */
  noted(ev, { entry_no: no, what, reason }) { ev.noted.set(no, { what, reason }); },
  note_dropped(ev, { entry_no: no }) { ev.noted.delete(no); },

  stake_offered(ev, { player, basis_points }) { entryInPlay(ev, player).offered = basis_points; },
  stake_sold(ev, { seller, buyer, basis_points, price }) {
    const entry = entryInPlay(ev, seller);
    entry.stakes.push({ buyer, basis_points, price });
    ev.sellers.add(entry.no);
  },
  stakes_divided(ev, { entry_no: no }) {
    ev.sellers.delete(no);
    Object.assign(ev.entries.get(no), { earned: 0, dollarsEarned: 0 });
  },

  ticket_returned() {},

  started(ev, fields, time) {
    ev.stage = 'running';
    Object.assign(ev.clock, { started: time, level: 1 });
  },

  draw_called(ev, { kind, table = null, reveal_by: by }) {
    const breaking = table === null ? null : fieldTable(ev, table);
    const { frozen } = ev.draws;
    // A player who came after X was fixed waits for the next draw.
    const those = breaking ? Object.values(breaking.players) : frozen ? frozen.entrants : ev.waiting;
    const entrants = new Set(ascending(those));
    if (breaking) ev.field.tables = ev.field.tables.filter(other => other !== breaking);
    else ev.waiting = new Set([...ev.waiting].filter(no => !entrants.has(no)));
    if (frozen) frozen.entrants = new Set();
    for (const no of entrants) ev.entries.get(no).at = 'waiting';
    const awaited = new Set([...entrants].filter(no => ev.entries.get(no).commitment));
    if (kind === 'final') ev.draws.hadFinal = true;
    // A commitment made while revealing is for the next draw.
    const committedAt = newestCommitment(ev, [...entrants]);
    ev.draws.open = { kind, table, entrants, awaited, committedAt, seeds: new Map(), by };
  },

  seat_seed_revealed(ev, { entry_no: no, seed, next }) {
    const { open } = ev.draws, entry = ev.entries.get(no), entrant = ev.entrants.get(entry.player);
    open.awaited.delete(no);
    open.seeds.set(no, seed);
    entry.commitment =
      next === undefined ? null : { commitment: next, use: entrant.uses++, called: ev.tables.called };
  },

  seats_drawn(ev, { link, entropy }) {
    const { draws, field, tables } = ev, { kind, entrants } = draws.open;
    if (entrants.size) drawSeats(unhex(entropy, 32), kind, [...entrants], field);
    for (const { table, players } of field.tables) {
      for (const seat of takenSeats({ players })) {
        if (!entrants.has(players[seat])) continue;
        ev.entries.get(players[seat]).at = [table, seat];
        tables.dirty.add(table);
      }
    }
    Object.assign(draws, { next: draws.next + 1, link, running: unhex(entropy, 32), open: null, frozen: null });
  },

  player_moved(ev, { entry_no: no, from, to }) {
    delete fieldTable(ev, from[0]).players[from[1]];
    fieldTable(ev, to[0]).players[to[1]] = no;
    ev.entries.get(no).at = to;
    ev.tables.dirty.add(from[0]).add(to[0]);
  },

  level_begun(ev, { level }) {
    ev.clock.level = level;
    for (const number of ev.tables.open) ev.tables.dirty.add(number);
  },
  break_begun(ev) { ev.clock.inBreak = true; },
  break_ended(ev) { ev.clock.inBreak = false; },

  player_eliminated(ev, out) {
    Object.assign(changing(ev, out.entry_no), { falls: null, out });
    leaveEvent(ev, out.entry_no, 'out');
    ev.unranked.push(out);
  },

  rebuy_awaited(ev, { entry_no: no, until }) {
    changing(ev, no).rebuyUntil = until;
    ev.rebuying.add(no);
    handIsSettled(ev, no);
  },

  bounty_won(ev, { entry_no: no, winners }) {
    const fallen = changing(ev, no), divided = sum(winners.map(won => won.to_total + won.onto_head));
    // The divided part of their own total is in the winners' parts.
    fallen.total = Math.max(0, fallen.total - Math.max(0, divided - fallen.head));
    fallen.head = 0;
    if (!fallen.total) ev.won.delete(no);
    for (const { entry_no: winner, to_total, onto_head } of winners) {
      const entry = changing(ev, winner);
      entry.head += onto_head;
      entry.total += to_total;
      if (to_total) ev.won.add(winner);
    }
  },

  hand_for_hand(ev, { round }) {
    // A finished round counts as one hand.
    if (ev.handForHand) ev.hands++;
    ev.handForHand = round ? { round, hand: ev.hands, played: new Set() } : null;
  },

  registration_ended(ev, { cause }) { ev.registrationEnded = cause; },
  pool_final(ev, { pool }) {
    ev.pool = pool;
    const places = eventPlaces(ev);
    for (const { no, rank } of ev.entries.values()) if (rank && rank[0] <= places) ev.unpaid.set(no, rank[0]);
  },

  prize_paid(ev, { entry_no: no, prize }) {
    const entry = changing(ev, no), { cash = 0, ticket = 0, t_dollars: dollars, substitute = 0 } = prize;
    entry.isPaid = true;
    // If T$ came instead of a seat, their fee's part is no longer in the pool either.
    entry.fromPool = cash + substitute + (dollars ? seatValue(ev.structure) : ticket);
    if (entry.at === 'disqualified') divideAmongLeft(ev, cash);
    else {
      entry.received += cash;
      if (entry.stakes.length) entry.earned += cash;
    }
    ev.unpaid.delete(no);
  },

  bounty_paid(ev, { entry_no: no, amount }) {
    const entry = changing(ev, no);
    entry.total = 0;
    entry.received += amount;
    if (isEventOver(ev)) entry.head = 0;
    if (entry.stakes.length) entry.earned += amount;
    ev.won.delete(no);
  },

  deal_wanted(ev, { entry_no: no, want }) { if (want) ev.deal.wanted.add(no); else ev.deal.wanted.delete(no); },
  deal_proposed(ev, { digest, amounts, answer_by: answerBy }) {
    ev.deal.proposal = { digest, amounts, answerBy, accepted: new Set() };
  },
  deal_answered(ev, { entry_no: no, accept }) { if (accept) ev.deal.proposal.accepted.add(no); },
  deal_made(ev, { amounts }) {
    for (const [no, amount] of amounts) {
      const entry = ev.entries.get(no);
      entry.isPaid = true;
      if (entry.stakes.length) entry.earned += amount;
    }
    const order = amounts.map(([no]) => ev.entries.get(no)).sort((a, b) => b.chips - a.chips || a.no - b.no);
    order.forEach((entry, i) => { entry.rank = [i + 1, i + 1]; });
    noDealTalk(ev);
    ev.dealMade = true;
  },
  deal_off(ev) { noDealTalk(ev); },

  player_disqualified(ev, { entry_no: no }) {
    const entry = changing(ev, no), bounty = entry.head + entry.total, table = tableOfEntry(entry) || 0;
    const isOut = entry.at === 'out';
    Object.assign(entry, { head: 0, total: 0 });
    ev.won.delete(no);
    ev.noted.delete(no);
    if (isOut) entry.at = 'disqualified'; else leaveEvent(ev, no, 'disqualified');
    divideAmongLeft(ev, bounty);
    ev.entrants.get(entry.player).barred = true;
    // Players who were out by then, by the hand in which it was noted, keep their places.
    if (isOut) return;
    // The place of one eliminated at that moment.
    entry.out = { entry_no: no, hand: ev.hands, table, stack: 0, distance: 0 };
    ev.unranked.push(entry.out);
    if (!ev.handForHand) ev.hands++;
  },

  prize_substituted(ev, { place, what, value }) { ev.substitutes.set(place, { what, value, accepted: new Set() }); },
  substitute_accepted(ev, { entry_no: no, place }) { ev.substitutes.get(place).accepted.add(no); },
  registration_changed(ev, { late_levels: late, unregister_ms: unregisterMs }) {
    Object.assign(ev, { lateLevels: late, leastLateLevels: Math.min(ev.leastLateLevels, late), unregisterMs });
  },
  postponed(ev, { starts_at: startsAt }) {
    ev.earlierStarts.push(ev.startsAt);
    ev.startsAt = startsAt;
  },

  clock_stopped(ev, { cause }, time) {
    ev.clock.stands = [time, cause];
    if (cause === 'deal') ev.deal.since = time;
  },
  clock_started(ev, fields, time) {
    const [from] = ev.clock.stands;
    ev.clock.stops.push([from, time]);
    ev.clock.stands = null;
    // A pending time keeps the rest that it had when the clock stopped.
    if (ev.draws.open) ev.draws.open.by += time - from;
    for (const no of ev.rebuying) ev.entries.get(no).rebuyUntil += time - from;
  },

  ended(ev, { residual }) {
    Object.assign(ev, { stage: 'ended', residual });
    // A draw that was not made before the end of the event is never made.
    Object.assign(ev.draws, { open: null, frozen: null });
  },
};

function noDealTalk(ev) { ev.deal = { wanted: new Set(), proposal: null, since: null }; }

/** Whether a player gets the substitute for the prize of their place: they accepted it, and do not share it. */
const takesSubstitute = (ev, no, [first, last]) =>
  first === last && ev.substitutes.has(first) && ev.substitutes.get(first).accepted.has(no);

/** Adds bought chips. */
function takeChips(ev, no, chips, { price, fee }) {
  const entry = changing(ev, no), table = tableOfEntry(entry);
  entry.toPool += price;
  entry.fees += fee;
  ev.noted.delete(no);
  Object.assign(entry, { chips, falls: null, rebuyUntil: null });
  ev.rebuying.delete(no);
  handIsSettled(ev, no);
  if (table !== null) ev.tables.dirty.add(table);
}

/** Changes the number of remaining players: late in the event hands have other clocks. */
function countRemaining(ev, more) {
  const before = lateExtraOf(ev);
  ev.remaining += more;
  if (lateExtraOf(ev) !== before) for (const number of ev.tables.open) ev.tables.dirty.add(number);
}

/** The last hand's effect on an entry is processed. */
function handIsSettled(ev, no) {
  for (const [table, entries] of ev.toSettle) {
    const left = entries.filter(other => other !== no);
    if (left.length) ev.toSettle.set(table, left); else ev.toSettle.delete(table);
  }
}

/** A player leaves the event for good. */
function leaveEvent(ev, no, at) {
  const entry = changing(ev, no), seated = isList(entry.at) ? entry.at : null;
  Object.assign(entry, { at, chips: 0, rebuyUntil: null });
  ev.rebuying.delete(no);
  if (seated) {
    const here = fieldTable(ev, seated[0]);
    if (here) delete here.players[seated[1]];
    ev.tables.dirty.add(seated[0]);
    // It breaks without a draw, because no player must be seated (6.1).
    if (here && !sizeOf(here)) ev.field.tables = ev.field.tables.filter(other => other !== here);
  }
  ev.waiting.delete(no);
  // A player who declines a rebuy, or lets its time pass, while their broken table's seats are drawn.
  const { open } = ev.draws;
  if (open) for (const of of [open.entrants, open.awaited, open.seeds]) of.delete(no);
  countRemaining(ev, -1);
  ev.deal.wanted.delete(no);
  handIsSettled(ev, no);
}

/** A disqualified player's money, to the totals of all remaining players (7.6, 10.7). */
function divideAmongLeft(ev, amount) {
  if (!amount) return;
  const left = entriesLeft(ev).sort((a, b) => a.no - b.no);
  splitEqually(amount, left.length).forEach((part, i) => {
    changing(ev, left[i].no).total += part;
    ev.won.add(left[i].no);
  });
}

// --- Hands ------------------------------------------------------------------------------------------

const callsAt = (ev, number) => {
  const { calls } = ev.tables;
  if (!calls.has(number)) calls.set(number, { idleSince: null, last: 0, opened: 0, unseeded: 0, before: null });
  return calls.get(number);
};

function notePositions(ev, number, positions) {
  const here = fieldTable(ev, number);
  if (!here) return;
  callsAt(ev, number).before = { last_big: here.last_big, first_button: here.first_button };
  Object.assign(here, { last_big: positions.big, first_button: null });
}

/** Chips after a hand, and the players without any; `winners` are the seats that won a seat's last pot. */
function noteResult(ev, number, table, { button }, results, winners) {
  // In a cancelled or finished event nothing changes any more: its table is closed next.
  if (ev.stage !== 'running' || isEventOver(ev)) return;
  const { players } = fieldTable(ev, number) || { players: {} }, { seats } = table.rules.table;
  const hand = ev.handForHand ? ev.handForHand.hand : ev.hands;
  for (const { seat, stack } of results) {
    if (!ev.entries.has(players[seat])) broken(`seat ${seat} of ${table.name} is nobody's`);
    const entry = changing(ev, players[seat]);
    entry.falls = stack ? null : {
      hand,
      table: number,
      stack: entry.chips,
      distance: fromButton(button, seat, seats),
      winners: [...new Set(winners(seat))]
        .sort((a, b) => fromButton(button, a, seats) - fromButton(button, b, seats))
        .map(other => players[other]).filter(no => no !== undefined),
    };
    if (!stack) ev.toSettle.set(number, [...(ev.toSettle.get(number) || []), entry.no]);
    entry.chips = stack;
  }
}

/** A hand is over, and with it this table's part of a round of hand-for-hand. */
function endHandAt(ev, number, table) {
  if (ev.handForHand) ev.handForHand.played.add(number); else ev.hands++;
  const { players } = fieldTable(ev, number) || { players: {} };
  for (const { seat, bank, cutOff } of table.cash.values()) {
    const entry = ev.entries.get(players[seat]);
    if (entry) Object.assign(entry, { bank, cutOff });
  }
}

/** A hand at the last level without a commitment: in the end such hands post more and more (6.8). */
function nobodyPlays(ev, number, call) {
  if (ev.clock.level < ev.structure.levels.length) return;
  const before = doubledAt(ev, number);
  call.unseeded++;
  if (doubledAt(ev, number) !== before) ev.tables.dirty.add(number);
}

const HAND_FOLDS = {
  table_opened(ev, number, table, fields, time) {
    ev.tables.open.add(number);
    ev.tables.dirty.add(number);
    HAND_FOLDS.call_lapsed(ev, number, table, fields, time);
  },
  table_closed(ev, number) {
    ev.tables.open.delete(number);
    ev.tables.dirty.delete(number);
    ev.tables.calls.delete(number);
  },
  set_seats(ev, number) { ev.tables.dirty.delete(number); },
  hand_called(ev, number) { Object.assign(callsAt(ev, number), { idleSince: null, last: ++ev.tables.called }); },
  /** The table is between hands from now on. */
  call_lapsed(ev, number, table, fields, time) { callsAt(ev, number).idleSince ??= time; },
  /** The same players post again. */
  round_voided(ev, number, table, fields, time) {
    const call = callsAt(ev, number), here = fieldTable(ev, number);
    if (call.before && here) Object.assign(here, call.before);
    Object.assign(call, { before: null, idleSince: call.idleSince ?? time });
  },
  hand_begun(ev, number, table, { hand }) {
    notePositions(ev, number, hand.positions);
    // A player committed to a hand: all counts start again.
    for (const [other, call] of ev.tables.calls) {
      if (doubledAt(ev, other) && ev.tables.open.has(other)) ev.tables.dirty.add(other);
      call.unseeded = 0;
    }
  },
  round_opened(ev, number, table, { entropy }) {
    ev.draws.running = runningAfterHand(ev.draws.running, entropy);
    const call = callsAt(ev, number);
    call.opened = call.last;
  },
  posts_taken(ev, number, table, { positions, seats }) {
    const call = callsAt(ev, number);
    notePositions(ev, number, positions);
    // No draw waits for seeds of a table whose players give none (3.7).
    call.opened = call.last;
    nobodyPlays(ev, number, call);
    noteResult(ev, number, table, positions, seats, () => [positions.big]);
    endHandAt(ev, number, table);
  },
  poker(ev, number, table, { settled: { pots, seats } }) {
    const last = seat => pots.filter(pot => pot.seats.includes(seat)).pop();
    const winners = seat => (last(seat) ? last(seat).won.map(won => won.seat) : []);
    noteResult(ev, number, table, table.positions, seats, winners);
  },
  round_settled(ev, number, table, fields, time) {
    callsAt(ev, number).idleSince ??= time;
    endHandAt(ev, number, table);
  },
};

/** The clock stands because of a crash. */
function stopForCrash(ev, since) {
  // Earlier agreements must be made again.
  const { stands, stops } = ev.clock;
  if (stands && stands[1] === 'deal') stops.push([stands[0], since]);
  ev.clock.stands = [stands && stands[1] === 'crash' ? stands[0] : since, 'crash'];
  ev.clock.nextChange = null;
  noDealTalk(ev);
}

extendHouse({
  /** A table's entry is decided: its effect on its tournament. */
  noteEventTable(ev, table, command) {
    const number = tableNumber(ev, table.name);
    for (const event of this.out) {
      const name = eventName(event);
      if (HAND_FOLDS[name]) HAND_FOLDS[name](ev, number, table, eventFields(event), this.time);
    }
    if (command.recover) {
      ev.tables.unrecovered.delete(number);
      if (this.rests(table)) callsAt(ev, number).idleSince ??= this.time;
    }
    this.eventEntryEnds(ev, command);
  },

  /** The dealer started: the clock stands, and nothing continues before the tables are put in order. */
  eventsAwaitRecovery(since, command) {
    for (const ev of this.events.values()) {
      if (ev.stage === 'running') {
        ev.tables.unrecovered = new Set(ev.tables.open);
        stopForCrash(ev, since);
      }
      this.eventEntryEnds(ev, command);
    }
  },

  /** The latest finished tournaments are kept (games/tournaments.md, 14). */
  forgetEnded() {
    const ended = [...this.events.values()].filter(({ stage }) => stage === 'ended')
      .sort((a, b) => b.lastUsed - a.lastUsed || (a.name < b.name ? 1 : -1));
    let entries = 0;
    ended.forEach((ev, nth) => {
      entries += ev.entries.size;
      if (nth === 0 || (nth < 64 && entries <= 100000)) return;
      this.events.delete(ev.name);
      for (const kind of ['pool', 'fees', 'bounties', 'stakes']) this.accounts.delete(`${kind}:${ev.name}`);
    });
  },

  /** Folds in an entry of a tournament or of one of its tables, with its consequences and due times. */
  eventEntryEnds(ev, command) {
    const now = this.time;
    ev.lastUsed = now;
    // A round of hand-for-hand ends with its event.
    if (isEventOver(ev)) ev.handForHand = null;
    if (ev.stage === 'running') {
      if (ev.itm === null) {
        const structure = scheduled(ev, ev.leastLateLevels), asked = askedOf(ev, now);
        if (reachedMoney(structure, asked)) {
          ev.itm = wouldCutShort(structure, ev.players, asked.running || 0);
          ev.itmAt = now;
        }
      }
      fixRanks(ev);
      ev.clock.nextChange = ev.clock.stands ? null : nextChange(ev, now);
      freezeDraw(ev);
      endJournal(ev, now);
    }
    const before = ev.due, duty = this.dutyOfEvent(ev), [deadline] = eventDeadlines(ev).sort((a, b) => a.at - b.at);
    const stays = duty && before.duty && quote(before.duty.command) === quote(duty) && quote(command) !== quote(duty);
    const same = deadline && before.deadline && before.deadline.at === deadline.at;
    ev.due = {
      duty: duty && { command: duty, since: stays ? before.duty.since : now },
      deadline: deadline && { ...deadline, since: same ? before.deadline.since : Math.max(deadline.at, now) },
    };
  },
});

/** The time of the next level or break, if the clock runs on. */
function nextChange(ev, now) {
  const position = eventPosition(ev, now);
  if (!position) return null;
  // The clock is behind: the house must still say so.
  if (position.level !== ev.clock.level || position.in_break !== ev.clock.inBreak) return now;
  // In a synchronised break running time stands, so no level ends.
  const stands = position.in_break && ev.structure.breaks.synchronised;
  const ahead = [stands ? null : position.to_next_level, position.to_break].filter(ms => ms !== null);
  return ahead.length ? now + Math.min(...ahead) : null;
}

/** Ranks that can no longer change. */
function fixRanks(ev) {
  const ranks = new Map();
  const open = ev.registrationEnded === null || ev.handForHand || ev.rebuying.size || ev.toSettle.size;
  if (!open && ev.unranked.length) {
    const list = ev.unranked.slice().sort((a, b) => a.table - b.table || a.entry_no - b.entry_no);
    Object.entries(eliminationRanks(ev.remaining, list)).forEach(([no, rank]) => ranks.set(Number(no), rank));
    ev.unranked = [];
  }
  if (isEventOver(ev) && !ev.dealMade)
    for (const { no, rank } of entriesLeft(ev)) if (!rank) ranks.set(no, [1, ev.remaining]);
  const places = eventPlaces(ev);
  for (const [no, rank] of ranks) {
    ev.entries.get(no).rank = rank;
    if (ev.pool !== null && rank[0] <= places) ev.unpaid.set(no, rank[0]);
  }
}

/**
 * A draw takes X from the time when it is first due, or open, with its hands, whenever it is called. A fixed value
 * stays fixed, also over stops of the clock and starts of the dealer (3.6).
 */
function freezeDraw(ev) {
  const { draws } = ev, { open, frozen, running } = draws;
  if (frozen && (open || isStillDue(ev, frozen))) return;
  const due = open ? [open.kind, open.table] : dueBesideFixed(ev);
  if (!due || !hasHands(ev)) { draws.frozen = null; return; }
  const [kind, table] = due, entrants = new Set(open || table !== null ? [] : ascending(ev.waiting));
  draws.frozen = { kind, table, running, entrants };
}

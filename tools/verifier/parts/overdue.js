// The house's duties at a table, and whether it missed them: spec/audit.md, "Overdue"; the duties of
// spec/games/shared-tables.md and spec/games/poker-table.md; spec/recovery.md, "Deadlines".

const OVERDUE_GRACE_MS = 60000;

extendHouse({
  /**
   * The command that this table must get now, or null. On a shoe that must be revealed no bets are opened: that belongs
   * to a deadline.
   */
  dutyOf(table) {
    const duty = this.dutyInOrder(table);
    return duty && duty.open_bets && this.isIdleShoe(table.lastTime) ? null : duty;
  },

  /** The same without the duty for a used shoe that is idle. */
  dutyInOrder(table) {
    const named = name => ({ [name]: { table: table.name } }), { window, live, shoe, rules } = table;
    this.table = table;
    if (live || table.recovering) return null;
    if (window) {
      const least = table.event ? 1 : gameOf(rules).leastPlayers;
      const all = [...window.expected].every(player => window.bets.has(player));
      return rules.table.close_early && window.bets.size >= least && all ? this.windowsEnd(table) : null;
    }
    // The event decides the duties of a tournament's table between hands.
    if (table.event) return null;
    if (isCash(table)) {
      if (this.cashSeats().some(seat => this.isUntidy(seat, table.lastTime))) return named('tidy_seats');
    } else {
      if (this.idleSeats(table.lastTime).length) return named('tidy_seats');
      if (!shoe) return named('commit_shoe');
      if (this.hasNewcomer() || this.isFull()) return named('retire_shoe');
    }
    return table.pauseUntil > table.lastTime ? null : this.nextRoundDue(table);
  },

  /** The call of a hand, or bets, if a player wants to play and no round is in play: once the pause is over. */
  nextRoundDue(table) {
    const named = name => ({ [name]: { table: table.name } });
    if (isCash(table)) return this.cashSeats().filter(this.isReady).length >= 2 ? named('call_hand') : null;
    const wanted = table.asked.size || (table.goesOn && this.regulars().length);
    return table.rules.table.mode === 'shared' && wanted ? named('open_bets') : null;
  },

  /** The command that ends an open betting window or call for a hand. */
  windowsEnd: table => ({
    [isCash(table) ? 'close_call' : 'close_bets']: { table: table.name, round_no: table.window.no },
  }),

  /** The deadlines of this table, `{at, command}`. */
  deadlinesOf(table) {
    const { name, window, live, shoe, rules } = table, list = [], solo = rules.table.mode === 'solo';
    const add = (at, command) => list.push({ at, command });
    const lapse = (at, lapsed) => add(at, { lapse: { table: name, round_no: live.no, lapsed } });
    this.table = table;
    if (window) add(window.closesAt, this.windowsEnd(table));
    else if (live && !live.opened) lapse(live.revealBy, 'reveal');
    else if (live && live.pile) lapse(live.pile.by, 'pile');
    else if (live && solo) lapse(live.settleBy, 'round');
    else if (live) [...live.decisions.keys()].forEach(decision => lapse(this.deadline(decision), 'turn'));
    if (live || window || !this.duesKnown) return list;
    if (shoe && shoe.lastEnd !== null) add(shoe.lastEnd + SHOE_IDLE_MS, { retire_shoe: { table: name } });
    if (table.idleMs !== undefined) add(table.lastTime + table.idleMs, { close_table: { table: name } });
    if (table.event) return list;
    const sitting = isCash(table)
      ? this.cashSeats()
          .filter(({ out }) => out)
          .map(({ player }) => player)
      : [...table.seats.values()].filter(player => !table.asked.has(player));
    sitting.forEach(player => add(this.idleFrom(player), { tidy_seats: { table: name } }));
    const next = table.pauseUntil > table.lastTime ? this.nextRoundDue(table) : null;
    if (next) add(table.pauseUntil, next);
    return list;
  },

  /** After an entry of a table: its duty, and since when. */
  noteDue(table, command) {
    if (!this.tables.has(table.name)) return;
    const before = table.due || {}, now = this.time, duty = this.duesKnown ? this.dutyOf(table) : null;
    const deadline = this.deadlinesOf(table).sort((a, b) => a.at - b.at)[0];
    const stays = duty && before.duty && quote(before.duty.command) === quote(duty) && quote(command) !== quote(duty);
    const same = deadline && before.deadline && before.deadline.at === deadline.at;
    table.due = {
      duty: duty && { command: duty, since: stays ? before.duty.since : now },
      deadline: deadline && { ...deadline, since: same ? before.deadline.since : Math.max(deadline.at, now) },
    };
  },

  /** The duties of these tables that are overdue beyond the grace, the oldest first: none if the log has ended. */
  overdueAt(time, tables, ready) {
    if (this.ended) return [];
    const late = tables.flatMap(({ name, due = {} }) =>
      [due.duty, due.deadline]
        .filter(kept => kept && time > Math.max(kept.since, ready) + OVERDUE_GRACE_MS)
        .map(({ command, since }) => ({ name, command, since })),
    );
    return late.sort((a, b) => a.since - b.since || compareText(a.name, b.name));
  },

  /**
   * The tables that wait longer than the grace to be put in order after the dealer's start: no one can play there
   * meanwhile.
   */
  overdueRecoveries(time) {
    const late =
      time > this.startedAt + OVERDUE_GRACE_MS ? [...this.tables.values()].filter(({ recovering }) => recovering) : [];
    return late
      .map(({ name }) => ({ name, command: { recover: { table: name } }, since: this.startedAt }))
      .sort((a, b) => compareText(a.name, b.name));
  },

  /**
   * Before an entry: no duty may be overdue beyond the grace; if the log has ended there is no duty. For a bundle its
   * own table's entries are judged.
   */
  checkOverdue({ time, at, command }) {
    if (this.ended) return;
    if (command.start_dealer || (this.stated && !(this.entered && at && this.tables.has(at.table)))) return;
    const [waiting] = this.overdueRecoveries(time);
    if (waiting)
      unsound('overdue', `table ${waiting.name}: ${quote(waiting.command)} was due since ${clock(waiting.since)}`);
    if ([...this.tables.values()].some(({ recovering }) => recovering)) return;
    let judged = [...this.tables.values(), ...this.events.values()], { ready } = this;
    if (this.stated) {
      const table = this.tables.get(at.table);
      if (table.justRecovered) { Object.assign(table, { justRecovered: false, ready: time }); return; }
      [judged, ready] = [[table], table.ready || 0];
    }
    const [first] = this.overdueAt(time, judged, ready);
    if (first) unsound('overdue', `table ${first.name}: ${quote(first.command)} was due since ${clock(first.since)}`);
    if (!this.stated) this.checkDismissals(time, ready);
  },
});

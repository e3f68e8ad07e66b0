// A table between rounds, as the entry that commits a shoe states it: spec/entries.md, "The table as it stands".

extendHouse({
  /** States the table as it was before this entry. */
  noteTable() { this.say('table_noted', this.notedTable(this.table)); },

  notedTable(table) {
    const shared = table.rules.table.mode === 'shared', players = list => [...list].sort(compareText);
    const used = player => table.used.get(player) ?? 0;
    const waiting = [...table.wishes]
      .filter(([, since]) => table.lastTime < since + WISH_MS)
      .sort(([a], [b]) => compareText(a, b));
    const betting = () => ({
      seats: [...table.seats]
        .sort(([a], [b]) => a - b)
        .map(([seat, player]) => ({ seat, player, used: used(player), misses: table.misses.get(player) || 0 })),
      asked: players(table.asked),
      newcomers: players(table.newcomers),
      last: players(table.last),
      goes_on: table.goesOn,
      waiting,
    });
    const cash = () => ({
      seats: this.cashSeats(table).map(seat => ({
        seat: seat.seat,
        player: seat.player,
        used: used(seat.player),
        stack: seat.stack,
        sitting_out: seat.out,
        owes: { ...seat.owes },
        entry: seat.entry, straddle: seat.straddle, hands: seat.hands, away: seat.away, bank_ms: seat.bank,
        ...(seat.cutOff ? { cut_off: seat.cutOff } : {}),
      })),
      ...(table.positions ? { positions: table.positions } : {}),
      ...(table.place ? { event: table.place } : {}),
      carried: players(table.carried.keys()).map(player => [player, table.carried.get(player)]), waiting,
    });
    return {
      next_round: table.nextRound,
      last_used: table.lastTime,
      ...(table.pauseUntil > table.lastTime ? { pause_until: table.pauseUntil } : {}),
      ...(isCash(table) ? { cash: cash() } : shared ? { betting: betting() } : {}),
    };
  },

  /**
   * Why no table can have this state at the entry of this place and shoe, with a last entry at `earliest` or later; or
   * null.
   */
  cannotFollow({ next_round: nextRound, last_used: lastUsed, betting, cash }, seq, shoeNo, earliest) {
    const { seats, waiting } = betting || cash || { seats: [], waiting: [] }, before = seq - 1;
    if (before < 0) return 'it stands in the place of the table\'s opening';
    if (lastUsed < earliest || seats.some(({ used }) => used < earliest))
      return 'its last entry, or the use of a seat, is before the table was opened or put in order';
    if (
      nextRound > before ||
      shoeNo > before ||
      (!before && (seats.length || waiting.length || (betting && betting.last.length)))
    )
      return 'more happened at it than it had entries';
    return shoeNo === 0 && betting && betting.newcomers.length ? 'its first shoe was changed for somebody' : null;
  },

  /** A table pauses after a round, at most as long as its rule set says. */
  isPause(rules, { next_round: nextRound, last_used: lastUsed, pause_until: until }) {
    const longest = lastUsed + (rules.table.between_hands_ms || 0);
    return until === undefined || (nextRound > 0 && until > lastUsed && until <= longest);
  },

  /** Takes the noted state without checks: for a state that is known to be the log's. */
  putNoted(table, { next_round: nextRound, last_used: lastUsed, pause_until: pauseUntil = 0, betting, cash }) {
    Object.assign(table, { nextRound, lastTime: lastUsed, pauseUntil });
    if (betting) {
      for (const { seat, player, used, misses } of betting.seats) {
        table.seats.set(seat, player);
        table.misses.set(player, misses);
        table.used.set(player, used);
      }
      table.asked = new Set(betting.asked);
      table.newcomers = new Set(betting.newcomers);
      Object.assign(table, { last: [...new Set(betting.last)], goesOn: betting.goes_on });
    }
    for (const { seat, player, used, sitting_out: out, bank_ms: bank, cut_off: cutOff = null, ...rest } of
      cash ? cash.seats : []) {
      const own = { ...rest, seat, player, out, bank, cutOff, owes: { ...rest.owes } };
      table.cash.set(seat, { ...own, leaving: false, topUp: 0 });
      table.used.set(player, used);
    }
    if (cash)
      Object.assign(table, {
        positions: cash.positions || null, carried: new Map(cash.carried), place: cash.event || null,
      });
    if (betting || cash) table.wishes = new Map((betting || cash).waiting);
  },

  /**
   * Takes a bundle's table state before its first entry, which is at `time`; returns why it is impossible, or null.
   */
  takeNoted(table, noted, time) {
    const { betting, cash } = noted, cashTable = isCash(table), shared = table.rules.table.mode === 'shared';
    const named = [
      ...(betting ? [...betting.newcomers, ...betting.last] : []),
      ...[...((betting || cash || {}).seats || [])].map(({ player }) => player),
      ...((betting || cash || {}).waiting || []).map(([player]) => player),
    ];
    named.forEach(player => this.players.add(player));
    const ofEvent = !!cash && cash.event !== undefined;
    if (!!cash !== cashTable || !!betting !== (shared && !cashTable) || ofEvent !== (table.event !== null))
      return 'it states seats of another kind of table';
    if (noted.last_used > time) return 'its last entry is after this one';
    if (!this.isPause(table.rules, noted)) return 'it pauses as its rule set does not say';
    if (betting && noted.next_round === 0 && (betting.goes_on || betting.last.length))
      return 'it had a last round before its first';
    Object.assign(table, {
      nextRound: noted.next_round, firstRound: noted.next_round, lastTime: noted.last_used,
      pauseUntil: noted.pause_until || 0,
    });
    if (!shared) return null;
    const { seats, waiting } = betting || cash,
      ascending = list => list.every((name, i) => !i || compareText(list[i - 1], name) < 0);
    const sitting = new Set(seats.map(({ player }) => player));
    if (
      sitting.size < seats.length ||
      !seats.every(({ seat }, i) => seat >= 1 && seat <= table.rules.table.seats && (!i || seats[i - 1].seat < seat))
    )
      return "its seats do not ascend, are not the table's, or one player has two";
    if (seats.some(({ used, misses = 0 }) => used > noted.last_used || misses > 2))
      return 'a seat was used after the last entry, or should be lost';
    seats.forEach(({ player, used }) => table.used.set(player, used));
    if (waiting.length > table.rules.table.seats) return 'more players wait than it has seats';
    if (
      !ascending(waiting.map(([player]) => player)) ||
      waiting.some(
        ([player, since]) => sitting.has(player) || since > noted.last_used || noted.last_used >= since + WISH_MS,
      )
    )
      return 'somebody waits who sits, or whose wish is over';
    table.wishes = new Map(waiting);
    return betting ? this.takeBetting(table, betting, ascending, sitting) : this.takeCash(table, cash, ascending);
  },

  takeBetting(table, { seats, asked, newcomers, last, goes_on }, ascending, sitting) {
    if (![asked, newcomers, last].every(ascending)) return 'a list of players does not ascend';
    if (!asked.every(player => sitting.has(player))) return 'somebody who does not sit asks to play';
    for (const { seat, player, misses } of seats) {
      table.seats.set(seat, player);
      table.misses.set(player, misses);
    }
    Object.assign(table, { asked: new Set(asked), newcomers: new Set(newcomers), last, goesOn: goes_on });
    return null;
  },

  takeCash(table, { seats, positions, event: place, carried }, ascending) {
    if (place) Object.assign(table, { place, rules: rulesAtBlinds(table.rules, place.blinds) });
    const { clocks, leave_table: leaving } = table.rules.game.poker;
    if (place && ((place.doubled || 0) > MOST_DOUBLED || (place.late_extra_ms || 0) > MOST_EXTRA_MS))
      return 'what its tournament says of its hands cannot be';
    for (const one of seats) {
      const { seat, player, stack, sitting_out, owes, entry, straddle, hands, away, bank_ms, cut_off } = one;
      // A tournament's player without chips may be about to rebuy.
      const untidy = !place && (away >= leaving.sit_out_hands || (stack === 0 && !sitting_out) || !!cut_off);
      if (untidy || bank_ms > clocks.bank_ms)
        return 'a seat is as none is when a hand is called';
      table.cash.set(seat, {
        seat,
        player,
        stack,
        out: sitting_out,
        owes: { ...owes },
        entry, straddle, hands, away, bank: bank_ms, leaving: false, topUp: 0, cutOff: cut_off || null,
      });
      this.accounts.set(this.seatAccount(table, seat), stack);
    }
    if (2 * sum(seats.map(({ stack }) => stack)) > HALF) return 'its stacks are more than a table may hold';
    if (positions && !Object.values(positions).every(whole(1, table.rules.table.seats)))
      return 'the button or a blind is at no seat of the table';
    const plays = player => [...table.cash.values()].some(seat => seat.player === player && !seat.out);
    if (!ascending(carried.map(([player]) => player)) || !carried.every(([player]) => plays(player)))
      return 'somebody who does not play has committed a seed';
    Object.assign(table, { positions: positions || null, carried: new Map(carried) });
    return null;
  },
});

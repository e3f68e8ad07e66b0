// Cash tables of poker, between hands: seats, stacks, debts, leaving. spec/games/poker-table.md.
//
// A command of both kinds of table that is decided differently here is a method `cash_NAME`.

const isCash = table => !!table && gameOf(table.rules).cash === true;
const newDebts = () => ({ entry: false, small: false, big: false, third: false });
const owesAny = ({ owes }) => owes.entry || owes.small || owes.big || owes.third;

extendHouse({
  cashOptions() { return this.table.rules.game.poker; },
  seatAccount: (table, seat) => `seat:${table.name}/${seat}`,
  betweenHands() { return !this.table.live && !this.table.window; },
  isReady: seat => !seat.out && !seat.leaving && seat.stack > 0,
  cashSeats(table = this.table) { return [...table.cash.values()].sort((a, b) => a.seat - b.seat); },

  /** The seat of a player, or undefined. */
  cashSeat(player) { return [...this.table.cash.values()].find(seat => seat.player === player); },

  /** A newcomer's seat. */
  sitDown(player, number) {
    const { bank_ms: bank } = this.cashOptions().clocks;
    const seat = {
      seat: number,
      player,
      stack: 0,
      out: false,
      owes: { ...newDebts(), entry: true },
      entry: 'post', straddle: false, hands: 0, away: 0, bank, leaving: false, topUp: 0, cutOff: null,
    };
    this.table.cash.set(number, seat);
    return seat;
  },

  seated(who) {
    this.existing(who);
    const seat = this.cashSeat(who);
    need(seat, 'not_seated');
    return seat;
  },

  // --- Sitting down, in and out -------------------------------------------------------------------

  sit_down({ seat: number, buy_in: amount, client = 'desktop', entry = 'post' }, who) {
    const table = this.table, limits = table.rules.table;
    this.existing(who);
    this.free(who);
    need(
      number >= 1 &&
        number <= limits.seats &&
        !table.cash.has(number) &&
        ![...table.cash.values()].some(({ player }) => player === who),
      'seat_not_free',
    );
    need(
      amount >= limits.stake_min && amount <= limits.stake_max && amount % limits.stake_step === 0,
      'buy_in_out_of_range',
    );
    need(this.balance(who) >= amount, 'insufficient_balance');
    this.needRoom(amount);
    const held = sum(
      [...this.tables.values()]
        .filter(isCash)
        .map(({ cash }) => [...cash.values()].filter(({ player }) => player === who).length),
    );
    need(held < this.cashOptions().most_seats[client], 'too_many_seats');
    need(
      this.cashOptions().leave_table.exempt || this.time >= (this.blocks.get(`${who} ${this.level()}`) || 0),
      'level_blocked',
    );
    const seat = this.sitDown(who, number);
    this.useSeat(who);
    table.wishes.delete(who);
    this.say('seat_taken', { player: who, seat: number });
    this.addChips(seat, amount);
    this.sitIn(seat, entry, false);
  },

  /** Twice the sum of all stacks of the table, with this amount, is at most 2^52 − 1. */
  needRoom(amount) {
    const stacks = sum(this.cashSeats().map(({ stack }) => stack));
    need(2 * (stacks + amount) <= HALF, 'amount_out_of_range');
  },

  addChips(seat, amount) {
    seat.stack += amount;
    seat.topUp = 0;
    this.say('chips_added', { player: seat.player, seat: seat.seat, amount, stack: seat.stack });
    this.post([`player:${seat.player}`, -amount], [this.seatAccount(this.table, seat.seat), amount]);
  },

  sitIn(seat, entry, straddle) {
    Object.assign(seat, { out: false, entry, straddle });
    if (this.table.window && this.isReady(seat)) this.table.window.expected.add(seat.player);
    this.say('sat_in', { player: seat.player, seat: seat.seat, entry, straddle });
  },

  sitOut(seat, cause) {
    const table = this.table;
    seat.out = true;
    table.carried.delete(seat.player);
    if (table.window) table.window.expected.delete(seat.player);
    this.say('sat_out', { player: seat.player, seat: seat.seat, cause });
  },

  sit_in({ entry, straddle }, who) {
    const seat = this.seated(who);
    this.free(who);
    const asked = {
      entry: entry === undefined ? seat.entry : entry,
      straddle: straddle === undefined ? seat.straddle : straddle,
    };
    need(
      !seat.leaving && (seat.out || asked.entry !== seat.entry || asked.straddle !== seat.straddle),
      'nothing_to_do',
    );
    need(seat.stack > 0 || seat.topUp > 0, 'chips_needed');
    this.sitIn(seat, asked.entry, asked.straddle);
  },

  /** The player's commitment for the called hand no longer counts. */
  withdrawCommitment(player) {
    const { window } = this.table;
    if (window && window.bets.delete(player)) this.say('hand_seed_withdrawn', { player });
  },

  sit_out(fields, who) {
    const seat = this.seated(who);
    need(!seat.out, 'nothing_to_do');
    this.withdrawCommitment(who);
    this.goAway(who);
    this.sitOut(seat, 'asked');
  },

  /** Before the first seed of a hand is published, no one knows anything about it. */
  goAway(player) {
    const { live } = this.table, plays = live && live.contributors.some(placed => placed.player === player);
    if (plays && !live.opened && !live.seeds.size) live.wentAway.add(player);
  },

  add_chips({ amount }, who) {
    const seat = this.seated(who), limits = this.table.rules.table;
    if (amount === 0) need(seat.topUp > 0, 'nothing_to_do');
    else {
      need(seat.stack + amount >= limits.stake_min && seat.stack + amount <= limits.stake_max, 'buy_in_out_of_range');
      need(amount % limits.stake_step === 0, 'buy_in_out_of_range');
      this.needRoom(amount);
      need(this.stated || this.balance(who) >= amount, 'insufficient_balance');
      this.checkLoss('add_chips', { amount }, who);
    }
    if (amount && this.betweenHands()) { this.addChips(seat, amount); return; }
    seat.topUp = amount;
    this.say('chips_asked', { player: who, seat: seat.seat, amount });
  },

  // --- Leaving ------------------------------------------------------------------------------------

  level() {
    const { small, big, third } = this.cashOptions().blinds;
    return [small, big, ...(third === undefined ? [] : [third])].join('/');
  },

  cash_leave_seat(fields, who) {
    const table = this.table, seat = this.seated(who);
    need(!seat.leaving, 'nothing_to_do');
    if (this.betweenHands()) { this.leave(seat, true); return; }
    this.withdrawCommitment(who);
    this.goAway(who);
    seat.leaving = true;
    table.carried.delete(who);
    if (table.window) table.window.expected.delete(who);
    this.say('leave_asked', { player: who, seat: seat.seat });
    if (table.live && table.live.opened) this.course();
  },

  cash_unseat({ player }) {
    this.only('operator');
    const table = this.table, seat = this.cashSeat(player);
    need(seat, 'not_seated');
    need(!seat.leaving, 'nothing_to_do');
    need(!table.live || !table.live.contributors.some(placed => placed.player === player), 'round_in_progress');
    if (this.betweenHands()) { this.leave(seat, false); return; }
    this.withdrawCommitment(player);
    Object.assign(seat, { leaving: true, unseated: true });
    table.carried.delete(player);
    if (table.window) table.window.expected.delete(player);
    this.say('leave_asked', { player, seat: seat.seat });
  },

  /** spec/games/poker-table.md, "Leaving". */
  leave(seat, counted) {
    const table = this.table, { player, stack } = seat, account = this.seatAccount(table, seat.seat);
    this.post([account, -stack], [`player:${player}`, stack]);
    table.cash.delete(seat.seat);
    table.carried.delete(player);
    table.used.delete(player);
    this.say('seat_left', { player, seat: seat.seat });
    if (counted && !this.cashOptions().leave_table.exempt && table.cash.size && seat.hands >= 1 && seat.hands <= 9)
      this.countRefusal(player);
  },

  countRefusal(player) {
    const level = this.level(), key = `${player} ${level}`;
    const times = [...(this.refusals.get(key) || []).filter(at => this.time - at < HOURS_12), this.time];
    // A verifier of one table trusts the log about other tables, but counts at least what it shows.
    const claimed = this.stated && this.claim('left_early'), known = claimed && isCount(claimed.refusals);
    const refusals = known && claimed.refusals >= times.length ? claimed.refusals : times.length;
    const step = this.time + LADDER_MINUTES[Math.min(refusals, LADDER_MINUTES.length) - 1] * 60000;
    const least = Math.max(step, this.blocks.get(key) || 0);
    const longest = this.time + LADDER_MINUTES[LADDER_MINUTES.length - 1] * 60000;
    const until =
      known && refusals > 1 && isCount(claimed.until) && claimed.until > least && claimed.until <= longest
        ? claimed.until
        : least;
    this.refusals.set(key, times);
    this.blocks.set(key, until);
    this.say('left_early', { player, level, refusals, until });
  },

  isUntidy(seat, at) {
    return (
      seat.leaving ||
      seat.topUp > 0 ||
      seat.away >= this.cashOptions().leave_table.sit_out_hands ||
      (seat.stack === 0 && !seat.out) ||
      this.isIdle(seat, at)
    );
  },
  isIdle(seat, at) { return seat.out && this.unusedAt(seat.player, at); },

  cash_tidy_seats() {
    this.only('house');
    const { leave_table: leaving } = this.cashOptions(),
      limits = this.table.rules.table,
      untidy = this.cashSeats().filter(seat => this.isUntidy(seat, this.time));
    need(this.betweenHands() && untidy.length, 'nothing_to_do');
    for (const seat of untidy) {
      if (seat.leaving) { this.leave(seat, !seat.unseated); continue; }
      if (seat.away >= leaving.sit_out_hands || this.isIdle(seat, this.time)) {
        this.leave(seat, leaving.removal_counts);
        continue;
      }
      if (seat.topUp) {
        const most = Math.max(0, Math.min(seat.topUp, limits.stake_max - seat.stack, this.balance(seat.player))),
          amount = most - (most % limits.stake_step);
        if (amount) this.addChips(seat, amount);
        else { seat.topUp = 0; this.say('chips_asked', { player: seat.player, seat: seat.seat, amount: 0 }); }
      }
      if (!seat.stack && !seat.out) this.sitOut(seat, 'no_chips');
    }
  },

  cash_close_table(fields) {
    const table = this.table, ev = this.eventOf(table);
    if (table.event) {
      need(this.by === 'house', 'tournament_table');
      // If an event is cancelled, the hand in progress is rolled back (refunds.md, 1.1). In a bundle the log is trusted
      // for that.
      const isOff = this.stated || (ev && ev.stage === 'cancelled');
      need(this.stated || (ev && this.isClosing(ev, table.name)), 'nothing_to_do');
      need(isOff || this.betweenHands(), 'nothing_to_do');
      if (table.live) this.voidHand('malfunction', []);
      if (table.window) this.lapseCall('closed', false);
      this.tableClosed();
      return;
    }
    this.only('operator');
    need(!table.live, 'round_in_progress');
    this.needNoLateSeeds();
    if (table.window) this.lapseCall('closed', false);
    for (const seat of this.cashSeats()) this.leave(seat, false);
    this.tableClosed();
    for (let seat = 1; seat <= table.rules.table.seats; seat++) this.accounts.delete(this.seatAccount(table, seat));
  },

  // --- Commitments --------------------------------------------------------------------------------

  call_hand() {
    const table = this.table, ev = this.eventOf(table);
    this.only('house');
    need(!ev || this.isCallDue(ev, table.name), 'nothing_to_do'); // in a bundle the log's word
    need(this.betweenHands() && !table.shoe && this.time >= table.pauseUntil, 'nothing_to_do');
    need(table.event || !this.cashSeats().some(seat => this.isUntidy(seat, table.lastTime)), 'nothing_to_do');
    const { length: players } = this.cashSeats().filter(table.event ? ({ stack }) => stack > 0 : this.isReady);
    need(players >= 2, 'nothing_to_do');
    this.commitShoe(gameOf(table.rules).composition(table.rules));
    this.noteTable();
    const closesAt = this.time + table.rules.table.bet_time_ms;
    const window = {
      no: table.nextRound,
      closesAt,
      bets: new Map(),
      expected: new Set(
        this.cashSeats()
          .filter(this.isReady)
          .map(({ player }) => player),
      ),
    };
    this.say('hand_called', { round_no: window.no, shoe_no: table.shoe.no, closes_at: closesAt });
    const { carried } = table,
      bound = player =>
        window.expected.has(player) && (table.event || this.mayPlayOn(player)) &&
        this.time >= (this.until.get(player) || 0) && !this.elsewhereInCooldown(player);
    for (const player of [...carried.keys()].sort(compareText))
      if (bound(player)) this.place(window, player, carried.get(player));
    Object.assign(table, { window, carried: new Map() });
  },

  place(window, player, commitment) {
    window.bets.set(player, { player, bets: [], commitment });
    this.say('hand_seed_committed', { player, commitment });
  },

  commit_hand_seed({ round_no, commitment }, who) {
    const { window, nextRound, carried } = this.table, seat = this.seated(who);
    this.free(who);
    // A player who comes back to a tournament's table says so by a commitment.
    const back = !!this.table.event && seat.out && seat.stack > 0;
    need(this.isReady(seat) || back, 'sitting_out');
    if (!window) {
      need(round_no === nextRound, 'wrong_round');
      if (back) this.sitIn(seat, 'post', false);
      carried.set(who, commitment);
      this.say('next_committed', { player: who, commitment });
      return;
    }
    need(round_no === window.no, 'wrong_round');
    need(this.time < window.closesAt, 'deadline_passed');
    if (back) this.sitIn(seat, 'post', false);
    this.place(window, who, commitment);
  },

  withdraw_hand_seed({ round_no }, who) {
    this.existing(who);
    const { window, live } = this.table;
    need(window || !live, 'round_in_progress');
    need(window, 'hand_not_called');
    need(window.no === round_no, 'wrong_round');
    need(window.bets.has(who), 'no_bet');
    need(this.time < window.closesAt, 'deadline_passed');
    this.withdrawCommitment(who);
  },

  /** The call ends without a hand; its shoe is shown. */
  lapseCall(cause, announced) {
    const table = this.table, { window } = table;
    table.window = null;
    this.giveChangesBack(window);
    this.say('call_lapsed', { round_no: window.no, cause, ...(announced ? { announced: true } : {}) });
    this.revealShoe(null);
  },

  disclose_shoe({ table, shoe_no, reason }) {
    need(this.by.startsWith('auditor:'), 'not_allowed');
    const used = this.usedTables.get(table), sealed = used ? used.sealed : [];
    need(sealed.some(([, first, last]) => first <= shoe_no && shoe_no <= last), 'shoe_not_sealed');
    this.say('shoe_disclosed', { table, shoe_no, auditor: this.by.slice(8) });
  },
});

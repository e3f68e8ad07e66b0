// Seats, betting windows, bets, cooldowns: spec/games/shared-tables.md and spec/entries.md, "Bets".

const WISH_MS = 600000, SEAT_IDLE_MS = 1800000, MOST_AWAY_MS = 300000;

extendHouse({
  shared() { need(this.table.rules.table.mode === 'shared', 'solo_table'); },

  mayBet(player) {
    const shoe = this.table.shoe;
    return gameOf(this.table.rules).wheel || !shoe || shoe.bettors === null || shoe.bettors.has(player);
  },

  seatOf(player) {
    const taken = [...this.table.seats].find(([, sitter]) => sitter === player);
    return taken ? taken[0] : null;
  },
  sits(player) { return this.seatOf(player) !== null; },
  regulars() { return this.table.last.filter(player => this.sits(player)); },
  free(player) { need(this.time >= (this.until.get(player) || 0), 'cooldown'); },

  take_seat({ seat }, who) {
    const table = this.table;
    this.existing(who);
    this.shared();
    this.free(who);
    need(!this.sits(who) && seat >= 1 && seat <= table.rules.table.seats && !table.seats.has(seat), 'seat_not_free');
    const others = table.window ? [...table.window.bets.values()].filter(({ player }) => player !== who) : [];
    need(
      !gameOf(table.rules).spotIsSeat || !others.some(({ bets }) => bets.some(({ spot }) => spot === String(seat))),
      'seat_not_free',
    );
    need(this.balance(who) >= table.rules.table.stake_min, 'chips_needed');
    table.seats.set(seat, who);
    table.wishes.delete(who);
    table.misses.set(who, 0);
    this.say('seat_taken', { player: who, seat });
    this.askToPlay(who);
  },

  askToPlay(player) {
    const { window, asked } = this.table;
    asked.add(player);
    this.useSeat(player);
    if (window && this.mayBet(player)) window.expected.add(player);
    this.say('play_asked', { player });
  },

  ask_to_play(fields, who) {
    const { window, asked } = this.table;
    this.existing(who);
    this.shared();
    this.free(who);
    need(this.sits(who), 'not_seated');
    need(!asked.has(who) && !(window && window.expected.has(who)), 'nothing_to_do');
    this.askToPlay(who);
  },

  // --- Idle seats: spec/games/shared-tables.md, "Seats" ---------------------------------------------

  /** A player's last use of the seat is this entry. */
  useSeat(player) { this.table.used.set(player, this.time); },
  useSeats(players) {
    players.filter(player => isCash(this.table) || this.sits(player)).forEach(player => this.useSeat(player));
  },

  wishesAt(at) { return [...this.table.wishes.values()].filter(since => at < since + WISH_MS).length; },
  /** The time from which the seat of a player who does not want to play is idle, until the table's next entry. */
  idleFrom(player) {
    const { lastTime, wishes, rules } = this.table, last = this.table.used.get(player);
    const { away_ms: away = MOST_AWAY_MS } = rules.table;
    const [long, soon] = [SEAT_IDLE_MS, away].map(idle => Math.max(lastTime, last + idle));
    return [...wishes.values()].some(since => soon < since + WISH_MS) ? Math.min(long, soon) : long;
  },
  unusedAt(player, at) { return at >= this.idleFrom(player); },
  idleSeats(at) {
    return [...this.table.seats]
      .sort(([a], [b]) => a - b)
      .filter(([, player]) => !this.table.asked.has(player) && this.unusedAt(player, at))
      .map(([, player]) => player);
  },

  tidy_seats() {
    const { window, live } = this.table;
    this.only('house');
    this.shared();
    need(!window && !live, 'nothing_to_do');
    const idle = this.idleSeats(this.time);
    need(idle.length, 'nothing_to_do');
    idle.forEach(player => this.freeSeat(player));
  },

  want_seat(fields, who) {
    const { rules, seats, cash, wishes } = this.table,
      sitting = isCash(this.table) ? [...cash.values()].map(({ player }) => player) : [...seats.values()];
    this.existing(who);
    this.shared();
    this.free(who);
    need(!sitting.includes(who), 'nothing_to_do');
    need(sitting.length === rules.table.seats && !(this.time < wishes.get(who) + WISH_MS), 'nothing_to_do');
    need(this.wishesAt(this.time) < rules.table.seats, 'too_many_waiting');
    need(this.stated || this.balance(who) >= rules.table.stake_min, 'chips_needed');
    wishes.set(who, this.time);
    this.say('seat_wanted', { player: who });
  },

  leave_seat(fields, who) {
    this.existing(who);
    this.shared();
    this.getUp(who);
  },

  unseat({ player }) {
    const { newcomers } = this.table;
    this.only('operator');
    this.shared();
    this.getUp(player);
    newcomers.delete(player);
  },

  getUp(player) {
    const { window } = this.table;
    need(this.sits(player), 'not_seated');
    if (window && window.bets.has(player)) {
      need(this.time < window.closesAt, 'deadline_passed');
      this.takeBack(player);
    }
    this.freeSeat(player);
  },

  freeSeat(player) {
    const table = this.table, seat = this.seatOf(player);
    table.seats.delete(seat);
    table.used.delete(player);
    table.misses.delete(player);
    table.asked.delete(player);
    if (table.window) table.window.expected.delete(player);
    this.say('seat_left', { player, seat });
  },

  open_bets() {
    const table = this.table;
    this.only('house');
    this.shared();
    need(table.shoe, 'no_shoe');
    const wanted = table.asked.size || (table.goesOn && this.regulars().length);
    need(!table.live && !table.window && wanted && this.time >= table.pauseUntil, 'nothing_to_do');
    need([...table.asked].every(player => this.mayBet(player)), 'nothing_to_do');
    need(!this.isFull() && !this.isIdleShoe(this.time), 'nothing_to_do');
    need(!this.idleSeats(table.lastTime).length, 'nothing_to_do');
    const closesAt = this.time + table.rules.table.bet_time_ms;
    table.window = {
      no: table.nextRound,
      closesAt,
      bets: new Map(),
      expected: new Set([...table.asked, ...this.regulars()]),
    };
    Object.assign(table, { asked: new Set(), goesOn: false });
    this.say('bets_opened', { round_no: table.window.no, shoe_no: table.shoe.no, closes_at: closesAt });
  },

  window(roundNo) {
    const { window, live } = this.table;
    need(window || !live, 'round_in_progress');
    need(window, 'bets_not_open');
    need(window.no === roundNo, 'wrong_round');
    return window;
  },

  stakeOf: placed => sum(placed.bets.map(bet => bet.stake)),

  /** Refuses bets that a player with `funds` may not place, including their bets in this window. */
  checkBets(who, bets, funds) {
    const table = this.table, { rules } = table, limits = rules.table, game = gameOf(rules), seen = new Set();
    need(bets.length >= 1 && bets.length <= limits.bets_per_player, 'bet_count');
    const written = sum(bets.map(bet => (bet.chips ? bet.chips.join().length : 0)));
    need(written <= (limits.mode === 'shared' ? 20000 / limits.seats : 6000), 'malformed', 'too long a list of chips');
    for (const bet of bets) {
      const why = game.refuseSpot(rules, bet);
      if (why === 'unknown_spot') refuse(why, bet.spot);
      need(!seen.has(bet.spot), 'spot_twice');
      seen.add(bet.spot);
      let placed = 0;
      for (const chip of bet.chips || []) {
        need(limits.chips.includes(chip), 'unknown_chip');
        need(chip <= funds - placed, 'chip_above_balance');
        placed += chip;
        need(placed <= limits.stake_max, 'above_maximum');
      }
      need(!bet.chips || placed === bet.stake, 'chips_differ');
      need(bet.stake >= limits.stake_min, 'below_minimum');
      need(bet.stake <= limits.stake_max, 'above_maximum');
      need(bet.stake % limits.stake_step === 0, 'off_step');
      if (why) refuse(why);
    }
    const total = sum(bets.map(bet => bet.stake));
    need(total <= funds, 'insufficient_balance');
    need(funds <= HALF && (this.stated || this.accounts.get(this.houseAccount()) >= -HALF), 'amount_out_of_range');
    const others = table.window ? [...table.window.bets.values()].filter(({ player }) => player !== who) : [];
    need(total + sum(others.map(this.stakeOf)) <= 2 ** 42, 'amount_out_of_range');
    if (game.spotIsSeat && limits.mode === 'shared') {
      const taken = new Set(others.flatMap(placed => placed.bets.map(bet => bet.spot)));
      for (const [seat, sitter] of table.seats) if (sitter !== who) taken.add(String(seat));
      need(!bets.some(bet => taken.has(bet.spot)), 'spot_taken');
    }
    return total;
  },

  bet({ round_no, bets, commitment }, who) {
    const table = this.table, placed = { player: who, bets, commitment };
    this.existing(who);
    need(!table.owner || table.owner === who, 'not_allowed');
    need(!table.live, 'round_in_progress');
    if (table.rules.table.mode === 'solo') return this.betAlone(placed, round_no);
    const window = this.window(round_no);
    this.free(who);
    need(this.sits(who), 'not_seated');
    need(this.mayBet(who), 'newcomer_waits');
    need(this.time < window.closesAt, 'deadline_passed');
    const lying = window.bets.has(who) ? this.stakeOf(window.bets.get(who)) : 0;
    const more = this.checkBets(who, bets, this.balance(who) + lying) - lying;
    window.bets.set(who, placed);
    this.useSeat(who);
    this.say('bet_placed', { bet: placed });
    return this.post([`player:${who}`, -more], [`table:${table.name}`, more]);
  },

  betAlone(placed, roundNo) {
    const table = this.table, who = placed.player;
    need(table.shoe, 'no_shoe');
    need(table.nextRound === roundNo, 'wrong_round');
    const total = this.checkBets(who, placed.bets, this.balance(who));
    this.say('bets_opened', { round_no: roundNo, shoe_no: table.shoe.no });
    this.say('bet_placed', { bet: placed });
    this.post([`player:${who}`, -total], [`table:${table.name}`, total]);
    this.bind([placed], false);
  },

  takeBack(player) {
    const { window, name } = this.table, stake = this.stakeOf(window.bets.get(player));
    window.bets.delete(player);
    this.say('bet_cancelled', { player });
    this.post([`player:${player}`, stake], [`table:${name}`, -stake]);
  },

  cancel_bet({ round_no }, who) {
    this.existing(who);
    this.shared();
    const window = this.window(round_no);
    need(window.bets.has(who), 'no_bet');
    need(this.time < window.closesAt, 'deadline_passed');
    this.takeBack(who);
  },

  close_bets({ round_no }) {
    const table = this.table, limits = table.rules.table, least = gameOf(table.rules).leastPlayers;
    this.only('house', 'operator');
    this.shared();
    const window = this.window(round_no),
      bets = [...window.bets.values()].sort((a, b) => compareText(a.player, b.player));
    const early =
      limits.close_early && bets.length >= least && [...window.expected].every(player => window.bets.has(player));
    need(this.by === 'operator' || this.time >= window.closesAt || early, 'deadline_ahead');
    const announced = this.by === 'operator' && this.time < window.closesAt;
    const late = [...table.newcomers]
      .sort(compareText)
      .filter(player => !window.bets.has(player) && !announced && this.time >= (this.until.get(player) || 0));
    if (bets.length < least) this.lapseWindow(bets.length ? 'too_few_players' : 'no_bets', announced);
    else this.bind(bets, announced);
    late.filter(player => !this.elsewhereInCooldown(player)).forEach(player => this.coolDown(player, 'no_bet'));
    if (bets.length >= least || !announced) table.newcomers = new Set();
    this.unseatMissing();
  },

  /** A player whom the house skips in a bundle's entry has a cooldown from elsewhere: the log is trusted for it. */
  elsewhereInCooldown(player) {
    const told = event =>
      (event.cooldown && event.cooldown.player === player) ||
      (event.hand_seed_committed && event.hand_seed_committed.player === player);
    if (!this.stated || this.logged.some(told)) return false;
    this.until.set(player, Math.max(this.until.get(player) || 0, this.time + 1));
    return true;
  },

  /** One more offence: spec/games/shared-tables.md, "The ladder". */
  coolDown(player, offence) {
    const times = [...(this.offences.get(player) || []).filter(at => this.time - at < HOURS_12), this.time];
    const claimed = this.stated && this.claim('cooldown');
    const count =
      claimed && isCount(claimed.offences) && claimed.offences >= times.length ? claimed.offences : times.length;
    const least = Math.max(
      this.time + LADDER_MINUTES[Math.min(count, LADDER_MINUTES.length) - 1] * 60000,
      this.until.get(player) || 0,
    );
    // An earlier cooldown from elsewhere may last longer, where there was an earlier offence.
    const longest = this.time + LADDER_MINUTES[LADDER_MINUTES.length - 1] * 60000;
    const until =
      claimed && count > 1 && isCount(claimed.until) && claimed.until > least && claimed.until <= longest
        ? claimed.until
        : least;
    this.offences.set(player, times);
    this.until.set(player, until);
    this.say('cooldown', { player, offence, offences: count, until });
  },

  countMisses({ bets }, announced) {
    const { misses, seats } = this.table;
    for (const player of seats.values())
      misses.set(player, bets.has(player) ? 0 : misses.get(player) + (announced ? 0 : 1));
  },

  /** A player who let three windows in a row end loses the seat, by ascending seat. */
  unseatMissing() {
    const { misses, seats } = this.table;
    [...seats]
      .sort(([a], [b]) => a - b)
      .filter(([, player]) => misses.get(player) >= 3)
      .forEach(([, player]) => this.freeSeat(player));
  },

  /** The window ends without a round: every bet comes back. */
  lapseWindow(cause, announced) {
    const table = this.table, { window } = table;
    const bets = [...window.bets.values()]
      .sort((a, b) => compareText(a.player, b.player))
      .map(placed => [placed.player, this.stakeOf(placed)]);
    table.window = null;
    this.giveChangesBack(window);
    this.post(...bets.map(([player, stake]) => [`player:${player}`, stake]), [
      `table:${table.name}`,
      -sum(bets.map(([, stake]) => stake)),
    ]);
    this.say('bets_lapsed', { round_no: window.no, cause, ...(announced ? { announced: true } : {}) });
    if ((cause === 'no_bets' || cause === 'too_few_players') && !announced) this.countMisses(window, false);
    else if (cause !== 'closed')
      for (const player of [...window.bets.keys(), ...window.expected]) if (this.sits(player)) table.asked.add(player);
  },

  /** Bets bind: the round is live and awaits seeds. */
  bind(contributors, announced, hand) {
    const table = this.table, { rules, shoe, window } = table;
    const roundNo = table.nextRound++, lanes = gameOf(rules).lanes(rules, contributors);
    const revealBy = this.time + waitsFor(table.name, rules.table.reveal_time_ms);
    table.live = {
      no: roundNo, shoe, contributors, lanes, revealBy, entry: this.index,
      seeds: new Map(),
      wentAway: new Set(),
      opened: false, settleBy: null, turnBy: 0, pick: 0, entropy: null, order: null, drawn: null,
      decisions: new Map(),
      nextDecision: 0,
      game: null,
      dealer: [],
      hidden: new Map(),
      piles: [shoe],
      pile: null,
      wants: null,
      staked: new Map(contributors.map(placed => [placed.player, this.stakeOf(placed)])),
      returned: new Map(),
      pending: new Map(contributors.map(placed => [placed.player, this.stakeOf(placed)])),
    };
    table.window = null;
    const cut = announced ? { announced: true } : {}, what = { round_no: roundNo, shoe_no: shoe.no };
    if (hand)
      this.say('hand_begun', {
        ...what,
        contributors: contributors.map(({ player, commitment }) => ({ player, commitment })),
        reveal_by: revealBy,
        ...cut,
        hand,
      });
    else this.say('bets_closed', { ...what, contributors, lanes, reveal_by: revealBy, ...cut });
    if (hand) table.live.game = gameOf(rules).start(rules, contributors, hand);
    if (window && !hand) {
      this.countMisses(window, announced);
      for (const player of window.bets.keys()) table.asked.delete(player);
    }
    shoe.bettors = new Set(contributors.map(({ player }) => player));
    shoe.rounds++;
    for (const { player } of contributors) table.changes.delete(player);
    this.useSeats(contributors.map(({ player }) => player));
  },
});

// Cash tables of poker, around a hand: the players dealt in, their posts, clocks, ends. spec/games/poker-table.md.

/** Seats of a list clockwise, from the one after seat `from`; that seat itself would be the last. */
const clockwise = (seats, from) =>
  seats.slice().sort((a, b) => ((a.seat - from + 255) % 256) - ((b.seat - from + 255) % 256));
/** Whether a seat lies strictly between two others, clockwise. */
const between = (seat, from, to) => (from < to ? from < seat && seat < to : seat > from || seat < to);

/** "Places": the candidates' places, `{button, small, big, third?}`, as seat numbers. */
function handPlaces(candidates, blinds, last) {
  const settled = candidates.filter(seat => !owesAny(seat));
  const button = clockwise(settled, last ? last.button : 0)[0].seat, small = clockwise(settled, button)[0].seat;
  const behind = clockwise(candidates, small).filter(({ seat }) => between(seat, small, button));
  if (!behind.length) {
    const again = last && last.big === small;
    return again ? { button: small, small, big: button } : { button, small: button, big: small };
  }
  if (blinds.third === undefined) return { button, small, big: behind[0].seat };
  const big = (behind.find(seat => !owesAny(seat)) || behind[0]).seat,
    third = clockwise(
      behind.filter(({ seat }) => between(seat, big, button)),
      big,
    )[0];
  return { button, small, big, third: third ? third.seat : button };
}

/** "Coming in": the posts of a player who owes, `{live, dead}`. */
function debtPosts(owes, blinds, entryPost) {
  if (owes.entry) return { live: blinds[entryPost], dead: 0 };
  const missed = ['third', 'big'].filter(name => owes[name]).map(name => blinds[name]);
  return { live: missed[0] || 0, dead: sum(missed.slice(1)) + (owes.small ? blinds.small : 0) };
}

/** The `hand` of hand_begun. */
function handOf(candidates, options, last) {
  const { blinds, clocks } = options,
    positions = handPlaces(candidates, blinds, last),
    { button, small, big, third } = positions;
  const largest = third === undefined ? blinds.big : blinds.third, lastBlind = third === undefined ? big : third;
  const holds = new Map([
    [small, blinds.small],
    [big, blinds.big],
    ...(third === undefined ? [] : [[third, blinds.third]]),
  ]);
  const two = small === button;
  const dealt = clockwise(candidates, button).filter(
    seat =>
      holds.has(seat.seat) ||
      !owesAny(seat) ||
      (!two && seat.entry === 'post' && lastBlind !== button && between(seat.seat, lastBlind, button)),
  );
  const first = dealt.length > 2 && blinds.straddle ? clockwise(dealt, lastBlind)[0] : null;
  const seats = dealt.map(seat => {
    const due = { seat: seat.seat, ante: blinds.ante, dead: 0, live: 0, opens: holds.has(seat.seat) };
    if (due.opens) due.live = holds.get(seat.seat);
    else if (owesAny(seat))
      Object.assign(due, (({ dead, live }) => ({ dead, live }))(debtPosts(seat.owes, blinds, blinds.entry_post)));
    else if (seat === first && seat.straddle && seat.stack >= 2 * largest + blinds.ante)
      Object.assign(due, { live: 2 * largest, opens: true });
    return {
      due,
      player: seat.player,
      stack: seat.stack,
      bank_ms: Math.min(clocks.bank_ms, seat.bank + clocks.bank_refill_ms),
    };
  });
  return { positions, seats };
}

extendHouse({
  /** Consecutive sealed shoes in one epoch make one run: [epoch, first, last]. */
  noteSealed(name, { no, epoch }) {
    const runs = this.usedTables.get(name).sealed, last = runs[runs.length - 1];
    if (last && last[0] === epoch && last[2] === no - 1) last[2] = no; else runs.push([epoch, no, no]);
  },

  close_call({ round_no }) {
    const table = this.table, limits = table.rules.table;
    this.only('house', 'operator');
    need(table.window || table.live, 'hand_not_called');
    const window = this.window(round_no), waiting = [...window.expected].filter(player => !window.bets.has(player));
    const least = table.event ? 1 : 2;
    need(this.by !== 'operator' || !table.event, 'tournament_table');
    need(
      this.by === 'operator' || this.time >= window.closesAt || (window.bets.size >= least && !waiting.length),
      'deadline_ahead',
    );
    const announced = this.by === 'operator' && this.time < window.closesAt;
    const candidates = this.cashSeats().filter(seat => window.bets.has(seat.player) && this.isReady(seat));
    const before = {
      positions: table.positions,
      seats: this.cashSeats().map(seat => [
        seat, { owes: { ...seat.owes }, away: seat.away, bank: seat.bank, cutOff: seat.cutOff },
      ]),
    };
    const hand = candidates.length < 2 || table.event ? null : this.makeHand(candidates);
    if (table.event) this.beginEventHand(window);
    else if (hand) this.bindHand(hand, window, announced);
    else this.lapseCall('too_few_players', announced);
    if (table.live) table.live.before = before;
    if (!announced) waiting.sort(compareText).forEach(player => this.sitOut(this.cashSeat(player), 'no_commitment'));
  },

  /** "Anew", then the players dealt in. */
  makeHand(candidates) {
    if (candidates.filter(seat => !owesAny(seat)).length < 2) for (const seat of candidates) seat.owes = newDebts();
    return handOf(candidates, this.cashOptions(), this.table.positions);
  },

  bindHand(hand, window, announced) {
    const table = this.table, dealt = new Map(hand.seats.map(seat => [seat.player, seat])), last = table.positions;
    // At a tournament's table all players are dealt in, present or not (R001.11).
    const contributors = [...dealt.keys()].sort(compareText).map(player => window.bets.get(player)).filter(bet => bet);
    this.bind(contributors, announced, hand);
    for (const seat of table.cash.values()) {
      if (dealt.has(seat.player)) {
        Object.assign(seat, { owes: newDebts(), away: 0, bank: dealt.get(seat.player).bank_ms });
        continue;
      }
      if (!window.bets.has(seat.player)) seat.away++;
      if (table.event) { seat.owes = newDebts(); continue; }
      for (const blind of ['small', 'big', 'third']) {
        const from = last && last[blind], to = hand.positions[blind];
        if (
          from !== undefined &&
          from !== null &&
          to !== undefined &&
          from !== to &&
          between(seat.seat, from, to) &&
          !seat.owes.entry
        )
          seat.owes[blind] = true;
      }
    }
    table.positions = hand.positions;
  },

  // --- In the hand --------------------------------------------------------------------------------

  /** Whether a player's decisions are not waited for: they leave, or committed no seed for a tournament's hand. */
  isGone(player) {
    const { event, live } = this.table;
    return event ? !live.contributors.some(placed => placed.player === player) : this.cashSeat(player).leaving;
  },

  /**
   * The extra time for the next turn of a player who was cut off late in a tournament, if their choice uses it
   * (R001.104).
   */
  lateExtra(player) {
    const { event, place } = this.table;
    if (!event || !place || this.isGone(player) || this.cashSeat(player).cutOff !== 'due') return 0;
    return place.late_extra_ms || 0;
  },

  /** Updates the cut-off state of a player by a decision in a tournament's hand: by default, or their own. */
  noteCutOff({ player, default: byDefault }) {
    if (!this.table.event) return;
    const seat = this.cashSeat(player);
    seat.cutOff = byDefault ? seat.cutOff || 'due' : null;
  },

  /** A seed comes with the commitment for the next hand. */
  commitNext(player, commitment) {
    const seat = this.cashSeat(player);
    if (!seat || !this.isReady(seat)) return;
    this.table.carried.set(player, commitment);
    this.say('next_committed', { player, commitment });
  },

  /** The time that a choice takes from the player's time bank: spec/games/poker-table.md, "Clocks". */
  useBank(decision) {
    const { live } = this.table,
      { player, bankFrom: from } = live.decisions.get(decision),
      bankFrom = from === undefined ? from : Math.max(from, live.turnBy);
    if (bankFrom === undefined || this.time <= bankFrom) return;
    const seat = live.game.seats.find(other => other.player === player),
      used = Math.min(seat.bank, this.time - bankFrom);
    seat.bank -= used;
    this.cashSeat(player).bank = seat.bank;
    this.say('bank_used', { player, seat: seat.seat, used_ms: used, left_ms: seat.bank });
  },

  /** A turn runs out: its player sits out as well. */
  timeOut(decision) {
    const seat = this.cashSeat(this.table.live.decisions.get(decision).player);
    this.useBank(decision);
    if (!seat.out) this.sitOut(seat, 'timed_out');
  },

  on_poker({ settled }) {
    const table = this.table, { live } = table;
    this.play('poker', { settled });
    this.fold({ poker: { settled } });
    this.hands.push({
      round: live.no,
      board: live.game.board,
      seats: live.game.seats,
      family: this.cashOptions().hand.family,
      settled,
    });
    for (const { seat: number, player, put_in, got, stack } of settled.seats) {
      const seat = table.cash.get(number);
      Object.assign(seat, { stack, hands: seat.hands + 1 });
      // A tournament's table also deals in players who committed no seed.
      if (table.event && !live.staked.has(player)) continue;
      live.staked.set(player, put_in);
      live.returned.set(player, got);
    }
    // A tournament's chips are no money.
    if (table.event) return;
    this.post(...settled.seats.map(({ seat, got, put_in }) => [this.seatAccount(table, seat), got - put_in]), [
      this.rakeAccount(),
      sum(settled.pots.map(({ rake }) => rake)),
    ]);
  },

  // --- Ends ---------------------------------------------------------------------------------------

  voidHand(cause, missing) {
    const { live, rules } = this.table, game = gameOf(rules);
    const standing = game.standing(live.game),
      seats = new Map(live.game.seats.map(({ player, seat }) => [player, seat]));
    const putIn = player => standing.put_in.find(({ seat }) => seat === seats.get(player)).amount;
    const ahead = game.ahead(live.game), players = this.results(live, putIn, putIn);
    this.say('round_voided', { round_no: live.no, cause, missing, ahead, players, standing });
    // The hand does not count: button, debts, absences and time banks are restored.
    this.table.positions = live.before.positions;
    for (const [seat, was] of live.before.seats) Object.assign(seat, was);
    this.roundOver({ phase: 'voided', players, void: { cause, ahead } });
    this.handOver(live, ['crash', 'malfunction', 'shoe_exhausted'].includes(cause));
  },

  /** A deck with a dealt card is sealed, with openings of exactly the shown cards; another deck is shown whole. */
  handOver(live, byHouse = false) {
    const table = this.table, { shoe } = live;
    if (shoe.undrawn.size === shoe.composition.slots) { this.revealShoe(null); return; }
    table.shoe = null;
    const claimed = this.claim('shoe_sealed', shoe),
      openings = claimed && isList(claimed.openings) ? claimed.openings : [];
    this.say('shoe_sealed', { shoe_no: shoe.no, openings });
    this.noteSealed(table.name, shoe);
    shoe.sealed = true;
    const shown = [...shoe.faces];
    if (this.logged !== null) this.checkSealed(shoe, shown, openings);
    // Every auditor of the house gets the seeds of a hand that the house made void.
    if (byHouse) this.say('shoe_disclosed', { table: table.name, shoe_no: shoe.no });
  },

  checkSealed(shoe, shown, all) {
    const openings = shoe.unread ? this.openedBefore(shoe, shown, all) : all;
    if (openings.length < shown.length)
      unsound('opening_missing', `${shown.length} faces of shoe ${shoe.no} were shown, ${openings.length} are opened`);
    if (openings.length > shown.length)
      unsound('opening_extra', `slot ${openings[shown.length].slot} is opened and was never shown`);
    shown.forEach(([slot, { face, entry }], i) => {
      const opening = openings[i];
      if (!openingHolds(opening, shoe.composition, shoe.root))
        unsound(
          'opening',
          `the opening of slot ${opening.slot} does not lead to the committed root of the deck that was dealt`,
        );
      if (opening.slot !== slot || cardOf(opening.value) !== face)
        unsoundAt(
          entry,
          'face_false',
          `slot ${slot} of shoe ${shoe.no} is shown as ${face}, the opening in its place is of slot ${opening.slot} ` +
            `and holds ${cardOf(opening.value)}`,
        );
    });
  },

  /** For a shoe that may have shown cards before a given state: the openings of the cards shown since. */
  openedBefore(shoe, shown, openings) {
    const before = Math.max(0, openings.length - shown.length);
    for (const opening of openings.slice(0, before)) {
      const leads = shoe.candidates.some(({ root }) => openingHolds(opening, shoe.composition, root));
      if (!leads) unsound('opening', `the opening of slot ${opening.slot} leads to no root of shoe ${shoe.no}`);
    }
    return openings.slice(before);
  },

  /** A player who withheld a seed keeps seat and stack, and sits out. */
  sitOutWithholder(player) {
    const seat = this.cashSeat(player);
    if (seat && !seat.out) this.sitOut(seat, 'reveal_missing');
  },
});

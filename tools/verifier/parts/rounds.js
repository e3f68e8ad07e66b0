// Seeds, the course of a round, settlements, voids, new piles, recovery: spec/entries.md, "A round"; spec/recovery.md.

extendHouse({
  round(roundNo) {
    const { live } = this.table;
    need(live && live.no === roundNo, 'wrong_round');
    return live;
  },

  reveal({ round_no, player, seed, next }) {
    const { live, name } = this.table;
    if (isPlayerActor(this.by)) this.existing(this.by.slice(7));
    need(next === undefined || this.by === `player:${player}`, 'not_allowed');
    need(next === undefined || isCash(this.table), 'not_a_cash_table');
    const pile = live && live.pile, part = pile || this.round(round_no);
    need(part.no === round_no, 'wrong_round');
    need(pile ? pile.closed : !live.opened, pile ? 'nothing_to_do' : 'reveals_over');
    const commitment = pile
      ? pile.commitments.get(player)
      : (live.contributors.find(placed => placed.player === player) || {}).commitment;
    need(commitment, 'not_a_contributor');
    need(!part.seeds.has(player), 'already_revealed');
    this.epochAsked = part.shoe.epoch;
    need(
      clientCommitment(this.tctx(part.shoe), round_no, player, unhex(seed, 32)) === commitment,
      'seed_does_not_open',
    );
    this.epochsShown.add(part.shoe.epoch);
    need(this.time < (pile ? pile.by : live.revealBy), 'deadline_passed');
    part.seeds.set(player, seed);
    this.say('seed_revealed', { player, seed });
    if (next !== undefined) this.commitNext(player, next);
    const players = pile ? pile.players : live.contributors.map(placed => placed.player);
    if (players.some(other => !part.seeds.has(other))) return;
    const contributors = players.map(other => ({ player: other, seed: part.seeds.get(other) }));
    live.entropy = roundEntropy(
      tableContext(this.start.origin, name, part.shoe.epoch),
      part.shoe.no,
      part.shoe.candidates.map(({ root }) => root),
      round_no,
      contributors,
    );
    if (pile) this.shufflePile(pile); else this.openRound();
    this.course();
  },

  openRound() {
    const { live, rules } = this.table, most = waitsFor(this.table.name, rules.table.round_time_ms);
    const settleBy = rules.table.mode === 'solo' ? this.time + most : null;
    const { shoe } = live, pick = this.takeOrder(shoe), claimed = this.claim('round_opened', shoe, pick);
    const others = shoe.candidates
      .slice(1)
      .map((_, i) =>
        claimed && isList(claimed.others) && isHash(claimed.others[i]) ? claimed.others[i] : '0'.repeat(64),
      );
    this.say('round_opened', {
      entropy: hex(live.entropy),
      pick,
      others,
      ...(settleBy === null ? {} : { settle_by: settleBy }),
    });
    Object.assign(live, { opened: true, settleBy, pick });
    // The undealt one of two candidates is shown whole.
    const { table: { name } } = this;
    if (others.length) {
      this.onlyOnce(this.seeds, shoe, [[1 - pick, others[0]]], 'seed_reused', 'has a seed that was published before');
      this.published.push(() => this.openCandidate(name, shoe, 1 - pick, others[0]));
    }
    shoe.root = shoe.candidates[pick].root;
    live.game = live.game || gameOf(rules).start(rules, live.contributors);
  },

  /** The order in which the slots are dealt, and the dealt candidate. */
  takeOrder(shoe) {
    const { live } = this.table;
    if (shoe.composition.wheel) return 0;
    const { pick, order } = publicShuffle(live.entropy, shoe.candidates.length, [...shoe.undrawn]);
    Object.assign(live, { order, drawn: Array(live.lanes).fill(0) });
    return pick;
  },

  act({ round_no, decision, action }, who) {
    this.existing(who);
    const live = this.round(round_no), game = gameOf(this.table.rules);
    need(live.opened, 'awaiting_reveals');
    need(live.decisions.has(decision), 'decision_not_open');
    const acted = game.act(live.game, who, decision, action, this.balance(who));
    need(isCash(this.table) || acted.cost <= this.balance(who), 'insufficient_balance');
    need(this.time < this.deadline(decision), 'deadline_passed');
    this.useBank(decision);
    this.take({ decision, player: acted.player, action: acted.action, cost: acted.cost, default: false });
    this.course();
  },

  /** The deadline of a player's decision: recovery moves it. */
  deadline(decision) {
    const { live, rules } = this.table;
    if (rules.table.mode === 'solo') return live.settleBy;
    const { deadline, bankFrom } = live.decisions.get(decision);
    // A time bank begins when the base time is over: after a restart this has its full length first.
    return bankFrom === undefined
      ? Math.max(deadline, live.turnBy)
      : Math.max(bankFrom, live.turnBy) + deadline - bankFrom;
  },

  take(acted) {
    const { live, name } = this.table, { player, cost } = acted;
    this.play('acted', acted);
    this.fold({ acted });
    live.decisions.delete(acted.decision);
    if (isCash(this.table)) { this.noteCutOff(acted); return; }
    live.staked.set(player, (live.staked.get(player) || 0) + cost);
    live.pending.set(player, (live.pending.get(player) || 0) + cost);
    this.post([`player:${player}`, -cost], [`table:${name}`, cost]);
  },

  playDefault(decision) {
    const { live, rules } = this.table;
    this.take({
      decision,
      player: live.decisions.get(decision).player,
      action: gameOf(rules).defaultAction(live.game, decision),
      cost: 0,
      default: true,
    });
  },

  fold(event) { gameOf(this.table.rules).apply(this.table.live.game, event); },

  /** The game goes on until it waits for a decision or a pile, or is over. */
  course() {
    const table = this.table, game = gameOf(table.rules), env = { balance: player => this.balance(player) };
    while (table.live) {
      const step = game.next(table.live.game, env), [kind] = Object.keys(step);
      if (step.wait === 'decision') {
        const leaving = [...table.live.decisions].find(([, { player }]) => isCash(table) && this.isGone(player));
        if (!leaving) return;
        this.playDefault(leaving[0]);
        continue;
      }
      if (step.wait === 'pile') {
        // A player who was missing from the last shuffle is out before the next one, whatever happened in the game
        // meanwhile.
        const player = (table.live.absent || []).find(missing => step.players.includes(missing));
        if (player === undefined) return void this.openPile(step);
        this.play('absent', { player });
        this.fold({ absent: { player } });
        continue;
      }
      if (step.done) return void this.settle();
      this[`on_${kind}`](step[kind]);
    }
  },

  on_dealt({ lane, to, hidden }) {
    const table = this.table, { live } = table, shoe = this.pileInPlay();
    const slot = laneSlot(live.order, live.lanes, lane, live.drawn[lane], shoe.undrawn);
    if (slot < 0) return this.voidRound('shoe_exhausted', []);
    live.drawn[lane]++;
    shoe.undrawn.delete(slot);
    const claimed = this.claim('dealt', shoe, slot), dealt = { lane, slot, to };
    if (!hidden) dealt.card = claimed && isCard(claimed.card) ? claimed.card : '??';
    this.play('dealt', dealt);
    if (hidden) live.hidden.set(`${shoe.no}/${slot}`, shoe); else this.noteFace(shoe, slot, dealt.card);
    if (to === 'dealer') live.dealer.push(slot);
    this.fold({ dealt });
    const rule = table.rules.table.reshuffle;
    if (rule.cut_back !== undefined && shoe.undrawn.size < rule.cut_back && !shoe.lastHand) {
      shoe.lastHand = true;
      this.say('last_hand', { shoe_no: shoe.no });
    }
    return undefined;
  },

  /** The shoe of the cards: the round's, or the pile shuffled last. */
  pileInPlay() { const { piles } = this.table.live; return piles[piles.length - 1]; },

  on_turned({ pile, slot }) {
    const { live } = this.table, shoe = pile === undefined ? this.pileInPlay() : live.piles[pile];
    if (!live.hidden.delete(`${shoe.no}/${slot}`)) broken(`slot ${slot} does not lie face-down`);
    const claimed = this.claim('turned', shoe, slot);
    const turned = {
      ...(pile === undefined ? {} : { pile }),
      slot,
      card: claimed && isCard(claimed.card) ? claimed.card : '??',
    };
    this.play('turned', turned);
    this.noteFace(shoe, slot, turned.card);
    this.fold({ turned });
  },

  on_peeked({ slot }) {
    const { live } = this.table, claimed = this.claim('peeked', live.shoe, slot);
    const peeked = { slot, blackjack: !!claimed && claimed.blackjack === true };
    this.play('peeked', peeked);
    live.shoe.peeks.push({ up: live.dealer[0], slot, answer: peeked.blackjack, entry: this.index });
    this.fold({ peeked });
  },

  on_offered(step) {
    const { live, rules } = this.table, decision = live.nextDecision++;
    // For a betting turn at table stakes; a showdown has no other time.
    const late = step.banked ? this.lateExtra(step.player) : 0;
    const turn = this.time + rules.table.turn_time_ms + (step.extra || 0) + late;
    const base = rules.table.mode === 'solo' ? live.settleBy : turn, bankFrom = step.bank ? base : undefined;
    const deadline = base + (step.bank || 0);
    const offered = {
      decision, player: step.player, place: step.place, options: step.options, deadline,
      ...(step.bank ? { bank_from: base } : {}),
      ...(late ? { extra_ms: late } : {}),
    };
    if (late) this.cashSeat(step.player).cutOff = 'had';
    live.decisions.set(decision, { player: step.player, deadline, bankFrom });
    this.play('offered', offered);
    this.fold({ offered });
  },

  on_paid({ lines }) {
    const { live, name } = this.table, rets = new Map();
    this.play('paid', { lines });
    let staked = 0;
    for (const { player, stake, returned } of lines) {
      rets.set(player, (rets.get(player) || 0) + returned);
      live.returned.set(player, (live.returned.get(player) || 0) + returned);
      live.pending.set(player, live.pending.get(player) - stake);
      staked += stake;
    }
    this.fold({ paid: { lines } });
    const returned = sum([...rets.values()]);
    this.post(
      ...[...rets].map(([player, returned]) => [`player:${player}`, returned]),
      [`table:${name}`, -staked],
      [this.houseAccount(), staked - returned],
    );
  },

  on_spun() {
    const { live, shoe } = this.table;
    const slot = Math.min(...shoe.undrawn);
    if (!shoe.undrawn.size) return this.voidRound('shoe_exhausted', []);
    const { wheel } = shoe.composition, claimed = this.claim('spun', shoe, slot);
    const value = claimed && whole(0, wheel - 1)(claimed.value) ? claimed.value : 0;
    const spun = { slot, value, pocket: (value + wheelOffset(live.entropy, wheel)) % wheel };
    this.play('spun', spun);
    this.noteFace(shoe, slot, value);
    return this.fold({ spun });
  },

  on_safe(fields) { this.play('safe', fields); this.fold({ safe: fields }); },

  // --- New piles in mid-game ----------------------------------------------------------------------

  openPile({ cards, players }) {
    const table = this.table, { live } = table;
    const claimedShoe = live.piles[live.piles.length - 1];
    table.shoe = null;
    this.commitShoe(`cards:${cards.join('')}`);
    const no = table.nextRound++,
      by = this.time + waitsFor(table.name, table.rules.table.reveal_time_ms),
      sorted = players.slice().sort(compareText);
    live.absent = [];
    live.pile = {
      no,
      shoe: table.shoe,
      players: sorted,
      by,
      commitments: new Map(),
      closed: false,
      seeds: new Map(),
      before: claimedShoe,
    };
    this.say('pile_opened', { round_no: no, shoe_no: table.shoe.no, players: sorted, commit_by: by });
  },

  commit_seed({ round_no, commitment }, who) {
    this.existing(who);
    const table = this.table, pile = table.live && table.live.pile;
    need(pile && !pile.closed, 'nothing_to_do');
    need(pile.no === round_no, 'wrong_round');
    need(pile.players.includes(who), 'not_a_contributor');
    need(!pile.commitments.has(who), 'nothing_to_do');
    need(this.time < pile.by, 'deadline_passed');
    pile.commitments.set(who, commitment);
    this.say('seed_committed', { player: who, commitment });
    if (pile.commitments.size < pile.players.length) return;
    Object.assign(pile, { closed: true, by: this.time + waitsFor(table.name, table.rules.table.reveal_time_ms) });
    const contributors = pile.players.map(player => ({ player, commitment: pile.commitments.get(player) }));
    this.say('pile_closed', { round_no: pile.no, shoe_no: pile.shoe.no, contributors, reveal_by: pile.by });
  },

  shufflePile(pile) {
    const { live } = this.table;
    this.say('pile_shuffled', { round_no: pile.no, entropy: hex(live.entropy), pick: 0 });
    live.pile = null;
    live.piles.push(pile.shoe);
    this.takeOrder(pile.shoe);
    const shuffled = { pile: live.piles.length - 1 };
    this.play('shuffled', shuffled);
    this.fold({ shuffled });
  },

  failPile() {
    const table = this.table,
      { live } = table,
      { pile } = live,
      game = gameOf(table.rules),
      stage = pile.closed ? pile.seeds : pile.commitments;
    const missing = pile.players.filter(player => !stage.has(player));
    this.say('pile_failed', { round_no: pile.no, missing });
    this.revealSeed(pile.shoe, 'pile_unused');
    Object.assign(live, { pile: null, absent: missing });
    table.shoe = null;
    this.course();
  },

  // --- Ends ---------------------------------------------------------------------------------------

  /** The result of a finished round for each player. */
  results: ({ contributors }, staked, returned) =>
    contributors.map(({ player }) => ({ player, staked: staked(player), returned: returned(player) })),

  settle() {
    const { live } = this.table, total = amounts => sum([...amounts.values()]);
    if (total(live.pending)) broken('the round is over and stakes are left');
    const players = this.results(live, player => live.staked.get(player), player => live.returned.get(player) || 0);
    const [staked, returned] = [total(live.staked), total(live.returned)];
    this.say('round_settled', { round_no: live.no, staked, returned, players });
    this.roundOver({ phase: 'settled', players, void: null });
    if (isCash(this.table)) this.handOver(live); else this.retireIfDue(null, live);
  },

  /** `end`: `{phase, players, void}`. A bundle's table remembers its last round. */
  roundOver(end) {
    const table = this.table, { live } = table;
    if (this.stated) table.ended = Object.assign(live, { end });
    table.live = null;
    table.goesOn = true;
    live.shoe.lastEnd = this.time;
    table.pauseUntil = this.time + (table.rules.table.between_hands_ms || 0);
    table.last = live.contributors.map(({ player }) => player);
    this.useSeats(table.last);
    // A wheel's slot is used up by its round number, void or not.
    if (live.shoe.composition.wheel) live.shoe.undrawn.delete(Math.min(...live.shoe.undrawn));
  },

  retireIfDue(cause, live) {
    const table = this.table, { shoe } = table, rule = table.rules.table.reshuffle;
    let why = cause;
    if (!why && table.shuffleAsked) why = 'house_shuffle';
    if (!why && shoe && shoe.epoch !== this.start.epoch) why = 'restart';
    if (!why && (rule === 'every_round' || (shoe && reshuffleDue(rule, shoe.undrawn.size)))) why = 'threshold';
    if (!why && shoe && this.isFull(1)) why = 'full';
    if (!why) return;
    for (const pile of live.piles) if (pile !== shoe) this.revealSeed(pile, 'pile_used');
    if (shoe) this.revealShoe(why);
  },

  /** Seeds of a round that is void without them may come late: spec/recovery.md, "Voids". */
  rememberVoid() {
    const { live, voids } = this.table;
    const missing = live.contributors.filter(({ player }) => !live.seeds.has(player));
    if (live.opened || !missing.length) return;
    voids.push({
      no: live.no,
      time: this.time,
      shoe: live.shoe,
      epoch: live.shoe.epoch,
      commitments: new Map(missing.map(({ player, commitment }) => [player, commitment])),
      out: new Set(),
    });
    // Within the hour it is forgotten only because of their number.
    const fresh = voids.filter(({ time }) => this.time < time + LATE_SEED_MS).length;
    voids.splice(0, voids.length - Math.min(Math.max(fresh, VOIDS_REMEMBERED), MOST_VOIDS_REMEMBERED));
  },

  late_seed({ round_no, player, seed }) {
    const table = this.table, round = table.voids.find(({ no }) => no === round_no);
    if (isPlayerActor(this.by)) this.existing(this.by.slice(7));
    // For a round before a bundle's first the log is trusted.
    if (round || !this.stated || (table.firstRound !== undefined && round_no >= table.firstRound)) {
      need(round, 'wrong_round');
      need(round.commitments.has(player), 'not_a_contributor');
      need(!round.out.has(player), 'already_revealed');
      this.epochAsked = round.shoe.epoch;
      need(
        clientCommitment(this.tctx(round.shoe), round_no, player, unhex(seed, 32)) === round.commitments.get(player),
        'seed_does_not_open',
      );
      this.epochsShown.add(round.shoe.epoch);
      round.out.add(player);
    } else {
      need(!table.statedLate.has(`${round_no} ${player}`), 'already_revealed');
      table.statedLate.add(`${round_no} ${player}`);
    }
    this.say('seed_late', { round_no, player, seed });
  },

  voidRound(cause, missing) {
    this.rememberVoid();
    if (isCash(this.table)) { this.voidHand(cause, missing); return; }
    const table = this.table, { live, rules, name } = table, moves = [], kept = [];
    const pending = sum([...live.pending.values()]), abandoned = cause === 'abandoned';
    for (const { player } of live.contributors) {
      const owed = abandoned ? live.pending.get(player) : live.staked.get(player) - (live.returned.get(player) || 0);
      const amount = Math.max(owed, -this.balance(player));
      if (amount > owed) kept.push({ player, amount: amount - owed });
      moves.push([`player:${player}`, amount]);
    }
    this.post(...moves, [`table:${name}`, -pending], [
      this.houseAccount(),
      pending - sum(moves.map(([, amount]) => amount)),
    ]);
    const ahead = live.game ? gameOf(rules).ahead(live.game) : 'nobody';
    const refunds = abandoned ? { refunds: this.refundCount(live) } : {};
    const keptOf = player => sum(kept.filter(one => one.player === player).map(({ amount }) => amount));
    const players = this.results(
      live,
      player => live.staked.get(player),
      player =>
        abandoned
          ? (live.returned.get(player) || 0) + live.pending.get(player)
          : live.staked.get(player) + keptOf(player),
    );
    this.say('round_voided', {
      round_no: live.no, cause, missing, ahead, players,
      ...refunds,
      ...(kept.length ? { kept } : {}),
    });
    this.roundOver({ phase: 'voided', players, void: { cause, ahead } });
    this.retireIfDue({ crash: 'restart', shoe_exhausted: 'exhausted' }[cause] || null, live);
  },

  /**
   * The player's refunds over 30 days, including this one; in a bundle the log's number, at least as many as it shows.
   */
  refundCount(live) {
    const [{ player }] = live.contributors,
      times = [...(this.refunds.get(player) || []).filter(at => this.time - at < DAYS_30), this.time];
    this.refunds.set(player, times);
    const claimed = this.stated && this.claim('round_voided');
    return claimed && isCount(claimed.refunds) && claimed.refunds >= times.length ? claimed.refunds : times.length;
  },

  refundDue(live) {
    const { abandon, abandon_refunds: cap } = this.table.rules.table, [{ player }] = live.contributors;
    if (abandon !== 'refund') return false;
    if (cap === 'unlimited') return true;
    const shown = (this.refunds.get(player) || []).filter(at => this.time - at < DAYS_30).length;
    if (!this.stated) return shown < cap;
    // A bundle does not know the number of earlier refunds: then the log's choice stands, within the cap.
    const told = this.logged.find(event => event.round_voided !== undefined);
    return !!told && Math.max(told.round_voided.refunds || 0, shown + 1) <= cap;
  },

  void_round({ round_no }) {
    this.only('operator');
    const { window, live } = this.table;
    if (!live && window && window.no === round_no)
      return isCash(this.table) ? this.lapseCall('malfunction', false) : this.lapseWindow('malfunction', false);
    const round = this.round(round_no);
    need(round.opened && !round.pile, 'awaiting_reveals');
    return this.voidRound('malfunction', []);
  },

  lapse({ round_no, lapsed }) {
    this.only('house');
    const live = this.round(round_no), { rules } = this.table, solo = rules.table.mode === 'solo';
    if (lapsed === 'reveal') {
      need(!live.opened, 'nothing_to_do');
      need(this.time >= live.revealBy, 'deadline_ahead');
      const missing = live.contributors.map(({ player }) => player).filter(player => !live.seeds.has(player));
      this.voidRound('reveal_missing', missing);
      if (solo) return;
      missing.forEach(player => this.coolDown(player, live.wentAway.has(player) ? 'went_away' : 'reveal_missing'));
      if (isCash(this.table)) missing.forEach(player => this.sitOutWithholder(player));
      else missing.filter(player => this.sits(player)).forEach(player => this.freeSeat(player));
    } else if (lapsed === 'round') {
      need(solo && live.opened, 'nothing_to_do');
      need(this.time >= live.settleBy, 'deadline_ahead');
      if (this.refundDue(live)) { this.voidRound('abandoned', []); return; }
      while (this.table.live) {
        this.playDefault(Math.min(...live.decisions.keys()));
        this.course();
      }
    } else if (lapsed === 'turn') {
      need(!solo && live.opened && !live.pile && live.decisions.size, 'nothing_to_do');
      const due = [...live.decisions.keys()].filter(decision => this.time >= this.deadline(decision));
      need(due.length, 'deadline_ahead');
      for (const decision of due) {
        if (this.table.live !== live || !live.decisions.has(decision)) continue;
        if (isCash(this.table)) this.timeOut(decision);
        this.playDefault(decision);
        this.course();
      }
    } else {
      need(live.pile, 'nothing_to_do');
      need(this.time >= live.pile.by, 'deadline_ahead');
      this.failPile();
    }
  },

  /**
   * The deadline of the round's present wait after a restart: its full time once, then the table's time away
   * (spec/recovery.md, "Time again, once").
   */
  timeAgain(full, stood) {
    const { live, downSince } = this.table, { pile } = live;
    const wait = pile
      ? `pile ${pile.no} ${pile.closed}`
      : live.opened
        ? `turn ${Math.min(...live.decisions.keys())}`
        : 'seeds';
    const again = live.resumedIn === wait;
    live.resumedIn = wait;
    return again ? stood + this.time - downSince : this.time + full;
  },

  recover() {
    const table = this.table, { rules, live } = table;
    this.only('house');
    need(table.recovering, 'nothing_to_do');
    table.carried.clear();
    if (table.window && isCash(table)) this.lapseCall('restart', false);
    else if (table.window) this.lapseWindow('restart', false);
    if (!live) {
      if (table.shoe) this.revealShoe('restart');
    } else if (rules.table.crash === 'rollback') {
      this.voidRound('crash', []);
    } else if (!live.opened || live.pile) {
      const full = waitsFor(table.name, rules.table.reveal_time_ms);
      const by = this.timeAgain(full, live.pile ? live.pile.by : live.revealBy);
      if (live.pile) live.pile.by = by; else live.revealBy = by;
      this.say('round_resumed', { round_no: live.no, reveal_by: by });
    } else if (rules.table.mode === 'solo') {
      live.settleBy += this.time - table.downSince;
      this.say('round_resumed', { round_no: live.no, settle_by: live.settleBy });
    } else {
      const ends = [...live.decisions.values()].map(({ deadline, bankFrom }) =>
        Math.max(bankFrom === undefined ? deadline : bankFrom, live.turnBy),
      );
      live.turnBy = this.timeAgain(rules.table.turn_time_ms, Math.max(0, ...ends));
      this.say('round_resumed', { round_no: live.no, turn_by: live.turnBy });
    }
    Object.assign(table, { recovering: false, downSince: null });
    [...table.used.keys()].forEach(player => this.useSeat(player));
  },
});

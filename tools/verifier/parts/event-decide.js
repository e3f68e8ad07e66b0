// Commands of a tournament (spec/games/tournaments.md, "Commands"): all refusals first, then the events, which are
// folded once all are written. A command `NAME` is the method `event_NAME`.

/** Commands about an event in play. */
const OF_PLAY = ['decline_rebuy', 'want_deal', 'propose_deal', 'answer_deal', 'substitute_prize'];
const MOST_POSTPONED = 3, POSTPONED_MS = 604800000, MOST_PAID = 100, MOST_POSTED = 500;
const paysDeal = (method, event, amounts) =>
  hex(sha256(concat(label('deal'), ascii(quote({ event, method, amounts })))));

extendHouse({
  tournament(command, who) {
    const [[word, fields]] = Object.entries(command), ev = this.events.get(fields.event);
    Object.assign(this, { event: ev, told: new Map() });
    if (word === 'create') this.createEvent(fields);
    else {
      need(ev, 'unknown_tournament');
      need(!ev.tables.unrecovered.size, 'recovering');
      need(!OF_PLAY.includes(word) || !['cancelled', 'ended'].includes(ev.stage), 'nothing_to_do');
      this[`event_${word}`](fields, who);
    }
    this.checkTold();
    // In this order: spec/audit.md, "Which code".
    const fault = this.balanceFault || this.differs;
    if (fault) {
      this.checkLoss('tournament', command, who);
      throw fault;
    }
    const said = this.out.filter(event => event.tournament).map(event => Object.entries(event.tournament)[0]);
    said.forEach(([name, inner]) => this.takeTickets(this.event, name, inner));
    for (const [name, inner] of said) if (name !== 'created') EVENT_FOLDS[name](this.event, inner, this.time);
  },

  sayEvent(name, fields) { this.emit({ tournament: { [name]: fields } }); },

  /** The players' balances before the entry are stated there: spec/entries.md, "The entry". */
  tell(player) { if (!this.told.has(player)) this.told.set(player, this.balance(player)); },
  checkTold() {
    if (this.logged === null) return;
    const due = [...this.told].sort(([a], [b]) => compareText(a, b)), stated = this.statedBefore || [];
    if (quote(due) !== quote(stated))
      this.balanceFault =
        new Unsound('balance_before', `the balances before are ${quote(due)}, the entry states ${quote(stated)}`);
  },

  /** A posting, the lines of one account together. */
  postSummed(...moves) {
    const summed = new Map();
    for (const [account, amount] of moves) summed.set(account, (summed.get(account) || 0) + amount);
    this.post(...summed);
  },

  ofPool() { return `pool:${this.event.name}`; },
  ofFees() { return `fees:${this.event.name}`; },
  ofBounties() { return `bounties:${this.event.name}`; },
  ofStakes() { return `stakes:${this.event.name}`; },
  /** The account that an entry's winnings go to: the escrow, if stakes of it were sold. */
  payee({ player, stakes }) { return stakes.length ? this.ofStakes() : `player:${player}`; },

  /** A player's entry that is in play. */
  ownEntry(player) {
    const entry = entryInPlay(this.event, player);
    need(entry, 'not_registered');
    return entry;
  },

  /** A duty is the house's, and is refused unless it comes next. */
  isDuty(word, fields) {
    this.only('house');
    need(quote(this.dutyOfEvent(this.event)) === quote(eventCommand(this.event, word, fields)), 'nothing_to_do');
  },

  /** The tickets that an entry, which is not folded in yet, brings or takes. */
  takeTickets(ev, name, { entry_no: no, player, paid_by: paidBy, prize }) {
    const holders = event => this.tickets.get(event) || this.tickets.set(event, new Map()).get(event);
    if ((name === 'registered' && paidBy.ticket) || name === 'ticket_returned') holders(ev.name).delete(player);
    if (name === 'unregistered' && ev.entries.get(no).paidBy.ticket)
      holders(ev.name).set(ev.entries.get(no).player, false);
    if (name === 'prize_paid' && prize.ticket) {
      const { target, non_unregisterable: bound } = ev.structure.payouts.satellite;
      holders(target).set(ev.entries.get(no).player, bound);
    }
  },
  hasTicket(event, player) { return this.tickets.has(event) && this.tickets.get(event).has(player); },

  // --- Announced --------------------------------------------------------------------------------------

  createEvent({ event: name, structure, rules, starts_at, registration_from }) {
    this.only('operator');
    need(!this.usedTables.has(name) && !this.events.has(name), 'table_exists');
    need(name.length <= 56 && !isOfEvent(name), 'malformed', 'the name is too long, or that of an event\'s table');
    need(starts_at > this.time && registration_from <= starts_at && starts_at <= HALF, 'malformed');
    const why = whyNoStructure(structure), whyNot = whyNoRuleSet(rules);
    need(!why, 'structure_refused', why);
    need(!whyNot, 'rule_set_refused', whyNot);
    const digest = structureDigest(structure), named = structure.rules;
    need(rules.name === named.name && rulesDigest(rules) === named.digest, 'structure_refused', 'another rule set');
    structure.levels.forEach((_, i) => {
      const ofLevel = eventTableRules(structure, rules, i + 1);
      need(ofLevel, 'structure_refused', 'its rule set is not poker');
      need(!whyNoRuleSet(ofLevel), 'rule_set_refused');
    });
    this.needTarget(structure);
    const { origin, epoch } = this.start, claimed = this.claim('created');
    const tip = claimed && isHash(claimed.tip) ? claimed.tip : '0'.repeat(64);
    this.sayEvent('created', { structure, digest, rules, starts_at, registration_from, epoch, tip });
    this.event =
      newEvent(name, tableContext(origin, name, epoch),
        { structure, rules, starts_at, registration_from, epoch, tip });
    this.events.set(name, this.event);
    this.usedTables.set(name, { owner: null, replacedBy: null, sealed: [] });
    for (const account of [this.ofPool(), this.ofFees(), this.ofBounties(), this.ofStakes()])
      this.accounts.set(account, 0);
  },

  needTarget({ payouts: { satellite } }) {
    if (!satellite) return;
    const target = this.events.get(satellite.target), entry = target && target.structure.entry;
    need(
      // If some have no bounty an entry has two prices, but a ticket has one value.
      target &&
        target.structure.bounty_on === 'all' &&
        satellite.buy_in === entry.buy_in + entry.bounty &&
        satellite.fee === entry.fee &&
        !['cancelled', 'ended'].includes(target.stage),
      'structure_refused',
      'there is no such target',
    );
  },

  // --- Bought: section 4 ------------------------------------------------------------------------------

  event_register({ commitment, pay }, who) {
    const { event: ev } = this, { entry: terms, bounty_on: on } = ev.structure;
    this.existing(who);
    need(['registering', 'running'].includes(ev.stage), 'registration_closed');
    need(this.time >= ev.registrationFrom, 'deadline_ahead');
    const closed = entryClosed(ev, this.time);
    need(!closed, closed === 'full' ? 'field_full' : 'registration_closed', closed);
    need(!entryInPlay(ev, who), 'nothing_to_do');
    const entrant = ev.entrants.get(who) || newEntrant();
    const noted = entrant.entries.some(no => ev.noted.has(no) && ev.noted.get(no).what === 'disqualification');
    need(!entrant.barred && !noted && entrant.entries.length < terms.entries_per_player, 'not_allowed');
    need(entrant.registered < MOST_OF_PLAYER, 'field_full');
    const bounty = on === 'all' || entrant.hasBounty === true ? terms.bounty : 0;
    this.needEventRoom({ entries: 1, with_bounty: bounty ? 1 : 0 });
    const price = terms.buy_in + terms.fee + bounty;
    this.tell(who);
    const payers = this.payers(who, price, pay), bound = pay === 'ticket' && this.tickets.get(ev.name).get(who);
    const [cash, dollars, ticket] = ['player:', 'tdollars:', 'tickets']
      .map(form => sum(payers.filter(([account]) => account.startsWith(form)).map(([, amount]) => -amount)));
    this.sayEvent('registered', {
      entry_no: ev.nextEntry,
      player: who,
      commitment,
      paid_by: { cash: cash + 0, t_dollars: dollars + 0, ticket: ticket + 0 },
      bounty,
      non_unregisterable: bound,
    });
    this.postSummed(...payers, [this.ofPool(), terms.buy_in], [this.ofFees(), terms.fee], [this.ofBounties(), bounty]);
  },

  /** The most that an event may hold (2.6). */
  needEventRoom(more) {
    const sold = { ...this.event.sold };
    for (const [name, count] of Object.entries(more)) sold[name] += count;
    const { pool, fees, bounties, chips } = collectedOf(this.event.structure, sold);
    need(pool + fees + bounties <= HALF && chips <= HALF, 'amount_out_of_range');
    need(sold.entries <= MOST_ENTRIES && this.event.draws.next < LATE_DRAWS, 'amount_out_of_range');
  },

  /** The payers of a price, with their amounts. */
  payers(player, price, pay) {
    if (pay === 'ticket') {
      need(this.hasTicket(this.event.name, player), 'not_allowed');
      return [['tickets', -price]];
    }
    const dollars = pay === 'cash' ? 0 : Math.min(price, this.accounts.get(`tdollars:${player}`) ?? 0);
    need(price - dollars <= this.balance(player), 'insufficient_balance');
    return [[`player:${player}`, dollars - price], [`tdollars:${player}`, -dollars]];
  },

  event_unregister(fields, who) {
    const { event: ev } = this, { startsAt } = ev, ms = unregisterInForce(ev);
    this.existing(who);
    const entry = this.ownEntry(who), { paidBy, stakes } = entry;
    need(!entry.bound && ms !== undefined, 'not_allowed');
    need(ev.stage === 'registering' && startsAt >= ms && this.time < startsAt - ms, 'deadline_passed');
    this.tell(who);
    stakes.forEach(({ buyer }) => this.tell(buyer));
    this.sayEvent('unregistered', { entry_no: entry.no });
    this.postSummed(
      [`player:${who}`, paidBy.cash],
      [`tdollars:${who}`, paidBy.t_dollars],
      ['tickets', paidBy.ticket],
      [this.ofPool(), -entry.toPool],
      [this.ofFees(), -entry.fees],
      [this.ofBounties(), -entry.head],
      ...stakes.flatMap(({ buyer, price }) => [[this.ofStakes(), -price], [`player:${buyer}`, price]]),
    );
  },

  event_rebuy(fields, who) {
    const { event: ev } = this, { rebuy: terms } = ev.structure;
    this.existing(who);
    const entry = this.ownEntry(who), running = eventRunning(ev, this.time);
    need(terms && running !== null, 'not_allowed');
    need(withinLevels(ev.structure, terms.levels, running), 'registration_closed');
    need(entry.rebuyUntil === null || this.time < entry.rebuyUntil, 'deadline_passed');
    this.nothingNotedOf(entry);
    need(entry.rebuys < terms.most, 'not_allowed');
    if (this.isInHand(entry)) { this.notePurchase(entry, 'rebuy'); return; }
    need(entry.chips <= terms.stack_at_most, 'not_allowed');
    this.buyChips(entry, 'rebuy');
  },

  event_add_on(fields, who) {
    const { event: ev } = this, { add_on: terms, breaks } = ev.structure;
    this.existing(who);
    const entry = this.ownEntry(who), position = ev.clock.stands ? null : eventPosition(ev, this.time);
    need(terms, 'not_allowed');
    need(breaks.after && position && position.in_break && position.level === terms.after_level, 'registration_closed');
    this.nothingNotedOf(entry);
    need(!entry.addedOn, 'nothing_to_do');
    if (this.isInHand(entry)) this.notePurchase(entry, 'add_on'); else this.buyChips(entry, 'add_on');
  },

  /** Whether an entry's chips are in a hand; a player without chips who may rebuy is in none. */
  isInHand(entry) {
    const table = tableOfEntry(entry);
    return table !== null && entry.rebuyUntil === null && !restsAt(this.event, table);
  },

  /** An entry has at most one noted request. */
  nothingNotedOf({ no }) {
    const noted = this.event.noted.get(no);
    need(!noted || noted.what !== 'disqualification', 'not_allowed');
    need(!noted, 'nothing_to_do');
  },

  /** The payers for chips, if they can be bought now: until the pool is final, within the event's maximum. */
  purchase({ player }, what) {
    const { price, fee } = this.event.structure[what];
    need(this.event.pool === null, 'registration_closed');
    this.needEventRoom({ [`${what}s`]: 1 });
    return [...this.payers(player, price + fee, 'cash'), [this.ofPool(), price], [this.ofFees(), fee]];
  },

  /** It is carried out after the hand, and costs nothing before. */
  notePurchase(entry, what) {
    this.purchase(entry, what);
    this.sayEvent('noted', { entry_no: entry.no, what });
  },

  buyChips(entry, what) {
    const moves = this.purchase(entry, what), chips = entry.chips + this.event.structure[what].chips;
    this.tell(entry.player);
    this.sayEvent(what === 'rebuy' ? 'rebought' : 'added_on', { entry_no: entry.no, chips });
    this.postSummed(...moves);
  },

  /** An entry's noted request is carried out, or dropped if it is not possible (4.4, 7.6). */
  event_carry_out({ entry_no: no }) {
    const { event: ev } = this, entry = ev.entries.get(no);
    this.isDuty('carry_out', { entry_no: no });
    const { what, reason } = ev.noted.get(no);
    const drop = why => this.sayEvent('note_dropped', { entry_no: no, what, why });
    if (what === 'disqualification') {
      // The last one left has won.
      if (inPlay(entry) && (isEventOver(ev) || ev.remaining <= 1)) drop('over'); else this.sayDisqualified(no, reason);
      return;
    }
    if (what === 'rebuy' && entry.chips > ev.structure.rebuy.stack_at_most) { drop('stack'); return; }
    try {
      this.purchase(entry, what);
    } catch (refusal) {
      const why =
        { registration_closed: 'over', amount_out_of_range: 'room', insufficient_balance: 'balance' }[refusal.code];
      if (!(refusal instanceof Refusal) || !why) throw refusal;
      drop(why);
      return;
    }
    this.buyChips(entry, what);
  },

  event_set_bounty({ player, has }) {
    this.only('operator');
    const { event: ev } = this, entrant = ev.entrants.get(player) || newEntrant();
    need(ev.structure.bounty_on === 'some', 'not_allowed');
    need(this.players.has(player), 'unknown_player');
    need(!entrant.registered, 'not_allowed');
    need(entrant.hasBounty !== has, 'nothing_to_do');
    this.sayEvent('bounty_set', { player, has });
  },

  // --- Stakes: section 12 -----------------------------------------------------------------------------

  needSelling() {
    need(this.event.structure.staking, 'not_allowed');
    need(this.event.stage === 'registering', 'registration_closed');
  },

  event_offer_stake({ basis_points: points }, who) {
    this.needSelling();
    this.existing(who);
    const entry = this.ownEntry(who), sold = sum(entry.stakes.map(stake => stake.basis_points));
    need(points <= 10000 && points >= sold, 'stake_refused');
    need(entry.offered !== points, 'nothing_to_do');
    this.sayEvent('stake_offered', { player: who, basis_points: points });
  },

  event_buy_stake({ seller, basis_points: points }, who) {
    this.needSelling();
    this.existing(who);
    need(who !== seller, 'not_allowed');
    const entry = this.ownEntry(seller), sold = sum(entry.stakes.map(stake => stake.basis_points));
    need(sold + points <= entry.offered, 'not_allowed');
    need(points && sold + points <= 10000 && entry.stakes.length < 100, 'stake_refused');
    const cost = big(points) * big(entry.toPool + entry.fees + entry.head), price = Number(cost / 10000n);
    need(cost % 10000n === 0n, 'stake_refused', 'the price is not whole');
    need(this.balance(who) >= price, 'insufficient_balance');
    this.tell(who);
    this.sayEvent('stake_sold', { seller, buyer: who, basis_points: points, price });
    this.postSummed([`player:${who}`, -price], [this.ofStakes(), price]);
  },

  /** An entry's winnings and escrow, to buyers and seller (12.2). */
  divideStakes(entry) {
    const back = givesEscrowBack(this.event, entry), { earned, dollarsEarned } = entry;
    const { buyers, seller, seller_escrow: escrow } =
      stakeDivision(back ? 't_dollars' : 'cash', earned + dollarsEarned, entry.stakes);
    // T$ count in the total, and the seller gets them (refunds.md, 5).
    const own = back ? 0 : seller + escrow - dollarsEarned;
    this.sayEvent('stakes_divided', { entry_no: entry.no });
    this.tell(entry.player);
    entry.stakes.forEach(({ buyer }) => this.tell(buyer));
    this.postSummed(
      [this.ofStakes(), -own - sum(buyers)],
      ...entry.stakes.map(({ buyer }, i) => [`player:${buyer}`, buyers[i]]),
      [`player:${entry.player}`, own],
    );
  },

  // --- From the start to the end: sections 4, 5, 7 ----------------------------------------------------

  event_start() {
    const { event: ev } = this;
    this.only('house');
    need(ev.stage === 'registering', 'nothing_to_do');
    need(this.time >= ev.startsAt, 'deadline_ahead');
    if (this.isStartMissed(ev)) this.cancelEvent('crash', this.time);
    else if (ev.players < ev.structure.entry.players_min) this.cancelEvent('too_few_players', this.time);
    else this.sayEvent('started', { players: ev.players });
  },

  event_next_level() {
    const { event: ev } = this, { clock } = ev;
    this.only('house');
    const position = clock.stands ? null : eventPosition(ev, this.time);
    need(position, 'nothing_to_do');
    const { level, in_break: inBreak, to_break: toBreak } = position;
    need(level !== clock.level || inBreak !== clock.inBreak, 'deadline_ahead');
    if (clock.inBreak && !inBreak) this.sayEvent('break_ended', {});
    if (level !== clock.level) this.sayEvent('level_begun', { level });
    if (inBreak && !clock.inBreak) this.sayEvent('break_begun', { until: this.time + (toBreak || 0) });
  },

  event_next_round() {
    const { event: ev } = this;
    this.isDuty('next_round');
    const before = ev.handForHand ? ev.handForHand.round : 0;
    this.sayEvent('hand_for_hand', { round: wantsHandForHand(ev) ? before + 1 : 0 });
  },

  event_end_registration() {
    const { event: ev } = this, cause = entryClosed(ev, ev.lastUsed);
    this.isDuty('end_registration');
    if (ev.registrationEnded === null) {
      need(cause, 'nothing_to_do');
      this.sayEvent('registration_ended', { cause, entries: ev.sold.entries, places: eventPlaces(ev) });
      return;
    }
    const { pool, overlay } = poolNow(ev);
    this.sayEvent('pool_final', { pool, overlay });
    this.postSummed(['house', -overlay], [this.ofPool(), overlay]);
  },

  event_start_clock() {
    const { event: ev } = this, { stands } = ev.clock;
    this.only('house');
    need(stands && stands[1] === 'crash', 'nothing_to_do');
    need(!isCrashOver(ev, this.time), 'deadline_passed');
    this.sayEvent('clock_started', { cause: 'crash' });
  },

  /** No duty is left: stakes are divided, fees are the house's, and cut fractions have their account. */
  event_end() {
    const { event: ev } = this, [undivided] = ascending(ev.sellers);
    this.isDuty('end');
    if (undivided !== undefined) { this.divideStakes(ev.entries.get(undivided)); return; }
    if (this.returnTickets(ev)) return;
    const residual = this.accounts.get(this.ofPool()), fees = this.accounts.get(this.ofFees());
    this.sayEvent('ended', { residual });
    this.postSummed(
      [this.ofPool(), -residual], ['rounding_residual', residual], [this.ofFees(), -fees], ['house', fees],
    );
  },

  /** Tickets that can no longer be used come back as T$ (9.7); returns whether there were any. */
  returnTickets(ev) {
    const holders = [...(this.tickets.get(ev.name) || new Map()).keys()].sort(compareText).slice(0, MOST_PAID);
    const { buy_in: buyIn, fee, bounty } = ev.structure.entry, value = buyIn + fee + bounty;
    for (const player of holders) {
      this.tell(player);
      this.sayEvent('ticket_returned', { player, value });
    }
    const lines = holders.flatMap(player => [['tickets', -value], [`tdollars:${player}`, value]]);
    if (lines.length) this.postSummed(...lines);
    return lines.length > 0;
  },

  // --- Draws and moves: sections 3, 6 -----------------------------------------------------------------

  event_call_draw() {
    const { event: ev } = this, due = dueDraw(ev);
    this.isDuty('call_draw');
    this.sayEvent('draw_called', {
      draw_no: ev.draws.next,
      kind: due[0],
      ...(due[1] === null ? {} : { table: due[1] }),
      reveal_by: this.time + ev.structure.clocks.reveal_ms,
    });
  },

  event_reveal_seat_seed({ draw_no, entry_no: no, seed, next }, who) {
    const { event: ev } = this, { open } = ev.draws;
    if (isPlayerActor(this.by)) this.existing(who);
    need(open && draw_no === ev.draws.next, 'wrong_draw');
    const entry = ev.entries.get(no);
    need(entry && open.entrants.has(no), 'not_an_entrant');
    need(next === undefined || who === entry.player, 'not_allowed');
    need(!open.seeds.has(no), 'already_revealed');
    const { player, commitment: kept } = entry;
    need(
      kept && open.awaited.has(no) && seatCommitment(ev.dctx, { use: kept.use, player, seed }) === kept.commitment,
      'seed_does_not_open',
    );
    need(this.time < open.by, 'deadline_passed');
    this.sayEvent('seat_seed_revealed', { draw_no, entry_no: no, seed, ...(next === undefined ? {} : { next }) });
  },

  /** The house's number comes from the dealer: it must lead to the one before, or to the tip. */
  event_draw_seats({ draw_no }) {
    const { event: ev } = this, { open, frozen, next, link: before } = ev.draws;
    this.only('house');
    need(open && draw_no === next, 'wrong_draw');
    need(!open.awaited.size || this.time >= open.by, 'deadline_ahead');
    need(frozen && !ev.clock.stands, 'nothing_to_do');
    const claimed = this.claim('seats_drawn'), link = claimed && isHash(claimed.link) ? claimed.link : '0'.repeat(64);
    const entrants = [...open.seeds].map(([no, seed]) => ({ entry_no: no, player: ev.entries.get(no).player, seed }));
    this.sayEvent('seats_drawn', {
      draw_no,
      link,
      entropy: hex(drawEntropy(ev.dctx, draw_no, unhex(link, 32), frozen.running, entrants)),
      withheld: open.entrants.size - open.seeds.size,
    });
    this.doubles.push(() => {
      if (hex(linkBefore(ev.dctx, draw_no, unhex(link, 32))) !== before)
        unsound('state', `the number of draw ${draw_no} does not lead to the one before it, ${before}`);
    });
  },

  event_move_player() {
    this.isDuty('move_player');
    this.sayEvent('player_moved', eventSeatingDue(this.event).move);
  },

  // --- Hands: sections 4.4, 7, 10 ---------------------------------------------------------------------

  event_settle_hand({ table }) {
    const { event: ev } = this;
    this.isDuty('settle_hand', { table });
    const all = ev.toSettle.get(table).map(no => ev.entries.get(no));
    const entries = all.filter(({ rebuyUntil }) => rebuyUntil === null);
    for (const { no } of entries.filter(entry => this.mayRebuy(entry)))
      this.sayEvent('rebuy_awaited', { entry_no: no, until: this.time + ev.structure.rebuy.time_ms });
    this.eliminate(entries.filter(entry => !this.mayRebuy(entry)));
  },

  mayRebuy({ no, rebuys, player }) {
    const { event: ev } = this, { rebuy: terms } = ev.structure;
    return !!terms && !ev.noted.has(no) && withinLevels(ev.structure, terms.levels, eventRunning(ev, this.time) || 0) &&
      rebuys < terms.most && this.balance(player) >= terms.price + terms.fee;
  },

  event_decline_rebuy({ entry_no: no }, who) {
    const entry = this.event.entries.get(no);
    need(entry && entry.rebuyUntil !== null, 'nothing_to_do');
    if (this.by === 'house') need(this.time >= entry.rebuyUntil, 'deadline_ahead');
    else need(this.existing(who) === entry.player, 'not_allowed');
    this.eliminate([entry]);
  },

  /** Eliminates these entries, from the lowest place upwards; their heads are won. */
  eliminate(entries) {
    if (!entries.length) return;
    const { event: ev } = this;
    const outOf = ({ no, falls: { winners, ...fall } }) => ({ entry_no: no, ...fall });
    const falls = entries.slice().sort(({ falls: a, no: one }, { falls: b, no: other }) =>
      a.hand - b.hand || a.stack - b.stack || b.distance - a.distance || other - one);
    const { hand } = falls[0].falls, ofHand = out => out.hand === hand;
    const others = [...ev.toSettle.values()].flat().map(no => ev.entries.get(no))
      .filter(entry => !entries.includes(entry) && entry.rebuyUntil === null && entry.falls);
    const before = ev.unranked.filter(ofHand), after = [...falls, ...others].map(outOf).filter(ofHand);
    const batch = [...before, ...after].sort((a, b) => a.table - b.table || a.entry_no - b.entry_no);
    const ranked = eliminationRanks(Math.max(0, ev.remaining - after.length), batch), places = eventPlaces(ev);
    const bounties = new Map();
    for (const no of falls.flatMap(({ no: out, falls: { winners } }) => [out, ...winners])) {
      const { head, total } = ev.entries.get(no);
      bounties.set(no, { head, total });
    }
    for (const entry of falls) {
      const { no, falls: { winners } } = entry, rank = ranked[no];
      if (hasBounty(bounties.get(no)) && winners.length)
        this.sayEvent('bounty_won', {
          entry_no: no,
          winners: bountyParts(bounties, no, winners, ev.structure.bounty_onto_head, !!rank && rank[0] <= places),
        });
      this.sayEvent('player_eliminated', outOf(entry));
    }
  },

  // --- Paid: sections 9, 10 ---------------------------------------------------------------------------

  event_pay_places() {
    const { event: ev } = this, lines = [], table = eventPrizes(ev);
    this.isDuty('pay_places');
    const due = [...ev.unpaid].sort(([a, place], [b, other]) => other - place || a - b).slice(0, MOST_PAID);
    for (const [no] of due) {
      if (lines.length + 4 > MOST_POSTED) break;
      lines.push(...this.payPlace(table, ev.entries.get(no)));
    }
    this.postSummed(...lines);
  },

  payPlace(table, entry) {
    const { event: ev } = this, { no, rank, player } = entry, { satellite } = ev.structure.payouts;
    const [{ seat, cash }] = tiedPrize(table, seatValue(ev.structure), rank[0], rank[1]);
    const won = seat ? this.seatPrize(satellite, player) : { ticket: 0, dollars: 0, house: 0 };
    const all = cash + won.ticket + won.dollars + won.house;
    const said = (money, ticket, dollars, given = 0) =>
      this.sayEvent('prize_paid', {
        entry_no: no,
        rank,
        prize: {
          ...unlessZero('cash', money), ...unlessZero('ticket', ticket), ...unlessZero('t_dollars', dollars),
          ...unlessZero('substitute', given),
        },
      });
    if (entry.at === 'disqualified') {
      // The place's prize is divided among all remaining players, and paid like bounties (7.6).
      said(all, 0, 0);
      return [[this.ofPool(), -all], [this.ofBounties(), all]];
    }
    this.tell(player);
    const given = takesSubstitute(ev, no, rank) ? cash : 0;
    said(cash - given, won.ticket, won.dollars, given);
    return [
      [this.ofPool(), -all],
      [this.payee(entry), cash - given],
      ['tickets', won.ticket],
      [`tdollars:${player}`, won.dollars],
      ['house', won.house + given],
    ];
  },

  /** A ticket, or T$ for a winner who cannot use one (R001.24). */
  seatPrize({ target: name, buy_in: buyIn, fee }, player) {
    const target = this.events.get(name);
    if (!target || !takesEntries(target, this.time)) return { ticket: 0, dollars: buyIn + fee, house: 0 };
    const { entries, barred } = target.entrants.get(player) || newEntrant();
    const useless = entryInPlay(target, player) || barred || this.hasTicket(name, player) ||
      entries.length >= target.structure.entry.entries_per_player;
    return useless ? { ticket: 0, dollars: buyIn, house: fee } : { ticket: buyIn + fee, dollars: 0, house: 0 };
  },

  event_pay_bounties() {
    const { event: ev } = this, lines = [], over = isEventOver(ev);
    this.isDuty('pay_bounties');
    const atEnd = over ? entriesLeft(ev).filter(hasBounty).map(({ no }) => no) : [];
    for (const no of ascending(new Set([...ev.won, ...atEnd])).slice(0, MOST_PAID)) {
      const entry = ev.entries.get(no), amount = entry.total + (over && inPlay(entry) ? entry.head : 0);
      this.tell(entry.player);
      lines.push([this.ofBounties(), -amount], [this.payee(entry), amount]);
      this.sayEvent('bounty_paid', { entry_no: no, amount });
    }
    this.postSummed(...lines);
  },

  // --- Deals: section 11 ------------------------------------------------------------------------------

  /** The entry of a remaining player while a deal is possible. */
  dealing(who) {
    const { event: ev } = this, { deal } = ev.structure;
    this.existing(who);
    const entry = this.ownEntry(who);
    need(deal && ev.pool !== null && ev.remaining <= deal.most_players && !isEventOver(ev), 'not_allowed');
    return entry;
  },

  event_want_deal({ want }, who) {
    const { no } = this.dealing(who), { event: ev } = this, { wanted } = ev.deal;
    need(wanted.has(no) !== want, 'nothing_to_do');
    need(!ev.clock.stands || !want, 'nothing_to_do');
    const all = wanted.size + 1 >= ev.remaining;
    // Hands in progress are played to their ends: the next ones are called at once, so there is no other time.
    const drawing = !!ev.draws.open || !!ev.draws.frozen;
    need(!want || !all || (!drawing && !ev.handForHand), 'hand_in_progress');
    this.sayEvent('deal_wanted', { entry_no: no, want });
    if (want && all) this.sayEvent('clock_stopped', { cause: 'deal' });
    if (!want && ev.clock.stands) this.noDeal();
  },

  noDeal() {
    this.sayEvent('deal_off', {});
    this.sayEvent('clock_started', { cause: 'deal' });
  },

  event_propose_deal({ method, amounts }, who) {
    this.dealing(who);
    const { event: ev } = this, { stands } = ev.clock;
    need(stands && stands[1] === 'deal', 'nothing_to_do');
    need(ev.field.tables.every(({ table: number }) => isIdleAt(ev, number)), 'hand_in_progress');
    need(!ev.deal.proposal, 'nothing_to_do');
    const players = entriesLeft(ev).sort((a, b) => a.no - b.no).map(({ no, chips }) => ({ entry_no: no, chips }));
    const table = eventPrizes(ev), prizes = players.map((_, i) => prizeInCash(table, i + 1, 0));
    const named = amounts && amounts.map(([no]) => no).join() === players.map(player => player.entry_no).join();
    need(method === 'amounts' ? named : !amounts, 'malformed');
    need(players.length >= 2 && players.every(({ chips }) => chips > 0), 'deal_refused');
    need(method !== 'amounts' || sum(amounts.map(([, amount]) => amount)) === sum(prizes), 'deal_refused');
    const paid = amounts ? amounts.map(([, amount]) => amount) : dealShares(method, players, prizes).paid;
    const shares = players.map(({ entry_no }, i) => [entry_no, paid[i]]);
    this.sayEvent('deal_proposed', {
      method,
      digest: paysDeal(method, ev.name, shares),
      amounts: shares,
      answer_by: this.time + ev.structure.clocks.commit_ms * 6,
    });
  },

  event_answer_deal({ digest, accept }, who) {
    const { event: ev } = this, { proposal } = ev.deal;
    if (this.by === 'house') {
      const ends = dealEnds(ev);
      need(ends !== null, 'nothing_to_do');
      need(!accept && this.time >= ends, 'deadline_ahead');
      this.noDeal();
      return;
    }
    const { no } = this.dealing(who);
    need(proposal && proposal.digest === digest, 'nothing_to_do');
    need(this.time < proposal.answerBy, 'deadline_passed');
    need(!proposal.accepted.has(no), 'nothing_to_do');
    this.sayEvent('deal_answered', { entry_no: no, accept });
    if (!accept) { this.noDeal(); return; }
    if (proposal.accepted.size + 1 < ev.remaining) return;
    const { amounts } = proposal, paid = amounts.map(([of, amount]) => [ev.entries.get(of), amount]);
    paid.forEach(([{ player }]) => this.tell(player));
    this.sayEvent('deal_made', { amounts });
    this.sayEvent('clock_started', { cause: 'deal' });
    this.postSummed(...paid.flatMap(([entry, amount]) => [[this.ofPool(), -amount], [this.payee(entry), amount]]));
  },

  // --- By the operator: sections 4.5, 7.6, 9.5 --------------------------------------------------------

  event_disqualify({ player, reason }) {
    this.only('operator');
    const entry = this.ownEntry(player), { event: ev } = this;
    need(ev.stage === 'running' && !isEventOver(ev) && ev.remaining > 1, 'not_allowed');
    const noted = ev.noted.get(entry.no);
    need(!noted || noted.what !== 'disqualification', 'nothing_to_do');
    if (canDisqualify(ev, entry)) this.sayDisqualified(entry.no, reason);
    else this.sayEvent('noted', { entry_no: entry.no, what: 'disqualification', reason });
  },

  sayDisqualified(no, reason) {
    const { stands } = this.event.clock;
    this.sayEvent('player_disqualified', { entry_no: no, reason });
    // The proposal included them, and their acceptance cannot be another's.
    if (stands && stands[1] === 'deal') this.noDeal();
  },

  event_substitute_prize({ place, what, value }, who) {
    const { event: ev } = this;
    if (isPlayerActor(this.by)) { this.acceptSubstitute(place, what, value, who); return; }
    this.only('operator');
    need(ev.pool !== null, 'not_allowed');
    const prize = prizeInCash(eventPrizes(ev), place, seatValue(ev.structure));
    const isPaid = [...ev.entries.values()]
      .some(entry => entry.isPaid && entry.rank && entry.rank[0] <= place && place <= entry.rank[1]);
    need(prize && !isPaid && !ev.substitutes.has(place) && value >= prize, 'not_allowed');
    this.sayEvent('prize_substituted', { place, what, value });
  },

  /** A remaining player accepts it in case the place becomes theirs: their text must equal the offer. */
  acceptSubstitute(place, what, value, who) {
    this.existing(who);
    const { event: ev } = this, { no } = this.ownEntry(who), offered = ev.substitutes.get(place);
    need(offered && offered.what === what && offered.value === value, 'not_allowed');
    need(!offered.accepted.has(no), 'nothing_to_do');
    need(!ev.entrants.get(who).entries.some(own => ev.sellers.has(own)), 'not_allowed');
    this.sayEvent('substitute_accepted', { entry_no: no, place });
  },

  event_change_registration({ late_levels: late, unregister_ms: unregisterMs }) {
    this.only('operator');
    const { event: ev } = this, { unregister_ms: _, ...changed } = scheduled(ev, late);
    need(ev.registrationEnded === null && ['registering', 'running'].includes(ev.stage), 'registration_closed');
    need(late !== ev.lateLevels || unregisterMs !== ev.unregisterMs, 'nothing_to_do');
    const times = unregisterMs === undefined ? {} : { unregister_ms: unregisterMs };
    need(!whyNoStructure({ ...changed, ...times }), 'structure_refused');
    this.sayEvent('registration_changed', { late_levels: late, ...times });
  },

  event_postpone({ starts_at }) {
    this.only('operator');
    const { event: ev } = this;
    need(ev.stage === 'registering', 'not_allowed');
    const [announced = ev.startsAt] = ev.earlierStarts;
    need(ev.earlierStarts.length < MOST_POSTPONED, 'not_allowed');
    need(starts_at > ev.startsAt && starts_at <= announced + POSTPONED_MS, 'malformed');
    this.sayEvent('postponed', { starts_at });
  },
});

/** The winners' parts of a head (10.1 to 10.3); `bounties` are changed. */
function bountyParts(bounties, out, winners, ontoHead, paidPlace) {
  const { head, total } = bounties.get(out), heads = splitEqually(head, winners.length);
  const totals = splitEqually(paidPlace ? 0 : total, winners.length);
  bounties.delete(out);
  return winners.map((winner, i) => {
    const cashed = { none: heads[i], half: Math.floor(heads[i] / 2), all: 0 }[ontoHead];
    const won = { entry_no: winner, to_total: cashed + totals[i], onto_head: heads[i] - cashed };
    const bounty = bounties.get(winner);
    bounty.total += won.to_total;
    bounty.head += won.onto_head;
    return won;
  });
}

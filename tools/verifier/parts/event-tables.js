// A tournament's tables: their rule set, the settings before a hand, button and blinds, hands without a seed
// (spec/games/tournaments.md, 2.3, 6.6 to 6.8). The rest of a hand is a cash table's.

/** The rule set of an event's tables for other blinds; the largest blind is the least bet. */
function rulesAtBlinds(rules, blinds) {
  const { poker } = rules.game, least = blinds.third === undefined ? blinds.big : blinds.third;
  const [[kind, sizes]] = Object.entries(poker.hand.betting);
  const betting =
    kind === 'fixed_limit' ? { ...sizes, small_bet: least, big_bet: least * 2 } : { ...sizes, min_bet: least };
  return {
    ...rules,
    table: { ...rules.table, stake_min: least },
    game: { poker: { ...poker, hand: { ...poker.hand, betting: { [kind]: betting } }, blinds } },
  };
}

const levelBlinds = ({ levels }, level) => {
  const { small, big: bigger, third, ante } = levels[level - 1];
  return {
    small, big: bigger, ...(third === undefined ? {} : { third }), ante,
    straddle: false,
    entry_post: 'big',
  };
};

/** The rule set of an event's tables at a level; null where the named one is not poker. */
function eventTableRules(structure, rules, level) {
  const { poker } = rules.game, { clocks } = structure;
  if (!poker) return null;
  const { rake, ...hand } = poker.hand, blinds = levelBlinds(structure, level);
  const own = {
    ...poker,
    hand,
    rake_by_players: [],
    clocks: { ...poker.clocks, bank_ms: clocks.bank_ms, bank_refill_ms: clocks.bank_refill_ms },
    cash_timeout: 'check_if_free',
    leave_table: { exempt: true, removal_counts: false, sit_out_hands: 65535 },
  };
  // An event's hands have its own pause, and its seats are held to the end.
  const { between_hands_ms, away_ms, ...shared } = rules.table, { between_hands_ms: pause } = clocks;
  const table = {
    ...shared,
    seats: structure.seats,
    stake_max: 1e12,
    stake_step: 1,
    crash: 'rollback',
    bet_time_ms: clocks.commit_ms,
    reveal_time_ms: clocks.reveal_ms,
    turn_time_ms: clocks.turn_ms,
    ...(pause === undefined ? {} : { between_hands_ms: pause }),
  };
  return rulesAtBlinds({ ...rules, table, game: { poker: own } }, blinds);
}

/** The number of seat numbers between two seats, clockwise. */
const seatsBetween = (from, to) => (to - from - 1 + 256) % 256;

/** Button and blinds of a tournament's hand, for players with chips: `{positions, dealt}`; null for fewer than two. */
function tournamentPlaces(seats, blinds, last, drawn) {
  if (seats.length < 2) return null;
  const after = from => clockwise(seats, from)[0].seat, headsUp = seats.length === 2;
  let button, small, bigger;
  if (!last) {
    const sits = seats.some(({ seat }) => seat === drawn);
    button = headsUp && !sits ? after(drawn) : drawn;
    small = headsUp ? button : after(button);
    bigger = after(small);
  } else {
    bigger = after(last.big);
    [button, small] = headsUp ? [after(bigger), after(bigger)] : [last.small, last.big];
  }
  // A player who has just come does not get the button's round for free.
  const waits = ({ seat, owes }) =>
    last && !headsUp && owes.entry &&
    ((seat !== button && seatsBetween(button, seat) < seatsBetween(button, bigger)) || seat === small);
  const playing = seats.filter(seat => !waits(seat)), those = playing.length < 2 ? seats : playing;
  // If two play, one has the big blind, and the other button and small blind, even if more wait.
  if (those.length === 2) button = small = those.find(({ seat }) => seat !== bigger).seat;
  const dealt = clockwise(those, button);
  const third = blinds.third === undefined || headsUp ? null : clockwise(dealt, bigger)[0].seat;
  const positions = {
    button, small, big: bigger, ...(third === null || third === small || third === bigger ? {} : { third }),
  };
  return { positions, dealt };
}

/** The `hand` of a tournament's hand_begun, or null. */
function tournamentHandOf(seats, { blinds, clocks }, last, drawn) {
  const places = tournamentPlaces(seats, blinds, last, drawn);
  if (!places) return null;
  const { positions, dealt } = places;
  const live = seat => (seat === positions.big ? blinds.big : seat === positions.small ? blinds.small
    : seat === positions.third ? blinds.third : 0);
  return {
    positions,
    seats: dealt.map(({ seat, player, stack, bank }) => ({
      due: { seat, ante: blinds.ante, dead: 0, live: live(seat), opens: live(seat) > 0 },
      player,
      stack,
      bank_ms: Math.min(clocks.bank_ms, bank + clocks.bank_refill_ms),
    })),
  };
}

extendHouse({
  /** The tournament whose table this is, or null. */
  eventOf(table) { return table && table.event && !this.stated ? this.events.get(table.event) : null; },

  open_event_table({ table: name, rules }) {
    this.only('house');
    const [, event] = /^(.*)\.[^.]*$/.exec(name) || [], ev = this.events.get(event), due = ev && this.dutyOfEvent(ev);
    // In a bundle the tournament's own entries are missing: the log is trusted that the table is its.
    if (!this.stated) {
      need(ev, 'unknown_table');
      need(quote(due) === quote({ open_event_table: { table: name, rules } }), 'nothing_to_do');
    }
    need(isName(event), 'unknown_table');
    const why = whyNoRuleSet(rules);
    need(!why, 'rule_set_refused', why);
    this.usedTables.set(name, { owner: null, replacedBy: null, sealed: [] });
    this.accounts.set(`table:${name}`, 0);
    this.table = Object.assign(this.newTable(name, rules, null, undefined), { event });
    this.tables.set(name, this.table);
    this.say('table_opened', { rules, digest: rulesDigest(rules), event });
  },

  set_seats() {
    const { table } = this, ev = this.eventOf(table);
    this.only('house');
    const set = ev && this.seatsToSet(ev, table.name);
    need(set, 'nothing_to_do');
    this.say('set_seats', set);
    const before = table.cash;
    table.rules = rulesAtBlinds(table.rules, set.blinds);
    table.cash = new Map();
    for (const { seat, player, stack, bank_ms: bank, cut_off: cutOff = null } of set.seats) {
      const stayed = before.get(seat), same = stayed && stayed.player === player;
      if (same) table.cash.set(seat, stayed); else this.sitDown(player, seat);
      Object.assign(table.cash.get(seat), { stack, bank, cutOff });
    }
    const sits = player => set.seats.some(one => one.player === player);
    table.carried = new Map([...table.carried].filter(([player]) => sits(player)));
    table.used = new Map(set.seats.map(({ player }) => [player, table.used.get(player) ?? this.time]));
    const { seats, ...place } = set;
    table.place = place;
  },

  /** The settings that a table needs before its next hand, or null. */
  seatsToSet(ev, name) {
    const number = tableNumber(ev, name), here = fieldTable(ev, number);
    if (!ev.tables.dirty.has(number) || !isIdleAt(ev, number) || ev.stage !== 'running' || !here) return null;
    const { level } = ev.clock, button = here.first_button;
    return {
      level,
      blinds: levelBlinds(ev.structure, level),
      ...(button === null || button === undefined ? {} : { button }),
      ...(doubledAt(ev, number) ? { doubled: doubledAt(ev, number) } : {}),
      ...(lateExtraOf(ev) ? { late_extra_ms: lateExtraOf(ev) } : {}),
      seats: takenSeats(here).map(seat => {
        const { player, chips: stack, bank: bank_ms, cutOff } = ev.entries.get(here.players[seat]);
        return { seat, player, stack, bank_ms, ...(cutOff ? { cut_off: cutOff } : {}) };
      }),
    };
  },

  /** The call is over: all players with chips are dealt in; without a committed seed no card is dealt. */
  beginEventHand(window) {
    const { table } = this, withChips = this.cashSeats().filter(({ stack }) => stack > 0);
    const { button: drawn = (withChips[0] || { seat: 1 }).seat } = table.place;
    const hand = tournamentHandOf(withChips, this.cashOptions(), table.positions, drawn);
    if (!hand) return this.lapseCall('too_few_players', false);
    if (hand.seats.some(({ player }) => window.bets.has(player))) return this.bindHand(hand, window, false);
    this.lapseCall('no_seeds', false);
    return this.takePosts(hand);
  },

  /**
   * The big blind gets the part of each post that they could match, and the rest goes back; of doubled posts they get
   * all.
   */
  takePosts({ positions, seats }) {
    const { table } = this, { doubled = 0 } = table.place;
    const posted = seats.map(({ due, stack }) => Math.min((due.ante + due.live) * 2 ** doubled, stack));
    const big = doubled ? Infinity : posted[seats.findIndex(({ due }) => due.seat === positions.big)];
    const results = seats.map(({ due: { seat }, player, stack }, i) => {
      const got = seat === positions.big ? sum(posted.map(put => Math.min(put, big))) : Math.max(posted[i] - big, 0);
      return { seat, player, put_in: posted[i], got, stack: stack - posted[i] + got };
    });
    for (const { seat: number, stack } of results) {
      const seat = table.cash.get(number);
      Object.assign(seat, { stack, hands: seat.hands + 1 });
    }
    for (const seat of table.cash.values()) seat.owes = newDebts();
    table.positions = positions;
    this.say('posts_taken', { positions, seats: results });
  },
});

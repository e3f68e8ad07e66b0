// The log room's counts over entries, in their order: rounds and turnover, voids, withheld seeds, changes of shoes,
// returns, faces and pockets, significant events. A classic script: log-worker.js loads it with the verifier.
/* global fairshoe */
/* exported Figures */

const RANKS = 'A23456789TJQK',
  SUITS = 'cdhs';
const MOST_VOIDS = 500,
  MOST_SIGNIFICANT = 2000,
  MOST_NAMES = 50,
  MOST_TABLES = 500;

/** The operator's acts, and the service's incidents: `[kind, fields]` of an entry, or null. */
const SIGNIFICANT = {
  start_dealer: (c, events) => [
    'start',
    { down_ms: (events.dealer_started || {}).down_ms || 0, software: c.software },
  ],
  stop_dealer: () => ['stop', {}],
  note_refused_start: c => ['refused_start', { reason: c.reason }],
  know_log: c => ['log_known', { log: c.log }],
  continue_log: c => ['continues', { origin: c.origin }],
  end_log: c => ['ended', { origin: c.origin, key: c.key }],
  correct: c => ['correction', { player: c.player, amount: c.amount, reason: c.reason }],
  void_round: c => ['malfunction', { round: `${c.table}:${c.round_no}`, reason: c.reason }],
  disclose_shoe: c => ['disclosure', { shoe: `${c.table}:${c.shoe_no}`, reason: c.reason }],
  issue_token: c => (c.revoke ? ['tokens_revoked', { player: c.holder }] : null),
  set_key: (c, events, by) => (by === 'operator' ? ['key_set', { player: c.player, reason: c.reason }] : null),
  // A player's own acts are on the log for those who look; the operator's acts for a player are shown to everyone.
  set_limit: (c, events, by) =>
    by === 'operator' ? ['limit_set', { ...c, from: events.limit_set.from }] : null,
  exclude: (c, events, by) =>
    by === 'operator' ? ['excluded', { player: c.player, until: new Date(c.until).toISOString().slice(0, 16) }] : null,
  retire_shoe: (c, events, by) =>
    by === 'operator' ? ['house_shuffle', { table: c.table, reason: c.reason }] : null,
  unseat: c => ['unseated', { player: c.player, table: c.table, reason: c.reason }],
  open_table: (c, events, by) =>
    by === 'operator' ? ['table_opened', { table: c.table, rules: c.rules.name }] : null,
  close_table: (c, events, by) => (by === 'operator' ? ['table_closed', { table: c.table }] : null),
  tournament: (c, events, by) => {
    const [[word, fields]] = Object.entries(c), kind = OF_TOURNAMENTS[word];
    if (!kind || by !== 'operator') return null;
    const { starts_at: at, ...rest } = fields;
    return [word === 'set_bounty' && !fields.has ? 'bounty_denied' : kind, at ? { at, ...rest } : rest];
  },
};

/** The operator's powers over a tournament beyond its structure (spec/audit.md, "What each command is worth"). */
const OF_TOURNAMENTS = {
  cancel: 'event_cancelled',
  postpone: 'event_postponed',
  change_registration: 'registration_changed',
  disqualify: 'disqualified',
  set_bounty: 'bounty_given',
  substitute_prize: 'prize_substituted',
};

const count = (map, name, by = 1) => {
  if (map.has(name) || map.size < MOST_TABLES) map.set(name, (map.get(name) || 0) + by);
};
const newest = (list, item, most) => {
  list.push(item);
  if (list.length > most) list.shift();
};

class Figures {
  constructor(from, rules) {
    Object.assign(this, { from, to: from, firstTime: null, lastTime: null, rules: new Map(Object.entries(rules)) });
    Object.assign(this, { rounds: 0, voids: 0, shoes: 0, late: 0, faces: 0, spins: 0 });
    Object.assign(this, {
      tables: new Map(),
      causes: new Map(),
      withheld: new Map(),
      changes: new Map(),
      returns: new Map(),
    });
    Object.assign(this, { voidList: [], significant: [], aheadOverTime: [], live: new Map() });
    this.ranks = Array(13).fill(0);
    this.suits = Array(4).fill(0);
    this.pockets = Array(37).fill(0);
  }

  take(index, entry) {
    const { time, by, command, events } = entry,
      [[name, fields]] = Object.entries(command);
    this.to = index + 1;
    if (this.firstTime === null) this.firstTime = time;
    this.lastTime = time;
    if (command.open_table || command.open_event_table) this.rules.set(fields.table, fields.rules);
    const table = entry.at ? entry.at.table : fields.table;
    for (const event of events)
      this.event(index, time, table, fairshoe.eventName(event), fairshoe.eventFields(event), fields);
    const told = SIGNIFICANT[name] && SIGNIFICANT[name](fields, Object.assign({}, ...events), by);
    if (told) newest(this.significant, { index, time, by, kind: told[0], ...told[1] }, MOST_SIGNIFICANT);
  }

  tableOf(name) {
    let table = this.tables.get(name);
    if (!table) {
      const rules = this.rules.get(name);
      table = { table: name, rules: rules ? rules.name : null, rounds: 0, voids: 0, staked: 0, returned: 0 };
      if (this.tables.size < MOST_TABLES) this.tables.set(name, table);
    }
    return table;
  }

  event(index, time, table, name, e, command) {
    const live = this.live.get(table);
    if (name === 'bets_closed') {
      const opening = new Map(
        e.contributors.map(({ player, bets }) => [player, bets.reduce((all, bet) => all + bet.stake, 0)]),
      );
      this.live.set(table, { no: e.round_no, opening });
    } else if (name === 'hand_begun') this.live.set(table, { no: e.round_no, opening: null });
    else if (name === 'dealt' && e.card) this.face(table, e.card);
    else if (name === 'spun' && this.rules.get(table)?.game.roulette) {
      this.pockets[e.pocket]++;
      this.spins++;
    } else if (name === 'paid' && live) this.paid(table, e.lines);
    else if (name === 'round_settled') this.settled(table, live, e);
    else if (name === 'round_voided') this.voided(index, time, table, e, command);
    else if (name === 'seed_late') this.late++;
    else if (name === 'shoe_committed') this.shoes++;
    else if (name === 'shoe_revealed' && e.cause) count(this.changes, e.cause);
  }

  /** Cards dealt face-up: cards turned up later depend on the outcome of a hand. */
  face(table, card) {
    const rules = this.rules.get(table);
    // The cards of Safe's later piles come from the discards.
    if (!rules || rules.game.safe) return;
    this.faces++;
    this.ranks[RANKS.indexOf(card[0])]++;
    this.suits[SUITS.indexOf(card[1])]++;
  }

  /** Stakes and returns of bets that chance alone decides; a round's bets of one kind together. */
  paid(table, lines) {
    const rules = this.rules.get(table),
      sums = new Map(),
      [[game, options]] = Object.entries(rules?.game ?? { none: null }),
      { oddsOf } = fairshoe.games[game] ?? {};
    if (!oddsOf) return;
    for (const { place, stake, returned } of lines) {
      // Bets of one name and one distribution.
      const { kind, ways } = oddsOf(options, place),
        key = `${game}:${kind}:${JSON.stringify(ways)}`,
        [staked, back] = sums.get(key) || [0, 0];
      sums.set(key, [staked + stake, back + returned]);
    }
    for (const [key, [staked, back]] of sums) this.returned(key, staked, back);
  }

  /** The edge is a share of `staked`; sums of squares give the interval. */
  returned(kind, staked, returned) {
    const sums = this.returns.get(kind) || { kind, bets: 0, staked: 0, returned: 0, ss: 0, sr: 0, rr: 0 };
    sums.bets++;
    sums.staked += staked;
    sums.returned += returned;
    sums.ss += staked * staked;
    sums.sr += staked * returned;
    sums.rr += returned * returned;
    this.returns.set(kind, sums);
  }

  settled(table, live, { staked, returned, players }) {
    const at = this.tableOf(table),
      rules = this.rules.get(table);
    this.rounds++;
    at.rounds++;
    at.staked += staked;
    at.returned += returned;
    if (live && live.opening && rules && rules.game.blackjack) {
      for (const one of players) {
        const opening = live.opening.get(one.player) || 0;
        if (opening) this.returned(`blackjack:${rules.name}`, opening, opening + one.returned - one.staked);
      }
    }
    this.live.delete(table);
  }

  voided(index, time, table, { round_no: no, cause, ahead, missing }, { reason }) {
    const at = this.tableOf(table);
    this.voids++;
    at.voids++;
    count(this.causes, `${cause}/${ahead}`);
    for (const player of missing) count(this.withheld, player);
    newest(
      this.voidList,
      { index, time, round: `${table}:${no}`, cause, ahead, missing, reason: reason || '' },
      MOST_VOIDS,
    );
    newest(this.aheadOverTime, [time, ahead], MOST_SIGNIFICANT);
    this.live.delete(table);
  }

  summary() {
    const top = (map, most) => [...map].sort((a, b) => b[1] - a[1]).slice(0, most);
    const { from, to, firstTime, lastTime, rounds, voids, shoes, late, faces, spins, ranks, suits, pockets } = this;
    return {
      from,
      to,
      firstTime,
      lastTime,
      rounds,
      voids,
      shoes,
      late,
      faces,
      spins,
      ranks,
      suits,
      pockets,
      tables: [...this.tables.values()]
        .sort((a, b) => b.rounds - a.rounds || b.staked - a.staked)
        .slice(0, MOST_NAMES),
      allTables: this.tables.size,
      causes: [...this.causes],
      withheld: top(this.withheld, MOST_NAMES),
      withholders: this.withheld.size,
      changes: top(this.changes, MOST_NAMES),
      returns: [...this.returns.values()],
      voidList: [...this.voidList].reverse(),
      significant: [...this.significant].reverse(),
      aheadOverTime: this.aheadOverTime,
    };
  }
}

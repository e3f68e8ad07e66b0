// The state as text, one line for each part, and its root: spec/state.md.

const STATE_INTERVAL = 65536, MINUTES_60 = 3600000;
const orNone = (name, value) =>
  value === undefined || value === null || (isList(value) && !value.length) ? {} : { [name]: value };

const unlessZero = (name, amount) => (amount ? { [name]: amount } : {});

extendHouse({
  note_state({ size, root }) {
    this.only('house');
    need(
      size > this.noted &&
        (size === this.size || (size % STATE_INTERVAL === 0 && size <= this.size && this.size - size < STATE_INTERVAL)),
      'malformed',
    );
    this.noted = size;
    this.say('state_noted', { size, root });
  },

  /** Before an entry: the root that it must name, if it names a state, or null; and its table, if the table rests. */
  beforeEntry({ command, events }) {
    if (this.stated) return;
    const named = command.note_state, table = this.tables.get(Object.values(command)[0].table);
    this.namedRoot = !named ? null : named.size === this.size ? this.stateRoot() : this.lastRoot;
    const begins = !events || events.some(event => isObject(event) && (event.bets_opened || event.hand_called));
    this.restBefore = begins && table && this.rests(table) ? this.standsAtRest(table) : null;
  },

  /** After an entry: whether the table rests, and the root after each whole interval. */
  afterEntry(command, index) {
    if (this.stated) return;
    for (const table of command.start_dealer ? this.tables.values() : this.table ? [this.table] : []) {
      if (!command.start_dealer)
        table.rest = this.rests(table) ? null : this.restBefore ? { ...this.restBefore, since: [] } : table.rest;
      if (table.rest) table.rest.since.push(index);
    }
    this.size = index + 1;
    if (this.size % STATE_INTERVAL === 0) this.lastRoot = this.stateRoot();
  },

  rests: ({ live, window }) => !live && !window,

  stateRoot() { return hex(treeRoot(this.stateLines().map(line => leafHash(utf8(line))))); },

  stateLines() {
    const lines = new Map([['log', this.logPart()]]);
    for (const player of this.players) lines.set(`player:${player}`, this.playerPart(player));
    for (const [log, known] of this.known) lines.set(`known:${log}`, this.knownPart(log, known));
    this.walletLines(lines);
    for (const [name, used] of this.usedTables) lines.set(`table:${name}`, this.tablePart(name, used));
    for (const { rules } of this.tables.values()) lines.set(`rules:${rulesDigest(rules)}`, rules);
    this.eventLines(lines);
    return [...lines].sort(([a], [b]) => compareText(a, b)).map(pair => quote(pair));
  },

  logPart() {
    const { origin, epoch, master_id } = this.start,
      ready = [...this.tables.values()].some(({ recovering }) => recovering) ? null : this.ready;
    const [cage, house, rake] = ['cage', 'house', 'rake'].map(account => this.accounts.get(account));
    return {
      origin, epoch, master_id, time: this.time, started: this.startedAt,
      ...orNone('ready', ready),
      ...orNone('noted', this.noted || null),
      ...orNone('continues', this.continues),
      ...orNone('ended', this.ended),
      cage,
      house,
      rake,
      ...unlessZero('tickets', this.accounts.get('tickets')),
      ...unlessZero('rounding_residual', this.accounts.get('rounding_residual')),
      ...unlessZero('play', this.accounts.get('play')),
      ...unlessZero('admitted', this.admitted),
      ...unlessZero('wallet', this.walletStands()),
      ...unlessZero('operations', this.wallet.count),
    };
  },

  playerPart(player) {
    const waiting = this.waitingKeys.get(player),
      inForce = waiting && waiting.from <= this.time,
      until = this.until.get(player) || 0;
    const counting = (times, span) => (times || []).filter(time => this.time - time < span);
    const levels = [...this.blocks.keys()].filter(key => key.startsWith(`${player} `)).sort(compareText);
    const early = levels.map(key => [
      key.slice(player.length + 1),
      counting(this.refusals.get(key), HOURS_12),
      this.blocks.get(key) > this.time ? this.blocks.get(key) : 0,
    ]);
    return {
      balance: this.balance(player), ...unlessZero('t_dollars', this.accounts.get(`tdollars:${player}`)),
      ...orNone('idle_since', this.idleSince.get(player)),
      ...orNone('key', inForce ? waiting.key : this.keys.get(player)),
      ...(waiting && !inForce ? { waiting: { ...orNone('key', waiting.key), from: waiting.from } } : {}),
      ...orNone('nonce', this.nonces.get(player)), ...this.limitsPart(player),
      ...orNone('offences', counting(this.offences.get(player), HOURS_12)),
      ...(until > this.time ? { until } : {}), ...orNone('refunds', counting(this.refunds.get(player), DAYS_30)),
      ...orNone('early', early.filter(([, times, end]) => times.length || end)),
    };
  },

  tablePart(name, { owner, replacedBy, sealed }) {
    const table = this.tables.get(name);
    const changes = table
      ? [...table.changes]
          .filter(([, { since }]) => this.time < since + MINUTES_60)
          .sort(([a], [b]) => compareText(a, b))
      : [];
    return {
      ...orNone('event', table && table.event), ...orNone('owner', owner), ...orNone('replaced_by', replacedBy),
      ...orNone('sealed', sealed),
      ...orNone(
        'changes',
        changes.map(([player, { since, count }]) => [player, since, count]),
      ),
      ...(table ? { stands: table.rest || this.standsAtRest(table) } : {}),
    };
  },

  /** A resting table. Its state is copied, because the table goes on. */
  standsAtRest(table) {
    const { rules, idleMs, shoe, due = {} } = table, since = kept => (kept ? kept.since : 0);
    const untidy = this.cashSeats(table)
      .filter(({ leaving, unseated, topUp }) => leaving || unseated || topUp)
      .map(({ seat, leaving, unseated, topUp }) => [seat, leaving, !!unseated, topUp]);
    const voided = table.voids.map(({ no, time, epoch, commitments, out }) => ({
      round_no: no,
      time,
      epoch,
      missing: [...commitments]
        .sort(([a], [b]) => compareText(a, b))
        .map(([player, commitment]) => ({ player, commitment, out: out.has(player) })),
    }));
    return JSON.parse(quote({
        rules: rulesDigest(rules),
        ...orNone('idle_ms', idleMs),
        next_seq: table.seq,
        next_shoe: table.nextShoe,
        epoch: this.start.epoch,
        ...(table.recovering ? { down_since: table.downSince } : {}),
        noted: this.notedTable(table),
        ...orNone('untidy', untidy),
        ...(shoe ? { shoe: this.shoePart(table, shoe) } : {}),
        ...orNone('voided', voided),
        due: [since(due.duty), since(due.deadline)],
      }),
    );
  },

  shoePart(
    { shuffleAsked },
    { no, composition, epoch, candidates, undrawn, bettors, lastHand, seq, bytes, since, rounds, lastEnd },
  ) {
    return {
      shoe_no: no,
      composition: composition.text,
      epoch,
      candidates,
      drawn: Array.from({ length: composition.slots }, (_, i) => i).filter(slot => !undrawn.has(slot)),
      ...(bettors ? { bettors: [...bettors].sort(compareText) } : {}), last_hand: lastHand, shuffle_asked: shuffleAsked,
      from_seq: seq, bytes, since, rounds, ...orNone('last_round_at', lastEnd),
    };
  },
});

// Limits that players set themselves, and exclusions: spec/limits.md.
//
// `limits` has, for each player with limits, a Map of them by their names, each `{of, per, most, count, until,
// waiting}`: the amount counted in the period that ends at `until`, and the waiting change, `{most, from}`, or null.
// They are updated to an entry's time only when read, so that no entry costs more if many players have limits.

const LIMIT_OF = ['deposit', 'loss', 'play_time'];
const LIMIT_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS };
const PLAY_GAP_MS = 600000, MOST_EXCLUSION_MS = 3650 * DAY_MS;
/** Commands by which a player begins to play, or stakes more: limits and exclusions refuse them. */
const LIMITED = ['take_seat', 'ask_to_play', 'bet', 'sit_down', 'sit_in'];
const LIMITED_AT_EVENT = ['register', 'rebuy', 'add_on', 'buy_stake'];
const nameOfLimit = (of, per) => `${of}/${per}`;
/** In the order in which a state has them. */
const LIMIT_NAMES = LIMIT_OF.flatMap(of => Object.keys(LIMIT_MS).map(per => nameOfLimit(of, per)));
const isOfPlayTime = ({ of }) => of === 'play_time';


extendHouse({
  // --- Set --------------------------------------------------------------------------------------------

  set_limit({ player, of, per, most }, who) {
    this.limitedPlayer(player, who);
    this.limitsOf(player); // what waited, and is in force now, is what is changed
    const name = nameOfLimit(of, per), own = this.limits.get(player) || new Map(), limit = own.get(name);
    const stands = limit ? (limit.waiting || limit).most : undefined;
    need(most !== stands, 'nothing_to_do');
    const loosens = !!limit && (most === undefined || most > limit.most), from = this.time + DAY_MS;
    const hasKey = this.keys.has(player) || this.waitingKeys.has(player);
    need(!loosens || who || !hasKey, 'signature_missing');
    if (loosens) limit.waiting = { most, from };
    else if (limit) Object.assign(limit, { most, waiting: null });
    else own.set(name, { of, per, most, count: 0, until: this.time + LIMIT_MS[per], waiting: null });
    this.limits.set(player, own);
    this.say('limit_set', { player, of, per, ...orNone('most', most), ...(loosens ? { from } : {}) });
  },

  exclude({ player, until }, who) {
    this.limitedPlayer(player, who);
    need(until > this.time && until <= this.time + MOST_EXCLUSION_MS, 'malformed');
    need(!this.isShutOut(player) || until > this.shutOut.get(player), 'nothing_to_do');
    this.shutOut.set(player, until);
    this.say('excluded', { player, until });
  },

  /** Who may be limited, and by whom. */
  limitedPlayer(player, who) {
    need(this.by === 'operator' || (who && who === player), 'not_allowed');
    need(!isGuest(player), 'other_chips');
    need(this.players.has(player), 'unknown_player');
  },

  isShutOut(player) { return this.time < (this.shutOut.get(player) || 0); },

  /** A player's limits at this entry's time: a waiting change may be in force by now, and periods may be over. */
  limitsOf(player) {
    const own = this.limits.get(player);
    if (!own) return [];
    for (const [name, limit] of own) {
      const { waiting, until, per } = limit, length = LIMIT_MS[per];
      if (waiting && this.time >= waiting.from) {
        if (waiting.most === undefined) { own.delete(name); continue; }
        Object.assign(limit, { most: waiting.most, waiting: null });
      }
      if (this.time < until) continue;
      Object.assign(limit, { count: 0, until: until + length * (1 + Math.floor((this.time - until) / length)) });
    }
    const limits = [...own.values()];
    // Without a limit of play time in between, the time since then does not count in a later one.
    if (!limits.some(isOfPlayTime)) this.played.delete(player);
    if (!limits.length) this.limits.delete(player);
    return limits;
  },

  // --- Refused ----------------------------------------------------------------------------------------

  /** Whether limits of the player apply to this command. A tournament that they are in goes on. */
  isLimited(name, fields) {
    if (name === 'tournament') return LIMITED_AT_EVENT.includes(Object.keys(fields)[0]);
    if (name === 'add_chips') return fields.amount > 0;
    const table = this.tables.get(fields.table);
    return name === 'commit_hand_seed' ? !(table && table.event) : LIMITED.includes(name);
  },

  /** Whether a player may be dealt into a hand by their own limits. */
  mayPlayOn(player) {
    return !this.isShutOut(player) &&
      !this.limitsOf(player).some(({ of, most, count }) => of === 'play_time' && count >= most);
  },

  /** Refusals by an exclusion, and by a limit that is reached before the decision. */
  checkLimits(name, fields, who) {
    if (this.stated) return; // a bundle has no limits
    const binds = who && this.isLimited(name, fields), { player = null, amount } = fields;
    const isPaidIn = name === 'credit' || name === 'wallet_deposit';
    need(!(binds && this.isShutOut(who)) && !(isPaidIn && this.isShutOut(player)), 'excluded');
    need(!binds || this.mayPlayOn(who), 'limit_reached');
    if (name === 'credit')
      need(!this.limitsOf(player).some(({ of, most, count }) => of === 'deposit' && count + amount > most),
        'limit_reached');
  },

  /** Refuses losses beyond a limit, from the entry's postings. */
  checkLoss(name, fields, who) {
    if (this.stated || !who || !this.isLimited(name, fields)) return;
    const limits = this.limitsOf(who).filter(({ of }) => of === 'loss');
    const taken = limits.length ? Math.max(this.takenBy(who), this.bindsToPay(name, fields)) : 0;
    need(taken <= 0 || !limits.some(({ most, count }) => count + taken > most), 'limit_reached');
  },

  /** The amount that this entry's postings take from a player, minus the amount they bring. */
  takenBy(player) {
    const lines = this.out.flatMap(({ posted }) => (posted ? posted.lines : []));
    return -sum(lines.filter(([account]) => account === `player:${player}`).map(([, amount]) => amount));
  },

  /** The player's later payments for requests noted during the hand. */
  bindsToPay(name, fields) {
    if (name === 'add_chips') return fields.amount;
    const noted = this.out.map(({ tournament }) => tournament && tournament.noted).find(Boolean);
    if (!noted) return 0;
    const { price, fee } = this.event.structure[noted.what];
    return price + fee;
  },

  // --- Counted ----------------------------------------------------------------------------------------

  /** After an entry is decided. */
  countLimits({ credit }) {
    if (this.stated) return;
    const who = isPlayerActor(this.by) ? this.by.slice(7) : null, hasPlace = !!(this.table || this.event);
    if (credit) this.countFor(credit.player, 'deposit', credit.amount);
    if (!hasPlace) return;
    const moved = this.out.flatMap(({ posted }) => (posted ? posted.lines : [])).map(([account]) => account);
    for (const account of new Set(moved)) {
      const player = account.startsWith('player:') ? account.slice(7) : null;
      if (this.limits.has(player)) this.countFor(player, 'loss', this.takenBy(player));
    }
    if (who) this.countPlay(who);
  },

  /** A count stays within the numbers that an entry can hold. */
  countFor(player, kind, amount) {
    for (const limit of this.limitsOf(player))
      if (limit.of === kind) limit.count = Math.max(-MAX_AMOUNT, Math.min(MAX_AMOUNT, limit.count + amount));
  },

  /** The whole time since the entry before counts in the period of this one. */
  countPlay(who) {
    if (!this.limitsOf(who).some(isOfPlayTime)) return;
    const since = this.time - (this.played.get(who) ?? -Infinity);
    if (since <= PLAY_GAP_MS) this.countFor(who, 'play_time', since);
    this.played.set(who, this.time);
  },

  // --- In the state -----------------------------------------------------------------------------------

  limitsPart(player) {
    const limits = this.limitsOf(player), played = this.played.get(player);
    const told = limits
      .sort((a, b) => LIMIT_NAMES.indexOf(nameOfLimit(a.of, a.per)) - LIMIT_NAMES.indexOf(nameOfLimit(b.of, b.per)))
      .map(({ of, per, most, count, until, waiting }) => ({
        of,
        per,
        most,
        count,
        until,
        ...(waiting ? { waiting: { ...orNone('most', waiting.most), from: waiting.from } } : {}),
      }));
    return {
      ...orNone('limits', told),
      ...(this.time - played <= PLAY_GAP_MS ? { played } : {}),
      ...(this.isShutOut(player) ? { excluded: this.shutOut.get(player) } : {}),
    };
  },

  /** Takes in a state's statement about a player's limits; refuses values that no entries can have made. */
  takeLimits(player, { limits = [], played, excluded }) {
    const wrong = why => fault(`the limits of ${player} cannot be: ${why}`), { time } = this;
    const isWithin = (at, span) => at > time && at <= time + span;
    if (isGuest(player) && (limits.length || excluded !== undefined)) wrong('they are a guest');
    for (const { of, per, most, count, until, waiting } of limits) {
      if (!isWithin(until, LIMIT_MS[per])) wrong(`a ${per} from its beginning holds no such end`);
      if (count < 0 && of !== 'loss') wrong(`no ${of} counts below zero`);
      const loosens = waiting && isWithin(waiting.from, DAY_MS) && (waiting.most === undefined || waiting.most > most);
      if (waiting && !loosens) wrong('what waits is no change that waits for a day');
    }
    const own = limits.map(({ of, per, waiting = null, ...limit }) => [
      nameOfLimit(of, per),
      { of, per, ...limit, waiting: waiting && { most: waiting.most, from: waiting.from } },
    ]);
    if (own.length) this.limits.set(player, new Map(own));
    if (played !== undefined) {
      if (played > time || !limits.some(isOfPlayTime)) wrong('the time that they play counts in no limit');
      this.played.set(player, played);
    }
    if (excluded === undefined) return;
    if (!isWithin(excluded, MOST_EXCLUSION_MS)) wrong('no exclusion lasts so long');
    this.shutOut.set(player, excluded);
  },
});

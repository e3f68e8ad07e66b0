// Guests and play chips: spec/ledger.md, "Play chips". Who is a guest, and which chips a table has, its name says.

const GUEST_CHIPS = 100000, GUEST_IDLE_MS = 24 * 3600000;
const isGuest = player => typeof player === 'string' && player.startsWith('guest.');
const isForPlay = table => typeof table === 'string' && table.startsWith('play.');

/** Whether what an account holds are play chips. */
function isOfPlay(account) {
  const [, kind, name] = /^([a-z]+):(.*)$/.exec(account) || [null, account, ''];
  if (kind === 'player' || kind === 'tdollars') return isGuest(name);
  return kind === 'play' || ((kind === 'table' || kind === 'seat') && isForPlay(name));
}

/** The sum over all accounts of play chips: zero, always. */
const playTotal = accounts =>
  [...accounts].reduce((total, [account, balance]) => total + (isOfPlay(account) ? BigInt(balance) : 0n), 0n);

/** The accounts that a posting in a table's entry may leave below zero. */
const MAY_OWE = ['cage', 'house', 'play'];
/** With these a player takes a place, where chips are of one kind alone. */
const TAKES_PLACE = ['open_table', 'take_seat', 'want_seat', 'sit_down', 'bet'];

extendHouse({
  /** Play chips and credited ones are never at one table, and tournaments are played for money. */
  checkChips(name, fields, who) {
    if (name !== 'tournament') {
      need(!who || !TAKES_PLACE.includes(name) || isGuest(who) === isForPlay(fields.table), 'other_chips');
      return;
    }
    const [[word, inner]] = Object.entries(fields);
    need(!isGuest(who) && !(word === 'set_bounty' && isGuest(inner.player)), 'other_chips');
    const namesPlayTables = word === 'create' && isForPlay(`${inner.event}.`);
    need(!namesPlayTables, 'malformed', 'its tables would be named as those for play chips are');
  },

  /** The account that the table's rounds settle against, and the one that gets the rake. */
  houseAccount() { return isForPlay(this.table.name) ? 'play' : 'house'; },
  rakeAccount() { return isForPlay(this.table.name) ? 'play' : 'rake'; },

  admit_guest() {
    this.only('house');
    const player = `guest.${this.admitted}`;
    this.admitted++;
    this.players.add(player);
    this.accounts.set(`player:${player}`, 0);
    this.idleSince.set(player, this.time);
    this.say('guest_admitted', { player });
    this.post(['play', -GUEST_CHIPS], [`player:${player}`, GUEST_CHIPS]);
  },

  dismiss_guest({ player }) {
    this.only('house');
    need(this.idleSince.has(player), 'unknown_player');
    need(!this.hasPlace(player), 'nothing_to_do');
    need(this.time >= this.idleSince.get(player) + GUEST_IDLE_MS, 'deadline_ahead');
    const left = this.balance(player);
    this.post(['play', left], [`player:${player}`, -left]);
    this.say('guest_dismissed', { player });
    this.players.delete(player);
    this.accounts.delete(`player:${player}`);
    const { idleSince, offences, until, refunds, keys, waitingKeys, nonces } = this;
    for (const kept of [idleSince, offences, until, refunds, keys, waitingKeys, nonces]) kept.delete(player);
    for (const kept of [this.refusals, this.blocks])
      for (const key of [...kept.keys()]) if (key.startsWith(`${player} `)) kept.delete(key);
  },

  /** The guests who have a place at a table: it is theirs, or they have a seat, a bet, or a part in the round there. */
  guestsAt(table) {
    if (!table || !isForPlay(table.name) || this.tables.get(table.name) !== table) return new Set();
    const { owner, seats, window, live } = table;
    return new Set([
      ...(owner ? [owner] : []),
      ...(isCash(table) ? this.cashSeats(table).map(({ player }) => player) : seats.values()),
      ...(window ? window.bets.keys() : []),
      ...(live ? live.contributors.map(({ player }) => player) : []),
    ]);
  },

  hasPlace(player) { return [...this.tables.values()].some(table => this.guestsAt(table).has(player)); },

  /** Before an entry: the guests who have a place at its table. */
  notePlaces({ command }) {
    const { table } = Object.values(command)[0];
    this.hadPlace = this.stated ? new Set() : this.guestsAt(this.tables.get(table));
  },

  /** After an entry: since when a guest has been idle who gave it, or has no place any more. */
  noteIdle(by) {
    if (this.stated) return;
    for (const player of this.hadPlace)
      if (this.idleSince.has(player) && !this.hasPlace(player)) this.idleSince.set(player, this.time);
    const who = isPlayerActor(by) ? by.slice(7) : null;
    if (this.idleSince.has(who)) this.idleSince.set(who, this.time);
  },

  /** The guest whose dismissal has waited for longer than the grace, the longest first. */
  checkDismissals(time, ready) {
    const due = since => Math.max(since + GUEST_IDLE_MS, ready);
    const late = [...this.idleSince].map(([player, since]) => ({ player, since: due(since) }));
    const [first] = late
      .filter(({ player, since }) => time > since + OVERDUE_GRACE_MS && !this.hasPlace(player))
      .sort((a, b) => a.since - b.since || compareText(a.player, b.player));
    if (first) unsound('overdue', `${first.player} was to be dismissed since ${clock(first.since)}`);
  },
});

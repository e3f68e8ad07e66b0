// Guests and play chips: spec/ledger.md, "Play chips". A name tells whether a player is a guest, and which chips a
// table has.

const GUEST_CHIPS = 100000, GUEST_IDLE_MS = 24 * 3600000, GUEST_ROOM_MS = 300000, GUEST_UNUSED_MS = 60000;
const GUEST_TABLE_IDLE_MS = 600000, PLAY_WAIT_MS = 600000;
const isGuest = player => typeof player === 'string' && player.startsWith('guest.');
const isForPlay = table => typeof table === 'string' && table.startsWith('play.');

/** Whether this guest, or somebody else, may open a table of this name: `play.GUEST.NAME` is that guest's alone. */
function mayOpenNamed(table, guest) {
  const own = `play.${guest}.`;
  return guest ? table.startsWith(own) && table.length > own.length : !table.startsWith('play.guest.');
}

/** How long a table awaits seeds, or a solo one a round's end, where its rule set says so many milliseconds. */
const waitsFor = (table, ms) => (isForPlay(table) ? Math.min(ms, PLAY_WAIT_MS) : ms);

/** Whether an account holds play chips. */
function isOfPlay(account) {
  const [, kind, name] = /^([a-z]+):(.*)$/.exec(account) || [null, account, ''];
  if (kind === 'player' || kind === 'tdollars') return isGuest(name);
  return kind === 'play' || ((kind === 'table' || kind === 'seat') && isForPlay(name));
}

/** The sum over all accounts of play chips: always zero. */
const playTotal = accounts =>
  [...accounts].reduce((total, [account, balance]) => total + (isOfPlay(account) ? BigInt(balance) : 0n), 0n);

/** The accounts that may stand below zero. */
const mayOwe = account => ['cage', 'house', 'play', WALLET].includes(account) || account.startsWith(TRANSFERS);
/** Commands by which a player takes a place, where all chips are of one kind. */
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

  /** The account against which the table's rounds settle, and the one that gets the rake. */
  houseAccount() { return isForPlay(this.table.name) ? 'play' : 'house'; },
  rakeAccount() { return isForPlay(this.table.name) ? 'play' : 'rake'; },

  /** Takes a name for a table. A guest's are found by the guest: a log has many names, and many guests go. */
  useTable(name, used) {
    this.usedTables.set(name, used);
    if (!isGuest(used.owner)) return;
    if (!this.guestTables.has(used.owner)) this.guestTables.set(used.owner, []);
    this.guestTables.get(used.owner).push(name);
  },

  admit_guest() {
    this.only('house');
    const player = `guest.${this.admitted}`;
    this.admitted++;
    this.players.add(player);
    this.accounts.set(`player:${player}`, 0);
    this.noteQueue();
    this.setIdle(player);
    this.say('guest_admitted', { player });
    this.post(['play', -GUEST_CHIPS], [`player:${player}`, GUEST_CHIPS]);
  },

  dismiss_guest({ player }) {
    this.only('house');
    need(this.idleSince.has(player), 'unknown_player');
    need(!this.hasPlace(player), 'nothing_to_do');
    const left = this.balance(player), least = left === GUEST_CHIPS ? GUEST_UNUSED_MS : GUEST_ROOM_MS;
    need(this.time >= this.idleSince.get(player) + least, 'deadline_ahead');
    this.post(['play', left], [`player:${player}`, -left]);
    this.say('guest_dismissed', { player });
    this.players.delete(player);
    this.accounts.delete(`player:${player}`);
    const { idleSince, offences, until, refunds, keys, waitingKeys, nonces } = this;
    for (const kept of [idleSince, offences, until, refunds, keys, waitingKeys, nonces]) kept.delete(player);
    this.idleQueue.delete(player);
    for (const name of this.guestTables.get(player) || []) {
      // Nobody else can have its name. A sealed shoe may yet be disclosed.
      if (this.usedTables.get(name).sealed.length) continue;
      this.usedTables.delete(name);
      this.closedTables.delete(name);
    }
    this.guestTables.delete(player);
    for (const kept of [this.refusals, this.blocks])
      for (const key of [...kept.keys()]) if (key.startsWith(`${player} `)) kept.delete(key);
  },

  /**
   * The guests with a place at a table: it is their table, or they have a seat, a bet, or a part in the round there.
   */
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

  /**
   * The guests' places, and the guests without one, the longest idle first: updated with each entry. Computed again if
   * missing, for example after a given state.
   */
  noteQueue() {
    if (this.idleQueue) return;
    this.placesAt = new Map(); // table -> the guests who have a place there
    this.places = new Map(); // guest -> at how many tables
    for (const { name } of this.tables.values()) this.countPlaces(name);
    const without = [...this.idleSince].filter(([player]) => !this.places.has(player));
    this.idleQueue = new Map(without.sort(([, a], [, b]) => a - b));
  },

  /** The guests with a place at this table now, and those at the last call. */
  countPlaces(name) {
    const had = this.placesAt.get(name) || new Set(), has = this.guestsAt(this.tables.get(name));
    if (has.size) this.placesAt.set(name, has); else this.placesAt.delete(name);
    const change = (player, by) => {
      const count = (this.places.get(player) || 0) + by;
      if (count) this.places.set(player, count); else this.places.delete(player);
    };
    for (const player of has) if (!had.has(player)) change(player, 1);
    for (const player of had) if (!has.has(player)) change(player, -1);
    return { had, has };
  },

  hasPlace(player) { this.noteQueue(); return this.places.has(player); },

  /** A guest is idle from now on. Entries' times never fall: the guest added last is idle for the shortest time. */
  setIdle(player) {
    this.idleSince.set(player, this.time);
    this.idleQueue.delete(player);
    if (!this.places.has(player)) this.idleQueue.set(player, this.time);
  },

  /** Before an entry: the guests who have a place at its table. */
  notePlaces({ command }) {
    if (this.stated) return;
    this.noteQueue();
    this.countPlaces(Object.values(command)[0].table);
  },

  /** After an entry: the time since which its guest, or a guest without a place, is idle. */
  noteIdle(by, command) {
    if (this.stated) return;
    const { had, has } = this.countPlaces(Object.values(command)[0].table);
    for (const player of has) this.idleQueue.delete(player);
    for (const player of had) if (this.idleSince.has(player) && !this.places.has(player)) this.setIdle(player);
    const who = isPlayerActor(by) ? by.slice(7) : null;
    if (this.idleSince.has(who)) this.setIdle(who);
  },

  /** The guest whose dismissal has waited for longer than the grace: the earliest deadline, then the least name. */
  checkDismissals(time, ready) {
    this.noteQueue();
    const [[, least] = []] = this.idleQueue;
    const since = Math.max(least + GUEST_IDLE_MS, ready);
    if (least === undefined || time <= since + OVERDUE_GRACE_MS) return;
    const first = [];
    for (const [player, idle] of this.idleQueue) { if (idle > least) break; first.push(player); }
    unsound('overdue', `${first.sort(compareText)[0]} was to be dismissed since ${clock(since)}`);
  },
});

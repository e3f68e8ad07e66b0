// Every command is decided again and compared with the log: spec/entries.md, spec/ledger.md, spec/recovery.md.
//
// A House is the fold of the entries before. Deciding an entry writes the rules' events, one by one, and compares each
// at once with the logged one; a tournament's are compared when all are written. So the first difference is where the
// log left the rules. Three values come from the entry during the decision, and are stored for a check with the seed: a
// shoe's commitment and root, the face of a turned-up slot, the dealer's answer about a hidden card.
//
// With `stated` the house is that of a bundle (spec/audit.md): its table starts as the first entry states it. For
// balances, cooldowns and refunds, which other tables' entries change, the log is trusted.

const LADDER_MINUTES = [0, 5, 15, 30, 60];
const HOURS_12 = 12 * 3600000, DAYS_30 = 30 * 24 * 3600000;
const IDLE_MS = 3600000;
/**
 * A shoe is full after this many entries of its table, or bytes of them; a used one is idle this long after its last
 * round.
 */
const SHOE_ENTRIES = 6000, SHOE_BYTES = 8 * 1024 * 1024, SHOE_IDLE_MS = 1800000;
const VOIDS_REMEMBERED = 32, MOST_VOIDS_REMEMBERED = 1024, LATE_SEED_MS = 3600000;
const DAY_MS = 24 * 3600000;
/** A player's own solo table may wait longer than a public one. */
const PUBLIC_REVEAL_MS = 300000, PUBLIC_ROUND_MS = 1800000;
const CHANGES_ALLOWED = 64, CHANGES_MS = 3600000, CHANGES_GIVEN_BACK = 2;
/** Commands that are counted ("Changes are bounded"), and those of them that are never refused for it. */
const CHANGES = [
  'bet', 'cancel_bet', 'take_seat', 'ask_to_play', 'want_seat', 'leave_seat', 'sit_down', 'sit_in', 'sit_out',
  'add_chips', 'commit_hand_seed', 'withdraw_hand_seed',
];
const UNDOING = ['cancel_bet', 'leave_seat', 'sit_out', 'withdraw_hand_seed'];
/** Commands for one kind of table only. */
const OF_BETTING = [
  'commit_shoe', 'retire_shoe', 'take_seat', 'ask_to_play', 'open_bets', 'bet', 'cancel_bet', 'close_bets',
  'commit_seed',
];
const OF_CASH = [
  'sit_down', 'sit_in', 'sit_out', 'add_chips', 'call_hand', 'commit_hand_seed', 'withdraw_hand_seed', 'close_call',
  'set_seats',
];
/** Commands refused at a tournament's table: the event decides who sits there. */
const BY_EVENT = [
  'sit_down', 'sit_in', 'sit_out', 'add_chips', 'tidy_seats', 'leave_seat', 'want_seat', 'unseat',
];
/** Commands that name the player whose balance is stated before them. */
const NAMES_PLAYER = [
  'credit', 'withdraw', 'correct', 'transfer_out', 'wallet_deposit', 'wallet_withdraw', 'dismiss_guest',
];
// They may come while a table awaits its recovery.
const BEFORE_RECOVERY = ['recover', 'start_dealer', 'stop_dealer', 'note_refused_start'];
const CONTEXT_COMMANDS = ['open_table', 'open_event_table', 'create_player', 'set_key'];
const SIGNATURE_CODES = ['signature_missing', 'signature_wrong', 'nonce_used', 'no_key'];
const need = (holds, code, message) => { if (!holds) refuse(code, message); };
/** For a game's event, and a tournament's, its own name and fields. */
const isNested = (event, name) => (name === 'play' || name === 'tournament') && isObject(event[name]);
const eventName = event => {
  const [name] = Object.keys(event);
  return isNested(event, name) ? Object.keys(event[name])[0] : name;
};
const eventFields = event => {
  const [name] = Object.keys(event);
  return isNested(event, name) ? Object.values(event[name])[0] : event[name];
};

/** The check to which a difference between a required event and the logged one belongs. */
const EVENT_CHECKS = {
  dealer_started: 'start', dealer_stopped: 'start', start_refused: 'start', state_noted: 'state_noted',
  log_continues: 'start', log_ended: 'start', table_opened: 'rule_set', shoe_committed: 'shoe_committed',
  table_noted: 'table_noted', shoe_revealed: 'shoe_revealed', shuffle_asked: 'shoe_revealed',
  last_hand: 'shoe_revealed', seat_taken: 'seat', seat_left: 'seat', seat_wanted: 'seat', play_asked: 'seat',
  cooldown: 'cooldown', bets_opened: 'bets', bet_placed: 'bets', bet_cancelled: 'bets',
  bets_closed: 'bets', bets_lapsed: 'void', hand_called: 'bets',
  hand_seed_committed: 'bets', hand_seed_withdrawn: 'bets', hand_begun: 'bets', call_lapsed: 'void',
  transferred_out: 'posting', transferred_in: 'posting', wallet_asked: 'posting', wallet_answered: 'posting',
  seed_revealed: 'seed_revealed', seed_late: 'seed_revealed', round_opened: 'round_opened', posted: 'posting',
  round_settled: 'settlement', round_voided: 'void', round_resumed: 'resume', pile_opened: 'pile',
  seed_committed: 'pile', pile_closed: 'pile', pile_shuffled: 'pile', pile_failed: 'pile', chips_added: 'seat',
  chips_asked: 'seat', sat_in: 'seat', sat_out: 'seat', leave_asked: 'seat', left_early: 'cooldown',
  next_committed: 'bets', bank_used: 'deadline', shoe_sealed: 'shoe_revealed', shoe_disclosed: 'shoe_revealed',
  poker: 'payout', turned: 'dealt_slot', peeked: 'peek', offered: 'offer', acted: 'action', paid: 'payout',
  spun: 'spin', shuffled: 'pile', absent: 'pile', safe: 'event_order',
};
const DEADLINES = ['closes_at', 'reveal_by', 'settle_by'],
  HAVE_DEADLINES = ['bets_opened', 'hand_called', 'bets_closed', 'hand_begun', 'round_opened'];

function differenceCheck(demanded, logged) {
  const name = eventName(demanded), other = eventName(logged);
  // A seed published where openings belong, or openings where the seed belongs.
  if (other !== name)
    return ['shoe_sealed', 'shoe_revealed'].every(one => [name, other].includes(one)) ? 'shoe_revealed' : 'event_order';
  const a = eventFields(demanded), b = eventFields(logged);
  if (!isObject(a) || !isObject(b)) return EVENT_CHECKS[name] || 'event_order';
  if (name === 'dealt') {
    if (a.lane !== b.lane || a.to !== b.to) return 'dealt_place';
    if (a.slot !== b.slot) return 'dealt_slot';
    return a.card === undefined ? 'face_leaked' : 'face_missing';
  }
  const differing = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(key => quote(a[key]) !== quote(b[key]));
  if (name === 'turned' && differing.length && differing.every(key => key === 'card')) return 'face_missing';
  if (HAVE_DEADLINES.includes(name) && differing.length && differing.every(key => DEADLINES.includes(key)))
    return 'deadline';
  return EVENT_CHECKS[name] || 'event_order';
}

/** The text that a player signs: spec/entries.md, "Signed commands". */
const signedText = (origin, by, nonce, command) =>
  `fairshoe/v1/signed-command\n${origin}\n${by}\n${nonce}\n${command}\n`;

class House {
  constructor(stated) {
    this.stated = stated;
    this.duesKnown = !stated; // whether everything is seen that makes something due
    this.start = null; // {origin, master_id, epoch} in force
    this.ended = null; // {origin, key} of the log that goes on from this one, since its last entry
    this.epochs = new Set();
    this.epochsShown = new Set(); // under which a seed has opened its commitment: no other can be the shoe's
    this.epochAsked = null; // under which one had to, last
    this.seeds = new Map(); // published: of which candidate
    this.roots = new Map(); // committed: the same
    this.ready = 0; // when the last entry left no table to recover
    this.startedAt = 0; // when the dealer started last
    this.time = 0; // of the entry before, then of the one being decided
    this.players = new Set();
    this.accounts = new Map(
      ['cage', 'house', 'rake', 'play', 'tickets', 'rounding_residual'].map(name => [name, 0]),
    );
    this.admitted = 0; // how many guests ever were
    this.idleSince = new Map(); // guest -> when they gave their last command, or left their last place
    this.idleQueue = null; // guests without a place: the same, the longest idle first
    this.tables = new Map();
    this.events = new Map(); // tournaments
    this.tickets = new Map(); // tournament -> player -> whether the entry cannot be given back
    this.usedTables = new Map(); // every name -> {owner, replacedBy, sealed}
    this.guestTables = new Map(); // guest -> the names of the tables that they opened
    this.closedTables = new Map(); // table -> its owner, or null, while no other replaces it
    this.known = new Map(); // other logs, by name: spec/transfers.md
    this.wallet = { count: 0, open: new Map(), of: new Map(), withdrawals: 0 }; // its operations: spec/wallet.md
    this.offences = new Map(); // player -> times
    this.until = new Map(); // player -> end of the cooldown
    this.refunds = new Map(); // player -> times
    this.keys = new Map(); // player -> key in force
    this.waitingKeys = new Map(); // player -> {key, from} that the operator named
    this.mayLackKeys = false; // whether keys may be newer than these: a signature that does not hold is no fault then
    this.lacksKey = false; // whether the last entry had such a signature
    this.nonces = new Map(); // player -> the last one
    this.refusals = new Map(); // player and level of blinds -> times of leaving early
    this.blocks = new Map(); // player and level -> until when they take no seat there
    this.limits = new Map(); // player -> the limits that they set themselves: spec/limits.md
    this.played = new Map(); // of who has a limit of play time: their last entry that has a place
    this.shutOut = new Map(); // player -> the end of their exclusion
    this.size = 0; // entries so far
    this.noted = 0; // of so many the log named its state last
    this.lastRoot = null; // of the state after the last whole interval
    this.shown = []; // what was verified when a seed came out: for the story
    this.hands = []; // of poker, played to their end: for the story
    this.shoes = []; // of the one table of a bundle
    this.entered = false; // whether a bundle's own entries have begun
    this.beforeEvent = null; // called before each event, when the ones before it have changed everything they change
  }

  // --- Deciding ---------------------------------------------------------------------------------

  /** Decides a logged entry again; throws Unsound with the first difference. `index` is its place in the log. */
  judge(entry, index) {
    if (entry.time < this.time) unsound('time', 'the entry is older than the one before it');
    if (!this.start && !entry.command.start_dealer && !this.stated)
      unsound('first_entry', 'a log begins with the start of the dealer');
    this.checkPlace(entry);
    this.checkOverdue(entry);
    this.beforeEntry(entry);
    this.notePlaces(entry);
    this.balanceFault = null;
    try {
      this.decide(entry, index);
    } catch (error) {
      if (error instanceof Unsound && this.balanceFault) throw this.balanceFault;
      if (error instanceof Refusal)
        throw new Unsound(
          SIGNATURE_CODES.includes(error.code) ? 'signature' : 'refused',
          `the rules refuse ${Object.keys(entry.command)[0]} here: ` +
            `${error.code}${error.message === error.code ? '' : ` (${error.message})`}`,
        );
      throw error;
    }
    if (this.balanceFault) throw this.balanceFault;
    const extra = entry.events[this.out.length];
    if (extra && this.leaks(extra))
      unsound('face_leaked', `event ${this.out.length}: a face is shown that the rules do not show: ${quote(extra)}`);
    if (extra) unsound('event_extra', `event ${this.out.length}: ${eventName(extra)} is not caused by the command`);
    this.doubles.forEach(check => check());
    this.published.forEach(check => check());
    if (entry.command.note_state && entry.command.note_state.root !== this.namedRoot && !this.stated)
      unsound(
        'state_noted',
        `the state after ${entry.command.note_state.size} entries is ${this.namedRoot}, the entry says ` +
          `${entry.command.note_state.root}`,
      );
    this.noteIdle(entry.by, entry.command);
    this.entryEnds(entry.command, quote(entry).length);
    this.afterEntry(entry.command, index);
  }

  /** The entry is accepted, and due times are updated; `bytes` is its length. */
  entryEnds(command, bytes) {
    this.countLimits(command);
    if ((command.start_dealer || command.recover) && ![...this.tables.values()].some(({ recovering }) => recovering))
      this.ready = this.time;
    if (this.event) {
      this.event.seq++;
      this.eventEntryEnds(this.event, command);
      if (this.event.stage === 'ended') this.forgetEnded();
    }
    if (!this.table) return;
    this.table.seq++;
    if (this.table.shoe) this.table.shoe.bytes += bytes;
    this.table.lastTime = this.time;
    this.table.justRecovered = command.recover !== undefined;
    this.noteDue(this.table, command);
    const ev = this.eventOf(this.table);
    if (ev) this.noteEventTable(ev, this.table, command);
  }

  /** Checks the entry's number in its table's sequence, before the decision. */
  checkPlace({ at, command }) {
    const [[name, fields]] = Object.entries(command), named = name === 'disclose_shoe' ? undefined : fields.table,
      where = name === 'tournament' ? Object.values(fields)[0].event : named,
      table = this.tables.get(where) || this.events.get(where);
    if ((at && at.table) !== where)
      unsound('table_seq', `the entry is filed under ${quote(at)}, its command names ${quote(where)}`);
    const isOpened = ['open_table', 'open_event_table'].includes(name) || (name === 'tournament' && fields.create),
      opens = isOpened && !this.usedTables.has(where);
    const seq = table ? table.seq : opens ? 0 : undefined;
    if (seq !== undefined && (!at || at.table !== where || at.seq !== seq))
      unsound('table_seq', `the entry's place is ${quote(at)}, not ${seq} of ${where}`);
  }

  /** Whether an event shows a face where the rules, which demand another event or none, show none. */
  leaks(event, demanded) {
    const name = eventName(event), e = eventFields(event), wanted = demanded && eventName(demanded);
    const shows = (name === 'dealt' && isObject(e) && e.card !== undefined) || ['turned', 'spun'].includes(name);
    if (!event.play || !shows) return false;
    if (demanded && demanded.play) return name !== 'spun' && !['dealt', 'turned'].includes(wanted);
    return wanted !== 'last_hand';
  }

  /** Whether a command is refused: its code; the state may be changed. For the vectors' refusals. */
  refusalOf(time, by, command, signed) { return this.refusalAt(Math.max(time, this.time), by, command, signed); }

  /**
   * The same at a time that may lie before the last entry's: for a command that arrived then and was not decided yet.
   */
  refusalAt(time, by, command, signed) {
    try {
      this.decide({ time, by, command, signed, events: null }, -1);
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      if (!(error instanceof Unsound)) throw error;
    }
    return null;
  }

  decide(entry, index) {
    const [[name, fields]] = Object.entries(entry.command);
    const before = this.time;
    Object.assign(this, {
      index,
      by: entry.by,
      time: entry.time,
      logged: entry.events,
      out: [],
      table: null,
      event: null,
      told: null,
      differs: null,
      stated_accounts: new Set(),
      doubles: [],
      published: [],
    });
    // Attack: a holder of the old key writes on after the published end, by a start of the dealer or a stop.
    need(!this.ended, 'log_ended');
    need(this.start || name === 'start_dealer' || (this.stated && CONTEXT_COMMANDS.includes(name)), 'wrong_start');
    if ((!this.stated || this.entered) && !BEFORE_RECOVERY.includes(name)) {
      const waiting = [...this.tables.values()].find(table => table.recovering);
      need(!waiting || entry.events, 'recovering');
      if (waiting) unsound('recovery', `table ${waiting.name} was not put in order after the start`);
    }
    const who = isPlayerActor(entry.by) ? entry.by.slice(7) : null;
    if (this.stated && who) this.players.add(who);
    this.waitingKeys.forEach(({ key, from }, player) => { if (entry.time >= from) this.useKey(player, key); });
    this.checkSignature(entry, who);
    this.checkChips(name, fields, who);
    if (fields.table !== undefined && !['open_table', 'open_event_table', 'disclose_shoe'].includes(name)) {
      this.table = this.tables.get(fields.table);
      need(this.table, 'unknown_table');
      need(!this.table.event || !BY_EVENT.includes(name), 'tournament_table');
      need(isCash(this.table) || !OF_CASH.includes(name), 'not_a_cash_table');
      need(!isCash(this.table) || !OF_BETTING.includes(name), 'is_a_cash_table');
    }
    this.stateBalances(entry, this.concerned(name, fields, who));
    const counted = this.isChange(name);
    if (counted && !UNDOING.includes(name)) need(this.changesOf(who).count < CHANGES_ALLOWED, 'too_many_changes');
    this.checkLimits(name, fields, who);
    this[isCash(this.table) && this[`cash_${name}`] ? `cash_${name}` : name](fields, who, before);
    if (counted) this.countChange(who);
    this.checkLoss(name, fields, who);
  }

  /**
   * Whether a command changes seat or bets: spec/entries.md, "Changes are bounded". A bundle does not know the count.
   */
  isChange(name) {
    return !this.stated && CHANGES.includes(name) && this.table.rules.table.mode === 'shared';
  }

  changesOf(player) {
    const changes = this.table.changes.get(player);
    return changes && this.time < changes.since + CHANGES_MS ? changes : { count: 0, since: this.time };
  }

  countChange(player) {
    const { count, since } = this.changesOf(player);
    this.table.changes.set(player, { count: count + 1, since });
  }

  giveChangesBack({ bets }) {
    for (const player of bets.keys()) {
      const changes = this.table.changes.get(player);
      if (changes) changes.count = Math.max(0, changes.count - CHANGES_GIVEN_BACK);
    }
  }

  /**
   * spec/entries.md, "Signed commands". For a bundle's key entries the log is trusted: the earlier key may be missing.
   */
  checkSignature({ by, command, signed }, who) {
    const key = this.keys.get(who), stated = this.stated && command.set_key !== undefined;
    const fault = stated ? null : this.signatureFault(key, by, command, signed);
    this.lacksKey = !!fault && this.mayLackKeys;
    need(!fault || this.lacksKey, fault);
    if (!signed) return;
    need(who, 'no_key');
    need(signed.nonce > (this.nonces.get(who) || 0), 'nonce_used');
    this.nonces.set(who, signed.nonce);
  }

  /** Why a command is not signed as this key demands, or null. */
  signatureFault(key, by, command, signed) {
    if (!key || !signed) return key ? 'signature_missing' : signed ? 'no_key' : null;
    const message = signedText(this.start ? this.start.origin : this.origin, by, signed.nonce, quote(command));
    return ed25519.verify(unhex(key, 32), utf8(message), unhex(signed.signature, 64)) ? null : 'signature_wrong';
  }

  /** The players whose balances `before` states: spec/entries.md, "The entry". */
  concerned(name, fields, who) {
    const table = this.table;
    if (NAMES_PLAYER.includes(name)) return [fields.player];
    if (name === 'transfer_in') return playerOfClaim(fields);
    if (name === 'wallet_cancel' || name === 'wallet_answer') return [this.openOperation(fields.no).player];
    if (isCash(table)) {
      if (this.betweenHands() && ['add_chips', 'leave_seat', 'unseat'].includes(name))
        return name === 'unseat' ? [fields.player] : who ? [who] : [];
      if (name === 'tidy_seats')
        return this.cashSeats()
          .filter(seat => this.isUntidy(seat, this.time))
          .map(({ player }) => player)
          .sort(compareText);
      if (name === 'close_table' && table.event) return this.contributors();
      if (name === 'close_table') return this.cashSeats().map(({ player }) => player).sort(compareText);
      if (name === 'leave_seat' || name === 'unseat')
        return this.contributors().filter(player => table.live || player !== (who || fields.player));
    }
    if (['take_seat', 'sit_down', 'bet', 'cancel_bet', 'withdraw_hand_seed'].includes(name)) return who ? [who] : [];
    if (name === 'leave_seat' || name === 'unseat') {
      const leaving = who || fields.player;
      return table.window && table.window.bets.has(leaving) ? [leaving] : [];
    }
    if (
      ['close_bets', 'close_call', 'reveal', 'act', 'lapse', 'void_round', 'recover'].includes(name) ||
      (name === 'close_table' && table.window)
    )
      return this.contributors();
    return [];
  }

  /** The players of the live round, or of the open window, ascending. */
  contributors() {
    const { live, window } = this.table;
    return live
      ? live.contributors.map(({ player }) => player)
      : window
        ? [...window.bets.keys()].sort(compareText)
        : [];
  }

  stateBalances(entry, players) {
    if (entry.events === null) return;
    const stated = entry.before || [];
    this.statedBefore = stated;
    // The decision tells whose balances a tournament's entry states.
    if (entry.command.tournament) return;
    if (stated.map(([player]) => player).join() !== players.join())
      this.balanceFault = new Unsound(
        'balance_before',
        `balances are stated of ${stated.map(([player]) => player).join(', ') || 'nobody'}, not of ` +
          `${players.join(', ') || 'nobody'}`,
      );
    if (this.stated && !entry.at) return;
    for (const [player, amount] of stated) {
      if (this.stated) {
        this.players.add(player);
        this.accounts.set(`player:${player}`, amount);
      } else if (this.accounts.get(`player:${player}`) !== amount) {
        this.balanceFault = new Unsound(
          'balance_before',
          `${player} has ${this.accounts.get(`player:${player}`)}, the entry states ${amount}`,
        );
      }
    }
  }

  /**
   * The log's values for the next event: the fields of `name`, or null. (Dealers need the shoe and slot that it is
   * about.)
   */
  claim(name, _shoe, _slot) {
    const event = this.logged && this.logged[this.out.length];
    return event && eventName(event) === name && isObject(eventFields(event)) ? eventFields(event) : null;
  }

  emit(event) {
    const at = this.out.length;
    if (this.beforeEvent) this.beforeEvent(at);
    this.out.push(event);
    if (this.logged === null) return;
    const differs = this.differenceAt(at, event);
    if (!differs) return;
    if (!this.told) throw differs;
    this.differs = this.differs || differs;
  }

  differenceAt(at, event) {
    const logged = this.logged[at];
    if (logged === undefined)
      return new Unsound('event_missing', `event ${at}: ${eventName(event)} is missing: ${quote(event)}`);
    if (quote(logged) === quote(event)) return null;
    return new Unsound(
      eventName(event) !== eventName(logged) && this.leaks(logged, event)
        ? 'face_leaked'
        : differenceCheck(event, logged),
      `event ${at}: the rules give ${quote(event)}, the log says ${quote(logged)}`,
    );
  }

  say(name, fields) { this.emit({ [name]: fields }); }
  play(name, fields) { this.emit({ play: { [name]: fields } }); }

  only(...actors) { need(actors.includes(this.by), 'not_allowed', `by ${this.by}`); }
  existing(who) { need(who && (this.stated || this.players.has(who)), 'not_allowed', `by ${this.by}`); return who; }

  balance(player) { return this.accounts.get(`player:${player}`) ?? 0; }

  /** Moves chips: lines of 0 are left out, and so is an empty posting. */
  post(...moves) {
    const lines = [];
    const claimed = this.claim('posted');
    for (const [account, amount] of moves) {
      if (!amount) continue;
      // Other tables move the house's and the cage's balance: a bundle states it once for each entry.
      if (this.stated && ['house', 'cage', 'rake', 'play'].includes(account) && !this.stated_accounts.has(account)) {
        const line = claimed && isList(claimed.lines) ? claimed.lines[lines.length] : null;
        if (isList(line) && isSigned(line[2])) {
          const before = line[2] - amount;
          if (!isSigned(before) || (account === 'rake' && before < 0))
            unsound('posting', `${account} would have stood at ${before} before`);
          this.accounts.set(account, before);
        }
        this.stated_accounts.add(account);
      }
      const after = (this.accounts.get(account) ?? 0) + amount;
      if (!isSigned(after) || (after < 0 && !mayOwe(account)))
        broken(`${account} would stand at ${after}`);
      this.accounts.set(account, after);
      lines.push([account, amount, after]);
    }
    if (sum(lines.map(line => line[1])) !== 0) broken('a posting does not sum to zero');
    if (lines.some(([account]) => isOfPlay(account) !== isOfPlay(lines[0][0]))) broken('two kinds of chips are posted');
    if (lines.length) this.say('posted', { lines });
  }

  // --- Starts -----------------------------------------------------------------------------------

  start_dealer({ origin, epoch, master_id }, who, before) {
    this.only('house');
    if (this.logged !== null && origin !== (this.start ? this.start.origin : this.origin || origin))
      unsound(
        'origin',
        `the dealer starts the log ${quote(origin)}, not ${quote(this.start ? this.start.origin : this.origin)}`,
      );
    if (this.start) {
      need(origin === this.start.origin && master_id === this.start.master_id, 'wrong_start', 'another log or master');
      if (this.logged !== null && this.epochs.has(epoch)) unsound('epoch_reused', 'the epoch was used before');
      need(epoch !== this.start.epoch, 'wrong_start', 'the epoch is in force already');
    }
    const claimed = this.stated && this.claim('dealer_started');
    const down = claimed && isCount(claimed.down_ms) ? claimed.down_ms : this.start ? this.time - before : 0;
    this.start = { origin, epoch, master_id };
    this.epochs.add(epoch);
    this.startedAt = this.time;
    for (const table of this.tables.values())
      Object.assign(table, {
        recovering: true,
        downSince: table.recovering ? table.downSince : Math.max(0, this.time - down),
      });
    this.say('dealer_started', { origin, epoch, master_id, down_ms: down });
    this.eventsAwaitRecovery(Math.max(0, this.time - down), { start_dealer: {} });
  }

  stop_dealer() { this.only('house'); this.say('dealer_stopped', {}); }

  note_refused_start({ at, reason }) {
    this.only('house');
    need(at <= this.time, 'malformed');
    this.say('start_refused', { at, reason });
  }

  /** spec/recovery.md, "Under a new name". */
  continue_log({ origin, key, size, root, new_key, signature }) {
    this.only('house');
    need(!this.continues && this.players.size === 0 && this.usedTables.size === 0, 'nothing_to_do');
    need(origin !== this.start.origin && size > 0, 'malformed');
    need(ed25519.usable(unhex(new_key, 32)), 'malformed');
    const text = utf8(statementText({ origin, size, root, new_key }, this.start.origin));
    need(ed25519.usable(unhex(key, 32)) && ed25519.verify(unhex(key, 32), text, unhex(signature, 64)), 'malformed');
    this.continues = { origin, key, size, root, new_key };
    this.say('log_continues', this.continues);
  }

  /** spec/recovery.md, "The end of a log". */
  end_log({ origin, key }) {
    this.only('house');
    need(origin !== this.start.origin && ed25519.usable(unhex(key, 32)), 'malformed');
    const open = this.whatIsInPlay();
    need(!open, 'log_in_play', open);
    this.ended = { origin, key };
    this.say('log_ended', this.ended);
  }

  /**
   * The part of the log that would never be revealed or paid after the log's end; null if there is none. Attack: a
   * house ends its log before a shoe that it dealt from is revealed, and continues under another name.
   */
  whatIsInPlay() {
    for (const table of this.tables.values()) {
      if (table.live) return `a round of table ${table.name} is in play`;
      if (table.shoe && table.shoe.rounds) return `shoe ${table.shoe.no} of table ${table.name} was played from`;
      if (table.voids.some(voided => this.comesLate(voided))) return `seeds of table ${table.name} may still come late`;
    }
    const event = [...this.events.values()].find(({ stage }) => stage !== 'ended');
    if (event) return `tournament ${event.name} is not over`;
    return this.wallet.open.size ? 'an operation of the wallet is open' : null;
  }

  // --- Tables and shoes -------------------------------------------------------------------------

  open_table({ table: name, rules, replaces }, who) {
    need(!isOfEvent(name), 'malformed', 'the name is one that a tournament\'s table could have');
    if (this.by !== 'operator') this.existing(who);
    need(mayOpenNamed(name, isGuest(who) ? who : null), 'malformed', 'a guest\'s own table is named play.GUEST.NAME');
    need(!this.usedTables.has(name), 'table_exists');
    need(!who || [...this.tables.values()].filter(table => table.owner === who).length < 4, 'too_many_tables');
    const why = whyNoRuleSet(rules);
    need(!why, 'rule_set_refused', why);
    const solo = rules.table.mode === 'solo', lasting = rules.table.reshuffle !== 'every_round';
    need(
      who ? solo : !solo || !lasting || gameOf(rules).wheel,
      'not_allowed',
      'a table of that kind is for one player, or for all',
    );
    need(
      who || !solo || (rules.table.reveal_time_ms <= PUBLIC_REVEAL_MS && rules.table.round_time_ms <= PUBLIC_ROUND_MS),
      'not_allowed',
      'a solo table for everyone does not wait so long',
    );
    need(replaces === undefined || this.stated || this.closedTables.get(replaces) === who, 'not_replaceable');
    this.closedTables.delete(replaces);
    if (this.usedTables.has(replaces)) this.usedTables.get(replaces).replacedBy = name;
    this.useTable(name, { owner: who, replacedBy: null, sealed: [] });
    this.accounts.set(`table:${name}`, 0);
    const idle = who && { idle_ms: isGuest(who) ? GUEST_TABLE_IDLE_MS : IDLE_MS };
    this.table = this.newTable(name, rules, who, idle?.idle_ms);
    this.tables.set(name, this.table);
    if (isCash(this.table))
      for (let seat = 1; seat <= rules.table.seats; seat++) this.accounts.set(this.seatAccount(this.table, seat), 0);
    this.say('table_opened', {
      rules,
      digest: rulesDigest(rules),
      ...(who ? { owner: who, ...idle } : {}),
      ...(replaces === undefined ? {} : { replaces }),
    });
  }

  newTable(name, rules, owner, idleMs) {
    return {
      name, rules, owner, idleMs, seq: 0, lastTime: this.time, pauseUntil: 0, nextShoe: 0, nextRound: 0,
      recovering: false, downSince: null, shoe: null, live: null, window: null, shuffleAsked: false,
      seats: new Map(), misses: new Map(), asked: new Set(), newcomers: new Set(), last: [], goesOn: false,
      cash: new Map(), carried: new Map(), positions: null, changes: new Map(), wishes: new Map(), used: new Map(),
      voids: [], statedLate: new Set(), event: null, place: null,
    };
  }

  close_table(fields, who) {
    const table = this.table;
    if (this.by === 'house') {
      need(table.owner, 'not_allowed');
      need(this.time >= table.lastTime + table.idleMs, 'deadline_ahead');
    } else need(this.by === 'operator' || (table.owner && who === table.owner), 'not_allowed');
    need(!table.live, 'round_in_progress');
    this.needNoLateSeeds();
    if (table.window) this.lapseWindow('closed', false);
    if (table.shoe) this.revealShoe('closed');
    this.tableClosed();
  }

  /** The operator waits for the seeds of rounds that were void without them: spec/recovery.md, "Voids". */
  needNoLateSeeds() {
    need(this.by !== 'operator' || !this.table.voids.some(voided => this.comesLate(voided)), 'awaiting_reveals');
  }

  comesLate({ time, commitments, out }) { return out.size < commitments.size && this.time < time + LATE_SEED_MS; }

  tableClosed() {
    const { name, owner } = this.table;
    this.say('table_closed', {});
    this.tables.delete(name);
    this.accounts.delete(`table:${name}`);
    this.closedTables.set(name, owner);
  }

  commit_shoe() {
    const table = this.table;
    this.only('house');
    need(!table.shoe && !table.live && !table.window, 'nothing_to_do');
    this.commitShoe(gameOf(table.rules).composition(table.rules));
    this.noteTable();
  }

  /** A shoe of the next number; its commitment and root are the dealer's claim until the seed is published. */
  commitShoe(text) {
    if (!this.table.live) this.table.shuffleAsked = false;
    const table = this.table, claimed = this.claim('shoe_committed', text);
    const count = gameOf(table.rules).candidates || 1;
    const candidates =
      claimed && listOf(isCommitment, count, count)(claimed.candidates)
        ? claimed.candidates
        : Array(count).fill({ commitment: '0'.repeat(64), root: '0'.repeat(64) });
    const no = table.nextShoe;
    const composition = readComposition(text);
    table.shoe = {
      no,
      composition,
      epoch: this.start.epoch,
      candidates,
      root: candidates[0].root,
      entry: this.index,
      undrawn: new Set(Array.from({ length: composition.slots }, (_, i) => i)),
      bettors: null,
      lastHand: false,
      faces: new Map(),
      peeks: [],
      rounds: 0, since: this.time, lastEnd: null, seq: table.seq, bytes: 0,
    };
    table.nextShoe = no + 1;
    if (this.stated) this.shoes.push(table.shoe);
    this.say('shoe_committed', { shoe_no: no, composition: text, candidates });
    this.onlyOnce(
      this.roots,
      table.shoe,
      candidates.map(({ root }, k) => [k, root]),
      'root_reused',
      'has a root that was committed before',
    );
    if (new Set(candidates.map(({ commitment }) => commitment)).size < count)
      this.doubles.push(() => unsound('root_reused', `the candidates of shoe ${no} have one commitment`));
  }

  /**
   * A value belongs to one candidate of a shoe, `[number, value]`, and never to another: spec/audit.md, "Once in a
   * log".
   */
  onlyOnce(before, shoe, values, check, message) {
    const { name } = this.table;
    this.doubles.push(() => values.forEach(([k, value]) => {
        const whose = `${name}/${shoe.no}/${k}`;
        if (before.has(value) && before.get(value) !== whose)
          unsound(check, `candidate ${k} of shoe ${shoe.no} ${message}`);
        before.set(value, whose);
      }),
    );
  }

  tctx(shoe) { return tableContext(this.start.origin, this.table.name, shoe.epoch); }

  /** Publishes the seed of a shoe and checks all earlier claims about it. */
  revealSeed(shoe, cause) {
    const claimed = this.claim('shoe_revealed', shoe);
    const count = shoe.candidates.length,
      seeds =
        claimed && listOf(isHash, count, count)(claimed.seeds) ? claimed.seeds : Array(count).fill('0'.repeat(64));
    this.say('shoe_revealed', { shoe_no: shoe.no, seeds, ...(cause ? { cause } : {}) });
    shoe.revealed = true;
    const { table, index } = this;
    this.onlyOnce(
      this.seeds,
      shoe,
      seeds.map((seed, k) => [k, seed]),
      'seed_reused',
      'has a seed that was published before',
    );
    this.published.push(() => this.checkRevealed(shoe, seeds, table.name, index));
  }

  /** Checks all claims about a shoe against its seeds. */
  checkRevealed(shoe, seeds, table, index) {
    const { composition } = shoe, [derived] = seeds.map((seed, k) => this.openCandidate(table, shoe, k, seed));
    const faceOf = slot => (composition.wheel ? derived.faces[slot] : cardOf(derived.faces[slot]));
    for (const [slot, { face, entry }] of shoe.faces) {
      if (faceOf(slot) !== face)
        unsoundAt(
          entry,
          'face_false',
          `slot ${slot} of shoe ${shoe.no} holds ${faceOf(slot)}, entry ${entry} shows ${face}`,
        );
    }
    for (const { up, slot, answer, entry } of shoe.peeks) {
      const ranks = [rankOf(faceOf(up)), rankOf(faceOf(slot))];
      const truth = ranks.includes('A') && ranks.some(rank => 'TJQK'.includes(rank));
      if (truth !== answer)
        unsoundAt(
          entry,
          'peek_false',
          `entry ${entry} says of slot ${slot} that it ${answer ? 'makes' : 'does not make'} a blackjack; it holds ` +
            `${faceOf(slot)}`,
        );
    }
    this.shown.push({ shoe: shoe.no, entry: index, faces: shoe.faces.size, derived, table, composition });
  }

  /** Checks that a published seed opens its commitment and gives the committed shoe; returns that shoe. */
  openCandidate(table, shoe, k, text) {
    const seed = unhex(text, 32),
      { commitment, root } = shoe.candidates[k],
      which = shoe.candidates.length > 1 ? `candidate ${k} of shoe ${shoe.no}` : `shoe ${shoe.no}`;
    this.epochAsked = shoe.epoch;
    if (serverCommitment(tableContext(this.start.origin, table, shoe.epoch), shoe.no, k, seed) !== commitment)
      unsound('seed_opens', `the seed of ${which} does not open its commitment`);
    this.epochsShown.add(shoe.epoch);
    const derived = deriveShoe(seed, shoe.composition);
    if (derived.root !== root)
      unsound('shoe_root', `the shoe that the seed of ${which} orders has root ${derived.root}, not ${root}`);
    return derived;
  }

  /** The shoe in use leaves the table; if every round has its own shoe, without a cause. */
  revealShoe(cause) {
    const table = this.table;
    // If every round has a new shoe no player waits for one, for any reason of this one's end.
    const told = table.rules.table.reshuffle === 'every_round' ? null : cause;
    if (told === 'newcomer' || told === 'house_shuffle')
      table.newcomers = new Set([...table.asked].filter(player => !this.mayBet(player)));
    if (told === 'restart') table.newcomers = new Set();
    this.revealSeed(table.shoe, told);
    table.shoe = null;
  }

  /** Records a face that the log shows, and refuses faces that this composition cannot show. */
  noteFace(shoe, slot, face) {
    const known = shoe.faces.get(slot);
    if (known && known.face !== face)
      unsound(
        'face_changed',
        `slot ${slot} of shoe ${shoe.no} showed ${known.face} in entry ${known.entry}, and now ${face}`,
      );
    if (known) return;
    if (!shoe.composition.wheel) {
      const code = codeOf(face);
      const held = shoe.composition.codes.filter(other => other === code).length;
      const seen = [...shoe.faces.values()].filter(other => other.face === face).length;
      if (seen >= held)
        unsound('card_too_often', `${face} is shown ${seen + 1} times, shoe ${shoe.no} holds it ${held} times`);
    }
    shoe.faces.set(slot, { face, entry: this.index });
  }

  /** Whether a player asks to play who may not bet on the shoe in use. */
  hasNewcomer() { return [...this.table.asked].some(player => !this.mayBet(player)); }
  /**
   * Whether the table has so many entries since the shoe's commitment, including that one and `more`, or so many bytes.
   */
  isFull(more = 0) {
    const { seq, shoe } = this.table;
    return seq + more - shoe.seq >= SHOE_ENTRIES || shoe.bytes >= SHOE_BYTES;
  }
  isIdleShoe(at) {
    const { shoe: { lastEnd }, live, window } = this.table;
    return !live && !window && lastEnd !== null && at >= lastEnd + SHOE_IDLE_MS;
  }

  retire_shoe({ reason }) {
    const table = this.table;
    let cause = 'house_shuffle';
    this.only('house', 'operator');
    need(table.shoe, 'no_shoe');
    if (this.by === 'house') {
      need(reason === undefined, 'malformed');
      cause = this.hasNewcomer() ? 'newcomer' : this.isFull() ? 'full' : this.isIdleShoe(this.time) ? 'idle' : null;
      need(cause, 'nothing_to_do');
    } else {
      need(table.rules.table.house_shuffle, 'not_allowed');
      need(reason !== undefined, 'malformed');
    }
    if (!table.live && !table.window) return this.revealShoe(cause);
    need(cause === 'house_shuffle', 'round_in_progress');
    need(!table.shuffleAsked, 'nothing_to_do');
    table.shuffleAsked = true;
    return this.say('shuffle_asked', {});
  }
}

/** Methods of House that stand in another part. */
const extendHouse = methods => Object.defineProperties(House.prototype, Object.getOwnPropertyDescriptors(methods));

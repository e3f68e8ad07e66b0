// Follows a table entry by entry: spec/page.md, "The follower". It begins with a judged bundle, and continues with the
// later entries over rounds and shoes; finished shoes are forgotten.

/**
 * The number of checkpoints kept, to find two of one size; of roots and seeds, to find one used again; and of entries,
 * if no new shoe clears the earlier ones.
 */
const CHECKPOINTS_KEPT = 64, ONCE_KEPT = 16384, ITEMS_KEPT = 16384;
/** The most entries that wait for their proof, and their total characters. */
const UNPROVEN_KEPT = 1024, UNPROVEN_LENGTH = 8 * 1024 * 1024;

/** Something else must come first: `needs` says what. */
class Needs extends Error {
  constructor(needs) { super(quote(needs)); this.needs = needs; }
}

class Follower {
  /** Throws Unusable if this is no bundle. `trusted` is the log's key, or null: then the bundle's own is used. */
  constructor(text, trusted = null) {
    Object.assign(this, {
      trusted, failure: null,
      lack: null, // {entries} or {bundle}: what it cannot go on without
      owed: [], // items that were shown and have to be proven now
      key: null, // as read
      vkey: null,
      size: 0, checkpoint: null,
      checkpoints: new Map(), // signed text -> {size, root, text}
      tableName: null,
      round: null, // that the bundle names
      rules: null, // the table as the rules have it
      house: null,
      context: [], // what the shoe rests on: items
      items: new Map(), // index -> item, of this shoe and the one before; of those before what is not proven
      bySeq: new Map(), // the same by their place at the table
      unproven: new Set(), // those that are not
      begins: 0, // index of the entry that commits the shoe, or the first pile
      nextSeq: 0, told: -1, // of the table
      lastIndex: -1,
      isStale: false, // the dealer was started between two shoes
      openings: new Openings(),
      kept: { view: null, faces: [] }, // of the round that ended last, where the rules began anew since
      faulty: {}, // what evidence has to show beside the entries
    });
    this.report = this.judgeBundle(text);
  }

  get needs() {
    const [owed] = this.owed;
    return this.lack || (owed ? { entries: owed.seq } : null);
  }

  /** The stored facts about entries. */
  keepItems(list) {
    this.items = new Map();
    this.bySeq = new Map();
    this.unproven = new Set();
    [...list].sort((a, b) => a.index - b.index).forEach(item => this.keepItem(item));
  }

  keepItem(item) {
    this.items.set(item.index, item);
    this.bySeq.set(item.seq, item);
    if (!item.proven) this.unproven.add(item);
  }

  /** Whether so many entries wait for proofs that further ones need a proof at once. */
  isFull() {
    const { size } = this.unproven;
    return size >= UNPROVEN_KEPT || sum([...this.unproven].map(({ text }) => text.length)) >= UNPROVEN_LENGTH;
  }

  // --- The beginning ------------------------------------------------------------------------------

  /** Judges a bundle; if it is sound, the table has its state. An unsound bundle is itself the evidence. */
  judgeBundle(text) {
    let read = null, begun = null;
    const report = watchBundle(text, this.trusted, {
      withoutRound: true,
      read: bundle => { read = bundle; },
      begins: (house, context) => { begun = { house, context }; },
    });
    if (report.verdict === 'not_sound') {
      const [{ check, entry, table, message }] = report.findings;
      this.failure = Object.assign(new Unsound(check, message), { entry, table });
      this.faulty = { bundle: text };
      return report;
    }
    this.start(read, begun, report);
    return report;
  }

  start(bundle, { house, context }, report) {
    const { table, vkey, checkpoint } = bundle, before = this.items;
    if (this.tableName !== null && (this.tableName !== table || this.vkey !== vkey))
      throw new Unusable(`this is a bundle of ${table}, under the key ${vkey}`);
    const key = readLogKey(vkey), proofOf = path => ({ path, checkpoint });
    const itemOf = ({ index, entry: text, proof }, entry) => ({
      index, text, entry, seq: entry.at ? entry.at.seq : null, proof: proofOf(proof), proven: true, decided: true,
    });
    const parsed = new Map(report.entries.map(({ index, entry }) => [index, entry]));
    const entries = bundle.entries.map(item => itemOf(item, parsed.get(item.index)));
    this.key = key;
    this.adopt(checkpoint);
    entries.forEach(item => this.sameAsBefore(item));
    const [first] = entries, last = entries[entries.length - 1];
    // Entries taken after the bundle's end are decided again when they come again.
    const later = [...before.values()]
      .filter(({ seq }) => seq > last.seq)
      .map(item => Object.assign(item, { decided: false }));
    // Entries shown before its beginning without a proof stay, and must be proven.
    const owed = [...before.values()].filter(({ seq, proven }) => seq < first.seq && !proven);
    if (this.house) this.keepRound();
    Object.assign(this, {
      vkey, tableName: table, house,
      round: bundle.round,
      rules: house.tables.get(table) || house.table,
      context: bundle.context.map(item => itemOf(item, parsed.get(item.index))),
      begins: first.index,
      nextSeq: last.seq + 1,
      told: Math.max(this.told, last.seq),
      lastIndex: last.index,
      isStale: false, lack: null,
      owed: owed.sort((a, b) => a.seq - b.seq),
    });
    this.keepItems([...owed, ...entries, ...later]);
    entries.forEach(({ entry }) => this.openings.takeEvents(entry, []));
    this.openings.takeEvents({ events: [] }, house.shown);
    bundle.openings.forEach(opening => this.openings.take(opening, house.shoes));
  }

  /** A newer bundle of the table. */
  renew(text) {
    return this.run(() => {
      const report = this.judgeBundle(text);
      if (this.failure) throw this.failure;
      this.report = report;
      return this.change([], [], false);
    });
  }

  /** The same sequence number of the table has the same entry as before. */
  sameAsBefore(item) {
    for (const same of [this.items.get(item.index), this.bySeq.get(item.seq)])
      if (same && (same.index !== item.index || same.text !== item.text)) this.twice(same, item);
  }

  /** Two texts for one place; if both are proven, the log signed both. */
  twice(item, other) {
    const { index } = other;
    this.faulty = { twice: [item, other] };
    unsoundAt(
      index,
      'inclusion',
      item.index === index
        ? `entry ${index} is another than the one that was shown before`
        : `entry ${index} has the place ${item.seq} of table ${this.tableName}, which entry ${item.index} had`,
    );
  }

  // --- Later entries ------------------------------------------------------------------------------

  /** Entries of the table with their proofs under a checkpoint, in their order. */
  take(items, checkpointText) {
    return this.run(() => {
      if (!isList(items)) throw new Unusable('entries come as a list');
      for (const item of items)
        if (!isObject(item) || !isCount(item.index) || typeof item.entry !== 'string' || !isList(item.proof))
          throw new Unusable('an entry comes with index, entry and proof');
      const older = this.adopt(checkpointText), checkpoint = this.checkpoints.get(checkpointText);
      return this.each(items, older, ({ index, seq, entry, proof, openings = [] }) => {
        this.checkIncluded(index, entry, proof, checkpoint);
        const item = { index, seq, text: entry, proof: { path: proof, checkpoint: checkpointText } };
        return this.place(item, openings, true);
      });
    });
  }

  /** The receipt of a reply: its entry, with the reply's openings. */
  takeReceipt(receipt, openings = []) {
    return this.run(() => {
      const { index, entry, proof } = isObject(receipt) ? receipt : {};
      if (!isCount(index) || typeof entry !== 'string' || typeof proof !== 'string')
        throw new Unusable('a receipt has the fields index, entry and proof');
      const read = under('receipt', () => readReceipt(utf8(proof)));
      const text = under('receipt', () => strictText(read.checkpoint, 'the checkpoint'));
      if (BigInt(index) !== read.index) unsound('receipt', `the receipt is of entry ${read.index}, not of ${index}`);
      const older = this.adopt(text), path = read.path.map(base64);
      this.checkIncluded(index, entry, path, this.checkpoints.get(text));
      return this.each([{ index }], older, () =>
        this.place({ index, text: entry, proof: { path, checkpoint: text } }, openings, false));
    });
  }

  /** An entry that came without a proof. */
  takePending(index, entry, openings = []) {
    return this.run(() => {
      if (!isCount(index) || typeof entry !== 'string') throw new Unusable('an entry comes with its index');
      return this.each([{ index }], false, () => this.place({ index, text: entry, proof: null }, openings, false));
    });
  }

  /** Runs an action that may fail; after a failure it always fails. */
  run(action) {
    if (this.failure) throw this.failure;
    try {
      return action();
    } catch (error) {
      if (error instanceof Unsound && !this.failure) {
        if (!error.check) error.check = 'inclusion';
        if (error.table === undefined && this.tableName !== null) error.table = this.tableName;
        this.failure = error;
      }
      throw error;
    }
  }

  /** Takes entries in turn, until something else must come first. */
  each(items, older, takeOne) {
    const entries = [], proven = [];
    for (const item of items) {
      try {
        const { told, isProven } = located(item.index, this.tableName, () => takeOne(item));
        if (told) entries.push(told);
        if (isProven) proven.push(item.index);
      } catch (error) {
        if (!(error instanceof Needs)) throw error;
        if (error.needs) this.lack = error.needs;
        break;
      }
    }
    return this.change(entries, proven, older);
  }

  change(entries, proven, older) {
    return { entries, proven, older, needs: this.needs, view: this.view(), table: this.table() };
  }

  /** Takes a signed checkpoint as the newest, unless it is older; returns whether it is. */
  adopt(text) {
    if (typeof text !== 'string') throw new Unusable('a checkpoint is a text');
    let checkpoint = this.checkpoints.get(text);
    if (!checkpoint) {
      checkpoint = under('checkpoint', () => ({ ...openCheckpoint(utf8(text), this.key), text }));
      const rival = [...this.checkpoints.values()].find(({ size }) => size === checkpoint.size);
      if (rival && !sameBytes(rival.root, checkpoint.root)) {
        this.faulty = { fork: [rival.text, text] };
        unsound('fork', `two checkpoints of ${checkpoint.size} entries have two roots`);
      }
      this.checkpoints.set(text, checkpoint);
      if (this.checkpoints.size > CHECKPOINTS_KEPT) this.checkpoints.delete(this.checkpoints.keys().next().value);
    }
    const size = Number(checkpoint.size), older = size < this.size;
    if (!older) Object.assign(this, { size, checkpoint: text });
    return older;
  }

  checkIncluded(index, text, path, { size, root }) {
    const hashes = path.map(hash => hash64(hash) || unsoundAt(index, 'inclusion', 'a hash of the proof is malformed'));
    try {
      checkInclusion(leafHash(utf8(text)), BigInt(index), size, hashes, root);
    } catch (error) {
      if (error instanceof Unsound) {
        this.faulty = { pending: [{ index, entry: text }] };
        unsoundAt(index, 'inclusion', `the entry is not under the checkpoint: ${error.message}`);
      }
      throw error;
    }
  }

  /**
   * Stores an entry: returns `{told, isProven}`, its new parts. `due` tells whether the openings of its faces must be
   * there.
   */
  place(item, openings, due) {
    const { index, text, proof } = item, known = this.items.get(index);
    if (known && known.text !== text) this.twice(known, item);
    const entry = known ? known.entry : readEntry(text), { at } = entry;
    if (!at || at.table !== this.tableName) {
      if (due) unsound('bundle_order', 'an entry is not of this table');
      throw new Unusable(`entry ${index} is not of table ${this.tableName}`);
    }
    if (item.seq !== undefined && item.seq !== at.seq)
      unsound('table_seq', `the entry's place is ${at.seq}, not ${item.seq}`);
    if (this.bySeq.has(at.seq) && this.bySeq.get(at.seq) !== known) this.twice(this.bySeq.get(at.seq), item);
    const isProven = !!known && !known.proven && !!proof;
    if (isProven) this.prove(known, proof);
    if (at.seq < this.nextSeq) {
      // An unknown one belongs to a forgotten shoe.
      if (known) this.takeOpenings(known, openings, due);
      return { isProven };
    }
    if (this.lack && this.lack.bundle) throw new Needs(this.lack);
    if (at.seq > this.nextSeq) throw new Needs({ entries: this.nextSeq });
    if (index <= this.lastIndex)
      unsound('bundle_order', `the entry is before entry ${this.lastIndex}, and comes after it`);
    if (!known && !proof && this.isFull()) {
      this.owed = [...this.unproven].sort((a, b) => a.seq - b.seq);
      throw new Needs(null);
    }
    const taken = known || { index, text, entry, seq: at.seq, proof, proven: !!proof, decided: false };
    const words = this.decideOr(taken);
    this.keepItem(taken);
    if (this.items.size > ITEMS_KEPT) this.forgetItems();
    Object.assign(this, { nextSeq: at.seq + 1, lastIndex: index, lack: null });
    this.takeOpenings(taken, openings, due);
    if (at.seq <= this.told) return { isProven };
    this.told = at.seq;
    const { proven, decided } = taken;
    return { told: { index, seq: at.seq, words, view: this.view(), proven, decided }, isProven };
  }

  prove(item, proof) {
    Object.assign(item, { proof, proven: true });
    this.unproven.delete(item);
    this.owed = this.owed.filter(({ proven }) => !proven);
    for (const face of this.kept.faces) if (face.entry === item.index && face.opening) face.state = 'proven';
  }

  /** The openings that came with an entry, which must show its faces; those that are due. */
  takeOpenings({ index, decided, entry }, openings, due) {
    // No data of a forgotten shoe is checked any more.
    if (!decided || !this.house || index < this.begins) return;
    if (!isList(openings) || openings.length > MOST_OPENINGS)
      throw new Unusable('openings come as a list of at most 4,096');
    const { shoes } = this.house;
    for (const opening of openings) {
      try {
        this.openings.take(opening, shoes);
      } catch (error) {
        if (error instanceof Unsound) this.faulty = { openings: [opening] };
        throw error;
      }
    }
    if (!due) return;
    for (const shoe of shoes) {
      if (shoe.revealed || shoe.sealed) continue;
      for (const [slot, { face, entry: at }] of shoe.faces)
        if (at === index && !this.openings.of(shoe, slot))
          unsoundAt(
            index,
            'opening_missing',
            `${face} is shown in slot ${slot} of shoe ${shoe.no}, without an opening`,
          );
    }
    this.openings.takeEvents(entry, []);
  }

  // --- Deciding -----------------------------------------------------------------------------------

  isOver() { const [first] = this.house.shoes; return !!first && (first.revealed === true || first.sealed === true); }

  /** Decides an entry; a failing one becomes part of the evidence. */
  decideOr(item) {
    try {
      return this.decide(item);
    } catch (error) {
      if (error instanceof Unsound) this.faulty = { ...this.faulty, item };
      throw error;
    }
  }

  /** Decides an entry again; returns its words. */
  decide(item) {
    const { entry, index } = item, { command } = entry, { event } = this.rules;
    if (this.isOver()) {
      if (!((command.commit_shoe || command.call_hand) && entry.events.some(one => one.shoe_committed))) {
        // Between two shoes, a start of the dealer and a tournament's statements are in entries that are missing here.
        if (command.recover) this.isStale = true;
        if (this.isStale || event) return storyOf(index, entry, isCash(this.rules));
      } else {
        if (this.isStale) throw new Needs({ bundle: true });
        this.forgetShoes(index);
        if (event) this.beginAnew(item);
      }
    } else if (command.recover && !this.rules.recovering) throw new Needs({ bundle: true });
    this.judge(entry, index);
    item.decided = !this.house.lacksKey;
    this.openings.takeEvents(entry, this.house.shown);
    this.house.shown = [];
    this.house.hands = [];
    return storyOf(index, entry, isCash(this.rules));
  }

  judge(entry, index) {
    const { house } = this;
    // A player's key is set in entries outside tables: only a bundle shows that it has not changed. Between two shoes
    // none does, as it ends with the shoe: the entry is decided by all other rules.
    house.mayLackKeys = this.isOver();
    try {
      house.judge(entry, index);
    } catch (error) {
      if (error instanceof Unsound && error.check === 'signature') throw new Needs({ bundle: true });
      throw error;
    }
  }

  /** A new shoe is committed: of the earlier ones only the last round's are kept. */
  forgetShoes(index) {
    const { house, rules } = this, { ended } = rules;
    this.keepItems([...this.items.values()].filter(item => item.index >= this.begins || !item.proven));
    this.begins = index;
    this.context = this.newestContext();
    house.shoes = [];
    for (const once of [house.roots, house.seeds]) if (once.size > ONCE_KEPT) once.clear();
    if (ended) this.openings.forget(ended.piles[0].no);
  }

  /** Forgets the older half of the proven entries. */
  forgetItems() {
    const proven = [...this.items.values()].filter(item => item.proven).sort((a, b) => a.index - b.index);
    const forgotten = new Set(proven.slice(0, ITEMS_KEPT / 2));
    this.keepItems([...this.items.values()].filter(item => !forgotten.has(item)));
  }

  /** The next shoe needs from this one's context the newest start, and the newest key of each player. */
  newestContext() {
    const newest = new Map(), starts = this.context.filter(({ entry }) => entry.command.start_dealer);
    for (const item of this.context) {
      const { command } = item.entry, { player } = command.create_player || command.set_key || {};
      if (openingOf(command)) newest.set('opening', item);
      else if (player !== undefined) newest.set(`key ${player}`, item);
    }
    newest.set('start', starts[starts.length - 1]);
    return [...newest.values()].sort((a, b) => a.index - b.index);
  }

  /** Sets the table's state as its next shoe's entry states it. */
  beginAnew(first) {
    this.keepRound();
    this.house = Object.assign(new House(true), { origin: this.key.name });
    for (const { entry, index } of this.context) this.house.judge(entry, index);
    enterBundle(this.house, this.tableName, first, this.context);
    this.rules = this.house.tables.get(this.tableName);
  }

  /** Stores the view of the round that ended last, before the rules begin again. */
  keepRound() { this.kept = { view: this.view(), faces: this.faces() }; }

  // --- Views --------------------------------------------------------------------------------------

  /** The round in play, or the one that ended last: `RoundView`. */
  view() { return (this.rules && viewOf(this.house, this.rules)) || this.kept.view; }

  table() { return this.rules && tableOf(this.house, this.rules); }

  isProven(index) { const item = this.items.get(index); return !!item && item.proven; }

  /** The faces of that round. */
  faces() {
    const live = this.rules && (this.rules.live || this.rules.ended);
    return live ? facesOfRound(live, this.openings, index => this.isProven(index)) : this.kept.faces;
  }

  /**
   * A player's own cards, checked against the deck that the seeds picked; null before the deal is known. Throws
   * Unsound.
   */
  own(given, player) {
    return this.run(() => {
      const live = this.rules && (this.rules.live || this.rules.ended);
      const { round, shoe_no: no, candidate, cards, openings } = isObject(given) ? given : {};
      if (!isList(cards) || !isList(openings) || cards.length !== openings.length || typeof player !== 'string')
        throw new Unusable('own cards come with as many openings, and with the name of their player');
      if (!live || round !== `${this.tableName}:${live.no}` || !live.opened) return null;
      const seat = live.game && live.game.seats && live.game.seats.find(one => one.player === player);
      const wrong = message => {
        this.faulty = { own: given };
        unsoundAt(live.entry, 'opening', message);
      };
      if (!seat) return wrong(`${player} has no cards in ${round}`);
      if (no !== live.shoe.no || candidate !== live.pick)
        return wrong(`the cards are of candidate ${candidate} of shoe ${no}; ${live.pick} of ${live.shoe.no} is dealt`);
      if (seat.cards.length < cards.length) return null;
      const { composition, root } = live.shoe, slots = seat.cards.map(({ slot }) => slot);
      return openings.map((one, i) => {
        const opening = bareOpening(one), card = cards[i];
        if (!isOpening(opening) || !openingHolds(opening, composition, root))
          return wrong(`the opening of ${player}'s card ${i + 1} does not lead to the root of the deck that was dealt`);
        if (!slots.includes(opening.slot) || openings.findIndex(other => other.slot === opening.slot) !== i)
          return wrong(`slot ${opening.slot} was not dealt to ${player}`);
        if (!composition.codes.includes(opening.value) || cardOf(opening.value) !== card)
          return wrong(`slot ${opening.slot} holds ${cardOf(opening.value)}, and is said to be ${card}`);
        return {
          shoe: no, slot: opening.slot, card, value: null,
          state: this.isProven(live.entry) ? 'proven' : 'pending',
          opening, root,
          entry: live.entry,
        };
      });
    });
  }

  /** Judges it like a bundle of the shoe in use, up to now. */
  verdict() {
    if (this.failure) {
      const { check, entry, table, message } = this.failure;
      const finding = JSON.parse(quote({ check, entry, table, message }));
      return { verdict: 'not_sound', findings: [finding], round: this.view() };
    }
    const hidden = this.house.shoes.some(shoe => !shoe.revealed && !shoe.sealed);
    const verdict = hidden || this.unproven.size || this.rules.live ? 'sound_so_far' : 'sound';
    return { verdict, findings: [], round: this.view() };
  }

  /** A file with everything that was shown, and the failed part. */
  evidence() {
    const { failure, faulty } = this, name = `evidence-${(this.round || 'round').replace(':', '-')}`;
    const named = text => ({ name: `${name}${failure ? `-${failure.check}` : ''}.json`, text });
    if (faulty.bundle !== undefined) return named(faulty.bundle);
    const finding = failure && JSON.parse(quote({
      check: failure.check, entry: failure.entry, table: failure.table, message: failure.message,
    }));
    if (faulty.fork) return named(forkEvidence(this.vkey, !!this.trusted, finding, faulty.fork));
    const { twice = [] } = faulty, isProven = item => !!item.proof;
    const items = new Map(faulty.item ? [...this.items, [faulty.item.index, faulty.item]] : this.items);
    const current = [...items.values()]
      .filter(item => item.index >= this.begins && (item.decided || item === faulty.item))
      .sort((a, b) => a.index - b.index);
    const receipt = ({ index, text, proof: { path, checkpoint } }) => ({
      index, entry: text,
      proof: ['c2sp.org/tlog-proof@v1', `index ${index}`, ...path, '', checkpoint].join('\n'),
    });
    const entries = [...new Set([...current.filter(isProven), ...(twice.every(isProven) ? twice : [])])]
      .sort((a, b) => a.index - b.index);
    const bare = ({ index, text }) => ({ index, entry: text });
    const pending = [...new Set([...this.unproven, ...current, ...twice])].filter(item => !entries.includes(item));
    // A finished shoe needs none, and openings of a forgotten one are not requested.
    const hidden = this.house.shoes.filter(({ revealed, sealed }) => !revealed && !sealed);
    const known = hidden.flatMap(shoe => [...shoe.faces.keys()].map(slot => this.openings.of(shoe, slot)));
    const openings = [...(faulty.openings || []).map(bareOpening), ...known].filter(isOpening);
    return named(quote({
      fairshoe_follow: 1, round: this.round, vkey: this.vkey, finding,
      context: this.context.map(receipt),
      entries: entries.map(receipt),
      openings: openings.slice(0, MOST_OPENINGS),
      pending: [...pending.map(bare), ...(faulty.pending || [])],
      ...(faulty.own ? { own: faulty.own } : {}),
    }));
  }
}

// A house that continues from a published state: spec/state.md, "Published"; spec/audit.md, "From a state".

const MOST_STATE = 1 << 30;

const isLevel = text => typeof text === 'string' && /^[1-9][0-9]*(\/[1-9][0-9]*){1,2}$/.test(text);
const tupleOf = (...forms) => value =>
  isList(value) && value.length === forms.length && forms.every((form, i) => form(value[i]));

const isPositive = whole(1, MAX_AMOUNT);

const isLimit = fieldsOf({
  of: isLimitOf,
  per: isLimitPer,
  most: isAmount,
  count: isSigned,
  until: isCount,
  'waiting?': fieldsOf({ 'most?': isAmount, from: isCount }),
});
const isShoeInUse = fieldsOf({
  shoe_no: isCount,
  composition: text => readComposition(text) !== null,
  epoch: isHash,
  candidates: listOf(isCommitment),
  drawn: listOf(isSlot),
  'bettors?': listOf(isName),
  last_hand: isBool,
  shuffle_asked: isBool,
  from_seq: isCount,
  bytes: isCount,
  since: isCount,
  rounds: isCount,
  'last_round_at?': isCount,
});
const isVoided = fieldsOf({
  round_no: isCount,
  time: isCount,
  epoch: isHash,
  missing: listOf(fieldsOf({ player: isName, commitment: isHash, out: isBool })),
});
const isStanding = fieldsOf({
  rules: isHash,
  'idle_ms?': isCount,
  next_seq: isCount,
  next_shoe: isCount,
  epoch: isHash,
  'down_since?': isCount,
  noted: fieldsOf(EVENTS.table_noted),
  'untidy?': listOf(tupleOf(isSeat, isBool, isBool, isAmount), 1),
  'shoe?': isShoeInUse,
  'voided?': listOf(isVoided, 1),
  due: tupleOf(isCount, isCount),
  'since?': listOf(isCount, 1),
});

/** The parts of a state by the kind of their key. */
const STATE_PARTS = {
  log: fieldsOf({
    origin: isOrigin,
    epoch: isHash,
    master_id: isHash,
    time: isCount,
    started: isCount,
    'ready?': isCount,
    'noted?': isCount,
    'continues?': fieldsOf({ origin: isOrigin, key: isHash, size: isCount, root: isRoot, new_key: isHash }),
    'ended?': fieldsOf({ origin: isOrigin, key: isHash }),
    cage: isSigned,
    house: isSigned,
    rake: isSigned,
    'tickets?': isPositive,
    'rounding_residual?': isPositive,
    'play?': amount => isSigned(amount) && amount !== 0,
    'admitted?': isPositive,
    'wallet?': amount => isSigned(amount) && amount !== 0,
    'operations?': isPositive,
  }),
  player: fieldsOf({
    balance: isAmount,
    't_dollars?': isPositive,
    'idle_since?': isCount,
    'key?': isHash,
    'waiting?': fieldsOf({ 'key?': isHash, from: isCount }),
    'nonce?': isCount,
    'limits?': listOf(isLimit, 1),
    'played?': isCount,
    'excluded?': isCount,
    'offences?': listOf(isCount, 1),
    'until?': isCount,
    'refunds?': listOf(isCount, 1),
    'early?': listOf(tupleOf(isLevel, listOf(isCount), isCount), 1),
  }),
  known: fieldsOf({
    'policy?': isPlainText,
    'balance?': amount => isSigned(amount) && amount !== 0,
    'sent?': isPositive,
    'claimed?': listOf(tupleOf(isCount, isCount), 1),
  }),
  wallet: fieldsOf({ call: isCall, player: isName, amount: isPositive }),
  rules: rules => whyNoRuleSet(rules) === null,
  table: fieldsOf({
    'event?': isName,
    'owner?': isName,
    'replaced_by?': isName,
    'sealed?': listOf(tupleOf(isHash, isCount, isCount), 1),
    'changes?': listOf(tupleOf(isName, isCount, whole(0, 2 ** 32 - 1)), 1),
    'stands?': isStanding,
  }),
};

/** Whether a text is a number in its one spelling. */
const isNumber = text => /^(0|[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(Number(text));

/** Whether a key of this kind names a valid item: a name, or one followed by an entry's number or a player's name. */
function isKeyOf(kind, name) {
  const [, event, one] = /^(.*)\/([^/]*)$/.exec(name) || [];
  if (kind === 'entry') return isName(event) && isNumber(one);
  if (kind === 'entrant') return isName(event) && isName(one);
  if (kind === 'known') return isOrigin(name);
  if (kind === 'wallet') return isNumber(name);
  return kind === 'log' || kind === 'rules' || isName(name);
}

/** The lines of a state, each in its one form, ascending: `{lines, parts}`, of parts `[kind, name, part]`. */
function readStateLines(bytes) {
  if (bytes.length > MOST_STATE) fault('it is longer than 1 GiB');
  const text = strictText(bytes, 'the state');
  if (!text.endsWith('\n')) fault('it does not end with a line');
  const lines = text.slice(0, -1).split('\n'), parts = [];
  let last = null;
  lines.forEach((line, at) => {
    const wrong = why => fault(`line ${at} of the state: ${why}`);
    let pair;
    if (!nestedWithin(line, 32)) wrong('it is nested too deeply');
    try { pair = JSON.parse(line); } catch (error) { wrong(error.message); }
    if (!tupleOf(key => typeof key === 'string', value => isObject(value) || isList(value))(pair))
      wrong('it is no key with its part');
    const [key, part] = pair, kind = key.split(':', 1)[0], name = key.slice(kind.length + 1);
    if (last !== null && compareText(last, key) >= 0) wrong(`${key} does not come after the line before it`);
    if (!Object.hasOwn(STATE_PARTS, kind) || (kind === 'log') !== (key === 'log'))
      wrong(`${key} is the key of no part`);
    if (!isKeyOf(kind, name)) wrong(`${key} is the key of no part`);
    if (JSON.stringify(pair) !== line || !STATE_PARTS[kind](part)) wrong('it is not in canonical form');
    if (kind === 'rules' && rulesDigest(part) !== name) wrong(`the rule set has the digest ${rulesDigest(part)}`);
    last = key;
    parts.push([kind, name, part]);
  });
  return { lines, parts };
}

const rootOfLines = lines => hex(treeRoot(lines.map(line => leafHash(utf8(line)))));

/**
 * One table alone, for its entries since it rested. They are decided again on the table like a bundle's. Keys, and
 * facts from seeds about their shoes, are unknown here.
 */
class LoneTable extends House {
  constructor(house, table, epoch) {
    super(true);
    Object.assign(this, { duesKnown: true, entered: true, time: table.lastTime, start: { ...house.start, epoch } });
    this.tables.set(table.name, table);
    this.usedTables = new Map([[table.name, { owner: table.owner, replacedBy: null, sealed: [] }]]);
    this.accounts.set(`table:${table.name}`, 0);
    // At a tournament's table the chips are no money.
    for (const { seat, stack } of table.cash.values())
      this.accounts.set(this.seatAccount(table, seat), table.event ? 0 : stack);
  }

  checkSignature() {}
  checkOverdue() {}
  onlyOnce() {}
  openCandidate() {}
  checkRevealed() {}
  noteFace() {}
}

extendHouse({
  takeLog({ origin, epoch, master_id, time, started, ready = 0, noted = 0, cage, house, rake, ...more }) {
    Object.assign(this, { start: { origin, master_id, epoch }, time, startedAt: started, ready, noted });
    Object.assign(this, { continues: more.continues, ended: more.ended || null });
    const { tickets = 0, rounding_residual: residual = 0, play = 0, admitted = 0, wallet, operations = 0 } = more;
    this.accounts = new Map([['cage', cage], ['house', house], ['rake', rake], ['tickets', tickets]]);
    this.accounts.set('rounding_residual', residual);
    this.accounts.set('play', play);
    this.admitted = admitted;
    if (wallet !== undefined) this.accounts.set(WALLET, wallet);
    if (wallet && !operations) fault('the wallet\'s account moved, and nothing was ever asked of the wallet');
    this.wallet.count = operations;
    this.epochs.add(epoch);
  },

  takePlayer(player, part) {
    const { balance, t_dollars: dollars = 0, key, waiting, nonce, until } = part;
    const { offences = [], refunds = [], early = [], idle_since: idle } = part;
    const number = player.slice(6), came = String(Number(number)) === number && Number(number) < this.admitted;
    if (isGuest(player) ? !(came && idle <= this.time) : idle !== undefined)
      fault(`${player} is said to be a guest, and cannot be`);
    if (idle !== undefined) this.idleSince.set(player, idle);
    for (const one of [key, waiting && waiting.key]) {
      if (one !== undefined && !ed25519.usable(unhex(one, 32))) fault(`the key of ${player} is none that can sign`);
    }
    this.players.add(player);
    this.accounts.set(`player:${player}`, balance);
    if (dollars) this.accounts.set(`tdollars:${player}`, dollars);
    if (key !== undefined) this.keys.set(player, key);
    if (waiting) this.waitingKeys.set(player, waiting);
    if (nonce) this.nonces.set(player, nonce);
    this.takeLimits(player, part);
    if (offences.length) this.offences.set(player, offences);
    if (until !== undefined) this.until.set(player, until);
    if (refunds.length) this.refunds.set(player, refunds);
    for (const [level, times, end] of early) {
      this.refusals.set(`${player} ${level}`, times);
      this.blocks.set(`${player} ${level}`, end);
    }
  },

  /**
   * Takes a table in; `entryAt` gives the text of an entry before the state. Returns its entries since it rested.
   */
  takeTable(name, part, rules, entryAt) {
    const { event = null, owner = null, replaced_by: replacedBy = null, sealed = [], changes = [], stands } = part;
    this.useTable(name, { owner, replacedBy, sealed });
    if (!stands) {
      if (replacedBy === null) this.closedTables.set(name, owner);
      return [];
    }
    if (!rules.has(stands.rules)) fault(`the rule set of table ${name} is missing`);
    const table = this.tableAtRest(name, { owner, event }, rules.get(stands.rules), stands), { since = [] } = stands;
    const alone = new LoneTable(this, table, stands.epoch), had = [];
    alone.takeDue(table, stands.due);
    if (since.length) {
      table.rest = { ...alone.standsAtRest(table), since };
      for (const index of since) had.push(this.foldAlone(alone, table, index, entryAt));
    }
    for (const [account, balance] of alone.accounts) {
      if (account === `table:${name}` || account.startsWith('seat:')) this.accounts.set(account, balance);
    }
    table.changes = new Map(changes.map(([player, begun, count]) => [player, { since: begun, count }]));
    // Claims about these shoes before the state are unknown to a verifier that begins with it.
    for (const shoe of this.shoesOf(table)) {
      Object.assign(shoe, { unread: true, peeks: [] });
      this.epochs.add(shoe.epoch);
    }
    this.tables.set(name, table);
    return had;
  },

  foldAlone(alone, table, index, entryAt) {
    const wrong = why => fault(`entry ${index}, which table ${table.name} is said to have had since it rested: ${why}`);
    if (index >= this.size) wrong('it does not come before the state');
    try {
      const entry = readEntry(entryAt(index));
      if (!entry.command.start_dealer && (!entry.at || entry.at.table !== table.name)) wrong("it is not the table's");
      alone.judge(entry, index);
      return entry;
    } catch (error) {
      if (!(error instanceof Unsound) || !error.check) throw error;
      return wrong(`${error.message} [${error.check}]`);
    }
  },

  tableAtRest(name, { owner, event }, rules, { idle_ms: idleMs, next_seq: seq, next_shoe: nextShoe, ...stands }) {
    const { down_since: downSince = null, noted, untidy = [], shoe, voided = [] } = stands;
    const table = this.newTable(name, rules, owner, idleMs);
    Object.assign(table, { event, seq, nextShoe, recovering: downSince !== null, downSince });
    const { seats } = noted.cash || noted.betting || { seats: [] };
    if (!seats.every(({ seat }) => seat >= 1 && seat <= rules.table.seats)) fault(`table ${name} has no such seat`);
    if (!this.isPause(rules, noted)) fault(`table ${name} pauses as its rule set does not say`);
    this.putNoted(table, noted);
    for (const [seat, leaving, unseated, topUp] of untidy) {
      if (!table.cash.has(seat)) fault(`an untidy seat of table ${name} is not taken`);
      Object.assign(table.cash.get(seat), { leaving, unseated, topUp });
    }
    table.voids = voided.map(({ round_no: no, time, epoch, missing }) => ({
      no,
      time,
      epoch,
      shoe: { epoch },
      commitments: new Map(missing.map(({ player, commitment }) => [player, commitment])),
      out: new Set(missing.filter(({ out }) => out).map(({ player }) => player)),
    }));
    if (shoe) this.putShoe(table, shoe);
    return table;
  },

  putShoe(
    table,
    { shoe_no: no, composition: text, epoch, candidates, drawn, bettors, last_hand, shuffle_asked, ...use },
  ) {
    const composition = readComposition(text),
      undrawn = new Set(Array.from({ length: composition.slots }, (_, i) => i));
    drawn.forEach(slot => undrawn.delete(slot));
    const betting = !isCash(table), count = gameOf(table.rules).candidates || 1;
    if (candidates.length !== count) fault(`shoe ${no} of table ${table.name} has not ${count} candidate(s)`);
    table.shuffleAsked = betting && shuffle_asked;
    table.shoe = {
      no,
      composition,
      epoch,
      candidates,
      root: candidates[0].root,
      undrawn,
      bettors: betting && bettors ? new Set(bettors) : null,
      lastHand: betting && last_hand,
      faces: new Map(),
      peeks: [],
      rounds: use.rounds,
      since: use.since,
      lastEnd: use.last_round_at ?? null,
      seq: use.from_seq,
      bytes: use.bytes,
    };
  },

  /** The shoes in use at a table: a game's piles, and the one that is dealt from next. */
  shoesOf: ({ live, shoe }) => [...new Set([...(live ? live.piles : []), ...(shoe ? [shoe] : [])])],

  /** The time since which a resting table's duty is due. Whether there is one follows from its state. */
  takeDue(table, [since, deadlineSince]) {
    const { recovering, lastTime } = table, deadline = this.deadlinesOf(table).sort((a, b) => a.at - b.at)[0];
    // A start of the dealer does not change earlier due times.
    table.recovering = false;
    const inOrder = this.dutyInOrder(table), duty = this.dutyOf(table);
    table.recovering = recovering;
    table.due = {
      duty: since && inOrder ? { command: inOrder, since } : null,
      deadline: deadlineSince && deadline ? { ...deadline, since: deadlineSince } : undefined,
    };
    if (recovering) return;
    const first = deadline ? deadline.at : 0, last = deadline ? Math.max(deadline.at, lastTime) : 0;
    const fits = !!duty === since > 0 && since <= lastTime && first <= deadlineSince && deadlineSince <= last;
    if (!fits) fault(`what is due at table ${table.name}, or since when, is not what follows from how it stands`);
  },

  /**
   * A log ends with all tables in order and no round in play, for another log whose key can sign: another state is not
   * that of an ended log.
   */
  checkEnded() {
    if (!this.ended) return;
    const { origin, key } = this.ended, recovering = [...this.tables.values()].some(table => table.recovering);
    if (origin === this.start.origin || !ed25519.usable(unhex(key, 32)) || recovering || this.whatIsInPlay())
      fault('the log is said to have ended, and cannot have ended so');
  },

  /** Whether the time from which the house can be late is valid. */
  checkReady(ready) {
    const recovering = [...this.tables.values()].some(table => table.recovering);
    const fits = ready === undefined ? recovering : !recovering && ready >= this.startedAt && ready <= this.time;
    if (!fits) fault('the time from which on the house is ready is left out, or cannot be');
  },
});

/**
 * The house after `size` entries with these lines, its root, and its tables' entries since they rested.
 */
function houseOfState(size, bytes, entryAt) {
  const { lines, parts } = readStateLines(bytes), house = new House(false), root = rootOfLines(lines);
  const of = kind => parts.filter(([other]) => other === kind);
  const [[, , log] = fault('the state has no part `log`')] = of('log'), had = [];
  Object.assign(house, { size, lastRoot: size % STATE_INTERVAL ? null : root });
  house.takeLog(log);
  for (const [, player, part] of of('player')) house.takePlayer(player, part);
  for (const [, origin, part] of of('known')) house.takeKnown(origin, part);
  for (const [, no, part] of of('wallet')) house.takeOperation(Number(no), part);
  const rules = new Map(of('rules').map(([, digest, part]) => [digest, part]));
  for (const [, event, holders] of of('tickets')) house.tickets.set(event, new Map(holders));
  const ofEvent = (kind, event) => of(kind).map(([, key, part]) => [...key.split('/'), part])
    .filter(([name]) => name === event).map(([, one, part]) => [one, part]);
  for (const [, event, part] of of('event'))
    house.takeEvent(
      event,
      part,
      ofEvent('entry', event).map(([no, one]) => [Number(no), one]),
      ofEvent('entrant', event),
    );
  const lost = parts.find(([kind, key]) => ['entry', 'entrant'].includes(kind) && !house.events.has(key.split('/')[0]));
  if (lost) fault(`there is no tournament of ${lost[1]}`);
  for (const [, name, part] of of('table')) had.push(...house.takeTable(name, part, rules, entryAt));
  house.checkEventTables();
  house.checkReady(log.ready);
  house.checkEnded();
  // One state has one text: a part that is missing, repeated or out of order makes it invalid.
  if (playTotal(house.accounts) !== 0n) fault('its play chips do not sum to zero');
  if (house.stateRoot() !== root) fault('the state that these lines make is written otherwise');
  return { house, root, had };
}

/** The checks that an audit from a state omits. */
const FROM_NOT_CHECKED = [
  'the entries before the state: balances, seats, keys, offences and all else in it are taken as given',
  'what was shown before of the shoes that were in use: their seeds are held against what was shown since',
  'rounds that were void before: how default play would have finished them',
  'whether an epoch, a root or a seed of these entries was used before',
  'whether the accounts add up from the log\'s beginning: that they do since is checked',
];

/** The first entry that names the state of that size, `{index, root}`. */
function namedState(lines, size) {
  for (let index = size; index < Math.min(lines.length, size + STATE_INTERVAL); index++) {
    const line = lines[index];
    if (!line.includes('"note_state"')) continue;
    let entry = null;
    try { entry = readEntry(line); } catch (error) { if (!(error instanceof Unsound)) throw error; }
    const named = entry && entry.command.note_state;
    if (named && named.size === size) return { index, root: named.root };
  }
  return null;
}

/** The start of an audit that takes the state of `size` entries as given: its lines are those that the log names. */
function beginGiven(log, { size, bytes }) {
  const { length } = log.lines,
    entryAt = index => (log.lines[index] === undefined ? log.before(index) : log.lines[index]);
  if (size === 0 || size >= length)
    throw new Unusable(`the log has ${length} entries: there is none after a state of ${size}`);
  const refused = why => new Unusable(`the state of ${size} entries is not what this log names: ${why}`);
  let begun;
  try {
    begun = houseOfState(size, bytes, entryAt);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    throw refused(error.message);
  }
  const named = namedState(log.lines, size), { house, root, had } = begun, tables = [...house.tables.values()];
  if (!named) throw new Unusable(`the log names no state of ${size} entries`);
  if (named.root !== root) throw refused(`it has the root ${root}, entry ${named.index} names ${named.root}`);
  for (const index of [named.index, ...tables.flatMap(({ rest }) => (rest ? rest.since : []))]) {
    const leaf = log.servedLeaf ? log.servedLeaf(index) : log.leaves[index];
    if (!sameBytes(leafHash(utf8(entryAt(index))), leaf))
      throw refused(`entry ${index} was served otherwise than it is on the log`);
  }
  const count = list => list.reduce((total, { length }) => total + length, 0);
  const given = {
    size,
    root,
    time: house.time,
    players: house.players.size,
    tables: tables.length,
    rounds: tables.filter(({ live }) => live).length,
    shoes: count(tables.map(table => house.shoesOf(table))),
    voids: count(tables.map(({ voids }) => voids)),
    cage: house.accounts.get('cage'),
    named_in: named.index,
    not_checked: FROM_NOT_CHECKED,
  };
  return { house, had, given };
}

const givenWords = ({ size, time, named_in: index, root, players, tables, rounds, shoes, voids, not_checked: not }) => [
  `Given: the state after ${size} entries, at ${clock(time)}, as entry ${index} names it, root ${root}: ` +
    `${players} players, ${tables} open tables, ${rounds} rounds in play, ${shoes} shoes in use, ${voids} void ` +
      'rounds awaiting seeds.',
  ...not.map(what => `Not checked: ${what}.`),
];

// Evidence kept by others, compared with a log: spec/audit.md, "Evidence from outside"; spec/receipts.md, "Received and
// refused".

const RECEIVED = 'fairshoe received/v1', REFUSED = 'fairshoe refused/v1';
const LONGEST_NOTE = 131072;
/** For a tournament, besides seeds: an entry, chips for it, an answer. */
const RECEIVABLE_OF_EVENT = ['register', 'unregister', 'rebuy', 'add_on', 'answer_deal'];
/** Commands whose receipt the house signs, so that their refusal can be compared with the log. */
const RECEIVABLE = [
  'reveal', 'late_seed', 'commit_seed', 'commit_hand_seed', 'withdraw_hand_seed', 'bet', 'act', 'cancel_bet',
  'reveal_seat_seed', ...RECEIVABLE_OF_EVENT,
];
/** A command's name; for a tournament's, the inner name. */
const wordOf = command => Object.keys(command.tournament || command)[0];
/** The table or the event of a command. */
const placeOf = command => {
  const [fields] = Object.values(command.tournament || command);
  return command.tournament ? fields.event : fields.table;
};

/** A command from its one text on the log. */
function readCommand(text) {
  let command;
  try { command = JSON.parse(text); } catch (error) { fault('the command is not JSON'); }
  if (JSON.stringify(command) !== text) fault('the command is not in its one encoding');
  if (
    !oneField(command) ||
    !Object.hasOwn(commandForm, Object.keys(command)[0]) ||
    !Object.values(command).every(fields => commandForm[Object.keys(command)[0]](fields))
  )
    fault('the command has unknown, missing or malformed fields');
  return command;
}

/** The last line of such a note: the player's signature as an entry holds it, or `-`. */
function readSigned(text) {
  if (text === '-') return undefined;
  let signed = null;
  try { signed = JSON.parse(text); } catch (error) { /* said below */ }
  if (!isSignature(signed) || JSON.stringify(signed) !== text)
    fault("the note's last line is neither a signature in its one encoding nor `-`");
  return signed;
}

/** The text of a note about a command that reached the house or was refused; null for another note. */
function readWord(text, origin) {
  const lines = text.split('\n'), [kind] = lines;
  if (kind !== RECEIVED && kind !== REFUSED) return null;
  const [time, ...rest] = lines.slice(2, -1),
    code = kind === REFUSED ? rest.shift() : null,
    [by, command, signed] = rest;
  if (lines.length !== (code === null ? 7 : 8)) fault('the note has too few lines, or too many');
  if (lines[1] !== origin) fault(`the note is of ${quote(lines[1])}, not of ${quote(origin)}`);
  if (decimal(time) === null || !isCount(Number(time))) fault('the note\'s time is not a decimal below 2^53');
  if (code !== null && !/^[a-z0-9_]{1,64}$/.test(code)) fault('the note\'s code is malformed');
  if (!isActor(by)) fault('the note\'s actor is malformed');
  const word = { kind, time: Number(time), code, by, command: readCommand(command), signed: readSigned(signed) };
  if (kind === RECEIVED && !RECEIVABLE.includes(wordOf(word.command)))
    fault('the note is of a command for which no house signs');
  return word;
}

/**
 * Pieces of evidence, each verified under the log's key before use; unverified ones are refused as Unusable.
 */
class Kept {
  /** `key` is the log's, parsed; `policy` parsed, or null; `earlier` are the log's other known keys. */
  constructor(key, policy, earlier) {
    if (key.key && policy && policy.witnesses.some(witness => sameBytes(witness.key, key.key)))
      throw new Unusable(`the policy names the key of ${key.name} as a witness: a log is not its own witness`);
    Object.assign(this, {
      key,
      witnesses: policy ? policy.witnesses : [],
      quorum: policy ? policy.quorum : 'none',
      others: [...earlier, ...(policy ? policy.logs : [])].filter(
        log => log.name === key.name && !sameBytes(log.key, key.key),
      ),
    });
    Object.assign(this, { checkpoints: [], receipts: [], words: [], changed: [] });
  }

  /** From a file: its name, bytes, and the entry that belongs to a receipt, or null. */
  add(name, bytes, entry) {
    this.at(name, () => {
      const text = strictText(bytes, 'the file');
      if (text.startsWith('c2sp.org/')) this.receipt(bytes, entry, name);
      else if (text.startsWith('{')) this.json(text, name);
      else this.note(bytes, name);
    });
  }

  at(where, action) {
    try {
      return action();
    } catch (error) {
      if (error instanceof Unsound) throw new Unusable(`${where} is no evidence: ${error.message}`);
      throw error;
    }
  }

  /** A signed note: a checkpoint, or the house's statement on a command. */
  note(bytes, where, seen = Infinity) {
    let opened;
    try {
      opened = openNote(bytes, [this.key, ...this.witnesses]);
      if (!opened.signed.some(({ key }) => key === this.key)) fault('the log\'s key did not sign it');
    } catch (error) {
      if (!(error instanceof Unsound) || !this.others.length) throw error;
      const { signed } = openNote(bytes, this.others);
      this.changed.push({ where, key: signed[0].key.text });
      return null;
    }
    const { text, signed } = opened, word = readWord(text, this.key.name);
    if (word) {
      if (bytes.length > LONGEST_NOTE) fault('the note is longer than 131,072 bytes');
      this.words.push({ ...word, where });
      return null;
    }
    const checkpoint = readCheckpointText(text);
    if (checkpoint.origin !== this.key.name)
      fault(`the checkpoint is of ${quote(checkpoint.origin)}, not of ${quote(this.key.name)}`);
    const cosigned = signed.filter(({ time }) => time !== undefined)
      .map(({ key, time }) => ({ key, at: Number(time) * 1000 }));
    // With a clock that was ahead the log may have signed too late a time; the note's keeper knew that.
    const own = ownTime(bytes, this.key), ownAt = own === null ? -Infinity : Math.min(Number(own), seen) * 1000;
    this.checkpoints.push({ ...checkpoint, cosigned, ownAt, where });
    return checkpoint;
  }

  receipt(bytes, entry, where) {
    const { index, path, checkpoint: note } = readReceipt(bytes), checkpoint = this.note(note, where);
    if (!checkpoint || !entry) return;
    const leaf = leafHash(entry);
    checkInclusion(leaf, index, checkpoint.size, path, checkpoint.root);
    this.receipts.push({ index, leaf, where });
  }

  /** A saved reply, or a file of lines: a history of checkpoints, or a reply that came in two. */
  json(text, name) {
    let whole = null;
    try { whole = JSON.parse(text); } catch (error) { /* lines, perhaps */ }
    if (whole !== null && whole.note === undefined) { this.plain(text); this.reply(whole, name); return; }
    const lines = text.split('\n');
    if (lines[lines.length - 1] === '') lines.pop();
    // A monitor writes each checkpoint; most of them repeat the one before.
    let before = null;
    lines.forEach((line, i) => this.at(`${name} line ${i + 1}`, () => {
      if (utf8(line).length > 524287) fault('the line is longer than 512 KiB');
      let json = null;
      try { json = JSON.parse(line); } catch (error) { /* said below */ }
      if (!isObject(json)) fault('it is no JSON object');
      this.plain(line);
      if (json.note === undefined) { this.reply(json, `${name} line ${i + 1}`, i > 0); return; }
      if (!isCount(json.time) || !/"time"\s*:\s*[0-9]+\s*[,}]/.test(line) || typeof json.note !== 'string')
        fault('a line holds time, in whole seconds, and note');
      if (json.note !== before) this.note(utf8(json.note), `${name} line ${i + 1}`, json.time);
      before = json.note;
    }));
  }

  plain(text) { const twofold = ambiguity(text); if (twofold && twofold.startsWith('the field')) fault(twofold); }

  reply(json, where, mayBeEmpty = false) {
    const receipts = receiptsIn(json), words = wordsIn(json);
    if (!receipts.length && !words.length && !mayBeEmpty) fault('it holds no receipt and no note');
    const unproven = unprovenWords(receipts);
    if (unproven) fault(unproven);
    for (const { proof, entry } of receipts) this.receipt(utf8(proof), utf8(entry), where);
    for (const note of words) this.note(utf8(note), where);
  }
}

/** The notes `received` and `refused` in a saved reply, at any depth. */
function wordsIn(value, found = [], depth = 0) {
  if (depth > 16 || found.length > 10000 || value === null || typeof value !== 'object') return found;
  for (const [name, inner] of Object.entries(value)) {
    if ((name === 'received' || name === 'refused') && typeof inner === 'string') found.push(inner);
    else wordsIn(inner, found, depth + 1);
  }
  return found;
}

/** The roots of the first 0, 1, 2 … entries. */
function rootsOf(leaves) {
  const roots = [treeRoot([])], stack = [];
  for (const leaf of leaves) {
    let node = { hash: leaf, width: 1 };
    while (stack.length && stack[stack.length - 1].width === node.width)
      node = { hash: nodeHash(stack.pop().hash, node.hash), width: 2 * node.width };
    stack.push(node);
    roots.push(stack.reduceRight((right, { hash }) => (right ? nodeHash(hash, right) : hash), null));
  }
  return roots;
}

/** A log dates no entry earlier than this before its own time (spec/log.md, "The log's own time"). */
const OWN_TIME_MS = 45000;

/** Whether the policy's quorum cosigned at times for which `holds` is true. */
const isMet = (quorum, cosigned, holds) =>
  quorumMet(quorum, cosigned.filter(({ at }) => holds(at)).map(({ key }) => key));

/** The latest time since which the policy's quorum has seen no more; -Infinity if too few cosigned. */
function newestAt(quorum, cosigned) {
  return Math.max(
    -Infinity,
    ...cosigned.map(({ at }) => at).filter(since => isMet(quorum, cosigned, at => at >= since)),
  );
}

/** The earliest time at which the policy's quorum had seen it; Infinity if too few cosigned. */
function quorumAt(quorum, cosigned) {
  return Math.min(
    Infinity,
    ...cosigned.map(({ at }) => at).filter(until => isMet(quorum, cosigned, at => at <= until)),
  );
}

/**
 * Each tree once, by size, with the cosignatures of all notes: for each witness the first and the last time suffice.
 */
function treesOf(checkpoints) {
  const trees = new Map();
  for (const { size, root, cosigned, ownAt, where } of checkpoints) {
    const name = `${size} ${base64(root)}`;
    if (!trees.has(name)) trees.set(name, { size, ownAt, times: new Map(), where });
    const tree = trees.get(name);
    tree.ownAt = Math.max(tree.ownAt, ownAt);
    for (const { key, at } of cosigned) {
      const known = tree.times.get(key.text);
      if (!known) tree.times.set(key.text, { key, first: at, last: at });
      else Object.assign(known, { first: Math.min(known.first, at), last: Math.max(known.last, at) });
    }
  }
  const bySize = (one, other) => (one.size < other.size ? -1 : Number(one.size > other.size));
  return [...trees.values()].sort(bySize).map(({ times, ...tree }) => ({
    ...tree,
    cosigned: [...times.values()].flatMap(({ key, first, last }) => [{ key, at: first }, { key, at: last }]),
  }));
}

/**
 * Contradictions between receipts or checkpoints and the log, as findings; and `doubt`, contradictions that convict no
 * one, in words. `times` are those of the readable entries.
 */
function heldAgainst(kept, leaves, roots, times, { skew, delay }) {
  const findings = [],
    find = (check, message, entry) => findings.push({ check, ...(entry === undefined ? {} : { entry }), message });
  for (const { where, key } of kept.changed)
    find('key_changed', `${where}: signed for ${kept.key.name} with another key, ${key}`);
  for (const { index, leaf, where } of kept.receipts) {
    if (index >= leaves.length)
      find(
        'ack_missing',
        `${where}: the receipt is of entry ${index}, the log has ${leaves.length} entries`,
        Number(index),
      );
    else if (!sameBytes(leaf, leaves[Number(index)]))
      find('ack_differs', `${where}: the receipt is of another entry than the log has at that place`, Number(index));
  }
  for (const { size, root, where } of kept.checkpoints) {
    if (size > leaves.length)
      find('truncated', `${where}: the log's key signed a checkpoint of ${size} entries, the log has ${leaves.length}`);
    else if (!sameBytes(root, roots[Number(size)]))
      find(
        'fork',
        `${where}: the log's key signed root ${base64(root)} over ${size} entries; the first ${size} of this log ` +
          `have root ${base64(roots[Number(size)])}`,
      );
  }
  const trees = treesOf(kept.checkpoints);
  // For each tree: since when the policy's quorum had seen it or a larger one.
  const seenAt = trees.map(({ cosigned }) => quorumAt(kept.quorum, cosigned));
  for (let i = trees.length - 2; i >= 0; i--) seenAt[i] = Math.min(seenAt[i], seenAt[i + 1]);
  let doubt = null;
  trees.forEach(({ size, cosigned, ownAt, where }, i) => {
    if (size > leaves.length) return;
    const last = Number(size) - 1, next = times[last + 1], isBefore = at => next < at - skew - delay,
      isBeforeOwn = at => next < at - skew - Math.max(delay, OWN_TIME_MS),
      earliest = Math.min(Infinity, ...cosigned.map(({ at }) => at)), latest = newestAt(kept.quorum, cosigned);
    if (isBeforeOwn(ownAt))
      find(
        'time_witnessed',
        `${where}: the entry is dated ${clock(next)}; at ${clock(ownAt)} the log signed that it ended before it`,
        last + 1,
      );
    // If a quorum had seen a larger tree in time, the witnesses were shown an old one.
    if (isBefore(latest) && !(i + 1 < trees.length && !isBefore(seenAt[i + 1])))
      doubt = doubt ||
        `${where}: entry ${last + 1} is dated ${clock(next)}; at ${clock(latest)} the witnesses saw the log end ` +
        'before it, and the log has not signed that it did. Either it was written later than it says, or somebody ' +
        'showed the witnesses an old checkpoint; no kept note says which';
    // A cosignature's time is in whole seconds.
    if (times[last] > earliest + 999 + skew)
      find(
        'time_witnessed',
        `${where}: the entry is dated ${clock(times[last])}; a witness saw it at ${clock(earliest)}`,
        last,
      );
  });
  return { findings, doubt };
}

/** The house's statements on commands, compared with the log's states from their time on. */
class Words {
  constructor(words) {
    this.open = words
      .filter(({ command }) => RECEIVABLE.includes(wordOf(command)))
      .map(word => ({ ...word, at: undefined, accepted: true }));
    this.awaited = [];
    this.findings = [];
    this.done = new Set();
  }

  /** The states before and at this time are unknown. */
  beginAfter(time) {
    this.begun = true;
    this.open = this.open.filter(word => word.time > time);
  }

  /** Whether the rules accept a command at the statement's time, with the signature in it. */
  accepts(house, { time, by, command, signed }) { return copyOf(house).refusalAt(time, by, command, signed) === null; }

  /**
   * Whether the house had to accept a received command at any decision time before the next entry: a change of the
   * player's key may take effect at one of these times.
   */
  stillAccepts(house, word, until) {
    const waiting = isPlayerActor(word.by) ? house.waitingKeys.get(word.by.slice(7)) : undefined;
    return !(waiting && waiting.from > word.time && waiting.from <= until) && this.accepts(house, word);
  }

  /**
   * Whether a received command is done: the bets or the commitment are there, or the log has the tournament's command.
   */
  isDone(house, { by, command }) {
    if (!isPlayerActor(by)) return false;
    const { bet, commit_hand_seed: commit } = command, who = by.slice(7), table = house.tables.get(placeOf(command));
    if (bet) {
      const placed = table && table.window && table.window.no === bet.round_no && table.window.bets.get(who);
      return !!placed && quote([placed.bets, placed.commitment]) === quote([bet.bets, bet.commitment]);
    }
    // If the log begins with a state, the entries before it are unknown.
    if (!commit)
      return RECEIVABLE_OF_EVENT.includes(wordOf(command)) && (this.begun || this.done.has(quote([by, command])));
    if (!table) return false;
    if (!table.window) return table.carried.get(who) === commit.commitment;
    const placed = table.window.no === commit.round_no && table.window.bets.get(who);
    return !!placed && placed.commitment === commit.commitment;
  }

  isOwed(house, word, until) { return this.stillAccepts(house, word, until) && !this.isDone(house, word); }

  /** The state between two entries: the next one has this time and place. */
  before(house, { time, command }, index) {
    // A command that the rules refuse now may have been refused before: another choice, or another use of the chips,
    // came first.
    this.awaited = this.awaited.filter(word => this.isOwed(house, word, time));
    for (const word of this.open.filter(other => other.time >= house.time && other.time <= time)) {
      word.at = word.at ?? index - 1;
      // The log may have accepted it at the statement's own time, and replaced it since.
      if (!this.accepts(house, word) || (word.kind === RECEIVED && this.isDone(house, word))) word.accepted = false;
    }
    // A command just before a start may have been lost in a crash.
    if (!command.start_dealer)
      this.open.filter(other => other.time < time).forEach(word => this.close(house, word, time));
    this.open = this.open.filter(word => word.time >= time);
  }

  close(house, word, until) {
    const { kind, code, command, where, at, accepted } = word, name = wordOf(command);
    if (at === undefined || !accepted) return;
    if (kind === REFUSED)
      this.findings.push({
        check: 'refused_wrongly',
        entry: Math.max(0, at),
        message: `${where}: ${name} was refused at ${clock(word.time)} with ${code}; the rules allowed it`,
      });
    else if (this.isOwed(house, word, until)) this.awaited.push(word);
  }

  /** An entry's bearing on received commands, and the state after it. */
  after(house, entry, index) {
    const { by, time, command, events } = entry, place = placeOf(command);
    const miss = what => {
      for (const word of this.awaited) {
        const why = what(word);
        if (!why) continue;
        this.findings.push({
          check: 'received_ignored',
          entry: index,
          message: `${word.where}: ${why}; it had been received at ${clock(word.time)}`,
        });
        word.found = true;
      }
      this.awaited = this.awaited.filter(({ found }) => !found);
    };
    // Some commands have no near deadline: the house has skipped a command if it has not written it a while later.
    miss(word => !command.start_dealer && time > word.time + OVERDUE_GRACE_MS &&
      quote(word.command) !== quote(command) && `${wordsOf(word)} is not on the log at ${clock(time)}`);
    // A start may have lost received commands that were not logged yet.
    if (command.start_dealer) this.awaited = [];
    const isHere = word => place !== undefined && placeOf(word.command) === place;
    for (const event of events) miss(word => isHere(word) && ignoredBy(word, entry, event));
    if (by === 'house')
      miss(word => isHere(word) && !this.accepts(house, word) &&
        `after this command of the house's own ${wordsOf(word)} can be taken no more`);
    if (command.tournament) this.done.add(quote([by, command]));
  }
}

const wordsOf = ({ by, command }) =>
  command.late_seed
    ? `the late seed of ${command.late_seed.player} in round ${command.late_seed.round_no}`
    : `the command ${wordOf(command)} by ${by}`;

/** How an event at the same table skips a command that was received in time, or null. */
function ignoredBy(word, entry, event) {
  const { by, command: { reveal, act, tournament, bet, cancel_bet: back, ...told } } = word;
  const { lapse, tournament: done, act: other, close_bets: bets, close_call: call } = entry.command;
  const { round_voided: voided, pile_failed: failed } = event, acted = event.play && event.play.acted;
  const over = voided && voided.cause === 'reveal_missing' ? voided : failed;
  if (reveal && over && reveal.round_no === over.round_no && over.missing.includes(reveal.player))
    return `round ${over.round_no} is void for want of the seed of ${reveal.player}`;
  if (told.commit_seed && failed && failed.round_no === told.commit_seed.round_no)
    return `pile ${failed.round_no} fails, and ${wordsOf(word)} was not taken`;
  const seed = tournament && tournament.reveal_seat_seed, drawn = done && done.draw_seats;
  if (seed && drawn && seed.draw_no === drawn.draw_no)
    return `draw ${seed.draw_no} is made without the seed of entry ${seed.entry_no}`;
  const answer = tournament && tournament.answer_deal, given = done && done.answer_deal;
  if (answer && given && entry.by === by && answer.digest === given.digest && answer.accept !== given.accept)
    return `the answer of ${by} to the deal is logged otherwise`;
  const atBets = bet || back, atCall = told.commit_hand_seed || told.withdraw_hand_seed;
  if ((atBets && bets && bets.round_no === atBets.round_no) || (atCall && call && call.round_no === atCall.round_no))
    return `round ${(bets || call).round_no} is closed without ${wordsOf(word)}`;
  if (!act) return null;
  if (acted && other && entry.by === by && acted.decision === act.decision && other.decision === act.decision &&
    other.round_no === act.round_no && quote(other.action) !== quote(act.action))
    return `decision ${act.decision} of ${by} in round ${act.round_no} is logged with another choice`;
  if (!lapse) return null;
  if (acted && acted.default && lapse.round_no === act.round_no && acted.decision === act.decision)
    return `decision ${act.decision} of ${acted.player} in round ${act.round_no} is played by default, for want of ` +
      'their choice';
  if (voided && voided.cause === 'abandoned' && voided.round_no === act.round_no)
    return `round ${act.round_no} is abandoned, for want of a choice of ${by.slice(7)}`;
  return null;
}

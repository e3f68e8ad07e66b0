// Judges a user's files: receipts as files or in saved replies, checkpoints, single shoes.

/** Known logs and witnesses: a policy's text, or only a log's key. */
function policyOf(policyBytes, key) {
  return policyBytes ? readPolicy(policyBytes) : { logs: [readLogKey(key)], witnesses: [], groups: [], quorum: 'none' };
}

const receiptWords = result => [
  `Entry ${result.index} is on the log ${result.checkpoint.origin}, which vouches for ${result.checkpoint.size} ` +
    `entries under root ${base64(result.checkpoint.root)}.`,
  `Signed with ${result.key}.`,
  ...result.cosigned.map(({ witness, time }) => `Cosigned by ${witness} at ${clock(Number(time) * 1000)}.`),
];

/** A receipt without its proof, which was requested for later: it has only the fields index and entry. */
const lacksProof = value =>
  isCount(value.index) && typeof value.entry === 'string' && Object.keys(value).length === 2;

/** Words about the first receipt without a proof: its content is unsigned; null if there is none. */
function unprovenWords(receipts) {
  const bare = receipts.find(lacksProof);
  return bare
    ? `the receipt of entry ${bare.index} has no proof: the reply was asked for with proofs=later, and ` +
        `GET /v1/receipts/${bare.index} has it`
    : null;
}

/** The receipts `{index, entry, proof}` in a saved reply, at any depth, and those without a proof. */
function receiptsIn(value, found = [], depth = 0) {
  if (depth > 16 || found.length > 10000 || value === null || typeof value !== 'object') return found;
  if (lacksProof(value) || (typeof value.proof === 'string' && typeof value.entry === 'string')) found.push(value);
  else
    for (const [name, inner] of Object.entries(value))
      // A follower's evidence itself says that pending entries have no proof.
      if (name !== 'pending' || value.fairshoe_follow === undefined) receiptsIn(inner, found, depth + 1);
  return found;
}

/**
 * The verdict on receipts: a .tlog-proof file with the entry's bytes, or JSON that holds receipts. `entry` is bytes or
 * null, `policy` bytes or null, `key` a verifier key or null.
 */
function verifyReceipts(fileBytes, entry, policyBytes, key) {
  const report = { verdict: 'not_sound', findings: [], story: [], key: null, key_trusted: true };
  const list = [];
  if (sameBytes(fileBytes.slice(0, 9), ascii('c2sp.org/'))) {
    if (!entry) throw new Unusable('a .tlog-proof file does not hold the entry: give its exact bytes');
    list.push({ proof: fileBytes, entry, index: null });
  } else {
    let json;
    try {
      json = JSON.parse(strictText(fileBytes, 'the file'));
    } catch (error) {
      throw new Unusable(`this is neither a .tlog-proof file nor JSON: ${error.message}`);
    }
    const receipts = receiptsIn(json), unproven = unprovenWords(receipts);
    if (unproven) throw new Unusable(unproven);
    for (const { proof, entry: text, index } of receipts)
      list.push({ proof: utf8(proof), entry: utf8(text), index: isCount(index) ? index : null });
    if (!list.length) throw new Unusable('no receipt is in this JSON: it has the fields index, entry and proof');
  }
  if (!policyBytes && !key) throw new Unusable('a receipt needs a policy, or the log\'s key, got by a way you trust');
  let policy;
  try {
    policy = policyOf(policyBytes, key);
  } catch (error) {
    throw new Unusable(`the ${policyBytes ? 'policy' : 'key'} cannot be used: ${error.message}`);
  }
  try {
    for (const { proof, entry: bytes, index } of list) {
      const result = under('receipt', () => verifyReceipt(proof, bytes, policy));
      if (index !== null && BigInt(index) !== result.index)
        unsound('receipt', `the receipt is of entry ${result.index}, not of ${index}`);
      report.key = result.key;
      report.story.push(...receiptWords(result));
    }
    report.verdict = 'sound';
    report.story.push(
      `SOUND. ${list.length === 1 ? 'The receipt holds' : `All ${list.length} receipts hold`}: that an entry is on ` +
        'the log does not say that it follows the rules; check the round for that.',
    );
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    report.findings.push({ check: error.check, message: error.message });
    report.story.push(`NOT SOUND. ${error.message} [${error.check}]`);
  }
  return report;
}

/** The verdict on a signed checkpoint alone, under a policy or the log's key. */
function verifyCheckpoint(bytes, policyBytes, key) {
  const report = { verdict: 'not_sound', findings: [], story: [], key: null, key_trusted: true };
  if (!policyBytes && !key) throw new Unusable("a checkpoint needs a policy, or the log's key, got by a way you trust");
  let policy;
  try {
    policy = policyOf(policyBytes, key);
  } catch (error) {
    throw new Unusable(`the ${policyBytes ? 'policy' : 'key'} cannot be used: ${error.message}`);
  }
  try {
    under('checkpoint', () => {
      const { text, signed } = openNote(bytes, [...policy.logs, ...policy.witnesses]),
        checkpoint = readCheckpointText(text);
      const log = signed.find(line => line.key.type === LOG_KEY && line.key.name === checkpoint.origin);
      if (!log) fault(`no known log by the name ${quote(checkpoint.origin)} signed the checkpoint`);
      const cosigners = signed.filter(line => line.key.type === WITNESS_KEY);
      if (!quorumMet(policy.quorum, cosigners.map(line => line.key))) fault('the policy\'s quorum is not met');
      report.key = log.key.text;
      report.checkpoint = { origin: checkpoint.origin, size: String(checkpoint.size), root: base64(checkpoint.root) };
      report.story.push(
        `The log ${checkpoint.origin} vouches for ${checkpoint.size} entries under root ${base64(checkpoint.root)}.`,
        ...cosigners.map(({ key: witness, time }) => `Cosigned by ${witness.name} at ${clock(Number(time) * 1000)}.`));
    });
    report.verdict = 'sound';
    report.story.push(
      "SOUND. The signature is the log's. That others see the same log only witnesses, or a comparison, can show.",
    );
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    report.findings.push({ check: error.check, message: error.message });
    report.story.push(`NOT SOUND. ${error.message} [${error.check}]`);
  }
  return report;
}

/** The allowed difference between the clocks of witnesses and auditor; and the allowed delay of a witness. */
const SKEW_MS = 2000, DELAY_MS = 60000;

/**
 * The data for checking a log: `key`, a verifier key; `checkpoint` and `policy`, files' bytes; `kept`, a list of
 * `{name, bytes, entry}`; `earlier`, other known keys of the log; `skew` and `delay` in milliseconds; `now`, the
 * auditor's clock. Each may be missing.
 */
function readGiven({
  key,
  checkpoint,
  policy: policyBytes,
  kept = [],
  earlier = [],
  skew = SKEW_MS,
  delay = DELAY_MS,
  now = null,
}) {
  const policy = policyBytes ? readPolicyOrUnusable(policyBytes) : null,
    names = key || (policy && policy.logs.length === 1 ? policy.logs[0].text : null);
  if ((kept.length || checkpoint) && !names)
    throw new Unusable("to hold something against a log takes the log's key, got by a way you trust");
  let logKey = null, before = [];
  try {
    logKey = names && readLogKey(names);
    before = earlier.map(readLogKey);
  } catch (error) {
    throw new Unusable(`the key cannot be used: ${error.message}`);
  }
  const evidence = new Kept(logKey || { name: null }, policy, before);
  kept.forEach(file => evidence.add(file.name, file.bytes, file.entry || null));
  return { key: logKey, checkpoint, evidence, any: kept.length > 0, skew, delay, now };
}

/**
 * Checks that the log's key signed exactly these entries, and that the tiles with them are theirs. This comes first:
 * unsigned bytes give no verdict, whoever serves them.
 */
function requireSigned({ key, checkpoint }, { leaves, tile }) {
  const refused = message => { throw new Unusable(`this is not what the log signed: ${message}`); };
  try {
    if (key && checkpoint) {
      const ofName = readNote(checkpoint).signatures.filter(line => line.name === key.name);
      if (ofName.length && !ofName.some(line => line.id === key.id))
        refused(`${key.name} is signed with another key, ${ofName[0].id}, than the one that was known, ${key.id}`);
      const { size, root } = openCheckpoint(checkpoint, key), made = treeRoot(leaves);
      if (size !== BigInt(leaves.length)) refused(`the checkpoint is of ${size} entries, there are ${leaves.length}`);
      if (!sameBytes(root, made)) refused(`the entries have root ${base64(made)}, signed is ${base64(root)}`);
    }
    if (tile) checkTiles(leaves, tile);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    refused(error.message);
  }
}

/** The open items at the log's end: live rounds, and shoes of which a round was closed. */
function leftOpen(house) {
  return [...house.tables.values()]
    .filter(({ live, shoe }) => live || (shoe && shoe.rounds))
    .map(({ name, live, shoe: inUse }) => {
      const shoe = live ? live.shoe : inUse;
      return {
        table: name,
        ...(live ? { round: live.no } : {}),
        shoe: shoe.no,
        rounds: shoe.rounds,
        shown: shoe.faces.size,
        since: shoe.since,
      };
    });
}

const openWords = ({ table, round, shoe, rounds, shown, since }, now) =>
  `Table ${table}: ${round === undefined ? '' : `round ${round} is in play; `}the seed of shoe ${shoe} is not out: ` +
  `${rounds} round(s) dealt from it, ${shown} card(s) shown, committed ${clock(since)}, ` +
  `${Math.max(0, Math.floor((now - since) / 60000))} minutes ago.`;

/**
 * Who vouches that a log is the one others see: the verdict alone only says that its entries fit each other.
 */
function vouchedWords({ key, checkpoint, any }) {
  if (!key)
    return `No key was named${checkpoint ? '' : ' and no checkpoint given'}: NO SIGNATURE WAS CHECKED, nobody ` +
      'vouches for these being the entries of a log that others see.';
  if (checkpoint) return `The checkpoint over them is judged by the key you named, ${key.text}.`;
  if (any)
    return 'Their checkpoint was not given: of these entries only what was kept is judged by the key you named, ' +
      `${key.text}.`;
  return `No checkpoint was given: NO SIGNATURE WAS CHECKED, the key you named, ${key.text}, was held against the ` +
    `log's name alone.`;
}

/** A log as `{lines, leaves}`, from its text with one entry on each line; `leaves` are made on request. */
function logOfText(text) {
  const lines = text.split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  if (!lines.length) throw new Unusable('this is no log: it has no entry');
  let made = null;
  return { lines, get leaves() { made = made || lines.map(line => leafHash(utf8(line))); return made; } };
}

/**
 * The place of all chips of a whole log at its end, by its commands and results alone: spec/audit.md, "How an entry is
 * checked".
 */
class Totals {
  constructor() {
    Object.assign(this, { paidIn: 0n, house: 0n, inPlay: new Map() });
    const none = () => ({ commands: {}, taken: 0n });
    this.byPlayers = { signed: none(), operators_keys: none(), unsigned: none() };
    this.byOperator = {};
    // For each player for whom the operator named a key: whether the first is theirs, and the one from a time on.
    Object.assign(this, { operatorsKeys: new Map(), carries: false });
  }

  /** Whether the operator named the key under which a player signs, as far as the entries read tell. */
  isOperatorsKey(player, time) {
    const { first = false, later = null } = this.operatorsKeys.get(player) || {};
    return later && later.from <= time ? later.theirs : first;
  }

  /** Records who named an entry's keys. Keys carried over from an old log belong to that log. */
  noteKeys({ by, time, command, events }) {
    const carrying = ['create_player', 'credit', 'set_limit', 'exclude', 'open_table'].includes(wordOf(command));
    this.carries = !!command.continue_log || (this.carries && by === 'operator' && carrying);
    for (const { key_set: { player, key, from } } of events.filter(event => event.key_set)) {
      const first = this.isOperatorsKey(player, time), theirs = key !== undefined;
      if (by !== 'operator' || this.carries) this.operatorsKeys.delete(player);
      else this.operatorsKeys.set(player, from === undefined ? { first: theirs } : { first, later: { from, theirs } });
    }
  }

  /** Counts commands in a player's name, signed or unsigned; seeds prove themselves. */
  count(entry) {
    const { by, time, command, events, signed } = entry, name = wordOf(command);
    const isOperators = signed && this.isOperatorsKey(by.slice(7), time);
    const whose = this.byPlayers[isOperators ? 'operators_keys' : signed ? 'signed' : 'unsigned'];
    this.noteKeys(entry);
    if (by === 'operator') this.byOperator[name] = (this.byOperator[name] || 0) + 1;
    const isSeed = ['reveal', 'late_seed', 'reveal_seat_seed'].includes(name);
    if (!isPlayerActor(by) || isGuest(by.slice(7)) || isSeed) return;
    whose.commands[name] = (whose.commands[name] || 0) + 1;
    const lines = events.flatMap(({ posted }) => (posted ? posted.lines : []));
    const net = sum(lines.filter(([account]) => account === by).map(([, amount]) => amount));
    if (net < 0) whose.taken -= BigInt(net);
  }

  /**
   * Begins with a state; payments of rounds in play, in the entries since their tables rested, are in the house's
   * account.
   */
  begin({ accounts }, had) {
    had.forEach(entry => this.after(entry));
    this.paidIn = -BigInt(accounts.get('cage'));
    this.house = BigInt(accounts.get('house')) + BigInt(accounts.get('rake'));
    for (const paid of this.inPlay.values()) this.house -= paid;
  }

  after({ at, command: { credit, withdraw, correct, tournament }, events }) {
    const table = at && at.table,
      net = ({ stake, staked = stake, returned }) => BigInt(staked) - BigInt(returned),
      won = lines => lines.reduce((total, line) => total + net(line), 0n);
    this.paidIn += BigInt(credit ? credit.amount : withdraw ? -withdraw.amount : 0);
    this.house += BigInt(correct ? correct.amount : 0);
    // Fees minus overlays: the tournament's rules have told each. Its chips are no money.
    if (tournament)
      for (const [account, amount] of events.flatMap(({ posted }) => (posted ? posted.lines : [])))
        if (account === 'house') this.house += BigInt(amount);
    if (at && (isOfEvent(table) || isForPlay(table))) return;
    for (const { play, round_settled: settled, round_voided: voided } of events) {
      if (play && play.paid) this.inPlay.set(table, (this.inPlay.get(table) || 0n) + won(play.paid.lines));
      if (!settled && !voided) continue;
      // A hand of poker leaves its rake; payments of a void round came back, except for the parts in its results.
      this.house += won((settled || voided).players);
      this.inPlay.delete(table);
    }
  }

  check({ accounts }) {
    const of = name => BigInt(accounts.get(name)),
      house = [...this.inPlay.values()].reduce((total, paid) => total + paid, this.house);
    // Each is a number below 2^53; the sum may be larger.
    if ([...accounts.values()].reduce((total, n) => total + BigInt(n), 0n) !== 0n)
      unsound('ledger_total', 'the accounts do not sum to zero');
    if (playTotal(accounts) !== 0n) unsound('ledger_total', 'the accounts of play chips do not sum to zero');
    if (of('cage') !== -this.paidIn)
      unsound('ledger_cage', `${this.paidIn} were paid in and not out again, the cage stands at ${of('cage')}`);
    if (of('house') + of('rake') !== house)
      unsound(
        'ledger_house',
        `the rounds and corrections gave house and rake ${house}, their accounts stand at ${of('house') + of('rake')}`,
      );
  }
}

/** In the form of a report: a sum that some JSON readers cannot hold exactly is a text. */
const plainSums = ({ signed, operators_keys: operators, unsigned }) => {
  const plain = ({ commands, taken }) => ({
    commands, taken: taken <= Number.MAX_SAFE_INTEGER ? Number(taken) : String(taken),
  });
  const named = Object.keys(operators.commands).length ? { operators_keys: plain(operators) } : {};
  return { signed: plain(signed), ...named, unsigned: plain(unsigned) };
};

const countsInWords = counts => Object.entries(counts).sort().map(([name, n]) => `${name} ${n}`).join(', ');

/** The parts that rest on the house's claims. */
function unsignedWords({ signed, operators_keys: operators, unsigned }) {
  const total = ({ commands }) => Object.values(commands).reduce((all, n) => all + n, 0);
  const named = operators
    ? [`${total(operators)} commands, which took ${operators.taken}, are signed with keys that the operator named ` +
      `for players (${countsInWords(operators.commands)}).`]
    : [];
  if (!total(unsigned)) return named;
  const kinds = countsInWords(unsigned.commands);
  return [
    ...named,
    `${total(unsigned)} commands in the names of players without a key, which took ${unsigned.taken} from them, rest ` +
      `on the house's word alone (${kinds}); beside ${total(signed)} that players signed, which took ${signed.taken}.`,
  ];
}

/** Follows a log from its first entry on: returns the house at its end, and the failed check. */
function followed(log, given, words = new Words([]), begun = null) {
  const { lines } = log,
    house = begun ? begun.house : new House(false),
    first = begun ? begun.given.size : 0,
    totals = new Totals(),
    times = [],
    findings = [];
  const held = given.any || lines.some(line => line.includes('"saw":{')),
    leaves = held ? log.leaves : [],
    roots = held ? rootsOf(leaves) : [];
  if (given.key) house.origin = given.key.name;
  requireSigned(given, log);
  let entries = 0, balances = {};
  const judge = (line, index) => {
    const entry = readEntry(line);
    times[index] = entry.time;
    words.before(house, entry, index);
    house.judge(entry, index);
    words.after(house, entry, index);
    totals.after(entry);
    totals.count(entry);
    checkSaw(entry, index, roots);
    entries++;
  };
  if (begun) {
    totals.begin(house, begun.had);
    words.beginAfter(house.time);
  }
  try {
    for (let index = first; index < lines.length; index++) located(index, undefined, () => judge(lines[index], index));
    totals.check(house);
    balances = Object.fromEntries(house.accounts);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    const { check, entry, message } = error;
    findings.push({ check, ...(entry === undefined ? {} : { entry }), message });
  }
  return { house, findings, times, leaves, roots, entries, balances, totals };
}

/**
 * Words about the old log; `old` if it was read. Attack: a house hides the shoes that it dealt from in a log that it
 * leaves, and the new one is called sound.
 */
function oldLogWords({ origin, size }, old) {
  if (!old)
    return [`It goes on from ${origin} at its ${size} entries, which were not read: add --continues with that log.`];
  const { entries, open, verdict, goes_on_from: older, old_log: before = null, wallet_late: late } = old;
  const word = verdict === 'sound' ? 'SOUND' : 'SOUND SO FAR';
  return [
    `It goes on from the ${entries} entries of ${origin}, which are ${word}: what stood at that end is carried over.`,
    ...(older ? oldLogWords(older, before) : []),
    ...(late ? [`${late} operation(s) of the wallet waited there for more than three days.`] : []),
    ...open.map(({ table, round, shoe, rounds, shown }) =>
      `Of that log, table ${table}: ${round === undefined ? '' : `round ${round} was in play; `}the seed of shoe ` +
        `${shoe} never came out: ${rounds} round(s) dealt from it, ${shown} card(s) shown.`),
  ];
}

/** Acts on tournaments beyond their structures, or null (spec/audit.md, "The report of a book"). */
function eventsDone(lines) {
  const done = {
    announced: 0, begun: 0, cancelled: {}, cancelled_in_play: 0, postponed: 0, times_changed: 0, disqualified: 0,
    bounties_set: 0, substitutes: 0, substituted: 0, deals: 0, t_dollars: 0,
  };
  const of = { created: 'announced', started: 'begun', postponed: 'postponed', deal_made: 'deals' };
  const asked = { disqualify: 'disqualified', change_registration: 'times_changed', set_bounty: 'bounties_set' };
  let substituted = 0n, dollars = 0n;
  for (const line of lines) {
    if (!line.includes('"command":{"tournament":')) continue;
    const { by, command, events } = JSON.parse(line), [word] = Object.keys(command.tournament);
    if (asked[word]) done[asked[word]]++;
    if (word === 'substitute_prize' && by === 'operator') done.substitutes++;
    for (const [name, said] of events.flatMap(({ tournament }) => Object.entries(tournament || {}))) {
      if (of[name]) done[of[name]]++;
      if (name === 'prize_paid') substituted += BigInt(said.prize.substitute || 0);
      if (name === 'prize_paid') dollars += BigInt(said.prize.t_dollars || 0);
      if (name === 'ticket_returned') dollars += BigInt(said.value);
      if (name !== 'cancelled') continue;
      done.cancelled[said.cause] = (done.cancelled[said.cause] || 0) + 1;
      if (said.case !== 1) done.cancelled_in_play++;
    }
  }
  const sums = { substituted: sumInJson(substituted), t_dollars: sumInJson(dollars) };
  return done.announced || Object.keys(done.cancelled).length ? { ...done, ...sums } : null;
}

function eventsInWords({ cancelled, ...done }) {
  const causes = Object.entries(cancelled).map(([cause, count]) => `${cause.replace(/_/g, ' ')} ${count}`);
  return `Tournaments: ${done.announced} announced, ${done.begun} begun; cancelled: ${causes.join(', ') || 'none'}, ` +
    `${done.cancelled_in_play} of them in play; ${done.postponed} starts postponed, ${done.times_changed} changes of ` +
    `registration, ${done.disqualified} players disqualified, ${done.bounties_set} bounties given or denied by name, ` +
    `${done.substitutes} substitutes offered, ${done.deals} deals made; ${done.substituted} of prizes went to the ` +
    `house for substitutes; ${done.t_dollars} of seats became T$, which pay entries and nothing else.`;
}

/**
 * The verdict on a whole log, its text (the exact text of one entry on each line, from the first) or one already read,
 * `{lines, leaves, note?, tile?}`: every command is decided again, the money and the shoes are followed through all
 * tables (spec/audit.md, "book"). `against` is further data: see readGiven; `continues`, the log that it goes on from,
 * or a list of that one and those before it; `rivals`, other statements about that one: each a `name` with a log, like
 * the first, or with `bytes`, a statement.
 */
function verifyLog(logOrText, against = {}) {
  const log = typeof logOrText === 'string' ? logOfText(logOrText) : logOrText, { lines } = log;
  const given = readGiven(against),
    { evidence, skew, now } = given,
    words = new Words(evidence.words),
    vouched = vouchedWords(Object.assign(given, { checkpoint: given.checkpoint || log.note }));
  const report = {
    verdict: 'not_sound',
    findings: [],
    story: [],
    key: given.key && given.key.text,
    signature_checked: !!given.key && (!!given.checkpoint || given.any),
    entries: 0,
    balances: {},
    open: [],
    due: [],
  };
  const begun = against.from ? beginGiven(log, against.from) : null;
  const start = begun ? { operations: begun.house.wallet.count, time: begun.house.time } : { operations: 0 };
  const { house, findings, times, leaves, roots, entries, balances, totals } = followed(log, given, words, begun);
  Object.assign(report, { findings, entries, balances }, begun ? { given: begun.given } : {});
  report.by_players = plainSums(totals.byPlayers);
  report.by_operator = totals.byOperator;
  const held = given.any ? heldAgainst(evidence, leaves, roots, times, given) : { findings: [], doubt: null };
  report.findings.push(...words.findings, ...held.findings);
  const early = now === null ? undefined : evidence.words.find(word => word.time > now + skew);
  if (early)
    report.findings.push({
      check: 'time_ahead',
      message: `${early.where}: the note is dated ${clock(early.time)}; it is ${clock(now)} now`,
    });
  const ahead = now === null ? -1 : times.findIndex(time => time > now + skew);
  if (ahead >= 0)
    report.findings.push({
      check: 'time_ahead',
      entry: ahead,
      message: `the entry is dated ${clock(times[ahead])}; it is ${clock(now)} now`,
    });
  if (!report.findings.length && held.doubt) throw new Unusable(held.doubt);
  let old = null;
  const before = [].concat(against.continues || []);
  if (!report.findings.length && before.length) {
    const held = heldToOld(lines, before, given.key);
    report.findings.push(...held.findings);
    ({ old = null } = held);
  }
  const rivals = [];
  for (const rival of against.rivals || []) {
    if (report.findings.length) break;
    const compared = heldToRival(log, given.checkpoint, rival);
    report.findings.push(...compared.findings);
    rivals.push(compared.words);
  }
  if (report.findings.length) report.story.push(vouched);
  for (const { check, entry, message } of report.findings)
    report.story.push(`NOT SOUND. ${entry === undefined ? '' : `entry ${entry}: `}${message} [${check}]`);
  if (report.findings.length) return report;
  report.open = leftOpen(house);
  const read = begun ? lines.slice(begun.given.size) : lines;
  report.out = doorsOf(read);
  report.waits = walletWaits(house, read, start);
  const late = lateWaits(house, report.waits), isOldOpen = !!house.continues && (!old || old.verdict !== 'sound');
  // A stopped house, or the house of a copy, does nothing any more: its duties by now are no finding.
  const waiting = [...house.tables.values()].some(({ recovering }) => recovering);
  const due =
    now === null
      ? []
      : waiting
        ? house.overdueRecoveries(now)
        : house.overdueAt(now, [...house.tables.values(), ...house.events.values()], house.ready);
  report.due = due.map(({ name, command, since }) => ({ table: name, command, since }));
  const open = report.open.length + report.due.length + late > 0 || isOldOpen;
  report.verdict = begun ? 'sound_from_state' : open ? 'sound_so_far' : 'sound';
  if (house.continues) {
    const { origin, size } = house.continues;
    Object.assign(report, { goes_on_from: { origin, size }, old_log_read: !!old, ...(old ? { old_log: old } : {}) });
  }
  if (house.ended) report.ended = { origin: house.ended.origin, vkey: keyOfClaim(house.ended).text };
  if (begun) report.story.push(...givenWords(begun.given));
  const events = eventsDone(lines.slice(begun ? begun.given.size : 0));
  if (events) Object.assign(report, { events });
  const word = begun ? 'SOUND FROM STATE' : open ? 'SOUND SO FAR' : 'SOUND';
  report.story.push(
    ...doorsInWords(report.out),
    ...report.waits.map(({ no, call, player, amount, since }) =>
      `Operation ${no} of the wallet, ${amount} of ${player}, waits for ${call}; it began ${clock(since)}.`),
    ...report.open.map(left => openWords(left, now === null ? house.time : now)),
    ...report.due.map(
      ({ table, command, since }) =>
        `${house.events.has(table) ? 'Tournament' : 'Table'} ${table}: ${quote(command)} is due since ` +
        `${clock(since)}; a house that runs would have done it.`,
    ),
    ...(house.continues ? oldLogWords(house.continues, old) : []),
    ...(report.ended ? [`It has ended, and goes on as the log with the key ${report.ended.vkey}.`] : []),
    ...(events ? [eventsInWords(events)] : []),
    ...rivals,
    ...unsignedWords(report.by_players),
    ...(Object.keys(totals.byOperator).length ? [`The operator gave: ${countsInWords(totals.byOperator)}.`] : []),
    `${word}. ${entries} entries were decided again, each to the same bytes; all accounts sum to zero. ${vouched}`);
  return report;
}

/** Checks that the tiles next to a log's entries are those of the entries; `tile` reads one, or null. */
function checkTiles(leaves, tile) {
  for (let level = 0, hashes = leaves; hashes.length; level++) {
    const tiles = Array.from({ length: Math.ceil(hashes.length / 256) }, (_, n) =>
      hashes.slice(256 * n, 256 * n + 256),
    );
    tiles.forEach((made, n) => {
      const path = tilePath(level, n, made.length),
        bytes = tile(path) || (tile(tilePath(level, n)) || []).slice(0, 32 * made.length);
      if (!sameBytes(bytes, concat(...made))) fault(`${path} is not the tile that the entries make`);
    });
    hashes = tiles.filter(made => made.length === 256).map(treeRoot);
  }
}

/** Checks that the checkpoint seen by the client before it revealed is one of this log, and existed then. */
function checkSaw({ command: { reveal } }, index, roots) {
  const saw = reveal && reveal.saw;
  if (!saw) return;
  if (saw.size > index)
    unsound('saw_other', `the client saw a checkpoint of ${saw.size} entries, ${index} came before this one`);
  if (base64(roots[saw.size]) !== saw.root)
    unsound(
      'saw_other',
      `the client saw root ${saw.root} over ${saw.size} entries; they have ${base64(roots[saw.size])}`,
    );
}

const MOST_EVIDENCE = 4 * 1024 * 1024, isText = value => typeof value === 'string';
const hashList = listOf(text => hash64(text) !== null, 0, 65);
const isEvidence = {
  fairshoe_evidence: value => value === 1,
  vkey: isText,
  key_trusted: isBool,
  time: isCount,
  finding: value => isObject(value) && isText(value.check) && isText(value.message),
  addresses: listOf(isText),
  notes: listOf(
    note =>
      isObject(note) && Object.keys(note).length === 3 && isText(note.from) && isCount(note.time) && isText(note.note),
    0,
    16,
  ),
  prefix: value =>
    isObject(value) &&
    Object.keys(value).length === 3 &&
    isCount(value.size) &&
    isCount(value.of) &&
    hashList(value.hashes),
  entry: value =>
    isObject(value) &&
    Object.keys(value).length === 4 &&
    isCount(value.index) &&
    unbase64(value.entry) !== null &&
    isCount(value.of) &&
    hashList(value.hashes),
};

/** Judges the data of a finding with the log's key alone: spec/audit.md, "Evidence". */
function verifyEvidence(bytes, trusted = null) {
  const no = why => new Unusable(`this is no evidence: ${why}`);
  if (bytes.length > MOST_EVIDENCE) throw no('it is longer than 4 MiB');
  let file, key;
  try {
    const text = strictText(bytes, 'the file');
    file = JSON.parse(text);
    if (!isObject(file) || ambiguity(text)) fault('no JSON object that can be read in one way');
    const wrong = [...new Set([...Object.keys(isEvidence), ...Object.keys(file)])].find(name =>
      file[name] === undefined
        ? !['prefix', 'entry'].includes(name)
        : !Object.hasOwn(isEvidence, name) || !isEvidence[name](file[name]),
    );
    if (wrong !== undefined) fault(`the field ${wrong} is unknown, missing or malformed`);
    key = readLogKey(trusted || file.vkey);
  } catch (error) {
    if (!(error instanceof Unsound) && !(error instanceof SyntaxError)) throw error;
    throw no(error.message);
  }
  // A note without the key's signature may be the subject of a finding; it proves nothing about the log.
  const read = reader =>
    file.notes.flatMap(({ note }) => {
      try {
        return [reader(utf8(note), key)];
      } catch (error) {
        if (error instanceof Unsound) return [];
        throw error;
      }
    });
  const signed = read(openCheckpoint),
    statements = read(readStatement),
    of = size => signed.find(one => one.size === BigInt(size)) || fault(`no checkpoint of ${size} entries is signed`);
  const proven = words => ({ verdict: 'proven', shown: words }),
    not = words => ({ verdict: 'not_proven', shown: words });
  const judge = () => {
    const twice = signed.find((one, i) =>
      signed.slice(i + 1).some(other => other.size === one.size && !sameBytes(other.root, one.root)),
    );
    if (twice) return proven(`${key.name} signed two checkpoints of ${twice.size} entries, with two roots`);
    if (new Set(statements).size > 1)
      return proven(
        `${key.name} signed two statements of a log that goes on from it: ` +
          `${[...new Set(statements)].map(text => quote(text.split('\n').slice(2, -1))).join(' and ')}`,
      );
    if (file.prefix) {
      const { size, of: whole, hashes } = file.prefix,
        older = of(size),
        newer = of(whole),
        root = prefixRoot(older.size, newer.size, newer.root, hashes.map(hash64));
      return sameBytes(root, older.root)
        ? not('the newer checkpoint goes on from the older one')
        : proven(
            `${key.name} signed root ${base64(older.root)} for ${size} entries, and a tree of ${whole} whose first ` +
              `${size} lead to ${base64(root)}`,
          );
    }
    if (file.entry) {
      const { index, entry, of: whole, hashes } = file.entry, newer = of(whole), data = unbase64(entry);
      if (data.length > 65535) fault('longer than an entry can be');
      checkInclusion(leafHash(data), BigInt(index), newer.size, hashes.map(hash64), newer.root);
      try {
        readEntry(Array.from(data, byte => String.fromCharCode(byte)).join(''));
      } catch (error) {
        if (error instanceof Unsound) return proven(`${key.name} has an entry ${index} that is none: ${error.message}`);
        throw error;
      }
      return not(`entry ${index} is on the log, byte for byte; whether it breaks the rules, the entries before it say`);
    }
    return not('it rests on what the addresses served or had served before: the monitor\'s word stands for that');
  };
  let said;
  try { said = judge(); } catch (error) { if (error instanceof Unsound) throw no(error.message); throw error; }
  const whose = trusted ? 'the key you named' : 'UNVERIFIED: compare it with the one you know the log by';
  return {
    ...said,
    finding: file.finding,
    key: key.text,
    key_trusted: !!trusted,
    story: [
      `Found: ${file.finding.message} [${file.finding.check}]`,
      `Key: ${key.text} (${whose})`,
      `${said.verdict === 'proven' ? 'PROVEN' : 'NOT PROVEN by this file alone'}: ${said.shown}`,
    ],
  };
}

/** A shoe from its seed: `{origin, table, epoch, shoe_no, candidate, composition, seed, commitment?, root?}`. */
function verifyShoe(given) {
  const composition = readComposition(given.composition),
    seed = unhex(given.seed, 32),
    no = Number(given.shoe_no),
    k = Number(given.candidate || 0);
  if (!composition) throw new Unusable('the composition is 52xD, wheel37xN, wheel216xN or cards:… (spec/fairness.md)');
  if (!seed) throw new Unusable('the seed is 64 lower-case hexadecimal digits');
  const report = { verdict: 'not_sound', findings: [], story: [] };
  try {
    const derived = deriveShoe(seed, composition);
    report.order = composition.wheel ? derived.faces : derived.faces.map(cardOf);
    report.root = derived.root;
    report.story.push(`The seed orders: ${report.order.join(' ')}`, `Its root is ${derived.root}.`);
    if (given.root !== undefined && given.root !== derived.root)
      unsound('shoe_root', `the shoe's root is ${derived.root}, not ${given.root}`);
    if (given.commitment !== undefined) {
      if (!isOrigin(given.origin) || !isName(given.table) || !isHash(given.epoch) || !isCount(no) || !whole(0, 255)(k))
        throw new Unusable('a commitment needs origin, table, epoch and shoe number');
      const commitment = serverCommitment(tableContext(given.origin, given.table, given.epoch), no, k, seed);
      if (commitment !== given.commitment)
        unsound('seed_opens', `the seed's commitment is ${commitment}, not ${given.commitment}`);
    }
    report.verdict = 'sound';
    const held = ['root', 'commitment'].filter(name => given[name] !== undefined);
    report.story.push(
      held.length
        ? `SOUND. The seed gives the ${held.join(' and the ')}.`
        : 'SOUND. Compare the root with the one that shoe_committed holds.',
    );
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    report.findings.push({ check: error.check, message: error.message });
    report.story.push(`NOT SOUND. ${error.message} [${error.check}]`);
  }
  return report;
}

/**
 * The verdict on any input: a bundle, a receipt, a saved reply with receipts, a checkpoint. `trust` is a verifier key
 * or a policy, as text, or empty; `entry` the bytes of a receipt's entry, or null.
 */
function verifyAnything(bytes, trust = '', entry = null) {
  const words = trust.trim(),
    policy = /^\s*(#|log\s|witness\s|group\s|quorum\s)/.test(trust) ? utf8(words + '\n') : null,
    key = policy ? null : words || null;
  const text = strictTextOrNull(bytes);
  if (text === null) throw new Unusable('this is not text: give a bundle, a receipt or a checkpoint');
  if (text.startsWith('c2sp.org/')) return { kind: 'receipt', ...verifyReceipts(bytes, entry, policy, key) };
  if (/^\s*\{/.test(text)) {
    const trusted = () => (policy ? (readPolicyOrUnusable(policy).logs[0] || {}).text : key) || null;
    if (/"fairshoe_bundle"/.test(text)) return { kind: 'bundle', ...verifyBundle(text, trusted()) };
    if (/"fairshoe_follow"/.test(text)) return { kind: 'follow', ...verifyFollowed(text, trusted()) };
    return { kind: 'receipt', ...verifyReceipts(bytes, entry, policy, key) };
  }
  if (text.includes('\n\n— ')) return { kind: 'checkpoint', ...verifyCheckpoint(bytes, policy, key) };
  throw new Unusable(
    'this is neither a bundle (JSON with fairshoe_bundle), a receipt (.tlog-proof, or JSON with receipts) nor a ' +
      'signed checkpoint',
  );
}

function strictTextOrNull(bytes) {
  try { return strictText(bytes, 'the file'); } catch (error) { return null; }
}

function readPolicyOrUnusable(bytes) {
  try {
    return readPolicy(bytes);
  } catch (error) {
    throw new Unusable(`the policy cannot be used: ${error.message}`);
  }
}

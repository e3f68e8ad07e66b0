// Judges another person's follower file: `evidence()` of spec/page.md, "The follower". Its maker may have left parts
// out. So only data that the log signed, and that no missing part can explain, is unsound.

const FOLLOWED_FIELDS = ['fairshoe_follow', 'round', 'vkey', 'finding', 'context', 'entries', 'openings', 'pending'];
const FOLLOWED_ENTRIES = 32768, FOLLOWED_PENDING = 4096;
/** The file is not complete, or not in order: no one signed that it is. */
const OF_THE_FILE = ['bundle_form', 'bundle_order', 'bundle_context', 'bundle_round'];

/** The finding named in a file: a check and words, for an entry and a table. */
function isNamedFinding(finding) {
  if (!isObject(finding)) return false;
  const { check, message, entry, table, ...more } = finding;
  return typeof check === 'string' && typeof message === 'string' && (entry === undefined || isCount(entry)) &&
    (table === undefined || typeof table === 'string') && !Object.keys(more).length;
}

/** The file, its fields as they have to be. */
function readFollowed(text) {
  if (utf8(text).length > 64 * 1024 * 1024) throw new Unusable('the file is longer than 64 MiB');
  let file;
  try { file = jsonOf(text); } catch (error) { throw new Unusable(`this is no evidence: ${error.message}`); }
  if (!isObject(file) || file.fairshoe_follow === undefined) throw new Unusable('this is no file of a follower');
  const wrong = message => { throw new Unusable(`this is no evidence: ${message}`); }, twofold = ambiguity(text);
  if (twofold) wrong(twofold);
  if (file.fairshoe_follow !== 1) wrong(`the version is ${quote(file.fairshoe_follow)}, not 1`);
  const { own, ...rest } = file, round = readRound(file.round), { pending } = file;
  if (!hasExactly(rest, FOLLOWED_FIELDS)) wrong('the file has unknown or missing fields');
  if (!round) wrong('round is not TABLE:NUMBER');
  if (typeof file.vkey !== 'string') wrong('vkey is a text');
  if (file.finding !== null && !isNamedFinding(file.finding)) wrong('finding has the fields check and message');
  const malformed = listsFault(file, FOLLOWED_ENTRIES, proof => typeof proof === 'string');
  if (malformed) wrong(malformed);
  const isBare = one => hasExactly(one, ['index', 'entry']) && isCount(one.index) && typeof one.entry === 'string';
  if (!isList(pending) || pending.length > FOLLOWED_PENDING || !pending.every(isBare))
    wrong('pending is a list of entries without a proof');
  return { ...file, ...round };
}

/** The log's signed part for each entry of the file: `{item, signed}`. An entry that it did not sign is no evidence. */
function readFollowedItems({ vkey, context, entries }, trusted) {
  const unsigned = (words, action) => {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      throw new Unusable(`${words}: ${error.message}`);
    }
  };
  const key = unsigned('this is no evidence', () => readLogKey(vkey));
  if (trusted && trusted !== vkey)
    throw new Unusable(`the file is of the log with the key ${vkey}, not of ${trusted}: it says nothing of that one`);
  const opened = new Map(); // most receipts are under the same few checkpoints
  return [...context, ...entries].map(item =>
    unsigned(`the log is not shown to have signed entry ${item.index}`, () => {
      const { index, path, checkpoint } = readReceipt(utf8(item.proof));
      const text = strictText(checkpoint, 'the checkpoint');
      if (!opened.has(text)) opened.set(text, openCheckpoint(checkpoint, key));
      const signed = opened.get(text);
      if (index !== BigInt(item.index)) fault(`the receipt is of entry ${index}`);
      checkInclusion(leafHash(utf8(item.entry)), index, signed.size, path, signed.root);
      return { item, signed };
    }));
}

/** An entry as far as it can be read before the full check. */
function glance(text) {
  try { const entry = JSON.parse(text); return isObject(entry) ? entry : {}; } catch (error) { return {}; }
}

/** Its sequence number at this table, or null. */
function placeIn(text, table) {
  const { at } = glance(text);
  return isObject(at) && at.table === table && isCount(at.seq) ? at.seq : null;
}

/** The table of its command; undefined if it can belong to no table. */
function tableOfCommand(text) {
  const { command } = glance(text), [[name, fields] = []] = isObject(command) ? Object.entries(command) : [];
  const [within] = name === 'tournament' && isObject(fields) ? Object.values(fields) : [];
  if (name === 'tournament') return isObject(within) ? within.event : undefined;
  return isObject(fields) && name !== 'disclose_shoe' ? fields.table : undefined;
}

/** The log's signed contradictions: two roots of one size, two texts at one index or at one place of the table. */
function checkOneLog(read, table) {
  const roots = new Map(), texts = new Map(), places = new Map();
  for (const { item: { index, entry }, signed: { size, root } } of read) {
    const other = roots.get(size), text = texts.get(index);
    if (other && !sameBytes(other, root)) unsound('fork', `two checkpoints of ${size} entries have two roots`);
    if (text !== undefined && text !== entry)
      unsoundAt(index, 'inclusion', `two texts are under the log's checkpoints as entry ${index}`);
    roots.set(size, root);
    texts.set(index, entry);
    const place = placeIn(entry, table);
    if (place === null) continue;
    if (tableOfCommand(entry) !== table)
      unsoundAt(index, 'table_seq', "the entry is filed under another table than its command's");
    if (places.has(place) && places.get(place) !== index)
      unsoundAt(index, 'table_seq', `the entry has the place ${place} that entry ${places.get(place)} has`);
    places.set(place, index);
  }
}

/** How many of the entries are consecutive at the table; after them the file may lack some. */
function wholeUntil({ entries, table }) {
  const gap = entries.findIndex((item, i) => {
    const before = i && placeIn(entries[i - 1].entry, table), place = placeIn(item.entry, table);
    if (!i || before === null || place === null) return false;
    // If no entry fits between the two, none was left out.
    const missing = place - before - 1;
    return missing > 0 && item.index - entries[i - 1].index > missing;
  });
  return gap < 0 ? entries.length : gap;
}

/**
 * The missing part that would explain a finding, or null. A start of the dealer may be missing, or a player's newest
 * key; a seed that opens a commitment shows that the epoch is right.
 */
function explained({ check, entry }, { entries }, house) {
  if (check === 'signature') return 'a newer key of the player';
  const { epochAsked: asked, epochsShown } = house || { epochAsked: null };
  if (asked !== null && !epochsShown.has(asked)) return 'the start of the dealer that it rests on';
  const item = entries.find(({ index }) => index === entry);
  const { command } = item ? glance(item.entry) : {};
  return isObject(command) && command.recover ? 'a start of the dealer before it' : null;
}

/**
 * The verdict on such a file, in the form of `verifyBundle`. Data shown without a signature proves nothing, and is
 * reported as such; nor do missing parts.
 */
function verifyFollowed(text, trusted = null) {
  const file = readFollowed(text), { finding, pending } = file, read = readFollowedItems(file, trusted);
  const report = {
    verdict: 'not_sound', findings: [], story: [],
    key: file.vkey, key_trusted: !!trusted, round: { id: file.round }, entries: [], shoes: [],
  };
  const unsigned = []; // what is wrong and was signed by nobody, in words
  let house = null;
  try {
    if (!read.length) throw new Unusable('the file holds no entry that was proven');
    checkOneLog(read, file.table);
    report.verdict = judgeFollowed(file, read, report, trusted, unsigned, begun => { house = begun; });
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    const { check, entry, table, message } = error;
    if (OF_THE_FILE.includes(check)) throw new Unusable(`the file is not whole: ${message}`);
    const why = explained(error, file, house), words = `${entry === undefined ? '' : `entry ${entry}: `}${message}`;
    if (!why) {
      report.findings.push(JSON.parse(quote({ check, entry, table, message })));
      report.story.push(`NOT SOUND. ${words} [${check}]`);
      return report;
    }
    unsigned.push(`${words} [${check}]; it can be that ${why} was left out of the file, which a bundle of the table ` +
      'or the whole log shows');
  }
  if (finding)
    unsigned.push(`${finding.message} [${finding.check}]; that rests on what was shown without a signature, or was ` +
      'not shown');
  if (unsigned.length || pending.length) report.verdict = 'sound_so_far';
  if (pending.length)
    report.story.push(`Shown without a proof, and not judged: ${pending.length} of the table's entries.`);
  const title = report.verdict === 'sound' ? 'SOUND.' : 'SOUND SO FAR.';
  report.story.push(
    unsigned.length
      ? `${title} What the log signed holds, as far as it can be judged. ${unsigned.map(one => `Found was: ${one}.`)
        .join(' ')}`
      : `${title} Everything that the log signed and showed here holds.`,
  );
  return report;
}

/** Decides the log's signed entries again as far as they are complete; the verdict on them. */
function judgeFollowed(file, read, report, trusted, unsigned, begins) {
  const newest = read.map(({ signed }) => signed).reduce((a, b) => (b.size > a.size ? b : a));
  const count = wholeUntil(file), entries = file.entries.slice(0, count), last = entries[count - 1];
  const { events } = last ? glance(entries[0].entry) : {};
  const isCommitted = isList(events) && events.some(event => isObject(event) && event.shoe_committed);
  if (!isCommitted) {
    if (!file.pending.length) throw new Unusable('the file is not whole: the first entry does not commit the shoe');
    unsigned.push('the entry that commits the shoe is not proven: none of the others can be decided again');
    return 'sound_so_far';
  }
  const isCut = count < file.entries.length;
  if (isCut)
    unsigned.push(`entries are left out between ${last.index} and ${file.entries[count].index}: those behind them ` +
      'are not judged');
  const context = isCut ? file.context.filter(({ index }) => index < last.index) : file.context;
  const opens = (openings, shoes) => {
    if (isCut) return;
    try {
      checkOpenings(openings, shoes, true);
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      unsigned.push(`${error.message} [${error.check}]: openings are signed by nobody`);
    }
  };
  return judgeHistory({ ...file, context, entries }, newest, report, trusted,
    { withoutRound: true, goesOn: true, opens, begins });
}

// What a follower kept, judged by somebody else: the file of `evidence()`, spec/page.md, "The follower".

const FOLLOWED_FIELDS = ['fairshoe_follow', 'round', 'vkey', 'finding', 'context', 'entries', 'openings', 'pending'];

/** Of a receipt in such a file: its item as a bundle has it, and the checkpoint that vouches for it. */
function readFollowedItem(item, key) {
  if (!hasExactly(item, ['index', 'entry', 'proof']) || !isCount(item.index) || typeof item.entry !== 'string')
    unsound('bundle_form', 'an entry has the fields index, entry and proof');
  if (typeof item.proof !== 'string') unsound('bundle_form', 'a proof is the text of a receipt');
  return located(item.index, undefined, () => {
    const { index, path, checkpoint } = under('receipt', () => readReceipt(utf8(item.proof)));
    const signed = under('checkpoint', () => openCheckpoint(checkpoint, key));
    if (index !== BigInt(item.index)) unsound('receipt', `the receipt is of entry ${index}, not of ${item.index}`);
    under('inclusion', () => checkInclusion(leafHash(utf8(item.entry)), index, signed.size, path, signed.root));
    return { item, signed };
  });
}

/** The file as a bundle would have it; the newest of its checkpoints. */
function readFollowed(text) {
  if (utf8(text).length > 64 * 1024 * 1024) throw new Unusable('the file is longer than 64 MiB');
  let file;
  try { file = JSON.parse(text); } catch (error) { throw new Unusable(`this is no evidence: ${error.message}`); }
  if (!isObject(file) || file.fairshoe_follow !== 1) throw new Unusable('this is no file of a follower');
  const [table, no] = typeof file.round === 'string' ? file.round.split(':') : [];
  const { own, ...rest } = file, { context, entries, openings, pending } = file;
  const lists = [context, entries, openings, pending].every(isList);
  const isWhole = hasExactly(rest, FOLLOWED_FIELDS) && lists && typeof file.vkey === 'string';
  if (!isWhole || !isName(table) || decimal(no || '') === null || context.length + entries.length > 20000)
    throw new Unusable('the file has unknown, missing or malformed fields');
  return { ...file, table, roundNo: Number(no) };
}

/**
 * The verdict on such a file, as `verifyBundle` gives it. What was shown without a signature proves nothing, and is
 * said to.
 */
function verifyFollowed(text, trusted = null) {
  const file = readFollowed(text), { finding } = file;
  const report = {
    verdict: 'not_sound', findings: [], story: [],
    key: file.vkey, key_trusted: !!trusted, round: { id: file.round }, entries: [], shoes: [],
  };
  try {
    const key = under('key', () => readLogKey(file.vkey));
    if (trusted && trusted !== file.vkey)
      unsound('key', `the file is of the log with the key ${file.vkey}, not of ${trusted}`);
    const read = [...file.context, ...file.entries].map(item => readFollowedItem(item, key));
    if (!read.length) throw new Unusable('the file holds no entry that was proven');
    const newest = read.map(({ signed }) => signed).reduce((a, b) => (b.size > a.size ? b : a));
    const verdict = judgeHistory(file, newest, report, trusted, { withoutRound: true, goesOn: true });
    report.verdict = finding ? 'sound_so_far' : verdict;
    report.story.push(
      finding
        ? `SOUND SO FAR. What the log signed holds. Found was: ${finding.message} [${finding.check}]; that rests on ` +
          'what was shown without a signature, or was not shown.'
        : 'SOUND SO FAR. Everything that the log signed and showed here holds.',
    );
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    report.verdict = 'not_sound';
    const { check, entry, table, message } = error;
    report.findings.push(JSON.parse(quote({ check, entry, table, message })));
    report.story.push(`NOT SOUND. ${entry === undefined ? '' : `entry ${entry}: `}${message} [${check}]`);
  }
  return report;
}

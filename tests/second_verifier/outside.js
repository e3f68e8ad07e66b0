#!/usr/bin/env node
// Faults that no entry shows by itself: a log of another name, key or year, bytes that its key did not sign, and proofs
// that are none (spec/audit.md, "Findings" and "Verdicts"). lies.js has those of entries, the Rust tests of the judge
// and of fairshoe-audit those of evidence.
// node outside.js: lets this verifier judge each; exit code 1 if one is judged otherwise. --write FOLDER: each log as a
// mirror's folder, or a bundle, for another verifier, and FOLDER/cases.json.
'use strict';
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Scene, rules, pathTo, hash, verify, ORIGIN } = require('./dealer.js');
const { options } = require('./options.js');
const { LOG, signer, leavesOf, rootOf, checkpoint, writeMirror } = require('./signed.js');
const { base64, unhex, utf8 } = verify;

const OTHER = signer(ORIGIN, 1, 8), ANOTHER = signer('another.example/log', 1, 3);
const QUICK = rules('joy', { reveal_time_ms: 60000, round_time_ms: 60000 });

/** A log in which alice plays rounds of these stakes. */
const logOf = (stakes, clock) => {
  const scene = new Scene();
  if (clock) scene.clock = clock;
  scene.startDealer().player('alice', 1000).open('joy', QUICK);
  for (const stake of stakes) scene.round('joy', { alice: ['1', stake] });
  return scene;
};
const { log } = logOf([10, 20]), other = logOf([11, 20]).log;

function sawAnother(size = 3) {
  const scene = logOf([10]).bet('alice', 'joy', '1', 10), { reveal } = scene.revealOf('alice', 'joy', 1);
  const saw = { size, root: base64(unhex(hash('another'), 32)) };
  return scene.give('anyone', { reveal: { ...reveal, saw } }).log;
}

// --- Logs -------------------------------------------------------------------------------------------

/** `{about, check, at, log, note, key, kept, policy}`: the finding, its entry, and what is given with the log. */
const FOUND = [
  { about: 'an honest log', check: null, log },
  {
    about: 'a log of another name', check: 'origin', at: 0, log, key: ANOTHER,
    note: ANOTHER.note(`another.example/log\n${log.length}\n${rootOf(log)}\n`),
  },
  { about: 'a log without its first entry', check: 'first_entry', at: 0, log: log.slice(1),
    note: checkpoint(log.slice(1), LOG, ORIGIN) },
  { about: 'a checkpoint that a player saw, of another log', check: 'saw_other', at: sawAnother().length - 1,
    log: sawAnother() },
  { about: 'a checkpoint that a player saw, of entries that came later', check: 'saw_other',
    at: sawAnother().length - 1, log: sawAnother(1000) },
  { about: 'a log of the year 2096', check: 'time_ahead', at: 0, log: logOf([], 4000000000000).log },
  {
    about: 'a checkpoint under an earlier key', check: 'key_changed', log,
    kept: [['seen.txt', checkpoint(log.slice(0, 5), OTHER)]],
    policy: `log ${LOG.vkey}\nlog ${OTHER.vkey}\nquorum none\n`,
  },
];

const WITNESS = signer('witness.example', 4, 9), SEEN = `${checkpoint(log).split('\n\n')[0]}\n`;
const HISTORY = JSON.stringify({ time: 1, note: checkpoint(log) });
/** A note that says a command was refused, which is longer than a house signs. */
const LONG = LOG.note(['fairshoe refused/v1', ORIGIN, '1700000000000', 'malformed', 'anyone', JSON.stringify({
  transfer_in: { from: 'house.example/other', entry: 'a'.repeat(131072), receipt: 'a' },
}), '-', ''].join('\n'));

/** What is held against an honest log and is no evidence: refused, without a finding about the log. */
const NO_EVIDENCE = [
  { about: 'a history that goes on with a number', kept: `${HISTORY}\n5\n` },
  { about: 'a history with a line of more than 512 KiB', kept: `${HISTORY}\n{"a":"${'a'.repeat(524288)}"}\n` },
  { about: 'a history with half a second', kept: `${HISTORY}\n${HISTORY.replace('1', '1.5')}\n` },
  { about: 'a reply without a receipt and without a note', kept: '{"balance":1}' },
  { about: 'a reply with a field twice', kept: `{"received":${JSON.stringify(LONG)},"received":""}` },
  { about: 'a reply with a receipt that has no proof', kept: JSON.stringify({ index: 5, entry: log[5] }) },
  { about: 'a checkpoint of another name', kept: LOG.note(SEEN.replace(ORIGIN, 'another.example/log')) },
  {
    about: 'a checkpoint that a witness signed, and the log did not', kept: `${SEEN}\n${WITNESS.cosigned(SEEN, 1)}`,
    policy: `log ${LOG.vkey}\nwitness w ${WITNESS.vkey}\nquorum none\n`,
  },
  { about: 'a note longer than a house signs', kept: LONG },
].map(({ kept, ...row }) => ({ log, check: 'unusable', kept: [['kept', kept]], ...row }));

/** Bytes from a server or a mirror that the log's key did not sign: refused, without a finding about the log. */
const UNSIGNED = [
  { about: 'a page in the place of a checkpoint', note: '<!doctype html><title>Back soon</title>' },
  { about: 'nothing in the place of a checkpoint', note: '' },
  { about: 'an error in the place of a checkpoint', note: '{"code":"unavailable","detail":"try again"}' },
  { about: 'a checkpoint that was cut short', note: checkpoint(log).slice(0, -9) },
  { about: 'a checkpoint with another signature', note: checkpoint(log).replace(/(.{8})\n$/, 'AAAAAAA=\n') },
  { about: 'a checkpoint that is signed with another key', note: checkpoint(log, OTHER) },
  { about: 'fewer entries than the checkpoint says', note: checkpoint(log), log: log.slice(0, -1) },
  { about: 'more entries than the checkpoint says', note: checkpoint(log.slice(0, -1)) },
  { about: 'other entries than were signed', note: checkpoint(log), log: other.slice(0, log.length) },
  { about: 'an entry that somebody changed', note: checkpoint(log),
    log: log.map((entry, at) => (at === 5 ? entry.replace('"time":', '"time":9') : entry)) },
  { about: 'a tile with another hash', note: checkpoint(log), spoil: verify.tilePath(0, 0, log.length) },
].map(row => ({ log, check: 'unusable', ...row }));

const cases = [...FOUND, ...NO_EVIDENCE, ...UNSIGNED].map(row =>
  ({ key: LOG, kept: [], ...row, note: row.note ?? checkpoint(row.log) }));

function write(folder, row) {
  writeMirror(folder, row.log, row.note, row.key.vkey);
  if (!row.spoil) return;
  const file = path.join(folder, row.spoil), bytes = fs.readFileSync(file);
  bytes[bytes.length - 1] ^= 1;
  fs.writeFileSync(file, bytes);
}

/** Check and entry of the first finding. */
function judged(row) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'outside-'));
  try {
    write(folder, row);
    const kept = row.kept.map(([name, text]) => ({ name, bytes: utf8(text), entry: null }));
    const policy = row.policy ? { policy: utf8(row.policy) } : {};
    const { findings: [found] } =
      verify.verifyLog(verify.readLog(folder), { key: row.key.vkey, now: Date.now(), kept, ...policy });
    return found ? [found.check, found.entry] : [null, undefined];
  } catch (error) {
    if (!(error instanceof verify.Unusable) && !(error instanceof verify.Unsound)) throw error;
    return ['unusable', undefined];
  } finally { fs.rmSync(folder, { recursive: true }); }
}

// --- Bundles and receipts -----------------------------------------------------------------------------

function bundles() {
  const file = path.join(__dirname, '../../spec/vectors/bundles.json');
  const { bundle } = JSON.parse(fs.readFileSync(file, 'utf8')).cases.find(({ about }) => about === 'joy, settled');
  const made = JSON.parse(bundle);
  const first = (text, key) => verify.verifyBundle(text, key).findings.map(({ check }) => check);
  assert.deepStrictEqual(first(bundle, made.vkey), []);
  assert.deepStrictEqual(first(bundle, OTHER.vkey), ['key']);
  const changed = JSON.stringify({ ...made, checkpoint: made.checkpoint.replace('\n', '\n1') });
  assert.deepStrictEqual(first(changed, null), ['checkpoint']);
  const { context, entries } = made;
  for (const lists of [{ context: [...context, entries[1]] }, { entries: [...entries].reverse() }])
    assert.deepStrictEqual(first(JSON.stringify({ ...made, ...lists }), null), ['bundle_order']);
}

function receipts() {
  const hashes = pathTo(5, leavesOf(log)).map(one => `${base64(one)}\n`).join('');
  const proof = `c2sp.org/tlog-proof@v1\nindex 5\n${hashes}\n${checkpoint(log)}`;
  const whole = { index: 5, entry: log[5], proof }, bare = { index: 6, entry: log[6] };
  const judge = (bytes, entry) => {
    try {
      const { verdict, findings } = verify.verifyReceipts(utf8(bytes), entry && utf8(entry), null, LOG.vkey);
      return findings.length ? findings[0].check : verdict;
    } catch (error) {
      if (!(error instanceof verify.Unusable)) throw error;
      return error.message;
    }
  };
  assert.strictEqual(judge(proof, log[5]), 'sound');
  assert.strictEqual(judge(proof, log[6]), 'receipt');
  assert.strictEqual(judge(JSON.stringify({ ...whole, index: 6 }), null), 'receipt');
  // A reply without a proof is no evidence, even next to one with a proof (spec/receipts.md, "Proofs that come later").
  const without =
    'the receipt of entry 6 has no proof: the reply was asked for with proofs=later, and GET /v1/receipts/6 has it';
  assert.strictEqual(judge(JSON.stringify({ receipts: [whole, bare] }), null), without);
  assert.strictEqual(judge(JSON.stringify({ fairshoe_follow: 1, entries: [whole], pending: [bare] }), null), 'sound');
}

/** A checkpoint alone, by the logs and the quorum of a policy. */
function checkpoints() {
  const judge = (name, text, lines) => {
    const policy = lines.map(line => `${line}\n`).join('');
    const { verdict, findings } = verify.verifyCheckpoint(utf8(text), utf8(policy), null);
    assert.strictEqual(findings.length ? findings[0].check : verdict, name);
  };
  const of = `log ${LOG.vkey}`, by = `witness w ${WITNESS.vkey}`;
  const cosigned = checkpoint(log) + WITNESS.cosigned(SEEN, 1);
  judge('sound', cosigned, [of, by, 'quorum w']);
  judge('checkpoint', checkpoint(log), [of, by, 'quorum w']);
  judge('checkpoint', cosigned, [`log ${ANOTHER.vkey}`, by, 'quorum none']);
}

/** A shoe from its seed, beside what the log says of it. */
function shoes() {
  const { shoe_committed: { shoe_no: no, composition, candidates: [{ commitment, root }] } } = log
    .flatMap(entry => JSON.parse(entry).events).find(event => event.shoe_committed);
  const { shoe_revealed: { seeds: [seed] } } = log
    .flatMap(entry => JSON.parse(entry).events).find(({ shoe_revealed: out }) => out && out.shoe_no === no);
  const { epoch } = JSON.parse(log[0]).command.start_dealer;
  const shoe = { origin: ORIGIN, table: 'joy', epoch, shoe_no: no, composition, seed, commitment, root };
  const judge = more => {
    const { verdict, findings } = verify.verifyShoe({ ...shoe, ...more });
    return findings.length ? findings[0].check : verdict;
  };
  assert.strictEqual(judge({}), 'sound');
  assert.strictEqual(judge({ root: commitment }), 'shoe_root');
  assert.strictEqual(judge({ commitment: root }), 'seed_opens');
}

/** A verifier names the key that it used, and says so if no one vouched for it (spec/audit.md, "Levels"). */
function keys() {
  const said = against => verify.verifyLog(log.join('\n'), against).story.pop();
  for (const against of [{}, { key: LOG.vkey }]) assert(said(against).includes('NO SIGNATURE WAS CHECKED'));
  const signed = said({ key: LOG.vkey, checkpoint: utf8(checkpoint(log)) });
  assert(signed.includes(`judged by the key you named, ${LOG.vkey}`), signed);
}

function main(given) {
  if (given.write !== undefined) {
    const all = cases.map((row, n) => {
      const put = (name, text) => { fs.writeFileSync(path.join(given.write, name), text); return name; };
      write(path.join(given.write, `log-${n}`), row);
      return {
        name: row.about, check: row.check, entry: row.at, log: `log-${n}`, key: row.key.vkey,
        kept: row.kept.map(([name, text]) => put(`${n}-${name}`, text)),
        ...(row.policy ? { policy: put(`${n}-policy`, row.policy) } : {}),
      };
    });
    return fs.writeFileSync(path.join(given.write, 'cases.json'), JSON.stringify(all));
  }
  for (const row of cases) assert.deepStrictEqual(judged(row), [row.check, row.at], row.about);
  bundles();
  receipts();
  checkpoints();
  shoes();
  return keys();
}

main(options());

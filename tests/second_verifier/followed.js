// A follower's memory, and the proof value of its evidence. An honest log's evidence, whole or with parts left out,
// changed or added without a signature, accuses no one; unproven entries are not forgotten.
//
//   node tests/second_verifier/followed.js [CUTS for each file [SEED [PERCENT of the tables]]]
'use strict';
const assert = require('assert');
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const { random, openingsOf, keysOf, verify } = require('./bundles.js');
const { Scene, rules, ORIGIN } = require('./dealer.js');

const [cuts = '3', seed = '1', share = '25'] = process.argv.slice(2), rng = random(Number(seed));
const folder = path.join(__dirname, '..', '..', 'spec', 'vectors');
const counts = { files: 0, sound: 0, so_far: 0, unusable: 0, steps: 0, renewed: 0 };
const copy = value => JSON.parse(JSON.stringify(value));
const pick = list => list[rng(list.length)];

// --- A log and its key ------------------------------------------------------------------------------

const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519');
const keyBytes = Buffer.concat([Buffer.from([1]), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]);

const split = n => { let left = 1; while (2 * left < n) left *= 2; return left; };

/** The log of these texts, with all of it under one checkpoint. */
class Signed {
  constructor(texts, origin, master) {
    this.log = texts.map((entry, index) => ({ index, entry, json: JSON.parse(entry) }));
    this.leaves = texts.map(text => verify.leafHash(verify.utf8(text)));
    const id = crypto.createHash('sha256').update(`${origin}\n`).update(keyBytes).digest().subarray(0, 4);
    const text = `${origin}\n${texts.length}\n${verify.base64(verify.treeRoot(this.leaves))}\n`;
    const signature = Buffer.concat([id, crypto.sign(null, Buffer.from(text), privateKey)]).toString('base64');
    this.checkpoint = `${text}\n— ${origin} ${signature}\n`;
    this.vkey = `${origin}+${id.toString('hex')}+${keyBytes.toString('base64')}`;
    Object.assign(this, { origin, master, roots: new Map() });
  }

  /** The root of some leaves, cached. */
  root(from, to) {
    if (to - from === 1) return this.leaves[from];
    const name = `${from} ${to}`, middle = from + split(to - from);
    if (!this.roots.has(name))
      this.roots.set(name, verify.nodeHash(this.root(from, middle), this.root(middle, to)));
    return this.roots.get(name);
  }

  path(index, from = 0, to = this.leaves.length) {
    if (to - from === 1) return [];
    const middle = from + split(to - from);
    return index < middle
      ? [...this.path(index, from, middle), verify.base64(this.root(middle, to))]
      : [...this.path(index, middle, to), verify.base64(this.root(from, middle))];
  }

  /** The form of a page of the table's entries. */
  item(index) {
    const { entry, json: { at } } = this.log[index];
    return { index, seq: at && at.seq, entry, proof: this.path(index) };
  }

  /** A receipt in the form of an evidence file. */
  kept(index) {
    const { entry } = this.log[index];
    const proof = ['c2sp.org/tlog-proof@v1', `index ${index}`, ...this.path(index), '', this.checkpoint].join('\n');
    return { index, entry, proof };
  }

  of(table) { return this.log.filter(({ json }) => json.at && json.at.table === table); }

  /** The history of the table's shoe at this entry, up to it; null before the first. */
  bundle(table, last) {
    const mine = this.of(table).filter(({ index }) => index <= last);
    const begins = ({ json: { command, events } }) =>
      (command.commit_shoe || command.call_hand) && events.some(event => event.shoe_committed);
    const from = mine.findLastIndex(begins);
    if (from < 0) return null;
    const no = mine[from].json.events.find(event => event.shoe_committed).shoe_committed.shoe_no;
    const ends = event => [event.shoe_revealed, event.shoe_sealed].some(over => over && over.shoe_no === no);
    const end = mine.findIndex(({ json }, i) => i >= from && json.events.some(ends));
    const entries = mine.slice(from, end < 0 ? mine.length : end + 1), first = entries[0].index, opening = mine[0];
    last = entries[entries.length - 1].index;
    const starts = this.log.filter(({ json }) => json.command.start_dealer);
    const before = starts.filter(({ index }) => index < first).pop();
    const between = starts.filter(({ index }) => index > first && index < last);
    const all = new Set([opening, before, ...between, ...keysOf([opening, ...entries], this.log)]);
    const context = [...all].sort((a, b) => a.index - b.index);
    const inOrder = [...context, ...entries].sort((a, b) => a.index - b.index);
    const round = entries.flatMap(({ json }) => json.events)
      .map(event => event.bets_closed || event.hand_begun)
      .find(begun => begun);
    const bare = ({ index, entry }) => ({ index, entry, proof: this.path(index) });
    return JSON.stringify({
      fairshoe_bundle: 1, round: `${table}:${round ? round.round_no : 0}`,
      vkey: this.vkey, checkpoint: this.checkpoint,
      context: context.map(bare), entries: entries.map(bare),
      openings: openingsOf(inOrder, table, this.origin, this.master),
    });
  }
}

function vectorLog(name) {
  const { entries, master } = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
  return new Signed(entries, JSON.parse(entries[0]).command.start_dealer.origin, verify.unhex(master, 32));
}

/** A house with its own log: the tests' dealer has its master key. */
const sceneLog = scene => new Signed(scene.log, ORIGIN, verify.utf8('a master of thirty-two bytes ....'));

const failureOf = action => {
  try { action(); } catch (error) {
    if (error instanceof verify.Unsound) return error;
    throw error;
  }
  return null;
};
const judge = (file, log) => verify.verifyFollowed(JSON.stringify(file), log.vkey);
const lastWords = ({ story }) => story[story.length - 1];

// --- Shown and never proven ---------------------------------------------------------------------------

/** An entry shown without a proof is not forgotten with its shoe. */
function renewed() {
  const log = vectorLog('entries-shared.json'), table = 'live', mine = log.of(table);
  const shoes = mine.filter(({ json }) => json.command.commit_shoe).map(({ index }) => index);
  const at = mine.findIndex(({ index }) => index > shoes[0] + 12), { index, entry, json } = mine[at];
  const later = mine[mine.findIndex(one => one.index === shoes[1]) + 4];
  const junk = JSON.stringify({
    v: 1, time: json.time + 1, by: 'player:alice', at: { table, seq: json.at.seq + 1 },
    command: { leave_seat: { table } }, signed: { nonce: 1, signature: '00'.repeat(64) }, events: [],
  });
  const other = JSON.stringify({ ...json, time: json.time + 1 });
  const lies = { honest: [index, entry], text: [index, other], place: [index + 1, entry] };
  for (const [name, [shownAt, shown]] of Object.entries(lies)) {
    const follower = new verify.Follower(log.bundle(table, mine[at - 1].index), log.vkey);
    assert.strictEqual(follower.takePending(shownAt, shown).entries.length, 1, name);
    assert.deepStrictEqual(follower.takePending(shownAt + 1, junk).needs, { bundle: true }, name);
    const change = follower.renew(log.bundle(table, later.index));
    assert.deepStrictEqual(change.needs, { entries: json.at.seq }, `${name}: what was shown has to be proven`);
    assert.strictEqual(follower.verdict().verdict, 'sound_so_far', name);
    // Going on does not forget it either.
    const next = mine[mine.indexOf(later) + 1].index;
    assert.deepStrictEqual(follower.take([log.item(next)], log.checkpoint).needs, { entries: json.at.seq }, name);
    const error = failureOf(() => follower.take([log.item(index)], log.checkpoint));
    if (name === 'honest') {
      assert.strictEqual(error, null, String(error));
      assert.deepStrictEqual([follower.needs, follower.unproven.size], [null, 0]);
      continue;
    }
    assert(error && error.check === 'inclusion', `${name}: ${error}`);
    const file = JSON.parse(follower.evidence().text), texts = file.pending.map(one => one.entry);
    assert(texts.includes(shown) && texts.includes(entry), `${name}: both texts are in the evidence`);
    const report = judge(file, log);
    assert(report.verdict === 'sound_so_far' && / Found was: .*\[inclusion\]/.test(lastWords(report)), name);
  }
}

/**
 * A player signs with a key that is set since the bundle. Between two shoes no bundle shows it: what they do is known
 * by the other rules, and is not called decided. During a shoe it waits for the bundle.
 */
function newKey() {
  const log = vectorLog('entries-poker.json'), table = 'holdem', mine = log.of(table), seen = { between: 0, during: 0 };
  const seats = follower => JSON.stringify(follower.table().cash.seats);
  const ofPlayer = ({ json: { by, command } }) =>
    by !== 'house' && ['sit_down', 'sit_in', 'sit_out', 'leave_seat'].some(name => command[name]);
  for (const { index, entry } of mine.filter(ofPlayer)) {
    const signed = `"signed":{"nonce":1,"signature":"${'00'.repeat(64)}"},"events":`;
    const texts = log.log.map(one => (one.index === index ? entry.replace('"events":', signed) : one.entry));
    const keyed = new Signed(texts, log.origin, log.master), text = keyed.bundle(table, index - 1);
    if (!text) continue;
    const follower = new verify.Follower(text, keyed.vkey), name = `entry ${index}`;
    for (const { index: at, json: { at: { seq } } } of mine)
      if (seq >= follower.nextSeq && at < index) follower.takeReceipt(keyed.kept(at));
    assert.strictEqual(follower.failure || follower.needs, null, name);
    const [isBetween, before] = [follower.isOver(), seats(follower)];
    const { needs, entries } = follower.takeReceipt(keyed.kept(index));
    seen[isBetween ? 'between' : 'during']++;
    assert.deepStrictEqual(needs, isBetween ? null : { bundle: true }, name);
    assert.deepStrictEqual(entries.map(({ proven, decided }) => [proven, decided]), isBetween ? [[true, false]] : []);
    assert.strictEqual(seats(follower) !== before, isBetween, name);
  }
  assert(seen.between && seen.during, JSON.stringify(seen));
}

/** Two texts for one place, both under a checkpoint: that is signed, and unsound. */
function signedTwice() {
  const log = vectorLog('entries-shared.json'), table = 'live', mine = log.of(table), { index } = mine[14];
  const texts = log.log.map(({ entry }) => entry);
  texts[index] = JSON.stringify({ ...mine[14].json, time: mine[14].json.time + 1 });
  const other = new Signed([...texts, texts[texts.length - 1]], log.origin, log.master);
  const follower = new verify.Follower(log.bundle(table, mine[13].index), log.vkey);
  follower.takeReceipt(log.kept(index));
  const error = failureOf(() => follower.takeReceipt(other.kept(index)));
  assert(error && error.check === 'inclusion' && error.entry === index, String(error));
  const report = judge(JSON.parse(follower.evidence().text), log);
  assert.deepStrictEqual([report.verdict, report.findings[0].check], ['not_sound', 'inclusion']);
}

/** What a server can hand to a follower and may not: each by the check, and the entry, that it breaks. */
function handed() {
  const log = vectorLog('entries-shared.json'), table = 'live', mine = log.of(table);
  const shows = ({ json }) => json.events.some(({ play }) => play && play.dealt && play.dealt.card);
  const at = mine.findIndex(shows), { index, entry } = mine[at], item = log.item(index), before = mine[at - 1].index;
  const stranger = log.log.find(({ json }) => json.at && json.at.table !== table && json.at.table);
  const texts = log.log.map(one => one.entry);
  const signed = (place, text) =>
    new Signed(texts.map((was, n) => (n === place ? text : was)), log.origin, log.master);
  const { slot, card } = mine[at].json.events.map(({ play }) => play && play.dealt).find(dealt => dealt && dealt.card);
  const { openings } = JSON.parse(log.bundle(table, index)), own = openings.find(one => one.slot === slot);
  const refused = (check, where, words, hand, by = log) => {
    const follower = new verify.Follower(by.bundle(table, before), by.vkey);
    const error = failureOf(() => hand(follower));
    assert(error && error.check === check && error.entry === where, `${words}: ${error} at ${error && error.entry}`);
    assert(error.message.includes(words), error.message);
  };
  const takes = (more, by = log) => follower => follower.take([{ ...item, ...more }], by.checkpoint);
  assert(own, 'an opening of the first card');
  refused('opening_missing', index, 'without an opening', takes({ openings: [] }));
  refused('opening', index, 'malformed', takes({ openings: [{ slot }] }));
  refused('opening', index, 'does not lead', takes({ openings: [{ ...own, salt: '00'.repeat(16) }] }));
  const unseen = openings.length + 300;
  refused('opening', index, 'does not lead', takes({ openings: [{ ...own, slot: unseen }] }));
  refused('inclusion', index, 'malformed', takes({ proof: ['AAAA'] }));
  refused('table_seq', index, 'the entry\'s place', takes({ seq: item.seq + 1 }));
  const other = signed(texts.length - 1, texts[texts.length - 2]);
  refused('fork', undefined, 'two roots', takes({}, other));
  refused('receipt', undefined, 'not of', follower => follower.takeReceipt({ ...log.kept(index), index: index + 1 }));
  refused('bundle_order', stranger.index, 'not of this table',
    follower => follower.take([log.item(stranger.index)], log.checkpoint));
  // The next place of the table, in an entry before its last one; a longer log has it.
  const longer = texts.map((was, n) => (n === 1 ? entry : was)).concat(texts[1]);
  const early = new Signed(longer, log.origin, log.master);
  refused('bundle_order', 1, 'comes after it',
    follower => follower.take([{ ...early.item(1), openings: [own] }], early.checkpoint));
  // The log shows another suit, and the opening the card.
  const suit = signed(index, entry.replace(`"card":"${card}"`, `"card":"${card[0]}${card[1] === 'h' ? 's' : 'h'}"`));
  refused('opening', index, 'the log shows',
    follower => follower.take([{ ...suit.item(index), openings }], suit.checkpoint), suit);
}

/** A file in which the log contradicts itself, each part signed. */
function contradicted() {
  const log = vectorLog('entries-shared.json'), mine = log.of('live'), texts = log.log.map(one => one.entry);
  const over = mine.find(({ json }) => json.events.some(event => event.shoe_revealed));
  const whole = JSON.parse(new verify.Follower(log.bundle('live', over.index), log.vkey).evidence().text);
  const { index, entry, json } = mine[13];
  const found = (check, text, isOther, from) => {
    const other = new Signed(texts.map((was, n) => (n === index ? text : was)), log.origin, log.master);
    const kept = one => (isOther(one) ? other.kept(one.index) : one);
    const { context, entries } = whole;
    const { findings: [first] } = judge({ ...whole, context: context.map(kept), entries: entries.map(kept) }, log);
    assert.deepStrictEqual([first && first.check, first && first.entry], [check, from]);
  };
  found('fork', entry.replace(/"time":\d+/, `"time":${json.time + 1}`), one => one.index === index, undefined);
  const away = entry.replace(/("command":\{"[a-z_]+":\{"table":)"live"/, '$1"away"');
  const before = entry.replace(`"seq":${json.at.seq}`, `"seq":${json.at.seq - 1}`);
  for (const text of [away, before]) found('table_seq', text, () => true, index);
}

/**
 * The unproven entries are bounded: beyond the bound further entries need a proof at once, until the first are proven.
 */
function bounded() {
  const scene = new Scene();
  scene.startDealer();
  scene.player('alice', 1000000).player('bob', 1000000);
  scene.open('wheel', rules('roulette'));
  scene.sit('alice', 'wheel', 1).sit('bob', 'wheel', 2);
  const mine = () => scene.log.filter(text => JSON.parse(text).at?.table === 'wheel').length;
  while (mine() < 1200) {
    scene.run();
    scene.bet('alice', 'wheel', 'red', 100);
    for (let i = 0; i < 9; i++) {
      scene.tables.get('wheel').changes.clear();
      scene.give('player:alice', { cancel_bet: { table: 'wheel', round_no: scene.tables.get('wheel').window.no } });
      scene.bet('alice', 'wheel', 'red', 100 + i);
    }
    scene.bet('bob', 'wheel', 'black', 100).run();
    const { window } = scene.tables.get('wheel');
    if (window) scene.pass(window.closesAt - scene.clock);
    scene.reveal('wheel').run();
  }
  const log = sceneLog(scene), table = log.of('wheel');
  const follower = new verify.Follower(log.bundle('wheel', table[2].index));
  assert.strictEqual(follower.failure, null);
  const first = table.findIndex(({ index }) => index > follower.lastIndex), from = table[first].json.at.seq;
  let asked = null, taken = 0;
  for (const { index, entry } of table.slice(first)) {
    const change = follower.takePending(index, entry);
    if (change.needs) { asked = change.needs; break; }
    taken++;
  }
  assert.deepStrictEqual([asked, taken], [{ entries: from }, 1024]);
  // A refusal has no consequences; the page requests the named data, and continues.
  for (let tries = 0; follower.needs; tries++) {
    assert(tries < 8, 'as the page asks: so often');
    const page = table.filter(({ json }) => json.at.seq >= follower.needs.entries).slice(0, 256);
    for (const { index } of page) follower.takeReceipt(log.kept(index));
  }
  assert.strictEqual(follower.failure, null);
  const rest = table.filter(({ json }) => json.at.seq >= follower.nextSeq);
  assert(rest.length && follower.takePending(rest[0].index, rest[0].entry).entries.length === 1);
}

// --- Evidence ---------------------------------------------------------------------------------------

/** Ways in which a person who passes a file on can spoil it: they say nothing about the house. */
const SPOILT = {
  as_it_is() {},
  entry_out(file) { if (file.entries.length) file.entries.splice(rng(file.entries.length), 1); },
  tail_out(file) { file.entries.length = rng(file.entries.length + 1); },
  head_out(file) { file.entries.splice(0, 1 + rng(file.entries.length)); },
  context_out(file) { file.context.splice(rng(file.context.length), 1); },
  older_start(file, log) {
    const at = file.context.findIndex(({ entry }) => JSON.parse(entry).command.start_dealer);
    const starts = log.log.filter(({ json }) => json.command.start_dealer);
    file.context[at] = log.kept(pick(starts).index);
    file.context.sort((a, b) => a.index - b.index);
  },
  no_later_start(file) {
    const starts = file.context.filter(({ entry }) => JSON.parse(entry).command.start_dealer);
    file.context.splice(file.context.indexOf(starts[starts.length - 1]), 1);
  },
  opening(file) {
    if (!file.openings.length) return;
    const opening = pick(file.openings);
    if (rng(2)) opening.value = (opening.value + 1) % 52; else opening.salt = '00'.repeat(16);
  },
  openings_out(file) { file.openings = []; },
  pending(file) { file.pending.push({ index: 1000000, entry: '{"lie":1}' }); },
  finding(file) { file.finding = { check: 'opening', message: 'so it is said', entry: 3, table: 'none' }; },
};

function spoil(file, log, name, title) {
  const changed = copy(file);
  SPOILT[name](changed, log);
  let report;
  try {
    report = judge(changed, log);
  } catch (error) {
    if (!(error instanceof verify.Unusable)) throw error;
    assert.notStrictEqual(name, 'as_it_is', `${title}: ${error.message}`);
    counts.unusable++;
    return;
  }
  assert.notStrictEqual(report.verdict, 'not_sound', `${title}, ${name}: ${lastWords(report)}`);
  if (changed.pending.length || changed.finding)
    assert.strictEqual(report.verdict, 'sound_so_far', `${title}, ${name}`);
  assert(lastWords(report).startsWith(report.verdict === 'sound' ? 'SOUND. ' : 'SOUND SO FAR. '), lastWords(report));
  counts[report.verdict === 'sound' ? 'sound' : 'so_far']++;
}

/** A table from its first shoe on, with each entry in any form; the evidence is checked all along. */
function followAll(log, table, title) {
  let follower = null;
  for (const { index, entry } of log.of(table)) {
    if (!follower) {
      const text = log.bundle(table, index);
      if (text) follower = new verify.Follower(text, log.vkey);
      continue;
    }
    counts.steps++;
    let change;
    if (rng(4) === 0) change = follower.takePending(index, entry);
    else {
      const { proof } = log.kept(index);
      change = follower.takeReceipt({ index, entry, proof });
    }
    for (let tries = 0; change.needs && tries < 8; tries++) {
      const { bundle, entries: from } = change.needs;
      if (bundle) { counts.renewed++; change = follower.renew(log.bundle(table, index)); continue; }
      for (const { index: at } of log.of(table).filter(({ json }) => json.at.seq >= from)) {
        if (at <= index) change = follower.takeReceipt(log.kept(at));
        if (change.needs && change.needs.bundle) break;
      }
    }
    if (rng(6) === 0) {
      for (const item of [...follower.unproven]) follower.takeReceipt(log.kept(item.index));
      // Openings come with a bundle as well as with an entry.
      follower.renew(log.bundle(table, index));
    }
    assert.strictEqual(follower.failure, null, title);
    if (rng(5)) continue;
    counts.files++;
    const file = JSON.parse(follower.evidence().text);
    spoil(file, log, 'as_it_is', `${title} ${index}`);
    for (let i = 0; i < Number(cuts); i++) spoil(file, log, pick(Object.keys(SPOILT)), `${title} ${index}`);
  }
}

/** Two starts of the dealer, the second in the middle of a round: the next shoe's unneeded context is dropped. */
function restarted() {
  const scene = new Scene();
  scene.startDealer();
  scene.player('alice', 100000);
  scene.open('wheel', rules('roulette')).sit('alice', 'wheel', 1);
  for (let i = 0; i < 3; i++) {
    scene.run().bet('alice', 'wheel', 'red', 100).run();
    if (scene.tables.get('wheel').window) scene.pass(scene.tables.get('wheel').window.closesAt - scene.clock);
    scene.clock += 10;
    if (i < 2) scene.startDealer().startDealer().run();
    scene.reveal('wheel').run();
  }
  return sceneLog(scene);
}

function honest() {
  for (let i = 0; i < 4; i++) followAll(restarted(), 'wheel', 'restarted');
  for (const name of fs.readdirSync(folder).filter(file => /^(entries-.*|player-keys)\.json$/.test(file)).sort()) {
    const log = vectorLog(name);
    const opened = log.log.map(({ json: { command } }) => command.open_table).filter(one => one);
    for (const { table } of opened)
      if (rng(100) < Number(share)) followAll(log, table, `${name} ${table}`);
  }
}

/** Invalid follower files, and a finished shoe's file. */
function forms() {
  const log = vectorLog('entries-shared.json'), table = 'live', mine = log.of(table);
  const over = mine.find(({ json }) => json.events.some(event => event.shoe_revealed));
  const whole = JSON.parse(new verify.Follower(log.bundle(table, over.index), log.vkey).evidence().text);
  assert.strictEqual(judge(whole, log).verdict, 'sound');
  assert.strictEqual(judge({ ...whole, pending: [{ index: 9999, entry: '{}' }] }, log).verdict, 'sound_so_far');
  const text = JSON.stringify(whole);
  const unusable = {
    'a null opening': { openings: [null] },
    'half an opening': { openings: [{ slot: 1 }] },
    'too many openings': { openings: Array(4097).fill({ slot: 0, value: 0, salt: '00'.repeat(16), path: [] }) },
    'a finding that is none': { finding: 5 },
    'a finding of other things': { finding: { check: 'x', message: { a: 1 } } },
    'a round with more behind it': { round: `${whole.round}:99` },
    'a round beyond numbers': { round: 'live:99999999999999999999' },
    'a pending number': { pending: [5] },
    'another version': { fairshoe_follow: 2 },
    'a field more': { more: 1 },
    'half a character': { pending: [{ index: 1, entry: '\ud800' }] },
    'no context': { context: [] },
    'no entries': { entries: [] },
    'another proof': { entries: [{ ...whole.entries[0], proof: whole.entries[1].proof }, ...whole.entries.slice(1)] },
    'entries in another order': { entries: [...whole.entries].reverse() },
    'another key': { vkey: log.vkey.replace('+', 'x+') },
  };
  for (const [name, change] of Object.entries(unusable))
    assert.throws(() => judge({ ...whole, ...change }, log), verify.Unusable, name);
  const twice = text.replace('"finding":null', '"finding":null,"finding":null');
  for (const spelling of [twice, text.replace('"index":0', '"index":0.0')])
    assert.throws(() => verify.verifyFollowed(spelling, log.vkey), verify.Unusable);
  // Signed entries are distinguished from omissions: no entry lies between two consecutive ones.
  const texts = log.log.map(({ entry }) => entry), at = mine[12].index;
  assert.strictEqual(mine[11].index + 1, at);
  for (let i = 12; i < mine.length; i++)
    texts[mine[i].index] = mine[i].entry.replace(/"seq":\d+/, `"seq":${mine[i].json.at.seq + 1}`);
  const skips = new Signed(texts, log.origin, log.master);
  const entries = mine.slice(1, 14).map(({ index }) => skips.kept(index));
  const report = judge({ ...whole, context: whole.context.map(({ index }) => skips.kept(index)), entries }, skips);
  assert.deepStrictEqual([report.verdict, report.findings[0].check], ['not_sound', 'table_seq']);
}

renewed();
newKey();
signedTwice();
handed();
contradicted();
forms();
bounded();
honest();
assert(counts.files && counts.so_far && counts.sound && counts.unusable && counts.renewed, JSON.stringify(counts));
console.log(JSON.stringify(counts));

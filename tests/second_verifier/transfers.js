#!/usr/bin/env node
// Logs that know each other, and chips that go between them (spec/transfers.md): a house that sends and claims, one
// that it knows, and logs whose houses lie. Each claim that must be refused is tried twice: as a command, and as an
// entry that a lying house still wrote.
// node transfers.js: tries everything and prints one JSON object of counts; exit code 1 if something is wrong.
// node transfers.js --vectors FILE: writes spec/vectors/entries-transfers.json.
// node transfers.js --cases FILE: the lies, for another verifier: the entry at `at` after the log's first entries, and
// the check that finds it there (`check`; `money`, by the ledger alone).
'use strict';
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { random } = require('./bundles.js');
const { PLAYER, signer, leavesOf, writeMirror } = require('./checks.js');
const { Scene, pathTo, hash, verify } = require('./dealer.js');
const { options } = require('./options.js');
const { base64, concat, hex, label, leafHash, nodeHash, sha256, treeRoot, utf8 } = verify;

const T0 = 1800000000000, HALF = 2 ** 52 - 1, MOST = 2 ** 53 - 1;
const MASTER = utf8('a master of thirty-two bytes ....').slice(0, 32); // the one of dealer.js
const HERE = 'fairshoe.example/b', THERE = 'fairshoe.example/a', THIRD = 'fairshoe.example/c';
/** Logs whose houses lie, under names that may be mistaken for something else. */
const ODD = 'odd"log\\of:a/b-__proto__', PROTO = '__proto__', RICH = 'constructor';
const SECONDS = 1800000100;

const text64 = text => Buffer.from(text).toString('base64');
const logKey = (origin, fill) => signer(origin, 1, fill);
const witness = (n, fill = 20 + n) => signer(`witness.example/w${n}`, 4, fill);
const WITNESSES = [1, 2, 3].map(n => witness(n));

// --- Policies and receipts ------------------------------------------------------------------------

/** A policy of this log's key: receipts need `least` of three witnesses, 0 for none. */
function policyOf(key, least = 0) {
  const lines = [`log ${key.vkey}`, ...WITNESSES.map((one, i) => `witness w${i + 1} ${one.vkey}`)];
  return least
    ? `${lines.join('\n')}\ngroup enough ${least} w1 w2 w3\nquorum enough\n`
    : `log ${key.vkey}\nquorum none\n`;
}
const know = (log, policy) => ({ know_log: { log, ...(policy === undefined ? {} : { policy: text64(policy) }) } });

/** A .tlog-proof file of these parts. */
function proof({ index, hashes, origin, size, root, by, cosigners = [], lines = [], extra = '', head, seconds }) {
  const text = `${origin}\n${size}\n${base64(root)}\n`;
  const cosigned = cosigners.map((one, i) => one.cosigned(text, (seconds || SECONDS) + i)).join('');
  return (
    `${head || 'c2sp.org/tlog-proof@v1'}\n${extra}index ${index}\n` +
    `${hashes.map(one => `${base64(one)}\n`).join('')}\n${by.note(text)}${cosigned}${lines.join('')}`
  );
}

/** The receipt of an entry under the first `size` entries of a log `{origin, key, log}`; `more` changes parts of it. */
function receiptOf({ origin, key, log }, index, more = {}) {
  const size = more.size || log.length, leaves = leavesOf(log.slice(0, size));
  return proof({
    index, origin, size, root: treeRoot(leaves), by: key, hashes: pathTo(index, leaves),
    cosigners: WITNESSES.slice(0, 2), ...more,
  });
}

/** The claim on an entry of such a log. */
const claimOn = (from, index, more = {}) => ({
  transfer_in: { from: from.origin, entry: from.log[index], receipt: text64(receiptOf(from, index, more)) },
});
const withFields = (claim, fields) => ({ transfer_in: { ...claim.transfer_in, ...fields } });

// --- Houses ---------------------------------------------------------------------------------------

class House extends Scene {
  constructor(origin, fill) {
    super({}, origin);
    Object.assign(this, { clock: T0, key: logKey(origin, fill), refused: [] });
    this.start();
  }

  start() {
    return this.give('house', {
      start_dealer: {
        origin: this.origin,
        epoch: hash(`${this.origin} ${this.log.length}`),
        master_id: hex(sha256(concat(label('master-id'), MASTER))),
        software: 'fairshoe/0.1.0',
      },
    });
  }

  operator(command) { this.clock += 1000; return this.give('operator', command); }
  known(log, policy) { return this.operator(know(log, policy)); }
  send(to, player, amount, by = 'operator') {
    this.clock += 1000;
    return this.give(by, { transfer_out: { to, player, amount } });
  }
  claim(command, by = 'anyone') { this.clock += 1000; return this.give(by, command); }

  /** This command is refused now, with that code. */
  refuses(about, code, command, by = 'anyone') {
    this.refused.push({ about, after_entries: this.log.length, by, code, command, now: this.clock });
    const said = verify.copyOf(this.house).refusalOf(this.clock, by, command);
    assert.strictEqual(said, code, `${about}: ${said}, not ${code}`);
    return this;
  }

  lines() { return this.log.slice(); }
}

/** The index of the entry that sends number `no` to `to`. */
const placeOf = (log, to, no) =>
  log.findIndex(line => {
    const { events } = JSON.parse(line), [sent] = events.flatMap(({ transferred_out: out }) => (out ? [out] : []));
    return sent && sent.to === to && sent.no === no;
  });

/**
 * An entry of a house that sends any amount without having it; `change` makes another of it.
 */
function sentEntry({ to = HERE, no, player, amount }, change = entry => entry) {
  const entry = {
    v: 1, time: T0 + no % 1000, by: 'operator', before: [[player, amount]],
    command: { transfer_out: { to, player, amount } },
    events: [
      { posted: { lines: [[`player:${player}`, -amount, 0], [`transfers:${to}`, amount, amount]] } },
      { transferred_out: { to, no, player, amount } },
    ],
  };
  const changed = change(entry);
  return typeof changed === 'string' ? changed : JSON.stringify(changed || entry);
}

/** The same entry, made exactly this long by the balances that it states. */
function ofLength(sent, length) {
  return sentEntry(sent, entry => {
    const name = size => [['x'.repeat(size), 0]], left = () => length - JSON.stringify(entry).length;
    while (left() > 2 * 71) entry.before.push(...name(64));
    // One stated balance takes 7 bytes beside its name.
    const half = Math.floor(left() / 2);
    entry.before.push(...name(half - 7), ...name(left() - half - 7));
    assert.strictEqual(JSON.stringify(entry).length, length);
  });
}

/** Logs of houses that lie: their entries are made on request, and signed unchanged. */
class LyingLog {
  constructor(origin, fill) { Object.assign(this, { origin, key: logKey(origin, fill), log: ['{"a":"start"}'] }); }

  /** A claim on an entry that this house adds. */
  claim(text, more) {
    this.log.push(text);
    return claimOn(this, this.log.length - 1, more);
  }
  sends(sent, change) { return this.claim(sentEntry(sent, change)); }
}

/** The known, honest house: it sends to HERE and elsewhere. `ben` has a key in both logs. */
function thereHouse() {
  const house = new House(THERE, 31);
  for (const player of ['ann', 'cat', 'dan', 'eve']) house.player(player, 10000);
  house.known(HERE, policyOf(logKey(HERE, 32))).known(THIRD, policyOf(logKey(THIRD, 33)));
  house.send(HERE, 'ann', 500).send(HERE, 'cat', 300, 'player:cat').send(THIRD, 'ann', 50);
  house.send(HERE, 'ann', 200).send(HERE, 'cat', 100).send(HERE, 'dan', 10).send(HERE, 'ann', 7);
  return house.operator({ credit: { player: 'ann', amount: 1 } });
}

// --- Claims that must be refused --------------------------------------------------------------------

const flipped = (text, at, by = 'A') => text.slice(0, at) + (text[at] === by ? 'B' : by) + text.slice(at + 1);

/** A receipt of exactly this length, by an unrequested signature and unsigned data. */
function receiptOfLength(from, index, length) {
  const stranger = size => signer('s'.repeat(size), 4, 40);
  for (let size = 1; size <= 4; size++) {
    const make = blocks => {
      const text = `${from.origin}\n${from.log.length}\n${base64(treeRoot(leavesOf(from.log)))}\n`;
      const extra = `extra ${'AAAA'.repeat(blocks)}\n`;
      return receiptOf(from, index, { extra, lines: [stranger(size).cosigned(text, SECONDS)] });
    };
    const left = length - utf8(make(1)).length;
    if (left % 4 === 0) return make(1 + left / 4);
  }
  throw new Error('no such length');
}

/** Invalid base64 texts in place of a valid receipt. */
function malformedTexts(house, good) {
  const { receipt } = good.transfer_in, last = receipt.replace(/=+$/, '').length - 1;
  const lie = (about, text) => house.refuses(`receipt: ${about}`, 'claim_refused', withFields(good, { receipt: text }));
  lie('nothing', '');
  lie('a character that base64 has not', flipped(receipt, 40, '*'));
  lie('the other alphabet', flipped(receipt, 40, '-'));
  lie('a blank behind', `${receipt} `);
  lie('a blank within', `${receipt.slice(0, 40)} ${receipt.slice(40)}`);
  lie('a block too many of padding', `${receipt}====`);
  assert(receipt.endsWith('='), 'a receipt without padding shows nothing of padding');
  lie('without padding', receipt.replace(/=+$/, ''));
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const spare = digits[digits.indexOf(receipt[last]) + 1];
  lie('bits that stand for nothing set', receipt.slice(0, last) + spare + receipt.slice(last + 1));
  lie('not encoded', receiptOf({ origin: HERE, key: house.key, log: house.log }, 0).split('\n')[0]);
}

/** Receipts that do not lead from the entry to a checkpoint that the policy accepts. */
function wrongReceipts(house, from, index) {
  const good = claimOn(from, index), whole = receiptOf(from, index);
  const lie = (about, text) =>
    house.refuses(`receipt: ${about}`, 'claim_refused', withFields(good, { receipt: text64(text) }));
  const other = (about, more) => lie(about, receiptOf(from, index, more));
  const next = index === 0 ? 1 : index - 1, hashes = pathTo(index, leavesOf(from.log));
  lie('of another version', whole.replace('@v1', '@v2'));
  lie('an index with a leading zero', whole.replace('index ', 'index 0'));
  lie('without its last newline', whole.slice(0, -1));
  lie('lines that end as elsewhere', whole.replace(/\n/g, '\r\n'));
  lie('a line too many', whole.replace('index ', 'more\nindex '));
  lie('a checkpoint alone', whole.slice(whole.indexOf('\n\n') + 2));
  lie('extra data of no byte', whole.replace('index ', 'extra \nindex '));
  other('another index', { index: next });
  other('an index outside the tree', { index: from.log.length });
  other('a hash too few', { hashes: hashes.slice(0, -1) });
  other('a hash too many', { hashes: [...hashes, hashes[0]] });
  other('hashes in another order', { hashes: [hashes[1], hashes[0], ...hashes.slice(2)] });
  other('another root', { root: leafHash(utf8('another')) });
  other('the path of a smaller tree', { hashes: pathTo(index, leavesOf(from.log.slice(0, -1))) });
  lie('a root that was not signed', whole.replace(`\n${from.log.length}\n`, `\n${from.log.length - 1}\n`));
  other('a size with a leading zero, signed', { size: `0${from.log.length}`, root: treeRoot(leavesOf(from.log)) });
  other('signed with another key of the name', { by: logKey(from.origin, 99) });
  other('signed by nobody whom the policy names', { by: logKey(THIRD, 33) });
  other("another log's checkpoint", { origin: THIRD });
  other("another log's checkpoint and key", { origin: THIRD, by: logKey(THIRD, 33) });
  const [w1, w2, w3] = WITNESSES;
  other('no witness', { cosigners: [] });
  other('one witness', { cosigners: [w1] });
  other('one witness twice', { cosigners: [w1, w1] });
  other('one witness, and somebody whom the policy does not name', { cosigners: [w1, witness(4)] });
  other('one witness, and another under the name of the second', { cosigners: [w1, witness(2, 77)] });
  const text = `${from.origin}\n${from.log.length}\n${base64(treeRoot(leavesOf(from.log)))}\n`;
  const elsewhere = w2.cosigned(text.replace(String(from.log.length), '1'), SECONDS);
  other("a witness's word on another checkpoint", { cosigners: [w1], lines: [elsewhere] });
  other('enough witnesses, and a bad line of the third', { lines: [w3.cosigned(`${text}x\n`, SECONDS)] });
  const changed = w3.cosigned(text, SECONDS).split(' '), bytes = Buffer.from(changed[2], 'base64');
  bytes[11] ^= 1;
  other('a cosigning time that was not signed', {
    lines: [`${changed[0]} ${changed[1]} ${bytes.toString('base64')}\n`],
  });
  const asLog = signer('witness.example/w2', 1, 22);
  other("a witness's key used as a log's", { cosigners: [w1], lines: [asLog.note(text).split('\n\n')[1]] });
  return good;
}

/** Entries of a lying house, each on its log as stated: none of them sends to HERE. */
function wrongEntries(house, from) {
  const sent = no => ({ no, player: 'ann', amount: 5 });
  let no = 100;
  const lie = (about, change, more = {}) => {
    const text = sentEntry({ ...sent(no++), ...more }, change);
    return house.refuses(`entry: ${about}`, 'claim_refused', from.claim(text));
  };
  lie('sent to another log', entry => entry, { to: THIRD });
  lie('sent to a name that differs in case', entry => entry, { to: HERE.toUpperCase() });
  lie('sent to the log itself', entry => entry, { to: from.origin });
  lie('sent elsewhere by its event', entry => { entry.events[1].transferred_out.to = THIRD; });
  lie('the event is not the last', entry => { entry.events.reverse(); });
  lie('no event', entry => { entry.events = []; });
  lie('the event of another number behind', entry => { entry.events.push({ player_created: { player: 'x' } }); });
  lie('another command', entry => { entry.command = { credit: { player: 'ann', amount: 5 } }; });
  lie('a claim', entry => {
    entry.command = { transfer_in: { from: HERE, entry: '', receipt: '' } };
  });
  lie('what was claimed there', entry => {
    entry.events[1] = { transferred_in: { from: HERE, no: 3, index: 1, player: 'ann', amount: 5 } };
  });
  lie('a blank behind', entry => `${JSON.stringify(entry)} `);
  lie('blanks within', entry => JSON.stringify(entry).replace(/,/g, ', '));
  lie('fields in another order', ({ v, by, time, ...rest }) => ({ v, by, time, ...rest }));
  lie("an event's fields in another order", entry => {
    const { to, no: number, player, amount } = entry.events[1].transferred_out;
    entry.events[1] = { transferred_out: { no: number, to, player, amount } };
  });
  lie('another version', entry => ({ ...entry, v: 2 }));
  lie('a field too many', entry => ({ ...entry, note: 'x' }));
  lie('a field twice', entry => JSON.stringify(entry).replace('"v":1,', '"v":1,"v":1,'));
  lie('an amount below zero', entry => { entry.events[1].transferred_out.amount = -5; });
  lie('an amount that is no whole number', entry => { entry.events[1].transferred_out.amount = 5.5; });
  lie('an amount beyond the range', entry =>
    JSON.stringify(entry).replace(/"amount":5}}\]/, '"amount":9007199254740992}}]'));
  lie('an escape where none is needed', entry => JSON.stringify(entry).replace('"ann"', '"\\u0061nn"'));
  lie('no JSON', () => 'transfer_out');
  house.refuses('entry: none', 'claim_refused', from.claim(''));
  house.refuses('entry: 4,097 bytes', 'claim_refused', from.claim(ofLength(sent(no++), 4097)));
  const good = from.claim(sentEntry(sent(no++))), other = from.claim(sentEntry(sent(no++)));
  house.refuses("another entry's bytes", 'claim_refused', withFields(good, { entry: other.transfer_in.entry }));
  const more = good.transfer_in.entry.replace(/"amount":5/g, '"amount":6');
  house.refuses('an entry that was changed', 'claim_refused', withFields(good, { entry: more }));
  house.refuses("another log's name", 'claim_refused', withFields(good, { from: THERE }));
  house.refuses('a log that is not known', 'unknown_log', withFields(good, { from: 'toString' }));
  house.refuses('the log itself', 'unknown_log', withFields(good, { from: HERE }));
}

/** The place of an entry that no entry here can name, and the last one that can be named. */
function farAway(house, from) {
  const text = no => sentEntry({ no, player: 'ann', amount: 3 }), side = leafHash(utf8('side'));
  const claim = (entry, parts) => ({
    transfer_in: { from: from.origin, entry, receipt: text64(proof({ origin: from.origin, by: from.key, ...parts })) },
  });
  const last = text(200), beyond = text(201), hashes = Array(53).fill(side);
  const root = hashes.reduce((right, left) => nodeHash(left, right), leafHash(utf8(last)));
  house.refuses('an index above 2^53 − 1', 'claim_refused', claim(beyond, {
    index: '9007199254740992', size: '9007199254740993', hashes: [side], root: nodeHash(side, leafHash(utf8(beyond))),
  }));
  house.claim(claim(last, { index: MOST, size: '9007199254740992', hashes, root }));
}

// --- The log of the vectors -------------------------------------------------------------------------

/** The operator's statements about other logs, and the forbidden ones. */
function namesLogs(house, there) {
  const key = logKey(THERE, 31), good = policyOf(key, 2), short = `log ${key.vkey}\n`;
  const no = (about, policy, code = 'malformed', log = THERE) =>
    house.refuses(`know_log: ${about}`, code, know(log, policy), 'operator');
  no('a log that was never named, without a policy', undefined, 'nothing_to_do');
  no('the log itself', policyOf(house.key), 'malformed', HERE);
  no('the log itself, without a policy', undefined, 'malformed', HERE);
  no('no quorum', short);
  no('no log', 'quorum none\n');
  no('two logs', `${short}log ${logKey(THIRD, 33).vkey}\nquorum none\n`);
  no('two keys of the log', `${short}log ${logKey(THERE, 34).vkey}\nquorum none\n`);
  no("another log's key", policyOf(logKey(THIRD, 33)));
  no("a witness's key for the log's", `log ${signer(THERE, 4, 31).vkey}\nquorum none\n`);
  no('a file cut short', good.slice(0, -1));
  no('a quorum that is not defined', `${short}quorum enough\n`);
  no('a name in two groups', good.replace('quorum', 'group more 1 w1\nquorum'));
  no('more than there are members', good.replace('enough 2', 'enough 4'));
  const filled = length => {
    const bare = policyOf(key), lines = Math.floor((length - bare.length) / 100), rest = (length - bare.length) % 100;
    return `#${'x'.repeat(98)}\n`.repeat(lines) + (rest ? `#${'y'.repeat(rest - 2)}\n` : '') + bare;
  };
  assert.strictEqual(filled(8192).length, 8192);
  no('8,193 bytes', filled(8193));
  const texts = { 'no base64': '*', 'no padding': text64(short).replace(/=+$/, ''), nothing: '' };
  for (const [about, policy] of Object.entries(texts))
    house.refuses(`know_log: ${about}`, 'malformed', { know_log: { log: THERE, policy } }, 'operator');
  for (const by of ['house', 'anyone', 'player:ann', 'auditor:a'])
    house.refuses('know_log: by another', 'not_allowed', know(THERE, good), by);
  house.refuses('nothing is known yet', 'unknown_log', claimOn(there, placeOf(there.log, HERE, 0)));
  house.known(THERE, filled(8192)).known(THERE, good);
  no('the same again', good, 'nothing_to_do');
  house.known(THIRD, policyOf(logKey(THIRD, 33))).known(THIRD);
  no('ended already', undefined, 'nothing_to_do', THIRD);
}

/** Transfers that are refused. */
function refusesToSend(house) {
  const no = (about, code, to, player, amount, by = 'operator') =>
    house.refuses(`transfer_out: ${about}`, code, { transfer_out: { to, player, amount } }, by);
  no('to a log that is not known', 'unknown_log', 'nowhere', 'ann', 1);
  no('to a log whose policy was ended', 'unknown_log', THIRD, 'ann', 1);
  no('to the log itself', 'unknown_log', HERE, 'ann', 1);
  no('by nobody there is', 'unknown_player', THERE, 'nobody', 1);
  no('of a guest', 'other_chips', THERE, 'guest.0', 1);
  no('by a guest', 'other_chips', THERE, 'guest.0', 1, 'player:guest.0');
  no('nothing', 'amount_out_of_range', THERE, 'ann', 0);
  no('more than there is', 'insufficient_balance', THERE, 'ann', house.house.balance('ann') + 1);
  no("another's", 'not_allowed', THERE, 'ann', 1, 'player:cat');
  for (const by of ['house', 'anyone', 'auditor:ann', 'player:nobody'])
    no('by another', 'not_allowed', THERE, 'ann', 1, by);
  no('of one with a key, by the operator', 'signature_missing', THERE, 'ben', 1);
  no('by one with a key, unsigned', 'signature_missing', THERE, 'ben', 1, 'player:ben');
  no('of one whose key waits', 'signature_missing', THERE, 'eve', 1);
  no('by one whose key waits', 'signature_missing', THERE, 'eve', 1, 'player:eve');
}

function signedByBen(house, nonce, command) {
  const signature = PLAYER.sign(verify.signedText(HERE, 'player:ben', nonce, JSON.stringify(command)));
  house.clock += 1000;
  return house.give('player:ben', command, { nonce, signature });
}

/** Accounts at the ends of their range: RICH claims to have sent chips that never existed. */
function extremes(house) {
  const rich = new LyingLog(RICH, 37), sends = (no, player, amount) => rich.sends({ no, player, amount });
  house.operator({ create_player: { player: 'max' } });
  house.known(RICH, policyOf(rich.key)).known(PROTO, policyOf(logKey(PROTO, 38)));
  house.refuses('more than a player may have', 'amount_out_of_range', sends(0, 'max', HALF + 1));
  house.claim(sends(1, 'max', HALF));
  house.refuses('one more than a player may have', 'amount_out_of_range', sends(2, 'max', 1));
  house.send(PROTO, 'max', HALF).claim(sends(3, 'max', HALF)).send(PROTO, 'max', HALF);
  house.refuses('what leaves the range of the other log\'s account', 'amount_out_of_range', sends(4, 'max', 2));
  house.claim(sends(5, 'max', 1));
  const send = amount => ({ transfer_out: { to: PROTO, player: 'ann', amount } });
  house.refuses('sent out of the range', 'amount_out_of_range', send(2), 'operator');
  house.send(PROTO, 'ann', 1).refuses('one more sent out of the range', 'amount_out_of_range', send(1), 'operator');
  return rich;
}

/** The log HERE with all its refusals, and the logs that it knows. */
function hereHouse() {
  const house = new House(HERE, 32), there = thereHouse(), odd = new LyingLog(ODD, 36);
  const on = (no, more) => claimOn(there, placeOf(there.log, HERE, no), more);
  for (const player of ['ann', 'cat', 'eve']) house.player(player, 1000);
  house.player('ben', 1000, PLAYER.key).give('house', { admit_guest: {} });
  house.operator({ set_key: { player: 'eve', key: logKey('eve', 12).key, reason: 'lost' } });
  namesLogs(house, there);
  house.known(ODD, policyOf(odd.key));
  refusesToSend(house);
  house.send(THERE, 'ann', 40).send(THERE, 'cat', 30, 'player:cat').send(THERE, 'cat', 20, 'player:cat');
  signedByBen(house, 4, { transfer_out: { to: THERE, player: 'ben', amount: 25 } });
  house.send(ODD, 'ann', 10);

  // Claims, out of order: the runs grow and join.
  const third = claimOn(there, placeOf(there.log, THIRD, 0));
  house.refuses('sent to a third log', 'claim_refused', third);
  malformedTexts(house, on(1));
  wrongReceipts(house, there, placeOf(there.log, HERE, 0));
  house.claim(on(1));
  house.refuses('a second time', 'already_claimed', on(1));
  house.claim(on(3, { cosigners: WITNESSES.slice(1) }), 'player:cat');
  house.refuses('by a player there is not', 'not_allowed', on(0, { cosigners: WITNESSES }), 'player:nobody');
  house.claim(on(0, { cosigners: WITNESSES }), 'anyone');
  house.refuses('a second time, under another checkpoint', 'already_claimed', on(0, { size: there.log.length - 1 }));
  house.refuses('for a player there is not', 'unknown_player', on(4));
  house.start();
  house.claim(on(2, { size: there.log.length - 1 }), 'auditor:a');

  // Another key, other witnesses, none, and again: claimed numbers stay claimed.
  const before = on(5);
  house.known(THERE);
  house.refuses('a log whose policy was ended', 'unknown_log', before);
  const moved = { origin: THERE, key: logKey(THERE, 41), log: there.log }, last = placeOf(there.log, HERE, 5);
  house.known(THERE, policyOf(moved.key));
  house.refuses('under the key of before', 'claim_refused', before);
  house.refuses('a second time, under another key', 'already_claimed', claimOn(moved, placeOf(there.log, HERE, 1)));
  house.known(THERE, policyOf(there.key, 3));
  house.refuses('two witnesses, where three are needed now', 'claim_refused', before);
  house.claim(claimOn(there, last, { cosigners: WITNESSES }), 'house');
  house.operator({ create_player: { player: 'dan' } });
  house.claim(on(4, { cosigners: WITNESSES }), 'operator');

  // A house that lies, and is believed as far as its own entries go.
  wrongEntries(house, odd);
  house.refuses('for a guest', 'other_chips', odd.sends({ no: 9, player: 'guest.0', amount: 5 }));
  const sends = (no, amount, change) => house.claim(odd.sends({ no, player: 'ann', amount }, change));
  sends(MOST, 2);
  sends(0, 1);
  sends(MOST - 1, 3);
  sends(2, 4);
  house.refuses('of nothing', 'amount_out_of_range', odd.sends({ no: 1, player: 'ann', amount: 0 }));
  sends(1, 6);
  sends(7, 6, entry => { entry.command.transfer_out = { to: THIRD, player: 'cat', amount: 1 }; });
  house.claim(odd.claim(ofLength({ no: 8, player: 'ann', amount: 5 }, 4096)));
  const long = odd.sends({ no: 10, player: 'ann', amount: 5 }), at = odd.log.length - 1;
  const ofSize = length => withFields(long, { receipt: text64(receiptOfLength(odd, at, length)) });
  house.refuses('a receipt of 16,385 bytes', 'claim_refused', ofSize(16385)).claim(ofSize(16384));
  farAway(house, odd);
  const rich = extremes(house);

  house.noteState();
  return { house, there, odd, rich };
}

/** House THERE claims the transfers from HERE, and sends once more. */
function claimsBack(there, house) {
  for (const no of [1, 0, 3]) {
    const from = { origin: HERE, key: house.key, log: house.log };
    if (no === 3) there.operator({ create_player: { player: 'ben' } });
    there.claim(claimOn(from, placeOf(house.log, THERE, no), { cosigners: [] }));
  }
  return there.send(HERE, 'eve', 11);
}

// --- Findings ---------------------------------------------------------------------------------------

const cases = [];
const counts = { refused: 0, found: 0, ledger: 0, states: 0, runs: 0, cluster: 0, told: 0 };
const verdictOn = log => verify.verifyLog(log.join('\n')).findings[0];

/** A house that accepted a forbidden command: the entry is a finding, with any events after the command. */
function refusedOnTheLog({ log, refused }) {
  const judge = new verify.House(false);
  for (const { about, after_entries: after, by, code, command, now } of refused) {
    while (judge.size < after) judge.judge(verify.readEntry(log[judge.size]), judge.size);
    const { from, receipt } = command.transfer_in || {};
    const lied = { from, no: 77, index: 1, player: 'ann', amount: 5 }, line = (account, amount) =>
      [account, amount, Math.max(-MOST, (judge.accounts.get(account) || 0) + amount)];
    const events = receipt === undefined
      ? []
      : [{ posted: { lines: [line(`transfers:${from}`, -5), line('player:ann', 5)] } }, { transferred_in: lied }];
    const entry = { v: 1, time: Math.max(now, judge.time), by, command, events };
    const text = JSON.stringify(entry);
    let found = null;
    try { verify.copyOf(judge).judge(verify.readEntry(text), after); } catch (error) {
      if (!(error instanceof verify.Unsound)) throw error;
      found = error;
    }
    const check = code === 'signature_missing' ? 'signature' : 'refused';
    assert(found && found.check === check && found.message.includes(code), `${about}: ${found && found.message}`);
    cases.push({ about, at: after, text, check });
    counts.refused++;
  }
}

/** The log with the first entry changed for which `change` does not return false, and the finding there. */
function changed(log, change) {
  for (const [index, line] of log.entries()) {
    const entry = JSON.parse(line), done = change(entry);
    if (done === false) continue;
    const text = typeof done === 'string' ? done : JSON.stringify(entry);
    return { at: index, log: [...log.slice(0, index), text, ...log.slice(index + 1)] };
  }
  throw new Error('nothing to change');
}

function wrongEvents(log) {
  const lie = (about, check, change, ledger) => {
    const { at, log: told } = changed(log, change), found = verdictOn(told);
    assert(found && found.check === check && found.entry === at, `${about}: ${JSON.stringify(found)}`);
    counts.found++;
    cases.push({ about, at, text: told[at], check, money: ledger });
    if (ledger === undefined) return;
    const [money] = verify.verifyLedger(told.join('\n')).findings;
    assert(money && money.check === ledger && money.entry === at, `${about}, of money: ${JSON.stringify(money)}`);
    counts.ledger++;
  };
  const of = (name, edit) => entry => {
    const event = entry.events.find(one => one[name]);
    return event ? edit(event[name], entry) : false;
  };
  const set = (name, fields) => of(name, event => { Object.assign(event, fields); });
  const ofOdd = edit => of('transferred_in', event => (event.from === ODD ? edit(event) : false));
  lie('another number sent', 'posting', set('transferred_out', { no: 1 }), 'state');
  lie('sent to another', 'posting', set('transferred_out', { to: ODD }), 'posting');
  lie('sent to one unknown', 'posting', set('transferred_out', { to: 'nowhere' }), 'state');
  lie('another player said', 'posting', set('transferred_out', { player: 'cat' }), 'posting');
  lie('more said than moved', 'posting', set('transferred_out', { amount: 41 }), 'posting');
  lie('more moved than said', 'posting', of('transferred_out', (_, { events: [{ posted }] }) => {
    posted.lines.forEach(line => { line[1] += Math.sign(line[1]); line[2] += Math.sign(line[1]); });
  }), 'posting');
  lie('not said', 'event_missing', of('transferred_out', (_, entry) => { entry.events.pop(); }), 'posting');
  lie('not moved', 'event_order', of('transferred_out', (_, entry) => { entry.events.shift(); }), 'posting');
  lie('said first', 'event_order', of('transferred_out', (_, entry) => { entry.events.reverse(); }));
  lie('said twice', 'event_extra', of('transferred_out', (event, entry) => {
    entry.events.push({ transferred_out: event });
  }), 'state');
  lie('another number claimed', 'posting', set('transferred_in', { no: 6 }));
  lie('a number claimed again', 'posting', ofOdd(event => {
    if (event.no !== 1) return false;
    event.no = 2;
    return true;
  }), 'state');
  lie('another index', 'posting', set('transferred_in', { index: 3 }));
  lie('claimed for another', 'posting', set('transferred_in', { player: 'ann' }), 'posting');
  lie('more claimed', 'posting', set('transferred_in', { amount: 301 }), 'posting');
  lie('claimed from another', 'posting', set('transferred_in', { from: ODD }), 'posting');
  lie('claimed out of the cage', 'posting', of('transferred_in', (_, { events: [{ posted }] }) => {
    posted.lines[0] = ['cage', posted.lines[0][1], -4000 + posted.lines[0][1]];
  }), 'ledger_cage');
  lie('another policy said', 'event_order', set('log_known', { policy: 'AAAA' }));
  lie('another log said', 'event_order', set('log_known', { log: 'nowhere' }));
  lie('no policy said', 'event_order', of('log_known', event => { delete event.policy; }));
  lie('chips to a log in another command', 'event_extra', entry => {
    if (!entry.command.credit || entry.command.credit.player !== 'ben') return false;
    entry.events.push({ transferred_out: { to: THERE, no: 0, player: 'ben', amount: 5 } });
    return true;
  }, 'state');
  const before = edit => of('transferred_in', (_, entry) => { edit(entry); });
  lie('another balance before', 'balance_before', before(entry => { entry.before[0][1]++; }), 'balance_before');
  lie('no balance before', 'balance_before', before(entry => { delete entry.before; }));
  const spelt = (about, change, check = 'entry_form') => lie(about, check, entry => {
    const text = JSON.stringify(entry), done = change(text, entry);
    return done === text ? false : done;
  });
  spelt('a newline in a policy', text => text.replace('"policy":"', '"policy":"\\n'));
  spelt('a policy that is none but null', text => text.replace(/"policy":"[^"]*"/, '"policy":null'),
    'canonical_form');
  spelt('an account of no log', text => text.replace(`"transfers:${THERE}"`, '"transfers:"'));
  spelt('an account of a log with a plus', text => text.replace(`"transfers:${THERE}"`, '"transfers:a+b"'));
  spelt('an account of a log with a blank', text => text.replace(`"transfers:${THERE}"`, '"transfers:a b"'));
  spelt('a number below zero', text => text.replace('"no":0', '"no":-1'));
  spelt('a field left out', text => text.replace(/"index":[0-9]+,/, ''));
}

/** For money alone: chips that go to another log with a command that sends none. */
function sentByAnother({ log, house: { known, accounts } }) {
  const last = JSON.parse(log[log.length - 1]), amount = 5, line = (account, moved) =>
    [account, moved, accounts.get(account) + moved];
  const entry = {
    v: 1, time: last.time, by: 'operator', command: { issue_token: { holder: 'auditor:a', revoke: false } },
    events: [
      { token_issued: { holder: 'auditor:a', revoked: false } },
      { posted: { lines: [line('player:ann', -amount), line(`transfers:${THERE}`, amount)] } },
      { transferred_out: { to: THERE, no: known.get(THERE).sent, player: 'ann', amount } },
    ],
  };
  const aside = { posted: { lines: [line('player:ann', -amount), line('player:cat', amount)] } };
  const named = { log: 'new.example', policy: 'AAAA' };
  for (const [fields, check] of [
    [entry, 'state'],
    [{ ...entry, events: entry.events.slice(0, 2) }, 'posting'],
    [{ ...entry, command: { know_log: named }, events: [{ log_known: named }, aside] }, 'posting'],
  ]) {
    const text = JSON.stringify(fields);
    const [found] = verify.verifyLedger([...log, text].join('\n')).findings;
    assert(found && found.check === check && found.entry === log.length, JSON.stringify(found));
    cases.push({ about: 'chips move beside what an entry says', at: log.length, text, money: check });
    counts.ledger++;
  }
}

/** A verifier that goes on from the state after each entry comes to the same end; impossible states are refused. */
function fromStates({ log, house: { known } }) {
  const whole = new verify.House(false), states = [];
  log.forEach((line, index) => {
    whole.judge(verify.readEntry(line), index);
    states.push(whole.stateLines());
  });
  assert.deepStrictEqual([...whole.known], [...known]);
  const bytes = lines => utf8(`${lines.join('\n')}\n`), at = index => log[index], end = log.length;
  for (let size = 1; size < end; size += 7) {
    const { house } = verify.houseOfState(size, bytes(states[size - 1]), at);
    for (let index = size; index < end; index++) house.judge(verify.readEntry(log[index]), index);
    assert.strictEqual(house.stateRoot(), whole.stateRoot(), `from ${size}`);
    counts.states++;
  }
  const lines = states[end - 1];
  const lie = (about, origin, edit) => {
    const told = lines.flatMap(line => {
      const [key, part] = JSON.parse(line);
      if (key !== `known:${origin}`) return [line];
      const other = edit(part, key) || [[key, part]];
      return other.map(pair => JSON.stringify(pair));
    });
    assert.notDeepStrictEqual(told, lines, about);
    told.sort((a, b) => (JSON.parse(a)[0] < JSON.parse(b)[0] ? -1 : 1));
    assert.throws(() => verify.houseOfState(end, bytes(told), at), verify.Unsound, about);
    counts.states++;
  };
  const part = (about, origin, fields) => lie(about, origin, (all, key) => [[key, { ...all, ...fields }]]);
  part('runs that touch', THERE, { claimed: [[0, 2], [3, 5]] });
  part('runs that overlap', THERE, { claimed: [[0, 3], [3, 5]] });
  part('runs that descend', ODD, { claimed: [[7, 8], [0, 2]] });
  part('a run backwards', THERE, { claimed: [[5, 0]] });
  part('no runs, said', THERE, { claimed: [] });
  part('no balance, said', THERE, { balance: 0 });
  part('nothing sent, said', ODD, { sent: 0 });
  part('a policy of another log', THERE, { policy: text64(policyOf(logKey(THIRD, 33))) });
  part('a policy that is none', THERE, { policy: 'AAAA' });
  part('chips that were never sent', THIRD, { balance: 5 });
  part('chips that were never claimed', THIRD, { balance: -5 });
  part('less than was sent', THIRD, { balance: 1, sent: 2 });
  lie('the log itself', THIRD, all => [[`known:${HERE}`, all]]);
  lie('no origin', THIRD, all => [['known:', all]]);
  lie('an origin with a blank', THIRD, all => [['known:a b', all]]);
  lie('fields in another order', THERE, ({ policy, ...rest }, key) => [[key, { ...rest, policy }]]);
  lie('257 logs', THIRD, all => Array.from({ length: 253 }, (_, i) => [`known:more-${i}`, all]));
}

/** At most 256 logs are known; a known one can be named again. */
function manyLogs() {
  const house = new House(HERE, 32);
  for (let i = 0; i < 256; i++) house.known(`log-${i}`, policyOf(logKey(`log-${i}`, 50)));
  house.refuses('the 257th log', 'malformed', know('log-256', policyOf(logKey('log-256', 50))), 'operator');
  house.known('log-7').refuses('still', 'malformed', know('log-256', policyOf(logKey('log-256', 50))), 'operator');
  house.known('log-7', policyOf(logKey('log-7', 51)));
  assert.strictEqual(verdictOn(house.log), undefined);
}

/** Claims in any order: the runs are those of the claimed numbers. */
function runsByChance(seed) {
  const rng = random(seed), house = new House(HERE, 32), from = new LyingLog(ODD, 36), had = new Set();
  house.player('ann', 1).known(ODD, policyOf(from.key));
  for (let i = 0; i < 60; i++) {
    const no = rng(40), claim = from.sends({ no, player: 'ann', amount: 1 });
    if (had.has(no)) house.refuses('again', 'already_claimed', claim); else house.claim(claim);
    had.add(no);
    const runs = [];
    for (const one of [...had].sort((a, b) => a - b)) {
      const last = runs[runs.length - 1];
      if (last && last[1] === one - 1) last[1] = one; else runs.push([one, one]);
    }
    assert.deepStrictEqual(house.house.known.get(ODD).claimed, runs);
    counts.runs++;
  }
  assert.strictEqual(verdictOn(house.log), undefined);
}

/** The story of such entries. */
function told({ log }) {
  const lines = log.flatMap((line, index) => verify.storyOf(index, verify.readEntry(line))).join('\n');
  for (const words of [
    `the operator names the log ${THERE}, whose receipts need 2 witnesses`,
    `the operator names the log ${ODD}, whose receipts need no witness`,
    `the operator names the log ${THIRD} no more`,
    `ann sends 40 to ${THERE} (no. 0)`,
    'the operator, for ann, asks to have',
    `cat asks to have 30 sent to ${THERE}`,
    `anyone hands in a claim on chips that ${THERE} sent`,
    `300 sent by ${THERE} (no. 1, entry `,
  ]) {
    assert(lines.includes(words), words);
    counts.told++;
  }
  // The least number that meets a quorum: of a group's members those that need the fewest.
  const nested = policyOf(logKey(ODD, 36), 2).replace('quorum enough', () => {
    const more = [4, 5].map(n => `witness w${n} ${witness(n).vkey}\n`).join('');
    return `${more}group both all w4 w5\ngroup any-two 1 enough both\ngroup one 1 any-two\nquorum one`;
  });
  const said = policy => verify.storyOf(0, { time: T0, by: 'operator', command: know(ODD, policy), events: [] })[0];
  assert(said(nested).endsWith('whose receipts need 2 witnesses'), said(nested));
  const single = nested.replace('group both all w4 w5', 'group both any w4 w5');
  assert(said(single).endsWith('whose receipts need 1 witness'), said(single));
}

// --- All logs together ------------------------------------------------------------------------------

async function together({ house, there }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cluster-')), at = name => path.join(folder, name);
  const mirror = (name, { origin, key }, log) => {
    writeMirror(at(name), log, key.note(`${origin}\n${log.length}\n${base64(treeRoot(leavesOf(log)))}\n`), key.vkey);
    return at(name);
  };
  /** The report of these mirrors, and the exit code. */
  const judge = async (names, code, ...more) => {
    const printed = [], { log: print, error: complain } = console;
    console.log = text => printed.push(text);
    console.error = text => printed.push(text);
    let exit;
    try {
      exit = await verify.run(['cluster', ...names.map(at), '--now', String(house.clock + 60000), '--json', ...more]);
    } finally { Object.assign(console, { log: print, error: complain }); }
    assert.strictEqual(exit, code, `${names}: ${printed.join('\n').slice(0, 2000)}`);
    counts.cluster++;
    return exit === 2 ? printed.join('\n') : JSON.parse(printed.join('\n'));
  };
  const keys = ['--key', house.key.vkey, '--key', there.key.vkey];
  const firstFound = ({ findings: [found] }) => [found.check, found.log, found.entry];
  try {
    mirror('here', house, house.log);
    mirror('there', there, there.log);
    const good = await judge(['here', 'there'], 0, ...keys);
    assert.strictEqual(good.verdict, 'sound');
    assert(good.logs.every(one => one.signature_checked));
    const left = good.under_way.map(({ from, to, no, amount }) => [from, to, no, amount]);
    assert.deepStrictEqual(left, [[HERE, THERE, 2, 20], [THERE, HERE, 6, 11]]);
    assert.strictEqual(good.total, '31');
    assert.deepStrictEqual(
      good.pairs.map(({ sent, claimed, under_way: way }) => [sent, claimed, way]),
      [['115', '95', '20'], ['1128', '1117', '11']],
    );
    assert(good.elsewhere.some(({ to }) => to === PROTO));

    // A second history of the other log: the claimed entry is another one, or one after it is.
    const claimed = placeOf(there.log, HERE, 0), first = house.log.findIndex(line => line.includes('transferred_in'));
    const retell = change => {
      const lines = there.log.slice(), scene = new House(THERE, 31);
      for (const [index, line] of lines.entries()) {
        const entry = JSON.parse(line);
        if (index === 0) continue;
        const other = change(entry, index) || entry;
        scene.clock = other.time;
        scene.give(other.by, other.command);
      }
      return scene.log;
    };
    assert.deepStrictEqual(retell(() => null), there.log);
    const less = retell(({ by, time, command }, index) =>
      index === claimed ? { by, time, command: { transfer_out: { to: HERE, player: 'ann', amount: 499 } } } : null);
    mirror('less', there, less);
    assert.deepStrictEqual(firstFound(await judge(['here', 'less'], 1, ...keys)), ['claim', HERE, first]);
    const later = retell(({ by, time, command }, index) =>
      index === placeOf(there.log, HERE, 5) ? { by, time: time + 1, command } : null);
    mirror('later', there, later);
    assert.deepStrictEqual(firstFound(await judge(['here', 'later'], 1, ...keys)), ['claim', HERE, first]);

    // A house that accepts receipts under a key that it made up: the other one signed none of it.
    const forged = new House(HERE, 32), liar = { origin: THERE, key: logKey(THERE, 77), log: less };
    forged.player('ann', 1000);
    forged.known(THERE, policyOf(liar.key));
    forged.claim(claimOn(liar, claimed, { cosigners: [] }));
    mirror('forged', { origin: HERE, key: house.key }, forged.log);
    const invented = await judge(['forged', 'there'], 1, ...keys);
    assert(/claimed under the key .* is signed by/.test(invented.findings[0].message), invented.findings[0].message);
    const unnamed = await judge(['forged', 'there'], 1);
    assert(/if .* is the key of .*, it signed two/.test(unnamed.findings[0].message), unnamed.findings[0].message);

    // The same history, in a copy that ends before the claim's checkpoint.
    mirror('less-short', there, less.slice(0, claimed + 2));
    assert.deepStrictEqual(firstFound(await judge(['here', 'less-short'], 1, ...keys)).slice(0, 2), ['claim', HERE]);

    // A copy that ends before the claimed entry is no lie; parts beyond it are not judged.
    mirror('short', there, there.log.slice(0, claimed));
    const short = await judge(['here', 'short'], 0, ...keys);
    assert.strictEqual(short.verdict, 'sound_so_far');
    assert.strictEqual(short.beyond.length, 6);

    // A log that is not sound alone.
    const spoilt = house.log.slice();
    spoilt[first] = spoilt[first].replace('"amount":300', '"amount":301');
    mirror('spoilt', house, spoilt);
    assert.deepStrictEqual(firstFound(await judge(['there', 'spoilt'], 1)), ['posting', HERE, first]);
    const rekeyed = await judge(['here', 'there'], 2, '--key', logKey(HERE, 98).vkey);
    assert(rekeyed.includes('signed with another key'), rekeyed);
    assert((await judge(['here', 'there', 'short'], 2)).includes('copies of one log'));
    assert((await judge(['here'], 2)).includes('two logs or more'));
    assert((await judge(['here', 'nowhere'], 2)).includes("no mirror's folder"));
    assert((await judge(['here', 'there'], 2, '--key', logKey(THIRD, 33).vkey)).includes(THIRD));
    assert((await judge(['here', 'there'], 2, '--ledger-only')).includes('by itself'));

    // A log that goes on from one to which chips were sent.
    const next = new House('fairshoe.example/b2', 60), root = base64(treeRoot(leavesOf(house.log)));
    const statement = { origin: HERE, size: house.log.length, root, new_key: next.key.key };
    next.give('house', {
      continue_log: {
        origin: HERE, key: house.key.key, size: house.log.length, root, new_key: next.key.key,
        signature: house.key.sign(verify.statementText(statement, next.origin)),
      },
    });
    mirror('next', next, next.log);
    const three = await judge(['here', 'there', 'next'], 0);
    assert(three.story.some(line => line.includes('for ever: fairshoe.example/b2 goes on')));
  } finally { fs.rmSync(folder, { recursive: true, force: true }); }
}

// --- spec/vectors/entries-transfers.json ------------------------------------------------------------

/** JSON with the keys of every object ascending, as in the other files of vectors. */
function ordered(value) {
  if (Array.isArray(value)) return `[${value.map(ordered).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.keys(value).sort().map(key => `${JSON.stringify(key)}:${ordered(value[key])}`).join()}}`;
}

function vectors({ log, refused, house: { accounts } }) {
  const judge = new verify.House(false), roots = log.map((line, index) => {
    judge.judge(verify.readEntry(line), index);
    return judge.stateRoot();
  });
  return {
    about: 'A whole log that sends chips to others and claims what they sent, with policies, witnesses, runs of ' +
      'claimed numbers and accounts at the ends of their range; spec/transfers.md. Logs under odd names lie. Fields ' +
      'as in entries-joy.json.',
    master: hex(MASTER),
    client_seeds: [],
    entries: log,
    refused: refused.map(({ after_entries, by, code, command, now }) => ({ after_entries, by, code, command, now })),
    balances: Object.fromEntries([...accounts].sort(([a], [b]) => (a < b ? -1 : 1))),
    state_roots: roots,
    state_lines: judge.stateLines(),
  };
}

function textOf(file) {
  const list = values => (values.length ? `[\n    ${values.map(ordered).join(',\n    ')}\n  ]` : '[]');
  const fields = Object.entries(file).map(([name, value]) => {
    const text = Array.isArray(value) ? list(value) : name === 'balances' ? ordered(value) : JSON.stringify(value);
    return `  ${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${fields.join(',\n')}\n}\n`;
}

async function main(given) {
  const made = hereHouse(), file = vectors(made.house);
  if (given.vectors !== undefined) {
    fs.writeFileSync(given.vectors, textOf(file));
    return;
  }
  const tried = verify.runVectors({ 'entries-transfers.json': JSON.parse(textOf(file)) }, {});
  assert.deepStrictEqual(tried['entries-transfers.json'].failed, []);
  assert.strictEqual(verdictOn(made.house.log), undefined);
  const money = verify.verifyLedger(made.house.text());
  assert.deepStrictEqual([money.verdict, money.findings], ['sound_ledger_only', []]);
  refusedOnTheLog(made.house);
  wrongEvents(made.house.lines());
  sentByAnother(made.house);
  if (given.cases !== undefined) {
    fs.writeFileSync(given.cases, JSON.stringify(cases));
    return;
  }
  fromStates(made.house);
  told(made.house);
  manyLogs();
  for (const seed of [1, 2]) runsByChance(seed);
  claimsBack(made.there, made.house);
  assert.strictEqual(verdictOn(made.there.log), undefined);
  await together(made);
  console.log(JSON.stringify(counts));
}

main(options()).catch(error => {
  console.error(error);
  process.exitCode = 1;
});

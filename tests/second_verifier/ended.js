#!/usr/bin/env node
// The end of a log (spec/recovery.md, "The end of a log"): who may end it and when, that it cannot end while items are
// open, that all later entries are refused and no duties remain, the state that records it, and the meaning of notes
// then.
// node ended.js: tries everything and prints one JSON object of counts; exit code 1 where something is wrong.
// node ended.js --vectors FILE: writes spec/vectors/entries-ended.json.
'use strict';
const assert = require('assert');
const fs = require('fs');
const { SCENES, LOG, PLAYER, signer, leavesOf, endOf } = require('./checks.js');
const { EVENTS, NEW, books, eventsLog, logKey, openHouse } = require('./continued_logs.js');
const { Scene, rules, hash, verify, ORIGIN } = require('./dealer.js');
const { options } = require('./options.js');
const { WalletHouse, MASTER } = require('./wallet_house.js');
const { base64, hex, treeRoot, utf8 } = verify, { DAY_MS } = verify.HOUSE_TIMES;

const counts = { kinds: 0, inPlay: 0, refused: 0, found: 0, due: 0, states: 0, notes: 0 };
const KEY = logKey(NEW).key, EPOCH = hash('behind the end');
/** A point of small order: signatures under it prove nothing. */
const UNUSABLE = `01${'00'.repeat(31)}`;
const endLog = (origin = NEW, key = KEY) => ({ end_log: { origin, key } });
const startOf = log => JSON.parse(log[0]).command.start_dealer;
const timeOf = log => JSON.parse(log[log.length - 1]).time;

function judgeOf(log) {
  const house = new verify.House(false);
  log.forEach((line, index) => house.judge(verify.readEntry(line), index));
  return house;
}

// --- The log of the vectors -------------------------------------------------------------------------

/** A log without tables to its end, with the refusals before and after it. */
function plainLog() {
  const house = new WalletHouse('fairshoe.example/e', 71), { origin } = house;
  const no = (about, code, command, by = 'house') => house.refuses(about, code, command, by);
  house.operator({ create_player: { player: 'ann', key: PLAYER.key } });
  house.operator({ credit: { player: 'ann', amount: 7000 } }).operator({ create_player: { player: 'ben' } });
  house.operator({ credit: { player: 'ben', amount: 300 } }).by('house', { admit_guest: {} });
  house.operator({ set_key: { player: 'ben', key: logKey('ben', 12).key, reason: 'lost' } });
  house.signs('ann', PLAYER, 3, { withdraw: { player: 'ann', amount: 25 } }).noteState();
  for (const by of ['operator', 'anyone', 'player:ben', 'player:guest.0', 'player:nobody', 'auditor:ann'])
    no(`by ${by}`, 'not_allowed', endLog(), by);
  no('by one with a key, unsigned', 'signature_missing', endLog(), 'player:ann');
  no('for itself', 'malformed', endLog(origin));
  no('for itself, under its own key', 'malformed', endLog(origin, house.key.key));
  no('under a key that cannot be used', 'malformed', endLog(NEW, UNUSABLE));
  house.by('house', endLog());
  const behind = () => {
    no('a start', 'log_ended', { start_dealer: { ...startOf(house.log), epoch: EPOCH } });
    no('a start of another log', 'log_ended', { start_dealer: { ...startOf(house.log), origin: NEW, epoch: EPOCH } });
    no('a stop', 'log_ended', { stop_dealer: {} });
    no('a state named', 'log_ended', { note_state: { size: house.log.length, root: house.house.stateRoot() } });
    for (const by of ['house', 'operator', 'player:nobody']) no(`another end by ${by}`, 'log_ended', endLog(), by);
    no('an end for itself', 'log_ended', endLog(origin));
    no('a guest', 'log_ended', { admit_guest: {} });
    no('the guest who is idle', 'log_ended', { dismiss_guest: { player: 'guest.0' } });
    for (const player of ['ben', 'cat', 'nobody'])
      for (const by of ['operator', `player:${player}`]) {
        no(`a player, by ${by}`, 'log_ended', { create_player: { player } }, by);
        no(`a credit by ${by}`, 'log_ended', { credit: { player, amount: 1 } }, by);
        no(`a key by ${by}`, 'log_ended', { set_key: { player, reason: 'found' } }, by);
      }
    no('a withdrawal, unsigned', 'log_ended', { withdraw: { player: 'ann', amount: 1 } }, 'player:ann');
  };
  behind();
  house.clock += 3 * DAY_MS;
  behind();
  return house;
}

function vectors({ log, refused, house: { accounts } }) {
  const judge = new verify.House(false), roots = log.map((line, index) => {
    judge.judge(verify.readEntry(line), index);
    return judge.stateRoot();
  });
  return {
    about: 'A whole log that ends, with what is refused at its end and behind it, some of it three days later; ' +
      'spec/recovery.md, "The end of a log". Fields as in entries-joy.json.',
    master: hex(MASTER),
    client_seeds: [],
    entries: log,
    refused: refused.map(({ after_entries, by, code, command, now }) => ({ after_entries, by, code, command, now })),
    balances: Object.fromEntries([...accounts].sort(([a], [b]) => (a < b ? -1 : 1))),
    state_roots: roots,
    state_lines: judge.stateLines(),
  };
}

// --- After the end ----------------------------------------------------------------------------------

const withLog = (lines, change) => lines.map(line => {
  const [key, part] = JSON.parse(line);
  return key === 'log' ? JSON.stringify([key, change(part)]) : line;
});

/** The log's line of a state, with an end that was not reached. */
const endedPart = part => Object.fromEntries(Object.entries(part).flatMap(field =>
  (field[0] === 'cage' ? [['ended', { origin: NEW, key: KEY }], field] : [field])));

/** Logs cut off at places with possible open items, `[about, entries]`. */
function cuts() {
  const { log, at } = openHouse(), events = eventsLog();
  const sizes = Object.entries(at).filter(([name]) => name !== 'a start, nothing put in order');
  return [
    ...sizes.map(([name, size]) => [name, log.slice(0, size)]),
    ...EVENTS.map(([name, size]) => [name, events.slice(0, size)]),
  ];
}

/** Logs with exactly one open item. */
function inPlayAlone() {
  const { log, at } = openHouse(), wallet = new WalletHouse('fairshoe.example/i', 72);
  const rested = () => new Scene().startDealer().player('alice', 1000).player('bob', 1000);
  wallet.operator({ create_player: { player: 'ann' } }).operator({ credit: { player: 'ann', amount: 70 } });
  wallet.withdraw('ann', 30);
  const shoe = rested().open('live', rules('live-blackjack')).sit('bob', 'live', 2)
    .round('live', { bob: ['2', 100] }, ['stand']);
  const quick = rules('joy', { reveal_time_ms: 60000, round_time_ms: 60000 });
  const missing = rested().open('joy', quick).bet('alice', 'joy', '1', 10).pass(60000);
  return [
    ['a round', log.slice(0, at['a round that is open'])],
    ['a shoe that was played from', shoe.log],
    ['a seed that may come late', missing.log],
    ['a tournament that is announced', eventsLog().slice(0, 18)],
    ['an operation of the wallet', wallet.log],
  ];
}

/**
 * Attack: cards are invented, and the log ends before their shoe is revealed; a hand that pays much is ended instead.
 * Such an end is refused, found where it is written, and part of no valid state.
 */
function doesNotEnd(about, log) {
  const house = judgeOf(log);
  assert(house.whatIsInPlay(), about);
  assert.strictEqual(verify.copyOf(house).refusalOf(house.time, 'house', endLog()), 'log_in_play', about);
  const [found] = verify.verifyLog([...log, endOf(log)].join('\n')).findings;
  assert.deepStrictEqual([found.check, found.entry], ['refused', log.length], about);
  assert(found.message.includes('log_in_play'), found.message);
  const lines = withLog(house.stateLines(), endedPart);
  assert.throws(() => verify.houseOfState(log.length, utf8(`${lines.join('\n')}\n`), index => log[index]),
    error => /cannot have ended so/.test(error.message), about);
  counts.inPlay++;
}

/** A command of every kind, with its actor and signature: the first of each in a log. */
function everyCommand() {
  const kinds = new Map();
  for (const [, log] of books())
    for (const { by, command, signed } of log.map(line => JSON.parse(line))) {
      const kind = `${Object.keys(command)[0]} ${command.tournament ? Object.keys(command.tournament)[0] : ''}`;
      if (!kinds.has(kind)) kinds.set(kind, { by, command, signed });
    }
  counts.kinds = kinds.size;
  return [...kinds.values()];
}

/** No command is accepted any more, from any actor; an entry that is still written is found as exactly that. */
function nothingHolds(log, commands) {
  const ended = [...log, endOf(log)], house = judgeOf(ended);
  for (const { by, command, signed } of commands) {
    const at = house.time + 10 * DAY_MS * (counts.refused % 2);
    assert.strictEqual(verify.copyOf(house).refusalOf(at, by, command, signed), 'log_ended', JSON.stringify(command));
    counts.refused++;
  }
  const { origin, epoch, master_id } = { ...startOf(log), epoch: EPOCH };
  const start = { start_dealer: { origin, epoch, master_id, software: 'tests' } };
  const behind = [[start, { dealer_started: { origin, epoch, master_id, down_ms: 0 } }], [{ stop_dealer: {} },
    { dealer_stopped: {} }], [endLog(), { log_ended: endLog().end_log }]];
  for (const [command, event] of behind)
    for (const later of [0, 10 * DAY_MS]) {
      const entry = JSON.stringify({ v: 1, time: house.time + later, by: 'house', command, events: [event] });
      const [found] = verify.verifyLog([...ended, entry].join('\n')).findings;
      assert.deepStrictEqual([found.check, found.entry], ['refused', ended.length]);
      assert(found.message.includes('log_ended'), found.message);
      counts.found++;
    }
}

/** Duties at the end are no longer due: neither if the log is read later, nor before an entry after it. */
function nothingIsDue(about, log) {
  const now = timeOf(log) + 30 * DAY_MS, ended = [...log, endOf(log)], against = { now, skew: 30 * 365 * DAY_MS };
  const before = verify.verifyLog(log.join('\n'), against), after = verify.verifyLog(ended.join('\n'), against);
  assert.deepStrictEqual([after.findings, after.due], [[], []], about);
  assert.deepStrictEqual(after.open, before.open, about);
  assert.deepStrictEqual(after.balances, before.balances, about);
  counts.due += before.due.length;
}

/** An end is judged like any entry: a late house is found at it. */
function lateAtItsEnd() {
  const log = [...SCENES.ended().log.slice(0, -1)];
  log.push(endOf(log, NEW, KEY, timeOf(log) + DAY_MS));
  const [found] = verify.verifyLog(log.join('\n')).findings;
  assert.deepStrictEqual([found.check, found.entry], ['overdue', log.length - 1]);
  counts.found++;
}

// --- The state --------------------------------------------------------------------------------------

/** A verifier that goes on from an ended log's state also refuses everything. */
function fromTheEnd(about, log) {
  const ended = [...log, endOf(log)], house = judgeOf(ended), lines = house.stateLines(), before = judgeOf(log);
  const given = told => verify.houseOfState(ended.length, utf8(`${told.join('\n')}\n`), index => ended[index]).house;
  // Except for the end the lines are those before it.
  const without = lines.map(line => line.replace(/,"ended":\{[^}]*\}/, ''));
  assert.deepStrictEqual(without, before.stateLines(), about);
  const again = given(lines);
  assert.strictEqual(again.stateRoot(), house.stateRoot(), about);
  assert.strictEqual(again.refusalOf(house.time, 'house', { stop_dealer: {} }, undefined), 'log_ended', about);
  again.checkOverdue({ time: house.time + 10 * DAY_MS, command: { stop_dealer: {} } });
  counts.states++;
  return { lines, given };
}

function statesThatCannotBe() {
  const { log, at } = openHouse(), { origin } = startOf(log), cut = log.slice(0, at['nothing in play']);
  const { lines, given } = fromTheEnd('nothing in play', cut);
  const [form, cannot] = [/it is not in canonical form/, /is said to have ended, and cannot have ended so/];
  const lie = (about, why, change, [told, take] = [lines, given]) => {
    const wrong = withLog(told, change);
    assert.notDeepStrictEqual(wrong, told, about);
    assert.throws(() => take(wrong), error => error instanceof verify.Unsound && why.test(error.message), about);
    counts.states++;
  };
  const ended = more => part => ({ ...part, ended: { ...part.ended, ...more } });
  const other = 'house.example/other';
  assert.strictEqual(given(withLog(lines, ended({ origin: other }))).ended.origin, other);
  lie('for itself', cannot, ended({ origin }));
  lie('a name with a plus', form, ended({ origin: 'house+example/next' }));
  lie('a key that cannot be used', cannot, ended({ key: UNUSABLE }));
  lie('a key in capitals', form, ended({ key: KEY.toUpperCase() }));
  lie('a field more', form, ended({ size: 1 }));
  lie('no key', form, part => ({ ...part, ended: { origin: NEW } }));
  lie('another order', form, part => ({ ...part, ended: { key: KEY, origin: NEW } }));
  lie('null', form, part => ({ ...part, ended: null }));
  lie('in another place', form, ({ ended: end, ...part }) => ({ ...part, ended: end }));
  const started = log.slice(0, at['a start, nothing put in order']), start = judgeOf(started).stateLines();
  const take = told => verify.houseOfState(started.length, utf8(`${told.join('\n')}\n`), index => started[index]).house;
  assert(take(start).ended === null);
  lie('with tables that await their recovery', cannot, endedPart, [start, take]);
}

// --- Notes ------------------------------------------------------------------------------------------

/** The house's signed refusals because its log had ended: before its end it could not refuse for that. */
function notes() {
  const quick = { reveal_time_ms: 60000, round_time_ms: 60000 }, scene = new Scene().startDealer();
  scene.player('alice', 1000).open('joy', rules('joy', quick)).run();
  const begun = scene.clock, bets = [{ spot: '1', stake: 10 }];
  const bet = { bet: { table: 'joy', round_no: 0, bets, commitment: scene.commitment('alice', 'joy', 0) } };
  scene.clock += 5000;
  const { log } = scene.give('house', endLog());
  const checkpoint = LOG.note(`${ORIGIN}\n${log.length}\n${base64(treeRoot(leavesOf(log)))}\n`);
  const refused = time => {
    const head = `fairshoe refused/v1\n${ORIGIN}\n${time}\nlog_ended\n`;
    const note = LOG.note(`${head}player:alice\n${JSON.stringify(bet)}\n-\n`);
    const kept = [{ name: 'note', bytes: utf8(note), entry: null }];
    const { findings } = verify.verifyLog(log.join('\n'), { key: LOG.vkey, checkpoint: utf8(checkpoint), kept });
    counts.notes++;
    return findings.map(({ check, entry }) => [check, entry]);
  };
  for (const time of [begun + 5000, begun + 5001, begun + DAY_MS])
    assert.deepStrictEqual(refused(time), [], `refused at ${time - begun}`);
  assert.deepStrictEqual(refused(begun + 4999), [['refused_wrongly', log.length - 2]]);
}

function story() {
  const { log } = SCENES.ended(), told = verify.storyOf(log.length - 1, verify.readEntry(log[log.length - 1]));
  assert.match(told[0], / house ends this log$/);
  assert.strictEqual(told[1], `  this log ends here; it goes on as the log ${NEW}, under the key ${KEY}`);
}

function main(given) {
  const file = vectors(plainLog()), made = `${JSON.stringify(file, null, 1)}\n`;
  if (given.vectors !== undefined) return void fs.writeFileSync(given.vectors, made);
  const { 'entries-ended.json': { failed } } = verify.runVectors({ 'entries-ended.json': JSON.parse(made) }, {});
  assert.deepStrictEqual(failed, []);
  const commands = everyCommand(), open = ([, log]) => judgeOf(log).whatIsInPlay() !== null;
  const logs = [...cuts(), ['the log of the vectors', file.entries.slice(0, -1)]].filter(cut => !open(cut));
  for (const [about, log] of [...cuts().filter(open), ...inPlayAlone()]) doesNotEnd(about, log);
  for (const [about, log] of logs) {
    nothingIsDue(about, log);
    fromTheEnd(about, log);
  }
  for (const [, log] of logs.slice(-3)) nothingHolds(log, commands);
  lateAtItsEnd();
  statesThatCannotBe();
  notes();
  story();
  for (const [what, count] of Object.entries(counts)) assert(count > 0, what);
  console.log(JSON.stringify(counts));
}

main(options());

#!/usr/bin/env node
// Pairs of logs, an old one and one that goes on from it under a new name (spec/recovery.md, "Under a new name"):
// honest ones, and ones with one lie each, told before the new log is signed; second statements about one old log; and
// second logs of one statement.
// node continued.js --vectors FILE: writes spec/vectors/log-continued.json.
// node continued.js --audit PATH [--pairs N] [--seed N] [--keep DIR]: lets fairshoe-audit and fairshoe-verify judge
// random pairs, made from the logs in spec/vectors, cut off at any place, and prints one JSON object; exit code 0 if
// they agree on everything, else 1.
'use strict';
const assert = require('assert');
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { random } = require('./bundles.js');
const {
  NEW, OLD, EVENTS, LIES, CLAIMS, REFUSED_CLAIMS,
  books, claimOf, eventsLog, followed, guestsLog, liedClaim, logKey, newLog, openHouse, originOf, paidAtOnce, rootOf,
  secondTicketLog, signed,
} = require('./continued_logs.js');
const { rules, hash, verify, Scene, T0 } = require('./dealer.js');
const { options } = require('./options.js');
const { writeMirror, endOf } = require('./signed.js');
const { utf8 } = verify, { DAY_MS } = verify.HOUSE_TIMES;

// --- The judges -------------------------------------------------------------------------------------

/** The first finding of fairshoe-verify: `[check, entry]`, `[null, null]` if sound, `unusable`. */
function second({ log, note, key }, old, rivals) {
  try {
    const against = {
      key,
      checkpoint: utf8(note),
      ...(old ? { continues: { ...verify.logOfText(old.log.join('\n')), note: utf8(old.note) } } : {}),
      ...(rivals ? { rivals } : {}),
    };
    const [found] = verify.verifyLog(log.join('\n'), against).findings;
    return found ? [found.check, found.entry === undefined ? null : found.entry, found.message] : [null, null];
  } catch (error) {
    if (!(error instanceof verify.Unusable)) throw error;
    return ['unusable', null, error.message];
  }
}

/** The first finding of fairshoe-audit on mirrors. */
function first(audit, folder, made, old) {
  fs.rmSync(folder, { recursive: true, force: true });
  [
    [made, 'new'],
    [old, 'old'],
  ].forEach(([{ log, note, key }, name]) => writeMirror(path.join(folder, name), log, note, key));
  const program = spawnSync(
    audit,
    ['log', path.join(folder, 'new'), '--key', made.key, '--continues', path.join(folder, 'old'), '--json'],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (program.status === 2) return ['unusable', null, program.stderr];
  const { first_failure: found } = JSON.parse(program.stdout);
  return found ? [found.check, found.entry === undefined ? null : found.entry, found.message] : [null, null];
}

// --- spec/vectors/log-continued.json ------------------------------------------------------------------

/** Pairs and statements with their expected findings; a log is a list of places in `pool`, or first in another file. */
function vectors() {
  const { log: whole, at } = openHouse(), pool = [], places = new Map(), key = logKey(OLD), cases = [], statements = [];
  const put = text => { if (!places.has(text)) places.set(text, pool.push(text) - 1); return places.get(text); };
  const stored = ({ log, note, key: vkey, file }) =>
    ({ entries: file ? { file, first: log.length } : log.map(put), checkpoint: note, key: vkey });
  const read = ({ log, note }) => ({ ...verify.logOfText(log.join('\n')), note: utf8(note) });
  const verdictOf = (made, older = []) =>
    verify.verifyLog(read(made), { key: made.key, continues: older.map(read) }).verdict;
  const add = (about, made, old, check = null, entry = null, older = []) =>
    cases.push({
      about, new: stored(made), old: stored(old), ...(older.length ? { older: older.map(stored) } : {}), check, entry,
      ...(check ? {} : { old_verdict: verdictOf(old, older), alone: verdictOf(made) }),
    });
  const cut = name => whole.slice(0, at[name]),
    told = (log, commands, claim = claimOf(log)) => signed(newLog(commands, claim), NEW);
  const carried = log => followed(log).carriedOver(T0), place = (commands, holds) => 2 + commands.findIndex(holds);
  for (const name of Object.keys(at))
    add(`honest: ${name}`, told(cut(name), carried(cut(name))), signed(cut(name), OLD));

  // Values that the rules of "carried over" fix completely.
  const lie = (about, name, commandsOf, entryOf) => {
    const log = cut(name), honest = carried(log), list = commandsOf(honest), entry = entryOf(honest, list);
    add(about, told(log, list), signed(log, OLD), 'carried_over', entry);
  };
  const chipsOf = (player, change) => list =>
    list.map(command =>
      command.credit && command.credit.player === player
        ? { credit: { ...command.credit, amount: change(command.credit.amount) } }
        : command,
    );
  const creditOf = player => list => place(list, c => c.credit && c.credit.player === player);
  lie('a chip too few', 'players alone', chipsOf('alice', n => n - 1), creditOf('alice'));
  lie('a chip too many', 'players alone', chipsOf('bob', n => n + 1), creditOf('bob'));
  lie(
    'a player left out',
    'players alone',
    list => list.filter(c => Object.values(c)[0].player !== 'bob'),
    list => place(list, c => c.create_player && c.create_player.player === 'bob'),
  );
  lie(
    'a player without chips left out',
    'players alone',
    list => list.filter(c => Object.values(c)[0].player !== 'carol'),
    () => null,
  );
  lie(
    'chips carried over twice',
    'players alone',
    list => list.flatMap(c => (c.credit && c.credit.player === 'alice' ? [c, c] : [c])),
    list => creditOf('alice')(list) + 1,
  );
  lie(
    'chips for who had none',
    'a round that is open',
    list =>
      list.flatMap(c =>
        c.create_player && c.create_player.player === 'carol'
          ? [c, { credit: { player: 'carol', amount: 1, reference: 'carried over' } }]
          : [c],
      ),
    list => place(list, c => c.create_player && c.create_player.player === 'dave'),
  );
  lie(
    'a key left out',
    'players alone',
    list =>
      list.map(c =>
        c.create_player && c.create_player.key ? { create_player: { player: c.create_player.player } } : c,
      ),
    () => 2,
  );
  lie(
    'a key that waits taken for one in force',
    'a key that waits',
    list =>
      list.map(c =>
        c.create_player && c.create_player.player === 'bob'
          ? { create_player: { player: 'bob', key: logKey('bob', 12).key } }
          : c,
      ),
    list => place(list, c => c.create_player && c.create_player.player === 'bob'),
  );
  lie(
    'a key in force left out, since it once waited',
    'a key in force since a day',
    list =>
      list.map(c => (c.create_player && c.create_player.player === 'bob' ? { create_player: { player: 'bob' } } : c)),
    list => place(list, c => c.create_player && c.create_player.player === 'bob'),
  );
  lie(
    'stakes of rounds that await seeds not given back',
    'two rounds that await seeds',
    chipsOf('dave', n => n - 100),
    creditOf('dave'),
  );
  lie(
    'the stake of an open round not given back',
    'a round that is open',
    chipsOf('bob', n => n - 200),
    creditOf('bob'),
  );
  lie('bets that do not bind yet kept', 'bets that do not bind yet', chipsOf('bob', n => n - 300), creditOf('bob'));
  lie('a stack left behind', 'stacks before seats', chipsOf('alice', n => n - 20000), creditOf('alice'));
  lie(
    'what is in the pot counted beside the stacks',
    'a hand with blinds in the pot',
    chipsOf('alice', n => n + 100),
    creditOf('alice'),
  );
  lie(
    'a table left out',
    'bets that do not bind yet',
    list => list.filter(c => !c.open_table || c.open_table.table !== 'joy'),
    list => place(list, c => c.open_table),
  );
  lie(
    "a player's own table carried over",
    'a round that is open',
    list => [
      ...list.filter(c => !c.open_table),
      { open_table: { table: 'a-own', rules: rules('joy', { reveal_time_ms: 60000, round_time_ms: 60000 }) } },
      ...list.filter(c => c.open_table),
    ],
    list => place(list, c => c.open_table),
  );
  lie(
    'a table with other rules',
    'a round that is open',
    list => list.map(c => (c.open_table ? { open_table: { table: c.open_table.table, rules: rules('joy') } } : c)),
    list => place(list, c => c.open_table),
  );
  lie(
    'another reference',
    'players alone',
    list => list.map(c => (c.credit ? { credit: { ...c.credit, reference: 'paid in' } } : c)),
    creditOf('alice'),
  );
  lie(
    'something between',
    'players alone',
    list => [...list.slice(0, 3), { issue_token: { holder: 'auditor:a', revoke: false } }, ...list.slice(3)],
    () => 5,
  );

  const limited = 'limits and exclusions', limitOf = list => place(list, c => c.set_limit);
  const excludeOf = list => place(list, c => c.exclude && c.exclude.player === 'dave');
  const most = (of, other) => list => list.map(c =>
    c.set_limit && c.set_limit.of === of ? { set_limit: { ...c.set_limit, most: other } } : c);
  lie('a limit left out', limited, list => list.filter(c => !c.set_limit || c.set_limit.of !== 'deposit'), limitOf);
  lie('a limit loosened', limited, most('deposit', 91), limitOf);
  lie('a limit that waits taken for one in force', limited, most('loss', 800), list => limitOf(list) + 1);
  lie('an exclusion left out', limited, list => list.filter(c => !c.exclude || c.exclude.player !== 'dave'), excludeOf);
  lie(
    'an exclusion shortened',
    limited,
    list => list.map(c => (c.exclude ? { exclude: { ...c.exclude, until: c.exclude.until - 1 } } : c)),
    list => place(list, c => c.exclude),
  );
  // An exclusion that ends an hour after the log goes on is dropped; one that ends later is kept.
  const ends = cut(limited), end = JSON.parse(ends[ends.length - 1]).time;
  const goesOn = (at, list) => signed(newLog(list, claimOf(ends), scene => scene, at), NEW);
  const letGo = followed(ends).carriedOver(end), kept = followed(ends).carriedOver(end - 1);
  add('honest: an exclusion that ends in an hour is let go', goesOn(end, letGo), signed(ends, OLD));
  add('honest: one that ends later is kept', goesOn(end - 1, kept), signed(ends, OLD));
  const hers = place(kept, c => c.exclude && c.exclude.player === 'carol');
  add('one that is let go kept', goesOn(end, kept), signed(ends, OLD), 'carried_over', hers);
  add('one that is kept let go', goesOn(end - 1, letGo), signed(ends, OLD), 'carried_over', hers);

  // A log that goes on from one that goes on: as sound as the first of them, if that was read, too.
  const third = 'house.example/third';
  const ofThird = (about, name, ...more) => {
    const first = cut(name), second = told(first, carried(first)), { log } = second;
    const last = signed(newLog(carried(log), claimOf(log, { by: third }), scene => scene, T0, third), third);
    add(about, last, second, ...more);
    add(`${about}, which is read`, last, second, ...(more.length ? more : [null, null]), [signed(first, OLD)]);
  };
  for (const name of ['players alone', 'a round that is open'])
    ofThird(`honest: of a log that goes on from ${name}`, name);

  // Guests and their chips are not carried over, and their tables are opened again.
  const salon = guestsLog();
  add('honest: guests at tables for play chips', told(salon, carried(salon)), signed(salon, originOf(salon)));

  const log = cut('bets that do not bind yet'),
    commands = carried(log),
    honest = told(log, commands),
    old = signed(log, OLD);
  add('the new log ends before all is carried over', signed(honest.log.slice(0, 4), NEW), old, 'carried_over');
  for (const name of [
    'an earlier end named',
    'an earlier end named, with its root',
    'another root named',
    'another log named',
    "another key of the old log's name",
    'another key of the new log named',
  ]) {
    // In two of them the key that the claim names did not sign what the old log shows.
    const isSigned = !['another log named', "another key of the old log's name"].includes(name);
    add(name, signed(liedClaim(log, name, commands), NEW), old, ...(isSigned ? ['continues', 1] : ['unusable']));
  }
  for (const name of REFUSED_CLAIMS)
    add(name, signed(liedClaim(log, name, commands), NEW), old, 'refused', 1);
  add('the log under another key than its claim names', signed(honest.log, NEW, logKey(NEW, 8)), old, 'continues', 1);
  add('no claim', told(log, commands, null), old, 'continues');
  add('two claims', signed([...honest.log.slice(0, 2), honest.log[1], ...honest.log.slice(2)], NEW), old, 'refused', 2);
  add('an old log that goes on behind the end named', honest, signed(whole, OLD), 'continues', 1);
  add('an old log that ends before the end named', honest, signed(log.slice(0, -1), OLD), 'unusable');
  add('an old log under another key', honest, signed(log, OLD, logKey(OLD, 8)), 'unusable');
  const spoilt = [...log.slice(0, -1), log[log.length - 1].replace('"stake":300', '"stake":301')];
  add('an old log that is not sound, and signed', told(spoilt, commands), signed(spoilt, OLD), 'continues', 1);
  add('an old log whose entries are not those that were signed', honest, { ...old, log: spoilt }, 'unusable');
  add(
    'a new log that is not sound itself',
    signed([...honest.log.slice(0, 3), ...honest.log.slice(4)], NEW),
    old,
    'posting',
    4,
  );

  // Tournaments are wound up first.
  const events = eventsLog();
  const ofLog = (about, ends, more, commandsOf, check, entryOf) => {
    const kept = carried(ends), list = commandsOf(kept), old = { ...signed(ends, originOf(ends)), ...more };
    add(about, told(ends, list), old, check, entryOf && entryOf(kept));
  };
  const ofEvents = (about, size, ...rest) => ofLog(about, events.slice(0, size), {}, ...rest);
  for (const [about, size] of EVENTS) ofEvents(`honest: ${about}`, size, list => list);
  // By name: `big` is cancelled before `step-c` pays a second ticket of it, which is worth its whole price then.
  const ofTickets = (about, ...rest) => ofLog(about, secondTicketLog(), { file: 'entries-events.json' }, ...rest);
  ofTickets('honest: an event that is cancelled before another pays a ticket of it', list => list);
  ofTickets('events wound up in another order', chipsOf('alice', n => n - 1000), 'carried_over', creditOf('alice'));
  // They are wound up a day later, and a key that waits a day is not in force then either.
  const played = events.slice(0, 60), { time } = JSON.parse(played[59]);
  const late = { player: 'p0', key: logKey('p0', 12).key };
  const waits = [...played, JSON.stringify({
    v: 1, time, by: 'operator', command: { set_key: { ...late, reason: 'lost' } },
    events: [{ key_set: { ...late, from: time + DAY_MS } }],
  })];
  const withKey = carried(waits).map(c =>
    c.create_player && c.create_player.player === 'p0' ? { create_player: late } : c);
  add('honest: a key that waits beside an event', told(waits, carried(waits)), signed(waits, originOf(waits)));
  add(
    'a key that waits taken for one in force, beside an event',
    told(waits, withKey),
    signed(waits, originOf(waits)),
    'carried_over',
    place(withKey, c => c.create_player && c.create_player.player === 'p0'),
  );
  const holder = [...followed(events.slice(0, 128)).tickets.values()].flatMap(holders => [...holders.keys()])[0];
  ofEvents('a ticket left behind', 128, chipsOf(holder, n => n - 1000), 'carried_over', creditOf(holder));
  for (const [about, size] of [['an entry in an event kept', 60], ['a refund that was not paid kept', 355]])
    ofEvents(about, size, chipsOf('p0', n => n - 1), 'carried_over', creditOf('p0'));

  ended({ add, told, carried, cut, events, at });

  // Statements about the old log, compared with that of the first honest log.
  const note = (lie = {}) => verify.statementNote({ ...claimOf(log, lie).continue_log, by: lie.by || NEW }),
    state = (about, text, check = null) => statements.push({ about, statement: text, check });
  const another = claimOf(log, { by: 'house.example/other' }).continue_log;
  state('the same once more', note());
  state('that another log goes on', note({ by: 'house.example/other' }), 'continued_twice');
  state(
    'that this log goes on from an earlier end',
    note({ size: log.length - 1, root: rootOf(log.slice(0, -1)) }),
    'continued_twice',
  );
  state('that this log goes on from a later end', note({ size: whole.length, root: rootOf(whole) }), 'continued_twice');
  state('that a log of this name with another key goes on', note({ heir: 8 }), 'continued_twice');
  state('that this log goes on from another root', note({ root: rootOf(whole) }), 'continued_twice');
  state(
    "another log's, of the same key",
    note({ origin: 'another.example/log', by: 'house.example/other' }),
    'unusable',
  );
  state('under another key of the old log\'s name', note({ fill: 8, by: 'house.example/other' }), 'unusable');
  state('that somebody changed', note().replace(NEW, 'house.example/other'), 'unusable');
  state(
    'a size with a leading zero',
    key.note(verify.statementText({ ...another, size: `0${log.length}` }, 'house.example/other')),
    'unusable',
  );
  state(
    'a line too many',
    key.note(
      `${verify.statementText(another, 'house.example/other')}more\n`,
    ),
    'unusable',
  );
  state('a checkpoint of the old log', old.note, 'unusable');
  const paid = paidAtOnce();
  add('honest: more was paid in a round than staked, and taken out', told(paid, carried(paid)), signed(paid, OLD));

  // Nothing is due behind the end of a log, and nothing may come there.
  const started = cut('players alone');
  const toOther = { end_log: { origin: 'house.example/other', key: logKey('house.example/other').key } };
  const over = newLog(carried(started), claimOf(started), scene =>
    scene.give('operator', { open_table: { table: 'slow', rules: rules('roulette') } }).give('house', toOther));
  const behind = JSON.stringify({
    v: 1, time: JSON.parse(over.at(-1)).time + 100000, by: 'operator', command: { create_player: { player: 'late' } },
    events: [{ player_created: { player: 'late' } }],
  });
  add('an entry behind the end of a log that owes a shoe', signed([...over, behind], NEW), signed(started, OLD),
    'refused', over.length);

  const stated = { new: stored(honest), statements };
  return { pool, cases, stated, rivals: rivals({ stored, commands, log, old }) };
}

/**
 * Two logs that go on from one, `log`, with the same `commands`: each with the finding when the second is compared with
 * the first (spec/audit.md, "Two that go on from one").
 */
function rivals({ stored, commands, log, old }) {
  const found = [], zoe = { create_player: { player: 'zoe' } };
  const tell = (claim = claimOf(log)) => newLog(commands, claim, scene =>
    scene.player('xavier', 700).player('yves', 800).give('operator', zoe).player('zack', 900));
  const whole = tell(), own = signed(whole, NEW);
  const add = (about, made, rival, check = null, entry = null) =>
    found.push({ about, new: stored(made), rival: stored(rival), check, entry });
  /** The log with another word in an entry; the later entries are unchanged. */
  const other = (at, from, to) => {
    assert(whole[at].includes(from), `${at}: ${whole[at]}`);
    return whole.map((line, index) => (index === at ? line.replaceAll(from, to) : line));
  };
  const at = whole.findIndex(line => line.includes('"zoe"')), elsewhere = other(at, 'zoe', 'zed');
  assert.strictEqual(verify.verifyLog(elsewhere.join('\n')).findings.length, 0);

  add('the same log', own, own);
  add('the same log when it was shorter', own, signed(whole.slice(0, at), NEW));
  add('the same log when it began', own, signed(whole.slice(0, 2), NEW));
  add('the same log, grown since', signed(whole.slice(0, at), NEW), own);
  add('another player in an entry', own, signed(elsewhere, NEW), 'fork', at);
  add('another player in the last entry that both have', signed(whole.slice(0, at + 1), NEW), signed(elsewhere, NEW),
    'fork', at);
  add('another player in the last entry of a shorter one', own, signed(elsewhere.slice(0, at + 1), NEW), 'fork', at);
  add('one that is another only behind the end of the first', signed(whole.slice(0, at), NEW), signed(elsewhere, NEW));
  const credit = whole.findIndex(line => line.includes('carried over'));
  const fewer = JSON.parse(whole[credit]).command.credit.amount;
  add('one that carries fewer chips over, and is not sound', own,
    signed(other(credit, `"amount":${fewer}`, `"amount":${fewer - 1}`), NEW), 'fork', credit);
  add('one that is no log behind the claim', own, signed([...whole.slice(0, 2), 'nothing'], NEW), 'fork', 2);
  const { time } = JSON.parse(whole[0]);
  add('one that began at another time', own, signed(other(0, `"time":${time}`, `"time":${time - 1}`), NEW), 'fork', 0);
  add('one whose claim stands at another time', own,
    signed(other(1, `"time":${time}`, `"time":${time + 1}`), NEW), 'fork', 1);
  const between = [whole[0], JSON.stringify({
    v: 1, time, by: 'house', command: { stop_dealer: {} }, events: [{ dealer_stopped: {} }],
  }), ...whole.slice(1)];
  add('one that has the claim an entry later', own, signed(between, NEW), 'fork', 1);

  // Entries that the key did not sign, or not exactly these: anyone could have written them.
  add('another player, under another key of this name', own, signed(elsewhere, NEW, logKey(NEW, 8)));
  add('another player, under the key of another name', own, signed(elsewhere, OLD));
  const stranger = signed(elsewhere, NEW, logKey(NEW, 8)).note, line = own.note.trim().split('\n').pop();
  add('another player, with the signature over the first log', own, {
    ...own, log: elsewhere, note: stranger.replace(/— .*/, line),
  });
  add('another player, and the checkpoint of the first log', own, { ...own, log: elsewhere });
  add('another player, in a checkpoint of another log that the key signed', own, {
    ...own, log: elsewhere, note: logKey(NEW).note(`house.example/other\n${elsewhere.length}\n${rootOf(elsewhere)}\n`),
  });
  add('another player, without a checkpoint', own, { log: elsewhere, note: null, key: own.key });
  add('another player, and the first log under another key', signed(whole, NEW, logKey(NEW, 8)),
    signed(elsewhere, NEW));

  // With two statements the logs are not compared, so the signer of the log with one of them does not matter.
  add('one that goes on with another key, and the first log under another key', signed(whole, NEW, logKey(NEW, 9)),
    signed(tell(claimOf(log, { heir: 8 })), NEW, logKey(NEW, 8)), 'continued_twice', 1);
  add('one that goes on with another key', own, signed(tell(claimOf(log, { heir: 8 })), NEW, logKey(NEW, 8)),
    'continued_twice', 1);
  add('the old log', own, old, 'unusable');
  add('one that goes on from a log with another key', own, signed(tell(claimOf(log, { fill: 8 })), NEW), 'unusable');
  return found;
}

/**
 * Pairs whose old log has ended (spec/recovery.md, "The end of a log"): `cut` gives its entries up to a name in `at`.
 */
function ended({ add, told, carried, cut, events, at }) {
  const other = 'house.example/other', first = 'players alone', window = 'bets that do not bind yet, and nothing else';
  const endOfLog = (entries, ...end) => [...entries, endOf(entries, ...end)];
  const pairOf = (about, old, list, check, entry, claim = claimOf(old)) =>
    add(about, told(old, list, claim), signed(old, originOf(old)), check, entry);
  const kinds = { honest: 0, hidden: 0 };
  const endedThere = (about, entries) => {
    const old = endOfLog(entries), list = carried(entries), open = followed(entries).whatIsInPlay();
    kinds[open ? 'hidden' : 'honest']++;
    // A new log is at most as sound as an old one that ended with open items.
    if (open) return pairOf(`an old log that ended in play, ${about}`, old, list, 'continues', 1);
    // The end does not change what is carried over.
    assert.deepStrictEqual(list, carried(old), about);
    return pairOf(`honest: an old log that ended, ${about}`, old, list);
  };
  for (const name of Object.keys(at)) endedThere(name, cut(name));
  for (const [about, size] of EVENTS) endedThere(about, events.slice(0, size));
  assert(kinds.honest > 3 && kinds.hidden > 8, JSON.stringify(kinds));
  // Each of these is all that is in play.
  const alone = play => {
    const scene = new Scene(OLD).startDealer().player('alice', 50000);
    play(scene);
    return scene.log;
  };
  const pay = { wallet_withdraw: { player: 'alice', amount: 100 } };
  endedThere('by an operation of the wallet alone', alone(scene => scene.give('operator', pay)));
  endedThere('by a shoe that was played from alone', alone(scene => {
    scene.open('live', rules('live-blackjack')).sit('alice', 'live', 1).bet('alice', 'live', '1', 100).run();
    scene.reveal('live').run().pass(300000);
    assert(scene.log.some(line => line.includes('"round_settled"')) && !scene.tables.get('live').live);
  }));

  // The end is the last entry, and its time counts: a waiting key is in force by then, or not yet.
  const waits = cut('a key that waits'), { time } = JSON.parse(waits[waits.length - 1]);
  const [early, late] = [time + DAY_MS - 1, time + DAY_MS].map(when => endOfLog(waits, NEW, logKey(NEW).key, when));
  const bobs = list => list.findIndex(c => c.create_player && c.create_player.player === 'bob');
  const [without, inForce] = [carried(early), carried(late)];
  assert(!without[bobs(without)].create_player.key && inForce[bobs(inForce)].create_player.key);
  pairOf('honest: an old log that ended just before a key was in force', early, without);
  pairOf('honest: an old log that ended when a key came into force', late, inForce);
  pairOf('a key in force at the end of the old log left out', late, without, 'carried_over', 2 + bobs(without));
  pairOf('a key that waits at the end of the old log', early, inForce, 'carried_over', 2 + bobs(inForce));

  for (const [about, ...end] of [
    ['for another name', other, logKey(NEW).key],
    ['for another key', NEW, logKey(NEW, 8).key],
    ['for another name and key', other, logKey(other, 8).key],
  ]) {
    const old = endOfLog(cut(first), ...end), list = carried(old);
    pairOf(`an old log that ended ${about}`, old, list, 'continues', 1);
    pairOf(`an old log that ended ${about}, and chips left behind`, old, list.slice(0, 1), 'continues', 1);
  }
  const named = endOfLog(cut(window)), list = carried(named), last = list.length - 1;
  const fewer = list.map((c, i) => (i === last ? { open_table: { ...c.open_table, table: 'other' } } : c));
  pairOf('another table carried over from an old log that ended', named, fewer, 'carried_over', 2 + last);
  const before = named.slice(0, -1);
  pairOf('an end before that of the old log', named, list, 'continues', 1, claimOf(before));
  add('an old log without its end', told(named, list), signed(before, OLD), 'unusable');
  pairOf('an old log that ends for itself', endOfLog(cut(first), OLD), carried(cut(first)), 'continues', 1);

  // After the end no entry is sound, in the old log or in one that goes on from it.
  const start = JSON.parse(named[0]), behind = {
    'a stop': { stop_dealer: {} },
    'a start': { start_dealer: { ...start.command.start_dealer, epoch: hash('behind the end') } },
    'a state named': { note_state: { size: named.length, root: hash('a state') } },
    'another end': { end_log: { origin: other, key: logKey(other).key } },
    'a player': { create_player: { player: 'zoe' } },
  };
  const goesOn = (log, command) => {
    const { time: then } = JSON.parse(log[log.length - 1]), [name] = Object.keys(command);
    const { origin, epoch, master_id } = command.start_dealer || {};
    const said = {
      stop_dealer: { dealer_stopped: {} }, start_dealer: { dealer_started: { origin, epoch, master_id, down_ms: 0 } },
      note_state: { state_noted: command.note_state }, end_log: { log_ended: command.end_log },
      create_player: { player_created: command.create_player },
    };
    const by = name === 'create_player' ? 'operator' : 'house';
    return [...log, JSON.stringify({ v: 1, time: then, by, command, events: [said[name]] })];
  };
  const twice = endOfLog(newLog(list, claimOf(named)), 'house.example/third', logKey('house.example/third').key);
  add('honest: a new log that ended in its turn', signed(twice, NEW), signed(named, OLD));
  for (const [about, command] of Object.entries(behind)) {
    pairOf(`${about} behind the end of the old log`, goesOn(named, command), list, 'continues', 1);
    const epoch = hash('behind'), { start_dealer: own } = JSON.parse(twice[0]).command;
    const mine = command.start_dealer ? { start_dealer: { ...own, epoch } } : command;
    add(`${about} behind the end of the new log`, signed(goesOn(twice, mine), NEW), signed(named, OLD), 'refused',
      twice.length);
  }
}

// --- Pairs by chance ----------------------------------------------------------------------------------

/** The log, or in one of three cases the log that ended there: for the new one, or in a third of these for another. */
function atItsEnd(log, rng) {
  if (rng(3) || log[log.length - 1].includes('"log_ended"')) return log;
  const house = followed(log);
  if (house.whatIsInPlay() || [...house.tables.values()].some(({ recovering }) => recovering)) return log;
  const end = [[], [], [], [], ['house.example/other'], [NEW, logKey(NEW, 8).key]][rng(6)];
  return [...log, endOf(log, ...end)];
}

/** Whether a log has ended for another than the new one. */
function endedForAnother(log) {
  const { end_log: end } = JSON.parse(log[log.length - 1]).command;
  return !!end && (end.origin !== NEW || end.key !== logKey(NEW).key);
}

/** A pair: its description, the new log, the old one. */
function pair(all, rng) {
  const [name, whole] = all[rng(all.length)],
    log = atItsEnd(whole.slice(0, 1 + rng(whole.length)), rng),
    origin = originOf(log),
    old = signed(log, origin);
  const commands = followed(log).carriedOver(T0),
    pick = list => list[rng(list.length)],
    made = (entries, what) => ({ what: `${name} at ${log.length}: ${what}`, made: signed(entries, NEW), old });
  const kind = rng(10);
  if (kind < 3) return made(newLog(commands, claimOf(log)), 'honest');
  if (kind < 8) {
    const lie = pick(Object.keys(LIES)), told = commands.length ? LIES[lie](commands, pick) : null;
    return told ? made(newLog(told, claimOf(log)), lie) : made(newLog(commands, claimOf(log)), 'honest');
  }
  if (kind < 9) {
    const lie = pick(Object.keys(CLAIMS));
    return log.length > 1 ? made(liedClaim(log, lie, commands), lie) : made(newLog(commands, claimOf(log)), 'honest');
  }
  const entries = newLog(commands, claimOf(log)), other = rng(5);
  if (other === 0) return { ...made(entries, 'a longer old log'), old: signed(whole, origin) };
  if (other === 1)
    return { ...made(entries, 'a shorter old log'), old: signed(log.slice(0, Math.max(1, log.length - 1)), origin) };
  if (other === 2) return made(newLog(commands, null), 'no claim');
  if (other === 3) return made(entries.slice(0, 1 + rng(entries.length)), 'the new log breaks off');
  const spoilt = log.slice(), at = rng(log.length);
  spoilt[at] = spoilt[at].replace(/"time":(\d+)/, (_, time) => `"time":${Number(time) + 1 + rng(100000)}`);
  return {
    ...made(newLog(commands, claimOf(spoilt)), `an old log with another time in entry ${at}`),
    old: signed(spoilt, origin),
  };
}

function campaign(given) {
  const rng = random(Number(given.seed || 1)),
    all = books(),
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'continued-'));
  const summary = { pairs: 0, honest: 0, open: 0, found: {}, disagreements: [] };
  try {
    for (let n = 0; n < Number(given.pairs || 100); n++) {
      const { what, made, old } = pair(all, rng),
        [one, other] = [first(given.audit, folder, made, old), second(made, old)];
      summary.pairs++;
      if (what.endsWith(': honest')) summary.honest++;
      const house = what.endsWith(': honest') ? followed(old.log) : null;
      if (house && [...house.tables.values()].some(({ live, window }) => live || window)) summary.open++;
      summary.found[one[0]] = (summary.found[one[0]] || 0) + 1;
      const accused = what.endsWith(': honest') && (one[0] === null) === endedForAnother(old.log);
      if (one[0] !== other[0] || one[1] !== other[1] || accused) {
        if (given.keep)
          fs.cpSync(folder, path.join(given.keep, String(summary.disagreements.length)), { recursive: true });
        summary.disagreements.push({ n, what, fairshoe_audit: one, fairshoe_verify: other });
      }
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log(JSON.stringify(summary, null, 1));
  return summary.disagreements.length ? 1 : 0;
}

if (require.main === module) {
  const given = options();
  if (given.vectors) fs.writeFileSync(given.vectors, `${JSON.stringify(vectors(), null, 1)}\n`);
  else process.exitCode = campaign(given);
}

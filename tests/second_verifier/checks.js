#!/usr/bin/env node
// Shows that the second verifier has each check of spec/audit.md ("Findings") that can be judged from a log or a
// bundle: an honest log or bundle is sound, and with one fault it is unsound for that reason, at that entry.
// node checks.js [--json] [CODE…]; exit code 1 if a check is not found, or is found at another entry. `--list` prints
// the codes.
// node checks.js --vectors FILE: writes the data of spec/vectors/log-notes.json.
// node checks.js --write DIR: writes each case as a mirror's folder (or a bundle), with its evidence, for another
// verifier, and DIR/cases.json.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { choices } = require('./choices.js');
const { Scene, rules, pathTo, hash, verify, ORIGIN, T0 } = require('./dealer.js');
const { hex, unhex, utf8, base64, leafHash, treeRoot } = verify;
const { DAY_MS } = verify.HOUSE_TIMES;

// --- The log's key and its signatures --------------------------------------------------------------

/** A signer from a fixed secret: `type` 1 is a log's, 4 a witness's. */
function signer(name, type, fill) {
  const secret = crypto.createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, fill)]),
    format: 'der',
    type: 'pkcs8',
  });
  const bytes = Buffer.concat([
    Buffer.from([type]),
    crypto.createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32),
  ]);
  const id = crypto.createHash('sha256').update(`${name}\n`).update(bytes).digest().subarray(0, 4);
  const line = signature => `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;
  return {
    vkey: `${name}+${id.toString('hex')}+${bytes.toString('base64')}`, key: bytes.subarray(1).toString('hex'),
    note: text => `${text}\n${line(crypto.sign(null, Buffer.from(text), secret))}`,
    cosigned(text, seconds) {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(BigInt(seconds));
      return line(
        Buffer.concat([time, crypto.sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`), secret)]),
      );
    },
    sign: text => crypto.sign(null, Buffer.from(text), secret).toString('hex'),
  };
}

const LOG = signer(ORIGIN, 1, 7),
  OWN_TIMES = signer(ORIGIN, 4, 7),
  WITNESS = signer('witness.example/w', 4, 9),
  OTHER = signer(ORIGIN, 1, 8),
  ANOTHER = signer('another.example/log', 1, 3),
  PLAYER = signer('alice', 1, 5);
const leavesOf = log => log.map(entry => leafHash(utf8(entry)));
const checkpointText = log => `${ORIGIN}\n${log.length}\n${base64(treeRoot(leavesOf(log)))}\n`;
const checkpoint = (log, by = LOG) => by.note(checkpointText(log));
const kept = (name, text, entry) => ({ name, bytes: utf8(text), entry: entry === undefined ? null : utf8(entry) });
const receipt = (log, index) =>
  `c2sp.org/tlog-proof@v1\nindex ${index}\n${pathTo(index, leavesOf(log))
    .map(hash64 => `${base64(hash64)}\n`)
    .join('')}\n${checkpoint(log)}`;
const signedLine = signed => (signed ? JSON.stringify(signed) : '-');
const received = (time, by, command, signed) =>
  LOG.note(`fairshoe received/v1\n${ORIGIN}\n${time}\n${by}\n${JSON.stringify(command)}\n${signedLine(signed)}\n`);
const refused = (time, code, by, command, signed) =>
  LOG.note(
    `fairshoe refused/v1\n${ORIGIN}\n${time}\n${code}\n${by}\n${JSON.stringify(command)}\n${signedLine(signed)}\n`,
  );

// --- Logs -----------------------------------------------------------------------------------------

/** The log that goes on from the one that ends: the new one of continued_logs.js. */
const NEXT = 'house.example/next';
const QUICK = { reveal_time_ms: 60000, round_time_ms: 60000 };
const players = lies =>
  new Scene(lies).startDealer().player('alice', 100000).player('bob', 100000).player('carol', 100000);

const SCENES = {
  /** JOY: blackjack of one player, a new shoe for each round. */
  joy: lies =>
    players(lies)
      .open('joy', rules('joy', QUICK))
      .round('joy', { alice: ['1', 10] })
      .round('joy', { bob: ['1', 20] })
      .round('joy', { alice: ['1', 30] }),
  /** The state is named between rounds, and in mid-round. */
  noted(lies) {
    const scene = players(lies).open('joy', rules('joy', QUICK)).round('joy', { alice: ['1', 10] }).noteState();
    return scene.bet('bob', 'joy', '1', 20).noteState().reveal('joy').play('joy').run().noteState();
  },
  live(lies) {
    const scene = players(lies).open('live', rules('live-blackjack')).sit('alice', 'live', 1).sit('bob', 'live', 2);
    for (let i = 0; i < 3; i++) scene.round('live', { alice: ['1', 100], bob: ['2', 100] });
    return scene.pass(2 * 3600000);
  },
  wheel(lies) {
    const scene = players(lies).open('wheel', rules('roulette')).sit('alice', 'wheel', 1);
    for (let i = 0; i < 3; i++) scene.round('wheel', { alice: ['red', 100] });
    return scene.pass(2 * 3600000);
  },
  poker(lies) {
    const scene = players(lies).open('holdem', rules('holdem'));
    ['alice', 'bob', 'carol'].forEach((player, i) => scene.sit(player, 'holdem', i + 1, { buy_in: 20000 }));
    for (let i = 0; i < 4; i++) scene.hand('holdem');
    return scene;
  },
  /** A shuffle that the operator asks for where each round has a shoe of its own, and in the next round again. */
  shuffled(lies) {
    const scene = players(lies)
      .open('live', rules('live-blackjack', { house_shuffle: true, reshuffle: 'every_round' }))
      .sit('alice', 'live', 1);
    for (let i = 0; i < 2; i++) {
      scene.bet('alice', 'live', '1', 100).run();
      const { window } = scene.tables.get('live');
      if (window) scene.pass(window.closesAt - scene.clock);
      scene
        .reveal('live')
        .give('operator', { retire_shoe: { table: 'live', reason: 'a spilt drink' } })
        .play('live')
        .run();
    }
    return scene.round('live', { alice: ['1', 100] });
  },
  safe(lies) {
    const scene = players(lies)
        .player('dave', 100000)
        .player('erin', 100000)
        .player('frank', 100000)
        .open('safe', rules('safe')),
      all = [...scene.house.players].sort();
    all.forEach((player, i) => scene.sit(player, 'safe', i + 1));
    return scene.round('safe', Object.fromEntries(all.map((player, i) => [player, [String(i + 1), 100]])), [
      'stand',
      'accept',
      'face_down',
      'pass',
    ]);
  },
  /** A start in mid-round, a withheld seed, a crash's refund. */
  restart() {
    const scene = players()
      .open('live', rules('live-blackjack'))
      .sit('alice', 'live', 1)
      .sit('bob', 'live', 2)
      .bet('alice', 'live', '1', 100)
      .bet('bob', 'live', '2', 100)
      .run();
    scene.clock += 5000;
    scene.startDealer().run().reveal('live', ['bob']);
    return scene.pass(60000);
  },
  /** Wanted, idle and lost seats; a table that replaces another. */
  seats() {
    const scene = players().open('bac', rules('baccarat', { seats: 2 })).sit('alice', 'bac', 1).sit('bob', 'bac', 2);
    scene
      .pass(60000)
      .give('player:carol', { want_seat: { table: 'bac' } })
      .pass(8 * 60000)
      .sit('carol', 'bac', 1)
      .round('bac', { carol: ['player', 100] });
    scene.give('operator', { unseat: { table: 'bac', player: 'carol', reason: 'asked to' } }).run();
    scene.pass(3600000).sit('alice', 'bac', 2).bet('alice', 'bac', 'banker', 100).run().pass(1000).reveal('bac').run();
    scene
      .give('player:alice', { leave_seat: { table: 'bac' } })
      .run()
      .give('operator', { close_table: { table: 'bac' } });
    scene.give('operator', { open_table: { table: 'bac-2', rules: rules('baccarat'), replaces: 'bac' } }).run();
    return scene.sit('alice', 'bac-2', 3).pass(3 * 3600000);
  },
  /** A late seed, refused twice and accepted once; a cash table whose players leave. */
  late() {
    const { scene, reveal: { reveal } } = withheld();
    scene.give('anyone', { late_seed: reveal }).pass(3600000).open('holdem', rules('holdem'));
    ['alice', 'bob', 'carol'].forEach((player, i) => scene.sit(player, 'holdem', i + 1, { buy_in: 20000 }));
    scene.hand('holdem').give('player:carol', { sit_out: { table: 'holdem' } }).run().hand('holdem');
    return scene.pass(3 * 3600000);
  },
  /** A player's own key instead of a waiting one; chips paid out only with its signature. */
  signed() {
    const scene = players(),
      signedBy = (nonce, command) =>
        scene.give('player:alice', command, {
          nonce,
          signature: PLAYER.sign(verify.signedText(ORIGIN, 'player:alice', nonce, JSON.stringify(command))),
        });
    scene
      .give('operator', { set_key: { player: 'alice', key: OTHER.key, reason: 'lost' } })
      .pass(3600000)
      .give('player:alice', { set_key: { player: 'alice', key: PLAYER.key } });
    scene.pass(2 * DAY_MS);
    signedBy(3, { withdraw: { player: 'alice', amount: 700 } });
    scene.give('operator', { set_key: { player: 'alice', reason: 'given up' } }).pass(DAY_MS - 1);
    signedBy(7, { issue_token: { holder: 'player:alice', revoke: true } });
    return scene.pass(1).give('operator', { withdraw: { player: 'alice', amount: 5 } });
  },
  /** Players whose commands are signed. */
  keyed: () =>
    players()
      .give('operator', { set_key: { player: 'alice', key: PLAYER.key, reason: 'lost' } })
      .pass(86400000)
      .open('joy', rules('joy', QUICK)),
  /** A log that ends for another one, with bets that are not binding yet, and an unused shoe. */
  ended() {
    const scene = players().open('live', rules('live-blackjack')).open('joy', rules('joy', QUICK));
    scene.sit('bob', 'live', 2).bet('bob', 'live', '2', 300);
    return scene.give('house', { end_log: { origin: NEXT, key: signer(NEXT, 1, 7).key } });
  },
};
/** The entry with which the house of a log ends it. */
function endOf(log, origin = NEXT, key = signer(NEXT, 1, 7).key, time = JSON.parse(log[log.length - 1]).time) {
  const ended = { origin, key };
  return JSON.stringify({ v: 1, time, by: 'house', command: { end_log: ended }, events: [{ log_ended: ended }] });
}
const made = new Map();
const sceneOf = name => made.get(name) || (made.set(name, SCENES[name]()), made.get(name));
const logOf = name => sceneOf(name).log.slice();

/**
 * The log of that name with one entry changed: the first for which `change` does not return false. The place of the
 * change is found automatically.
 */
function edited(name, change, options = {}) {
  const log = logOf(name);
  for (let index = 0; index < log.length; index++) {
    const entry = JSON.parse(log[index]);
    const done = change(entry, index, log);
    if (done === false) continue;
    if (typeof done === 'string') log[index] = done;
    else if (JSON.stringify(entry) !== log[index]) log[index] = JSON.stringify(entry);
    return { log, at: typeof done === 'number' ? done : index, options };
  }
  throw new Error(`nothing to change in ${name}`);
}

/** The ended log with an entry of the house after its end, this much later. */
function behindTheEnd(command, later = 0) {
  const log = logOf('ended'), [{ table }] = Object.values(command), entries = log.map(line => JSON.parse(line));
  const { at: last } = entries.findLast(({ at }) => table && at && at.table === table) || {};
  const at = last ? { at: { table, seq: last.seq + 1 } } : {};
  const time = entries[entries.length - 1].time + later;
  log.push(JSON.stringify({ v: 1, time, by: 'house', ...at, command, events: [] }));
  return { log, at: log.length - 1, options: {} };
}

const eventOf = (entry, word) => {
  const event = entry.events.find(e => verify.eventName(e) === word);
  return event && verify.eventFields(event);
};
/** Changes the first event of that name. */
const inEvent = (name, word, change) =>
  edited(name, entry => {
    const e = eventOf(entry, word);
    return e ? change(e, entry) : false;
  });
const commandIs = (entry, word) => Object.keys(entry.command)[0] === word;
const onCommand = (name, word, change) =>
  edited(name, (entry, index, log) => (commandIs(entry, word) ? change(entry, index, log) : false));
const away = text => hash(text);

/** A log written by a lying dealer; `at` is where the lie appears. */
const crooked = (name, lies, at) => {
  const log = SCENES[name](lies).log;
  return { log, at: at(log.map(line => JSON.parse(line))), options: {} };
};
const firstWith = word => entries => entries.findIndex(entry => eventOf(entry, word));
const nth = (word, n) => entries => entries.map((entry, i) => (eventOf(entry, word) ? i : -1)).filter(i => i >= 0)[n];

/** An honest log with evidence to compare: `{log, at, options}`. */
const against = (log, files, at, more = {}) => ({ log, at, options: { key: LOG.vkey, kept: files, ...more } });
/** The published log, and the log rewritten from entry `at` on. */
function twoHistories() {
  const told = logOf('joy'), at = told.findIndex(line => line.includes('"close_bets"') || line.includes('"bet"'));
  const other = players()
    .open('joy', rules('joy', QUICK))
    .round('joy', { alice: ['1', 11] })
    .round('joy', { bob: ['1', 20] })
    .round('joy', { alice: ['1', 30] }).log;
  return { told, other, at };
}

/** A round that waits for bob's seed and becomes void without it. */
function withheld() {
  const scene = players()
    .open('live', rules('live-blackjack'))
    .sit('alice', 'live', 1)
    .sit('bob', 'live', 2)
    .bet('alice', 'live', '1', 100)
    .bet('bob', 'live', '2', 100)
    .run();
  const close = scene.clock;
  scene.pass(1000).reveal('live', ['bob']).pass(60000);
  return { scene, close, reveal: scene.revealOf('bob', 'live', 0), log: scene.log };
}

const SHOWN = ['dealt', 'turned'];
const hiddenFace = entry =>
  entry.events.map(event => event.play && event.play.dealt).find(dealt => dealt && dealt.card === undefined);

/** Each gives `{log, at, options}`: the input, and the place of the finding (undefined: at no entry). */
const LOGS = {
  entry_form: () => inEvent('joy', 'dealt', e => { e.colour = 'red'; }),
  canonical_form: () =>
    edited('joy', (entry, index, log) => (index === 3 ? log[index].replace('"v":1,', '"v":1, ') : false)),
  first_entry: () => ({ log: logOf('joy').slice(1), at: 0, options: {} }),
  origin: () => ({
    log: logOf('joy'),
    at: 0,
    options: {
      key: ANOTHER.vkey,
      checkpoint: utf8(ANOTHER.note(checkpointText(logOf('joy')).replace(ORIGIN, 'another.example/log'))),
    },
  }),
  time: () => edited('joy', entry => { if (!eventOf(entry, 'dealt')) return false; entry.time -= 10000; return true; }),
  table_seq: () =>
    edited('joy', entry => {
      if (!eventOf(entry, 'dealt')) return false;
      entry.at.seq += 1;
      return true;
    }),
  epoch_reused() {
    const { log } = players().startDealer().startDealer(), at = log.length - 1;
    log[at] = log[at].replaceAll(hash(`epoch ${at}`), hash('epoch 0'));
    return { log, at, options: {} };
  },
  refused: () =>
    onCommand('restart', 'lapse', (entry, index, log) => {
      entry.time = JSON.parse(log[index - 1]).time;
    }),
  signature: () => edited('keyed', (entry, index, log) => {
      if (index + 1 < log.length) return false;
      log.push(
        JSON.stringify({
          v: 1,
          time: entry.time,
          by: 'player:alice',
          command: { issue_token: { holder: 'player:alice', revoke: false } },
          events: [{ token_issued: { holder: 'player:alice', revoked: false } }],
        }),
      );
      return index + 1;
    }),
  balance_before: () => onCommand('joy', 'bet', entry => { entry.before[0][1] += 5; }),
  event_missing: () =>
    edited('joy', entry => {
      if (!eventOf(entry, 'round_settled')) return false;
      entry.events.pop();
      return true;
    }),
  event_extra: () =>
    edited('joy', entry => {
      const e = entry.events.find(event => event.round_settled);
      if (!e) return false;
      entry.events.push({
        posted: {
          lines: [
            ['house', 1, 1],
            ['cage', -1, -1],
          ],
        },
      });
      return true;
    }),
  event_order: () =>
    edited('joy', entry => {
      if (!eventOf(entry, 'bet_placed')) return false;
      entry.events.splice(0, 2, entry.events[1], entry.events[0]);
      return true;
    }),
  dealt_slot: () => inEvent('joy', 'dealt', e => { e.slot = (e.slot + 1) % 52; }),
  dealt_place: () => inEvent('joy', 'dealt', e => { e.to = 'dealer'; }),
  face_missing: () => inEvent('joy', 'dealt', e => { delete e.card; }),
  face_leaked: () =>
    edited('joy', entry => {
      const e = hiddenFace(entry);
      if (!e) return false;
      e.card = '2c';
      return true;
    }),
  peek: () => edited('live', entry => {
      // A look that the rules do not allow, instead of the right event.
      const i = entry.events.findIndex(event => event.play && event.play.peeked);
      if (i < 0) return false;
      entry.events[i].play.peeked.slot += 1;
      return true;
    }),
  // The dealer says that the hidden card makes a blackjack, and turns up one that does not.
  broken: () => edited('live', entry => {
      const i = entry.events.findIndex(event => event.play && event.play.peeked && event.play.peeked.blackjack);
      if (i < 0) return false;
      entry.events.find((event, at) => at > i && event.play && event.play.turned).play.turned.card = '2c';
      return true;
    }),
  offer: () => inEvent('joy', 'offered', e => { e.options[0].cost += 1; }),
  action: () => inEvent('joy', 'acted', e => { e.default = !e.default; }),
  payout: () => inEvent('joy', 'paid', e => { e.lines[0].returned += 1; }),
  posting: () => inEvent('joy', 'posted', e => { e.lines[0][2] += 1; }),
  settlement: () => inEvent('joy', 'round_settled', e => { e.returned += 1; }),
  void: () => inEvent('restart', 'round_voided', e => { e.ahead = 'house'; }),
  round_opened: () => inEvent('joy', 'round_opened', e => { e.entropy = away('another'); }),
  deadline: () => inEvent('joy', 'bets_closed', e => { e.reveal_by += 1; }),
  bets: () => inEvent('live', 'bets_closed', e => { e.contributors[0].bets[0].stake += 100; }),
  seed_revealed: () => inEvent('joy', 'seed_revealed', e => { e.seed = away('another'); }),
  shoe_committed: () => inEvent('joy', 'shoe_committed', e => { e.composition = '52x6'; }),
  table_noted: () => inEvent('joy', 'table_noted', e => { e.next_round += 1; }),
  state_noted: () => edited('noted', entry => {
      if (!commandIs(entry, 'note_state')) return false;
      entry.command.note_state.root = entry.events[0].state_noted.root = away('another');
      return true;
    }),
  shoe_revealed: () => inEvent('live', 'shoe_revealed', e => { e.cause = 'threshold'; }),
  rule_set: () => inEvent('joy', 'table_opened', e => { e.digest = away('another'); }),
  start: () => inEvent('joy', 'dealer_started', e => { e.down_ms = 7; }),
  resume: () =>
    edited('restart', entry => {
      const e = eventOf(entry, 'round_resumed');
      if (!e) return false;
      e.round_no += 1;
      return true;
    }),
  seat: () => inEvent('live', 'seat_taken', e => { e.seat += 1; }),
  cooldown: () => inEvent('restart', 'cooldown', e => { e.until += 60000; }),
  pile: () => inEvent('safe', 'pile_opened', e => { e.players = e.players.slice(1); }),
  spin: () => inEvent('wheel', 'spun', e => { e.pocket = (e.pocket + 1) % 37; }),
  recovery: () => edited('restart', entry => {
      if (!commandIs(entry, 'recover')) return false;
      return JSON.stringify({
        v: 1,
        time: entry.time,
        by: 'operator',
        command: { create_player: { player: 'dave' } },
        events: [{ player_created: { player: 'dave' } }],
      });
    }),
  card_too_often: () => edited('joy', entry => {
      const open = entry.events.map(event => event.play && event.play.dealt).filter(dealt => dealt && dealt.card);
      const first = open.find((dealt, i) => open.slice(i + 1).some(later => later.card[0] === dealt.card[0]));
      if (!first) return false;
      first.card =
        open[
          open.indexOf(first) +
            1 +
            open.slice(open.indexOf(first) + 1).findIndex(later => later.card[0] === first.card[0])
        ].card;
      return true;
    }),
  seed_opens: () =>
    crooked(
      'joy',
      { shoe_revealed: ({ seeds }) => ({ seeds: seeds.map(() => away('another')) }) },
      firstWith('shoe_revealed'),
    ),
  // One seed, two compositions: the roots differ, and the seed is published twice.
  seed_reused() {
    const scene = players({ seed: () => unhex(away('one seed'), 32) });
    scene.open('joy', rules('joy', QUICK)).open('two', rules('joy', QUICK, { decks: 2 })).startDealer().run();
    const entries = scene.log.map(line => JSON.parse(line));
    return { log: scene.log, at: nth('shoe_revealed', 1)(entries), options: {} };
  },
  root_reused: () => crooked('joy', { seed: () => unhex(away('one seed'), 32) }, nth('shoe_committed', 1)),
  shoe_root: () =>
    crooked('joy', { derived: (deck, _, { no }) => (no === 1 ? forged(deck) : deck) }, nth('shoe_revealed', 1)),
  face_false: () =>
    crooked(
      'joy',
      { dealt: ({ card }, dealer, shoe, slot) => ({ card: slot === firstSlot(dealer) ? otherSuit(card) : card }) },
      firstWith('dealt'),
    ),
  peek_false: () => lookedWrong(),
  saw_other() {
    const scene = players().open('joy', rules('joy', QUICK)).bet('alice', 'joy', '1', 10),
      { reveal } = scene.revealOf('alice', 'joy', 0);
    scene.give('anyone', { reveal: { ...reveal, saw: { size: 3, root: base64(unhex(away('another'), 32)) } } });
    return { log: scene.log, at: scene.log.length - 1, options: {} };
  },
  overdue() {
    const scene = players()
      .open('live', rules('live-blackjack'))
      .sit('alice', 'live', 1)
      .round('live', { alice: ['1', 100] });
    // The seat is given up and the used shoe is never revealed; three hours later a player is created.
    scene
      .give('player:alice', { leave_seat: { table: 'live' } })
      .pass(3 * 3600000, ['live'])
      .give('operator', { create_player: { player: 'dave' } });
    return { log: scene.log, at: scene.log.length - 1, options: {} };
  },
  // The year 2096.
  time_ahead() {
    const scene = new Scene();
    scene.clock = 4000000000000;
    return { log: scene.startDealer().player('alice', 100).log, at: 0, options: { now: Date.now() } };
  },
  ack_differs() {
    const { told, other, at } = twoHistories();
    return against(other, [kept('mine.tlog-proof', receipt(told, at), told[at])], at);
  },
  ack_missing() {
    const log = logOf('joy'),
      at = log.length - 1;
    return against(log.slice(0, -2), [kept('mine.tlog-proof', receipt(log, at), log[at])], at);
  },
  fork() {
    const { told, other } = twoHistories();
    return against(other, [kept('seen.txt', checkpoint(told))], undefined);
  },
  truncated() {
    const log = logOf('joy');
    return against(log.slice(0, -2), [kept('seen.txt', checkpoint(log))], undefined);
  },
  time_witnessed() {
    const log = logOf('joy'), seen = log.slice(0, 8), text = checkpointText(seen), seconds = T0 / 1000 + 7200;
    const note = checkpoint(seen) + OWN_TIMES.cosigned(text, seconds),
      policy = utf8(`log ${LOG.vkey}\nwitness w ${WITNESS.vkey}\nquorum w\n`);
    return against(log, [kept('seen.jsonl', `${JSON.stringify({ time: seconds, note })}\n`)], 8, { policy });
  },
  key_changed() {
    const log = logOf('joy'), policy = utf8(`log ${LOG.vkey}\nlog ${OTHER.vkey}\nquorum none\n`);
    return against(log, [kept('seen.txt', checkpoint(log.slice(0, 5), OTHER))], undefined, { policy });
  },
  received_ignored() {
    const { log, close, reveal } = withheld(), at = log.findIndex(line => line.includes('"round_voided"'));
    return against(
      log,
      [kept('reply.json', JSON.stringify({ received: received(close + 2000, 'anyone', reveal) }))],
      at,
    );
  },
  refused_wrongly() {
    const { log, close, reveal } = withheld(), at = log.findIndex(line => line.includes('"round_voided"')) - 1;
    return against(
      log,
      [
        kept(
          'problem.json',
          JSON.stringify({ code: 'reveals_over', refused: refused(close + 2000, 'reveals_over', 'anyone', reveal) }),
        ),
      ],
      at,
    );
  },
  continues: () => pair('an old log that goes on behind the end named'),
  carried_over: () => pair('bets that do not bind yet kept'),
  continued_twice: () => pair('that another log goes on'),
};

/**
 * Bytes from a server or a mirror that the log's key did not sign: both verifiers refuse them without a finding about
 * the log (spec/audit.md, "Verdicts").
 */
const UNSIGNED = {
  'a page in the place of a checkpoint': () => under('<!doctype html><title>Back soon</title>'),
  'nothing in the place of a checkpoint': () => under(''),
  'an error in the place of a checkpoint': () => under('{"code":"unavailable","detail":"try again"}'),
  'a checkpoint that was cut short': () => under(String(checkpoint(logOf('joy'))).slice(0, -9)),
  'a checkpoint with another signature': () => under(checkpoint(logOf('joy')).replace(/(.{8})\n$/, 'AAAAAAA=\n')),
  'a checkpoint that is signed with another key': () => under(checkpoint(logOf('joy'), OTHER)),
  'fewer entries than the checkpoint says': () => under(checkpoint(logOf('joy')), logOf('joy').slice(0, -1)),
  'more entries than the checkpoint says': () => under(checkpoint(logOf('joy').slice(0, -1))),
  'a tile with another hash': () => {
    const log = players().player('dave', 100).log;
    return { log, options: { key: LOG.vkey }, spoil: verify.tilePath(0, 0, log.length) };
  },
  'other entries than were signed': () => {
    const { told, other } = twoHistories();
    return under(checkpoint(told.slice(0, other.length)), other.slice(0, told.length));
  },
  'an entry that somebody changed': () => {
    const log = logOf('joy');
    return under(checkpoint(log), log.map((entry, at) => (at === 5 ? entry.replace('"time":', '"time":9') : entry)));
  },
};

/** A log with a checkpoint of any bytes. */
function under(note, log = logOf('joy')) { return { log, options: { key: LOG.vkey, checkpoint: utf8(note) } }; }

/** A pair of logs, or a statement, of spec/vectors/log-continued.json. */
function pair(about) {
  const { pool, cases, stated } = JSON.parse(
      fs.readFileSync(path.join(__dirname, '../../spec/vectors/log-continued.json'), 'utf8'),
    ),
    texts = ({ entries }) => entries.map(at => pool[at]);
  const found = cases.find(one => one.about === about),
    said = stated.statements.find(one => one.about === about),
    made = found ? found.new : stated.new;
  const old = found
    ? { ...verify.logOfText(texts(found.old).join('\n')), note: utf8(found.old.checkpoint), key: found.old.key }
    : null;
  const options = {
    key: made.key,
    checkpoint: utf8(made.checkpoint),
    ...(old ? { continues: old } : { rivals: [{ name: 'statement', bytes: utf8(said.statement) }] }),
  };
  return { log: texts(made), at: found ? found.entry : 1, options };
}

const otherSuit = card => card[0] + (card[1] === 'c' ? 'd' : 'c');
/** The slot of a table's first card. */
function firstSlot(dealer) { dealer.first = dealer.first ?? dealer.table.live.order[0]; return dealer.first; }

/** A shoe without aces, honestly hashed. */
function forged(deck) {
  const faces = deck.faces.map(face => (face % 13 ? face : face + 1));
  const root = hex(
    treeRoot(faces.map((face, i) => leafHash(verify.concat(deck.salts[i], Uint8Array.of(i >> 8, i & 255, face))))),
  );
  return { ...deck, faces, root };
}

/**
 * The dealer has a blackjack under a ten or an ace and denies it; before the card is turned up, there is a malfunction.
 */
function lookedWrong() {
  let lied = false;
  const scene = players({
      peeked: ({ blackjack }) => {
        lied = lied || blackjack;
        return { blackjack: false };
      },
    })
      .open('live', rules('study-group'))
      .sit('alice', 'live', 1),
    table = scene.tables.get('live');
  for (let i = 0; i < 60 && !lied; i++) {
    scene.bet('alice', 'live', '1', 100).run().reveal('live');
    if (!lied) scene.play('live').run();
  }
  scene
    .give('operator', { void_round: { table: 'live', round_no: table.live.no, reason: 'camera' } })
    .pass(2 * 3600000);
  return { log: scene.log, at: scene.log.map(line => line.includes('"peeked"')).lastIndexOf(true), options: {} };
}

// --- Bundles --------------------------------------------------------------------------------------

/** The bundle of a round in the service's form, signed with the log's key; `change` may change anything before. */
function bundle(scene, round, change = () => {}) {
  const [table] = round.split(':'),
    { log } = scene,
    all = log.map((text, index) => ({ index, entry: text, json: JSON.parse(text) }));
  const mine = all.filter(({ json }) => json.at && json.at.table === table),
    closed = mine.findIndex(
      ({ json }) =>
        (eventOf(json, 'bets_closed') || eventOf(json, 'hand_begun') || {}).round_no === Number(round.split(':')[1]),
    );
  const from = mine
      .slice(0, closed + 1)
      .map(({ json }) => !!eventOf(json, 'shoe_committed'))
      .lastIndexOf(true),
    end = mine.findIndex(({ json }, i) => i > from && (eventOf(json, 'shoe_revealed') || eventOf(json, 'shoe_sealed')));
  const entries = mine.slice(from, end < 0 ? mine.length : end + 1),
    starts = all.filter(({ json }) => commandIs(json, 'start_dealer')),
    last = entries[entries.length - 1].index;
  const context = [
    starts.filter(({ index }) => index < entries[0].index).pop(),
    ...starts.filter(({ index }) => index > entries[0].index && index < last),
    mine[0],
  ].sort((a, b) => a.index - b.index);
  const item = ({ index, entry }) => ({ index, entry });
  const made = {
    fairshoe_bundle: 1,
    round,
    vkey: LOG.vkey,
    checkpoint: '',
    context: context.map(item),
    entries: entries.map(item),
    openings: [],
  };
  const texts = log.slice();
  change(made, texts);
  [...made.context, ...made.entries].forEach(({ index, entry }) => { texts[index] = entry; });
  const leaves = leavesOf(texts);
  for (const list of [made.context, made.entries])
    list.forEach(one => {
      one.proof = pathTo(one.index, leaves).map(base64);
    });
  made.checkpoint = made.checkpoint || checkpoint(texts);
  return made;
}

const editItem = (one, change) => {
  const entry = JSON.parse(one.entry);
  change(entry);
  one.entry = JSON.stringify(entry);
};
/** A round whose shoe is not revealed yet, with its openings. */
function openRound(change) {
  const scene = players()
      .open('live', rules('live-blackjack'))
      .sit('alice', 'live', 1)
      .round('live', { alice: ['1', 100] }),
    { house } = scene;
  house.table = scene.tables.get('live');
  return bundle(scene, 'live:0', made => {
    made.openings = [...house.table.shoe.faces.keys()].map(slot => house.opening(house.table.shoe, slot));
    change(made, house);
  });
}

/** Each gives `[bundle or its text, entry of the finding, trusted key]`. */
const BUNDLES = {
  key: () => [bundle(sceneOf('joy'), 'joy:0'), undefined, OTHER.vkey],
  checkpoint() {
    const made = bundle(sceneOf('joy'), 'joy:0');
    return [{ ...made, checkpoint: made.checkpoint.replace('\n', '\n1') }, undefined];
  },
  inclusion() {
    const made = bundle(sceneOf('joy'), 'joy:0');
    editItem(made.entries[1], entry => {
      entry.time += 1;
    });
    return [made, made.entries[1].index];
  },
  bundle_form: () => [{ ...bundle(sceneOf('joy'), 'joy:0'), fairshoe_bundle: 2 }, undefined],
  bundle_order() {
    const made = bundle(sceneOf('joy'), 'joy:0', one => {
      one.entries.reverse();
    });
    return [made, made.entries[1].index];
  },
  bundle_context: () => [bundle(sceneOf('joy'), 'joy:0', made => { made.context.pop(); }), undefined],
  bundle_round: () => [{ ...bundle(sceneOf('joy'), 'joy:0'), round: 'joy:1' }, undefined],
  opening() {
    let at;
    return [
      openRound((made, { table: { shoe } }) => {
        made.openings[0].salt = '00'.repeat(16);
        at = shoe.faces.get(made.openings[0].slot).entry;
      }),
      at,
    ];
  },
  opening_missing() {
    let at;
    return [
      openRound((made, { table: { shoe } }) => {
        at = shoe.faces.get(made.openings.pop().slot).entry;
      }),
      at,
    ];
  },
  opening_extra: () => [
    openRound((made, house) => {
      made.openings.push(house.opening(house.table.shoe, [...house.table.shoe.undrawn][0]));
    }),
    undefined,
  ],
};

/** Cases that another verifier cannot read as a bundle (exit code 2). */
const UNREADABLE = ['bundle_form'];

/**
 * More cases, each an honest log or bundle with one change: its description, and the check and entry that find it.
 */
/**
 * A scene's log in which the house then names a state, with another size and root if given, against the rules.
 */
function named({ house, log, clock }, sizeOf = size => size, root = house.stateRoot()) {
  const fields = { size: sizeOf(log.length), root };
  log.push(
    JSON.stringify({
      v: 1,
      time: clock,
      by: 'house',
      command: { note_state: fields },
      events: [{ state_noted: fields }],
    }),
  );
  return { log, at: log.length - 1, options: {} };
}

const MORE = {
  'a root in both decks of one hand': [
    'root_reused',
    () => crooked('poker', { seed: seed => (seed[0], unhex(away('one seed'), 32)) }, firstWith('shoe_committed')),
  ],
  'a card on the board of a sealed hand that its deck does not have there': ['face_false', () => crooked('poker', {
          // Six cards to three players and a burnt one come before it.
          dealt: ({ card }, dealer) => {
            dealer.dealt = (dealer.dealt ?? 0) + 1;
            return { card: dealer.dealt === 8 ? otherSuit(card) : card };
          },
        },
        entries => entries.findIndex(({ events }) => events.some(({ play }) => play && play.dealt && play.dealt.card)),
      ),
  ],
  'a seed published as the other deck of two hands': [
    'root_reused',
    () =>
      crooked(
        'poker',
        { seed: (seed, _, { k }) => (k ? seed : unhex(away('one seed'), 32)) },
        nth('shoe_committed', 1),
      ),
  ],
  'a malfunction while a seed is awaited': ['refused', () => {
      const scene = players()
          .open('live', rules('live-blackjack'))
          .sit('alice', 'live', 1)
          .bet('alice', 'live', '1', 100)
          .run(),
        honest = scene.log.slice(),
        last = JSON.parse(honest[honest.length - 1]);
      const command = { void_round: { table: 'live', round_no: 0, reason: 'camera' } };
      honest.push(
        JSON.stringify({
          v: 1,
          time: last.time,
          by: 'operator',
          at: { table: 'live', seq: last.at.seq + 1 },
          before: [['alice', 99900]],
          command,
          events: [],
        }),
      );
      return { log: honest, at: honest.length - 1, options: {} };
    },
  ],
  'a stop of the dealer behind the end of the log': ['refused', () => behindTheEnd({ stop_dealer: {} })],
  'a start of the dealer behind the end of the log': ['refused', () => behindTheEnd({
    start_dealer: { origin: ORIGIN, epoch: hash('behind'), master_id: hash('master'), software: 'tests' },
  })],
  'a round that goes on behind the end of the log, too late': [
    'refused',
    () => behindTheEnd({ close_bets: { table: 'live', round_no: 0 } }, DAY_MS),
  ],
  'a log that ends before all tables are put in order': ['recovery', () => {
    const { log } = players().open('live', rules('live-blackjack')).startDealer();
    log.push(endOf(log));
    return { log, at: log.length - 1, options: {} };
  }],
  // Attack: cards are invented, and the log ends before their shoe is revealed; a hand that pays much is ended instead.
  'a log that ends while a round is in play': ['refused', () => {
    const { log } = players().open('joy', rules('joy', QUICK)).bet('alice', 'joy', '1', 10);
    log.push(endOf(log));
    return { log, at: log.length - 1, options: {} };
  }],
  'a log that ends before a shoe that was played from comes out': ['refused', () => {
    const { log } = players().open('live', rules('live-blackjack')).sit('bob', 'live', 2)
      .round('live', { bob: ['2', 100] }, ['stand']);
    log.push(endOf(log));
    return { log, at: log.length - 1, options: {} };
  }],
  'a log that ends before a missing seed can come': ['refused', () => {
    const { log } = withheld(), { time } = JSON.parse(log[log.length - 1]);
    log.push(endOf(log, undefined, undefined, time + 30000));
    return { log, at: log.length - 1, options: {} };
  }],
  'a log that ends for itself': ['refused', () => {
    const log = logOf('joy');
    log.push(endOf(log, ORIGIN));
    return { log, at: log.length - 1, options: {} };
  }],
  'a log whose end names another than it was ended for': ['start', () =>
    edited('ended', ({ command, events: [event] }) => {
      if (!command.end_log) return false;
      event.log_ended.origin = 'house.example/other';
      return true;
    })],
  'a state named before all tables are put in order': [
    'recovery',
    () => named(players().open('live', rules('live-blackjack')).startDealer()),
  ],
  'a state named of a size that may not be named': ['refused', () => named(players(), size => size - 1)],
  'a state named twice': [
    'refused',
    () => {
      const scene = players().noteState();
      return named(scene, size => size - 1, JSON.parse(scene.log[scene.log.length - 1]).command.note_state.root);
    },
  ],
  'a table closed before a missing seed can come': ['refused', () => {
      const { log } = withheld(),
        at = log.length,
        last = JSON.parse(log[at - 1]),
        { seq } = log
          .map(line => JSON.parse(line).at)
          .filter(place => place && place.table === 'live')
          .pop();
      log.push(
        JSON.stringify({
          v: 1,
          time: last.time,
          by: 'operator',
          at: { table: 'live', seq: seq + 1 },
          command: { close_table: { table: 'live' } },
          events: [{ table_closed: {} }],
        }),
      );
      return { log, at, options: {} };
    },
  ],
  'a lapse that comes two minutes late': ['overdue', () => {
      const scene = players()
        .open('live', rules('live-blackjack'))
        .sit('alice', 'live', 1)
        .bet('alice', 'live', '1', 100)
        .run();
      scene.pass(150000, ['lapse']).run();
      return { log: scene.log, at: scene.log.findIndex(line => line.includes('"round_voided"')), options: {} };
    },
  ],
  'a table that is put in order two minutes after the start': ['overdue', () => {
      const scene = players()
        .open('live', rules('live-blackjack'))
        .sit('alice', 'live', 1)
        .bet('alice', 'live', '1', 100)
        .run()
        .startDealer();
      scene.clock += 120000;
      const at = scene.log.length;
      return { log: scene.run().log, at, options: {} };
    },
  ],
  'a table that gets no shoe': ['overdue', () => {
      const scene = players().give('operator', { open_table: { table: 'joy', rules: rules('joy', QUICK) } });
      scene.clock += 120000;
      scene.give('operator', { create_player: { player: 'dave' } });
      return { log: scene.log, at: scene.log.length - 1, options: {} };
    },
  ],
  'a key that the operator sets, in force at once': [
    'event_order',
    () =>
      onCommand('keyed', 'set_key', entry => {
        delete entry.events[0].key_set.from;
      }),
  ],
  'chips of a keyed player paid out by the operator': ['signature', () => {
      const scene = SCENES.keyed(), { time } = JSON.parse(scene.log[scene.log.length - 1]);
      scene.log.push(
        JSON.stringify({
          v: 1,
          time,
          by: 'operator',
          before: [['alice', 100000]],
          command: { withdraw: { player: 'alice', amount: 5 } },
          events: [
            {
              posted: {
                lines: [
                  ['cage', 5, -299995],
                  ['player:alice', -5, 99995],
                ],
              },
            },
          ],
        }),
      );
      return { log: scene.log, at: scene.log.length - 1, options: {} };
    },
  ],
  'a time that no number can hold': [
    'entry_form',
    () =>
      edited('joy', (entry, index, log) =>
        index === 3 ? log[index].replace(`"time":${entry.time}`, '"time":4503599627370496') : false,
      ),
  ],
  // The order of two codes: spec/audit.md, "Which code".
  'a command that names a table which is not there, filed under its own': [
    'table_seq',
    () =>
      edited('joy', entry => {
        if (!eventOf(entry, 'dealt')) return false;
        Object.values(entry.command)[0].table = 'nowhere';
        return true;
      }),
  ],
  'a command that names a table which is not there, filed under none': [
    'table_seq',
    () =>
      edited('joy', entry => {
        if (!eventOf(entry, 'dealt')) return false;
        Object.values(entry.command)[0].table = 'nowhere';
        delete entry.at;
        return true;
      }),
  ],
  'a command that names a table which is not there, filed under that': [
    'refused',
    () =>
      edited('joy', entry => {
        if (!eventOf(entry, 'dealt')) return false;
        Object.values(entry.command)[0].table = entry.at.table = 'nowhere';
        return true;
      }),
  ],
  'a command about no table, filed under one': [
    'table_seq',
    () =>
      edited('joy', (entry, index, log) =>
        entry.command.credit ? log[index].replace('"by":"operator",', '"by":"operator","at":{"table":"t1","seq":0},')
          : false,
      ),
  ],
  ...Object.fromEntries(
    [['-1', 'entry_form'], ['0', 'refused'], ['"1"', 'entry_form']].map(([number, check]) => [
      `a rule set with ${number} as a time`,
      [
        check,
        () =>
          edited('joy', (entry, index, log) =>
            entry.command.open_table
              ? log[index].replaceAll(/"reveal_time_ms":[0-9]+/g, `"reveal_time_ms":${number}`) : false,
          ),
      ],
    ]),
  ),
  'the void of a hand by the house, not disclosed': ['event_missing', () => {
      const scene = players().open('holdem', rules('holdem'));
      ['alice', 'bob'].forEach((player, i) => scene.sit(player, 'holdem', i + 1, { buy_in: 20000 }));
      ['alice', 'bob'].forEach(player => scene.commit(player, 'holdem'));
      scene.run().reveal('holdem').startDealer().run();
      const at = scene.log.findIndex(line => line.includes('"shoe_disclosed"')), entry = JSON.parse(scene.log[at]);
      entry.events = entry.events.filter(event => !event.shoe_disclosed);
      scene.log[at] = JSON.stringify(entry);
      return { log: scene.log, at, options: {} };
    },
  ],
};

/** Bets of alice and bob, who sat down before the shoe was committed, and of carol, for whom it was committed. */
function regulars() {
  const scene = players()
    .open('live', rules('live-blackjack'))
    .sit('alice', 'live', 1)
    .sit('bob', 'live', 2)
    .round('live', { alice: ['1', 100], bob: ['2', 100] });
  scene
    .pass(1000)
    .sit('carol', 'live', 3)
    .pass(14000)
    .bet('alice', 'live', '1', 100)
    .bet('bob', 'live', '2', 100)
    .bet('carol', 'live', '3', 100)
    .run();
  return scene;
}

/** The same, and alice and bob withhold their seeds. */
const withholders = () => regulars().reveal('live', ['alice', 'bob']).pass(60000);

/** The same for bundles. */
const MORE_BUNDLES = {
  'one who bet takes a seat': ['refused', () => {
    let index = 0;
    const made = bundle(withholders(), 'live:1', (one, texts) => {
      const at = one.entries.findIndex(({ entry }) => entry.includes('"by":"player:alice"') && entry.includes('"bet"')),
        bet = one.entries[at],
        later = one.entries.slice(at + 1),
        { v, time, by, at: place } = JSON.parse(bet.entry);
      const entry = JSON.stringify({
        v,
        time,
        by,
        at: { table: 'live', seq: place.seq + 1 },
        before: [['alice', 99800]],
        command: { take_seat: { table: 'live', seat: 5 } },
        events: [{ seat_taken: { player: 'alice', seat: 5 } }, { play_asked: { player: 'alice' } }],
      });
      later.forEach(item => { item.index += 1; editItem(item, shifted => { shifted.at.seq += 1; }); });
      index = bet.index + 1;
      one.entries.splice(at + 1, 0, { index, entry });
      texts.splice(index, 0, entry);
    });
    return [made, index];
  }],
  'one who bets no more and keeps the seat': ['event_missing', () => {
    const scene = regulars().reveal('live').play('live').run();
    for (let i = 0; i < 3; i++) scene.round('live', { bob: ['2', 100], carol: ['3', 100] });
    let index = 0;
    const made = bundle(scene, 'live:1', one => {
      const left = one.entries.find(({ entry }) => entry.includes('"seat_left":{"player":"alice"'));
      editItem(left, entry => { entry.events = entry.events.filter(event => !event.seat_left); });
      ({ index } = left);
    });
    return [made, index];
  }],
  'two who leave one seat': ['seat', () => {
    const made = bundle(withholders(), 'live:1', one =>
      one.entries.forEach(item =>
        editItem(item, entry =>
          entry.events.forEach(event => {
            if (event.seat_left) event.seat_left.seat = 1;
          }),
        ),
      ),
    );
    return [made, made.entries.find(({ entry }) => entry.includes('"seat_left"')).index];
  }],
  'one who got up bets without a seat': ['refused', () => {
    const scene = players()
      .open('wheel', rules('roulette'))
      .sit('alice', 'wheel', 1)
      .sit('bob', 'wheel', 2)
      .round('wheel', { alice: ['red', 100], bob: ['red', 100] });
    scene
      .give('player:bob', { leave_seat: { table: 'wheel' } })
      .run()
      .sit('bob', 'wheel', 2)
      .round('wheel', { alice: ['red', 100], bob: ['red', 100] });
    const made = bundle(scene, 'wheel:1', one => {
      const seated = one.entries
        .map(({ entry }) => entry.includes('"by":"player:bob"') && entry.includes('"take_seat"'))
        .lastIndexOf(true);
      one.entries.splice(seated, 1);
      one.entries.slice(seated).forEach(item => editItem(item, entry => { entry.at.seq -= 1; }));
    });
    return [
      made,
      made.entries.find(({ entry }, i) => i > 8 && entry.includes('"by":"player:bob"') && entry.includes('"bet"'))
        .index,
    ];
  }],
};

/**
 * A hand of poker with a changed sealing entry; the finding is at that entry, or with `shown` at the one that showed
 * the first card.
 */
const sealedHand = (change, shown = false) => () => {
  let index;
  const made = bundle(SCENES.poker(), 'holdem:1', ({ entries }) => {
    const sealing = entries.find(({ entry }) => entry.includes('"shoe_sealed"')),
      first = entries.find(({ entry }) => /"dealt":\{[^}]*"card"|"turned"/.test(entry));
    editItem(sealing, entry => change(entry));
    ({ index } = shown ? first : sealing);
  });
  return [made, index];
};
const openingsOf = entry => entry.events.find(event => event.shoe_sealed).shoe_sealed.openings;
Object.assign(MORE_BUNDLES, {
  'openings of a sealed hand in another order': [
    'face_false',
    sealedHand(entry => {
      const all = openingsOf(entry);
      [all[0], all[1]] = [all[1], all[0]];
    }, true),
  ],
  'an opening of a sealed hand that is missing': [
    'opening_missing',
    sealedHand(entry => {
      openingsOf(entry).shift();
    }),
  ],
  'an opening of a sealed hand twice': [
    'opening_extra',
    sealedHand(entry => {
      openingsOf(entry).push(openingsOf(entry)[0]);
    }),
  ],
  'a rake that was below zero': [
    'posting',
    sealedHand(entry => {
      entry.events
        .filter(event => event.posted)
        .forEach(({ posted: { lines } }) =>
          lines
            .filter(([account]) => account === 'rake')
            .forEach(line => {
              line[2] = line[1] - 1;
            }),
        );
    }),
  ],
  'an entry in both lists': ['bundle_order', () => {
      const made = bundle(sceneOf('joy'), 'joy:0', one => one.context.push({ ...one.entries[1] }));
      return [made, made.entries[1].index];
    },
  ],
});

/** Impossible table states in the entry that commits the shoe: spec/entries.md, "The table as it stands". */
const IMPOSSIBLE = {
  'no seats': noted => { delete noted.betting; },
  'a last entry after this one': noted => { noted.last_used += 3600000; },
  'a seat that the table does not have': ({ betting: { seats } }) => { seats[2].seat = 106; },
  'seat 0': ({ betting: { seats } }) => { seats[0].seat = 0; },
  'seats that do not ascend': ({ betting: { seats } }) => { seats.reverse(); },
  'a player with two seats': ({ betting: { seats } }) => { seats[1].player = 'alice'; },
  'a seat used after the last entry': noted => { noted.betting.seats[0].used = noted.last_used + 1; },
  'a seat that should be lost': ({ betting: { seats } }) => { seats[0].misses = 3; },
  'a wish to play of one who does not sit': ({ betting }) => { betting.asked = ['dave']; },
  'newcomers that do not ascend': ({ betting }) => { betting.newcomers = ['carol', 'carol']; },
  'bettors that do not ascend': ({ betting }) => { betting.last = ['bob', 'alice']; },
  'one who waits and sits': ({ betting, last_used: used }) => { betting.waiting = [['alice', used]]; },
  'a wish that is over': ({ betting, last_used: used }) => { betting.waiting = [['dave', used - 600000]]; },
  'more who wait than seats': ({ betting, last_used: used }) => {
    betting.waiting = [...'stuvwxyz'].map(player => [player, used]);
  },
  'a last round before the first': noted => { noted.next_round = 0; },
  'more rounds than entries': noted => { noted.next_round = 1000; },
  'a last entry before its opening': noted => { noted.last_used = T0 - 1; },
  'a seat used before its opening': ({ betting: { seats } }) => { seats[0].used = T0 - 1; },
  'a wish that is to come': ({ betting, last_used: used }) => { betting.waiting = [['dave', used + 1]]; },
};
const IMPOSSIBLE_CASH = {
  'seats of another kind of table': noted => { delete noted.cash; },
  'more chips than a table may hold': ({ cash: { seats } }) => { seats[0].stack = 2 ** 51; },
  'a stack of nothing that plays': ({ cash: { seats } }) => { seats[0].stack = 0; },
  'one who is away for too long': ({ cash: { seats } }) => { seats[0].away = 65535; },
  'more than the full time bank': ({ cash: { seats } }) => { seats[0].bank_ms += 1000000; },
  'a button at no seat': ({ cash }) => { cash.positions.button = 11; },
  'a commitment of one who does not sit': ({ cash }) => { cash.carried = [['dave', '07'.repeat(32)]]; },
  'a commitment of one who sits out': ({ cash }) => {
    cash.seats[0].sitting_out = true;
    cash.carried = [['alice', '07'.repeat(32)]];
  },
};
for (const [lies, scene, round] of [
  [IMPOSSIBLE, regulars, 'live:1'],
  [IMPOSSIBLE_CASH, () => SCENES.poker(), 'holdem:1'],
]) {
  for (const [what, lie] of Object.entries(lies)) {
    MORE_BUNDLES[`the table: ${what}`] = ['table_noted', () => {
        const made = bundle(scene(), round, one =>
          editItem(one.entries[0], entry => lie(entry.events.find(event => event.table_noted).table_noted)),
        );
        return [made, made.entries[0].index];
      },
    ];
  }
}

// --- For another verifier -------------------------------------------------------------------------

const namedBundles = () => [
  ...Object.entries(BUNDLES).map(([check, make]) => [check, check, make]),
  ...Object.entries(MORE_BUNDLES).map(([name, [check, make]]) => [name, check, make]),
];
const textOf = made => (typeof made === 'string' ? made : JSON.stringify(made));

/** A log in a mirror's form: spec/log.md, "Tiles" and "Mirrors". */
function writeMirror(folder, log, note, key = LOG.vkey) {
  const put = (name, bytes) => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), bytes);
  };
  const chunks = list =>
    Array.from({ length: Math.ceil(list.length / 256) }, (_, i) => list.slice(256 * i, 256 * i + 256));
  chunks(log).forEach((entries, n) =>
    put(
      verify.tilePath('entries', n, entries.length),
      Buffer.concat(
        entries.flatMap(entry => [Buffer.from([entry.length >> 8, entry.length & 255]), Buffer.from(entry)]),
      ),
    ),
  );
  for (let level = 0, hashes = leavesOf(log); hashes.length; level++) {
    const tiles = chunks(hashes);
    tiles.forEach((tile, n) =>
      put(verify.tilePath(level, n, tile.length), Buffer.concat(tile.map(hash64 => Buffer.from(hash64)))),
    );
    hashes = tiles.filter(tile => tile.length === 256).map(treeRoot);
  }
  put('log.vkey', `${key}\n`);
  put('checkpoint', note);
}

/** Every case, with its expected finding. */
function writeCases(folder) {
  const cases = [],
    named = [
      ...Object.entries(LOGS).map(([check, make]) => [check, check, make]),
      ...Object.entries(MORE).map(([name, [check, make]]) => [name, check, make]),
    ];
  const put = (name, bytes) => { fs.writeFileSync(path.join(folder, name), bytes); return name; };
  const honest = Object.keys(SCENES).map(name => [
    `honest ${name}`,
    null,
    () => ({ log: logOf(name), at: undefined, options: {} }),
  ]);
  for (const [name, check, make] of [...honest, ...named]) {
    const { log, at, options } = make(), dir = `log-${cases.length}`, files = [];
    writeMirror(path.join(folder, dir), log, options.checkpoint ? Buffer.from(options.checkpoint) : checkpoint(log));
    const { continues: old, rivals: [rival] = [] } = options;
    if (old) writeMirror(path.join(folder, `${dir}-old`), old.lines, old.note, old.key);
    for (const { name: file, bytes, entry } of options.kept || []) {
      files.push(put(`${dir}-${file}`, bytes));
      if (entry) put(`${dir}-${file}`.replace('.tlog-proof', '.entry'), entry);
    }
    cases.push({
      name,
      check,
      ...(at === undefined ? {} : { entry: at }),
      log: dir,
      key: options.key || LOG.vkey,
      kept: files,
      ...(old ? { continues: `${dir}-old` } : {}),
      ...(rival ? { rival: put(`${dir}-rival`, rival.bytes) } : {}),
      ...(options.policy ? { policy: put(`${dir}-policy`, options.policy) } : {}),
    });
  }
  for (const [name, make] of Object.entries(UNSIGNED)) {
    const { log, options, spoil } = make(), dir = `log-${cases.length}`;
    writeMirror(path.join(folder, dir), log, options.checkpoint ? Buffer.from(options.checkpoint) : checkpoint(log));
    if (spoil) spoilTile(path.join(folder, dir), spoil);
    cases.push({ name, check: 'unusable', log: dir, key: options.key, unreadable: true });
  }
  for (const [name, check, make] of namedBundles()) {
    const [made, at, key] = make();
    cases.push({
      name,
      check,
      ...(at === undefined ? {} : { entry: at }),
      bundle: put(`bundle-${cases.length}.json`, textOf(made)),
      ...(key ? { key } : {}),
      ...(UNREADABLE.includes(check) ? { unreadable: true } : {}),
    });
  }
  const { log_key: key, entries, notes, refused: wrong } = noteVectors();
  writeMirror(path.join(folder, 'notes'), entries, checkpoint(entries));
  for (const { about, note, check, entry } of notes)
    cases.push({
      name: about,
      check,
      ...(entry === null ? {} : { entry }),
      log: 'notes',
      key,
      kept: [put(`note-${cases.length}.txt`, note)],
    });
  for (const { about, note } of wrong)
    cases.push({
      name: about,
      check: 'unreadable',
      log: 'notes',
      key,
      kept: [put(`note-${cases.length}.txt`, note)],
      unreadable: true,
    });
  put('cases.json', JSON.stringify(cases, null, 1));
}

// --- spec/vectors/log-notes.json ------------------------------------------------------------------

/**
 * Notes about received and refused commands, over the log of a round that became void without bob's seed, of lapsed
 * turns and of closed bets and calls.
 */
function noteVectors() {
  const { scene, log, close, reveal } = withheld(),
    { reveal: fields } = reveal,
    voided = log.findIndex(line => line.includes('"round_voided"'));
  const more = choices(scene, { received, refused }, PLAYER, OTHER),
    last = JSON.parse(log[log.length - 1]).time,
    deadline = close + 10000,
    text = JSON.stringify(reveal);
  const bet = {
    bet: { table: 'live', round_no: 1, bets: [{ spot: '1', stake: 100 }], commitment: hash('a commitment') },
  };
  const good = received(close + 2000, 'anyone', reveal), note = lines => LOG.note(`${lines.join('\n')}\n`);
  const cases = [
    ['a seed that came in time, and for want of which the round is void', good, 'received_ignored', voided],
    ['one that came at the deadline: too late', received(deadline, 'anyone', reveal)],
    ['one that came before bets were closed', received(close - 1, 'anyone', reveal)],
    ['one that the house may still log: no entry is later', received(last, 'anyone', reveal)],
    [
      'another seed, which opens nothing',
      received(close + 2000, 'anyone', { reveal: { ...fields, seed: hash('another') } }),
    ],
    [
      'refused although it was awaited',
      refused(close + 2000, 'reveals_over', 'anyone', reveal),
      'refused_wrongly',
      voided - 1,
    ],
    ['refused at the deadline, as it had to be', refused(deadline, 'deadline_passed', 'anyone', reveal)],
    ['a bet refused while no bets are open', refused(close + 2000, 'round_in_progress', 'player:alice', bet)],
    [
      'a kind of command that is not judged',
      refused(close + 2000, 'not_allowed', 'player:alice', { leave_seat: { table: 'live' } }),
    ],
    ...more,
  ].map(([about, text64, check = null, entry = null]) => ({ about, note: text64, check, entry }));
  const wrong = [
    [
      'signed by another key of the same name',
      OTHER.note(`fairshoe received/v1\n${ORIGIN}\n${close}\nanyone\n${text}\n-\n`),
    ],
    ['changed after it was signed', good.replace(String(close + 2000), String(close + 2001))],
    ['of another log', note(['fairshoe received/v1', 'another.example/log', close, 'anyone', text, '-'])],
    ['a time with a leading zero', note(['fairshoe received/v1', ORIGIN, `0${close}`, 'anyone', text, '-'])],
    ['a time of 2^53', note(['fairshoe received/v1', ORIGIN, '9007199254740992', 'anyone', text, '-'])],
    [
      'a command with white space',
      note(['fairshoe received/v1', ORIGIN, close, 'anyone', text.replace(':', ': '), '-']),
    ],
    [
      'a command that is none',
      note(['fairshoe received/v1', ORIGIN, close, 'anyone', '{"shout":{"table":"live"}}', '-']),
    ],
    [
      'a command with its fields in another order',
      note([
        'fairshoe received/v1',
        ORIGIN,
        close,
        'anyone',
        JSON.stringify({ reveal: { round_no: 0, table: 'live', player: 'bob', seed: fields.seed } }),
        '-',
      ]),
    ],
    ['nobody who can give a command', note(['fairshoe received/v1', ORIGIN, close, 'somebody', text, '-'])],
    ['a refusal without its code', note(['fairshoe refused/v1', ORIGIN, close, 'anyone', text, '-'])],
    ['a code in capitals', note(['fairshoe refused/v1', ORIGIN, close, 'LATE', 'anyone', text, '-'])],
    ['one line too many', note(['fairshoe received/v1', ORIGIN, close, 'anyone', text, '-', text])],
    ['another version', note(['fairshoe received/v2', ORIGIN, close, 'anyone', text, '-'])],
    ['one line too few: no signature and no `-`', note(['fairshoe received/v1', ORIGIN, close, 'anyone', text])],
    ['a signature that is none', note(['fairshoe received/v1', ORIGIN, close, 'anyone', text, '{"nonce":1}'])],
    [
      'a signature with white space',
      note([
        'fairshoe received/v1',
        ORIGIN,
        close,
        'anyone',
        text,
        JSON.stringify({ nonce: 1, signature: '00'.repeat(64) }).replace(':', ': '),
      ]),
    ],
    [
      'a nonce of 0',
      note([
        'fairshoe received/v1',
        ORIGIN,
        close,
        'anyone',
        text,
        JSON.stringify({ nonce: 0, signature: '00'.repeat(64) }),
      ]),
    ],
    [
      'received, and no command for which a house signs',
      note(['fairshoe received/v1', ORIGIN, close, 'player:alice', '{"leave_seat":{"table":"live"}}', '-']),
    ],
  ].map(([about, text64]) => ({ about, note: text64 }));
  return { log_key: LOG.vkey, entries: log, notes: cases, refused: wrong };
}

// --- The run --------------------------------------------------------------------------------------

function judged({ log, options, spoil }) {
  if (!spoil) return verify.verifyLog(`${log.join('\n')}\n`, options);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mirror-'));
  try {
    writeMirror(folder, log, checkpoint(log));
    const honest = verify.verifyLog(verify.readLog(folder), options);
    if (!honest.verdict.startsWith('sound') || !honest.signature_checked)
      throw new Error(`a mirror is ${honest.verdict}: ${honest.story}`);
    spoilTile(folder, spoil);
    return verify.verifyLog(verify.readLog(folder), options);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** A file of a mirror with another last byte. */
function spoilTile(folder, name) {
  const file = path.join(folder, name), bytes = fs.readFileSync(file);
  bytes[bytes.length - 1] ^= 1;
  fs.writeFileSync(file, bytes);
}

function found(report, check, at) {
  const first = report.findings[0];
  if (!first || first.check !== check || first.entry !== at)
    return { ok: false, wanted: { check, entry: at }, found: first || report.verdict };
  return { ok: true, entry: first.entry, message: first.message };
}

function main(args) {
  const json = args.includes('--json'), wanted = args.filter(word => !word.startsWith('--'));
  if (args.includes('--list')) {
    console.log(JSON.stringify([...Object.keys(LOGS), ...Object.keys(BUNDLES)].sort()));
    return 0;
  }
  if (args.includes('--write')) { writeCases(wanted[0]); return 0; }
  if (args.includes('--vectors')) {
    fs.writeFileSync(wanted[0], `${JSON.stringify(noteVectors(), null, 1)}\n`);
    return 0;
  }
  const results = {}, run = (name, action) => {
    if (wanted.length && !wanted.includes(name)) return;
    try { results[name] = action(); } catch (error) { results[name] = { ok: false, error: error.stack }; }
  };
  for (const name of Object.keys(SCENES)) {
    run(`an honest log: ${name}`, () => {
      const { verdict, findings } = judged({ log: logOf(name), options: {} });
      return { ok: verdict.startsWith('sound'), found: findings[0] };
    });
  }
  // A verifier names the key it used, and says so if no one vouched for it (spec/audit.md, "Levels").
  for (const [name, options, words] of [
    ['a log without a key', {}, 'NO SIGNATURE WAS CHECKED'],
    ['a log with a key and no checkpoint', { key: LOG.vkey }, 'NO SIGNATURE WAS CHECKED'],
    [
      'a log with its checkpoint',
      { key: LOG.vkey, checkpoint: utf8(checkpoint(logOf('joy'))) },
      `judged by the key you named, ${LOG.vkey}`,
    ],
  ]) {
    run(name, () => {
      const { verdict, story, signature_checked } = judged({ log: logOf('joy'), options }),
        last = story[story.length - 1];
      return {
        ok: verdict.startsWith('sound') && last.includes(words) && signature_checked === !!options.checkpoint,
        found: last,
      };
    });
  }
  for (const [check, make] of Object.entries(LOGS))
    run(check, () => {
      const made = make();
      return found(judged(made), check, made.at);
    });
  for (const [name, [check, make]] of Object.entries(MORE))
    run(name, () => {
      const made = make();
      return found(judged(made), check, made.at);
    });
  for (const [name, make] of Object.entries(UNSIGNED))
    run(name, () => {
      const made = make();
      try {
        return { ok: false, found: judged(made).findings };
      } catch (error) {
        return { ok: error instanceof verify.Unusable, message: error.message };
      }
    });
  run('an honest bundle', () => {
    const { verdict, findings } = verify.verifyBundle(JSON.stringify(bundle(sceneOf('joy'), 'joy:0')), LOG.vkey);
    return { ok: verdict === 'sound', found: findings[0] };
  });
  run('an honest bundle with openings', () => {
    const { verdict, findings } = verify.verifyBundle(JSON.stringify(openRound(() => {})));
    return { ok: verdict === 'sound_so_far', found: findings[0] };
  });
  for (const [name, check, make] of namedBundles()) {
    run(name, () => {
      const [made, at, key] = make();
      return found(verify.verifyBundle(textOf(made), key || null), check, at);
    });
  }
  run('receipt', () => {
    const log = logOf('joy'), { findings } = verify.verifyReceipts(utf8(receipt(log, 5)), utf8(log[6]), null, LOG.vkey);
    return found({ findings }, 'receipt', undefined);
  });
  // A reply without a proof is no evidence, even next to one with a proof (spec/receipts.md, "Proofs that come later").
  const whole = () => ({ index: 5, entry: logOf('joy')[5], proof: receipt(logOf('joy'), 5) }),
    bare = { index: 6, entry: logOf('joy')[6] };
  const without =
    'the receipt of entry 6 has no proof: the reply was asked for with proofs=later, and GET /v1/receipts/6 has it';
  const told = () => JSON.stringify({ receipts: [whole(), bare] });
  for (const [name, judge, words] of [
    ['a reply without a proof', () => verify.verifyReceipts(utf8(told()), null, null, LOG.vkey), without],
    [
      'a reply without a proof, kept',
      () => judged(against(logOf('joy'), [kept('mine.json', told())])),
      `mine.json is no evidence: ${without}`,
    ],
    [
      "what is pending in a follower's evidence",
      () => {
        const file = { fairshoe_follow: 1, entries: [whole()], pending: [bare] };
        return verify.verifyReceipts(utf8(JSON.stringify(file)), null, null, LOG.vkey);
      },
      null,
    ],
  ]) {
    run(name, () => {
      try {
        const { verdict } = judge();
        return { ok: words === null && verdict === 'sound', found: verdict };
      } catch (error) {
        return { ok: error instanceof verify.Unusable && error.message === words, found: error.message };
      }
    });
  }
  const failed = Object.entries(results).filter(([, { ok }]) => !ok);
  if (json) console.log(JSON.stringify(results, null, 1));
  else {
    for (const [name, { ok, message, ...rest }] of Object.entries(results)) {
      const words = ok ? `found   ${name}: ${message || ''}` : `MISSED  ${name}: ${rest.error || JSON.stringify(rest)}`;
      console.log(words.slice(0, 400));
    }
  }
  return failed.length ? 1 : 0;
}

if (require.main === module) process.exitCode = main(process.argv.slice(2));
module.exports = { SCENES, LOG, PLAYER, signer, leavesOf, writeMirror, endOf };

#!/usr/bin/env node
// What a house told its clients in signed notes, against its log (spec/receipts.md, "Received and refused"): seeds,
// choices, bets and commitments that came in time, or did not; and texts that are no notes.
// node notes.js --vectors FILE: writes spec/vectors/log-notes.json.
'use strict';
const fs = require('fs');
const path = require('path');
const { Scene, rules, hash, verify, ORIGIN } = require('./dealer.js');
const { options } = require('./options.js');
const { LOG, PLAYER, originOf, signer } = require('./signed.js');

const OTHER = signer(ORIGIN, 1, 8);
const signedLine = signed => (signed ? JSON.stringify(signed) : '-');
const received = (time, by, command, signed) =>
  LOG.note(`fairshoe received/v1\n${ORIGIN}\n${time}\n${by}\n${JSON.stringify(command)}\n${signedLine(signed)}\n`);
const refused = (time, code, by, command, signed) =>
  LOG.note(
    `fairshoe refused/v1\n${ORIGIN}\n${time}\n${code}\n${by}\n${JSON.stringify(command)}\n${signedLine(signed)}\n`,
  );

/** A round that waits for bob's seed and becomes void without it. */
function withheld() {
  const scene = new Scene().startDealer();
  ['alice', 'bob', 'carol'].forEach(player => scene.player(player, 100000));
  scene
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

/**
 * Continues a scene's log; returns `[about, note, check, entry]` for each note. `pen` is a player's key, `stranger`
 * another.
 */
function choices(scene, pen, stranger) {
  const cases = [];
  let nonce = 0;
  const signed = (number, by, command, key = pen) => ({
    nonce: number,
    signature: key.sign(verify.signedText(ORIGIN, by, number, JSON.stringify(command))),
  });
  const give = (player, command) =>
    scene.give(`player:${player}`, command, player === 'kim' ? signed(++nonce, 'player:kim', command) : undefined);
  const live = table => scene.tables.get(table).live,
    asked = table => (live(table) && live(table).decisions.size ? [...live(table).decisions][0] : null);
  const offers = table => {
    const first = asked(table);
    return first ? scene.optionsOf(table, first[0]).map(({ action }) => action) : [];
  };
  const choice = (table, action, more = {}) => ({
    act: { table, round_no: live(table).no, decision: asked(table)[0], action, ...more },
  });
  const asks = (table, who, action) =>
    asked(table) !== null && asked(table)[1].player === who && offers(table).includes(action);
  const finish = (table, until = () => false) => {
    while (asked(table) && !until()) {
      const word = ['insurance', 'even_money'].find(name => offers(table).includes(name)),
        [, { player }] = asked(table);
      give(
        player,
        choice(table, word ? { [word]: { take: false } } : offers(table).includes('stand') ? 'stand' : 'check'),
      );
    }
    return scene.run();
  };
  const bet = (player, table, spot) => {
    const { nextRound: round } = scene.tables.get(table);
    give(player, {
      bet: { table, round_no: round, bets: [{ spot, stake: 100 }], commitment: scene.commitment(player, table, round) },
    });
  };
  /** Rounds of blackjack of these players, on their spots, until one asks `who` for a decision answered by `action`. */
  const deal = (table, players, who, action) => {
    for (finish(table);;) {
      const shared = scene.tables.get(table).rules.table.mode === 'shared';
      if (shared && !scene.tables.get(table).window) give(players[0], { ask_to_play: { table } });
      scene.run();
      players.forEach((player, i) => bet(player, table, String(i + 1)));
      scene.run();
      const { window } = scene.tables.get(table);
      if (window) scene.pass(window.closesAt - scene.clock);
      scene.reveal(table).run();
      finish(table, () => asks(table, who, action));
      if (asks(table, who, action)) return;
    }
  };
  /** The entries until the deadline has passed, and the place of the first lapse. */
  const lapse = (ms, action = () => {}) => {
    const from = scene.log.length;
    action();
    scene.pass(ms);
    return scene.log.findIndex((line, i) => i >= from && line.includes('"command":{"lapse"'));
  };
  const find = (about, note, entry) => cases.push([about, note, 'received_ignored', entry]);
  const none = (about, note) => cases.push([about, note]);

  // One choice, and variations that it is not.
  scene.player('kim', 100000, pen.key).open('turns', rules('live-blackjack'));
  give('alice', { take_seat: { table: 'turns', seat: 1 } });
  give('kim', { take_seat: { table: 'turns', seat: 2 } });
  scene.run();
  const pair = ['alice', 'kim'];
  deal('turns', pair, 'alice', 'hit');
  const offered = scene.clock, deadline = offered + 20000, hit = choice('turns', 'hit'), by = 'player:alice';
  const at = lapse(20000);
  find('a choice that came in time, and whose turn the house let lapse', received(offered + 2000, by, hit), at);
  none('one that came at the deadline: too late', received(deadline, by, hit));
  none('one that came before it was asked for', received(offered - 1, by, hit));
  none('one that was not offered', received(offered + 2000, by, { act: { ...hit.act, action: 'surrender' } }));
  none(
    'of another decision, which is not open yet',
    received(offered + 2000, by, { act: { ...hit.act, decision: hit.act.decision + 1 } }),
  );
  none('by a player whose turn it is not', received(offered + 2000, 'player:bob', hit));
  none('a choice of nobody\'s', received(offered + 2000, 'anyone', hit));
  none('signed by a player who has no key', received(offered + 2000, by, hit, signed(1, by, hit)));
  cases.push([
    'a choice that was refused although it was awaited',
    refused(offered + 2000, 'deadline_passed', by, hit),
    'refused_wrongly',
    at - 1,
  ]);

  // The next turn is kim's, who signs.
  while (!asks('turns', 'kim', 'hit')) deal('turns', pair, 'kim', 'hit');
  const since = scene.clock, kims = choice('turns', 'hit'), next = nonce + 1, ofKim = 'player:kim';
  const kimsLapse = lapse(20000);
  find('a choice that its player signed', received(since + 2000, ofKim, kims, signed(next, ofKim, kims)), kimsLapse);
  find(
    'signed under a nonce that leaves some out',
    received(since + 2000, ofKim, kims, signed(next + 70, ofKim, kims)),
    kimsLapse,
  );
  none('of a player with a key, who did not sign', received(since + 2000, ofKim, kims));
  none('signed with another key', received(since + 2000, ofKim, kims, signed(next, ofKim, kims, stranger)));
  none('signed under a nonce that was used', received(since + 2000, ofKim, kims, signed(nonce, ofKim, kims)));
  none(
    'another choice than the one signed',
    received(since + 2000, ofKim, { act: { ...kims.act, action: 'stand' } }, signed(next, ofKim, kims)),
  );
  cases.push([
    'a signed choice that was refused although it was awaited',
    refused(since + 2000, 'deadline_passed', ofKim, kims, signed(next, ofKim, kims)),
    'refused_wrongly',
    kimsLapse - 1,
  ]);
  none(
    'a signed choice refused for its nonce, as it had to be',
    refused(since + 2000, 'nonce_used', ofKim, kims, signed(nonce, ofKim, kims)),
  );
  none('refused for want of a signature, as it had to be', refused(since + 2000, 'signature_missing', ofKim, kims));

  // Actions of an honest house.
  deal('turns', pair, 'alice', 'hit');
  const twice = choice('turns', 'hit'), first = scene.clock;
  scene.pass(1000);
  give('alice', choice('turns', 'stand'));
  scene.run().pass(60000);
  const overtook = scene.log.findIndex(line => JSON.parse(line).time >= first + 1000);
  find('one that came before the choice that is logged for its player', received(first + 500, by, twice), overtook);
  none('one that came with that choice', received(first + 1000, by, twice));
  none('one that another choice of the same player came before', received(first + 1500, by, twice));
  none('one that was taken, sent again', received(first + 1000, by, choiceOf(scene, 'stand', by)));
  none('the same, a moment later', received(first + 1200, by, choiceOf(scene, 'stand', by)));

  deal('turns', pair, 'kim', 'hit');
  const overtaken = choice('turns', 'hit'), lower = ++nonce, then = scene.clock;
  lapse(20000, () => { scene.pass(3000); give('kim', { issue_token: { holder: ofKim, revoke: true } }); });
  none(
    'one that a later nonce of the same player came before',
    received(then + 2000, ofKim, overtaken, signed(lower, ofKim, overtaken)),
  );

  deal('turns', pair, 'alice', 'double');
  const dear = choice('turns', { double: {} }), rich = scene.clock, cheap = choice('turns', 'hit');
  const spent = lapse(20000, () => {
    scene.pass(3000).give('operator', { withdraw: { player: 'alice', amount: scene.house.balance('alice') - 1 } });
  });
  none('one that the player can pay for no more when its turn lapses', received(rich + 2000, by, dear));
  find('one that costs nothing, beside it', received(rich + 2000, by, cheap), spent);
  scene.give('operator', { credit: { player: 'alice', amount: 100000 } });

  deal('turns', pair, 'alice', 'hit');
  const before = choice('turns', 'hit'), running = scene.clock;
  scene.pass(3000).startDealer().run();
  const again = scene.clock;
  const resumed = lapse(20000);
  none('before a restart, which may have lost it', received(running + 2000, by, before));
  find('after the restart, in the time that the turn was given again', received(again + 2000, by, before), resumed);

  deal('turns', pair, 'alice', 'hit');
  const voided = choice('turns', 'hit'), camera = scene.clock;
  scene
    .pass(3000)
    .give('operator', { void_round: { table: 'turns', round_no: live('turns').no, reason: 'camera' } })
    .run();
  none('of a round that a malfunction ended', received(camera + 2000, by, voided));

  deal('turns', pair, 'alice', 'hit');
  const behind = choice('turns', 'hit'), began = scene.clock;
  const behindLapse = lapse(0, () => {
    scene
      .pass(30000, ['lapse'])
      .give('operator', { create_player: { player: 'dave' } })
      .run();
  });
  find('with an entry dated after its deadline before the lapse', received(began + 2000, by, behind), behindLapse);

  // Solo tables: the round lapses as a whole.
  finish('turns').open('solo', rules('joy', { round_time_ms: 60000 }));
  deal('solo', ['bob'], 'bob', 'hit');
  const alone = choice('solo', 'hit'), opened = scene.clock;
  find(
    'at a solo table, whose round the house finished by default play',
    received(opened + 2000, 'player:bob', alone),
    lapse(60000),
  );
  scene.open('own', rules('rng-blackjack'), 'player:bob');
  deal('own', ['bob'], 'bob', 'hit');
  const refundable = choice('own', 'hit'), left = scene.clock;
  const abandoned = lapse(86400000), leftAt = left + 2000;
  find(
    'of a round that the house gave back as abandoned',
    received(left + 86399000, 'player:bob', refundable),
    abandoned,
  );
  find(
    'long before, and not on the log a minute later',
    received(leftAt, 'player:bob', refundable),
    scene.log.findIndex(line => JSON.parse(line).time > leftAt + 60000),
  );

  // Poker: the player asked last had called.
  scene.open('holdem', rules('holdem'));
  const table = 'holdem';
  ['alice', 'bob', 'kim'].forEach((player, i) => give(player, { sit_down: { table, seat: i + 1, buy_in: 20000 } }));
  scene.run();
  const { window } = scene.tables.get(table);
  for (const player of [...window.expected].sort())
    give(player, {
      commit_hand_seed: { table, round_no: window.no, commitment: scene.commitment(player, table, window.no) },
    });
  scene.run().reveal(table).run();
  const [, { player }] = asked(table), call = choice(table, 'call'), called = scene.clock, caller = `player:${player}`;
  const number = nonce + 1, of = player === 'kim' ? signed(number, caller, call) : undefined;
  find('a call at a cash table', received(called + 2000, caller, call, of), lapse(120000));

  // A key set by the operator takes effect during a turn: from then on commands without a signature are refused.
  scene
    .open('joy-own', rules('joy-own'), 'player:carol')
    .give('operator', { set_key: { player: 'carol', key: stranger.key, reason: 'lost' } });
  const from = scene.clock + 86400000;
  scene.pass(1000);
  deal('joy-own', ['carol'], 'carol', 'hit');
  const late = choice('joy-own', 'hit'), turn = scene.clock;
  scene.pass(86400000 - 2000 - (turn - from + 86400000));
  const changed = scene.clock;
  scene.pass(60000);
  none('unsigned, and a key came into force before its turn lapsed', received(changed, 'player:carol', late));
  scene.pass(3 * 3600000);

  // Bets at a shared table: one is missing from the round, one is there although it was cancelled, one was replaced.
  scene.open('bac', rules('baccarat'));
  ['alice', 'bob'].forEach((name, i) => give(name, { take_seat: { table: 'bac', seat: i + 1 } }));
  scene.run();
  const bets = (name, spot, stake = 100) => ({
    bet: {
      table: 'bac', round_no: scene.tables.get('bac').window.no, bets: [{ spot, stake }],
      commitment: scene.commitment(name, 'bac', scene.tables.get('bac').window.no),
    },
  });
  const closes = action => {
    const begin = scene.log.length, { window: open } = scene.tables.get('bac');
    action();
    scene.pass(open.closesAt - scene.clock).run();
    const closed = scene.log.findIndex((line, i) => i >= begin && line.includes('"command":{"close_bets"'));
    if (live('bac')) scene.reveal('bac').run();
    for (const name of ['alice', 'bob']) {
      const { window: again, asking } = scene.tables.get('bac');
      if (!again && asking && !asking.has(name)) give(name, { ask_to_play: { table: 'bac' } });
    }
    scene.run();
    return closed;
  };
  const opens = scene.clock, dropped = bets('alice', 'player'), kept = bets('bob', 'banker'),
    back = { cancel_bet: { table: 'bac', round_no: dropped.bet.round_no } };
  const closed = closes(() => { scene.pass(1000); give('bob', kept); });
  find('a bet that came in time, and is not in the round', received(opens + 500, by, dropped), closed);
  find('that a bet is taken back, which is in the round', received(opens + 1500, 'player:bob', back), closed);
  none('a bet that is in the round', received(opens + 500, 'player:bob', kept));
  none('the same bet once more', received(opens + 1500, 'player:bob', kept));
  none('a bet that could not be paid', received(opens + 500, by, bets('alice', 'player', 1e12)));
  none('that a bet is taken back which there was not', received(opens + 500, by, back));

  // Commitments at a cash table: the call is closed without one.
  const deck = 'holdem-2', before2 = scene.log.length;
  scene.player('eve', 100000).open(deck, rules('holdem'));
  ['alice', 'bob', 'eve'].forEach((name, i) => give(name, { sit_down: { table: deck, seat: i + 1, buy_in: 20000 } }));
  scene.run();
  const { window: hand } = scene.tables.get(deck), since2 = scene.clock;
  const commits = name => ({
    commit_hand_seed: { table: deck, round_no: hand.no, commitment: scene.commitment(name, deck, hand.no) },
  });
  const withdraws = { withdraw_hand_seed: { table: deck, round_no: hand.no } };
  scene.pass(1000);
  give('alice', commits('alice'));
  give('bob', commits('bob'));
  scene.pass(hand.closesAt - scene.clock).run();
  const call2 = scene.log.findIndex((line, i) => i >= before2 && line.includes('"command":{"close_call"'));
  scene.reveal(deck).run();
  const ofEve = 'player:eve', ofBob = 'player:bob';
  find('a commitment that came in time, and is in no hand', received(since2 + 500, ofEve, commits('eve')), call2);
  none('a commitment that is in the hand', received(since2 + 500, by, commits('alice')));
  none('the same commitment once more', received(since2 + 1500, by, commits('alice')));
  find('that a commitment is taken back, which is in the hand', received(since2 + 1500, ofBob, withdraws), call2);
  none('a commitment for a hand that is not called', received(since2 + 500, 'player:eve', {
    commit_hand_seed: { ...commits('eve').commit_hand_seed, round_no: hand.no + 1 },
  }));
  scene.pass(3 * 3600000);
  return cases;
}

/** The last choice of that name that this actor's entries hold. */
function choiceOf(scene, action, by) {
  return scene.log
    .map(line => JSON.parse(line))
    .filter(entry => entry.by === by && entry.command.act && entry.command.act.action === action)
    .pop().command;
}

/**
 * Notes about received and refused commands, over the log of a round that became void without bob's seed, of lapsed
 * turns and of closed bets and calls.
 */
function noteVectors() {
  const { scene, log, close, reveal } = withheld(),
    { reveal: fields } = reveal,
    voided = log.findIndex(line => line.includes('"round_voided"'));
  const more = choices(scene, PLAYER, OTHER),
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
    ['a command that is no JSON', note(['fairshoe received/v1', ORIGIN, close, 'anyone', text.slice(0, -1), '-'])],
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
  return { log_key: LOG.vkey, entries: log, notes: cases, refused: wrong, others: others() };
}

/** Notes of commands that are on no log made here, over logs of other vectors. */
function others() {
  const read = file => JSON.parse(fs.readFileSync(path.join(__dirname, '../../spec/vectors', file))).entries;
  const of = (file, until, notes) => {
    const entries = read(file).slice(0, until), origin = originOf(entries), house = signer(origin, 1, 7);
    const entry = index => JSON.parse(entries[index]);
    const made = notes(entry).map(([about, time, by, command, check = null, at = null]) => {
      const text = `fairshoe received/v1\n${origin}\n${time}\n${by}\n${JSON.stringify(command)}\n-\n`;
      return { about, note: house.note(text), check, entry: at };
    });
    return { file, until, log_key: house.vkey, notes: made };
  };
  const ignored = 'received_ignored', dave = 'player:dave', carol = 'player:carol';
  const event = command => ({ tournament: command });
  const enters = event({ register: { event: 'first', commitment: hash('a commitment'), pay: 'cash' } });
  const pile = { commit_seed: { table: 't1', round_no: 1, commitment: hash('a commitment') } };
  return [
    of('entries-events.json', 250, entry => {
      const paused = entry(100).time + 1000, proposed = entry(125).time + 350, called = entry(180).time + 50;
      const { digest } = entry(126).command.tournament.answer_deal;
      return [
        ['an entry that is not on the log a minute later', paused, dave, enters, ignored, 101],
        ['an entry by a player who has one', paused, carol, enters],
        [
          'that an entry is given back, and another player\'s is, in the same words',
          paused, carol, event({ unregister: { event: 'first' } }), ignored, 102,
        ],
        [
          'that an entry is given back, by a player without one',
          paused, dave, event({ unregister: { event: 'first' } }),
        ],
        [
          'a yes to a deal, which the house then calls off',
          proposed, carol, event({ answer_deal: { event: 'first', digest, accept: true } }), ignored, 126,
        ],
        ['a rebuy that is on the log', called, 'player:erin', event({ rebuy: { event: 'again' } })],
        [
          'a rebuy for which the money was gone before it was due',
          called, 'player:frank', event({ rebuy: { event: 'again' } }),
        ],
        ['an add-on before its break', called, 'player:frank', event({ add_on: { event: 'again' } })],
      ];
    }),
    of('entries-events.json', 960, entry => {
      const inBreak = entry(937).time + 1000, addOn = event({ add_on: { event: 'tops' } });
      return [
        ['an add-on in its break, which is not on the log a minute later', inBreak, 'player:bob', addOn, ignored, 939],
        [
          'a rebuy that is not on the log a minute later',
          inBreak, 'player:bob', event({ rebuy: { event: 'tops' } }), ignored, 939,
        ],
        ['a rebuy with more chips than it is sold at', inBreak, 'player:alice', event({ rebuy: { event: 'tops' } })],
        ['an add-on by a player who has taken it', inBreak, 'player:alice', addOn],
        ['an add-on by a player without an entry', inBreak, carol, addOn],
      ];
    }),
    of('entries-tournament.json', 36, entry => {
      const seed = `000070${'33'}${'00'.repeat(28)}`, reveal = no => event({
        reveal_seat_seed: { event: 'sat', draw_no: 0, entry_no: no, seed },
      });
      return [
        ['a seed for a draw that is made without it', entry(28).time + 100, 'player:p3', reveal(1), ignored, 33],
        ['one that opens another commitment', entry(28).time + 100, 'player:p3', reveal(0)],
      ];
    }),
    of('entries-safe.json', 62, () => [
      ['a commitment for a pile that fails without it', 1800000000700, 'player:alice', pile, ignored, 60],
      ['a commitment for a pile by a player who has one', 1800000000700, 'player:bob', pile],
    ]),
    of('entries-poker.json', 593, entry => {
      const seed = JSON.parse(read('entries-poker.json')[593]).command, { time } = entry(463);
      return [
        ['a late seed that is not on the log a minute later', time + 100, 'anyone', seed, ignored, 487],
        ['a late seed before its round is void', time - 1000, 'anyone', seed],
      ];
    }),
  ];
}

fs.writeFileSync(options().vectors, `${JSON.stringify(noteVectors(), null, 1)}\n`);

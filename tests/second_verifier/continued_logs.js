// Material for pairs of logs in continued.js and others: an old log at any of its ends, one that goes on from it under
// a new name (spec/recovery.md, "Under a new name"), and possible lies in it before it is signed.
'use strict';
const fs = require('fs');
const path = require('path');
const { Scene, rules, hash, verify, T0 } = require('./dealer.js');
const { NEXT: NEW, PLAYER, signer, originOf, rootOf, checkpoint } = require('./signed.js');
const { base64, utf8 } = verify, { DAY_MS } = verify.HOUSE_TIMES;

const HOUR_MS = 3600000;
const logKey = (origin, fill = 7) => signer(origin, 1, fill);
/** A log and the checkpoint that its key signs. */
const signed = (log, origin, by = logKey(origin)) => ({ log, note: checkpoint(log, by, origin), key: by.vkey });
const nameOf = command => Object.keys(command)[0];

function followed(log) {
  const house = new verify.House(false);
  log.forEach((line, index) => house.judge(verify.readEntry(line), index));
  return house;
}

/** A claim about an old log, signed by its house. */
function claimOf(log, lie = {}) {
  const {
    origin = originOf(log),
    size = log.length,
    root = rootOf(log),
    by = NEW,
    fill = 7,
    signer: hand = fill,
    heir = 7,
  } = lie;
  const new_key = logKey(by, heir).key;
  return {
    continue_log: {
      origin,
      key: logKey(origin, fill).key,
      size,
      root,
      new_key,
      signature: logKey(origin, hand).sign(verify.statementText({ origin, size, root, new_key }, by)),
    },
  };
}

/** The new log: a start at a time, the claim, then these commands of the operator; `after` plays on. */
function newLog(commands, claim, after = scene => scene, at = T0, origin = NEW) {
  const scene = Object.assign(new Scene(origin), { clock: at }).startDealer();
  if (claim) scene.give('house', claim);
  for (const command of commands) {
    if (command.create_player && scene.house.players.has(command.create_player.player)) continue;
    scene.give(command.by || 'operator', command.by ? command.command : command);
  }
  return after(scene.run()).log;
}

// --- Lies about what is carried over ----------------------------------------------------------------

const credits = list => list.flatMap((command, i) => (command.credit ? [i] : []));
const changed = (list, i, change) =>
  list.map((command, at) => {
    if (at !== i) return command;
    const copy = JSON.parse(JSON.stringify(command));
    change(Object.values(copy)[0]);
    return copy;
  });
const without = (list, holds) => list.filter(command => !holds(command));
const indicesOf = (list, name) => list.flatMap((command, i) => (nameOf(command) === name ? [i] : []));
const owner = command => Object.values(command)[0].player;

/**
 * Each takes the commands that carry over and a choice among n; returns the lying commands, or null if there is nothing
 * to change.
 */
const LIES = {
  'a chip too few': (list, pick) => {
    const at = credits(list);
    return at.length
      ? changed(list, pick(at), c => {
          c.amount = c.amount > 1 ? c.amount - 1 : 2;
        })
      : null;
  },
  'a chip too many': (list, pick) => {
    const at = credits(list);
    return at.length
      ? changed(list, pick(at), c => {
          c.amount += 1;
        })
      : null;
  },
  'chips left out': (list, pick) => {
    const at = credits(list);
    if (!at.length) return null;
    const i = pick(at);
    return list.filter((_, other) => other !== i);
  },
  'a player left out': (list, pick) => {
    const at = indicesOf(list, 'create_player');
    if (!at.length) return null;
    const gone = owner(list[pick(at)]);
    return without(list, c => owner(c) === gone);
  },
  'chips carried over twice': (list, pick) => {
    const at = credits(list);
    if (!at.length) return null;
    const i = pick(at);
    return [...list.slice(0, i + 1), list[i], ...list.slice(i + 1)];
  },
  'a player who was none': (list, pick) => {
    const at = indicesOf(list, 'create_player');
    const i = at.length ? pick(at) : 0;
    return [...list.slice(0, i), { create_player: { player: '0-stranger' } }, ...list.slice(i)];
  },
  'chips for one who had none': (list, pick) => {
    const at = indicesOf(list, 'create_player').filter(i => !(list[i + 1] && list[i + 1].credit));
    if (!at.length) return null;
    const i = pick(at);
    return [
      ...list.slice(0, i + 1),
      { credit: { player: owner(list[i]), amount: 1, reference: 'carried over' } },
      ...list.slice(i + 1),
    ];
  },
  'another reference': (list, pick) => {
    const at = credits(list);
    return at.length
      ? changed(list, pick(at), c => {
          c.reference = 'from before';
        })
      : null;
  },
  'no reference': (list, pick) => {
    const at = credits(list);
    return at.length
      ? changed(list, pick(at), c => {
          delete c.reference;
        })
      : null;
  },
  'a key left out': (list, pick) => {
    const at = indicesOf(list, 'create_player').filter(i => list[i].create_player.key);
    return at.length
      ? changed(list, pick(at), c => {
          delete c.key;
        })
      : null;
  },
  'another key': (list, pick) => {
    const at = indicesOf(list, 'create_player');
    return at.length
      ? changed(list, pick(at), c => {
          c.key = logKey('another', 11).key;
        })
      : null;
  },
  'two players in another order': (list, pick) => {
    const at = indicesOf(list, 'create_player');
    if (at.length < 2) return null;
    const n = pick(at.slice(1).map((_, i) => i)),
      end = at[n + 2] === undefined ? Math.max(at[n + 1] + 1, ...credits(list).map(i => i + 1)) : at[n + 2];
    return [
      ...list.slice(0, at[n]),
      ...list.slice(at[n + 1], end),
      ...list.slice(at[n], at[n + 1]),
      ...list.slice(end),
    ];
  },
  'a table left out': (list, pick) => {
    const at = indicesOf(list, 'open_table');
    if (!at.length) return null;
    const i = pick(at);
    return list.filter((_, other) => other !== i);
  },
  'a table under another name': (list, pick) => {
    const at = indicesOf(list, 'open_table');
    return at.length
      ? changed(list, pick(at), c => {
          c.table = `${c.table}x`.slice(-64);
        })
      : null;
  },
  'a table with other rules': (list, pick) => {
    const at = indicesOf(list, 'open_table');
    return at.length
      ? changed(list, pick(at), c => {
          c.rules.table.reveal_time_ms -= 1;
        })
      : null;
  },
  'a table that was none': list => [
    ...list.filter(command => !command.open_table),
    { open_table: { table: '0-more', rules: rules('joy') } },
    ...list.filter(command => command.open_table),
  ],
  'a token between': (list, pick) => {
    const i = pick(list.map((_, at) => at));
    return [...list.slice(0, i), { issue_token: { holder: 'auditor:a', revoke: false } }, ...list.slice(i)];
  },
  'a pause of the dealer between': (list, pick) => {
    const i = pick(list.map((_, at) => at));
    return [...list.slice(0, i), { by: 'house', command: { stop_dealer: {} } }, ...list.slice(i)];
  },
};

/** Lies in the claim itself: other fields of it, or a whole log. */
const CLAIMS = {
  'an earlier end named': log => ({ size: log.length - 1 }),
  'an earlier end named, with its root': log => ({ size: log.length - 1, root: rootOf(log.slice(0, -1)) }),
  'another root named': () => ({ root: base64(utf8(hash('another').slice(0, 32))) }),
  'another log named': () => ({ origin: 'another.example/log' }),
  'the new log\'s own name named': () => ({ origin: NEW }),
  'another key of the old log\'s name': () => ({ fill: 8 }),
  'another key of the new log named': () => ({ heir: 8 }),
  'signed with another key': () => ({ signer: 8 }),
  'signed for another log': () => ({ by: 'house.example/other' }),
  'signed for another root': log => ({ signer: 7, root: rootOf(log), forged: true }),
};

/** The claims that the rules refuse. */
const REFUSED_CLAIMS =
  ['the new log\'s own name named', 'signed with another key', 'signed for another log', 'signed for another root'];

/** The new log with a lie in its claim, written although the rules refuse it. */
function liedClaim(log, name, commands) {
  const lie = CLAIMS[name](log), claim = claimOf(log, lie);
  if (name === 'signed for another root')
    claim.continue_log.signature = claimOf(log, {
      root: base64(utf8(hash('another').slice(0, 32))),
    }).continue_log.signature;
  if (!REFUSED_CLAIMS.includes(name))
    return newLog(commands, claim);
  // Entries that the rules refuse are still written.
  const honest = newLog(commands, claimOf(log)), entry = JSON.parse(honest[1]);
  entry.command = claim;
  return [honest[0], JSON.stringify(entry), ...honest.slice(2)];
}

// --- Old logs -----------------------------------------------------------------------------------------

const OLD = 'house.example/log';
const VECTORS = path.join(__dirname, '../../spec/vectors');
const readVectors = name => JSON.parse(fs.readFileSync(path.join(VECTORS, name), 'utf8')).entries;
const eventsLog = () => readVectors('entries-tournament.json');
/** A satellite is over and not paid: its winner holds a ticket of `big`, which is registered for. */
const secondTicketLog = () => readVectors('entries-events.json').slice(0, 569);
const guestsLog = () => readVectors('entries-guests.json');
/** Ends of that log. */
const EVENTS = [
  ['an event that is registered for', 18],
  ['an event with a hand in progress', 60],
  ['a ticket that was not used', 128],
  ['stakes of an event that is played', 281],
  ['an event that is cancelled and not paid', 355],
  ['a rebuy noted in a hand', 390],
];

/**
 * A house with open items at every kind of table: `at` names sizes of its log. `alice` has a key, `bob` one that waits,
 * `carol` none.
 */
function openHouse() {
  const scene = new Scene(OLD).startDealer(),
    at = {},
    now = name => {
      at[name] = scene.log.length;
    },
    quick = { reveal_time_ms: 60000, round_time_ms: 60000 };
  scene
    .player('alice', 50000, PLAYER.key)
    .player('bob', 40000)
    .give('operator', { create_player: { player: 'carol' } });
  now('players alone');
  scene.give('operator', { set_key: { player: 'bob', key: logKey('bob', 12).key, reason: 'lost' } });
  now('a key that waits');
  const byAlice = (nonce, command) =>
    scene.give('player:alice', command, {
      nonce,
      signature: PLAYER.sign(verify.signedText(OLD, 'player:alice', nonce, JSON.stringify(command))),
    });
  scene
    .player('dave', 30000)
    .open('joy', rules('joy', quick))
    .give('player:dave', { open_table: { table: 'a-own', rules: rules('joy', quick) } })
    .run();
  scene.bet('dave', 'a-own', '1', 100).bet('bob', 'joy', '1', 200);
  now('two rounds that await seeds');
  scene.reveal('joy');
  now('a round that is open');
  scene.open('live', rules('live-blackjack')).sit('bob', 'live', 2).sit('dave', 'live', 3).bet('bob', 'live', '2', 300);
  now('bets that do not bind yet');
  scene.open('holdem', rules('holdem'));
  byAlice(1, { sit_down: { table: 'holdem', seat: 1, buy_in: 20000 } });
  scene.run().sit('bob', 'holdem', 2, { buy_in: 10000 });
  now('stacks before seats');
  byAlice(2, {
    commit_hand_seed: { table: 'holdem', round_no: 0, commitment: scene.commitment('alice', 'holdem', 0) },
  });
  scene.commit('bob', 'holdem').run().reveal('holdem');
  now('a hand with blinds in the pot');
  scene.startDealer();
  now('a start, nothing put in order');
  scene.run().play('joy').run();
  now('a round settled');
  scene.clock += DAY_MS;
  scene.startDealer().run().give('operator', { create_player: { player: 'erin' } });
  now('a key in force since a day');
  const limit = (of, per, most) => ({ set_limit: { player: 'carol', of, per, most } });
  scene
    .give('operator', limit('loss', 'week', 500))
    .give('operator', limit('deposit', 'day', 90))
    .give('player:carol', limit('loss', 'week', 800))
    .give('operator', { exclude: { player: 'dave', until: scene.clock + 2 * DAY_MS } })
    .give('operator', { exclude: { player: 'carol', until: scene.clock + HOUR_MS } });
  now('limits and exclusions');
  scene.pass(2 * DAY_MS).pass(HOUR_MS).give('operator', { credit: { player: 'erin', amount: 900 } });
  scene.startDealer().run();
  now('nothing in play');
  scene.sit('erin', 'live', 2).bet('erin', 'live', '2', 300);
  now('bets that do not bind yet, and nothing else');
  return { log: scene.log, at };
}

/**
 * A house in which alice was paid for a blackjack in a round that is still played, and took all of it out but a bet at
 * another table.
 */
function paidAtOnce() {
  for (let n = 0; ; n++) {
    const scene = new Scene(OLD).startDealer(), at = `a${n}`;
    scene.player('alice', 200).player('bob', 1000).open(at, rules('study-group')).open('z', rules('roulette'));
    scene.sit('alice', at, 1).sit('bob', at, 2).bet('alice', at, '1', 100).bet('bob', at, '2', 100).run().reveal(at);
    const { live } = scene.tables.get(at);
    if (!live || (live.returned.get('alice') || 0) <= live.staked.get('alice')) continue;
    scene.sit('alice', 'z', 1).bet('alice', 'z', 'red', 100);
    return scene.give('operator', { withdraw: { player: 'alice', amount: scene.house.balance('alice') } }).log;
  }
}

/** The whole sound logs of spec/vectors, `[name, entries]`. */
function books() {
  const files = fs.readdirSync(VECTORS).filter(name => /^(entries-.*|player-keys)\.json$/.test(name));
  return files.map(name => [name, readVectors(name)])
    .filter(([, log]) => verify.verifyLog(log.join('\n')).verdict !== 'not_sound');
}

module.exports = {
  NEW, OLD, EVENTS, LIES, CLAIMS, REFUSED_CLAIMS,
  books, claimOf, eventsLog, followed, guestsLog, liedClaim, logKey, newLog, openHouse, originOf, paidAtOnce, rootOf,
  secondTicketLog, signed,
};

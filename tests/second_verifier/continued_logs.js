// Material for pairs of logs in continued.js and others: logs of spec/vectors, one that goes on from another under a
// new name (spec/recovery.md, "Under a new name"), and possible lies in it before it is signed.
'use strict';
const fs = require('fs');
const path = require('path');
const { Scene, rules, hash, verify } = require('./dealer.js');
const { NEXT: NEW, signer, originOf, rootOf, checkpoint } = require('./signed.js');
const { base64, utf8 } = verify;

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

/** The new log: a start, the claim, then these commands of the operator. */
function newLog(commands, claim) {
  const scene = new Scene(NEW).startDealer();
  if (claim) scene.give('house', claim);
  for (const command of commands) {
    if (command.create_player && scene.house.players.has(command.create_player.player)) continue;
    scene.give(command.by || 'operator', command.by ? command.command : command);
  }
  return scene.run().log;
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

const VECTORS = path.join(__dirname, '../../spec/vectors');
/** The whole sound logs of spec/vectors, `[name, entries]`. */
function books() {
  const files = fs.readdirSync(VECTORS).filter(name => /^(entries-.*|player-keys)\.json$/.test(name));
  return files.map(name => [name, JSON.parse(fs.readFileSync(path.join(VECTORS, name), 'utf8')).entries])
    .filter(([, log]) => verify.verifyLog(log.join('\n')).verdict !== 'not_sound');
}

module.exports = { NEW, LIES, CLAIMS, books, claimOf, followed, liedClaim, logKey, newLog, originOf, signed };

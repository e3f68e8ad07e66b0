// One change of a bundle. A forger who changes entries signs them again with their own key, so that the rules judge the
// change instead of a hash that no longer fits.
'use strict';
const { resign, verify } = require('./bundles.js');

const CARDS = [...'cdhs'].flatMap(suit => [...'A23456789TJQK'].map(rank => rank + suit));
const WORDS = {
  outcome: ['win', 'loss', 'draw', 'blackjack', 'bust', 'surrender', 'even_money'],
  action: ['hit', 'stand', 'split', 'surrender', 'pass', 'face_down'],
  cause: [
    'threshold', 'newcomer', 'restart', 'exhausted', 'house_shuffle', 'closed', 'malfunction', 'crash',
    'reveal_missing', 'abandoned', 'bust', 'pile_used',
  ],
  wager: ['hand', 'bet', 'insurance', 'entry'],
  ahead: ['nobody', 'level', 'players', 'house'],
  to: ['dealer', '1/1', '2/1', '1/2', 'player', 'banker', 'shown'],
  place: ['1/1', '2/1', '1/2', 'player', 'banker', 'tie', 'red', 'black'],
  spot: ['1', '2', '3', 'player', 'banker', 'tie', 'red', 'straight:0'],
  by: ['house', 'operator', 'anyone'],
  lapsed: ['reveal', 'round', 'turn', 'pile'],
  why: ['out', 'advanced', 'opened', 'chosen'],
};

function valuesIn(value, path = [], found = []) {
  if (value === null || typeof value !== 'object') found.push([path, value]);
  else Object.keys(value).forEach(key => valuesIn(value[key], [...path, key], found));
  return found;
}

const put = (object, path, value) => {
  path.slice(0, -1).reduce((inner, key) => inner[key], object)[path[path.length - 1]] = value;
};

/** Another value of the same kind. */
function another(value, name, rng) {
  const other = list => { const left = list.filter(item => item !== value); return left[rng(left.length)]; };
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return other([value + 1, Math.max(0, value - 1), value + 1 + rng(1000), 0]);
  if (typeof value !== 'string') return 0;
  if (CARDS.includes(value)) return other(CARDS);
  if (/^[0-9a-f]{64}$/.test(value)) {
    const i = rng(64);
    return value.slice(0, i) + ((parseInt(value[i], 16) + 1 + rng(15)) % 16).toString(16) + value.slice(i + 1);
  }
  if (WORDS[name]) return other(WORDS[name]);
  const i = rng(value.length || 1);
  return `${value.slice(0, i)}z${value.slice(i + 1)}`;
}

function change(object, rng) {
  const values = valuesIn(object);
  if (!values.length) return 'nothing to change';
  const [path, value] = values[rng(values.length)], now = another(value, path[path.length - 1], rng);
  put(object, path, now);
  return `${path.join('.')}: ${JSON.stringify(value)} → ${JSON.stringify(now)}`;
}

/** The entry with its optional fields in their places. */
const ordered = e =>
  Object.fromEntries(
    ['v', 'time', 'by', 'at', 'before', 'command', 'signed', 'events']
      .filter(key => e[key] !== undefined)
      .map(key => [key, e[key]]),
  );

function edit(item, action) {
  const entry = JSON.parse(item.entry), said = action(entry);
  item.entry = JSON.stringify(ordered(entry));
  return said;
}

const moveSeq = (items, by) => items.forEach(item => edit(item, e => { if (e.at) e.at.seq += by; }));

/** Inserts an entry after the one at `at`, and renumbers the later ones. */
function insert(bundle, at, entry) {
  bundle.context.forEach(item => { item.index = item.index * 1000; });
  bundle.entries.forEach(item => { item.index = item.index * 1000; });
  moveSeq(bundle.entries.slice(at + 1), 1);
  bundle.entries.splice(at + 1, 0, { index: bundle.entries[at].index + 1, entry, proof: [] });
}

/** One of the entries that hold `pattern`, or the given one. */
const holding = (bundle, item, pattern, rng) => {
  const found = bundle.entries.filter(({ entry }) => pattern.test(entry));
  return found.length ? found[rng(found.length)] : item;
};

const text = value => JSON.stringify(value).slice(0, 160);

/** Each takes a bundle, one of its entries and the random numbers; returns its change in words. */
const EDITS = {
  value: (b, item, rng) => edit(item, e => change(e.events.length ? e.events : e.command, rng)),
  any_value: (b, item, rng) => edit(item, e => change(e, rng)),
  command: (b, item, rng) => edit(item, e => change(e.command, rng)),
  amount: (b, item, rng) => edit(holding(b, item, /"posted"/, rng), e => {
      const amounts = valuesIn(e.events).filter(
        ([path, value]) =>
          typeof value === 'number' &&
          (['stake', 'returned', 'cost', 'staked'].includes(path[path.length - 1]) || path.includes('lines')),
      );
      if (!amounts.length) return 'no amount';
      const [path, value] = amounts[rng(amounts.length)];
      put(e.events, path, value + (rng(2) ? 1 : -1));
      return `${path.join('.')} by one`;
    }),
  card: (b, item, rng) => edit(holding(b, item, /"card"/, rng), e => {
      const cards = valuesIn(e.events).filter(([, value]) => CARDS.includes(value));
      if (!cards.length) return 'no card';
      const [path, value] = cards[rng(cards.length)], now = another(value, 'card', rng);
      put(e.events, path, now);
      return `${value} becomes ${now}`;
    }),
  paid_consistently: (b, item, rng) => edit(holding(b, item, /"paid"/, rng), e => {
      const at = e.events.findIndex(event => event.play && event.play.paid);
      const posted = at >= 0 && e.events[at + 1] && e.events[at + 1].posted;
      if (!posted) return 'nothing paid';
      const { lines } = e.events[at].play.paid, line = lines[rng(lines.length)], more = 1 + rng(3);
      line.returned += more;
      const mine = posted.lines.find(([account]) => account === `player:${line.player}`),
        house = posted.lines.find(([account]) => account === 'house');
      if (mine && house) { mine[1] += more; mine[2] += more; house[1] -= more; house[2] -= more; }
      const settled = e.events.find(event => event.round_settled);
      if (settled) {
        settled.round_settled.returned += more;
        settled.round_settled.players
          .filter(({ player }) => player === line.player)
          .forEach(one => {
            one.returned += more;
          });
      }
      return `${line.player} is paid ${more} more, book and all`;
    }),
  balances: (b, item, rng) => edit(item, e => {
      if (!e.before) { e.before = [['alice', 5]]; return 'a balance is stated of nobody'; }
      e.before[rng(e.before.length)][1] += 1 + rng(50);
      return 'another balance before';
    }),
  drop_event: (b, item, rng) => edit(item, e => text(e.events.splice(rng(e.events.length || 1), 1))),
  repeat_event: (b, item, rng) =>
    edit(item, e => {
      const i = rng(e.events.length || 1);
      e.events.splice(i, 0, ...e.events.slice(i, i + 1));
      return text(e.events[i] || null);
    }),
  swap_events: (b, item, rng) => edit(item, e => {
      if (e.events.length < 2) return 'one event';
      const i = rng(e.events.length - 1);
      e.events.splice(i, 2, e.events[i + 1], e.events[i]);
      return text(e.events.slice(i, i + 2));
    }),
  drop_entry: (b, item) => {
    const at = b.entries.indexOf(item);
    b.entries.splice(at, 1);
    return `entry ${at} of the table`;
  },
  drop_entry_renumbered: (b, item) => {
    // Earlier seats are taken from the log (spec/audit.md, step 6): without the entry in which they left, a player may
    // count as seated and awaited, or not.
    if (item.entry.includes('"command":{"leave_seat"')) return 'one who leaves';
    const at = b.entries.indexOf(item);
    b.entries.splice(at, 1);
    moveSeq(b.entries.slice(at), -1);
    return `entry ${at} of the table: ${item.entry.slice(0, 160)}`;
  },
  repeat_entry: (b, item) => {
    const at = b.entries.indexOf(item);
    insert(b, at, item.entry);
    edit(b.entries[at + 1], e => {
      if (e.at) e.at.seq += 1;
    });
    return `entry ${at} of the table`;
  },
  swap_entries: (b, item) => {
    const at = b.entries.indexOf(item), next = b.entries[at + 1];
    if (!next) return 'the last one';
    const [one, other] = [JSON.parse(item.entry), JSON.parse(next.entry)];
    [one.at, other.at] = [other.at, one.at];
    [one.time, other.time] = [other.time, one.time];
    [item.entry, next.entry] = [JSON.stringify(other), JSON.stringify(one)];
    return `entries ${at} and ${at + 1} of the table`;
  },
  invented_command: (b, item, rng) => {
    const { time, at } = JSON.parse(item.entry), round = { table: at.table, round_no: Number(b.round.split(':')[1]) };
    const commands = [
      { lapse: { ...round, lapsed: ['reveal', 'round', 'turn', 'pile'][rng(4)] } },
      { void_round: { ...round, reason: 'power' } },
      { recover: { table: at.table } },
      { commit_shoe: { table: at.table } },
      { close_bets: round },
      { close_call: round },
      { retire_shoe: { table: at.table } },
      { close_table: { table: at.table } },
    ];
    const command = commands[rng(commands.length)];
    insert(
      b,
      b.entries.indexOf(item),
      JSON.stringify({
        v: 1,
        time,
        by: ['house', 'operator'][rng(2)],
        at: { table: at.table, seq: at.seq + 1 },
        command,
        events: [],
      }),
    );
    return text(command);
  },
  times: (b, item, rng) => {
    const by = [-1, 1, -1000, 1000, 20000, -20000][rng(6)],
      from = b.entries.indexOf(item),
      all = rng(2) ? b.entries.slice(from) : [item];
    all.forEach(other => edit(other, e => { e.time = Math.max(0, e.time + by); }));
    return `${all.length} entries by ${by} ms`;
  },
  cut_off: (b, item) => {
    const at = b.entries.indexOf(item) + 1;
    b.entries.splice(at);
    b.context = b.context.filter(({ index }) => index < b.entries[at - 1].index);
    return `after ${at} entries`;
  },
  context: (b, item, rng) => edit(b.context[rng(b.context.length)], e => change(e, rng)),
  rules_consistently: (b, item, rng) => edit(b.context.find(({ entry }) => /"open_table"/.test(entry)), e => {
        const said = change(e.command.open_table.rules, rng), opened = e.events[0].table_opened;
        opened.rules = e.command.open_table.rules;
        opened.digest = verify.rulesDigest(opened.rules);
        return said;
      },
    ),
  opening: (b, item, rng) => (b.openings.length ? change(b.openings[rng(b.openings.length)], rng) : 'no opening'),
  drop_opening: (b, item, rng) => { b.openings.splice(rng(b.openings.length || 1), 1); return 'one opening'; },
  repeat_opening: (b, item, rng) => {
    b.openings.push(...b.openings.slice(rng(b.openings.length || 1)).slice(0, 1));
    return 'one opening';
  },
  other_seed: (b, item, rng) => {
    const holders = b.entries.filter(({ entry }) => /"shoe_revealed"|"seed_revealed"/.test(entry));
    if (!holders.length) return 'no seed';
    return edit(holders[rng(holders.length)], e => {
      const event = e.events.find(({ shoe_revealed: shoe, seed_revealed: seed }) => shoe || seed),
        name = Object.keys(event)[0];
      if (name === 'shoe_revealed') event[name].seeds[0] = another(event[name].seeds[0], 'seed', rng);
      else { event[name].seed = another(event[name].seed, 'seed', rng); e.command.reveal.seed = event[name].seed; }
      return name;
    });
  },
  byte: (b, item, rng) => {
    const at = rng(item.entry.length);
    item.entry =
      item.entry.slice(0, at) +
      String.fromCharCode(item.entry.charCodeAt(at) ^ (1 << rng(7))) +
      item.entry.slice(at + 1);
    return `byte ${at} of an entry, signed again`;
  },
};
/** In a bundle's text: JSON that two readers may read as two bundles. */
const TWOFOLD = [
  text => text.replace('"round":', '"round":"t1:0","round":'),
  text => text.replace('"index":', '"index":0,"index":'),
  text => text.replace(/"index":([0-9]+)/, '"index":$1.0'),
  text => text.replace(/"index":([0-9]+)/, '"index":$1e0'),
  text => text.replace(/"index":[0-9]+/, '"index":-0'),
  text => `\ufeff${text}`,
  text => text.replace('"openings":', '"\\u006fpenings":[],"openings":'),
  text => text.replace('"fairshoe_bundle":1', '"fairshoe_bundle":1.0'),
];
const KINDS = [...Object.keys(EDITS), 'byte_of_file', 'unsigned_value', 'twofold'];

/** The bundle with one change: `{kind, what, bytes}`. */
function mutate(bundleText, rng) {
  const kind = KINDS[rng(KINDS.length)];
  if (kind === 'byte_of_file') {
    const bytes = Buffer.from(bundleText), at = rng(bytes.length);
    bytes[at] ^= 1 << rng(8);
    return { kind, what: `byte ${at}`, bytes };
  }
  if (kind === 'twofold') {
    const which = rng(TWOFOLD.length);
    return { kind, what: `way ${which}`, bytes: Buffer.from(TWOFOLD[which](bundleText)) };
  }
  const bundle = JSON.parse(bundleText);
  if (kind === 'unsigned_value') return { kind, what: change(bundle, rng), bytes: Buffer.from(JSON.stringify(bundle)) };
  const what = EDITS[kind](bundle, bundle.entries[rng(bundle.entries.length)], rng);
  return { kind, what, bytes: Buffer.from(JSON.stringify(resign(bundle))) };
}

module.exports = { mutate, KINDS };

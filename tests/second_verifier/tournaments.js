#!/usr/bin/env node
// Decides logs of tournaments again, played by fairshoe-house's example `tournament_logs`, and changes of them: both
// the house's own rules and fairshoe-verify must stop at the same entry, or at none.
// node tournaments.js --logs FOLDER [--judge PATH] [--changes N] [--seed N]: PATH is the built example. Prints one JSON
// object; exit code 0 if they agree.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { verify } = require('./dealer.js');

/** The first entry that fails, and why; the house before it. */
function judgeFrom(house, texts, first) {
  for (const [i, text] of texts.entries()) {
    try {
      house.judge(verify.readEntry(text), first + i);
    } catch (error) {
      if (!(error instanceof verify.Unsound)) throw error;
      return { entry: first + i, what: `${error.check}: ${error.message}` };
    }
  }
  return { entry: null, what: '' };
}

const fresh = house => { house.shown = []; house.hands = []; return verify.copyOf(house); };

/** SplitMix64, as the tests in Rust have it. */
function numbers(seed) {
  let state = BigInt(seed);
  const mask = (1n << 64n) - 1n;
  return n => {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return Number((z ^ (z >> 31n)) % BigInt(n));
  };
}

function leaves(value, at = [], found = []) {
  if (value === null || typeof value !== 'object') found.push([at, value]);
  else Object.keys(value).forEach(key => leaves(value[key], [...at, key], found));
  return found;
}

const put = (object, at, value) => {
  at.slice(0, -1).reduce((inner, key) => inner[key], object)[at[at.length - 1]] = value;
};

const WORDS = {
  kind: ['first', 'late', 'break', 'final'],
  pay: ['cash', 't_dollars', 'ticket'],
  cause: ['schedule', 'full', 'itm', 'crash', 'too_few_players', 'operator'],
  by: ['house', 'operator', 'anyone', 'player:p1'],
  method: ['chips', 'icm', 'amounts', 'document', 'chip_count'],
};

function another(value, name, rng) {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return [value + 1, Math.max(0, value - 1), value + 1 + rng(500), 0][rng(4)];
  if (typeof value !== 'string') return null;
  if (/^[0-9a-f]{64}$/.test(value)) return value.slice(0, -1) + (value.endsWith('0') ? '1' : '0');
  const words = (WORDS[name] || []).filter(word => word !== value);
  if (words.length) return words[rng(words.length)];
  return /^p[0-9]+$/.test(value) ? `p${rng(12)}` : null;
}

/** The dealer's secrets: until a seed is published a verifier believes the log, but the dealer's own check does not. */
const DEALERS = ['candidates', 'tip', 'card', 'openings', 'seeds', 'others', 'blackjack'];

const ofTournament = ({ command, events }) =>
  !!command.tournament || !!command.set_seats || !!command.open_event_table ||
  events.some(event => event.posts_taken || event.hand_begun || event.hand_called || event.table_closed);

/** A cancellation with its consequences. */
const ofCancelled = ({ command: { tournament }, events }) =>
  (tournament && (tournament.cancel || tournament.pay_refunds || tournament.end)) ||
  events.some(event => event.tournament && event.tournament.cancelled);

/** A command that the house or the operator sometimes gives, at the table or in the event of an entry. */
function inventedAt({ time, at: { table } }, rng) {
  if (!table.includes('.') && rng(4) === 0) {
    const cause = ['crash', 'too_few_players', 'operator'][rng(3)], reason = rng(2) ? { reason: 'power cut' } : {};
    const instant = time - [0, 1, rng(60000), rng(2000000)][rng(4)];
    return { tournament: { cancel: { event: table, cause, instant, ...reason } } };
  }
  if (table.includes('.')) return { [['call_hand', 'set_seats', 'close_table', 'recover'][rng(4)]]: { table } };
  const duties = [
    'start', 'call_draw', 'move_player', 'next_level', 'next_round', 'end_registration', 'pay_places', 'pay_bounties',
    'start_clock', 'end', 'draw_seats', 'settle_hand', 'decline_rebuy', 'pay_refunds', 'carry_out',
  ];
  const duty = duties[rng(duties.length)], number = rng(4);
  const entry = { entry_no: number };
  const more =
    { draw_seats: { draw_no: number }, settle_hand: { table: number }, decline_rebuy: entry, carry_out: entry };
  return { tournament: { [duty]: { event: table, ...more[duty] } } };
}

/** One change of a log at an entry, `{at, put, omit, renumber, what}`, or null. */
function changeAt(log, at, rng) {
  const entry = JSON.parse(log[at]), kind = rng(12);
  if (kind < 6) {
    const all = leaves(entry).filter(([where]) => where[0] !== 'v' && !where.some(key => DEALERS.includes(key)));
    const [where, value] = all[rng(all.length)];
    const now = another(value, where[where.length - 1], rng);
    if (now === null || now === value) return null;
    put(entry, where, now);
    return { at, put: JSON.stringify(entry), what: `${where.join('.')}: ${value} -> ${now}` };
  }
  if (kind === 6 && entry.at)
    return { at, omit: true, renumber: entry.at.table, what: `out: ${JSON.stringify(entry.command).slice(0, 80)}` };
  if (kind === 7 && entry.events.length > 1) {
    entry.events.splice(rng(entry.events.length), 1);
    return { at, put: JSON.stringify(entry), what: 'an event left out' };
  }
  if (kind === 8 && entry.events.length > 1) {
    const i = rng(entry.events.length - 1);
    entry.events.splice(i, 2, entry.events[i + 1], entry.events[i]);
    return { at, put: JSON.stringify(entry), what: 'events exchanged' };
  }
  if (kind > 9 && entry.at) {
    const invented = inventedAt(entry, rng), { cancel } = invented.tournament || {};
    const by = cancel && cancel.reason ? 'operator' : 'house';
    const put = JSON.stringify({ v: 1, time: entry.time, by, at: entry.at, command: invented, events: [] });
    return { at, put, renumber: entry.at.table, what: `invented: ${JSON.stringify(invented)}` };
  }
  // Another command of the log, repeated here.
  const other = JSON.parse(log[Math.max(1, at - 1 - rng(20))]);
  if (!other.at || !entry.at || other.at.table !== entry.at.table) return null;
  const again = { ...other, time: entry.time, at: entry.at };
  return { at, put: JSON.stringify(again), renumber: entry.at.table, what: 'an earlier command again' };
}

function changesOf(log, count, rng) {
  const placesOf = is => log.map((text, i) => i).filter(i => i && is(JSON.parse(log[i])));
  const places = placesOf(ofTournament), off = placesOf(ofCancelled), all = [];
  for (let tries = 0; all.length < count && tries < 4 * count && places.length; tries++) {
    const from = off.length && rng(2) ? off : places, change = changeAt(log, from[rng(from.length)], rng);
    if (change) all.push(change);
  }
  return all.sort((a, b) => a.at - b.at);
}

function changed(log, { at, put: text, omit, renumber }) {
  const by = omit ? -1 : 1, stays = !omit && renumber !== undefined;
  const moved = one => {
    const entry = JSON.parse(one);
    if (!entry.at || entry.at.table !== renumber) return one;
    entry.at.seq += by;
    return JSON.stringify(entry);
  };
  const rest = log.slice(at + (stays ? 0 : 1));
  return [...(text === undefined ? [] : [text]), ...(renumber === undefined ? rest : rest.map(moved))];
}

function main(given) {
  const summary = { logs: 0, entries: 0, changes: 0, found: {}, unnoticed: [], disagreements: [] };
  const rng = numbers(given.seed || 1);
  for (const name of fs.readdirSync(given.logs).sort()) {
    const file = path.join(given.logs, name), log = fs.readFileSync(file, 'utf8').trim().split('\n');
    if (given.most && log.length > Number(given.most)) continue;
    const whole = judgeFrom(new verify.House(false), log, 0);
    summary.logs++;
    summary.entries += log.length;
    if (whole.entry !== null) { summary.disagreements.push({ name, ...whole }); continue; }
    const changes = changesOf(log, Number(given.changes || 0), rng);
    if (!changes.length) continue;
    const input = changes.map(({ what, ...change }) => `${JSON.stringify(change)}\n`).join('');
    const judge = spawnSync(given.judge, ['judge', file], { input, encoding: 'utf8', maxBuffer: 1 << 28 });
    if (judge.status !== 0) throw new Error(`${name}: ${judge.stderr.slice(0, 500)}`);
    const said = judge.stdout.trim().split('\n').map(line => JSON.parse(line)), house = new verify.House(false);
    let reached = 0;
    changes.forEach((change, i) => {
      judgeFrom(house, log.slice(reached, change.at), reached);
      reached = change.at;
      let own;
      try {
        own = judgeFrom(fresh(house), changed(log, change), change.at);
      } catch (error) {
        own = { entry: -1, what: String(error.stack) };
      }
      summary.changes++;
      const check = own.what.split(':')[0];
      summary.found[check] = (summary.found[check] || 0) + 1;
      if (own.entry === null) summary.unnoticed.push(change.what);
      if (own.entry !== said[i].entry)
        summary.disagreements.push({
          name,
          change: { ...change, put: undefined },
          house: [said[i].entry, said[i].what.slice(0, 300)],
          verifier: [own.entry, own.what.slice(0, 300)],
        });
    });
  }
  console.log(JSON.stringify(summary, null, 1));
  return summary.disagreements.length ? 1 : 0;
}

if (require.main === module)
  process.exitCode = main(
    Object.fromEntries(
      process.argv.slice(2).join(' ').split(/ ?--/).filter(text => text).map(text => text.split(' ')),
    ),
  );

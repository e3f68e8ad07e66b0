// A house whose players set themselves limits (spec/limits.md): it writes its log, tells the present refusals, and the
// entry of a house that forgot the limits. And the limits a second time, from the log alone, in another way than the
// verifier: without stored counts, everything is counted from the first entry on.
'use strict';
const assert = require('assert');
const { Scene, rules, hash, verify } = require('./dealer.js');
const { concat, hex, label, sha256, utf8 } = verify;

const T0 = 1800000000000, DAY = verify.HOUSE_TIMES.DAY_MS, GAP = 600000, EXCLUSION = 3650 * DAY;
const LENGTH = { day: DAY, week: 7 * DAY, month: 30 * DAY };
const KINDS = ['deposit', 'loss', 'play_time'], SPANS = Object.keys(LENGTH);
const PAIRS = KINDS.flatMap(of => SPANS.map(per => [of, per]));
const MASTER = utf8('a master of thirty-two bytes ....').slice(0, 32); // the one of dealer.js
const HERE = 'fairshoe.example/l', WHEEL = 'wheel', POKER = 'poker';
const LIMITED = ['take_seat', 'ask_to_play', 'bet', 'sit_down', 'sit_in', 'add_chips', 'commit_hand_seed'];

const setLimit = (player, of, per, most) => ({
  set_limit: { player, of, per, ...(most === undefined ? {} : { most }) },
});
const exclude = (player, until) => ({ exclude: { player, until } });
const credit = (player, amount) => ({ credit: { player, amount } });
const lost = entry => player => -entry.events
  .flatMap(({ posted }) => (posted ? posted.lines : []))
  .reduce((sum, [account, amount]) => sum + (account === `player:${player}` ? amount : 0), 0);

class LimitsHouse extends Scene {
  constructor() {
    super({}, HERE);
    Object.assign(this, { clock: T0, refused: [] });
    this.start();
    this.open(WHEEL, rules('roulette')).open(POKER, rules('holdem'));
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

  get last() { return JSON.parse(this.log[this.log.length - 1]); }

  /** Sets the clock; due commands are done. */
  at(time) { assert(time >= this.clock, `${time} has been`); return this.pass(time - this.clock); }

  /** A command that its player signs. */
  signs(player, pen, nonce, command) {
    const by = `player:${player}`, text = verify.signedText(this.origin, by, nonce, JSON.stringify(command));
    return this.give(by, command, { nonce, signature: pen.sign(text) });
  }

  code(command, by) { return verify.copyOf(this.house).refusalOf(this.clock, by, command); }

  /** This command is refused now, with that code. */
  refuses(code, command, by = 'operator') {
    this.refused.push({ after_entries: this.log.length, by, code, command, now: this.clock });
    const said = this.code(command, by);
    const about = `${JSON.stringify(command)} by ${by} after ${this.log.length} entries`;
    assert.strictEqual(said, code, `${about}: ${said}, not ${code}`);
    return this;
  }

  allows(command, by = 'operator') {
    assert.strictEqual(this.code(command, by), null, `${JSON.stringify(command)} by ${by}`);
    return this;
  }

  /** The entry of a house that has forgotten all limits; null if the command is refused for another reason. */
  forgetful(by, command) {
    const { house, log } = this, copy = Object.assign(
      Object.create(Object.getPrototypeOf(house)),
      structuredClone({ ...house, lies: {}, table: null, out: [], doubles: [], published: [] }),
    );
    Object.assign(copy, { limits: new Map(), shutOut: new Map(), before: [] });
    const time = Math.max(this.clock, house.time);
    try {
      copy.decide({ time, by, command, events: null }, log.length);
    } catch (error) {
      if (!(error instanceof verify.Refusal)) throw error;
      return null;
    }
    const { table, before, out: events } = copy;
    return {
      v: 1, time, by, ...(table ? { at: { table: table.name, seq: table.seq } } : {}),
      ...(before.length ? { before } : {}), command, events,
    };
  }

  line(player) { return JSON.parse(this.house.stateLines().find(line => line.startsWith(`["player:${player}"`)))[1]; }
}

// --- The limits from the log alone --------------------------------------------------------------------

class Told {
  constructor(entries) { this.entries = entries; }

  /** A limit at this time, after the first `size` entries: `{most, begin, since, waiting}`, or null. */
  inForce(player, of, per, size, time) {
    let limit = null;
    const ripen = now => {
      if (!limit || !limit.waiting || limit.waiting.from > now) return;
      limit = limit.waiting.most === undefined ? null : { ...limit, most: limit.waiting.most, waiting: null };
    };
    this.entries.slice(0, size).forEach((entry, index) => {
      const { command: { set_limit: set } } = entry;
      if (!set || set.player !== player || set.of !== of || set.per !== per) return;
      ripen(entry.time);
      if (!limit) limit = { most: set.most, begin: entry.time, since: index, waiting: null };
      else if (set.most !== undefined && set.most <= limit.most) limit = { ...limit, most: set.most, waiting: null };
      else limit = { ...limit, waiting: { most: set.most, from: entry.time + DAY } };
    });
    ripen(time);
    return limit;
  }

  playLimits(player, size, time) {
    return SPANS.filter(per => this.inForce(player, 'play_time', per, size, time));
  }

  /** The player's entries at a place, after which a limit of play time has been in force since. */
  lastPlayed(player, size, time) {
    let at = size - 1;
    const { entries } = this;
    if (!this.playLimits(player, size, time).length) return null;
    for (; at >= 0; at--) {
      if (!this.playLimits(player, at, entries[at].time).length) return null;
      if (entries[at].at && entries[at].by === `player:${player}`) return entries[at].time;
    }
    return null;
  }

  counts(player, of, index) {
    const entry = this.entries[index], { credit: paid } = entry.command;
    if (of === 'deposit') return paid && paid.player === player ? paid.amount : 0;
    if (!entry.at) return 0;
    if (of === 'loss') return lost(entry)(player);
    if (entry.by !== `player:${player}`) return 0;
    const last = this.lastPlayed(player, index, entry.time);
    return last !== null && entry.time - last <= GAP ? entry.time - last : 0;
  }

  limit(player, of, per, size, time) {
    const limit = this.inForce(player, of, per, size, time);
    if (!limit) return null;
    const { most, begin, since, waiting } = limit, length = LENGTH[per];
    const from = begin + length * Math.floor((time - begin) / length), until = from + length;
    let count = 0;
    for (let index = since + 1; index < size; index++) {
      const at = this.entries[index].time;
      if (at >= from && at < until) count += this.counts(player, of, index);
    }
    return { of, per, most, count, until, ...(waiting ? { waiting: JSON.parse(JSON.stringify(waiting)) } : {}) };
  }

  limits(player, size, time) {
    return PAIRS.map(([of, per]) => this.limit(player, of, per, size, time)).filter(Boolean);
  }

  shutOut(player, size) {
    return Math.max(0, ...this.entries.slice(0, size).map(({ command: { exclude: out } }) =>
      (out && out.player === player ? out.until : 0)));
  }

  /** The content of a `player:` line. */
  part(player, size, time) {
    const limits = this.limits(player, size, time), played = this.lastPlayed(player, size, time);
    const out = this.shutOut(player, size);
    return {
      ...(limits.length ? { limits } : {}),
      ...(played !== null && time - played <= GAP ? { played } : {}),
      ...(out > time ? { excluded: out } : {}),
    };
  }

  /** The codes with which limits refuse this entry, after the first `size`. */
  refusals({ by, time, command, events }, size) {
    const [[name, fields]] = Object.entries(command), who = by.startsWith('player:') ? by.slice(7) : null;
    const codes = new Set(), paysIn = name === 'credit' || name === 'wallet_deposit';
    const begins = who && LIMITED.includes(name) && !(name === 'add_chips' && fields.amount === 0);
    const player = paysIn ? fields.player : begins ? who : null;
    if (player === null) return codes;
    if (this.shutOut(player, size) > time) codes.add('excluded');
    const loses = Math.max(lost({ events })(player), name === 'add_chips' ? fields.amount : -Infinity);
    for (const { of, count, most } of this.limits(player, size, time)) {
      if (begins && of === 'play_time' && count >= most) codes.add('limit_reached');
      if (begins && of === 'loss' && loses > 0 && count + loses > most) codes.add('limit_reached');
      if (name === 'credit' && of === 'deposit' && count + fields.amount > most) codes.add('limit_reached');
    }
    return codes;
  }

  /** Whether a `set_limit` changes nothing. */
  isIdle({ player, of, per, most }, size, time) {
    const limit = this.inForce(player, of, per, size, time);
    if (!limit) return most === undefined;
    return limit.waiting ? limit.waiting.most === most : limit.most === most;
  }
}

module.exports = {
  LimitsHouse, Told, setLimit, exclude, credit, T0, DAY, GAP, EXCLUSION, LENGTH, PAIRS, MASTER, WHEEL, POKER, lost,
};

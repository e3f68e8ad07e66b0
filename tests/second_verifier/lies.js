#!/usr/bin/env node
// The table of lies that a house can write into one entry, each told once of each kind of entry in the logs of
// spec/vectors, on top of the honest entries before it. fairshoe-verify judges them here; the Rust test that starts
// this program (tests/tests/second_verifier.rs) lets the auditor judge the same texts.
// node lies.js [--of REST] [--part N]: every REST-th lie, from the N-th on. Prints a line of JSON for each log, then
// one for each lie about it: `{"log":[ENTRY…]}`, `{"about","at","text","check","money"}`: what this verifier finds at
// that entry (null: nothing) by deciding again, and by adding up the ledger alone. Exit code 1 if it misses one that
// no honest house can write.
'use strict';
const fs = require('fs');
const path = require('path');
const { leaves, lists, another, isCard, put, inside, starred, withField, turnedRound } = require('./changes.js');
const { options } = require('./options.js');
const verify = require('../../tools/verifier/fairshoe-verify.js');

const VECTORS = path.join(__dirname, '../../spec/vectors'), { DAY_MS } = verify.HOUSE_TIMES;
const ACTORS = ['house', 'operator', 'anyone', 'auditor:ann', 'player:nobody'];
/** The ledger alone is added up anew for each lie, so it is asked about the first entries of a log. */
const MONEY = 160;
const ACCOUNTS = ['cage', 'house', 'play', 'rake', 'wallet', 'player:nobody', 'transfers:nowhere'];

// --- The kinds of entries ---------------------------------------------------------------------------

/** A name and its fields; of a tournament or a game the inner ones. */
const innermost = value => {
  const [[name, fields]] = Object.entries(value);
  if (name !== 'tournament' && name !== 'play') return [name, fields];
  const [inner, more] = innermost(fields);
  return [`${name}.${inner}`, more];
};
/** The words by which one entry of a command is another kind than the next. */
const words = value => {
  const [name, fields] = innermost(value);
  return [name, ...['call', 'answer', 'cause', 'lapsed'].map(key => fields && fields[key]).filter(Boolean)].join(' ');
};
const nameOf = value => innermost(value)[0];

/** What moves chips, players or promises by itself, and is told beside what another command says. */
const BESIDE = [
  'player_created', 'limit_set', 'excluded', 'log_known', 'transferred_out', 'transferred_in', 'wallet_asked',
  'wallet_answered',
];

class Log {
  constructor(name, { entries, refused }, seen, tell) {
    Object.assign(this, { name, entries, refused, seen, tell, house: new verify.House(false) });
    Object.assign(this, { seq: new Map(), parsed: entries.map(text => JSON.parse(text)) });
  }

  /** Whether this has not been told before. */
  isNew(what) { return !this.seen.has(what) && !!this.seen.add(what); }

  /** A lie about the next entry, told once; `certain`: no honest house writes it. */
  lie(about, change, certain = true) {
    if (!this.isNew(about)) return;
    const entry = JSON.parse(this.entries[this.at] || '{}'), done = change(entry);
    const text = typeof done === 'string' ? done : JSON.stringify(done || entry);
    if (text !== this.entries[this.at]) this.tell(this, about, text, certain);
  }

  walk() {
    for (this.at = 0; this.at <= this.entries.length; this.at++) {
      const entry = this.parsed[this.at];
      this.refusals();
      this.theEnd();
      if (!entry) break;
      this.events(entry);
      this.values(entry);
      this.actors(entry);
      this.form(entry);
      this.house.judge(verify.readEntry(this.entries[this.at]), this.at);
      if (entry.at) this.seq.set(entry.at.table, entry.at.seq);
    }
    this.behindTheEnd();
  }

  // --- Whole entries --------------------------------------------------------------------------------

  /** An entry of this command as a house would write it that forgets a rule. */
  taken(by, command, events, time, signed) {
    const [, fields] = innermost(command), { table = fields.event } = fields;
    const seq = this.seq.has(table) ? this.seq.get(table) + 1 : undefined;
    const player = fields.player || (by.startsWith('player:') ? by.slice(7) : null);
    const stands = player && this.house.accounts.get(`player:${player}`);
    return {
      v: 1, time: Math.max(time, this.house.time), by, ...(seq === undefined ? {} : { at: { table, seq } }),
      ...(typeof stands === 'number' ? { before: [[player, stands]] } : {}), command, ...(signed ? { signed } : {}),
      events,
    };
  }

  /** Commands that are refused here, taken all the same: with nothing said, and with what another such entry says. */
  refusals() {
    this.refused.filter(row => row.after_entries === this.at).forEach(({ by, command, now, signed, code }, i) => {
      const other = this.parsed.find(entry => words(entry.command) === words(command));
      const about = `${this.name} ${this.at}.${i}: ${code} ${words(command)} by ${by}`;
      this.lie(`${about} taken`, () => this.taken(by, command, [], now, signed));
      if (other) this.lie(`${about} taken like another`, () => this.taken(by, command, other.events, now, signed));
    });
  }

  /** *Attack: a house ends its log before a shoe comes out, or before it pays.* */
  theEnd() {
    const open = this.at > 0 && !this.house.ended && this.house.whatIsInPlay(), end = {
      origin: 'next.example/log', key: '3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29',
    };
    if (!open && this.at % 9) return;
    const kind = String(open).split(' ').filter(word => /^[a-z]+$/.test(word)).join(' ');
    const ends = later => () => ({
      v: 1, time: this.house.time + later, by: 'house', command: { end_log: end }, events: [{ log_ended: end }],
    });
    if (!this.at) return;
    this.lie(`${this.name} ends: ${kind}`, ends(0), !!open);
    this.lie(`${this.name} ends a day later: ${kind}`, ends(DAY_MS), !!open);
    const named = { size: this.at, root: 'ab'.repeat(32) };
    this.lie(`${this.name}: another state named: ${kind}`, () => ({
      v: 1, time: this.house.time, by: 'house', command: { note_state: named }, events: [{ state_noted: named }],
    }));
  }

  /** A command of every kind behind the end of the log. */
  behindTheEnd() {
    if (!this.house.ended) return;
    for (const [kind, { by, command, signed, events }] of this.seen.commands)
      for (const later of [0, 10 * DAY_MS])
        this.lie(`${this.name}: behind the end, ${later} ms: ${kind}`, () => {
          const entry = this.taken(by, command, events, this.house.time + later, signed);
          // An epoch of its own, so that its end is at fault alone.
          return JSON.stringify(entry).replace(/"epoch":"[0-9a-f]{64}"/g, `"epoch":"${'e5'.repeat(32)}"`);
        });
  }

  // --- Events ---------------------------------------------------------------------------------------

  /** Each event left out, twice, and behind the next. */
  events({ command, events }) {
    this.seen.commands.set(words(command), this.parsed[this.at]);
    events.forEach((event, i) => {
      const last = i === events.length - 1, kind = `${words(command)}: ${words(event)}${last ? ', the last' : ''}`;
      this.lie(`${kind}, left out`, entry => { entry.events.splice(i, 1); });
      this.lie(`${kind}, twice`, entry => { entry.events.splice(i, 0, event); });
      if (!last) this.lie(`${kind}, behind the next`, entry => { entry.events.splice(i, 2, events[i + 1], event); });
      if (event.posted) this.postings(`${words(command)}, posted`, i, event.posted);
    });
    for (const [name, event] of this.seen.beside)
      this.lie(`${words(command)}: ${name} beside it`, entry => { entry.events.push(event); });
    for (const event of events) if (BESIDE.includes(nameOf(event))) this.seen.beside.set(nameOf(event), event);
    this.lie(`${words(command)}: chips move beside it`, entry => {
      entry.events.push({ posted: { lines: [this.line('house', -5), this.line('cage', 5)] } });
    });
  }

  line(account, amount) { return [account, amount, (this.house.accounts.get(account) || 0) + amount]; }

  /** A posting with other amounts, other accounts, and in another form. */
  postings(about, i, { lines }) {
    const kind = `${about} ${lines.map(([account]) => account.split(':')[0]).slice(0, 3).join()}`;
    const lie = (what, change) => this.lie(`${kind}: ${what}`, ({ ...entry }) => {
      change(entry.events[i].posted.lines, entry.events);
      return entry;
    });
    const moved = by => all => all.forEach(one => {
      one[1] += by * Math.sign(one[1]);
      one[2] += by * Math.sign(one[1]);
    });
    lie('one more', moved(1));
    lie('one less', moved(-1));
    lie('the other way', all => all.forEach((one, n) => { all[n] = this.line(one[0], -one[1]); }));
    lie('in another order', all => all.reverse());
    lie('another balance after it', all => { all[all.length - 1][2]++; });
    lie('no sum of zero', all => { all[0][1]++; all[0][2]++; });
    lie('in two parts', ([[first, amount], ...rest], events) => {
      const sign = Math.sign(amount), [[second], ...others] = rest;
      const left = [[first, amount - sign, lines[0][2]], [second, lines[1][1] + sign, lines[1][2]], ...others];
      const one = [this.line(first, sign), this.line(second, -sign)];
      events.splice(i, 1, { posted: { lines: one } }, { posted: { lines: left } });
    });
    for (const account of ACCOUNTS)
      for (const n of [0, 1])
        if (lines[n][0] !== account)
          lie(`${account} for line ${n}`, all => { all[n] = this.line(account, all[n][1]); });
  }

  // --- Values ---------------------------------------------------------------------------------------

  /** Each value of events and command another one, each list shorter, longer and turned round, each field left out. */
  values({ command, events }) {
    const all = events.map((event, i) => [event, ['events', i]]);
    // *Attack: a house says that the hidden card makes a blackjack, and turns up one that does not.*
    const seen = events.some(({ play }) => play && play.peeked && play.peeked.blackjack) ? ' of a blackjack' : '';
    for (const [value, at] of [[command, ['command']], ...all]) {
      const sure = at[0] === 'events', kind = sure ? `${nameOf(value)}${seen}` : `command ${words(value)}`;
      for (const [inner, old] of leaves(value)) {
        const others = [another(old), ...(typeof old === 'number' ? [old - 1, 0, 2 ** 53, -1, String(old)] : []),
          ...(typeof old === 'string' && old.length < 30 ? ['nowhere'] : []), ...(isCard(old) ? [`2${old[1]}`] : [])];
        others.forEach((other, n) => {
          if (other === null || other === old) return;
          this.lie(`${kind} ${starred(inner)}: value ${n}`, entry => put(entry, [...at, ...inner], other), false);
        });
      }
      for (const inner of lists(value)) {
        const list = (what, change) =>
          this.lie(`${kind} ${starred(inner)}: ${what}`, entry => change(inside(entry, [...at, ...inner])), false);
        list('one less', found => found.pop());
        list('one twice', found => found.push(found[found.length - 1]));
        list('turned round', found => found.reverse());
      }
      this.fields(kind, value, at, sure);
    }
  }

  /** Each field left out, null, and one that another entry of the kind has. */
  fields(kind, value, at, sure) {
    const [name, fields] = innermost(value), deep = name.split('.');
    if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) return;
    const change = (what, edit, certain = true) => this.lie(`${kind}: ${what}`, entry =>
      put(entry, [...at, ...deep], edit(inside(entry, [...at, ...deep]))), certain);
    const known = this.seen.fields.get(kind) || this.seen.fields.set(kind, new Map()).get(kind);
    for (const [field, other] of known)
      if (!(field in fields)) change(`and ${field}`, own => withField(own, other, field), false);
    if (known.last) change('as the one before', () => known.last, false);
    known.last = fields;
    for (const field of Object.keys(fields)) {
      known.set(field, fields);
      change(`without ${field}`, ({ [field]: _, ...own }) => own, sure);
      change(`null for ${field}`, own => ({ ...own, [field]: null }));
    }
    change('a field more', own => ({ ...own, more: 1 }));
    if (Object.keys(fields).length > 1) change('fields turned round', turnedRound);
  }

  // --- Who, when, and in which form -----------------------------------------------------------------

  actors({ command, by, before, time, at }) {
    const kind = words(command);
    const { start_dealer: start } = command, [{ command: { start_dealer: first } }] = this.parsed;
    // The epoch in force is refused; an older one is no refusal of the rules.
    if (start && this.house.start && this.house.start.epoch !== first.epoch)
      this.lie('an older epoch again', entry => { entry.command.start_dealer.epoch = first.epoch; });
    for (const actor of ACTORS)
      if (actor !== by) this.lie(`${kind}: by ${actor}`, entry => { entry.by = actor; }, false);
    for (const later of [-1, 1, 61000, 7200000, 4 * DAY_MS])
      this.lie(`${kind}: ${later} ms later`, entry => { entry.time = time + later; }, false);
    if (this.at) this.lie(`${kind}: once more`, () => this.entries[this.at - 1], false);
    if (this.parsed[this.at + 1]) this.lie(`${kind}: left out`, () => this.entries[this.at + 1], false);
    this.lie(`${kind}: signed`, ({ events, ...entry }) =>
      ({ ...entry, signed: { nonce: 9, signature: '07'.repeat(64) }, events }));
    if (at) {
      this.lie(`${kind}: another place`, entry => { entry.at.seq++; });
      this.lie(`${kind}: of another table`, entry => { entry.at.table = 'nowhere'; });
      this.lie(`${kind}: no place`, entry => { delete entry.at; });
      const named = Object.values(command)[0];
      if (named.table) {
        const names = entry => { Object.values(entry.command)[0].table = 'nowhere'; };
        this.lie(`${kind}: names no table`, names);
        this.lie(`${kind}: names no table, and no place`, entry => { names(entry); delete entry.at; });
        this.lie(`${kind}: names no table, in its place`, entry => {
          names(entry);
          entry.at.table = 'nowhere';
        }, false);
      }
    } else this.lie(`${kind}: a place`, ({ v, time: when, by: who, ...rest }) =>
      ({ v, time: when, by: who, at: { table: 't1', seq: 0 }, ...rest }));
    if (!before) {
      this.lie(`${kind}: a balance before`, ({ command: told, events, ...rest }) =>
        ({ ...rest, before: [['alice', 5]], command: told, events }));
      return;
    }
    this.lie(`${kind}: no balance before`, entry => { delete entry.before; });
    this.lie(`${kind}: one more before`, entry => { entry.before[0][1]++; });
    this.lie(`${kind}: another's balance before`, entry => { entry.before[0][0] = 'nobody'; });
    this.lie(`${kind}: a balance before, twice`, entry => { entry.before.push(entry.before[0]); });
  }

  form({ command, time }) {
    const kind = words(command), spelt = (about, change) =>
      this.lie(`${kind}: ${about}`, () => change(this.entries[this.at]));
    spelt('white space', text => text.replace('"v":1,', '"v":1, '));
    spelt('a field twice', text => text.replace('"v":1,', '"v":1,"v":1,'));
    spelt('another version', text => text.replace('"v":1,', '"v":2,'));
    spelt('an escape', text => text.replace('"by":"', '"by":"\\u0068'));
    spelt('a fraction', text => text.replace(`"time":${time}`, `"time":${time}.0`));
    spelt('a time that no number can hold', text => text.replace(`"time":${time}`, '"time":9007199254740993'));
    spelt('a minus', text => text.replace(/:([0-9]+)([,}])(?!.*:[0-9]+[,}])/, ':-$1$2'));
    spelt('more behind it', text => `${text} `);
    const once = (about, other) => this.lie(about, () => this.entries[this.at].replace('"command":{', other));
    once('more bytes than an entry has', `"command":{"a":"${'a'.repeat(65536)}",`);
    // The ledger alone does not read a command whose name it does not know.
    if (this.at >= MONEY) {
      once('lists in lists', `"command":{"a":${'['.repeat(32)}${']'.repeat(32)},`);
      once('a command that is none', '"command":{"shout":{},');
    }
    this.lie('another command alone', entry => { entry.command = { shout: {} }; });
    spelt('cut off', text => text.slice(0, -1));
  }
}

// --- The run ----------------------------------------------------------------------------------------

const codeOf = action => {
  try { action(); } catch (error) {
    if (error instanceof verify.Unsound) return error.check;
    throw error;
  }
  return null;
};

function main({ of = 1, part = 0 }) {
  const names = fs.readdirSync(VECTORS).filter(name => /^(entries-.*|player-keys)\.json$/.test(name)).sort();
  const seen = Object.assign(new Set(), { commands: new Map(), fields: new Map(), beside: new Map() });
  const missed = [], lines = [];
  const files = names.map(name => [name, JSON.parse(fs.readFileSync(path.join(VECTORS, name), 'utf8'))]);
  // Each kind in a short log, where it is judged soon; those that end come last, when every kind of command is known.
  files.sort(([a, one], [b, two]) => a.startsWith('entries-ended') - b.startsWith('entries-ended') ||
    one.entries.length - two.entries.length);
  let count = 0;
  for (const [name, file] of files) {
    lines.push(JSON.stringify({ log: file.entries }));
    new Log(name, file, seen, ({ house, at, entries }, about, text, certain) => {
      if (count++ % Number(of) !== Number(part) % Number(of)) return;
      const check = codeOf(() => {
        const entry = verify.readEntry(text);
        verify.copyOf(house).judge(entry, at);
      });
      const [money] = at < MONEY ? verify.verifyLedger([...entries.slice(0, at), text].join('\n')).findings : [];
      if (certain && !check) missed.push(`${name}, entry ${at}: ${about}: ${text.slice(0, 300)}`);
      const ofMoney = at < MONEY ? { money: money ? money.check : null } : {};
      lines.push(JSON.stringify({ about, at, text, check, ...ofMoney }));
    }).walk();
  }
  fs.writeSync(1, `${lines.join('\n')}\n`);
  if (missed.length) console.error(`${missed.length} lies are not found:\n${missed.slice(0, 40).join('\n')}`);
  return missed.length ? 1 : 0;
}

process.exitCode = main(options());

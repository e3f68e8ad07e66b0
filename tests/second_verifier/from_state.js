#!/usr/bin/env node
// Audits from a state on (spec/audit.md, "From a state") and of the ledger alone, by both verifiers. Whole logs that
// name the state at some entry: honest; with each field of the state changed once and named so by the house; with each
// field changed but not named; and with each field of the later entries changed once. Reports differences between
// fairshoe-audit and fairshoe-verify.
// node from_state.js --audit PATH [--of REST] [--part N] [--only WORDS]: every REST-th case, from the N-th on; those
// with WORDS. Prints one JSON object; exit code 0 if they agree.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { leaves, lists, another, put, inside, starred, withField, turnedRound } = require('./changes.js');
const { books, signed } = require('./continued_logs.js');
const { verify } = require('./dealer.js');
const { options } = require('./options.js');
const { writeMirror } = require('./signed.js');
const { hex, utf8, leafHash, treeRoot } = verify;

/** The vectors' logs are dated ahead of some clocks. */
const YEARS = 10 * 365 * 86400000;

const rootOfLines = lines => hex(treeRoot(lines.map(line => leafHash(utf8(line)))));

/** The entry in which the house names a state, at that time. */
function naming(time, size, root) {
  const named = { size, root };
  return JSON.stringify({ v: 1, time, by: 'house', command: { note_state: named }, events: [{ state_noted: named }] });
}

/**
 * Some states of a log that can be named there, because no later entry refers to an index: `{size, lines, time, head,
 * tail}`. Those in mid-round are `open`.
 */
function* statesOf(log) {
  const house = new verify.House(false), last = log.findLastIndex(line => /"note_state"|"saw":\{/.test(line));
  const counts = { true: 0, false: 0 };
  for (const [index, line] of log.entries()) {
    house.judge(verify.readEntry(line), index);
    const tables = [...house.tables.values()],
      size = index + 1,
      open = tables.some(({ live, window }) => live || window);
    if (index < last || size === log.length || tables.some(({ recovering }) => recovering)) continue;
    if (counts[open]++ % (open ? 4 : 8)) continue;
    yield { size, open, lines: house.stateLines(), time: house.time, head: log.slice(0, size), tail: log.slice(size) };
  }
}

/** The log with the naming of these lines in it. */
const logNaming = ({ head, tail, time, size }, lines) => [...head, naming(time, size, rootOfLines(lines)), ...tail];

/**
 * Checks that some states of a log, nameable or not, lead to the log's own end when taken as given.
 */
function* notBegun([name, log], isOne) {
  const whole = new verify.House(false), states = [];
  log.forEach((line, index) => {
    whole.judge(verify.readEntry(line), index);
    if (isOne()) states.push([index + 1, whole.stateLines()]);
  });
  const end = whole.stateLines().join();
  for (const [size, lines] of states) {
    try {
      const { house } = verify.houseOfState(size, utf8(`${lines.join('\n')}\n`), index => log[index]);
      log.slice(size).forEach((line, index) => house.judge(verify.readEntry(line), size + index));
      if (house.stateLines().join() !== end) yield `${name} from ${size}: another end`;
    } catch (error) {
      yield `${name} from ${size}: ${error.message}`;
    }
  }
}

/** A state's lines with one change, `[what, make]`; `make` gives the lines. */
function* changedStates(lines) {
  for (const [number, line] of lines.entries()) {
    const parsed = JSON.parse(line), kind = parsed[0].split(':')[0];
    const told = (what, change) => [`${kind} ${what}`, () => {
      const copy = JSON.parse(line);
      change(copy);
      return [...lines.slice(0, number), JSON.stringify(copy), ...lines.slice(number + 1)];
    }];
    // Only the form of a rule set under its digest, and of names as keys, is checked.
    if (kind === 'rules') yield told('another limit', ([, rules]) => { rules.table.stake_max += 1; });
    else {
      for (const [at, value] of leaves(parsed[1])) {
        const others = [another(value), ...(typeof value === 'number' ? [0, value - 1, value + 100000, 2 ** 53] : [])];
        for (const [n, other] of others.entries()) {
          if (other === null || other === value || other < 0) continue;
          yield told(`${starred(at)} ${n}`, copy => put(copy[1], at, other));
        }
      }
      for (const at of lists(parsed[1])) {
        yield told(`${starred(at)} without one`, copy => inside(copy[1], at).pop());
        yield told(`${starred(at)} one twice`, copy => inside(copy[1], at).push(inside(copy[1], at).at(-1)));
        yield told(`${starred(at)} turned round`, copy => inside(copy[1], at).reverse());
      }
      for (const field of Object.keys(parsed[1])) yield told(`null for ${field}`, copy => { copy[1][field] = null; });
      for (const field of Object.keys(parsed[1])) yield told(`without ${field}`, copy => delete copy[1][field]);
      yield told('fields turned round', copy => { copy[1] = turnedRound(copy[1]); });
      for (const other of lines.map(text => JSON.parse(text)).filter(([key]) => key.split(':')[0] === kind)) {
        for (const field of Object.keys(other[1]).filter(name => !(name in parsed[1])))
          yield told(`and ${field}`, copy => { copy[1] = withField(copy[1], other[1], field); });
      }
    }
    // In the order of their keys, so that the key is at fault.
    for (const key of [`${parsed[0]}x`, kind, `${kind}:`, `${kind}:0${parsed[0].slice(kind.length + 1)}`,
      `${kind}:9007199254740992`, `${kind}:-1`, `${kind}:a b`, `${kind}:nobody`])
      yield [`${kind} under ${key.replace(parsed[0], 'its key')}`, () =>
        [...lines.filter((_, other) => other !== number), JSON.stringify([key, parsed[1]])]
          .sort((a, b) => (JSON.parse(a)[0] < JSON.parse(b)[0] ? -1 : 1))];
    yield told('a field more', copy => { copy[1].more = 1; });
    yield [`${kind} left out`, () => lines.filter((_, other) => other !== number)];
    yield [`${kind} twice`, () => [...lines.slice(0, number + 1), ...lines.slice(number)]];
    const spaced = line.replace(',', ', ');
    yield [`${kind} with white space`, () => [...lines.slice(0, number), spaced, ...lines.slice(number + 1)]];
  }
}

/** A log's entries from `from` on with one change, `[what, make]`; `make` gives the log, which ends there. */
function* changedEntries(log, from) {
  for (let index = from; index < log.length; index++) {
    const entry = JSON.parse(log[index]);
    for (const [at, value] of leaves(entry)) {
      const event = at[0] === 'events' ? verify.eventName(entry.events[at[1]]) : '', other = another(value);
      if (other === null || at[0] === 'v') continue;
      yield [`${event} ${starred(at)}`, () => {
        const copy = JSON.parse(log[index]);
        put(copy, at, other);
        return [...log.slice(0, index), JSON.stringify(copy)];
      }];
    }
  }
}

const OF_TOURNAMENTS = /tournament/;

/** Every case: `[what, make]`; `make` gives `{log, lines, size}`, without `lines` for the ledger alone. */
function* cases(logs) {
  const seen = new Set(), isNew = what => !seen.has(what) && !!seen.add(what);
  for (const [name, log] of logs) {
    const looked = { true: 0, false: 0 };
    for (const state of statesOf(log)) {
      const { size, open, lines } = state, where = `(${name} from ${size})`, honest = () => logNaming(state, lines);
      yield [`honest ${where}`, () => ({ log: honest(), lines, size })];
      // states.js changes states with tournaments.
      if (OF_TOURNAMENTS.test(name)) continue;
      for (const [what, make] of changedStates(lines)) {
        const named = `named: ${what}${open ? ', in mid-round' : ''}`, not = `not named: ${what}`;
        const other = logOf => () => { const changed = make(); return { log: logOf(changed), lines: changed, size }; };
        if (isNew(named)) yield [`${named} ${where}`, other(changed => logNaming(state, changed))];
        if (isNew(not)) yield [`${not} ${where}`, other(honest)];
      }
      if (looked[open]++) continue;
      const log = honest(), since = /"since":\[(\d+)/.exec(lines.join(''));
      for (const [what, index] of [['the entry that names it', size], ['an entry since', since && Number(since[1])]]) {
        const served = text => text.replace(/"time":(\d+)/, (_, time) => `"time":${Number(time) + 1}`);
        const make = () => ({ log, lines, size, served: log.map((text, at) => (at === index ? served(text) : text)) });
        if (index !== null) yield [`served otherwise: ${what} ${where}`, make];
      }
      for (const [what, make] of changedEntries(log, size)) {
        if (isNew(`after: ${what}`)) yield [`after: ${what} ${where}`, () => ({ log: make(), lines, size })];
      }
    }
    yield [`ledger alone: ${name}`, () => ({ log })];
    if (OF_TOURNAMENTS.test(name)) continue;
    for (const [what, make] of changedEntries(log, 0)) {
      if (isNew(`ledger alone: ${what}`)) yield [`ledger alone: ${what} (${name})`, () => ({ log: make() })];
    }
  }
}

/** Verdict, check and entry; and the parts that the verdict took as given. */
const said = ({ verdict, given }, finding) => {
  const { not_checked: not, ...rest } = given || {};
  return [
    verdict,
    finding ? finding.check : null,
    finding && finding.entry !== undefined ? finding.entry : null,
    JSON.stringify(sorted(rest)),
    not ? not.join() : '',
  ];
};
const sorted = fields => Object.fromEntries(Object.entries(fields).sort());

/** Other entries beside the tiles of a mirror. */
function writeBundles(folder, log) {
  const other = `${folder}-other`;
  writeMirror(other, log, '', '');
  fs.cpSync(path.join(other, 'tile/entries'), path.join(folder, 'tile/entries'), { recursive: true });
  fs.rmSync(other, { recursive: true });
}

/** The second verifier decides again a table's entries since it rested (spec/audit.md, "From a state"). */
const DECIDED_AGAIN = /is said to have had since it rested/;

function first(audit, folder, { lines, size }) {
  const mode = lines ? ['--from', String(size), '--skew', String(YEARS / 1000)] : ['--ledger-only'];
  const program = spawnSync(audit, ['log', folder, ...mode, '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (program.status === 2) return [['unusable', null, null, '{}', ''], program.stderr];
  const report = JSON.parse(program.stdout), { first_failure: found, given } = report;
  return [said({ ...report, given: found ? undefined : given }, found), found && found.message];
}

function second(folder, { lines, size }, key) {
  try {
    const log = verify.readLog(folder, lines ? size : 0), bytes = lines && utf8(`${lines.join('\n')}\n`);
    const report = lines
      ? verify.verifyLog(log, { key, from: { size, bytes }, now: Date.now(), skew: YEARS })
      : verify.verifyLedger(log, { key });
    const [found] = report.findings;
    return [said({ ...report, given: found ? undefined : report.given }, found), found && found.message];
  } catch (error) {
    if (!(error instanceof verify.Unusable)) return [['broken', null, null, '{}', ''], error.stack];
    return [['unusable', null, null, '{}', ''], error.message];
  }
}

function main(given) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'from-state-'));
  const logs = books(), rest = Number(given.of || 1);
  const summary = { cases: 0, verdicts: {}, found: {}, decided_again: [], disagreements: [] };
  let n = 0;
  const isOne = () => n++ % rest === Number(given.part || 0) % rest;
  try {
    for (const book of given.only ? [] : logs) {
      for (const what of notBegun(book, isOne)) summary.disagreements.push({ what });
    }
    for (const [what, make] of cases(logs)) {
      if (!isOne() || (given.only && !what.includes(given.only))) continue;
      const one = make();
      const { note, key } = signed(one.log, JSON.parse(one.log[0]).command.start_dealer.origin);
      fs.rmSync(folder, { recursive: true, force: true });
      writeMirror(folder, one.log, note, key);
      if (one.served) writeBundles(folder, one.served);
      if (one.lines) {
        fs.mkdirSync(path.join(folder, 'state'));
        fs.writeFileSync(path.join(folder, 'state', String(one.size)), `${one.lines.join('\n')}\n`);
      }
      const [[ours, why], [theirs, how]] = [first(given.audit, folder, one), second(folder, one, key)];
      summary.cases++;
      summary.verdicts[ours[0]] = (summary.verdicts[ours[0]] || 0) + 1;
      summary.found[ours[1]] = (summary.found[ours[1]] || 0) + 1;
      const wrong = what.startsWith('honest') && ours[0] !== 'sound_from_state';
      if (ours.join() === theirs.join() && !wrong) continue;
      if (theirs[0] === 'unusable' && DECIDED_AGAIN.test(how)) {
        summary.decided_again.push(what);
        continue;
      }
      const words = (verdict, message) => [...verdict.slice(0, 4), message && message.slice(0, 240)];
      summary.disagreements.push({ what, fairshoe_audit: words(ours, why), fairshoe_verify: words(theirs, how) });
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log(JSON.stringify(summary, null, 1));
  return summary.disagreements.length ? 1 : 0;
}

module.exports = { changedStates };

if (require.main === module) process.exitCode = main(options());

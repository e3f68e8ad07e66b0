#!/usr/bin/env node
// Changes each field of each event, of each command and of the other parts once, in the first whole log that has it,
// and reports where fairshoe-audit and fairshoe-verify do not name the same check at the same entry.
// node labels.js --audit PATH [--of REST] [--part N] [--only WORDS]: every REST-th change, from the N-th on; those with
// WORDS. Prints one JSON object; exit code 0 if they agree.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { writeMirror } = require('./checks.js');
const { books, signed } = require('./continued_logs.js');
const { verify } = require('./dealer.js');
const { options } = require('./options.js');

/** The leaves of a value, `[path, value]`. */
function leaves(value, at = [], found = []) {
  if (value === null || typeof value !== 'object') found.push([at, value]);
  else Object.keys(value).forEach(key => leaves(value[key], [...at, key], found));
  return found;
}

/** Another value of the same kind, or null. */
function another(value) {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (typeof value !== 'string') return null;
  if (/^[A23456789TJQK][cdhs]$/.test(value)) return value[0] + (value[1] === 'c' ? 'd' : 'c');
  if (/^[0-9a-f]{32,}$/.test(value)) return value.slice(0, -1) + (value.endsWith('0') ? '1' : '0');
  return (
    {
      alice: 'bob', bob: 'alice', nobody: 'level', level: 'house', house: 'players', players: 'house', hit: 'stand',
      stand: 'hit',
    }[value] || null
  );
}

const put = (object, at, value) => {
  at.slice(0, -1).reduce((inner, key) => inner[key], object)[at[at.length - 1]] = value;
};

/** Every change: `{what, log}`, a log that ends with the changed entry. */
function changes() {
  const seen = new Set(), all = [];
  for (const [, log] of books()) {
    for (const [index, text] of log.entries()) {
      const entry = JSON.parse(text);
      for (const [at, value] of leaves(entry)) {
        const event = at[0] === 'events' ? verify.eventName(entry.events[at[1]]) : '',
          what = `${event} ${at.map(key => (/^\d+$/.test(key) ? '*' : key)).join('.')}`;
        const other = another(value);
        if (seen.has(what) || other === null || at[0] === 'v' || index === 0) continue;
        seen.add(what);
        const copy = JSON.parse(text);
        put(copy, at, other);
        all.push({
          what: `${what}: ${JSON.stringify(value)} → ${JSON.stringify(other)}`.slice(0, 200),
          log: [...log.slice(0, index), JSON.stringify(copy)],
        });
      }
    }
  }
  return all;
}

function main(given) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'labels-')),
    summary = { changes: 0, found: {}, disagreements: [] };
  try {
    changes()
      .filter(({ what }, i) => i % Number(given.of || 1) === Number(given.part || 0) % Number(given.of || 1) &&
        what.includes(given.only || ''))
      .forEach(({ what, log }) => {
        const { note, key } = signed(log, JSON.parse(log[0]).command.start_dealer.origin);
        fs.rmSync(folder, { recursive: true, force: true });
        writeMirror(folder, log, note, key);
        const program = spawnSync(given.audit, ['log', folder, '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 });
        if (program.status !== 0 && program.status !== 1) throw new Error(`${what}: ${program.stderr}`);
        const first = JSON.parse(program.stdout).first_failure,
          [second = null] = verify.verifyLog(log.join('\n'), { now: Date.now() }).findings;
        const place = finding =>
          finding ? [finding.check, finding.entry === undefined ? null : finding.entry] : [null, null];
        summary.changes++;
        summary.found[place(first)[0]] = (summary.found[place(first)[0]] || 0) + 1;
        if (place(first).join() !== place(second).join())
          summary.disagreements.push({
            what,
            fairshoe_audit: [...place(first), first && first.message.slice(0, 200)],
            fairshoe_verify: [...place(second), second && second.message.slice(0, 200)],
          });
      });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log(JSON.stringify(summary, null, 1));
  return summary.disagreements.length ? 1 : 0;
}

module.exports = { leaves, another, put };

if (require.main === module) process.exitCode = main(options());

#!/usr/bin/env node
// States of logs of tournaments with one thing changed each: the house's own rules (fairshoe-house's example
// `tournament_logs`) and fairshoe-verify must refuse the same ones.
// node tournament_states.js --judge PATH --logs FOLDER [--of REST] [--part N] [--most ENTRIES]: PATH is the built
// example; every REST-th change, from the N-th on. Prints one JSON object; exit code 0 if they agree. With `--judge -`
// prints each case instead, for a judge that reads them: `[log, what, size, lines, why it is refused or null]`.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { changedStates } = require('./from_state.js');
const { verify } = require('./dealer.js');
const { options } = require('./options.js');

/** The second verifier decides again a table's entries since it rested (spec/audit.md, "From a state"). */
const DECIDED_AGAIN = /is said to have had since it rested/;

/** The states of a log after every so many entries, `[size, lines]`. */
function statesOf(log, every) {
  const house = new verify.House(false), states = [];
  log.forEach((text, index) => {
    house.judge(verify.readEntry(text), index);
    if (index % every === every - 1) states.push([index + 1, house.stateLines()]);
  });
  return states;
}

/** Why the second verifier refuses a state, or null. */
function refused(log, [size, lines]) {
  try {
    verify.houseOfState(size, verify.utf8(`${lines.join('\n')}\n`), index => log[index]);
    return null;
  } catch (error) {
    return error instanceof verify.Unsound ? error.message : `broken: ${error.stack}`;
  }
}

function main(given) {
  const summary = { states: 0, changes: 0, refused: 0, disagreements: [] }, seen = new Set();
  let n = 0;
  for (const name of fs.readdirSync(given.logs).sort()) {
    const file = path.join(given.logs, name), log = fs.readFileSync(file, 'utf8').trim().split('\n'), cases = [];
    if (log.length > Number(given.most || 1000)) continue;
    for (const [size, lines] of statesOf(log, 29)) {
      summary.states++;
      cases.push(['honest', [size, lines]]);
      for (const [what, make] of changedStates(lines)) {
        const key = `${what} ${size % 5}`;
        if (seen.has(key) || n++ % Number(given.of || 1) !== Number(given.part || 0) % Number(given.of || 1)) continue;
        seen.add(key);
        cases.push([what, [size, make()]]);
      }
    }
    if (!cases.length) continue;
    if (given.judge === '-') {
      for (const [what, state] of cases) {
        const own = refused(log, state), known = own !== null && DECIDED_AGAIN.test(own) ? 'decided_again' : own;
        console.log(JSON.stringify([name, what, ...state, known]));
      }
      continue;
    }
    const input = cases.map(([, state]) => `${JSON.stringify(state)}\n`).join('');
    const judge = spawnSync(given.judge, ['read', file], { input, encoding: 'utf8', maxBuffer: 1 << 28 });
    if (judge.status !== 0) throw new Error(`${name}: ${judge.stderr.slice(0, 500)}`);
    const said = judge.stdout.trim().split('\n').map(line => JSON.parse(line));
    cases.forEach(([what, state], i) => {
      const own = refused(log, state), broken = own !== null && own.startsWith('broken');
      summary.changes++;
      summary.refused += own === null ? 0 : 1;
      if (said[i] === null && DECIDED_AGAIN.test(own)) return;
      if ((own === null) !== (said[i] === null) || broken || (what === 'honest' && own !== null))
        summary.disagreements.push({ name, size: state[0], what, house: said[i], verifier: own && own.slice(0, 300) });
    });
  }
  if (given.judge !== '-') console.log(JSON.stringify(summary, null, 1));
  return summary.disagreements.length ? 1 : 0;
}

process.exitCode = main(options());

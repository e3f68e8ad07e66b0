#!/usr/bin/env node
// States of logs, as they are and with one thing changed each, and why fairshoe-verify refuses them, or null: for the
// tests of the judge, whose house must refuse the same ones.
// node states.js --logs FOLDER [--of REST] [--part N]: every REST-th change, from the N-th on. Prints
// `[log, what, size, lines, why]` for each.
'use strict';
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
  const seen = new Set();
  let n = 0;
  for (const name of fs.readdirSync(given.logs).sort()) {
    const log = fs.readFileSync(path.join(given.logs, name), 'utf8').trim().split('\n');
    const print = (what, state) => {
      const own = refused(log, state), known = own !== null && DECIDED_AGAIN.test(own) ? 'decided_again' : own;
      console.log(JSON.stringify([name, what, ...state, known]));
    };
    for (const [size, lines] of statesOf(log, 29)) {
      print('honest', [size, lines]);
      for (const [what, make] of changedStates(lines)) {
        const key = `${what} ${size % 5}`;
        if (seen.has(key) || n++ % Number(given.of || 1) !== Number(given.part || 0) % Number(given.of || 1)) continue;
        seen.add(key);
        print(what, [size, make()]);
      }
    }
  }
}

main(options());

// Looks for refusals that the vectors lack: commands that one place of the second verifier refuses, and that it would
// take without that place, so that one reason alone applies. By chance, from the commands of the logs of spec/vectors:
//   FAIRSHOE_SITES=FILE node --require ./tests/second_verifier/sites.js tests/second_verifier/search.js SEED SECONDS
// prints a line of JSON for each: for the `refused` of its log, without `log`. The house decides it again there.
'use strict';
const fs = require('fs');
const path = require('path');
const { random } = require('./bundles.js');
const { leaves, put } = require('./changes.js');
const verify = require('../../tools/verifier/fairshoe-verify.js');

const VECTORS = path.join(__dirname, '../../spec/vectors'), DAY_MS = 86400000;
const AMOUNTS = [0, 1, 2, 100, 2 ** 42, 2 ** 52 - 1, 2 ** 53 - 1];
const WAITS = [0, 1, 1000, 60000, 3600000, DAY_MS, 400 * DAY_MS];
const [seed = '1', seconds = '60'] = process.argv.slice(2), rng = random(Number(seed));
const pick = list => list[rng(list.length)], chance = n => rng(n) === 0;

let met = [], off = null;
globalThis.onSite = place => { met.push(place); return place === off; };

/** The code of the refusal, and the places without which the command would be taken. */
function decided(house, { now, by, command }) {
  const ask = without => {
    [met, off] = [[], without];
    try { return verify.copyOf(house).refusalOf(now, by, command); } catch { return null; } finally { off = null; }
  };
  const code = ask(null), places = [...new Set(met)];
  return [code, code === null ? [] : places.filter(place => ask(place) === null)];
}

/** A command like one of the log's, by somebody, at some time, with values of the log in the place of up to two. */
function anyCommand(said, values, house, times) {
  const { by, command } = structuredClone(pick(said)), all = leaves(command);
  for (let n = rng(3); n > 0 && all.length; n--) {
    const [at, old] = pick(all), key = at[at.length - 1];
    const isNumber = typeof old === 'number';
    const near = isNumber && chance(2) ? pick([...AMOUNTS, old + 1, old - 1]) : null;
    const other = near === null ? pick(values.get(key) || [old]) : near;
    put(command, at, isNumber ? Math.max(0, Number(other) || 0) : other);
  }
  const soon = times.filter(time => time >= house.time).slice(0, 5);
  const now = soon.length && chance(2) ? pick(soon) : house.time + pick(WAITS);
  return { now, by: chance(4) ? pick(['house', 'operator', 'anyone', ...said.map(one => one.by)]) : by, command };
}

const isCommand = ({ now: time, by, command }) => {
  try { return !!verify.readEntry(JSON.stringify({ v: 1, time, by, command, events: [] })); } catch { return false; }
};

/** The places that the refusals of the vectors decide already. */
function known(files) {
  const places = new Set();
  for (const [, { entries, refused }] of files) {
    const house = new verify.House(false);
    entries.forEach((text, at) => {
      for (const row of refused.filter(one => one.after_entries === at && !one.signed)) {
        const command = row.command_text ? JSON.parse(row.command_text) : row.command;
        decided(house, { ...row, command })[1].forEach(place => places.add(place));
      }
      house.judge(verify.readEntry(text), at);
    });
  }
  return places;
}

function search() {
  const names = fs.readdirSync(VECTORS).filter(name => /^entries-.*\.json$/.test(name));
  const files = names.map(name => [name, JSON.parse(fs.readFileSync(path.join(VECTORS, name), 'utf8'))]);
  const places = known(files), until = Date.now() + 1000 * Number(seconds);
  while (Date.now() < until) {
    const [log, { entries }] = pick(files), said = entries.map(text => JSON.parse(text)), values = new Map();
    for (const [at, value] of said.flatMap(({ command, events }) => [...leaves(command), ...leaves(events)])) {
      const key = at[at.length - 1];
      if (!values.has(key)) values.set(key, []);
      values.get(key).push(value);
    }
    const isTime = value => value > said[0].time && value < 2 ** 42;
    const times = [...values.values()].flat().filter(isTime).sort((a, b) => a - b);
    const house = new verify.House(false), every = 1 + rng(1 + Math.ceil(entries.length / 60));
    for (let after = 0; after < entries.length && Date.now() < until; after++) {
      const around = said.slice(Math.max(0, after - 6), after + 6);
      for (let n = after % every ? 0 : 60; n > 0; n--) {
        const row = anyCommand(chance(2) ? around : said, values, house, times);
        if (!isCommand(row)) continue;
        const [code, decisive] = decided(house, row), fresh = decisive.filter(place => !places.has(place));
        fresh.forEach(place => places.add(place));
        if (fresh.length) console.log(JSON.stringify({ log, after_entries: after, ...row, code }));
      }
      house.judge(verify.readEntry(entries[after]), after);
    }
  }
}

search();

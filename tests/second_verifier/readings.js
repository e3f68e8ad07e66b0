#!/usr/bin/env node
// Misreadings of the pages: each is patched into the second verifier, and a vector MUST refute it.
//
//   node readings.js [--only WORDS]   runs each beside the vectors that are named with it
//   node readings.js --every N        the same for every Nth; of the others, that their text is there
//   node readings.js --among NAMES    beside these vectors, or `all`: for a new one, whose vectors are to be found
//
// A reading is a sentence of a page, misunderstood. readings/ has them below their page and the file of vectors that
// refutes them: behind `-` the verifier's text, which occurs once, behind `+` the text under that reading; perhaps
// further pairs. Exit 1: a reading that no vector refutes.
'use strict';
const fs = require('fs');
const path = require('path');
const { options } = require('./options.js');

const project = path.join(__dirname, '../..');
const read = name => fs.readFileSync(path.join(project, name), 'utf8');
// The first vector that fails is enough.
const source = read('tools/verifier/fairshoe-verify.js').replace('this.failed.push(', 'throw new Error(');
const load = folder =>
  Object.fromEntries(
    fs.readdirSync(path.join(project, folder))
      .filter(name => name.endsWith('.json'))
      .map(name => [name, JSON.parse(read(`${folder}/${name}`))]),
  );
const vectors = load('spec/vectors');
const ruleSets = Object.fromEntries(Object.values(load('spec/rulesets')).map(rules => [rules.name, rules]));

/** The readings of a file: `{page, vectors, reading, pairs: [[old, other]]}`. */
function readingsOf(name) {
  const list = [];
  let page, vectors, before;
  for (const line of read(`tests/second_verifier/readings/${name}`).trimEnd().split('\n')) {
    const kind = line[0], pairs = list.length ? list[list.length - 1].pairs : [];
    if (kind === '#') [, page, vectors] = /^# (.*): (\S+)$/.exec(line);
    else if (kind !== '-' && kind !== '+') list.push({ page, vectors, reading: line, pairs: [] });
    else if (kind === '-' && before !== '-') pairs.push([[line.slice(1)], []]);
    else pairs[pairs.length - 1][kind === '-' ? 0 : 1].push(line.slice(1));
    before = kind;
  }
  return list.map(one => ({ ...one, pairs: one.pairs.map(pair => pair.map(lines => lines.join('\n'))) }));
}

/** The verifier as a person would write it who read the page this way. */
function patched({ pairs }) {
  let text = source.replace(/^#!.*/, '');
  for (const [old, other] of pairs) {
    const [before, after, ...more] = text.split(old);
    if (after === undefined || more.length) throw new Error(`not once in the verifier: ${old}`);
    text = before + other + after;
  }
  const made = { exports: {} };
  new Function('module', 'require', text)(made, require);
  return made.exports;
}

/** Files of vectors that are over the logs of others. */
const NEEDS = {
  'wallet.json': ['entries-wallet.json'],
  'log-continued.json': ['entries-events.json'],
  'log-notes.json': ['entries-events.json', 'entries-tournament.json', 'entries-safe.json', 'entries-poker.json'],
};

/** The first vector that refutes it, in words; or none. */
function refuted(reading, among) {
  const names = among === 'all' ? Object.keys(vectors) : among ? among.split(' ') : [reading.vectors];
  const verifier = patched(reading);
  for (const name of names) {
    const files = { ...vectors };
    const needed = NEEDS[name] || [];
    for (const other of Object.keys(files)) if (other !== name && !needed.includes(other)) delete files[other];
    let failed;
    try {
      failed = (verifier.runVectors(files, ruleSets)[name] || { failed: [] }).failed;
    } catch (error) {
      failed = [error.message];
    }
    if (failed.length) return `${name}: ${failed[0]}`;
  }
  return null;
}

const given = options();
const list = ['rules', 'money', 'events', 'audit'].flatMap(readingsOf).filter(({ page, reading }) =>
  `${page}: ${reading}`.includes(given.only || ''),
);
let passed = 0, run = 0;
for (const [nth, one] of list.entries()) {
  patched(one);
  if (nth % Number(given.every || 1)) continue;
  run++;
  const why = refuted(one, given.among);
  if (why === null) passed++;
  if (why === null || given.among || given.only !== undefined)
    console.log(`${why === null ? 'PASSES' : `refuted by ${why.slice(0, 200)}`}\n  ${one.page}: ${one.reading}`);
}
console.log(`${list.length} readings, ${run} run, ${run - passed} refuted`);
process.exitCode = passed ? 1 : 0;

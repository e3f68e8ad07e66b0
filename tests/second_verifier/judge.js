#!/usr/bin/env node
// Judges bundles and logs as they come: a line of JSON in, `{"bundle":TEXT}`, `{"log":TEXT}`, `{"ledger":TEXT}` for the
// money of a log alone, or for a log that goes on `{"log","key","note","old":{"log","note"}}`, a line of JSON out,
// `{"verdict","findings"}`, and of a bundle what became of its round. For tests with thousands of inputs: one process
// instead of one for each.
'use strict';
const { createHash } = require('crypto');
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const { instrument } = require('./sites.js');

/**
 * The verifier with its slowest parts replaced: Node hashes, and each signature is verified once, because thousands of
 * bundles hold the same entries. The vectors test its own hashes and signatures.
 */
function quick() {
  const verified = new Map();
  const remembered = check => (...parts) => {
    const name = parts.map(part => Buffer.from(part).toString('base64')).join();
    if (verified.size > 4096) verified.clear();
    if (!verified.has(name)) verified.set(name, check(...parts));
    return verified.get(name);
  };
  const digest = kind => message => new Uint8Array(createHash(kind).update(message).digest());
  let text = fs.readFileSync(path.join(__dirname, '../../tools/verifier/fairshoe-verify.js'), 'utf8');
  if (process.env.FAIRSHOE_SITES) text = instrument(text);
  for (const [from, to] of [
    [/^#!.*/, ''],
    ['function sha256(message) {', '$&\n  return test.sha256(message);'],
    ['function sha512(message) {', '$&\n  return test.sha512(message);'],
    ['return { usable, verify };', 'return { usable, verify: test.remembered(verify) };'],
  ]) {
    if (typeof from === 'string' && !text.includes(from)) throw new Error(`not in the verifier: ${from}`);
    text = text.replace(from, to);
  }
  const made = { exports: {} };
  const test = { sha256: digest('sha256'), sha512: digest('sha512'), remembered };
  new Function('module', 'require', 'test', text)(made, require, test);
  return made.exports;
}

const verify = quick(), { utf8 } = verify;

/** The further data of a log. */
const beside = ({ key, note, old }) =>
  (old ? { key, checkpoint: utf8(note), continues: { ...verify.logOfText(old.log), note: utf8(old.note) } } : {});

const report = ({ bundle, ledger, log, ...rest }) =>
  (log !== undefined ? verify.verifyLog(log, beside(rest))
    : ledger !== undefined ? verify.verifyLedger(ledger) : verify.verifyBundle(bundle));

/** The phase of a round that holds, and each player's stakes and returns. */
const becameOf = ({ id, shoe_no: shoe, rules, phase, players }) =>
  [id, shoe, rules, phase, players.map(({ player, staked, returned }) => [player, staked, returned])];

function judge(question) {
  try {
    const { verdict, findings, round } = report(question);
    return { verdict, findings, ...(question.bundle && verdict !== 'not_sound' ? { became: becameOf(round) } : {}) };
  } catch (error) {
    if (!(error instanceof verify.Unusable))
      return { verdict: 'broken', findings: [{ check: 'broken', message: String(error.stack) }] };
    return { verdict: 'unusable', findings: [{ check: 'unusable', message: error.message }] };
  }
}

readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', line => {
  process.stdout.write(`${JSON.stringify(judge(JSON.parse(line)))}\n`);
});

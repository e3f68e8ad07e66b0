#!/usr/bin/env node
// Judges bundles and logs as they come: a line of JSON in, `{"bundle":TEXT}` or `{"log":TEXT}`, a line of JSON out,
// `{"verdict","findings"}`. For tests that ask of thousands: one process instead of one each.
'use strict';
const readline = require('readline');
const verify = require('../../tools/verifier/fairshoe-verify.js');

function judge({ bundle, log }) {
  try {
    const { verdict, findings } = bundle === undefined ? verify.verifyLog(log) : verify.verifyBundle(bundle);
    return { verdict, findings };
  } catch (error) {
    if (!(error instanceof verify.Unusable))
      return { verdict: 'broken', findings: [{ check: 'broken', message: String(error.stack) }] };
    return { verdict: 'unusable', findings: [{ check: 'unusable', message: error.message }] };
  }
}

readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', line => {
  process.stdout.write(`${JSON.stringify(judge(JSON.parse(line)))}\n`);
});

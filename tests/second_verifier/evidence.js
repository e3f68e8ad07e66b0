#!/usr/bin/env node
// Evidence files, in a monitor's form and with faults, judged by both verifiers (spec/audit.md, "Evidence").
// node evidence.js --audit PATH: prints one JSON object; exit code 0 if each gives the expected result.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Scene, rules, pathTo, verify, ORIGIN } = require('./dealer.js');
const { options } = require('./options.js');
const { LOG, signer, leavesOf } = require('./signed.js');
const { base64, treeRoot, utf8 } = verify;

const quick = rules('joy', { reveal_time_ms: 60000, round_time_ms: 60000 });
const scene = new Scene().startDealer();
['alice', 'bob', 'carol'].forEach(player => scene.player(player, 1000));
const { log } = scene.open('joy', quick).round('joy', { alice: ['1', 10] }).round('joy', { bob: ['1', 20] })
  .round('joy', { alice: ['1', 30] });
const leaves = leavesOf(log);
const checkpoint = (size, root = treeRoot(leaves.slice(0, size)), by = LOG) =>
  by.note(`${ORIGIN}\n${size}\n${base64(root)}\n`);
const statement = (by, size = 3) =>
  LOG.note(verify.statementText({ origin: ORIGIN, size, root: base64(leaves[0]), new_key: 'ab'.repeat(32) }, by));
const notes = (...list) => list.map(note => ({ from: 'a', time: 1, note }));
const file = more => ({
  fairshoe_evidence: 1,
  vkey: LOG.vkey,
  key_trusted: true,
  time: 1700000000,
  finding: { check: 'fork', message: 'found' },
  addresses: ['a'],
  notes: [],
  ...more,
});

/**
 * The hashes of a prefix proof: a consistency proof (RFC 9162, 2.1.4.1) that always begins with the node that ends the
 * older tree.
 */
function prefix(m, all) {
  const n = all.length;
  if (m === n) return [treeRoot(all)];
  let k = 1;
  while (2 * k < n) k *= 2;
  return m <= k
    ? [...prefix(m, all.slice(0, k)), treeRoot(all.slice(k))]
    : [...prefix(m - k, all.slice(k)), treeRoot(all.slice(0, k))];
}
const prefixOf = (m, n) => ({ size: m, of: n, hashes: prefix(m, leaves.slice(0, n)).map(base64) });
const entryOf = (index, text, tree) => ({
  index,
  entry: Buffer.from(text).toString('base64'),
  of: tree.length,
  hashes: pathTo(index, tree).map(base64),
});
const LONG = 'a'.repeat(65536), tooLong = [...leaves.slice(0, 5), verify.leafHash(utf8(LONG))];
const other = treeRoot(leaves.slice(1, 9)), spoilt = [...leaves.slice(0, 5), verify.leafHash(utf8('no entry'))];

const CASES = [
  ['two roots of one size', file({ notes: notes(checkpoint(8), checkpoint(8, other)) }), 'proven'],
  ['one root twice', file({ notes: notes(checkpoint(8), checkpoint(8)) }), 'not_proven'],
  [
    'the second under another key',
    file({ notes: notes(checkpoint(8), checkpoint(8, other, signer(ORIGIN, 1, 8))) }),
    'not_proven',
  ],
  ['two statements', file({ notes: notes(statement('house.example/one'), statement('house.example/two')) }), 'proven'],
  [
    'one statement twice',
    file({ notes: notes(statement('house.example/one'), statement('house.example/one')) }),
    'not_proven',
  ],
  ['a statement and a checkpoint', file({ notes: notes(statement('house.example/one'), checkpoint(8)) }), 'not_proven'],
  ...[1, 4, 5, 8, 13].flatMap(m => [
    [
      `a tree that does not begin with the first ${m}`,
      file({ notes: notes(checkpoint(m, other), checkpoint(15)), prefix: prefixOf(m, 15) }),
      'proven',
    ],
    [
      `a tree that begins with the first ${m}`,
      file({ notes: notes(checkpoint(m), checkpoint(15)), prefix: prefixOf(m, 15) }),
      'not_proven',
    ],
    [
      `a prefix of ${m} that leads elsewhere`,
      file({ notes: notes(checkpoint(m, other), checkpoint(15, leaves[0])), prefix: prefixOf(m, 15) }),
      'unusable',
    ],
    [
      `a prefix of ${m} with a hash more`,
      file({
        notes: notes(checkpoint(m, other), checkpoint(15)),
        prefix: { ...prefixOf(m, 15), hashes: [...prefixOf(m, 15).hashes, base64(other)] },
      }),
      'unusable',
    ],
  ]),
  [
    'a prefix of a size that is not signed',
    file({ notes: notes(checkpoint(15)), prefix: prefixOf(5, 15) }),
    'unusable',
  ],
  [
    'a prefix with more entries than the tree',
    file({ notes: notes(checkpoint(8), checkpoint(5)), prefix: { ...prefixOf(5, 8), size: 8, of: 5 } }),
    'unusable',
  ],
  [
    'a prefix that is the whole tree, with a hash',
    file({ notes: notes(checkpoint(5)), prefix: { size: 5, of: 5, hashes: [base64(other)] } }),
    'unusable',
  ],
  [
    'bytes that are no entry',
    file({ notes: notes(checkpoint(6, treeRoot(spoilt))), entry: entryOf(5, 'no entry', spoilt) }),
    'proven',
  ],
  ['an entry', file({ notes: notes(checkpoint(6)), entry: entryOf(5, log[5], leaves.slice(0, 6)) }), 'not_proven'],
  [
    'an entry at another place',
    file({ notes: notes(checkpoint(6)), entry: { ...entryOf(5, log[5], leaves.slice(0, 6)), index: 4 } }),
    'unusable',
  ],
  [
    'an entry that is longer than any',
    file({ notes: notes(checkpoint(6, treeRoot(tooLong))), entry: entryOf(5, LONG, tooLong) }),
    'unusable',
  ],
  ['a field twice', JSON.stringify(file({})).replace('"notes":[]', '"notes":[],"notes":[]'), 'unusable'],
  ['nothing but a word', file({ finding: { check: 'truncated', message: 'found' } }), 'not_proven'],
  ['another version', file({ fairshoe_evidence: 2 }), 'unusable'],
  ['a field that is unknown', file({ more: 1 }), 'unusable'],
  ['a field that is missing', { ...file({}), addresses: undefined }, 'unusable'],
  ['too many notes', file({ notes: notes(...Array(17).fill(checkpoint(8))) }), 'unusable'],
];

function main(given) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'evidence-')),
    name = path.join(folder, 'evidence.json'),
    summary = { cases: 0, wrong: [] };
  try {
    for (const [about, evidence, verdict] of CASES) {
      const text = typeof evidence === 'string' ? evidence : JSON.stringify(evidence);
      fs.writeFileSync(name, text);
      const program = spawnSync(given.audit, ['evidence', name, '--key', LOG.vkey, '--json'], { encoding: 'utf8' }),
        first = program.status === 2 ? 'unusable' : JSON.parse(program.stdout).verdict;
      let second;
      try {
        second = verify.verifyEvidence(utf8(text), LOG.vkey).verdict;
      } catch (error) {
        if (!(error instanceof verify.Unusable)) throw error;
        second = 'unusable';
      }
      summary.cases++;
      if (first !== verdict || second !== verdict)
        summary.wrong.push({
          about,
          verdict,
          fairshoe_audit: first === 'unusable' ? program.stderr : first,
          fairshoe_verify: second,
        });
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log(JSON.stringify(summary, null, 1));
  return summary.wrong.length ? 1 : 0;
}

process.exitCode = main(options());

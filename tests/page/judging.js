// Judges the evidence that the page offers: by the auditor and by the second verifier, offline, with the log's key
// known beforehand.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { AUDIT, root } from './harness.js';

const require = createRequire(import.meta.url);
const VERIFIER = path.join(root, 'tools/verifier/fairshoe-verify.js');

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 60_000 });
  return { status, said: `${stdout}${stderr}`.trim() };
}

/**
 * The verdicts on a file by each program, with the command for such a file. 1: the log is not sound, 0: the file does
 * not prove it, 2: it is no evidence.
 */
export function judge({ file }, vkey) {
  const verdicts = [];
  for (const [program, command, begin] of [
    ...['evidence', 'round', 'receipt'].map(word => [AUDIT, word, []]),
    ...['evidence', 'bundle', 'receipt'].map(word => ['node', word, [VERIFIER]]),
  ]) {
    const { status, said } = run(program, [...begin, command, file, ...(vkey ? ['--key', vkey] : [])]);
    verdicts.push({ program: begin.length > 0 ? 'fairshoe-verify.js' : 'fairshoe-audit', command, status, said });
  }
  return verdicts;
}

/** Each program's result for a file, in a few words. */
const told = verdicts => verdicts.map(one => `${one.command}: ${one.status} ${one.said.slice(-300)}`).join('\n');

/**
 * Evidence of a lie within signed data: both programs say that it is not sound. An unsigned lie (an opening, a text not
 * proven yet) proves nothing against the house: there the file names the finding, and the signed data is sound
 * (spec/page.md, 4.8).
 */
export function assertShown(evidence, check, vkey) {
  const text = fs.readFileSync(evidence.file, 'utf8');
  const parsed = JSON.parse(text);
  if (parsed.fairshoe_follow === 1) {
    const { verdict, findings, story } = require(VERIFIER).verifyFollowed(text, vkey);
    assert.ok(['not_sound', 'sound_so_far'].includes(verdict), story.join('\n'));
    if (verdict === 'not_sound') assert.ok(findings.length > 0);
    else assert.equal(parsed.finding.check, check, 'the file names what failed');
    assertSigned(evidence, parsed.entries, vkey);
    return;
  }
  const verdicts = judge(evidence, vkey);
  for (const program of ['fairshoe-audit', 'fairshoe-verify.js']) {
    const own = verdicts.filter(one => one.program === program);
    assert.ok(own.some(one => one.status === 1), `${program} finds nothing in ${evidence.name}:\n${told(own)}`);
  }
}

/** The log signed each entry of the file, and the player's request was different: a receipt that cannot be denied. */
export function assertSigned(evidence, receipts, vkey) {
  const file = `${evidence.file}.receipts`;
  if (receipts) fs.writeFileSync(file, JSON.stringify({ receipts }));
  const verdicts = judge({ file: receipts ? file : evidence.file }, vkey).filter(one => one.command === 'receipt');
  for (const one of verdicts) assert.equal(one.status, 0, `${one.program} ${told([one])}`);
}

// What becomes of the evidence that the page offers: judged by the auditor and by the second verifier, offline, with
// the log's key that was known beforehand.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { AUDIT, root } from './harness.js';

const VERIFIER = path.join(root, 'tools/verifier/fairshoe-verify.js');

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 60_000 });
  return { status, said: `${stdout}${stderr}`.trim() };
}

/**
 * The verdicts on a file: of each program by the command that reads such a file. 1: the log is not sound, 0: it does
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

/** Both programs read the evidence, and both say that it shows a log that is not sound. */
export function assertNotSound(evidence, vkey) {
  const verdicts = judge(evidence, vkey);
  for (const program of ['fairshoe-audit', 'fairshoe-verify.js']) {
    const own = verdicts.filter(one => one.program === program);
    const told = own.map(one => `${one.command}: ${one.status} ${one.said.slice(-300)}`).join('\n');
    assert.ok(own.some(one => one.status === 1), `${program} finds nothing in ${evidence.name}:\n${told}`);
  }
}

#!/usr/bin/env node
// Lets two verifiers judge the same bundles, unchanged and with one change each, and reports differences.
// node compare.js --audit PATH --vectors DIR [--url SERVICE] [--rounds N] [--cuts N] [--mutations N] [--seed N] [--keep
// DIR]
// Prints one JSON object; exit code 0 if they agree on everything, else 1.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { random, fromVectors, fromService, verify } = require('./bundles.js');
const { mutate } = require('./mutate.js');
const { options } = require('./options.js');

const given = options();
const number = (name, fallback) => (given[name] === undefined ? fallback : Number(given[name]));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'second-verifier-'));
const file = path.join(folder, 'bundle.json');

/** The result of a round: its phase, and each player's stakes and returns. */
const becameOf = ({ round: { id, shoe_no: shoe, rules, phase, players } }) =>
  JSON.stringify([
    id, shoe, rules, phase, players.map(({ player, staked, returned }) => [player, staked, returned])]);

/**
 * The verdict and first finding of each. Unreadable and unsound inputs both count as refused; if both judge and refuse,
 * they must name the same entry. If neither refuses, their results must be equal.
 */
function judge(bytes) {
  fs.writeFileSync(file, bytes);
  const program = spawnSync(given.audit, ['round', file, '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (![0, 1, 2].includes(program.status))
    throw new Error(`${given.audit} ended with ${program.status}: ${program.stderr}`);
  const first =
    program.status === 2
      ? { verdict: 'unusable', findings: [{ check: 'unusable', message: program.stderr.trim() }] }
      : JSON.parse(program.stdout);
  let second;
  try {
    second = verify.verifyBundleBytes(new Uint8Array(bytes));
  } catch (error) {
    if (!(error instanceof verify.Unusable)) throw error;
    second = { verdict: 'unusable', findings: [{ check: 'unusable', message: error.message }] };
  }
  const refused = ({ verdict }) => (verdict === 'unusable' ? 'not_sound' : verdict);
  const entryOf = ({ findings: [finding] }) => (finding && finding.entry !== undefined ? finding.entry : null);
  const both = ![first, second].some(({ verdict }) => verdict === 'unusable'),
    agree =
      refused(first) === refused(second) &&
      (!both || entryOf(first) === entryOf(second)) &&
      (refused(first) === 'not_sound' || becameOf(first) === becameOf(second));
  return { first, second, agree, verdict: refused(first) };
}

async function main() {
  const rng = random(number('seed', 1)), bundles = fromVectors(given.vectors, number('cuts', 3), rng);
  if (given.url) bundles.push(...await fromService(given.url, number('rounds', 60)));
  const summary = {
    bundles: bundles.length,
    voided: bundles.filter(({ voided }) => voided).length,
    games: [...new Set(bundles.map(({ game }) => game).filter(name => name))].sort(),
    verdicts: {}, mutations: number('mutations', 100), mutated: {}, same_check: 0, kinds: {}, disagreements: [] };
  const tell = (what, { first, second }, bytes) => {
    if (given.keep) fs.writeFileSync(path.join(given.keep, `${summary.disagreements.length}.json`), bytes);
    const [a, b] = [first, second].map(({ verdict, findings, round }) => ({
      verdict, finding: findings[0] || null, round: round || null }));
    summary.disagreements.push({ what, fairshoe_audit: a, fairshoe_verify: b });
  };
  for (const { name, text } of bundles) {
    const bytes = Buffer.from(text), result = judge(bytes);
    summary.verdicts[result.verdict] = (summary.verdicts[result.verdict] || 0) + 1;
    if (!result.agree || result.verdict === 'not_sound') tell(name, result, bytes);
  }
  for (let i = 0; i < summary.mutations; i++) {
    const { name, text } = bundles[rng(bundles.length)],
      { kind, what, bytes } = mutate(text, rng),
      result = judge(bytes);
    summary.kinds[kind] = (summary.kinds[kind] || 0) + 1;
    summary.mutated[result.verdict] = (summary.mutated[result.verdict] || 0) + 1;
    if (
      result.verdict === 'not_sound' &&
      result.agree &&
      result.first.findings[0].check === (result.second.findings[0] || {}).check
    )
      summary.same_check++;
    if (!result.agree) tell(`${name}: ${kind}: ${what}`, result, bytes);
  }
  console.log(JSON.stringify(summary, null, 2));
  return summary.disagreements.length ? 1 : 0;
}

main().then(code => { process.exitCode = code; }).finally(() => fs.rmSync(folder, { recursive: true }));

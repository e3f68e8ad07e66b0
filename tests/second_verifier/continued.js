#!/usr/bin/env node
// Random pairs of logs, an old one of spec/vectors, cut off at any place, and one that goes on from it under a new name
// (spec/recovery.md, "Under a new name"): honest ones, and ones with one lie each, told before the new log is signed.
// node continued.js --audit PATH [--pairs N] [--seed N] [--keep DIR]: lets fairshoe-audit and fairshoe-verify judge
// them, and prints one JSON object; exit code 0 if they agree on everything, else 1.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { random } = require('./bundles.js');
const { NEW, LIES, CLAIMS, books, claimOf, followed, liedClaim, logKey, newLog, originOf, signed } =
  require('./continued_logs.js');
const { verify, T0 } = require('./dealer.js');
const { options } = require('./options.js');
const { writeMirror, endOf } = require('./signed.js');
const { utf8 } = verify;

/** The first finding of fairshoe-verify: `[check, entry]`, `[null, null]` if sound, `unusable`. */
function second({ log, note, key }, old) {
  try {
    const against = {
      key,
      checkpoint: utf8(note),
      continues: { ...verify.logOfText(old.log.join('\n')), note: utf8(old.note) },
    };
    const [found] = verify.verifyLog(log.join('\n'), against).findings;
    return found ? [found.check, found.entry === undefined ? null : found.entry, found.message] : [null, null];
  } catch (error) {
    if (!(error instanceof verify.Unusable)) throw error;
    return ['unusable', null, error.message];
  }
}

/** The first finding of fairshoe-audit on mirrors. */
function first(audit, folder, made, old) {
  fs.rmSync(folder, { recursive: true, force: true });
  [
    [made, 'new'],
    [old, 'old'],
  ].forEach(([{ log, note, key }, name]) => writeMirror(path.join(folder, name), log, note, key));
  const program = spawnSync(
    audit,
    ['log', path.join(folder, 'new'), '--key', made.key, '--continues', path.join(folder, 'old'), '--json'],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (program.status === 2) return ['unusable', null, program.stderr];
  const { first_failure: found } = JSON.parse(program.stdout);
  return found ? [found.check, found.entry === undefined ? null : found.entry, found.message] : [null, null];
}

/** The log, or in one of three cases the log that ended there: for the new one, or in a third of these for another. */
function atItsEnd(log, rng) {
  if (rng(3) || log[log.length - 1].includes('"log_ended"')) return log;
  const house = followed(log);
  if (house.whatIsInPlay() || [...house.tables.values()].some(({ recovering }) => recovering)) return log;
  const end = [[], [], [], [], ['house.example/other'], [NEW, logKey(NEW, 8).key]][rng(6)];
  return [...log, endOf(log, ...end)];
}

/** Whether a log has ended for another than the new one. */
function endedForAnother(log) {
  const { end_log: end } = JSON.parse(log[log.length - 1]).command;
  return !!end && (end.origin !== NEW || end.key !== logKey(NEW).key);
}

/** A pair: its description, the new log, the old one. */
function pair(all, rng) {
  const [name, whole] = all[rng(all.length)],
    log = atItsEnd(whole.slice(0, 1 + rng(whole.length)), rng),
    origin = originOf(log),
    old = signed(log, origin);
  const commands = followed(log).carriedOver(T0),
    pick = list => list[rng(list.length)],
    made = (entries, what) => ({ what: `${name} at ${log.length}: ${what}`, made: signed(entries, NEW), old });
  const kind = rng(10);
  if (kind < 3) return made(newLog(commands, claimOf(log)), 'honest');
  if (kind < 8) {
    const lie = pick(Object.keys(LIES)), told = commands.length ? LIES[lie](commands, pick) : null;
    return told ? made(newLog(told, claimOf(log)), lie) : made(newLog(commands, claimOf(log)), 'honest');
  }
  if (kind < 9) {
    const lie = pick(Object.keys(CLAIMS));
    return log.length > 1 ? made(liedClaim(log, lie, commands), lie) : made(newLog(commands, claimOf(log)), 'honest');
  }
  const entries = newLog(commands, claimOf(log)), other = rng(5);
  if (other === 0) return { ...made(entries, 'a longer old log'), old: signed(whole, origin) };
  if (other === 1)
    return { ...made(entries, 'a shorter old log'), old: signed(log.slice(0, Math.max(1, log.length - 1)), origin) };
  if (other === 2) return made(newLog(commands, null), 'no claim');
  if (other === 3) return made(entries.slice(0, 1 + rng(entries.length)), 'the new log breaks off');
  const spoilt = log.slice(), at = rng(log.length);
  spoilt[at] = spoilt[at].replace(/"time":(\d+)/, (_, time) => `"time":${Number(time) + 1 + rng(100000)}`);
  return {
    ...made(newLog(commands, claimOf(spoilt)), `an old log with another time in entry ${at}`),
    old: signed(spoilt, origin),
  };
}

function campaign(given) {
  const rng = random(Number(given.seed || 1)),
    all = books(),
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'continued-'));
  const summary = { pairs: 0, honest: 0, open: 0, found: {}, disagreements: [] };
  try {
    for (let n = 0; n < Number(given.pairs || 100); n++) {
      const { what, made, old } = pair(all, rng),
        [one, other] = [first(given.audit, folder, made, old), second(made, old)];
      summary.pairs++;
      if (what.endsWith(': honest')) summary.honest++;
      const house = what.endsWith(': honest') ? followed(old.log) : null;
      if (house && [...house.tables.values()].some(({ live, window }) => live || window)) summary.open++;
      summary.found[one[0]] = (summary.found[one[0]] || 0) + 1;
      const accused = what.endsWith(': honest') && (one[0] === null) === endedForAnother(old.log);
      if (one[0] !== other[0] || one[1] !== other[1] || accused) {
        if (given.keep)
          fs.cpSync(folder, path.join(given.keep, String(summary.disagreements.length)), { recursive: true });
        summary.disagreements.push({ n, what, fairshoe_audit: one, fairshoe_verify: other });
      }
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log(JSON.stringify(summary, null, 1));
  return summary.disagreements.length ? 1 : 0;
}

process.exitCode = campaign(options());

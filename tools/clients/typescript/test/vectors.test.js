// The vectors of the specification, through the built package.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairshoe, fake, problem, vectors } from './harness.js';

const { Client, commitmentTo, freshSeed, verifier } = fairshoe;

test('commitments to seeds, of rounds that were played', () => {
  let checked = 0;
  for (const { context, rounds } of vectors('fairness-rounds').sessions)
    for (const { round_no: roundNo, contributors = [] } of rounds)
      for (const { player, seed, commitment } of contributors) {
        assert.equal(commitmentTo(seed, { ...context, roundNo, player }), commitment);
        checked += 1;
      }
  assert.ok(checked > 10, `${checked} commitments`);
});

test('commitments that a seed opens, and that it does not', () => {
  const cases = vectors('fairness-refusals').client_commitments;
  for (const { context, round_no: roundNo, player, seed, commitment, opens } of cases) {
    let made = null;
    try {
      made = commitmentTo(seed, { ...context, roundNo, player });
    } catch (error) {
      assert.ok(error instanceof fairshoe.InvalidInput, String(error));
    }
    assert.equal(made === commitment, opens);
  }
  assert.ok(cases.some(({ opens }) => opens) && cases.some(({ opens }) => !opens));
});

test('fresh seeds are 32 bytes, and no two alike', () => {
  const seeds = new Set(Array.from({ length: 1000 }, freshSeed));
  assert.equal(seeds.size, 1000);
  for (const seed of seeds) assert.match(seed, /^[0-9a-f]{64}$/);
});

test('bundles with their verdicts', async () => {
  const { cases } = vectors('bundles');
  const client = new Client({ addresses: 'http://127.0.0.1:9' });
  let sound = 0,
    unsound = 0;
  for (const { about, bundle, verdict } of cases) {
    const [, key] = /"vkey":"([^"]*)"/.exec(bundle) ?? [];
    const wanted = typeof verdict === 'string' ? verdict : verdict.verdict;
    let report;
    try {
      report = await client.verifyBundleText(bundle, key);
    } catch (error) {
      assert.ok(error instanceof fairshoe.BadReply, `${about}: ${error}`);
      assert.ok(wanted === 'not_sound' && about.startsWith('bundle_form'), about);
      continue;
    }
    assert.equal(report.verdict, wanted, about);
    if (report.verdict === 'not_sound') {
      unsound += 1;
      assert.ok(report.findings[0].check, about);
    } else sound += 1;
    assert.equal(report.bundle, bundle);
  }
  assert.ok(sound > 30 && unsound > 10, `${sound} sound, ${unsound} not`);
});

test('a bundle under another key than the one known is not sound', async () => {
  const { bundle } = vectors('bundles').cases.find(({ verdict }) => (verdict.verdict ?? verdict) === 'sound');
  const other = vectors('log-notes').log_key;
  const client = new Client({ addresses: 'http://127.0.0.1:9', logKey: other });
  const report = await client.verifyBundleText(bundle);
  assert.deepEqual([report.verdict, report.findings[0].check], ['not_sound', 'key']);
});

test('receipts, whole and with each line spoilt', () => {
  const utf8 = text => new TextEncoder().encode(text);
  let held = 0,
    refused = 0;
  for (const { receipt, entry_hex: hex, policy } of vectors('log-receipts').receipts) {
    const entry = Uint8Array.from(Buffer.from(hex, 'hex'));
    const verdictOf = (text, bytes = entry) => verifier.verifyReceipts(utf8(text), bytes, utf8(policy), null).verdict;
    assert.equal(verdictOf(receipt), 'sound');
    assert.equal(verdictOf(receipt, Uint8Array.of(...entry, 0)), 'not_sound');
    assert.equal(verdictOf(receipt.replace(/index (\d+)/, (_, index) => `index ${Number(index) + 1}`)), 'not_sound');
    held += 1;
    refused += 2;
  }
  assert.ok(held > 3 && refused > 6, `${held} receipts`);
});

test('a house note is handed on where its key signed it, and nothing else is', async () => {
  const { log_key: logKey, notes, refused } = vectors('log-notes');
  const heard = [];
  const ask = async note => {
    const server = await fake(() => problem(409, 'deadline_passed', { refused: note }));
    const client = new Client({
      addresses: server.url,
      logKey,
      onNote: one => heard.push(one.note),
      retry: { attempts: 1 },
    });
    await assert.rejects(client.listTables(), error => error.refused === note);
    await server.close();
  };
  const good = notes.map(({ note }) => note).filter(note => note.startsWith('fairshoe refused/v1\n'));
  assert.ok(good.length > 0);
  for (const note of good) await ask(note);
  assert.deepEqual(heard, good);
  for (const { note } of refused) await ask(note);
  assert.deepEqual(heard, good, 'none that is no evidence');
});

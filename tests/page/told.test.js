// The second verifier's stories of rounds: for every bundle of spec/vectors, in both languages, each sentence is filled
// in, sums equal the log's, a void is called void, and a changed file is reported before any hash.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const at = name => new URL(`../../${name}`, import.meta.url);
const fairshoe = createRequire(import.meta.url)('../../tools/verifier/fairshoe-verify.js');
const { cases } = JSON.parse(fs.readFileSync(at('spec/vectors/bundles.json'), 'utf8'));
const bundles = cases.flatMap(({ about, bundle }) => {
  try { return [{ about, bundle, report: fairshoe.verifyBundle(bundle) }]; } catch { return []; }
});
const languages = ['en', 'ja'];

/** Every text in a story. */
function texts(value) {
  if (typeof value === 'string') return [value];
  return value && typeof value === 'object' ? Object.values(value).flatMap(texts) : [];
}

test('every sentence of every bundle is whole, in both languages', () => {
  let told = 0;
  for (const { about, bundle, report } of bundles) {
    for (const language of languages) {
      const words = [fairshoe.verdictInWords(report, language).text];
      if (report.round?.phase) {
        const view = fairshoe.viewAtEnd(bundle, report);
        for (const me of [null, report.round.players[0].player])
          words.push(...texts(fairshoe.roundInWords(report, view, { me, language })));
        if (view) words.push(...fairshoe.handsInWords(view, { language, hand: report.hand }).map(hand => hand.name));
        told += 1;
      }
      for (const text of words) assert.doesNotMatch(text, /\{[a-z]+\}|undefined|NaN|\[object/, `${about}: ${text}`);
    }
  }
  assert.ok(told > 60, `${told} told`);
});

test('a sentence about the reader says "You" as one does', () => {
  let told = 0;
  for (const { about, bundle, report } of bundles) {
    if (!report.round?.phase) continue;
    const view = fairshoe.viewAtEnd(bundle, report);
    for (const { player } of report.round.players) {
      const own = texts(fairshoe.roundInWords(report, view, { me: player })).filter(text => /\bYou\b/.test(text));
      for (const text of own) assert.doesNotMatch(text, /You (was|is|has|does)\b|You .*\b(they|them|theirs?)\b/, about);
      told += own.length;
    }
  }
  assert.ok(told > 100, `${told} sentences`);
  // The vectors hold no round with each of them.
  const words = fs.readFileSync(at('tools/verifier/parts/told-words.js'), 'utf8');
  assert.doesNotMatch(words, /\{who\} (was|is|has|does)\b|by_\w+: '[^']*\b(they|their|them)\b/);
});

test('who won what is what the log paid, and the title says it', () => {
  let settled = 0;
  for (const { about, bundle, report } of bundles) {
    if (report.round?.phase !== 'settled') continue;
    settled += 1;
    const told = fairshoe.roundInWords(report, fairshoe.viewAtEnd(bundle, report));
    for (const { player, staked, returned, net, gain } of told.players) {
      const paid = report.round.players.find(one => one.player === player);
      assert.deepEqual([staked, returned, net], [paid.staked, paid.returned, paid.returned - paid.staked], about);
      assert.equal(gain, net > 0 ? 'won' : net < 0 ? 'lost' : 'level', about);
    }
    const [first] = report.round.players;
    const own = fairshoe.roundInWords(report, null, { me: first.player });
    assert.match(own.title, /^You (won|lost|came out even)/, about);
  }
  assert.ok(settled > 10, `${settled} settled`);
});

test('a void is called void, with its cause and who was ahead', () => {
  let voided = 0;
  for (const { about, report } of bundles) {
    if (report.round?.phase !== 'voided') continue;
    voided += 1;
    const { title, voided: how } = fairshoe.roundInWords(report);
    assert.equal(title, 'This round is void.', about);
    assert.ok(how.lines.length === 3 && how.lines[0].includes('came back'), about);
    assert.doesNotMatch(fairshoe.verdictInWords(report).text, /dealt and paid/, about);
  }
  assert.ok(voided >= 5, `${voided} void`);
});

test('what was changed after it was signed is said to be so', () => {
  const { bundle } = cases.find(({ about }) => about === 'joy, settled');
  const changed = bundle.replace(/\\"returned\\":(\d+)/, (all, sum) => `\\"returned\\":${Number(sum) + 1}`);
  assert.notEqual(changed, bundle);
  const words = fairshoe.verdictInWords(fairshoe.verifyBundle(changed));
  assert.equal(words.verdict, 'not_sound');
  assert.match(words.text, /^This file was changed after it was signed\./);
  assert.match(words.technical, /\[inclusion\]$/);
  // A lie signed by the log's key is not reported as a change of the file.
  const lie = bundles.find(({ about }) => about.startsWith('payout:'));
  assert.match(fairshoe.verdictInWords(lie.report).text, /^Money did not go where the rules send it\./);
});

test('one ace has no total', () => {
  const dealer = { cards: [{ card: 'As' }, { card: null }], total: 11, soft: true };
  const hands = fairshoe.handsInWords({ game: { kind: 'blackjack', dealer, boxes: [] } });
  assert.equal(hands[0].worth, '1/11');
});

test('what holds by a key that nobody named is not called sound', () => {
  const { bundle, report: { key } } = bundles.find(({ about }) => about === 'joy, settled');
  for (const language of languages) {
    const [unnamed, named] = [null, key].map(one => fairshoe.verifyBundle(bundle, one));
    const [words, sound] = [unnamed, named].map(report => fairshoe.verdictInWords(report, language));
    assert.notEqual(words.title, sound.title);
    assert.ok(words.onTrust.includes(key) && sound.onTrust === null);
    const [last, ofNamed] = [unnamed, named].map(({ story }) => story.at(-1));
    assert.ok(last.endsWith('taken on trust: you named none.') && !/on trust/.test(ofNamed), last);
  }
  const words = fairshoe.verdictInWords(fairshoe.verifyBundle(bundle, 'example.com/another+00000000+AY'));
  assert.match(words.text, /^This file is of another log than the one whose key you gave\./);
});

test('a story is told by round: the asked one apart from what else its shoe saw', () => {
  let others = 0;
  for (const { about, report } of bundles) {
    if (!report.round?.phase || report.verdict === 'not_sound') continue;
    const parts = fairshoe.storyByRound(report), number = Number(report.round.id.split(':')[1]);
    assert.equal(parts.reduce((all, { count }) => all + count, 0), report.entries.length, about);
    assert.ok(parts.some(({ asked, round }) => asked && round === number), about);
    assert.ok(parts.every(({ asked, round }) => round === null || asked === (round === number)), about);
    others += parts.filter(({ asked }) => !asked).length;
    const lines = [...parts.flatMap(part => part.lines), ...fairshoe.storyOutsideEntries(report)];
    assert.deepEqual([...lines].sort(), [...report.story].sort(), about);
  }
  assert.ok(others > 0);
});

test('a hand of poker in play has staked its posts, bets and calls', () => {
  const { fromVectors } = createRequire(import.meta.url)('../second_verifier/bundles.js');
  // Cut off at the same places each time.
  let next = 0;
  const hands = fromVectors(at('spec/vectors').pathname, 2, most => next++ % most);
  let open = 0;
  for (const { name, text } of hands) {
    if (!text.includes('hand_begun')) continue;
    const report = fairshoe.verifyBundle(text), { phase, players, id } = report.round;
    if (!['awaiting_reveals', 'open'].includes(phase)) continue;
    open += 1;
    const staked = new Map();
    let isOn = false;
    for (const { entry } of report.entries) {
      for (const { hand_begun: begun, play } of entry.events) {
        if (begun) isOn = id.endsWith(`:${begun.round_no}`);
        if (begun && isOn)
          for (const { due, player, stack } of begun.hand.seats)
            staked.set(player, Math.min(stack, due.ante + due.dead + due.live));
        if (isOn && play?.acted) staked.set(play.acted.player, staked.get(play.acted.player) + play.acted.cost);
      }
    }
    for (const one of players) assert.equal(one.staked, staked.get(one.player), `${name}: ${one.player}`);
    const told = fairshoe.roundInWords(report).players.map(({ lines }) => lines.at(-1));
    assert.ok(told.every(line => line.endsWith(' so far.')), told.join(' '));
  }
  assert.ok(open > 20, `${open} hands in play`);
});

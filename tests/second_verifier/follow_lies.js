// The follower over the logs of spec/vectors, unchanged and with one change each: its result equals the whole bundle's
// verdict, for every starting point. Own cards, and what another person would have to show instead.
//
//   node tests/second_verifier/follow_lies.js [CHANGES [SEED [PERCENT of the honest bundles]]]
'use strict';
const assert = require('assert');
const crypto = require('crypto');
const path = require('path');
const { random, fromVectors, verify } = require('./bundles.js');
const { mutate } = require('./mutate.js');

const [changes = '400', seed = '1', share = '100'] = process.argv.slice(2);
const rng = random(Number(seed)), folder = path.join(__dirname, '..', '..', 'spec', 'vectors');
const counts = {
  bundles: 0, entries: 0, renewed: 0, steps: 0, changes: 0, refused: 0, same: 0, sameEntry: 0, evidence: 0, own: 0,
  ownLies: 0, extended: 0, unseenStarts: 0,
};
const faults = [];
const fault = text => { faults.push(text); if (faults.length <= 20) console.error(text); };

const parsed = text => { try { return JSON.parse(text); } catch (error) { return {}; } };
const eventsOf = text => { const { events } = parsed(text); return Array.isArray(events) ? events : []; };

/**
 * The openings of the faces in each entry: the bundle's own for shoes without a published seed in it, and for others
 * those that the service would have given, made with the log's secret. Unused openings of the bundle go with the last
 * entry.
 */
function openingsByEntry({ context, entries, openings, vkey }, table, master) {
  const left = openings.slice(), by = entries.map(() => []), origin = vkey.split('+')[0];
  const shoes = new Map(), over = new Set();
  let epoch = null, newest = null, piles = [];
  for (const { entry } of entries)
    for (const event of eventsOf(entry))
      for (const e of [event.shoe_revealed, event.shoe_sealed]) if (e) over.add(e.shoe_no);
  /** In a changed text the slot, or the shoe's data, may be invalid: then there is nothing to open. */
  const openingOf = (no, slot) => {
    try { return openingIn(no, slot); } catch (error) {
      if (error instanceof TypeError) return [];
      throw error;
    }
  };
  const openingIn = (no, slot) => {
    const shoe = shoes.get(no);
    if (!shoe.openingOf) {
      const tctx = verify.tableContext(origin, table, shoe.epoch);
      const seed = verify.hmac(
        verify.unhex(master, 32),
        verify.concat(verify.label('server-seed'), tctx, verify.u64(no), Uint8Array.of(shoe.pick || 0)),
      );
      // A changed text may be no composition: then there is nothing to open.
      const composition = verify.readComposition(shoe.composition);
      shoe.openingOf = composition ? verify.openingsOfShoe(verify.deriveShoe(seed, composition)) : () => null;
    }
    const opening = shoe.openingOf(slot);
    return opening ? [{ ...opening, shoe_no: no }] : [];
  };
  const places = new Map(entries.map((item, i) => [item, i]));
  for (const item of [...context, ...entries].sort((x, y) => x.index - y.index)) {
    const { command = {} } = parsed(item.entry), at = places.get(item);
    if (command.start_dealer) ({ epoch } = command.start_dealer);
    for (const event of eventsOf(item.entry)) {
      const name = verify.eventName(event), e = verify.eventFields(event), last = piles[piles.length - 1];
      if (name === 'shoe_committed') {
        shoes.set(e.shoe_no, { composition: e.composition, epoch });
        newest = e.shoe_no;
      } else if (name === 'round_opened' && shoes.has(piles[0])) shoes.get(piles[0]).pick = e.pick;
      else if (name === 'bets_closed' || name === 'hand_begun') piles = [e.shoe_no];
      else if (name === 'pile_shuffled') piles.push(newest);
      const face = e && (name === 'spun' ? e.value : ['dealt', 'turned'].includes(name) ? e.card : undefined);
      if (face === undefined || at === undefined) continue;
      const no = name === 'turned' && e.pile !== undefined ? piles[e.pile] : last;
      if (over.has(no) && shoes.has(no)) { by[at].push(...openingOf(no, e.slot)); continue; }
      const shows = ({ slot, value }) => slot === e.slot && [value, verify.cardOf(value)].includes(face);
      const own = left.findIndex(one => one && shows(one));
      if (own >= 0) by[at].push(...left.splice(own, 1));
    }
  }
  by[by.length - 1].push(...left);
  return by;
}

/** Follows a bundle cut after `count` entries; returns the error that ends it, or null, and the follower. */
function follow(bundle, count, way, master) {
  const { context, entries, checkpoint } = bundle, by = openingsByEntry(bundle, bundle.round.split(':')[0], master);
  /** The bundle after so many entries. */
  const until = most => {
    const over = new Set(entries.slice(0, most).flatMap(({ entry }) =>
      eventsOf(entry).map(event => (event.shoe_revealed || event.shoe_sealed || {}).shoe_no)));
    return JSON.stringify({
      ...bundle,
      context: context.filter(({ index }) => index <= entries[most - 1].index),
      entries: entries.slice(0, most),
      openings: by
        .slice(0, most)
        .flat()
        .filter(({ shoe_no: no }) => no === undefined || !over.has(no))
        .map(({ shoe_no, ...opening }) => opening),
    });
  };
  const follower = new verify.Follower(until(count));
  if (follower.failure) return { error: follower.failure, follower };
  try {
    entries.slice(count).forEach((item, i) => {
      const openings = by[count + i], { seq } = parsed(item.entry).at || {};
      const take = () => {
        if (way === 'pending') follower.takePending(item.index, item.entry, openings);
        return follower.take([{ ...item, ...(seq === undefined ? {} : { seq }), openings }], checkpoint);
      };
      let change = take();
      if (!change.needs) { counts.entries++; return; }
      counts.renewed++;
      change = follower.renew(until(count + i + 1));
    });
  } catch (error) {
    if (!(error instanceof verify.Unsound)) throw error;
    return { error, follower };
  }
  return { error: null, follower };
}

const bundles = fromVectors(folder, 1, rng);
/** Some items of a list, or all if requested. */
const some = list => list.filter(() => Number(share) >= 100 || rng(100) < Number(share));

/** Honest bundles end with the whole bundle's verdict, from any starting point. */
function honest() {
  for (const { name, text, master } of some(bundles)) {
    const bundle = JSON.parse(text), report = verify.verifyBundle(text), { length } = bundle.entries;
    counts.bundles++;
    for (const way of ['proven', 'pending']) {
      const { error, follower } = follow(bundle, 1 + rng(length), way, master);
      if (error) { fault(`${name}: ${error.check} at ${error.entry}: ${error.message}`); continue; }
      const own = follower.verdict();
      const isSameRound = own.round && own.round.id === bundle.round;
      if (own.verdict !== report.verdict && isSameRound) fault(`${name}: ${report.verdict}, ${own.verdict}`);
      const judged = verify.verifyFollowed(follower.evidence().text);
      if (judged.verdict === 'not_sound') fault(`${name}: its evidence is ${JSON.stringify(judged.findings)}`);
      for (const { state, opening, root } of follower.faces())
        if (state !== 'proven' || !opening || !root) fault(`${name}: a face is ${state}`);
    }
    const replay = verify.replayOf(text);
    const view = replay.steps.map(step => step.view).filter(seen => seen).pop();
    counts.steps += replay.steps.length;
    const staked = list => JSON.stringify(list.map(({ player, staked: a, returned: b }) => [player, a, b]).sort());
    const isOver = ['settled', 'voided'].includes(replay.round.phase);
    if (!view || view.id !== bundle.round || (isOver && staked(view.contributors) !== staked(replay.round.players)))
      fault(`${name}: the replay ends otherwise than the round`);
    for (const { faces } of replay.steps)
      for (const { state } of faces) if (state !== 'proven') fault(`${name}: a replayed face is ${state}`);
  }
}

/** Faults of the file, not of its content; a repeated opening is not a fault for a follower. */
const UNSEEN = ['bundle_form', 'bundle_round', 'key'];

/** One change: the follower refuses it exactly where the whole bundle fails. */
function changed() {
  for (let i = 0; i < Number(changes); i++) {
    const { name, text, master } = bundles[rng(bundles.length)], { kind, what, bytes } = mutate(text, rng);
    let bundle, report;
    try {
      bundle = JSON.parse(Buffer.from(bytes).toString());
      report = verify.verifyBundleBytes(new Uint8Array(bytes));
    } catch (error) { continue; }
    const [finding] = report.findings;
    const isUnseen = kind === 'repeat_opening' || (finding && UNSEEN.includes(finding.check));
    if (!Array.isArray(bundle.entries) || !bundle.entries.length || isUnseen) continue;
    counts.changes++;
    const title = `${name}: ${kind}: ${what}`;
    let result;
    try {
      result = follow(bundle, 1 + rng(bundle.entries.length), rng(2) ? 'pending' : 'proven', master);
    } catch (error) {
      if (error instanceof verify.Unusable) { counts.refused++; continue; }
      throw error;
    }
    const { follower } = result;
    let { error } = result;
    // A start is no entry of the table: after one without its recovery only the next bundle shows it (page.md, 4.5).
    if (!error && finding && finding.check === 'recovery') {
      counts.unseenStarts++;
      try { follower.renew(JSON.stringify(bundle)); } catch (thrown) {
        if (!(thrown instanceof verify.Unsound)) throw thrown;
        error = thrown;
      }
    }
    // A bundle ends with its shoe, and a follower goes on behind it: there the rules may allow what no bundle holds.
    if (!error && finding?.check === 'bundle_order' && /after the reveal of the shoe/.test(finding.message)) continue;
    if (!error !== !finding) {
      const { check, message } = error || {};
      fault(`${title}: whole ${JSON.stringify(finding)}, followed ${check}: ${message}`);
      continue;
    }
    if (!finding) continue;
    counts.refused++;
    if (finding.check === error.check) counts.same++;
    if (finding.entry === error.entry) counts.sameEntry++;
    const evidence = follower.evidence().text;
    let judged;
    try {
      judged = verify.verifyAnything(verify.utf8(evidence));
    } catch (thrown) {
      fault(`${title}: its evidence cannot be judged: ${thrown.stack}`);
      continue;
    }
    if (judged.verdict === 'not_sound') counts.evidence++;
  }
}

/** A player's own cards equal the deck's; other cards are refused. */
function ownCards() {
  for (const { name, text, master } of bundles.filter(({ name: of }) => /cash|poker/.test(of))) {
    const { follower } = follow(JSON.parse(text), 1, 'proven', master);
    const live = follower.rules.live || follower.rules.ended;
    if (!live || !live.opened || !live.game || !live.game.seats || !live.game.seats[0].cards.length) continue;
    const { origin } = follower.house.start, { shoe, pick } = live;
    const tctx = verify.tableContext(origin, follower.tableName, shoe.epoch);
    const server = verify.hmac(
      verify.unhex(master, 32),
      verify.concat(verify.label('server-seed'), tctx, verify.u64(shoe.no), Uint8Array.of(pick)),
    );
    const openingOf = verify.openingsOfShoe(verify.deriveShoe(server, shoe.composition));
    const cardsOf = ({ cards }) => {
      const openings = cards.map(({ slot }) => openingOf(slot));
      return {
        round: `${follower.tableName}:${live.no}`, shoe_no: shoe.no, candidate: pick,
        cards: openings.map(({ value }) => verify.cardOf(value)), openings,
      };
    };
    const [me, other] = live.game.seats, mine = cardsOf(me);
    const faces = follower.own(mine, me.player);
    assert.strictEqual(faces.length, mine.cards.length);
    assert.deepStrictEqual(faces.map(({ card }) => card), mine.cards);
    counts.own++;
    const lies = [
      cardsOf(other),
      { ...mine, cards: mine.cards.slice().reverse() },
      { ...mine, candidate: 1 - pick },
      { ...mine, openings: mine.openings.map(one => ({ ...one, value: (one.value + 1) % 52 })) },
      { ...mine, openings: mine.openings.map(() => mine.openings[0]), cards: mine.cards.map(() => mine.cards[0]) },
    ];
    for (const lie of lies) {
      const { follower: again } = follow(JSON.parse(text), 1, 'proven', master);
      try {
        again.own(lie, me.player);
        fault(`${name}: own cards that are not: ${JSON.stringify(lie.cards)}`);
      } catch (error) {
        if (!(error instanceof verify.Unsound) || error.check !== 'opening' || error.entry === undefined) throw error;
        counts.ownLies++;
      }
    }
  }
}

/** Any two checkpoints of a log are of one log by its tiles; with another log or another tile they are not. */
function extended() {
  const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519'), origin = 'tiles.example/log';
  const key = Buffer.concat([Buffer.from([1]), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]);
  const id = crypto.createHash('sha256').update(`${origin}\n`).update(key).digest().subarray(0, 4);
  const vkey = `${origin}+${id.toString('hex')}+${key.toString('base64')}`;
  const sign = leaves => {
    const text = `${origin}\n${leaves.length}\n${verify.base64(verify.treeRoot(leaves))}\n`;
    const signature = crypto.sign(null, Buffer.from(text), privateKey);
    return `${text}\n— ${origin} ${Buffer.concat([id, signature]).toString('base64')}\n`;
  };
  const leafOf = (i, salt) => verify.sha256(verify.utf8(`${salt} ${i}`));
  const levelsOf = leaves => {
    const levels = [leaves];
    for (let below = leaves; below.length >= 256; levels.push(below))
      below = Array.from({ length: Math.floor(below.length / 256) }, (_, i) =>
        verify.treeRoot(below.slice(256 * i, 256 * i + 256)));
    return levels;
  };
  const sizes = [1, 2, 3, 255, 256, 257, 511, 512, 513, 767, 1025, ...Array.from({ length: 6 }, () => 1 + rng(1600))];
  const all = Array.from({ length: 1600 }, (_, i) => leafOf(i, 'one'));
  for (const n of sizes) {
    const leaves = all.slice(0, n), newer = sign(leaves), levels = levelsOf(leaves);
    for (const m of [0, ...sizes.filter(size => size <= n)]) {
      const paths = verify.tilesFor(m, n), tiles = {};
      assert(paths.length <= 8, `${paths.length} tiles for ${m} and ${n}`);
      for (const tile of paths) {
        const [, level, number, width = '256'] = /^tile\/(\d+)\/(\d+)(?:\.p\/(\d+))?$/.exec(tile);
        const hashes = levels[level].slice(256 * number, 256 * number + Number(width));
        assert.strictEqual(hashes.length, Number(width), tile);
        tiles[tile] = verify.concat(...hashes);
      }
      verify.extends(sign(leaves.slice(0, m)), newer, tiles, vkey);
      verify.extends(newer, sign(leaves.slice(0, m)), tiles, vkey);
      const cut = paths.length && { ...tiles, [paths[0]]: tiles[paths[0]].slice(0, -1) };
      if (cut) assert.throws(() => verify.extends(sign(leaves.slice(0, m)), newer, cut, vkey), { check: 'tile' });
      counts.extended++;
      if (!m) continue;
      const other = sign([...leaves.slice(0, m - 1), leafOf(m, 'two')]);
      assert.throws(() => verify.extends(other, newer, tiles, vkey), error => {
        const proof = verify.verifyEvidence(verify.utf8(error.evidence), vkey);
        return error.check === 'fork' && proof.verdict === 'proven';
      });
      if (m < n) assert.throws(() => verify.extends(other, newer, {}, vkey), verify.Unusable);
    }
  }
}

honest();
extended();
changed();
ownCards();
if (!counts.own || !counts.refused) fault('nothing was tried');
// Most changed entries are signed: the evidence shows it by itself.
if (counts.refused > 20 && counts.evidence * 2 < counts.refused) fault('the evidence shows little');
console.log(JSON.stringify({ ...counts, faults: faults.length }));
process.exitCode = faults.length ? 1 : 0;

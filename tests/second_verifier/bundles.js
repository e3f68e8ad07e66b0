// Bundles for tests of verifiers, from the logs in spec/vectors, cut off at any place.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const verify = require('../../tools/verifier/fairshoe-verify.js');

/** Numbers below n, the same for the same seed (xorshift32). */
function random(seed) {
  let state = (Math.imul(seed, 2654435761) >>> 0) || 1;
  return n => {
    state ^= state << 13; state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5; state >>>= 0;
    return state % n;
  };
}

const split = list => { let k = 1; while (2 * k < list.length) k *= 2; return [list.slice(0, k), list.slice(k)]; };

/** The sibling hashes from a leaf up, within the tree over `leaves`. */
function pathTo(index, leaves) {
  if (leaves.length === 1) return [];
  const [left, right] = split(leaves);
  return index < left.length
    ? [...pathTo(index, left), verify.treeRoot(right)]
    : [...pathTo(index - left.length, right), verify.treeRoot(left)];
}

const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519');
const keyBytes = Buffer.concat([Buffer.from([1]), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]);

/** Puts a bundle's entries, in the order of their indices, into a forger's log with the forger's key. */
function resign(bundle) {
  const all = [...bundle.context, ...bundle.entries]
    .map((item, at) => ({ item, at }))
    .sort((a, b) => a.item.index - b.item.index || a.at - b.at);
  const leaves = all.map(({ item }) => verify.leafHash(verify.utf8(item.entry)));
  all.forEach(({ item }, index) => Object.assign(item, { index, proof: pathTo(index, leaves).map(verify.base64) }));
  const origin = bundle.vkey.split('+')[0];
  const id = crypto.createHash('sha256').update(`${origin}\n`).update(keyBytes).digest().subarray(0, 4);
  const text = `${origin}\n${leaves.length}\n${verify.base64(verify.treeRoot(leaves))}\n`;
  const signature = crypto.sign(null, Buffer.from(text), privateKey);
  bundle.vkey = `${origin}+${id.toString('hex')}+${keyBytes.toString('base64')}`;
  bundle.checkpoint = `${text}\n— ${origin} ${Buffer.concat([id, signature]).toString('base64')}\n`;
  return bundle;
}

/** The openings of every face in these entries from shoes without a published seed. */
function openingsOf(items, table, origin, master) {
  const shoes = new Map(), picks = new Map(), shown = new Map(), revealed = new Set();
  let epoch = null, newest = null, piles = [];
  const show = (shoe, slot) => shown.set(shoe, (shown.get(shoe) || new Set()).add(slot));
  for (const { json } of items) {
    if (json.command.start_dealer) ({ epoch } = json.command.start_dealer);
    for (const event of json.events) {
      const name = verify.eventName(event), e = verify.eventFields(event);
      if (name === 'shoe_committed') {
        const seed = k =>
          verify.hmac(
            master,
            verify.concat(
              verify.label('server-seed'),
              verify.tableContext(origin, table, epoch),
              verify.u64(e.shoe_no),
              Uint8Array.of(k),
            ),
          );
        shoes.set(
          e.shoe_no,
          e.candidates.map((_, k) => verify.deriveShoe(seed(k), verify.readComposition(e.composition))),
        );
        newest = e.shoe_no;
      } else if (name === 'round_opened') picks.set(piles[0], e.pick);
      else if (name === 'bets_closed' || name === 'hand_begun') piles = [e.shoe_no];
      else if (name === 'pile_shuffled') piles.push(newest);
      else if (name === 'shoe_revealed' || name === 'shoe_sealed') revealed.add(e.shoe_no);
      else if (name === 'dealt' && e.card) show(piles[piles.length - 1], e.slot);
      else if (name === 'turned') show(e.pile === undefined ? piles[piles.length - 1] : piles[e.pile], e.slot);
      else if (name === 'spun') show(piles[0], e.slot);
    }
  }
  return [...shown].filter(([shoe]) => !revealed.has(shoe)).flatMap(([shoe, slots]) => {
    const { faces, salts } = shoes.get(shoe)[picks.get(shoe) || 0];
    const leaves = faces.map((face, i) =>
      verify.leafHash(verify.concat(salts[i], Uint8Array.of(i >> 8, i & 255, face))),
    );
    return [...slots].map(slot => ({
      slot,
      value: faces[slot],
      salt: verify.hex(salts[slot]),
      path: pathTo(slot, leaves).map(verify.hex),
    }));
  });
}

/** For each entry given by a player, the last entry before it that sets or removes their key. */
function keysOf(items, log) {
  const sets = player => ({ json }) => json.events.some(({ key_set: set }) => set && set.player === player);
  return items
    .filter(({ json }) => json.by.startsWith('player:'))
    .map(({ index, json }) =>
      log
        .slice(0, index)
        .filter(sets(json.by.slice(7)))
        .pop(),
    )
    .filter(item => item);
}

/**
 * Bundles of every round of the logs in spec/vectors: whole, and cut off at `cuts` places each, so that rounds and
 * shoes are open.
 */
function fromVectors(folder, cuts, rng) {
  const bundles = [];
  for (const name of fs.readdirSync(folder).filter(file => /^(entries-.*|player-keys)\.json$/.test(file)).sort()) {
    const file = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')), master = verify.unhex(file.master, 32);
    const log = file.entries.map((entry, index) => ({ index, entry, json: JSON.parse(entry) }));
    const starts = log.filter(({ json }) => json.command.start_dealer),
      { origin } = starts[0].json.command.start_dealer;
    for (const opening of log.filter(({ json }) => json.command.open_table)) {
      const { table } = opening.json.command.open_table;
      const mine = log.filter(item => item.json.at && item.json.at.table === table && item !== opening);
      mine.forEach((first, from) => {
        const { commit_shoe: shoe, call_hand: call } = first.json.command,
          [{ shoe_committed: committed } = {}] = first.json.events; // a recovery may find nothing to do
        if (!committed || !(shoe || call)) return;
        const no = committed.shoe_no,
          ends = event => [event.shoe_revealed, event.shoe_sealed].some(e => e && e.shoe_no === no);
        const end = mine.findIndex((item, i) => i >= from && item.json.events.some(ends));
        const history = mine.slice(from, end < 0 ? mine.length : end + 1);
        history.forEach(({ json }, at) =>
          json.events
            .map(event => event.bets_closed || event.hand_begun)
            .filter(Boolean)
            .forEach(({ round_no: round }) => {
              const lengths = new Set([
                history.length,
                ...Array.from({ length: cuts }, () => at + 1 + rng(history.length - at)),
              ]);
              for (const length of lengths) {
                const entries = history.slice(0, length), last = entries[length - 1].index;
                const before = starts.filter(({ index }) => index < first.index).pop();
                const between = starts.filter(({ index }) => index > first.index && index < last);
                const context = [...new Set([opening, before, ...between, ...keysOf([opening, ...entries], log)])].sort(
                  (a, b) => a.index - b.index,
                );
                const openings = openingsOf(
                  [...context, ...entries].sort((a, b) => a.index - b.index),
                  table,
                  origin,
                  master,
                );
                const item = ({ index, entry }) => ({ index, entry, proof: [] });
                const bundle = resign({
                  fairshoe_bundle: 1,
                  round: `${table}:${round}`,
                  vkey: `${origin}+`,
                  checkpoint: '',
                  context: context.map(item),
                  entries: entries.map(item),
                  openings,
                });
                const voided = entries.some(({ json }) => json.events.some(event => event.round_voided));
                bundles.push({
                  name: `${name} ${table}:${round}, ${length} of ${history.length} entries`,
                  voided,
                  master: file.master,
                  text: JSON.stringify(bundle),
                });
              }
            }),
        );
      });
    }
  }
  return bundles;
}

module.exports = { random, resign, fromVectors, openingsOf, keysOf, verify };

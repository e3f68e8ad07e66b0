// Shoes, seeds, shuffles, openings: spec/fairness.md.

const RANKS = 'A23456789TJQK', SUITS = 'cdhs';
const cardOf = code => RANKS[code % 13] + SUITS[Math.floor(code / 13)];
const rankOf = card => card[0];
const suitOf = card => card[1];
const codeOf = card => SUITS.indexOf(card[1]) * 13 + RANKS.indexOf(card[0]);
const isCard = text => typeof text === 'string' && /^[A2-9TJQK][cdhs]$/.test(text);
const isName = text => typeof text === 'string' && /^[a-z0-9_-][a-z0-9._-]{0,63}$/.test(text);
const isOrigin = text => typeof text === 'string' && /^[!-*,-~]{1,255}$/.test(text);
const isHash = text => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);

const label = name => ascii(`fairshoe/v1/${name}\0`);

/**
 * The content of a shoe: `{slots, wheel, codes}`, `wheel` being the number of a wheel's pockets or 0; null unless the
 * text is a composition in its one spelling.
 */
function readComposition(text) {
  if (typeof text !== 'string') return null;
  const packs = /^52x([1-9]|1[0-2])$/.exec(text), wheel = /^wheel(37|216)x([1-9][0-9]{0,3})$/.exec(text);
  if (packs)
    return { text, wheel: 0, slots: 52 * packs[1], codes: Array.from({ length: 52 * packs[1] }, (_, i) => i % 52) };
  if (wheel) return wheel[2] <= 4096 ? { text, wheel: Number(wheel[1]), slots: Number(wheel[2]), codes: null } : null;
  if (!/^cards:(?:[A2-9TJQK][cdhs]){1,624}$/.test(text)) return null;
  const codes = text.slice(6).match(/../g).map(codeOf);
  return codes.every((code, i) => !i || codes[i - 1] <= code)
    ? { text, wheel: 0, slots: codes.length, codes }
    : null;
}

const tableContext = (origin, table, epoch) => concat(lp(ascii(origin)), lp(ascii(table)), unhex(epoch, 32));

const serverCommitment = (tctx, shoeNo, candidate, seed) =>
  hex(sha256(concat(label('seed-commitment'), tctx, u64(shoeNo), Uint8Array.of(candidate), seed)));

const clientCommitment = (tctx, roundNo, player, seed) =>
  hex(sha256(concat(label('client-seed'), tctx, u64(roundNo), lp(ascii(player)), seed)));

/** The shoe of a server seed: faces (codes or pockets), salts and root. */
function deriveShoe(seed, composition) {
  const keyed = name => hmac(seed, concat(label(name), lp(ascii(composition.text))));
  const houseKey = keyed('house-order'), saltKey = keyed('salts');
  const draws = new Stream(houseKey), salts = new Stream(saltKey);
  const faces = composition.wheel
    ? Array.from({ length: composition.slots }, () => below(draws, composition.wheel))
    : shuffle(draws, composition.codes.slice());
  const salt = faces.map(() => salts.bytes(16));
  const root = treeRoot(faces.map((face, i) => leafHash(concat(salt[i], u16(i), Uint8Array.of(face)))));
  return { houseKey, saltKey, faces, salts: salt, root: hex(root), rejected: draws.rejected };
}

/** Whether an opening has its form: exactly the four fields. */
function isOpening(opening) {
  return isObject(opening) && Object.keys(opening).sort().join() === 'path,salt,slot,value' &&
    Number.isInteger(opening.slot) && opening.slot >= 0 && opening.slot <= 65535 && !Object.is(opening.slot, -0) &&
    Number.isInteger(opening.value) && opening.value >= 0 && opening.value <= 255 &&
    unhex(opening.salt, 16) !== null && isList(opening.path) && opening.path.length <= 12 && opening.path.every(isHash);
}

/** Whether an opening leads, in a shoe of `composition`, to `root`. */
function openingHolds(opening, composition, root) {
  if (!isOpening(opening) || opening.slot >= composition.slots || opening.value >= (composition.wheel || 52))
    return false;
  let h = leafHash(concat(unhex(opening.salt, 16), u16(opening.slot), Uint8Array.of(opening.value)));
  let i = opening.slot, w = composition.slots;
  const path = opening.path.map(text => unhex(text, 32));
  while (w > 1) {
    if (i % 2 || i + 1 < w) {
      if (!path.length) return false;
      h = i % 2 ? nodeHash(path.shift(), h) : nodeHash(h, path.shift());
    }
    i = Math.floor(i / 2);
    w = Math.ceil(w / 2);
  }
  return !path.length && hex(h) === root;
}

/** The round's entropy over contributors `[{player, seed}]`, or null if there is none. */
function roundEntropy(tctx, shoeNo, roots, roundNo, contributors) {
  const ascending = contributors.every(({ player }, i) => !i || contributors[i - 1].player < player);
  if (contributors.length < 1 || contributors.length > 65535 || !ascending || roots.length < 1 || roots.length > 2)
    return null;
  return sha256(
    concat(
      label('round'),
      tctx,
      u64(shoeNo),
      Uint8Array.of(roots.length),
      ...roots.map(root => unhex(root, 32)),
      u64(roundNo),
      u16(contributors.length),
      ...contributors.flatMap(({ player, seed }) => [lp(ascii(player)), unhex(seed, 32)]),
    ),
  );
}

/** The public shuffle: the candidate that is dealt, and the order of the undrawn slots. */
function publicShuffle(entropy, candidates, undrawn) {
  const stream = new Stream(entropy);
  const pick = candidates > 1 ? below(stream, candidates) : 0;
  return { pick, order: shuffle(stream, undrawn.slice().sort((a, b) => a - b)) };
}

/** The offset by which the players' entropy moves the value of a wheel with so many pockets. */
const wheelOffset = (entropy, pockets) => below(new Stream(entropy), pockets);

/** The slot of draw `t` of a lane, or -1: none is left. `undrawn` is a Set. */
function laneSlot(order, lanes, lane, t, undrawn) {
  const at = t * lanes + lane;
  if (at < order.length && undrawn.has(order[at])) return order[at];
  for (let i = order.length - 1; i >= 0; i--) if (undrawn.has(order[i])) return order[i];
  return -1;
}

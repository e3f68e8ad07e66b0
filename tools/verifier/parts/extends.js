// Whether one checkpoint goes on from another, by the tiles of the newer tree: spec/log.md, "Tiles" and "Proofs". For
// any two trees this needs a few tiles for each level, for any number of entries between.

/** Hashes of a tree of `size` entries, from its tiles: `hashAt(level, number)`, for stored levels only. */
class TiledTree {
  constructor(size, hashAt) { Object.assign(this, { size, hashAt }); }

  /** The root over the entries from `from` to `to`; complete parts are aligned. */
  root(from, to) {
    const count = to - from;
    let half = 1n;
    while (half * 2n < count) half *= 2n;
    if (count === 1n || half * 2n === count) return this.whole(from, count);
    return nodeHash(this.root(from, from + half), this.root(from + half, to));
  }

  /** The same for a power of two of entries, from a level that tiles store. */
  whole(from, count) {
    let level = 0n, width = count, at = from;
    while (width >= 256n) { level += 1n; width >>= 8n; at >>= 8n; }
    const hashes = Array.from({ length: Number(width) }, (_, i) => this.hashAt(Number(level), at + BigInt(i)));
    return treeRoot(hashes);
  }
}

/**
 * The hashes from the node that ends the tree of `m` entries up to the root of `n`: spec/audit.md, "Evidence". 0 < m <
 * n.
 */
function prefixHashes(m, n, tree) {
  let f = m - 1n, s = n - 1n, level = 0n;
  const up = () => { f >>= 1n; s >>= 1n; level += 1n; };
  const node = number => tree.root(number << level, (number + 1n) << level < n ? (number + 1n) << level : n);
  while (f & 1n) up();
  const hashes = [node(f)];
  while (s) {
    if (f & 1n || f === s) {
      while (!(f & 1n)) up();
      hashes.push(node(f - 1n));
    } else hashes.push(node(f + 1n));
    up();
  }
  return hashes;
}

/** The path of the tile with a stored hash, in a tree of `size` entries, and the hash's position in it. */
function tileOfHash(size, level, number) {
  const stored = size >> BigInt(8 * level), tile = number >> 8n, isFull = (tile + 1n) << 8n <= stored;
  return { path: tilePath(level, tile, isFull ? 256 : Number(stored & 255n)), at: Number(number & 255n) };
}

/** The tiles that `extendsLog` needs to compare a tree of `older` entries with one of `newer`. */
function tilesFor(older, newer) {
  const [m, n] = [BigInt(older), BigInt(newer)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)), paths = new Set();
  if (m === n || m === 0n) return [];
  prefixHashes(m, n, new TiledTree(n, (level, number) => {
    paths.add(tileOfHash(n, level, number).path);
    return new Uint8Array(32);
  }));
  return [...paths];
}

/** A file that proves that two checkpoints of one log belong to two histories: spec/audit.md, "Evidence". */
function forkEvidence(key, trusted, finding, notes, prefix) {
  const time = Math.floor(Date.now() / 1000);
  return JSON.stringify({
    fairshoe_evidence: 1, vkey: key, key_trusted: trusted, time, addresses: [], finding,
    notes: notes.map(note => ({ from: 'this browser', time, note })),
    ...(prefix ? { prefix } : {}),
  });
}

/**
 * Checks that two checkpoints signed by `vkey` are of one log. Throws Unsound: `checkpoint`, one is not the log's;
 * `fork`, they are of two histories, which `error.evidence` proves; `tile`, the tiles are not the newer tree's.
 */
function extendsLog(oldText, newText, tiles, vkey) {
  const key = under('key', () => readLogKey(vkey));
  const open = text => under('checkpoint', () => ({ ...openCheckpoint(utf8(text), key), text }));
  const bySize = (a, b) => (a.size < b.size ? -1 : a.size > b.size ? 1 : 0);
  const [older, newer] = [open(oldText), open(newText)].sort(bySize);
  const fork = (message, prefix) => {
    const finding = { check: 'fork', message };
    const evidence = forkEvidence(vkey, true, finding, [older.text, newer.text], prefix);
    throw Object.assign(new Unsound('fork', message), { evidence });
  };
  if (older.size === newer.size) {
    if (!sameBytes(older.root, newer.root)) fork(`two checkpoints of ${older.size} entries have two roots`);
    return;
  }
  if (older.size === 0n) {
    if (!sameBytes(older.root, treeRoot([]))) fork('the root of no entries is another');
    return;
  }
  const hashes = prefixHashes(older.size, newer.size, new TiledTree(newer.size, (level, number) => {
    const { path, at } = tileOfHash(newer.size, level, number), bytes = tiles[path];
    if (!bytes) throw new Unusable(`the tile ${path} is needed`);
    if (bytes.length < 32 * (at + 1) || bytes.length % 32 || bytes.length > 8192)
      unsound('tile', `${path} is no tile of this width`);
    return bytes.slice(32 * at, 32 * at + 32);
  }));
  const root = under('tile', () => prefixRoot(older.size, newer.size, newer.root, hashes));
  if (!sameBytes(root, older.root))
    fork(
      `the log signed root ${base64(older.root)} for ${older.size} entries, and a tree of ${newer.size} whose first ` +
        `${older.size} lead to ${base64(root)}`,
      { size: Number(older.size), of: Number(newer.size), hashes: hashes.map(base64) },
    );
}

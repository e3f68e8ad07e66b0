// Reads the last entries of the log by its tiles, checks each against the signed checkpoint, and counts for the log
// room. Bounded: it reads at most the requested number of entries and keeps lists of a fixed length.
/* global fairshoe, importScripts */

importScripts('./fairshoe-verify.js', './log-figures.js');

const TOGETHER = 4,
  PATIENCE = 5,
  BUSY_MS = 1000;
const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
const sleep = ms =>
  new Promise(done => {
    setTimeout(done, ms);
  });

async function bytesOf(path) {
  for (let tried = 1; ; tried++) {
    const response = await fetch(`/${path}`, { credentials: 'omit' });
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    if (![429, 503].includes(response.status) || tried === PATIENCE)
      throw Object.assign(new Error(`/${path} answers ${response.status}`), { status: response.status });
    await sleep(Math.max(BUSY_MS * tried, 1000 * (Number(response.headers.get('Retry-After')) || 0)));
  }
}

/** A tile or bundle of this width; by now the log may only have the full one. */
async function tileBytes(level, number, width) {
  try {
    return await bytesOf(fairshoe.tilePath(level, number, width));
  } catch (error) {
    if (error.status !== 404 || width === 256) throw error;
    return bytesOf(fairshoe.tilePath(level, number));
  }
}

const hashesOf = (bytes, width) => Array.from({ length: width }, (_, i) => bytes.slice(32 * i, 32 * i + 32));
const wrong = (check, message, entry) => {
  throw Object.assign(new fairshoe.Unsound(check, message), { entry });
};

/** A signed tree: data read from it is checked against its root. */
class Tree {
  constructor(size, root) {
    Object.assign(this, { size, root, tiles: new Map() });
  }

  /** The right edge of every level makes the root, so these hashes are the ones that the log signed. */
  async open() {
    const levels = [];
    for (let level = 0, count = this.size; count > 0; level++, count = Math.floor(count / 256))
      levels.push({ level, count, width: count % 256 });
    const edges = await Promise.all(
      levels.map(async ({ level, count, width }) => {
        if (!width) return [];
        if (level) return hashesOf(await tileBytes(level, Math.floor(count / 256), width), width);
        this.lastEntries = fairshoe
          .readEntryBundle(await tileBytes('entries', Math.floor(count / 256), width))
          .slice(0, width);
        return this.lastEntries.map(fairshoe.leafHash);
      }),
    );
    const parts = [];
    for (let level = levels.length - 1; level >= 0; level--) {
      const { count, width } = levels[level];
      if (edges[level].length !== width)
        wrong('tile', `the tile at the right of level ${level} holds ${edges[level].length} hashes, not ${width}`);
      for (let bit = 128, at = 0; bit >= 1; bit /= 2) {
        if (!(width & bit)) continue;
        parts.push(fairshoe.treeRoot(edges[level].slice(at, at + bit)));
        at += bit;
      }
      if (width) this.tiles.set(`${level}/${Math.floor(count / 256)}`, edges[level]);
    }
    const root = parts.reduceRight((right, left) => fairshoe.nodeHash(left, right));
    if (!same(root, this.root))
      wrong(
        'root',
        `the tiles lead to root ${fairshoe.base64(root)}, the checkpoint has ${fairshoe.base64(this.root)}`,
      );
  }

  /** A full tile, checked against the one above it. */
  async tile(level, number) {
    const name = `${level}/${number}`,
      known = this.tiles.get(name);
    if (known) return known;
    const hashes = hashesOf(await tileBytes(level, number, 256), 256),
      above = await this.tile(level + 1, Math.floor(number / 256));
    if (!same(fairshoe.treeRoot(hashes), above[number % 256])) wrong('tile', `tile ${name} is not the signed one`);
    this.tiles.set(name, hashes);
    return hashes;
  }

  /** The entries of a bundle, each as signed. */
  async bundle(number) {
    if ((number + 1) * 256 > this.size) return this.lastEntries;
    const entries = fairshoe.readEntryBundle(await tileBytes('entries', number, 256)),
      above = await this.tile(1, Math.floor(number / 256));
    if (entries.length !== 256 || !same(fairshoe.treeRoot(entries.map(fairshoe.leafHash)), above[number % 256]))
      wrong('inclusion', `the entries from ${number * 256} on are not those that the log signed`, number * 256);
    return entries;
  }
}

let figures = null,
  reading = Promise.resolve(),
  wanted = 0;
const text = new TextDecoder();

/** Passes on the entries from `from` on, in order, with a few bundles requested at once. */
async function feed(tree, from, isCurrent) {
  const last = Math.ceil(tree.size / 256);
  for (let number = Math.floor(from / 256); number < last; number += TOGETHER) {
    const some = Array.from({ length: Math.min(TOGETHER, last - number) }, (_, i) => number + i);
    const bundles = await Promise.all(some.map(one => tree.bundle(one)));
    if (!isCurrent()) return;
    bundles.forEach((entries, i) =>
      entries.forEach((bytes, at) => {
        const index = (number + i) * 256 + at;
        if (index >= from) figures.take(index, JSON.parse(text.decode(bytes)));
      }),
    );
    postMessage({
      progress: {
        read: Math.min(tree.size, (number + some.length) * 256) - figures.from,
        of: tree.size - figures.from,
      },
    });
  }
}

function treeOf(note) {
  const [, size, root] = note.split('\n');
  return new Tree(
    Number(size),
    Uint8Array.from(atob(root), letter => letter.charCodeAt(0)),
  );
}

const CALLS = {
  /** The last `most` entries under this checkpoint, whose signature the page has checked. */
  async read({ note, most, rules }) {
    const mine = ++wanted,
      tree = treeOf(note);
    await tree.open();
    // One more bundle costs little; a round that began before is not counted.
    const from = Math.max(0, Math.floor((tree.size - most) / 256) * 256);
    figures = new Figures(from, rules);
    await feed(tree, from, () => mine === wanted);
    return figures.summary();
  },
  /** The entries added since. */
  async more({ note }) {
    const mine = wanted,
      tree = treeOf(note);
    if (!figures || tree.size <= figures.to) return figures && figures.summary();
    await tree.open();
    await feed(tree, figures.to, () => mine === wanted);
    return figures.summary();
  },
};

onmessage = ({ data: { number, name, given } }) => {
  reading = reading.then(async () => {
    try {
      postMessage({ number, reply: await CALLS[name](given) });
    } catch (error) {
      const failed =
        error instanceof fairshoe.Unsound ? { check: error.check, message: error.message, entry: error.entry } : null;
      postMessage({ number, error: error.message || String(error), failed });
    }
  });
};

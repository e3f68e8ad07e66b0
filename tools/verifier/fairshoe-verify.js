#!/usr/bin/env node
// fairshoe-verify: a second, independent verifier of fairshoe's rounds, written from spec/ alone. Runs in Node 18 or
// newer and in any browser of that age, offline, without a dependency. Made by build.js from parts/ and spec/words.md:
// change those.
// In Node: node fairshoe-verify.js --help. In a page: the functions are those of the global object fairshoe.
'use strict';
const fairshoe = (() => {

// Bytes, texts and refusals. Everything below runs in Node and in a browser, offline.

/** The input cannot be judged at all: there is no verdict. */
class Unusable extends Error {}
/** A check failed. `check` is a code of spec/audit.md, "Findings". */
class Unsound extends Error {
  constructor(check, message) { super(message); this.check = check; }
}
/** The rules refuse a command, with a code of spec/entries.md. */
class Refusal extends Error {
  constructor(code, message) { super(message || code); this.code = code; }
}

const refuse = (code, message) => { throw new Refusal(code, message); };
const broken = message => { throw new Unsound('broken', message); };
const unsound = (check, message) => { throw new Unsound(check, message); };
/** The same for an earlier entry, in which the wrong part was written. */
const unsoundAt = (entry, check, message) => { throw Object.assign(new Unsound(check, message), { entry }); };

const compareText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const isList = Array.isArray;
const isObject = value => value !== null && typeof value === 'object' && !isList(value);
const sum = numbers => numbers.reduce((total, n) => total + n, 0);
const quote = value => JSON.stringify(value);

const utf8 = text => new TextEncoder().encode(text);
const ascii = text => Uint8Array.from(text, c => c.charCodeAt(0));

function concat(...pieces) {
  const whole = new Uint8Array(sum(pieces.map(piece => piece.length)));
  let at = 0;
  for (const piece of pieces) { whole.set(piece, at); at += piece.length; }
  return whole;
}

const sameBytes = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

const hex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

/** Bytes of lower-case hexadecimal of exactly `length` bytes; null for any other text. */
function unhex(text, length) {
  if (typeof text !== 'string' || text.length !== 2 * length || !/^[0-9a-f]*$/.test(text)) return null;
  return Uint8Array.from({ length }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function base64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i] << 16) | ((bytes[i + 1] || 0) << 8) | (bytes[i + 2] || 0);
    text += BASE64[group >> 18] + BASE64[(group >> 12) & 63];
    text += i + 1 < bytes.length ? BASE64[(group >> 6) & 63] : '=';
    text += i + 2 < bytes.length ? BASE64[group & 63] : '=';
  }
  return text;
}

/** Bytes of padded base64 with unused bits zero; null for every other spelling (spec/log.md, "Conventions"). */
function unbase64(text) {
  if (typeof text !== 'string' || text.length % 4 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const digits = text.replace(/=+$/, '');
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let held = 0, bits = 0, at = 0;
  for (const digit of digits) {
    held = ((held << 6) | BASE64.indexOf(digit)) & 0xfff;
    bits += 6;
    if (bits >= 8) { bits -= 8; bytes[at++] = (held >> bits) & 255; }
  }
  return base64(bytes) === text ? bytes : null;
}

const hash64 = text => { const bytes = unbase64(text); return bytes && bytes.length === 32 ? bytes : null; };

const u16 = n => Uint8Array.of(n >> 8, n & 255);
const u64 = n => unhex(BigInt(n).toString(16).padStart(16, '0'), 8);
const lp = bytes => concat(u16(bytes.length), bytes);

/** A decimal without sign or leading zero below 2^64, as BigInt; null for every other spelling. */
function decimal(text) {
  if (!/^(0|[1-9][0-9]{0,19})$/.test(text)) return null;
  const value = BigInt(text);
  return value < 1n << 64n ? value : null;
}

/** A check failed; `under` is its code. */
const fault = message => { throw new Unsound('', message); };

/** Runs `action`; a failure in it is a finding of `check`. */
function under(check, action) {
  try {
    return action();
  } catch (error) {
    if (error instanceof Unsound && !error.check) throw new Unsound(check, error.message);
    throw error;
  }
}

/** JSON nested no deeper than any valid input, so that no reader runs out of stack. */
function nestedWithin(text, most) {
  let depth = 0, inText = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (inText) { if (c === '\\') i++; else if (c === '"') inText = false; } else if (c === '"') inText = true;
    else if (c === '{' || c === '[') { if (++depth > most) return false; } else if (c === '}' || c === ']') depth--;
  }
  return true;
}

/**
 * Why valid JSON could be read in two ways: a field twice in an object, a number that is no plain integer; or null.
 */
function ambiguity(text) {
  const open = [];
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '{') open.push(new Set());
    else if (c === '[') open.push(null);
    else if (c === '}' || c === ']') open.pop();
    else if (c === '"') {
      const from = i;
      for (i++; text[i] !== '"'; i++) if (text[i] === '\\') i++;
      const fields = open[open.length - 1], name = fields && text.slice(from, i + 1);
      while (' \t\n\r'.includes(text[i + 1])) i++;
      if (!fields || text[i + 1] !== ':') continue;
      const field = JSON.parse(name);
      if (fields.has(field)) return `the field ${name} stands twice in one object`;
      fields.add(field);
    } else if (c === '-' || (c >= '0' && c <= '9')) {
      const from = i;
      while (/[0-9.eE+-]/.test(text[i + 1] || ' ')) i++;
      const number = text.slice(from, i + 1);
      if (!/^(0|-?[1-9][0-9]*)$/.test(number)) return `${number} is not an integer in its one spelling`;
    }
  }
  return null;
}

// SHA-256, SHA-512, HMAC, the ChaCha20 key stream, Ed25519 verification.
// Written here instead of using WebCrypto, because a page opened from a file or over plain HTTP may not have it, and
// because its Ed25519 allows inputs that spec/log.md, "Signature rule", refuses.

const primes = (() => {
  const found = [];
  for (let n = 2; found.length < 80; n++) if (found.every(p => n % p)) found.push(n);
  return found;
})();

/** floor(2^bits · fractional part of the k-th root of n), exactly. */
function rootFraction(n, k, bits) {
  const scaled = BigInt(n) << BigInt(k * bits);
  let low = 0n, high = BigInt(n) << BigInt(bits);
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** BigInt(k) <= scaled) low = middle; else high = middle - 1n;
  }
  return low & ((1n << BigInt(bits)) - 1n);
}

const K256 = Uint32Array.from(primes.slice(0, 64), p => Number(rootFraction(p, 3, 32)));
const H256 = Uint32Array.from(primes.slice(0, 8), p => Number(rootFraction(p, 2, 32)));

function sha256(message) {
  const length = message.length, blocks = (length + 9 + 63) >> 6;
  const padded = new Uint8Array(blocks << 6);
  padded.set(message);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(length / 0x20000000));
  view.setUint32(padded.length - 4, (length << 3) >>> 0);
  const h = H256.slice(), w = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15], b = w[i - 2];
      const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3);
      const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10);
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
    }
    let [a, b, c, d, e, f, g, k] = h;
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (k + s1 + ((e & f) ^ (~e & g)) + K256[i] + w[i]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      k = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
    }
    h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += k;
  }
  const digest = new Uint8Array(32), out = new DataView(digest.buffer);
  h.forEach((word, i) => out.setUint32(4 * i, word));
  return digest;
}

function hmac(key, message) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  return sha256(concat(block.map(b => b ^ 0x5c), sha256(concat(block.map(b => b ^ 0x36), message))));
}

const K512 = primes.map(p => rootFraction(p, 3, 64));
const H512 = primes.slice(0, 8).map(p => rootFraction(p, 2, 64));
const MASK64 = (1n << 64n) - 1n;

/** SHA-512 by BigInt: slow, but needed for only one hash in each signature. */
function sha512(message) {
  const rotate = (x, n) => ((x >> n) | (x << (64n - n))) & MASK64;
  const padded = new Uint8Array(((message.length + 17 + 127) >> 7) << 7);
  padded.set(message);
  padded[message.length] = 0x80;
  padded.set(u64(8 * message.length), padded.length - 8);
  const view = new DataView(padded.buffer), h = H512.slice();
  for (let at = 0; at < padded.length; at += 128) {
    const w = Array.from({ length: 16 }, (_, i) => view.getBigUint64(at + 8 * i));
    for (let i = 16; i < 80; i++) {
      const s0 = rotate(w[i - 15], 1n) ^ rotate(w[i - 15], 8n) ^ (w[i - 15] >> 7n);
      const s1 = rotate(w[i - 2], 19n) ^ rotate(w[i - 2], 61n) ^ (w[i - 2] >> 6n);
      w.push((w[i - 16] + s0 + w[i - 7] + s1) & MASK64);
    }
    let [a, b, c, d, e, f, g, k] = h;
    for (let i = 0; i < 80; i++) {
      const s1 = rotate(e, 14n) ^ rotate(e, 18n) ^ rotate(e, 41n);
      const t1 = k + s1 + ((e & f) ^ (~e & MASK64 & g)) + K512[i] + w[i];
      const s0 = rotate(a, 28n) ^ rotate(a, 34n) ^ rotate(a, 39n);
      k = g; g = f; f = e; e = (d + t1) & MASK64; d = c; c = b; b = a;
      a = (t1 + s0 + ((b & c) ^ (b & d) ^ (c & d))) & MASK64;
    }
    [a, b, c, d, e, f, g, k].forEach((x, i) => { h[i] = (h[i] + x) & MASK64; });
  }
  return concat(...h.map(u64));
}

/** The key stream of spec/fairness.md, "Stream": reads bytes, or words of four bytes, little-endian. */
class Stream {
  constructor(key) {
    const words = new DataView(key.buffer, key.byteOffset, 32);
    this.state = new Uint32Array(16);
    this.state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
    for (let i = 0; i < 8; i++) this.state[4 + i] = words.getUint32(4 * i, true);
    this.block = new Uint32Array(16);
    this.at = 16;
    this.rejected = 0;
  }

  word() {
    if (this.at === 16) this.refill();
    return this.block[this.at++];
  }

  bytes(count) {
    const words = new Uint8Array(Math.ceil(count / 4) * 4), view = new DataView(words.buffer);
    for (let i = 0; i < words.length; i += 4) view.setUint32(i, this.word(), true);
    return words.slice(0, count);
  }

  refill() {
    const x = this.block;
    x.set(this.state);
    const quarter = (a, b, c, d) => {
      let t;
      x[a] += x[b]; t = x[d] ^ x[a]; x[d] = (t << 16) | (t >>> 16);
      x[c] += x[d]; t = x[b] ^ x[c]; x[b] = (t << 12) | (t >>> 20);
      x[a] += x[b]; t = x[d] ^ x[a]; x[d] = (t << 8) | (t >>> 24);
      x[c] += x[d]; t = x[b] ^ x[c]; x[b] = (t << 7) | (t >>> 25);
    };
    for (let i = 0; i < 10; i++) {
      for (let j = 0; j < 4; j++) quarter(j, j + 4, j + 8, j + 12);
      for (let j = 0; j < 4; j++) quarter(j, 4 + ((j + 1) & 3), 8 + ((j + 2) & 3), 12 + ((j + 3) & 3));
    }
    for (let i = 0; i < 16; i++) x[i] += this.state[i];
    this.state[12]++;
    if (this.state[12] === 0) this.state[13]++;
    this.at = 0;
  }
}

/** spec/fairness.md, "Draws": `words` has a method word(). */
function below(words, m) {
  const bound = 4294967296 - (4294967296 % m);
  for (;;) {
    const x = words.word();
    if (x < bound) return x % m;
    words.rejected++;
  }
}

function shuffle(words, list) {
  for (let i = list.length - 1; i >= 1; i--) {
    const j = below(words, i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

// Ed25519, RFC 8032, with the additions of spec/log.md, "Signature rule". Public data only, so nothing is
// constant-time.
const ed25519 = (() => {
  const p = (1n << 255n) - 19n;
  const order = (1n << 252n) + 27742317777372353535851937790883648493n;
  const low = (1n << 255n) - 1n;
  /** The remainder modulo p: 2^255 is 19 modulo p. */
  const mod = x => {
    while (x < 0n || x > low) x = (x & low) + 19n * (x >> 255n);
    return x < p ? x : x - p;
  };
  const power = (base, exponent) => {
    let result = 1n;
    for (base = mod(base); exponent > 0n; exponent >>= 1n, base = mod(base * base))
      if (exponent & 1n) result = mod(result * base);
    return result;
  };
  const squared = (x, times) => { for (let i = 0; i < times; i++) x = mod(x * x); return x; };
  /** x to the power of 2^bits − 1. */
  const allOnes = (x, bits) => {
    if (bits === 1) return x;
    if (bits % 2) return mod(squared(allOnes(x, bits - 1), 1) * x);
    const half = allOnes(x, bits / 2);
    return mod(squared(half, bits / 2) * half);
  };
  const d = mod(-121665n * power(121666n, p - 2n)), twiceD = mod(2n * d);
  const rootOfMinusOne = power(2n, (p - 1n) / 4n);
  const number = bytes => BigInt('0x' + hex(bytes.slice().reverse()));

  // Extended coordinates (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z.
  const neutral = [0n, 1n, 1n, 0n];
  const add = ([x1, y1, z1, t1], [x2, y2, z2, t2]) => {
    const a = mod((y1 - x1) * (y2 - x2)), b = mod((y1 + x1) * (y2 + x2));
    const c = mod(mod(twiceD * t1) * t2), e = mod(2n * z1 * z2);
    const f = b - a, g = e - c, h = e + c, k = b + a;
    return [mod(f * g), mod(h * k), mod(g * h), mod(f * k)];
  };
  const double = ([x, y, z]) => {
    const a = mod(x * x), b = mod(y * y), c = mod(2n * z * z), h = a + b;
    const e = h - mod((x + y) * (x + y)), g = a - b, f = c + g;
    return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
  };
  const negate = ([x, y, z, t]) => [mod(-x), y, z, mod(-t)];
  /** The point of 32 bytes, or null: y is not below p, or there is no such point on the curve. */
  const decode = bytes => {
    const copy = bytes.slice(), sign = BigInt(copy[31] >> 7);
    copy[31] &= 127;
    const y = number(copy);
    if (y >= p) return null;
    const yy = mod(y * y),
      u = mod(yy - 1n),
      v = mod(d * yy + 1n),
      v3 = mod(mod(v * v) * v),
      uv7 = mod(mod(u * v3) * mod(v3 * v));
    // u·v³ · (u·v⁷)^((p − 5) / 8), where (p − 5) / 8 = 4 · (2^250 − 1) + 1.
    let x = mod(mod(u * v3) * mod(squared(allOnes(uv7, 250), 2) * uv7));
    if (mod(v * mod(x * x)) !== u) x = mod(x * rootOfMinusOne);
    if (mod(v * mod(x * x)) !== u || (x === 0n && sign)) return null;
    if ((x & 1n) !== sign) x = p - x;
    return [x, y, 1n, mod(x * y)];
  };
  const isNeutral = ([x, y, z]) => x === 0n && mod(y - z) === 0n;
  const smallOrder = point => isNeutral(double(double(double(point))));
  const base = decode(unhex('58' + '66'.repeat(31), 32));

  /** i·A + j·B at 4·i + j, for i and j up to 3. */
  const sums = (pointA, pointB) => {
    const table = [neutral, pointB, double(pointB), add(double(pointB), pointB)];
    for (let i = 4; i < 16; i++) table.push(add(table[i - 4], pointA));
    return table;
  };
  /** a·A + b·B, two bits of both at a time, by their `sums`. */
  const combine = (a, b, table) => {
    let result = neutral;
    for (let i = 252n; i >= 0n; i -= 2n) {
      const at = Number(((a >> i) & 3n) << 2n | ((b >> i) & 3n));
      result = double(double(result));
      if (at) result = add(result, table[at]);
    }
    return result;
  };

  /**
   * For the last keys: `sums` with the base point of the key's negative, or null if the key must not be used. A log has
   * few keys.
   */
  const tables = new Map();
  const tableOf = key => {
    const name = hex(key);
    if (tables.has(name)) return tables.get(name);
    const point = key.length === 32 ? decode(key) : null;
    if (tables.size >= 64) tables.clear();
    tables.set(name, point && !smallOrder(point) ? sums(base, negate(point)) : null);
    return tables.get(name);
  };

  /** Whether 32 bytes are an acceptable public key. */
  const usable = key => tableOf(key) !== null;

  const verify = (key, message, signature) => {
    const table = tableOf(key);
    if (signature.length !== 64 || !table) return false;
    const r = signature.slice(0, 32), s = number(signature.slice(32));
    const pointR = decode(r);
    if (s >= order || !pointR || smallOrder(pointR)) return false;
    const k = number(sha512(concat(r, key, message))) % order, [x, y, z] = combine(s, k, table);
    // A point has one decodable encoding, so equal points have equal bytes.
    return mod(x - pointR[0] * z) === 0n && mod(y - pointR[1] * z) === 0n;
  };
  return { usable, verify };
})();

// The log: trees, proofs, signed notes, checkpoints, cosignatures, policies, receipts, tiles.
// spec/log.md and spec/receipts.md.

const leafHash = data => sha256(concat(Uint8Array.of(0), data));
const nodeHash = (left, right) => sha256(concat(Uint8Array.of(1), left, right));

/** The root over leaf hashes (RFC 6962, section 2.1). */
function treeRoot(hashes) {
  if (hashes.length === 0) return sha256(new Uint8Array(0));
  if (hashes.length === 1) return hashes[0];
  let left = 1;
  while (2 * left < hashes.length) left *= 2;
  return nodeHash(treeRoot(hashes.slice(0, left)), treeRoot(hashes.slice(left)));
}

/** Whether `path` leads from a leaf hash at `index` to the root of `size` entries. Index and size are BigInt. */
function checkInclusion(leaf, index, size, path, root) {
  if (index >= size) fault(`index ${index} is not in a tree of ${size} entries`);
  let f = index, s = size - 1n, r = leaf;
  for (const h of path) {
    if (s === 0n) fault('the proof has more hashes than this place needs');
    if (f & 1n || f === s) {
      r = nodeHash(h, r);
      while (!(f & 1n) && f !== 0n) { f >>= 1n; s >>= 1n; }
    } else r = nodeHash(r, h);
    f >>= 1n; s >>= 1n;
  }
  if (s !== 0n) fault('the proof has fewer hashes than this place needs');
  if (!sameBytes(r, root)) fault(`the proof leads to root ${base64(r)}, not ${base64(root)}`);
}

/** Whether the tree of `m` entries under `older` is a prefix of that of `n` under `newer`. */
function checkConsistency(m, older, n, newer, path) {
  if (m > n) fault(`a tree of ${n} entries cannot extend one of ${m}`);
  if (m === n || m === 0n) {
    if (path.length) fault('the proof has hashes where none is needed');
    if (!sameBytes(older, m === n ? newer : treeRoot([]))) fault('two roots of one size differ');
    return;
  }
  const [q, r] = leadUp(m, n, (m & (m - 1n)) === 0n ? [older, ...path] : path);
  if (!sameBytes(q, older)) fault('the proof does not lead to the older root');
  if (!sameBytes(r, newer)) fault('the proof does not lead to the newer root');
}

/** Hashes upwards from the node that ends the older tree: the root of `m` entries, and that of `n`; 0 < m < n. */
function leadUp(m, n, hashes) {
  if (!hashes.length) fault('the proof has no hash');
  let f = m - 1n, s = n - 1n;
  while (f & 1n) { f >>= 1n; s >>= 1n; }
  let q = hashes[0], r = hashes[0];
  for (const h of hashes.slice(1)) {
    if (s === 0n) fault('the proof has more hashes than these sizes need');
    if (f & 1n || f === s) {
      q = nodeHash(h, q); r = nodeHash(h, r);
      while (!(f & 1n) && f !== 0n) { f >>= 1n; s >>= 1n; }
    } else r = nodeHash(r, h);
    f >>= 1n; s >>= 1n;
  }
  if (s !== 0n) fault('the proof has fewer hashes than these sizes need');
  return [q, r];
}

/** The root that the first `m` entries have in the tree of `n` under `newer`: spec/audit.md, "Evidence". */
function prefixRoot(m, n, newer, hashes) {
  if (m > n) fault(`a tree of ${n} entries has no first ${m}`);
  if (m === 0n || m === n) {
    if (hashes.length) fault('the proof has hashes where none is needed');
    return m === 0n ? treeRoot([]) : newer;
  }
  const [q, r] = leadUp(m, n, hashes);
  if (!sameBytes(r, newer)) fault('the proof does not lead to the newer root');
  return q;
}

// --- Keys and notes -----------------------------------------------------------------------------

const LOG_KEY = 1, WITNESS_KEY = 4;

function keyName(name) {
  const length = utf8(name).length;
  return length >= 1 && length <= 255 && !/[\p{White_Space}\p{Cc}+]/u.test(name);
}

/** A verifier key `NAME+hex8+BASE64` of the given type. */
function readKey(text, type) {
  const parts = /^([^+]*)\+([^+]*)\+(.*)$/s.exec(text);
  if (!parts) fault('a verifier key is NAME+hex8+base64');
  const [, name, id, encoded] = parts, bytes = unbase64(encoded);
  if (!keyName(name)) fault('the key\'s name is empty, too long, or has a blank, plus or control character');
  if (!/^[0-9a-f]{8}$/.test(id)) fault('the key ID is not eight lower-case hexadecimal digits');
  if (bytes && bytes.length && bytes[0] !== type) fault(`the key's type is ${bytes[0]}, not ${type}`);
  if (!bytes || bytes.length !== 33) fault('the key is not the base64 of a type and 32 bytes');
  const expected = hex(sha256(concat(utf8(name), Uint8Array.of(10), bytes)).slice(0, 4));
  if (id !== expected) fault(`key ID ${id} should be ${expected} for this name and key`);
  const key = bytes.slice(1);
  if (!ed25519.usable(key)) fault('not a usable Ed25519 public key');
  return { text, name, id, type, key };
}

const readLogKey = text => readKey(text, LOG_KEY);

function strictText(bytes, what) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    return fault(`${what} is not UTF-8`);
  }
}

/** A note's text and signature lines, unverified (spec/log.md, "Signed notes", 1 to 4). */
function readNote(bytes) {
  if (bytes.length > 262144) fault('the note is longer than 262,144 bytes');
  if (bytes.some(byte => byte < 0x20 && byte !== 0x0a)) fault('the note has a control character');
  const whole = strictText(bytes, 'the note'), split = whole.lastIndexOf('\n\n');
  if (split < 0 || !whole.endsWith('\n') || split + 2 === whole.length) fault('the note has no signatures');
  const lines = whole.slice(split + 2, -1).split('\n');
  if (lines.length > 128) fault('the note has more than 128 signatures');
  const signatures = lines.map(line => {
    const parts = /^— ([^ ]+) ([^ ]+)$/.exec(line), bytes = parts && unbase64(parts[2]);
    if (!bytes || bytes.length < 5 || !keyName(parts[1])) return fault('a signature line is malformed');
    return { name: parts[1], id: hex(bytes.slice(0, 4)), signature: bytes.slice(4) };
  });
  return { text: whole.slice(0, split + 1), signatures };
}

function verifyLine(key, text, signature) {
  if (key.type === LOG_KEY) return ed25519.verify(key.key, utf8(text), signature) ? { key } : null;
  if (signature.length !== 72 || signature[0] & 128) return null;
  const time = BigInt('0x' + hex(signature.slice(0, 8)));
  const message = utf8(`cosignature/v1\ntime ${time}\n${text}`);
  return ed25519.verify(key.key, message, signature.slice(8)) ? { key, time } : null;
}

/** A note's text and the known keys that signed it (5 to 7). */
function openNote(bytes, known) {
  const note = readNote(bytes), signed = [];
  for (const line of note.signatures) {
    const keys = known.filter(key => key.name === line.name && key.id === line.id);
    if (keys.length > 1 && keys.some(key => !sameBytes(key.key, keys[0].key) || key.type !== keys[0].type))
      fault('two known keys share name and ID');
    if (!keys.length) continue;
    const good = verifyLine(keys[0], note.text, line.signature);
    if (!good) fault(`the signature of ${line.name} does not verify`);
    signed.push(good);
  }
  if (!signed.length) fault('the note has no signature of a known key');
  return { text: note.text, signed };
}

/** The key of a log's own times: its public key, as a cosigner's (spec/log.md, "The log's own time"). */
function ownTimeKey({ name, key }) {
  const bytes = concat(Uint8Array.of(WITNESS_KEY), key),
    id = hex(sha256(concat(utf8(name), Uint8Array.of(10), bytes)).slice(0, 4));
  return { name, id, type: WITNESS_KEY, key };
}

/**
 * The latest time, by this note, at which the log said that this checkpoint was its newest: seconds, a BigInt, or null.
 * Lines that do not hold are ignored: anyone can add one to a copy.
 */
function ownTime(bytes, key) {
  const { text, signatures } = readNote(bytes), own = ownTimeKey(key);
  const times = signatures.filter(({ name, id }) => name === own.name && id === own.id)
    .map(({ signature }) => verifyLine(own, text, signature)).filter(Boolean).map(({ time }) => time);
  return times.reduce((latest, time) => (latest === null || time > latest ? time : latest), null);
}

function readCheckpointText(text) {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length < 3 || lines.some(line => !line))
    fault('a checkpoint has three non-empty lines or more');
  const size = decimal(lines[1]), root = hash64(lines[2]);
  if (size === null) fault(`checkpoint size ${quote(lines[1])} is not a decimal`);
  if (!root) fault(`checkpoint root ${quote(lines[2])} is not the base64 of 32 bytes`);
  return { origin: lines[0], size, root };
}

/** A checkpoint signed by `key`, for the log that the key names. */
function openCheckpoint(bytes, key) {
  const { text } = openNote(bytes, [key]), checkpoint = readCheckpointText(text);
  if (checkpoint.origin !== key.name)
    fault(`the checkpoint is of ${quote(checkpoint.origin)}, not of ${quote(key.name)}`);
  return checkpoint;
}

// --- Policies and receipts ----------------------------------------------------------------------

/** A policy file (spec/receipts.md, "Policy"): its octets. */
function readPolicy(bytes) {
  if (bytes.length > 131072) fault('the policy is longer than 131,072 bytes');
  if (bytes.some(byte => (byte < 0x20 && byte !== 9 && byte !== 10) || byte === 0x7f))
    fault('the policy has a control character');
  if (bytes.length && bytes[bytes.length - 1] !== 10) fault('the policy\'s last line does not end in a newline');
  // Names are octets: one character of `lines` is one octet. Keys are UTF-8.
  const lines = Array.from(bytes, byte => String.fromCharCode(byte)).join('').split('\n');
  const key = (octets, type) => readKey(strictText(ascii(octets), 'a key'), type);
  const policy = { logs: [], witnesses: [], groups: [], quorum: null };
  const named = new Map(), members = new Set();
  const define = (name, value) => {
    if (name === 'none' || named.has(name)) fault(`the name ${quote(name)} is reserved or defined twice`);
    named.set(name, value);
  };
  const unique = added => {
    const listed = [...policy.logs, ...policy.witnesses];
    if (listed.some(other => sameBytes(other.key, added.key))) fault('one public key stands in two lines');
  };
  const bounded = (list, added, what) => { if (list.push(added) > 64) fault(`the policy has more than 64 ${what}`); };
  lines.forEach((line, at) => {
    const items = line.split(/[ \t]+/).filter(item => item);
    if (!items.length || items[0].startsWith('#')) return;
    const [word, ...rest] = items, wrong = () => fault(`line ${at + 1} of the policy is malformed`);
    if (word === 'log') {
      if (rest.length < 1 || rest.length > 2) wrong();
      const log = key(rest[0], LOG_KEY);
      unique(log);
      bounded(policy.logs, log, 'logs');
    } else if (word === 'witness') {
      if (rest.length < 2 || rest.length > 3) wrong();
      const witness = key(rest[1], WITNESS_KEY);
      unique(witness);
      define(rest[0], { witness });
      bounded(policy.witnesses, witness, 'witnesses');
    } else if (word === 'group') {
      const [name, count, ...list] = rest;
      if (!list.length) wrong();
      const k =
        count === 'any' ? 1 : count === 'all' ? list.length : /^[1-9][0-9]{0,2}$/.test(count) ? Number(count) : 0;
      if (k < 1 || k > list.length) wrong();
      for (const member of list) {
        if (!named.has(member)) fault(`${quote(member)} is not defined on an earlier line`);
        if (members.has(member)) fault(`${quote(member)} is a member twice`);
        members.add(member);
      }
      const group = { k, members: list.map(member => named.get(member)) };
      define(name, { group });
      bounded(policy.groups, group, 'groups');
    } else if (word === 'quorum') {
      if (rest.length !== 1) wrong();
      if (policy.quorum !== null) fault('the policy has two quorum lines');
      if (rest[0] !== 'none' && !named.has(rest[0])) fault(`${quote(rest[0])} is not defined on an earlier line`);
      policy.quorum = rest[0] === 'none' ? 'none' : named.get(rest[0]);
    } else wrong();
  });
  if (policy.quorum === null) fault('the policy has no quorum line');
  return policy;
}

function quorumMet(node, signers) {
  if (node === 'none') return true;
  if (node.witness) return signers.includes(node.witness);
  return node.group.members.filter(member => quorumMet(member, signers)).length >= node.group.k;
}

/** The parts of a .tlog-proof file, unverified. */
function readReceipt(bytes) {
  if (bytes.length > 357716) fault('the receipt is longer than 357,716 bytes');
  const split = bytes.findIndex((byte, i) => byte === 10 && bytes[i + 1] === 10);
  if (split < 0) fault('the receipt has no empty line');
  const lines = strictText(bytes.slice(0, split), 'the receipt').split('\n');
  if (lines.shift() !== 'c2sp.org/tlog-proof@v1') fault('line 1 of the receipt is not c2sp.org/tlog-proof@v1');
  if (lines.length && lines[0].startsWith('extra ')) {
    const extra = unbase64(lines.shift().slice(6));
    if (!extra || !extra.length || extra.length > 65536) fault('the extra line of the receipt is malformed');
  }
  const line = lines.shift() || '', index = line.startsWith('index ') ? decimal(line.slice(6)) : null;
  if (index === null) fault('the index line of the receipt is malformed or missing');
  if (lines.length > 64) fault('the receipt\'s path has more than 64 hashes');
  const path = lines.map(text => hash64(text) || fault('a hash of the receipt is malformed'));
  return { index, path, checkpoint: bytes.slice(split + 2) };
}

/**
 * A receipt's checkpoint, index and cosigning times, if it leads from `entry` to a checkpoint that `policy` accepts.
 */
function verifyReceipt(receiptBytes, entry, policy) {
  const receipt = readReceipt(receiptBytes);
  const { text, signed } = openNote(receipt.checkpoint, [...policy.logs, ...policy.witnesses]);
  const checkpoint = readCheckpointText(text);
  const logs = signed.filter(line => line.key.type === LOG_KEY);
  if (!logs.length) fault('no log of the policy signed the checkpoint');
  const log = logs.find(line => line.key.name === checkpoint.origin);
  if (!log) fault(`the checkpoint's origin ${quote(checkpoint.origin)} is not the name of the key that signed it`);
  const cosigners = signed.filter(line => line.key.type === WITNESS_KEY);
  if (!quorumMet(policy.quorum, cosigners.map(line => line.key))) fault('the policy\'s quorum is not met');
  checkInclusion(leafHash(entry), receipt.index, checkpoint.size, receipt.path, checkpoint.root);
  return {
    index: receipt.index,
    checkpoint,
    key: log.key.text,
    cosigned: cosigners.map(line => ({ witness: line.key.name, time: line.time })),
  };
}

// --- Tiles --------------------------------------------------------------------------------------

/** Level, number and width of a tile's or bundle's path; refuses every other spelling. */
function readTilePath(path) {
  const parts = /^tile\/(entries|0|[1-9][0-9]?)\/((?:x[0-9]{3}\/)*[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/.exec(path);
  if (!parts || parts[2].startsWith('x000/')) return fault(`${quote(path)} is no tile's path`);
  const number = BigInt(parts[2].replace(/[x/]/g, '')), width = parts[3] ? Number(parts[3]) : 256;
  if (number >= 1n << 64n || (parts[3] && width > 255) || (parts[1] !== 'entries' && Number(parts[1]) > 63))
    fault(`${quote(path)} is no tile's path`);
  return { level: parts[1], number, width };
}

function tilePath(level, number, width = 256) {
  const groups = [];
  let rest = BigInt(number);
  do { groups.unshift(String(rest % 1000n).padStart(3, '0')); rest /= 1000n; } while (rest);
  const name = groups.map((group, i) => (i + 1 < groups.length ? `x${group}/` : group)).join('');
  return `tile/${level}/${name}${width === 256 ? '' : `.p/${width}`}`;
}

/** For each level of a tree: how many full tiles, and the width of the partial one. */
function tileLayout(size) {
  const levels = [];
  for (let hashes = BigInt(size); hashes > 0n; hashes >>= 8n)
    levels.push([Number(hashes >> 8n), Number(hashes & 255n)]);
  return levels;
}

/** The entries of an entry bundle. */
function readEntryBundle(bytes) {
  const entries = [];
  let at = 0;
  while (at < bytes.length) {
    if (entries.length === 256) fault('an entry bundle has at most 256 entries');
    const end = at + 2 + (bytes[at] << 8) + bytes[at + 1];
    if (!(end <= bytes.length)) fault(`the bundle ends within entry ${entries.length}`);
    entries.push(bytes.slice(at + 2, end));
    at = end;
  }
  if (!entries.length) fault('an entry bundle is never empty');
  return entries;
}

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

// The form of entries, commands and rule sets: spec/entries.md, "Encoding", "Commands", "Rule sets".

const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;          // 2^53 − 1
const HALF = 2 ** 52 - 1;
const WEEK_MS = 604800000;

// Integers above 2^53 − 1 are refused here: JavaScript has no exact number for them, and no honest entry holds one.
const whole = (low, high) => value => Number.isInteger(value) && !Object.is(value, -0) && value >= low && value <= high;
const isAmount = whole(0, MAX_AMOUNT), isCount = isAmount, isSlot = whole(0, 65535);
/** Numbers of one, two and four bytes. */
const isByte = whole(0, 255), isSmall = whole(0, 65535), isLong = whole(0, 2 ** 32 - 1);
const isSigned = whole(-MAX_AMOUNT, MAX_AMOUNT);
const isBool = value => typeof value === 'boolean';
const isLabel = text => typeof text === 'string' && /^[ -~]{1,200}$/.test(text);
/** Any text that a string of an entry may hold: JSON has an escape for a newline, but an entry has none. */
const isPlainText = text => typeof text === 'string' && /^[ -~]*$/.test(text);
const isHolder = text =>
  typeof text === 'string' && /^(player|auditor):/.test(text) && isName(text.slice(text.indexOf(':') + 1));
const isPlayerActor = text => typeof text === 'string' && text.startsWith('player:') && isName(text.slice(7));
const isActor = text => ['operator', 'house', 'anyone'].includes(text) || isHolder(text);
const oneOf = (...words) => value => words.includes(value);
const listOf =
  (form, least = 0, most = Infinity) =>
  value =>
    isList(value) && value.length >= least && value.length <= most && value.every(form);

const pairOf = (first, second) => value => isList(value) && value.length === 2 && first(value[0]) && second(value[1]);

/** An object of exactly these fields in this order; a name that ends in `?` may be left out. */
function fieldsOf(forms) {
  const names = Object.keys(forms).map(name => name.replace('?', ''));
  for (const [name, form] of Object.entries(forms)) if (typeof form !== 'function') throw new Error(`no form: ${name}`);
  return value => {
    if (!isObject(value)) return false;
    const keys = Object.keys(value), expected = names.filter(name => keys.includes(name));
    return (
      keys.length === expected.length &&
      keys.every((key, i) => key === expected[i]) &&
      Object.entries(forms).every(([name, form]) =>
        name.endsWith('?')
          ? !keys.includes(name.slice(0, -1)) || form(value[name.slice(0, -1)])
          : keys.includes(name) && form(value[name]),
      )
    );
  };
}

const isBet = fieldsOf({
  spot: text => typeof text === 'string' && !/\p{Cs}/u.test(text),
  stake: isAmount,
  'chips?': listOf(isAmount, 0, 1000),
});
const isPlace = text =>
  typeof text === 'string' &&
  (/^[a-z][a-z0-9:-]{0,31}$/.test(text) ||
    (/^[1-9][0-9]{0,2}\/[1-9][0-9]{0,2}$/.test(text) && text.split('/').every(n => n <= 255)));
const isCommitment = fieldsOf({ commitment: isHash, root: isHash });

const ACTION_FIELDS = {
  double: fieldsOf({ 'amount?': isAmount }),
  insurance: fieldsOf({ take: isBool }),
  even_money: fieldsOf({ take: isBool }),
  bet: fieldsOf({ to: isAmount }), raise: fieldsOf({ to: isAmount }),
  change: fieldsOf({ card: isCard }),
  open: fieldsOf({ 'hand?': isPlace }),
  discard: fieldsOf({ 'hand?': isPlace }),
};

function isAction(action) {
  if (typeof action === 'string')
    return [
      'hit', 'stand', 'split', 'surrender', 'face_down', 'accept', 'reject', 'pass', 'fold', 'check', 'call', 'show',
      'muck',
    ].includes(action);
  if (!isObject(action) || Object.keys(action).length !== 1) return false;
  const [word] = Object.keys(action);
  return Object.hasOwn(ACTION_FIELDS, word) && ACTION_FIELDS[word](action[word]);
}

const isRoot = text => hash64(text) !== null;
const isComingIn = oneOf('post', 'wait');
const isLimitOf = oneOf('deposit', 'loss', 'play_time'), isLimitPer = oneOf('day', 'week', 'month');
const isCall = oneOf('reserve', 'commit', 'cancel', 'pay'), isAnswer = oneOf('accepted', 'refused');

/** A field that is present if true and left out otherwise: `false` would be a second encoding. */
function isSet(value) {
  if (value === false) unsound('canonical_form', 'a field that is false is left out');
  return value === true;
}

/** The policy of another log, left out if there is none: `null` would be a second encoding. */
function isPolicy(value) {
  if (value === null) unsound('canonical_form', 'a policy that is none is left out');
  return isPlainText(value);
}

// --- Events -------------------------------------------------------------------------------------

const TRANSFERS = 'transfers:'; // before the name of the other log
const isAccount = text =>
  ['cage', 'house', 'rake', 'play', 'wallet', 'tickets', 'rounding_residual'].includes(text) ||
  (typeof text === 'string' && text.startsWith(TRANSFERS) && isOrigin(text.slice(TRANSFERS.length))) ||
  (typeof text === 'string' &&
    (/^(player|table|tdollars|pool|fees|bounties|stakes):/.test(text)
      ? isName(text.slice(text.indexOf(':') + 1))
      : /^seat:[a-z0-9_-][a-z0-9._-]{0,63}\/[1-9][0-9]{0,2}$/.test(text) && Number(text.split('/')[1]) <= 255));
const isPlacedBet = fieldsOf({ player: isName, bets: listOf(isBet), commitment: isHash });
const isActionWord = oneOf(
  'hit', 'stand', 'double', 'split', 'insurance', 'even_money', 'surrender', 'face_down', 'change', 'accept', 'reject',
  'open', 'discard', 'pass', 'fold', 'check', 'call', 'bet', 'raise', 'show', 'muck',
);
const isSeat = isByte;
// The events that poker adds: spec/games/poker-table.md, "Events".
const seatAmount = fieldsOf({ seat: isSeat, amount: isAmount });
const isPlaces = fieldsOf({ button: isSeat, small: isSeat, big: isSeat, 'third?': isSeat });
const isHandStart = fieldsOf({
  positions: isPlaces,
  seats: listOf(fieldsOf({
      due: fieldsOf({ seat: isSeat, ante: isAmount, dead: isAmount, live: isAmount, opens: isBool }),
      player: isName,
      stack: isAmount,
      bank_ms: isCount,
    }),
    2,
    10,
  ),
});
const isBlinds = fieldsOf({
  small: isAmount,
  big: isAmount,
  'third?': isAmount,
  ante: isAmount,
  straddle: isBool,
  entry_post: oneOf('small', 'big'),
});
const isPokerEvent = fieldsOf({ settled: fieldsOf({
  pots: listOf(
    fieldsOf({
      amount: isAmount,
      rake: isAmount,
      seats: listOf(isSeat),
      won: listOf(fieldsOf({ seat: isSeat, amount: isAmount, 'low?': isSet })),
    }),
  ),
  'uncalled?': seatAmount,
  seats: listOf(fieldsOf({ seat: isSeat, player: isName, put_in: isAmount, got: isAmount, stack: isAmount })),
}) });
const isLoggedOpening = fieldsOf({
  slot: isSlot,
  value: whole(0, 255),
  salt: text => unhex(text, 16) !== null,
  path: listOf(isHash, 0, 12),
});

const isLapseCause = oneOf('no_bets', 'too_few_players', 'restart', 'malfunction', 'closed', 'no_seeds');
const isResults = listOf(fieldsOf({ player: isName, staked: isAmount, returned: isAmount }));
const isCutOff = oneOf('due', 'had');
// A table between rounds: "The table as it stands".
const waitingList = listOf(pair => isList(pair) && pair.length === 2 && isName(pair[0]) && isCount(pair[1]));
const isNotedBetting = fieldsOf({
  seats: listOf(fieldsOf({ seat: isSeat, player: isName, used: isCount, misses: isSeat })),
  asked: listOf(isName),
  newcomers: listOf(isName),
  last: listOf(isName),
  goes_on: isBool,
  waiting: waitingList,
});
const isNotedCash = fieldsOf({
  seats: listOf(fieldsOf({
      seat: isSeat, player: isName, used: isCount, stack: isAmount, sitting_out: isBool,
      owes: fieldsOf({ entry: isBool, small: isBool, big: isBool, third: isBool }),
      entry: isComingIn, straddle: isBool, hands: whole(0, 2 ** 32 - 1), away: whole(0, 65535), bank_ms: isCount,
      'cut_off?': isCutOff,
    }),
  ),
  'positions?': isPlaces,
  'event?': fieldsOf({
    level: isSlot, blinds: isBlinds, 'button?': isSeat, 'doubled?': isNotZero, 'late_extra_ms?': isNotZero,
  }),
  carried: listOf(pair => isList(pair) && pair.length === 2 && isName(pair[0]) && isHash(pair[1])),
  waiting: waitingList,
});

// What each named form of spec/words.md takes in an entry: what fits its bytes. Bounds beyond that are the rules'.
const NAMED = {
  Name: isName, Origin: isOrigin, LogName: isOrigin, LongOrigin: isOrigin, Hex32: isHash, TreeRoot: isRoot,
  Number: isCount, Time: isCount, Chips: isAmount, NotZero: value => isNotZero(value), Reference: isLabel,
  Text: isPlainText, Policy: isPolicy, Holder: isHolder, Signature: text => unhex(text, 64) !== null,
  Announced: isSet, ExtraMs: value => isNotZero(value),
  Blinds: text => typeof text === 'string',
  RuleSet: value => isRuleForm(value), Composition: text => readComposition(text) !== null, Committed: isCommitment,
  LimitOf: isLimitOf, LimitPer: isLimitPer, WalletCall: isCall, WalletAnswer: isAnswer,
  Bet: isBet, Bets: listOf(isBet, 0, 200), PlacedBet: isPlacedBet, Action: isAction,
  SeenCheckpoint: fieldsOf({ size: isCount, root: isRoot }),
  ClientKind: oneOf('desktop', 'mobile', 'browser'), ComeIn: isComingIn, SeatNumber: isSeat, SeatChips: seatAmount,
  Positions: isPlaces, HandStart: isHandStart, EventBlinds: isBlinds, CutOff: isCutOff,
  Doubled: value => isNotZero(value), LateExtra: value => isNotZero(value),
  NotedBetting: isNotedBetting, NotedCash: isNotedCash,
  PostedLine: line => isList(line) && line.length === 3 && isAccount(line[0]) && isSigned(line[1]) && isSigned(line[2]),
  RoundResults: isResults, LapseCause: isLapseCause, CallLapse: isLapseCause,
  Kept: listOf(fieldsOf({ player: isName, amount: isAmount }), 1),
  VoidCause: oneOf('reveal_missing', 'crash', 'malfunction', 'shoe_exhausted', 'abandoned'),
  Ahead: oneOf('nobody', 'level', 'players', 'house'),
  RetireCause: oneOf(
    'threshold', 'newcomer', 'full', 'idle', 'restart', 'exhausted', 'house_shuffle', 'closed', 'pile_used',
    'pile_unused',
  ),
  Opening: isLoggedOpening, Openings: listOf(isLoggedOpening, 0, 52), Slot: isSlot, Place: isPlace, Card: isCard,
  Offer: fieldsOf({ action: isActionWord, cost: isAmount, 'to?': listOf(isAmount, 2, 2) }),
  Outcome: oneOf('blackjack', 'win', 'draw', 'loss', 'bust', 'surrender', 'even_money'),
  SafeOutCause: oneOf('bust', 'face_down', 'absent'),
  SafeWonBy: oneOf('last_alive', 'survived', 'last_free_player', 'last_opened', 'last_round'),
};

const isSignature = fieldsOf({ nonce: whole(1, MAX_AMOUNT), signature: text => unhex(text, 64) !== null });
const isEntry = fieldsOf({
  v: value => value === 1, time: whole(0, HALF), by: isActor, 'at?': fieldsOf({ table: isName, seq: isCount }),
  'before?': listOf(pair => isList(pair) && pair.length === 2 && isName(pair[0]) && isAmount(pair[1]), 1),
  command: isObject, 'signed?': isSignature, events: isList,
});

/** An entry from its exact text; refuses every other encoding. */
function readEntry(text) {
  if (text.length > 65535) unsound('entry_form', 'an entry has at most 65,535 bytes');
  if (!/^[ -~]*$/.test(text)) unsound('entry_form', 'an entry is ASCII text without control characters');
  if (!nestedWithin(text, 32)) unsound('entry_form', 'an entry is not nested that deeply');
  let entry;
  try {
    entry = JSON.parse(text);
  } catch (error) {
    unsound('entry_form', `the entry is not JSON: ${error.message}`);
  }
  if (isObject(entry) && entry.v !== 1) unsound('entry_form', `the entry's version is ${quote(entry.v)}, not 1`);
  if (JSON.stringify(entry) !== text) unsound('canonical_form', 'the entry is not in its one encoding');
  if (isObject(entry) && isList(entry.before) && !entry.before.length)
    unsound('canonical_form', 'an empty list of balances is left out');
  if (!isEntry(entry))
    unsound('entry_form', 'the entry has unknown, missing or malformed fields, or another order of fields');
  const names = Object.keys(entry.command), [name] = names;
  if (names.length !== 1 || !Object.hasOwn(commandForm, name)) unsound('entry_form', `${quote(names)} is no command`);
  if (!commandForm[name](entry.command[name]))
    unsound('entry_form', `the command ${name} has unknown, missing or malformed fields`);
  const malformed = entry.events.findIndex(event => !isEvent(event));
  if (malformed >= 0)
    unsound('entry_form', `event ${malformed} is unknown, or has unknown, missing or malformed fields`);
  return entry;
}

// --- Rule sets ----------------------------------------------------------------------------------

const isReshuffle = value => value === 'every_round' ||
  ['cut_back', 'left_at_most', 'left_below'].some(word => fieldsOf({ [word]: whole(0, 65535) })(value));

const TABLE_RULES = {
  mode: oneOf('solo', 'shared'),
  seats: whole(0, 255),
  dealing: oneOf('sequential', 'lanes'),
  stake_min: isAmount,
  stake_max: isAmount,
  stake_step: isAmount,
  chips: listOf(isAmount),
  bets_per_player: whole(0, 65535),
  reshuffle: isReshuffle,
  house_shuffle: isBool,
  crash: oneOf('resume', 'rollback'),
  abandon: oneOf('finish', 'refund'),
  abandon_refunds: value => value === 'unlimited' || whole(0, 2 ** 32 - 1)(value),
  bet_time_ms: isCount,
  close_early: isBool,
  reveal_time_ms: isCount, turn_time_ms: isCount, round_time_ms: isCount,
  'between_hands_ms?': isCount, 'away_ms?': isCount,
};
const TABLE_FIELDS = Object.keys(TABLE_RULES).map(name => name.replace('?', '')), isTableRules = fieldsOf(TABLE_RULES);

const gameOf = rules => GAMES[Object.keys(rules.game)[0]];

/**
 * The least number of undrawn slots that a rule leaves before a round, and the number below which a new shoe is due.
 */
function leftByReshuffle(rule) {
  const [[word, n]] = Object.entries(rule);
  return word === 'left_at_most' ? n + 1 : n;
}

/** Whether a shoe with `left` undrawn slots is to be changed. */
function reshuffleDue(rule, left) {
  if (rule === 'every_round') return true;
  const [[word, n]] = Object.entries(rule);
  return word === 'left_at_most' ? left <= n : left < n;
}

/** Whether a rule set has the fields that an entry can hold; their values are checked elsewhere. */
const isRuleForm = rules =>
  fieldsOf({ name: text => typeof text === 'string', table: isTableRules, game: isObject })(rules) &&
  Object.keys(rules.game).length === 1 && Object.hasOwn(GAMES, Object.keys(rules.game)[0]) &&
  gameOf(rules).form(Object.values(rules.game)[0]);

/** Null, or why this is no valid rule set. */
function whyNoRuleSet(rules) {
  if (!isObject(rules) || Object.keys(rules).join() !== 'name,table,game') return 'a rule set has name, table and game';
  if (!isName(rules.name)) return 'its name is malformed';
  if (!isTableRules(rules.table)) return 'a field of table is unknown, missing, malformed or out of order';
  if (
    !isObject(rules.game) ||
    Object.keys(rules.game).length !== 1 ||
    !Object.hasOwn(GAMES, Object.keys(rules.game)[0])
  )
    return 'the game is unknown';
  const table = rules.table, game = gameOf(rules), options = rules.game[game.name];
  if (!isObject(options) || Object.keys(options).join() !== game.fields.join())
    return `a field of ${game.name} is unknown, missing or out of order`;
  const solo = table.mode === 'solo', clock = whole(1000, WEEK_MS);
  const firstStake = Math.ceil(table.stake_min / table.stake_step) * table.stake_step;
  const checks = [
    [
      solo ? table.seats === 1 && table.dealing === 'sequential' : table.seats >= 2 && table.seats <= 20,
      'seats and dealing do not fit the mode',
    ],
    [
      table.stake_min >= 1 && table.stake_min <= table.stake_max && table.stake_max <= 1e12,
      'the limits are out of range',
    ],
    [
      table.stake_step >= 1 && table.stake_step <= table.stake_max && firstStake <= table.stake_max,
      'no multiple of the step lies within the limits',
    ],
    [table.chips.length <= 32, 'there are at most 32 denominations'],
    [table.chips.every((chip, i) => chip > (i ? table.chips[i - 1] : 0)), 'denominations ascend and are above 0'],
    [!table.chips.length || table.stake_step % table.chips[0] === 0, 'some stakes cannot be placed with the chips'],
    [table.bets_per_player >= 1 && table.bets_per_player * table.seats <= 200, 'bets_per_player is out of range'],
    [table.abandon === 'finish' || solo, 'abandoned rounds cannot be refunded so'],
    [
      solo ? table.bet_time_ms === 0 && !table.close_early : clock(table.bet_time_ms),
      'the betting window is out of range',
    ],
    [clock(table.reveal_time_ms), 'reveal_time_ms is out of range'],
    [
      solo
        ? table.turn_time_ms === 0 && clock(table.round_time_ms)
        : clock(table.turn_time_ms) && table.round_time_ms === 0,
      'the clocks do not fit the mode',
    ],
    [
      table.between_hands_ms === undefined || (!solo && table.between_hands_ms <= 30000),
      'between_hands_ms is out of range',
    ],
    [
      table.away_ms === undefined || (!solo && whole(30000, 300000)(table.away_ms)),
      'away_ms is out of range',
    ],
  ];
  const failed = checks.find(([holds]) => !holds);
  if (failed) return failed[1];
  const why = game.refuseRules(rules);
  if (why) return why;
  const slots = readComposition(game.composition(rules)).slots;
  if (table.reshuffle !== 'every_round' && Object.values(table.reshuffle)[0] >= slots)
    return 'the shoe would never be used';
  return null;
}

/** JSON without white space, the keys of every object in ascending byte order. */
function sortedText(value) {
  if (isList(value)) return `[${value.map(sortedText).join()}]`;
  if (isObject(value))
    return `{${Object.keys(value)
      .sort()
      .map(key => `${quote(key)}:${sortedText(value[key])}`)
      .join()}}`;
  return JSON.stringify(value);
}

const rulesDigest = rules => hex(sha256(concat(label('rule-set'), utf8(sortedText(rules)))));

// The form of tournaments: structures, commands, events (spec/games/tournaments.md, 2, 14, 15).

const isWords = value => typeof value === 'string';
const isEntryNo = isCount, isTableNo = isSlot;
const isDrawKind = oneOf('first', 'late', 'break', 'final'), isStand = oneOf('crash', 'deal');
const isCancelCause = oneOf('crash', 'too_few_players', 'operator'), isMethod = oneOf('chips', 'icm', 'amounts');
const isNoted = oneOf('rebuy', 'add_on', 'disqualification');
const isPlaceAt = pairOf(isTableNo, isSeat), isAmounts = listOf(pairOf(isEntryNo, isAmount));
const isStructure = fieldsOf({
  name: isWords,
  rules: fieldsOf({ name: isWords, digest: isWords }),
  seats: isSeat,
  entry: fieldsOf({
    buy_in: isAmount, fee: isAmount, bounty: isAmount, stack: isAmount, players_min: isAmount, players_max: isAmount,
    entries_per_player: isSeat,
  }),
  guarantee: isAmount,
  late_levels: isSlot,
  'unregister_ms?': isAmount,
  'rebuy?': fieldsOf({
    price: isAmount, fee: isAmount, chips: isAmount, most: isSeat, stack_at_most: isAmount, levels: isSlot,
    time_ms: isAmount,
  }),
  'add_on?': fieldsOf({ price: isAmount, fee: isAmount, chips: isAmount, after_level: isSlot }),
  levels: listOf(fieldsOf({ small: isAmount, big: isAmount, 'third?': isAmount, ante: isAmount, ms: isAmount })),
  breaks: value =>
    fieldsOf({ after: listOf(fieldsOf({ level: isSlot, ms: isAmount })) })(value) ||
    fieldsOf({ synchronised: fieldsOf({ every_ms: isAmount, at_ms: isAmount, ms: isAmount }) })(value),
  payouts: value =>
    fieldsOf({
      rows: listOf(fieldsOf({ from: isAmount, places: listOf(fieldsOf({ to: isAmount, share: isAmount })) })),
    })(value) ||
    fieldsOf({
      satellite: fieldsOf({ target: isWords, buy_in: isAmount, fee: isAmount, non_unregisterable: isBool }),
    })(value),
  bounty_onto_head: oneOf('none', 'half', 'all'),
  bounty_on: oneOf('all', 'some'),
  'deal?': fieldsOf({ most_players: isSeat }),
  staking: isBool,
  hand_for_hand: isSeat,
  final_redraw: isBool,
  clocks: fieldsOf({
    turn_ms: isAmount, bank_ms: isAmount, bank_refill_ms: isAmount, late_extra_ms: isAmount, late_players: isAmount,
    commit_ms: isAmount, reveal_ms: isAmount, 'between_hands_ms?': isAmount,
  }),
  draw_hands: isSeat,
  cancel_after_ms: isAmount,
  refund_method: oneOf('document', 'chip_count'),
});

Object.assign(NAMED, {
  Structure: isStructure, EntryNo: isEntryNo, Digest: isWords, AnyDigest: isWords,
  Pay: oneOf('cash', 't_dollars', 'ticket'), DealMethod: isMethod, Amounts: isAmounts, CancelCause: isCancelCause,
  Noted: isNoted, DrawKind: isDrawKind, StandCause: isStand, PlaceAt: isPlaceAt, Rank: pairOf(isCount, isCount),
  RegistrationEnd: oneOf('schedule', 'full', 'itm'), BasisPoints: isCount, SoldPoints: isCount, Case: whole(1, 4),
});

/** A field that is left out where it is 0. */
function isNotZero(value) {
  if (value === 0) unsound('canonical_form', 'an amount that is 0 is left out');
  return isAmount(value);
}

// The words of the log, from spec/words.md.

const COMMANDS = {
  start_dealer: { origin: NAMED.Origin, epoch: NAMED.Hex32, master_id: NAMED.Hex32, software: NAMED.Reference },
  create_player: { player: NAMED.Name, 'key?': NAMED.Hex32 },
  admit_guest: {},
  dismiss_guest: { player: NAMED.Name },
  set_key: { player: NAMED.Name, 'key?': NAMED.Hex32, 'reason?': NAMED.Reference },
  set_limit: { player: NAMED.Name, of: NAMED.LimitOf, per: NAMED.LimitPer, 'most?': NAMED.Chips },
  exclude: { player: NAMED.Name, until: NAMED.Time },
  issue_token: { holder: NAMED.Holder, revoke: isBool },
  credit: { player: NAMED.Name, amount: NAMED.Chips, 'reference?': NAMED.Reference },
  withdraw: { player: NAMED.Name, amount: NAMED.Chips, 'reference?': NAMED.Reference },
  open_table: { table: NAMED.Name, rules: NAMED.RuleSet, 'replaces?': NAMED.Name },
  close_table: { table: NAMED.Name },
  commit_shoe: { table: NAMED.Name },
  bet: { table: NAMED.Name, round_no: NAMED.Number, bets: NAMED.Bets, commitment: NAMED.Hex32 },
  reveal: { table: NAMED.Name, round_no: NAMED.Number, player: NAMED.Name, seed: NAMED.Hex32,
    'saw?': NAMED.SeenCheckpoint, 'next?': NAMED.Hex32 },
  late_seed: { table: NAMED.Name, round_no: NAMED.Number, player: NAMED.Name, seed: NAMED.Hex32 },
  act: { table: NAMED.Name, round_no: NAMED.Number, decision: isLong, action: NAMED.Action },
  lapse: { table: NAMED.Name, round_no: NAMED.Number, lapsed: oneOf('reveal', 'round', 'turn', 'pile') },
  void_round: { table: NAMED.Name, round_no: NAMED.Number, reason: NAMED.Reference },
  recover: { table: NAMED.Name },
  correct: { player: NAMED.Name, amount: NAMED.Chips, reason: NAMED.Reference },
  stop_dealer: {},
  know_log: { log: NAMED.LogName, 'policy?': NAMED.Policy },
  transfer_out: { to: NAMED.LogName, player: NAMED.Name, amount: NAMED.Chips },
  transfer_in: { from: NAMED.LogName, entry: NAMED.Text, receipt: NAMED.Text },
  wallet_deposit: { player: NAMED.Name, amount: NAMED.Chips },
  wallet_withdraw: { player: NAMED.Name, amount: NAMED.Chips },
  wallet_cancel: { no: NAMED.Number },
  wallet_answer: { no: NAMED.Number, call: NAMED.WalletCall, answer: NAMED.WalletAnswer, 'reason?': NAMED.Reference },
  continue_log: { origin: NAMED.LongOrigin, key: NAMED.Hex32, size: NAMED.Number, root: NAMED.TreeRoot,
    new_key: NAMED.Hex32, signature: NAMED.Signature },
  end_log: { origin: NAMED.LongOrigin, key: NAMED.Hex32 },
  note_refused_start: { at: NAMED.Time, reason: NAMED.Reference },
  note_state: { size: NAMED.Number, root: NAMED.Hex32 },
  take_seat: { table: NAMED.Name, seat: isByte },
  sit_down: { table: NAMED.Name, seat: isByte, buy_in: NAMED.Chips, 'client?': NAMED.ClientKind,
    'entry?': NAMED.ComeIn },
  sit_out: { table: NAMED.Name },
  add_chips: { table: NAMED.Name, amount: NAMED.Chips },
  tidy_seats: { table: NAMED.Name },
  disclose_shoe: { table: NAMED.Name, shoe_no: NAMED.Number, reason: NAMED.Reference },
  ask_to_play: { table: NAMED.Name },
  sit_in: { table: NAMED.Name, 'entry?': NAMED.ComeIn, 'straddle?': isBool },
  want_seat: { table: NAMED.Name },
  unseat: { table: NAMED.Name, player: NAMED.Name, reason: NAMED.Reference },
  leave_seat: { table: NAMED.Name },
  open_bets: { table: NAMED.Name },
  cancel_bet: { table: NAMED.Name, round_no: NAMED.Number },
  close_bets: { table: NAMED.Name, round_no: NAMED.Number },
  call_hand: { table: NAMED.Name },
  commit_hand_seed: { table: NAMED.Name, round_no: NAMED.Number, commitment: NAMED.Hex32 },
  withdraw_hand_seed: { table: NAMED.Name, round_no: NAMED.Number },
  close_call: { table: NAMED.Name, round_no: NAMED.Number },
  retire_shoe: { table: NAMED.Name, 'reason?': NAMED.Reference },
  commit_seed: { table: NAMED.Name, round_no: NAMED.Number, commitment: NAMED.Hex32 },
  open_event_table: { table: NAMED.Name, rules: NAMED.RuleSet },
  set_seats: { table: NAMED.Name },
};
const EVENTS = {
  dealer_started: { origin: NAMED.Origin, epoch: NAMED.Hex32, master_id: NAMED.Hex32, down_ms: NAMED.Number },
  player_created: { player: NAMED.Name },
  guest_admitted: { player: NAMED.Name },
  guest_dismissed: { player: NAMED.Name },
  key_set: { player: NAMED.Name, 'key?': NAMED.Hex32, 'from?': NAMED.Time, 'old?': NAMED.Hex32 },
  limit_set: { player: NAMED.Name, of: NAMED.LimitOf, per: NAMED.LimitPer, 'most?': NAMED.Chips, 'from?': NAMED.Time },
  excluded: { player: NAMED.Name, until: NAMED.Time },
  token_issued: { holder: NAMED.Holder, revoked: isBool },
  table_opened: { rules: NAMED.RuleSet, digest: NAMED.Hex32, 'owner?': NAMED.Name, 'idle_ms?': NAMED.Number,
    'replaces?': NAMED.Name, 'event?': NAMED.Name },
  table_closed: {},
  shoe_committed: { shoe_no: NAMED.Number, composition: NAMED.Composition, candidates: listOf(NAMED.Committed) },
  table_noted: { next_round: NAMED.Number, last_used: NAMED.Time, 'pause_until?': NAMED.Time,
    'betting?': NAMED.NotedBetting, 'cash?': NAMED.NotedCash },
  bets_opened: { round_no: NAMED.Number, shoe_no: NAMED.Number, 'closes_at?': NAMED.Time },
  bet_placed: { bet: NAMED.PlacedBet },
  bets_closed: { round_no: NAMED.Number, shoe_no: NAMED.Number, contributors: listOf(NAMED.PlacedBet), lanes: isSmall,
    reveal_by: NAMED.Time, 'announced?': NAMED.Announced },
  hand_called: { round_no: NAMED.Number, shoe_no: NAMED.Number, closes_at: NAMED.Time },
  hand_seed_committed: { player: NAMED.Name, commitment: NAMED.Hex32 },
  hand_seed_withdrawn: { player: NAMED.Name },
  call_lapsed: { round_no: NAMED.Number, cause: NAMED.CallLapse, 'announced?': NAMED.Announced },
  hand_begun: { round_no: NAMED.Number, shoe_no: NAMED.Number, contributors: listOf(fieldsOf({ player: NAMED.Name,
    commitment: NAMED.Hex32 })), reveal_by: NAMED.Time, 'announced?': NAMED.Announced, hand: NAMED.HandStart },
  seed_late: { round_no: NAMED.Number, player: NAMED.Name, seed: NAMED.Hex32 },
  seed_revealed: { player: NAMED.Name, seed: NAMED.Hex32 },
  round_opened: { entropy: NAMED.Hex32, pick: isByte, others: listOf(NAMED.Hex32), 'settle_by?': NAMED.Time },
  posted: { lines: listOf(NAMED.PostedLine) },
  round_settled: { round_no: NAMED.Number, staked: NAMED.Chips, returned: NAMED.Chips, players: NAMED.RoundResults },
  round_voided: { round_no: NAMED.Number, cause: NAMED.VoidCause, missing: listOf(NAMED.Name), ahead: NAMED.Ahead,
    players: NAMED.RoundResults, 'refunds?': isLong, 'kept?': NAMED.Kept,
    'standing?': fieldsOf({ put_in: listOf(NAMED.SeatChips), leading: listOf(NAMED.SeatNumber) }) },
  round_resumed: { round_no: NAMED.Number, 'reveal_by?': NAMED.Time, 'settle_by?': NAMED.Time, 'turn_by?': NAMED.Time },
  shoe_revealed: { shoe_no: NAMED.Number, seeds: listOf(NAMED.Hex32), 'cause?': NAMED.RetireCause },
  dealer_stopped: {},
  log_known: { log: NAMED.LogName, 'policy?': NAMED.Policy },
  transferred_out: { to: NAMED.LogName, no: NAMED.Number, player: NAMED.Name, amount: NAMED.Chips },
  transferred_in: { from: NAMED.LogName, no: NAMED.Number, index: NAMED.Number, player: NAMED.Name,
    amount: NAMED.Chips },
  wallet_asked: { no: NAMED.Number, call: NAMED.WalletCall, player: NAMED.Name, amount: NAMED.Chips },
  wallet_answered: { no: NAMED.Number, call: NAMED.WalletCall, answer: NAMED.WalletAnswer, 'reason?': NAMED.Reference },
  log_continues: { origin: NAMED.LongOrigin, key: NAMED.Hex32, size: NAMED.Number, root: NAMED.TreeRoot,
    new_key: NAMED.Hex32 },
  log_ended: { origin: NAMED.LongOrigin, key: NAMED.Hex32 },
  start_refused: { at: NAMED.Time, reason: NAMED.Reference },
  state_noted: { size: NAMED.Number, root: NAMED.Hex32 },
  seat_taken: { player: NAMED.Name, seat: isByte },
  seat_wanted: { player: NAMED.Name },
  seat_left: { player: NAMED.Name, seat: isByte },
  play_asked: { player: NAMED.Name },
  cooldown: { player: NAMED.Name, offence: oneOf('reveal_missing', 'went_away', 'no_bet'), offences: isLong,
    until: NAMED.Time },
  bet_cancelled: { player: NAMED.Name },
  bets_lapsed: { round_no: NAMED.Number, cause: NAMED.LapseCause, 'announced?': NAMED.Announced },
  last_hand: { shoe_no: NAMED.Number },
  pile_opened: { round_no: NAMED.Number, shoe_no: NAMED.Number, players: listOf(NAMED.Name), commit_by: NAMED.Time },
  seed_committed: { player: NAMED.Name, commitment: NAMED.Hex32 },
  pile_closed: { round_no: NAMED.Number, shoe_no: NAMED.Number, contributors: listOf(fieldsOf({ player: NAMED.Name,
    commitment: NAMED.Hex32 })), reveal_by: NAMED.Time },
  pile_shuffled: { round_no: NAMED.Number, entropy: NAMED.Hex32, pick: isByte },
  pile_failed: { round_no: NAMED.Number, missing: listOf(NAMED.Name) },
  shuffle_asked: {},
  shoe_sealed: { shoe_no: NAMED.Number, openings: NAMED.Openings },
  shoe_disclosed: { table: NAMED.Name, shoe_no: NAMED.Number, 'auditor?': NAMED.Name },
  chips_added: { player: NAMED.Name, seat: NAMED.SeatNumber, amount: NAMED.Chips, stack: NAMED.Chips },
  chips_asked: { player: NAMED.Name, seat: NAMED.SeatNumber, amount: NAMED.Chips },
  sat_in: { player: NAMED.Name, seat: NAMED.SeatNumber, entry: NAMED.ComeIn, straddle: isBool },
  sat_out: { player: NAMED.Name, seat: NAMED.SeatNumber, cause: oneOf('asked', 'no_commitment', 'timed_out',
    'reveal_missing', 'no_chips') },
  leave_asked: { player: NAMED.Name, seat: NAMED.SeatNumber },
  bank_used: { player: NAMED.Name, seat: NAMED.SeatNumber, used_ms: NAMED.Number, left_ms: NAMED.Number },
  left_early: { player: NAMED.Name, level: NAMED.Blinds, refusals: isLong, until: NAMED.Time },
  next_committed: { player: NAMED.Name, commitment: NAMED.Hex32 },
  set_seats: { level: isSmall, blinds: NAMED.EventBlinds, 'button?': NAMED.SeatNumber, 'doubled?': NAMED.Doubled,
    'late_extra_ms?': NAMED.LateExtra, seats: listOf(fieldsOf({ seat: NAMED.SeatNumber, player: NAMED.Name,
    stack: NAMED.Chips, bank_ms: NAMED.Number, 'cut_off?': NAMED.CutOff })) },
  posts_taken: { positions: NAMED.Positions, seats: listOf(fieldsOf({ seat: NAMED.SeatNumber, player: NAMED.Name,
    put_in: NAMED.Chips, got: NAMED.Chips, stack: NAMED.Chips })) },
};
const PLAY_EVENTS = {
  dealt: { lane: isSmall, slot: NAMED.Slot, to: NAMED.Place, 'card?': NAMED.Card },
  turned: { 'pile?': isSmall, slot: NAMED.Slot, card: NAMED.Card },
  peeked: { slot: NAMED.Slot, blackjack: isBool },
  offered: { decision: isLong, player: NAMED.Name, place: NAMED.Place, options: listOf(NAMED.Offer),
    deadline: NAMED.Time, 'bank_from?': NAMED.Time, 'extra_ms?': NAMED.ExtraMs },
  acted: { decision: isLong, player: NAMED.Name, action: NAMED.Action, cost: NAMED.Chips, default: isBool },
  paid: { lines: listOf(fieldsOf({ player: NAMED.Name, place: NAMED.Place, wager: oneOf('hand', 'insurance', 'bet',
    'entry'), outcome: NAMED.Outcome, stake: NAMED.Chips, returned: NAMED.Chips })) },
  spun: { slot: NAMED.Slot, value: isByte, pocket: isByte },
  shuffled: { pile: isSmall },
  absent: { player: NAMED.Name },
};
const SAFE_EVENTS = {
  opening: { player: NAMED.Name, place: NAMED.Place, why: oneOf('no_free_player', 'last_player', 'pile_short',
    'last_round') },
  discarded: { player: NAMED.Name, place: NAMED.Place, cards: listOf(NAMED.Card), why: oneOf('advanced', 'out',
    'opened', 'chosen') },
  out: { player: NAMED.Name, cause: NAMED.SafeOutCause, holder: isBool },
  pile_empty: { pile: isSmall },
  collected: { pile: isSmall, cards: listOf(NAMED.Card) },
  advanced: { round: isByte, players: listOf(NAMED.Name) },
  won: { player: NAMED.Name, by: NAMED.SafeWonBy },
};
const TOURNAMENT_COMMANDS = {
  create: { event: NAMED.Name, structure: NAMED.Structure, rules: NAMED.RuleSet, starts_at: NAMED.Time,
    registration_from: NAMED.Time },
  register: { event: NAMED.Name, commitment: NAMED.Hex32, pay: NAMED.Pay },
  set_bounty: { event: NAMED.Name, player: NAMED.Name, has: isBool },
  unregister: { event: NAMED.Name },
  rebuy: { event: NAMED.Name },
  decline_rebuy: { event: NAMED.Name, entry_no: NAMED.EntryNo },
  carry_out: { event: NAMED.Name, entry_no: NAMED.EntryNo },
  add_on: { event: NAMED.Name },
  offer_stake: { event: NAMED.Name, basis_points: NAMED.Number },
  buy_stake: { event: NAMED.Name, seller: NAMED.Name, basis_points: NAMED.Number },
  start: { event: NAMED.Name },
  call_draw: { event: NAMED.Name },
  reveal_seat_seed: { event: NAMED.Name, draw_no: isSmall, entry_no: NAMED.EntryNo, seed: NAMED.Hex32,
    'next?': NAMED.Hex32 },
  draw_seats: { event: NAMED.Name, draw_no: isSmall },
  move_player: { event: NAMED.Name },
  next_level: { event: NAMED.Name },
  settle_hand: { event: NAMED.Name, table: isSmall },
  next_round: { event: NAMED.Name },
  end_registration: { event: NAMED.Name },
  pay_places: { event: NAMED.Name },
  pay_bounties: { event: NAMED.Name },
  start_clock: { event: NAMED.Name },
  end: { event: NAMED.Name },
  want_deal: { event: NAMED.Name, want: isBool },
  propose_deal: { event: NAMED.Name, method: NAMED.DealMethod, 'amounts?': NAMED.Amounts },
  answer_deal: { event: NAMED.Name, digest: NAMED.AnyDigest, accept: isBool },
  disqualify: { event: NAMED.Name, player: NAMED.Name, reason: NAMED.Reference },
  substitute_prize: { event: NAMED.Name, place: NAMED.Number, what: NAMED.Reference, value: NAMED.Number },
  change_registration: { event: NAMED.Name, late_levels: isSmall, 'unregister_ms?': NAMED.Number,
    reason: NAMED.Reference },
  postpone: { event: NAMED.Name, starts_at: NAMED.Time, reason: NAMED.Reference },
  cancel: { event: NAMED.Name, cause: NAMED.CancelCause, instant: NAMED.Time, 'reason?': NAMED.Reference },
  pay_refunds: { event: NAMED.Name },
};
const TOURNAMENT_EVENTS = {
  created: { structure: NAMED.Structure, digest: NAMED.Digest, rules: NAMED.RuleSet, starts_at: NAMED.Time,
    registration_from: NAMED.Time, epoch: NAMED.Hex32, tip: NAMED.Hex32 },
  registered: { entry_no: NAMED.EntryNo, player: NAMED.Name, commitment: NAMED.Hex32,
    paid_by: fieldsOf({ cash: NAMED.Chips, t_dollars: NAMED.Chips, ticket: NAMED.Chips }), bounty: NAMED.Chips,
    non_unregisterable: isBool },
  bounty_set: { player: NAMED.Name, has: isBool },
  unregistered: { entry_no: NAMED.EntryNo },
  rebought: { entry_no: NAMED.EntryNo, chips: NAMED.Chips },
  added_on: { entry_no: NAMED.EntryNo, chips: NAMED.Chips },
  noted: { entry_no: NAMED.EntryNo, what: NAMED.Noted, 'reason?': NAMED.Reference },
  note_dropped: { entry_no: NAMED.EntryNo, what: NAMED.Noted, why: oneOf('stack', 'balance', 'room', 'over') },
  stake_offered: { player: NAMED.Name, basis_points: NAMED.BasisPoints },
  stake_sold: { seller: NAMED.Name, buyer: NAMED.Name, basis_points: NAMED.SoldPoints, price: NAMED.Chips },
  stakes_divided: { entry_no: NAMED.EntryNo },
  ticket_returned: { player: NAMED.Name, value: NAMED.Chips },
  started: { players: NAMED.Number },
  draw_called: { draw_no: isSmall, kind: NAMED.DrawKind, 'table?': isSmall, reveal_by: NAMED.Time },
  seat_seed_revealed: { draw_no: isSmall, entry_no: NAMED.EntryNo, seed: NAMED.Hex32, 'next?': NAMED.Hex32 },
  seats_drawn: { draw_no: isSmall, link: NAMED.Hex32, entropy: NAMED.Hex32, withheld: NAMED.Number },
  player_moved: { entry_no: NAMED.EntryNo, from: NAMED.PlaceAt, to: NAMED.PlaceAt },
  level_begun: { level: isSmall },
  break_begun: { until: NAMED.Time },
  break_ended: {},
  player_eliminated: { entry_no: NAMED.EntryNo, hand: NAMED.Number, table: isSmall, stack: NAMED.Chips,
    distance: isByte },
  rebuy_awaited: { entry_no: NAMED.EntryNo, until: NAMED.Time },
  bounty_won: { entry_no: NAMED.EntryNo, winners: listOf(fieldsOf({ entry_no: NAMED.EntryNo, to_total: NAMED.Chips,
    onto_head: NAMED.Chips })) },
  hand_for_hand: { round: NAMED.Number },
  registration_ended: { cause: NAMED.RegistrationEnd, entries: NAMED.Number, places: NAMED.Number },
  pool_final: { pool: NAMED.Chips, overlay: NAMED.Chips },
  prize_paid: { entry_no: NAMED.EntryNo, rank: NAMED.Rank, prize: fieldsOf({ 'cash?': NAMED.NotZero,
    'ticket?': NAMED.NotZero, 't_dollars?': NAMED.NotZero, 'substitute?': NAMED.NotZero }) },
  bounty_paid: { entry_no: NAMED.EntryNo, amount: NAMED.Chips },
  deal_wanted: { entry_no: NAMED.EntryNo, want: isBool },
  deal_proposed: { method: NAMED.DealMethod, digest: NAMED.Digest, amounts: NAMED.Amounts, answer_by: NAMED.Time },
  deal_answered: { entry_no: NAMED.EntryNo, accept: isBool },
  deal_made: { amounts: NAMED.Amounts },
  deal_off: {},
  player_disqualified: { entry_no: NAMED.EntryNo, reason: NAMED.Reference },
  prize_substituted: { place: NAMED.Number, what: NAMED.Reference, value: NAMED.Number },
  substitute_accepted: { entry_no: NAMED.EntryNo, place: NAMED.Number },
  registration_changed: { late_levels: isSmall, 'unregister_ms?': NAMED.Number },
  postponed: { starts_at: NAMED.Time },
  clock_stopped: { cause: NAMED.StandCause },
  clock_started: { cause: NAMED.StandCause },
  cancelled: { cause: NAMED.CancelCause, instant: NAMED.Time, case: NAMED.Case, method: oneOf('document', 'chip_count'),
    remaining: NAMED.Number, pool: NAMED.Chips, chips: NAMED.Chips, residual: NAMED.Chips },
  refunded: { entry_no: NAMED.EntryNo, fee: NAMED.Chips, bounty: NAMED.Chips, pool: NAMED.Chips, 'due?': NAMED.NotZero,
    'bought?': NAMED.NotZero, 'taken?': NAMED.NotZero },
  ended: { residual: NAMED.Chips },
};

// Commands and events by their words. The tables are those of spec/words.md, made by words.js in build.js.

const oneField = value => isObject(value) && Object.keys(value).length === 1;
/** Of each word of a table what its fields are. */
const formsOf = table => Object.fromEntries(Object.entries(table).map(([word, fields]) => [word, fieldsOf(fields)]));
/** An object of one property, a word of these. */
const oneOfForms = forms => value => {
  const [[word, inner]] = oneField(value) ? Object.entries(value) : [[]];
  return word !== undefined && Object.hasOwn(forms, word) && forms[word](inner);
};
const commandForm = { ...formsOf(COMMANDS), tournament: oneOfForms(formsOf(TOURNAMENT_COMMANDS)) };
const isPlay = oneOfForms({ ...formsOf(PLAY_EVENTS), poker: isPokerEvent, safe: oneOfForms(formsOf(SAFE_EVENTS)) });
const isEvent =
  oneOfForms({ ...formsOf(EVENTS), play: isPlay, tournament: oneOfForms(formsOf(TOURNAMENT_EVENTS)) });

// Counting that blackjack and Safe share: R000.6, R001.50, R003.1, R004.1, R002.2 with A002.a.

/** The value of a card, an ace as 1. */
function cardValue(card) {
  const rank = rankOf(card);
  return rank === 'A' ? 1 : 'TJQK'.includes(rank) ? 10 : Number(rank);
}

/** The total of a list of faces: the largest sum that is at most 21; otherwise the least sum. */
function handTotal(cards) {
  const least = cards.reduce((sum, card) => sum + cardValue(card), 0);
  return least <= 11 && cards.some((card) => rankOf(card) === 'A') ? least + 10 : least;
}

// What the games that chance alone decides have in common: bets on spots of a layout, events that nobody chooses, and
// one settlement (spec/games/baccarat.md, roulette.md).

/**
 * Such a game of its own parts: `begin` (what its state holds before the first event), `next` (the event before the
 * payments; null: all is known), `apply`, `isAhead` (whether anything is known), `returned` (of a bet, at its end). For
 * the log's figures: `oddsOf` a spot, its kind of bet with `[chance, return of a unit]` of each way, or with null.
 */
function chanceGame({ begin, next, apply, isAhead, returned, ...game }) {
  const settle = state =>
    state.bets.map(({ player, spot, stake }) => {
      const back = returned(state, { spot, stake });
      const outcome = back > stake ? 'win' : back === stake ? 'draw' : 'loss';
      return { player, place: spot, wager: 'bet', outcome, stake, returned: back };
    });
  return {
    spotIsSeat: false,
    leastPlayers: 1,
    lanes: () => 1,
    start: (rules, contributors) => ({
      options: rules.game[game.name], paid: false, lines: null, ...begin(),
      bets: contributors.flatMap(({ player, bets }) => bets.map(({ spot, stake }) => ({ player, spot, stake }))),
    }),
    next: state => (state.paid ? { done: true } : next(state) || { paid: { lines: settle(state) } }),
    apply(state, event) {
      if (event.paid) Object.assign(state, { paid: true, lines: event.paid.lines });
      else apply(state, event);
    },
    // Such a round is opened and over in one entry: nothing is ever decided in it.
    openDecisions: () => [],
    options: () => [],
    ahead(state) {
      if (!isAhead(state)) return 'nobody';
      const net = sum(settle(state).map(line => line.returned - line.stake));
      return net > 0 ? 'players' : net < 0 ? 'house' : 'level';
    },
    settled: state => state.paid,
    hands: () => [],
    ...game,
    view: state => ({
      ...game.view(state),
      bets: state.bets.map(({ player, spot, stake }, i) => {
        const { outcome, returned: back } = state.lines ? state.lines[i] : { outcome: null, returned: null };
        return { player, spot, stake, outcome, returned: back };
      }),
    }),
    told: {
      table: game.told,
      player: ({ bets }, player, who, say) => betsInWords(bets.filter(bet => bet.player === player), say),
    },
  };
}

// Blackjack, in all its forms: spec/games/blackjack.md. The rows of "What comes next" are the rows here, under their
// numbers.

const blackjack = (() => {
  const flag = (value) => typeof value === 'boolean';
  const word = (...words) => (value) => words.includes(value);
  const whole = (least, most) => (value) => Number.isSafeInteger(value) && value >= least && value <= most;

  /** The options in the order of the page, each with its bounds. */
  const OPTIONS = {
    decks: whole(1, 8),
    boxes: whole(1, 7),
    deal_order: word('interleaved', 'pp_dd'),
    up_card: word('dealt_up', 'turned_after_deal'),
    peek: word('none', 'ace', 'ten_ace'),
    blackjack_pays: pays =>
      Array.isArray(pays) && pays.length === 2 && whole(1, 100)(pays[1]) && whole(1.5 * pays[1], 10 * pays[1])(pays[0]),
    blackjack_rounding: word('up', 'down'),
    hit_blackjack: flag,
    auto_stand_21: flag,
    card_limit: limit => limit === 0 || whole(3, 21)(limit),
    double_amount: word('exact', 'up_to'),
    double_after_split: flag,
    double_any_cards: flag,
    split_by_value: flag,
    max_hands: hands => hands === 'unlimited' || whole(2, 128)(hands),
    second_cards: word('when_played', 'at_once'),
    split_aces: word('free', 'one_card'),
    split_cancels_dealer_blackjack: flag,
    surrender: word('none', 'early', 'late'),
    surrender_any_time: flag,
    insurance: word('none', 'stake_back', 'half'),
    insurance_odds: word('none', '2:1', '3:1'),
    insure_blackjack: flag,
    even_money_upcards: word('none', 'ten', 'ace'),
    draw_against_blackjack: flag,
    dealer_always_draws: flag,
    settle_at_once: flag,
    pay_blackjack_at_once: flag,
    settlement_order: word('left_to_right', 'right_to_left'),
  };

  /** What an entry can hold of them at all. */
  const form = fieldsOf({
    ...OPTIONS,
    decks: isByte, boxes: isByte, card_limit: isByte,
    blackjack_pays: listOf(isLong, 2, 2),
    max_hands: hands => hands === 'unlimited' || isLong(hands),
  });

  /** Each contradiction of the page, and its condition. */
  const CONTRADICTIONS = [
    [
      'a solo table has 1 seat, a shared one as many as boxes, 2 or more',
      (o, t) => t.seats !== (t.mode === 'solo' ? 1 : o.boxes) || (t.mode === 'shared' && t.seats < 2),
    ],
    [
      'a solo table deals sequentially, a shared one in lanes',
      (o, t) => t.dealing !== (t.mode === 'solo' ? 'sequential' : 'lanes'),
    ],
    ['bets_per_player is from 1 to the boxes', (o, t) => !whole(1, o.boxes)(t.bets_per_player)],
    [
      'the shoe does not suffice for a round',
      (o, t) => leastLeft(t.reshuffle, 52 * o.decks) < reserve(o, leastLeft(t.reshuffle, 52 * o.decks)),
    ],
    ['a refund is for solo tables', (o, t) => t.abandon === 'refund' && t.mode !== 'solo'],
    ['double_any_cards with a card_limit of 3', o => o.double_any_cards && o.card_limit === 3],
    [
      'split_cancels_dealer_blackjack with a look under tens and aces',
      o => o.split_cancels_dealer_blackjack && o.peek === 'ten_ace',
    ],
    [
      'an early surrender where the dealer looks',
      o => o.surrender === 'early' && (o.peek !== 'none' || o.insurance === 'stake_back'),
    ],
    ['surrender_any_time without a surrender', o => o.surrender_any_time && o.surrender === 'none'],
    [
      'insurance_odds go with insurance half, and with no other',
      o => (o.insurance === 'half') === (o.insurance_odds === 'none'),
    ],
    [
      'insure_blackjack with even money under an ace',
      o => o.insure_blackjack && o.even_money_upcards === 'ace' && o.insurance !== 'none',
    ],
    [
      'pay_blackjack_at_once where the dealer does not look under tens and aces',
      o => o.pay_blackjack_at_once && o.peek !== 'ten_ace',
    ],
    [
      'pay_blackjack_at_once where a blackjack is still played',
      o => o.pay_blackjack_at_once && (o.hit_blackjack || o.draw_against_blackjack),
    ],
  ];

  /** The most cards that a round takes from `left` in the mix of a whole pack: spec/games/blackjack.md, "Reserve". */
  function reserve({ boxes, auto_stand_21, card_limit }, left) {
    const hands = 2 * boxes, each = Math.ceil(left / 13);
    let budget = hands * (auto_stand_21 ? 20 : 21) + 16, taken = 0;
    for (let value = 1; value <= 9; value++) {
      const drawn = Math.min(each, Math.floor(budget / value));
      taken += drawn;
      budget -= drawn * value;
    }
    const most = taken + Math.floor(budget / 10) + hands + 1;
    return card_limit ? Math.min(most, card_limit * (hands + 1)) : most;
  }

  /** The least number of cards with which a round begins; -1 if the shoe could never have enough. */
  function leastLeft(reshuffle, slots) {
    if (reshuffle === 'every_round') return slots;
    const [[rule, n]] = Object.entries(reshuffle);
    if (!whole(0, slots - 1)(n)) return -1;
    return rule === 'left_at_most' ? n + 1 : n;
  }

  function refuseRules(rules) {
    const options = rules.game.blackjack;
    const outside = Object.keys(OPTIONS).find((name) => !OPTIONS[name](options[name]));
    if (outside) return outside + ' is outside its bounds';
    const against = CONTRADICTIONS.find(([, holds]) => holds(options, rules.table));
    return against ? against[0] : null;
  }

  // --- The state -------------------------------------------------------------------------------

  const newHand = (stake) => ({ cards: [], stake, choice: null, due: false, paid: false });

  function start(rules, contributors) {
    const boxes = contributors.flatMap(({ player, bets }) =>
      bets.map(({ spot, stake }) => ({ spot: Number(spot), player, stake, premium: null, hands: [newHand(stake)] })));
    boxes.sort((a, b) => a.spot - b.spot);
    return {
      options: rules.game.blackjack,
      lanes: rules.table.dealing === 'lanes',
      boxes,
      dealer: [],
      peeked: null,
      window: { open: true, next: 0 },
      decisions: 0,
      asked: [],
    };
  }

  const faces = (cards) => cards.filter(({ card }) => card).map(({ card }) => card);
  const total = (hand) => handTotal(faces(hand.cards));
  const eachHand = (g) => g.boxes.flatMap((box) => box.hands.map((hand, index) => ({ box, hand, index })));
  const place = (box, index) => box.spot + '/' + (index + 1);
  const upCard = (g) => g.dealer.length > 0 ? g.dealer[0].card : null;
  const holeHidden = (g) => g.dealer.length < 2 || !g.dealer[1].card;
  const isBlackjack = (box, hand) => box.hands.length === 1 && hand.cards.length === 2 && total(hand) === 21;
  const isBust = (hand) => total(hand) > 21;
  const dealerTotal = (g) => handTotal(faces(g.dealer));
  const dealerHas21 = (g) => !holeHidden(g) && handTotal([g.dealer[0].card, g.dealer[1].card]) === 21;
  const isTen = (card) => cardValue(card) === 10;
  const isAce = (card) => cardValue(card) === 1;
  const isDecided = (g) => g.options.surrender === 'early' || g.options.peek === 'ten_ace';
  const isExcluded = (g) => g.peeked === false || (!isTen(upCard(g)) && !isAce(upCard(g)));
  const stillPlays = ({ box, hand }, g) =>
    !hand.paid &&
    !isBust(hand) &&
    hand.choice !== 'surrender' &&
    hand.choice !== 'even_money' &&
    (!isBlackjack(box, hand) || g.options.draw_against_blackjack);

  /** The places of the opening cards, in order. */
  function dealOrder(g) {
    const all = g.boxes.map((box) => place(box, 0));
    return g.options.deal_order === 'interleaved'
      ? [...all, 'dealer', ...all, 'dealer']
      : [...all.flatMap((to) => [to, to]), 'dealer', 'dealer'];
  }

  const dealt = (g) => g.boxes.reduce((sum, box) => sum + box.hands[0].cards.length, g.dealer.length);
  const isDealt = g =>
    g.dealer.length >= 2 && g.boxes.every(box => box.hands.length > 1 || box.hands[0].cards.length >= 2);

  function isFinished(g, box, hand) {
    const { options } = g;
    if (hand.paid || ['stand', 'surrender', 'even_money'].includes(hand.choice)) return true;
    if (hand.due) return false;
    if (hand.choice === 'double' || isBust(hand)) return true;
    if (options.card_limit !== 0 && hand.cards.length >= options.card_limit) return true;
    if (hand.cards.length < 2) return false;
    return (options.auto_stand_21 && total(hand) === 21)
      || (options.split_aces === 'one_card' && box.hands.length > 1 && isAce(hand.cards[0].card))
      || (isBlackjack(box, hand) && !options.hit_blackjack);
  }

  // --- What comes next -------------------------------------------------------------------------

  const premiumOf = (g, box) =>
    g.options.insurance === 'stake_back' ? (box.stake + (box.stake % 2)) / 2 : (box.stake - (box.stake % 2)) / 2;

  /** The window's question to a box, or null. */
  function question(g, box, balance) {
    const up = upCard(g);
    const natural = isBlackjack(box, box.hands[0]);
    const named = { none: () => false, ten: isTen, ace: isAce }[g.options.even_money_upcards];
    if (natural && named(up)) return { action: 'even_money', cost: 0 };
    if (g.options.insurance === 'none' || !isAce(up) || (natural && !g.options.insure_blackjack)) return null;
    const cost = premiumOf(g, box);
    return cost > 0 && cost <= balance ? { action: 'insurance', cost } : null;
  }

  const windowAsks = (g, env) =>
    g.boxes.findIndex((box, at) => at >= g.window.next && question(g, box, env.balance(box.player)) !== null);

  /** The possible choices at a hand's turn, in the order of the page; the funds are checked elsewhere. */
  function possible(g, box, hand, balance) {
    const { options } = g;
    const two = hand.cards.length === 2;
    const natural = isBlackjack(box, hand);
    const split = box.hands.length > 1;
    const list = [{ action: 'hit', cost: 0 }, { action: 'stand', cost: 0 }];
    if (!natural && (two || options.double_any_cards) && (!split || options.double_after_split)) {
      list.push({
        action: 'double',
        cost: options.double_amount === 'exact' ? box.stake : Math.max(1, Math.min(box.stake, balance)),
      });
    }
    if (two && isPair(options, hand) && (options.max_hands === 'unlimited' || box.hands.length < options.max_hands)) {
      list.push({ action: 'split', cost: box.stake });
    }
    if (options.surrender !== 'none' && !natural && (options.surrender_any_time || (two && !split))) {
      list.push({ action: 'surrender', cost: 0 });
    }
    return list;
  }

  function isPair(options, hand) {
    const [first, second] = faces(hand.cards);
    return options.split_by_value ? cardValue(first) === cardValue(second) : rankOf(first) === rankOf(second);
  }

  const dealTo = (g, to, hidden) => {
    const lane = !g.lanes
      ? 0
      : to === 'dealer'
        ? g.boxes.length
        : g.boxes.findIndex(({ spot }) => spot === Number(to.split('/')[0]));
    return { dealt: { lane, to, hidden } };
  };
  const dealToFirst = (g, test) => {
    const found = eachHand(g).find(test);
    return found && dealTo(g, place(found.box, found.index), false);
  };
  const ask = (box, index, options) => ({ offered: { player: box.player, place: place(box, index), options } });
  const firstUnfinished = (g) => eachHand(g).find(({ box, hand }) => !isFinished(g, box, hand));
  const isPremiumOpen = ({ premium }) => premium !== null && !premium.paid;
  const isAllPaid = (g) => g.boxes.every((box) => !isPremiumOpen(box) && box.hands.every(({ paid }) => paid));
  const looksUnder = { none: () => false, ace: isAce, ten_ace: (card) => isTen(card) || isAce(card) };

  const isLookDue = (g) => g.peeked === null && holeHidden(g) && (looksUnder[g.options.peek](upCard(g))
    || (g.options.insurance === 'stake_back' && g.boxes.some(({ premium }) => premium !== null)));

  function dealerDraws(g) {
    const { card_limit: limit, dealer_always_draws: always } = g.options;
    return isDealt(g) && !holeHidden(g) && dealerTotal(g) <= 16 && (limit === 0 || g.dealer.length < limit)
      && (always || eachHand(g).some((each) => stillPlays(each, g)));
  }

  const isSettledAtOnce = (g, hand) =>
    isBust(hand) || hand.choice === 'even_money' || (hand.choice === 'surrender' && isDecided(g));

  const ROWS = [
    /* 1 */ g => isDealt(g) && isAllPaid(g) && !holeHidden(g) && !dealerDraws(g) && { done: true },
    /* 2 */ g => {
      if (isDealt(g)) return null;
      const to = dealOrder(g)[dealt(g)];
      return dealTo(g, to, to === 'dealer' && (g.dealer.length === 1 || g.options.up_card === 'turned_after_deal'));
    },
    /* 3 */ g => upCard(g) === null && { turned: { slot: g.dealer[0].slot } },
    /* 4 */ g => g.options.settle_at_once && pay(g, false, ({ hand }) => isSettledAtOnce(g, hand)),
    /* 5 */ (g, env) => {
      if (!g.window.open) return null;
      const box = g.boxes[windowAsks(g, env)];
      return box && ask(box, 0, [question(g, box, env.balance(box.player))]);
    },
    /* 6 */ g => g.asked.length > 0 && { wait: 'decision' },
    /* 7 */ g => isLookDue(g) && { peeked: { slot: g.dealer[1].slot } },
    /* 8 */ g => g.peeked === false && pay(g, true, () => false),
    /* 9 */ g => g.peeked === true && holeHidden(g) && { turned: { slot: g.dealer[1].slot } },
    /* 10 */ g => g.peeked === true && pay(g, true, () => true),
    /* 11 */ g =>
      g.options.pay_blackjack_at_once && isExcluded(g) && pay(g, false, ({ box, hand }) => isBlackjack(box, hand)),
    /* 12 */ g => dealToFirst(g, ({ hand }) => hand.due),
    /* 13 */ g => g.options.second_cards === 'at_once' && dealToFirst(g, ({ hand }) => hand.cards.length === 1),
    /* 14 */ g => {
      const first = firstUnfinished(g);
      return first && first.hand.cards.length === 1 && dealTo(g, place(first.box, first.index), false);
    },
    /* 15 */ (g, env) => {
      const first = firstUnfinished(g);
      if (!first) return null;
      const balance = env.balance(first.box.player);
      return ask(
        first.box,
        first.index,
        possible(g, first.box, first.hand, balance).filter(({ cost }) => cost <= balance),
      );
    },
    /* 16 */ g => holeHidden(g) && { turned: { slot: g.dealer[1].slot } },
    /* 17 */ g => dealerDraws(g) && dealTo(g, 'dealer', false),
    /* 18 */ g => pay(g, true, () => true),
  ];

  function next(g, env) {
    for (const row of ROWS) {
      const step = row(g, env);
      if (step) return step;
    }
    return broken('nothing comes next');
  }

  // --- Settlement ------------------------------------------------------------------------------

  /** The `paid` of the unpaid premiums, if asked for, and of the unpaid hands chosen; null if there is none. */
  function pay(g, premiums, chosen) {
    const ordered = (list) => g.options.settlement_order === 'right_to_left' ? [...list].reverse() : list;
    const lines = ordered(g.boxes).flatMap((box) => {
      const hands = ordered(box.hands.map((hand, index) => ({ box, hand, index })));
      return [
        ...(premiums && isPremiumOpen(box)
          ? [line(box, 0, 'insurance', box.premium.amount, premiumResult(g, box))]
          : []),
        ...hands
          .filter(each => !each.hand.paid && chosen(each))
          .map(({ hand, index }) => line(box, index, 'hand', hand.stake, result(g, box, hand))),
      ];
    });
    return lines.length > 0 ? { paid: { lines } } : null;
  }

  const line = (box, index, wager, stake, [outcome, returned]) => ({
    player: box.player,
    place: place(box, index),
    wager,
    outcome,
    stake,
    returned,
  });

  function premiumResult(g, box) {
    if (!dealerHas21(g)) return ['loss', 0];
    const { amount } = box.premium;
    return [
      'win',
      g.options.insurance === 'stake_back' ? amount + box.stake : amount * (g.options.insurance_odds === '2:1' ? 3 : 4),
    ];
  }

  const blackjackStrength = (g, box) => box.hands.length > 1 && g.options.split_cancels_dealer_blackjack ? 21 : 22;

  function dealerStrength(g, box) {
    if (dealerHas21(g)) return blackjackStrength(g, box);
    return dealerTotal(g) > 21 ? 0 : dealerTotal(g);
  }

  function blackjackWin(g, stake) {
    const [n, d] = g.options.blackjack_pays;
    const rest = (stake * n) % d; // at most 10^12 * 1000, so exact
    return (stake * n - rest) / d + (rest > 0 && g.options.blackjack_rounding === 'up' ? 1 : 0);
  }

  function result(g, box, hand) {
    const against = dealerStrength(g, box);
    const { stake } = hand;
    if (hand.choice === 'even_money') return ['even_money', 2 * stake];
    if (hand.choice === 'surrender') {
      return g.options.surrender === 'late' && against === 22 ? ['loss', 0] : ['surrender', (stake - stake % 2) / 2];
    }
    if (isBust(hand)) return ['bust', 0];
    const own = isBlackjack(box, hand) ? 22 : total(hand);
    if (own < against) return ['loss', 0];
    if (own === against) return ['draw', stake];
    return own === 22 ? ['blackjack', stake + blackjackWin(g, stake)] : ['win', 2 * stake];
  }

  // --- Choices ---------------------------------------------------------------------------------

  const boxOf = (g, at) => {
    const [spot, number] = at.split('/').map(Number);
    const box = g.boxes.find((each) => each.spot === spot);
    return { box, index: number - 1, hand: box && box.hands[number - 1] };
  };
  const nameOf = (action) => typeof action === 'string' ? action : Object.keys(action)[0];

  function act(g, player, decision, action, balance) {
    const asked = g.asked.find((each) => each.decision === decision);
    if (!asked) refuse('decision_not_open', 'decision ' + decision + ' is not open');
    if (asked.player !== player) refuse('not_your_decision', 'decision ' + decision + ' belongs to ' + asked.player);
    const { box, hand } = boxOf(g, asked.place);
    const name = nameOf(action);
    const offers = asked.window ? [asked.window] : possible(g, box, hand, balance);
    const offer = offers.find((each) => each.action === name);
    if (!offer) refuse('action_not_offered', name + ' is not possible here');
    let { cost } = offer;
    if (name === 'insurance' || name === 'even_money') cost = action[name].take ? cost : 0;
    if (name === 'double') {
      const { amount = box.stake } = action.double;
      const least = g.options.double_amount === 'exact' ? box.stake : 1;
      if (amount < least || amount > box.stake)
        refuse('extra_stake_refused', 'the extra stake is from ' + least + ' to ' + box.stake);
      cost = amount;
    }
    if (cost > balance) refuse('insufficient_balance', name + ' costs ' + cost + ', the balance is ' + balance);
    return { player, action, cost };
  }

  /** The choices now for a player with this balance. */
  function options(g, decision, balance) {
    const { window, place: at } = g.asked.find((each) => each.decision === decision), { box, hand } = boxOf(g, at);
    return (window ? [window] : possible(g, box, hand, balance)).filter(({ cost }) => cost <= balance);
  }

  function defaultAction(g, decision) {
    const { window } = g.asked.find((each) => each.decision === decision);
    return window ? { [window.action]: { take: false } } : 'stand';
  }

  /** The effect of a judged action on the hand asked. */
  const EFFECTS = {
    hit: ({ hand }) => { hand.due = true; },
    stand: ({ hand }) => { hand.choice = 'stand'; },
    surrender: ({ hand }) => { hand.choice = 'surrender'; },
    double: ({ hand }, cost) => { Object.assign(hand, { choice: 'double', due: true, stake: hand.stake + cost }); },
    split: ({ box, hand, index }, cost) => {
      const moved = newHand(cost);
      moved.cards.push(hand.cards.pop());
      box.hands.splice(index + 1, 0, moved);
    },
    insurance: ({ box }, cost, { take }) => { if (take) box.premium = { amount: cost, paid: false }; },
    even_money: ({ hand }, cost, { take }) => { if (take) hand.choice = 'even_money'; },
  };

  // --- Events ----------------------------------------------------------------------------------

  const APPLY = {
    dealt(g, { slot, to, card = null }) {
      if (to === 'dealer') return g.dealer.push({ slot, card });
      const { hand } = boxOf(g, to);
      hand.due = false;
      return hand.cards.push({ slot, card });
    },
    turned(g, { slot, card }) {
      g.dealer.find((each) => each.slot === slot).card = card;
      if (g.peeked !== null && !holeHidden(g) && dealerHas21(g) !== g.peeked)
        broken('the hole card is not what the peek said');
    },
    peeked(g, { blackjack: has }) {
      g.peeked = has;
    },
    offered(g, { player, place: at, options }) {
      const inWindow = ['insurance', 'even_money'].includes(options[0].action);
      if (inWindow) g.window.next = g.boxes.indexOf(boxOf(g, at).box) + 1;
      g.asked.push({ decision: g.decisions, player, place: at, window: inWindow ? options[0] : null });
      g.decisions += 1;
    },
    acted(g, { decision, action, cost }) {
      const { place: at } = g.asked.find((each) => each.decision === decision);
      g.asked = g.asked.filter((each) => each.decision !== decision);
      EFFECTS[nameOf(action)](boxOf(g, at), cost, action[nameOf(action)]);
    },
    paid(g, { lines }) {
      for (const { place: at, wager, outcome, returned } of lines) {
        const { box, hand } = boxOf(g, at);
        (wager === 'insurance' ? box.premium : hand).paid = { outcome, returned };
      }
    },
  };

  function apply(g, event) {
    const [[name, fields]] = Object.entries(event);
    const closes = name !== 'offered' && isDealt(g) && upCard(g) !== null;
    APPLY[name](g, fields);
    if (closes) g.window.open = false;
  }

  // --- Who is ahead ----------------------------------------------------------------------------

  function ahead(g) {
    const up = upCard(g);
    if (up === null) return 'nobody';
    const sum = eachHand(g)
      .filter(({ hand }) => hand.cards.length > 0)
      .reduce((all, each) => all + standing(g, up, each), 0);
    return sum > 0 ? 'players' : sum < 0 ? 'house' : 'level';
  }

  /** The hidden card counts as a ten, so a shown ace makes a blackjack until a peek denies it. */
  function shownStrength(g, box, up) {
    if (!isAce(up)) return cardValue(up) + 10;
    return g.peeked === false ? 20 : blackjackStrength(g, box);
  }

  function standing(g, up, { box, hand }) {
    if (hand.choice === 'even_money') return hand.stake;
    const against = holeHidden(g) ? shownStrength(g, box, up) : dealerStrength(g, box);
    const own = isBlackjack(box, hand) ? 22 : total(hand);
    if (hand.choice === 'surrender')
      return (against === 22 && g.options.surrender === 'late' ? 0 : (hand.stake - (hand.stake % 2)) / 2) - hand.stake;
    if (isBust(hand) || own < against) return -hand.stake;
    return own > against ? hand.stake : 0;
  }

  /** Its table: `GameView`. */
  function view({ boxes, dealer }) {
    const handView = (box, hand) => ({
      cards: cardsOf(hand.cards),
      ...pointsOf(hand.cards),
      stake: hand.stake,
      stood: hand.choice === 'stand',
      doubled: hand.choice === 'double',
      ...(hand.choice === 'surrender' ? { surrendered: true } : {}),
      ...(hand.choice === 'even_money' ? { even_money: true } : {}),
      blackjack: box.hands.length === 1 && hand.cards.length === 2 && pointsOf(hand.cards).total === 21,
      outcome: hand.paid ? hand.paid.outcome : null,
      returned: hand.paid ? hand.paid.returned : null,
    });
    const boxView = box => ({
      spot: box.spot,
      player: box.player,
      stake: box.stake,
      insurance: box.premium && {
        premium: box.premium.amount,
        returned: box.premium.paid ? box.premium.paid.returned : null,
      },
      hands: box.hands.map(hand => handView(box, hand)),
    });
    return { boxes: boxes.map(boxView), dealer: { cards: cardsOf(dealer), ...pointsOf(dealer) } };
  }

  const told = {
    table({ dealer }, say, over) {
      if (!dealer.cards.length) return [];
      if (!over || dealer.cards.some(({ card }) => !card))
        return dealer.total ? [say('dealer_shows', { total: dealer.total })] : [];
      const how = natural(dealer.cards) ? 'blackjack' : dealer.total > 21 ? 'bust' : 'had';
      return [say(`dealer_${how}`, { total: dealer.total })];
    },
    player({ boxes, dealer }, player, who, say) {
      const own = boxes.filter(box => box.player === player), lines = [];
      const dealerHas21 = natural(dealer.cards);
      for (const box of own) {
        box.hands.forEach((hand, at) => {
          const name = own.length > 1 ? (box.hands.length > 1 ? 'box_hand' : 'box') : box.hands.length > 1 && 'hand';
          const values = { n: own.length > 1 ? box.spot : at + 1, m: at + 1 };
          const key = {
            blackjack: 'bj_blackjack', surrender: 'bj_surrender', even_money: 'bj_even_money', bust: 'bj_bust',
            win: dealer.total > 21 ? 'bj_win_bust' : 'bj_win',
            draw: hand.blackjack && dealerHas21 ? 'bj_draw_blackjack' : 'bj_draw',
            loss: dealerHas21 ? 'bj_loss_blackjack' : 'bj_loss',
          }[hand.outcome] || 'bj_open';
          const told = say(key, {
            who, total: hand.total, dealer: dealer.total, stake: grouped(hand.stake),
            net: grouped(hand.returned - hand.stake), returned: grouped(hand.returned || 0),
          });
          lines.push((name ? say(name, values) : '') + told);
        });
        if (box.insurance && box.insurance.returned !== null) {
          const { premium: stake, returned } = box.insurance;
          const key = returned > stake ? 'insurance_won' : returned === stake ? 'insurance_back' : 'insurance_lost';
          lines.push(say(key, { stake: grouped(stake), returned: grouped(returned) }));
        }
      }
      return lines;
    },
  };

  /** Its cards, hand by hand (told.js). */
  const hands = ({ boxes, dealer }, { say, called, me, worthOf }) => [
    { name: say('dealer'), worth: worthOf(dealer), cards: dealer.cards, wide: true },
    ...boxes.flatMap(({ spot, player, hands }) => hands.map((one, at) => {
      const box = boxes.length > 1 ? `, ${say('box_name', { n: spot })}` : '';
      const split = hands.length > 1 ? `, ${say('hand_name', { n: at + 1 })}` : '';
      return { name: `${called(player)}${box}${split}`, worth: worthOf(one), cards: one.cards, mine: player === me };
    })),
  ];

  return {
    name: 'blackjack',
    fields: Object.keys(OPTIONS),
    form,
    refuseRules,
    composition: rules => '52x' + rules.game.blackjack.decks,
    spotIsSeat: true,
    refuseSpot: (rules, { spot }) =>
      /^[1-9]$/.test(spot) && Number(spot) <= rules.game.blackjack.boxes ? null : 'unknown_spot',
    leastPlayers: 1,
    lanes: (rules, contributors) =>
      rules.table.dealing === 'lanes' ? contributors.reduce((sum, { bets }) => sum + bets.length, 1) : 1,
    start,
    next,
    apply,
    act,
    openDecisions: g => g.asked.map(({ decision, player, place: at }) => ({ decision, player, place: at })),
    defaultAction,
    options,
    ahead,
    settled: g => Boolean(ROWS[0](g)),
    view, told, hands,
  };
})();

// Baccarat: spec/games/baccarat.md.

const baccarat = (() => {
  const points = cards => sum(cards.map(card => 'A23456789'.indexOf(rankOf(card)) + 1)) % 10;
  const bankerThird = {
    0: '0123456789', 1: '0123456789', 2: '0123456789', 3: '012345679', 4: '234567', 5: '4567', 6: '67', 7: '',
  };

  /** The place of the next card, or null: the coup is over. */
  function drawsTo({ player, banker }) {
    if (player.length < 2 || banker.length < 2) return player.length <= banker.length ? 'player' : 'banker';
    const p = points(player), b = points(banker.slice(0, 2));
    const natural = points(player.slice(0, 2)) >= 8 || b >= 8;
    if (natural || banker.length === 3) return null;
    if (player.length === 2 && p <= 5) return 'player';
    const third = player[2];
    const draws = third === undefined ? b <= 5 : (bankerThird[b] || '').includes(String(points([third])));
    return draws ? 'banker' : null;
  }

  /** How often a coup of eight packs ends so: spec/games/odds.md. */
  const CHANCES = { player: 0.446247, banker: 0.458597, tie: 0.095156 };

  const scale = (stake, numerator, denominator) => Number((BigInt(stake) * BigInt(numerator)) / BigInt(denominator));

  const winnerOf = ({ player, banker }) => {
    const ahead = points(player) - points(banker);
    return ahead > 0 ? 'player' : ahead < 0 ? 'banker' : 'tie';
  };

  return chanceGame({
    name: 'baccarat',
    fields: ['decks', 'commission', 'banker_min', 'tie_pays'],
    spots: () => ['player', 'banker', 'tie'],
    form: fieldsOf({ decks: isByte, commission: listOf(isLong, 2, 2), banker_min: isAmount, tie_pays: isLong }),

    refuseRules(rules) {
      const { decks, commission, banker_min, tie_pays } = rules.game.baccarat, table = rules.table;
      if (!whole(1, 8)(decks)) return 'decks is 1 to 8';
      if (
        !isList(commission) ||
        commission.length !== 2 ||
        !commission.every(isAmount) ||
        !(commission[0] < commission[1] && commission[1] <= 10000)
      )
        return 'commission is [n, d] with n below d';
      if (!isAmount(banker_min) || !whole(1, 100)(tie_pays)) return 'banker_min or tie_pays is out of range';
      if (table.dealing !== 'sequential') return 'baccarat is dealt sequentially';
      if (table.bets_per_player > 3) return 'there are three spots';
      if (table.reshuffle !== 'every_round' && leftByReshuffle(table.reshuffle) < 6)
        return 'reshuffle leaves fewer than six cards for a coup';
      const least = Math.ceil(Math.max(banker_min, table.stake_min) / table.stake_step) * table.stake_step;
      if (least > table.stake_max || scale(least, commission[1] - commission[0], commission[1]) < 1)
        return 'no Banker stake wins anything';
      return null;
    },
    composition: rules => `52x${rules.game.baccarat.decks}`,
    refuseSpot(rules, { spot, stake }) {
      if (!['player', 'banker', 'tie'].includes(spot)) return 'unknown_spot';
      return spot === 'banker' && stake < rules.game.baccarat.banker_min ? 'below_minimum' : null;
    },
    begin: () => ({ player: [], banker: [], slots: { player: [], banker: [] } }),
    next(state) {
      const to = drawsTo(state);
      return to && { dealt: { lane: 0, to, hidden: false } };
    },
    apply(state, { dealt }) {
      state[dealt.to].push(dealt.card);
      state.slots[dealt.to].push(dealt.slot);
    },
    isAhead: state => state.banker.length > 0,
    returned(state, { spot, stake }) {
      const { commission: [n, d], tie_pays } = state.options, winner = winnerOf(state);
      if (spot !== winner) return winner === 'tie' ? stake : 0;
      return stake + (spot === 'player' ? stake : spot === 'banker' ? scale(stake, d - n, d) : stake * tie_pays);
    },
    oddsOf: ({ decks, commission: [n, d], tie_pays }, spot) => ({
      kind: spot,
      ways: decks === 8 ? {
        player: [[CHANCES.player, 2], [CHANCES.tie, 1]],
        banker: [[CHANCES.banker, 2 - n / d], [CHANCES.tie, 1]],
        tie: [[CHANCES.tie, 1 + tie_pays]],
      }[spot] : null,
    }),
    view(state) {
      const hand = name => ({
        cards: state[name].map((card, i) => ({ slot: state.slots[name][i], card })),
        points: points(state[name]),
      });
      return { player: hand('player'), banker: hand('banker'), outcome: drawsTo(state) ? null : winnerOf(state) };
    },
    told: ({ player, banker, outcome }, say) =>
      (outcome
        ? [say('coup', { player: player.points, banker: banker.points, winner: say(`coup_${outcome}`) })]
        : []),
    hands: ({ player, banker }, { say, point }) => [point(say('player'), player), point(say('banker'), banker)],
  });
})();

// Roulette: spec/games/roulette.md.

const roulette = (() => {
  const RED = [1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36];
  const oneTo36 = Array.from({ length: 36 }, (_, i) => i + 1);
  const range = (from, to) => oneTo36.slice(from - 1, to);

  /** Every spot of the layout in its one spelling: its numbers and its payout kind. */
  const spots = (() => {
    const all = new Map();
    const lay = (kind, numbers, name) => all.set(`${kind}:${name || numbers.join('-')}`, { kind, numbers });
    for (let n = 0; n <= 36; n++) lay('straight', [n]);
    for (const n of [1, 2, 3]) lay('split', [0, n]);
    for (const n of oneTo36) {
      if (n % 3) lay('split', [n, n + 1]);
      if (n <= 33) lay('split', [n, n + 3]);
      if (n % 3 === 1) lay('street', range(n, n + 2));
      if (n % 3 && n <= 32) lay('corner', [n, n + 1, n + 3, n + 4]);
      if (n % 3 === 1 && n <= 31) lay('line', range(n, n + 5), `${n}-${n + 5}`);
    }
    lay('street', [0, 1, 2]);
    lay('street', [0, 2, 3]);
    lay('corner', [0, 1, 2, 3]);
    for (const n of [1, 2, 3]) {
      lay('column', oneTo36.filter(m => m % 3 === n % 3), String(n));
      lay('dozen', range(12 * n - 11, 12 * n), String(n));
    }
    const even = {
      red: RED,
      black: oneTo36.filter(n => !RED.includes(n)),
      odd: oneTo36.filter(n => n % 2),
      even: oneTo36.filter(n => n % 2 === 0),
      low: range(1, 18),
      high: range(19, 36),
    };
    for (const [name, numbers] of Object.entries(even)) all.set(name, { kind: 'even_chance', numbers });
    return all;
  })();

  const kinds = ['straight', 'split', 'street', 'corner', 'line', 'column', 'dozen', 'even_chance'];

  return chanceGame({
    name: 'roulette',
    fields: ['spins', 'pays'],
    form: fieldsOf({ spins: isSmall, pays: fieldsOf(Object.fromEntries(kinds.map(kind => [kind, isLong]))) }),
    wheel: true,
    spots: () => [...spots.keys()],

    refuseRules(rules) {
      const { spins, pays } = rules.game.roulette, { table } = rules;
      if (!whole(1, 4096)(spins)) return 'spins is 1 to 4096';
      if (!isObject(pays) || Object.keys(pays).join() !== kinds.join() || !Object.values(pays).every(whole(1, 100)))
        return 'pays is 1 to 100 for each kind of spot';
      if (table.dealing !== 'sequential') return 'roulette has one lane';
      if (table.bets_per_player > spots.size) return 'the layout has 157 spots';
      if (table.house_shuffle) return 'a wheel is not shuffled';
      if (table.reshuffle.cut_back !== undefined || table.reshuffle.left_below === 0)
        return 'reshuffle does not fit a wheel';
      return null;
    },
    composition: rules => `wheel37x${rules.game.roulette.spins}`,
    refuseSpot: (rules, { spot }) => (spots.has(spot) ? null : 'unknown_spot'),
    begin: () => ({ spun: null }),
    next: state => (state.spun ? null : { spun: {} }),
    apply(state, { spun }) { state.spun = spun; },
    isAhead: state => state.spun !== null,
    returned({ spun, options }, { spot, stake }) {
      const { kind, numbers } = spots.get(spot);
      return numbers.includes(spun.pocket) ? stake * (1 + options.pays[kind]) : 0;
    },
    oddsOf({ pays }, spot) {
      const { kind, numbers } = spots.get(spot);
      return { kind, ways: [[numbers.length / 37, 1 + pays[kind]]] };
    },
    view({ spun }) {
      const colour = pocket => (pocket === 0 ? 'green' : RED.includes(pocket) ? 'red' : 'black');
      return {
        spin: spun && { slot: spun.slot, value: spun.value, pocket: spun.pocket, colour: colour(spun.pocket) },
      };
    },
    told: ({ spin }, say) => (spin ? [say('ball', { pocket: spin.pocket, colour: say(spin.colour) })] : []),
  });
})();

// Safe: spec/games/safe.md. The rows of "What comes next" are the rows here, under their numbers; "FD" means face-down,
// as there.

const safe = (() => {
  const OPTIONS = {
    pass: (value) => value === 'after_operation' || value === 'never',
    hit_change: (value) => value === 'seen' || value === 'declared',
    last_round: (value) => Number.isSafeInteger(value) && value >= 1 && value <= 255,
  };

  const TABLE = [
    ['the table is shared, with 2 to 6 seats', (t) => t.mode === 'shared' && t.seats >= 2 && t.seats <= 6],
    ['a pile is dealt sequentially', (t) => t.dealing === 'sequential'],
    ['everyone pays the same entry', (t) => t.stake_min === t.stake_max],
    ['everyone pays one entry', (t) => t.bets_per_player === 1],
    ['every game has a pack of its own', (t) => t.reshuffle === 'every_round'],
  ];

  function refuseRules(rules) {
    const outside = Object.keys(OPTIONS).find((name) => !OPTIONS[name](rules.game.safe[name]));
    if (outside) return outside + ' is outside its bounds';
    const against = TABLE.find(([, holds]) => !holds(rules.table));
    return against ? against[0] : null;
  }

  // --- The state -------------------------------------------------------------------------------
  // A hand is { place, round, pile, cards: [{ slot, card }] }; `hand` is a player's of this round, `down` their FD
  // hands. All FD hands lie in the order of `order`. `pile` and `left` are about the pile in use; `stage` is the state
  // of the next one: null, 'empty', 'collected', 'shuffled'.

  function start(rules, contributors) {
    const players = contributors.map(({ player, bets }) => ({
      seat: Number(bets[0].spot),
      player,
      entry: bets[0].stake,
      alive: true,
      out: null,          // why they are out
      finished: false,
      wasFinished: false, // of who is out: as they were
      changed: false,
      hand: null,
      down: [],
    }));
    players.sort((a, b) => a.seat - b.seat);
    return {
      options: rules.game.safe,
      players,
      round: 1,
      dealt: 0,
      order: [],
      discard: [],
      shown: null,
      drawing: null,      // where an operation's missing card goes: 'hand', 'down', 'shown', 'discard'
      handled: null,      // the FD hand that is being opened or given up: { place, why: 'rule', 'owner', 'chosen' }
      busted: null,       // the player whose opened hand is bust
      twentyOne: null,    // a hand that became 21 and was not asked about yet
      turn: null,         // { seat, operation: null, 'change' or another, down: whether they went face-down in it }
      lastTurn: 0,
      asked: null,        // the open decision
      decisions: 0,
      fired: false,       // R002.15
      lastPlayer: false,  // whether row 11 was used
      outs: [],
      absent: null,
      pile: 0,
      left: 52,
      stage: null,
      collected: [],
      winner: null,
      wonBy: null,
      paid: false,
    };
  }

  const faces = (cards) => cards.filter(({ card }) => card).map(({ card }) => card);
  const total = (hand) => handTotal(faces(hand.cards));
  const isSafe = (hand) => total(hand) >= 17 && total(hand) <= 21;
  const hidden = (hand) => hand.cards.find(({ card }) => !card);
  const alive = (g) => g.players.filter((p) => p.alive);
  const holders = (g) => alive(g).filter(({ down }) => down.length > 0);
  const isAnyFree = (g) => alive(g).some(({ down }) => down.length === 0);
  const named = (g, player) => g.players.find((p) => p.player === player);
  const seated = (g, seat) => g.players.find((p) => p.seat === seat);
  const ownerOf = (g, place) => seated(g, Number(place.split('/')[0]));
  const downAt = (g, place) => ownerOf(g, place).down.find((hand) => hand.place === place);
  const handPlace = (g, p) => p.seat + '/' + g.round;

  /** FD hands of one player, or of all, oldest first. */
  const byAge = (g, hands) => [...hands].sort((a, b) => g.order.indexOf(a.place) - g.order.indexOf(b.place));
  const oldest = (g) => byAge(g, g.players.flatMap(({ down }) => down))[0];

  // --- What comes next -------------------------------------------------------------------------

  const event = (name, fields) => ({ safe: { [name]: fields } });

  function turnUp(g, hand) {
    const { slot } = hidden(hand);
    return { turned: hand.pile === g.pile ? { slot } : { pile: hand.pile, slot } };
  }

  const open = (g, why) => {
    const hand = oldest(g);
    return event('opening', { player: ownerOf(g, hand.place).player, place: hand.place, why });
  };
  const discarded = (p, hand, why) =>
    event('discarded', { player: p.player, place: hand.place, cards: faces(hand.cards), why });
  const out = (p, cause) => event('out', { player: p.player, cause, holder: p.down.length > 0 });
  const won = (p, by) => event('won', { player: p.player, by });
  const ask = (p, place, actions) => ({
    offered: { player: p.player, place, options: actions.map(action => ({ action, cost: 0 })) },
  });

  /** Row 27. */
  function roundOver(g) {
    const p = alive(g).find(({ hand }) => hand);
    if (p) return discarded(p, p.hand, 'advanced');
    if (g.round < g.options.last_round) return advance(g);
    return oldest(g) ? open(g, 'last_round') : won(alive(g)[0], 'last_round');
  }

  const advance = (g) => event('advanced', { round: g.round + 1, players: alive(g).map(({ player }) => player) });

  /** Row 7: for the first player who is out and still has cards on the table. */
  function clearOut(g) {
    const p = g.players.find((each) => !each.alive && (each.hand || each.down.length > 0));
    if (!p) return null;
    if (p.hand) return discarded(p, p.hand, 'out');
    const [hand] = byAge(g, p.down);
    return hidden(hand) ? turnUp(g, hand) : discarded(p, hand, 'out');
  }

  /** The player whose turn goes on or comes next, or undefined. */
  function toAct(g) {
    if (g.turn) return seated(g, g.turn.seat);
    const waiting = alive(g).filter(({ finished }) => !finished);
    return waiting.find(({ seat }) => seat > g.lastTurn) || waiting[0];
  }

  function deal(g) {
    const living = alive(g);
    if (g.dealt >= 2 * living.length) return null;
    return { dealt: { lane: 0, to: handPlace(g, living[g.dealt % living.length]), hidden: false } };
  }

  function draw(g) {
    if (!g.drawing) return null;
    const to = g.drawing === 'hand' || g.drawing === 'down' ? g.turn.seat + '/' + g.round : g.drawing;
    return { dealt: { lane: 0, to, hidden: g.drawing === 'down' } };
  }

  function payPot(g) {
    const pot = g.players.reduce((sum, { entry }) => sum + entry, 0);
    return { paid: { lines: g.players.map(({ seat, player, entry }) => {
      const wins = player === g.winner;
      return {
        player,
        place: seat + '/1',
        wager: 'entry',
        outcome: wins ? 'win' : 'loss',
        stake: entry,
        returned: wins ? pot : 0,
      };
    }) } };
  }

  const ROWS = [
    /* 1 */ g => (g.paid ? { done: true } : g.asked && { wait: 'decision' }),
    /* 2 */ g => g.winner && payPot(g),
    /* 3 */ g => g.handled && hidden(downAt(g, g.handled.place)) && turnUp(g, downAt(g, g.handled.place)),
    /* 4 */ g =>
      g.handled &&
      g.handled.why === 'chosen' &&
      discarded(ownerOf(g, g.handled.place), downAt(g, g.handled.place), 'chosen'),
    /* 5 */ g => g.handled && total(downAt(g, g.handled.place)) > 21 && out(ownerOf(g, g.handled.place), 'face_down'),
    /* 6 */ g => g.handled && discarded(ownerOf(g, g.handled.place), downAt(g, g.handled.place), 'opened'),
    /* 7 */ clearOut,
    /* 8 */ g => g.twentyOne && ask(ownerOf(g, g.twentyOne), g.twentyOne, ['discard', 'pass']),
    /* 9 */ g => {
      const p = alive(g).find(({ hand }) => hand && total(hand) > 21);
      return p && out(p, 'bust');
    },
    /* 10 */ g => g.absent && out(named(g, g.absent), 'absent'),
    /* 11 */ g => alive(g).length === 1 && holders(g).length === 1 && open(g, 'last_player'),
    /* 12 */ g => alive(g).length === 1 && won(alive(g)[0], g.lastPlayer ? 'survived' : 'last_alive'),
    /* 13 */ g => {
      if (alive(g).length > 0) return null;
      const free = g.outs.filter(({ holder }) => !holder);
      const last = (free.length > 0 ? free : g.outs).slice(-1)[0];
      return won(named(g, last.player), free.length > 0 ? 'last_free_player' : 'last_opened');
    },
    /* 14 */ g => g.fired && !isAnyFree(g) && open(g, 'no_free_player'),
    /* 15 */ g => g.stage === 'empty' && g.round >= g.options.last_round && roundOver(g),
    /* 16 */ g => g.stage === 'empty' && g.discard.length <= 2 * alive(g).length && open(g, 'pile_short'),
    /* 17 */ g =>
      g.stage === 'empty' &&
      event('collected', { pile: g.pile + 1, cards: [...g.discard].sort((a, b) => codeOf(a) - codeOf(b)) }),
    /* 18 */ g =>
      g.stage === 'collected' && {
        wait: 'pile',
        cards: g.collected,
        players: alive(g)
          .map(({ player }) => player)
          .sort(compareText),
      },
    /* 19 */ g => g.stage === 'shuffled' && advance(g),
    /* 20 */ g => g.shown && ask(seated(g, g.turn.seat), g.turn.seat + '/' + g.round, ['accept', 'reject']),
    /* 21 */ draw,
    /* 22 */ g => g.left === 0 && event('pile_empty', { pile: g.pile }),
    /* 23 */ deal,
    /* 24 */ g => g.fired && roundOver(g),
    /* 25 */ g => {
      const p = toAct(g);
      return p && ask(p, handPlace(g, p), possible(g, p));
    },
    /* 26 */ g => !isAnyFree(g) && open(g, 'no_free_player'),
    /* 27 */ roundOver,
  ];

  /** The last row always has something. */
  function next(g) {
    let step = null;
    ROWS.find(row => { step = row(g); return step; });
    return step;
  }

  // --- Choices ---------------------------------------------------------------------------------

  /** The options of a turn, in the order of the page. */
  function possible(g, p) {
    const turn = g.turn || { operation: null, down: false };
    const holder = p.down.length > 0;
    if (turn.down) return ['open', 'pass'];
    const right = !p.changed;
    const { pass, hit_change: hitChange } = g.options;
    return [
      ['hit', true],
      ['stand', isSafe(p.hand)],
      ['change', right],
      ['face_down', true],
      ['reject', right && hitChange === 'declared'],
      ['open', holder && turn.operation === null],
      ['pass', pass === 'after_operation' && !isSafe(p.hand) && turn.operation !== null && turn.operation !== 'change'],
    ].filter(([, offered]) => offered).map(([action]) => action);
  }

  const nameOf = (action) => typeof action === 'string' ? action : Object.keys(action)[0];

  function act(g, player, decision, action) {
    if (!g.asked || g.asked.decision !== decision) refuse('decision_not_open', 'decision ' + decision + ' is not open');
    if (g.asked.player !== player)
      refuse('not_your_decision', 'decision ' + decision + ' belongs to ' + g.asked.player);
    const name = nameOf(action);
    const p = named(g, player);
    const { card, hand } = action[name] || {};
    const known =
      (name !== 'change' || p.hand?.cards.some(each => each.card === card)) &&
      (hand === undefined || p.down.some(({ place }) => place === hand));
    if (!g.asked.options.includes(name) || !known) refuse('action_not_offered', name + ' is not possible here');
    return { player, action, cost: 0 };
  }

  function defaultAction(g) {
    const { options } = g.asked;
    if (options.includes('accept')) return 'accept';
    const isTurn = options.includes('hit');
    return !isTurn ? 'pass' : options.includes('stand') ? 'stand' : options.includes('pass') ? 'pass' : 'hit';
  }

  function operation(g, kind, drawing) {
    g.turn.operation = kind;
    g.drawing = drawing;
  }

  const endTurn = (g) => { g.turn = null; };

  /** The effect of a judged action; `p` is its player. */
  const EFFECTS = {
    hit: (g, p) => operation(g, 'hit', g.options.hit_change === 'seen' && !p.changed ? 'shown' : 'hand'),
    stand: (g, p) => { p.finished = true; endTurn(g); },
    change: (g, p, { card }) => {
      p.hand.cards = p.hand.cards.filter((each) => each.card !== card);
      g.discard.push(card);
      p.changed = true;
      operation(g, 'change', 'hand');
    },
    face_down: (g, p) => { p.finished = true; operation(g, 'face_down', 'down'); },
    accept: (g, p) => {
      const card = g.shown;
      g.shown = null;
      toHand(g, p, card);
    },
    reject: (g, p) => {
      p.changed = true;
      if (!g.shown) return operation(g, 'change', 'discard');
      g.discard.push(g.shown.card);
      g.shown = null;
      return operation(g, 'change', g.left > 0 ? 'hand' : null);
    },
    open: (g, p, { hand = byAge(g, p.down)[0].place }) => { g.handled = { place: hand, why: 'owner' }; },
    discard: (g, p, { hand = byAge(g, p.down)[0].place }) => { g.handled = { place: hand, why: 'chosen' }; },
    pass: (g, p, fields, asked) => { if (!asked.options.includes('discard')) endTurn(g); },
  };

  // --- Events ----------------------------------------------------------------------------------

  /** A face-up card joins this round's hand. */
  function toHand(g, p, card) {
    if (!p.hand) p.hand = { place: handPlace(g, p), round: g.round, pile: g.pile, cards: [] };
    p.hand.cards.push(card);
    if (total(p.hand) === 21) becameSafe(g, p, p.hand);
  }

  /**
   * A hand is 21, or was opened in its own round and is safe: it is finished, and at 21 its owner may be asked
   * (R002.18).
   */
  function becameSafe(g, p, hand) {
    p.finished = true;
    if (total(hand) === 21 && p.down.length > 0) g.twentyOne = hand.place;
    settleTurn(g);
  }

  /** A turn goes on while its hand does, or, after a Face-down, while its player holds FD hands. */
  function settleTurn(g) {
    if (!g.turn) return;
    const p = seated(g, g.turn.seat);
    if (g.turn.down ? p.down.length === 0 : p.finished) endTurn(g);
  }

  function removeDown(g, hand) {
    const p = ownerOf(g, hand.place);
    p.down = p.down.filter(({ place }) => place !== hand.place);
    g.order = g.order.filter((place) => place !== hand.place);
  }

  const APPLY_SAFE = {
    opening(g, { place, why }) {
      g.handled = { place, why: 'rule' };
      if (why === 'last_player') g.lastPlayer = true;
    },
    discarded(g, { place, cards, why }) {
      const p = ownerOf(g, place);
      const hand = downAt(g, place);
      g.discard.push(...cards);
      if (!hand) {
        p.hand = null;
        return;
      }
      removeDown(g, hand);
      if (why === 'out') return;
      g.handled = null;
      if (why === 'opened' && total(hand) === 21 && p.down.length > 0) g.twentyOne = place;
      settleTurn(g);
    },
    out(g, { player, cause, holder }) {
      const p = named(g, player);
      Object.assign(p, { alive: false, out: cause, wasFinished: p.finished, finished: true });
      g.outs.push({ player, holder });
      Object.assign(g, { handled: null, drawing: null, shown: null });
      if (g.turn && g.turn.seat === p.seat) endTurn(g);
      if (g.absent === player) Object.assign(g, { absent: null, stage: 'empty' });
      if (!holder && alive(g).length >= 2 && !isAnyFree(g)) {
        g.fired = true;
        endTurn(g);
      }
    },
    pile_empty(g) {
      for (const p of g.players.filter(({ hand }) => hand)) {
        g.discard.push(...faces(p.hand.cards));
        p.hand = null;
      }
      endTurn(g);
      g.stage = 'empty';
    },
    collected(g, { cards }) {
      Object.assign(g, { stage: 'collected', collected: cards });
    },
    advanced(g, { round }) {
      Object.assign(g, { round, dealt: 0, turn: null, lastTurn: 0, fired: false, stage: null });
      for (const p of g.players) Object.assign(p, { finished: !p.alive, wasFinished: false, changed: false });
    },
    won(g, { player, by }) {
      Object.assign(g, { winner: player, wonBy: by });
    },
  };

  const APPLY = {
    dealt(g, { slot, to, card = null }) {
      g.left -= 1;
      const { drawing } = g;
      if (!drawing) {
        g.dealt += 1;
        return toHand(g, ownerOf(g, to), { slot, card });
      }
      g.drawing = null;
      const p = seated(g, g.turn.seat);
      if (drawing === 'hand') return toHand(g, p, { slot, card });
      if (drawing === 'down') return goDown(g, p, slot);
      if (drawing === 'shown') g.shown = { slot, card };
      if (drawing === 'discard') {
        g.discard.push(card);
        g.drawing = g.left > 0 ? 'hand' : null;
      }
      return undefined;
    },
    turned(g, { slot, card, pile = g.pile }) {
      const hand = g.players
        .flatMap(({ down }) => down)
        .find(each => each.pile === pile && hidden(each) && hidden(each).slot === slot);
      hidden(hand).card = card;
      if (!g.handled || g.handled.why !== 'owner' || hand.round !== g.round || !isSafe(hand)) return;
      const p = ownerOf(g, hand.place);
      removeDown(g, hand);
      p.hand = hand;
      g.handled = null;
      becameSafe(g, p, hand);
    },
    offered(g, { player, place, options }) {
      g.asked = { decision: g.decisions, player, place, options: options.map(({ action }) => action) };
      g.decisions += 1;
      const { seat } = named(g, player);
      if (g.twentyOne) g.twentyOne = null;
      else if (!g.turn) Object.assign(g, { turn: { seat, operation: null, down: false }, lastTurn: seat });
    },
    acted(g, { player, action }) {
      const { asked } = g;
      g.asked = null;
      EFFECTS[nameOf(action)](g, named(g, player), action[nameOf(action)], asked);
    },
    paid(g) {
      g.paid = true;
    },
    shuffled(g, { pile }) {
      Object.assign(g, { pile, left: g.collected.length, discard: [], collected: [], stage: 'shuffled' });
    },
    absent(g, { player }) {
      g.absent = player;
    },
    safe(g, fields) {
      const [[name, values]] = Object.entries(fields);
      APPLY_SAFE[name](g, values);
    },
  };

  function goDown(g, p, slot) {
    const { hand } = p;
    hand.cards.push({ slot, card: null });
    p.hand = null;
    p.down.push(hand);
    g.order.push(hand.place);
    g.turn.down = true;
  }

  function apply(g, played) {
    const [[name, fields]] = Object.entries(played);
    APPLY[name](g, fields);
  }

  const isCardDealt = (g) => g.dealt > 0 || g.round > 1;

  /** Its table: `GameView`. */
  function view(g) {
    const cardOfPile = (pile, { slot, card }) => ({ pile, slot, card: card || null });
    const hand = ({ place, pile, cards }) => ({
      place,
      cards: cards.map(card => cardOfPile(pile, card)),
      ...pointsOf(cards),
    });
    const player = p => ({
      seat: p.seat,
      player: p.player,
      alive: p.alive,
      out: p.out,
      hand: p.hand && hand(p.hand),
      finished: p.alive ? p.finished : p.wasFinished,
      change_used: p.changed,
      face_down: p.down.map(hand),
    });
    return {
      round: g.round,
      pile: g.pile,
      pile_left: g.left,
      shuffling: g.stage === 'empty' || g.stage === 'collected',
      turn: g.asked ? Number(g.asked.place.split('/')[0]) : null,
      players: g.players.map(player),
      face_down_order: g.order.slice(),
      shown: g.shown && cardOfPile(g.pile, g.shown),
      discard: g.discard.slice(),
      winner: g.winner && { player: g.winner, by: g.wonBy },
    };
  }

  const told = {
    table({ winner }, say, over, called) {
      if (!winner) return [];
      if (!winner.player) return [say('safe_nobody')];
      return [say('safe_won', { who: called(winner.player), by: say(`by_${winner.by}`) })];
    },
    player({ players }, player, who, say) {
      const { out } = players.find(one => one.player === player) || {};
      return out ? [say(`out_${out}`, { who })] : [];
    },
  };

  /** Its cards, hand by hand (told.js). */
  const hands = ({ players, shown }, { say, called, me, sum21 }) => [
    ...players.flatMap(({ player, hand: open, face_down: down, out }) => {
      const one = (cards, worth) => ({ name: called(player), worth, cards, mine: player === me });
      const rows = [...(open && open.cards.length ? [one(open.cards, sum21(open))] : []),
        ...down.map(({ cards }) => one(cards, say('face_down')))];
      return rows.length || !out ? rows : [one([], say('out'))];
    }),
    ...(shown ? [{ name: say('shown'), worth: '', cards: [shown] }] : []),
  ];

  return {
    name: 'safe',
    fields: Object.keys(OPTIONS),
    form: fieldsOf({ ...OPTIONS, last_round: isByte }),
    refuseRules,
    composition: () => '52x1',
    spotIsSeat: true,
    refuseSpot: (rules, { spot }) => /^[1-9]$/.test(spot) && Number(spot) <= rules.table.seats ? null : 'unknown_spot',
    leastPlayers: 2,
    lanes: () => 1,
    start,
    next,
    apply,
    act,
    openDecisions: (g) => g.asked ? [{ decision: g.asked.decision, player: g.asked.player, place: g.asked.place }] : [],
    defaultAction,
    options: (g) => g.asked.options.map(action => ({ action, cost: 0 })),
    ahead: (g) => isCardDealt(g) ? 'level' : 'nobody',
    settled: (g) => g.paid,
    view, told, hands,
  };
})();

// Poker, one hand: spec/games/poker.md, and the course of spec/games/poker-table.md. cash.js has the parts around a
// hand.

// --- Ranking ------------------------------------------------------------------------------------

const pokerRanks = (() => {
  const high = card => { const rank = 'A23456789TJQK'.indexOf(card[0]) + 1; return rank === 1 ? 14 : rank; };
  /** Every choice of `n` of a list, in its order. */
  const choose = (list, n) =>
    n === 0 ? [[]] : list.flatMap((item, i) => choose(list.slice(i + 1), n - 1).map(rest => [item, ...rest]));
  const asNumber = digits => digits.reduce((number, digit) => number * 16 + digit, 0);
  // Categories from the high card up; in short deck a flush beats a full house.
  const ORDER = [
    'high card', 'pair', 'two pair', 'three of a kind', 'straight', 'flush', 'full house', 'four of a kind',
    'straight flush',
  ];
  const SHORT = [
    'high card', 'pair', 'two pair', 'three of a kind', 'straight', 'full house', 'flush', 'four of a kind',
    'straight flush',
  ];

  /**
   * The highest rank of a straight of five descending ranks, or 0. An ace may be low; in short deck it ranks under the
   * six.
   */
  function straightTo(ranks, short) {
    if (new Set(ranks).size < 5) return 0;
    if (ranks[0] - ranks[4] === 4) return ranks[0];
    const low = short ? [14, 9, 8, 7, 6] : [14, 5, 4, 3, 2];
    return ranks.every((rank, i) => rank === low[i]) ? low[1] : 0;
  }

  /** The category of five cards: `{name, worth}`; more is better. */
  function five(cards, short) {
    const ranks = cards.map(high).sort((a, b) => b - a), count = rank => ranks.filter(other => other === rank).length;
    const grouped = ranks.slice().sort((a, b) => count(b) - count(a) || b - a),
      shape = [...new Set(grouped)].map(count).join('');
    const flush = cards.every(card => card[1] === cards[0][1]), straight = straightTo(ranks, short);
    const name = flush && straight ? 'straight flush' : flush ? 'flush' : straight ? 'straight'
            : {
                41: 'four of a kind', 32: 'full house', 311: 'three of a kind', 221: 'two pair', 2111: 'pair',
                11111: 'high card',
              }[shape];
    return {
      name,
      worth: asNumber([(short ? SHORT : ORDER).indexOf(name), ...(straight ? [straight, 0, 0, 0, 0] : grouped)]),
    };
  }

  /** The possible hands of five: any of all cards, in Omaha two of the hole cards with three of the board. */
  const hands = (family, hole, board) =>
    family === 'omaha'
      ? choose(hole, 2).flatMap(two => choose(board, 3).map(three => [...two, ...three]))
      : choose([...hole, ...board], 5);

  /** The best hand: `{name, worth}`. Fewer than five cards make none. */
  const best = (family, hole, board) =>
    hands(family, hole, board)
      .map(cards => five(cards, family === 'short_deck'))
      .reduce((a, b) => (b.worth > a.worth ? b : a), { name: 'no hand', worth: -1 });

  /** The best low of eight or better, as a number; less is better; Infinity if there is none. */
  function low(family, hole, board) {
    const ranked = hands(family, hole, board).map(cards =>
      cards.map(card => 'A23456789TJQK'.indexOf(card[0]) + 1).sort((a, b) => b - a),
    );
    return Math.min(...ranked.filter(ranks => ranks[0] <= 8 && new Set(ranks).size === 5).map(asNumber), Infinity);
  }
  return { best, low, five };
})();

// --- Pots ---------------------------------------------------------------------------------------

/** The winners' amounts: for a list of `seats` (from the left of the button), odd units by the option. */
function potShares(amount, seats, oddChips) {
  const each = Math.floor(amount / seats.length), odd = amount - each * seats.length;
  return seats.map((seat, i) => each + (oddChips === 'one_each' ? (i < odd ? 1 : 0) : i === 0 ? odd : 0));
}

const pokerPots = (() => {
  const alive = seat => !seat.folded;

  /**
   * Pots `{amount, seats}` from the main pot up, and uncalled chips. Of a seat's chips `layered` makes layers, `flat`
   * does not.
   */
  function layers(seats) {
    const paid = new Map(seats.map(seat => [seat, seat.layered])), sorted = [...paid.values()].sort((a, b) => b - a);
    const uncalled = seats
      .filter(seat => seat.layered === sorted[0] && sorted[0] > sorted[1])
      .map(seat => ({ seat: seat.seat, amount: sorted[0] - sorted[1] }))[0];
    if (uncalled) paid.set(seats.find(seat => seat.seat === uncalled.seat), sorted[1]);
    // Chips without layers lie at the bottom, and every hand contests them.
    const pots = [{ amount: sum(seats.map(seat => seat.flat)), seats: seats.filter(alive) }];
    let below = 0;
    for (const height of [...new Set(paid.values())].filter(amount => amount > 0).sort((a, b) => a - b)) {
      const amount = sum([...paid.values()].map(put => Math.max(0, Math.min(put, height) - below)));
      const contest = seats.filter(seat => alive(seat) && paid.get(seat) >= height), top = pots[pots.length - 1];
      if (!contest.length || contest.length === top.seats.length) top.amount += amount;
      else if (!top.amount) pots[pots.length - 1] = { amount, seats: contest };
      else pots.push({ amount, seats: contest });
      below = height;
    }
    return { pots: pots.filter(pot => pot.amount > 0), uncalled };
  }

  /** The settlement of a hand: `{pots, uncalled?, seats}`, spec/games/poker-table.md, "Settled". */
  function settle(options, seats, board) {
    const { pots, uncalled } = layers(seats), rake = options.rake, got = new Map(seats.map(({ seat }) => [seat, 0]));
    let left = rake && !(rake.no_flop_no_drop && !board.length) ? rake.cap : 0;
    const lines = pots.map(({ amount, seats: contest }) => {
      const taken = rake ? Math.min(left, Number((BigInt(amount) * BigInt(rake.basis_points)) / 10000n)) : 0,
        rest = amount - taken,
        won = [];
      left -= taken;
      const give = (winners, share, low) => potShares(share, winners, options.odd_chips).forEach((part, i) => {
        if (!part) return;
        won.push({ seat: winners[i].seat, amount: part, ...(low ? { low: true } : {}) });
        got.set(winners[i].seat, got.get(winners[i].seat) + part);
      });
      if (contest.length === 1) give(contest, rest, false);
      else {
        const faces = seat => seat.cards.map(({ card }) => card);
        const highs = contest.map(seat => pokerRanks.best(options.family, faces(seat), board).worth),
          lows = options.hi_lo ? contest.map(seat => pokerRanks.low(options.family, faces(seat), board)) : [Infinity];
        const best = Math.max(...highs),
          lowest = Math.min(...lows),
          half = lowest < Infinity ? Math.floor(rest / 2) : 0;
        give(contest.filter((_, i) => highs[i] === best), rest - half, false);
        if (lowest < Infinity) give(contest.filter((_, i) => lows[i] === lowest), half, true);
      }
      return { amount, rake: taken, seats: contest.map(({ seat }) => seat), won };
    });
    if (uncalled) got.set(uncalled.seat, got.get(uncalled.seat) + uncalled.amount);
    return {
      pots: lines, ...(uncalled ? { uncalled } : {}),
      seats: seats.map(seat => ({
        seat: seat.seat,
        player: seat.player,
        put_in: seat.put,
        got: got.get(seat.seat),
        stack: seat.stack + got.get(seat.seat),
      })),
    };
  }
  return { layers, settle };
})();

// --- The game -----------------------------------------------------------------------------------

const poker = (() => {
  const HOLE = { holdem: 2, omaha: 4, short_deck: 2 };
  const BOARD = [0, 3, 4, 5];
  /** The options, within their bounds; or, `loose`, what an entry can hold of them at all. */
  const optionsOf = loose => {
    const within = (low, high, holds) => (loose ? holds : whole(low, high));
    const clock = within(0, 3600000, isCount), most = within(1, 255, isByte), share = within(0, 10000, isSmall);
    const blind = within(1, 1e12, isAmount);
    const isHand = fieldsOf({
      family: oneOf('holdem', 'omaha', 'short_deck'), hi_lo: isBool,
      betting: value =>
        fieldsOf({ no_limit: fieldsOf({ min_bet: isAmount }) })(value) ||
        fieldsOf({ pot_limit: fieldsOf({ min_bet: isAmount }) })(value) ||
        fieldsOf({
          fixed_limit: fieldsOf({ small_bet: isAmount, big_bet: isAmount, cap: cap => cap === null || most(cap) }),
        })(value),
      full_blind: isBool,
      ante_layers: isBool,
      reopening: oneOf('full', 'any'),
      odd_chips: oneOf('one_each', 'all_to_first'),
      'rake?': fieldsOf({ basis_points: share, cap: isAmount, no_flop_no_drop: isBool }),
    });
    return fieldsOf({
      hand: isHand,
      rake_by_players: listOf(
        fieldsOf({ players: within(2, 255, isByte), basis_points: share, cap: isAmount }), 0, loose ? Infinity : 10,
      ),
      blinds: fieldsOf({
        small: blind, big: blind, 'third?': blind, ante: isAmount, straddle: isBool, entry_post: oneOf('small', 'big'),
      }),
      clocks: fieldsOf({ street_extra_ms: listOf(clock, 4, 4), bank_ms: clock, bank_refill_ms: clock }),
      cash_timeout: oneOf('fold', 'check_if_free'),
      most_seats: fieldsOf({ desktop: most, mobile: most, browser: most }),
      leave_table: fieldsOf({ exempt: isBool, removal_counts: isBool, sit_out_hands: within(1, 65535, isSmall) }),
    });
  };
  const isOptions = optionsOf(false);
  const composition = ({
    game: {
      poker: { hand },
    },
  }) =>
    hand.family === 'short_deck'
      ? `cards:${Array.from({ length: 52 }, (_, code) => cardOf(code))
          .filter(card => !'2345'.includes(card[0]))
          .join('')}`
      : '52x1';

  function refuseRules(rules) {
    const options = rules.game.poker, { table } = rules;
    if (!isOptions(options)) return 'a field of poker is unknown, missing, malformed or out of order';
    const { hand, blinds } = options,
      [[kind, sizes]] = Object.entries(hand.betting),
      largest = blinds.third === undefined ? blinds.big : blinds.third;
    if (table.mode !== 'shared' || table.seats > 10) return 'a cash table is shared and has 2 to 10 seats';
    if (table.dealing !== 'sequential' || table.reshuffle !== 'every_round')
      return 'a hand has one lane and a shoe of its own';
    if (table.bets_per_player !== 1 || table.chips.length || !table.close_early) return 'a cash table has no bets';
    if (table.house_shuffle) return 'every hand has a deck of its own';
    if (table.seats * HOLE[hand.family] + 8 > readComposition(composition(rules)).slots)
      return 'the deck does not suffice for so many seats';
    if (blinds.small > blinds.big || blinds.big > largest || blinds.ante > blinds.big)
      return 'the blinds are out of order';
    const least = kind === 'fixed_limit' ? sizes.small_bet : sizes.min_bet;
    if (least < largest || least > 1e12 || (kind === 'fixed_limit' && sizes.big_bet < least))
      return 'the sizes of bets are out of order';
    if (table.stake_min < largest) return 'the least buy-in is below the largest blind';
    if (
      options.rake_by_players.some(({ players }, i, steps) => i && steps[i - 1].players >= players) ||
      (options.rake_by_players.length && !hand.rake)
    )
      return 'the steps of the rake are out of order';
    if (hand.family === 'short_deck' && hand.hi_lo) return 'short deck has no low hand';
    return null;
  }

  // --- The state ----------------------------------------------------------------------------------

  /** A hand with its posts made. `hand` is that of hand_begun. */
  function start(rules, contributors, hand) {
    const given = rules.game.poker, step = given.rake_by_players.find(({ players }) => hand.seats.length <= players);
    const options = step
        ? {
            ...given,
            hand: { ...given.hand, rake: { ...given.hand.rake, basis_points: step.basis_points, cap: step.cap } },
          }
        : given,
      o = options.hand;
    const seats = hand.seats.map(({ due, player, stack, bank_ms }) => {
      const seat = {
        seat: due.seat, player, start: stack, stack, bank: bank_ms, put: 0, layered: 0, flat: 0, live: 0, folded: false,
        chosenAt: null,
        cards: [],
        showing: false,
        asked: false,
      };
      const ante = take(seat, due.ante), dead = take(seat, due.dead), live = take(seat, due.live);
      seat.live = live;
      seat.layered = live + (o.ante_layers ? ante : 0);
      seat.flat = dead + (o.ante_layers ? 0 : ante);
      return seat;
    });
    const state = {
      options,
      seats,
      street: 0,
      positions: hand.positions,
      board: [],
      burnt: 0,
      slots: { board: [], burnt: [] },
      level: 0,
      full: betSize(o, 0),
      raises: 1, turn: 0, open: null, lastBet: null, showdown: null, settled: false, result: null,
    };
    const dues = hand.seats.map(({ due }) => due),
      opening = Math.max(...dues.map((due, i) => (due.opens ? (o.full_blind ? due.live : seats[i].live) : 0)));
    state.level = Math.max(...dues.map((due, i) => (o.full_blind ? due.live : seats[i].live)));
    dues.forEach((due, i) => {
      if (due.opens && (o.full_blind ? due.live : seats[i].live) === opening) state.turn = (i + 1) % seats.length;
    });
    return state;
  }

  function take(seat, amount) {
    const taken = Math.min(amount, seat.stack);
    seat.stack -= taken;
    seat.put += taken;
    return taken;
  }

  const betSize = ({ betting }, street) =>
    betting.fixed_limit ? betting.fixed_limit[street < 2 ? 'small_bet' : 'big_bet'] : Object.values(betting)[0].min_bet;
  const inHand = state => state.seats.filter(seat => !seat.folded);
  const canBet = state => inHand(state).filter(seat => seat.stack > 0);

  /** Whether a seat still has to choose on this street. */
  function toChoose(state, seat) {
    if (seat.folded || !seat.stack || seat.chosenAt === state.level) return false;
    const others = inHand(state).filter(other => other !== seat);
    return others.some(other => other.stack > 0) || others.some(other => other.live > seat.live);
  }

  /** The seat whose turn it is on this street, or null: the street is over. */
  function toAct(state) {
    if (inHand(state).length < 2) return null;
    for (let i = 0; i < state.seats.length; i++) {
      const seat = state.seats[(state.turn + i) % state.seats.length];
      if (toChoose(state, seat)) return seat;
    }
    return null;
  }

  /** The range of a seat's raise, `[least, most]` in live chips of the street, or null. */
  function raiseRange(state, seat) {
    const o = state.options.hand, { level } = state, all = seat.live + seat.stack, limit = o.betting.fixed_limit;
    const others = inHand(state).filter(other => other !== seat);
    const callable = Math.max(...others.map(other => other.live + other.stack));
    if (all <= level || callable <= level) return null;
    if (limit && limit.cap !== null && state.raises >= limit.cap) return null;
    if (seat.chosenAt !== null) {
      const risen = level - seat.chosenAt;
      const opened =
        o.reopening === 'any' ? risen > 0 : limit ? 2 * risen >= betSize(o, state.street) : risen >= state.full;
      if (!opened) return null;
    }
    const least = level + state.full, pot = sum(state.seats.map(({ put }) => put));
    const top = limit ? least : o.betting.pot_limit ? level + pot + Math.min(seat.stack, level - seat.live) : all;
    return [Math.min(least, all), Math.min(Math.max(top, least), Math.max(callable, least), all)];
  }

  function betOptions(state, seat) {
    const options = [{ action: 'fold', cost: 0 }], call = Math.min(seat.stack, Math.max(0, state.level - seat.live));
    options.push(call ? { action: 'call', cost: call } : { action: 'check', cost: 0 });
    const to = raiseRange(state, seat);
    if (to) options.push({ action: state.level ? 'raise' : 'bet', cost: to[1] - seat.live, to });
    return options;
  }

  // --- The course -----------------------------------------------------------------------------------

  const offer = (state, seat, options, extra, banked) => (state.open ? { wait: 'decision' }
    : {
        offered: {
          player: seat.player, place: `${seat.seat}/1`, options, extra, banked, bank: banked ? seat.bank : 0,
        },
      });

  function next(state) {
    const { seats, options } = state, hole = HOLE[options.hand.family];
    if (state.settled) return { done: true };
    const short = seats.reduce((least, seat) => (seat.cards.length < least.cards.length ? seat : least), seats[0]);
    if (short.cards.length < hole) return { dealt: { lane: 0, to: `${short.seat}/1`, hidden: true } };
    const remaining = inHand(state);
    if (remaining.length === 1) return { poker: { settled: pokerPots.settle(options.hand, seats, state.board) } };
    const hidden = seats.filter(seat => seat.showing).flatMap(seat => seat.cards).find(({ card }) => !card);
    if (hidden) return { turned: { slot: hidden.slot } };
    const acting = state.showdown ? null : toAct(state);
    if (acting)
      return offer(state, acting, betOptions(state, acting), options.clocks.street_extra_ms[state.street], true);
    const over = canBet(state).length < 2, river = state.street === 3;
    if ((over || river) && remaining.some(seat => !seat.stack) && remaining.some(seat => !seat.showing)) {
      remaining.forEach(seat => { seat.showing = true; });
      return next(state);
    }
    if (!river) {
      if (state.burnt <= state.street) return { dealt: { lane: 0, to: 'burn', hidden: true } };
      return { dealt: { lane: 0, to: 'board', hidden: false } };
    }
    if (!state.showdown) beginShowdown(state);
    const asked = state.showdown.find(seat => !seat.folded && !seat.showing);
    if (!asked || inHand(state).length === 1)
      return { poker: { settled: pokerPots.settle(options.hand, seats, state.board) } };
    if (asked === state.showdown[0]) { asked.showing = true; return next(state); }
    return offer(state, asked, [{ action: 'show', cost: 0 }, { action: 'muck', cost: 0 }], 0, false);
  }

  /** The order of showing: the last to bet or raise on the river, else the first seat; then clockwise. */
  function beginShowdown(state) {
    const at = Math.max(0, state.lastBet ? state.seats.indexOf(state.lastBet) : 0);
    state.showdown = [...state.seats.slice(at), ...state.seats.slice(0, at)].filter(seat => !seat.folded);
  }

  function nextStreet(state) {
    state.street++;
    Object.assign(state, {
      level: 0,
      full: betSize(state.options.hand, state.street),
      raises: 0,
      turn: 0,
      lastBet: null,
    });
    for (const seat of state.seats) Object.assign(seat, { live: 0, chosenAt: null });
  }

  function apply(state, { dealt, turned, offered, acted, poker: event }) {
    if (dealt && dealt.to === 'burn') {
      state.burnt++;
      state.slots.burnt.push(dealt.slot);
    } else if (dealt && dealt.to === 'board') {
      state.board.push(dealt.card);
      state.slots.board.push(dealt.slot);
      if (state.board.length === BOARD[state.street + 1]) nextStreet(state);
    } else if (dealt)
      state.seats.find(({ seat }) => `${seat}/1` === dealt.to).cards.push({ slot: dealt.slot, card: null });
    else if (turned)
      state.seats.flatMap(({ cards }) => cards).find(({ slot }) => slot === turned.slot).card = turned.card;
    else if (offered) state.open = { decision: offered.decision, player: offered.player, options: offered.options };
    else if (acted) choose(state, acted);
    else if (event) Object.assign(state, { settled: true, result: event });
  }

  const wordOf = action => (typeof action === 'string' ? action : Object.keys(action)[0]);
  const seatOf = (state, player) => state.seats.find(seat => seat.player === player);

  function choose(state, { player, action, cost }) {
    const seat = seatOf(state, player), word = wordOf(action);
    state.open = null;
    if (word === 'show') { seat.showing = true; return; }
    if (word === 'fold' || word === 'muck') {
      seat.folded = true;
      if (word === 'fold') state.turn = (state.seats.indexOf(seat) + 1) % state.seats.length;
      return;
    }
    const put = take(seat, cost);
    seat.live += put;
    seat.layered += put;
    if (word === 'bet' || word === 'raise') {
      const size = seat.live - state.level;
      state.raises++;
      if (size >= state.full && !state.options.hand.betting.fixed_limit) state.full = size;
      state.level = seat.live;
      state.lastBet = seat;
    }
    seat.chosenAt = state.level;
    state.turn = (state.seats.indexOf(seat) + 1) % state.seats.length;
  }

  /** An action that the rules allow at this decision, with its cost. */
  function act(state, player, decision, action) {
    const { open } = state, word = wordOf(action);
    if (open.player !== player) refuse('not_your_decision');
    const option = open.options.find(offered => offered.action === word);
    if (!option) refuse('action_not_offered');
    if (!option.to) return { player, action, cost: option.cost };
    const { to } = action[word];
    if (to < option.to[0] || to > option.to[1]) refuse('raise_out_of_range');
    return { player, action, cost: to - seatOf(state, player).live };
  }

  function defaultAction(state) {
    if (state.open.options.some(({ action }) => action === 'show')) return 'show';
    return state.options.cash_timeout === 'check_if_free' && state.open.options.some(({ action }) => action === 'check')
      ? 'check'
      : 'fold';
  }

  /** The part of round_voided about a hand: each seat's chips, and whose open hand was best. */
  function standing(state) {
    const open = inHand(state).filter(seat => seat.cards.length && seat.cards.every(({ card }) => card));
    const worths = open.map(
      seat =>
        pokerRanks.best(
          state.options.hand.family,
          seat.cards.map(({ card }) => card),
          state.board,
        ).worth,
    );
    const judged = open.length > 1 && state.board.length >= 3;
    return {
      put_in: state.seats.map(({ seat, put }) => ({ seat, amount: put })),
      leading: judged ? open.filter((_, i) => worths[i] === Math.max(...worths)).map(({ seat }) => seat) : [],
    };
  }

  /** Whether the remaining players turn up their cards now, or say that they will not. */
  const isShowdown = state => state.street === 3 && inHand(state).length > 1 && !toAct(state);
  const openDecisions = state =>
    state.open
      ? [
          {
            decision: state.open.decision,
            player: state.open.player,
            place: `${seatOf(state, state.open.player).seat}/1`,
          },
        ]
      : [];

  const STREETS = ['preflop', 'flop', 'turn', 'river'];

  /** Its table: `GameView`. */
  function view(state) {
    const seat = ({ seat: number, player, start, stack, live, put, folded, cards }) => ({
      seat: number, player, started_with: start, stack, bet: live, put_in: put, folded,
      all_in: !folded && stack === 0,
      hole: cardsOf(cards),
    });
    const [asked] = openDecisions(state);
    return {
      positions: state.positions,
      street: STREETS[state.street],
      pot: sum(state.seats.map(({ put }) => put)),
      level: state.level,
      board: state.board.map((card, i) => ({ slot: state.slots.board[i], card })),
      burnt: state.slots.burnt.slice(),
      turn: asked ? Number(asked.place.split('/')[0]) : null,
      showdown: isShowdown(state),
      seats: state.seats.map(seat),
      result: state.result,
    };
  }

  const told = {
    table({ result, seats, board }, say, over, called, hand) {
      if (!result) return [];
      const { pots, uncalled } = result.settled, bySeat = new Map(seats.map(one => [one.seat, one]));
      const nameOf = seat => called(bySeat.get(seat).player);
      const share = ({ seat, amount, low }) => {
        const best = bestShown(bySeat.get(seat), board, hand, say);
        const values = { amount: grouped(amount), who: nameOf(seat), hand: best };
        return say(low ? 'pot_low' : best ? 'pot_with' : 'pot_won', values);
      };
      const lines = pots.flatMap(({ amount, rake, won }, n) => [
        say(n ? 'pot_side' : 'pot_main', { n, amount: grouped(amount), won: won.map(share).join(say('and')) }),
        ...(rake ? [say('pot_rake', { rake: grouped(rake) })] : []),
      ]);
      if (uncalled) lines.push(say('uncalled', { amount: grouped(uncalled.amount), who: nameOf(uncalled.seat) }));
      return lines;
    },
    player({ seats, board, result }, player, who, say, hand, mucked) {
      const own = seats.find(one => one.player === player);
      if (!own) return [];
      if (own.folded) return [say(mucked.has(player) ? 'mucks' : 'folds', { who })];
      const faces = own.hole.map(({ card }) => card);
      if (!faces.length || faces.some(card => !card)) return result ? [say('not_shown', { who })] : [];
      const best = bestShown(own, board, hand, say), cards = faces.map(cardSign).join(' ');
      return [say(best ? 'shows_hand' : 'shows', { who, cards, hand: best })];
    },
  };

  /** Its cards, hand by hand (told.js). */
  const hands = ({ board, seats }, { say, called, me, hand, mucked }) => [
    ...(board.length ? [{ name: say('board'), worth: '', cards: board, wide: true }] : []),
    ...seats.map(one => ({
      name: `${called(one.player)}, ${say('seat', { n: one.seat })}`, cards: one.hole, mine: one.player === me,
      worth: one.folded ? say(mucked.has(one.player) ? 'mucked' : 'folded') : bestShown(one, board, hand, say) || '',
    })),
  ];

  return {
    name: 'poker', fields: ['hand', 'rake_by_players', 'blinds', 'clocks', 'cash_timeout', 'most_seats', 'leave_table'],
    form: optionsOf(true), spotIsSeat: false, leastPlayers: 2, cash: true, candidates: 2,
    refuseRules,
    composition,
    refuseSpot: () => 'unknown_spot',
    lanes: () => 1,
    start, next, apply, act, defaultAction, standing,
    options: state => state.open.options,
    ahead: state => (state.board.length ? 'level' : 'nobody'),
    isShowdown, openDecisions,
    settled: state => state.settled,
    view, told, hands,
  };
})();

// Dragon Tiger: spec/games/dragon-tiger.md.

const dragon_tiger = (() => {
  const SPOTS = ['dragon', 'tiger', 'tie', 'suited-tie'];
  const height = card => 'A23456789TJQK'.indexOf(rankOf(card));

  /** The result of two cards, in the view's word; null before Tiger's. */
  function resultOf({ dragon, tiger }) {
    if (!tiger) return null;
    const ahead = height(dragon.card) - height(tiger.card);
    if (ahead) return ahead > 0 ? 'dragon' : 'tiger';
    return dragon.card === tiger.card ? 'suited_tie' : 'tie';
  }

  return chanceGame({
    name: 'dragon_tiger',
    fields: ['decks', 'tie_pays', 'suited_tie_pays'],
    form: fieldsOf({ decks: isByte, tie_pays: isLong, suited_tie_pays: isLong }),
    spots: () => SPOTS,

    refuseRules({ table, game: { dragon_tiger: { decks, tie_pays, suited_tie_pays } } }) {
      if (!whole(2, 8)(decks)) return 'decks is 2 to 8';
      if (![tie_pays, suited_tie_pays].every(whole(1, 100))) return 'a tie pays 1 to 100';
      if (table.dealing !== 'sequential') return 'Dragon Tiger is dealt sequentially';
      if (table.bets_per_player > SPOTS.length) return 'there are four spots';
      return table.reshuffle !== 'every_round' && leftByReshuffle(table.reshuffle) < 2
        ? 'reshuffle leaves fewer than two cards for a coup' : null;
    },
    composition: rules => `52x${rules.game.dragon_tiger.decks}`,
    refuseSpot: (rules, { spot }) => (SPOTS.includes(spot) ? null : 'unknown_spot'),
    begin: () => ({ dragon: null, tiger: null }),
    next(state) {
      const to = ['dragon', 'tiger'].find(side => !state[side]);
      return to ? { dealt: { lane: 0, to, hidden: false } } : null;
    },
    apply(state, { dealt: { to, slot, card } }) { state[to] = { slot, card }; },
    isAhead: state => state.tiger !== null,
    returned(state, { spot, stake }) {
      const result = resultOf(state), tied = result.endsWith('tie'), { tie_pays, suited_tie_pays } = state.options;
      if (spot === 'suited-tie') return result === 'suited_tie' ? stake * (1 + suited_tie_pays) : 0;
      if (spot === 'tie') return tied ? stake * (1 + tie_pays) : 0;
      return tied ? (stake - stake % 2) / 2 : spot === result ? 2 * stake : 0;
    },
    oddsOf({ decks, tie_pays, suited_tie_pays }, spot) {
      // Of the cards left after Dragon's.
      const left = 52 * decks - 1, tied = (4 * decks - 1) / left, suited = (decks - 1) / left;
      const side = [[(1 - tied) / 2, 2], [tied, 0.5]];
      const ways = { tie: [[tied, 1 + tie_pays]], 'suited-tie': [[suited, 1 + suited_tie_pays]] }[spot] || side;
      return { kind: spot, ways };
    },
    view: state => ({ dragon: state.dragon, tiger: state.tiger, outcome: resultOf(state) }),
    told: ({ dragon, tiger, outcome }, say) =>
      (outcome ? [say('duel', {
        dragon: cardSign(dragon.card), tiger: cardSign(tiger.card), winner: say(`duel_${outcome}`),
      })] : []),
    hands: ({ dragon, tiger }, { say }) =>
      Object.entries({ dragon, tiger }).map(([side, card]) => ({
        name: say(`spot_${side}`), worth: '', cards: card ? [card] : [],
      })),
  });
})();

// Sic Bo: spec/games/sic-bo.md.

const sic_bo = (() => {
  const NUMBERS = [1, 2, 3, 4, 5, 6];
  const diceOf = pocket => [Math.floor(pocket / 36), Math.floor(pocket / 6) % 6, pocket % 6].map(die => die + 1);
  const isTriple = dice => new Set(dice).size === 1;

  /** Every spot in its one spelling: what it pays on these dice, or 0. */
  const spots = (() => {
    const all = new Map();
    const lay = (name, kind, pays) => all.set(name, { kind, pays });
    const when = (wins, pays) => (options, dice) => (wins(dice) ? pays(options) : 0);
    const of = (dice, number) => dice.filter(die => die === number).length;
    lay('small', 'even_chance', when(dice => !isTriple(dice) && sum(dice) <= 10, pays => pays.even_chance));
    lay('big', 'even_chance', when(dice => !isTriple(dice) && sum(dice) >= 11, pays => pays.even_chance));
    for (const n of NUMBERS) lay(`triple:${n}`, 'triple', when(dice => of(dice, n) === 3, pays => pays.triple));
    lay('any-triple', 'any_triple', when(isTriple, pays => pays.any_triple));
    for (const n of NUMBERS) lay(`double:${n}`, 'double', when(dice => of(dice, n) > 1, pays => pays.double));
    for (let n = 4; n <= 17; n++)
      lay(`total:${n}`, 'total', when(dice => sum(dice) === n, pays => pays.totals[(n > 10 ? 21 - n : n) - 4]));
    for (const a of NUMBERS)
      for (const b of NUMBERS.slice(a))
        lay(`pair:${a}-${b}`, 'pair', when(dice => dice.includes(a) && dice.includes(b), pays => pays.pair));
    for (const n of NUMBERS)
      lay(`single:${n}`, 'single', (pays, dice) => (dice.includes(n) ? pays.single[of(dice, n) - 1] : 0));
    return all;
  })();

  const one = ['even_chance', 'triple', 'any_triple', 'double'], lists = { totals: 7, single: 3 };
  const kinds = [...one, 'totals', 'pair', 'single'];

  return chanceGame({
    name: 'sic_bo',
    fields: ['spins', 'pays'],
    form: fieldsOf({
      spins: isSmall,
      pays: fieldsOf(Object.fromEntries(kinds.map(kind =>
        [kind, lists[kind] ? listOf(isLong, lists[kind], lists[kind]) : isLong]))),
    }),
    wheel: true,
    spots: () => [...spots.keys()],

    refuseRules({ table, game: { sic_bo: { spins, pays } } }) {
      if (!whole(1, 4096)(spins)) return 'spins is 1 to 4096';
      if (!isObject(pays) || Object.keys(pays).join() !== kinds.join()) return 'pays names each kind of spot';
      if (Object.entries(lists).some(([kind, length]) => !isList(pays[kind]) || pays[kind].length !== length))
        return 'totals has seven, single three';
      if (!Object.values(pays).flat().every(whole(1, 200))) return 'each of pays is 1 to 200';
      if (table.dealing !== 'sequential') return 'dice have one lane';
      if (table.bets_per_player > spots.size) return 'the layout has 50 spots';
      if (table.house_shuffle) return 'dice are not shuffled';
      return table.reshuffle.cut_back !== undefined || table.reshuffle.left_below === 0
        ? 'reshuffle does not fit dice' : null;
    },
    composition: rules => `wheel216x${rules.game.sic_bo.spins}`,
    refuseSpot: (rules, { spot }) => (spots.has(spot) ? null : 'unknown_spot'),
    begin: () => ({ spun: null }),
    next: state => (state.spun ? null : { spun: {} }),
    apply(state, { spun }) { state.spun = spun; },
    isAhead: state => state.spun !== null,
    returned({ spun, options }, { spot, stake }) {
      const pays = spots.get(spot).pays(options.pays, diceOf(spun.pocket));
      return pays ? stake * (1 + pays) : 0;
    },
    oddsOf({ pays }, spot) {
      const won = Array.from({ length: 216 }, (_, pocket) => spots.get(spot).pays(pays, diceOf(pocket)));
      const back = [...new Set(won)].filter(Boolean);
      return {
        kind: spots.get(spot).kind,
        ways: back.map(paid => [won.filter(one => one === paid).length / 216, 1 + paid]),
      };
    },
    view({ spun }) {
      const dice = spun && diceOf(spun.pocket);
      const { slot, value, pocket } = spun || {};
      return { throw: spun && { slot, value, pocket, dice, total: sum(dice) } };
    },
    told: ({ throw: thrown }, say) =>
      (thrown ? [say('dice', { dice: thrown.dice.join(', '), total: thrown.total })] : []),
  });
})();

const GAMES = { blackjack, baccarat, roulette, safe, poker, dragon_tiger, sic_bo };

// Every command is decided again and compared with the log: spec/entries.md, spec/ledger.md, spec/recovery.md.
//
// A House is the fold of the entries before. Deciding an entry writes the rules' events, one by one, and compares each
// at once with the logged one; a tournament's are compared when all are written. So the first difference is where the
// log left the rules. Three values come from the entry during the decision, and are stored for a check with the seed: a
// shoe's commitment and root, the face of a turned-up slot, the dealer's answer about a hidden card.
//
// With `stated` the house is that of a bundle (spec/audit.md): its table starts as the first entry states it. For
// balances, cooldowns and refunds, which other tables' entries change, the log is trusted.

const LADDER_MINUTES = [0, 5, 15, 30, 60];
const HOURS_12 = 12 * 3600000, DAYS_30 = 30 * 24 * 3600000;
const IDLE_MS = 3600000;
/**
 * A shoe is full after this many entries of its table, or bytes of them; a used one is idle this long after its last
 * round.
 */
const SHOE_ENTRIES = 6000, SHOE_BYTES = 8 * 1024 * 1024, SHOE_IDLE_MS = 1800000;
const VOIDS_REMEMBERED = 32, MOST_VOIDS_REMEMBERED = 1024, LATE_SEED_MS = 3600000;
const DAY_MS = 24 * 3600000;
/** A player's own solo table may wait longer than a public one. */
const PUBLIC_REVEAL_MS = 300000, PUBLIC_ROUND_MS = 1800000;
const CHANGES_ALLOWED = 64, CHANGES_MS = 3600000, CHANGES_GIVEN_BACK = 2;
/** Commands that are counted ("Changes are bounded"), and those of them that are never refused for it. */
const CHANGES = [
  'bet', 'cancel_bet', 'take_seat', 'ask_to_play', 'want_seat', 'leave_seat', 'sit_down', 'sit_in', 'sit_out',
  'add_chips', 'commit_hand_seed', 'withdraw_hand_seed',
];
const UNDOING = ['cancel_bet', 'leave_seat', 'sit_out', 'withdraw_hand_seed'];
/** Commands for one kind of table only. */
const OF_BETTING = [
  'commit_shoe', 'retire_shoe', 'take_seat', 'ask_to_play', 'open_bets', 'bet', 'cancel_bet', 'close_bets',
  'commit_seed',
];
const OF_CASH = [
  'sit_down', 'sit_in', 'sit_out', 'add_chips', 'call_hand', 'commit_hand_seed', 'withdraw_hand_seed', 'close_call',
  'set_seats',
];
/** Commands refused at a tournament's table: the event decides who sits there. */
const BY_EVENT = [
  'sit_down', 'sit_in', 'sit_out', 'add_chips', 'tidy_seats', 'leave_seat', 'want_seat', 'unseat',
];
/** Commands that name the player whose balance is stated before them. */
const NAMES_PLAYER = [
  'credit', 'withdraw', 'correct', 'transfer_out', 'wallet_deposit', 'wallet_withdraw', 'dismiss_guest',
];
// They may come while a table awaits its recovery.
const BEFORE_RECOVERY = ['recover', 'start_dealer', 'stop_dealer', 'note_refused_start'];
const CONTEXT_COMMANDS = ['open_table', 'open_event_table', 'create_player', 'set_key'];
const SIGNATURE_CODES = ['signature_missing', 'signature_wrong', 'nonce_used', 'no_key'];
const need = (holds, code, message) => { if (!holds) refuse(code, message); };
/** For a game's event, and a tournament's, its own name and fields. */
const isNested = (event, name) => (name === 'play' || name === 'tournament') && isObject(event[name]);
const eventName = event => {
  const [name] = Object.keys(event);
  return isNested(event, name) ? Object.keys(event[name])[0] : name;
};
const eventFields = event => {
  const [name] = Object.keys(event);
  return isNested(event, name) ? Object.values(event[name])[0] : event[name];
};

/** The check to which a difference between a required event and the logged one belongs. */
const EVENT_CHECKS = {
  dealer_started: 'start', dealer_stopped: 'start', start_refused: 'start', state_noted: 'state_noted',
  log_continues: 'start', log_ended: 'start', table_opened: 'rule_set', shoe_committed: 'shoe_committed',
  table_noted: 'table_noted', shoe_revealed: 'shoe_revealed', shuffle_asked: 'shoe_revealed',
  last_hand: 'shoe_revealed', seat_taken: 'seat', seat_left: 'seat', seat_wanted: 'seat', play_asked: 'seat',
  cooldown: 'cooldown', bets_opened: 'bets', bet_placed: 'bets', bet_cancelled: 'bets',
  bets_closed: 'bets', bets_lapsed: 'void', hand_called: 'bets',
  hand_seed_committed: 'bets', hand_seed_withdrawn: 'bets', hand_begun: 'bets', call_lapsed: 'void',
  transferred_out: 'posting', transferred_in: 'posting', wallet_asked: 'posting', wallet_answered: 'posting',
  seed_revealed: 'seed_revealed', seed_late: 'seed_revealed', round_opened: 'round_opened', posted: 'posting',
  round_settled: 'settlement', round_voided: 'void', round_resumed: 'resume', pile_opened: 'pile',
  seed_committed: 'pile', pile_closed: 'pile', pile_shuffled: 'pile', pile_failed: 'pile', chips_added: 'seat',
  chips_asked: 'seat', sat_in: 'seat', sat_out: 'seat', leave_asked: 'seat', left_early: 'cooldown',
  next_committed: 'bets', bank_used: 'deadline', shoe_sealed: 'shoe_revealed', shoe_disclosed: 'shoe_revealed',
  poker: 'payout', turned: 'dealt_slot', peeked: 'peek', offered: 'offer', acted: 'action', paid: 'payout',
  spun: 'spin', shuffled: 'pile', absent: 'pile', safe: 'event_order',
};
const DEADLINES = ['closes_at', 'reveal_by', 'settle_by'],
  HAVE_DEADLINES = ['bets_opened', 'hand_called', 'bets_closed', 'hand_begun', 'round_opened'];

function differenceCheck(demanded, logged) {
  const name = eventName(demanded), other = eventName(logged);
  // A seed published where openings belong, or openings where the seed belongs.
  if (other !== name)
    return ['shoe_sealed', 'shoe_revealed'].every(one => [name, other].includes(one)) ? 'shoe_revealed' : 'event_order';
  const a = eventFields(demanded), b = eventFields(logged);
  if (!isObject(a) || !isObject(b)) return EVENT_CHECKS[name] || 'event_order';
  if (name === 'dealt') {
    if (a.lane !== b.lane || a.to !== b.to) return 'dealt_place';
    if (a.slot !== b.slot) return 'dealt_slot';
    return a.card === undefined ? 'face_leaked' : 'face_missing';
  }
  const differing = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(key => quote(a[key]) !== quote(b[key]));
  if (name === 'turned' && differing.length && differing.every(key => key === 'card')) return 'face_missing';
  if (HAVE_DEADLINES.includes(name) && differing.length && differing.every(key => DEADLINES.includes(key)))
    return 'deadline';
  return EVENT_CHECKS[name] || 'event_order';
}

/** The text that a player signs: spec/entries.md, "Signed commands". */
const signedText = (origin, by, nonce, command) =>
  `fairshoe/v1/signed-command\n${origin}\n${by}\n${nonce}\n${command}\n`;

class House {
  constructor(stated) {
    this.stated = stated;
    this.duesKnown = !stated; // whether everything is seen that makes something due
    this.start = null; // {origin, master_id, epoch} in force
    this.ended = null; // {origin, key} of the log that goes on from this one, since its last entry
    this.epochs = new Set();
    this.epochsShown = new Set(); // under which a seed has opened its commitment: no other can be the shoe's
    this.epochAsked = null; // under which one had to, last
    this.seeds = new Map(); // published: of which candidate
    this.roots = new Map(); // committed: the same
    this.ready = 0; // when the last entry left no table to recover
    this.startedAt = 0; // when the dealer started last
    this.time = 0; // of the entry before, then of the one being decided
    this.players = new Set();
    this.accounts = new Map(
      ['cage', 'house', 'rake', 'play', 'tickets', 'rounding_residual'].map(name => [name, 0]),
    );
    this.admitted = 0; // how many guests ever were
    this.idleSince = new Map(); // guest -> when they gave their last command, or left their last place
    this.idleQueue = null; // guests without a place: the same, the longest idle first
    this.tables = new Map();
    this.events = new Map(); // tournaments
    this.tickets = new Map(); // tournament -> player -> whether the entry cannot be given back
    this.usedTables = new Map(); // every name -> {owner, replacedBy, sealed}
    this.guestTables = new Map(); // guest -> the names of the tables that they opened
    this.closedTables = new Map(); // table -> its owner, or null, while no other replaces it
    this.known = new Map(); // other logs, by name: spec/transfers.md
    this.wallet = { count: 0, open: new Map(), of: new Map(), withdrawals: 0 }; // its operations: spec/wallet.md
    this.offences = new Map(); // player -> times
    this.until = new Map(); // player -> end of the cooldown
    this.refunds = new Map(); // player -> times
    this.keys = new Map(); // player -> key in force
    this.waitingKeys = new Map(); // player -> {key, from} that the operator named
    this.mayLackKeys = false; // whether keys may be newer than these: a signature that does not hold is no fault then
    this.lacksKey = false; // whether the last entry had such a signature
    this.nonces = new Map(); // player -> the last one
    this.refusals = new Map(); // player and level of blinds -> times of leaving early
    this.blocks = new Map(); // player and level -> until when they take no seat there
    this.limits = new Map(); // player -> the limits that they set themselves: spec/limits.md
    this.played = new Map(); // of who has a limit of play time: their last entry that has a place
    this.shutOut = new Map(); // player -> the end of their exclusion
    this.size = 0; // entries so far
    this.noted = 0; // of so many the log named its state last
    this.lastRoot = null; // of the state after the last whole interval
    this.shown = []; // what was verified when a seed came out: for the story
    this.hands = []; // of poker, played to their end: for the story
    this.shoes = []; // of the one table of a bundle
    this.entered = false; // whether a bundle's own entries have begun
    this.beforeEvent = null; // called before each event, when the ones before it have changed everything they change
  }

  // --- Deciding ---------------------------------------------------------------------------------

  /** Decides a logged entry again; throws Unsound with the first difference. `index` is its place in the log. */
  judge(entry, index) {
    if (entry.time < this.time) unsound('time', 'the entry is older than the one before it');
    if (!this.start && !entry.command.start_dealer && !this.stated)
      unsound('first_entry', 'a log begins with the start of the dealer');
    this.checkPlace(entry);
    this.checkOverdue(entry);
    this.beforeEntry(entry);
    this.notePlaces(entry);
    this.balanceFault = null;
    try {
      this.decide(entry, index);
    } catch (error) {
      if (error instanceof Unsound && this.balanceFault) throw this.balanceFault;
      if (error instanceof Refusal)
        throw new Unsound(
          SIGNATURE_CODES.includes(error.code) ? 'signature' : 'refused',
          `the rules refuse ${Object.keys(entry.command)[0]} here: ` +
            `${error.code}${error.message === error.code ? '' : ` (${error.message})`}`,
        );
      throw error;
    }
    if (this.balanceFault) throw this.balanceFault;
    const extra = entry.events[this.out.length];
    if (extra && this.leaks(extra))
      unsound('face_leaked', `event ${this.out.length}: a face is shown that the rules do not show: ${quote(extra)}`);
    if (extra) unsound('event_extra', `event ${this.out.length}: ${eventName(extra)} is not caused by the command`);
    this.doubles.forEach(check => check());
    this.published.forEach(check => check());
    if (entry.command.note_state && entry.command.note_state.root !== this.namedRoot && !this.stated)
      unsound(
        'state_noted',
        `the state after ${entry.command.note_state.size} entries is ${this.namedRoot}, the entry says ` +
          `${entry.command.note_state.root}`,
      );
    this.noteIdle(entry.by, entry.command);
    this.entryEnds(entry.command, quote(entry).length);
    this.afterEntry(entry.command, index);
  }

  /** The entry is accepted, and due times are updated; `bytes` is its length. */
  entryEnds(command, bytes) {
    this.countLimits(command);
    if ((command.start_dealer || command.recover) && ![...this.tables.values()].some(({ recovering }) => recovering))
      this.ready = this.time;
    if (this.event) {
      this.event.seq++;
      this.eventEntryEnds(this.event, command);
      if (this.event.stage === 'ended') this.forgetEnded();
    }
    if (!this.table) return;
    this.table.seq++;
    if (this.table.shoe) this.table.shoe.bytes += bytes;
    this.table.lastTime = this.time;
    this.table.justRecovered = command.recover !== undefined;
    this.noteDue(this.table, command);
    const ev = this.eventOf(this.table);
    if (ev) this.noteEventTable(ev, this.table, command);
  }

  /** Checks the entry's number in its table's sequence, before the decision. */
  checkPlace({ at, command }) {
    const [[name, fields]] = Object.entries(command), named = name === 'disclose_shoe' ? undefined : fields.table,
      where = name === 'tournament' ? Object.values(fields)[0].event : named,
      table = this.tables.get(where) || this.events.get(where);
    if ((at && at.table) !== where)
      unsound('table_seq', `the entry is filed under ${quote(at)}, its command names ${quote(where)}`);
    const isOpened = ['open_table', 'open_event_table'].includes(name) || (name === 'tournament' && fields.create),
      opens = isOpened && !this.usedTables.has(where);
    const seq = table ? table.seq : opens ? 0 : undefined;
    if (seq !== undefined && (!at || at.table !== where || at.seq !== seq))
      unsound('table_seq', `the entry's place is ${quote(at)}, not ${seq} of ${where}`);
  }

  /** Whether an event shows a face where the rules, which demand another event or none, show none. */
  leaks(event, demanded) {
    const name = eventName(event), e = eventFields(event), wanted = demanded && eventName(demanded);
    const shows = (name === 'dealt' && isObject(e) && e.card !== undefined) || ['turned', 'spun'].includes(name);
    if (!event.play || !shows) return false;
    if (demanded && demanded.play) return name !== 'spun' && !['dealt', 'turned'].includes(wanted);
    return wanted !== 'last_hand';
  }

  /** Whether a command is refused: its code; the state may be changed. For the vectors' refusals. */
  refusalOf(time, by, command, signed) { return this.refusalAt(Math.max(time, this.time), by, command, signed); }

  /**
   * The same at a time that may lie before the last entry's: for a command that arrived then and was not decided yet.
   */
  refusalAt(time, by, command, signed) {
    try {
      this.decide({ time, by, command, signed, events: null }, -1);
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      if (!(error instanceof Unsound)) throw error;
    }
    return null;
  }

  decide(entry, index) {
    const [[name, fields]] = Object.entries(entry.command);
    const before = this.time;
    Object.assign(this, {
      index,
      by: entry.by,
      time: entry.time,
      logged: entry.events,
      out: [],
      table: null,
      event: null,
      told: null,
      differs: null,
      stated_accounts: new Set(),
      doubles: [],
      published: [],
    });
    // Attack: a holder of the old key writes on after the published end, by a start of the dealer or a stop.
    need(!this.ended, 'log_ended');
    need(this.start || name === 'start_dealer' || (this.stated && CONTEXT_COMMANDS.includes(name)), 'wrong_start');
    if ((!this.stated || this.entered) && !BEFORE_RECOVERY.includes(name)) {
      const waiting = [...this.tables.values()].find(table => table.recovering);
      need(!waiting || entry.events, 'recovering');
      if (waiting) unsound('recovery', `table ${waiting.name} was not put in order after the start`);
    }
    const who = isPlayerActor(entry.by) ? entry.by.slice(7) : null;
    if (this.stated && who) this.players.add(who);
    this.waitingKeys.forEach(({ key, from }, player) => { if (entry.time >= from) this.useKey(player, key); });
    this.checkSignature(entry, who);
    this.checkChips(name, fields, who);
    if (fields.table !== undefined && !['open_table', 'open_event_table', 'disclose_shoe'].includes(name)) {
      this.table = this.tables.get(fields.table);
      need(this.table, 'unknown_table');
      need(!this.table.event || !BY_EVENT.includes(name), 'tournament_table');
      need(isCash(this.table) || !OF_CASH.includes(name), 'not_a_cash_table');
      need(!isCash(this.table) || !OF_BETTING.includes(name), 'is_a_cash_table');
    }
    this.stateBalances(entry, this.concerned(name, fields, who));
    const counted = this.isChange(name);
    if (counted && !UNDOING.includes(name)) need(this.changesOf(who).count < CHANGES_ALLOWED, 'too_many_changes');
    this.checkLimits(name, fields, who);
    this[isCash(this.table) && this[`cash_${name}`] ? `cash_${name}` : name](fields, who, before);
    if (counted) this.countChange(who);
    this.checkLoss(name, fields, who);
  }

  /**
   * Whether a command changes seat or bets: spec/entries.md, "Changes are bounded". A bundle does not know the count.
   */
  isChange(name) {
    return !this.stated && CHANGES.includes(name) && this.table.rules.table.mode === 'shared';
  }

  changesOf(player) {
    const changes = this.table.changes.get(player);
    return changes && this.time < changes.since + CHANGES_MS ? changes : { count: 0, since: this.time };
  }

  countChange(player) {
    const { count, since } = this.changesOf(player);
    this.table.changes.set(player, { count: count + 1, since });
  }

  giveChangesBack({ bets }) {
    for (const player of bets.keys()) {
      const changes = this.table.changes.get(player);
      if (changes) changes.count = Math.max(0, changes.count - CHANGES_GIVEN_BACK);
    }
  }

  /**
   * spec/entries.md, "Signed commands". For a bundle's key entries the log is trusted: the earlier key may be missing.
   */
  checkSignature({ by, command, signed }, who) {
    const key = this.keys.get(who), stated = this.stated && command.set_key !== undefined;
    const fault = stated ? null : this.signatureFault(key, by, command, signed);
    this.lacksKey = !!fault && this.mayLackKeys;
    need(!fault || this.lacksKey, fault);
    if (!signed) return;
    need(who, 'no_key');
    need(signed.nonce > (this.nonces.get(who) || 0), 'nonce_used');
    this.nonces.set(who, signed.nonce);
  }

  /** Why a command is not signed as this key demands, or null. */
  signatureFault(key, by, command, signed) {
    if (!key || !signed) return key ? 'signature_missing' : signed ? 'no_key' : null;
    const message = signedText(this.start ? this.start.origin : this.origin, by, signed.nonce, quote(command));
    return ed25519.verify(unhex(key, 32), utf8(message), unhex(signed.signature, 64)) ? null : 'signature_wrong';
  }

  /** The players whose balances `before` states: spec/entries.md, "The entry". */
  concerned(name, fields, who) {
    const table = this.table;
    if (NAMES_PLAYER.includes(name)) return [fields.player];
    if (name === 'transfer_in') return playerOfClaim(fields);
    if (name === 'wallet_cancel' || name === 'wallet_answer') return [this.openOperation(fields.no).player];
    if (isCash(table)) {
      if (this.betweenHands() && ['add_chips', 'leave_seat', 'unseat'].includes(name))
        return name === 'unseat' ? [fields.player] : who ? [who] : [];
      if (name === 'tidy_seats')
        return this.cashSeats()
          .filter(seat => this.isUntidy(seat, this.time))
          .map(({ player }) => player)
          .sort(compareText);
      if (name === 'close_table' && table.event) return this.contributors();
      if (name === 'close_table') return this.cashSeats().map(({ player }) => player).sort(compareText);
      if (name === 'leave_seat' || name === 'unseat')
        return this.contributors().filter(player => table.live || player !== (who || fields.player));
    }
    if (['take_seat', 'sit_down', 'bet', 'cancel_bet', 'withdraw_hand_seed'].includes(name)) return who ? [who] : [];
    if (name === 'leave_seat' || name === 'unseat') {
      const leaving = who || fields.player;
      return table.window && table.window.bets.has(leaving) ? [leaving] : [];
    }
    if (
      ['close_bets', 'close_call', 'reveal', 'act', 'lapse', 'void_round', 'recover'].includes(name) ||
      (name === 'close_table' && table.window)
    )
      return this.contributors();
    return [];
  }

  /** The players of the live round, or of the open window, ascending. */
  contributors() {
    const { live, window } = this.table;
    return live
      ? live.contributors.map(({ player }) => player)
      : window
        ? [...window.bets.keys()].sort(compareText)
        : [];
  }

  stateBalances(entry, players) {
    if (entry.events === null) return;
    const stated = entry.before || [];
    this.statedBefore = stated;
    // The decision tells whose balances a tournament's entry states.
    if (entry.command.tournament) return;
    if (stated.map(([player]) => player).join() !== players.join())
      this.balanceFault = new Unsound(
        'balance_before',
        `balances are stated of ${stated.map(([player]) => player).join(', ') || 'nobody'}, not of ` +
          `${players.join(', ') || 'nobody'}`,
      );
    if (this.stated && !entry.at) return;
    for (const [player, amount] of stated) {
      if (this.stated) {
        this.players.add(player);
        this.accounts.set(`player:${player}`, amount);
      } else if (this.accounts.get(`player:${player}`) !== amount) {
        this.balanceFault = new Unsound(
          'balance_before',
          `${player} has ${this.accounts.get(`player:${player}`)}, the entry states ${amount}`,
        );
      }
    }
  }

  /**
   * The log's values for the next event: the fields of `name`, or null. (Dealers need the shoe and slot that it is
   * about.)
   */
  claim(name, _shoe, _slot) {
    const event = this.logged && this.logged[this.out.length];
    return event && eventName(event) === name && isObject(eventFields(event)) ? eventFields(event) : null;
  }

  emit(event) {
    const at = this.out.length;
    if (this.beforeEvent) this.beforeEvent(at);
    this.out.push(event);
    if (this.logged === null) return;
    const differs = this.differenceAt(at, event);
    if (!differs) return;
    if (!this.told) throw differs;
    this.differs = this.differs || differs;
  }

  differenceAt(at, event) {
    const logged = this.logged[at];
    if (logged === undefined)
      return new Unsound('event_missing', `event ${at}: ${eventName(event)} is missing: ${quote(event)}`);
    if (quote(logged) === quote(event)) return null;
    return new Unsound(
      eventName(event) !== eventName(logged) && this.leaks(logged, event)
        ? 'face_leaked'
        : differenceCheck(event, logged),
      `event ${at}: the rules give ${quote(event)}, the log says ${quote(logged)}`,
    );
  }

  say(name, fields) { this.emit({ [name]: fields }); }
  play(name, fields) { this.emit({ play: { [name]: fields } }); }

  only(...actors) { need(actors.includes(this.by), 'not_allowed', `by ${this.by}`); }
  existing(who) { need(who && (this.stated || this.players.has(who)), 'not_allowed', `by ${this.by}`); return who; }

  balance(player) { return this.accounts.get(`player:${player}`) ?? 0; }

  /** Moves chips: lines of 0 are left out, and so is an empty posting. */
  post(...moves) {
    const lines = [];
    const claimed = this.claim('posted');
    for (const [account, amount] of moves) {
      if (!amount) continue;
      // Other tables move the house's and the cage's balance: a bundle states it once for each entry.
      if (this.stated && ['house', 'cage', 'rake', 'play'].includes(account) && !this.stated_accounts.has(account)) {
        const line = claimed && isList(claimed.lines) ? claimed.lines[lines.length] : null;
        if (isList(line) && isSigned(line[2])) {
          const before = line[2] - amount;
          if (!isSigned(before) || (account === 'rake' && before < 0))
            unsound('posting', `${account} would have stood at ${before} before`);
          this.accounts.set(account, before);
        }
        this.stated_accounts.add(account);
      }
      const after = (this.accounts.get(account) ?? 0) + amount;
      if (!isSigned(after) || (after < 0 && !mayOwe(account)))
        broken(`${account} would stand at ${after}`);
      this.accounts.set(account, after);
      lines.push([account, amount, after]);
    }
    if (sum(lines.map(line => line[1])) !== 0) broken('a posting does not sum to zero');
    if (lines.some(([account]) => isOfPlay(account) !== isOfPlay(lines[0][0]))) broken('two kinds of chips are posted');
    if (lines.length) this.say('posted', { lines });
  }

  // --- Starts -----------------------------------------------------------------------------------

  start_dealer({ origin, epoch, master_id }, who, before) {
    this.only('house');
    if (this.logged !== null && origin !== (this.start ? this.start.origin : this.origin || origin))
      unsound(
        'origin',
        `the dealer starts the log ${quote(origin)}, not ${quote(this.start ? this.start.origin : this.origin)}`,
      );
    if (this.start) {
      need(origin === this.start.origin && master_id === this.start.master_id, 'wrong_start', 'another log or master');
      if (this.logged !== null && this.epochs.has(epoch)) unsound('epoch_reused', 'the epoch was used before');
      need(epoch !== this.start.epoch, 'wrong_start', 'the epoch is in force already');
    }
    const claimed = this.stated && this.claim('dealer_started');
    const down = claimed && isCount(claimed.down_ms) ? claimed.down_ms : this.start ? this.time - before : 0;
    this.start = { origin, epoch, master_id };
    this.epochs.add(epoch);
    this.startedAt = this.time;
    for (const table of this.tables.values())
      Object.assign(table, {
        recovering: true,
        downSince: table.recovering ? table.downSince : Math.max(0, this.time - down),
      });
    this.say('dealer_started', { origin, epoch, master_id, down_ms: down });
    this.eventsAwaitRecovery(Math.max(0, this.time - down), { start_dealer: {} });
  }

  stop_dealer() { this.only('house'); this.say('dealer_stopped', {}); }

  note_refused_start({ at, reason }) {
    this.only('house');
    need(at <= this.time, 'malformed');
    this.say('start_refused', { at, reason });
  }

  /** spec/recovery.md, "Under a new name". */
  continue_log({ origin, key, size, root, new_key, signature }) {
    this.only('house');
    need(!this.continues && this.players.size === 0 && this.usedTables.size === 0, 'nothing_to_do');
    need(origin !== this.start.origin && size > 0, 'malformed');
    need(ed25519.usable(unhex(new_key, 32)), 'malformed');
    const text = utf8(statementText({ origin, size, root, new_key }, this.start.origin));
    need(ed25519.usable(unhex(key, 32)) && ed25519.verify(unhex(key, 32), text, unhex(signature, 64)), 'malformed');
    this.continues = { origin, key, size, root, new_key };
    this.say('log_continues', this.continues);
  }

  /** spec/recovery.md, "The end of a log". */
  end_log({ origin, key }) {
    this.only('house');
    need(origin !== this.start.origin && ed25519.usable(unhex(key, 32)), 'malformed');
    const open = this.whatIsInPlay();
    need(!open, 'log_in_play', open);
    this.ended = { origin, key };
    this.say('log_ended', this.ended);
  }

  /**
   * The part of the log that would never be revealed or paid after the log's end; null if there is none. Attack: a
   * house ends its log before a shoe that it dealt from is revealed, and continues under another name.
   */
  whatIsInPlay() {
    for (const table of this.tables.values()) {
      if (table.live) return `a round of table ${table.name} is in play`;
      if (table.shoe && table.shoe.rounds) return `shoe ${table.shoe.no} of table ${table.name} was played from`;
      if (table.voids.some(voided => this.comesLate(voided))) return `seeds of table ${table.name} may still come late`;
    }
    const event = [...this.events.values()].find(({ stage }) => stage !== 'ended');
    if (event) return `tournament ${event.name} is not over`;
    return this.wallet.open.size ? 'an operation of the wallet is open' : null;
  }

  // --- Tables and shoes -------------------------------------------------------------------------

  open_table({ table: name, rules, replaces }, who) {
    need(!isOfEvent(name), 'malformed', 'the name is one that a tournament\'s table could have');
    if (this.by !== 'operator') this.existing(who);
    need(mayOpenNamed(name, isGuest(who) ? who : null), 'malformed', 'a guest\'s own table is named play.GUEST.NAME');
    need(!this.usedTables.has(name), 'table_exists');
    need(!who || [...this.tables.values()].filter(table => table.owner === who).length < 4, 'too_many_tables');
    const why = whyNoRuleSet(rules);
    need(!why, 'rule_set_refused', why);
    const solo = rules.table.mode === 'solo', lasting = rules.table.reshuffle !== 'every_round';
    need(
      who ? solo : !solo || !lasting || gameOf(rules).wheel,
      'not_allowed',
      'a table of that kind is for one player, or for all',
    );
    need(
      who || !solo || (rules.table.reveal_time_ms <= PUBLIC_REVEAL_MS && rules.table.round_time_ms <= PUBLIC_ROUND_MS),
      'not_allowed',
      'a solo table for everyone does not wait so long',
    );
    need(replaces === undefined || this.stated || this.closedTables.get(replaces) === who, 'not_replaceable');
    this.closedTables.delete(replaces);
    if (this.usedTables.has(replaces)) this.usedTables.get(replaces).replacedBy = name;
    this.useTable(name, { owner: who, replacedBy: null, sealed: [] });
    this.accounts.set(`table:${name}`, 0);
    const idle = who && { idle_ms: isGuest(who) ? GUEST_TABLE_IDLE_MS : IDLE_MS };
    this.table = this.newTable(name, rules, who, idle?.idle_ms);
    this.tables.set(name, this.table);
    if (isCash(this.table))
      for (let seat = 1; seat <= rules.table.seats; seat++) this.accounts.set(this.seatAccount(this.table, seat), 0);
    this.say('table_opened', {
      rules,
      digest: rulesDigest(rules),
      ...(who ? { owner: who, ...idle } : {}),
      ...(replaces === undefined ? {} : { replaces }),
    });
  }

  newTable(name, rules, owner, idleMs) {
    return {
      name, rules, owner, idleMs, seq: 0, lastTime: this.time, pauseUntil: 0, nextShoe: 0, nextRound: 0,
      recovering: false, downSince: null, shoe: null, live: null, window: null, shuffleAsked: false,
      seats: new Map(), misses: new Map(), asked: new Set(), newcomers: new Set(), last: [], goesOn: false,
      cash: new Map(), carried: new Map(), positions: null, changes: new Map(), wishes: new Map(), used: new Map(),
      voids: [], statedLate: new Set(), event: null, place: null,
    };
  }

  close_table(fields, who) {
    const table = this.table;
    if (this.by === 'house') {
      need(table.owner, 'not_allowed');
      need(this.time >= table.lastTime + table.idleMs, 'deadline_ahead');
    } else need(this.by === 'operator' || (table.owner && who === table.owner), 'not_allowed');
    need(!table.live, 'round_in_progress');
    this.needNoLateSeeds();
    if (table.window) this.lapseWindow('closed', false);
    if (table.shoe) this.revealShoe('closed');
    this.tableClosed();
  }

  /** The operator waits for the seeds of rounds that were void without them: spec/recovery.md, "Voids". */
  needNoLateSeeds() {
    need(this.by !== 'operator' || !this.table.voids.some(voided => this.comesLate(voided)), 'awaiting_reveals');
  }

  comesLate({ time, commitments, out }) { return out.size < commitments.size && this.time < time + LATE_SEED_MS; }

  tableClosed() {
    const { name, owner } = this.table;
    this.say('table_closed', {});
    this.tables.delete(name);
    this.accounts.delete(`table:${name}`);
    this.closedTables.set(name, owner);
  }

  commit_shoe() {
    const table = this.table;
    this.only('house');
    need(!table.shoe && !table.live && !table.window, 'nothing_to_do');
    this.commitShoe(gameOf(table.rules).composition(table.rules));
    this.noteTable();
  }

  /** A shoe of the next number; its commitment and root are the dealer's claim until the seed is published. */
  commitShoe(text) {
    if (!this.table.live) this.table.shuffleAsked = false;
    const table = this.table, claimed = this.claim('shoe_committed', text);
    const count = gameOf(table.rules).candidates || 1;
    const candidates =
      claimed && listOf(isCommitment, count, count)(claimed.candidates)
        ? claimed.candidates
        : Array(count).fill({ commitment: '0'.repeat(64), root: '0'.repeat(64) });
    const no = table.nextShoe;
    const composition = readComposition(text);
    table.shoe = {
      no,
      composition,
      epoch: this.start.epoch,
      candidates,
      root: candidates[0].root,
      entry: this.index,
      undrawn: new Set(Array.from({ length: composition.slots }, (_, i) => i)),
      bettors: null,
      lastHand: false,
      faces: new Map(),
      peeks: [],
      rounds: 0, since: this.time, lastEnd: null, seq: table.seq, bytes: 0,
    };
    table.nextShoe = no + 1;
    if (this.stated) this.shoes.push(table.shoe);
    this.say('shoe_committed', { shoe_no: no, composition: text, candidates });
    this.onlyOnce(
      this.roots,
      table.shoe,
      candidates.map(({ root }, k) => [k, root]),
      'root_reused',
      'has a root that was committed before',
    );
    if (new Set(candidates.map(({ commitment }) => commitment)).size < count)
      this.doubles.push(() => unsound('root_reused', `the candidates of shoe ${no} have one commitment`));
  }

  /**
   * A value belongs to one candidate of a shoe, `[number, value]`, and never to another: spec/audit.md, "Once in a
   * log".
   */
  onlyOnce(before, shoe, values, check, message) {
    const { name } = this.table;
    this.doubles.push(() => values.forEach(([k, value]) => {
        const whose = `${name}/${shoe.no}/${k}`;
        if (before.has(value) && before.get(value) !== whose)
          unsound(check, `candidate ${k} of shoe ${shoe.no} ${message}`);
        before.set(value, whose);
      }),
    );
  }

  tctx(shoe) { return tableContext(this.start.origin, this.table.name, shoe.epoch); }

  /** Publishes the seed of a shoe and checks all earlier claims about it. */
  revealSeed(shoe, cause) {
    const claimed = this.claim('shoe_revealed', shoe);
    const count = shoe.candidates.length,
      seeds =
        claimed && listOf(isHash, count, count)(claimed.seeds) ? claimed.seeds : Array(count).fill('0'.repeat(64));
    this.say('shoe_revealed', { shoe_no: shoe.no, seeds, ...(cause ? { cause } : {}) });
    shoe.revealed = true;
    const { table, index } = this;
    this.onlyOnce(
      this.seeds,
      shoe,
      seeds.map((seed, k) => [k, seed]),
      'seed_reused',
      'has a seed that was published before',
    );
    this.published.push(() => this.checkRevealed(shoe, seeds, table.name, index));
  }

  /** Checks all claims about a shoe against its seeds. */
  checkRevealed(shoe, seeds, table, index) {
    const { composition } = shoe, [derived] = seeds.map((seed, k) => this.openCandidate(table, shoe, k, seed));
    const faceOf = slot => (composition.wheel ? derived.faces[slot] : cardOf(derived.faces[slot]));
    for (const [slot, { face, entry }] of shoe.faces) {
      if (faceOf(slot) !== face)
        unsoundAt(
          entry,
          'face_false',
          `slot ${slot} of shoe ${shoe.no} holds ${faceOf(slot)}, entry ${entry} shows ${face}`,
        );
    }
    for (const { up, slot, answer, entry } of shoe.peeks) {
      const ranks = [rankOf(faceOf(up)), rankOf(faceOf(slot))];
      const truth = ranks.includes('A') && ranks.some(rank => 'TJQK'.includes(rank));
      if (truth !== answer)
        unsoundAt(
          entry,
          'peek_false',
          `entry ${entry} says of slot ${slot} that it ${answer ? 'makes' : 'does not make'} a blackjack; it holds ` +
            `${faceOf(slot)}`,
        );
    }
    this.shown.push({ shoe: shoe.no, entry: index, faces: shoe.faces.size, derived, table, composition });
  }

  /** Checks that a published seed opens its commitment and gives the committed shoe; returns that shoe. */
  openCandidate(table, shoe, k, text) {
    const seed = unhex(text, 32),
      { commitment, root } = shoe.candidates[k],
      which = shoe.candidates.length > 1 ? `candidate ${k} of shoe ${shoe.no}` : `shoe ${shoe.no}`;
    this.epochAsked = shoe.epoch;
    if (serverCommitment(tableContext(this.start.origin, table, shoe.epoch), shoe.no, k, seed) !== commitment)
      unsound('seed_opens', `the seed of ${which} does not open its commitment`);
    this.epochsShown.add(shoe.epoch);
    const derived = deriveShoe(seed, shoe.composition);
    if (derived.root !== root)
      unsound('shoe_root', `the shoe that the seed of ${which} orders has root ${derived.root}, not ${root}`);
    return derived;
  }

  /** The shoe in use leaves the table; if every round has its own shoe, without a cause. */
  revealShoe(cause) {
    const table = this.table;
    // If every round has a new shoe no player waits for one, for any reason of this one's end.
    const told = table.rules.table.reshuffle === 'every_round' ? null : cause;
    if (told === 'newcomer' || told === 'house_shuffle')
      table.newcomers = new Set([...table.asked].filter(player => !this.mayBet(player)));
    if (told === 'restart') table.newcomers = new Set();
    this.revealSeed(table.shoe, told);
    table.shoe = null;
  }

  /** Records a face that the log shows, and refuses faces that this composition cannot show. */
  noteFace(shoe, slot, face) {
    const known = shoe.faces.get(slot);
    if (known && known.face !== face)
      unsound(
        'face_changed',
        `slot ${slot} of shoe ${shoe.no} showed ${known.face} in entry ${known.entry}, and now ${face}`,
      );
    if (known) return;
    if (!shoe.composition.wheel) {
      const code = codeOf(face);
      const held = shoe.composition.codes.filter(other => other === code).length;
      const seen = [...shoe.faces.values()].filter(other => other.face === face).length;
      if (seen >= held)
        unsound('card_too_often', `${face} is shown ${seen + 1} times, shoe ${shoe.no} holds it ${held} times`);
    }
    shoe.faces.set(slot, { face, entry: this.index });
  }

  /** Whether a player asks to play who may not bet on the shoe in use. */
  hasNewcomer() { return [...this.table.asked].some(player => !this.mayBet(player)); }
  /**
   * Whether the table has so many entries since the shoe's commitment, including that one and `more`, or so many bytes.
   */
  isFull(more = 0) {
    const { seq, shoe } = this.table;
    return seq + more - shoe.seq >= SHOE_ENTRIES || shoe.bytes >= SHOE_BYTES;
  }
  isIdleShoe(at) {
    const { shoe: { lastEnd }, live, window } = this.table;
    return !live && !window && lastEnd !== null && at >= lastEnd + SHOE_IDLE_MS;
  }

  retire_shoe({ reason }) {
    const table = this.table;
    let cause = 'house_shuffle';
    this.only('house', 'operator');
    need(table.shoe, 'no_shoe');
    if (this.by === 'house') {
      need(reason === undefined, 'malformed');
      cause = this.hasNewcomer() ? 'newcomer' : this.isFull() ? 'full' : this.isIdleShoe(this.time) ? 'idle' : null;
      need(cause, 'nothing_to_do');
    } else {
      need(table.rules.table.house_shuffle, 'not_allowed');
      need(reason !== undefined, 'malformed');
    }
    if (!table.live && !table.window) return this.revealShoe(cause);
    need(cause === 'house_shuffle', 'round_in_progress');
    need(!table.shuffleAsked, 'nothing_to_do');
    table.shuffleAsked = true;
    return this.say('shuffle_asked', {});
  }
}

/** Methods of House that stand in another part. */
const extendHouse = methods => Object.defineProperties(House.prototype, Object.getOwnPropertyDescriptors(methods));

// Players, their keys, and chips that the operator pays in and out: spec/entries.md, spec/ledger.md.

extendHouse({
  create_player({ player, key }) {
    this.only('operator');
    need(!isGuest(player), 'malformed', 'the name is that of a guest');
    need(!this.players.has(player), 'player_exists');
    need(key === undefined || ed25519.usable(unhex(key, 32)), 'key_refused');
    this.players.add(player);
    this.accounts.set(`player:${player}`, 0);
    this.say('player_created', { player });
    if (key !== undefined) this.setKey(player, key);
  },

  set_key({ player, key, reason }, who) {
    need(this.by === 'operator' || (who && who === player), 'not_allowed');
    need((this.by === 'operator') === (reason !== undefined), 'malformed');
    need(this.stated || this.players.has(player), 'unknown_player');
    need(key === undefined || ed25519.usable(unhex(key, 32)), 'key_refused');
    const waiting = this.waitingKeys.get(player);
    need(this.stated || (waiting && who) || key !== (waiting ? waiting.key : this.keys.get(player)), 'nothing_to_do');
    if (who) this.setKey(player, key); else this.letKeyWait(player, key);
  },

  useKey(player, key) {
    this.waitingKeys.delete(player);
    if (key === undefined) this.keys.delete(player); else this.keys.set(player, key);
  },

  setKey(player, key) {
    this.useKey(player, key);
    this.say('key_set', { player, ...(key === undefined ? {} : { key }) });
  },

  /** The operator's change waits a day. For the key in force until then, a bundle trusts the log. */
  letKeyWait(player, key) {
    const claimed = this.stated && this.claim('key_set');
    if (claimed) this.useKey(player, claimed.old && ed25519.usable(unhex(claimed.old, 32)) ? claimed.old : undefined);
    const from = this.time + DAY_MS, old = this.keys.get(player);
    this.waitingKeys.set(player, { key, from });
    this.say('key_set', { player, ...(key === undefined ? {} : { key }), from, ...(old === undefined ? {} : { old }) });
  },

  issue_token({ holder, revoke }, who) {
    need(this.by === 'operator' || (who && this.players.has(who) && holder === `player:${who}`), 'not_allowed');
    need(holder.startsWith('auditor:') || this.players.has(holder.slice(7)), 'unknown_player');
    this.say('token_issued', { holder, revoked: revoke });
  },

  credit({ player, amount }) {
    this.only('operator');
    need(!isGuest(player), 'other_chips');
    need(this.players.has(player), 'unknown_player');
    need(
      amount >= 1 && this.balance(player) + amount <= HALF && this.accounts.get('cage') - amount >= -MAX_AMOUNT,
      'amount_out_of_range',
    );
    this.post(['cage', -amount], [`player:${player}`, amount]);
  },

  takeFrom(player, amount) {
    need(!isGuest(player), 'other_chips');
    need(this.players.has(player), 'unknown_player');
    need(amount >= 1, 'amount_out_of_range');
    need(this.balance(player) >= amount, 'insufficient_balance');
  },

  /** spec/entries.md, "Withdrawals". */
  withdraw({ player, amount }, who) {
    need(this.by === 'operator' || (who === player && this.keys.has(who)), 'not_allowed');
    need(who || (!this.keys.has(player) && !this.waitingKeys.has(player)), 'signature_missing');
    this.takeFrom(player, amount);
    need(this.accounts.get('cage') + amount <= MAX_AMOUNT, 'amount_out_of_range');
    this.post(['cage', amount], [`player:${player}`, -amount]);
  },

  correct({ player, amount }) {
    this.only('operator');
    this.takeFrom(player, amount);
    need(this.accounts.get('house') + amount <= MAX_AMOUNT, 'amount_out_of_range');
    this.post([`player:${player}`, -amount], ['house', amount]);
  },
});

// Guests and play chips: spec/ledger.md, "Play chips". A name tells whether a player is a guest, and which chips a
// table has.

const GUEST_CHIPS = 100000, GUEST_IDLE_MS = 24 * 3600000, GUEST_ROOM_MS = 300000, GUEST_UNUSED_MS = 60000;
const GUEST_TABLE_IDLE_MS = 600000, PLAY_WAIT_MS = 600000;
const isGuest = player => typeof player === 'string' && player.startsWith('guest.');
const isForPlay = table => typeof table === 'string' && table.startsWith('play.');

/** Whether this guest, or somebody else, may open a table of this name: `play.GUEST.NAME` is that guest's alone. */
function mayOpenNamed(table, guest) {
  const own = `play.${guest}.`;
  return guest ? table.startsWith(own) && table.length > own.length : !table.startsWith('play.guest.');
}

/** How long a table awaits seeds, or a solo one a round's end, where its rule set says so many milliseconds. */
const waitsFor = (table, ms) => (isForPlay(table) ? Math.min(ms, PLAY_WAIT_MS) : ms);

/** Whether an account holds play chips. */
function isOfPlay(account) {
  const [, kind, name] = /^([a-z]+):(.*)$/.exec(account) || [null, account, ''];
  if (kind === 'player' || kind === 'tdollars') return isGuest(name);
  return kind === 'play' || ((kind === 'table' || kind === 'seat') && isForPlay(name));
}

/** The sum over all accounts of play chips: always zero. */
const playTotal = accounts =>
  [...accounts].reduce((total, [account, balance]) => total + (isOfPlay(account) ? BigInt(balance) : 0n), 0n);

/** The accounts that may stand below zero. */
const mayOwe = account => ['cage', 'house', 'play', WALLET].includes(account) || account.startsWith(TRANSFERS);
/** Commands by which a player takes a place, where all chips are of one kind. */
const TAKES_PLACE = ['open_table', 'take_seat', 'want_seat', 'sit_down', 'bet'];

extendHouse({
  /** Play chips and credited ones are never at one table, and tournaments are played for money. */
  checkChips(name, fields, who) {
    if (name !== 'tournament') {
      need(!who || !TAKES_PLACE.includes(name) || isGuest(who) === isForPlay(fields.table), 'other_chips');
      return;
    }
    const [[word, inner]] = Object.entries(fields);
    need(!isGuest(who) && !(word === 'set_bounty' && isGuest(inner.player)), 'other_chips');
    const namesPlayTables = word === 'create' && isForPlay(`${inner.event}.`);
    need(!namesPlayTables, 'malformed', 'its tables would be named as those for play chips are');
  },

  /** The account against which the table's rounds settle, and the one that gets the rake. */
  houseAccount() { return isForPlay(this.table.name) ? 'play' : 'house'; },
  rakeAccount() { return isForPlay(this.table.name) ? 'play' : 'rake'; },

  /** Takes a name for a table. A guest's are found by the guest: a log has many names, and many guests go. */
  useTable(name, used) {
    this.usedTables.set(name, used);
    if (!isGuest(used.owner)) return;
    if (!this.guestTables.has(used.owner)) this.guestTables.set(used.owner, []);
    this.guestTables.get(used.owner).push(name);
  },

  admit_guest() {
    this.only('house');
    const player = `guest.${this.admitted}`;
    this.admitted++;
    this.players.add(player);
    this.accounts.set(`player:${player}`, 0);
    this.noteQueue();
    this.setIdle(player);
    this.say('guest_admitted', { player });
    this.post(['play', -GUEST_CHIPS], [`player:${player}`, GUEST_CHIPS]);
  },

  dismiss_guest({ player }) {
    this.only('house');
    need(this.idleSince.has(player), 'unknown_player');
    need(!this.hasPlace(player), 'nothing_to_do');
    const left = this.balance(player), least = left === GUEST_CHIPS ? GUEST_UNUSED_MS : GUEST_ROOM_MS;
    need(this.time >= this.idleSince.get(player) + least, 'deadline_ahead');
    this.post(['play', left], [`player:${player}`, -left]);
    this.say('guest_dismissed', { player });
    this.players.delete(player);
    this.accounts.delete(`player:${player}`);
    const { idleSince, offences, until, refunds, keys, waitingKeys, nonces } = this;
    for (const kept of [idleSince, offences, until, refunds, keys, waitingKeys, nonces]) kept.delete(player);
    this.idleQueue.delete(player);
    for (const name of this.guestTables.get(player) || []) {
      // Nobody else can have its name. A sealed shoe may yet be disclosed.
      if (this.usedTables.get(name).sealed.length) continue;
      this.usedTables.delete(name);
      this.closedTables.delete(name);
    }
    this.guestTables.delete(player);
    for (const kept of [this.refusals, this.blocks])
      for (const key of [...kept.keys()]) if (key.startsWith(`${player} `)) kept.delete(key);
  },

  /**
   * The guests with a place at a table: it is their table, or they have a seat, a bet, or a part in the round there.
   */
  guestsAt(table) {
    if (!table || !isForPlay(table.name) || this.tables.get(table.name) !== table) return new Set();
    const { owner, seats, window, live } = table;
    return new Set([
      ...(owner ? [owner] : []),
      ...(isCash(table) ? this.cashSeats(table).map(({ player }) => player) : seats.values()),
      ...(window ? window.bets.keys() : []),
      ...(live ? live.contributors.map(({ player }) => player) : []),
    ]);
  },

  /**
   * The guests' places, and the guests without one, the longest idle first: updated with each entry. Computed again if
   * missing, for example after a given state.
   */
  noteQueue() {
    if (this.idleQueue) return;
    this.placesAt = new Map(); // table -> the guests who have a place there
    this.places = new Map(); // guest -> at how many tables
    for (const { name } of this.tables.values()) this.countPlaces(name);
    const without = [...this.idleSince].filter(([player]) => !this.places.has(player));
    this.idleQueue = new Map(without.sort(([, a], [, b]) => a - b));
  },

  /** The guests with a place at this table now, and those at the last call. */
  countPlaces(name) {
    const had = this.placesAt.get(name) || new Set(), has = this.guestsAt(this.tables.get(name));
    if (has.size) this.placesAt.set(name, has); else this.placesAt.delete(name);
    const change = (player, by) => {
      const count = (this.places.get(player) || 0) + by;
      if (count) this.places.set(player, count); else this.places.delete(player);
    };
    for (const player of has) if (!had.has(player)) change(player, 1);
    for (const player of had) if (!has.has(player)) change(player, -1);
    return { had, has };
  },

  hasPlace(player) { this.noteQueue(); return this.places.has(player); },

  /** A guest is idle from now on. Entries' times never fall: the guest added last is idle for the shortest time. */
  setIdle(player) {
    this.idleSince.set(player, this.time);
    this.idleQueue.delete(player);
    if (!this.places.has(player)) this.idleQueue.set(player, this.time);
  },

  /** Before an entry: the guests who have a place at its table. */
  notePlaces({ command }) {
    if (this.stated) return;
    this.noteQueue();
    this.countPlaces(Object.values(command)[0].table);
  },

  /** After an entry: the time since which its guest, or a guest without a place, is idle. */
  noteIdle(by, command) {
    if (this.stated) return;
    const { had, has } = this.countPlaces(Object.values(command)[0].table);
    for (const player of has) this.idleQueue.delete(player);
    for (const player of had) if (this.idleSince.has(player) && !this.places.has(player)) this.setIdle(player);
    const who = isPlayerActor(by) ? by.slice(7) : null;
    if (this.idleSince.has(who)) this.setIdle(who);
  },

  /** The guest whose dismissal has waited for longer than the grace: the earliest deadline, then the least name. */
  checkDismissals(time, ready) {
    this.noteQueue();
    const [[, least] = []] = this.idleQueue;
    const since = Math.max(least + GUEST_IDLE_MS, ready);
    if (least === undefined || time <= since + OVERDUE_GRACE_MS) return;
    const first = [];
    for (const [player, idle] of this.idleQueue) { if (idle > least) break; first.push(player); }
    unsound('overdue', `${first.sort(compareText)[0]} was to be dismissed since ${clock(since)}`);
  },
});

// Chips that go from one log to another by receipt: spec/transfers.md.
//
// For each log that the operator ever named the house keeps `{policy, sent, claimed}`: the policy in force as its
// entry's text, undefined if there is none; the number of transfers sent there; the claimed numbers of that log, as
// runs `[first, last]`, ascending, as few as possible. An origin may be any word, even `__proto__`: so all is kept in
// Maps.

const MOST_KNOWN = 256, MOST_LOG_POLICY = 8192, MOST_CLAIMED = 4096, MOST_CLAIM_RECEIPT = 16384;
const transfersOf = origin => TRANSFERS + origin;

/** The bytes of a base64 text, at most so many. */
function boundedBase64(text, most, what) {
  // Four digits encode three bytes: a longer text is not decoded.
  const bytes = text.length <= 4 * Math.ceil(most / 3) ? unbase64(text) : null;
  if (!bytes || bytes.length > most) fault(`the ${what} is not the one base64 of at most ${most} bytes`);
  return bytes;
}

/** The policy for judging receipts of the log of that name: it accepts this log and no other. */
function policyOfLog(text, origin) {
  const policy = readPolicy(boundedBase64(text, MOST_LOG_POLICY, 'policy'));
  if (policy.logs.length !== 1 || policy.logs[0].name !== origin)
    fault(`the policy has not one log line, with a key of the name ${quote(origin)}`);
  return policy;
}

/** The transfer in another log's entry: `{to, no, player, amount}`. */
function transferOf(text) {
  if (text.length > MOST_CLAIMED) fault(`the entry is longer than ${MOST_CLAIMED} bytes`);
  const { command, events } = readEntry(text), { transferred_out: sent } = events[events.length - 1] || {};
  if (!command.transfer_out || !sent) fault('the entry is not one that sends something to another log');
  return sent;
}

/**
 * The content of a claim at the log `here`, proven under the policy of the log that it comes from, `{no, index, player,
 * amount, checkpoint}`.
 */
function claimShown({ from, entry, receipt }, policy, here) {
  const bytes = boundedBase64(receipt, MOST_CLAIM_RECEIPT, 'receipt'), { to, no, player, amount } = transferOf(entry);
  const { index, checkpoint } = verifyReceipt(bytes, ascii(entry), policyOfLog(policy, from));
  if (to !== here) fault(`it was sent to ${quote(to)}, this log is ${quote(here)}`);
  // An entry here holds no larger number.
  if (!isCount(Number(index))) fault(`the index ${index} is none that an entry can hold`);
  return { no, index: Number(index), player, amount, checkpoint };
}

/** The player of a claim, if it can be read. */
function playerOfClaim({ entry }) {
  try {
    return [transferOf(entry).player];
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    return [];
  }
}

/** A failure in `action` is a refusal with that code. */
function orRefuse(code, action) {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    return refuse(code, error.message);
  }
}

const isClaimed = (runs, no) => runs.some(([first, last]) => first <= no && no <= last);

/** The runs with one more number, joined with its neighbours. */
function withClaimed(runs, no) {
  const below = runs.filter(([, last]) => last < no), above = runs.filter(([first]) => first > no);
  const first = below.length && below[below.length - 1][1] === no - 1 ? below.pop()[0] : no;
  const last = above.length && above[0][0] === no + 1 ? above.shift()[1] : no;
  return [...below, [first, last], ...above];
}

/** Whether runs are ascending and as few as possible. */
const areRuns = runs =>
  runs.every(([first, last], i) => first <= last && (i === 0 || first > runs[i - 1][1] + 1));

/** The least number of witnesses that must cosign to meet a quorum. */
function leastWitnesses(node) {
  if (node === 'none') return 0;
  if (node.witness) return 1;
  return sum(node.group.members.map(leastWitnesses).sort((a, b) => a - b).slice(0, node.group.k));
}

extendHouse({
  know_log({ log, policy }) {
    const known = this.known.get(log);
    this.only('operator');
    need(log !== this.start.origin, 'malformed', 'a log does not name itself');
    need(known || this.known.size < MOST_KNOWN, 'malformed', `${MOST_KNOWN} logs are known`);
    if (policy !== undefined) orRefuse('malformed', () => policyOfLog(policy, log));
    need(policy !== (known && known.policy), 'nothing_to_do');
    if (known) known.policy = policy;
    else this.openTransfers(log, { policy, sent: 0, claimed: [] }, 0);
    this.say('log_known', { log, ...orNone('policy', policy) });
  },

  /** Adds a known log, with its account. */
  openTransfers(log, known, balance) {
    this.known.set(log, known);
    this.accounts.set(transfersOf(log), balance);
  },

  /** The log for a transfer or claim: one that the operator named, while its policy is in force. */
  trusted(log) {
    const known = this.known.get(log);
    need(known && known.policy !== undefined, 'unknown_log');
    return known;
  },

  transfer_out({ to, player, amount }, who) {
    need(this.by === 'operator' || (who === player && this.existing(who)), 'not_allowed');
    // While a first key waits transfers are refused: an operator could write in the player's name.
    need(this.keys.has(player) ? who : !this.waitingKeys.has(player), 'signature_missing');
    const known = this.trusted(to), account = transfersOf(to);
    this.takeFrom(player, amount);
    need(this.accounts.get(account) + amount <= MAX_AMOUNT, 'amount_out_of_range');
    this.post([`player:${player}`, -amount], [account, amount]);
    this.say('transferred_out', { to, no: known.sent, player, amount });
    known.sent++;
  },

  /**
   * Anyone may hand it in: it proves itself. The other house's own auditor checks whether that house was right to write
   * it.
   */
  transfer_in({ from, entry, receipt }) {
    if (isPlayerActor(this.by)) this.existing(this.by.slice(7));
    const known = this.trusted(from), account = transfersOf(from);
    const { no, index, player, amount } =
      orRefuse('claim_refused', () => claimShown({ from, entry, receipt }, known.policy, this.start.origin));
    need(!isClaimed(known.claimed, no), 'already_claimed');
    need(this.players.has(player), 'unknown_player');
    need(!isGuest(player), 'other_chips');
    need(amount > 0, 'amount_out_of_range');
    need(
      this.balance(player) + amount <= HALF && this.accounts.get(account) - amount >= -MAX_AMOUNT,
      'amount_out_of_range',
    );
    this.post([account, -amount], [`player:${player}`, amount]);
    known.claimed = withClaimed(known.claimed, no);
    this.say('transferred_in', { from, no, index, player, amount });
  },

  // --- In the state -----------------------------------------------------------------------------

  knownPart(log, { policy, sent, claimed }) {
    const balance = this.accounts.get(transfersOf(log));
    return {
      ...orNone('policy', policy),
      ...unlessZero('balance', balance),
      ...unlessZero('sent', sent),
      ...orNone('claimed', claimed),
    };
  },

  /** Takes in a state's statement about a known log; refuses values that no entries can have made. */
  takeKnown(log, { policy, balance = 0, sent = 0, claimed = [] }) {
    const wrong = why => fault(`the log ${quote(log)} cannot be known so: ${why}`);
    if (log === this.start.origin) wrong('it is the log itself');
    if (this.known.size === MOST_KNOWN) wrong(`${MOST_KNOWN} others are`);
    if (policy !== undefined) policyOfLog(policy, log);
    if (!areRuns(claimed)) wrong('its claims are not in as few runs as can be');
    // Every transfer is 1 or more.
    if (sent ? !claimed.length && balance < sent : balance > 0 || (!claimed.length && balance < 0))
      wrong('its balance is none that was sent and claimed');
    this.openTransfers(log, { policy, sent, claimed }, balance);
  },
});

// Chips that come from an operator's wallet and go back to it: spec/wallet.md.
//
// `wallet` is `{count, open, of}`: the number of operations so far; the open ones, by number, each `{call, player,
// amount}`; and the same by player, so that one player's can be found without a search. `withdrawals` is the number of
// open withdrawals.

const MOST_OPERATIONS = 65536, MOST_OPERATIONS_OF_ONE = 8, WALLET = 'wallet';
const isDeposit = ({ call }) => call !== 'pay';

extendHouse({
  wallet_deposit({ player, amount }, who) {
    need(this.by === 'operator' || (who === player && this.existing(who)), 'not_allowed');
    need(!isGuest(player), 'other_chips');
    need(this.players.has(player), 'unknown_player');
    const asked = sum(this.operationsOf(player).filter(isDeposit).map(operation => operation.amount));
    need(amount >= 1 && this.balance(player) + asked + amount <= HALF, 'amount_out_of_range');
    need(this.hasRoomFor(player, 'reserve'), 'too_many_operations');
    this.askWallet(this.wallet.count, 'reserve', player, amount);
  },

  /**
   * The right to withdraw is the same as for transfers: while a first key waits an operator could write in a player's
   * name.
   */
  wallet_withdraw({ player, amount }, who) {
    need(this.by === 'operator' || (who === player && this.existing(who)), 'not_allowed');
    need(this.keys.has(player) ? who : !this.waitingKeys.has(player), 'signature_missing');
    this.takeFrom(player, amount);
    need(this.walletStands() + amount <= MAX_AMOUNT, 'amount_out_of_range');
    need(this.hasRoomFor(player, 'pay'), 'too_many_operations');
    this.post([`player:${player}`, -amount], [WALLET, amount]);
    this.askWallet(this.wallet.count, 'pay', player, amount);
  },

  wallet_cancel({ no }, who) {
    const operation = this.openOperation(no), { player, amount } = operation;
    need(this.by === 'operator' || who === player, 'not_allowed');
    need(operation.call === 'reserve', 'nothing_to_do');
    this.askWallet(no, 'cancel', player, amount);
  },

  wallet_answer({ no, call, answer, reason }) {
    this.only('house');
    const operation = this.openOperation(no), { player, amount } = operation, isRefused = answer === 'refused';
    need(operation.call === call, 'nothing_to_do');
    need(!isRefused || call === 'reserve' || call === 'pay', 'malformed', `a ${call} is never refused`);
    need(isRefused || reason === undefined, 'malformed', 'a reason stands with a refusal alone');
    const isHeld = call === 'reserve' && !isRefused, comes = isHeld && this.balance(player) + amount <= HALF;
    if (comes || (call === 'pay' && isRefused)) {
      const fits = this.walletStands() - amount >= -MAX_AMOUNT && this.balance(player) + amount <= MAX_AMOUNT;
      need(fits, 'amount_out_of_range');
      this.post([WALLET, -amount], [`player:${player}`, amount]);
    }
    this.say('wallet_answered', { no, call, answer, ...orNone('reason', reason) });
    if (isHeld) this.askWallet(no, comes ? 'commit' : 'cancel', player, amount);
    else this.endOperation(no, player);
  },

  /** The account is there from the first posting on; before it stands at 0. */
  walletStands() { return this.accounts.get(WALLET) ?? 0; },

  operationsOf(player) { return [...(this.wallet.of.get(player) || new Map()).values()]; },

  openOperation(no) {
    const operation = this.wallet.open.get(no);
    need(operation, 'unknown_operation');
    return operation;
  },

  /** Deposits, which an operator can request in any name, leave room for withdrawals. */
  hasRoomFor(player, call) {
    const { open, withdrawals } = this.wallet, isOne = isDeposit({ call });
    const own = this.operationsOf(player).filter(operation => isDeposit(operation) === isOne).length;
    return own < MOST_OPERATIONS_OF_ONE && (isOne ? open.size - withdrawals : withdrawals) < MOST_OPERATIONS;
  },

  /** The operation waits for this call from now on; `reserve` and `pay` begin a new one. */
  askWallet(no, call, player, amount) {
    this.say('wallet_asked', { no, call, player, amount });
    if (no === this.wallet.count) this.wallet.count++;
    this.putOperation(no, { call, player, amount });
  },

  putOperation(no, operation) {
    const { open, of } = this.wallet, own = of.get(operation.player) || new Map();
    if (!isDeposit(operation)) this.wallet.withdrawals++;
    open.set(no, operation);
    of.set(operation.player, own.set(no, operation));
  },

  endOperation(no, player) {
    const { open, of } = this.wallet, own = of.get(player);
    if (!isDeposit(open.get(no))) this.wallet.withdrawals--;
    open.delete(no);
    own.delete(no);
    if (!own.size) of.delete(player);
  },

  // --- In the state -----------------------------------------------------------------------------

  walletLines(lines) {
    for (const [no, { call, player, amount }] of this.wallet.open) lines.set(`wallet:${no}`, { call, player, amount });
  },

  /** Takes in a state's statement about an open operation; refuses values that no entries can have made. */
  takeOperation(no, { call, player, amount }) {
    const wrong = why => fault(`operation ${no} of the wallet cannot be open: ${why}`);
    if (no >= this.wallet.count) wrong(`there were ${this.wallet.count} of them`);
    if (isGuest(player) || !this.players.has(player)) wrong(`${player} is no player who could have it`);
    if (!this.hasRoomFor(player, call)) wrong('as many of its kind are as may be');
    this.putOperation(no, { call, player, amount });
  },
});

// Limits that players set themselves, and exclusions: spec/limits.md.
//
// `limits` has, for each player with limits, a Map of them by their names, each `{of, per, most, count, until,
// waiting}`: the amount counted in the period that ends at `until`, and the waiting change, `{most, from}`, or null.
// They are updated to an entry's time only when read, so that no entry costs more if many players have limits.

const LIMIT_OF = ['deposit', 'loss', 'play_time'];
const LIMIT_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS };
const PLAY_GAP_MS = 600000, MOST_EXCLUSION_MS = 3650 * DAY_MS;
/** Commands by which a player begins to play, or stakes more: limits and exclusions refuse them. */
const LIMITED = ['take_seat', 'ask_to_play', 'bet', 'sit_down', 'sit_in'];
const LIMITED_AT_EVENT = ['register', 'rebuy', 'add_on', 'buy_stake'];
const nameOfLimit = (of, per) => `${of}/${per}`;
/** In the order in which a state has them. */
const LIMIT_NAMES = LIMIT_OF.flatMap(of => Object.keys(LIMIT_MS).map(per => nameOfLimit(of, per)));
const isOfPlayTime = ({ of }) => of === 'play_time';


extendHouse({
  // --- Set --------------------------------------------------------------------------------------------

  set_limit({ player, of, per, most }, who) {
    this.limitedPlayer(player, who);
    this.limitsOf(player); // what waited, and is in force now, is what is changed
    const name = nameOfLimit(of, per), own = this.limits.get(player) || new Map(), limit = own.get(name);
    const stands = limit ? (limit.waiting || limit).most : undefined;
    need(most !== stands, 'nothing_to_do');
    const loosens = !!limit && (most === undefined || most > limit.most), from = this.time + DAY_MS;
    const hasKey = this.keys.has(player) || this.waitingKeys.has(player);
    need(!loosens || who || !hasKey, 'signature_missing');
    if (loosens) limit.waiting = { most, from };
    else if (limit) Object.assign(limit, { most, waiting: null });
    else own.set(name, { of, per, most, count: 0, until: this.time + LIMIT_MS[per], waiting: null });
    this.limits.set(player, own);
    this.say('limit_set', { player, of, per, ...orNone('most', most), ...(loosens ? { from } : {}) });
  },

  exclude({ player, until }, who) {
    this.limitedPlayer(player, who);
    need(until > this.time && until <= this.time + MOST_EXCLUSION_MS, 'malformed');
    need(!this.isShutOut(player) || until > this.shutOut.get(player), 'nothing_to_do');
    this.shutOut.set(player, until);
    this.say('excluded', { player, until });
  },

  /** Who may be limited, and by whom. */
  limitedPlayer(player, who) {
    need(this.by === 'operator' || (who && who === player), 'not_allowed');
    need(!isGuest(player), 'other_chips');
    need(this.players.has(player), 'unknown_player');
  },

  isShutOut(player) { return this.time < (this.shutOut.get(player) || 0); },

  /** A player's limits at this entry's time: a waiting change may be in force by now, and periods may be over. */
  limitsOf(player) {
    const own = this.limits.get(player);
    if (!own) return [];
    for (const [name, limit] of own) {
      const { waiting, until, per } = limit, length = LIMIT_MS[per];
      if (waiting && this.time >= waiting.from) {
        if (waiting.most === undefined) { own.delete(name); continue; }
        Object.assign(limit, { most: waiting.most, waiting: null });
      }
      if (this.time < until) continue;
      Object.assign(limit, { count: 0, until: until + length * (1 + Math.floor((this.time - until) / length)) });
    }
    const limits = [...own.values()];
    // Without a limit of play time in between, the time since then does not count in a later one.
    if (!limits.some(isOfPlayTime)) this.played.delete(player);
    if (!limits.length) this.limits.delete(player);
    return limits;
  },

  // --- Refused ----------------------------------------------------------------------------------------

  /** Whether limits of the player apply to this command. A tournament that they are in goes on. */
  isLimited(name, fields) {
    if (name === 'tournament') return LIMITED_AT_EVENT.includes(Object.keys(fields)[0]);
    if (name === 'add_chips') return fields.amount > 0;
    const table = this.tables.get(fields.table);
    return name === 'commit_hand_seed' ? !(table && table.event) : LIMITED.includes(name);
  },

  /** Whether a player may be dealt into a hand by their own limits. */
  mayPlayOn(player) {
    return !this.isShutOut(player) &&
      !this.limitsOf(player).some(({ of, most, count }) => of === 'play_time' && count >= most);
  },

  /** Refusals by an exclusion, and by a limit that is reached before the decision. */
  checkLimits(name, fields, who) {
    if (this.stated) return; // a bundle has no limits
    const binds = who && this.isLimited(name, fields), { player = null, amount } = fields;
    const isPaidIn = name === 'credit' || name === 'wallet_deposit';
    need(!(binds && this.isShutOut(who)) && !(isPaidIn && this.isShutOut(player)), 'excluded');
    need(!binds || this.mayPlayOn(who), 'limit_reached');
    if (name === 'credit')
      need(!this.limitsOf(player).some(({ of, most, count }) => of === 'deposit' && count + amount > most),
        'limit_reached');
  },

  /** Refuses losses beyond a limit, from the entry's postings. */
  checkLoss(name, fields, who) {
    if (this.stated || !who || !this.isLimited(name, fields)) return;
    const limits = this.limitsOf(who).filter(({ of }) => of === 'loss');
    const taken = limits.length ? Math.max(this.takenBy(who), this.bindsToPay(name, fields)) : 0;
    need(taken <= 0 || !limits.some(({ most, count }) => count + taken > most), 'limit_reached');
  },

  /** The amount that this entry's postings take from a player, minus the amount they bring. */
  takenBy(player) {
    const lines = this.out.flatMap(({ posted }) => (posted ? posted.lines : []));
    return -sum(lines.filter(([account]) => account === `player:${player}`).map(([, amount]) => amount));
  },

  /** The player's later payments for requests noted during the hand. */
  bindsToPay(name, fields) {
    if (name === 'add_chips') return fields.amount;
    const noted = this.out.map(({ tournament }) => tournament && tournament.noted).find(Boolean);
    if (!noted) return 0;
    const { price, fee } = this.event.structure[noted.what];
    return price + fee;
  },

  // --- Counted ----------------------------------------------------------------------------------------

  /** After an entry is decided. */
  countLimits({ credit }) {
    if (this.stated) return;
    const who = isPlayerActor(this.by) ? this.by.slice(7) : null, hasPlace = !!(this.table || this.event);
    if (credit) this.countFor(credit.player, 'deposit', credit.amount);
    if (!hasPlace) return;
    const moved = this.out.flatMap(({ posted }) => (posted ? posted.lines : [])).map(([account]) => account);
    for (const account of new Set(moved)) {
      const player = account.startsWith('player:') ? account.slice(7) : null;
      if (this.limits.has(player)) this.countFor(player, 'loss', this.takenBy(player));
    }
    if (who) this.countPlay(who);
  },

  /** A count stays within the numbers that an entry can hold. */
  countFor(player, kind, amount) {
    for (const limit of this.limitsOf(player))
      if (limit.of === kind) limit.count = Math.max(-MAX_AMOUNT, Math.min(MAX_AMOUNT, limit.count + amount));
  },

  /** The whole time since the entry before counts in the period of this one. */
  countPlay(who) {
    if (!this.limitsOf(who).some(isOfPlayTime)) return;
    const since = this.time - (this.played.get(who) ?? -Infinity);
    if (since <= PLAY_GAP_MS) this.countFor(who, 'play_time', since);
    this.played.set(who, this.time);
  },

  // --- In the state -----------------------------------------------------------------------------------

  limitsPart(player) {
    const limits = this.limitsOf(player), played = this.played.get(player);
    const told = limits
      .sort((a, b) => LIMIT_NAMES.indexOf(nameOfLimit(a.of, a.per)) - LIMIT_NAMES.indexOf(nameOfLimit(b.of, b.per)))
      .map(({ of, per, most, count, until, waiting }) => ({
        of,
        per,
        most,
        count,
        until,
        ...(waiting ? { waiting: { ...orNone('most', waiting.most), from: waiting.from } } : {}),
      }));
    return {
      ...orNone('limits', told),
      ...(this.time - played <= PLAY_GAP_MS ? { played } : {}),
      ...(this.isShutOut(player) ? { excluded: this.shutOut.get(player) } : {}),
    };
  },

  /** Takes in a state's statement about a player's limits; refuses values that no entries can have made. */
  takeLimits(player, { limits = [], played, excluded }) {
    const wrong = why => fault(`the limits of ${player} cannot be: ${why}`), { time } = this;
    const isWithin = (at, span) => at > time && at <= time + span;
    if (isGuest(player) && (limits.length || excluded !== undefined)) wrong('they are a guest');
    for (const { of, per, most, count, until, waiting } of limits) {
      if (!isWithin(until, LIMIT_MS[per])) wrong(`a ${per} from its beginning holds no such end`);
      if (count < 0 && of !== 'loss') wrong(`no ${of} counts below zero`);
      const loosens = waiting && isWithin(waiting.from, DAY_MS) && (waiting.most === undefined || waiting.most > most);
      if (waiting && !loosens) wrong('what waits is no change that waits for a day');
    }
    const own = limits.map(({ of, per, waiting = null, ...limit }) => [
      nameOfLimit(of, per),
      { of, per, ...limit, waiting: waiting && { most: waiting.most, from: waiting.from } },
    ]);
    if (own.length) this.limits.set(player, new Map(own));
    if (played !== undefined) {
      if (played > time || !limits.some(isOfPlayTime)) wrong('the time that they play counts in no limit');
      this.played.set(player, played);
    }
    if (excluded === undefined) return;
    if (!isWithin(excluded, MOST_EXCLUSION_MS)) wrong('no exclusion lasts so long');
    this.shutOut.set(player, excluded);
  },
});

// Seats, betting windows, bets, cooldowns: spec/games/shared-tables.md and spec/entries.md, "Bets".

const WISH_MS = 600000, SEAT_IDLE_MS = 1800000, MOST_AWAY_MS = 300000;

extendHouse({
  shared() { need(this.table.rules.table.mode === 'shared', 'solo_table'); },

  mayBet(player) {
    const shoe = this.table.shoe;
    return gameOf(this.table.rules).wheel || !shoe || shoe.bettors === null || shoe.bettors.has(player);
  },

  seatOf(player) {
    const taken = [...this.table.seats].find(([, sitter]) => sitter === player);
    return taken ? taken[0] : null;
  },
  sits(player) { return this.seatOf(player) !== null; },
  regulars() { return this.table.last.filter(player => this.sits(player)); },
  free(player) { need(this.time >= (this.until.get(player) || 0), 'cooldown'); },

  take_seat({ seat }, who) {
    const table = this.table;
    this.existing(who);
    this.shared();
    this.free(who);
    need(!this.sits(who) && seat >= 1 && seat <= table.rules.table.seats && !table.seats.has(seat), 'seat_not_free');
    const others = table.window ? [...table.window.bets.values()].filter(({ player }) => player !== who) : [];
    need(
      !gameOf(table.rules).spotIsSeat || !others.some(({ bets }) => bets.some(({ spot }) => spot === String(seat))),
      'seat_not_free',
    );
    need(this.balance(who) >= table.rules.table.stake_min, 'chips_needed');
    table.seats.set(seat, who);
    table.wishes.delete(who);
    table.misses.set(who, 0);
    this.say('seat_taken', { player: who, seat });
    this.askToPlay(who);
  },

  askToPlay(player) {
    const { window, asked } = this.table;
    asked.add(player);
    this.useSeat(player);
    if (window && this.mayBet(player)) window.expected.add(player);
    this.say('play_asked', { player });
  },

  ask_to_play(fields, who) {
    const { window, asked } = this.table;
    this.existing(who);
    this.shared();
    this.free(who);
    need(this.sits(who), 'not_seated');
    need(!asked.has(who) && !(window && window.expected.has(who)), 'nothing_to_do');
    this.askToPlay(who);
  },

  // --- Idle seats: spec/games/shared-tables.md, "Seats" ---------------------------------------------

  /** A player's last use of the seat is this entry. */
  useSeat(player) { this.table.used.set(player, this.time); },
  useSeats(players) {
    players.filter(player => isCash(this.table) || this.sits(player)).forEach(player => this.useSeat(player));
  },

  wishesAt(at) { return [...this.table.wishes.values()].filter(since => at < since + WISH_MS).length; },
  /** The time from which the seat of a player who does not want to play is idle, until the table's next entry. */
  idleFrom(player) {
    const { lastTime, wishes, rules } = this.table, last = this.table.used.get(player);
    const { away_ms: away = MOST_AWAY_MS } = rules.table;
    const [long, soon] = [SEAT_IDLE_MS, away].map(idle => Math.max(lastTime, last + idle));
    return [...wishes.values()].some(since => soon < since + WISH_MS) ? Math.min(long, soon) : long;
  },
  unusedAt(player, at) { return at >= this.idleFrom(player); },
  idleSeats(at) {
    return [...this.table.seats]
      .sort(([a], [b]) => a - b)
      .filter(([, player]) => !this.table.asked.has(player) && this.unusedAt(player, at))
      .map(([, player]) => player);
  },

  tidy_seats() {
    const { window, live } = this.table;
    this.only('house');
    this.shared();
    need(!window && !live, 'nothing_to_do');
    const idle = this.idleSeats(this.time);
    need(idle.length, 'nothing_to_do');
    idle.forEach(player => this.freeSeat(player));
  },

  want_seat(fields, who) {
    const { rules, seats, cash, wishes } = this.table,
      sitting = isCash(this.table) ? [...cash.values()].map(({ player }) => player) : [...seats.values()];
    this.existing(who);
    this.shared();
    this.free(who);
    need(!sitting.includes(who), 'nothing_to_do');
    need(sitting.length === rules.table.seats && !(this.time < wishes.get(who) + WISH_MS), 'nothing_to_do');
    need(this.wishesAt(this.time) < rules.table.seats, 'too_many_waiting');
    need(this.stated || this.balance(who) >= rules.table.stake_min, 'chips_needed');
    wishes.set(who, this.time);
    this.say('seat_wanted', { player: who });
  },

  leave_seat(fields, who) {
    this.existing(who);
    this.shared();
    this.getUp(who);
  },

  unseat({ player }) {
    const { newcomers } = this.table;
    this.only('operator');
    this.shared();
    this.getUp(player);
    newcomers.delete(player);
  },

  getUp(player) {
    const { window } = this.table;
    need(this.sits(player), 'not_seated');
    if (window && window.bets.has(player)) {
      need(this.time < window.closesAt, 'deadline_passed');
      this.takeBack(player);
    }
    this.freeSeat(player);
  },

  freeSeat(player) {
    const table = this.table, seat = this.seatOf(player);
    table.seats.delete(seat);
    table.used.delete(player);
    table.misses.delete(player);
    table.asked.delete(player);
    if (table.window) table.window.expected.delete(player);
    this.say('seat_left', { player, seat });
  },

  open_bets() {
    const table = this.table;
    this.only('house');
    this.shared();
    need(table.shoe, 'no_shoe');
    const wanted = table.asked.size || (table.goesOn && this.regulars().length);
    need(!table.live && !table.window && wanted && this.time >= table.pauseUntil, 'nothing_to_do');
    need([...table.asked].every(player => this.mayBet(player)), 'nothing_to_do');
    need(!this.isFull() && !this.isIdleShoe(this.time), 'nothing_to_do');
    need(!this.idleSeats(table.lastTime).length, 'nothing_to_do');
    const closesAt = this.time + table.rules.table.bet_time_ms;
    table.window = {
      no: table.nextRound,
      closesAt,
      bets: new Map(),
      expected: new Set([...table.asked, ...this.regulars()]),
    };
    Object.assign(table, { asked: new Set(), goesOn: false });
    this.say('bets_opened', { round_no: table.window.no, shoe_no: table.shoe.no, closes_at: closesAt });
  },

  window(roundNo) {
    const { window, live } = this.table;
    need(window || !live, 'round_in_progress');
    need(window, 'bets_not_open');
    need(window.no === roundNo, 'wrong_round');
    return window;
  },

  stakeOf: placed => sum(placed.bets.map(bet => bet.stake)),

  /** Refuses bets that a player with `funds` may not place, including their bets in this window. */
  checkBets(who, bets, funds) {
    const table = this.table, { rules } = table, limits = rules.table, game = gameOf(rules), seen = new Set();
    need(bets.length >= 1 && bets.length <= limits.bets_per_player, 'bet_count');
    const written = sum(bets.map(bet => (bet.chips ? bet.chips.join().length : 0)));
    need(written <= (limits.mode === 'shared' ? 20000 / limits.seats : 6000), 'malformed', 'too long a list of chips');
    for (const bet of bets) {
      const why = game.refuseSpot(rules, bet);
      if (why === 'unknown_spot') refuse(why, bet.spot);
      need(!seen.has(bet.spot), 'spot_twice');
      seen.add(bet.spot);
      let placed = 0;
      for (const chip of bet.chips || []) {
        need(limits.chips.includes(chip), 'unknown_chip');
        need(chip <= funds - placed, 'chip_above_balance');
        placed += chip;
        need(placed <= limits.stake_max, 'above_maximum');
      }
      need(!bet.chips || placed === bet.stake, 'chips_differ');
      need(bet.stake >= limits.stake_min, 'below_minimum');
      need(bet.stake <= limits.stake_max, 'above_maximum');
      need(bet.stake % limits.stake_step === 0, 'off_step');
      if (why) refuse(why);
    }
    const total = sum(bets.map(bet => bet.stake));
    need(total <= funds, 'insufficient_balance');
    need(funds <= HALF && (this.stated || this.accounts.get(this.houseAccount()) >= -HALF), 'amount_out_of_range');
    const others = table.window ? [...table.window.bets.values()].filter(({ player }) => player !== who) : [];
    need(total + sum(others.map(this.stakeOf)) <= 2 ** 42, 'amount_out_of_range');
    if (game.spotIsSeat && limits.mode === 'shared') {
      const taken = new Set(others.flatMap(placed => placed.bets.map(bet => bet.spot)));
      for (const [seat, sitter] of table.seats) if (sitter !== who) taken.add(String(seat));
      need(!bets.some(bet => taken.has(bet.spot)), 'spot_taken');
    }
    return total;
  },

  bet({ round_no, bets, commitment }, who) {
    const table = this.table, placed = { player: who, bets, commitment };
    this.existing(who);
    need(!table.owner || table.owner === who, 'not_allowed');
    need(!table.live, 'round_in_progress');
    if (table.rules.table.mode === 'solo') return this.betAlone(placed, round_no);
    const window = this.window(round_no);
    this.free(who);
    need(this.sits(who), 'not_seated');
    need(this.mayBet(who), 'newcomer_waits');
    need(this.time < window.closesAt, 'deadline_passed');
    const lying = window.bets.has(who) ? this.stakeOf(window.bets.get(who)) : 0;
    const more = this.checkBets(who, bets, this.balance(who) + lying) - lying;
    window.bets.set(who, placed);
    this.useSeat(who);
    this.say('bet_placed', { bet: placed });
    return this.post([`player:${who}`, -more], [`table:${table.name}`, more]);
  },

  betAlone(placed, roundNo) {
    const table = this.table, who = placed.player;
    need(table.shoe, 'no_shoe');
    need(table.nextRound === roundNo, 'wrong_round');
    const total = this.checkBets(who, placed.bets, this.balance(who));
    this.say('bets_opened', { round_no: roundNo, shoe_no: table.shoe.no });
    this.say('bet_placed', { bet: placed });
    this.post([`player:${who}`, -total], [`table:${table.name}`, total]);
    this.bind([placed], false);
  },

  takeBack(player) {
    const { window, name } = this.table, stake = this.stakeOf(window.bets.get(player));
    window.bets.delete(player);
    this.say('bet_cancelled', { player });
    this.post([`player:${player}`, stake], [`table:${name}`, -stake]);
  },

  cancel_bet({ round_no }, who) {
    this.existing(who);
    this.shared();
    const window = this.window(round_no);
    need(window.bets.has(who), 'no_bet');
    need(this.time < window.closesAt, 'deadline_passed');
    this.takeBack(who);
  },

  close_bets({ round_no }) {
    const table = this.table, limits = table.rules.table, least = gameOf(table.rules).leastPlayers;
    this.only('house', 'operator');
    this.shared();
    const window = this.window(round_no),
      bets = [...window.bets.values()].sort((a, b) => compareText(a.player, b.player));
    const early =
      limits.close_early && bets.length >= least && [...window.expected].every(player => window.bets.has(player));
    need(this.by === 'operator' || this.time >= window.closesAt || early, 'deadline_ahead');
    const announced = this.by === 'operator' && this.time < window.closesAt;
    const late = [...table.newcomers]
      .sort(compareText)
      .filter(player => !window.bets.has(player) && !announced && this.time >= (this.until.get(player) || 0));
    if (bets.length < least) this.lapseWindow(bets.length ? 'too_few_players' : 'no_bets', announced);
    else this.bind(bets, announced);
    late.filter(player => !this.elsewhereInCooldown(player)).forEach(player => this.coolDown(player, 'no_bet'));
    if (bets.length >= least || !announced) table.newcomers = new Set();
    this.unseatMissing();
  },

  /** A player whom the house skips in a bundle's entry has a cooldown from elsewhere: the log is trusted for it. */
  elsewhereInCooldown(player) {
    const told = event =>
      (event.cooldown && event.cooldown.player === player) ||
      (event.hand_seed_committed && event.hand_seed_committed.player === player);
    if (!this.stated || this.logged.some(told)) return false;
    this.until.set(player, Math.max(this.until.get(player) || 0, this.time + 1));
    return true;
  },

  /** One more offence: spec/games/shared-tables.md, "The ladder". */
  coolDown(player, offence) {
    const times = [...(this.offences.get(player) || []).filter(at => this.time - at < HOURS_12), this.time];
    const claimed = this.stated && this.claim('cooldown');
    const count =
      claimed && isCount(claimed.offences) && claimed.offences >= times.length ? claimed.offences : times.length;
    const least = Math.max(
      this.time + LADDER_MINUTES[Math.min(count, LADDER_MINUTES.length) - 1] * 60000,
      this.until.get(player) || 0,
    );
    // An earlier cooldown from elsewhere may last longer, where there was an earlier offence.
    const longest = this.time + LADDER_MINUTES[LADDER_MINUTES.length - 1] * 60000;
    const until =
      claimed && count > 1 && isCount(claimed.until) && claimed.until > least && claimed.until <= longest
        ? claimed.until
        : least;
    this.offences.set(player, times);
    this.until.set(player, until);
    this.say('cooldown', { player, offence, offences: count, until });
  },

  countMisses({ bets }, announced) {
    const { misses, seats } = this.table;
    for (const player of seats.values())
      misses.set(player, bets.has(player) ? 0 : misses.get(player) + (announced ? 0 : 1));
  },

  /** A player who let three windows in a row end loses the seat, by ascending seat. */
  unseatMissing() {
    const { misses, seats } = this.table;
    [...seats]
      .sort(([a], [b]) => a - b)
      .filter(([, player]) => misses.get(player) >= 3)
      .forEach(([, player]) => this.freeSeat(player));
  },

  /** The window ends without a round: every bet comes back. */
  lapseWindow(cause, announced) {
    const table = this.table, { window } = table;
    const bets = [...window.bets.values()]
      .sort((a, b) => compareText(a.player, b.player))
      .map(placed => [placed.player, this.stakeOf(placed)]);
    table.window = null;
    this.giveChangesBack(window);
    this.post(...bets.map(([player, stake]) => [`player:${player}`, stake]), [
      `table:${table.name}`,
      -sum(bets.map(([, stake]) => stake)),
    ]);
    this.say('bets_lapsed', { round_no: window.no, cause, ...(announced ? { announced: true } : {}) });
    if ((cause === 'no_bets' || cause === 'too_few_players') && !announced) this.countMisses(window, false);
    else if (cause !== 'closed')
      for (const player of [...window.bets.keys(), ...window.expected]) if (this.sits(player)) table.asked.add(player);
  },

  /** Bets bind: the round is live and awaits seeds. */
  bind(contributors, announced, hand) {
    const table = this.table, { rules, shoe, window } = table;
    const roundNo = table.nextRound++, lanes = gameOf(rules).lanes(rules, contributors);
    const revealBy = this.time + waitsFor(table.name, rules.table.reveal_time_ms);
    table.live = {
      no: roundNo, shoe, contributors, lanes, revealBy, entry: this.index,
      seeds: new Map(),
      wentAway: new Set(),
      opened: false, settleBy: null, turnBy: 0, pick: 0, entropy: null, order: null, drawn: null,
      decisions: new Map(),
      nextDecision: 0,
      game: null,
      dealer: [],
      hidden: new Map(),
      piles: [shoe],
      pile: null,
      wants: null,
      staked: new Map(contributors.map(placed => [placed.player, this.stakeOf(placed)])),
      returned: new Map(),
      pending: new Map(contributors.map(placed => [placed.player, this.stakeOf(placed)])),
    };
    table.window = null;
    const cut = announced ? { announced: true } : {}, what = { round_no: roundNo, shoe_no: shoe.no };
    if (hand)
      this.say('hand_begun', {
        ...what,
        contributors: contributors.map(({ player, commitment }) => ({ player, commitment })),
        reveal_by: revealBy,
        ...cut,
        hand,
      });
    else this.say('bets_closed', { ...what, contributors, lanes, reveal_by: revealBy, ...cut });
    if (hand) table.live.game = gameOf(rules).start(rules, contributors, hand);
    if (window && !hand) {
      this.countMisses(window, announced);
      for (const player of window.bets.keys()) table.asked.delete(player);
    }
    shoe.bettors = new Set(contributors.map(({ player }) => player));
    shoe.rounds++;
    for (const { player } of contributors) table.changes.delete(player);
    this.useSeats(contributors.map(({ player }) => player));
  },
});

// Seeds, the course of a round, settlements, voids, new piles, recovery: spec/entries.md, "A round"; spec/recovery.md.

extendHouse({
  round(roundNo) {
    const { live } = this.table;
    need(live && live.no === roundNo, 'wrong_round');
    return live;
  },

  reveal({ round_no, player, seed, next }) {
    const { live, name } = this.table;
    if (isPlayerActor(this.by)) this.existing(this.by.slice(7));
    need(next === undefined || this.by === `player:${player}`, 'not_allowed');
    need(next === undefined || isCash(this.table), 'not_a_cash_table');
    const pile = live && live.pile, part = pile || this.round(round_no);
    need(part.no === round_no, 'wrong_round');
    need(pile ? pile.closed : !live.opened, pile ? 'nothing_to_do' : 'reveals_over');
    const commitment = pile
      ? pile.commitments.get(player)
      : (live.contributors.find(placed => placed.player === player) || {}).commitment;
    need(commitment, 'not_a_contributor');
    need(!part.seeds.has(player), 'already_revealed');
    this.epochAsked = part.shoe.epoch;
    need(
      clientCommitment(this.tctx(part.shoe), round_no, player, unhex(seed, 32)) === commitment,
      'seed_does_not_open',
    );
    this.epochsShown.add(part.shoe.epoch);
    need(this.time < (pile ? pile.by : live.revealBy), 'deadline_passed');
    part.seeds.set(player, seed);
    this.say('seed_revealed', { player, seed });
    if (next !== undefined) this.commitNext(player, next);
    const players = pile ? pile.players : live.contributors.map(placed => placed.player);
    if (players.some(other => !part.seeds.has(other))) return;
    const contributors = players.map(other => ({ player: other, seed: part.seeds.get(other) }));
    live.entropy = roundEntropy(
      tableContext(this.start.origin, name, part.shoe.epoch),
      part.shoe.no,
      part.shoe.candidates.map(({ root }) => root),
      round_no,
      contributors,
    );
    if (pile) this.shufflePile(pile); else this.openRound();
    this.course();
  },

  openRound() {
    const { live, rules } = this.table, most = waitsFor(this.table.name, rules.table.round_time_ms);
    const settleBy = rules.table.mode === 'solo' ? this.time + most : null;
    const { shoe } = live, pick = this.takeOrder(shoe), claimed = this.claim('round_opened', shoe, pick);
    const others = shoe.candidates
      .slice(1)
      .map((_, i) =>
        claimed && isList(claimed.others) && isHash(claimed.others[i]) ? claimed.others[i] : '0'.repeat(64),
      );
    this.say('round_opened', {
      entropy: hex(live.entropy),
      pick,
      others,
      ...(settleBy === null ? {} : { settle_by: settleBy }),
    });
    Object.assign(live, { opened: true, settleBy, pick });
    // The undealt one of two candidates is shown whole.
    const { table: { name } } = this;
    if (others.length) {
      this.onlyOnce(this.seeds, shoe, [[1 - pick, others[0]]], 'seed_reused', 'has a seed that was published before');
      this.published.push(() => this.openCandidate(name, shoe, 1 - pick, others[0]));
    }
    shoe.root = shoe.candidates[pick].root;
    live.game = live.game || gameOf(rules).start(rules, live.contributors);
  },

  /** The order in which the slots are dealt, and the dealt candidate. */
  takeOrder(shoe) {
    const { live } = this.table;
    if (shoe.composition.wheel) return 0;
    const { pick, order } = publicShuffle(live.entropy, shoe.candidates.length, [...shoe.undrawn]);
    Object.assign(live, { order, drawn: Array(live.lanes).fill(0) });
    return pick;
  },

  act({ round_no, decision, action }, who) {
    this.existing(who);
    const live = this.round(round_no), game = gameOf(this.table.rules);
    need(live.opened, 'awaiting_reveals');
    need(live.decisions.has(decision), 'decision_not_open');
    const acted = game.act(live.game, who, decision, action, this.balance(who));
    need(isCash(this.table) || acted.cost <= this.balance(who), 'insufficient_balance');
    need(this.time < this.deadline(decision), 'deadline_passed');
    this.useBank(decision);
    this.take({ decision, player: acted.player, action: acted.action, cost: acted.cost, default: false });
    this.course();
  },

  /** The deadline of a player's decision: recovery moves it. */
  deadline(decision) {
    const { live, rules } = this.table;
    if (rules.table.mode === 'solo') return live.settleBy;
    const { deadline, bankFrom } = live.decisions.get(decision);
    // A time bank begins when the base time is over: after a restart this has its full length first.
    return bankFrom === undefined
      ? Math.max(deadline, live.turnBy)
      : Math.max(bankFrom, live.turnBy) + deadline - bankFrom;
  },

  take(acted) {
    const { live, name } = this.table, { player, cost } = acted;
    this.play('acted', acted);
    this.fold({ acted });
    live.decisions.delete(acted.decision);
    if (isCash(this.table)) { this.noteCutOff(acted); return; }
    live.staked.set(player, (live.staked.get(player) || 0) + cost);
    live.pending.set(player, (live.pending.get(player) || 0) + cost);
    this.post([`player:${player}`, -cost], [`table:${name}`, cost]);
  },

  playDefault(decision) {
    const { live, rules } = this.table;
    this.take({
      decision,
      player: live.decisions.get(decision).player,
      action: gameOf(rules).defaultAction(live.game, decision),
      cost: 0,
      default: true,
    });
  },

  fold(event) { gameOf(this.table.rules).apply(this.table.live.game, event); },

  /** The game goes on until it waits for a decision or a pile, or is over. */
  course() {
    const table = this.table, game = gameOf(table.rules), env = { balance: player => this.balance(player) };
    while (table.live) {
      const step = game.next(table.live.game, env), [kind] = Object.keys(step);
      if (step.wait === 'decision') {
        const leaving = [...table.live.decisions].find(([, { player }]) => isCash(table) && this.isGone(player));
        if (!leaving) return;
        this.playDefault(leaving[0]);
        continue;
      }
      if (step.wait === 'pile') {
        // A player who was missing from the last shuffle is out before the next one, whatever happened in the game
        // meanwhile.
        const player = (table.live.absent || []).find(missing => step.players.includes(missing));
        if (player === undefined) return void this.openPile(step);
        this.play('absent', { player });
        this.fold({ absent: { player } });
        continue;
      }
      if (step.done) return void this.settle();
      this[`on_${kind}`](step[kind]);
    }
  },

  on_dealt({ lane, to, hidden }) {
    const table = this.table, { live } = table, shoe = this.pileInPlay();
    const slot = laneSlot(live.order, live.lanes, lane, live.drawn[lane], shoe.undrawn);
    if (slot < 0) return this.voidRound('shoe_exhausted', []);
    live.drawn[lane]++;
    shoe.undrawn.delete(slot);
    const claimed = this.claim('dealt', shoe, slot), dealt = { lane, slot, to };
    if (!hidden) dealt.card = claimed && isCard(claimed.card) ? claimed.card : '??';
    this.play('dealt', dealt);
    if (hidden) live.hidden.set(`${shoe.no}/${slot}`, shoe); else this.noteFace(shoe, slot, dealt.card);
    if (to === 'dealer') live.dealer.push(slot);
    this.fold({ dealt });
    const rule = table.rules.table.reshuffle;
    if (rule.cut_back !== undefined && shoe.undrawn.size < rule.cut_back && !shoe.lastHand) {
      shoe.lastHand = true;
      this.say('last_hand', { shoe_no: shoe.no });
    }
    return undefined;
  },

  /** The shoe of the cards: the round's, or the pile shuffled last. */
  pileInPlay() { const { piles } = this.table.live; return piles[piles.length - 1]; },

  on_turned({ pile, slot }) {
    const { live } = this.table, shoe = pile === undefined ? this.pileInPlay() : live.piles[pile];
    if (!live.hidden.delete(`${shoe.no}/${slot}`)) broken(`slot ${slot} does not lie face-down`);
    const claimed = this.claim('turned', shoe, slot);
    const turned = {
      ...(pile === undefined ? {} : { pile }),
      slot,
      card: claimed && isCard(claimed.card) ? claimed.card : '??',
    };
    this.play('turned', turned);
    this.noteFace(shoe, slot, turned.card);
    this.fold({ turned });
  },

  on_peeked({ slot }) {
    const { live } = this.table, claimed = this.claim('peeked', live.shoe, slot);
    const peeked = { slot, blackjack: !!claimed && claimed.blackjack === true };
    this.play('peeked', peeked);
    live.shoe.peeks.push({ up: live.dealer[0], slot, answer: peeked.blackjack, entry: this.index });
    this.fold({ peeked });
  },

  on_offered(step) {
    const { live, rules } = this.table, decision = live.nextDecision++;
    // For a betting turn at table stakes; a showdown has no other time.
    const late = step.banked ? this.lateExtra(step.player) : 0;
    const turn = this.time + rules.table.turn_time_ms + (step.extra || 0) + late;
    const base = rules.table.mode === 'solo' ? live.settleBy : turn, bankFrom = step.bank ? base : undefined;
    const deadline = base + (step.bank || 0);
    const offered = {
      decision, player: step.player, place: step.place, options: step.options, deadline,
      ...(step.bank ? { bank_from: base } : {}),
      ...(late ? { extra_ms: late } : {}),
    };
    if (late) this.cashSeat(step.player).cutOff = 'had';
    live.decisions.set(decision, { player: step.player, deadline, bankFrom });
    this.play('offered', offered);
    this.fold({ offered });
  },

  on_paid({ lines }) {
    const { live, name } = this.table, rets = new Map();
    this.play('paid', { lines });
    let staked = 0;
    for (const { player, stake, returned } of lines) {
      rets.set(player, (rets.get(player) || 0) + returned);
      live.returned.set(player, (live.returned.get(player) || 0) + returned);
      live.pending.set(player, live.pending.get(player) - stake);
      staked += stake;
    }
    this.fold({ paid: { lines } });
    const returned = sum([...rets.values()]);
    this.post(
      ...[...rets].map(([player, returned]) => [`player:${player}`, returned]),
      [`table:${name}`, -staked],
      [this.houseAccount(), staked - returned],
    );
  },

  on_spun() {
    const { live, shoe } = this.table;
    const slot = Math.min(...shoe.undrawn);
    if (!shoe.undrawn.size) return this.voidRound('shoe_exhausted', []);
    const { wheel } = shoe.composition, claimed = this.claim('spun', shoe, slot);
    const value = claimed && whole(0, wheel - 1)(claimed.value) ? claimed.value : 0;
    const spun = { slot, value, pocket: (value + wheelOffset(live.entropy, wheel)) % wheel };
    this.play('spun', spun);
    this.noteFace(shoe, slot, value);
    return this.fold({ spun });
  },

  on_safe(fields) { this.play('safe', fields); this.fold({ safe: fields }); },

  // --- New piles in mid-game ----------------------------------------------------------------------

  openPile({ cards, players }) {
    const table = this.table, { live } = table;
    const claimedShoe = live.piles[live.piles.length - 1];
    table.shoe = null;
    this.commitShoe(`cards:${cards.join('')}`);
    const no = table.nextRound++,
      by = this.time + waitsFor(table.name, table.rules.table.reveal_time_ms),
      sorted = players.slice().sort(compareText);
    live.absent = [];
    live.pile = {
      no,
      shoe: table.shoe,
      players: sorted,
      by,
      commitments: new Map(),
      closed: false,
      seeds: new Map(),
      before: claimedShoe,
    };
    this.say('pile_opened', { round_no: no, shoe_no: table.shoe.no, players: sorted, commit_by: by });
  },

  commit_seed({ round_no, commitment }, who) {
    this.existing(who);
    const table = this.table, pile = table.live && table.live.pile;
    need(pile && !pile.closed, 'nothing_to_do');
    need(pile.no === round_no, 'wrong_round');
    need(pile.players.includes(who), 'not_a_contributor');
    need(!pile.commitments.has(who), 'nothing_to_do');
    need(this.time < pile.by, 'deadline_passed');
    pile.commitments.set(who, commitment);
    this.say('seed_committed', { player: who, commitment });
    if (pile.commitments.size < pile.players.length) return;
    Object.assign(pile, { closed: true, by: this.time + waitsFor(table.name, table.rules.table.reveal_time_ms) });
    const contributors = pile.players.map(player => ({ player, commitment: pile.commitments.get(player) }));
    this.say('pile_closed', { round_no: pile.no, shoe_no: pile.shoe.no, contributors, reveal_by: pile.by });
  },

  shufflePile(pile) {
    const { live } = this.table;
    this.say('pile_shuffled', { round_no: pile.no, entropy: hex(live.entropy), pick: 0 });
    live.pile = null;
    live.piles.push(pile.shoe);
    this.takeOrder(pile.shoe);
    const shuffled = { pile: live.piles.length - 1 };
    this.play('shuffled', shuffled);
    this.fold({ shuffled });
  },

  failPile() {
    const table = this.table,
      { live } = table,
      { pile } = live,
      game = gameOf(table.rules),
      stage = pile.closed ? pile.seeds : pile.commitments;
    const missing = pile.players.filter(player => !stage.has(player));
    this.say('pile_failed', { round_no: pile.no, missing });
    this.revealSeed(pile.shoe, 'pile_unused');
    Object.assign(live, { pile: null, absent: missing });
    table.shoe = null;
    this.course();
  },

  // --- Ends ---------------------------------------------------------------------------------------

  /** The result of a finished round for each player. */
  results: ({ contributors }, staked, returned) =>
    contributors.map(({ player }) => ({ player, staked: staked(player), returned: returned(player) })),

  settle() {
    const { live } = this.table, total = amounts => sum([...amounts.values()]);
    if (total(live.pending)) broken('the round is over and stakes are left');
    const players = this.results(live, player => live.staked.get(player), player => live.returned.get(player) || 0);
    const [staked, returned] = [total(live.staked), total(live.returned)];
    this.say('round_settled', { round_no: live.no, staked, returned, players });
    this.roundOver({ phase: 'settled', players, void: null });
    if (isCash(this.table)) this.handOver(live); else this.retireIfDue(null, live);
  },

  /** `end`: `{phase, players, void}`. A bundle's table remembers its last round. */
  roundOver(end) {
    const table = this.table, { live } = table;
    if (this.stated) table.ended = Object.assign(live, { end });
    table.live = null;
    table.goesOn = true;
    live.shoe.lastEnd = this.time;
    table.pauseUntil = this.time + (table.rules.table.between_hands_ms || 0);
    table.last = live.contributors.map(({ player }) => player);
    this.useSeats(table.last);
    // A wheel's slot is used up by its round number, void or not.
    if (live.shoe.composition.wheel) live.shoe.undrawn.delete(Math.min(...live.shoe.undrawn));
  },

  retireIfDue(cause, live) {
    const table = this.table, { shoe } = table, rule = table.rules.table.reshuffle;
    let why = cause;
    if (!why && table.shuffleAsked) why = 'house_shuffle';
    if (!why && shoe && shoe.epoch !== this.start.epoch) why = 'restart';
    if (!why && (rule === 'every_round' || (shoe && reshuffleDue(rule, shoe.undrawn.size)))) why = 'threshold';
    if (!why && shoe && this.isFull(1)) why = 'full';
    if (!why) return;
    for (const pile of live.piles) if (pile !== shoe) this.revealSeed(pile, 'pile_used');
    if (shoe) this.revealShoe(why);
  },

  /** Seeds of a round that is void without them may come late: spec/recovery.md, "Voids". */
  rememberVoid() {
    const { live, voids } = this.table;
    const missing = live.contributors.filter(({ player }) => !live.seeds.has(player));
    if (live.opened || !missing.length) return;
    voids.push({
      no: live.no,
      time: this.time,
      shoe: live.shoe,
      epoch: live.shoe.epoch,
      commitments: new Map(missing.map(({ player, commitment }) => [player, commitment])),
      out: new Set(),
    });
    // Within the hour it is forgotten only because of their number.
    const fresh = voids.filter(({ time }) => this.time < time + LATE_SEED_MS).length;
    voids.splice(0, voids.length - Math.min(Math.max(fresh, VOIDS_REMEMBERED), MOST_VOIDS_REMEMBERED));
  },

  late_seed({ round_no, player, seed }) {
    const table = this.table, round = table.voids.find(({ no }) => no === round_no);
    if (isPlayerActor(this.by)) this.existing(this.by.slice(7));
    // For a round before a bundle's first the log is trusted.
    if (round || !this.stated || (table.firstRound !== undefined && round_no >= table.firstRound)) {
      need(round, 'wrong_round');
      need(round.commitments.has(player), 'not_a_contributor');
      need(!round.out.has(player), 'already_revealed');
      this.epochAsked = round.shoe.epoch;
      need(
        clientCommitment(this.tctx(round.shoe), round_no, player, unhex(seed, 32)) === round.commitments.get(player),
        'seed_does_not_open',
      );
      this.epochsShown.add(round.shoe.epoch);
      round.out.add(player);
    } else {
      need(!table.statedLate.has(`${round_no} ${player}`), 'already_revealed');
      table.statedLate.add(`${round_no} ${player}`);
    }
    this.say('seed_late', { round_no, player, seed });
  },

  voidRound(cause, missing) {
    this.rememberVoid();
    if (isCash(this.table)) { this.voidHand(cause, missing); return; }
    const table = this.table, { live, rules, name } = table, moves = [], kept = [];
    const pending = sum([...live.pending.values()]), abandoned = cause === 'abandoned';
    for (const { player } of live.contributors) {
      const owed = abandoned ? live.pending.get(player) : live.staked.get(player) - (live.returned.get(player) || 0);
      const amount = Math.max(owed, -this.balance(player));
      if (amount > owed) kept.push({ player, amount: amount - owed });
      moves.push([`player:${player}`, amount]);
    }
    this.post(...moves, [`table:${name}`, -pending], [
      this.houseAccount(),
      pending - sum(moves.map(([, amount]) => amount)),
    ]);
    const ahead = live.game ? gameOf(rules).ahead(live.game) : 'nobody';
    const refunds = abandoned ? { refunds: this.refundCount(live) } : {};
    const keptOf = player => sum(kept.filter(one => one.player === player).map(({ amount }) => amount));
    const players = this.results(
      live,
      player => live.staked.get(player),
      player =>
        abandoned
          ? (live.returned.get(player) || 0) + live.pending.get(player)
          : live.staked.get(player) + keptOf(player),
    );
    this.say('round_voided', {
      round_no: live.no, cause, missing, ahead, players,
      ...refunds,
      ...(kept.length ? { kept } : {}),
    });
    this.roundOver({ phase: 'voided', players, void: { cause, ahead } });
    this.retireIfDue({ crash: 'restart', shoe_exhausted: 'exhausted' }[cause] || null, live);
  },

  /**
   * The player's refunds over 30 days, including this one; in a bundle the log's number, at least as many as it shows.
   */
  refundCount(live) {
    const [{ player }] = live.contributors,
      times = [...(this.refunds.get(player) || []).filter(at => this.time - at < DAYS_30), this.time];
    this.refunds.set(player, times);
    const claimed = this.stated && this.claim('round_voided');
    return claimed && isCount(claimed.refunds) && claimed.refunds >= times.length ? claimed.refunds : times.length;
  },

  refundDue(live) {
    const { abandon, abandon_refunds: cap } = this.table.rules.table, [{ player }] = live.contributors;
    if (abandon !== 'refund') return false;
    if (cap === 'unlimited') return true;
    const shown = (this.refunds.get(player) || []).filter(at => this.time - at < DAYS_30).length;
    if (!this.stated) return shown < cap;
    // A bundle does not know the number of earlier refunds: then the log's choice stands, within the cap.
    const told = this.logged.find(event => event.round_voided !== undefined);
    return !!told && Math.max(told.round_voided.refunds || 0, shown + 1) <= cap;
  },

  void_round({ round_no }) {
    this.only('operator');
    const { window, live } = this.table;
    if (!live && window && window.no === round_no)
      return isCash(this.table) ? this.lapseCall('malfunction', false) : this.lapseWindow('malfunction', false);
    const round = this.round(round_no);
    need(round.opened && !round.pile, 'awaiting_reveals');
    return this.voidRound('malfunction', []);
  },

  lapse({ round_no, lapsed }) {
    this.only('house');
    const live = this.round(round_no), { rules } = this.table, solo = rules.table.mode === 'solo';
    if (lapsed === 'reveal') {
      need(!live.opened, 'nothing_to_do');
      need(this.time >= live.revealBy, 'deadline_ahead');
      const missing = live.contributors.map(({ player }) => player).filter(player => !live.seeds.has(player));
      this.voidRound('reveal_missing', missing);
      if (solo) return;
      missing.forEach(player => this.coolDown(player, live.wentAway.has(player) ? 'went_away' : 'reveal_missing'));
      if (isCash(this.table)) missing.forEach(player => this.sitOutWithholder(player));
      else missing.filter(player => this.sits(player)).forEach(player => this.freeSeat(player));
    } else if (lapsed === 'round') {
      need(solo && live.opened, 'nothing_to_do');
      need(this.time >= live.settleBy, 'deadline_ahead');
      if (this.refundDue(live)) { this.voidRound('abandoned', []); return; }
      while (this.table.live) {
        this.playDefault(Math.min(...live.decisions.keys()));
        this.course();
      }
    } else if (lapsed === 'turn') {
      need(!solo && live.opened && !live.pile && live.decisions.size, 'nothing_to_do');
      const due = [...live.decisions.keys()].filter(decision => this.time >= this.deadline(decision));
      need(due.length, 'deadline_ahead');
      for (const decision of due) {
        if (this.table.live !== live || !live.decisions.has(decision)) continue;
        if (isCash(this.table)) this.timeOut(decision);
        this.playDefault(decision);
        this.course();
      }
    } else {
      need(live.pile, 'nothing_to_do');
      need(this.time >= live.pile.by, 'deadline_ahead');
      this.failPile();
    }
  },

  /**
   * The deadline of the round's present wait after a restart: its full time once, then the table's time away
   * (spec/recovery.md, "Time again, once").
   */
  timeAgain(full, stood) {
    const { live, downSince } = this.table, { pile } = live;
    const wait = pile
      ? `pile ${pile.no} ${pile.closed}`
      : live.opened
        ? `turn ${Math.min(...live.decisions.keys())}`
        : 'seeds';
    const again = live.resumedIn === wait;
    live.resumedIn = wait;
    return again ? stood + this.time - downSince : this.time + full;
  },

  recover() {
    const table = this.table, { rules, live } = table;
    this.only('house');
    need(table.recovering, 'nothing_to_do');
    table.carried.clear();
    if (table.window && isCash(table)) this.lapseCall('restart', false);
    else if (table.window) this.lapseWindow('restart', false);
    if (!live) {
      if (table.shoe) this.revealShoe('restart');
    } else if (rules.table.crash === 'rollback') {
      this.voidRound('crash', []);
    } else if (!live.opened || live.pile) {
      const full = waitsFor(table.name, rules.table.reveal_time_ms);
      const by = this.timeAgain(full, live.pile ? live.pile.by : live.revealBy);
      if (live.pile) live.pile.by = by; else live.revealBy = by;
      this.say('round_resumed', { round_no: live.no, reveal_by: by });
    } else if (rules.table.mode === 'solo') {
      live.settleBy += this.time - table.downSince;
      this.say('round_resumed', { round_no: live.no, settle_by: live.settleBy });
    } else {
      const ends = [...live.decisions.values()].map(({ deadline, bankFrom }) =>
        Math.max(bankFrom === undefined ? deadline : bankFrom, live.turnBy),
      );
      live.turnBy = this.timeAgain(rules.table.turn_time_ms, Math.max(0, ...ends));
      this.say('round_resumed', { round_no: live.no, turn_by: live.turnBy });
    }
    Object.assign(table, { recovering: false, downSince: null });
    [...table.used.keys()].forEach(player => this.useSeat(player));
  },
});

// Cash tables of poker, between hands: seats, stacks, debts, leaving. spec/games/poker-table.md.
//
// A command of both kinds of table that is decided differently here is a method `cash_NAME`.

const isCash = table => !!table && gameOf(table.rules).cash === true;
const newDebts = () => ({ entry: false, small: false, big: false, third: false });
const owesAny = ({ owes }) => owes.entry || owes.small || owes.big || owes.third;

extendHouse({
  cashOptions() { return this.table.rules.game.poker; },
  seatAccount: (table, seat) => `seat:${table.name}/${seat}`,
  betweenHands() { return !this.table.live && !this.table.window; },
  isReady: seat => !seat.out && !seat.leaving && seat.stack > 0,
  cashSeats(table = this.table) { return [...table.cash.values()].sort((a, b) => a.seat - b.seat); },

  /** The seat of a player, or undefined. */
  cashSeat(player) { return [...this.table.cash.values()].find(seat => seat.player === player); },

  /** A newcomer's seat. */
  sitDown(player, number) {
    const { bank_ms: bank } = this.cashOptions().clocks;
    const seat = {
      seat: number,
      player,
      stack: 0,
      out: false,
      owes: { ...newDebts(), entry: true },
      entry: 'post', straddle: false, hands: 0, away: 0, bank, leaving: false, topUp: 0, cutOff: null,
    };
    this.table.cash.set(number, seat);
    return seat;
  },

  seated(who) {
    this.existing(who);
    const seat = this.cashSeat(who);
    need(seat, 'not_seated');
    return seat;
  },

  // --- Sitting down, in and out -------------------------------------------------------------------

  sit_down({ seat: number, buy_in: amount, client = 'desktop', entry = 'post' }, who) {
    const table = this.table, limits = table.rules.table;
    this.existing(who);
    this.free(who);
    need(
      number >= 1 &&
        number <= limits.seats &&
        !table.cash.has(number) &&
        ![...table.cash.values()].some(({ player }) => player === who),
      'seat_not_free',
    );
    need(
      amount >= limits.stake_min && amount <= limits.stake_max && amount % limits.stake_step === 0,
      'buy_in_out_of_range',
    );
    need(this.balance(who) >= amount, 'insufficient_balance');
    this.needRoom(amount);
    const held = sum(
      [...this.tables.values()]
        .filter(isCash)
        .map(({ cash }) => [...cash.values()].filter(({ player }) => player === who).length),
    );
    need(held < this.cashOptions().most_seats[client], 'too_many_seats');
    need(
      this.cashOptions().leave_table.exempt || this.time >= (this.blocks.get(`${who} ${this.level()}`) || 0),
      'level_blocked',
    );
    const seat = this.sitDown(who, number);
    this.useSeat(who);
    table.wishes.delete(who);
    this.say('seat_taken', { player: who, seat: number });
    this.addChips(seat, amount);
    this.sitIn(seat, entry, false);
  },

  /** Twice the sum of all stacks of the table, with this amount, is at most 2^52 − 1. */
  needRoom(amount) {
    const stacks = sum(this.cashSeats().map(({ stack }) => stack));
    need(2 * (stacks + amount) <= HALF, 'amount_out_of_range');
  },

  addChips(seat, amount) {
    seat.stack += amount;
    seat.topUp = 0;
    this.say('chips_added', { player: seat.player, seat: seat.seat, amount, stack: seat.stack });
    this.post([`player:${seat.player}`, -amount], [this.seatAccount(this.table, seat.seat), amount]);
  },

  sitIn(seat, entry, straddle) {
    Object.assign(seat, { out: false, entry, straddle });
    if (this.table.window && this.isReady(seat)) this.table.window.expected.add(seat.player);
    this.say('sat_in', { player: seat.player, seat: seat.seat, entry, straddle });
  },

  sitOut(seat, cause) {
    const table = this.table;
    seat.out = true;
    table.carried.delete(seat.player);
    if (table.window) table.window.expected.delete(seat.player);
    this.say('sat_out', { player: seat.player, seat: seat.seat, cause });
  },

  sit_in({ entry, straddle }, who) {
    const seat = this.seated(who);
    this.free(who);
    const asked = {
      entry: entry === undefined ? seat.entry : entry,
      straddle: straddle === undefined ? seat.straddle : straddle,
    };
    need(
      !seat.leaving && (seat.out || asked.entry !== seat.entry || asked.straddle !== seat.straddle),
      'nothing_to_do',
    );
    need(seat.stack > 0 || seat.topUp > 0, 'chips_needed');
    this.sitIn(seat, asked.entry, asked.straddle);
  },

  /** The player's commitment for the called hand no longer counts. */
  withdrawCommitment(player) {
    const { window } = this.table;
    if (window && window.bets.delete(player)) this.say('hand_seed_withdrawn', { player });
  },

  sit_out(fields, who) {
    const seat = this.seated(who);
    need(!seat.out, 'nothing_to_do');
    this.withdrawCommitment(who);
    this.goAway(who);
    this.sitOut(seat, 'asked');
  },

  /** Before the first seed of a hand is published, no one knows anything about it. */
  goAway(player) {
    const { live } = this.table, plays = live && live.contributors.some(placed => placed.player === player);
    if (plays && !live.opened && !live.seeds.size) live.wentAway.add(player);
  },

  add_chips({ amount }, who) {
    const seat = this.seated(who), limits = this.table.rules.table;
    if (amount === 0) need(seat.topUp > 0, 'nothing_to_do');
    else {
      need(seat.stack + amount >= limits.stake_min && seat.stack + amount <= limits.stake_max, 'buy_in_out_of_range');
      need(amount % limits.stake_step === 0, 'buy_in_out_of_range');
      this.needRoom(amount);
      need(this.stated || this.balance(who) >= amount, 'insufficient_balance');
      this.checkLoss('add_chips', { amount }, who);
    }
    if (amount && this.betweenHands()) { this.addChips(seat, amount); return; }
    seat.topUp = amount;
    this.say('chips_asked', { player: who, seat: seat.seat, amount });
  },

  // --- Leaving ------------------------------------------------------------------------------------

  level() {
    const { small, big, third } = this.cashOptions().blinds;
    return [small, big, ...(third === undefined ? [] : [third])].join('/');
  },

  cash_leave_seat(fields, who) {
    const table = this.table, seat = this.seated(who);
    need(!seat.leaving, 'nothing_to_do');
    if (this.betweenHands()) { this.leave(seat, true); return; }
    this.withdrawCommitment(who);
    this.goAway(who);
    seat.leaving = true;
    table.carried.delete(who);
    if (table.window) table.window.expected.delete(who);
    this.say('leave_asked', { player: who, seat: seat.seat });
    if (table.live && table.live.opened) this.course();
  },

  cash_unseat({ player }) {
    this.only('operator');
    const table = this.table, seat = this.cashSeat(player);
    need(seat, 'not_seated');
    need(!seat.leaving, 'nothing_to_do');
    need(!table.live || !table.live.contributors.some(placed => placed.player === player), 'round_in_progress');
    if (this.betweenHands()) { this.leave(seat, false); return; }
    this.withdrawCommitment(player);
    Object.assign(seat, { leaving: true, unseated: true });
    table.carried.delete(player);
    if (table.window) table.window.expected.delete(player);
    this.say('leave_asked', { player, seat: seat.seat });
  },

  /** spec/games/poker-table.md, "Leaving". */
  leave(seat, counted) {
    const table = this.table, { player, stack } = seat, account = this.seatAccount(table, seat.seat);
    this.post([account, -stack], [`player:${player}`, stack]);
    table.cash.delete(seat.seat);
    table.carried.delete(player);
    table.used.delete(player);
    this.say('seat_left', { player, seat: seat.seat });
    if (counted && !this.cashOptions().leave_table.exempt && table.cash.size && seat.hands >= 1 && seat.hands <= 9)
      this.countRefusal(player);
  },

  countRefusal(player) {
    const level = this.level(), key = `${player} ${level}`;
    const times = [...(this.refusals.get(key) || []).filter(at => this.time - at < HOURS_12), this.time];
    // A verifier of one table trusts the log about other tables, but counts at least what it shows.
    const claimed = this.stated && this.claim('left_early'), known = claimed && isCount(claimed.refusals);
    const refusals = known && claimed.refusals >= times.length ? claimed.refusals : times.length;
    const step = this.time + LADDER_MINUTES[Math.min(refusals, LADDER_MINUTES.length) - 1] * 60000;
    const least = Math.max(step, this.blocks.get(key) || 0);
    const longest = this.time + LADDER_MINUTES[LADDER_MINUTES.length - 1] * 60000;
    const until =
      known && refusals > 1 && isCount(claimed.until) && claimed.until > least && claimed.until <= longest
        ? claimed.until
        : least;
    this.refusals.set(key, times);
    this.blocks.set(key, until);
    this.say('left_early', { player, level, refusals, until });
  },

  isUntidy(seat, at) {
    return (
      seat.leaving ||
      seat.topUp > 0 ||
      seat.away >= this.cashOptions().leave_table.sit_out_hands ||
      (seat.stack === 0 && !seat.out) ||
      this.isIdle(seat, at)
    );
  },
  isIdle(seat, at) { return seat.out && this.unusedAt(seat.player, at); },

  cash_tidy_seats() {
    this.only('house');
    const { leave_table: leaving } = this.cashOptions(),
      limits = this.table.rules.table,
      untidy = this.cashSeats().filter(seat => this.isUntidy(seat, this.time));
    need(this.betweenHands() && untidy.length, 'nothing_to_do');
    for (const seat of untidy) {
      if (seat.leaving) { this.leave(seat, !seat.unseated); continue; }
      if (seat.away >= leaving.sit_out_hands || this.isIdle(seat, this.time)) {
        this.leave(seat, leaving.removal_counts);
        continue;
      }
      if (seat.topUp) {
        const most = Math.max(0, Math.min(seat.topUp, limits.stake_max - seat.stack, this.balance(seat.player))),
          amount = most - (most % limits.stake_step);
        if (amount) this.addChips(seat, amount);
        else { seat.topUp = 0; this.say('chips_asked', { player: seat.player, seat: seat.seat, amount: 0 }); }
      }
      if (!seat.stack && !seat.out) this.sitOut(seat, 'no_chips');
    }
  },

  cash_close_table(fields) {
    const table = this.table, ev = this.eventOf(table);
    if (table.event) {
      need(this.by === 'house', 'tournament_table');
      // If an event is cancelled, the hand in progress is rolled back (refunds.md, 1.1). In a bundle the log is trusted
      // for that.
      const isOff = this.stated || (ev && ev.stage === 'cancelled');
      need(this.stated || (ev && this.isClosing(ev, table.name)), 'nothing_to_do');
      need(isOff || this.betweenHands(), 'nothing_to_do');
      if (table.live) this.voidHand('malfunction', []);
      if (table.window) this.lapseCall('closed', false);
      this.tableClosed();
      return;
    }
    this.only('operator');
    need(!table.live, 'round_in_progress');
    this.needNoLateSeeds();
    if (table.window) this.lapseCall('closed', false);
    for (const seat of this.cashSeats()) this.leave(seat, false);
    this.tableClosed();
    for (let seat = 1; seat <= table.rules.table.seats; seat++) this.accounts.delete(this.seatAccount(table, seat));
  },

  // --- Commitments --------------------------------------------------------------------------------

  call_hand() {
    const table = this.table, ev = this.eventOf(table);
    this.only('house');
    need(!ev || this.isCallDue(ev, table.name), 'nothing_to_do'); // in a bundle the log's word
    need(this.betweenHands() && !table.shoe && this.time >= table.pauseUntil, 'nothing_to_do');
    need(table.event || !this.cashSeats().some(seat => this.isUntidy(seat, table.lastTime)), 'nothing_to_do');
    const { length: players } = this.cashSeats().filter(table.event ? ({ stack }) => stack > 0 : this.isReady);
    need(players >= 2, 'nothing_to_do');
    this.commitShoe(gameOf(table.rules).composition(table.rules));
    this.noteTable();
    const closesAt = this.time + table.rules.table.bet_time_ms;
    const window = {
      no: table.nextRound,
      closesAt,
      bets: new Map(),
      expected: new Set(
        this.cashSeats()
          .filter(this.isReady)
          .map(({ player }) => player),
      ),
    };
    this.say('hand_called', { round_no: window.no, shoe_no: table.shoe.no, closes_at: closesAt });
    const { carried } = table,
      bound = player =>
        window.expected.has(player) && (table.event || this.mayPlayOn(player)) &&
        this.time >= (this.until.get(player) || 0) && !this.elsewhereInCooldown(player);
    for (const player of [...carried.keys()].sort(compareText))
      if (bound(player)) this.place(window, player, carried.get(player));
    Object.assign(table, { window, carried: new Map() });
  },

  place(window, player, commitment) {
    window.bets.set(player, { player, bets: [], commitment });
    this.say('hand_seed_committed', { player, commitment });
  },

  commit_hand_seed({ round_no, commitment }, who) {
    const { window, nextRound, carried } = this.table, seat = this.seated(who);
    this.free(who);
    // A player who comes back to a tournament's table says so by a commitment.
    const back = !!this.table.event && seat.out && seat.stack > 0;
    need(this.isReady(seat) || back, 'sitting_out');
    if (!window) {
      need(round_no === nextRound, 'wrong_round');
      if (back) this.sitIn(seat, 'post', false);
      carried.set(who, commitment);
      this.say('next_committed', { player: who, commitment });
      return;
    }
    need(round_no === window.no, 'wrong_round');
    need(this.time < window.closesAt, 'deadline_passed');
    if (back) this.sitIn(seat, 'post', false);
    this.place(window, who, commitment);
  },

  withdraw_hand_seed({ round_no }, who) {
    this.existing(who);
    const { window, live } = this.table;
    need(window || !live, 'round_in_progress');
    need(window, 'hand_not_called');
    need(window.no === round_no, 'wrong_round');
    need(window.bets.has(who), 'no_bet');
    need(this.time < window.closesAt, 'deadline_passed');
    this.withdrawCommitment(who);
  },

  /** The call ends without a hand; its shoe is shown. */
  lapseCall(cause, announced) {
    const table = this.table, { window } = table;
    table.window = null;
    this.giveChangesBack(window);
    this.say('call_lapsed', { round_no: window.no, cause, ...(announced ? { announced: true } : {}) });
    this.revealShoe(null);
  },

  disclose_shoe({ table, shoe_no, reason }) {
    need(this.by.startsWith('auditor:'), 'not_allowed');
    const used = this.usedTables.get(table), sealed = used ? used.sealed : [];
    need(sealed.some(([, first, last]) => first <= shoe_no && shoe_no <= last), 'shoe_not_sealed');
    this.say('shoe_disclosed', { table, shoe_no, auditor: this.by.slice(8) });
  },
});

// Cash tables of poker, around a hand: the players dealt in, their posts, clocks, ends. spec/games/poker-table.md.

/** Seats of a list clockwise, from the one after seat `from`; that seat itself would be the last. */
const clockwise = (seats, from) =>
  seats.slice().sort((a, b) => ((a.seat - from + 255) % 256) - ((b.seat - from + 255) % 256));
/** Whether a seat lies strictly between two others, clockwise. */
const between = (seat, from, to) => (from < to ? from < seat && seat < to : seat > from || seat < to);

/** "Places": the candidates' places, `{button, small, big, third?}`, as seat numbers. */
function handPlaces(candidates, blinds, last) {
  const settled = candidates.filter(seat => !owesAny(seat));
  const button = clockwise(settled, last ? last.button : 0)[0].seat, small = clockwise(settled, button)[0].seat;
  const behind = clockwise(candidates, small).filter(({ seat }) => between(seat, small, button));
  if (!behind.length) {
    const again = last && last.big === small;
    return again ? { button: small, small, big: button } : { button, small: button, big: small };
  }
  if (blinds.third === undefined) return { button, small, big: behind[0].seat };
  const big = (behind.find(seat => !owesAny(seat)) || behind[0]).seat,
    third = clockwise(
      behind.filter(({ seat }) => between(seat, big, button)),
      big,
    )[0];
  return { button, small, big, third: third ? third.seat : button };
}

/** "Coming in": the posts of a player who owes, `{live, dead}`. */
function debtPosts(owes, blinds, entryPost) {
  if (owes.entry) return { live: blinds[entryPost], dead: 0 };
  const missed = ['third', 'big'].filter(name => owes[name]).map(name => blinds[name]);
  return { live: missed[0] || 0, dead: sum(missed.slice(1)) + (owes.small ? blinds.small : 0) };
}

/** The `hand` of hand_begun. */
function handOf(candidates, options, last) {
  const { blinds, clocks } = options,
    positions = handPlaces(candidates, blinds, last),
    { button, small, big, third } = positions;
  const largest = third === undefined ? blinds.big : blinds.third, lastBlind = third === undefined ? big : third;
  const holds = new Map([
    [small, blinds.small],
    [big, blinds.big],
    ...(third === undefined ? [] : [[third, blinds.third]]),
  ]);
  const two = small === button;
  const dealt = clockwise(candidates, button).filter(
    seat =>
      holds.has(seat.seat) ||
      !owesAny(seat) ||
      (!two && seat.entry === 'post' && lastBlind !== button && between(seat.seat, lastBlind, button)),
  );
  const first = dealt.length > 2 && blinds.straddle ? clockwise(dealt, lastBlind)[0] : null;
  const seats = dealt.map(seat => {
    const due = { seat: seat.seat, ante: blinds.ante, dead: 0, live: 0, opens: holds.has(seat.seat) };
    if (due.opens) due.live = holds.get(seat.seat);
    else if (owesAny(seat))
      Object.assign(due, (({ dead, live }) => ({ dead, live }))(debtPosts(seat.owes, blinds, blinds.entry_post)));
    else if (seat === first && seat.straddle && seat.stack >= 2 * largest + blinds.ante)
      Object.assign(due, { live: 2 * largest, opens: true });
    return {
      due,
      player: seat.player,
      stack: seat.stack,
      bank_ms: Math.min(clocks.bank_ms, seat.bank + clocks.bank_refill_ms),
    };
  });
  return { positions, seats };
}

extendHouse({
  /** Consecutive sealed shoes in one epoch make one run: [epoch, first, last]. */
  noteSealed(name, { no, epoch }) {
    const runs = this.usedTables.get(name).sealed, last = runs[runs.length - 1];
    if (last && last[0] === epoch && last[2] === no - 1) last[2] = no; else runs.push([epoch, no, no]);
  },

  close_call({ round_no }) {
    const table = this.table, limits = table.rules.table;
    this.only('house', 'operator');
    need(table.window || table.live, 'hand_not_called');
    const window = this.window(round_no), waiting = [...window.expected].filter(player => !window.bets.has(player));
    const least = table.event ? 1 : 2;
    need(this.by !== 'operator' || !table.event, 'tournament_table');
    need(
      this.by === 'operator' || this.time >= window.closesAt || (window.bets.size >= least && !waiting.length),
      'deadline_ahead',
    );
    const announced = this.by === 'operator' && this.time < window.closesAt;
    const candidates = this.cashSeats().filter(seat => window.bets.has(seat.player) && this.isReady(seat));
    const before = {
      positions: table.positions,
      seats: this.cashSeats().map(seat => [
        seat, { owes: { ...seat.owes }, away: seat.away, bank: seat.bank, cutOff: seat.cutOff },
      ]),
    };
    const hand = candidates.length < 2 || table.event ? null : this.makeHand(candidates);
    if (table.event) this.beginEventHand(window);
    else if (hand) this.bindHand(hand, window, announced);
    else this.lapseCall('too_few_players', announced);
    if (table.live) table.live.before = before;
    if (!announced) waiting.sort(compareText).forEach(player => this.sitOut(this.cashSeat(player), 'no_commitment'));
  },

  /** "Anew", then the players dealt in. */
  makeHand(candidates) {
    if (candidates.filter(seat => !owesAny(seat)).length < 2) for (const seat of candidates) seat.owes = newDebts();
    return handOf(candidates, this.cashOptions(), this.table.positions);
  },

  bindHand(hand, window, announced) {
    const table = this.table, dealt = new Map(hand.seats.map(seat => [seat.player, seat])), last = table.positions;
    // At a tournament's table all players are dealt in, present or not (R001.11).
    const contributors = [...dealt.keys()].sort(compareText).map(player => window.bets.get(player)).filter(bet => bet);
    this.bind(contributors, announced, hand);
    for (const seat of table.cash.values()) {
      if (dealt.has(seat.player)) {
        Object.assign(seat, { owes: newDebts(), away: 0, bank: dealt.get(seat.player).bank_ms });
        continue;
      }
      if (!window.bets.has(seat.player)) seat.away++;
      if (table.event) { seat.owes = newDebts(); continue; }
      for (const blind of ['small', 'big', 'third']) {
        const from = last && last[blind], to = hand.positions[blind];
        if (
          from !== undefined &&
          from !== null &&
          to !== undefined &&
          from !== to &&
          between(seat.seat, from, to) &&
          !seat.owes.entry
        )
          seat.owes[blind] = true;
      }
    }
    table.positions = hand.positions;
  },

  // --- In the hand --------------------------------------------------------------------------------

  /** Whether a player's decisions are not waited for: they leave, or committed no seed for a tournament's hand. */
  isGone(player) {
    const { event, live } = this.table;
    return event ? !live.contributors.some(placed => placed.player === player) : this.cashSeat(player).leaving;
  },

  /**
   * The extra time for the next turn of a player who was cut off late in a tournament, if their choice uses it
   * (R001.104).
   */
  lateExtra(player) {
    const { event, place } = this.table;
    if (!event || !place || this.isGone(player) || this.cashSeat(player).cutOff !== 'due') return 0;
    return place.late_extra_ms || 0;
  },

  /** Updates the cut-off state of a player by a decision in a tournament's hand: by default, or their own. */
  noteCutOff({ player, default: byDefault }) {
    if (!this.table.event) return;
    const seat = this.cashSeat(player);
    seat.cutOff = byDefault ? seat.cutOff || 'due' : null;
  },

  /** A seed comes with the commitment for the next hand. */
  commitNext(player, commitment) {
    const seat = this.cashSeat(player);
    if (!seat || !this.isReady(seat)) return;
    this.table.carried.set(player, commitment);
    this.say('next_committed', { player, commitment });
  },

  /** The time that a choice takes from the player's time bank: spec/games/poker-table.md, "Clocks". */
  useBank(decision) {
    const { live } = this.table,
      { player, bankFrom: from } = live.decisions.get(decision),
      bankFrom = from === undefined ? from : Math.max(from, live.turnBy);
    if (bankFrom === undefined || this.time <= bankFrom) return;
    const seat = live.game.seats.find(other => other.player === player),
      used = Math.min(seat.bank, this.time - bankFrom);
    seat.bank -= used;
    this.cashSeat(player).bank = seat.bank;
    this.say('bank_used', { player, seat: seat.seat, used_ms: used, left_ms: seat.bank });
  },

  /** A turn runs out: its player sits out as well. */
  timeOut(decision) {
    const seat = this.cashSeat(this.table.live.decisions.get(decision).player);
    this.useBank(decision);
    if (!seat.out) this.sitOut(seat, 'timed_out');
  },

  on_poker({ settled }) {
    const table = this.table, { live } = table;
    this.play('poker', { settled });
    this.fold({ poker: { settled } });
    this.hands.push({
      round: live.no,
      board: live.game.board,
      seats: live.game.seats,
      family: this.cashOptions().hand.family,
      settled,
    });
    for (const { seat: number, player, put_in, got, stack } of settled.seats) {
      const seat = table.cash.get(number);
      Object.assign(seat, { stack, hands: seat.hands + 1 });
      // A tournament's table also deals in players who committed no seed.
      if (table.event && !live.staked.has(player)) continue;
      live.staked.set(player, put_in);
      live.returned.set(player, got);
    }
    // A tournament's chips are no money.
    if (table.event) return;
    this.post(...settled.seats.map(({ seat, got, put_in }) => [this.seatAccount(table, seat), got - put_in]), [
      this.rakeAccount(),
      sum(settled.pots.map(({ rake }) => rake)),
    ]);
  },

  // --- Ends ---------------------------------------------------------------------------------------

  voidHand(cause, missing) {
    const { live, rules } = this.table, game = gameOf(rules);
    const standing = game.standing(live.game),
      seats = new Map(live.game.seats.map(({ player, seat }) => [player, seat]));
    const putIn = player => standing.put_in.find(({ seat }) => seat === seats.get(player)).amount;
    const ahead = game.ahead(live.game), players = this.results(live, putIn, putIn);
    this.say('round_voided', { round_no: live.no, cause, missing, ahead, players, standing });
    // The hand does not count: button, debts, absences and time banks are restored.
    this.table.positions = live.before.positions;
    for (const [seat, was] of live.before.seats) Object.assign(seat, was);
    this.roundOver({ phase: 'voided', players, void: { cause, ahead } });
    this.handOver(live, ['crash', 'malfunction', 'shoe_exhausted'].includes(cause));
  },

  /** A deck with a dealt card is sealed, with openings of exactly the shown cards; another deck is shown whole. */
  handOver(live, byHouse = false) {
    const table = this.table, { shoe } = live;
    if (shoe.undrawn.size === shoe.composition.slots) { this.revealShoe(null); return; }
    table.shoe = null;
    const claimed = this.claim('shoe_sealed', shoe),
      openings = claimed && isList(claimed.openings) ? claimed.openings : [];
    this.say('shoe_sealed', { shoe_no: shoe.no, openings });
    this.noteSealed(table.name, shoe);
    shoe.sealed = true;
    const shown = [...shoe.faces];
    if (this.logged !== null) this.checkSealed(shoe, shown, openings);
    // Every auditor of the house gets the seeds of a hand that the house made void.
    if (byHouse) this.say('shoe_disclosed', { table: table.name, shoe_no: shoe.no });
  },

  checkSealed(shoe, shown, all) {
    const openings = shoe.unread ? this.openedBefore(shoe, shown, all) : all;
    if (openings.length < shown.length)
      unsound('opening_missing', `${shown.length} faces of shoe ${shoe.no} were shown, ${openings.length} are opened`);
    if (openings.length > shown.length)
      unsound('opening_extra', `slot ${openings[shown.length].slot} is opened and was never shown`);
    shown.forEach(([slot, { face, entry }], i) => {
      const opening = openings[i];
      if (!openingHolds(opening, shoe.composition, shoe.root))
        unsound(
          'opening',
          `the opening of slot ${opening.slot} does not lead to the committed root of the deck that was dealt`,
        );
      if (opening.slot !== slot || cardOf(opening.value) !== face)
        unsoundAt(
          entry,
          'face_false',
          `slot ${slot} of shoe ${shoe.no} is shown as ${face}, the opening in its place is of slot ${opening.slot} ` +
            `and holds ${cardOf(opening.value)}`,
        );
    });
  },

  /** For a shoe that may have shown cards before a given state: the openings of the cards shown since. */
  openedBefore(shoe, shown, openings) {
    const before = Math.max(0, openings.length - shown.length);
    for (const opening of openings.slice(0, before)) {
      const leads = shoe.candidates.some(({ root }) => openingHolds(opening, shoe.composition, root));
      if (!leads) unsound('opening', `the opening of slot ${opening.slot} leads to no root of shoe ${shoe.no}`);
    }
    return openings.slice(before);
  },

  /** A player who withheld a seed keeps seat and stack, and sits out. */
  sitOutWithholder(player) {
    const seat = this.cashSeat(player);
    if (seat && !seat.out) this.sitOut(seat, 'reveal_missing');
  },
});

// A table between rounds, as the entry that commits a shoe states it: spec/entries.md, "The table as it stands".

extendHouse({
  /** States the table as it was before this entry. */
  noteTable() { this.say('table_noted', this.notedTable(this.table)); },

  notedTable(table) {
    const shared = table.rules.table.mode === 'shared', players = list => [...list].sort(compareText);
    const used = player => table.used.get(player) ?? 0;
    const waiting = [...table.wishes]
      .filter(([, since]) => table.lastTime < since + WISH_MS)
      .sort(([a], [b]) => compareText(a, b));
    const betting = () => ({
      seats: [...table.seats]
        .sort(([a], [b]) => a - b)
        .map(([seat, player]) => ({ seat, player, used: used(player), misses: table.misses.get(player) || 0 })),
      asked: players(table.asked),
      newcomers: players(table.newcomers),
      last: players(table.last),
      goes_on: table.goesOn,
      waiting,
    });
    const cash = () => ({
      seats: this.cashSeats(table).map(seat => ({
        seat: seat.seat,
        player: seat.player,
        used: used(seat.player),
        stack: seat.stack,
        sitting_out: seat.out,
        owes: { ...seat.owes },
        entry: seat.entry, straddle: seat.straddle, hands: seat.hands, away: seat.away, bank_ms: seat.bank,
        ...(seat.cutOff ? { cut_off: seat.cutOff } : {}),
      })),
      ...(table.positions ? { positions: table.positions } : {}),
      ...(table.place ? { event: table.place } : {}),
      carried: players(table.carried.keys()).map(player => [player, table.carried.get(player)]), waiting,
    });
    return {
      next_round: table.nextRound,
      last_used: table.lastTime,
      ...(table.pauseUntil > table.lastTime ? { pause_until: table.pauseUntil } : {}),
      ...(isCash(table) ? { cash: cash() } : shared ? { betting: betting() } : {}),
    };
  },

  /**
   * Why no table can have this state at the entry of this place and shoe, with a last entry at `earliest` or later; or
   * null.
   */
  cannotFollow({ next_round: nextRound, last_used: lastUsed, betting, cash }, seq, shoeNo, earliest) {
    const { seats, waiting } = betting || cash || { seats: [], waiting: [] }, before = seq - 1;
    if (before < 0) return 'it stands in the place of the table\'s opening';
    if (lastUsed < earliest || seats.some(({ used }) => used < earliest))
      return 'its last entry, or the use of a seat, is before the table was opened or put in order';
    if (
      nextRound > before ||
      shoeNo > before ||
      (!before && (seats.length || waiting.length || (betting && betting.last.length)))
    )
      return 'more happened at it than it had entries';
    return shoeNo === 0 && betting && betting.newcomers.length ? 'its first shoe was changed for somebody' : null;
  },

  /** A table pauses after a round, at most as long as its rule set says. */
  isPause(rules, { next_round: nextRound, last_used: lastUsed, pause_until: until }) {
    const longest = lastUsed + (rules.table.between_hands_ms || 0);
    return until === undefined || (nextRound > 0 && until > lastUsed && until <= longest);
  },

  /** Takes the noted state without checks: for a state that is known to be the log's. */
  putNoted(table, { next_round: nextRound, last_used: lastUsed, pause_until: pauseUntil = 0, betting, cash }) {
    Object.assign(table, { nextRound, lastTime: lastUsed, pauseUntil });
    if (betting) {
      for (const { seat, player, used, misses } of betting.seats) {
        table.seats.set(seat, player);
        table.misses.set(player, misses);
        table.used.set(player, used);
      }
      table.asked = new Set(betting.asked);
      table.newcomers = new Set(betting.newcomers);
      Object.assign(table, { last: [...new Set(betting.last)], goesOn: betting.goes_on });
    }
    for (const { seat, player, used, sitting_out: out, bank_ms: bank, cut_off: cutOff = null, ...rest } of
      cash ? cash.seats : []) {
      const own = { ...rest, seat, player, out, bank, cutOff, owes: { ...rest.owes } };
      table.cash.set(seat, { ...own, leaving: false, topUp: 0 });
      table.used.set(player, used);
    }
    if (cash)
      Object.assign(table, {
        positions: cash.positions || null, carried: new Map(cash.carried), place: cash.event || null,
      });
    if (betting || cash) table.wishes = new Map((betting || cash).waiting);
  },

  /**
   * Takes a bundle's table state before its first entry, which is at `time`; returns why it is impossible, or null.
   */
  takeNoted(table, noted, time) {
    const { betting, cash } = noted, cashTable = isCash(table), shared = table.rules.table.mode === 'shared';
    const named = [
      ...(betting ? [...betting.newcomers, ...betting.last] : []),
      ...[...((betting || cash || {}).seats || [])].map(({ player }) => player),
      ...((betting || cash || {}).waiting || []).map(([player]) => player),
    ];
    named.forEach(player => this.players.add(player));
    const ofEvent = !!cash && cash.event !== undefined;
    if (!!cash !== cashTable || !!betting !== (shared && !cashTable) || ofEvent !== (table.event !== null))
      return 'it states seats of another kind of table';
    if (noted.last_used > time) return 'its last entry is after this one';
    if (!this.isPause(table.rules, noted)) return 'it pauses as its rule set does not say';
    if (betting && noted.next_round === 0 && (betting.goes_on || betting.last.length))
      return 'it had a last round before its first';
    Object.assign(table, {
      nextRound: noted.next_round, firstRound: noted.next_round, lastTime: noted.last_used,
      pauseUntil: noted.pause_until || 0,
    });
    if (!shared) return null;
    const { seats, waiting } = betting || cash,
      ascending = list => list.every((name, i) => !i || compareText(list[i - 1], name) < 0);
    const sitting = new Set(seats.map(({ player }) => player));
    if (
      sitting.size < seats.length ||
      !seats.every(({ seat }, i) => seat >= 1 && seat <= table.rules.table.seats && (!i || seats[i - 1].seat < seat))
    )
      return "its seats do not ascend, are not the table's, or one player has two";
    if (seats.some(({ used, misses = 0 }) => used > noted.last_used || misses > 2))
      return 'a seat was used after the last entry, or should be lost';
    seats.forEach(({ player, used }) => table.used.set(player, used));
    if (waiting.length > table.rules.table.seats) return 'more players wait than it has seats';
    if (
      !ascending(waiting.map(([player]) => player)) ||
      waiting.some(
        ([player, since]) => sitting.has(player) || since > noted.last_used || noted.last_used >= since + WISH_MS,
      )
    )
      return 'somebody waits who sits, or whose wish is over';
    table.wishes = new Map(waiting);
    return betting ? this.takeBetting(table, betting, ascending, sitting) : this.takeCash(table, cash, ascending);
  },

  takeBetting(table, { seats, asked, newcomers, last, goes_on }, ascending, sitting) {
    if (![asked, newcomers, last].every(ascending)) return 'a list of players does not ascend';
    if (!asked.every(player => sitting.has(player))) return 'somebody who does not sit asks to play';
    for (const { seat, player, misses } of seats) {
      table.seats.set(seat, player);
      table.misses.set(player, misses);
    }
    Object.assign(table, { asked: new Set(asked), newcomers: new Set(newcomers), last, goesOn: goes_on });
    return null;
  },

  takeCash(table, { seats, positions, event: place, carried }, ascending) {
    if (place) Object.assign(table, { place, rules: rulesAtBlinds(table.rules, place.blinds) });
    const { clocks, leave_table: leaving } = table.rules.game.poker;
    if (place && ((place.doubled || 0) > MOST_DOUBLED || (place.late_extra_ms || 0) > MOST_EXTRA_MS))
      return 'what its tournament says of its hands cannot be';
    for (const one of seats) {
      const { seat, player, stack, sitting_out, owes, entry, straddle, hands, away, bank_ms, cut_off } = one;
      // A tournament's player without chips may be about to rebuy.
      const untidy = !place && (away >= leaving.sit_out_hands || (stack === 0 && !sitting_out) || !!cut_off);
      if (untidy || bank_ms > clocks.bank_ms)
        return 'a seat is as none is when a hand is called';
      table.cash.set(seat, {
        seat,
        player,
        stack,
        out: sitting_out,
        owes: { ...owes },
        entry, straddle, hands, away, bank: bank_ms, leaving: false, topUp: 0, cutOff: cut_off || null,
      });
      this.accounts.set(this.seatAccount(table, seat), stack);
    }
    if (2 * sum(seats.map(({ stack }) => stack)) > HALF) return 'its stacks are more than a table may hold';
    if (positions && !Object.values(positions).every(whole(1, table.rules.table.seats)))
      return 'the button or a blind is at no seat of the table';
    const plays = player => [...table.cash.values()].some(seat => seat.player === player && !seat.out);
    if (!ascending(carried.map(([player]) => player)) || !carried.every(([player]) => plays(player)))
      return 'somebody who does not play has committed a seed';
    Object.assign(table, { positions: positions || null, carried: new Map(carried) });
    return null;
  },
});

// The state as text, one line for each part, and its root: spec/state.md.

const STATE_INTERVAL = 65536, MINUTES_60 = 3600000;
const orNone = (name, value) =>
  value === undefined || value === null || (isList(value) && !value.length) ? {} : { [name]: value };

const unlessZero = (name, amount) => (amount ? { [name]: amount } : {});

extendHouse({
  note_state({ size, root }) {
    this.only('house');
    need(
      size > this.noted &&
        (size === this.size || (size % STATE_INTERVAL === 0 && size <= this.size && this.size - size < STATE_INTERVAL)),
      'malformed',
    );
    this.noted = size;
    this.say('state_noted', { size, root });
  },

  /** Before an entry: the root that it must name, if it names a state, or null; and its table, if the table rests. */
  beforeEntry({ command, events }) {
    if (this.stated) return;
    const named = command.note_state, table = this.tables.get(Object.values(command)[0].table);
    this.namedRoot = !named ? null : named.size === this.size ? this.stateRoot() : this.lastRoot;
    const begins = !events || events.some(event => isObject(event) && (event.bets_opened || event.hand_called));
    this.restBefore = begins && table && this.rests(table) ? this.standsAtRest(table) : null;
  },

  /** After an entry: whether the table rests, and the root after each whole interval. */
  afterEntry(command, index) {
    if (this.stated) return;
    for (const table of command.start_dealer ? this.tables.values() : this.table ? [this.table] : []) {
      if (!command.start_dealer)
        table.rest = this.rests(table) ? null : this.restBefore ? { ...this.restBefore, since: [] } : table.rest;
      if (table.rest) table.rest.since.push(index);
    }
    this.size = index + 1;
    if (this.size % STATE_INTERVAL === 0) this.lastRoot = this.stateRoot();
  },

  rests: ({ live, window }) => !live && !window,

  stateRoot() { return hex(treeRoot(this.stateLines().map(line => leafHash(utf8(line))))); },

  stateLines() {
    const lines = new Map([['log', this.logPart()]]);
    for (const player of this.players) lines.set(`player:${player}`, this.playerPart(player));
    for (const [log, known] of this.known) lines.set(`known:${log}`, this.knownPart(log, known));
    this.walletLines(lines);
    for (const [name, used] of this.usedTables) lines.set(`table:${name}`, this.tablePart(name, used));
    for (const { rules } of this.tables.values()) lines.set(`rules:${rulesDigest(rules)}`, rules);
    this.eventLines(lines);
    return [...lines].sort(([a], [b]) => compareText(a, b)).map(pair => quote(pair));
  },

  logPart() {
    const { origin, epoch, master_id } = this.start,
      ready = [...this.tables.values()].some(({ recovering }) => recovering) ? null : this.ready;
    const [cage, house, rake] = ['cage', 'house', 'rake'].map(account => this.accounts.get(account));
    return {
      origin, epoch, master_id, time: this.time, started: this.startedAt,
      ...orNone('ready', ready),
      ...orNone('noted', this.noted || null),
      ...orNone('continues', this.continues),
      ...orNone('ended', this.ended),
      cage,
      house,
      rake,
      ...unlessZero('tickets', this.accounts.get('tickets')),
      ...unlessZero('rounding_residual', this.accounts.get('rounding_residual')),
      ...unlessZero('play', this.accounts.get('play')),
      ...unlessZero('admitted', this.admitted),
      ...unlessZero('wallet', this.walletStands()),
      ...unlessZero('operations', this.wallet.count),
    };
  },

  playerPart(player) {
    const waiting = this.waitingKeys.get(player),
      inForce = waiting && waiting.from <= this.time,
      until = this.until.get(player) || 0;
    const counting = (times, span) => (times || []).filter(time => this.time - time < span);
    const levels = [...this.blocks.keys()].filter(key => key.startsWith(`${player} `)).sort(compareText);
    const early = levels.map(key => [
      key.slice(player.length + 1),
      counting(this.refusals.get(key), HOURS_12),
      this.blocks.get(key) > this.time ? this.blocks.get(key) : 0,
    ]);
    return {
      balance: this.balance(player), ...unlessZero('t_dollars', this.accounts.get(`tdollars:${player}`)),
      ...orNone('idle_since', this.idleSince.get(player)),
      ...orNone('key', inForce ? waiting.key : this.keys.get(player)),
      ...(waiting && !inForce ? { waiting: { ...orNone('key', waiting.key), from: waiting.from } } : {}),
      ...orNone('nonce', this.nonces.get(player)), ...this.limitsPart(player),
      ...orNone('offences', counting(this.offences.get(player), HOURS_12)),
      ...(until > this.time ? { until } : {}), ...orNone('refunds', counting(this.refunds.get(player), DAYS_30)),
      ...orNone('early', early.filter(([, times, end]) => times.length || end)),
    };
  },

  tablePart(name, { owner, replacedBy, sealed }) {
    const table = this.tables.get(name);
    const changes = table
      ? [...table.changes]
          .filter(([, { since }]) => this.time < since + MINUTES_60)
          .sort(([a], [b]) => compareText(a, b))
      : [];
    return {
      ...orNone('event', table && table.event), ...orNone('owner', owner), ...orNone('replaced_by', replacedBy),
      ...orNone('sealed', sealed),
      ...orNone(
        'changes',
        changes.map(([player, { since, count }]) => [player, since, count]),
      ),
      ...(table ? { stands: table.rest || this.standsAtRest(table) } : {}),
    };
  },

  /** A resting table. Its state is copied, because the table goes on. */
  standsAtRest(table) {
    const { rules, idleMs, shoe, due = {} } = table, since = kept => (kept ? kept.since : 0);
    const untidy = this.cashSeats(table)
      .filter(({ leaving, unseated, topUp }) => leaving || unseated || topUp)
      .map(({ seat, leaving, unseated, topUp }) => [seat, leaving, !!unseated, topUp]);
    const voided = table.voids.map(({ no, time, epoch, commitments, out }) => ({
      round_no: no,
      time,
      epoch,
      missing: [...commitments]
        .sort(([a], [b]) => compareText(a, b))
        .map(([player, commitment]) => ({ player, commitment, out: out.has(player) })),
    }));
    return JSON.parse(quote({
        rules: rulesDigest(rules),
        ...orNone('idle_ms', idleMs),
        next_seq: table.seq,
        next_shoe: table.nextShoe,
        epoch: this.start.epoch,
        ...(table.recovering ? { down_since: table.downSince } : {}),
        noted: this.notedTable(table),
        ...orNone('untidy', untidy),
        ...(shoe ? { shoe: this.shoePart(table, shoe) } : {}),
        ...orNone('voided', voided),
        due: [since(due.duty), since(due.deadline)],
      }),
    );
  },

  shoePart(
    { shuffleAsked },
    { no, composition, epoch, candidates, undrawn, bettors, lastHand, seq, bytes, since, rounds, lastEnd },
  ) {
    return {
      shoe_no: no,
      composition: composition.text,
      epoch,
      candidates,
      drawn: Array.from({ length: composition.slots }, (_, i) => i).filter(slot => !undrawn.has(slot)),
      ...(bettors ? { bettors: [...bettors].sort(compareText) } : {}), last_hand: lastHand, shuffle_asked: shuffleAsked,
      from_seq: seq, bytes, since, rounds, ...orNone('last_round_at', lastEnd),
    };
  },
});

// The house's duties at a table, and whether it missed them: spec/audit.md, "Overdue"; the duties of
// spec/games/shared-tables.md and spec/games/poker-table.md; spec/recovery.md, "Deadlines".

const OVERDUE_GRACE_MS = 60000;

extendHouse({
  /**
   * The command that this table must get now, or null. On a shoe that must be revealed no bets are opened: that belongs
   * to a deadline.
   */
  dutyOf(table) {
    const duty = this.dutyInOrder(table);
    return duty && duty.open_bets && this.isIdleShoe(table.lastTime) ? null : duty;
  },

  /** The same without the duty for a used shoe that is idle. */
  dutyInOrder(table) {
    const named = name => ({ [name]: { table: table.name } }), { window, live, shoe, rules } = table;
    this.table = table;
    if (live || table.recovering) return null;
    if (window) {
      const least = table.event ? 1 : gameOf(rules).leastPlayers;
      const all = [...window.expected].every(player => window.bets.has(player));
      return rules.table.close_early && window.bets.size >= least && all ? this.windowsEnd(table) : null;
    }
    // The event decides the duties of a tournament's table between hands.
    if (table.event) return null;
    if (isCash(table)) {
      if (this.cashSeats().some(seat => this.isUntidy(seat, table.lastTime))) return named('tidy_seats');
    } else {
      if (this.idleSeats(table.lastTime).length) return named('tidy_seats');
      if (!shoe) return named('commit_shoe');
      if (this.hasNewcomer() || this.isFull()) return named('retire_shoe');
    }
    return table.pauseUntil > table.lastTime ? null : this.nextRoundDue(table);
  },

  /** The call of a hand, or bets, if a player wants to play and no round is in play: once the pause is over. */
  nextRoundDue(table) {
    const named = name => ({ [name]: { table: table.name } });
    if (isCash(table)) return this.cashSeats().filter(this.isReady).length >= 2 ? named('call_hand') : null;
    const wanted = table.asked.size || (table.goesOn && this.regulars().length);
    return table.rules.table.mode === 'shared' && wanted ? named('open_bets') : null;
  },

  /** The command that ends an open betting window or call for a hand. */
  windowsEnd: table => ({
    [isCash(table) ? 'close_call' : 'close_bets']: { table: table.name, round_no: table.window.no },
  }),

  /** The deadlines of this table, `{at, command}`. */
  deadlinesOf(table) {
    const { name, window, live, shoe, rules } = table, list = [], solo = rules.table.mode === 'solo';
    const add = (at, command) => list.push({ at, command });
    const lapse = (at, lapsed) => add(at, { lapse: { table: name, round_no: live.no, lapsed } });
    this.table = table;
    if (window) add(window.closesAt, this.windowsEnd(table));
    else if (live && !live.opened) lapse(live.revealBy, 'reveal');
    else if (live && live.pile) lapse(live.pile.by, 'pile');
    else if (live && solo) lapse(live.settleBy, 'round');
    else if (live) [...live.decisions.keys()].forEach(decision => lapse(this.deadline(decision), 'turn'));
    if (live || window || !this.duesKnown) return list;
    if (shoe && shoe.lastEnd !== null) add(shoe.lastEnd + SHOE_IDLE_MS, { retire_shoe: { table: name } });
    if (table.idleMs !== undefined) add(table.lastTime + table.idleMs, { close_table: { table: name } });
    if (table.event) return list;
    const sitting = isCash(table)
      ? this.cashSeats()
          .filter(({ out }) => out)
          .map(({ player }) => player)
      : [...table.seats.values()].filter(player => !table.asked.has(player));
    sitting.forEach(player => add(this.idleFrom(player), { tidy_seats: { table: name } }));
    const next = table.pauseUntil > table.lastTime ? this.nextRoundDue(table) : null;
    if (next) add(table.pauseUntil, next);
    return list;
  },

  /** After an entry of a table: its duty, and since when. */
  noteDue(table, command) {
    if (!this.tables.has(table.name)) return;
    const before = table.due || {}, now = this.time, duty = this.duesKnown ? this.dutyOf(table) : null;
    const deadline = this.deadlinesOf(table).sort((a, b) => a.at - b.at)[0];
    const stays = duty && before.duty && quote(before.duty.command) === quote(duty) && quote(command) !== quote(duty);
    const same = deadline && before.deadline && before.deadline.at === deadline.at;
    table.due = {
      duty: duty && { command: duty, since: stays ? before.duty.since : now },
      deadline: deadline && { ...deadline, since: same ? before.deadline.since : Math.max(deadline.at, now) },
    };
  },

  /** The duties of these tables that are overdue beyond the grace, the oldest first: none if the log has ended. */
  overdueAt(time, tables, ready) {
    if (this.ended) return [];
    const late = tables.flatMap(({ name, due = {} }) =>
      [due.duty, due.deadline]
        .filter(kept => kept && time > Math.max(kept.since, ready) + OVERDUE_GRACE_MS)
        .map(({ command, since }) => ({ name, command, since })),
    );
    return late.sort((a, b) => a.since - b.since || compareText(a.name, b.name));
  },

  /**
   * The tables that wait longer than the grace to be put in order after the dealer's start: no one can play there
   * meanwhile.
   */
  overdueRecoveries(time) {
    const late =
      time > this.startedAt + OVERDUE_GRACE_MS ? [...this.tables.values()].filter(({ recovering }) => recovering) : [];
    return late
      .map(({ name }) => ({ name, command: { recover: { table: name } }, since: this.startedAt }))
      .sort((a, b) => compareText(a.name, b.name));
  },

  /**
   * Before an entry: no duty may be overdue beyond the grace; if the log has ended there is no duty. For a bundle its
   * own table's entries are judged.
   */
  checkOverdue({ time, at, command }) {
    if (this.ended) return;
    if (command.start_dealer || (this.stated && !(this.entered && at && this.tables.has(at.table)))) return;
    const [waiting] = this.overdueRecoveries(time);
    if (waiting)
      unsound('overdue', `table ${waiting.name}: ${quote(waiting.command)} was due since ${clock(waiting.since)}`);
    if ([...this.tables.values()].some(({ recovering }) => recovering)) return;
    let judged = [...this.tables.values(), ...this.events.values()], { ready } = this;
    if (this.stated) {
      const table = this.tables.get(at.table);
      if (table.justRecovered) { Object.assign(table, { justRecovered: false, ready: time }); return; }
      [judged, ready] = [[table], table.ready || 0];
    }
    const [first] = this.overdueAt(time, judged, ready);
    if (first) unsound('overdue', `table ${first.name}: ${quote(first.command)} was due since ${clock(first.since)}`);
    if (!this.stated) this.checkDismissals(time, ready);
  },
});

// Tournaments: seats, tables, clock, prizes, ranks, bounties, deals, stakes, refunds (spec/games/tournaments.md,
// spec/games/refunds.md). Amounts are numbers below 2^53; products are computed in BigInt, and a fraction is a pair of
// BigInts in lowest terms.

const LAST_DRAW = 65535;
const big = BigInt;
const floorOf = ([over, under]) => Number(over / under);

/** A file has no result, with the reason. */
class FileRefusal extends Unusable {
  constructor(code, message) { super(`${code}: ${message}`); this.code = code; }
}
const refuseFile = (code, message) => { throw new FileRefusal(code, message); };
const holdsOr = (code, holds, message) => { if (!holds) refuseFile(code, message); };

/** A sum of amounts, which must be an amount. */
const plus = (...amounts) => amounts.reduce((total, amount) => {
  const next = total + amount;
  if (next > MAX_AMOUNT) refuseFile('amount_out_of_range', `an amount above ${MAX_AMOUNT}, or below zero`);
  return next;
}, 0);
const minus = (from, less) => {
  if (less > from) refuseFile('amount_out_of_range', `an amount above ${MAX_AMOUNT}, or below zero`);
  return from - less;
};

/** A fraction of BigInts in lowest terms. */
function reduced(over, under) {
  let [a, b] = [over, under];
  while (b) [a, b] = [b, a % b];
  return [over / a, under / a];
}

const structureDigest = structure => hex(sha256(concat(label('structure'), ascii(sortedText(structure)))));

// --- Draws (section 3) ---

const linkBefore = (dctx, drawNo, link) => sha256(concat(label('draw-chain'), dctx, u64(drawNo), link));

/** All links of an event's chain, and the tip. */
function drawChain(master, dctx) {
  const links = [];
  let link = hmac(master, concat(label('draw-seed'), dctx));
  for (let d = LAST_DRAW; d >= 0; d--) { links[d] = link; link = linkBefore(dctx, d, link); }
  return { links, tip: link };
}

const seatCommitment = (dctx, { use, player, seed }) =>
  hex(sha256(concat(label('seat-seed'), dctx, u16(use), lp(ascii(player)), unhex(seed, 32))));

const runningAfterHand = (running, entropy) => sha256(concat(label('event-entropy'), running, unhex(entropy, 32)));

/** E_d: over the entrants whose seed is published. */
function drawEntropy(dctx, drawNo, link, running, entrants) {
  const out = entrants.filter(({ seed }) => seed !== undefined).sort((a, b) => a.entry_no - b.entry_no);
  return sha256(concat(label('draw'), dctx, u64(drawNo), link, running, u16(out.length),
    ...out.flatMap(({ entry_no, player, seed }) => [u64(entry_no), lp(ascii(player)), unhex(seed, 32)])));
}

/** A table's seats, free and taken, as `players: {seat: entry}`. */
const takenSeats = table => Object.keys(table.players).map(Number).sort((a, b) => a - b);
const sizeOf = table => Object.keys(table.players).length;
const allSeats = field => Array.from({ length: field.seats }, (_, i) => i + 1);

function openEventTable(field) {
  const table = { table: ++field.last_table, last_big: 0, players: {} };
  field.tables.push(table);
  return table;
}

function drawButton(stream, table) {
  const taken = takenSeats(table), button = taken[below(stream, taken.length)];
  const next = taken.find(seat => seat > button);
  table.first_button = button;
  table.last_big = taken.length < 3 ? button : next === undefined ? taken[0] : next;
}

/** The seats of a draw; `field` is changed. */
function drawSeats(entropy, kind, entrants, field) {
  const stream = new Stream(entropy), list = shuffle(stream, entrants.slice().sort((a, b) => a - b));
  if (kind === 'first' || kind === 'final') {
    const count = Math.ceil(list.length / field.seats);
    field.tables = [];
    for (let t = 0; t < count; t++) {
      const seats = shuffle(stream, allSeats(field)), table = openEventTable(field);
      for (let p = t; p < list.length; p += count) table.players[seats[(p - t) / count]] = list[p];
      drawButton(stream, table);
    }
    return;
  }
  const opened = [];
  for (const entry of list) {
    let open = field.tables.filter(table => sizeOf(table) < field.seats);
    if (!open.length) { open = [openEventTable(field)]; opened.push(open[0]); }
    const least = Math.min(...open.map(sizeOf));
    open = open.filter(table => sizeOf(table) === least).sort((a, b) => a.table - b.table);
    const table = open[below(stream, open.length)];
    const free = allSeats(field).filter(seat => table.players[seat] === undefined);
    table.players[free[below(stream, free.length)]] = entry;
  }
  for (const table of opened) drawButton(stream, table);
}

// --- Tables (section 6) ---

/** The number of players who post the big blind before this seat would. */
function blindDistance(table, seat) {
  const ahead = of => (of - table.last_big - 1 + 256) % 256;
  return takenSeats(table).filter(other => ahead(other) < ahead(seat)).length;
}

/** The step that is due: `{break}`, `{move}` or null. */
function seatingDue(field) {
  const { tables, seats } = field, all = sum(tables.map(sizeOf));
  const least = tables.reduce((best, table) => (sizeOf(table) < sizeOf(best) ? table : best));
  if (tables.length > Math.max(1, Math.ceil(all / seats))) {
    return { break: Math.max(...tables.filter(t => sizeOf(t) === sizeOf(least)).map(t => t.table)) };
  }
  const most = tables.reduce((best, table) => (sizeOf(table) >= sizeOf(best) ? table : best));
  if (sizeOf(most) < sizeOf(least) + 2) return null;
  const pairs = [];
  for (const seat of takenSeats(most)) {
    const now = blindDistance(most, seat);
    for (let free = 1; free <= seats; free++) {
      if (least.players[free] !== undefined) continue;
      const then = blindDistance(least, free);
      pairs.push([Math.abs(now - then), then, now, free, seat]);
    }
  }
  pairs.sort((a, b) => a.map((x, i) => x - b[i]).find(x => x) || 0);
  const [, , , to, seat] = pairs[0];
  return { move: { entry_no: most.players[seat], from: [most.table, seat], to: [least.table, to] } };
}

// --- Clock (section 5) ---

/** The part of the time up to `time` that lay in synchronised breaks. */
function brokenUpTo({ synchronised }, time) {
  if (!synchronised) return 0;
  const { every_ms: every, at_ms: at, ms } = synchronised;
  return Math.floor(time / every) * ms + Math.min(ms, Math.max(0, (time % every) - at));
}

function runningTime(structure, start, stops, now) {
  const broken = (from, until) => brokenUpTo(structure.breaks, until) - brokenUpTo(structure.breaks, from);
  return now - start - broken(start, now) - sum(stops.map(([from, until]) => until - from - broken(from, until)));
}

/** Levels and the breaks after them: `{level, pause, from, until}`; the last level has no end. */
function clockParts({ levels, breaks }) {
  const parts = [];
  let at = 0;
  levels.forEach(({ ms }, i) => {
    const last = i + 1 === levels.length, pause = !last && (breaks.after || []).find(({ level }) => level === i + 1);
    parts.push({ level: i + 1, pause: false, from: at, until: last ? Infinity : at + ms });
    at += ms;
    if (pause) { parts.push({ level: i + 1, pause: true, from: at, until: at + pause.ms }); at += pause.ms; }
  });
  return parts;
}

const withinLevels = (structure, levels, running) => clockParts(structure)
  .some(({ level, pause, until }) => level === levels && !pause && running < until && until !== Infinity);

function clockAt(structure, running, now) {
  const parts = clockParts(structure), here = parts.find(({ until }) => running < until);
  const next = parts.find(({ level, pause }) => level === here.level + 1 && !pause);
  let inBreak = here.pause;
  const later = parts.find(({ pause, from }) => pause && from > running);
  const ahead = here.pause ? here.until : later ? later.from : null;
  let toBreak = ahead === null ? null : ahead - running;
  const { synchronised } = structure.breaks;
  if (synchronised) {
    const { every_ms: every, at_ms: at, ms } = synchronised, within = now % every;
    inBreak = within >= at && within < at + ms;
    toBreak = inBreak ? at + ms - within : within < at ? at - within : every - within + at;
  }
  return { level: here.level, in_break: inBreak, to_next_level: next ? next.from - running : null, to_break: toBreak };
}

// --- Entry and prizes (sections 4 and 9) ---

const seatValue = ({ payouts: { satellite } }) => (satellite ? satellite.buy_in + satellite.fee : 0);

/** The share of each place that is paid. */
function placeShares({ payouts: { rows } }, entries, players) {
  const { places } = rows.filter(({ from }) => from <= entries).pop() || rows[0], shares = [];
  for (const { to, share } of places) while (shares.length < to) shares.push(share);
  return shares.slice(0, players);
}

/** `{prizes: [{seat, cash}], residual}`. */
function prizeTable(structure, entries, players, pool) {
  if (structure.payouts.satellite) {
    const value = seatValue(structure), seats = Math.min(Math.floor(pool / value), players);
    const rest = pool - seats * value;
    const all = seats === players;
    const prizes = Array.from({ length: seats }, () => ({ seat: true, cash: all ? Math.floor(rest / seats) : 0 }));
    if (!all && rest) prizes.push({ seat: false, cash: rest });
    return { prizes, residual: all ? rest % seats : 0 };
  }
  const shares = placeShares(structure, entries, players), parts = shares.reduce((a, b) => a + big(b), 0n);
  const prizes = shares.map(share => ({ seat: false, cash: Number(big(pool) * big(share) / parts) }));
  return { prizes, residual: pool - sum(prizes.map(({ cash }) => cash)) };
}

/** The number of places with a prize: needed after every entry, so no table is made for it. */
function placesPaid(structure, entries, players, pool) {
  const { rows } = structure.payouts, value = seatValue(structure);
  if (!rows) {
    const seats = Math.min(Math.floor(pool / value), players);
    return seats + (seats < players && pool > seats * value ? 1 : 0);
  }
  const { places } = rows.filter(({ from }) => from <= entries).pop() || rows[0];
  return Math.min(places[places.length - 1].to, players);
}
const endsWith = (structure, players, pool) =>
  (structure.payouts.satellite ? Math.max(1, Math.min(Math.floor(pool / seatValue(structure)), players)) : 1);

/** The amount of each player who ties over places `first` to `last`, and the fractions cut. */
function tiedPrize({ prizes }, value, first, last) {
  const places = Array.from({ length: last - first + 1 }, (_, i) => prizes[first - 1 + i] || { seat: false, cash: 0 });
  if (places.every(({ seat, cash }) => seat === places[0].seat && cash === places[0].cash)) return [places[0], 0];
  const total = sum(places.map(({ seat, cash }) => cash + (seat ? value : 0)));
  return [{ seat: false, cash: Math.floor(total / places.length) }, total % places.length];
}

/** The amounts collected for pool, fees and bounties, and in chips. */
function collectedOf({ entry, rebuy, add_on }, sold) {
  const ofExtra = (terms, name) => (terms ? terms[name] : 0);
  const total = (of, extra) =>
    sold.entries * entry[of] + sold.rebuys * ofExtra(rebuy, extra) + sold.add_ons * ofExtra(add_on, extra);
  const bounties = sold.with_bounty * entry.bounty;
  return { pool: total('buy_in', 'price'), fees: total('fee', 'fee'), bounties, chips: total('stack', 'chips') };
}

/** Whether the paid places would cut late registration short now, and so remove the guarantee. */
const wouldCutShort = (structure, players, running) =>
  withinLevels(structure, structure.late_levels, running) && players < structure.entry.players_max;

/** Whether the paid places are reached. */
function inTheMoney(structure, { entries, players, remaining, running, collected }) {
  const pool = wouldCutShort(structure, players, running) ? collected : Math.max(collected, structure.guarantee);
  return remaining <= placesPaid(structure, entries, players, pool);
}

/** Why registration is closed, or null. */
function registrationClosed(structure, field) {
  const { entries, players, running, was_itm } = field, started = running !== null;
  if (started && !withinLevels(structure, structure.late_levels, running)) return 'schedule';
  if (players >= structure.entry.players_max) return 'full';
  const collected = entries * structure.entry.buy_in;
  return was_itm || (started && inTheMoney(structure, { ...field, collected })) ? 'itm' : null;
}

/** Ranks as `{entry_no: [first, last]}` (section 7). */
function eliminationRanks(remaining, eliminations) {
  const ranked = {}, left = eliminations.slice();
  left.sort((a, b) => b.hand - a.hand || b.stack - a.stack || a.distance - b.distance);
  let place = remaining;
  while (left.length) {
    const equal = left.filter(({ hand, stack }) => hand === left[0].hand && stack === left[0].stack);
    left.splice(0, equal.length);
    const tie = equal.some(({ table }) => table !== equal[0].table);
    equal.forEach(({ entry_no }, i) => {
      ranked[entry_no] = tie ? [place + 1, place + equal.length] : [place + 1 + i, place + 1 + i];
    });
    place += equal.length;
  }
  return ranked;
}

// --- Bounties, deals, stakes (sections 10 to 12) ---

/** Equal parts, the odd units one each to the first. */
const splitEqually = (whole, among) =>
  Array.from({ length: among }, (_, i) => Math.floor(whole / among) + (i < whole % among ? 1 : 0));

class EventBounties {
  constructor(ontoHead, heads) {
    this.ontoHead = ontoHead;
    this.of = new Map(heads.map((head, entry) => [entry, { head, won: 0 }]));
    this.paid = new Map();
    this.inTheMoney = false;
  }
  pay(entry, cents) { if (cents) this.paid.set(entry, (this.paid.get(entry) || 0) + cents); }
  payTotals() { for (const [entry, bounty] of this.of) { this.pay(entry, bounty.won); bounty.won = 0; } }
  eliminate(out, winners, paidPlace) {
    const fallen = this.of.get(out);
    this.of.delete(out);
    const heads = splitEqually(fallen.head, winners.length);
    const totals = splitEqually(paidPlace ? 0 : fallen.won, winners.length);
    winners.forEach((winner, i) => {
      const bounty = this.of.get(winner);
      const cashed = { none: heads[i], half: Math.floor(heads[i] / 2), all: 0 }[this.ontoHead];
      bounty.won += cashed + totals[i];
      bounty.head += heads[i] - cashed;
    });
    if (paidPlace) this.pay(out, fallen.won);
  }
  disqualify(out) {
    const fallen = this.of.get(out);
    this.of.delete(out);
    const others = [...this.of.keys()].sort((a, b) => a - b);
    splitEqually(fallen.head + fallen.won, others.length).forEach((part, i) => { this.of.get(others[i]).won += part; });
  }
  standing() { return [...this.of].sort(([a], [b]) => a - b).map(([entry, { head, won }]) => [entry, head, won]); }
  reachMoney() { this.inTheMoney = true; this.payTotals(); }
  endHand() { if (this.inTheMoney) this.payTotals(); }
  finish() { this.payTotals(); for (const [entry, { head }] of this.of) this.pay(entry, head); this.of.clear(); }
}

/** The value of each stack by the chances of its chips, as fractions: sets of players are bits. */
function icmShares(chips, prizes) {
  const least = prizes[prizes.length - 1], above = prizes.map(prize => big(prize - least)).filter(prize => prize > 0n);
  const stacks = chips.map(big), total = stacks.reduce((a, b) => a + b);
  const left = set => stacks.reduce((rest, stack, i) => (set >> i & 1 ? rest - stack : rest), total);
  // chance[set] = [over, under]: the chance that these are the first to place.
  let chance = new Map([[0, [1n, 1n]]]);
  const worth = chips.map(() => [big(least), 1n]);
  const plus = ([a, b], [c, d]) => reduced(a * d + c * b, b * d);
  for (const prize of above) {
    const next = new Map();
    for (const [set, [over, under]] of chance) {
      stacks.forEach((stack, i) => {
        if (set >> i & 1) return;
        const step = reduced(over * stack, under * left(set)), grown = set | 1 << i;
        worth[i] = plus(worth[i], [step[0] * prize, step[1]]);
        next.set(grown, next.has(grown) ? plus(next.get(grown), step) : step);
      });
    }
    chance = next;
  }
  return worth;
}

/** A deal: exact fractions, and the cents of each. */
function dealShares(method, players, prizes) {
  const chips = players.map(player => player.chips), least = prizes[prizes.length - 1];
  const pool = sum(prizes), all = big(sum(chips));
  const exact = method === 'icm' ? icmShares(chips, prizes)
    : chips.map(own => reduced(big(least) * all + big(pool - least * prizes.length) * big(own), all));
  const paid = exact.map(floorOf);
  const order = players.map((_, i) => i);
  order.sort((a, b) => chips[b] - chips[a] || players[a].entry_no - players[b].entry_no);
  for (const i of order.slice(0, pool - sum(paid))) paid[i]++;
  return { exact, paid };
}

/** The division of the event's payment to a seller; with a ticket the escrow goes back. */
function stakeDivision(form, total, stakes) {
  const escrow = sum(stakes.map(({ price }) => price));
  if (form !== 'cash') return { buyers: stakes.map(({ price }) => price), seller: 0, seller_escrow: 0 };
  // A state that is taken as given may say so.
  const sold = sum(stakes.map(({ basis_points }) => basis_points));
  if (sold > 10000) broken(`${sold} basis points of one entry are sold`);
  const buyers = stakes.map(({ basis_points }) => Number(big(basis_points) * big(total) / 10000n));
  return { buyers, seller: total - sum(buyers), seller_escrow: escrow };
}

// --- Refunds ---

/** The inputs for which no refund exists (refunds.md, 8). */
function checkRefund({ case: kind, pool, prizes, players }) {
  holdsOr('nobody', players.length, 'a refund is for those who are left: nobody is');
  const seen = new Set();
  for (const { entry_no, chips } of players) {
    const once = !seen.has(entry_no) && (kind === 1 || chips > 0);
    holdsOr('player', once, `entry ${entry_no} is named twice, or is left without chips`);
    seen.add(entry_no);
  }
  const falls = prizes.every((prize, i) => !i || prize <= prizes[i - 1]);
  const fits = kind <= 2 ? !prizes.length && (kind === 2 || !pool)
    : falls && prizes.length === players.length && plus(...prizes) === pool;
  holdsOr('prizes', fits, 'cases 3 and 4 need a prize for each player, the best first, and their sum as the pool');
}

/** The refund of `{case, method, pool, prizes, players}` (refunds.md, 4 and 8). */
function eventRefund({ case: kind, method, pool, prizes, players }) {
  checkRefund({ case: kind, pool, prizes, players });
  const n = big(players.length), P = big(plus(pool));
  const chips = plus(...players.map(player => player.chips)), C = big(chips);
  const payments = players.map(({ entry_no, chips: own, fee, bounty }) => {
    const c = big(own), m = prizes.length ? big(prizes[prizes.length - 1]) : 0n;
    const exact = kind === 1 ? [0n, 1n] : method === 'chip_count' ? reduced(P * c, C)
      : kind === 2 ? reduced(P * (C + n * c), 2n * n * C) : reduced(m * C + (P - n * m) * c, C);
    const part = floorOf(exact);
    return { entry_no, pool: part, exact: exact.map(String), fee, bounty, paid: plus(part, fee, bounty) };
  });
  const residual = pool - sum(payments.map(payment => payment.pool));
  return { case: kind, total: plus(...payments.map(({ paid }) => paid)), chips, residual, payments };
}

/** The state at a time, by each entry's last record until then. */
function standingAt({ records }, moment) {
  const last = new Map();
  for (const record of records) if (record.at <= moment) last.set(record.entry_no, record);
  const held = [...last.values()].sort((a, b) => a.entry_no - b.entry_no);
  const left = held.filter(({ chips }) => chips > 0), players = held.filter(({ re_entry }) => !re_entry).length;
  const remaining = held.filter(({ chips, may_rebuy }) => chips > 0 || may_rebuy).length;
  return { entries: held.length, players, remaining, collected: sum(held.map(({ to_pool }) => to_pool)), left };
}

/** Whether the paid places were reached while one could still enter; null: not reached by the instant. */
function moneyAt(structure, event, instant) {
  const { start, stops, records } = event;
  const moments = [start, instant, ...records.map(({ at }) => at)].filter(at => at >= start && at <= instant);
  moments.sort((a, b) => a - b);
  for (const moment of moments) {
    const standing = standingAt(event, moment), { players } = standing;
    const before = stops.filter(([from]) => from < moment).map(([from, until]) => [from, Math.min(until, moment)]);
    const running = runningTime(structure, start, before, moment);
    if (inTheMoney(structure, { ...standing, running })) return wouldCutShort(structure, players, running);
  }
  return null;
}

/** The refund at an instant, from each entry's holdings over time. */
function refundAt(structure, event, instant) {
  const { entries, players: firsts, collected, left } = standingAt(event, instant), method = structure.refund_method;
  if (instant < event.start) {
    const players = left.map(({ entry_no, chips, fee, bounty, to_pool }) =>
      ({ entry_no, chips, fee: fee + bounty + to_pool, bounty: 0 }));
    return eventRefund({ case: 1, method, pool: 0, prizes: [], players });
  }
  const players = left.map(({ entry_no, chips, fee, bounty }) => ({ entry_no, chips, fee, bounty }));
  const cutShort = moneyAt(structure, event, instant);
  if (cutShort === null) return eventRefund({ case: 2, method, pool: collected, prizes: [], players });
  const whole = cutShort ? collected : Math.max(collected, structure.guarantee);
  const table = prizeTable(structure, entries, firsts, whole).prizes;
  const prizes = left.map((_, i) => (table[i] ? table[i].cash + (table[i].seat ? seatValue(structure) : 0) : 0));
  return eventRefund({ case: cutShort ? 4 : 3, method, pool: sum(prizes), prizes, players });
}

// A tournament's state, and what follows from it at a time (spec/games/tournaments.md). An event is a plain object;
// event-decide.js decides its commands, event-fold.js folds its entries, event-duty.js has the house's duties. Amounts
// are numbers below 2^53.

const UNDOUBLED = 16, MOST_DOUBLED = 53, MOST_EXTRA_MS = 3600000;
const LATE_DRAWS = 32768, MOST_ENTRIES = 65534, MOST_OF_PLAYER = 1000;

/** An event that was just announced. */
function newEvent(name, dctx, { structure, rules, starts_at, registration_from, epoch, tip }) {
  return {
    name, dctx, epoch, structure, rules,
    tableRules: eventTableRules(structure, rules, 1),
    seq: 0, lastUsed: 0, stage: 'registering', startsAt: starts_at, registrationFrom: registration_from,
    earlierStarts: [], // where it was postponed, the announced one first
    lateLevels: structure.late_levels,
    leastLateLevels: structure.late_levels,
    unregisterMs: structure.unregister_ms,
    entries: new Map(), // number -> entry
    nextEntry: 0,
    entrants: new Map(), // player -> {entries, registered, uses, hasBounty, barred}
    sold: { entries: 0, with_bounty: 0, rebuys: 0, add_ons: 0 },
    players: 0,
    remaining: 0,
    waiting: new Set(), // for a seat, and for no draw that was called
    clock: { started: 0, stops: [], stands: null, level: 1, inBreak: false, nextChange: null },
    itm: null, // whether the paid places, once reached, cut registration short
    itmAt: null,
    registrationEnded: null,
    pool: null,
    draws: { next: 0, link: tip, running: new Uint8Array(32), open: null, hadFinal: false, frozen: null },
    field: { seats: structure.seats, last_table: 0, tables: [] },
    tables: { open: new Set(), dirty: new Set(), unrecovered: new Set(), calls: new Map(), called: 0 },
    hands: 0,
    toSettle: new Map(), // table -> entries that its last hand left without chips
    rebuying: new Set(),
    noted: new Map(), // entry -> what was asked for and is yet to be carried out, {what, reason}
    handForHand: null, // {round, hand, played}
    unranked: [],
    unpaid: new Map(), // entry -> place
    won: new Set(),
    deal: { wanted: new Set(), proposal: null, since: null },
    dealMade: false,
    sellers: new Set(),
    residual: 0, // what was cut off, once it is over
    substitutes: new Map(), // place -> {what, value, accepted}
    refunds: [], // [entry, what it gets], ascending
    refundCase: null,
    journal: newJournal(),
    due: {},
  };
}

const newJournal = () => ({ touched: new Map(), changes: [] });
const newEntrant = () => ({ entries: [], registered: 0, uses: 0, hasBounty: null, barred: false });
const inPlay = ({ at }) => at === 'waiting' || isList(at);
const tableOfEntry = ({ at }) => (isList(at) ? at[0] : null);
const ascending = numbers => [...numbers].sort((a, b) => a - b);
const tableName = (ev, number) => `${ev.name}.${number}`;

/** The number in the name of an event's table, or null. */
function tableNumber(ev, table) {
  const [, event, number] = /^(.*)\.([0-9]+)$/.exec(table) || [];
  return event === ev.name && Number(number) <= 65535 ? Number(number) : null;
}
const isOfEvent = name => /\.[0-9]+$/.test(name);

const fieldTable = (ev, number) => ev.field.tables.find(({ table }) => table === number);
const entriesLeft = ev => [...ev.entries.values()].filter(inPlay);

/** A player's entry that is in play, or undefined. */
function entryInPlay(ev, player) {
  const own = ev.entrants.get(player), last = own && ev.entries.get(own.entries[own.entries.length - 1]);
  return last && inPlay(last) ? last : undefined;
}

// --- The clock --------------------------------------------------------------------------------------

/** Running time at a time; null while the event is not played. */
function eventRunning(ev, now) {
  if (ev.stage !== 'running') return null;
  const { started, stops, stands } = ev.clock;
  if (now < started) return null;
  return runningTime(ev.structure, started, stands ? [...stops, [stands[0], Math.max(now, stands[0])]] : stops, now);
}

function eventPosition(ev, now) {
  const running = eventRunning(ev, now);
  return running === null ? null : clockAt(ev.structure, running, now);
}

/** Whether the break after a level is over. */
const breakOver = (structure, after, running) => {
  const pause = clockParts(structure).find(part => part.level === after && part.pause);
  return !pause || pause.until <= running;
};

/** After a postponement every entry that is not `non_unregisterable` can be given back until the start. */
const unregisterInForce = ev => (ev.earlierStarts.length ? 0 : ev.unregisterMs);

// --- Entry and pool ---------------------------------------------------------------------------------

const scheduled = (ev, late_levels) => ({ ...ev.structure, late_levels });
const eventCollected = ev => collectedOf(ev.structure, ev.sold);

const askedOf = (ev, now) => ({
  entries: ev.sold.entries,
  players: ev.players,
  remaining: ev.remaining,
  running: eventRunning(ev, now),
  collected: eventCollected(ev).pool,
});

function reachedMoney(structure, asked) { return asked.running !== null && inTheMoney(structure, asked); }

/** Why registration is closed by schedule, field and paid places, or null (4.7). */
function closedByRules(ev, now) {
  const structure = scheduled(ev, ev.lateLevels), asked = askedOf(ev, now);
  if (asked.running !== null && !withinLevels(structure, structure.late_levels, asked.running)) return 'schedule';
  if (ev.players >= structure.entry.players_max) return 'full';
  return ev.itm !== null || reachedMoney(structure, asked) ? 'itm' : null;
}

function entryClosed(ev, now) {
  if (ev.registrationEnded !== null) return ev.registrationEnded;
  if (ev.sold.entries >= MOST_ENTRIES || ev.draws.next >= LATE_DRAWS) return 'full';
  return closedByRules(ev, now);
}

/** Whether registration, rebuys and add-ons have all ended. */
function allIsBought(ev, now) {
  if (ev.registrationEnded === null || ev.rebuying.size) return false;
  // A request made in time may still add something.
  if ([...ev.noted.values()].some(({ what }) => what !== 'disqualification')) return false;
  if (ev.remaining <= 1) return true;
  const { rebuy, add_on: addOn } = ev.structure, running = eventRunning(ev, now);
  return running !== null && closedByRules(ev, now) !== null &&
    !(rebuy && withinLevels(ev.structure, rebuy.levels, running)) &&
    !(addOn && !breakOver(ev.structure, addOn.after_level, running));
}

/** The prize pool now, with the house's addition (4.9). */
function poolNow(ev) {
  const collected = eventCollected(ev).pool;
  const pool = ev.itm === true ? collected : Math.max(collected, ev.structure.guarantee);
  return { pool, overlay: pool - collected };
}
const prizePool = ev => (ev.pool === null ? poolNow(ev).pool : ev.pool);
const eventPrizes = ev => prizeTable(ev.structure, ev.sold.entries, ev.players, prizePool(ev));
const eventPlaces = ev => placesPaid(ev.structure, ev.sold.entries, ev.players, prizePool(ev));

/** A place's prize in cash. */
const prizeInCash = ({ prizes }, place, value) => {
  const { seat, cash } = prizes[place - 1] || { seat: false, cash: 0 };
  return cash + (seat ? value : 0);
};

/** Whether a player can still register and pay for it. */
const takesEntries = (ev, now) => !['cancelled', 'ended'].includes(ev.stage) && entryClosed(ev, now) === null;

/** Whether play is over. */
function isEventOver(ev) {
  if (ev.stage !== 'running') return false;
  const few = ev.remaining <= endsWith(ev.structure, ev.players, prizePool(ev));
  // A player who may rebuy is not out, and a registered player may still wait for a seat.
  const settled = !ev.rebuying.size && !ev.toSettle.size && !disqualifiesNext(ev);
  return (few && settled && ev.registrationEnded !== null) || ev.dealMade;
}

// --- Tables -----------------------------------------------------------------------------------------

/** Whether a table has no hand in progress or called, or is not open yet. */
const restsAt = (ev, number) => !ev.tables.calls.has(number) || ev.tables.calls.get(number).idleSince !== null;

/** Whether an open table has none, and no pending work from its last one. */
const isIdleAt = (ev, number) => ev.tables.calls.has(number) && restsAt(ev, number) && !ev.toSettle.has(number) &&
  ![...ev.noted.keys()].some(no => tableOfEntry(ev.entries.get(no)) === number);

/**
 * Whether a player can be disqualified now: they are in no hand and in no draw, and their table's last hand is
 * processed.
 */
function canDisqualify(ev, { no, at }) {
  const { open, frozen } = ev.draws;
  // If none of those who may rebuy does, the last one with chips has won.
  if (at !== 'out' && !entriesLeft(ev).some(other => other.no !== no && other.chips > 0)) return false;
  if (isList(at)) return restsAt(ev, at[0]) && !ev.toSettle.has(at[0]) && fixedTable(ev) !== at[0];
  if (at === 'waiting') return !(open && open.entrants.has(no)) && !(frozen && frozen.entrants.has(no));
  return at === 'out';
}

/** The entries with a noted disqualification, ascending. */
const notedOut = ev => ascending(ev.noted.keys()).map(no => ev.entries.get(no))
  .filter(({ no }) => ev.noted.get(no).what === 'disqualification');

/** The entries whose disqualification can be carried out. */
const toDisqualify = ev => notedOut(ev).filter(entry => canDisqualify(ev, entry));

/** Whether a player whose place is not fixed must be disqualified before the event can be declared over. */
const disqualifiesNext = ev => toDisqualify(ev).some(entry => inPlay(entry) && !entry.rank);

/** How many times the posts of a table's next hand are doubled if no player commits to it (6.8). */
const doubledAt = (ev, number) => {
  const { unseeded } = ev.tables.calls.get(number) || { unseeded: 0 };
  return Math.min(Math.max(0, unseeded - UNDOUBLED + 1), MOST_DOUBLED);
};

/** The extra milliseconds of a player who was cut off, as of now (R001.104). */
const lateExtraOf = ({ remaining, structure: { clocks } }) =>
  (remaining <= clocks.late_players ? clocks.late_extra_ms : 0);

const couldPlay = (ev, number) => { const here = fieldTable(ev, number); return !!here && sizeOf(here) >= 2; };
const allHavePlayed = (ev, played) =>
  ev.field.tables.every(({ table }) => !couldPlay(ev, table) || played.has(table));

/** The break or the move that is due, or null: no break is due while seats are drawn. */
function eventSeatingDue(ev) {
  const due = ev.field.tables.length ? seatingDue(ev.field) : null;
  return due && due.break !== undefined && ev.draws.open ? null : due;
}

/** The table that plays no hand before its seats have changed, or null. */
const heldTable = due => (!due ? null : due.move ? due.move.from[0] : due.break);

const wantsHandForHand = ev => {
  const places = eventPlaces(ev), near = ev.structure.hand_for_hand;
  return ev.itm === null && ev.pool !== null && near > 0 && ev.field.tables.length > 1 &&
    places < ev.remaining && ev.remaining <= places + near;
};
const isHandForHandAhead = ev => !ev.handForHand && wantsHandForHand(ev);

/** The draw that is due, `[kind, table]`, or null. One with a fixed X comes before any other. */
function dueDraw(ev) {
  const { open, frozen } = ev.draws;
  if (!frozen || open) return dueBesideFixed(ev);
  return ev.stage === 'running' && !ev.clock.stands && !isEventOver(ev) ? [frozen.kind, frozen.table] : null;
}

/** Whether a fixed draw that is not called yet has entrants to seat. */
const isStillDue = (ev, { table, entrants }) => (table === null ? entrants.size > 0 : !!fieldTable(ev, table));

/** The table that a fixed draw is about to empty, or null. */
const fixedTable = ({ draws: { open, frozen } }) => (frozen && !open ? frozen.table : null);

/** The draw that is due by the present state. */
function dueBesideFixed(ev) {
  if (ev.stage !== 'running' || ev.draws.open || ev.clock.stands || isEventOver(ev)) return null;
  const { field } = ev, late = ev.waiting.size ? ['late', null] : null;
  if (!field.last_table) return ev.waiting.size ? ['first', null] : null;
  const due = field.tables.length ? seatingDue(field) : null;
  if (due && due.break !== undefined) return isIdleAt(ev, due.break) ? ['break', due.break] : null;
  const [{ table: last }] = field.tables.length === 1 ? field.tables : [{ table: 0 }];
  const redrawn = ev.structure.final_redraw && !ev.draws.hadFinal && ev.registrationEnded !== null &&
    field.last_table > 1 && ev.remaining > 1 && isIdleAt(ev, last);
  return redrawn ? ['final', last] : late;
}

/** The number of hands that the event had called before the newest commitment of these entries. */
function newestCommitment(ev, entrants) {
  const kept = entrants.map(no => ev.entries.get(no).commitment).filter(one => one);
  return Math.max(0, ...kept.map(({ called }) => called));
}

/** Whether the open or due draw has its hands (3.7). */
function hasHands(ev) {
  const { open } = ev.draws, [kind, without] = open ? [open.kind, null] : dueBesideFixed(ev) || [null, null];
  if (kind === null) return false;
  if (kind === 'first' || kind === 'final') return true;
  const breaking = without === null ? null : fieldTable(ev, without);
  const entrants = breaking ? Object.values(breaking.players) : [...ev.waiting];
  const newest = open ? open.committedAt : newestCommitment(ev, entrants);
  const play = ev.field.tables.filter(({ table }) => table !== without && couldPlay(ev, table)).length;
  const opened = [...ev.tables.calls.values()].filter(call => call.opened > newest).length;
  return opened >= Math.min(play, ev.structure.draw_hands);
}

/** Whether the clock has reached another level or break, and the house has not said so. */
const isClockBehind = ({ stage, clock }, now) =>
  stage === 'running' && clock.nextChange !== null && clock.nextChange <= now;

/** Whether the clock has stood for a crash so long that the event is cancelled. */
const isCrashOver = (ev, now) => {
  const { stands } = ev.clock;
  return !!stands && stands[1] === 'crash' && !isEventOver(ev) && now >= stands[0] + ev.structure.cancel_after_ms;
};

/** When the talks about a deal end, or null. */
function dealEnds({ deal, structure }) {
  if (deal.proposal) return deal.proposal.answerBy;
  return deal.since === null ? null : deal.since + structure.clocks.commit_ms * 6;
}

// A tournament's tables: their rule set, the settings before a hand, button and blinds, hands without a seed
// (spec/games/tournaments.md, 2.3, 6.6 to 6.8). The rest of a hand is a cash table's.

/** The rule set of an event's tables for other blinds; the largest blind is the least bet. */
function rulesAtBlinds(rules, blinds) {
  const { poker } = rules.game, least = blinds.third === undefined ? blinds.big : blinds.third;
  const [[kind, sizes]] = Object.entries(poker.hand.betting);
  const betting =
    kind === 'fixed_limit' ? { ...sizes, small_bet: least, big_bet: least * 2 } : { ...sizes, min_bet: least };
  return {
    ...rules,
    table: { ...rules.table, stake_min: least },
    game: { poker: { ...poker, hand: { ...poker.hand, betting: { [kind]: betting } }, blinds } },
  };
}

const levelBlinds = ({ levels }, level) => {
  const { small, big: bigger, third, ante } = levels[level - 1];
  return {
    small, big: bigger, ...(third === undefined ? {} : { third }), ante,
    straddle: false,
    entry_post: 'big',
  };
};

/** The rule set of an event's tables at a level; null where the named one is not poker. */
function eventTableRules(structure, rules, level) {
  const { poker } = rules.game, { clocks } = structure;
  if (!poker) return null;
  const { rake, ...hand } = poker.hand, blinds = levelBlinds(structure, level);
  const own = {
    ...poker,
    hand,
    rake_by_players: [],
    clocks: { ...poker.clocks, bank_ms: clocks.bank_ms, bank_refill_ms: clocks.bank_refill_ms },
    cash_timeout: 'check_if_free',
    leave_table: { exempt: true, removal_counts: false, sit_out_hands: 65535 },
  };
  // An event's hands have its own pause, and its seats are held to the end.
  const { between_hands_ms, away_ms, ...shared } = rules.table, { between_hands_ms: pause } = clocks;
  const table = {
    ...shared,
    seats: structure.seats,
    stake_max: 1e12,
    stake_step: 1,
    crash: 'rollback',
    bet_time_ms: clocks.commit_ms,
    reveal_time_ms: clocks.reveal_ms,
    turn_time_ms: clocks.turn_ms,
    ...(pause === undefined ? {} : { between_hands_ms: pause }),
  };
  return rulesAtBlinds({ ...rules, table, game: { poker: own } }, blinds);
}

/** The number of seat numbers between two seats, clockwise. */
const seatsBetween = (from, to) => (to - from - 1 + 256) % 256;

/** Button and blinds of a tournament's hand, for players with chips: `{positions, dealt}`; null for fewer than two. */
function tournamentPlaces(seats, blinds, last, drawn) {
  if (seats.length < 2) return null;
  const after = from => clockwise(seats, from)[0].seat, headsUp = seats.length === 2;
  let button, small, bigger;
  if (!last) {
    const sits = seats.some(({ seat }) => seat === drawn);
    button = headsUp && !sits ? after(drawn) : drawn;
    small = headsUp ? button : after(button);
    bigger = after(small);
  } else {
    bigger = after(last.big);
    [button, small] = headsUp ? [after(bigger), after(bigger)] : [last.small, last.big];
  }
  // A player who has just come does not get the button's round for free.
  const waits = ({ seat, owes }) =>
    last && !headsUp && owes.entry &&
    ((seat !== button && seatsBetween(button, seat) < seatsBetween(button, bigger)) || seat === small);
  const playing = seats.filter(seat => !waits(seat)), those = playing.length < 2 ? seats : playing;
  // If two play, one has the big blind, and the other button and small blind, even if more wait.
  if (those.length === 2) button = small = those.find(({ seat }) => seat !== bigger).seat;
  const dealt = clockwise(those, button);
  const third = blinds.third === undefined || headsUp ? null : clockwise(dealt, bigger)[0].seat;
  const positions = {
    button, small, big: bigger, ...(third === null || third === small || third === bigger ? {} : { third }),
  };
  return { positions, dealt };
}

/** The `hand` of a tournament's hand_begun, or null. */
function tournamentHandOf(seats, { blinds, clocks }, last, drawn) {
  const places = tournamentPlaces(seats, blinds, last, drawn);
  if (!places) return null;
  const { positions, dealt } = places;
  const live = seat => (seat === positions.big ? blinds.big : seat === positions.small ? blinds.small
    : seat === positions.third ? blinds.third : 0);
  return {
    positions,
    seats: dealt.map(({ seat, player, stack, bank }) => ({
      due: { seat, ante: blinds.ante, dead: 0, live: live(seat), opens: live(seat) > 0 },
      player,
      stack,
      bank_ms: Math.min(clocks.bank_ms, bank + clocks.bank_refill_ms),
    })),
  };
}

extendHouse({
  /** The tournament whose table this is, or null. */
  eventOf(table) { return table && table.event && !this.stated ? this.events.get(table.event) : null; },

  open_event_table({ table: name, rules }) {
    this.only('house');
    const [, event] = /^(.*)\.[^.]*$/.exec(name) || [], ev = this.events.get(event), due = ev && this.dutyOfEvent(ev);
    // In a bundle the tournament's own entries are missing: the log is trusted that the table is its.
    if (!this.stated) {
      need(ev, 'unknown_table');
      need(quote(due) === quote({ open_event_table: { table: name, rules } }), 'nothing_to_do');
    }
    need(isName(event), 'unknown_table');
    const why = whyNoRuleSet(rules);
    need(!why, 'rule_set_refused', why);
    this.usedTables.set(name, { owner: null, replacedBy: null, sealed: [] });
    this.accounts.set(`table:${name}`, 0);
    this.table = Object.assign(this.newTable(name, rules, null, undefined), { event });
    this.tables.set(name, this.table);
    this.say('table_opened', { rules, digest: rulesDigest(rules), event });
  },

  set_seats() {
    const { table } = this, ev = this.eventOf(table);
    this.only('house');
    const set = ev && this.seatsToSet(ev, table.name);
    need(set, 'nothing_to_do');
    this.say('set_seats', set);
    const before = table.cash;
    table.rules = rulesAtBlinds(table.rules, set.blinds);
    table.cash = new Map();
    for (const { seat, player, stack, bank_ms: bank, cut_off: cutOff = null } of set.seats) {
      const stayed = before.get(seat), same = stayed && stayed.player === player;
      if (same) table.cash.set(seat, stayed); else this.sitDown(player, seat);
      Object.assign(table.cash.get(seat), { stack, bank, cutOff });
    }
    const sits = player => set.seats.some(one => one.player === player);
    table.carried = new Map([...table.carried].filter(([player]) => sits(player)));
    table.used = new Map(set.seats.map(({ player }) => [player, table.used.get(player) ?? this.time]));
    const { seats, ...place } = set;
    table.place = place;
  },

  /** The settings that a table needs before its next hand, or null. */
  seatsToSet(ev, name) {
    const number = tableNumber(ev, name), here = fieldTable(ev, number);
    if (!ev.tables.dirty.has(number) || !isIdleAt(ev, number) || ev.stage !== 'running' || !here) return null;
    const { level } = ev.clock, button = here.first_button;
    return {
      level,
      blinds: levelBlinds(ev.structure, level),
      ...(button === null || button === undefined ? {} : { button }),
      ...(doubledAt(ev, number) ? { doubled: doubledAt(ev, number) } : {}),
      ...(lateExtraOf(ev) ? { late_extra_ms: lateExtraOf(ev) } : {}),
      seats: takenSeats(here).map(seat => {
        const { player, chips: stack, bank: bank_ms, cutOff } = ev.entries.get(here.players[seat]);
        return { seat, player, stack, bank_ms, ...(cutOff ? { cut_off: cutOff } : {}) };
      }),
    };
  },

  /** The call is over: all players with chips are dealt in; without a committed seed no card is dealt. */
  beginEventHand(window) {
    const { table } = this, withChips = this.cashSeats().filter(({ stack }) => stack > 0);
    const { button: drawn = (withChips[0] || { seat: 1 }).seat } = table.place;
    const hand = tournamentHandOf(withChips, this.cashOptions(), table.positions, drawn);
    if (!hand) return this.lapseCall('too_few_players', false);
    if (hand.seats.some(({ player }) => window.bets.has(player))) return this.bindHand(hand, window, false);
    this.lapseCall('no_seeds', false);
    return this.takePosts(hand);
  },

  /**
   * The big blind gets the part of each post that they could match, and the rest goes back; of doubled posts they get
   * all.
   */
  takePosts({ positions, seats }) {
    const { table } = this, { doubled = 0 } = table.place;
    const posted = seats.map(({ due, stack }) => Math.min((due.ante + due.live) * 2 ** doubled, stack));
    const big = doubled ? Infinity : posted[seats.findIndex(({ due }) => due.seat === positions.big)];
    const results = seats.map(({ due: { seat }, player, stack }, i) => {
      const got = seat === positions.big ? sum(posted.map(put => Math.min(put, big))) : Math.max(posted[i] - big, 0);
      return { seat, player, put_in: posted[i], got, stack: stack - posted[i] + got };
    });
    for (const { seat: number, stack } of results) {
      const seat = table.cash.get(number);
      Object.assign(seat, { stack, hands: seat.hands + 1 });
    }
    for (const seat of table.cash.values()) seat.owes = newDebts();
    table.positions = positions;
    this.say('posts_taken', { positions, seats: results });
  },
});

// Folds a tournament's entries in (spec/games/tournaments.md, "Events"), with the effects of its tables' hands (3.6, 6,
// 7). Only decided entries are folded: this part refuses nothing.

/** Clockwise from the button: 1 to its left, the button itself last. */
const fromButton = (button, seat, seats) => (seat + seats - button) % seats || seats;

const EVENT_FOLDS = {
  registered(ev, { entry_no: no, player, commitment, paid_by, bounty, non_unregisterable: bound }) {
    const { entry: terms, clocks } = ev.structure;
    if (!ev.entrants.has(player)) ev.entrants.set(player, newEntrant());
    const entrant = ev.entrants.get(player), again = entrant.entries.length > 0;
    // A player who enters again has no place for the entry before.
    ev.unranked = ev.unranked.filter(({ entry_no }) => !entrant.entries.includes(entry_no));
    entrant.entries.push(no);
    entrant.registered++;
    ev.nextEntry++;
    ev.sold.entries++;
    if (bounty) ev.sold.with_bounty++;
    if (!again) ev.players++;
    countRemaining(ev, 1);
    ev.waiting.add(no);
    keepHeld(ev, no);
    ev.entries.set(no, {
      no, player, bound, again,
      at: 'waiting', chips: terms.stack, head: bounty, total: 0, paidBy: paid_by, toPool: terms.buy_in, fees: terms.fee,
      rebuys: 0, addedOn: false, rebuyUntil: null, falls: null, bank: clocks.bank_ms, cutOff: null,
      commitment: { commitment, use: entrant.uses++, called: ev.tables.called },
      offered: 0, stakes: [], earned: 0, dollarsEarned: 0, received: 0, fromPool: 0, out: null, rank: null,
      isPaid: false,
    });
  },

  bounty_set(ev, { player, has }) {
    if (!ev.entrants.has(player)) ev.entrants.set(player, newEntrant());
    ev.entrants.get(player).hasBounty = has;
  },

  unregistered(ev, { entry_no: no }) {
    const entry = ev.entries.get(no), entrant = ev.entrants.get(entry.player);
    // Only its number remains, which is not used again.
    ev.entries.delete(no);
    ev.sellers.delete(no);
    entrant.entries = entrant.entries.filter(other => other !== no);
    ev.waiting.delete(no);
    ev.sold.entries--;
    if (entry.head) ev.sold.with_bounty--;
    ev.players--;
    countRemaining(ev, -1);
  },

  rebought(ev, { entry_no: no, chips }) {
    changing(ev, no).rebuys++;
    ev.sold.rebuys++;
    takeChips(ev, no, chips, ev.structure.rebuy);
  },

  added_on(ev, { entry_no: no, chips }) {
    ev.entries.get(no).addedOn = true;
    ev.sold.add_ons++;
    takeChips(ev, no, chips, ev.structure.add_on);
  },

  /** A player who is to be disqualified buys no more chips. */
  noted(ev, { entry_no: no, what, reason }) { ev.noted.set(no, { what, reason }); },
  note_dropped(ev, { entry_no: no }) { ev.noted.delete(no); },

  stake_offered(ev, { player, basis_points }) { entryInPlay(ev, player).offered = basis_points; },
  stake_sold(ev, { seller, buyer, basis_points, price }) {
    const entry = entryInPlay(ev, seller);
    entry.stakes.push({ buyer, basis_points, price });
    ev.sellers.add(entry.no);
  },
  stakes_divided(ev, { entry_no: no }) {
    ev.sellers.delete(no);
    Object.assign(ev.entries.get(no), { earned: 0, dollarsEarned: 0 });
  },

  ticket_returned() {},

  started(ev, fields, time) {
    ev.stage = 'running';
    Object.assign(ev.clock, { started: time, level: 1 });
  },

  draw_called(ev, { kind, table = null, reveal_by: by }) {
    const breaking = table === null ? null : fieldTable(ev, table);
    const { frozen } = ev.draws;
    // A player who came after X was fixed waits for the next draw.
    const those = breaking ? Object.values(breaking.players) : frozen ? frozen.entrants : ev.waiting;
    const entrants = new Set(ascending(those));
    if (breaking) ev.field.tables = ev.field.tables.filter(other => other !== breaking);
    else ev.waiting = new Set([...ev.waiting].filter(no => !entrants.has(no)));
    if (frozen) frozen.entrants = new Set();
    for (const no of entrants) ev.entries.get(no).at = 'waiting';
    const awaited = new Set([...entrants].filter(no => ev.entries.get(no).commitment));
    if (kind === 'final') ev.draws.hadFinal = true;
    // A commitment made while revealing is for the next draw.
    const committedAt = newestCommitment(ev, [...entrants]);
    ev.draws.open = { kind, table, entrants, awaited, committedAt, seeds: new Map(), by };
  },

  seat_seed_revealed(ev, { entry_no: no, seed, next }) {
    const { open } = ev.draws, entry = ev.entries.get(no), entrant = ev.entrants.get(entry.player);
    open.awaited.delete(no);
    open.seeds.set(no, seed);
    entry.commitment =
      next === undefined ? null : { commitment: next, use: entrant.uses++, called: ev.tables.called };
  },

  seats_drawn(ev, { link, entropy }) {
    const { draws, field, tables } = ev, { kind, entrants } = draws.open;
    if (entrants.size) drawSeats(unhex(entropy, 32), kind, [...entrants], field);
    for (const { table, players } of field.tables) {
      for (const seat of takenSeats({ players })) {
        if (!entrants.has(players[seat])) continue;
        ev.entries.get(players[seat]).at = [table, seat];
        tables.dirty.add(table);
      }
    }
    Object.assign(draws, { next: draws.next + 1, link, running: unhex(entropy, 32), open: null, frozen: null });
  },

  player_moved(ev, { entry_no: no, from, to }) {
    delete fieldTable(ev, from[0]).players[from[1]];
    fieldTable(ev, to[0]).players[to[1]] = no;
    ev.entries.get(no).at = to;
    ev.tables.dirty.add(from[0]).add(to[0]);
  },

  level_begun(ev, { level }) {
    ev.clock.level = level;
    for (const number of ev.tables.open) ev.tables.dirty.add(number);
  },
  break_begun(ev) { ev.clock.inBreak = true; },
  break_ended(ev) { ev.clock.inBreak = false; },

  player_eliminated(ev, out) {
    Object.assign(changing(ev, out.entry_no), { falls: null, out });
    leaveEvent(ev, out.entry_no, 'out');
    ev.unranked.push(out);
  },

  rebuy_awaited(ev, { entry_no: no, until }) {
    changing(ev, no).rebuyUntil = until;
    ev.rebuying.add(no);
    handIsSettled(ev, no);
  },

  bounty_won(ev, { entry_no: no, winners }) {
    const fallen = changing(ev, no), divided = sum(winners.map(won => won.to_total + won.onto_head));
    // The divided part of their own total is in the winners' parts.
    fallen.total = Math.max(0, fallen.total - Math.max(0, divided - fallen.head));
    fallen.head = 0;
    if (!fallen.total) ev.won.delete(no);
    for (const { entry_no: winner, to_total, onto_head } of winners) {
      const entry = changing(ev, winner);
      entry.head += onto_head;
      entry.total += to_total;
      if (to_total) ev.won.add(winner);
    }
  },

  hand_for_hand(ev, { round }) {
    // A finished round counts as one hand.
    if (ev.handForHand) ev.hands++;
    ev.handForHand = round ? { round, hand: ev.hands, played: new Set() } : null;
  },

  registration_ended(ev, { cause }) { ev.registrationEnded = cause; },
  pool_final(ev, { pool }) {
    ev.pool = pool;
    const places = eventPlaces(ev);
    for (const { no, rank } of ev.entries.values()) if (rank && rank[0] <= places) ev.unpaid.set(no, rank[0]);
  },

  prize_paid(ev, { entry_no: no, prize }) {
    const entry = changing(ev, no), { cash = 0, ticket = 0, t_dollars: dollars, substitute = 0 } = prize;
    entry.isPaid = true;
    // If T$ came instead of a seat, their fee's part is no longer in the pool either.
    entry.fromPool = cash + substitute + (dollars ? seatValue(ev.structure) : ticket);
    if (entry.at === 'disqualified') divideAmongLeft(ev, cash);
    else {
      entry.received += cash;
      if (entry.stakes.length) entry.earned += cash;
    }
    ev.unpaid.delete(no);
  },

  bounty_paid(ev, { entry_no: no, amount }) {
    const entry = changing(ev, no);
    entry.total = 0;
    entry.received += amount;
    if (isEventOver(ev)) entry.head = 0;
    if (entry.stakes.length) entry.earned += amount;
    ev.won.delete(no);
  },

  deal_wanted(ev, { entry_no: no, want }) { if (want) ev.deal.wanted.add(no); else ev.deal.wanted.delete(no); },
  deal_proposed(ev, { digest, amounts, answer_by: answerBy }) {
    ev.deal.proposal = { digest, amounts, answerBy, accepted: new Set() };
  },
  deal_answered(ev, { entry_no: no, accept }) { if (accept) ev.deal.proposal.accepted.add(no); },
  deal_made(ev, { amounts }) {
    for (const [no, amount] of amounts) {
      const entry = ev.entries.get(no);
      entry.isPaid = true;
      if (entry.stakes.length) entry.earned += amount;
    }
    const order = amounts.map(([no]) => ev.entries.get(no)).sort((a, b) => b.chips - a.chips || a.no - b.no);
    order.forEach((entry, i) => { entry.rank = [i + 1, i + 1]; });
    noDealTalk(ev);
    ev.dealMade = true;
  },
  deal_off(ev) { noDealTalk(ev); },

  player_disqualified(ev, { entry_no: no }) {
    const entry = changing(ev, no), bounty = entry.head + entry.total, table = tableOfEntry(entry) || 0;
    const isOut = entry.at === 'out';
    Object.assign(entry, { head: 0, total: 0 });
    ev.won.delete(no);
    ev.noted.delete(no);
    if (isOut) entry.at = 'disqualified'; else leaveEvent(ev, no, 'disqualified');
    divideAmongLeft(ev, bounty);
    ev.entrants.get(entry.player).barred = true;
    // Players who were out by then, by the hand in which it was noted, keep their places.
    if (isOut) return;
    // The place of one eliminated at that moment.
    entry.out = { entry_no: no, hand: ev.hands, table, stack: 0, distance: 0 };
    ev.unranked.push(entry.out);
    if (!ev.handForHand) ev.hands++;
  },

  prize_substituted(ev, { place, what, value }) { ev.substitutes.set(place, { what, value, accepted: new Set() }); },
  substitute_accepted(ev, { entry_no: no, place }) { ev.substitutes.get(place).accepted.add(no); },
  registration_changed(ev, { late_levels: late, unregister_ms: unregisterMs }) {
    Object.assign(ev, { lateLevels: late, leastLateLevels: Math.min(ev.leastLateLevels, late), unregisterMs });
  },
  postponed(ev, { starts_at: startsAt }) {
    ev.earlierStarts.push(ev.startsAt);
    ev.startsAt = startsAt;
  },

  clock_stopped(ev, { cause }, time) {
    ev.clock.stands = [time, cause];
    if (cause === 'deal') ev.deal.since = time;
  },
  clock_started(ev, fields, time) {
    const [from] = ev.clock.stands;
    ev.clock.stops.push([from, time]);
    ev.clock.stands = null;
    // A pending time keeps the rest that it had when the clock stopped.
    if (ev.draws.open) ev.draws.open.by += time - from;
    for (const no of ev.rebuying) ev.entries.get(no).rebuyUntil += time - from;
  },

  ended(ev, { residual }) {
    Object.assign(ev, { stage: 'ended', residual });
    // A draw that was not made before the end of the event is never made.
    Object.assign(ev.draws, { open: null, frozen: null });
  },
};

function noDealTalk(ev) { ev.deal = { wanted: new Set(), proposal: null, since: null }; }

/** Whether a player gets the substitute for the prize of their place: they accepted it, and do not share it. */
const takesSubstitute = (ev, no, [first, last]) =>
  first === last && ev.substitutes.has(first) && ev.substitutes.get(first).accepted.has(no);

/** Adds bought chips. */
function takeChips(ev, no, chips, { price, fee }) {
  const entry = changing(ev, no), table = tableOfEntry(entry);
  entry.toPool += price;
  entry.fees += fee;
  ev.noted.delete(no);
  Object.assign(entry, { chips, falls: null, rebuyUntil: null });
  ev.rebuying.delete(no);
  handIsSettled(ev, no);
  if (table !== null) ev.tables.dirty.add(table);
}

/** Changes the number of remaining players: late in the event hands have other clocks. */
function countRemaining(ev, more) {
  const before = lateExtraOf(ev);
  ev.remaining += more;
  if (lateExtraOf(ev) !== before) for (const number of ev.tables.open) ev.tables.dirty.add(number);
}

/** The last hand's effect on an entry is processed. */
function handIsSettled(ev, no) {
  for (const [table, entries] of ev.toSettle) {
    const left = entries.filter(other => other !== no);
    if (left.length) ev.toSettle.set(table, left); else ev.toSettle.delete(table);
  }
}

/** A player leaves the event for good. */
function leaveEvent(ev, no, at) {
  const entry = changing(ev, no), seated = isList(entry.at) ? entry.at : null;
  Object.assign(entry, { at, chips: 0, rebuyUntil: null });
  ev.rebuying.delete(no);
  if (seated) {
    const here = fieldTable(ev, seated[0]);
    if (here) delete here.players[seated[1]];
    ev.tables.dirty.add(seated[0]);
    // It breaks without a draw, because no player must be seated (6.1).
    if (here && !sizeOf(here)) ev.field.tables = ev.field.tables.filter(other => other !== here);
  }
  ev.waiting.delete(no);
  // A player who declines a rebuy, or lets its time pass, while their broken table's seats are drawn.
  const { open } = ev.draws;
  if (open) for (const of of [open.entrants, open.awaited, open.seeds]) of.delete(no);
  countRemaining(ev, -1);
  ev.deal.wanted.delete(no);
  handIsSettled(ev, no);
}

/** A disqualified player's money, to the totals of all remaining players (7.6, 10.7). */
function divideAmongLeft(ev, amount) {
  if (!amount) return;
  const left = entriesLeft(ev).sort((a, b) => a.no - b.no);
  splitEqually(amount, left.length).forEach((part, i) => {
    changing(ev, left[i].no).total += part;
    ev.won.add(left[i].no);
  });
}

// --- Hands ------------------------------------------------------------------------------------------

const callsAt = (ev, number) => {
  const { calls } = ev.tables;
  if (!calls.has(number)) calls.set(number, { idleSince: null, last: 0, opened: 0, unseeded: 0, before: null });
  return calls.get(number);
};

function notePositions(ev, number, positions) {
  const here = fieldTable(ev, number);
  if (!here) return;
  callsAt(ev, number).before = { last_big: here.last_big, first_button: here.first_button };
  Object.assign(here, { last_big: positions.big, first_button: null });
}

/** Chips after a hand, and the players without any; `winners` are the seats that won a seat's last pot. */
function noteResult(ev, number, table, { button }, results, winners) {
  // In a cancelled or finished event nothing changes any more: its table is closed next.
  if (ev.stage !== 'running' || isEventOver(ev)) return;
  const { players } = fieldTable(ev, number) || { players: {} }, { seats } = table.rules.table;
  const hand = ev.handForHand ? ev.handForHand.hand : ev.hands;
  for (const { seat, stack } of results) {
    if (!ev.entries.has(players[seat])) broken(`seat ${seat} of ${table.name} is nobody's`);
    const entry = changing(ev, players[seat]);
    entry.falls = stack ? null : {
      hand,
      table: number,
      stack: entry.chips,
      distance: fromButton(button, seat, seats),
      winners: [...new Set(winners(seat))]
        .sort((a, b) => fromButton(button, a, seats) - fromButton(button, b, seats))
        .map(other => players[other]).filter(no => no !== undefined),
    };
    if (!stack) ev.toSettle.set(number, [...(ev.toSettle.get(number) || []), entry.no]);
    entry.chips = stack;
  }
}

/** A hand is over, and with it this table's part of a round of hand-for-hand. */
function endHandAt(ev, number, table) {
  if (ev.handForHand) ev.handForHand.played.add(number); else ev.hands++;
  const { players } = fieldTable(ev, number) || { players: {} };
  for (const { seat, bank, cutOff } of table.cash.values()) {
    const entry = ev.entries.get(players[seat]);
    if (entry) Object.assign(entry, { bank, cutOff });
  }
}

/** A hand at the last level without a commitment: in the end such hands post more and more (6.8). */
function nobodyPlays(ev, number, call) {
  if (ev.clock.level < ev.structure.levels.length) return;
  const before = doubledAt(ev, number);
  call.unseeded++;
  if (doubledAt(ev, number) !== before) ev.tables.dirty.add(number);
}

const HAND_FOLDS = {
  table_opened(ev, number, table, fields, time) {
    ev.tables.open.add(number);
    ev.tables.dirty.add(number);
    HAND_FOLDS.call_lapsed(ev, number, table, fields, time);
  },
  table_closed(ev, number) {
    ev.tables.open.delete(number);
    ev.tables.dirty.delete(number);
    ev.tables.calls.delete(number);
  },
  set_seats(ev, number) { ev.tables.dirty.delete(number); },
  hand_called(ev, number) { Object.assign(callsAt(ev, number), { idleSince: null, last: ++ev.tables.called }); },
  /** The table is between hands from now on. */
  call_lapsed(ev, number, table, fields, time) { callsAt(ev, number).idleSince ??= time; },
  /** The same players post again. */
  round_voided(ev, number, table, fields, time) {
    const call = callsAt(ev, number), here = fieldTable(ev, number);
    if (call.before && here) Object.assign(here, call.before);
    Object.assign(call, { before: null, idleSince: call.idleSince ?? time });
  },
  hand_begun(ev, number, table, { hand }) {
    notePositions(ev, number, hand.positions);
    // A player committed to a hand: all counts start again.
    for (const [other, call] of ev.tables.calls) {
      if (doubledAt(ev, other) && ev.tables.open.has(other)) ev.tables.dirty.add(other);
      call.unseeded = 0;
    }
  },
  round_opened(ev, number, table, { entropy }) {
    ev.draws.running = runningAfterHand(ev.draws.running, entropy);
    const call = callsAt(ev, number);
    call.opened = call.last;
  },
  posts_taken(ev, number, table, { positions, seats }) {
    const call = callsAt(ev, number);
    notePositions(ev, number, positions);
    // No draw waits for seeds of a table whose players give none (3.7).
    call.opened = call.last;
    nobodyPlays(ev, number, call);
    noteResult(ev, number, table, positions, seats, () => [positions.big]);
    endHandAt(ev, number, table);
  },
  poker(ev, number, table, { settled: { pots, seats } }) {
    const last = seat => pots.filter(pot => pot.seats.includes(seat)).pop();
    const winners = seat => (last(seat) ? last(seat).won.map(won => won.seat) : []);
    noteResult(ev, number, table, table.positions, seats, winners);
  },
  round_settled(ev, number, table, fields, time) {
    callsAt(ev, number).idleSince ??= time;
    endHandAt(ev, number, table);
  },
};

/** The clock stands because of a crash. */
function stopForCrash(ev, since) {
  // Earlier agreements must be made again.
  const { stands, stops } = ev.clock;
  if (stands && stands[1] === 'deal') stops.push([stands[0], since]);
  ev.clock.stands = [stands && stands[1] === 'crash' ? stands[0] : since, 'crash'];
  ev.clock.nextChange = null;
  noDealTalk(ev);
}

extendHouse({
  /** A table's entry is decided: its effect on its tournament. */
  noteEventTable(ev, table, command) {
    const number = tableNumber(ev, table.name);
    for (const event of this.out) {
      const name = eventName(event);
      if (HAND_FOLDS[name]) HAND_FOLDS[name](ev, number, table, eventFields(event), this.time);
    }
    if (command.recover) {
      ev.tables.unrecovered.delete(number);
      if (this.rests(table)) callsAt(ev, number).idleSince ??= this.time;
    }
    this.eventEntryEnds(ev, command);
  },

  /** The dealer started: the clock stands, and nothing continues before the tables are put in order. */
  eventsAwaitRecovery(since, command) {
    for (const ev of this.events.values()) {
      if (ev.stage === 'running') {
        ev.tables.unrecovered = new Set(ev.tables.open);
        stopForCrash(ev, since);
      }
      this.eventEntryEnds(ev, command);
    }
  },

  /** The latest finished tournaments are kept (games/tournaments.md, 14). */
  forgetEnded() {
    const ended = [...this.events.values()].filter(({ stage }) => stage === 'ended')
      .sort((a, b) => b.lastUsed - a.lastUsed || (a.name < b.name ? 1 : -1));
    let entries = 0;
    ended.forEach((ev, nth) => {
      entries += ev.entries.size;
      if (nth === 0 || (nth < 64 && entries <= 100000)) return;
      this.events.delete(ev.name);
      for (const kind of ['pool', 'fees', 'bounties', 'stakes']) this.accounts.delete(`${kind}:${ev.name}`);
    });
  },

  /** Folds in an entry of a tournament or of one of its tables, with its consequences and due times. */
  eventEntryEnds(ev, command) {
    const now = this.time;
    ev.lastUsed = now;
    // A round of hand-for-hand ends with its event.
    if (isEventOver(ev)) ev.handForHand = null;
    if (ev.stage === 'running') {
      if (ev.itm === null) {
        const structure = scheduled(ev, ev.leastLateLevels), asked = askedOf(ev, now);
        if (reachedMoney(structure, asked)) {
          ev.itm = wouldCutShort(structure, ev.players, asked.running || 0);
          ev.itmAt = now;
        }
      }
      fixRanks(ev);
      ev.clock.nextChange = ev.clock.stands ? null : nextChange(ev, now);
      freezeDraw(ev);
      endJournal(ev, now);
    }
    const before = ev.due, duty = this.dutyOfEvent(ev), [deadline] = eventDeadlines(ev).sort((a, b) => a.at - b.at);
    const stays = duty && before.duty && quote(before.duty.command) === quote(duty) && quote(command) !== quote(duty);
    const same = deadline && before.deadline && before.deadline.at === deadline.at;
    ev.due = {
      duty: duty && { command: duty, since: stays ? before.duty.since : now },
      deadline: deadline && { ...deadline, since: same ? before.deadline.since : Math.max(deadline.at, now) },
    };
  },
});

/** The time of the next level or break, if the clock runs on. */
function nextChange(ev, now) {
  const position = eventPosition(ev, now);
  if (!position) return null;
  // The clock is behind: the house must still say so.
  if (position.level !== ev.clock.level || position.in_break !== ev.clock.inBreak) return now;
  // In a synchronised break running time stands, so no level ends.
  const stands = position.in_break && ev.structure.breaks.synchronised;
  const ahead = [stands ? null : position.to_next_level, position.to_break].filter(ms => ms !== null);
  return ahead.length ? now + Math.min(...ahead) : null;
}

/** Ranks that can no longer change. */
function fixRanks(ev) {
  const ranks = new Map();
  const open = ev.registrationEnded === null || ev.handForHand || ev.rebuying.size || ev.toSettle.size;
  if (!open && ev.unranked.length) {
    const list = ev.unranked.slice().sort((a, b) => a.table - b.table || a.entry_no - b.entry_no);
    Object.entries(eliminationRanks(ev.remaining, list)).forEach(([no, rank]) => ranks.set(Number(no), rank));
    ev.unranked = [];
  }
  if (isEventOver(ev) && !ev.dealMade)
    for (const { no, rank } of entriesLeft(ev)) if (!rank) ranks.set(no, [1, ev.remaining]);
  const places = eventPlaces(ev);
  for (const [no, rank] of ranks) {
    ev.entries.get(no).rank = rank;
    if (ev.pool !== null && rank[0] <= places) ev.unpaid.set(no, rank[0]);
  }
}

/**
 * A draw takes X from the time when it is first due, or open, with its hands, whenever it is called. A fixed value
 * stays fixed, also over stops of the clock and starts of the dealer (3.6).
 */
function freezeDraw(ev) {
  const { draws } = ev, { open, frozen, running } = draws;
  if (frozen && (open || isStillDue(ev, frozen))) return;
  const due = open ? [open.kind, open.table] : dueBesideFixed(ev);
  if (!due || !hasHands(ev)) { draws.frozen = null; return; }
  const [kind, table] = due, entrants = new Set(open || table !== null ? [] : ascending(ev.waiting));
  draws.frozen = { kind, table, running, entrants };
}

// The house's duties in a tournament, with their times (spec/games/tournaments.md, "Commands", "by house").

const eventCommand = (ev, word, fields = {}) => ({ tournament: { [word]: { event: ev.name, ...fields } } });

extendHouse({
  /** The house's duty that must come first there, or null. */
  dutyOfEvent(ev) {
    if (ev.stage === 'running') return runningDuty(ev);
    if (ev.stage !== 'cancelled') return null;
    // Tables with a hand in progress, too: the hand is void.
    const [open] = ascending(ev.tables.open);
    if (open !== undefined) return { close_table: { table: tableName(ev, open) } };
    return eventCommand(ev, ev.refunds.length ? 'pay_refunds' : 'end');
  },

  /** Whether a hand may be called at a table now: then it is the house's duty there. */
  isCallDue(ev, name) {
    const number = tableNumber(ev, name);
    return isCallable(ev, number) && !isClockBehind(ev, this.time) && this.time >= pausesUntil(ev, number);
  },

  /** Whether the house must close a table. */
  isClosing(ev, name) {
    const over = ['cancelled', 'ended'].includes(ev.stage) || isEventOver(ev);
    return over || !fieldTable(ev, tableNumber(ev, name));
  },
});

/** Whether a hand may be called at a table, were it not for the clock and the pause. */
function isCallable(ev, number) {
  const { clock, tables } = ev, held = [heldTable(eventSeatingDue(ev)), fixedTable(ev)];
  return ev.stage === 'running' && !clock.stands && !clock.inBreak && !tables.unrecovered.size &&
    !isEventOver(ev) && !isHandForHandAhead(ev) && !held.includes(number) &&
    isIdleAt(ev, number) && !!fieldTable(ev, number) && !tables.dirty.has(number) && mayCall(ev, number) &&
    // A draw that is due is called first: the house does not play on as long as it likes the seats.
    (!!ev.draws.open || !dueDraw(ev));
}

/** Until when a table between hands calls none, so that people see how the last one ended. */
const pausesUntil = ({ tables, structure }, number) =>
  tables.calls.get(number).idleSince + (structure.clocks.between_hands_ms || 0);

/** The tables between hands, that which has been so for longest first. */
function idleTables({ tables: { calls } }) {
  const idle = [...calls].filter(([, { idleSince }]) => idleSince !== null);
  idle.sort(([a, one], [b, other]) => one.idleSince - other.idleSince || a - b);
  return idle.map(([number]) => number);
}

function runningDuty(ev) {
  const one = (word, fields) => eventCommand(ev, word, fields), now = ev.lastUsed;
  if (ev.tables.unrecovered.size) return null;
  if (ev.clock.stands && ev.clock.stands[1] === 'crash') return one('start_clock');
  // Requests noted in a hand come before the hand's results, a disqualification after them.
  const buying = ascending(ev.noted.keys()).find(no => isPurchaseDue(ev, no));
  if (buying !== undefined) return one('carry_out', { entry_no: buying });
  const settling = tableToSettle(ev);
  if (settling !== undefined) return one('settle_hand', { table: settling });
  // Once the event is over no hand and no draw is waited for: an open draw is then never made.
  const [disqualified] = isEventOver(ev) ? notedOut(ev) : toDisqualify(ev);
  if (disqualified) return one('carry_out', { entry_no: disqualified.no });
  const closes = ev.registrationEnded === null && entryClosed(ev, now) !== null;
  if (closes || (ev.pool === null && (isEventOver(ev) || allIsBought(ev, now)))) return one('end_registration');
  if (ev.pool !== null && ev.unpaid.size) return one('pay_places');
  if (owesBounties(ev)) return one('pay_bounties');
  // Hands in progress at other tables are finished first: a table is not left open.
  if (isEventOver(ev)) return closingOf(ev, () => true) || (ev.tables.open.size ? null : one('end'));
  if (ev.clock.stands) return null;
  if (isRoundDue(ev)) return one('next_round');
  const { open, frozen, next } = ev.draws;
  if (open) {
    if (!open.awaited.size && frozen) return one('draw_seats', { draw_no: next });
  } else if (dueDraw(ev)) return one('call_draw');
  const due = eventSeatingDue(ev);
  if (due && due.move && isIdleAt(ev, due.move.from[0])) return one('move_player');
  return tablesDuty(ev, due);
}

/** Tables that are to be opened, closed, put in order, and hands to be called. */
function tablesDuty(ev, due) {
  const { open, dirty } = ev.tables, named = number => ({ table: tableName(ev, number) });
  const unopened = ev.field.tables.find(({ table }) => !open.has(table));
  if (unopened) return { open_event_table: { ...named(unopened.table), rules: ev.tableRules } };
  const closing = closingOf(ev, number => !fieldTable(ev, number));
  if (closing) return closing;
  const held = heldTable(due), waits = ev.clock.inBreak || isHandForHandAhead(ev);
  for (const number of idleTables(ev)) {
    if (number === held || number === fixedTable(ev) || !isIdleAt(ev, number) || !fieldTable(ev, number)) continue;
    if (dirty.has(number)) return { set_seats: named(number) };
    if (!waits && mayCall(ev, number) && pausesUntil(ev, number) <= ev.lastUsed) return { call_hand: named(number) };
  }
  return null;
}

/** Whether the next hand may be called at a table with these seats, while the event goes on. */
function mayCall(ev, number) {
  const { players } = fieldTable(ev, number);
  const withChips = Object.values(players).filter(no => ev.entries.get(no).chips > 0);
  return withChips.length >= 2 && !(ev.handForHand && ev.handForHand.played.has(number));
}

/** The next table between hands that must be closed. */
function closingOf(ev, closes) {
  const number = ascending(ev.tables.open).find(one => closes(one) && isIdleAt(ev, one));
  return number === undefined ? null : { close_table: { table: tableName(ev, number) } };
}

/** Whether the noted rebuy or add-on of an entry must be carried out: its table's hand is over. */
const isPurchaseDue = (ev, no) => {
  const table = tableOfEntry(ev.entries.get(no));
  return ev.noted.get(no).what !== 'disqualification' && (table === null || restsAt(ev, table));
};

/** The table whose last hand must be processed; in a round of hand-for-hand only after all have ended. */
function tableToSettle(ev) {
  if (ev.handForHand && !allHavePlayed(ev, ev.handForHand.played)) return undefined;
  const awaits = no => ev.entries.get(no).rebuyUntil === null;
  return ascending(ev.toSettle.keys()).find(number => ev.toSettle.get(number).some(awaits));
}

/** Whether a round of hand-for-hand begins, or the last one has ended. */
function isRoundDue(ev) {
  // A round in which no table could play would end at once, and the next one too, without end.
  if (wantsHandForHand(ev) && !ev.field.tables.some(({ table }) => couldPlay(ev, table))) return false;
  if (ev.handForHand) return allHavePlayed(ev, ev.handForHand.played) && !ev.toSettle.size;
  return wantsHandForHand(ev) && ev.field.tables.every(({ table }) => isIdleAt(ev, table));
}

const hasBounty = ({ head, total }) => head > 0 || total > 0;
const owesBounties = ev => !ev.handForHand &&
  ((isEventOver(ev) && entriesLeft(ev).some(hasBounty)) || (ev.itm !== null && ev.won.size > 0));

/** All timed duties, `{at, command}`; of those with the same time the first comes first. */
function eventDeadlines(ev) {
  const all = [], add = (at, word, fields) => all.push({ at, command: eventCommand(ev, word, fields) });
  if (ev.stage === 'registering') add(ev.startsAt, 'start');
  if (ev.stage !== 'running') return all;
  const { stands, nextChange: next } = ev.clock, { open, frozen } = ev.draws;
  if (stands && stands[1] === 'crash') {
    // A finished event is paid as it ended.
    if (isEventOver(ev)) return all;
    add(stands[0] + ev.structure.cancel_after_ms, 'cancel', { cause: 'crash', instant: stands[0] });
    return all;
  }
  const [rebuying] = [...ev.rebuying].map(no => ev.entries.get(no))
    .sort((a, b) => a.rebuyUntil - b.rebuyUntil || a.no - b.no);
  if (rebuying) add(rebuying.rebuyUntil, 'decline_rebuy', { entry_no: rebuying.no });
  if (open && frozen) add(open.by, 'draw_seats', { draw_no: ev.draws.next });
  const ends = dealEnds(ev), { proposal } = ev.deal;
  if (ends !== null) add(ends, 'answer_deal', { digest: proposal ? proposal.digest : '', accept: false });
  if (!isEventOver(ev) && next !== null) add(next, 'next_level');
  const waits = number => pausesUntil(ev, number) > ev.lastUsed && isCallable(ev, number);
  const paused = ev.structure.clocks.between_hands_ms && idleTables(ev).find(waits);
  if (paused)
    all.push({ at: pausesUntil(ev, paused), command: { call_hand: { table: tableName(ev, paused) } } });
  return all;
}

// Commands of a tournament (spec/games/tournaments.md, "Commands"): all refusals first, then the events, which are
// folded once all are written. A command `NAME` is the method `event_NAME`.

/** Commands about an event in play. */
const OF_PLAY = ['decline_rebuy', 'want_deal', 'propose_deal', 'answer_deal', 'substitute_prize'];
const MOST_POSTPONED = 3, POSTPONED_MS = 604800000, MOST_PAID = 100, MOST_POSTED = 500;
const paysDeal = (method, event, amounts) =>
  hex(sha256(concat(label('deal'), ascii(quote({ event, method, amounts })))));

extendHouse({
  tournament(command, who) {
    const [[word, fields]] = Object.entries(command), ev = this.events.get(fields.event);
    Object.assign(this, { event: ev, told: new Map() });
    if (word === 'create') this.createEvent(fields);
    else {
      need(ev, 'unknown_tournament');
      need(!ev.tables.unrecovered.size, 'recovering');
      need(!OF_PLAY.includes(word) || !['cancelled', 'ended'].includes(ev.stage), 'nothing_to_do');
      this[`event_${word}`](fields, who);
    }
    this.checkTold();
    // In this order: spec/audit.md, "Which code".
    const fault = this.balanceFault || this.differs;
    if (fault) {
      this.checkLoss('tournament', command, who);
      throw fault;
    }
    const said = this.out.filter(event => event.tournament).map(event => Object.entries(event.tournament)[0]);
    said.forEach(([name, inner]) => this.takeTickets(this.event, name, inner));
    for (const [name, inner] of said) if (name !== 'created') EVENT_FOLDS[name](this.event, inner, this.time);
  },

  sayEvent(name, fields) { this.emit({ tournament: { [name]: fields } }); },

  /** The players' balances before the entry are stated there: spec/entries.md, "The entry". */
  tell(player) { if (!this.told.has(player)) this.told.set(player, this.balance(player)); },
  checkTold() {
    if (this.logged === null) return;
    const due = [...this.told].sort(([a], [b]) => compareText(a, b)), stated = this.statedBefore || [];
    if (quote(due) !== quote(stated))
      this.balanceFault =
        new Unsound('balance_before', `the balances before are ${quote(due)}, the entry states ${quote(stated)}`);
  },

  /** A posting, the lines of one account together. */
  postSummed(...moves) {
    const summed = new Map();
    for (const [account, amount] of moves) summed.set(account, (summed.get(account) || 0) + amount);
    this.post(...summed);
  },

  ofPool() { return `pool:${this.event.name}`; },
  ofFees() { return `fees:${this.event.name}`; },
  ofBounties() { return `bounties:${this.event.name}`; },
  ofStakes() { return `stakes:${this.event.name}`; },
  /** The account that an entry's winnings go to: the escrow, if stakes of it were sold. */
  payee({ player, stakes }) { return stakes.length ? this.ofStakes() : `player:${player}`; },

  /** A player's entry that is in play. */
  ownEntry(player) {
    const entry = entryInPlay(this.event, player);
    need(entry, 'not_registered');
    return entry;
  },

  /** A duty is the house's, and is refused unless it comes next. */
  isDuty(word, fields) {
    this.only('house');
    need(quote(this.dutyOfEvent(this.event)) === quote(eventCommand(this.event, word, fields)), 'nothing_to_do');
  },

  /** The tickets that an entry, which is not folded in yet, brings or takes. */
  takeTickets(ev, name, { entry_no: no, player, paid_by: paidBy, prize }) {
    const holders = event => this.tickets.get(event) || this.tickets.set(event, new Map()).get(event);
    if ((name === 'registered' && paidBy.ticket) || name === 'ticket_returned') holders(ev.name).delete(player);
    if (name === 'unregistered' && ev.entries.get(no).paidBy.ticket)
      holders(ev.name).set(ev.entries.get(no).player, false);
    if (name === 'prize_paid' && prize.ticket) {
      const { target, non_unregisterable: bound } = ev.structure.payouts.satellite;
      holders(target).set(ev.entries.get(no).player, bound);
    }
  },
  hasTicket(event, player) { return this.tickets.has(event) && this.tickets.get(event).has(player); },

  // --- Announced --------------------------------------------------------------------------------------

  createEvent({ event: name, structure, rules, starts_at, registration_from }) {
    this.only('operator');
    need(!this.usedTables.has(name) && !this.events.has(name), 'table_exists');
    need(name.length <= 56 && !isOfEvent(name), 'malformed', 'the name is too long, or that of an event\'s table');
    need(starts_at > this.time && registration_from <= starts_at && starts_at <= HALF, 'malformed');
    const why = whyNoStructure(structure), whyNot = whyNoRuleSet(rules);
    need(!why, 'structure_refused', why);
    need(!whyNot, 'rule_set_refused', whyNot);
    const digest = structureDigest(structure), named = structure.rules;
    need(rules.name === named.name && rulesDigest(rules) === named.digest, 'structure_refused', 'another rule set');
    structure.levels.forEach((_, i) => {
      const ofLevel = eventTableRules(structure, rules, i + 1);
      need(ofLevel, 'structure_refused', 'its rule set is not poker');
      need(!whyNoRuleSet(ofLevel), 'rule_set_refused');
    });
    this.needTarget(structure);
    const { origin, epoch } = this.start, claimed = this.claim('created');
    const tip = claimed && isHash(claimed.tip) ? claimed.tip : '0'.repeat(64);
    this.sayEvent('created', { structure, digest, rules, starts_at, registration_from, epoch, tip });
    this.event =
      newEvent(name, tableContext(origin, name, epoch),
        { structure, rules, starts_at, registration_from, epoch, tip });
    this.events.set(name, this.event);
    this.usedTables.set(name, { owner: null, replacedBy: null, sealed: [] });
    for (const account of [this.ofPool(), this.ofFees(), this.ofBounties(), this.ofStakes()])
      this.accounts.set(account, 0);
  },

  needTarget({ payouts: { satellite } }) {
    if (!satellite) return;
    const target = this.events.get(satellite.target), entry = target && target.structure.entry;
    need(
      // If some have no bounty an entry has two prices, but a ticket has one value.
      target &&
        target.structure.bounty_on === 'all' &&
        satellite.buy_in === entry.buy_in + entry.bounty &&
        satellite.fee === entry.fee &&
        !['cancelled', 'ended'].includes(target.stage),
      'structure_refused',
      'there is no such target',
    );
  },

  // --- Bought: section 4 ------------------------------------------------------------------------------

  event_register({ commitment, pay }, who) {
    const { event: ev } = this, { entry: terms, bounty_on: on } = ev.structure;
    this.existing(who);
    need(['registering', 'running'].includes(ev.stage), 'registration_closed');
    need(this.time >= ev.registrationFrom, 'deadline_ahead');
    const closed = entryClosed(ev, this.time);
    need(!closed, closed === 'full' ? 'field_full' : 'registration_closed', closed);
    need(!entryInPlay(ev, who), 'nothing_to_do');
    const entrant = ev.entrants.get(who) || newEntrant();
    const noted = entrant.entries.some(no => ev.noted.has(no) && ev.noted.get(no).what === 'disqualification');
    need(!entrant.barred && !noted && entrant.entries.length < terms.entries_per_player, 'not_allowed');
    need(entrant.registered < MOST_OF_PLAYER, 'field_full');
    const bounty = on === 'all' || entrant.hasBounty === true ? terms.bounty : 0;
    this.needEventRoom({ entries: 1, with_bounty: bounty ? 1 : 0 });
    const price = terms.buy_in + terms.fee + bounty;
    this.tell(who);
    const payers = this.payers(who, price, pay), bound = pay === 'ticket' && this.tickets.get(ev.name).get(who);
    const [cash, dollars, ticket] = ['player:', 'tdollars:', 'tickets']
      .map(form => sum(payers.filter(([account]) => account.startsWith(form)).map(([, amount]) => -amount)));
    this.sayEvent('registered', {
      entry_no: ev.nextEntry,
      player: who,
      commitment,
      paid_by: { cash: cash + 0, t_dollars: dollars + 0, ticket: ticket + 0 },
      bounty,
      non_unregisterable: bound,
    });
    this.postSummed(...payers, [this.ofPool(), terms.buy_in], [this.ofFees(), terms.fee], [this.ofBounties(), bounty]);
  },

  /** The most that an event may hold (2.6). */
  needEventRoom(more) {
    const sold = { ...this.event.sold };
    for (const [name, count] of Object.entries(more)) sold[name] += count;
    const { pool, fees, bounties, chips } = collectedOf(this.event.structure, sold);
    need(pool + fees + bounties <= HALF && chips <= HALF, 'amount_out_of_range');
    need(sold.entries <= MOST_ENTRIES && this.event.draws.next < LATE_DRAWS, 'amount_out_of_range');
  },

  /** The payers of a price, with their amounts. */
  payers(player, price, pay) {
    if (pay === 'ticket') {
      need(this.hasTicket(this.event.name, player), 'not_allowed');
      return [['tickets', -price]];
    }
    const dollars = pay === 'cash' ? 0 : Math.min(price, this.accounts.get(`tdollars:${player}`) ?? 0);
    need(price - dollars <= this.balance(player), 'insufficient_balance');
    return [[`player:${player}`, dollars - price], [`tdollars:${player}`, -dollars]];
  },

  event_unregister(fields, who) {
    const { event: ev } = this, { startsAt } = ev, ms = unregisterInForce(ev);
    this.existing(who);
    const entry = this.ownEntry(who), { paidBy, stakes } = entry;
    need(!entry.bound && ms !== undefined, 'not_allowed');
    need(ev.stage === 'registering' && startsAt >= ms && this.time < startsAt - ms, 'deadline_passed');
    this.tell(who);
    stakes.forEach(({ buyer }) => this.tell(buyer));
    this.sayEvent('unregistered', { entry_no: entry.no });
    this.postSummed(
      [`player:${who}`, paidBy.cash],
      [`tdollars:${who}`, paidBy.t_dollars],
      ['tickets', paidBy.ticket],
      [this.ofPool(), -entry.toPool],
      [this.ofFees(), -entry.fees],
      [this.ofBounties(), -entry.head],
      ...stakes.flatMap(({ buyer, price }) => [[this.ofStakes(), -price], [`player:${buyer}`, price]]),
    );
  },

  event_rebuy(fields, who) {
    const { event: ev } = this, { rebuy: terms } = ev.structure;
    this.existing(who);
    const entry = this.ownEntry(who), running = eventRunning(ev, this.time);
    need(terms && running !== null, 'not_allowed');
    need(withinLevels(ev.structure, terms.levels, running), 'registration_closed');
    need(entry.rebuyUntil === null || this.time < entry.rebuyUntil, 'deadline_passed');
    this.nothingNotedOf(entry);
    need(entry.rebuys < terms.most, 'not_allowed');
    if (this.isInHand(entry)) { this.notePurchase(entry, 'rebuy'); return; }
    need(entry.chips <= terms.stack_at_most, 'not_allowed');
    this.buyChips(entry, 'rebuy');
  },

  event_add_on(fields, who) {
    const { event: ev } = this, { add_on: terms, breaks } = ev.structure;
    this.existing(who);
    const entry = this.ownEntry(who), position = ev.clock.stands ? null : eventPosition(ev, this.time);
    need(terms, 'not_allowed');
    need(breaks.after && position && position.in_break && position.level === terms.after_level, 'registration_closed');
    this.nothingNotedOf(entry);
    need(!entry.addedOn, 'nothing_to_do');
    if (this.isInHand(entry)) this.notePurchase(entry, 'add_on'); else this.buyChips(entry, 'add_on');
  },

  /** Whether an entry's chips are in a hand; a player without chips who may rebuy is in none. */
  isInHand(entry) {
    const table = tableOfEntry(entry);
    return table !== null && entry.rebuyUntil === null && !restsAt(this.event, table);
  },

  /** An entry has at most one noted request. */
  nothingNotedOf({ no }) {
    const noted = this.event.noted.get(no);
    need(!noted || noted.what !== 'disqualification', 'not_allowed');
    need(!noted, 'nothing_to_do');
  },

  /** The payers for chips, if they can be bought now: until the pool is final, within the event's maximum. */
  purchase({ player }, what) {
    const { price, fee } = this.event.structure[what];
    need(this.event.pool === null, 'registration_closed');
    this.needEventRoom({ [`${what}s`]: 1 });
    return [...this.payers(player, price + fee, 'cash'), [this.ofPool(), price], [this.ofFees(), fee]];
  },

  /** It is carried out after the hand, and costs nothing before. */
  notePurchase(entry, what) {
    this.purchase(entry, what);
    this.sayEvent('noted', { entry_no: entry.no, what });
  },

  buyChips(entry, what) {
    const moves = this.purchase(entry, what), chips = entry.chips + this.event.structure[what].chips;
    this.tell(entry.player);
    this.sayEvent(what === 'rebuy' ? 'rebought' : 'added_on', { entry_no: entry.no, chips });
    this.postSummed(...moves);
  },

  /** An entry's noted request is carried out, or dropped if it is not possible (4.4, 7.6). */
  event_carry_out({ entry_no: no }) {
    const { event: ev } = this, entry = ev.entries.get(no);
    this.isDuty('carry_out', { entry_no: no });
    const { what, reason } = ev.noted.get(no);
    const drop = why => this.sayEvent('note_dropped', { entry_no: no, what, why });
    if (what === 'disqualification') {
      // The last one left has won.
      if (inPlay(entry) && (isEventOver(ev) || ev.remaining <= 1)) drop('over'); else this.sayDisqualified(no, reason);
      return;
    }
    if (what === 'rebuy' && entry.chips > ev.structure.rebuy.stack_at_most) { drop('stack'); return; }
    try {
      this.purchase(entry, what);
    } catch (refusal) {
      const why =
        { registration_closed: 'over', amount_out_of_range: 'room', insufficient_balance: 'balance' }[refusal.code];
      if (!(refusal instanceof Refusal) || !why) throw refusal;
      drop(why);
      return;
    }
    this.buyChips(entry, what);
  },

  event_set_bounty({ player, has }) {
    this.only('operator');
    const { event: ev } = this, entrant = ev.entrants.get(player) || newEntrant();
    need(ev.structure.bounty_on === 'some', 'not_allowed');
    need(this.players.has(player), 'unknown_player');
    need(!entrant.registered, 'not_allowed');
    need(entrant.hasBounty !== has, 'nothing_to_do');
    this.sayEvent('bounty_set', { player, has });
  },

  // --- Stakes: section 12 -----------------------------------------------------------------------------

  needSelling() {
    need(this.event.structure.staking, 'not_allowed');
    need(this.event.stage === 'registering', 'registration_closed');
  },

  event_offer_stake({ basis_points: points }, who) {
    this.needSelling();
    this.existing(who);
    const entry = this.ownEntry(who), sold = sum(entry.stakes.map(stake => stake.basis_points));
    need(points <= 10000 && points >= sold, 'stake_refused');
    need(entry.offered !== points, 'nothing_to_do');
    this.sayEvent('stake_offered', { player: who, basis_points: points });
  },

  event_buy_stake({ seller, basis_points: points }, who) {
    this.needSelling();
    this.existing(who);
    need(who !== seller, 'not_allowed');
    const entry = this.ownEntry(seller), sold = sum(entry.stakes.map(stake => stake.basis_points));
    need(sold + points <= entry.offered, 'not_allowed');
    need(points && sold + points <= 10000 && entry.stakes.length < 100, 'stake_refused');
    const cost = big(points) * big(entry.toPool + entry.fees + entry.head), price = Number(cost / 10000n);
    need(cost % 10000n === 0n, 'stake_refused', 'the price is not whole');
    need(this.balance(who) >= price, 'insufficient_balance');
    this.tell(who);
    this.sayEvent('stake_sold', { seller, buyer: who, basis_points: points, price });
    this.postSummed([`player:${who}`, -price], [this.ofStakes(), price]);
  },

  /** An entry's winnings and escrow, to buyers and seller (12.2). */
  divideStakes(entry) {
    const back = givesEscrowBack(this.event, entry), { earned, dollarsEarned } = entry;
    const { buyers, seller, seller_escrow: escrow } =
      stakeDivision(back ? 't_dollars' : 'cash', earned + dollarsEarned, entry.stakes);
    // T$ count in the total, and the seller gets them (refunds.md, 5).
    const own = back ? 0 : seller + escrow - dollarsEarned;
    this.sayEvent('stakes_divided', { entry_no: entry.no });
    this.tell(entry.player);
    entry.stakes.forEach(({ buyer }) => this.tell(buyer));
    this.postSummed(
      [this.ofStakes(), -own - sum(buyers)],
      ...entry.stakes.map(({ buyer }, i) => [`player:${buyer}`, buyers[i]]),
      [`player:${entry.player}`, own],
    );
  },

  // --- From the start to the end: sections 4, 5, 7 ----------------------------------------------------

  event_start() {
    const { event: ev } = this;
    this.only('house');
    need(ev.stage === 'registering', 'nothing_to_do');
    need(this.time >= ev.startsAt, 'deadline_ahead');
    if (this.isStartMissed(ev)) this.cancelEvent('crash', this.time);
    else if (ev.players < ev.structure.entry.players_min) this.cancelEvent('too_few_players', this.time);
    else this.sayEvent('started', { players: ev.players });
  },

  event_next_level() {
    const { event: ev } = this, { clock } = ev;
    this.only('house');
    const position = clock.stands ? null : eventPosition(ev, this.time);
    need(position, 'nothing_to_do');
    const { level, in_break: inBreak, to_break: toBreak } = position;
    need(level !== clock.level || inBreak !== clock.inBreak, 'deadline_ahead');
    if (clock.inBreak && !inBreak) this.sayEvent('break_ended', {});
    if (level !== clock.level) this.sayEvent('level_begun', { level });
    if (inBreak && !clock.inBreak) this.sayEvent('break_begun', { until: this.time + (toBreak || 0) });
  },

  event_next_round() {
    const { event: ev } = this;
    this.isDuty('next_round');
    const before = ev.handForHand ? ev.handForHand.round : 0;
    this.sayEvent('hand_for_hand', { round: wantsHandForHand(ev) ? before + 1 : 0 });
  },

  event_end_registration() {
    const { event: ev } = this, cause = entryClosed(ev, ev.lastUsed);
    this.isDuty('end_registration');
    if (ev.registrationEnded === null) {
      need(cause, 'nothing_to_do');
      this.sayEvent('registration_ended', { cause, entries: ev.sold.entries, places: eventPlaces(ev) });
      return;
    }
    const { pool, overlay } = poolNow(ev);
    this.sayEvent('pool_final', { pool, overlay });
    this.postSummed(['house', -overlay], [this.ofPool(), overlay]);
  },

  event_start_clock() {
    const { event: ev } = this, { stands } = ev.clock;
    this.only('house');
    need(stands && stands[1] === 'crash', 'nothing_to_do');
    need(!isCrashOver(ev, this.time), 'deadline_passed');
    this.sayEvent('clock_started', { cause: 'crash' });
  },

  /** No duty is left: stakes are divided, fees are the house's, and cut fractions have their account. */
  event_end() {
    const { event: ev } = this, [undivided] = ascending(ev.sellers);
    this.isDuty('end');
    if (undivided !== undefined) { this.divideStakes(ev.entries.get(undivided)); return; }
    if (this.returnTickets(ev)) return;
    const residual = this.accounts.get(this.ofPool()), fees = this.accounts.get(this.ofFees());
    this.sayEvent('ended', { residual });
    this.postSummed(
      [this.ofPool(), -residual], ['rounding_residual', residual], [this.ofFees(), -fees], ['house', fees],
    );
  },

  /** Tickets that can no longer be used come back as T$ (9.7); returns whether there were any. */
  returnTickets(ev) {
    const holders = [...(this.tickets.get(ev.name) || new Map()).keys()].sort(compareText).slice(0, MOST_PAID);
    const { buy_in: buyIn, fee, bounty } = ev.structure.entry, value = buyIn + fee + bounty;
    for (const player of holders) {
      this.tell(player);
      this.sayEvent('ticket_returned', { player, value });
    }
    const lines = holders.flatMap(player => [['tickets', -value], [`tdollars:${player}`, value]]);
    if (lines.length) this.postSummed(...lines);
    return lines.length > 0;
  },

  // --- Draws and moves: sections 3, 6 -----------------------------------------------------------------

  event_call_draw() {
    const { event: ev } = this, due = dueDraw(ev);
    this.isDuty('call_draw');
    this.sayEvent('draw_called', {
      draw_no: ev.draws.next,
      kind: due[0],
      ...(due[1] === null ? {} : { table: due[1] }),
      reveal_by: this.time + ev.structure.clocks.reveal_ms,
    });
  },

  event_reveal_seat_seed({ draw_no, entry_no: no, seed, next }, who) {
    const { event: ev } = this, { open } = ev.draws;
    if (isPlayerActor(this.by)) this.existing(who);
    need(open && draw_no === ev.draws.next, 'wrong_draw');
    const entry = ev.entries.get(no);
    need(entry && open.entrants.has(no), 'not_an_entrant');
    need(next === undefined || who === entry.player, 'not_allowed');
    need(!open.seeds.has(no), 'already_revealed');
    const { player, commitment: kept } = entry;
    need(
      kept && open.awaited.has(no) && seatCommitment(ev.dctx, { use: kept.use, player, seed }) === kept.commitment,
      'seed_does_not_open',
    );
    need(this.time < open.by, 'deadline_passed');
    this.sayEvent('seat_seed_revealed', { draw_no, entry_no: no, seed, ...(next === undefined ? {} : { next }) });
  },

  /** The house's number comes from the dealer: it must lead to the one before, or to the tip. */
  event_draw_seats({ draw_no }) {
    const { event: ev } = this, { open, frozen, next, link: before } = ev.draws;
    this.only('house');
    need(open && draw_no === next, 'wrong_draw');
    need(!open.awaited.size || this.time >= open.by, 'deadline_ahead');
    need(frozen && !ev.clock.stands, 'nothing_to_do');
    const claimed = this.claim('seats_drawn'), link = claimed && isHash(claimed.link) ? claimed.link : '0'.repeat(64);
    const entrants = [...open.seeds].map(([no, seed]) => ({ entry_no: no, player: ev.entries.get(no).player, seed }));
    this.sayEvent('seats_drawn', {
      draw_no,
      link,
      entropy: hex(drawEntropy(ev.dctx, draw_no, unhex(link, 32), frozen.running, entrants)),
      withheld: open.entrants.size - open.seeds.size,
    });
    this.doubles.push(() => {
      if (hex(linkBefore(ev.dctx, draw_no, unhex(link, 32))) !== before)
        unsound('state', `the number of draw ${draw_no} does not lead to the one before it, ${before}`);
    });
  },

  event_move_player() {
    this.isDuty('move_player');
    this.sayEvent('player_moved', eventSeatingDue(this.event).move);
  },

  // --- Hands: sections 4.4, 7, 10 ---------------------------------------------------------------------

  event_settle_hand({ table }) {
    const { event: ev } = this;
    this.isDuty('settle_hand', { table });
    const all = ev.toSettle.get(table).map(no => ev.entries.get(no));
    const entries = all.filter(({ rebuyUntil }) => rebuyUntil === null);
    for (const { no } of entries.filter(entry => this.mayRebuy(entry)))
      this.sayEvent('rebuy_awaited', { entry_no: no, until: this.time + ev.structure.rebuy.time_ms });
    this.eliminate(entries.filter(entry => !this.mayRebuy(entry)));
  },

  mayRebuy({ no, rebuys, player }) {
    const { event: ev } = this, { rebuy: terms } = ev.structure;
    return !!terms && !ev.noted.has(no) && withinLevels(ev.structure, terms.levels, eventRunning(ev, this.time) || 0) &&
      rebuys < terms.most && this.balance(player) >= terms.price + terms.fee;
  },

  event_decline_rebuy({ entry_no: no }, who) {
    const entry = this.event.entries.get(no);
    need(entry && entry.rebuyUntil !== null, 'nothing_to_do');
    if (this.by === 'house') need(this.time >= entry.rebuyUntil, 'deadline_ahead');
    else need(this.existing(who) === entry.player, 'not_allowed');
    this.eliminate([entry]);
  },

  /** Eliminates these entries, from the lowest place upwards; their heads are won. */
  eliminate(entries) {
    if (!entries.length) return;
    const { event: ev } = this;
    const outOf = ({ no, falls: { winners, ...fall } }) => ({ entry_no: no, ...fall });
    const falls = entries.slice().sort(({ falls: a, no: one }, { falls: b, no: other }) =>
      a.hand - b.hand || a.stack - b.stack || b.distance - a.distance || other - one);
    const { hand } = falls[0].falls, ofHand = out => out.hand === hand;
    const others = [...ev.toSettle.values()].flat().map(no => ev.entries.get(no))
      .filter(entry => !entries.includes(entry) && entry.rebuyUntil === null && entry.falls);
    const before = ev.unranked.filter(ofHand), after = [...falls, ...others].map(outOf).filter(ofHand);
    const batch = [...before, ...after].sort((a, b) => a.table - b.table || a.entry_no - b.entry_no);
    const ranked = eliminationRanks(Math.max(0, ev.remaining - after.length), batch), places = eventPlaces(ev);
    const bounties = new Map();
    for (const no of falls.flatMap(({ no: out, falls: { winners } }) => [out, ...winners])) {
      const { head, total } = ev.entries.get(no);
      bounties.set(no, { head, total });
    }
    for (const entry of falls) {
      const { no, falls: { winners } } = entry, rank = ranked[no];
      if (hasBounty(bounties.get(no)) && winners.length)
        this.sayEvent('bounty_won', {
          entry_no: no,
          winners: bountyParts(bounties, no, winners, ev.structure.bounty_onto_head, !!rank && rank[0] <= places),
        });
      this.sayEvent('player_eliminated', outOf(entry));
    }
  },

  // --- Paid: sections 9, 10 ---------------------------------------------------------------------------

  event_pay_places() {
    const { event: ev } = this, lines = [], table = eventPrizes(ev);
    this.isDuty('pay_places');
    const due = [...ev.unpaid].sort(([a, place], [b, other]) => other - place || a - b).slice(0, MOST_PAID);
    for (const [no] of due) {
      if (lines.length + 4 > MOST_POSTED) break;
      lines.push(...this.payPlace(table, ev.entries.get(no)));
    }
    this.postSummed(...lines);
  },

  payPlace(table, entry) {
    const { event: ev } = this, { no, rank, player } = entry, { satellite } = ev.structure.payouts;
    const [{ seat, cash }] = tiedPrize(table, seatValue(ev.structure), rank[0], rank[1]);
    const won = seat ? this.seatPrize(satellite, player) : { ticket: 0, dollars: 0, house: 0 };
    const all = cash + won.ticket + won.dollars + won.house;
    const said = (money, ticket, dollars, given = 0) =>
      this.sayEvent('prize_paid', {
        entry_no: no,
        rank,
        prize: {
          ...unlessZero('cash', money), ...unlessZero('ticket', ticket), ...unlessZero('t_dollars', dollars),
          ...unlessZero('substitute', given),
        },
      });
    if (entry.at === 'disqualified') {
      // The place's prize is divided among all remaining players, and paid like bounties (7.6).
      said(all, 0, 0);
      return [[this.ofPool(), -all], [this.ofBounties(), all]];
    }
    this.tell(player);
    const given = takesSubstitute(ev, no, rank) ? cash : 0;
    said(cash - given, won.ticket, won.dollars, given);
    return [
      [this.ofPool(), -all],
      [this.payee(entry), cash - given],
      ['tickets', won.ticket],
      [`tdollars:${player}`, won.dollars],
      ['house', won.house + given],
    ];
  },

  /** A ticket, or T$ for a winner who cannot use one (R001.24). */
  seatPrize({ target: name, buy_in: buyIn, fee }, player) {
    const target = this.events.get(name);
    if (!target || !takesEntries(target, this.time)) return { ticket: 0, dollars: buyIn + fee, house: 0 };
    const { entries, barred } = target.entrants.get(player) || newEntrant();
    const useless = entryInPlay(target, player) || barred || this.hasTicket(name, player) ||
      entries.length >= target.structure.entry.entries_per_player;
    return useless ? { ticket: 0, dollars: buyIn, house: fee } : { ticket: buyIn + fee, dollars: 0, house: 0 };
  },

  event_pay_bounties() {
    const { event: ev } = this, lines = [], over = isEventOver(ev);
    this.isDuty('pay_bounties');
    const atEnd = over ? entriesLeft(ev).filter(hasBounty).map(({ no }) => no) : [];
    for (const no of ascending(new Set([...ev.won, ...atEnd])).slice(0, MOST_PAID)) {
      const entry = ev.entries.get(no), amount = entry.total + (over && inPlay(entry) ? entry.head : 0);
      this.tell(entry.player);
      lines.push([this.ofBounties(), -amount], [this.payee(entry), amount]);
      this.sayEvent('bounty_paid', { entry_no: no, amount });
    }
    this.postSummed(...lines);
  },

  // --- Deals: section 11 ------------------------------------------------------------------------------

  /** The entry of a remaining player while a deal is possible. */
  dealing(who) {
    const { event: ev } = this, { deal } = ev.structure;
    this.existing(who);
    const entry = this.ownEntry(who);
    need(deal && ev.pool !== null && ev.remaining <= deal.most_players && !isEventOver(ev), 'not_allowed');
    return entry;
  },

  event_want_deal({ want }, who) {
    const { no } = this.dealing(who), { event: ev } = this, { wanted } = ev.deal;
    need(wanted.has(no) !== want, 'nothing_to_do');
    need(!ev.clock.stands || !want, 'nothing_to_do');
    const all = wanted.size + 1 >= ev.remaining;
    // Hands in progress are played to their ends: the next ones are called at once, so there is no other time.
    const drawing = !!ev.draws.open || !!ev.draws.frozen;
    need(!want || !all || (!drawing && !ev.handForHand), 'hand_in_progress');
    this.sayEvent('deal_wanted', { entry_no: no, want });
    if (want && all) this.sayEvent('clock_stopped', { cause: 'deal' });
    if (!want && ev.clock.stands) this.noDeal();
  },

  noDeal() {
    this.sayEvent('deal_off', {});
    this.sayEvent('clock_started', { cause: 'deal' });
  },

  event_propose_deal({ method, amounts }, who) {
    this.dealing(who);
    const { event: ev } = this, { stands } = ev.clock;
    need(stands && stands[1] === 'deal', 'nothing_to_do');
    need(ev.field.tables.every(({ table: number }) => isIdleAt(ev, number)), 'hand_in_progress');
    need(!ev.deal.proposal, 'nothing_to_do');
    const players = entriesLeft(ev).sort((a, b) => a.no - b.no).map(({ no, chips }) => ({ entry_no: no, chips }));
    const table = eventPrizes(ev), prizes = players.map((_, i) => prizeInCash(table, i + 1, 0));
    const named = amounts && amounts.map(([no]) => no).join() === players.map(player => player.entry_no).join();
    need(method === 'amounts' ? named : !amounts, 'malformed');
    need(players.length >= 2 && players.every(({ chips }) => chips > 0), 'deal_refused');
    need(method !== 'amounts' || sum(amounts.map(([, amount]) => amount)) === sum(prizes), 'deal_refused');
    const paid = amounts ? amounts.map(([, amount]) => amount) : dealShares(method, players, prizes).paid;
    const shares = players.map(({ entry_no }, i) => [entry_no, paid[i]]);
    this.sayEvent('deal_proposed', {
      method,
      digest: paysDeal(method, ev.name, shares),
      amounts: shares,
      answer_by: this.time + ev.structure.clocks.commit_ms * 6,
    });
  },

  event_answer_deal({ digest, accept }, who) {
    const { event: ev } = this, { proposal } = ev.deal;
    if (this.by === 'house') {
      const ends = dealEnds(ev);
      need(ends !== null, 'nothing_to_do');
      need(!accept && this.time >= ends, 'deadline_ahead');
      this.noDeal();
      return;
    }
    const { no } = this.dealing(who);
    need(proposal && proposal.digest === digest, 'nothing_to_do');
    need(this.time < proposal.answerBy, 'deadline_passed');
    need(!proposal.accepted.has(no), 'nothing_to_do');
    this.sayEvent('deal_answered', { entry_no: no, accept });
    if (!accept) { this.noDeal(); return; }
    if (proposal.accepted.size + 1 < ev.remaining) return;
    const { amounts } = proposal, paid = amounts.map(([of, amount]) => [ev.entries.get(of), amount]);
    paid.forEach(([{ player }]) => this.tell(player));
    this.sayEvent('deal_made', { amounts });
    this.sayEvent('clock_started', { cause: 'deal' });
    this.postSummed(...paid.flatMap(([entry, amount]) => [[this.ofPool(), -amount], [this.payee(entry), amount]]));
  },

  // --- By the operator: sections 4.5, 7.6, 9.5 --------------------------------------------------------

  event_disqualify({ player, reason }) {
    this.only('operator');
    const entry = this.ownEntry(player), { event: ev } = this;
    need(ev.stage === 'running' && !isEventOver(ev) && ev.remaining > 1, 'not_allowed');
    const noted = ev.noted.get(entry.no);
    need(!noted || noted.what !== 'disqualification', 'nothing_to_do');
    if (canDisqualify(ev, entry)) this.sayDisqualified(entry.no, reason);
    else this.sayEvent('noted', { entry_no: entry.no, what: 'disqualification', reason });
  },

  sayDisqualified(no, reason) {
    const { stands } = this.event.clock;
    this.sayEvent('player_disqualified', { entry_no: no, reason });
    // The proposal included them, and their acceptance cannot be another's.
    if (stands && stands[1] === 'deal') this.noDeal();
  },

  event_substitute_prize({ place, what, value }, who) {
    const { event: ev } = this;
    if (isPlayerActor(this.by)) { this.acceptSubstitute(place, what, value, who); return; }
    this.only('operator');
    need(ev.pool !== null, 'not_allowed');
    const prize = prizeInCash(eventPrizes(ev), place, seatValue(ev.structure));
    const isPaid = [...ev.entries.values()]
      .some(entry => entry.isPaid && entry.rank && entry.rank[0] <= place && place <= entry.rank[1]);
    need(prize && !isPaid && !ev.substitutes.has(place) && value >= prize, 'not_allowed');
    this.sayEvent('prize_substituted', { place, what, value });
  },

  /** A remaining player accepts it in case the place becomes theirs: their text must equal the offer. */
  acceptSubstitute(place, what, value, who) {
    this.existing(who);
    const { event: ev } = this, { no } = this.ownEntry(who), offered = ev.substitutes.get(place);
    need(offered && offered.what === what && offered.value === value, 'not_allowed');
    need(!offered.accepted.has(no), 'nothing_to_do');
    need(!ev.entrants.get(who).entries.some(own => ev.sellers.has(own)), 'not_allowed');
    this.sayEvent('substitute_accepted', { entry_no: no, place });
  },

  event_change_registration({ late_levels: late, unregister_ms: unregisterMs }) {
    this.only('operator');
    const { event: ev } = this, { unregister_ms: _, ...changed } = scheduled(ev, late);
    need(ev.registrationEnded === null && ['registering', 'running'].includes(ev.stage), 'registration_closed');
    need(late !== ev.lateLevels || unregisterMs !== ev.unregisterMs, 'nothing_to_do');
    const times = unregisterMs === undefined ? {} : { unregister_ms: unregisterMs };
    need(!whyNoStructure({ ...changed, ...times }), 'structure_refused');
    this.sayEvent('registration_changed', { late_levels: late, ...times });
  },

  event_postpone({ starts_at }) {
    this.only('operator');
    const { event: ev } = this;
    need(ev.stage === 'registering', 'not_allowed');
    const [announced = ev.startsAt] = ev.earlierStarts;
    need(ev.earlierStarts.length < MOST_POSTPONED, 'not_allowed');
    need(starts_at > ev.startsAt && starts_at <= announced + POSTPONED_MS, 'malformed');
    this.sayEvent('postponed', { starts_at });
  },
});

/** The winners' parts of a head (10.1 to 10.3); `bounties` are changed. */
function bountyParts(bounties, out, winners, ontoHead, paidPlace) {
  const { head, total } = bounties.get(out), heads = splitEqually(head, winners.length);
  const totals = splitEqually(paidPlace ? 0 : total, winners.length);
  bounties.delete(out);
  return winners.map((winner, i) => {
    const cashed = { none: heads[i], half: Math.floor(heads[i] / 2), all: 0 }[ontoHead];
    const won = { entry_no: winner, to_total: cashed + totals[i], onto_head: heads[i] - cashed };
    const bounty = bounties.get(winner);
    bounty.total += won.to_total;
    bounty.head += won.onto_head;
    return won;
  });
}

// The payments of a cancelled event (spec/games/refunds.md): each entry's holdings at an earlier instant, the players'
// parts, and the entries for them. tournament.js has the arithmetic of the four cases.

/** An instant may lie at least this far back (2.1). */
const REACH_MS = 1800000, MOST_REFUNDED = 100;

// --- What entries held before -----------------------------------------------------------------------

/** Stores an entry's holdings before a change: `changes` are `[time, entry_no, before]`, null: no entry. */
function keepHeld(ev, no) {
  const { touched } = ev.journal, before = ev.entries.get(no);
  if (ev.stage === 'running' && !touched.has(no)) touched.set(no, before ? { ...before } : null);
}

/** An entry that is about to be changed. */
function changing(ev, no) {
  keepHeld(ev, no);
  return ev.entries.get(no);
}

/** After an entry of the log: its changes are stored, and changes that no instant can reach any more are dropped. */
function endJournal(ev, time) {
  const { touched, changes } = ev.journal, [first] = refundInstants(ev, time);
  const differs = (before, entry) => !before || quote(thenPart(before)) !== quote(thenPart(entry));
  for (const no of ascending(touched.keys())) {
    const before = touched.get(no);
    if (differs(before, ev.entries.get(no))) changes.push([time, no, before]);
  }
  touched.clear();
  const kept = changes.findIndex(([at]) => at > first);
  changes.splice(0, kept < 0 ? changes.length : kept);
}

/** The first and the last instant as of which an event can be cancelled (2.1). */
function refundInstants({ stage, clock, structure }, now) {
  const last = clock.stands && clock.stands[1] === 'crash' ? clock.stands[0] : now;
  const first = Math.max(0, last - Math.max(structure.cancel_after_ms, REACH_MS));
  return [stage === 'registering' ? first : Math.max(first, clock.started), last];
}

/** Each entry's holdings at an instant, ascending by number. */
function heldAt(ev, instant) {
  const held = new Map(ev.entries), { changes } = ev.journal;
  for (let i = changes.length - 1; i >= 0 && changes[i][0] > instant; i--) {
    const [, no, before] = changes[i];
    if (before) held.set(no, before); else held.delete(no);
  }
  return new Map([...held].sort(([a], [b]) => a - b));
}

/** Running time at an instant that may have passed. */
function runningAt({ structure, clock }, instant) {
  const stops = [...clock.stops, ...(clock.stands ? [[clock.stands[0], instant]] : [])];
  const before = stops.filter(([from]) => from < instant).map(([from, until]) => [from, Math.min(until, instant)]);
  return runningTime(structure, clock.started, before, instant);
}

// --- Who gets what ----------------------------------------------------------------------------------

const isBarred = (ev, no) => ev.entries.get(no).at === 'disqualified';
/** The parts paid in T$ and by a ticket, which comes back as T$. */
const notCash = ({ paidBy }) => paidBy.t_dollars + paidBy.ticket;
const newRefund = () => ({
  fee: 0, bounty: 0, pool: 0, prize: 0, total: 0, bought: { pool: 0, fees: 0, bounty: 0 }, dollars: 0, owed: 0,
});
const boughtSum = ({ bought }) => bought.pool + bought.fees + bought.bounty;

/** All payments for an entry, later purchases included: they come back in full. */
function wholeEntry({ structure: { entry: terms } }, { paidBy, toPool, fees }) {
  return { pool: toPool, fees, bounty: notCash({ paidBy }) + paidBy.cash - terms.buy_in - terms.fee };
}

/** The payments of a cancellation as of an instant: `{out, pool, refunds, needed}`, refunds by entry, ascending. */
function settlementOf(ev, instant, cause) {
  return ev.stage === 'registering' ? settlementWhole(ev) : settlementAt(ev, instant, cause);
}

/** Case 1: each player gets their whole payment back. */
function settlementWhole(ev) {
  const left = entriesLeft(ev).sort((a, b) => a.no - b.no);
  const refunds = left.map(entry => [
    entry.no, { ...newRefund(), bought: wholeEntry(ev, entry), dollars: notCash(entry) },
  ]);
  const out = { case: 1, chips: sum(left.map(({ chips }) => chips)), residual: 0, payments: left };
  const needed = name => sum(refunds.map(([, { bought }]) => bought[name]));
  return { out, pool: 0, refunds, needed: { pool: needed('pool'), bounties: needed('bounty') } };
}

function settlementAt(ev, instant, cause) {
  const then = heldAt(ev, instant), all = [...then.values()], running = runningAt(ev, instant);
  const structure = scheduled(ev, ev.leastLateLevels), method = structure.refund_method;
  const left = all.filter(held => inPlay(held) && held.chips > 0 && !isBarred(ev, held.no));
  const remaining = left.length + all.filter(held => mightRebuy(ev, held, running)).length;
  const collected = sum(all.map(({ toPool }) => toPool)), players = all.filter(({ again }) => !again).length;
  // In the money before, or now: `itm` tells whether that cut registration short.
  let itm = ev.itmAt !== null && ev.itmAt <= instant ? ev.itm : null;
  if (itm === null && inTheMoney(structure, { entries: all.length, players, remaining, running, collected }))
    itm = wouldCutShort(structure, players, running);
  const kind = itm === null ? 2 : itm ? 4 : 3;
  const keepsGuarantee = kind === 3 || (kind === 2 && cause === 'operator');
  const whole = keepsGuarantee ? Math.max(collected, structure.guarantee) : collected;
  const table = kind === 2 ? { prizes: [] } : prizeTable(structure, all.length, players, whole);
  const prizes = kind === 2 ? [] : left.map((_, i) => prizeInCash(table, i + 1, seatValue(structure)));
  const pool = kind === 2 ? whole : sum(prizes);

  if (!left.length) broken('nobody is left at the instant');
  const parts = partsBeside(ev, then, left, table);
  const out = eventRefund({
    case: kind, method, pool, prizes,
    players: left.map(({ no, chips, fees }) => ({ entry_no: no, chips, fee: fees, bounty: parts.bounties.get(no) })),
  });
  const refunds = new Map(parts.refunds);
  for (const { entry_no: no, fee, bounty, pool: part } of out.payments)
    Object.assign(refundOf(refunds, no), { fee, bounty, pool: part });
  const awarded = sum(all.map(({ fromPool }) => fromPool)) + parts.elsewhere, each = [...refunds.values()];
  if (awarded > whole) broken('more was awarded than the pool');
  const needed = {
    pool: whole - awarded + sum(each.map(({ bought }) => bought.pool)),
    bounties: sum(each.map(({ bounty, total, bought }) => bounty + total + bought.bounty)),
  };
  return { out, pool, refunds: [...refunds].sort(([a], [b]) => a - b), needed };
}

function refundOf(refunds, no) {
  if (!refunds.has(no)) refunds.set(no, newRefund());
  return refunds.get(no);
}

/** Whether a player without chips may still buy some (2.4). */
function mightRebuy(ev, held, running) {
  if (!inPlay(held) || held.chips || isBarred(ev, held.no)) return false;
  const { rebuy: terms } = ev.structure;
  const allows = terms && withinLevels(ev.structure, terms.levels, running) && held.rebuys < terms.most;
  return held.rebuyUntil !== null || (!!held.falls && allows);
}

/**
 * By entry: the amounts due beside a part of the pool, the bounties of the remaining players, and the part of the
 * prizes that goes to no place: to the giver of a substitute, or as a disqualified player's to the remaining players
 * (2.3, 4.9).
 */
function partsBeside(ev, then, left, table) {
  const isLeft = new Set(left.map(({ no }) => no)), refunds = new Map(), ranks = ranksAt(ev, then, isLeft);
  const isPaid = no => !!ranks[no] && ranks[no][0] <= table.prizes.length;
  const bounties = bountiesAt(ev, then, isPaid);
  let elsewhere = 0, forfeit = 0;
  for (const no of Object.keys(ranks).map(Number).filter(isPaid)) {
    if (then.get(no).fromPool) continue;
    const [{ seat, cash }] = tiedPrize(table, seatValue(ev.structure), ...ranks[no]);
    const prize = cash + (seat ? seatValue(ev.structure) : 0);
    if (isBarred(ev, no)) forfeit += prize;
    if (isBarred(ev, no) || takesSubstitute(ev, no, ranks[no])) elsewhere += prize;
    else refundOf(refunds, no).prize = prize;
  }
  for (const [no, total] of bounties) {
    if (isLeft.has(no) || !total) continue;
    if (isBarred(ev, no)) forfeit += total; else refundOf(refunds, no).total = total;
  }
  const shares = splitEqually(forfeit, left.length);
  left.forEach(({ no }, i) => bounties.set(no, bounties.get(no) + shares[i]));
  addBought(ev, then, refunds);
  return { refunds, bounties, elsewhere };
}

/** The places of all players who were out at the instant, of those without chips, and of those disqualified since. */
function ranksAt(ev, then, isLeft) {
  // Each player's last entry counts: an entry before a re-entry takes no place.
  const last = new Map();
  for (const { no, player } of then.values()) last.set(player, no);
  const outs = [...last.values()].filter(no => !isLeft.has(no)).map(no => {
    const { falls } = then.get(no);
    return falls ? { ...falls, entry_no: no } : ev.entries.get(no).out;
  });
  const known = outs.filter(out => out).sort((a, b) => a.table - b.table || a.entry_no - b.entry_no);
  return eliminationRanks(isLeft.size, known);
}

/** Head and won total of each entry at the instant, after the heads of players without chips were won. */
function bountiesAt(ev, then, isPaid) {
  const standing = new Map(), due = new Map();
  for (const { no, head, total } of then.values()) standing.set(no, { head, total });
  const falling = [...then.values()].filter(({ falls }) => falls);
  falling.sort(({ falls: a, no: one }, { falls: b, no: other }) =>
    a.hand - b.hand || a.stack - b.stack || b.distance - a.distance || other - one);
  for (const { no, falls: { winners } } of falling) {
    // A head that cannot be won stays with its entry.
    if (!winners.length || !winners.every(winner => winner !== no && standing.has(winner))) continue;
    if (isPaid(no)) due.set(no, standing.get(no).total);
    bountyParts(standing, no, winners, ev.structure.bounty_onto_head, isPaid(no));
  }
  for (const [no, { head, total }] of standing) due.set(no, head + total);
  return due;
}

/** Purchases after the instant come back in full; payments received since are owed. */
function addBought(ev, then, refunds) {
  for (const entry of ev.entries.values()) {
    const was = then.get(entry.no);
    const bought = was
      ? { pool: entry.toPool - was.toPool, fees: entry.fees - was.fees, bounty: 0 }
      : wholeEntry(ev, entry);
    const dollars = was ? 0 : notCash(entry);
    if (boughtSum({ bought })) Object.assign(refundOf(refunds, entry.no), { bought, dollars });
    const owed = entry.received - (was ? was.received : 0);
    // A seller's winnings are still in escrow; any other player owes by their last entry, whichever entry won them.
    const own = ev.entrants.get(entry.player).entries;
    if (owed) refundOf(refunds, entry.stakes.length ? entry.no : own[own.length - 1]).owed += owed;
  }
}

/** A refund in the forms of the entry's payment: `cash` of a seller goes to the escrow, `own` does not (4.6, 5). */
function refundForms({ structure: { entry: terms }, refundCase }, entry, refund) {
  const bought = boughtSum(refund) - refund.dollars;
  if (refundCase === 1) {
    const [cash, own] = refund.dollars ? [0, bought] : [bought, 0];
    return { cash, own, fee: 0, dollars: refund.dollars };
  }
  const fee = Math.min(Math.max(0, notCash(entry) - terms.buy_in), terms.fee, refund.fee);
  const cash = refund.fee - fee + refund.bounty + refund.pool + refund.prize + refund.total;
  return { cash, own: bought, fee, dollars: fee + refund.dollars };
}

/** The entry with whose escrow an entry's refund is divided, and the amount that goes there, or null. */
function refundEscrow(ev, { player, stakes }, { owed }, { cash }) {
  const seller = ev.entries.get(ev.entrants.get(player).entries[0]);
  if (!seller.stakes.length) return null;
  // Payments to the seller's own entry are in escrow; payments to a re-entry were the player's.
  return { seller, amount: cash - (stakes.length ? owed : Math.min(owed, cash)) };
}

/** Whether the escrow of an entry goes back to the buyers of its stakes (5). */
const givesEscrowBack = (ev, entry) => ev.refundCase === 1 && notCash(entry) > 0;

// --- The entries ------------------------------------------------------------------------------------

Object.assign(EVENT_FOLDS, {
  cancelled(ev, { case: kind, instant, cause }) {
    ev.refunds = settlementOf(ev, instant, cause).refunds;
    Object.assign(ev, { stage: 'cancelled', refundCase: kind, handForHand: null, waiting: new Set() });
    // No input is awaited any more.
    ev.clock.nextChange = null;
    Object.assign(ev.draws, { open: null, frozen: null });
    // A request that was not carried out counts as never made.
    ev.noted = new Map();
    noDealTalk(ev);
    ev.journal = newJournal();
    for (const awaited of [ev.toSettle, ev.rebuying, ev.unpaid, ev.won]) awaited.clear();
  },

  refunded(ev, { entry_no: no }) {
    const [, refund] = ev.refunds.shift(), entry = ev.entries.get(no);
    const forms = refundForms(ev, entry, refund), escrow = refundEscrow(ev, entry, refund, forms);
    if (!escrow) return;
    escrow.seller.earned += escrow.amount;
    escrow.seller.dollarsEarned += forms.fee;
  },
});

extendHouse({
  event_cancel({ cause, instant, reason }) { this.cancelEvent(cause, instant, reason); },

  cancelEvent(cause, instant, reason) {
    const { event: ev } = this;
    need(['registering', 'running'].includes(ev.stage) && !isEventOver(ev), 'nothing_to_do');
    this.needCause(cause, instant, reason);
    const [first, last] = refundInstants(ev, this.time);
    need(instant >= first && instant <= last, 'instant_out_of_range', `${first} to ${last}`);
    const { out, pool, needed } = settlementOf(ev, instant, cause);
    this.sayEvent('cancelled', {
      cause, instant,
      case: out.case,
      method: ev.structure.refund_method,
      remaining: out.payments.length,
      pool,
      chips: out.chips,
      residual: out.residual,
    });
    const more = needed.pool - this.accounts.get(this.ofPool());
    const bounties = needed.bounties - this.accounts.get(this.ofBounties());
    this.postSummed(['house', -more - bounties], [this.ofPool(), more], [this.ofBounties(), bounties]);
  },

  /** Who cancels, and why: the operator with a reason; the house after a long crash, or with too few players. */
  needCause(cause, instant, reason) {
    const { event: ev } = this, { stands } = ev.clock;
    if (this.by === 'operator') {
      need(reason !== undefined, 'malformed');
      need(cause === 'operator', 'nothing_to_do');
      return;
    }
    this.only('house');
    need(cause !== 'operator', 'not_allowed');
    need(reason === undefined, 'malformed');
    if (ev.stage === 'running') {
      need(cause === 'crash' && isCrashOver(ev, this.time), 'nothing_to_do');
      need(instant === stands[0], 'malformed');
      return;
    }
    const tooFew = this.time >= ev.startsAt && ev.players < ev.structure.entry.players_min;
    need(cause === 'crash' ? this.isStartMissed(ev) : tooFew, 'nothing_to_do');
  },

  /** The dealer was down at the event's start, and for too long since (1.2). */
  isStartMissed(ev) {
    return this.startedAt >= ev.startsAt && this.time >= ev.startsAt + ev.structure.cancel_after_ms;
  },

  event_pay_refunds() {
    const { event: ev } = this, lines = [], moved = new Map();
    this.isDuty('pay_refunds');
    for (const [no, refund] of ev.refunds.slice(0, MOST_REFUNDED))
      lines.push(...this.payRefund(ev.entries.get(no), refund, moved));
    this.postSummed(...lines);
  },

  /**
   * One refund, minus the amounts taken back: from its cash, then its T$, then the balance; `moved` are the balances'.
   */
  payRefund(entry, refund, moved) {
    const { event: ev } = this, { no, player, stakes } = entry, { bought, fee, bounty, pool, prize, total } = refund;
    const forms = refundForms(ev, entry, refund), escrow = refundEscrow(ev, entry, refund, forms);
    let cash = forms.own + (escrow ? 0 : forms.cash), { dollars } = forms, taken = refund.owed;
    this.tell(player);
    if (!stakes.length) {
      const ofEscrow = escrow ? Math.min(refund.owed, forms.cash) : 0, owed = refund.owed - ofEscrow;
      const ofDollars = Math.min(Math.max(0, owed - cash), dollars);
      const has = this.balance(player) + (moved.get(player) || 0) + cash;
      const ofCash = Math.min(owed - ofDollars, has);
      taken = ofEscrow + ofDollars + ofCash;
      cash -= ofCash;
      dollars -= ofDollars;
    }
    moved.set(player, (moved.get(player) || 0) + cash);
    const whole = ev.refundCase === 1, sums = boughtSum(refund);
    this.sayEvent('refunded', {
      entry_no: no, fee: whole ? sums : fee, bounty, pool,
      ...unlessZero('due', prize + total), ...unlessZero('bought', whole ? 0 : sums), ...unlessZero('taken', taken),
    });
    return [
      [this.ofPool(), -(pool + prize + bought.pool)],
      [this.ofFees(), -(fee + bought.fees)],
      [this.ofBounties(), -(bounty + total + bought.bounty)],
      [`player:${player}`, cash],
      [this.ofStakes(), escrow ? escrow.amount : 0],
      [`tdollars:${player}`, dollars],
      ['house', taken],
    ];
  },
});

// A house that continues from a published state: spec/state.md, "Published"; spec/audit.md, "From a state".

const MOST_STATE = 1 << 30;

const isLevel = text => typeof text === 'string' && /^[1-9][0-9]*(\/[1-9][0-9]*){1,2}$/.test(text);
const tupleOf = (...forms) => value =>
  isList(value) && value.length === forms.length && forms.every((form, i) => form(value[i]));

const isPositive = whole(1, MAX_AMOUNT);

const isLimit = fieldsOf({
  of: isLimitOf,
  per: isLimitPer,
  most: isAmount,
  count: isSigned,
  until: isCount,
  'waiting?': fieldsOf({ 'most?': isAmount, from: isCount }),
});
const isShoeInUse = fieldsOf({
  shoe_no: isCount,
  composition: text => readComposition(text) !== null,
  epoch: isHash,
  candidates: listOf(isCommitment),
  drawn: listOf(isSlot),
  'bettors?': listOf(isName),
  last_hand: isBool,
  shuffle_asked: isBool,
  from_seq: isCount,
  bytes: isCount,
  since: isCount,
  rounds: isCount,
  'last_round_at?': isCount,
});
const isVoided = fieldsOf({
  round_no: isCount,
  time: isCount,
  epoch: isHash,
  missing: listOf(fieldsOf({ player: isName, commitment: isHash, out: isBool })),
});
const isStanding = fieldsOf({
  rules: isHash,
  'idle_ms?': isCount,
  next_seq: isCount,
  next_shoe: isCount,
  epoch: isHash,
  'down_since?': isCount,
  noted: fieldsOf(EVENTS.table_noted),
  'untidy?': listOf(tupleOf(isSeat, isBool, isBool, isAmount), 1),
  'shoe?': isShoeInUse,
  'voided?': listOf(isVoided, 1),
  due: tupleOf(isCount, isCount),
  'since?': listOf(isCount, 1),
});

/** The parts of a state by the kind of their key. */
const STATE_PARTS = {
  log: fieldsOf({
    origin: isOrigin,
    epoch: isHash,
    master_id: isHash,
    time: isCount,
    started: isCount,
    'ready?': isCount,
    'noted?': isCount,
    'continues?': fieldsOf({ origin: isOrigin, key: isHash, size: isCount, root: isRoot, new_key: isHash }),
    'ended?': fieldsOf({ origin: isOrigin, key: isHash }),
    cage: isSigned,
    house: isSigned,
    rake: isSigned,
    'tickets?': isPositive,
    'rounding_residual?': isPositive,
    'play?': amount => isSigned(amount) && amount !== 0,
    'admitted?': isPositive,
    'wallet?': amount => isSigned(amount) && amount !== 0,
    'operations?': isPositive,
  }),
  player: fieldsOf({
    balance: isAmount,
    't_dollars?': isPositive,
    'idle_since?': isCount,
    'key?': isHash,
    'waiting?': fieldsOf({ 'key?': isHash, from: isCount }),
    'nonce?': isCount,
    'limits?': listOf(isLimit, 1),
    'played?': isCount,
    'excluded?': isCount,
    'offences?': listOf(isCount, 1),
    'until?': isCount,
    'refunds?': listOf(isCount, 1),
    'early?': listOf(tupleOf(isLevel, listOf(isCount), isCount), 1),
  }),
  known: fieldsOf({
    'policy?': isPlainText,
    'balance?': amount => isSigned(amount) && amount !== 0,
    'sent?': isPositive,
    'claimed?': listOf(tupleOf(isCount, isCount), 1),
  }),
  wallet: fieldsOf({ call: isCall, player: isName, amount: isPositive }),
  rules: rules => whyNoRuleSet(rules) === null,
  table: fieldsOf({
    'event?': isName,
    'owner?': isName,
    'replaced_by?': isName,
    'sealed?': listOf(tupleOf(isHash, isCount, isCount), 1),
    'changes?': listOf(tupleOf(isName, isCount, whole(0, 2 ** 32 - 1)), 1),
    'stands?': isStanding,
  }),
};

/** Whether a text is a number in its one spelling. */
const isNumber = text => /^(0|[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(Number(text));

/** Whether a key of this kind names a valid item: a name, or one followed by an entry's number or a player's name. */
function isKeyOf(kind, name) {
  const [, event, one] = /^(.*)\/([^/]*)$/.exec(name) || [];
  if (kind === 'entry') return isName(event) && isNumber(one);
  if (kind === 'entrant') return isName(event) && isName(one);
  if (kind === 'known') return isOrigin(name);
  if (kind === 'wallet') return isNumber(name);
  return kind === 'log' || kind === 'rules' || isName(name);
}

/** The lines of a state, each in its one form, ascending: `{lines, parts}`, of parts `[kind, name, part]`. */
function readStateLines(bytes) {
  if (bytes.length > MOST_STATE) fault('it is longer than 1 GiB');
  const text = strictText(bytes, 'the state');
  if (!text.endsWith('\n')) fault('it does not end with a line');
  const lines = text.slice(0, -1).split('\n'), parts = [];
  let last = null;
  lines.forEach((line, at) => {
    const wrong = why => fault(`line ${at} of the state: ${why}`);
    let pair;
    if (!nestedWithin(line, 32)) wrong('it is nested too deeply');
    try { pair = JSON.parse(line); } catch (error) { wrong(error.message); }
    if (!tupleOf(key => typeof key === 'string', value => isObject(value) || isList(value))(pair))
      wrong('it is no key with its part');
    const [key, part] = pair, kind = key.split(':', 1)[0], name = key.slice(kind.length + 1);
    if (last !== null && compareText(last, key) >= 0) wrong(`${key} does not come after the line before it`);
    if (!Object.hasOwn(STATE_PARTS, kind) || (kind === 'log') !== (key === 'log'))
      wrong(`${key} is the key of no part`);
    if (!isKeyOf(kind, name)) wrong(`${key} is the key of no part`);
    if (JSON.stringify(pair) !== line || !STATE_PARTS[kind](part)) wrong('it is not in canonical form');
    if (kind === 'rules' && rulesDigest(part) !== name) wrong(`the rule set has the digest ${rulesDigest(part)}`);
    last = key;
    parts.push([kind, name, part]);
  });
  return { lines, parts };
}

const rootOfLines = lines => hex(treeRoot(lines.map(line => leafHash(utf8(line)))));

/**
 * One table alone, for its entries since it rested. They are decided again on the table like a bundle's. Keys, and
 * facts from seeds about their shoes, are unknown here.
 */
class LoneTable extends House {
  constructor(house, table, epoch) {
    super(true);
    Object.assign(this, { duesKnown: true, entered: true, time: table.lastTime, start: { ...house.start, epoch } });
    this.tables.set(table.name, table);
    this.usedTables = new Map([[table.name, { owner: table.owner, replacedBy: null, sealed: [] }]]);
    this.accounts.set(`table:${table.name}`, 0);
    // At a tournament's table the chips are no money.
    for (const { seat, stack } of table.cash.values())
      this.accounts.set(this.seatAccount(table, seat), table.event ? 0 : stack);
  }

  checkSignature() {}
  checkOverdue() {}
  onlyOnce() {}
  openCandidate() {}
  checkRevealed() {}
  noteFace() {}
}

extendHouse({
  takeLog({ origin, epoch, master_id, time, started, ready = 0, noted = 0, cage, house, rake, ...more }) {
    Object.assign(this, { start: { origin, master_id, epoch }, time, startedAt: started, ready, noted });
    Object.assign(this, { continues: more.continues, ended: more.ended || null });
    const { tickets = 0, rounding_residual: residual = 0, play = 0, admitted = 0, wallet, operations = 0 } = more;
    this.accounts = new Map([['cage', cage], ['house', house], ['rake', rake], ['tickets', tickets]]);
    this.accounts.set('rounding_residual', residual);
    this.accounts.set('play', play);
    this.admitted = admitted;
    if (wallet !== undefined) this.accounts.set(WALLET, wallet);
    if (wallet && !operations) fault('the wallet\'s account moved, and nothing was ever asked of the wallet');
    this.wallet.count = operations;
    this.epochs.add(epoch);
  },

  takePlayer(player, part) {
    const { balance, t_dollars: dollars = 0, key, waiting, nonce, until } = part;
    const { offences = [], refunds = [], early = [], idle_since: idle } = part;
    const number = player.slice(6), came = String(Number(number)) === number && Number(number) < this.admitted;
    if (isGuest(player) ? !(came && idle <= this.time) : idle !== undefined)
      fault(`${player} is said to be a guest, and cannot be`);
    if (idle !== undefined) this.idleSince.set(player, idle);
    for (const one of [key, waiting && waiting.key]) {
      if (one !== undefined && !ed25519.usable(unhex(one, 32))) fault(`the key of ${player} is none that can sign`);
    }
    this.players.add(player);
    this.accounts.set(`player:${player}`, balance);
    if (dollars) this.accounts.set(`tdollars:${player}`, dollars);
    if (key !== undefined) this.keys.set(player, key);
    if (waiting) this.waitingKeys.set(player, waiting);
    if (nonce) this.nonces.set(player, nonce);
    this.takeLimits(player, part);
    if (offences.length) this.offences.set(player, offences);
    if (until !== undefined) this.until.set(player, until);
    if (refunds.length) this.refunds.set(player, refunds);
    for (const [level, times, end] of early) {
      this.refusals.set(`${player} ${level}`, times);
      this.blocks.set(`${player} ${level}`, end);
    }
  },

  /**
   * Takes a table in; `entryAt` gives the text of an entry before the state. Returns its entries since it rested.
   */
  takeTable(name, part, rules, entryAt) {
    const { event = null, owner = null, replaced_by: replacedBy = null, sealed = [], changes = [], stands } = part;
    this.useTable(name, { owner, replacedBy, sealed });
    if (!stands) {
      if (replacedBy === null) this.closedTables.set(name, owner);
      return [];
    }
    if (!rules.has(stands.rules)) fault(`the rule set of table ${name} is missing`);
    const table = this.tableAtRest(name, { owner, event }, rules.get(stands.rules), stands), { since = [] } = stands;
    const alone = new LoneTable(this, table, stands.epoch), had = [];
    alone.takeDue(table, stands.due);
    if (since.length) {
      table.rest = { ...alone.standsAtRest(table), since };
      for (const index of since) had.push(this.foldAlone(alone, table, index, entryAt));
    }
    for (const [account, balance] of alone.accounts) {
      if (account === `table:${name}` || account.startsWith('seat:')) this.accounts.set(account, balance);
    }
    table.changes = new Map(changes.map(([player, begun, count]) => [player, { since: begun, count }]));
    // Claims about these shoes before the state are unknown to a verifier that begins with it.
    for (const shoe of this.shoesOf(table)) {
      Object.assign(shoe, { unread: true, peeks: [] });
      this.epochs.add(shoe.epoch);
    }
    this.tables.set(name, table);
    return had;
  },

  foldAlone(alone, table, index, entryAt) {
    const wrong = why => fault(`entry ${index}, which table ${table.name} is said to have had since it rested: ${why}`);
    if (index >= this.size) wrong('it does not come before the state');
    try {
      const entry = readEntry(entryAt(index));
      if (!entry.command.start_dealer && (!entry.at || entry.at.table !== table.name)) wrong("it is not the table's");
      alone.judge(entry, index);
      return entry;
    } catch (error) {
      if (!(error instanceof Unsound) || !error.check) throw error;
      return wrong(`${error.message} [${error.check}]`);
    }
  },

  tableAtRest(name, { owner, event }, rules, { idle_ms: idleMs, next_seq: seq, next_shoe: nextShoe, ...stands }) {
    const { down_since: downSince = null, noted, untidy = [], shoe, voided = [] } = stands;
    const table = this.newTable(name, rules, owner, idleMs);
    Object.assign(table, { event, seq, nextShoe, recovering: downSince !== null, downSince });
    const { seats } = noted.cash || noted.betting || { seats: [] };
    if (!seats.every(({ seat }) => seat >= 1 && seat <= rules.table.seats)) fault(`table ${name} has no such seat`);
    if (!this.isPause(rules, noted)) fault(`table ${name} pauses as its rule set does not say`);
    this.putNoted(table, noted);
    for (const [seat, leaving, unseated, topUp] of untidy) {
      if (!table.cash.has(seat)) fault(`an untidy seat of table ${name} is not taken`);
      Object.assign(table.cash.get(seat), { leaving, unseated, topUp });
    }
    table.voids = voided.map(({ round_no: no, time, epoch, missing }) => ({
      no,
      time,
      epoch,
      shoe: { epoch },
      commitments: new Map(missing.map(({ player, commitment }) => [player, commitment])),
      out: new Set(missing.filter(({ out }) => out).map(({ player }) => player)),
    }));
    if (shoe) this.putShoe(table, shoe);
    return table;
  },

  putShoe(
    table,
    { shoe_no: no, composition: text, epoch, candidates, drawn, bettors, last_hand, shuffle_asked, ...use },
  ) {
    const composition = readComposition(text),
      undrawn = new Set(Array.from({ length: composition.slots }, (_, i) => i));
    drawn.forEach(slot => undrawn.delete(slot));
    const betting = !isCash(table), count = gameOf(table.rules).candidates || 1;
    if (candidates.length !== count) fault(`shoe ${no} of table ${table.name} has not ${count} candidate(s)`);
    table.shuffleAsked = betting && shuffle_asked;
    table.shoe = {
      no,
      composition,
      epoch,
      candidates,
      root: candidates[0].root,
      undrawn,
      bettors: betting && bettors ? new Set(bettors) : null,
      lastHand: betting && last_hand,
      faces: new Map(),
      peeks: [],
      rounds: use.rounds,
      since: use.since,
      lastEnd: use.last_round_at ?? null,
      seq: use.from_seq,
      bytes: use.bytes,
    };
  },

  /** The shoes in use at a table: a game's piles, and the one that is dealt from next. */
  shoesOf: ({ live, shoe }) => [...new Set([...(live ? live.piles : []), ...(shoe ? [shoe] : [])])],

  /** The time since which a resting table's duty is due. Whether there is one follows from its state. */
  takeDue(table, [since, deadlineSince]) {
    const { recovering, lastTime } = table, deadline = this.deadlinesOf(table).sort((a, b) => a.at - b.at)[0];
    // A start of the dealer does not change earlier due times.
    table.recovering = false;
    const inOrder = this.dutyInOrder(table), duty = this.dutyOf(table);
    table.recovering = recovering;
    table.due = {
      duty: since && inOrder ? { command: inOrder, since } : null,
      deadline: deadlineSince && deadline ? { ...deadline, since: deadlineSince } : undefined,
    };
    if (recovering) return;
    const first = deadline ? deadline.at : 0, last = deadline ? Math.max(deadline.at, lastTime) : 0;
    const fits = !!duty === since > 0 && since <= lastTime && first <= deadlineSince && deadlineSince <= last;
    if (!fits) fault(`what is due at table ${table.name}, or since when, is not what follows from how it stands`);
  },

  /**
   * A log ends with all tables in order and no round in play, for another log whose key can sign: another state is not
   * that of an ended log.
   */
  checkEnded() {
    if (!this.ended) return;
    const { origin, key } = this.ended, recovering = [...this.tables.values()].some(table => table.recovering);
    if (origin === this.start.origin || !ed25519.usable(unhex(key, 32)) || recovering || this.whatIsInPlay())
      fault('the log is said to have ended, and cannot have ended so');
  },

  /** Whether the time from which the house can be late is valid. */
  checkReady(ready) {
    const recovering = [...this.tables.values()].some(table => table.recovering);
    const fits = ready === undefined ? recovering : !recovering && ready >= this.startedAt && ready <= this.time;
    if (!fits) fault('the time from which on the house is ready is left out, or cannot be');
  },
});

/**
 * The house after `size` entries with these lines, its root, and its tables' entries since they rested.
 */
function houseOfState(size, bytes, entryAt) {
  const { lines, parts } = readStateLines(bytes), house = new House(false), root = rootOfLines(lines);
  const of = kind => parts.filter(([other]) => other === kind);
  const [[, , log] = fault('the state has no part `log`')] = of('log'), had = [];
  Object.assign(house, { size, lastRoot: size % STATE_INTERVAL ? null : root });
  house.takeLog(log);
  for (const [, player, part] of of('player')) house.takePlayer(player, part);
  for (const [, origin, part] of of('known')) house.takeKnown(origin, part);
  for (const [, no, part] of of('wallet')) house.takeOperation(Number(no), part);
  const rules = new Map(of('rules').map(([, digest, part]) => [digest, part]));
  for (const [, event, holders] of of('tickets')) house.tickets.set(event, new Map(holders));
  const ofEvent = (kind, event) => of(kind).map(([, key, part]) => [...key.split('/'), part])
    .filter(([name]) => name === event).map(([, one, part]) => [one, part]);
  for (const [, event, part] of of('event'))
    house.takeEvent(
      event,
      part,
      ofEvent('entry', event).map(([no, one]) => [Number(no), one]),
      ofEvent('entrant', event),
    );
  const lost = parts.find(([kind, key]) => ['entry', 'entrant'].includes(kind) && !house.events.has(key.split('/')[0]));
  if (lost) fault(`there is no tournament of ${lost[1]}`);
  for (const [, name, part] of of('table')) had.push(...house.takeTable(name, part, rules, entryAt));
  house.checkEventTables();
  house.checkReady(log.ready);
  house.checkEnded();
  // One state has one text: a part that is missing, repeated or out of order makes it invalid.
  if (playTotal(house.accounts) !== 0n) fault('its play chips do not sum to zero');
  if (house.stateRoot() !== root) fault('the state that these lines make is written otherwise');
  return { house, root, had };
}

/** The checks that an audit from a state omits. */
const FROM_NOT_CHECKED = [
  'the entries before the state: balances, seats, keys, offences and all else in it are taken as given',
  'what was shown before of the shoes that were in use: their seeds are held against what was shown since',
  'rounds that were void before: how default play would have finished them',
  'whether an epoch, a root or a seed of these entries was used before',
  'whether the accounts add up from the log\'s beginning: that they do since is checked',
];

/** The first entry that names the state of that size, `{index, root}`. */
function namedState(lines, size) {
  for (let index = size; index < Math.min(lines.length, size + STATE_INTERVAL); index++) {
    const line = lines[index];
    if (!line.includes('"note_state"')) continue;
    let entry = null;
    try { entry = readEntry(line); } catch (error) { if (!(error instanceof Unsound)) throw error; }
    const named = entry && entry.command.note_state;
    if (named && named.size === size) return { index, root: named.root };
  }
  return null;
}

/** The start of an audit that takes the state of `size` entries as given: its lines are those that the log names. */
function beginGiven(log, { size, bytes }) {
  const { length } = log.lines,
    entryAt = index => (log.lines[index] === undefined ? log.before(index) : log.lines[index]);
  if (size === 0 || size >= length)
    throw new Unusable(`the log has ${length} entries: there is none after a state of ${size}`);
  const refused = why => new Unusable(`the state of ${size} entries is not what this log names: ${why}`);
  let begun;
  try {
    begun = houseOfState(size, bytes, entryAt);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    throw refused(error.message);
  }
  const named = namedState(log.lines, size), { house, root, had } = begun, tables = [...house.tables.values()];
  if (!named) throw new Unusable(`the log names no state of ${size} entries`);
  if (named.root !== root) throw refused(`it has the root ${root}, entry ${named.index} names ${named.root}`);
  for (const index of [named.index, ...tables.flatMap(({ rest }) => (rest ? rest.since : []))]) {
    const leaf = log.servedLeaf ? log.servedLeaf(index) : log.leaves[index];
    if (!sameBytes(leafHash(utf8(entryAt(index))), leaf))
      throw refused(`entry ${index} was served otherwise than it is on the log`);
  }
  const count = list => list.reduce((total, { length }) => total + length, 0);
  const given = {
    size,
    root,
    time: house.time,
    players: house.players.size,
    tables: tables.length,
    rounds: tables.filter(({ live }) => live).length,
    shoes: count(tables.map(table => house.shoesOf(table))),
    voids: count(tables.map(({ voids }) => voids)),
    cage: house.accounts.get('cage'),
    named_in: named.index,
    not_checked: FROM_NOT_CHECKED,
  };
  return { house, had, given };
}

const givenWords = ({ size, time, named_in: index, root, players, tables, rounds, shoes, voids, not_checked: not }) => [
  `Given: the state after ${size} entries, at ${clock(time)}, as entry ${index} names it, root ${root}: ` +
    `${players} players, ${tables} open tables, ${rounds} rounds in play, ${shoes} shoes in use, ${voids} void ` +
      'rounds awaiting seeds.',
  ...not.map(what => `Not checked: ${what}.`),
];

// A tournament in the state's lines, written and read: spec/state.md, "Tournaments".

const isU8 = whole(0, 255), isU16 = isSlot;
const numbered = (key, form) => value =>
  isObject(value) && Object.entries(value).every(([number, one]) => key(Number(number)) && form(one));
const keyUpTo = most => number => Number.isInteger(number) && number >= 0 && number <= most;
const orNull = form => value => value === null || form(value);
const someOf = (name, value) => (value === null || value === undefined ? {} : { [name]: value });
const entryNos = listOf(isEntryNo), tableNos = listOf(isU16);
const stoodSince = tupleOf(isCount, isStand);
const isBounty = fieldsOf({ head: isCount, won: isCount });
const isFall = fieldsOf({ hand: isCount, table: isU16, stack: isCount, distance: isU8, winners: entryNos });
const isOut = fieldsOf({ entry_no: isEntryNo, hand: isCount, table: isU16, stack: isCount, distance: isU8 });
const isBought = fieldsOf({ pool: isCount, fees: isCount, bounty: isCount });
const isThen = fieldsOf({
  in_play: isBool, chips: isCount, bounty: isBounty, to_pool: isCount, fees: isCount, rebuys: isU8, is_rebuying: isBool,
  'falls?': isFall,
  from_pool: isCount,
  received: isCount,
});
const isNote = value =>
  value === 'rebuy' || value === 'add_on' || fieldsOf({ disqualification: isLabel })(value);
const isOpenDraw = fieldsOf({
  kind: isDrawKind, 'table?': isU16, entrants: entryNos, seeds: numbered(keyUpTo(MAX_AMOUNT), isHash),
  reveal_by: isCount,
  awaited: entryNos,
  committed_at: isCount,
});

Object.assign(STATE_PARTS, {
  event: fieldsOf({
    context: fieldsOf({ origin: isOrigin, table: isName, epoch: isHash }),
    terms: fieldsOf({ structure: isStructure, digest: isWords, rules: isObject, table_rules: isObject }),
    level_rules: isObject,
    next_seq: isCount,
    last_used: isCount,
    stage: oneOf('registering', 'running', 'cancelled', 'ended'),
    starts_at: isCount,
    'earlier_starts?': listOf(isCount),
    registration_from: isCount,
    late_levels: isU16,
    least_late_levels: isU16,
    'unregister_ms?': isCount,
    next_entry: isCount,
    sold: fieldsOf({ entries: isCount, with_bounty: isCount, rebuys: isCount, add_ons: isCount }),
    players: isCount,
    remaining: isCount,
    waiting: entryNos,
    clock: fieldsOf({
      started: isCount, stops: listOf(tupleOf(isCount, isCount)), 'stands?': stoodSince, level: isU16, in_break: isBool,
      'next_change?': isCount,
    }),
    'itm?': isBool,
    'itm_at?': isCount,
    'registration_ended?': oneOf('schedule', 'full', 'itm'),
    'pool?': isCount,
    draws: fieldsOf({
      next: isU16, link: isHash, running: isHash, 'open?': isOpenDraw, had_final: isBool,
      'frozen?': tupleOf(isDrawKind, orNull(isU16), isHash, entryNos),
    }),
    field: tupleOf(isU8, isU16, numbered(
      keyUpTo(65535),
      tupleOf(numbered(keyUpTo(255), isEntryNo), isU8, orNull(isU8)),
    )),
    tables: fieldsOf({
      open: tableNos, idle: listOf(tupleOf(isCount, isU16)), dirty: tableNos, unrecovered: tableNos,
      calls: numbered(keyUpTo(65535), fieldsOf({
        'idle_since?': isCount, last: isCount, opened: isCount, 'unseeded?': isNotZero,
        'before?': tupleOf(isU8, orNull(isU8)),
      })),
      called: isCount,
    }),
    hands: isCount,
    to_settle: numbered(keyUpTo(65535), entryNos),
    rebuying: listOf(tupleOf(isCount, isEntryNo)),
    noted: numbered(keyUpTo(MAX_AMOUNT), isNote),
    'hand_for_hand?': fieldsOf({ round: isCount, hand: isCount, played: tableNos }),
    unranked: listOf(isOut),
    unpaid: listOf(tupleOf(isCount, isEntryNo)),
    won: entryNos,
    deal: fieldsOf({
      wanted: entryNos,
      'proposal?': fieldsOf({
        digest: isWords, amounts: listOf(tupleOf(isEntryNo, isCount)), accepted: entryNos, answer_by: isCount,
      }),
      'since?': isCount,
    }),
    money: fieldsOf({ pool: isSigned, fees: isSigned, bounties: isSigned, stakes: isSigned }),
    sellers: entryNos,
    deal_made: isBool,
    residual: isCount,
    substitutes: numbered(keyUpTo(MAX_AMOUNT), fieldsOf({ what: isLabel, value: isCount, accepted: entryNos })),
    refunds: numbered(keyUpTo(MAX_AMOUNT), fieldsOf({
      fee: isCount, bounty: isCount, pool: isCount, prize: isCount, total: isCount, bought: isBought,
      in_t_dollars: isCount,
      owed: isCount,
    })),
    'refund_case?': whole(1, 4),
    journal: fieldsOf({ changes: listOf(tupleOf(isCount, isEntryNo, orNull(isThen))) }),
    dues: fieldsOf({ 'duty?': tupleOf(isObject, isCount), 'deadline?': tupleOf(isCount, isCount) }),
  }),
  entry: fieldsOf({
    player: isName,
    at: value =>
      ['waiting', 'out', 'disqualified'].includes(value) || fieldsOf({ seated: tupleOf(isU16, isU8) })(value),
    chips: isCount,
    bounty: isBounty,
    paid_by: fieldsOf({ cash: isCount, t_dollars: isCount, ticket: isCount }),
    to_pool: isCount, fees: isCount, re_entry: isBool, non_unregisterable: isBool, rebuys: isU8, added_on: isBool,
    'rebuy_until?': isCount,
    'falls?': isFall,
    bank_ms: isCount,
    'cut_off?': isCutOff,
    'commitment?': tupleOf(isHash, isU16, isCount),
    offered: isCount,
    stakes: listOf(fieldsOf({ buyer: isName, stake: fieldsOf({ basis_points: isCount, price: isCount }) })),
    won: isCount, t_dollars_won: isCount, received: isCount, from_pool: isCount,
    'out?': isOut,
    'rank?': tupleOf(isCount, isCount),
    is_paid: isBool,
  }),
  entrant: fieldsOf({
    entries: entryNos, registered: isU16, uses: isU16, 'has_bounty?': isBool, is_barred: isBool,
  }),
  tickets: listOf(tupleOf(isName, isBool), 1),
});

// --- Written ----------------------------------------------------------------------------------------

/** An entry's holdings, as far as a refund needs them. */
const thenPart = entry => ({
  in_play: inPlay(entry),
  chips: entry.chips,
  bounty: { head: entry.head, won: entry.total },
  to_pool: entry.toPool,
  fees: entry.fees,
  rebuys: entry.rebuys,
  is_rebuying: entry.rebuyUntil !== null,
  ...someOf('falls', entry.falls),
  from_pool: entry.fromPool,
  received: entry.received,
});

const entryPart = entry => ({
  player: entry.player,
  at: isList(entry.at) ? { seated: entry.at } : entry.at,
  chips: entry.chips,
  bounty: { head: entry.head, won: entry.total },
  paid_by: entry.paidBy,
  to_pool: entry.toPool,
  fees: entry.fees,
  re_entry: entry.again,
  non_unregisterable: entry.bound,
  rebuys: entry.rebuys,
  added_on: entry.addedOn,
  ...someOf('rebuy_until', entry.rebuyUntil),
  ...someOf('falls', entry.falls),
  bank_ms: entry.bank,
  ...someOf('cut_off', entry.cutOff),
  ...(entry.commitment
    ? { commitment: [entry.commitment.commitment, entry.commitment.use, entry.commitment.called] }
    : {}),
  offered: entry.offered,
  stakes: entry.stakes.map(({ buyer, basis_points, price }) => ({ buyer, stake: { basis_points, price } })),
  won: entry.earned,
  t_dollars_won: entry.dollarsEarned,
  received: entry.received,
  from_pool: entry.fromPool,
  ...someOf('out', entry.out),
  ...someOf('rank', entry.rank),
  is_paid: entry.isPaid,
});

const entrantPart = ({ entries, registered, uses, hasBounty, barred }) => ({
  entries, registered, uses, ...someOf('has_bounty', hasBounty), is_barred: barred,
});

/** A map with numbers as keys, ascending. */
const byNumber = (pairs, part) => Object.fromEntries([...pairs].sort(([a], [b]) => a - b).map(([key, one]) => [
  key, part(one),
]));
const same = value => value;

function openDrawPart({ kind, table, entrants, seeds, by, awaited, committedAt }) {
  return {
    kind, ...someOf('table', table), entrants: ascending(entrants), seeds: byNumber(seeds, same), reveal_by: by,
    awaited: ascending(awaited),
    committed_at: committedAt,
  };
}

function drawsPart({ next, link, running, open, hadFinal, frozen }) {
  return {
    next, link, running: hex(running), ...(open ? { open: openDrawPart(open) } : {}), had_final: hadFinal,
    ...(frozen ? { frozen: [frozen.kind, frozen.table, hex(frozen.running), ascending(frozen.entrants)] } : {}),
  };
}

function eventTablesPart({ open, dirty, unrecovered, calls, called }) {
  const idle = [...calls].filter(([, { idleSince }]) => idleSince !== null).map(([number, one]) => [
    one.idleSince, number,
  ]);
  return {
    open: ascending(open),
    idle: idle.sort(([since, a], [other, b]) => since - other || a - b),
    dirty: ascending(dirty),
    unrecovered: ascending(unrecovered),
    calls: byNumber(calls, ({ idleSince, last, opened, unseeded, before }) => ({
      ...someOf('idle_since', idleSince), last, opened, ...(unseeded ? { unseeded } : {}),
      ...(before ? { before: [before.last_big, before.first_button ?? null] } : {}),
    })),
    called,
  };
}

const refundPart = ({ fee, bounty, pool, prize, total, bought, dollars, owed }) =>
  ({ fee, bounty, pool, prize, total, bought, in_t_dollars: dollars, owed });

function dealPart({ wanted, proposal, since }) {
  const part = ({ digest, amounts, accepted, answerBy }) =>
    ({ digest, amounts, accepted: ascending(accepted), answer_by: answerBy });
  return {
    wanted: ascending(wanted), ...(proposal ? { proposal: part(proposal) } : {}), ...someOf('since', since),
  };
}

extendHouse({
  eventPart(ev) {
    const { structure, rules, clock, handForHand } = ev, balance = own => this.accounts.get(`${own}:${ev.name}`);
    const { duty, deadline } = ev.due;
    return {
      context: { origin: this.start.origin, table: ev.name, epoch: ev.epoch },
      terms: { structure, digest: structureDigest(structure), rules, table_rules: ev.tableRules },
      level_rules: eventTableRules(structure, rules, clock.level),
      next_seq: ev.seq,
      last_used: ev.lastUsed,
      stage: ev.stage,
      starts_at: ev.startsAt,
      ...(ev.earlierStarts.length ? { earlier_starts: ev.earlierStarts } : {}),
      registration_from: ev.registrationFrom,
      late_levels: ev.lateLevels,
      least_late_levels: ev.leastLateLevels,
      ...someOf('unregister_ms', ev.unregisterMs),
      next_entry: ev.nextEntry,
      sold: ev.sold,
      players: ev.players,
      remaining: ev.remaining,
      waiting: ascending(ev.waiting),
      clock: {
        started: clock.started, stops: clock.stops, ...someOf('stands', clock.stands), level: clock.level,
        in_break: clock.inBreak,
        ...someOf('next_change', clock.nextChange),
      },
      ...someOf('itm', ev.itm),
      ...someOf('itm_at', ev.itmAt),
      ...someOf('registration_ended', ev.registrationEnded),
      ...someOf('pool', ev.pool),
      draws: drawsPart(ev.draws),
      field: [
        ev.field.seats,
        ev.field.last_table,
        byNumber(ev.field.tables.map(one => [one.table, one]), ({ players, last_big, first_button }) =>
          [players, last_big, first_button ?? null]),
      ],
      tables: eventTablesPart(ev.tables),
      hands: ev.hands,
      to_settle: byNumber(ev.toSettle, same),
      rebuying: [...ev.rebuying].map(no => [ev.entries.get(no).rebuyUntil, no])
        .sort(([until, a], [other, b]) => until - other || a - b),
      noted: byNumber(ev.noted, ({ what, reason }) => (reason === undefined ? what : { disqualification: reason })),
      ...(handForHand
        ? { hand_for_hand: { round: handForHand.round, hand: handForHand.hand, played: ascending(handForHand.played) } }
        : {}),
      unranked: ev.unranked,
      unpaid: [...ev.unpaid].map(([no, place]) => [place, no]).sort(([a, one], [b, other]) => b - a || one - other),
      won: ascending(ev.won),
      deal: dealPart(ev.deal),
      money: { pool: balance('pool'), fees: balance('fees'), bounties: balance('bounties'), stakes: balance('stakes') },
      sellers: ascending(ev.sellers),
      deal_made: ev.dealMade,
      residual: ev.residual,
      substitutes: byNumber(ev.substitutes, ({ what, value, accepted }) =>
        ({ what, value, accepted: ascending(accepted) })),
      refunds: byNumber(ev.refunds, refundPart),
      ...someOf('refund_case', ev.refundCase),
      journal: { changes: ev.journal.changes.map(([at, no, before]) => [at, no, before && thenPart(before)]) },
      dues: {
        ...(duty ? { duty: [duty.command, duty.since] } : {}),
        ...(deadline ? { deadline: [deadline.at, deadline.since] } : {}),
      },
    };
  },

  /** The lines of tournaments, by key. */
  eventLines(lines) {
    for (const ev of this.events.values()) {
      lines.set(`event:${ev.name}`, this.eventPart(ev));
      for (const entry of ev.entries.values()) lines.set(`entry:${ev.name}/${entry.no}`, entryPart(entry));
      for (const [player, entrant] of ev.entrants) lines.set(`entrant:${ev.name}/${player}`, entrantPart(entrant));
    }
    for (const [event, holders] of this.tickets) {
      const held = [...holders].sort(([a], [b]) => compareText(a, b));
      if (held.length) lines.set(`tickets:${event}`, held);
    }
  },
});

// --- Read -------------------------------------------------------------------------------------------

const numberedPairs = (part, form) => Object.entries(part).map(([number, one]) => [Number(number), form(one)]);

function readEventEntry(no, part) {
  const { commitment } = part;
  return {
    no,
    player: part.player,
    bound: part.non_unregisterable,
    again: part.re_entry,
    at: isObject(part.at) ? part.at.seated : part.at,
    chips: part.chips,
    head: part.bounty.head,
    total: part.bounty.won,
    paidBy: part.paid_by,
    toPool: part.to_pool,
    fees: part.fees,
    rebuys: part.rebuys,
    addedOn: part.added_on,
    rebuyUntil: part.rebuy_until ?? null,
    falls: part.falls ?? null,
    bank: part.bank_ms,
    cutOff: part.cut_off ?? null,
    commitment: commitment ? { commitment: commitment[0], use: commitment[1], called: commitment[2] } : null,
    offered: part.offered,
    stakes: part.stakes.map(({ buyer, stake }) => ({ buyer, ...stake })),
    earned: part.won,
    dollarsEarned: part.t_dollars_won,
    received: part.received,
    fromPool: part.from_pool,
    out: part.out ?? null,
    rank: part.rank ?? null,
    isPaid: part.is_paid,
  };
}

/** An entry's earlier holdings, on top of its present ones. */
const readThen = (entry, then) => then && {
  ...entry,
  at: then.in_play ? 'waiting' : 'out',
  chips: then.chips,
  head: then.bounty.head,
  total: then.bounty.won,
  toPool: then.to_pool,
  fees: then.fees,
  rebuys: then.rebuys,
  rebuyUntil: then.is_rebuying ? 0 : null,
  falls: then.falls ?? null,
  fromPool: then.from_pool,
  received: then.received,
};

const readOpenDraw = ({ kind, table, entrants, seeds, reveal_by: by, awaited, committed_at: committedAt }) => ({
  kind, table: table ?? null, entrants: new Set(entrants), seeds: new Map(numberedPairs(seeds, same)), by,
  awaited: new Set(awaited),
  committedAt,
});

const readCalls = ({ idle_since: idleSince = null, last, opened, unseeded = 0, before }) => ({
  idleSince, last, opened, unseeded, before: before ? { last_big: before[0], first_button: before[1] } : null,
});

const readEventNote = note =>
  (isObject(note) ? { what: 'disqualification', reason: note.disqualification } : { what: note, reason: undefined });

const readFixed = ([kind, table, running, entrants]) =>
  ({ kind, table, running: unhex(running, 32), entrants: new Set(entrants) });

/** A tournament from its line, without its entries and players. */
function readEventPart(part) {
  const { context: { origin, table: name, epoch }, terms, clock, draws, field: [seats, last, tables], deal } = part;
  const { structure, rules } = terms, { open, dirty, unrecovered, calls, called } = part.tables, { proposal } = deal;
  const ev = newEvent(name, tableContext(origin, name, epoch), {
    structure, rules, starts_at: part.starts_at, registration_from: part.registration_from, epoch, tip: draws.link,
  });
  const { frozen } = draws;
  return Object.assign(ev, {
    seq: part.next_seq,
    lastUsed: part.last_used,
    stage: part.stage,
    earlierStarts: part.earlier_starts || [],
    lateLevels: part.late_levels,
    leastLateLevels: part.least_late_levels,
    unregisterMs: part.unregister_ms,
    nextEntry: part.next_entry,
    sold: part.sold,
    players: part.players,
    remaining: part.remaining,
    waiting: new Set(part.waiting),
    clock: {
      started: clock.started, stops: clock.stops, stands: clock.stands ?? null, level: clock.level,
      inBreak: clock.in_break,
      nextChange: clock.next_change ?? null,
    },
    itm: part.itm ?? null,
    itmAt: part.itm_at ?? null,
    registrationEnded: part.registration_ended ?? null,
    pool: part.pool ?? null,
    draws: {
      next: draws.next, link: draws.link, running: unhex(draws.running, 32), hadFinal: draws.had_final,
      open: draws.open ? readOpenDraw(draws.open) : null,
      frozen: frozen ? readFixed(frozen) : null,
    },
    field: {
      seats,
      last_table: last,
      tables: numberedPairs(tables, same).map(([table, [players, last_big, first_button]]) =>
        ({ table, last_big, players, first_button })),
    },
    tables: {
      open: new Set(open),
      dirty: new Set(dirty),
      unrecovered: new Set(unrecovered),
      calls: new Map(numberedPairs(calls, readCalls)),
      called,
    },
    hands: part.hands,
    toSettle: new Map(numberedPairs(part.to_settle, same)),
    rebuying: new Set(part.rebuying.map(([, no]) => no)),
    noted: new Map(numberedPairs(part.noted, readEventNote)),
    handForHand: part.hand_for_hand
      ? { ...part.hand_for_hand, played: new Set(part.hand_for_hand.played) }
      : null,
    unranked: part.unranked,
    unpaid: new Map(part.unpaid.map(([place, no]) => [no, place])),
    won: new Set(part.won),
    deal: {
      wanted: new Set(deal.wanted),
      proposal: proposal
        ? {
            digest: proposal.digest, amounts: proposal.amounts, answerBy: proposal.answer_by,
            accepted: new Set(proposal.accepted),
          }
        : null,
      since: deal.since ?? null,
    },
    dealMade: part.deal_made,
    sellers: new Set(part.sellers),
    residual: part.residual,
    substitutes: new Map(numberedPairs(part.substitutes, one => ({ ...one, accepted: new Set(one.accepted) }))),
    refunds: numberedPairs(part.refunds, ({ in_t_dollars: dollars, ...refund }) => ({ ...refund, dollars })),
    refundCase: part.refund_case ?? null,
  });
}

/** Whether the fixed values of a draw belong to the open one, or to one that can be due. */
function checkFixed(ev) {
  const { open, frozen } = ev.draws;
  if (!frozen) return;
  const { kind, table, entrants } = frozen, ofTable = kind === 'break' || kind === 'final';
  // Entrants fixed for a draw wait until the draw is called.
  if (![...entrants].every(no => ev.waiting.has(no))) fault('an entry is to be seated and does not wait');
  if (['cancelled', 'ended'].includes(ev.stage)) return;
  const fits = open
    ? open.kind === kind && open.table === table && !entrants.size
    : isStillDue(ev, frozen) && (table === null || !entrants.size);
  if (!fits || ofTable !== (table !== null)) fault('what is fixed is no draw that is due or open');
}

/** Whether a request can be noted for an entry. */
function canBeNoted({ stage, structure: { rebuy, add_on: addOn } }, { at, rebuys, addedOn }, what) {
  if (stage !== 'running') return false;
  if (what === 'disqualification') return at !== 'disqualified';
  return isList(at) && (what === 'rebuy' ? !!rebuy && rebuys < rebuy.most : !!addOn && !addedOn);
}

/** Whether the entries named by a tournament exist. */
function checkNamed(ev, { journal }) {
  const { open } = ev.draws, { proposal } = ev.deal;
  const named = [
    ...ev.waiting, ...ev.won, ...ev.sellers, ...ev.deal.wanted, ...ev.rebuying, ...ev.unpaid.keys(),
    ...[...ev.toSettle.values()].flat(), ...ev.unranked.map(out => out.entry_no), ...ev.refunds.map(([no]) => no),
    ...journal.changes.map(([, no]) => no),
    ...(open ? [...open.entrants, ...open.awaited, ...open.seeds.keys()] : []),
    ...(proposal ? [...proposal.amounts.map(([no]) => no), ...proposal.accepted] : []),
  ];
  const rebuying = [...ev.entries.values()].filter(({ rebuyUntil }) => rebuyUntil !== null).map(({ no }) => no);
  const isOff = ['cancelled', 'ended'].includes(ev.stage);
  if (quote(ascending(ev.rebuying)) !== quote(isOff ? [] : ascending(rebuying)))
    fault('who may rebuy is not who the entries say');
  for (const [no, { what }] of ev.noted)
    if (!ev.entries.has(no) || !canBeNoted(ev, ev.entries.get(no), what))
      fault(`what is noted of entry ${no} cannot be`);
  const missing = named.find(no => !ev.entries.has(no));
  if (missing !== undefined) fault(`tournament ${ev.name} has no entry ${missing}`);
  for (const [no, place] of ev.unpaid) {
    const { isPaid, rank } = ev.entries.get(no);
    if (isPaid || !rank || rank[0] !== place) fault('a place that is not paid is not its entry\'s');
  }
}

/** Whether values that a tournament states twice are equal. */
function checkEvent(ev, part) {
  const wrong = why => fault(`tournament ${ev.name}: ${why}`), { structure, rules } = ev;
  if (rulesDigest(rules) !== structure.rules.digest) wrong('its rule set is another than its structure names');
  const left = entriesLeft(ev), entrants = [...ev.entrants];
  const players = entrants.filter(([, { entries }]) => entries.length).length;
  if (ev.remaining !== left.length || ev.players !== players) wrong('it has not as many players as it says');
  const seated = ev.field.tables.flatMap(({ table, players: here }) =>
    Object.entries(here).map(([seat, no]) => [ev.entries.get(no), table, Number(seat)]));
  if (seated.some(([entry, table, seat]) => !entry || quote(entry.at) !== quote([table, seat])))
    wrong('an entry sits elsewhere');
  if (seated.length !== left.filter(({ at }) => isList(at)).length) wrong('somebody sits at no seat');
  const own = ([player, { entries }]) => entries.every((no, i) =>
    (!i || entries[i - 1] < no) && ev.entries.has(no) && ev.entries.get(no).player === player);
  if (!entrants.every(own) || sum(entrants.map(([, { entries }]) => entries.length)) !== ev.entries.size)
    wrong('its entries are not those of its players');
  if (Object.values(part.money).some(balance => balance < 0)) wrong('an account of it is below zero');
  const unseeded = [...ev.tables.calls.values()].some(call => call.unseeded);
  if (unseeded && ev.clock.level < structure.levels.length) wrong('hands without a seed are counted at the last level');
  if (ev.field.seats !== structure.seats) wrong('its tables have other seats than its structure says');
  const { started, stops, stands } = ev.clock;
  const times = [started, ...stops.flat(), ...(stands ? [stands[0]] : []), ev.lastUsed];
  if (times.some((time, i) => i && time < times[i - 1]))
    wrong('its clock began, stopped or went on in another order, or after its last entry');
}

extendHouse({
  /** Takes a tournament in, with its entries and players, of each `[number or player, part]`. */
  takeEvent(name, part, entries, entrants) {
    const { terms: { structure, rules }, clock: { level } } = part, wrong = why => fault(`tournament ${name}: ${why}`);
    if (part.context.table !== name || part.context.origin !== this.start.origin) wrong('it is another');
    const why = whyNoStructure(structure) || whyNoRuleSet(rules);
    if (why) wrong(why);
    if (level < 1 || level > structure.levels.length || !rules.game.poker) wrong('it has no such level');
    const ev = readEventPart(part);
    for (const [no, entry] of entries) ev.entries.set(no, readEventEntry(no, entry));
    for (const [player, { has_bounty: hasBounty = null, is_barred: barred, ...entrant }] of entrants)
      ev.entrants.set(player, { ...entrant, hasBounty, barred });
    checkNamed(ev, part);
    checkFixed(ev);
    checkEvent(ev, part);
    ev.journal.changes = part.journal.changes.map(([at, no, then]) => [at, no, readThen(ev.entries.get(no), then)]);
    this.events.set(name, ev);
    for (const own of ['pool', 'fees', 'bounties', 'stakes']) this.accounts.set(`${own}:${name}`, part.money[own]);
    this.takeEventDues(ev, part.dues);
  },

  /** The due times follow from the state; each lies between its cause and the last entry. */
  takeEventDues(ev, { duty, deadline }) {
    const due = this.dutyOfEvent(ev), [first] = eventDeadlines(ev).sort((a, b) => a.at - b.at);
    const sameDuty = duty ? due && quote(due) === quote(duty[0]) && duty[1] <= ev.lastUsed : !due;
    const sameDeadline = deadline
      ? first && first.at === deadline[0] && deadline[1] >= first.at && deadline[1] <= Math.max(first.at, ev.lastUsed)
      : !first;
    if (!sameDuty || !sameDeadline)
      fault(`what is due in tournament ${ev.name}, or since when, is not what follows from how it stands`);
    ev.due = {
      duty: duty ? { command: due, since: duty[1] } : null,
      deadline: deadline && { ...first, since: deadline[1] },
    };
  },

  /** Whether tournaments and tables agree on each other. */
  checkEventTables() {
    for (const ev of this.events.values()) {
      if (!this.usedTables.has(ev.name) || this.tables.has(ev.name))
        fault(`the name of tournament ${ev.name} is not its own`);
      const said = [...this.tables.values()].filter(({ event }) => event === ev.name);
      const names = new Set([...ev.tables.open].map(number => tableName(ev, number)));
      if (said.length !== names.size || !said.every(({ name }) => names.has(name)))
        fault(`the open tables of tournament ${ev.name} are others than it says`);
    }
    const lost = [...this.tables.values()].find(({ event }) => event && !this.events.has(event));
    if (lost) fault(`there is no tournament ${lost.event}`);
  },
});

// A round told step by step in plain English.

const clock = ms => { const date = new Date(ms); return isNaN(date) ? `${ms} ms` : date.toISOString(); };
const names = list => (list.length ? list.join(', ') : 'nobody');

function placeWords(place, cash) {
  if (cash)
    return place === 'burn' ? 'the burnt cards' : place === 'board' ? 'the board' : `seat ${place.split('/')[0]}`;
  const hand = /^(\d+)\/(\d+)$/.exec(place);
  return hand
    ? `hand ${hand[2]} of box ${hand[1]}`
    : place === 'shown'
      ? 'the open (not yet taken)'
      : place === 'discard'
        ? 'the discards'
        : `the ${place}`;
}

function actionWords(action) {
  if (typeof action === 'string')
    return (
      {
        face_down: 'goes face-down', surrender: 'gives up', hit: 'hits', stand: 'stands', split: 'splits',
        accept: 'accepts', reject: 'rejects', pass: 'passes', fold: 'folds', check: 'checks', call: 'calls',
        show: 'shows', muck: 'gives the hand up unshown',
      }[action] || action
    );
  const [[word, fields]] = Object.entries(action);
  if (word === 'insurance') return fields.take ? 'takes insurance' : 'declines insurance';
  if (word === 'even_money') return fields.take ? 'takes even money' : 'waits for more than even money';
  if (word === 'double') return `doubles${fields.amount === undefined ? '' : ` for ${fields.amount}`}`;
  if (word === 'bet' || word === 'raise') return `${word}s to ${fields.to}`;
  if (word === 'change') return `changes ${fields.card}`;
  return `${word}s ${fields.hand ? `hand ${fields.hand}` : 'the oldest hand'}`;
}

const forWhom = (who, player) => (who === player ? who : `the operator, for ${player},`);
const betWords = bets => bets.map(({ spot, stake }) => `${stake} on ${spot}`).join(', ');

function commandWords(by, command) {
  const [[name, c]] = Object.entries(command), who = by.replace('player:', '');
  const words = {
    start_dealer: () => `the dealer of the log ${c.origin} is started (${c.software})`,
    open_table: () => `${who} opens table ${c.table} with the rules ${c.rules.name}`,
    open_event_table: () => `the tournament's table ${c.table} is opened with the rules ${c.rules.name}`,
    set_seats: () => 'seats, chips and blinds are set as the tournament has them',
    close_table: () => `${who} closes the table`,
    commit_shoe: () => 'the next shoe is committed',
    end_log: () => `${who} ends this log`,
    create_player: () => `${who} creates the player ${c.player}${c.key ? ` with the key ${c.key}` : ''}`,
    admit_guest: () => 'a guest is admitted',
    dismiss_guest: () => `the guest ${c.player}, who is idle, is dismissed`,
    set_key: () =>
      `${who} ${c.key ? `sets the key ${c.key}` : 'clears the key'} of ${c.player}${c.reason ? ` (${c.reason})` : ''}`,
    set_limit: () => `${forWhom(who, c.player)} ${limitWords(c)}`,
    exclude: () => `${forWhom(who, c.player)} wants to be shut out until ${clock(c.until)}`,
    know_log: () => `${who === 'operator' ? 'the operator' : who} ${knownWords(c)}`,
    transfer_out: () => `${forWhom(who, c.player)} asks to have ${c.amount} sent to ${c.to}`,
    wallet_deposit: () => `${forWhom(who, c.player)} asks for ${c.amount} from the wallet`,
    wallet_withdraw: () => `${forWhom(who, c.player)} asks to have ${c.amount} paid into the wallet`,
    wallet_cancel: () => `${who} calls off operation ${c.no} of the wallet`,
    wallet_answer: () => `the wallet answers to ${c.call} of operation ${c.no}`,
    transfer_in: () => `${who} hands in a claim on chips that ${c.from} sent`,
    take_seat: () => `${who} takes seat ${c.seat}`,
    sit_down: () => `${who} takes seat ${c.seat} with ${c.buy_in}`,
    sit_in: () => `${who} wants to be dealt in`,
    sit_out: () => `${who} sits out`,
    add_chips: () => (c.amount ? `${who} wants ${c.amount} more chips` : `${who} wants no more chips`),
    tidy_seats: () => 'the seats are put in order between hands',
    disclose_shoe: () => `${by} asks for the seeds of shoe ${c.shoe_no} of ${c.table} (${c.reason})`,
    ask_to_play: () => `${who} asks to play`,
    leave_seat: () => `${who} leaves the seat`,
    open_bets: () => 'bets are opened',
    call_hand: () => 'the next hand is called',
    commit_hand_seed: () => `${who} commits to a seed for hand ${c.round_no}`,
    withdraw_hand_seed: () => `${who} takes the commitment back`,
    close_call: () => `${who === 'house' ? '' : 'the operator announces that '}the call is over`,
    cancel_bet: () => `${who} takes the bets back`,
    close_bets: () => `${who === 'house' ? '' : 'the operator announces that '}bets are closed`,
    retire_shoe: () => `${who} has the shoe changed${c.reason ? ` (${c.reason})` : ''}`,
    commit_seed: () => `${who} commits to a seed for the new pile`,
    bet: () => `round ${c.round_no}: ${who} bets ${betWords(c.bets)}`,
    reveal: () => `round ${c.round_no}: the seed of ${c.player} is handed in`,
    act: () => `round ${c.round_no}: ${who} ${actionWords(c.action)}`,
    lapse: () =>
      `round ${c.round_no}: the time for ` +
      `${{ reveal: 'the seeds', round: 'the round', turn: 'a decision', pile: 'the new pile' }[c.lapsed]} is over`,
    void_round: () => `the operator voids round ${c.round_no} (${c.reason})`,
    tournament: () => `${who} ${askedWords(c)}`,
    recover: () => 'the table is put in order after the start',
  };
  return words[name] ? words[name]() : `${who}: ${name}`;
}

/** The operator's statements about another log: spec/transfers.md. */
function knownWords({ log, policy }) {
  if (policy === undefined) return `names the log ${log} no more: nothing is sent there or claimed from there`;
  let least = 0;
  try {
    least = leastWitnesses(policyOfLog(policy, log).quorum);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    return `names the log ${log}, by what is no policy`;
  }
  const needs = least ? `need ${least} ${least === 1 ? 'witness' : 'witnesses'}` : 'need no witness';
  return `names the log ${log}, whose receipts ${needs}`;
}

/** The requests to the wallet: spec/wallet.md, "Operations and calls". */
const WALLET_CALL_WORDS = {
  reserve: ({ player, amount }) => `to hold ${amount} of ${player} for the house`,
  commit: ({ player, amount }) => `to hand over the ${amount} of ${player} that it holds`,
  cancel: ({ player, amount }) => `to let go of the ${amount} of ${player}, if it holds them`,
  pay: ({ player, amount }) => `to take ${amount} for ${player}`,
};

const LIMIT_WORDS = { deposit: 'what is paid in', loss: 'what is lost', play_time: 'the time of play' };
const limitWords = ({ of, per, most }) =>
  `wants ${most === undefined ? 'no limit of' : `at most ${most}${of === 'play_time' ? ' ms' : ''} of`} ` +
  `${LIMIT_WORDS[of]} a ${per}`;

const EVENT_WORDS = {
  dealer_started: e => `epoch ${e.epoch}, ${e.down_ms} ms after the entry before`,
  log_ended: e => `this log ends here; it goes on as the log ${e.origin}, under the key ${e.key}`,
  table_opened: e => `rules digest ${e.digest}`,
  transferred_out: e => `${e.player} sends ${e.amount} to ${e.to} (no. ${e.no})`,
  transferred_in: e => `${e.amount} sent by ${e.from} (no. ${e.no}, entry ${e.index}) are claimed for ${e.player}`,
  wallet_asked: e => `operation ${e.no}: the wallet is asked ${WALLET_CALL_WORDS[e.call](e)}`,
  wallet_answered: e =>
    `operation ${e.no}: the wallet ${e.answer === 'refused' ? 'refused' : 'did it'}${e.reason ? ` (${e.reason})` : ''}`,
  limit_set: e =>
    `of ${LIMIT_WORDS[e.of]} a ${e.per} ${e.player} has ` +
    `${e.most === undefined ? 'no limit' : `the limit ${e.most}${e.of === 'play_time' ? ' ms' : ''}`}` +
    `${e.from === undefined ? '' : `, but not before ${clock(e.from)}`}`,
  excluded: e => `${e.player} is shut out until ${clock(e.until)}`,
  guest_admitted: e => `${e.player} comes with play chips`,
  guest_dismissed: e => `${e.player} is gone`,
  shoe_committed: e =>
    `shoe ${e.shoe_no} of ${e.composition.length > 40 ? `${e.composition.slice(0, 40)}…` : e.composition} is fixed ` +
    `by ${e.candidates.length > 1 ? 'two candidates, roots' : 'root'} ` +
    `${e.candidates.map(({ root }) => root).join(' and ')}`,
  table_noted: e => {
    const { seats } = e.betting || e.cash || { seats: [] };
    const sits = ({ seat, player, stack }) =>
      `, ${player} sits at ${seat}${stack === undefined ? '' : ` with ${stack}`}`;
    return `round ${e.next_round} comes next${seats.map(sits).join('')}`;
  },
  shoe_revealed: e =>
    `shoe ${e.shoe_no} is retired${e.cause ? ` (${e.cause.replace(/_/g, ' ')})` : ''}, its ` +
    `${e.seeds.length > 1 ? 'seeds are' : 'seed is'} ${e.seeds.join(', ')}`,
  shoe_sealed: e => `shoe ${e.shoe_no} is sealed with ${e.openings.length} openings, of the cards that were shown`,
  chips_added: e => `${e.player} has ${e.amount} more at seat ${e.seat}: ${e.stack}`,
  chips_asked: e => (e.amount ? `${e.player} gets ${e.amount} more between hands` : `no chips come to ${e.player}`),
  sat_in: e => `${e.player} wants to play${e.straddle ? ', with a straddle' : ''}`,
  sat_out: e => `${e.player} sits out (${e.cause.replace(/_/g, ' ')})`,
  leave_asked: e => `${e.player} leaves when the hand is over`,
  left_early: e => `${e.player} left early, ${e.refusals} in 12 hours: no seat at ${e.level} before ${clock(e.until)}`,
  next_committed: e => `${e.player} commits to a seed for the next hand`,
  bank_used: e => `${e.player} uses ${e.used_ms} ms of the time bank, ${e.left_ms} ms are left`,
  seat_left: e => `${e.player} leaves seat ${e.seat}`,
  cooldown: e =>
    `${e.player}, offence ${e.offences} in 12 hours (${e.offence.replace(/_/g, ' ')}): no bets before ` +
    `${clock(e.until)}`,
  bets_lapsed: e => `the window lapses: ${e.cause.replace(/_/g, ' ')}`,
  call_lapsed: e => `the call lapses: ${e.cause.replace(/_/g, ' ')}`,
  hand_begun: e => {
    const owing = ({ ante, dead, live }) => (ante + dead + live ? `, owing ${ante + dead + live}` : '');
    const seats = e.hand.seats.map(({ due, player, stack }) => `${player} with ${stack}${owing(due)}`).join('; ');
    const { button } = e.hand.positions;
    return `hand ${e.round_no}, button on seat ${button}: ${seats}; seeds are due by ${clock(e.reveal_by)}`;
  },
  bets_closed: e =>
    `bets of round ${e.round_no} bind: ${e.contributors.map(c => `${c.player} ${betWords(c.bets)}`).join('; ')}; ` +
    `seeds are due by ${clock(e.reveal_by)}`,
  round_opened: e => {
    const other = e.others.length ? `; candidate ${e.pick} is dealt, the other's seed is ${e.others.join(', ')}` : '';
    return `all seeds are out, the shuffle is fixed by entropy ${e.entropy}${other}`;
  },
  dealt: (e, cash) =>
    e.card
      ? `${e.card} to ${placeWords(e.to, cash)}, from slot ${e.slot}`
      : `a card face-down to ${placeWords(e.to, cash)}, from slot ${e.slot}`,
  turned: e => `${e.card} is turned up in slot ${e.slot}${e.pile === undefined ? '' : ` of pile ${e.pile}`}`,
  peeked: e => `the dealer looks: ${e.blackjack ? 'blackjack' : 'no blackjack'}`,
  offered: (e, cash) => {
    const price = ({ to, cost }) => (to ? ` to ${to.join('–')}` : cost ? ` for ${cost}` : '');
    const options = e.options.map(o => o.action.replace(/_/g, ' ') + price(o)).join(', ');
    const extra = e.extra_ms ? ` (${e.extra_ms} ms more for having been cut off)` : '';
    return `${e.player} may choose at ${placeWords(e.place, cash)}: ${options}${extra}`;
  },
  acted: e =>
    `${e.player} ${actionWords(e.action)}${e.cost ? ` for ${e.cost}` : ''}${e.default ? ' (time was over)' : ''}`,
  paid: e => {
    const placeOf = ({ place, wager }) =>
      `${/^\d+\/\d+$/.test(place) ? placeWords(place) : place}${wager === 'insurance' ? ' (insurance)' : ''}`;
    const paid = line =>
      `${line.player}, ${placeOf(line)}: ${line.outcome.replace(/_/g, ' ')}, ${line.stake} staked, ${line.returned} ` +
      'returned';
    return e.lines.map(paid).join('; ');
  },
  spun: e => `the wheel's slot ${e.slot} holds ${e.value}, the players' seeds move it to ${e.pocket}`,
  last_hand: () => 'the cut card has appeared: the last hand of this shoe',
  round_settled: e => `round ${e.round_no} is settled: ${e.staked} staked, ${e.returned} returned`,
  round_voided: e =>
    `round ${e.round_no} is void (${e.cause.replace(/_/g, ' ')}${e.missing.length ? `: ${names(e.missing)}` : ''}); ` +
    `ahead: ${e.ahead}`,
  round_resumed: e => `round ${e.round_no} goes on`,
  pile_opened: e => `a new pile is to be shuffled by ${names(e.players)}`,
  pile_failed: e => `the shuffle failed, missing: ${names(e.missing)}`,
  pile_shuffled: e => `the new pile is shuffled by entropy ${e.entropy}`,
  absent: e => `${e.player} took no part and is out`,
  poker: ({ settled }) =>
    [
      ...settled.pots.map(pot => `a pot of ${potWords(pot)}`),
      ...(settled.uncalled
        ? [`${settled.uncalled.amount} that nobody called go back to seat ${settled.uncalled.seat}`]
        : []),
    ].join('; '),
  safe: e => {
    const [[word, f]] = Object.entries(e);
    return {
      opening: () => `${f.player}'s hand ${f.place} is opened (${f.why.replace(/_/g, ' ')})`,
      discarded: () => `${f.player}'s hand ${f.place} goes to the discards: ${f.cards.join(' ')}`,
      out: () => `${f.player} is out (${f.cause.replace(/_/g, ' ')})`,
      pile_empty: () => 'the pile is empty',
      collected: () => `${f.cards.length} cards are collected for pile ${f.pile}`,
      advanced: () => `round ${f.round} of the game begins with ${names(f.players)}`,
      won: () => `${f.player} wins (${f.by.replace(/_/g, ' ')})`,
    }[word]();
  },
};

const potWords = ({ amount, rake, won }) =>
  `${amount}${rake ? `, rake ${rake}` : ''}: ` +
  `${won.map(({ seat, amount: share, low }) => `${share} to seat ${seat}${low ? ' for the low' : ''}`).join(', ')}`;

/** The end of a hand of poker: the board, the shown cards, the pots. */
function handWords({ board, seats, family, settled }) {
  const shown = seats
    .filter(({ cards }) => cards.length && cards.every(({ card }) => card))
    .map(({ seat, player, cards }) => {
      const faces = cards.map(({ card }) => card);
      return `Seat ${seat}, ${player}, showed ` +
        `${faces.join(' ')}${board.length >= 3 ? `: ${pokerRanks.best(family, faces, board).name}` : ''}.`;
    });
  return [
    `The board: ${board.join(' ') || 'none'}.`,
    ...shown,
    ...settled.pots.map((pot, i) => `${i ? `Side pot ${i}` : 'Main pot'} of ${potWords(pot)}.`),
  ];
}

/** The lines of a story about one judged entry; `cash` at a cash table of poker. */
function storyOf(index, entry, cash = false) {
  const lines = [
    `[${index}] ${clock(entry.time)} ${commandWords(entry.by, entry.command)}${entry.signed ? ' (signed)' : ''}`,
  ];
  for (const event of entry.events) {
    const words = EVENT_WORDS[eventName(event)];
    if (words) lines.push(`  ${words(eventFields(event), cash)}`);
  }
  return lines;
}

// Tournaments in plain English: the requests to an event, and its happenings.

const percent = points => {
  const rest = points % 100;
  return `${Math.floor(points / 100)}${rest ? `.${String(rest).padStart(2, '0')}` : ''} %`;
};
const METHOD_WORDS = {
  chips: 'by chips', icm: 'by the chances of the chips (ICM)', amounts: 'with numbers of their own',
};
const STAND_WORDS = { crash: 'the service crashed', deal: 'a deal is talked of' };
const CANCEL_WORDS = {
  crash: 'it stood too long after a crash', too_few_players: 'too few players came',
  operator: 'the operator\'s decision',
};
const NOTED_WORDS = { rebuy: 'a rebuy', add_on: 'the add-on', disqualification: 'the disqualification' };
const DROP_WORDS = {
  stack: 'they have too many chips', balance: 'the balance does not cover it', room: 'the event may hold no more',
  over: 'the event is over',
};
const amountsWords = amounts => amounts.map(([no, amount]) => `${amount} to entry ${no}`).join(', ');
const wonWords = winners => winners.map(({ entry_no: no, to_total: total, onto_head: head }) =>
  `${total} to entry ${no}${head ? ` and ${head} onto its head` : ''}`).join(', ');
const bountyWords = has => (has ? 'a bounty' : 'no bounty');

/** A request to an event, without its sender. */
const ASKED_WORDS = {
  create: c => `announces a tournament with the structure ${c.structure.name}, to start at ${clock(c.starts_at)}`,
  register: ({ pay }) => `registers${{ cash: '', t_dollars: ' with T$', ticket: ' with a ticket' }[pay]}`,
  set_bounty: c => `says that ${c.player} has ${bountyWords(c.has)}`,
  unregister: () => 'gives the entry back',
  rebuy: () => 'rebuys',
  decline_rebuy: c => `ends the time for a rebuy of entry ${c.entry_no}`,
  add_on: () => 'takes the add-on',
  carry_out: c => `does what was noted of entry ${c.entry_no}`,
  offer_stake: c => `offers ${percent(c.basis_points)} of the entry`,
  buy_stake: c => `buys ${percent(c.basis_points)} of the entry of ${c.seller}`,
  start: () => 'starts the tournament',
  call_draw: () => 'calls a draw of seats',
  reveal_seat_seed: c => `reveals the seed of entry ${c.entry_no} for draw ${c.draw_no}`,
  draw_seats: c => `draws the seats of draw ${c.draw_no}`,
  move_player: () => 'moves a player, to balance the tables',
  next_level: () => 'moves the clock',
  settle_hand: c => `deals with those whom the last hand of table ${c.table} left without chips`,
  next_round: () => 'goes on with hand-for-hand',
  end_registration: () => 'ends registration, or makes the pool final',
  pay_places: () => 'pays places',
  pay_bounties: () => 'pays bounties',
  start_clock: () => 'starts the clock',
  end: () => 'ends the tournament',
  want_deal: c => `${c.want ? 'wants' : 'does not want'} a deal`,
  propose_deal: c => `proposes a deal ${METHOD_WORDS[c.method]}`,
  answer_deal: c => `says ${c.accept ? 'yes' : 'no'} to the deal`,
  disqualify: c => `disqualifies ${c.player} (${c.reason})`,
  substitute_prize: c => `would have ${c.what}, worth ${c.value}, for the prize of place ${c.place}`,
  change_registration: c => `changes the times of registration (${c.reason})`,
  postpone: c => `postpones the start to ${clock(c.starts_at)} (${c.reason})`,
  cancel: c =>
    `cancels the tournament as of ${clock(c.instant)}: ${CANCEL_WORDS[c.cause]}${c.reason ? ` (${c.reason})` : ''}`,
  pay_refunds: () => 'pays refunds',
};

function askedWords(command) {
  const [[word, fields]] = Object.entries(command);
  return `${ASKED_WORDS[word](fields)}, tournament ${fields.event}`;
}

const DRAW_WORDS = {
  first: () => 'first seats',
  late: () => 'seats of those who came later',
  break: table =>
    (table === undefined
      ? 'seats of the players of a broken table'
      : `seats of the players of table ${table}, which breaks`),
  final: () => 'seats of the last table',
};
const CLOSED_WORDS = {
  schedule: 'by the schedule', full: 'the field being full', itm: 'the paid places being reached',
};

Object.assign(EVENT_WORDS, {
  created: e =>
    `the structure ${e.structure.name} with digest ${e.digest} is in force, the start is at ${clock(e.starts_at)}, ` +
    `the house's numbers for draws end in ${e.tip}`,
  registered: e =>
    `entry ${e.entry_no} is ${e.player}'s, with ${e.bounty} on its head and the seed commitment ${e.commitment}`,
  bounty_set: e => `${e.player} has ${bountyWords(e.has)}`,
  unregistered: e => `entry ${e.entry_no} is given back`,
  rebought: e => `entry ${e.entry_no} rebuys and has ${e.chips} chips`,
  added_on: e => `entry ${e.entry_no} takes the add-on and has ${e.chips} chips`,
  noted: ({ entry_no: no, what, reason }) => {
    const why = reason === undefined ? '' : ` (${reason})`;
    return `${NOTED_WORDS[what]} of entry ${no} is noted${why}, to be done when it is in no hand and no draw`;
  },
  note_dropped: ({ entry_no: no, what, why }) => `${NOTED_WORDS[what]} of entry ${no} is not done: ${DROP_WORDS[why]}`,
  stake_offered: e => `${percent(e.basis_points)} of ${e.player}'s entry is on offer`,
  stake_sold: e => `${e.buyer} has ${percent(e.basis_points)} of ${e.seller}'s entry, for ${e.price}`,
  stakes_divided: e => `what entry ${e.entry_no} won is divided with the buyers of its stakes`,
  ticket_returned: e => `${e.player}'s ticket, which was not used, comes back as T$ ${e.value}`,
  started: e => `the tournament starts with ${e.players} players`,
  draw_called: e => `draw ${e.draw_no}: ${DRAW_WORDS[e.kind](e.table)}; seeds are due until ${clock(e.reveal_by)}`,
  seat_seed_revealed: e => `the seed of entry ${e.entry_no} is ${e.seed}`,
  seats_drawn: e =>
    `draw ${e.draw_no}: the house's number is ${e.link}, the entropy ${e.entropy}, ${e.withheld} seed(s) were withheld`,
  player_moved: ({ entry_no: no, from, to }) =>
    `entry ${no} moves from table ${from[0]}, seat ${from[1]}, to table ${to[0]}, seat ${to[1]}`,
  level_begun: e => `level ${e.level} begins`,
  break_begun: e => `a break begins, until ${clock(e.until)}`,
  break_ended: () => 'the break is over',
  player_eliminated: e =>
    `entry ${e.entry_no} is eliminated at table ${e.table}, having begun the hand with ${e.stack} chips`,
  rebuy_awaited: e => `entry ${e.entry_no} has no chips and may rebuy until ${clock(e.until)}`,
  bounty_won: e => `the head of entry ${e.entry_no} falls: ${wonWords(e.winners)}`,
  hand_for_hand: ({ round }) => (round ? `hand-for-hand, round ${round}` : 'hand-for-hand ends'),
  registration_ended: e =>
    `registration has ended, ${CLOSED_WORDS[e.cause]}: ${e.entries} entries, ${e.places} places are paid`,
  pool_final: e => `the pool is ${e.pool}, of which the house gives ${e.overlay}`,
  prize_paid: ({ entry_no: no, rank: [first, last], prize: { cash, ticket, t_dollars: dollars, substitute } }) => {
    const all = [['', cash], ['a ticket worth ', ticket], ['T$ ', dollars], ['the substitute for ', substitute]];
    const parts = all.filter(([, amount]) => amount);
    const place = first === last ? `place ${first}` : `the places ${first} to ${last}, shared`;
    return `entry ${no} is paid ${parts.map(([what, amount]) => what + amount).join(' and ')} for ${place}`;
  },
  bounty_paid: e => `entry ${e.entry_no} is paid ${e.amount} in bounties`,
  deal_wanted: e => `entry ${e.entry_no} ${e.want ? 'wants' : 'does not want'} a deal`,
  deal_proposed: e => `a deal ${METHOD_WORDS[e.method]}: ${amountsWords(e.amounts)}; until ${clock(e.answer_by)}`,
  deal_answered: e => `entry ${e.entry_no} says ${e.accept ? 'yes' : 'no'}`,
  deal_made: e => `the deal is made: ${amountsWords(e.amounts)}`,
  deal_off: () => 'there is no deal',
  player_disqualified: e => `entry ${e.entry_no} is disqualified (${e.reason})`,
  prize_substituted: e => `whoever accepts it has ${e.what}, worth ${e.value}, for the prize of place ${e.place}`,
  substitute_accepted: e => `entry ${e.entry_no} accepts what is offered for the prize of place ${e.place}`,
  registration_changed: ({ late_levels: levels, unregister_ms: ms }) => {
    const until = ms === undefined
      ? 'entries cannot be given back' : `entries can be given back until ${ms} ms before the start`;
    return `late registration lasts ${levels} levels; ${until}`;
  },
  postponed: e => `the start is at ${clock(e.starts_at)}`,
  clock_stopped: e => `the clock stands: ${STAND_WORDS[e.cause]}`,
  clock_started: e => `the clock goes on (${STAND_WORDS[e.cause]})`,
  cancelled: e =>
    `the tournament is off as of ${clock(e.instant)}: ${CANCEL_WORDS[e.cause]}; case ${e.case}: ${e.pool} is divided ` +
    `among ${e.remaining} players with ${e.chips} chips, ${e.residual} is cut off`,
  refunded: e => {
    const parts = [
      [e.due, 'that were theirs before the instant'], [e.bought, 'for what was bought after it'],
      [e.taken, 'taken back of what was paid after it'],
    ];
    // If an event did not begin, all is one sum.
    const back = e.bounty || e.pool
      ? `${e.fee} in fees, ${e.bounty} in bounties and ${e.pool} of the pool`
      : `${e.fee} of what was paid`;
    return `entry ${e.entry_no} gets back ${back}` +
      parts.filter(([amount]) => amount).map(([amount, what]) => `, ${amount} ${what}`).join('');
  },
  ended: e => `the tournament is over; ${e.residual} was cut off`,
  posts_taken: ({ seats }) => {
    const won = seats.find(({ put_in: put, got }) => got > put);
    return `nobody committed a seed: ${won ? won.player : 'the big blind'} takes what is posted`;
  },
  set_seats: e =>
    `level ${e.level}: ${e.seats.map(({ player, seat, stack }) => `${player} at ${seat} with ${stack}`).join(', ')}`,
});

// The result of a round in sentences: one list for each language, with the same keys. told.js fills in `{name}`.

const TOLD_WORDS = {
  en: {
    you: 'You', and: '; ', list: ', ', hand: 'Hand {n}: ', box: 'Box {n}: ', box_hand: 'Box {n}, hand {m}: ',
    dealer: 'Dealer', box_name: 'Box {n}', hand_name: 'hand {n}', seat: 'Seat {n}', player: 'Player', banker: 'Banker',
    tie: 'Tie', board: 'Board', total: '{n}', soft: 'soft {n}', points: '{n} points', blackjack: 'blackjack',
    folded: 'folded', out: 'out', face_down: 'face-down', shown: 'on offer', discard: 'discards', wheel: 'The wheel',

    // How a round ended, for one and for all.
    won: '{who} staked {staked} and got back {returned}: won {net}.',
    lost: '{who} staked {staked} and got back {returned}: lost {net}.',
    level: '{who} staked {staked} and got back {returned}: even.',
    one_won: '{who} won {net}.', one_lost: '{who} lost {net}.', one_level: '{who} came out even.',
    won_short: '{who} won {net}', lost_short: '{who} lost {net}', level_short: '{who} came out even',
    others: '{n} more',
    void: 'This round is void.', void_back: 'Every stake came back: nobody won or lost.',
    void_kept: 'What was decided before it was void stays decided; every other stake came back.',
    awaiting: 'This round awaits its players\' seeds.', open: 'This round is still in play.',
    staked_so_far: '{who} staked {staked} so far.',
    cause_reveal_missing: 'No seed came from {missing}, so no card could be dealt.',
    cause_crash: 'The service stopped while it was played.',
    cause_malfunction: 'The operator declared a malfunction: {reason}.',
    cause_shoe_exhausted: 'The shoe had no card left.',
    cause_abandoned: 'The player did not play on in time, and by this table\'s rules the stake came back.',
    reason_asked: 'the player asked for it', reason_camera: 'the camera failed', reason_closing: 'the house closes',
    reason_collusion: 'suspicion that players played together', reason_complaint: 'a complaint',
    reason_conduct: 'conduct at the table', reason_dealing_error: 'a mistake in dealing',
    reason_equipment: 'equipment failed', reason_inquiry: 'an inquiry', reason_lost_key: 'the player lost their key',
    reason_mistaken_payment: 'a payment by mistake', reason_network: 'the network failed',
    reason_order: 'an order of an authority', reason_power: 'the power failed', reason_test: 'a test',
    reason_worn_cards: 'worn cards', quoted: '“{reason}”', detailed: '{reason} ({more})',
    ahead_nobody: 'Nobody was ahead: no card had been shown.', ahead_level: 'Nobody was ahead by the cards shown.',
    ahead_players: 'By the cards shown the players were ahead.', ahead_house: 'By the cards shown the house was ahead.',

    // Blackjack.
    dealer_had: 'The dealer had {total}.', dealer_blackjack: 'The dealer had a blackjack.',
    dealer_bust: 'The dealer went over 21 with {total}.', dealer_shows: 'The dealer shows {total}.',
    bj_blackjack: '{who} had a blackjack: {stake} staked, {net} won.',
    bj_win_bust: '{who} had {total}, the dealer went over 21: {stake} staked, {net} won.',
    bj_win: '{who} staked {stake} and had {total}, the dealer had {dealer}: {net} won.',
    bj_draw: '{who} staked {stake} and had {total}, as the dealer: the stake came back.',
    bj_draw_blackjack: '{who} had a blackjack, and the dealer too: the stake of {stake} came back.',
    bj_loss: '{who} staked {stake} and had {total}, the dealer had {dealer}: lost.',
    bj_loss_blackjack: '{who} staked {stake} and had {total}, the dealer had a blackjack: lost.',
    bj_bust: '{who} staked {stake} and went over 21 with {total}: lost.',
    bj_surrender: '{who} gave the hand up: {returned} of {stake} came back.',
    bj_even_money: '{who} took even money: {net} won.',
    bj_open: '{who} staked {stake}: {total} so far.',
    insurance_won: 'The insurance of {stake} was paid: {returned} came back.',
    insurance_lost: 'The insurance of {stake} was lost.', insurance_back: 'The insurance of {stake} came back.',

    // Baccarat and roulette.
    coup: 'Player had {player}, Banker {banker}: {winner}.',
    coup_player: 'Player won', coup_banker: 'Banker won', coup_tie: 'a tie',
    spot_player: 'Player', spot_banker: 'Banker', spot_tie: 'Tie',
    ball: 'The ball fell on {pocket}, {colour}.', red: 'red', black: 'black', green: 'green',
    bet_win: '{stake} on {spot}: {net} won.', bet_loss: '{stake} on {spot}: lost.',
    bet_draw: '{stake} on {spot}: the stake came back.', bet_open: '{stake} on {spot}.',
    bet_part: '{stake} on {spot}: lost, but {back} came back.',
    more_bets: '… and {n} more bets: {won} won, {lost} lost.',
    straight: '{n}', split: 'split {n}', street: 'street {n}', corner: 'corner {n}', line: 'six line {n}',
    column: 'column {n}', dozen: 'dozen {n}', odd: 'odd', even: 'even', low: '1–18', high: '19–36',

    // Dragon Tiger.
    duel: 'Dragon had {dragon}, Tiger {tiger}: {winner}.', duel_dragon: 'Dragon won', duel_tiger: 'Tiger won',
    duel_tie: 'a tie', duel_suited_tie: 'a suited tie',
    spot_dragon: 'Dragon', spot_tiger: 'Tiger', 'spot_suited-tie': 'Suited Tie',

    // Sic Bo.
    dice: 'The dice showed {dice}: {total}.', spot_small: 'Small', spot_big: 'Big', 'spot_any-triple': 'any triple',
    spot_triple: 'triple {n}', spot_double: 'double {n}', spot_total: 'total {n}', spot_pair: 'pair {n}',
    spot_single: 'single {n}',

    // Safe.
    safe_won: '{who} won the game: {by}.', safe_nobody: 'Nobody won the game.',
    by_last_alive: 'all others were out', by_survived: 'all face-down hands survived',
    by_last_free_player: 'the last to go out without face-down hands', by_last_opened: 'owner of the last hand opened',
    by_last_round: 'first seat after the last round',
    out_bust: '{who} went out: over 21.', out_face_down: '{who} went out: a face-down hand was over 21.',
    out_absent: '{who} went out: the seed for the new pile never came.', safe_entry: '{who} paid {stake} to enter.',

    // Poker.
    pot_main: 'Main pot of {amount}: {won}.', pot_side: 'Side pot {n} of {amount}: {won}.',
    pot_rake: 'The house took {rake} of it.', pot_won: '{amount} to {who}', pot_low: '{amount} to {who} for the low',
    pot_with: '{amount} to {who} with {hand}', uncalled: '{amount} that nobody called went back to {who}.',
    shows: '{who} showed {cards}.', shows_hand: '{who} showed {cards}: {hand}.', folds: '{who} folded.',
    not_shown: '{who} did not have to show.',
    mucks: '{who} gave the hand up unshown.', mucked: 'not shown',
    high_card: 'high card', pair: 'a pair', two_pair: 'two pair', three_of_a_kind: 'three of a kind',
    poker_straight: 'a straight', flush: 'a flush', full_house: 'a full house', four_of_a_kind: 'four of a kind',
    straight_flush: 'a straight flush',

    // The verdict on a file.
    verdict_sound: 'Sound', verdict_sound_so_far: 'Sound so far', verdict_not_sound: 'Not sound',
    verdict_unusable: 'Nothing to judge',
    trust_sound: 'Consistent, by a key that you did not name',
    trust_sound_so_far: 'Consistent so far, by a key that you did not name',
    on_trust: 'This is signed by the key {key}, which came with it: anybody can make such a key. Give the log\'s key, '
      + 'from somebody else than the giver of this file, to know whose log it is.',
    sound: 'This round was dealt and paid as it was committed before the bets.',
    sound_void: 'All of it was done as the published rules say.',
    sound_log: 'Everything that this holds is signed by the log and follows the rules.',
    so_far_open: 'Everything shown so far holds. The round is not over yet.',
    so_far_seed: 'Everything shown of this round holds. The house\'s seed is not out yet: it shows later that what ' +
      'was not shown was proper, too.',
    so_far_void: 'Everything shown of it was done as the published rules say. The house\'s seed is not out yet.',
    followed: 'What the log signed in this file holds. What was found in the browser rests on what came without a ' +
      'signature, or did not come.',
    changed: 'This file was changed after it was signed. What stands in it is not what the log vouches for, so it ' +
      'says nothing about the round; ask the service, or who sent it, for the file again.',
    stranger: 'This file is of another log than the one whose key you gave.',
    incomplete: 'This file is not the whole history of the round, or not in the form that it must have. Ask for it ' +
      'again where you got it.',
    false_card: 'A card is not what was committed. If the file comes straight from the service, keep it: it is ' +
      'evidence.',
    false_deal: 'The cards are not those that the players\' seeds chose. The log is signed: this file is evidence.',
    false_money: 'Money did not go where the rules send it. The log is signed: this file is evidence.',
    false_rules: 'Something happened that the rules do not allow. The log is signed: this file is evidence.',
    no_receipt: 'This receipt does not hold: it does not lead to what the log signed.',
  },
  ja: {
    you: 'あなた', and: '、', list: '、', hand: 'ハンド{n}：', box: 'ボックス{n}：', box_hand: 'ボックス{n}・ハンド{m}：',
    dealer: 'ディーラー', box_name: 'ボックス{n}', hand_name: 'ハンド{n}', seat: '席{n}', player: 'プレイヤー',
    banker: 'バンカー', tie: 'タイ', board: 'ボード', total: '{n}', soft: 'ソフト{n}', points: '{n}点',
    blackjack: 'ブラックジャック', folded: 'フォールド', out: '失格', face_down: 'フェイスダウン', shown: '見せたカード', discard: '捨てたカード',
    wheel: 'ホイール',

    won: '{who}の賭けは{staked}、戻りは{returned}。{net}の勝ち。',
    lost: '{who}の賭けは{staked}、戻りは{returned}。{net}の負け。',
    level: '{who}の賭けは{staked}、戻りは{returned}。損得なし。',
    one_won: '{who}は{net}勝ちました。', one_lost: '{who}は{net}負けました。', one_level: '{who}は損得なしでした。',
    won_short: '{who}は{net}の勝ち', lost_short: '{who}は{net}の負け', level_short: '{who}は損得なし',
    others: 'ほか{n}人',
    void: 'このラウンドは無効です。', void_back: '賭けはすべて戻り、勝ち負けはありません。',
    void_kept: '無効になる前に決まったことはそのまま、ほかの賭けはすべて戻りました。',
    awaiting: 'プレイヤーのシードを待っています。', open: 'このラウンドはまだ進行中です。',
    staked_so_far: '{who}はここまでに{staked}を賭けています。',
    cause_reveal_missing: '{missing}のシードが届かず、配ることができませんでした。',
    cause_crash: 'プレイ中にサービスが停止しました。',
    cause_malfunction: '運営者が故障を宣言しました：{reason}。',
    cause_shoe_exhausted: 'シューにカードが残っていませんでした。',
    cause_abandoned: 'プレイヤーが時間内に続けなかったため、テーブルの規則により賭けが戻りました。',
    reason_asked: 'プレイヤーの依頼', reason_camera: 'カメラの故障', reason_closing: '営業の終了', reason_collusion: '共謀の疑い',
    reason_complaint: '苦情', reason_conduct: 'テーブルでの振る舞い', reason_dealing_error: '配り間違い', reason_equipment: '機器の故障',
    reason_inquiry: '調査', reason_lost_key: 'プレイヤーの鍵の紛失', reason_mistaken_payment: '誤った支払い',
    reason_network: 'ネットワークの障害', reason_order: '当局の命令', reason_power: '停電', reason_test: '試験',
    reason_worn_cards: 'カードの傷み', quoted: '「{reason}」', detailed: '{reason}（{more}）',
    ahead_nobody: 'カードはまだ公開されておらず、優勢な側はありません。', ahead_level: '公開されたカードでは互角でした。',
    ahead_players: '公開されたカードではプレイヤーが優勢でした。', ahead_house: '公開されたカードではハウスが優勢でした。',

    dealer_had: 'ディーラーは{total}。', dealer_blackjack: 'ディーラーはブラックジャック。',
    dealer_bust: 'ディーラーは{total}で21を超えました。', dealer_shows: 'ディーラーの見せているカードは{total}。',
    bj_blackjack: '{who}はブラックジャック。賭け{stake}、{net}の勝ち。',
    bj_win_bust: '{who}は{total}、ディーラーは21を超えました。賭け{stake}、{net}の勝ち。',
    bj_win: '{who}は{stake}を賭けて{total}、ディーラーは{dealer}。{net}の勝ち。',
    bj_draw: '{who}は{stake}を賭けて{total}、ディーラーと同じ。賭けは戻りました。',
    bj_draw_blackjack: '{who}もディーラーもブラックジャック。賭け{stake}は戻りました。',
    bj_loss: '{who}は{stake}を賭けて{total}、ディーラーは{dealer}。負け。',
    bj_loss_blackjack: '{who}は{stake}を賭けて{total}、ディーラーはブラックジャック。負け。',
    bj_bust: '{who}は{stake}を賭けて{total}で21を超え、負け。',
    bj_surrender: '{who}はサレンダーしました。{stake}のうち{returned}が戻りました。',
    bj_even_money: '{who}はイーブンマネーで{net}の勝ち。',
    bj_open: '{who}の賭けは{stake}、ハンドは{total}。',
    insurance_won: 'インシュランス{stake}が当たり、{returned}が戻りました。',
    insurance_lost: 'インシュランス{stake}は外れました。', insurance_back: 'インシュランス{stake}は戻りました。',

    coup: 'プレイヤー{player}点、バンカー{banker}点。{winner}。',
    coup_player: 'プレイヤーの勝ち', coup_banker: 'バンカーの勝ち', coup_tie: 'タイ',
    spot_player: 'プレイヤー', spot_banker: 'バンカー', spot_tie: 'タイ',
    ball: '玉は{pocket}（{colour}）に落ちました。', red: '赤', black: '黒', green: '緑',
    bet_win: '{spot}に{stake}：{net}の勝ち。', bet_loss: '{spot}に{stake}：負け。',
    bet_draw: '{spot}に{stake}：賭けは戻りました。', bet_open: '{spot}に{stake}。',
    bet_part: '{spot}に{stake}：負け、{back}は戻りました。',
    more_bets: '…ほか{n}件の賭け：{won}件当たり、{lost}件外れ。',
    straight: '{n}', split: '2目賭け {n}', street: '3目賭け {n}', corner: '4目賭け {n}', line: '6目賭け {n}',
    column: '{n}列目のコラム', dozen: '第{n}ダズン', odd: '奇数', even: '偶数', low: 'ロー 1–18', high: 'ハイ 19–36',

    duel: 'ドラゴンは{dragon}、タイガーは{tiger}。{winner}。', duel_dragon: 'ドラゴンの勝ち', duel_tiger: 'タイガーの勝ち',
    duel_tie: 'タイ', duel_suited_tie: 'スーテッドタイ',
    spot_dragon: 'ドラゴン', spot_tiger: 'タイガー', 'spot_suited-tie': 'スーテッドタイ',

    dice: '出目は{dice}、合計{total}。', spot_small: '小', spot_big: '大', 'spot_any-triple': 'ゾロ目すべて',
    spot_triple: 'ゾロ目 {n}', spot_double: 'ダブル {n}', spot_total: '合計 {n}', spot_pair: '2つの目 {n}',
    spot_single: '1つの目 {n}',

    safe_won: '{who}がゲームに勝ちました（{by}）。', safe_nobody: '勝者はいません。',
    by_last_alive: 'ほか全員が失格', by_survived: 'フェイスダウンハンドを開いても生き残った',
    by_last_free_player: 'フェイスダウンハンドなしで最後に失格した',
    by_last_opened: '最後にオープンしたハンドの持ち主だった',
    by_last_round: '最終ラウンド後の最初の席だった',
    out_bust: '{who}は21を超えて失格。', out_face_down: '{who}はフェイスダウンハンドが21を超えて失格。',
    out_absent: '{who}は新しい山のシードが届かず失格。', safe_entry: '{who}は参加料{stake}を払いました。',

    pot_main: 'メインポット{amount}：{won}。', pot_side: 'サイドポット{n}（{amount}）：{won}。',
    pot_rake: 'うちハウスの取り分は{rake}。', pot_won: '{who}に{amount}', pot_low: '{who}にローで{amount}',
    pot_with: '{who}に{hand}で{amount}', uncalled: 'コールされなかった{amount}は{who}に戻りました。',
    shows: '{who}は{cards}を見せました。', shows_hand: '{who}は{cards}を見せました：{hand}。', folds: '{who}はフォールドしました。',
    not_shown: '{who}は見せる必要がありませんでした。',
    mucks: '{who}はハンドを見せませんでした（マック）。', mucked: '見せず',
    high_card: 'ハイカード', pair: 'ワンペア', two_pair: 'ツーペア', three_of_a_kind: 'スリーカード',
    poker_straight: 'ストレート', flush: 'フラッシュ', full_house: 'フルハウス', four_of_a_kind: 'フォーカード',
    straight_flush: 'ストレートフラッシュ',

    verdict_sound: '正しい', verdict_sound_so_far: 'ここまでは正しい', verdict_not_sound: '正しくない',
    verdict_unusable: '判定するものがありません',
    trust_sound: '矛盾なし。ただし鍵はあなたが指定したものではありません',
    trust_sound_so_far: 'ここまでは矛盾なし。ただし鍵はあなたが指定したものではありません',
    on_trust: '署名の鍵は、このファイルに付いてきた{key}です。このような鍵は誰にでも作れます。誰のログかを知るには、' +
      'ファイルをくれた人以外からログの鍵を入手し、入力してください。',
    sound: 'このラウンドは、賭ける前に確定された通りに配られ、支払われました。',
    sound_void: 'すべて公開された規則の通りに行われました。',
    sound_log: 'ここにあるものはすべてログに署名され、規則に従っています。',
    so_far_open: 'ここまでに示されたものは正しい。ラウンドはまだ終わっていません。',
    so_far_seed: 'このラウンドで示されたものは正しい。ハウスのシードはまだ公開前で、示されていない部分の検証は後になります。',
    so_far_void: '示されたものはすべて公開された規則の通りです。ハウスのシードはまだ公開前です。',
    followed: 'このファイルでログが署名したものは正しい。ブラウザーが見つけたことは、署名なしで届いたもの、または届かなかったものによります。',
    changed: 'このファイルは署名の後で書き換えられています。中身はログが保証するものと違うため、ラウンドについて何も示しません。' +
      'サービスか送り主から、もう一度受け取ってください。',
    stranger: 'このファイルは、指定された鍵のログのものではありません。',
    incomplete: 'このファイルはラウンドの全記録ではないか、形式が正しくありません。もう一度入手してください。',
    false_card: 'カードが確定されたものと違います。サービスから直接受け取ったファイルなら、証拠として保管してください。',
    false_deal: '配られたカードが、プレイヤーのシードが選んだものと違います。ログは署名済みで、このファイルは証拠です。',
    false_money: 'お金が規則通りに動いていません。ログは署名済みで、このファイルは証拠です。',
    false_rules: '規則が許さないことが起きています。ログは署名済みで、このファイルは証拠です。',
    no_receipt: 'この受領証は成り立ちません。ログが署名したものに至りません。',
  },
};

// A judged round in words for its players: who won what and why. Hands, totals and winners come from the rules
// (`viewOf`), sums from the log. told-words.js has the sentences.

const fillIn = (text, values) =>
  text.replace(/\{([a-z]+)\}/g, (whole, name) => (values[name] === undefined ? whole : String(values[name])));
const tellerOf = language => (key, values = {}) =>
  fillIn((TOLD_WORDS[language] || TOLD_WORDS.en)[key] ?? TOLD_WORDS.en[key] ?? key, values);
const grouped = amount => String(amount).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
const SUIT_SIGNS = { c: '♣', d: '♦', h: '♥', s: '♠' };
const cardSign = card => (card[0] === 'T' ? '10' : card[0]) + SUIT_SIGNS[card[1]];
const gain = amount => (amount > 0 ? 'won' : amount < 0 ? 'lost' : 'level');

/** The kind of failure of a check, for people; otherwise it is a failure of the log's own rules. */
const FAILURE_KINDS = {
  changed: ['inclusion', 'checkpoint', 'root'],
  stranger: ['key', 'origin'],
  incomplete: [
    'bundle_form', 'bundle_order', 'bundle_context', 'bundle_round', 'entry_form', 'canonical_form', 'opening_missing',
    'opening_extra',
  ],
  false_card: [
    'opening', 'face_false', 'face_changed', 'card_too_often', 'shoe_root', 'seed_opens', 'peek_false', 'seed_reused',
    'root_reused', 'shoe_revealed', 'shoe_committed',
  ],
  false_deal: ['seed_revealed', 'round_opened', 'dealt_slot', 'dealt_place', 'spin'],
  false_money: ['payout', 'posting', 'settlement', 'balance_before', 'void'],
  no_receipt: ['receipt'],
};

const failureKind = check =>
  Object.keys(FAILURE_KINDS).find(kind => FAILURE_KINDS[kind].includes(check)) || 'false_rules';

/** The end of the asked round: its `round_voided`, with the command's reason, or null. */
function voidOf(report) {
  const round = Number(report.round.id.split(':')[1]);
  for (const { entry } of report.entries) {
    const event = entry.events.find(one => one.round_voided && one.round_voided.round_no === round);
    if (!event) continue;
    const { reason } = entry.command.void_round || {};
    return { ...event.round_voided, reason };
  }
  return null;
}

/** A reason of the log: a word of spec/desk.md, "Reasons", alone or before details, in words; anything else quoted. */
function reasonInWords(reason = '', say) {
  const [, word, more] = /^([a-z_]+)(?:: *(.+))?$/.exec(reason) || [];
  if (!word || !(`reason_${word}` in TOLD_WORDS.en)) return say('quoted', { reason });
  return more ? say('detailed', { reason: say(`reason_${word}`), more }) : say(`reason_${word}`);
}

/**
 * The verdict on any input in words: `{verdict, title, text, technical, onTrust}`. `onTrust` says of what holds under a
 * key that the reader did not name that it could be anybody's; otherwise it is null.
 */
function verdictInWords(report, language = 'en') {
  const say = tellerOf(language), { verdict } = report, [finding] = report.findings || [];
  const phase = report.round && report.round.phase, voided = phase === 'voided';
  // A browser's record of a followed table: its finding is in the last line of the story, if there is one.
  const found = report.kind === 'follow' && !finding && / Found was: /.test(report.story[report.story.length - 1]);
  const technical = found ? report.story[report.story.length - 1] : finding
    ? `${finding.entry === undefined ? '' : `entry ${finding.entry}: `}${finding.message} [${finding.check}]`
    : report.message || '';
  const text = () => {
    if (verdict === 'unusable') return report.message;
    if (finding) return say(failureKind(finding.check));
    if (found) return say('followed');
    if (!phase) return say('sound_log');
    if (verdict === 'sound') return say(voided ? 'sound_void' : 'sound');
    return say(voided ? 'so_far_void' : phase === 'settled' ? 'so_far_seed' : 'so_far_open');
  };
  const isOnTrust = verdict.startsWith('sound') && report.key_trusted === false;
  const title = say(`${isOnTrust ? 'trust' : 'verdict'}_${verdict}`);
  return {
    verdict, title, text: text(), technical, onTrust: isOnTrust ? say('on_trust', { key: report.key }) : null,
  };
}

/** A spot of a layout by its name. */
function spotInWords(spot, say) {
  const [kind, n] = spot.split(':'), key = `spot_${kind}`;
  return say(key in TOLD_WORDS.en ? key : kind, { n });
}

/** Bets on spots, as many as fit; the others are counted. */
function betsInWords(bets, say, most = 6) {
  const net = bet => bet.returned - bet.stake;
  const ordered = [...bets].sort((a, b) => net(b) - net(a)), rest = ordered.slice(most);
  const lines = ordered.slice(0, most).map(bet =>
    say(`bet_${bet.outcome === 'loss' && bet.returned ? 'part' : bet.outcome || 'open'}`, {
      stake: grouped(bet.stake), spot: spotInWords(bet.spot, say), net: grouped(net(bet)), back: grouped(bet.returned),
    }));
  const count = outcome => rest.filter(bet => bet.outcome === outcome).length;
  if (rest.length) lines.push(say('more_bets', { n: rest.length, won: count('win'), lost: count('loss') }));
  return lines;
}

/** Whether a total of 21 has only two cards. */
const natural = cards => cards.length === 2 && cards.every(({ card }) => card) &&
  cards.some(({ card }) => card[0] === 'A') && cards.some(({ card }) => 'TJQK'.includes(card[0]));

/** The name of the best shown hand of a player, or undefined. */
function bestShown({ hole }, board, hand, say) {
  const faces = hole.map(({ card }) => card), up = board.map(({ card }) => card).filter(card => card);
  if (!hand || up.length < 3 || !faces.length || faces.some(card => !card)) return undefined;
  const key = pokerRanks.best(hand.family, faces, up).name.replace(/ /g, '_');
  return say(key === 'straight' ? 'poker_straight' : key);
}

/**
 * The players who gave a hand up unshown at the showdown: the view calls their hand folded, like that of one who
 * folded.
 */
function muckedIn({ round, entries }) {
  const found = new Set();
  let isOn = false;
  for (const { entry } of entries)
    for (const { hand_begun: begun, play } of entry.events) {
      if (begun) isOn = round.id.endsWith(`:${begun.round_no}`);
      if (isOn && play && play.acted && play.acted.action === 'muck') found.add(play.acted.player);
    }
  return found;
}

/**
 * Tells a judged round: `{game, phase, title, table: [text], players: [{player, staked, returned, net, gain, lines}],
 * voided: {cause, ahead, missing, lines} | null}`. `view` is the round at its end (`viewOf`), or null if unknown; `me`
 * is called "you".
 */
function roundInWords(report, view = null, { me = null, language = 'en' } = {}) {
  const say = tellerOf(language), { phase, players = [] } = report.round;
  const called = player => (player === me ? say('you') : player), over = ['settled', 'voided'].includes(phase);
  const game = view && view.game ? view.game.kind : null, tell = game && GAMES[game].told;
  const end = phase === 'voided' ? voidOf(report) : null, mucked = muckedIn(report);
  const told = players.map(({ player, staked, returned }) => {
    const who = called(player), net = over ? returned - staked : 0;
    const sums = { who, staked: grouped(staked), returned: grouped(returned), net: grouped(Math.abs(net)) };
    const how = tell && !end ? tell.player(view.game, player, who, say, report.hand, mucked) : [];
    const money = over ? say(gain(net), sums) : say('staked_so_far', sums);
    return { player, who, staked, returned, net, gain: over ? gain(net) : 'open', lines: [...how, money], sums };
  });
  const table = tell ? tell.table(view.game, say, over, called, report.hand) : [];
  const kept = end && told.some(({ net }) => net !== 0);
  const voided = end && {
    cause: end.cause, ahead: end.ahead, missing: end.missing,
    lines: [
      say(kept ? 'void_kept' : 'void_back'),
      say(`cause_${end.cause}`, {
        missing: end.missing.map(called).join(say('list')), reason: reasonInWords(end.reason, say),
      }),
      say(`ahead_${end.ahead}`),
    ],
  };
  return {
    game, phase, table, voided, title: roundTitle(phase, told, me, say),
    players: told.map(({ sums, ...rest }) => rest),
  };
}

/** The round in one sentence; to one of its players, about them. */
function roundTitle(phase, told, me, say) {
  if (phase === 'voided') return say('void');
  if (phase !== 'settled') return say(phase === 'open' ? 'open' : 'awaiting');
  const one = told.length === 1 ? told[0] : told.find(({ player }) => player === me);
  if (one) return say(`one_${one.gain}`, one.sums);
  // A dealt-in player without a stake neither won nor lost.
  const ordered = told.filter(({ staked, net }) => staked || net).sort((a, b) => b.net - a.net);
  const named = ordered.slice(0, 4).map(one => say(`${one.gain}_short`, one.sums));
  if (ordered.length > 4) named.push(say('others', { n: ordered.length - 4 }));
  return `${named.join(say('and'))}${say('and') === '、' ? '。' : '.'}`;
}

/** The cards on the table, hand by hand: `[{name, worth, cards: [{card}], mine, wide}]`. */
function handsInWords(view, { me = null, language = 'en', hand = null, report = null } = {}) {
  const say = tellerOf(language), { game } = view;
  const called = player => (player === me ? say('you') : player), mucked = report ? muckedIn(report) : new Set();
  const sum21 = ({ cards, total, soft }) => {
    const shown = cards.filter(({ card }) => card).length;
    // One ace has no total yet.
    return !shown ? '' : soft && shown === 1 ? '1/11' : say(soft ? 'soft' : 'total', { n: total });
  };
  const worthOf = one => (natural(one.cards) && one.blackjack !== false ? say('blackjack') : sum21(one));
  const point = (name, { cards, points }) => ({ name, worth: say('points', { n: points }), cards });
  const tools = { say, called, me, hand, mucked, sum21, worthOf, point };
  return game ? GAMES[game.kind].hands(game, tools) : [];
}

/** Which round each entry of a bundle is part of: `[{index, round}]`, null between rounds. */
function roundsOfEntries(report) {
  let live = null;
  return report.entries.map(({ index, entry }) => {
    const event = kind => (entry.events.find(one => one[kind]) || {})[kind];
    const begun = event('bets_closed') || event('hand_begun'), opened = event('bets_opened') || event('hand_called');
    const asked = Object.values(entry.command)[0].round_no;
    if (begun) live = begun.round_no;
    const round = live !== null ? live : opened ? opened.round_no : asked === undefined ? null : asked;
    if (event('round_settled') || event('round_voided')) live = null;
    return { index, round };
  });
}

/** The lines of a story about each entry, by index; and those about none. */
function storyLines(report) {
  const byEntry = new Map(), rest = [];
  let of = null;
  for (const line of report.story) {
    const head = /^\[(\d+)\] /.exec(line);
    if (head) byEntry.set(Number(head[1]), of = [line]);
    else if (of && line.startsWith('  ')) of.push(line);
    else { of = null; rest.push(line); }
  }
  return { byEntry, rest };
}

/**
 * A judged bundle's story by round, in order: `[{round, asked, first, count, lines}]`. `asked` marks the bundle's own
 * round, and the commitment and the end of its shoe.
 */
function storyByRound(report) {
  const { byEntry } = storyLines(report), wanted = Number(report.round.id.split(':')[1]), parts = [];
  const entryAt = new Map(report.entries.map(({ index, entry }) => [index, entry]));
  const frames = index =>
    entryAt.get(index).events.some(one => one.shoe_committed || one.shoe_revealed || one.shoe_sealed);
  let seen = false;
  for (const { index, round } of roundsOfEntries(report)) {
    const asked = round === wanted || (round === null && frames(index)), last = parts[parts.length - 1];
    if (round !== null) seen = true;
    if (!last || last.round !== round || last.asked !== asked)
      parts.push({ round, asked, first: !seen, count: 0, lines: [] });
    const part = parts[parts.length - 1];
    part.count++;
    part.lines.push(...(byEntry.get(index) || []));
  }
  return parts;
}

/** The story's lines about the log, its key and its shoes, without those about an entry. */
const storyOutsideEntries = report => storyLines(report).rest;

/** The asked round at its end by the rules, from its bundle; null if it is unknown. */
function viewAtEnd(text, report) {
  const views = replayOf(text, report.round.id, report.key_trusted ? report.key : null).steps.map(({ view }) => view);
  return views.filter(Boolean).pop() || null;
}

// A round judged from a dispute bundle: spec/audit.md, "The bundle".

const BUNDLE_FIELDS = ['fairshoe_bundle', 'round', 'vkey', 'checkpoint', 'context', 'entries', 'openings'];
const HALF_PAIR = /[\ud800-\udfff]/u;
const hasExactly = (value, fields) =>
  isObject(value) && Object.keys(value).length === fields.length && fields.every(field => Object.hasOwn(value, field));

const ROUND = /^([a-z0-9_-][a-z0-9._-]{0,63}):(0|[1-9][0-9]{0,19})$/;
const MOST_OPENINGS = 4096;

/** Half of a surrogate pair is no character and cannot occur in UTF-8 text. */
function jsonOf(text) {
  return JSON.parse(text, (name, value) => {
    if (HALF_PAIR.test(name) || (typeof value === 'string' && HALF_PAIR.test(value)))
      throw new SyntaxError('half of a surrogate pair');
    return value;
  });
}

/** `TABLE:NUMBER`: `{table, roundNo}`, or null. */
function readRound(round) {
  const [, table, no] = (typeof round === 'string' && ROUND.exec(round)) || [];
  return table !== undefined && isCount(Number(no)) ? { table, roundNo: Number(no) } : null;
}

/** Why these cannot be the lists of a bundle, or of a follower's file; or null. `isProof` checks an entry's proof. */
function listsFault({ context, entries, openings }, most, isProof) {
  if (!isList(context) || !isList(entries) || !isList(openings)) return 'context, entries and openings are lists';
  if (context.length + entries.length > most) return `there are at most ${grouped(most)} entries`;
  if (openings.length > MOST_OPENINGS) return `there are at most ${grouped(MOST_OPENINGS)} openings`;
  for (const item of [...context, ...entries]) {
    if (!hasExactly(item, ['index', 'entry', 'proof']) || !isCount(item.index) || typeof item.entry !== 'string')
      return 'an entry has the fields index, entry and proof';
    if (!isProof(item.proof)) return 'the proof of an entry is malformed';
  }
  return openings.every(isOpening) ? null : 'an opening is malformed';
}

function readBundle(text) {
  if (utf8(text).length > 32 * 1024 * 1024) unsound('bundle_form', 'a bundle has at most 32 MiB');
  let bundle;
  try {
    bundle = jsonOf(text);
  } catch (error) {
    throw new Unusable(`this is no bundle: not JSON (${error.message})`);
  }
  if (!isObject(bundle) || bundle.fairshoe_bundle === undefined)
    throw new Unusable('this is no bundle: it has no field fairshoe_bundle');
  const wrong = message => unsound('bundle_form', message), twofold = ambiguity(text);
  if (twofold) wrong(twofold);
  if (bundle.fairshoe_bundle !== 1) wrong(`the bundle's version is ${quote(bundle.fairshoe_bundle)}, not 1`);
  if (!hasExactly(bundle, BUNDLE_FIELDS)) wrong('the bundle has unknown or missing fields');
  const round = readRound(bundle.round);
  if (!round) wrong('round is not TABLE:NUMBER');
  if (typeof bundle.vkey !== 'string' || typeof bundle.checkpoint !== 'string') wrong('vkey and checkpoint are texts');
  const malformed = listsFault(bundle, 10000, proof => isList(proof) && proof.length <= 64);
  if (malformed) wrong(malformed);
  return { ...bundle, ...round };
}

/** Steps 1 to 3: which log it is, and that each entry is on it. */
function checkSignedEntries(bundle, trusted) {
  const key = under('key', () => readLogKey(bundle.vkey));
  if (trusted && trusted !== bundle.vkey)
    unsound('key', `the bundle is of the log with the key ${bundle.vkey}, not of ${trusted}`);
  const checkpoint = under('checkpoint', () => openCheckpoint(utf8(bundle.checkpoint), key));
  for (const item of [...bundle.context, ...bundle.entries]) {
    const path = item.proof.map(text => hash64(text) || unsound('bundle_form', 'a hash of a proof is malformed'));
    try {
      checkInclusion(leafHash(utf8(item.entry)), BigInt(item.index), checkpoint.size, path, checkpoint.root);
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      throw Object.assign(new Unsound('inclusion', `the entry is not under the checkpoint: ${error.message}`), {
        entry: item.index,
      });
    }
  }
  return checkpoint;
}

/** The opening of a table, `{table, rules}`, or undefined. */
const openingOf = command => command.open_table || command.open_event_table;

/** Step 4: the order of the indices, and the content of the context. */
function checkContext(bundle, context, entries, origin) {
  for (const list of [context, entries]) {
    const fallen = list.find(({ index }, i) => i && list[i - 1].index >= index);
    if (fallen) unsoundAt(fallen.index, 'bundle_order', 'indices do not ascend');
  }
  if (!entries.length) unsound('bundle_context', 'the bundle holds no entry of the table');
  const twice = context.find(({ index }) => entries.some(other => other.index === index));
  if (twice) unsoundAt(twice.index, 'bundle_order', 'the entry is held twice');
  const alien = entries.find(
    ({ entry: { command } }) => command.disclose_shoe || Object.values(command)[0].table !== bundle.table,
  );
  const first = entries[0].index, last = entries[entries.length - 1].index;
  const openings = context.filter(({ entry }) => openingOf(entry.command));
  const starts = context.filter(({ entry }) => entry.command.start_dealer);
  const keys = context.filter(({ entry }) => entry.command.create_player || entry.command.set_key);
  const faultOf = item => {
    const { index, entry: { command } } = item;
    if (![openings, starts, keys].some(list => list.includes(item)))
      return [
        'bundle_context',
        "the context holds something else than the table's opening, starts of the dealer and keys of players",
      ];
    if (command.create_player && command.create_player.key === undefined)
      return ['bundle_context', 'the context holds a player without a key'];
    if (openings.includes(item) && (openingOf(command).table !== bundle.table || index > first))
      return ['bundle_context', 'the context holds the opening of another table, or one after the first entry'];
    if (!openings.includes(item) && index > last)
      return ['bundle_context', 'the context holds a start or a key after the last entry'];
    if (command.start_dealer && command.start_dealer.origin !== origin)
      return ['origin', 'a start names another log than the key'];
    return null;
  };
  const faulty = context.find(faultOf);
  if (alien && !(faulty && faulty.index < alien.index))
    unsoundAt(alien.index, 'bundle_order', 'an entry is not of this table');
  if (faulty) unsoundAt(faulty.index, ...faultOf(faulty));
  if (openings.length !== 1) unsound('bundle_context', 'the context does not hold the opening of the table, once');
  if (starts.filter(({ index }) => index < first).length !== 1)
    unsound('bundle_context', 'the context does not hold exactly one start before the shoe');
}

/** Step 8: shown faces of shoes without a published seed need openings; `mayMiss` if some may still come. */
function checkOpenings(openings, shoes, mayMiss = false) {
  const opened = new Set();
  for (const opening of openings) {
    const holding = shoes.filter(shoe => openingHolds(opening, shoe.composition, shoe.root));
    const about = shoes.find(({ faces }) => faces.has(opening.slot));
    if (!about) unsound('opening_extra', `slot ${opening.slot} is opened and was never shown`);
    if (!holding.length)
      unsoundAt(
        about.faces.get(opening.slot).entry,
        'opening',
        `the opening of slot ${opening.slot} does not lead to the committed root`,
      );
    const shoe = holding.find(candidate => candidate.faces.has(opening.slot));
    if (!shoe) unsound('opening_extra', `slot ${opening.slot} is opened and was never shown`);
    const name = `${shoe.no}/${opening.slot}`, { face, entry } = shoe.faces.get(opening.slot);
    const value = shoe.composition.wheel ? opening.value : cardOf(opening.value);
    if (value !== face)
      unsoundAt(
        entry,
        'opening',
        `slot ${opening.slot} of shoe ${shoe.no} is opened as ${value}, the log shows ${face}`,
      );
    if (opened.has(name)) unsound('opening_extra', `slot ${opening.slot} of shoe ${shoe.no} is opened twice`);
    opened.add(name);
  }
  const hidden = shoes
    .filter(candidate => !candidate.revealed && !candidate.sealed)
    .flatMap(({ no, faces }) => [...faces].map(([slot, { face, entry }]) => ({ no, slot, face, entry })));
  const [missing] = hidden
    .filter(({ no, slot }) => !opened.has(`${no}/${slot}`))
    .sort((a, b) => a.entry - b.entry || a.no - b.no);
  if (missing && !mayMiss)
    unsoundAt(
      missing.entry,
      'opening_missing',
      `${missing.face} is shown in slot ${missing.slot} of shoe ${missing.no}, without an opening`,
    );
}

/**
 * The result of a round: its phase, and each player's stakes and returns. `table` is the state after the entries: chips
 * of a hand of poker leave a seat when the hand ends, and until then all chips put in are in its pot.
 */
function roundOutcome(entries, bundle, table) {
  const outcome = { id: bundle.round, shoe_no: null, rules: null, phase: null, players: [] };
  const soFar = new Map(), of = player => soFar.get(player);
  for (const { entry } of entries) {
    for (const event of entry.events) {
      const name = eventName(event), e = eventFields(event);
      if (['bets_closed', 'hand_begun'].includes(name) && e.round_no === bundle.roundNo) {
        Object.assign(outcome, { phase: 'awaiting_reveals', shoe_no: e.shoe_no });
        e.contributors.forEach(({ player, bets = [] }) =>
          soFar.set(player, { player, staked: sum(bets.map(bet => bet.stake)), returned: 0 }),
        );
      }
      if (!['awaiting_reveals', 'open'].includes(outcome.phase)) continue;
      if (name === 'round_opened') outcome.phase = 'open';
      else if (name === 'acted' && of(e.player) && !isCash(table)) of(e.player).staked += e.cost;
      else if (name === 'paid') {
        e.lines.forEach(line => { if (of(line.player)) of(line.player).returned += line.returned; });
      } else if (['round_settled', 'round_voided'].includes(name) && e.round_no === bundle.roundNo)
        Object.assign(outcome, { phase: name.slice(6), players: e.players });
    }
  }
  if (!outcome.players.length) outcome.players = [...soFar.values()];
  const live = table && table.live;
  if (isCash(table) && live && live.no === bundle.roundNo)
    for (const { player, put } of live.game.seats) if (of(player)) of(player).staked = put;
  return outcome;
}

// A reader of the last line alone has to know whose log it is, too.
const ON_TRUST = ' The log\'s own key was taken on trust: you named none.';
const NOBODY_VOUCHED = 'Nobody vouched for this key here: compare it with the one you know the log by.';

/**
 * Decides all of a bundle's entries again. Fills `report` on the way. `watcher` gets calls: `begins(house, context)`
 * before the first entry, `decided(item, lines)` after each of the table's; `withoutRound` if the round need not be
 * among them; `goesOn` if entries may follow the shoe's end, and openings may come later.
 */
function judgeBundle(bundle, report, trusted, watcher) {
  return judgeHistory(bundle, checkSignedEntries(bundle, trusted), report, trusted, watcher);
}

/** The same for entries that are known to be on the log of this checkpoint. */
function judgeHistory(bundle, checkpoint, report, trusted, watcher = {}) {
  report.story.push(
    `The log ${checkpoint.origin} vouches for ${checkpoint.size} entries under root ${base64(checkpoint.root)}.`,
    `It is signed with the key ${bundle.vkey}. ${trusted ? 'That is the key you trust.' : NOBODY_VOUCHED}`);
  const parse = item => located(item.index, bundle.table, () => ({ index: item.index, entry: readEntry(item.entry) }));
  const context = bundle.context.map(parse), entries = bundle.entries.map(parse);
  checkContext(bundle, context, entries, checkpoint.origin);
  const first = entries[0];
  if (
    !(first.entry.command.commit_shoe || first.entry.command.call_hand) ||
    !first.entry.events.some(event => event.shoe_committed)
  )
    throw Object.assign(new Unsound('bundle_order', 'the first entry does not commit the shoe'), {
      entry: first.index,
      table: bundle.table,
    });
  const house = Object.assign(new House(true), { origin: checkpoint.origin }),
    { shoes } = house,
    inEntries = new Set(entries.map(({ entry }) => entry));
  const all = [...context, ...entries].sort((a, b) => a.index - b.index);
  if (watcher.begins) watcher.begins(house, context);
  let over = false;
  for (const { index, entry } of all) {
    located(index, bundle.table, () => {
      if (over && !watcher.goesOn && inEntries.has(entry))
        unsound('bundle_order', 'an entry comes after the reveal of the shoe');
      if (entry === first.entry) enterBundle(house, bundle.table, first, context);
      house.judge(entry, index);
      const lines = storyOf(index, entry, isCash(house.tables.get(bundle.table) || house.table));
      report.entries.push({ index, entry });
      report.story.push(...lines);
      if (watcher.decided && inEntries.has(entry)) watcher.decided({ index, entry }, lines);
      over = house.shoes.length > 0 && (house.shoes[0].revealed === true || house.shoes[0].sealed === true);
    });
  }
  report.round = roundOutcome(entries, bundle, house.tables.get(bundle.table) || house.table);
  if (report.round.phase === null && !watcher.withoutRound)
    unsound('bundle_round', `round ${bundle.roundNo} is not among the entries`);
  report.round.rules = context.map(({ entry }) => openingOf(entry.command)).find(opens => opens).rules.name;
  (watcher.opens || checkOpenings)(bundle.openings, shoes, watcher.goesOn);
  report.hand = house.hands.find(({ round }) => round === bundle.roundNo) || null;
  if (report.hand) report.story.push(...handWords(report.hand));
  report.deck = shoes.length ? { composition: shoes[0].composition, root: shoes[0].root } : null;
  for (const shown of house.shown)
    report.story.push(
      `The seed of shoe ${shown.shoe}, out in entry ${shown.entry}, opens its commitment; the proper shoe it orders ` +
        `has the committed root; all ${shown.faces} faces shown are the ones in their slots.`,
    );
  report.shoes = house.shown;
  const sealed = shoes.filter(shoe => shoe.sealed),
    hidden = shoes.filter(shoe => !shoe.revealed && !shoe.sealed),
    inPlay = ['awaiting_reveals', 'open'].includes(report.round.phase);
  for (const shoe of sealed)
    report.story.push(
      `Shoe ${shoe.no} is sealed: each of the ${shoe.faces.size} faces shown is opened against the root of the deck ` +
        `that the players' seeds picked, and the other deck was shown whole. What nobody turned up stays hidden.`,
    );
  if (hidden.length)
    report.story.push(
      `The seed of shoe ${names(hidden.map(shoe => shoe.no))} is not out: that it is a proper one is still to be ` +
        'shown.',
    );
  report.story.push(
    "Every slot follows from the players' seeds, every event and payment from the rules.",
    'How the table stood before is stated by the entry that commits the shoe; who checks the whole log finds out ' +
      'whether it stood so.',
    "Taken on the log's word, being in entries that a bundle does not hold: balances before the round, earlier " +
      "offences and refunds, how long the dealer was down.",
  );
  for (const { player, staked, returned } of report.round.players)
    report.story.push(
      report.round.phase === 'voided'
        ? `${player} staked ${staked} and got ${returned} back; the round is void.`
        : `${player} staked ${staked} and got back ${returned}${inPlay ? ' so far' : ''}.`,
    );
  return hidden.length || inPlay ? 'sound_so_far' : 'sound';
}

/**
 * A player's own cards: openings of hidden slots, checked against the deck of a judged bundle's round. Returns
 * `{verdict, story, openings: [{slot, card, state}]}`; `json` is any JSON that holds openings.
 */
function verifyOwnCards(report, json) {
  const openings = [], find = (value, depth) => {
    if (isOpening(value)) openings.push(value);
    else if (value !== null && typeof value === 'object' && depth < 16)
      Object.values(value).forEach(inner => find(inner, depth + 1));
  };
  find(json, 0);
  if (!openings.length) throw new Unusable('no opening is in this JSON: it has the fields slot, value, salt and path');
  const round = Number(report.round.id.split(':')[1]), places = new Map();
  let on = false;
  for (const { entry } of report.entries) {
    for (const event of entry.events) {
      const name = eventName(event), e = eventFields(event);
      if (['bets_closed', 'hand_begun'].includes(name)) on = e.round_no === round;
      if (on && name === 'dealt') places.set(e.slot, e.to);
    }
  }
  if (!report.deck || !places.size) throw new Unusable('no card of that round is dealt');
  const own = { verdict: 'sound', story: [], openings: [] };
  for (const opening of openings) {
    const to = places.get(opening.slot),
      holds =
        to !== undefined &&
        report.deck.composition.codes.includes(opening.value) &&
        openingHolds(opening, report.deck.composition, report.deck.root);
    if (!holds) own.verdict = 'not_sound';
    own.openings.push({
      slot: opening.slot, card: opening.value < 52 ? cardOf(opening.value) : null,
      state: to === undefined ? 'not_dealt' : holds ? 'held' : 'not_held',
    });
    own.story.push(to === undefined ? `NOT SOUND. Slot ${opening.slot} was not dealt in this round.`
        : `${holds ? 'SOUND' : 'NOT SOUND'}. ${opening.value < 52 ? cardOf(opening.value) : 'That'} ` +
          `${holds ? 'is' : 'is not'} the committed card in slot ${opening.slot}, dealt to ` +
          `${placeWords(to, !!report.hand || to.endsWith('/1'))}.`,
    );
  }
  return own;
}

/** Step 5: from here on the table is known, as its first entry states it. `context` holds the entries judged before. */
function enterBundle(house, name, { index, entry }, context) {
  const table = house.tables.get(name), { seq } = entry.at || { seq: 0 };
  const event = kind => (entry.events.find(one => one[kind]) || {})[kind];
  house.entered = true;
  const noted = event('table_noted');
  Object.assign(table, {
    seq,
    nextShoe: event('shoe_committed').shoe_no,
    recovering: false,
    downSince: null,
    firstRound: 0,
  });
  // The opening, or the start after it, at which the table was put in order before all else.
  const before = context.filter(item => item.index < index);
  const earliest = Math.max(
    ...before
      .filter(({ entry: { command } }) => openingOf(command) || command.start_dealer)
      .map(item => item.entry.time),
  );
  const why =
    noted &&
    (house.cannotFollow(noted, seq, event('shoe_committed').shoe_no, earliest) ||
      house.takeNoted(table, noted, entry.time));
  if (why) unsound('table_noted', `no table of these rules stands as the entry states it: ${why}`);
}

/** Runs `action`; a failure in it belongs to this entry. */
function located(index, table, action) {
  try {
    return action();
  } catch (error) {
    if (error instanceof Unsound && error.entry === undefined) Object.assign(error, { entry: index, table });
    throw error;
  }
}

/**
 * The verdict on a bundle: `{verdict, findings, story, key, key_trusted, round}`, with `entries` and `shoes` for
 * display. Throws Unusable if there is nothing to judge.
 */
const verifyBundle = (text, trusted = null) => watchBundle(text, trusted, {});

/** The same with a watcher; `round` if another round than the bundle's is asked about. */
function watchBundle(text, trusted, watcher) {
  const report = {
    verdict: 'not_sound',
    findings: [],
    story: [],
    key: null,
    key_trusted: !!trusted,
    round: null,
    entries: [],
    shoes: [],
  };
  try {
    const bundle = readBundle(text);
    if (watcher.read) watcher.read(bundle);
    report.key = bundle.vkey;
    report.round = { id: bundle.round };
    report.verdict = judgeBundle(bundle, report, trusted, watcher);
    const isVoid = report.round.phase === 'voided';
    const end =
      report.verdict === 'sound' && isVoid
        ? `SOUND. Round ${bundle.round} is void, as its cause demands; what was dealt is as committed.`
        : report.verdict === 'sound' ? `SOUND. Round ${bundle.round} was dealt and paid as committed.`
        : `SOUND SO FAR. Everything shown of round ${bundle.round} holds; ask for a newer bundle when the shoe's ` +
          'seed is out.';
    report.story.push(trusted ? end : end + ON_TRUST);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    const { check, entry, table, message } = error;
    report.findings.push({
      check,
      ...(entry === undefined ? {} : { entry }),
      ...(table === undefined ? {} : { table }),
      message,
    });
    report.story.push(`NOT SOUND. ${entry === undefined ? '' : `entry ${entry}: `}${message} [${check}]`);
  }
  return report;
}

/** The same for a file's bytes: text that is not UTF-8 is no bundle. */
function verifyBundleBytes(bytes, trusted = null) {
  let text;
  try {
    text = strictText(bytes, 'the file');
  } catch (error) {
    throw new Unusable(`this is no bundle: ${error.message}`);
  }
  return verifyBundle(text, trusted);
}

// Rounds and tables as everyone may see them, computed from the rules' state: openapi.yaml, `RoundView` and
// `TableView`. A hidden card is a slot.

/** The total of the face-up cards. */
const pointsOf = cards => {
  const faces = cards.filter(({ card }) => card).map(({ card }) => card), total = handTotal(faces);
  return { total, soft: total !== sum(faces.map(cardValue)) };
};
const cardsOf = cards => cards.map(({ slot, card }) => ({ slot, card: card || null }));
const byName = names => [...names].sort(compareText);

/** The open decisions of a round, with options as far as each player's balance goes. */
function decisionsOf(house, table, live, game) {
  if (!live.opened || live.end) return [];
  const { name, openDecisions, options } = gameOf(table.rules), solo = table.rules.table.mode === 'solo';
  return openDecisions(game).map(({ decision, player, place }) => {
    const { deadline, bankFrom } = live.decisions.get(decision), from = Math.max(bankFrom ?? 0, live.turnBy);
    const [spot, hand] = place.split('/').map(Number);
    const banked = bankFrom !== undefined, latest = Math.max(deadline, solo ? live.settleBy : live.turnBy);
    return {
      decision, player, place, spot, hand,
      options: options(game, decision, name === 'poker' ? 0 : house.balance(player)),
      ...(banked ? { bank_from: from } : {}),
      deadline: banked ? from + deadline - bankFrom : latest,
    };
  });
}

const pileView = ({ no, shoe, players, by, closed, commitments, seeds }) => ({
  round_no: no,
  shoe_no: shoe.no,
  awaits: closed ? 'seeds' : 'commitments',
  deadline: by,
  players: players.map(player => ({
    player,
    commitment: commitments.get(player) ?? null,
    seed: seeds.get(player) ?? null,
  })),
});

/** A round with a number and a shoe, but without binding bets. */
function roundToCome(table) {
  const { name, window, shoe } = table, placed = byName(window.bets.keys()).map(player => window.bets.get(player));
  const contributors = placed.map(({ player, bets, commitment }) => ({
    player, bets, commitment, seed: null, staked: sum(bets.map(bet => bet.stake)), returned: 0,
  }));
  return {
    id: `${name}:${window.no}`, table: name, round_no: window.no, shoe_no: shoe.no,
    phase: isCash(table) ? 'called' : 'betting',
    closes_at: window.closesAt,
    reveal_by: null, settle_by: null, contributors, entropy: null, pick: 0, decisions: [], void: null,
    staked: sum(contributors.map(({ staked }) => staked)),
    returned: 0, game: null,
  };
}

/** The round in play at a table of this house, or the one that ended last, as everyone may see it; or null. */
function viewOf(house, table) {
  const live = table && (table.live || table.ended);
  if (!live) return null;
  const rules = gameOf(table.rules), game = live.game || rules.start(table.rules, live.contributors);
  const { end = null } = live, of = player => end && end.players.find(one => one.player === player);
  const contributors = live.contributors.map(({ player, bets = [], commitment }) => ({
    player, bets, commitment,
    seed: live.seeds.get(player) ?? null,
    staked: end ? of(player).staked : live.staked.get(player) || 0,
    returned: end ? of(player).returned : live.returned.get(player) || 0,
  }));
  return {
    id: `${table.name}:${live.no}`, table: table.name, round_no: live.no, shoe_no: live.shoe.no,
    ...(live.piles.length > 1 ? { shoes: live.piles.map(({ no }) => no) } : {}),
    phase: end ? end.phase : live.opened ? 'open' : 'awaiting_reveals',
    reveal_by: end || live.opened ? null : live.revealBy,
    settle_by: end || !live.opened ? null : live.settleBy,
    contributors,
    entropy: live.opened ? hex(live.entropy) : null,
    pick: live.pick,
    decisions: decisionsOf(house, table, live, game),
    ...(live.pile ? { pile: pileView(live.pile) } : {}),
    void: end ? end.void : null,
    staked: sum(contributors.map(({ staked }) => staked)),
    returned: sum(contributors.map(({ returned }) => returned)),
    game: { kind: rules.name, ...rules.view(game) },
  };
}

const blindsText = ({ small, big, third }) => [small, big, ...(third === undefined ? [] : [third])].join('/');

/** A cash table's own state, apart from its seats' players. */
function cashOf(house, table) {
  const { window, carried } = table;
  return {
    call: window && {
      awaited: byName(window.expected),
      closes_at: window.closesAt,
      round_no: window.no,
      shoe_no: table.shoe.no,
    },
    committed: byName((window ? window.bets : carried).keys()),
    level: blindsText(table.rules.game.poker.blinds),
    positions: table.positions,
    seats: house.cashSeats(table).map(seat => ({
      away: seat.away, bank_ms: seat.bank, entry: seat.entry, hands: seat.hands, leaving: seat.leaving,
      owes: { ...seat.owes },
      player: seat.player, seat: seat.seat, sitting_out: seat.out, stack: seat.stack, straddle: seat.straddle,
      top_up: seat.topUp,
    })),
  };
}

/** Seats, window and shoe of a table of this house, with the fields that `TableView` has for them. */
function tableOf(house, table) {
  const { shoe, window, live } = table, cash = isCash(table), wheel = gameOf(table.rules).wheel;
  const mayBet = player => wheel || !shoe || shoe.bettors === null || shoe.bettors.has(player);
  const seats = cash
    ? house.cashSeats(table).map(({ seat, player }) => ({
        seat, player, misses: 0, asks: false, waits_for_shoe: false,
      }))
    : [...table.seats]
        .sort(([a], [b]) => a - b)
        .map(([seat, player]) => ({
          seat, player,
          misses: table.misses.get(player) || 0,
          asks: table.asked.has(player),
          waits_for_shoe: !mayBet(player),
        }));
  return {
    table: table.name,
    next_round: table.nextRound,
    round: live ? `${table.name}:${live.no}` : null,
    shoe: shoe && {
      shoe_no: shoe.no,
      composition: shoe.composition.text,
      candidates: shoe.candidates,
      undrawn: live && live.shoe === shoe && live.order ? live.order.length : shoe.undrawn.size,
      entry: shoe.entry,
      seq: shoe.seq,
    },
    seats,
    window: window && !cash
      ? {
          round_no: window.no,
          shoe_no: shoe.no,
          closes_at: window.closesAt,
          bets: byName(window.bets.keys()).map(player => window.bets.get(player)),
          expected: byName(window.expected),
        }
      : null,
    cash: cash ? cashOf(house, table) : null,
    waiting: byName([...table.wishes].filter(([, since]) => house.time < since + WISH_MS).map(([player]) => player)),
    last_hand: !cash && (table.shuffleAsked || (!!shoe && shoe.lastHand)),
  };
}

// Faces that were shown, each with the opening that proves it: spec/fairness.md, "Openings"; spec/page.md, 3 and 4.

const faceName = (shoe, slot) => `${shoe}/${slot}`;

/** An opening as the service sends it, without its optional shoe number. */
const bareOpening = opening => {
  if (!isObject(opening)) return opening;
  const { shoe_no, ...bare } = opening;
  return bare;
};

/** The opening of any slot of a shoe with this seed; its tree is made at the first request. */
function openingsOfShoe({ faces, salts }) {
  let levels = null;
  const makeTree = () => {
    levels = [faces.map((face, i) => leafHash(concat(salts[i], u16(i), Uint8Array.of(face))))];
    for (let [below] = levels; below.length > 1; levels.push(below))
      below = Array.from({ length: Math.ceil(below.length / 2) }, (_, i) =>
        2 * i + 1 < below.length ? nodeHash(below[2 * i], below[2 * i + 1]) : below[2 * i],
      );
  };
  return slot => {
    if (!levels) makeTree();
    const siblings = levels.slice(0, -1).map((level, h) => level[(slot >> h) ^ 1]).filter(hash => hash);
    return { slot, value: faces[slot], salt: hex(salts[slot]), path: siblings.map(hex) };
  };
}

/** The known openings of one table's shoes, by `faceName`. */
class Openings {
  constructor() {
    this.known = new Map();
    this.seeds = new Map(); // shoe -> the opening of any slot, once its seed is out
  }

  of(shoe, slot) {
    const opening = this.known.get(faceName(shoe.no, slot));
    return opening || (this.seeds.has(shoe.no) ? this.seeds.get(shoe.no)(slot) : null);
  }

  /** Takes a single opening: finds its shoe, and checks that it shows the log's face. */
  take(given, shoes) {
    const opening = bareOpening(given), named = isObject(given) ? given.shoe_no : undefined;
    if (!isOpening(opening)) unsound('opening', 'an opening is malformed');
    const { slot } = opening, asked = named === undefined ? shoes : shoes.filter(({ no }) => no === named);
    const about = asked.find(({ faces }) => faces.has(slot));
    const holding = asked.filter(shoe => openingHolds(opening, shoe.composition, shoe.root));
    if (!holding.length) {
      const what = `the opening of slot ${slot} does not lead to the committed root`;
      if (about) unsoundAt(about.faces.get(slot).entry, 'opening', what);
      unsound('opening', what);
    }
    const shoe = holding.find(({ faces }) => faces.has(slot));
    if (!shoe) unsound('opening_extra', `slot ${slot} is opened and was never shown`);
    const { face, entry } = shoe.faces.get(slot);
    const value = shoe.composition.wheel ? opening.value : cardOf(opening.value);
    if (value !== face)
      unsoundAt(entry, 'opening', `slot ${slot} of shoe ${shoe.no} is opened as ${value}, the log shows ${face}`);
    this.known.set(faceName(shoe.no, slot), opening);
  }

  /** The faces that an entry itself opens: those of a sealed shoe, or all of one with a published seed. */
  takeEvents(entry, shown) {
    for (const event of entry.events) {
      if (!event.shoe_sealed) continue;
      const { shoe_no: no, openings } = event.shoe_sealed;
      openings.forEach(opening => this.known.set(faceName(no, opening.slot), opening));
    }
    for (const { shoe, derived } of shown) if (!this.seeds.has(shoe)) this.seeds.set(shoe, openingsOfShoe(derived));
  }

  /** Forgets shoes before this one. */
  forget(first) {
    for (const name of this.known.keys()) if (Number(name.split('/')[0]) < first) this.known.delete(name);
    for (const no of this.seeds.keys()) if (no < first) this.seeds.delete(no);
  }
}

/** Takes a face that the log shows in a shoe; `isProven` tells whether its entry is. */
function faceOf(shoe, slot, openings, isProven) {
  const { face, entry } = shoe.faces.get(slot), opening = openings.of(shoe, slot), { wheel } = shoe.composition;
  return {
    shoe: shoe.no, slot,
    card: wheel ? null : face,
    value: wheel ? face : null,
    state: opening && isProven(entry) ? 'proven' : 'pending',
    opening,
    root: shoe.root,
    entry,
  };
}

/** The faces of a round, `live` as the rules have it, in the order in which they were shown. */
function facesOfRound(live, openings, isProven) {
  const shoes = live.pile ? [...live.piles, live.pile.shoe] : live.piles;
  return shoes
    .flatMap(shoe =>
      [...shoe.faces.keys()]
        .filter(slot => shoe.faces.get(slot).entry >= live.entry)
        .map(slot => faceOf(shoe, slot, openings, isProven)),
    )
    .sort((a, b) => a.entry - b.entry);
}

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

// A round replayed, one step for each event that a person sees: spec/page.md, 4.

const STEPS = new Set([
  'bets_opened', 'hand_called', 'bet_placed', 'bet_cancelled', 'hand_seed_committed', 'hand_seed_withdrawn',
  'bets_closed', 'hand_begun', 'seed_revealed', 'round_opened', 'dealt', 'turned', 'peeked', 'spun', 'offered', 'acted',
  'bank_used', 'paid', 'poker', 'safe', 'absent', 'pile_opened', 'seed_committed', 'pile_closed', 'pile_shuffled',
  'pile_failed', 'last_hand', 'round_resumed', 'round_settled', 'round_voided', 'shoe_revealed', 'shoe_sealed',
]);
const BEGINS = ['bets_opened', 'hand_called', 'bets_closed', 'hand_begun'],
  ENDS = ['round_settled', 'round_voided', 'bets_lapsed', 'call_lapsed'];

/** Watches while a bundle is judged, and keeps the steps of one round. */
class Replay {
  constructor(round) {
    Object.assign(this, { asked: round, steps: [], openings: new Openings(), isOn: false, shoes: new Set() });
  }

  read(bundle) {
    if (this.asked !== null) {
      const [, table, no] = /^(.*):(0|[1-9][0-9]{0,15})$/.exec(this.asked) || [];
      if (table !== bundle.table) throw new Unusable(`${quote(this.asked)} is no round of this bundle's table`);
      Object.assign(bundle, { round: this.asked, roundNo: Number(no) });
    }
    this.bundle = bundle;
  }

  begins(house) {
    Object.assign(this, { house, views: [] });
    // The view after an event is complete when the next one is decided.
    house.beforeEvent = at => { if (at && house.entered) this.keepView(at - 1, house.logged[at - 1]); };
  }

  /** The round's present state, or its placed bets; null before and after. */
  view() {
    const { house, bundle } = this, table = house.tables.get(bundle.table) || house.table, no = bundle.roundNo;
    if (!table) return null;
    const live = table.live || table.ended;
    if (live && live.no === no) return viewOf(house, table);
    return table.window && table.window.no === no ? roundToCome(table) : null;
  }

  keepView(at, event) {
    if (isObject(event) && STEPS.has(eventName(event)))
      this.views[at] = { view: this.view(), faces: this.facesOf(event) };
  }

  /** The places of the faces that an event shows: `[{shoe, slot}]`. */
  facesOf(event) {
    const name = eventName(event), { card, slot, pile } = eventFields(event), { table } = this.house;
    const live = table && (table.live || table.ended);
    if (!live || !(name === 'spun' || (['dealt', 'turned'].includes(name) && card))) return [];
    return [{ shoe: live.piles[pile === undefined ? live.piles.length - 1 : pile], slot }];
  }

  decided({ index, entry }) {
    const { house, bundle: { roundNo } } = this, { events } = entry, { views } = this;
    if (events.length) this.keepView(events.length - 1, events[events.length - 1]);
    this.views = [];
    this.openings.takeEvents(entry, house.shown);
    let isFirst = true;
    events.forEach((event, at) => {
      const name = eventName(event), e = eventFields(event);
      if (BEGINS.includes(name)) this.isOn = e.round_no === roundNo;
      if (this.isOn && e.shoe_no !== undefined) this.shoes.add(e.shoe_no);
      const isOwn = ['shoe_revealed', 'shoe_sealed'].includes(name) ? this.shoes.has(e.shoe_no) : this.isOn;
      if (isOwn && STEPS.has(name)) {
        const { view, faces } = views[at], words = EVENT_WORDS[name];
        const isPoker = isCash(house.table);
        this.steps.push({
          index,
          event: name,
          entry,
          words: [
            ...(isFirst ? [commandWords(entry.by, entry.command)] : []),
            ...(words ? [words(e, isPoker)] : []),
          ],
          view,
          faces,
        });
        isFirst = false;
      }
      if (ENDS.includes(name) && e.round_no === roundNo) this.isOn = false;
    });
  }

  /** The steps, their faces with openings, each entry with its proof. */
  finished(isSound) {
    const { bundle, house, openings } = this, proofs = new Map();
    if (!bundle) return [];
    for (const item of bundle.entries) proofs.set(item.index, item.proof);
    for (const opening of isSound ? bundle.openings : []) openings.take(opening, house.shoes);
    return this.steps.map(({ faces, ...step }) => ({
      ...step,
      faces: faces.map(({ shoe, slot }) => faceOf(shoe, slot, openings, () => isSound)),
      proof: proofs.get(step.index),
    }));
  }
}

/** A round of a bundle, judged and step by step; `round` null: the bundle's own. */
function replayOf(text, round = null, trusted = null) {
  const replay = new Replay(round), report = watchBundle(text, trusted, replay);
  const { verdict, findings, story, key, key_trusted, round: outcome } = report;
  const steps = replay.finished(verdict !== 'not_sound');
  return { verdict, findings, story, key, key_trusted, round: outcome, steps };
}

// Follows a table entry by entry: spec/page.md, "The follower". It begins with a judged bundle, and continues with the
// later entries over rounds and shoes; finished shoes are forgotten.

/**
 * The number of checkpoints kept, to find two of one size; of roots and seeds, to find one used again; and of entries,
 * if no new shoe clears the earlier ones.
 */
const CHECKPOINTS_KEPT = 64, ONCE_KEPT = 16384, ITEMS_KEPT = 16384;
/** The most entries that wait for their proof, and their total characters. */
const UNPROVEN_KEPT = 1024, UNPROVEN_LENGTH = 8 * 1024 * 1024;

/** Something else must come first: `needs` says what. */
class Needs extends Error {
  constructor(needs) { super(quote(needs)); this.needs = needs; }
}

class Follower {
  /** Throws Unusable if this is no bundle. `trusted` is the log's key, or null: then the bundle's own is used. */
  constructor(text, trusted = null) {
    Object.assign(this, {
      trusted, failure: null,
      lack: null, // {entries} or {bundle}: what it cannot go on without
      owed: [], // items that were shown and have to be proven now
      key: null, // as read
      vkey: null,
      size: 0, checkpoint: null,
      checkpoints: new Map(), // signed text -> {size, root, text}
      tableName: null,
      round: null, // that the bundle names
      rules: null, // the table as the rules have it
      house: null,
      context: [], // what the shoe rests on: items
      items: new Map(), // index -> item, of this shoe and the one before; of those before what is not proven
      bySeq: new Map(), // the same by their place at the table
      unproven: new Set(), // those that are not
      begins: 0, // index of the entry that commits the shoe, or the first pile
      nextSeq: 0, told: -1, // of the table
      lastIndex: -1,
      isStale: false, // the dealer was started between two shoes
      openings: new Openings(),
      kept: { view: null, faces: [] }, // of the round that ended last, where the rules began anew since
      faulty: {}, // what evidence has to show beside the entries
    });
    this.report = this.judgeBundle(text);
  }

  get needs() {
    const [owed] = this.owed;
    return this.lack || (owed ? { entries: owed.seq } : null);
  }

  /** The stored facts about entries. */
  keepItems(list) {
    this.items = new Map();
    this.bySeq = new Map();
    this.unproven = new Set();
    [...list].sort((a, b) => a.index - b.index).forEach(item => this.keepItem(item));
  }

  keepItem(item) {
    this.items.set(item.index, item);
    this.bySeq.set(item.seq, item);
    if (!item.proven) this.unproven.add(item);
  }

  /** Whether so many entries wait for proofs that further ones need a proof at once. */
  isFull() {
    const { size } = this.unproven;
    return size >= UNPROVEN_KEPT || sum([...this.unproven].map(({ text }) => text.length)) >= UNPROVEN_LENGTH;
  }

  // --- The beginning ------------------------------------------------------------------------------

  /** Judges a bundle; if it is sound, the table has its state. An unsound bundle is itself the evidence. */
  judgeBundle(text) {
    let read = null, begun = null;
    const report = watchBundle(text, this.trusted, {
      withoutRound: true,
      read: bundle => { read = bundle; },
      begins: (house, context) => { begun = { house, context }; },
    });
    if (report.verdict === 'not_sound') {
      const [{ check, entry, table, message }] = report.findings;
      this.failure = Object.assign(new Unsound(check, message), { entry, table });
      this.faulty = { bundle: text };
      return report;
    }
    this.start(read, begun, report);
    return report;
  }

  start(bundle, { house, context }, report) {
    const { table, vkey, checkpoint } = bundle, before = this.items;
    if (this.tableName !== null && (this.tableName !== table || this.vkey !== vkey))
      throw new Unusable(`this is a bundle of ${table}, under the key ${vkey}`);
    const key = readLogKey(vkey), proofOf = path => ({ path, checkpoint });
    const itemOf = ({ index, entry: text, proof }, entry) => ({
      index, text, entry, seq: entry.at ? entry.at.seq : null, proof: proofOf(proof), proven: true, decided: true,
    });
    const parsed = new Map(report.entries.map(({ index, entry }) => [index, entry]));
    const entries = bundle.entries.map(item => itemOf(item, parsed.get(item.index)));
    this.key = key;
    this.adopt(checkpoint);
    entries.forEach(item => this.sameAsBefore(item));
    const [first] = entries, last = entries[entries.length - 1];
    // Entries taken after the bundle's end are decided again when they come again.
    const later = [...before.values()]
      .filter(({ seq }) => seq > last.seq)
      .map(item => Object.assign(item, { decided: false }));
    // Entries shown before its beginning without a proof stay, and must be proven.
    const owed = [...before.values()].filter(({ seq, proven }) => seq < first.seq && !proven);
    if (this.house) this.keepRound();
    Object.assign(this, {
      vkey, tableName: table, house,
      round: bundle.round,
      rules: house.tables.get(table) || house.table,
      context: bundle.context.map(item => itemOf(item, parsed.get(item.index))),
      begins: first.index,
      nextSeq: last.seq + 1,
      told: Math.max(this.told, last.seq),
      lastIndex: last.index,
      isStale: false, lack: null,
      owed: owed.sort((a, b) => a.seq - b.seq),
    });
    this.keepItems([...owed, ...entries, ...later]);
    entries.forEach(({ entry }) => this.openings.takeEvents(entry, []));
    this.openings.takeEvents({ events: [] }, house.shown);
    bundle.openings.forEach(opening => this.openings.take(opening, house.shoes));
  }

  /** A newer bundle of the table. */
  renew(text) {
    return this.run(() => {
      const report = this.judgeBundle(text);
      if (this.failure) throw this.failure;
      this.report = report;
      return this.change([], [], false);
    });
  }

  /** The same sequence number of the table has the same entry as before. */
  sameAsBefore(item) {
    for (const same of [this.items.get(item.index), this.bySeq.get(item.seq)])
      if (same && (same.index !== item.index || same.text !== item.text)) this.twice(same, item);
  }

  /** Two texts for one place; if both are proven, the log signed both. */
  twice(item, other) {
    const { index } = other;
    this.faulty = { twice: [item, other] };
    unsoundAt(
      index,
      'inclusion',
      item.index === index
        ? `entry ${index} is another than the one that was shown before`
        : `entry ${index} has the place ${item.seq} of table ${this.tableName}, which entry ${item.index} had`,
    );
  }

  // --- Later entries ------------------------------------------------------------------------------

  /** Entries of the table with their proofs under a checkpoint, in their order. */
  take(items, checkpointText) {
    return this.run(() => {
      if (!isList(items)) throw new Unusable('entries come as a list');
      for (const item of items)
        if (!isObject(item) || !isCount(item.index) || typeof item.entry !== 'string' || !isList(item.proof))
          throw new Unusable('an entry comes with index, entry and proof');
      const older = this.adopt(checkpointText), checkpoint = this.checkpoints.get(checkpointText);
      return this.each(items, older, ({ index, seq, entry, proof, openings = [] }) => {
        this.checkIncluded(index, entry, proof, checkpoint);
        const item = { index, seq, text: entry, proof: { path: proof, checkpoint: checkpointText } };
        return this.place(item, openings, true);
      });
    });
  }

  /** The receipt of a reply: its entry, with the reply's openings. */
  takeReceipt(receipt, openings = []) {
    return this.run(() => {
      const { index, entry, proof } = isObject(receipt) ? receipt : {};
      if (!isCount(index) || typeof entry !== 'string' || typeof proof !== 'string')
        throw new Unusable('a receipt has the fields index, entry and proof');
      const read = under('receipt', () => readReceipt(utf8(proof)));
      const text = under('receipt', () => strictText(read.checkpoint, 'the checkpoint'));
      if (BigInt(index) !== read.index) unsound('receipt', `the receipt is of entry ${read.index}, not of ${index}`);
      const older = this.adopt(text), path = read.path.map(base64);
      this.checkIncluded(index, entry, path, this.checkpoints.get(text));
      return this.each([{ index }], older, () =>
        this.place({ index, text: entry, proof: { path, checkpoint: text } }, openings, false));
    });
  }

  /** An entry that came without a proof. */
  takePending(index, entry, openings = []) {
    return this.run(() => {
      if (!isCount(index) || typeof entry !== 'string') throw new Unusable('an entry comes with its index');
      return this.each([{ index }], false, () => this.place({ index, text: entry, proof: null }, openings, false));
    });
  }

  /** Runs an action that may fail; after a failure it always fails. */
  run(action) {
    if (this.failure) throw this.failure;
    try {
      return action();
    } catch (error) {
      if (error instanceof Unsound && !this.failure) {
        if (!error.check) error.check = 'inclusion';
        if (error.table === undefined && this.tableName !== null) error.table = this.tableName;
        this.failure = error;
      }
      throw error;
    }
  }

  /** Takes entries in turn, until something else must come first. */
  each(items, older, takeOne) {
    const entries = [], proven = [];
    for (const item of items) {
      try {
        const { told, isProven } = located(item.index, this.tableName, () => takeOne(item));
        if (told) entries.push(told);
        if (isProven) proven.push(item.index);
      } catch (error) {
        if (!(error instanceof Needs)) throw error;
        if (error.needs) this.lack = error.needs;
        break;
      }
    }
    return this.change(entries, proven, older);
  }

  change(entries, proven, older) {
    return { entries, proven, older, needs: this.needs, view: this.view(), table: this.table() };
  }

  /** Takes a signed checkpoint as the newest, unless it is older; returns whether it is. */
  adopt(text) {
    if (typeof text !== 'string') throw new Unusable('a checkpoint is a text');
    let checkpoint = this.checkpoints.get(text);
    if (!checkpoint) {
      checkpoint = under('checkpoint', () => ({ ...openCheckpoint(utf8(text), this.key), text }));
      const rival = [...this.checkpoints.values()].find(({ size }) => size === checkpoint.size);
      if (rival && !sameBytes(rival.root, checkpoint.root)) {
        this.faulty = { fork: [rival.text, text] };
        unsound('fork', `two checkpoints of ${checkpoint.size} entries have two roots`);
      }
      this.checkpoints.set(text, checkpoint);
      if (this.checkpoints.size > CHECKPOINTS_KEPT) this.checkpoints.delete(this.checkpoints.keys().next().value);
    }
    const size = Number(checkpoint.size), older = size < this.size;
    if (!older) Object.assign(this, { size, checkpoint: text });
    return older;
  }

  checkIncluded(index, text, path, { size, root }) {
    const hashes = path.map(hash => hash64(hash) || unsoundAt(index, 'inclusion', 'a hash of the proof is malformed'));
    try {
      checkInclusion(leafHash(utf8(text)), BigInt(index), size, hashes, root);
    } catch (error) {
      if (error instanceof Unsound) {
        this.faulty = { pending: [{ index, entry: text }] };
        unsoundAt(index, 'inclusion', `the entry is not under the checkpoint: ${error.message}`);
      }
      throw error;
    }
  }

  /**
   * Stores an entry: returns `{told, isProven}`, its new parts. `due` tells whether the openings of its faces must be
   * there.
   */
  place(item, openings, due) {
    const { index, text, proof } = item, known = this.items.get(index);
    if (known && known.text !== text) this.twice(known, item);
    const entry = known ? known.entry : readEntry(text), { at } = entry;
    if (!at || at.table !== this.tableName) {
      if (due) unsound('bundle_order', 'an entry is not of this table');
      throw new Unusable(`entry ${index} is not of table ${this.tableName}`);
    }
    if (item.seq !== undefined && item.seq !== at.seq)
      unsound('table_seq', `the entry's place is ${at.seq}, not ${item.seq}`);
    if (this.bySeq.has(at.seq) && this.bySeq.get(at.seq) !== known) this.twice(this.bySeq.get(at.seq), item);
    const isProven = !!known && !known.proven && !!proof;
    if (isProven) this.prove(known, proof);
    if (at.seq < this.nextSeq) {
      // An unknown one belongs to a forgotten shoe.
      if (known) this.takeOpenings(known, openings, due);
      return { isProven };
    }
    if (this.lack && this.lack.bundle) throw new Needs(this.lack);
    if (at.seq > this.nextSeq) throw new Needs({ entries: this.nextSeq });
    if (index <= this.lastIndex)
      unsound('bundle_order', `the entry is before entry ${this.lastIndex}, and comes after it`);
    if (!known && !proof && this.isFull()) {
      this.owed = [...this.unproven].sort((a, b) => a.seq - b.seq);
      throw new Needs(null);
    }
    const taken = known || { index, text, entry, seq: at.seq, proof, proven: !!proof, decided: false };
    const words = this.decideOr(taken);
    this.keepItem(taken);
    if (this.items.size > ITEMS_KEPT) this.forgetItems();
    Object.assign(this, { nextSeq: at.seq + 1, lastIndex: index, lack: null });
    this.takeOpenings(taken, openings, due);
    if (at.seq <= this.told) return { isProven };
    this.told = at.seq;
    const { proven, decided } = taken;
    return { told: { index, seq: at.seq, words, view: this.view(), proven, decided }, isProven };
  }

  prove(item, proof) {
    Object.assign(item, { proof, proven: true });
    this.unproven.delete(item);
    this.owed = this.owed.filter(({ proven }) => !proven);
    for (const face of this.kept.faces) if (face.entry === item.index && face.opening) face.state = 'proven';
  }

  /** The openings that came with an entry, which must show its faces; those that are due. */
  takeOpenings({ index, decided, entry }, openings, due) {
    // No data of a forgotten shoe is checked any more.
    if (!decided || !this.house || index < this.begins) return;
    if (!isList(openings) || openings.length > MOST_OPENINGS)
      throw new Unusable('openings come as a list of at most 4,096');
    const { shoes } = this.house;
    for (const opening of openings) {
      try {
        this.openings.take(opening, shoes);
      } catch (error) {
        if (error instanceof Unsound) this.faulty = { openings: [opening] };
        throw error;
      }
    }
    if (!due) return;
    for (const shoe of shoes) {
      if (shoe.revealed || shoe.sealed) continue;
      for (const [slot, { face, entry: at }] of shoe.faces)
        if (at === index && !this.openings.of(shoe, slot))
          unsoundAt(
            index,
            'opening_missing',
            `${face} is shown in slot ${slot} of shoe ${shoe.no}, without an opening`,
          );
    }
    this.openings.takeEvents(entry, []);
  }

  // --- Deciding -----------------------------------------------------------------------------------

  isOver() { const [first] = this.house.shoes; return !!first && (first.revealed === true || first.sealed === true); }

  /** Decides an entry; a failing one becomes part of the evidence. */
  decideOr(item) {
    try {
      return this.decide(item);
    } catch (error) {
      if (error instanceof Unsound) this.faulty = { ...this.faulty, item };
      throw error;
    }
  }

  /** Decides an entry again; returns its words. */
  decide(item) {
    const { entry, index } = item, { command } = entry, { event } = this.rules;
    if (this.isOver()) {
      if (!((command.commit_shoe || command.call_hand) && entry.events.some(one => one.shoe_committed))) {
        // Between two shoes, a start of the dealer and a tournament's statements are in entries that are missing here.
        if (command.recover) this.isStale = true;
        if (this.isStale || event) return storyOf(index, entry, isCash(this.rules));
      } else {
        if (this.isStale) throw new Needs({ bundle: true });
        this.forgetShoes(index);
        if (event) this.beginAnew(item);
      }
    } else if (command.recover && !this.rules.recovering) throw new Needs({ bundle: true });
    this.judge(entry, index);
    item.decided = !this.house.lacksKey;
    this.openings.takeEvents(entry, this.house.shown);
    this.house.shown = [];
    this.house.hands = [];
    return storyOf(index, entry, isCash(this.rules));
  }

  judge(entry, index) {
    const { house } = this;
    // A player's key is set in entries outside tables: only a bundle shows that it has not changed. Between two shoes
    // none does, as it ends with the shoe: the entry is decided by all other rules.
    house.mayLackKeys = this.isOver();
    try {
      house.judge(entry, index);
    } catch (error) {
      if (error instanceof Unsound && error.check === 'signature') throw new Needs({ bundle: true });
      throw error;
    }
  }

  /** A new shoe is committed: of the earlier ones only the last round's are kept. */
  forgetShoes(index) {
    const { house, rules } = this, { ended } = rules;
    this.keepItems([...this.items.values()].filter(item => item.index >= this.begins || !item.proven));
    this.begins = index;
    this.context = this.newestContext();
    house.shoes = [];
    for (const once of [house.roots, house.seeds]) if (once.size > ONCE_KEPT) once.clear();
    if (ended) this.openings.forget(ended.piles[0].no);
  }

  /** Forgets the older half of the proven entries. */
  forgetItems() {
    const proven = [...this.items.values()].filter(item => item.proven).sort((a, b) => a.index - b.index);
    const forgotten = new Set(proven.slice(0, ITEMS_KEPT / 2));
    this.keepItems([...this.items.values()].filter(item => !forgotten.has(item)));
  }

  /** The next shoe needs from this one's context the newest start, and the newest key of each player. */
  newestContext() {
    const newest = new Map(), starts = this.context.filter(({ entry }) => entry.command.start_dealer);
    for (const item of this.context) {
      const { command } = item.entry, { player } = command.create_player || command.set_key || {};
      if (openingOf(command)) newest.set('opening', item);
      else if (player !== undefined) newest.set(`key ${player}`, item);
    }
    newest.set('start', starts[starts.length - 1]);
    return [...newest.values()].sort((a, b) => a.index - b.index);
  }

  /** Sets the table's state as its next shoe's entry states it. */
  beginAnew(first) {
    this.keepRound();
    this.house = Object.assign(new House(true), { origin: this.key.name });
    for (const { entry, index } of this.context) this.house.judge(entry, index);
    enterBundle(this.house, this.tableName, first, this.context);
    this.rules = this.house.tables.get(this.tableName);
  }

  /** Stores the view of the round that ended last, before the rules begin again. */
  keepRound() { this.kept = { view: this.view(), faces: this.faces() }; }

  // --- Views --------------------------------------------------------------------------------------

  /** The round in play, or the one that ended last: `RoundView`. */
  view() { return (this.rules && viewOf(this.house, this.rules)) || this.kept.view; }

  table() { return this.rules && tableOf(this.house, this.rules); }

  isProven(index) { const item = this.items.get(index); return !!item && item.proven; }

  /** The faces of that round. */
  faces() {
    const live = this.rules && (this.rules.live || this.rules.ended);
    return live ? facesOfRound(live, this.openings, index => this.isProven(index)) : this.kept.faces;
  }

  /**
   * A player's own cards, checked against the deck that the seeds picked; null before the deal is known. Throws
   * Unsound.
   */
  own(given, player) {
    return this.run(() => {
      const live = this.rules && (this.rules.live || this.rules.ended);
      const { round, shoe_no: no, candidate, cards, openings } = isObject(given) ? given : {};
      if (!isList(cards) || !isList(openings) || cards.length !== openings.length || typeof player !== 'string')
        throw new Unusable('own cards come with as many openings, and with the name of their player');
      if (!live || round !== `${this.tableName}:${live.no}` || !live.opened) return null;
      const seat = live.game && live.game.seats && live.game.seats.find(one => one.player === player);
      const wrong = message => {
        this.faulty = { own: given };
        unsoundAt(live.entry, 'opening', message);
      };
      if (!seat) return wrong(`${player} has no cards in ${round}`);
      if (no !== live.shoe.no || candidate !== live.pick)
        return wrong(`the cards are of candidate ${candidate} of shoe ${no}; ${live.pick} of ${live.shoe.no} is dealt`);
      if (seat.cards.length < cards.length) return null;
      const { composition, root } = live.shoe, slots = seat.cards.map(({ slot }) => slot);
      return openings.map((one, i) => {
        const opening = bareOpening(one), card = cards[i];
        if (!isOpening(opening) || !openingHolds(opening, composition, root))
          return wrong(`the opening of ${player}'s card ${i + 1} does not lead to the root of the deck that was dealt`);
        if (!slots.includes(opening.slot) || openings.findIndex(other => other.slot === opening.slot) !== i)
          return wrong(`slot ${opening.slot} was not dealt to ${player}`);
        if (!composition.codes.includes(opening.value) || cardOf(opening.value) !== card)
          return wrong(`slot ${opening.slot} holds ${cardOf(opening.value)}, and is said to be ${card}`);
        return {
          shoe: no, slot: opening.slot, card, value: null,
          state: this.isProven(live.entry) ? 'proven' : 'pending',
          opening, root,
          entry: live.entry,
        };
      });
    });
  }

  /** Judges it like a bundle of the shoe in use, up to now. */
  verdict() {
    if (this.failure) {
      const { check, entry, table, message } = this.failure;
      const finding = JSON.parse(quote({ check, entry, table, message }));
      return { verdict: 'not_sound', findings: [finding], round: this.view() };
    }
    const hidden = this.house.shoes.some(shoe => !shoe.revealed && !shoe.sealed);
    const verdict = hidden || this.unproven.size || this.rules.live ? 'sound_so_far' : 'sound';
    return { verdict, findings: [], round: this.view() };
  }

  /** A file with everything that was shown, and the failed part. */
  evidence() {
    const { failure, faulty } = this, name = `evidence-${(this.round || 'round').replace(':', '-')}`;
    const named = text => ({ name: `${name}${failure ? `-${failure.check}` : ''}.json`, text });
    if (faulty.bundle !== undefined) return named(faulty.bundle);
    const finding = failure && JSON.parse(quote({
      check: failure.check, entry: failure.entry, table: failure.table, message: failure.message,
    }));
    if (faulty.fork) return named(forkEvidence(this.vkey, !!this.trusted, finding, faulty.fork));
    const { twice = [] } = faulty, isProven = item => !!item.proof;
    const items = new Map(faulty.item ? [...this.items, [faulty.item.index, faulty.item]] : this.items);
    const current = [...items.values()]
      .filter(item => item.index >= this.begins && (item.decided || item === faulty.item))
      .sort((a, b) => a.index - b.index);
    const receipt = ({ index, text, proof: { path, checkpoint } }) => ({
      index, entry: text,
      proof: ['c2sp.org/tlog-proof@v1', `index ${index}`, ...path, '', checkpoint].join('\n'),
    });
    const entries = [...new Set([...current.filter(isProven), ...(twice.every(isProven) ? twice : [])])]
      .sort((a, b) => a.index - b.index);
    const bare = ({ index, text }) => ({ index, entry: text });
    const pending = [...new Set([...this.unproven, ...current, ...twice])].filter(item => !entries.includes(item));
    // A finished shoe needs none, and openings of a forgotten one are not requested.
    const hidden = this.house.shoes.filter(({ revealed, sealed }) => !revealed && !sealed);
    const known = hidden.flatMap(shoe => [...shoe.faces.keys()].map(slot => this.openings.of(shoe, slot)));
    const openings = [...(faulty.openings || []).map(bareOpening), ...known].filter(isOpening);
    return named(quote({
      fairshoe_follow: 1, round: this.round, vkey: this.vkey, finding,
      context: this.context.map(receipt),
      entries: entries.map(receipt),
      openings: openings.slice(0, MOST_OPENINGS),
      pending: [...pending.map(bare), ...(faulty.pending || [])],
      ...(faulty.own ? { own: faulty.own } : {}),
    }));
  }
}

// Judges another person's follower file: `evidence()` of spec/page.md, "The follower". Its maker may have left parts
// out. So only data that the log signed, and that no missing part can explain, is unsound.

const FOLLOWED_FIELDS = ['fairshoe_follow', 'round', 'vkey', 'finding', 'context', 'entries', 'openings', 'pending'];
const FOLLOWED_ENTRIES = 32768, FOLLOWED_PENDING = 4096;
/** The file is not complete, or not in order: no one signed that it is. */
const OF_THE_FILE = ['bundle_form', 'bundle_order', 'bundle_context', 'bundle_round'];

/** The finding named in a file: a check and words, for an entry and a table. */
function isNamedFinding(finding) {
  if (!isObject(finding)) return false;
  const { check, message, entry, table, ...more } = finding;
  return typeof check === 'string' && typeof message === 'string' && (entry === undefined || isCount(entry)) &&
    (table === undefined || typeof table === 'string') && !Object.keys(more).length;
}

/** The file, its fields as they have to be. */
function readFollowed(text) {
  if (utf8(text).length > 64 * 1024 * 1024) throw new Unusable('the file is longer than 64 MiB');
  let file;
  try { file = jsonOf(text); } catch (error) { throw new Unusable(`this is no evidence: ${error.message}`); }
  if (!isObject(file) || file.fairshoe_follow === undefined) throw new Unusable('this is no file of a follower');
  const wrong = message => { throw new Unusable(`this is no evidence: ${message}`); }, twofold = ambiguity(text);
  if (twofold) wrong(twofold);
  if (file.fairshoe_follow !== 1) wrong(`the version is ${quote(file.fairshoe_follow)}, not 1`);
  const { own, ...rest } = file, round = readRound(file.round), { pending } = file;
  if (!hasExactly(rest, FOLLOWED_FIELDS)) wrong('the file has unknown or missing fields');
  if (!round) wrong('round is not TABLE:NUMBER');
  if (typeof file.vkey !== 'string') wrong('vkey is a text');
  if (file.finding !== null && !isNamedFinding(file.finding)) wrong('finding has the fields check and message');
  const malformed = listsFault(file, FOLLOWED_ENTRIES, proof => typeof proof === 'string');
  if (malformed) wrong(malformed);
  const isBare = one => hasExactly(one, ['index', 'entry']) && isCount(one.index) && typeof one.entry === 'string';
  if (!isList(pending) || pending.length > FOLLOWED_PENDING || !pending.every(isBare))
    wrong('pending is a list of entries without a proof');
  return { ...file, ...round };
}

/** The log's signed part for each entry of the file: `{item, signed}`. An entry that it did not sign is no evidence. */
function readFollowedItems({ vkey, context, entries }, trusted) {
  const unsigned = (words, action) => {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      throw new Unusable(`${words}: ${error.message}`);
    }
  };
  const key = unsigned('this is no evidence', () => readLogKey(vkey));
  if (trusted && trusted !== vkey)
    throw new Unusable(`the file is of the log with the key ${vkey}, not of ${trusted}: it says nothing of that one`);
  const opened = new Map(); // most receipts are under the same few checkpoints
  return [...context, ...entries].map(item =>
    unsigned(`the log is not shown to have signed entry ${item.index}`, () => {
      const { index, path, checkpoint } = readReceipt(utf8(item.proof));
      const text = strictText(checkpoint, 'the checkpoint');
      if (!opened.has(text)) opened.set(text, openCheckpoint(checkpoint, key));
      const signed = opened.get(text);
      if (index !== BigInt(item.index)) fault(`the receipt is of entry ${index}`);
      checkInclusion(leafHash(utf8(item.entry)), index, signed.size, path, signed.root);
      return { item, signed };
    }));
}

/** An entry as far as it can be read before the full check. */
function glance(text) {
  try { const entry = JSON.parse(text); return isObject(entry) ? entry : {}; } catch (error) { return {}; }
}

/** Its sequence number at this table, or null. */
function placeIn(text, table) {
  const { at } = glance(text);
  return isObject(at) && at.table === table && isCount(at.seq) ? at.seq : null;
}

/** The table of its command; undefined if it can belong to no table. */
function tableOfCommand(text) {
  const { command } = glance(text), [[name, fields] = []] = isObject(command) ? Object.entries(command) : [];
  const [within] = name === 'tournament' && isObject(fields) ? Object.values(fields) : [];
  if (name === 'tournament') return isObject(within) ? within.event : undefined;
  return isObject(fields) && name !== 'disclose_shoe' ? fields.table : undefined;
}

/** The log's signed contradictions: two roots of one size, two texts at one index or at one place of the table. */
function checkOneLog(read, table) {
  const roots = new Map(), texts = new Map(), places = new Map();
  for (const { item: { index, entry }, signed: { size, root } } of read) {
    const other = roots.get(size), text = texts.get(index);
    if (other && !sameBytes(other, root)) unsound('fork', `two checkpoints of ${size} entries have two roots`);
    if (text !== undefined && text !== entry)
      unsoundAt(index, 'inclusion', `two texts are under the log's checkpoints as entry ${index}`);
    roots.set(size, root);
    texts.set(index, entry);
    const place = placeIn(entry, table);
    if (place === null) continue;
    if (tableOfCommand(entry) !== table)
      unsoundAt(index, 'table_seq', "the entry is filed under another table than its command's");
    if (places.has(place) && places.get(place) !== index)
      unsoundAt(index, 'table_seq', `the entry has the place ${place} that entry ${places.get(place)} has`);
    places.set(place, index);
  }
}

/** How many of the entries are consecutive at the table; after them the file may lack some. */
function wholeUntil({ entries, table }) {
  const gap = entries.findIndex((item, i) => {
    const before = i && placeIn(entries[i - 1].entry, table), place = placeIn(item.entry, table);
    if (!i || before === null || place === null) return false;
    // If no entry fits between the two, none was left out.
    const missing = place - before - 1;
    return missing > 0 && item.index - entries[i - 1].index > missing;
  });
  return gap < 0 ? entries.length : gap;
}

/**
 * The missing part that would explain a finding, or null. A start of the dealer may be missing, or a player's newest
 * key; a seed that opens a commitment shows that the epoch is right.
 */
function explained({ check, entry }, { entries }, house) {
  if (check === 'signature') return 'a newer key of the player';
  const { epochAsked: asked, epochsShown } = house || { epochAsked: null };
  if (asked !== null && !epochsShown.has(asked)) return 'the start of the dealer that it rests on';
  const item = entries.find(({ index }) => index === entry);
  const { command } = item ? glance(item.entry) : {};
  return isObject(command) && command.recover ? 'a start of the dealer before it' : null;
}

/**
 * The verdict on such a file, in the form of `verifyBundle`. Data shown without a signature proves nothing, and is
 * reported as such; nor do missing parts.
 */
function verifyFollowed(text, trusted = null) {
  const file = readFollowed(text), { finding, pending } = file, read = readFollowedItems(file, trusted);
  const report = {
    verdict: 'not_sound', findings: [], story: [],
    key: file.vkey, key_trusted: !!trusted, round: { id: file.round }, entries: [], shoes: [],
  };
  const unsigned = []; // what is wrong and was signed by nobody, in words
  let house = null;
  try {
    if (!read.length) throw new Unusable('the file holds no entry that was proven');
    checkOneLog(read, file.table);
    report.verdict = judgeFollowed(file, read, report, trusted, unsigned, begun => { house = begun; });
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    const { check, entry, table, message } = error;
    if (OF_THE_FILE.includes(check)) throw new Unusable(`the file is not whole: ${message}`);
    const why = explained(error, file, house), words = `${entry === undefined ? '' : `entry ${entry}: `}${message}`;
    if (!why) {
      report.findings.push(JSON.parse(quote({ check, entry, table, message })));
      report.story.push(`NOT SOUND. ${words} [${check}]`);
      return report;
    }
    unsigned.push(`${words} [${check}]; it can be that ${why} was left out of the file, which a bundle of the table ` +
      'or the whole log shows');
  }
  if (finding)
    unsigned.push(`${finding.message} [${finding.check}]; that rests on what was shown without a signature, or was ` +
      'not shown');
  if (unsigned.length || pending.length) report.verdict = 'sound_so_far';
  if (pending.length)
    report.story.push(`Shown without a proof, and not judged: ${pending.length} of the table's entries.`);
  const title = report.verdict === 'sound' ? 'SOUND.' : 'SOUND SO FAR.';
  report.story.push(
    unsigned.length
      ? `${title} What the log signed holds, as far as it can be judged. ${unsigned.map(one => `Found was: ${one}.`)
        .join(' ')}`
      : `${title} Everything that the log signed and showed here holds.`,
  );
  return report;
}

/** Decides the log's signed entries again as far as they are complete; the verdict on them. */
function judgeFollowed(file, read, report, trusted, unsigned, begins) {
  const newest = read.map(({ signed }) => signed).reduce((a, b) => (b.size > a.size ? b : a));
  const count = wholeUntil(file), entries = file.entries.slice(0, count), last = entries[count - 1];
  const { events } = last ? glance(entries[0].entry) : {};
  const isCommitted = isList(events) && events.some(event => isObject(event) && event.shoe_committed);
  if (!isCommitted) {
    if (!file.pending.length) throw new Unusable('the file is not whole: the first entry does not commit the shoe');
    unsigned.push('the entry that commits the shoe is not proven: none of the others can be decided again');
    return 'sound_so_far';
  }
  const isCut = count < file.entries.length;
  if (isCut)
    unsigned.push(`entries are left out between ${last.index} and ${file.entries[count].index}: those behind them ` +
      'are not judged');
  const context = isCut ? file.context.filter(({ index }) => index < last.index) : file.context;
  const opens = (openings, shoes) => {
    if (isCut) return;
    try {
      checkOpenings(openings, shoes, true);
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      unsigned.push(`${error.message} [${error.check}]: openings are signed by nobody`);
    }
  };
  return judgeHistory({ ...file, context, entries }, newest, report, trusted,
    { withoutRound: true, goesOn: true, opens, begins });
}

// Evidence kept by others, compared with a log: spec/audit.md, "Evidence from outside"; spec/receipts.md, "Received and
// refused".

const RECEIVED = 'fairshoe received/v1', REFUSED = 'fairshoe refused/v1';
const LONGEST_NOTE = 131072;
/** For a tournament, besides seeds: an entry, chips for it, an answer. */
const RECEIVABLE_OF_EVENT = ['register', 'unregister', 'rebuy', 'add_on', 'answer_deal'];
/** Commands whose receipt the house signs, so that their refusal can be compared with the log. */
const RECEIVABLE = [
  'reveal', 'late_seed', 'commit_seed', 'commit_hand_seed', 'withdraw_hand_seed', 'bet', 'act', 'cancel_bet',
  'reveal_seat_seed', ...RECEIVABLE_OF_EVENT,
];
/** A command's name; for a tournament's, the inner name. */
const wordOf = command => Object.keys(command.tournament || command)[0];
/** The table or the event of a command. */
const placeOf = command => {
  const [fields] = Object.values(command.tournament || command);
  return command.tournament ? fields.event : fields.table;
};

/** A command from its one text on the log. */
function readCommand(text) {
  let command;
  try { command = JSON.parse(text); } catch (error) { fault('the command is not JSON'); }
  if (JSON.stringify(command) !== text) fault('the command is not in its one encoding');
  if (
    !oneField(command) ||
    !Object.hasOwn(commandForm, Object.keys(command)[0]) ||
    !Object.values(command).every(fields => commandForm[Object.keys(command)[0]](fields))
  )
    fault('the command has unknown, missing or malformed fields');
  return command;
}

/** The last line of such a note: the player's signature as an entry holds it, or `-`. */
function readSigned(text) {
  if (text === '-') return undefined;
  let signed = null;
  try { signed = JSON.parse(text); } catch (error) { /* said below */ }
  if (!isSignature(signed) || JSON.stringify(signed) !== text)
    fault("the note's last line is neither a signature in its one encoding nor `-`");
  return signed;
}

/** The text of a note about a command that reached the house or was refused; null for another note. */
function readWord(text, origin) {
  const lines = text.split('\n'), [kind] = lines;
  if (kind !== RECEIVED && kind !== REFUSED) return null;
  const [time, ...rest] = lines.slice(2, -1),
    code = kind === REFUSED ? rest.shift() : null,
    [by, command, signed] = rest;
  if (lines.length !== (code === null ? 7 : 8)) fault('the note has too few lines, or too many');
  if (lines[1] !== origin) fault(`the note is of ${quote(lines[1])}, not of ${quote(origin)}`);
  if (decimal(time) === null || !isCount(Number(time))) fault('the note\'s time is not a decimal below 2^53');
  if (code !== null && !/^[a-z0-9_]{1,64}$/.test(code)) fault('the note\'s code is malformed');
  if (!isActor(by)) fault('the note\'s actor is malformed');
  const word = { kind, time: Number(time), code, by, command: readCommand(command), signed: readSigned(signed) };
  if (kind === RECEIVED && !RECEIVABLE.includes(wordOf(word.command)))
    fault('the note is of a command for which no house signs');
  return word;
}

/**
 * Pieces of evidence, each verified under the log's key before use; unverified ones are refused as Unusable.
 */
class Kept {
  /** `key` is the log's, parsed; `policy` parsed, or null; `earlier` are the log's other known keys. */
  constructor(key, policy, earlier) {
    if (key.key && policy && policy.witnesses.some(witness => sameBytes(witness.key, key.key)))
      throw new Unusable(`the policy names the key of ${key.name} as a witness: a log is not its own witness`);
    Object.assign(this, {
      key,
      witnesses: policy ? policy.witnesses : [],
      quorum: policy ? policy.quorum : 'none',
      others: [...earlier, ...(policy ? policy.logs : [])].filter(
        log => log.name === key.name && !sameBytes(log.key, key.key),
      ),
    });
    Object.assign(this, { checkpoints: [], receipts: [], words: [], changed: [] });
  }

  /** From a file: its name, bytes, and the entry that belongs to a receipt, or null. */
  add(name, bytes, entry) {
    this.at(name, () => {
      const text = strictText(bytes, 'the file');
      if (text.startsWith('c2sp.org/')) this.receipt(bytes, entry, name);
      else if (text.startsWith('{')) this.json(text, name);
      else this.note(bytes, name);
    });
  }

  at(where, action) {
    try {
      return action();
    } catch (error) {
      if (error instanceof Unsound) throw new Unusable(`${where} is no evidence: ${error.message}`);
      throw error;
    }
  }

  /** A signed note: a checkpoint, or the house's statement on a command. */
  note(bytes, where, seen = Infinity) {
    let opened;
    try {
      opened = openNote(bytes, [this.key, ...this.witnesses]);
      if (!opened.signed.some(({ key }) => key === this.key)) fault('the log\'s key did not sign it');
    } catch (error) {
      if (!(error instanceof Unsound) || !this.others.length) throw error;
      const { signed } = openNote(bytes, this.others);
      this.changed.push({ where, key: signed[0].key.text });
      return null;
    }
    const { text, signed } = opened, word = readWord(text, this.key.name);
    if (word) {
      if (bytes.length > LONGEST_NOTE) fault('the note is longer than 131,072 bytes');
      this.words.push({ ...word, where });
      return null;
    }
    const checkpoint = readCheckpointText(text);
    if (checkpoint.origin !== this.key.name)
      fault(`the checkpoint is of ${quote(checkpoint.origin)}, not of ${quote(this.key.name)}`);
    const cosigned = signed.filter(({ time }) => time !== undefined)
      .map(({ key, time }) => ({ key, at: Number(time) * 1000 }));
    // With a clock that was ahead the log may have signed too late a time; the note's keeper knew that.
    const own = ownTime(bytes, this.key), ownAt = own === null ? -Infinity : Math.min(Number(own), seen) * 1000;
    this.checkpoints.push({ ...checkpoint, cosigned, ownAt, where });
    return checkpoint;
  }

  receipt(bytes, entry, where) {
    const { index, path, checkpoint: note } = readReceipt(bytes), checkpoint = this.note(note, where);
    if (!checkpoint || !entry) return;
    const leaf = leafHash(entry);
    checkInclusion(leaf, index, checkpoint.size, path, checkpoint.root);
    this.receipts.push({ index, leaf, where });
  }

  /** A saved reply, or a file of lines: a history of checkpoints, or a reply that came in two. */
  json(text, name) {
    let whole = null;
    try { whole = JSON.parse(text); } catch (error) { /* lines, perhaps */ }
    if (whole !== null && whole.note === undefined) { this.plain(text); this.reply(whole, name); return; }
    const lines = text.split('\n');
    if (lines[lines.length - 1] === '') lines.pop();
    // A monitor writes each checkpoint; most of them repeat the one before.
    let before = null;
    lines.forEach((line, i) => this.at(`${name} line ${i + 1}`, () => {
      if (utf8(line).length > 524287) fault('the line is longer than 512 KiB');
      let json = null;
      try { json = JSON.parse(line); } catch (error) { /* said below */ }
      if (!isObject(json)) fault('it is no JSON object');
      this.plain(line);
      if (json.note === undefined) { this.reply(json, `${name} line ${i + 1}`, i > 0); return; }
      if (!isCount(json.time) || !/"time"\s*:\s*[0-9]+\s*[,}]/.test(line) || typeof json.note !== 'string')
        fault('a line holds time, in whole seconds, and note');
      if (json.note !== before) this.note(utf8(json.note), `${name} line ${i + 1}`, json.time);
      before = json.note;
    }));
  }

  plain(text) { const twofold = ambiguity(text); if (twofold && twofold.startsWith('the field')) fault(twofold); }

  reply(json, where, mayBeEmpty = false) {
    const receipts = receiptsIn(json), words = wordsIn(json);
    if (!receipts.length && !words.length && !mayBeEmpty) fault('it holds no receipt and no note');
    const unproven = unprovenWords(receipts);
    if (unproven) fault(unproven);
    for (const { proof, entry } of receipts) this.receipt(utf8(proof), utf8(entry), where);
    for (const note of words) this.note(utf8(note), where);
  }
}

/** The notes `received` and `refused` in a saved reply, at any depth. */
function wordsIn(value, found = [], depth = 0) {
  if (depth > 16 || found.length > 10000 || value === null || typeof value !== 'object') return found;
  for (const [name, inner] of Object.entries(value)) {
    if ((name === 'received' || name === 'refused') && typeof inner === 'string') found.push(inner);
    else wordsIn(inner, found, depth + 1);
  }
  return found;
}

/** The roots of the first 0, 1, 2 … entries. */
function rootsOf(leaves) {
  const roots = [treeRoot([])], stack = [];
  for (const leaf of leaves) {
    let node = { hash: leaf, width: 1 };
    while (stack.length && stack[stack.length - 1].width === node.width)
      node = { hash: nodeHash(stack.pop().hash, node.hash), width: 2 * node.width };
    stack.push(node);
    roots.push(stack.reduceRight((right, { hash }) => (right ? nodeHash(hash, right) : hash), null));
  }
  return roots;
}

/** A log dates no entry earlier than this before its own time (spec/log.md, "The log's own time"). */
const OWN_TIME_MS = 45000;

/** Whether the policy's quorum cosigned at times for which `holds` is true. */
const isMet = (quorum, cosigned, holds) =>
  quorumMet(quorum, cosigned.filter(({ at }) => holds(at)).map(({ key }) => key));

/** The latest time since which the policy's quorum has seen no more; -Infinity if too few cosigned. */
function newestAt(quorum, cosigned) {
  return Math.max(
    -Infinity,
    ...cosigned.map(({ at }) => at).filter(since => isMet(quorum, cosigned, at => at >= since)),
  );
}

/** The earliest time at which the policy's quorum had seen it; Infinity if too few cosigned. */
function quorumAt(quorum, cosigned) {
  return Math.min(
    Infinity,
    ...cosigned.map(({ at }) => at).filter(until => isMet(quorum, cosigned, at => at <= until)),
  );
}

/**
 * Each tree once, by size, with the cosignatures of all notes: for each witness the first and the last time suffice.
 */
function treesOf(checkpoints) {
  const trees = new Map();
  for (const { size, root, cosigned, ownAt, where } of checkpoints) {
    const name = `${size} ${base64(root)}`;
    if (!trees.has(name)) trees.set(name, { size, ownAt, times: new Map(), where });
    const tree = trees.get(name);
    tree.ownAt = Math.max(tree.ownAt, ownAt);
    for (const { key, at } of cosigned) {
      const known = tree.times.get(key.text);
      if (!known) tree.times.set(key.text, { key, first: at, last: at });
      else Object.assign(known, { first: Math.min(known.first, at), last: Math.max(known.last, at) });
    }
  }
  const bySize = (one, other) => (one.size < other.size ? -1 : Number(one.size > other.size));
  return [...trees.values()].sort(bySize).map(({ times, ...tree }) => ({
    ...tree,
    cosigned: [...times.values()].flatMap(({ key, first, last }) => [{ key, at: first }, { key, at: last }]),
  }));
}

/**
 * Contradictions between receipts or checkpoints and the log, as findings; and `doubt`, contradictions that convict no
 * one, in words. `times` are those of the readable entries.
 */
function heldAgainst(kept, leaves, roots, times, { skew, delay }) {
  const findings = [],
    find = (check, message, entry) => findings.push({ check, ...(entry === undefined ? {} : { entry }), message });
  for (const { where, key } of kept.changed)
    find('key_changed', `${where}: signed for ${kept.key.name} with another key, ${key}`);
  for (const { index, leaf, where } of kept.receipts) {
    if (index >= leaves.length)
      find(
        'ack_missing',
        `${where}: the receipt is of entry ${index}, the log has ${leaves.length} entries`,
        Number(index),
      );
    else if (!sameBytes(leaf, leaves[Number(index)]))
      find('ack_differs', `${where}: the receipt is of another entry than the log has at that place`, Number(index));
  }
  for (const { size, root, where } of kept.checkpoints) {
    if (size > leaves.length)
      find('truncated', `${where}: the log's key signed a checkpoint of ${size} entries, the log has ${leaves.length}`);
    else if (!sameBytes(root, roots[Number(size)]))
      find(
        'fork',
        `${where}: the log's key signed root ${base64(root)} over ${size} entries; the first ${size} of this log ` +
          `have root ${base64(roots[Number(size)])}`,
      );
  }
  const trees = treesOf(kept.checkpoints);
  // For each tree: since when the policy's quorum had seen it or a larger one.
  const seenAt = trees.map(({ cosigned }) => quorumAt(kept.quorum, cosigned));
  for (let i = trees.length - 2; i >= 0; i--) seenAt[i] = Math.min(seenAt[i], seenAt[i + 1]);
  let doubt = null;
  trees.forEach(({ size, cosigned, ownAt, where }, i) => {
    if (size > leaves.length) return;
    const last = Number(size) - 1, next = times[last + 1], isBefore = at => next < at - skew - delay,
      isBeforeOwn = at => next < at - skew - Math.max(delay, OWN_TIME_MS),
      earliest = Math.min(Infinity, ...cosigned.map(({ at }) => at)), latest = newestAt(kept.quorum, cosigned);
    if (isBeforeOwn(ownAt))
      find(
        'time_witnessed',
        `${where}: the entry is dated ${clock(next)}; at ${clock(ownAt)} the log signed that it ended before it`,
        last + 1,
      );
    // If a quorum had seen a larger tree in time, the witnesses were shown an old one.
    if (isBefore(latest) && !(i + 1 < trees.length && !isBefore(seenAt[i + 1])))
      doubt = doubt ||
        `${where}: entry ${last + 1} is dated ${clock(next)}; at ${clock(latest)} the witnesses saw the log end ` +
        'before it, and the log has not signed that it did. Either it was written later than it says, or somebody ' +
        'showed the witnesses an old checkpoint; no kept note says which';
    // A cosignature's time is in whole seconds.
    if (times[last] > earliest + 999 + skew)
      find(
        'time_witnessed',
        `${where}: the entry is dated ${clock(times[last])}; a witness saw it at ${clock(earliest)}`,
        last,
      );
  });
  return { findings, doubt };
}

/** The house's statements on commands, compared with the log's states from their time on. */
class Words {
  constructor(words) {
    this.open = words
      .filter(({ command }) => RECEIVABLE.includes(wordOf(command)))
      .map(word => ({ ...word, at: undefined, accepted: true }));
    this.awaited = [];
    this.findings = [];
    this.done = new Set();
  }

  /** The states before and at this time are unknown. */
  beginAfter(time) {
    this.begun = true;
    this.open = this.open.filter(word => word.time > time);
  }

  /** Whether the rules accept a command at the statement's time, with the signature in it. */
  accepts(house, { time, by, command, signed }) { return copyOf(house).refusalAt(time, by, command, signed) === null; }

  /**
   * Whether the house had to accept a received command at any decision time before the next entry: a change of the
   * player's key may take effect at one of these times.
   */
  stillAccepts(house, word, until) {
    const waiting = isPlayerActor(word.by) ? house.waitingKeys.get(word.by.slice(7)) : undefined;
    return !(waiting && waiting.from > word.time && waiting.from <= until) && this.accepts(house, word);
  }

  /**
   * Whether a received command is done: the bets or the commitment are there, or the log has the tournament's command.
   */
  isDone(house, { by, command }) {
    if (!isPlayerActor(by)) return false;
    const { bet, commit_hand_seed: commit } = command, who = by.slice(7), table = house.tables.get(placeOf(command));
    if (bet) {
      const placed = table && table.window && table.window.no === bet.round_no && table.window.bets.get(who);
      return !!placed && quote([placed.bets, placed.commitment]) === quote([bet.bets, bet.commitment]);
    }
    // If the log begins with a state, the entries before it are unknown.
    if (!commit)
      return RECEIVABLE_OF_EVENT.includes(wordOf(command)) && (this.begun || this.done.has(quote([by, command])));
    if (!table) return false;
    if (!table.window) return table.carried.get(who) === commit.commitment;
    const placed = table.window.no === commit.round_no && table.window.bets.get(who);
    return !!placed && placed.commitment === commit.commitment;
  }

  isOwed(house, word, until) { return this.stillAccepts(house, word, until) && !this.isDone(house, word); }

  /** The state between two entries: the next one has this time and place. */
  before(house, { time, command }, index) {
    // A command that the rules refuse now may have been refused before: another choice, or another use of the chips,
    // came first.
    this.awaited = this.awaited.filter(word => this.isOwed(house, word, time));
    for (const word of this.open.filter(other => other.time >= house.time && other.time <= time)) {
      word.at = word.at ?? index - 1;
      // The log may have accepted it at the statement's own time, and replaced it since.
      if (!this.accepts(house, word) || (word.kind === RECEIVED && this.isDone(house, word))) word.accepted = false;
    }
    // A command just before a start may have been lost in a crash.
    if (!command.start_dealer)
      this.open.filter(other => other.time < time).forEach(word => this.close(house, word, time));
    this.open = this.open.filter(word => word.time >= time);
  }

  close(house, word, until) {
    const { kind, code, command, where, at, accepted } = word, name = wordOf(command);
    if (at === undefined || !accepted) return;
    if (kind === REFUSED)
      this.findings.push({
        check: 'refused_wrongly',
        entry: Math.max(0, at),
        message: `${where}: ${name} was refused at ${clock(word.time)} with ${code}; the rules allowed it`,
      });
    else if (this.isOwed(house, word, until)) this.awaited.push(word);
  }

  /** An entry's bearing on received commands, and the state after it. */
  after(house, entry, index) {
    const { by, time, command, events } = entry, place = placeOf(command);
    const miss = what => {
      for (const word of this.awaited) {
        const why = what(word);
        if (!why) continue;
        this.findings.push({
          check: 'received_ignored',
          entry: index,
          message: `${word.where}: ${why}; it had been received at ${clock(word.time)}`,
        });
        word.found = true;
      }
      this.awaited = this.awaited.filter(({ found }) => !found);
    };
    // Some commands have no near deadline: the house has skipped a command if it has not written it a while later.
    miss(word => !command.start_dealer && time > word.time + OVERDUE_GRACE_MS &&
      quote(word.command) !== quote(command) && `${wordsOf(word)} is not on the log at ${clock(time)}`);
    // A start may have lost received commands that were not logged yet.
    if (command.start_dealer) this.awaited = [];
    const isHere = word => place !== undefined && placeOf(word.command) === place;
    for (const event of events) miss(word => isHere(word) && ignoredBy(word, entry, event));
    if (by === 'house')
      miss(word => isHere(word) && !this.accepts(house, word) &&
        `after this command of the house's own ${wordsOf(word)} can be taken no more`);
    if (command.tournament) this.done.add(quote([by, command]));
  }
}

const wordsOf = ({ by, command }) =>
  command.late_seed
    ? `the late seed of ${command.late_seed.player} in round ${command.late_seed.round_no}`
    : `the command ${wordOf(command)} by ${by}`;

/** How an event at the same table skips a command that was received in time, or null. */
function ignoredBy(word, entry, event) {
  const { by, command: { reveal, act, tournament, bet, cancel_bet: back, ...told } } = word;
  const { lapse, tournament: done, act: other, close_bets: bets, close_call: call } = entry.command;
  const { round_voided: voided, pile_failed: failed } = event, acted = event.play && event.play.acted;
  const over = voided && voided.cause === 'reveal_missing' ? voided : failed;
  if (reveal && over && reveal.round_no === over.round_no && over.missing.includes(reveal.player))
    return `round ${over.round_no} is void for want of the seed of ${reveal.player}`;
  if (told.commit_seed && failed && failed.round_no === told.commit_seed.round_no)
    return `pile ${failed.round_no} fails, and ${wordsOf(word)} was not taken`;
  const seed = tournament && tournament.reveal_seat_seed, drawn = done && done.draw_seats;
  if (seed && drawn && seed.draw_no === drawn.draw_no)
    return `draw ${seed.draw_no} is made without the seed of entry ${seed.entry_no}`;
  const answer = tournament && tournament.answer_deal, given = done && done.answer_deal;
  if (answer && given && entry.by === by && answer.digest === given.digest && answer.accept !== given.accept)
    return `the answer of ${by} to the deal is logged otherwise`;
  const atBets = bet || back, atCall = told.commit_hand_seed || told.withdraw_hand_seed;
  if ((atBets && bets && bets.round_no === atBets.round_no) || (atCall && call && call.round_no === atCall.round_no))
    return `round ${(bets || call).round_no} is closed without ${wordsOf(word)}`;
  if (!act) return null;
  if (acted && other && entry.by === by && acted.decision === act.decision && other.decision === act.decision &&
    other.round_no === act.round_no && quote(other.action) !== quote(act.action))
    return `decision ${act.decision} of ${by} in round ${act.round_no} is logged with another choice`;
  if (!lapse) return null;
  if (acted && acted.default && lapse.round_no === act.round_no && acted.decision === act.decision)
    return `decision ${act.decision} of ${acted.player} in round ${act.round_no} is played by default, for want of ` +
      'their choice';
  if (voided && voided.cause === 'abandoned' && voided.round_no === act.round_no)
    return `round ${act.round_no} is abandoned, for want of a choice of ${by.slice(7)}`;
  return null;
}

// Judges a user's files: receipts as files or in saved replies, checkpoints, single shoes.

/** Known logs and witnesses: a policy's text, or only a log's key. */
function policyOf(policyBytes, key) {
  return policyBytes ? readPolicy(policyBytes) : { logs: [readLogKey(key)], witnesses: [], groups: [], quorum: 'none' };
}

const receiptWords = result => [
  `Entry ${result.index} is on the log ${result.checkpoint.origin}, which vouches for ${result.checkpoint.size} ` +
    `entries under root ${base64(result.checkpoint.root)}.`,
  `Signed with ${result.key}.`,
  ...result.cosigned.map(({ witness, time }) => `Cosigned by ${witness} at ${clock(Number(time) * 1000)}.`),
];

/** A receipt without its proof, which was requested for later: it has only the fields index and entry. */
const lacksProof = value =>
  isCount(value.index) && typeof value.entry === 'string' && Object.keys(value).length === 2;

/** Words about the first receipt without a proof: its content is unsigned; null if there is none. */
function unprovenWords(receipts) {
  const bare = receipts.find(lacksProof);
  return bare
    ? `the receipt of entry ${bare.index} has no proof: the reply was asked for with proofs=later, and ` +
        `GET /v1/receipts/${bare.index} has it`
    : null;
}

/** The receipts `{index, entry, proof}` in a saved reply, at any depth, and those without a proof. */
function receiptsIn(value, found = [], depth = 0) {
  if (depth > 16 || found.length > 10000 || value === null || typeof value !== 'object') return found;
  if (lacksProof(value) || (typeof value.proof === 'string' && typeof value.entry === 'string')) found.push(value);
  else
    for (const [name, inner] of Object.entries(value))
      // A follower's evidence itself says that pending entries have no proof.
      if (name !== 'pending' || value.fairshoe_follow === undefined) receiptsIn(inner, found, depth + 1);
  return found;
}

/**
 * The verdict on receipts: a .tlog-proof file with the entry's bytes, or JSON that holds receipts. `entry` is bytes or
 * null, `policy` bytes or null, `key` a verifier key or null.
 */
function verifyReceipts(fileBytes, entry, policyBytes, key) {
  const report = { verdict: 'not_sound', findings: [], story: [], key: null, key_trusted: true };
  const list = [];
  if (sameBytes(fileBytes.slice(0, 9), ascii('c2sp.org/'))) {
    if (!entry) throw new Unusable('a .tlog-proof file does not hold the entry: give its exact bytes');
    list.push({ proof: fileBytes, entry, index: null });
  } else {
    let json;
    try {
      json = JSON.parse(strictText(fileBytes, 'the file'));
    } catch (error) {
      throw new Unusable(`this is neither a .tlog-proof file nor JSON: ${error.message}`);
    }
    const receipts = receiptsIn(json), unproven = unprovenWords(receipts);
    if (unproven) throw new Unusable(unproven);
    for (const { proof, entry: text, index } of receipts)
      list.push({ proof: utf8(proof), entry: utf8(text), index: isCount(index) ? index : null });
    if (!list.length) throw new Unusable('no receipt is in this JSON: it has the fields index, entry and proof');
  }
  if (!policyBytes && !key) throw new Unusable('a receipt needs a policy, or the log\'s key, got by a way you trust');
  let policy;
  try {
    policy = policyOf(policyBytes, key);
  } catch (error) {
    throw new Unusable(`the ${policyBytes ? 'policy' : 'key'} cannot be used: ${error.message}`);
  }
  try {
    for (const { proof, entry: bytes, index } of list) {
      const result = under('receipt', () => verifyReceipt(proof, bytes, policy));
      if (index !== null && BigInt(index) !== result.index)
        unsound('receipt', `the receipt is of entry ${result.index}, not of ${index}`);
      report.key = result.key;
      report.story.push(...receiptWords(result));
    }
    report.verdict = 'sound';
    report.story.push(
      `SOUND. ${list.length === 1 ? 'The receipt holds' : `All ${list.length} receipts hold`}: that an entry is on ` +
        'the log does not say that it follows the rules; check the round for that.',
    );
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    report.findings.push({ check: error.check, message: error.message });
    report.story.push(`NOT SOUND. ${error.message} [${error.check}]`);
  }
  return report;
}

/** The verdict on a signed checkpoint alone, under a policy or the log's key. */
function verifyCheckpoint(bytes, policyBytes, key) {
  const report = { verdict: 'not_sound', findings: [], story: [], key: null, key_trusted: true };
  if (!policyBytes && !key) throw new Unusable("a checkpoint needs a policy, or the log's key, got by a way you trust");
  let policy;
  try {
    policy = policyOf(policyBytes, key);
  } catch (error) {
    throw new Unusable(`the ${policyBytes ? 'policy' : 'key'} cannot be used: ${error.message}`);
  }
  try {
    under('checkpoint', () => {
      const { text, signed } = openNote(bytes, [...policy.logs, ...policy.witnesses]),
        checkpoint = readCheckpointText(text);
      const log = signed.find(line => line.key.type === LOG_KEY && line.key.name === checkpoint.origin);
      if (!log) fault(`no known log by the name ${quote(checkpoint.origin)} signed the checkpoint`);
      const cosigners = signed.filter(line => line.key.type === WITNESS_KEY);
      if (!quorumMet(policy.quorum, cosigners.map(line => line.key))) fault('the policy\'s quorum is not met');
      report.key = log.key.text;
      report.checkpoint = { origin: checkpoint.origin, size: String(checkpoint.size), root: base64(checkpoint.root) };
      report.story.push(
        `The log ${checkpoint.origin} vouches for ${checkpoint.size} entries under root ${base64(checkpoint.root)}.`,
        ...cosigners.map(({ key: witness, time }) => `Cosigned by ${witness.name} at ${clock(Number(time) * 1000)}.`));
    });
    report.verdict = 'sound';
    report.story.push(
      "SOUND. The signature is the log's. That others see the same log only witnesses, or a comparison, can show.",
    );
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    report.findings.push({ check: error.check, message: error.message });
    report.story.push(`NOT SOUND. ${error.message} [${error.check}]`);
  }
  return report;
}

/** The allowed difference between the clocks of witnesses and auditor; and the allowed delay of a witness. */
const SKEW_MS = 2000, DELAY_MS = 60000;

/**
 * The data for checking a log: `key`, a verifier key; `checkpoint` and `policy`, files' bytes; `kept`, a list of
 * `{name, bytes, entry}`; `earlier`, other known keys of the log; `skew` and `delay` in milliseconds; `now`, the
 * auditor's clock. Each may be missing.
 */
function readGiven({
  key,
  checkpoint,
  policy: policyBytes,
  kept = [],
  earlier = [],
  skew = SKEW_MS,
  delay = DELAY_MS,
  now = null,
}) {
  const policy = policyBytes ? readPolicyOrUnusable(policyBytes) : null,
    names = key || (policy && policy.logs.length === 1 ? policy.logs[0].text : null);
  if ((kept.length || checkpoint) && !names)
    throw new Unusable("to hold something against a log takes the log's key, got by a way you trust");
  let logKey = null, before = [];
  try {
    logKey = names && readLogKey(names);
    before = earlier.map(readLogKey);
  } catch (error) {
    throw new Unusable(`the key cannot be used: ${error.message}`);
  }
  const evidence = new Kept(logKey || { name: null }, policy, before);
  kept.forEach(file => evidence.add(file.name, file.bytes, file.entry || null));
  return { key: logKey, checkpoint, evidence, any: kept.length > 0, skew, delay, now };
}

/**
 * Checks that the log's key signed exactly these entries, and that the tiles with them are theirs. This comes first:
 * unsigned bytes give no verdict, whoever serves them.
 */
function requireSigned({ key, checkpoint }, { leaves, tile }) {
  const refused = message => { throw new Unusable(`this is not what the log signed: ${message}`); };
  try {
    if (key && checkpoint) {
      const ofName = readNote(checkpoint).signatures.filter(line => line.name === key.name);
      if (ofName.length && !ofName.some(line => line.id === key.id))
        refused(`${key.name} is signed with another key, ${ofName[0].id}, than the one that was known, ${key.id}`);
      const { size, root } = openCheckpoint(checkpoint, key), made = treeRoot(leaves);
      if (size !== BigInt(leaves.length)) refused(`the checkpoint is of ${size} entries, there are ${leaves.length}`);
      if (!sameBytes(root, made)) refused(`the entries have root ${base64(made)}, signed is ${base64(root)}`);
    }
    if (tile) checkTiles(leaves, tile);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    refused(error.message);
  }
}

/** The open items at the log's end: live rounds, and shoes of which a round was closed. */
function leftOpen(house) {
  return [...house.tables.values()]
    .filter(({ live, shoe }) => live || (shoe && shoe.rounds))
    .map(({ name, live, shoe: inUse }) => {
      const shoe = live ? live.shoe : inUse;
      return {
        table: name,
        ...(live ? { round: live.no } : {}),
        shoe: shoe.no,
        rounds: shoe.rounds,
        shown: shoe.faces.size,
        since: shoe.since,
      };
    });
}

const openWords = ({ table, round, shoe, rounds, shown, since }, now) =>
  `Table ${table}: ${round === undefined ? '' : `round ${round} is in play; `}the seed of shoe ${shoe} is not out: ` +
  `${rounds} round(s) dealt from it, ${shown} card(s) shown, committed ${clock(since)}, ` +
  `${Math.max(0, Math.floor((now - since) / 60000))} minutes ago.`;

/**
 * Who vouches that a log is the one others see: the verdict alone only says that its entries fit each other.
 */
function vouchedWords({ key, checkpoint, any }) {
  if (!key)
    return `No key was named${checkpoint ? '' : ' and no checkpoint given'}: NO SIGNATURE WAS CHECKED, nobody ` +
      'vouches for these being the entries of a log that others see.';
  if (checkpoint) return `The checkpoint over them is judged by the key you named, ${key.text}.`;
  if (any)
    return 'Their checkpoint was not given: of these entries only what was kept is judged by the key you named, ' +
      `${key.text}.`;
  return `No checkpoint was given: NO SIGNATURE WAS CHECKED, the key you named, ${key.text}, was held against the ` +
    `log's name alone.`;
}

/** A log as `{lines, leaves}`, from its text with one entry on each line; `leaves` are made on request. */
function logOfText(text) {
  const lines = text.split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  if (!lines.length) throw new Unusable('this is no log: it has no entry');
  let made = null;
  return { lines, get leaves() { made = made || lines.map(line => leafHash(utf8(line))); return made; } };
}

/**
 * The place of all chips of a whole log at its end, by its commands and results alone: spec/audit.md, "How an entry is
 * checked".
 */
class Totals {
  constructor() {
    Object.assign(this, { paidIn: 0n, house: 0n, inPlay: new Map() });
    const none = () => ({ commands: {}, taken: 0n });
    this.byPlayers = { signed: none(), operators_keys: none(), unsigned: none() };
    this.byOperator = {};
    // For each player for whom the operator named a key: whether the first is theirs, and the one from a time on.
    Object.assign(this, { operatorsKeys: new Map(), carries: false });
  }

  /** Whether the operator named the key under which a player signs, as far as the entries read tell. */
  isOperatorsKey(player, time) {
    const { first = false, later = null } = this.operatorsKeys.get(player) || {};
    return later && later.from <= time ? later.theirs : first;
  }

  /** Records who named an entry's keys. Keys carried over from an old log belong to that log. */
  noteKeys({ by, time, command, events }) {
    const carrying = ['create_player', 'credit', 'set_limit', 'exclude', 'open_table'].includes(wordOf(command));
    this.carries = !!command.continue_log || (this.carries && by === 'operator' && carrying);
    for (const { key_set: { player, key, from } } of events.filter(event => event.key_set)) {
      const first = this.isOperatorsKey(player, time), theirs = key !== undefined;
      if (by !== 'operator' || this.carries) this.operatorsKeys.delete(player);
      else this.operatorsKeys.set(player, from === undefined ? { first: theirs } : { first, later: { from, theirs } });
    }
  }

  /** Counts commands in a player's name, signed or unsigned; seeds prove themselves. */
  count(entry) {
    const { by, time, command, events, signed } = entry, name = wordOf(command);
    const isOperators = signed && this.isOperatorsKey(by.slice(7), time);
    const whose = this.byPlayers[isOperators ? 'operators_keys' : signed ? 'signed' : 'unsigned'];
    this.noteKeys(entry);
    if (by === 'operator') this.byOperator[name] = (this.byOperator[name] || 0) + 1;
    const isSeed = ['reveal', 'late_seed', 'reveal_seat_seed'].includes(name);
    if (!isPlayerActor(by) || isGuest(by.slice(7)) || isSeed) return;
    whose.commands[name] = (whose.commands[name] || 0) + 1;
    const lines = events.flatMap(({ posted }) => (posted ? posted.lines : []));
    const net = sum(lines.filter(([account]) => account === by).map(([, amount]) => amount));
    if (net < 0) whose.taken -= BigInt(net);
  }

  /**
   * Begins with a state; payments of rounds in play, in the entries since their tables rested, are in the house's
   * account.
   */
  begin({ accounts }, had) {
    had.forEach(entry => this.after(entry));
    this.paidIn = -BigInt(accounts.get('cage'));
    this.house = BigInt(accounts.get('house')) + BigInt(accounts.get('rake'));
    for (const paid of this.inPlay.values()) this.house -= paid;
  }

  after({ at, command: { credit, withdraw, correct, tournament }, events }) {
    const table = at && at.table,
      net = ({ stake, staked = stake, returned }) => BigInt(staked) - BigInt(returned),
      won = lines => lines.reduce((total, line) => total + net(line), 0n);
    this.paidIn += BigInt(credit ? credit.amount : withdraw ? -withdraw.amount : 0);
    this.house += BigInt(correct ? correct.amount : 0);
    // Fees minus overlays: the tournament's rules have told each. Its chips are no money.
    if (tournament)
      for (const [account, amount] of events.flatMap(({ posted }) => (posted ? posted.lines : [])))
        if (account === 'house') this.house += BigInt(amount);
    if (at && (isOfEvent(table) || isForPlay(table))) return;
    for (const { play, round_settled: settled, round_voided: voided } of events) {
      if (play && play.paid) this.inPlay.set(table, (this.inPlay.get(table) || 0n) + won(play.paid.lines));
      if (!settled && !voided) continue;
      // A hand of poker leaves its rake; payments of a void round came back, except for the parts in its results.
      this.house += won((settled || voided).players);
      this.inPlay.delete(table);
    }
  }

  check({ accounts }) {
    const of = name => BigInt(accounts.get(name)),
      house = [...this.inPlay.values()].reduce((total, paid) => total + paid, this.house);
    // Each is a number below 2^53; the sum may be larger.
    if ([...accounts.values()].reduce((total, n) => total + BigInt(n), 0n) !== 0n)
      unsound('ledger_total', 'the accounts do not sum to zero');
    if (playTotal(accounts) !== 0n) unsound('ledger_total', 'the accounts of play chips do not sum to zero');
    if (of('cage') !== -this.paidIn)
      unsound('ledger_cage', `${this.paidIn} were paid in and not out again, the cage stands at ${of('cage')}`);
    if (of('house') + of('rake') !== house)
      unsound(
        'ledger_house',
        `the rounds and corrections gave house and rake ${house}, their accounts stand at ${of('house') + of('rake')}`,
      );
  }
}

/** In the form of a report: a sum that some JSON readers cannot hold exactly is a text. */
const plainSums = ({ signed, operators_keys: operators, unsigned }) => {
  const plain = ({ commands, taken }) => ({
    commands, taken: taken <= Number.MAX_SAFE_INTEGER ? Number(taken) : String(taken),
  });
  const named = Object.keys(operators.commands).length ? { operators_keys: plain(operators) } : {};
  return { signed: plain(signed), ...named, unsigned: plain(unsigned) };
};

const countsInWords = counts => Object.entries(counts).sort().map(([name, n]) => `${name} ${n}`).join(', ');

/** The parts that rest on the house's claims. */
function unsignedWords({ signed, operators_keys: operators, unsigned }) {
  const total = ({ commands }) => Object.values(commands).reduce((all, n) => all + n, 0);
  const named = operators
    ? [`${total(operators)} commands, which took ${operators.taken}, are signed with keys that the operator named ` +
      `for players (${countsInWords(operators.commands)}).`]
    : [];
  if (!total(unsigned)) return named;
  const kinds = countsInWords(unsigned.commands);
  return [
    ...named,
    `${total(unsigned)} commands in the names of players without a key, which took ${unsigned.taken} from them, rest ` +
      `on the house's word alone (${kinds}); beside ${total(signed)} that players signed, which took ${signed.taken}.`,
  ];
}

/** Follows a log from its first entry on: returns the house at its end, and the failed check. */
function followed(log, given, words = new Words([]), begun = null) {
  const { lines } = log,
    house = begun ? begun.house : new House(false),
    first = begun ? begun.given.size : 0,
    totals = new Totals(),
    times = [],
    findings = [];
  const held = given.any || lines.some(line => line.includes('"saw":{')),
    leaves = held ? log.leaves : [],
    roots = held ? rootsOf(leaves) : [];
  if (given.key) house.origin = given.key.name;
  requireSigned(given, log);
  let entries = 0, balances = {};
  const judge = (line, index) => {
    const entry = readEntry(line);
    times[index] = entry.time;
    words.before(house, entry, index);
    house.judge(entry, index);
    words.after(house, entry, index);
    totals.after(entry);
    totals.count(entry);
    checkSaw(entry, index, roots);
    entries++;
  };
  if (begun) {
    totals.begin(house, begun.had);
    words.beginAfter(house.time);
  }
  try {
    for (let index = first; index < lines.length; index++) located(index, undefined, () => judge(lines[index], index));
    totals.check(house);
    balances = Object.fromEntries(house.accounts);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    const { check, entry, message } = error;
    findings.push({ check, ...(entry === undefined ? {} : { entry }), message });
  }
  return { house, findings, times, leaves, roots, entries, balances, totals };
}

/**
 * Words about the old log; `old` if it was read. Attack: a house hides the shoes that it dealt from in a log that it
 * leaves, and the new one is called sound.
 */
function oldLogWords({ origin, size }, old) {
  if (!old)
    return [`It goes on from ${origin} at its ${size} entries, which were not read: add --continues with that log.`];
  const { entries, open, verdict, goes_on_from: older, old_log: before = null, wallet_late: late } = old;
  const word = verdict === 'sound' ? 'SOUND' : 'SOUND SO FAR';
  return [
    `It goes on from the ${entries} entries of ${origin}, which are ${word}: what stood at that end is carried over.`,
    ...(older ? oldLogWords(older, before) : []),
    ...(late ? [`${late} operation(s) of the wallet waited there for more than three days.`] : []),
    ...open.map(({ table, round, shoe, rounds, shown }) =>
      `Of that log, table ${table}: ${round === undefined ? '' : `round ${round} was in play; `}the seed of shoe ` +
        `${shoe} never came out: ${rounds} round(s) dealt from it, ${shown} card(s) shown.`),
  ];
}

/** Acts on tournaments beyond their structures, or null (spec/audit.md, "The report of a book"). */
function eventsDone(lines) {
  const done = {
    announced: 0, begun: 0, cancelled: {}, cancelled_in_play: 0, postponed: 0, times_changed: 0, disqualified: 0,
    bounties_set: 0, substitutes: 0, substituted: 0, deals: 0, t_dollars: 0,
  };
  const of = { created: 'announced', started: 'begun', postponed: 'postponed', deal_made: 'deals' };
  const asked = { disqualify: 'disqualified', change_registration: 'times_changed', set_bounty: 'bounties_set' };
  let substituted = 0n, dollars = 0n;
  for (const line of lines) {
    if (!line.includes('"command":{"tournament":')) continue;
    const { by, command, events } = JSON.parse(line), [word] = Object.keys(command.tournament);
    if (asked[word]) done[asked[word]]++;
    if (word === 'substitute_prize' && by === 'operator') done.substitutes++;
    for (const [name, said] of events.flatMap(({ tournament }) => Object.entries(tournament || {}))) {
      if (of[name]) done[of[name]]++;
      if (name === 'prize_paid') substituted += BigInt(said.prize.substitute || 0);
      if (name === 'prize_paid') dollars += BigInt(said.prize.t_dollars || 0);
      if (name === 'ticket_returned') dollars += BigInt(said.value);
      if (name !== 'cancelled') continue;
      done.cancelled[said.cause] = (done.cancelled[said.cause] || 0) + 1;
      if (said.case !== 1) done.cancelled_in_play++;
    }
  }
  const sums = { substituted: sumInJson(substituted), t_dollars: sumInJson(dollars) };
  return done.announced || Object.keys(done.cancelled).length ? { ...done, ...sums } : null;
}

function eventsInWords({ cancelled, ...done }) {
  const causes = Object.entries(cancelled).map(([cause, count]) => `${cause.replace(/_/g, ' ')} ${count}`);
  return `Tournaments: ${done.announced} announced, ${done.begun} begun; cancelled: ${causes.join(', ') || 'none'}, ` +
    `${done.cancelled_in_play} of them in play; ${done.postponed} starts postponed, ${done.times_changed} changes of ` +
    `registration, ${done.disqualified} players disqualified, ${done.bounties_set} bounties given or denied by name, ` +
    `${done.substitutes} substitutes offered, ${done.deals} deals made; ${done.substituted} of prizes went to the ` +
    `house for substitutes; ${done.t_dollars} of seats became T$, which pay entries and nothing else.`;
}

/**
 * The verdict on a whole log, its text (the exact text of one entry on each line, from the first) or one already read,
 * `{lines, leaves, note?, tile?}`: every command is decided again, the money and the shoes are followed through all
 * tables (spec/audit.md, "book"). `against` is further data: see readGiven; `continues`, the log that it goes on from,
 * or a list of that one and those before it; `rivals`, other statements about that one: each a `name` with a log, like
 * the first, or with `bytes`, a statement.
 */
function verifyLog(logOrText, against = {}) {
  const log = typeof logOrText === 'string' ? logOfText(logOrText) : logOrText, { lines } = log;
  const given = readGiven(against),
    { evidence, skew, now } = given,
    words = new Words(evidence.words),
    vouched = vouchedWords(Object.assign(given, { checkpoint: given.checkpoint || log.note }));
  const report = {
    verdict: 'not_sound',
    findings: [],
    story: [],
    key: given.key && given.key.text,
    signature_checked: !!given.key && (!!given.checkpoint || given.any),
    entries: 0,
    balances: {},
    open: [],
    due: [],
  };
  const begun = against.from ? beginGiven(log, against.from) : null;
  const start = begun ? { operations: begun.house.wallet.count, time: begun.house.time } : { operations: 0 };
  const { house, findings, times, leaves, roots, entries, balances, totals } = followed(log, given, words, begun);
  Object.assign(report, { findings, entries, balances }, begun ? { given: begun.given } : {});
  report.by_players = plainSums(totals.byPlayers);
  report.by_operator = totals.byOperator;
  const held = given.any ? heldAgainst(evidence, leaves, roots, times, given) : { findings: [], doubt: null };
  report.findings.push(...words.findings, ...held.findings);
  const early = now === null ? undefined : evidence.words.find(word => word.time > now + skew);
  if (early)
    report.findings.push({
      check: 'time_ahead',
      message: `${early.where}: the note is dated ${clock(early.time)}; it is ${clock(now)} now`,
    });
  const ahead = now === null ? -1 : times.findIndex(time => time > now + skew);
  if (ahead >= 0)
    report.findings.push({
      check: 'time_ahead',
      entry: ahead,
      message: `the entry is dated ${clock(times[ahead])}; it is ${clock(now)} now`,
    });
  if (!report.findings.length && held.doubt) throw new Unusable(held.doubt);
  let old = null;
  const before = [].concat(against.continues || []);
  if (!report.findings.length && before.length) {
    const held = heldToOld(lines, before, given.key);
    report.findings.push(...held.findings);
    ({ old = null } = held);
  }
  const rivals = [];
  for (const rival of against.rivals || []) {
    if (report.findings.length) break;
    const compared = heldToRival(log, given.checkpoint, rival);
    report.findings.push(...compared.findings);
    rivals.push(compared.words);
  }
  if (report.findings.length) report.story.push(vouched);
  for (const { check, entry, message } of report.findings)
    report.story.push(`NOT SOUND. ${entry === undefined ? '' : `entry ${entry}: `}${message} [${check}]`);
  if (report.findings.length) return report;
  report.open = leftOpen(house);
  const read = begun ? lines.slice(begun.given.size) : lines;
  report.out = doorsOf(read);
  report.waits = walletWaits(house, read, start);
  const late = lateWaits(house, report.waits), isOldOpen = !!house.continues && (!old || old.verdict !== 'sound');
  // A stopped house, or the house of a copy, does nothing any more: its duties by now are no finding.
  const waiting = [...house.tables.values()].some(({ recovering }) => recovering);
  const due =
    now === null
      ? []
      : waiting
        ? house.overdueRecoveries(now)
        : house.overdueAt(now, [...house.tables.values(), ...house.events.values()], house.ready);
  report.due = due.map(({ name, command, since }) => ({ table: name, command, since }));
  const open = report.open.length + report.due.length + late > 0 || isOldOpen;
  report.verdict = begun ? 'sound_from_state' : open ? 'sound_so_far' : 'sound';
  if (house.continues) {
    const { origin, size } = house.continues;
    Object.assign(report, { goes_on_from: { origin, size }, old_log_read: !!old, ...(old ? { old_log: old } : {}) });
  }
  if (house.ended) report.ended = { origin: house.ended.origin, vkey: keyOfClaim(house.ended).text };
  if (begun) report.story.push(...givenWords(begun.given));
  const events = eventsDone(lines.slice(begun ? begun.given.size : 0));
  if (events) Object.assign(report, { events });
  const word = begun ? 'SOUND FROM STATE' : open ? 'SOUND SO FAR' : 'SOUND';
  report.story.push(
    ...doorsInWords(report.out),
    ...report.waits.map(({ no, call, player, amount, since }) =>
      `Operation ${no} of the wallet, ${amount} of ${player}, waits for ${call}; it began ${clock(since)}.`),
    ...report.open.map(left => openWords(left, now === null ? house.time : now)),
    ...report.due.map(
      ({ table, command, since }) =>
        `${house.events.has(table) ? 'Tournament' : 'Table'} ${table}: ${quote(command)} is due since ` +
        `${clock(since)}; a house that runs would have done it.`,
    ),
    ...(house.continues ? oldLogWords(house.continues, old) : []),
    ...(report.ended ? [`It has ended, and goes on as the log with the key ${report.ended.vkey}.`] : []),
    ...(events ? [eventsInWords(events)] : []),
    ...rivals,
    ...unsignedWords(report.by_players),
    ...(Object.keys(totals.byOperator).length ? [`The operator gave: ${countsInWords(totals.byOperator)}.`] : []),
    `${word}. ${entries} entries were decided again, each to the same bytes; all accounts sum to zero. ${vouched}`);
  return report;
}

/** Checks that the tiles next to a log's entries are those of the entries; `tile` reads one, or null. */
function checkTiles(leaves, tile) {
  for (let level = 0, hashes = leaves; hashes.length; level++) {
    const tiles = Array.from({ length: Math.ceil(hashes.length / 256) }, (_, n) =>
      hashes.slice(256 * n, 256 * n + 256),
    );
    tiles.forEach((made, n) => {
      const path = tilePath(level, n, made.length),
        bytes = tile(path) || (tile(tilePath(level, n)) || []).slice(0, 32 * made.length);
      if (!sameBytes(bytes, concat(...made))) fault(`${path} is not the tile that the entries make`);
    });
    hashes = tiles.filter(made => made.length === 256).map(treeRoot);
  }
}

/** Checks that the checkpoint seen by the client before it revealed is one of this log, and existed then. */
function checkSaw({ command: { reveal } }, index, roots) {
  const saw = reveal && reveal.saw;
  if (!saw) return;
  if (saw.size > index)
    unsound('saw_other', `the client saw a checkpoint of ${saw.size} entries, ${index} came before this one`);
  if (base64(roots[saw.size]) !== saw.root)
    unsound(
      'saw_other',
      `the client saw root ${saw.root} over ${saw.size} entries; they have ${base64(roots[saw.size])}`,
    );
}

const MOST_EVIDENCE = 4 * 1024 * 1024, isText = value => typeof value === 'string';
const hashList = listOf(text => hash64(text) !== null, 0, 65);
const isEvidence = {
  fairshoe_evidence: value => value === 1,
  vkey: isText,
  key_trusted: isBool,
  time: isCount,
  finding: value => isObject(value) && isText(value.check) && isText(value.message),
  addresses: listOf(isText),
  notes: listOf(
    note =>
      isObject(note) && Object.keys(note).length === 3 && isText(note.from) && isCount(note.time) && isText(note.note),
    0,
    16,
  ),
  prefix: value =>
    isObject(value) &&
    Object.keys(value).length === 3 &&
    isCount(value.size) &&
    isCount(value.of) &&
    hashList(value.hashes),
  entry: value =>
    isObject(value) &&
    Object.keys(value).length === 4 &&
    isCount(value.index) &&
    unbase64(value.entry) !== null &&
    isCount(value.of) &&
    hashList(value.hashes),
};

/** Judges the data of a finding with the log's key alone: spec/audit.md, "Evidence". */
function verifyEvidence(bytes, trusted = null) {
  const no = why => new Unusable(`this is no evidence: ${why}`);
  if (bytes.length > MOST_EVIDENCE) throw no('it is longer than 4 MiB');
  let file, key;
  try {
    const text = strictText(bytes, 'the file');
    file = JSON.parse(text);
    if (!isObject(file) || ambiguity(text)) fault('no JSON object that can be read in one way');
    const wrong = [...new Set([...Object.keys(isEvidence), ...Object.keys(file)])].find(name =>
      file[name] === undefined
        ? !['prefix', 'entry'].includes(name)
        : !Object.hasOwn(isEvidence, name) || !isEvidence[name](file[name]),
    );
    if (wrong !== undefined) fault(`the field ${wrong} is unknown, missing or malformed`);
    key = readLogKey(trusted || file.vkey);
  } catch (error) {
    if (!(error instanceof Unsound) && !(error instanceof SyntaxError)) throw error;
    throw no(error.message);
  }
  // A note without the key's signature may be the subject of a finding; it proves nothing about the log.
  const read = reader =>
    file.notes.flatMap(({ note }) => {
      try {
        return [reader(utf8(note), key)];
      } catch (error) {
        if (error instanceof Unsound) return [];
        throw error;
      }
    });
  const signed = read(openCheckpoint),
    statements = read(readStatement),
    of = size => signed.find(one => one.size === BigInt(size)) || fault(`no checkpoint of ${size} entries is signed`);
  const proven = words => ({ verdict: 'proven', shown: words }),
    not = words => ({ verdict: 'not_proven', shown: words });
  const judge = () => {
    const twice = signed.find((one, i) =>
      signed.slice(i + 1).some(other => other.size === one.size && !sameBytes(other.root, one.root)),
    );
    if (twice) return proven(`${key.name} signed two checkpoints of ${twice.size} entries, with two roots`);
    if (new Set(statements).size > 1)
      return proven(
        `${key.name} signed two statements of a log that goes on from it: ` +
          `${[...new Set(statements)].map(text => quote(text.split('\n').slice(2, -1))).join(' and ')}`,
      );
    if (file.prefix) {
      const { size, of: whole, hashes } = file.prefix,
        older = of(size),
        newer = of(whole),
        root = prefixRoot(older.size, newer.size, newer.root, hashes.map(hash64));
      return sameBytes(root, older.root)
        ? not('the newer checkpoint goes on from the older one')
        : proven(
            `${key.name} signed root ${base64(older.root)} for ${size} entries, and a tree of ${whole} whose first ` +
              `${size} lead to ${base64(root)}`,
          );
    }
    if (file.entry) {
      const { index, entry, of: whole, hashes } = file.entry, newer = of(whole), data = unbase64(entry);
      if (data.length > 65535) fault('longer than an entry can be');
      checkInclusion(leafHash(data), BigInt(index), newer.size, hashes.map(hash64), newer.root);
      try {
        readEntry(Array.from(data, byte => String.fromCharCode(byte)).join(''));
      } catch (error) {
        if (error instanceof Unsound) return proven(`${key.name} has an entry ${index} that is none: ${error.message}`);
        throw error;
      }
      return not(`entry ${index} is on the log, byte for byte; whether it breaks the rules, the entries before it say`);
    }
    return not('it rests on what the addresses served or had served before: the monitor\'s word stands for that');
  };
  let said;
  try { said = judge(); } catch (error) { if (error instanceof Unsound) throw no(error.message); throw error; }
  const whose = trusted ? 'the key you named' : 'UNVERIFIED: compare it with the one you know the log by';
  return {
    ...said,
    finding: file.finding,
    key: key.text,
    key_trusted: !!trusted,
    story: [
      `Found: ${file.finding.message} [${file.finding.check}]`,
      `Key: ${key.text} (${whose})`,
      `${said.verdict === 'proven' ? 'PROVEN' : 'NOT PROVEN by this file alone'}: ${said.shown}`,
    ],
  };
}

/** A shoe from its seed: `{origin, table, epoch, shoe_no, candidate, composition, seed, commitment?, root?}`. */
function verifyShoe(given) {
  const composition = readComposition(given.composition),
    seed = unhex(given.seed, 32),
    no = Number(given.shoe_no),
    k = Number(given.candidate || 0);
  if (!composition) throw new Unusable('the composition is 52xD, wheel37xN, wheel216xN or cards:… (spec/fairness.md)');
  if (!seed) throw new Unusable('the seed is 64 lower-case hexadecimal digits');
  const report = { verdict: 'not_sound', findings: [], story: [] };
  try {
    const derived = deriveShoe(seed, composition);
    report.order = composition.wheel ? derived.faces : derived.faces.map(cardOf);
    report.root = derived.root;
    report.story.push(`The seed orders: ${report.order.join(' ')}`, `Its root is ${derived.root}.`);
    if (given.root !== undefined && given.root !== derived.root)
      unsound('shoe_root', `the shoe's root is ${derived.root}, not ${given.root}`);
    if (given.commitment !== undefined) {
      if (!isOrigin(given.origin) || !isName(given.table) || !isHash(given.epoch) || !isCount(no) || !whole(0, 255)(k))
        throw new Unusable('a commitment needs origin, table, epoch and shoe number');
      const commitment = serverCommitment(tableContext(given.origin, given.table, given.epoch), no, k, seed);
      if (commitment !== given.commitment)
        unsound('seed_opens', `the seed's commitment is ${commitment}, not ${given.commitment}`);
    }
    report.verdict = 'sound';
    const held = ['root', 'commitment'].filter(name => given[name] !== undefined);
    report.story.push(
      held.length
        ? `SOUND. The seed gives the ${held.join(' and the ')}.`
        : 'SOUND. Compare the root with the one that shoe_committed holds.',
    );
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    report.findings.push({ check: error.check, message: error.message });
    report.story.push(`NOT SOUND. ${error.message} [${error.check}]`);
  }
  return report;
}

/**
 * The verdict on any input: a bundle, a receipt, a saved reply with receipts, a checkpoint. `trust` is a verifier key
 * or a policy, as text, or empty; `entry` the bytes of a receipt's entry, or null.
 */
function verifyAnything(bytes, trust = '', entry = null) {
  const words = trust.trim(),
    policy = /^\s*(#|log\s|witness\s|group\s|quorum\s)/.test(trust) ? utf8(words + '\n') : null,
    key = policy ? null : words || null;
  const text = strictTextOrNull(bytes);
  if (text === null) throw new Unusable('this is not text: give a bundle, a receipt or a checkpoint');
  if (text.startsWith('c2sp.org/')) return { kind: 'receipt', ...verifyReceipts(bytes, entry, policy, key) };
  if (/^\s*\{/.test(text)) {
    const trusted = () => (policy ? (readPolicyOrUnusable(policy).logs[0] || {}).text : key) || null;
    if (/"fairshoe_bundle"/.test(text)) return { kind: 'bundle', ...verifyBundle(text, trusted()) };
    if (/"fairshoe_follow"/.test(text)) return { kind: 'follow', ...verifyFollowed(text, trusted()) };
    return { kind: 'receipt', ...verifyReceipts(bytes, entry, policy, key) };
  }
  if (text.includes('\n\n— ')) return { kind: 'checkpoint', ...verifyCheckpoint(bytes, policy, key) };
  throw new Unusable(
    'this is neither a bundle (JSON with fairshoe_bundle), a receipt (.tlog-proof, or JSON with receipts) nor a ' +
      'signed checkpoint',
  );
}

function strictTextOrNull(bytes) {
  try { return strictText(bytes, 'the file'); } catch (error) { return null; }
}

function readPolicyOrUnusable(bytes) {
  try {
    return readPolicy(bytes);
  } catch (error) {
    throw new Unusable(`the policy cannot be used: ${error.message}`);
  }
}

// Transfers by the ledger alone: the accounts of other logs move by the amounts of their entries, and no number comes
// twice (spec/transfers.md, "Postings"). Receipts are not checked here.

const LEDGER_TRANSFER_EVENTS = {
  log_known: fieldsOf({ log: isOrigin, 'policy?': isPlainText }),
  transferred_out: fieldsOf({ to: isOrigin, no: isCount, player: isName, amount: isCount }),
  transferred_in: fieldsOf({ from: isOrigin, no: isCount, index: isCount, player: isName, amount: isCount }),
};
/** The command that causes each of them. */
const TRANSFER_COMMANDS = { log_known: 'know_log', transferred_out: 'transfer_out', transferred_in: 'transfer_in' };

/** Methods of LedgerBook. */
const TRANSFERS_OF_LEDGER = {
  ofTransfer(name, fields, entry) {
    const command = TRANSFER_COMMANDS[name], [asked] = Object.keys(entry.command);
    if (asked !== command || entry.transfer) unsound('state', `${name} is said where it is not what ${asked} causes`);
    entry.transfer = fields;
    if (name === 'log_known') {
      if (!this.known.has(fields.log)) this.knowLog(fields.log);
      return;
    }
    const { to, from = to, no } = fields, known = this.known.get(from);
    if (!known) unsound('state', `the log ${quote(from)} was never named`);
    if (name === 'transferred_in') {
      if (isClaimed(known.claimed, no)) unsound('state', `number ${no} of ${quote(from)} was claimed before`);
      known.claimed = withClaimed(known.claimed, no);
    } else if (no !== known.sent) {
      unsound('state', `number ${no} is sent to ${quote(to)}, number ${known.sent} comes next`);
    } else known.sent++;
  },

  knowLog(log) {
    this.known.set(log, { sent: 0, claimed: [] });
    this.accounts.set(transfersOf(log), 0n);
  },

  /** Checks that the accounts of other logs move by the entry's transfer, with postings of its player alone. */
  settleTransfer({ transfer, moved }) {
    const due = new Map();
    if (transfer && transfer.amount) {
      const { to, from = to, player, amount } = transfer, sign = to === undefined ? -1n : 1n;
      addMove(due, transfersOf(from), sign * BigInt(amount));
      addMove(due, `player:${player}`, -sign * BigInt(amount));
    }
    const judged = transfer ? [...new Set([...due.keys(), ...moved.keys()])] : [...moved.keys()].filter(isOfTransfers);
    for (const account of judged) {
      const [said, posted] = [due, moved].map(moves => moves.get(account) || 0n);
      if (said !== posted) unsound('posting', `${account} is due ${said} here, postings give it ${posted}`);
    }
  },
};

const isOfTransfers = account => account.startsWith(TRANSFERS);

// The operator's wallet by the ledger alone: its account moves only with its own commands, by each operation's amount
// and against its player, and an operation's entries come in order (spec/wallet.md, "Postings"). Rights, and the number
// of open operations, are not checked here.

const isAskedOfWallet = fieldsOf({ player: isName, amount: isAmount });
const LEDGER_WALLET_COMMANDS = {
  wallet_deposit: isAskedOfWallet,
  wallet_withdraw: isAskedOfWallet,
  wallet_cancel: fieldsOf({ no: isCount }),
  wallet_answer: fieldsOf(COMMANDS.wallet_answer),
};
const LEDGER_WALLET_EVENTS = {
  wallet_asked: fieldsOf(EVENTS.wallet_asked),
  wallet_answered: fieldsOf(EVENTS.wallet_answered),
};
const isOfWallet = event => Object.hasOwn(LEDGER_WALLET_EVENTS, Object.keys(event)[0]);

/** Methods of LedgerBook. */
const WALLET_OF_LEDGER = {
  /**
   * The effect of such a command by the page's tables, from the state before its entry: `{player, moved, events, no,
   * next}`. `moved` is the change of the account `wallet`, 0 if nothing is posted; `next` is the operation afterwards,
   * null if it is over.
   */
  walletDue(name, fields) {
    if (name === 'wallet_deposit' || name === 'wallet_withdraw') {
      const { player, amount } = fields, call = name === 'wallet_deposit' ? 'reserve' : 'pay';
      return this.askedDue(this.operations, { call, player, amount }, call === 'pay' ? BigInt(amount) : 0n);
    }
    const { no } = fields, operation = this.openOperations.get(no), { call } = operation || {};
    if (!operation) unsound('state', `there is no open operation ${no} of the wallet`);
    if (name === 'wallet_cancel') {
      if (call !== 'reserve') unsound('state', `operation ${no} of the wallet waits for ${call}: it is not cancelled`);
      return this.askedDue(no, { ...operation, call: 'cancel' }, 0n);
    }
    return this.answeredDue(operation, fields);
  },

  askedDue(no, next, moved) {
    return { no, next, moved, player: next.player, events: [{ wallet_asked: { no, ...next } }] };
  },

  answeredDue(operation, { no, call, answer, reason }) {
    const { player, amount } = operation, isRefused = answer === 'refused';
    if (operation.call !== call)
      unsound('state', `operation ${no} of the wallet waits for ${operation.call}, what is answered is ${call}`);
    if (isRefused && call !== 'reserve' && call !== 'pay') unsound('state', `the wallet never refuses a ${call}`);
    const answered = { wallet_answered: { no, call, answer, ...orNone('reason', reason) } };
    if (call === 'reserve' && !isRefused) {
      const stands = this.get(`player:${player}`) || 0n, comes = stands + BigInt(amount) <= BigInt(HALF);
      const next = { ...operation, call: comes ? 'commit' : 'cancel' };
      const due = this.askedDue(no, next, comes ? -BigInt(amount) : 0n);
      return { ...due, events: [answered, ...due.events] };
    }
    const moved = call === 'pay' && isRefused ? -BigInt(amount) : 0n;
    return { no, next: null, moved, player, events: [answered] };
  },

  /** Checks that the wallet's account and operations move by the entry's command, and with no other command. */
  settleWallet({ wallet: due, moved, command, events }) {
    const said = events.filter(isOfWallet);
    if (!due) {
      if (said.length) unsound('state', `${Object.keys(said[0])[0]} is not what ${Object.keys(command)[0]} causes`);
      if (moved.has(WALLET)) unsound('posting', `${WALLET} moves with ${Object.keys(command)[0]}`);
      return;
    }
    if (quote(said) !== quote(due.events))
      unsound('state', `of the wallet the entry says ${quote(said)}, its command causes ${quote(due.events)}`);
    this.settleMoves(due, moved);
    const names = [...(due.moved ? ['posted'] : []), ...due.events.map(event => Object.keys(event)[0])];
    if (events.map(event => Object.keys(event)[0]).join() !== names.join())
      unsound('state', `the command causes ${names.join(', ')}, in this order and nothing else`);
    if (due.no === this.operations) this.operations++;
    if (due.next) this.openOperations.set(due.no, due.next); else this.openOperations.delete(due.no);
  },

  settleMoves({ player, moved: amount }, moved) {
    const due = new Map(amount ? [[WALLET, amount], [`player:${player}`, -amount]] : []);
    for (const account of new Set([...due.keys(), ...moved.keys()])) {
      const [said, posted] = [due, moved].map(moves => moves.get(account) || 0n);
      if (said !== posted) unsound('posting', `${account} is due ${said} here, postings give it ${posted}`);
    }
  },
};

// The money of a log and the form of its entries, without the rules of the games: spec/audit.md, "The ledger alone".

const LEDGER_CHECKED = [
  'the checkpoint\'s signature, and its root over every entry, where a key and a checkpoint are given',
  'every tile, where the log is a mirror\'s folder',
  'each entry\'s one spelling, its time, its place in its table\'s sequence',
  'each posting: it sums to zero, accounts exist, no player or table owes, balances after and before are the book\'s',
  'chips enter and leave by the operator\'s commands alone',
  'play chips are guests\' alone, each posting is of one kind of chips, guests are numbered without a gap',
  'each round gives the house what its paid wagers or its void say, and leaves nothing on the table',
  'each entry of a tournament moves what it says was bought, paid or refunded, and its end leaves it nothing',
  'what goes to other logs and comes from them moves as its entries say, is numbered without a gap, and never twice',
  'what comes from the operator\'s wallet and goes back moves as its operations say, each answer is of the last call',
];
const LEDGER_NOT_CHECKED = [
  'that commands were allowed, and their events the ones that the rules give',
  'that wagers were paid what the cards and rules say, and to whom',
  'that a tournament\'s prizes, bounties and refunds are those of its rules, and what its cancellation costs the house',
  'shoes, seeds, openings, slots, faces',
  'deadlines, seats, cooldowns, recovery',
  'that what came from another log was sent by it: receipts, and the policies that they meet',
  'the checkpoints that players say they saw',
];

const isAny = () => true;

/**
 * An object that begins with these fields in this order, those with a `?` optional; more may follow, and must if
 * `goesOn`.
 */
const startsWith = (forms, goesOn = false) => value => {
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  let at = 0;
  const fits = Object.entries(forms).every(([name, form]) => {
    const key = name.replace('?', ''), there = keys[at] === key;
    if (there) at++;
    return there ? form(value[key]) : key !== name;
  });
  return fits && (!goesOn || at < keys.length);
};

/** The fields of an entry that are read. For all other parts only the JSON form is checked. */
const isLedgerEntry = fieldsOf({
  v: isCount,
  time: isCount,
  by: isText,
  'at?': fieldsOf({ table: isText, seq: isCount }),
  'before?': listOf(tupleOf(isText, isSigned), 1),
  command: oneField,
  'signed?': isAny,
  events: listOf(oneField),
});
const isTransfer = startsWith({ player: isText, amount: isSigned });
const LEDGER_COMMANDS = {
  start_dealer: startsWith({ origin: isText }, true),
  credit: isTransfer,
  withdraw: isTransfer,
  correct: isTransfer,
  admit_guest: fieldsOf({}),
  dismiss_guest: fieldsOf({ player: isText }),
  ...LEDGER_WALLET_COMMANDS,
};
const isLedgerResults = listOf(fieldsOf({ player: isText, staked: isCount, returned: isCount }));
const LEDGER_EVENTS = {
  posted: fieldsOf({ lines: listOf(tupleOf(isText, isSigned, isSigned), 1) }),
  player_created: fieldsOf({ player: isText }),
  guest_admitted: fieldsOf({ player: isText }),
  guest_dismissed: fieldsOf({ player: isText }),
  ...LEDGER_TRANSFER_EVENTS,
  ...LEDGER_WALLET_EVENTS,
  table_closed: fieldsOf({}),
  round_settled: fieldsOf({ round_no: isCount, staked: isCount, returned: isCount, players: isLedgerResults }),
  round_voided: fieldsOf({
    round_no: isCount,
    cause: isText,
    missing: isAny,
    ahead: isAny,
    players: isLedgerResults,
    'refunds?': isCount,
    'kept?': listOf(fieldsOf({ player: isText, amount: isSigned }), 1),
    'standing?': isAny,
  }),
};
const isPaid = fieldsOf({
  lines: listOf(fieldsOf({
    player: isText, place: isText, wager: isText, outcome: isText, stake: isCount, returned: isCount,
  })),
});
const isHandPaid = fieldsOf({
  settled: fieldsOf({
    pots: listOf(fieldsOf({
      amount: isCount,
      rake: isCount,
      seats: isAny,
      won: listOf(fieldsOf({ seat: isCount, amount: isCount, 'low?': value => value === true })),
    })),
    'uncalled?': fieldsOf({ seat: isCount, amount: isCount }),
    seats: listOf(fieldsOf({ seat: isCount, player: isText, put_in: isCount, got: isCount, stack: isCount })),
  }),
});

/** The parts of an event that are read: `[kind, fields, whether they have their form]`, or null. */
function ledgerEvent(event) {
  const [[name, fields]] = Object.entries(event);
  if (name === 'tournament') {
    const [word, inner] = oneField(fields) ? Object.entries(fields)[0] : [];
    const form = Object.hasOwn(LEDGER_TOURNAMENT_EVENTS, word) ? LEDGER_TOURNAMENT_EVENTS[word] : isAny;
    return [name, { word, inner }, word !== undefined && form(inner)];
  }
  if (name !== 'play') return [name, fields, !Object.hasOwn(LEDGER_EVENTS, name) || LEDGER_EVENTS[name](fields)];
  const [word, inner] = isObject(fields) ? Object.entries(fields)[0] || [] : [],
    first = isObject(inner) ? Object.keys(inner)[0] : null;
  if (word === 'paid' && first === 'lines' && isList(inner.lines))
    return ['paid', inner, oneField(fields) && isPaid(inner)];
  const pots =
    word === 'poker' && first === 'settled' && isObject(inner.settled) && Object.keys(inner.settled)[0] === 'pots';
  return pots && isList(inner.settled.pots) ? ['hand', inner.settled, oneField(fields) && isHandPaid(inner)] : null;
}

/** Whether a JSON value holds only whole numbers within the range of amounts. */
function hasWholeNumbers(value) {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return value === null || typeof value !== 'object' || Object.values(value).every(hasWholeNumbers);
}

/** An entry whose bytes follow spec/entries.md, "Encoding", as far as the ledger reads them. */
function readLedgerEntry(text) {
  const form = why => unsound('entry_form', why);
  if (text.length > 65535) form('an entry has at most 65,535 bytes');
  if (!/^[ -~]*$/.test(text) || text.replace(/\\["\\]/g, '').includes('\\'))
    form('a string holds what is written otherwise');
  if (!nestedWithin(text, 34)) form('an entry is not nested that deeply');
  let entry;
  try { entry = JSON.parse(text); } catch (error) { form(`the entry is not JSON: ${error.message}`); }
  if (JSON.stringify(entry) !== text || !hasWholeNumbers(entry)) form('the entry is not in its one encoding');
  if (isObject(entry) && entry.v !== 1) form(`the entry's version is ${quote(entry.v)}, not 1`);
  if (!isLedgerEntry(entry)) form('a field of the entry is unknown, missing, malformed or out of order');
  if (entry.time > HALF) form(`the entry's time ${entry.time} is past what an entry can say`);
  const [[name, fields]] = Object.entries(entry.command);
  if (Object.hasOwn(LEDGER_COMMANDS, name) && !LEDGER_COMMANDS[name](fields)) form(`the command ${name} is malformed`);
  const wrong = entry.events.map(ledgerEvent).findIndex(event => event && !event[2]);
  if (wrong >= 0) form(`event ${wrong} is malformed`);
  return entry;
}

const sumBig = (list, of) => list.reduce((all, one) => all + BigInt(of(one)), 0n);

/** The accounts that belong to no player and no table. */
const HOUSE_ACCOUNTS = ['cage', 'house', 'rake', 'play'];

/** Adds up a log's money, entry after entry. */
class LedgerBook {
  constructor(origin) {
    Object.assign(this, { origin, time: 0, accounts: new Map(HOUSE_ACCOUNTS.map(name => [name, 0n])) });
    this.admitted = 0;
    this.known = new Map(); // other logs, by name
    this.accounts.set(WALLET, 0n);
    this.operations = 0; // of the wallet, that there ever were
    this.openOperations = new Map();
    Object.assign(this, { tables: new Map(), postings: 0, settled: 0, voided: 0, staked: 0n, returned: 0n });
    Object.assign(this, { credited: 0n, withdrawn: 0n, corrected: 0n });
    // Further accounts of tournaments; T$ from the first one on.
    for (const account of ['tickets', 'rounding_residual']) this.accounts.set(account, 0n);
  }

  get(account) { return this.accounts.get(account); }

  /** The table in whose entry an event stands, if it is open. */
  openTable(name) {
    const table = this.tables.get(name);
    return table && !table.closed ? table : undefined;
  }

  feed(text, index) {
    const { time, at, before = [], command, events } = readLedgerEntry(text);
    if (time < this.time)
      unsound('time', `the entry's time ${time} is before ${this.time}, the time of the entry before it`);
    for (const [player, stated] of before) {
      const stands = this.get(`player:${player}`);
      if (stands !== BigInt(stated)) unsound('balance_before', `${player} had ${stands}, the entry states ${stated}`);
    }
    const entry = { at, fromCage: 0n, toHouse: 0n, raked: 0n, ends: false, opens: false, closes: false, command };
    Object.assign(entry, { issued: 0n, isPlay: !!at && isForPlay(at.table) });
    Object.assign(entry, { transfer: null, wallet: null, events });
    Object.assign(entry, { ofEvent: !!command.open_event_table, due: newDue(), moved: new Map() });
    entry.table = at && this.openTable(at.table);
    entry.before = Object.fromEntries(HOUSE_ACCOUNTS.map(name => [name, this.get(name)]));
    this.readCommand(command, index, entry);
    events.forEach(event => this.readEvent(event, entry));
    this.close(entry);
    this.time = time;
  }

  readCommand(command, index, entry) {
    const [[name, fields]] = Object.entries(command), { origin, amount } = isObject(fields) ? fields : {};
    if (index === 0 && name !== 'start_dealer')
      unsound('first_entry', "a log begins with the dealer's start; this one does not");
    if (name === 'start_dealer') {
      this.origin = this.origin || origin;
      if (this.origin !== origin)
        unsound('origin', `the dealer starts on the log ${quote(origin)}, this log is ${quote(this.origin)}`);
    }
    if (Object.hasOwn(LEDGER_WALLET_COMMANDS, name)) entry.wallet = this.walletDue(name, fields);
    if (name === 'admit_guest') entry.issued = BigInt(GUEST_CHIPS);
    if (name === 'dismiss_guest') entry.issued = -(this.get(`player:${fields.player}`) || 0n);
    if (!['credit', 'withdraw', 'correct'].includes(name)) return;
    const moved = BigInt(amount), sums = { credit: 'credited', withdraw: 'withdrawn', correct: 'corrected' };
    this[sums[name]] += moved;
    if (name === 'correct') entry.toHouse = moved;
    else entry.fromCage = name === 'credit' ? moved : -moved;
  }

  readEvent(event, entry) {
    const [name, fields] = ledgerEvent(event) || [], { at } = entry;
    if (name === 'posted') this.post(fields.lines, entry);
    if (name === 'paid') this.paid(fields.lines, entry);
    if (name === 'hand') this.handPaid(fields, entry);
    if (name === 'round_settled') this.roundSettled(fields, entry);
    if (name === 'round_voided') this.roundVoided(fields, entry);
    if (name === 'table_closed' || name === 'bets_lapsed') entry.ends = true;
    if (name === 'table_closed') entry.closes = true;
    if (name === 'player_created') {
      if (isGuest(fields.player)) unsound('state', `${fields.player} is the name of a guest`);
      if (this.accounts.has(`player:${fields.player}`)) unsound('state', `the player ${fields.player} exists`);
      this.accounts.set(`player:${fields.player}`, 0n);
    }
    if (name === 'table_opened') {
      this.open(entry);
      this.accounts.set(`table:${at.table}`, 0n);
    }
    if (name === 'tournament') this.ofTournament(fields, entry);
    if (Object.hasOwn(LEDGER_TRANSFER_EVENTS, name)) this.ofTransfer(name, fields, entry);
    if (name === 'guest_admitted') this.admitGuest(fields, entry);
    if (name === 'guest_dismissed') this.dismissGuest(fields, entry);
  }

  /** A guest has the next number, and no name comes twice. */
  admitGuest({ player }, { command }) {
    if (!command.admit_guest || player !== `guest.${this.admitted}`)
      unsound('state', `${player} is not the next guest, guest.${this.admitted}`);
    this.admitted++;
    this.accounts.set(`player:${player}`, 0n);
  }

  dismissGuest({ player }, { command }) {
    const goes = command.dismiss_guest && command.dismiss_guest.player === player && isGuest(player);
    if (!goes || this.get(`player:${player}`) !== 0n) unsound('state', `${player} is no guest who goes here`);
    this.accounts.delete(`player:${player}`);
  }

  /** A table, or a tournament: its name is used once. */
  open(entry) {
    const { at } = entry;
    if (!at) unsound('table_seq', 'a table is opened in an entry that is filed under none');
    if (entry.opens || this.tables.has(at.table)) unsound('state', `the table name ${at.table} was used before`);
    entry.opens = true;
    entry.table = {
      name: at.table, seq: 0, closed: false, house: 0n, paid: 0n, staked: 0n, returned: 0n, seats: new Set(),
      ofEvent: entry.ofEvent,
      event: null,
    };
    this.tables.set(at.table, entry.table);
  }

  ofTournament({ word, inner }, entry) {
    if (word === 'created') {
      this.open(entry);
      entry.table.event = new LedgerTournament(inner);
      for (const own of OWN_ACCOUNTS) this.accounts.set(`${own}:${entry.table.name}`, 0n);
      return;
    }
    const { event, name } = entry.table || {};
    if (!event) unsound('state', `${word} is said in no tournament's entry`);
    event.read(word, inner, entry.due, own => this.get(`${own}:${name}`));
  }

  /**
   * Whether an account can move in an entry: no money moves at a tournament's table, and accounts of tournaments move
   * only in a tournament's own entries. Returns its name among that entry's movements.
   */
  movedAs(account, { table }) {
    const [, kind, name] = /^([a-z]+):(.*)$/.exec(account) || [null, account, ''], isOwn = OWN_ACCOUNTS.includes(kind);
    const event = table && table.event, ofTournaments = ['tickets', 'rounding_residual', 'tdollars'].includes(kind);
    if (table && table.ofEvent)
      unsound('posting', `${account} moves at a tournament's table, where chips are no money`);
    if ((ofTournaments && !event) || (isOwn && !(event && name === table.name)))
      unsound('posting', `${account} moves in an entry that is not the tournament's`);
    if (kind === 'tdollars' && this.accounts.has(`player:${name}`) && !this.accounts.has(account))
      this.accounts.set(account, 0n);
    return isOwn ? kind : account;
  }

  /** Lines of `[account, amount, balance after]` that sum to zero. */
  post(lines, entry) {
    const most = BigInt(MAX_AMOUNT), { table } = entry;
    for (const [account, amount, stated] of lines) {
      addMove(entry.moved, this.movedAs(account, entry), amount);
      if (isOfPlay(account) !== isOfPlay(lines[0][0]))
        unsound('posting', `${account} holds chips of another kind than ${lines[0][0]}`);
      const seat = /^seat:(.*)\/([1-9][0-9]{0,2})$/.exec(account),
        own = table && !table.event && (account === `table:${table.name}` || (seat && seat[1] === table.name));
      if (account.startsWith('seat:') && (!seat || Number(seat[2]) > 255))
        unsound('posting', `${account} is no account`);
      if (/^(table|seat):/.test(account) && !own)
        unsound('posting', `chips of ${account} move in an entry that is not the table's`);
      if (seat && !this.accounts.has(account)) this.accounts.set(account, 0n);
      if (seat) table.seats.add(account);
      if (!this.accounts.has(account)) unsound('posting', `there is no account ${account}`);
      const after = this.get(account) + BigInt(amount), least = mayOwe(account) ? -most : 0n;
      if (after < least || after > most)
        unsound('posting', `${account} would leave the range it may stand in, at ${after}`);
      if (after !== BigInt(stated))
        unsound('posting', `the log says ${account} stands at ${stated}, the book says ${after}`);
      this.accounts.set(account, after);
    }
    if (sumBig(lines, ([, amount]) => amount) !== 0n) unsound('ledger_total', 'a posting does not sum to zero');
    this.postings++;
  }

  /** The payments of wagers: the house's gain in the round. */
  paid(lines, { table }) {
    if (!table) unsound('state', 'wagers are paid at no table');
    table.staked += sumBig(lines, ({ stake }) => stake);
    table.returned += sumBig(lines, ({ returned }) => returned);
    table.paid = table.staked - table.returned;
  }

  /**
   * The result of a hand of poker: each pot is its shares and its rake, and all chips put in lie in pots or went back.
   */
  handPaid({ pots, uncalled, seats }, entry) {
    const { table } = entry,
      back = uncalled ? BigInt(uncalled.amount) : 0n,
      shares = ({ won }) => sumBig(won, ({ amount }) => amount);
    for (const pot of pots) {
      if (shares(pot) + BigInt(pot.rake) !== BigInt(pot.amount))
        unsound('payout', `a pot of ${pot.amount} pays ${shares(pot)} and a rake of ${pot.rake}`);
    }
    const putIn = sumBig(seats, seat => seat.put_in), got = sumBig(seats, seat => seat.got);
    const amount = sumBig(pots, pot => pot.amount), won = pots.reduce((all, pot) => all + shares(pot), 0n);
    if (putIn !== amount + back || got !== won + back) {
      unsound(
        'payout',
        `${putIn} were put in and ${got} got, the pots are ${amount}, their shares ${won}, and ${back} went back`,
      );
    }
    entry.raked += sumBig(pots, ({ rake }) => rake);
    if (!table) unsound('state', 'a hand is paid at no table');
    table.staked += putIn;
    table.returned += got;
  }

  roundSettled({ staked, returned, players }, entry) {
    const { table } = entry;
    const sums = [sumBig(players, one => one.staked), sumBig(players, one => one.returned)].join(' and ');
    const settles = `${staked} and ${returned}`;
    if (sums !== settles) unsound('settlement', `its players staked and got back ${sums}, the log settles ${settles}`);
    if (!table) unsound('state', 'a round is settled at no table');
    const wagers = `${table.staked} and ${table.returned}`;
    // In a tournament's hand there may be players without a seed, whom the round does not name; it moves no money.
    if (wagers !== settles && !table.ofEvent)
      unsound('settlement', `the round's wagers and returns were ${wagers}, the log settles ${settles}`);
    this.settled++;
    // Play chips are no money, and neither are a tournament's.
    this.staked += table.ofEvent || entry.isPlay ? 0n : BigInt(staked);
    this.returned += table.ofEvent || entry.isPlay ? 0n : BigInt(returned);
    this.endRound(entry, table.paid);
  }

  roundVoided({ cause, kept = [] }, entry) {
    if (!entry.table) unsound('state', 'a round ends at no table');
    this.voided++;
    // A void takes back the round's payments, except spent ones; an abandoned round does not.
    this.endRound(entry, cause === 'abandoned' ? entry.table.paid : -sumBig(kept, ({ amount }) => amount));
  }

  /** Checks that the round's postings gave the house the gain of its wagers, or the amount of its void. */
  endRound(entry, due) {
    const { table } = entry, posted = table.house + this.moved(entry);
    Object.assign(table, { house: 0n, paid: 0n, staked: 0n, returned: 0n });
    // For a rake in play chips that account is due nothing more.
    if (entry.isPlay) entry.before.play = this.get('play') - entry.raked;
    else entry.before.house = this.get('house');
    entry.ends = true;
    this.sameResult(due, posted);
  }

  /** The sum from the table's rounds in the account that they settle against; for play chips beside the rake. */
  moved({ before, isPlay, raked }) {
    return isPlay ? this.get('play') - before.play - raked : this.get('house') - before.house;
  }

  sameResult(due, posted) {
    if (due !== posted) unsound('ledger_house', `the house is due ${due} here, postings give it ${posted}`);
  }

  /**
   * Checks a whole entry: chips come and go only by the operator's commands, a round's money is the house's by its
   * wagers' payments, and a table without a round or a window holds no money.
   */
  close(entry) {
    const { at, table, before, fromCage, toHouse, raked, ends, closes, due, moved: moves, issued, isPlay } = entry;
    const out = before.cage - this.get('cage'),
      rake = this.get('rake') - before.rake,
      moved = this.moved(entry);
    if (out !== fromCage)
      unsound('ledger_cage', `the command lets the cage give ${fromCage}, its postings take ${out} from it`);
    const given = before.play - this.get('play'), rakes = isPlay ? 0n : raked;
    if (!isPlay && given !== issued)
      unsound('ledger_cage', `the command lets ${issued} play chips out, its postings take ${given}`);
    if (rake !== rakes) unsound('settlement', `the pots give a rake of ${rakes} here, postings give ${rake}`);
    if (isPlay) this.sameResult(0n, this.get('house') - before.house);
    this.settleTransfer(entry);
    this.settleWallet(entry);
    if (!at) {
      this.sameResult(toHouse, moved);
      return;
    }
    if (!table) unsound('table_seq', `there is no open table ${at.table}`);
    if (at.seq !== table.seq)
      unsound('table_seq', `the entry is number ${at.seq} of table ${at.table}, number ${table.seq} comes next`);
    table.seq++;
    if (table.event) {
      table.event.settle(due, moves, own => this.get(`${own}:${table.name}`));
      return;
    }
    table.house += moved;
    const left = this.get(`table:${table.name}`);
    if (ends && left)
      unsound('state', `no round and no bets are open, and ${left} chips are left on table ${table.name}`);
    if (closes && [...table.seats].some(seat => this.get(seat)))
      unsound('state', `table ${table.name} is closed, and chips lie before its seats`);
    table.closed = table.closed || closes;
    this.sameResult(table.paid + toHouse, table.house);
  }

  /** Both follow from the checks of each entry; they are still added up, in another way. */
  finish() {
    const all = [...this.accounts.values()].reduce((one, other) => one + other, 0n),
      paidIn = this.credited - this.withdrawn;
    if (all) unsound('ledger_total', `all accounts together stand at ${all}, not at zero`);
    if (playTotal(this.accounts) !== 0n) unsound('ledger_total', 'the accounts of play chips do not sum to zero');
    if (this.get('cage') !== -paidIn)
      unsound('ledger_cage', `${paidIn} were paid in and not out again, the cage stands at ${this.get('cage')}`);
  }

  report() {
    const of = kind =>
      [...this.accounts]
        .filter(([name]) => name.startsWith(`${kind}:`) && !isOfPlay(name))
        .reduce((all, [, balance]) => all + balance, 0n);
    const ledger = {
      players: of('player'), tables: of('table'), seats: of('seat'), house: this.get('house'), rake: this.get('rake'),
      cage: this.get('cage'), credited: this.credited, withdrawn: this.withdrawn, corrected: this.corrected,
    };
    const ofTournaments = [...OWN_ACCOUNTS, 'tdollars'].reduce((all, kind) => all + of(kind), 0n) +
      this.get('tickets') + this.get('rounding_residual');
    if (ofTournaments) ledger.tournaments = ofTournaments;
    if (of('transfers')) ledger.transfers = of('transfers');
    if (this.get(WALLET)) ledger.wallet = this.get(WALLET);
    if (this.get('play')) ledger.play = -this.get('play');
    const { postings, settled, voided, staked, returned } = this;
    const counts = { postings, settled, voided, staked, returned };
    const numbers = values =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, sumInJson(BigInt(value))]));
    return { ...numbers(counts), ledger: numbers(ledger) };
  }
}

for (const methods of [TRANSFERS_OF_LEDGER, WALLET_OF_LEDGER])
  Object.defineProperties(LedgerBook.prototype, Object.getOwnPropertyDescriptors(methods));

/** The verdict on a whole log's tree and money alone; `log` and `against` are those of verifyLog. */
function verifyLedger(logOrText, against = {}) {
  const log = typeof logOrText === 'string' ? logOfText(logOrText) : logOrText, given = readGiven(against);
  const vouched = vouchedWords(Object.assign(given, { checkpoint: given.checkpoint || log.note }));
  const book = new LedgerBook(given.key && given.key.name), findings = [];
  requireSigned(given, log);
  let entries = 0;
  const held = action => {
    try {
      action();
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      const { check, entry, message } = error;
      findings.push({ check, ...(entry === undefined ? {} : { entry }), message });
    }
  };
  held(() => {
    log.lines.forEach((line, index) => { located(index, undefined, () => book.feed(line, index)); entries++; });
    book.finish();
  });
  const report = {
    verdict: findings.length ? 'not_sound' : 'sound_ledger_only',
    checked: LEDGER_CHECKED,
    not_checked: LEDGER_NOT_CHECKED,
    findings,
    story: [],
    key: given.key && given.key.text,
    signature_checked: !!given.key && !!given.checkpoint,
    entries,
    book: book.report(),
  };
  if (findings.length) {
    report.story.push(vouched, ...findings.map(({ check, entry, message }) =>
      `NOT SOUND. ${entry === undefined ? '' : `entry ${entry}: `}${message} [${check}]`));
  } else {
    report.story.push(...LEDGER_NOT_CHECKED.map(what => `Not checked: ${what}.`),
      `SOUND (LEDGER ONLY). ${entries} entries were added up. The same command without --ledger-only checks the ` +
        `rest. ${vouched}`,
    );
  }
  return report;
}

// Tournaments by the ledger alone: whether each entry of one moved the amounts of its events (spec/ledger.md, "A
// tournament's postings, by the ledger alone"). This part knows no rule for prizes, ranks or refunds.

const OWN_ACCOUNTS = ['pool', 'fees', 'bounties', 'stakes'];
const LEDGER_STRUCTURE = startsWith({
  name: isText,
  rules: isAny,
  seats: isCount,
  entry: startsWith({ buy_in: isCount, fee: isCount, bounty: isCount }, true),
  guarantee: isCount,
  late_levels: isCount,
  'unregister_ms?': isCount,
  'rebuy?': startsWith({ price: isCount, fee: isCount }, true),
  'add_on?': startsWith({ price: isCount, fee: isCount }, true),
  levels: isAny,
  breaks: isAny,
  payouts: value =>
    fieldsOf({ rows: isAny })(value) ||
    fieldsOf({ satellite: startsWith({ target: isText, buy_in: isCount, fee: isCount }, true) })(value),
}, true);
const ofOneEntry = fieldsOf({ entry_no: isCount }), boughtChips = fieldsOf({ entry_no: isCount, chips: isCount });
/** The events of tournaments that are read. */
const LEDGER_TOURNAMENT_EVENTS = {
  created: startsWith({ structure: LEDGER_STRUCTURE }, true),
  registered: startsWith({
    entry_no: isCount,
    player: isText,
    commitment: isText,
    paid_by: fieldsOf({ cash: isCount, t_dollars: isCount, ticket: isCount }),
    bounty: isCount,
  }, true),
  unregistered: ofOneEntry,
  rebought: boughtChips,
  added_on: boughtChips,
  stake_sold: fieldsOf({ seller: isText, buyer: isText, basis_points: isCount, price: isCount }),
  stakes_divided: ofOneEntry,
  ticket_returned: fieldsOf({ player: isText, value: isCount }),
  pool_final: fieldsOf({ pool: isCount, overlay: isCount }),
  player_disqualified: startsWith({ entry_no: isCount }, true),
  prize_paid: fieldsOf({
    entry_no: isCount,
    rank: tupleOf(isCount, isCount),
    prize: fieldsOf({ 'cash?': isCount, 'ticket?': isCount, 't_dollars?': isCount, 'substitute?': isCount }),
  }),
  bounty_paid: fieldsOf({ entry_no: isCount, amount: isCount }),
  deal_made: fieldsOf({ amounts: listOf(tupleOf(isCount, isCount)) }),
  refunded: fieldsOf({
    entry_no: isCount, fee: isCount, bounty: isCount, pool: isCount, 'due?': isCount, 'bought?': isCount,
    'taken?': isCount,
  }),
  ended: fieldsOf({ residual: isCount }),
};

/** The amounts that an entry of a tournament must move, by its events. */
const newDue = () => ({
  moves: new Map(),
  refunds: new Map(), // player -> what they get in all forms together, less what is taken back
  refunded: 0n,
  cancelled: false,
  divided: null,
  pool: null,
  ended: false,
});
const addMove = (moves, account, amount) => moves.set(account, (moves.get(account) || 0n) + BigInt(amount));

/** A tournament's money. Its own accounts are named only by their first word. */
class LedgerTournament {
  constructor({ structure: { entry, rebuy, add_on: addOn, payouts: { satellite } } }) {
    const none = { price: 0, fee: 0 };
    Object.assign(this, { terms: entry, rebought: rebuy || none, added_on: addOn || none, entries: new Map() });
    this.seat = satellite || { buy_in: 0, fee: 0 };
  }

  entry(no) {
    if (!this.entries.has(no)) unsound('state', `the tournament has no entry ${no}`);
    return this.entries.get(no);
  }

  /** Adds the movements of an event to the amounts due; `stands` gives a balance of the tournament's own. */
  read(word, fields, due, stands) {
    const { entry_no: no } = fields, move = (account, amount) => addMove(due.moves, account, amount);
    if (word === 'registered') this.register(fields, due);
    if (word === 'unregistered') {
      const sold = this.entry(no);
      this.entries.delete(no);
      this.sell(sold, 1n, due);
      for (const { buyer, price } of sold.stakes) {
        move('stakes', -price);
        move(`player:${buyer}`, price);
      }
    }
    if (word === 'rebought' || word === 'added_on') {
      const { price, fee } = this[word];
      [[`player:${this.entry(no).player}`, -price - fee], ['pool', price], ['fees', fee]]
        .forEach(([account, amount]) => move(account, amount));
    }
    if (word === 'stake_sold') this.sellStake(fields, due);
    if (word === 'stakes_divided') due.divided = this.entry(no);
    if (word === 'ticket_returned') this.returnTicket(fields, due);
    if (word === 'pool_final') {
      move('house', -fields.overlay);
      move('pool', fields.overlay);
      due.pool = BigInt(fields.pool);
    }
    if (word === 'player_disqualified') this.entry(no).disqualified = true;
    if (word === 'prize_paid') this.payPrize(fields, due);
    if (word === 'bounty_paid') {
      move('bounties', -fields.amount);
      this.pay(no, fields.amount, due);
    }
    for (const [of, amount] of word === 'deal_made' ? fields.amounts : []) {
      move('pool', -amount);
      this.pay(of, amount, due);
    }
    if (word === 'cancelled') due.cancelled = true;
    if (word === 'refunded') this.refund(fields, due);
    if (word === 'ended') {
      const fees = stands('fees'), { residual } = fields;
      [['pool', -residual], ['rounding_residual', residual], ['fees', -fees], ['house', fees]]
        .forEach(([account, amount]) => move(account, amount));
      due.ended = true;
    }
  }

  register({ entry_no: no, player, paid_by: paidBy, bounty }, due) {
    const sold = { player, paidBy, bounty, stakes: [], held: 0n, disqualified: false };
    this.sell(sold, -1n, due);
    if (this.entries.has(no)) unsound('state', `the tournament has an entry ${no}`);
    this.entries.set(no, sold);
  }

  /** The payment for an entry, times −1, or the amount given back for it. */
  sell({ player, paidBy: { cash, t_dollars: dollars, ticket }, bounty }, sign, { moves }) {
    for (const [account, amount] of [[`player:${player}`, cash], [`tdollars:${player}`, dollars], ['tickets', ticket]])
      addMove(moves, account, sign * BigInt(amount));
    for (const [account, amount] of [['pool', this.terms.buy_in], ['fees', this.terms.fee], ['bounties', bounty]])
      addMove(moves, account, -sign * BigInt(amount));
  }

  /** An unused ticket has the value of an entry's price. */
  returnTicket({ player, value }, { moves }) {
    const { buy_in: buyIn, fee, bounty } = this.terms, worth = buyIn + fee + bounty;
    if (value !== worth) unsound('payout', `a ticket worth ${worth} comes back as T$ ${value}`);
    addMove(moves, 'tickets', -value);
    addMove(moves, `tdollars:${player}`, value);
  }

  sellStake({ seller, buyer, price }, { moves }) {
    addMove(moves, `player:${buyer}`, -price);
    addMove(moves, 'stakes', price);
    // Before the start no player has two entries.
    const sold = [...this.entries.values()].find(({ player }) => player === seller);
    if (!sold) unsound('state', `the tournament has no entry of ${seller}`);
    sold.stakes.push({ buyer, price });
    sold.held += BigInt(price);
  }

  /** A payment to an entry's player: if stakes of it were sold, it goes to escrow. */
  pay(no, amount, { moves }) {
    const sold = this.entry(no), { player, stakes } = sold;
    if (stakes.length) sold.held += BigInt(amount);
    addMove(moves, stakes.length ? 'stakes' : `player:${player}`, amount);
  }

  payPrize({ entry_no: no, prize }, due) {
    const { cash = 0, ticket = 0, t_dollars: dollars = 0, substitute = 0 } = prize;
    const { buy_in: buyIn, fee } = this.seat, worth = BigInt(buyIn) + BigInt(fee), move = addMove.bind(null, due.moves);
    // Instead of a ticket T$ are paid for the entry; its fee goes to the house or, if the target is closed, also as T$.
    const fits = (!ticket || BigInt(ticket) === worth) && (!dollars || BigInt(dollars) === worth || dollars === buyIn);
    if (!fits) unsound('payout', `a seat is worth ${buyIn} and ${fee}, another sum is paid for one`);
    const seat = dollars ? worth : BigInt(ticket);
    move('pool', -BigInt(cash) - BigInt(substitute) - seat);
    move('tickets', ticket);
    move('house', BigInt(substitute) + seat - BigInt(ticket) - BigInt(dollars));
    const sold = this.entry(no);
    move(`tdollars:${sold.player}`, dollars);
    // A disqualified player's goes to all remaining players, by way of their bounties.
    if (sold.disqualified) move('bounties', cash);
    else this.pay(no, cash, due);
  }

  refund({ entry_no: no, fee, bounty, pool, due: prize = 0, bought = 0, taken = 0 }, due) {
    const whole = sumBig([fee, bounty, pool, prize, bought], amount => amount), { player } = this.entry(no);
    due.refunds.set(player, (due.refunds.get(player) || 0n) + whole - BigInt(taken));
    due.refunded += whole;
    addMove(due.moves, 'house', taken);
  }

  /** Checks that an entry moved the amounts of its events. */
  settle(due, moved, stands) {
    const of = account => moved.get(account) || 0n, { moves } = due;
    if (due.cancelled) {
      // The house covers or gets the difference between the accounts and the refunds.
      const [pool, bounties] = [of('pool'), of('bounties')];
      addMove(moves, 'pool', pool);
      addMove(moves, 'bounties', bounties);
      addMove(moves, 'house', -pool - bounties);
    }
    if (due.refunds.size) this.settleRefunds(due, of);
    if (due.divided) this.settleDivision(due, of);
    const says = account => moves.get(account) || 0n, differs = account => says(account) !== of(account);
    const wrong = account => `${account} is due ${says(account)} here, postings give it ${of(account)}`;
    if (differs('house')) unsound('ledger_house', wrong('house'));
    const other = [...moves.keys(), ...moved.keys()].find(differs);
    if (other !== undefined) unsound('posting', wrong(other));
    if (due.pool !== null && due.pool !== stands('pool'))
      unsound('settlement', `the pool holds ${stands('pool')}, ${due.pool} is said to be final`);
    if (!due.ended) return;
    if (OWN_ACCOUNTS.some(stands)) unsound('settlement', 'the tournament is over and its accounts are not empty');
    this.entries.clear();
  }

  /**
   * Refunds come from any of the three accounts and in any form; a seller's part that is neither cash nor T$ went to
   * their escrow.
   */
  settleRefunds({ moves, refunds, refunded }, of) {
    const sources = ['pool', 'fees', 'bounties'], out = sumBig(sources, of);
    if (out !== -refunded) unsound('posting', `refunds of ${refunded} are said, ${-out} were taken for them`);
    sources.forEach(account => addMove(moves, account, of(account)));
    for (const [player, refund] of refunds) {
      const forms = [`player:${player}`, `tdollars:${player}`], escrow = refund - sumBig(forms, of);
      const seller = [...this.entries.values()].find(sold => sold.player === player && sold.stakes.length);
      if (seller) seller.held += escrow;
      else if (escrow) unsound('posting', `${player} is refunded ${refund}, postings give them ${refund - escrow}`);
      addMove(moves, 'stakes', escrow);
      forms.forEach(account => addMove(moves, account, of(account)));
    }
  }

  /**
   * Checks that the whole escrow of an entry goes to its player and to the buyers of its stakes, and that no one pays.
   */
  settleDivision({ divided, moves }, of) {
    const { player, stakes, held } = divided;
    const accounts = [...new Set([player, ...stakes.map(({ buyer }) => buyer)])].map(one => `player:${one}`);
    const shared = sumBig(accounts, of);
    if (shared !== held || accounts.some(account => of(account) < 0n))
      unsound('posting', `${held} lie in escrow for an entry of ${player}, ${shared} were divided`);
    divided.held = 0n;
    addMove(moves, 'stakes', -held);
    accounts.forEach(account => addMove(moves, account, of(account)));
  }
}

// A log that goes on from another under a new name: spec/recovery.md, "Under a new name"; spec/audit.md, "A log that
// goes on under a new name", "Two that go on from one".

const CONTINUES = 'fairshoe/v1/log-continues', CARRIED_OVER = 'carried over';
/** An exclusion that ends this soon after a log goes on is dropped. */
const LET_GO_MS = 3600000;
/** No structure lets its clock stand longer after a crash. */
const LONGEST_STOP_MS = 86400000;

/** The statement that the old log's key signs: the log `by`, with that key, goes on from it. */
const statementText = ({ origin, size, root, new_key: newKey }, by) =>
  `${CONTINUES}\n${origin}\n${size}\n${root}\n${by}\n${newKey}\n`;

/** The house's next duty in an event, if the dealer has been away longer than any limit. */
function windingUp(house, ev) {
  const duty = house.dutyOfEvent(ev), [lapsed] = eventDeadlines(ev);
  return duty && duty.tournament.start_clock && lapsed ? lapsed.command : duty;
}

extendHouse({
  /**
   * Ends every tournament, as if the dealer had come back too late to play on: finished events are paid as they ended,
   * all others are cancelled as of the log's last moment.
   */
  windUpEvents() {
    const ended = this.time, now = ended + LONGEST_STOP_MS;
    const give = (by, command) => {
      Object.assign(this, { by, time: now, logged: null, out: [], table: null, doubles: [], published: [] });
      this.tournament(command.tournament, null);
      this.entryEnds(command, 0);
    };
    for (const ev of [...this.events.values()].sort((a, b) => compareText(a.name, b.name))) {
      // Hands in progress are void.
      ev.tables.open.clear();
      ev.tables.unrecovered.clear();
      if (ev.stage === 'running') stopForCrash(ev, ended);
      if (ev.stage === 'registering')
        give('operator', eventCommand(ev, 'cancel', { cause: 'operator', instant: now, reason: CARRIED_OVER }));
      while (ev.stage !== 'ended') {
        const command = windingUp(this, ev);
        if (!command) throw new Unusable(`tournament ${ev.name} does not come to its end: nothing can be carried over`);
        give('house', command);
      }
    }
  },

  /**
   * The transfer commands if the log ends here and another goes on at this time: the operator's commands, in their
   * order. The house is then at its end.
   */
  carriedOver(at) {
    // Keys and limits as they stand here: events are wound up a day later.
    const keys = new Map(this.keys), allowed = new Map([...this.players].map(name => [name, this.limitsPart(name)]));
    this.windUpEvents();
    // Guests are not carried over: their chips have no value anywhere.
    const players = [...this.players].filter(player => !isGuest(player));
    const dollars = player => this.accounts.get(`tdollars:${player}`) || 0;
    const chips = new Map(players.map(player => [player, this.balance(player) + dollars(player)]));
    // Chips at the seats of a tournament's table are no money.
    const tables = [...this.tables.values()].filter(({ event }) => !event).sort((a, b) => compareText(a.name, b.name));
    for (const table of tables) {
      const { live, window } = table,
        give = (player, amount) =>
          isGuest(player) || chips.set(player, Math.max(0, chips.get(player) + amount));
      this.cashSeats(table).forEach(({ player, stack }) => give(player, stack));
      if (window) [...window.bets.values()].forEach(placed => give(placed.player, this.stakeOf(placed)));
      // Chips in the pot of a hand still belong to the seats until the hand is over.
      if (live && !isCash(table))
        live.contributors.forEach(({ player }) =>
          give(player, live.staked.get(player) - (live.returned.get(player) || 0)));
    }
    const commands = [...chips].sort(([a], [b]) => compareText(a, b)).flatMap(([player, amount]) => [
        { create_player: { player, ...orNone('key', keys.get(player)) } },
        ...(amount ? [{ credit: { player, amount, reference: CARRIED_OVER } }] : []),
        ...(allowed.get(player).limits || []).map(({ of, per, most }) => ({ set_limit: { player, of, per, most } })),
        ...(allowed.get(player).excluded > at + LET_GO_MS
          ? [{ exclude: { player, until: allowed.get(player).excluded } }]
          : []),
      ]);
    return [
      ...commands,
      ...tables.filter(({ owner }) => !owner).map(({ name, rules }) => ({ open_table: { table: name, rules } })),
    ];
  },
});

/**
 * A log's statement about the one that it goes on from, `{index, origin, key, size, root, signature, by}`, or null: the
 * log is sound as far as it states this.
 */
function claimOf(lines) {
  let by = null;
  for (const [index, line] of lines.entries()) {
    const {
      start_dealer: start,
      continue_log: claim,
      create_player: player,
      open_table: table,
    } = readEntry(line).command;
    if (start) by = start.origin;
    if (claim) return { index, by, time: readEntry(line).time, ...claim };
    if (player || table) return null;
  }
  return null;
}

const keyOfClaim = ({ origin, key }) => {
  const bytes = concat(Uint8Array.of(LOG_KEY), unhex(key, 32)),
    id = hex(sha256(concat(utf8(origin), Uint8Array.of(10), bytes)).slice(0, 4));
  return readLogKey(`${origin}+${id}+${base64(bytes)}`);
};

/** A claim as a note of the old log's: its text, signed. */
const statementNote = claim =>
  `${statementText(claim, claim.by)}\n— ${claim.origin} ` +
  `${base64(concat(unhex(keyOfClaim(claim).id, 4), unhex(claim.signature, 64)))}\n`;

/** Size, root and new name in such a note; it is signed by `key`. */
function readStatement(bytes, key) {
  const { text } = openNote(bytes, [key]), [kind, origin, size, root, by, newKey, end, ...rest] = text.split('\n');
  if (
    kind !== CONTINUES ||
    end !== '' ||
    rest.length ||
    origin !== key.name ||
    decimal(size) === null ||
    !hash64(root) ||
    !isOrigin(by) ||
    !isHash(newKey)
  )
    fault('it is no statement that a log goes on from this one');
  return text;
}

/**
 * The failed checks between a sound log, signed with `own`, and the one that it goes on from, as `findings`; without
 * findings `old`: that log's own verdict, and its open items. Without a checkpoint of that log only the claim about it
 * is signed. `older`: the logs that it goes on from in its turn, the latest first.
 */
function heldToOld(lines, [old, ...older], own) {
  const claim = claimOf(lines),
    find = (check, message, entry) => ({ findings: [{ check, ...(entry === undefined ? {} : { entry }), message }] });
  if (!claim) return find('continues', 'this log does not say that it goes on from another');
  const wrong = message => find('continues', message, claim.index),
    key = keyOfClaim(claim),
    more = count => `the log ${claim.origin} has ${count} entries, and this one goes on from ${claim.size}`;
  // Attack: two logs with the name that the old key signed, each with its own key.
  if (own && hex(own.key) !== claim.new_key)
    return wrong(
      `${claim.origin} signed that the log goes on with the key ${claim.new_key}, and this one is signed with ` +
        hex(own.key),
    );
  let size = BigInt(old.lines.length), root = claim.root;
  try {
    if (old.note) { const signed = openCheckpoint(old.note, key); size = signed.size; root = base64(signed.root); }
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    throw new Unusable(
      `this log goes on from the one whose key is ${key.text}; the one named is not signed with it: ${error.message}`,
    );
  }
  if (size < BigInt(claim.size))
    throw new Unusable(
      `the old log named has ${size} entries, and ${claim.size} are needed to follow: name a copy that has them`,
    );
  if (size > BigInt(claim.size)) {
    if (!old.note)
      throw new Unusable(`${more(size)}; no checkpoint shows that the others were signed: name a mirror's folder`);
    return wrong(`${more(size)}: what the others hold is left out`);
  }
  if (root !== claim.root)
    return wrong(`this log goes on from root ${claim.root}, ${claim.origin} signed ${root} for that size`);
  if (!old.note && base64(treeRoot(old.leaves)) !== root)
    throw new Unusable(
      `the entries of the old log named do not have the root that this log goes on from, ${root}: they are another ` +
        `log's, or changed`,
    );
  const { house, findings: [unsound] } = followed(old, { key, checkpoint: old.note });
  if (unsound)
    return wrong(
      'the log that this one goes on from is not sound: ' +
        `${unsound.entry === undefined ? '' : `entry ${unsound.entry}: `}${unsound.message} [${unsound.check}]`,
    );
  // Attack: a thief of the old key signs that their own log goes on, after the old log named another.
  if (house.ended && (house.ended.origin !== claim.by || house.ended.key !== claim.new_key))
    return wrong(
      `${claim.origin} ended for the log ${house.ended.origin} with the key ${house.ended.key}, and this one is ` +
        `${claim.by} with the key ${claim.new_key}`,
    );
  const open = leftOpen(house), late = lateWaits(house, walletWaits(house, old.lines, { operations: 0 }));
  for (const [i, command] of house.carriedOver(claim.time).entries()) {
    const index = claim.index + 1 + i, wanted = quote(command).slice(0, 200);
    if (index >= lines.length)
      return find('carried_over', `what stood at the end of ${claim.origin} is not carried over: ${wanted} is missing`);
    const entry = readEntry(lines[index]);
    if (entry.by !== 'operator' || quote(entry.command) !== quote(command))
      return find('carried_over', `what stood at the end of ${claim.origin} asks for ${wanted} here`, index);
  }
  // Attack: a house leaves a log for an empty one, and that for a third, and nobody looks at the first.
  const before = older.length ? heldToOld(old.lines, older, key) : { findings: [] }, [unfit] = before.findings;
  if (unfit) return wrong(`the log that this one goes on from is not sound: ${unfit.message} [${unfit.check}]`);
  const isShown = !house.continues || (!!before.old && before.old.verdict === 'sound');
  return {
    findings: [],
    old: {
      verdict: open.length || late || !isShown ? 'sound_so_far' : 'sound',
      origin: claim.origin,
      entries: claim.size,
      ...(house.continues ? { goes_on_from: { origin: house.continues.origin, size: house.continues.size } } : {}),
      ...(before.old ? { old_log: before.old } : {}),
      open,
      wallet_late: late,
    },
  };
}

/** Fails unless the key signed exactly these entries. */
function signedWhole({ leaves }, note, key) {
  if (!note) fault('there is no checkpoint over them');
  const { size, root } = openCheckpoint(note, key);
  if (size !== BigInt(leaves.length) || !sameBytes(root, treeRoot(leaves)))
    fault(`they do not lead to the root that is signed for ${size} entries`);
}

/**
 * Two logs of one statement are one log. Attack: half of the players sees one, the other half another, under one key. A
 * copy that was changed, or signed with another key, proves nothing about the house.
 */
function heldToTwin(log, note, twin, { by, new_key: newKey }) {
  const same = `${twin.name} states the same: that this log, and no other, goes on from the old one`;
  for (const [whose, one, signed] of [["this log's", log, note], ["that one's", twin, twin.note]]) {
    try {
      signedWhole(one, signed, keyOfClaim({ origin: by, key: newKey }));
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      return {
        findings: [],
        words: `${same}. The entries were not compared, for the key that the statement names does not vouch for ` +
          `${whose}: ${error.message}.`,
      };
    }
  }
  const both = Math.min(log.leaves.length, twin.leaves.length),
    at = log.leaves.findIndex((leaf, index) => index < both && !sameBytes(leaf, twin.leaves[index]));
  if (at < 0) return { findings: [], words: `${same}; the ${both} entries that both have are the same.` };
  const message = `${twin.name}: entry ${at} differs from this log's, and ${by}'s key signed both`;
  return { findings: [{ check: 'fork', entry: at, message }] };
}

/**
 * Compares other statements about the old log, from a log `{name, lines, leaves, note}` or a note `{name, bytes}`, with
 * this log's; `note` is this log's checkpoint. Without a finding, returns words about the comparison.
 */
function heldToRival(log, note, rival) {
  const { name, lines: others, bytes } = rival, claim = claimOf(log.lines);
  if (!claim) throw new Unusable('this log does not say that it goes on from another');
  const key = keyOfClaim(claim);
  let text;
  try {
    const shown = others ? claimOf(others) || fault('it does not say that it goes on from another') : null;
    if (shown && (shown.origin !== claim.origin || shown.key !== claim.key))
      fault(`it goes on from ${keyOfClaim(shown).text}, this one from ${key.text}`);
    text = readStatement(shown ? utf8(statementNote(shown)) : bytes, key);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    throw new Unusable(`${name} shows nothing about this log: ${error.message}`);
  }
  if (text === statementText(claim, claim.by))
    return others
      ? heldToTwin(log, note, rival, claim)
      : { findings: [], words: `${name} states the same: that this log, and no other, goes on from the old one.` };
  const [, , size, root, by, newKey] = text.split('\n');
  const message =
    `${name}: ${claim.origin} signed that ${claim.by} goes on, with the key ${claim.new_key}, from its first ` +
    `${claim.size} entries (root ${claim.root}), and that ${by} goes on, with the key ${newKey}, from its first ` +
    `${size} (root ${root})`;
  return { findings: [{ check: 'continued_twice', entry: claim.index, message }] };
}

// Several logs that know each other, checked together: spec/transfers.md, "All logs together".

/** A log's transfers to others and claims from them, in its order. */
function transfersIn({ lines }) {
  const sent = [], claimed = [], policies = new Map();
  lines.forEach((line, entry) => {
    if (!line.includes('"transferred_') && !line.includes('"log_known"')) return;
    const { time, command: { transfer_in: claim }, events } = readEntry(line);
    for (const { transferred_out: out, transferred_in: come, log_known: known } of events) {
      if (known) policies.set(known.log, known.policy);
      if (out) sent.push({ ...out, entry, since: time });
      if (!come) continue;
      const [{ text: key }] = policyOfLog(policies.get(come.from), come.from).logs;
      claimed.push({ ...come, entry, claim, key });
    }
  });
  return { sent, claimed };
}

/** The log's own name. */
function nameOfLog({ lines }) {
  const { start_dealer: start } = readEntry(lines[0]).command;
  return start ? start.origin : unsound('first_entry', 'a log begins with the start of the dealer');
}

/** Each log alone: `{name, log, report, origin, …}`; `origin` is null if its name cannot be read. */
function judgedAlone({ name, log, against = {} }) {
  const report = verifyLog(log, against);
  let origin = null;
  try { origin = nameOfLog(log); } catch (error) { if (!(error instanceof Unsound)) throw error; }
  return { name, log, report, origin };
}

/** All logs of a cluster, each of which is sound alone. */
class Cluster {
  constructor(members) {
    this.members = new Map(members.map(member => [member.origin, { ...member, ...transfersIn(member.log) }]));
    this.findings = [];
    this.underWay = []; // sent from one of them to another, and not claimed
    this.elsewhere = []; // sent to a log that is not here
    this.beyond = []; // claims under a checkpoint that the copy of the other log does not reach yet
    this.pairs = [];
  }

  find(check, { origin }, message, entry) {
    this.findings.push({ check, log: origin, ...(entry === undefined ? {} : { entry }), message });
  }

  judge() {
    for (const member of this.members.values()) member.claimed.forEach(claim => this.holdClaim(member, claim));
    const claims = new Set();
    for (const { origin, claimed } of this.members.values())
      claimed.forEach(({ from, no }) => claims.add(quote([from, origin, no])));
    for (const { origin: from, sent } of this.members.values())
      for (const { to, no, player, amount, entry } of sent) {
        const one = { from, to, no, entry, player, amount };
        if (!this.members.has(to)) this.elsewhere.push(one);
        else if (!claims.has(quote([from, to, no]))) this.underWay.push(one);
      }
    this.addUp();
    return this;
  }

  /** A claim's entry equals the other log's, byte for byte, and the checkpoint of its receipt is one of this log's. */
  holdClaim(member, { from, no, index, player, amount, entry, claim, key }) {
    const other = this.members.get(from);
    if (!other) return;
    // Attack: a house that accepts receipts of a key it made up, so that the other one seems to have signed twice.
    if (other.report.key && key !== other.report.key) {
      this.find(
        'claim',
        member,
        `it is claimed under the key ${key}, ${from} is signed by ${other.report.key}: whoever named that key ` +
          `says so of ${from}`,
        entry,
      );
      return;
    }
    const { lines, leaves } = other.log, checkpoint = this.checkpointOf(claim), size = Number(checkpoint.size);
    other.roots = other.roots || rootsOf(leaves);
    const whose = other.report.key ? `the key of ${from}` : `if ${key} is the key of ${from}, it`;
    const signedTwice = `${whose} signed two histories, and the claim's receipt is the evidence`;
    const isThere = index < lines.length;
    if (isThere && lines[index] !== claim.entry)
      this.find('claim', member, `entry ${index} of ${from} is not the one that is claimed: ${signedTwice}`, entry);
    if (size > lines.length) {
      this.beyond.push({ from, to: member.origin, no, entry, index, size, player, amount, is_there: isThere });
      return;
    }
    if (!sameBytes(checkpoint.root, other.roots[size]))
      this.find(
        'claim',
        member,
        `the receipt's checkpoint has root ${base64(checkpoint.root)} for ${size} entries, ${from} has ` +
          `${base64(other.roots[size])}: ${signedTwice}`,
        entry,
      );
  }

  /** The checkpoint of a judged receipt. */
  checkpointOf({ receipt }) {
    return readCheckpointText(readNote(readReceipt(unbase64(receipt)).checkpoint).text);
  }

  /** Sums by pair of logs and in all, checked against the accounts. */
  addUp() {
    const amounts = list => sumBig(list, ({ amount }) => amount), origins = [...this.members.keys()];
    const between = ({ from, to }) => one => one.from === from && one.to === to;
    for (const from of origins)
      for (const to of origins) {
        if (from === to) continue;
        const sent = this.members.get(from).sent.filter(one => one.to === to),
          claimed = this.members.get(to).claimed.filter(one => one.from === from);
        if (!sent.length && !claimed.length) continue;
        const underWay = this.underWay.filter(between({ from, to }));
        this.pairs.push({ from, to, sent: amounts(sent), claimed: amounts(claimed), under_way: amounts(underWay) });
      }
    const accounts = origins.flatMap(of => {
      const { balances } = this.members.get(of).report;
      return origins.map(to => BigInt(balances[transfersOf(to)] || 0));
    });
    const stands = accounts.reduce((all, balance) => all + balance, 0n);
    const notThere = amounts(this.beyond.filter(({ is_there: isThere }) => !isThere));
    this.total = amounts(this.underWay);
    if (this.findings.length || stands === this.total - notThere) return;
    this.findings.push({
      check: 'cluster_sum',
      message: `${this.total} are under way and ${notThere} were claimed of entries that the copies do not have; ` +
        `the accounts between these logs stand at ${stands}`,
    });
  }
}

/** If a log of the cluster goes on from another one, transfers to the old name stay pending for ever. */
const endedBy = (members, origin) => members.find(({ report }) => (report.goes_on_from || {}).origin === origin);

function clusterWords({ pairs, underWay, elsewhere, beyond, total }, members) {
  const sums = ({ from, to, sent, claimed, under_way: left }) =>
    `From ${from} to ${to}: ${sent} sent, ${claimed} claimed, ${left} under way.`;
  const left = ({ from, to, no, entry, player, amount }) => {
    const next = endedBy(members, to), ever = next ? `, for ever: ${next.origin} goes on in the place of ${to}` : '';
    return `Under way: ${amount} from ${from} to ${to} for ${player} (no. ${no}, entry ${entry})${ever}.`;
  };
  const places = [...new Set(elsewhere.map(({ to }) => to))];
  return [
    ...pairs.map(sums),
    ...underWay.map(left),
    ...(places.length ? [`Sent to logs that were not named, and not followed there: ${places.join(', ')}.`] : []),
    ...beyond.map(({ from, to, entry, index, size, is_there: isThere }) =>
      `Not held: entry ${entry} of ${to} claims entry ${index} of ${from} under its ${size} entries, of which the ` +
        `copy ${isThere ? 'has' : 'does not have'} that one, and not all.`),
    `In all ${total} are under way between these logs.`,
  ];
}

/**
 * The verdict on several logs, `{name, log, against}`, alone and together. Unclaimed transfers are listed; they are no
 * finding.
 */
function verifyCluster(logs) {
  const members = logs.map(judgedAlone), alone = members.filter(({ report }) => report.verdict === 'not_sound');
  const last = ({ story }) => story[story.length - 1];
  const report = {
    verdict: 'not_sound',
    findings: alone.flatMap(({ origin, report: { findings } }) => findings.map(one => ({ log: origin, ...one }))),
    logs: members.map(({ name, origin, report: one }) => {
      const { verdict, entries, signature_checked: signed } = one;
      return { source: name, origin, verdict, entries, signature_checked: signed };
    }),
    story: members.map(({ name, report: one }) => `${name}: ${last(one)}`),
    open: members.some(({ report: { open, due } }) => open.length + due.length > 0),
  };
  if (alone.length) {
    report.story.push('NOT SOUND. These logs were not held against each other: each has to be sound first.');
    return report;
  }
  const twice = members.find(({ origin }, i) => members.findIndex(other => other.origin === origin) !== i);
  if (twice) throw new Unusable(`two sources are copies of one log, ${twice.origin}: name one`);
  const cluster = new Cluster(members).judge(), { findings, pairs, underWay, elsewhere, beyond, total } = cluster;
  Object.assign(report, { findings, pairs, under_way: underWay, elsewhere, beyond, total });
  report.story.push(...clusterWords(cluster, members));
  for (const { check, log, entry, message } of findings)
    report.story.push(
      `NOT SOUND. ${log === undefined ? '' : `${log}, entry ${entry}: `}${message} [${check}]`,
    );
  if (findings.length) return report;
  report.verdict = beyond.length || members.some(({ report: one }) => one.verdict !== 'sound')
    ? 'sound_so_far'
    : 'sound';
  report.story.push(
    `${report.verdict === 'sound' ? 'SOUND' : 'SOUND SO FAR'}. ${members.length} logs were judged each by itself, ` +
      'and every claim that one of them made on another is held against that one.',
  );
  return report;
}

// Compares a log with the statement of the operator's wallet: spec/wallet.md, "Reconciliation".

/** The correct combinations: for each state on the log, the allowed states at the wallet. */
const UNKNOWN = null;
const UNDER_WAY = {
  'waits for reserve': [UNKNOWN, 'reserved', 'committed', 'refused', 'cancelled'],
  'waits for commit': ['reserved', 'committed'],
  'waits for cancel': [UNKNOWN, 'reserved', 'cancelled', 'refused'],
  'waits for pay': [UNKNOWN, 'paid', 'refused'],
};
const AGREES = {
  'commit accepted': ['committed'],
  'pay accepted': ['paid'],
  'reserve refused': [UNKNOWN, 'refused'],
  'pay refused': [UNKNOWN, 'refused'],
  'cancel accepted': [UNKNOWN, 'cancelled', 'refused'],
};
/** An operation in progress for longer is overdue: three days. */
const OPERATION_LATE_MS = 259200000;
/** The doors by which chips leave a player outside play: spec/audit.md, "Doors". */
const DOORS = ['withdraw', 'wallet_withdraw', 'transfer_out', 'correct'];
const isWalletState = oneOf('reserved', 'committed', 'cancelled', 'paid', 'refused');
const isOperationKind = oneOf('deposit', 'withdrawal');

const isFlat = value => typeof value === 'string' || Number.isSafeInteger(value);

/** The chips that left the players of a sound log by each door and requester; and the wallet's refusals. */
function doorsOf(lines) {
  const none = () => ({ times: 0, amount: 0n }), doors = new Map(), back = none();
  DOORS.forEach(door => doors.set(door, { operator: none(), signed: none(), unsigned: none() }));
  const add = (moved, amount) => { moved.times++; moved.amount += BigInt(amount); };
  for (const line of lines) {
    if (![...DOORS, 'wallet_answer'].some(word => line.includes(`"${word}":`))) continue;
    const { by, command, signed, events } = readEntry(line), [[name, fields]] = Object.entries(command);
    if (doors.has(name)) add(doors.get(name)[by === 'operator' ? by : signed ? 'signed' : 'unsigned'], fields.amount);
    if (name !== 'wallet_answer' || fields.call !== 'pay' || fields.answer !== 'refused') continue;
    const [{ posted: { lines: posted } }] = events;
    add(back, posted.find(([, amount]) => amount > 0)[1]);
  }
  const inJson = ({ times, amount }) => ({ times, amount: sumInJson(amount) });
  const rows = [...doors].map(([name, door]) =>
    [name, Object.fromEntries(Object.entries(door).map(([by, moved]) => [by, inJson(moved)]))]);
  return { ...Object.fromEntries(rows), wallet_refused: inJson(back) };
}

/** The same in words, one line for each used door. */
function doorsInWords({ wallet_refused: back, ...doors }) {
  const by = { operator: 'by the operator', signed: 'signed by players', unsigned: 'unsigned' };
  const said = Object.entries(doors).flatMap(([name, door]) => {
    const used = Object.entries(door).filter(([, { times }]) => times);
    const words = used.map(([who, { times, amount }]) => `${amount} ${by[who]}, in ${times} times`);
    return used.length ? [`Out by ${name}: ${words.join('; ')}.`] : [];
  });
  return [...said, ...(back.times ? [`Of it the wallet refused ${back.amount}, in ${back.times} times.`] : [])];
}

/**
 * The open wallet operations at the end of a log with these lines, the oldest first. For operations from before the
 * given state no line tells their beginning, so that state's time is used.
 */
function walletWaits({ wallet }, lines, given) {
  const begun = new Map();
  for (const line of lines)
    if (line.includes('"wallet_asked"'))
      for (const { wallet_asked: asked } of readEntry(line).events)
        if (asked && !begun.has(asked.no)) begun.set(asked.no, readEntry(line).time);
  return [...wallet.open]
    .map(([no, one]) => ({ no, ...one, since: no < given.operations ? given.time : begun.get(no) }))
    .sort((a, b) => a.since - b.since || a.no - b.no);
}

/** The number of these that have been open too long at the log's end. */
const lateWaits = ({ time }, waits) => waits.filter(({ since }) => time - since > OPERATION_LATE_MS).length;

/**
 * Every operation of a sound log, by its number: `{kind, player, amount, since, stands}`, in the words of the page's
 * end; `since` is the time of the entry that began it.
 */
function walletOperations(lines) {
  const operations = [];
  for (const line of lines) {
    if (!line.includes('"wallet_')) continue;
    const { time, events } = readEntry(line);
    for (const { wallet_asked: asked, wallet_answered: answered } of events) {
      if (answered) operations[answered.no].stands = `${answered.call} ${answered.answer}`;
      if (!asked) continue;
      const { no, call, player, amount } = asked;
      const kind = call === 'pay' ? 'withdrawal' : 'deposit';
      if (no === operations.length) operations.push({ kind, player, amount, since: time });
      operations[no].stands = `waits for ${call}`;
    }
  }
  return operations;
}

/**
 * The wallet's statement of the log of that name, by number. Of a line the six compared fields are read; a reason, and
 * further fields, are the wallet's own.
 */
function readWalletStatement(text, origin) {
  const operations = new Map(), lines = text.split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  let last = -1;
  lines.forEach((line, at) => {
    const wrong = why => { throw new Unusable(`line ${at + 1} of the statement ${why}`); };
    let one;
    try { one = JSON.parse(line); } catch (error) { wrong(`is no JSON: ${error.message}`); }
    const why = ambiguity(line);
    if (why) wrong(`can be read in two ways: ${why}`);
    if (/[^\x20-\x7e]|\\/.test(line) || !isObject(one) || !Object.values(one).every(isFlat))
      wrong('is no object of plain strings and whole numbers');
    if (!isOrigin(one.log) || !isCount(one.no)) wrong('is no operation of a log');
    const { log, no, kind, player, amount, state } = one;
    if (!isOperationKind(kind) || !isName(player) || !isPositive(amount) || !isWalletState(state))
      wrong('is no operation');
    if (log !== origin) wrong(`is of the log ${quote(log)}, not of ${quote(origin)}`);
    if (no <= last) wrong(`has number ${no}, the line before it ${last}`);
    last = no;
    operations.set(no, { kind, player, amount, state });
  });
  return operations;
}

/** A sum as JSON: a number if it is exact, otherwise its digits. */
const sumInJson = amount =>
  (amount <= BigInt(MAX_AMOUNT) && amount >= -BigInt(MAX_AMOUNT) ? Number(amount) : String(amount));

/**
 * The comparison of a sound log's lines with the wallet's statement: the object at the page's end. `now` is the time up
 * to which the log is complete.
 */
function reconcile(lines, statement, now = readEntry(lines[lines.length - 1]).time) {
  const log = nameOfLog({ lines }), operations = walletOperations(lines);
  const atWallet = readWalletStatement(statement, log);
  const report = { log, verdict: 'reconciled', agree: 0 };
  const underWay = [], later = [], differs = [];
  operations.forEach((operation, no) => {
    const other = atWallet.get(no), state = other ? other.state : UNKNOWN, { stands, since } = operation;
    const isSame = !other || ['kind', 'player', 'amount'].every(name => other[name] === operation[name]);
    const about = ({ kind, player, amount }) => (isSame ? '' : `, ${kind} of ${player}, ${amount}`);
    const found = { no, log: stands + about(operation), ...(other ? { wallet: state + about(other) } : {}) };
    if (isSame && (AGREES[stands] || []).includes(state)) report.agree++;
    else if (isSame && (UNDER_WAY[stands] || []).includes(state)) underWay.push({ ...found, since });
    else differs.push(found);
  });
  for (const [no, { state }] of atWallet) if (no >= operations.length) later.push({ no, wallet: state });
  const sums = (list, of, words) =>
    sumInJson(sumBig(list.filter(one => words.includes(one[of])), ({ amount }) => amount));
  const said = [...atWallet.values()];
  report.on_log = {
    deposits: sums(operations, 'stands', ['waits for commit', 'commit accepted']),
    withdrawals: sums(operations, 'stands', ['waits for pay', 'pay accepted']),
  };
  report.at_wallet = Object.fromEntries(
    ['committed', 'reserved', 'paid'].map(state => [state, sums(said, 'state', [state])]),
  );
  Object.assign(report, { under_way: underWay, later, differs });
  if (underWay.length || later.length) report.verdict = 'under_way';
  if (underWay.some(({ since }) => now - since > OPERATION_LATE_MS)) report.verdict = 'overdue';
  if (differs.length) report.verdict = 'differs';
  return report;
}

function reconciledInWords(report) {
  const { log, agree, on_log: onLog, at_wallet: atWallet, under_way: underWay, later, differs, verdict } = report;
  const pair = ({ no, log: here = 'nothing', wallet = 'nothing' }) =>
    `operation ${no}: the log has ${here}, the wallet has ${wallet}`;
  const last = {
    reconciled: 'RECONCILED. The wallet has what the log has, to the unit.',
    under_way: 'UNDER WAY. Nothing differs; what is not over, or not on this copy of the log, is listed.',
    overdue: 'OVERDUE. Nothing differs; what is listed is under way for longer than three days.',
    differs: 'DIFFERS. The wallet has something else than the log.',
  };
  return [
    `The log ${log}: ${onLog.deposits} came from the wallet, ${onLog.withdrawals} went back or are on their way.`,
    `The wallet: ${atWallet.committed} committed, ${atWallet.reserved} reserved, ${atWallet.paid} paid.`,
    `Operations that agree: ${agree}.`,
    ...underWay.map(one => `Under way since ${clock(one.since)}: ${pair(one)}.`),
    ...later.map(one => `Later, or lost by the log: ${pair(one)}.`),
    ...differs.map(one => `Differs: ${pair(one)}. [wallet]`),
    last[verdict],
  ];
}

// An event in a file: its payments when it is cancelled, and when it is played (spec/games/refunds.md, section 9).
// `fault` codes are those of 9.6.

const MOST_CENTS = 1e12, MOST_CHIPS = 1e9;
const MOST_FILE = 8 * 1024 * 1024, MOST_FILE_ENTRIES = 65534;

const times = (a, b) => {
  const product = big(a) * big(b);
  if (product > big(MAX_AMOUNT)) refuseFile('amount_out_of_range', `an amount above ${MAX_AMOUNT}`);
  return Number(product);
};

// --- Forms: a field whose name ends in `?` is optional ---

const hasFields = form => value => {
  if (!isObject(value)) return false;
  const names = Object.keys(form);
  const known = name => names.includes(name) || names.includes(`${name}?`);
  return Object.keys(value).every(known) && names.every(name => {
    const optional = name.endsWith('?'), field = optional ? name.slice(0, -1) : name;
    return Object.hasOwn(value, field) ? form[name](value[field]) : optional;
  });
};
const taggedWith = forms => value => {
  const names = isObject(value) ? Object.keys(value) : [];
  return names.length === 1 && Object.hasOwn(forms, names[0]) && forms[names[0]](value[names[0]]);
};
const isOntoHead = oneOf('none', 'half', 'all'), isRefundMethod = oneOf('document', 'chip_count');
const isRows = listOf(hasFields({ from: isAmount, places: listOf(hasFields({ to: isAmount, share: isAmount })) }));

const WHOLE_STRUCTURE = hasFields({
  name: isText,
  rules: hasFields({ name: isText, digest: isText }),
  seats: isByte,
  entry: hasFields({
    buy_in: isAmount, fee: isAmount, bounty: isAmount, stack: isAmount, players_min: isAmount,
    players_max: isAmount, entries_per_player: isByte,
  }),
  guarantee: isAmount,
  late_levels: isSmall,
  'unregister_ms?': isAmount,
  'rebuy?': hasFields({
    price: isAmount, fee: isAmount, chips: isAmount, most: isByte, stack_at_most: isAmount, levels: isSmall,
    time_ms: isAmount,
  }),
  'add_on?': hasFields({ price: isAmount, fee: isAmount, chips: isAmount, after_level: isSmall }),
  levels: listOf(hasFields({
    small: isAmount, big: isAmount, 'third?': isAmount, ante: isAmount, ms: isAmount,
  })),
  breaks: taggedWith({
    after: listOf(hasFields({ level: isSmall, ms: isAmount })),
    synchronised: hasFields({ every_ms: isAmount, at_ms: isAmount, ms: isAmount }),
  }),
  payouts: taggedWith({
    rows: isRows,
    satellite: hasFields({ target: isText, buy_in: isAmount, fee: isAmount, non_unregisterable: isBool }),
  }),
  bounty_onto_head: isOntoHead,
  bounty_on: oneOf('all', 'some'),
  'deal?': hasFields({ most_players: isByte }),
  staking: isBool,
  hand_for_hand: isByte,
  final_redraw: isBool,
  clocks: hasFields({
    turn_ms: isAmount, bank_ms: isAmount, bank_refill_ms: isAmount, late_extra_ms: isAmount,
    late_players: isAmount, commit_ms: isAmount, reveal_ms: isAmount, 'between_hands_ms?': isAmount,
  }),
  draw_hands: isByte,
  cancel_after_ms: isAmount,
  refund_method: isRefundMethod,
});

const EXTRA = hasFields({ price: isAmount, fee: isAmount, chips: isAmount });
const SHORT_STRUCTURE = hasFields({
  buy_in: isAmount, 'fee?': isAmount, 'bounty?': isAmount, 'bounty_onto_head?': isOntoHead, 'stack?': isAmount,
  'players_max?': isAmount, 'guarantee?': isAmount, 'late?': isAmount, 'rebuy?': EXTRA, 'add_on?': EXTRA,
  'payouts?': taggedWith({
    prizes: listOf(isAmount), shares: listOf(isAmount), rows: isRows,
    satellite: hasFields({ buy_in: isAmount, fee: isAmount }),
  }),
  'refund_method?': isRefundMethod,
});
const HAND_END = hasFields({ at: isAmount, chips: isAmount, 'head?': isAmount, 'won?': isAmount });
const ENTRY_FORM = hasFields({
  'count?': isAmount, 'player?': isName, 'at?': isAmount, 'unregistered?': isBool,
  'pay?': oneOf('cash', 't_dollars', 'ticket'), 't_dollars?': isAmount, 'chips?': isAmount,
  'hands?': listOf(HAND_END), 'may_rebuy?': isBool, 'rebuys?': listOf(isAmount), 'add_on?': isAmount,
  'has_bounty?': isBool, 'head?': isAmount, 'won?': isAmount, 'stakes?': listOf(pairOf(isName, isAmount)),
});
const anything = () => true;
const CANCELLED_FORM = hasFields({
  structure: anything, 'start?': isAmount, 'stops?': listOf(pairOf(isAmount, isAmount)), instant: isAmount,
  entries: listOf(ENTRY_FORM),
});
const PRIZES_FORM = hasFields({
  structure: anything,
  sold: hasFields({
    entries: isAmount, 'players?': isAmount, 'with_bounty?': isAmount, 'rebuys?': isAmount,
    'add_ons?': isAmount,
  }),
  'cut_short?': isBool,
  'bounty?': hasFields({ head: isAmount, 'total?': isAmount, winners: isAmount }),
  'deal?': hasFields({ method: oneOf('chips', 'icm'), chips: listOf(isAmount) }),
});

/** The object of a file, in which all numbers are amounts, and every field stands once. */
function readEventFile(bytes, form) {
  if (bytes.length > MOST_FILE) refuseFile('too_long', `a file is at most ${MOST_FILE} bytes, not ${bytes.length}`);
  const malformed = why => refuseFile('malformed', why);
  let text, file;
  try { text = strictText(bytes, 'the file'); } catch (error) { malformed(error.message); }
  if (!nestedWithin(text, 100)) malformed('nested too deeply');
  try { file = JSON.parse(text); } catch (error) { malformed(error.message); }
  const why = ambiguity(text);
  if (why) malformed(why);
  const isPlain = value => typeof value === 'number' ? isAmount(value)
    : value === null || typeof value !== 'object' || Object.values(value).every(isPlain);
  if (!isPlain(file)) malformed('a number is not an integer from 0 to 2^53 - 1');
  if (!form(file)) malformed('an unknown field, a missing one, or one of another kind');
  return file;
}

// --- Structures ---

const never = (list, falls) => list.every((item, i) => !i || !falls(list[i - 1], item));

/** Why rows of payouts are impossible, or null. */
function whyNoRows(rows, playersMin) {
  if (rows.length < 1 || rows.length > 64) return '1 to 64 rows of payouts';
  if (rows[0].from > playersMin) return 'the first row must begin at players_min or before';
  if (!never(rows, (a, b) => a.from >= b.from)) return 'rows must ascend';
  for (const { from, places } of rows) {
    if (places.length < 1 || places.length > 256) return '1 to 256 ranges of places';
    if (places[0].to < 1) return 'places begin at 1';
    if (!never(places, (a, b) => a.to >= b.to || a.share < b.share)) return 'places must ascend, and shares never rise';
    if (!places.every(({ share }) => share >= 1 && share <= 1e6)) return 'a share is 1 to 10^6';
    if (places[places.length - 1].to > Math.min(from, 10000)) return 'no more places are paid than there are entries';
  }
  return null;
}

/** Why a whole structure is impossible, or null (tournaments.md, section 2). */
function whyNoStructure(given) {
  const { entry, rebuy, add_on: addOn, levels, breaks, payouts, clocks } = given;
  const within = (value, from, to) => value >= from && value <= to;
  const isDigest = unhex(given.rules.digest, 32) !== null;
  if (!isName(given.name) || !isName(given.rules.name) || !isDigest) return 'a name or digest';
  if (!within(entry.buy_in, 1, MOST_CENTS) || Math.max(entry.fee, entry.bounty, given.guarantee) > MOST_CENTS)
    return 'an amount';
  if (!within(entry.stack, 1, MOST_CHIPS) || !within(entry.entries_per_player, 1, 100)) return 'the entry';
  if (entry.players_min < 2 || entry.players_min > entry.players_max || entry.players_max > 20000) return 'players';
  if (given.unregister_ms !== undefined && given.unregister_ms > 604800000) return 'unregister_ms';
  if (!entry.bounty && (given.bounty_onto_head !== 'none' || given.bounty_on !== 'all')) return 'bounties';
  const extra = ({ price, fee, chips }) =>
    Math.max(price, fee) <= MOST_CENTS && Math.max(price, fee) > 0 && within(chips, 1, MOST_CHIPS);
  if (rebuy && (entry.bounty || !extra(rebuy) || !within(rebuy.most, 1, 100) || rebuy.stack_at_most > MOST_CHIPS
    || !within(rebuy.levels, 1, levels.length - 1) || !within(rebuy.time_ms, 1000, 600000))) return 'rebuy';
  if (addOn && (!extra(addOn) || !(breaks.after || []).some(({ level }) => level === addOn.after_level)))
    return 'add_on';
  if (!within(levels.length, 1, 200) || given.late_levels >= levels.length) return 'levels';
  const top = level => (level.third === undefined ? level.big : level.third);
  const wrong = level => level.small < 1 || level.small > level.big || level.big > top(level)
    || top(level) > MOST_CHIPS || level.ante > level.big || !within(level.ms, 1000, 86400000);
  if (levels.some(wrong)) return 'a level';
  if (!never(levels, (a, b) => a.small > b.small || a.big > b.big || (a.third || 0) > (b.third || 0)))
    return 'blinds never fall';
  if (breaks.after && (!never(breaks.after, (a, b) => a.level >= b.level)
    || !breaks.after.every(({ level, ms }) => within(level, 1, levels.length - 1) && within(ms, 1000, 3600000))))
    return 'breaks';
  const same = breaks.synchronised;
  if (same && (same.ms < 1000 || same.every_ms > 86400000 || same.at_ms + same.ms > same.every_ms
    || same.ms >= same.every_ms)) return 'breaks';
  if (payouts.rows && whyNoRows(payouts.rows, entry.players_min)) return 'payouts';
  const { satellite } = payouts;
  if (satellite && (!isName(satellite.target) || satellite.target.length > 56 || satellite.fee > MOST_CENTS
    || !within(satellite.buy_in, 1, MOST_CENTS) || given.deal || given.staking)) return 'the satellite';
  if (!within(given.seats, 2, 10) || (given.deal && !within(given.deal.most_players, 2, 10))) return 'seats or deal';
  if (given.hand_for_hand > 10 || given.draw_hands > 8 || !within(clocks.turn_ms, 1000, 3600000)) return 'play';
  if (Math.max(clocks.bank_ms, clocks.bank_refill_ms, clocks.late_extra_ms) > 3600000) return 'clocks';
  if (clocks.late_players > 20000 || given.cancel_after_ms > 86400000) return 'clocks';
  if ((clocks.between_hands_ms || 0) > 30000) return 'clocks';
  if (![clocks.commit_ms, clocks.reveal_ms].every(ms => within(ms, 1000, 600000))) return 'clocks';
  return null;
}

/** A short structure's payouts, and the sum of prizes named in cents. */
function shortPayouts(payouts = { shares: [1] }) {
  const check = (holds, why) => holdsOr('structure', holds, why);
  if (payouts.satellite) {
    const { buy_in, fee } = payouts.satellite;
    check(buy_in >= 1 && buy_in <= MOST_CENTS && fee <= MOST_CENTS, 'the seat\'s buy_in must be 1 to 10^12');
    return { payouts, fixed: null };
  }
  if (payouts.rows) {
    const why = whyNoRows(payouts.rows, 2);
    check(!why, why);
    return { payouts, fixed: null };
  }
  const list = payouts.prizes || payouts.shares;
  check(list.length >= 1 && list.length <= 10000, '1 to 10000 prizes or shares');
  check(list.every(share => share >= 1 && share <= MOST_CENTS), 'a prize or share is 1 to 10^12');
  check(never(list, (a, b) => a < b), 'prizes and shares never rise');
  const rows = [{ from: 1, places: list.map((share, i) => ({ to: i + 1, share })) }];
  return { payouts: { rows }, fixed: payouts.prizes ? plus(...list) : null };
}

/** The full structure of a short one, as far as money needs it. */
function expandStructure(short) {
  const check = (holds, why) => holdsOr('structure', holds, why);
  check(SHORT_STRUCTURE(short), 'an unknown field, a missing one, or one of another kind');
  const { buy_in, fee = 0, bounty = 0, stack = 0, players_max = 20000, guarantee = 0, late = 0, rebuy } = short;
  check(buy_in >= 1 && buy_in <= MOST_CENTS, 'buy_in must be 1 to 10^12');
  check(Math.max(fee, bounty, guarantee) <= MOST_CENTS, 'fee, bounty and guarantee are at most 10^12');
  check(short.stack === undefined || (stack >= 1 && stack <= MOST_CHIPS), 'stack must be 1 to 10^9');
  check(players_max >= 2 && players_max <= 20000, 'players_max must be 2 to 20000');
  check(late <= 1e12, 'late is at most 10^12');
  const { bounty_onto_head = 'none', refund_method = 'document', add_on } = short;
  check(bounty || bounty_onto_head === 'none', 'without a bounty nothing goes onto a head');
  check(!bounty || !rebuy, 'an event with bounties has no rebuys');
  for (const extra of [rebuy, add_on].filter(Boolean)) {
    const most = Math.max(extra.price, extra.fee);
    check(most > 0 && most <= MOST_CENTS, 'a rebuy or add-on costs something up to 10^12');
    check(extra.chips >= 1 && extra.chips <= MOST_CHIPS, 'a rebuy or add-on brings 1 to 10^9 chips');
  }
  const { payouts, fixed } = shortPayouts(short.payouts);
  const structure = {
    entry: { buy_in, fee, bounty, stack, players_max },
    guarantee,
    late_levels: late ? 1 : 0,
    levels: [{ ms: late }, { ms: 1 }],
    breaks: { after: [] },
    payouts,
    staking: !payouts.satellite,
    bounty_onto_head,
    bounty_on: bounty ? 'some' : 'all',
    refund_method,
    ...(rebuy ? { rebuy: { ...rebuy, most: 100 } } : {}),
    ...(add_on ? { add_on } : {}),
  };
  return { structure, fixed };
}

/** The structure that a file names or holds; `shipped` has the shipped ones by name. */
function structureOfFile(value, shipped) {
  if (isText(value)) {
    const structure = shipped(value);
    holdsOr('structure', structure, `no structure ${value} is shipped`);
    return { structure, fixed: null };
  }
  holdsOr('structure', isObject(value), 'a structure is a name or an object');
  if (!Object.hasOwn(value, 'levels')) return expandStructure(value);
  holdsOr('structure', WHOLE_STRUCTURE(value), 'an unknown field, a missing one, or one of another kind');
  holdsOr('structure', sortedText(value).length <= 65535, 'a structure is at most 65535 bytes');
  const why = whyNoStructure(value);
  holdsOr('structure', !why, `the structure contradicts itself: ${why}`);
  return { structure: value, fixed: null };
}

// --- Entries ---

/** Stakes with their prices. */
function fileStakes(file, structure, form, entryNo, at, price) {
  if (form.stakes === undefined) return [];
  const check = (holds, why) => holdsOr('stakes', holds, `entry ${entryNo}: ${why}`);
  check(structure.staking, 'this structure has no staking');
  check(file.start === undefined || at <= file.start, 'stakes are sold before the start');
  let sold = 0;
  return form.stakes.map(([buyer, basis_points], i) => {
    check(buyer !== form.player, 'nobody buys of themselves');
    sold += basis_points;
    const most = `${sold} basis points are more than 10000, or less than is sold already, or nothing`;
    check(basis_points && sold <= 10000, most);
    check(i < 100, 'an entry has at most 100 stakes');
    const exact = big(basis_points) * big(price);
    check(exact % 10000n === 0n, `the price of ${basis_points} basis points is not whole`);
    return { buyer, basis_points, price: Number(exact / 10000n) };
  });
}

/** An entry's holdings, from one record to the next, up to the instant; later purchases go into `one`. */
function fileRecords(file, structure, form, one, at) {
  const check = (holds, why) => holdsOr('entry', holds, `entry ${one.entry_no}: ${why}`);
  const { stack, bounty } = structure.entry, { hands = [], rebuys = [] } = form;
  check(form.chips === undefined || form.hands === undefined, 'either chips at the instant or hands');
  check(never(hands, (a, b) => a.at >= b.at) && (!hands.length || hands[0].at >= at), 'hands ascend by their times');
  check(never(rebuys, (a, b) => a > b) && (!rebuys.length || rebuys[0] >= at), 'rebuys ascend by their times');
  check(rebuys.length <= (structure.rebuy ? structure.rebuy.most : 0), 'more rebuys than the structure has');
  check(form.add_on === undefined || (structure.add_on && form.add_on >= at), 'an add-on is one that there is');
  const says = ({ head, won }) => head !== undefined || won !== undefined;
  check(bounty || !(hands.some(says) || says(form)), 'this structure has no bounties');
  check(!says(form) || form.hands === undefined, 'with hands, head and won stand with a hand');
  check(form.may_rebuy === undefined || (structure.rebuy && form.chips === 0), 'may_rebuy is for who has 0 chips');

  const [buyIn, fee, own] = one.cost;
  let head = own, won = 0, known = stack > 0 || file.start === undefined;
  let held = { at, chips: Math.max(1, stack), may_rebuy: false, bounty: own, fee, to_pool: buyIn };
  const records = [held], bought = (time, terms) => ({ at: time, order: 1, terms });
  const steps = [
    ...hands.map(hand => ({ at: hand.at, order: 0, hand })),
    ...rebuys.map(time => bought(time, structure.rebuy)),
    ...(form.add_on === undefined ? [] : [bought(form.add_on, structure.add_on)]),
  ].sort((a, b) => a.at - b.at || a.order - b.order);
  for (const { at: time, hand, terms } of steps) {
    if (time > file.instant) {
      if (terms) one.since = [plus(one.since[0], terms.price), plus(one.since[1], terms.fee)];
      continue;
    }
    if (hand) {
      if (hand.head !== undefined) head = hand.head;
      if (hand.won !== undefined) won = hand.won;
      held = { ...held, at: time, chips: hand.chips, bounty: plus(head, won) };
      known = true;
    } else {
      const chips = plus(held.chips, terms.chips), fees = plus(held.fee, terms.fee);
      held = { ...held, at: time, chips, fee: fees, to_pool: plus(held.to_pool, terms.price) };
    }
    records.push(held);
  }
  if (form.chips !== undefined || says(form)) {
    if (form.head !== undefined) head = form.head;
    if (form.won !== undefined) won = form.won;
    held = { ...held, at: file.instant, bounty: plus(head, won) };
    if (form.chips !== undefined) {
      Object.assign(held, { chips: form.chips, may_rebuy: form.may_rebuy === true });
      known = true;
    }
    records.push(held);
  }
  holdsOr('no_chips', known, `entry ${one.entry_no}: nothing says how many chips it had at the instant`);
  return records;
}

function fileEntry(file, structure, form, entryNo) {
  const check = (holds, why) => holdsOr('entry', holds, `entry ${entryNo}: ${why}`);
  const { buy_in, fee, bounty } = structure.entry, has = name => form[name] !== undefined;
  const at = has('at') ? form.at : file.start === undefined ? file.instant : file.start;
  const unregistered = form.unregistered === true;
  const counts = file.start !== undefined && at <= file.instant && !unregistered;
  const played = ['chips', 'hands', 'may_rebuy', 'rebuys', 'add_on', 'head', 'won'].some(has);
  check(counts || !played, 'what is played needs a start, and an entry by the instant that was kept');
  check(!has('has_bounty') || (bounty && structure.bounty_on === 'some'), 'has_bounty is for where some have one');
  const cost = [buy_in, fee, form.has_bounty === false ? 0 : bounty], price = plus(...cost), { pay = 'cash' } = form;
  check(!has('t_dollars') || (pay === 't_dollars' && form.t_dollars >= 1 && form.t_dollars <= price),
    't_dollars is for an entry paid by them');
  const t_dollars = pay !== 't_dollars' ? 0 : has('t_dollars') ? form.t_dollars : price;
  const stakes = fileStakes(file, structure, form, entryNo, at, price);
  const one = {
    entry_no: entryNo, player: form.player, place: unregistered ? 'unregistered' : 'after', cost, pay, t_dollars,
    stakes, since: [0, 0], re_entry: false, held: [],
  };
  if (unregistered || at > file.instant) return one;
  one.held = fileRecords(file, structure, form, one, at);
  one.place = one.held[one.held.length - 1].chips > 0 ? 'in' : 'out';
  return one;
}

function fileEntries(file, structure) {
  const all = [], players = new Map();
  let parts = 0;
  for (const form of file.entries) {
    const entryNo = all.length, { count = 1, player } = form;
    const check = (holds, why) => holdsOr('entry', holds, `entry ${entryNo}: ${why}`);
    check(count >= 1 && all.length + count <= MOST_FILE_ENTRIES, 'at least 1, all entries together at most 65534');
    check(count === 1 || player === undefined, 'one player is one entry: count goes without player');
    for (const name of ['hands', 'rebuys', 'stakes']) parts += form[name] ? form[name].length * count : 0;
    check(parts <= 300000, 'all hands, rebuys and stakes together are at most 300000');
    const first = fileEntry(file, structure, form, entryNo);
    if (player !== undefined && first.place !== 'unregistered') {
      const before = players.get(player);
      players.set(player, first);
      first.re_entry = before !== undefined;
      holdsOr('stakes', !before || !first.stakes.length, `entry ${entryNo}: stakes are of a player's first entry`);
      if (before && first.place !== 'after') { first.stakes = before.stakes; before.stakes = []; }
    }
    all.push(first);
    for (let more = 1; more < count; more++) all.push({ ...first, entry_no: entryNo + more });
  }
  const inPlay = new Set();
  for (const { entry_no, player } of all.filter(({ place, player: named }) => place === 'in' && named !== undefined)) {
    holdsOr('entry', !inPlay.has(player), `entry ${entry_no}: its player has another entry in play`);
    inPlay.add(player);
  }
  return all;
}

// --- Payments ---

/** Whether the paid places were reached while one could still enter; null: not reached. */
function moneyOfFile(structure, file, all) {
  const { start, instant, stops = [] } = file, records = [];
  for (const one of all) {
    let before = { chips: 0, may_rebuy: false, to_pool: 0 };
    one.held.forEach((held, i) => {
      const left = ({ chips, may_rebuy }) => (chips > 0 || may_rebuy ? 1 : 0);
      const first = i === 0 ? 1 : 0;
      records.push({
        at: held.at, entries: first, players: first && !one.re_entry ? 1 : 0,
        remaining: left(held) - left(before), collected: held.to_pool - before.to_pool,
      });
      before = held;
    });
  }
  records.sort((a, b) => a.at - b.at);
  const field = { entries: 0, players: 0, remaining: 0, collected: 0 };
  const look = moment => {
    const before = stops.filter(([from]) => from < moment).map(([from, until]) => [from, Math.min(until, moment)]);
    const running = runningTime(structure, start, before, moment);
    return inTheMoney(structure, { ...field, running }) ? wouldCutShort(structure, field.players, running) : null;
  };
  let begun = false, money = null;
  for (let i = 0; i < records.length;) {
    const moment = records[i].at;
    if (!begun && moment > start) money = look(start);
    begun = moment >= start;
    if (money !== null) return money;
    for (; i < records.length && records[i].at === moment; i++)
      for (const name of Object.keys(field)) field[name] += records[i][name];
    if (begun) money = look(moment);
    if (money !== null) return money;
  }
  if (!begun) money = look(start);
  return money === null ? look(instant) : money;
}

const CASE_RULES = { 1: 'R001.27', 2: 'R001.28', 3: 'R001.29', 4: 'R001.30' };
function caseWords(kind, method) {
  const left = method === 'document' ? 'the next prize, the rest of the prizes left by chips'
    : 'the prizes left by chips';
  if (kind === 1) return 'not started: all that was paid comes back';
  if (kind === 2)
    return `started, not in the money: fee and bounty, ${method === 'document'
      ? 'half of the pool in equal parts, half by chips' : 'the pool by chips'}`;
  if (kind === 3) return `in the money: fee and bounty, ${left}`;
  return `in the money while late registration was open: prizes of what was collected; fee and bounty, ${left}`;
}

function stakesOfPayment(one, of, cash, back) {
  if (!one.stakes.length) return {};
  const escrow = plus(...one.stakes.map(({ price }) => price));
  const { buyers: paid } = stakeDivision(back ? 'ticket' : 'cash', of, one.stakes);
  const buyers = one.stakes.map(({ buyer, basis_points, price }, i) => {
    const exact = back ? [big(price), 1n] : reduced(big(of) * big(basis_points), 10000n);
    return { buyer, basis_points, price, exact: exact.map(String), paid: paid[i] };
  });
  return { stakes: {
    form: back ? 'escrow_back' : 'divided', of, escrow, buyers,
    seller: back ? of : of - sum(paid),
    seller_escrow: back ? 0 : escrow,
    seller_cash: minus(plus(cash, escrow), sum(paid)),
  } };
}

function paymentOfFile(one, part) {
  const { place, cost, since, pay } = one, whole = !part && place !== 'out';
  const [buyIn, fee, bounty] = part ? [0, part.fee, part.bounty] : whole ? cost : [0, 0, 0];
  const pool = part ? part.pool : 0, shared = plus(buyIn, fee, bounty, pool);
  let ticket = 0, t_dollars = 0;
  if (pay === 'ticket') { if (part) t_dollars = cost[1]; else ticket = shared; }
  if (pay === 't_dollars' && part) t_dollars = Math.min(cost[1], Math.max(0, one.t_dollars - cost[0]));
  if (pay === 't_dollars' && whole) t_dollars = one.t_dollars;
  const total = plus(shared, ...since), cash = total - ticket - t_dollars, other = ticket + t_dollars;
  const back = place === 'unregistered' || (whole ? pay !== 'cash' : other > 0 && other === shared);
  const why = { in: part ? 'remaining' : 'registered', out: 'eliminated', after: 'after_instant' }[place] || place;
  return {
    entry_no: one.entry_no,
    ...(one.player === undefined ? {} : { player: one.player }),
    why,
    chips: part ? one.held[one.held.length - 1].chips : 0,
    buy_in: plus(buyIn, since[0]), fee: plus(fee, since[1]), bounty, pool,
    exact: part ? part.exact : ['0', '1'],
    total, cash, t_dollars, ticket,
    ...stakesOfPayment(one, shared, cash, back),
  };
}

/** The payments of a file's cancelled event (9.4). */
function cancelledFile(bytes, shipped) {
  const file = readEventFile(bytes, CANCELLED_FORM);
  const { structure, fixed } = structureOfFile(file.structure, shipped), { start, instant, stops = [] } = file;
  const started = start !== undefined;
  holdsOr('times', !started || instant >= start, 'the instant is not before the start');
  const first = started ? start : 0;
  const inOrder = stops.every(([from, until], i) => from <= until && from >= (i ? stops[i - 1][1] : first));
  holdsOr('times', stops.length <= 1000 && inOrder && (started || !stops.length), 'at most 1000 stops, that ascend');
  const all = fileEntries(file, structure), counted = all.filter(({ held }) => held.length);
  const last = ({ held }) => held[held.length - 1], left = counted.filter(({ place }) => place === 'in');
  const total = (list, of) => plus(...list.map(of));
  const collected = {
    pool: total(counted, one => last(one).to_pool), fees: total(counted, one => last(one).fee),
    bounties: total(counted, one => one.cost[2]),
  };
  const players = counted.filter(({ re_entry }) => !re_entry).length, entries = counted.length;
  const cutShort = started ? moneyOfFile(structure, file, counted) : null;
  const kind = !started ? 1 : cutShort === null ? 2 : cutShort ? 4 : 3, method = structure.refund_method;
  const missing = Math.max(0, structure.guarantee - collected.pool), used = kind === 3 ? missing : 0;
  const whole = plus(collected.pool, used), inMoney = kind > 2;
  const table = inMoney ? prizeTable(structure, entries, players, whole) : { prizes: [], residual: 0 };
  const worth = ({ seat, cash }) => cash + (seat ? seatValue(structure) : 0);
  const prizes = inMoney ? left.map((_, i) => (table.prizes[i] ? worth(table.prizes[i]) : 0)) : [];
  const pool = kind === 1 ? 0 : kind === 2 ? collected.pool : total(prizes, prize => prize);
  holdsOr('nobody', kind === 1 || left.length, 'the event has started, and nobody has chips at the instant');
  const rest = { fees_to_house: 0, awarded: 0, cut_of_prizes: 0, bounties_paid: 0 };
  if (kind > 1) {
    const bounties = total(left, one => last(one).bounty);
    holdsOr('bounties', bounties <= collected.bounties,
      `bounties of ${bounties} are to be refunded, ${collected.bounties} were collected`);
    rest.bounties_paid = collected.bounties - bounties;
    rest.fees_to_house = minus(collected.fees, total(left, one => last(one).fee));
  }
  if (inMoney) {
    const remaining = counted.filter(one => last(one).chips > 0 || last(one).may_rebuy).length;
    holdsOr('over', remaining > endsWith(structure, players, whole),
      `with ${remaining} left the event is over (R001.19): prizes are paid, nothing is refunded`);
    holdsOr('prizes', fixed === null || kind !== 3 || fixed === whole, `the prizes come to ${fixed}, not to ${whole}`);
    rest.cut_of_prizes = table.residual;
    rest.awarded = whole - pool - table.residual;
  }
  const given = { case: kind, method, pool, prizes, players: left.map(one => {
    const { chips, fee, bounty } = last(one);
    return { entry_no: one.entry_no, chips, fee, bounty };
  }) };
  const out = kind === 1 ? { chips: 0, residual: 0, payments: [] } : eventRefund(given);
  const parts = new Map(out.payments.map(part => [part.entry_no, part]));
  const payments = all.map(one => paymentOfFile(one, parts.get(one.entry_no)));
  const check = {
    payments: total(payments, payment => payment.total), residual: out.residual, pool,
    buy_ins: total(payments, payment => payment.buy_in), fees: total(payments, payment => payment.fee),
    bounties: total(payments, payment => payment.bounty),
  };
  const holds =
    plus(check.payments, check.residual) === plus(check.pool, check.buy_ins, check.fees, check.bounties);
  return {
    case: kind, rule: CASE_RULES[kind], words: caseWords(kind, method), method, instant, entries, players,
    remaining: left.length, chips: out.chips, collected, overlay: { used, unused: kind > 1 ? missing - used : 0 },
    pool, prizes, residual: out.residual, rest, payments, sum: { ...check, holds },
  };
}

/** The payments of a file's event that is played to its end (9.5). */
function prizesFile(bytes, shipped) {
  const file = readEventFile(bytes, PRIZES_FORM), { structure, fixed } = structureOfFile(file.structure, shipped);
  const { entries, rebuys = 0, add_ons = 0 } = file.sold;
  const { players = entries, with_bounty = entries } = file.sold, cut = file.cut_short === true;
  const possible = entries >= 1 && entries <= MOST_FILE_ENTRIES && players >= 1 && players <= entries
    && with_bounty <= entries && add_ons <= entries && (!rebuys || structure.rebuy) && (!add_ons || structure.add_on);
  holdsOr('entry', possible, 'sold: 1 to 65534 entries, no more players, bounties and add-ons than these');
  const { entry, rebuy, add_on } = structure;
  const total = (of, extra) => plus(times(entries, entry[of]), rebuy ? times(rebuys, rebuy[extra]) : 0,
    add_on ? times(add_ons, add_on[extra]) : 0);
  const collected = {
    pool: total('buy_in', 'price'), fees: total('fee', 'fee'), bounties: times(with_bounty, entry.bounty),
  };
  total('stack', 'chips');
  const overlay = cut ? 0 : Math.max(0, structure.guarantee - collected.pool), pool = plus(collected.pool, overlay);
  holdsOr('prizes', fixed === null || cut || fixed === pool, `the prizes come to ${fixed}, not to ${pool}`);
  const table = prizeTable(structure, entries, players, pool), { satellite } = structure.payouts;
  const seats = table.prizes.filter(({ seat }) => seat).length, all = seats === players;
  const shares = satellite ? [] : placeShares(structure, entries, players);
  const parts = shares.reduce((a, b) => a + big(b), 0n);
  const exact = i => (!satellite ? reduced(big(pool) * big(shares[i]), parts)
    : all ? reduced(big(pool - times(seats, seatValue(structure))), big(seats)) : [big(table.prizes[i].cash), 1n]);
  return {
    collected, overlay, pool,
    prizes: table.prizes.map(({ seat, cash }, i) => ({ place: i + 1, seat, exact: exact(i).map(String), cash })),
    residual: table.residual,
    ...(satellite ? { seat: {
      ticket: seatValue(structure), further_t_dollars: satellite.buy_in, further_to_house: satellite.fee,
      closed_t_dollars: seatValue(structure),
    } } : {}),
    ...(file.bounty ? { bounty: bountyOfFile(structure, file.bounty) } : {}),
    ...(file.deal ? { deal: dealOfFile(table.prizes, file.deal, satellite) } : {}),
  };
}

function bountyOfFile({ bounty_onto_head }, { head, total = 0, winners }) {
  holdsOr('won', winners >= 1 && winners <= 9, '1 to 9 winners share a bounty');
  plus(head, total);
  const totals = splitEqually(total, winners);
  return splitEqually(head, winners).map((part, i) => {
    const cashed = { none: part, half: Math.floor(part / 2), all: 0 }[bounty_onto_head];
    return { to_total: plus(cashed, totals[i]), onto_head: part - cashed };
  });
}

function dealOfFile(table, { method, chips }, satellite) {
  holdsOr('deal', !satellite, 'a satellite has no deals');
  holdsOr('deal', chips.length >= 2 && chips.length <= 10, `${chips.length} players: 2 to 10 can make a deal`);
  holdsOr('deal', chips.every(own => own > 0), 'somebody has no chips');
  holdsOr('deal', sum(chips) <= MAX_AMOUNT, 'an amount above 2^53 - 1');
  const prizes = chips.map((_, i) => (table[i] ? table[i].cash : 0));
  const { exact, paid } = dealShares(method, chips.map((own, entry_no) => ({ entry_no, chips: own })), prizes);
  return chips.map((own, i) => ({ chips: own, exact: exact[i].map(String), paid: paid[i] }));
}

// Checks the data of spec/vectors with this verifier. `files` maps names to parsed JSON, `ruleSets` names to rule sets.

class Tally {
  constructor() { this.checks = 0; this.failed = []; }
  same(what, given, expected) {
    this.checks++;
    if (quote(given) !== quote(expected))
      this.failed.push(`${what}: ${quote(given)}, not ${quote(expected)}`.slice(0, 500));
  }
  /** Equal values, in any order of fields. */
  alike(what, given, expected) { this.same(what, sortedText(given), sortedText(expected)); }
  /** What is refused is so for this reason, where one is given. */
  holds(what, action, expected, because = '') {
    let holds = true;
    try {
      action();
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      holds = !error.message.includes(because);
      what += `: ${error.message} [${error.check}]`;
    }
    this.same(what, holds, expected);
    return holds;
  }
}

const listWords = words => {
  let at = 0;
  return {
    rejected: 0,
    word() {
      if (at === words.length) throw new RangeError('used up');
      return words[at++];
    },
  };
};
const contextOf = ({ origin, table, epoch }) => tableContext(origin, table, epoch);

const VECTORS = {
  'fairness-draws.json'(tally, file) {
    for (const { key, words } of file.streams) {
      const stream = new Stream(unhex(key, 32));
      tally.same(
        'stream',
        words.map(() => stream.word()),
        words,
      );
    }
    for (const { m, words, draws } of file.below_words) {
      const stream = listWords(words), drawn = [];
      try { for (;;) drawn.push(below(stream, m)); } catch (error) { if (!(error instanceof RangeError)) throw error; }
      tally.same(`below(${m})`, drawn, draws);
    }
    for (const { m, key, draws, thrown_away } of file.below_key) {
      const stream = new Stream(unhex(key, 32));
      tally.same(`below(${m}) of a key`, draws.map(() => below(stream, m)), draws);
      const words = new Stream(unhex(key, 32)), refused = [];
      for (let i = 0; i < 8; i++) if (words.word() >= 4294967296 - (4294967296 % m)) refused.push(i);
      tally.same('thrown away', refused, thrown_away);
    }
  },

  'fairness-shoes.json'(tally, file) {
    const master = unhex(file.master, 32);
    tally.same('master id', hex(sha256(concat(label('master-id'), master))), file.master_id);
    for (const shoe of file.shoes) {
      const tctx = contextOf(shoe.context), composition = readComposition(shoe.composition);
      tally.same('tctx', hex(tctx), shoe.tctx);
      tally.same('slots', composition.slots, shoe.slots);
      shoe.candidates.forEach(candidate => {
        const seed = hmac(
            master,
            concat(label('server-seed'), tctx, u64(shoe.shoe_no), Uint8Array.of(candidate.candidate)),
          ),
          derived = deriveShoe(seed, composition);
        tally.same('server seed', hex(seed), candidate.server_seed);
        tally.same('commitment', serverCommitment(tctx, shoe.shoe_no, candidate.candidate, seed), candidate.commitment);
        tally.same(
          'house key',
          [hex(derived.houseKey), hex(derived.saltKey)],
          [candidate.house_key, candidate.salt_key],
        );
        tally.same('order', derived.faces, candidate.order);
        tally.same('salts', derived.salts.map(hex), candidate.salts);
        tally.same('root', derived.root, candidate.root);
        tally.same('words thrown away', derived.rejected, candidate.thrown_away.length);
      });
    }
  },

  'fairness-rounds.json'(tally, file) {
    for (const session of file.sessions) {
      const tctx = contextOf(session.context), composition = readComposition(session.composition);
      const undrawn = new Set(Array.from({ length: composition.slots }, (_, i) => i));
      const shoes = session.server_seeds.map(seed => deriveShoe(unhex(seed, 32), composition));
      tally.same('roots', shoes.map(shoe => shoe.root), session.roots);
      for (const round of session.rounds) {
        if (round.burnt !== undefined) {
          tally.same('burnt', Math.min(...undrawn), round.burnt);
          undrawn.delete(round.burnt);
          continue;
        }
        for (const { player, seed, client_secret, commitment } of round.contributors) {
          if (client_secret)
            tally.same(
              'derived seed',
              hex(hmac(unhex(client_secret, 32), concat(label('client-derive'), tctx, u64(round.round_no)))),
              seed,
            );
          tally.same('client commitment', clientCommitment(tctx, round.round_no, player, unhex(seed, 32)), commitment);
        }
        const entropy = roundEntropy(tctx, session.shoe_no, session.roots, round.round_no, round.contributors);
        tally.same('entropy', hex(entropy), round.entropy);
        const { pick, order } = publicShuffle(entropy, session.roots.length, composition.wheel ? [] : [...undrawn]);
        tally.same('pick', pick, round.pick);
        const faceAt = slot => shoes[pick].faces[slot];
        if (composition.wheel) {
          const slot = Math.min(...undrawn), offset = wheelOffset(entropy, composition.wheel);
          undrawn.delete(slot);
          const pocket = (faceAt(slot) + offset) % composition.wheel;
          tally.same('spin', [slot, offset, pocket], [round.slot, round.offset, round.pocket]);
        } else {
          tally.same('undrawn', [...undrawn].sort((a, b) => a - b), round.undrawn);
          tally.same('order', order, round.order);
          const taken = Array(round.lanes).fill(0);
          const drawn = round.draws.map(lane => {
            const slot = laneSlot(order, round.lanes, lane, taken[lane]++, undrawn);
            undrawn.delete(slot);
            return slot;
          });
          tally.same('drawn', drawn, round.drawn);
        }
        for (const opening of round.openings) {
          tally.same('opening', openingHolds(opening, composition, session.roots[pick]), true);
          tally.same('value', opening.value, faceAt(opening.slot));
        }
      }
    }
  },

  'fairness-openings.json'(tally, file) {
    for (const { name, composition, root, opening, holds } of file.cases) {
      const read = readComposition(composition);
      tally.same(name, !!read && openingHolds(opening, read, root), holds);
    }
  },

  'fairness-refusals.json'(tally, file) {
    const forms = {
      origin: isOrigin,
      table: isName,
      player: isName,
      composition: text => readComposition(text) !== null,
      card: isCard,
      hash: isHash,
    };
    for (const { kind, text, valid } of file.texts)
      tally.same(`${kind} ${text.slice(0, 60)}`, forms[kind](text), valid);
    for (const c of file.server_commitments)
      tally.same(
        c.name,
        serverCommitment(contextOf(c.context), c.shoe_no, c.candidate, unhex(c.server_seed, 32)) === c.commitment,
        c.opens,
      );
    for (const c of file.client_commitments)
      tally.same(
        c.name,
        clientCommitment(contextOf(c.context), c.round_no, c.player, unhex(c.seed, 32)) === c.commitment,
        c.opens,
      );
    const tctx = tableContext('example.com/log', 't1', '00'.repeat(32));
    for (const { name, roots, contributors, valid } of file.contributor_lists)
      tally.same(name, roundEntropy(tctx, 0, roots, 0, contributors) !== null, valid);
  },

  'log-tree.json'(tally, file) {
    const key = readLogKey(file.log_key),
      entries = file.entries_hex.map(text => unhex(text, text.length / 2)),
      leaves = entries.map(leafHash);
    const rootOf = size => treeRoot(leaves.slice(0, size));
    tally.same('leaf hashes', leaves.map(base64), file.leaf_hashes);
    tally.same('roots', file.roots.map((_, size) => base64(rootOf(size))), file.roots);
    file.checkpoints.forEach((text, size) =>
      tally.same('checkpoint', base64(openCheckpoint(utf8(text), key).root), file.roots[size]),
    );
    for (const { index, size, proof } of file.inclusion)
      tally.holds(
        'inclusion',
        () => checkInclusion(leaves[index], BigInt(index), BigInt(size), proof.map(hash64), rootOf(size)),
        true,
      );
    for (const { old, size, proof } of file.consistency)
      tally.holds(
        'consistency',
        () => checkConsistency(BigInt(old), rootOf(old), BigInt(size), rootOf(size), proof.map(hash64)),
        true,
      );
    for (const { size, full_and_partial_width_by_level: levels } of file.layouts)
      tally.same('layout', tileLayout(size), levels);
    for (const { index, level, path } of file.paths) {
      tally.same('path', tilePath(level, index), path);
      tally.same('path read', String(readTilePath(path).number), index);
    }
    for (const { path, hex: bytes } of file.resources) {
      const { level, width } = readTilePath(path), data = unhex(bytes, bytes.length / 2);
      const hashes =
        level === 'entries'
          ? readEntryBundle(data).map(leafHash)
          : Array.from({ length: data.length / 32 }, (_, i) => data.slice(32 * i, 32 * i + 32));
      tally.same(path, hashes.map(base64), file.leaf_hashes.slice(0, width));
    }
  },

  'log-receipts.json'(tally, file) {
    for (const { what, receipt, entry_hex: entry, policy, index, size, cosigned_at: times } of file.receipts) {
      const result = verifyReceipt(utf8(receipt), unhex(entry, entry.length / 2), readPolicy(utf8(policy)));
      tally.same(
        what,
        [Number(result.index), Number(result.checkpoint.size), result.cosigned.map(({ time }) => Number(time))],
        [index, size, times],
      );
    }
    for (const { what, hex: bytes } of file.policies)
      tally.holds(what, () => readPolicy(unhex(bytes, bytes.length / 2)), true);
    for (const { what, key, name } of file.keys) tally.same(what, readLogKey(key).name, name);
    for (const { what, checkpoint, log_key: key, own_time: time } of file.own_times) {
      const found = ownTime(utf8(checkpoint), readLogKey(key));
      tally.same(what, found === null ? null : String(found), time);
    }
  },

  'log-broken.json'(tally, file) {
    const key = readLogKey(file.log_key);
    for (const { why, hex: bytes } of file.bundles)
      tally.holds(why, () => readEntryBundle(unhex(bytes, bytes.length / 2)), false);
    for (const { why, input } of file.checkpoints) tally.holds(why, () => openCheckpoint(utf8(input), key), false);
    for (const c of file.consistency)
      tally.holds(
        c.why,
        () => checkConsistency(BigInt(c.old), hash64(c.old_root), BigInt(c.size), hash64(c.root), c.proof.map(hash64)),
        false,
      );
    for (const { why, input } of file.keys) tally.holds(why, () => readLogKey(input), false);
    for (const { why, hex: bytes, type } of file.policies)
      tally.holds(why, () => readPolicy(unhex(bytes, bytes.length / 2)), false, type && `type is ${type},`);
    for (const path of file.paths) tally.holds(path, () => readTilePath(path), false);
    for (const { why, input, entry_hex: entry, policy } of file.receipts)
      tally.holds(
        why,
        () => verifyReceipt(utf8(input), unhex(entry, entry.length / 2), readPolicy(utf8(policy))),
        false,
      );
  },

  'log-notes.json'(tally, file, ruleSets, files) {
    const given = (note, key = file.log_key) => ({ key, kept: [{ name: 'note', bytes: utf8(note) }] }),
      log = `${file.entries.join('\n')}\n`;
    const judge = (entries, { about, note, check, entry }, key) => {
      const [finding] = verifyLog(entries, given(note, key)).findings;
      tally.same(about, finding ? [finding.check, finding.entry] : [null, null], [check, entry]);
    };
    file.notes.forEach(one => judge(log, one));
    for (const { file: other, until, log_key: key, notes } of file.others)
      notes.forEach(one => judge(`${files[other].entries.slice(0, until).join('\n')}\n`, one, key));
    for (const { about, note } of file.refused) {
      let usable = true;
      try {
        verifyLog(log, given(note));
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        usable = false;
      }
      tally.same(about, usable, false);
    }
  },

  'log-continued.json'(tally, { pool, cases, stated, rivals }, _, files) {
    const textsOf = ({ file, first }) => files[file].entries.slice(0, first);
    const read = ({ entries, checkpoint }) => ({
      ...logOfText((entries.file ? textsOf(entries) : entries.map(at => pool[at])).join('\n')),
      note: checkpoint === null ? null : utf8(checkpoint),
    });
    const said = (log, key, more, told = () => {}) => {
      try {
        const report = verifyLog(read(log), { key, ...more }), [finding] = report.findings;
        if (!finding) told(report);
        return finding ? [finding.check, finding.entry === undefined ? null : finding.entry] : [null, null];
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        return ['unusable', null];
      }
    };
    for (const { about, new: log, old, older, check, entry, old_verdict: ofOld, alone } of cases) {
      if (alone) said(log, log.key, {}, ({ verdict }) => tally.same(`${about}: alone`, verdict, alone));
      // A new log is at most as sound as the old one.
      const told = ({ verdict, old_log: { verdict: said } }) =>
        tally.same(`${about}: the old log`, [said, said === 'sound' || verdict === said], [ofOld, true]);
      tally.same(about, said(log, log.key, { continues: [old, ...(older || [])].map(read) }, told), [check, entry]);
    }
    for (const { about, statement, check } of stated.statements)
      tally.same(
        about,
        said(stated.new, stated.new.key, { rivals: [{ name: about, bytes: utf8(statement) }] })[0],
        check,
      );
    for (const { about, new: log, rival, check, entry } of rivals)
      tally.same(about, said(log, log.key, { rivals: [{ name: about, ...read(rival) }] }), [check, entry]);
  },

  'player-keys.json'(tally, file) {
    for (const { about, key, usable } of file.keys) tally.same(about, ed25519.usable(unhex(key, 32)), usable);
    for (const { about, origin, by, nonce, command, key, signature, text, holds } of file.signatures) {
      tally.same(`${about}: the text`, signedText(origin, by, nonce, command), text);
      tally.same(about, ed25519.verify(unhex(key, 32), utf8(text), unhex(signature, 64)), holds);
    }
    checkEntries(tally, file);
  },

  'wallet.json'(tally, file, ruleSets, files) {
    const { entries } = files['entries-wallet.json'];
    for (const { about, origin, entries: size, now, statement, gives, unreadable } of file.cases) {
      const lines = entries.slice(0, size);
      let given = null;
      try {
        given = reconcile(lines, statement.map(line => `${line}\n`).join(''), now);
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
      }
      tally.same(`${about}: the log`, nameOfLog({ lines }), origin);
      tally.alike(about, given, unreadable ? null : gives);
    }
  },

  'bundles.json'(tally, file) {
    for (const { about, bundle, verdict, check, exact, entry } of file.cases) {
      let report;
      try {
        report = verifyBundle(bundle);
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        // An input that cannot be read at all counts as refused.
        report = { verdict: 'not_sound', findings: [] };
      }
      // If several checks fail in one entry, the page says only for some which is named first.
      const [finding] = report.findings;
      if (exact) tally.same(`${about}: the code`, finding && finding.check, check);
      tally.same(about, [report.verdict, finding && finding.entry], [verdict, entry]);
    }
  },

  'play.json'(tally, file, ruleSets) {
    for (const round of file.cases) {
      for (const name of round.rules) playCase(tally, round, ruleSets[name]);
    }
  },
};

/**
 * A whole log of entries-*.json: each command decided again, the refusals, the balances, and the shoes from the master.
 */
function checkEntries(tally, file) {
  const house = new House(false), entries = file.entries.map(readEntry), master = unhex(file.master, 32);
  const refusedAfter = count => {
    for (const row of file.refused.filter(c => c.after_entries === count)) {
      const { by, now, command, command_text: text, signed, code } = row;
      const given = text ? JSON.parse(text) : inOrder(command);
      tally.same(`refused after ${count}`, copyOf(house).refusalOf(now, by, given, signed), code);
    }
  };
  for (const [index, entry] of entries.entries()) {
    refusedAfter(index);
    if (!tally.holds(`entry ${index}`, () => house.judge(entry, index), true)) break;
    if (file.state_roots) tally.same(`state after ${index + 1}`, house.stateRoot(), file.state_roots[index]);
    for (const { shoe_committed: shoe } of entry.events) {
      if (!shoe) continue;
      const tctx = house.tctx({ epoch: house.start.epoch }),
        seed = hmac(master, concat(label('server-seed'), tctx, u64(shoe.shoe_no), Uint8Array.of(0)));
      tally.same(
        'shoe',
        [serverCommitment(tctx, shoe.shoe_no, 0, seed), deriveShoe(seed, readComposition(shoe.composition)).root],
        [shoe.candidates[0].commitment, shoe.candidates[0].root],
      );
    }
  }
  refusedAfter(entries.length);
  for (const [account, balance] of Object.entries(file.balances))
    tally.same(account, house.accounts.get(account), balance);
  if (file.state_lines)
    house.stateLines().forEach((line, i) => tally.same(`line ${i} of the state`, line, file.state_lines[i]));
  // Each is a number below 2^53; the sum may be larger.
  tally.same('sum of all accounts', String(sumBig([...house.accounts.values()], balance => balance)), '0');
}

/** A command with its fields in the order in which they are written, and signed. */
function inOrder(command) {
  const [[name, fields]] = Object.entries(command);
  // One whose fields' order matters has its text.
  if (name === 'tournament') return command;
  const sorted = (object, names) =>
    Object.fromEntries(names.filter(field => object[field] !== undefined).map(field => [field, object[field]]));
  const ordered = sorted(fields, Object.keys(COMMANDS[name]).map(field => field.replace('?', '')));
  if (ordered.rules) {
    const { name: called, table, game } = ordered.rules,
      [kind] = Object.keys(game),
      options = gameOf(ordered.rules).fields;
    ordered.rules = { name: called, table: sorted(table, TABLE_FIELDS), game: { [kind]: sorted(game[kind], options) } };
  }
  if (ordered.bets) ordered.bets = ordered.bets.map(bet => sorted(bet, ['spot', 'stake', 'chips']));
  return { [name]: ordered };
}

/** A house that can be asked for refusals without changing the first. */
const copyOf = house =>
  Object.assign(
    Object.create(House.prototype),
    structuredClone({ ...house, table: null, logged: null, out: [], doubles: [], published: [] }),
  );

VECTORS['words.json'] = (tally, { entries, words }) => {
  for (const [choice, known] of Object.entries(words))
    for (const [word, sample] of Object.entries(known))
      for (const key of sample ? ['read', 'refused'] : [])
        for (const fields of sample[key]) {
          const text = entries[choice].replace('%', () => `{"${word}":${fields}}`);
          tally.holds(`${word} ${fields}`, () => readEntry(text), key === 'read');
        }
};

/** All existing files of spec/vectors, by name: `{file: {checks, failed}}`. */
function runVectors(files, ruleSets) {
  const results = {};
  for (const name of Object.keys(VECTORS)) {
    if (!files[name]) continue;
    results[name] = new Tally();
    VECTORS[name](results[name], files[name], ruleSets, files);
  }
  for (const [name, file] of Object.entries(files)) {
    if (!/^entries-.*\.json$/.test(name)) continue;
    results[name] = new Tally();
    checkEntries(results[name], file);
  }
  return results;
}

// Checks tournaments.json, section by section, against tournament.js.

const readEventField = ({ seats, last_table, tables }) => ({
  seats, last_table, tables: tables.map(table => ({ ...table, players: Object.fromEntries(table.players) })),
});
const writeEventField = ({ seats, last_table, tables }) => ({
  last_table, seats,
  tables: tables.slice().sort((a, b) => a.table - b.table).map(({ table, last_big, players }) => ({
    last_big, players: takenSeats({ players }).map(seat => [seat, players[seat]]), table,
  })),
});

/** The results of files, or the codes of their refusals. */
function fileVectors(compute, tally, cases, structures) {
  const shipped = name => (Object.hasOwn(structures, name) ? structures[name] : null);
  for (const { name, in: given, out, refused } of cases) {
    let got;
    try { got = { out: compute(utf8(quote(given)), shipped) }; } catch (error) {
      if (!(error instanceof FileRefusal)) throw error;
      got = { refused: error.code };
    }
    tally.alike(name, got, refused ? { refused } : { out });
    if (out && out.sum) tally.same(`the sum of ${name}`, out.sum.holds, true);
  }
}

const TOURNAMENT_VECTORS = {
  structures(tally, cases) {
    for (const { name, canonical, digest } of cases) {
      tally.same(`canonical text of ${name}`, sortedText(JSON.parse(canonical)), canonical);
      tally.same(`digest of ${name}`, structureDigest(JSON.parse(canonical)), digest);
    }
  },

  draws(tally, cases) {
    const events = new Map();
    for (const draw of cases) {
      const dctx = contextOf(draw.context), name = draw.context.table;
      if (!events.has(name)) {
        const chain = drawChain(new Uint8Array(32), dctx);
        events.set(name, { links: chain.links, last: chain.tip, running: new Uint8Array(32) });
        tally.same('tip', hex(chain.tip), draw.tip);
      }
      const event = events.get(name), link = unhex(draw.link, 32);
      tally.same('link', hex(event.links[draw.draw_no]), draw.link);
      tally.same('link before', hex(linkBefore(dctx, draw.draw_no, link)), hex(event.last));
      const running = draw.hands.reduce(runningAfterHand, event.running);
      tally.same('running entropy', hex(running), draw.running);
      for (const entrant of draw.entrants.filter(({ seed }) => seed)) {
        tally.same('commitment', seatCommitment(dctx, entrant), entrant.commitment);
      }
      const entropy = drawEntropy(dctx, draw.draw_no, link, running, draw.entrants);
      const field = readEventField(draw.before);
      tally.same('entropy', hex(entropy), draw.entropy);
      drawSeats(entropy, draw.kind, draw.entrants.map(({ entry_no }) => entry_no), field);
      tally.alike(`seats of draw ${draw.draw_no} of ${name}`, writeEventField(field), draw.after);
      Object.assign(event, { last: link, running: entropy });
    }
  },

  seating(tally, cases) {
    for (const { field, due } of cases) tally.alike('due', seatingDue(readEventField(field)), due);
  },

  clock(tally, cases, structures) {
    for (const { structure: name, start, stops, now, running, late, ...at } of cases) {
      const structure = structures[name];
      tally.same('running time', runningTime(structure, start, stops, now), running);
      tally.alike('the clock', clockAt(structure, running, now), at);
      tally.same('late registration', withinLevels(structure, structure.late_levels, running), late);
    }
  },

  registration(tally, cases, structures) {
    for (const { structure, closed, ...field } of cases) {
      tally.same('registration', registrationClosed(structures[structure], field), closed);
    }
  },

  pools(tally, cases, structures) {
    for (const { structure: name, collected, cut_short, pool, overlay, ...sold } of cases) {
      const given = collectedOf(structures[name], sold);
      const whole = cut_short ? given.pool : Math.max(given.pool, structures[name].guarantee);
      tally.alike('collected', given, collected);
      tally.same('pool', [whole, whole - given.pool], [pool, overlay]);
    }
  },

  prizes(tally, cases, structures) {
    for (const { structure: name, entries, players, pool, table, places, ends_with } of cases) {
      const structure = structures[name];
      tally.alike('prizes', prizeTable(structure, entries, players, pool), table);
      tally.same('places paid', placesPaid(structure, entries, players, pool), places);
      tally.same('ends with', endsWith(structure, players, pool), ends_with);
    }
  },

  ties(tally, cases) {
    for (const { table, seat_value, first, last, prize, cut } of cases) {
      tally.alike('tie', tiedPrize(table, seat_value, first, last), [prize, cut]);
    }
  },

  ranks(tally, cases) {
    for (const { remaining, eliminations, ranks } of cases) {
      const given = Object.fromEntries(ranks.map(({ entry_no, first, last }) => [entry_no, [first, last]]));
      tally.alike('ranks', eliminationRanks(remaining, eliminations), given);
    }
  },

  bounties(tally, cases) {
    for (const { onto_head, heads, steps, paid } of cases) {
      const bounties = new EventBounties(onto_head, heads);
      for (const step of steps) {
        if (step === 'reach_money') bounties.reachMoney();
        else if (step === 'end_hand') bounties.endHand();
        else if (step.stand) tally.same('bounties', bounties.standing(), step.stand);
        else if (step.disqualify !== undefined) bounties.disqualify(step.disqualify);
        else bounties.eliminate(step.eliminate, step.winners, step.paid_place);
      }
      bounties.finish();
      tally.same('paid', [...bounties.paid].sort(([a], [b]) => a - b), paid);
      tally.same('all bounties', sum([...bounties.paid.values()]), sum(heads));
    }
  },

  deals(tally, cases) {
    for (const { method, players, prizes, shares } of cases) {
      const { exact, paid } = dealShares(method, players, prizes);
      tally.same('exact shares', exact.map(pair => pair.map(String)), shares.map(share => share.exact));
      tally.same('deal', paid, shares.map(share => share.paid));
      tally.same('the undistributed pool', sum(paid), sum(prizes));
    }
  },

  stakes(tally, cases) {
    for (const { form, total, stakes, division } of cases) {
      tally.alike('stakes', stakeDivision(form, total, stakes), division);
    }
  },

  refunds(tally, cases) {
    for (const { name, in: given, out } of cases) {
      const apart = sum(given.players.map(({ fee, bounty }) => fee + bounty));
      tally.alike(`refund ${name}`, eventRefund(given), out);
      tally.same('sum of a refund', out.total + out.residual, given.pool + apart);
    }
  },

  no_refunds(tally, cases) {
    for (const { in: given } of cases) {
      let refused = false;
      try { eventRefund(given); } catch (error) { refused = error instanceof FileRefusal; }
      tally.same(`no refund of ${quote(given)}`, refused, true);
    }
  },

  refund_files(tally, cases, structures) { fileVectors(cancelledFile, tally, cases, structures); },

  prize_files(tally, cases, structures) { fileVectors(prizesFile, tally, cases, structures); },

  instants(tally, cases, structures) {
    for (const event of cases) {
      for (const { instant, out } of event.results) {
        tally.alike(`refund at ${instant}`, refundAt(structures[event.structure], event, instant), out);
      }
    }
  },
};

VECTORS['tournaments.json'] = (tally, file) => {
  const structures = Object.fromEntries(file.structures.map(({ name, canonical }) => [name, JSON.parse(canonical)]));
  tally.same('sections', Object.keys(file).sort(), Object.keys(TOURNAMENT_VECTORS).sort());
  for (const [section, check] of Object.entries(TOURNAMENT_VECTORS)) check(tally, file[section], structures);
};

// The worked examples of spec/vectors/play.json: rounds from given cards, without regard to slots.

function readPlayAction(text) {
  const named = /^([^:=]+):(.*)$/.exec(text), [word, value] = (named ? named[2] : text).split('=');
  const name = word.replace('-', '_'), yes = value === 'yes';
  const fields = {
    double: () => (value ? { amount: Number(value) } : {}),
    insurance: () => ({ take: yes }),
    even_money: () => ({ take: yes }),
    change: () => ({ card: value }),
    open: () => (value ? { hand: value } : {}), discard: () => (value ? { hand: value } : {}) }[name];
  return { who: named ? named[1] : null, word: name, action: fields ? { [name]: fields() } : name };
}

/** One case under each of its rule sets. */
function playCase(tally, round, shipped) {
  const rules = structuredClone(shipped),
    game = gameOf(rules),
    options = rules.game[game.name],
    title = `${round.name} (${rules.name})`;
  for (const [name, text] of Object.entries(round.set || {})) {
    let value = text;
    try { value = JSON.parse(text); } catch (error) { /* a word */ }
    (Object.hasOwn(options, name) ? options : rules.table)[name] = value;
  }
  if (round.entry !== undefined) Object.assign(rules.table, { stake_min: round.entry, stake_max: round.entry });
  const play = new Play(round, rules, game);
  let refused = whyNoRuleSet(rules);
  try {
    if (!refused) play.run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refused = error.message;
  }
  if (round.refused !== undefined) { tally.same(`${title}: refused`, refused !== null, true); return; }
  tally.same(`${title}: refused`, refused, null);
  if (refused) return;
  tally.same(`${title}: staked, returned`, [play.staked, play.returned], [round.staked, round.returned]);
  if (round.drawn !== undefined) tally.same(`${title}: drawn`, play.drawn, round.drawn);
  for (const [seat, name, staked, returned] of round.seats || []) {
    const { player } =
      play.contributors.find(placed => placed.bets.some(bet => bet.spot === String(seat))) || play.contributors[0];
    const whose = game.spotIsSeat ? `box ${seat}` : player;
    tally.same(
      `${title}: seat ${seat}`,
      [name === null ? null : player, play.of(whose, 'staked'), play.of(whose, 'returned')],
      [name, staked, returned],
    );
  }
  for (const [spot, returned] of Object.entries(round.spots || {})) {
    tally.same(`${title}: ${spot}`, play.spots[spot], returned);
  }
  for (const what of ['winner', 'collected'])
    if (round[what] !== undefined) tally.same(`${title}: ${what}`, play[what], round[what]);
  if (round.alive !== undefined)
    tally.same(
      `${title}: alive`,
      play.state.players.filter(({ alive }) => alive).map(({ player }) => player),
      round.alive,
    );
}

class Play {
  constructor(round, rules, game) {
    Object.assign(this, {
      rules, game, staked: 0, returned: 0, drawn: 0, winner: null, collected: null,
      spots: {},
      amounts: {},
      options: [],
      pile: 0,
      decisions: 0,
      dealer: [],
      piles: [[]],
      pocket: round.pocket,
    });
    const shared = rules.table.mode === 'shared' && game.spotIsSeat;
    const bets = (round.bets || '').split(/[ ,]+/).filter(text => text.includes('=') || game.name !== 'safe')
      .map(text => {
        const [spot, stake] = text.includes('=') ? text.split('=') : ['1', text];
        return { spot, stake: Number(stake) };
      });
    if (game.name === 'safe')
      this.contributors = round.players
        .split(',')
        .map((player, i) => ({ player, bets: [{ spot: String(i + 1), stake: rules.table.stake_min }] }));
    else if (shared) this.contributors = bets.map(bet => ({ player: `seat${bet.spot}`, bets: [bet] }));
    else this.contributors = [{ player: 'player', bets }];
    this.balance = Object.fromEntries(
      this.contributors.map(({ player }) => [player, round.balance === undefined ? 1e9 : round.balance]),
    );
    this.cards = (round.cards || '').split(' ').filter(card => card);
    this.actions = (round.actions || '').split(' ').filter(text => text).map(readPlayAction);
  }

  of(player, what) { return this.amounts[`${player} ${what}`] || 0; }
  add(player, place, what, amount) {
    this[what] += amount;
    for (const whose of [player, `box ${place.split('/')[0]}`])
      this.amounts[`${whose} ${what}`] = this.of(whose, what) + amount;
  }

  run() {
    const house = new House(true), { game, rules, contributors } = this;
    house.table = { rules, window: null, seats: new Map() };
    for (const { player, bets } of contributors) {
      const total = house.checkBets(player, bets, this.balance[player]);
      this.balance[player] -= total;
      for (const { spot, stake } of bets) this.add(player, spot, 'staked', stake);
    }
    this.state = game.start(rules, contributors);
    for (let step = this.step(); !step.done; step = this.step()) {
      const [kind] = Object.keys(step);
      if (this[kind](step[kind]) === false) break;
    }
    if (this.actions.length) refuse('malformed', 'an action is left over');
  }

  step() { return this.game.next(this.state, { balance: player => this.balance[player] }); }
  apply(event) { this.game.apply(this.state, event); }

  dealt({ lane, to, hidden }) {
    const card = this.cards.shift(), slot = this.piles[this.pile].length;
    if (card === undefined && this.game.name === 'safe') return false;
    if (card === undefined) refuse('malformed', 'too few cards');
    this.drawn++;
    this.piles[this.pile].push(card);
    if (to === 'dealer') this.dealer.push(card);
    return this.apply({ dealt: { lane, slot, to, ...(hidden ? {} : { card }) } });
  }

  turned(turned) { this.apply({ turned: { ...turned, card: this.piles[turned.pile ?? this.pile][turned.slot] } }); }
  peeked({ slot }) { this.apply({ peeked: { slot, blackjack: handTotal(this.dealer.slice(0, 2)) === 21 } }); }
  offered(offered) {
    this.options[this.decisions] = offered.options.map(option => option.action);
    this.apply({ offered: { decision: this.decisions++, ...offered, deadline: 0 } });
  }
  spun() {
    const { wheel } = readComposition(this.game.composition(this.rules));
    if (!whole(0, wheel - 1)(this.pocket)) refuse('no_pocket', `a pocket is a number from 0 to ${wheel - 1}`);
    this.apply({ spun: { slot: 0, value: this.pocket, pocket: this.pocket } });
  }

  paid({ lines }) {
    for (const { player, place, returned } of lines) {
      this.balance[player] += returned;
      this.add(player, place, 'returned', returned);
      this.spots[place] = (this.spots[place] || 0) + returned;
    }
    this.apply({ paid: { lines } });
  }

  safe(event) {
    if (event.won) this.winner = event.won.player;
    if (event.collected) this.collected = event.collected.cards.length;
    this.apply({ safe: event });
  }

  /** A pile is shuffled, or a decision is made: by the next action, or by none if the next is about something else. */
  wait(what) {
    const { game, state, actions } = this;
    if (what === 'pile') {
      this.piles.push([]);
      return this.apply({ shuffled: { pile: ++this.pile } });
    }
    const [asked] = game.openDecisions(state), fallback = game.defaultAction(state, asked.decision), next = actions[0];
    const words = this.options[asked.decision],
      about = next && words.includes(next.word) && (!next.who || next.who === asked.player);
    const declines =
      fallback.insurance ||
      fallback.even_money ||
      fallback === 'accept' ||
      (fallback === 'pass' && (words.includes('open') || words.includes('discard')) && !words.includes('hit'));
    if (!about && !declines && !next) {
      if (game.name === 'safe') return false;
      refuse('malformed', 'too few actions');
    }
    if (!about && !declines && next.who && next.who !== asked.player) refuse('not_your_decision');
    const action = about || !declines ? actions.shift().action : fallback;
    const acted = game.act(state, asked.player, asked.decision, action, this.balance[asked.player]);
    this.balance[asked.player] -= acted.cost;
    this.add(asked.player, asked.place, 'staked', acted.cost);
    return this.apply({ acted: { decision: asked.decision, ...acted, default: false } });
  }
}

// The command line. Nothing here runs in a page.

const HELP = `A second, independent verifier of fairshoe's rounds, written from spec/ alone.

Usage: node fairshoe-verify.js COMMAND [OPTIONS]

  bundle SOURCE… [ROUND]   Judge rounds. SOURCE is a bundle file, a bundle's address, or the address of a service, with
                           the ROUND TABLE:NUMBER after it. Of several files each gets its verdict.
  receipt FILE             Check a .tlog-proof file (with --entry) or the receipts in a saved JSON reply
  checkpoint SOURCE        Check a signed checkpoint: a file, or a service's address
  shoe SOURCE [TABLE:NO]   Derive the shoes whose seeds a bundle reveals; or one shoe by --seed and --composition
  log SOURCE…              Judge whole logs: a file, the exact text of an entry a line, from the first on; or a mirror's
                           folder. One log also against what others kept of it
  cluster FOLDER FOLDER…   Judge logs that know each other, each in a mirror's folder, and then all together: what one
                           claimed was sent by the other; what was sent and not claimed is listed
  wallet LOG STATEMENT     Judge a log and hold it against the operator's wallet: LOG as with \`log\`; STATEMENT a file
                           with the wallet's operations of that log, JSON, one a line. Exit code 0 where nothing
                           differs, also while something is under way
  evidence FILE            Check what a monitor wrote at a finding, or \`fairshoe-audit log --evidence\`: whether it
                           proves by itself that a log is not sound
  refund FILE              What a cancelled tournament pays back, computed from a file (spec/games/refunds.md, 9); -
                           reads standard input
  prizes FILE              What a tournament pays that is played to its end, from a file of the same section
  vectors DIR              Run the data of spec/vectors

Options:
  --key VKEY               The log's verifier key, got by a way you trust. Without it a bundle's own key is used and
                           named as unverified; of a log no signature is checked, which is said. To check a log's
                           signature takes --checkpoint too. Of a cluster it can be given for each log
  --policy FILE            Which logs and witnesses count (c2sp.org/tlog-policy): for receipt, checkpoint and log
  --entry FILE             The entry's exact bytes, for a .tlog-proof file
  --seed HEX --composition TEXT [--root HEX] [--commitment HEX --origin NAME --table NAME --epoch HEX --shoe-no N]
                           A shoe by itself
  --kept FILE              Of a log: a receipt (NAME.tlog-proof, the entry's bytes beside it as NAME.entry), a saved
                           reply, a history of checkpoints, a signed checkpoint or note. Can be given often; takes --key
                           or --policy
  --earlier-key VKEY       Of a log: a key that you knew it by, where it has another now; what is kept under it shows
                           that. Can be given often
  --checkpoint FILE        Of a log in a file: its signed checkpoint
  --continues SOURCE       Of a log: the one that it goes on from (log_continues), judged up to there; what was carried
                           over is held against its end. A folder's checkpoint is judged by the key that the new log
                           names. Given again, the log that that one goes on from
  --rival SOURCE           Of a log that goes on from another: a second log that does so, or its signed statement. Two
                           statements of one old log that differ show a second history; so do two logs of one statement
                           and one key, in mirrors' folders, whose entries differ. Can be given often
  --from SIZE|FILE         Of a log: judge what came after so many entries alone. The state after them, which the log
                           must name, is taken as given: published in the mirror's folder (state/SIZE), or in a file of
                           that name
  --ledger-only            Of a log: check the tree and the money alone, without deciding anything again
  --now MS                 Of a log: the time by which its entries are judged, UTC milliseconds; this machine's clock if
                           not said
  --skew S --delay S       Of a log: how far clocks may differ (2 s), how late a witness may have been asked (60 s)
  --structures DIR         Of refund and prizes: where the structures that the product ships are (spec/structures)
  --strict-end             Of a log: a used shoe or a round that is open at its end gives exit code 1
  --json                   One JSON object; of several bundles one a line
  -h, --help               This text

Exit codes: 0 sound, as far as the verdict says, or not proven; 1 not sound, or proven; 2 wrong use or unusable input.

Examples:
  node fairshoe-verify.js bundle round.json
  node fairshoe-verify.js bundle http://127.0.0.1:8080 joy-1:0 --key 'ORIGIN+ID+KEY'
  node fairshoe-verify.js receipt reply.json --policy policy.txt
  node fairshoe-verify.js vectors spec/vectors`;

const FLAGS = [
    'key', 'policy', 'entry', 'seed', 'composition', 'root', 'commitment', 'origin', 'table', 'epoch', 'shoe-no',
    'kept', 'earlier-key', 'checkpoint', 'continues', 'rival', 'from', 'now', 'skew', 'delay', 'structures',
  ],
  REPEATED = ['kept', 'earlier-key', 'continues', 'rival'];
/** An address to which paths are added: text after `?` or `#` would swallow them. */
function isAddress(text) {
  if (!/^https?:\/\//.test(text)) return false;
  if (/[?#]/.test(text)) throw new Unusable(`${text}: name the address without ? and # and what follows them`);
  return true;
}
const LONGEST_ANSWER = 64 * 1024 * 1024;

function readArguments(args) {
  const options = {}, words = [];
  for (let i = 0; i < args.length; i++) {
    const [, flag, inline] = /^--([a-z-]+)(?:=(.*))?$/s.exec(args[i]) || [];
    if (args[i] === '-h' || flag === 'help') options.help = true;
    else if (['json', 'strict-end', 'ledger-only'].includes(flag)) options[flag] = true;
    else if (flag && FLAGS.includes(flag)) {
      const value = inline === undefined ? args[++i] : inline;
      if (value === undefined) throw new Unusable(`--${flag} needs a value`);
      if (flag === 'key') options.keys = [...(options.keys || []), value];
      if (REPEATED.includes(flag)) options[flag] = [...(options[flag] || []), value]; else options[flag] = value;
    } else if (args[i].startsWith('-') && args[i] !== '-')
      throw new Unusable(`there is no option ${args[i]}; --help lists them`);
    else words.push(args[i]);
  }
  return { options, words };
}

function readFile(name) {
  const fs = require('fs');
  try {
    return new Uint8Array(fs.readFileSync(name === '-' ? 0 : name));
  } catch (error) {
    throw new Unusable(`cannot read ${name}: ${error.message}`);
  }
}

const isFolder = name => {
  const fs = require('fs');
  return name !== '-' && fs.existsSync(name) && fs.statSync(name).isDirectory();
};

// An entry is ASCII: one with other bytes is refused as it is read.
const textOfEntry = bytes => Array.from(bytes, byte => String.fromCharCode(byte)).join('');

/**
 * A log in a file, or in a mirror's folder (spec/log.md, "Tiles"), with its checkpoint and tiles. From a folder,
 * entries before `from` are read on request (`before`); the tiles have the leaf hashes of the others.
 */
function readLog(name, from = 0) {
  const fs = require('fs'), path = require('path');
  if (!isFolder(name)) return logOfText(strictText(readFile(name), name));
  const note = readFile(path.join(name, 'checkpoint'));
  const tile = at => (fs.existsSync(path.join(name, at)) ? readFile(path.join(name, at)) : null);
  const size = Number(readCheckpointText(readNote(note).text).size), lines = Array(size), leaves = [];
  if (!size) throw new Unusable(`${name}: the log is signed and empty`);
  const widthOf = number => Math.min(256, size - 256 * number);
  const whole = (level, number) => {
    const at = tilePath(level, number, widthOf(number)), bytes = tile(at) || tile(tilePath(level, number));
    if (!bytes) throw new Unusable(`${name}/${at}: there is no such ${level === 'entries' ? 'bundle' : 'tile'}`);
    return { at, bytes };
  };
  const bundle = number => {
    const { at, bytes } = whole('entries', number),
      width = widthOf(number),
      entries = readEntryBundle(bytes).slice(0, width);
    if (entries.length < width) throw new Unusable(`${name}/${at} holds ${entries.length} entries`);
    return entries;
  };
  const servedLeaf = index =>
    whole('0', Math.floor(index / 256)).bytes.slice(32 * (index % 256), 32 * (index % 256) + 32);
  for (let first = 0; first < size; first += 256) {
    const number = first / 256, entries = first + 256 > from ? bundle(number) : [];
    for (let index = first; index < Math.min(first + 256, from, size); index++) leaves.push(servedLeaf(index));
    entries.forEach((bytes, at) => {
      if (first + at < from) return;
      lines[first + at] = textOfEntry(bytes);
      leaves.push(leafHash(bytes));
    });
  }
  return {
    lines, leaves, note, tile, servedLeaf,
    before: index => textOfEntry(bundle(Math.floor(index / 256))[index % 256]),
  };
}

/** The name in a mirror's checkpoint, unverified: it selects the key for judging it. */
const originSigned = ({ note }) => readCheckpointText(readNote(note).text).origin;

/** The value of `--from`: a size, whose state is published with a mirror's tiles, or a file of that name. */
function readGivenState(name, from) {
  const path = require('path'),
    wrong = () => new Unusable(`${from}: a state's file is named by its size, as in state/${STATE_INTERVAL}`);
  const size = text => (decimal(text) !== null && Number.isSafeInteger(Number(text)) ? Number(text) : null);
  if (size(from) === null) {
    const named = size(path.basename(from));
    if (named === null || from.endsWith('/')) throw wrong();
    return { size: named, bytes: readState(from) };
  }
  const file = isFolder(name) ? path.join(name, 'state', from) : null;
  if (!file || !require('fs').existsSync(file))
    throw new Unusable(`the state of ${from} entries is not published here: name its file, as in --from DIR/${from}`);
  return { size: size(from), bytes: readState(file) };
}

/** A state's file. Reading a pipe instead could wait without end. */
function readState(file) {
  const { statSync } = require('fs');
  let found;
  try { found = statSync(file); } catch (error) { throw new Unusable(`cannot read ${file}: ${error.message}`); }
  if (!found.isFile() || found.size > MOST_STATE) throw new Unusable(`${file} is no file of at most 1 GiB`);
  return readFile(file);
}

/** Other statements about the old log: from another log, or from a signed statement in a file. */
function readRival(source) {
  const fs = require('fs'),
    name = require('path').basename(source),
    bytes = fs.existsSync(source) && fs.statSync(source).isFile() ? readFile(source) : null;
  return bytes && sameBytes(bytes.slice(0, CONTINUES.length), ascii(CONTINUES))
    ? { name, bytes }
    : Object.assign(readLog(source), { name });
}

async function fetchBytes(address) {
  let answer, bytes;
  try {
    answer = await fetch(address, { signal: AbortSignal.timeout(30000) });
    bytes = new Uint8Array(await answer.arrayBuffer());
  } catch (error) {
    throw new Unusable(`${address} does not answer: ${error.cause ? error.cause.message : error.message}`);
  }
  if (bytes.length > LONGEST_ANSWER) throw new Unusable(`${address} answers with more than ${LONGEST_ANSWER} bytes`);
  if (!answer.ok) {
    let detail = '';
    try { detail = JSON.parse(new TextDecoder().decode(bytes)).detail; } catch (error) { /* not JSON */ }
    throw new Unusable(`${address} answers ${answer.status}${detail ? `: ${detail}` : ''}`);
  }
  return bytes;
}

const bundleAddress = (base, round) => `${base.replace(/\/+$/, '')}/v1/rounds/${round}/bundle`;

/** The texts of the bundles on the command line. */
async function bundleTexts(words) {
  const sources = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i],
      round = /^[a-z0-9_-][a-z0-9._-]{0,63}:[0-9]+$/.test(words[i + 1] || '') ? words[i + 1] : null;
    if (isAddress(word)) {
      if (round) i++;
      if (!round && !/\/bundle$/.test(word))
        throw new Unusable('name the round after the address of a service, as in joy-1:0');
      sources.push([word, await fetchBytes(round ? bundleAddress(word, round) : word)]);
    } else sources.push([word, readFile(word)]);
  }
  if (!sources.length) throw new Unusable('name a bundle file, or an address and a round; --help says more');
  return sources.map(([name, bytes]) => ({ name, bytes }));
}

/** Bytes that an address serves and the log did not sign say nothing about the log: they give no verdict. */
function requireSignature(name, report) {
  const [first] = report.findings;
  if (isAddress(name) && first && ['key', 'checkpoint', 'inclusion'].includes(first.check))
    throw new Unusable(`${name}: this is not what the log signed: ${first.message} [${first.check}]`);
  return report;
}

const visible = report => { const { entries, shoes, hand, deck, ...rest } = report; return rest; };

function printReport(report, options) {
  console.log(
    options.json
      ? JSON.stringify(visible(report), (key, value) => (typeof value === 'bigint' ? String(value) : value), 2)
      : report.story.join('\n'),
  );
  return report.verdict === 'not_sound' ? 1 : 0;
}

/** The data against which `log` checks a log. */
function logOptions(options) {
  const path = require('path'), number = (name, factor) => {
    const value = options[name];
    if (value !== undefined && !/^[0-9]{1,15}$/.test(value)) throw new Unusable(`--${name} is a whole number`);
    return value === undefined ? undefined : Number(value) * factor;
  };
  const beside = name => name.replace(/\.tlog-proof$/, '.entry');
  const kept = (options.kept || []).map(name => ({
    name: path.basename(name),
    bytes: readFile(name),
    entry: beside(name) !== name && require('fs').existsSync(beside(name)) ? readFile(beside(name)) : null,
  }));
  const [policy, checkpoint] = ['policy', 'checkpoint'].map(name => (options[name] ? readFile(options[name]) : null));
  const now = number('now', 1),
    continues = (options.continues || []).map(name => readLog(name)),
    rivals = (options.rival || []).map(readRival);
  return {
    continues,
    rivals,
    key: options.key || null,
    policy,
    checkpoint,
    kept,
    earlier: options['earlier-key'] || [],
    skew: number('skew', 1000),
    delay: number('delay', 1000),
    now: now === undefined ? Date.now() : now,
  };
}

/** The commands `refund` and `prizes`: they print JSON. */
function runEventFile(compute, [file, ...rest], options) {
  if (!file || rest.length) throw new Unusable('name one file, or - for standard input');
  const path = require('path'), fs = require('fs');
  const folder = options.structures || path.join(__dirname, '..', '..', 'spec', 'structures');
  const shipped = name => {
    const at = path.join(folder, `${name}.json`);
    return isName(name) && fs.existsSync(at) ? JSON.parse(fs.readFileSync(at, 'utf8')) : null;
  };
  console.log(JSON.stringify(compute(readFile(file), shipped), null, 2));
  return 0;
}

const NODE_COMMANDS = {
  async bundle(words, options) {
    const sources = await bundleTexts(words);
    if (options.key) under('key', () => readLogKey(options.key));
    const many = sources.length > 1;
    let worst = 0;
    for (const { name, bytes } of sources) {
      let code;
      try {
        const report = verifyBundleBytes(bytes, options.key || null), [first] = report.findings;
        if (first && first.check === 'bundle_form') throw new Unusable(`${name} is no bundle: ${first.message}`);
        requireSignature(name, report);
        if (many)
          console.log(
            options.json
              ? JSON.stringify({ source: name, ...visible(report) })
              : `${name}: ${report.story[report.story.length - 1]}`,
          );
        else printReport(report, options);
        code = report.verdict === 'not_sound' ? 1 : 0;
      } catch (error) {
        if (!(error instanceof Unusable) || !many) throw error;
        console.log(
          options.json
            ? JSON.stringify({ source: name, verdict: 'unusable', message: error.message })
            : `${name}: ${error.message}`,
        );
        code = 2;
      }
      worst = Math.max(worst, code);
    }
    return worst;
  },

  async receipt([file, ...rest], options) {
    if (!file || rest.length) throw new Unusable('name one receipt file');
    return printReport(
      verifyReceipts(
        readFile(file),
        options.entry ? readFile(options.entry) : null,
        options.policy ? readFile(options.policy) : null,
        options.key || null,
      ),
      options,
    );
  },

  async checkpoint([source, ...rest], options) {
    if (!source || rest.length) throw new Unusable('name one checkpoint file or address');
    const address = /\/checkpoint$/.test(source) ? source : `${source.replace(/\/+$/, '')}/checkpoint`;
    const bytes = isAddress(source) ? await fetchBytes(address) : readFile(source);
    const report = verifyCheckpoint(bytes, options.policy ? readFile(options.policy) : null, options.key || null);
    return printReport(requireSignature(source, report), options);
  },

  async shoe(words, options) {
    if (options.seed) return printReport(verifyShoe({ ...options, shoe_no: options['shoe-no'] }), options);
    const wanted = words.length > 1 && !isAddress(words[0]) ? words.pop() : null;
    const [{ name, bytes }] = await bundleTexts(words),
      report = requireSignature(name, verifyBundleBytes(bytes, options.key || null));
    if (report.verdict === 'not_sound') return printReport(report, options);
    const shoes = report.shoes.filter(({ shoe, table }) => !wanted || wanted === `${table}:${shoe}`);
    if (!shoes.length)
      throw new Unusable('no seed of that shoe is in the bundle: it is not out yet, or the shoe is of another bundle');
    const story = shoes.map(
      ({ shoe, table, derived, composition }) =>
        `Shoe ${shoe} of ${table} (${composition.text}), root ${derived.root}: ` +
        `${derived.faces.map(face => (composition.wheel ? face : cardOf(face))).join(' ')}`,
    );
    return printReport({ ...report, story: [...story, report.story[report.story.length - 1]] }, options);
  },

  async log(files, options) {
    if (!files.length) throw new Unusable('name a file with the entries of a log, one a line, or a mirror\'s folder');
    const one = ['kept', 'checkpoint', 'continues', 'rival', 'from'];
    if (files.length > 1 && one.some(name => options[name] !== undefined))
      throw new Unusable('what is held against a log is of one: name one');
    const without = (name, ...others) => {
      const other = others.find(flag => options[flag] !== undefined);
      if (options[name] !== undefined && other) throw new Unusable(`--${name} and --${other} do not go together`);
    };
    without('from', 'continues', 'rival', 'ledger-only');
    without('ledger-only', 'kept', 'continues', 'rival');
    const against = logOptions(options);
    let worst = 0;
    for (const name of files) {
      let report;
      try {
        const from = options.from === undefined ? null : readGivenState(name, options.from),
          log = readLog(name, from ? from.size : 0);
        report = options['ledger-only'] ? verifyLedger(log, against) : verifyLog(log, { ...against, from });
      } catch (error) {
        if (!(error instanceof Unusable) || files.length === 1) throw error;
        report = { verdict: 'unusable', message: error.message, story: [error.message] };
      }
      if (files.length > 1)
        console.log(
          options.json
            ? JSON.stringify({ source: name, ...report })
            : `${name}: ${report.story[report.story.length - 1]}`,
        );
      else printReport(report, options);
      const isLeft = [report.open, report.due].some(list => list && list.length);
      const open = options['strict-end'] && (isLeft || report.verdict === 'sound_so_far');
      worst = Math.max(worst, report.verdict === 'unusable' ? 2 : report.verdict === 'not_sound' || open ? 1 : 0);
    }
    return worst;
  },

  async cluster(folders, options) {
    if (folders.length < 2) throw new Unusable("name the mirrors' folders of two logs or more");
    const single = ['policy', 'kept', 'earlier-key', 'checkpoint', 'continues', 'rival', 'from', 'ledger-only'];
    const other = single.find(name => options[name] !== undefined);
    if (other) throw new Unusable(`--${other} is for a log by itself`);
    const { now, skew, delay } = logOptions(options), keys = new Map();
    for (const text of options.keys || []) keys.set(under('key', () => readLogKey(text)).name, text);
    const logs = folders.map(name => {
      if (!isFolder(name)) throw new Unusable(`${name} is no mirror's folder`);
      const log = readLog(name), key = keys.get(originSigned(log)) || null;
      keys.delete(originSigned(log));
      return { name, log, against: { key, now, skew, delay } };
    });
    if (keys.size) throw new Unusable(`no folder is a mirror of ${[...keys.keys()].join(', ')}, whose key was named`);
    const report = verifyCluster(logs);
    return Math.max(printReport(report, options), options['strict-end'] && report.open ? 1 : 0);
  },

  async wallet([name, file, ...rest], options) {
    if (!file || rest.length) throw new Unusable("name one log and the wallet's statement of it");
    const other = ['from', 'ledger-only', 'strict-end'].find(flag => options[flag] !== undefined);
    if (other) throw new Unusable(`--${other} is for the command log`);
    const log = readLog(name), sound = verifyLog(log, logOptions(options));
    if (sound.verdict === 'not_sound') return printReport(sound, options);
    const report = reconcile(log.lines, strictText(readFile(file), file));
    const words = [`The log by itself: ${sound.story[sound.story.length - 1]}`, ...reconciledInWords(report)];
    console.log(options.json ? JSON.stringify(report, null, 2) : words.join('\n'));
    return ['differs', 'overdue'].includes(report.verdict) ? 1 : 0;
  },

  async evidence([file, ...rest], options) {
    if (!file || rest.length) throw new Unusable('name one evidence file');
    const report = verifyEvidence(readFile(file), options.key || null);
    printReport(report, options);
    return report.verdict === 'proven' ? 1 : 0;
  },

  async refund(words, options) { return runEventFile(cancelledFile, words, options); },
  async prizes(words, options) { return runEventFile(prizesFile, words, options); },

  async vectors([dir, ...rest], options) {
    if (!dir || rest.length) throw new Unusable('name the folder spec/vectors');
    const fs = require('fs'), path = require('path');
    const load = folder => {
      try {
        return Object.fromEntries(
          fs
            .readdirSync(folder)
            .filter(name => name.endsWith('.json'))
            .map(name => [name, JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))]),
        );
      } catch (error) {
        throw new Unusable(`cannot read ${folder}: ${error.message}`);
      }
    };
    const ruleSets = Object.fromEntries(
      Object.values(load(path.join(dir, '..', 'rulesets'))).map(rules => [rules.name, rules]),
    );
    const results = runVectors(load(dir), ruleSets),
      failed = Object.values(results).some(({ failed: list }) => list.length);
    if (options.json) console.log(JSON.stringify({ verdict: failed ? 'not_sound' : 'sound', files: results }, null, 2));
    else {
      for (const [name, { checks, failed: list }] of Object.entries(results))
        console.log(
          [
            `${name}: ${checks} checks, ${list.length ? `${list.length} FAILED` : 'all as they should be'}`,
            ...list.slice(0, 20),
          ].join('\n  '),
        );
    }
    return failed ? 1 : 0;
  },
};

/** Runs a command; returns the exit code. */
async function run(args) {
  try {
    const { options, words } = readArguments(args), [name, ...rest] = words;
    if (options.help || !name) { console.log(HELP); return options.help ? 0 : 2; }
    if (!Object.hasOwn(NODE_COMMANDS, name)) throw new Unusable(`there is no command ${name}; --help lists them`);
    return await NODE_COMMANDS[name](rest, options);
  } catch (error) {
    if (!(error instanceof Unusable) && !(error instanceof Unsound)) throw error;
    console.error(`fairshoe-verify: ${error.message}`);
    return 2;
  }
}

const main = args => { run(args).then(code => { process.exitCode = code; }); };

const api = {
  verifyAnything, verifyBundle, verifyBundleBytes, verifyReceipts, verifyCheckpoint, verifyShoe, verifyLog,
  verifyLedger, verifyCluster, verifyEvidence, verifyOwnCards, logOfText, readLog, statementText, statementNote,
  claimOf, handWords, storyOf, reconcile, reconciledInWords,
  runVectors, cancelledFile, prizesFile, eventRefund, Unusable, bundleAddress, main, run,
  roundInWords, verdictInWords, handsInWords, storyByRound, storyOutsideEntries, viewAtEnd, cardSign,
  // For a page that follows a table: spec/page.md, 4.
  Follower, verifyFollowed, replayOf, viewOf, tableOf, tilesFor, extends: extendsLog, readLogKey, placeWords,
  roundEntropy, openingsOfShoe,
  // For a page, and for tests of this verifier.
  House, Refusal, Unsound, copyOf, readEntry, houseOfState, signedText, serverCommitment, clientCommitment,
  publicShuffle, isCash,
  HOUSE_TIMES: { OVERDUE_GRACE_MS, SHOE_IDLE_MS, DAY_MS },
  games: GAMES, tilePath, readEntryBundle, hex, unhex, utf8, base64, hmac, label, u64, concat, sha256, treeRoot,
  leafHash, nodeHash, tableContext, rulesDigest, deriveShoe, readComposition, cardOf, codeOf, eventName, eventFields,
  clock,
};

return api;
})();
if (typeof module === 'object') {
  module.exports = fairshoe;
  if (require.main === module) fairshoe.main(process.argv.slice(2));
}

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

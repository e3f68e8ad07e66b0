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

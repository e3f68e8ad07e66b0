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

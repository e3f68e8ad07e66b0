// Signers from fixed secrets, and signed logs in a mirror's form.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const { verify, ORIGIN } = require('./dealer.js');
const { base64, leafHash, treeRoot, utf8 } = verify;

/** A signer from a fixed secret: `type` 1 is a log's, 4 a witness's. */
function signer(name, type, fill) {
  const secret = crypto.createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, fill)]),
    format: 'der',
    type: 'pkcs8',
  });
  const bytes = Buffer.concat([
    Buffer.from([type]),
    crypto.createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32),
  ]);
  const id = crypto.createHash('sha256').update(`${name}\n`).update(bytes).digest().subarray(0, 4);
  const line = signature => `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;
  return {
    vkey: `${name}+${id.toString('hex')}+${bytes.toString('base64')}`, key: bytes.subarray(1).toString('hex'),
    note: text => `${text}\n${line(crypto.sign(null, Buffer.from(text), secret))}`,
    cosigned(text, seconds) {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(BigInt(seconds));
      return line(
        Buffer.concat([time, crypto.sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`), secret)]),
      );
    },
    sign: text => crypto.sign(null, Buffer.from(text), secret).toString('hex'),
  };
}

const LOG = signer(ORIGIN, 1, 7), PLAYER = signer('alice', 1, 5);
const leavesOf = log => log.map(entry => leafHash(utf8(entry)));
const rootOf = log => base64(treeRoot(leavesOf(log)));
const originOf = log => JSON.parse(log[0]).command.start_dealer.origin;
/** The checkpoint over these entries, which this key signs. */
const checkpoint = (log, by = LOG, origin = originOf(log)) => by.note(`${origin}\n${log.length}\n${rootOf(log)}\n`);

/** The name under which most of the tests' logs go on. */
const NEXT = 'house.example/next';
/** The entry with which the house of a log ends it. */
function endOf(log, origin = NEXT, key = signer(NEXT, 1, 7).key, time = JSON.parse(log[log.length - 1]).time) {
  const ended = { origin, key };
  return JSON.stringify({ v: 1, time, by: 'house', command: { end_log: ended }, events: [{ log_ended: ended }] });
}

/** A log in a mirror's form: spec/log.md, "Tiles" and "Mirrors". */
function writeMirror(folder, log, note, key = LOG.vkey) {
  const put = (name, bytes) => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), bytes);
  };
  const chunks = list =>
    Array.from({ length: Math.ceil(list.length / 256) }, (_, i) => list.slice(256 * i, 256 * i + 256));
  chunks(log).forEach((entries, n) =>
    put(
      verify.tilePath('entries', n, entries.length),
      Buffer.concat(
        entries.flatMap(entry => [Buffer.from([entry.length >> 8, entry.length & 255]), Buffer.from(entry)]),
      ),
    ),
  );
  for (let level = 0, hashes = leavesOf(log); hashes.length; level++) {
    const tiles = chunks(hashes);
    tiles.forEach((tile, n) =>
      put(verify.tilePath(level, n, tile.length), Buffer.concat(tile.map(hash64 => Buffer.from(hash64)))),
    );
    hashes = tiles.filter(tile => tile.length === 256).map(treeRoot);
  }
  put('log.vkey', `${key}\n`);
  put('checkpoint', note);
}

module.exports = { LOG, PLAYER, signer, leavesOf, rootOf, originOf, checkpoint, NEXT, endOf, writeMirror };

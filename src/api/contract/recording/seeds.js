// What a client makes by itself: commitments to seeds (spec/fairness.md, spec/games/tournaments.md) and signatures of
// commands (spec/entries.md). Seeds and keys are the same at each recording: only what the service chooses changes.
'use strict';
const crypto = require('crypto');

const sha256 = (...parts) => crypto.createHash('sha256').update(Buffer.concat(parts.map(one => Buffer.from(one))));

/** A number in so many bytes, the highest first. */
function number(value, bytes) {
  const made = Buffer.alloc(8);
  made.writeBigUInt64BE(BigInt(value));
  return made.subarray(8 - bytes);
}

const withLength = text => Buffer.concat([number(Buffer.byteLength(text), 2), Buffer.from(text)]);
const label = name => Buffer.from(`fairshoe/v1/${name}\0`);
const context = ({ origin, epoch }, name) =>
  Buffer.concat([withLength(origin), withLength(name), Buffer.from(epoch, 'hex')]);

/** The seed of a player for a round of a table, or for a draw of seats: nobody plays for anything here. */
const seed = (player, where, count) => sha256(`the seed of ${player} at ${where} for ${count}`).digest('hex');

/** The commitment to that seed, or to another one, for a round; `view` is the table as the service shows it. */
const commitment = (view, roundNo, player, to = seed(player, view.table, roundNo)) =>
  sha256(label('client-seed'), context(view, view.table), number(roundNo, 8), withLength(player),
    Buffer.from(to, 'hex')).digest('hex');

/** The same for a draw of seats; `view` is the tournament as the service shows it. */
function seatCommitment(view, use, player) {
  const name = view.summary.tournament;
  return sha256(label('seat-seed'), context(view, name), number(use, 2), withLength(player),
    Buffer.from(seed(player, name, use), 'hex')).digest('hex');
}

// What stands before the 32 bytes of an Ed25519 key in PKCS #8.
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A player's key, which is made of their name. */
class Pen {
  constructor(player) {
    this.player = player;
    const secret = sha256(`the key of ${player}`).digest();
    this.secret = crypto.createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });
    const raw = crypto.createPublicKey(this.secret).export({ format: 'der', type: 'spki' }).subarray(-32);
    this.key = raw.toString('hex');
  }

  /** The header for a command, which is as its entry will have it. */
  sign(origin, nonce, command) {
    const text = `fairshoe/v1/signed-command\n${origin}\nplayer:${this.player}\n${nonce}\n${JSON.stringify(command)}\n`;
    return `nonce=${nonce}, sig=${crypto.sign(null, Buffer.from(text), this.secret).toString('hex')}`;
  }
}

module.exports = { seed, commitment, seatCommitment, Pen };

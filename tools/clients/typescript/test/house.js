// A house of few entries that signs whatever a test wants: what only a house that lies under its own key can show.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { fake } from './harness.js';

const hash = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const leaf = text => hash(Buffer.of(0), Buffer.from(text));
const split = length => 2 ** (Math.ceil(Math.log2(length)) - 1);

function root(leaves) {
  if (leaves.length <= 1) return leaves[0] ?? hash(Buffer.alloc(0));
  const at = split(leaves.length);
  return hash(Buffer.of(1), root(leaves.slice(0, at)), root(leaves.slice(at)));
}

function pathTo(index, leaves) {
  if (leaves.length <= 1) return [];
  const at = split(leaves.length);
  const [left, right] = [leaves.slice(0, at), leaves.slice(at)];
  return index < at ? [...pathTo(index, left), root(right)] : [...pathTo(index - at, right), root(left)];
}

/** A log with a key of its own. */
export class House {
  constructor(name = 'lying.example/log') {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const shown = Buffer.concat([
      Buffer.of(1),
      publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
    ]);
    this.id = hash(Buffer.from(`${name}\n`), shown).subarray(0, 4);
    this.key = `${name}+${this.id.toString('hex')}+${shown.toString('base64')}`;
    Object.assign(this, { name, privateKey, entries: [] });
    this.append('house', { start_dealer: {} });
  }

  /** Puts a command on the log; the entry's index. */
  append(by, command, { at, events = [] } = {}) {
    const entry = { v: 1, time: 1_800_000_000_000 + this.entries.length, by, ...(at ? { at } : {}), command, events };
    return this.entries.push(JSON.stringify(entry)) - 1;
  }

  get #leaves() {
    return this.entries.map(leaf);
  }

  checkpoint(size = this.entries.length) {
    return this.sign(`${this.name}\n${size}\n${root(this.#leaves.slice(0, size)).toString('base64')}\n`);
  }

  /** The tile of the first entries, of which such a house has 256 at most. */
  tile(size) {
    return Buffer.concat(this.#leaves.slice(0, size));
  }

  /** A signed note of these lines: of what was received, or of a refusal. */
  note(kind, ...lines) {
    return this.sign([`fairshoe ${kind}/v1`, this.name, ...lines, ''].join('\n'));
  }

  sign(body) {
    const signature = Buffer.concat([this.id, sign(null, Buffer.from(body), this.privateKey)]);
    return `${body}\n— ${this.name} ${signature.toString('base64')}\n`;
  }

  proof(index, size) {
    return pathTo(index, this.#leaves.slice(0, size)).map(one => one.toString('base64'));
  }

  /** The receipt of an entry under the checkpoint of the first `size` entries; by default of all. */
  receipt(index, size) {
    const lines = ['c2sp.org/tlog-proof@v1', `index ${index}`, ...this.proof(index, size), '', this.checkpoint(size)];
    return { index, entry: this.entries[index], proof: lines.join('\n') };
  }

  /** A server over it: what `answers` leaves open is the log itself. */
  serve(answers) {
    return fake((request, count) => {
      const told = answers(request, count);
      if (told !== undefined) return told;
      const text = { 'content-type': 'text/plain' },
        [, level, size] = /^\/tile\/(\d+)\/000\.p\/(\d+)$/.exec(request.url) ?? [];
      if (request.url === '/checkpoint') return { headers: text, body: this.checkpoint() };
      if (level === '0')
        return {
          headers: { 'content-type': 'application/octet-stream' },
          body: this.tile(Number(size)),
        };
      return { status: 404, body: { code: 'not_found' } };
    });
  }
}

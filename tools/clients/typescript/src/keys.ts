// A player's own Ed25519 key (spec/entries.md, "Signed commands"): made here, kept in the client's store, and saved to
// a file and brought back from one. Its secret half is shown to nobody but the player.
import { InvalidInput } from './errors.js';
import { readJson } from './json.js';
import { freshSeed } from './random.js';
import type { Signer } from './sign.js';
import type { Store } from './store.js';

/** Both halves of a key, in hexadecimal digits. */
export interface PlayerKey {
  key: string;
  secret: string;
}

/**
 * How a player's commands go out. `signs`: with the key in force, which is here. `none`: they have no key, and none is
 * made: nothing keeps one, or the platform knows no Ed25519. `elsewhere`: the key in force is not here, and every
 * command is refused with `signature_missing`, and not sent, until it is.
 */
export interface KeyState {
  state: 'signs' | 'none' | 'elsewhere';
  /** The key in force. */
  key: string | null;
  /** Since when the operator's change of it is in force, in milliseconds; null: none waits. */
  waitsUntil: number | null;
  /** Whether the key of that change is here. */
  isNextHere: boolean;
}

const HEX = /^[0-9a-f]{64}$/;
/** A file of a key is not a tenth as long. */
const MOST_FILE = 4096;

const toBase64Url = (hex: string): string =>
  btoa(String.fromCharCode(...(hex.match(/../g) ?? []).map(byte => parseInt(byte, 16))))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '');

const toHex = (base64Url: string): string =>
  [...atob(base64Url.replace(/-/g, '+').replace(/_/g, '/'))]
    .map(one => one.charCodeAt(0).toString(16).padStart(2, '0'))
    .join('');

/** A new key; null where the platform makes none: an old browser, or a page that did not come over `https`. */
export async function freshPlayerKey(): Promise<PlayerKey | null> {
  try {
    const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
    const { d, x } = await crypto.subtle.exportKey('jwk', pair.privateKey);
    return { key: toHex(x ?? ''), secret: toHex(d ?? '') };
  } catch {
    return null;
  }
}

/** What signs with this key; null where its halves are not of one key, or the platform knows no such keys. */
export async function signerOfKey({ key, secret }: PlayerKey): Promise<Signer | null> {
  try {
    const shown = { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(key) };
    const pen = await crypto.subtle.importKey('jwk', { ...shown, d: toBase64Url(secret) }, 'Ed25519', false, ['sign']);
    const signer: Signer = async message =>
      new Uint8Array(await crypto.subtle.sign('Ed25519', pen, message as BufferSource));
    // Not every platform compares the halves. *Attack: a file with another's public half, so that each signature of it
    // tells of the secret one.*
    const eye = await crypto.subtle.importKey('jwk', shown, 'Ed25519', false, ['verify']);
    const probe = new TextEncoder().encode(`fairshoe/v1/key-probe\n${freshSeed()}\n`);
    const tried = (await signer(probe)) as BufferSource;
    return (await crypto.subtle.verify('Ed25519', eye, tried, probe)) ? signer : null;
  } catch {
    return null;
  }
}

const MARK = 'pen of ';

/** The keys of one player of one log in a store. One that may have been named stays: it may be the one in force. */
export class PlayerKeys {
  readonly #store: Store;
  readonly #origin: string;
  readonly #player: string;

  constructor(store: Store, origin: string, player: string) {
    this.#store = store;
    this.#origin = origin;
    this.#player = player;
  }

  /** Each under its own name: two tabs that make one at once lose none. */
  get #prefix(): string {
    return `${MARK}${this.#origin} ${this.#player} `;
  }

  async all(): Promise<string[]> {
    const names = [...(await this.#store.names())].filter(name => name.startsWith(this.#prefix));
    return names.map(name => name.slice(this.#prefix.length)).filter(key => HEX.test(key)).sort();
  }

  /** Also of a log before this one: under a new name a log goes on with its players' keys (spec/recovery.md). */
  async find(key: string): Promise<PlayerKey | null> {
    const end = ` ${this.#player} ${key}`,
      names = [...(await this.#store.names())].filter(name => name.startsWith(MARK) && name.endsWith(end));
    const secret = names[0] === undefined ? null : await this.#store.get(names[0]);
    return secret === null || !HEX.test(secret) ? null : { key, secret };
  }

  async keep({ key, secret }: PlayerKey): Promise<void> {
    await this.#store.set(this.#prefix + key, secret);
  }

  async forget(): Promise<void> {
    for (const key of await this.all()) await this.#store.delete(this.#prefix + key);
  }

  /** The text of a file that holds the key, for `read` of another store, of this client or the Python one. */
  write({ key, secret }: PlayerKey): string {
    const held = { fairshoe_player_key: 1, log: this.#origin, player: this.#player, key, secret };
    return `${JSON.stringify(held, null, 2)}\n`;
  }

  /** The key of such a file, which has to be this player's, and of this log where it is none of these. */
  read(text: string, known: readonly unknown[]): PlayerKey {
    const { fairshoe_player_key: form, log, player, key, secret } = fieldsOf(text);
    if (form !== 1) throw new InvalidInput('this is no file of a key');
    if ((log !== this.#origin && !known.includes(key)) || player !== this.#player)
      throw new InvalidInput(`the file is of ${String(player)} at ${String(log)}, not of ${this.#player} here`);
    if (typeof key !== 'string' || typeof secret !== 'string' || !HEX.test(key) || !HEX.test(secret))
      throw new InvalidInput('the file is damaged: its key is none');
    return { key, secret };
  }
}

function fieldsOf(text: string): Record<string, unknown> {
  if (text.length > MOST_FILE) throw new InvalidInput('this is no file of a key: it is too long');
  try {
    const value = readJson(text);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    throw new InvalidInput('this is no file of a key');
  }
}

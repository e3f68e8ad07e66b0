// The log as this client knows it (spec/receipts.md, "Verifying" and "Keeping a checkpoint"): one key, and the newest
// checkpoint of one history. Whatever is signed otherwise, or is of another history, is a failed check.
import verifier, { type Finding } from './fairshoe-verify.js';
import { asBadReply, BadReply, CheckFailed, type Evidence, InvalidInput, ProblemError, Unproven } from './errors.js';
import { sleep } from './http.js';
import type { LogInfo, Receipt } from './generated/contract.js';
import type { Store } from './store.js';

/**
 * How the log's key came to be trusted. `given`: by whoever made the client. `pinned`: an earlier use took it from the
 * service. `pinned_now`: this one did; nobody vouched for it.
 */
export type KeyTrust = 'given' | 'pinned' | 'pinned_now';

export interface LogSource {
  /** The addresses that the key is pinned for. */
  addresses: readonly string[];
  info(signal?: AbortSignal): Promise<LogInfo>;
  tile(path: string, signal?: AbortSignal): Promise<Uint8Array>;
}

const PIN = 'key of ';
const CHECKPOINT = 'checkpoint of ';
/** A node that follows may be behind the one that was asked before, for a moment. */
const TILE_PAUSES_MS = [100, 200, 400, 0];
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A signed checkpoint's size, as its second line says. */
export const sizeOf = (checkpoint: string): bigint => {
  const [, size = ''] = checkpoint.split('\n');
  if (!/^(0|[1-9][0-9]*)$/.test(size)) throw new CheckFailed({ check: 'checkpoint', message: 'it has no size' });
  return BigInt(size);
};

const hasProof = (one: Receipt): one is Required<Receipt> => typeof one?.proof === 'string';

/** The signed checkpoint that a receipt's proof ends with. */
export const checkpointIn = (proof: string): string => proof.slice(proof.indexOf('\n\n') + 2);

/** Runs a function of the verifier; what does not hold is a `CheckFailed`. */
export function checking<T>(action: () => T, evidence: Evidence | null = null): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof verifier.Unusable) throw new BadReply(`the answer cannot be judged: ${error.message}`);
    if (!(error instanceof verifier.Unsound)) throw asBadReply(error);
    const { check, message, entry, table, evidence: own } = error;
    const shown = own === undefined ? evidence : { name: `${check}.json`, text: own };
    throw new CheckFailed({ check: check ?? 'inclusion', message, entry, table }, shown);
  }
}

/** Throws the first finding of a report that is not sound. */
export function holdReport(report: { verdict: string; findings: Finding[] }, evidence: Evidence | null = null): void {
  if (report.verdict !== 'not_sound') return;
  const [first] = report.findings;
  throw new CheckFailed(first ?? { check: 'unknown', message: 'the verifier names no finding' }, evidence);
}

export class KnownLog {
  readonly #store: Store;
  readonly #source: LogSource;
  #vkey: string | null = null;
  #trust: KeyTrust | null = null;
  #checkpoint: string | null = null;
  #ready: Promise<void> | null = null;
  /** Checks of one history against the next go one after the other: each begins at what the one before kept. */
  #extending: Promise<unknown> = Promise.resolve();
  #failure: CheckFailed | null = null;
  readonly #given: string | null;
  /** Checkpoints whose signature holds, out of the last receipts. */
  #signed: ReadonlySet<string> = new Set();

  constructor(source: LogSource, store: Store, given: string | null) {
    this.#source = source;
    this.#store = store;
    this.#given = given;
    if (given !== null) {
      try {
        verifier.readLogKey(given);
      } catch (error) {
        throw new InvalidInput(`the log's key cannot be used: ${(error as Error).message}`);
      }
    }
  }

  /** The first check that failed, after which nothing is sent that would bind the player; or null. */
  get failure(): CheckFailed | null {
    return this.#failure;
  }
  /** The log's verifier key, once it is known. */
  get vkey(): string | null {
    return this.#vkey;
  }
  get trust(): KeyTrust | null {
    return this.#trust;
  }
  /** The newest signed checkpoint that was verified; keep it, and compare it with what others saw. */
  get checkpoint(): string | null {
    return this.#checkpoint;
  }

  /** Remembers the first failed check; it is what is thrown from then on. */
  fail(error: unknown): never {
    if (!(error instanceof CheckFailed)) throw error;
    throw (this.#failure ??= error);
  }

  /** Knows the key, and takes up the checkpoint that was kept. */
  async ready(signal?: AbortSignal): Promise<string> {
    const asked = (this.#ready ??= this.#begin(signal));
    try {
      await asked;
    } catch (error) {
      if (this.#ready === asked) this.#ready = null;
      return this.fail(error);
    }
    return this.#vkey as string;
  }

  async #begin(signal: AbortSignal | undefined): Promise<void> {
    const pins = await Promise.all(this.#source.addresses.map(address => this.#store.get(PIN + address)));
    const pinned = [...new Set([...pins, this.#given].filter(pin => pin !== null))];
    if (pinned.length > 1)
      throw new CheckFailed({ check: 'key', message: `the log's key was pinned as ${pinned.join(', and as ')}` });
    let [vkey] = pinned;
    this.#trust = this.#given !== null ? 'given' : 'pinned';
    if (vkey === undefined) {
      const info = await this.#source.info(signal);
      if (typeof info?.vkey !== 'string' || typeof info.checkpoint !== 'string')
        throw new BadReply('the service names no key of its log');
      this.#hold(info.checkpoint, info.vkey);
      vkey = info.vkey;
      this.#trust = 'pinned_now';
    }
    for (const address of this.#source.addresses) await this.#store.set(PIN + address, vkey);
    const kept = await this.#store.get(CHECKPOINT + vkey);
    if (kept !== null) this.#hold(kept, vkey);
    this.#checkpoint = kept;
    this.#vkey = vkey;
  }

  /** The signature of a checkpoint. */
  #hold(text: string, vkey: string): void {
    if (this.#signed.has(text)) return;
    const evidence = { name: 'checkpoint', text };
    checking(() => holdReport(verifier.verifyCheckpoint(bytesOf(text), null, vkey), evidence), evidence);
  }

  /** What the service says of its log: the same key, and a checkpoint of the one history. */
  async holdInfo(info: LogInfo, signal?: AbortSignal): Promise<void> {
    const vkey = await this.ready(signal);
    if (info.vkey !== vkey)
      this.fail(
        new CheckFailed(
          { check: 'key', message: `the service names the key ${info.vkey}; known is ${vkey}` },
          { name: 'checkpoint', text: info.checkpoint },
        ),
      );
    if (info.origin !== verifier.readLogKey(vkey).name)
      this.fail(new CheckFailed({ check: 'origin', message: `the service names the log ${info.origin}` }));
    await this.hold(info.checkpoint, signal);
  }

  /**
   * Holds a signed checkpoint against the one that is kept, by tiles, and keeps the newer one. *Attack: a log that goes
   * back, or one that was made for this reader.* Where tiles do not come nothing is kept, and nothing has failed.
   */
  async hold(text: string, signal?: AbortSignal): Promise<void> {
    const vkey = await this.ready(signal);
    if (typeof text !== 'string') throw new BadReply('the answer has no checkpoint');
    const step = this.#extending.then(() => this.#extend(text, vkey, signal));
    this.#extending = step.catch(() => undefined);
    await step.catch((error: unknown) => this.fail(error));
  }

  async #extend(text: string, vkey: string, signal: AbortSignal | undefined): Promise<void> {
    const before = this.#checkpoint;
    if (text === before) return;
    this.#hold(text, vkey);
    let newest = text;
    if (before !== null) {
      const [a, b] = [sizeOf(before), sizeOf(text)];
      const [older, newer] = a <= b ? [before, text] : [text, before];
      const paths = verifier.tilesFor(a < b ? a : b, a < b ? b : a);
      const fetched = paths.map(async path => [path, await this.#tile(path, [older, newer], signal)] as const);
      const tiles = Object.fromEntries(await Promise.all(fetched));
      checking(() => verifier.extends(older, newer, tiles, vkey));
      newest = newer;
    }
    if (newest !== before) await this.#keep(newest, vkey);
    this.#checkpoint = newest;
  }

  /** Another client of the same store, in another tab, may have kept a newer one meanwhile: that stays. */
  async #keep(newest: string, vkey: string): Promise<void> {
    const kept = await this.#store.get(CHECKPOINT + vkey);
    if (kept === null || sizeOf(kept) < sizeOf(newest)) await this.#store.set(CHECKPOINT + vkey, newest);
  }

  async #tile(path: string, checkpoints: readonly [string, string], signal?: AbortSignal): Promise<Uint8Array> {
    for (const pause of TILE_PAUSES_MS) {
      try {
        return await this.#source.tile(path, signal);
      } catch (error) {
        if (!(error instanceof ProblemError) || error.status !== 404) throw error;
        await sleep(pause, signal);
      }
    }
    throw new Unproven(checkpoints, path);
  }

  /**
   * Receipts: the log signed a tree that holds these very entries, and that tree is of the one history. The entries,
   * as they were written.
   */
  async receipts(receipts: Receipt[], signal?: AbortSignal): Promise<void> {
    const vkey = await this.ready(signal),
      text = JSON.stringify({ receipts });
    if (!receipts.every(hasProof)) throw new BadReply('a receipt has no proof');
    const evidence = { name: 'receipts.json', text };
    try {
      checking(() => holdReport(verifier.verifyReceipts(bytesOf(text), null, null, vkey), evidence), evidence);
    } catch (error) {
      this.fail(error);
    }
    const notes = new Set(receipts.map(({ proof }) => checkpointIn(proof)));
    // Their signatures were looked at with the receipts.
    this.#signed = notes;
    for (const note of notes) await this.hold(note, signal);
  }

  /** A note of the house, of what it received or refused: whether its key signed it, for this log. */
  async isHouseNote(note: string, signal?: AbortSignal): Promise<boolean> {
    const key = await this.ready(signal);
    try {
      verifier.verifyLog(
        { lines: [], leaves: [] },
        { key, kept: [{ name: 'note', bytes: bytesOf(note), entry: null }] },
      );
      return true;
    } catch (error) {
      if (error instanceof verifier.Unusable) return false;
      throw error;
    }
  }
}

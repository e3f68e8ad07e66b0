// Entries that came without their proofs, which were asked for later (spec/receipts.md, "Proofs that come later"):
// until one is proven it is the service's word, and nothing that it signed.
import { BadReply, CheckFailed, InvalidInput } from './errors.js';
import type { CallArgs } from './http.js';
import type { OperationId } from './generated/operations.js';
import type { Receipt } from './generated/contract.js';

/** An entry of a reply as it came, whose proof is still owed. */
export interface OwedEntry {
  index: number;
  entry: string;
  /** The round that was asked about; of a seat's seed, the event. */
  round: string;
}

/** So many entries are owed at most: past them the client asks with proofs again. */
export const MOST_OWED = 4096;
/** Calls of a client with `proofs: 'later'` that ask for their proofs later by themselves. */
const BY_ITSELF: ReadonlySet<OperationId> = new Set<OperationId>(['revealSeed', 'act']);

/** The table of a round; an event has none. */
export const tableOf = (round: string): string => round.slice(0, Math.max(round.lastIndexOf(':'), 0));

/** The round that a call is about, or the event. */
export const roundIn = ({ id, tournament, table, round_no: roundNo }: CallArgs): string =>
  String(id ?? tournament ?? `${String(table)}:${String(roundNo)}`);

/** Whether the receipts of a call may come without their proofs. */
export const asksLater = ({ query }: CallArgs): boolean =>
  (query as { proofs?: unknown } | undefined)?.proofs === 'later';

export class Owed {
  readonly #entries = new Map<number, OwedEntry>();

  list(): OwedEntry[] {
    return [...this.#entries.values()];
  }

  /** The arguments of a call with `proofs=later` where it is to ask so: `isWanted` by the client's own option. */
  ask(id: OperationId, args: CallArgs, isWanted: boolean): CallArgs {
    const isAsked = asksLater(args);
    // *Attack: a house that could still choose its shoe when it knows the seed.*
    if (isAsked && id === 'placeBet')
      throw new InvalidInput('the proofs of a bet are not asked for later: they are held before its seed is revealed');
    if (!isAsked && !(isWanted && BY_ITSELF.has(id))) return args;
    const { proofs: _, ...others } = (args.query ?? {}) as Record<string, unknown>;
    return { ...args, query: this.#entries.size < MOST_OWED ? { ...others, proofs: 'later' } : others };
  }

  /**
   * Keeps the entry of a receipt that came without a proof, where that was asked for. False where as many are owed as
   * may be (calls that went out at once, or a second receipt): then it is not kept, and is to be proven at once.
   */
  add({ index, entry }: Receipt, round: string): boolean {
    if (!Number.isSafeInteger(index) || index < 0 || typeof entry !== 'string')
      throw new BadReply('a receipt without a proof has no index and entry');
    const before = this.#entries.get(index);
    if (before && before.entry !== entry) fail(before, entry, 'the service told two entries at this place');
    if (!before && this.#entries.size >= MOST_OWED) return false;
    this.#entries.set(index, { index, entry, round });
    return true;
  }

  /**
   * An entry that is proven to be on the log: one that was owed there has to be the same, and is owed no more. What
   * differs stays: these bytes are all that there is of the lie.
   */
  settle({ index, entry }: { index: number; entry: string }): void {
    const owed = this.#entries.get(index);
    if (!owed) return;
    if (owed.entry !== entry) fail(owed, entry, 'the log has another entry than the one that the service told');
    this.#entries.delete(index);
  }
}

function fail({ index, entry }: OwedEntry, other: string, message: string): never {
  const text = JSON.stringify({ index, told: entry, other });
  throw new CheckFailed({ check: 'receipt', entry: index, message }, { name: 'told.json', text });
}

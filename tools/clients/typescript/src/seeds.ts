// Client seeds (spec/fairness.md, "Client seed"): made here, kept before their commitment is told to anybody, and kept
// until the round is over.
import verifier from './fairshoe-verify.js';
import { InvalidInput } from './errors.js';
import { isSame } from './json.js';
import { freshSeed } from './random.js';
import type { Bet } from './generated/contract.js';
import type { Store } from './store.js';

/** What a commitment is bound to. */
export interface SeedPlace {
  origin: string;
  table: string;
  epoch: string;
  roundNo: number;
  player: string;
}

export interface KeptSeed {
  /** 64 hexadecimal digits. A secret until it is revealed. */
  seed: string;
  commitment: string;
  /**
   * What was asked for with it, and may stand: only one of these may bind. Several, where a request for other bets was
   * refused or its answer lost. Of a hand of poker or a new pile none.
   */
  bets: Bet[][];
  /** UTC milliseconds. */
  madeAt: number;
}

const PREFIX = 'seed ';
/** Seeds of rounds whose end was never seen are forgotten after this. */
const KEPT_MS = 7 * 86_400_000;
const NAME = /^[a-z0-9_-][a-z0-9._-]{0,63}$/;

/** The commitment to a seed, which is all that is shown of it before the bets are closed. */
export function commitmentTo(seed: string, { origin, table, epoch, roundNo, player }: SeedPlace): string {
  const bytes = verifier.unhex(seed, 32);
  if (!bytes) throw new InvalidInput('a seed is 64 lower-case hexadecimal digits');
  if (!verifier.unhex(epoch, 32)) throw new InvalidInput('an epoch is 64 lower-case hexadecimal digits');
  if (!NAME.test(table) || !NAME.test(player)) throw new InvalidInput('that is no name of a table or a player');
  if (!Number.isSafeInteger(roundNo) || roundNo < 0) throw new InvalidInput(`${roundNo} is no round's number`);
  return verifier.clientCommitment(verifier.tableContext(origin, table, epoch), roundNo, player, bytes);
}

const nameOf = ({ origin, table, epoch, roundNo, player }: SeedPlace): string =>
  `${PREFIX}${origin} ${table} ${epoch} ${roundNo} ${player}`;

/** Whether these are the same bets, in whatever order. */
export function isSameBets(one: Bet[], other: Bet[]): boolean {
  const plain = (bets: Bet[]): string[] => bets.map(({ spot, stake }) => `${spot} ${stake}`).sort();
  return isSame(plain(one), plain(other));
}

/** What is done with one store goes one after the other: two bets at once have one seed. */
const queues = new WeakMap<Store, Promise<unknown>>();

export class Seeds {
  readonly #store: Store;
  #cleaned: Promise<void> | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = (queues.get(this.#store) ?? Promise.resolve()).then(action);
    queues.set(
      this.#store,
      done.catch(() => undefined),
    );
    return done;
  }

  /**
   * The seed for a round: the one that is kept, else `chosen`, which the player made by themselves, else a fresh one.
   * It is in the store when this is over, so that its commitment may be sent. One place has one seed: *a second one
   * shown for the same round would tell the house what the first commitment does not bind.*
   */
  async prepare(place: SeedPlace, bets: Bet[] | null, chosen: string | null = null): Promise<KeptSeed> {
    await (this.#cleaned ??= this.forgetOld(Date.now() - KEPT_MS));
    return this.#inTurn(async () => {
      const name = nameOf(place),
        before = await this.#read(name);
      const seed = before?.seed ?? chosen ?? freshSeed(),
        asked = before?.bets ?? [];
      const isNew = bets !== null && !asked.some(one => isSameBets(one, bets));
      const kept = {
        seed,
        commitment: commitmentTo(seed, place),
        bets: isNew ? [...asked, bets] : asked,
        madeAt: before?.madeAt ?? Date.now(),
      };
      await this.#store.set(name, JSON.stringify(kept));
      return kept;
    });
  }

  /** The log has these bets in place of those before them: only they may bind from now on. */
  async stands(place: SeedPlace, bets: Bet[]): Promise<void> {
    await this.#inTurn(() => this.#setBets(nameOf(place), [bets]));
  }

  /** The log has it that the bets of this round are taken back: none may bind. */
  async takenBack(origin: string, table: string, roundNo: number, player: string): Promise<void> {
    await this.#inTurn(async () => {
      for (const name of await this.#namesOf(origin, table, roundNo, player)) await this.#setBets(name, []);
    });
  }

  async #setBets(name: string, bets: Bet[][]): Promise<void> {
    const kept = await this.#read(name);
    if (kept) await this.#store.set(name, JSON.stringify({ ...kept, bets }));
  }

  async #namesOf(origin: string, table: string, roundNo: number, player: string): Promise<string[]> {
    return [...(await this.#store.names())].filter(
      name => name.startsWith(`${PREFIX}${origin} ${table} `) && name.endsWith(` ${roundNo} ${player}`),
    );
  }

  /** The seed that was kept under this commitment, whatever the epoch; or null. */
  async find(
    origin: string,
    table: string,
    roundNo: number,
    player: string,
    commitment: string,
  ): Promise<KeptSeed | null> {
    for (const name of await this.#namesOf(origin, table, roundNo, player)) {
      const kept = await this.#read(name);
      if (kept?.commitment === commitment) return kept;
    }
    return null;
  }

  /** Forgets the seeds of this table's rounds up to this one: they are over. */
  async forget(origin: string, table: string, player: string, upTo: number): Promise<void> {
    for (const name of await this.#store.names()) {
      if (!name.startsWith(`${PREFIX}${origin} ${table} `)) continue;
      const [, , , , roundNo, whose] = name.split(' ');
      if (whose === player && Number(roundNo) <= upTo) await this.#store.delete(name);
    }
  }

  /** Forgets those that were made before this time. */
  async forgetOld(before: number): Promise<void> {
    for (const name of await this.#store.names()) {
      if (!name.startsWith(PREFIX)) continue;
      const kept = await this.#read(name);
      if (!kept || kept.madeAt < before) await this.#store.delete(name);
    }
  }

  async #read(name: string): Promise<KeptSeed | null> {
    const text = await this.#store.get(name);
    return text === null ? null : (JSON.parse(text) as KeptSeed);
  }
}

// Tournaments (spec/games/tournaments.md, 3): a seed for each draw of this player's seat, kept before its commitment is
// sent, and revealed when the draw awaits it. Hands are played at the table that the draw gives, as at a cash table.
import verifier from './fairshoe-verify.js';
import { readEntry } from './asked.js';
import type { Client } from './client.js';
import { FairshoeError, InvalidInput, ProblemError, SeedLost } from './errors.js';
import { sleep } from './http.js';
import { freshSeed } from './seeds.js';
import type { Accepted, Pay, TournamentView } from './generated/contract.js';
import type { Store } from './store.js';

const PREFIX = 'seat-seed ';
/** Somebody else, or the clock, was faster. */
const RACES = new Set(['already_revealed', 'wrong_draw', 'not_an_entrant', 'deadline_passed']);
const OVER = new Set(['ended', 'cancelled']);
const NEWS_MS = 10_000;
/** A draw whose reveal lost a race is looked at again after this. */
const AGAIN_MS = 200;

const u16 = (value: number): Uint8Array => Uint8Array.of(value >> 8, value & 255);

/** The commitment to a seed for a seat: number `use` of this player in this event. */
export function seatCommitmentTo(
  seed: string,
  { origin, event, epoch, use, player }: { origin: string; event: string; epoch: string; use: number; player: string },
): string {
  const bytes = verifier.unhex(seed, 32),
    name = new TextEncoder().encode(player);
  if (!bytes) throw new InvalidInput('a seed is 64 lower-case hexadecimal digits');
  if (!Number.isInteger(use) || use < 0 || use > 65535) throw new InvalidInput(`${use} is no commitment's number`);
  const context = verifier.tableContext(origin, event, epoch);
  const said = [verifier.label('seat-seed'), context, u16(use), u16(name.length), name, bytes];
  return verifier.hex(verifier.sha256(verifier.concat(...said)));
}

export class Tournament {
  readonly name: string;
  readonly client: Client;
  readonly #store: Store;
  /** What commitments are bound to, out of the proven entry that created the event. */
  #bound: { origin: string; epoch: string } | null = null;

  constructor(client: Client, name: string, store: Store) {
    this.client = client;
    this.name = name;
    this.#store = store;
  }

  /** The event as the service shows it. */
  view(signal?: AbortSignal): Promise<TournamentView> {
    return this.client.getTournament({ tournament: this.name }, { signal });
  }

  /**
   * The epoch of the event, out of its first entry with its proof. *Attack: a view that names another one, so that no
   * seed opens its commitment.*
   */
  async #context(signal?: AbortSignal): Promise<{ origin: string; epoch: string }> {
    if (this.#bound) return this.#bound;
    const query = { from_seq: 0, limit: 1, proofs: true };
    const { entries } = await this.client.listTournamentEntries({ tournament: this.name, query }, { signal });
    const [first] = entries;
    if (!first?.proof) throw new FairshoeError(`the beginning of ${this.name} is not shown with its proof`);
    const { at, events } = readEntry(first.entry);
    const made = events
      .map(one => (one['tournament'] as { created?: { epoch: string } } | undefined)?.created)
      .find(Boolean);
    if (!made || at?.seq !== 0 || !Object.values(at).includes(this.name))
      this.client.fail({ check: 'tournament', entry: first.index, message: `the entry does not create ${this.name}` });
    const origin = verifier.readLogKey(await this.client.ready(signal)).name;
    return (this.#bound = { origin, epoch: made?.epoch ?? '' });
  }

  get #me(): string {
    const { player } = this.client;
    if (player === null) throw new InvalidInput('nobody plays: join as a guest or sign in first');
    return player;
  }

  /** Keeps a seed for this number, the one that is kept already or a fresh one; its commitment. */
  async #commit(use: number, signal?: AbortSignal): Promise<string> {
    const context = await this.#context(signal),
      name = this.#nameOf(context, use);
    const seed = (await this.#store.get(name)) ?? freshSeed();
    await this.#store.set(name, seed);
    return seatCommitmentTo(seed, { ...context, event: this.name, use, player: this.#me });
  }

  #nameOf({ origin, epoch }: { origin: string; epoch: string }, use: number): string {
    return `${PREFIX}${origin} ${this.name} ${epoch} ${this.#me} ${use}`;
  }

  /** Enters, with the commitment to a fresh seed for the draw of the seat. */
  async register(pay: Pay = 'cash', signal?: AbortSignal): Promise<Accepted> {
    const { own } = await this.view(signal);
    const commitment = await this.#commit(own?.next_use ?? 0, signal);
    return this.client.register({ tournament: this.name, body: { commitment, pay } }, { signal });
  }

  /** Reveals the seed that an open draw awaits, with the commitment for the next one; false: it awaits none. */
  async reveal(signal?: AbortSignal): Promise<boolean> {
    const { draw, own } = await this.view(signal);
    if (!draw || !own?.entry || own.reveals_use === null) return false;
    const seed = await this.#store.get(this.#nameOf(await this.#context(signal), own.reveals_use));
    if (seed === null) throw new SeedLost(`seed ${own.reveals_use} for ${this.name} is not in the store`);
    const next = await this.#commit(own.next_use, signal);
    const args = { tournament: this.name, draw_no: draw.draw_no, body: { entry_no: own.entry.entry_no, seed, next } };
    await this.client.revealSeatSeed(args, { signal });
    return true;
  }

  /**
   * Reveals whatever draws await until the event is over or the signal says so, while hands are played elsewhere: seats
   * are drawn in mid-event, too. `onView` hears of the event each time that something happened.
   */
  async attend({
    signal,
    onView,
  }: { signal?: AbortSignal; onView?: (view: TournamentView) => void } = {}): Promise<void> {
    for (let seq = 0; ;) {
      const view = await this.view(signal);
      onView?.(view);
      if (OVER.has(view.summary.stage)) return;
      try {
        if (await this.reveal(signal)) continue;
      } catch (error) {
        if (!(error instanceof ProblemError) || !RACES.has(error.code)) throw error;
        await sleep(AGAIN_MS, signal);
      }
      const query = { from_seq: seq, limit: 256, wait_ms: NEWS_MS };
      seq = (await this.client.listTournamentEntries({ tournament: this.name, query }, { signal })).next_seq;
    }
  }
}

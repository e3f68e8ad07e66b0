// Tournaments (spec/games/tournaments.md, 3): a seed for each draw of this player's seat, kept before its commitment is
// sent, and revealed when the draw awaits it. Hands are played at the table that the draw gives, as at a cash table.
import verifier from './fairshoe-verify.js';
import type { Client } from './client.js';
import { FairshoeError, InvalidInput, ProblemError, SeedLost } from './errors.js';
import { readEntry } from './entry.js';
import { sleep } from './http.js';
import { freshSeed } from './random.js';
import type { Accepted, DrawKind, Pay, TournamentView } from './generated/contract.js';
import type { Store } from './store.js';

const SEAT_SEED = 'seat-seed ';
/** Somebody else, or the clock, was faster. */
const DRAW_RACES = new Set(['already_revealed', 'wrong_draw', 'not_an_entrant', 'deadline_passed']);
const EVENT_OVER = new Set(['ended', 'cancelled']);
const EVENT_NEWS_MS = 10_000;
/** Seeds of events of which nothing is heard any more are forgotten after this. */
const SEAT_SEED_KEPT_MS = 60 * 86_400_000;
/** So many entries are asked for at once. */
const PAGE = 256;
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
  if (!verifier.unhex(epoch, 32)) throw new InvalidInput('an epoch is 64 lower-case hexadecimal digits');
  if (!Number.isInteger(use) || use < 0 || use > 65535) throw new InvalidInput(`${use} is no commitment's number`);
  const context = verifier.tableContext(origin, event, epoch);
  const said = [verifier.label('seat-seed'), context, u16(use), u16(name.length), name, bytes];
  return verifier.hex(verifier.sha256(verifier.concat(...said)));
}

/** A seed for a draw of a seat, as it lies in the store. */
export interface KeptSeatSeed {
  /** 64 hexadecimal digits. A secret until it is revealed. */
  seed: string;
  commitment: string;
  /** UTC milliseconds. */
  madeAt: number;
}

/** An entry of this player as the log has it. */
interface OwnEntry {
  entryNo: number;
  /** The newest commitment, and its number; null once its seed is out and no other one was given. */
  awaits: { commitment: string; use: number } | null;
  wasStarted: boolean;
  isSeated: boolean;
}

interface OpenDraw {
  drawNo: number;
  kind: DrawKind;
  table: number | null;
}

/** What the proven entries of an event say of one player. */
class Proven {
  epoch: string | null = null;
  draw: OpenDraw | null = null;
  own: OwnEntry | null = null;
  /** How many commitments the player gave: the next one is bound to this number. */
  uses = 0;
  readonly #player: string;
  #started = false;

  constructor(player: string) {
    this.#player = player;
  }

  take(events: Record<string, unknown>[]): void {
    for (const { tournament } of events) {
      const [name, fields] = Object.entries((tournament ?? {}) as Record<string, Record<string, unknown>>)[0] ?? [];
      if (name !== undefined && fields) this.#event(name, fields);
    }
  }

  #event(name: string, fields: Record<string, unknown>): void {
    const { own } = this;
    if (name === 'created') this.epoch = String(fields['epoch']);
    else if (name === 'started') this.#started = true;
    else if (name === 'registered' && fields['player'] === this.#player) {
      const awaits = { commitment: String(fields['commitment']), use: this.uses };
      this.own = { entryNo: Number(fields['entry_no']), awaits, wasStarted: this.#started, isSeated: false };
      this.uses += 1;
    } else if (name === 'draw_called') {
      const table = typeof fields['table'] === 'number' ? fields['table'] : null;
      this.draw = { drawNo: Number(fields['draw_no']), kind: fields['kind'] as DrawKind, table };
    } else if (name === 'seats_drawn') {
      // Whoever waited has a seat now, but for those who came when its entrants were fixed: they are seen to sit later.
      if (own && this.draw && this.#mayBeIn(this.draw, own)) own.isSeated = true;
      this.draw = null;
    } else if (name === 'seat_seed_revealed' && own && own.entryNo === fields['entry_no']) {
      own.awaits = null;
      if (typeof fields['next'] === 'string') own.awaits = { commitment: fields['next'], use: this.uses++ };
    } else if (OUT.has(name) && own?.entryNo === fields['entry_no']) this.own = null;
  }

  #mayBeIn({ kind }: OpenDraw, own: OwnEntry): boolean {
    return kind === 'first' ? !own.wasStarted : kind === 'late' && !own.isSeated;
  }

  /**
   * The open draw that may await this player's seed. *Attack: a view that says that a draw awaits it when none was
   * called, or another one, so that the house knows the seed before it has to call the draw.*
   */
  due(): { draw: OpenDraw; own: OwnEntry; mustSitAt: number | null } | null {
    const { draw, own } = this;
    if (!draw || !own?.awaits) return null;
    if (this.#mayBeIn(draw, own)) return { draw, own, mustSitAt: null };
    return draw.table === null ? null : { draw, own, mustSitAt: draw.table };
  }
}

/** After these an entry is in no draw any more. */
const OUT = new Set(['unregistered', 'player_eliminated', 'player_disqualified']);

/** Where an entry stands that is in the event no more. */
const OUT_AT = new Set(['out', 'disqualified']);

export class Tournament {
  readonly name: string;
  readonly client: Client;
  readonly #store: Store;
  /** What is known by proof, of whom, and from which place of the event's own sequence on there is more. */
  #proven: { of: string; state: Proven; nextSeq: number; lastIndex: number } | null = null;

  constructor(client: Client, name: string, store: Store) {
    this.client = client;
    this.name = name;
    this.#store = store;
  }

  /** The event as the service shows it: its word, but for what `register` and `reveal` hold against the log. */
  view(signal?: AbortSignal): Promise<TournamentView> {
    return this.client.getTournament({ tournament: this.name }, { signal });
  }

  get #me(): string {
    const { player } = this.client;
    if (player === null) throw new InvalidInput('nobody plays: join as a guest or sign in first');
    return player;
  }

  /** Reads the event's entries with their proofs, from its creation on; waits for the next one up to `waitMs`. */
  async #follow(signal?: AbortSignal, waitMs = 0): Promise<Proven> {
    const me = this.#me;
    if (this.#proven?.of !== me) this.#proven = { of: me, state: new Proven(me), nextSeq: 0, lastIndex: -1 };
    const known = this.#proven;
    for (let wait = waitMs; ; wait = 0) {
      const query = { from_seq: known.nextSeq, limit: PAGE, wait_ms: wait, proofs: true };
      const { entries } = await this.client.listTournamentEntries({ tournament: this.name, query }, { signal });
      for (const { index, entry } of entries) {
        const { at, events } = readEntry(entry);
        const isNext = (at?.table ?? at?.event) === this.name && at?.seq === known.nextSeq && index > known.lastIndex;
        // A page that was asked for twice at once is taken once.
        if (at && at.seq < known.nextSeq) continue;
        if (!isNext)
          this.client.fail({
            check: 'table_seq',
            entry: index,
            message: `the entry is not number ${known.nextSeq} of ${this.name}`,
          });
        known.state.take(events);
        Object.assign(known, { nextSeq: known.nextSeq + 1, lastIndex: index });
      }
      if (entries.length < PAGE) break;
    }
    // *Attack: an event that begins without its creation, under whatever epoch, so that no seed opens its commitment.*
    if (known.state.epoch === null) throw new FairshoeError(`the creation of ${this.name} is not shown`);
    return known.state;
  }

  async #context(signal?: AbortSignal): Promise<{ origin: string; epoch: string; event: string; player: string }> {
    const { epoch } = await this.#follow(signal);
    const origin = verifier.readLogKey(await this.client.ready(signal)).name;
    return { origin, epoch: epoch ?? '', event: this.name, player: this.#me };
  }

  /** Keeps a seed for this number: the player's own, else the one that is kept already, else a fresh one. */
  async #commit(use: number, signal?: AbortSignal, chosen: string | null = null): Promise<string> {
    const context = await this.#context(signal),
      name = this.#nameOf(context, use),
      before = await this.#kept(name);
    const seed = chosen ?? before?.seed ?? freshSeed();
    const commitment = seatCommitmentTo(seed, { ...context, use });
    const kept: KeptSeatSeed = { seed, commitment, madeAt: before?.madeAt ?? Date.now() };
    await this.#store.set(name, JSON.stringify(kept));
    return commitment;
  }

  async #kept(name: string): Promise<KeptSeatSeed | null> {
    const text = await this.#store.get(name);
    return text === null ? null : (JSON.parse(text) as KeptSeatSeed);
  }

  #nameOf({ origin, epoch }: { origin: string; epoch: string }, use: number): string {
    return `${SEAT_SEED}${origin} ${this.name} ${epoch} ${this.#me} ${use}`;
  }

  /** Enters, with the commitment to a seed for the draw of the seat: the player's own, or a fresh one. */
  async register(pay: Pay = 'cash', signal?: AbortSignal, chosen: string | null = null): Promise<Accepted> {
    const { uses } = await this.#follow(signal);
    const commitment = await this.#commit(uses, signal, chosen);
    return this.client.register({ tournament: this.name, body: { commitment, pay } }, { signal });
  }

  /**
   * Reveals the seed that an open draw awaits, with the commitment for the next one; false: it awaits none. The log
   * shows that the draw was called and that this player's entry is one that it seats; a draw that breaks a table or
   * draws the last one anew, that they sit there. What does not show stays with the player, who is seated without it.
   */
  async reveal(signal?: AbortSignal): Promise<boolean> {
    const { own: said } = await this.view(signal);
    const due = (await this.#follow(signal)).due();
    const awaits = due?.own.awaits;
    if (!due || !awaits || said?.reveals_use !== awaits.use) return false;
    if (due.mustSitAt !== null && !(await this.#sitsAt(due.mustSitAt, signal))) return false;
    const context = await this.#context(signal),
      kept = await this.#kept(this.#nameOf(context, awaits.use));
    if (!kept || seatCommitmentTo(kept.seed, { ...context, use: awaits.use }) !== awaits.commitment)
      throw new SeedLost(`seed ${awaits.use} for ${this.name} is not in the store`);
    const next = await this.#commit((await this.#follow(signal)).uses, signal);
    const args = {
      tournament: this.name,
      draw_no: due.draw.drawNo,
      body: { entry_no: due.own.entryNo, seed: kept.seed, next },
    };
    await this.client.revealSeatSeed(args, { signal });
    return true;
  }

  /**
   * Forgets this player's seeds that no draw will await any more: while none is open, all but that of the commitment in
   * force; and all of them once the event is over, or the player is out of it. Of any event, those that are old.
   */
  async forgetSeeds(view: TournamentView): Promise<void> {
    const { own, draw, summary, origin, epoch } = view;
    if (own && !draw && this.client.player !== null) {
      const isIn = own.entry && !OUT_AT.has(own.entry.at) && !EVENT_OVER.has(summary.stage);
      const name = `${SEAT_SEED}${origin} ${this.name} ${epoch} ${this.client.player} `;
      for (const one of await this.#store.names())
        if (one.startsWith(name) && Number(one.slice(name.length)) < own.next_use - (isIn ? 1 : 0))
          await this.#store.delete(one);
    }
    for (const one of await this.#store.names()) {
      if (!one.startsWith(SEAT_SEED)) continue;
      const kept = await this.#kept(one);
      if (!kept || kept.madeAt < Date.now() - SEAT_SEED_KEPT_MS) await this.#store.delete(one);
    }
  }

  /** Whether the proven entries of the event's table of this number have the player at it. */
  async #sitsAt(table: number, signal?: AbortSignal): Promise<boolean> {
    // A table that breaks is closed when its draw is called.
    const at = this.client.table(`${this.name}.${table}`, signal ? { signal } : {});
    return (await at.provenPlayers()).includes(this.#me);
  }

  /**
   * Reveals whatever draws await until the event is over or the signal says so, while hands are played elsewhere: seats
   * are drawn in mid-event, too. `onView` hears of the event each time that something happened.
   */
  async attend({
    signal,
    onView,
  }: { signal?: AbortSignal; onView?: (view: TournamentView) => void } = {}): Promise<void> {
    for (;;) {
      // What happened behind this, or comes, ends the wait below: nothing that the view does not have is missed.
      await this.#follow(signal);
      const seen = this.#proven?.nextSeq;
      const view = await this.view(signal);
      onView?.(view);
      if (EVENT_OVER.has(view.summary.stage)) return;
      try {
        if (await this.reveal(signal)) continue;
      } catch (error) {
        if (!(error instanceof ProblemError) || !DRAW_RACES.has(error.code)) throw error;
        await sleep(AGAIN_MS, signal);
      }
      if (this.#proven?.nextSeq === seen) await this.#follow(signal, EVENT_NEWS_MS);
    }
  }
}

// A table as this client knows it: its entries with their proofs, each decided again by the second verifier's follower
// (spec/page.md, 4), and what is sent for the player, which rests on nothing else.
import verifier, {
  type Change,
  type Face,
  type Follower,
  type GivenOpening,
  type TableState,
  type VerdictWord,
} from './fairshoe-verify.js';
import type { Client, RoundVerdict } from './client.js';
import { roundOf } from './asked.js';
import { readEntry } from './entry.js';
import {
  BadReply,
  CheckFailed,
  type Evidence,
  FairshoeError,
  InvalidInput,
  NotYet,
  ProblemError,
  SeedLost,
} from './errors.js';
import { type CallOptions, sleep } from './http.js';
import { readJson } from './json.js';
import { checking } from './log.js';
import type {
  Accepted,
  Action,
  Bet,
  Contributor,
  Decision,
  OwnCards,
  RoundView,
  SeatWish,
  TableEntries,
  TableView,
} from './generated/contract.js';
import { type SeatCalls, leaveFrom, sitAt } from './seat.js';
import { type SeedPlace, commitmentTo, isSameBets } from './seeds.js';
import { type PlayedRound, type PlayOptions, type Strategy, playRounds } from './play.js';

export interface TableOptions {
  signal?: AbortSignal;
  /** Hears of each entry that comes after `open`, once and in order, as its text is on the log. */
  onEntry?: (taken: TakenEntry) => void;
}

export interface TakenEntry {
  index: number;
  entry: string;
}

type ProvenEntry = TakenEntry & { proof: string[] };
/** A table at which no shoe was ever committed has no history yet. */
const NOTHING_YET = new Set(['no_shoe', 'unknown_shoe', 'unknown_round']);
const OVER = new Set(['settled', 'voided']);
/** What a follower lacks comes with the answer to one question; more than this many would be a circle. */
const MOST_QUESTIONS = 8;
/** So many epochs come and go while one commitment is sent. */
const MOST_EPOCHS = 8;
/** How often a table without any shoe is looked at, and how many times before a bet at most. */
const LOOK_MS = 300;
const MOST_LOOKS = 40;

/** A request is not sent again: what it would be bound to is there no more. */
class StartedAnew extends FairshoeError {}

export class Table {
  readonly name: string;
  readonly client: Client;
  readonly #signal: AbortSignal | undefined;
  readonly #onEntry: ((taken: TakenEntry) => void) | undefined;
  #info: TableView | null = null;
  #follower: Follower | null = null;
  #own: OwnCards | null = null;
  /** Whose own cards they are. */
  #ownOf: string | null = null;
  #ownFaces: Face[] = [];
  /** Rounds that ended with this player in them, and were not asked for yet. */
  readonly #ended = new Map<string, RoundView>();
  readonly #seen = new Set<string>();
  #closed = false;
  /** The newest entry that was taken. */
  #newest: TakenEntry | null = null;
  /** Entries of a stream that no proof came for yet: their places in the table's sequence, by index. */
  readonly #unproven = new Map<number, number>();
  /** Own cards that came before the deal that they are of. */
  #waiting: OwnCards | null = null;
  /** What comes is taken one after the other: from a stream, of answers, by questions. */
  #taking: Promise<unknown> = Promise.resolve();

  constructor(client: Client, name: string, { signal, onEntry }: TableOptions = {}) {
    this.client = client;
    this.name = name;
    this.#signal = signal;
    this.#onEntry = onEntry;
  }

  // --- What is known ------------------------------------------------------------------------------------------------

  /** Rules and signs: what only the service says. Null before `open`. */
  get info(): TableView | null {
    return this.#info;
  }
  /** Seats, window, shoe, call of a hand: what the rules make of the proven entries. Null before the first shoe. */
  get state(): TableState | null {
    return this.#follower?.table() ?? null;
  }
  /** The round in play, or the one that ended last. */
  get round(): RoundView | null {
    return this.#follower?.view() ?? null;
  }
  /** The faces of that round, with their openings. */
  get faces(): Face[] {
    return [...(this.#follower?.faces() ?? []), ...this.#ownFaces];
  }
  /** The player's own cards of a private game, held against the deck that was picked. */
  get own(): OwnCards | null {
    return this.#ownOf === this.client.player && this.#own?.round === this.round?.id ? this.#own : null;
  }
  /** The verdict on the shoe in use, as far as it has come. */
  get verdict(): VerdictWord | null {
    return this.#follower?.verdict().verdict ?? null;
  }
  /** Whether the table is closed, and nothing comes any more. */
  get isClosed(): boolean {
    return this.#closed;
  }
  /** The newest entry that was taken; a stream goes on behind it. */
  get newest(): TakenEntry | null {
    return this.#newest;
  }
  /** Whether something that a stream brought waits for its proof. */
  get isPending(): boolean {
    return this.#unproven.size > 0;
  }
  /** The follower's newest checkpoint. */
  get checkpoint(): string | null {
    return this.#follower?.checkpoint ?? null;
  }
  /** A file of all that was shown, for `/verify` and `fairshoe-audit`. */
  evidence(): { name: string; text: string } | null {
    return this.#follower?.evidence() ?? null;
  }

  get #me(): string {
    const { player } = this.client;
    if (player === null) throw new InvalidInput('nobody plays: join as a guest or sign in first');
    return player;
  }

  /** This player's part of the round in play; or null. */
  get mine(): Contributor | null {
    return this.round?.contributors.find(one => one.player === this.client.player) ?? null;
  }

  // --- Following ----------------------------------------------------------------------------------------------------

  /** Reads the table, and judges the history of its latest shoe. */
  open(): Promise<this> {
    return this.#inTurn(async () => {
      await this.client.ready(this.#signal);
      await this.#readInfo();
      await this.#begin();
      return this;
    });
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#taking.then(() => {
      this.#signal?.throwIfAborted();
      return action();
    });
    this.#taking = done.catch(() => undefined);
    return done;
  }

  /** Reads what only the service says of the table: rules, signs, whose it is. */
  readInfo(): Promise<TableView> {
    return this.#inTurn(() => this.#readInfo());
  }

  async #readInfo(): Promise<TableView> {
    const info = await this.client.getTable({ table: this.name }, { signal: this.#signal });
    if (!info.rules?.table || !info.rules.game) throw new BadReply(`the answer names no rules of ${this.name}`);
    return (this.#info = info);
  }

  async #begin(): Promise<void> {
    const info = this.#info ?? (await this.#readInfo());
    if (!info.shoe && info.next_round === 0) return;
    try {
      await this.#beginWithBundle();
    } catch (error) {
      if (!(error instanceof ProblemError) || !NOTHING_YET.has(error.code)) throw error;
    }
  }

  /** Who sits here by the proven entries; also of a table that is closed, as it was then. */
  async provenPlayers(): Promise<string[]> {
    await this.#inTurn(() => (this.#follower ? this.#refresh(0) : this.#beginWithBundle()));
    return [...(this.state?.seats ?? []), ...(this.state?.cash?.seats ?? [])].map(({ player }) => player);
  }

  async #beginWithBundle(): Promise<void> {
    const vkey = await this.client.ready(this.#signal);
    const text = await this.client.tableBundleText(this.name, { signal: this.#signal });
    const follower = checking(() => new verifier.Follower(text, vkey));
    if (follower.failure) {
      const { check, message, entry } = follower.failure;
      this.client.fail(new CheckFailed({ check, message, entry }, { name: 'bundle.json', text }));
    }
    await this.#holdBundle(text);
    // A bundle of another table would be followed as if it were this one.
    if (follower.table()?.table !== this.name)
      this.client.fail(
        { check: 'bundle_context', message: `the bundle is not of ${this.name}` },
        { name: 'bundle.json', text },
      );
    this.#follower = follower;
    this.#newest = this.#entriesOf(text).at(-1) ?? null;
    this.#note(null);
  }

  #entriesOf(bundle: string): TakenEntry[] {
    const { entries } = readJson(bundle) as { entries: TakenEntry[] };
    return entries;
  }

  /** A bundle's checkpoint is of the one history. */
  async #holdBundle(text: string): Promise<void> {
    const { checkpoint } = readJson(text) as { checkpoint: string };
    await this.client.holdCheckpoint(checkpoint, this.#signal);
  }

  /** Entries that came without their proofs, out of a round's bundle that was judged: it has them. */
  #takeOwed(owed: Set<number>, bundle: string): void {
    const follower = this.#follower;
    const { entries, checkpoint } = readJson(bundle) as { entries: ProvenEntry[]; checkpoint: string };
    const items = entries.flatMap(one => {
      const seq = this.#unproven.get(one.index);
      return seq !== undefined && owed.has(one.index) ? [{ ...one, seq }] : [];
    });
    if (follower && items.length) this.#took(this.#judge(() => follower.take(items, checkpoint)), items);
  }

  /** A newer bundle of the table: all that it holds is proven. */
  async #renew(follower: Follower): Promise<void> {
    const text = await this.client.tableBundleText(this.name, { signal: this.#signal });
    await this.#holdBundle(text);
    const change = this.#judge(() => follower.renew(text)),
      entries = this.#entriesOf(text);
    for (const { index } of entries) this.#unproven.delete(index);
    this.client.takeProven(entries);
    this.#note(change);
    this.#tell(entries);
  }

  /** Takes what happened since; waits for it up to `waitMs` where there is nothing yet. */
  async refresh(waitMs = 0): Promise<void> {
    const follower = this.#follower;
    if (!follower || !waitMs || this.isPending) return this.#inTurn(() => this.#refresh(waitMs));
    // Whatever else comes meanwhile is not kept waiting.
    const page = await this.#pageFrom(follower.nextSeq, waitMs);
    return this.#inTurn(async () => {
      this.#takePage(follower, page);
      await this.#answerNeeds(follower);
    });
  }

  async #refresh(waitMs: number): Promise<void> {
    const follower = this.#follower;
    if (!follower) {
      await this.#readInfo();
      await this.#begin();
      if (!this.#follower && waitMs > 0) await sleep(Math.min(waitMs, LOOK_MS), this.#signal);
      return;
    }
    await this.#takeFrom(follower, Math.min(follower.nextSeq, ...this.#unproven.values()));
    await this.#answerNeeds(follower);
  }

  /**
   * An entry that a stream told, with its openings: decided at once, and proven by the next `refresh` or `prove`.
   * Nothing is sent that rests on it before.
   */
  takeStreamed({ index, entry }: TakenEntry, openings: GivenOpening[] = []): Promise<void> {
    return this.#inTurn(async () => {
      const follower = this.#follower;
      if (!follower) return this.#refresh(0);
      // What is known already may still lack its openings.
      if (this.#isNew(index) || openings.length)
        this.#took(this.#judge(() => follower.takePending(index, entry, openings)), [{ index, entry }]);
      return this.#answerNeeds(follower);
    });
  }

  /** Own cards that a stream told. */
  takeStreamedOwn(own: OwnCards): Promise<void> {
    return this.#inTurn(async () => this.#takeOwn(own));
  }

  /** Proves what a stream brought. False: not all of it is on the log yet. */
  prove(): Promise<boolean> {
    return this.#inTurn(async () => {
      for (let asked = 0; this.isPending && asked < MOST_QUESTIONS; asked += 1) await this.#refresh(0);
      return this.#isProven;
    });
  }

  get #isProven(): boolean {
    return !!this.#follower && !this.#follower.needs && !this.isPending;
  }

  #isNew = (index: number): boolean => index > (this.#newest?.index ?? -1);

  #pageFrom(seq: number, waitMs: number): Promise<TableEntries> {
    this.#signal?.throwIfAborted();
    return this.client.entriesToFollow(this.name, seq, waitMs, this.#signal);
  }

  async #takeFrom(follower: Follower, seq: number): Promise<void> {
    this.#takePage(follower, await this.#pageFrom(seq, 0));
  }

  #takePage(follower: Follower, page: TableEntries): void {
    const items = page.entries.map(item => {
      if (!item?.proof) throw new BadReply(`an entry of ${this.name} comes without its proof`);
      return { ...item, proof: item.proof, openings: item.openings ?? [] };
    });
    this.#took(this.#judge(() => follower.take(items, page.checkpoint)), items);
    // Taken with its proof and not proven by it: of a shoe that is over and forgotten, which binds nothing any more.
    if (!follower.needs) {
      for (const { index } of items) this.#unproven.delete(index);
      this.client.takeProven(items);
    }
    this.#closed = page.closed;
  }

  async #answerNeeds(follower: Follower): Promise<void> {
    for (let asked = 0; follower.needs && asked < MOST_QUESTIONS; asked += 1) {
      if (follower.needs.bundle) await this.#renew(follower);
      else await this.#takeFrom(follower, follower.needs.entries);
    }
  }

  /** What the follower made of entries that it was given. */
  #took(change: Change, items: TakenEntry[]): void {
    for (const { index, seq, proven } of change.entries) if (!proven) this.#unproven.set(index, seq);
    for (const index of [...change.proven, ...change.entries.filter(one => one.proven).map(one => one.index)])
      this.#unproven.delete(index);
    this.#note(change);
    const taken = new Set(change.entries.map(one => one.index));
    // What cannot be decided before there is a newer bundle may be of a shoe that the bundle no longer holds.
    this.#tell(items.filter(one => taken.has(one.index) || this.#follower?.needs?.bundle));
  }

  #tell(entries: TakenEntry[]): void {
    for (const { index, entry } of entries) {
      if (!this.#isNew(index)) continue;
      this.#newest = { index, entry };
      this.#onEntry?.(this.#newest);
    }
  }

  /** The entries, openings and own cards of a reply, of whose receipts the client has verified those with a proof. */
  async #takeReply(accepted: Accepted): Promise<void> {
    if (!this.#follower) {
      await this.#refresh(0);
      return;
    }
    const follower = this.#follower,
      shoeNo = accepted.round?.shoe_no;
    // An opening without a shoe is of the round's own one.
    const openings: GivenOpening[] = (accepted.openings ?? []).map(one =>
      one.shoe_no === undefined && shoeNo !== undefined ? { ...one, shoe_no: shoeNo } : one,
    );
    for (const [at, receipt] of accepted.receipts.entries()) {
      if (readEntry(receipt.entry).at?.table !== this.name) continue;
      const { index, entry, proof } = receipt,
        shown = at === 0 ? openings : [];
      // One without a proof, as it was asked for, waits for it like those of a stream.
      const judged = (): Change =>
        proof === undefined
          ? follower.takePending(index, entry, shown)
          : follower.takeReceipt({ index, entry, proof }, shown);
      const take = (): void => this.#took(this.#judge(judged), [receipt]);
      take();
      if (follower.needs) {
        await this.#answerNeeds(follower);
        take();
      }
    }
    if (accepted.own) this.#takeOwn(accepted.own);
  }

  #takeOwn(own: OwnCards): void {
    const faces = this.#judge(() => this.#follower?.own(own, this.#me) ?? null);
    // Before the deal is here they wait for it; those of a hand that is over by now are of no use any more.
    const isOver = Number(roundOf(own.round)['round_no']) < (this.round?.round_no ?? 0);
    this.#waiting = faces || isOver ? null : own;
    if (!faces) return;
    this.#own = own;
    this.#ownOf = this.#me;
    this.#ownFaces = faces;
  }

  /** Own cards that no reply brought: of a hand that others' seeds opened. */
  async #readOwn(): Promise<void> {
    const { round } = this;
    if (
      !this.#info ||
      !('poker' in this.#info.rules.game) ||
      !round ||
      round.phase !== 'open' ||
      this.own ||
      (!this.mine && !this.#info.tournament)
    )
      return;
    const read = await this.client.getRound({ id: round.id }, { signal: this.#signal });
    if (read.own) this.#takeOwn(read.own);
  }

  /** Runs a check of the follower; what fails ends play, with everything that was shown as evidence. */
  #judge<T>(action: () => T, evidence: Evidence | null = null): T {
    try {
      return checking(action);
    } catch (error) {
      if (!(error instanceof CheckFailed)) throw error;
      return this.client.fail(error.with(error.evidence ?? evidence ?? this.evidence()));
    }
  }

  /** Remembers rounds of this player that ended. */
  #note(change: Change | null): void {
    if (this.#waiting && this.client.player !== null) this.#takeOwn(this.#waiting);
    const views = [...(change?.entries.map(({ view }) => view) ?? []), this.round];
    const { player } = this.client;
    for (const view of views) {
      if (!view || this.#seen.has(view.id) || !OVER.has(view.phase)) continue;
      this.#seen.add(view.id);
      // What was over before this client came is nobody's news.
      if (change && view.contributors.some(one => one.player === player)) this.#ended.set(view.id, view);
    }
  }

  /** A round of this player's that is over, once. */
  takeEnded(): RoundView | null {
    const [first] = this.#ended;
    if (!first) return null;
    this.#ended.delete(first[0]);
    return first[1];
  }

  // --- Sending ------------------------------------------------------------------------------------------------------

  /**
   * Takes a seat, or asks to play the next round; at a cash table with `buy_in`. Where this player sits already, by
   * proven entries, as after a crash, they play on with what they have there. Null: there was nothing left to do.
   */
  sit(body: SeatWish = {}): Promise<Accepted | null> {
    return sitAt(this, body, this.#seatCalls);
  }

  /**
   * Leaves the seat. A hand or round that this player's commitment is bound in goes on without them, but for its seed,
   * which they owe: who withholds it is named for it, and from the second time on has a cooldown. It is revealed here
   * before this is over, also where they left before and were cut off. Do not end the program between a commitment and
   * this. Null: they had left, or leave when the hand is over.
   */
  leave(): Promise<Accepted | null> {
    return leaveFrom(this, this.#seatCalls);
  }

  get #seatCalls(): SeatCalls {
    return {
      take: async body => this.#sent(await this.client.takeSeat({ table: this.name, body }, this.#calling)),
      leave: async () => this.#sent(await this.client.leaveSeat({ table: this.name }, this.#calling)),
    };
  }

  /** Sits out at a cash table from the next hand on; `sit()` comes back. */
  async sitOut(): Promise<Accepted> {
    return this.#sent(await this.client.sitOut({ table: this.name }, this.#calling));
  }

  /** Waits for a seat of a table that is full. */
  async wait(): Promise<Accepted> {
    return this.#sent(await this.client.wantSeat({ table: this.name }, this.#calling));
  }

  async addChips(amount: number): Promise<Accepted> {
    return this.#sent(await this.client.addChips({ table: this.name, body: { amount } }, this.#calling));
  }

  /** Takes the bets in the open window back. */
  async takeBack(): Promise<Accepted> {
    const { window } = this.state ?? {};
    if (!window) throw new InvalidInput(`no bets are open at ${this.name}`);
    return this.#sent(await this.client.cancelBet({ table: this.name, round_no: window.round_no }, this.#calling));
  }

  get #calling(): CallOptions {
    return { signal: this.#signal, isCash: !!this.#info && 'poker' in this.#info.rules.game };
  }

  async #sent(accepted: Accepted): Promise<Accepted> {
    await this.#inTurn(() => this.#takeReply(accepted));
    return accepted;
  }

  /**
   * Waits until the shoe that a commitment is for is proven, and gives the epoch that it was committed in. *Attack: a
   * wrong one, or none, so that the seed opens nothing, and the player is named as one who withheld it.*
   */
  async #provenPlace(given: number | null): Promise<SeedPlace> {
    for (let looked = 0; looked < MOST_LOOKS; looked += 1) {
      await this.refresh();
      await this.prove();
      if (this.#epochOf(given) !== null && this.#isProven) {
        await this.#inTurn(() => this.#compareEpoch());
        const roundNo = given ?? this.state?.window?.round_no ?? this.state?.next_round;
        const epoch = this.#epochOf(given);
        if (epoch !== null && roundNo !== undefined)
          return { origin: await this.#origin(), table: this.name, epoch, roundNo, player: this.#me };
      }
      // Of a table that is closed nothing is waited for: this says so.
      await this.readInfo();
      await sleep(LOOK_MS, this.#signal);
    }
    throw new NotYet(`no shoe of ${this.name} is proven: there is nothing to commit a seed to, and none was`);
  }

  async #origin(): Promise<string> {
    return verifier.readLogKey(await this.client.ready(this.#signal)).name;
  }

  /** The epoch of the shoe that this number is dealt from: of a pile that is shuffled, else of the shoe in use. */
  #epochOf(roundNo: number | null): string | null {
    const { live = null, shoe = null } = this.#follower?.rules ?? {};
    if (live?.pile && live.pile.no === roundNo) return live.pile.shoe.epoch;
    if (live && live.no === roundNo) return live.shoe.epoch;
    return shoe?.epoch ?? null;
  }

  /** Between two entries of the table the dealer may have started anew: what the service says has to be the same. */
  async #compareEpoch(): Promise<void> {
    const { epoch: said } = await this.#readInfo();
    if (!this.#follower || said === this.#epochOf(null)) return;
    await this.#renew(this.#follower);
    const proven = this.#epochOf(null),
      again = await this.#readInfo();
    if (proven !== null && again.epoch !== proven && again.shoe?.shoe_no === this.state?.shoe?.shoe_no)
      this.client.fail({
        check: 'epoch',
        message: `the table names the epoch ${again.epoch}; its shoe's is ${proven}`,
      });
  }

  /**
   * Sends a commitment to a seed that is kept, with the epoch that it is bound to. A dealer that starts anew has another
   * one: then the same request is not sent again, since its seed would open nothing, and the next one has another
   * commitment. *Attack: a service that says so of an epoch that the log shows to be in force, or for ever.*
   */
  async #commitTo(
    given: number | null,
    bets: Bet[] | null,
    chosen: string | null,
    send: (place: SeedPlace, commitment: string, calling: CallOptions) => Promise<Accepted>,
  ): Promise<Accepted> {
    for (let tries = 1; ; tries++) {
      const place = await this.#provenPlace(given);
      const { commitment } = await this.client.seeds.prepare(place, bets, chosen);
      const beforeRepeat = async (): Promise<void> => {
        await this.refresh();
        if (this.#epochOf(given) !== place.epoch) throw new StartedAnew('the shoe is another one by now');
      };
      try {
        const accepted = await send(place, commitment, { ...this.#calling, beforeRepeat });
        if (bets) await this.client.seeds.stands(place, bets);
        return await this.#sent(accepted);
      } catch (error) {
        if (error instanceof StartedAnew) continue;
        if (!(error instanceof ProblemError) || error.code !== 'wrong_epoch' || tries >= MOST_EPOCHS) throw error;
        await this.refresh();
        if (this.#epochOf(given) === place.epoch) throw error;
      }
    }
  }

  /**
   * Bets in the open window, or in the next round of a solo table, with the commitment to a seed: `chosen`, which the
   * player made by themselves, or a fresh one. `roundNo`: in this round or in none, however late this is sent.
   */
  bet(bets: Bet[], chosen: string | null = null, roundNo: number | null = null): Promise<Accepted> {
    return this.#commitTo(roundNo, bets, chosen, ({ roundNo: round_no, epoch }, commitment, calling) =>
      this.client.placeBet({ table: this.name, body: { round_no, bets, commitment, epoch } }, calling),
    );
  }

  /** Commits a seed to the hand that is called, or to the new pile that is shuffled. */
  commit(roundNo: number, chosen: string | null = null): Promise<Accepted> {
    return this.#commitTo(roundNo, null, chosen, ({ epoch }, commitment, calling) =>
      this.client.commitSeed({ id: `${this.name}:${roundNo}`, body: { commitment, epoch } }, calling),
    );
  }

  /**
   * Reveals this player's seed of the round in play, or of its new pile. Everything that the follower has is proven by
   * now, under a checkpoint of the one history: that checkpoint goes with the seed. What binds is what was asked for,
   * and the seed opens the commitment that binds. `withNext`: at a cash table the commitment to the next hand goes
   * along, where this player stays in their seat. Who does not want that hand leaves with `leave()`, or sits out before
   * it begins: once it has, its seed is owed.
   */
  async reveal({ withNext = false }: { withNext?: boolean } = {}): Promise<Accepted> {
    if (this.#follower?.needs) await this.refresh();
    if (!(await this.prove()))
      throw new NotYet(`not all that happened at ${this.name} is proven: no seed is shown`);
    const { round } = this,
      me = this.#me;
    const pile = round?.pile?.awaits === 'seeds' ? round.pile : null;
    // Before bets bind the house may still choose what it deals: a seed that it knows by then protects nobody.
    if (!round || (!pile && round.phase !== 'awaiting_reveals'))
      throw new InvalidInput(`no round of ${this.name} awaits seeds`);
    const mine = (pile?.players ?? round.contributors).find(one => one.player === me);
    const roundNo = pile?.round_no ?? round.round_no;
    if (!mine?.commitment) throw new InvalidInput(`${me} has no commitment in ${round.id}`);
    const origin = await this.#origin();
    const kept = await this.client.seeds.find(origin, this.name, roundNo, me, mine.commitment);
    if (!kept) throw new SeedLost(`the seed for ${this.name}:${roundNo} is not in the store`);
    const epoch = this.#epochOf(roundNo) ?? '';
    if (commitmentTo(kept.seed, { origin, table: this.name, epoch, roundNo, player: me }) !== mine.commitment)
      throw new SeedLost(`the seed for ${this.name}:${roundNo} was kept for another epoch, and opens nothing in this`);
    if (!pile && !this.state?.cash) this.#holdToBets(kept.bets, round, me);
    const [, size, root] = (this.client.checkpoint ?? '').split('\n');
    const saw = size !== undefined && root !== undefined ? { saw: { size: Number(size), root } } : {};
    const next = withNext ? await this.#nextCommitment(roundNo + 1) : null;
    const send = (more: { next?: string }): Promise<Accepted> =>
      this.client.revealSeed(
        { id: `${this.name}:${roundNo}`, body: { player: me, seed: kept.seed, ...saw, ...more } },
        this.#calling,
      );
    if (next === null) return this.#sent(await send({}));
    try {
      return await this.#sent(await send({ next }));
    } catch (error) {
      // Perhaps only the commitment to the next hand could not be taken: this hand's seed goes alone.
      if (!(error instanceof ProblemError)) throw error;
      return this.#sent(await send({}));
    }
  }

  /** The commitment to a hand that is to be called; null where this player is not going to play it, or may not. */
  async #nextCommitment(roundNo: number): Promise<string | null> {
    const seat = this.state?.cash?.seats.find(one => one.player === this.client.player);
    if (!seat || seat.sitting_out || seat.leaving || this.#info?.tournament) return null;
    const epoch = this.#epochOf(null),
      { epoch: said } = await this.readInfo();
    // A dealer that started anew has another epoch: what is committed to in this one opens nothing.
    if (epoch === null || said !== epoch) return null;
    const place = { origin: await this.#origin(), table: this.name, epoch, roundNo, player: this.#me };
    return (await this.client.seeds.prepare(place, null)).commitment;
  }

  /** What binds is one of those that were asked for and may stand, to the chip. */
  #holdToBets(asked: Bet[][], round: RoundView, me: string): void {
    const bound = round.contributors.find(one => one.player === me)?.bets ?? [];
    if (asked.some(bets => isSameBets(bets, bound))) return;
    const message = `asked for ${JSON.stringify(asked)}, bound is ${JSON.stringify(bound)}`;
    this.client.fail({ check: 'bets', message }, this.evidence());
  }

  /** Answers an open decision of the round in play. */
  async act(decision: Decision, action: Action): Promise<Accepted> {
    const { round } = this;
    if (!round) throw new InvalidInput('there is no round to act in');
    const args = { id: round.id, body: { decision: decision.decision, action } };
    return this.#sent(await this.client.act(args, this.#calling));
  }

  // --- Playing ------------------------------------------------------------------------------------------------------

  /** Plays rounds, each of them verified whole when it is over. */
  play(strategy: Strategy, options: PlayOptions = {}): AsyncGenerator<PlayedRound> {
    return playRounds(this, strategy, { signal: this.#signal, ...options });
  }

  /** Own cards, where they are not here yet and may be asked for. */
  async lookAtOwn(): Promise<void> {
    await this.#inTurn(() => this.#readOwn()).catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
    });
  }

  /** The verdict on a round of this table that is over, and the seeds of rounds up to it forgotten. */
  async settle(round: RoundView): Promise<RoundVerdict> {
    const owed = new Set(this.client.owed.map(({ index }) => index));
    const verdict = await this.client.verifyRound(round.id, { signal: this.#signal });
    await this.#inTurn(async () => this.#takeOwed(owed, verdict.bundle));
    await this.client.seeds.forget(await this.#origin(), this.name, this.#me, round.round_no);
    return verdict;
  }
}

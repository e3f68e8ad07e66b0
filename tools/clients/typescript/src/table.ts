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
import { readEntry } from './entry.js';
import { BadReply, CheckFailed, type Evidence, FairshoeError, InvalidInput, ProblemError, SeedLost } from './errors.js';
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
  TableView,
} from './generated/contract.js';
import { type SeedPlace, commitmentTo, isSameBets } from './seeds.js';
import { type PlayedRound, type PlayOptions, type Strategy, playRounds } from './play.js';

export interface TableOptions {
  signal?: AbortSignal;
}

type Body = { seat?: number; buy_in?: number };
const OVER = new Set(['settled', 'voided']);
/** What a follower lacks comes with the answer to one question; more than this many would be a circle. */
const MOST_QUESTIONS = 8;
/** How often a table without any shoe is looked at, and how many times before a bet at most. */
const LOOK_MS = 300;
const MOST_LOOKS = 40;

/** A request is not sent again: what it would be bound to is there no more. */
class StartedAnew extends FairshoeError {}

export class Table {
  readonly name: string;
  readonly client: Client;
  readonly #signal: AbortSignal | undefined;
  #info: TableView | null = null;
  #follower: Follower | null = null;
  #own: OwnCards | null = null;
  #ownFaces: Face[] = [];
  /** Rounds that ended with this player in them, and were not asked for yet. */
  readonly #ended = new Map<string, RoundView>();
  readonly #seen = new Set<string>();
  #closed = false;

  constructor(client: Client, name: string, { signal }: TableOptions = {}) {
    this.client = client;
    this.name = name;
    this.#signal = signal;
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
    return this.#own?.round === this.round?.id ? this.#own : null;
  }
  /** The verdict on the shoe in use, as far as it has come. */
  get verdict(): VerdictWord | null {
    return this.#follower?.verdict().verdict ?? null;
  }
  /** Whether the table is closed, and nothing comes any more. */
  get isClosed(): boolean {
    return this.#closed;
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
  async open(): Promise<this> {
    await this.client.ready(this.#signal);
    await this.#readInfo();
    await this.#begin();
    return this;
  }

  async #readInfo(): Promise<TableView> {
    const info = await this.client.getTable({ table: this.name }, { signal: this.#signal });
    if (!info.rules?.table || !info.rules.game) throw new BadReply(`the answer names no rules of ${this.name}`);
    return (this.#info = info);
  }

  async #begin(): Promise<void> {
    const info = this.#info ?? (await this.#readInfo());
    if (info.shoe || info.next_round !== 0) await this.#beginWithBundle();
  }

  /** Who sits here by the proven entries; also of a table that is closed, as it was then. */
  async provenPlayers(): Promise<string[]> {
    if (!this.#follower) await this.#beginWithBundle();
    else await this.refresh();
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
    this.#note(null);
  }

  /** A bundle's checkpoint is of the one history. */
  async #holdBundle(text: string): Promise<void> {
    const { checkpoint } = readJson(text) as { checkpoint: string };
    await this.client.holdCheckpoint(checkpoint, this.#signal);
  }

  /** Takes what happened since; waits for it up to `waitMs` where there is nothing yet. */
  async refresh(waitMs = 0): Promise<void> {
    this.#signal?.throwIfAborted();
    if (!this.#follower) {
      await this.#readInfo();
      await this.#begin();
      if (!this.#follower && waitMs > 0) await sleep(Math.min(waitMs, LOOK_MS), this.#signal);
      return;
    }
    await this.#takeFrom(this.#follower, this.#follower.nextSeq, waitMs);
    await this.#answerNeeds(this.#follower);
  }

  async #takeFrom(follower: Follower, seq: number, waitMs: number): Promise<void> {
    const page = await this.client.entriesToFollow(this.name, seq, waitMs, this.#signal);
    const items = page.entries.map(item => {
      if (!item?.proof) throw new BadReply(`an entry of ${this.name} comes without its proof`);
      return { ...item, proof: item.proof, openings: item.openings ?? [] };
    });
    this.#note(this.#judge(() => follower.take(items, page.checkpoint)));
    this.#closed = page.closed;
  }

  async #answerNeeds(follower: Follower): Promise<void> {
    for (let asked = 0; follower.needs && asked < MOST_QUESTIONS; asked += 1) {
      if (follower.needs.bundle) {
        const text = await this.client.tableBundleText(this.name, { signal: this.#signal });
        await this.#holdBundle(text);
        this.#note(this.#judge(() => follower.renew(text)));
      } else await this.#takeFrom(follower, follower.needs.entries, 0);
    }
  }

  /** The entries, openings and own cards of a reply, whose receipts the client has verified. */
  async #takeReply(accepted: Accepted): Promise<void> {
    if (!this.#follower) {
      await this.refresh();
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
      const take = (): void => this.#note(this.#judge(() => follower.takeReceipt(receipt, at === 0 ? openings : [])));
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
    if (!faces) return;
    this.#own = own;
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
      !this.mine
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

  /** Takes a seat, or asks to play the next round; at a cash table with `buy_in`. */
  async sit(body: Body = {}): Promise<Accepted> {
    return this.#sent(await this.client.takeSeat({ table: this.name, body }, this.#calling));
  }

  async leave(): Promise<Accepted> {
    return this.#sent(await this.client.leaveSeat({ table: this.name }, this.#calling));
  }

  get #calling(): CallOptions {
    return { signal: this.#signal, isCash: !!this.#info && 'poker' in this.#info.rules.game };
  }

  async #sent(accepted: Accepted): Promise<Accepted> {
    await this.#takeReply(accepted);
    return accepted;
  }

  /**
   * Waits until the shoe that a commitment is for is proven, and gives the epoch that it was committed in. *Attack: a
   * wrong one, or none, so that the seed opens nothing, and the player is named as one who withheld it.*
   */
  async #provenPlace(given: number | null): Promise<SeedPlace> {
    for (let looked = 0; looked < MOST_LOOKS; looked += 1) {
      await this.refresh();
      if (this.#epochOf(given) !== null && !this.#follower?.needs) {
        await this.#compareEpoch();
        const roundNo = given ?? this.state?.window?.round_no ?? this.state?.next_round;
        const epoch = this.#epochOf(given);
        if (epoch !== null && roundNo !== undefined)
          return { origin: await this.#origin(), table: this.name, epoch, roundNo, player: this.#me };
      }
      // Of a table that is closed nothing is waited for: this says so.
      await this.#readInfo();
      await sleep(LOOK_MS, this.#signal);
    }
    throw new FairshoeError(`no shoe of ${this.name} is proven: there is nothing to commit a seed to, and none was`);
  }

  async #origin(): Promise<string> {
    return verifier.readLogKey(await this.client.ready(this.#signal)).name;
  }

  /** The epoch of the shoe that this number is dealt from: of a pile that is shuffled, else of the shoe in use. */
  #epochOf(roundNo: number | null): string | null {
    const { live = null, shoe = null } = this.#follower?.rules ?? {};
    if (roundNo !== null && live?.pile?.no === roundNo) return live.pile.shoe.epoch;
    if (roundNo !== null && live?.no === roundNo) return live.shoe.epoch;
    return shoe?.epoch ?? null;
  }

  /** Between two entries of the table the dealer may have started anew: what the service says has to be the same. */
  async #compareEpoch(): Promise<void> {
    const { epoch: said } = await this.#readInfo();
    if (!this.#follower || said === this.#epochOf(null)) return;
    const follower = this.#follower,
      text = await this.client.tableBundleText(this.name, { signal: this.#signal });
    await this.#holdBundle(text);
    this.#note(this.#judge(() => follower.renew(text)));
    const proven = this.#epochOf(null),
      again = await this.#readInfo();
    if (proven !== null && again.epoch !== proven && again.shoe?.shoe_no === this.state?.shoe?.shoe_no)
      this.client.fail({
        check: 'epoch',
        message: `the table names the epoch ${again.epoch}; its shoe's is ${proven}`,
      });
  }

  /**
   * Sends a commitment to a seed that is kept. A dealer that starts anew has another epoch: then the same request is
   * not sent again, since its seed would open nothing, and the next one has another commitment.
   */
  async #commitTo(
    given: number | null,
    bets: Bet[] | null,
    send: (roundNo: number, commitment: string, calling: CallOptions) => Promise<Accepted>,
  ): Promise<Accepted> {
    for (;;) {
      const place = await this.#provenPlace(given);
      const { commitment } = await this.client.seeds.prepare(place, bets);
      const beforeRepeat = async (): Promise<void> => {
        await this.refresh();
        if (this.#epochOf(given) !== place.epoch) throw new StartedAnew('the shoe is another one by now');
      };
      try {
        const accepted = await send(place.roundNo, commitment, { ...this.#calling, beforeRepeat });
        if (bets) await this.client.seeds.stands(place, bets);
        return await this.#sent(accepted);
      } catch (error) {
        if (!(error instanceof StartedAnew)) throw error;
      }
    }
  }

  /** Bets in the open window, or in the next round of a solo table, with the commitment to a fresh seed. */
  bet(bets: Bet[]): Promise<Accepted> {
    return this.#commitTo(null, bets, (round_no, commitment, calling) =>
      this.client.placeBet({ table: this.name, body: { round_no, bets, commitment } }, calling),
    );
  }

  /** Commits a seed to the hand that is called, or to the new pile that is shuffled. */
  commit(roundNo: number): Promise<Accepted> {
    return this.#commitTo(roundNo, null, (_, commitment, calling) =>
      this.client.commitSeed({ id: `${this.name}:${roundNo}`, body: { commitment } }, calling),
    );
  }

  /**
   * Reveals this player's seed of the round in play, or of its new pile. Everything that the follower has is proven by
   * now, under a checkpoint of the one history: that checkpoint goes with the seed. What binds is what was asked for,
   * and the seed opens the commitment that binds.
   */
  async reveal(): Promise<Accepted> {
    if (this.#follower?.needs) await this.refresh();
    if (this.#follower?.needs)
      throw new FairshoeError(`not all that happened at ${this.name} is proven: no seed is shown`);
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
    const args = { id: `${this.name}:${roundNo}`, body: { player: me, seed: kept.seed, ...saw } };
    const accepted = await this.client.revealSeed(args, this.#calling);
    return this.#sent(accepted);
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
    await this.#readOwn().catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
    });
  }

  /** The verdict on a round of this table that is over, and the seeds of rounds up to it forgotten. */
  async settle(round: RoundView): Promise<RoundVerdict> {
    const verdict = await this.client.verifyRound(round.id, { signal: this.#signal });
    await this.client.seeds.forget(await this.#origin(), this.name, this.#me, round.round_no);
    return verdict;
  }
}

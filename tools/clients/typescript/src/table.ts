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
import { readEntry } from './asked.js';
import type { Client, RoundVerdict } from './client.js';
import { CheckFailed, type Evidence, FairshoeError, InvalidInput, ProblemError, SeedLost } from './errors.js';
import { type CallOptions, sleep } from './http.js';
import { isSame, readJson } from './json.js';
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
import { type PlayedRound, type PlayOptions, type Strategy, playRounds } from './play.js';

export interface TableOptions {
  signal?: AbortSignal;
}

type Body = { seat?: number; buy_in?: number };
const OVER = new Set(['settled', 'voided']);
/** What a follower lacks comes with the answer to one question; more than this many would be a circle. */
const MOST_QUESTIONS = 8;
/** How often a table without any shoe is looked at. */
const LOOK_MS = 300;

export class Table {
  readonly name: string;
  readonly client: Client;
  readonly #signal: AbortSignal | undefined;
  #info: TableView | null = null;
  #follower: Follower | null = null;
  #own: OwnCards | null = null;
  #ownFaces: Face[] = [];
  /** Starts of the dealer that proven entries show: an epoch from its entry on. */
  readonly #starts = new Map<number, string>();
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
    this.#info = await this.client.getTable({ table: this.name }, { signal: this.#signal });
    return this.#info;
  }

  async #begin(): Promise<void> {
    const info = this.#info ?? (await this.#readInfo()),
      vkey = await this.client.ready(this.#signal);
    if (!info.shoe && info.next_round === 0) return;
    const text = await this.client.tableBundleText(this.name, { signal: this.#signal });
    const follower = new verifier.Follower(text, vkey);
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

  /** A bundle's checkpoint is of the one history, and its starts of the dealer say which epoch is in force. */
  async #holdBundle(text: string): Promise<void> {
    const { checkpoint, context } = readJson(text) as {
      checkpoint: string;
      context: { index: number; entry: string }[];
    };
    await this.client.holdCheckpoint(checkpoint, this.#signal);
    for (const { index, entry } of context) {
      const start = (readEntry(entry).command as { start_dealer?: { epoch: string } }).start_dealer;
      if (start) this.#starts.set(index, start.epoch);
    }
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
      if (!item.proof) this.client.fail({ check: 'inclusion', message: `entry ${item.index} comes without its proof` });
      return { ...item, proof: item.proof ?? [], openings: item.openings ?? [] };
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
   * The epoch that a commitment for this table is bound to; where the start of the dealer is known, it is held against
   * that. *Attack: a wrong one, so that the seed opens nothing, and the player is named as one who withheld it.*
   */
  async #epoch(): Promise<{ origin: string; epoch: string; nextRound: number }> {
    await this.refresh();
    const { origin, epoch: said, next_round: saidNext } = await this.#readInfo();
    const log = verifier.readLogKey(await this.client.ready(this.#signal));
    if (origin !== log.name) this.client.fail({ check: 'origin', message: `the table names the log ${origin}` });
    let proven = this.#provenEpoch();
    if (this.#follower && proven !== null && proven !== said) {
      // The dealer may have started, or changed the shoe, since the last entry that is known here.
      const text = await this.client.tableBundleText(this.name, { signal: this.#signal });
      await this.#holdBundle(text);
      const follower = this.#follower;
      this.#note(this.#judge(() => follower.renew(text)));
      proven = this.#provenEpoch();
      const again = await this.#readInfo();
      if (proven !== null && again.epoch !== proven && again.shoe?.shoe_no === this.state?.shoe?.shoe_no)
        this.client.fail({
          check: 'epoch',
          message: `the table names the epoch ${again.epoch}; its shoe's is ${proven}`,
        });
    }
    const epoch = proven ?? said ?? (await this.client.getLog({ signal: this.#signal })).epoch;
    return { origin, epoch, nextRound: this.state?.next_round ?? saidNext };
  }

  /** The epoch of the shoe in use: that of the last start of the dealer before its commitment. */
  #provenEpoch(): string | null {
    const committed = this.state?.shoe?.entry ?? null;
    if (committed === null) return null;
    const before = [...this.#starts].filter(([index]) => index < committed);
    return before.sort(([one], [other]) => other - one)[0]?.[1] ?? null;
  }

  /** Makes and keeps the seed for a round (null: the open window's, or the next), and gives its commitment. */
  async #commitmentFor(given: number | null, bets: Bet[] | null): Promise<{ roundNo: number; commitment: string }> {
    const { origin, epoch, nextRound } = await this.#epoch();
    const roundNo = given ?? this.state?.window?.round_no ?? nextRound;
    const place = { origin, table: this.name, epoch, roundNo, player: this.#me };
    return { roundNo, commitment: (await this.client.seeds.prepare(place, bets)).commitment };
  }

  /** Bets in the open window, or in the next round of a solo table, with the commitment to a fresh seed. */
  async bet(bets: Bet[]): Promise<Accepted> {
    const { roundNo, commitment } = await this.#commitmentFor(null, bets);
    const body = { round_no: roundNo, bets, commitment };
    return this.#sent(await this.client.placeBet({ table: this.name, body }, this.#calling));
  }

  /** Commits a seed to the hand that is called, or to the new pile that is shuffled. */
  async commit(roundNo: number): Promise<Accepted> {
    const { commitment } = await this.#commitmentFor(roundNo, null);
    const args = { id: `${this.name}:${roundNo}`, body: { commitment } };
    return this.#sent(await this.client.commitSeed(args, this.#calling));
  }

  /**
   * Reveals this player's seed of the round in play, or of its new pile. Everything that the follower has is proven by
   * now, under a checkpoint of the one history: that checkpoint goes with the seed. What binds is what was asked for.
   */
  async reveal(): Promise<Accepted> {
    const { round } = this,
      me = this.#me;
    if (!round) throw new InvalidInput('there is no round to reveal a seed for');
    const pile = round.pile?.awaits === 'seeds' ? round.pile : null;
    const mine = (pile?.players ?? round.contributors).find(one => one.player === me);
    const roundNo = pile?.round_no ?? round.round_no;
    if (!mine?.commitment) throw new InvalidInput(`${me} has no commitment in ${round.id}`);
    if (this.#follower?.needs) await this.refresh();
    if (this.#follower?.needs)
      throw new FairshoeError(`not all that happened at ${this.name} is proven: no seed is shown`);
    const { origin } = this.#info ?? (await this.#readInfo());
    const kept = await this.client.seeds.find(origin, this.name, roundNo, me, mine.commitment);
    if (!kept) throw new SeedLost(`the seed for ${this.name}:${roundNo} is not in the store`);
    if (kept.bets && !pile) this.#holdToBets(kept.bets, round, me);
    const [, size, root] = (this.client.checkpoint ?? '').split('\n');
    const saw = size !== undefined && root !== undefined ? { saw: { size: Number(size), root } } : {};
    const args = { id: `${this.name}:${roundNo}`, body: { player: me, seed: kept.seed, ...saw } };
    const accepted = await this.client.revealSeed(args, this.#calling);
    return this.#sent(accepted);
  }

  /** What binds is what was asked for, to the chip. */
  #holdToBets(asked: Bet[], round: RoundView, me: string): void {
    const plain = (bets: Bet[]): unknown => bets.map(({ spot, stake }) => `${spot} ${stake}`).sort();
    const bound = round.contributors.find(one => one.player === me)?.bets ?? [];
    if (!isSame(plain(asked), plain(bound)))
      this.client.fail(
        {
          check: 'bets',
          message: `asked for ${JSON.stringify(plain(asked))}, bound is ${JSON.stringify(plain(bound))}`,
        },
        this.evidence(),
      );
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
    if (verdict.verdict === 'not_sound') {
      const [first] = verdict.findings;
      this.client.fail(first ?? { check: 'unknown', message: 'not sound' }, {
        name: 'bundle.json',
        text: verdict.bundle,
      });
    }
    if (this.#info) await this.client.seeds.forget(this.#info.origin, this.name, this.#me, round.round_no);
    return verdict;
  }
}

// A client of one service: the calls of the contract, each answer checked as far as it can be.
import { type Asking, holdToAsked, isFresh, roundOf } from './asked.js';
import { readEntry } from './entry.js';
import {
  asBadReply,
  BadReply,
  CheckFailed,
  type Evidence,
  FairshoeError,
  InvalidInput,
  ProblemError,
} from './errors.js';
import { type StreamEvent, type StreamOptions, readStream } from './events.js';
import {
  type CallArgs,
  type CallOptions,
  Connection,
  type Fetch,
  type RetryOptions,
  requireSendable,
  valueOf,
} from './http.js';
import { Calls } from './generated/calls.js';
import { OPERATIONS, SIGNED_CALLS, type Operation, type OperationId } from './generated/operations.js';
import type {
  Entry,
  LogInfo,
  Movement,
  PartInRound,
  PlayerView,
  Receipt,
  TableEntries,
  Transaction,
  Trial,
  TrialCommitment,
} from './generated/contract.js';
import { isSame, readJson } from './json.js';
import { linesOf, partOf, transactionsFrom } from './lists.js';
import { type KeyTrust, KnownLog, checkpointIn, checking, sizeOf } from './log.js';
import { Owed, type OwedEntry, asksLater, roundIn, tableOf } from './owed.js';
import { freshKey, freshSeed } from './random.js';
import { Seeds, commitmentTo } from './seeds.js';
import { type Signer, commandText, dependsOnTable, signatureHeader } from './sign.js';
import { MemoryStore, type Store } from './store.js';
import { Table, type TableOptions } from './table.js';
import { Tournament } from './tournament.js';
import verifier, { type BundleReport, type RoundOutcome } from './fairshoe-verify.js';

export interface ClientOptions {
  /** Where the service is reached; of several, nodes of one shard. */
  addresses: string | readonly string[];
  /** The log's verifier key, got by a way that you trust. Without it the key is pinned at the first use. */
  logKey?: string;
  /** Where seeds, the pinned key and the newest checkpoint are kept; by default in memory, for this client's life. */
  store?: Store;
  /** A player's token, and whose it is. */
  token?: string;
  player?: string;
  /** Signs this player's commands, where they have a key. */
  signer?: Signer;
  retry?: RetryOptions;
  fetch?: Fetch;
  /**
   * `later`: replies to seeds and choices come without their proofs, which are most of a small reply. What came so is
   * `owed` until it is proven: by the round's bundle (`verifyRound`), a table's entries, or `proveOwed`.
   */
  proofs?: 'later';
  /** Hears of each signed note of what the house received or refused: evidence, to be kept (spec/receipts.md). */
  onNote?: (note: HouseNote) => void;
}

export interface HouseNote {
  kind: 'received' | 'refused';
  note: string;
}

/** The verdict on a round, of the second verifier: rules, cards, draws and payments decided again. */
export interface RoundVerdict extends Omit<BundleReport, 'round'> {
  round: RoundOutcome | { id: string } | null;
  /** The bundle that was judged, as it came: evidence, or something to show to others. */
  bundle: string;
}

export class Client extends Calls {
  readonly #connection: Connection;
  readonly #store: Store;
  readonly #log: KnownLog;
  readonly #onNote: ((note: HouseNote) => void) | undefined;
  readonly #isLater: boolean;
  readonly #owed = new Owed();
  /** Seeds that were committed to. */
  readonly seeds: Seeds;
  #token: string | null;
  #player: string | null;
  #signer: Signer | null;
  /** The nonce that was used last; null: not asked for yet. */
  #nonce: number | null = null;
  /** Entries that answered a request of this client, the newest ones. */
  readonly #answered = new Set<number>();

  constructor(options: ClientOptions) {
    super();
    this.#connection = new Connection(options.addresses, options.fetch, options.retry);
    this.#store = options.store ?? new MemoryStore();
    this.#onNote = options.onNote;
    this.#isLater = options.proofs === 'later';
    this.#token = options.token ?? null;
    this.#player = options.player ?? null;
    this.#signer = options.signer ?? null;
    this.seeds = new Seeds(this.#store);
    const { addresses } = this.#connection;
    this.#log = new KnownLog(
      {
        addresses,
        info: async signal => (await this.#plain('getLog', {}, { signal, token: null })) as LogInfo,
        tile: (path, signal) => this.#tile(path, signal),
      },
      this.#store,
      options.logKey ?? null,
    );
  }

  // --- Who, and what is known ---------------------------------------------------------------------------------------

  /** Who plays; null: nobody. */
  get player(): string | null {
    return this.#player;
  }
  /** What this player's calls go with: a secret, to be kept where they play on later. Null: nobody plays. */
  get token(): string | null {
    return this.#token;
  }
  /** The address that the next request goes to: one of those given, or the leader's. */
  get address(): string {
    return this.#connection.current;
  }
  /** The newest checkpoint that was verified. */
  get checkpoint(): string | null {
    return this.#log.checkpoint;
  }
  /** The log's key, once it is known. */
  get logKey(): string | null {
    return this.#log.vkey;
  }
  /** Who vouched for the key. `pinned_now`: nobody, it was taken from the service just now. Null: not known yet. */
  get keyTrust(): KeyTrust | null {
    return this.#log.trust;
  }
  /** The first check that failed: nothing that changes anything is sent any more. */
  get failure(): CheckFailed | null {
    return this.#log.failure;
  }

  /** Entries that came without their proofs, as this client asked, and are not proven yet: the service's word. */
  get owed(): OwedEntry[] {
    return this.#owed.list();
  }

  /** From now on this player's token goes with each call, once the service knows it. */
  async signIn(player: string, token: string, options: CallOptions = {}): Promise<PlayerView> {
    await this.#log.ready(options.signal);
    const view = await this.getPlayer({ player }, { ...options, token });
    this.#player = player;
    this.#token = token;
    this.#nonce = null;
    return view;
  }

  /** Takes up who played before without asking the service: the next call shows whether the token is theirs. */
  resume(player: string, token: string): void {
    this.signOut();
    this.#player = player;
    this.#token = token;
  }

  /** Becomes a guest with play chips, where the service admits guests. */
  async joinAsGuest(options: CallOptions = {}): Promise<PlayerView> {
    for (let tried = 0; tried < 4; tried += 1) {
      // Another guest is another request.
      const idempotencyKey = tried === 0 ? options.idempotencyKey : undefined;
      const made = await this.admitGuest({}, { ...options, idempotencyKey, token: null });
      // A repeat is not shown the token again: the answer that held it is lost, and the guest with it.
      if (made.token === undefined || made.player === undefined) continue;
      const admitted = readEntry(made.receipts[0]?.entry ?? 'null').events.some(
        event => (event as { guest_admitted?: { player: string } }).guest_admitted?.player === made.player,
      );
      if (!admitted) this.fail({ check: 'asked', message: `the entry does not admit ${made.player}` });
      return this.signIn(made.player, made.token, options);
    }
    throw new BadReply('four guests were admitted, and none came with a token');
  }

  /**
   * Becomes the player for whom the house's own page gave this ticket; it is good once. What it is exchanged for ends by
   * itself: the house gives another.
   */
  async joinByTicket(ticket: string, options: CallOptions = {}): Promise<PlayerView> {
    const { player, token, receipts } = await this.exchangeTicket({ body: { ticket } }, { ...options, token: null });
    if (player === undefined || token === undefined) throw new BadReply('a ticket was exchanged for no token');
    const { command } = readEntry(receipts[0]?.entry ?? 'null');
    const { holder } = (command['issue_token'] ?? {}) as { holder?: unknown };
    if (holder !== `player:${player}`) this.fail({ check: 'asked', message: `the token is not for ${player}` });
    return this.signIn(player, token, options);
  }

  /** Forgets who plays. */
  signOut(): void {
    this.#player = null;
    this.#token = null;
    this.#signer = null;
    this.#nonce = null;
  }

  /** The key that everything is held against: given, pinned earlier, or pinned by this. `keyTrust` says which. */
  ready(signal?: AbortSignal): Promise<string> {
    return this.#log.ready(signal);
  }

  /** A table, followed entry by entry, each proven and decided again. */
  table(name: string, options: TableOptions = {}): Table {
    return new Table(this, name, options);
  }

  /** A tournament: entering it, and this player's seeds for the draws of their seat. */
  tournament(name: string): Tournament {
    return new Tournament(this, name, this.#store);
  }

  // --- Calls --------------------------------------------------------------------------------------------------------

  protected override async call(id: OperationId, asked: CallArgs, options: CallOptions): Promise<unknown> {
    const operation: Operation = OPERATIONS[id];
    // After a failed check nothing is sent any more that would bind anybody (spec/page.md, 3).
    if (operation.repeats !== 'read' && this.#log.failure) throw this.#log.failure;
    const given = this.#owed.ask(id, asked, this.#isLater);
    requireSendable(operation, given);
    const idempotencyKey = operation.repeats === 'key' ? (options.idempotencyKey ?? freshKey()) : undefined;
    try {
      // What a seed is revealed on is held by proof: the commitment, and all that the table was told to have since.
      if (id === 'revealSeed') await this.#prove(of => tableOf(of.round) === tableOf(roundIn(given)), options);
      const asking = await this.#asking(id, operation, options);
      const args = await this.#signed(id, given, options);
      const value = await this.#plain(id, args, { ...options, idempotencyKey });
      await this.#hold(id, args, value, asking, options.signal).catch((error: unknown) => {
        throw asBadReply(error);
      });
      if (id === 'cancelBet' && asking.by !== null) await this.#takeBack(args);
      return value;
    } catch (error) {
      if (error instanceof FairshoeError) error.idempotencyKey ??= idempotencyKey ?? null;
      throw error;
    }
  }

  /** Bets that the log shows as taken back bind nothing any more. */
  async #takeBack({ table, round_no: roundNo }: CallArgs): Promise<void> {
    const { name } = verifier.readLogKey(await this.#log.ready());
    if (this.#player !== null) await this.seeds.takenBack(name, String(table), Number(roundNo), this.#player);
  }

  /** Who asks, and how many entries the log is known to have before: an entry that the call makes comes behind them. */
  async #asking(id: OperationId, { repeats }: Operation, options: CallOptions): Promise<Asking> {
    const isOurs = options.token === undefined && this.#token !== null && this.#player !== null;
    const by = isOurs ? `player:${this.#player}` : null;
    if (options.idempotencyKey !== undefined || !isFresh(id, repeats)) return { by, size: null };
    if (this.#log.checkpoint === null) {
      await this.#log.ready(options.signal);
      if (this.#log.checkpoint === null) await this.getCheckpoint({ signal: options.signal });
    }
    return { by, size: sizeOf(this.#log.checkpoint ?? '') };
  }

  /** The same arguments with the player's signature, where they have a key and the call makes a command of theirs. */
  async #signed(id: OperationId, args: CallArgs, options: CallOptions): Promise<CallArgs> {
    const player = this.#player;
    if (!this.#signer || player === null || args.signature !== undefined || !SIGNED_CALLS.has(id)) return args;
    // Chips out is the player's command, and the operator's token goes with it.
    const isOurs =
      id === 'withdrawChips' ? args['player'] === player : options.token === undefined && this.#token !== null;
    return isOurs ? { ...args, signature: await this.#signature(id, args, player, options) } : args;
  }

  async #signature(id: OperationId, args: CallArgs, player: string, options: CallOptions): Promise<string> {
    const signer = this.#signer;
    if (!signer) throw new InvalidInput('nobody signs: give a signer');
    const { signal } = options;
    const isCash = dependsOnTable(id, args) && (options.isCash ?? (await this.#isCash(args, signal)));
    const command = commandText(id, args, { isCash, rules: await this.#rulesFor(id, args, signal) });
    const { name } = verifier.readLogKey(await this.#log.ready(signal));
    this.#nonce ??= (await this.getPlayer({ player }, { signal })).last_nonce;
    // Greater than the last one, also than that of another client of this player's whose clock is right.
    this.#nonce = Math.max(this.#nonce + 1, Date.now());
    return signatureHeader(signer, name, player, this.#nonce, command);
  }

  async #isCash(args: CallArgs, signal: AbortSignal | undefined): Promise<boolean> {
    const table = String(args['table'] ?? roundOf(args['id'])['table']);
    const { rules } = await this.getTable({ table }, { signal });
    if (!rules?.game) throw new BadReply(`the answer names no rules of ${table}`);
    return 'poker' in rules.game;
  }

  /** The rule set that a new table has: signed is all of it. What its name stands for is the service's word. */
  async #rulesFor(id: OperationId, { body }: CallArgs, signal: AbortSignal | undefined): Promise<unknown> {
    const { rules } = (body ?? {}) as { rules?: unknown };
    if (id !== 'openTable' || typeof rules !== 'string') return undefined;
    return (await this.getRuleSet({ name: rules }, { signal })).rules;
  }

  /**
   * This player's signature of the payment of chips, for the operator, whose `withdrawChips` takes it as `signature`
   * with the same body. It is good until this player signs something else that is logged: send it first.
   */
  async signWithdrawal(body: Movement, options: CallOptions = {}): Promise<string> {
    const player = this.#player;
    if (player === null) throw new InvalidInput('nobody plays: sign in first');
    return this.#signature('withdrawChips', { player, body }, player, options);
  }

  /** Whether this player's commands are signed. */
  get signs(): boolean {
    return this.#signer !== null;
  }

  /** From now on this player's commands are signed; null: no longer. */
  useSigner(signer: Signer | null): void {
    this.#signer = signer;
  }

  /** Sends a call, and reads the answer; nothing of it is checked. */
  async #plain(id: OperationId, args: CallArgs, options: CallOptions): Promise<unknown> {
    const operation: Operation = OPERATIONS[id];
    const token = options.token === undefined ? this.#token : options.token;
    try {
      const answer = await this.#connection.send(operation, args, options, token);
      if (answer.media === 'application/x-ndjson' && operation.reply === 'json') return this.#readLines(answer.text);
      return valueOf(operation, answer);
    } catch (error) {
      if (error instanceof ProblemError && error.refused !== null) await this.#hear('refused', error.refused);
      throw error;
    }
  }

  /** An answer in two lines: the note that something came, then what became of it (`received=first`). */
  async #readLines(text: string): Promise<unknown> {
    let received: string | undefined;
    for (const line of text.split('\n').filter(one => one !== '')) {
      const read = readJson(line) as { received?: string; status?: number; reply?: object } | null;
      if (typeof read?.received === 'string') received = read.received;
      else if (typeof read?.status === 'number' && read.reply && typeof read.reply === 'object') {
        if (read.status >= 300) throw new ProblemError(read.status, read.reply);
        return received === undefined ? read.reply : { ...read.reply, received };
      }
    }
    throw new BadReply('the answer ended before it said what became of the request');
  }

  /** What the second verifier, the contract and the history kept here say of an answer. */
  async #hold(
    id: OperationId,
    args: CallArgs,
    value: unknown,
    asking: Asking,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (id === 'getCheckpoint' || id === 'getWitnessedCheckpoint') return this.#log.hold(value as string, signal);
    if (id === 'getReceipt') return this.#log.hold(checkpointIn(value as string), signal);
    if (id === 'getLog') return this.#log.holdInfo(value as LogInfo, signal);
    const reply = (value !== null && typeof value === 'object' ? value : {}) as Record<string, unknown>;
    const receipts = receiptsIn(reply);
    const isRead = OPERATIONS[id].repeats === 'read';
    // *Attack: an answer that says "done" and holds nothing that the house could not deny.*
    if (!isRead && !receipts.length) throw new BadReply(`the answer to ${id} has no receipt`);
    const isOwed = (one: Receipt): boolean => asksLater(args) && one?.proof === undefined;
    const proven = receipts.filter(one => !isOwed(one));
    if (proven.length) await this.#holdReceipts(proven, signal);
    if (!isRead) {
      try {
        const unkept = receipts.filter(isOwed).filter(one => !this.#owed.add(one, roundIn(args)));
        await this.#proveEach(unkept, signal);
        holdToAsked(id, args, receipts, asking);
        this.#holdToOwnEntry(id, receipts[0] as Receipt, reply);
      } catch (error) {
        this.#log.fail(error);
      }
    }
    if (typeof reply['checkpoint'] === 'string') await this.#log.hold(reply['checkpoint'], signal);
    if (id === 'listTableEntries' || id === 'listTournamentEntries') await this.#holdEntries(args, reply, signal);
    if (typeof reply['received'] === 'string') await this.#hear('received', reply['received']);
  }

  /**
   * One entry answers one request, and the reply names the table that it opens. *Attack: two equal credits at once, and
   * one entry for both.*
   */
  #holdToOwnEntry(id: OperationId, { index, entry }: Receipt, { table }: Record<string, unknown>): void {
    const fail = (message: string): never => {
      throw new CheckFailed({ check: 'asked', entry: index, message }, { name: 'entry.json', text: entry });
    };
    const opened = (readEntry(entry).command['open_table'] as { table?: string } | undefined)?.table;
    if (id === 'openTable' && table !== opened) fail(`the entry opens ${opened}, the answer names ${String(table)}`);
    if (!isFresh(id, OPERATIONS[id].repeats)) return;
    if (this.#answered.has(index)) fail('the entry answered another request before');
    this.#answered.add(index);
    if (this.#answered.size > ANSWERED_KEPT) this.#answered.delete([...this.#answered][0] as number);
  }

  /** Entries that came with proofs are those of the checkpoint that came with them. */
  async #holdEntries(
    { query }: CallArgs & { query?: { proofs?: boolean } },
    { entries, checkpoint }: Record<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (!Array.isArray(entries) || typeof checkpoint !== 'string')
      throw new BadReply('the answer has no list of entries with its checkpoint');
    const receipts = (entries as ProvenItem[]).flatMap(({ index, entry, proof }) => {
      if (proof === undefined && query?.proofs) throw new BadReply(`entry ${index} comes without its proof`);
      return proof === undefined ? [] : [{ index, entry, proof: proofText(index, proof, checkpoint) }];
    });
    if (receipts.length) await this.#holdReceipts(receipts, signal);
  }

  async #holdReceipts(receipts: Receipt[], signal: AbortSignal | undefined): Promise<void> {
    await this.#log.receipts(receipts, signal);
    this.takeProven(receipts);
  }

  async #hear(kind: HouseNote['kind'], note: string): Promise<void> {
    // A note that its key did not sign shows nothing and accuses nobody: it is not handed on as evidence.
    if (!this.#onNote || !note.startsWith(`fairshoe ${kind}/v1\n`)) return;
    if (await this.#log.isHouseNote(note)) this.#onNote({ kind, note });
  }

  async #tile(path: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const [, level = '', index = ''] = /^tile\/([^/]+)\/(.+)$/.exec(path) ?? [];
    return (await this.#plain('getTile', { level: Number(level), index }, { signal, token: null })) as Uint8Array;
  }

  /** Bytes of an answer that is hashed or judged as it came. */
  async #text(id: OperationId, args: CallArgs, options: CallOptions): Promise<string> {
    const operation: Operation = { ...OPERATIONS[id], reply: 'text' };
    const token = options.token === undefined ? this.#token : options.token;
    return (await this.#connection.send(operation, args, options, token)).text;
  }

  /** Holds a signed checkpoint, wherever it came from, against the history kept here. */
  holdCheckpoint(checkpoint: string, signal?: AbortSignal): Promise<void> {
    return this.#log.hold(checkpoint, signal);
  }

  // --- What is proven -----------------------------------------------------------------------------------------------

  /** An entry of the log with its receipt, verified; what `getEntry` alone gives is not proven. */
  async provenEntry(index: number, options: CallOptions = {}): Promise<{ receipt: Receipt; entry: Entry }> {
    const text = await this.#text('getEntry', { index }, options);
    const proof = await this.#text('getReceipt', { index }, options);
    const receipt = { index, entry: text, proof };
    await this.#holdReceipts([receipt], options.signal);
    return { receipt, entry: readEntry(text) as unknown as Entry };
  }

  /**
   * Proves what is owed: the log's own receipt of each entry has to hold for the bytes that were told. What does not
   * hold is a failed check. What the log has no receipt for stays owed, and its error is thrown.
   */
  async proveOwed(options: CallOptions = {}): Promise<void> {
    await this.#prove(() => true, options);
  }

  async #prove(isMeant: (owed: OwedEntry) => boolean, { signal }: CallOptions): Promise<void> {
    await this.#proveEach(this.#owed.list().filter(isMeant), signal);
  }

  async #proveEach(told: readonly { index: number; entry: string }[], signal: AbortSignal | undefined): Promise<void> {
    for (const { index, entry } of told) {
      const proof = await this.#text('getReceipt', { index }, { signal });
      await this.#holdReceipts([{ index, entry, proof }], signal);
    }
  }

  /** Entries that are proven to be on the log known here: those that were owed are held against them. */
  takeProven(entries: Iterable<{ index: number; entry: string }>): void {
    try {
      for (const one of entries) this.#owed.settle(one);
    } catch (error) {
      this.#log.fail(error);
    }
  }

  /** A round's bundle as it came, for `verifyBundleText`, a file or somebody else. */
  bundleText(round: string, options: CallOptions = {}): Promise<string> {
    return this.#text('getBundle', { id: round }, options);
  }

  /** The bundle of a table's latest shoe. */
  tableBundleText(table: string, options: CallOptions = {}): Promise<string> {
    return this.#text('getTableBundle', { table }, options);
  }

  /**
   * The full verdict on a round: its bundle is fetched and judged here, by the second verifier, under the key known
   * here, and its checkpoint is held against the history kept here. What is not sound is a failed check, with the
   * bundle as its evidence. `sound_so_far` is sound as far as the round or its shoe has come: a shoe's seed is out when
   * the shoe is retired. What is owed of the round is proven by the bundle; what it does not hold, by its receipt.
   */
  async verifyRound(round: string, options: CallOptions = {}): Promise<RoundVerdict> {
    const vkey = await this.#log.ready(options.signal);
    const text = await this.bundleText(round, options);
    const evidence = { name: 'bundle.json', text };
    const report = await this.verifyBundleText(text, vkey);
    if (report.verdict === 'not_sound') {
      const [first] = report.findings;
      this.fail(first ?? { check: 'unknown', message: 'the verifier names no finding' }, evidence);
    }
    // *Attack: the good bundle of another round.*
    if (report.round?.id !== round)
      this.fail({ check: 'bundle_round', message: `the bundle is of ${report.round?.id}, not of ${round}` }, evidence);
    const { checkpoint, entries } = readJson(text) as { checkpoint?: unknown; entries: OwedEntry[] };
    if (typeof checkpoint !== 'string') throw new BadReply('the bundle has no checkpoint');
    await this.#log.hold(checkpoint, options.signal);
    this.takeProven(entries);
    await this.#prove(owed => owed.round === round, options);
    return report;
  }

  /**
   * The verdict on a bundle that is at hand, whoever it came from: nothing is sent, and what is not sound is said and
   * not thrown. Without a key it is judged under the one known here.
   */
  async verifyBundleText(text: string, vkey?: string): Promise<RoundVerdict> {
    const key = vkey ?? (await this.#log.ready());
    return checking(() => ({ ...verifier.verifyBundle(text, key), bundle: text }));
  }

  /** A table's entries with their proofs, for a follower: it holds each against the checkpoint, which is held here. */
  async entriesToFollow(table: string, fromSeq: number, waitMs: number, signal?: AbortSignal): Promise<TableEntries> {
    const query = { from_seq: fromSeq, limit: 256, wait_ms: waitMs, proofs: true };
    const page = (await this.#plain('listTableEntries', { table, query }, { signal })) as TableEntries | null;
    if (!Array.isArray(page?.entries)) throw new BadReply('the answer has no list of entries');
    await this.#log.hold(page.checkpoint, signal);
    return page;
  }

  // --- Lists --------------------------------------------------------------------------------------------------------

  /**
   * Each player's part in each round that is as asked for, as its line comes; nothing is kept. All of it is the
   * service's word, held to agree with itself and with what was asked. `findRounds` gives the same as one text.
   */
  async *eachRound(query: Query<'findRounds'> = {}, options: CallOptions = {}): AsyncGenerator<PartInRound> {
    for await (const line of this.#lines('findRounds', { query }, options)) yield partOf(line, query);
  }

  /** All that moved a player's balance, in the order of the log, as it comes: each follows from the one before. */
  async *eachTransaction(
    player: string,
    query: Query<'listTransactions'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Transaction> {
    const read = transactionsFrom();
    for await (const line of this.#lines('listTransactions', { player, query }, options)) yield read(line);
  }

  async *#lines(id: OperationId, args: CallArgs, options: CallOptions): AsyncGenerator<string> {
    const token = options.token === undefined ? this.#token : options.token;
    yield* linesOf(await this.#connection.open(OPERATIONS[id], args, options, token), id, options.signal);
  }

  /**
   * A self check, which changes nothing: the service's commitment to a seed is the one that this client makes. The seed
   * is made for this and thrown away. One that is given was shown to the house: nobody can play with it any more.
   */
  override async tryCommitment(
    { table, body = {} }: { table: string; body?: Partial<Trial> },
    options: CallOptions = {},
  ): Promise<TrialCommitment> {
    const { player = this.#player, seed = freshSeed(), round_no: roundNo = 0 } = body;
    if (player === null) throw new InvalidInput('whose commitment would it be? Name the player');
    const trial = await super.tryCommitment({ table, body: { player, round_no: roundNo, seed } }, options);
    const origin = verifier.readLogKey(await this.#log.ready(options.signal)).name;
    const told = { origin: trial.origin, table: trial.table, round_no: trial.round_no, player: trial.player };
    if (!isSame(told, { origin, table, round_no: roundNo, player }))
      this.fail({ check: 'origin', message: `the dry run is of ${JSON.stringify(told)}` });
    if (!verifier.unhex(String(trial.epoch), 32)) throw new BadReply('the epoch is none');
    const text = String(trial.hashed),
      hashed = verifier.unhex(text, text.length / 2);
    const made = commitmentTo(seed, { origin, table, epoch: trial.epoch, roundNo, player });
    if (trial.commitment !== made || !hashed || verifier.hex(verifier.sha256(hashed)) !== made)
      this.fail({
        check: 'seed_revealed',
        message: 'the service expects another commitment to a seed than this client makes',
      });
    return trial;
  }

  // --- Streams ------------------------------------------------------------------------------------------------------

  /** A table's entries as they happen. Nothing on a stream is proven; `table` follows one with proofs. */
  tableEvents(table: string, options: StreamOptions = {}): AsyncGenerator<StreamEvent> {
    const isOver = async (): Promise<boolean> =>
      (await this.listTableEntries({ table, query: BEHIND_ALL }, { signal: options.signal })).closed;
    const at = { name: table, path: `/v1/tables/${nameIn(table)}/events` };
    return readStream(this.#connection, at, this.#token, isOver, options);
  }

  /** A tournament's entries as they happen. */
  tournamentEvents(tournament: string, options: StreamOptions = {}): AsyncGenerator<StreamEvent> {
    const isOver = async (): Promise<boolean> =>
      (await this.listTournamentEntries({ tournament, query: BEHIND_ALL }, { signal: options.signal })).closed;
    const at = { name: tournament, path: `/v1/tournaments/${nameIn(tournament)}/events` };
    return readStream(this.#connection, at, this.#token, isOver, options);
  }

  /** A failed check of what this client was shown, found elsewhere: it ends play like any other. */
  fail(failed: CheckFailed): never;
  fail(failed: { check: string; message: string; entry?: number }, evidence?: Evidence | null): never;
  fail(
    failed: CheckFailed | { check: string; message: string; entry?: number },
    evidence: Evidence | null = null,
  ): never {
    return this.#log.fail(failed instanceof CheckFailed ? failed : new CheckFailed(failed, evidence));
  }
}

/** What one of these calls may be asked about; lines are read as JSON. */
type Query<Id extends 'findRounds' | 'listTransactions'> = Omit<
  NonNullable<NonNullable<Parameters<Calls[Id]>[0]>['query']>,
  'format'
>;

/** So many entries that answered a request are remembered: more than a client has under way at once. */
const ANSWERED_KEPT = 4096;

/** So many receipts a reply has at most (openapi.yaml, `Accepted`). */
const MOST_RECEIPTS = 2;

/** The receipts of a reply, whichever field they stand in. */
function receiptsIn({ receipts, receipt, committed, revealed, sealed }: Record<string, unknown>): Receipt[] {
  // *Attack: a million receipts in one reply, each to be proven, or kept as owed.*
  if (Array.isArray(receipts) && receipts.length > MOST_RECEIPTS)
    throw new BadReply(`the answer has ${receipts.length} receipts`);
  if (Array.isArray(receipts)) return receipts as Receipt[];
  const isReceipt = (one: unknown): boolean => one !== null && typeof one === 'object' && 'proof' in one;
  return [receipt, committed, revealed, sealed].filter(isReceipt) as Receipt[];
}

/** Asks for no entry, only whether there will be any. */
const BEHIND_ALL = { from_seq: Number.MAX_SAFE_INTEGER, limit: 1 };

interface ProvenItem {
  index: number;
  entry: string;
  proof?: string[];
}

/** A proof in the form of a receipt's. */
const proofText = (index: number, path: string[], checkpoint: string): string =>
  ['c2sp.org/tlog-proof@v1', `index ${index}`, ...path, '', checkpoint].join('\n');

function nameIn(name: string): string {
  if (!/^[a-z0-9_-][a-z0-9._-]{0,63}$/.test(name)) throw new InvalidInput(`${JSON.stringify(name)} is no name`);
  return name;
}

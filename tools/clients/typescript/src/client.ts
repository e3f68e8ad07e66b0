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
  type Prepared,
  prepared,
  type RetryOptions,
  requireSendable,
  valueOf,
} from './http.js';
import { Calls } from './generated/calls.js';
import { OPERATIONS, SIGNED_CALLS, SIGNED_FOR, type Operation, type OperationId } from './generated/operations.js';
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
import { type KeyState, PlayerKeys, freshPlayerKey, signerOfKey } from './keys.js';
import { linesOf, partOf, transactionsFrom } from './lists.js';
import { type KeyTrust, KnownLog, checkpointIn, checking, sizeOf } from './log.js';
import { type HouseNote, Notes } from './notes.js';
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
  /**
   * Signs this player's commands. Without it the client signs with a key of the player's own: kept in the store, made
   * and named at their first command where they have none. None is made where the store forgets it, but for a guest,
   * whose token it forgets too. Null: nothing is signed.
   */
  signer?: Signer | null;
  /** Hears of a key that was made, or brought back, and named just now: it has to be saved (`keyFile`). */
  onKey?: (key: string) => void;
  retry?: RetryOptions;
  fetch?: Fetch;
  /**
   * `later`: replies to seeds and choices come without their proofs, which are most of a small reply. What came so is
   * `owed` until it is proven: by the round's bundle (`verifyRound`), a table's entries, or `proveOwed`.
   */
  proofs?: 'later';
  /**
   * By default the house is asked to sign for each command that it signs for, before it decides it, and what it signed
   * is kept in the store (`notes`) until the log has the command. `asked-for`: only where a call has `received: 'first'`.
   */
  notes?: 'asked-for';
  /** Hears of each signed note of what the house received or refused, once it is kept (spec/receipts.md). */
  onNote?: (note: HouseNote) => void;
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
  readonly #notes: Notes;
  readonly #asksNotes: boolean;
  readonly #isLater: boolean;
  readonly #owed = new Owed();
  /** Seeds that were committed to. */
  readonly seeds: Seeds;
  #token: string | null;
  #player: string | null;
  /** What signs; null: nothing does. Undefined: the player's own key, which is not looked for yet. */
  #signer: Signer | null | undefined;
  /** Whether the player's own key signs, and not one that was given. */
  #isOwn: boolean;
  readonly #onKey: ((key: string) => void) | undefined;
  #looking: Promise<void> | null = null;
  /** Whether the key in force is not here, by the service's word. */
  #isElsewhere = false;
  /** The nonce that was used last; null: not asked for yet. */
  #nonce: number | null = null;
  /** The highest nonce of this player's that is proven to be on the log: nothing signed under a lower one is good. */
  #provenNonce = 0;
  /** Signed commands whose answers are not here yet. */
  readonly #underWay = new Set<Promise<unknown>>();
  /** Entries that answered a request of this client, the newest ones. */
  readonly #answered = new Set<number>();

  constructor(options: ClientOptions) {
    super();
    this.#connection = new Connection(options.addresses, options.fetch, options.retry);
    this.#store = options.store ?? new MemoryStore();
    this.#onNote = options.onNote;
    this.#notes = new Notes(this.#store);
    this.#asksNotes = options.notes === undefined;
    this.#isLater = options.proofs === 'later';
    this.#token = options.token ?? null;
    this.#player = options.player ?? null;
    this.#signer = options.signer;
    this.#isOwn = options.signer === undefined;
    this.#onKey = options.onKey;
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
    if (this.#player !== null && this.#player !== player) this.#forgetPen();
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

  /** Forgets who plays. Their own key stays in the store. */
  signOut(): void {
    this.#player = null;
    this.#token = null;
    this.#forgetPen();
  }

  /** A signer that was given is the player's for whom it was given; the next one's own key is looked for. */
  #forgetPen(): void {
    this.#isOwn ||= this.#signer !== null;
    this.#signer = this.#isOwn ? undefined : null;
    this.#looking = null;
    this.#isElsewhere = false;
    this.#nonce = null;
    this.#provenNonce = 0;
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

  /**
   * A call as it would go out now, signed where the player has a key, for whoever has to send it without waiting for
   * anything: a page that is being closed. Nothing holds its answer against a receipt. What the player signs later makes
   * its signature void, so it is prepared anew then.
   */
  async prepare(id: OperationId, args: CallArgs = {}, options: CallOptions = {}): Promise<Prepared> {
    if (!Object.hasOwn(OPERATIONS, id)) throw new InvalidInput(`${id} is no call of the contract`);
    const operation = OPERATIONS[id];
    if (operation.repeats !== 'read' && this.#log.failure) throw this.#log.failure;
    requireSendable(operation, args);
    return prepared(operation, await this.#signed(id, args, options), options, this.#token);
  }

  protected override call(id: OperationId, asked: CallArgs, options: CallOptions): Promise<unknown> {
    return this.#ask(id, asked, options, true);
  }

  async #ask(id: OperationId, asked: CallArgs, options: CallOptions, signs: boolean): Promise<unknown> {
    const operation: Operation = OPERATIONS[id];
    // After a failed check nothing is sent any more that would bind anybody (spec/page.md, 3).
    if (operation.repeats !== 'read' && this.#log.failure) throw this.#log.failure;
    const given = this.#owed.ask(id, this.#asksNotes ? withNote(id, asked) : asked, this.#isLater);
    requireSendable(operation, given);
    const idempotencyKey = operation.repeats === 'key' ? (options.idempotencyKey ?? freshKey()) : undefined;
    try {
      // What a seed is revealed on is held by proof: the commitment, and all that the table was told to have since.
      if (id === 'revealSeed') await this.#prove(of => tableOf(of.round) === tableOf(roundIn(given)), options);
      const asking = await this.#asking(id, operation, options);
      for (let tried = 1; ; tried += 1) {
        const args = signs ? await this.#signed(id, given, options) : given;
        const isSigned = args.signature !== given.signature;
        const answer = this.#answer(id, args, { ...options, idempotencyKey }, asking);
        try {
          const value = isSigned ? await this.#tracked(answer) : await answer;
          if (id === 'cancelBet' && asking.by !== null) await this.#takeBack(args);
          // Another key is in force, of the store or not.
          if (id === 'setKey' && signs && asking.by !== null) this.#lookAgain();
          return value;
        } catch (error) {
          if (!(error instanceof ProblemError) || !signs) throw error;
          // Another tab or program of this player's named, replaced or cleared the key.
          if (PEN_CODES.has(error.code)) this.#lookAgain();
          const isAgain = isSigned && error.code === 'nonce_used' && tried < MOST_SIGNATURES;
          if (!isAgain || !(await this.#isPast(id, args, options))) throw error;
        }
      }
    } catch (error) {
      if (error instanceof FairshoeError) error.idempotencyKey ??= idempotencyKey ?? null;
      throw error;
    }
  }

  async #answer(id: OperationId, args: CallArgs, options: CallOptions, asking: Asking): Promise<unknown> {
    const value = await this.#plain(id, args, options);
    await this.#hold(id, args, value, asking, options.signal).catch((error: unknown) => {
      throw asBadReply(error);
    });
    return value;
  }

  async #tracked(answer: Promise<unknown>): Promise<unknown> {
    this.#underWay.add(answer);
    try {
      return await answer;
    } finally {
      this.#underWay.delete(answer);
    }
  }

  /**
   * Whether a command that was refused for its nonce may be signed anew. Most do nothing when they are logged twice in
   * a row. Any other only where a later nonce is proven to be on the log: *attack: a house that refuses a payment, gets
   * it signed a second time, and logs both.*
   */
  async #isPast(id: OperationId, { signature }: CallArgs, { signal }: CallOptions): Promise<boolean> {
    const player = this.#player;
    if (player === null) return false;
    // Another program's clock may be ahead of this one's.
    const { last_nonce: last } = await this.getPlayer({ player }, { signal });
    this.#nonce = Math.max(this.#nonce ?? 0, last);
    if (SAME_TWICE.has(id)) return true;
    await Promise.allSettled(this.#underWay);
    return Number(/^nonce=(\d+)/.exec(signature ?? '')?.[1]) < this.#provenNonce;
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
    if (player === null || args.signature !== undefined || !SIGNED_CALLS.has(id)) return args;
    // Chips out is the player's command, and the operator's token goes with it.
    const isOut = id === 'withdrawChips';
    const isOurs = isOut ? args['player'] === player : options.token === undefined && this.#token !== null;
    if (!isOurs) return args;
    if (!(await this.#pen(player, !isOut))) {
      if (!this.#isElsewhere) return args;
      // *Attack: a house that speaks of another key, so that no first one is made, and logs what comes unsigned.*
      this.#lookAgain();
      throw new ProblemError(403, { code: 'signature_missing', detail: `the key of ${player} is not in this store` });
    }
    const named = id === 'openTable' ? withTable(args, player) : args;
    return { ...named, signature: await this.#signature(id, named, player, options) };
  }

  async #signature(id: OperationId, args: CallArgs, player: string, options: CallOptions): Promise<string> {
    const signer = await this.#pen(player, false);
    if (!signer) throw new InvalidInput('nobody signs: this player has no key here, and no signer was given');
    const { signal } = options;
    const isCash = dependsOnTable(id, args) && (options.isCash ?? (await this.#isCash(args, signal)));
    const command = commandText(id, args, { isCash, rules: await this.#rulesFor(id, args, signal) });
    const { name } = verifier.readLogKey(await this.#log.ready(signal));
    if (this.#nonce === null) {
      const { last_nonce: last } = await this.getPlayer({ player }, { signal });
      // Another command may have been signed meanwhile.
      this.#nonce = Math.max(this.#nonce ?? 0, last);
    }
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

  // --- The player's own key -----------------------------------------------------------------------------------------

  /** Whether this player's commands are signed. Their own key is made and named by this, where they have none yet. */
  async signs(): Promise<boolean> {
    return this.#player !== null && (await this.#pen(this.#player, true)) !== null;
  }

  /** From now on this player's commands are signed by this; null: no longer. */
  useSigner(signer: Signer | null): void {
    this.#isOwn = false;
    this.#signer = signer;
  }

  /** Looks anew for the player's own key before the next command. */
  #lookAgain(): void {
    if (!this.#isOwn) return;
    this.#signer = undefined;
    this.#looking = null;
    this.#isElsewhere = false;
  }

  /** What signs this player's commands. `mayName`: a first key is made and named where there is none. */
  async #pen(player: string, mayName: boolean): Promise<Signer | null> {
    for (let tried = 0; this.#signer === undefined; tried += 1) {
      if (this.#player !== player || tried >= MOST_SIGNATURES) throw new InvalidInput('somebody else plays by now');
      if (!mayName) return (await this.#held(player)).signer;
      // One look for all calls that wait for it: two would make two keys.
      const looking = (this.#looking ??= this.#look(player));
      try {
        await looking;
      } finally {
        if (this.#looking === looking) this.#looking = null;
      }
    }
    return this.#signer ?? null;
  }

  async #keys(player: string): Promise<PlayerKeys> {
    const { name } = verifier.readLogKey(await this.#log.ready());
    return new PlayerKeys(this.#store, name, player);
  }

  /** The key in force, and what signs with it where it is here. */
  async #held(player: string): Promise<{ keys: PlayerKeys; view: PlayerView; signer: Signer | null }> {
    const keys = await this.#keys(player),
      view = await this.getPlayer({ player });
    const kept = view.key === null ? null : await keys.find(view.key);
    return { keys, view, signer: kept && (await signerOfKey(kept)) };
  }

  async #look(player: string): Promise<void> {
    // A key that is forgotten with the program would lock its player out for a day: none is made then.
    const isKept = !(this.#store instanceof MemoryStore) || player.startsWith('guest.');
    if (!isKept && !(await (await this.#keys(player)).all()).length) {
      this.#signer = null;
      return;
    }
    const { keys, view, signer } = await this.#held(player);
    let pen = signer;
    if (view.key === null) {
      // One that was kept, and whose naming was not answered, goes before a new one. *Attack: an operator's key that
      // waits for a player without one: their own is in force at once, and takes it back.*
      const [kept = null] = await keys.all();
      const made = kept === null ? await freshPlayerKey() : await keys.find(kept);
      pen = made && (await signerOfKey(made));
      if (made && pen) {
        await keys.keep(made);
        try {
          await this.#ask('setKey', { player, body: { key: made.key } }, {}, false);
        } catch (error) {
          // Another tab was first: its key is in the store, or the player's, and elsewhere.
          if (error instanceof ProblemError && error.code === 'signature_missing') return;
          throw error;
        }
        this.#onKey?.(made.key);
      }
    }
    if (this.#player !== player || !this.#isOwn) return;
    this.#signer = pen;
    this.#isElsewhere = pen === null && view.key !== null;
  }

  /** How this player's commands go out; nothing is made by this. */
  async keyState(): Promise<KeyState> {
    const { keys, view, signer } = await this.#held(this.#whoPlays());
    const { key, key_waits: waits } = view;
    return {
      state: key === null ? 'none' : signer ? 'signs' : 'elsewhere',
      key,
      waitsUntil: waits?.from ?? null,
      isNextHere: waits?.key != null && (await keys.find(waits.key)) !== null,
    };
  }

  /** The text of a file that holds the key in force, to be saved where it is not lost; null where it is not here. */
  async keyFile(): Promise<string | null> {
    const { keys, view } = await this.#held(this.#whoPlays());
    const kept = view.key === null ? null : await keys.find(view.key);
    return kept && keys.write(kept);
  }

  /** Brings a key back, out of the text of such a file: the key in force, one that waits to be, or a first one. */
  async takeKeyFile(text: string): Promise<KeyState> {
    const { keys, view } = await this.#held(this.#whoPlays());
    const wanted: unknown[] = [view.key, view.key_waits?.key],
      read = keys.read(text, wanted);
    if (!(await signerOfKey(read))) throw new InvalidInput('the file is damaged: its two halves are not of one key');
    if (view.key !== null && !wanted.includes(read.key))
      throw new InvalidInput('the file holds another key than the one in force');
    await keys.keep(read);
    this.#lookAgain();
    if (view.key === null) await this.signs();
    return this.keyState();
  }

  /**
   * Makes and keeps another key, whose public half the operator names in the place of a lost one (`setKey` with a
   * reason). It is in force a day later, and signs here from then on.
   */
  async nextKey(): Promise<string> {
    const made = await freshPlayerKey();
    if (!made) throw new InvalidInput('no key can be made here: the platform knows no Ed25519, or only over https');
    await (await this.#keys(this.#whoPlays())).keep(made);
    return made.key;
  }

  /** Takes this player's keys out of the store: whoever has no file of them has lost them. */
  async forgetKeys(): Promise<void> {
    await (await this.#keys(this.#whoPlays())).forget();
    this.#lookAgain();
  }

  #whoPlays(): string {
    if (this.#player === null) throw new InvalidInput('nobody plays: sign in first');
    return this.#player;
  }

  /** Sends a call, and reads the answer; nothing of it is checked. */
  async #plain(id: OperationId, args: CallArgs, options: CallOptions): Promise<unknown> {
    const operation: Operation = OPERATIONS[id];
    const token = options.token === undefined ? this.#token : options.token;
    const heard = new Map<string, Promise<void>>();
    const hear = (kind: HouseNote['kind'], note: string): void => {
      // A note that cannot be read or kept takes no answer with it.
      if (!heard.has(note)) heard.set(note, this.#hear(kind, note).catch(() => undefined));
    };
    const received = operation.reply === 'json' ? (note: string): void => hear('received', note) : undefined;
    try {
      const answer = await this.#connection.send(operation, args, options, token, received);
      const value = valueOf(operation, answer);
      const { received: note } = (operation.repeats === 'read' ? {} : value) as { received?: unknown };
      if (typeof note === 'string') hear('received', note);
      return value;
    } catch (error) {
      if (error instanceof ProblemError && error.refused !== null) hear('refused', error.refused);
      throw error;
    } finally {
      await Promise.all(heard.values());
    }
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
        if (proven[0] && proven[0] === receipts[0]) this.#takeNonce(proven[0].entry);
      } catch (error) {
        this.#log.fail(error);
      }
    }
    if (typeof reply['checkpoint'] === 'string') await this.#log.hold(reply['checkpoint'], signal);
    if (id === 'listTableEntries' || id === 'listTournamentEntries') await this.#holdEntries(args, reply, signal);
  }

  #takeNonce(entry: string): void {
    const { by, signed } = readEntry(entry);
    if (by === `player:${this.#player}` && signed) this.#provenNonce = Math.max(this.#provenNonce, signed.nonce);
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
    await this.#notes.settled();
  }

  async #hear(kind: HouseNote['kind'], note: string): Promise<void> {
    // A note that its key did not sign shows nothing and accuses nobody: it is not handed on as evidence.
    if (!note.startsWith(`fairshoe ${kind}/v1\n`) || !(await this.#log.isHouseNote(note))) return;
    await this.#notes.keep(await this.#origin(), { kind, note });
    this.#onNote?.({ kind, note });
  }

  async #origin(): Promise<string> {
    return verifier.readLogKey(await this.#log.ready()).name;
  }

  /**
   * The house's signed notes that are kept, the oldest first: of what it received that is not on the log as far as is
   * known here, and of what it refused. `linesOfNotes` makes the file for `fairshoe-audit log --kept` of them.
   */
  async notes(): Promise<HouseNote[]> {
    return this.#notes.all(await this.#origin());
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

  /**
   * Entries that are proven to be on the log known here: those that were owed are held against them, and notes of what
   * was received go.
   */
  takeProven(entries: Iterable<{ index: number; entry: string }>): void {
    try {
      for (const one of entries) {
        this.#owed.settle(one);
        this.#notes.settle(one);
      }
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
    await this.#notes.settled();
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

/** The same call, to be signed for before it is decided, where the house signs for such calls. */
function withNote(id: OperationId, args: CallArgs): CallArgs {
  const query = { received: 'first', ...args.query };
  return SIGNED_FOR.has(id) ? { ...args, query } : args;
}

/** These say that another key is in force than the client thinks, or none. */
const PEN_CODES: ReadonlySet<string> = new Set(['signature_missing', 'signature_wrong', 'no_key']);

/** So often a command is signed at most, where others of this player's overtake it. */
const MOST_SIGNATURES = 4;

/** Calls whose command, logged twice in a row, does what it does once: the second is refused, or changes nothing. */
const SAME_TWICE: ReadonlySet<OperationId> = new Set<OperationId>([
  'setKey',
  'setLimit',
  'exclude',
  'openTable',
  'closeTable',
  'takeSeat',
  'leaveSeat',
  'sitOut',
  'wantSeat',
  'placeBet',
  'cancelBet',
  'commitSeed',
  'revealSeed',
  'handInLateSeed',
  'act',
  'register',
  'unregister',
  'revealSeatSeed',
  'declineRebuy',
  'wantDeal',
  'proposeDeal',
  'answerDeal',
]);

/** Who signs names the table that they open; a guest's are called so (spec/ledger.md, "Play chips"). */
function withTable(args: CallArgs, player: string): CallArgs {
  const body = (args.body ?? {}) as { table?: string };
  if (body.table !== undefined) return args;
  return { ...args, body: { ...body, table: `${player.startsWith('guest.') ? `play.${player}.` : ''}own-${freshKey()}` } };
}

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
  if (!/^[a-z0-9_-][a-z0-9._-]{0,63}$/.test(name)) throw new InvalidInput(`${name} is no name`);
  return name;
}

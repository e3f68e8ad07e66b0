// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// Records, the wallet, other logs, the state of the service.
import type {
  Ahead, Chips, Composition, Count, Hex32, LogName, Name, NodeAddress, Phase, Reference, RetireCause, RoundId,
  Time, UtcTime, VoidCause, WalletCall, WalletStyle, WitnessFailure,
} from './words.js';
import type { Bet, Committed, Receipt } from './views.js';

/** The shard of which this process is a node, and the shards that its order's servers know (spec/cluster.md). */
export type ClusterView = {
  /** Null if the process runs alone. */
  shard: string | null;
  /** Null if the process runs alone. */
  node: string | null;
  /** Whether it decides; always true if the process runs alone. */
  leads: boolean;
  /** Whether the order answered when it was asked last; always true if the process runs alone. */
  is_reached: boolean;
  /** Where the node that decides is reached; null if it is not known, and if the process runs alone. */
  leader: NodeAddress | null;
  shards: ShardView[];
};

/** What the node that leads a shard said of itself last. */
export type ShardView = {
  shard: string;
  /** Null where it gave the lead up. */
  node: string | null;
  address: NodeAddress;
  /** The log's key, as it says. */
  key: string;
  /** Entries of its log. */
  size: Count;
  /** Until when it leads, by its clock, unless it renews this; UTC milliseconds. */
  until: Count;
  /** The first of its open tables, by name. */
  tables: Name[];
  /** It has more of them. */
  has_more_tables: boolean;
};

export type Ready = {
  ready: boolean;
  /** Whether new bets are taken. */
  bets: boolean;
  /** Entries that are durable and signed. */
  size: Count;
  /** Why it is not ready, or not for bets. */
  reason: string | null;
  /** Absent where the service was started without witnesses. */
  witnessed?: WitnessState;
};

/** What the log's witnesses did (spec/log.md, "Witnesses"). */
export type WitnessState = {
  /** Whether `age` is above `limit`; without a limit, above a minute, or above twice the idle time if that is … */
  unwitnessed: boolean;
  /** Entries under the newest checkpoint that met the quorum; null if there is none. */
  size: Count | null;
  /** Seconds since it was the newest of all; null if there is none. */
  age: Count | null;
  /** Seconds of `age` above which no bet is taken. */
  limit: Count | null;
  witnesses: {
    /** Its name in the operator's file. */
    name: string;
    /** What it cosigned last, since the start. */
    cosigned_size: Count | null;
    /** When. */
    cosigned_at: Time | null;
    /** Why the last submission brought no cosignature; null if it did. */
    error: WitnessFailure | null;
    /** Submissions that failed since it cosigned last. */
    failures: Count;
    /** Whether it says that it has seen more of this log, or another tree (`ahead`, `other_tree`). */
    alarm: boolean;
  }[];
};

export type BundleVerdict = {
  /** `sound_so_far`: all that is shown holds, and the round is in play or the seed is not out. */
  verdict: 'sound' | 'sound_so_far' | 'not_sound';
  /** What does not hold, the first to fail first. */
  findings: {
    /** The check's stable name (spec/audit.md). */
    check: string;
    /** The log index of the entry at fault. */
    entry?: Count;
    table?: Name;
    message: string;
  }[];
  /** The round, step by step, in plain English. */
  story: string[];
  /** The verifier key the bundle was checked with, in the form of `VerifierKey`. */
  key: string;
  /** Whether that is this service's own key. */
  key_trusted: boolean;
  /** The round as the replay has it, as far as it came. */
  round?: {
    id: RoundId;
    shoe_no: Count;
    rules: Name;
    phase: Phase;
    cause?: VoidCause;
    ahead?: Ahead;
    players: { player: Name; staked: Chips; returned: Chips }[];
  };
};

/** A deposit from the wallet, or a withdrawal to it, as the log has it. */
export type WalletOperation = {
  no: Count;
  kind: 'deposit' | 'withdrawal';
  player: Name;
  amount: Chips;
  /** `open`: it waits for an answer of the wallet; of a deposit whose chips are there it may wait for `commit`. */
  state: 'open' | 'done' | 'refused' | 'cancelled';
  /** Absent where it is over. */
  waits_for?: WalletCall;
  /** Why the wallet refused, where it said so. */
  reason?: Reference;
  /** The entry that asked for it. */
  asked: Count;
  /** The entry with the last answer; absent before the first. */
  answered?: Count;
};

/** A player's operations that wait for the wallet. */
export type PlayerWallet = {
  player: Name;
  /** `chips`: chips come when a player asks for them. */
  style: WalletStyle | null;
  /** By number. */
  open: WalletOperation[];
};

export type KnownLogList = { logs: KnownLog[] };

/** Another log to and from which chips go (spec/transfers.md). */
export type KnownLog = {
  log: LogName;
  /** The policy that its receipts have to meet; null if no chips go there or come from there any more. */
  policy: string | null;
  /** What was sent there less what was claimed from there. */
  balance: number;
  sent: Count;
  /** The numbers of the transfers from there that were claimed, in runs. */
  claimed: { first: Count; last: Count }[];
};

/** A sealed shoe, as an auditor gets it. */
export type Disclosure = {
  /** The entry that says that they got it. */
  receipt: Receipt;
  table: Name;
  shoe_no: Count;
  /** The hand that was dealt from it. */
  round: RoundId;
  /** The epoch under which the seeds were committed. */
  epoch: Hex32;
  composition: Composition;
  /** The candidate that was dealt. */
  pick: number;
  /** One for each candidate. */
  seeds: [Hex32, Hex32];
};

export type ShoeHistory = {
  shoe_no: Count;
  composition: Composition;
  candidates: Committed[];
  /** The server seeds, once the shoe is retired and not sealed. */
  seeds: Hex32[] | null;
  committed: Receipt;
  revealed: Receipt | null;
  /** Of a shoe of a private game that was dealt: the entry that opens all that was shown. */
  sealed: Receipt | null;
  /** Why it left the table; null where every round has its own, and while it is in use. */
  cause: RetireCause | null;
};

export type KnownLogRequest = { log: LogName; policy?: string };

export type WalletMovement = {
  /** At least 1. */
  amount: Chips;
};

export type WalletDepositCommand = { wallet_deposit: { player: Name; amount: Chips } };

export type WalletWithdrawCommand = { wallet_withdraw: { player: Name; amount: Chips } };

export type WalletCancelCommand = { wallet_cancel: { no: Count } };

export type WalletAnswerCommand = {
  wallet_answer: {
    no: Count;
    call: WalletCall;
    answer: 'accepted' | 'refused';
    reason?: Reference;
  };
};

export type WalletAskedEvent = { wallet_asked: { no: Count; call: WalletCall; player: Name; amount: Chips } };

export type WalletAnsweredEvent = {
  wallet_answered: {
    no: Count;
    call: WalletCall;
    answer: 'accepted' | 'refused';
    reason?: Reference;
  };
};

export type RecallStep = {
  /** Counts the round's steps. */
  step: number;
  /** The log index of its entry. */
  index: Count;
  /** That entry's number at its table: strictly increasing. */
  table_seq: Count;
  time: UtcTime;
  by: string;
  kind: 'command' | 'event';
  /** Its word on the log. */
  word: string;
  /** Its content, as the log has it (`Command`, `Event`, `RoundEvent`). */
  content: Record<string, unknown>;
  /** The same in plain English. */
  line: string;
  /** Each player's balance before and after, where chips moved. */
  balances?: { player: Name; before: Chips; after: Chips }[];
};

/** A round recalled in full from the log. */
export type Recall = {
  id: RoundId;
  table: Name;
  round_no: Count;
  shoe_no: Count;
  rules: Name;
  digest: Hex32;
  phase: Phase;
  cause: VoidCause | null;
  bets_closed_at: UtcTime;
  ended_at: UtcTime | null;
  staked: Chips;
  returned: Chips;
  wagers: {
    player: Name;
    bets: Bet[];
    commitment: Hex32;
    /** At a cash table: their chips there before the hand. */
    stack_before?: Chips;
    /** And after it. */
    stack_after?: Chips;
    /** Every debit. */
    staked: Chips;
    /** Every credit; of a void round what came back. */
    returned: Chips;
    /** Before their first bet for this round. */
    balance_before: Chips;
    /** After the round's last entry so far. */
    balance_after: Chips;
  }[];
  /** Every step in its order, from the opening of the bets on. */
  steps: RecallStep[];
};

export type PlayerRecall = {
  player: Name;
  /** Newest first. */
  rounds: Recall[];
};

/** A start or stop, a refused start, a void, a malfunction, a correction, a revocation of tokens, a player's … */
export type SignificantEvent = {
  /** Strictly increasing, without a gap. */
  sequence: number;
  /** The log index of its entry. */
  index: Count;
  time: UtcTime;
  kind:
    | 'start'
    | 'stop'
    | 'start_refused'
    | 'void'
    | 'malfunction'
    | 'correction'
    | 'tokens_revoked'
    | 'key_replaced'
    | 'house_shuffle'
    | 'unseated'
    | 'shoe_disclosed'
    | 'tournament_cancelled'
    | 'tournament_changed'
    | 'disqualified'
    | 'prize_substituted'
    | 'log_known'
    | 'withheld_reveals';
  by: string;
  table?: Name;
  round?: RoundId;
  /** `VoidCause` or `LapseCause`. */
  cause?: string;
  /** Who withheld a seed. */
  missing?: Name[];
  ahead?: Ahead;
  /** The operator's, or why a start was refused. */
  reason?: Reference;
  player?: Name;
  amount?: Chips;
  holder?: string;
  epoch?: Hex32;
  software?: Reference;
  down_ms?: Count;
  /** Whether the process before had stopped in good order. */
  clean?: boolean;
  /** When the start was refused. */
  refused_at?: UtcTime;
  /** The shoe that was changed or disclosed, of `table`. */
  shoe_no?: Count;
  log?: LogName;
  /** How many of the last hundred rounds a withheld seed voided. */
  count?: number;
};

export type SignificantList = {
  events: SignificantEvent[];
  /** The cursor of the next page. */
  next: string | null;
};

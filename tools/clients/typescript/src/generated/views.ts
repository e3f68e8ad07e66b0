// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// What the service shows and answers.
import type {
  Account, ActionKind, Ahead, Card, Chips, ClientKind, ComeIn, Composition, Count, CutOff, Doubled, EntryNo,
  EntryText, ErrorCode, Hash, Hex32, HouseNote, LapseCause, LateExtra, LimitOf, LimitPer, LogName, Name,
  NodeAddress, Origin, Outcome, PartOutcome, Pay, Phase, Place, PlainAction, ProofText, Reference,
  RegistrationEnd, ReshuffleEveryRound, RetireCause, RoundId, SafeOutCause, SafeWonBy, SeatNumber,
  SignedCheckpoint, SignedChips, Slot, SumUnit, Ticket, Time, Token, Unlimited, VerifierKey, VoidCause,
} from './words.js';
import type { RoundEvent } from './entries.js';
import type { BlindLevel, EventBlinds, OfTournament, StandsView } from './tournaments.js';
import type { PokerMinBet, RuleSet } from './rules.js';
import type { CashView, GameView, NotedBetting, NotedCash, Positions, SeatChips } from './games.js';

/** An error (RFC 9457). */
export type Problem = {
  type: string;
  /** The status in words. */
  title: string;
  status: number;
  /** What was wrong, with the values at fault. */
  detail: string;
  code: ErrorCode;
  /** Of `unknown_table`: the table is closed, and this one came in its place. */
  replaced_by?: Name;
  /** Of `not_leader`: where the node that decides is reached, as far as is known. */
  leader?: NodeAddress;
  /** If the house refused a command: its note under the log's key that says what it refused, when and why. */
  refused?: HouseNote;
};

/** A checkpoint that the client held when it revealed. */
export type SeenCheckpoint = { size: Count; root: Hash };

export type LogInfo = {
  origin: Origin;
  vkey: VerifierKey;
  checkpoint: SignedCheckpoint;
  /** Entries under the checkpoint. */
  size: Count;
  /** The epoch in force; new at every start. */
  epoch: Hex32;
  started_at: Time;
  /** Whether guests are admitted (admitGuest). */
  guests?: boolean;
  /** If the log has ended (spec/recovery.md, "The end of a log"): the log that goes on from it, and its key, … */
  ended?: { origin: Origin; vkey: VerifierKey };
  /** What the house's chips stand for, for display alone; absent if the house does not say; then chips are … */
  currency?: {
    /** As in ISO 4217, where it is a currency. */
    code: string;
    /** Of minor units: with 2, 1250 is 12.50. */
    decimals: number;
  };
};

/** An entry with the proof that it is on the log. */
export type Receipt = { index: Count; entry: EntryText; proof?: ProofText };

/** The reply of every call that makes an entry, sent only when the entry is durable and under a signed … */
export type Accepted = {
  /** The call's own entry first. */
  receipts: Receipt[];
  /** The name of the guest who is admitted, or of the player for whom the ticket was made. */
  player?: Name;
  /** The balance afterwards of the player who bets, reveals or acts, or whom the operator names; a reveal … */
  balance?: Chips;
  round?: RoundView;
  /** One for every card that this entry turned up; absent where there is none. */
  openings?: Opening[];
  /** The caller's own cards, once the hand that the call is about is dealt. */
  own?: OwnCards;
  token?: Token;
  /** When that token stops working by itself, by the service's clock. */
  token_until?: Time;
  table?: Name;
};

/** A line of the reply to a command with `received=first`. */
export type SeedLine = SeedReceived | SeedReply;

export type SeedReceived = { received: HouseNote };

export type SeedReply = {
  /** The status that the reply would have had. */
  status: number;
  reply: Accepted | Problem;
};

/** The proof that a slot holds this value: the leaf `salt u16(slot) u8(value)` leads over the path to the … */
export type Opening = {
  slot: Slot;
  /** Card code `suit × 13 + rank`, suits c d h s, ranks A 2 … K; of a wheel the committed value. */
  value: number;
  salt: string;
  /** Siblings, leaf to root. */
  path: Hex32[];
  /** The shoe, where it is not the round's own: a later pile of Safe. */
  shoe_no?: Count;
};

/** An entry with its inclusion path in the tree of the bundle's checkpoint. */
export type Proven = { index: Count; entry: EntryText; proof: Hash[] };

/** All that a third party needs to replay a round offline. */
export type Bundle = {
  fairshoe_bundle: 1;
  round: RoundId;
  /** The sender's word for the log's key. */
  vkey: VerifierKey;
  checkpoint: SignedCheckpoint;
  context: Proven[];
  entries: Proven[];
  /** Of every face shown whose shoe's seed is not out. */
  openings: Opening[];
};

export type BalancePart = Name | Chips;

/** A player, and their balance before the entry. */
export type BalanceBefore = [Name, Chips];

/** A ticket by which a browser becomes a player. */
export type LoginTicket = {
  ticket: Ticket;
  /** When it ends, by the service's clock. */
  until: Time;
  /** Where the browser goes, below the address at which it reaches the service; the fragment `#ticket=…` works … */
  link: string;
};

export type PlayerList = {
  players: {
    player: Name;
    balance: Chips;
    guest: boolean;
    /** Whether their commands must be signed. */
    has_key: boolean;
  }[];
  /** The cursor of the next page; null at the end. */
  next: Name | null;
};

/** A posting to a player's account. */
export type Transaction = {
  /** The entry that posts it. */
  index: Count;
  time: Time;
  /** The kind of its command (spec/entries.md): `bet`, `reveal`, `credit`. */
  what: string;
  by: string;
  table: Name | null;
  /** Minor units; what goes out is below zero. */
  amount: number;
  /** What they have after it. */
  balance: Chips;
};

export type DisplayNames = {
  /** By pseudonym; a player for whom the operator gives no name is left out. */
  names: Record<string, unknown>;
};

export type PlayerView = {
  player: Name;
  /** Whether the player is a guest, so that the amounts are play chips. */
  guest?: boolean;
  balance: Chips;
  /** Where else their chips lie. */
  cash_seats: {
    table: Name;
    seat: SeatNumber;
    /** While a hand is in progress, the chips at its start. */
    stack: Chips;
  }[];
  /** The key that their commands are signed with, if they have one. */
  key: Hex32 | null;
  /** The operator's change of the key that is not in force yet; null if there is none. */
  key_waits?: KeyWaits | null;
  /** The limits in force that they set themselves; absent where there is none. */
  limits?: PlayerLimit[];
  /** Until when they have shut themselves out; absent where they have not. */
  excluded?: Time;
  /** That of their last signed entry; 0 before the first. */
  last_nonce: number;
  /** They pay entries of tournaments, and nothing else. */
  t_dollars: Chips;
  /** The tournaments for which they have a ticket. */
  tickets: Name[];
};

/** A limit that a player set themselves. */
export type PlayerLimit = {
  of: LimitOf;
  per: LimitPer;
  /** In minor units; of `play_time` in milliseconds. */
  most: Chips;
  /** What was counted in the present period; for `loss` below zero if they are ahead. */
  count: number;
  /** The end of that period; the count begins anew then. */
  until: Time;
  /** Absent where no change waits. */
  waiting?: LimitWaits;
};

/** A change that loosens a limit, and waits. */
export type LimitWaits = {
  /** Absent: no limit. */
  most?: Chips;
  /** When it is in force. */
  from: Time;
};

export type KeyWaits = {
  /** Null where the key is cleared. */
  key: Hex32 | null;
  /** When it is in force. */
  from: Time;
};

export type Bet = {
  /** Where it is placed: in blackjack the box number (`1` at solo tables with one box), in Safe the number of … */
  spot: string;
  stake: Chips;
  /** The chips it was placed with, in order. */
  chips?: Chips[];
};

/** A choice: a word, or an object with the word and its parameters, which tells the variants apart. */
export type Action =
  | PlainAction
  | BetAction
  | RaiseAction
  | DoubleAction
  | InsuranceAction
  | EvenMoneyAction
  | ChangeAction
  | OpenAction
  | DiscardAction;

export type BetAction = { bet: BetTo };

export type RaiseAction = { raise: BetTo };

export type DoubleAction = {
  /** Absent `amount` means exactly the opening stake. */
  double: { amount?: Chips };
};

export type InsuranceAction = { insurance: { take: boolean } };

export type EvenMoneyAction = { even_money: { take: boolean } };

export type ChangeAction = {
  /** Safe: the card of the hand that goes. */
  change: { card: Card };
};

export type OpenAction = {
  /** Safe: a face-down hand of one's own; absent: the oldest. */
  open: { hand?: Place };
};

export type DiscardAction = {
  /** Safe: a face-down hand of one's own; absent: the oldest. */
  discard: { hand?: Place };
};

/** Poker: how many chips lie before the player on this street afterwards. */
export type BetTo = { to: Chips };

export type Offer = {
  action: ActionKind;
  /** What it costs; 0 where it is free. */
  cost: Chips;
  /** Of a bet or raise in poker: the least and the most that `to` may be. */
  to?: [Chips, Chips];
};

/** A decision that is open. */
export type Decision = {
  /** Its number in the round. */
  decision: number;
  player: Name;
  place: Place;
  /** Of the place: the box, or the seat. */
  spot: number;
  /** Of the place: the hand there; at Safe the round that it is of. */
  hand: number;
  options: Offer[];
  /** From when on their time bank runs; absent where they have none. */
  bank_from?: Time;
  /** Default play decides then. */
  deadline: Time;
};

export type Contributor = {
  player: Name;
  /** Empty in a hand of poker. */
  bets: Bet[];
  commitment: Hex32;
  /** Once it is revealed. */
  seed: Hex32 | null;
  /** Every debit so far. */
  staked: Chips;
  /** Every credit so far; contains what was staked. */
  returned: Chips;
};

/** A round as everyone may see it. */
export type RoundView = {
  id: RoundId;
  table: Name;
  round_no: Count;
  shoe_no: Count;
  /** The shoes of the game's piles so far, pile 0 first; absent where there was one. */
  shoes?: Count[];
  phase: Phase;
  /** While bets are placed: when they are closed at the latest. */
  closes_at?: Time;
  /** While seeds are awaited. */
  reveal_by: Time | null;
  /** While cards are in play at a solo table; a shared one has a deadline for each decision. */
  settle_by: Time | null;
  contributors: Contributor[];
  /** `E`, once every seed is out. */
  entropy: Hex32 | null;
  /** The shoe candidate that is dealt. */
  pick: number;
  decisions: Decision[];
  pile?: PileView;
  void: null | VoidView;
  staked: Chips;
  returned: Chips;
  /** Null while bets are placed. */
  game: GameView | null;
};

export type VoidView = { cause: VoidCause; ahead: Ahead };

/** The shuffle of a new pile, while it goes on; absent otherwise. */
export type PileView = {
  /** The shuffle's own number: commitments and seeds are sent under it. */
  round_no: Count;
  /** The pile's shoe. */
  shoe_no: Count;
  awaits: 'commitments' | 'seeds';
  /** A player who is missing then is out of the game. */
  deadline: Time;
  players: { player: Name; commitment: Hex32 | null; seed: Hex32 | null }[];
};

/** The caller's own cards of a private game, which are shown to nobody else: faces, and openings against the … */
export type OwnCards = {
  round: RoundId;
  shoe_no: Count;
  candidate: number;
  cards: Card[];
  /** Of the same cards in the same order. */
  openings: Opening[];
};

export type RoundList = {
  /** Newest first. */
  rounds: RoundSummary[];
  /** The cursor of the next page. */
  next: string | null;
};

/** A player's part in a round; its sums and its end are null while it is in play. */
export type PartInRound = {
  round: RoundId;
  /** The name of the rule set. */
  rules: string;
  /** When the bets closed. */
  begun: Time;
  ended: Time | null;
  player: Name;
  outcome: PartOutcome;
  unit: SumUnit;
  staked: Chips | null;
  returned: Chips | null;
  /** What came back less what was staked. */
  net: number | null;
  cause: VoidCause | null;
  /** The entry that closed the bets. */
  first_entry: Count;
  last_entry: Count | null;
};

export type RoundSummary = {
  id: RoundId;
  /** When the bets closed. */
  time: Time;
  shoe_no: Count;
  phase: Phase;
  staked: Chips;
  returned: Chips;
  cause: VoidCause | null;
  /** In the list of a player: what they staked and got back in it; absent while it is in play. */
  own?: { staked: Chips; returned: Chips };
};

export type RoundRead = {
  round: RoundView;
  /** Of every card shown so far. */
  openings: Opening[];
  /** By the token of a player of the hand: their cards. */
  own?: OwnCards;
  /** Log indices of the table's entries from the one with `bets_closed` to the one that settles or voids the … */
  entries: Count[];
};

export type DecisionList = { decisions: Decision[] };

export type PlacedBet = { player: Name; bets: Bet[]; commitment: Hex32 };

export type InsuranceView = { premium: Chips; returned: Chips | null };

export type SpinView = {
  slot: Slot;
  /** The committed value. */
  value: number;
  /** The value moved by the players' offset. */
  pocket: number;
  colour: 'red' | 'black' | 'green';
};

/** When a new shoe comes, always between rounds. */
export type Reshuffle = ReshuffleEveryRound | ReshuffleCutBack | ReshuffleLeftAtMost | ReshuffleLeftBelow;

export type ReshuffleCutBack = { cut_back: number };

export type ReshuffleLeftAtMost = { left_at_most: number };

export type ReshuffleLeftBelow = { left_below: number };

export type AbandonRefunds = number | Unlimited;

export type NoLimitBetting = { no_limit: PokerMinBet };

export type PotLimitBetting = { pot_limit: PokerMinBet };

export type FixedLimitBetting = {
  fixed_limit: {
    small_bet: Chips;
    big_bet: Chips;
    /** Bets and raises a street. */
    cap: number | null;
  };
};

/** What a shoe candidate is committed to. */
export type Committed = {
  /** `C`, the hash of the server seed. */
  commitment: Hex32;
  /** `R`, the Merkle root over the salted slots. */
  root: Hex32;
};

/** What each player of a round that is over staked and got back, ascending; in a void round `returned` is what … */
export type RoundResults = { player: Name; staked: Chips; returned: Chips }[];

export type WaitingPart = Name | Time;

/** A player, and since when they wait. */
export type WaitingSince = [Name, Time];

/** A player, and their commitment for the next hand. */
export type CarriedCommitment = [Name, Hex32];

export type CallView = {
  /** The hand's number. */
  round_no: Count;
  /** Its deck. */
  shoe_no: Count;
  /** When the call is over. */
  closes_at: Time;
  /** The players who are ready; when all of them have committed the hand begins. */
  awaited: Name[];
};

export type TableView = {
  /** The kind of chips, as its name says: guests play with play chips alone, everybody else with credited ones. */
  chips?: 'credited' | 'play';
  table: Name;
  rules: RuleSet;
  digest: Hex32;
  /** The only player who may bet; null: everyone. */
  owner: Name | null;
  origin: Origin;
  /** The epoch under which the shoe was committed; where there is none, the one in force, under which the next … */
  epoch: Hex32;
  shoe: null | ShoeView;
  next_round: Count;
  /** The round in play. */
  round: RoundId | null;
  /** The seats that are taken; none at a solo table. */
  seats: {
    seat: number;
    player: Name;
    /** Betting windows in a row without their bet; the seat is lost at 3. */
    misses: number;
    /** They asked to play and bets have not been opened since. */
    asks: boolean;
    /** They did not bet in the shoe's last round and so wait for the next shoe. */
    waits_for_shoe: boolean;
  }[];
  /** Of a cash table; null at any other. */
  cash: CashView | null;
  /** The betting window, while it is open. */
  window: WindowView | null;
  /** Who waits for a seat (`POST …/waiting`). */
  waiting?: Name[];
  /** The cut card has appeared, or the operator asked for a shuffle: the shoe is changed after this hand. */
  last_hand: boolean;
  /** How many of the last hundred rounds a withheld seed voided. */
  withheld_in_last_100: number;
  /** The tournament that it is a table of; null at any other. */
  tournament: OfTournament | null;
  /** What the table's sign says of its rules, for people. */
  notices: string[];
};

export type ShoeView = {
  shoe_no: Count;
  composition: Composition;
  candidates: Committed[];
  undrawn: number;
  /** The entry that committed it, once that is durable. */
  entry: Count | null;
  /** That entry's number in the table's sequence. */
  seq: Count | null;
};

export type WindowView = {
  round_no: Count;
  shoe_no: Count;
  closes_at: Time | null;
  /** They are placed and do not bind yet. */
  bets: PlacedBet[];
  /** Who asked for this round or bet in the last one. */
  expected: Name[];
};

export type TableList = {
  tables: TableView[];
  /** The cursor of the next page. */
  next: Name | null;
};

export type CurrentShoe = {
  shoe_no: Count;
  composition: Composition;
  candidates: Committed[];
  epoch: Hex32;
  receipt: Receipt;
};

export type TableEntries = {
  table: Name;
  entries: {
    /** Its place in the log. */
    index: Count;
    /** Its number in the table's sequence. */
    seq: Count;
    entry: EntryText;
    /** Of the faces it shows; absent where it shows none. */
    openings?: Opening[];
    /** Where proofs are asked for: the siblings from the leaf up to the root's child, under `checkpoint`. */
    proof?: Hash[];
  }[];
  /** Where to go on. */
  next_seq: Count;
  /** Whether the table is closed, so that no entry follows these. */
  closed: boolean;
  /** The log's size under the checkpoint. */
  size: Count;
  checkpoint: SignedCheckpoint;
};

/** An entry that has become durable, its exact text. */
export type EntryStreamEvent = {
  /** The log index of the entry. */
  id: string;
  event: 'entry';
  data: EntryText;
};

/** Openings of the faces that the entry before it shows, each with its `shoe_no`. */
export type OpeningsStreamEvent = {
  /** The log index of the entry, and `.1`. */
  id: string;
  event: 'openings';
  /** A list of openings. */
  data: string;
};

/** What the entry before it deals to the player whose token opened the stream. */
export type OwnStreamEvent = {
  /** The log index of the entry, and `.2`. */
  id: string;
  event: 'own';
  /** The caller's own cards. */
  data: string;
};

/** A server-sent event of a table: its three fields. */
export type TableStreamEvent = EntryStreamEvent | OpeningsStreamEvent | OwnStreamEvent;

export type Claim = {
  from: LogName;
  /** The entry that sent them, byte for byte. */
  entry: string;
  /** The receipt for it (spec/receipts.md). */
  proof: string;
};

export type NewPlayer = {
  player: Name;
  /** Their raw Ed25519 public key, if they sign their commands. */
  key?: Hex32;
};

export type Movement = {
  /** At least 1. */
  amount: Chips;
  reference?: Reference;
};

export type NewTransfer = {
  to: LogName;
  /** At least 1. */
  amount: Chips;
};

export type Correction = {
  /** At least 1. */
  amount: Chips;
  /** Why; it stands on the public log. */
  reason: Reference;
};

export type NewKey = {
  /** The raw Ed25519 public key. */
  key?: Hex32;
  /** The operator must give one; nobody else does. */
  reason?: Reference;
};

export type NewLimit = {
  of: LimitOf;
  per: LimitPer;
  /** In minor units; of `play_time` in milliseconds. */
  most?: Chips;
};

export type NewExclusion = {
  /** At most 3650 days from now; later than one that runs. */
  until: Time;
};

export type NewToken = {
  /** End the holder's earlier tokens, the one that asks among them. */
  revoke?: boolean;
  /** For how long it works, at most 400 days; absent: until it is revoked. */
  seconds?: number;
};

export type NewAuditor = {
  name: Name;
  /** End the holder's earlier tokens. */
  revoke?: boolean;
  /** For how long it works, at most 400 days; absent: until it is revoked. */
  seconds?: number;
};

export type NewTicket = {
  /** The exchange ends the player's earlier tokens. */
  revoke?: boolean;
  /** For how long the token works that is given for the ticket, at most 400 days. */
  seconds?: number;
};

export type TicketExchange = { ticket: Ticket };

export type NewTable = {
  /** Absent: the service gives one. */
  table?: Name;
  /** A rule set of `GET /v1/rulesets`. */
  rules: Name;
  /** A closed table of the same owner, which this one replaces; a reader who asks for the closed one is told so. */
  replaces?: Name;
  /** Options of the rule set that are to differ. */
  options?: Record<string, unknown>;
};

export type SeatWish = {
  /** Absent: the first that is free. */
  seat?: number;
  /** At a cash table, with a new seat: the chips to sit down with. */
  buy_in?: Chips;
  /** At a cash table, with a new seat; absent: desktop. */
  client?: ClientKind;
  /** At a cash table: how the player comes in while they owe blinds; absent: as before, at first by posting. */
  entry?: ComeIn;
  /** At a cash table, of one who sits: whether they straddle where they may; absent: as before. */
  straddle?: boolean;
};

export type Because = {
  /** It stands on the log. */
  reason: Reference;
};

export type MoreChips = { amount: Chips };

export type Announced = { round_no: Count };

export type BetRequest = {
  round_no: Count;
  bets: Bet[];
  /** The hash of a fresh 32-byte client seed, bound to table, epoch, round and player (spec/fairness.md, … */
  commitment: Hex32;
  /** The epoch that the commitment is bound to. */
  epoch?: Hex32;
};

export type Commit = {
  /** The hash of a fresh 32-byte seed (spec/fairness.md, "Client seed"). */
  commitment: Hex32;
  /** The epoch that the commitment is bound to. */
  epoch?: Hex32;
};

export type Trial = {
  player: Name;
  round_no: Count;
  /** One that is thrown away. */
  seed: Hex32;
};

export type TrialCommitment = {
  /** The SHA-256 hash of `hashed`. */
  commitment: Hex32;
  /** What is hashed, in hexadecimal digits: label, context, round number, player, seed (spec/fairness.md, … */
  hashed: string;
  origin: Origin;
  table: Name;
  /** The one in force at the table. */
  epoch: Hex32;
  round_no: Count;
  player: Name;
};

export type Reveal = {
  player: Name;
  seed: Hex32;
  saw?: SeenCheckpoint;
  /** At a cash table, with the player's own token: their commitment for the next hand, which spares a call. */
  next?: Hex32;
};

export type LateSeed = { player: Name; seed: Hex32 };

export type Act = { decision: number; action: Action };

export type Registration = { commitment: Hex32; pay: Pay };

export type SeatReveal = { entry_no: EntryNo; seed: Hex32; next?: Hex32 };

export type NoRebuy = { entry_no: EntryNo };

export type StakeOffer = {
  /** At most 10000. */
  basis_points: Count;
};

export type StakePurchase = { basis_points: Count };

export type BountyOf = { player: Name; has: boolean };

export type Disqualification = {
  player: Name;
  /** It stands on the log. */
  reason: Reference;
};

export type Substitute = {
  place: number;
  /** What it is. */
  what: Reference;
  /** What it is worth, minor units. */
  value: Count;
};

export type RegistrationTimes = {
  late_levels: number;
  /** How long before the start an entry can no longer be given back; absent: never. */
  unregister_ms?: Count;
  /** It stands on the log. */
  reason: Reference;
};

export type Postponement = {
  starts_at: Time;
  /** It stands on the log. */
  reason: Reference;
};

export type Cancellation = {
  /** The reference instant; absent: now. */
  instant?: Time;
  /** It stands on the log. */
  reason: Reference;
};

export type CreatePlayerCommand = { create_player: { player: Name; key?: Hex32 } };

export type AdmitGuestCommand = { admit_guest: Record<string, never> };

export type DismissGuestCommand = { dismiss_guest: { player: Name } };

export type SetKeyCommand = { set_key: { player: Name; key?: Hex32; reason?: Reference } };

export type SetLimitCommand = { set_limit: { player: Name; of: LimitOf; per: LimitPer; most?: Chips } };

export type ExcludeCommand = { exclude: { player: Name; until: Time } };

export type IssueTokenCommand = { issue_token: { holder: string; revoke: boolean } };

export type CreditCommand = { credit: { player: Name; amount: Chips; reference?: Reference } };

export type WithdrawCommand = { withdraw: { player: Name; amount: Chips; reference?: Reference } };

export type OpenTableCommand = { open_table: { table: Name; rules: RuleSet; replaces?: Name } };

export type CloseTableCommand = { close_table: { table: Name } };

export type CommitShoeCommand = { commit_shoe: { table: Name } };

export type BetCommand = { bet: { table: Name; round_no: Count; bets: Bet[]; commitment: Hex32 } };

export type RevealCommand = {
  reveal: {
    table: Name;
    round_no: Count;
    player: Name;
    seed: Hex32;
    saw?: SeenCheckpoint;
    next?: Hex32;
  };
};

export type LateSeedCommand = { late_seed: { table: Name; round_no: Count; player: Name; seed: Hex32 } };

export type ActCommand = { act: { table: Name; round_no: Count; decision: number; action: Action } };

export type LapseCommand = {
  lapse: { table: Name; round_no: Count; lapsed: 'reveal' | 'round' | 'turn' | 'pile' };
};

export type VoidRoundCommand = { void_round: { table: Name; round_no: Count; reason: Reference } };

export type RecoverCommand = { recover: { table: Name } };

export type CorrectCommand = { correct: { player: Name; amount: Chips; reason: Reference } };

export type KnowLogCommand = { know_log: { log: LogName; policy?: string } };

export type TransferOutCommand = { transfer_out: { to: LogName; player: Name; amount: Chips } };

export type TransferInCommand = { transfer_in: { from: LogName; entry: string; receipt: string } };

export type ContinueLogCommand = {
  /** The log goes on from another, whose last entries are lost (spec/recovery.md). */
  continue_log: {
    origin: string;
    key: Hex32;
    size: Count;
    root: string;
    new_key: Hex32;
    signature: string;
  };
};

export type EndLogCommand = {
  /** The log ends here, for the log and the key that it names; nothing comes after (spec/recovery.md). */
  end_log: { origin: string; key: Hex32 };
};

export type NoteRefusedStartCommand = { note_refused_start: { at: Time; reason: Reference } };

export type NoteStateCommand = { note_state: { size: Count; root: Hex32 } };

export type TakeSeatCommand = { take_seat: { table: Name; seat: number } };

export type SitDownCommand = {
  sit_down: {
    table: Name;
    seat: number;
    buy_in: Chips;
    client?: ClientKind;
    entry?: ComeIn;
  };
};

export type SitOutCommand = { sit_out: { table: Name } };

export type AddChipsCommand = { add_chips: { table: Name; amount: Chips } };

export type TidySeatsCommand = { tidy_seats: { table: Name } };

export type DiscloseShoeCommand = { disclose_shoe: { table: Name; shoe_no: Count; reason: Reference } };

export type AskToPlayCommand = { ask_to_play: { table: Name } };

export type SitInCommand = { sit_in: { table: Name; entry?: ComeIn; straddle?: boolean } };

export type WantSeatCommand = { want_seat: { table: Name } };

export type UnseatCommand = { unseat: { table: Name; player: Name; reason: Reference } };

export type LeaveSeatCommand = { leave_seat: { table: Name } };

export type OpenBetsCommand = { open_bets: { table: Name } };

export type CancelBetCommand = { cancel_bet: { table: Name; round_no: Count } };

export type CloseBetsCommand = { close_bets: { table: Name; round_no: Count } };

export type CallHandCommand = { call_hand: { table: Name } };

export type CommitHandSeedCommand = { commit_hand_seed: { table: Name; round_no: Count; commitment: Hex32 } };

export type WithdrawHandSeedCommand = { withdraw_hand_seed: { table: Name; round_no: Count } };

export type CloseCallCommand = { close_call: { table: Name; round_no: Count } };

export type RetireShoeCommand = { retire_shoe: { table: Name; reason?: Reference } };

export type CommitSeedCommand = { commit_seed: { table: Name; round_no: Count; commitment: Hex32 } };

export type SetSeatsCommand = { set_seats: { table: Name } };

export type PlayerCreatedEvent = { player_created: { player: Name } };

export type GuestAdmittedEvent = { guest_admitted: { player: Name } };

export type GuestDismissedEvent = { guest_dismissed: { player: Name } };

export type KeySetEvent = { key_set: { player: Name; key?: Hex32; from?: Time; old?: Hex32 } };

export type LimitSetEvent = {
  limit_set: { player: Name; of: LimitOf; per: LimitPer; most?: Chips; from?: Time };
};

export type ExcludedEvent = { excluded: { player: Name; until: Time } };

export type TokenIssuedEvent = { token_issued: { holder: string; revoked: boolean } };

export type TableOpenedEvent = {
  table_opened: {
    rules: RuleSet;
    digest: Hex32;
    owner?: Name;
    idle_ms?: Count;
    replaces?: Name;
    /** The tournament whose table it is. */
    event?: Name;
  };
};

export type TableClosedEvent = { table_closed: Record<string, never> };

export type ShoeCommittedEvent = {
  shoe_committed: { shoe_no: Count; composition: Composition; candidates: Committed[] };
};

export type TableNotedEvent = {
  table_noted: {
    next_round: Count;
    last_used: Time;
    pause_until?: Time;
    betting?: NotedBetting;
    cash?: NotedCash;
  };
};

export type BetsOpenedEvent = { bets_opened: { round_no: Count; shoe_no: Count; closes_at?: Time } };

export type BetPlacedEvent = { bet_placed: { bet: PlacedBet } };

export type BetsClosedEvent = {
  bets_closed: {
    round_no: Count;
    shoe_no: Count;
    contributors: PlacedBet[];
    lanes: number;
    reveal_by: Time;
    /** True where the operator said so before the time was up; absent otherwise. */
    announced?: boolean;
  };
};

export type CallLapsedEvent = {
  call_lapsed: {
    round_no: Count;
    cause: 'too_few_players' | 'restart' | 'malfunction' | 'closed' | 'no_seeds';
    /** True where the operator said so before the time was up; absent otherwise. */
    announced?: boolean;
  };
};

export type SeedLateEvent = { seed_late: { round_no: Count; player: Name; seed: Hex32 } };

export type SeedRevealedEvent = { seed_revealed: { player: Name; seed: Hex32 } };

export type RoundOpenedEvent = {
  round_opened: { entropy: Hex32; pick: number; others: Hex32[]; settle_by?: Time };
};

export type PlayEvent = { play: RoundEvent };

export type PostedEvent = { posted: { lines: PostedLine[] } };

export type RoundSettledEvent = {
  round_settled: { round_no: Count; staked: Chips; returned: Chips; players: RoundResults };
};

export type RoundVoidedEvent = {
  round_voided: {
    round_no: Count;
    cause: VoidCause;
    missing: Name[];
    ahead: Ahead;
    players: RoundResults;
    refunds?: number;
    /** Early winnings that were spent before the void, and stay. */
    kept?: { player: Name; amount: Chips }[];
    /** Of a hand of poker: what everybody had in the pot, and the seats that were ahead by the hands that lay … */
    standing?: { put_in: SeatChips[]; leading: SeatNumber[] };
  };
};

export type RoundResumedEvent = {
  round_resumed: { round_no: Count; reveal_by?: Time; settle_by?: Time; turn_by?: Time };
};

export type ShoeRevealedEvent = { shoe_revealed: { shoe_no: Count; seeds: Hex32[]; cause?: RetireCause } };

export type LogKnownEvent = { log_known: { log: LogName; policy?: string } };

export type TransferredOutEvent = { transferred_out: { to: LogName; no: Count; player: Name; amount: Chips } };

export type TransferredInEvent = {
  transferred_in: { from: LogName; no: Count; index: Count; player: Name; amount: Chips };
};

export type LogContinuesEvent = {
  log_continues: { origin: string; key: Hex32; size: Count; root: string; new_key: Hex32 };
};

export type LogEndedEvent = { log_ended: { origin: string; key: Hex32 } };

export type StartRefusedEvent = { start_refused: { at: Time; reason: Reference } };

export type StateNotedEvent = { state_noted: { size: Count; root: Hex32 } };

export type SeatTakenEvent = { seat_taken: { player: Name; seat: number } };

export type SeatWantedEvent = { seat_wanted: { player: Name } };

export type SeatLeftEvent = { seat_left: { player: Name; seat: number } };

export type PlayAskedEvent = { play_asked: { player: Name } };

export type CooldownEvent = {
  cooldown: {
    player: Name;
    offence: 'reveal_missing' | 'went_away' | 'no_bet';
    offences: number;
    until: Time;
  };
};

export type BetCancelledEvent = { bet_cancelled: { player: Name } };

export type BetsLapsedEvent = {
  bets_lapsed: {
    round_no: Count;
    cause: LapseCause;
    /** True where the operator said so before the time was up; absent otherwise. */
    announced?: boolean;
  };
};

export type LastHandEvent = { last_hand: { shoe_no: Count } };

export type PileOpenedEvent = {
  pile_opened: { round_no: Count; shoe_no: Count; players: Name[]; commit_by: Time };
};

export type SeedCommittedEvent = { seed_committed: { player: Name; commitment: Hex32 } };

export type PileClosedEvent = {
  pile_closed: {
    round_no: Count;
    shoe_no: Count;
    contributors: { player: Name; commitment: Hex32 }[];
    reveal_by: Time;
  };
};

export type PileShuffledEvent = { pile_shuffled: { round_no: Count; entropy: Hex32; pick: number } };

export type PileFailedEvent = { pile_failed: { round_no: Count; missing: Name[] } };

export type ShuffleAskedEvent = { shuffle_asked: Record<string, never> };

export type ShoeSealedEvent = {
  shoe_sealed: {
    shoe_no: Count;
    /** Of every card that lay open, in the order in which they were turned up. */
    openings: Opening[];
  };
};

export type ShoeDisclosedEvent = {
  shoe_disclosed: {
    table: Name;
    shoe_no: Count;
    /** Absent where the house ended the hand: then every auditor gets the seeds. */
    auditor?: Name;
  };
};

export type ChipsAddedEvent = {
  chips_added: { player: Name; seat: SeatNumber; amount: Chips; stack: Chips };
};

export type ChipsAskedEvent = { chips_asked: { player: Name; seat: SeatNumber; amount: Chips } };

export type SatInEvent = {
  sat_in: { player: Name; seat: SeatNumber; entry: ComeIn; straddle: boolean };
};

export type SatOutEvent = {
  sat_out: {
    player: Name;
    seat: SeatNumber;
    cause: 'asked' | 'no_commitment' | 'timed_out' | 'reveal_missing' | 'no_chips';
  };
};

export type LeaveAskedEvent = { leave_asked: { player: Name; seat: SeatNumber } };

export type BankUsedEvent = {
  bank_used: { player: Name; seat: SeatNumber; used_ms: Count; left_ms: Count };
};

export type LeftEarlyEvent = { left_early: { player: Name; level: string; refusals: number; until: Time } };

export type NextCommittedEvent = { next_committed: { player: Name; commitment: Hex32 } };

export type SetSeatsEvent = {
  /** Seats, chips and blinds of a tournament's table as the event has them. */
  set_seats: {
    level: number;
    blinds: EventBlinds;
    /** As drawn, at a table without a hand. */
    button?: SeatNumber;
    doubled?: Doubled;
    late_extra_ms?: LateExtra;
    seats: {
      seat: SeatNumber;
      player: Name;
      stack: Chips;
      bank_ms: Count;
      cut_off?: CutOff;
    }[];
  };
};

export type PostsTakenEvent = {
  /** Nobody committed a seed for a tournament's hand: no card is dealt, and the big blind takes what is posted. */
  posts_taken: {
    positions: Positions;
    seats: { seat: SeatNumber; player: Name; put_in: Chips; got: Chips; stack: Chips }[];
  };
};

export type PostedPart = Account | SignedChips;

/** Account, movement, balance afterwards. */
export type PostedLine = [Account, SignedChips, SignedChips];

export type TurnedRoundEvent = {
  turned: {
    /** The pile it came from, where the game is on a later one. */
    pile?: number;
    slot: Slot;
    card: Card;
  };
};

export type PeekedRoundEvent = { peeked: { slot: Slot; blackjack: boolean } };

export type OfferedRoundEvent = {
  offered: {
    decision: number;
    player: Name;
    place: Place;
    options: Offer[];
    deadline: Time;
    bank_from?: Time;
    /** How much of the time was given to a player who was cut off late in a tournament; absent where none was. */
    extra_ms?: number;
  };
};

export type ActedRoundEvent = {
  acted: {
    decision: number;
    player: Name;
    action: Action;
    cost: Chips;
    default: boolean;
  };
};

export type PaidRoundEvent = {
  paid: {
    lines: {
      player: Name;
      place: Place;
      wager: 'hand' | 'insurance' | 'bet' | 'entry';
      outcome: Outcome;
      stake: Chips;
      returned: Chips;
    }[];
  };
};

export type SpunRoundEvent = { spun: { slot: Slot; value: number; pocket: number } };

export type ShuffledRoundEvent = { shuffled: { pile: number } };

export type AbsentRoundEvent = { absent: { player: Name } };

export type OpeningSafeEvent = {
  opening: {
    player: Name;
    place: Place;
    why: 'no_free_player' | 'last_player' | 'pile_short' | 'last_round';
  };
};

export type DiscardedSafeEvent = {
  discarded: {
    player: Name;
    place: Place;
    cards: Card[];
    why: 'advanced' | 'out' | 'opened' | 'chosen';
  };
};

export type OutSafeEvent = { out: { player: Name; cause: SafeOutCause; holder: boolean } };

export type PileEmptySafeEvent = { pile_empty: { pile: number } };

export type CollectedSafeEvent = { collected: { pile: number; cards: Card[] } };

export type AdvancedSafeEvent = { advanced: { round: number; players: Name[] } };

export type WonSafeEvent = { won: { player: Name; by: SafeWonBy } };

/** An amount for each who is left, ascending by entry; minor units. */
export type Amounts = EntryAmount[];

/** An entry of the event, and what it gets. */
export type EntryAmount = [EntryNo, Count];

export type AfterBreaks = { after: { level: number; ms: number }[] };

export type SynchronisedBreaks = { synchronised: { every_ms: number; at_ms: number; ms: number } };

export type RowsPayouts = {
  rows: {
    /** The least number of entries. */
    from: number;
    places: {
      /** The last of the range. */
      to: number;
      /** Of each place in it. */
      share: number;
    }[];
  }[];
};

export type SatellitePayouts = {
  satellite: {
    target: Name;
    /** With its bounty. */
    buy_in: number;
    fee: number;
    non_unregisterable: boolean;
  };
};

/** The clock of a tournament. */
export type ClockView = {
  /** The level's. */
  blinds: BlindLevel | null;
  in_break: boolean;
  /** In a break the one before it. */
  level: number;
  /** When the next break begins, or this one ends, if the clock goes on; null if no more comes, and while the … */
  next_break: Time | null;
  /** When the clock comes to another level or break, if it goes on. */
  next_change: Time | null;
  /** For how long it has been played. */
  running_ms: Count;
  /** Why the clock stands; null where it goes. */
  stands: StandsView | null;
};

/** The first and the last of the places that are shared; the same twice where one is not. */
export type Rank = [Count, Count];

/** Places that are paid alike. */
export type PayoutView = {
  /** Each. */
  cash: Chips;
  first: Count;
  last: Count;
  /** Whether each is a seat in the satellite's target. */
  seat: boolean;
};

/** Who may enter, and until when. */
export type RegistrationView = {
  /** Why nobody may enter; null where somebody may, or registration has not begun. */
  closed: RegistrationEnd | null;
  from: Time;
  late_levels: number;
  /** Until when an entry can be given back; null where it cannot. */
  unregister_until: Time | null;
};

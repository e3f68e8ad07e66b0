// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// What the service shows and answers.
import type {
  ActionKind, Ahead, Card, Chips, Composition, Count, EntryNo, EntryText, ErrorCode, Hash, Hex32, HouseNote, Name,
  NodeAddress, Origin, Phase, Place, ProofText, RegistrationEnd, RoundId, SeatNumber, SignedCheckpoint, Slot,
  Time, Token, VerifierKey, VoidCause,
} from './words.js';
import type { BlindLevel, OfTournament, StandsView } from './tournaments.js';
import type { RuleSet } from './rules.js';
import type { CashView, GameView } from './games.js';

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
  /** Where the house refused a command: its note under the log's key of what it refused, when and why. */
  refused?: HouseNote;
};

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
};

/** An entry with the proof that it is on the log. */
export type Receipt = { index: Count; entry: EntryText; proof: ProofText };

/** The reply of every call that makes an entry, sent only when the entry is durable and under a signed … */
export type Accepted = {
  /** The call's own entry first. */
  receipts: Receipt[];
  /** The name of the guest who is admitted. */
  player?: Name;
  /** The balance afterwards of the player who bets, reveals or acts, or whom the operator names; a reveal … */
  balance?: Chips;
  round?: RoundView;
  /** One for every card that this entry turned up; absent where there is none. */
  openings?: Opening[];
  /** The caller's own cards, once the hand that the call is about is dealt. */
  own?: OwnCards;
  token?: Token;
  table?: Name;
  /** Of a seed: the note that it came, signed before it was decided. */
  received?: HouseNote;
};

/** A line of the reply to a seed or a choice with `received=first`. */
export type SeedLine =
  | { received: HouseNote }
  | {
    /** The status that the reply would have had. */
    status: number;
    reply: Accepted | Problem;
  };

/** The proof that a slot holds this value: the leaf `salt u16(slot) u8(value)` leads over the path to the … */
export type Opening = {
  slot: Slot;
  /** Card code `suit × 13 + rank`, suits c d h s, ranks A 2 … K; of a wheel the committed value, 0 to 36. */
  value: number;
  salt: string;
  /** Siblings, leaf to root. */
  path: Hex32[];
  /** The shoe, where it is not the round's own: a later pile of Safe. */
  shoe_no?: Count;
};

export type Bet = {
  /** Where it is placed: in blackjack the box number (`1` at solo tables with one box), in Safe the number of … */
  spot: string;
  stake: Chips;
  /** The chips it was placed with, in order. */
  chips?: Chips[];
};

/** A choice: a word, or an object with the word and its parameters. */
export type Action =
  | 'hit'
  | 'stand'
  | 'split'
  | 'surrender'
  | 'face_down'
  | 'accept'
  | 'reject'
  | 'pass'
  | 'fold'
  | 'check'
  | 'call'
  | 'show'
  | 'muck'
  | { bet: BetTo }
  | { raise: BetTo }
  | {
    /** Absent `amount` means exactly the opening stake. */
    double: { amount?: Chips };
  }
  | { insurance: { take: boolean } }
  | { even_money: { take: boolean } }
  | {
    /** Safe: the card of the hand that goes. */
    change: { card: Card };
  }
  | {
    /** Safe: a face-down hand of one's own; absent: the oldest. */
    open: { hand?: Place };
  }
  | {
    /** Safe: a face-down hand of one's own; absent: the oldest. */
    discard: { hand?: Place };
  };

/** Poker: how many chips lie before the player on this street afterwards. */
export type BetTo = { to: Chips };

export type Offer = {
  action: ActionKind;
  /** Of a bet or raise in poker: the least and the most that `to` may be. */
  to?: [Chips, Chips];
  /** What it costs; 0 where it is free. */
  cost: Chips;
};

/** A decision that is open. */
export type Decision = {
  /** Its number in the round. */
  decision: number;
  player: Name;
  place: Place;
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
  void: null | { cause: VoidCause; ahead: Ahead };
  staked: Chips;
  returned: Chips;
  /** Null while bets are placed. */
  game: GameView | null;
};

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

/** What a shoe candidate is committed to. */
export type Committed = {
  /** `C`, the hash of the server seed. */
  commitment: Hex32;
  /** `R`, the Merkle root over the salted slots. */
  root: Hex32;
};

/** What a round that is over was to each of its players, ascending; of a void round `returned` is what stays … */
export type RoundResults = { player: Name; staked: Chips; returned: Chips }[];

/** The caller's own cards of a private game, which nobody else is shown: faces, and openings against the root … */
export type OwnCards = {
  round: RoundId;
  shoe_no: Count;
  candidate: number;
  cards: Card[];
  /** Of the same cards in the same order. */
  openings: Opening[];
};

export type TableView = {
  /** Which chips it is played with, as its name says; guests play with play chips alone, everybody else with … */
  chips?: 'credited' | 'play';
  table: Name;
  rules: RuleSet;
  digest: Hex32;
  /** Who alone may bet; null: everyone. */
  owner: Name | null;
  origin: Origin;
  /** The epoch under which the shoe was committed. */
  epoch: Hex32 | null;
  shoe:
    | null
    | {
      shoe_no: Count;
      composition: Composition;
      candidates: Committed[];
      undrawn: number;
      /** Where it was committed, once that is durable. */
      entry: Count | null;
      /** That entry's number in the table's sequence. */
      seq: Count | null;
    };
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
  window:
    | {
      round_no: Count;
      shoe_no: Count;
      closes_at: Time | null;
      /** They are placed and do not bind yet. */
      bets: PlacedBet[];
      /** Who asked for this round or bet in the last one. */
      expected: Name[];
    }
    | null;
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

export type PlayerView = {
  player: Name;
  /** Whether it is a guest's, and what is in it play chips. */
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
  key_waits?:
    | {
      /** Null where the key is cleared. */
      key: Hex32 | null;
      /** When it is in force. */
      from: Time;
    }
    | null;
  /** That of their last signed entry; 0 before the first. */
  last_nonce: number;
  /** They pay entries of tournaments, and nothing else. */
  t_dollars: Chips;
  /** The tournaments for which they have a ticket. */
  tickets: Name[];
};

export type RoundList = {
  /** Newest first. */
  rounds: RoundSummary[];
  /** The cursor of the next page. */
  next: string | null;
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

export type PlacedBet = { player: Name; bets: Bet[]; commitment: Hex32 };

/** A checkpoint that the client held when it revealed. */
export type SeenCheckpoint = { size: Count; root: Hash };

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
  /** The table is closed and nothing comes behind these entries. */
  closed: boolean;
  /** The log's size under the checkpoint. */
  size: Count;
  checkpoint: SignedCheckpoint;
};

/** An amount for each who is left, ascending by entry; minor units. */
export type Amounts = [EntryNo, Count][];

/** The clock of a tournament. */
export type ClockView = {
  /** The level's. */
  blinds: BlindLevel | null;
  in_break: boolean;
  /** In a break the one before it. */
  level: number;
  /** When the next break begins, or this one ends, if the clock goes on; null where no more comes, and while … */
  next_break: Time | null;
  /** When the clock comes to another level or break, if it goes on. */
  next_change: Time | null;
  /** For how long it has been played. */
  running_ms: Count;
  /** Why the clock stands; null where it goes. */
  stands: StandsView | null;
};

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

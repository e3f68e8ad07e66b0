// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// What lies on the table of each game.
import type {
  Card, Chips, ComeIn, Count, CutOff, Doubled, Hex32, LateExtra, Name, Outcome, Place, SafeOutCause, SafeWonBy,
  SeatNumber, Slot, Time,
} from './words.js';
import type { EventBlinds, StandingView } from './tournaments.js';
import type {
  BaccaratRules, BlackjackRules, DragonTigerRules, PokerRules, RouletteRules, SafeRules, SicBoRules,
} from './rules.js';
import type {
  AdvancedSafeEvent, CallView, CarriedCommitment, CollectedSafeEvent, DiscardedSafeEvent, FixedLimitBetting,
  InsuranceView, NoLimitBetting, OpeningSafeEvent, OutSafeEvent, PileEmptySafeEvent, PotLimitBetting, SpinView,
  WaitingSince, WonSafeEvent,
} from './views.js';

/** The table as the game's engine shows it to everyone. */
export type GameView =
  | BlackjackView
  | BaccaratView
  | RouletteView
  | SafeView
  | PokerView
  | DragonTigerView
  | SicBoView;

/** A hand of poker. */
export type PokerView = {
  kind: 'poker';
  positions: Positions;
  street: 'preflop' | 'flop' | 'turn' | 'river';
  /** Everything that was put in. */
  pot: Chips;
  /** What must be matched on this street. */
  level: Chips;
  board: PokerCard[];
  burnt: Slot[];
  /** The seat whose turn it is. */
  turn: SeatNumber | null;
  showdown: boolean;
  /** Who was dealt in, from the left of the button. */
  seats: {
    seat: SeatNumber;
    player: Name;
    started_with: Chips;
    /** What is left before them. */
    stack: Chips;
    /** Live chips of this street. */
    bet: Chips;
    put_in: Chips;
    folded: boolean;
    all_in: boolean;
    hole: PokerCard[];
  }[];
  result: PokerEvent | null;
};

export type PokerCard = { slot: Slot; card: Card | null };

/** What only poker knows: one property. */
export type PokerEvent = {
  /** The hand's one settlement. */
  settled: {
    /** The main pot first. */
    pots: {
      amount: Chips;
      rake: Chips;
      /** Who contested it. */
      seats: SeatNumber[];
      won: {
        seat: SeatNumber;
        amount: Chips;
        /** True where it is the low half; absent otherwise. */
        low?: boolean;
      }[];
    }[];
    /** What nobody called and goes back. */
    uncalled?: SeatChips;
    seats: { seat: SeatNumber; player: Name; put_in: Chips; got: Chips; stack: Chips }[];
  };
};

export type SeatChips = { seat: SeatNumber; amount: Chips };

/** Button and blinds, and who is dealt in with how much and for which posts, from the left of the button. */
export type HandStart = {
  positions: Positions;
  seats: {
    due: { seat: SeatNumber; ante: Chips; dead: Chips; live: Chips; opens: boolean };
    player: Name;
    stack: Chips;
    bank_ms: number;
  }[];
};

export type BlackjackView = {
  kind: 'blackjack';
  boxes: BlackjackBox[];
  dealer: {
    cards: CardView[];
    /** Of the cards that lie face-up. */
    total: number;
    soft: boolean;
  };
};

export type BlackjackBox = {
  spot: number;
  player: Name;
  /** The opening stake. */
  stake: Chips;
  insurance: null | InsuranceView;
  hands: BlackjackHand[];
};

export type BlackjackHand = {
  cards: CardView[];
  total: number;
  /** An ace counts 11. */
  soft: boolean;
  /** Its double included. */
  stake: Chips;
  stood: boolean;
  doubled: boolean;
  /** True where it is given up for half the stake; absent otherwise. */
  surrendered?: boolean;
  /** True where it is paid 1:1 at once; absent otherwise. */
  even_money?: boolean;
  blackjack: boolean;
  outcome: Outcome | null;
  returned: Chips | null;
};

export type SpotBetView = {
  player: Name;
  spot: Place;
  stake: Chips;
  outcome: Outcome | null;
  returned: Chips | null;
};

export type BaccaratView = {
  kind: 'baccarat';
  player: { cards: { slot: Slot; card: Card }[]; points: number };
  banker: { cards: { slot: Slot; card: Card }[]; points: number };
  outcome: 'player' | 'banker' | 'tie' | null;
  bets: SpotBetView[];
};

export type DragonTigerView = {
  kind: 'dragon_tiger';
  dragon: LaidCard | null;
  tiger: LaidCard | null;
  outcome: 'dragon' | 'tiger' | 'tie' | 'suited_tie' | null;
  bets: SpotBetView[];
};

/** A card that lies face-up. */
export type LaidCard = { slot: Slot; card: Card };

export type RouletteView = { kind: 'roulette'; spin: SpinView | null; bets: SpotBetView[] };

export type SicBoView = { kind: 'sic_bo'; throw: ThrowView | null; bets: SpotBetView[] };

export type ThrowView = {
  slot: Slot;
  /** The committed value. */
  value: number;
  /** The value moved by the players' offset. */
  pocket: number;
  dice: number[];
  total: number;
};

/** A card of Safe; without a face while it lies face-down. */
export type PileCardView = {
  /** The pile that its slot is of. */
  pile: number;
  slot: Slot;
  card: Card | null;
};

export type SafeHand = {
  place: Place | null;
  cards: PileCardView[];
  /** Of the cards that lie face-up. */
  total: number;
  soft: boolean;
};

export type SafeView = {
  kind: 'safe';
  round: number;
  pile: number;
  pile_left: number;
  shuffling: boolean;
  /** The seat whose turn it is. */
  turn: number | null;
  players: {
    seat: number;
    player: Name;
    alive: boolean;
    out: SafeOutCause | null;
    hand: SafeHand | null;
    finished: boolean;
    change_used: boolean;
    face_down: SafeHand[];
  }[];
  /** All face-down hands, oldest first: the order in which they would be opened. */
  face_down_order: Place[];
  /** A card that was drawn and shown, to be taken or refused. */
  shown: PileCardView | null;
  discard: Card[];
  winner: SafeWinner | null;
};

export type SafeWinner = { player: Name | null; by: SafeWonBy };

/** A card on the table; without a face while it lies face-down. */
export type CardView = { slot: Slot; card: Card | null };

export type BlackjackGame = { blackjack: BlackjackRules };

export type BaccaratGame = { baccarat: BaccaratRules };

export type RouletteGame = { roulette: RouletteRules };

export type SafeGame = { safe: SafeRules };

export type PokerGame = { poker: PokerRules };

export type DragonTigerGame = { dragon_tiger: DragonTigerRules };

export type SicBoGame = { sic_bo: SicBoRules };

/** How much may be bet. */
export type PokerBetting = NoLimitBetting | PotLimitBetting | FixedLimitBetting;

/** Seat numbers. */
export type Positions = { button: SeatNumber; small: SeatNumber; big: SeatNumber; third?: SeatNumber };

/** Wishes for a seat, ascending by player, each with its time. */
export type NotedWaiting = WaitingSince[];

/** Who sits and waits at a shared table without stacks, as an entry that commits a shoe states it … */
export type NotedBetting = {
  seats: {
    seat: SeatNumber;
    player: Name;
    used: Time;
    /** Windows in a row that its player let end without a bet. */
    misses: number;
  }[];
  asked: NotedPlayers;
  newcomers: NotedPlayers;
  last: NotedPlayers;
  /** A round ended since bets were opened last. */
  goes_on: boolean;
  waiting: NotedWaiting;
};

/** Players, ascending. */
export type NotedPlayers = Name[];

/** Who sits and waits at a cash table, and where the button was (spec/entries.md, "The table as it stands"). */
export type NotedCash = {
  seats: {
    seat: SeatNumber;
    player: Name;
    used: Time;
    stack: Chips;
    sitting_out: boolean;
    owes: { entry: boolean; small: boolean; big: boolean; third: boolean };
    entry: 'post' | 'wait';
    straddle: boolean;
    hands: Count;
    away: Count;
    bank_ms: Count;
    cut_off?: CutOff;
  }[];
  positions?: Positions;
  /** What a tournament says of the hands at its table. */
  event?: {
    level: number;
    blinds: EventBlinds;
    button?: SeatNumber;
    doubled?: Doubled;
    late_extra_ms?: LateExtra;
  };
  carried: CarriedCommitment[];
  waiting: NotedWaiting;
};

/** A cash table's seats and button. */
export type CashView = {
  /** The blinds. */
  level: string;
  /** Where button and blinds were in the last hand; null before the first. */
  positions: Positions | null;
  seats: {
    seat: SeatNumber;
    player: Name;
    /** The chips that lie there; while a hand is in progress, those at its start. */
    stack: Chips;
    /** Not dealt in until they ask to play. */
    sitting_out: boolean;
    /** They get up as soon as the hand is over. */
    leaving: boolean;
    /** To be added as soon as the hand is over. */
    top_up: Chips;
    /** Hands played to their end since the player sat down. */
    hands: number;
    /** Hands in a row that were dealt without them. */
    away: number;
    /** What is left of their time bank. */
    bank_ms: number;
    /** Blinds that passed them, or the entry. */
    owes: { entry: boolean; small: boolean; big: boolean; third: boolean };
    entry: ComeIn;
    /** Whether they straddle where they may. */
    straddle: boolean;
  }[];
  /** The call for the next hand, while it is open; null otherwise. */
  call: CallView | null;
  /** Who has committed a seed for the hand that is called, or comes next. */
  committed: Name[];
  /** The caller's own standing at this level, by a player's token; null otherwise. */
  own: StandingView | null;
};

export type HandCalledEvent = { hand_called: { round_no: Count; shoe_no: Count; closes_at: Time } };

export type HandSeedCommittedEvent = { hand_seed_committed: { player: Name; commitment: Hex32 } };

export type HandSeedWithdrawnEvent = { hand_seed_withdrawn: { player: Name } };

export type HandBegunEvent = {
  hand_begun: {
    round_no: Count;
    shoe_no: Count;
    contributors: { player: Name; commitment: Hex32 }[];
    reveal_by: Time;
    /** True where the operator said so before the time was up; absent otherwise. */
    announced?: boolean;
    hand: HandStart;
  };
};

export type PokerRoundEvent = { poker: PokerEvent };

export type SafeRoundEvent = { safe: SafeEvent };

/** What only Safe knows: one property. */
export type SafeEvent =
  | OpeningSafeEvent
  | DiscardedSafeEvent
  | OutSafeEvent
  | PileEmptySafeEvent
  | CollectedSafeEvent
  | AdvancedSafeEvent
  | WonSafeEvent;

// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// Tournaments as they are shown.
import type {
  Chips, Count, DrawKind, EntryNo, Hex32, Name, Noted, Origin, SeatNumber, Stage, StandCause, Time,
} from './words.js';
import type { RuleSet } from './rules.js';
import type { Amounts, ClockView, PayoutView, RegistrationView } from './views.js';

/** A level of a tournament's structure. */
export type BlindLevel = {
  small: Chips;
  big: Chips;
  third?: Chips;
  ante: Chips;
  /** How long it lasts in running time. */
  ms: Count;
};

/** How a tournament is played (spec/games/tournaments.md, 2). */
export type Structure = {
  name: Name;
  /** The rule set of its hands. */
  rules: { name: Name; digest: Hex32 };
  /** The most at a table. */
  seats: number;
  entry: {
    buy_in: number;
    fee: number;
    bounty: number;
    stack: number;
    players_min: number;
    players_max: number;
    /** 1: no re-entry. */
    entries_per_player: number;
  };
  /** The least pool; 0: none. */
  guarantee: number;
  /** How many levels late registration lasts. */
  late_levels: number;
  /** How long before the start an entry can no longer be given back; absent: it never can. */
  unregister_ms?: number;
  /** Absent: none. */
  rebuy?: {
    price: number;
    fee: number;
    chips: number;
    /** Of an entry. */
    most: number;
    stack_at_most: number;
    /** During so many. */
    levels: number;
    /** In which a player without chips decides. */
    time_ms: number;
  };
  /** Absent: none. */
  add_on?: {
    price: number;
    fee: number;
    chips: number;
    /** In the break after it. */
    after_level: number;
  };
  levels: BlindLevel[];
  /** After levels, or at the same time of day in all tournaments. */
  breaks:
    | { after: { level: number; ms: number }[] }
    | { synchronised: { every_ms: number; at_ms: number; ms: number } };
  /** Shares of the pool by the number of entries, or seats elsewhere. */
  payouts:
    | {
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
    }
    | {
      satellite: {
        target: Name;
        /** With its bounty. */
        buy_in: number;
        fee: number;
        non_unregisterable: boolean;
      };
    };
  /** How much of a won bounty goes onto the winner's head. */
  bounty_onto_head: 'none' | 'half' | 'all';
  bounty_on: 'all' | 'some';
  /** Absent: no deals. */
  deal?: { most_players: number };
  staking: boolean;
  /** How many players above the paid places it begins; 0: never. */
  hand_for_hand: number;
  /** Whether the last table's seats are drawn anew. */
  final_redraw: boolean;
  clocks: {
    turn_ms: number;
    bank_ms: number;
    bank_refill_ms: number;
    late_extra_ms: number;
    late_players: number;
    commit_ms: number;
    reveal_ms: number;
  };
  /** How many hands of other tables a later draw waits for. */
  draw_hands: number;
  /** How long after a disruption play may go on. */
  cancel_after_ms: number;
  refund_method: 'document' | 'chip_count';
};

export type StructureView = {
  /** Of the structure: what stands on the log. */
  digest: Hex32;
  name: Name;
  structure: Structure;
};

/** What the lobby says of a tournament. */
export type TournamentSummary = {
  /** Of an entry, onto its player's head. */
  bounty: Chips;
  /** Of an entry, to the pool. */
  buy_in: Chips;
  /** Re-entries included. */
  entries: Count;
  /** Of an entry, to the house. */
  fee: Chips;
  /** The least pool; 0: none. */
  guarantee: Chips;
  /** 0 before the start. */
  level: number;
  /** Whether somebody may enter now. */
  open: boolean;
  /** Who entered. */
  players: Count;
  /** The field is full with so many. */
  players_max: Count;
  /** For prizes, as of now. */
  pool: Chips;
  /** Who is not out. */
  remaining: Count;
  /** The rule set of its hands. */
  rules: Name;
  /** The most at a table. */
  seats: number;
  stage: Stage;
  /** When it begins, or began. */
  starts_at: Time;
  /** Its structure's name. */
  structure: Name;
  tournament: Name;
};

export type TournamentList = {
  /** The cursor of the next page. */
  next: Name | null;
  tournaments: TournamentSummary[];
};

/** A clock that stands. */
export type StandsView = {
  cause: StandCause;
  since: Time;
  /** When the tournament is off if play has not gone on; null in a deal. */
  until: Time | null;
};

/** A deal's numbers, to be answered. */
export type ProposalView = {
  /** Who accepted, by entry. */
  accepted: EntryNo[];
  amounts: Amounts;
  /** When it is off. */
  answer_by: Time;
  /** What is answered by. */
  digest: Hex32;
};

/** Talk of a deal. */
export type DealView = {
  /** The one that stands. */
  proposal: ProposalView | null;
  /** Since when the clock stands for it. */
  since: Time | null;
  /** Who wishes for one, by entry. */
  wanted: EntryNo[];
};

/** A draw of seats that is open. */
export type DrawView = {
  /** How many seeds. */
  awaited: Count;
  draw_no: number;
  /** How many are to be seated. */
  entrants: Count;
  kind: DrawKind;
  /** What the house's number of this draw must lead to (spec/games/tournaments.md, 3). */
  link: Hex32;
  /** Until when seeds are awaited. */
  reveal_by: Time;
  /** The table that breaks, or is drawn anew. */
  table: Name | null;
};

/** What a player has in a tournament. */
export type OwnStanding = {
  /** The player's newest. */
  entry: EntryView | null;
  /** The number that the next commitment is bound to: how many the player gave before. */
  next_use: number;
  /** Until when a rebuy is awaited; null where none is. */
  rebuy_until: Time | null;
  /** The number of the commitment whose seed the open draw awaits; null where it awaits none of the player's. */
  reveals_use: number | null;
  /** All of the player's T$. */
  t_dollars: Chips;
  /** Whether the player has a ticket for it. */
  ticket: boolean;
};

/** An entry as everyone may see it. */
export type EntryView = {
  at: 'waiting' | 'seated' | 'out' | 'disqualified';
  /** What is on its head. */
  bounty: Chips;
  /** Won, and not paid yet. */
  bounty_won: Chips;
  /** During a hand those at the hand's start. */
  chips: Chips;
  entry_no: EntryNo;
  /** What was asked for in a hand, or a draw, and is done when that is over; null where nothing was. */
  noted: Noted | null;
  /** How much of it is for sale or sold, in basis points. */
  offered: number;
  player: Name;
  /** The place, or the first and last of those that are shared; null while it may change. */
  rank: [Count, Count] | null;
  /** Whether its player had entered before. */
  re_entry: boolean;
  rebuys: number;
  /** Prizes and bounties paid to it. */
  received: Chips;
  seat: SeatNumber | null;
  /** In basis points. */
  sold: number;
  table: Name | null;
};

/** What there is for prizes. */
export type PoolView = {
  /** What entries, rebuys and add-ons brought. */
  collected: Chips;
  is_final: boolean;
  /** What the house adds. */
  overlay: Chips;
  pool: Chips;
};

/** A tournament as everyone may see it. */
export type TournamentView = {
  /** 0 where nobody is in play. */
  average_stack: Chips;
  /** Null before the start. */
  clock: ClockView | null;
  /** Talk of a deal; null where nobody wishes for one. */
  deal: DealView | null;
  /** The structure's. */
  digest: Hex32;
  /** The one that is open. */
  draw: DrawView | null;
  /** That in which it was announced: its draws, and the commitments for them, are bound to it. */
  epoch: Hex32;
  /** The round of it that is played; null where none is. */
  hand_for_hand: Count | null;
  /** The caller's own, by a player's token. */
  own: OwnStanding | null;
  origin: Origin;
  /** What is paid, as of now, from the first place on. */
  payouts: PayoutView[];
  /** How many are paid, as of now. */
  places: Count;
  prizes: PoolView;
  registration: RegistrationView;
  structure: Structure;
  summary: TournamentSummary;
  /** How many have players. */
  tables: Count;
  /** Of its tables, at the first level. */
  table_rules: RuleSet;
};

export type Standings = {
  entries: EntryView[];
  /** The cursor of the next page. */
  next: string | null;
};

export type EventSeatView = {
  /** During a hand those at the hand's start. */
  chips: Chips;
  entry_no: EntryNo;
  player: Name;
  seat: SeatNumber;
};

export type EventTableView = {
  number: number;
  /** Whether its log has begun, and not ended. */
  open: boolean;
  seats: EventSeatView[];
  table: Name | null;
};

export type EventTableList = {
  /** The cursor of the next page. */
  next: string | null;
  tables: EventTableView[];
};

/** What a table of a tournament says of it. */
export type OfTournament = {
  /** Of its hands; 0 before the first. */
  level: number;
  tournament: Name;
};

/** A level's blinds as a rule set has them. */
export type EventBlinds = {
  small: Chips;
  big: Chips;
  third?: Chips;
  ante: Chips;
  straddle: false;
  entry_post: 'big';
};

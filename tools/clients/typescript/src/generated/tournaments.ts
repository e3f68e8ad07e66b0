// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// Tournaments as they are shown.
import type {
  CancelCause, Card, Chips, Count, DealMethod, DrawKind, EntryNo, Hex32, Name, Noted, Origin, Pay, Place,
  Reference, RegistrationEnd, SeatNumber, Slot, Stage, StandCause, Time,
} from './words.js';
import type { TournamentCommand, TournamentEvent } from './tournament-entries.js';
import type { RuleSet } from './rules.js';
import type {
  AfterBreaks, Amounts, ClockView, PayoutView, Rank, RegistrationView, RowsPayouts, SatellitePayouts,
  SynchronisedBreaks,
} from './views.js';

export type StandingView = {
  /** How often they left tables of this level early in the last 12 hours. */
  left_early: number;
  /** Before this time they take no seat at this level. */
  blocked_until: Time | null;
};

export type NewTournament = {
  /** At most 56 characters, never used before by a tournament or a table, and not ending in a dot and a number. */
  tournament: Name;
  /** The name of a structure of `GET /v1/structures`, or one of the operator's own. */
  structure: Name | Structure;
  /** Options of the rule set that are to differ. */
  options?: Record<string, unknown>;
  /** When it begins. */
  starts_at: Time;
  /** From when on players register; absent: at once. */
  registration_from?: Time;
};

export type DealWish = { want: boolean };

export type DealProposal = { method: DealMethod; amounts?: Amounts };

export type DealAnswer = {
  /** Of the proposal: what the player read. */
  digest: Hex32;
  accept: boolean;
};

export type StartDealerCommand = {
  start_dealer: { origin: Origin; epoch: Hex32; master_id: Hex32; software: Reference };
};

export type StopDealerCommand = { stop_dealer: Record<string, never> };

export type OpenEventTableCommand = { open_event_table: { table: Name; rules: RuleSet } };

export type CommandOfTournament = { tournament: TournamentCommand };

export type DealerStartedEvent = {
  dealer_started: { origin: Origin; epoch: Hex32; master_id: Hex32; down_ms: Count };
};

export type DealerStoppedEvent = { dealer_stopped: Record<string, never> };

export type EventOfTournament = { tournament: TournamentEvent };

export type DealtRoundEvent = { dealt: { lane: number; slot: Slot; to: Place; card?: Card } };

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
  breaks: StructureBreaks;
  payouts: StructurePayouts;
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
    /** Milliseconds that a table is between two hands at least, so that people see how the last one ended. */
    between_hands_ms?: number;
  };
  /** How many hands of other tables a later draw waits for. */
  draw_hands: number;
  /** How long after a disruption play may go on. */
  cancel_after_ms: number;
  refund_method: 'document' | 'chip_count';
};

/** After levels, or at the same time of day in all tournaments. */
export type StructureBreaks = AfterBreaks | SynchronisedBreaks;

/** Shares of the pool by the number of entries, or seats elsewhere. */
export type StructurePayouts = RowsPayouts | SatellitePayouts;

export type StructureView = {
  /** Of the structure: what stands on the log. */
  digest: Hex32;
  name: Name;
  structure: Structure;
};

export type StructureList = { structures: StructureView[] };

/** A tournament as the lobby shows it. */
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

/** Why and since when the clock stands. */
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
  /** An answer names it. */
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
  /** A request made in a hand, or a draw, and carried out when that is over; null: none. */
  noted: Noted | null;
  /** How much of it is for sale or sold, in basis points. */
  offered: number;
  player: Name;
  /** The place, or the first and last of those that are shared; null while it may change. */
  rank: Rank | null;
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
  /** The epoch in which it was announced: its draws, and the commitments for them, are bound to it. */
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
  /** The rule set of its tables, at the first level. */
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

/** What a tournament's table shows of the tournament. */
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
  /** Always false. */
  straddle: boolean;
  entry_post: 'big';
};

export type CreateTournamentCommand = {
  create: {
    event: Name;
    structure: Structure;
    rules: RuleSet;
    starts_at: Time;
    registration_from: Time;
  };
};

export type RegisterTournamentCommand = { register: { event: Name; commitment: Hex32; pay: Pay } };

export type SetBountyTournamentCommand = { set_bounty: { event: Name; player: Name; has: boolean } };

export type UnregisterTournamentCommand = { unregister: { event: Name } };

export type RebuyTournamentCommand = { rebuy: { event: Name } };

export type DeclineRebuyTournamentCommand = { decline_rebuy: { event: Name; entry_no: EntryNo } };

export type CarryOutTournamentCommand = { carry_out: { event: Name; entry_no: EntryNo } };

export type AddOnTournamentCommand = { add_on: { event: Name } };

export type OfferStakeTournamentCommand = { offer_stake: { event: Name; basis_points: Count } };

export type BuyStakeTournamentCommand = { buy_stake: { event: Name; seller: Name; basis_points: Count } };

export type StartTournamentCommand = { start: { event: Name } };

export type CallDrawTournamentCommand = { call_draw: { event: Name } };

export type RevealSeatSeedTournamentCommand = {
  reveal_seat_seed: { event: Name; draw_no: number; entry_no: EntryNo; seed: Hex32; next?: Hex32 };
};

export type DrawSeatsTournamentCommand = { draw_seats: { event: Name; draw_no: number } };

export type MovePlayerTournamentCommand = { move_player: { event: Name } };

export type NextLevelTournamentCommand = { next_level: { event: Name } };

export type SettleHandTournamentCommand = { settle_hand: { event: Name; table: number } };

export type NextRoundTournamentCommand = { next_round: { event: Name } };

export type EndRegistrationTournamentCommand = { end_registration: { event: Name } };

export type PayPlacesTournamentCommand = { pay_places: { event: Name } };

export type PayBountiesTournamentCommand = { pay_bounties: { event: Name } };

export type StartClockTournamentCommand = { start_clock: { event: Name } };

export type EndTournamentCommand = { end: { event: Name } };

export type WantDealTournamentCommand = { want_deal: { event: Name; want: boolean } };

export type ProposeDealTournamentCommand = { propose_deal: { event: Name; method: DealMethod; amounts?: Amounts } };

export type AnswerDealTournamentCommand = { answer_deal: { event: Name; digest: string; accept: boolean } };

export type DisqualifyTournamentCommand = { disqualify: { event: Name; player: Name; reason: Reference } };

export type SubstitutePrizeTournamentCommand = {
  substitute_prize: { event: Name; place: Count; what: Reference; value: Count };
};

export type ChangeRegistrationTournamentCommand = {
  change_registration: { event: Name; late_levels: number; unregister_ms?: Count; reason: Reference };
};

export type PostponeTournamentCommand = { postpone: { event: Name; starts_at: Time; reason: Reference } };

export type CancelTournamentCommand = {
  cancel: { event: Name; cause: CancelCause; instant: Time; reason?: Reference };
};

export type PayRefundsTournamentCommand = { pay_refunds: { event: Name } };

export type CreatedTournamentEvent = {
  created: {
    structure: Structure;
    digest: Hex32;
    rules: RuleSet;
    starts_at: Time;
    registration_from: Time;
    epoch: Hex32;
    tip: Hex32;
  };
};

export type RegisteredTournamentEvent = {
  registered: {
    entry_no: EntryNo;
    player: Name;
    commitment: Hex32;
    paid_by: { cash: Chips; t_dollars: Chips; ticket: Chips };
    bounty: Chips;
    non_unregisterable: boolean;
  };
};

export type BountySetTournamentEvent = { bounty_set: { player: Name; has: boolean } };

export type UnregisteredTournamentEvent = { unregistered: { entry_no: EntryNo } };

export type ReboughtTournamentEvent = { rebought: { entry_no: EntryNo; chips: Chips } };

export type AddedOnTournamentEvent = { added_on: { entry_no: EntryNo; chips: Chips } };

export type NotedTournamentEvent = {
  noted: {
    entry_no: EntryNo;
    what: Noted;
    /** Of a disqualification. */
    reason?: Reference;
  };
};

export type NoteDroppedTournamentEvent = {
  note_dropped: { entry_no: EntryNo; what: Noted; why: 'stack' | 'balance' | 'room' | 'over' };
};

export type StakeOfferedTournamentEvent = { stake_offered: { player: Name; basis_points: number } };

export type StakeSoldTournamentEvent = {
  stake_sold: { seller: Name; buyer: Name; basis_points: number; price: Chips };
};

export type StakesDividedTournamentEvent = { stakes_divided: { entry_no: EntryNo } };

export type TicketReturnedTournamentEvent = {
  /** A ticket that was not used when its event has ended comes back as T$. */
  ticket_returned: { player: Name; value: Chips };
};

export type StartedTournamentEvent = { started: { players: Count } };

export type DrawCalledTournamentEvent = {
  draw_called: { draw_no: number; kind: DrawKind; table?: number; reveal_by: Time };
};

export type SeatSeedRevealedTournamentEvent = {
  seat_seed_revealed: { draw_no: number; entry_no: EntryNo; seed: Hex32; next?: Hex32 };
};

export type SeatsDrawnTournamentEvent = {
  seats_drawn: { draw_no: number; link: Hex32; entropy: Hex32; withheld: Count };
};

export type PlayerMovedTournamentEvent = {
  player_moved: {
    entry_no: EntryNo;
    /** The number of one of the event's tables, and the seat there that they left. */
    from: [number, SeatNumber];
    /** The number of one of the event's tables, and the seat there that they took. */
    to: [number, SeatNumber];
  };
};

export type LevelBegunTournamentEvent = { level_begun: { level: number } };

export type BreakBegunTournamentEvent = { break_begun: { until: Time } };

export type BreakEndedTournamentEvent = { break_ended: Record<string, never> };

export type PlayerEliminatedTournamentEvent = {
  player_eliminated: {
    entry_no: EntryNo;
    hand: Count;
    table: number;
    stack: Chips;
    distance: number;
  };
};

export type RebuyAwaitedTournamentEvent = { rebuy_awaited: { entry_no: EntryNo; until: Time } };

export type BountyWonTournamentEvent = {
  bounty_won: {
    entry_no: EntryNo;
    winners: { entry_no: EntryNo; to_total: Chips; onto_head: Chips }[];
  };
};

export type HandForHandTournamentEvent = { hand_for_hand: { round: Count } };

export type RegistrationEndedTournamentEvent = {
  registration_ended: { cause: RegistrationEnd; entries: Count; places: Count };
};

export type PoolFinalTournamentEvent = { pool_final: { pool: Chips; overlay: Chips } };

export type PrizePaidTournamentEvent = {
  prize_paid: {
    entry_no: EntryNo;
    rank: Rank;
    prize: {
      cash?: Chips;
      ticket?: Chips;
      t_dollars?: Chips;
      /** Of the house, for what the player accepted. */
      substitute?: Chips;
    };
  };
};

export type BountyPaidTournamentEvent = { bounty_paid: { entry_no: EntryNo; amount: Chips } };

export type DealWantedTournamentEvent = { deal_wanted: { entry_no: EntryNo; want: boolean } };

export type DealProposedTournamentEvent = {
  deal_proposed: { method: DealMethod; digest: Hex32; amounts: Amounts; answer_by: Time };
};

export type DealAnsweredTournamentEvent = { deal_answered: { entry_no: EntryNo; accept: boolean } };

export type DealMadeTournamentEvent = { deal_made: { amounts: Amounts } };

export type DealOffTournamentEvent = { deal_off: Record<string, never> };

export type PlayerDisqualifiedTournamentEvent = { player_disqualified: { entry_no: EntryNo; reason: Reference } };

export type PrizeSubstitutedTournamentEvent = { prize_substituted: { place: Count; what: Reference; value: Count } };

export type SubstituteAcceptedTournamentEvent = { substitute_accepted: { entry_no: EntryNo; place: Count } };

export type RegistrationChangedTournamentEvent = { registration_changed: { late_levels: number; unregister_ms?: Count } };

export type PostponedTournamentEvent = { postponed: { starts_at: Time } };

export type ClockStoppedTournamentEvent = { clock_stopped: { cause: StandCause } };

export type ClockStartedTournamentEvent = { clock_started: { cause: StandCause } };

export type CancelledTournamentEvent = {
  cancelled: {
    cause: CancelCause;
    instant: Time;
    case: number;
    method: 'document' | 'chip_count';
    remaining: Count;
    pool: Chips;
    chips: Chips;
    residual: Chips;
  };
};

export type RefundedTournamentEvent = {
  refunded: {
    entry_no: EntryNo;
    fee: Chips;
    bounty: Chips;
    pool: Chips;
    due?: Chips;
    bought?: Chips;
    taken?: Chips;
  };
};

export type EndedTournamentEvent = { ended: { residual: Chips } };

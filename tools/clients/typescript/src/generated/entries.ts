// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// Entries of the log: commands and what followed from them.
import type {
  Ahead, Card, Chips, ClientKind, ComeIn, Composition, Count, CutOff, Doubled, Hex32, LapseCause, LateExtra,
  LogName, Name, Origin, Outcome, Place, Reference, RetireCause, SafeOutCause, SafeWonBy, SeatNumber, SignedChips,
  Slot, Time, VoidCause, WalletCall,
} from './words.js';
import type { TournamentCommand, TournamentEvent } from './tournament-entries.js';
import type { EventBlinds } from './tournaments.js';
import type { RuleSet } from './rules.js';
import type { HandStart, NotedBetting, NotedCash, PokerEvent, Positions, SeatChips } from './games.js';
import type { Action, Bet, Committed, Offer, Opening, PlacedBet, RoundResults, SeenCheckpoint } from './views.js';

/** One accepted command with all the events it caused, in order. */
export type Entry = {
  v: 1;
  time: Time;
  by: string;
  /** The table, and the entry's place in its gapless sequence. */
  at?: { table: Name; seq: Count };
  /** What the players concerned had before it. */
  before?: [Name, Chips][];
  command: Command;
  /** The signature of the player who gave it, where they have a key (spec/entries.md, "Signed commands"). */
  signed?: { nonce: number; signature: string };
  events: LogEvent[];
};

/** What was asked of the house: one property, the command's name. */
export type Command =
  | { start_dealer: { origin: Origin; epoch: Hex32; master_id: Hex32; software: Reference } }
  | { create_player: { player: Name; key?: Hex32 } }
  | { admit_guest: Record<string, never> }
  | { dismiss_guest: { player: Name } }
  | { set_key: { player: Name; key?: Hex32; reason?: Reference } }
  | { issue_token: { holder: string; revoke: boolean } }
  | { credit: { player: Name; amount: Chips; reference?: Reference } }
  | { withdraw: { player: Name; amount: Chips; reference?: Reference } }
  | { open_table: { table: Name; rules: RuleSet; replaces?: Name } }
  | { close_table: { table: Name } }
  | { commit_shoe: { table: Name } }
  | { bet: { table: Name; round_no: Count; bets: Bet[]; commitment: Hex32 } }
  | { reveal: {
    table: Name;
    round_no: Count;
    player: Name;
    seed: Hex32;
    saw?: SeenCheckpoint;
    next?: Hex32;
  } }
  | { late_seed: { table: Name; round_no: Count; player: Name; seed: Hex32 } }
  | { act: { table: Name; round_no: Count; decision: number; action: Action } }
  | { lapse: { table: Name; round_no: Count; lapsed: 'reveal' | 'round' | 'turn' | 'pile' } }
  | { void_round: { table: Name; round_no: Count; reason: Reference } }
  | { recover: { table: Name } }
  | { correct: { player: Name; amount: Chips; reason: Reference } }
  | { stop_dealer: Record<string, never> }
  | { know_log: { log: LogName; policy?: string } }
  | { transfer_out: { to: LogName; player: Name; amount: Chips } }
  | { transfer_in: { from: LogName; entry: string; receipt: string } }
  | { wallet_deposit: { player: Name; amount: Chips } }
  | { wallet_withdraw: { player: Name; amount: Chips } }
  | { wallet_cancel: { no: Count } }
  | { wallet_answer: {
    no: Count;
    call: WalletCall;
    answer: 'accepted' | 'refused';
    reason?: Reference;
  } }
  | { continue_log: { origin: string; key: Hex32; size: Count; root: string; signature: string } }
  | { note_refused_start: { at: Time; reason: Reference } }
  | { note_state: { size: Count; root: Hex32 } }
  | { take_seat: { table: Name; seat: number } }
  | { sit_down: {
    table: Name;
    seat: number;
    buy_in: Chips;
    client?: ClientKind;
    entry?: ComeIn;
  } }
  | { sit_out: { table: Name } }
  | { add_chips: { table: Name; amount: Chips } }
  | { tidy_seats: { table: Name } }
  | { disclose_shoe: { table: Name; shoe_no: Count; reason: Reference } }
  | { ask_to_play: { table: Name } }
  | { sit_in: { table: Name; entry?: ComeIn; straddle?: boolean } }
  | { want_seat: { table: Name } }
  | { unseat: { table: Name; player: Name; reason: Reference } }
  | { leave_seat: { table: Name } }
  | { open_bets: { table: Name } }
  | { cancel_bet: { table: Name; round_no: Count } }
  | { close_bets: { table: Name; round_no: Count } }
  | { call_hand: { table: Name } }
  | { commit_hand_seed: { table: Name; round_no: Count; commitment: Hex32 } }
  | { withdraw_hand_seed: { table: Name; round_no: Count } }
  | { close_call: { table: Name; round_no: Count } }
  | { retire_shoe: { table: Name; reason?: Reference } }
  | { commit_seed: { table: Name; round_no: Count; commitment: Hex32 } }
  | { open_event_table: { table: Name; rules: RuleSet } }
  | { set_seats: { table: Name } }
  | { tournament: TournamentCommand };

/** What happened: one property, the event's name. */
export type LogEvent =
  | { dealer_started: { origin: Origin; epoch: Hex32; master_id: Hex32; down_ms: Count } }
  | { player_created: { player: Name } }
  | { guest_admitted: { player: Name } }
  | { guest_dismissed: { player: Name } }
  | { key_set: { player: Name; key?: Hex32; from?: Time; old?: Hex32 } }
  | { token_issued: { holder: string; revoked: boolean } }
  | { table_opened: {
    rules: RuleSet;
    digest: Hex32;
    owner?: Name;
    idle_ms?: Count;
    replaces?: Name;
    /** The tournament whose table it is. */
    event?: Name;
  } }
  | { table_closed: Record<string, never> }
  | { shoe_committed: { shoe_no: Count; composition: Composition; candidates: Committed[] } }
  | { table_noted: {
    next_round: Count;
    last_used: Time;
    betting?: NotedBetting;
    cash?: NotedCash;
  } }
  | { bets_opened: { round_no: Count; shoe_no: Count; closes_at?: Time } }
  | { bet_placed: { bet: PlacedBet } }
  | { bets_closed: {
    round_no: Count;
    shoe_no: Count;
    contributors: PlacedBet[];
    lanes: number;
    reveal_by: Time;
    /** By the operator, before the time was up. */
    announced?: true;
  } }
  | { hand_called: { round_no: Count; shoe_no: Count; closes_at: Time } }
  | { hand_seed_committed: { player: Name; commitment: Hex32 } }
  | { hand_seed_withdrawn: { player: Name } }
  | { call_lapsed: {
    round_no: Count;
    cause: 'too_few_players' | 'restart' | 'malfunction' | 'closed' | 'no_seeds';
    /** By the operator, before the time was up. */
    announced?: true;
  } }
  | { hand_begun: {
    round_no: Count;
    shoe_no: Count;
    contributors: { player: Name; commitment: Hex32 }[];
    reveal_by: Time;
    /** By the operator, before the time was up. */
    announced?: true;
    hand: HandStart;
  } }
  | { seed_late: { round_no: Count; player: Name; seed: Hex32 } }
  | { seed_revealed: { player: Name; seed: Hex32 } }
  | { round_opened: { entropy: Hex32; pick: number; others: Hex32[]; settle_by?: Time } }
  | { play: RoundEvent }
  | { posted: { lines: [string, SignedChips, SignedChips][] } }
  | { round_settled: { round_no: Count; staked: Chips; returned: Chips; players: RoundResults } }
  | { round_voided: {
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
  } }
  | { round_resumed: { round_no: Count; reveal_by?: Time; settle_by?: Time; turn_by?: Time } }
  | { shoe_revealed: { shoe_no: Count; seeds: Hex32[]; cause?: RetireCause } }
  | { dealer_stopped: Record<string, never> }
  | { log_known: { log: LogName; policy?: string } }
  | { transferred_out: { to: LogName; no: Count; player: Name; amount: Chips } }
  | { transferred_in: { from: LogName; no: Count; index: Count; player: Name; amount: Chips } }
  | { wallet_asked: { no: Count; call: WalletCall; player: Name; amount: Chips } }
  | { wallet_answered: {
    no: Count;
    call: WalletCall;
    answer: 'accepted' | 'refused';
    reason?: Reference;
  } }
  | { log_continues: { origin: string; key: Hex32; size: Count; root: string } }
  | { start_refused: { at: Time; reason: Reference } }
  | { state_noted: { size: Count; root: Hex32 } }
  | { seat_taken: { player: Name; seat: number } }
  | { seat_wanted: { player: Name } }
  | { seat_left: { player: Name; seat: number } }
  | { play_asked: { player: Name } }
  | { cooldown: {
    player: Name;
    offence: 'reveal_missing' | 'no_bet';
    offences: number;
    until: Time;
  } }
  | { bet_cancelled: { player: Name } }
  | { bets_lapsed: { round_no: Count; cause: LapseCause; announced?: true } }
  | { last_hand: { shoe_no: Count } }
  | { pile_opened: { round_no: Count; shoe_no: Count; players: Name[]; commit_by: Time } }
  | { seed_committed: { player: Name; commitment: Hex32 } }
  | { pile_closed: {
    round_no: Count;
    shoe_no: Count;
    contributors: { player: Name; commitment: Hex32 }[];
    reveal_by: Time;
  } }
  | { pile_shuffled: { round_no: Count; entropy: Hex32; pick: number } }
  | { pile_failed: { round_no: Count; missing: Name[] } }
  | { shuffle_asked: Record<string, never> }
  | { shoe_sealed: {
    shoe_no: Count;
    /** Of every card that lay open, in the order in which they were turned up. */
    openings: Opening[];
  } }
  | { shoe_disclosed: {
    table: Name;
    shoe_no: Count;
    /** Absent where the house ended the hand: then every auditor gets the seeds. */
    auditor?: Name;
  } }
  | { chips_added: { player: Name; seat: SeatNumber; amount: Chips; stack: Chips } }
  | { chips_asked: { player: Name; seat: SeatNumber; amount: Chips } }
  | { sat_in: { player: Name; seat: SeatNumber; entry: ComeIn; straddle: boolean } }
  | { sat_out: {
    player: Name;
    seat: SeatNumber;
    cause: 'asked' | 'no_commitment' | 'timed_out' | 'reveal_missing' | 'no_chips';
  } }
  | { leave_asked: { player: Name; seat: SeatNumber } }
  | { bank_used: { player: Name; seat: SeatNumber; used_ms: Count; left_ms: Count } }
  | { left_early: { player: Name; level: string; refusals: number; until: Time } }
  | { next_committed: { player: Name; commitment: Hex32 } }
  | { set_seats: {
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
  } }
  | { posts_taken: {
    positions: Positions;
    seats: { seat: SeatNumber; player: Name; put_in: Chips; got: Chips; stack: Chips }[];
  } }
  | { tournament: TournamentEvent };

/** What happened in the game: one property. */
export type RoundEvent =
  | { dealt: { lane: number; slot: Slot; to: Place; card?: Card } }
  | { turned: {
    /** The pile it came from, where the game is on a later one. */
    pile?: number;
    slot: Slot;
    card: Card;
  } }
  | { peeked: { slot: Slot; blackjack: boolean } }
  | { offered: {
    decision: number;
    player: Name;
    place: Place;
    options: Offer[];
    bank_from?: Time;
    deadline: Time;
    /** How much of the time was given to a player who was cut off late in a tournament; absent where none was. */
    extra_ms?: number;
  } }
  | { acted: {
    decision: number;
    player: Name;
    action: Action;
    cost: Chips;
    default: boolean;
  } }
  | { paid: {
    lines: {
      player: Name;
      place: Place;
      wager: 'hand' | 'insurance' | 'bet' | 'entry';
      outcome: Outcome;
      stake: Chips;
      returned: Chips;
    }[];
  } }
  | { spun: { slot: Slot; value: number; pocket: number } }
  | { shuffled: { pile: number } }
  | { absent: { player: Name } }
  | { poker: PokerEvent }
  | { safe:
    | { opening: {
      player: Name;
      place: Place;
      why: 'no_free_player' | 'last_player' | 'pile_short' | 'last_round';
    } }
    | { discarded: {
      player: Name;
      place: Place;
      cards: Card[];
      why: 'advanced' | 'out' | 'opened' | 'chosen';
    } }
    | { out: { player: Name; cause: SafeOutCause; holder: boolean } }
    | { pile_empty: { pile: number } }
    | { collected: { pile: number; cards: Card[] } }
    | { advanced: { round: number; players: Name[] } }
    | { won: { player: Name; by: SafeWonBy } } };

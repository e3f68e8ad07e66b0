// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// What entries say of tournaments.
import type {
  CancelCause, Chips, Count, DealMethod, DrawKind, EntryNo, Hex32, Name, Noted, Pay, Reference, RegistrationEnd,
  SeatNumber, StandCause, Time,
} from './words.js';
import type { Structure } from './tournaments.js';
import type { RuleSet } from './rules.js';
import type { Amounts } from './views.js';

/** What is asked of a tournament: one property, the command's name (spec/games/tournaments.md, 14). */
export type TournamentCommand =
  | { create: {
    event: Name;
    structure: Structure;
    rules: RuleSet;
    starts_at: Time;
    registration_from: Time;
  } }
  | { register: { event: Name; commitment: Hex32; pay: Pay } }
  | { set_bounty: { event: Name; player: Name; has: boolean } }
  | { unregister: { event: Name } }
  | { rebuy: { event: Name } }
  | { decline_rebuy: { event: Name; entry_no: EntryNo } }
  | { carry_out: { event: Name; entry_no: EntryNo } }
  | { add_on: { event: Name } }
  | { offer_stake: { event: Name; basis_points: Count } }
  | { buy_stake: { event: Name; seller: Name; basis_points: Count } }
  | { start: { event: Name } }
  | { call_draw: { event: Name } }
  | { reveal_seat_seed: { event: Name; draw_no: number; entry_no: EntryNo; seed: Hex32; next?: Hex32 } }
  | { draw_seats: { event: Name; draw_no: number } }
  | { move_player: { event: Name } }
  | { next_level: { event: Name } }
  | { settle_hand: { event: Name; table: number } }
  | { next_round: { event: Name } }
  | { end_registration: { event: Name } }
  | { pay_places: { event: Name } }
  | { pay_bounties: { event: Name } }
  | { start_clock: { event: Name } }
  | { end: { event: Name } }
  | { want_deal: { event: Name; want: boolean } }
  | { propose_deal: { event: Name; method: DealMethod; amounts?: Amounts } }
  | { answer_deal: { event: Name; digest: string; accept: boolean } }
  | { disqualify: { event: Name; player: Name; reason: Reference } }
  | { substitute_prize: { event: Name; place: Count; what: Reference; value: Count } }
  | { change_registration: { event: Name; late_levels: number; unregister_ms?: Count; reason: Reference } }
  | { postpone: { event: Name; starts_at: Time; reason: Reference } }
  | { cancel: { event: Name; cause: CancelCause; instant: Time; reason?: Reference } }
  | { pay_refunds: { event: Name } };

/** What happened in a tournament: one property (spec/games/tournaments.md, 15). */
export type TournamentEvent =
  | { created: {
    structure: Structure;
    digest: Hex32;
    rules: RuleSet;
    starts_at: Time;
    registration_from: Time;
    epoch: Hex32;
    tip: Hex32;
  } }
  | { registered: {
    entry_no: EntryNo;
    player: Name;
    commitment: Hex32;
    paid_by: { cash: Chips; t_dollars: Chips; ticket: Chips };
    bounty: Chips;
    non_unregisterable: boolean;
  } }
  | { bounty_set: { player: Name; has: boolean } }
  | { unregistered: { entry_no: EntryNo } }
  | { rebought: { entry_no: EntryNo; chips: Chips } }
  | { added_on: { entry_no: EntryNo; chips: Chips } }
  | { noted: {
    entry_no: EntryNo;
    what: Noted;
    /** Of a disqualification. */
    reason?: Reference;
  } }
  | { note_dropped: { entry_no: EntryNo; what: Noted; why: 'stack' | 'balance' | 'room' | 'over' } }
  | { stake_offered: { player: Name; basis_points: number } }
  | { stake_sold: { seller: Name; buyer: Name; basis_points: number; price: Chips } }
  | { stakes_divided: { entry_no: EntryNo } }
  | { ticket_returned: { player: Name; value: Chips } }
  | { started: { players: Count } }
  | { draw_called: { draw_no: number; kind: DrawKind; table?: number; reveal_by: Time } }
  | { seat_seed_revealed: { draw_no: number; entry_no: EntryNo; seed: Hex32; next?: Hex32 } }
  | { seats_drawn: { draw_no: number; link: Hex32; entropy: Hex32; withheld: Count } }
  | { player_moved: { entry_no: EntryNo; from: [number, SeatNumber]; to: [number, SeatNumber] } }
  | { level_begun: { level: number } }
  | { break_begun: { until: Time } }
  | { break_ended: Record<string, never> }
  | { player_eliminated: {
    entry_no: EntryNo;
    hand: Count;
    table: number;
    stack: Chips;
    distance: number;
  } }
  | { rebuy_awaited: { entry_no: EntryNo; until: Time } }
  | { bounty_won: {
    entry_no: EntryNo;
    winners: { entry_no: EntryNo; to_total: Chips; onto_head: Chips }[];
  } }
  | { hand_for_hand: { round: Count } }
  | { registration_ended: { cause: RegistrationEnd; entries: Count; places: Count } }
  | { pool_final: { pool: Chips; overlay: Chips } }
  | { prize_paid: {
    entry_no: EntryNo;
    rank: [Count, Count];
    prize: { cash?: Chips; ticket?: Chips; t_dollars?: Chips };
  } }
  | { bounty_paid: { entry_no: EntryNo; amount: Chips } }
  | { deal_wanted: { entry_no: EntryNo; want: boolean } }
  | { deal_proposed: { method: DealMethod; digest: Hex32; amounts: Amounts; answer_by: Time } }
  | { deal_answered: { entry_no: EntryNo; accept: boolean } }
  | { deal_made: { amounts: Amounts } }
  | { deal_off: Record<string, never> }
  | { player_disqualified: { entry_no: EntryNo; reason: Reference } }
  | { prize_substituted: { place: Count; what: Reference; value: Count } }
  | { registration_changed: { late_levels: number; unregister_ms?: Count } }
  | { postponed: { starts_at: Time } }
  | { clock_stopped: { cause: StandCause } }
  | { clock_started: { cause: StandCause } }
  | { cancelled: {
    cause: CancelCause;
    instant: Time;
    case: number;
    method: 'document' | 'chip_count';
    remaining: Count;
    pool: Chips;
    chips: Chips;
    residual: Chips;
  } }
  | { refunded: {
    entry_no: EntryNo;
    fee: Chips;
    bounty: Chips;
    pool: Chips;
    due?: Chips;
    bought?: Chips;
    taken?: Chips;
  } }
  | { ended: { residual: Chips } };

// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// The closed list of error codes.
import type { ErrorCode } from './words.js';

export const ERROR_CODES: readonly ErrorCode[] = [
  'malformed', 'unauthorized', 'not_allowed', 'guests_not_offered', 'ticket_refused', 'not_your_decision',
  'signature_missing', 'signature_wrong', 'not_found', 'unknown_player', 'unknown_table', 'unknown_round',
  'unknown_shoe', 'unknown_entry', 'not_witnessed', 'unknown_ruleset', 'unknown_structure', 'unknown_tournament',
  'unknown_log', 'unknown_operation', 'method_not_allowed', 'request_timeout', 'wrong_round', 'wrong_epoch',
  'round_in_progress', 'no_shoe', 'recovering', 'log_ended', 'insufficient_balance', 'claim_refused',
  'already_claimed', 'too_many_operations', 'no_wallet', 'amount_out_of_range', 'spot_taken', 'player_count',
  'solo_table', 'seat_not_free', 'not_seated', 'chips_needed', 'cooldown', 'excluded', 'limit_reached',
  'bets_not_open', 'newcomer_waits', 'no_bet', 'nothing_to_do', 'player_exists', 'nonce_used', 'no_key',
  'table_exists', 'too_many_tables', 'not_replaceable', 'too_many_waiting', 'too_many_tokens',
  'not_a_contributor', 'seed_does_not_open', 'already_revealed', 'reveals_over', 'saw_other', 'awaiting_reveals',
  'deadline_passed', 'decision_not_open', 'action_not_offered', 'extra_stake_refused', 'idempotency_key_reused',
  'registration_closed', 'field_full', 'not_registered', 'wrong_draw', 'not_an_entrant', 'hand_in_progress',
  'tournament_table', 'other_chips', 'deadline_ahead', 'too_many_seats', 'level_blocked', 'sitting_out',
  'is_a_cash_table', 'hand_not_called', 'not_a_cash_table', 'shoe_not_sealed', 'bundle_too_large',
  'body_too_large', 'unsupported_media_type', 'bet_count', 'unknown_spot', 'spot_twice', 'below_minimum',
  'above_maximum', 'off_step', 'unknown_chip', 'chip_above_balance', 'chips_differ', 'rule_set_refused',
  'structure_refused', 'stake_refused', 'deal_refused', 'instant_out_of_range', 'buy_in_out_of_range',
  'raise_out_of_range', 'key_refused', 'too_many_guests', 'rate_limited', 'too_many_changes', 'not_leader',
  'head_too_large', 'internal', 'unavailable', 'busy', 'stopping', 'wallet_unavailable', 'disk_full',
  'unwitnessed',
];

// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// The words and numbers of the contract.

/** The stable codes, with their status and the calls that give them. */
export type ErrorCode =
  | 'malformed'
  | 'unauthorized'
  | 'not_allowed'
  | 'guests_not_offered'
  | 'ticket_refused'
  | 'not_your_decision'
  | 'signature_missing'
  | 'signature_wrong'
  | 'not_found'
  | 'unknown_player'
  | 'unknown_table'
  | 'unknown_round'
  | 'unknown_shoe'
  | 'unknown_entry'
  | 'not_witnessed'
  | 'unknown_ruleset'
  | 'unknown_structure'
  | 'unknown_tournament'
  | 'unknown_log'
  | 'unknown_operation'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'wrong_round'
  | 'wrong_epoch'
  | 'round_in_progress'
  | 'no_shoe'
  | 'recovering'
  | 'insufficient_balance'
  | 'claim_refused'
  | 'already_claimed'
  | 'too_many_operations'
  | 'no_wallet'
  | 'amount_out_of_range'
  | 'spot_taken'
  | 'player_count'
  | 'solo_table'
  | 'seat_not_free'
  | 'not_seated'
  | 'chips_needed'
  | 'cooldown'
  | 'excluded'
  | 'limit_reached'
  | 'bets_not_open'
  | 'newcomer_waits'
  | 'no_bet'
  | 'nothing_to_do'
  | 'player_exists'
  | 'nonce_used'
  | 'no_key'
  | 'table_exists'
  | 'too_many_tables'
  | 'not_replaceable'
  | 'too_many_waiting'
  | 'too_many_tokens'
  | 'not_a_contributor'
  | 'seed_does_not_open'
  | 'already_revealed'
  | 'reveals_over'
  | 'saw_other'
  | 'awaiting_reveals'
  | 'deadline_passed'
  | 'decision_not_open'
  | 'action_not_offered'
  | 'extra_stake_refused'
  | 'idempotency_key_reused'
  | 'registration_closed'
  | 'field_full'
  | 'not_registered'
  | 'wrong_draw'
  | 'not_an_entrant'
  | 'hand_in_progress'
  | 'tournament_table'
  | 'other_chips'
  | 'deadline_ahead'
  | 'too_many_seats'
  | 'level_blocked'
  | 'sitting_out'
  | 'is_a_cash_table'
  | 'hand_not_called'
  | 'not_a_cash_table'
  | 'shoe_not_sealed'
  | 'bundle_too_large'
  | 'log_ended'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'bet_count'
  | 'unknown_spot'
  | 'spot_twice'
  | 'below_minimum'
  | 'above_maximum'
  | 'off_step'
  | 'unknown_chip'
  | 'chip_above_balance'
  | 'chips_differ'
  | 'rule_set_refused'
  | 'structure_refused'
  | 'stake_refused'
  | 'deal_refused'
  | 'instant_out_of_range'
  | 'buy_in_out_of_range'
  | 'raise_out_of_range'
  | 'key_refused'
  | 'too_many_guests'
  | 'rate_limited'
  | 'too_many_changes'
  | 'not_leader'
  | 'head_too_large'
  | 'internal'
  | 'unavailable'
  | 'busy'
  | 'stopping'
  | 'wallet_unavailable'
  | 'disk_full'
  | 'unwitnessed';

/** The name of a player, table, auditor or rule set. */
export type Name = string;

/** A round's name, `TABLE:ROUND_NO`. */
export type RoundId = string;

/** A number from 0 to 2^63 − 1. */
export type Count = number;

/** An amount in integer minor units, at most 2^53 − 1. */
export type Chips = number;

/** A movement or a balance in integer minor units. */
export type SignedChips = number;

/** UTC milliseconds since 1970. */
export type Time = number;

/** 32 bytes as lower-case hexadecimal digits. */
export type Hex32 = string;

/** A bearer token, 256 random bits. */
export type Token = string;

/** It can be exchanged once, within a minute, for a player's token; 256 random bits. */
export type Ticket = string;

/** A SHA-256 hash of the log's tree, base64. */
export type Hash = string;

/** The log's name, a schema-less URL. */
export type Origin = string;

/** A verifier key, `NAME+KEYID+base64` (c2sp.org/signed-note). */
export type VerifierKey = string;

/** A signed checkpoint (c2sp.org/tlog-checkpoint), the whole note. */
export type SignedCheckpoint = string;

/** A receipt (c2sp.org/tlog-proof), index, path and signed checkpoint in one text; spec/receipts.md says how … */
export type ProofText = string;

/** A label, or a sentence of printable ASCII, that goes on the public log. */
export type Reference = string;

/** What a shoe holds: `52xDECKS`, `wheel37xSPINS`, `wheel216xTHROWS` or `cards:` and the cards by ascending … */
export type Composition = string;

/** Rank and suit, `As`, `Tc`. */
export type Card = string;

/** A place in the house order of a shoe. */
export type Slot = number;

/** Where a card or a wager is placed: `BOX/HAND` (both from 1), `dealer`, or a spot of the layout (`banker`, … */
export type Place = string;

export type SignatureHeader = string;

/** UTC, RFC 3339. */
export type UtcTime = string;

/** Where clients reach a node of a shard. */
export type NodeAddress = string;

export type WitnessFailure =
  | 'unreachable'
  | 'timeout'
  | 'answer_too_long'
  | 'refused'
  | 'conflict'
  | 'ahead'
  | 'other_tree'
  | 'bad_answer'
  | 'bad_signature'
  | 'wrong_clock'
  | 'no_proof';

/** An entry's exact bytes. */
export type EntryText = string;

/** A note under the log's key of what the service was sent (spec/receipts.md, "Received and refused"): its … */
export type HouseNote = string;

/** The name of a log, as in the first line of its checkpoints. */
export type LogName = string;

/** What is asked of the operator's wallet (spec/wallet.md). */
export type WalletCall = 'reserve' | 'commit' | 'cancel' | 'pay';

export type WalletStyle = 'chips' | 'rounds';

/** What is limited (spec/limits.md). */
export type LimitOf = 'deposit' | 'loss' | 'play_time';

/** For a day, 7 days or 30 days. */
export type LimitPer = 'day' | 'week' | 'month';

export type ActionKind =
  | 'hit'
  | 'stand'
  | 'double'
  | 'split'
  | 'insurance'
  | 'even_money'
  | 'surrender'
  | 'face_down'
  | 'change'
  | 'accept'
  | 'reject'
  | 'open'
  | 'discard'
  | 'pass'
  | 'fold'
  | 'check'
  | 'call'
  | 'bet'
  | 'raise'
  | 'show'
  | 'muck';

export type PlainAction =
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
  | 'muck';

/** `betting`: bets are placed and do not bind yet (shared tables). */
export type Phase = 'betting' | 'called' | 'awaiting_reveals' | 'open' | 'settled' | 'voided';

export type VoidCause = 'reveal_missing' | 'crash' | 'malfunction' | 'shoe_exhausted' | 'abandoned';

/** Who was ahead by public faces and stakes alone. */
export type Ahead = 'nobody' | 'level' | 'players' | 'house';

/** Why open bets came back without a round. */
export type LapseCause = 'no_bets' | 'too_few_players' | 'restart' | 'malfunction' | 'closed';

/** Why a shoe left its table; absent where every round has its own. */
export type RetireCause =
  | 'threshold'
  | 'newcomer'
  | 'full'
  | 'idle'
  | 'restart'
  | 'exhausted'
  | 'house_shuffle'
  | 'closed'
  | 'pile_used'
  | 'pile_unused';

/** How a round ended for one of its players: `void` if the stakes came back, `in_play` if it is not over. */
export type PartOutcome = 'won' | 'lost' | 'even' | 'void' | 'in_play';

/** The unit of sums: `play` (play chips), `event:NAME` (chips of that tournament), else `money`, or the … */
export type SumUnit = string;

export type SafeOutCause = 'bust' | 'face_down' | 'absent';

export type SafeWonBy = 'last_alive' | 'survived' | 'last_free_player' | 'last_opened' | 'last_round';

export type Outcome = 'blackjack' | 'win' | 'draw' | 'loss' | 'bust' | 'surrender' | 'even_money';

export type ReshuffleEveryRound = 'every_round';

export type Unlimited = 'unlimited';

/** How a player who owes blinds comes in: they post, or wait until the last blind reaches them. */
export type ComeIn = 'post' | 'wait';

/** From where the player plays; the most seats they may hold depend on it. */
export type ClientKind = 'desktop' | 'mobile' | 'browser';

export type SeatNumber = number;

/** At a tournament's table: the player's last decision was taken by default, and the next one may have more … */
export type CutOff = 'due' | 'had';

/** How many times what a hand posts is doubled if nobody commits a seed for it; absent where it is not. */
export type Doubled = number;

/** Milliseconds more for who was cut off, late in the event; absent where there are none. */
export type LateExtra = number;

export type Nothing = Record<string, never>;

/** An account of the ledger (spec/entries.md). */
export type Account = string;

/** The number of an entry, from 0 in the order of the log; a re-entry is another one. */
export type EntryNo = number;

/** How an entry is paid: out of the balance; by T$ as far as they go and the rest out of the balance; by a … */
export type Pay = 'cash' | 't_dollars' | 'ticket';

/** How a deal's numbers come about: by chips, by the chances of the chips, or as they are sent. */
export type DealMethod = 'chips' | 'icm' | 'amounts';

export type CancelCause = 'crash' | 'too_few_players' | 'operator';

/** The time is over, the field is full, or the paid places are reached. */
export type RegistrationEnd = 'schedule' | 'full' | 'itm';

/** What a draw of seats is for: the first of all; those who came late; the players of a table that breaks; the … */
export type DrawKind = 'first' | 'late' | 'break' | 'final';

/** Why the clock stands. */
export type StandCause = 'crash' | 'deal';

/** How far a tournament has come: before the start; it is played; it is off and refunds are paid; nothing is … */
export type Stage = 'registering' | 'running' | 'cancelled' | 'ended';

/** What can be asked for in the middle of a hand. */
export type Noted = 'rebuy' | 'add_on' | 'disqualification';

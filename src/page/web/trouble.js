// What went wrong, in words, and what to do about it: the service's problems by their stable code.

import { say } from './words.js';

const KNOWN = new Set([
  'offline',
  'unauthorized',
  'not_allowed',
  'rate_limited',
  'busy',
  'recovering',
  'stopping',
  'insufficient_balance',
  'cooldown',
  'newcomer_waits',
  'bets_not_open',
  'deadline_passed',
  'decision_not_open',
  'unknown_table',
  'not_found',
  'round_in_progress',
  'wrong_round',
  'seat_not_free',
  'not_seated',
  'spot_taken',
  'signature_missing',
  'unwitnessed',
  'storage_full',
  'chips_needed',
  'player_count',
  'method_not_allowed',
  'already_revealed',
  'reveals_over',
  'left_early',
  'bad_bet',
  'unknown_player',
]);

/** What to say of an error: in the reader's words where the code is known, and the service's own detail behind it. */
export function problemWords(error) {
  const code = error?.code;
  if (!code || !KNOWN.has(code)) return error?.detail || error?.message || String(error);
  const detail = code === 'offline' || !error.detail ? '' : ` (${error.detail})`;
  return say(`trouble.${code}`) + detail;
}

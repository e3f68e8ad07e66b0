// The state that a table waits in, in words, and until when.

import { say } from './words.js';

const HURRY_MS = 6000;
/** The house opens bets sooner than that after the pause, if it does so by itself. */
const OPENS_MS = 5000;

/** For play chips the house waits no longer, whatever the rule set says. */
const PLAY_WAIT_MS = 600_000;

/** Safe has entries and games where other tables have bets and rounds. */
const OF_SAFE = {
  'status.seeds': 'status.entry_seeds',
  'status.bets_open': 'status.entry_open',
  'status.bet_placed': 'status.entry_paid',
  'status.bets_seen': 'status.entry_seen',
  'status.opening': 'status.entry_opening',
  'status.ask': 'status.entry_ask',
  'status.no_bets': 'status.entry_none',
  'play.waits_for_shoe': 'play.game_wait_round',
  'play.asks_for_shoe': 'play.game_wait_asked',
  'play.wait_round': 'play.game_wait_round',
  'play.wait_opening': 'play.game_wait_opening',
  'play.wait_asked': 'play.game_wait_asked',
  'play.in_round': 'play.game_in_round',
  'play.ask': 'play.game_ask',
};
export const keyFor = (rules, key) => (rules.game.safe && OF_SAFE[key]) || key;

/** Whether these are the same stakes on the same spots. */
const isSame = (bets, others) =>
  bets.length === others.length
  && bets.every(({ spot, stake }) => others.some(other => other.spot === spot && other.stake === stake));

const until = (deadline, from, words, tone = '') => ({ words, deadline, from, tone });

/** The present state: `{words, tone, deadline?, from?}`; `laid`: this player's chips on the spots, sent or not. */
export function statusOf(table, me, now, laid = []) {
  const { view, round, rules, live } = table;
  if (table.halted) return { words: say('status.halted'), tone: 'bad' };
  if (table.closed) {
    const { tournament } = view ?? {};
    return { words: say(tournament ? 'status.closed_event' : 'status.closed'), tone: tournament ? '' : 'bad' };
  }
  if (live === 'broken') return { words: say('status.broken'), tone: 'warn' };
  if (live === 'behind') return { words: say('status.behind'), tone: 'warn' };
  const shared = rules.table.mode === 'shared',
    timed = seconds => say('status.seconds', { seconds });
  const waits = ms => (view?.chips === 'play' ? Math.min(ms, PLAY_WAIT_MS) : ms);
  const left = deadline => Math.max(0, Math.ceil((deadline - now) / 1000));
  const within = (deadline, words) => `${words} · ${timed(left(deadline))}`;

  if (round?.phase === 'awaiting_reveals') {
    const out = round.contributors.filter(one => one.seed !== null).length,
      all = round.contributors.length;
    return until(
      round.reveal_by,
      waits(rules.table.reveal_time_ms),
      say(all > 1 ? keyFor(rules, 'status.seeds') : 'status.seed', { out, all }),
    );
  }
  if (round?.phase === 'open') {
    if (round.pile)
      return until(
        round.pile.deadline,
        waits(rules.table.reveal_time_ms),
        within(round.pile.deadline, say(`status.pile_${round.pile.awaits}`)),
      );
    const asked = round.decisions.find(one => one.player === me) ?? round.decisions[0];
    if (!asked) return { words: say('status.dealing'), tone: '' };
    const { player, deadline, bank_from: bank } = asked,
      words = player === me ? say('status.your_turn') : say('status.their_turn', { player }),
      tone = player === me ? 'mine' : '',
      time = rules.table.turn_time_ms || waits(rules.table.round_time_ms);
    if (!shared) return until(deadline, time, words, tone);
    // The time for a choice and the bank after it are two, as in the rules.
    if (!bank || bank >= deadline) return until(deadline, time, within(deadline, words), tone);
    const seconds = Math.round((deadline - bank) / 1000);
    return now < bank
      ? until(bank, time, say('status.then_bank', { words: within(bank, words), seconds }), tone)
      : until(deadline, deadline - bank, within(deadline, say('status.on_bank', { words })), tone);
  }
  const cash = view.cash,
    call = cash?.call;
  if (call) {
    const waits = call.awaited.includes(me) && !cash.committed.includes(me);
    return until(
      call.closes_at,
      rules.table.bet_time_ms,
      within(call.closes_at, say(waits ? 'status.commits' : 'status.called')),
    );
  }
  if (view.window) {
    const { window } = view,
      mine = window.bets.find(bet => bet.player === me);
    const sits = view.seats.some(seat => seat.player === me),
      isUnsent = laid.length > 0 && !isSame(laid, mine?.bets ?? []),
      state = !sits && !mine ? 'status.bets_seen'
        : isUnsent ? (mine ? 'status.bets_changed' : 'status.bets_unplaced')
        : mine ? 'status.bet_placed' : 'status.bets_open';
    const words = say(keyFor(rules, state)),
      tone = sits && (!mine || isUnsent) ? 'mine' : '';
    return window.closes_at === null
      ? { words, tone }
      : until(window.closes_at, rules.table.bet_time_ms, within(window.closes_at, words), tone);
  }
  if (cash) return { words: say(isAlone(view) ? 'status.two_needed' : 'status.next_hand'), tone: '' };
  if (shared) return { words: say(keyFor(rules, betsWords(table, me, now))), tone: '' };
  return { words: me ? say('status.bet') : say('status.empty_solo'), tone: '' };
}

/** Whether no hand can be called, since fewer than two players are ready. */
export const isAlone = ({ cash }) => cash.seats.filter(seat => !seat.sitting_out).length < 2;

const isOn = round => !!round && ['awaiting_reveals', 'open'].includes(round.phase);
const isIn = (round, player) => !!round?.contributors.some(one => one.player === player);

/** Bets are open, and the round before was one of others: beside "place your bets" its outcome would mislead. */
export const isOfOthers = ({ view, round }, me) => !!view.window && !isIn(round, me);

/**
 * Whether the house opens bets next, by itself. A window that ended without a round brings no other
 * (spec/games/shared-tables.md, "Windows").
 */
function opensNext({ view: { seats }, rules, round, hasLapsed, lastTime }, now) {
  if (seats.some(seat => seat.asks)) return true;
  const stays = seats.some(seat => isIn(round, seat.player));
  return stays && !hasLapsed && (isOn(round) || now - lastTime < OPENS_MS + (rules.table.between_hands_ms ?? 0));
}

function betsWords(table, me, now) {
  const { seats } = table.view;
  if (!seats.length) return 'status.empty';
  if (opensNext(table, now)) return 'status.opening';
  return seats.some(seat => seat.player === me) ? 'status.ask' : 'status.no_bets';
}

/**
 * What a player who sits at a shared table and cannot bet now waits for: the words, and whether they may ask for the
 * next round. The players of the last round are waited for unasked.
 */
export function waitOf(table, me, now) {
  const { view, round } = table,
    seat = view.seats.find(one => one.player === me);
  const key = words => keyFor(table.rules, words);
  if (isOn(round) && isIn(round, me)) return { words: key('play.in_round'), asks: false };
  if (seat.waits_for_shoe)
    return { words: key(seat.asks ? 'play.waits_for_shoe' : 'play.asks_for_shoe'), asks: !seat.asks };
  const opens = opensNext(table, now),
    isMeant = seat.asks || view.window?.expected.includes(me) || (opens && isIn(round, me)),
    words = !opens ? 'play.wait_asked' : isOn(round) ? 'play.wait_round' : 'play.wait_opening';
  return { words: key(words), asks: !isMeant };
}

/**
 * The rest of a deadline for the clock: `{left: 0..1, seconds, hurry}`; null if no deadline is near.
 */
export function clockOf({ deadline, from }, now) {
  if (!deadline || !from || from > 600_000) return null;
  const rest = Math.max(0, deadline - now);
  return { left: Math.min(1, rest / from), seconds: Math.ceil(rest / 1000), hurry: rest < HURRY_MS };
}

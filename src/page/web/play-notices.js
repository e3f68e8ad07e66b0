// An entry's effects on its player outside the game, with the reason.

import { reasonWords } from './reasons.js';
import { timeWords } from './trouble.js';
import { has, money, say, sentences } from './words.js';

/** Why a round is void, and how much of it came back to the player, if they were in it. */
export const voidWords = (cause = 'unknown', back) =>
  sentences(say(`void.${cause}`), back !== undefined && say('void.back', { amount: money(back) }));

/** Why a seat was lost, by the command that took it. */
function lostWords({ unseat, tidy_seats: tidy, close_bets: closed, lapse }) {
  if (unseat) return say('play.seat_unseated', { reason: reasonWords(unseat.reason) });
  // A window that closes takes the seats of those who let three pass; a withholder's goes when their seed is due.
  if (closed) return say('play.seat_windows');
  if (lapse) return say('play.seat_offence');
  return say(tidy ? 'play.seat_idle' : 'play.seat_lost');
}

/** A choice as its button calls it. */
function choiceWords(action) {
  const [[word, fields]] = typeof action === 'string' ? [[action, {}]] : Object.entries(action);
  const key = [`act.${fields.take === false ? 'no_' : ''}${word}`, `safe.do_${word}`, `poker.do_${word}`].find(has);
  return key ? say(key) : word;
}

/**
 * The pair `[tone, words]` of an event, or null if it has no words for this player; `isLeaving`: they asked to leave;
 * `laid`: their chips lay on the spots. A third, true, ends the notice with the next that they do (`isOwn`).
 */
export function noticeOf({ name, fields, command, time }, me, { isLeaving = false, laid = false } = {}) {
  if (name === 'round_resumed') return ['warn', say('play.resumed')];
  if (name === 'bets_lapsed' && fields.cause === 'restart') return ['warn', say('play.bets_back')];
  if (name === 'round_voided') {
    const tone = ['crash', 'malfunction'].includes(fields.cause) ? 'warn' : '';
    return [tone, voidWords(fields.cause, fields.players.find(one => one.player === me)?.returned)];
  }
  if (name === 'bets_closed')
    return laid && !fields.contributors.some(one => one.player === me) ? ['warn', say('play.not_placed'), true] : null;
  if (fields.player !== me || !me) return null;
  if (name === 'cooldown') {
    const offence = say(`offence.${fields.offence}`);
    // The first one within twelve hours costs no time.
    return fields.until <= time
      ? ['warn', say('play.cooldown_none', { offence })]
      : ['warn', say('play.cooldown', { until: timeWords(fields.until), offence })];
  }
  if (name === 'seat_left' && !command.leave_seat && !isLeaving) return ['warn', lostWords(command), true];
  if (name === 'acted' && fields.default && command.lapse)
    return ['warn', say('play.timed_out', { choice: choiceWords(fields.action) }), true];
  if (name === 'sat_out' && fields.cause !== 'asked') return ['warn', say(`play.out_${fields.cause}`), true];
  return null;
}

/** Whether the player asked for this themselves; their page reveals seeds unasked. */
export const isOwn = ({ by, command }, me) => by === `player:${me}` && !command.reveal;

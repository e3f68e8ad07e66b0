// Errors in words, with advice: the service's problems by their stable code.

import { el } from './dom.js';
import { has, language, listed, money, say } from './words.js';

/** Errors that the service does not name: the client's own (tools/clients/typescript, errors.ts). */
const CODES = {
  NoAnswer: 'offline',
  BadReply: 'bad_reply',
  Unproven: 'unproven',
  NotYet: 'not_yet',
  InvalidInput: 'nothing_to_do',
};

/** A time in a detail, which the service writes in UTC milliseconds. */
const TIME = /(?<=\b(?:until|from|at|before) )(\d{13})\b( \(UTC milliseconds\))?/g;
/** The details of these contain amounts. */
const AMOUNTS = new Set([
  'below_minimum', 'above_maximum', 'off_step', 'buy_in_out_of_range', 'amount_out_of_range', 'chips_needed',
]);

/** The details of these say what was wrong; of all others they say the words of the code once more. */
const WHY = new Set([
  'malformed', 'not_allowed', 'key_refused', 'stake_refused', 'deal_refused', 'registration_closed', 'not_registered',
]);

/** A code of a rule or a ruling. */
export const RULE = /\b[RAC]\d{3}\.(?:\d{1,3}|[a-z]{1,2})\b/g;
/** The same, and a check or a refusal in brackets. */
const CODE = new RegExp(`(${RULE.source}|(?<=\\[)[a-z_]{2,}(?=\\]))`);

/** A text whose codes lead to what they stand for. */
export const coded = (text, codes = CODE) =>
  String(text)
    .split(codes)
    .map((part, at) => (at % 2 ? el('a', { href: `/docs?code=${part}` }, part) : part));

/** A time by the reader's clock. */
export const timeWords = (ms, timeStyle = 'short') =>
  new Date(Number(ms)).toLocaleString(language(), { dateStyle: 'medium', timeStyle });

/** The detail's addition to the words of its code: the values in it, and in English, its language, the cause. */
function detailWords(code, detail) {
  if (!detail) return '';
  if (language() === 'en' && WHY.has(code)) return ` (${detail.replace(TIME, (_, ms) => timeWords(ms))})`;
  const [time] = detail.matchAll(TIME);
  if (time) return say('trouble.until', { until: timeWords(time[1]) });
  const named = AMOUNTS.has(code) ? (detail.match(/\b\d+\b/g) ?? []).map(money) : (detail.match(RULE) ?? []);
  return named.length ? say('trouble.amounts', { amounts: listed(named) }) : '';
}

/** The words for an error, in the reader's language by its code, with the values in its detail. */
export function problemWords(error) {
  const code = error?.code ?? CODES[error?.name],
    key = `trouble.${code}`;
  if (code && has(key)) return say(key) + detailWords(code, error.detail);
  if (language() !== 'en' && code) return say('trouble.other', { code });
  const told = error?.detail || error?.message || String(error);
  // What the page says itself is in the reader's language; what a browser says is in its own.
  const isOwn = language() === 'en' || /[\u3040-\u30ff\u4e00-\u9fff]/.test(told);
  return isOwn ? told : say('trouble.other', { code: error?.name ?? 'Error' });
}

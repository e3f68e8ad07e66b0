// Chips: one, and a stack of an amount in a table's denominations. The amount stands next to the chips in figures; the
// chips themselves are not read out.

import { el } from './dom.js';

/** Seven styles, by the denomination's place: edge and middle from games.css, each with its own number of notches. */
const LOOKS = 7;
const STEPS = [1, 5, 25, 100, 500, 2500, 10000];

/** The denominations of a table: those of its rules, or multiples of its least stake up to its most. */
export function denominations(table) {
  const most = table.stake_max;
  if (table.chips && table.chips.length) return [...table.chips].sort((one, other) => one - other);
  const step = Math.max(1, table.stake_step || 1);
  const least = Math.ceil(Math.max(table.stake_min, 1) / step) * step;
  const steps = STEPS.map(times => least * times).filter(value => value <= most && Number.isSafeInteger(value));
  return steps.length ? steps : [least];
}

/**
 * The fewest chips that make the amount, the largest first; a remainder that no chip makes is left out, because the
 * figures show it.
 */
export function chipsOf(amount, values) {
  const chips = [];
  let rest = amount;
  for (const value of [...values].sort((one, other) => other - one)) {
    while (rest >= value && chips.length < 400) {
      chips.push(value);
      rest -= value;
    }
  }
  return chips;
}

function notches(count) {
  const parts = [];
  for (let at = 0; at < count; at++) {
    const from = (at / count) * 2 * Math.PI - 0.16;
    const to = from + 0.32;
    const [x, y] = [r => r * Math.cos(from), r => r * Math.sin(from)];
    const [u, v] = [r => r * Math.cos(to), r => r * Math.sin(to)];
    const n = value => value.toFixed(1);
    parts.push(`M${n(x(48))},${n(y(48))}A48,48 0 0 1 ${n(u(48))},${n(v(48))}L${n(u(37))},${n(v(37))}` +
      `A37,37 0 0 0 ${n(x(37))},${n(y(37))}Z`);
  }
  return parts.join('');
}

/** One chip of the denomination at `place` among `values`, with `words` on it. */
export function chip(value, values, words = '') {
  const place = Math.max(0, values.indexOf(value)) % LOOKS;
  return el('svg', { viewBox: '-50 -50 100 100', class: `chip look-${place}`, 'aria-hidden': 'true',
    focusable: 'false' },
    el('circle', { r: 48, class: 'edge' }),
    el('path', { d: notches(6 + (place % 3) * 2), class: 'notch' }),
    el('circle', { r: 36, class: 'ring' }),
    el('circle', { r: 31, class: 'face' }),
    words && el('text', { y: 10, class: words.length > 4 ? 'worth long' : 'worth' }, words));
}

/** A number that fits on a chip: 1, 25, 2.5k, 1M. `unit` is the number of minor units in one shown unit. */
export function short(amount, unit = 1) {
  const value = amount / unit;
  const trim = number => String(Math.round(number * 10) / 10);
  if (value >= 1e6) return `${trim(value / 1e6)}M`;
  if (value >= 1e3) return `${trim(value / 1e3)}k`;
  return trim(value);
}

const SHOWN = 7;

/**
 * A stack: a few chips on each other at most, and the amount in words next to or below them. `words` is the amount for
 * readers; without it the stack is only a picture.
 */
export function stack(amount, values, { words, kind = '' } = {}) {
  const chips = chipsOf(amount, values).slice(0, SHOWN);
  const laid = chips.length ? chips : [values[0]];
  const pile = el('span', { class: 'pile', 'aria-hidden': 'true' },
    laid.map((value, at) => {
      const one = chip(value, values);
      one.style.setProperty('--at', String(at));
      return one;
    }));
  const style = { '--count': String(laid.length) };
  return el('span', { class: `stack ${kind}`.trim(), style }, pile, words && el('span', { class: 'amount' }, words));
}

// Sic Bo: three dice, and the layout with its fifty spots (spec/games/sic-bo.md).

import { el } from './dom.js';
import { feltKey, badge, lying, remember } from './felt.js';
import { redraw } from './redraw.js';
import { betList, netInWords, unpaid } from './slips.js';
import { spotBetting } from './spot-betting.js';
import { listed } from './words.js';

export const kind = 'sic_bo';

/** The time for which the dice tumble: they are told when they rest. */
const ROLL_MS = 1600;

export const rollMs = view =>
  view?.throw && !matchMedia('(prefers-reduced-motion: reduce)').matches ? ROLL_MS : 0;

const NUMBERS = [1, 2, 3, 4, 5, 6];
/** The rows of the layout. */
const ROWS = [
  ['small', 'any-triple', 'big'],
  NUMBERS.map(n => `double:${n}`),
  NUMBERS.map(n => `triple:${n}`),
  Array.from({ length: 14 }, (_, at) => `total:${at + 4}`),
  NUMBERS.flatMap(a => NUMBERS.slice(a).map(b => `pair:${a}-${b}`)),
  NUMBERS.map(n => `single:${n}`),
];

const [L, M, R] = [27, 50, 73];
const EYES = {
  1: [[M, M]], 2: [[L, L], [R, R]], 3: [[L, L], [M, M], [R, R]], 4: [[L, L], [R, L], [L, R], [R, R]],
  5: [[L, L], [R, L], [M, M], [L, R], [R, R]], 6: [[L, L], [R, L], [L, M], [R, M], [L, R], [R, R]],
};

/** A die; without a number it is not thrown yet. */
function die(shown, id) {
  const number = Number(shown);
  return el('svg', { viewBox: '0 0 100 100', class: 'die', 'aria-hidden': 'true', dataset: { id } },
    el('rect', { x: 4, y: 4, width: 92, height: 92, rx: 18 }),
    !number && el('text', { x: M, y: 68 }, '?'),
    (EYES[number] ?? []).map(([cx, cy]) =>
      el('circle', { cx, cy, r: number === 1 ? 13 : 9, class: [1, 4].includes(number) ? 'eye red' : 'eye' })));
}

const split = spot => {
  const [word, n] = spot.split(':');
  return { word, n };
};

/** The name of a spot: "Double 4". */
function nameOf(spot, ctx) {
  const { word, n } = split(spot);
  return ctx.say(`sic_bo.${word}`, { n });
}

function pays({ game: { sic_bo: { pays: all } } }, spot) {
  const { word, n } = split(spot);
  if (word === 'total') return `${all.totals[Math.min(n, 21 - n) - 4]}:1`;
  if (word === 'single') return `${all.single[0]}–${all.single[2]}:1`;
  return `${all[word.replace('-', '_')] ?? all.even_chance}:1`;
}

/** A spot's print: its dice or its name, and its pay. */
function face(spot, rules, ctx) {
  const { word, n } = split(spot);
  const dice = { double: [n, n], triple: [n, n, n], single: [n], pair: n?.split('-') }[word];
  return [
    el('span', { class: 'spot-name' }, dice ? dice.map((number, at) => die(number, at)) : n ?? nameOf(spot, ctx)),
    el('span', { class: 'pays' }, pays(rules, spot)),
  ];
}

/** Totals that this browser saw, the newest first. */
function history(list, ctx) {
  if (!list.length) return null;
  const name = ctx.say('sic_bo.history');
  return el('ol', { class: 'pockets', reversed: true, 'aria-label': name, dataset: { id: 'history' } },
    list.slice(-14).reverse().map(total => el('li', { class: 'pocket-past' }, String(total))));
}

export function felt(view, ctx) {
  const key = feltKey(kind, ctx), thrown = ctx.isRolling ? null : view?.throw;
  const list = remember(key, ctx.round?.id, thrown ? thrown.total : null);
  const before = view ? [] : lying(ctx), bets = thrown ? view.bets : unpaid(view?.bets ?? before);
  const words = thrown
    ? ctx.say('sic_bo.shows', { dice: listed(thrown.dice), total: thrown.total }) : ctx.say('sic_bo.dice');
  return redraw(key, el('div', { class: `felt-game sic-bo${thrown ? ' is-settled' : ''}` },
    el('div', {
      class: `dice${ctx.isRolling ? ' is-rolling' : ''}`, role: 'img', 'aria-label': words,
      dataset: { id: `dice-${thrown ? ctx.round?.id : ''}` },
    },
      (thrown?.dice ?? [null, null, null]).map((number, at) => die(number, String(at)))),
    thrown && el('p', { class: 'dice-total', dataset: { id: 'total' } }, badge(String(thrown.total), 'gold')),
    history(list, ctx),
    bets.length > 0 && betList({ bets }, ctx, spot => nameOf(spot, ctx))));
}

export function betting(table, ctx) {
  return spotBetting(table, ctx, {
    name: ctx.say('sic_bo.layout'),
    kind: 'sic-bo-betting',
    spots: ROWS.flat().map(spot => ({
      spot, name: nameOf(spot, ctx), pays: pays(table.rules, spot), kind: `of-${split(spot).word}`,
    })),
    shape: ({ spot }) => face(spot, table.rules, ctx),
    layout: buttons => el('div', { class: 'sic-bo-layout' }, ROWS.map((row, at) =>
      el('div', { class: `sic-bo-row row-${at}` }, row.map(spot => buttons.get(spot))))),
  });
}

export function outcome(view, round, ctx) {
  if (!view?.throw) return '';
  const { dice, total } = view.throw;
  return netInWords(view, ctx.say('sic_bo.said', { dice: listed(dice), total }), ctx);
}

/** The sentences of its rules that apply to a table. */
export const lines = ({ game: { sic_bo: { pays: all } } }) => [
  ['sic_bo_goal', { even: all.even_chance }],
  // A throw without a triple is 210 of 216.
  all.even_chance === 1 && ['sic_bo_edge', { percent: '2.78' }],
];

// Roulette: the wheel, and the layout with every spot (spec/games/roulette.md). The ball stops in the pocket that the
// log names; the picture of the wheel decides nothing.

import { el } from './dom.js';
import { denominations, stack, short } from './chip.js';
import { feltKey, lying, remember } from './felt.js';
import { redraw } from './redraw.js';
import { betList, netInWords, unpaid } from './slips.js';
import { spotBetting } from './spot-betting.js';
import { BY_SPOT, SPOTS, WHEEL, boxStyle, colourOf } from './roulette-layout.js';
import { listed } from './words.js';

export const kind = 'roulette';

const STEP = 360 / WHEEL.length;
const RIM = 93;
const POCKET = 63;
const TURNS = 4;
/** The time for which the ball rolls (games.css): the number is told when it stops. */
const ROLL_MS = 2600;

export const rollMs = view =>
  view?.spin && !matchMedia('(prefers-reduced-motion: reduce)').matches ? ROLL_MS : 0;

/** The name of a spot: "Split 17, 20". */
function spotName(one, say) {
  if (one.kind === 'even_chance') return say(`roulette.${one.spot}`);
  if (one.kind === 'column') return say('roulette.column', { number: one.spot.slice(-1) });
  const [first, last] = [one.numbers[0], one.numbers.at(-1)];
  if (one.kind === 'dozen' || one.kind === 'line') return say(`roulette.${one.kind}`, { first, last });
  return say(`roulette.${one.kind}`, { numbers: listed(one.numbers) });
}

/** The text printed on a spot. */
function spotFace(one, say) {
  if (one.kind === 'straight') return el('span', { class: 'spot-face' }, String(one.numbers[0]));
  if (one.kind === 'column') return el('span', { class: 'spot-face' }, '2:1');
  if (one.kind === 'dozen') return el('span', { class: 'spot-face' }, `${one.numbers[0]}–${one.numbers.at(-1)}`);
  if (one.spot === 'low') return el('span', { class: 'spot-face' }, '1–18');
  if (one.spot === 'high') return el('span', { class: 'spot-face' }, '19–36');
  if (one.spot === 'red' || one.spot === 'black') {
    return [el('span', { class: `diamond ${one.spot}` }),
      el('span', { class: 'spot-face' }, say(`roulette.${one.spot}`))];
  }
  if (one.kind === 'even_chance') return el('span', { class: 'spot-face' }, say(`roulette.${one.spot}`));
  return null;
}

const shade = one => (one.kind === 'straight' ? colourOf(one.numbers[0]) : '');

const point = (radius, degrees) => {
  const angle = (degrees - 90) * (Math.PI / 180);
  return `${(radius * Math.cos(angle)).toFixed(2)},${(radius * Math.sin(angle)).toFixed(2)}`;
};

function pocketShape(number, at) {
  const [from, to] = [(at - 0.5) * STEP, (at + 0.5) * STEP];
  return el('g', { class: `pocket ${colourOf(number)}` },
    el('path', {
      d: `M${point(86, from)}A86,86 0 0 1 ${point(86, to)}L${point(54, to)}A54,54 0 0 0 ${point(54, from)}Z`,
    }),
    el('text', { y: -75, transform: `rotate(${(at * STEP).toFixed(2)})` }, String(number)));
}

/** How far wheel and ball have turned at a table, so that each spin continues from the last. */
const turned = new Map();

function turnsOf(key, id, spin) {
  const at = turned.get(key) || { id: null, spins: 0, ball: 0, rotor: 0 };
  if (spin && at.id !== id) {
    at.spins += 1;
    at.rotor = -at.spins * 130;
    const to = at.rotor + WHEEL.indexOf(spin.pocket) * STEP;
    const least = at.ball + 360 * TURNS;
    at.ball = to + 360 * Math.ceil((least - to) / 360);
    at.id = id;
  }
  turned.set(key, at);
  return at;
}

function wheel(view, ctx, key) {
  const spin = view && view.spin;
  const at = turnsOf(key, ctx.round?.id ?? null, spin);
  const isTold = spin && !ctx.isRolling;
  const words = isTold
    ? ctx.say('roulette.wheel_shows', { pocket: spin.pocket, colour: ctx.say(`roulette.${spin.colour}`) })
    : ctx.say('roulette.wheel');
  return el('div', { class: spin ? 'wheel spun' : 'wheel', dataset: { id: 'wheel' } },
    el('svg', { viewBox: '-100 -100 200 200', role: 'img', 'aria-label': words },
      el('circle', { r: 99, class: 'bowl' }), el('circle', { r: 96, class: 'track' }),
      el('g', { class: 'rotor', style: { transform: `rotate(${at.rotor}deg)` } },
        el('circle', { r: 87, class: 'rotor-edge' }),
        WHEEL.map(pocketShape),
        el('circle', { r: 54, class: 'cone' }),
        [0, 45, 90, 135].map(turn => el('path', { d: 'M0,-44L3,0L0,44L-3,0Z', class: 'spoke',
          transform: `rotate(${turn})` })),
        el('circle', { r: 13, class: 'hub' }), el('circle', { r: 6, class: 'hub-top' })),
      el('g', { class: 'ball-orbit', style: { transform: `rotate(${at.ball}deg)` } },
        el('circle', { r: 4.6, class: 'ball', style: { transform: `translateY(${spin ? -POCKET : -RIM}px)` } }))),
    isTold && el('p', { class: `pocket-sign ${spin.colour}`, dataset: { id: `pocket-${ctx.round?.id}` } },
      el('span', { class: 'pocket-number' }, String(spin.pocket)), ' ',
      el('span', { class: 'pocket-colour' }, ctx.say(`roulette.${spin.colour}`))));
}

/** Pockets that this browser saw, the newest first. */
function history(list, ctx) {
  if (!list.length) return null;
  return el('ol', { class: 'pockets', reversed: true, 'aria-label': ctx.say('roulette.history'),
    dataset: { id: 'history' } },
    list.slice(-14).reverse().map(number => el('li', { class: `pocket-past ${colourOf(number)}` }, String(number))));
}

function cell(one, say, more = []) {
  return el('div', { class: `cell kind-${one.kind} ${shade(one)}`, style: boxStyle(one), dataset: { id: one.spot } },
    spotFace(one, say), more);
}

/** The layout with all bets, for viewing only; a screen reader reads the list below instead. */
function layoutOf(view, ctx) {
  const values = denominations(ctx.rules.table);
  const unit = ctx.unit || 1;
  const pocket = view.spin ? view.spin.pocket : null;
  const bySpot = new Map();
  for (const bet of view.bets) {
    const at = bySpot.get(bet.spot) || { own: 0, theirs: 0, outcome: bet.outcome };
    at[bet.player === ctx.me ? 'own' : 'theirs'] += bet.stake;
    bySpot.set(bet.spot, at);
  }
  const faces = SPOTS.filter(one => one.w > 0.5);
  return el('div', { class: 'roulette-layout still', 'aria-hidden': 'true', dataset: { id: 'layout' } },
    faces.map(one => cell(one, ctx.say, pocket !== null && one.kind === 'straight' && one.numbers[0] === pocket
      ? [el('span', { class: 'dolly', dataset: { id: 'dolly' } })] : [])),
    [...bySpot].filter(([spot]) => BY_SPOT.has(spot)).map(([spot, { own, theirs, outcome: end }]) =>
      el('div', { class: `laid-at kind-${BY_SPOT.get(spot).kind} ${end ?? ''}`, style: boxStyle(BY_SPOT.get(spot)),
        dataset: { id: `bet-${spot}` } },
        theirs > 0 && stack(theirs, values, { kind: 'theirs', words: own ? '' : short(theirs, unit) }),
        own > 0 && stack(own, values, { words: short(own, unit) }))));
}

export function felt(view, ctx) {
  const key = feltKey(kind, ctx);
  const isTold = view?.spin && !ctx.isRolling;
  const list = remember(key, ctx.round?.id, isTold ? view.spin.pocket : null);
  const before = view ? [] : lying(ctx);
  const laid = view && (isTold ? view : { bets: unpaid(view.bets), spin: null });
  const shown = laid ?? (before.length > 0 ? { bets: before, spin: null } : null);
  const state = isTold ? ' is-settled' : ctx.isRolling ? ' is-rolling' : '';
  const own = ctx.rules.table.mode === 'solo' ? ' is-own' : '';
  return redraw(key, el('div', { class: `felt-game roulette${own}${state}` },
    el('div', { class: 'wheel-side', dataset: { id: 'side' } }, wheel(view, ctx, key), history(list, ctx)),
    shown && el('div', { class: 'layout-side', dataset: { id: 'layout-side' } }, layoutOf(shown, ctx),
      betList(shown, ctx, spot => (BY_SPOT.has(spot) ? spotName(BY_SPOT.get(spot), ctx.say) : spot)))));
}

/** The numbers of a spot are shown while it is pointed at, or has the focus. */
function showCovered(layout, buttons) {
  const show = spot => {
    const covered = new Set(spot ? BY_SPOT.get(spot).numbers : []);
    for (const [name, button] of buttons) {
      if (name.startsWith('straight:')) button.classList.toggle('covered', covered.has(Number(name.slice(9))));
    }
  };
  const over = event => show(event.target.closest('[data-spot]')?.dataset.spot);
  layout.addEventListener('pointerover', over);
  layout.addEventListener('focusin', over);
  layout.addEventListener('pointerleave', () => show(null));
  layout.addEventListener('focusout', () => show(null));
}

export function betting(table, ctx) {
  const { pays } = table.rules.game.roulette;
  return spotBetting(table, ctx, {
    name: ctx.say('roulette.layout'),
    kind: 'roulette-betting',
    spots: SPOTS.map(one => ({
      ...one, name: spotName(one, ctx.say), pays: `${pays[one.kind]}:1`, kind: `cell kind-${one.kind} ${shade(one)}`,
        box: one,
    })),
    shape: one => spotFace(BY_SPOT.get(one.spot), ctx.say),
    layout: buttons => {
      for (const [spot, button] of buttons) {
        for (const [name, value] of Object.entries(boxStyle(BY_SPOT.get(spot)))) button.style.setProperty(name, value);
      }
      const layout = el('div', { class: 'roulette-layout' }, [...buttons.values()]);
      showCovered(layout, buttons);
      return layout;
    },
  });
}

export function outcome(view, round, ctx) {
  if (!view || !view.spin) return '';
  const said = ctx.say('roulette.said', { pocket: view.spin.pocket, colour: ctx.say(`roulette.${view.spin.colour}`) });
  return netInWords(view, said, ctx);
}

/** The sentences of its rules that apply to a table. */
export const lines = ({ game: { roulette: { pays } } }) => [
  ['roulette_goal', { straight: pays.straight, even: pays.even_chance }],
  // For a straight bet; another bet has the same share if it pays in proportion.
  ['roulette_edge', { percent: String(Math.round(1e4 * (1 - (pays.straight + 1) / WHEEL.length)) / 100) }],
];

// Baccarat: two hands, three spots (spec/games/baccarat.md). After the bets there are no decisions.

import { el } from './dom.js';
import { denominations, stack } from './chip.js';
import { feltKey, placed, emptyPlace, badge, lying, nameTag, remember, sum } from './felt.js';
import { redraw } from './redraw.js';
import { spotBetting } from './spot-betting.js';

export const kind = 'baccarat';

const SIDES = ['player', 'banker'];
const SPOTS = ['player', 'tie', 'banker'];

function pays(rules, spot) {
  if (spot === 'tie') return `${rules.game.baccarat.tie_pays}:1`;
  const [part, whole] = rules.game.baccarat.commission;
  if (spot === 'player' || part === 0) return '1:1';
  return `${Math.round(((whole - part) / whole) * 1e4) / 1e4}:1`;
}

/** A hand: the first two side by side, the third across. */
function side(name, view, ctx) {
  const cards = view ? view[name].cards : [];
  const won = view && view.outcome === name;
  const natural = view && view.player.cards.length === 2 && view.banker.cards.length === 2 && view[name].points >= 8;
  const places = [0, 1].map(at => cards[at]
    ? placed(ctx, cards[at], { at: 2 * at + (name === 'banker' ? 1 : 0) }) : emptyPlace(`${name}-${at}`));
  const third = cards[2] && placed(ctx, cards[2], { kind: 'across' });
  return el('section', {
    class: `bac-hand${won ? ' won' : ''}`, dataset: { id: name }, 'aria-label': ctx.say(`baccarat.${name}`),
  },
    el('h3', {}, ctx.say(`baccarat.${name}`)),
    el('div', { class: 'cards' }, places, third),
    el('p', { class: 'points' },
      el('span', { class: 'points-number' }, cards.length ? String(view[name].points) : '–'),
      el('span', { class: 'visually-hidden' }, ' ', ctx.say('baccarat.points')),
      natural && badge(ctx.say('baccarat.natural'), 'gold'),
      won && badge(ctx.say('baccarat.wins'), 'good')));
}

function placedBets(view, ctx) {
  const values = denominations(ctx.rules.table);
  return el('div', { class: 'bac-spots', role: 'list', 'aria-label': ctx.say('felt.bets') }, SPOTS.map(spot => {
    const bets = view.bets.filter(bet => bet.spot === spot);
    const won = view.outcome === spot;
    return el('div', { class: `bac-spot${won ? ' won' : ''}`, role: 'listitem', dataset: { id: spot } },
      el('span', { class: 'spot-name' }, ctx.say(`baccarat.${spot}`)),
        el('span', { class: 'pays' }, pays(ctx.rules, spot)),
      el('ul', { class: 'bet-list' }, bets.map(bet => el('li', { class: bet.player === ctx.me ? 'own' : '',
        dataset: { id: bet.player } },
      stack(bet.stake, values, { words: ctx.money(bet.stake) }), nameTag(bet.player, ctx), result(bet, ctx)))));
  }));
}

function result(bet, ctx) {
  if (bet.outcome === null) return null;
  const won = bet.returned - bet.stake;
  if (bet.outcome === 'draw') return badge(ctx.say('felt.back'), 'wait');
  return won > 0 ? badge(`+${ctx.money(won)}`, 'good') : badge(`−${ctx.money(-won)}`, 'bad');
}

/** A bead for each coup that this browser saw, six in each column. */
function beads(list, ctx) {
  if (!list.length) return null;
  const count = name => list.filter(one => one === name).length;
  const words = ctx.say('baccarat.beads', { player: count('player'), banker: count('banker'), tie: count('tie') });
  return el('div', { class: 'beads', role: 'img', 'aria-label': words, dataset: { id: 'beads' } },
    list.slice(-48).map((name, at) => el('span', { class: `bead bead-${name}`, dataset: { id: String(at) } },
      ctx.say(`baccarat.bead_${name}`))));
}

export function felt(view, ctx) {
  const key = feltKey(kind, ctx);
  const list = remember(key, ctx.round?.id, view ? view.outcome : null);
  const tie = view && view.outcome === 'tie';
  const before = view ? [] : lying(ctx);
  return redraw(key, el('div', { class: `felt-game baccarat${view?.outcome ? ' is-settled' : ''}` },
    el('div', { class: 'bac-hands' }, SIDES.map(name => side(name, view, ctx)),
      tie && el('p', { class: 'tie-sign', dataset: { id: 'tie' } }, badge(ctx.say('baccarat.tie'), 'gold'))),
    (view || before.length > 0) && placedBets(view ?? { bets: before, outcome: null }, ctx),
    beads(list, ctx)));
}

export function betting(table, ctx) {
  const { baccarat } = table.rules.game;
  return spotBetting(table, ctx, {
    name: ctx.say('baccarat.choose'),
    kind: 'baccarat-betting',
    spots: SPOTS.map(spot => ({
      spot, name: ctx.say(`baccarat.${spot}`), pays: pays(table.rules, spot), least: spot === 'banker'
        ? baccarat.banker_min : 0,
    })),
    layout: buttons => el('div', { class: 'baccarat-spots' }, SPOTS.map(spot => buttons.get(spot))),
  });
}

export function outcome(view, round, ctx) {
  if (!view || view.outcome === null) return '';
  const said = ctx.say(`baccarat.said_${view.outcome}`, { player: view.player.points, banker: view.banker.points });
  const own = view.bets.filter(bet => bet.player === ctx.me);
  if (!own.length) return said;
  const won = sum(own, 'returned') - sum(own, 'stake');
  const what = won > 0 ? 'felt.you_won' : won < 0 ? 'felt.you_lost' : 'felt.you_even';
  return `${ctx.say(what, { amount: ctx.money(Math.abs(won)) })} ${said}`;
}

/** For baccarat with eight decks, commission 5 % and a tie at 8 to 1. */
const EDGES = { player: 1.2351, banker: 1.0579, tie: 14.3596 };

/** The sentences of its rules that apply to a table. */
export const lines = ({ game: { baccarat } }) => [
  ['baccarat_goal'], ['baccarat_third'], ['baccarat_decks', { decks: baccarat.decks }],
  baccarat.decks === 8 && baccarat.tie_pays === 8 && baccarat.commission[0] * 20 === baccarat.commission[1]
    && ['baccarat_edge', EDGES],
];

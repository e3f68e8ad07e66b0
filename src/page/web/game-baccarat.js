// Baccarat: two hands, three spots (spec/games/baccarat.md).

import { el } from './dom.js';
import { placed, emptyPlace, badge } from './felt.js';
import { twoSides } from './two-sides.js';

export const kind = 'baccarat';

function pays(rules, spot) {
  if (spot === 'tie') return `${rules.game.baccarat.tie_pays}:1`;
  const [part, whole] = rules.game.baccarat.commission;
  if (spot === 'player' || part === 0) return '1:1';
  return `${Math.round(((whole - part) / whole) * 1e4) / 1e4}:1`;
}

/** A hand: the first two cards side by side, the third across; its points. */
function hand(view, name, ctx) {
  const cards = view ? view[name].cards : [];
  const natural = view && view.player.cards.length === 2 && view.banker.cards.length === 2 && view[name].points >= 8;
  const places = [0, 1].map(at => cards[at]
    ? placed(ctx, cards[at], { at: 2 * at + (name === 'banker' ? 1 : 0) }) : emptyPlace(`${name}-${at}`));
  return {
    cards: [...places, cards[2] && placed(ctx, cards[2], { kind: 'across' })],
    worth: [
      el('span', { class: 'points-number' }, cards.length ? String(view[name].points) : '–'),
      el('span', { class: 'visually-hidden' }, ' ', ctx.say('baccarat.points')),
      natural && badge(ctx.say('baccarat.natural'), 'gold'),
    ],
  };
}

export const { felt, betting, outcome } = twoSides({
  kind, hand, pays,
  sides: ['player', 'banker'],
  spots: ['player', 'tie', 'banker'],
  words: (name, ctx, values) => ctx.say(`baccarat.${name}`, values),
  least: (rules, spot) => (spot === 'banker' ? rules.game.baccarat.banker_min : 0),
  won: result => [result],
  score: view => ({ player: view.player.points, banker: view.banker.points }),
});

/** For baccarat with eight decks, commission 5 % and a tie at 8 to 1. */
const EDGES = { player: 1.2351, banker: 1.0579, tie: 14.3596 };

/** The sentences of its rules that apply to a table. */
export const lines = ({ game: { baccarat } }) => [
  ['baccarat_goal'], ['baccarat_third'], ['baccarat_decks', { decks: baccarat.decks }],
  baccarat.decks === 8 && baccarat.tie_pays === 8 && baccarat.commission[0] * 20 === baccarat.commission[1]
    && ['baccarat_edge', EDGES],
];

// Dragon Tiger: a card each, four spots (spec/games/dragon-tiger.md).

import { placed, emptyPlace } from './felt.js';
import { cardSign } from './card.js';
import { twoSides } from './two-sides.js';

export const kind = 'dragon_tiger';

const SIDES = ['dragon', 'tiger'];

function pays({ game: { dragon_tiger: rules } }, spot) {
  return `${{ tie: rules.tie_pays, 'suited-tie': rules.suited_tie_pays }[spot] ?? 1}:1`;
}

export const { felt, betting, outcome } = twoSides({
  kind, pays,
  sides: SIDES,
  spots: ['dragon', 'tiger', 'tie', 'suited-tie'],
  words: (name, ctx, values) => ctx.say(`dragon_tiger.${name}`, values),
  hand: (view, name, ctx) => ({
    cards: view?.[name] ? placed(ctx, view[name], { at: SIDES.indexOf(name) }) : emptyPlace(name), worth: null,
  }),
  won: result => (result === 'suited_tie' ? ['tie', 'suited-tie'] : [result]),
  score: view => ({ dragon: cardSign(view.dragon.card), tiger: cardSign(view.tiger.card) }),
});

/** For eight decks with ties at 8 and 50 to 1. */
const EDGES = { side: 3.7349, tie: 32.7711, suited: 13.9759 };

/** The sentences of its rules that apply to a table. */
export const lines = ({ game: { dragon_tiger: { decks, tie_pays: tie, suited_tie_pays: suited } } }) => [
  ['dragon_tiger_goal'], ['dragon_tiger_tie', { tie, suited }], ['dragon_tiger_decks', { decks }],
  decks === 8 && tie === 8 && suited === 50 && ['dragon_tiger_edge', EDGES],
];

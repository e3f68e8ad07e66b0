// Names a shown hand: the best five of seven, at Omaha two of the hole cards with three of the board, and the best low
// hand. Only for people: the engine decides a pot's payments, and the verifier checks them (spec/games/poker.md,
// "Ranking").

const ORDER = '23456789TJQKA';
const HIGHEST = 12;
const WHEEL = 3;

/** All ways to take `count` of the list. */
function combinations(list, count) {
  if (count === 0) return [[]];
  return list.flatMap((one, at) => combinations(list.slice(at + 1), count - 1).map(rest => [one, ...rest]));
}

/** The highest rank of a straight among five different ranks, or -1; in short deck the ace ranks below the six. */
function straightTop(ranks, short) {
  const low = short ? ORDER.indexOf('6') : 0;
  const sorted = [...ranks].sort((one, other) => other - one);
  if (sorted[0] - sorted[4] === 4) return sorted[0];
  const wheel = [HIGHEST, low + 3, low + 2, low + 1, low];
  return wheel.every((rank, at) => sorted[at] === rank) ? low + WHEEL : -1;
}

/**
 * The strength `[category, ranks…]`, compared from the front. Categories by their rank here, with flush above full
 * house in short deck.
 */
function value(cards, short) {
  const ranks = cards.map(card => ORDER.indexOf(card[0]));
  const counts = new Map();
  for (const rank of ranks) counts.set(rank, (counts.get(rank) || 0) + 1);
  const groups = [...counts].sort(([rank, count], [other, times]) => times - count || other - rank);
  const shape = groups.map(([, count]) => count).join('');
  const order = groups.map(([rank]) => rank);
  const flush = cards.every(card => card[1] === cards[0][1]);
  const top = groups.length === 5 ? straightTop(ranks, short) : -1;
  if (flush && top >= 0) return [8, top];
  if (shape === '41') return [7, ...order];
  if (shape === '32') return [short ? 5 : 6, ...order];
  if (flush) return [short ? 6 : 5, ...order];
  if (top >= 0) return [4, top];
  if (shape === '311') return [3, ...order];
  if (shape === '221') return [2, ...order];
  if (shape === '2111') return [1, ...order];
  return [0, ...order];
}

function compare(one, other) {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? -1) - (other[at] ?? -1);
    if (difference) return difference;
  }
  return 0;
}

/** The possible hands of five for a player; empty before five cards lie. */
function fives(family, hole, board) {
  if (board.length < 3) return [];
  if (family !== 'omaha') return combinations([...hole, ...board], 5);
  const threes = combinations(board, 3);
  return combinations(hole, 2).flatMap(two => threes.map(three => [...two, ...three]));
}

const NAMES = ['high_card', 'pair', 'two_pair', 'three', 'straight', 'flush', 'full_house', 'four', 'straight_flush'];

function nameOf([category, ...ranks], short) {
  const swapped = short && (category === 5 || category === 6) ? 11 - category : category;
  const named = { name: NAMES[swapped], ranks: ranks.map(rank => ORDER[rank]) };
  return swapped === 8 && ranks[0] === HIGHEST ? { ...named, name: 'royal_flush' } : named;
}

/** The best hand: `{name, ranks, cards}`, with the words of `poker.hand_NAME`; null while there is none. */
export function bestHand(family, hole, board) {
  const short = family === 'short_deck';
  let best = null;
  for (const cards of fives(family, hole, board)) {
    const worth = value(cards, short);
    if (!best || compare(worth, best.worth) > 0) best = { worth, cards };
  }
  return best && { ...nameOf(best.worth, short), cards: best.cards };
}

const LOW_ORDER = 'A2345678';

/** The best low of eight or better, from its highest card down: `{ranks, cards}`, or null. */
export function bestLow(family, hole, board) {
  let best = null;
  for (const cards of fives(family, hole, board)) {
    const ranks = cards.map(card => LOW_ORDER.indexOf(card[0])).sort((one, other) => other - one);
    if (ranks.includes(-1) || new Set(ranks).size < 5) continue;
    if (!best || compare(ranks, best.ranks) < 0) best = { ranks, cards };
  }
  return best && { ranks: best.ranks.map(rank => LOW_ORDER[rank]), cards: best.cards };
}

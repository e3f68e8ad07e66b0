// The layout of a wheel with one zero: its 157 spots (spec/games/roulette.md, "The layout"), each with its numbers and
// its place. Lengths are in cells: `u` along the numbers from the zero, `v` across them from the 3, 6, 9 … row.

export const RED = new Set([1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36]);
export const WHEEL = [0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10, 5, 24, 16, 33, 1, 20, 14,
  31, 9,
  22, 18, 29, 7, 28, 12, 35, 3, 26];

export const colourOf = number => (number === 0 ? 'green' : RED.has(number) ? 'red' : 'black');

const OUTSIDE = 0.8;
/** The length and the width of the whole. */
export const LENGTH = 14;
export const BREADTH = 3 + 2 * OUTSIDE;
const TOUCH = 0.36;

const range = (from, to, step = 1) => Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) =>
  from + at * step);
const columnOf = number => Math.ceil(number / 3);
const rowOf = number => 2 - ((number - 1) % 3);

function straight(number) {
  const box = number === 0 ? { u: 0, v: 0, w: 1, h: 3 } : { u: columnOf(number), v: rowOf(number), w: 1, h: 1 };
  return { spot: `straight:${number}`, kind: 'straight', numbers: [number], ...box };
}

/** A small square around a point of the lines between the numbers. */
function touch(kind, numbers, u, v, name = numbers.join('-')) {
  return { spot: `${kind}:${name}`, kind, numbers, u: u - TOUCH / 2, v: v - TOUCH / 2, w: TOUCH, h: TOUCH };
}

function splits() {
  const found = [1, 2, 3].map(number => touch('split', [0, number], 1, rowOf(number) + 0.5));
  for (const number of range(1, 36)) {
    if (number % 3) found.push(touch('split', [number, number + 1], columnOf(number) + 0.5, rowOf(number)));
    if (number <= 33) found.push(touch('split', [number, number + 3], columnOf(number) + 1, rowOf(number) + 0.5));
  }
  return found;
}

const streets = () => [
  touch('street', [0, 1, 2], 1, 2), touch('street', [0, 2, 3], 1, 1),
  ...range(1, 34, 3).map(first => touch('street', [first, first + 1, first + 2], columnOf(first) + 0.5, 3)),
];

const corners = () => [
  touch('corner', [0, 1, 2, 3], 1, 3),
  ...range(1, 32).filter(number => number % 3)
    .map(number => touch('corner', [number, number + 1, number + 3, number + 4], columnOf(number) + 1, rowOf(number))),
];

const lines = () => range(1, 31, 3)
  .map(first => touch('line', range(first, first + 5), columnOf(first) + 1, 3, `${first}-${first + 5}`));

const outside = () => [
  ...[3, 2, 1].map(column => ({
    spot: `column:${column}`, kind: 'column', numbers: range(column, 36, 3), u: 13, v: 3 - column, w: 1, h: 1,
  })),
  ...[1, 2, 3].map(dozen => ({
    spot: `dozen:${dozen}`, kind: 'dozen', numbers: range(12 * dozen - 11, 12 * dozen), u: 4 * dozen - 3, v: 3, w: 4,
      h: OUTSIDE,
  })),
  ...[
    ['low', range(1, 18)], ['even', range(2, 36, 2)], ['red', [...RED]],
    ['black', range(1, 36).filter(number => !RED.has(number))], ['odd', range(1, 35, 2)], ['high', range(19, 36)],
  ].map(([spot, numbers], at) => ({
    spot, kind: 'even_chance', numbers, u: 1 + 2 * at, v: 3 + OUTSIDE, w: 2, h: OUTSIDE,
  })),
];

/** All spots: numbers first, then the lines between them, then the outside bets. */
export const SPOTS = [...range(0, 36).map(straight), ...splits(), ...streets(), ...corners(), ...lines(), ...outside()];
export const BY_SPOT = new Map(SPOTS.map(one => [one.spot, one]));

/** The place of a box, as properties for games.css: horizontal on a wide table, vertical on a narrow one. */
export function boxStyle({ u, v, w, h }) {
  const part = (value, whole) => `${((100 * value) / whole).toFixed(3)}%`;
  return {
    '--left': part(u, LENGTH), '--top': part(v, BREADTH), '--wide': part(w, LENGTH), '--high': part(h, BREADTH),
    '--up-left': part(BREADTH - v - h, BREADTH), '--up-top': part(u, LENGTH),
    '--up-wide': part(h, BREADTH), '--up-high': part(w, LENGTH),
  };
}

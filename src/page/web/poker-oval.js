// The places of seats, bets and the board on a poker table: an oval, horizontal on a wide screen and vertical on a
// narrow one (`--p…`), with the player's own seat at the bottom. All in percent of the table.

// Corners are further away than on an ellipse: seats keep their distance from each other.
const corner = (value, power) => Math.sign(value) * Math.abs(value) ** power;
const percent = value => `${value.toFixed(2)}%`;

function lying(at, count) {
  const turn = (2 * Math.PI * at) / count;
  const [x, y] = [corner(-Math.sin(turn), 0.8), corner(Math.cos(turn), 0.8)];
  const place = { x: 50 + 42 * x, y: 55 + 36 * y };
  // Next to the player's own cards, and next to the plates above the board: on a low table chips would lie under them.
  if (at === 0) return { ...place, betX: 66, betY: 76 };
  if (y < -0.85) return { ...place, betX: place.x + (x > 0.1 ? -11 : 11), betY: place.y + 4 };
  return { ...place, betX: 50 + 26 * x, betY: 47 + 24 * y };
}

/** Above a plate lie its cards, below it its hand's name: chips lie elsewhere. */
function upright(at, count) {
  const turn = (2 * Math.PI * at) / count;
  const [u, v] = [corner(-Math.sin(turn), 0.5), corner(Math.cos(turn), 0.75)];
  const [x, y] = [50 + 36.5 * u, 53 + (at === 0 ? 35 : 38) * v];
  const inwards = Math.abs(u) < 0.1 ? 0 : -Math.sign(u);
  // The player's own cards lie next to the lowest of them.
  if (v > 0.3 && v < 0.6) return { x, y, betX: x + 17.5 * inwards, betY: y - 13 };
  if (Math.abs(v) < 0.6) return { x, y, betX: x + 23 * inwards, betY: y + 1 };
  if (v < 0) return { x, y, betX: x + 5 * inwards, betY: y + 8.5 };
  return { x, y, betX: x + 14 * inwards, betY: at === 0 ? y - 22.5 : y - 14 };
}

/** The `at`-th of `count` seats, and its chips. */
export function ovalStyle(at, count) {
  const [broad, narrow] = [lying(at, count), upright(at, count)];
  return {
    '--x': percent(broad.x), '--y': percent(broad.y), '--bx': percent(broad.betX), '--by': percent(broad.betY),
    '--px': percent(narrow.x), '--py': percent(narrow.y), '--pbx': percent(narrow.betX), '--pby': percent(narrow.betY),
  };
}

const TOP = 21;
const BOTTOM = 76;
const CARDS = 10;
const PLATE = 5;

/** On a narrow table the board lies in the widest gap between the seats at its sides. */
export function middleStyle(count) {
  const sides = Array.from({ length: count }, (_, at) => upright(at, count)).filter(({ x }) => Math.abs(x - 50) > 15)
    .map(({ y }) => [y - CARDS, y + PLATE]).sort(([from], [other]) => from - other);
  let widest = [0, 0];
  let from = TOP;
  for (const [begin, end] of [...sides, [BOTTOM, BOTTOM]]) {
    if (Math.min(begin, BOTTOM) - from > widest[1] - widest[0] + 0.5) widest = [from, Math.min(begin, BOTTOM)];
    from = Math.max(from, end);
  }
  return { '--middle': percent((widest[0] + widest[1]) / 2) };
}

// The places of seats, bets and the board on a poker table: an oval, horizontal on a wide screen and vertical on a
// narrow one (`--p…`), with the player's own seat at the bottom. All in percent of the table.

// Corners are further away than on an ellipse: seats keep their distance from each other.
const corner = (value, power) => Math.sign(value) * Math.abs(value) ** power;
const percent = value => (typeof value === 'string' ? value : `${value.toFixed(2)}%`);

/**
 * Others' plates grow upwards: a name of many lines makes them higher. Chips at the top lie beside the plate, towards
 * the table's middle; where two plates share that, they lie over their amount.
 */
function lying(at, count) {
  if (count > MOST_AROUND) return around(at, count);
  const turn = (2 * Math.PI * at) / count;
  const [x, y] = [corner(-Math.sin(turn), 0.8), corner(Math.cos(turn), 0.8)];
  const place = { x: 50 + 42 * x, y: 55 + 36 * y, grows: at === 0 ? 0 : -1, side: 0 };
  if (at === 0) return { ...place, side: 1, betX: 53, betY: percent(76) };
  if (y < -0.3) {
    return { ...place, side: x > 0.1 ? -1 : 1, betX: place.x, betY: percent(place.y + (y < -0.7 ? 2 : -4)) };
  }
  return { ...place, betX: 50 + 26 * x, betY: percent(47 + 24 * y) };
}

/**
 * More than six on a broad table: up each side a lower corner, one or two at the edge and an upper corner; of an even
 * number one seat lies at the top. Chips lie above the cards of the lower ones, below the plates of the upper ones, and
 * beside the plates at the edges.
 */
function around(at, count) {
  const place = { grows: -1, side: 0 };
  if (at === 0) return { ...place, x: 50, y: 91, betX: 50, betY: 'calc(91% - 2.7rem - 1.4 * var(--own-w))' };
  const step = Math.min(at, count - at), last = Math.floor((count - 1) / 2), isLeft = at === step;
  const across = x => (isLeft ? percent(x) : `calc(100% - ${percent(x)})`);
  if (step > last) return { ...place, x: 50, y: 18, betX: 50, betY: 'calc(18% + 2.7rem)' };
  if (step === 1) {
    return { ...place, x: across(24), y: 89, betX: across(30), betY: 'calc(89% - 4.2rem - 1.12 * var(--hole-w))' };
  }
  if (step === last) {
    const x = across(count % 2 ? 34 : 26);
    return { ...place, x, y: 20, betX: x, betY: 'calc(20% + 2.7rem)' };
  }
  const x = across('calc(var(--plate-w) / 2 + .3rem)'), y = last === 3 ? 52 : [64, 37][step - 2];
  return { ...place, x, y, side: isLeft ? 1 : -1, betX: x, betY: percent(y - 3) };
}

/** The row of chips above the player's own cards. */
const ABOVE_OWN = 'calc(88% - 6.3rem)';

/** So many seats fit around a narrow table; more lie in two columns, and on a broad one in rows. */
export const MOST_AROUND = 6;
const [HIGHEST_ROW, LOWEST_ROW] = [17, 86];

/**
 * Two columns at the edges, the board between them, and the player's own seat below it; of an even number one seat lies
 * at the top. A bet lies below its plate, which grows upwards.
 */
function columns(at, count) {
  const rows = Math.floor((count - 1) / 2), isLeft = at <= rows, isTop = count % 2 === 0 && at === rows + 1;
  const edge = 'calc(var(--plate-w) / 2 + .15rem)';
  if (at === 0) return { x: 50, y: 88, grows: 0, side: 0, betX: '50%', betY: 'calc(88% - 7.4rem)' };
  const row = isLeft ? at - 1 : count - 1 - at;
  const x = isTop ? '50%' : isLeft ? edge : `calc(100% - ${edge})`;
  const y = isTop ? HIGHEST_ROW : LOWEST_ROW - row * ((LOWEST_ROW - HIGHEST_ROW) / (rows - 1));
  return { x, y, grows: -1, side: 0, betX: x, betY: `calc(${percent(y)} + 2.2rem)` };
}

/**
 * Above a plate lie its cards, below it its hand's name: chips lie elsewhere. Plates at the top grow upwards, and those
 * at the bottom downwards: chips are on the other side.
 */
function upright(at, count) {
  if (count > MOST_AROUND) return columns(at, count);
  const turn = (2 * Math.PI * at) / count;
  const [u, v] = [corner(-Math.sin(turn), 0.5), corner(Math.cos(turn), 0.75)];
  // Of four, the two at the sides leave the room above the player's own cards to the board.
  const [x, y] = [50 + 36.5 * u, count === 4 && at % 2 ? 32.5 : 53 + (at === 0 ? 35 : count === 2 ? 33 : 38) * v];
  const inwards = Math.abs(u) < 0.1 ? 0 : -Math.sign(u);
  // There is room beside the player's own plate.
  if (at === 0) return { x, y, grows: 0, side: 1, betX: x, betY: 'calc(88% + .5rem)' };
  if (v < -0.6) return { x, y, grows: -1, side: 0, betX: x, betY: `calc(${percent(y)} + 2.4rem)` };
  if (v < 0.3) return { x, y, grows: y < 40 ? -1 : 0, side: inwards, betX: x, betY: percent(y) };
  return { x, y, grows: 1, side: inwards, betX: v > 0.6 ? 50 - 34 * inwards : x, betY: ABOVE_OWN };
}

/** The `at`-th of `count` seats, and its chips. */
export function ovalStyle(at, count) {
  const [broad, narrow] = [lying(at, count), upright(at, count)];
  return {
    '--x': percent(broad.x), '--y': percent(broad.y), '--bx': percent(broad.betX), '--by': broad.betY,
    '--side': String(broad.side), '--grows': String(broad.grows),
    '--px': percent(narrow.x), '--py': percent(narrow.y), '--pbx': percent(narrow.betX), '--pby': narrow.betY,
    '--pside': String(narrow.side), '--pgrows': String(narrow.grows),
  };
}

const TOP = 21;
const BOTTOM = 76;
const CARDS = 10;
const PLATE = 5;
/** The chips below a plate at the top. */
const CHIPS = 6;
/** The height of street, board and pots, and their distance from the seats above them. */
const MIDDLE = 24;
const DISTANCE = 2;

/** On a narrow table the board lies in the widest gap between the seats at its sides; where it begins. */
export function middleStyle(count) {
  if (count > MOST_AROUND) return { '--middle': count % 2 === 0 ? '29%' : '22%' };
  const others = Array.from({ length: count - 1 }, (_, at) => upright(at + 1, count))
    .map(({ y }) => [y - CARDS, y + PLATE + (y < 29 ? CHIPS : 0)]).sort(([from], [other]) => from - other);
  let widest = [0, 0];
  let from = TOP;
  for (const [begin, end] of [...others, [BOTTOM, BOTTOM]]) {
    if (Math.min(begin, BOTTOM) - from > widest[1] - widest[0] + 0.5) widest = [from, Math.min(begin, BOTTOM)];
    from = Math.max(from, end);
  }
  const left = Math.max(widest[1] - widest[0] - MIDDLE, 0);
  return { '--middle': percent(widest[0] + Math.min(left / 2, DISTANCE)) };
}

// The 52 faces and the back, drawn as our own SVG. A card has the size of its box (`--card-w`); games.css has colours
// and movements. seal.js shows the proof of a face.

import { el } from './dom.js';
import { say } from './words.js';

const W = 250;
const H = 350;
const RED = new Set(['h', 'd']);

/** Each suit in a square of 100 around the middle: the outlines differ, not only the colours. */
const SUITS = {
  h: 'M0,44C-13,27 -47,6 -47,-18C-47,-36 -35,-45 -23,-45C-12,-45 -4,-39 0,-28C4,-39 12,-45 23,-45' +
    'C35,-45 47,-36 47,-18C47,6 13,27 0,44Z',
  s: 'M0,-47C13,-28 47,-9 47,16C47,32 35,38 25,38C15,38 8,33 4,25C5,36 10,43 19,47L-19,47C-10,43 -5,36 -4,25' +
    'C-8,33 -15,38 -25,38C-35,38 -47,32 -47,16C-47,-9 -13,-28 0,-47Z',
  d: 'M0,-49C9,-29 22,-13 39,0C22,13 9,29 0,49C-9,29 -22,13 -39,0C-22,-13 -9,-29 0,-49Z',
  c: 'M-21,-25a21,21 0 1,1 42,0a21,21 0 1,1 -42,0ZM-46,11a21,21 0 1,1 42,0a21,21 0 1,1 -42,0Z' +
    'M4,11a21,21 0 1,1 42,0a21,21 0 1,1 -42,0ZM-9,-14L9,-14L5,18C6,33 11,42 19,47L-19,47C-11,42 -6,33 -5,18Z',
};

const LEFT = 88;
const MIDDLE = 125;
const RIGHT = 162;
const ROWS = { top: 66, upper: 138.6, centre: 175, lower: 211.4, bottom: 284 };

/** The places of a number's pips; those below the middle are upside down. */
const PIPS = (() => {
  const { top, upper, centre, lower, bottom } = ROWS;
  const both = (...rows) => rows.flatMap(y => [[LEFT, y], [RIGHT, y]]);
  const six = both(top, centre, bottom);
  const ends = [[MIDDLE, top], [MIDDLE, bottom]];
  return {
    2: ends,
    3: [...ends, [MIDDLE, centre]],
    4: both(top, bottom),
    5: [...both(top, bottom), [MIDDLE, centre]],
    6: six,
    7: [...six, [MIDDLE, (top + centre) / 2]],
    8: [...six, [MIDDLE, (top + centre) / 2], [MIDDLE, (bottom + centre) / 2]],
    9: [...both(top, upper, lower, bottom), [MIDDLE, centre]],
    T: [...both(top, upper, lower, bottom), [MIDDLE, (top + upper) / 2], [MIDDLE, (bottom + lower) / 2]],
  };
})();

const path = (d, kind, more = {}) => el('path', { d, class: kind, ...more });
const pip = (suit, x, y, size, kind = 'pip') =>
  path(SUITS[suit], kind, {
    transform: `translate(${x} ${y}) scale(${size / 100}${y > 176 ? ` ${-size / 100}` : ''})`,
  });

function index(rank, suit, turned) {
  const shown = rank === 'T' ? '10' : rank;
  return el('g', turned ? { transform: `rotate(180 ${W / 2} ${H / 2})` } : {},
    el('text', { x: 30, y: 60, class: rank === 'T' ? 'index ten' : 'index' }, shown),
    pip(suit, 30, 90, 40));
}

/** A crown, a head and a robe for the upper half; the lower half is the same, turned. */
function court(rank, suit) {
  const hats = {
    K: () => [
      path('M90,66L84,30L104,47L125,22L146,47L166,30L160,66Z', 'gold'),
      path('M90,66L160,66L159,74L91,74Z', 'main'),
      ...[[84, 28], [125, 20], [166, 28]].map(([x, y]) => el('circle', { cx: x, cy: y, r: 5, class: 'second' })),
    ],
    Q: () => [
      path('M93,66C90,50 92,44 88,34C98,44 104,44 107,36C112,46 119,44 125,28C131,44 138,46 143,36C146,44 152,44' +
        ' 162,34C158,44 160,50 157,66Z', 'gold'),
      ...[[88, 33], [107, 34], [125, 26], [143, 34], [162, 33]]
        .map(([x, y]) => el('circle', { cx: x, cy: y, r: 4.5, class: 'main' })),
    ],
    J: () => [
      path('M88,70C84,44 104,32 132,34C156,36 166,50 163,70Z', 'main'),
      path('M84,64L167,64L166,75L85,75Z', 'gold'),
      path('M150,40C160,22 178,20 184,30C176,32 166,40 158,56Z', 'second'),
    ],
  };
  const hair = {
    K: () => [
      path('M97,72C84,92 88,112 96,120L106,96L106,72Z', 'dark'),
        path('M153,72C166,92 162,112 154,120L144,96L144,72Z', 'dark'),
    ],
    Q: () => [
      path('M98,70C78,92 92,116 80,140L112,128L108,72Z', 'dark'),
        path('M152,70C172,92 158,116 170,140L138,128L142,72Z', 'dark'),
    ],
    J: () => [
      path('M98,72C90,92 92,108 90,116L110,116L108,72Z', 'dark'),
        path('M152,72C160,92 158,108 160,116L140,116L142,72Z', 'dark'),
    ],
  };
  const beard = () => rank !== 'K' ? [] : [
    path('M104,98C104,128 116,136 125,138C134,136 146,128 146,98C140,106 133,104 125,104C117,104 110,106 104,98Z',
      'dark'),
    path('M116,109C121,113 129,113 134,109', 'mouth light'),
  ];
  const held = {
    K: () => [path('M181,52L187,64L187,128L175,128L175,64Z', 'steel'),
      path('M166,128L196,128L196,136L166,136Z', 'gold'),
      path('M177,136L185,136L185,160L177,160Z', 'second')],
    Q: () => [path('M70,110C68,126 72,140 78,156', 'stem'), pip(suit, 70, 92, 32, 'main')],
    J: () => [path('M66,46L72,46L72,170L66,170Z', 'second'), path('M69,38L84,62C78,70 60,70 54,62Z', 'steel')],
  };
  const half = () => [
    ...held[rank](),
    path('M52,175L52,160C62,138 92,130 106,122L144,122C158,130 188,138 198,160L198,175Z', 'main'),
    path('M52,175L52,164L70,152L86,175Z', 'gold'),
    path('M198,175L198,164L180,152L164,175Z', 'gold'),
    path('M92,128L125,175L158,128L144,122L106,122Z', 'second'),
    path('M113,124L125,148L137,124Z', 'cloth'),
    ...hair[rank](),
    path('M102,70C100,104 112,124 125,124C138,124 150,104 148,70Z', 'skin'),
    ...beard(),
    el('ellipse', { cx: 115, cy: 89, rx: 3, ry: 3.6, class: 'eye' }),
    el('ellipse', { cx: 135, cy: 89, rx: 3, ry: 3.6, class: 'eye' }),
    path('M109,82C112,79 117,79 120,81M130,81C133,79 138,79 141,82', 'mouth'),
    path('M125,88L122,99L127,99', 'mouth'),
    ...(rank === 'K' ? [] : [path('M118,110C122,114 128,114 132,110', 'mouth')]),
    ...hats[rank](),
  ];
  return [
    el('rect', { x: 62, y: 20, width: 126, height: 310, rx: 8, class: 'frame' }),
    // Drawn for a field of 146, and made as narrow as the indices leave it.
    el('g', { transform: 'translate(125 175) scale(.86) translate(-125 -175)' },
      el('g', {}, half()),
      el('g', { transform: `rotate(180 ${W / 2} ${H / 2})` }, half()),
      path('M52,169L198,169L198,181L52,181Z', 'gold'),
      ...[70, 97.5, 125, 152.5, 180].map(x => path(`M${x},170L${x + 6},175L${x},180L${x - 6},175Z`, 'second'))),
  ];
}

function middle(rank, suit) {
  if (rank === 'A') return [pip(suit, MIDDLE, 175, 122)];
  if (PIPS[rank]) return PIPS[rank].map(([x, y]) => pip(suit, x, y, 46));
  return court(rank, suit);
}

/** Two sets of slanted lines, and a border; computed once. */
const LATTICE = (() => {
  const [left, top, right, bottom] = [26, 26, W - 26, H - 26];
  const lines = [];
  for (let at = left - (bottom - top); at <= right; at += 18) {
    const begin = Math.max(at, left);
    const end = Math.min(at + bottom - top, right);
    if (end - begin < 1) continue;
    lines.push(`M${begin},${top + begin - at}L${end},${top + end - at}`);
    lines.push(`M${W - begin},${top + begin - at}L${W - end},${top + end - at}`);
  }
  return lines.join('');
})();

function back() {
  return [
    el('rect', { x: 14, y: 14, width: W - 28, height: H - 28, rx: 14, class: 'back-field' }),
    path(LATTICE, 'lattice'),
    el('rect', { x: 26, y: 26, width: W - 52, height: H - 52, rx: 6, class: 'back-line' }),
    el('circle', { cx: W / 2, cy: H / 2, r: 45, class: 'back-disc' }),
    path('M125,138C139,152 152,160 162,175C152,190 139,198 125,212C111,198 98,190 88,175C98,160 111,152 125,138Z',
      'back-mark'),
  ];
}

const SIGNS = { c: '♣', d: '♦', h: '♥', s: '♠' };
/** A card in a line of text: `10♥`. */
export const cardSign = code => (code[0] === 'T' ? '10' : code[0]) + SIGNS[code[1]];

/** The name of a card: "ace of spades", "スペードのA"; without a face "a card face down". */
export function cardName(code) {
  if (!code) return say('card.down');
  return say('card.name', { rank: say(`card.rank_${code[0]}`), suit: say(`card.suit_${code[1]}`) });
}

/**
 * A card by its code (`As`, `Tc`), or its back. `label` is the screen reader's text instead of the card's name; if it
 * is empty, the card is not read out.
 */
export function card(code, { label } = {}) {
  const [rank, suit] = code ? [code[0], code[1]] : [];
  const svg = el('svg', { viewBox: `0 0 ${W} ${H}`, 'aria-hidden': 'true', focusable: 'false' },
    el('rect', { x: 2, y: 2, width: W - 4, height: H - 4, rx: 18, class: 'paper' }),
    code
      ? [
        el('g', { class: 'whole' }, middle(rank, suit), index(rank, suit, false), index(rank, suit, true)),
        // Shown instead on a small card: games.css chooses by the card's width.
        el('g', { class: 'tiny' },
          el('text', { x: 125, y: 168, class: rank === 'T' ? 'index ten' : 'index' }, rank === 'T' ? '10' : rank),
          path(SUITS[suit], 'pip', { transform: 'translate(125 256) scale(1.35)' })),
      ]
      : back());
  const name = label ?? cardName(code);
  const kind = code ? `card face ${RED.has(suit) ? 'red' : 'black'} suit-${suit}` : 'card back';
  return el('span', { class: kind, dataset: { card: code || '' },
    ...(name ? { role: 'img', 'aria-label': name } : { 'aria-hidden': 'true' }) }, svg);
}

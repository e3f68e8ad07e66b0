// A poker table of every size, and a blackjack table with a hand in each box, on every screen: no card, plate, bet or
// word of one lies over another's, and no choice is out of the window. The page's own modules draw made-up hands, since
// no short play comes to all of them.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { served, visit } from './harness.js';
import { go, settled } from './rooms.js';

const TABLE = 'play.holdem-1';
const LOOKS = [
  { width: 360, height: 640, touch: true }, { width: 390, height: 664, touch: true, locale: 'ja-JP' },
  { width: 390, height: 844, touch: true }, { width: 768, height: 1024, touch: true },
  { width: 1024, height: 768, locale: 'ja-JP' }, { width: 1366, height: 650 }, { width: 1440, height: 900 },
];
/** What antialiasing and the round ends of a plate forgive, in pixels of both sides. */
const CLOSE = 4;

/** Draws the choices ahead of one's turn in the bar; the pixels by which the page is wider than the window then. */
const aheadIsOver = page => page.evaluate(async () => {
  const name = performance.getEntriesByType('resource').map(one => one.name).find(one => one.includes('/play-ahead.'));
  const { aheadChoices } = await import(name);
  document.querySelector('.action-body').replaceChildren(aheadChoices({ table: { round: { id: 'made-up:0' } } }));
  return document.documentElement.scrollWidth - innerWidth;
});

const BOARD = ['Ah', 'Kd', '7c', '7h', '2s'];

const service = await served([]);
let rules;
before(async () => {
  rules = (await service.must(`/v1/tables/${TABLE}`)).rules;
});

/** A hand of `count` players in this state, with names of one line and of two: every player bets, all-in or shows. */
function handOf({ count, holes, state }) {
  const names = [
    'ann', 'guest.1234567', 'bea', 'maximilian-the-great', 'cy', 'emil', 'guest.7654321', 'fay', 'gil', 'hortensia',
  ];
  const ranks = ['Q', 'J', 'T', '9', '8', '6', '5', '4', '3', 'K', 'A'];
  const deck = ranks.flatMap(rank => ['s', 'h', 'd', 'c'].map(suit => rank + suit)).filter(one => !BOARD.includes(one));
  const isOver = state === 'shown';
  const seats = Array.from({ length: count }, (_, at) => ({
    seat: at + 1, player: names[at], stack: 98_765 - 1111 * at, bet: isOver ? 0 : 11_000 + 1500 * at, put_in: 12_000,
    folded: state !== 'blinds' && at === 3, all_in: state === 'all-in' && at % 2 === 1,
    hole: Array.from({ length: holes }, (_, card) => (
      { slot: holes * at + card, card: at === 0 || (isOver && at !== 3) ? deck[holes * at + card] : null })),
  }));
  const board = state === 'blinds' ? [] : BOARD;
  const won = [[2, 24_000], [count, 3000]].map(([seat, amount]) => ({ amount, rake: 20, won: [{ seat, amount }] }));
  return {
    seats, pot: 99_000, street: board.length > 0 ? 'river' : 'preflop', turn: isOver ? null : 1,
    positions: { button: Math.floor(count / 2) + 1, small: 1, big: 2 },
    board: board.map((card, at) => ({ slot: 90 + at, card })),
    result: isOver ? { settled: { pots: won.slice(0, count > 2 ? 2 : 1), uncalled: null, seats } } : null,
  };
}

/** Draws the hand on the felt; which parts lie over each other, in words. */
const overlaps = (page, hand) => page.evaluate(async ({ view, given, close }) => {
  const files = performance.getEntriesByType('resource').map(({ name }) => name);
  const load = name => import(files.find(one => one.includes(`/${name}.`)));
  const [poker, { say, money }, { sealed }] = await Promise.all(['game-poker', 'words', 'seal'].map(load));
  const count = view.seats.length, rules = structuredClone(given);
  rules.table.seats = count;
  if (view.seats[0].hole.length === 4) rules.game.poker.hand.family = 'omaha';
  const table = { table: 'made-up', cash: { seats: view.seats, positions: view.positions, level: '100/200' } };
  const felt = poker.felt(view, {
    me: 'ann', rules, table, say, money, own: null, story: [], round: { id: 'made-up:0', table: 'made-up' },
    card: ({ card, isHeld }) => sealed(card, null, () => {}, isHeld),
  });
  document.querySelector('.felt-box').replaceChildren(felt);
  // They move in.
  for (const one of document.getAnimations()) one.finish();
  const PARTS = {
    seat: '.plate, .badge, .hole > *, .hand-name', chips: '.dealer-button, .bet-here .pile, .bet-here .amount, .blind',
    middle: '.street, .board > *, .pots p, .pots li > *',
  };
  const boxes = Object.entries(PARTS).flatMap(([kind, selector]) => [...felt.querySelectorAll(selector)].map(node => {
    const of = node.closest('.poker-seat, .before-seat')?.dataset.id.replace(/\D+/, '') ?? 'middle';
    return { kind, of, name: `${node.classList[0]} of ${of}`, box: node.getBoundingClientRect() };
  })).filter(({ box }) => box.width > 0);
  const over = (one, other) => Math.min(
    Math.min(one.right, other.right) - Math.max(one.left, other.left),
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));
  return boxes.flatMap((one, at) => boxes.slice(at + 1)
    // A seat's own parts lie on each other by design, but not under its chips.
    .filter(other => one.of !== other.of || one.kind !== other.kind)
    .filter(other => over(one.box, other.box) > close).map(other => `${one.name} and ${other.name}`))
    .concat(boxes.filter(({ box }) => box.left < 0 || box.right > innerWidth).map(({ name }) => `${name} is cut`))
    .concat([...felt.querySelectorAll('.poker-seat:has(.hand-name)')].flatMap(seat => {
      const [name, hand] = ['.name-text', '.hand-name'].map(part => seat.querySelector(part).getBoundingClientRect());
      return over(name, hand) > close ? [`the hand of ${seat.dataset.id} lies over their name`] : [];
    }));
}, { view: hand, given: rules, close: CLOSE });

for (const look of LOOKS) {
  test(`${look.width} × ${look.height}: nothing of a poker table lies over anything else`, async () => {
    const visitor = await visit(service, look), { page } = visitor;
    await go(page, `/play/${TABLE}`);
    const found = [];
    for (const count of [2, 3, 4, 5, 6, 7, 8, 9, 10]) {
      for (const holes of [2, 4]) {
        for (const state of ['blinds', 'all-in', 'shown']) {
          const hit = await overlaps(page, handOf({ count, holes, state }));
          if (hit.length > 0) found.push(`${count} players, ${holes} cards, ${state}: ${hit.join(', ')}`);
        }
      }
    }
    assert.deepEqual(found, []);
    for (const language of ['English', '日本語']) {
      const button = page.getByRole('banner').getByRole('button', { name: language });
      if (await button.count() > 0) await button.click();
      await settled(page);
      assert.ok(await aheadIsOver(page) <= 0, `${language}: the choices ahead are wider than the window`);
    }
    await visitor.checked();
  });
}

test('whoever waits for the next hand has their own stack beside the result of this one', async () => {
  const visitor = await visit(service), { page } = visitor, hand = handOf({ count: 2, holes: 2, state: 'shown' });
  await go(page, `/play/${TABLE}`);
  const told = await page.evaluate(async ({ view, given }) => {
    const files = performance.getEntriesByType('resource').map(({ name }) => name);
    const load = name => import(files.find(one => one.includes(`/${name}.`)));
    const [poker, { say, money }, { sealed }] = await Promise.all(['game-poker', 'words', 'seal'].map(load));
    const cash = { seats: [...view.seats, { seat: 3, player: 'zoe', stack: 14_000 }], positions: view.positions };
    return poker.felt(view, {
      me: 'zoe', rules: given, table: { table: 'made-up', cash }, say, money, own: null, story: [],
      round: { id: 'made-up:1', table: 'made-up' }, card: ({ card, isHeld }) => sealed(card, null, () => {}, isHeld),
    }).querySelector('.poker-seat.own .chips-left').textContent;
  }, { view: hand, given: rules });
  assert.equal(told, '14,000');
  await visitor.checked();
});

/** Hands in all boxes but the fourth, of `most` cards at most, each with this outcome. */
function boxesOf(count, most, outcome) {
  const card = (code, at) => ({ slot: at, card: code });
  const handOf = spot => {
    const low = ['2h', '3d', '2s', '4c', '3h', '2d'];
    const faces = outcome === 'blackjack' ? ['As', 'Kd'] : low.slice(0, 2 + spot % (most - 1));
    return {
      cards: faces.map((code, at) => card(code, 10 * spot + at)),
      total: outcome === 'blackjack' ? 21 : 12, soft: true,
      stake: 12_500, outcome, returned: outcome === 'loss' ? 0 : 31_250,
      stood: true, surrendered: false, doubled: false,
    };
  };
  const spots = Array.from({ length: count }, (_, at) => at + 1).filter(spot => spot !== 4);
  const boxes = spots.map(spot => ({ spot, player: `guest.12${spot}`, hands: [handOf(spot)], insurance: null }));
  return { boxes, dealer: { cards: [card('Ah', 0), card(null, 1)], total: 11, soft: true } };
}

/** Draws it; words over other boxes' words, the dealer's total, and where each box stands. */
const drawnBoxes = (page, view, given) => page.evaluate(async ({ view, given, close }) => {
  const files = performance.getEntriesByType('resource').map(({ name }) => name);
  const load = name => import(files.find(one => one.includes(`/${name}.`)));
  const [game, { say, money }, { sealed }] = await Promise.all(['game-blackjack', 'words', 'seal'].map(load));
  const seats = view.boxes.map(({ spot, player }) => ({ seat: spot, player }));
  const felt = game.felt(view, {
    me: 'guest.121', rules: given, table: { table: 'made-up', window: null, next_round: 1, seats },
    seats, say, money, own: null, story: [],
    round: { id: 'made-up:0', table: 'made-up', phase: 'settled', decisions: [], contributors: [] },
    card: ({ card, isHeld }) => sealed(card, null, () => {}, isHeld),
  });
  document.querySelector('.felt-box').replaceChildren(felt);
  for (const one of document.getAnimations()) one.finish();
  const parts = [...felt.querySelectorAll('.box')].flatMap(box => (
    [...box.querySelectorAll('.badge, .total, .stack, .box-place, .in-place, .player-name')].map(node => (
      { of: box.dataset.id, name: `${node.classList[0]} “${node.textContent}”`, box: node.getBoundingClientRect() }))));
  const over = (one, other) => Math.min(
    Math.min(one.right, other.right) - Math.max(one.left, other.left),
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));
  const hits = parts.flatMap((one, at) => parts.slice(at + 1).filter(other => one.of !== other.of
    && over(one.box, other.box) > close).map(other => `${one.name} of ${one.of} and ${other.name} of ${other.of}`));
  return {
    hits, dealer: felt.querySelector('.dealer .total').textContent,
    places: [...felt.querySelectorAll('.box')].map(box => Math.round(box.getBoundingClientRect().left)),
  };
}, { view, given, close: CLOSE });

for (const look of LOOKS) {
  test(`${look.width} × ${look.height}: no box of a blackjack table lies over another, or moves another`, async () => {
    const visitor = await visit(service, look), { page } = visitor;
    for (const [name, count] of [['play.live-blackjack-1', 7], ['play.six-deck-1', 5]]) {
      const given = (await service.must(`/v1/tables/${name}`)).rules;
      await go(page, `/play/${name}`);
      const places = [];
      for (const [most, outcome] of [[2, 'blackjack'], [2, 'win'], [3, null], [6, 'loss'], [6, 'win']]) {
        const drawn = await drawnBoxes(page, boxesOf(count, most, outcome), given);
        assert.deepEqual(drawn.hits, [], `${name}, ${outcome}`);
        assert.equal(drawn.dealer, '1/11', 'one ace has no total');
        places.push(drawn.places);
      }
      assert.deepEqual(places, places.map(() => places[0]), `${name}: boxes move sideways as hands grow`);
    }
    await visitor.checked();
  });
}

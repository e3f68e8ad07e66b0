// Hold'em and Omaha at a cash or a tournament table: seats around an oval, blinds, pots, board, own cards
// (spec/games/poker-table.md). Names of hands are only for people; the engine decides the payments.

import { el } from './dom.js';
import { stack } from './chip.js';
import { feltKey, placed, emptyPlace, badge, nameTag, netWords } from './felt.js';
import { redraw } from './redraw.js';
import { bestHand, bestLow } from './poker-hand.js';
import { potsOf } from './poker-pots.js';
import { wordsBeside } from './poker-words.js';
import { middleStyle, MOST_AROUND, ovalStyle } from './poker-oval.js';
import { sentences } from './words.js';

export { decision } from './poker-decision.js';

export const kind = 'poker';

const BOARD = 5;

const settled = view => view?.result?.settled ?? null;
const familyOf = ctx => ctx.rules.game.poker.hand.family;
const holesOf = ctx => (familyOf(ctx) === 'omaha' ? 4 : 2);

/** Denominations for chips on the felt: by the big blind, like in a card room. */
function valuesOf(ctx) {
  const unit = Math.max(1, ctx.rules.game.poker.blinds.small);
  return [1, 5, 25, 100, 500, 2500, 10000, 50000].map(times => unit * times).filter(Number.isSafeInteger);
}

/** The player's own cards shown to this browser, by slot; never another player's. */
function ownFaces(ctx) {
  const { own, round } = ctx;
  if (!own || !round || own.round !== round.id) return new Map();
  return new Map(own.openings.map((opening, at) => [opening.slot, own.cards[at]]));
}

/** The players around the oval: those dealt in, those who wait, and free seats. */
function placesOf(view, ctx) {
  const count = Math.max(2, ctx.rules.table.seats);
  const sitting = new Map();
  for (const one of ctx.table?.cash?.seats ?? []) sitting.set(one.seat, { ...one, dealt: null });
  for (const one of view?.seats ?? []) {
    const before = sitting.get(one.seat);
    // Somebody else sits there since the hand is over.
    if (before && before.player !== one.player && settled(view)) continue;
    sitting.set(one.seat, { ...(before?.player === one.player ? before : {}), seat: one.seat, player: one.player,
      dealt: one });
  }
  const own = [...sitting.values()].find(one => one.player === ctx.me);
  const first = own ? own.seat : 1;
  return Array.from({ length: count }, (_, at) => {
    const seat = ((first - 1 + at) % count) + 1;
    return { seat, at, count, who: sitting.get(seat) ?? null };
  });
}

function holeCards(one, ctx, faces, lit) {
  const own = one.player === ctx.me;
  return el('div', { class: `hole count-${one.hole.length}${own ? ' own' : ''}` }, one.hole.map((card, at) => {
    const code = card.card ?? faces.get(card.slot) ?? null;
    const kinds = code === null ? 'hidden-card' : !lit ? '' : lit.has(code) ? 'lit' : 'dim';
    return placed(ctx, card, { code, kind: kinds, at, isHeld: true });
  }));
}

function stateOf(place, view, ctx) {
  const { who, seat } = place;
  const result = who.dealt && settled(view);
  if (result) {
    const won = wonBy(result, seat);
    if (won > 0) return badge(`+${ctx.money(won)}`, 'good');
  }
  if (!who.dealt) {
    if (who.leaving) return badge(ctx.say('poker.leaving'), 'wait');
    if (who.sitting_out) return badge(ctx.say('poker.sits_out'), 'wait');
    return view ? badge(ctx.say('poker.waits'), 'wait') : null;
  }
  if (who.dealt.folded) return badge(ctx.say(mucked(ctx).has(who.player) ? 'poker.mucked' : 'poker.folded'));
  if (who.dealt.all_in) return badge(ctx.say('poker.all_in'), 'gold');
  return null;
}

/** The players who gave up their hand at this showdown: the view calls them folded, which is different. */
function mucked({ story = [] }) {
  const hand = story.slice(story.findLastIndex(({ name }) => name === 'hand_begun') + 1);
  return new Set(hand.filter(({ name, fields }) => name === 'acted' && fields.action === 'muck')
    .map(({ fields }) => fields.player));
}

const wonBy = (result, seat) =>
  result.pots.flatMap(pot => pot.won).filter(one => one.seat === seat).reduce((all, one) => all + one.amount, 0);

/** The hole cards of a seat, as far as this player sees them. */
const holeOf = (seat, faces) => seat.hole.map(card => card.card ?? faces.get(card.slot) ?? null);

/** The shown hand of a seat in words; null if one of its cards is hidden. */
function handWords(view, seat, faces, ctx) {
  const board = view.board.map(card => card.card).filter(Boolean),
    seen = one => {
      const hole = holeOf(one, faces);
      return !one.folded && hole.length === holesOf(ctx) && !hole.includes(null) ? hole : null;
    },
    hole = seen(seat);
  if (!hole || board.length < 3) return null;
  const high = bestHand(familyOf(ctx), hole, board);
  if (!high) return null;
  const low = ctx.rules.game.poker.hand.hi_lo ? bestLow(familyOf(ctx), hole, board) : null;
  const others = view.seats.filter(one => one !== seat).map(seen).filter(Boolean);
  const words = wordsBeside(high, others.map(other => bestHand(familyOf(ctx), other, board)), ctx.say);
  return { high, low, words, lowWords: low && low.ranks.join('-') };
}

function seatBox(place, view, ctx, faces, lit) {
  const { who, seat, at, count } = place;
  const style = ovalStyle(at, count);
  const dataset = { id: `seat-${seat}` };
  if (!who) {
    return el('div', { class: 'poker-seat free', style, dataset },
      el('span', { class: 'seat-free' }, ctx.say('poker.free', { seat })));
  }
  const { dealt } = who;
  const turn = view?.turn === seat && !settled(view);
  const result = dealt ? settled(view) : null;
  const winner = result !== null && wonBy(result, seat) > 0;
  const own = who.player === ctx.me;
  const side = at === 0 ? '' : at < count / 2 ? 'left' : at > count / 2 ? 'right' : 'top';
  const kinds = ['poker-seat', own && 'own', turn && 'turn', winner && 'winner',
    view && (!dealt || dealt.folded) && 'out', side];
  const hand = view && dealt ? handWords(view, dealt, faces, ctx) : null;
  const chips = result?.seats.find(one => one.seat === seat)?.stack ?? (dealt ?? who).stack;
  return el('section', {
    class: kinds.filter(Boolean).join(' '), style, dataset,
    'aria-label': ctx.say('felt.seat', { seat, player: who.player }),
  },
    dealt && holeCards(dealt, ctx, faces, winner && lit ? lit : null),
    el('div', { class: 'plate' },
      nameTag(who.player, ctx),
      el('span', { class: 'chips-left' }, ctx.money(chips ?? 0)),
      turn && el('span', { class: 'visually-hidden' }, ctx.say('poker.turn')),
      stateOf(place, view, ctx)),
    hand && el('p', { class: 'hand-name' }, hand.words, hand.lowWords
      && el('span', {}, ctx.say('poker.low', { low: hand.lowWords }))));
}

/** Button, blinds and bets, on the felt before each seat. */
function beforeSeat(place, view, ctx) {
  const { seat, at, count, who } = place;
  const positions = view?.positions ?? ctx.table?.cash?.positions;
  const style = ovalStyle(at, count);
  const bet = who?.dealt && !settled(view) ? who.dealt.bet : 0;
  const button = positions?.button === seat;
  const blind = view && ['small', 'big', 'third'].find(name => positions[name] === seat);
  if (!button && !bet) return null;
  return el('div', { class: 'before-seat', style, dataset: { id: `before-${seat}` } },
    button && el('span', { class: 'dealer-button', dataset: { id: 'button' }, title: ctx.say('poker.button') }, 'D',
      el('span', { class: 'visually-hidden' }, ctx.say('poker.button'))),
    bet > 0 && el('span', { class: 'bet-here', dataset: { id: `bet-${view.street}` } },
      stack(bet, valuesOf(ctx), { words: ctx.money(bet) }),
      view.street === 'preflop' && blind && el('span', { class: 'blind' }, ctx.say(`poker.blind_${blind}`))));
}

function board(view, ctx, lit) {
  const cards = view ? view.board : [];
  return el('div', { class: 'board', role: 'group', 'aria-label': ctx.say('poker.board') },
    Array.from({ length: BOARD }, (_, at) => cards[at]
      ? placed(ctx, cards[at], { at: at < 3 ? at : 0, kind: lit ? (lit.has(cards[at].card) ? 'lit' : 'dim') : '' })
      : emptyPlace(`board-${at}`)));
}

function pots(view, ctx) {
  const result = settled(view);
  const list = result ? result.pots : potsOf(view.seats, view.pot);
  const values = valuesOf(ctx);
  const name = at => (at === 0 ? ctx.say(list.length > 1 ? 'poker.main_pot' : 'poker.pot')
    : ctx.say('poker.side_pot', { number: at }));
  return el('div', { class: 'pots', dataset: { id: 'pots' } },
    !result && view.seats.some(seat => seat.bet > 0)
      && el('p', { class: 'pot-total' }, ctx.say('poker.total', { amount: ctx.money(view.pot) })),
    el('ul', {}, list.map((pot, at) => el('li', { dataset: { id: `pot-${at}` } },
      stack(pot.amount, values, {}), el('span', { class: 'pot-name' }, name(at)), ' ',
      el('span', { class: 'amount' }, ctx.money(pot.amount)),
      pot.rake > 0 && el('span', { class: 'faint' }, ctx.say('poker.rake', { amount: ctx.money(pot.rake) })),
      result && wonWords(pot, view, ctx).map(words => el('span', { class: 'pot-won' }, words))))),
    result?.uncalled && el('p', { class: 'faint' }, ctx.say('poker.uncalled', {
      player: playerAt(view, result.uncalled.seat), amount: ctx.money(result.uncalled.amount),
    })));
}

const playerAt = (view, seat) => view.seats.find(one => one.seat === seat)?.player ?? String(seat);

/** The winners of a pot, one line each: a split pot's names and amounts in one row are hard to read. */
function wonWords(pot, view, ctx) {
  const halves = pot.won.some(one => one.low);
  return pot.won.map(one => ctx.say(one.low ? 'poker.won_low' : halves ? 'poker.won_high' : 'poker.won', {
    player: playerAt(view, one.seat), amount: ctx.money(one.amount),
  }));
}

/** Cards of the winning hands, if they were shown; null if no player had to show. */
function winningCards(view, ctx, faces) {
  const result = settled(view);
  if (!result || view.board.length < BOARD) return null;
  const cards = view.board.map(card => card.card);
  const lit = new Set();
  for (const seat of view.seats) {
    if (wonBy(result, seat.seat) === 0) continue;
    const hole = holeOf(seat, faces);
    if (hole.some(code => code === null) || hole.length < holesOf(ctx)) continue;
    const lines = result.pots.flatMap(pot => pot.won).filter(one => one.seat === seat.seat);
    if (lines.some(one => !one.low)) for (const code of bestHand(familyOf(ctx), hole, cards)?.cards
      ?? []) lit.add(code);
    if (lines.some(one => one.low)) for (const code of bestLow(familyOf(ctx), hole, cards)?.cards ?? []) lit.add(code);
  }
  return lit.size ? lit : null;
}

export function felt(view, ctx) {
  const faces = ownFaces(ctx);
  const lit = winningCards(view, ctx, faces);
  const places = placesOf(view, ctx);
  const call = ctx.table?.cash?.call;
  const level = ctx.table?.cash?.level;
  const words = view ? ctx.say(`poker.street_${view.street}`) : call ? ctx.say('poker.called') : '';
  const game = familyOf(ctx) + (ctx.rules.game.poker.hand.hi_lo ? '_hi_lo' : '');
  return redraw(feltKey(kind, ctx), el('div', {
    class: ['felt-game poker', `seats-${places.length}`, settled(view) && 'is-settled',
      places.length > MOST_AROUND && 'in-columns'].filter(Boolean).join(' '),
  },
    el('div', { class: 'oval', style: middleStyle(places.length) },
      el('div', { class: 'oval-rail', 'aria-hidden': 'true' }),
      el('div', { class: 'oval-middle', dataset: { id: 'middle' } },
        el('p', { class: 'street' },
          el('span', { class: 'street-game' }, `${ctx.say(`poker.game_${game}`)} `),
          level && `${level.split('/').map(part => ctx.money(Number(part))).join('/')} `,
          words && `· ${words}`),
        board(view, ctx, lit),
        view && pots(view, ctx)),
      places.map(place => seatBox(place, view, ctx, faces, lit)),
      places.map(place => beforeSeat(place, view, ctx)))));
}

export function outcome(view, round, ctx) {
  const result = settled(view);
  if (!result) return '';
  const faces = ownFaces(ctx);
  const said = view.seats.filter(seat => wonBy(result, seat.seat) > 0).map(seat => {
    const shown = seat.hole.length > 0 && seat.hole.every(card => card.card !== null);
    const hand = shown ? handWords(view, seat, faces, ctx) : null;
    const lowOnly = result.pots.flatMap(pot => pot.won).every(one => one.seat !== seat.seat || one.low);
    const words = hand && (lowOnly ? ctx.say('poker.low', { low: hand.lowWords }) : hand.words);
    const values = { player: seat.player, amount: ctx.money(wonBy(result, seat.seat)), hand: words };
    const whose = seat.player === ctx.me ? 'said_own' : 'said';
    return ctx.say(`poker.${whose}${hand ? '_with' : ''}`, values);
  });
  const own = result.seats.find(seat => seat.player === ctx.me);
  return own ? netWords(own.got - own.put_in, ...said) : sentences(...said);
}

/** The sentences of its rules that apply to a table. */
export const lines = ({ table, game: { poker } }, money) => [
  [poker.hand.family === 'omaha' ? 'poker_omaha' : 'poker_holdem'],
  ['poker_blinds', { small: money(poker.blinds.small), big: money(poker.blinds.big) }],
  ['poker_buy_in', { least: money(table.stake_min), most: money(table.stake_max) }],
];

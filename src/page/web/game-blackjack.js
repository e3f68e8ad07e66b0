// Blackjack: the dealer above, boxes in a row below, each with its hands (spec/games/blackjack.md).

import { el } from './dom.js';
import { denominations, stack } from './chip.js';
import { feltKey, placed, emptyPlace, badge, lying, nameTag, netWords } from './felt.js';
import { redraw } from './redraw.js';
import { laidAt, spotBetting } from './spot-betting.js';
import { keyed } from './play-actions.js';
import { sentences } from './words.js';

export const kind = 'blackjack';

const TONES = {
  blackjack: 'gold',
  win: 'good',
  even_money: 'good',
  draw: 'wait',
  loss: 'bad',
  bust: 'bad',
  surrender: 'wait',
};

/** The worth of the cards: "soft 17", "21"; "Blackjack" where they are the first two, until the result says so. */
export function worthOf({ total: points, soft, cards, outcome = null }, ctx, isSplit = false) {
  if (!cards.some(one => one.card)) return '';
  const isNatural = points === 21 && cards.length === 2 && cards.every(one => one.card) && !isSplit;
  if (isNatural && outcome === null) return ctx.say('blackjack.blackjack');
  // One ace has no total yet: it is shown as casinos do.
  if (soft && cards.filter(one => one.card).length === 1) return ctx.say('blackjack.ace');
  return soft && points < 21 ? ctx.say('blackjack.soft', { points }) : String(points);
}

/** Words that begin with "Blackjack": narrow boxes have its short form (table.css). */
function fitted(words, ctx) {
  const whole = ctx.say('blackjack.blackjack');
  if (!words.startsWith(whole)) return words;
  const brief = el('abbr', { class: 'in-brief', title: whole }, ctx.say('blackjack.brief'));
  return [el('span', { class: 'in-full' }, whole), brief, words.slice(whole.length)];
}

/** Against split boxes alone the dealer's ace and ten-card may be a plain 21. */
const isPlain21 = (view, ctx) =>
  ctx.rules.game.blackjack.split_cancels_dealer_blackjack && view.boxes.every(one => one.hands.length > 1);

function dealer(view, ctx) {
  const cards = view ? view.dealer.cards : [];
  return el(
    'section',
    { class: 'dealer', 'aria-label': ctx.say('blackjack.dealer'), dataset: { id: 'dealer' } },
    el(
      'h3',
      {},
      ctx.say('blackjack.dealer'),
      el(
        'span',
        { class: cards.length ? 'total' : 'total is-off' },
        view ? worthOf(view.dealer, ctx, isPlain21(view, ctx)) : '',
      ),
    ),
    el(
      'div',
      { class: 'hand-cards' },
      cards.length ? cards.map((one, at) => placed(ctx, one, { at })) : [0, 1].map(at => emptyPlace(`dealer-${at}`)),
    ),
  );
}

function result(hand, ctx) {
  if (hand.outcome === null)
    return hand.stood || hand.surrendered
      ? badge(ctx.say(hand.surrendered ? 'blackjack.surrender' : 'blackjack.stands'), '')
      : null;
  const net = (hand.returned ?? 0) - hand.stake;
  const words = `${ctx.say(`blackjack.${hand.outcome}`)}${net > 0 ? ` +${ctx.money(net)}` : ''}`;
  return badge(fitted(words, ctx), TONES[hand.outcome] || '');
}

function hand(box, one, at, ctx) {
  const place = `${box.spot}/${at + 1}`,
    decision = ctx.round?.decisions.find(open => open.place === place);
  const kinds = [
    'hand',
    decision && 'is-asked',
    decision?.player === ctx.me && 'is-mine',
    one.outcome && `is-${one.outcome}`,
  ];
  return el(
    'div',
    { class: kinds.filter(Boolean).join(' '), dataset: { id: place } },
    el(
      'div',
      { class: 'hand-cards' },
      one.cards.length ? one.cards.map((card, i) => placed(ctx, card, { at: i })) : emptyPlace(place),
    ),
    el(
      'p',
      { class: 'hand-words' },
      one.cards.length > 0 && el('span', { class: 'total' }, fitted(worthOf(one, ctx, box.hands.length > 1), ctx)),
      one.doubled && badge(ctx.say('blackjack.doubled'), ''),
      result(one, ctx),
    ),
    stack(one.stake, denominations(ctx.rules.table), { words: ctx.money(one.stake) }),
  );
}

function box(view, spot, ctx) {
  const found = view?.boxes.find(one => one.spot === spot),
    seat = ctx.seats.find(one => one.seat === spot);
  const waiting = lying(ctx).find(one => one.spot === String(spot)),
    stake = waiting?.stake ?? laidAt(ctx.table).get(String(spot));
  const owner = found?.player ?? waiting?.player ?? seat?.player ?? null;
  const kinds = ['box', found && 'is-dealt', owner === ctx.me && owner && 'is-own', !owner && 'is-free'];
  return el(
    'section',
    {
      class: kinds.filter(Boolean).join(' '),
      dataset: { id: `box-${spot}` },
      'aria-label': ctx.say('blackjack.box', { box: spot }),
    },
    found
      ? el(
          'div',
          { class: 'hands' },
          found.hands.map((one, at) => hand(found, one, at, ctx)),
        )
      : el(
          'div',
          { class: 'box-place' },
          stake
            ? stack(stake, denominations(ctx.rules.table), { words: ctx.money(stake) })
            : el('span', { class: 'box-number' }, String(spot)),
        ),
    found?.insurance && badge(`${ctx.say('blackjack.insured')} ${ctx.money(found.insurance.premium)}`, 'wait'),
    el('p', { class: 'box-owner' }, owner ? nameTag(owner, ctx) : '\u00a0'),
  );
}

/** The text printed on the cloth: the rules that a player should not have to look up. */
function print(ctx) {
  const rules = ctx.rules.game.blackjack,
    [pays, to] = rules.blackjack_pays;
  return el(
    'div',
    { class: 'felt-print', 'aria-hidden': 'true', dataset: { id: 'print' } },
    el('p', { class: 'print-big' }, ctx.say('blackjack.pays', { pays, to })),
    el(
      'p',
      {},
      ctx.say(rules.dealer_always_draws ? 'blackjack.always' : 'blackjack.to_17'),
      rules.card_limit ? ` · ${ctx.say('blackjack.limit', { cards: rules.card_limit })}` : '',
    ),
  );
}

export function felt(view, ctx) {
  const { boxes } = ctx.rules.game.blackjack,
    key = feltKey(kind, ctx);
  return redraw(
    key,
    el(
      'div',
      { class: `felt-game blackjack boxes-${boxes}` },
      dealer(view, ctx),
      print(ctx),
      el(
        'div',
        { class: 'boxes' },
        Array.from({ length: boxes }, (_, i) => box(view, i + 1, ctx)),
      ),
    ),
  );
}

/** The boxes that a player may bet on; their own one first, since a key puts chips on the first. */
export function spotsOf({ rules, seats }, me) {
  const all = Array.from({ length: rules.game.blackjack.boxes }, (_, i) => ({ spot: String(i + 1), isOwn: false }));
  if (all.length === 1) return [{ ...all[0], isOwn: true }];
  const seat = seats.find(({ player }) => player === me);
  if (!seat) return all;
  const own = { spot: String(seat.seat), isOwn: true };
  return [own, ...rules.table.bets_per_player > 1 ? all.filter(({ spot }) => spot !== own.spot) : []];
}

export function betting(table, ctx) {
  // A box with another player's seat or bet is theirs.
  const closed = ({ window, seats }) =>
    new Set([
      ...(window?.bets || []).filter(bet => bet.player !== ctx.me).flatMap(bet => bet.bets.map(one => one.spot)),
      ...seats.filter(seat => seat.player !== ctx.me).map(seat => String(seat.seat)),
    ]);
  const spots = spotsOf(table, ctx.me);
  return spotBetting(table, ctx, {
    name: ctx.say('blackjack.choose'),
    kind: 'blackjack-betting',
    closed,
    spots: spots.map(({ spot, isOwn }) => ({
      spot,
      name: isOwn ? ctx.say('blackjack.your_box') : ctx.say('blackjack.box', { box: spot }),
      kind: isOwn ? 'own' : '',
    })),
    layout: buttons =>
      el(
        'div',
        { class: 'blackjack-spots' },
        spots.map(({ spot }) => buttons.get(spot)),
      ),
  });
}

/** A double for less than the stake, if the rules allow it, needs an amount; all other choices are one press. */
export function decision(decision, ctx) {
  const double = decision.options.find(one => one.action === 'double');
  if (!double || ctx.rules.game.blackjack.double_amount !== 'up_to') return null;
  const most = double.cost,
    amount = el('input', {
      type: 'number',
      min: 1,
      max: most,
      value: most,
      inputMode: 'numeric',
    });
  const rest = decision.options.filter(one => one !== double);
  const words = { hit: 'h', stand: 's', split: 'p', surrender: 'r' };
  return el(
    'div',
    { class: 'action-choices' },
    rest.map(({ action, cost }) =>
      keyed(words[action] || action[0], ctx.say(`act.${action}`), () => ctx.act(action, cost), {
        cost,
        kind: action === 'split' || action === 'surrender' ? 'second' : '',
      }),
    ),
    el(
      'span',
      { class: 'double-amount' },
      el('label', {}, el('span', { class: 'small' }, ctx.say('blackjack.double_amount')), amount),
      keyed(
        'd',
        ctx.say('act.double'),
        () =>
          ctx.act(
            Number(amount.value) === most ? { double: {} } : { double: { amount: Number(amount.value) } },
            most,
          ),
        { kind: 'second' },
      ),
    ),
  );
}

export function outcome(view, round, ctx) {
  if (!view) return '';
  const own = view.boxes.filter(one => one.player === ctx.me),
    hands = own.flatMap(one => one.hands);
  const points = view.dealer.total,
    cards = view.dealer.cards,
    up = cards.every(one => one.card);
  const dealt = !up
    ? ''
    : ctx.say(
        points === 21 && cards.length === 2 && !isPlain21(view, ctx)
          ? 'blackjack.dealer_blackjack'
          : points > 21
            ? 'blackjack.dealer_bust'
            : 'blackjack.dealer_had',
        { points },
      );
  if (!own.length) return dealt;
  const mine = round.contributors.find(one => one.player === ctx.me);
  const natural = hands.some(one => one.outcome === 'blackjack')
    ? ctx.say('blackjack.said')
    : hands.every(one => one.outcome === 'bust')
      ? ctx.say('blackjack.you_bust')
      : '';
  return sentences(natural, netWords(mine.returned - mine.staked, dealt));
}

/** The house's share of a stake, in percent, with the best play (spec/games/odds.md): for the shipped sets. */
const EDGES = {
  joy: -0.1946, 'live-blackjack': 0.7074, 'rng-blackjack': 0.7074, 'six-deck': -0.2543, 'six-deck-solo': -0.2543,
  'study-group': 0.084, 'study-group-solo': 0.084,
};

/** The sentences of its rules that apply to a table. */
export const lines = ({ name, table, game: { blackjack } }) => [
  ['blackjack_goal'], table.mode === 'shared' && [
    table.bets_per_player > 1 ? 'blackjack_boxes' : 'blackjack_box', { boxes: table.bets_per_player },
  ], ['blackjack_decks', { decks: blackjack.decks ?? 1 }],
  blackjack.max_hands > 1 && ['blackjack_split', { hands: blackjack.max_hands }],
  name in EDGES && [EDGES[name] < 0 ? 'edge_player' : 'edge', { percent: String(Math.abs(EDGES[name])) }],
];

// Safe (spec/games/safe.md): players around a pile, with open hands, some with one face-down card that no one has seen.
// A game has rounds of its own; the last player in it takes all entries.

import { el } from './dom.js';
import { denominations, stack } from './chip.js';
import { card, cardName } from './card.js';
import { feltKey, placed, badge, drawnOnce, nameTag, netWords } from './felt.js';
import { redraw } from './redraw.js';
import { listed } from './words.js';

export const kind = 'safe';

/** Seats in turn order, the player's own first. */
function fromOwn(players, me) {
  const own = players.findIndex(player => player.player === me);
  return own <= 0 ? players : [...players.slice(own), ...players.slice(0, own)];
}

function total(hand, ctx) {
  const hidden = hand.cards.some(card => card.card === null);
  const shown = hand.soft ? ctx.say('safe.soft', { total: hand.total }) : String(hand.total);
  const state = hidden ? '' : hand.total > 21 ? 'bad' : hand.total >= 17 ? 'good' : 'wait';
  const words = hidden ? `${shown} + ?` : shown;
  const named = hidden ? 'safe.total_hidden' : hand.total > 21 ? 'safe.total_bust' : hand.total >= 17
    ? 'safe.total_safe'
    : 'safe.total';
  return el('span', { class: `total ${state}` }, el('span', { 'aria-hidden': 'true' }, words),
    el('span', { class: 'visually-hidden' }, ctx.say(named, { total: shown })));
}

const cardsOf = (hand, ctx) => el('div', { class: 'fan' }, hand.cards.map((one, at) => placed(ctx, one, { at })));

/** A hand with a face-down card: its round, and its place in the order of opening. */
function faceDown(hand, order, ctx) {
  const place = order.indexOf(hand.place);
  return el('li', { class: 'fd-hand', dataset: { id: hand.place } },
    cardsOf(hand, ctx),
    el('span', { class: 'fd-words' }, ctx.say('safe.of_round', { round: hand.place.split('/')[1] }), ' ',
      total(hand, ctx), ' ',
      place >= 0 && badge(ctx.say(place === 0 ? 'safe.oldest' : 'safe.place', { place: place + 1 }), 'wait')));
}

/** The discarded cards of each game: the view has no hand for a player who is out, and they want to see what lost. */
const lost = new Map();
const MOST_LOST = 4;

function lostHands(view, ctx) {
  const id = ctx.round?.id ?? '';
  const game = lost.get(id) ?? { places: new Map(), hands: new Map() };
  lost.delete(id);
  lost.set(id, game);
  while (lost.size > MOST_LOST) lost.delete(lost.keys().next().value);
  const lies = ({ pile, slot, card: code }) => code && game.places.set(code, { pile, slot, card: code });
  for (const { hand, face_down: down } of view.players) [hand, ...down].forEach(one => one?.cards.forEach(lies));
  for (const { name, fields } of sinceBets(ctx.story ?? [])) {
    if ((name === 'dealt' || name === 'turned') && fields.card) lies({ pile: view.pile, ...fields });
    if (name === 'safe' && fields.discarded?.why === 'out') {
      const { player, cards } = fields.discarded;
      game.hands.set(player, cards.map(code => game.places.get(code) ?? { card: code }));
    }
  }
  return game.hands;
}

const sinceBets = story => story.slice(story.findLastIndex(({ name }) => name === 'bets_closed') + 1);

function lostHand(player, view, ctx) {
  const cards = lostHands(view, ctx).get(player.player);
  if (!cards || player.alive || player.hand) return null;
  const drawn = cards.map((one, at) => (one.slot === undefined ? card(one.card) : placed(ctx, one, { at })));
  return el('div', { class: 'open-hand lost', dataset: { id: 'lost' } }, el('div', { class: 'fan' }, drawn));
}

function state(player, view, ctx) {
  if (view.winner && view.winner.player === player.player) return badge(ctx.say('safe.winner'), 'gold');
  if (!player.alive) return badge(ctx.say(`safe.out_${player.out}`), 'bad');
  if (view.turn === player.seat) return badge(ctx.say('safe.turn'), 'wait');
  return player.finished ? badge(ctx.say('safe.finished'), 'good') : null;
}

function seat(player, view, ctx) {
  const turn = view.turn === player.seat && !view.winner;
  const kinds = ['safe-seat', player.player === ctx.me && 'own', turn && 'turn', !player.alive && 'out',
    view.winner?.player === player.player && 'winner'];
  return el('section', {
    class: kinds.filter(Boolean).join(' '), dataset: { id: `seat-${player.seat}` },
    'aria-label': ctx.say('felt.seat', { seat: player.seat, player: player.player }),
  },
    el('header', {}, nameTag(player.player, ctx), state(player, view, ctx),
      player.alive && player.change_used && el('span', { class: 'faint' }, ctx.say('safe.change_used'))),
    player.hand && el('div', { class: 'open-hand', dataset: { id: player.hand.place } },
      cardsOf(player.hand, ctx), total(player.hand, ctx)),
    lostHand(player, view, ctx),
    player.face_down.length > 0 && el('ul', { class: 'fd-hands', 'aria-label': ctx.say('safe.face_down_hands') },
      player.face_down.map(hand => faceDown(hand, view.face_down_order, ctx))));
}

/** The pile, the shown card, the discards, and the pot. */
function middle(view, ctx) {
  const entries = (ctx.round?.contributors ?? []).reduce((all, one) => all + one.staked, 0);
  const values = denominations(ctx.rules.table);
  const last = view.discard.slice(-5);
  return el('section', { class: 'safe-middle', dataset: { id: 'middle' }, 'aria-label': ctx.say('safe.table') },
    el('p', { class: 'round-sign' }, ctx.say('safe.round', { round: view.round }),
      entries > 0 && stack(entries, values, { words: ctx.money(entries) }),
      el('span', { class: 'faint' }, ctx.say('safe.aim'))),
    el('div', { class: 'piles' },
      el('figure', { class: view.shuffling ? 'pile-stack shuffling' : 'pile-stack' },
        el('div', { class: 'deck', 'aria-hidden': 'true',
          style: { '--left-in-pile': String(Math.min(52, view.pile_left)) } },
          view.pile_left > 0 && el('span', { class: 'deck-back' })),
        el('figcaption', {}, view.shuffling ? ctx.say('safe.shuffling')
          : ctx.say('safe.pile_left', { count: view.pile_left }))),
      el('figure', { class: 'shown-card' },
        view.shown ? placed(ctx, view.shown, { kind: 'shown' })
          : el('span', { class: 'empty-place', 'aria-hidden': 'true' }),
        el('figcaption', {}, ctx.say(view.shown ? 'safe.shown' : 'safe.none_shown'))),
      el('figure', { class: 'discards' },
        el('div', { class: 'fan tight' }, last.length
          ? last.map((code, at) => el('span', {
            class: 'plain', dataset: { id: `${view.pile}-${view.discard.length - last.length + at}` },
          }, card(code)))
          : el('span', { class: 'empty-place', 'aria-hidden': 'true' })),
        el('figcaption', {}, ctx.say('safe.discards', { count: view.discard.length }),
          view.discard.length > last.length && el('details', {}, el('summary', {}, ctx.say('safe.all_discards')),
            el('p', {}, listed(view.discard.map(cardName))))))));
}

function shuffle(ctx) {
  const pile = ctx.round?.pile;
  if (!pile) return null;
  const field = pile.awaits === 'seeds' ? 'seed' : 'commitment';
  const missing = pile.players.filter(player => player[field] === null).map(player => player.player);
  return el('p', { class: 'pile-note', role: 'status' },
    ctx.say(pile.awaits === 'seeds' ? 'safe.awaits_seeds' : 'safe.awaits_commitments',
      { players: listed(missing) || '–' }));
}

export function felt(view, ctx) {
  const body = view
    ? [middle(view, ctx), shuffle(ctx), el('div',
      { class: `safe-seats count-${view.players.length}`, dataset: { id: 'seats' } },
      fromOwn(view.players, ctx.me).map(player => seat(player, view, ctx))),
    view.winner && el('p', { class: 'winner-sign', dataset: { id: 'winner' } }, won(view, ctx))]
    : [el('p', { class: 'waiting-sign' }, ctx.say('safe.before'))];
  return redraw(feltKey(kind, ctx), el('div', { class: 'felt-game safe' }, body));
}

function won(view, ctx) {
  return ctx.say(`safe.won_${view.winner.by}`, { player: view.winner.player ?? '–' });
}

/** The entry is one amount; the only choice is to play. */
export function betting(table, ctx) {
  const entry = table.rules.table.stake_min;
  const own = table.seats.find(seat => seat.player === ctx.me);
  const values = denominations(table.rules.table);
  const element = el('div', { class: 'safe-betting' },
    stack(entry, values, {}),
    el('p', {}, ctx.say('safe.entry', { amount: ctx.money(entry) })));
  return {
    element,
    // There is only one entry: nothing to clear or to repeat.
    fixed: true,
    bets: () => (own ? [{ spot: String(own.seat), stake: entry }] : []),
    clear() {},
    again() {},
  };
}

const KEYS = {
  hit: 'h', stand: 's', change: 'c', face_down: 'f', accept: 'a', reject: 'r', open: 'o', discard: 'd', pass: 'p',
};

function button(word, words, act, more = {}) {
  const key = KEYS[word];
  return el('button', {
    type: 'button', class: `choice choice-${word}`, 'aria-keyshortcuts': key, dataset: { key, action: word },
    on: { click: act }, ...more,
  }, el('span', {}, words), el('kbd', { 'aria-hidden': 'true' }, key.toUpperCase()));
}

/** A choice between several cards or hands: a row of buttons under it. */
function chooser(words, list) {
  const group = el('div', { class: 'chooser', role: 'group', tabIndex: -1, 'aria-label': words, hidden: true },
    el('p', {}, words), el('div', { class: 'chooser-row' }, list));
  const open = event => {
    group.hidden = !group.hidden;
    event.currentTarget.setAttribute('aria-expanded', String(!group.hidden));
    if (!group.hidden) group.focus();
  };
  return { group, open };
}

export const decision = (asked, given) => drawnOnce(asked, given, ctx => choices(asked, ctx));

function choices(decision, ctx) {
  const view = ctx.round?.game;
  const player = view?.players.find(one => one.player === decision.player);
  const buttons = [];
  const choosers = [];
  const choose = (word, words, list) => {
    const { group, open } = chooser(words, list);
    choosers.push(group);
    buttons.push(button(word, ctx.say(`safe.do_${word}`), open, { 'aria-expanded': 'false' }));
  };
  for (const { action, cost } of decision.options) {
    if (action === 'change') {
      const codes = (player?.hand?.cards ?? []).map(one => one.card).filter(code => code !== null);
      choose('change', ctx.say('safe.which_card'), codes.map(code => el('button', {
        type: 'button', class: 'card-choice', dataset: { action: 'change', card: code },
        on: { click: () => ctx.act({ change: { card: code } }, cost) },
      }, el('span', { class: 'visually-hidden' }, ctx.say('safe.change_card', { card: cardName(code) })),
      card(code, { label: '' }))));
    } else if ((action === 'open' || action === 'discard') && (player?.face_down.length ?? 0) > 1) {
      const ordered = [...player.face_down]
        .sort((one, other) => view.face_down_order.indexOf(one.place) - view.face_down_order.indexOf(other.place));
      choose(action, ctx.say(`safe.which_${action}`), ordered.map(hand => el('button', {
        type: 'button', class: 'hand-choice', dataset: { action, hand: hand.place },
        on: { click: () => ctx.act({ [action]: { hand: hand.place } }, cost) },
      }, ctx.say('safe.hand_of_round', { round: hand.place.split('/')[1], total: hand.total }))));
    } else {
      const act = action === 'open' || action === 'discard' ? { [action]: {} } : action;
      buttons.push(button(action, ctx.say(`safe.do_${action}`), () => ctx.act(act, cost)));
    }
  }
  return el('div', { class: 'game-choices safe-choices' }, el('div', { class: 'choice-row' }, buttons), choosers);
}

export function outcome(view, round, ctx) {
  if (!view || !view.winner) return '';
  const said = won(view, ctx);
  const own = (round?.contributors ?? []).find(one => one.player === ctx.me);
  return own ? netWords(own.returned - own.staked, said) : said;
}

/** The sentences of its rules that apply to a table. */
export const lines = ({ game: { safe }, table }, money) => [
  ['safe_goal', { amount: money(table.stake_min) }], ['safe_deal'], ['safe_hit'],
  [safe.hit_change === 'seen' ? 'safe_change' : 'safe_change_declared'],
  [safe.pass === 'never' ? 'safe_must' : 'safe_must_pass'], ['safe_down'], ['safe_on'], ['safe_open'], ['safe_own'],
  ['safe_pile'], ['safe_last'], ['safe_clock'],
];

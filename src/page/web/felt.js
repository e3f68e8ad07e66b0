// Code that the felts of several games share: a card in its place, a badge, a seated player's name.

import { nameSpan } from './called.js';
import { el } from './dom.js';
import { language, money, say, sentences } from './words.js';

/** The key under which `redraw` keeps a felt: this game, table, player and language. */
export function feltKey(kind, ctx) {
  return [kind, ctx.table?.table ?? ctx.round?.table ?? '', ctx.me ?? '', language()].join('|');
}

/**
 * A card of the view in its place, identified by pile and slot, so that a new one appears and a turned one turns.
 * `code` is the face if it is known here (own cards), otherwise the view's; `isHeld` marks a card whose face went to a
 * player.
 */
export function placed(ctx, { slot, pile, card }, { code = card, kind = '', at = 0, isHeld = false } = {}) {
  const inside = ctx.card({ slot, pile, card: code ?? null, isHeld });
  return el('span', {
    class: `in-place ${kind}`.trim(), style: { '--at': String(at) },
    dataset: { id: `card-${ctx.round?.id ?? ''}-${pile ?? 0}-${slot}`, whole: '', face: code || '' },
  }, inside);
}

/** A place for a future card. */
export const emptyPlace = (id, words = '') =>
  el('span', { class: 'empty-place', dataset: { id: `empty-${id}` }, 'aria-hidden': 'true' }, words);

/** The bets before there is a deal: those of the open window, or those whose round awaits its seeds. */
export function lying({ round, table }) {
  const from = table.window ? table.window.bets : round?.phase === 'awaiting_reveals' ? round.contributors : [];
  return from.flatMap(({ player, bets }) =>
    bets.map(({ spot, stake }) => ({ player, spot, stake, outcome: null, returned: null })));
}

/** A short word on a colour; colour is never the only sign. */
export const badge = (words, kind = '') => el('span', { class: `badge ${kind}`.trim() }, words);

/** A player's name; CSS cuts it if it is long, but not the pseudonym; all of it on hover. */
export function nameTag(player, ctx) {
  const own = player !== null && player === ctx.me;
  return el('span', { class: own ? 'player-name own' : 'player-name' },
    player === null ? el('span', { class: 'name-text' }) : nameSpan(player),
    own && el('span', { class: 'you' }, ctx.say('felt.you')));
}

/**
 * The drawn decision: drawn once, so that a slider's value or an opened part stays over later changes.
 */
const asked = { id: null, element: null, act: null };

export function drawnOnce(decision, ctx, draw) {
  const id = `${ctx.round?.id}|${decision.decision}|${language()}`;
  asked.act = ctx.act;
  if (asked.id !== id) Object.assign(asked, { id, element: draw({ ...ctx, act: (...given) => asked.act(...given) }) });
  return asked.element;
}

/** The reader's own bets before those of others. */
export const ownFirst = (bets, { me }) =>
  [...bets].sort((one, other) => Number(other.player === me) - Number(one.player === me));

/** The sum of a list's `field` values. */
export const sum = (list, field) => list.reduce((total, one) => total + (one[field] || 0), 0);

/** Outcomes that this browser saw at a table, newest last, each under its round; for the strip next to a felt. */
const seen = new Map();
const MOST_SEEN = 60;

export function remember(key, id, outcome) {
  const list = seen.get(key) || new Map();
  if (outcome !== null && id && !list.has(id)) list.set(id, outcome);
  while (list.size > MOST_SEEN) list.delete(list.keys().next().value);
  seen.set(key, list);
  return [...list.values()];
}

/** What a player won or lost in all, and beside it how the round ended. */
export function netWords(net, ...said) {
  const what = net > 0 ? 'felt.you_won' : net < 0 ? 'felt.you_lost' : 'felt.you_even';
  return sentences(say(what, { amount: money(Math.abs(net)) }), ...said);
}

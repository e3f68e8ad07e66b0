// The bets of a game with many spots, in words.

import { el } from './dom.js';
import { badge, nameTag, netWords, ownFirst, sum } from './felt.js';
import { sentences } from './words.js';

const signed = (won, ctx) => badge(
  `${won > 0 ? '+' : won < 0 ? '−' : '±'}${ctx.money(Math.abs(won))}`, won > 0 ? 'good' : won < 0 ? 'bad' : '');

function betLine(bet, ctx, nameOf) {
  return el('li', { dataset: { id: `${bet.player} ${bet.spot}` } },
    el('span', { class: 'bet-on' }, nameOf(bet.spot)), ' ',
    el('span', { class: 'amount' }, ctx.money(bet.stake)), ' ',
    bet.outcome !== null && signed(bet.returned - bet.stake, ctx));
}

/** Player by player, the reader's own first; `nameOf` says a spot. */
export function betList(view, ctx, nameOf) {
  const players = [...new Set(ownFirst(view.bets, ctx).map(bet => bet.player))];
  return el('div', { class: 'roulette-bets', dataset: { id: 'bets' } }, players.map(player => {
    const bets = view.bets.filter(bet => bet.player === player);
    return el('details', { open: player === ctx.me, dataset: { id: player } },
      el('summary', {}, nameTag(player, ctx), el('span', { class: 'amount' }, ctx.money(sum(bets, 'stake'))),
        bets.every(bet => bet.outcome !== null) && signed(sum(bets, 'returned') - sum(bets, 'stake'), ctx)),
      el('ul', {}, bets.map(bet => betLine(bet, ctx, nameOf))));
  }));
}

/** The same bets while their result is not told yet. */
export const unpaid = bets => bets.map(bet => ({ ...bet, outcome: null, returned: null }));

/** The results of one's own bets, beside what fell; nothing of them while they are unpaid. */
export function netInWords(view, said, ctx) {
  const own = view.bets.filter(bet => bet.player === ctx.me);
  if (!own.length || own.some(bet => bet.outcome === null)) return said;
  return sentences(said, netWords(sum(own, 'returned') - sum(own, 'stake')));
}

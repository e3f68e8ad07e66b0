// A choice at poker before the player's turn: checking or folding, or calling, for the next decision of the hand.

import { el } from './dom.js';
import { say } from './words.js';
import { session } from './session.js';

/** The advance choice among the options at the turn; a check is free, so no hand is folded if it can check. */
const CHOICES = {
  check_fold: ['check', 'fold'],
  call_any: ['check', 'call'],
};

/** Whether the player is in a hand, may still have to choose, and it is not their turn. */
export function mayChooseAhead({ table, onFelt }) {
  const { round } = table;
  if (round?.game?.kind !== 'poker' || round.phase !== 'open' || onFelt.round !== round) return false;
  const own = round.game.seats.find(one => one.player === session.player);
  return !!own && !own.folded && own.stack > 0 && !round.decisions.some(one => one.player === session.player);
}

/** The advance choices, of which at most one is pressed. */
export function aheadChoices(room) {
  const { id } = room.table.round;
  const chosen = () => (room.ahead?.round === id ? room.ahead.what : null);
  const buttons = Object.keys(CHOICES).map(what =>
    el('button', {
      type: 'button', class: 'button second', 'aria-pressed': String(chosen() === what), dataset: { ahead: what },
      on: {
        click: () => {
          room.ahead = chosen() === what ? null : { round: id, what };
          for (const one of buttons) one.setAttribute('aria-pressed', String(chosen() === one.dataset.ahead));
        },
      },
    }, say(`play.ahead_${what}`)));
  return el('div', { class: 'row ahead', role: 'group', 'aria-label': say('play.ahead') },
    el('span', { class: 'soft small' }, say('play.ahead')), buttons);
}

/** The advance choice for this decision, once; null if there was none, or it is not offered. */
export function takeAhead(room, decision) {
  const { ahead } = room;
  room.ahead = null;
  if (!ahead || ahead.round !== room.table.round?.id) return null;
  const offered = decision.options.map(({ action }) => action);
  return CHOICES[ahead.what].find(action => offered.includes(action)) ?? null;
}

// A player's limit (spec/limits.md) in words: for that player, and for readers of the log.

import { money, say } from './words.js';

const MINUTE = 60_000;

/** Time of play for readers; a part of a minute is left out. */
function timeWords(ms) {
  const minutes = Math.floor(ms / MINUTE);
  return say('limits.time', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

export const amountWords = (kind, amount) => (kind === 'play_time' ? timeWords(amount) : money(amount));

/** The limited quantity, and its period. */
export const limitWords = ({ of, per, most }) =>
  most === undefined
    ? say(`limits.says_no_${of}`, { per: say(`limits.per_${per}`) })
    : say(`limits.says_${of}`, { most: amountWords(of, most), per: say(`limits.per_${per}`) });

// A limit that somebody is held to (spec/limits.md), in words: for those whom it holds, and for those who read of it on
// the log.

import { money, say } from './words.js';

const MINUTE = 60_000;

/** Time of play as a person reads it; what is not a whole minute counts as none. */
function timeWords(ms) {
  const minutes = Math.floor(ms / MINUTE);
  return say('limits.time', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

export const amountWords = (kind, amount) => (kind === 'play_time' ? timeWords(amount) : money(amount));

/** What is limited, and in how long. */
export const limitWords = ({ of, per, most }) =>
  most === undefined
    ? say(`limits.says_no_${of}`, { per: say(`limits.per_${per}`) })
    : say(`limits.says_${of}`, { most: amountWords(of, most), per: say(`limits.per_${per}`) });

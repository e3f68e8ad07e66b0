// Why the operator or the service acted, in the reader's language: by the words of spec/desk.md, "Reasons".

import { has, say } from './words.js';

/** A word of the list, alone or before a colon and details, is told in words; anything else is quoted as written. */
export function reasonWords(reason) {
  const [, word, more] = /^([a-z_]+)(?:: *(.+))?$/.exec(reason) ?? [],
    key = `reason.${word}`;
  if (!word || !has(key)) return say('main.reason_quoted', { reason });
  return more ? say('main.reason_more', { reason: say(key), more }) : say(key);
}

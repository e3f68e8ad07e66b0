// What went wrong, in words, and what to do about it: the service's problems by their stable code.

import { has, say } from './words.js';

/** What to say of an error: in the reader's words where the code is known, and the service's own detail behind it. */
export function problemWords(error) {
  const key = `trouble.${error?.code}`;
  if (!error?.code || !has(key)) return error?.detail || error?.message || String(error);
  const detail = error.code === 'offline' || !error.detail ? '' : ` (${error.detail})`;
  return say(key) + detail;
}

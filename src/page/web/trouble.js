// What went wrong, in words, and what to do about it: the service's problems by their stable code.

import { has, say } from './words.js';

/** Of errors that the service does not name: the client's own (tools/clients/typescript, errors.ts). */
const CODES = {
  NoAnswer: 'offline',
  BadReply: 'bad_reply',
  Unproven: 'unproven',
  NotYet: 'not_yet',
  InvalidInput: 'nothing_to_do',
};

/** What to say of an error: in the reader's words where the code is known, and the service's own detail behind it. */
export function problemWords(error) {
  const code = error?.code ?? CODES[error?.name],
    key = `trouble.${code}`;
  if (!code || !has(key)) return error?.detail || error?.message || String(error);
  const detail = !error.detail ? '' : ` (${error.detail})`;
  return say(key) + detail;
}

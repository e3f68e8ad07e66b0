// An entry of the log, as far as every reader of one needs it.
import { BadReply } from './errors.js';
import { readJson } from './json.js';

export interface ReadEntry {
  time: number;
  by: string;
  at?: { table?: string; event?: string; seq: number };
  command: Record<string, unknown>;
  signed?: { nonce: number };
  events: Record<string, unknown>[];
}

/** An entry's text, parsed. */
export function readEntry(text: string): ReadEntry {
  const entry = readJson(text) as ReadEntry | null;
  const isObject = (value: unknown): boolean => value !== null && typeof value === 'object';
  if (!entry || !isObject(entry.command) || !Array.isArray(entry.events) || !entry.events.every(isObject))
    throw new BadReply('an entry of the answer has no command and events');
  return entry;
}

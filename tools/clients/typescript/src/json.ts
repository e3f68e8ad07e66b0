// JSON of the contract: every number is a whole one, and small enough that JavaScript does not round it.
import { BadReply, InvalidInput, orInvalid } from './errors.js';

/** Reads an answer. A number that JavaScript would round is refused, never used. */
export function readJson(text: string): unknown {
  let rounded: unknown = null;
  const value: unknown = parse(text, (_, one: unknown) => {
    if (typeof one === 'number' && !Number.isSafeInteger(one)) rounded ??= one;
    return one;
  });
  if (rounded !== null)
    throw new BadReply(`the answer holds the number ${String(rounded)}, which cannot be kept exactly`);
  return value;
}

function parse(text: string, reviver: (name: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch (error) {
    throw new BadReply(`the answer is not JSON: ${(error as Error).message}`);
  }
}

/** Writes a body. The service takes neither fractions nor null; a field that is undefined is left out. */
export function writeJson(body: unknown): string {
  const plain = (name: string, value: unknown): unknown => {
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      throw new InvalidInput(`${name}: ${value} is not a whole number that can be sent exactly`);
    if (value === null) throw new InvalidInput(`${name}: leave out what is not said instead of null`);
    return value;
  };
  return orInvalid(() => JSON.stringify(body, plain));
}

/** The same value with the fields of its objects in one order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map(name => [name, sorted(fields[name])]),
  );
}

/** Whether two values are the same, whatever the order of their fields. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

// Compares what two values are made of: their keys and types, and not what stands there. Lists are compared as sets of
// the shapes of what is in them, and texts that hold JSON, as entries of the log do, by what they hold.
'use strict';

/** What a text holds: JSON, lines of it, or the data of a stream's events; undefined where it holds none. */
function inside(text) {
  const parse = rows => rows.map(row => JSON.parse(row));
  try {
    if (/^: fairshoe\n/.test(text)) return parse(text.match(/(?<=^data: ).*$/gm));
    if (!/^[{[]/.test(text)) return undefined;
    const rows = parse(text.trimEnd().split('\n'));
    return rows.length === 1 ? rows[0] : rows;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const types = value => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value;
};

/** The shape of a value, as a map from places (`value.receipts[].entry{}.v`) to the types that stand there. */
function shape(value, at = '', found = new Map()) {
  const held = typeof value === 'string' ? inside(value) : undefined;
  if (!found.has(at)) found.set(at, new Set());
  found.get(at).add(types(value));
  if (held !== undefined) shape(held, `${at}{}`, found);
  else if (Array.isArray(value)) value.forEach(one => shape(one, `${at}[]`, found));
  else if (value !== null && typeof value === 'object')
    for (const [name, one] of Object.entries(value)) shape(one, `${at}.${name}`, found);
  return found;
}

/** In what the shapes of two values differ, a line each. */
function differences(was, is) {
  const [before, now] = [shape(was), shape(is)], found = [];
  for (const at of new Set([...before.keys(), ...now.keys()])) {
    const [a, b] = [before, now].map(one => [...(one.get(at) || [])].sort().join(' or '));
    // What is missing or new is told once, and not again for all that is in it.
    const isTold = found.some(([above]) => at.startsWith(above) && /^[.[{]/.test(at.slice(above.length)));
    if (a !== b && !isTold) found.push([at, `${at || ' it'}: ${a || 'nothing'} became ${b || 'nothing'}`.slice(1)]);
  }
  return found.map(([, line]) => line);
}

module.exports = { differences };

// Examples of every word of spec/words.md, for spec/vectors/words.json: with all its fields, with those alone that it
// must have, and what is no such word: a field too few, one too many, two in another order.
'use strict';

const ZEROS = '0'.repeat(64), ROOT = `${'A'.repeat(43)}=`;

/** What stands for a form that its notation does not tell: texts with a pattern, and what other pages describe. */
const known = (rules, structure) => ({
  Name: 'a', Origin: 'a.example/log', LogName: 'b.example/log', LongOrigin: 'b.example/log', Hex32: ZEROS, Hash: ROOT,
  TreeRoot: ROOT, Reference: 'a sentence', Text: 'text', Policy: 'text', AnyDigest: 'text', Holder: 'auditor:a',
  Signature: '0'.repeat(128), Composition: '52x1', Card: 'As', Place: '1/1', Account: 'cage', Blinds: '1/2', Bet:
  { spot: '1', stake: 1, chips: [1] }, Action: { double: { amount: 1 } }, RuleSet: rules, Structure: structure,
  Opening: { slot: 1, value: 1, salt: '0'.repeat(32), path: [ZEROS] },
});

/** The value of a form; with all that may be left out, or without. */
function valueOf(form, full, names) {
  const { name, words, union, list, least, range, plain, constant, fields, tuple } = form;
  const of = inner => valueOf(inner, full, names);
  if (name) {
    if (Object.hasOwn(names.known, name)) return names.known[name];
    return of(names.forms.get(name) || (() => { throw new Error(`spec/words.md: there is no form ${name}`); })());
  }
  if (words) return words[0];
  if (union) return of(union[0]);
  if (list) return Array.from({ length: full ? least || 1 : least || 0 }, () => of(list));
  if (range) return Number(range[0] > 0n ? range[0] : range[1] < 1n ? range[1] : 1n);
  if (plain === 'boolean') return true;
  if (constant !== undefined) return constant;
  if (tuple) return tuple.map(of);
  if (!fields) throw new Error(`spec/words.md: no example of ${JSON.stringify(form)}`);
  return Object.fromEntries(
    fields.filter(field => full || !field.optional).map(field => [field.name, of(field.form)]));
}

const without = (object, name) => Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

/** Of a word the texts of its fields that are to be read, and those that are to be refused. */
function sample(form, names) {
  const full = valueOf(form, true, names), least = valueOf(form, false, names), text = value => JSON.stringify(value);
  const needed = form.fields.filter(field => !field.optional).map(field => field.name);
  const [first, ...more] = Object.entries(full);
  return {
    read: [...new Set([text(full), text(least)])],
    refused: [
      ...needed.map(name => text(without(full, name))),
      text({ ...full, further: 1 }),
      ...(more.length ? [text(Object.fromEntries([...more, first]))] : []),
    ],
  };
}

// Where the variants of each choice stand in an entry.
const entry = (command, events) => `{"v":1,"time":1,"by":"house","command":${command},"events":[${events}]}`;
const event = text => entry('{"stop_dealer":{}}', text);
const ENTRIES = {
  Command: entry('%', ''), TournamentCommand: entry('{"tournament":%}', ''), Event: event('%'),
  RoundEvent: event('{"play":%}'), SafeEvent: event('{"play":{"safe":%}}'), TournamentEvent: event('{"tournament":%}'),
};

/** All words by what they are variants of; one whose form is named, as of `play`, has null: a choice has its own. */
function samples(blocks, parts, rules, structure) {
  const declared = [...parts, ...blocks].flat();
  const forms = new Map(declared.filter(one => !one.choice).map(one => [one.name, one.form || one.alias]));
  const names = { known: known(rules, structure), forms };
  const words = blocks.flat().filter(one => one.choice).map(({ name, choice }) => [
    name, Object.fromEntries(choice.map(({ word, form }) => [word, form.fields ? sample(form, names) : null])),
  ]);
  return { entries: ENTRIES, words: Object.fromEntries(words) };
}

module.exports = { samples };

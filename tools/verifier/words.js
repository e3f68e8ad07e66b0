// The forms of spec/words.md as the verifier's own: a block of declarations becomes a table of fields by name, in the
// order of the bytes. Only the shape comes from there. What a named form takes is NAMED of parts/entry.js and
// parts/event-form.js, and bounds of lists and numbers are the rules' to judge: here is what fits the bytes.
'use strict';
const fs = require('fs');
const path = require('path');
const notation = require('../../src/api/contract/notation.js');

const TABLES = {
  Command: 'COMMANDS', Event: 'EVENTS', RoundEvent: 'PLAY_EVENTS', SafeEvent: 'SAFE_EVENTS',
  TournamentCommand: 'TOURNAMENT_COMMANDS', TournamentEvent: 'TOURNAMENT_EVENTS',
};

const list = items => items.join(', ');

function predicate({ name, words, list: inner, range, width, text, plain, fields, tuple }) {
  if (name) return `NAMED.${name}`;
  if (words) return `oneOf(${list(words.map(word => `'${word}'`))})`;
  if (inner) return `listOf(${predicate(inner)})`;
  if (range) {
    const most = width ?? range[1];
    return most <= 255n ? 'isByte' : most <= 65535n ? 'isSmall' : 'isLong';
  }
  if (plain === 'boolean') return 'isBool';
  if (fields) return `fieldsOf(${object(fields)})`;
  throw new Error(`spec/words.md: give ${text ? 'this text' : tuple ? 'this pair' : 'this form'} a name`);
}

const object = fields =>
  fields.length
    ? `{ ${list(fields.map(({ name, optional, form }) => `${optional ? `'${name}?'` : name}: ${predicate(form)}`))} }`
    : '{}';

/** A row in lines of at most 120 characters, broken behind commas. */
function wrap(row) {
  const lines = [''];
  for (const piece of row.split(/(?<=,) /)) {
    const last = lines.length - 1, longer = lines[last] ? `${lines[last]} ${piece}` : piece;
    if (longer.length <= 120) lines[last] = longer;
    else lines.push(`    ${piece}`);
  }
  return lines.join('\n');
}

/** The part of the script: the tables. A word whose form is named, as `play` is, is not in them. */
function words() {
  const page = fs.readFileSync(path.join(__dirname, '..', '..', 'spec', 'words.md'), 'utf8');
  const choices = [...notation.blocks(page).values()].flat().filter(one => one.choice);
  return `// The words of the log, from spec/words.md.\n\n${choices.map(({ name, choice }) => {
    const declared = choice.filter(one => one.form.fields);
    const rows = declared.map(({ word, form }) => `${wrap(`  ${word}: ${object(form.fields)},`)}\n`);
    return `const ${TABLES[name]} = {\n${rows.join('')}};\n`;
  }).join('')}`;
}

module.exports = { words };

// The tables of the pages hold the fields of spec/words.md: what a row names, in its order, and what may be left out.
'use strict';

const PAGES = ['entries', 'limits', 'transfers', 'wallet', 'games/poker-table', 'games/tournaments', 'games/refunds'];
const KINDS = { command: ['Command', 'TournamentCommand'], event: ['Event', 'RoundEvent', 'TournamentEvent'] };

/** The fields that a cell names; what stands in brackets behind one says whether it is optional. */
function fieldsOf(cell) {
  // Brackets within brackets, and texts of JSON, name no fields.
  const flat = cell.replace(/`[^`]*[{[][^`]*`/g, '').replace(/(\([^()]*)\([^()]*\)/g, '$1');
  return [...flat.matchAll(/`([a-z_]+)`(?:\s*\(([^()]*)\))?/g)].map(([, name, said = '']) =>
    `${name}${/\boptional\b/.test(said) ? '?' : ''}`);
}

/** The rows that differ, in words, and how many were held; a row of several words says where else they stand. */
function differences(read, choices) {
  const found = [];
  let held = 0;
  for (const page of PAGES) {
    let kind = null;
    for (const line of read(`spec/${page}.md`).split('\n')) {
      const [, first, second = ''] = line.split(/(?<!\\)\|/).map(cell => cell.trim());
      if (first === undefined) kind = null;
      else if (/^(command|event)/.test(first))
        kind = /fields/.test(`${first} ${second}`) ? /^\w+/.exec(first)[0] : null;
      const word = kind && /^`([a-z_]+)`/.exec(first)?.[1];
      const cell = kind === 'command' ? first.replace(/^`[a-z_]+`/, '') : second;
      if (!word || / — the same|[`)], `/.test(first) || /\.md`$|^none|one field/.test(cell)) continue;
      const known = choices.filter(({ name }) => KINDS[kind].includes(name))
        .flatMap(({ choice }) => choice.filter(one => one.word === word && one.form.fields))
        .map(({ form }) => form.fields.map(({ name, optional }) => `${name}${optional ? '?' : ''}`).join(' '));
      const fields = fieldsOf(cell).join(' ');
      if (known.includes(fields)) held++;
      else found.push(`spec/${page}.md has \`${word}\` of \`${fields}\`, spec/words.md of \`${known.join('` or `')}\``);
    }
  }
  return { found, held };
}

module.exports = { differences };

#!/usr/bin/env node
// Makes openapi.yaml of the parts in this folder and of spec/words.md: paths (`written` says what is short in them),
// schemas from their notation, the errors of each call from errors.yaml, and examples as they are. Of spec/words.md it
// makes spec/vectors/words.json too, and holds the tables of the other pages against it.
// `node src/api/contract/bundle.js` writes both files; with `--check` it exits 1 where one is not what it would write.
'use strict';
const fs = require('fs');
const path = require('path');
const notation = require('./notation.js');
const { samples } = require('./samples.js');
const { differences } = require('./tables.js');

const ROOT = path.join(__dirname, '..', '..', '..');
const WIDEST = 160;
const WIDTH = 120;

const PATHS = [
  'page', 'service', 'log', 'players', 'transfers', 'wallet', 'tables', 'rounds', 'tournaments', 'records',
];
const SCHEMAS = [
  'basics', 'service', 'log', 'players', 'rounds', 'games', 'rules', 'tables', 'requests', 'commands', 'events',
  'ledger', 'round_events', 'records', 'tournaments', 'tournament_commands', 'tournament_events',
];
const EXAMPLES = ['problems', 'service', 'log', 'players', 'transfers', 'wallet', 'tables', 'rounds', 'tournaments',
  'records'];

// What an answer with an error has beside its body, by status.
const HEADERS = {
  401: { 'WWW-Authenticate': 'WWWAuthenticate' },
  421: { 'Retry-After': 'RetryAfter' },
  429: { 'Retry-After': 'RetryAfter' },
  503: { 'Retry-After': 'RetryAfter' },
};

const { Mistake } = notation;
const fail = why => {
  throw new Mistake(why);
};

const read = name => fs.readFileSync(path.join(__dirname, `${name}.yaml`), 'utf8');

/** The lines of a part without its comments, indented by so many spaces more. */
const lines = (name, indent) =>
  read(name).trimEnd().split('\n').filter(line => !line.startsWith('#'))
    .map(line => (line === '' ? '' : ' '.repeat(indent) + line));

/** Words as lines of at most WIDTH characters, all but the first indented by `hang` more. */
function wrap(text, indent, hang = 0) {
  const made = [];
  let line = ' '.repeat(indent);
  for (const word of text.split(' ')) {
    const first = line.trim() === '';
    if (!first && line.length + 1 + word.length > WIDTH) {
      made.push(line);
      line = ' '.repeat(indent + hang) + word;
    } else line += first ? word : ` ${word}`;
  }
  return [...made, line];
}

/** `key: text` as a scalar that needs no escapes but those of quotes. */
function entry(key, text, indent) {
  const line = `${' '.repeat(indent)}${key}: '${text.replace(/'/g, "''")}'`;
  return line.length <= WIDTH ? [line] : [`${' '.repeat(indent)}${key}: >-`, ...wrap(text, indent + 2)];
}

/** A list of words in brackets behind a key. */
function words(key, list, indent) {
  const line = `${' '.repeat(indent)}${key}: [${list.join(', ')}]`;
  if (line.length <= WIDTH) return [line];
  return [`${' '.repeat(indent)}${key}: [`, ...wrap(`${list.join(', ')}]`, indent + 2)];
}

// Words that another reader of YAML takes for something else than a text.
const SPECIAL = /^(y|n|yes|no|on|off|true|false|null|~)$/i;

/** A value in one line: a text plain where nothing in it means something to YAML; what is said of it last. */
function inline(value) {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (value && typeof value === 'object') {
    const { description, ...more } = value, parts = Object.entries(description ? { ...more, description } : more);
    return `{${parts.map(([key, one]) => `${keyOf(key)}: ${inline(one)}`).join(', ')}}`;
  }
  const plain = typeof value !== 'string' || (/^[A-Za-z][\w .;()/–-]*$/.test(value) && !SPECIAL.test(value));
  return plain ? String(value) : `'${value.replace(/'/g, "''")}'`;
}

const keyOf = key => (SPECIAL.test(key) ? `'${key}'` : key);

/** `key: value` as lines: one where it is short and no object with fields, else its parts below it. */
function lay(key, value, indent) {
  const at = ' '.repeat(indent), head = `${at}${keyOf(key)}:`, line = `${head} ${inline(value)}`;
  const isBlock = key === 'properties' || value.properties || value.items?.properties;
  if ([...line].length <= WIDTH && !isBlock) return [line];
  if (key === 'description') return entry(key, value, indent);
  if (Array.isArray(value) && value.every(one => typeof one === 'string')) return words(key, value.map(inline), indent);
  if (Array.isArray(value)) return [head, ...value.map(one => `${at}  - ${inline(one)}`)];
  if (typeof value === 'object')
    return [head, ...Object.entries(value).flatMap(([name, one]) => lay(name, one, indent + 2))];
  if ([...line].length <= WIDEST) return [line];
  // A pattern: behind a backslash at its end the next line goes on.
  const pieces = value.replace(/[\\"]/g, '\\$&').match(/.{1,100}[^\\]|.+/g);
  return `${head} "${pieces.join(`\\\n${at}  `)}"`.split('\n');
}

/** The table of errors.yaml. */
class Errors {
  constructor({ codes, groups, calls }) {
    Object.assign(this, { codes, groups, calls });
    /** Of each code the calls that answer with it. */
    this.callsOf = new Map(Object.keys(codes).map(code => [code, []]));
    for (const [call, row] of Object.entries(calls))
      for (const name of row.flatMap(one => groups[one] || [typeof one === 'string' ? one : Object.keys(one)[0]]))
        (this.callsOf.get(name) || fail(`errors.yaml: ${call} names ${name}, which is no code`)).push(call);
  }

  status(code) {
    return (this.codes[code] || fail(`errors.yaml: ${code} is no code`)).status;
  }

  /** The lines of an answer with any of these codes; a code may come with words of its own. */
  response(list, indent) {
    const at = (more, text) => ' '.repeat(indent + more) + text;
    const said = list.map(one => (typeof one === 'string' ? [one, this.codes[one].words] : Object.entries(one)[0]));
    const codes = said.map(([code]) => code), headers = Object.entries(HEADERS[this.status(codes[0])] || {});
    return [
      ...entry('description', said.map(([code, text]) => `\`${code}\`: ${text}`).join(' '), indent),
      ...words('x-codes', codes, indent),
      ...(headers.length ? [at(0, 'headers:')] : []),
      ...headers.map(([name, component]) => at(2, `${name}: {$ref: '#/components/headers/${component}'}`)),
      at(0, 'content:'),
      at(2, 'application/problem+json:'),
      at(4, "schema: {$ref: '#/components/schemas/Problem'}"),
      at(4, 'examples:'),
      ...codes.map(code => at(6, `${code}: {$ref: '#/components/examples/${code}'}`)),
    ];
  }

  /** The lines of all errors of a call, by status. */
  ofCall(call, indent) {
    const made = new Map(), at = ' '.repeat(indent);
    for (const one of this.calls[call] || fail(`errors.yaml has no row for ${call}`)) {
      const group = this.groups[one];
      const status = this.status(group ? group[0] : typeof one === 'string' ? one : Object.keys(one)[0]);
      if (group ? made.has(status) : made.get(status)?.group) fail(`errors.yaml: ${call} has ${status} twice`);
      if (group) made.set(status, { group: one });
      else made.set(status, { list: [...(made.get(status)?.list || []), one] });
    }
    return [...made].sort(([a], [b]) => a - b).flatMap(([status, { group, list }]) =>
      group
        ? [`${at}'${status}': {$ref: '#/components/responses/${group}'}`]
        : [`${at}'${status}':`, ...this.response(list, indent + 2)]);
  }

  groupResponses(indent) {
    return Object.entries(this.groups).flatMap(([name, codes]) => {
      if (new Set(codes.map(code => this.status(code))).size !== 1) fail(`errors.yaml: ${name} has several statuses`);
      return [`${' '.repeat(indent)}${name}:`, ...this.response(codes, indent + 2)];
    });
  }

  /** The schema of all codes, with their words and the calls that answer with them. */
  schema(indent) {
    const at = (more, text) => ' '.repeat(indent + more) + text;
    const said = ([code, { status, words: what, from, also }]) => {
      const calls = from || [...this.callsOf.get(code), ...(also ? [`and ${also}`] : [])].join(', ');
      if (!calls) fail(`errors.yaml: no call answers with ${code}`);
      return wrap(`- \`${code}\` (${status}): ${what} *From ${calls}.*`, indent + 4, 2);
    };
    return [
      at(0, 'ErrorCode:'),
      at(2, 'description: |'),
      at(4, 'The stable codes, with their status and the calls that give them. No other code is ever sent.'),
      '',
      ...Object.entries(this.codes).flatMap(said),
      at(2, 'type: string'),
      at(2, 'enum:'),
      ...Object.keys(this.codes).map(code => at(4, `- ${code}`)),
    ];
  }
}

const SECURITY = { none: ['- {}'], optional: ['- {}', '- {bearer: []}'], required: ['- {bearer: []}'] };
const part = (kind, name) => `{$ref: '#/components/${kind}/${name}'}`;

/** `Schema (example, example)` of a call's request or of an answer, as the lines of its content in JSON. */
function content(said, call, which, indent) {
  const [, name, list] = /^(\w+) \(([\w, ]+)\)$/.exec(said) || fail(`${call}: \`${said}\` is no schema with examples`);
  return [
    'content:', '  application/json:', `    schema: ${part('schemas', name)}`, '    examples:',
    ...list.split(', ').map(one => `      ${one}: ${part('examples', `${call}.${which}.${one}`)}`),
  ].map(line => ' '.repeat(indent) + line);
}

/**
 * What a line of a call stands for, where it is short for more: `security: none`, `optional` or `required`,
 * `parameters: [Table, Limit]`, `- Table`, `body: Schema (example)`, and an answer, `'200': Schema (example) # Words.`
 * with its words there or in comments before it.
 */
function written(line, call, tag, said) {
  const [, indent, text] = /^( *)(.*)$/.exec(line), at = indent.length;
  const indented = list => list.map(one => indent + one);
  let found;
  if (/^operationId: /.test(text)) return indented([text, `tags: [${tag}]`]);
  if ((found = /^security: (\w+)$/.exec(text)))
    return indented(['security:', ...(SECURITY[found[1]] || fail(`${call}: ${text}`)).map(one => `  ${one}`)]);
  if ((found = /^parameters: \[([\w, ]+)\]$/.exec(text)))
    return indented(['parameters:', ...found[1].split(', ').map(one => `  - ${part('parameters', one)}`)]);
  if ((found = /^- ([A-Z]\w*)$/.exec(text))) return indented([`- ${part('parameters', found[1])}`]);
  if ((found = /^body: (.*)$/.exec(text)))
    return [...indented(['requestBody:', '  required: true']), ...content(found[1], call, 'request', at + 2)];
  if ((found = /^'(\d+)': ([A-Z][^#]*?)(?: # (.*))?$/.exec(text)))
    return [
      `${indent}'${found[1]}':`, ...lay('description', [...said, ...(found[3] ? [found[3]] : [])].join(' '), at + 2),
      ...content(found[2], call, found[1], at + 2),
    ];
  return [line];
}

/** The calls of a part, each with its errors behind its other answers. */
function calls(name, errors, known) {
  const made = [], tag = name.replace(/^./, first => first.toUpperCase());
  let call = null, within = false, said = [];
  const end = () => {
    if (within) made.push(...errors.ofCall(call, 8));
    within = false;
  };
  for (const line of read(`paths/${name}`).trimEnd().split('\n').map(one => (one === '' ? '' : `  ${one}`))) {
    const indent = line === '' ? Infinity : line.search(/\S/);
    // What is said of the answer in the next line, or of the file.
    if (line[indent] === '#' && (indent === 2 || (within && indent === 8))) {
      said.push(line.slice(indent + 2));
      continue;
    }
    if (indent <= 6) end();
    const found = /^ {6}operationId: (\w+)$/.exec(line);
    if (found) known.add((call = found[1]));
    if (/^ {6}responses:$/.test(line)) within = true;
    made.push(...written(line, call, tag, said));
    said = [];
  }
  end();
  return made;
}

/**
 * Every integer that 32 bits do not hold says so: a generated client takes 32 bits where nothing is said, and fails
 * at a reply whose command was carried out already. No union has a discriminator: Rust's clients take the tag for no
 * field of a variant, and read none of them; a constant in each variant tells them apart everywhere.
 */
function read64(value, at = 'openapi.yaml') {
  if (value === null || typeof value !== 'object') return;
  const types = [value.type].flat(), known = value.const ?? value.enum;
  const fits = value.minimum >= -(2 ** 31) && value.maximum < 2 ** 31;
  if (types.includes('integer') && known === undefined && !fits && value.format !== 'int64')
    fail(`${at}: an integer needs \`minimum\` and \`maximum\`, and beyond 32 bits \`format: int64\``);
  // One generator of types writes `...A | B[]` for a union that has no name there.
  if (value.prefixItems && value.items?.oneOf) fail(`${at}: the union of a tuple's items needs a name`);
  if (value.discriminator?.propertyName) fail(`${at}: no \`discriminator\`: the variants' constants tell them apart`);
  for (const [name, one] of Object.entries(value))
    if (name !== 'example' && name !== 'examples') read64(one, `${at}: ${name}`.slice(-200));
}

const ofRoot = name => fs.readFileSync(path.join(ROOT, name), 'utf8');
const blocksOfPage = () => notation.blocks(ofRoot('spec/words.md'));

/** What the parts with schemas declare: blocks of spec/words.md, or files. */
function schemas(readYaml) {
  const blocks = blocksOfPage();
  notation.use(readYaml);
  notation.rename(blocks.get('names'));
  return SCHEMAS.map(name => blocks.get(name) || notation.read(ofRoot(`src/api/contract/schemas/${name}.forms`)));
}

/** spec/vectors/words.json. */
function vectors(readYaml) {
  const given = ['rulesets/joy', 'structures/rebuy'].map(name => JSON.parse(ofRoot(`spec/${name}.json`)));
  return `${JSON.stringify({
    about: 'Words of spec/words.md: fields to be read and fields to be refused, in an entry in the place of %.',
    ...samples([...blocksOfPage().values()], schemas(readYaml), ...given),
  }, null, 1)}\n`;
}

function bundle(readYaml) {
  const parts = schemas(readYaml);
  const errors = new Errors(readYaml(read('errors')));
  const known = new Set(), paths = PATHS.flatMap(name => calls(name, errors, known));
  for (const call of Object.keys(errors.calls)) if (!known.has(call)) fail(`errors.yaml: there is no call ${call}`);
  const made = [
    '# Made of the parts in src/api/contract by bundle.js: change those.',
    ...lines('head', 0),
    '# What every path answers to a method that it does not have.',
    'x-every-path:',
    "  '405':",
    ...errors.response(['method_not_allowed'], 4),
    'paths:',
    ...paths,
    'components:',
    '  securitySchemes:',
    ...lines('security_schemes', 4),
    '  parameters:',
    ...lines('parameters', 4),
    '  headers:',
    ...lines('headers', 4),
    '  responses:',
    ...lines('responses', 4),
    ...errors.groupResponses(4),
    '  schemas:',
    ...errors.schema(4),
    ...parts.flatMap(notation.schemas).flatMap(([name, schema]) => lay(name, schema, 4)),
    '  examples:',
    ...EXAMPLES.flatMap(name => lines(`examples/${name}`, 4)),
  ];
  made.forEach((line, at) => {
    if ([...line].length > WIDEST) fail(`line ${at + 1} would be longer than ${WIDEST} characters: ${line.trim()}`);
  });
  const text = `${made.join('\n')}\n`;
  read64(readYaml(text));
  return text;
}

/** The page's reader. Node takes a module of this name for one only where a package.json says so, hence by its text. */
async function reader() {
  const source = fs.readFileSync(path.join(ROOT, 'src', 'page', 'web', 'yaml.js'), 'utf8');
  return (await import(`data:text/javascript,${encodeURIComponent(source)}`)).readYaml;
}

/** Where a made file is not what its parts make. */
function hold(name, made) {
  const now = fs.existsSync(path.join(ROOT, name)) ? ofRoot(name).split('\n') : [], wanted = made.split('\n');
  const at = wanted.findIndex((line, n) => line !== now[n]);
  if (at < 0 && now.length === wanted.length) return;
  const line = at < 0 ? wanted.length : at;
  fail(`${name} is not what its parts make, from line ${line + 1} on:\n` +
    `  it has   ${now[line] ?? '(its end)'}\n  they make ${wanted[line] ?? '(its end)'}`);
}

async function main(given) {
  if (given.length > 1 || (given.length && given[0] !== '--check')) fail('usage: bundle.js [--check]');
  const readYaml = await reader();
  const { found, held } = differences(ofRoot, [...blocksOfPage().values()].flat().filter(one => one.choice));
  if (found.length || held < 150) fail(found.join('\n') || `only ${held} rows of the pages' tables were read`);
  const made = { 'openapi.yaml': bundle(readYaml), 'spec/vectors/words.json': vectors(readYaml) };
  for (const [name, text] of Object.entries(made))
    if (given.length) hold(name, text);
    else fs.writeFileSync(path.join(ROOT, name), text);
}

main(process.argv.slice(2)).catch(error => {
  console.error(error instanceof Mistake || error instanceof SyntaxError ? error.message : error);
  process.exitCode = 1;
});

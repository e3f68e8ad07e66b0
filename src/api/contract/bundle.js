#!/usr/bin/env node
// Makes openapi.yaml of the parts in this folder: their lines in a row, indented, and the errors of each call from
// errors.yaml. `node src/api/contract/bundle.js` writes it; with `--check` it exits 1 if it is not what the parts make.
'use strict';
const fs = require('fs');
const path = require('path');

const ROOT = path.join(__dirname, '..', '..', '..');
const TARGET = path.join(ROOT, 'openapi.yaml');
const WIDEST = 160;
const WIDTH = 120;

const PATHS = [
  'page', 'service', 'log', 'players', 'transfers', 'wallet', 'tables', 'rounds', 'tournaments', 'records',
];
const SCHEMAS = [
  'basics', 'service', 'log', 'players', 'rounds', 'games', 'rules', 'tables', 'requests', 'commands', 'events',
  'round_events', 'records', 'tournaments', 'tournament_commands', 'tournament_events',
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

class Mistake extends Error {}
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

/** The calls of a part, each with its errors behind its other answers. */
function calls(name, errors, known) {
  const made = [];
  let call = null, within = false;
  const end = () => {
    if (within) made.push(...errors.ofCall(call, 8));
    within = false;
  };
  for (const line of lines(`paths/${name}`, 2)) {
    const indent = line === '' ? Infinity : line.search(/\S/);
    if (indent <= 6) end();
    const found = /^ {6}operationId: (\w+)$/.exec(line);
    if (found) known.add((call = found[1]));
    if (/^ {6}responses:$/.test(line)) within = true;
    made.push(line);
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

function bundle(readYaml) {
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
    ...SCHEMAS.flatMap(name => lines(`schemas/${name}`, 4)),
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

async function main(given) {
  if (given.length > 1 || (given.length && given[0] !== '--check')) fail('usage: bundle.js [--check]');
  const made = bundle(await reader());
  if (!given.length) return fs.writeFileSync(TARGET, made);
  const now = fs.readFileSync(TARGET, 'utf8').split('\n'), wanted = made.split('\n');
  const at = wanted.findIndex((line, n) => line !== now[n]);
  if (at < 0 && now.length === wanted.length) return undefined;
  const line = at < 0 ? wanted.length : at;
  return fail(`openapi.yaml is not what its parts make, from line ${line + 1} on:\n` +
    `  it has   ${now[line] ?? '(its end)'}\n  they make ${wanted[line] ?? '(its end)'}`);
}

main(process.argv.slice(2)).catch(error => {
  console.error(error instanceof Mistake || error instanceof SyntaxError ? error.message : error);
  process.exitCode = 1;
});

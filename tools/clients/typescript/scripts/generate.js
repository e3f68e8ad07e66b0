// Writes src/generated from openapi.yaml: the types of the contract, its operations as a table, and a class with a
// method for each call. `node scripts/generate.js` writes; with `--check` it exits 1 if the files are not what the
// contract makes.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readYaml } from '../../../../src/page/web/yaml.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const contract = readYaml(fs.readFileSync(path.join(here, '../../../../openapi.yaml'), 'utf8'));
const out = path.join(here, '../src/generated');
const { schemas } = contract.components;

const WIDTH = 116;
/** What these make cannot be made twice: each holds a secret that is told once. */
const ONCE = new Set(['issueToken', 'exchangeTicket', 'createAuditor']);
/** A POST of which the log has no entry: its answer holds no receipt, and it may be sent again. */
const READS = new Set(['verifyBundle', 'tryCommitment', 'issueTicket']);
const HEADER = '// Made by scripts/generate.js from openapi.yaml: change that, and run it again.\n';

// --- Types ----------------------------------------------------------------------------------------------------------

/** Names that would hide one of the language's or the browser's. */
const RENAMED = { Number: 'Count', Event: 'LogEvent' };
const typeName = name => RENAMED[name] ?? name;
const refName = ref => ref.slice(ref.lastIndexOf('/') + 1);
const literal = value => (typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : String(value));
const key = name => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const indented = (text, by) => text.replace(/\n(?=.)/g, `\n${' '.repeat(by)}`);

/** The first sentence of a description, as a comment of one line. */
function comment(description, indent = '') {
  if (!description) return '';
  const [said] = description
    .replace(/\s+/g, ' ')
    .replace(/\*\//g, '* /')
    .split(/(?<=[.])\s/);
  const room = WIDTH - indent.length - 7;
  return `${indent}/** ${said.length > room ? `${said.slice(0, room - 1).replace(/\s\S*$/, '')} …` : said} */\n`;
}

function union(parts) {
  // A union within a union is one: its own lines are lines of the outer one.
  const flat = parts.flatMap(part =>
    part.startsWith('\n') ? part.split(/\n  \| /).filter(one => one !== '') : [part],
  );
  const alone = [...new Set(flat)];
  const line = alone.join(' | ');
  return line.length < 90 && !line.includes('\n') ? line : `\n  | ${alone.map(one => indented(one, 2)).join('\n  | ')}`;
}

const PLAIN = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' };

function objectType(schema) {
  const { properties = {}, required = [], additionalProperties, minProperties, maxProperties } = schema;
  const names = Object.keys(properties);
  // One of several, named by its only field: as the log writes commands and events.
  if (names.length > 1 && minProperties === 1 && maxProperties === 1)
    return union(names.map(name => `{ ${key(name)}: ${typeOf(properties[name])} }`));
  if (!names.length) return additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>';
  const field = name => `${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(properties[name])}`;
  const short = `{ ${names.map(field).join('; ')} }`;
  if (short.length < 80 && !short.includes('\n') && !names.some(name => properties[name].description)) return short;
  const lines = names.map(name => `${comment(properties[name].description, '  ')}  ${indented(field(name), 2)};`);
  return `{\n${lines.join('\n')}\n}`;
}

function typeOf(schema) {
  if (schema.$ref) return typeName(refName(schema.$ref));
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  if (schema.oneOf || schema.anyOf) return union((schema.oneOf || schema.anyOf).map(typeOf));
  if (Array.isArray(schema.type)) return union(schema.type.map(type => typeOf({ ...schema, type })));
  if (schema.type === 'array') {
    if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(', ')}]`;
    const item = schema.items ? typeOf(schema.items) : 'unknown';
    if (schema.minItems === 2 && schema.maxItems === 2) return `[${item}, ${item}]`;
    return /[|\n]/.test(item) && !item.startsWith('{') ? `Array<${item}>` : `${item}[]`;
  }
  if (schema.type === 'object' || schema.properties) return objectType(schema);
  if (PLAIN[schema.type]) return PLAIN[schema.type];
  if (schema.type === undefined) return 'unknown';
  throw new Error(`no type for ${JSON.stringify(schema).slice(0, 200)}`);
}

function refsIn(value, found = new Set()) {
  if (value === null || typeof value !== 'object') return found;
  if (typeof value.$ref === 'string' && value.$ref.startsWith('#/components/schemas/')) found.add(refName(value.$ref));
  for (const inner of Object.values(value)) refsIn(inner, found);
  return found;
}

/** Everything that these schemas name, themselves included. */
function reached(names, found = new Set()) {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    reached(refsIn(schemas[name]), found);
  }
  return found;
}

const isWord = name => {
  const { properties, oneOf, anyOf, type } = schemas[name];
  return !properties && !oneOf && !anyOf && type !== 'array';
};
const all = Object.keys(schemas);
const tournaments = new Set(['TournamentCommand', 'TournamentEvent']);
const ofEntries = new Set([...reached(['Command', 'Event', 'Entry'])].filter(name => !isWord(name)));
const ofViews = reached(all.filter(name => !ofEntries.has(name) && !isWord(name)));
const games = schemas.GameView.oneOf.map(({ $ref }) => refName($ref).replace('View', ''));
/** What stands in a file of its own, by its name. */
const NAMED = {
  tournaments: /Tournament|Structure|Standing|Event(Table|Seat|Blinds)|Stands|Blind|Draw|Deal|Prop|Pool|EntryView/,
  rules: /Rules|RuleSet|PokerMinBet/,
  games: new RegExp(
    `^(${games.join('|')}|Game|Hand|PileCard|LaidCard|Throw|Card|SpotBet|Positions|SeatChips|Cash|Noted)`,
  ),
  records: /Recall|Significant|Witness|Wallet|Shard|Cluster|Disclosure|History|Verdict|KnownLog|Ready/,
};

/** Which file a schema's type stands in. */
function fileOf(name) {
  if (isWord(name)) return 'words';
  if (tournaments.has(name)) return 'tournament-entries';
  if (['Command', 'Event', 'Entry', 'RoundEvent'].includes(name)) return 'entries';
  if (ofEntries.has(name) && !ofViews.has(name)) return 'entries';
  return Object.keys(NAMED).find(file => NAMED[file].test(name)) ?? 'views';
}

const FILES = {
  words: 'The words and numbers of the contract.',
  entries: 'Entries of the log: commands and what followed from them.',
  'tournament-entries': 'What entries say of tournaments.',
  tournaments: 'Tournaments as they are shown.',
  rules: 'Rule sets.',
  games: 'What lies on the table of each game.',
  records: 'Records, the wallet, other logs, the state of the service.',
  views: 'What the service shows and answers.',
};

function typesFile(file) {
  const names = all.filter(name => fileOf(name) === file);
  const types = names.map(name => {
    const schema = schemas[name];
    return `${comment(schema.description)}export type ${typeName(name)} = ${typeOf(schema)};\n`;
  });
  const imports = importsFor(
    names.flatMap(name => [...refsIn(schemas[name])]),
    types.join(''),
    file,
  );
  return `${HEADER}// ${FILES[file]}\n${imports}\n${types.join('\n')}`;
}

/** Imports of those of these names that `text` uses. */
function importsFor(names, text, but = null) {
  const lines = Object.keys(FILES)
    .filter(file => file !== but)
    .map(file => {
      const needed = [...new Set(names)]
        .filter(name => fileOf(name) === file)
        .map(typeName)
        .filter(name => new RegExp(`\\b${name}\\b`).test(text))
        .sort();
      if (!needed.length) return '';
      const line = `import type { ${needed.join(', ')} } from './${file}.js';\n`;
      return line.length <= WIDTH ? line : `import type {\n${wrapped(needed)}\n} from './${file}.js';\n`;
    });
  return lines.join('');
}

function wrapped(names) {
  const lines = [''];
  for (const name of names) {
    if (lines.at(-1).length + name.length + 4 > WIDTH) lines.push('');
    lines[lines.length - 1] += `${lines.at(-1) === '' ? '  ' : ' '}${name},`;
  }
  return lines.join('\n');
}

// --- Operations ------------------------------------------------------------------------------------------------------

const REPLIES = {
  'application/json': 'json',
  'text/plain': 'text',
  'application/octet-stream': 'bytes',
  'application/x-ndjson': 'text',
  'application/yaml': 'text',
  'text/html': 'text',
  'application/openmetrics-text': 'text',
};

/** What stands here, or in the components that it names. */
const resolved = value =>
  typeof value?.$ref === 'string'
    ? resolved(value.$ref.slice(2).split('/').reduce((at, name) => at[name], contract))
    : value;

function operations() {
  const found = [];
  for (const [at, methods] of Object.entries(contract.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (method === 'head' || operation.tags.includes('Page')) continue;
      const [[, answer]] = Object.entries(operation.responses).filter(([status]) => status[0] === '2');
      const reply = resolved(answer);
      const [[media, { schema }]] = Object.entries(reply.content);
      // A stream has no end to answer with: the client reads it as events.
      if (media === 'text/event-stream') continue;
      const { operationId: id } = operation;
      const parameters = (operation.parameters ?? []).map(resolved);
      const requestBody = resolved(operation.requestBody);
      const within = where => parameters.filter(one => one.in === where);
      const isKeyed = within('header').some(({ name }) => name === 'Idempotency-Key');
      const isRead = method === 'get' || READS.has(id);
      found.push({
        id,
        at,
        method: method.toUpperCase(),
        reply: REPLIES[media],
        tag: operation.tags[0],
        repeats: isRead ? 'read' : isKeyed ? 'key' : ONCE.has(id) ? 'once' : 'content',
        summary: operation.summary,
        path: within('path'),
        query: within('query'),
        isSigned: within('header').some(({ name }) => name === 'Fairshoe-Signature'),
        body: requestBody && { schema: requestBody.content['application/json'].schema },
        result: REPLIES[media] === 'bytes' ? 'Uint8Array' : REPLIES[media] === 'text' ? 'string' : typeOf(schema),
        refs: [...refsIn(parameters), ...refsIn(requestBody ?? {}), ...refsIn(schema)],
      });
    }
  }
  return found;
}

function argsType({ path: inPath, query, isSigned, body }) {
  const fields = inPath.map(({ name, schema }) => `${name}: ${typeOf(schema)}`);
  const asked = resolved(body?.schema);
  const isEmpty = body && !asked.oneOf && !asked.allOf && !Object.keys(asked.properties ?? {}).length;
  if (body) fields.push(`body${isEmpty ? '?' : ''}: ${typeOf(body.schema)}`);
  if (query.length) {
    const of = query.map(({ name, required, schema }) => `${name}${required ? '' : '?'}: ${typeOf(schema)}`);
    fields.push(`query${query.some(({ required }) => required) ? '' : '?'}: { ${of.join('; ')} }`);
  }
  if (isSigned) fields.push('signature?: SignatureHeader');
  const line = `{ ${fields.join('; ')} }`;
  return fields.length === 0
    ? null
    : line.length < 80 && !line.includes('\n')
      ? line
      : `{\n${fields.map(field => `  ${indented(field, 2)};`).join('\n')}\n}`;
}

const isOptional = args => args === null || !/(^\{\s*|[;]\s)[a-z_]+:/.test(args.replace(/\{[^{}]*\}(?!$)/g, '{}'));

function operationsFile(list) {
  const quoted = isMeant => wrapped(list.filter(isMeant).map(({ id }) => `'${id}'`));
  const rows = list.map(one => {
    const { method, at, reply, repeats } = one;
    const fields = `method: '${method}', path: '${at}', reply: '${reply}', repeats: '${repeats}'`;
    const line = `  ${one.id}: { ${fields} },`;
    return line.length <= WIDTH ? line : `  ${one.id}: {\n    ${fields},\n  },`;
  });
  return `${HEADER}// Every call of the contract, and how a call whose answer was lost may be repeated.

/**
 * \`read\`: it changes nothing. \`key\`: by its \`Idempotency-Key\`. \`content\`: the same request finds what it did
 * before. \`once\`: a repeat would do it twice.
 */
export type Repeats = 'read' | 'key' | 'content' | 'once';
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly reply: 'json' | 'text' | 'bytes';
  readonly repeats: Repeats;
}

export const OPERATIONS = {
${rows.join('\n')}
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

/** The calls that a player with a key signs. */
export const SIGNED_CALLS: ReadonlySet<OperationId> = new Set<OperationId>([
${quoted(({ isSigned }) => isSigned)}
]);

/** The calls that the service signs for before it decides them, where that is asked for. */
export const SIGNED_FOR: ReadonlySet<OperationId> = new Set<OperationId>([
${quoted(({ query }) => query.some(({ name }) => name === 'received'))}
]);
`;
}

/** A class with a method for each of these calls, below another one. */
function callsFile(name, base, list) {
  const signs = list.some(({ isSigned }) => isSigned) ? ['SignatureHeader'] : [];
  const refs = [...new Set([...list.flatMap(one => one.refs), ...signs])].sort();
  const methods = list.map(one => {
    const args = argsType(one),
      optional = isOptional(args);
    const given = args === null ? '' : `args: ${indented(args, 2)}${optional ? ' = {}' : ''}, `;
    const result = indented(one.result, 2);
    const line = `  ${one.id}(${given}options: CallOptions = {}): Promise<${result}> {`;
    const head =
      line.split('\n')[0].length <= WIDTH
        ? line
        : `  ${one.id}(\n    ${given.replace(/, $/, ',')}\n    options: CallOptions = {},\n  ): Promise<${result}> {`;
    return `${comment(one.summary && `${one.summary}.`, '  ')}${head}\n    return this.call('${one.id}', ${
      args === null ? '{}' : 'args'
    }, options) as Promise<${result}>;\n  }\n`;
  });
  return `${HEADER}// The calls of the contract as methods. What carries them out is in ../client.ts.
${importsFor(refs, methods.join('')).trimEnd()}
import type { CallOptions } from '../http.js';
import { ${base[0]} } from '${base[1]}';

export abstract class ${name} extends ${base[0]} {
${methods.join('\n')}}
`;
}

const list = operations();
const ofTournaments = list.filter(({ tag }) => tag === 'Tournaments');
const ofHouse = list.filter(({ tag }) => tag !== 'Tournaments');
const codes = `${HEADER}// The closed list of error codes.
import type { ErrorCode } from './words.js';

export const ERROR_CODES: readonly ErrorCode[] = [
${wrapped(schemas.ErrorCode.enum.map(code => `'${code}'`))}
];
`;
const made = {
  ...Object.fromEntries(Object.keys(FILES).map(file => [`${file}.ts`, typesFile(file)])),
  'operations.ts': operationsFile(list),
  'tournament-calls.ts': callsFile('TournamentCalls', ['Caller', '../caller.js'], ofTournaments),
  'calls.ts': callsFile('Calls', ['TournamentCalls', './tournament-calls.js'], ofHouse),
  'error-codes.ts': codes,
  'contract.ts': `${HEADER}// All types of the contract.\n${Object.keys(FILES)
    .map(file => `export type * from './${file}.js';\n`)
    .join('')}`,
};

const stands = name => {
  const file = path.join(out, name);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
};
for (const name of Object.keys(made)) made[name] = made[name].replace(/[ ]+\n/g, '\n');
const stale = Object.keys(made).filter(name => stands(name) !== made[name]);
const left = fs.existsSync(out) ? fs.readdirSync(out).filter(name => !(name in made)) : [];
if (process.argv[2] === '--check') {
  const wrong = [...stale, ...left];
  if (wrong.length) {
    console.error(`not what openapi.yaml makes: ${wrong.join(', ')}; run node scripts/generate.js`);
    process.exitCode = 1;
  }
} else {
  fs.mkdirSync(out, { recursive: true });
  for (const name of left) fs.rmSync(path.join(out, name));
  for (const name of stale) fs.writeFileSync(path.join(out, name), made[name]);
}

// Makes of the built client what the service's own page runs: the page plays with the code that players install, in
// two modules that lie in the page's folder. `client-calls.js` asks and follows, and judges nothing: a room shows
// with it before the verifier is here. `client.js` is all else, for the page's worker, where the verifier is loaded
// before it.
//     node scripts/page.js [FOLDER] [--check]     FOLDER: as scripts/build.js has it; `check --page` does both
// `--check` writes nothing, and exits 1 where the files are not what the client makes.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../../..');
const isCheck = process.argv.includes('--check');
const [given] = process.argv.slice(2).filter(argument => !argument.startsWith('--'));
const folder = path.resolve(given ?? path.join(repository, 'target/clients/typescript'));
const dist = path.join(folder, 'package/dist');
const web = path.join(repository, 'src/page/web');
const ts = createRequire(path.join(folder, 'package.json'))('typescript');

/** What the page's own thread works with. */
const CALLS = ['http.js', 'events.js', 'store.js', 'random.js'];
const VERIFIER = 'fairshoe-verify.js';

const header = what => `// The client that players install (tools/clients/typescript), as the page runs it: ${what}
// Made of its sources by the command tools/clients/typescript/check --page: change those, and run it again.
`;

const fail = message => {
  console.error(message);
  process.exit(1);
};

/** A module of the build: what it imports by module, its own names, those it exports, and its text without either. */
function readModule(name) {
  const text = fs.readFileSync(path.join(dist, name), 'utf8');
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
  const module = { name, imports: new Map(), passes: [], own: [], exported: [], text: '' };
  const at = specifier => path.posix.join(path.posix.dirname(name), specifier.text);
  const note = (from, names) => module.imports.set(from, [...(module.imports.get(from) ?? []), ...names]);
  const forms = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      const { name: all, namedBindings } = statement.importClause;
      const names = all ? [] : namedBindings.elements;
      if (names.some(one => one.propertyName) || (all && all.text !== 'verifier'))
        fail(`${name}: an import under another name cannot be joined`);
      note(at(statement.moduleSpecifier), names.map(one => one.name.text));
    } else if (ts.isExportDeclaration(statement)) {
      const names = statement.exportClause?.elements?.map(one => one.name.text) ?? [];
      if (statement.moduleSpecifier) note(at(statement.moduleSpecifier), []);
      module.passes.push(...names);
    } else {
      const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
      const names = declared.flatMap(one => namesIn(one.name));
      const mark = statement.modifiers?.find(one => one.kind === ts.SyntaxKind.ExportKeyword);
      const whole = statement.getFullText();
      const from = mark ? mark.getStart() - statement.getFullStart() : 0;
      module.own.push(...names);
      if (mark) module.exported.push(...names);
      forms.push(mark ? whole.slice(0, from) + whole.slice(from + 'export '.length) : whole);
    }
    // What a file says of itself stands before its first statement, which is an import.
    if (!forms.length && module.text === '') module.text = headOf(text);
  }
  const isHeadKept = forms[0]?.trimStart().startsWith(module.text.trimEnd());
  module.text = indented(name, (isHeadKept ? '' : module.text) + forms.join('').trim());
  return module;
}

/** The names that a declaration makes. */
function namesIn(name) {
  if (!name) return [];
  return ts.isIdentifier(name) ? [name.text] : name.elements.flatMap(one => namesIn(one.name));
}

const headOf = text => /^(\/\/.*\n)*/.exec(text)[0];

/** The compiler indents by four. Nothing but code is: no text of the client spans lines. */
function indented(name, text) {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
  const look = node => {
    if (ts.isTemplateLiteral(node) && node.getText().includes('\n')) fail(`${name}: a template of several lines`);
    ts.forEachChild(node, look);
  };
  look(source);
  return text.replace(/^( {4})+/gm, spaces => ' '.repeat(spaces.length / 2));
}

const modules = new Map();
/** A module and all that it rests on, what it rests on first. */
function withAll(name, found = []) {
  if (name === VERIFIER || found.some(one => one.name === name)) return found;
  if (!modules.has(name)) modules.set(name, readModule(name));
  const module = modules.get(name);
  for (const from of module.imports.keys()) withAll(from, found);
  found.push(module);
  return found;
}

/** One module of several: no name may stand for two things. */
function join(parts, before = []) {
  const taken = new Map(before.map(name => [name, 'the page']));
  for (const { name, own } of parts)
    for (const one of own) {
      if (taken.has(one)) fail(`${one} is a name in ${taken.get(one)} and in ${name}: one of them needs another`);
      taken.set(one, name);
    }
  const made = parts.filter(({ own }) => own.length);
  return made.map(({ name, text }) => `\n// --- ${name.replace(/\.js$/, '.ts')}\n\n${text}\n`).join('');
}

const listed = names => `{\n${[...new Set(names)].sort().map(name => `  ${name},\n`).join('')}}`;

const callsParts = CALLS.reduce((found, name) => withAll(name, found), []);
if (callsParts.some(({ imports }) => imports.has(VERIFIER))) fail(`what is in client-calls.js needs the verifier`);
const all = withAll('index.js');
const rest = all.filter(one => !callsParts.includes(one));
const inCalls = new Set(callsParts.flatMap(({ exported }) => exported));
const used = rest.flatMap(({ imports }) => [...imports.values()].flat()).filter(name => inCalls.has(name));
const shown = modules.get('index.js').passes.filter(name => !inCalls.has(name) && name !== 'verifier');

const files = {
  'client-calls.js': `${header('calls, streams, what is kept.')}${join(callsParts)}
export ${listed(callsParts.flatMap(({ exported }) => exported))};
`,
  'client.js': `${header('seeds, checks, play.')}/* global fairshoe */

import ${listed(used)} from './client-calls.js';

/** The second verifier, a script that the worker loads before this. */
const verifier = fairshoe;
${join(rest, [...new Set(used), 'verifier'])}
export ${listed(shown)};
`,
};

let isStale = false;
for (const [name, text] of Object.entries(files)) {
  const to = path.join(web, name);
  if (!isCheck) fs.writeFileSync(to, text);
  else if (!fs.existsSync(to) || fs.readFileSync(to, 'utf8') !== text) {
    console.error(`src/page/web/${name} is not what the client makes: run tools/clients/typescript/check --page`);
    isStale = true;
  }
}
process.exitCode = isStale ? 1 : 0;

// The page's reader of YAML: it reads openapi.yaml by YAML 1.2, and refuses unknown constructs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { readYaml } from '../../src/page/web/yaml.js';

const READ = [
  ['a: 1\nb: x y\n', { a: 1, b: 'x y' }],
  ['a: null\nb: ~\nc:\nd: true\ne: "1"\n', { a: null, b: null, c: null, d: true, e: '1' }],
  ['a: -2.5\nb: 007\nc: 1e3\nd: 18446744073709551615\n', { a: -2.5, b: '007', c: '1e3', d: '18446744073709551615' }],
  ['- 1\n- a: 2\n  b: 3\n-\n  - 4\n', [1, { a: 2, b: 3 }, [4]]],
  ['a:\n- 1\n- 2\nb: 3\n', { a: [1, 2], b: 3 }],
  ['a: {b: [1, \'x, y\', "z\\n"], c: {d: e f}}\n', { a: { b: [1, 'x, y', 'z\n'], c: { d: 'e f' } } }],
  ['a: {$ref: \'#/x/y\'}\n/v1/{id}:\n  get: {}\n', { a: { $ref: '#/x/y' }, '/v1/{id}': { get: {} } }],
  ["'404': it''s\n", { 404: "it''s" }],
  ["a: 'it''s\n  one: line\n\n  two'\n", { a: "it's one: line\ntwo" }],
  ['a: one\n  two\n  three\nb: 1\n', { a: 'one two three', b: 1 }],
  ['a: |\n  one\n    two\n\n  three\nb: 1\n', { a: 'one\n  two\n\nthree\n', b: 1 }],
  ['a: |-\n  one\nb: |+\n  two\n\n', { a: 'one', b: 'two\n\n' }],
  ['# a comment\na: 1 # another\nb: x#y\n', { a: 1, b: 'x#y' }],
  ['a: {b: one,\n  c: two}\n', { a: { b: 'one', c: 'two' } }],
  ['__proto__: 1\n', JSON.parse('{"__proto__":1}')],
];

test('what the contract is written in', () => {
  for (const [text, value] of READ) assert.deepEqual(readYaml(text), value, text);
});

test('what is not known is refused, with its line', () => {
  for (const text of [
    'a: &x 1\n', 'a: *x\n', 'a: !!int 1\n', 'a: 1\na: 2\n', 'a: [1, 2\n', 'a: \'x\n', 'a: {b}\n', '{a: 1}}\n',
  ]) assert.throws(() => readYaml(text), /^SyntaxError: line [0-9]+: /, text);
  assert.throws(() => readYaml(Array.from({ length: 200 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')), SyntaxError);
});

test('the contract itself: every call and form that its text names', () => {
  const text = fs.readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'), contract = readYaml(text);
  const named = [...text.matchAll(/^ {6}operationId: (\w+)$/gm)].map(([, id]) => id);
  const read = Object.values(contract.paths).flatMap(path => Object.values(path)).map(({ operationId }) => operationId);
  assert.ok(named.length > 60);
  assert.deepEqual(read.filter(Boolean).sort(), named.sort());
  const refs = [];
  JSON.stringify(contract, (key, value) => { if (key === '$ref') refs.push(value); return value; });
  for (const ref of new Set(refs)) {
    const found = ref.slice(2).split('/').reduce((from, part) => from?.[part.replaceAll('~1', '/')], contract);
    assert.ok(found !== undefined, `${ref} leads nowhere`);
  }
  assert.ok(refs.length > 1000);
});

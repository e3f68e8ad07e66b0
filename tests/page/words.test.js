// The page's texts: the same keys in both languages, every key that the modules ask for, no markup, no value lost.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { WEB } from './harness.js';
import { words as en } from '../../src/page/web/words-en.js';
import { words as ja } from '../../src/page/web/words-ja.js';

const modules = () => fs.readdirSync(WEB).filter(name => name.endsWith('.js') && !name.startsWith('words-'))
  .map(name => [name, fs.readFileSync(path.join(WEB, name), 'utf8')]);

test('both languages have the same keys', () => {
  assert.deepEqual(Object.keys(ja).filter(key => !(key in en)), [], 'in Japanese alone');
  assert.deepEqual(Object.keys(en).filter(key => !(key in ja)), [], 'in English alone');
});

test('no key is written twice in a file', () => {
  for (const name of ['words-en.js', 'words-ja.js']) {
    const text = fs.readFileSync(path.join(WEB, name), 'utf8');
    const keys = [...text.matchAll(/^\s+'([A-Za-z0-9_.-]+)':/gm)].map(([, key]) => key);
    assert.ok(keys.length >= Object.keys(en).length, `${name}: ${keys.length} of ${Object.keys(en).length} are read`);
    const twice = keys.filter((key, at) => keys.indexOf(key) !== at);
    assert.deepEqual(twice, [], name);
  }
});

test('each text names the same values in both languages', () => {
  // A plural in English (`firsts`) is its singular in Japanese.
  const valuesOf = text => [...new Set([...text.matchAll(/\{([a-z_]+?)s?\}/g)].map(([, name]) => name))].sort();
  const differ = Object.keys(en).filter(key => String(valuesOf(en[key])) !== String(valuesOf(ja[key] ?? '')));
  assert.deepEqual(differ, []);
});

test('texts are texts: not empty, no markup, no other language left in', () => {
  for (const [language, words] of [['en', en], ['ja', ja]]) {
    for (const [key, text] of Object.entries(words)) {
      assert.equal(typeof text, 'string', `${language} ${key}`);
      assert.ok(text.trim() !== '' || text === '', `${language} ${key}`);
      assert.ok(!/<[a-z/]|&[a-z]+;/i.test(text), `${language} ${key} has markup: ${text}`);
    }
  }
  const kana = /[\u3040-\u30ff\u4e00-\u9fff]/;
  assert.deepEqual(Object.keys(en).filter(key => kana.test(en[key])), []);
  // What stays as it is in Japanese: names, numbers, what is typed.
  const wordsIn = text => /[a-z]{4}/i.test(text.replace(/\{[a-z_]+\}/g, ''));
  const same = Object.keys(ja).filter(key => ja[key] === en[key] && wordsIn(ja[key]));
  assert.ok(same.length <= Object.keys(ja).length / 20, `not translated: ${same.join(' ')}`);
});

test('every key that the modules name is there, and every key that is there is named', () => {
  const named = new Set();
  const begun = new Set();
  for (const [name, text] of modules()) {
    for (const [, key] of text.matchAll(/\bsay\(\s*'([A-Za-z0-9_.-]+)'/g)) {
      assert.ok(key in en, `${name} says ${key}, which no file has`);
      named.add(key);
    }
    // Keys that are put together, and keys in tables: 'card.rank_' + …, `game.${kind}`.
    for (const [, begin] of text.matchAll(/`([a-z0-9_-]+\.[A-Za-z0-9_.-]*)\$\{/g)) begun.add(begin);
    for (const [, quoted] of text.matchAll(/['`]([a-z0-9_-]+\.[A-Za-z0-9_.-]+)['`]/g)) {
      if (quoted in en) named.add(quoted);
      else begun.add(quoted);
    }
  }
  const unused = Object.keys(en).filter(key => !named.has(key) && ![...begun].some(begin => key.startsWith(begin)));
  assert.deepEqual(unused, [], 'nobody says these');
});

// The page's texts: the same keys in both languages, every key that the modules request, no markup, no lost value.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { WEB } from './harness.js';
import { en, filesOf, ja, PARTS } from './words.js';

const modules = () => fs.readdirSync(WEB).filter(name => name.endsWith('.js') && !name.startsWith('words-'))
  .map(name => [name, fs.readFileSync(path.join(WEB, name), 'utf8')]);

test('both languages have the same keys', () => {
  assert.deepEqual(Object.keys(ja).filter(key => !(key in en)), [], 'in Japanese alone');
  assert.deepEqual(Object.keys(en).filter(key => !(key in ja)), [], 'in English alone');
});

test('both languages have the same files, and the same keys in each', () => {
  assert.deepEqual(Object.keys(PARTS.ja).sort(), Object.keys(PARTS.en).sort());
  for (const [part, words] of Object.entries(PARTS.en)) {
    assert.deepEqual(Object.keys(PARTS.ja[part]).sort(), Object.keys(words).sort(), `words-ja-${part}.js`);
  }
});

test('no key is written twice in a language', () => {
  for (const language of ['en', 'ja']) {
    const keys = filesOf(language).flatMap(([, file]) => (
      [...fs.readFileSync(file, 'utf8').matchAll(/^\s+'([A-Za-z0-9_.-]+)':/gm)].map(([, key]) => key)));
    assert.ok(keys.length >= Object.keys(en).length, `${keys.length} of ${Object.keys(en).length} are read`);
    const twice = keys.filter((key, at) => keys.indexOf(key) !== at);
    assert.deepEqual(twice, [], language);
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
  // Texts that stay the same in Japanese: names, numbers, typed text.
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
    // Composed keys, and keys in tables: 'card.rank_' + …, `game.${kind}`.
    for (const [, begin] of text.matchAll(/`([a-z0-9_-]+\.[A-Za-z0-9_.-]*)\$\{/g)) begun.add(begin);
    for (const [, quoted] of text.matchAll(/['`]([a-z0-9_-]+\.[A-Za-z0-9_.-]+)['`]/g)) {
      if (quoted in en) named.add(quoted);
      else begun.add(quoted);
    }
  }
  const unused = Object.keys(en).filter(key => !named.has(key) && ![...begun].some(begin => key.startsWith(begin)));
  assert.deepEqual(unused, [], 'nobody says these');
});

const verifier = name => fs.readFileSync(new URL(`../../tools/verifier/${name}`, import.meta.url), 'utf8');
/** What the verifier tells of a round, on the page's rooms and on its own page. */
const TOLD = new Function(`${verifier('parts/told-words.js')}; return TOLD_WORDS;`)();
const VERIFY_PAGE = verifier('page.html');
const VERIFY = new Function(`return ${/const WORDS = (\{[^]*?\n  \});/.exec(VERIFY_PAGE)[1]};`)();

test('in Japanese each thing has one name, that of the documents where they have one', () => {
  const others = {
    カード: /札/, テーブル: /卓/, ブラウザー: /ブラウザ(?!ー)/, フェイスダウン: /伏せた手|裏札/,
    ハンド: /(?<!相)手[をがはのだ{](?!番|続|順|数)/, エントリー: /エントリ(?!ー)/, サインイン: /ログイン/,
    ステップ: /一手|\}手|全手順/, ラウンド: /[のな]回[は、を]/, 差し引き: /損益/, 確定: /コミット/, アンカー: /錨/,
    '：': /[ぁ-んァ-ヶ一-龠ー）]:|\}: ?$/, '（）': /[ぁ-んァ-ヶ一-龠ー}]\(|\([ぁ-んァ-ヶ一-龠]/,
    立会人: /立会い|証人/, 受領証: /受領書|レシート/, 練習用チップ: /プレイチップ/,
    規則: /規定/, 故障: /不具合/, コラム: /カラム/, フォールド: /降り/, 番: /自分のターン/, バイイン: /参加費|持ち込み/,
    '～': /〜/, 賭け: /のベット|やベット|ベットと|ベットや|ベットか/, スタンド: /止まり/, サービスの停止: /クラッシュ/,
    'です・ます': /(?:[高低]い|である|ない)。$/,
  };
  const found = Object.entries({ ...ja, ...TOLD.ja, ...VERIFY.ja }).flatMap(([key, text]) => Object.entries(others)
    .filter(([, other]) => other.test(text)).map(([name]) => `${key} (${name}): ${text}`));
  assert.deepEqual(found, []);
  // A player out of Safe is 失格; 脱落 is a tournament's word.
  const out = Object.keys(ja).filter(key => ja[key].includes('脱落') && !key.startsWith('tournament.'));
  assert.deepEqual(out, []);
});

test('sentences and lists are joined as the language writes them', async () => {
  globalThis.localStorage = { getItem: () => 'en', setItem() {} };
  const { sentences, listed } = await import(`${WEB}/words.js`);
  for (const [tag, said, named] of [['en', '甲。 乙。', '3, 4'], ['ja', '甲。乙。', '3、4']]) {
    globalThis.localStorage = { getItem: () => tag, setItem() {} };
    assert.equal(sentences('甲。', null, '', '乙。'), said);
    assert.equal(listed([3, 4]), named);
  }
  // No module joins what is read by itself; the client and what is typed are no words of the page.
  const joined = /join\(', '\)|\('[a-z._]+'(?:, \{[^}]*\})?\)\}[,!]? \$\{(?:ctx\.)?say|\}, \$\{(?:ctx\.)?(?:say|words)/;
  const found = fs.readdirSync(WEB).filter(name => /\.js$/.test(name) && !/^(client|words|docs)/.test(name))
    .flatMap(name => fs.readFileSync(`${WEB}/${name}`, 'utf8').split('\n')
      .filter(line => joined.test(line)).map(line => `${name}: ${line.trim()}`));
  assert.deepEqual(found, []);
});

test('in English each thing has one name', () => {
  const others = { deck: /\bpacks?\b/i, "Hold'em": /Hold’em/, 'placed, of a bet': /\bbets? lies?\b/ };
  const found = Object.entries(en).flatMap(([key, text]) => Object.entries(others)
    .filter(([, other]) => other.test(text)).map(([name]) => `${key} (${name}): ${text}`));
  assert.deepEqual(found, []);
});

test('the sign at roulette calls each bet what the layout calls it', () => {
  for (const [language, words] of [['en', en], ['ja', ja]]) {
    for (const kind of ['straight', 'split', 'street', 'corner', 'line']) {
      const [name] = words[`roulette.${kind}`].split(' {');
      assert.ok(words['sign.inside'].toLowerCase().includes(name.toLowerCase()), `${language} ${kind}: ${name}`);
      const isTold = kind === 'straight' || TOLD[language][kind].includes(name.toLowerCase());
      assert.ok(isTold, `${language} ${kind}: ${TOLD[language][kind]}`);
    }
  }
});

/** What stays in Latin letters in Japanese: names, forms of data, keys of a keyboard, what is typed. */
const LATIN = new Set([
  'API', 'openapi', 'yaml', 'JSON', 'HTTP', 'UTC', 'stats', 'CSV', 'Enter', 'Delete', 'PHH', 'OHH', 'ICM', 'https',
  'fairshoe', 'spec',
]);

test('in Japanese nothing is left in English', () => {
  const found = Object.entries({ ...ja, ...TOLD.ja }).flatMap(([key, text]) => (
    [...text.replace(/\{[a-z_]+\}/g, '').matchAll(/[A-Za-z-]{3,}/g)].filter(([word]) => !LATIN.has(word))
      .map(([word]) => `${key}: ${word}`)));
  assert.deepEqual(found, []);
});

/** What stays in Latin letters on /verify: forms of data, and examples of what is typed. */
const TYPED = new RegExp('\\.tlog-proof|NAME\\+hex8\\+base64|…/v1/rounds/ROUND/bundle|http://[0-9.:]+|joy-1:0'
  + '|slot、value、salt、path', 'g');

test('/verify says in Japanese all that it says in English, to the ear too', () => {
  const marked = name => [...VERIFY_PAGE.matchAll(new RegExp(`data-${name}="([a-z_]+)"`, 'g'))].map(([, key]) => key);
  const asked = [...marked('word'), ...marked('label'), ...Object.keys(VERIFY.en)];
  assert.ok(asked.length > 40, `${asked.length} keys`);
  assert.deepEqual(asked.filter(key => !(key in VERIFY.ja)), []);
  const found = Object.entries(VERIFY.ja).filter(([, text]) => (
    (text.replace(/\{[a-z]+\}/g, '').replace(TYPED, '').match(/[A-Za-z-]{3,}/g) ?? []).some(word => !LATIN.has(word))));
  assert.deepEqual(found, []);
  const labelled = [...VERIFY_PAGE.matchAll(/<[^>]*aria-label="[^"]*"[^>]*>/g)].map(([tag]) => tag);
  assert.deepEqual(labelled.filter(tag => !/data-label=/.test(tag)), []);
});

/** What no player's call from a page is answered with: it is the operator's, or a program's that asks wrongly. */
const OF_PROGRAMS = new Set([
  'unknown_shoe', 'unknown_entry', 'not_witnessed', 'unknown_ruleset', 'unknown_structure', 'unknown_log',
  'method_not_allowed', 'claim_refused', 'already_claimed', 'player_exists', 'deadline_ahead', 'shoe_not_sealed',
  'bundle_too_large', 'body_too_large', 'unsupported_media_type', 'unknown_chip', 'chip_above_balance', 'chips_differ',
  'rule_set_refused', 'structure_refused', 'instant_out_of_range', 'head_too_large',
]);

test('every refusal that a player may meet has words in both languages', () => {
  const contract = fs.readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8');
  const [, list] = /\n {4}ErrorCode:\n([^]*?)\n {4}[A-Z]/.exec(contract);
  const codes = [...list.matchAll(/^\s+- ([a-z_]+)\s*$/gm)].map(([, code]) => code);
  assert.ok(codes.length > 100, `${codes.length} codes`);
  const untold = codes.filter(code => !OF_PROGRAMS.has(code) && !(`trouble.${code}` in en && `trouble.${code}` in ja));
  assert.deepEqual(untold, []);
  assert.deepEqual([...OF_PROGRAMS].filter(code => !codes.includes(code) || `trouble.${code}` in en), []);
});

/** Every module that comes with this one: by any import, or by those alone that are asked for before it runs. */
const ANY = /(?:from |import\(|new URL\()'\.\/([a-z0-9-]+\.js)'/g;
function closure(name, texts, imports = ANY, found = new Set()) {
  if (found.has(name) || !texts.has(name)) return found;
  found.add(name);
  for (const [, next] of texts.get(name).matchAll(imports)) closure(next, texts, imports, found);
  // Modules that are loaded by a game's name.
  const games = imports === ANY && /gameModule\(/.test(texts.get(name)) ? [...texts.keys()] : [];
  for (const game of games.filter(file => file.startsWith('game-'))) closure(game, texts, imports, found);
  return found;
}

/** The rooms in main.js: each one's module, the modules loaded with it, and whose words it uses. */
function roomsOf(texts) {
  const [, list] = /const ROOMS = \[([^]*?)\n\];/.exec(texts.get('main.js'));
  const rooms = list.split(/\n  \},?|\},\n/).filter(room => room.includes('load')).map(room => ({
    room: /import\('\.\/(\w+)\.js'\)/.exec(room)[1],
    files: (/files:\s+('[^,]*'),/.exec(room)?.[1] ?? '').replace(/'\s*\+?\s*'?/g, '').split(' ').filter(Boolean),
    says: [...(/says: \[([^\]]*)\]/.exec(room)?.[1] ?? '').matchAll(/\w+/g)].map(String),
  }));
  assert.equal(rooms.length, 6);
  return rooms;
}

test('what a room imports is asked for with it, all at once', () => {
  const texts = new Map(modules());
  const always = /(?:^import|\} from) [^;]*?'\.\/([a-z0-9-]+\.js)'/gm;
  // The document's own scripts are not imports that are found late.
  const ofShell = new Set([...closure('main.js', texts, always), 'early.js']);
  for (const { room, files } of roomsOf(texts)) {
    const own = [...closure(`${room}.js`, texts, always)].filter(name => !ofShell.has(name) && name !== `${room}.js`);
    assert.deepEqual(own.map(name => name.replace(/\.js$/, '')).sort(), files, room);
  }
  const document = fs.readFileSync(path.join(WEB, 'index.html'), 'utf8');
  const preloaded = [...document.matchAll(/modulepreload" href="\/page\/([a-z-]+\.js)"/g)].map(([, name]) => name);
  const scripts = ['main.js', 'early.js'];
  const first = new Set([...ofShell, 'words-en.js', 'words-ja.js', ...closure('lobby.js', texts, always)]);
  assert.deepEqual(preloaded.sort(), [...first].filter(name => !scripts.includes(name)).sort(), 'index.html');
});

test('what a room says comes with the room: its own words and the shell\'s, nobody else\'s', () => {
  const texts = new Map(modules());
  for (const { room, says } of roomsOf(texts)) {
    const modulesOf = closure(`${room}.js`, texts);
    // A module's words that it loads before it uses them: a list that a user opens.
    const later = [...modulesOf].flatMap(name => [...texts.get(name).matchAll(/\bneed\('(\w+)'\)/g)])
      .map(([, part]) => part);
    const has = key => ['', ...says, ...later].some(part => key in PARTS.en[part]);
    const missing = [];
    for (const name of modulesOf) {
      for (const [, key] of texts.get(name).matchAll(/['`]([a-z0-9_-]+\.[A-Za-z0-9_.-]+)['`]/g)) {
        if (key in en && !has(key)) missing.push(`${name}: ${key}`);
      }
      for (const [, begin] of texts.get(name).matchAll(/`([a-z0-9_-]+\.[A-Za-z0-9_.-]*)\$\{/g)) {
        const keys = Object.keys(en).filter(key => key.startsWith(begin));
        if (keys.length > 0 && !keys.some(has)) missing.push(`${name}: ${begin}…`);
      }
    }
    assert.deepEqual(missing, [], `/${room}`);
  }
});

test('every game of a shipped rule set has its line, its module and its name in both languages', async () => {
  const { GAMES } = await import(`${WEB}/games.js`), texts = new Map(modules());
  const folder = new URL('../../spec/rulesets/', import.meta.url);
  const games = new Set(fs.readdirSync(folder).flatMap(name =>
    Object.keys(JSON.parse(fs.readFileSync(new URL(name, folder), 'utf8')).game)));
  assert.deepEqual(Object.keys(GAMES).sort(), [...games].sort());
  for (const [game, { slots }] of Object.entries(GAMES)) {
    const module = texts.get(`game-${game.replaceAll('_', '-')}.js`);
    for (const name of ['felt', 'outcome', 'lines']) assert.match(module, new RegExp(`export [^;=]*\\b${name}\\b`));
    assert.ok([en, ja].every(words => `game.${game}` in words && `seal.${slots}` in words), game);
  }
});

// Every room in both languages, light and dark, wide and narrow: drawn without an error, each text in its language, not
// wider than the window, and without axe-core findings.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { announce, Bot } from './bots.js';
import { assertNone, served, slow, visit } from './harness.js';
import { findings, go, overflow, picture, untold } from './rooms.js';

const service = await served();
let one, other, addresses;

/** A house with some history: rounds of every game, a running tournament. */
before(async () => {
  [one, other] = [await Bot.credited(service, 'ann'), await Bot.credited(service, 'bea')];
  await announce(service, 'cup', { startsIn: 3000, stack: 50 });
  for (const bot of [one, other]) await bot.register('cup');
  const rounds = await one.rounds('joy-1', 2);
  const shared = [
    'live-blackjack-1', 'baccarat-1', 'dragon-tiger-1', 'sic-bo-1', 'roulette-1', 'safe-1', 'holdem-1', 'omaha-1',
  ];
  for (const table of shared) {
    const two = [one, other];
    for (const bot of two) await bot.sit(table);
    for (const bot of two) bot.start(table, { rounds: bot.seeds.size + 1, pace: 20 });
    const id = `${table}:0`;
    for (const end = Date.now() + 30_000; Date.now() < end;) {
      const { status, body } = await service.call(`/v1/rounds/${id}`);
      if (status < 300 && ['settled', 'voided'].includes(body.round.phase)) break;
    }
    for (const bot of two) await bot.stop();
    rounds.push(id);
  }
  const tables = (await service.tables()).map(({ table }) => table).sort();
  addresses = [
    '/', ...tables.map(table => `/play/${table}`), '/tournament/cup', ...rounds.map(id => `/round/${id}`), '/log',
    '/docs', '/play/no-such-table', '/round/joy-1:999', '/tournament/no-such',
  ];
});

/** A room's faults, in words. */
async function faults(at, page, { language, narrow }) {
  await go(page, at);
  const found = (await findings(page)).map(what => `axe: ${what}`);
  found.push(...(await untold(page)).map(what => `not told: ${what}`));
  const seen = await page.evaluate(() => ({
    lang: document.documentElement.lang, title: document.title, headings: document.querySelectorAll('h1').length,
    mains: document.querySelectorAll('main').length,
  }));
  if (seen.lang !== language) found.push(`lang is ${seen.lang}`);
  if (seen.mains !== 1 || seen.headings !== 1) found.push(`${seen.mains} main, ${seen.headings} h1`);
  if (!seen.title.includes('fairshoe')) found.push(`title: ${seen.title}`);
  const wider = await overflow(page);
  if (narrow && wider > 0) found.push(`${wider} pixels wider than the window`);
  return found.map(what => `${at}: ${what}`);
}

const looks = [
  { scheme: 'light', locale: 'en-GB', width: 1280, height: 900 },
  { scheme: 'dark', locale: 'ja-JP', width: 360, height: 740 },
  ...(slow ? [
    { scheme: 'dark', locale: 'en-US', width: 1280, height: 900 },
    { scheme: 'light', locale: 'ja-JP', width: 1280, height: 900 },
    { scheme: 'light', locale: 'en-GB', width: 360, height: 740 },
    { scheme: 'dark', locale: 'en-GB', width: 390, height: 844 },
    { scheme: 'light', locale: 'ja-JP', width: 768, height: 1024 },
  ] : []),
];

for (const look of looks) {
  test(`every room ${look.scheme}, ${look.locale}, ${look.width} wide`, async () => {
    const visitor = await visit(service, look);
    const found = [];
    const language = look.locale.slice(0, 2);
    for (const at of addresses) {
      await faults(at, visitor.page, { language, narrow: look.width < 1000 })
        .then(more => found.push(...more), error => found.push(`${at}: ${error.message.slice(0, 300)}`));
      found.push(...visitor.trouble.splice(0).map(what => `${at}: ${what}`));
    }
    await visitor.close();
    assertNone(found, 'faults');
  });
}

test('the language is chosen by the browser, and by a button that is remembered', async () => {
  const visitor = await visit(service, { locale: 'ja-JP' });
  const { page } = visitor;
  await go(page, '/');
  assert.equal(await page.locator('html').getAttribute('lang'), 'ja');
  await page.getByRole('banner').getByRole('button', { name: 'English' }).click();
  await page.waitForFunction(() => document.documentElement.lang === 'en');
  await go(page, '/log');
  assert.equal(await page.locator('html').getAttribute('lang'), 'en', 'the choice is kept');
  for (const [button, language, head] of [['日本語', 'ja', 'ラウンドを検証する'], ['English', 'en', 'Check a round']]) {
    await page.getByRole('banner').getByRole('button', { name: button }).click();
    await page.waitForFunction(chosen => document.documentElement.lang === chosen, language);
    await page.goto('/verify');
    await page.getByRole('heading', { level: 1, name: head }).waitFor();
    await go(page, '/log');
  }
  await visitor.checked();
});

test('a name never hides whose it is', async () => {
  // *Attack: a player called as another's pseudonym, at such length that their own is cut away.*
  const visitor = await visit(service);
  const { page } = visitor;
  const alike = 'bea, who sits at this table '.repeat(4).trim(), long = 'p'.repeat(64);
  const names = { ann: alike, [long]: alike, bob: 'Bob' };
  await page.route('**/v1/names?*', route => route.fulfill({ json: { names } }));
  await go(page, '/play/live-blackjack-1');
  const players = ['ann', long, 'bob', 'constructor', '__proto__', 'toString'];
  const seen = await page.evaluate(async players => {
    const files = performance.getEntriesByType('resource').map(({ name }) => name);
    const { nameTag } = await import(files.find(name => /\/felt\.js/.test(name)));
    const drawn = players.map(player => {
      const place = document.createElement('div');
      place.className = 'felt-game';
      place.style.width = '98px';
      place.append(nameTag(player, { me: player, say: () => 'you' }));
      document.querySelector('main').append(place);
      return place;
    });
    for (const end = Date.now() + 5000; Date.now() < end && !drawn[2].textContent.includes('Bob');)
      await new Promise(done => setTimeout(done, 20));
    return drawn.map(place => {
      const [text, own] = ['.name-text', '.name-player'].map(name => place.querySelector(name));
      const [room, box, name] = [place, own, text.firstChild].map(node => node.getBoundingClientRect());
      const isWhole = own.scrollWidth <= own.clientWidth && box.width > 0
        && box.left >= room.left && box.right <= room.right + 0.5;
      const isAfter = own === text.firstChild || box.left >= name.right;
      return { words: text.textContent, title: text.title, isWhole, isAfter };
    });
  }, players);
  for (const [at, player] of players.entries()) {
    const words = Object.hasOwn(names, player) ? `${names[player]} · ${player}` : player;
    assert.deepEqual(seen[at], { words, title: words, isWhole: true, isAfter: true });
  }
  await visitor.close();
});

for (const width of [1280, 360]) {
  test(`a seal opens to what proves its card, and nothing of it is cut off, ${width} wide`, async () => {
    // The dialog once had the class of a pile of chips, which does not wrap: half of each hash was hidden.
    const visitor = await visit(service, { width });
    const { page } = visitor;
    await go(page, '/round/joy-1:0');
    await page.locator('[data-seal=proven]').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^[0-9a-f]{64}$/).first().waitFor();
    const wider = await dialog.evaluate(node => node.scrollWidth - node.clientWidth);
    assert.ok(wider <= 0, `${wider} pixels wider than the dialog`);
    await visitor.checked();
  });
}

test('the verifier is one file that is saved and runs by itself', async () => {
  const visitor = await visit(service);
  const { page } = visitor;
  const reply = await page.goto('/verify');
  assert.equal(reply.status(), 200);
  const saved = await reply.text();
  assert.ok(!/(src|href)="(?!#|data:)/.test(saved.replaceAll(/<a [^>]*>/g, '')), 'it asks for nothing else');
  assert.ok((await picture(page)).length > 1000);
  await visitor.close();
});

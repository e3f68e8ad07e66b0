// The first visit: the bytes over the wire, the time until the lobby can be used on a slow phone, and a guest's first
// hand within ten seconds of the first command. Times are printed; the slow run enforces the limits.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Bot } from './bots.js';
import { browser, served, Service, slow, visit } from './harness.js';
import { Player } from './playing.js';
import { go, named, withToken } from './rooms.js';

const MOST_BYTES = 150 * 1024;
/** The verifier's worker is separate: it is loaded when there is something to check. */
const OF_THE_WORKER = /fairshoe-verify\.js|proof-worker\.js|docs-worker\.js/;
/** "Fast 3G" of WebPageTest, and a phone with a quarter of this machine's speed. */
const FAST_3G = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 768e3 / 8 };
const SLOWER = 4;

const service = await served([]);
before(async () => {
  const ann = await Bot.credited(service, 'ann');
  await ann.rounds('joy-1', 1);
});

/** Every request of a page with its bytes on the wire, head and body. */
async function counting(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const requests = new Map();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    requests.set(requestId, { url: request.url, bytes: 0 });
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (requests.has(requestId)) requests.get(requestId).bytes = encodedDataLength;
  });
  return { session, all: () => [...requests.values()] };
}

const VIEWS = [['the lobby', '/'], ['a table', '/play/joy-1'], ['a round', '/round/joy-1:0'], ['the log', '/log']];
for (const [room, at] of VIEWS) {
  test(`${room}: the first view is at most 150 KB, compressed`, async t => {
    const visitor = await visit(service);
    const { all } = await counting(visitor.page);
    await go(visitor.page, at);
    const own = all().filter(one => !OF_THE_WORKER.test(one.url));
    const bytes = own.reduce((sum, one) => sum + one.bytes, 0);
    t.diagnostic(`${at}: ${own.length} requests, ${(bytes / 1024).toFixed(1)} KB`);
    assert.ok(own.length >= 4 && bytes > 10_000, 'something was counted');
    const largest = own.sort((a, b) => b.bytes - a.bytes).slice(0, 8).map(one => `${one.bytes} ${one.url}`).join('\n');
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes:\n${largest}`);
    await visitor.checked();
  });
}

/** The time until the page shows `ready` and its main thread is free, throttled; in milliseconds. */
async function interactive(at, ready) {
  const visitor = await visit(service, { width: 390, height: 844, touch: true });
  const { session } = await counting(visitor.page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Network.emulateNetworkConditions', FAST_3G);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await visitor.context.addInitScript(selector => {
    const look = () => {
      if (!document.querySelector(selector)) { requestAnimationFrame(look); return; }
      // After the present work of the main thread.
      setTimeout(() => { window.fairshoeReady = performance.now(); }, 0);
    };
    requestAnimationFrame(look);
  }, ready);
  await visitor.page.goto(at, { waitUntil: 'commit' });
  await visitor.page.waitForFunction(() => window.fairshoeReady !== undefined, undefined, { timeout: 30_000 });
  const ms = await visitor.page.evaluate(() => window.fairshoeReady);
  await visitor.close();
  return ms;
}

test('the lobby can be used within a second on a slow phone', async t => {
  const least = await interactive('/healthz', 'body');
  const times = [];
  for (let tried = 0; tried < 3; tried += 1) times.push(await interactive('/', 'main a[href^="/play/"]'));
  const [best, median] = [...times].sort((a, b) => a - b);
  t.diagnostic(`lobby usable after ${times.map(ms => `${ms.toFixed(0)} ms`).join(', ')}; an answer of one line takes `
    + `${least.toFixed(0)} ms on this throttle: ratio ${(median / least).toFixed(1)}`);
  if (slow) assert.ok(best <= 1000, `the best of three was ${best.toFixed(0)} ms`);
  else assert.ok(median < 10_000, `${median} ms`);
});

test('a guest plays a hand within ten seconds of the first command', async t => {
  await browser();
  const began = Date.now();
  const fresh = await Service.start();
  try {
    assert.match(fresh.said, /open http:\/\/127\.0\.0\.1:\d+\/ in a browser to play/, 'the terminal says what to open');
    const visitor = await visit(fresh);
    const { page } = visitor;
    await page.goto('/');
    // A first visitor's action: the large button.
    await page.getByRole('main').getByRole('button', { name: named('lobby.play_now') }).click();
    await page.waitForURL(/\/play\//);
    const table = new URL(page.url()).pathname.split('/').pop();
    const player = new Player(visitor, table);
    await player.bet('blackjack');
    const { over } = await player.playOn({ patience: 15_000 });
    const took = Date.now() - began;
    t.diagnostic(`${table}: "${over.trim()}" after ${(took / 1000).toFixed(1)} s`);
    if (slow) assert.ok(took < 10_000, `${took} ms`);
    await visitor.checked();
  } finally {
    await fresh.end();
  }
});

test('whoever has credited chips is led to tables for them', async () => {
  const bea = await Bot.credited(service, 'bea');
  const visitor = await visit(service), { page } = visitor;
  await go(page, '/');
  await withToken(page, bea);
  const pressed = name => page.getByRole('button', { name: named(name) }).getAttribute('aria-pressed');
  assert.deepEqual([await pressed('lobby.chips_play'), await pressed('lobby.chips_real')], ['false', 'true']);
  await page.getByRole('main').getByRole('button', { name: named('lobby.play_own') }).click();
  await page.waitForURL(/\/play\/(?!play\.)/);
  await visitor.checked();
});

// Pictures of every room, of a table in mid-hand and at the end, in three sizes, light and dark, English and Japanese,
// stored in `shots/` for a person to look at. FAIRSHOE_WRITE=1 writes them again. The slow run compares its pictures
// with them in two ways. `parts.json` has the positions and colours of the room's main parts: none may be missing,
// change its colours or move far. The pictures themselves are compared coarsely, because cards, names, times and hashes
// differ from run to run.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { announce, Bot } from './bots.js';
import { assertNone, closeBrowser, here, Service, slow, sleep, until, visit } from './harness.js';
import { Player } from './playing.js';
import { go, named, picture, say, settled, speak, withToken } from './rooms.js';

const SHOTS = path.join(here, 'shots');
const WRITE = process.env.FAIRSHOE_WRITE !== undefined;
const run = slow || WRITE;
/** All of them together. */
const MOST_BYTES = 4 << 20;
/** The allowed difference of a picture, as the share of its tiles: chance makes up to 12 in 100, light for dark 35. */
const MOST_DIFFERENT = 0.22;
/** The allowed shift in pixels of a picture, which is half as large as the window, see `compare`. */
const REACH = 28;
/**
 * The allowed shift of a part's edge, as a share of the window. The random course of a round shifts edges by up to 8 in
 * 100: another line in an outcome, another row of buttons or of cards.
 */
const MOST_MOVED = 0.15;
/**
 * The parts of a room. Parts that only some rounds have (offers, notices, the winner) are left out, and so are parts as
 * wide as the words of an outcome.
 */
const PARTS = [
  '.mast', 'main h1', '.hero', '.head-box', '.lobby-part', '.replay-head', '.verdict', '.replay-controls', '.log-top',
  '.log-head', '.log-part', '.docs-side', '.call', '.event-head', '.event-side > .panel', '.event-main > .panel',
  '.table-head', '.halt', '.felt', '.felt-game', '.felt-print', '.boxes', '.bac-hands', '.bac-spots', '.wheel-side',
  '.layout-side', '.dice', '.safe-middle', '.safe-seats', '.oval', '.actions', '.action-body > *', '.side',
  '.side-part',
];
/** The quality of the WebP: all pictures fit into MOST_BYTES. */
const QUALITY = 18;
const SIZES = [
  { name: 'wide', width: 1440, height: 900 }, { name: 'middle', width: 1024, height: 768 },
  { name: 'narrow', width: 390, height: 844 },
];
const SCHEMES = ['light', 'dark'];
const LOCALES = { en: 'en-GB', ja: 'ja-JP' };

const PARTS_FILE = path.join(SHOTS, 'parts.json');
const keptParts = fs.existsSync(PARTS_FILE) ? JSON.parse(fs.readFileSync(PARTS_FILE, 'utf8')) : {};

let service;
const bots = [];
before(async () => {
  if (!run) return;
  service = await Service.start({ options: ['--connections-per-address', '0', '--origin', 'house.example/fairshoe'] });
  for (const name of ['ann', 'bea', 'cy']) bots.push(await Bot.credited(service, name));
  await bots[0].rounds('joy-1', 3);
  // Its draw of seats, in which no seed is revealed, is still open when its last picture is taken.
  const change = ({ clocks }) => { clocks.reveal_ms = 600_000; };
  await announce(service, 'friday', { startsIn: 4000, stack: 60, change });
  for (const bot of bots) await bot.register('friday');
});
after(async () => {
  if (WRITE) {
    const lines = Object.keys(keptParts).sort().map(name => `  "${name}": ${JSON.stringify(keptParts[name])}`);
    fs.writeFileSync(PARTS_FILE, `{\n${lines.join(',\n')}\n}\n`);
  }
  await closeBrowser();
  await service?.end();
});

/**
 * Small, and the same on every machine with the same fonts: Chromium's own WebP, half as large as the window.
 * FAIRSHOE_SHOTS_FULL=FOLDER also stores full ones, with the measurements, for developers of the page.
 */
async function keep(page, name, window, part) {
  await sleep(250);
  await page.evaluate(selector => {
    scrollTo(0, 0);
    if (selector) document.querySelector(selector).scrollIntoView();
    // As the page scrolls at the player's turn, at its size of that moment: they see their own cards.
    const [own, bar] = ['.poker-seat.own', '.actions'].map(one => document.querySelector(one)?.getBoundingClientRect());
    if (own && bar.left < own.right) scrollBy(0, Math.max(0, own.bottom + 8 - bar.top));
  }, part);
  await sleep(50);
  const full = process.env.FAIRSHOE_SHOTS_FULL;
  if (full) fs.writeFileSync(path.join(full, `${name}.png`), await picture(page));
  const bytes = await picture(page, { format: 'webp', quality: QUALITY, scale: 0.5 });
  const parts = await partsOf(page);
  const file = path.join(SHOTS, `${name}.webp`);
  if (WRITE) {
    fs.mkdirSync(SHOTS, { recursive: true });
    fs.writeFileSync(file, bytes);
    keptParts[name] = parts;
    return;
  }
  assert.ok(fs.existsSync(file) && keptParts[name], `${name} is not kept: FAIRSHOE_WRITE=1 writes it`);
  const different = await compare(page, fs.readFileSync(file), bytes);
  const { changed, moved, furthest } = apart(keptParts[name], parts, window);
  if (full) {
    const measured = JSON.stringify({ name, different, moved, furthest, changed });
    fs.appendFileSync(path.join(full, 'measured'), `${measured}\n`);
  }
  assertNone(changed, `parts of ${name} are not as they were`);
  assert.ok(moved <= MOST_MOVED, `${name}: ${furthest} moved by ${(100 * moved).toFixed(0)} in 100 of the window`);
  assert.ok(different <= MOST_DIFFERENT, `${name}: ${(100 * different).toFixed(0)} in 100 tiles differ`);
}

/** For every visible part of the room: left, top, width, height, the colours of its ground and its words. */
async function partsOf(page) {
  return page.evaluate(selectors => {
    const hex = colour => colour.replace(/^rgb\((\d+), (\d+), (\d+)\)$/, (whole, ...given) => (
      `#${given.slice(0, 3).map(one => Number(one).toString(16).padStart(2, '0')).join('')}`))
      .replace('rgba(0, 0, 0, 0)', '');
    return Object.fromEntries(selectors.map(selector => [selector, [...document.querySelectorAll(selector)]
      .map(node => [node.getBoundingClientRect(), getComputedStyle(node)])
      .filter(([{ width, height }]) => width > 0 && height > 0)
      .map(([{ x, y, width, height }, { backgroundColor, color }]) => (
        [...[x, y, width, height].map(Math.round), hex(backgroundColor), hex(color)]))])
      .filter(([, found]) => found.length > 0));
  }, PARTS);
}

/** The changed parts; and the largest shift of an edge within the window, with its part. */
function apart(kept, seen, { width, height }) {
  const changed = [];
  let [moved, furthest] = [0, ''];
  for (const part of PARTS) {
    const [before, now] = [kept[part] ?? [], seen[part] ?? []];
    if (before.length !== now.length) changed.push(`${part}: ${before.length} before, ${now.length} now`);
    for (let at = 0; at < Math.min(before.length, now.length); at += 1) {
      const [was, is] = [before[at], now[at]].map(([x, y, wide, high, ...colours]) => ({
        colours: colours.join(' under '),
        edges: [x, x + wide].map(one => Math.min(Math.max(one / width, 0), 1))
          .concat([y, y + high].map(one => Math.min(Math.max(one / height, 0), 1))),
      }));
      if (was.colours !== is.colours) changed.push(`${part}: ${was.colours} before, ${is.colours} now`);
      const far = Math.max(...was.edges.map((edge, side) => Math.abs(edge - is.edges[side])));
      if (far > moved) [moved, furthest] = [far, part];
    }
  }
  return { changed, moved, furthest };
}

/**
 * The share of tiles of 8 × 8 whose mean colour is missing in the other picture there and up to REACH pixels above or
 * below: a two-line outcome shifts all that is below it. A separate page draws them.
 */
async function compare(page, kept, seen) {
  const blank = await page.context().browser().newPage();
  try {
    return await blank.evaluate(async ([pictures, reach]) => {
      // A row of means for every second row of pixels, each of the tile that begins there.
      const [a, b] = await Promise.all(pictures.map(async data => {
        const image = new Image();
        image.src = `data:image/webp;base64,${data}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        const [width, height] = [image.width >> 3, image.height >> 1];
        Object.assign(canvas, { width, height });
        const context = canvas.getContext('2d');
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, 0, 0, width, height);
        const { data: colours } = context.getImageData(0, 0, width, height);
        const mean = at => [0, 4, 8, 12].reduce((sum, row) => sum + colours[at + row * width] / 4, 0);
        const means = Float32Array.from({ length: 4 * width * (height - 3) }, (_, at) => mean(at));
        return { width, rows: height - 3, means };
      }));
      if (a.width !== b.width || a.rows !== b.rows) return 1;
      const isNear = (one, other, x, y) => {
        for (let row = Math.max(0, y - reach / 2); row <= Math.min(a.rows - 1, y + reach / 2); row += 1) {
          const [at, there] = [4 * (y * a.width + x), 4 * (row * a.width + x)];
          const apart = [0, 1, 2].reduce((sum, channel) => (
            sum + Math.abs(one.means[at + channel] - other.means[there + channel])), 0);
          if (apart <= 60) return true;
        }
        return false;
      };
      let [different, all] = [0, 0];
      for (let y = 0; y < a.rows; y += 4) {
        for (let x = 0; x < a.width; x += 1, all += 1) if (!isNear(a, b, x, y) || !isNear(b, a, x, y)) different += 1;
      }
      return different / all;
    }, [[kept, seen].map(bytes => bytes.toString('base64')), REACH]);
  } finally {
    await blank.close();
  }
}

/** All pictures of a page's present state in this language, with `part` at the top of the window. */
async function keepAll(page, name, language, part) {
  await page.locator('.toast').first().waitFor({ state: 'hidden' });
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const size of SIZES) {
      await page.setViewportSize({ width: size.width, height: size.height });
      await keep(page, `${name}-${size.name}-${scheme}-${language}`, size, part);
    }
  }
  await page.setViewportSize({ width: SIZES[0].width, height: SIZES[0].height });
}

/** A visitor who reads this language, as the tests do from now on. */
async function reader(language) {
  speak(language);
  return visit(service, { locale: LOCALES[language], width: SIZES[0].width, height: SIZES[0].height });
}

const skip = !run && 'in the slow run';
const open = (page, key) => page.getByText(say(key), { exact: true }).click();
/** Rooms outside of a hand: where they are, what is done there before the picture, what it shows. */
const STILL = {
  lobby: { at: '/' },
  round: { at: '/round/joy-1:0' },
  seal: { at: '/round/joy-1:0', act: async page => {
    await page.locator('[data-seal=proven]').first().click();
    await page.getByRole('dialog').getByText(/^[0-9a-f]{64}$/).first().waitFor();
  } },
  log: { at: '/log' },
  find: { at: '/log', part: '#log-find', act: async page => {
    const form = page.getByRole('region', { name: named('log.find') });
    await form.getByRole('button', { name: named('log.find_go') }).click();
    await form.getByRole('row').nth(1).waitFor();
  } },
  rules: { at: '/play/safe-1', part: '[data-part=sign]', act: async page => {
    await open(page, 'side.sign');
    await page.getByText(say('rules.safe_down')).waitFor();
  } },
  docs: { at: '/docs' },
  tournament: { at: '/tournament/friday' },
};
for (const language of Object.keys(LOCALES)) {
  for (const [name, { at, act, part }] of Object.entries(STILL)) {
    test(`${name}, ${language}`, { skip }, async () => {
      const visitor = await reader(language);
      await visitor.page.addInitScript(who => sessionStorage.setItem('fairshoe.who', JSON.stringify(who)),
        { player: bots[0].player, token: bots[0].token });
      await go(visitor.page, at);
      await act?.(visitor.page);
      await keepAll(visitor.page, name, language, part);
      await visitor.checked();
    });
  }
}

const TABLES = [
  ['joy', 'joy', 'blackjack', true], ['blackjack', 'study-group', 'blackjack'], ['baccarat', 'baccarat', 'baccarat'],
  ['roulette', 'roulette', 'roulette'], ['safe', 'safe', 'safe'], ['holdem', 'holdem', 'poker'],
  ['omaha', 'omaha', 'poker'], ['dragon-tiger', 'dragon-tiger', 'dragon_tiger'], ['sic-bo', 'sic-bo', 'sic_bo'],
];

/** Plays until the player has a choice that every round has: not insurance, and not in a round that ended before. */
async function ownTurn(player, game, laid) {
  for (;;) {
    if (game !== 'poker') {
      await laid?.();
      await player.bet(game);
    }
    for (;;) {
      const ended = player.ended;
      await until(async () => await player.turn.isVisible() || await ended.count() > 0, 'one\'s own turn', 60_000);
      if (await ended.count() > 0) break;
      const names = await player.offered();
      if (game !== 'blackjack' || names.some(one => named('act.stand', { within: true }).test(one))) return;
      await player.decide();
      await sleep(60);
    }
  }
}

/**
 * Waits until the state after the round is stable: a picture of the next window, or of the call for the next hand,
 * would show a random time. No bets come in the window, and the company of a poker table sits out.
 */
async function atRest(player, company, game) {
  if (game === 'poker') {
    for (const bot of company) await bot.must(`/v1/tables/${player.table}/sit_out`, {});
    await player.felt.getByRole('status').filter({ hasText: say('status.two_needed') }).waitFor();
  } else if (company.length > 0) {
    // The page learns of the window after the round: the absence of a clock before it means nothing.
    const clock = player.page.locator('.clock');
    await clock.waitFor();
    await clock.waitFor({ state: 'hidden', timeout: 75_000 });
  }
  await settled(player.page);
  await player.allProven();
}

/**
 * The player of these pictures, one for each table: a player who leaves a poker table early may not sit at the next.
 */
const PLAYERS = ['alice', 'ben', 'chloe', 'daniel', 'emma', 'finn', 'grace', 'hugo', 'iris', 'jack', 'kate', 'leo',
  'mia', 'noah', 'oscar', 'peggy', 'quinn', 'ruth'];
const COMPANY = ['olga', 'paul', 'rosa', 'sven', 'tara', 'uwe', 'vera', 'will'];
let companies = 0;
for (const [number, [name, rules, game, solo]] of TABLES.entries()) {
  for (const [second, language] of Object.keys(LOCALES).entries()) {
    test(`${name}, ${language}, in mid-hand and at the end`, { skip, timeout: 300_000 }, async () => {
      const table = `${rules}-${language}`;
      // No clock runs out while the pictures are taken.
      const options = solo ? {} : { turn_time_ms: 120_000, ...(game === 'poker' ? {} : { bet_time_ms: 60_000 }) };
      await service.operator('/v1/tables', { table, rules, options });
      const me = await Bot.credited(service, PLAYERS[2 * number + second]);
      const visitor = await reader(language);
      await go(visitor.page, '/');
      await withToken(visitor.page, me);
      const player = await Player.at(visitor, table);
      const company = solo ? [] : game !== 'poker' ? bots.slice(0, 2) : await Promise.all(
        COMPANY.slice(2 * companies, 2 * (companies += 1)).map(one => Bot.credited(service, one)));
      if (!solo) await player.sit();
      for (const bot of company) await bot.sit(table);
      const pace = { pace: 250, rounds: Infinity };
      // No other round is begun after the pictured one: `rounds` is set to none before it goes on.
      for (const bot of company) bot.start(table, pace);
      const view = () => service.must(`/v1/tables/${table}`);
      const laid = () => until(async () => (await view()).window?.bets.length === company.length, 'their bets', 20_000);
      if (['roulette', 'baccarat', 'dragon_tiger', 'sic_bo'].includes(game)) {
        // The laid bets are the picture: there are no later decisions.
        await laid();
        await player.placing.waitFor();
        const spots = (await player.actions.locator('[data-spot]').all()).slice(1, 60);
        for (const spot of spots.filter((_, at) => at % 9 === 0)) await spot.click();
        pace.rounds = 0;
        await keepAll(visitor.page, `${name}-bets`, language);
        await player.placing.click();
      } else {
        await ownTurn(player, game, solo ? undefined : laid);
        pace.rounds = 0;
        await keepAll(visitor.page, `${name}-turn`, language);
      }
      await player.playOn({ patience: 90_000 });
      await atRest(player, company, game);
      await keepAll(visitor.page, `${name}-end`, language);
      for (const bot of company) await bot.stop();
      for (const bot of company) await service.call(`/v1/tables/${table}/seat`, { token: bot.token, method: 'DELETE' });
      await visitor.checked();
    });
  }
}

for (const language of Object.keys(LOCALES)) {
  test(`a failed check, as it looks, ${language}`, { skip }, async () => {
    const visitor = await reader(language);
    const me = await Bot.credited(service, `eve-${language}`);
    const { table } = await me.must('/v1/tables', { rules: 'joy' });
    await go(visitor.page, '/');
    await withToken(visitor.page, me);
    const player = await Player.at(visitor, table);
    visitor.proxy.lie('opening', { match: /reveals/ });
    await player.bet('blackjack');
    await player.stopped();
    await keepAll(visitor.page, 'failed', language);
    await visitor.close();
  });
}

test('the pictures are small enough for a repository', { skip }, () => {
  const kept = fs.readdirSync(SHOTS).filter(name => name.endsWith('.webp'));
  const bytes = kept.reduce((sum, name) => sum + fs.statSync(path.join(SHOTS, name)).size, 0);
  assert.ok(kept.length >= 320, `${kept.length} pictures`);
  assert.ok(bytes <= MOST_BYTES, `${(bytes / 1024).toFixed(0)} KB`);
});

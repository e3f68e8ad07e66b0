// Pictures of every room in mid-hand and at the end, at two sizes, light and dark, kept in `shots/` for a person to
// look at. FAIRSHOE_WRITE=1 writes them anew; the slow run compares what it sees with them, with tolerance: cards,
// names, times and hashes differ from run to run, layout and colours must not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { announce, Bot } from './bots.js';
import { closeBrowser, here, Service, slow, sleep, until, visit } from './harness.js';
import { Player } from './playing.js';
import { go, named, picture, say, settled, withToken } from './rooms.js';

const SHOTS = path.join(here, 'shots');
const WRITE = process.env.FAIRSHOE_WRITE !== undefined;
const run = slow || WRITE;
/** All of them together, and how different a picture may be: the share of a coarse picture's tiles. */
const MOST_BYTES = 700 * 1024;
const MOST_DIFFERENT = 0.22;
const SIZES = [{ name: 'wide', width: 1280, height: 900 }, { name: 'narrow', width: 390, height: 844 }];

let service;
const bots = [];
before(async () => {
  if (!run) return;
  service = await Service.start({ options: ['--connections-per-address', '0', '--origin', 'house.example/fairshoe'] });
  for (const name of ['ann', 'bea', 'cy']) bots.push(await Bot.credited(service, name));
  await bots[0].rounds('joy-1', 3);
  // Its draw of seats, in which nobody reveals a seed, is still on when the last picture of it is taken.
  const change = ({ clocks }) => { clocks.reveal_ms = 120_000; };
  await announce(service, 'friday', { startsIn: 4000, stack: 60, change });
  for (const bot of bots) await bot.register('friday');
});
after(async () => {
  await closeBrowser();
  await service?.end();
});

/**
 * Small, and the same on every machine that has the same fonts: WebP of Chromium itself, half as large as the window.
 * FAIRSHOE_SHOTS_FULL=FOLDER keeps whole ones beside, for whoever works on the page.
 */
async function keep(page, name) {
  // The page moves to the felt when it is one's turn, at whatever size it has then.
  await page.evaluate(() => scrollTo(0, 0));
  await sleep(350);
  const full = process.env.FAIRSHOE_SHOTS_FULL;
  if (full) fs.writeFileSync(path.join(full, `${name}.png`), await picture(page));
  const bytes = await picture(page, { format: 'webp', quality: 20, scale: 0.5 });
  const file = path.join(SHOTS, `${name}.webp`);
  if (WRITE) {
    fs.mkdirSync(SHOTS, { recursive: true });
    fs.writeFileSync(file, bytes);
    return;
  }
  assert.ok(fs.existsSync(file), `${name} is not kept: FAIRSHOE_WRITE=1 writes it`);
  const different = await compare(page, fs.readFileSync(file), bytes);
  assert.ok(different <= MOST_DIFFERENT, `${name}: ${(100 * different).toFixed(0)} in 100 tiles differ`);
}

/** The share of tiles of 16 × 16 whose mean colour differs, drawn by the browser in a page of its own. */
async function compare(page, kept, seen) {
  const blank = await page.context().browser().newPage();
  try {
    return await blank.evaluate(async pictures => {
      const means = await Promise.all(pictures.map(async data => {
        const image = new Image();
        image.src = `data:image/webp;base64,${data}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.width >> 4, image.height >> 4];
        const context = canvas.getContext('2d');
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
        const { data: colours } = context.getImageData(0, 0, canvas.width, canvas.height);
        return { size: `${image.width}x${image.height}`, colours };
      }));
      if (means[0].size !== means[1].size) return 1;
      let different = 0;
      const [a, b] = means.map(one => one.colours);
      for (let at = 0; at < a.length; at += 4) {
        const apart = [0, 1, 2].reduce((sum, channel) => sum + Math.abs(a[at + channel] - b[at + channel]), 0);
        if (apart > 60) different += 1;
      }
      return different / (a.length / 4);
    }, [kept, seen].map(bytes => bytes.toString('base64')));
  } finally {
    await blank.close();
  }
}

/** Every look of a page as it is now: both sizes in the scheme that it has. */
async function keepAll(page, name, scheme) {
  for (const size of SIZES) {
    await page.setViewportSize({ width: size.width, height: size.height });
    await keep(page, `${name}-${size.name}-${scheme}`);
  }
  await page.setViewportSize({ width: SIZES[0].width, height: SIZES[0].height });
}

const skip = !run && 'in the slow run';
const SCHEMES = ['light', 'dark'];
const STILL = [
  ['lobby', '/'], ['round', '/round/joy-1:0'], ['log', '/log'], ['docs', '/docs'], ['tournament', '/tournament/friday'],
];
for (const scheme of SCHEMES) {
  for (const [name, at] of STILL) {
    test(`${name}, ${scheme}`, { skip }, async () => {
      const visitor = await visit(service, { scheme });
      await go(visitor.page, at);
      await keepAll(visitor.page, name, scheme);
      await visitor.checked();
    });
  }
}

const TABLES = [
  ['joy', 'joy', 'blackjack', true], ['blackjack', 'study-group', 'blackjack'], ['baccarat', 'baccarat', 'baccarat'],
  ['roulette', 'roulette', 'roulette'], ['safe', 'safe', 'safe'], ['holdem', 'holdem', 'poker'],
  ['omaha', 'omaha', 'poker'],
];

/** Plays until the player has a choice that every round has: not insurance, nor a round that ended before. */
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
 * Waits until nothing goes on after the round: a picture of the next window, or of the call for the next hand, would
 * show what chance makes of its time. No bets come in the window, and the company of a poker table sits out.
 */
async function atRest(player, company, game) {
  if (game === 'poker') {
    for (const bot of company) await bot.must(`/v1/tables/${player.table}/sit_out`, {});
    await player.felt.getByRole('status').filter({ hasText: say('status.two_needed') }).waitFor();
  } else if (company.length > 0) {
    // The page hears of the window after the round: that no clock runs before it does says nothing.
    const clock = player.page.locator('.clock');
    await clock.waitFor();
    await clock.waitFor({ state: 'hidden', timeout: 45_000 });
  }
  await settled(player.page);
  await player.allProven();
}

/** Whose pictures these are, one for each table: whoever leaves a table of poker early may not sit at the next. */
const PLAYERS = ['alice', 'ben', 'chloe', 'daniel', 'emma', 'finn', 'grace', 'hugo', 'iris', 'jack', 'kate', 'leo',
  'mia', 'noah'];
const COMPANY = ['olga', 'paul', 'rosa', 'sven', 'tara', 'uwe', 'vera', 'will'];
let companies = 0;
for (const [number, [name, rules, game, solo]] of TABLES.entries()) {
  // The two schemes share the tables: each has one of them in mid-hand and at the end.
  for (const scheme of SCHEMES) {
    test(`${name}, ${scheme}, in mid-hand and at the end`, { skip, timeout: 150_000 }, async () => {
      const table = `${rules}-${scheme}`;
      await service.operator('/v1/tables', { table, rules });
      const me = await Bot.credited(service, PLAYERS[2 * number + SCHEMES.indexOf(scheme)]);
      const visitor = await visit(service, { scheme });
      await go(visitor.page, '/');
      await withToken(visitor.page, me);
      const player = await Player.at(visitor, table);
      const company = solo ? [] : game !== 'poker' ? bots.slice(0, 2) : await Promise.all(
        COMPANY.slice(2 * companies, 2 * (companies += 1)).map(one => Bot.credited(service, one)));
      if (!solo) await player.sit();
      for (const bot of company) await bot.sit(table);
      const pace = { pace: 250, rounds: Infinity };
      // No other round is begun after the one in the picture: `rounds` is set to none before it goes on.
      for (const bot of company) bot.start(table, pace);
      const view = () => service.must(`/v1/tables/${table}`);
      const laid = () => until(async () => (await view()).window?.bets.length === company.length, 'their bets', 20_000);
      if (game === 'roulette' || game === 'baccarat') {
        // The bets that lie there are the picture: nobody decides anything later.
        await laid();
        await player.placing.waitFor();
        const spots = (await player.actions.locator('[data-spot]').all()).slice(1, 60);
        for (const spot of spots.filter((_, at) => at % 9 === 0)) await spot.click();
        pace.rounds = 0;
        await keepAll(visitor.page, `${name}-bets`, scheme);
        await player.placing.click();
      } else {
        await ownTurn(player, game, solo ? undefined : laid);
        pace.rounds = 0;
        await keepAll(visitor.page, `${name}-turn`, scheme);
      }
      await player.playOn({ patience: 90_000 });
      await atRest(player, company, game);
      await keepAll(visitor.page, `${name}-end`, scheme);
      for (const bot of company) await bot.stop();
      for (const bot of company) await service.call(`/v1/tables/${table}/seat`, { token: bot.token, method: 'DELETE' });
      await visitor.checked();
    });
  }
}

test('a failed check, as it looks', { skip }, async () => {
  const visitor = await visit(service);
  const me = await Bot.credited(service, 'eve');
  const { table } = await me.must('/v1/tables', { rules: 'joy' });
  await go(visitor.page, '/');
  await withToken(visitor.page, me);
  const player = await Player.at(visitor, table);
  visitor.proxy.lie('opening', { match: /reveals/ });
  await player.bet('blackjack');
  await player.stopped();
  await keepAll(visitor.page, 'failed', 'light');
  await visitor.close();
});

test('the pictures are small enough for a repository', { skip }, () => {
  const kept = fs.readdirSync(SHOTS);
  const bytes = kept.reduce((sum, name) => sum + fs.statSync(path.join(SHOTS, name)).size, 0);
  assert.ok(kept.length >= 60, `${kept.length} pictures`);
  assert.ok(bytes <= MOST_BYTES, `${(bytes / 1024).toFixed(0)} KB`);
});

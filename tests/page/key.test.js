// The player's own key: it is made with the first bet, signs everything, is saved to a file and restored from it, and a
// browser without it says what to do (spec/page.md, 2).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Bot } from './bots.js';
import { browser, served, until, visit } from './harness.js';
import { Player } from './playing.js';
import { findings, go, named, overflow, say, untold, withToken } from './rooms.js';

/** A valid key of no player (spec/vectors/player-keys.json). */
const LOST = 'bc7cbcb5636375fa1d82434d466724d92377f53b980695dd49d26d0ce12205a5';

await browser();
const service = await served([]);

/** Every command of a player at a table, from the log. */
async function commandsOf(player, table) {
  const { entries } = await service.must(`/v1/tables/${table}/entries?limit=256`);
  return entries.map(({ entry }) => JSON.parse(entry)).filter(({ by }) => by === `player:${player}`);
}

/** Opens the dialog of the key. */
async function keyOf(page, language = 'en') {
  await page.getByRole('banner').getByRole('button', { name: say('main.key', {}, language), exact: true }).click();
  const dialog = page.getByRole('dialog', { name: say('key.title', {}, language) });
  await dialog.waitFor();
  return dialog;
}

test('the first bet of a guest makes a key, which signs all of the round', async () => {
  const visitor = await visit(service);
  const { page } = visitor;
  const player = await Player.at(visitor, 'play.joy-1');
  await player.guest();
  await player.bet('blackjack');
  // Nothing to save: a guest's key goes with them.
  await page.getByText(say('main.key_guest'), { exact: true }).first().waitFor();
  await player.playOn();
  const { player: name } = await player.whoPlays();
  const commands = await commandsOf(name, 'play.joy-1');
  assert.ok(commands.length >= 2, `${commands.length} commands`);
  assert.deepEqual(commands.filter(({ signed }) => !signed), []);
  const dialog = await keyOf(page);
  await dialog.getByText(say('key.signs')).waitFor();
  assert.deepEqual(await findings(page), []);
  assert.deepEqual(await untold(page), []);
  await dialog.getByRole('button', { name: say('main.close') }).click();
  // This guest never comes back: nothing of theirs is left.
  page.once('dialog', asked => asked.accept());
  await page.getByRole('banner').getByRole('button', { name: say('main.sign_out') }).click();
  await page.getByRole('banner').getByRole('button', { name: say('main.sign_in') }).waitFor();
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter(one => / pen of /.test(` ${one}`))), []);
  await visitor.checked();
});

test('a guest with a new key has their seat at an idle poker table at once', async () => {
  const table = 'play.holdem-1', bots = [await Bot.guest(service), await Bot.guest(service)];
  for (const bot of bots) await bot.sit(table);
  for (const bot of bots) bot.start(table, { rounds: 1 });
  const view = () => service.must(`/v1/tables/${table}`);
  await until(async () => {
    const { next_round: next, round, cash } = await view();
    return next > 0 && !round && !cash.call;
  }, 'a hand');
  for (const bot of bots) await bot.stop();
  for (const bot of bots) await service.call(`/v1/tables/${table}/seat`, { token: bot.token, method: 'DELETE' });
  await until(async () => (await view()).cash.seats.length === 0, 'an empty table');
  const visitor = await visit(service), { page } = visitor;
  const player = await Player.at(visitor, table);
  await player.guest();
  await player.button('play.sit_down').click();
  // In the seat of a player of the hand before, who left.
  await page.locator('.poker-seat.own').waitFor();
  await player.button('play.sit_down').waitFor({ state: 'hidden' });
  // So it is on the page of somebody who looks on, and of the player after a reload.
  const other = await visit(service);
  await go(other.page, `/play/${table}`);
  const { player: name } = await player.whoPlays();
  await other.page.locator('.poker-seat').filter({ hasText: name }).waitFor();
  await page.reload();
  await page.locator('.poker-seat.own').waitFor();
  await other.checked();
  await visitor.checked();
});

test('on a phone the news of the key lies over no card, however the page is scrolled', async () => {
  const visitor = await visit(service, { width: 390, height: 664, touch: true }), { page } = visitor;
  const player = await Player.at(visitor, 'play.joy-1');
  await player.guest();
  await player.dealt();
  const under = await page.evaluate(() => {
    dispatchEvent(new Event('fairshoe.key'));
    const boxes = selector => [...document.querySelectorAll(selector)].map(one => one.getBoundingClientRect());
    const found = new Set();
    for (let y = 0; y <= document.documentElement.scrollHeight - innerHeight; y += 20) {
      scrollTo(0, y);
      const [told] = boxes('.toast').slice(-1), [own] = boxes('.hand.is-mine .hand-cards'), [bar] = boxes('.actions');
      // Further up one's own cards are under the bar, and the page itself is not scrolled so.
      if (own.bottom + told.height > bar.top) continue;
      for (const card of boxes('.felt [data-seal]')) {
        const isUnder = card.right > told.left && card.left < told.right && card.bottom > told.top + 1
          && card.top < told.bottom - 1;
        if (isUnder) found.add(`at ${y} a card at ${Math.round(card.top)}`);
      }
      found.add('looked');
    }
    return [...found];
  });
  assert.deepEqual(under, ['looked']);
  await player.playOn();
  await visitor.checked();
});

test('a key is saved, and another browser plays on with the file and not without', async () => {
  const bot = await Bot.credited(service, 'ann', 40_000);
  const home = await visit(service);
  await go(home.page, '/');
  await withToken(home.page, bot, { keep: true });
  const made = await keyOf(home.page);
  await made.getByText(say('key.trusts')).waitFor();
  await made.getByRole('button', { name: say('key.make') }).click();
  await made.getByText(say('key.is_made')).waitFor();
  const downloading = home.page.waitForEvent('download');
  await made.getByRole('button', { name: say('key.save') }).click();
  const file = await (await downloading).path();
  await made.getByText(say('key.is_saved')).waitFor();
  const { key } = await service.operator('/v1/players/ann');
  assert.equal(JSON.parse(fs.readFileSync(file, 'utf8')).key, key);
  await service.operator('/v1/tables', { table: 'keyed-1', rules: 'joy' });

  const away = await visit(service);
  await go(away.page, '/');
  await withToken(away.page, bot);
  // Told at once, before a clock runs.
  await away.page.locator('.toast').getByText(say('trouble.signature_missing')).waitFor();
  const player = await Player.at(away, 'keyed-1');
  await player.placing.waitFor();
  await player.spot('blackjack').click();
  await player.placing.click();
  await player.actions.getByText(say('trouble.signature_missing'), { exact: false }).first().waitFor();
  assert.deepEqual(await commandsOf('ann', 'keyed-1'), [], 'nothing of it is on the log');

  const dialog = await keyOf(away.page);
  await dialog.getByText(say('key.elsewhere')).waitFor();
  assert.deepEqual(await findings(away.page), []);
  const open = async bytes => dialog.locator('input[type=file]').setInputFiles({
    name: 'key.json', mimeType: 'application/json', buffer: Buffer.from(bytes),
  });
  await open('{}');
  await dialog.getByRole('alert').waitFor();
  await open(fs.readFileSync(file));
  await dialog.getByText(say('key.is_back')).waitFor();
  await dialog.getByText(say('key.signs')).waitFor();
  await dialog.getByRole('button', { name: say('main.close') }).click();
  await player.placing.click();
  await player.playOn();
  const commands = await commandsOf('ann', 'keyed-1');
  assert.ok(commands.length >= 2 && commands.every(({ signed }) => signed));
  // The desk's payments are signed by the player, and by no one else.
  const again = await keyOf(away.page);
  await again.getByText(say('key.pay')).click();
  await again.getByLabel(say('key.amount'), { exact: true }).fill('700');
  await again.getByRole('button', { name: say('key.sign') }).click();
  await again.getByText(say('key.pay_tell')).waitFor();
  const signature = (await again.getByRole('status').locator('code').innerText()).trim();
  assert.deepEqual(await findings(away.page), []);
  const paid = await fetch(`${service.url}/v1/players/ann/withdraw`, {
    method: 'POST', body: '{"amount":700}', headers: {
      authorization: `Bearer ${service.operatorToken}`, 'content-type': 'application/json',
      'idempotency-key': 'desk-1', 'fairshoe-signature': signature,
    },
  });
  assert.equal(paid.status, 200, await paid.text());
  // With only the token no command is accepted.
  const { status, body } = await service.call('/v1/tables/keyed-1/close', { token: bot.token, body: {} });
  assert.deepEqual([status, body.code], [403, 'signature_missing']);

  // The first browser kept it over sign-out, and needs no file.
  home.page.once('dialog', asked => asked.accept());
  await made.getByRole('button', { name: say('main.close') }).click();
  await home.page.getByRole('banner').getByRole('button', { name: say('main.sign_out') }).click();
  await withToken(home.page, bot);
  await (await keyOf(home.page)).getByText(say('key.signs')).waitFor();
  await away.checked();
  await home.checked();
});

test('a key that the house names unasked is taken back by another one of the player', async () => {
  const bot = await Bot.credited(service, 'watched', 4_000);
  const visitor = await visit(service);
  await go(visitor.page, '/');
  await withToken(visitor.page, bot);
  const dialog = await keyOf(visitor.page);
  await dialog.getByRole('button', { name: say('key.make') }).click();
  await dialog.getByText(say('key.is_made')).waitFor();
  await service.operator('/v1/players/watched/key', { key: LOST, reason: 'lost' });
  await dialog.getByRole('button', { name: say('main.close') }).click();
  const again = await keyOf(visitor.page);
  await again.getByRole('button', { name: say('key.replace') }).click();
  await again.getByText(say('key.is_replaced')).waitFor();
  await again.getByText(say('key.signs')).waitFor();
  const { key, key_waits: waits } = await service.operator('/v1/players/watched');
  assert.ok(key !== LOST && waits === null);
  await visitor.checked();
});

test('a lost key: another one is made here, and signs when the change of the house is in force', async () => {
  for (const [locale, language] of [['en-GB', 'en'], ['ja-JP', 'ja']]) {
    const bot = await Bot.credited(service, `lost-${language}`, 4_000);
    // The key of a browser that no longer exists.
    await bot.must(`/v1/players/${bot.player}/key`, { key: LOST });
    const visitor = await visit(service, { locale, width: 360 });
    await visitor.page.goto((await service.operator(`/v1/players/${bot.player}/tickets`, {})).link);
    await visitor.page.locator('.purse .name').getByText(bot.player).waitFor({ state: 'attached' });
    const dialog = await keyOf(visitor.page, language);
    await dialog.getByRole('button', { name: named('key.another', { language }) }).click();
    await dialog.getByText(say('key.tell', {}, language)).waitFor();
    const key = (await dialog.getByRole('status').locator('code').innerText()).trim();
    await service.operator(`/v1/players/${bot.player}/key`, { key, reason: 'lost' });
    await dialog.getByRole('button', { name: say('main.close', {}, language) }).click();
    await keyOf(visitor.page, language);
    const [begin] = say('key.waits_own', { from: '|' }, language).split('|');
    await dialog.getByText(begin.trim() || say('key.waits_own', { from: '|' }, language).split('|')[1]).waitFor();
    assert.equal(await overflow(visitor.page), 0);
    assert.deepEqual(await findings(visitor.page), []);
    await visitor.checked();
  }
});

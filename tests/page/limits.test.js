// Players' own limits, in the page's dialog: a limit is set and holds, its removal waits for a day and can itself be
// cancelled, an exclusion needs a second confirmation, and refusals because of either are explained in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bot } from './bots.js';
import { browser, served, visit } from './harness.js';
import { findings, go, named, say, untold } from './rooms.js';

await browser();
const service = await served([]);

const viewOf = player => service.operator(`/v1/players/${player}`);

/** The player signed in, with the dialog open. */
async function opened(player, options = {}) {
  await Bot.credited(service, player, 4_200);
  const { page, checked } = await visit(service, options);
  await page.goto((await service.operator(`/v1/players/${player}/tickets`, {})).link);
  await page.getByRole('button', { name: say('main.limits', {}, options.language) }).first().click();
  const dialog = page.getByRole('dialog', { name: say('limits.title', {}, options.language) });
  await dialog.getByText(say('limits.none', {}, options.language)).waitFor();
  return { page, dialog, checked };
}

/** Presses, and answers the page's question with yes or no; returns whether it asked. */
async function press(page, button, agrees) {
  let asked = false;
  const answer = dialog => { asked = true; void (agrees ? dialog.accept() : dialog.dismiss()); };
  page.once('dialog', answer);
  await button.click();
  page.off('dialog', answer);
  return asked;
}

test('a limit is set, holds, and is given up only a day later', async () => {
  const { page, dialog, checked } = await opened('ann');
  await dialog.locator('select[name=of]').selectOption('deposit');
  await dialog.locator('select[name=per]').selectOption('week');
  await dialog.locator('input[name=most]').fill('500');
  await dialog.getByRole('button', { name: say('limits.set'), exact: true }).click();
  await dialog.getByText(say('limits.is_set')).waitFor();
  const { limits: [limit] } = await viewOf('ann');
  assert.deepEqual([limit.of, limit.per, limit.most], ['deposit', 'week', 500]);
  assert.deepEqual(await findings(page), []);
  assert.deepEqual(await untold(page), []);
  await assert.rejects(service.operator('/v1/players/ann/credit', { amount: 501 }, 'more'), /limit_reached/);

  // The same limit again changes nothing, and shows no alarming failure.
  await dialog.getByRole('button', { name: say('limits.set'), exact: true }).click();
  await dialog.getByText(say('limits.so_already')).waitFor();

  const back = dialog.getByRole('button', { name: named('limits.take_back', { within: true }) });
  assert.ok(await press(page, back, false));
  assert.equal((await viewOf('ann')).limits[0].waiting, undefined, 'nothing is sent without their word');
  assert.ok(await press(page, back, true));
  const keep = dialog.getByRole('button', { name: named('limits.keep', { within: true }) });
  await keep.waitFor();
  const { limits: [waits] } = await viewOf('ann');
  assert.ok(waits.most === 500 && waits.waiting.from > Date.now() + 23 * 3_600_000, JSON.stringify(waits));
  assert.equal(await back.count(), 0, 'it is given up already');
  await keep.click();
  await dialog.getByText(say('limits.is_set')).waitFor();
  await keep.waitFor({ state: 'detached' });
  assert.equal((await viewOf('ann')).limits[0].waiting, undefined);
  await checked();
});

test('time is asked for in hours and minutes', async () => {
  const { dialog, checked } = await opened('bea');
  await dialog.locator('select[name=of]').selectOption('play_time');
  assert.equal(await dialog.locator('input[name=most]').isVisible(), false);
  await dialog.locator('input[name=hours]').fill('1');
  await dialog.locator('input[name=minutes]').fill('30');
  await dialog.getByRole('button', { name: say('limits.set'), exact: true }).click();
  await dialog.getByText(say('limits.time', { hours: 1, minutes: 30 })).first().waitFor();
  assert.equal((await viewOf('bea')).limits[0].most, 5_400_000);
  await checked();
});

test('who shuts themselves out is asked first, and then stays out, in either language', async () => {
  for (const [player, locale, language] of [['cat', 'en-GB', 'en'], ['dan', 'ja-JP', 'ja']]) {
    const { page, dialog, checked } = await opened(player, { locale, language });
    const out = dialog.getByRole('button', { name: say('limits.out', {}, language), exact: true });
    await dialog.locator('select[name=days]').selectOption('7');
    assert.ok(await press(page, out, false));
    assert.equal((await viewOf(player)).excluded, undefined);
    assert.ok(await press(page, out, true));
    await dialog.getByText(named('limits.is_out', { within: true, language })).first().waitFor();
    const { excluded } = await viewOf(player);
    assert.ok(Math.abs(excluded - Date.now() - 7 * 86_400_000) < 60_000, `until ${excluded}`);
    await assert.rejects(service.operator(`/v1/players/${player}/credit`, { amount: 1 }, 'more'), /excluded/);
    await checked();
  }
});

test('the log tells in words what the operator set for a player, in either language', async () => {
  await service.operator('/v1/players', { player: 'eve' });
  const set = (body, key) => service.operator('/v1/players/eve/limits', body, key);
  await set({ of: 'deposit', per: 'day', most: 500 }, 'eve-1');
  await set({ of: 'play_time', per: 'week', most: 5_400_000 }, 'eve-2');
  await set({ of: 'deposit', per: 'day' }, 'eve-3');
  for (const [locale, language] of [['en-GB', 'en'], ['ja-JP', 'ja']]) {
    const { page, checked } = await visit(service, { locale });
    await go(page, '/log');
    const told = words => page.locator('li').filter({ hasText: 'eve' }).filter({ hasText: words }).waitFor();
    const per = span => say(`limits.per_${span}`, {}, language);
    await told(say('limits.says_deposit', { most: 500, per: per('day') }, language));
    const most = say('limits.time', { hours: 1, minutes: 30 }, language);
    await told(say('limits.says_play_time', { most, per: per('week') }, language));
    const limit = say('limits.says_no_deposit', { per: per('day') }, language);
    await told(named('log.sig_limit_waits', { within: true, language, values: { limit } }));
    assert.deepEqual(await untold(page), []);
    await checked();
  }
});

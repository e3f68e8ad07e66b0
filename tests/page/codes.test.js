// A code on a page leads to what it stands for: a rule and a check to the words of the page that states them, a refusal
// to the calls that answer with it; where a check fails, a Japanese page says so in Japanese; and no words of a service
// are markup.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { served, visit } from './harness.js';
import { go, named } from './rooms.js';
import { seated } from './seated.js';

const service = await served();

test('a rule, a ruling, a check and a refusal have a legend', async () => {
  const visitor = await visit(service), { page } = visitor;
  const legends = {
    'R002.10': /Change: discard one card of the hand/, 'A002.t': /It is decided when the card is seen/,
    inclusion: /each entry is under the checkpoint/, registration_closed: /Registration is over/,
    instant_out_of_range: named('docs.calls_with', { within: true }), 'R999.1': named('docs.no_code', { within: true }),
  };
  for (const [code, words] of Object.entries(legends)) {
    await go(page, `/docs?code=${code}`);
    await page.getByRole('heading', { level: 1, name: code }).waitFor();
    assert.match(await page.locator('.call').innerText(), words, code);
  }
  await visitor.checked();
});

for (const locale of ['en-GB', 'ja-JP']) {
  test(`a code in a toast leads to its legend (${locale})`, async () => {
    const visitor = await visit(service, { locale }), { page } = visitor;
    await go(page, '/');
    await page.evaluate(() => {
      const told = { code: 'instant_out_of_range', detail: 'the instant is too far back [instant_out_of_range]' };
      dispatchEvent(new ErrorEvent('error', { error: Object.assign(new Error(told.detail), told) }));
    });
    const link = page.locator('.toast').getByRole('link', { name: 'instant_out_of_range' });
    // It stays while somebody is at it.
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'instant_out_of_range' }).waitFor();
    await visitor.close();
  });
}

test('a code in a dialog leads to its legend, and the dialog is over', async () => {
  const visitor = await visit(service), { page } = visitor;
  await page.route('**/v1/guests', route => route.fulfill({
    status: 403, contentType: 'application/problem+json',
    json: { type: 'about:blank', title: 'no', status: 403, code: 'instant_out_of_range', detail: 'by R002.10' },
  }));
  await go(page, '/');
  await page.getByRole('banner').getByRole('button', { name: named('main.sign_in') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: named('main.as_guest') }).click();
  await dialog.getByRole('link', { name: 'R002.10' }).click();
  await page.getByRole('heading', { level: 1, name: 'R002.10' }).waitFor();
  assert.equal(await dialog.count(), 0);
  await visitor.close();
});

for (const language of ['en', 'ja']) {
  test(`a check that failed leads to its legend (${language})`, async () => {
    const at = await seated(service, { rules: 'joy', solo: true }), { page, visitor } = at;
    await page.evaluate(tag => localStorage.setItem('fairshoe.language', tag), language);
    await page.reload();
    visitor.proxy.lie('opening', { match: /reveals/ });
    await page.locator('[data-spot]').first().click();
    await page.locator('[data-place]').click();
    const halt = page.locator('.halt');
    await halt.waitFor();
    const check = await halt.getAttribute('data-check');
    const bar = await page.locator('.actions').evaluate(one => one.offsetHeight);
    assert.ok(bar < 100, `a bar of ${bar} px lies over the card that failed`);
    if (language === 'ja') assert.doesNotMatch((await halt.innerText()).replace(`[${check}]`, ''), /[a-z]{3}/i);
    const [legend] = await Promise.all([page.waitForEvent('popup'), halt.getByRole('link', { name: check }).click()]);
    await legend.getByRole('heading', { level: 1, name: check }).waitFor();
    await visitor.close();
  });
}

test('what a player reads from a table opens in another tab, and the table stays', async () => {
  const at = await seated(service, { rules: 'joy', solo: true }), { page, player } = at;
  await player.bet('blackjack');
  await player.playOn();
  const round = page.locator('.own-rounds').getByRole('link').first();
  const [replay] = await Promise.all([page.waitForEvent('popup'), round.click()]);
  await replay.waitForURL(/\/round\//);
  assert.equal(await replay.evaluate(() => JSON.parse(sessionStorage.getItem('fairshoe.who')).player), at.me.player);
  await page.evaluate(() => {
    const told = { code: 'instant_out_of_range', detail: 'the instant is too far back [instant_out_of_range]' };
    dispatchEvent(new ErrorEvent('error', { error: Object.assign(new Error(told.detail), told) }));
  });
  const link = page.locator('.toast').getByRole('link', { name: 'instant_out_of_range' });
  const [legend] = await Promise.all([page.waitForEvent('popup'), link.click()]);
  await legend.getByRole('heading', { level: 1, name: 'instant_out_of_range' }).waitFor();
  assert.equal(new URL(page.url()).pathname, `/play/${at.table}`);
  await player.placing.waitFor();
  await at.visitor.close();
});

test('a name that is markup stays text', async () => {
  const visitor = await visit(service);
  const { page, proxy } = visitor;
  // A malicious service sends names and rules with markup; none of it may become an element.
  const bad = '<img src=x onerror=alert(1)><b>bold</b>';
  const answer = proxy.lies;
  answer.push({
    ask: () => false,
    answer: message => {
      const told = message.json?.tables ?? (message.json?.notices ? [message.json] : []);
      for (const table of told) table.notices = [bad];
      return told.length > 0;
    },
  });
  const dialogs = [];
  page.on('dialog', dialog => { dialogs.push(dialog.message()); dialog.dismiss(); });
  for (const at of ['/', '/play/joy-1']) {
    await go(page, at);
    assert.equal(await page.locator('main img, main b:text-is("bold")').count(), 0, at);
  }
  assert.deepEqual(dialogs, []);
  await visitor.checked();
});

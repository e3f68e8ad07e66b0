// A code on a page leads to what it stands for: a rule and a check to the words of the page that states them, a refusal
// to the calls that answer with it; and where a check fails, a Japanese page says so in Japanese.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closeBrowser, Service, visit } from './harness.js';
import { go, named } from './rooms.js';
import { seated } from './seated.js';

let service;
before(async () => {
  service = await Service.start({ options: ['--connections-per-address', '0'] });
});
after(async () => {
  await closeBrowser();
  await service.end();
});

test('a rule, a ruling, a check and a refusal have a legend', async () => {
  const visitor = await visit(service), { page } = visitor;
  const legends = {
    'R002.10': /discard one card of the hand/, 'A002.t': /It is decided when the card is seen/,
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
    if (language === 'ja') assert.doesNotMatch((await halt.innerText()).replace(`[${check}]`, ''), /[a-z]{3}/i);
    await halt.getByRole('link', { name: check }).click();
    await page.getByRole('heading', { level: 1, name: check }).waitFor();
    await visitor.close();
  });
}

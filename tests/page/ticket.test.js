// A ticket of the house's own page: the browser becomes the player, the address loses the ticket, an expired ticket is
// reported as such, and a player who is signed in is replaced only after a question.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Bot } from './bots.js';
import { browser, served, visit } from './harness.js';
import { say } from './rooms.js';

await browser();
const service = await served([]);
before(async () => {
  await Bot.credited(service, 'ann', 4_200);
  await Bot.credited(service, 'bea', 5_300);
});

const linkOf = async player => (await service.operator(`/v1/players/${player}/tickets`, {})).link;
const who = page => page.locator('.purse .name');

test('a ticket signs in, in any room, and is in the address no more', async () => {
  for (const room of ['/', '/play/joy-1']) {
    const { page, checked } = await visit(service);
    const link = (await linkOf('ann')).slice(1);
    await page.goto(`${room}${link}`);
    await who(page).getByText('ann').waitFor();
    assert.equal(await page.evaluate(() => location.pathname + location.search + location.hash), room);
    assert.equal(await page.evaluate(() => localStorage.getItem('fairshoe.who')), null, 'in the tab alone');
    await page.getByText(say('main.welcome', { player: 'ann' })).first().waitFor();
    // The token still works after a reload, which brings no ticket.
    await page.reload();
    await who(page).getByText('ann').waitFor();
    await checked();
  }
});

test('a ticket that was used is said to be so, where a player can sign in otherwise', async () => {
  for (const [locale, language] of [['en-GB', 'en'], ['ja-JP', 'ja']]) {
    const link = await linkOf('ann');
    await service.must('/v1/tickets/exchange', { body: { ticket: link.split('=')[1] } });
    const { page, checked } = await visit(service, { locale });
    await page.goto(link);
    const dialog = page.getByRole('dialog');
    await dialog.getByText(say('trouble.ticket_refused', {}, language)).waitFor();
    assert.equal(await page.evaluate(() => location.hash), '');
    assert.equal(await who(page).count(), 0);
    await checked();
  }
});

test('whoever plays is replaced only when they agree', async () => {
  const { page, checked } = await visit(service);
  await page.goto(await linkOf('ann'));
  await who(page).getByText('ann').waitFor();
  const asked = [];
  for (const agrees of [false, true]) {
    page.once('dialog', dialog => {
      asked.push(dialog.message());
      return agrees ? dialog.accept() : dialog.dismiss();
    });
    // In an open page, without a reload.
    await page.evaluate(to => { location.hash = to; }, (await linkOf('bea')).slice(1));
    await page.waitForFunction(() => location.hash === '');
    await assert.doesNotReject(async () => { while (asked.length < (agrees ? 2 : 1)) await page.waitForTimeout(50); });
    await who(page).getByText(agrees ? 'bea' : 'ann').waitFor();
  }
  assert.deepEqual(asked, Array(2).fill(say('main.sure_ticket', { player: 'bea', other: 'ann' })));
  // The same player again: no question.
  await page.goto(await linkOf('bea'));
  await who(page).getByText('bea').waitFor();
  await checked();
});

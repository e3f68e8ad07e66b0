// Searching rounds on the page, in the log's room: a player's own, all with an auditor's token, page by page, saved for
// a spreadsheet; empty, refused and interrupted searches; by keyboard; and names with markup stay text. Then what a
// desk does with a round that it found: reads its page, judges its file under a key of its own.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { before, test } from 'node:test';
import { Bot } from './bots.js';
import { assertNone, served, visit } from './harness.js';
import { findings, go, named, overflow, say, untold } from './rooms.js';

const PAGE = 25;
const service = await served();
let ann, bea, auditor;
before(async () => {
  [ann, bea] = [await Bot.credited(service, 'ann'), await Bot.credited(service, 'bea')];
  await ann.rounds('joy-1', PAGE + 2);
  await bea.rounds('joy-1', 1);
  auditor = (await service.operator('/v1/auditors', { name: 'desk' })).token;
});

test('an address leads to the form', async () => {
  const visitor = await visit(service), { page } = visitor;
  await go(page, '/log#log-find');
  const head = page.getByRole('heading', { name: named('log.find') });
  await page.waitForFunction(() => {
    const { top } = document.getElementById('log-find').getBoundingClientRect();
    return top >= 0 && top < innerHeight;
  });
  assert.ok(await head.isVisible());
  await visitor.checked();
});

/** The log's room with its form, for a player or for nobody. */
async function atForm(bot, options = {}) {
  const visitor = await visit(service, options);
  const { page } = visitor, language = options.locale === 'ja-JP' ? 'ja' : 'en';
  if (bot)
    await page.addInitScript(who => sessionStorage.setItem('fairshoe.who', JSON.stringify(who)), {
      player: bot.player, token: bot.token,
    });
  await go(page, '/log');
  const part = page.getByRole('region', { name: named('log.find', { language }) });
  const words = key => named(key, { language });
  return {
    ...visitor,
    part,
    field: key => part.getByLabel(say(`log.find_${key}`, {}, language), { exact: true }),
    button: key => part.getByRole('button', { name: words(`log.find_${key}`) }),
    status: part.getByRole('status'),
    failure: part.getByRole('alert'),
    rows: part.getByRole('row'),
  };
}

/** The service's own result. */
const told = async (query, token) =>
  (await fetch(`${service.url}/v1/rounds?${query}`, { headers: { authorization: `Bearer ${token}` } })).text();
const listed = async (query, token) =>
  (await told(query, token)).split('\n').filter(Boolean).map(line => JSON.parse(line));
const links = rows => rows.getByRole('link').evaluateAll(all => all.map(link => link.getAttribute('href')));

/** Waits for the text of a finished search. */
async function says(status, key, values) {
  await status.getByText(say(key, values)).or(status.filter({ hasText: say(key, values) })).first().waitFor();
}

test('a player finds their own rounds, page by page, each with its link', async () => {
  const { page, part, field, button, status, rows, checked } = await atForm(ann);
  assert.equal(await field('player').inputValue(), 'ann');
  await button('go').click();
  await says(status, 'log.find_first', { n: PAGE });
  assert.equal(await rows.count(), PAGE + 1);
  await button('more').click();
  await says(status, 'log.find_all', { n: PAGE + 2 });
  assert.ok(await button('more').isHidden());
  const all = await listed('player=ann', ann.token);
  assert.deepEqual(await links(rows), all.map(({ round }) => `/round/${round}`));
  const first = await rows.nth(1).innerText();
  for (const value of [all[0].round, 'ann', String(all[0].staked), String(all[0].returned)])
    assert.ok(first.includes(value), `${value} in ${first}`);
  // A result, and a sum.
  for (const outcome of ['won', 'lost']) {
    await part.getByRole('combobox').selectOption(outcome);
    await button('go').click();
    const fit = await listed(`player=ann&outcome=${outcome}`, ann.token);
    await says(status, fit.length ? 'log.find_all' : 'log.find_none', { n: fit.length });
    assert.equal((await links(rows)).length, fit.length, outcome);
  }
  // Those in which they lost so much.
  const [{ net }] = all.filter(({ outcome }) => outcome === 'lost');
  await part.getByRole('combobox').selectOption('');
  for (const key of ['net', 'most']) await field(key).fill(String(net));
  await button('go').click();
  const lost = all.filter(one => one.net === net);
  await says(status, 'log.find_all', { n: lost.length });
  assert.deepEqual(await links(rows), lost.map(({ round }) => `/round/${round}`));
  await part.getByRole('row').nth(1).getByRole('link').click();
  await page.waitForURL(/\/round\/joy-1:\d+$/);
  await checked();
});

test('all that was found is saved as CSV, of all pages', async () => {
  const { page, button, status, checked } = await atForm(ann);
  await button('go').click();
  await says(status, 'log.find_first', { n: PAGE });
  const [download] = await Promise.all([page.waitForEvent('download'), button('csv').click()]);
  assert.equal(download.suggestedFilename(), 'rounds.csv');
  const text = fs.readFileSync(await download.path(), 'utf8');
  assert.equal(text, await told('player=ann&format=csv', ann.token));
  assert.equal(text.trim().split('\r\n').length, PAGE + 3);
  await checked();
});

test('times are typed in UTC, and nothing found is said', async () => {
  const { field, button, status, rows, checked } = await atForm(ann, { locale: 'en-GB' });
  const all = await listed('player=ann', ann.token), at = new Date(all[3].begun + 1000).toISOString().slice(0, 19);
  await field('from').fill(at);
  await button('go').click();
  const later = all.filter(({ begun }) => begun >= Date.parse(`${at}Z`));
  await says(status, later.length ? 'log.find_all' : 'log.find_none', { n: later.length });
  assert.deepEqual(await links(rows), later.map(({ round }) => `/round/${round}`));
  await field('from').fill('');
  await field('to').fill('2001-01-01T00:00');
  await button('go').click();
  await says(status, 'log.find_none');
  assert.equal(await rows.count(), 0);
  assert.ok(await button('csv').isHidden());
  await checked();
});

test('nobody without a token, a player no other, an auditor all; their token is kept nowhere', async () => {
  const nobody = await atForm(null);
  await nobody.button('go').click();
  await nobody.failure.getByText(say('log.find_who')).waitFor();
  assert.equal(nobody.page.url().includes('?'), false);
  await nobody.part.getByText(say('log.find_as'), { exact: true }).click();
  await nobody.field('token').fill(auditor);
  await nobody.field('table').fill('joy-1');
  await nobody.button('go').click();
  await says(nobody.status, 'log.find_first', { n: PAGE });
  assert.ok(await nobody.failure.isHidden());
  await nobody.field('player').fill('bea');
  await nobody.field('table').fill('');
  await nobody.button('go').click();
  await says(nobody.status, 'log.find_all', { n: 1 });
  assert.equal(await nobody.rows.nth(1).getByRole('cell', { name: 'bea' }).count(), 1);
  // A name stands in its field, and is not said again.
  await nobody.field('player').fill('nobody-of-this-name');
  await nobody.button('go').click();
  await nobody.failure.getByText(say('trouble.unknown_player')).waitFor();
  assert.equal(await nobody.rows.count(), 0);
  const kept = await nobody.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  assert.ok(!kept.includes(auditor));
  await nobody.checked();

  const player = await atForm(ann);
  for (const other of ['bea', '']) {
    await player.field('player').fill(other);
    await player.button('go').click();
    await player.failure.filter({ hasText: /\S/ }).waitFor();
    assert.equal(await player.rows.count(), 0);
  }
  await player.checked();
});

test('by keyboard alone: from field to field, Enter finds, Tab comes to the rounds', async () => {
  const { page, field, status, rows, checked } = await atForm(ann);
  await field('player').focus();
  await page.keyboard.press('Tab');
  assert.ok(await field('table').evaluate(node => node === document.activeElement));
  await page.keyboard.type('joy-1');
  await page.keyboard.press('Enter');
  await says(status, 'log.find_first', { n: PAGE });
  const link = rows.nth(1).getByRole('link');
  for (let i = 0; i < 30 && !await link.evaluate(node => node === document.activeElement); i += 1)
    await page.keyboard.press('Tab');
  assert.ok(await link.evaluate(node => node === document.activeElement), 'Tab comes to the first round');
  await checked();
});

test('what a service gone bad says stays text, and an answer that breaks off is said to be one', async () => {
  const { page, part, button, failure, rows, checked } = await atForm(ann);
  const line = more => `${JSON.stringify({
    round: 'joy-1:0', rules: 'joy', begun: 1, ended: 2, player: 'ann', outcome: 'won', unit: 'money', staked: 1,
    returned: 2, net: 1, cause: null, first_entry: 1, last_entry: 2, ...more })}\n`;
  const bad = '<img src=x onerror=alert(1)>';
  let body = line({ round: `${bad}:0`, player: bad, outcome: bad, cause: bad, staked: bad, begun: bad })
    + line({ round: '//elsewhere.example/x:0', begun: 9e15, staked: -1.5, net: 1e300 });
  await page.route('**/v1/rounds?*', route => route.fulfill({ contentType: 'application/x-ndjson', body }));
  await button('go').click();
  await rows.nth(2).waitFor();
  assert.equal(await part.locator('img').count(), 0);
  assert.deepEqual(await links(rows), [], 'no link to what is no round');
  for (const cut of [line().slice(0, -9), `${line()}{"round"`, 'x'.repeat(40_000), `${line()}nothing\n`]) {
    body = cut;
    await button('go').click();
    await failure.getByText(say('log.find_broken')).waitFor();
    assert.ok(await button('csv').isHidden() === !cut.includes('\n'));
  }
  await checked();
});

for (const { locale, width, height, scheme } of [
  { locale: 'en-GB', width: 1280, height: 900, scheme: 'light' },
  { locale: 'ja-JP', width: 1280, height: 900, scheme: 'dark' },
  { locale: 'en-GB', width: 360, height: 740, scheme: 'dark' },
  { locale: 'ja-JP', width: 360, height: 740, scheme: 'light' },
]) {
  test(`the form and what it found, ${locale}, ${width} wide, ${scheme}`, async () => {
    const { page, part, button, rows, checked } = await atForm(ann, { locale, width, height, scheme });
    await button('go').click();
    await rows.nth(PAGE).waitFor();
    await page.mouse.move(0, 0);
    const found = [...await findings(page), ...await untold(page)];
    assertNone(found, 'faults');
    assert.equal(await overflow(page), 0, 'wider than the window');
    if (process.env.FAIRSHOE_PICTURES) {
      await part.scrollIntoViewIfNeeded();
      await part.screenshot({ path: `${process.env.FAIRSHOE_PICTURES}/find-${locale}-${width}.png` });
    }
    await checked();
  });
}

test("a round's page has the desk's times, the key for its command, and a legend for each code", async () => {
  const round = 'joy-1:0', { vkey } = await service.must('/v1/log'), visitor = await visit(service), { page } = visitor;
  await go(page, `/round/${round}`);
  const command = await page.locator('.take-away pre').first().innerText();
  assert.ok(command.endsWith(` ${round} --key '${vkey}'`), command);
  const times = page.locator('.replay-head').getByText(/UTC/);
  const [, , utc] = /(.*) · (\d{4}-\d\d-\d\d \S+) UTC/.exec(await times.innerText());
  const { entries } = await service.must('/v1/tables/joy-1/entries?limit=256');
  const bound = entries.map(({ entry }) => JSON.parse(entry)).find(({ events }) => events.some(one => one.bets_closed));
  assert.equal(new Date(`${utc.replace(' ', 'T')}Z`).getTime(), bound.time);
  // A reason names a rule: it leads to its sentence.
  await service.openTable({ table: 'stopped', rules: 'joy' });
  while (await bea.turn('stopped', { choose: () => undefined }));
  const live = (await service.must('/v1/tables/stopped')).round;
  assert.ok(live, 'a hand is in play');
  await service.operator(`/v1/rounds/${live}/void`, { reason: 'dealing_error: R001.124' }, 'void-it');
  await go(page, `/round/${live}`);
  await page.locator('.verdict').getByRole('link', { name: 'R001.124' }).click();
  await page.getByRole('heading', { level: 1, name: 'R001.124' }).waitFor();
  await visitor.checked();
});

test('a file is called sound only under a key that its reader typed', async () => {
  const { vkey } = await service.must('/v1/log');
  const bundle = await (await fetch(`${service.url}/v1/rounds/joy-1:0/bundle`)).text();
  const visitor = await visit(service), { page } = visitor;
  await page.goto('/verify');
  const word = () => page.locator('#word').innerText(), tone = () => page.locator('#verdict').getAttribute('class');
  await page.setInputFiles('#file', { name: 'round.json', mimeType: 'application/json', buffer: Buffer.from(bundle) });
  await page.getByText('by a key that you did not name').waitFor();
  assert.equal(await tone(), 'on_trust');
  assert.ok((await page.locator('#reason').innerText()).includes(vkey), 'it names the key that came with the file');
  // A key that is typed after the file counts at once.
  const key = page.locator('#trust');
  assert.ok(await page.locator('#form > summary').click().then(() => key.isVisible()), 'it lies in no fold of its own');
  for (const [typed, found, said] of [
    [vkey, /^sound/, /^Sound/], [vkey.replace(/.$/, last => (last === 'A' ? 'B' : 'A')), /^not_sound$/, /^Not sound/],
  ]) {
    await key.fill(typed);
    await key.blur();
    await page.waitForFunction(is => new RegExp(is).test(document.getElementById('verdict').className), found.source);
    assert.match(await word(), said);
    if (!(await page.locator('#form').getAttribute('open') !== null)) await page.locator('#form > summary').click();
  }
  const first = 'This file is of another log than the one whose key you gave.';
  assert.equal(await page.locator('#headline').innerText(), first);
  await visitor.checked();
});

// What the browser keeps. It keeps the log's head, and says whether it saw the log before. What the house signs beside
// the log: the page asks for it with whatever binds, keeps what is not on the log, and hands it out as a file that the
// auditor and the second verifier take (spec/receipts.md, "Received and refused").
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Bot } from './bots.js';
import { AUDIT, served, until, visit } from './harness.js';
import { Player } from './playing.js';
import { findings, go, named, say, untold, withToken } from './rooms.js';

const service = await served();

const kept = page => page.evaluate(() => Object.entries(localStorage).filter(([name]) => /note of /.test(name)));

test('a first visit claims nothing of an earlier one', async () => {
  const { page, checked } = await visit(service);
  for (const key of ['lobby.checked_first', 'lobby.checked']) {
    await go(page, '/');
    await page.getByText(say(key)).waitFor();
  }
  await checked();
});

test("every line of a table's sign is said in the language of the reader", async () => {
  const { page, checked } = await visit(service, { locale: 'ja-JP' });
  await go(page, '/play/joy-1');
  const lines = [...new Set((await service.tables()).flatMap(({ notices }) => notices))];
  const said = await page.evaluate(async given => {
    const { name } = performance.getEntriesByType('resource').find(one => one.name.endsWith('/play-sign.js'));
    const { signInWords } = await import(name);
    return given.map(signInWords);
  }, lines);
  assert.deepEqual(lines.filter((line, at) => said[at] === line), []);
  await checked();
});

test('a game that the page does not know has its card, and breaks nothing of the lobby', async () => {
  const visitor = await visit(service), { page, proxy, checked } = visitor;
  proxy.lies.push({
    ask: () => false,
    answer: ({ json }) => {
      const one = json?.tables?.find(({ table }) => table === 'play.joy-1');
      if (one) one.rules.game = { craps: { puck: 1 } };
      return !!one;
    },
  });
  await go(page, '/');
  const card = page.locator('.table-card', { hasText: 'craps' });
  await card.getByText(say('game.unknown')).waitFor();
  assert.equal(await card.getAttribute('href'), null, 'it leads nowhere');
  assert.ok(await page.locator('.table-card[href]').count() > 5, 'all other tables are there');
  assert.deepEqual(await findings(page), []);
  await checked();
});

for (const [language, locale] of [['en', 'en-GB'], ['ja', 'ja-JP']]) {
  test(`${locale}: the table of a game that the page does not know says so, and leads to the log`, async () => {
    const { page, proxy, checked } = await visit(service, { locale });
    proxy.recording = true;
    proxy.lies.push({
      ask: () => false,
      answer: ({ json, path }) => {
        const isMeant = path === '/v1/tables/joy-1' && json?.rules;
        if (isMeant) json.rules.game = { craps: { puck: 1 } };
        return isMeant;
      },
    });
    await go(page, '/play/joy-1');
    const main = page.getByRole('main');
    await main.getByRole('heading', { name: say('game.unknown', {}, language) }).waitFor();
    await main.getByText(say('play.unknown_game', { table: 'joy-1', game: 'craps' }, language)).waitFor();
    assert.deepEqual(await findings(page), []);
    assert.deepEqual(proxy.asked.filter(url => /bundle/.test(url)), [], 'by unknown rules nothing is judged');
    const link = main.getByRole('link', { name: named('main.log', { language }) });
    assert.equal(await link.getAttribute('href'), '/log');
    // Other tables are played as ever.
    await go(page, '/play/play.joy-1');
    await page.getByRole('region', { name: say('play.actions', {}, language) }).waitFor();
    await checked();
  });
}

test("the lobby's log grows with the log, and a phone at a table has a way back", async () => {
  const bot = await Bot.credited(service, 'grows', 1000);
  const { page, checked } = await visit(service, { width: 390, height: 844, touch: true });
  await page.clock.install();
  await go(page, '/play/joy-1');
  const lobby = page.getByRole('main').getByRole('link', { name: named('main.lobby', { within: true }) });
  assert.ok((await lobby.boundingBox()).height >= 24, 'a finger finds it');
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findings(page), [], colorScheme);
  }
  await lobby.click();
  const figures = page.locator('.log-head'), size = async () => (await service.must('/v1/log')).size;
  const shows = entries => figures.getByText(entries.toLocaleString('en'), { exact: true }).first().waitFor();
  await page.getByText(say('lobby.checked_first')).or(page.getByText(say('lobby.checked'))).first().waitFor();
  const before = await size();
  await shows(before);
  await bot.rounds('joy-1', 1);
  assert.ok(await size() > before);
  await page.clock.runFor(90_000);
  await shows(await size());
  await checked();
});

test('on a phone the head of a table takes one line, in Japanese too', async () => {
  const bot = await Bot.credited(service, 'millions', 1_000_000);
  const look = { locale: 'ja-JP', width: 390, height: 844, touch: true };
  const { page, checked } = await visit(service, look);
  await page.addInitScript(who => sessionStorage.setItem('fairshoe.who', JSON.stringify(who)),
    { player: bot.player, token: bot.token });
  await go(page, '/play/joy-1');
  await page.getByRole('button', { name: named('main.sign_out', { language: 'ja' }) }).waitFor();
  const last = await page.getByRole('banner').getByRole('button', { name: 'English' }).boundingBox();
  assert.ok(last.x + last.width <= 390, `its last button ends at ${last.x + last.width}`);
  const [mast, head] = await Promise.all(['.mast', '.table-head'].map(one => page.locator(one).boundingBox()));
  assert.ok(mast.height < 60 && head.height < 40, `${mast.height} and ${head.height} px`);
  await checked();
});

test('what the house refused stays in the browser, and is offered for the audit', async () => {
  const bot = await Bot.credited(service, 'noted', 1000);
  const { table } = await bot.must('/v1/tables', { rules: 'joy' });
  const { page, proxy, checked } = await visit(service);
  proxy.recording = true;
  await go(page, '/');
  await withToken(page, bot);
  const player = await Player.at({ page, proxy, checked }, table);
  await player.bet('blackjack');
  await player.playOn();
  const asked = proxy.asked.filter(url => /^.v1.*(bets|reveals|actions)/.test(url));
  assert.ok(asked.length >= 2 && asked.every(url => /received=first/.test(url)), asked.join('\n'));
  // The stream may tell the end before the reply to the last choice is here.
  await until(async () => (await kept(page)).length === 0, async () => `all of it is on the log: ${await kept(page)}`);

  // They are shut out, and the page does not know yet.
  await service.operator('/v1/players/noted/exclusion', { until: Date.now() + 86_400_000 }, 'out');
  await player.bet('blackjack');
  await page.getByText(say('trouble.excluded'), { exact: false }).first().waitFor();
  await until(async () => (await kept(page)).length === 1, 'one note: the refusal stands for what was received');
  const [[, note]] = await kept(page);
  assert.match(note, /^fairshoe refused\/v1\n.*\n\d+\nexcluded\nplayer:noted\n\{"bet":/);

  await go(page, '/log');
  await page.getByText(say('log.notes', { count: '1' })).waitFor();
  assert.deepEqual(await findings(page), []);
  assert.deepEqual(await untold(page), []);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: named('log.notes_save') }).click();
  const file = path.join(service.data, 'notes.jsonl');
  await (await saving).saveAs(file);
  assert.equal(fs.readFileSync(file, 'utf8'), `${JSON.stringify({ refused: note })}\n`);
  const { vkey } = await service.must('/v1/log');
  const judged = spawnSync(AUDIT, ['log', service.url, '--key', vkey, '--kept', file], { encoding: 'utf8' });
  assert.equal(judged.status, 0, judged.stdout + judged.stderr);
  assert.match(judged.stdout, /notes +1 of what the service received or refused/);
  await checked();
});

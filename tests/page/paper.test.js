// A round on paper (spec/audit.md): its story prints on two sheets, for any play, with hashes and keys after it. The
// page of a round prints on as many, with the command that checks it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { Bot } from './bots.js';
import { AUDIT, browser, served, until, visit } from './harness.js';
import { go, named } from './rooms.js';

const service = await served([]);

/** Plays until the table's first round is settled. */
async function played(rules, names) {
  const table = `${rules}-on-paper`;
  await service.operator('/v1/tables', { table, rules });
  const bots = [];
  for (const name of names) bots.push(await Bot.credited(service, `${name}-${rules}`));
  for (const bot of bots) await bot.sit(table);
  for (const bot of bots) bot.start(table);
  const settled = async () => {
    const { status, body } = await service.call(`/v1/rounds/${table}:0`);
    return status === 200 && body.round.phase === 'settled';
  };
  await until(settled, 'the end of a round', 60_000);
  for (const bot of bots) await bot.stop();
  return `${table}:0`;
}

for (const { rules, names, most } of [
  { rules: 'live-blackjack', names: ['ann'], most: 2 },
  { rules: 'holdem', names: ['ann', 'bob', 'cid'], most: 2 },
  // So many turns that both sides of the two sheets are used.
  { rules: 'omaha', names: ['ann', 'bob', 'cid', 'dora', 'eve', 'fay'], most: 4 },
]) {
  test(`a round of ${rules} prints on two sheets`, async () => {
    const round = await played(rules, names);
    const file = path.join(service.data, `${rules}.html`);
    const asked = ['round', service.url, round, '--only', '--currency', 'EUR:2', '--html', file];
    const { status, stderr } = spawnSync(AUDIT, asked, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const page = await (await browser()).newPage();
    await page.goto(`file://${file}`);
    const pages = async of => {
      const pdf = (await of.pdf({ preferCSSPageSize: true })).toString('latin1');
      return pdf.match(/\/Type\s*\/Page\b/g).length;
    };
    const all = await pages(page);
    await page.locator('.appendix').evaluate(one => one.remove());
    const first = await pages(page);
    assert.ok(first <= most && all > first, `${first} pages, and ${all - first} of the appendix`);
    await page.close();
    // The same round, printed from its page.
    const visitor = await visit(service), { page: room } = visitor;
    await go(room, `/round/${round}`);
    await room.evaluate(() => { window.print = () => {}; });
    await room.getByRole('button', { name: named('round.print') }).click();
    const printed = await pages(room);
    assert.ok(printed <= most, `the page prints on ${printed} sheets`);
    await room.emulateMedia({ media: 'print' });
    assert.ok(await room.getByText(`fairshoe-audit round ${visitor.proxy.url} ${round} --key`).isVisible());
    assert.equal(await room.getByRole('button').filter({ visible: true, hasText: /bundle|print/i }).count(), 0);
    await visitor.checked();
  });
}

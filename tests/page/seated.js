// A table for one test, company if the game needs it, and a player in a browser who is to sit there.
import assert from 'node:assert/strict';
import { announce, Bot } from './bots.js';
import { until, visit } from './harness.js';
import { Player } from './playing.js';
import { go, named, withToken } from './rooms.js';

let made = 0;

/**
 * `rules` of the table, with `solo` the player's own; `company`: a bot that sits there before the page is open
 * (otherwise both take the first seat, and the later one is told so). `pace` and `choose` are the bot's, `look` the
 * browser's.
 */
export async function seated(service, { rules, company, solo, pace = 120, choose, change = {}, look = {} }) {
  const number = made += 1, table = `${rules}-of-${number}`;
  const me = await Bot.credited(service, `me-${number}`);
  if (solo) await me.must('/v1/tables', { table, rules });
  else await service.openTable({ table, rules, ...change });
  let other;
  if (company) {
    other = await Bot.credited(service, `company-${number}`);
    await other.sit(table);
  }
  const visitor = await visit(service, look);
  await go(visitor.page, '/');
  await withToken(visitor.page, me);
  const player = await Player.at(visitor, table);
  other?.start(table, { pace, ...(choose ? { choose } : {}) });
  const done = async () => {
    await other?.stop();
    await visitor.checked();
  };
  return { table, me, other, player, visitor, page: visitor.page, done };
}

/**
 * Two entrants of a tournament, one in a browser, the other a bot; the page leads the first to their table. `change`
 * may change the structure.
 */
export async function drawn(service, event, { stack, choose, change }) {
  const [me, other] = [await Bot.credited(service, `me-${event}`), await Bot.credited(service, `rival-${event}`)];
  const visitor = await visit(service), { page } = visitor;
  await go(page, '/');
  await withToken(page, me);
  // Announced last: the browser is slow on a slow machine, and the start does not wait for it.
  await announce(service, event, { startsIn: 15_000, stack, change });
  await other.register(event);
  other.startEvent(event, { choose });
  await go(page, `/tournament/${event}`);
  await page.getByRole('main').getByRole('button', { name: named('tournament.register') }).click();
  await until(async () => (await me.must(`/v1/tournaments/${event}`)).own?.entry, 'the registration');
  // The page reveals the seed for the draw by itself, and leads to the table.
  const stage = async () => (await service.must(`/v1/tournaments/${event}`)).summary.stage;
  await until(async () => await stage() === 'running', 'the start', 60_000);
  const link = page.getByRole('main').getByRole('link', { name: named('tournament.to_table') });
  await link.first().click();
  await page.waitForURL(/\/play\//);
  const player = new Player(visitor, new URL(page.url()).pathname.split('/').pop());
  const done = async () => {
    assert.equal(await player.halt.count(), 0);
    await other.stop();
    await visitor.checked();
  };
  return { me, other, player, visitor, page, stage, done };
}

/** The commands of this player at a table, in the log's order: `{bet: {…}}`, `{act: {…}}` … */
export async function commandsOf(service, table, player) {
  const { entries } = await service.must(`/v1/tables/${table}/entries?limit=256`);
  return entries.map(({ entry }) => JSON.parse(entry)).filter(({ by }) => by === `player:${player}`)
    .map(({ command }) => command);
}

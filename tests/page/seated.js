// A table for one test, company if the game needs it, and a player in a browser who is to sit there.
import { Bot } from './bots.js';
import { visit } from './harness.js';
import { Player } from './playing.js';
import { go, withToken } from './rooms.js';

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

/** The commands of this player at a table, in the log's order: `{bet: {…}}`, `{act: {…}}` … */
export async function commandsOf(service, table, player) {
  const { entries } = await service.must(`/v1/tables/${table}/entries?limit=256`);
  return entries.map(({ entry }) => JSON.parse(entry)).filter(({ by }) => by === `player:${player}`)
    .map(({ command }) => command);
}

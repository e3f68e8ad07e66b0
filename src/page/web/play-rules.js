// The rules of a table, for people, with its own numbers: the aim of a round, the choices, the average cost
// (spec/games/odds.md). The rule set itself decides; the whole of it is under /docs and on the log.

import { el } from './dom.js';
import { GAMES, gameModule } from './games.js';
import { money, need, say } from './words.js';

/** A seat of somebody away is free after that while others wait, where the rule set says nothing. */
const AWAY_MS = 300_000;

const seconds = ms => say('rules.seconds', { seconds: ms / 1000 });

/** What the panel of the rules holds; its words come with it. A tournament's seats are held to its end. */
export async function rulesOf(rules, isOfEvent = false) {
  const [game] = Object.keys(rules.game),
    [{ lines }] = await Promise.all([gameModule(game), need('rules')]),
    { table } = rules,
    { away_ms: away = AWAY_MS } = table,
    { bank_ms: bank, bank_refill_ms: more } = rules.game.poker?.clocks ?? {};
  const facts = [
    game !== 'poker' && game !== 'safe'
      && ['stakes', say('play.between', { least: money(table.stake_min), most: money(table.stake_max) })],
    game !== 'poker' && table.stake_step > 1 && ['step', money(table.stake_step)],
    table.mode === 'shared' && ['seats', String(table.seats)],
    table.bet_time_ms > 0 && game !== 'poker' && ['bet_time', seconds(table.bet_time_ms)],
    table.turn_time_ms > 0 && GAMES[game].hasTurns && ['turn_time', seconds(table.turn_time_ms)],
    bank > 0 && ['bank', say('rules.bank_is', { seconds: bank / 1000, more: more / 1000 })],
    table.between_hands_ms > 0 && ['pause', seconds(table.between_hands_ms)],
    table.mode === 'shared' && !isOfEvent && ['away', say('rules.away_is', { seconds: away / 1000 })],
    ['crash', say(`rules.crash_${table.crash}`)],
  ];
  return el('div', { class: 'rules' },
    el('ul', { class: 'sign' }, lines(rules, money).filter(Boolean)
      .map(([line, values]) => el('li', {}, say(`rules.${line}`, values)))),
    el('dl', { class: 'facts' }, facts.filter(Boolean)
      .map(([name, value]) => [el('dt', {}, say(`rules.${name}`)), el('dd', {}, value)])));
}

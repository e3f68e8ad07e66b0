// The rules of a table, for people, with its own numbers: the aim of a round, the choices, the average cost
// (spec/games/odds.md). The rule set itself decides; the whole of it is under /docs and on the log.

import { el } from './dom.js';
import { HAS_NO_TURNS } from './play-status.js';
import { money, need, say } from './words.js';

/** The house's share of a stake, in percent, with the best play (spec/games/odds.md): for the shipped sets. */
const EDGES = {
  joy: -0.1946, 'live-blackjack': 0.7074, 'rng-blackjack': 0.7074, 'six-deck': -0.2543, 'six-deck-solo': -0.2543,
  'study-group': 0.084, 'study-group-solo': 0.084,
};
/** For baccarat with eight decks, commission 5 % and a tie at 8 to 1. */
const BACCARAT_EDGES = { player: 1.2351, banker: 1.0579, tie: 14.3596 };
const POCKETS = 37;

/** The sentences that apply to this table. */
const LINES = {
  safe: ({ game: { safe }, table }) => [
    ['safe_goal', { amount: money(table.stake_min) }], ['safe_deal'], ['safe_hit'],
    [safe.hit_change === 'seen' ? 'safe_change' : 'safe_change_declared'],
    [safe.pass === 'never' ? 'safe_must' : 'safe_must_pass'], ['safe_down'], ['safe_on'], ['safe_open'], ['safe_own'],
    ['safe_pile'], ['safe_last'], ['safe_clock'],
  ],
  blackjack: ({ name, table, game: { blackjack } }) => [
    ['blackjack_goal'], table.mode === 'shared' && [
      table.bets_per_player > 1 ? 'blackjack_boxes' : 'blackjack_box', { boxes: table.bets_per_player },
    ], ['blackjack_decks', { decks: blackjack.decks ?? 1 }],
    blackjack.max_hands > 1 && ['blackjack_split', { hands: blackjack.max_hands }],
    name in EDGES && [EDGES[name] < 0 ? 'edge_player' : 'edge', { percent: String(Math.abs(EDGES[name])) }],
  ],
  baccarat: ({ game: { baccarat } }) => [
    ['baccarat_goal'], ['baccarat_third'], ['baccarat_decks', { decks: baccarat.decks }],
    baccarat.decks === 8 && baccarat.tie_pays === 8 && baccarat.commission[0] * 20 === baccarat.commission[1]
      && ['baccarat_edge', BACCARAT_EDGES],
  ],
  roulette: ({ game: { roulette: { pays } } }) => [
    ['roulette_goal', { straight: pays.straight, even: pays.even_chance }],
    // For a straight bet; another bet has the same share if it pays in proportion.
    ['roulette_edge', { percent: String(Math.round(1e4 * (1 - (pays.straight + 1) / POCKETS)) / 100) }],
  ],
  poker: ({ table, game: { poker } }) => [
    [poker.hand.family === 'omaha' ? 'poker_omaha' : 'poker_holdem'],
    ['poker_blinds', { small: money(poker.blinds.small), big: money(poker.blinds.big) }],
    ['poker_buy_in', { least: money(table.stake_min), most: money(table.stake_max) }],
  ],
};

/** A seat of somebody away is free after that while others wait, where the rule set says nothing. */
const AWAY_MS = 300_000;

const seconds = ms => say('rules.seconds', { seconds: ms / 1000 });

/** What the panel of the rules holds; its words come with it. A tournament's seats are held to its end. */
export async function rulesOf(rules, isOfEvent = false) {
  await need('rules');
  const { table } = rules,
    { away_ms: away = AWAY_MS } = table,
    [game] = Object.keys(rules.game),
    { bank_ms: bank, bank_refill_ms: more } = rules.game.poker?.clocks ?? {};
  const facts = [
    game !== 'poker' && game !== 'safe'
      && ['stakes', say('play.between', { least: money(table.stake_min), most: money(table.stake_max) })],
    game !== 'poker' && table.stake_step > 1 && ['step', money(table.stake_step)],
    table.mode === 'shared' && ['seats', String(table.seats)],
    table.bet_time_ms > 0 && game !== 'poker' && ['bet_time', seconds(table.bet_time_ms)],
    table.turn_time_ms > 0 && !HAS_NO_TURNS.has(game) && ['turn_time', seconds(table.turn_time_ms)],
    bank > 0 && ['bank', say('rules.bank_is', { seconds: bank / 1000, more: more / 1000 })],
    table.between_hands_ms > 0 && ['pause', seconds(table.between_hands_ms)],
    table.mode === 'shared' && !isOfEvent && ['away', say('rules.away_is', { seconds: away / 1000 })],
    ['crash', say(`rules.crash_${table.crash}`)],
  ];
  return el('div', { class: 'rules' },
    el('ul', { class: 'sign' }, LINES[game](rules).filter(Boolean)
      .map(([line, values]) => el('li', {}, say(`rules.${line}`, values)))),
    el('dl', { class: 'facts' }, facts.filter(Boolean)
      .map(([name, value]) => [el('dt', {}, say(`rules.${name}`)), el('dd', {}, value)])));
}

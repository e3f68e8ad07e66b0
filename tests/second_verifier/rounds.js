#!/usr/bin/env node
// Random rounds, played by the engines of fairshoe-verify.js, which are written from spec/ alone. One line of JSON is
// one round: rules, bets and cards, each event, and at each decision what may be chosen and what is refused.
// src/games/tests/second_engine.rs plays them again with the engines of the service.
//
//     node rounds.js ROUNDS SEED
'use strict';
const fs = require('fs');
const path = require('path');
const { games, House, Refusal } = require('../../tools/verifier/fairshoe-verify.js');

/** Small, fast, reproducible (mulberry32): random numbers for tests, not for shoes. */
function chance(seed) {
  let state = seed | 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(fraction() * n);
  const pick = (list) => list[below(list.length)];
  const shuffled = (list) => {
    const copy = [...list];
    for (let i = copy.length - 1; i > 0; i -= 1) {
      const j = below(i + 1);
      [copy[i], copy[j]] = [copy[j], copy[i]];
    }
    return copy;
  };
  return { below, pick, shuffled, often: (share) => fraction() < share };
}

const root = path.join(__dirname, '..', '..');
const ruleSet = (name) => JSON.parse(fs.readFileSync(path.join(root, 'spec', 'rulesets', name + '.json'), 'utf8'));
const PACK = [...'cdhs'].flatMap((suit) => [...'A23456789TJQK'].map((rank) => rank + suit));

// --- Random rule sets ----------------------------------------------------------------------------

const FORMS = [
  'joy', 'live-blackjack', 'rng-blackjack', 'six-deck', 'six-deck-solo', 'study-group', 'study-group-solo',
];
const EITHER = [true, false];

/** Values of each option, some out of bounds: both programs must refuse those. */
const VALUES = {
  decks: [1, 2, 6, 8],
  deal_order: ['interleaved', 'pp_dd'],
  up_card: ['dealt_up', 'turned_after_deal'],
  peek: ['none', 'ace', 'ten_ace'],
  blackjack_pays: [
    [3, 2],
    [8, 5],
    [2, 1],
    [7, 4],
    [10, 1],
    [6, 5],
  ],
  blackjack_rounding: ['up', 'down'],
  hit_blackjack: EITHER,
  auto_stand_21: EITHER,
  card_limit: [0, 0, 3, 4, 5, 7, 21, 22],
  double_amount: ['exact', 'up_to'],
  double_after_split: EITHER,
  double_any_cards: EITHER,
  split_by_value: EITHER,
  max_hands: [2, 3, 4, 'unlimited', 1],
  second_cards: ['when_played', 'at_once'],
  split_aces: ['free', 'one_card'],
  split_cancels_dealer_blackjack: EITHER,
  surrender: ['none', 'early', 'late'],
  surrender_any_time: EITHER,
  insurance: ['none', 'stake_back', 'half'],
  insurance_odds: ['none', '2:1', '3:1'],
  insure_blackjack: EITHER,
  even_money_upcards: ['none', 'ten', 'ace'],
  draw_against_blackjack: EITHER,
  dealer_always_draws: EITHER,
  settle_at_once: EITHER,
  pay_blackjack_at_once: EITHER, settlement_order: ['left_to_right', 'right_to_left'],
};

/** Mostly removes contradictions, so that most rule sets can be played. */
function reconcile(options) {
  if ((options.insurance === 'half') === (options.insurance_odds === 'none'))
    options.insurance_odds = options.insurance === 'half' ? '2:1' : 'none';
  if (options.surrender === 'early' && (options.peek !== 'none' || options.insurance === 'stake_back'))
    options.surrender = 'late';
  if (options.surrender === 'none') options.surrender_any_time = false;
  if (options.peek !== 'ten_ace' || options.hit_blackjack || options.draw_against_blackjack)
    options.pay_blackjack_at_once = false;
  if (options.peek === 'ten_ace') options.split_cancels_dealer_blackjack = false;
  if (options.even_money_upcards === 'ace' && options.insurance !== 'none') options.insure_blackjack = false;
}

function blackjackRules(random) {
  const rules = ruleSet(random.pick(FORMS));
  const options = rules.game.blackjack;
  const changed = random.pick([0.05, 0.15, 0.4, 1]);
  for (const name of Object.keys(VALUES)) if (random.often(changed)) options[name] = random.pick(VALUES[name]);
  if (random.often(0.9)) reconcile(options);
  Object.assign(rules.table, { reshuffle: 'every_round', stake_min: 1, stake_max: 1000, stake_step: 1, chips: [] });
  if (random.often(0.1))
    rules.table.reshuffle = { [random.pick(['cut_back', 'left_at_most', 'left_below'])]: random.below(60) };
  return rules;
}

function safeRules(random) {
  const rules = ruleSet('safe');
  rules.game.safe = {
    pass: random.pick(['after_operation', 'never']),
    hit_change: random.pick(['seen', 'declared']),
    last_round: random.pick([1, 2, 5, 255, 255, 255]),
  };
  return rules;
}

/** Rule sets of the games that chance alone decides. */
function chanceRules(random, name) {
  const rules = ruleSet(name.replaceAll('_', '-')), options = rules.game[name];
  Object.assign(rules.table, { stake_min: 1, stake_max: 1000, stake_step: random.often(0.1) ? 2 : 1 });
  if (name === 'roulette' && random.often(0.3))
    for (const kind of Object.keys(options.pays)) options.pays[kind] = random.below(102);
  if (name === 'baccarat' && random.often(0.3)) {
    const [banker_min, tie_pays, d] = [1 + random.below(30), random.below(12), random.pick([1, 10, 25, 100])];
    Object.assign(options, { decks: random.below(9), commission: [random.below(8), d], banker_min, tie_pays });
  }
  if (name === 'sic_bo' && random.often(0.3)) {
    const { pays } = options;
    for (const kind of Object.keys(pays))
      pays[kind] = Array.isArray(pays[kind]) ? pays[kind].map(() => random.below(202)) : random.below(202);
  }
  if (name === 'dragon_tiger' && random.often(0.3))
    for (const [name, most] of Object.entries({ decks: 10, tie_pays: 102, suited_tie_pays: 102 }))
      options[name] = random.below(most);
  return rules;
}

const RULES = { blackjack: blackjackRules, safe: safeRules };
const rulesOf = (random, name) => (RULES[name] || chanceRules)(random, name);

// --- Bets ------------------------------------------------------------------------------------------------------------

const staked = bets => bets.reduce((sum, { stake }) => sum + stake, 0);

/** Bets by player, by players in the order of their names; now and then with a fault. */
function placedBets(random, rules, engine) {
  const { table } = rules, { boxes } = rules.game.blackjack || {};
  const stake = () => 1 + random.below(random.pick([3, 60, 1000]));
  if (boxes) {
    const shared = table.mode === 'shared', most = shared ? boxes : table.bets_per_player;
    const spots = random.shuffled([...Array(boxes).keys()].map(n => String(n + 1))).slice(0, 1 + random.below(most));
    const people = shared ? spots.map(() => 'p' + random.below(spots.length)) : spots.map(() => 'p0');
    const names = [...new Set(people)].sort();
    return names.map(player => ({
      player,
      bets: spots.filter((_, at) => people[at] === player).map(spot => ({ spot, stake: stake() }))
        .slice(0, table.bets_per_player),
    }));
  }
  const people = [...Array((engine.name === 'safe' ? 2 : 1) + random.below(5)).keys()].map(n => 'p' + n);
  if (engine.name === 'safe') {
    const seats = random.shuffled([1, 2, 3, 4, 5, 6]);
    return people.map((player, at) => ({ player, bets: [{ spot: String(seats[at]), stake: 100 }] }));
  }
  const spots = engine.spots();
  return people.map(player => ({
    player,
    bets: random.shuffled(spots).slice(0, 1 + random.below(Math.min(spots.length, 12)))
      .map(spot => ({ spot, stake: spot === 'banker' ? 19 + stake() : stake() })),
  }));
}

const STRANGE = ['0', '01', '+1', 'a', '', ' 1', '1/1', 'dealer', '8', '256', '-1', 'Player', 'banker ', 'player:1',
  'straight:37', 'split:1-3', 'split:2-1', 'corner:3-4-6-7', 'dozen:4', 'line:34-39', 'street:2-3-4', 'Red', 'top'];

/** One fault, or none that counts. */
function spoil(random, bets) {
  const bet = random.pick(bets);
  const faults = [
    () => bets.splice(0),
    () => { bet.spot = random.pick(STRANGE); },
    () => bets.push(...Array(random.pick([1, 1, 30])).fill({ ...bet })),
    () => { bet.stake = random.below(4); },
    () => { bet.stake = 998 + random.below(6); },
    () => Object.assign(bet, { spot: 'banker', stake: random.pick([18, 19, 20, 21]) }),
  ];
  random.pick(faults)();
}

/** Why these bets are refused, or null. */
function whyNotBet(rules, bets, funds) {
  const house = new House(true);
  house.table = { rules, window: null, seats: new Map() };
  try {
    house.checkBets('p0', bets, funds);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.code;
  }
}

// --- A round ---------------------------------------------------------------------------------------------------------

/** Aces, tens and pairs usually come early, for the dealer too: there the rules differ. */
function cardsOf(random, decks) {
  const shoe = random.shuffled(Array(decks).fill(PACK).flat());
  if (random.often(0.3)) return shoe;
  if (random.often(0.5)) {
    const put = (at, ranks) => {
      const found = shoe.findIndex((card, i) => i >= at && ranks.includes(card[0]));
      if (found > at) [shoe[at], shoe[found]] = [shoe[found], shoe[at]];
    };
    // A pair, and a dealer who may have a blackjack: as one box is dealt in turn with the dealer, or before them.
    const pair = random.pick([...'A89TK']), dealers = random.pick([['TJQK', 'A'], ['A', 'TJQK'], ['A23456789T', '9T']]);
    const [mine, theirs] = random.pick([[[0, 2], [1, 3]], [[0, 1], [2, 3]]]);
    mine.forEach(at => put(at, pair));
    theirs.forEach((at, n) => put(at, dealers[n]));
    return shoe;
  }
  const wanted = random.pick(['A', 'AT', '8', 'ATK', '2A', 'A9K']);
  const early = shoe.slice(0, 60);
  return [
    ...early.filter(card => wanted.includes(card[0]) || random.often(0.3)),
    ...early.filter(card => !wanted.includes(card[0]) && random.often(0.8)),
  ];
}

/** Weights of the choices by a player's manner: one who splits, one who closes every hand, one who stays alive … */
const MANNERS = {
  blackjack: [{}, { split: 30, hit: 3 }, { split: 30, double: 3 }, { split: 30, even_money: 9, surrender: 0 }],
  safe: [{}, { face_down: 30, pass: 9 }, { stand: 9, pass: 9, accept: 9 }, { discard: 9, hit: 5, accept: 5 }],
};

class Round {
  constructor(random, engine, rules, placed, funds) {
    Object.assign(this, { random, engine, placed, funds: { ...funds }, steps: [], asked: 0, dealer: [] });
    let pile = engine.name === 'safe' ? random.shuffled(PACK) : cardsOf(random, rules.game[engine.name].decks || 0);
    if (engine.name !== 'safe' && random.often(0.1)) pile = pile.slice(0, random.below(30));
    this.piles = [pile];
    this.next = 0;
    this.manner = Object.assign({}, ...'hit stand double split surrender insurance even_money accept'.split(' ')
      .map(word => ({ [word]: 0.03 + random.below(100) / 100 })), random.pick(MANNERS[engine.name] || [{}]));
    this.absence = random.often(0.3);
    this.pocket = random.below(engine.name === 'sic_bo' ? 216 : 37);
    this.state = engine.start(rules, placed);
  }

  play() {
    for (let steps = 0; steps < 20000 && !this.short; steps += 1) {
      const step = this.engine.next(this.state, { balance: player => this.funds[player] });
      if (step.done) return;
      const [kind] = Object.keys(step);
      this[kind](step[kind], step);
    }
    if (!this.short) throw new Error('a round without an end');
  }

  put(event) {
    this.engine.apply(this.state, event);
    this.steps.push({ event, ahead: this.engine.ahead(this.state) });
  }

  /** Slots are counted from the pile's end, so that nobody takes one for the number of the draw. */
  dealt({ lane, to, hidden }) {
    const pile = this.piles.at(-1), slot = pile.length - 1 - this.next, card = pile[this.next];
    if (!card) { this.short = true; return; }
    this.next += 1;
    if (to === 'dealer') this.dealer.push(card);
    this.put({ dealt: hidden ? { lane, slot, to } : { lane, slot, to, card } });
  }

  turned(fields) {
    const pile = this.piles.at(fields.pile ?? -1);
    this.put({ turned: { ...fields, card: pile[pile.length - 1 - fields.slot] } });
  }

  peeked({ slot }) {
    const ranks = this.dealer.slice(0, 2).map(card => card[0]);
    this.put({ peeked: { slot, blackjack: ranks.includes('A') && ranks.some(rank => 'TJQK'.includes(rank)) } });
  }

  spun() { this.put({ spun: { slot: 5, value: 3, pocket: this.pocket } }); }

  paid(fields) {
    for (const { player, returned } of fields.lines) this.funds[player] += returned;
    this.put({ paid: fields });
  }

  safe(fields) { this.put({ safe: fields }); }

  offered(fields) {
    this.put({ offered: { decision: this.asked, ...fields, deadline: 7 } });
    this.asked += 1;
  }

  wait(what, { cards, players }) {
    const { random } = this;
    if (what !== 'pile') { this.choose(); return; }
    this.steps.push({ pile: this.piles.length, cards, players });
    if (this.absence && random.often(0.3)) {
      this.put({ absent: { player: random.pick(players) } });
      return;
    }
    this.piles.push(random.shuffled(cards));
    this.next = 0;
    this.put({ shuffled: { pile: this.piles.length - 1 } });
  }

  /** What an action would become: the action and its cost, or the code of its refusal. */
  verdict(player, decision, action) {
    try {
      const { action: taken, cost } = this.engine.act(this.state, player, decision, action, this.funds[player] ?? 0);
      return { action: taken, cost };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.code;
    }
  }

  choose() {
    const { random, engine, state } = this, open = engine.openDecisions(state);
    const { decision, player } = random.pick(open), stranger = random.pick(['zoe', ...Object.keys(this.funds)]);
    const other = random.pick([this.asked, decision - 1, decision + 1].filter(n => n >= 0));
    const mine = this.actions(player).map(action => [player, decision, action]);
    const tries = [...mine, [stranger, decision, 'stand'], [player, other, 'stand'], [player, other, 'hit']]
      .map(each => [...each, this.verdict(...each)]);
    const fallback = engine.defaultAction(state, decision);
    const options = open.map(each => engine.options(state, each.decision, this.funds[each.player]));
    this.steps.push({ open, options, tries, decision, fallback });
    const taken = tries.filter(([who, number, , verdict]) => who === player && number === decision && verdict.action);
    const isDefault = taken.length === 0 || random.often(0.06);
    const { action, cost } = isDefault ? { action: fallback, cost: 0 } : this.weighted(taken.map(each => each[3]));
    this.funds[player] -= cost;
    this.put({ acted: { decision, player, action, cost, default: isDefault } });
  }

  weighted(verdicts) {
    const weigh = ({ action }) => this.manner[typeof action === 'string' ? action : Object.keys(action)[0]] ?? 0.3;
    let left = this.random.below(1000) / 1000 * verdicts.reduce((sum, each) => sum + weigh(each), 0);
    return verdicts.find(each => (left -= weigh(each)) < 0) || verdicts[0];
  }

  /** Actions of every kind, possible or not. */
  actions(player) {
    const { random } = this, words = ['hit', 'stand', 'split', 'surrender', 'face_down', 'accept', 'reject', 'pass'];
    const [stake] = random.pick(this.placed).bets.map(bet => bet.stake);
    const amounts = [0, 1 + random.below(stake), stake, stake + 1, random.below(2 * stake + 2)];
    const { hand, down = [] } = (this.state.players || []).find(each => each.player === player) || {};
    const places = [random.below(7) + '/' + random.below(9), ...down.map(each => each.place)];
    return [
      ...words, random.pick(['fold', 'check', 'call', 'show', 'muck']),
      { double: {} }, ...amounts.map(amount => ({ double: { amount } })),
      ...[true, false].flatMap(take => [{ insurance: { take } }, { even_money: { take } }]),
      ...[random.pick(PACK), ...(hand ? hand.cards.map(each => each.card) : [])]
        .filter(card => card).map(card => ({ change: { card } })),
      { open: {} }, { discard: {} },
      ...places.flatMap(place => [{ open: { hand: place } }, { discard: { hand: place } }]),
    ];
  }
}

const GAMES = [...Array(5).fill('blackjack'), 'safe', 'baccarat', 'roulette', 'dragon_tiger', 'sic_bo'];

function oneRound(seed, at) {
  const random = chance(seed * 1000003 + at), name = random.pick(GAMES);
  const engine = games[name], rules = rulesOf(random, name);
  if (engine.refuseRules(rules)) return { at, rules, refused: true };
  const placed = placedBets(random, rules, engine);
  const spoilt = random.often(0.15);
  if (spoilt) spoil(random, random.pick(placed).bets);
  const faulty = placed.find(({ bets }) => whyNotBet(rules, bets, 1e9));
  if (spoilt || faulty) {
    const { bets } = faulty || placed[0], funds = faulty ? 1e9 : staked(bets) - random.below(2);
    // Which of several faults is named, no page says.
    const even = bets.map(({ spot }) => ({ spot, stake: Math.max(100, rules.table.stake_min) }));
    const all = [even, ...bets.map(bet => [bet])].map(some => whyNotBet(rules, some, 1e9));
    const faults = [whyNotBet(rules, bets, funds), ...all].filter(code => code);
    return { at, rules, bets, funds, faults };
  }
  const rich = random.below(3);
  const left = ({ bets }) => rich ? 200 * staked(bets) : random.below(2 * staked(bets));
  const funds = Object.fromEntries(placed.map(each => [each.player, left(each)]));
  const round = new Round(random, engine, rules, placed, funds);
  round.play();
  const { piles, steps, pocket, short = false } = round;
  return { at, rules, placed, funds, lanes: engine.lanes(rules, placed), piles, pocket, steps, short };
}

const [rounds, seed] = process.argv.slice(2).map(Number);
const write = at => {
  let more = true;
  while (at < rounds && more) more = process.stdout.write(JSON.stringify(oneRound(seed, at++)) + '\n');
  if (at < rounds) process.stdout.once('drain', () => write(at));
};
write(0);

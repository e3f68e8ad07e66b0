#!/usr/bin/env node
// Compares the engines of fairshoe-verify.js with `fairshoe-audit play`: two programs, one written from spec/ alone,
// must make the same events from the same cards and choices, byte for byte. Rule sets, cards, stakes, balances and
// choices are random, from a seed.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { execFile } = require('child_process');
const { games } = require('../../tools/verifier/fairshoe-verify.js');

const HELP = `Random rounds of blackjack and Safe, played by fairshoe-verify.js and by \`fairshoe-audit play\`, event by
event.

Usage: node against_play.js [OPTIONS]

  --audit FILE   The program [default: target/release/fairshoe-audit of this checkout]
  --rounds N     How many rounds, blackjack and Safe in turn [default: 300]
  --seed N       Where the chance begins; the same seed makes the same rounds [default: 1]
  --json         One JSON object
  -h, --help     This text

Exit codes: 0 no difference; 1 a difference, printed with the command that shows it; 2 wrong use.
`;

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

// --- A round -------------------------------------------------------------------------------------

/** The bets by player; the players' names are those of `play`. */
function blackjackBets(random, rules) {
  const { boxes } = rules.game.blackjack;
  const shared = rules.table.mode === 'shared';
  const most = shared ? boxes : rules.table.bets_per_player;
  const spots = random.shuffled([...Array(boxes).keys()]).slice(0, 1 + random.below(most)).sort((a, b) => a - b);
  const bets = spots.map((spot) => ({ spot: String(spot + 1), stake: 1 + random.below(60) }));
  return shared ? bets.map((bet) => ({ player: 'seat' + bet.spot, bets: [bet] })) : [{ player: 'player', bets }];
}

const safeBets = random =>
  [...Array(2 + random.below(5)).keys()].map(at => ({
    player: 'p' + (at + 1),
    bets: [{ spot: String(at + 1), stake: 100 }],
  }));

const staked = ({ bets }) => bets.reduce((sum, { stake }) => sum + stake, 0);

/** Aces, tens and pairs usually come early: there the rules differ. */
function blackjackShoe(random, decks) {
  const shoe = random.shuffled(Array(decks).fill(PACK).flat());
  if (random.often(0.4)) return shoe;
  const wanted = random.pick(['A', 'AT', '8', 'ATK', '2A', 'A9K']);
  const early = shoe.slice(0, 60);
  return [
    ...early.filter(card => wanted.includes(card[0]) || random.often(0.3)),
    ...early.filter(card => !wanted.includes(card[0]) && random.often(0.8)),
  ];
}

/** One round played by this side; `step` by `step` as the engine asks. */
class Round {
  constructor(random, engine, rules, contributors, balance, pile) {
    Object.assign(this, {
      random, engine, contributors, pile, next: 0,
      events: [],
      cards: [],
      words: [],
      offers: [],
      short: false,
      silent: false,
    });
    this.faces = [[]];
    this.dealer = [];
    this.balances = Object.fromEntries(contributors.map((each) => [each.player, balance - staked(each)]));
    this.weights = new Proxy(
      {},
      {
        get: (known, word) => {
          known[word] ??= 0.03 + random.below(100) / 100;
          return known[word];
        },
      },
    );
    this.state = engine.start(rules, contributors);
  }

  play() {
    for (let steps = 0; steps < 20000 && !this.short; steps += 1) {
      const step = this.engine.next(this.state, { balance: (player) => this.balances[player] });
      if (step.done) return;
      const [kind] = Object.keys(step);
      this[kind](step[kind], step);
    }
    if (!this.short) throw new Error('a round without an end');
  }

  put(event) {
    this.engine.apply(this.state, event);
    this.events.push(event);
  }

  dealt({ lane, to, hidden }) {
    const card = this.pile[this.next];
    if (!card) { this.short = true; return; }
    const faces = this.faces[this.faces.length - 1];
    const slot = this.engine.name === 'safe' ? faces.length : this.next;
    this.next += 1;
    faces.push(card);
    this.cards.push(card);
    if (to === 'dealer') this.dealer.push(card);
    this.put({ dealt: hidden ? { lane, slot, to } : { lane, slot, to, card } });
  }

  turned({ pile, slot }) {
    const card = this.faces[pile ?? this.faces.length - 1][slot];
    this.put({ turned: pile === undefined ? { slot, card } : { pile, slot, card } });
  }

  peeked({ slot }) {
    const [first, second] = this.dealer.map((card) => card[0]).sort((a, b) => (a === 'A' ? -1 : b === 'A' ? 1 : 0));
    this.put({ peeked: { slot, blackjack: first === 'A' && 'TJQK'.includes(second) } });
  }

  paid(fields) {
    for (const { player, returned } of fields.lines) this.balances[player] += returned;
    this.put({ paid: fields });
  }

  safe(fields) { this.put({ safe: fields }); }

  offered(fields) {
    this.offers.push(fields);
    this.put({ offered: { decision: this.offers.length - 1, ...fields, deadline: 0 } });
  }

  wait(what, { cards }) {
    if (what === 'pile') {
      this.pile = this.random.shuffled(cards);
      this.next = 0;
      this.faces.push([]);
      this.put({ shuffled: { pile: this.faces.length - 1 } });
    } else {
      this.choose(this.engine.openDecisions(this.state)[0]);
    }
  }

  choose({ decision, player }) {
    const { options } = this.offers[decision];
    const { action: word, cost } = this.weighted(options);
    const isQuestion = word === 'insurance' || word === 'even_money';
    const [action, said] = this.spelt(word, cost, player);
    // An option that became too dear since the offer is declined, and so are the questions after it: silently, as
    // `play` does.
    this.silent = isQuestion && (this.silent || cost > this.balances[player]);
    const chosen = this.silent ? { [word]: { take: false } } : action;
    const acted = this.engine.act(this.state, player, decision, chosen, this.balances[player]);
    this.balances[player] -= acted.cost;
    if (!this.silent) this.words.push(this.engine.name === 'safe' ? player + ':' + said : said);
    this.put({ acted: { decision, player, action: acted.action, cost: acted.cost, default: this.silent } });
  }

  weighted(options) {
    const weights = options.map(({ action }) => this.weights[action]);
    let left = this.random.below(1000) / 1000 * weights.reduce((sum, weight) => sum + weight, 0);
    return options[Math.max(0, weights.findIndex((weight) => (left -= weight) < 0))];
  }

  /** An action as JSON, and in the words of `play`. */
  spelt(word, cost, player) {
    const { random } = this;
    if (word === 'insurance' || word === 'even_money') {
      const take = random.often(0.6);
      return [{ [word]: { take } }, word + (take ? '=yes' : '=no')];
    }
    if (word === 'double') {
      const amount = this.state.options.double_amount === 'exact' ? cost : 1 + random.below(cost);
      return [{ double: { amount } }, 'double=' + amount];
    }
    const { hand, down = [] } =
      this.engine.name === 'safe' ? this.state.players.find(each => each.player === player) : {};
    if (word === 'change') {
      const { card } = random.pick(hand.cards);
      return [{ change: { card } }, 'change=' + card];
    }
    if (word === 'open' || word === 'discard') {
      const named = random.often(0.5) ? random.pick(down).place : null;
      return [{ [word]: named ? { hand: named } : {} }, named ? word + '=' + named : word];
    }
    return [word, word.replace('_', '-')];
  }
}

// --- The other program ---------------------------------------------------------------------------

function run(program, args) {
  return new Promise((resolve, reject) => execFile(program, args, { maxBuffer: 1 << 28 }, (error, out, err) => {
    if (error && typeof error.code !== 'number') reject(new Error(program + ': ' + error.message));
    else resolve({ code: error ? error.code : 0, out, err });
  }));
}

const quoted = (word) => /^[\w=./:,-]+$/.test(word) ? word : "'" + word + "'";

/** Plays round number `at`; returns null, or the difference. */
async function compare(options, folder, at, counts) {
  const random = chance(options.seed * 1000003 + at);
  const engine = at % 2 === 0 ? games.blackjack : games.safe;
  const rules = engine.name === 'safe' ? safeRules(random) : blackjackRules(random);
  const file = path.join(folder, at + '.json');
  fs.writeFileSync(file, JSON.stringify(rules));
  const why = engine.refuseRules(rules);
  const contributors = why ? [] : engine.name === 'safe' ? safeBets(random) : blackjackBets(random, rules);
  const purse = Math.max(0, ...contributors.map(staked));
  const balance = random.often(0.6) ? 1000000000 : purse + random.below(2 * purse + 1);
  const pile =
    engine.name === 'safe' ? random.shuffled(PACK) : blackjackShoe(random, why ? 1 : rules.game.blackjack.decks);
  const args = ['play', file, '--json', '--balance', String(balance)];
  const differs = text =>
    text + '\n  ' + [options.audit, ...args].map(quoted).join(' ') + '\n  rules: ' + JSON.stringify(rules);
  if (why) {
    counts.refused += 1;
    const { code } = await run(options.audit, [...args, '--bets', '1', '--cards', pile.slice(0, 30).join(' ')]);
    return code === 2 ? null : differs('refused here: ' + why);
  }
  const round = new Round(random, engine, rules, contributors, balance, pile);
  round.play();
  args.push('--cards', round.cards.join(' '));
  if (engine.name === 'safe')
    args.push('--players', contributors.map(({ player }) => player).join(','), '--bets', '100');
  else
    args.push(
      '--bets',
      contributors.flatMap(({ bets }) => bets.map(({ spot, stake }) => spot + '=' + stake)).join(' '),
    );
  if (round.words.length > 0) args.push('--actions', round.words.join(' '));
  const { code, out, err } = await run(options.audit, args);
  if (round.short) {
    counts.short += 1;
    return code === 2 ? null : differs('no card is left here');
  }
  if (code !== 0) return differs('refused there: ' + err.trim());
  counts[engine.name] += 1;
  counts.events += round.events.length;
  const theirs = JSON.parse(out).events.map((event) => JSON.stringify(event));
  const ours = round.events.map((event) => JSON.stringify(event));
  const first = [...Array(Math.max(ours.length, theirs.length)).keys()].find((k) => ours[k] !== theirs[k]);
  return first === undefined
    ? null
    : differs('event ' + first + '\n  here:  ' + ours[first] + '\n  there: ' + theirs[first]);
}

function readOptions(args) {
  const options = { audit: path.join(root, 'target', 'release', 'fairshoe-audit'), rounds: 300, seed: 1, json: false };
  for (let at = 0; at < args.length; at += 1) {
    const name = args[at].replace(/^--/, '');
    if (args[at] === '-h' || name === 'help') return null;
    if (name === 'json') options.json = true;
    else if (name === 'audit' && args[at + 1]) options.audit = args[(at += 1)];
    else if ((name === 'rounds' || name === 'seed') && /^\d{1,9}$/.test(args[at + 1] || ''))
      options[name] = Number(args[(at += 1)]);
    else throw new Error('what is ' + args[at] + '? --help says what there is');
  }
  return options;
}

async function main() {
  const options = readOptions(process.argv.slice(2));
  if (!options) return process.stdout.write(HELP);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'against_play-'));
  const counts = { blackjack: 0, safe: 0, refused: 0, short: 0, events: 0 };
  const found = [];
  try {
    let next = 0;
    const worker = async () => {
      while (next < options.rounds && found.length < 5) {
        const at = next;
        next += 1;
        const difference = await compare(options, folder, at, counts);
        if (difference) found.push('round ' + at + ' of seed ' + options.seed + ': ' + difference);
        if (process.stderr.isTTY) process.stderr.write('\r' + next + ' of ' + options.rounds);
      }
    };
    await Promise.all([worker(), worker()]);
  } finally {
    if (process.stderr.isTTY) process.stderr.write('\n');
    if (found.length === 0) fs.rmSync(folder, { recursive: true });
  }
  if (options.json) console.log(JSON.stringify({ ...counts, found }));
  else {
    for (const difference of found) console.log(difference);
    const { blackjack, safe, events, refused, short } = counts;
    console.log(
      `${blackjack} rounds of blackjack and ${safe} games of Safe, ${events} events, ${found.length} differences; ` +
        `${refused} rule sets refused by both, ${short} shoes too short for both`,
    );
  }
  if (counts.blackjack === 0 || counts.safe === 0) throw new Error('nothing was compared');
  process.exitCode = found.length > 0 ? 1 : 0;
  return undefined;
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 2;
});

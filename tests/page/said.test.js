// The page's statements about a table are true, and give reasons: the modules' own words, without a browser.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { before, test } from 'node:test';
import { root, WEB } from './harness.js';
import { en, ja } from './words.js';

let ofPlay, statusOf, waitOf, isOfOthers, noticeOf, isOwn, signInWords;
before(async () => {
  Object.defineProperty(globalThis, 'navigator', { value: { languages: ['en'] }, configurable: true });
  globalThis.localStorage = { getItem: () => null, setItem() {} };
  await (await import(`${WEB}/words.js`)).need('play');
  ofPlay = await import(`${WEB}/play-status.js`);
  ({ statusOf, waitOf, isOfOthers } = ofPlay);
  ({ noticeOf, isOwn } = await import(`${WEB}/play-notices.js`));
  ({ signInWords } = await import(`${WEB}/play-sign.js`));
});

const rules = { table: { mode: 'shared', bet_time_ms: 30_000 }, game: { baccarat: {} } };
const NOW = 1_800_000_000_000;

/** A shared table at which the viewer sits, and bet in its last round. */
function between(change = {}) {
  const seats = [{ seat: 1, player: 'me', asks: false }];
  return {
    view: { seats, window: null, cash: null }, rules, live: 'live', lastTime: NOW - 1000, hasLapsed: false,
    round: { phase: 'settled', contributors: [{ player: 'me' }] }, ...change,
  };
}

test('a guest sees how much of ten minutes is left, where the rule set waits for a day', () => {
  const day = 86_400_000, own = { table: { mode: 'solo', reveal_time_ms: day, turn_time_ms: 0, round_time_ms: day } };
  const awaiting = { phase: 'awaiting_reveals', contributors: [{ player: 'me', seed: null }], reveal_by: NOW };
  const open = { phase: 'open', decisions: [{ player: 'me', deadline: NOW }] };
  for (const round of [awaiting, open])
    for (const [chips, from] of [['play', 600_000], ['credited', day]])
      assert.equal(statusOf(between({ view: { chips }, rules: own, round }), 'me', NOW).from, from);
});

test('bets open in a moment only where the house opens them', () => {
  const words = table => statusOf(table, 'me', NOW).words;
  assert.equal(words(between()), en['status.opening']);
  assert.equal(words(between({ hasLapsed: true })), en['status.ask'], 'a window that lapsed brings no other');
  assert.equal(words(between({ lastTime: NOW - 60_000 })), en['status.ask'], 'nothing came for a minute');
  const since = (lastTime, of) => words(between({ lastTime, rules: { ...rules, table: { ...rules.table, ...of } } }));
  assert.equal(since(NOW - 20_000, {}), en['status.ask'], 'a table without a pause opens at once');
  assert.equal(since(NOW - 20_000, { between_hands_ms: 20_000 }), en['status.opening'], 'the pause is just over');
  assert.equal(words(between({ round: null })), en['status.ask']);
  const asked = { seats: [{ seat: 1, player: 'you', asks: true }], window: null, cash: null };
  assert.equal(words(between({ view: asked, hasLapsed: true })), en['status.opening']);
  const others = { seats: [{ seat: 1, player: 'you', asks: false }], window: null, cash: null };
  assert.equal(words(between({ view: others })), en['status.no_bets']);
});

test('whoever has just sat down reads no result of others beside "place your bets"', () => {
  const open = { seats: [{ seat: 1, player: 'me' }], window: { round_no: 2, bets: [] }, cash: null };
  assert.equal(isOfOthers(between({ view: open }), 'me'), false, 'they played it');
  const others = { phase: 'settled', contributors: [{ player: 'you' }] };
  assert.equal(isOfOthers(between({ view: open, round: others }), 'me'), true);
  assert.equal(isOfOthers(between({ round: others }), 'me'), false, 'no bets are open yet');
});

test('Safe has entries and games, as its rules do, and no bets', () => {
  const safe = { table: { mode: 'shared', bet_time_ms: 30_000 }, game: { safe: {} } };
  const window = { round_no: 2, closes_at: NOW + 9000, bets: [], expected: [] };
  const seats = [{ seat: 1, player: 'me', asks: false, waits_for_shoe: true }], open = { seats, window, cash: null };
  const seeds = { phase: 'awaiting_reveals', contributors: ['me', 'you'].map(player => ({ player, seed: null })) };
  const states = [
    {}, { hasLapsed: true }, { view: open }, { round: seeds }, { view: { ...open, seats: [], window: null } },
    { view: { ...open, seats: [{ ...seats[0], player: 'you' }] } },
    { view: { ...open, seats: [{ ...seats[0], player: 'you' }], window: null }, hasLapsed: true },
  ];
  for (const change of states) {
    const table = between({ ...change, rules: safe });
    assert.doesNotMatch(statusOf(table, 'me', NOW).words, /\bbets?\b/i);
    if (table.view.seats.some(({ player }) => player === 'me'))
      assert.doesNotMatch(en[waitOf(table, 'me', NOW).words], /\bbets?\b|shoe/i);
  }
});

test('a player who sits reads the same below the felt, and asks only for rounds that do not come by themselves', () => {
  const wait = change => Object.values(waitOf(between(change), 'me', NOW));
  assert.deepEqual(wait(), ['play.wait_opening', false]);
  assert.deepEqual(wait({ hasLapsed: true }), ['play.wait_asked', true]);
  assert.deepEqual(wait({ lastTime: NOW - 60_000 }), ['play.wait_asked', true]);
  const seats = ['me', 'you'].map((player, at) => ({ seat: at + 1, player, asks: false }));
  const view = { seats, window: null, cash: null }, contributors = [{ player: 'you' }];
  // A player who was not in the last round is not waited for unless they ask.
  assert.deepEqual(wait({ view, round: { phase: 'settled', contributors } }), ['play.wait_opening', true]);
  assert.deepEqual(wait({ view, round: { phase: 'open', contributors } }), ['play.wait_round', true]);
  assert.deepEqual(wait({ round: { phase: 'open', contributors: [{ player: 'me' }] } }), ['play.in_round', false]);
  const asked = { ...view, seats: [{ ...seats[0], asks: true }] };
  assert.deepEqual(wait({ view: asked, hasLapsed: true }), ['play.wait_opening', false]);
});

test('a newcomer to a shoe is told to ask, and that the shoe changes only when they asked', () => {
  for (const [asks, key] of [[false, 'play.asks_for_shoe'], [true, 'play.waits_for_shoe']]) {
    const seats = [{ seat: 1, player: 'new', asks, waits_for_shoe: true }];
    assert.deepEqual(waitOf(between({ view: { seats, window: null, cash: null } }), 'new', NOW),
      { words: key, asks: !asks });
  }
});

test('safe asks for an entry, not for bets', () => {
  const words = bets => statusOf(between({
    rules: { ...rules, game: { safe: {} } },
    view: { window: { closes_at: null, bets }, seats: [{ seat: 1, player: 'me' }], cash: null },
  }), 'me', NOW).words;
  assert.equal(words([]), 'Pay the entry to play');
  assert.match(words([{ player: 'me' }]), /^You paid the entry; you can take it back/);
});

test('whoever does not sit is not asked to bet', () => {
  const view = { window: { closes_at: null, bets: [] }, seats: [{ seat: 1, player: 'you' }], cash: null };
  for (const [game, key] of [['baccarat', 'bets_seen'], ['safe', 'entry_seen']]) {
    const { words, tone } = statusOf(between({ view, rules: { ...rules, game: { [game]: {} } } }), 'me', NOW);
    assert.deepEqual([words, tone], [en[`status.${key}`], '']);
  }
});

test('whoever sits alone at poker reads so above the felt and below it', () => {
  const cash = (...seats) => ({ seats: [{ player: 'me' }, ...seats], committed: [], call: null });
  for (const [seats, isAlone] of [[[], true], [[{ player: 'you' }], false], [[{ sitting_out: true }], true]]) {
    const view = { seats: [], window: null, cash: cash(...seats) };
    const { words } = statusOf(between({ view, rules: { ...rules, game: { poker: {} } } }), 'me', NOW);
    assert.equal(words, en[`status.${isAlone ? 'two_needed' : 'next_hand'}`]);
    assert.equal(ofPlay.isAlone(view), isAlone);
  }
  assert.match(fs.readFileSync(`${WEB}/play-cash.js`, 'utf8'), /isAlone\(table\.view\) \? 'play\.wait_player'/);
});

test('the status tells the time for a choice and the bank after it apart, as the rules do', () => {
  const bank = NOW + 14_000, deadline = bank + 30_000;
  const told = (player, now, from = bank) => {
    const round = { phase: 'open', decisions: [{ player, deadline, bank_from: from }] };
    const poker = { table: { mode: 'shared', turn_time_ms: 20_000 }, game: { poker: {} } };
    const { words, deadline: end, from: whole } = statusOf(between({ rules: poker, round }), 'me', now);
    return [words, end, whole];
  };
  assert.deepEqual(told('me', NOW), ['Your turn · 14 s + 30 s time bank', bank, 20_000]);
  assert.deepEqual(told('you', NOW), ['you decides · 14 s + 30 s time bank', bank, 20_000]);
  assert.deepEqual(told('me', bank + 1000), ['Your turn · time bank · 29 s', deadline, 30_000]);
  assert.deepEqual(told('me', NOW, null), ['Your turn · 44 s', deadline, 20_000]);
});

test("a tournament's table that is over is no trouble", () => {
  const view = { seats: [], tournament: { tournament: 'cup' } };
  const { words, tone } = statusOf(between({ view, closed: { code: 'closed' } }), 'me', NOW);
  assert.deepEqual([words, tone], [en['status.closed_event'], '']);
  assert.equal(statusOf(between({ closed: { code: 'closed' } }), 'me', NOW).tone, 'bad');
});

test('chips that lie there unplaced are no bet, and the page says so before and after', () => {
  const seats = [{ seat: 1, player: 'me' }], closed = { name: 'bets_closed', command: {} };
  const open = bets => between({ view: { seats, window: { bets, round_no: 3, closes_at: NOW + 9000 }, cash: null } });
  const on = (spot, stake) => [{ spot, stake }], mine = [{ player: 'me', bets: on('red', 500) }];
  const words = (bets, laid) => statusOf(open(bets), 'me', NOW, laid).words.replace(' · 9 s', '');
  assert.equal(words([], []), en['status.bets_open']);
  assert.equal(words([], on('red', 500)), en['status.bets_unplaced']);
  assert.equal(words(mine, on('red', 500)), en['status.bet_placed']);
  for (const other of [on('red', 600), on('black', 500), [...on('red', 500), ...on('black', 500)]])
    assert.equal(words(mine, other), en['status.bets_changed']);
  const told = (player, laid) => noticeOf({ ...closed, fields: { contributors: [{ player }] } }, 'me', { laid });
  assert.equal(told('you', true)[1], en['play.not_placed']);
  assert.equal(told('you', false), null);
  assert.equal(told('me', true), null, 'the bet is placed');
  for (const { 'play.place': place, 'play.replace': change, ...said } of [en, ja]) {
    assert.ok([said['play.not_placed'], said['status.bets_unplaced']].every(one => one.includes(place)));
    assert.ok(said['status.bets_changed'].includes(change), 'the button by its name');
  }
});

test('a notice of what a player missed is over with the next that they do', () => {
  const missed = (name, fields, command) => noticeOf({ name, fields: { player: 'me', ...fields }, command }, 'me')[2];
  assert.ok(missed('seat_left', {}, { close_bets: {} }));
  assert.ok(missed('sat_out', { cause: 'timed_out' }, {}));
  assert.ok(missed('acted', { default: true, action: 'hit' }, { lapse: {} }));
  for (const command of [{ take_seat: {} }, { sit_in: {} }, { bet: {} }, { act: {} }]) {
    assert.ok(isOwn({ by: 'player:me', command }, 'me'));
    assert.ok(!isOwn({ by: 'player:you', command }, 'me'));
  }
  assert.ok(!isOwn({ by: 'player:me', command: { reveal: {} } }, 'me'), 'the page reveals by itself');
  assert.ok(!isOwn({ by: 'house', command: { lapse: {} } }, 'me'));
});

test('who loses a seat, a turn or a hand is told why', () => {
  const told = (name, fields, command, more) => (
    noticeOf({ name, fields: { player: 'me', ...fields }, command }, 'me', more));
  const left = { seat: 1 };
  assert.match(told('seat_left', left, { unseat: { reason: 'asked for it' } })[1], /The house .*asked for it/);
  assert.equal(told('seat_left', left, { tidy_seats: {} })[1], en['play.seat_idle']);
  assert.equal(told('seat_left', left, { lapse: {} })[1], en['play.seat_offence']);
  // They owed nothing: they had placed no bet.
  assert.match(told('seat_left', left, { close_bets: {} })[1], /three rounds of bets .* without a bet of yours/);
  assert.equal(told('seat_left', left, { leave_seat: {} }), null, 'who leaves knows why');
  // The first offence costs no time: "again at" would name a time that is over.
  const cooldown = until => noticeOf(
    { name: 'cooldown', fields: { player: 'me', offence: 'no_bet', until }, command: {}, time: NOW }, 'me')[1];
  assert.match(cooldown(NOW), /go on at once/);
  assert.match(cooldown(NOW + 300_000), /again at/);
  // A choice is called what its button says.
  const chosen = action => told('acted', { default: true, action }, { lapse: {} })[1];
  for (const [action, key] of [
    [{ insurance: { take: false } }, 'act.no_insurance'], ['stand', 'act.stand'], [{ open: {} }, 'safe.do_open'],
    ['fold', 'poker.do_fold'],
  ]) assert.ok(chosen(action).endsWith(`: ${en[key]}.`), chosen(action));
  assert.equal(told('seat_left', left, { tidy_seats: {} }, { isLeaving: true }), null, 'who asked to leave knows why');
  assert.match(told('acted', { action: 'stand', default: true }, { lapse: {} })[1], /time ran out.*: Stand\.$/);
  assert.equal(told('acted', { action: 'stand', default: false }, { act: {} }), null);
  const causes = ['no_commitment', 'timed_out', 'reveal_missing', 'no_chips'];
  for (const cause of causes) assert.equal(told('sat_out', { cause }, {})[1], en[`play.out_${cause}`]);
  assert.equal(told('sat_out', { cause: 'asked' }, {}), null);
  assert.equal(noticeOf({ name: 'sat_out', fields: { player: 'you', cause: 'no_chips' }, command: {} }, 'me'), null);
});

test('rake and commission are said in percent', () => {
  const line = 'rake 500 in 10000 of each pot, at most 300 a hand, none without a flop';
  assert.equal(signInWords(line), 'Rake: 5 % of each pot, at most 300 a hand, none without a flop.');
  assert.match(signInWords('banker pays 1 to 1 less a commission of 5 in 100'), /commission of 5 %/);
  for (const words of [en, ja])
    for (const [key, text] of Object.entries(words)) assert.doesNotMatch(text, /\{part\} in|1万分の/, key);
  assert.equal(signInWords('stakes from 1 to 1000, in steps of 1'), 'Stakes from 1 to 1,000, in steps of 1.');
});

test('two hands of one name are told apart by the card that decides', async () => {
  const { bestHand } = await import(`${WEB}/poker-hand.js`);
  const { wordsBeside } = await import(`${WEB}/poker-words.js`);
  const { say } = await import(`${WEB}/words.js`);
  const board = ['Kc', '7h', 'Kh', 'Ah', 'Js'];
  const named = (family, own, ...others) => wordsBeside(
    bestHand(family, own, board), others.map(other => bestHand(family, other, board)), say);
  const [mine, theirs] = [['3c', '2h', '7d', '4d'], ['7s', '3h', '8d', '5d']];
  assert.equal(named('omaha', mine, theirs), 'two pair, kings and sevens, four kicker');
  assert.equal(named('omaha', theirs, mine), 'two pair, kings and sevens, eight kicker');
  assert.equal(named('omaha', mine), 'two pair, kings and sevens');
  // Each has the ace of the board beside them: they split.
  assert.equal(named('holdem', ['7s', '2c'], ['7d', '3c']), 'two pair, kings and sevens');
});

test('a hand that is given up at the showdown did not fold', () => {
  const fairshoe = createRequire(import.meta.url)('../../tools/verifier/fairshoe-verify.js');
  const events = [
    { hand_begun: { round_no: 7 } }, { play: { acted: { player: 'ann', action: 'muck' } } },
    { play: { acted: { player: 'bob', action: 'fold' } } },
  ];
  const players = ['ann', 'bob'].map(player => ({ player, staked: 100, returned: 0 }));
  const report = { round: { id: 't:7', phase: 'settled', players }, entries: [{ entry: { events } }], hand: null };
  const seats = ['ann', 'bob'].map((player, at) => ({ player, seat: at + 1, folded: true, hole: [] }));
  const view = { game: { kind: 'poker', seats, board: [], result: null } };
  const lines = fairshoe.roundInWords(report, view).players.map(one => one.lines[0]);
  assert.deepEqual(lines, ['ann gave the hand up unshown.', 'bob folded.']);
  assert.deepEqual(fairshoe.handsInWords(view, { report }).map(one => one.worth), ['not shown', 'folded']);
});

test('a blackjack is called so as soon as it is dealt', async () => {
  Object.assign(globalThis, { location: { origin: 'http://house.example', hash: '' }, matchMedia: () => ({}) });
  const { worthOf, outcome } = await import(`${WEB}/game-blackjack.js`);
  const { say } = await import(`${WEB}/words.js`);
  const worth = (faces, change, isSplit) => (
    worthOf({ total: 21, soft: true, cards: faces.map(card => ({ card })), ...change }, { say }, isSplit));
  assert.equal(worth(['Jc', 'As']), 'Blackjack');
  assert.equal(worth(['Jc', 'As'], {}, true), '21', 'of a split it is 21');
  assert.equal(worth(['5c', '5d', 'As']), '21');
  assert.equal(worth(['As', null], { total: 11 }), '1/11', 'one ace has no total, and may become a blackjack');
  assert.equal(worth(['Jc', 'As'], { outcome: 'blackjack' }), '21', 'the result beside it says so');
  // R000.23: against a split box ace and ten-card are a plain 21 (spec/games/blackjack.md).
  const of = hands => outcome(
    { boxes: [{ player: 'you', hands }], dealer: { total: 21, cards: [{ card: 'Ac' }, { card: 'Td' }] } }, {},
    { me: 'me', rules: { game: { blackjack: { split_cancels_dealer_blackjack: true } } }, say });
  assert.equal(of([{}]), 'The dealer had blackjack.');
  assert.equal(of([{}, {}]), 'The dealer had 21.');
});

test('ball or dice rest, and what they show is read, before the next window opens', async () => {
  const rollOf = async (game, view) => {
    const { rollMs } = await import(`${WEB}/game-${game}.js`);
    const { table } = JSON.parse(fs.readFileSync(`${root}/spec/rulesets/${game}.json`, 'utf8'));
    const rolls = rollMs(view);
    assert.ok(rolls > 0 && rolls + 2000 <= table.between_hands_ms, `${rolls} of ${table.between_hands_ms} ms`);
    return rolls;
  };
  await rollOf('sic-bo', { throw: {} });
  const rolls = await rollOf('roulette', { spin: {} });
  // What moves the ball and the wheel is over when the number is told.
  const css = fs.readFileSync(`${WEB}/games.css`, 'utf8');
  const parts = ['.rotor', '.ball-orbit', '.wheel.spun .ball'].map(name => {
    const seconds = css.split(`\n${name} {`)[1].split('}')[0].match(/(?<=\s)\.?\d[\d.]*(?=s\b)/g);
    return seconds.reduce((all, one) => all + 1000 * one, 0);
  });
  assert.ok(parts.every(ms => ms > 0 && ms <= rolls), `${parts}`);
});

test('at blackjack one bets on the box of their seat, and on others only where the rules let them', async () => {
  const { spotsOf } = await import(`${WEB}/game-blackjack.js`);
  const seats = [{ seat: 1, player: 'you' }, { seat: 3, player: 'me' }];
  const rulesOf = (boxes, most) => ({ game: { blackjack: { boxes } }, table: { bets_per_player: most } });
  const offered = (...of) => spotsOf({ rules: rulesOf(...of), seats }, 'me')
    .map(({ spot, isOwn }) => (isOwn ? `own ${spot}` : spot)).join(' ');
  assert.equal(offered(7, 1), 'own 3');
  assert.equal(offered(5, 5), 'own 3 1 2 4 5');
  assert.equal(offered(1, 1), 'own 1');
});

test('the story of a round calls places and choices what the table calls them', async () => {
  await (await import(`${WEB}/words.js`)).need('round');
  const { stepInWords } = await import(`${WEB}/round-steps.js`);
  const told = (game, event, fields) => stepInWords({ event, fields }, { game: { [game]: {} } });
  const dealt = { card: 'Th', to: '3/2' };
  assert.equal(told('blackjack', 'dealt', dealt), '10♥ to box 3, hand 2.');
  for (const game of ['safe', 'poker']) assert.equal(told(game, 'dealt', dealt), '10♥ to seat 3.');
  for (const [game, ...sides] of [['baccarat', 'player', 'banker'], ['dragon_tiger', 'dragon', 'tiger']])
    for (const to of sides) assert.equal(told(game, 'dealt', { card: 'Th', to }), `10♥ to ${en[`step.at_${to}`]}.`);
  const bet = { bet: { player: 'ann', bets: [{ stake: 100 }] } };
  assert.equal(told('safe', 'bet_placed', bet), 'ann pays the entry of 100.');
  assert.equal(told('baccarat', 'bet_placed', bet), 'ann bets 100.');
  for (const game of ['roulette', 'sic_bo']) assert.match(told(game, 'round_opened', {}), /the result is fixed/);
  assert.equal(told('roulette', 'spun', { pocket: 17 }), 'The ball falls on 17.');
  assert.equal(told('sic_bo', 'spun', { pocket: 57 }), 'The dice show 2, 4, 4.');
  for (const [word, button] of [
    ['accept', 'safe.do_accept'], ['change', 'safe.do_change'], ['pass', 'safe.do_pass'], ['show', 'poker.do_show'],
    ['hit', 'act.hit'], ['stand', 'act.stand'], ['fold', 'poker.do_fold'],
  ]) assert.ok(ja[`step.do_${word}`].includes(ja[button]), `${word}: ${ja[`step.do_${word}`]}`);
});

test('a box of blackjack pays what it pays', () => {
  const text = fs.readFileSync(`${WEB}/game-blackjack.js`, 'utf8');
  assert.doesNotMatch(text, /pays: `\$\{pays\}/, 'what a blackjack pays is not what a box pays');
});

/** The texts of all elements that are made from now on, in place of a browser. */
function textsOfNodes() {
  const texts = [];
  const node = tag => ({
    tag, append(...more) { texts.push(...more.filter(one => typeof one === 'string')); }, setAttribute() {},
    addEventListener() {}, showModal() {}, focus() {}, replaceChildren() {},
    classList: { add() {} }, dataset: {}, style: {},
  });
  globalThis.document = {
    createElement: node, createElementNS: (space, tag) => node(tag), createTextNode: text => text, body: node('body'),
  };
  return texts;
}

test('the rules panel says how long a round stays, and when the seat of somebody away is free', async () => {
  const { rulesOf } = await import(`${WEB}/play-rules.js`);
  const texts = textsOfNodes();
  const wheel = { roulette: { pays: { straight: 35, even_chance: 1 } } };
  const said = async (table, isOfEvent) => {
    texts.length = 0;
    const stakes = { stake_min: 1, stake_max: 2, stake_step: 1, crash: 'resume' };
    await rulesOf({ name: 'roulette', table: { ...stakes, ...table }, game: wheel }, isOfEvent);
    return texts.join(' ');
  };
  const shared = await said({ mode: 'shared', between_hands_ms: 5000, away_ms: 90_000 });
  assert.match(shared, /Pause after a round 5 s/);
  assert.match(shared, /free after 90 s if somebody waits for a seat, else after 30 minutes/);
  assert.doesNotMatch(await said({ mode: 'solo', turn_time_ms: 9000 }), /Pause|is away|choice|cards/);
  assert.doesNotMatch(await said({ mode: 'shared', between_hands_ms: 3000 }, true), /is away/);
  delete globalThis.document;
});

test('each kind of bet has its name in the statistics of the log', () => {
  const { games } = createRequire(import.meta.url)('../../tools/verifier/fairshoe-verify.js');
  const kinds = new Set(fs.readdirSync(`${root}/spec/rulesets`).flatMap(file => {
    const { table, game } = JSON.parse(fs.readFileSync(`${root}/spec/rulesets/${file}`, 'utf8'));
    const [[name, options]] = Object.entries(game), { oddsOf, spots } = games[name];
    return oddsOf ? spots(table).map(spot => oddsOf(options, spot).kind) : [];
  }));
  assert.ok(['any_triple', 'suited-tie', 'banker', 'corner'].every(kind => kinds.has(kind)), [...kinds].join());
  assert.deepEqual([...kinds].filter(kind => [en, ja].some(words => !words[`log.bet_${kind}`])), []);
});

test('the proof of a spin or a throw is that of a number, and says how ball or dice came from it', async () => {
  const { proofList, showProof } = await import(`${WEB}/seal.js`);
  for (const [game, slots] of [['roulette', 'wheel'], ['sic_bo', 'dice']]) {
    const texts = textsOfNodes(), face = { shoe: 3, slot: 0, card: null, value: 7, state: 'proven', entry: 9 };
    showProof({ code: face.card, face, slot: 0, shoeNo: 3, committed: 2, game });
    proofList([face], () => {});
    const said = texts.join(' ');
    for (const key of ['seal.proven', `seal.${slots}_means`, `seal.${slots}`])
      assert.ok(said.includes(en[key]), `${key}: ${said}`);
    assert.match(said, /number 7 · slot 0/);
    assert.doesNotMatch(said, /face down|no player has seen it|Shoe/);
    if (slots === 'dice') assert.doesNotMatch(said, /wheel|ball/i);
  }
  delete globalThis.document;
});

test("the proof of a step tells its time by the reader's clock, and in UTC", async () => {
  const { proofOf } = await import(`${WEB}/round-parts.js`);
  const texts = textsOfNodes(), { TZ } = process.env, time = Date.UTC(2026, 10, 28, 12, 30, 1);
  process.env.TZ = 'Asia/Tokyo';
  proofOf({ index: 1, time, faces: [], proof: null, words: [] }, '', { log: null, rules: null }, []);
  assert.match(texts.join('|'), /\b9:30:01\sPM · 2026-11-28 12:30:01\.000 UTC/);
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
  delete globalThis.document;
});

test('details of errors are in the language of the reader, times by their clock', async () => {
  const { problemWords, timeWords } = await import(`${WEB}/trouble.js`);
  const { chooseLanguage } = await import(`${WEB}/words.js`);
  const shut = { code: 'excluded', detail: 'the player is shut out until 1796020704110 (UTC milliseconds)' };
  const least = { code: 'below_minimum', detail: 'the stake is at least 100' };
  assert.ok(problemWords(shut).includes(timeWords(1796020704110)), problemWords(shut));
  assert.doesNotMatch(problemWords(shut), /1796020704110|milliseconds/);
  // In English as in other languages: the detail adds its values, and says nothing a second time.
  assert.equal(problemWords({ code: 'not_seated', detail: 'ann has no seat here; take one first' }),
    en['trouble.not_seated']);
  assert.equal(problemWords(shut).match(/shut/g).length, 1);
  assert.match(problemWords(least), /100/);
  assert.match(problemWords({ code: 'malformed', detail: 'no such field' }), /no such field/);
  const chosen = { 'fairshoe.language': null };
  globalThis.localStorage = { getItem: key => chosen[key] ?? null, setItem: (key, value) => { chosen[key] = value; } };
  await chooseLanguage('ja');
  const others = [{ code: 'malformed', detail: 'no such field' }, { code: 'never_seen', detail: 'x' }];
  for (const error of [shut, least, ...others])
    assert.doesNotMatch(problemWords(error).replace('never_seen', ''), /[a-z]{3}/, problemWords(error));
  assert.ok(problemWords(shut).includes(timeWords(1796020704110)));
  assert.match(problemWords(least), /100/);
});

test('a reason on the log is told in the language of the reader, or quoted', async () => {
  const { chooseLanguage, need } = await import(`${WEB}/words.js`);
  const { reasonWords } = await import(`${WEB}/reasons.js`);
  const { significantWords } = await import(`${WEB}/log-sections.js`);
  const fairshoe = createRequire(import.meta.url)('../../tools/verifier/fairshoe-verify.js');
  await need('log');
  /** The verifier's words for the reason of a void. */
  const toldBy = (language, reason) => {
    const events = [{ round_voided: { round_no: 7, cause: 'malfunction', ahead: 'nobody', missing: [] } }];
    const entries = [{ entry: { command: { void_round: { reason } }, events } }];
    const report = { round: { id: 't:7', phase: 'voided', players: [] }, entries };
    return fairshoe.roundInWords(report, null, { language }).voided.lines[1];
  };
  const reasons = Object.keys(en).filter(key => key.startsWith('reason.')).map(key => key.slice('reason.'.length));
  const [, list] = /## Reasons\n([^]*?)\n## /.exec(fs.readFileSync(`${root}/spec/desk.md`, 'utf8'));
  const listed = Object.fromEntries([...list.matchAll(/^\| `([a-z_]+)` \| (.+) \|$/gm)].map(([, ...row]) => row));
  assert.deepEqual(listed, Object.fromEntries(reasons.map(reason => [reason, en[`reason.${reason}`]])), 'spec/desk.md');
  const kinds = [
    'correction', 'malfunction', 'disclosure', 'key_set', 'house_shuffle', 'unseated', 'event_postponed',
    'registration_changed', 'disqualified',
  ];
  for (const [language, words] of Object.entries({ en, ja })) {
    await chooseLanguage(language);
    for (const reason of reasons) {
      assert.equal(reasonWords(reason), words[`reason.${reason}`]);
      assert.match(reasonWords(`${reason}: case 17`), /case 17/);
      assert.ok(toldBy(language, reason).includes(reasonWords(reason)), 'the verifier has the same words');
    }
    const own = { en: '“toString”', ja: '「toString」' }[language];
    for (const told of [reasonWords('toString'), toldBy(language, 'toString')]) assert.ok(told.includes(own), told);
    for (const kind of kinds) {
      const values = { player: 'P', amount: 1, round: 'T:1', shoe: 'T:1', table: 'T', event: 'E', at: 0 };
      const told = significantWords({ kind, by: 'operator', reason: 'complaint', ...values });
      assert.ok(told.includes(words['reason.complaint']), told);
      assert.doesNotMatch(told, language === 'ja' ? /[a-z]{3}|\{/ : /\{/);
    }
  }
  const house = label => significantWords({ kind: 'refused_start', by: 'house', reason: label });
  assert.ok(house('the disk is full').includes(ja['log.start_the_disk_is_full']));
  assert.match(house('a label of a later version'), /「a label of a later version」/);
});

test('what an operator did to tournaments stands in the room of the log', async () => {
  const { significantWords } = await import(`${WEB}/log-sections.js`);
  const fairshoe = createRequire(import.meta.url)('../../tools/verifier/fairshoe-verify.js');
  const source = fs.readFileSync(`${root}/src/page/web/log-figures.js`, 'utf8');
  const figures = new (vm.runInNewContext(`${source}\nFigures`, { fairshoe }))(0, {});
  const { entries } = JSON.parse(fs.readFileSync(`${root}/spec/vectors/entries-events.json`, 'utf8'));
  const act = (by, command) => ({ time: 7, by, events: [], command: { tournament: command } });
  const denied = { set_bounty: { event: 'e', player: 'p', has: false } };
  const changed = { change_registration: { event: 'e', reason: 'complaint' } };
  const all = [...entries.map(JSON.parse), act('operator', changed), act('operator', denied), act('player:p', changed)];
  all.filter(({ command }) => command.tournament).forEach((entry, index) => figures.take(index, entry));
  const told = {};
  for (const event of figures.significant) told[event.kind] = (told[event.kind] || 0) + 1;
  assert.deepEqual(told, {
    event_cancelled: 2, event_postponed: 3, disqualified: 1, bounty_given: 1, bounty_denied: 1,
    prize_substituted: 2, registration_changed: 1,
  });
  for (const event of figures.significant) assert.doesNotMatch(significantWords(event), /sig_|undefined/);
});

test('every refusal of a start that the service puts on the log has its words', () => {
  const of = file => fs.readFileSync(`${root}/src/server/src/${file}`, 'utf8').split('#[cfg(test)]')[0];
  const startup = of('ops/startup.rs');
  const texts = [
    'ops/run.rs', 'write/recovery.rs', 'ops/startup.rs', 'witness/start.rs', 'cluster/node.rs', 'cluster/settings.rs',
  ];
  const labels = new Set([
    ...texts.flatMap(file => [...of(file).matchAll(/StartError::refuse\(\s*"([^"]+)"/g)].map(([, label]) => label)),
    ...[.../fn label[^]*?\n {4}\}\n/.exec(startup)[0].matchAll(/"([^"]+)"/g)].map(([, label]) => label),
    ...[...of('witness/start.rs').matchAll(/=> \(\s*"([^"]+)",/g)].map(([, label]) => label),
  ]);
  assert.ok(labels.size > 25, `${labels.size} labels`);
  const untold = [...labels].filter(label => en[`log.start_${label.toLowerCase().replace(/[^a-z]+/g, '_')}`] !== label);
  assert.deepEqual(untold, []);
});

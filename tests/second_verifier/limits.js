#!/usr/bin/env node
// Players' own limits (spec/limits.md): a house that keeps them, worked by hand at the beginning of a period or a
// change, and random over many days; and houses that let a player exceed one, lift it too early, or shorten an
// exclusion. The limits and counts are computed a second time from the log alone (limits_house.js).
// node limits.js [--steps N] [--seed N]: tries everything and prints one JSON object of counts; exit code 1 if
// something is wrong. --write FOLDER: its logs in the form of spec/vectors/entries-*.json,
// for other checkers.
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const { random } = require('./bundles.js');
const { PLAYER, signer } = require('./checks.js');
const { rules, verify } = require('./dealer.js');
const { options } = require('./options.js');
const {
  LimitsHouse, Told, setLimit, exclude, credit, T0, DAY, GAP, EXCLUSION, LENGTH, PAIRS, MASTER, WHEEL, POKER, lost,
} = require('./limits_house.js');
const { hex, utf8 } = verify;

const HALF = 2 ** 52 - 1, MOST = 2 ** 53 - 1, OTHER = signer('other', 1, 12);
const counts = {
  entries: 0, refused: 0, forgotten: 0, lies: 0, states: 0, limits: 0, loosened: 0, tightened: 0, excluded: 0,
  played: 0, told: 0, bought: 0,
};
const by = player => `player:${player}`;
const nameOf = command => Object.keys(command)[0], BOUGHT = ['register', 'rebuy', 'add_on', 'buy_stake'];
const clone = value => JSON.parse(JSON.stringify(value));

/** A judge that has folded these entries. */
function judgeOf(log) {
  const judge = new verify.House(false);
  log.forEach((line, index) => judge.judge(verify.readEntry(line), index));
  return judge;
}

/** A judge's finding in an entry, or null. */
function foundIn(judge, entry, index) {
  try { verify.copyOf(judge).judge(verify.readEntry(JSON.stringify(entry)), index); } catch (error) {
    if (!(error instanceof verify.Unsound)) throw error;
    return error;
  }
  return null;
}

/** An entry that limits refuse, still written, is found. */
function isFound(house, judge, entry, codes, about) {
  const found = foundIn(judge, entry, house.log.length);
  assert(found && found.check === 'refused', `${about}: ${found && `${found.message} [${found.check}]`}`);
  assert(codes.some(code => found.message.includes(code)), `${about}: ${found.message}`);
  counts.forgotten++;
}

/** Refused here, and found on the log of a house that accepted it. */
function broken(house, code, command, giver) {
  house.refuses(code, command, giver);
  counts.refused++;
  const entry = house.forgetful(giver, command);
  assert(entry, `${JSON.stringify(command)}: of a house that forgets it would be an entry`);
  isFound(house, judgeOf(house.log), entry, [code], JSON.stringify(command));
}

function limitOf(house, player, of, per) {
  return (house.line(player).limits || []).find(limit => limit.of === of && limit.per === per);
}

// --- Worked by hand -----------------------------------------------------------------------------------

function started(...players) {
  const house = new LimitsHouse();
  for (const player of players) house.player(player, 1000000);
  return house;
}

/** A day's period is a day from the entry that set it: its last millisecond is included, the next is not. */
function periods() {
  const house = started('ann'), ann = by('ann');
  house.give(ann, setLimit('ann', 'deposit', 'day', 100)).give(ann, setLimit('ann', 'deposit', 'week', 250));
  house.give('operator', credit('ann', 60));
  broken(house, 'limit_reached', credit('ann', 41), 'operator');
  house.give('operator', credit('ann', 40));
  house.at(T0 + DAY - 1);
  broken(house, 'limit_reached', credit('ann', 1), 'operator');
  assert.strictEqual(limitOf(house, 'ann', 'deposit', 'day').until, T0 + DAY);
  house.at(T0 + DAY).give('operator', credit('ann', 100));
  assert.deepStrictEqual(house.line('ann').limits, [
    { of: 'deposit', per: 'day', most: 100, count: 100, until: T0 + 2 * DAY },
    { of: 'deposit', per: 'week', most: 250, count: 200, until: T0 + 7 * DAY },
  ]);
  // Periods continue without entries; a week's limit applies even if the day's does not.
  house.at(T0 + 5 * DAY + 1);
  broken(house, 'limit_reached', credit('ann', 51), 'operator');
  house.give('operator', credit('ann', 50));
  assert.strictEqual(limitOf(house, 'ann', 'deposit', 'day').until, T0 + 6 * DAY);
  house.at(T0 + 7 * DAY).give('operator', credit('ann', 100));
  assert.strictEqual(limitOf(house, 'ann', 'deposit', 'week').count, 100);
  // A change of the amount keeps period and count.
  house.at(T0 + 7 * DAY + 5000).give(ann, setLimit('ann', 'deposit', 'day', 99));
  assert.strictEqual(limitOf(house, 'ann', 'deposit', 'day').count, 100);
  assert.strictEqual(limitOf(house, 'ann', 'deposit', 'day').until, T0 + 8 * DAY);
  // Deposits from the operator's wallet count in no limit of paid-in chips.
  house.give(ann, { wallet_deposit: { player: 'ann', amount: 5000 } });
  house.give('house', { wallet_answer: { no: 0, call: 'reserve', answer: 'accepted' } });
  assert.strictEqual(limitOf(house, 'ann', 'deposit', 'day').count, 100);
  return house;
}

/** Tighter at once, looser a day later; a waiting change is dropped, replaced, and waits again. */
function changes() {
  const house = started('ann', 'bob'), ann = by('ann'), no = (code, ...words) => house.refuses(code, ...words);
  no('nothing_to_do', setLimit('ann', 'loss', 'day'), ann);
  house.give(ann, setLimit('ann', 'loss', 'day', 500));
  no('nothing_to_do', setLimit('ann', 'loss', 'day', 500), ann);
  house.at(T0 + 1000).give(ann, setLimit('ann', 'loss', 'day', 700));
  assert.deepStrictEqual(house.last.events, [
    { limit_set: { player: 'ann', of: 'loss', per: 'day', most: 700, from: T0 + 1000 + DAY } },
  ]);
  no('nothing_to_do', setLimit('ann', 'loss', 'day', 700), ann);
  // Setting the one in force again drops the waiting change.
  house.at(T0 + 2000).give(ann, setLimit('ann', 'loss', 'day', 500));
  assert.deepStrictEqual(house.last.events, [{ limit_set: { player: 'ann', of: 'loss', per: 'day', most: 500 } }]);
  assert.strictEqual(limitOf(house, 'ann', 'loss', 'day').waiting, undefined);
  house.give(ann, setLimit('ann', 'loss', 'day', 800)).at(T0 + 3000).give(ann, setLimit('ann', 'loss', 'day'));
  assert.deepStrictEqual(limitOf(house, 'ann', 'loss', 'day').waiting, { from: T0 + 3000 + DAY });
  no('nothing_to_do', setLimit('ann', 'loss', 'day'), ann);
  // Tighter than the one in force: the waiting change is gone for good.
  house.at(T0 + 4000).give(ann, setLimit('ann', 'loss', 'day', 300)).at(T0 + 2 * DAY);
  assert.strictEqual(limitOf(house, 'ann', 'loss', 'day').most, 300);
  house.give(ann, setLimit('ann', 'loss', 'day', 900));
  house.at(T0 + 2 * DAY + 500).give(ann, setLimit('ann', 'loss', 'day', 600));
  house.at(T0 + 3 * DAY + 499).give('operator', credit('ann', 1));
  assert.strictEqual(limitOf(house, 'ann', 'loss', 'day').most, 300);
  house.at(T0 + 3 * DAY + 500).give('operator', credit('ann', 1));
  assert.strictEqual(limitOf(house, 'ann', 'loss', 'day').most, 600);
  // Not for other players, and players with a key.
  no('not_allowed', setLimit('ann', 'loss', 'day', 1), by('bob'));
  no('not_allowed', setLimit('ann', 'loss', 'day', 1), 'house');
  no('not_allowed', setLimit('ann', 'loss', 'day', 1), 'anyone');
  no('not_allowed', exclude('ann', T0 + 9 * DAY), by('bob'));
  no('unknown_player', setLimit('nobody', 'loss', 'day', 1));
  no('unknown_player', exclude('nobody', T0 + 9 * DAY));
  house.give('house', { admit_guest: {} });
  no('other_chips', setLimit('guest.0', 'loss', 'day', 1));
  no('other_chips', exclude('guest.0', T0 + 9 * DAY));
  house.give('operator', setLimit('ann', 'loss', 'day', 650)).give('operator', setLimit('ann', 'loss', 'day', 550));
  return house;
}

/** If a player has a key, in force or waiting, the operator cannot loosen; the player signs it themselves. */
function keys() {
  const house = new LimitsHouse().player('ben', 1000, PLAYER.key).player('eve', 1000);
  house.give('operator', { set_key: { player: 'eve', key: OTHER.key, reason: 'lost' } });
  for (const player of ['ben', 'eve']) {
    house.give('operator', setLimit(player, 'loss', 'week', 900));
    house.refuses('signature_missing', setLimit(player, 'loss', 'week', 901));
    house.refuses('signature_missing', setLimit(player, 'loss', 'week'));
    house.give('operator', setLimit(player, 'loss', 'week', 800));
    house.give('operator', exclude(player, house.clock + 1000));
  }
  house.refuses('signature_missing', setLimit('ben', 'loss', 'week', 100), by('ben'));
  house.refuses('signature_missing', exclude('ben', house.clock + 2000), by('ben'));
  house.signs('ben', PLAYER, 1, setLimit('ben', 'loss', 'week', 1000));
  // Dropping a waiting change of a player who signs is a tightening.
  house.give('operator', setLimit('ben', 'loss', 'week', 800)).signs('ben', PLAYER, 2, setLimit('ben', 'loss', 'week'));
  house.signs('ben', PLAYER, 3, exclude('ben', house.clock + 3000));
  const entry = house.last, judge = judgeOf(house.log.slice(0, -1));
  for (const lie of [{ ...entry, signed: undefined }, { ...entry, signed: { ...entry.signed, nonce: 4 } }]) {
    assert.strictEqual(foundIn(judge, clone(lie), house.log.length - 1).check, 'signature');
    counts.lies++;
  }
  return house;
}

/** An ended limit is forgotten: a later one begins again. */
function anew() {
  const house = started('ann'), ann = by('ann');
  house.give(ann, setLimit('ann', 'deposit', 'month', 1000)).give('operator', credit('ann', 900));
  house.at(T0 + DAY / 2).give(ann, setLimit('ann', 'deposit', 'month'));
  house.at(T0 + 1.5 * DAY - 1);
  broken(house, 'limit_reached', credit('ann', 101), 'operator');
  house.at(T0 + 1.5 * DAY).give('operator', credit('ann', 50000));
  assert.deepStrictEqual(house.line('ann').limits, undefined);
  house.refuses('nothing_to_do', setLimit('ann', 'deposit', 'month'), ann);
  house.at(T0 + 2 * DAY).give(ann, setLimit('ann', 'deposit', 'month', 1000));
  const fresh = { of: 'deposit', per: 'month', most: 1000, count: 0, until: T0 + 32 * DAY };
  assert.deepStrictEqual(house.line('ann').limits, [fresh]);
  return house;
}

/** Losses and winnings: a bet, a cancelled bet, a buy-in, returned chips. */
function losses() {
  const house = started('ann', 'bob'), ann = by('ann'), count = () => limitOf(house, 'ann', 'loss', 'day').count;
  house.give(ann, setLimit('ann', 'loss', 'day', 9000));
  house.sit('ann', WHEEL, 1).sit('bob', WHEEL, 2);
  const bet = stake => ({
    bet: {
      table: WHEEL, round_no: house.tables.get(WHEEL).nextRound, bets: [{ spot: 'red', stake }],
      commitment: house.commitment('ann', WHEEL, house.tables.get(WHEEL).nextRound),
    },
  });
  broken(house, 'limit_reached', bet(9001), ann);
  house.give(ann, bet(9000));
  assert.strictEqual(count(), 9000);
  // Only more than before counts as lost; less is always accepted.
  broken(house, 'limit_reached', bet(9001), ann);
  house.give(ann, bet(8999)).give(ann, { cancel_bet: { table: WHEEL, round_no: 0 } });
  assert.strictEqual(count(), 0);
  const buyIn = amount => ({ sit_down: { table: POKER, seat: 3, buy_in: amount } });
  broken(house, 'limit_reached', buyIn(9001), ann);
  house.give(ann, buyIn(8500)).run();
  // Chips that come after the hand count before; here they come at once.
  const more = amount => ({ add_chips: { table: POKER, amount } });
  broken(house, 'limit_reached', more(501), ann);
  house.give(ann, more(500)).run();
  broken(house, 'limit_reached', more(1), ann);
  house.give('player:bob', { sit_down: { table: POKER, seat: 4, buy_in: 9000 } }).run();
  assert(house.tables.get(POKER).window, 'a hand is called');
  broken(house, 'limit_reached', more(1), ann);
  house.refuses('nothing_to_do', more(0), ann);
  return house;
}

/** A count below zero: winnings of the period may be lost again, in addition to the limit. */
function belowZero() {
  const house = started('ann'), ann = by('ann'), count = () => limitOf(house, 'ann', 'loss', 'week').count;
  house.give(ann, { sit_down: { table: POKER, seat: 3, buy_in: 9000 } });
  house.give(ann, setLimit('ann', 'loss', 'week', 100)).give(ann, { leave_seat: { table: POKER } });
  assert.strictEqual(count(), -9000);
  broken(house, 'limit_reached', { sit_down: { table: POKER, seat: 3, buy_in: 9101 } }, ann);
  house.give(ann, { sit_down: { table: POKER, seat: 3, buy_in: 9100 } });
  assert.strictEqual(count(), 100);
  // At the limit free actions continue.
  house.give(ann, setLimit('ann', 'loss', 'week', 50)).give(ann, { take_seat: { table: WHEEL, seat: 1 } });
  return house;
}

/** The largest possible count. */
function bounds() {
  const house = new LimitsHouse().player('max', 1), max = by('max');
  house.give(max, setLimit('max', 'deposit', 'month', MOST));
  const round = amount => {
    house.give('operator', credit('max', amount)).give('operator', { withdraw: { player: 'max', amount } });
  };
  round(HALF - 1);
  round(HALF - 1);
  assert.strictEqual(limitOf(house, 'max', 'deposit', 'month').count, 2 ** 53 - 4);
  round(3);
  assert.strictEqual(limitOf(house, 'max', 'deposit', 'month').count, MOST);
  broken(house, 'limit_reached', credit('max', 1), 'operator');
  broken(house, 'limit_reached', credit('max', HALF - 1), 'operator');
  const judge = judgeOf(house.log), limit = judge.limits.get('max').get('deposit/month');
  judge.countFor('max', 'deposit', 7);
  assert.strictEqual(limit.count, MOST);
  limit.count = 5 - MOST;
  judge.countFor('max', 'deposit', -7);
  assert.strictEqual(limit.count, -MOST);
  house.at(T0 + 30 * DAY).give('operator', credit('max', 1));
  return house;
}

/** Time of play: between entries at most ten minutes apart, while such a limit is in force. */
function playTime() {
  const house = started('ann', 'bob'), ann = by('ann');
  const count = per => limitOf(house, 'ann', 'play_time', per).count;
  const sits = at => house.at(at).give(ann, { take_seat: { table: WHEEL, seat: 1 } });
  const leaves = at => house.at(at).give(ann, { leave_seat: { table: WHEEL } });
  sits(T0 + 1000);
  house.at(T0 + 2000).give(ann, setLimit('ann', 'play_time', 'day', 2 * GAP));
  // The limit was not in force from the entry before until now.
  leaves(T0 + 3000);
  assert.strictEqual(count('day'), 0);
  assert.strictEqual(house.line('ann').played, T0 + 3000);
  sits(T0 + 3000 + GAP);
  assert.strictEqual(count('day'), GAP);
  leaves(T0 + 3000 + 2 * GAP + 1); // a millisecond too long ago
  assert.strictEqual(count('day'), GAP);
  // Another limit of play time, set in between: its count began earlier.
  house.give(ann, setLimit('ann', 'play_time', 'week', 10 * GAP));
  house.at(house.clock + 1000).give('operator', setLimit('ann', 'loss', 'day', 5));
  sits(T0 + 3000 + 3 * GAP);
  assert.deepStrictEqual([count('day'), count('week')], [2 * GAP - 1, GAP - 1]);
  // A millisecond is left; the next entry takes more, and is the last.
  leaves(house.clock + 1000);
  assert.strictEqual(count('day'), 2 * GAP + 999);
  for (const command of [
    { take_seat: { table: WHEEL, seat: 1 } }, { sit_down: { table: POKER, seat: 1, buy_in: 9000 } },
  ])
    broken(house, 'limit_reached', command, ann);
  // An amount equal to the limit ends it.
  house.allows({ sit_down: { table: POKER, seat: 1, buy_in: 9000 } }, by('bob'));
  house.give(by('bob'), setLimit('bob', 'play_time', 'day', 0));
  broken(house, 'limit_reached', { sit_down: { table: POKER, seat: 1, buy_in: 9000 } }, by('bob'));
  // Chips may go and come, and acts that are no play of theirs.
  house.allows(credit('ann', 5)).allows({ withdraw: { player: 'ann', amount: 5 } });
  house.allows({ open_table: { table: 'own', rules: rules('rng-roulette-own') } }, ann);
  house.at(T0 + 2000 + DAY - 1).refuses('limit_reached', { take_seat: { table: WHEEL, seat: 1 } }, ann);
  sits(T0 + 2000 + DAY);
  assert.deepStrictEqual([count('day'), count('week')], [0, 2 * GAP + 999 - GAP]);
  // Time across a period's end counts fully in the later one.
  house.at(T0 + 2000 + 2 * DAY - 1000);
  if (!house.tables.get(WHEEL).seats.size) house.sit('ann', WHEEL, 1);
  else house.give(ann, { leave_seat: { table: WHEEL } }).sit('ann', WHEEL, 1);
  leaves(T0 + 2000 + 2 * DAY + 5000);
  assert.strictEqual(count('day'), 6000);
  return house;
}

/** Without a limit of play time in between, earlier time does not continue. */
function playLapses() {
  const house = started('ann'), ann = by('ann'), end = T0 + DAY;
  house.give(ann, setLimit('ann', 'play_time', 'day', DAY)).give(ann, setLimit('ann', 'play_time', 'day'));
  house.at(end - 2000).give(ann, { take_seat: { table: WHEEL, seat: 1 } });
  assert.strictEqual(house.line('ann').played, end - 2000);
  house.at(end).give('operator', credit('ann', 1));
  assert.deepStrictEqual([house.line('ann').played, house.line('ann').limits], [undefined, undefined]);
  house.give(ann, setLimit('ann', 'play_time', 'day', DAY));
  house.at(end + 1000).give(ann, { leave_seat: { table: WHEEL } });
  assert.strictEqual(limitOf(house, 'ann', 'play_time', 'day').count, 0);
  // Two overlapping ones: one is in force all the time.
  house.give(ann, setLimit('ann', 'play_time', 'day')).at(end + DAY);
  house.give(ann, setLimit('ann', 'play_time', 'week', DAY));
  house.at(end + DAY + 500).give(ann, { take_seat: { table: WHEEL, seat: 1 } });
  house.at(end + DAY + 1500).give(ann, { leave_seat: { table: WHEEL } });
  assert.deepStrictEqual(house.line('ann').limits.map(({ per, count }) => [per, count]), [['week', 1000]]);
  return house;
}

/** Excluded until a time: not shortened, over at its end, and started rounds are finished. */
function exclusions() {
  const house = started('ann', 'bob'), ann = by('ann'), until = T0 + DAY;
  house.sit('ann', WHEEL, 1).sit('bob', WHEEL, 2).bet('ann', WHEEL, 'red', 100);
  for (const [player, seat] of [['ann', 1], ['bob', 2]])
    house.give(by(player), { sit_down: { table: POKER, seat, buy_in: 8000 } }).run();
  house.refuses('malformed', exclude('ann', T0), ann).refuses('malformed', exclude('ann', T0 + EXCLUSION + 1), ann);
  house.allows(exclude('ann', T0 + EXCLUSION), ann).give(ann, exclude('ann', until));
  house.refuses('nothing_to_do', exclude('ann', until), ann).refuses('nothing_to_do', exclude('ann', until - 1));
  for (const command of [
    { commit_hand_seed: { table: POKER, round_no: 0, commitment: house.commitment('ann', POKER, 0) } },
    { add_chips: { table: POKER, amount: 5 } },
  ])
    broken(house, 'excluded', command, ann);
  broken(house, 'excluded', credit('ann', 1), 'operator');
  for (const giver of [ann, 'operator'])
    broken(house, 'excluded', { wallet_deposit: { player: 'ann', amount: 1 } }, giver);
  const { nextRound } = house.tables.get(WHEEL);
  house.allows({ withdraw: { player: 'ann', amount: 1 } });
  house.allows({ cancel_bet: { table: WHEEL, round_no: nextRound } }, ann);
  house.allows({ leave_seat: { table: POKER } }, ann).allows({ wallet_withdraw: { player: 'ann', amount: 1 } }, ann);
  house.at(house.tables.get(WHEEL).window.closesAt).reveal(WHEEL).run();
  assert(house.log.some(line => line.includes('"round_settled"')));
  // Longer, also by the operator.
  house.give('operator', exclude('ann', until + 1000)).at(until + 999);
  house.refuses('excluded', credit('ann', 1));
  house.at(until + 1000).give('operator', credit('ann', 1));
  assert.strictEqual(house.line('ann').excluded, undefined);
  house.give(ann, exclude('ann', house.clock + 1)); // a new one may be shorter
  return house;
}

/**
 * A hand in progress when a player is excluded: their seed is accepted, also with a commitment for the next hand, which
 * is skipped when that one is called. *Attack: a house that shuts a player out whose seed it holds.*
 */
function revealWithNext() {
  const players = ['ann', 'bob', 'cat'], house = started(...players), ann = by('ann');
  players.forEach((player, at) =>
    house.give(by(player), { sit_down: { table: POKER, seat: at + 1, buy_in: 8000 } }).run());
  for (const player of players) house.commit(player, POKER);
  house.run().give('operator', exclude('ann', T0 + DAY));
  for (const player of players) {
    const { reveal } = house.revealOf(player, POKER, 0);
    house.give(by(player), { reveal: { ...reveal, next: house.commitment(player, POKER, 1) } });
  }
  house.play(POKER, ['check', 'call', 'fold', 'show', 'face_down']).run();
  const called = house.log.map(line => JSON.parse(line)).filter(({ command }) => command.call_hand).pop();
  assert.strictEqual(called.events.find(event => event.hand_called).hand_called.round_no, 1);
  const dealtIn = called.events.map(event => event.hand_seed_committed).filter(Boolean).map(({ player }) => player);
  assert.deepStrictEqual(dealtIn, ['bob', 'cat']);
  const { nextRound: round_no } = house.tables.get(POKER), commitment = house.commitment('ann', POKER, round_no);
  broken(house, 'excluded', { commit_hand_seed: { table: POKER, round_no, commitment } }, ann);
  return house;
}

/** In a tournament's log: a player who enters or buys is refused at one chip beyond their limit, or when excluded. */
function atTournaments() {
  const file = path.join(__dirname, '../../spec/vectors/entries-tournament.json');
  const { entries: log } = JSON.parse(fs.readFileSync(file, 'utf8')), judge = new verify.House(false), seen = new Map();
  log.forEach((line, index) => {
    const entry = verify.readEntry(line), { tournament } = entry.command, word = tournament && nameOf(tournament);
    if (BOUGHT.includes(word) && (seen.get(word) || 0) < 3) {
      const player = entry.by.slice(7), noted = entry.events.map(event => event.tournament && event.tournament.noted)
        .find(Boolean);
      const { structure } = judge.events.get(tournament[word].event);
      const costs = noted ? structure[noted.what].price + structure[noted.what].fee : lost(entry)(player);
      const found = edit => {
        const copy = verify.copyOf(judge);
        edit(copy);
        return foundIn(copy, entry, index);
      };
      const limited = most => copy => copy.limits.set(player, new Map([['loss/day', {
        of: 'loss', per: 'day', most, count: 7, until: entry.time + 1, waiting: null,
      }]]));
      const out = found(copy => copy.shutOut.set(player, entry.time + 1));
      assert(out && /excluded/.test(out.message), `${index}: ${out}`);
      assert.strictEqual(found(limited(costs + 7)), null, `${index}: ${word}`);
      if (costs > 0) {
        const beyond = found(limited(costs + 6));
        assert(beyond && beyond.check === 'refused' && /limit_reached/.test(beyond.message), `${index}: ${beyond}`);
        counts.bought++;
        seen.set(noted ? `${word} noted` : word, 1 + (seen.get(word) || 0));
      }
    }
    judge.judge(entry, index);
  });
}

// --- Lies about what is set -----------------------------------------------------------------------------

/** The event of a change must be the one that follows from it. */
function lies() {
  const house = started('ann'), ann = by('ann');
  house.give(ann, setLimit('ann', 'loss', 'week', 500)).give(ann, exclude('ann', T0 + 5 * DAY));
  const tell = (command, check, edit, about) => {
    const copy = verify.copyOf(house.house), entry = { v: 1, time: house.clock, by: ann, command: clone(command) };
    copy.refusalOf(house.clock, ann, command);
    entry.events = clone(copy.out);
    const judge = judgeOf(house.log);
    if (check !== 'refused') assert.strictEqual(foundIn(judge, entry, house.log.length), null, about);
    edit(entry.events, entry);
    const found = foundIn(judge, entry, house.log.length);
    assert(found && found.check === check, `${about}: ${found && `${found.message} [${found.check}]`}`);
    counts.lies++;
  };
  const looser = setLimit('ann', 'loss', 'week', 501), none = setLimit('ann', 'loss', 'week');
  for (const [command, what] of [[looser, 'looser'], [none, 'none']]) {
    const lie = (about, edit) => tell(command, 'event_order', ([{ limit_set: set }]) => edit(set), `${what}: ${about}`);
    lie('at once', set => { delete set.from; });
    lie('too early', set => { set.from--; });
    lie('too late', set => { set.from++; });
    lie('of another player', set => { set.player = 'bob'; });
    lie('of something else', set => { set.of = 'deposit'; });
    lie('for another time', set => { set.per = 'day'; });
    tell(command, 'event_missing', events => { events.pop(); }, `${what}: nothing said`);
    tell(command, 'event_extra', events => { events.push(events[0]); }, `${what}: said twice`);
  }
  tell(looser, 'event_order', ([{ limit_set: set }]) => { set.most = 9999; }, 'another amount');
  const tighter = setLimit('ann', 'loss', 'week', 499);
  tell(tighter, 'event_order', ([{ limit_set: set }]) => { set.from = T0 + DAY; }, 'tighter, and later');
  const longer = exclude('ann', T0 + 6 * DAY), shorter = exclude('ann', T0 + 4 * DAY);
  tell(longer, 'event_order', ([{ excluded }]) => { excluded.until = T0 + 5 * DAY; }, 'not as long as asked');
  tell(shorter, 'refused', (events, entry) => {
    entry.events = [{ excluded: { player: 'ann', until: T0 + 4 * DAY } }];
  }, 'an exclusion shortened');
  tell(setLimit('ann', 'loss', 'week', 500), 'refused', (events, entry) => {
    entry.events = [{ limit_set: { player: 'ann', of: 'loss', per: 'week', most: 500 } }];
  }, 'nothing to do');
  // Their form.
  const form = (about, check, edit) => tell(looser, check, (events, entry) => edit(entry), about);
  form('another word for what', 'entry_form', entry => { entry.command.set_limit.of = 'win'; });
  form('another word for how long', 'entry_form', entry => { entry.command.set_limit.per = 'year'; });
  form('a negative amount', 'entry_form', entry => { entry.command.set_limit.most = -1; });
  form('an amount of null', 'entry_form', entry => { entry.command.set_limit.most = null; });
  form('fields in another order', 'entry_form', entry => {
    const { player, ...rest } = entry.command.set_limit;
    entry.command.set_limit = { ...rest, player };
  });
  form('a place', 'table_seq', entry => {
    const { v, time, by: giver, ...rest } = entry;
    Object.keys(entry).forEach(key => { delete entry[key]; });
    Object.assign(entry, { v, time, by: giver, at: { table: WHEEL, seq: 0 }, ...rest });
  });
  form('a balance', 'balance_before', entry => {
    const { command, events, ...rest } = entry;
    delete entry.command;
    delete entry.events;
    Object.assign(entry, rest, { before: [['ann', 1000000]], command, events });
  });
}

// --- States -----------------------------------------------------------------------------------------

/** A verifier that goes on from the state after an entry comes to the same end; impossible states are refused. */
function fromStates({ log }) {
  const whole = new verify.House(false), end = log.length, at = index => log[index];
  const states = log.map((line, index) => {
    whole.judge(verify.readEntry(line), index);
    return whole.stateLines();
  });
  const bytes = lines => utf8(`${lines.join('\n')}\n`);
  for (let size = 1; size < end; size += 1 + (size % 5)) {
    const { house } = verify.houseOfState(size, bytes(states[size - 1]), at);
    for (let index = size; index < end; index++) house.judge(verify.readEntry(log[index]), index);
    assert.deepStrictEqual(house.stateLines(), states[end - 1], `from ${size}`);
    counts.states++;
  }
}

function statesThatCannotBe() {
  const house = started('ann'), ann = by('ann');
  house.give(ann, setLimit('ann', 'play_time', 'day', DAY)).give(ann, setLimit('ann', 'loss', 'week', 50));
  house.give(ann, { take_seat: { table: WHEEL, seat: 1 } }).give(ann, setLimit('ann', 'loss', 'week', 60));
  house.give(ann, exclude('ann', T0 + DAY)).give('house', { admit_guest: {} }).run();
  const lines = house.house.stateLines(), size = house.log.length;
  const takes = told => verify.houseOfState(size, utf8(`${told.join('\n')}\n`), index => house.log[index]);
  takes(lines);
  const lie = (about, edit, player = 'ann') => {
    const told = lines.map(line => {
      const [key, part] = JSON.parse(line);
      if (key !== `player:${player}`) return line;
      return JSON.stringify([key, edit(part) || part]);
    });
    assert.notDeepStrictEqual(told, lines, about);
    assert.throws(() => takes(told), verify.Unsound, about);
    counts.states++;
  };
  const [loss, play] = [0, 1];
  lie('a period that is over', part => { part.limits[loss].until = T0; });
  lie('a period that is too long', part => { part.limits[play].until++; });
  lie('a play time below zero', part => { part.limits[play].count = -1; });
  lie('a change that has waited', part => { part.limits[loss].waiting.from = T0; });
  lie('a change that waits too long', part => { part.limits[loss].waiting.from++; });
  lie('a change that waits and tightens', part => { part.limits[loss].waiting.most = 50; });
  lie('another order', part => { part.limits.reverse(); });
  lie('one twice', part => { part.limits.push(part.limits[play]); });
  lie('none, said', part => { part.limits = []; });
  lie('a limit without an amount', part => { delete part.limits[loss].most; });
  lie('played later', part => { part.played++; });
  lie('played too long ago', part => { part.played -= GAP + 1; });
  lie('played without a limit of it', part => { part.limits.pop(); });
  lie('shut out until now', part => { part.excluded = T0; });
  lie('shut out for too long', part => { part.excluded = T0 + EXCLUSION + 1; });
  lie('before the nonce', ({ balance, limits, ...rest }) => ({ balance, limits, nonce: 3, ...rest }));
  lie('a guest with limits', part => { part.excluded = T0 + 5; }, 'guest.0');
}

// --- Random -----------------------------------------------------------------------------------------

const LEAPS = [0, 1, 1000, 20000, 200000, GAP - 1, GAP, GAP + 1, 3600000, DAY / 3, DAY - 1, DAY, DAY + 1, 3 * DAY];

/** The possible next commands of a player or the operator. */
function chosen(house, rng, players) {
  const pick = list => list[rng(list.length)], player = pick(players), ann = by(player), word = rng(20);
  const giver = rng(3) ? ann : 'operator', [of, per] = pick(PAIRS), { clock } = house;
  if (word < 5) {
    const most = rng(7) ? [rng(20000), rng(12), rng(3 * GAP), GAP][rng(4)] : undefined;
    return [giver, setLimit(player, of, per, most)];
  }
  if (word < 6) return [giver, exclude(player, clock + pick([1, 1000, GAP, DAY, 2 * DAY, EXCLUSION + 1]) - rng(2))];
  if (word < 9) return ['operator', credit(player, 1 + rng(9000))];
  if (word < 10) return [giver, { wallet_deposit: { player, amount: 1 + rng(50) } }];
  if (word < 11) return ['operator', { withdraw: { player, amount: 1 + rng(9000) } }];
  const table = pick([WHEEL, POKER]), seat = 1 + rng(6), { nextRound, window } = house.tables.get(table);
  if (word < 13) return [ann, { leave_seat: { table } }];
  if (word < 14) return [ann, { add_chips: { table: POKER, amount: rng(3000) } }];
  if (word < 15 && window) {
    const commitment = house.commitment(player, table, nextRound);
    if (table === POKER) return [ann, { commit_hand_seed: { table, round_no: nextRound, commitment } }];
    const bets = [{ spot: pick(['red', 'odd']), stake: 100 + rng(9000) }];
    return [ann, { bet: { table, round_no: nextRound, bets, commitment } }];
  }
  if (word < 16 && window) return [ann, { cancel_bet: { table: WHEEL, round_no: nextRound } }];
  if (table === WHEEL) return [ann, rng(2) ? { take_seat: { table, seat } } : { ask_to_play: { table } }];
  return [ann, { sit_down: { table, seat, buy_in: 8000 + rng(4000) } }];
}

/** Rounds that have begun go on to their end. */
function playOn(house) {
  for (const table of [WHEEL, POKER]) {
    house.run();
    if (house.tables.get(table).live) house.reveal(table).play(table).run();
  }
}

function byChance(seed, steps) {
  const rng = random(seed), players = ['ann', 'bob', 'cat'], house = started(...players);
  const judge = new verify.House(false), entries = [];
  const follow = () => {
    while (entries.length < house.log.length) {
      const index = entries.length, entry = verify.readEntry(house.log[index]);
      judge.judge(entry, index);
      entries.push(entry);
      counts.entries++;
    }
  };
  const told = new Told(entries);
  for (let i = 0; i < steps; i++) {
    house.pass(rng(3) ? LEAPS[rng(5)] : LEAPS[rng(LEAPS.length)]);
    playOn(house);
    follow();
    const [giver, command] = chosen(house, rng, players), time = Math.max(house.clock, judge.time);
    const said = house.code(command, giver), about = `${seed}/${i}: ${giver} ${JSON.stringify(command)}`;
    const { set_limit: set } = command, { player } = Object.values(command)[0];
    if (set) {
      const idle = told.isIdle(set, entries.length, time);
      assert.strictEqual(said, idle ? 'nothing_to_do' : null, about);
    } else {
      const entry = house.forgetful(giver, command);
      const codes = entry ? [...told.refusals(entry, entries.length)] : null;
      if (codes && !command.exclude) {
        if (!codes.length) assert.strictEqual(said, null, about);
        else {
          assert(codes.includes(said), `${about}: ${said}, not ${codes}`);
          isFound(house, judge, entry, codes, about);
        }
      } else {
        const isLonger = command.exclude && told.shutOut(player, entries.length) < command.exclude.until;
        assert(said !== null || isLonger, about);
      }
    }
    if (said !== null) { counts.refused++; continue; }
    house.give(giver, command);
    if (set) counts[house.last.events[0].limit_set.from ? 'loosened' : 'tightened']++;
    if (command.exclude) counts.excluded++;
    follow();
    for (const one of players) {
      const { limits, played, excluded } = judge.playerPart(one);
      const part = { ...(limits ? { limits } : {}), ...(played ? { played } : {}), ...(excluded ? { excluded } : {}) };
      assert.deepStrictEqual(part, told.part(one, entries.length, judge.time), `${about}: ${one}`);
      counts.limits += (limits || []).length;
      counts.played += (limits || []).filter(({ of, count }) => of === 'play_time' && count > 0).length;
    }
  }
  assert.deepStrictEqual(verify.verifyLog(house.text()).findings, []);
  assert.deepStrictEqual(verify.verifyLedger(house.text()).findings, []);
  return house;
}

// --- The story --------------------------------------------------------------------------------------

function story({ log }) {
  const lines = log.flatMap((line, index) => verify.storyOf(index, verify.readEntry(line))).join('\n');
  for (const words of [
    'ann wants at most 500 of what is lost a day',
    'ann wants no limit of what is lost a day',
    'the operator, for ann, wants at most 650 of what is lost a day',
    'of what is lost a day ann has the limit 300',
    'of what is lost a day ann has the limit 900, but not before 2027-01-18',
  ]) {
    assert(lines.includes(words), `${words}\n${lines}`);
    counts.told++;
  }
}

// --- For other checkers -------------------------------------------------------------------------------

/** A log in the form of spec/vectors/entries-*.json. */
function fileOf({ log, refused, house: { accounts } }) {
  const judge = new verify.House(false), roots = log.map((line, index) => {
    judge.judge(verify.readEntry(line), index);
    return judge.stateRoot();
  });
  return {
    about: 'A log whose players set themselves limits; spec/limits.md.',
    master: hex(MASTER),
    client_seeds: [],
    entries: log,
    refused,
    balances: Object.fromEntries(accounts),
    state_roots: roots,
    state_lines: judge.stateLines(),
  };
}

/** By hand; each function states its own facts. */
const HAND = {
  periods, changes, keys, anew, losses, belowZero, bounds, playTime, playLapses, exclusions, revealWithNext,
};

function main({ steps = '150', seed = '1', write }) {
  const made = Object.fromEntries(Object.entries(HAND).map(([name, act]) => [name, act()]));
  const walks = [0, 1, 2, 3].map(n => byChance(Number(seed) + n, Number(steps)));
  if (write !== undefined) {
    const files = { ...made, ...Object.fromEntries(walks.map((house, n) => [`chance-${n}`, house])) };
    for (const [name, house] of Object.entries(files))
      fs.writeFileSync(`${write}/entries-limits-${name}.json`, JSON.stringify(fileOf(house)));
    return;
  }
  for (const house of [...Object.values(made), walks[0]]) {
    assert.deepStrictEqual(verify.verifyLog(house.text()).findings, []);
    fromStates(house);
    const { 'entries-limits.json': { failed } } =
      verify.runVectors({ 'entries-limits.json': JSON.parse(JSON.stringify(fileOf(house))) }, {});
    // The dealer's master is longer than a house's: no shoe made from it is requested.
    assert.deepStrictEqual(failed.filter(what => !what.startsWith('shoe: ')), []);
  }
  atTournaments();
  lies();
  statesThatCannotBe();
  story(made.changes);
  for (const [what, count] of Object.entries(counts)) assert(count > 0, what);
  console.log(JSON.stringify(counts));
}

main(options());

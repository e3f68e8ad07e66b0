// A house whose chips come from an operator's wallet (spec/wallet.md), the log that it writes, and its refusals: used
// by wallet.js.
'use strict';
/** A reason of 200 characters, of which some are written with two: quotes, backslashes. */
const LONGEST = 'Closed for the night: "come back" \\ 9 to 5. '.padEnd(199, 'z') + '"';
const assert = require('assert');
const { PLAYER, signer } = require('./checks.js');
const { Scene, hash, verify } = require('./dealer.js');
const { concat, hex, label, sha256, utf8 } = verify;

const T0 = 1800000000000, HALF = 2 ** 52 - 1, MOST = 2 ** 53 - 1;
const { DAY_MS } = verify.HOUSE_TIMES;
const MASTER = utf8('a master of thirty-two bytes ....').slice(0, 32); // the one of dealer.js
const HERE = 'fairshoe.example/w';
const EVE = signer('eve', 1, 12);

class WalletHouse extends Scene {
  constructor(origin = HERE, fill = 61) {
    super({}, origin);
    Object.assign(this, { clock: T0, key: signer(origin, 1, fill), refused: [] });
    this.start();
  }

  start() {
    return this.give('house', {
      start_dealer: {
        origin: this.origin,
        epoch: hash(`${this.origin} ${this.log.length}`),
        master_id: hex(sha256(concat(label('master-id'), MASTER))),
        software: 'fairshoe/0.1.0',
      },
    });
  }

  by(who, command, signed) { this.clock += 1000; return this.give(who, command, signed); }
  operator(command) { return this.by('operator', command); }

  /** A command that its player signs. */
  signs(player, pen, nonce, command) {
    const by = `player:${player}`, text = verify.signedText(this.origin, by, nonce, JSON.stringify(command));
    return this.by(by, command, { nonce, signature: pen.sign(text) });
  }

  /** The number of the operation that was begun last. */
  get last() { return this.house.wallet.count - 1; }

  deposit(player, amount, by = 'operator') {
    return this.by(by, { wallet_deposit: { player, amount } }).last;
  }

  withdraw(player, amount, by = 'operator') {
    return this.by(by, { wallet_withdraw: { player, amount } }).last;
  }

  cancel(no, by = 'operator') { return this.by(by, { wallet_cancel: { no } }); }

  answer(no, call, answer = 'accepted', reason) {
    return this.by('house', { wallet_answer: { no, call, answer, ...(reason === undefined ? {} : { reason }) } });
  }

  /** A whole deposit or withdrawal that the wallet accepts. */
  deposited(player, amount) {
    const no = this.deposit(player, amount);
    return this.answer(no, 'reserve').answer(no, 'commit');
  }
  withdrawn(player, amount) { return this.answer(this.withdraw(player, amount), 'pay'); }

  /** This command is refused now, with that code. */
  refuses(about, code, command, by = 'operator') {
    this.refused.push({ about, after_entries: this.log.length, by, code, command, now: this.clock });
    const said = verify.copyOf(this.house).refusalOf(this.clock, by, command);
    assert.strictEqual(said, code, `${about}: ${said}, not ${code}`);
    return this;
  }

  refusesAnswer(about, code, no, call, answer = 'accepted', reason) {
    return this.refuses(about, code, { wallet_answer: { no, call, answer, ...(reason ? { reason } : {}) } }, 'house');
  }
}

const CALLS = ['reserve', 'commit', 'cancel', 'pay'];
const depositOf = (player, amount) => ({ wallet_deposit: { player, amount } });
const withdrawalOf = (player, amount) => ({ wallet_withdraw: { player, amount } });

/** Requests that are forbidden in any state of the wallet. */
function refusesToAsk(house) {
  const no = (about, code, command, by) => house.refuses(about, code, command, by);
  no('deposit: nobody there is', 'unknown_player', depositOf('nobody', 1));
  no('deposit: of a guest', 'other_chips', depositOf('guest.0', 1));
  no('deposit: by a guest', 'other_chips', depositOf('guest.0', 1), 'player:guest.0');
  no('deposit: nothing', 'amount_out_of_range', depositOf('ann', 0));
  no('deposit: more than a player may have', 'amount_out_of_range', depositOf('dan', HALF + 1));
  no('deposit: one too many beside the balance', 'amount_out_of_range', depositOf('ann', HALF - 1000 + 1));
  no('withdrawal: nobody there is', 'unknown_player', withdrawalOf('nobody', 1));
  no('withdrawal: of a guest', 'other_chips', withdrawalOf('guest.0', 1));
  no('withdrawal: by a guest', 'other_chips', withdrawalOf('guest.0', 1), 'player:guest.0');
  no('withdrawal: nothing', 'amount_out_of_range', withdrawalOf('ann', 0));
  no('withdrawal: more than there is', 'insufficient_balance', withdrawalOf('ann', 1001));
  no('withdrawal: of who has nothing', 'insufficient_balance', withdrawalOf('dan', 1));
  for (const by of ['house', 'anyone', 'auditor:ann', 'player:cat', 'player:nobody', 'player:guest.0']) {
    no(`deposit: by ${by}`, 'not_allowed', depositOf('ann', 1), by);
    no(`withdrawal: by ${by}`, 'not_allowed', withdrawalOf('ann', 1), by);
  }
  no('deposit: by one with a key, unsigned', 'signature_missing', depositOf('ben', 1), 'player:ben');
  no('withdrawal: by one with a key, unsigned', 'signature_missing', withdrawalOf('ben', 1), 'player:ben');
  no('withdrawal: of one with a key, by the operator', 'signature_missing', withdrawalOf('ben', 1));
  no('withdrawal: of one whose key waits', 'signature_missing', withdrawalOf('eve', 1));
  no('withdrawal: by one whose key waits', 'signature_missing', withdrawalOf('eve', 1), 'player:eve');
  no('cancel: of no operation', 'unknown_operation', { wallet_cancel: { no: 0 } });
  for (const call of CALLS) house.refusesAnswer(`answer: ${call} of no operation`, 'unknown_operation', 0, call);
}

/** Calls that do not fit an operation's state; `others` are calls that it does not wait for. */
function refusesBeside(house, no, call) {
  for (const other of CALLS.filter(one => one !== call)) {
    house.refusesAnswer(`answer: ${other} where ${call} was asked`, 'nothing_to_do', no, other);
    if (other !== 'commit' && other !== 'cancel')
      house.refusesAnswer(`answer: ${other} refused where ${call} was asked`, 'nothing_to_do', no, other, 'refused');
  }
  if (call !== 'reserve') house.refuses(`cancel: while ${call} is asked`, 'nothing_to_do', { wallet_cancel: { no } });
  house.refusesAnswer(`answer: ${call} accepted, with a reason`, 'malformed', no, call, 'accepted', 'why not');
  if (call === 'commit' || call === 'cancel')
    house.refusesAnswer(`answer: ${call} refused`, 'malformed', no, call, 'refused');
  for (const by of ['operator', 'anyone', 'player:ann', 'auditor:a']) {
    const command = { wallet_answer: { no, call, answer: 'accepted' } };
    if (call === 'reserve' || by === 'operator') house.refuses(`answer: ${call} by ${by}`, 'not_allowed', command, by);
  }
  house.refusesAnswer('answer: of a number that comes later', 'unknown_operation', house.last + 1, call);
}

function refusesAfterwards(house, no, calls) {
  for (const call of calls) house.refusesAnswer(`answer: ${call} once more`, 'unknown_operation', no, call);
  house.refuses('cancel: what is over', 'unknown_operation', { wallet_cancel: { no } });
}

/** Each possible course of an operation. */
function ordinary(house) {
  let no = house.deposit('ann', 500);
  refusesBeside(house, no, 'reserve');
  for (const by of ['player:cat', 'player:nobody', 'house', 'anyone', 'auditor:ann'])
    house.refuses(`cancel: by ${by}`, 'not_allowed', { wallet_cancel: { no } }, by);
  house.answer(no, 'reserve');
  refusesBeside(house, no, 'commit');
  house.answer(no, 'commit');
  refusesAfterwards(house, no, ['reserve', 'commit']);
  house.answer(house.deposit('cat', 300, 'player:cat'), 'reserve', 'refused', 'no such account');
  refusesAfterwards(house, house.last, ['reserve']);
  house.answer(house.deposit('cat', 30), 'reserve', 'refused');
  no = house.withdraw('ann', 200);
  refusesBeside(house, no, 'pay');
  house.answer(no, 'pay');
  refusesAfterwards(house, no, ['pay']);
  house.answer(house.withdraw('cat', 100, 'player:cat'), 'pay', 'refused');
  house.answer(house.withdraw('cat', 1000), 'pay', 'refused', LONGEST);
  no = house.deposit('dan', 70);
  house.cancel(no);
  refusesBeside(house, no, 'cancel');
  house.answer(no, 'cancel');
  refusesAfterwards(house, no, ['reserve', 'cancel']);
  no = house.deposit('cat', 80);
  house.cancel(no, 'player:cat').answer(no, 'cancel');
  house.allOver = house.log.length;
  house.deposit('cat', 5); // is never answered
  return house;
}

/** Players who sign, one from the beginning and one from the next day on. */
function withKeys(house) {
  house.signs('ben', PLAYER, 4, depositOf('ben', 60)).answer(house.last, 'reserve').answer(house.last, 'commit');
  house.signs('ben', PLAYER, 5, withdrawalOf('ben', 25)).answer(house.last, 'pay');
  house.deposit('ben', 40);
  house.signs('ben', PLAYER, 6, { wallet_cancel: { no: house.last } }).answer(house.last, 'cancel');
  // A deposit gives, and needs no key; neither does an operation from before the key.
  house.answer(house.deposit('eve', 15, 'player:eve'), 'reserve');
  house.clock = house.guestUntil;
  house.give('house', { dismiss_guest: { player: 'guest.0' } });
  house.clock += DAY_MS;
  house.answer(house.last, 'commit');
  house.refuses('withdrawal: by the operator, once the key is in force', 'signature_missing', withdrawalOf('eve', 5));
  return house.signs('eve', EVE, 1, withdrawalOf('eve', 1015)).answer(house.last, 'pay', 'refused', 'try again');
}

/**
 * The most operations of one player, of each kind; a start of the dealer and a named state change none of them.
 */
function manyAtOnce(house) {
  const ninth = { deposit: depositOf('ann', 1), withdrawal: withdrawalOf('ann', 1) };
  const refuses = (kind, about) =>
    house.refuses(`${kind}: the ninth, ${about}`, 'too_many_operations', ninth[kind]);
  const full = about => ['deposit', 'withdrawal'].forEach(kind => refuses(kind, about));
  const first = house.deposit('ann', 1);
  house.deposit('ann', 2);
  house.answer(house.deposit('ann', 6), 'reserve');
  for (const amount of [3, 4, 5, 11]) house.deposit('ann', amount);
  const last = house.deposit('ann', 8);
  refuses('deposit', 'beside no withdrawal');
  // The operator's requests in their name do not block their withdrawals.
  for (const amount of [3, 4, 5, 6, 7, 8, 9]) house.withdraw('ann', amount, 'player:ann');
  const out = house.withdraw('ann', 10, 'player:ann');
  house.manyOpen = house.log.length;
  full('of each kind');
  house.deposit('cat', 9);
  house.noteState().start();
  full('after a start');
  house.answer(first, 'reserve');
  full('one of them waiting for its commit');
  house.answer(first, 'commit').deposit('ann', 10);
  full('after one is over');
  house.cancel(last);
  full('one of them cancelled');
  house.answer(out, 'pay');
  refuses('deposit', 'after a withdrawal is over');
  house.withdraw('ann', 10, 'player:ann');
  full('after one of each kind is over');
  for (const [no, { player, call }] of [...house.house.wallet.open]) {
    if (player !== 'ann') continue;
    if (call === 'pay') house.answer(no, call, 'refused', 'away');
    else if (call === 'reserve') house.answer(no, call).answer(no, 'commit');
    else house.answer(no, call);
  }
  return house;
}

/** Players who cannot hold so many chips any more when the wallet accepts. */
function tooRich(house) {
  const credit = amount => house.operator({ credit: { player: 'max', amount } });
  house.operator({ create_player: { player: 'max' } });
  credit(HALF - 20);
  const [first, second] = [house.deposit('max', 10), house.deposit('max', 10)];
  house.refuses('deposit: beside two that are asked for', 'amount_out_of_range', depositOf('max', 1));
  house.answer(first, 'reserve');
  house.refuses('deposit: beside what is held and what is asked for', 'amount_out_of_range', depositOf('max', 1));
  house.answer(first, 'commit');
  credit(1);
  house.answer(second, 'reserve');
  house.refuses('answer: commit where cancel was asked', 'nothing_to_do', {
    wallet_answer: { no: second, call: 'commit', answer: 'accepted' },
  }, 'house');
  // Also while it waits to be cancelled, although its chips will not come.
  house.refuses('deposit: beside one that waits for its cancel', 'amount_out_of_range', depositOf('max', 1));
  house.answer(second, 'cancel').deposited('max', 9);
  house.refuses('deposit: nothing more fits', 'amount_out_of_range', depositOf('max', 1));
  house.withdrawn('max', 30);
  // An open deposit counts as requested until it is over, even if its chips are already there.
  const third = house.deposit('max', 20);
  house.answer(third, 'reserve');
  house.refuses('deposit: beside one that waits for its commit', 'amount_out_of_range', depositOf('max', 10));
  house.answer(third, 'commit').deposited('max', 10);
  house.operator({ withdraw: { player: 'max', amount: HALF } });
  return house;
}

/** The account `wallet` at the lower end of its range: the chips go to the cage, and come back from there. */
function extremes(house) {
  const stands = () => house.house.accounts.get('wallet');
  const intoCage = () => house.operator({ withdraw: { player: 'max', amount: house.house.balance('max') } });
  const credit = amount => house.operator({ credit: { player: 'max', amount } });
  const given = house.withdraw('ann', 2);
  house.deposited('max', HALF);
  intoCage();
  house.deposited('max', stands() + MOST);
  intoCage();
  assert.strictEqual(stands(), -MOST);
  house.refusesAnswer('answer: refused, and the account beyond its range', 'amount_out_of_range', given, 'pay',
    'refused');
  const one = house.deposit('max', 1);
  house.refusesAnswer('answer: held, and the account beyond its range', 'amount_out_of_range', one, 'reserve');
  house.cancel(one).answer(one, 'cancel').answer(given, 'pay');
  // Amounts that the wallet refuses come back, even above the limit of a credit; at last there is no room for them.
  const several = [HALF, HALF - 5].map(amount => {
    credit(amount);
    return house.withdraw('max', amount);
  });
  credit(HALF);
  house.answer(several[0], 'pay', 'refused', 'full');
  house.refusesAnswer('answer: refused, and the player beyond the range', 'amount_out_of_range', several[1], 'pay',
    'refused');
  house.refuses('deposit: above what a player may have', 'amount_out_of_range', depositOf('max', 1));
  return house.withdrawn('max', 2 * HALF).answer(several[1], 'pay', 'refused');
}

/** Open operations at the log's end, one of each call, and numbers with one more digit. */
function leftOpen(house) {
  const held = house.deposit('dan', 21), called = house.deposit('dan', 22);
  house.answer(held, 'reserve').cancel(called).deposit('dan', 23);
  house.withdraw('dan', 4);
  return house.noteState();
}

/** The log of the vectors, with all its refusals. */
function walletHouse() {
  const house = new WalletHouse();
  for (const player of ['ann', 'cat', 'eve']) house.player(player, 1000);
  house.player('ben', 1000, PLAYER.key).operator({ create_player: { player: 'dan' } });
  house.give('house', { admit_guest: {} });
  house.guestUntil = house.clock + DAY_MS;
  house.operator({ set_key: { player: 'eve', key: EVE.key, reason: 'lost' } });
  refusesToAsk(house);
  for (const act of [ordinary, withKeys, manyAtOnce, tooRich]) act(house);
  house.ordinaryEnd = house.log.length;
  return leftOpen(extremes(house));
}

module.exports = { WalletHouse, walletHouse, HERE, HALF, MOST, MASTER };

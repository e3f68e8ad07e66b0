// Chips that come from an operator's wallet and go back to it: spec/wallet.md.
//
// `wallet` is `{count, open, of}`: the number of operations so far; the open ones, by number, each `{call, player,
// amount}`; and the same by player, so that one player's can be found without a search. `withdrawals` is the number of
// open withdrawals.

const MOST_OPERATIONS = 65536, MOST_OPERATIONS_OF_ONE = 8, WALLET = 'wallet';
const isDeposit = ({ call }) => call !== 'pay';

extendHouse({
  wallet_deposit({ player, amount }, who) {
    need(this.by === 'operator' || (who === player && this.existing(who)), 'not_allowed');
    need(!isGuest(player), 'other_chips');
    need(this.players.has(player), 'unknown_player');
    const asked = sum(this.operationsOf(player).filter(isDeposit).map(operation => operation.amount));
    need(amount >= 1 && this.balance(player) + asked + amount <= HALF, 'amount_out_of_range');
    need(this.hasRoomFor(player, 'reserve'), 'too_many_operations');
    this.askWallet(this.wallet.count, 'reserve', player, amount);
  },

  /**
   * The right to withdraw is the same as for transfers: while a first key waits an operator could write in a player's
   * name.
   */
  wallet_withdraw({ player, amount }, who) {
    need(this.by === 'operator' || (who === player && this.existing(who)), 'not_allowed');
    need(this.keys.has(player) ? who : !this.waitingKeys.has(player), 'signature_missing');
    this.takeFrom(player, amount);
    need(this.walletStands() + amount <= MAX_AMOUNT, 'amount_out_of_range');
    need(this.hasRoomFor(player, 'pay'), 'too_many_operations');
    this.post([`player:${player}`, -amount], [WALLET, amount]);
    this.askWallet(this.wallet.count, 'pay', player, amount);
  },

  wallet_cancel({ no }, who) {
    const operation = this.openOperation(no), { player, amount } = operation;
    need(this.by === 'operator' || who === player, 'not_allowed');
    need(operation.call === 'reserve', 'nothing_to_do');
    this.askWallet(no, 'cancel', player, amount);
  },

  wallet_answer({ no, call, answer, reason }) {
    this.only('house');
    const operation = this.openOperation(no), { player, amount } = operation, isRefused = answer === 'refused';
    need(operation.call === call, 'nothing_to_do');
    need(!isRefused || call === 'reserve' || call === 'pay', 'malformed', `a ${call} is never refused`);
    need(isRefused || reason === undefined, 'malformed', 'a reason stands with a refusal alone');
    const isHeld = call === 'reserve' && !isRefused, comes = isHeld && this.balance(player) + amount <= HALF;
    if (comes || (call === 'pay' && isRefused)) {
      const fits = this.walletStands() - amount >= -MAX_AMOUNT && this.balance(player) + amount <= MAX_AMOUNT;
      need(fits, 'amount_out_of_range');
      this.post([WALLET, -amount], [`player:${player}`, amount]);
    }
    this.say('wallet_answered', { no, call, answer, ...orNone('reason', reason) });
    if (isHeld) this.askWallet(no, comes ? 'commit' : 'cancel', player, amount);
    else this.endOperation(no, player);
  },

  /** The account is there from the first posting on; before it stands at 0. */
  walletStands() { return this.accounts.get(WALLET) ?? 0; },

  operationsOf(player) { return [...(this.wallet.of.get(player) || new Map()).values()]; },

  openOperation(no) {
    const operation = this.wallet.open.get(no);
    need(operation, 'unknown_operation');
    return operation;
  },

  /** Deposits, which an operator can request in any name, leave room for withdrawals. */
  hasRoomFor(player, call) {
    const { open, withdrawals } = this.wallet, isOne = isDeposit({ call });
    const own = this.operationsOf(player).filter(operation => isDeposit(operation) === isOne).length;
    return own < MOST_OPERATIONS_OF_ONE && (isOne ? open.size - withdrawals : withdrawals) < MOST_OPERATIONS;
  },

  /** The operation waits for this call from now on; `reserve` and `pay` begin a new one. */
  askWallet(no, call, player, amount) {
    this.say('wallet_asked', { no, call, player, amount });
    if (no === this.wallet.count) this.wallet.count++;
    this.putOperation(no, { call, player, amount });
  },

  putOperation(no, operation) {
    const { open, of } = this.wallet, own = of.get(operation.player) || new Map();
    if (!isDeposit(operation)) this.wallet.withdrawals++;
    open.set(no, operation);
    of.set(operation.player, own.set(no, operation));
  },

  endOperation(no, player) {
    const { open, of } = this.wallet, own = of.get(player);
    if (!isDeposit(open.get(no))) this.wallet.withdrawals--;
    open.delete(no);
    own.delete(no);
    if (!own.size) of.delete(player);
  },

  // --- In the state -----------------------------------------------------------------------------

  walletLines(lines) {
    for (const [no, { call, player, amount }] of this.wallet.open) lines.set(`wallet:${no}`, { call, player, amount });
  },

  /** Takes in a state's statement about an open operation; refuses values that no entries can have made. */
  takeOperation(no, { call, player, amount }) {
    const wrong = why => fault(`operation ${no} of the wallet cannot be open: ${why}`);
    if (no >= this.wallet.count) wrong(`there were ${this.wallet.count} of them`);
    if (isGuest(player) || !this.players.has(player)) wrong(`${player} is no player who could have it`);
    if (!this.hasRoomFor(player, call)) wrong('as many of its kind are as may be');
    this.putOperation(no, { call, player, amount });
  },
});

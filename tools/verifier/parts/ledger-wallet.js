// The operator's wallet by the ledger alone: its account moves only with its own commands, by each operation's amount
// and against its player, and an operation's entries come in order (spec/wallet.md, "Postings"). Rights, and the number
// of open operations, are not checked here.

const isAskedOfWallet = fieldsOf({ player: isName, amount: isAmount });
const LEDGER_WALLET_COMMANDS = {
  wallet_deposit: isAskedOfWallet,
  wallet_withdraw: isAskedOfWallet,
  wallet_cancel: fieldsOf({ no: isCount }),
  wallet_answer: fieldsOf(COMMANDS.wallet_answer),
};
const LEDGER_WALLET_EVENTS = {
  wallet_asked: fieldsOf(EVENTS.wallet_asked),
  wallet_answered: fieldsOf(EVENTS.wallet_answered),
};
const isOfWallet = event => Object.hasOwn(LEDGER_WALLET_EVENTS, Object.keys(event)[0]);

/** Methods of LedgerBook. */
const WALLET_OF_LEDGER = {
  /**
   * The effect of such a command by the page's tables, from the state before its entry: `{player, moved, events, no,
   * next}`. `moved` is the change of the account `wallet`, 0 if nothing is posted; `next` is the operation afterwards,
   * null if it is over.
   */
  walletDue(name, fields) {
    if (name === 'wallet_deposit' || name === 'wallet_withdraw') {
      const { player, amount } = fields, call = name === 'wallet_deposit' ? 'reserve' : 'pay';
      return this.askedDue(this.operations, { call, player, amount }, call === 'pay' ? BigInt(amount) : 0n);
    }
    const { no } = fields, operation = this.openOperations.get(no), { call } = operation || {};
    if (!operation) unsound('state', `there is no open operation ${no} of the wallet`);
    if (name === 'wallet_cancel') {
      if (call !== 'reserve') unsound('state', `operation ${no} of the wallet waits for ${call}: it is not cancelled`);
      return this.askedDue(no, { ...operation, call: 'cancel' }, 0n);
    }
    return this.answeredDue(operation, fields);
  },

  askedDue(no, next, moved) {
    return { no, next, moved, player: next.player, events: [{ wallet_asked: { no, ...next } }] };
  },

  answeredDue(operation, { no, call, answer, reason }) {
    const { player, amount } = operation, isRefused = answer === 'refused';
    if (operation.call !== call)
      unsound('state', `operation ${no} of the wallet waits for ${operation.call}, what is answered is ${call}`);
    if (isRefused && call !== 'reserve' && call !== 'pay') unsound('state', `the wallet never refuses a ${call}`);
    const answered = { wallet_answered: { no, call, answer, ...orNone('reason', reason) } };
    if (call === 'reserve' && !isRefused) {
      const stands = this.get(`player:${player}`) || 0n, comes = stands + BigInt(amount) <= BigInt(HALF);
      const next = { ...operation, call: comes ? 'commit' : 'cancel' };
      const due = this.askedDue(no, next, comes ? -BigInt(amount) : 0n);
      return { ...due, events: [answered, ...due.events] };
    }
    const moved = call === 'pay' && isRefused ? -BigInt(amount) : 0n;
    return { no, next: null, moved, player, events: [answered] };
  },

  /** Checks that the wallet's account and operations move by the entry's command, and with no other command. */
  settleWallet({ wallet: due, moved, command, events }) {
    const said = events.filter(isOfWallet);
    if (!due) {
      if (said.length) unsound('state', `${Object.keys(said[0])[0]} is not what ${Object.keys(command)[0]} causes`);
      if (moved.has(WALLET)) unsound('posting', `${WALLET} moves with ${Object.keys(command)[0]}`);
      return;
    }
    if (quote(said) !== quote(due.events))
      unsound('state', `of the wallet the entry says ${quote(said)}, its command causes ${quote(due.events)}`);
    this.settleMoves(due, moved);
    const names = [...(due.moved ? ['posted'] : []), ...due.events.map(event => Object.keys(event)[0])];
    if (events.map(event => Object.keys(event)[0]).join() !== names.join())
      unsound('state', `the command causes ${names.join(', ')}, in this order and nothing else`);
    if (due.no === this.operations) this.operations++;
    if (due.next) this.openOperations.set(due.no, due.next); else this.openOperations.delete(due.no);
  },

  settleMoves({ player, moved: amount }, moved) {
    const due = new Map(amount ? [[WALLET, amount], [`player:${player}`, -amount]] : []);
    for (const account of new Set([...due.keys(), ...moved.keys()])) {
      const [said, posted] = [due, moved].map(moves => moves.get(account) || 0n);
      if (said !== posted) unsound('posting', `${account} is due ${said} here, postings give it ${posted}`);
    }
  },
};

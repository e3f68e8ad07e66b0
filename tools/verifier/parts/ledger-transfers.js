// Transfers by the ledger alone: the accounts of other logs move by the amounts of their entries, and no number comes
// twice (spec/transfers.md, "Postings"). Receipts are not checked here.

const LEDGER_TRANSFER_EVENTS = {
  log_known: fieldsOf({ log: isOrigin, 'policy?': isPlainText }),
  transferred_out: fieldsOf({ to: isOrigin, no: isCount, player: isName, amount: isCount }),
  transferred_in: fieldsOf({ from: isOrigin, no: isCount, index: isCount, player: isName, amount: isCount }),
};
/** The command that causes each of them. */
const TRANSFER_COMMANDS = { log_known: 'know_log', transferred_out: 'transfer_out', transferred_in: 'transfer_in' };

/** Methods of LedgerBook. */
const TRANSFERS_OF_LEDGER = {
  ofTransfer(name, fields, entry) {
    const command = TRANSFER_COMMANDS[name], [asked] = Object.keys(entry.command);
    if (asked !== command || entry.transfer) unsound('state', `${name} is said where it is not what ${asked} causes`);
    entry.transfer = fields;
    if (name === 'log_known') {
      if (!this.known.has(fields.log)) this.knowLog(fields.log);
      return;
    }
    const { to, from = to, no } = fields, known = this.known.get(from);
    if (!known) unsound('state', `the log ${quote(from)} was never named`);
    if (name === 'transferred_in') {
      if (isClaimed(known.claimed, no)) unsound('state', `number ${no} of ${quote(from)} was claimed before`);
      known.claimed = withClaimed(known.claimed, no);
    } else if (no !== known.sent) {
      unsound('state', `number ${no} is sent to ${quote(to)}, number ${known.sent} comes next`);
    } else known.sent++;
  },

  knowLog(log) {
    this.known.set(log, { sent: 0, claimed: [] });
    this.accounts.set(transfersOf(log), 0n);
  },

  /** Checks that the accounts of other logs move by the entry's transfer, with postings of its player alone. */
  settleTransfer({ transfer, moved }) {
    const due = new Map();
    if (transfer && transfer.amount) {
      const { to, from = to, player, amount } = transfer, sign = to === undefined ? -1n : 1n;
      addMove(due, transfersOf(from), sign * BigInt(amount));
      addMove(due, `player:${player}`, -sign * BigInt(amount));
    }
    const judged = transfer ? [...new Set([...due.keys(), ...moved.keys()])] : [...moved.keys()].filter(isOfTransfers);
    for (const account of judged) {
      const [said, posted] = [due, moved].map(moves => moves.get(account) || 0n);
      if (said !== posted) unsound('posting', `${account} is due ${said} here, postings give it ${posted}`);
    }
  },
};

const isOfTransfers = account => account.startsWith(TRANSFERS);

// Chips that go from one log to another by receipt: spec/transfers.md.
//
// For each log that the operator ever named the house keeps `{policy, sent, claimed}`: the policy in force as its
// entry's text, undefined if there is none; the number of transfers sent there; the claimed numbers of that log, as
// runs `[first, last]`, ascending, as few as possible. An origin may be any word, even `__proto__`: so all is kept in
// Maps.

const MOST_KNOWN = 256, MOST_LOG_POLICY = 8192, MOST_CLAIMED = 4096, MOST_CLAIM_RECEIPT = 16384;
const transfersOf = origin => TRANSFERS + origin;

/** The bytes of a base64 text, at most so many. */
function boundedBase64(text, most, what) {
  // Four digits encode three bytes: a longer text is not decoded.
  const bytes = text.length <= 4 * Math.ceil(most / 3) ? unbase64(text) : null;
  if (!bytes || bytes.length > most) fault(`the ${what} is not the one base64 of at most ${most} bytes`);
  return bytes;
}

/** The policy for judging receipts of the log of that name: it accepts this log and no other. */
function policyOfLog(text, origin) {
  const policy = readPolicy(boundedBase64(text, MOST_LOG_POLICY, 'policy'));
  if (policy.logs.length !== 1 || policy.logs[0].name !== origin)
    fault(`the policy has not one log line, with a key of the name ${quote(origin)}`);
  return policy;
}

/** The transfer in another log's entry: `{to, no, player, amount}`. */
function transferOf(text) {
  if (text.length > MOST_CLAIMED) fault(`the entry is longer than ${MOST_CLAIMED} bytes`);
  const { command, events } = readEntry(text), { transferred_out: sent } = events[events.length - 1] || {};
  if (!command.transfer_out || !sent) fault('the entry is not one that sends something to another log');
  return sent;
}

/**
 * The content of a claim at the log `here`, proven under the policy of the log that it comes from, `{no, index, player,
 * amount, checkpoint}`.
 */
function claimShown({ from, entry, receipt }, policy, here) {
  const bytes = boundedBase64(receipt, MOST_CLAIM_RECEIPT, 'receipt'), { to, no, player, amount } = transferOf(entry);
  const { index, checkpoint } = verifyReceipt(bytes, ascii(entry), policyOfLog(policy, from));
  if (to !== here) fault(`it was sent to ${quote(to)}, this log is ${quote(here)}`);
  // An entry here holds no larger number.
  if (!isCount(Number(index))) fault(`the index ${index} is none that an entry can hold`);
  return { no, index: Number(index), player, amount, checkpoint };
}

/** The player of a claim, if it can be read. */
function playerOfClaim({ entry }) {
  try {
    return [transferOf(entry).player];
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    return [];
  }
}

/** A failure in `action` is a refusal with that code. */
function orRefuse(code, action) {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    return refuse(code, error.message);
  }
}

const isClaimed = (runs, no) => runs.some(([first, last]) => first <= no && no <= last);

/** The runs with one more number, joined with its neighbours. */
function withClaimed(runs, no) {
  const below = runs.filter(([, last]) => last < no), above = runs.filter(([first]) => first > no);
  const first = below.length && below[below.length - 1][1] === no - 1 ? below.pop()[0] : no;
  const last = above.length && above[0][0] === no + 1 ? above.shift()[1] : no;
  return [...below, [first, last], ...above];
}

/** Whether runs are ascending and as few as possible. */
const areRuns = runs =>
  runs.every(([first, last], i) => first <= last && (i === 0 || first > runs[i - 1][1] + 1));

/** The least number of witnesses that must cosign to meet a quorum. */
function leastWitnesses(node) {
  if (node === 'none') return 0;
  if (node.witness) return 1;
  return sum(node.group.members.map(leastWitnesses).sort((a, b) => a - b).slice(0, node.group.k));
}

extendHouse({
  know_log({ log, policy }) {
    const known = this.known.get(log);
    this.only('operator');
    need(log !== this.start.origin, 'malformed', 'a log does not name itself');
    need(known || this.known.size < MOST_KNOWN, 'malformed', `${MOST_KNOWN} logs are known`);
    if (policy !== undefined) orRefuse('malformed', () => policyOfLog(policy, log));
    need(policy !== (known && known.policy), 'nothing_to_do');
    if (known) known.policy = policy;
    else this.openTransfers(log, { policy, sent: 0, claimed: [] }, 0);
    this.say('log_known', { log, ...orNone('policy', policy) });
  },

  /** Adds a known log, with its account. */
  openTransfers(log, known, balance) {
    this.known.set(log, known);
    this.accounts.set(transfersOf(log), balance);
  },

  /** The log for a transfer or claim: one that the operator named, while its policy is in force. */
  trusted(log) {
    const known = this.known.get(log);
    need(known && known.policy !== undefined, 'unknown_log');
    return known;
  },

  transfer_out({ to, player, amount }, who) {
    need(this.by === 'operator' || (who === player && this.existing(who)), 'not_allowed');
    // While a first key waits transfers are refused: an operator could write in the player's name.
    need(this.keys.has(player) ? who : !this.waitingKeys.has(player), 'signature_missing');
    const known = this.trusted(to), account = transfersOf(to);
    this.takeFrom(player, amount);
    need(this.accounts.get(account) + amount <= MAX_AMOUNT, 'amount_out_of_range');
    this.post([`player:${player}`, -amount], [account, amount]);
    this.say('transferred_out', { to, no: known.sent, player, amount });
    known.sent++;
  },

  /**
   * Anyone may hand it in: it proves itself. The other house's own auditor checks whether that house was right to write
   * it.
   */
  transfer_in({ from, entry, receipt }) {
    if (isPlayerActor(this.by)) this.existing(this.by.slice(7));
    const known = this.trusted(from), account = transfersOf(from);
    const { no, index, player, amount } =
      orRefuse('claim_refused', () => claimShown({ from, entry, receipt }, known.policy, this.start.origin));
    need(!isClaimed(known.claimed, no), 'already_claimed');
    need(this.players.has(player), 'unknown_player');
    need(!isGuest(player), 'other_chips');
    need(amount > 0, 'amount_out_of_range');
    need(
      this.balance(player) + amount <= HALF && this.accounts.get(account) - amount >= -MAX_AMOUNT,
      'amount_out_of_range',
    );
    this.post([account, -amount], [`player:${player}`, amount]);
    known.claimed = withClaimed(known.claimed, no);
    this.say('transferred_in', { from, no, index, player, amount });
  },

  // --- In the state -----------------------------------------------------------------------------

  knownPart(log, { policy, sent, claimed }) {
    const balance = this.accounts.get(transfersOf(log));
    return {
      ...orNone('policy', policy),
      ...unlessZero('balance', balance),
      ...unlessZero('sent', sent),
      ...orNone('claimed', claimed),
    };
  },

  /** Takes in a state's statement about a known log; refuses values that no entries can have made. */
  takeKnown(log, { policy, balance = 0, sent = 0, claimed = [] }) {
    const wrong = why => fault(`the log ${quote(log)} cannot be known so: ${why}`);
    if (log === this.start.origin) wrong('it is the log itself');
    if (this.known.size === MOST_KNOWN) wrong(`${MOST_KNOWN} others are`);
    if (policy !== undefined) policyOfLog(policy, log);
    if (!areRuns(claimed)) wrong('its claims are not in as few runs as can be');
    // Every transfer is 1 or more.
    if (sent ? !claimed.length && balance < sent : balance > 0 || (!claimed.length && balance < 0))
      wrong('its balance is none that was sent and claimed');
    this.openTransfers(log, { policy, sent, claimed }, balance);
  },
});

// Compares a log with the statement of the operator's wallet: spec/wallet.md, "Reconciliation".

/** The correct combinations: for each state on the log, the allowed states at the wallet. */
const UNKNOWN = null;
const UNDER_WAY = {
  'waits for reserve': [UNKNOWN, 'reserved', 'committed', 'refused', 'cancelled'],
  'waits for commit': ['reserved', 'committed'],
  'waits for cancel': [UNKNOWN, 'reserved', 'cancelled', 'refused'],
  'waits for pay': [UNKNOWN, 'paid', 'refused'],
};
const AGREES = {
  'commit accepted': ['committed'],
  'pay accepted': ['paid'],
  'reserve refused': [UNKNOWN, 'refused'],
  'pay refused': [UNKNOWN, 'refused'],
  'cancel accepted': [UNKNOWN, 'cancelled', 'refused'],
};
/** An operation in progress for longer is overdue: three days. */
const OPERATION_LATE_MS = 259200000;
/** The doors by which chips leave a player outside play: spec/audit.md, "Doors". */
const DOORS = ['withdraw', 'wallet_withdraw', 'transfer_out', 'correct'];
const isWalletState = oneOf('reserved', 'committed', 'cancelled', 'paid', 'refused');
const isOperationKind = oneOf('deposit', 'withdrawal');

const isFlat = value => typeof value === 'string' || Number.isSafeInteger(value);

/** The chips that left the players of a sound log by each door and requester; and the wallet's refusals. */
function doorsOf(lines) {
  const none = () => ({ times: 0, amount: 0n }), doors = new Map(), back = none();
  DOORS.forEach(door => doors.set(door, { operator: none(), signed: none(), unsigned: none() }));
  const add = (moved, amount) => { moved.times++; moved.amount += BigInt(amount); };
  for (const line of lines) {
    if (![...DOORS, 'wallet_answer'].some(word => line.includes(`"${word}":`))) continue;
    const { by, command, signed, events } = readEntry(line), [[name, fields]] = Object.entries(command);
    if (doors.has(name)) add(doors.get(name)[by === 'operator' ? by : signed ? 'signed' : 'unsigned'], fields.amount);
    if (name !== 'wallet_answer' || fields.call !== 'pay' || fields.answer !== 'refused') continue;
    const [{ posted: { lines: posted } }] = events;
    add(back, posted.find(([, amount]) => amount > 0)[1]);
  }
  const inJson = ({ times, amount }) => ({ times, amount: sumInJson(amount) });
  const rows = [...doors].map(([name, door]) =>
    [name, Object.fromEntries(Object.entries(door).map(([by, moved]) => [by, inJson(moved)]))]);
  return { ...Object.fromEntries(rows), wallet_refused: inJson(back) };
}

/** The same in words, one line for each used door. */
function doorsInWords({ wallet_refused: back, ...doors }) {
  const by = { operator: 'by the operator', signed: 'signed by players', unsigned: 'unsigned' };
  const said = Object.entries(doors).flatMap(([name, door]) => {
    const used = Object.entries(door).filter(([, { times }]) => times);
    const words = used.map(([who, { times, amount }]) => `${amount} ${by[who]}, in ${times} times`);
    return used.length ? [`Out by ${name}: ${words.join('; ')}.`] : [];
  });
  return [...said, ...(back.times ? [`Of it the wallet refused ${back.amount}, in ${back.times} times.`] : [])];
}

/**
 * The open wallet operations at the end of a log with these lines, the oldest first. For operations from before the
 * given state no line tells their beginning, so that state's time is used.
 */
function walletWaits({ wallet }, lines, given) {
  const begun = new Map();
  for (const line of lines)
    if (line.includes('"wallet_asked"'))
      for (const { wallet_asked: asked } of readEntry(line).events)
        if (asked && !begun.has(asked.no)) begun.set(asked.no, readEntry(line).time);
  return [...wallet.open]
    .map(([no, one]) => ({ no, ...one, since: no < given.operations ? given.time : begun.get(no) }))
    .sort((a, b) => a.since - b.since || a.no - b.no);
}

/** The number of these that have been open too long at the log's end. */
const lateWaits = ({ time }, waits) => waits.filter(({ since }) => time - since > OPERATION_LATE_MS).length;

/**
 * Every operation of a sound log, by its number: `{kind, player, amount, since, stands}`, in the words of the page's
 * end; `since` is the time of the entry that began it.
 */
function walletOperations(lines) {
  const operations = [];
  for (const line of lines) {
    if (!line.includes('"wallet_')) continue;
    const { time, events } = readEntry(line);
    for (const { wallet_asked: asked, wallet_answered: answered } of events) {
      if (answered) operations[answered.no].stands = `${answered.call} ${answered.answer}`;
      if (!asked) continue;
      const { no, call, player, amount } = asked;
      const kind = call === 'pay' ? 'withdrawal' : 'deposit';
      if (no === operations.length) operations.push({ kind, player, amount, since: time });
      operations[no].stands = `waits for ${call}`;
    }
  }
  return operations;
}

/**
 * The wallet's statement of the log of that name, by number. Of a line the six compared fields are read; a reason, and
 * further fields, are the wallet's own.
 */
function readWalletStatement(text, origin) {
  const operations = new Map(), lines = text.split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  let last = -1;
  lines.forEach((line, at) => {
    const wrong = why => { throw new Unusable(`line ${at + 1} of the statement ${why}`); };
    let one;
    try { one = JSON.parse(line); } catch (error) { wrong(`is no JSON: ${error.message}`); }
    const why = ambiguity(line);
    if (why) wrong(`can be read in two ways: ${why}`);
    if (/[^\x20-\x7e]|\\/.test(line) || !isObject(one) || !Object.values(one).every(isFlat))
      wrong('is no object of plain strings and whole numbers');
    if (!isOrigin(one.log) || !isCount(one.no)) wrong('is no operation of a log');
    const { log, no, kind, player, amount, state } = one;
    if (!isOperationKind(kind) || !isName(player) || !isPositive(amount) || !isWalletState(state))
      wrong('is no operation');
    if (log !== origin) wrong(`is of the log ${quote(log)}, not of ${quote(origin)}`);
    if (no <= last) wrong(`has number ${no}, the line before it ${last}`);
    last = no;
    operations.set(no, { kind, player, amount, state });
  });
  return operations;
}

/** A sum as JSON: a number if it is exact, otherwise its digits. */
const sumInJson = amount =>
  (amount <= BigInt(MAX_AMOUNT) && amount >= -BigInt(MAX_AMOUNT) ? Number(amount) : String(amount));

/**
 * The comparison of a sound log's lines with the wallet's statement: the object at the page's end. `now` is the time up
 * to which the log is complete.
 */
function reconcile(lines, statement, now = readEntry(lines[lines.length - 1]).time) {
  const log = nameOfLog({ lines }), operations = walletOperations(lines);
  const atWallet = readWalletStatement(statement, log);
  const report = { log, verdict: 'reconciled', agree: 0 };
  const underWay = [], later = [], differs = [];
  operations.forEach((operation, no) => {
    const other = atWallet.get(no), state = other ? other.state : UNKNOWN, { stands, since } = operation;
    const isSame = !other || ['kind', 'player', 'amount'].every(name => other[name] === operation[name]);
    const about = ({ kind, player, amount }) => (isSame ? '' : `, ${kind} of ${player}, ${amount}`);
    const found = { no, log: stands + about(operation), ...(other ? { wallet: state + about(other) } : {}) };
    if (isSame && (AGREES[stands] || []).includes(state)) report.agree++;
    else if (isSame && (UNDER_WAY[stands] || []).includes(state)) underWay.push({ ...found, since });
    else differs.push(found);
  });
  for (const [no, { state }] of atWallet) if (no >= operations.length) later.push({ no, wallet: state });
  const sums = (list, of, words) =>
    sumInJson(sumBig(list.filter(one => words.includes(one[of])), ({ amount }) => amount));
  const said = [...atWallet.values()];
  report.on_log = {
    deposits: sums(operations, 'stands', ['waits for commit', 'commit accepted']),
    withdrawals: sums(operations, 'stands', ['waits for pay', 'pay accepted']),
  };
  report.at_wallet = Object.fromEntries(
    ['committed', 'reserved', 'paid'].map(state => [state, sums(said, 'state', [state])]),
  );
  Object.assign(report, { under_way: underWay, later, differs });
  if (underWay.length || later.length) report.verdict = 'under_way';
  if (underWay.some(({ since }) => now - since > OPERATION_LATE_MS)) report.verdict = 'overdue';
  if (differs.length) report.verdict = 'differs';
  return report;
}

function reconciledInWords(report) {
  const { log, agree, on_log: onLog, at_wallet: atWallet, under_way: underWay, later, differs, verdict } = report;
  const pair = ({ no, log: here = 'nothing', wallet = 'nothing' }) =>
    `operation ${no}: the log has ${here}, the wallet has ${wallet}`;
  const last = {
    reconciled: 'RECONCILED. The wallet has what the log has, to the unit.',
    under_way: 'UNDER WAY. Nothing differs; what is not over, or not on this copy of the log, is listed.',
    overdue: 'OVERDUE. Nothing differs; what is listed is under way for longer than three days.',
    differs: 'DIFFERS. The wallet has something else than the log.',
  };
  return [
    `The log ${log}: ${onLog.deposits} came from the wallet, ${onLog.withdrawals} went back or are on their way.`,
    `The wallet: ${atWallet.committed} committed, ${atWallet.reserved} reserved, ${atWallet.paid} paid.`,
    `Operations that agree: ${agree}.`,
    ...underWay.map(one => `Under way since ${clock(one.since)}: ${pair(one)}.`),
    ...later.map(one => `Later, or lost by the log: ${pair(one)}.`),
    ...differs.map(one => `Differs: ${pair(one)}. [wallet]`),
    last[verdict],
  ];
}

// Statements of an operator's wallet, and their comparison with a log (spec/wallet.md, "Reconciliation"): the cases of
// spec/vectors/wallet.json. The expected results are written here by the page's table, not by the verifier's.
'use strict';
const assert = require('assert');
const { verify } = require('./dealer.js');
const { HERE } = require('./wallet_house.js');

const STATES = [null, 'reserved', 'committed', 'cancelled', 'paid', 'refused'];
/** By the log's state: for each of STATES in progress (u), agrees (a), or differs (d). */
const TABLE = {
  'waits for reserve': 'uuuudu',
  'waits for commit': 'duuddd',
  'waits for cancel': 'uududu',
  'waits for pay': 'uddduu',
  'commit accepted': 'ddaddd',
  'pay accepted': 'ddddad',
  'reserve refused': 'adddda',
  'pay refused': 'adddda',
  'cancel accepted': 'addada',
};
/** An honest wallet's state of an operation, if it got every call except the pending one. */
const HONEST = {
  'waits for reserve': null, 'waits for commit': 'reserved', 'waits for cancel': 'reserved', 'waits for pay': null,
  'commit accepted': 'committed', 'pay accepted': 'paid', 'reserve refused': 'refused', 'pay refused': 'refused',
  'cancel accepted': 'cancelled',
};

/** The operations of the first `size` entries, `{no, kind, player, amount, stands}`. */
function operationsOf(log, size) {
  const operations = [];
  for (const { time, command, events } of log.slice(0, size).map(line => JSON.parse(line))) {
    const { wallet_answer: answered } = command, asked = events.map(event => event.wallet_asked).find(Boolean);
    if (answered) operations[answered.no].stands = `${answered.call} ${answered.answer}`;
    if (!asked) continue;
    const { no, call, player, amount } = asked, kind = call === 'pay' ? 'withdrawal' : 'deposit';
    operations[no] = { kind, since: time, ...operations[no], no, player, amount, stands: `waits for ${call}` };
  }
  return operations;
}

const lineOf = ({ no, kind, player, amount }, state, more = {}) =>
  JSON.stringify({ log: HERE, no, kind, player, amount, state, ...more });

/**
 * An honest wallet's statement, with the states of `but` for some operations: a state, null for none, or a whole line.
 */
function statementOf(operations, but = new Map()) {
  return operations.flatMap(operation => {
    const { no, stands } = operation, said = but.has(no) ? but.get(no) : HONEST[stands];
    if (said === null) return [];
    return [STATES.includes(said) ? lineOf(operation, said) : said];
  });
}

/** A sum in the page's form: a number if it is exact, otherwise its digits. */
function amounts(list, holds) {
  const sum = list.filter(holds).reduce((all, { amount }) => all + BigInt(amount), 0n);
  return sum < 2n ** 53n ? Number(sum) : String(sum);
}

/** The expected object at the page's end, from the lists of a case. */
function due(operations, statement, lists, now) {
  const { later = [], differs = [] } = lists, said = statement.map(line => JSON.parse(line));
  const underWay = lists.under_way.map(one => ({ ...one, since: operations[one.no].since }));
  const isLate = underWay.some(({ since }) => now > since + 3 * 24 * 3600 * 1000);
  const waits = underWay.length || later.length ? 'under_way' : 'reconciled';
  const of = state => amounts(said, one => one.state === state);
  return {
    log: HERE,
    verdict: differs.length ? 'differs' : isLate ? 'overdue' : waits,
    agree: operations.length - underWay.length - differs.length,
    on_log: {
      deposits: amounts(operations, ({ stands }) => ['waits for commit', 'commit accepted'].includes(stands)),
      withdrawals: amounts(operations, ({ stands }) => ['waits for pay', 'pay accepted'].includes(stands)),
    },
    at_wallet: { committed: of('committed'), reserved: of('reserved'), paid: of('paid') },
    under_way: underWay, later, differs,
  };
}

class Cases {
  constructor(log) { Object.assign(this, { log, list: [] }); }

  add(about, size, statement, lists, now) {
    const operations = operationsOf(this.log, size);
    // Operations that are not mentioned are in progress, in an honest wallet's state.
    const spoken = new Set(Object.values(lists).flat().map(({ no }) => no).concat(lists.agrees || []));
    const waiting = operations.filter(({ no, stands }) => stands.startsWith('waits') && !spoken.has(no));
    const underWay = [
      ...(lists.under_way || []),
      ...waiting.map(({ no, stands }) => ({ no, log: stands, ...(HONEST[stands] ? { wallet: HONEST[stands] } : {}) })),
    ].sort((a, b) => a.no - b.no);
    const { time } = JSON.parse(this.log[size - 1]);
    const gives = due(operations, statement, { ...lists, under_way: underWay }, now === undefined ? time : now);
    this.list.push({ about, origin: HERE, entries: size, ...(now === undefined ? {} : { now }), statement, gives });
  }

  /** The same, except for one operation with another state at the wallet. */
  state(size, no, state) {
    const operations = operationsOf(this.log, size), { stands } = operations[no];
    const found = { no, log: stands, ...(state ? { wallet: state } : {}) };
    const lists = { u: { under_way: [found] }, d: { differs: [found] }, a: { agrees: [no] } };
    const word = TABLE[stands][STATES.indexOf(state)];
    this.add(`${stands}: ${state || 'unknown'}`, size, statementOf(operations, new Map([[no, state]])), lists[word]);
  }

  /** One operation for which the wallet has another player, amount or kind. */
  other(about, size, no, fields, state) {
    const operations = operationsOf(this.log, size), one = operations[no], told = { ...one, ...fields };
    const words = ({ kind, player, amount }) => `${kind} of ${player}, ${amount}`;
    const found = { no, log: `${one.stands}, ${words(one)}`, wallet: `${state}, ${words(told)}` };
    const statement = statementOf(operations, new Map([[no, lineOf(told, state)]]));
    this.add(about, size, statement, { differs: [found] });
  }

  unreadable(about, size, change) {
    const statement = statementOf(operationsOf(this.log, size));
    this.list.push({
      about, origin: HERE, entries: size, statement: change(statement) || statement, unreadable: true,
    });
  }
}

/** Every row of the table with every state: at the first entry after which an operation stands so. */
function everyRow(cases) {
  for (const stands of Object.keys(TABLE)) {
    const size = cases.log.findIndex((_, i) => operationsOf(cases.log, i + 1).some(one => one.stands === stands)) + 1;
    assert(size > 0, stands);
    const { no } = operationsOf(cases.log, size).find(one => one.stands === stands);
    for (const state of STATES) cases.state(size, no, state);
  }
}

/** Invalid lines; each in place of the first. */
function badLines(cases, size) {
  const lie = (about, change) => cases.unreadable(about, size, lines => [change(lines[0], lines), ...lines.slice(1)]);
  const fields = (about, change) => lie(about, line => {
    const one = JSON.parse(line);
    return JSON.stringify(change(one) || one);
  });
  lie('an empty line', () => '');
  lie('no JSON', () => 'reserved');
  lie('JSON that is cut off', line => line.slice(0, -1));
  lie('two operations in a line', (line, lines) => line + lines[1]);
  lie('a list of operations', line => `[${line}]`);
  lie('null', () => 'null');
  for (const name of ['log', 'no', 'kind', 'player', 'amount', 'state'])
    fields(`${name} is missing`, one => { delete one[name]; });
  fields('a number as text', one => { one.no = String(one.no); });
  fields('an amount as text', one => { one.amount = String(one.amount); });
  fields('a number below zero', one => { one.no = -1; });
  fields('an amount below zero', one => { one.amount = -one.amount; });
  lie('an amount that is no whole number', line => line.replace(/"amount":[0-9]+/, '"amount":1.5'));
  lie('an amount above 2^53 - 1', line => line.replace(/"amount":[0-9]+/, '"amount":9007199254740992'));
  lie('a number with a leading zero', line => line.replace('"no":', '"no":0'));
  fields('an amount of 0', one => { one.amount = 0; });
  fields('no kind that there is', one => { one.kind = 'transfer'; });
  fields('a kind in capitals', one => { one.kind = 'Deposit'; });
  fields('no state that there is', one => { one.state = 'pending'; });
  fields('no state', one => { one.state = null; });
  fields('no name of a player', one => { one.player = 'Ann!'; });
  fields("another log's", one => { one.log = 'fairshoe.example/v'; });
  fields("a log's name in capitals", one => { one.log = one.log.toUpperCase(); });
  fields('a list among its fields', one => { one.at = ['x']; });
  fields('a field of nothing', one => { one.at = null; });
  fields('a field that is true', one => { one.at = true; });
  fields('a letter that is not of ASCII', one => { one.at = '\u00f6'; });
  lie('a letter as its number', line => line.replace(/}$/, ',"at":"\\u0061"}'));
  lie('a fraction in a field that nobody reads', line => line.replace(/}$/, ',"at":1.0}'));
  lie('another spelling of a number in a field that nobody reads', line => line.replace(/}$/, ',"at":1E+5}'));
  lie('less than nothing of nothing', line => line.replace(/}$/, ',"at":-0}'));
  lie('a number above 2^53 - 1 in a field that nobody reads', line => line.replace(/}$/, ',"at":9007199254740992}'));
  lie('a field twice that nobody reads', line => line.replace(/}$/, ',"at":1,"at":1}'));
  lie('a list of values', line => JSON.stringify(Object.values(JSON.parse(line))));
  lie('a state that is an object', line => line.replace('"state":"committed"', '"state":{"committed":"x"}'));
  lie('a state twice', line => line.replace(/}$/, ',"state":"reserved"}'));
  cases.unreadable('an empty line at the end', size, lines => [...lines, '']);
  cases.unreadable('a number twice', size, lines => [lines[0], ...lines]);
  cases.unreadable('a number twice, in two states', size, lines =>
    [lines[0], lines[0].replace('committed', 'reserved'), ...lines.slice(1)]);
  cases.unreadable('out of order', size, lines => [lines[1], lines[0], ...lines.slice(2)]);
  cases.unreadable('a later number out of order', size, lines => {
    const later = no => lineOf({ no, kind: 'deposit', player: 'ann', amount: 1 }, 'reserved');
    return [...lines, later(99), later(98)];
  });
}

/** The cases of spec/vectors/wallet.json, of a house of wallet_house.js. */
function statementCases({ log, allOver, ordinaryEnd }) {
  const cases = new Cases(log), over = operationsOf(log, allOver);
  everyRow(cases);
  cases.add('no operations, and an empty statement', 1, [], {});
  cases.add('all is over', allOver, statementOf(over), {});
  const unsaid = over.filter(({ stands }) => ['reserve refused', 'pay refused', 'cancel accepted'].includes(stands));
  cases.add('of what moved nothing the wallet knows nothing', allOver,
    statementOf(over, new Map(unsaid.map(({ no }) => [no, null]))), {});
  cases.add('reasons, blanks and another order of fields', allOver, over.map(({ stands, ...operation }) => {
    const { no, kind, player, amount } = operation, state = HONEST[stands];
    const reason = state === 'refused' ? { reason: 'the name of a reason' } : {};
    return no % 2 ? lineOf(operation, state, reason)
      : JSON.stringify({ state, amount, player, ...reason, kind, no, log: HERE }).replace(/,/g, ', ');
  }), {});
  const odd = { reason: 'no, such!', at: 'x', level: 2 ** 53 - 1 };
  cases.add('fields that no page names, and reasons that are no label or of another state', allOver,
    over.map(({ stands, ...operation }) => lineOf(operation, HONEST[stands], odd)), {});
  cases.add('sums above 2^53 - 1', log.length, statementOf(operationsOf(log, log.length)), {});
  cases.add('the whole log, as an honest wallet has it', ordinaryEnd, statementOf(operationsOf(log, ordinaryEnd)), {});

  const [deposit] = over.filter(({ stands }) => stands === 'commit accepted');
  const [paid] = over.filter(({ stands }) => stands === 'pay accepted');
  const [gone] = over.filter(({ stands }) => stands === 'cancel accepted');
  const waits = size => operationsOf(log, size).find(({ stands }) => stands.startsWith('waits'));
  cases.other('another player', allOver, deposit.no, { player: 'cat' }, 'committed');
  cases.other('more', allOver, deposit.no, { amount: deposit.amount + 1 }, 'committed');
  cases.other('less', allOver, paid.no, { amount: paid.amount - 1 }, 'paid');
  cases.other('another kind', allOver, paid.no, { kind: 'deposit' }, 'committed');
  cases.other('another kind, in a state of the log\'s', allOver, paid.no, { kind: 'deposit' }, 'paid');
  cases.other('another kind of what was refused', allOver, 4, { kind: 'deposit' }, 'refused');
  cases.other('another amount of what was cancelled', allOver, gone.no, { amount: 1 }, 'cancelled');
  const size = log.findIndex((_, i) => waits(i + 1)) + 1, { no } = waits(size);
  const since = operationsOf(log, size)[no].since, honest = statementOf(operationsOf(log, size)), days = 259200000;
  cases.add('under way for three days', size, honest, {}, since + days);
  for (const late of [1, 2, 1000, days, 2 * days, 30 * days, 60 * days, 120 * days, 400 * days, 2 ** 45])
    cases.add('under way for longer', size, honest, {}, since + days + late);
  cases.other('another player while it is under way', size, no, { player: 'cat' }, 'reserved');
  cases.other('all three are others', size, no, { player: 'dan', amount: 7, kind: 'withdrawal' }, 'paid');

  const later = (number, state, fields = {}) =>
    lineOf({ no: number, kind: 'deposit', player: 'ann', amount: 40, ...fields }, state);
  const n = over.length;
  cases.add('one that came later', allOver, [...statementOf(over), later(n, 'reserved')],
    { later: [{ no: n, wallet: 'reserved' }] });
  const several = [later(n, 'committed'), later(n + 1, 'paid', { kind: 'withdrawal', player: 'nobody' }),
    later(n + 5, 'refused'), later(2 ** 53 - 1, 'cancelled')];
  cases.add('several that came later, with a gap', allOver, [...statementOf(over), ...several], {
    later: [[n, 'committed'], [n + 1, 'paid'], [n + 5, 'refused'], [2 ** 53 - 1, 'cancelled']]
      .map(([number, wallet]) => ({ no: number, wallet })),
  });
  cases.add('a log that lost everything', 1, statementOf(over),
    { later: over.map(one => ({ no: one.no, wallet: HONEST[one.stands] })) });
  cases.add('a wallet that lost everything', allOver, [], {
    differs: over.filter(({ stands }) => stands === 'commit accepted' || stands === 'pay accepted')
      .map(one => ({ no: one.no, log: one.stands })),
  });
  const mixed = operationsOf(log, ordinaryEnd);
  const [first, second] = mixed.filter(({ stands }) => stands === 'pay refused');
  const told = [...statementOf(mixed, new Map([[first.no, 'paid'], [second.no, null], [deposit.no, 'reserved']])),
    later(mixed.length, 'reserved')];
  const found = {
    later: [{ no: mixed.length, wallet: 'reserved' }],
    differs: [
      { no: deposit.no, log: deposit.stands, wallet: 'reserved' },
      { no: first.no, log: first.stands, wallet: 'paid' },
    ],
  };
  cases.add('some differ, some are under way, one came later', ordinaryEnd, told, found);
  const { time } = JSON.parse(log[ordinaryEnd - 1]);
  cases.add('some differ, some are under way for too long, one came later', ordinaryEnd, told, found, time + 2 * days);
  badLines(cases, allOver);
  return cases.list;
}

/** The verifier's result for a case; null if it finds the statement unreadable. */
function judged({ log }, { entries, statement, now }) {
  try {
    return verify.reconcile(log.slice(0, entries), statement.map(line => `${line}\n`).join(''), now);
  } catch (error) {
    if (!(error instanceof verify.Unusable)) throw error;
    return null;
  }
}

module.exports = { statementCases, statementOf, operationsOf, judged };

#!/usr/bin/env node
// Chips that come from an operator's wallet and go back (spec/wallet.md): a house that deposits, withdraws, cancels and
// refuses; houses that lie; a wallet's statement about such a log. Each command that must be refused is tried twice: as
// a command, and as an entry that a lying house still wrote.
// node wallet.js: tries everything and prints one JSON object of counts; exit code 1 if something is wrong.
// node wallet.js --vectors DIR: writes entries-wallet.json and wallet.json there. --cases FILE: the lies, for others.
'use strict';
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { random } = require('./bundles.js');
const { PLAYER, signer, leavesOf, writeMirror } = require('./checks.js');
const { Scene, hash, verify, T0 } = require('./dealer.js');
const { options } = require('./options.js');
const { lies, verdictOn, moneyOn } = require('./wallet_lies.js');
const { statementCases, statementOf, operationsOf, judged } = require('./wallet_statements.js');
const { WalletHouse, walletHouse, HERE, HALF, MOST, MASTER } = require('./wallet_house.js');
const { base64, hex, treeRoot, utf8 } = verify;

const counts = { refused: 0, found: 0, ledger: 0, states: 0, told: 0, statements: 0, programs: 0, chance: 0 };
const rootOf = log => base64(treeRoot(leavesOf(log)));

// --- States -----------------------------------------------------------------------------------------

/** A verifier that goes on from the state after each entry comes to the same end; impossible states are refused. */
function fromStates({ log, allOver }) {
  const whole = new verify.House(false), states = [];
  log.forEach((line, index) => {
    whole.judge(verify.readEntry(line), index);
    states.push(whole.stateLines());
  });
  const bytes = lines => utf8(`${lines.join('\n')}\n`), at = index => log[index], end = log.length;
  for (let size = 1; size < end; size += 3) {
    const { house } = verify.houseOfState(size, bytes(states[size - 1]), at);
    for (let index = size; index < end; index++) house.judge(verify.readEntry(log[index]), index);
    assert.strictEqual(house.stateRoot(), whole.stateRoot(), `from ${size}`);
    counts.states++;
  }
  const refused = size => (told, about) => {
    assert.throws(() => verify.houseOfState(size, bytes(told), at), verify.Unsound, about);
    counts.states++;
  };
  const full = states.findIndex(lines => lines.filter(line => line.includes('"player":"ann"')).length === 8);
  statesThatCannotBe(states[full], refused(full + 1));
  // After the entry that begins operation 8 there is a guest, who can have no operation.
  const guests = states[allOver].map(line => line.replace('"player":"cat"', '"player":"guest.0"'));
  assert.notDeepStrictEqual(guests, states[allOver]);
  refused(allOver + 1)(guests, 'a guest who is there');
}

function statesThatCannotBe(lines, refused) {
  const sorted = list => list.sort((a, b) => (JSON.parse(a)[0] < JSON.parse(b)[0] ? -1 : 1));
  const lie = (about, of, edit) => {
    const told = sorted(lines.flatMap(line => {
      const [key, part] = JSON.parse(line);
      return key === of ? edit(part).map(pair => JSON.stringify(pair)) : [line];
    }));
    assert.notDeepStrictEqual(told, lines, about);
    refused(told, about);
  };
  const { operations } = JSON.parse(lines.find(line => line.startsWith('["log"')))[1], first = 'wallet:8';
  const keys = (about, key) => lie(about, first, part => [[key, part]]);
  keys('a number that there was not yet', `wallet:${operations}`);
  keys('a number far away', `wallet:${MOST}`);
  keys('a number above 2^53 - 1', 'wallet:9007199254740992');
  keys('a leading zero', 'wallet:08');
  keys('a number below zero', 'wallet:-8');
  keys('no number', 'wallet:');
  keys('a name for a number', 'wallet:ann');
  keys('no colon', 'wallet');
  const parts = (about, edit) => lie(about, first, part => [[first, edit(part)]]);
  parts('a guest who is gone', part => ({ ...part, player: 'guest.0' }));
  parts('a player who is not there', part => ({ ...part, player: 'nobody' }));
  parts('an amount of 0', part => ({ ...part, amount: 0 }));
  parts('an amount below zero', part => ({ ...part, amount: -1 }));
  parts('no call that there is', part => ({ ...part, call: 'pray' }));
  parts('a field too many', part => ({ ...part, no: 8 }));
  parts('a field too few', ({ call, player }) => ({ call, player }));
  parts('fields in another order', ({ call, ...rest }) => ({ ...rest, call }));
  parts('a ninth of one player', part => ({ ...part, player: 'ann' }));
  lie('a tenth line under the same number', first, part => [[first, part], [first, part]]);
  const log = (about, edit) => lie(about, 'log', part => [['log', edit({ ...part })]]);
  log('fewer operations than the last that is open', part => ({ ...part, operations: 8 }));
  log('no operations, and some are open', ({ operations: _, ...part }) => part);
  log('no operations, said', part => ({ ...part, operations: 0 }));
  log('a wallet of 0, said', part => ({ ...part, wallet: 0 }));
  log('a wallet out of the range', part => ({ ...part, wallet: -MOST - 1 }));
  log('in another order', ({ wallet, operations: all, ...part }) => ({ ...part, operations: all, wallet }));
}

/** Bounds that no log of a sensible length reaches: 65,536 operations of a kind, and the upper end of the account. */
function bounds({ log }) {
  const made = () => {
    const house = new verify.House(false);
    log.slice(0, 20).forEach((line, index) => house.judge(verify.readEntry(line), index));
    return house;
  };
  const asks = (house, name) => house.refusalOf(house.time, 'operator', { [name]: { player: 'cat', amount: 1 } });
  const calls = { wallet_deposit: 'cancel', wallet_withdraw: 'pay' };
  for (const [name, call] of Object.entries(calls)) {
    const house = made(), open = size => {
      for (let no = house.wallet.open.size; house.wallet.open.size < size; no++)
        house.putOperation(1000 + no, { call, player: `player-${Math.floor(no / 8)}`, amount: 1 });
      return verify.copyOf(house);
    };
    const others = house.wallet.open.size, other = Object.keys(calls).find(another => another !== name);
    assert.strictEqual(asks(verify.copyOf(made()), name), null);
    const ofKind = [...house.wallet.open.values()].filter(one => (one.call === 'pay') === (call === 'pay')).length;
    assert.strictEqual(asks(open(65535 + others - ofKind), name), null);
    assert.strictEqual(asks(open(65536 + others - ofKind), name), 'too_many_operations');
    assert.strictEqual(asks(verify.copyOf(house), other), null);
    house.wallet.count = 70000;
    assert.throws(() => house.takeOperation(69999, { call, player: 'cat', amount: 1 }), /as many of its kind/);
  }
  const rich = made();
  rich.accounts.set('wallet', MOST - 1);
  assert.strictEqual(asks(verify.copyOf(rich), 'wallet_withdraw'), null);
  rich.accounts.set('wallet', MOST);
  assert.strictEqual(asks(verify.copyOf(rich), 'wallet_withdraw'), 'amount_out_of_range');
  counts.states += 6;
}

// --- The story --------------------------------------------------------------------------------------

function told({ log }) {
  const lines = log.flatMap((line, index) => verify.storyOf(index, verify.readEntry(line))).join('\n');
  for (const words of [
    'the operator, for ann, asks for 500 from the wallet',
    'cat asks for 300 from the wallet',
    'the operator, for ann, asks to have 200 paid into the wallet',
    'ben asks to have 25 paid into the wallet (signed)',
    'operator calls off operation 6 of the wallet',
    'cat calls off operation 7 of the wallet',
    'the wallet answers to reserve of operation 0',
    'operation 0: the wallet is asked to hold 500 of ann for the house',
    'operation 0: the wallet is asked to hand over the 500 of ann that it holds',
    'operation 0: the wallet did it',
    'operation 1: the wallet refused (no such account)',
    'operation 2: the wallet refused\n',
    'operation 3: the wallet is asked to take 200 for ann',
    'operation 6: the wallet is asked to let go of the 70 of dan, if it holds them',
  ]) {
    assert(lines.includes(words), words);
    counts.told++;
  }
}

// --- Under a new name -------------------------------------------------------------------------------

/** A log that goes on from this one has only its own operations; operations in progress belong to no one there. */
function continued({ log, key }, size) {
  const old = log.slice(0, size), judge = new verify.House(false), name = 'fairshoe.example/w2';
  old.forEach((line, index) => judge.judge(verify.readEntry(line), index));
  const carried = judge.carriedOver(T0), statement = { origin: HERE, size, root: rootOf(old), new_key: key.key };
  const next = commands => {
    const scene = new Scene({}, name).startDealer(hash('the next one'));
    const signature = key.sign(verify.statementText(statement, name));
    scene.give('house', {
      continue_log: { origin: HERE, key: key.key, size, root: statement.root, new_key: key.key, signature },
    });
    for (const command of commands) scene.give('operator', command);
    return scene;
  };
  const judgedNext = scene =>
    verify.verifyLog(`${scene.log.join('\n')}\n`, { continues: verify.logOfText(`${old.join('\n')}\n`) });
  const honest = next(carried);
  honest.give('operator', { wallet_deposit: { player: 'ann', amount: 3 } });
  assert.deepStrictEqual(judgedNext(honest).findings, []);
  assert(honest.log[honest.log.length - 1].includes('"wallet_asked":{"no":0,'));
  assert(!honest.house.stateLines()[0].includes('"wallet":'));
  const [[, paying]] = [...judge.wallet.open].filter(([, { call }]) => call === 'pay');
  const givenBack = carried.map(command => {
    const { credit } = command, back = credit && credit.player === paying.player ? paying.amount : 0;
    return credit ? { credit: { ...credit, amount: credit.amount + back } } : command;
  });
  assert.strictEqual(judgedNext(next(givenBack)).findings[0].check, 'carried_over');
  counts.programs += 2;
}

// --- Random -----------------------------------------------------------------------------------------

/** A wallet by the table of the page's "The wallet's side", whose answers are sometimes lost. */
class Wallet {
  constructor(rng) { Object.assign(this, { rng, operations: new Map() }); }

  /** The wallet's answer as the house gets it: `[answer, reason]`, or null if it got none. */
  call({ no, call, player, amount }) {
    if (this.rng(4) === 0) return null; // the call got lost
    const kind = call === 'pay' ? 'withdrawal' : 'deposit', has = this.operations.get(no);
    const willing = this.rng(3) > 0;
    const first = { reserve: willing ? 'reserved' : 'refused', cancel: 'cancelled', pay: willing ? 'paid' : 'refused' };
    const state = has ? this.next(call, has.state) : first[call];
    assert(state, `${call} of operation ${no}, which is ${has && has.state}`);
    this.operations.set(no, { no, kind, player, amount, state });
    if (this.rng(4) === 0) return null; // the answer got lost
    if (state === 'refused' && call !== 'cancel') return ['refused', this.rng(2) ? 'not now' : undefined];
    // After a request for cancellation the house does not accept such an answer to `reserve`.
    return call === 'reserve' && state === 'cancelled' ? null : ['accepted'];
  }

  next(call, state) {
    if (call === 'reserve') return state === 'paid' ? null : state;
    if (call === 'commit') return ['reserved', 'committed'].includes(state) ? 'committed' : null;
    if (call === 'cancel') return { reserved: 'cancelled', cancelled: 'cancelled', refused: 'refused' }[state] || null;
    return ['paid', 'refused'].includes(state) ? state : null;
  }

  statement() {
    return [...this.operations.values()].sort((a, b) => a.no - b.no)
      .map(one => `${JSON.stringify({ log: HERE, ...one })}\n`).join('');
  }
}

/** With any losses, a house and a wallet that follow their tables never differ, and in the end they are reconciled. */
function byChance(seed) {
  const rng = random(seed), house = new WalletHouse(), wallet = new Wallet(rng), players = ['ann', 'cat', 'dan'];
  for (const player of players) house.player(player, 100);
  const agree = wanted => {
    const report = verify.reconcile(house.log, wallet.statement());
    assert(wanted.includes(report.verdict), JSON.stringify(report));
    const { deposits, withdrawals } = report.on_log;
    assert.strictEqual(house.house.accounts.get('wallet') || 0, withdrawals - deposits);
    counts.chance++;
  };
  const step = command => {
    if (verify.copyOf(house.house).refusalOf(house.clock, 'operator', command) === null) house.operator(command);
  };
  const settle = () => {
    for (const [no, { call, player, amount }] of [...house.house.wallet.open]) {
      const said = wallet.call({ no, call, player, amount });
      if (said) house.answer(no, call, ...said);
    }
  };
  for (let i = 0; i < 120; i++) {
    const player = players[rng(3)], amount = 1 + rng(60), word = rng(10);
    if (word < 4) step({ wallet_deposit: { player, amount } });
    else if (word < 7) step({ wallet_withdraw: { player, amount } });
    else if (word < 8) step({ wallet_cancel: { no: rng(house.house.wallet.count + 1) } });
    else settle();
    if (i % 6 === 0) agree(['reconciled', 'under_way']);
  }
  while (house.house.wallet.open.size) settle();
  agree(['reconciled']);
  assert.strictEqual(verdictOn(house.log), undefined);
  assert.strictEqual(moneyOn(house.log), undefined);
}

// --- Statements, and the program --------------------------------------------------------------------

function statements(made) {
  for (const one of statementCases(made)) {
    assert.deepStrictEqual(judged(made, one), one.gives || null, one.about);
    counts.statements++;
  }
  // Sums that a JSON number cannot hold exactly are texts.
  const { on_log: onLog } = verify.reconcile(made.log, '');
  assert.deepStrictEqual(onLog, sumsOf(operationsOf(made.log, made.log.length)));
  assert(Object.values(onLog).every(sum => typeof sum === 'string'));
}

function sumsOf(operations) {
  const of = words => String(operations.filter(({ stands }) => words.includes(stands))
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n));
  return {
    deposits: of(['commit accepted', 'waits for commit']), withdrawals: of(['pay accepted', 'waits for pay']),
  };
}

async function program(made) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wallet-')), at = name => path.join(folder, name);
  const put = (name, lines) => {
    fs.writeFileSync(at(name), lines.map(line => `${line}\n`).join(''));
    return at(name);
  };
  const run = async (words, code, now = made.clock) => {
    const printed = [], { log: print, error: complain } = console;
    console.log = text => printed.push(text);
    console.error = text => printed.push(text);
    let exit;
    try { exit = await verify.run(['wallet', ...words, '--now', String(now)]); } finally {
      Object.assign(console, { log: print, error: complain });
    }
    assert.strictEqual(exit, code, `${words.join(' ')}: ${printed.join('\n').slice(0, 1000)}`);
    counts.programs++;
    return printed.join('\n');
  };
  try {
    const { log, key, allOver } = made, over = log.slice(0, allOver), operations = operationsOf(log, allOver);
    const file = put('log', over), all = operationsOf(log, log.length);
    const honest = put('honest', statementOf(operations)), [first] = statementOf(operations);
    const cheated = put('cheated', [first.replace('committed', 'cancelled'), ...statementOf(operations).slice(1)]);
    const said = JSON.parse(await run([file, honest, '--json'], 0));
    assert.deepStrictEqual(said, judged(made, { entries: allOver, statement: statementOf(operations) }));
    assert.strictEqual(said.verdict, 'reconciled');
    assert(/\nRECONCILED\. /.test(await run([file, honest], 0)));
    assert(/Under way since [^ ]*: operation 8: the log has waits for reserve, the wallet has nothing/.test(
      await run([put('whole', log), put('whole-statement', statementOf(all))], 0),
    ));
    // Attack: a withdrawal that stays asked for, for a year.
    const { time } = JSON.parse(log[log.length - 1]), later = time + 4 * verify.HOUSE_TIMES.DAY_MS;
    const stop = { v: 1, time: later, by: 'house', command: { stop_dealer: {} }, events: [{ dealer_stopped: {} }] };
    const late = [put('late', [...log, JSON.stringify(stop)]), put('late-statement', statementOf(all))];
    assert(/\nOVERDUE\. /.test(await run(late, 1, later)));
    const differs = await run([file, cheated], 1);
    assert(/operation 0: the log has commit accepted, the wallet has cancelled\. \[wallet\]\nDIFFERS/.test(differs));
    assert.strictEqual(JSON.parse(await run([file, cheated, '--json'], 1)).verdict, 'differs');
    assert.strictEqual(JSON.parse(await run([file, put('none', []), '--json'], 1)).differs.length, 2);
    assert(/line 2 of the statement has number 0/.test(await run([file, put('twice', [first, first])], 2)));
    assert(/cannot read/.test(await run([file, at('nowhere')], 2)));
    assert(/one log and the wallet's statement/.test(await run([file], 2)));
    assert(/--from is for the command log/.test(await run([file, honest, '--from', '5'], 2)));
    // An unsound log is not compared with anything.
    const spoilt = put('spoilt', over.map(line => line.replace('"amount":500', '"amount":501')));
    assert(/^NOT SOUND|\nNOT SOUND/.test(await run([spoilt, honest], 1)));
    writeMirror(at('mirror'), over, key.note(`${HERE}\n${allOver}\n${rootOf(over)}\n`), key.vkey);
    assert(/RECONCILED/.test(await run([at('mirror'), honest, '--key', key.vkey], 0)));
    // Data that this key did not sign is not their log, and convicts no one.
    assert(/not what the log signed/.test(await run([at('mirror'), honest, '--key', signer(HERE, 1, 9).vkey], 2)));
  } finally { fs.rmSync(folder, { recursive: true, force: true }); }
}

// --- spec/vectors -----------------------------------------------------------------------------------

/** JSON with the keys of every object ascending, as in the other files of vectors. */
function ordered(value) {
  if (Array.isArray(value)) return `[${value.map(ordered).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.keys(value).sort().map(key => `${JSON.stringify(key)}:${ordered(value[key])}`).join()}}`;
}

function textOf(file) {
  const list = values => (values.length ? `[\n    ${values.map(ordered).join(',\n    ')}\n  ]` : '[]');
  const fields = Object.entries(file).map(([name, value]) => {
    const text = Array.isArray(value) ? list(value) : name === 'balances' ? ordered(value) : JSON.stringify(value);
    return `  ${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${fields.join(',\n')}\n}\n`;
}

function vectors({ log, refused, house: { accounts } }) {
  const judge = new verify.House(false), roots = log.map((line, index) => {
    judge.judge(verify.readEntry(line), index);
    return judge.stateRoot();
  });
  return {
    about: 'A whole log whose chips come from a wallet and go back, with each call and answer, players with and ' +
      'without keys, as many operations of one player as there may be, accounts at the ends of their range, a start ' +
      'of the dealer; spec/wallet.md. Fields as in entries-joy.json.',
    master: hex(MASTER),
    client_seeds: [],
    entries: log,
    refused: refused.map(({ after_entries, by, code, command, now }) => ({ after_entries, by, code, command, now })),
    balances: Object.fromEntries([...accounts].sort(([a], [b]) => (a < b ? -1 : 1))),
    state_roots: roots,
    state_lines: judge.stateLines(),
  };
}

const statementVectors = made => ({
  about: 'Statements of the wallet of the log of entries-wallet.json, and what is said of each beside so many of the ' +
    'log\'s first entries; spec/wallet.md, "Reconciliation".',
  cases: statementCases(made),
});

async function main(given) {
  const made = walletHouse(), files = {
    'entries-wallet.json': textOf(vectors(made)), 'wallet.json': textOf(statementVectors(made)),
  };
  if (given.vectors !== undefined) {
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(given.vectors, name), text);
    return;
  }
  const parsed = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, JSON.parse(text)]));
  for (const { failed } of Object.values(verify.runVectors(parsed, {}))) assert.deepStrictEqual(failed, []);
  assert.strictEqual(verdictOn(made.log), undefined);
  assert.strictEqual(moneyOn(made.log), undefined);
  const cases = lies(made, counts);
  if (given.cases !== undefined) {
    fs.writeFileSync(given.cases, JSON.stringify(cases));
    return;
  }
  fromStates(made);
  bounds(made);
  told(made);
  for (const size of [made.manyOpen, made.log.length]) continued(made, size);
  for (const seed of [1, 2, 3]) byChance(seed);
  statements(made);
  await program(made);
  console.log(JSON.stringify(counts));
}

main(options()).catch(error => {
  console.error(error);
  process.exitCode = 1;
});

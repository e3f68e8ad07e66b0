#!/usr/bin/env node
// What no log of the vectors is long enough to show, or several logs show together: bounds of what a house keeps; what
// is told of chips that come and go; and the programs that hold a log against its wallet and against other logs.
// node bounds.js: exit code 1 where something is wrong.
'use strict';
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Scene, pathTo, hash, verify } = require('./dealer.js');
const { signer, leavesOf, rootOf, originOf, checkpoint, writeMirror } = require('./signed.js');
const { base64, utf8 } = verify;

const VECTORS = path.join(__dirname, '../../spec/vectors'), MOST = 2 ** 53 - 1, { DAY_MS } = verify.HOUSE_TIMES;
const read = name => JSON.parse(fs.readFileSync(path.join(VECTORS, name), 'utf8'));
const logOf = name => read(`entries-${name}.json`).entries;

function judgeOf(log) {
  const house = new verify.House(false);
  log.forEach((line, index) => house.judge(verify.readEntry(line), index));
  return house;
}

// --- Bounds -----------------------------------------------------------------------------------------

/** 65,536 operations of the wallet of each kind, and the upper end of its account. */
function operations() {
  const begun = logOf('wallet').slice(0, 20);
  const asks = (house, name) =>
    verify.copyOf(house).refusalOf(house.time, 'operator', { [name]: { player: 'cat', amount: 1 } });
  for (const [name, call] of [['wallet_deposit', 'cancel'], ['wallet_withdraw', 'pay']]) {
    const house = judgeOf(begun), { open } = house.wallet;
    assert.strictEqual(asks(house, name), null);
    const ofKind = () => [...open.values()].filter(one => (one.call === 'pay') === (call === 'pay')).length;
    const fill = size => {
      for (let no = open.size; ofKind() < size; no++)
        house.putOperation(1000 + no, { call, player: `player-${Math.floor(no / 8)}`, amount: 1 });
    };
    // Counting them all anew for each would take long.
    const missing = 65535 - ofKind();
    for (let no = 0; no < missing; no++)
      house.putOperation(1000 + no, { call, player: `player-${Math.floor(no / 8)}`, amount: 1 });
    assert.strictEqual(asks(house, name), null);
    fill(65536);
    assert.strictEqual(asks(house, name), 'too_many_operations');
    assert.strictEqual(asks(house, name === 'wallet_deposit' ? 'wallet_withdraw' : 'wallet_deposit'), null);
    house.wallet.count = 70000;
    assert.throws(() => house.takeOperation(69999, { call, player: 'cat', amount: 1 }), /as many of its kind/);
  }
  const rich = judgeOf(begun);
  rich.accounts.set('wallet', MOST - 1);
  assert.strictEqual(asks(rich, 'wallet_withdraw'), null);
  rich.accounts.set('wallet', MOST);
  assert.strictEqual(asks(rich, 'wallet_withdraw'), 'amount_out_of_range');
}

/** 256 logs are known at most; a known one can be named again. */
function manyLogs() {
  const policy = log => Buffer.from(`log ${signer(log, 1, 50).vkey}\nquorum none\n`).toString('base64');
  const know = (log, more = { policy: policy(log) }) => ({ know_log: { log, ...more } });
  const scene = new Scene().startDealer();
  for (let i = 0; i < 256; i++) scene.give('operator', know(`log-${i}`));
  const code = command => verify.copyOf(scene.house).refusalOf(scene.clock, 'operator', command);
  assert.strictEqual(code(know('log-256')), 'malformed');
  scene.give('operator', know('log-7', {}));
  assert.strictEqual(code(know('log-256')), 'malformed');
  assert.strictEqual(code(know('log-7')), null);
  const lines = scene.house.stateLines(), known = JSON.parse(lines.find(line => line.startsWith('["known:log-9"')))[1];
  const state = told => verify.houseOfState(scene.log.length, utf8(`${told.join('\n')}\n`), index => scene.log[index]);
  state(lines);
  assert.throws(() => state([...lines, JSON.stringify(['known:log-99x', known])].sort()), verify.Unsound);
}

/** The counts of a limit stay within the numbers there are. */
function counts() {
  const log = logOf('limits'), house = judgeOf(log);
  const [[player, limits]] = house.limits, [[key, limit]] = limits, of = key.split('/')[0];
  for (const [count, more, stands] of [[MOST - 1, 7, MOST], [5 - MOST, -7, -MOST]]) {
    limit.count = count;
    house.countFor(player, of, more);
    assert.strictEqual(limit.count, stands);
  }
}

/** Looking for the first guest who is to be dismissed does not go through all of them. */
function manyGuests() {
  const scene = new Scene().startDealer();
  for (let i = 0; i < 500; i++) scene.give('house', { admit_guest: {} });
  const { house } = scene;
  let looked = 0;
  const counted = function* () { for (const one of Map.prototype.entries.call(this)) { looked++; yield one; } };
  for (const map of [house.idleSince, house.idleQueue])
    Object.assign(map, { [Symbol.iterator]: counted, entries: counted });
  house.checkDismissals(house.time, 0);
  assert(looked > 0 && looked < 50, `${looked} of 500 guests were looked at`);
}

// --- What is told -----------------------------------------------------------------------------------

const TOLD = {
  wallet: [
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
  ],
  transfers: [
    'the operator names the log fairshoe.example/a, whose receipts need 2 witnesses',
    'the operator names the log odd"log\\of:a/b-__proto__, whose receipts need no witness',
    'the operator names the log fairshoe.example/c no more',
    'ann sends 40 to fairshoe.example/a (no. 0)',
    'the operator, for ann, asks to have',
    'cat asks to have 30 sent to fairshoe.example/a',
    'anyone hands in a claim on chips that fairshoe.example/a sent',
    '300 sent by fairshoe.example/a (no. 1, entry ',
  ],
  limits: [' wants at most ', ' wants no limit of what is lost a ', ' has the limit ', ', but not before '],
  ended: [' house ends this log', '  this log ends here; it goes on as the log house.example/next, under the key '],
};

function told() {
  const storyOf = log => log.flatMap((line, index) => verify.storyOf(index, verify.readEntry(line))).join('\n');
  for (const [name, words] of Object.entries(TOLD)) {
    const story = storyOf(logOf(name));
    for (const text of words) assert(story.includes(text), `${name}: ${text}`);
  }
  // The least number that meets a quorum: of a group's members those that need the fewest.
  const key = n => signer(`witness.example/w${n}`, 4, 20 + n).vkey;
  const policy = both => Buffer.from(`log ${signer('b', 1, 36).vkey}\n${[1, 2, 3, 4, 5].map(n =>
    `witness w${n} ${key(n)}\n`).join('')}group enough 2 w1 w2 w3\ngroup both ${both} w4 w5\n` +
    'group any-two 1 enough both\ngroup one 1 any-two\nquorum one\n').toString('base64');
  const said = both => verify.storyOf(0, {
    time: 0, by: 'operator', command: { know_log: { log: 'b', policy: policy(both) } }, events: [],
  })[0];
  assert(said('all').endsWith('whose receipts need 2 witnesses'), said('all'));
  assert(said('any').endsWith('whose receipts need 1 witness'), said('any'));
}

// --- Programs ---------------------------------------------------------------------------------------

/** What the program prints with these arguments, which must end with that code. */
async function run(code, ...words) {
  const printed = [], { log: print, error: complain } = console;
  console.log = text => printed.push(text);
  console.error = text => printed.push(text);
  let exit;
  try { exit = await verify.run(words); } finally { Object.assign(console, { log: print, error: complain }); }
  assert.strictEqual(exit, code, `${words.join(' ')}: ${printed.join('\n').slice(0, 1000)}`);
  return printed.join('\n');
}

/** `fairshoe-verify wallet`: its words and codes; spec/vectors/wallet.json has what it finds. */
async function wallet(at) {
  const log = logOf('wallet'), { cases } = read('wallet.json');
  const lines = (name, list) => {
    fs.writeFileSync(at(name), list.map(line => `${line}\n`).join(''));
    return at(name);
  };
  const of = about => cases.find(one => one.about === about), over = of('all is over'), file = lines('log',
    log.slice(0, over.entries));
  const { time } = JSON.parse(log[log.length - 1]), honest = lines('honest', over.statement);
  const judge = (code, ...words) => run(code, 'wallet', ...words, '--now', String(time + 4 * DAY_MS));
  assert.strictEqual(JSON.parse(await judge(0, file, honest, '--json')).verdict, 'reconciled');
  assert(/\nRECONCILED\. /.test(await judge(0, file, honest)));
  // *Attack: a withdrawal that stays asked for, for a year.*
  const stop = { command: { stop_dealer: {} }, events: [{ dealer_stopped: {} }] };
  const late = lines('late', [...log, JSON.stringify({ v: 1, time: time + 4 * DAY_MS, by: 'house', ...stop })]);
  assert(/\nOVERDUE\. /.test(await judge(1, late, lines('whole', of('sums above 2^53 - 1').statement))));
  const cheated = lines('cheated', [over.statement[0].replace('committed', 'cancelled'), ...over.statement.slice(1)]);
  const words = /operation 0: the log has commit accepted, the wallet has cancelled\. \[wallet\]\nDIFFERS/;
  assert(words.test(await judge(1, file, cheated)));
  assert(/cannot read/.test(await judge(2, file, at('nowhere'))));
  assert(/one log and the wallet's statement/.test(await judge(2, file)));
  assert(/--from is for the command log/.test(await judge(2, file, honest, '--from', '5')));
  const spoilt = lines('spoilt', log.map(line => line.replace('"amount":500', '"amount":501')));
  assert(/NOT SOUND/.test(await judge(1, spoilt, honest)));
}

/** `fairshoe-verify cluster`: the logs of two houses that know each other, and second histories. */
async function cluster(at) {
  const here = logOf('transfers'), there = logOf('transfers-there'), [HERE, THERE] = [here, there].map(originOf);
  const keys = { [HERE]: signer(HERE, 1, 32), [THERE]: signer(THERE, 1, 31) };
  const mirror = (name, log, key = keys[originOf(log)]) => writeMirror(at(name), log, checkpoint(log, key), key.vkey);
  const judge = async (code, names, ...more) => {
    const text = await run(code, 'cluster', ...names.map(at), '--now', '1800000200000', '--json', ...more);
    return code === 2 ? text : JSON.parse(text);
  };
  const trusted = Object.values(keys).flatMap(({ vkey }) => ['--key', vkey]);
  const first = ({ findings: [found] }) => [found.check, found.log, found.entry];
  mirror('here', here);
  mirror('there', there);
  const good = await judge(0, ['here', 'there'], ...trusted);
  assert.deepStrictEqual([good.verdict, good.total], ['sound', '31']);
  assert(good.logs.every(one => one.signature_checked));
  assert.deepStrictEqual(good.under_way.map(({ from, to, no, amount }) => [from, to, no, amount]),
    [[HERE, THERE, 2, 20], [THERE, HERE, 6, 11]]);
  assert.deepStrictEqual(good.pairs.map(({ sent, claimed, under_way: way }) => [sent, claimed, way]),
    [['115', '95', '20'], ['1128', '1117', '11']]);
  assert(good.elsewhere.some(({ to }) => to === '__proto__'));

  // A second history of the other log: the claimed entry is another one, or one after it is.
  const sent = there.flatMap((line, index) => (line.includes(`"transferred_out":{"to":"${HERE}"`) ? [index] : []));
  const claim = here.findIndex(line => line.includes('"transferred_in"'));
  const later = index => there.map((line, i) => (i === index ? line.replace(/"time":(\d+)/, (_, time) =>
    `"time":${Number(time) + 1}`) : line));
  for (const [name, index] of [['other', sent[0]], ['after', sent[5]]]) {
    mirror(name, later(index));
    assert.deepStrictEqual(first(await judge(1, ['here', name], ...trusted)), ['claim', HERE, claim], name);
  }
  mirror('other-short', later(sent[0]).slice(0, sent[0] + 2));
  assert.deepStrictEqual(first(await judge(1, ['here', 'other-short'], ...trusted)).slice(0, 2), ['claim', HERE]);
  // A copy that ends before the claimed entry is no lie; parts beyond it are not judged.
  mirror('short', there.slice(0, sent[0]));
  const short = await judge(0, ['here', 'short'], ...trusted);
  assert.deepStrictEqual([short.verdict, short.beyond.length], ['sound_so_far', 6]);

  // *Attack: a house takes receipts under a key that it made up.* The other one signed none of it.
  const liar = signer(THERE, 1, 77), told = later(sent[0]), leaves = leavesOf(told);
  const policy = Buffer.from(`log ${liar.vkey}\nquorum none\n`).toString('base64');
  const proof = `c2sp.org/tlog-proof@v1\nindex ${sent[0]}\n${pathTo(sent[0], leaves).map(one => `${base64(one)}\n`)
    .join('')}\n${checkpoint(told, liar)}`;
  const receipt = Buffer.from(proof).toString('base64'), house = new Scene(HERE).startDealer().player('ann', 1000);
  house.give('operator', { know_log: { log: THERE, policy } })
    .give('anyone', { transfer_in: { from: THERE, entry: told[sent[0]], receipt } });
  mirror('forged', house.log);
  const message = async (...more) => (await judge(1, ['forged', 'there'], ...more)).findings[0].message;
  assert.match(await message(...trusted), /claimed under the key .* is signed by/);
  assert.match(await message(), /if .* is the key of .*, it signed two/);

  // A log that is not sound alone, and what is no cluster.
  mirror('spoilt-here', here.map((line, i) => (i === claim ? line.replace('"amount":300', '"amount":301') : line)));
  assert.deepStrictEqual(first(await judge(1, ['there', 'spoilt-here'])), ['posting', HERE, claim]);
  const headless = here.slice(1), { vkey } = keys[HERE];
  writeMirror(at('headless'), headless, checkpoint(headless, keys[HERE], HERE), vkey);
  assert.deepStrictEqual((await judge(1, ['there', 'headless'])).findings[0].check, 'first_entry');
  for (const [names, more, words] of [
    [['here', 'there'], ['--key', signer(HERE, 1, 98).vkey], 'signed with another key'],
    [['here', 'there', 'short'], [], 'copies of one log'],
    [['here'], [], 'two logs or more'],
    [['here', 'nowhere'], [], "no mirror's folder"],
    [['here', 'there'], ['--key', signer('fairshoe.example/c', 1, 33).vkey], 'fairshoe.example/c'],
    [['here', 'there'], ['--ledger-only'], 'by itself'],
  ])
    assert((await judge(2, names, ...more)).includes(words), words);

  // A log that goes on from one to which chips were sent.
  const next = signer('fairshoe.example/b2', 1, 60), size = here.length, root = rootOf(here);
  const statement = { origin: HERE, size, root, new_key: next.key };
  const signature = keys[HERE].sign(verify.statementText(statement, 'fairshoe.example/b2'));
  const goesOn = new Scene('fairshoe.example/b2').startDealer(hash('next'))
    .give('house', { continue_log: { origin: HERE, key: keys[HERE].key, size, root, new_key: next.key, signature } });
  mirror('next', goesOn.log, next);
  const three = await judge(0, ['here', 'there', 'next']);
  assert(three.story.some(line => line.includes('for ever: fairshoe.example/b2 goes on')));
}

/** A slot with two faces, which no log reaches: its house would have to draw the slot twice, or turn it up twice. */
function twoFaces() {
  const log = logOf('joy'), at = log.findIndex(line => line.includes('"round_opened"'));
  const house = judgeOf(log.slice(0, at + 1)), { shoe } = house.tables.get('t1'), [[slot, { face }]] = shoe.faces;
  house.noteFace(shoe, slot, face);
  const twice = () => house.noteFace(shoe, slot, face === 'Ac' ? 'Ad' : 'Ac');
  assert.throws(twice, error => error.check === 'face_changed');
}

/** Files that are one byte too long to be read, and a state that is cut off. */
function sizes() {
  const { vkey } = signer('house.example/log', 1, 7), long = (size, begin = '') =>
    Buffer.concat([Buffer.from(begin), Buffer.alloc(size + 1 - begin.length, '#')]);
  const found = report => report.findings[0].message;
  assert.match(found(verify.verifyCheckpoint(long(262144), null, vkey)), /longer than 262,144 bytes/);
  assert.match(found(verify.verifyReceipts(long(357716, 'c2sp.org/'), utf8('entry'), null, vkey)), /357,716 bytes/);
  assert.throws(() => verify.verifyCheckpoint(utf8('note'), long(131072), null), /policy is longer than 131,072/);
  // Of these the length alone is looked at.
  const [file, state] = [8 * 1024 * 1024, 2 ** 30].map(length => ({ length: length + 1 }));
  assert.throws(() => verify.cancelledFile(file, {}), { code: 'too_long' });
  assert.throws(() => verify.prizesFile(file, {}), { code: 'too_long' });
  const refuses = (bytes, why) => assert.throws(() => verify.houseOfState(9, bytes, () => ''), why);
  refuses(state, /longer than 1 GiB/);
  const log = logOf('joy').slice(0, 9), lines = judgeOf(log).stateLines().join('\n');
  refuses(utf8(lines), /does not end with a line/);
  verify.houseOfState(9, utf8(`${lines}\n`), index => log[index]);
}

async function main() {
  operations();
  sizes();
  twoFaces();
  manyLogs();
  counts();
  manyGuests();
  told();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bounds-')), at = name => path.join(folder, name);
  try {
    await wallet(at);
    await cluster(at);
  } finally { fs.rmSync(folder, { recursive: true, force: true }); }
}

main().catch(error => {
  console.error(error);
  process.exitCode = 1;
});

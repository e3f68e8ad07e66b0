// Seats: whoever sits already sits, also after a crash of either side; whoever leaves reveals the seed that they owe.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Proxy, Service, fairshoe, noService, to } from './harness.js';
import { decide, playing } from './strategies.js';

let service, proxy;
const options = { skip: noService };
before(async () => {
  if (noService) return;
  service = await Service.start(['--connections-per-address', '0']);
  proxy = await Proxy.before(service.url);
});
after(async () => {
  await proxy?.close();
  await service?.end();
});

const { ProblemError, BadReply } = fairshoe;
let made = 0;
const newPlayer = (more = {}) => service.player(`sitter-${(made += 1)}`, 1_000_000, more);
/** A table of the operator's that nobody else plays at. */
async function newTable(rules, more = {}) {
  const operator = service.client({ token: service.operatorToken });
  return (await operator.openTable({ body: { rules, table: `seats-${(made += 1)}`, options: more } })).table;
}
/** The same player in another program, which knows nothing of what was before. */
const anew = client => service.client({ token: client.token, player: client.player });
const own = ({ state: { cash, seats }, client: { player } }) =>
  [...(cash?.seats ?? []), ...seats].find(one => one.player === player);
const entriesOf = ({ receipts }) => receipts.map(({ entry }) => entry);
/** Nothing was left to do, or the reply is that of before. */
const isAgain = (reply, first) =>
  reply === null || isDeepStrictEqual(entriesOf(reply), entriesOf(first));
const isCode = code => error => error instanceof ProblemError && error.code === code;

test('sitting again at a window is done already, over a restart of the service too', options, async () => {
  const at = await newTable('roulette');
  const client = await newPlayer();
  const table = await client.table(at).open();
  const first = await table.sit({ seat: 2 });
  assert.ok(first.receipts.length);
  for (const wish of [{ seat: 2 }, {}]) assert.ok(isAgain(await table.sit(wish), first));
  await service.restart();
  for (const again of [table, anew(client).table(at), await anew(client).table(at).open()]) {
    await again.sit({ seat: 2 });
    assert.equal(own(again).seat, 2);
    assert.equal(again.client.failure, null);
  }
  await assert.rejects(table.sit({ seat: 3 }), isCode('seat_not_free'), 'it is not the seat that they have');
  const other = await newPlayer();
  await assert.rejects(other.table(at).sit({ seat: 2 }), isCode('seat_not_free'), 'it is not theirs');
  await table.leave();
  assert.equal(own(table), undefined);
});

test('who sits alone at poker sits again with what they have, and comes back from sitting out', options, async () => {
  const at = await newTable('holdem'),
    client = await newPlayer(),
    body = { seat: 4, buy_in: 10_000 };
  const balance = async () => (await client.getPlayer({ player: client.player })).balance;
  const first = await client.table(at).sit(body);
  assert.equal(await balance(), 990_000);
  for (const again of [client, anew(client)]) {
    const table = await again.table(at).open();
    assert.equal(table.state, null, 'nobody played here, and no deck was committed');
    assert.ok(isAgain(await table.sit(body), first));
    assert.equal(await table.sit({ buy_in: 20_000 }), null);
    assert.ok(isAgain(await table.sit(), first));
  }
  const table = await anew(client).table(at).open();
  await table.sitOut();
  assert.ok((await anew(client).table(at).sit(body)).receipts.length, 'they come back');
  const { cash } = await client.getTable({ table: at });
  assert.deepEqual([cash.seats.length, cash.seats[0].sitting_out, await balance()], [1, false, 990_000]);
  await service.restart();
  assert.equal(await (await anew(client).table(at).open()).sit(body), null);
  await assert.rejects(table.sit({ seat: 5, buy_in: 10_000 }), isCode('seat_not_free'));
  await table.leave();
  assert.equal(await balance(), 1_000_000);
  assert.ok((await table.sit(body)).receipts.length, 'who left sits down anew');
  await table.leave();
});

test('who plays poker sits again between two hands', options, async () => {
  const at = await newTable('holdem'),
    clients = [await newPlayer(), await newPlayer()];
  const tables = await Promise.all(clients.map(client => client.table(at).open()));
  for (const table of tables) await table.sit({ buy_in: 10_000 });
  await Promise.all(tables.map(table => playing(table, { decide }, 1)));
  const again = await anew(clients[0]).table(at).open();
  await again.sit({ buy_in: 10_000 });
  assert.ok(own(again).stack > 0);
  await Promise.all(tables.map(table => table.leave()));
});

/** An Ed25519 key out of 32 bytes. */
function penOf(byte) {
  const head = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({ key: Buffer.concat([head, Buffer.alloc(32, byte)]), format: 'der', type: 'pkcs8' });
  const shown = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  return { shown, signer: message => new Uint8Array(sign(null, message, key)) };
}

test('who signs is given a free seat, and sits again', options, async () => {
  const { shown, signer } = penOf(9);
  const client = await newPlayer();
  await client.setKey({ player: client.player, body: { key: shown } });
  client.useSigner(signer);
  const [poker, wheel] = [await newTable('holdem'), 'roulette-1'];
  for (const [at, body] of [
    [poker, { buy_in: 10_000 }],
    [wheel, {}],
  ]) {
    const table = await client.table(at).open();
    assert.ok((await table.sit(body)).receipts.length);
    await table.sit(body);
    assert.equal(table.client.failure, null);
    await table.leave();
  }
});

test('a house that answers with the entry by which they sat down before is believed if they sit', options, async () => {
  const at = await newTable('holdem'),
    client = await newPlayer();
  const through = service.client({ addresses: proxy.url, token: client.token, player: client.player });
  const body = { seat: 1, buy_in: 10_000 };
  const table = await through.table(at).open();
  const first = await table.sit(body);
  // As a service may that repeats a seat by its content.
  const repeated = () =>
    proxy.answer(to(/^POST .*\/seat$/), { status: 200, body: JSON.stringify({ receipts: first.receipts }) });
  repeated();
  assert.deepEqual((await table.sit(body)).receipts, first.receipts);
  // Of one who sits out since it says nothing: they come back.
  await table.sitOut();
  repeated();
  assert.notDeepEqual((await table.sit(body)).receipts, first.receipts);
  assert.equal((await client.getTable({ table: at })).cash.seats[0].sitting_out, false);
  await table.leave();
  await assert.rejects(table.leave(), isCode('not_seated'));
  repeated();
  await assert.rejects(table.sit(body), error => error instanceof BadReply && /nobody sits/.test(error.message));
  assert.equal(through.failure, null);
  proxy.honest();
});

/** A table of poker at which two sit, and a hand is called. */
async function called() {
  const at = await newTable('holdem', { reveal_time_ms: 4000 });
  const clients = [await newPlayer(), await newPlayer()];
  const tables = await Promise.all(clients.map(client => client.table(at).open()));
  for (const table of tables) await table.sit({ buy_in: 10_000 });
  for (const table of tables) while (!table.state?.cash?.call) await table.refresh(500);
  return { at, tables, roundNo: tables[0].state.cash.call.round_no };
}

/** The events of a table, by name. */
async function said(at) {
  const client = service.client();
  const { entries } = await client.listTableEntries({ table: at, query: { limit: 256, proofs: true } });
  return entries.flatMap(({ entry }) => JSON.parse(entry).events.map(event => Object.entries(event)[0]));
}

test('who leaves when the hand has begun reveals, though they did not know it', options, async () => {
  const { at, tables, roundNo } = await called();
  const [leaver, stays] = tables;
  await leaver.commit(roundNo);
  assert.equal(leaver.round, null, 'no hand has begun yet');
  await stays.commit(roundNo);
  await leaver.leave();
  await stays.refresh();
  await stays.reveal();
  const events = await said(at),
    of = name => events.filter(([word]) => word === name).map(([, fields]) => fields.player);
  assert.ok(of('seed_revealed').includes(leaver.client.player), JSON.stringify(of('seed_revealed')));
  assert.deepEqual(of('cooldown'), []);
  while (own(stays) && stays.round?.phase !== 'settled') await stays.refresh(500);
  assert.equal(stays.round.phase, 'settled');
  await stays.leave();
  // They may sit down elsewhere at once.
  const elsewhere = await leaver.client.table(await newTable('holdem')).open();
  assert.ok(await elsewhere.sit({ buy_in: 10_000 }));
  await elsewhere.leave();
});

test('who left and was cut off before they revealed reveals when they leave again', options, async () => {
  const { at, tables, roundNo } = await called();
  const [leaver, stays] = tables;
  for (const table of tables) await table.commit(roundNo);
  await leaver.client.leaveSeat({ table: at });
  await leaver.refresh();
  assert.equal(await leaver.leave(), null);
  assert.ok((await said(at)).some(([word, { player }]) => word === 'seed_revealed' && player === leaver.client.player));
  assert.equal(await leaver.leave(), null, 'they leave when the hand is over');
  await stays.refresh();
  await stays.reveal();
  await stays.leave();
});

test('who leaves while the hand is called takes the commitment back, and owes nothing', options, async () => {
  const { at, tables, roundNo } = await called();
  const [leaver, stays] = tables;
  await leaver.commit(roundNo);
  await leaver.leave();
  const words = (await said(at)).map(([word]) => word);
  assert.ok(words.includes('hand_seed_withdrawn') && !words.includes('hand_begun'));
  await stays.leave();
});

test('the operator ends a call, and what the log has of it is what was asked', options, async () => {
  const { at, tables, roundNo } = await called();
  const operator = service.client({ token: service.operatorToken });
  await operator.closeBets({ table: at, body: { round_no: roundNo } });
  assert.equal(operator.failure, null);
  await Promise.all(tables.map(table => table.leave()));
});

test('who sent the commitment to the next hand along leaves without owing it', options, async () => {
  const { at, tables, roundNo } = await called();
  for (const table of tables) await table.commit(roundNo);
  const [leaver, stays] = tables;
  for (const table of tables) await table.refresh();
  await leaver.reveal({ withNext: true });
  await stays.reveal();
  const isTheirs = ([word, { player }]) => word === 'next_committed' && player === leaver.client.player;
  assert.ok((await said(at)).some(isTheirs));
  await leaver.leave();
  await Promise.all([stays.refresh(2000), stays.leave()]);
  assert.deepEqual((await said(at)).filter(([word]) => word === 'cooldown'), []);
});

test('bets whose window is closed are played out: their seed goes out before the seat is left', options, async () => {
  const client = await newPlayer();
  const table = await client.table('roulette-1').open();
  await table.sit();
  while (!table.state.window) await table.refresh(500);
  await table.bet([{ spot: 'even', stake: table.info.rules.table.stake_min }]);
  while (table.round?.phase !== 'awaiting_reveals') await table.refresh(500);
  await table.leave();
  assert.equal(table.mine.seed?.length, 64);
  assert.equal(own(table), undefined);
});

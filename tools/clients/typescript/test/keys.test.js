// Players have keys by default: one is made at the first command, kept in the store, signs everything, and is saved to
// a file and brought back from it (spec/entries.md, "Keys by default").
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { FileStore, Proxy, Service, fairshoe, internal, json, noService, problem } from './harness.js';
import { scratch, vectors } from './harness.js';
import { betting, playing } from './strategies.js';

const { Client, InvalidInput, MemoryStore, WebStore } = fairshoe;
const skip = noService;
let service;
before(async () => {
  if (!skip) service = await Service.start(['--connections-per-address', '0']);
});
after(() => service?.end());

const fileStore = () => new FileStore(path.join(scratch(), 'store'));
const isUnsigned = error => error.code === 'signature_missing';

/** A browser's storage, which two tabs share. */
function storage() {
  const kept = new Map();
  return {
    get length() { return kept.size; },
    key: at => [...kept.keys()][at] ?? null,
    getItem: name => kept.get(name) ?? null,
    setItem: (name, value) => void kept.set(name, value),
    removeItem: name => void kept.delete(name),
  };
}

/** Every command of the player at the table, as the log has it. */
async function commandsOf({ player }, table) {
  const { entries } = await service.client().listTableEntries({ table, query: { limit: 256 } });
  return entries.map(({ entry }) => JSON.parse(entry)).filter(({ by }) => by === `player:${player}`);
}

test('a guest signs all that they do, with a key of their own', { skip }, async () => {
  const named = [];
  const guest = service.client({ onKey: key => named.push(key) });
  await guest.joinAsGuest();
  const { table } = await guest.openTable({ body: { rules: 'joy' } });
  assert.match(table, /^play\./, 'whoever signs names the table, and a guest as theirs are named');
  const [played] = await playing(await guest.table(table).open(), betting(), 1);
  assert.equal(played.verdict.verdict, 'sound');
  const commands = await commandsOf(guest, table);
  assert.ok(commands.length >= 3, `${commands.length} commands`);
  assert.deepEqual(commands.filter(({ signed }) => !signed), []);
  const { key } = await guest.getPlayer({ player: guest.player });
  assert.deepEqual(named, [key], 'told once');
  assert.deepEqual(await guest.keyState(), { state: 'signs', key, waitsUntil: null, isNextHere: false });
});

test('a key outlives the program, and only its owner reads it', { skip }, async () => {
  const folder = path.join(scratch(), 'store'),
    store = new FileStore(folder);
  const first = await service.player('keeper', 1_000_000, { store });
  assert.deepEqual((await first.keyState()).state, 'none');
  await first.setLimit({ player: 'keeper', body: { of: 'loss', per: 'day', most: 500_000 } });
  const { key } = await first.keyState();
  assert.match(key, /^[0-9a-f]{64}$/);
  for (const file of fs.readdirSync(folder)) assert.equal(fs.statSync(path.join(folder, file)).mode & 0o077, 0);
  await store.close();

  const again = service.client({ token: first.token, player: 'keeper', store: new FileStore(folder) });
  const { table } = await again.openTable({ body: { rules: 'joy-own' } });
  await playing(await again.table(table).open(), betting(), 1);
  assert.equal((await again.keyState()).key, key);
  const commands = await commandsOf(again, table);
  assert.ok(commands.length >= 3 && commands.every(({ signed }) => signed));

  const bare = service.client({ token: first.token, player: 'keeper', signer: null });
  await assert.rejects(bare.closeTable({ table }), isUnsigned);
});

test('no key is made where it would be lost, or where none is wanted', { skip }, async () => {
  for (const [name, options] of [['forgetful', {}], ['unkeyed', { store: fileStore(), signer: null }]]) {
    const client = await service.player(name, 1_000_000, options);
    assert.equal(await client.signs(), false);
    await client.openTable({ body: { rules: 'joy-own' } });
    assert.equal((await client.getPlayer({ player: name })).key, null);
  }
});

test('a key is saved to a file and brought back where it is not', { skip }, async () => {
  const home = await service.player('traveller', 1_000_000, { store: fileStore() });
  assert.equal(await home.keyFile(), null);
  assert.ok(await home.signs());
  const file = await home.keyFile();
  const { key, secret } = JSON.parse(file);
  const away = service.client({ token: home.token, player: 'traveller', store: fileStore() });
  assert.equal((await away.keyState()).state, 'elsewhere');
  assert.equal(await away.keyFile(), null);
  await assert.rejects(away.openTable({ body: { rules: 'joy-own' } }), isUnsigned);

  const other = await service.player('stayer', 1_000_000, { store: fileStore() });
  await other.signs();
  const theirs = JSON.parse(await other.keyFile());
  const changed = change => JSON.stringify({ ...JSON.parse(file), ...change });
  for (const [text, words] of [
    ['', /no file of a key/],
    ['[]', /no file of a key/],
    [' '.repeat(5000), /too long/],
    [changed({ fairshoe_player_key: 2 }), /no file of a key/],
    [changed({ log: 'other.example/log', key: theirs.key }), /other\.example/],
    [changed({ player: 'stayer' }), /of stayer/],
    [await other.keyFile(), /of stayer/],
    [changed({ secret: secret.slice(1) }), /damaged/],
    [changed({ secret: '0'.repeat(64) }), /not of one key/],
    [changed({ key: theirs.key }), /not of one key/],
    [changed({ key: theirs.key, secret: theirs.secret }), /another key/],
  ])
    await assert.rejects(away.takeKeyFile(text), error => error instanceof InvalidInput && words.test(error.message));
  assert.equal((await away.keyState()).state, 'elsewhere', 'nothing of it was taken');

  // Of a log that goes on under another name, with its players' keys.
  assert.equal((await away.takeKeyFile(changed({ log: 'before.example/log' }))).state, 'signs');
  await away.openTable({ body: { rules: 'joy-own' } });
  assert.equal((await away.keyState()).key, key);
});

test('a key that was kept under the log before is found under the one that goes on', { skip }, async () => {
  const store = fileStore();
  const client = await service.player('goer', 1_000_000, { store });
  await client.signs();
  const [name] = (await store.names()).filter(one => one.startsWith('pen of '));
  await store.set(name.replace(/^pen of \S+/, 'pen of before.example/log'), await store.get(name));
  await store.delete(name);
  const later = service.client({ token: client.token, player: 'goer', store });
  assert.equal((await later.keyState()).state, 'signs');
  await later.openTable({ body: { rules: 'joy-own' } });
});

test('a key of the vectors signs as they do, and its file is the same for every program', async () => {
  const { signerOfKey, PlayerKeys } = await internal('keys');
  const { pens, signatures } = vectors('player-keys');
  const { secret } = pens.find(({ player }) => player === 'alice');
  const { key, origin, text, signature } = signatures.find(({ holds, by }) => holds && by === 'player:alice');
  const signer = await signerOfKey({ key, secret });
  assert.equal(Buffer.from(await signer(new TextEncoder().encode(text))).toString('hex'), signature);
  const keys = new PlayerKeys(new MemoryStore(), origin, 'alice');
  const file = `{"fairshoe_player_key":1,"log":"${origin}","player":"alice","key":"${key}","secret":"${secret}"}`;
  assert.deepEqual(JSON.parse(keys.write({ key, secret })), JSON.parse(file));
  assert.deepEqual(keys.read(file, []), { key, secret });
});

test('a house that speaks of another key gets nothing unsigned, though it would take it', { skip }, async () => {
  const proxy = await Proxy.before(service.url);
  const { token } = await service.player('doubter');
  const options = { addresses: proxy.url, logKey: service.logKey, token, player: 'doubter' };
  const client = new Client({ ...options, store: fileStore() });
  proxy.change(
    ({ method, url }) => method === 'GET' && url === '/v1/players/doubter',
    json(view => {
      view.key = 'ab'.repeat(32);
    }),
  );
  await assert.rejects(client.openTable({ body: { rules: 'joy-own' } }), isUnsigned);
  assert.deepEqual(proxy.requests(/^POST/), []);
  proxy.honest();
  await client.openTable({ body: { rules: 'joy-own' } });
  assert.equal((await client.keyState()).state, 'signs');
  await proxy.close();
});

test('one who lost it shows the house another key, which waits for a day', { skip }, async () => {
  const first = await service.player('loser', 1_000_000, { store: fileStore() });
  await first.signs();
  const left = service.client({ token: first.token, player: 'loser', store: fileStore() });
  const key = await left.nextKey();
  const operator = service.client({ token: service.operatorToken });
  await operator.setKey({ player: 'loser', body: { key, reason: 'lost' } });
  const { state, waitsUntil, isNextHere } = await left.keyState();
  assert.ok(state === 'elsewhere' && waitsUntil > Date.now() + 80_000_000 && isNextHere);
  // Whoever still has the old one takes it back.
  await first.setKey({ player: 'loser', body: { key: await first.nextKey() } });
  const now = await first.keyState();
  assert.ok(now.state === 'signs' && now.waitsUntil === null && now.key !== key);
  await first.openTable({ body: { rules: 'joy-own' } });
});

test('a key by the operator gives way to the first one of the player', { skip }, async () => {
  const client = await service.player('watched', 1_000_000, { store: fileStore() });
  const operator = service.client({ token: service.operatorToken });
  await operator.setKey({ player: 'watched', body: { key: await client.nextKey(), reason: 'asked' } });
  await client.forgetKeys();
  await client.openTable({ body: { rules: 'joy-own' } });
  const { state, waitsUntil } = await client.keyState();
  assert.deepEqual([state, waitsUntil], ['signs', null]);
});

test('two tabs at once have one key, and what overtakes is signed anew', { skip }, async () => {
  const shared = storage();
  const made = await service.player('twofold', 1_000_000, { store: new WebStore(shared) });
  const other = service.client({ token: made.token, player: 'twofold', store: new WebStore(shared) });
  const opened = await Promise.all([made, other].map(one => one.openTable({ body: { rules: 'joy-own' } })));
  const { key } = await made.keyState();
  assert.equal((await other.keyState()).key, key);
  assert.equal((await other.keyState()).state, 'signs');
  // Both play at once, and each sets limits beside it, of which the answers come as they come.
  const rounds = await Promise.all(
    [made, other].map(async (one, at) => {
      const [[played]] = await Promise.all([
        playing(await one.table(opened[at].table).open(), betting(), 1),
        ...['day', 'week', 'month'].map((per, no) =>
          one.setLimit({ player: 'twofold', body: { of: at ? 'loss' : 'deposit', per, most: 900_000 + no } }),
        ),
      ]);
      return played;
    }),
  );
  assert.ok(rounds.every(({ verdict }) => verdict.verdict === 'sound'));
});

test('payments beside a round are each done once, whichever overtakes which', { skip }, async () => {
  const client = await service.player('spender', 1_000_000, { store: fileStore() });
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  const held = await client.table(table).open(),
    token = service.operatorToken;
  const pay = () => client.withdrawChips({ player: 'spender', body: { amount: 1000 } }, { token });
  const [[{ verdict }]] = await Promise.all([playing(held, betting(), 1), pay(), pay(), pay(), pay()]);
  assert.equal(verdict.verdict, 'sound');
  const paid = [];
  for await (const { what, index } of client.eachTransaction('spender')) if (what === 'withdraw') paid.push(index);
  assert.equal(paid.length, 4);
  for (const index of paid) assert.ok((await client.provenEntry(index)).entry.signed);
});

test('guests who choose the same free seat at once each get one', { skip }, async () => {
  const guests = await Promise.all([1, 2, 3].map(async () => {
    const guest = service.client();
    await guest.joinAsGuest();
    await guest.signs();
    return guest;
  }));
  const tables = await Promise.all(guests.map(guest => guest.table('play.holdem-1').open()));
  await Promise.all(tables.map(table => table.sit({ buy_in: 10_000 })));
  const { cash } = await service.client().getTable({ table: 'play.holdem-1' });
  assert.equal(new Set(cash.seats.map(({ seat }) => seat)).size, 3);
});

test('a nonce that a program with a fast clock used holds nobody up', { skip }, async () => {
  const client = await service.player('late', 1_000_000, { store: fileStore() });
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  const { now } = Date;
  try {
    Date.now = () => now() + 86_400_000;
    await service.client({ token: client.token, player: 'late', store: await copyOf(client) }).openTable({
      body: { rules: 'joy-own' },
    });
  } finally {
    Date.now = now;
  }
  const [played] = await playing(await client.table(table).open(), betting(), 1);
  assert.equal(played.verdict.verdict, 'sound');
});

/** Another store with the client's key in it. */
async function copyOf(client) {
  const store = fileStore(),
    other = service.client({ token: client.token, player: client.player, store });
  await other.takeKeyFile(await client.keyFile());
  return store;
}

test('a payment is not signed a second time because the house says so', { skip }, async () => {
  const proxy = await Proxy.before(service.url);
  const operator = service.client({ token: service.operatorToken });
  const { token } = await operator.createPlayer({ body: { player: 'payer' } });
  await operator.creditPlayer({ player: 'payer', body: { amount: 1000 } });
  const options = { logKey: service.logKey, token, player: 'payer', store: fileStore() };
  const client = new Client({ ...options, addresses: proxy.url });
  await client.signs();
  const { status, body } = problem(409, 'nonce_used');
  const refused = { status, body: JSON.stringify(body) };
  const send = () => client.sendTransfer({ player: 'payer', body: { to: 'b.example/log', amount: 5 } });
  const sent = () => proxy.requests(/^POST .*\/transfers$/).length;
  proxy.answer(({ url }) => url.endsWith('/transfers'), refused);
  await assert.rejects(send(), error => error.code === 'nonce_used');
  assert.equal(sent(), 1);
  // A later command of theirs is proven to be on the log: what was signed before is good for nothing any more.
  proxy.answer(({ url }) => url.endsWith('/transfers'), refused);
  const limit = { of: 'loss', per: 'day', most: 10 };
  const [again] = await Promise.allSettled([send(), client.setLimit({ player: 'payer', body: limit })]);
  assert.equal(again.reason.code, 'unknown_log');
  assert.equal(sent(), 3);
  await proxy.close();
});

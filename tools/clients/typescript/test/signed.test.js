// Commands of a player with a key: the very bytes that the vectors sign, and play against the service.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { test } from 'node:test';
import { Service, argsOf, casesOf, fairshoe, fake, internal, noService, vectors } from './harness.js';
import { betting, decide, playing } from './strategies.js';

/** An Ed25519 key out of its 32 bytes. */
function keyOf(secret) {
  const head = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({ key: Buffer.concat([head, secret]), format: 'der', type: 'pkcs8' });
  const shown = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  return { shown, signer: message => new Uint8Array(sign(null, message, key)) };
}

const COMMANDS = casesOf('commands');
const AT_CASH = new Set(COMMANDS.at_cash);
function turned(value) {
  if (Array.isArray(value)) return value.map(turned);
  if (value?.constructor !== Object) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, turned(of)]).reverse());
}

/** The call that makes a command of the vectors, with the fields in another order than the log's. */
function callOf(word, { event, rules, holder, ...fields }) {
  const call = COMMANDS.calls[word];
  assert.ok(call, `a call for ${word}`);
  const { table, round_no: no, ...rest } = fields;
  const given = fairshoe.OPERATIONS[call].path.includes('{id}') ? { ...rest, id: `${table}:${no}` } : fields;
  const more = { tournament: event, rules: rules?.name, player: holder?.replace('player:', '') };
  const said = Object.entries(more).filter(([, value]) => value !== undefined);
  return [call, argsOf(call, turned({ ...given, ...Object.fromEntries(said) }))];
}

test('what is signed is byte for byte what the vectors sign', async () => {
  const { signatures, pens } = vectors('player-keys');
  const alice = keyOf(Buffer.from(pens.find(({ player }) => player === 'alice').secret, 'hex'));
  const logKey = vectors('bundles').cases.map(
    ({ bundle }) => /"vkey":"(fairshoe\.example\/log\+[^"]+)"/.exec(bundle)?.[1],
  )[0];
  let signed = 0;
  for (const { command, by, key, holds, origin, nonce, text, signature } of signatures) {
    if (!holds || by !== 'player:alice' || key !== alice.shown || origin !== 'fairshoe.example/log') continue;
    const [[name, fields]] = Object.entries(JSON.parse(command));
    const called = callOf(name, fields);
    const server = await fake(({ method, url }) => {
      if (method === 'GET' && url === '/v1/players/alice') return { body: { last_nonce: 0 } };
      if (url.startsWith('/v1/rulesets/')) return { body: { rules: fields.rules } };
      if (method === 'GET' && /^\/v1\/tables\/[^/]+$/.test(url)) return { body: { rules: { game: { joy: {} } } } };
      return { body: {} };
    });
    const seen = [];
    const signer = message => {
      seen.push(Buffer.from(message).toString());
      return alice.signer(Buffer.from(text));
    };
    const client = new fairshoe.Client({ addresses: server.url, logKey, token: 't', player: 'alice', signer });
    // What it answers is no answer; what was signed is seen.
    await assert.rejects(client[called[0]](called[1], { idempotencyKey: 'k' }), fairshoe.BadReply);
    const [, , , asked] = seen[0].split('\n');
    assert.equal(seen[0], text.replace(`\n${nonce}\n`, `\n${asked}\n`));
    const header = server.seen.at(-1).headers['fairshoe-signature'];
    assert.equal(header, `nonce=${asked}, sig=${signature}`);
    await server.close();
    signed += 1;
  }
  assert.ok(signed >= 20, `${signed} commands`);
});

test('every command of a player in the vectors is spelled as it stands in its entry', async () => {
  const { commandText } = await internal('sign');
  const spelled = new Map();
  for (const name of COMMANDS.files.split(' ')) {
    for (const text of vectors(`entries-${name}`).entries) {
      const { by, command } = JSON.parse(text);
      // Who hands a transfer in gives no command of their own.
      if (!by.startsWith('player:') || command.transfer_in) continue;
      const [[word, fields]] = Object.entries(command.tournament ?? command);
      const [id, args] = callOf(word, fields);
      const made = commandText(id, args, { isCash: AT_CASH.has(word), rules: fields.rules });
      assert.ok(text.includes(`"command":${made},"`), `${made} in ${text}`);
      spelled.set(word, (spelled.get(word) ?? 0) + 1);
    }
  }
  for (const word of ['sit_down', 'sit_in', 'sit_out', 'add_chips', 'register', 'unregister', 'rebuy', 'buy_stake'])
    assert.ok(spelled.get(word), word);
});

test('the commands of which the vectors have none are spelled in the order of the contract', async () => {
  const { commandText } = await internal('sign');
  for (const [id, args, text] of COMMANDS.cases)
    assert.equal(commandText(id, argsOf(id, args), { isCash: id === 'cancelBet', rules: undefined }), text);
});

test('every call that the contract lets a player sign can be signed', async () => {
  const { commandText } = await internal('sign'),
    { SIGNED_CALLS } = await internal('generated/operations');
  const body = { table: 't', seat: 1, bets: [] };
  for (const id of SIGNED_CALLS)
    assert.match(
      commandText(id, { id: 't:1', table: 't', player: 'p', body }, { isCash: false, rules: {} }),
      /^\{"[a-z_]+":/,
    );
});

test('a player with a key plays, alone, at a window and at poker', { skip: noService }, async () => {
  const service = await Service.start(['--connections-per-address', '0']);
  const clients = [];
  for (const n of [1, 2]) {
    const { shown, signer } = keyOf(Buffer.alloc(32, n));
    const client = await service.player(`signer-${n}`);
    await client.setKey({ player: `signer-${n}`, body: { key: shown } });
    await assert.rejects(
      client.takeSeat({ table: 'holdem-1', body: { seat: n, buy_in: 10000 } }),
      error => error.code === 'signature_missing',
    );
    client.useSigner(signer);
    clients.push(client);
  }
  const [first] = clients;
  const [alone] = await playing(await first.table('joy-1').open(), betting(), 1);
  assert.equal(alone.verdict.verdict, 'sound');
  const window = await first.table('live-blackjack-1').open();
  await window.sit({ seat: 3 });
  assert.equal((await playing(window, betting(), 1))[0].round.phase, 'settled');
  const tables = await Promise.all(clients.map(client => client.table('holdem-1').open()));
  for (const [n, table] of tables.entries()) await table.sit({ seat: n + 1, buy_in: 10000 });
  const hands = await Promise.all(tables.map(table => playing(table, { decide }, 1)));
  assert.ok(hands.every(([{ verdict }]) => verdict.verdict === 'sound'));
  const { last_nonce: nonce, key } = await first.getPlayer({ player: 'signer-1' });
  assert.ok(nonce > 1e12 && key === keyOf(Buffer.alloc(32, 1)).shown);
  await service.end();
});

test('a player with a key opens a table, pays out and enters a tournament', { skip: noService }, async t => {
  const service = await Service.start(['--connections-per-address', '0']);
  t.after(() => service.end());
  const operator = service.client({ token: service.operatorToken });
  const { shown, signer } = keyOf(Buffer.alloc(32, 7));
  const client = await service.player('signer', 1_000_000);
  await client.setKey({ player: 'signer', body: { key: shown } });
  client.useSigner(signer);
  const table = await client.openTable({ body: { rules: 'joy-own', table: 'signer.own' } });
  assert.equal(table.table, 'signer.own');
  await client.closeTable({ table: 'signer.own' });
  const again = { rules: 'joy-own', table: 'signer.own-2', replaces: 'signer.own' };
  await client.openTable({ body: again });
  assert.match((await client.openTable({ body: { rules: 'joy-own' } })).table, /^own-/, 'the client names it');

  const body = { amount: 100, reference: 'desk 4' };
  await assert.rejects(
    operator.withdrawChips({ player: 'signer', body }),
    error => error.code === 'signature_missing',
  );
  const signature = await client.signWithdrawal(body);
  const { receipts } = await operator.withdrawChips({ player: 'signer', body, signature });
  assert.equal(JSON.parse(receipts[0].entry).by, 'player:signer');
  assert.equal((await operator.getPlayer({ player: 'signer' })).balance, 999_900);
  // Where one program has the player's key and the operator's token.
  await client.withdrawChips({ player: 'signer', body }, { token: service.operatorToken });
  assert.equal((await operator.getPlayer({ player: 'signer' })).balance, 999_800);

  const starts = Date.now() + 3_600_000;
  await operator.createTournament({ body: { tournament: 'cup', structure: 'heads-up', starts_at: starts } });
  const event = client.tournament('cup');
  await event.register();
  assert.equal((await event.view()).own.entry.at, 'waiting');
  await client.unregister({ tournament: 'cup' });
  await event.register();

  // By calls alone, the kind of the table is looked up.
  const second = await service.player('other', 1_000_000);
  await client.takeSeat({ table: 'holdem-1', body: { seat: 1, buy_in: 10_000 } });
  await client.sitOut({ table: 'holdem-1' });
  await client.takeSeat({ table: 'holdem-1', body: {} });
  await second.table('holdem-1').sit({ buy_in: 10_000 });
  const held = await client.table('holdem-1').open();
  while (!held.state?.cash?.call) await held.refresh(500);
  const { round_no: roundNo } = held.state.cash.call;
  await held.commit(roundNo);
  await client.cancelBet({ table: 'holdem-1', round_no: roundNo });
  assert.equal(client.failure, null);
});

test('a key of WebCrypto signs', async () => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
  const message = new TextEncoder().encode('fairshoe/v1/signed-command\n');
  const signature = await fairshoe.signerOf(privateKey)(message);
  assert.equal(signature.length, 64);
  assert.ok(await crypto.subtle.verify('Ed25519', publicKey, signature, message));
});

// Commands of a player with a key: the very bytes that the vectors sign, and play against the service.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { test } from 'node:test';
import { Service, fairshoe, fake, noService, vectors } from './harness.js';
import { betting, decide, playing } from './strategies.js';

/** An Ed25519 key out of its 32 bytes. */
function keyOf(secret) {
  const head = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({ key: Buffer.concat([head, secret]), format: 'der', type: 'pkcs8' });
  const shown = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  return { shown, signer: message => new Uint8Array(sign(null, message, key)) };
}

/** The call that makes a command of the vectors. */
function callOf(name, { table, round_no: no, ...fields }) {
  const id = `${table}:${no}`;
  switch (name) {
    case 'issue_token':
      return ['issueToken', { player: 'alice', body: { revoke: fields.revoke } }];
    case 'set_limit':
    case 'exclude': {
      const { player, ...body } = fields;
      return [name === 'exclude' ? 'exclude' : 'setLimit', { player, body }];
    }
    case 'set_key':
      return ['setKey', { player: fields.player, body: fields.key === undefined ? {} : { key: fields.key } }];
    case 'close_table':
      return ['closeTable', { table }];
    case 'take_seat':
      return ['takeSeat', { table, body: fields }];
    case 'ask_to_play':
      return ['takeSeat', { table, body: {} }];
    case 'want_seat':
      return ['wantSeat', { table }];
    case 'leave_seat':
      return ['leaveSeat', { table }];
    case 'bet':
      // Fields in another order than the log's.
      return [
        'placeBet',
        { table, body: { commitment: fields.commitment, bets: fields.bets.map(turned), round_no: no } },
      ];
    case 'cancel_bet':
      return ['cancelBet', { table, round_no: no }];
    case 'commit_seed':
      return ['commitSeed', { id, body: fields }];
    case 'reveal':
      return ['revealSeed', { id, body: turned({ ...fields, ...(fields.saw ? { saw: turned(fields.saw) } : {}) }) }];
    case 'act':
      return ['act', { id, body: turned(fields) }];
    default:
      return null;
  }
}
const turned = value => Object.fromEntries(Object.entries(value).reverse());

test('what is signed is byte for byte what the vectors sign', async () => {
  const { signatures, pens } = vectors('player-keys');
  const alice = keyOf(Buffer.from(pens.find(({ player }) => player === 'alice').secret, 'hex'));
  const logKey = vectors('bundles').cases.map(
    ({ bundle }) => /"vkey":"(fairshoe\.example\/log\+[^"]+)"/.exec(bundle)?.[1],
  )[0];
  let signed = 0;
  for (const { command, by, key, holds, origin, nonce, text, signature } of signatures) {
    const [[name, fields]] = Object.entries(JSON.parse(command));
    const called = callOf(name, fields);
    if (!holds || by !== 'player:alice' || key !== alice.shown || origin !== 'fairshoe.example/log' || !called)
      continue;
    const server = await fake(({ url }) =>
      url.startsWith('/v1/players/alice') && !/key|tokens/.test(url) ? { body: { last_nonce: 0 } } : { body: {} },
    );
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
  assert.ok(signed >= 15, `${signed} commands`);
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

test('a key of WebCrypto signs', async () => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
  const message = new TextEncoder().encode('fairshoe/v1/signed-command\n');
  const signature = await fairshoe.signerOf(privateKey)(message);
  assert.equal(signature.length, 64);
  assert.ok(await crypto.subtle.verify('Ed25519', publicKey, signature, message));
});

// A proxy that lies: whatever it changes is a failed check, after which nothing is sent that would bind the player.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Proxy, Service, behindProxy, casesOf, fairshoe, json, noService, scratch, to, vectors } from './harness.js';
import { betting, playing } from './strategies.js';

const { CheckFailed, MemoryStore } = fairshoe;
let service, proxy;
behindProxy((...both) => {
  [service, proxy] = both;
});
const options = { skip: noService };
let made = 0;

/** A player behind the proxy at a blackjack table of their own, which is open. */
async function player(more = {}) {
  proxy.honest();
  const name = `liar-victim-${(made += 1)}`;
  const client = await service.player(name, 10_000, { addresses: proxy.url, ...more });
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  return { client, name, at: await client.table(table).open() };
}


/** The first check that fails as a round is played; nothing that binds is sent after it. */
async function caught({ client, at }, checks, rounds = 1) {
  let failed = null;
  await assert.rejects(playing(at, betting(), rounds), error => {
    failed = error;
    return error instanceof CheckFailed;
  });
  assert.ok([checks].flat().includes(failed.check), `${failed.check}: ${failed.message}`);
  assert.equal(client.failure, failed);
  const sent = proxy.seen.length;
  proxy.honest();
  await assert.rejects(at.bet([{ spot: '1', stake: 10 }]), error => error === failed);
  await assert.rejects(
    client.revealSeed({ id: `${at.name}:0`, body: { player: client.player, seed: '00'.repeat(32) } }),
    error => error === failed,
  );
  assert.deepEqual(
    proxy.seen.slice(sent).filter(({ method }) => method === 'POST'),
    [],
  );
  return failed;
}

/** Another card of the same form. */
const otherCard = text =>
  text.replace(
    /(\\*"card\\*":\\*")([A2-9TJQK])([cdhs])/,
    (_, head, rank, suit) => `${head}${rank}${suit === 's' ? 'h' : 's'}`,
  );

const { reveals, bundles } = casesOf('lies');

/** What stands in the place of something, by one of the ways of cases/lies.json. */
function changed(old, what, by, more) {
  if (what === 'suit') return JSON.parse(otherCard(JSON.stringify(old)));
  if (what === 'vector') return by.slice(1).reduce((value, name) => value[name], vectors(by[0]));
  if (what === 'add') return more === undefined ? old + by : (old + by) % more;
  if (what === 'drop') return old.filter((_, at) => at !== (by + old.length) % old.length);
  if (what === 'without') return old.filter(one => !JSON.stringify(one).includes(by));
  if (what === 'line') return old.split('\n').map((line, at) => (at === by ? more : line)).join('\n');
  if (what === 'grow') return old.replace(/^\d+$/m, number => Number(number) + by);
  return what === 'tail' ? old.replace(/\d+$/, number => Number(number) + by) : by;
}

function edit(answer, edits) {
  for (const [at, ...how] of edits) {
    const names = at.split('.');
    const stepped = (value, name) => (name.startsWith('-') ? value.length + Number(name) : name);
    const inner = names.slice(0, -1).reduce((value, name) => value[stepped(value, name)], answer);
    const last = stepped(inner, names.at(-1));
    inner[last] = changed(inner[last], ...how);
  }
}

for (const { about, edits, typescript: checks } of reveals.filter(lie => lie.typescript))
  test(`in the reply to a seed: ${about}`, options, async () => {
    const victim = await player();
    proxy.change(
      to(/POST .*\/reveals/),
      json(reply => {
        if (reply.round.phase === 'open') edit(reply, edits);
      }),
    );
    assert.ok((await caught(victim, checks, 5)).evidence);
  });

test('a receipt whose proof is changed, before the seed is shown', options, async () => {
  const victim = await player();
  proxy.change(
    to(/POST .*\/bets/),
    json(reply => {
      const [receipt] = reply.receipts,
        lines = receipt.proof.split('\n');
      lines[2] = `${lines[2][0] === 'A' ? 'B' : 'A'}${lines[2].slice(1)}`;
      receipt.proof = lines.join('\n');
    }),
  );
  const before = proxy.requests(/reveals/).length;
  await caught(victim, 'receipt');
  assert.equal(proxy.requests(/reveals/).length, before, 'no seed left');
});

test('the good receipt of another entry', options, async () => {
  const victim = await player();
  const other = await victim.client.provenEntry(1);
  proxy.change(
    to(/POST .*\/bets/),
    json(reply => {
      reply.receipts[0] = other.receipt;
    }),
  );
  const before = proxy.requests(/reveals/).length;
  await caught(victim, 'asked');
  assert.equal(proxy.requests(/reveals/).length, before, 'no seed left');
});

test('another bet than was asked for', options, async () => {
  const victim = await player();
  proxy.misstate(
    to(/POST .*\/bets/),
    json(asked => {
      asked.bets[0].stake = 50;
    }),
  );
  const failed = await caught(victim, 'asked');
  assert.match(failed.message, /bets: asked for .*"stake":1\b.*entry says .*"stake":50/);
});

test('an epoch under which the seed would open nothing', options, async () => {
  const victim = await player();
  proxy.change(
    to(/GET \/v1\/tables\/[^/]+$/),
    json(view => {
      view.epoch = '00'.repeat(32);
    }),
  );
  const before = proxy.requests(/bets/).length;
  await caught(victim, 'epoch');
  assert.equal(proxy.requests(/bets/).length, before, 'no bet left');
});

test(
  'a table without a shoe or with another round, so that a commitment would be bound to what is not',
  options,
  async () => {
    const { client, at } = await player();
    proxy.change(
      to(/GET \/v1\/tables\/[^/]+$/),
      json(view => {
        Object.assign(view, { epoch: null, shoe: null, next_round: 7 });
      }),
    );
    proxy.change(
      to(/GET \/v1\/log$/),
      json(info => {
        info.epoch = '00'.repeat(32);
      }),
    );
    // What is proven counts: the round is bound to its own epoch and number, and played.
    const [one] = await playing(at, betting(), 1);
    assert.deepEqual([one.id, one.verdict.verdict], [`${at.name}:0`, 'sound']);
    assert.equal(client.failure, null);
  },
);

test('an entry of the table that is changed, and one whose openings are kept back', options, async () => {
  for (const [changed, check] of [
    [
      json(page => {
        page.entries.forEach(item => {
          item.entry = item.entry.replace('"stake":1', '"stake":7');
        });
      }),
      'inclusion',
    ],
    [
      json(page => {
        page.entries.forEach(item => {
          delete item.openings;
        });
      }),
      'opening_missing',
    ],
  ]) {
    const { client, at } = await player();
    // Somebody who watches, and has nothing at stake, sees all of it by its entries.
    const watcher = service.client({ addresses: proxy.url });
    const seen = await watcher.table(at.name).open();
    await at.bet([{ spot: '1', stake: 1 }]);
    await at.reveal();
    proxy.change(to(/GET .*\/entries\?/), changed);
    await assert.rejects(seen.refresh(), error => error instanceof CheckFailed && error.check === check);
    assert.equal(watcher.failure.check, check);
    assert.ok(watcher.failure.evidence, 'there is a file that shows it');
    assert.equal(client.failure, null);
  }
});

test("a checkpoint that is not the log's, in any answer", options, async () => {
  const lie = text => text.replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) + 1}\n`);
  for (const [pattern, changed, ask] of [
    [/GET \/checkpoint$/, lie, client => client.getCheckpoint()],
    [
      /GET \/v1\/log$/,
      json(info => {
        info.checkpoint = lie(info.checkpoint);
      }),
      client => client.getLog(),
    ],
    [
      /GET .*\/entries\?/,
      json(page => {
        page.checkpoint = lie(page.checkpoint);
      }),
      client => client.listTableEntries({ table: 'joy-1', query: { proofs: true } }),
    ],
  ]) {
    const { client } = await player();
    proxy.change(to(pattern), changed);
    await assert.rejects(ask(client), error => error instanceof CheckFailed && error.check === 'checkpoint');
    assert.equal(client.failure.check, 'checkpoint');
  }
});

test('a tile that does not lead to the checkpoint', options, async () => {
  const { client } = await player();
  await client.getCheckpoint();
  await service.player(`bystander-${(made += 1)}`);
  proxy.change(to(/GET \/tile\/0/), text => 'x'.repeat(text.length));
  await assert.rejects(client.getCheckpoint(), error => error instanceof CheckFailed && error.check === 'tile');
});

test('another key: given, or pinned at an earlier use', options, async () => {
  const stranger = await Service.start();
  const given = stranger.client({ logKey: service.logKey });
  await assert.rejects(given.getLog(), error => error.check === 'key' || error.check === 'checkpoint');
  const store = new MemoryStore(),
    { port } = new URL(proxy.url);
  const first = new fairshoe.Client({ addresses: proxy.url, store });
  await first.getLog();
  assert.equal(first.keyTrust, 'pinned_now');
  assert.equal(first.logKey, service.logKey);
  const again = new fairshoe.Client({ addresses: proxy.url, store });
  await again.getCheckpoint();
  assert.equal(again.keyTrust, 'pinned');
  // The same address, and another house behind it.
  await proxy.close();
  const swapped = await Proxy.before(stranger.url, Number(port));
  await assert.rejects(new fairshoe.Client({ addresses: swapped.url, store }).getLog(), error => error.check === 'key');
  await assert.rejects(
    new fairshoe.Client({ addresses: swapped.url, store }).getCheckpoint(),
    error => error.check === 'checkpoint',
  );
  assert.throws(() => new fairshoe.Client({ addresses: swapped.url, logKey: 'none' }), fairshoe.InvalidInput);
  await swapped.close();
  await stranger.end();
  proxy = await Proxy.before(service.url);
});

test('a bundle that is changed, or of another round, ends play', options, async () => {
  for (const [lie, check] of [
    ...bundles.map(({ edits, check }) => [() => json(bundle => edit(bundle, edits)), check]),
    [two => () => two.verdict.bundle, 'bundle_round'],
  ]) {
    const { client, at } = await player();
    const [one, two] = await playing(at, betting(), 2);
    assert.equal(two.verdict.verdict, 'sound');
    proxy.change(to(/GET .*\/bundle$/), lie(two));
    await assert.rejects(client.verifyRound(one.id), error => error instanceof CheckFailed && error.check === check);
    assert.equal(client.failure.check, check);
    assert.match(client.failure.evidence.text, /fairshoe_bundle/);
    proxy.honest();
    const before = proxy.seen.length;
    await assert.rejects(at.bet([{ spot: '1', stake: 10 }]), error => error === client.failure);
    assert.ok(proxy.seen.slice(before).every(({ method }) => method === 'GET'));
    // The verdict itself, of a bundle from anywhere, accuses nobody.
    const other = service.client();
    const changed = await other.verifyBundleText(otherCard(one.verdict.bundle));
    assert.deepEqual([changed.verdict, other.failure], ['not_sound', null]);
  }
});

test('a table that shows no shoe and names an epoch: nothing is staked under its word', options, async () => {
  proxy.honest();
  const client = await service.player(`liar-victim-${(made += 1)}`, 10_000, { addresses: proxy.url });
  const { table } = await client.openTable({ body: { rules: 'joy-own' } });
  proxy.change(
    to(/GET \/v1\/tables\/[^/]+$/),
    json(view => {
      Object.assign(view, { epoch: '00'.repeat(32), shoe: null, next_round: 0 });
    }),
  );
  const at = await client.table(table).open();
  const before = proxy.requests(/bets/).length;
  await assert.rejects(at.bet([{ spot: '1', stake: 1 }]), /no shoe of .* is proven/);
  assert.equal(proxy.requests(/bets/).length, before, 'no bet left');
  proxy.honest();
  assert.equal((await playing(at, betting(), 1))[0].verdict.verdict, 'sound');
});

test('a bet that is acknowledged without a receipt is not taken for one', options, async () => {
  const { client, at } = await player();
  proxy.change(
    to(/POST .*\/bets/),
    json(reply => {
      delete reply.receipts;
    }),
    1,
  );
  await assert.rejects(at.bet([{ spot: '1', stake: 1 }]), fairshoe.BadReply);
  assert.equal(client.failure, null);
  // It was placed all the same, and binds: that is what the log shows.
  assert.equal((await playing(at, betting(), 1))[0].staked, 1);
});

test('a bet in the window is refused a change, and is played as it stood', options, async () => {
  proxy.honest();
  const client = await service.player(`changer-${(made += 1)}`, 100_000, { addresses: proxy.url });
  const at = await client.table('live-blackjack-1').open();
  // Somebody who has not bet yet keeps the window open.
  const other = await (await service.player(`other-${made}`)).table('live-blackjack-1').open();
  for (const one of [at, other]) await one.sit();
  while (!at.state?.window) await at.refresh(1000);
  const { stake_min: least, stake_max: most } = at.info.rules.table;
  const [{ seat }] = at.state.seats.filter(one => one.player === client.player);
  const stakes = stake => [{ spot: String(seat), stake }];
  await at.bet(stakes(2 * least));
  await assert.rejects(at.bet(stakes(most + least)), error => error.code === 'above_maximum');
  // Bets do not bind yet, and a seed that is shown now would let the house choose.
  const before = proxy.requests(/reveals/).length;
  await assert.rejects(at.reveal(), error => error instanceof fairshoe.InvalidInput);
  assert.equal(proxy.requests(/reveals/).length, before);
  const [[one]] = await Promise.all([at, other].map(table => playing(table, betting(), 1)));
  assert.ok(one.staked >= 2 * least && one.round.contributors.some(({ bets }) => bets[0].stake === 2 * least));
  assert.equal(client.failure, null);
  for (const table of [at, other]) await table.leave();
});

test('tiles that do not come are an outage, and accuse nobody', options, async () => {
  const { client } = await player({ retry: { attempts: 2, firstWaitMs: 5 } });
  await client.getCheckpoint();
  await service.player(`bystander-${(made += 1)}`);
  const kept = client.checkpoint;
  proxy.lose(to(/GET \/tile\//), 1000);
  await assert.rejects(client.getCheckpoint(), fairshoe.NoAnswer);
  assert.deepEqual([client.failure, client.checkpoint], [null, kept]);
  proxy.honest();
  await client.getCheckpoint();
  assert.notEqual(client.checkpoint, kept);
});

test('own cards that are not those of the deck', options, async () => {
  const names = ['own-one', 'own-two'];
  const clients = await Promise.all(names.map(name => service.player(name, 100_000, { addresses: proxy.url })));
  proxy.honest();
  proxy.change(to(/\/v1\//), text =>
    text.replace(
      /"own":\{"round":("[^"]+"),(.*?)"cards":\["(.)(.)"/,
      (_, round, rest, rank, suit) => `"own":{"round":${round},${rest}"cards":["${rank}${suit === 's' ? 'h' : 's'}"`,
    ),
  );
  const tables = await Promise.all(clients.map(client => client.table('holdem-1').open()));
  for (const table of tables) await table.sit({ buy_in: 10000 });
  const results = await Promise.allSettled(tables.map(table => playing(table, { decide: () => 'fold' }, 1)));
  assert.ok(
    results.some(({ reason }) => reason instanceof CheckFailed && reason.check === 'opening'),
    results.map(({ reason }) => String(reason)).join('; '),
  );
  proxy.honest();
});

test('a guest who is not the one that was admitted', options, async () => {
  proxy.honest();
  proxy.change(
    to(/POST \/v1\/guests$/),
    json(reply => {
      reply.player = 'guest.77';
    }),
  );
  const client = service.client({ addresses: proxy.url });
  await assert.rejects(client.joinAsGuest(), error => error instanceof CheckFailed && error.check === 'asked');
  assert.equal(client.player, null);
  proxy.honest();
});

test('two histories under one key: a log that goes back and goes on otherwise', options, async () => {
  const house = await Service.start();
  const store = new MemoryStore();
  await house.player('before');
  const key = house.logKey;
  house.child.kill('SIGTERM');
  await house.exited;
  const copy = scratch();
  fs.cpSync(house.data, copy, { recursive: true });
  await house.restart();
  const seen = house.client({ store });
  for (let n = 0; n < 5; n += 1) await house.player(`after-${n}`);
  await seen.getCheckpoint();
  house.child.kill('SIGTERM');
  await house.exited;
  fs.rmSync(house.data, { recursive: true });
  fs.renameSync(copy, house.data);
  await house.restart();
  assert.equal(house.logKey, key);
  // Shorter than what was seen: this log cannot show that it goes on to that, and what was seen stays.
  const kept = seen.checkpoint,
    again = house.client({ store });
  await assert.rejects(again.getCheckpoint(), error => {
    assert.ok(error instanceof fairshoe.Unproven, String(error));
    assert.equal(error.checkpoints[1], kept);
    return true;
  });
  assert.equal(again.checkpoint, kept);
  // Longer than what was seen, and of another history: two signatures convict the log.
  for (let n = 0; n < 8; n += 1) await house.player(`other-${n}`);
  await assert.rejects(house.client({ store }).getCheckpoint(), error => {
    assert.equal(error.check, 'fork');
    assert.match(error.evidence.text, /fairshoe_evidence/);
    return true;
  });
  await house.end();
});

test('an older checkpoint of the same history is no failure, and is not kept', options, async () => {
  const { client } = await player();
  const old = await client.getCheckpoint();
  await service.player(`newcomer-${(made += 1)}`);
  await client.getCheckpoint();
  const newest = client.checkpoint;
  assert.notEqual(newest, old);
  proxy.change(to(/GET \/checkpoint$/), () => old);
  assert.equal(await client.getCheckpoint(), old);
  assert.equal(client.checkpoint, newest);
  assert.equal(client.failure, null);
  proxy.honest();
});

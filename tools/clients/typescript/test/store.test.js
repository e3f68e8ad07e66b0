// Where seeds are kept: none is lost, and two who keep in one place do not lose each other's.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { FileStore, StoreInUse, built, fairshoe, scratch } from './harness.js';

test('a file store keeps what it was told, for its owner alone', async () => {
  const folder = path.join(scratch(), 'store'),
    store = new FileStore(folder);
  assert.equal(await store.get('nothing'), null);
  assert.deepEqual(await store.names(), []);
  await store.set('seed a b', 'one');
  await store.set('seed a b', 'two');
  await store.set('other', '三');
  const again = new FileStore(folder);
  assert.equal(await again.get('seed a b'), 'two');
  assert.deepEqual((await again.names()).sort(), ['other', 'seed a b']);
  for (const file of fs.readdirSync(folder)) assert.equal(fs.statSync(path.join(folder, file)).mode & 0o077, 0);
  await again.delete('other');
  assert.deepEqual(await again.names(), ['seed a b']);
});

/** Another process that keeps something in the folder, and then does as it is told. */
async function holder(folder, then) {
  const node = pathToFileURL(path.join(built, 'dist/node.js')).href;
  const program = `import { FileStore } from '${node}';
    const store = new FileStore(${JSON.stringify(folder)});
    await store.set('theirs', 'kept');
    console.log('holds');
    ${then}`;
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio });
  const exited = new Promise(done => {
    child.on('exit', done);
  });
  await new Promise(done => {
    child.stdout.once('data', done);
  });
  return { child, exited };
}

test('a folder that another process has is not used, and the error says who has it', async () => {
  const folder = path.join(scratch(), 'store'),
    store = new FileStore(folder);
  const { child, exited } = await holder(folder, 'setInterval(() => {}, 1000);');
  for (const use of [() => store.get('theirs'), () => store.set('mine', 'x'), () => store.names()])
    await assert.rejects(
      use(),
      error => error instanceof StoreInUse && error.message.includes(`process ${child.pid}`),
    );
  // A process that is killed gives nothing back: that it is no more is seen.
  child.kill('SIGKILL');
  await exited;
  fs.writeFileSync(path.join(folder, 'half.json.0.new'), 'half');
  assert.equal(await store.get('theirs'), 'kept');
  await store.set('mine', 'x');
  assert.deepEqual(
    fs.readdirSync(folder).filter(file => !file.endsWith('.json')),
    ['lock'],
  );
  await store.close();
  assert.ok(!fs.existsSync(path.join(folder, 'lock')));
});

test('a process that ends gives its folder back', async () => {
  const folder = path.join(scratch(), 'store');
  const { exited } = await holder(folder, '');
  await exited;
  assert.ok(!fs.existsSync(path.join(folder, 'lock')));
});

test('the lock of another machine, and one that is being taken over, are left alone', async () => {
  const folder = scratch(),
    store = new FileStore(folder);
  fs.writeFileSync(path.join(folder, 'lock'), '{"pid":1,"host":"elsewhere"}');
  await assert.rejects(
    store.get('x'),
    error => error instanceof StoreInUse && /of elsewhere has it/.test(error.message),
  );
  fs.writeFileSync(path.join(folder, 'lock'), '');
  await assert.rejects(store.get('x'), StoreInUse);
  fs.rmSync(path.join(folder, 'lock'));
  fs.writeFileSync(path.join(folder, 'lock.breaking'), '');
  assert.equal(await store.get('x'), null, 'a free folder is taken all the same');
  await store.close();
});

test('stores over one folder, in one process, write at once', async () => {
  const folder = scratch(),
    stores = [new FileStore(folder), new FileStore(folder)];
  const names = Array.from({ length: 40 }, (_, at) => `seed ${at % 4}`);
  await Promise.all(names.map((name, at) => stores[at % 2].set(name, `${at}`)));
  assert.deepEqual((await stores[0].names()).sort(), ['seed 0', 'seed 1', 'seed 2', 'seed 3']);
  await stores[0].close();
  assert.equal(await stores[1].get('seed 3'), '39', 'the other one still has it');
  await stores[1].close();
});

test("a browser's storage is used behind a prefix", () => {
  const values = new Map([['theirs', 'x']]);
  const storage = {
    get length() {
      return values.size;
    },
    key: at => [...values.keys()][at] ?? null,
    getItem: name => values.get(name) ?? null,
    setItem: (name, value) => {
      values.set(name, value);
    },
    removeItem: name => {
      values.delete(name);
    },
  };
  const store = new fairshoe.WebStore(storage);
  store.set('seed', 'y');
  assert.deepEqual([store.names(), store.get('seed'), store.get('theirs')], [['seed'], 'y', null]);
  store.delete('seed');
  assert.deepEqual([...values.keys()], ['theirs']);
});

const place = { origin: 'o', table: 't', epoch: '00'.repeat(32), roundNo: 3, player: 'p' };
const bet = stake => [{ spot: '1', stake }];

test('bets that were asked for in a row are kept, until the log shows which ones stand', async () => {
  const seeds = new fairshoe.Seeds(new fairshoe.MemoryStore());
  const first = await seeds.prepare(place, bet(10));
  const second = await seeds.prepare(place, bet(20));
  await seeds.prepare(place, bet(10));
  assert.deepEqual([second.seed, second.commitment], [first.seed, first.commitment]);
  const kept = () => seeds.find('o', 't', 3, 'p', first.commitment);
  assert.deepEqual((await kept()).bets, [bet(10), bet(20)]);
  await seeds.stands(place, bet(20));
  assert.deepEqual((await kept()).bets, [bet(20)]);
  await seeds.takenBack('o', 't', 3, 'p');
  assert.deepEqual((await kept()).bets, []);
  assert.equal((await kept()).seed, first.seed);
});

test('two bets at once have one seed', async () => {
  const slow = new fairshoe.MemoryStore();
  const store = {
    get: async name => {
      await new Promise(done => {
        setTimeout(done, 5);
      });
      return slow.get(name);
    },
    set: (name, value) => slow.set(name, value),
    delete: name => slow.delete(name),
    names: () => slow.names(),
  };
  // Two clients over one store.
  const seeds = [new fairshoe.Seeds(store), new fairshoe.Seeds(store)];
  const made = await Promise.all([10, 20, 30].map((stake, at) => seeds[at % 2].prepare(place, bet(stake))));
  assert.equal(new Set(made.map(({ seed }) => seed)).size, 1);
  assert.equal((await seeds[0].find('o', 't', 3, 'p', made[0].commitment)).bets.length, 3);
});

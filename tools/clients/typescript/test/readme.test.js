// The bot of the README runs as it is printed, against the package as it would be installed.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Service, built, noService, scratch, source } from './harness.js';

let service, place;
const options = { skip: noService };
before(async () => {
  place = scratch();
  // What `npm publish` would send, and nothing else, installed as the README says.
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', place], {
      cwd: built,
      encoding: 'utf8',
    }),
  );
  const readme = fs.readFileSync(path.join(source, 'README.md'), 'utf8');
  assert.ok(readme.includes(`/target/clients/typescript/${filename}`), filename);
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', `./${filename}`], { cwd: place });
  const [, bot] = /<!-- bot -->\n```js\n([\s\S]*?)```/.exec(readme);
  assert.ok(bot.trimEnd().split('\n').length <= 40, 'it is short');
  fs.writeFileSync(path.join(place, 'bot.mjs'), bot);
  if (!noService) service = await Service.start(['--connections-per-address', '0']);
});
after(async () => {
  await service?.end();
  fs.rmSync(place, { recursive: true, force: true });
});

/** Runs the bot; `{code, said}`. */
function run(env = {}) {
  const child = spawn(process.execPath, ['bot.mjs', service.url], { cwd: place, env: { ...process.env, ...env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', text => {
      said += text;
    });
  return new Promise(done => {
    child.on('exit', code => done({ code, said }));
  });
}

const HANDS = /: staked \d+, got \d+: sound$/gm;

test('the bot plays and verifies 20 hands as a guest, then again under the key that it pinned', options, async () => {
  const first = await run();
  assert.equal(first.code, 0, first.said);
  assert.equal(first.said.match(HANDS).length, 20, first.said);
  assert.match(first.said, /guest\.0 has \d+ chips; the log's key is pinned_now/);
  const second = await run();
  assert.equal(second.code, 0, second.said);
  assert.match(second.said, /guest\.1 has \d+ chips; the log's key is pinned: /);
});

test('the bot plays as a player, under a key that is given', options, async () => {
  const operator = service.client({ token: service.operatorToken });
  const { token } = await operator.createPlayer({ body: { player: 'robot' } });
  await operator.creditPlayer({ player: 'robot', body: { amount: 5000 } });
  const { code, said } = await run({ PLAYER: 'robot', TOKEN: token, LOG_KEY: service.logKey });
  assert.equal(code, 0, said);
  assert.match(said, /^robot has 5000 chips; the log's key is given: \S+\+[0-9a-f]{8}\+/);
  assert.equal(said.match(HANDS).length, 20, said);
  assert.ok(!said.includes(token));
  const net = Number(/net (-?\d+)/.exec(said)[1]);
  assert.equal((await operator.getPlayer({ player: 'robot' })).balance, 5000 + net);
});

test('the package holds its modules, its types and the verifier, and asks for nothing', () => {
  const installed = path.join(place, 'node_modules/fairshoe');
  const manifest = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8'));
  assert.deepEqual([manifest.name, manifest.type], ['fairshoe', 'module']);
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies', 'scripts'])
    assert.equal(manifest[kind], undefined);
  for (const { types, default: file } of Object.values(manifest.exports))
    for (const name of [types, file]) assert.ok(fs.existsSync(path.join(installed, name)), name);
  for (const name of ['LICENSE', 'README.md', 'dist/fairshoe-verify.js', 'dist/fairshoe-verify.d.ts'])
    assert.ok(fs.existsSync(path.join(installed, name)), name);
  const modules = fs
    .readdirSync(path.join(installed, 'dist'), { recursive: true })
    .filter(name => name.endsWith('.js'));
  const importsNode = modules.filter(name =>
    /from 'node:/.test(fs.readFileSync(path.join(installed, 'dist', name), 'utf8')),
  );
  assert.deepEqual(importsNode, ['node.js'], 'a browser can load all but what is for Node');
});

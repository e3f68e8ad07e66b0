#!/usr/bin/env node
// Records the examples of this folder from a running service: every request that they show was sent, every reply came.
// `node src/api/contract/record.js --service target/release/fairshoe` writes examples/*.yaml anew, of which bundle.js
// then makes openapi.yaml. With `--check` nothing is written: it exits 1 where what the service answers is made of
// other keys and types than its examples. In both ways it exits 1 where the service answers what the contract has not.
//
// A scenario is played through every call (recording/scenes), on services in folders of their own, with the programs of
// the same build that lie beside the service's: a second log, witnesses, the sample wallet. Where one of them is not
// there, or PostgreSQL or nats-server, what needs it is named and stays as it is.
'use strict';
const fs = require('fs');
const path = require('path');
const { Contract, FOLDER } = require('./recording/contract');
const { NotHere, Programs, folder, freePort } = require('./recording/programs');
const { Recorder, Stage, Unexpected } = require('./recording/recorder');
const { differences } = require('./recording/shape');
const { write } = require('./recording/yaml');
const scenes = {
  ...require('./recording/scenes/refusals'),
  cluster: require('./recording/scenes/cluster'),
  players: require('./recording/scenes/players'),
  poker: require('./recording/scenes/poker'),
  service: require('./recording/scenes/service'),
  shared: require('./recording/scenes/shared'),
  solo: require('./recording/scenes/solo'),
  tournaments: require('./recording/scenes/tournaments'),
  transfers: require('./recording/scenes/transfers'),
  wallet: require('./recording/scenes/wallet'),
  witnesses: require('./recording/scenes/witnesses'),
};

// Examples that nothing here records, and why: they are written by hand, and stay as they are.
const BY_HAND = {
  'getState.200.one': 'a state is published after 65,536 entries',
  'getReady.503.one': 'a service that stops takes no new connection, and closes those where nobody waits for an answer',
  stopping: 'the same',
  no_shoe: 'a shoe is committed within milliseconds of the last one',
  recovering: 'tables are recovered within milliseconds of a start',
  player_count: 'no table that the product ships takes more players than it has seats',
  level_blocked: 'it takes many early leavings of a cash table',
  bundle_too_large: 'it takes 10,000 entries',
  internal: 'nothing fails that can be made to fail from outside',
  busy: 'it takes more readers at once than one who records',
};

const EXAMPLES = path.join(FOLDER, 'examples');
const fileOf = name => path.join(EXAMPLES, `${name}.yaml`);
const capital = name => name[0].toUpperCase() + name.slice(1);

/** The page's reader of YAML, as bundle.js takes it. */
async function reader() {
  const source = fs.readFileSync(path.join(FOLDER, '..', '..', 'page', 'web', 'yaml.js'), 'utf8');
  return (await import(`data:text/javascript,${encodeURIComponent(source)}`)).readYaml;
}

/** Plays the scenario. What could not be played is told by name, with the reason. */
async function play(programs, recorder, skipped) {
  const start = async (options, where) => new Stage(recorder, await programs.start(options, where));
  const optional = async (names, part) => {
    try {
      await part();
    } catch (error) {
      if (!(error instanceof NotHere)) throw error;
      for (const name of names) skipped.set(name, error.message);
    }
  };
  // Whoever records asks more than clients may.
  const unlimited = ['--address-rate', '0', '--token-rate', '0'];

  const names = path.join(folder('names'), 'names.json');
  fs.writeFileSync(names, '{"alice":"Ann B."}\n');
  const shown = ['--currency', 'EUR:2', '--names', names];
  const stage = await start(['--origin', 'example.com/log', ...shown, ...unlimited]);
  await scenes.service(stage);
  // It takes ten seconds to be told that a request did not come.
  const slow = scenes.connections(stage);
  const players = await scenes.players(stage);
  await scenes.solo(stage, players);
  await scenes.shared(stage, players);
  await scenes.poker(stage, players);
  await scenes.tournaments(stage, players);
  for (const part of ['requests', 'signatures', 'rounds', 'seats', 'cash']) await scenes[part](stage, players);
  await slow;
  await stage.program.end();

  const log = name => start(['--origin', `${name}.example/log`]);
  await scenes.transfers(await log('one'), await log('two'));
  await scenes.cramped(await start(['--max-guests', '1', '--max-streams', '1', '--address-rate', '1']));
  await scenes.full(await start(['--guests', 'false', '--min-free-mib', '1000000000']));
  const old = await start(['--origin', 'example.com/log']);
  await old.program.end('SIGTERM');
  await scenes.ended(await start(['--end-for', programs.newKeys('example.com/log-2')], old));

  const tokenFile = path.join(folder('wallet'), 'token');
  fs.writeFileSync(tokenFile, 'a-token-of-the-examples\n', { mode: 0o600 });
  const wallet = url => ['--wallet', url, '--wallet-token', tokenFile];
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  await scenes.withoutWallet(await start([...wallet(nowhere), '--wallet-style', 'rounds']));
  const ofWallet = [...recorder.contract.files.get('wallet'), 'too_many_operations', 'unknown_operation'];
  await optional(ofWallet, async () => {
    const sample = await programs.wallet(tokenFile, { alice: 10_000 });
    await scenes.wallet(await start(['--origin', 'one.example/log', ...wallet(sample.url)]), sample);
  });
  await optional(['getReady.200.unwitnessed', 'getWitnessedCheckpoint.200.one', 'unwitnessed'], async () => {
    const first = await start(['--origin', 'example.com/log']);
    await first.program.end('SIGTERM');
    const vkey = fs.readFileSync(path.join(first.data, 'log.vkey'), 'utf8').trim();
    const [w1, w2] = [await programs.witness('w1', vkey), await programs.witness('w2', vkey)];
    const file = path.join(folder('witnesses'), 'policy');
    fs.writeFileSync(file, `${w1.line}\n${w2.line}\ngroup both all w1 w2\nquorum both\n`);
    const limit = ['--unwitnessed-limit', '3', '--witness-idle', '1'];
    await scenes.witnesses(await start(['--witnesses', file, ...limit], first), w2);
  });
  await optional(['getCluster.200.follower', 'not_leader'], async () =>
    scenes.cluster(start, await programs.order()));
}

/** The files of examples as they are to be, by name: what was recorded, and what stays of `was`. */
function made(contract, recorder, was, left) {
  const files = new Map();
  const problems = Object.keys(contract.errors.codes).map(code => {
    const value = left.has(code) ? was.problems[code]?.value : recorder.problems.get(code);
    return [code, { summary: contract.words(code), value }];
  });
  files.set('problems', problems);
  for (const [file, names] of contract.files)
    files.set(file, names.map(name => [name, left.has(name) ? was[file][name] : recorder.examples.get(name)]));
  const missing = [...files.values()].flat().filter(([, one]) => one?.value === undefined).map(([name]) => name);
  if (missing.length) throw new Unexpected(`nothing recorded ${missing.join(', ')}`);
  return files;
}

/** In what the recorded examples are made of something else than those that stand in the files. */
function aged(files, was, left) {
  const told = [];
  for (const [file, examples] of files)
    for (const [name, { value }] of examples.filter(([one]) => !left.has(one))) {
      const old = was[file][name];
      if (!old) told.push(`${name} is not there`);
      else told.push(...differences(old.value, value).map(one => `${name}: ${one}`));
    }
  return told;
}

async function main(given) {
  const check = given.includes('--check'), at = given.indexOf('--service');
  if (at < 0 || !given[at + 1] || given.length !== (check ? 3 : 2))
    throw new Unexpected('usage: record.js --service PATH/TO/fairshoe [--check]');
  if (!fs.existsSync(given[at + 1])) throw new Unexpected(`${given[at + 1]} is not there: build it first`);
  const readYaml = await reader(), contract = new Contract(readYaml), recorder = new Recorder(contract);
  const skipped = new Map();
  await play(new Programs(given[at + 1]), recorder, skipped);

  const left = new Set([...Object.keys(BY_HAND), ...skipped.keys()]);
  const names = ['problems', ...contract.files.keys()];
  const was = Object.fromEntries(names.map(name => [name, readYaml(fs.readFileSync(fileOf(name), 'utf8'))]));
  const files = made(contract, recorder, was, left);
  for (const [name, why] of Object.entries(BY_HAND)) console.log(`by hand: ${name}: ${why}`);
  for (const [name, why] of skipped) console.log(`left as it is: ${name}: ${why}`);

  const wrong = [...recorder.breaches];
  for (const call of contract.calls.keys())
    if (!recorder.asked.has(call) && !left.has(`${call}.200.one`)) wrong.push(`${call} was never asked`);
  if (check) wrong.push(...aged(files, was, left));
  else
    for (const [file, examples] of files) {
      const about = file === 'problems'
        ? 'An example of each code of errors.yaml.'
        : `Examples of ${capital(file)}: CALL.STATUS.NAME.`;
      fs.writeFileSync(fileOf(file), write(about, Object.fromEntries(examples), file === 'problems'));
    }
  if (!wrong.length) return;
  console.error(wrong.join('\n'));
  process.exitCode = 1;
}

main(process.argv.slice(2)).catch(error => {
  console.error(error instanceof Unexpected || error instanceof SyntaxError ? error.message : error);
  process.exitCode = 1;
}).finally(() => process.exit());

// The programs that a recording runs, each in a folder of its own that is taken away with it: services, witnesses, the
// sample wallet with its PostgreSQL, the servers of an order.
'use strict';
const { execFileSync, spawn, spawnSync } = require('child_process');
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');

/** What is not on this machine: the examples that need it stay as they are. */
class NotHere extends Error {}

const sleep = ms => new Promise(done => setTimeout(done, ms));

// So many seconds are enough for whatever is waited for, on a machine that has much to do.
const PATIENCE = 60;

/** Waits until `found` gives something, and gives it back. */
async function until(what, found) {
  for (const end = Date.now() + PATIENCE * 1000; ;) {
    const value = await found();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not in ${PATIENCE} seconds: ${what}`);
    await sleep(20);
  }
}

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'fairshoe-record-'));
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  fs.rmSync(root, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** A new folder. */
const folder = name => fs.mkdtempSync(path.join(root, `${name}-`));

/** A port that nobody listens on now. */
const freePort = () =>
  new Promise((done, failed) => {
    const server = net.createServer().once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** A process that runs until it is ended, and what it says. */
class Program {
  constructor(command, args) {
    this.said = '';
    this.name = path.basename(command);
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(this.child);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.setEncoding('utf8').on('data', text => {
        this.said += text;
      });
    this.ended = new Promise(done => {
      this.child.on('error', error => done(String(error)));
      this.child.on('close', code => done(`code ${code}`));
    });
    this.ended.then(how => {
      this.how = how;
      running.delete(this.child);
    });
  }

  /** What the pattern finds in what it says, once it does. */
  says(pattern) {
    return until(`${this.name} says ${pattern}`, () => {
      if (this.how !== undefined) throw new Error(`${this.name} ended (${this.how}):\n${this.said}`);
      return pattern.exec(this.said);
    });
  }

  async end(signal = 'SIGKILL') {
    this.child.kill(signal);
    await this.ended;
  }
}

/** The programs that lie beside the service's. */
class Programs {
  constructor(service) {
    this.service = path.resolve(service);
  }

  /** The path of another program of the same build. */
  beside(name) {
    const at = path.join(path.dirname(this.service), name);
    if (!fs.existsSync(at)) throw new NotHere(`${name} is not beside the service`);
    return at;
  }

  /** A service on a folder and a port of its own, or on those of one that ran before. */
  async start(options = [], { data = folder('data'), port = 0 } = {}) {
    const program = new Program(this.service,
      ['serve', '--data', data, '--listen', `127.0.0.1:${port}`, '--log-format', 'json', ...options]);
    const url = (await program.says(/fairshoe deals at (http:\/\/[\d.:]+)/))[1];
    const token = fs.readFileSync(path.join(data, 'operator.token'), 'utf8').trim();
    return { program, data, url, port: Number(new URL(url).port), operatorToken: token };
  }

  /** The key of a log that is to go on from another one, under this name. */
  newKeys(origin) {
    return execFileSync(this.service, ['new-keys', folder('keys'), '--origin', origin], { encoding: 'utf8' }).trim();
  }

  /** A witness of the log with this key; its line in a file of witnesses. */
  async witness(name, vkey) {
    const args = ['witness', '--name', `witness.example/${name}`, '--log', vkey, '--listen', '127.0.0.1:0', '--state'];
    const program = new Program(this.beside('fairshoe-audit'), [...args, folder(name)]);
    const [, key, url] = await program.says(/^witness (\S+) at (\S+)$/m);
    return { program, line: `witness ${name} ${key} ${url}` };
  }

  /** The sample wallet on a database of its own, with money of these players; the token in the file is asked for. */
  async wallet(tokenFile, accounts) {
    const command = this.beside('fairshoe-wallet'), database = await postgres();
    for (const [player, amount] of Object.entries(accounts))
      execFileSync(command, ['account', '--database', database, player, '--add', String(amount)]);
    const port = await freePort();
    const start = async () => {
      const args = ['serve', '--database', database, '--listen', `127.0.0.1:${port}`, '--token-file', tokenFile];
      const program = new Program(command, args);
      await program.says(/answers at (\S+)/);
      return program;
    };
    return { url: `http://127.0.0.1:${port}`, start };
  }

  /** Three servers that keep the order of a shard's log; the options of a node. */
  async order() {
    const named = process.env.FAIRSHOE_NATS_SERVER;
    const command = [named, path.join(path.dirname(this.service), 'nats/bin/nats-server'), ...onPath('nats-server')]
      .find(one => one && fs.existsSync(one));
    if (!command) throw new NotHere('there is no nats-server (FAIRSHOE_NATS_SERVER names one)');
    const at = folder('order'), ports = [];
    for (let n = 0; n < 3; n++) ports.push([await freePort(), await freePort(), await freePort()]);
    const routes = ports.map(([, , route]) => `nats-route://127.0.0.1:${route}`).join(', ');
    for (const [n, [client, monitor, route]] of ports.entries()) {
      const file = path.join(at, `s${n}.conf`);
      fs.writeFileSync(file, [
        `server_name: s${n}`, `listen: 127.0.0.1:${client}`, `http: 127.0.0.1:${monitor}`, `server_tags: ["az:${n}"]`,
        'max_payload: 2MB',
        `jetstream { store_dir: "${path.join(at, `d${n}`)}", sync_interval: always, unique_tag: "az:" }`,
        `cluster { name: examples, no_advertise: true, listen: 127.0.0.1:${route}, routes: [${routes}] }`, '',
      ].join('\n'));
      await new Program(command, ['-c', file]).says(/Server is ready/);
    }
    const list = (scheme, which) => ports.map(one => `${scheme}://127.0.0.1:${one[which]}`).join(',');
    return ['--order', list('nats', 0), '--order-monitor', list('http', 1)];
  }
}

const onPath = name => (process.env.PATH || '').split(path.delimiter).map(one => path.join(one, name));

/** A PostgreSQL in a folder of its own; the address of its database. It refuses root, and is run as `postgres` then. */
async function postgres() {
  const installed = '/usr/lib/postgresql';
  const versions = fs.existsSync(installed) ? fs.readdirSync(installed).sort((a, b) => Number(b) - Number(a)) : [];
  const initdb = [...versions.map(one => path.join(installed, one, 'bin', 'initdb')), ...onPath('initdb')]
    .find(one => fs.existsSync(one));
  if (!initdb) throw new NotHere('there is no PostgreSQL (Debian\'s package `postgresql`)');
  const at = folder('postgres'), isRoot = process.getuid() === 0;
  if (isRoot) {
    if (spawnSync('chown', ['postgres:postgres', at]).status !== 0)
      throw new NotHere('there is no user `postgres` to run PostgreSQL as, and it refuses root');
    fs.chmodSync(root, 0o711);
  }
  const as = command =>
    isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--', command] : [command];
  const data = path.join(at, 'data'), port = await freePort();
  const [make, ...makeArgs] = as(initdb);
  execFileSync(make, [...makeArgs, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync',
    '--pgdata', data], { cwd: at, stdio: ['ignore', 'ignore', 'pipe'] });
  const [run, ...runArgs] = as(path.join(path.dirname(initdb), 'postgres'));
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap(one => ['-c', one]);
  const program = new Program(run, [...runArgs, '-D', data, '-p', String(port), ...settings]);
  await program.says(/ready to accept connections/);
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

module.exports = { NotHere, Programs, folder, freePort, until };

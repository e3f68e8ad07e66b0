// What the tests share: the built package, a running service on a free port with a folder of its own, and a proxy
// before it that loses, changes and cuts what it is told to.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const source = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
export const repository = path.join(source, '../../..');
export const folder = path.resolve(
  process.env.FAIRSHOE_CLIENT_FOLDER ?? path.join(repository, 'target/clients/typescript'),
);
export const built = path.join(folder, 'package');
export const fairshoe = await import(pathToFileURL(path.join(built, 'dist/index.js')).href);
export const { FileStore, StoreInUse } = await import(pathToFileURL(path.join(built, 'dist/node.js')).href);

/** The cases that both clients have. */
export const casesOf = name => JSON.parse(fs.readFileSync(path.join(source, `../cases/${name}.json`), 'utf8'));

/** The arguments of a call, given by name alone, as they stand in its path, its query and its body. */
export function argsOf(call, { proofs, ...given }) {
  const { path: template, method } = fairshoe.OPERATIONS[call];
  const [inPath, rest] = [true, false].map(is =>
    Object.fromEntries(Object.entries(given).filter(([name]) => template.includes(`{${name}}`) === is)),
  );
  if (method !== 'POST') return { ...inPath, query: rest };
  return { ...inPath, body: rest, ...(proofs ? { query: { proofs } } : {}) };
}

/** A module of the package that it does not export. */
export const internal = name => import(pathToFileURL(path.join(built, `dist/${name}.js`)).href);

export const vectors = name =>
  JSON.parse(fs.readFileSync(path.join(repository, 'spec/vectors', `${name}.json`), 'utf8'));

const BINARY = process.env.FAIRSHOE_BIN ?? path.join(repository, 'target/release/fairshoe');
/** Why a test that needs the service is skipped; or false. */
export const noService = fs.existsSync(BINARY) ? false : 'there is no program fairshoe (FAIRSHOE_BIN)';

export const sleep = ms =>
  new Promise(done => {
    setTimeout(done, ms);
  });
const folders = [];
/** A folder of its own, which is gone at the end. */
export function scratch() {
  folders.push(fs.mkdtempSync(path.join(os.tmpdir(), 'fairshoe-client-')));
  return folders.at(-1);
}

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
// A run that is cut short leaves no service behind.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(1));

/** A running service. */
export class Service {
  static async start(options = []) {
    const service = new Service();
    service.data = scratch();
    service.options = options;
    await service.#spawn(0);
    return service;
  }

  async #spawn(port) {
    const args = ['serve', '--data', this.data, '--listen', `127.0.0.1:${port}`, ...this.options];
    const child = spawn(BINARY, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    running.add(child);
    this.child = child;
    this.exited = new Promise(done => {
      child.on('exit', code => {
        running.delete(child);
        done(code);
      });
    });
    let said = '';
    child.stderr.setEncoding('utf8');
    this.url = await new Promise((done, failed) => {
      child.on('error', failed);
      child.on('exit', () => failed(new Error(`the service did not start:\n${said}`)));
      child.stderr.on('data', text => {
        said += text;
        const at = /fairshoe deals at (http:\/\/[0-9.:]+)/.exec(said);
        if (at) done(at[1]);
      });
    });
  }

  get port() {
    return Number(new URL(this.url).port);
  }
  get operatorToken() {
    return fs.readFileSync(path.join(this.data, 'operator.token'), 'utf8').trim();
  }
  get logKey() {
    return fs.readFileSync(path.join(this.data, 'log.vkey'), 'utf8').trim();
  }

  client(options = {}) {
    return new fairshoe.Client({ addresses: this.url, logKey: this.logKey, ...options });
  }

  /** A player with chips. */
  async player(name, amount = 1_000_000, options = {}) {
    const operator = this.client({ token: this.operatorToken });
    const { token } = await operator.createPlayer({ body: { player: name } });
    await operator.creditPlayer({ player: name, body: { amount } });
    return this.client({ token, player: name, ...options });
  }

  async restart() {
    const { port } = this;
    this.child.kill('SIGKILL');
    await this.exited;
    await this.#spawn(port);
  }

  /** Ends it and takes its folder away. */
  async end() {
    this.child.kill('SIGTERM');
    await this.exited;
    fs.rmSync(this.data, { recursive: true, force: true });
  }
}

/**
 * A proxy before a service. `lose(matches)` and `change(matches, changed)` are asked about each request:
 * `matches({method, url})`. What is lost reached the service.
 */
export class Proxy {
  static async before(target, port = 0) {
    const proxy = new Proxy();
    Object.assign(proxy, { target: new URL(target), rules: [], seen: [], streams: new Set() });
    proxy.server = http.createServer((asked, answer) => proxy.#pass(asked, answer));
    await new Promise(done => {
      proxy.server.listen(port, '127.0.0.1', done);
    });
    proxy.server.unref();
    proxy.url = `http://127.0.0.1:${proxy.server.address().port}`;
    return proxy;
  }

  /** The answer to such a request does not come back, so often. */
  lose(matches, times = 1) {
    this.rules.push({ matches, times, lose: true });
  }
  /** The text of such an answer is another. */
  change(matches, changed, times = Infinity) {
    this.rules.push({ matches, times, changed });
  }
  /** The body of such a request is another when it reaches the service. */
  misstate(matches, asked) {
    this.rules.push({ matches, times: Infinity, asked });
  }
  /** Such a request never reaches the service, and has this answer, once: `{status, body}`. */
  answer(matches, told) {
    this.rules.push({ matches, times: 1, told });
  }
  honest() {
    this.rules = [];
  }
  /** Cuts the streams that are open. */
  cut() {
    for (const stream of this.streams) stream.destroy();
  }
  requests(pattern) {
    return this.seen.filter(({ method, url }) => pattern.test(`${method} ${url}`));
  }

  #pass(asked, answer) {
    const { method } = asked,
      url = unasked(asked.url),
      chunks = [];
    asked.on('data', chunk => chunks.push(chunk));
    asked.on('end', () => {
      const misstated = this.rules.find(rule => rule.asked && rule.matches({ method, url }));
      const given = Buffer.concat(chunks),
        body = misstated ? Buffer.from(misstated.asked(given.toString())) : given;
      this.seen.push({ method, url, headers: asked.headers, body: body.toString() });
      const own = this.rules.find(rule => rule.told && rule.times > 0 && rule.matches({ method, url }));
      if (own) {
        own.times -= 1;
        answer.writeHead(own.told.status, { 'content-type': 'application/json' });
        answer.end(own.told.body);
        return;
      }
      const { 'accept-encoding': _, host: __, 'content-length': ___, ...headers } = asked.headers;
      if (body.length) headers['content-length'] = body.length;
      const { hostname, port } = this.target;
      const sent = http.request({ hostname, port, method, path: asked.url, headers, agent: false }, reply => {
        if (/event-stream/.test(reply.headers['content-type'])) {
          answer.writeHead(reply.statusCode, reply.headers);
          this.streams.add(answer.socket);
          reply.pipe(answer);
          answer.on('close', () => reply.destroy());
          return;
        }
        const parts = [];
        reply.on('data', part => parts.push(part));
        reply.on('end', () => this.#answer({ method, url }, reply, Buffer.concat(parts), answer));
      });
      sent.on('error', () => answer.destroy());
      sent.end(body);
    });
  }

  #answer(request, reply, bytes, answer) {
    let out = bytes;
    for (const rule of this.rules) {
      if (rule.asked || rule.told || rule.times <= 0 || !rule.matches(request)) continue;
      rule.times -= 1;
      if (rule.lose) {
        answer.destroy();
        return;
      }
      out = Buffer.from(rule.changed(out.toString()));
    }
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = reply.headers;
    answer.writeHead(reply.statusCode, { ...headers, 'content-length': out.length });
    answer.end(out);
  }

  async close() {
    this.cut();
    this.server.closeAllConnections();
    await new Promise(done => {
      this.server.close(done);
    });
  }
}

/** A service for the tests of a file and a proxy before it, which `given` gets before the first of them. */
export function behindProxy(given) {
  let service, proxy;
  before(async () => {
    if (noService) return;
    service = await Service.start(['--connections-per-address', '0']);
    proxy = await Proxy.before(service.url);
    given(service, proxy);
  });
  after(async () => {
    await proxy?.close();
    await service?.end();
  });
}

/** Requests such as these, for a rule of the proxy. */
export const to =
  pattern =>
  ({ method, url }) =>
    pattern.test(`${method} ${url}`);

/** Another text for an answer in JSON, whose value `changed` changes; of one in two lines what the second says. */
export const json = changed => text => {
  const lines = text.trimEnd().split('\n').map(line => JSON.parse(line)),
    value = lines.at(-1);
  changed(value.status && value.reply ? value.reply : value);
  return lines.map(line => JSON.stringify(line)).join('\n');
};

/** What became of a request, of an answer in one line or in two. */
export const replyIn = text => {
  const value = JSON.parse(text.trimEnd().split('\n').at(-1));
  return value.status && value.reply ? value.reply : value;
};

/** An address as if no note had been asked for: most tests do not care. */
const unasked = url => url.replace(/received=first&?/, '').replace(/[?&]$/, '');

/** A server that answers each request, `{method, url, headers, body}`, as `answers` says: `{status, headers, body}`. */
export async function fake(answers) {
  const seen = [];
  const server = http.createServer((asked, answer) => {
    const chunks = [];
    asked.on('data', chunk => chunks.push(chunk));
    asked.on('end', () => {
      const request = {
        method: asked.method,
        url: unasked(asked.url),
        asked: asked.url,
        headers: asked.headers,
        body: Buffer.concat(chunks).toString(),
      };
      seen.push(request);
      const told = answers(request, seen.length);
      if (told === null) {
        answer.destroy();
        return;
      }
      const { status = 200, headers = {}, body = {} } = told;
      const isProblem = status >= 400;
      answer.writeHead(status, {
        'content-type': isProblem ? 'application/problem+json' : 'application/json',
        ...headers,
      });
      answer.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });
  });
  await new Promise(done => {
    server.listen(0, '127.0.0.1', done);
  });
  // A test that failed leaves it open, and ends all the same.
  server.unref();
  return {
    seen,
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise(done => {
        server.close(done);
      });
    },
  };
}

export const problem = (status, code, more = {}) => ({
  status,
  body: { type: `urn:fairshoe:error:${code}`, title: code, status, detail: `because of ${code}`, code, ...more },
  headers: more.retry === undefined ? {} : { 'retry-after': String(more.retry) },
});

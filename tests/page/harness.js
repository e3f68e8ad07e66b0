// The service, the browser and the checks of every test: a real process on a free port with its own folder, Debian's
// Chromium, a proxy for each browser, and at the end no error on the console and no breach of the policy.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startProxy } from './proxy.js';

export const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.join(here, '../..');
export const slow = process.env.FAIRSHOE_SLOW !== undefined;
export const WEB = path.join(root, 'src/page/web');
const PACKAGES = process.env.FAIRSHOE_PAGE_PACKAGES ?? path.join(root, 'target/page-tests');
const fetched = createRequire(path.join(PACKAGES, 'package.json'));
const { chromium } = fetched('playwright-core');
export const AXE = fetched.resolve('axe-core/axe.min.js');
const BINARY = process.env.FAIRSHOE_BINARY ?? path.join(root, 'target/release/fairshoe');
export const AUDIT = process.env.FAIRSHOE_AUDIT ?? path.join(path.dirname(BINARY), 'fairshoe-audit');
/**
 * The page's source: the binary, or the folder in FAIRSHOE_PAGE_FILES (`src/page/web`), read again at each call: a
 * developer of the page can test it without a build.
 */
const FROM_DISK = process.env.FAIRSHOE_PAGE_FILES && path.resolve(process.env.FAIRSHOE_PAGE_FILES);

/** What takes milliseconds may take that long on a machine that builds beside the tests. */
const PATIENCE_MS = 60_000;

export const sleep = ms => new Promise(done => setTimeout(done, ms));

/** Waits until `found` returns a true value, and returns it. */
export async function until(found, what, patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await found();
    if (value) return value;
    if (Date.now() > end) {
      throw new Error(`not in ${patience} ms: ${typeof what === 'function' ? await what() : what}`);
    }
    await sleep(30);
  }
}

/** Fails with all findings, one on each line. */
export function assertNone(found, where) {
  if (found.length === 0) return;
  const lines = found.map(one => String(one).split('\n').slice(0, 3).join(' | ').slice(0, 400));
  assert.fail(`${found.length} ${where}:\n  ${lines.join('\n  ')}`);
}

const running = new Set();
process.on('exit', () => { for (const child of running) child.kill('SIGKILL'); });
// An interrupted run leaves no service behind.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(1));

/** A running service. */
export class Service {
  static async start({ data, options = [], port = 0 } = {}) {
    const service = new Service();
    service.data = data ?? fs.mkdtempSync(path.join(os.tmpdir(), 'fairshoe-page-'));
    service.options = options;
    await service.#spawn(port);
    return service;
  }

  async #spawn(port) {
    const listen = `127.0.0.1:${port}`;
    const args = ['serve', '--data', this.data, '--listen', listen, '--log-format', 'json', ...this.options];
    const child = spawn(BINARY, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    running.add(child);
    this.child = child;
    this.said = '';
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', text => { this.said += text; });
    this.exited = new Promise(done => child.on('exit', code => { running.delete(child); done(code); }));
    child.on('error', error => { this.said += String(error); });
    const line = await until(() => {
      const gone = child.exitCode !== null || child.pid === undefined;
      if (gone) throw new Error(`the service did not start:\n${this.said}`);
      return /fairshoe deals at (http:\/\/\S+)/.exec(this.said);
    }, () => `a service that listens:\n${this.said}`, 60_000);
    this.url = line[1].replace(/\/$/, '');
  }

  get port() { return Number(new URL(this.url).port); }

  /** Kills it with kill -9. */
  async kill() {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** Starts it again on the same folder and port. */
  async again() { await this.#spawn(this.port); }

  /** Stops it gracefully. */
  async stop() {
    this.child.kill('SIGTERM');
    return this.exited;
  }

  /** Ends it and removes its folder. */
  async end() {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.kill();
    fs.rmSync(this.data, { recursive: true, force: true });
  }

  get operatorToken() { return fs.readFileSync(path.join(this.data, 'operator.token'), 'utf8').trim(); }

  /** A call with this token; returns `{status, body}`. */
  async call(at, { token, body, method, key } = {}) {
    const headers = {};
    if (token) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (key) headers['idempotency-key'] = key;
    const reply = await fetch(this.url + at, {
      method: method ?? (body === undefined ? 'GET' : 'POST'), headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await reply.text();
    const json = /json/.test(reply.headers.get('content-type') ?? '');
    return { status: reply.status, body: json ? JSON.parse(text) : text };
  }

  async must(at, options) {
    const { status, body } = await this.call(at, options);
    assert.ok(status < 300, `${at}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  operator(at, body, key) { return this.must(at, { token: this.operatorToken, body, key }); }

  /** A table of the operator's. Rounds follow each other at once: a test has no time to look at how one ended. */
  openTable({ options, ...body }) {
    const unhurried = { between_hands_ms: null, away_ms: null };
    return this.operator('/v1/tables', { ...body, options: { ...unhurried, ...options } });
  }

  /** The open tables, with their rule sets. */
  async tables() { return (await this.must('/v1/tables')).tables; }
}

let opened;
/** The browser of this test file. */
export async function browser() {
  opened ??= chromium.launch(launching());
  return opened;
}

/** Chromium's options: without its sandbox for root, as Chromium requires. */
export function launching(more = []) {
  return {
    executablePath: process.env.FAIRSHOE_CHROMIUM ?? '/usr/bin/chromium',
    args: [...(process.getuid() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage', '--disable-gpu', ...more],
  };
}
export const launch = () => chromium.launchServer(launching());
export const connect = server => chromium.connect(server.wsEndpoint());

/** Visits that the test has not closed. */
const visits = new Set();

/**
 * At the end of a file: closes the browser, and the proxies and services of a failed test, which would keep the run
 * alive.
 */
export async function closeBrowser() {
  for (const close of visits) await close().catch(() => {});
  if (opened) await (await opened).close();
  opened = undefined;
  for (const child of running) child.kill('SIGKILL');
}

/** A service for all tests of a file. It and the browser end with them. */
export async function served(options = ['--connections-per-address', '0']) {
  const service = await Service.start({ options });
  after(async () => {
    await closeBrowser();
    await service.end();
  });
  return service;
}

/**
 * A browser context behind its own proxy. `trouble` lists all its errors: uncaught ones, errors on the console,
 * breaches of the policy. Without `signs` the player has no key. `checked()` at the end of a test closes it and asserts
 * that `trouble` has only what `allowed` matches.
 */
export async function visit(service, {
  from, width = 1280, height = 900, scheme = 'light', locale = 'en-GB', proxy, touch = false, motion = 'reduce',
  javascript = true, signs = true,
} = {}) {
  const through = proxy ?? await startProxy({ service: service.url, files: FROM_DISK });
  const context = await (from ?? await browser()).newContext({
    baseURL: through.url, viewport: { width, height }, colorScheme: scheme, locale, hasTouch: touch,
    reducedMotion: motion, javaScriptEnabled: javascript, acceptDownloads: true,
  });
  const trouble = [];
  await context.exposeBinding('fairshoeBreach', (source, what) => { trouble.push(`policy: ${what}`); });
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', event => {
      window.fairshoeBreach(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  // Simulates a browser without Ed25519: a script of the page cannot reach its worker.
  if (!signs) await context.route('**/proof-worker.js', async route => {
    const response = await route.fetch();
    const body = (await response.text()).replace('onKey, retry', 'onKey, signer: null, retry');
    assert.match(body, /signer: null/);
    await route.fulfill({ response, body });
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('pageerror', error => trouble.push(`uncaught: ${error.stack ?? error}`));
  page.on('console', message => {
    // The page handles a failed call, but Chromium still prints it on the console.
    if (message.type() !== 'error' || /^Failed to load resource/.test(message.text())) return;
    trouble.push(`console: ${message.text()}`);
  });
  page.on('request', request => {
    if (!request.url().startsWith(through.url) && !/^(data|blob):/.test(request.url())) {
      trouble.push(`a request to somebody else: ${request.url()}`);
    }
    if (/token|bearer|[0-9a-f]{64}/i.test(new URL(request.url()).search)) trouble.push(`a secret in ${request.url()}`);
  });
  const close = async () => {
    visits.delete(close);
    await context.close();
    if (!proxy) await through.close();
  };
  visits.add(close);
  const checked = async allowed => {
    await close();
    const left = trouble.filter(one => !allowed?.test(one));
    assertNone(left, 'in the page');
  };
  return { page, context, proxy: through, trouble, close, checked };
}

/** Every descendant of this process, and itself. */
export function family(pid) {
  const all = fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(name => {
    try {
      const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(fs.readFileSync(`/proc/${name}/stat`, 'utf8'));
      return [[Number(name), Number(parent)]];
    } catch { return []; }
  });
  const found = [pid];
  for (let at = 0; at < found.length; at += 1) {
    for (const [child, parent] of all) if (parent === found[at]) found.push(child);
  }
  return found;
}

/**
 * Which of the texts are in the memory of these processes, as bytes or as UTF-16, or, for hexadecimal digits, as their
 * bytes: in a browser's heaps, including uncollected strings.
 */
export function inMemory(pids, texts) {
  const needles = texts.flatMap(text => {
    const forms = [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')];
    if (/^([0-9a-f]{2}){12,}$/.test(text)) forms.push(Buffer.from(text, 'hex'));
    return forms.map(bytes => [text, bytes]);
  });
  const found = new Set();
  let looked = 0;
  for (const pid of pids) {
    let maps, memory;
    try {
      maps = fs.readFileSync(`/proc/${pid}/maps`, 'utf8');
      memory = fs.openSync(`/proc/${pid}/mem`, 'r');
    } catch { continue; }
    for (const line of maps.split('\n')) {
      const [, from, to, flags, file] = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)$/.exec(line) ?? [];
      // Files mapped for reading are programs and fonts.
      if (!from || flags[0] !== 'r' || (flags[1] !== 'w' && file) || /^\[v/.test(file)) continue;
      const [begin, end] = [parseInt(from, 16), parseInt(to, 16)];
      const step = 16 << 20;
      for (let at = begin; at < end; at += step) {
        const chunk = Buffer.alloc(Math.min(step + 256, end - at));
        let read = 0;
        try { read = fs.readSync(memory, chunk, 0, chunk.length, at); } catch { continue; }
        looked += read;
        const bytes = chunk.subarray(0, read);
        for (const [text, needle] of needles) if (!found.has(text) && bytes.includes(needle)) found.add(text);
      }
    }
    fs.closeSync(memory);
  }
  return { found, looked };
}

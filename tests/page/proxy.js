#!/usr/bin/env node
// A proxy between a browser and the service, for developing and testing the page: it serves the page's files from disk
// with the headers of spec/page.md, passes everything else on, including streams, and lies, delays or disconnects on
// request. `node tests/page/proxy.js --help` says how.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { LIES, Lie, keepOwn } from './lies.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const VERIFIER = path.join(here, '../../tools/verifier/fairshoe-verify.js');
export const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
  + "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
};
const TYPES = {
  html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml', json: 'application/json', png: 'image/png', webp: 'image/webp', ico: 'image/x-icon',
};
const NAME = '[a-z0-9_-][a-z0-9._-]{0,63}';
const ROOMS = new RegExp(`^/(play/${NAME}|tournament/${NAME}|round/${NAME}:(0|[1-9][0-9]{0,19})|log|docs)?$`);
const REFUSALS = {
  busy: { status: 503, code: 'unavailable', detail: 'Too much is under way.' },
  limited: { status: 429, code: 'rate_limited', detail: 'Too much is under way.' },
  elsewhere: { status: 421, code: 'not_leader', detail: 'Another node leads.' },
};
/** An address as if no note had been asked for: what is matched and recorded. */
const unasked = url => url.replace(/received=first&?/, '').replace(/[?&]$/, '');
const sleep = ms => new Promise(done => setTimeout(done, ms));

/** The page's files in the service's form, read again at each call, so that changes are visible at once. */
class Files {
  constructor(folder) { this.folder = folder; }

  read(name) {
    if (!/^[a-z0-9][a-z0-9.-]*$/.test(name)) return undefined;
    const file = name === 'fairshoe-verify.js' ? VERIFIER : path.join(this.folder, name);
    return fs.existsSync(file) ? fs.readFileSync(file) : undefined;
  }

  /** The digest of all files together: the version in the page's file addresses. */
  version() {
    const all = createHash('sha256');
    for (const name of [...fs.readdirSync(this.folder).sort(), 'fairshoe-verify.js']) {
      const bytes = this.read(name);
      if (bytes) all.update(`${name} ${bytes.length}\n`).update(bytes);
    }
    return all.digest('hex').slice(0, 16);
  }

  /** The page's `index.html`, with its files named under that version. */
  index() {
    const html = fs.readFileSync(path.join(this.folder, 'index.html'), 'utf8');
    return html.replaceAll('"/page/', `"/page/${this.version()}/`);
  }

  /** Answers a request for a file of the page; false if it is for another path. */
  answer(request, response) {
    const { pathname } = new URL(request.url, 'http://page');
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const room = ROOMS.test(pathname);
    // Another version means that files changed since: the present ones are served.
    const [, version, name] = /^\/page\/([0-9a-f]{16})\/(.*)$/.exec(pathname) ?? [];
    if (!room && name === undefined) {
      if (!/^\/(play|tournament|round|page)\//.test(pathname)) return false;
      response.writeHead(404, { ...HEADERS, 'content-type': 'text/plain' }).end('not found');
      return true;
    }
    const bytes = room ? Buffer.from(this.index()) : this.read(name);
    if (!bytes) {
      response.writeHead(404, { ...HEADERS, 'content-type': 'text/plain' }).end('not found');
      return true;
    }
    const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
    const type = TYPES[room ? 'html' : name.split('.').pop()] ?? 'application/octet-stream';
    const head = { ...HEADERS, etag };
    if (!room && version === this.version()) head['cache-control'] = 'public, max-age=31536000, immutable';
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, head).end();
      return true;
    }
    const packed = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    const body = packed ? gzipSync(bytes) : bytes;
    if (packed) head['content-encoding'] = 'gzip';
    response.writeHead(200, { ...head, 'content-type': type, 'content-length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
    return true;
  }
}

/** Converts a frame of an event stream to a message, and back. */
function parseFrame(text, at) {
  const message = { path: at, lines: [] };
  for (const line of text.split('\n')) {
    const [, field, value] = /^(event|id|data): ?(.*)$/.exec(line) ?? [];
    if (field) message[field] = value;
    else message.lines.push(line);
  }
  if (message.data !== undefined) {
    try { message.json = JSON.parse(message.data); } catch { /* A frame that is no JSON is passed on as it is. */ }
  }
  return message;
}
function frameText(message) {
  const parts = message.lines.filter(line => line !== '');
  for (const field of ['id', 'event', 'data']) {
    if (message[field] !== undefined) parts.push(`${field}: ${message[field]}`);
  }
  return `${parts.join('\n')}\n\n`;
}

/** The proxy: `url`, and its effects on its clients. */
export class Proxy {
  constructor({ service, files }) {
    this.service = service;
    this.files = files ? new Files(files) : undefined;
    this.lies = [];
    this.faults = [];
    this.streams = new Set();
    this.sockets = new Set();
    /** The traffic while `recording`: `{method, path, authorization, asked, status, answered}`. */
    this.traffic = [];
    /** The addresses of all that was asked, whole. */
    this.asked = [];
    this.recording = false;
    /** Own cards that were passed on, by round. */
    this.own = new Map();
    this.slow = undefined;
    /** `{match, until}`: what is told under these addresses, by streams too, is told when the promise is kept. */
    this.held = undefined;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  }

  async listen(port = 0) {
    this.server = http.createServer((request, response) => this.#serve(request, response).catch(error => {
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' });
      response.end(String(error));
    }));
    this.server.on('connection', socket => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    await new Promise(done => this.server.listen(port, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  async close() {
    for (const socket of this.sockets) socket.destroy();
    this.agent.destroy();
    await new Promise(done => this.server.close(done));
  }

  /** From now on the lie is told whenever possible. Returns it: `what` fills with its changes. */
  lie(kind, options) {
    const lie = new Lie(kind, options);
    this.lies.push(lie);
    return lie;
  }

  /**
   * From now on a fault happens to the next `times` requests that `match`: `busy` (503, `Retry-After`), `limited`
   * (429), `elsewhere` (421, with a `leader`), `lost` (carried out, the reply dropped), `refused` (the connection
   * closed unread), `half` (the reply cut off), `late` (passed on when the promise `until` is kept).
   */
  fault(kind, { match = /^\/v1\//, method, times = 1, retryAfter = 1, leader, until } = {}) {
    const fault = { kind, match, method, left: times, retryAfter, leader, until, happened: [] };
    this.faults.push(fault);
    return fault;
  }

  /** Ends all lies, faults and delays. */
  honest() {
    this.lies = [];
    this.faults = [];
    this.slow = undefined;
  }

  /** Cuts every open stream, like a broken connection. */
  cut() {
    const count = this.streams.size;
    for (const socket of this.streams) socket.destroy();
    this.streams.clear();
    return count;
  }

  #fault(request) {
    const fault = this.faults.find(one => one.left > 0 && one.match.test(unasked(request.url))
      && (!one.method || one.method === request.method));
    if (!fault) return undefined;
    fault.left -= 1;
    fault.happened.push(`${request.method} ${request.url}`);
    return fault;
  }

  async #serve(request, response) {
    if (this.slow?.latency) await sleep(this.slow.latency);
    // Made as the service is built: it is not in the folder.
    if (this.files && /^\/page\/[0-9a-f]{16}\/legend\.json$/.test(request.url)) {
      const [version] = /\/page\/[0-9a-f]{16}/.exec(await (await fetch(`${this.service}/`)).text());
      request.url = `${version}/legend.json`;
    } else if (this.files && this.files.answer(request, response)) return;
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    let asked = Buffer.concat(chunks);
    const fault = this.#fault(request);
    await fault?.until;
    if (fault?.kind === 'refused') { request.socket.destroy(); return; }
    const refusal = REFUSALS[fault?.kind];
    if (refusal) {
      const { leader, retryAfter } = fault;
      const body = JSON.stringify({ type: 'about:blank', title: refusal.code, ...refusal, leader });
      const head = { 'content-type': 'application/problem+json', 'retry-after': String(retryAfter) };
      response.writeHead(refusal.status, head).end(body);
      return;
    }
    if (this.lies.length > 0 && asked.length > 0) {
      try {
        const message = { method: request.method, path: unasked(request.url), json: JSON.parse(asked) };
        for (const lie of this.lies) if (lie.ask(message)) asked = Buffer.from(JSON.stringify(message.json));
      } catch (error) { if (!(error instanceof SyntaxError)) throw error; }
    }
    await this.#pass(request, response, asked, fault);
  }

  #pass(request, response, asked, fault) {
    // Packed data is unpacked here for reading and changing, and packed again; a stream is not.
    const takes = request.headers['accept-encoding'] ?? '';
    const packs = /\bgzip\b/.test(takes) && !/event-stream/.test(request.headers.accept ?? '');
    const headers = {
      ...request.headers, host: new URL(this.service).host, 'accept-encoding': packs ? 'gzip' : 'identity',
    };
    delete headers['transfer-encoding'];
    if (asked.length > 0) headers['content-length'] = String(asked.length);
    return new Promise((done, failed) => {
      const onward = http.request(new URL(request.url, this.service),
        { method: request.method, headers, agent: this.agent });
      onward.on('error', error => {
        // The service is missing or went away: the browser gets a broken connection.
        response.destroy(error);
        done();
      });
      response.on('close', () => onward.destroy());
      onward.on('response', answer => {
        const streamed = /text\/event-stream/.test(answer.headers['content-type'] ?? '');
        if (streamed) this.#stream(request, response, answer).then(done, failed);
        else this.#whole(request, response, answer, asked, fault).then(done, failed);
      });
      onward.end(asked.length > 0 ? asked : undefined);
    });
  }

  #record(request, asked, status, answered) {
    if (!this.recording) return;
    this.asked.push(request.url);
    this.traffic.push({
      method: request.method, path: unasked(request.url), authorization: request.headers.authorization,
      asked: asked?.toString(), status, answered: answered.toString(),
    });
  }

  async #whole(request, response, answer, asked, fault) {
    const chunks = [];
    for await (const chunk of answer) chunks.push(chunk);
    const packed = answer.headers['content-encoding'] === 'gzip' && request.method !== 'HEAD';
    let body = packed ? gunzipSync(Buffer.concat(chunks)) : Buffer.concat(chunks);
    if (fault?.kind === 'lost') { request.socket.destroy(); return; }
    const type = answer.headers['content-type'] ?? '';
    const message = { method: request.method, path: unasked(request.url), status: answer.statusCode };
    let changed = false;
    if (/json/.test(type)) {
      // A reply of several lines (`received=first`) is changed line by line.
      const lines = body.toString().split('\n').map(line => {
        let said;
        try { said = JSON.parse(line); } catch { return line; }
        const isSecond = said?.status !== undefined && said.reply !== undefined;
        message.json = isSecond ? said.reply : said;
        keepOwn(message, this.own);
        const told = this.lies.filter(lie => lie.answer(message)).length > 0;
        changed ||= told;
        return told ? JSON.stringify(isSecond ? { ...said, reply: message.json } : message.json) : line;
      });
      if (changed) body = Buffer.from(lines.join('\n'));
    } else if (/^text\/plain/.test(type)) {
      message.text = body.toString();
      changed = this.lies.filter(lie => lie.answer(message)).length > 0;
      if (changed) body = Buffer.from(message.text);
    }
    this.#record(request, asked, answer.statusCode, body);
    if (packed) body = gzipSync(body);
    const headers = { ...answer.headers };
    delete headers['transfer-encoding'];
    delete headers.connection;
    headers['content-length'] = String(body.length);
    response.writeHead(answer.statusCode, headers);
    if (request.method === 'HEAD') { response.end(); return; }
    if (fault?.kind === 'half') {
      response.write(body.subarray(0, body.length >> 1), () => request.socket.destroy());
      return;
    }
    await this.#write(request, response, body);
    response.end();
  }

  /** Writes at the set speed. */
  async #write(request, response, body) {
    if (this.held?.match.test(request.url)) await this.held.until;
    const bytes = this.slow?.bytesPerSecond;
    if (!bytes) { response.write(body); return; }
    const step = Math.max(1, Math.floor(bytes / 20));
    for (let at = 0; at < body.length; at += step) {
      response.write(body.subarray(at, at + step));
      await sleep(50);
    }
  }

  async #stream(request, response, answer) {
    const headers = { ...answer.headers };
    delete headers['transfer-encoding'];
    delete headers.connection;
    response.writeHead(answer.statusCode, headers);
    response.flushHeaders();
    this.streams.add(request.socket);
    const gone = () => this.streams.delete(request.socket);
    response.on('close', gone);
    let rest = '';
    answer.setEncoding('utf8');
    try {
      for await (const chunk of answer) {
        rest += chunk;
        for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
          const frame = rest.slice(0, end);
          rest = rest.slice(end + 2);
          const message = parseFrame(frame, request.url);
          keepOwn(message, this.own);
          let text = `${frame}\n\n`;
          for (const lie of this.lies) {
            const before = message.data;
            if (!lie.answer(message)) continue;
            if (message.data === before && message.json) message.data = JSON.stringify(message.json);
            text = frameText(message);
          }
          if (message.drop) continue;
          this.#record(request, undefined, answer.statusCode, text);
          await this.#write(request, response, Buffer.from(text));
        }
      }
      response.end();
    } catch {
      // The stream broke on the service's side: it breaks on this side too.
      response.destroy();
    }
    gone();
  }
}

export const startProxy = async options => new Proxy(options).listen(options.port);

const HELP = `node tests/page/proxy.js [--service URL] [--port N] [--files FOLDER]
     [--lie KIND[:after=N][:times=N][:match=PATH]] [--slow LATENCY_MS[:BYTES_PER_S]]
     [--break busy|limited|lost|refused|half[:times=N][:match=PATH] | cut:SECONDS]

Serves the page's files from FOLDER (tests: src/page/web) and passes the rest to the service. What can be lied about:
${Object.keys(LIES).join(', ')}.
The lie begins with the first chance after so many; on the terminal stands what was changed.`;

/** An argument's parts: `kind:name=value:…`. */
function partsOf(argument) {
  const [kind, ...rest] = argument.split(':');
  const options = Object.fromEntries(rest.map(part => part.split('=')));
  if (options.match) options.match = new RegExp(options.match);
  for (const name of ['after', 'times', 'retryAfter']) if (options[name]) options[name] = Number(options[name]);
  return [kind, options, rest];
}

async function main(args) {
  const options = { service: 'http://127.0.0.1:8080', port: 8090 };
  const told = [];
  for (let at = 0; at < args.length; at += 2) {
    const [name, value] = [args[at].replace(/^--/, ''), args[at + 1]];
    if (!['service', 'port', 'files', 'lie', 'slow', 'break'].includes(name) || value === undefined) {
      console.error(HELP);
      process.exit(args[at] === '--help' ? 0 : 2);
    }
    if (['lie', 'slow', 'break'].includes(name)) told.push([name, value]);
    else options[name] = name === 'port' ? Number(value) : value;
  }
  const proxy = await startProxy(options);
  for (const [name, value] of told) {
    const [kind, how, rest] = partsOf(value);
    if (name === 'lie') {
      const lie = proxy.lie(kind, how);
      const push = lie.what.push.bind(lie.what);
      lie.what.push = what => { console.log(`lied (${kind}): ${what}`); return push(what); };
    } else if (name === 'slow') proxy.slow = { latency: Number(kind), bytesPerSecond: Number(rest[0] ?? 0) };
    else if (kind === 'cut') setInterval(() => console.log(`cut ${proxy.cut()} streams`), Number(rest[0] ?? 10) * 1000);
    else proxy.fault(kind, { times: Infinity, ...how });
  }
  console.log(`${proxy.url} -> ${options.service}${options.files ? `, the page from ${options.files}` : ''}`);
}

const started = process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (started) await main(process.argv.slice(2));

// Asks a service as its clients do, holds each reply against the contract, and keeps those that become examples.
'use strict';
const http = require('http');

/** A token as examples show it: real ones are nobody's to read. */
const SHOWN_TOKEN = '5f2c1b0e8d7a69543210fedcba98765400112233445566778899aabbccddeeff';
/** The same of a ticket. */
const SHOWN_TICKET = '9d3f1c0b7e5a48269f10c2d3e4b5a69788796a5b4c3d2e1f00112233445566ff';

// The service signs for so many refusals of one sender in a second, and says no more then (`refused` of `Problem`).
const REFUSALS_A_SECOND = 15;

/** The path of a call with its values; names, rounds and tiles need no escapes. */
const pathOf = (call, values) => call.at.replace(/\{(\w+)\}/g, (_, name) => values[name]);

class Unexpected extends Error {}

/** One request; the reply with its body as text. */
function send(url, method, headers, body) {
  return new Promise((done, failed) => {
    const request = http.request(url, { method, headers, agent: false, timeout: 60_000 }, reply => {
      const pieces = [];
      reply.on('data', piece => pieces.push(piece));
      reply.on('error', failed);
      reply.on('end', () => done({
        status: reply.statusCode,
        type: (reply.headers['content-type'] || '').split(';')[0],
        headers: reply.headers,
        bytes: Buffer.concat(pieces),
      }));
    });
    request.on('timeout', () => request.destroy(new Error(`${method} ${url}: no reply within a minute`)));
    request.on('error', failed);
    request.end(body);
  });
}

/** What was recorded: examples by name, problems by code; and where the service answered what the contract has not. */
class Recorder {
  constructor(contract) {
    this.contract = contract;
    this.examples = new Map();
    this.problems = new Map();
    this.asked = new Set();
    this.breaches = new Set();
  }

  /** Keeps an example; one of the same name before it was of an attempt that did not come to what it is to show. */
  keep(name, value, summary) {
    this.examples.set(name, summary === undefined ? { value } : { summary, value });
  }
}

/** Somebody who asks a service: the operator, a player, an auditor, or anyone. */
class Client {
  constructor(recorder, url, token = null, name = null) {
    Object.assign(this, { recorder, url, token, name, refusals: [] });
  }

  /**
   * A call by its name in the contract. `path` holds the values of its path, the options what else belongs to it:
   * `as` the name of the examples that the request and the reply become; `request` and `reply` where they differ;
   * `summary` of these; `shown` what of the reply's body is shown. With `raw` the reply's bytes are given back. A reply
   * of 400 and above is an error, unless `anyStatus` lets it be one, or `code` says which is expected: then it becomes
   * the example of that code.
   */
  async ask(id, path = {}, options = {}) {
    const { query = {}, body, headers = {}, key, as, request = as, reply = as, summary, code } = options;
    const { shown = one => one, raw = false, anyStatus = false } = options;
    const { recorder } = this, call = recorder.contract.calls.get(id);
    if (!call) throw new Error(`the contract has no call ${id}`);
    recorder.asked.add(id);
    const at = pathOf(call, path);
    const asked = new URLSearchParams(query).toString();
    const sent = { ...headers };
    if (this.token) sent.authorization = `Bearer ${this.token}`;
    if (key) sent['idempotency-key'] = key;
    if (body !== undefined) sent['content-type'] ??= 'application/json';
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    if (code) await this.#pace();
    const got = await send(`${this.url}${at}${asked && `?${asked}`}`, call.method, sent, text);
    got.text = got.bytes.toString('utf8');
    got.body = /^application\/(problem\+)?json$/.test(got.type) && got.text !== '' ? JSON.parse(got.text) : got.text;
    const breach = recorder.contract.breach(call, got);
    if (breach) recorder.breaches.add(`${id} ${breach}`);
    if (code) return this.#refused(id, got, code);
    if (got.status >= 400 && !anyStatus) throw new Unexpected(`${id} ${at}: ${got.status} ${got.text}`);
    if (request && body !== undefined) recorder.keep(`${id}.request.${request}`, hidden(body), summary);
    if (reply) recorder.keep(`${id}.${got.status}.${reply}`, hidden(shown(got.body)), summary);
    return raw ? got.bytes : got.body;
  }

  /** The example of a code. */
  #refused(id, got, code) {
    if (got.body.code !== code) throw new Unexpected(`${id}: ${code} was expected, and not ${got.status} ${got.text}`);
    this.recorder.problems.set(code, got.body);
    return got.body;
  }

  /** Waits where so many refusals came within a second that the next would come without its note. */
  async #pace() {
    this.refusals = this.refusals.filter(at => at > Date.now() - 1100);
    if (this.refusals.length >= REFUSALS_A_SECOND) await new Promise(done => setTimeout(done, 1100));
    this.refusals.push(Date.now());
  }

  /** The beginning of a stream: so many events behind the entry with this index, and behind all that is of it. */
  stream(id, path, { after, events, reply }) {
    const { recorder } = this, call = recorder.contract.calls.get(id);
    recorder.asked.add(id);
    const at = pathOf(call, path);
    return new Promise((done, failed) => {
      const headers = { 'last-event-id': `${after}.2` };
      const request = http.get(`${this.url}${at}`, { headers, agent: false }, got => {
        const type = got.headers['content-type'].split(';')[0];
        const breach = recorder.contract.breach(call, { status: got.statusCode, type, headers: got.headers });
        if (breach) recorder.breaches.add(`${id} ${breach}`);
        let text = '';
        got.setEncoding('utf8').on('data', piece => {
          text += piece;
          // The comment at its beginning, then the events, each ended by an empty line.
          const parts = text.split('\n\n');
          if (parts.length <= events + 1) return;
          request.destroy();
          recorder.keep(`${id}.200.${reply}`, `${parts.slice(0, events + 1).join('\n\n')}\n\n`);
          done();
        });
      });
      request.on('error', error => (error.code === 'ECONNRESET' ? null : failed(error)));
    });
  }
}

const SHOWN = { token: SHOWN_TOKEN, ticket: SHOWN_TICKET, link: `/#ticket=${SHOWN_TICKET}` };

/** The same body with a token, and a ticket, that is none. */
function hidden(body) {
  if (body === null || typeof body !== 'object' || !['token', 'ticket'].some(name => name in body)) return body;
  const shown = Object.entries(SHOWN).filter(([name]) => typeof body[name] === 'string');
  return { ...body, ...Object.fromEntries(shown) };
}

/** A service with the clients who ask it. */
class Stage {
  constructor(recorder, service) {
    Object.assign(this, service, { recorder });
    this.operator = this.client(service.operatorToken, 'operator');
    this.anyone = this.client();
  }

  client(token = null, name = null) {
    return new Client(this.recorder, this.url, token, name);
  }

  /** A new player with chips; the options of their creation and of the credit may name examples. */
  async player(name, chips = 0, create = {}, credit = {}) {
    const { token } = await this.operator.ask('createPlayer', {}, { body: { player: name }, ...create });
    if (chips)
      await this.operator.ask('creditPlayer', { player: name },
        { body: { amount: chips }, key: `credit-${name}`, ...credit });
    return this.client(token, name);
  }
}

module.exports = { Client, Recorder, Stage, Unexpected, send };

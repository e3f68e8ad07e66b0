// A wallet in memory, by spec/wallet.yaml: the table of each call's result, permanent names, a statement. It can be
// told to be silent, slow, or to refuse the next calls; after each call it checks that no money was made.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { sleep } from './harness.js';

const TOKEN = 'a-token-for-the-tests-alone';
const KINDS = { reserve: 'deposit', commit: 'deposit', cancel: 'deposit', pay: 'withdrawal' };
/** By call and state: the state afterwards. A missing pair is not allowed in that state. */
const TABLE = {
  reserve: { reserved: 'reserved', committed: 'committed', cancelled: 'cancelled', refused: 'refused' },
  commit: { reserved: 'committed', committed: 'committed' },
  cancel: { reserved: 'cancelled', cancelled: 'cancelled', refused: 'refused' },
  pay: { paid: 'paid', refused: 'refused' },
};

const problem = (status, code, detail) => (
  { status, body: { type: `urn:fairshoe:error:${code}`, status, code, detail } });

export class Wallet {
  constructor() {
    /** Each player's spendable money. */
    this.accounts = new Map();
    this.operations = new Map();
    /** Accepts each call and answers none. */
    this.silent = false;
    /** Milliseconds between storing and answering. */
    this.latency = 0;
    /** Reasons for refusing the next new operations; null: without one. */
    this.refusals = [];
    /** Calls in order of arrival: `reserve 0`. */
    this.calls = [];
  }

  static async start() {
    const wallet = new Wallet();
    wallet.server = http.createServer((request, response) => wallet.#serve(request, response));
    await new Promise(done => wallet.server.listen(0, '127.0.0.1', done));
    wallet.url = `http://127.0.0.1:${wallet.server.address().port}`;
    wallet.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fairshoe-wallet-'));
    wallet.tokenFile = path.join(wallet.folder, 'wallet.token');
    fs.writeFileSync(wallet.tokenFile, TOKEN, { mode: 0o600 });
    return wallet;
  }

  /** The service's options for this wallet. */
  options(style) { return ['--wallet', this.url, '--wallet-token', this.tokenFile, '--wallet-style', style]; }

  async end() {
    this.server.closeAllConnections();
    await new Promise(done => this.server.close(done));
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  open(player, amount) {
    assert.ok(!this.accounts.has(player), `${player} has an account`);
    this.accounts.set(player, { opened: amount, has: amount });
  }

  has(player) { return this.accounts.get(player).has; }

  /** A player's operations, by number. */
  of(player) { return [...this.operations.values()].filter(one => one.player === player).sort((a, b) => a.no - b.no); }

  sum(player, ...states) {
    return this.of(player).filter(one => states.includes(one.state)).reduce((sum, one) => sum + one.amount, 0);
  }

  /** A player's money is the initial amount, minus held and handed-over money, plus returned money. */
  #addsUp(player) {
    const account = this.accounts.get(player);
    if (!account) return;
    const left = account.opened - this.sum(player, 'reserved', 'committed') + this.sum(player, 'paid');
    assert.equal(account.has, left, `what ${player} has at the wallet`);
    assert.ok(account.has >= 0, `${player} has ${account.has}`);
  }

  async #serve(request, response) {
    try {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const { pathname, searchParams } = new URL(request.url, this.url);
      const call = /^\/v1\/(reserve|commit|cancel|pay)$/.exec(pathname)?.[1];
      if (call) this.calls.push(`${call} ${JSON.parse(Buffer.concat(chunks)).no}`);
      if (call && this.silent) { request.socket.destroy(); return; }
      const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
      const { status, body } = !isKnown ? problem(401, 'unauthorized', 'another token')
        : call && request.method === 'POST' ? this.#call(call, JSON.parse(Buffer.concat(chunks)))
          : pathname === '/v1/statement' ? this.#statement(searchParams) : problem(404, 'not_found', pathname);
      if (call && this.latency) await sleep(this.latency);
      const type = status === 200 ? 'application/json' : 'application/problem+json';
      response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
    } catch (error) {
      // Its own rules are broken, or the test's: the test that checks `broken` then fails.
      this.broken ??= error;
      request.socket.destroy();
    }
  }

  #call(call, { log, no, player, amount }) {
    const name = `${log} ${no}`;
    const known = this.operations.get(name);
    const kind = KINDS[call];
    if (known && (known.player !== player || known.amount !== amount || known.kind !== kind)) {
      return problem(409, 'other_operation', `operation ${no} of this log is another`);
    }
    const operation = known ?? { log, no, kind, player, amount };
    const { state = this.#begin(call, operation), ...rest } = operation;
    const next = known ? TABLE[call][state] : state;
    if (next === undefined) return problem(409, 'out_of_order', `no ${call} follows on operation ${no}`);
    // Released money is the player's again.
    if (state === 'reserved' && next === 'cancelled') this.accounts.get(player).has += amount;
    const stands = { ...rest, ...(operation.reason ? { reason: operation.reason } : {}), state: next };
    this.operations.set(name, stands);
    this.#addsUp(player);
    return { status: 200, body: stands };
  }

  /** The state of an operation with a new name; a `commit` has none. */
  #begin(call, operation) {
    if (call === 'cancel') return 'cancelled';
    if (call === 'commit') return undefined;
    const account = this.accounts.get(operation.player);
    const refuse = reason => {
      if (reason) operation.reason = reason;
      return 'refused';
    };
    if (this.refusals.length > 0) return refuse(this.refusals.shift());
    if (!account) return refuse('unknown_account');
    if (call === 'pay') {
      account.has += operation.amount;
      return 'paid';
    }
    if (account.has < operation.amount) return refuse('insufficient_funds');
    account.has -= operation.amount;
    return 'reserved';
  }

  #statement(query) {
    const log = query.get('log');
    const from = Number(query.get('from'));
    const all = [...this.operations.values()].filter(one => one.log === log && one.no >= from);
    const operations = all.sort((one, other) => one.no - other.no).slice(0, 1000);
    const next = all.length > 1000 ? { next: operations.at(-1).no + 1 } : {};
    return { status: 200, body: { log, operations, ...next } };
  }
}

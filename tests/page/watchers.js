#!/usr/bin/env node
// Many watchers of one table's stream, and a client that plays there: the time of each call of play with and without
// them. `node tests/page/watchers.js --service URL [--watchers 500] [--rounds 60]`; a module for the tests.
import { fork } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { randomBytes } from 'node:crypto';
import { commitmentOf } from './bots.js';

const ENTRY = 'event: entry\n';

const sleep = ms => new Promise(done => setTimeout(done, ms));

/** In its own process: opens streams of a table, counts each stream's events, and reports to its parent. */
function watchHere(service, table, count) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
  const heard = new Array(count).fill(0);
  const open = at => new Promise((done, failed) => {
    http.get(`${service}/v1/tables/${table}/events`, { agent }, answer => {
      if (answer.statusCode !== 200) { failed(new Error(`watcher ${at}: ${answer.statusCode}`)); return; }
      answer.setEncoding('utf8');
      // A chunk may end within a character.
      let rest = '';
      answer.on('data', chunk => {
        const text = rest + chunk;
        heard[at] += text.split(ENTRY).length - 1;
        rest = text.endsWith(ENTRY) ? '' : text.slice(1 - ENTRY.length);
      });
      answer.on('error', () => {});
      done();
    }).on('error', failed);
  });
  process.on('message', () => process.send({ heard }));
  (async () => {
    for (let at = 0; at < count; at += 50) {
      await Promise.all(Array.from({ length: Math.min(50, count - at) }, (_, more) => open(at + more)));
    }
    process.send({ open: count });
  })().catch(error => process.send({ error: String(error) }));
}

/**
 * Watchers of a table, in their own process. In reality they are on other machines, so the service and the timed client
 * have priority here. Returns `heard()`, the entries that each got, and `close()`.
 */
export async function watch(service, table, count) {
  const child = fork(fileURLToPath(import.meta.url), ['--watch', service, table, String(count)]);
  os.setPriority(child.pid, 19);
  const next = () => new Promise((done, failed) => {
    child.once('message', said => (said.error ? failed(new Error(said.error)) : done(said)));
    child.once('exit', () => failed(new Error('the watchers went away')));
  });
  await next();
  return {
    heard: async () => { const said = next(); child.send('heard'); return (await said).heard; },
    close: () => { child.removeAllListeners('exit'); child.kill('SIGKILL'); },
  };
}

/** A client with one connection: `call(path, body)` → the reply's body; the time of each call in `times`. */
export class Caller {
  constructor(service, token) {
    Object.assign(this, { service, token, times: [], agent: new http.Agent({ keepAlive: true, maxSockets: 1 }) });
  }

  call(at, body, { timed = true } = {}) {
    const headers = { authorization: `Bearer ${this.token}` };
    const text = body === undefined ? undefined : JSON.stringify(body);
    if (text !== undefined) {
      Object.assign(headers, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    }
    const begun = performance.now();
    return new Promise((done, failed) => {
      const method = text === undefined ? 'GET' : 'POST';
      const request = http.request(this.service + at, { method, headers, agent: this.agent }, answer => {
        const chunks = [];
        answer.on('data', chunk => chunks.push(chunk));
        answer.on('end', () => {
          if (timed && text !== undefined) this.times.push(performance.now() - begun);
          const said = JSON.parse(Buffer.concat(chunks));
          if (answer.statusCode >= 300) failed(new Error(`${at}: ${answer.statusCode} ${said.code}: ${said.detail}`));
          else done(said);
        });
      });
      request.on('error', failed);
      request.end(text);
    });
  }
}

/** Plays rounds of blackjack at a solo table, always standing; returns the entries made. */
export async function play(caller, player, table, rounds, pause = 0) {
  let entries = 0;
  for (let played = 0; played < rounds; played += 1) {
    const shown = await caller.call(`/v1/tables/${table}`);
    const seed = randomBytes(32).toString('hex');
    const commitment = commitmentOf({
      origin: shown.origin, table, epoch: shown.epoch, roundNo: shown.next_round, player, seed,
    });
    const bets = [{ spot: '1', stake: 10 }];
    await caller.call(`/v1/tables/${table}/bets`, { round_no: shown.next_round, bets, commitment });
    const id = `${table}:${shown.next_round}`;
    let reply = await caller.call(`/v1/rounds/${id}/reveals`, { player, seed });
    entries += 2;
    while (reply.round.phase === 'open') {
      const { decision, options } = reply.round.decisions[0];
      const insured = options.some(option => option.action === 'insurance');
      const action = insured ? { insurance: { take: false } } : 'stand';
      reply = await caller.call(`/v1/rounds/${id}/actions`, { decision, action });
      entries += 1;
      await sleep(pause);
    }
  }
  return entries;
}

export function quantile(times, share) {
  return [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];
}

/** The p99 of play without watchers and with them, in milliseconds, and the watchers' entries. */
export async function measure({ service, token, player, table, watchers, rounds, pause = 20 }) {
  await play(new Caller(service, token), player, table, Math.ceil(rounds / 4));
  const [alone, watched] = [new Caller(service, token), new Caller(service, token)];
  await play(alone, player, table, rounds, pause);
  const watching = await watch(service, table, watchers);
  try {
    const entries = await play(watched, player, table, rounds, pause);
    let heard = await watching.heard();
    // The house adds its own entries, and watchers get an entry up to a fifth of a second apart.
    const isAll = () => Math.min(...heard) >= entries && Math.min(...heard) === Math.max(...heard);
    for (const end = Date.now() + 20_000; !isAll() && Date.now() < end;) {
      await sleep(100);
      heard = await watching.heard();
    }
    return {
      alone: quantile(alone.times, 0.99), watched: quantile(watched.times, 0.99), calls: watched.times.length,
      median: [quantile(alone.times, 0.5), quantile(watched.times, 0.5)],
      entries, least: Math.min(...heard), most: Math.max(...heard),
    };
  } finally {
    watching.close();
  }
}

async function main(args) {
  if (args[0] === '--watch') { watchHere(args[1], args[2], Number(args[3])); return; }
  const given = name => { const at = args.indexOf(`--${name}`); return at < 0 ? undefined : args[at + 1]; };
  const service = given('service') ?? 'http://127.0.0.1:8080';
  const [token, player, table] = [given('token'), given('player'), given('table')];
  if (!token || !player || !table) {
    console.error('watchers.js --token T --player NAME --table TABLE [--service URL] [--watchers N] [--rounds N]');
    process.exit(2);
  }
  console.log(await measure({
    service, token, player, table, watchers: Number(given('watchers') ?? 500), rounds: Number(given('rounds') ?? 60),
  }));
}

const started = process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (started) await main(process.argv.slice(2));

// The service's replies, and a table's stream, by the client that players install (tools/clients/typescript). These
// replies are not proven: everything binding or important goes through proof.js.

import { Connection, readProblem, readStream, parseEvents, chunksOf, valueOf } from './client-calls.js';

/** A page may only ask its own address: another leader is reported, and a proxy in front of the nodes goes to it. */
export const RETRY = { attempts: 6, firstWaitMs: 300, followLeader: false };
const FIRST_WAIT_MS = 300,
  MOST_WAIT_MS = 8000,
  REPLY_MS = 30_000;

let token = null;
/** Sets the token for all later calls; null: none. */
export function useToken(given) {
  token = given;
}

const listeners = new Set();
/** Gets `{ms, code, leader}` when calls wait for the service to come back, and null when they work again. */
export function onTrouble(heard) {
  listeners.add(heard);
  return () => listeners.delete(heard);
}
let isTroubled = false;
export function tellTrouble(state) {
  if (!state && !isTroubled) return;
  isTroubled = !!state;
  listeners.forEach(heard => heard(state));
}

const connection = new Connection(location.origin, undefined, {
  ...RETRY,
  onWait: waiting => tellTrouble(waiting && { ms: waiting.ms, code: waiting.error.code, leader: waiting.error.leader }),
});

/** Reads, and repeats while the service is away, busy or asks to wait: at most `tries` times. */
export async function get(path, { as = 'json', tries, signal } = {}) {
  const operation = { method: 'GET', path, reply: as, repeats: 'read' };
  return valueOf(operation, await connection.send(operation, {}, { signal, attempts: tries }, token));
}

/** Sends one request unchanged and returns the raw answer, for trying the contract. */
export async function tryOnce(method, path, { body, headers = {}, signal } = {}) {
  const response = await connection.fetch(path, {
    method,
    signal: signal ?? AbortSignal.timeout(REPLY_MS),
    headers: {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  if (!response.ok) throw await readProblem(response);
  return response;
}

/** The events of the contract's streams as text, for trying them. */
export const rawEvents = response => parseEvents(chunksOf(response.body, () => {}));

/**
 * The events of a table or a tournament as they happen: `path` is its own, `/v1/tables/NAME`; `last` is the index of an
 * entry that is completely known. After a break they continue after the last one. `onEvent` gets each (`{type: 'entry'
 * | 'openings' | 'own', id, index, …}`), and `onState('open' | 'broken' | 'ended', error)` the stream's state: after
 * `ended` no more events come. Returns `stop()`.
 */
export function follow(path, { last = null, onEvent, onState = () => {} }) {
  const stopping = new AbortController(),
    { signal } = stopping;
  const at = { path: `${path}/events`, name: path.slice(path.lastIndexOf('/') + 1) };
  const behindAll = `${path}/entries?limit=1&from_seq=${Number.MAX_SAFE_INTEGER}`;
  const isOver = async () => (await get(behindAll, { signal })).closed;
  let behind = last ?? undefined,
    wait = FIRST_WAIT_MS;

  async function read() {
    for await (const event of readStream(connection, at, token, isOver, { signal, lastEventId: behind, onState })) {
      behind = event.id;
      wait = FIRST_WAIT_MS;
      onEvent(event);
    }
  }

  async function run() {
    for (; ; wait = Math.min(2 * wait, MOST_WAIT_MS)) {
      try {
        await read();
        onState('ended', null);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const isRefused = error.name === 'ProblemError' && error.status < 500 && error.status !== 429;
        // If a stream leaves something out, it is requested again from the last event on.
        onState(isRefused ? 'ended' : 'broken', error);
        if (isRefused) return;
        await new Promise(done => setTimeout(done, wait));
        if (signal.aborted) return;
      }
    }
  }
  run();
  return () => stopping.abort(new DOMException('closed', 'AbortError'));
}

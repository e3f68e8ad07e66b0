// What the service says, and a table's stream, by the calls of the client that players install
// (tools/clients/typescript). Nothing of it is proven: what binds or is to be believed goes through proof.js.

import { Connection, readProblem, readStream, parseEvents, chunksOf, valueOf } from './client-calls.js';

/** A page may ask its own address alone: another leader is told of, and whoever stands before the nodes goes to it. */
export const RETRY = { attempts: 6, firstWaitMs: 300, followLeader: false };
const FIRST_WAIT_MS = 300,
  MOST_WAIT_MS = 8000,
  REPLY_MS = 30_000;

let token = null;
/** The token that goes with each call from now on; null: none. */
export function useToken(given) {
  token = given;
}

const listeners = new Set();
/** Hears `{ms, code, leader}` as calls wait for the service to come back, and null as they go through again. */
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

/** Reads, again while the service is away, busy or asks to wait: at most `tries` times. */
export async function get(path, { as = 'json', tries, signal } = {}) {
  const operation = { method: 'GET', path, reply: as, repeats: 'read' };
  return valueOf(operation, await connection.send(operation, {}, { signal, attempts: tries }, token));
}

/** One request as it is given, and the answer as it comes, for whoever tries the contract. */
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

/** The events of the contract's streams as text, for whoever tries them. */
export const rawEvents = response => parseEvents(chunksOf(response.body, () => {}));

/**
 * A table's events, or a tournament's, as they happen: `path` is its own, `/v1/tables/NAME`; `last` is the index of an
 * entry of which all is known. After a break they go on behind the last one. `onEvent` hears each (`{type: 'entry' |
 * 'openings' | 'own', id, index, …}`), and `onState('open' | 'broken' | 'ended', error)` how it stands: `ended` where
 * nothing comes any more. Gives back
 * `stop()`.
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
        // A stream that leaves something out is asked again for what comes behind the last that was told.
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

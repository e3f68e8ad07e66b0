// Calls of the contract (openapi.yaml), and a table's stream. Repeats what may be repeated; what a reply means is
// for whoever asked.

const TRIES = 6;
const FIRST_WAIT_MS = 300,
  MOST_WAIT_MS = 8000,
  SILENCE_MS = 40000,
  REPLY_MS = 30000,
  MOST_RETRY_AFTER_MS = 30000;
/** The table goes on in a moment: the contract says to try again at once. */
const AT_ONCE = new Set(['recovering', 'no_shoe']);

/** An error as the service tells it (RFC 9457), or `offline` where no answer came. */
export class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail || body.title || `HTTP ${status}`);
    Object.assign(this, {
      name: 'Problem',
      status,
      code: body.code || 'unknown',
      detail: body.detail || body.title || `HTTP ${status}`,
      retryAfter,
      replacedBy: body.replaced_by,
      leader: body.leader,
      refused: body.refused,
    });
  }
}

let token = null;
/** The token that goes with each call from now on; null: none. */
export function useToken(given) {
  token = given;
}

const listeners = new Set();
/** Hears `{waiting, code, leader}` as calls wait for the service to come back, and null as they go through again. */
export function onTrouble(heard) {
  listeners.add(heard);
  return () => listeners.delete(heard);
}
let isTroubled = false;
function tell(state) {
  if (!state && !isTroubled) return;
  isTroubled = !!state;
  listeners.forEach(heard => heard(state));
}

const sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });

function headers(extra = {}) {
  return token ? { ...extra, Authorization: `Bearer ${token}` } : extra;
}

async function problemOf(response) {
  const text = await response.text().catch(() => '');
  let body = {};
  try {
    body = JSON.parse(text) || {};
  } catch {
    body = { detail: text.slice(0, 200) };
  }
  const wait = Number(response.headers.get('Retry-After'));
  return new Problem(response.status, body, Number.isFinite(wait) && wait > 0 ? wait * 1000 : 0);
}

/** Of 421: another node takes the lead, and whoever stands before the nodes sends the request there in a moment. */
const PASSING = new Set([421, 429, 503]);

const passes = problem => problem.code === 'offline' || PASSING.has(problem.status) || AT_ONCE.has(problem.code);

async function once(method, path, { body, key, signal, as = 'json', extra }) {
  const idempotency = key ? { 'Idempotency-Key': key } : {};
  const typed = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const limits = [AbortSignal.timeout(REPLY_MS), ...(signal ? [signal] : [])];
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: headers({ ...idempotency, ...typed, ...extra }),
      cache: 'no-store',
      credentials: 'omit',
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.any(limits),
    });
    if (response.ok && as === 'bytes') return new Uint8Array(await response.arrayBuffer());
    if (response.ok) return as === 'text' ? await response.text() : await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, { code: 'offline', detail: error.message }, 0);
  }
  throw await problemOf(response);
}

/** One request, again while the service is away, busy or asks to wait; everything sent here repeats safely. */
async function call(method, path, { tries = TRIES, ...options } = {}) {
  for (let tried = 1, wait = FIRST_WAIT_MS; ; tried++, wait = Math.min(2 * wait, MOST_WAIT_MS)) {
    try {
      const reply = await once(method, path, options);
      // A node that only follows serves readers as well: that it read is no sign that it decides.
      if (tried > 1 || method !== 'GET') tell(null);
      return reply;
    } catch (error) {
      if (!(error instanceof Problem) || !passes(error) || tried >= tries) throw error;
      const pause = Math.max(wait, Math.min(error.retryAfter, MOST_RETRY_AFTER_MS));
      tell({ waiting: pause, code: error.code, leader: error.leader });
      await sleep(pause, options.signal);
    }
  }
}

export const get = (path, options) => call('GET', path, options);
export const post = (path, body = {}, options) => call('POST', path, { body, ...options });
export const remove = (path, options) => call('DELETE', path, options);

/** A fresh name for a request that the contract repeats by `Idempotency-Key`. */
export const freshKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map(b => b.toString(16).padStart(2, '0')).join('');

/**
 * Server-sent events read with `fetch`, so that the token goes in a header. Taken up again behind the last event
 * after a break. `onEvent({id, event, data})`; `onState('open' | 'broken' | 'ended', problem)`. Gives back `stop()`.
 */
export function follow(path, { last = null, onEvent, onState = () => {} }) {
  const stopping = new AbortController();
  let behind = last;

  async function read(body, alive) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '',
      event = { id: null, event: 'message', data: [] };
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      alive();
      text += value;
      const lines = text.split('\n');
      text = lines.pop();
      for (const line of lines) {
        if (line === '') {
          if (event.data.length) {
            onEvent({ ...event, data: event.data.join('\n') });
            // What comes with an entry (openings, one's own cards) has its number too, and nothing says whether any
            // will: after a break the entry itself is asked for again, which is taken once.
            if (event.id !== null) behind = event.event === 'entry' ? Number(event.id) - 1 : event.id;
          }
          event = { id: null, event: 'message', data: [] };
        } else if (!line.startsWith(':')) {
          const at = line.indexOf(':'),
            name = at < 0 ? line : line.slice(0, at);
          const rest = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
          if (name === 'data') event.data.push(rest);
          else if (name === 'event') event.event = rest;
          else if (name === 'id') event.id = rest;
        }
      }
    }
  }

  async function run() {
    for (let wait = FIRST_WAIT_MS; !stopping.signal.aborted; wait = Math.min(2 * wait, MOST_WAIT_MS)) {
      const quiet = new AbortController(),
        signal = AbortSignal.any([stopping.signal, quiet.signal]);
      let silence = setTimeout(() => quiet.abort(), SILENCE_MS);
      const alive = () => {
        clearTimeout(silence);
        silence = setTimeout(() => quiet.abort(), SILENCE_MS);
      };
      let pause = wait;
      try {
        const response = await fetch(path, {
          signal,
          cache: 'no-store',
          credentials: 'omit',
          headers: headers({
            Accept: 'text/event-stream',
            ...(behind === null ? {} : { 'Last-Event-ID': String(behind) }),
          }),
        });
        if (response.ok) {
          onState('open');
          wait = FIRST_WAIT_MS;
          pause = wait;
          await read(response.body, alive);
          onState('broken');
        } else {
          const problem = await problemOf(response);
          if (![429, 503].includes(problem.status) && problem.status < 500) return onState('ended', problem);
          onState('broken', problem);
          pause = Math.max(wait, Math.min(problem.retryAfter, MOST_RETRY_AFTER_MS));
        }
      } catch (error) {
        if (stopping.signal.aborted) return undefined;
        onState('broken', new Problem(0, { code: 'offline', detail: error.message }, 0));
      } finally {
        clearTimeout(silence);
      }
      // Five hundred watchers do not come back in the same instant.
      await sleep(pause * (0.7 + 0.6 * Math.random()), stopping.signal).catch(() => {});
    }
    return undefined;
  }
  run();
  return () => stopping.abort(new DOMException('closed', 'AbortError'));
}

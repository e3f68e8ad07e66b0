// The judge, called from the page: one worker for the tab, loaded when there is something to check, with the verifier
// and the client that players install. Every answer is `{ok, failed: {check, message, entry}, evidence: {name, text},
// …}`; a call that cannot be judged (no answer of the service, no bundle) rejects, and is no failed check.

import { RETRY, tellTrouble } from './api.js';
import { session, store } from './session.js';

/** The first failed check in this tab: after it nothing binding is sent. */
export const stopped = { by: null };

let worker = null,
  numbered = 0,
  pinned = null,
  pinnedAt = 0;
/** The log's newest checkpoint is asked for again after that. */
const FRESH_MS = 5000;
const waiting = new Map();

function start() {
  worker = new Worker(new URL('./proof-worker.js', import.meta.url));
  worker.onmessage = ({ data }) => {
    if (data.store !== undefined) return serve(data);
    if (data.waiting !== undefined) return tellTrouble(data.waiting);
    if (data.isKeyed) return session.tellKey();
    const call = waiting.get(data.number);
    waiting.delete(data.number);
    if (!call) return undefined;
    if (data.error === undefined) return call.resolve(data.reply);
    return call.reject(errorOf({ ...data.error, unusable: data.unusable }));
  };
  worker.onerror = event => {
    const error = new Error(`the verifier does not run: ${event.message || 'its file did not load'}`);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    worker.terminate();
    worker = null;
    pinned = null;
  };
}

/** The worker stores its data here, because it has no storage of its own. */
function serve({ store: number, action, given }) {
  try {
    worker.postMessage({ stored: number, value: store[action](...given) });
  } catch (error) {
    worker.postMessage({ stored: number, error: error.message });
  }
}

function ask(name, given = {}) {
  if (!worker) start();
  const { player, token } = session,
    who = { player, token };
  return new Promise((resolve, reject) => {
    const number = ++numbered;
    waiting.set(number, { resolve, reject });
    worker.postMessage({ number, name, given, who, retry: RETRY });
  });
}

/** An error that arrived as data. */
export const errorOf = data => Object.assign(new Error(data.message), data);

/** The value of an answer; for a failed check an error, after which play is stopped. */
function valueOf({ ok, value, failed, evidence }) {
  if (ok) return value;
  stopped.by ||= { ...failed, evidence };
  throw Object.assign(new Error(failed.message), { failed, evidence });
}

/**
 * A table of the client's, in the worker. Every call returns the state afterwards, `{ok, value, round, state, faces,
 * entries, …}`, with `error` if the request was refused or not answered.
 */
class OpenTable {
  constructor(id) {
    this.id = id;
  }

  /** Calls its method of this name. */
  ask(action, ...given) {
    return ask('atTable', { id: this.id, action, given });
  }
  /**
   * The same for a method that commits to a seed, `chosen` or a fresh one; `value.isChosen` tells whether it was
   * `chosen`.
   */
  commit(chosen, action, ...given) {
    return ask('commitAt', { id: this.id, action, given, chosen });
  }
  close() {
    return ask('closeTable', { id: this.id }).catch(() => {});
  }
}

export const proof = {
  /**
   * Pins the log's key, or compares it with the pinned one; compares the newest checkpoint with the stored one. The
   * answer is kept; with `anew` for some seconds only.
   */
  async log(anew = false) {
    if (anew && Date.now() - pinnedAt > FRESH_MS) pinned = null;
    if (!pinned) [pinned, pinnedAt] = [ask('log'), Date.now()];
    const asked = pinned;
    try {
      const reply = await asked;
      if (!reply.ok && pinned === asked) pinned = null;
      return reply;
    } catch (error) {
      if (pinned === asked) pinned = null;
      throw error;
    }
  },
  /** The same as `log`, for calls that only need its success. */
  async ready() {
    const reply = await this.log();
    if (!reply.ok)
      throw Object.assign(new Error(reply.failed.message), { failed: reply.failed, evidence: reply.evidence });
  },
  async checkpoint(checkpoint) {
    await this.ready();
    return ask('checkpoint', { checkpoint });
  },
  /**
   * A call by its name in the contract; its answer, after its receipts and their content were checked against the
   * request. `key`: its `Idempotency-Key`, for a caller who sends the same again later.
   */
  call: async (id, args, { key } = {}) => valueOf(await ask('call', { id, args, key })),
  /** The same as an unsent request: `{method, path, headers, body}`. */
  prepare: async (id, args) => valueOf(await ask('prepare', { id, args })),
  /** The house's signed notes that this browser keeps: `{count, text}`. */
  notes: async () => valueOf(await ask('notes')),
  /** What the client's method of this name does with the player's own key. */
  key: async (action, ...given) => valueOf(await ask('key', { action, given })),
  /** A guest: `{player, token, balance}`. */
  guest: async () => valueOf(await ask('guest')),
  /** The player of a ticket: `{player, token, balance, key, isGuest}`. */
  enter: async ticket => valueOf(await ask('enter', { ticket })),

  /** Seeds of rounds up to this one are no longer needed: `{origin, table, player, upTo}`. */
  forgetSeeds: given => ask('forgetSeeds', given),

  /** Enters an event with the commitment to a seed, `chosen` or a fresh one. */
  register: async (event, pay, chosen) => valueOf(await ask('register', { event, pay, chosen })),
  /** Reveals the seed that an open draw of seats awaits. False: no seed is proven to be due. */
  revealSeat: async event => valueOf(await ask('revealSeat', { event })),
  forgetSeatSeeds: (event, view) => ask('forgetSeatSeeds', { event, view }),
  /** Numbers of a draw, each in the context of its event: `{origin, event, epoch, …}`. */
  seatCommitment: async given => (await ask('seatCommitment', given)).value,
  drawBefore: async given => (await ask('drawBefore', given)).value,
  drawEntropy: async given => (await ask('drawEntropy', given)).value,

  /** Follows a table: `{ok, open, info, round, state, faces, newest, …}`. */
  async openTable(name) {
    await this.ready();
    const reply = await ask('openTable', { name });
    if (reply.error) throw errorOf(reply.error);
    return { ...reply, open: new OpenTable(reply.id) };
  },
  /** The verdict on a bundle; `vkey` null: under the key that it names. By default the key pinned here. */
  bundle: (text, vkey) => ask('bundle', { text, vkey }),
  /** A bundle's round step by step (spec/page.md, 4). */
  replay: (text, round = null, vkey = undefined) => ask('replay', { text, round, vkey }),
};

// The judge, asked from the page: one worker for the tab, loaded when there is something to check, with the verifier and
// the client that players install. Every answer is `{ok, failed: {check, message, entry}, evidence: {name, text}, …}`; a
// call that cannot be judged (no answer of the service, no bundle) rejects, and is no failed check.

import { RETRY, tellTrouble } from './api.js';
import { session, store } from './session.js';

/** The first check that failed in this tab: nothing that binds is sent any more. */
export const stopped = { by: null };

let worker = null,
  numbered = 0,
  pinned = null;
const waiting = new Map();

function start() {
  worker = new Worker(new URL('./proof-worker.js', import.meta.url));
  worker.onmessage = ({ data }) => {
    if (data.store !== undefined) return serve(data);
    if (data.waiting !== undefined) return tellTrouble(data.waiting);
    const call = waiting.get(data.number);
    waiting.delete(data.number);
    if (!call) return undefined;
    if (data.error === undefined) return call.resolve(data.reply);
    return call.reject(Object.assign(new Error(data.error.message), data.error, { unusable: data.unusable }));
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

/** What the worker keeps it keeps here: it has no storage of its own. */
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

/** The value of an answer; of a failed check an error, after which play is stopped. */
function valueOf({ ok, value, failed, evidence }) {
  if (ok) return value;
  stopped.by ||= { ...failed, evidence };
  throw Object.assign(new Error(failed.message), { failed, evidence });
}

/**
 * A table's follower in the worker (spec/page.md, 4). Every call gives `{ok, view, table, faces, needs, change,
 * …}`.
 */
class Followed {
  constructor(id) {
    this.id = id;
  }

  take(items, checkpoint) {
    return ask('take', { id: this.id, items, checkpoint });
  }
  takeReceipt(receipt, openings = []) {
    return ask('takeReceipt', { id: this.id, receipt, openings });
  }
  takePending(index, entry, openings = []) {
    return ask('takePending', { id: this.id, index, entry, openings });
  }
  renew(bundle) {
    return ask('renew', { id: this.id, bundle });
  }
  own(own, player) {
    return ask('own', { id: this.id, own, player });
  }
  evidence() {
    return ask('evidence', { id: this.id });
  }
  drop() {
    return ask('drop', { id: this.id }).catch(() => {});
  }
}

export const proof = {
  /** Pins the log's key, or holds it against the one pinned; the newest checkpoint against the one kept. */
  async log() {
    pinned ||= ask('log');
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
  /** The same as `log`, for calls that need nothing but that it holds. */
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
   * A call by its name in the contract; its answer, once its receipts, and what they say, are held against what was asked
   * for. `key`: its `Idempotency-Key`, for whoever sends the same again later.
   */
  call: async (id, args, { key } = {}) => valueOf(await ask('call', { id, args, key })),
  /** A guest: `{player, token, balance}`. */
  guest: async () => valueOf(await ask('guest')),

  /** The seed for a round: the one that is kept, else `chosen`, else a fresh one, and kept: `{seed, commitment, bets}`. */
  prepareSeed: async (place, bets, chosen) => (await ask('prepareSeed', { place, bets, chosen })).kept,
  /** The log has these bets: only they may bind. */
  betsStand: (place, bets) => ask('betsStand', { place, bets }),
  /**
   * The seed that was kept under this commitment, whatever the epoch: `{seed, bets, isAsked}`, where `isAsked` says whether
   * `bound` are bets that were asked for with it, and may stand; or null.
   */
  findSeed: async given => (await ask('findSeed', given)).kept,
  /** Those of rounds up to this one are no longer needed: `{origin, table, player, upTo}`. */
  forgetSeeds: given => ask('forgetSeeds', given),

  /** Enters an event with the commitment to a seed, `chosen` or a fresh one. */
  register: async (event, pay, chosen) => valueOf(await ask('register', { event, pay, chosen })),
  /** Reveals the seed that an open draw of seats awaits. False: it awaits none that is proven to be due. */
  revealSeat: async event => valueOf(await ask('revealSeat', { event })),
  forgetSeatSeeds: (event, view) => ask('forgetSeatSeeds', { event, view }),
  /** Numbers of a draw, each in the context of its event: `{origin, event, epoch, …}`. */
  seatCommitment: async given => (await ask('seatCommitment', given)).value,
  drawBefore: async given => (await ask('drawBefore', given)).value,
  drawEntropy: async given => (await ask('drawEntropy', given)).value,

  /** Follows a table from its bundle on: `{ok, followed, view, table, faces, …}`. */
  async follow(table, bundle) {
    await this.ready();
    const reply = await ask('follow', { table, bundle });
    return reply.ok ? { ...reply, followed: new Followed(reply.id) } : reply;
  },
  /** The verdict on a bundle; `vkey` null: whoever's key it names. By default the key pinned here. */
  bundle: (text, vkey) => ask('bundle', { text, vkey }),
  /** A bundle's round step by step (spec/page.md, 4). */
  replay: (text, round = null, vkey = undefined) => ask('replay', { text, round, vkey }),
};

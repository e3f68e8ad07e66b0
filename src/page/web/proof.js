// The verifier, asked from the page: one worker for the tab, loaded when there is something to check. Every answer is
// `{ok, failed: {check, message, entry}, evidence: {name, text}, …}`; a call that cannot be judged (no answer of the
// service, no bundle) rejects, and is no failed check.

import { get } from './api.js';
import { session } from './session.js';

let worker = null,
  numbered = 0,
  pinned = null;
const waiting = new Map();

function start() {
  worker = new Worker(new URL('./proof-worker.js', import.meta.url));
  worker.onmessage = ({ data }) => {
    const call = waiting.get(data.number);
    waiting.delete(data.number);
    if (!call) return;
    if (data.error !== undefined) call.reject(Object.assign(new Error(data.error), { unusable: data.unusable }));
    else {
      if (data.reply.log) keep(data.reply.log);
      call.resolve(data.reply);
    }
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

function ask(name, given = {}) {
  if (!worker) start();
  return new Promise((resolve, reject) => {
    const number = ++numbered;
    waiting.set(number, { resolve, reject });
    worker.postMessage({ number, name, given });
  });
}

const sizeOf = checkpoint => BigInt(checkpoint.split('\n')[1]);

/** Another tab may have kept a newer one meanwhile: that stays. */
function keep({ vkey, checkpoint }) {
  const known = session.log();
  if (known && known.vkey === vkey && sizeOf(known.checkpoint) >= sizeOf(checkpoint)) return;
  session.keepLog({ vkey, checkpoint });
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
    pinned ||= get('/v1/log').then(({ vkey, checkpoint }) => ask('log', { known: session.log(), vkey, checkpoint }));
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
  /** The receipts of any reply; `entries` are theirs, parsed. */
  async receipts(accepted) {
    await this.ready();
    return ask('receipts', { receipts: accepted.receipts });
  },
  /** The commitment to a seed: `{origin, table, epoch, roundNo, player, seed}`. */
  commitment: given => ask('commitment', given),
  /** Follows a table from its bundle on: `{ok, followed, view, table, faces, …}`. */
  async follow(bundle) {
    await this.ready();
    const reply = await ask('follow', { bundle });
    return reply.ok ? { ...reply, followed: new Followed(reply.id) } : reply;
  },
  /** The verdict on a bundle; `vkey` null: whoever's key it names. By default the key pinned here. */
  bundle: (text, vkey) => ask('bundle', { text, vkey }),
  /** A bundle's round step by step (spec/page.md, 4). */
  replay: (text, round = null, vkey = undefined) => ask('replay', { text, round, vkey }),
};

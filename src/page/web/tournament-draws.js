// A player's seeds for the draws of their seat, and what is checked of draws (spec/games/tournaments.md, 3): a seed is
// kept here before its commitment is sent, and revealed by itself when a draw awaits it.

import { follow, get, post } from './api.js';
import { session, freshSeed } from './session.js';
import { proof } from './proof.js';

const SEAT_SEED = 'fairshoe.seat-seed';
const ZERO = '0'.repeat(64);
/** Entries of an event that are read for its draws, at most; a larger one is for the verifier. */
const MOST_ENTRIES = 4000;
const PAGE = 256;

let worker = null;
let asked = 0;
const waiting = new Map();

function ask(name, given) {
  if (!worker) {
    worker = new Worker(new URL('./draw-worker.js', import.meta.url));
    worker.onmessage = ({ data }) => {
      const call = waiting.get(data.number);
      waiting.delete(data.number);
      if (data.error === undefined) call?.resolve(data.value);
      else call?.reject(new Error(data.error));
    };
    worker.onerror = event => {
      for (const call of waiting.values()) call.reject(new Error(event.message || 'the verifier did not load'));
      waiting.clear();
      worker = null;
    };
  }
  return new Promise((resolve, reject) => {
    waiting.set(++asked, { resolve, reject });
    worker.postMessage({ number: asked, name, given });
  });
}

const contextOf = view => ({ origin: view.origin, event: view.summary.tournament, epoch: view.epoch });
const nameOf = (view, player, use) => [SEAT_SEED, view.origin, view.summary.tournament, view.epoch, player,
  use].join(' ');

/** The seed of this player's commitment number `use`, as this browser keeps it, or null. */
export function keptSeed(view, use) {
  const text = localStorage.getItem(nameOf(view, session.player, use));
  return text === null ? null : JSON.parse(text);
}

/**
 * Keeps a seed, the one typed or a fresh one, and gives back its commitment. One that is kept already is used again.
 */
export async function commitSeat(view, use, typed = null) {
  const kept = keptSeed(view, use);
  if (kept && !typed) return kept.commitment;
  const seed = typed || freshSeed();
  const commitment = await ask('commitment', { ...contextOf(view), use, player: session.player, seed });
  localStorage.setItem(nameOf(view, session.player, use), JSON.stringify({ seed, commitment, at: Date.now() }));
  return commitment;
}

/** What a reply says is on the log, checked; throws what failed. */
async function onLog(accepted) {
  const reply = await proof.receipts(accepted);
  if (!reply.ok) throw Object.assign(new Error(reply.failed.message),
    { failed: reply.failed, evidence: reply.evidence });
  return reply.entries;
}

/** Events of an entry that are of the tournament: `[[name, fields], …]`. */
const eventsOf = entry => (entry.events ?? []).flatMap(event => {
  const inside = event.tournament ?? null;
  return inside ? Object.entries(inside) : [];
});

export async function register(view, pay, typed) {
  const commitment = await commitSeat(view, view.own?.next_use ?? 0, typed);
  const accepted = await post(`/v1/tournaments/${view.summary.tournament}/registration`, { commitment, pay });
  const entries = await onLog(accepted);
  const mine = entries.flatMap(({ entry }) => eventsOf(entry))
    .some(([name, fields]) => name === 'registered' && fields.player === session.player
      && fields.commitment === commitment);
  if (!mine) throw new Error('the receipt is of another registration than this one');
  if (accepted.balance !== undefined) session.setBalance(accepted.balance);
  return accepted;
}

/** How long a seed is kept of whose event nothing is heard any more. */
const KEPT_MS = 60 * 86_400_000;

/**
 * Seeds of draws that are over are deleted: once no draw is open, all but that of the commitment in force; all of them
 * once the event is over, or the player is out of it. One kept for a commitment that is on its way stays.
 */
export function forgetSeeds(view) {
  const { own, draw, summary } = view;
  if (session.player) {
    const inForce = own?.entry && !['out', 'disqualified'].includes(own.entry.at)
      && !['ended', 'cancelled'].includes(summary.stage);
    const first = own ? (inForce ? own.next_use - 1 : own.next_use) : 0;
    if (own && !draw) for (let use = 0; use < first; use++) localStorage.removeItem(nameOf(view, session.player, use));
  }
  for (const name of Object.keys(localStorage)) {
    if (!name.startsWith(`${SEAT_SEED} `)) continue;
    const { at } = JSON.parse(localStorage.getItem(name));
    if (!(at > Date.now() - KEPT_MS)) localStorage.removeItem(name);
  }
}

/**
 * Reveals the seed that an open draw awaits, with the commitment for the next one. False: it is not in this browser.
 */
export async function revealSeat(view) {
  const { own, draw } = view;
  const kept = keptSeed(view, own.reveals_use);
  if (!kept) return false;
  const next = await commitSeat(view, own.next_use);
  const path = `/v1/tournaments/${view.summary.tournament}/draws/${draw.draw_no}/reveals`;
  await onLog(await post(path, { entry_no: own.entry.entry_no, seed: kept.seed, next }));
  return true;
}

const LOOK_MS = 300;

/**
 * Reveals this player's seeds for an event's draws as long as a page is open elsewhere, above all at one of its tables:
 * seats are drawn in mid-event, too. Gives back how to stop.
 */
export function attend(event, { onProblem = () => {} } = {}) {
  let planned = null;
  const look = async () => {
    planned = null;
    if (!session.player) return;
    try {
      const view = await get(`/v1/tournaments/${encodeURIComponent(event)}`);
      if (view.draw && view.own && view.own.reveals_use !== null) await revealSeat(view);
      forgetSeeds(view);
    } catch (error) {
      if (!['already_revealed', 'wrong_draw'].includes(error.code)) onProblem(error);
    }
  };
  const soon = () => { planned ??= setTimeout(look, LOOK_MS); };
  const stop = follow(`/v1/tournaments/${encodeURIComponent(event)}/events`, { onEvent: soon });
  soon();
  return () => {
    clearTimeout(planned);
    stop();
  };
}

/** A receipt as `proof.receipts` takes it, of an entry that was read with its path. */
function receiptOf({ index, entry, proof: path }, checkpoint) {
  const hashes = path.map(hash => `${hash}\n`).join('');
  return { index, entry, proof: `c2sp.org/tlog-proof@v1\nindex ${index}\n${hashes}\n${checkpoint}` };
}

const DRAWS = new Set(['created', 'draw_called', 'seat_seed_revealed', 'seats_drawn', 'registered']);

/** What an event's sequence says of its draws, read on from where it was read to. */
export class Draws {
  constructor(event) {
    Object.assign(this, { event, next: 0, read: 0, tip: null, players: new Map(), commitments: new Map(), list: [],
      whole: true,
      failed: null });
  }

  /** Reads what is new; the entries that matter here are checked to be on the log. */
  async readOn(view) {
    for (;;) {
      if (this.read > MOST_ENTRIES) {
        this.whole = false;
        return;
      }
      const path = `/v1/tournaments/${this.event}/entries?from_seq=${this.next}&limit=${PAGE}&proofs=true`;
      const page = await get(path);
      const told = page.entries.map(item => ({ item, events: eventsOf(JSON.parse(item.entry)) }))
        .filter(({ events }) => events.some(([name]) => DRAWS.has(name)));
      if (told.length && !this.failed) {
        const reply = await proof.receipts({ receipts: told.map(({ item }) => receiptOf(item, page.checkpoint)) });
        if (!reply.ok) this.failed = reply;
      }
      for (const { events } of told) for (const [name, fields] of events) await this.take(name, fields, view);
      this.read += page.entries.length;
      this.next = page.next_seq;
      if (page.entries.length < PAGE) return;
    }
  }

  async take(name, fields, view) {
    const context = contextOf(view);
    if (name === 'created') {
      this.tip = fields.tip;
    } else if (name === 'registered') {
      this.players.set(fields.entry_no, fields.player);
      this.commitments.set(fields.entry_no, { commitment: fields.commitment, use: this.usesOf(fields.player) });
      this.count(fields.player);
    } else if (name === 'draw_called') {
      this.list.push({ draw: fields.draw_no, kind: fields.kind, seeds: [], done: null, checks: [] });
    } else if (name === 'seat_seed_revealed') {
      await this.seed(fields, context);
    } else if (name === 'seats_drawn') {
      await this.drawn(fields, context);
    }
  }

  usesOf(player) { return this.uses?.get(player) ?? 0; }

  count(player) {
    this.uses ||= new Map();
    this.uses.set(player, this.usesOf(player) + 1);
  }

  async seed({ draw_no: number, entry_no: entryNo, seed, next }, context) {
    const draw = this.list.find(one => one.draw === number);
    const player = this.players.get(entryNo);
    const before = this.commitments.get(entryNo);
    if (!draw || player === undefined) return;
    const opens = before
      && await ask('commitment', { ...context, use: before.use, player, seed }) === before.commitment;
    draw.seeds.push({ entry_no: entryNo, player, seed, opens: !!opens });
    if (next) {
      this.commitments.set(entryNo, { commitment: next, use: this.usesOf(player) });
      this.count(player);
    }
  }

  /**
   * The house's number leads to the one before; every seed opens its commitment; of the first draw E is computed whole.
   */
  async drawn({ draw_no: number, link, entropy, withheld }, context) {
    const draw = this.list.find(one => one.draw === number);
    if (!draw) return;
    const led = await ask('before', { ...context, draw: number, link });
    const wanted = number === 0 ? this.tip : this.list.find(one => one.draw === number - 1)?.done?.link ?? null;
    draw.done = { link, entropy, withheld };
    draw.checks.push({ what: 'chain', ok: led === wanted });
    draw.checks.push({ what: 'seeds', ok: draw.seeds.every(one => one.opens) });
    if (number === 0) {
      const computed = await ask('entropy', { ...context, draw: number, link, running: ZERO, seeds: draw.seeds });
      draw.checks.push({ what: 'entropy', ok: computed === entropy });
    }
  }

  /** The draw whose check does not hold, or null. */
  get broken() { return this.list.find(draw => draw.checks.some(check => !check.ok)) ?? null; }
}

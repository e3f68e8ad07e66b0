// A player's seeds for the draws of their seat, and the checks of draws (spec/games/tournaments.md, 3): the client
// stores a seed before its commitment is sent, and reveals it when the log shows that a draw awaits it.

import { follow, get } from './api.js';
import { session, store } from './session.js';
import { proof } from './proof.js';

const ZERO = '0'.repeat(64);
/** The most entries of an event that are read for its draws; a larger event is for the verifier. */
const MOST_ENTRIES = 4000;
const PAGE = 256;

const contextOf = view => ({ origin: view.origin, event: view.summary.tournament, epoch: view.epoch });

/** The seed of this player's commitment number `use`, from this browser's storage, or null. */
export function keptSeed(view, use) {
  const { origin, event, epoch } = contextOf(view);
  return JSON.parse(store.get(['seat-seed', origin, event, epoch, session.player, use].join(' ')));
}

/** The tournament's events in an entry: `[[name, fields], …]`. */
const eventsOf = entry => (entry.events ?? []).flatMap(event => {
  const inside = event.tournament ?? null;
  return inside ? Object.entries(inside) : [];
});

export async function register(view, pay, typed) {
  const accepted = await proof.register(view.summary.tournament, pay, typed);
  if (accepted.balance !== undefined) session.setBalance(accepted.balance);
}

/** Seeds of finished draws are deleted. */
export const forgetSeeds = view => proof.forgetSeatSeeds(view.summary.tournament, view);

/**
 * Reveals the seed that an open draw awaits, with the commitment for the next one. False: the log does not show yet
 * that one is awaited. Throws `SeedLost` if it is not in this browser.
 */
export const revealSeat = view => proof.revealSeat(view.summary.tournament);

const LOOK_MS = 300;

/**
 * Reveals this player's seeds for an event's draws while another room is open, above all one of its tables: seats are
 * also drawn in the middle of an event. `onView` gets the event as the service tells it. Returns a function that stops
 * it.
 */
export function attend(event, { onProblem, onView }) {
  let planned = null;
  const look = async () => {
    planned = null;
    if (!session.player) return;
    try {
      const view = await get(`/v1/tournaments/${encodeURIComponent(event)}`);
      onView(view);
      if (view.draw && view.own && view.own.reveals_use !== null) await revealSeat(view);
      await forgetSeeds(view);
    } catch (error) {
      // The tournament's room reports that a seed is missing here.
      if (!['already_revealed', 'wrong_draw'].includes(error.code) && error.name !== 'SeedLost') onProblem(error);
    }
  };
  const soon = () => { planned ??= setTimeout(look, LOOK_MS); };
  const stop = follow(`/v1/tournaments/${encodeURIComponent(event)}`, { onEvent: soon });
  soon();
  return () => {
    clearTimeout(planned);
    stop();
  };
}

const DRAWS = new Set(['created', 'draw_called', 'seat_seed_revealed', 'seats_drawn', 'registered']);

/** The draws in an event's sequence, read on from the last position. */
export class Draws {
  constructor(event) {
    Object.assign(this, { event, next: 0, read: 0, tip: null, players: new Map(), commitments: new Map(), list: [],
      whole: true,
      failed: null });
  }

  /** Reads new entries; the ones needed here are checked to be on the log. */
  async readOn(view) {
    for (;;) {
      if (this.read > MOST_ENTRIES) {
        this.whole = false;
        return;
      }
      const query = { from_seq: this.next, limit: PAGE, proofs: true };
      let page;
      try {
        page = await proof.call('listTournamentEntries', { tournament: this.event, query });
      } catch (error) {
        if (!error.failed) throw error;
        this.failed = error;
        return;
      }
      const told = page.entries
        .map(({ entry }) => ({ events: eventsOf(JSON.parse(entry)) }))
        .filter(({ events }) => events.some(([name]) => DRAWS.has(name)));
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
      && await proof.seatCommitment({ ...context, use: before.use, player, seed }) === before.commitment;
    draw.seeds.push({ entry_no: entryNo, player, seed, opens: !!opens });
    if (next) {
      this.commitments.set(entryNo, { commitment: next, use: this.usesOf(player) });
      this.count(player);
    }
  }

  /**
   * Checks that the house's number leads to the one before and that every seed opens its commitment; for the first draw
   * it computes E completely.
   */
  async drawn({ draw_no: number, link, entropy, withheld }, context) {
    const draw = this.list.find(one => one.draw === number);
    if (!draw) return;
    const led = await proof.drawBefore({ ...context, draw: number, link });
    const wanted = number === 0 ? this.tip : this.list.find(one => one.draw === number - 1)?.done?.link ?? null;
    draw.done = { link, entropy, withheld };
    draw.checks.push({ what: 'chain', ok: led === wanted });
    draw.checks.push({ what: 'seeds', ok: draw.seeds.every(one => one.opens) });
    if (number === 0) {
      const computed = await proof.drawEntropy({ ...context, draw: number, link, running: ZERO, seeds: draw.seeds });
      draw.checks.push({ what: 'entropy', ok: computed === entropy });
    }
  }

  /** The draw whose check failed, or null. */
  get broken() { return this.list.find(draw => draw.checks.some(check => !check.ok)) ?? null; }
}

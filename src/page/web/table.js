// A table as this page knows it: the state from the client's table in the worker, which takes its entries from the
// stream and from replies. It asks the service only for missing data, never for data that follows from known data: five
// hundred may watch one table (spec/page.md, 4).

import { get, follow } from './api.js';
import { errorOf, proof, stopped } from './proof.js';

/** Openings follow their entry at once; both are processed together if they come within this time. */
const TOGETHER_MS = 25;
/** The time until entries of the stream are proven: short if the player has a stake, otherwise longer. */
const PROVE_SOON_MS = 900,
  PROVE_LATER_MS = 5000,
  PROVE_SPREAD_MS = 10000;
const MOST_TOLD = 120;

export class Table {
  /** `onChange(what)` is called after each change; `what.events` are the events of entries seen for the first time. */
  constructor(name, { onChange, onHalt, onState, onBalance }) {
    Object.assign(this, {
      name,
      onChange,
      onHalt,
      onState,
      onBalance,
      info: null,
      state: null,
      round: null,
      faces: new Map(),
      own: null,
      story: [],
      failedSlot: null,
      isPending: false,
      checkpoint: null,
      lastIndex: null,
      live: 'connecting',
      closed: null,
      halted: null,
      opened: null,
      stake: () => false,
      hasLapsed: false,
      lastTime: 0,
      skew: 0,
    });
    this.stopped = false;
  }

  /**
   * The table in the form of `TableView`: the entries' state, plus the parts that only the service knows (rules,
   * signs).
   */
  get view() {
    if (!this.info || !this.state) return this.info;
    return { ...this.info, ...this.state, cash: this.state.cash && { ...this.info.cash, ...this.state.cash } };
  }
  get rules() {
    return this.info.rules;
  }

  /** The service's time as far as this browser can tell: at least that of the newest entry. */
  now() {
    return Date.now() + this.skew;
  }

  async open() {
    if (stopped.by) {
      this.halted = stopped.by;
      this.info = await get(`/v1/tables/${this.name}`);
    } else await this.begin();
    if (!this.halted) this.listen();
    this.onChange({ events: [] });
  }

  /** Follows the table from its bundle on, if it has entries yet. */
  async begin() {
    const reply = await proof.openTable(this.name);
    this.opened = reply.open;
    if (reply.newest) {
      this.lastIndex = reply.newest.index;
      this.noteTime(JSON.parse(reply.newest.entry).time);
    }
    this.stand(reply);
    if (!reply.ok) this.halt(reply);
    // Own cards of a hand dealt before this page was opened.
    else await this.hear('lookAtOwn');
  }

  /**
   * Calls the client's table, and takes the state afterwards. Throws the service's refusals, and failed checks, after
   * which no more calls are made.
   */
  ask(action, ...given) {
    return this.take(this.opened.ask(action, ...given));
  }

  /** The same for a method that commits to a seed, `chosen` or a fresh one. */
  commit(chosen, action, ...given) {
    return this.take(this.opened.commit(chosen, action, ...given));
  }

  async take(asked) {
    const reply = await asked;
    if (this.stopped || this.halted) return undefined;
    this.stand(reply);
    if (!reply.ok) {
      this.halt(reply);
      throw Object.assign(new Error(reply.failed.message), { failed: reply.failed });
    }
    this.onChange({ events: this.eventsOf(reply.entries) });
    if (reply.value?.balance !== undefined) this.onBalance(reply.value.balance, reply.value.receipts[0].index);
    if (reply.error) throw errorOf(reply.error);
    return reply.value;
  }

  /** Automatic input: after a network failure it is tried again with the next one. */
  async hear(action, ...given) {
    if (this.stopped || this.halted || !this.opened) return;
    try {
      await this.ask(action, ...given);
      this.proveLater();
    } catch (error) {
      if (!this.stopped && !this.halted) this.onState('behind', error);
    }
  }

  // --- Input

  listen() {
    let waiting = null,
      timer = null;
    const flush = () => {
      clearTimeout(timer);
      if (!waiting) return;
      const { index, entry, openings } = waiting;
      waiting = null;
      this.told({ index, entry }, openings);
    };
    this.stop = follow(`/v1/tables/${this.name}`, {
      last: this.lastIndex,
      onEvent: ({ type, index, entry, openings, own }) => {
        if (type === 'openings' && waiting?.index === index) {
          waiting.openings = openings;
          return flush();
        }
        flush();
        if (type === 'entry') {
          waiting = { index, entry, openings: [] };
          timer = setTimeout(flush, TOGETHER_MS);
        } else if (type === 'own') this.hear('takeStreamedOwn', own);
        else if (this.lastTold?.index === index) this.told(this.lastTold, openings);
        return undefined;
      },
      onState: (state, problem) => {
        const before = this.live;
        this.live = state === 'open' ? 'live' : state;
        if (state === 'ended') this.ended(problem);
        // Entries made while no stream was open are on the stream after the last entry.
        if (state === 'open' && !this.state) this.hear('refresh');
        if (state === 'open' && this.state && before === 'broken') this.hear('readInfo');
        this.onState(this.live, problem);
      },
    });
  }

  /** Another player looks now: own cards come on a stream opened with their token. */
  listenAnew() {
    if (this.halted || this.closed || !this.stop) return;
    this.stop();
    this.listen();
    this.hear('lookAtOwn');
  }

  /** The stream does not continue: the table is closed, or does not exist. */
  async ended(problem) {
    // The end of a stream does not name the table that replaced this one: the table's view does.
    const why = problem ?? (await this.ask('readInfo').catch(error => error));
    this.closed = { code: why?.code ?? 'closed', replacedBy: why?.replacedBy };
    this.onChange({ events: [] });
  }

  told(entry, openings) {
    this.lastTold = entry;
    this.hear('takeStreamed', entry, openings);
  }

  // --- State

  /** The events of entries that are seen for the first time. */
  eventsOf(entries) {
    const events = entries.flatMap(({ index, entry }) => {
      const { time, by, command, events: list } = JSON.parse(entry);
      this.lastIndex = index;
      this.noteTime(time);
      return list.map(event => ({ ...flat(event), by, time, index, command }));
    });
    this.story.push(...events);
    this.story.splice(0, this.story.length - MOST_TOLD);
    for (const { name } of events) {
      if (name === 'bets_lapsed') this.hasLapsed = true;
      else if (name === 'bets_opened' || name === 'play_asked') this.hasLapsed = false;
    }
    if (events.some(event => event.name === 'table_closed')) this.closed ||= { code: 'closed' };
    return events;
  }

  stand({ info, state, round, own, isPending, checkpoint, faces }) {
    Object.assign(this, { info, state, round, own, isPending, checkpoint });
    const inUse = new Set(faces.map(face => face.shoe));
    if (this.faces.size > 2000)
      for (const [name, face] of this.faces) if (!inUse.has(face.shoe)) this.faces.delete(name);
    for (const face of faces) this.faces.set(`${face.shoe}/${face.slot}`, face);
  }

  /** A service whose clock is ahead of this one's is followed; a slower one is not waited for. */
  noteTime(time) {
    this.lastTime = Math.max(this.lastTime, time);
    this.skew = Math.max(this.skew, time - Date.now());
  }

  /** A failed check: no state can be derived any more. */
  halt({ failed, evidence }) {
    if (this.halted) return;
    this.halted = { ...failed, evidence };
    this.sealFailed(failed);
    stopped.by ||= this.halted;
    this.stop?.();
    this.onHalt(this.halted);
  }

  /**
   * Marks the card of a failed check: its slot if the check names one, otherwise all cards of its entry. This includes
   * a card of this round that was proven before, if another proof of it fails.
   */
  sealFailed({ entry, message }) {
    const [, slot] = /\bslot (\d+)/.exec(message || '') || [];
    this.failedSlot = slot === undefined ? null : Number(slot);
    for (const [name, face] of this.faces) {
      const isOpen = face.state !== 'proven';
      const isMeant =
        slot === undefined
          ? isOpen && face.entry === entry
          : (isOpen || face.shoe === this.round?.shoe_no) && face.slot === this.failedSlot;
      if (isMeant) this.faces.set(name, { ...face, state: 'failed' });
    }
  }

  /** The state of a face; if its check failed before it was known at all, that it failed. */
  faceOf(name, slot) {
    return this.faces.get(name) ?? (slot === this.failedSlot ? { slot, state: 'failed' } : undefined);
  }

  // --- Proofs of the stream's entries

  proveLater() {
    if (!this.isPending || this.proving) return;
    const wait = this.stake() ? PROVE_SOON_MS : PROVE_LATER_MS + Math.random() * PROVE_SPREAD_MS;
    this.proving = setTimeout(() => {
      this.proving = null;
      this.hear('prove');
    }, wait);
  }

  close() {
    this.stopped = true;
    clearTimeout(this.proving);
    this.stop?.();
    this.opened?.close();
  }
}

/** An event with its name and fields apart; those of a game stand under `play`. */
function flat(event) {
  const [[name, fields]] = Object.entries(event);
  if (name !== 'play' && name !== 'tournament') return { name, fields };
  const [[inner, within]] = Object.entries(fields);
  return { name: inner, fields: within };
}

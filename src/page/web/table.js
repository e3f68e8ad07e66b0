// A table as this page knows it: what stands at it by the client's table in the worker, which takes its entries as
// they come on the stream and in replies. Asks the service for what is missing, never for what follows from what is
// there: five hundred watch one table (spec/page.md, 4).

import { get, follow } from './api.js';
import { errorOf, proof, stopped } from './proof.js';

/** Openings follow their entry at once; both are taken together if they come within this. */
const TOGETHER_MS = 25;
/** When entries of the stream are proven: soon where the player has something at stake, in their own time else. */
const PROVE_SOON_MS = 900,
  PROVE_LATER_MS = 5000,
  PROVE_SPREAD_MS = 10000;
const MOST_TOLD = 120;

export class Table {
  /** `onChange(what)` is called after each change; `what.events` are the events of entries taken for the first time. */
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

  /** The table as `TableView` has it: what the entries say, over what only the service says (rules, signs). */
  get view() {
    if (!this.info || !this.state) return this.info;
    return { ...this.info, ...this.state, cash: this.state.cash && { ...this.info.cash, ...this.state.cash } };
  }
  get rules() {
    return this.info.rules;
  }

  /** The service's time as far as this browser can tell: the newest entry is no older than that. */
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

  /** Follows the table from its bundle on, where there is anything to follow yet. */
  async begin() {
    const reply = await proof.openTable(this.name);
    this.opened = reply.open;
    if (reply.newest) {
      this.lastIndex = reply.newest.index;
      this.noteTime(JSON.parse(reply.newest.entry).time);
    }
    this.stand(reply);
    if (!reply.ok) this.halt(reply);
    // Own cards of a hand that was dealt before this page was opened.
    else await this.hear('lookAtOwn');
  }

  /**
   * Asks the client's table, and takes what stands then. Throws what the service refuses, and what fails, after which
   * nothing is asked any more.
   */
  ask(action, ...given) {
    return this.take(this.opened.ask(action, ...given));
  }

  /** The same of what commits to a seed, `chosen` or a fresh one. */
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
    if (reply.value?.balance !== undefined) this.onBalance(reply.value.balance);
    if (reply.error) throw errorOf(reply.error);
    return reply.value;
  }

  /** What comes by itself: what fails of the network is tried again with what comes next. */
  async hear(action, ...given) {
    if (this.stopped || this.halted || !this.opened) return;
    try {
      await this.ask(action, ...given);
      this.proveLater();
    } catch (error) {
      if (!this.stopped && !this.halted) this.onState('behind', error);
    }
  }

  // --- What comes

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
        // What came and went while nobody listened is on the stream behind the last entry.
        if (state === 'open' && !this.state) this.hear('refresh');
        if (state === 'open' && this.state && before === 'broken') this.hear('readInfo');
        this.onState(this.live, problem);
      },
    });
  }

  /** Another player looks now: own cards come on a stream that is opened with their token. */
  listenAnew() {
    if (this.halted || this.closed || !this.stop) return;
    this.stop();
    this.listen();
    this.hear('lookAtOwn');
  }

  /** The stream goes no further: the table is closed, or there is none. */
  async ended(problem) {
    // That a stream is over does not say which table came in this one's place: the table does.
    const why = problem ?? (await this.ask('readInfo').catch(error => error));
    this.closed = { code: why?.code ?? 'closed', replacedBy: why?.replacedBy };
    this.onChange({ events: [] });
  }

  told(entry, openings) {
    this.lastTold = entry;
    this.hear('takeStreamed', entry, openings);
  }

  // --- What stands

  /** The events of entries that are taken for the first time. */
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

  /** A service whose clock is ahead of this one's is followed; one that is behind is not waited for. */
  noteTime(time) {
    this.lastTime = Math.max(this.lastTime, time);
    this.skew = Math.max(this.skew, time - Date.now());
  }

  /** A failed check: nothing follows from anything any more. */
  halt({ failed, evidence }) {
    if (this.halted) return;
    this.halted = { ...failed, evidence };
    this.sealFailed(failed);
    stopped.by ||= this.halted;
    this.stop?.();
    this.onHalt(this.halted);
  }

  /**
   * The card that a failed check is about is seen to be: its slot where the check names one, else all of its entry.
   * One of this round's also where it was proven before: another proof of it does not hold.
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

  /** What is known of a face; of one whose check failed before anything else was known of it, that it failed. */
  faceOf(name, slot) {
    return this.faces.get(name) ?? (slot === this.failedSlot ? { slot, state: 'failed' } : undefined);
  }

  // --- Proofs of what the stream told

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

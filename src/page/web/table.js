// A table as this page knows it: its entries as they come on the stream and in replies, taken by the follower in the
// worker one after the other, and what stands after each. Asks the service for what is missing, never for what
// follows from what is there: five hundred watch one table (spec/page.md, 4).

import { get, follow } from './api.js';
import { proof, stopped } from './proof.js';
import { session } from './session.js';

/** Openings follow their entry at once; both are taken together if they come within this. */
const TOGETHER_MS = 25;
/** When entries of the stream are proven: soon where the player has something at stake, in their own time else. */
const PROVE_SOON_MS = 900,
  PROVE_LATER_MS = 5000,
  PROVE_SPREAD_MS = 10000;
const MOST_TOLD = 120;

/** A table at which no shoe was ever committed has no history to judge: it is read until there is one. */
const NOTHING_YET = new Set(['no_shoe', 'unknown_shoe', 'unknown_round']);

const bundlePath = table => `/v1/tables/${table}/bundle`;

export class Table {
  /** `heard(what)` is called after each change; `what.events` are the events of entries taken for the first time. */
  constructor(name, { onChange, onHalt, onState }) {
    Object.assign(this, {
      name,
      onChange,
      onHalt,
      onState,
      info: null,
      state: null,
      round: null,
      faces: new Map(),
      own: null,
      ownFaces: [],
      story: [],
      failedSlot: null,
      unproven: new Map(),
      lastIndex: -1,
      heardIndex: -1,
      live: 'connecting',
      closed: null,
      halted: null,
      followed: null,
      checkpoint: null,
      stake: () => false,
      skew: 0,
      // The shoe in use when the dealer may have started anew: those after it are of another epoch. Undefined: it
      // did not.
      restartedAt: undefined,
    });
    this.queue = Promise.resolve();
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
    if (stopped.by) this.halted = stopped.by;
    await this.readInfo();
    if (!this.halted) await this.begin();
    if (!this.halted) this.listen();
    this.onChange({ events: [] });
  }

  async readInfo() {
    this.info = await get(`/v1/tables/${this.name}`);
    if (this.restartedAt !== undefined && this.info.shoe && this.info.shoe.shoe_no > this.restartedAt)
      this.restartedAt = undefined;
  }

  /** The epoch that a commitment for this table's next round is bound to: its shoe's, or that of the one to come. */
  async epoch() {
    const isOther = this.info.shoe?.shoe_no !== this.view.shoe?.shoe_no;
    if (this.info.epoch === null || (this.restartedAt !== undefined && isOther)) await this.readInfo();
    return this.info.epoch ?? (await get('/v1/log')).epoch;
  }

  mayHaveRestarted() {
    this.restartedAt ??= this.view?.shoe?.shoe_no ?? -1;
  }

  /** Follows the table from its bundle on. */
  async begin() {
    if (!this.info.shoe && this.info.next_round === 0) return undefined;
    let bundle;
    try {
      bundle = await get(bundlePath(this.name), { as: 'text' });
    } catch (error) {
      if (!NOTHING_YET.has(error.code)) throw error;
      return undefined;
    }
    const reply = await proof.follow(this.name, bundle);
    if (!reply.ok) return this.halt(reply);
    this.followed?.drop();
    this.followed = reply.followed;
    const { entries } = JSON.parse(bundle);
    if (entries.length) {
      this.lastIndex = Math.max(this.lastIndex, entries.at(-1).index);
      this.heardIndex = this.lastIndex;
      this.noteTime(JSON.parse(entries.at(-1).entry).time);
    }
    this.stand(reply);
    return this.readOwn();
  }

  /** Own cards of a hand that was dealt before this page was opened. */
  async readOwn() {
    if (!session.player || !this.round || !this.isPrivate() || !['open'].includes(this.round.phase)) return;
    if (!this.round.contributors.some(one => one.player === session.player) && !this.info.tournament) return;
    const read = await get(`/v1/rounds/${this.round.id}`);
    if (read.own) await this.takeOwn(read.own);
  }

  /** Before there is anything to follow: the table as the service says it is, until its first shoe is committed. */
  async lookAgain() {
    await this.readInfo();
    if (this.info.shoe) await this.begin();
    this.onChange({ events: [] });
  }

  isPrivate() {
    return !!this.rules.game.poker;
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
      this.pending(index, entry, openings);
    };
    this.stop = follow(`/v1/tables/${this.name}`, {
      last: this.lastIndex < 0 ? null : this.lastIndex,
      onEvent: ({ type, index, entry, openings, own }) => {
        if (type === 'openings' && waiting?.index === index) {
          waiting.openings = openings;
          return flush();
        }
        flush();
        if (type === 'entry') {
          waiting = { index, entry, openings: [] };
          timer = setTimeout(flush, TOGETHER_MS);
        } else if (type === 'openings')
          this.pending(index, this.lastEntry?.index === index ? this.lastEntry.entry : null, openings);
        else this.do(() => this.takeOwn(own));
        return undefined;
      },
      onState: (state, problem) => {
        const before = this.live;
        this.live = state === 'open' ? 'live' : state;
        if (state === 'broken') this.mayHaveRestarted();
        if (state === 'ended') this.ended(problem);
        // What came and went while nobody listened is on the stream behind the last entry; a restart may be among it.
        if (state === 'open')
          this.do(() => (this.followed ? before === 'broken' && this.readInfo() : this.lookAgain()));
        this.onState(this.live, problem);
      },
    });
  }

  /** Another player looks now: own cards come on a stream that is opened with their token. */
  listenAnew() {
    if (this.halted || this.closed || !this.stop) return;
    this.stop();
    this.listen();
  }

  /** The stream goes no further: the table is closed, or there is none. */
  async ended(problem) {
    // That a stream is over does not say which table came in this one's place: the table does.
    const why = problem ?? (await this.readInfo().catch(error => error));
    this.closed = { code: why?.code ?? 'closed', replacedBy: why?.replacedBy };
    this.onChange({ events: [] });
  }

  pending(index, entry, openings) {
    if (entry === null) return;
    this.lastEntry = { index, entry };
    this.do(async () => {
      if (!this.followed) return this.lookAgain();
      if (index > this.lastIndex || openings.length)
        this.after(await this.followed.takePending(index, entry, openings), [{ index, entry }]);
      await this.fetchNeeds();
      return this.proveLater();
    });
  }

  /**
   * The entries of a reply, with its openings and own cards: its receipts were verified, and held against what was asked
   * for, by the client that sent the call.
   */
  take(accepted) {
    return this.do(async () => {
      if (accepted.balance !== undefined) session.setBalance(accepted.balance);
      if (!this.followed) return this.lookAgain();
      // An opening without a shoe is of the round's own one, also where the table has the next one by now.
      const openings = (accepted.openings || []).map(one =>
        one.shoe_no === undefined ? { ...one, shoe_no: accepted.round.shoe_no } : one,
      );
      for (const [i, receipt] of accepted.receipts.entries()) {
        const { at } = JSON.parse(receipt.entry);
        if (at?.table !== this.name) continue;
        const reply = await this.followed.takeReceipt(receipt, i === 0 ? openings : []);
        this.after(reply, [receipt]);
        await this.fetchNeeds();
        if (reply.needs) this.after(await this.followed.takeReceipt(receipt, i === 0 ? openings : []), [receipt]);
      }
      if (accepted.own) await this.takeOwn(accepted.own);
      return undefined;
    });
  }

  /** Cards that nobody else is shown: held against the deck that was picked. */
  async takeOwn(own) {
    if (this.halted || !this.followed) return;
    const reply = await this.followed.own(own, session.player);
    if (!reply.ok) {
      this.halt(reply);
      return;
    }
    // Before the deal is here they wait for it.
    this.ownWaits = reply.faces ? null : own;
    if (!reply.faces) return;
    this.own = own;
    this.ownFaces = reply.faces;
    for (const face of reply.faces) this.faces.set(`${face.shoe}/${face.slot}`, face);
    this.onChange({ events: [] });
  }

  /** What the follower cannot go on without. */
  async fetchNeeds() {
    for (let tried = 0; this.needs && !this.halted && tried < 8; tried++) {
      if (this.needs.bundle) {
        await this.readInfo();
        const bundle = await get(bundlePath(this.name), { as: 'text' });
        this.after(await this.followed.renew(bundle), JSON.parse(bundle).entries, true);
      } else {
        await this.takeFrom(this.needs.entries);
      }
    }
  }

  async takeFrom(seq) {
    const page = await get(`/v1/tables/${this.name}/entries?proofs=true&limit=256&from_seq=${seq}`);
    this.after(await this.followed.take(page.entries, page.checkpoint), page.entries);
    return page;
  }

  // --- What stands

  /** One thing after the other; what fails of the network is tried again with what comes next. */
  do(action) {
    const done = this.queue.then(() => (this.stopped || this.halted ? undefined : action()));
    this.queue = done.catch(error => {
      if (!this.stopped) this.onState('behind', error);
    });
    return done;
  }

  /**
   * Notes what a reply of the follower brought; `taken` are the entries that were given to it. Of a bundle
   * (`isWhole`) all are taken, and proven.
   */
  after(reply, taken, isWhole = false) {
    if (!reply.ok) {
      this.stand(reply);
      this.halt(reply);
      return;
    }
    const told = new Set((reply.change?.entries || []).map(one => one.index));
    if (isWhole) for (const { index } of taken) this.unproven.delete(index);
    // What the follower cannot decide before it has a newer bundle may be of a shoe that the bundle no longer holds.
    const isLost = one => reply.needs?.bundle && one.index > this.lastIndex;
    const events = this.eventsOf(taken.filter(one => isWhole || told.has(one.index) || isLost(one)));
    if (isWhole) this.lastIndex = Math.max(this.lastIndex, ...taken.map(one => one.index));
    for (const one of reply.change?.entries || []) {
      this.lastIndex = Math.max(this.lastIndex, one.index);
      if (!one.proven) this.unproven.set(one.index, one.seq);
    }
    this.story.push(...events);
    this.story.splice(0, this.story.length - MOST_TOLD);
    for (const index of reply.change?.proven || []) this.unproven.delete(index);
    for (const one of reply.change?.entries || []) if (one.proven) this.unproven.delete(one.index);
    this.stand(reply);
    if (this.ownWaits) this.do(() => this.ownWaits && this.takeOwn(this.ownWaits));
    if (events.some(event => event.command.recover)) this.mayHaveRestarted();
    if (events.some(event => event.name === 'table_closed')) this.closed = { code: 'closed' };
    this.onChange({ events });
  }

  /** The events of entries that were not heard of before. */
  eventsOf(entries) {
    const events = [];
    for (const { index, entry } of entries) {
      if (index <= this.heardIndex) continue;
      this.heardIndex = index;
      const { time, by, command, events: list } = JSON.parse(entry);
      this.noteTime(time);
      events.push(...list.map(event => ({ ...flat(event), by, time, index, command })));
    }
    return events;
  }

  stand(reply) {
    const before = this.round?.id;
    this.needs = reply.needs || null;
    if (reply.view !== undefined) this.round = reply.view;
    if (reply.table) this.state = reply.table;
    if (reply.checkpoint) this.checkpoint = reply.checkpoint;
    if (this.round?.id !== before) Object.assign(this, { own: null, ownFaces: [] });
    const inUse = new Set((reply.faces || []).map(face => face.shoe));
    if (this.faces.size > 2000)
      for (const [name, face] of this.faces) if (!inUse.has(face.shoe)) this.faces.delete(name);
    for (const face of reply.faces || []) this.faces.set(`${face.shoe}/${face.slot}`, face);
  }

  /** A service whose clock is ahead of this one's is followed; one that is behind is not waited for. */
  noteTime(time) {
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

  /** The card that a failed check is about is seen to be: its slot where the check names one, else all of its entry. */
  sealFailed({ entry, message }) {
    const [, slot] = /\bslot (\d+)/.exec(message || '') || [];
    this.failedSlot = slot === undefined ? null : Number(slot);
    for (const [name, face] of this.faces) {
      const isMeant = slot === undefined ? face.entry === entry : face.slot === this.failedSlot;
      if (isMeant && face.state !== 'proven') this.faces.set(name, { ...face, state: 'failed' });
    }
  }

  /** What is known of a face; of one whose check failed before anything else was known of it, that it failed. */
  faceOf(name, slot) {
    return this.faces.get(name) ?? (slot === this.failedSlot ? { slot, state: 'failed' } : undefined);
  }

  // --- Proofs of what the stream told

  proveLater() {
    if (!this.unproven.size || this.proving) return;
    const wait = this.stake() ? PROVE_SOON_MS : PROVE_LATER_MS + Math.random() * PROVE_SPREAD_MS;
    this.proving = setTimeout(() => {
      this.proving = null;
      this.prove().catch(() => this.proveLater());
    }, wait);
  }

  /** Proves all that is known by now. True: every entry so far is under a checkpoint of the history known here. */
  prove() {
    return this.do(async () => {
      for (let tried = 0; this.unproven.size && tried < 8 && !this.halted; tried++) {
        const page = await this.takeFrom(Math.min(...this.unproven.values()));
        // Taken with its proof and not proven by it: of a shoe that is over and forgotten, which binds nothing any
        // more.
        if (!this.needs && !this.halted) for (const { index } of page.entries) this.unproven.delete(index);
      }
      if (this.halted || this.unproven.size || !this.checkpoint) return false;
      const checked = await proof.checkpoint(this.checkpoint);
      if (!checked.ok) this.halt(checked);
      return checked.ok;
    });
  }

  close() {
    this.stopped = true;
    clearTimeout(this.proving);
    this.stop?.();
    this.followed?.drop();
  }
}

/** An event with its name and fields apart; those of a game stand under `play`. */
function flat(event) {
  const [[name, fields]] = Object.entries(event);
  if (name !== 'play' && name !== 'tournament') return { name, fields };
  const [[inner, within]] = Object.entries(fields);
  return { name: inner, fields: within };
}

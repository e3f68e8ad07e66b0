// A tournament's room: its clock, prizes and standings, the player's own entry with its actions, the draw of seats
// (spec/games/tournaments.md). Hands are played at the player's table, /play/NAME.n.

import { el, fill } from './dom.js';
import { say } from './words.js';
import { get, follow } from './api.js';
import { freshKey } from './client-calls.js';
import { proof } from './proof.js';
import { session } from './session.js';
import { problemWords } from './trouble.js';
import { redraw } from './redraw.js';
import { Draws, forgetSeeds, register, revealSeat } from './tournament-draws.js';
import { untilWords, whole } from './tournament-parts.js';

const REFRESH_MS = 5000;
const SOON_MS = 250;
const TICK_MS = 500;
const STANDINGS = 50;
const HAND_WAIT_MS = 1500;
const HAND_TRIES = 60;

class Room {
  constructor(root, name, app) {
    Object.assign(this, {
      root, name, app, view: null, standings: { entries: [], next: null }, cursors: [null], tables: [], busy: false,
        draws: new Draws(name),
      lostSeed: null, ahead: 0, level: null, closed: false,
    });
    this.path = `/v1/tournaments/${encodeURIComponent(name)}`;
    root.addEventListener('click', event => this.press(event));
    root.addEventListener('submit', event => {
      event.preventDefault();
      this.press(event);
    });
  }

  async open() {
    await this.refresh();
    this.app.title(this.name);
    this.stop = follow(this.path, { onEvent: event => this.heard(event) });
    this.timer = setInterval(() => this.soon(), REFRESH_MS);
    this.ticking = setInterval(() => this.tick(), TICK_MS);
    this.forget = session.onChange(() => {
      if (this.player !== session.player) this.soon();
    });
  }

  close() {
    this.closed = true;
    this.stop?.();
    this.forget?.();
    clearInterval(this.timer);
    clearInterval(this.ticking);
    clearTimeout(this.planned);
  }

  /** The service's time, as far as its entries tell it: this browser's clock may be slow. */
  now() { return Date.now() + this.ahead; }

  heard({ type, entry }) {
    if (type === 'entry') {
      const { time } = JSON.parse(entry);
      // An entry that arrives live was made just now; older ones lie in the past and tell nothing.
      if (time > this.now()) this.ahead = time - Date.now();
    }
    this.soon();
  }

  soon() {
    if (document.hidden && this.view?.own?.reveals_use === null) return;
    this.planned ||= setTimeout(() => {
      this.planned = null;
      this.refresh().catch(error => this.trouble(error));
    }, SOON_MS);
  }

  async refresh() {
    if (this.refreshing) {
      this.again = true;
      return this.refreshing;
    }
    this.refreshing = this.read();
    try {
      await this.refreshing;
    } finally {
      this.refreshing = null;
    }
    if (this.again) {
      this.again = false;
      this.soon();
    }
    return undefined;
  }

  async read() {
    const cursor = this.cursors.at(-1);
    const [view, standings, tables] = await Promise.all([
      get(this.path), get(`${this.path}/standings?limit=${STANDINGS}${cursor ? `&cursor=${cursor}` : ''}`),
      get(`${this.path}/tables?limit=50`),
    ]);
    if (this.closed) return;
    this.player = session.player;
    Object.assign(this, { view, standings, tables: tables.tables });
    this.announce();
    this.draw();
    await this.reveal();
    await forgetSeeds(view);
    await this.readDraws();
  }

  async readDraws() {
    try {
      await this.draws.readOn(this.view);
    } catch (error) {
      console.error(error);
    }
    if (!this.closed) this.draw();
  }

  /** The seed that an open draw awaits is sent automatically, unless it is in another browser. */
  async reveal() {
    const { own, draw } = this.view;
    if (!draw || !own || own.reveals_use === null || this.revealing || this.draws.failed) return;
    this.revealing = true;
    try {
      const isSent = await revealSeat(this.view);
      this.lostSeed = null;
      if (isSent) this.app.announce(say('tournament.seed_sent'));
    } catch (error) {
      if (error.name === 'SeedLost') this.lostSeed = draw.draw_no;
      else if (!['already_revealed', 'wrong_draw'].includes(error.code)) this.trouble(error);
    } finally {
      this.revealing = false;
    }
  }

  announce() {
    const { clock, summary } = this.view;
    const now = `${summary.stage} ${clock?.level ?? 0} ${clock?.in_break ?? false}`;
    if (this.level !== null && this.level !== now && summary.stage === 'running') {
      this.app.announce(clock.in_break ? say('tournament.break_now') : say('tournament.level', { level: clock.level }));
    }
    this.level = now;
  }

  trouble(error) {
    if (this.closed) return;
    this.problem = problemWords(error);
    this.app.announce(this.problem);
    this.draw();
  }

  draw() {
    const body = redraw(`tournament|${this.name}|${document.documentElement.lang}`, whole(this));
    if (this.root.firstChild !== body) fill(this.root, body);
  }

  /** Only countdowns; all other parts are drawn when they change. */
  tick() {
    const now = this.now();
    for (const node of this.root.querySelectorAll('[data-until]')) {
      const words = untilWords(Number(node.dataset.until) - now);
      if (node.textContent !== words) node.textContent = words;
    }
  }

  value(name) { return this.root.querySelector(`[name="${name}"]`)?.value ?? ''; }

  press(event) {
    const button = event.type === 'submit' ? event.submitter : event.target.closest('button[data-do]');
    if (!button || (event.type === 'click' && button.type === 'submit')) return;
    const action = ACTIONS[button.dataset.do];
    if (action) this.run(action, button.dataset);
  }

  async run(action, data) {
    if (this.busy) return;
    this.busy = true;
    this.problem = null;
    this.draw();
    try {
      const words = await action(this, data);
      this.problem = null;
      if (words) this.app.announce(words);
    } catch (error) {
      this.problem = problemWords(error);
      this.app.announce(this.problem);
    } finally {
      this.busy = false;
    }
    await this.refresh().catch(error => this.trouble(error));
    session.refresh().catch(() => {});
  }
}

const sleep = ms => new Promise(done => setTimeout(done, ms));

/** Sends; requests allowed only between hands wait for the hand to end. */
async function send(room, call, body, more = {}) {
  const key = freshKey();
  for (let tried = 1; ; tried++) {
    try {
      return await proof.call(call, { tournament: room.name, ...more, body }, { key });
    } catch (error) {
      if (error.code !== 'hand_in_progress' || tried >= HAND_TRIES || room.closed) throw error;
      room.problem = say('tournament.after_hand');
      room.draw();
      await sleep(HAND_WAIT_MS);
    }
  }
}

/** Hundredths of a percent, from a typed percentage. */
function basisPoints(text) {
  const found = /^\s*(\d{1,3})(?:[.,](\d{1,2}))?\s*%?\s*$/.exec(text);
  const points = found ? Number(found[1]) * 100 + Number((found[2] || '').padEnd(2, '0')) : 0;
  if (points < 1 || points > 10000) throw new Error(say('tournament.percent_form'));
  return points;
}

const ACTIONS = {
  login: async room => { await room.app.login(); },
  register: async room => {
    const typed = room.value('seed').trim().toLowerCase();
    if (typed && !/^[0-9a-f]{64}$/.test(typed)) throw new Error(say('tournament.seed_form'));
    const pay = room.root.querySelector('input[name="pay"]:checked')?.value ?? 'cash';
    await register(room.view, pay, typed || null);
    return say('tournament.registered');
  },
  unregister: async room => {
    if (!confirm(say('tournament.sure_unregister'))) return null;
    await proof.call('unregister', { tournament: room.name });
    return say('tournament.unregistered');
  },
  rebuy: async room => {
    await send(room, 'rebuy', {});
    return say('tournament.rebought');
  },
  decline: async room => {
    if (!confirm(say('tournament.sure_decline'))) return null;
    await send(room, 'declineRebuy', { entry_no: room.view.own.entry.entry_no });
    return null;
  },
  addon: async room => {
    await send(room, 'addOn', {});
    return say('tournament.added_on');
  },
  offer: async room => {
    await send(room, 'offerStake', { basis_points: basisPoints(room.value('offer')) });
    return say('tournament.offered');
  },
  buy: async (room, { seller }) => {
    await send(room, 'buyStake', { basis_points: basisPoints(room.value(`buy-${seller}`)) }, { seller });
    return say('tournament.bought', { seller });
  },
  want: async room => { await send(room, 'wantDeal', { want: true }); },
  unwant: async room => { await send(room, 'wantDeal', { want: false }); },
  propose: async (room, { method }) => {
    if (method !== 'amounts') {
      await send(room, 'proposeDeal', { method });
      return null;
    }
    const amounts = [...room.root.querySelectorAll('input[data-amount]')].map(field => {
      const text = field.value.replaceAll(/[\s,.']/g, '');
      if (!/^\d{1,15}$/.test(text)) throw new Error(say('tournament.amounts_form'));
      return [Number(field.dataset.amount), Number(text)];
    });
    await send(room, 'proposeDeal', { method, amounts: amounts.sort(([one], [other]) => one - other) });
    return null;
  },
  accept: async (room, { digest }) => { await send(room, 'answerDeal', { digest, accept: true }); },
  refuse: async (room, { digest }) => { await send(room, 'answerDeal', { digest, accept: false }); },
  next: async room => { if (room.standings.next) room.cursors.push(room.standings.next); },
  previous: async room => { if (room.cursors.length > 1) room.cursors.pop(); },
};

export async function open(root, params, app) {
  fill(root, el('p', { class: 'loading', role: 'status' }, say('tournament.opening')));
  const room = new Room(root, params.tournament, app);
  try {
    await room.open();
  } catch (error) {
    room.close();
    if (error.code !== 'unknown_tournament') throw error;
    fill(root, el('section', { class: 'panel trouble' },
      el('h1', {}, say('tournament.none', { name: params.tournament })),
      el('p', {}, el('a', { href: '/' }, say('main.lobby')))));
    return () => {};
  }
  return () => room.close();
}


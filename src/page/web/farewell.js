// A player who closes the page at a cash table sits out: the next hand would wait for a seed that no one sends, become
// void, and name them. A closing page cannot wait, least of all for a signature. So the request is prepared, and again
// whenever the player signed something else.

import { proof, stopped } from './proof.js';
import { session } from './session.js';

const AWAY = 'fairshoe.away';
/** A reload is back within this time; a player who comes later is asked whether they play. */
const BACK_MS = 60_000;

export class Farewell {
  constructor(table, duties) {
    Object.assign(this, { table, duties, request: null, isMaking: false, made: null });
    this.hide = () => this.say();
    addEventListener('pagehide', this.hide);
  }

  /** The player's seat, if a hand may be called that waits for them. */
  seat() {
    const { view } = this.table;
    if (!view?.cash || view.tournament || !session.player) return null;
    return view.cash.seats.find(one => one.player === session.player && !one.leaving) ?? null;
  }

  /** The state changed: the player is back after a reload, or their request must be prepared again. */
  look() {
    const seat = this.seat();
    if (!seat) this.request = null;
    else if (seat.sitting_out) {
      this.request = null;
      if (this.isBack()) this.duties.seat({});
    } else this.prepare();
  }

  isBack() {
    const [name, at] = (sessionStorage.getItem(AWAY) ?? '').split(' ');
    if (name !== this.table.name) return false;
    sessionStorage.removeItem(AWAY);
    return Date.now() - Number(at) < BACK_MS;
  }

  /** The player's newest entry at this table: what they sign after it makes an earlier signature void. */
  newest() {
    return this.table.story.findLast(({ by }) => by === `player:${session.player}`)?.index ?? null;
  }

  async prepare() {
    if (this.isMaking) return;
    this.isMaking = true;
    // They may sign something else while it is made.
    while (this.seat() && !this.table.halted && !stopped.by && !(this.request && this.made === this.newest())) {
      const made = this.newest();
      try {
        this.request = await proof.prepare('sitOut', { table: this.table.name });
        this.made = made;
      } catch {
        // Without it, the table treats them like any player who does not answer.
        this.request = null;
        break;
      }
    }
    this.isMaking = false;
  }

  say() {
    const seat = this.seat(),
      { request } = this;
    if (!request || !seat || seat.sitting_out || this.table.halted || stopped.by) return;
    this.request = null;
    const { path, method, headers, body } = request;
    sessionStorage.setItem(AWAY, `${this.table.name} ${Date.now()}`);
    fetch(path, { method, headers, body, keepalive: true }).catch(() => {});
  }

  /** The room is closed: for another room in this page, or to be drawn again. */
  close() {
    removeEventListener('pagehide', this.hide);
    if (location.pathname !== `/play/${this.table.name}`) this.say();
  }
}

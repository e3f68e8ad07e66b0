// What this page does for its player without being asked: reveals a seed once what it binds to is proven, commits
// to a hand that is called or to a new pile. And what it sends for them: bets, choices, seats. Nothing that binds
// is sent after a failed check (spec/page.md, 3).

import { proof, stopped } from './proof.js';
import { session } from './session.js';

/** A duty that was refused is tried again when something happened at the table. */
const RACES = new Set([
  'already_revealed',
  'reveals_over',
  'deadline_passed',
  'wrong_round',
  'nothing_to_do',
  'not_a_contributor',
  'hand_not_called',
]);

/** `InvalidInput`: by what is known now it is not due any more. */
const isRace = error => RACES.has(error.code) || error.name === 'InvalidInput';

export class Duties {
  /** `onProblem(error, what)` hears of what could not be sent. */
  constructor(table, { onProblem, onBusy }) {
    Object.assign(this, { table, onProblem, onBusy, typed: null, busy: 0, doing: new Set(), putOff: new Set() });
  }

  get me() {
    return session.player;
  }

  /** Whether the player has something at stake here. */
  atStake() {
    const { round } = this.table,
      view = this.table.view;
    return (
      !!this.me &&
      (!!round?.contributors.some(one => one.player === this.me) ||
        !!view?.seats.some(seat => seat.player === this.me) ||
        !!view?.cash?.seats.some(seat => seat.player === this.me))
    );
  }

  // --- Sending

  /** Does what the player asked for, and says what is wrong. True: it is on the log. */
  async send(what, action) {
    if (this.table.halted || stopped.by) return false;
    this.busy++;
    this.onBusy();
    try {
      await action();
      return !this.table.halted;
    } catch (error) {
      if (error.code === 'unauthorized') session.logout();
      if (!this.table.halted) this.onProblem(error, what);
      return false;
    } finally {
      this.busy--;
      this.onBusy();
    }
  }

  /** A method of the client's table, asked for by the player. */
  ask(what, action, ...given) {
    return this.send(what, () => this.table.ask(action, ...given));
  }

  /** The same of one that commits to a seed: the one that the player typed, once. */
  async commitBy(action, ...given) {
    const accepted = await this.table.commit(this.typed, action, ...given);
    if (accepted?.isChosen) this.typed = null;
  }

  bet(bets) {
    return this.send('bet', () => this.commitBy('bet', bets));
  }
  takeBack() {
    return this.ask('take_back', 'takeBack');
  }
  act(decision, action) {
    return this.ask('act', 'act', decision, action);
  }
  seat(body) {
    return this.ask('seat', 'sit', body);
  }
  leave() {
    return this.ask('leave', 'leave');
  }
  sitOut() {
    return this.ask('sit_out', 'sitOut');
  }
  addChips(amount) {
    return this.ask('chips', 'addChips', amount);
  }
  wait() {
    return this.ask('waiting', 'wait');
  }

  // --- What is due

  /** Looks what is due after a change, and does it. */
  look(events) {
    if (events.length) this.putOff.clear();
    if (!this.me || this.table.halted || stopped.by || !this.table.info) return;
    for (const duty of this.due()) {
      const name = `${duty.what} ${duty.roundNo}`;
      if (this.doing.has(name) || this.putOff.has(name)) continue;
      this.doing.add(name);
      this[duty.what](duty)
        .catch(error => {
          this.putOff.add(name);
          if (!isRace(error) && !this.table.halted) this.onProblem(error, duty.what);
        })
        .finally(() => {
          this.doing.delete(name);
          this.look([]);
        });
    }
    this.forget(events);
  }

  due() {
    const { round, view } = { round: this.table.round, view: this.table.view },
      due = [];
    const mine = round?.phase === 'awaiting_reveals' && round.contributors.find(one => one.player === this.me);
    if (mine && mine.seed === null)
      due.push({ what: 'reveal', roundNo: round.round_no });
    const pile = round?.pile,
      piled = pile?.players.find(one => one.player === this.me);
    if (piled && pile.awaits === 'commitments' && piled.commitment === null)
      due.push({ what: 'commit', roundNo: pile.round_no });
    if (piled && pile.awaits === 'seeds' && piled.seed === null)
      due.push({ what: 'reveal', roundNo: pile.round_no });
    const call = view?.cash?.call,
      seat = view?.cash?.seats.find(one => one.player === this.me);
    if (
      call &&
      seat &&
      !seat.sitting_out &&
      !seat.leaving &&
      call.awaited.includes(this.me) &&
      !view.cash.committed.includes(this.me)
    )
      due.push({ what: 'commit', roundNo: call.round_no });
    return due;
  }

  commit({ roundNo }) {
    return this.commitBy('commit', roundNo);
  }

  /**
   * The seed goes out only when all so far is proven, and what binds is what the player asked for: the client sees to
   * it, and sends the commitment for the next hand along. What is not on the log yet is looked for again.
   */
  async reveal() {
    if (await this.table.ask('prove')) await this.table.ask('reveal', { withNext: true });
  }

  /** Seeds of rounds that are over, or whose epoch is, are of no use any more. */
  forget(events) {
    const over = events.filter(event => ['round_settled', 'round_voided'].includes(event.name));
    const { origin } = this.table.info,
      { name: table } = this.table;
    for (const { fields } of over) proof.forgetSeeds({ origin, table, player: this.me, upTo: fields.round_no });
  }
}

// The page's own duties for its player: it reveals a seed once the binding entry is proven, and commits to a called
// hand or a new pile. And the player's requests: bets, choices, seats. After a failed check nothing binding is sent
// (spec/page.md, 3).

import { proof, stopped } from './proof.js';
import { session } from './session.js';

/** A refused duty is tried again after a change at the table. */
const RACES = new Set([
  'already_revealed',
  'reveals_over',
  'deadline_passed',
  'wrong_round',
  'nothing_to_do',
  'not_a_contributor',
  'hand_not_called',
]);

/** `InvalidInput`: by present knowledge it is no longer due. */
const isRace = error => RACES.has(error.code) || error.name === 'InvalidInput';

export class Duties {
  /** `onProblem(error, what)` gets requests that could not be sent. */
  constructor(table, { onProblem, onBusy }) {
    Object.assign(this, { table, onProblem, onBusy, typed: null, busy: 0, doing: new Set(), putOff: new Set() });
  }

  get me() {
    return session.player;
  }

  /** Whether the player has a stake here. */
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

  /** Does the player's request, and shows what is wrong. True: it is on the log. */
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

  /** A method of the client's table, requested by the player. */
  ask(what, action, ...given) {
    return this.send(what, () => this.table.ask(action, ...given));
  }

  /** The same for a method that commits to a seed: once with the player's typed seed. */
  async commitBy(action, ...given) {
    const accepted = await this.table.commit(this.typed, action, ...given);
    if (accepted?.isChosen) this.typed = null;
  }

  /** In this round or in none: a press that arrives late was not meant for the next one. */
  bet(bets, roundNo) {
    return this.send('bet', () => this.commitBy('bet', bets, roundNo));
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

  // --- Duties

  /** Finds the duty after a change, and does it. */
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
   * The seed is sent only when everything so far is proven and the binding entry equals the player's request. The
   * client checks this, and sends the commitment for the next hand with it. An entry that is not on the log yet is
   * looked for again.
   */
  async reveal() {
    if (await this.table.ask('prove')) await this.table.ask('reveal', { withNext: true });
  }

  /** Seeds of finished rounds and epochs are no longer needed. */
  forget(events) {
    const over = events.filter(event => ['round_settled', 'round_voided'].includes(event.name));
    const { origin } = this.table.info,
      { name: table } = this.table;
    for (const { fields } of over) proof.forgetSeeds({ origin, table, player: this.me, upTo: fields.round_no });
  }
}

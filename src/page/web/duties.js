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

  /** A call of the contract, its answer held against what was asked for, and what it says of the table taken. */
  async call(id, args, onAccepted = () => {}) {
    try {
      const accepted = await proof.call(id, args);
      await onAccepted();
      await this.table.take(accepted);
    } catch (error) {
      if (error.failed) this.table.halt(error);
      throw error;
    }
  }

  /** A call about the player's seat. */
  ask(what, id, body) {
    return this.send(what, () => this.call(id, { table: this.table.name, ...(body ? { body } : {}) }));
  }

  /** What the seed for a round is bound to. */
  async placeOf(roundNo) {
    const epoch = await this.table.epoch();
    return { origin: this.table.info.origin, table: this.table.name, epoch, roundNo, player: this.me };
  }

  /** The commitment to the seed that is kept for there. */
  async commitTo(place, bets = null) {
    const kept = await proof.prepareSeed(place, bets, this.typed);
    if (kept.seed === this.typed) this.typed = null;
    return kept.commitment;
  }

  bet(bets) {
    const { window, next_round: next } = this.table.view,
      roundNo = window ? window.round_no : next;
    return this.send('bet', async () => {
      const place = await this.placeOf(roundNo),
        commitment = await this.commitTo(place, bets);
      const args = { table: this.table.name, body: { round_no: roundNo, bets, commitment } };
      await this.call('placeBet', args, () => proof.betsStand(place, bets));
    });
  }

  takeBack() {
    const { window } = this.table.view;
    return this.send('take_back', () =>
      this.call('cancelBet', { table: this.table.name, round_no: window.round_no }),
    );
  }

  act(decision, action) {
    const args = { id: this.table.round.id, body: { decision: decision.decision, action } };
    return this.send('act', () => this.call('act', args));
  }

  seat(body) {
    return this.ask('seat', 'takeSeat', body);
  }
  leave() {
    return this.ask('leave', 'leaveSeat');
  }
  sitOut() {
    return this.ask('sit_out', 'sitOut');
  }
  addChips(amount) {
    return this.ask('chips', 'addChips', { amount });
  }
  wait() {
    return this.ask('waiting', 'wantSeat');
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
          if (!RACES.has(error.code) && !this.table.halted) this.onProblem(error, duty.what);
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
      due.push({ what: 'reveal', roundNo: round.round_no, commitment: mine.commitment });
    const pile = round?.pile,
      piled = pile?.players.find(one => one.player === this.me);
    if (piled && pile.awaits === 'commitments' && piled.commitment === null)
      due.push({ what: 'commit', roundNo: pile.round_no });
    if (piled && pile.awaits === 'seeds' && piled.seed === null)
      due.push({ what: 'reveal', roundNo: pile.round_no, commitment: piled.commitment });
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

  async commit({ roundNo }) {
    const commitment = await this.commitTo(await this.placeOf(roundNo));
    if (this.table.halted) return;
    await this.call('commitSeed', { id: `${this.table.name}:${roundNo}`, body: { commitment } });
  }

  /**
   * The seed goes out only when the shoe's commitment, the bets and everything else so far are proven under a
   * checkpoint of the one history known here, and what binds is what the player asked for; that checkpoint goes
   * with it.
   */
  async reveal({ roundNo, commitment }) {
    const { origin } = this.table.info,
      bound = this.boundBets(roundNo);
    const found = await proof.findSeed({ origin, table: this.table.name, roundNo, player: this.me, commitment, bound });
    if (!found) throw Object.assign(new Error('seed_lost'), { code: 'seed_lost' });
    if (!found.isAsked) await this.haltAt(found.bets, bound);
    if (!(await this.table.prove()) || this.table.halted) return;
    const [, size, root] = this.table.checkpoint.split('\n');
    const body = { player: this.me, seed: found.seed, saw: { size: Number(size), root } };
    const { cash, tournament } = this.table.view,
      seat = cash?.seats.find(one => one.player === this.me);
    if (seat && !tournament && !seat.sitting_out && !seat.leaving && this.table.restartedAt === undefined)
      body.next = await this.commitTo(await this.placeOf(roundNo + 1));
    const reveal = () => this.call('revealSeed', { id: `${this.table.name}:${roundNo}`, body });
    await reveal().catch(error => {
      // Only the commitment for the next hand could not be taken: this hand's seed goes alone.
      if (!body.next || error.failed || RACES.has(error.code)) throw error;
      delete body.next;
      return reveal();
    });
  }

  /** The bets that bind in this round, which have to be those that were asked for; null where none are bet. */
  boundBets(roundNo) {
    const { round, view } = this.table;
    if (view.cash || round.round_no !== roundNo) return null;
    return round.contributors.find(one => one.player === this.me).bets;
  }

  /** What binds is not what was asked for, to the chip. */
  async haltAt(asked, bound) {
    const { evidence } = await this.table.followed.evidence();
    const message = `asked for ${JSON.stringify(asked)}, bound is ${JSON.stringify(bound)}`;
    this.table.halt({ failed: { check: 'bets', message }, evidence });
    throw Object.assign(new Error('the bets that bind are not those asked for'), { code: 'nothing_to_do' });
  }

  /** Seeds of rounds that are over, or whose epoch is, are of no use any more. */
  forget(events) {
    const over = events.filter(event => ['round_settled', 'round_voided'].includes(event.name));
    const { origin } = this.table.info,
      { name: table } = this.table;
    for (const { fields } of over) proof.forgetSeeds({ origin, table, player: this.me, upTo: fields.round_no });
  }
}

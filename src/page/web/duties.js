// What this page does for its player without being asked: reveals a seed once what it binds to is proven, commits
// to a hand that is called or to a new pile. And what it sends for them: bets, choices, seats. Nothing that binds
// is sent after a failed check (spec/page.md, 3).

import { post, remove, freshKey } from './api.js';
import { proof } from './proof.js';
import { session } from './session.js';
import { stopped } from './halt.js';

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

  /**
   * Sends what `ask` asks for, takes the reply as proof, and says what is wrong. `expect` is the command that the
   * entry has to hold. True: it is on the log.
   */
  async send(what, ask, expect) {
    if (this.table.halted || stopped.by) return false;
    this.busy++;
    this.onBusy();
    try {
      const accepted = await ask();
      await this.table.take(accepted, this.expecting(expect?.()));
      return !this.table.halted;
    } catch (error) {
      if (error.code === 'unauthorized') session.logout();
      this.onProblem(error, what);
      return false;
    } finally {
      this.busy--;
      this.onBusy();
    }
  }

  /** Looks whether an entry holds the command that was asked for, in the player's name: nothing else, to the chip. */
  expecting(wanted) {
    if (!wanted) return undefined;
    const [[name, fields]] = Object.entries(wanted),
      check = name === 'bet' ? 'bets' : name === 'act' ? 'choice' : name;
    return ({ command }) => {
      const got = command[name];
      const same = ([field, value]) => JSON.stringify(sorted(got?.[field])) === JSON.stringify(sorted(value));
      const differs = Object.entries(fields).find(pair => !same(pair));
      if (!differs) return null;
      const [field, value] = differs;
      const says = JSON.stringify(got?.[field]);
      return { check, message: `${field}: asked for ${JSON.stringify(value)}, the entry says ${says}` };
    };
  }

  /** The seed for a round, kept before its commitment is told to anybody. */
  async commitTo(roundNo, bets = null) {
    const epoch = await this.table.epoch(),
      { origin } = this.table.info,
      { name } = this.table;
    const kept = session.seedFor(origin, name, epoch, roundNo, this.me, this.typed);
    const { commitment } = await proof.commitment({
      origin,
      table: name,
      epoch,
      roundNo,
      player: this.me,
      seed: kept.seed,
    });
    session.keepSeed(origin, name, epoch, roundNo, this.me, { ...kept, commitment, bets, sent: true });
    if (kept.seed === this.typed) this.typed = null;
    return commitment;
  }

  async bet(bets) {
    const { window, next_round: next } = this.table.view,
      roundNo = window ? window.round_no : next;
    let commitment;
    return this.send(
      'bet',
      async () => {
        commitment = await this.commitTo(roundNo, bets);
        return post(`/v1/tables/${this.table.name}/bets`, { round_no: roundNo, bets, commitment });
      },
      () => ({ bet: { table: this.table.name, round_no: roundNo, bets, commitment } }),
    );
  }

  takeBack() {
    const { window } = this.table.view;
    return this.send('take_back', () => remove(`/v1/tables/${this.table.name}/bets/${window.round_no}`));
  }

  act(decision, action) {
    const { round } = this.table;
    return this.send(
      'act',
      () => post(`/v1/rounds/${round.id}/actions`, { decision: decision.decision, action }),
      () => ({ act: { table: this.table.name, round_no: round.round_no, decision: decision.decision, action } }),
    );
  }

  seat(body) {
    return this.send('seat', () => post(`/v1/tables/${this.table.name}/seat`, body, { key: freshKey() }));
  }
  leave() {
    return this.send('leave', () => remove(`/v1/tables/${this.table.name}/seat`, { key: freshKey() }));
  }
  sitOut() {
    return this.send('sit_out', () => post(`/v1/tables/${this.table.name}/sit_out`, {}, { key: freshKey() }));
  }
  addChips(amount) {
    return this.send('chips', () => post(`/v1/tables/${this.table.name}/chips`, { amount }, { key: freshKey() }));
  }
  wait() {
    return this.send('waiting', () => post(`/v1/tables/${this.table.name}/waiting`, {}, { key: freshKey() }));
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
          if (!RACES.has(error.code)) this.onProblem(error, duty.what);
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
    const commitment = await this.commitTo(roundNo);
    if (this.table.halted) return;
    const accepted = await post(`/v1/rounds/${this.table.name}:${roundNo}/commitments`, { commitment });
    await this.table.take(accepted, ({ command }) => {
      const got = Object.values(command)[0].commitment;
      return got === commitment
        ? null
        : { check: 'commitment', message: `asked for ${commitment}, the entry says ${got}` };
    });
  }

  /**
   * The seed goes out only when the shoe's commitment, the bets and everything else so far are proven under a
   * checkpoint of the one history known here, and what binds is what the player asked for; that checkpoint goes
   * with it.
   */
  async reveal({ roundNo, commitment }) {
    const kept = session.seedOf(this.table.info.origin, this.table.name, roundNo, this.me, commitment);
    if (!kept) throw Object.assign(new Error('seed_lost'), { code: 'seed_lost' });
    await this.holdToBet(roundNo, kept.bets);
    if (!(await this.table.prove()) || this.table.halted) return;
    const [, size, root] = this.table.checkpoint.split('\n');
    const body = { player: this.me, seed: kept.seed, saw: { size: Number(size), root } };
    const { cash, tournament } = this.table.view,
      seat = cash?.seats.find(one => one.player === this.me);
    if (seat && !tournament && !seat.sitting_out && !seat.leaving && this.table.restartedAt === undefined)
      body.next = await this.commitTo(roundNo + 1);
    const reveal = () => post(`/v1/rounds/${this.table.name}:${roundNo}/reveals`, body);
    const accepted = await reveal().catch(error => {
      // Only the commitment for the next hand could not be taken: this hand's seed goes alone.
      if (!body.next || RACES.has(error.code)) throw error;
      delete body.next;
      return reveal();
    });
    await this.table.take(accepted, this.expecting({ reveal: { player: this.me, seed: kept.seed } }));
  }

  /** What binds is what was asked for, to the chip. */
  async holdToBet(roundNo, asked) {
    const { round } = this.table;
    if (!asked || round.round_no !== roundNo) return;
    const { bets } = round.contributors.find(one => one.player === this.me);
    const plain = list => JSON.stringify(list.map(({ spot, stake }) => [spot, stake]).sort());
    if (plain(bets) === plain(asked)) return;
    const { evidence } = await this.table.followed.evidence();
    this.table.halt({
      failed: { check: 'bets', message: `asked for ${plain(asked)}, bound is ${plain(bets)}` },
      evidence,
    });
    throw Object.assign(new Error('the bets that bind are not those asked for'), { code: 'nothing_to_do' });
  }

  /** Seeds of rounds that are over, or whose epoch is, are of no use any more. */
  forget(events) {
    const over = events.filter(event => ['round_settled', 'round_voided'].includes(event.name));
    for (const { fields } of over)
      session.forgetSeeds(this.table.info.origin, this.table.name, this.me, fields.round_no);
  }
}

/** The same value with the fields of its objects in one order. */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, sorted(value[key])]),
  );
}

// A table: the felt, whose turn it is and until when, the player's actions, the events. The game draws its own felt
// (game-*.js); table.js knows the table's state, duties.js sends requests.

import { el, fill } from './dom.js';
import { GAMES, gameModule } from './games.js';
import { has, money, say, span, stakesKey } from './words.js';
import { get } from './api.js';
import { session } from './session.js';
import { Table } from './table.js';
import { Duties } from './duties.js';
import { Farewell } from './farewell.js';
import { YourTurn } from './your-turn.js';
import { Actions } from './play-actions.js';
import { Side } from './play-side.js';
import { isOfOthers, statusOf, clockOf } from './play-status.js';
import { isOwn, noticeOf, voidWords } from './play-notices.js';
import { sealed, showProof } from './seal.js';
import { coded, problemWords } from './trouble.js';
import { haltPanel } from './halt.js';

const TICK_MS = 250;
/** Time to read an outcome, if the next round begins by itself and at once. */
const OUTCOME_MS = 4000;
/** The cards of a finished round stay this long, even if the next one began; at most this part of a turn's time. */
const RESULT_MS = 3000,
  RESULT_PART = 4;

/** A player's own place on the felt. */
const ASKED = '.hand.is-mine',
  OWN = '.box.is-own, .poker-seat.own, .safe-seat.own, .bac-spot .own';

/** The name of the game of a table's rules; for a poker table, its variant. */
export const gameOf = rules => Object.keys(rules.game)[0];
const familyOf = rules => {
  const family = rules.game.poker?.hand.family;
  return family && has(`game.${family}`) ? family : gameOf(rules);
};

class Room {
  constructor(root, params, app) {
    Object.assign(this, {
      root, params, app, game: null, over: null, overId: null, result: null, untold: [], movedTo: null,
      newestBalance: 0,
    });
    this.table = new Table(params.table, {
      onChange: ({ events }) => this.changed(events),
      onHalt: () => this.draw(),
      onState: (state, problem) => this.connection(state, problem),
      onBalance: (balance, index) => this.balanceAt(balance, index),
    });
    this.duties = new Duties(this.table, {
      onProblem: (error, what) => this.problem(error, what),
      onBusy: () => this.actions?.busy(this.duties.busy > 0),
    });
    this.table.stake = () => this.duties.atStake();
    this.farewell = new Farewell(this.table, this.duties);
  }

  async open() {
    fill(this.root, el('p', { class: 'loading', role: 'status' }, say('play.opening')));
    const game = gameOf((await get(`/v1/tables/${this.table.name}`)).rules);
    // Before its entries are read: to the verifier rules that it does not know are a fault of the log.
    if (!Object.hasOwn(GAMES, game)) throw Object.assign(new Error(say('game.unknown')), { game });
    await this.table.open();
    // The choices at a cash table come with poker alone: other tables are lighter without them.
    [this.game, this.cash] = await Promise.all([gameModule(game), game === 'poker' ? import('./play-cash.js') : null]);
    this.app.title(this.table.name);
    this.build();
    this.draw();
    this.duties.look([]);
    this.farewell.look();
    this.ticking = setInterval(() => this.tick(), TICK_MS);
    this.who = session.player;
    this.forget = session.onChange(() => this.playerChanged());
    this.hearKeys = event => this.key(event);
    document.addEventListener('keydown', this.hearKeys);
    await this.attendDraws();
  }

  /** Seats are also drawn in the middle of an event: players at a tournament's table reveal their seeds from here. */
  async attendDraws() {
    const event = this.table.info.tournament?.tournament;
    if (!event) return;
    const { attend } = await import('./tournament-draws.js');
    this.leaveDraws = attend(event, {
      onProblem: error => this.problem(error),
      onView: view => this.seatTold(view),
    });
    if (this.closed) this.leaveDraws();
  }

  /** A tournament moves players between its tables: a player who sat here goes to their new seat. */
  seatTold({ own }) {
    const { at, table } = own?.entry ?? {};
    if (at !== 'seated' || !table || this.closed) return;
    const isHere = table === this.table.name,
      to = isHere || !this.satHere ? null : table;
    this.satHere ||= isHere;
    if (to === this.movedTo) return;
    this.movedTo = to;
    this.draw();
    this.goToSeat();
  }

  /** They read the result of their last hand first. The call of a hand there waits for their commitment. */
  goToSeat() {
    const { halted, round } = this.table;
    const isInHand =
      ['awaiting_reveals', 'open'].includes(round?.phase) &&
      round.contributors.some(one => one.player === session.player);
    clearTimeout(this.going);
    if (!this.movedTo || halted || isInHand) return;
    this.going = setTimeout(() => {
      this.app.toast(say('play.moved', { table: this.movedTo }));
      this.app.go(`/play/${this.movedTo}`);
    }, Math.max(0, (this.result?.until ?? 0) - Date.now()));
  }

  close() {
    this.closed = true;
    this.farewell.close();
    this.turn?.close();
    this.leaveDraws?.();
    clearInterval(this.ticking);
    for (const timer of [this.passing, this.telling, this.resulting, this.going]) clearTimeout(timer);
    this.forget?.();
    this.actions?.close();
    if (this.hearKeys) document.removeEventListener('keydown', this.hearKeys);
    this.table.close();
  }

  // --- Drawing

  build() {
    const { info, rules } = this.table,
      game = gameOf(rules);
    this.status = el('p', { class: 'status', role: 'status' });
    this.end = el('p', { class: 'outcome is-off', dataset: { tone: 'over' } });
    this.clock = el('div', { class: 'clock', 'aria-hidden': 'true' }, el('span'));
    this.feltBox = el('div', { class: 'felt-box' });
    // The circle on the felt takes the chip as its spot on the bar does, and a free seat is chosen where it stands.
    this.feltBox.addEventListener('click', ({ target }) => {
      const box = target.closest('.box-place')?.closest('.box').dataset.id.slice('box-'.length);
      if (box) this.actions.element.querySelector(`[data-spot="${box}"]:not([hidden])`)?.click();
      const seat = target.closest('.poker-seat.free')?.dataset.id.slice('seat-'.length),
        choice = seat && this.actions.element.querySelector('.buy-in select');
      if (choice) choice.value = seat;
    });
    this.notices = el('div', { class: 'table-notices' });
    this.actions = new Actions(this);
    this.actions.element.addEventListener('laid', () => this.draw());
    this.side = new Side(this);
    const { name } = this.table;
    this.turn = new YourTurn(is => this.app.title(is ? `${say('status.your_turn')} · ${name}` : name));
    const stakes = rules.game.poker
      ? `${money(rules.game.poker.blinds.small)}/${money(rules.game.poker.blinds.big)}`
      : span(rules.table.stake_min, rules.table.stake_max);
    fill(
      this.root,
      el(
        'div',
        { class: 'table-room', dataset: { game, mode: rules.table.mode } },
        el(
          'header',
          { class: 'table-head' },
          el('a', { class: 'quiet to-lobby', href: '/' }, `‹ ${say('main.lobby')}`),
          el('h1', {}, say(`game.${familyOf(rules)}`), el('span', { class: 'table-name' }, info.table)),
          el(
            'p',
            { class: 'table-tags' },
            el('span', { class: 'tag' }, say(`play.${rules.table.mode}`)),
            el('span', { class: 'tag' }, `${say(stakesKey(rules))} ${stakes}`),
            info.chips === 'play' && el('span', { class: 'tag' }, say('main.play_chips')),
            info.tournament &&
              el(
                'a',
                { class: 'tag', href: `/tournament/${info.tournament.tournament}` },
                info.tournament.tournament,
              ),
          ),
          GAMES[game].hasTurns && this.turn.element,
        ),
        el(
          'div',
          { class: 'table-main' },
          this.notices,
          el(
            'section',
            { class: 'felt', 'aria-label': say('play.felt') },
            el('h2', { class: 'visually-hidden' }, say('play.felt')),
            el('div', { class: 'status-line' }, this.status, this.clock, this.end),
            this.feltBox,
          ),
          this.actions.element,
        ),
        this.side.element,
      ),
    );
  }

  /** The content of the felt: the round in play, or for a while the one before it, whose result is to be read. */
  onFelt() {
    const { result, table } = this,
      isHeld = result && Date.now() < result.until && table.round?.id !== result.round.id;
    return isHeld ? result : { round: table.round, view: table.view, own: table.own, story: table.story };
  }

  context() {
    const { table } = this,
      { round, view, own, story } = this.onFelt();
    return {
      me: session.player,
      rules: table.rules,
      table: view,
      round,
      seats: view.seats,
      own,
      story,
      isRolling: !!this.telling,
      say,
      money,
      unit: 1,
      now: () => table.now(),
      balance: session.reach,
      busy: this.duties.busy > 0,
      card: given => this.card(given),
      act: (action, cost) => this.act(action, cost),
    };
  }

  /** A card with its seal; its proof is looked up on request. */
  card({ slot, pile, card: code, isHeld }) {
    const name = this.faceName(slot, pile);
    return sealed(code, this.table.faceOf(name, slot), () => this.showCard(name, slot, code, isHeld), isHeld);
  }

  faceName(slot, pile) {
    const { round } = this.onFelt();
    const shoe = round?.shoes && pile !== undefined && pile !== null ? round.shoes[pile] : round?.shoe_no;
    return `${shoe}/${slot}`;
  }

  showCard(name, slot, code, isHeld) {
    const { shoe } = this.table.view,
      [shoeNo] = name.split('/');
    showProof({
      code,
      slot,
      shoeNo,
      game: gameOf(this.table.rules),
      isHeld,
      face: this.table.faceOf(name, slot),
      committed: shoe && String(shoe.shoe_no) === shoeNo ? shoe.entry : null,
    });
  }

  /** The player's own open decision, if there is one, once its cards lie there. */
  decision() {
    const { round } = this.onFelt();
    return round?.phase === 'open' ? round.decisions.find(one => one.player === session.player) || null : null;
  }

  draw() {
    if (!this.feltBox) return;
    const { table } = this,
      ctx = this.context();
    if (table.halted) fill(this.notices, haltPanel(table.halted, table));
    const felt = this.game.felt(ctx.round?.game ?? null, ctx);
    if (this.feltBox.firstChild !== felt) fill(this.feltBox, felt);
    this.root.firstChild.classList.toggle('is-halted', !!table.halted);
    this.actions.draw(ctx);
    if (!ctx.isRolling) this.side.draw(ctx);
    this.drawEnd();
    this.tick();
    // At last: words of two lines make the felt higher, too.
    this.keepSeen();
  }

  /** The outcome stays until the next round begins, for at least some seconds, or until the next bet is sent. */
  drawEnd() {
    this.end.classList.toggle('is-off', !this.over);
    if (this.end.textContent !== (this.over || '')) this.end.textContent = this.over || '';
  }

  betting() {
    // A player who deals for themselves has read it.
    if (this.table.rules.table.mode === 'solo') this.result = null;
    Object.assign(this, { over: null, overId: null });
    this.drawEnd();
  }

  /** The round is over: its outcome goes after the time to read it. */
  passOutcome() {
    clearTimeout(this.passing);
    const left = this.over ? this.overAt + OUTCOME_MS - Date.now() : 0;
    if (left <= 0) this.over = null;
    else this.passing = setTimeout(() => this.betting(), left);
  }

  /** Parts that change by time alone: the words about a deadline, and its clock. */
  tick() {
    if (!this.status) return;
    const now = this.table.now(),
      laid = this.actions.laid(this.table.view?.window?.round_no),
      status = this.telling
        ? { words: say('status.rolling'), tone: '' }
        : statusOf(this.table, session.player, now, laid);
    // Runs four times a second: unchanged parts are not touched.
    if (this.status.textContent !== status.words) {
      this.status.textContent = status.words;
      // A player's choices can change by time alone, too.
      this.actions.draw(this.context());
      this.keepSeen();
    }
    if (this.status.dataset.tone !== status.tone) this.status.dataset.tone = status.tone;
    const clock = clockOf(status, now);
    this.clock.classList.toggle('is-off', !clock);
    if (!clock) return;
    this.clock.firstChild.style.setProperty('--left', String(clock.left));
    this.clock.dataset.hurry = clock.hurry ? '' : 'no';
    this.clock.dataset.seconds = String(clock.seconds);
  }

  // --- Events

  changed(events) {
    if (!this.feltBox) return;
    const { round } = this.table,
      ends = events.some(event => event.name === 'round_settled' || event.name === 'round_voided');
    const isOver = round && (round.phase === 'settled' || round.phase === 'voided');
    if (isOver && ends) this.settle(round);
    else if (!isOver || round.id !== this.overId || isOfOthers(this.table, session.player)) this.passOutcome();
    for (const event of events) this.heed(event);
    this.draw();
    // From the time when it is visible.
    if (isOver && ends) {
      this.result.until = Date.now() + this.result.lies;
      this.resulting = setTimeout(() => this.changed([]), this.result.lies + 1);
    }
    const decision = this.decision(),
      asked = decision && `${round.id} ${decision.decision}`;
    this.turn.tell(!!asked, asked !== this.asked);
    const ahead = asked && asked !== this.asked && this.cash?.takeAhead(this, decision);
    if (ahead) this.act(ahead);
    else if (asked && asked !== this.asked) {
      this.actions.focus();
      this.showFelt();
    }
    this.asked = asked;
    this.duties.look(events);
    this.farewell.look();
    this.goToSeat();
  }

  /** A round is over: its result is told at once, or when the ball stops, and stays for a while. */
  settle(round) {
    const { table } = this,
      { turn_time_ms: turn } = table.rules.table;
    const roll = round.phase === 'settled' ? (this.game.rollMs?.(round.game) ?? 0) : 0,
      stays = turn ? Math.min(RESULT_MS, turn / RESULT_PART) : RESULT_MS;
    const { view, own, story } = table;
    for (const timer of [this.passing, this.resulting]) clearTimeout(timer);
    this.tellNow();
    this.result = { round, view, own, story: [...story], lies: roll + stays, until: 0 };
    const words = this.outcome(round);
    if (roll) this.telling = setTimeout(() => this.tellNow(), roll);
    this.whenTold(() => {
      Object.assign(this, { over: words, overId: round.id, overAt: Date.now() });
      this.app.announce(words);
    });
  }

  /** Runs this now, or as soon as the ball stops: no balance may tell the result before the wheel does. */
  whenTold(tell) {
    if (this.telling) this.untold.push(tell);
    else tell();
  }

  /** The balance after this entry. An answer may come after later entries: it takes back none of theirs. */
  balanceAt(balance, index) {
    if (index < this.newestBalance) return;
    this.newestBalance = index;
    this.whenTold(() => session.setBalance(balance));
  }

  tellNow() {
    clearTimeout(this.telling);
    const untold = this.untold.splice(0),
      isLate = !!this.telling;
    this.telling = null;
    for (const tell of untold) tell();
    if (isLate && !this.closed) this.draw();
  }

  /** The hand that is asked, otherwise the player's own place: of several hands each is in sight at its turn. */
  ownPlace() {
    return this.feltBox.querySelector(ASKED) ?? this.feltBox.querySelector(OWN);
  }

  /** When bar or felt take another height, the player's own place stays above the bar, and at their turn in sight. */
  keepSeen() {
    const bar = this.actions.element,
      heights = `${bar.offsetHeight} ${this.feltBox.parentElement.offsetHeight} ${innerHeight}`,
      own = this.ownPlace();
    if (!own || heights === this.heights) return;
    this.heights = heights;
    const { top, bottom } = own.getBoundingClientRect();
    if (bottom > bar.getBoundingClientRect().top || (top < 0 && this.decision())) this.showFelt();
  }

  /**
   * If the bar of choices covers the lower part of the felt, the felt moves up, but the player's own place stays in
   * sight. If the bar stands next to the felt, own cards below the window scroll into it. At baccarat the felt moves
   * only until one's own bet is seen: with it all, the status would leave the window.
   */
  showFelt() {
    const felt = this.feltBox.parentElement.getBoundingClientRect(),
      bar = this.actions.element.getBoundingClientRect(),
      place = this.ownPlace(),
      own = place?.getBoundingClientRect(),
      moved = place?.matches('.bac-spot .own') ? own : felt;
    const covered = bar.left >= felt.right
      ? (own?.bottom ?? 0) - innerHeight
      : Math.min(moved.bottom - bar.top, Math.max((own?.top ?? Infinity) - 8, (own?.bottom ?? 0) - bar.top));
    if (covered > 0 || own?.top < 0)
      scrollBy({
        top: covered + 4,
        behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
      });
  }

  outcome(round) {
    if (round.phase === 'voided') {
      const mine = round.contributors.find(one => one.player === session.player);
      return voidWords(round.void?.cause, mine && (mine.returned || mine.staked));
    }
    return this.game.outcome(round.game, round, this.context());
  }

  /** An entry's effects outside the game. */
  heed({ name, fields, by, command, time, index }) {
    const me = session.player;
    if (name === 'posted') {
      for (const [account, , balance] of fields.lines)
        if (me && account === `player:${me}`) this.balanceAt(balance, index);
    }
    if (name === 'leave_asked' && fields.player === me) this.isLeaving = true;
    if (isOwn({ by, command }, me)) for (const note of this.notices.querySelectorAll('.passes')) note.remove();
    const laid = this.actions.laid(fields.round_no).length > 0,
      notice = noticeOf({ name, fields, command, time }, me, { isLeaving: this.isLeaving, laid });
    if (notice) this.notice(...notice);
    if (name === 'seat_left' && fields.player === me) this.isLeaving = false;
    if (name === 'round_settled' || name === 'round_voided')
      this.whenTold(() => this.side.ended(fields, name === 'round_voided'));
  }

  notice(tone, words, passes) {
    const note = el(
      'p',
      { class: `notice ${tone}${passes ? ' passes' : ''}`, role: 'status' },
      coded(words),
      ' ',
      el('button', { class: 'quiet', type: 'button', on: { click: () => note.remove() } }, say('main.close')),
    );
    this.notices.append(note);
    while (this.notices.childElementCount > 3) this.notices.firstChild.remove();
    this.app.announce(words);
  }

  problem(error, what) {
    const { round, view } = this.table;
    // The page tells whether this arrived as soon as it is known.
    if (error.name === 'NoAnswer') {
      const number = view?.window?.round_no ?? view?.next_round;
      this.unsure = { what, round: round?.id, decision: this.decision()?.decision, number };
    }
    const words = error.name === 'SeedLost' ? say('play.seed_lost') : problemWords(error);
    this.actions?.tell(words);
    if (!this.actions) this.app.toast(words, 'bad');
  }

  connection(state) {
    this.root.firstChild?.classList?.toggle('is-broken', state === 'broken');
    if (state === 'broken' && !this.breaking)
      this.breaking = setTimeout(() => this.app.announce(say('play.broken')), 3000);
    if (state === 'live') {
      clearTimeout(this.breaking);
      this.breaking = null;
      if (this.unsure) this.table.hear('refresh').then(() => this.tellArrived());
    }
    this.tick();
  }

  /** The service is back: finds out whether earlier requests are on the log. */
  tellArrived() {
    const { unsure, table } = this,
      me = session.player;
    if (!unsure || table.live !== 'live' || this.closed) return;
    this.unsure = null;
    const { round, view, story } = table,
      acted = story.some(({ name, fields }) => name === 'acted' && fields.player === me && !fields.default
        && fields.decision === unsure.decision && round?.id === unsure.round);
    const bets = view.window?.round_no === unsure.number ? view.window.bets : round?.contributors,
      isThis = view.window?.round_no === unsure.number || round?.round_no === unsure.number;
    const came = { act: () => acted, bet: () => isThis && bets.some(one => one.player === me) }[unsure.what];
    this.actions.tell(came ? say(came() ? 'play.arrived' : 'play.not_arrived') : '');
  }

  playerChanged() {
    const changed = session.player !== this.who;
    this.who = session.player;
    if (changed) {
      this.table.listenAnew();
    }
    this.draw();
    this.duties.look([]);
  }

  act(action) {
    const decision = this.decision();
    if (!decision || this.duties.busy) return undefined;
    return this.duties.act(decision, action);
  }

  /** A letter presses the button that shows it, unless the user is typing. */
  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest?.('input:not([type=radio],[type=checkbox],[type=range]), textarea, select, dialog'))
      return;
    const key = event.key.toLowerCase();
    // Enter presses the focused button; without a focus it deals or places the bet.
    if (key === 'enter' && event.target !== document.body) return;
    const button = [...this.root.querySelectorAll('button[data-key]')].find(
      one => one.dataset.key === key && !one.disabled && one.offsetParent,
    );
    if (!button) return;
    event.preventDefault();
    button.click();
  }
}

export async function open(root, params, app) {
  const room = new Room(root, params, app);
  try {
    await room.open();
  } catch (error) {
    room.close();
    const { game } = error, { table } = params;
    if (game || error.code === 'unknown_table') {
      fill(
        root,
        el(
          'section',
          { class: 'panel trouble' },
          el('h1', {}, game ? error.message : say('play.no_table', { table })),
          el('p', {}, game ? say('play.unknown_game', { table, game }) : coded(problemWords(error))),
          error.replacedBy &&
            el(
              'p',
              {},
              el('a', { href: `/play/${error.replacedBy}` }, say('play.replaced', { table: error.replacedBy })),
            ),
          el(
            'p',
            {},
            el('a', { href: '/' }, say('main.lobby')),
            game && [' · ', el('a', { href: '/log' }, say('main.log'))],
          ),
        ),
      );
      return () => {};
    }
    if (error.failed) {
      fill(root, haltPanel({ ...error.failed, evidence: error.evidence }, null));
      return () => {};
    }
    throw error;
  }
  return () => room.close();
}

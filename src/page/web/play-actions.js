// The player's possible actions, under the felt: sit, bet, decide, get up. Drawn again only when they change, so that
// no typing or focus is lost.

import { el, fill, keepHeight } from './dom.js';
import { money, say } from './words.js';
import { get } from './api.js';
import { freshSeed } from './client-calls.js';
import { proof } from './proof.js';
import { session, isSeed } from './session.js';
import { coded, problemWords } from './trouble.js';
import { GAMES } from './games.js';
import { keyFor, waitOf } from './play-status.js';

/** The key of each one-word choice; games give their own buttons `data-key`. */
const KEYS = {
  hit: 'h',
  stand: 's',
  double: 'd',
  split: 'p',
  surrender: 'r',
  accept: 'a',
  reject: 'r',
  pass: 's',
  face_down: 'f',
  fold: 'f',
  check: 'k',
  call: 'c',
  show: 's',
  muck: 'm',
};
/** What begins a round that is one's own, where no cards are dealt. */
const DEALS = { wheel: 'play.spin', dice: 'play.throw' };
/** After cards moved, staking and deciding buttons rest this long: a second press meant the previous ones. */
const REST_MS = 500;
/** Staking and deciding buttons: they never get the focus automatically, and they rest. */
const BINDS = '.action-choices :is(button, input), [data-place], [data-back]';
/** Felt and bar share the window's height here: a bar that grew and shrank would move the felt. */
const BESIDE_FELT = matchMedia('(min-width: 60.01rem) and (min-height: 50.01rem)');
const UNDER_FELT = matchMedia('(max-width: 60rem) and (min-height: 50.01rem)');
/** On a phone that of one box alone: at other tables it would lie over one's own place, or push it out of sight. */
const hasOneBox = ({ blackjack }) => blackjack?.boxes === 1;
const isKept = game => (hasOneBox(game) && UNDER_FELT.matches)
  || ((game.blackjack || game.poker) && BESIDE_FELT.matches);
/** The round whose bets are taken now, or next. */
const numberOf = view => (view.window ? view.window.round_no : view.next_round);
/** Free tables that are offered where one is taken. */
const MOST_OFFERED = 2;
/** Actions that ask for confirmation. */
const MAIN = new Set(['hit', 'stand', 'check', 'call', 'accept']);

/** A button that shows its key. */
export function keyed(key, words, press, { kind = '', cost = 0, ...more } = {}) {
  return el(
    'button',
    {
      type: 'button',
      class: `button ${kind}`.trim(),
      dataset: { key },
      'aria-keyshortcuts': key.toUpperCase(),
      on: { click: press },
      ...more,
    },
    el('span', {}, words, cost > 0 && el('span', { class: 'cost' }, ` ${money(cost)}`)),
    el('kbd', { 'aria-hidden': 'true' }, key === 'enter' ? '⏎' : key.toUpperCase()),
  );
}

/** The buttons of options that need only a press. */
function choices({ action, cost }, ctx) {
  const yesNo = (take, skip) => [
    keyed('y', say(`act.${take}`), () => ctx.act({ [action]: { take: true } }, cost), { cost, kind: 'second' }),
    keyed('n', say(`act.${skip}`), () => ctx.act({ [action]: { take: false } }, 0), {}),
  ];
  if (action === 'insurance') return yesNo('insurance', 'no_insurance');
  if (action === 'even_money') return yesNo('even_money', 'no_even_money');
  const given =
    action === 'double' ? { double: {} } : action === 'open' || action === 'discard' ? { [action]: {} } : action;
  return [
    keyed(KEYS[action] || action[0], say(`act.${action}`), () => ctx.act(given, cost), {
      cost,
      kind: MAIN.has(action) ? '' : 'second',
    }),
  ];
}

/** The identity of a control when it is drawn again: its key, its spot, its value, otherwise its words. */
const nameOf = ({ nodeName, dataset, type, value, name, textContent }) =>
  [nodeName, dataset.key || dataset.spot || (type === 'radio' ? `${name} ${value}` : name || textContent)].join(' ');

export class Actions {
  constructor(room) {
    Object.assign(this, { room, drawn: null, betting: null });
    this.message = el('p', { class: 'action-message', role: 'alert' });
    this.body = el('div', { class: 'action-body' });
    this.element = el(
      'section', { class: 'actions', tabIndex: -1, 'aria-label': say('play.actions') }, this.message, this.body,
    );
    // Chips lie on a spot now: that there were none is over.
    this.element.addEventListener('click', ({ target }) => {
      if (target.closest('[data-spot], [data-key=g]')) this.tell('');
    });
    // A key that is held presses once.
    this.element.addEventListener('keydown', event => {
      if (event.repeat && (event.key === 'Enter' || event.key === ' ') && !event.target.matches('textarea')) {
        event.preventDefault();
        event.stopPropagation();
      }
    }, true);
    this.element.addEventListener('keydown', event => this.enter(event));
  }

  get game() {
    return Object.keys(this.room.table.rules.game)[0];
  }

  close() {
    clearTimeout(this.resting);
  }

  tell(words) {
    fill(this.message, words && coded(words));
  }

  busy(is) {
    this.element.classList.toggle('is-busy', is);
    this.element.setAttribute('aria-busy', String(is));
  }

  /** The focus goes to the actions, but to none of their buttons: a second Enter does nothing. */
  focus() {
    const typing = document.activeElement?.matches?.('input:not([type=radio],[type=checkbox]), textarea, dialog *'),
      first = this.body.firstElementChild;
    if (typing || !first) return;
    first.tabIndex = -1;
    first.focus({ preventScroll: true });
  }

  rest() {
    clearTimeout(this.resting);
    const all = [...this.body.querySelectorAll(BINDS)].filter(one => !one.disabled);
    for (const one of all) Object.assign(one, { disabled: true }).dataset.rests = '';
    this.resting = setTimeout(() => {
      for (const one of all) {
        one.disabled = false;
        delete one.dataset.rests;
      }
    }, REST_MS);
  }

  draw(ctx) {
    const state = this.state(ctx),
      name = JSON.stringify([state.name, session.player, state.key ?? null]);
    if (name === this.drawn) {
      if (state.name === 'bet') this.betting.others?.(this.room.table.view);
      return;
    }
    const before = this.element.contains(document.activeElement) ? nameOf(document.activeElement) : null,
      isFirst = this.drawn === null,
      stood = this.element.dataset.state;
    this.drawn = name;
    this.tell('');
    // Bets on which nothing is decided lie on their spots until the next window, and the bar stands still.
    this.body.inert = !!state.holds && stood === 'bet' && !GAMES[this.game].hasTurns;
    if (this.body.inert) {
      // The focus waits here for the next bets.
      if (before !== null) this.element.focus({ preventScroll: true });
      return;
    }
    fill(this.body, state.make());
    this.element.dataset.state = state.name;
    if (!isFirst) this.rest();
    const { game } = this.room.table.rules;
    this.element.toggleAttribute('data-kept', hasOneBox(game));
    // After a failed check its card is to be seen: the bar takes no more than its words.
    if (state.name === 'halted') this.element.style.minHeight = '';
    else if (isKept(game)) keepHeight(this.element);
    if (before === null) return;
    const controls = [...this.body.querySelectorAll('button, input, select, a, summary')];
    const same = stood === state.name && controls.find(one => nameOf(one) === before && !one.matches(BINDS));
    if (same && !same.disabled) same.focus({ preventScroll: true });
    else this.focus();
  }

  /** The present actions: their name, a key that changes if they must be drawn again, and how they are drawn. */
  state(ctx) {
    const { table } = this.room,
      { view, round } = table,
      me = session.player;
    if (table.halted) return { name: 'halted', make: () => el('p', { class: 'soft' }, say('halt.nothing_sent')) };
    if (table.closed) return { name: 'closed', key: table.closed.replacedBy, make: () => this.closed(table.closed) };
    if (!me) return { name: 'stranger', make: () => this.stranger() };
    if (this.otherChips()) return { name: 'other_chips', make: () => this.elsewhere() };
    const decision = this.room.decision();
    if (decision) {
      const seat = view.cash?.seats.find(one => one.player === me),
        make = () => [this.decide(decision, ctx), seat && this.room.cash.waysOut(this.room)];
      return { name: 'decide', key: [round.id, decision.decision, seat?.sitting_out, seat?.leaving], make };
    }
    if (view.cash) {
      const { cash } = this.room,
        state = cash.cashState(this.room);
      if (!cash.mayChooseAhead({ table, onFelt: this.room.onFelt() })) return state;
      const make = () => [cash.aheadChoices(this.room), state.make()];
      return { name: 'ahead', key: [round.id, round.game.street, state.key], make };
    }
    if (view.rules.table.mode === 'solo') return this.solo(ctx);
    return this.shared(ctx);
  }

  // --- Deciding

  decide(decision, ctx) {
    const own = this.room.game.decision?.(decision, ctx);
    return el(
      'div',
      { class: 'action-choices', role: 'group', 'aria-label': say('status.your_turn') },
      own || decision.options.map(offer => choices(offer, ctx)),
    );
  }

  // --- Betting

  solo(ctx) {
    const { view, round } = this.room.table;
    const inPlay = round && ['awaiting_reveals', 'open'].includes(round.phase);
    if (view.owner && view.owner !== session.player)
      return { name: 'owned', make: () => this.taken(say('play.owned', { player: view.owner })) };
    if (inPlay && round.contributors.some(one => one.player === session.player))
      return { name: 'dealing', make: () => el('p', { class: 'soft' }, say('status.dealing')) };
    if (inPlay)
      return {
        name: 'taken',
        key: round.contributors[0].player,
        make: () => this.taken(say('play.taken', { player: round.contributors[0].player })),
      };
    const begin = DEALS[GAMES[this.game].slots] ?? 'play.deal';
    return { name: 'bet', key: [view.next_round, view.shoe?.shoe_no], make: () => this.bet(ctx, begin) };
  }

  bet(ctx, words, more = []) {
    const betting = this.room.game.betting({ ...this.room.table.view }, ctx);
    this.betting = betting;
    this.betsOn = numberOf(this.room.table.view);
    const tool = (key, name, press, more = {}) =>
      el(
        'button',
        { type: 'button', class: 'button second', dataset: { key }, on: { click: press }, ...more },
        name,
        el('kbd', { 'aria-hidden': 'true' }, key.toUpperCase()),
      );
    // If the stake lies there from the start, no key stakes it from elsewhere.
    const go = el(
      'button',
      {
        type: 'button',
        class: 'button big',
        dataset: betting.fixed ? { place: '' } : { key: 'enter', place: '' },
        on: { click: () => this.place() },
      },
      el('span', {}, say(words)),
      !betting.fixed && el('kbd', { 'aria-hidden': 'true' }, '⏎'),
    );
    return el(
      'div',
      { class: 'betting' },
      betting.element,
      el(
        'div',
        { class: 'bet-actions' },
        !(betting.fixed && words === 'play.replace') && go,
        !betting.fixed && tool('x', say('play.clear'), () => betting.clear()),
        !betting.fixed && tool('g', say('play.again'), () => betting.again(), { disabled: !betting.hasLast }),
      ),
      el('div', { class: 'bet-more' }, this.seedChoice(), more),
    );
  }

  async place() {
    // *On a slow machine the bar stands for a moment with the chips of a round that is over.*
    if (this.betsOn !== numberOf(this.room.table.view)) return;
    const bets = this.betting.bets();
    if (!bets.length) return this.tell(say('play.no_bet'));
    const stake = bets.reduce((sum, bet) => sum + bet.stake, 0),
      { window } = this.room.table.view;
    const lying =
      window?.bets.find(bet => bet.player === session.player)?.bets.reduce((sum, bet) => sum + bet.stake, 0) || 0;
    if (session.reach !== null && stake > session.reach + lying)
      return this.tell(say('trouble.insufficient_balance', { balance: money(session.balance) }));
    this.tell('');
    this.room.betting();
    return this.room.duties.bet(this.payable(bets, stake), this.betsOn);
  }

  /** Single chips are checked against the balance here before the wallet is asked for the rest; stakes are not. */
  payable(bets, all) {
    if (session.wallet !== 'rounds' || all <= session.balance) return bets;
    return bets.map(({ spot, stake }) => ({ spot, stake }));
  }

  /** This player's chips on the spots for this round, placed or not. */
  laid(number) {
    return (this.betsOn === number && this.betting?.laid?.()) || [];
  }

  /** Enter deals or places the bet from anywhere in the betting part, except on a button, which it presses. */
  enter(event) {
    if (event.key !== 'Enter' || event.target.closest('button, a, summary, textarea')) return;
    const go = this.body.querySelector('[data-place][data-key]');
    if (!go || go.disabled) return;
    event.preventDefault();
    go.click();
  }

  /** The seed is the browser's, or the player types it. */
  seedChoice() {
    const { duties } = this.room;
    const field = el('input', {
      type: 'text',
      class: 'mono',
      maxLength: 64,
      spellcheck: false,
      autocomplete: 'off',
      placeholder: say('play.seed_made'),
      value: duties.typed || '',
      'aria-label': say('play.seed'),
    });
    const note = el('p', { class: 'soft small' }, say('play.seed_says'));
    field.addEventListener('input', () => {
      const typed = field.value.trim().toLowerCase();
      duties.typed = isSeed(typed) ? typed : null;
      field.setAttribute('aria-invalid', String(typed !== '' && !isSeed(typed)));
      note.textContent =
        typed === ''
          ? say('play.seed_says')
          : isSeed(typed)
            ? say('play.seed_typed')
            : say('play.seed_form', { count: typed.length });
    });
    const make = el(
      'button',
      {
        type: 'button',
        class: 'quiet',
        on: {
          click: () => {
            field.value = freshSeed();
            field.dispatchEvent(new Event('input'));
          },
        },
      },
      say('play.seed_fresh'),
    );
    return el(
      'details',
      { class: 'seed-choice' },
      el('summary', {}, say('play.seed')),
      el('div', { class: 'row' }, field, make),
      note,
    );
  }

  // --- Shared tables

  shared(ctx) {
    const { view } = this.room.table,
      me = session.player,
      seat = view.seats.find(one => one.player === me);
    const placed = view.window?.bets.find(bet => bet.player === me);
    if (!seat)
      return {
        name: 'sit',
        key: [view.seats.map(one => one.seat), (view.waiting || []).includes(me)],
        make: () => this.sit(ctx),
      };
    if (view.window && !seat.waits_for_shoe) {
      return {
        name: 'bet',
        key: [view.window.round_no, !!placed, placed?.bets ?? null],
        make: () =>
          this.bet(ctx, placed ? 'play.replace' : this.game === 'safe' ? 'play.enter' : 'play.place', [
            placed &&
              el(
                'button',
                {
                  type: 'button',
                  class: 'button second',
                  dataset: { key: 't', back: '' },
                  on: { click: () => this.room.duties.takeBack() },
                },
                say('play.take_back'),
                el('kbd', { 'aria-hidden': 'true' }, 'T'),
              ),
            this.leaveButton(),
          ]),
      };
    }
    const { words, asks } = waitOf(this.room.table, me, this.room.table.now());
    return {
      name: 'wait',
      key: [words, asks],
      holds: !asks && !seat.waits_for_shoe,
      make: () =>
        el(
          'div',
          { class: 'waiting' },
          el('p', { class: 'soft' }, say(words)),
          asks &&
            el(
              'button',
              { type: 'button', class: 'button', on: { click: () => this.room.duties.seat({}) } },
              say(keyFor(this.room.table.rules, 'play.ask')),
            ),
          this.leaveButton(),
        ),
    };
  }

  leaveButton() {
    return el(
      'button',
      { type: 'button', class: 'quiet leave', on: { click: () => this.room.duties.leave() } },
      say('play.leave'),
    );
  }

  sit(ctx) {
    const { view } = this.room.table,
      taken = new Set(view.seats.map(seat => seat.seat));
    const free = Array.from({ length: view.rules.table.seats }, (_, i) => i + 1).filter(seat => !taken.has(seat));
    const waits = (view.waiting || []).includes(session.player);
    return el(
      'div',
      { class: 'seat-choice' },
      el('p', {}, free.length ? say('play.choose_seat') : say('play.full')),
      el(
        'div',
        { class: 'row' },
        free.map(seat =>
          el(
            'button',
            {
              type: 'button',
              class: 'button second seat-button',
              'aria-label': say('play.sit_at', { seat }),
              on: { click: () => this.room.duties.seat({ seat }) },
            },
            String(seat),
          ),
        ),
        !free.length &&
          !waits &&
          el(
            'button',
            { type: 'button', class: 'button', on: { click: () => this.room.duties.wait() } },
            say('play.wait_seat'),
          ),
        waits && el('span', { class: 'tag' }, say('play.waiting')),
      ),
      ctx.balance !== null &&
        ctx.balance < view.rules.table.stake_min &&
        el('p', { class: 'warn small' }, say('play.poor', { least: money(view.rules.table.stake_min) })),
    );
  }

  // --- No player yet, or no more rounds

  /** Guests play only at tables for play chips, and only guests play there (spec/page.md, 2). */
  otherChips() {
    const { chips } = this.room.table.info;
    return chips !== undefined && (chips === 'play') !== session.isGuest;
  }

  /** The table of the same game for the other kind of chips, opened by the house. */
  twin() {
    const { name } = this.room.table;
    return name.startsWith('play.') ? name.slice('play.'.length) : `play.${name}`;
  }

  elsewhere() {
    return el(
      'div',
      { class: 'row' },
      el('p', {}, say(session.isGuest ? 'play.for_credited' : 'play.for_guests')),
      el('a', { class: 'button', href: `/play/${this.twin()}` }, this.twin()),
      el('a', { class: 'button second', href: '/' }, say('play.others')),
    );
  }

  stranger() {
    const guest = el(
      'button',
      {
        type: 'button',
        class: 'button big',
        on: {
          click: async () => {
            guest.disabled = true;
            try {
              await session.guest();
              if (this.otherChips()) await this.room.app.go(`/play/${this.twin()}`);
            } catch (error) {
              this.tell(problemWords(error));
            } finally {
              guest.disabled = false;
            }
          },
        },
      },
      say('main.as_guest'),
    );
    return el(
      'div',
      { class: 'row stranger' },
      guest,
      el(
        'button',
        { type: 'button', class: 'button second', on: { click: () => this.room.app.login() } },
        say('main.sign_in'),
      ),
      el('p', { class: 'soft small' }, say('play.watching')),
    );
  }

  /** Another player uses a table for one: offers free tables of the same game, and the player's own table. */
  taken(words) {
    const { rules, info } = this.room.table,
      free = el('span', { class: 'row' });
    const open = el(
      'button',
      { type: 'button', class: 'button', on: { click: () => this.openOwn(open) } },
      say('play.own_table'),
    );
    const [game] = Object.keys(rules.game);
    const suits = one =>
      one.rules.table.mode === 'solo' && game in one.rules.game && one.chips === info.chips && !one.round &&
      (!one.owner || one.owner === session.player);
    // The same rules first.
    const order = (one, other) => Number(other.rules.name === rules.name) - Number(one.rules.name === rules.name);
    get('/v1/tables?limit=50')
      .then(({ tables }) =>
        fill(
          free,
          tables
            .filter(suits)
            .sort(order)
            .slice(0, MOST_OFFERED)
            .map(({ table }) =>
              el('a', { class: 'button second', href: `/play/${table}` }, say('play.free_table', { table })),
            ),
        ),
      )
      .catch(() => {});
    return el(
      'div',
      { class: 'row taken' },
      el('p', {}, words),
      open,
      free,
      el('a', { class: 'button second', href: '/' }, say('play.others')),
    );
  }

  async openOwn(button) {
    const { rules } = this.room.table;
    button.disabled = true;
    try {
      const { table } = await proof.call('openTable', { body: { rules: rules.name, ...session.ownTable() } });
      await this.room.app.go(`/play/${table}`);
    } catch (error) {
      this.tell(problemWords(error));
      button.disabled = false;
    }
  }

  closed({ replacedBy }) {
    const { tournament } = this.room.table.view ?? {},
      place = el('span');
    // The event says how they finished: the winner's table is closed, too.
    if (tournament)
      get(`/v1/tournaments/${tournament.tournament}`)
        .then(({ own }) => {
          const { rank, received } = own?.entry ?? {};
          if (rank) place.textContent = say('play.placed', { place: rank[0], amount: money(received) });
        })
        .catch(() => {});
    return el(
      'p',
      {},
      say(tournament ? 'status.closed_event' : 'status.closed'),
      ' ',
      place,
      ' ',
      tournament && el('a', { href: `/tournament/${tournament.tournament}` }, tournament.tournament),
      ' ',
      replacedBy && el('a', { href: `/play/${replacedBy}` }, say('play.replaced', { table: replacedBy })),
      ' ',
      el('a', { href: '/' }, say('main.lobby')),
    );
  }
}

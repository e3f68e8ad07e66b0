// Chips from and to the operator's wallet (spec/wallet.md): requests, pending operations, results. Loaded on request,
// or while an operation is pending. The log decides whether an operation is over; this module only waits for it.

import { el, fill } from './dom.js';
import { has, money, say } from './words.js';
import { get } from './api.js';
import { freshKey } from './client-calls.js';
import { session } from './session.js';
import { coded, problemWords } from './trouble.js';
import { proof, stopped } from './proof.js';
import { haltPanel } from './halt.js';

/**
 * Requests without an answer yet, the newest last: each has its own key, which is sent again with it, also over a
 * reload, during other requests and for other players.
 */
const ASKED = 'fairshoe.purse';
/** The most requests kept: the oldest is dropped. */
const MOST_ASKED = 32;
/**
 * The time for which a call waits for the wallet: one call at a time, because a browser has few connections to one
 * host.
 */
const WAIT_MS = 4000;
/** The pause if only other tabs' operations are awaited, or the service is away. */
const PAUSE_MS = 4000;
/** A service with too many waiting clients answers at once. */
const LEAST_PAUSE_MS = 300;
const MOST = 2 ** 52 - 1;
const CALLS = { deposit: 'depositFromWallet', withdrawal: 'withdrawToWallet' };

/** Operations whose end is to be reported: by number, for the player shown. */
const awaited = new Set();
/** Operations whose end was reported: an older list may arrive later. */
const told = new Set();
/** Keys of cancels, by the operation's number. */
const cancelKeys = new Map();
let whose = null,
  shell = null,
  purse = null,
  looking = false,
  pause = new AbortController();

const maySend = ({ key }) => !key || session.holds(key);

const operationWords = ({ kind, amount }) => say(`purse.${kind}_of`, { amount: money(amount) });

/** The result of an operation, in words: `[words, tone]`. */
function outcomeOf({ kind, amount, state, reason }) {
  const known = `purse.reason_${reason}`,
    why = reason && (has(known) ? say(known) : reason),
    values = { amount: money(amount), reason: why };
  if (state === 'done') return [say(`purse.${kind}_done`, values), 'good'];
  if (state === 'cancelled') return [say('purse.cancelled', values), 'warn'];
  return [say(why ? `purse.${kind}_refused_because` : `purse.${kind}_refused`, values), 'bad'];
}

// --- Pending operations -------------------------------------------------------------------------------------------

/** From now on the ends of these are reported, in every room. */
export function attend(app, operations) {
  shell = app;
  begin();
  for (const { no } of operations) if (!told.has(no)) awaited.add(no);
  keepLooking();
}

/** One player's data is never shown to another. */
function begin() {
  if (whose === session.player) return;
  whose = session.player;
  awaited.clear();
  told.clear();
  cancelKeys.clear();
}

/** Reads the open operations and the balance; reports finished ones; draws them if the purse is open. */
async function look() {
  const { player } = session;
  // In this order: operations finished in the first reply are in the balance of the second.
  const wallet = await session.readWallet(),
    view = await get(`/v1/players/${encodeURIComponent(player)}`);
  if (session.player !== player) return;
  session.setBalance(view.balance);
  // If chips move with the stakes, they come and go by themselves: only requests from here are news.
  if (wallet.style === 'chips') for (const { no } of wallet.open) if (!told.has(no)) awaited.add(no);
  purse?.show(wallet, view);
  const open = new Set(wallet.open.map(one => one.no));
  for (const no of [...awaited].filter(one => !open.has(one))) {
    const operation = await get(`/v1/wallet/${no}`);
    if (session.player !== player) return;
    if (operation.state === 'open' || !awaited.delete(no)) continue;
    told.add(no);
    const [words, tone] = outcomeOf(operation);
    // A closed dialog reports it a moment later, in a hidden tab much later.
    if (purse?.dialog.open) purse.tell(words, tone);
    else shell.toast(words, tone);
  }
}

const sleep = (ms, signal) =>
  new Promise(done => {
    if (signal.aborted) return done();
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
    return undefined;
  });

/** Until the wallet has answered the oldest pending operation, or for a while. */
async function wait({ signal }) {
  const [first] = [...awaited].sort((one, other) => one - other);
  if (first === undefined) return sleep(PAUSE_MS, signal);
  try {
    await get(`/v1/wallet/${first}?wait_ms=${WAIT_MS}`, { signal, tries: 1 });
    return await sleep(LEAST_PAUSE_MS, signal);
  } catch {
    // The following look reports the error.
    return sleep(PAUSE_MS, signal);
  }
}

/** In a hidden dialog a refusal (the token is not in force any more) ends the looking. */
function failed(error) {
  if (purse) purse.trouble(error);
  else if (!isUnsure(error)) awaited.clear();
}

/** Looks again and again while an operation is pending; if it already looks, then at once. */
async function keepLooking() {
  if (looking) return pause.abort();
  looking = true;
  try {
    while (session.player === whose && (purse || awaited.size > 0)) {
      pause = new AbortController();
      await look().then(() => purse?.well(), failed);
      // Operations requested meanwhile are looked for at once.
      await wait(pause);
    }
  } finally {
    looking = false;
  }
  return undefined;
}

// --- Requests -----------------------------------------------------------------------------------------------------

function allAsked() {
  try {
    const asked = JSON.parse(sessionStorage.getItem(ASKED));
    return Array.isArray(asked) ? asked : [];
  } catch {
    return [];
  }
}

/** This player's requests without an answer yet. */
const unanswered = () => allAsked().filter(({ player }) => player === session.player);

/** Stores it as the newest, or removes it. */
function keepAsked(asked, isAnswered) {
  const others = allAsked().filter(({ key }) => key !== asked.key);
  sessionStorage.setItem(ASKED, JSON.stringify(isAnswered ? others : [...others, asked].slice(-MOST_ASKED)));
}

/** Whether an error leaves the request's result unknown: a refused request had no effect. */
const isUnsure = ({ status = 0 }) => status === 0 || status >= 500 || [408, 421, 429].includes(status);

/** Sends it; a request without an answer is sent again under its own key. */
async function send(kind, amount) {
  const { player } = session,
    before = unanswered().find(one => one.kind === kind && one.amount === amount),
    asked = before ?? { player, kind, amount, key: freshKey() };
  keepAsked(asked, false);
  try {
    const { receipts } = await proof.call(CALLS[kind], { player, body: { amount } }, { key: asked.key });
    keepAsked(asked, true);
    return JSON.parse(receipts[0].entry).events.find(event => event.wallet_asked).wallet_asked.no;
  } catch (error) {
    if (error.failed || !isUnsure(error)) keepAsked(asked, true);
    throw error;
  }
}

async function cancel(no) {
  if (!cancelKeys.has(no)) cancelKeys.set(no, freshKey());
  await proof.call('cancelDeposit', { no }, { key: cancelKeys.get(no) });
}

// --- The dialog -----------------------------------------------------------------------------------------------------

class Purse {
  constructor() {
    this.isBusy = false;
    this.drawn = null;
    this.has = el('b', {});
    this.failure = el('p', { class: 'notice bad', role: 'alert', hidden: true });
    this.news = el('div', { class: 'dialog-parts', role: 'status', 'aria-atomic': 'false' });
    this.unsure = el('p', { class: 'notice warn', hidden: true });
    this.amount = el('input', {
      name: 'amount',
      type: 'number',
      min: 1,
      max: MOST,
      step: 1,
      required: true,
      inputMode: 'numeric',
      autocomplete: 'off',
    });
    this.form = el('form');
    this.form.addEventListener('submit', event => {
      event.preventDefault();
      this.ask(event.submitter.value);
    });
    this.closing = el(
      'button',
      { class: 'button second', type: 'button', on: { click: () => this.dialog.close() } },
      say('main.close'),
    );
    this.heading = el('h3', { tabIndex: -1 }, say('purse.waiting'));
    this.open = el('ul', { class: 'purse-open' });
    this.waiting = el('section', { class: 'dialog-parts', hidden: true }, this.heading, this.open);
    this.dialog = el('dialog', { 'aria-label': say('purse.title') }, this.parts());
    this.dialog.addEventListener('close', () => this.closed());
  }

  parts() {
    const isRounds = session.wallet === 'rounds';
    return el(
      'div',
      { class: 'dialog-parts' },
      el('h2', {}, say('purse.title')),
      el('p', {}, say('purse.here'), ' ', this.has),
      el('p', { class: 'soft small' }, say(isRounds ? 'purse.rounds_says' : 'purse.chips_says')),
      this.form,
      this.failure,
      this.news,
      this.waiting,
      this.closing,
    );
  }

  /** The fields, once it is known what this player may request from here. */
  fields(view) {
    const button = (kind, second) =>
      el('button', { class: `button ${second}`.trim(), type: 'submit', value: kind }, say(`purse.${kind}`));
    // The player signs with a key that is not here: the house would refuse this page's requests.
    if (!maySend(view)) return el('p', { class: 'notice warn' }, say('purse.signed'));
    return [
      session.wallet === 'rounds' && el('p', { class: 'soft small' }, say('purse.rounds_more')),
      this.unsure,
      el('label', { class: 'field' }, say('purse.amount'), this.amount),
      el('div', { class: 'row' }, button('deposit', ''), button('withdrawal', 'second')),
    ];
  }

  begin() {
    document.body.append(this.dialog);
    this.balance();
    this.forget = session.onChange(() => this.balance());
    const asked = unanswered().at(-1);
    if (asked) this.amount.value = asked.amount;
    this.drawUnsure();
    this.dialog.showModal();
  }

  closed() {
    purse = null;
    this.forget();
    this.dialog.remove();
  }

  balance() {
    this.has.textContent = session.balance === null ? '…' : money(session.balance);
  }

  drawUnsure() {
    const asked = unanswered();
    this.unsure.hidden = asked.length === 0;
    fill(this.unsure, asked.map(one => [el('span', {}, say('purse.unsure', { what: operationWords(one) })), ' ']));
  }

  show(wallet, view) {
    const may = maySend(view),
      shown = JSON.stringify([may, wallet.open]);
    if (may !== this.may && !stopped.by) {
      const isFirst = this.may === undefined;
      fill(this.form, this.fields(view));
      if (isFirst && may && document.activeElement === this.closing) this.amount.focus();
      this.may = may;
    }
    if (shown === this.drawn) return;
    this.drawn = shown;
    const focused = document.activeElement,
      held = this.open.contains(focused) && focused.value;
    this.waiting.hidden = wallet.open.length === 0;
    fill(this.open, wallet.open.map(one => this.line(one, may)));
    if (held === false) return;
    // The focused element may be gone with its operation.
    const same = [...this.open.querySelectorAll('button')].find(one => one.value === held);
    (same ?? (this.waiting.hidden ? this.amount : this.heading)).focus();
  }

  line(operation, mayCancel) {
    const { no, kind, waits_for: call } = operation,
      what = operationWords(operation);
    const press = () => this.run(() => cancel(no));
    return el(
      'li',
      { class: 'row' },
      el('span', {}, el('b', {}, what), ': ', say(`purse.waits_${call}`)),
      kind === 'deposit' &&
        call === 'reserve' &&
        mayCancel &&
        el(
          'button',
          {
            class: 'button second',
            type: 'button',
            value: String(no),
            'aria-label': `${say('purse.cancel')}: ${what}`,
            on: { click: press },
          },
          say('purse.cancel'),
        ),
    );
  }

  ask(kind) {
    const amount = this.amount.valueAsNumber;
    if (!Number.isSafeInteger(amount)) return undefined;
    return this.run(async () => {
      const no = await send(kind, amount);
      this.amount.value = '';
      // A fast wallet has already answered.
      if (told.has(no)) return;
      awaited.add(no);
      this.tell(say(`purse.${kind}_asked`, { amount: money(amount) }), '');
    });
  }

  /** Runs the pressed action: one at a time, and nothing binding after a failed check. */
  async run(action) {
    if (this.isBusy) return;
    if (stopped.by) {
      this.halt();
      return;
    }
    this.busy(true);
    fill(this.news);
    this.failure.hidden = true;
    try {
      await action();
    } catch (error) {
      if (error.failed) this.halt();
      else this.trouble(error, true);
    } finally {
      this.busy(false);
      this.drawUnsure();
    }
    keepLooking();
  }

  /** Buttons keep the focus: they only show that they are inactive. */
  busy(is) {
    this.isBusy = is;
    this.dialog.setAttribute('aria-busy', String(is));
    for (const button of this.form.querySelectorAll('button')) button.setAttribute('aria-disabled', String(is));
  }

  tell(words, tone) {
    // The request is no news once its end is shown.
    this.news.querySelector('.notice:not(.good, .warn, .bad)')?.remove();
    this.news.append(el('p', { class: `notice ${tone}`.trim() }, coded(words)));
  }

  /** With `isAsked` it is about the player's request, and stays until their next one. */
  trouble(error, isAsked = false) {
    if (!isAsked && !this.failure.hidden && this.isOfAsked) return;
    this.isOfAsked = isAsked;
    const words = isAsked && ['nothing_to_do', 'unknown_operation'].includes(error.code)
      ? say('purse.too_late')
      : problemWords(error);
    if (!this.failure.hidden && this.failure.textContent === words) return;
    this.failure.hidden = false;
    fill(this.failure, coded(words));
  }

  /** The service answers again. */
  well() {
    if (!this.isOfAsked) this.failure.hidden = true;
  }

  halt() {
    fill(this.form, haltPanel(stopped.by, null), el('p', { class: 'soft' }, say('halt.nothing_sent')));
  }
}

/** The player's balance, their requests to and from the wallet, and its pending operations. */
export async function openPurse(app) {
  shell = app;
  begin();
  if (purse) return;
  purse = new Purse();
  purse.begin();
  if (stopped.by) purse.halt();
  keepLooking();
}

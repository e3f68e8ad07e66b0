// Players' own limits (spec/limits.md): how much may be paid in or lost, how long they play, and until when they have
// excluded themselves. Loaded on request. The service tells the limits in force, and the log shows them; this page
// counts nothing.

import { el, fill } from './dom.js';
import { language, money, need, say } from './words.js';
import { amountWords, limitWords } from './limit-words.js';
import { get } from './api.js';
import { freshKey } from './client-calls.js';
import { session } from './session.js';
import { coded, problemWords } from './trouble.js';
import { proof, stopped } from './proof.js';
import { haltPanel } from './halt.js';

const KINDS = ['deposit', 'loss', 'play_time'],
  SPANS = ['day', 'week', 'month'];
const MINUTE = 60_000,
  HOUR = 60 * MINUTE,
  DAY = 24 * HOUR;
const MOST = 2 ** 53 - 1;
/** The numbers of days for an exclusion at once; for a longer one the player must name the day. */
const DAYS_OUT = [1, 7, 30, 182, 365];
const MOST_DAYS_OUT = 3650;

let shown = null;

const moment = time =>
  new Date(time).toLocaleString(language() === 'ja' ? 'ja-JP' : 'en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** The amount counted so far: with losses the player may be ahead. */
function countWords({ of, count }) {
  if (of === 'loss' && count < 0) return say('limits.ahead', { amount: money(-count) });
  return say(`limits.count_${of}`, { amount: amountWords(of, count) });
}

/** A date and a time in the form of `datetime-local`, in this browser's zone. */
const localOf = time => new Date(time - new Date(time).getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);

class Limits {
  constructor() {
    this.player = session.player;
    this.isBusy = false;
    // A request without an answer is sent again under its own key.
    this.keys = new Map();
    this.now = el('div', { class: 'dialog-parts' });
    this.forms = el('div', { class: 'dialog-parts' });
    this.failure = el('p', { class: 'notice bad', role: 'alert', hidden: true });
    this.news = el('div', { role: 'status' });
    this.closing = el(
      'button',
      { class: 'button second', type: 'button', on: { click: () => this.dialog.close() } },
      say('main.close'),
    );
    this.dialog = el(
      'dialog',
      { 'aria-label': say('limits.title') },
      el(
        'div',
        { class: 'dialog-parts' },
        el('h2', {}, say('limits.title')),
        el('p', { class: 'soft small' }, say('limits.intro')),
        this.now,
        this.forms,
        this.failure,
        this.news,
        this.closing,
      ),
    );
    this.dialog.addEventListener('close', () => {
      shown = null;
      this.dialog.remove();
    });
  }

  async begin() {
    document.body.append(this.dialog);
    this.dialog.showModal();
    if (stopped.by) {
      this.halt();
      return;
    }
    await this.look();
  }

  /** Reads the limits in force, and draws them. */
  async look() {
    try {
      const view = await get(`/v1/players/${encodeURIComponent(this.player)}`);
      // Another player's limits must not be shown.
      if (session.player !== this.player) {
        this.dialog.close();
        return;
      }
      this.draw(view);
    } catch (error) {
      this.trouble(error);
    }
  }

  draw(view) {
    const { limits = [], excluded, key } = view;
    const maySend = !key || session.holds(key);
    fill(
      this.now,
      excluded && el('p', { class: 'notice warn' }, say('limits.is_out', { until: moment(excluded) })),
      limits.length
        ? el('ul', { class: 'purse-open' }, limits.map(limit => this.line(limit, maySend)))
        : el('p', {}, say('limits.none')),
    );
    // The player signs with a key that is not here: the house would refuse this page's requests.
    if (!maySend) fill(this.forms, el('p', { class: 'notice warn' }, say('limits.signed')));
    else if (!this.forms.hasChildNodes()) fill(this.forms, this.limitForm(), el('hr'), this.exclusionForm());
  }

  line(limit, maySend) {
    const { of, per, most, until, waiting } = limit,
      what = limitWords(limit);
    const button = (word, press) =>
      el(
        'button',
        { class: 'button second', type: 'button', 'aria-label': `${say(word)}: ${what}`, on: { click: press } },
        say(word),
      );
    const waits =
      waiting &&
      say(waiting.most === undefined ? 'limits.waits_none' : 'limits.waits_more', {
        from: moment(waiting.from),
        most: waiting.most === undefined ? '' : amountWords(of, waiting.most),
      });
    const isGoing = waiting && waiting.most === undefined;
    return el(
      'li',
      { class: 'row' },
      el(
        'span',
        {},
        el('b', {}, what),
        ' ',
        countWords(limit),
        ' ',
        say('limits.until', { until: moment(until) }),
      ),
      waits && el('p', { class: 'notice warn' }, waits),
      maySend && waiting && button('limits.keep', () => this.set({ of, per, most })),
      maySend && !isGoing && button('limits.take_back', () => this.takeBack({ of, per }, what)),
    );
  }

  // --- Requests -------------------------------------------------------------------------------------------------

  limitForm() {
    const choice = (name, words, values) =>
      el('select', { name }, values.map(value => el('option', { value }, say(`limits.${words}_${value}`))));
    const number = (name, most) =>
      el('input', { name, type: 'number', min: 0, max: most, step: 1, inputMode: 'numeric', autocomplete: 'off' });
    const kind = choice('of', 'of', KINDS),
      span = choice('per', 'a', SPANS),
      amount = number('most', MOST),
      hours = number('hours', 720),
      minutes = number('minutes', 59);
    const ofMoney = el('label', { class: 'field' }, say('limits.amount'), amount);
    const ofTime = el(
      'div',
      { class: 'row' },
      el('label', { class: 'field' }, say('limits.hours'), hours),
      el('label', { class: 'field' }, say('limits.minutes'), minutes),
    );
    const choose = () => {
      const isTime = kind.value === 'play_time';
      ofMoney.hidden = isTime;
      ofTime.hidden = !isTime;
      // A hidden field is not required.
      amount.required = !isTime;
    };
    kind.addEventListener('change', choose);
    choose();
    const form = el(
      'form',
      {},
      el('h3', {}, say('limits.set_title')),
      el(
        'div',
        { class: 'row' },
        el('label', { class: 'field' }, say('limits.of'), kind),
        el('label', { class: 'field' }, say('limits.per'), span),
      ),
      ofMoney,
      ofTime,
      el('p', { class: 'soft small' }, say('limits.set_says')),
      el('button', { class: 'button', type: 'submit' }, say('limits.set')),
    );
    form.addEventListener('submit', event => {
      event.preventDefault();
      const isTime = kind.value === 'play_time';
      const empty = isTime && hours.value === '' && minutes.value === '';
      const most = isTime ? Number(hours.value) * HOUR + Number(minutes.value) * MINUTE : amount.valueAsNumber;
      if (empty || !Number.isSafeInteger(most)) (isTime ? hours : amount).focus();
      else this.set({ of: kind.value, per: span.value, most });
    });
    return form;
  }

  exclusionForm() {
    const days = el(
      'select',
      { name: 'days' },
      DAYS_OUT.map(count => el('option', { value: String(count) }, say('limits.days', { count }))),
      el('option', { value: '' }, say('limits.named_day')),
    );
    const day = el('input', { name: 'until', type: 'datetime-local' });
    const ofDay = el('label', { class: 'field', hidden: true }, say('limits.until_when'), day);
    days.addEventListener('change', () => {
      ofDay.hidden = days.value !== '';
      day.required = !ofDay.hidden;
      day.min = localOf(Date.now() + HOUR);
      day.max = localOf(Date.now() + (MOST_DAYS_OUT - 1) * DAY);
    });
    const form = el(
      'form',
      {},
      el('h3', {}, say('limits.out_title')),
      el('p', { class: 'notice bad' }, say('limits.out_says')),
      el('label', { class: 'field' }, say('limits.how_long'), days),
      ofDay,
      el('button', { class: 'button', type: 'submit' }, say('limits.out')),
    );
    form.addEventListener('submit', event => {
      event.preventDefault();
      const until = days.value === '' ? new Date(day.value).getTime() : Date.now() + Number(days.value) * DAY;
      if (Number.isFinite(until)) this.shutOut(until);
    });
    return form;
  }

  /** A removed or raised limit waits for a day: the page says so before it is sent. */
  takeBack({ of, per }, what) {
    if (confirm(say('limits.sure_back', { what }))) this.set({ of, per });
  }

  set(body) {
    return this.run('setLimit', body, events => {
      const { from } = events.find(event => event.limit_set).limit_set;
      return say(from === undefined ? 'limits.is_set' : 'limits.is_set_later', {
        from: from === undefined ? '' : moment(from),
      });
    });
  }

  shutOut(until) {
    if (!confirm(say('limits.sure_out', { until: moment(until) }))) return undefined;
    return this.run('exclude', { until }, () => say('limits.is_out', { until: moment(until) }));
  }

  /** Sends it: one request at a time, and nothing binding after a failed check. */
  async run(call, body, words) {
    if (this.isBusy) return;
    if (stopped.by) {
      this.halt();
      return;
    }
    const what = JSON.stringify([call, body]);
    if (!this.keys.has(what)) this.keys.set(what, freshKey());
    this.busy(true);
    fill(this.news);
    this.failure.hidden = true;
    try {
      const { receipts } = await proof.call(call, { player: this.player, body }, { key: this.keys.get(what) });
      this.keys.delete(what);
      const { events } = JSON.parse(receipts[0].entry);
      fill(this.news, el('p', { class: 'notice good' }, words(events)));
      this.news.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      const { status = 0 } = error;
      // A refused request had no effect: repeated, it is another request.
      if (status >= 400 && status < 500) this.keys.delete(what);
      if (error.failed) this.halt();
      else this.trouble(error);
    } finally {
      this.busy(false);
    }
    if (!stopped.by) await this.look();
  }

  /** Buttons keep the focus: they only show that they are inactive. */
  busy(is) {
    this.isBusy = is;
    this.dialog.setAttribute('aria-busy', String(is));
    for (const button of this.forms.querySelectorAll('button')) button.setAttribute('aria-disabled', String(is));
  }

  trouble(error) {
    this.failure.hidden = false;
    fill(this.failure, error.code === 'nothing_to_do' ? say('limits.so_already') : coded(problemWords(error)));
    // The message stands below the forms, which may be longer than the window.
    this.failure.scrollIntoView({ block: 'nearest' });
  }

  halt() {
    fill(this.forms, haltPanel(stopped.by, null), el('p', { class: 'soft' }, say('halt.nothing_sent')));
  }
}

/** This player's limits, and how to change them. */
export async function openLimits() {
  await need('limits');
  if (shown || !session.player) return;
  shown = new Limits();
  await shown.begin();
}

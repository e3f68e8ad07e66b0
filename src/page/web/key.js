// The player's own key (spec/page.md, 2): whether it signs their commands, the file that keeps it safe, the way back to
// a key that is missing here. Loaded on request. The client in the worker makes, keeps and uses the key.

import { el, fill } from './dom.js';
import { language, need, say } from './words.js';
import { session } from './session.js';
import { coded, problemWords } from './trouble.js';
import { proof, stopped } from './proof.js';
import { haltPanel } from './halt.js';

let shown = null;

const moment = time =>
  new Date(time).toLocaleString(language() === 'ja' ? 'ja-JP' : 'en-GB', { dateStyle: 'medium', timeStyle: 'short' });

const button = (word, press, second = 'second') =>
  el('button', { class: `button ${second}`.trim(), type: 'button', on: { click: press } }, say(word));

class Key {
  constructor() {
    this.player = session.player;
    this.body = el('div', { class: 'dialog-parts' });
    this.failure = el('p', { class: 'notice bad', role: 'alert', hidden: true });
    this.news = el('div', { role: 'status' });
    this.dialog = el(
      'dialog',
      { 'aria-label': say('key.title') },
      el(
        'div',
        { class: 'dialog-parts' },
        el('h2', {}, say('key.title')),
        el('p', { class: 'soft small' }, say('key.intro')),
        this.body,
        this.failure,
        this.news,
        button('main.close', () => this.dialog.close()),
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
    if (stopped.by) fill(this.body, haltPanel(stopped.by, null));
    else await this.run(() => proof.key('keyState'));
  }

  /** The present state, and the possible actions. */
  draw({ state, key, waitsUntil, isNextHere }) {
    const waits = waitsUntil !== null && moment(waitsUntil);
    fill(
      this.body,
      state === 'signs' && [
        el('p', { class: 'notice good' }, say('key.signs')),
        el('p', {}, say('key.save_says')),
        button('key.save', () => this.save(), ''),
        waits && [
          el('p', { class: 'notice bad' }, say('key.waits_other', { from: waits })),
          button('key.replace', () => this.replace(), ''),
        ],
        // With a wallet chips go back to it, and a guest's go nowhere.
        !session.isGuest && !session.wallet && this.payment(),
      ],
      state === 'none' && [
        el('p', { class: 'notice warn' }, say('key.none')),
        el('p', {}, say('key.trusts')),
        el('div', { class: 'row' }, button('key.make', () => this.make(), ''), this.opening()),
      ],
      state === 'elsewhere' && [
        el('p', { class: 'notice warn' }, say('key.elsewhere')),
        this.opening(),
        waits &&
          el('p', { class: 'notice warn' }, say(isNextHere ? 'key.waits_own' : 'key.waits_file', { from: waits })),
        !(waits && isNextHere) && [el('p', {}, say('key.lost_says')), button('key.another', () => this.another())],
      ],
      key && el('details', {}, el('summary', {}, say('key.shown')), el('code', { class: 'key-shown' }, key)),
    );
  }

  /** The house's desk pays out only with this signature of the player (spec/entries.md, "Withdrawals"). */
  payment() {
    const amount = el('input', { type: 'number', min: 1, step: 1, inputMode: 'numeric', required: true });
    const reference = el('input', { maxLength: 64, autocomplete: 'off', spellcheck: false });
    const form = el(
      'form',
      {},
      el('p', { class: 'soft small' }, say('key.pay_says')),
      el('label', { class: 'field' }, say('key.amount'), amount),
      el('label', { class: 'field' }, say('key.reference'), reference),
      el('button', { class: 'button second', type: 'submit' }, say('key.sign')),
    );
    form.addEventListener('submit', event => {
      event.preventDefault();
      const asked = { amount: amount.valueAsNumber, ...(reference.value ? { reference: reference.value } : {}) };
      if (Number.isSafeInteger(asked.amount)) this.tell('signWithdrawal', 'key.pay_tell', asked);
      else amount.focus();
    });
    return el('details', {}, el('summary', {}, say('key.pay')), form);
  }

  /** A file is read here, and is not sent to any service. */
  opening() {
    const file = el('input', { type: 'file', accept: '.json,application/json', hidden: true });
    file.addEventListener('change', () => {
      const [given] = file.files;
      file.value = '';
      if (given) this.run(async () => proof.key('takeKeyFile', await given.slice(0, 8192).text()), 'key.is_back');
    });
    return [file, button('key.open', () => file.click())];
  }

  async save() {
    await this.run(async () => {
      const text = await proof.key('keyFile');
      if (text !== null) {
        const href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
        el('a', { href, download: `${this.player}.fairshoe-key.json` }).click();
        // The browser has begun to read it by then.
        setTimeout(() => URL.revokeObjectURL(href), 60_000);
      }
      return proof.key('keyState');
    }, 'key.is_saved');
  }

  async make() {
    await this.run(async () => {
      const signs = await proof.key('signs');
      if (!signs) throw Object.assign(new Error(), { code: 'no_pen' });
      return proof.key('keyState');
    }, 'key.is_made');
  }

  /** The player cancels the operator's key with another key of their own, signed with the one in force. */
  replace() {
    return this.run(async () => {
      const key = await proof.key('nextKey');
      await proof.call('setKey', { player: this.player, body: { key } });
      return proof.key('keyState');
    }, 'key.is_replaced');
  }

  /** The key for the operator to register; it is kept here, and signs once it is in force. */
  another() {
    return this.tell('nextKey', 'key.tell');
  }

  /** Shows the client's new key, for the player to give to the house. */
  async tell(action, words, ...given) {
    let made = null;
    await this.run(async () => {
      made = await proof.key(action, ...given);
      return proof.key('keyState');
    });
    if (made !== null)
      fill(this.news, el('p', { class: 'notice warn' }, say(words), ' ', el('code', { class: 'key-shown' }, made)));
  }

  async run(action, done = null) {
    this.failure.hidden = true;
    fill(this.news);
    try {
      const state = await action();
      // Another player's key must not be shown.
      if (session.player !== this.player) {
        this.dialog.close();
        return;
      }
      this.draw(state);
      if (done) fill(this.news, el('p', { class: 'notice good' }, say(done)));
    } catch (error) {
      if (error.failed) fill(this.body, haltPanel(stopped.by, null));
      this.failure.hidden = false;
      fill(this.failure, coded(problemWords(error)));
    }
  }
}

/** This player's key, and how to save and restore it. */
export async function openKey() {
  await need('key');
  if (shown || !session.player) return;
  shown = new Key();
  await shown.begin();
}

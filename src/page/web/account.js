// Who plays, as the shell shows it: balance, sign in with a token, play as a guest, sign out.

import { el, fill } from './dom.js';
import { say, language } from './words.js';
import { session } from './session.js';
import { problemWords } from './trouble.js';

/** Chips as a person reads them. */
export const money = amount => Number(amount).toLocaleString(language() === 'ja' ? 'ja-JP' : 'en-GB');

/** Name, balance and sign-out, or how to become somebody; keeps itself up to date. */
export function accountMenu(app) {
  const menu = el('div', { class: 'purse' });
  const draw = () => {
    if (!session.player)
      return fill(
        menu,
        el('button', { class: 'button second', on: { click: () => app.login() } }, say('main.sign_in')),
      );
    const out = () => {
      if (confirm(say(session.isGuest ? 'main.guest_out' : 'main.sure_out'))) session.logout();
    };
    return fill(
      menu,
      el('span', { class: 'name', title: session.player }, session.player),
      el('b', { 'data-balance': '' }, session.balance === null ? '…' : money(session.balance)),
      session.isGuest && el('span', { class: 'tag' }, say('main.play_chips')),
      el('button', { class: 'quiet', on: { click: out } }, say('main.sign_out')),
    );
  };
  const stop = session.onChange(() => (menu.isConnected ? draw() : stop()));
  draw();
  if (session.player && session.balance === null) session.refresh().catch(() => {});
  return menu;
}

/** Asks who plays. True once somebody does. */
export function loginDialog(app) {
  return new Promise(resolve => {
    const failure = el('p', { class: 'notice bad', role: 'alert', hidden: true });
    const name = el('input', {
      name: 'player',
      autocomplete: 'username',
      required: true,
      spellcheck: false,
      autocapitalize: 'none',
    });
    const token = el('input', { name: 'token', type: 'password', autocomplete: 'current-password', required: true });
    const keep = el('input', { type: 'checkbox' });
    const say2 = error => {
      failure.hidden = false;
      fill(failure, problemWords(error));
    };
    const attempt = async (action, button) => {
      button.disabled = true;
      failure.hidden = true;
      try {
        await action();
        dialog.close('done');
      } catch (error) {
        say2(error);
      } finally {
        button.disabled = false;
      }
    };
    const enter = el('button', { class: 'button', type: 'submit' }, say('main.sign_in'));
    const guest = el('button', { class: 'button second', type: 'button' }, say('main.as_guest'));
    const form = el(
      'form',
      { method: 'dialog' },
      el('h2', {}, say('main.who')),
      el('p', { class: 'soft small' }, say('main.guest_says')),
      guest,
      el('hr'),
      el('label', { class: 'field' }, say('main.player'), name),
      el('label', { class: 'field' }, say('main.token'), token),
      el('label', { class: 'check' }, keep, say('main.keep_token')),
      failure,
      el(
        'div',
        { class: 'row' },
        enter,
        el(
          'button',
          { class: 'button second', type: 'button', on: { click: () => dialog.close() } },
          say('main.cancel'),
        ),
      ),
    );
    const dialog = el('dialog', { 'aria-label': say('main.who') }, form);
    form.addEventListener('submit', event => {
      event.preventDefault();
      attempt(() => session.login(name.value.trim(), token.value.trim(), keep.checked), enter);
    });
    guest.addEventListener('click', () => attempt(() => session.guest(), guest));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'done');
      if (dialog.returnValue === 'done') app.announce(say('main.welcome', { player: session.player }));
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

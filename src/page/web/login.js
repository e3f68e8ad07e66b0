// Asks for the player: sign in with a token, or come in as a guest. Loaded on request.

import { el, fill } from './dom.js';
import { say } from './words.js';
import { session } from './session.js';
import { coded, problemWords } from './trouble.js';

/** Asks for the player, and says why, if a ticket was refused. True once a player is signed in. */
export function loginDialog(app, refusal = null) {
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
      fill(failure, coded(problemWords(error)));
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
    if (refusal) say2(refusal);
    document.body.append(dialog);
    dialog.showModal();
  });
}

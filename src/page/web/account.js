// Who plays, as the shell shows it: balance, signing in and out.

import { el, fill } from './dom.js';
import { money, say } from './words.js';
import { session } from './session.js';

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

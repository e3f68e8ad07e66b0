// The player in the shell: balance, the ways to the operator's wallet and to their limits and their key, signing in and
// out.

import { el, fill } from './dom.js';
import { money, say } from './words.js';
import { session } from './session.js';
import { freshKey } from './client-calls.js';

/** If chips go back by themselves, no event tells it: the balance is read again this long after it last moved. */
const STILL_MS = 12_000;
/** While the wallet takes nothing back, it is asked less and less often. */
const MOST_STILL_MS = 3_600_000;

/** Name, balance and sign-out, or the ways to sign in; keeps itself up to date. */
export function accountMenu(app) {
  const menu = el('div', { class: 'purse' }),
    balance = el('b', { 'data-balance': '' });
  let drawn = null,
    asked = null,
    still = null,
    stillMs = STILL_MS;

  const out = () => {
    if (confirm(say(session.isGuest ? 'main.guest_out' : 'main.sure_out'))) session.logout();
  };

  const chips = async () => (await import('./purse.js')).openPurse(app);

  const limits = async () => (await import('./limits.js')).openLimits();

  const key = async () => (await import('./key.js')).openKey();

  /** Asks once whether there is a wallet; pending operations, also from before a reload, are reported when they end. */
  async function askForWallet() {
    if (asked === session.player || session.isGuest) return;
    asked = session.player;
    const { open, style } = await session.readWallet();
    if (style === 'chips' && open.length) (await import('./purse.js')).attend(app, open);
  }

  function lookAgain() {
    clearTimeout(still);
    if (!session.balance) stillMs = STILL_MS;
    if (session.wallet !== 'rounds' || !session.balance) return;
    still = setTimeout(async () => {
      if (!document.hidden || session.hasKey) await sendBack().catch(() => {});
      if (menu.isConnected) lookAgain();
    }, stillMs);
  }

  /**
   * Reads the balance again. The house does not send back chips that need the player's signature (spec/wallet.md): the
   * page sends back unmoved ones.
   */
  async function sendBack() {
    const { player, balance: before } = session;
    await session.refresh();
    if (!session.hasKey || session.player !== player || session.balance !== before) return;
    stillMs = Math.min(2 * stillMs, MOST_STILL_MS);
    const { proof } = await import('./proof.js');
    await proof.call('withdrawToWallet', { player, body: { amount: before } }, { key: freshKey() });
    await session.refresh();
  }

  function draw() {
    const shown = JSON.stringify([session.player, session.isGuest, session.wallet]);
    balance.textContent = session.balance === null ? '…' : money(session.balance);
    lookAgain();
    // The focus stays in place if only the balance changes.
    if (shown === drawn) return;
    drawn = shown;
    if (!session.player) {
      asked = null;
      fill(menu, el('button', { class: 'button second', on: { click: () => app.login() } }, say('main.sign_in')));
      return;
    }
    fill(
      menu,
      el('span', { class: 'name', title: session.player }, session.player),
      session.wallet
        ? el('button', { class: 'quiet to-purse', on: { click: chips } }, balance, el('span', {}, say('purse.chips')))
        : balance,
      session.isGuest && el('span', { class: 'tag' }, say('main.play_chips')),
      // Play chips have no value: a guest has no limits.
      !session.isGuest &&
        el(
          'button',
          { class: 'quiet to-limits', 'aria-label': say('main.limits'), on: { click: limits } },
          el('span', {}, say('main.limits')),
        ),
      el(
        'button',
        { class: 'quiet to-key', 'aria-label': say('main.key'), on: { click: key } },
        el('span', {}, say('main.key')),
      ),
      el('button', { class: 'quiet', on: { click: out } }, say('main.sign_out')),
    );
    // Without an answer no way to the wallet is shown; the next visit asks again.
    askForWallet().catch(() => {});
  }

  const stop = session.onChange(() => (menu.isConnected ? draw() : stop()));
  draw();
  if (session.player && session.balance === null) session.refresh().catch(() => {});
  return menu;
}

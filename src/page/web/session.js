// The player, and this browser's storage: the token, and for the client in the worker (proof.js) seeds until their
// round is over, the log's key, the newest checkpoint. The token lives in the tab unless the player chooses otherwise
// (spec/page.md, 2).

import { get, useToken } from './api.js';
import { freshKey, WebStore } from './client-calls.js';

const WHO = 'fairshoe.who';
/** The client's storage about the log. */
const OF_THE_LOG = /^(key|checkpoint) of /;

/** The client's storage of a player's own keys, with the positions of player and key in it. */
const OF_A_KEY = /^pen of \S+ (\S+) (\S+)$/;

const heard = new Set();
const tell = () => heard.forEach(call => call());

function read(store, name) {
  try {
    return JSON.parse(store.getItem(name));
  } catch {
    return null;
  }
}

/** The client's storage, by its own names. */
export const store = new WebStore(localStorage, 'fairshoe.');

export const isSeed = text => /^[0-9a-f]{64}$/.test(text);

/**
 * The ticket in the address, or null. After this call the address has none: not in a bookmark, not after a reload, and
 * not visible on the screen.
 */
export function takeTicket() {
  const [, ticket = null] = /^#ticket=(.*)$/.exec(location.hash) ?? [];
  if (ticket !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return ticket;
}

export const session = {
  player: null,
  token: null,
  isGuest: false,
  isKept: false,
  balance: null,
  /** Whether the player's signing key is in this browser, as far as it was asked for. */
  hasKey: false,
  /** The player who was told that it is missing. */
  toldOf: null,
  /** How chips come from the operator's wallet: 'chips', 'rounds', or null, without a wallet or while unknown. */
  wallet: null,

  /** Restores the player who was signed in before. */
  restore() {
    const who = read(sessionStorage, WHO) || read(localStorage, WHO);
    if (who?.token && who?.player) this.become(who, !!read(localStorage, WHO), false);
  },

  /** From now on this player's token is sent with each call. */
  become({ player, token, isGuest = false }, keep, refresh = true) {
    Object.assign(this, { player, token, isGuest, isKept: keep, balance: null, wallet: null });
    Object.assign(this, { hasKey: false, toldOf: null });
    useToken(token);
    sessionStorage.setItem(WHO, JSON.stringify({ player, token, isGuest }));
    if (keep) localStorage.setItem(WHO, JSON.stringify({ player, token, isGuest }));
    tell();
    return refresh ? this.refresh() : undefined;
  },

  /** A player with a token: it is tested before it is stored. */
  async login(player, token, keep) {
    useToken(token);
    try {
      const view = await get(`/v1/players/${encodeURIComponent(player)}`, { tries: 2 });
      this.become({ player, token, isGuest: view.guest === true }, keep, false);
      this.readKey(view.key);
      this.setBalance(view.balance);
    } catch (error) {
      useToken(this.token);
      throw error;
    }
  },

  /** A guest with play chips, if the service has them. */
  async guest() {
    const { proof } = await import('./proof.js');
    const { player, token, balance } = await proof.guest();
    // A guest's chips have no value for others: they may outlive the tab.
    this.become({ player, token, isGuest: true }, true, false);
    this.setBalance(balance);
  },

  /**
   * The player of this ticket from the house's own page, only in this tab. `mayReplace(player)` tells whether they may
   * replace the player who is signed in.
   */
  async enter(ticket, mayReplace) {
    const { proof } = await import('./proof.js');
    const { balance, key, ...who } = await proof.enter(ticket);
    if (this.player && this.player !== who.player && !mayReplace(who.player)) return;
    this.become(who, false, false);
    this.readKey(key);
    this.setBalance(balance);
  },

  /** Whether the player's signing key is in this browser. */
  holds(key) {
    return store.names().some(name => {
      const [, player, held] = OF_A_KEY.exec(name) ?? [];
      return player === this.player && held === key;
    });
  },

  /** The key in force, by the service. If it is missing here, the player is told before a clock runs. */
  readKey(key) {
    this.hasKey = !!key && this.holds(key);
    if (key && !this.hasKey && this.toldOf !== this.player) dispatchEvent(new Event('fairshoe.key_away'));
    this.toldOf = key && !this.hasKey ? this.player : null;
  },

  /** A name for a guest's next table, which is named after them (spec/ledger.md, "Play chips"). */
  ownTable() {
    return this.isGuest ? { table: `play.${this.player}.own-${freshKey().slice(0, 12)}` } : {};
  },

  /** A key was just made: the shell is told, and says that it must be saved. */
  tellKey() {
    this.hasKey = true;
    dispatchEvent(new Event('fairshoe.key'));
  },

  /** A player's key stays for their next visit; a guest does not come back. */
  logout() {
    if (this.isGuest) {
      for (const name of store.names()) if (OF_A_KEY.exec(name)?.[1] === this.player) store.delete(name);
    }
    Object.assign(this, {
      player: null,
      token: null,
      isGuest: false,
      isKept: false,
      balance: null,
      hasKey: false,
      toldOf: null,
      wallet: null,
    });
    useToken(null);
    sessionStorage.removeItem(WHO);
    localStorage.removeItem(WHO);
    tell();
  },

  async refresh() {
    if (!this.player) return;
    const { player } = this,
      view = await get(`/v1/players/${encodeURIComponent(player)}`);
    if (player !== this.player) return;
    this.readKey(view.key);
    this.setBalance(view.balance);
  },

  setBalance(balance) {
    if (balance === undefined || balance === this.balance) return;
    this.balance = balance;
    tell();
  },

  /** The open operations at the operator's wallet (`PlayerWallet`); also stores how chips come from it. */
  async readWallet() {
    const { player } = this,
      view = await get(`/v1/players/${encodeURIComponent(player)}/wallet`);
    if (player === this.player && view.style !== this.wallet) {
      this.wallet = view.style;
      tell();
    }
    return view;
  },

  /**
   * The most that they can stake, as far as it is known here; null if unknown: before the balance is read, and if chips
   * come from the wallet with their stakes.
   */
  get reach() {
    return this.wallet === 'rounds' ? null : this.balance;
  },

  /** Calls back on every change of the player, the balance or the way chips come. Returns a function that stops it. */
  onChange(call) {
    heard.add(call);
    return () => heard.delete(call);
  },

  /** The log as this browser knows it, `{vkey, checkpoint}`; null before the first visit. */
  log() {
    const vkey = store.get(`key of ${location.origin}`),
      checkpoint = vkey && store.get(`checkpoint of ${vkey}`);
    return checkpoint ? { vkey, checkpoint } : null;
  },

  /** From now on the next log, whichever it is, is the known one. */
  forgetLog() {
    for (const name of store.names()) if (OF_THE_LOG.test(name)) store.delete(name);
  },
};

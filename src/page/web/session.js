// Who plays, and what this browser keeps: the token, seeds until their round is over, the log's key, the newest
// checkpoint. The token lives in the tab unless the player says otherwise (spec/page.md, 2).

import { get, post, useToken } from './api.js';

const WHO = 'fairshoe.who',
  LOG = 'fairshoe.log',
  SEED = 'fairshoe.seed ';
/** Seeds of rounds that never came to an end here are forgotten after this. */
const SEED_KEPT_MS = 7 * 86_400_000;

const heard = new Set();
const tell = () => heard.forEach(call => call());

function read(store, name) {
  try {
    return JSON.parse(store.getItem(name));
  } catch {
    return null;
  }
}

/** 32 fresh bytes of the browser's, as 64 hexadecimal digits. */
export const freshSeed = () =>
  [...crypto.getRandomValues(new Uint8Array(32))].map(byte => byte.toString(16).padStart(2, '0')).join('');

export const isSeed = text => /^[0-9a-f]{64}$/.test(text);

export const session = {
  player: null,
  token: null,
  isGuest: false,
  isKept: false,
  balance: null,
  /** How chips come from the operator's wallet: 'chips', 'rounds', or null, without one and before it is known. */
  wallet: null,

  /** Takes up who played here before. */
  restore() {
    const who = read(sessionStorage, WHO) || read(localStorage, WHO);
    if (who?.token && who?.player) this.become(who, !!read(localStorage, WHO), false);
    this.forgetOldSeeds();
  },

  /** From now on this player's token goes with each call. */
  become({ player, token, isGuest = false }, keep, refresh = true) {
    Object.assign(this, { player, token, isGuest, isKept: keep, balance: null, wallet: null });
    useToken(token);
    sessionStorage.setItem(WHO, JSON.stringify({ player, token, isGuest }));
    if (keep) localStorage.setItem(WHO, JSON.stringify({ player, token, isGuest }));
    tell();
    return refresh ? this.refresh() : undefined;
  },

  /** A player with a token: it is tried before it is kept. */
  async login(player, token, keep) {
    useToken(token);
    try {
      const view = await get(`/v1/players/${encodeURIComponent(player)}`, { tries: 2 });
      this.become({ player, token, isGuest: view.guest === true }, keep, false);
      this.setBalance(view.balance);
    } catch (error) {
      useToken(this.token);
      throw error;
    }
  },

  /** A guest with play chips, where the service has them. */
  async guest() {
    useToken(null);
    try {
      const made = await post('/v1/guests', {});
      const player = made.player ?? createdIn(made);
      // A guest's chips are worth nothing to anybody else: they may outlive the tab.
      this.become({ player, token: made.token, isGuest: true }, true, false);
      if (made.balance !== undefined) this.setBalance(made.balance);
      else await this.refresh();
    } finally {
      useToken(this.token);
    }
  },

  logout() {
    Object.assign(this, { player: null, token: null, isGuest: false, isKept: false, balance: null, wallet: null });
    useToken(null);
    sessionStorage.removeItem(WHO);
    localStorage.removeItem(WHO);
    tell();
  },

  async refresh() {
    if (!this.player) return;
    const view = await get(`/v1/players/${encodeURIComponent(this.player)}`);
    this.setBalance(view.balance);
  },

  setBalance(balance) {
    if (balance === undefined || balance === this.balance) return;
    this.balance = balance;
    tell();
  },

  /** What is open at the operator's wallet (`PlayerWallet`); how chips come from it is kept. */
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
   * The most that they can stake, as far as it is known here; null where it is not: before the balance is read, and
   * where chips come from the wallet with what they are for.
   */
  get reach() {
    return this.wallet === 'rounds' ? null : this.balance;
  },

  /** Hears of every change of who plays, of the balance or of how chips come. Gives back how to stop. */
  onChange(call) {
    heard.add(call);
    return () => heard.delete(call);
  },

  // --- Seeds: kept before their commitment is sent, over a reload too, until the round is over ------------------

  seedName: (origin, table, epoch, roundNo, player) => `${SEED}${origin} ${table} ${epoch} ${roundNo} ${player}`,

  /** The seed for this round: the one that is kept, else `typed`, else a fresh one, which is kept from now on. */
  seedFor(origin, table, epoch, roundNo, player, typed = null) {
    const name = this.seedName(origin, table, epoch, roundNo, player),
      kept = read(localStorage, name);
    if (kept && (!typed || kept.sent)) return kept;
    const made = { seed: typed || freshSeed(), commitment: null, sent: false, typed: !!typed, at: Date.now() };
    localStorage.setItem(name, JSON.stringify(made));
    return made;
  },

  /** The seed that was kept under this commitment, whatever the epoch. */
  seedOf(origin, table, roundNo, player, commitment) {
    return (
      Object.keys(localStorage)
        .filter(name => name.startsWith(`${SEED}${origin} ${table} `) && name.endsWith(` ${roundNo} ${player}`))
        .map(name => read(localStorage, name))
        .find(seed => seed?.commitment === commitment) || null
    );
  },

  keepSeed(origin, table, epoch, roundNo, player, seed) {
    localStorage.setItem(this.seedName(origin, table, epoch, roundNo, player), JSON.stringify(seed));
  },

  /** Those of rounds up to this one are no longer needed. */
  forgetSeeds(origin, table, player, upTo) {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(`${SEED}${origin} ${table} `)) continue;
      const [, , , , roundNo, whose] = name.split(' ');
      if (whose === player && Number(roundNo) <= upTo) localStorage.removeItem(name);
    }
  },

  forgetOldSeeds() {
    for (const name of Object.keys(localStorage))
      if (name.startsWith(SEED) && !(read(localStorage, name)?.at > Date.now() - SEED_KEPT_MS))
        localStorage.removeItem(name);
  },

  // --- The log as this browser knows it ----------------------------------------------------------------------------

  /** `{vkey, origin, size, root, checkpoint, epoch}` or null before the first visit. */
  log: () => read(localStorage, LOG),
  keepLog: log => localStorage.setItem(LOG, JSON.stringify(log)),
  forgetLog: () => localStorage.removeItem(LOG),
};

/** Who was created, by the entry of the receipt. */
function createdIn(accepted) {
  const entry = JSON.parse(accepted.receipts[0].entry);
  return entry.events.map(event => event.player_created?.player).find(name => name);
}

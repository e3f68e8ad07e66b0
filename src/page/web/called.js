// What players are called for people to read (`GET /v1/names`): the operator says it and may change it; the log has
// pseudonyms alone. A name never stands without its pseudonym, since two may be called alike.

import { get } from './api.js';

/** So long a name, or that there is none, is taken as it was said; where nobody has one, longer. */
const KEPT_MS = 60_000,
  KEPT_NONE_MS = 600_000,
  MOST_AT_ONCE = 100;

const known = new Map(); // pseudonym → {name: text or null, until}
const wanted = new Set();
let isAsking = false,
  noneUntil = 0;

const textOf = (player, name) => (name ? `${name} · ${player}` : player);

/** A span with a player's name, which is put in as it comes. */
export function nameSpan(make, player) {
  const one = known.get(player), now = Date.now();
  if ((!one || one.until < now) && noneUntil < now) {
    wanted.add(player);
    // All that are drawn at once are asked for at once.
    if (!isAsking) {
      isAsking = true;
      setTimeout(ask, 50);
    }
  }
  return make('span', { class: 'name-text', dataset: { player } }, textOf(player, one?.name));
}

async function ask() {
  const players = [...wanted].slice(0, MOST_AT_ONCE);
  wanted.clear();
  try {
    // Names are no reason to wait, nor to trouble anybody.
    const { names } = await get(`/v1/names?players=${players.map(encodeURIComponent).join(',')}`, { tries: 1 });
    const now = Date.now();
    if (known.size > 10 * MOST_AT_ONCE) known.clear();
    for (const player of players) known.set(player, { name: names[player] ?? null, until: now + KEPT_MS });
    if (![...known.values()].some(({ name }) => name !== null)) noneUntil = now + KEPT_NONE_MS;
    for (const span of document.querySelectorAll('.name-text[data-player]')) {
      const { player } = span.dataset, words = textOf(player, known.get(player)?.name);
      if (span.textContent !== words) span.textContent = words;
    }
  } catch (error) {
    noneUntil = Date.now() + KEPT_MS;
  } finally {
    isAsking = false;
  }
}

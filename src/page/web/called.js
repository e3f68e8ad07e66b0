// Players' display names (`GET /v1/names`): the operator sets them and may change them; the log has only pseudonyms. A
// name never stands without its pseudonym, because two players may have the same name.

import { get } from './api.js';
import { el } from './dom.js';

/** A name, or its absence, is cached this long; if no player has a name, longer. */
const KEPT_MS = 60_000,
  KEPT_NONE_MS = 600_000,
  MOST_AT_ONCE = 100;

const known = new Map(); // pseudonym → {name: text or null, until}
const wanted = new Set();
let isAsking = false,
  noneUntil = 0;

const textOf = (player, name) => (name ? `${name} · ${player}` : player);

/**
 * A long name may be cut, but never the pseudonym: otherwise a name that looks like another player's pseudonym would
 * replace it.
 */
const partsOf = (player, name) => [
  name && el('span', { class: 'name-called' }, name),
  el('span', { class: 'name-player' }, name ? ` · ${player}` : player),
].filter(Boolean);

/** A span with a player's name, which is filled in when it arrives. */
export function nameSpan(player) {
  const one = known.get(player), now = Date.now();
  if ((!one || one.until < now) && noneUntil < now) {
    wanted.add(player);
    // All names drawn together are requested together.
    if (!isAsking) {
      isAsking = true;
      setTimeout(ask, 50);
    }
  }
  const title = textOf(player, one?.name);
  return el('span', { class: 'name-text', dataset: { player }, title }, partsOf(player, one?.name));
}

async function ask() {
  const players = [...wanted].slice(0, MOST_AT_ONCE);
  wanted.clear();
  try {
    // Names are no reason to wait or to show an error.
    const { names } = await get(`/v1/names?players=${players.map(encodeURIComponent).join(',')}`, { tries: 1 });
    const now = Date.now();
    if (known.size > 10 * MOST_AT_ONCE) known.clear();
    // A player's name may equal a property of every object (`constructor`).
    const nameOf = player => (Object.hasOwn(names, player) && typeof names[player] === 'string' ? names[player] : null);
    for (const player of players) known.set(player, { name: nameOf(player), until: now + KEPT_MS });
    if (![...known.values()].some(({ name }) => name !== null)) noneUntil = now + KEPT_NONE_MS;
    for (const span of document.querySelectorAll('.name-text[data-player]')) {
      const { player } = span.dataset, name = known.get(player)?.name, words = textOf(player, name);
      if (span.textContent === words) continue;
      span.title = words;
      span.replaceChildren(...partsOf(player, name));
    }
  } catch (error) {
    noneUntil = Date.now() + KEPT_MS;
  } finally {
    isAsking = false;
  }
}

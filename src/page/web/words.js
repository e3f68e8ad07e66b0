// The words for readers, in their language: the same keys in both (spec/page.md, 5 and 6). The words of the shell, the
// lobby and all rooms are loaded at once, in both languages, because a file chosen first would cost another round trip.
// The words of one room alone come with it, in the reader's language.

import { words as en } from './words-en.js';
import { words as ja } from './words-ja.js';

const SHELL = { en, ja };
const PARTS = {
  en: {
    play: () => import('./words-en-play.js'),
    tournament: () => import('./words-en-tournament.js'),
    round: () => import('./words-en-round.js'),
    log: () => import('./words-en-log.js'),
    docs: () => import('./words-en-docs.js'),
    limits: () => import('./words-en-limits.js'),
    key: () => import('./words-en-key.js'),
    rules: () => import('./words-en-rules.js'),
  },
  ja: {
    play: () => import('./words-ja-play.js'),
    tournament: () => import('./words-ja-tournament.js'),
    round: () => import('./words-ja-round.js'),
    log: () => import('./words-ja-log.js'),
    docs: () => import('./words-ja-docs.js'),
    limits: () => import('./words-ja-limits.js'),
    key: () => import('./words-ja-key.js'),
    rules: () => import('./words-ja-rules.js'),
  },
};
const CHOSEN = 'fairshoe.language';
const needed = new Set();

/** The language chosen here, or the first supported one of the browser's, or English. */
export function language() {
  const chosen = localStorage.getItem(CHOSEN);
  if (chosen in SHELL) return chosen;
  const asked = (navigator.languages || []).map(tag => tag.slice(0, 2).toLowerCase());
  return asked.find(tag => tag in SHELL) || 'en';
}

let words = { ...SHELL[language()] };

/** From now on these parts are used too: a room's words, by the room's name. */
export async function need(...parts) {
  for (const part of parts) needed.add(part);
  const tag = language();
  const loaded = await Promise.all(parts.map(part => PARTS[tag][part]()));
  for (const part of loaded) Object.assign(words, part.words);
}

/** Chooses a language for this browser; the caller redraws the page. */
export async function chooseLanguage(tag) {
  const loaded = await Promise.all([...needed].map(part => PARTS[tag][part]()));
  localStorage.setItem(CHOSEN, tag);
  words = Object.assign({}, SHELL[tag], ...loaded.map(part => part.words));
}

/** Whether there is a text of this name: for names composed from the service's values. */
export const has = key => Object.hasOwn(words, key);

// One of each is made: making it takes longer than formatting all numbers of a room.
const figures = { en: new Intl.NumberFormat('en-GB'), ja: new Intl.NumberFormat('ja-JP') };

/** Chips as a person reads them. */
export const money = amount => figures[language()].format(Number(amount));

/** The least and the most, once where they are the same. */
export const span = (least, most) => (least === most ? money(least) : `${money(least)}–${money(most)}`);

/** The word for a table's amounts. */
export const stakesKey = ({ game }) => (game.poker ? 'play.blinds' : game.safe ? 'play.entry' : 'play.stakes');

/** Sentences, and names in a row, as the language writes them. */
export const sentences = (...said) => said.filter(Boolean).join(language() === 'ja' ? '' : ' ');
export const listed = names => names.join(language() === 'ja' ? '、' : ', ');

/** The text of a key, `{name}` in it replaced; a key that no file has is shown as it is, and a test finds it. */
export function say(key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{([a-z_]+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

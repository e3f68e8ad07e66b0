// What a person reads, in their language: one file a language, the same keys in both (spec/page.md, 5 and 6). The
// one that is read is loaded, not the other.

const LANGUAGES = { en: () => import('./words-en.js'), ja: () => import('./words-ja.js') };
const CHOSEN = 'fairshoe.language';

/** The language chosen here, or the first of the browser's that there is, or English. */
export function language() {
  const chosen = localStorage.getItem(CHOSEN);
  if (chosen in LANGUAGES) return chosen;
  const asked = (navigator.languages || []).map(tag => tag.slice(0, 2).toLowerCase());
  return asked.find(tag => tag in LANGUAGES) || 'en';
}

let { words } = await LANGUAGES[language()]();

/** Chooses a language for this browser; the page is drawn anew by who calls. */
export async function chooseLanguage(tag) {
  localStorage.setItem(CHOSEN, tag);
  ({ words } = await LANGUAGES[tag]());
}

/** The text of a key, `{name}` in it replaced; a key that no file has is shown as it is, and a test finds it. */
export function say(key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{([a-z_]+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

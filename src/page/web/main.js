// The shell: the open room, navigation without reloads (a token may exist only in memory), the player, the language,
// the live region, and uncaught errors. A room owns its own content.
//
// A room exports `open(root, params, app)` and returns `close()` (or a promise of it). `params` holds the names in the
// address (`table`, `tournament`, `round`) and `query`, its URLSearchParams. `app` holds the shell's functions:
//   app.go(path)          another room
//   app.title(words)      the tab's title
//   app.announce(words)   says it in the live region
//   app.toast(words, kind) shows it for a while; kind: '', 'good', 'bad'
//   app.login()           asks who plays; resolves to true when somebody does

import { el, fill } from './dom.js';
import { say, sentences, language, chooseLanguage, need } from './words.js';
import { onTrouble } from './api.js';
import { session, takeTicket } from './session.js';
import { accountMenu } from './account.js';

/** First of all: whatever fails below, the ticket is removed from the address. */
const ticket = takeTicket();

/**
 * A room: its address and the names in it, its module and the modules loaded with it (requested at once, not import by
 * import; a test checks the list), its style sheets next to page.css, and whose words it uses (words.js).
 */
const ROOMS = [
  { form: /^\/$/, load: () => import('./lobby.js'), files: 'games', sheets: ['lobby'] },
  {
    form: /^\/play\/([a-z0-9_-][a-z0-9._-]{0,63})$/,
    names: ['table'],
    load: () => import('./play.js'),
    files:
      'card duties farewell games halt play-actions play-notices play-side play-sign ' +
      'play-status proof reasons seal table trouble your-turn',
    sheets: ['table', 'games'],
    says: ['play'],
  },
  {
    form: /^\/tournament\/([a-z0-9_-][a-z0-9._-]{0,63})$/,
    names: ['tournament'],
    load: () => import('./tournament.js'),
    files: 'proof redraw tournament-deal tournament-draws tournament-parts trouble',
    sheets: ['table', 'rooms'],
    says: ['tournament'],
  },
  {
    form: /^\/round\/([a-z0-9_-][a-z0-9._-]{0,63}:[0-9]{1,20})$/,
    names: ['round'],
    load: () => import('./round.js'),
    files: 'card games proof round-parts round-steps seal trouble',
    sheets: ['table', 'games', 'rooms'],
    says: ['play', 'round'],
  },
  {
    form: /^\/log$/,
    load: () => import('./log.js'),
    files: 'games limit-words log-find log-sections log-statistics plots proof reasons trouble',
    sheets: ['table', 'rooms'],
    says: ['log', 'limits'],
  },
  {
    form: /^\/docs$/,
    load: () => import('./docs.js'),
    files: 'docs-form docs-try trouble',
    sheets: ['table', 'rooms'],
    says: ['docs'],
  },
];
const TOAST_MS = 6000;
const RELOADED = 'fairshoe.reloaded';

const live = el('div', { class: 'visually-hidden', 'aria-live': 'polite', role: 'status', id: 'live' });
const toasts = el('aside', { class: 'toasts' });
const isPhone = matchMedia('(max-width: 640px)');
const elsewhere = el('div', { class: 'offline', role: 'alert', hidden: true });
const main = el('main', { id: 'main', tabIndex: -1 });
let opened = 0,
  closeRoom = null;

const app = {
  go(path) {
    if (path !== location.pathname + location.search) history.pushState(null, '', path);
    return show();
  },
  title(words) {
    document.title = words ? `${words} · fairshoe` : 'fairshoe';
  },
  announce(words) {
    if (!words) return;
    // The same words are read out again only in a new node.
    fill(live, el('p', {}, words));
  },
  toast(words, kind = '') {
    const note = el('p', { class: `toast ${kind}` }, words),
      bar = isPhone.matches && document.querySelector('.actions');
    toasts.append(note);
    // On a table of a phone they come with its bar: at the top of the window they would lie over cards.
    (bar || document.body).append(toasts);
    app.announce(words);
    fillCoded(note, words);
    const end = () => (note.matches(':hover, :focus-within') ? setTimeout(end, TOAST_MS) : note.remove());
    setTimeout(end, TOAST_MS);
  },
  login: async () => (await import('./login.js')).loginDialog(app),
};

function roomOf(pathname) {
  let path;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    return null;
  }
  for (const room of ROOMS) {
    const found = room.form.exec(path);
    const params = () => Object.fromEntries((room.names || []).map((name, i) => [name, found[i + 1]]));
    if (found) return { ...room, params: params() };
  }
  return null;
}

const SHEETS = {
  lobby: new URL('./lobby.css', import.meta.url),
  table: new URL('./table.css', import.meta.url),
  games: new URL('./games.css', import.meta.url),
  rooms: new URL('./rooms.css', import.meta.url),
};
const styled = new Map();

/** A style sheet that not every room needs, loaded once. */
function style(name) {
  if (!styled.has(name))
    styled.set(
      name,
      new Promise((resolve, reject) => {
        document.head.append(
          el('link', {
            rel: 'stylesheet',
            href: SHEETS[name].href,
            on: { load: resolve, error: () => reject(new Error(`${name}.css did not load`)) },
          }),
        );
      }),
    );
  return styled.get(name);
}

const asked = new Set();

/** All modules of a room in one round trip: otherwise each would be requested only after the module that imports it. */
function askFor(files = '') {
  for (const name of files.split(' ')) {
    if (!name || asked.has(name)) continue;
    asked.add(name);
    document.head.append(el('link', { rel: 'modulepreload', href: new URL(`./${name}.js`, import.meta.url).href }));
  }
}

/** In the reader's words, as soon as they are here. */
const wordsOf = error =>
  import('./trouble.js').then(({ problemWords }) => problemWords(error), () => error?.message || String(error));

/** Puts the words there, each code in them as a link to what it stands for. */
const fillCoded = (node, words) =>
  import('./trouble.js').then(({ coded }) => fill(node, coded(words)), () => fill(node, words));

function trouble(error) {
  const words = el('p', {});
  wordsOf(error).then(told => fillCoded(words, told));
  return el(
    'section',
    { class: 'panel trouble', role: 'alert' },
    el('h1', {}, say('main.trouble')),
    words,
    el(
      'p',
      {},
      el('button', { class: 'button', on: { click: () => show() } }, say('main.again')),
      ' ',
      el('a', { href: '/' }, say('main.lobby')),
    ),
  );
}

/** Opens the room of the address, once the one before is closed. */
async function show() {
  const number = ++opened,
    room = roomOf(location.pathname),
    close = closeRoom;
  closeRoom = null;
  document.body.append(toasts);
  try {
    close?.();
  } catch (error) {
    console.error(error);
  }
  for (const link of document.querySelectorAll('.mast nav a'))
    link.toggleAttribute('aria-current', link.getAttribute('href') === location.pathname);
  document.body.dataset.room = location.pathname.split('/')[1] || 'lobby';
  if (!room) {
    app.title('');
    fill(
      main,
      el(
        'section',
        { class: 'panel' },
        el('h1', {}, say('main.nothing_here')),
        el('p', {}, el('a', { href: '/' }, say('main.lobby'))),
      ),
    );
    return;
  }
  const root = el('div', { class: 'room' });
  main.setAttribute('aria-busy', 'true');
  try {
    askFor(room.files);
    const [module] = await Promise.all([room.load(), need(...(room.says || [])), ...room.sheets.map(style)]);
    if (number !== opened) return;
    fill(main, root);
    scrollTo(0, 0);
    const closing = await module.open(root, { ...room.params, query: new URLSearchParams(location.search) }, app);
    const closes = typeof closing === 'function' ? closing : closing?.close?.bind(closing);
    sessionStorage.removeItem(RELOADED);
    if (number === opened) closeRoom = closes || null;
    else closes?.();
  } catch (error) {
    // A newer version replaced this page, whose files are gone: the tab is reloaded once.
    if (error instanceof TypeError && /module/i.test(error.message) && !sessionStorage.getItem(RELOADED)) {
      sessionStorage.setItem(RELOADED, '1');
      location.reload();
      return;
    }
    console.error(error);
    if (number === opened) fill(main, trouble(error));
  } finally {
    if (number === opened) main.removeAttribute('aria-busy');
  }
}

/** From a table these are read in another tab: a player who leaves a table loses sight of it, and sits out. */
const READ = /^\/(docs|round|log)\b/;

/** Links to rooms are followed without a reload. */
function followLink(event) {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = event.target.closest?.('a[href]');
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
  if (!roomOf(link.pathname) || (link.hash && link.pathname === location.pathname)) return;
  if (document.body.dataset.room === 'play' && READ.test(link.pathname) && !link.closest('.mast')) {
    // An opener's tab hands over who plays: they see their own cards there.
    Object.assign(link, { target: '_blank', rel: 'opener' });
    return;
  }
  event.preventDefault();
  // A link in a dialog leads away from it, too.
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
  app.go(link.pathname + link.search);
  main.focus({ preventScroll: true });
}

function languageSwitch() {
  const other = language() === 'ja' ? 'en' : 'ja';
  const name = { en: 'English', ja: '日本語' }[other];
  const change = async () => {
    await chooseLanguage(other);
    frame();
    await show();
  };
  return el('button', { class: 'quiet', lang: other, on: { click: change } }, name);
}

/** The frame of every room. */
function frame() {
  document.documentElement.lang = language();
  fill(
    document.body,
    el('a', { class: 'skip', href: '#main' }, say('main.skip')),
    el(
      'header',
      { class: 'mast' },
      el('a', { class: 'wordmark', href: '/' }, 'fair', el('span', {}, 'shoe')),
      el(
        'nav',
        { 'aria-label': say('main.rooms') },
        el('a', { href: '/' }, say('main.lobby')),
        el('a', { href: '/log' }, say('main.log')),
        el('a', { href: '/verify', target: '_self' }, say('main.verify')),
        el('a', { href: '/docs' }, say('main.docs')),
      ),
      el('div', { class: 'who' }, accountMenu(app), languageSwitch()),
    ),
    el('div', { class: 'offline', role: 'alert', hidden: navigator.onLine }, say('main.offline')),
    elsewhere,
    main,
    toasts,
    live,
  );
}

async function failed(error) {
  console.error(error);
  app.toast(sentences(say('main.trouble'), await wordsOf(error)), 'bad');
}

/** If another node of the house leads, a link to it: an address next to this one, and never a script. */
function pointElsewhere(state) {
  const there = state?.leader && URL.canParse(state.leader) ? new URL(state.leader) : null;
  if (!state) elsewhere.hidden = true;
  if (!there || !/^https?:$/.test(there.protocol) || there.origin === location.origin) return;
  const room = new URL(location.pathname + location.search, there).href;
  fill(elsewhere, say('main.elsewhere'), ' ', el('a', { href: room }, there.host));
  elsewhere.hidden = false;
}

/**
 * Signs in with a ticket of the house's own page. Anyone may send a link with their own ticket: *chips that are then
 * put into the wrong account.* So a player who is signed in here is replaced only after a question, and the page says
 * who plays.
 */
async function enter(given) {
  const other = session.player;
  try {
    await session.enter(given, player => confirm(say('main.sure_ticket', { player, other: session.player })));
    if (session.player && session.player !== other) app.toast(say('main.welcome', { player: session.player }), 'good');
  } catch (error) {
    if (session.player) app.toast(await wordsOf(error), 'bad');
    else (await import('./login.js')).loginDialog(app, error);
  }
}

onTrouble(pointElsewhere);
addEventListener('hashchange', () => {
  const given = takeTicket();
  if (given !== null) enter(given);
});
addEventListener('fairshoe.key', () => {
  app.toast(say(session.isGuest ? 'main.key_guest' : 'main.key_made'), 'good');
});
addEventListener('fairshoe.key_away', () => app.toast(say('trouble.signature_missing'), 'bad'));
addEventListener('popstate', () => show());
addEventListener('error', event => failed(event.error || event.message));
addEventListener('unhandledrejection', event => failed(event.reason));
for (const state of ['online', 'offline'])
  addEventListener(state, () => {
    document.querySelector('.offline').hidden = navigator.onLine;
  });
document.addEventListener('click', followLink);
session.restore();
frame();
show();
if (ticket !== null) enter(ticket);

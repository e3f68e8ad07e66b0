// The lobby: tables with their state, tournaments, the house's proofs, the log's head and its witnesses.

import { el, fill } from './dom.js';
import { GAMES } from './games.js';
import { has, language, money, say, span, stakesKey } from './words.js';
import { get } from './api.js';
import { earlyTables } from './early.js';
import { session } from './session.js';

const AGAIN_MS = 6000,
  /** The log's head is read and checked again with every so many reads of the tables. */
  READS_A_HEAD = 5;
/** A guest's first hand is dealt here: a table for one, without waiting. */
const FIRST_TABLE = 'play.joy-1';
const isPlay = table => table.chips === 'play';
const ORDER = Object.keys(GAMES);
/** A service that was renewed while the page was open may have more. */
const isKnown = game => Object.hasOwn(GAMES, game);
/** An unknown game comes last. */
const placeOf = game => (isKnown(game) ? ORDER.indexOf(game) : ORDER.length);

const gameOf = table => Object.keys(table.rules.game)[0];
const familyOf = table => (gameOf(table) === 'poker' ? table.rules.game.poker.hand.family : gameOf(table));

/** The state of a table, from its view alone. */
function goesOn(table) {
  if (table.window) return [say('lobby.bets_open'), 'good'];
  if (table.round) return [say('lobby.in_play'), 'good'];
  if (table.cash?.call) return [say('lobby.hand_called'), 'good'];
  return [say(table.rules.table.mode === 'solo' ? 'lobby.ready' : 'lobby.quiet'), ''];
}

function seats(table) {
  const { mode, seats: all } = table.rules.table;
  if (mode === 'solo') return say('lobby.alone');
  return say('lobby.seats', { taken: table.cash ? table.cash.seats.length : table.seats.length, all });
}

const dots = table => {
  const { mode, seats: all } = table.rules.table;
  if (mode === 'solo') return null;
  const taken = table.cash ? table.cash.seats.length : table.seats.length;
  return el(
    'span',
    { class: 'dots', 'aria-hidden': 'true' },
    Array.from({ length: all }, (_, i) => el('i', { class: i < taken ? 'on' : '' })),
  );
};

function stakes(table) {
  const { poker } = table.rules.game,
    rules = table.rules.table;
  return poker
    ? `${money(poker.blinds.small)}/${money(poker.blinds.big)}`
    : span(rules.stake_min, rules.stake_max);
}

/**
 * The differences between tables of one game, for people: decks and the payout of a blackjack, the limits of a raise.
 */
function kindOf({ rules: { game } }) {
  const { blackjack, poker } = game,
    [[name, { decks }]] = Object.entries(game);
  return [
    decks && say(decks === 1 ? 'lobby.one_deck' : 'lobby.decks', { decks }),
    blackjack && say('lobby.pays', { pays: blackjack.blackjack_pays.join(':') }),
    poker && say(`lobby.betting_${Object.keys(poker.hand.betting)[0]}`),
    poker?.hand.hi_lo && say('lobby.hi_lo'),
    has(`lobby.of_${name}`) && say(`lobby.of_${name}`),
  ].filter(Boolean).join(' · ');
}

function tableCard(table) {
  const [words, tone] = goesOn(table),
    game = gameOf(table),
    known = isKnown(game);
  return el(
    'li',
    {},
    el(
      'a',
      { class: `table-card of-${game}`, href: known ? `/play/${table.table}` : null },
      el(
        'span',
        { class: 'cloth', 'aria-hidden': 'true' },
        el('span', { class: 'pip' }, known ? GAMES[game].pip : '?'),
      ),
      el(
        'span',
        { class: 'card-body' },
        el(
          'b',
          {},
          known ? say(`game.${familyOf(table)}`) : game,
          isPlay(table) && el('span', { class: 'tag' }, say('main.play_chips')),
        ),
        el('span', { class: 'small' }, known ? kindOf(table) : say('game.unknown')),
        el('span', { class: 'soft small' }, table.table, ' · ', table.rules.name),
        el(
          'span',
          { class: 'card-facts' },
          el('span', {}, say(stakesKey(table.rules)), ' ', el('b', {}, stakes(table))),
          el('span', {}, dots(table), el('span', {}, seats(table))),
        ),
      ),
      el('span', { class: `tag ${tone}` }, words),
    ),
  );
}

function tournamentRow(one) {
  const game = `game.${one.rules}`;
  return el(
    'li',
    {},
    el(
      'a',
      { class: 'table-card of-tournament', href: `/tournament/${one.tournament}` },
      el('span', { class: 'cloth', 'aria-hidden': 'true' }, el('span', { class: 'pip' }, '♛')),
      el(
        'span',
        { class: 'card-body' },
        el('b', {}, one.tournament),
        el('span', { class: 'soft small' }, one.structure, ' · ', has(game) ? say(game) : one.rules),
        el(
          'span',
          { class: 'card-facts' },
          el('span', {}, say('lobby.buy_in'), ' ', el('b', {}, `${money(one.buy_in)}+${money(one.fee)}`)),
          el('span', {}, say('lobby.entrants', { players: money(one.players), most: money(one.players_max) })),
          el('span', {}, say('lobby.pool'), ' ', el('b', {}, money(one.pool))),
        ),
      ),
      el(
        'span',
        { class: `tag ${one.open ? 'good' : ''}` },
        say(one.open ? 'lobby.open' : `lobby.stage_${one.stage}`),
      ),
    ),
  );
}

/** Errors in words: loaded after the tables, before one is likely. */
async function wordsOf(error) {
  const plain = { coded: words => words, problemWords: one => one.message };
  const { coded, problemWords } = await import('./trouble.js').catch(() => plain);
  return coded(problemWords(error));
}

/** All pages of a list; `first` gets the first page, which may be here `early`, before the others come. */
async function pages(path, list, { early = null, first = () => {} } = {}) {
  const found = [];
  for (let cursor = null; found.length < 500;) {
    const rest = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const page = (!cursor && (await early)) || (await get(`${path}?limit=50${rest}`));
    found.push(...page[list]);
    if (!cursor) first(found);
    cursor = page.next;
    if (!cursor) break;
  }
  return found;
}

/** Guests play for play chips, and whoever is nobody yet may come in as one; others for what they were credited. */
const ownChips = () => (session.player && !session.isGuest ? 'real' : 'play');

export async function open(root, params, app) {
  let tables = [],
    tournaments = [],
    game = params.query.get('game') || 'all',
    chips = ownChips(),
    timer = null,
    closed = false;
  app.title('');
  const list = el('ul', { class: 'table-list' }),
    events = el('ul', { class: 'table-list' });
  const eventsBox = el(
    'section',
    { class: 'lobby-part', hidden: true },
    el('h2', {}, say('lobby.tournaments')),
    events,
  );
  const head = el('div', { class: 'log-head' }, el('p', { class: 'soft' }, '…'));
  const status = el('p', { class: 'small', role: 'status' });
  const start = el(
    'button',
    { type: 'button', class: 'button big', on: { click: () => begin() } },
  );
  const drawStart = () => {
    start.textContent = say(ownChips() === 'play' ? 'lobby.play_now' : 'lobby.play_own');
  };
  drawStart();
  let who = session.player;
  const forget = session.onChange(() => {
    if (who === session.player) return;
    who = session.player;
    chips = ownChips();
    drawStart();
    draw();
  });
  const filters = el('div', { class: 'filters', role: 'group', 'aria-label': say('lobby.filter') });

  /** The player's own table with the first one's rules, if another player plays there; a guest's has a name for it. */
  async function ownLike({ rules: { name } }) {
    const { proof } = await import('./proof.js');
    return proof.call('openTable', { body: { rules: name, ...session.ownTable() } });
  }

  async function begin() {
    start.disabled = true;
    status.textContent = '';
    try {
      if (!session.player) await session.guest();
      const played = tables.filter(table => isKnown(gameOf(table)));
      const first =
        (ownChips() === 'play' &&
          (played.find(table => table.table === FIRST_TABLE) ||
            played.find(table => isPlay(table) && table.rules.table.mode === 'solo'))) ||
        played.find(table => !isPlay(table) && table.rules.table.mode === 'solo' && !table.owner);
      const fresh = first && (await get(`/v1/tables/${first.table}`));
      const taken = fresh?.round && !(await get(`/v1/rounds/${fresh.round}`)).round.contributors
        .some(one => one.player === session.player);
      const { table } = (taken && (await ownLike(first).catch(() => null))) || first || played[0];
      await app.go(`/play/${table}`);
    } catch (error) {
      const isForNobody = ['not_found', 'guests_not_offered'].includes(error.code);
      fill(status, isForNobody ? say('lobby.no_guests') : await wordsOf(error));
      start.disabled = false;
    }
  }

  const mixed = () => tables.some(isPlay) && !tables.every(isPlay);

  function drawFilters() {
    const there = new Set(tables.map(gameOf));
    const choice = (name, chosen, words, choose) =>
      el(
        'button',
        { type: 'button', class: 'chip-filter', 'aria-pressed': String(chosen), on: { click: choose } },
        words,
      );
    fill(
      filters,
      ['all', ...ORDER.filter(name => there.has(name))].map(name =>
        choice(name, game === name, say(name === 'all' ? 'lobby.all_games' : `game.${name}`), () => {
          game = name;
          draw();
        }),
      ),
      mixed() && el('span', { class: 'filter-gap' }),
      mixed() &&
        ['all', 'play', 'real'].map(name =>
          choice(name, chips === name, say(`lobby.chips_${name}`), () => {
            chips = name;
            draw();
          }),
        ),
    );
  }

  function draw() {
    drawFilters();
    const shown = tables.filter(
      table =>
        !table.tournament &&
        (game === 'all' || gameOf(table) === game) &&
        (!mixed() || chips === 'all' || (chips === 'play') === isPlay(table)) &&
        (!table.owner || table.owner === session.player),
    );
    shown.sort(
      (one, other) =>
        placeOf(gameOf(one)) - placeOf(gameOf(other)) || one.table.localeCompare(other.table),
    );
    const focused = document.activeElement?.closest?.('.table-card')?.getAttribute('href');
    fill(list, shown.length ? shown.map(tableCard) : el('li', { class: 'soft' }, say('lobby.no_tables')));
    eventsBox.hidden = !tournaments.length;
    fill(events, tournaments.map(tournamentRow));
    if (focused) root.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  async function drawHead() {
    const before = session.log();
    const [{ proof }, { haltPanel }] = await Promise.all([import('./proof.js'), import('./halt.js')]);
    const [ready, checked] = await Promise.all([get('/readyz').catch(() => null), proof.log(true)]);
    if (closed) return;
    if (!checked.ok) return fill(head, haltPanel({ ...checked.failed, evidence: checked.evidence }, null));
    const [origin, size, hash] = checked.log.checkpoint.split('\n'),
      seen = ready?.witnessed;
    return fill(
      head,
      el(
        'dl',
        { class: 'facts' },
        el('dt', {}, say('lobby.log')),
        el('dd', {}, el('code', {}, origin)),
        el('dt', {}, say('lobby.entries')),
        el('dd', {}, money(size)),
        el('dt', {}, say('lobby.root')),
        el('dd', {}, el('code', { title: hash }, `${hash.slice(0, 12)}…`)),
        el('dt', {}, say('lobby.witnesses')),
        el(
          'dd',
          {},
          !seen
            ? say('lobby.no_witnesses')
            : say(seen.unwitnessed ? 'lobby.unwitnessed' : 'lobby.witnessed', {
                count: seen.witnesses.length,
                size: money(seen.size ?? 0),
              }),
        ),
      ),
      el('p', { class: 'proof-line is-proven small' }, say(before ? 'lobby.checked' : 'lobby.checked_first')),
      ready &&
        !ready.bets &&
        el('p', { class: 'notice warn' }, language() === 'en' ? ready.reason : say('lobby.no_bets')),
    );
  }

  /** Draws the data; with `first`, the first page of tables is shown before the rest is here. */
  async function read(first) {
    const take = found => {
      tables = found;
      if (!closed) draw();
    };
    const events = pages('/v1/tournaments', 'tournaments');
    events.catch(() => {});
    try {
      take(await pages('/v1/tables', 'tables', first && { early: earlyTables(), first: take }));
      tournaments = await events;
      if (closed) return;
      draw();
      status.textContent = '';
    } catch (error) {
      if (!closed) fill(status, await wordsOf(error));
    }
  }

  let reads = 0;
  const watch = () => {
    timer = setTimeout(async () => {
      if (!document.hidden) await read();
      // A head that cannot be read now stands as it is until the next time.
      if (!document.hidden && (reads += 1) % READS_A_HEAD === 0) await drawHead().catch(() => {});
      if (!closed) watch();
    }, AGAIN_MS);
  };

  fill(
    root,
    el(
      'div',
      { class: 'lobby' },
      el(
        'section',
        { class: 'hero' },
        el(
          'div',
          {},
          el('h1', {}, say('lobby.title')),
          el(
            'ul',
            { class: 'promises' },
            [1, 2, 3].map(number => el('li', {}, say(`lobby.promise_${number}`))),
          ),
          el('div', { class: 'row' }, start, el('a', { class: 'button second', href: '/log' }, say('lobby.audit'))),
          status,
        ),
        el('section', { class: 'head-box', 'aria-label': say('lobby.head') }, el('h2', {}, say('lobby.head')), head),
      ),
      eventsBox,
      el(
        'section',
        { class: 'lobby-part' },
        el('div', { class: 'part-head' }, el('h2', {}, say('lobby.tables')), filters),
        list,
      ),
    ),
  );
  await read(true);
  watch();
  // The verifier is a large file: the tables come first.
  const later = window.requestIdleCallback || (call => setTimeout(call, 300));
  later(() =>
    Promise.all([drawHead(), import('./trouble.js')]).catch(async error =>
      fill(head, el('p', { class: 'soft' }, await wordsOf(error)))));
  return () => {
    closed = true;
    forget();
    clearTimeout(timer);
  };
}

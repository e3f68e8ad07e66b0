// Finds rounds by player, table, time and result (`GET /v1/rounds`): a form and the results, page by page. The list is
// only the service's statement and depends on the token: players see their own rounds, auditors and the operator all.
// Each line leads to the round's own room, where it is proven.

import { el, fill } from './dom.js';
import { has, money, say } from './words.js';
import { tryOnce } from './api.js';
import { session } from './session.js';
import { section, table, utc } from './log-sections.js';

const PAGE = 25,
  /** The longest line of the list: one without an end must not fill the memory. */
  LONGEST_LINE = 16_384,
  /** The limit of a spreadsheet, and of a tab's memory. */
  LONGEST_FILE = 64 * 1024 * 1024;
const OUTCOMES = ['won', 'lost', 'even', 'void', 'in_play'];
const ROUND = /^[a-z0-9_-][a-z0-9._-]{0,63}:[0-9]{1,20}$/;

/** Lines of JSON as they arrive. */
async function* linesOf(body) {
  const reader = body.getReader(),
    decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      // Each line must be complete.
      if (done && text) throw new Error(say('log.find_broken'));
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const lines = text.split('\n');
      text = lines.pop();
      if (text.length > LONGEST_LINE) throw new Error(say('log.find_broken'));
      for (const line of lines) yield JSON.parse(line);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** A file with the whole reply, unless it is too large. */
async function blobOf(body, type) {
  const reader = body.getReader(),
    pieces = [];
  let length = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return new Blob(pieces, { type });
      length += value.length;
      if (length > LONGEST_FILE) throw new Error(say('log.find_too_long'));
      pieces.push(value);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

const keyOf = ({ round, player }) => `${round} ${player}`;
const sum = amount => (Number.isSafeInteger(amount) ? money(amount) : '–');
const signed = net => (Number.isSafeInteger(net) && net > 0 ? `+${money(net)}` : sum(net));
/** The unit of a line's sums: sums in different units must not be added. */
const unitWords = unit =>
  typeof unit !== 'string' ? '–'
  : unit === 'money' ? say('log.find_money')
  : unit === 'play' ? say('log.find_play')
  : unit.startsWith('event:') ? say('log.find_event', { event: unit.slice(6) })
  : unit.split(':')[0];
const roundCell = round => (ROUND.test(round) ? el('a', { href: `/round/${round}` }, round) : String(round));

/** The last millisecond with a valid date; a later value is no time. */
const timeWords = ms => (Number.isSafeInteger(ms) && ms >= 0 && ms <= 8.64e15 ? utc(ms).replace(' UTC', '') : '–');

function outcomeWords({ outcome, cause }) {
  const words = OUTCOMES.includes(outcome) ? say(`log.find_${outcome}`) : String(outcome);
  return cause && has(`log.cause_${cause}`) ? `${words} (${say(`log.cause_${cause}`)})` : words;
}

/** The section, with `stop()` for when its room is left. */
export function findPart() {
  const input = (name, more = {}) =>
    el('input', { name, autocomplete: 'off', spellcheck: false, autocapitalize: 'none', ...more });
  const player = input('player', { maxLength: 64, value: session.player ?? '' }),
    at = input('table', { maxLength: 64 }),
    from = input('from', { type: 'datetime-local', step: 1 }),
    to = input('to', { type: 'datetime-local', step: 1 }),
    net = input('net', { type: 'number', step: 1 }),
    most = input('most', { type: 'number', step: 1 }),
    token = input('token', { type: 'password', maxLength: 256 });
  const outcome = el(
    'select',
    { name: 'outcome' },
    el('option', { value: '' }, say('log.find_any')),
    OUTCOMES.map(word => el('option', { value: word }, say(`log.find_${word}`))),
  );
  const failure = el('p', { class: 'notice bad', role: 'alert', hidden: true }),
    status = el('p', { class: 'small soft', role: 'status' }),
    found = el('div', { class: 'find-found' });
  const button = (words, kind, act) =>
    el('button', { class: kind, type: 'button', hidden: true, on: { click: act } }, words);
  const go = el('button', { class: 'button', type: 'submit' }, say('log.find_go')),
    stop = button(say('log.find_stop'), 'button second', () => stopping?.abort()),
    more = button(say('log.find_more'), 'button second', () => run(read)),
    save = button(say('log.find_csv'), 'quiet', () => run(saveAll));
  let asked = null,
    hits = [],
    isWhole = false,
    stopping = null;

  const field = (words, ...content) => el('label', { class: 'field' }, words, content);
  const form = el(
    'form',
    { class: 'find', on: { submit } },
    el(
      'div',
      { class: 'find-fields' },
      field(say('log.find_player'), player),
      field(say('log.find_table'), at),
      field(say('log.find_from'), from),
      field(say('log.find_to'), to),
      field(say('log.find_outcome'), outcome),
      field(say('log.find_net'), net),
      field(say('log.find_most'), most),
    ),
    el(
      'details',
      {},
      el('summary', {}, say('log.find_as')),
      el('p', { class: 'soft small' }, say('log.find_as_why')),
      field(say('log.find_token'), token),
    ),
    el('div', { class: 'row' }, go, stop),
  );

  /** The form's query. Times are typed in UTC, like everywhere on this page. */
  function question() {
    const time = one => (one.value ? `${one.value.length === 16 ? `${one.value}:00` : one.value}Z` : '');
    const given = {
      player: player.value.trim(), table: at.value.trim(), from: time(from), to: time(to), outcome: outcome.value,
      min_net: net.value, max_net: most.value,
    };
    return {
      given: Object.entries(given).filter(([, value]) => value !== ''),
      token: token.value.trim() || session.token,
    };
  }

  function submit(event) {
    event.preventDefault();
    asked = question();
    hits = [];
    isWhole = false;
    // Without a token the result is empty, so no call is needed.
    if (asked.token) run(read);
    else tell(say('log.find_who'));
  }

  function tell(words) {
    failure.hidden = false;
    fill(failure, words);
    draw();
  }

  /** The reply to the query, with some parts changed. */
  async function ask(changed, signal) {
    const kept = asked.given.filter(([name]) => !(name in changed)),
      query = new URLSearchParams([...kept, ...Object.entries(changed)]);
    return tryOnce('GET', `/v1/rounds?${query}`, { headers: { Authorization: `Bearer ${asked.token}` }, signal });
  }

  /** The next lines: from the time of the last one on, which may repeat some. */
  async function read(signal) {
    const here = new Set(hits.map(keyOf)),
      last = hits.at(-1);
    const response = await ask(last ? { from: String(last.begun) } : {}, signal);
    let count = 0;
    for await (const hit of linesOf(response.body)) {
      if (here.has(keyOf(hit))) continue;
      // One more than a page: there is another page.
      if (count === PAGE) return;
      hits.push(hit);
      count += 1;
    }
    isWhole = true;
  }

  async function saveAll(signal) {
    const response = await ask({ format: 'csv' }, signal);
    const href = URL.createObjectURL(await blobOf(response.body, 'text/csv'));
    el('a', { href, download: 'rounds.csv' }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }

  /** Runs one task at a time; `stop` ends it. */
  async function run(act) {
    stopping?.abort();
    const mine = (stopping = new AbortController());
    failure.hidden = true;
    busy(true);
    try {
      await act(mine.signal);
      if (stopping !== mine) return;
      stopping = null;
      busy(false);
      draw();
    } catch (error) {
      if (stopping !== mine) return;
      stopping = null;
      busy(false);
      if (mine.signal.aborted) {
        draw();
        status.textContent = say('log.find_stopped');
        return;
      }
      // Connections that break off, and malformed lines, have no error text of their own.
      const isBroken = error instanceof TypeError || error instanceof SyntaxError;
      const { coded, problemWords } = await import('./trouble.js');
      tell(isBroken ? say('log.find_broken') : coded(problemWords(error)));
    }
  }

  function busy(is) {
    found.setAttribute('aria-busy', String(is));
    stop.hidden = !is;
    for (const one of [more, save]) one.disabled = is;
    if (is) status.textContent = say('log.find_searching');
  }

  function draw() {
    const focused = document.activeElement === more;
    const isSure = isWhole && failure.hidden;
    more.hidden = isWhole || !hits.length;
    save.hidden = !hits.length;
    status.textContent = hits.length
      ? say(isWhole ? 'log.find_all' : 'log.find_first', { n: money(hits.length) })
      : isSure ? say('log.find_none') : '';
    fill(
      found,
      hits.length > 0 &&
        table(
          [
            [say('log.find_round')], [say('log.find_outcome')], [say('log.find_result'), true],
            [say('log.find_staked'), true], [say('log.find_returned'), true], [say('log.find_unit')],
            [say('log.find_player')],
            [say('log.find_begun')],
          ],
          // The columns that a phone shows without scrolling come first.
          hits.map(hit => [
            roundCell(hit.round),
            outcomeWords(hit),
            signed(hit.net),
            sum(hit.staked),
            sum(hit.returned),
            unitWords(hit.unit),
            String(hit.player),
            timeWords(hit.begun),
          ]),
          say('log.find'),
        ),
    );
    // A user who asked for more by keyboard continues from the same place.
    if (focused && more.hidden) save.focus();
  }

  const part = section(
    'find',
    say('log.find'),
    el('p', { class: 'soft' }, say('log.find_why')),
    form,
    failure,
    status,
    found,
    el('div', { class: 'row' }, more, save),
  );
  return { part, stop: () => stopping?.abort() };
}

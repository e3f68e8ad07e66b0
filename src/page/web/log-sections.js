// The log room's sections about its counts: voids, withheld seeds, changes of shoes, turnover, significant events
// (log-figures.js counts them). Each takes a summary and returns an element.

import { el, fill } from './dom.js';
import { has, listed, money, say } from './words.js';
import { limitWords } from './limit-words.js';
import { columns } from './plots.js';
import { reasonWords } from './reasons.js';
import { coded } from './trouble.js';

const PAGE = 25,
  LISTED = 12,
  BUCKETS = 24;
const AHEAD = ['nobody', 'level', 'players', 'house'];
const CAUSES = ['reveal_missing', 'crash', 'malfunction', 'shoe_exhausted', 'abandoned'];

export const utc = ms =>
  new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');

export const section = (id, title, ...content) =>
  el(
    'section',
    { class: 'panel log-part', 'aria-labelledby': `log-${id}` },
    el('h2', { id: `log-${id}` }, title),
    content,
  );

export function table(heads, rows, label) {
  return el(
    'div',
    { class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': label },
    el(
      'table',
      { class: 'sums' },
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          heads.map(([words, isNumber]) => el('th', { scope: 'col', class: isNumber ? 'number' : null }, words)),
        ),
      ),
      el(
        'tbody',
        {},
        rows.map(cells =>
          el(
            'tr',
            {},
            cells.map((cell, i) =>
              i ? el('td', { class: heads[i][1] ? 'number' : null }, cell) : el('th', { scope: 'row' }, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

/** A list with the first items shown, and the rest page by page. */
function paged(items, draw) {
  const list = el('ul', { class: 'events' }),
    count = el('span', { class: 'small soft' });
  let page = 0;
  const show = to => {
    page = Math.min(Math.max(0, to), Math.max(0, Math.ceil(items.length / PAGE) - 1));
    fill(list, items.slice(page * PAGE, (page + 1) * PAGE).map(draw));
    count.textContent = say('log.page_of', {
      from: items.length ? page * PAGE + 1 : 0,
      to: Math.min(items.length, (page + 1) * PAGE),
      n: items.length,
    });
    newer.disabled = page === 0;
    older.disabled = (page + 1) * PAGE >= items.length;
  };
  const newer = el(
    'button',
    { class: 'quiet', type: 'button', on: { click: () => show(page - 1) } },
    `‹ ${say('log.newer')}`,
  );
  const older = el(
    'button',
    { class: 'quiet', type: 'button', on: { click: () => show(page + 1) } },
    `${say('log.older')} ›`,
  );
  show(0);
  return [list, items.length > PAGE && el('div', { class: 'row' }, newer, count, older)];
}

const roundLink = id => el('a', { href: `/round/${id}` }, id);
const entryLink = index =>
  el('a', { href: `/v1/entries/${index}`, target: '_blank', rel: 'noopener' }, say('log.entry', { index }));

/** Void rounds by cause and by the side ahead, over time, and one by one. */
export function voids({ causes, voidList, aheadOverTime, firstTime, lastTime, voids, rounds }) {
  const of = new Map(causes),
    number = (cause, ahead) => of.get(`${cause}/${ahead}`) || 0;
  const rows = CAUSES.map(cause => [
    say(`log.cause_${cause}`),
    ...AHEAD.map(ahead => String(number(cause, ahead))),
    String(AHEAD.reduce((all, ahead) => all + number(cause, ahead), 0)),
  ]);
  const width = Math.max(1, lastTime - firstTime + 1) / BUCKETS;
  const buckets = Array.from({ length: BUCKETS }, (_, i) => ({
    label: i ? utc(lastTime).slice(0, 16) : utc(firstTime).slice(0, 16),
    parts: AHEAD.map(kind => ({ kind, count: 0 })),
  }));
  for (const [time, ahead] of aheadOverTime) {
    const at = Math.min(BUCKETS - 1, Math.max(0, Math.floor((time - firstTime) / width)));
    buckets[at].parts[AHEAD.indexOf(ahead)].count++;
  }
  return section(
    'voids',
    say('log.voids'),
    el('p', {}, say('log.voids_of', { voids: money(voids), rounds: money(rounds + voids) })),
    table(
      [[say('log.cause_ahead')], ...AHEAD.map(ahead => [say(`log.ahead_${ahead}`), true]), [say('log.all'), true]],
      rows,
      say('log.voids'),
    ),
    voids > 0 && [
      columns(buckets, say('log.voids_plot')),
      el(
        'ul',
        { class: 'legend' },
        AHEAD.map(kind => el('li', {}, el('span', { class: `swatch part ${kind}` }), say(`log.ahead_${kind}`))),
      ),
    ],
    el('p', { class: 'soft small' }, say('log.voids_why')),
    voidList.length > 0 &&
      el(
        'details',
        { dataset: { id: 'voids' } },
        el('summary', {}, say('log.list', { n: voidList.length })),
        paged(voidList, ({ index, time, round, cause, ahead, missing, reason }) =>
          el(
            'li',
            {},
            el('span', { class: 'soft small' }, utc(time)),
            ' ',
            roundLink(round),
            ' ',
            say(`log.cause_${cause}`),
            missing.length > 0 && `: ${listed(missing)}`,
            reason && [' ', coded(reasonWords(reason))],
            ' · ',
            say('log.ahead'),
            ' ',
            say(`log.ahead_${ahead}`),
            ' · ',
            entryLink(index),
          ),
        ),
      ),
  );
}

/** The players whose seeds voided rounds. */
export function withheld({ withheld, withholders, late }) {
  return section(
    'withheld',
    say('log.withheld'),
    withheld.length
      ? table(
          [[say('log.player')], [say('log.seeds'), true]],
          withheld.slice(0, LISTED).map(([player, n]) => [player, String(n)]),
          say('log.withheld'),
        )
      : el('p', {}, say('log.none_withheld')),
    withholders > LISTED && el('p', { class: 'small' }, say('log.and_more', { n: withholders - LISTED })),
    late > 0 && el('p', {}, say('log.late', { n: late })),
    el('p', { class: 'soft small' }, say('log.withheld_why')),
  );
}

/** Why shoes left their tables. */
export function changes({ changes }) {
  return section(
    'changes',
    say('log.changes'),
    changes.length
      ? table(
          [[say('log.cause')], [say('log.times'), true]],
          changes.map(([cause, n]) => [say(`log.shoe_${cause}`), String(n)]),
          say('log.changes'),
        )
      : el('p', {}, say('log.no_changes')),
    el('p', { class: 'soft small' }, say('log.changes_why')),
  );
}

/** Rounds and chips by table. */
export function turnover({ tables, allTables }) {
  return section(
    'tables',
    say('log.tables'),
    el(
      'details',
      { dataset: { id: 'tables' } },
      el('summary', {}, say('log.list', { n: allTables })),
      table(
        [
          [say('log.table')],
          [say('log.rules')],
          [say('log.rounds'), true],
          [say('log.void_rounds'), true],
          [say('log.staked'), true],
          [say('log.returned'), true],
          [say('log.kept'), true],
        ],
        tables.map(one => [
          one.table,
          one.rules || '—',
          money(one.rounds),
          money(one.voids),
          money(one.staked),
          money(one.returned),
          one.staked ? `${((100 * (one.staked - one.returned)) / one.staked).toFixed(1)} %` : '—',
        ]),
        say('log.tables'),
      ),
    ),
    allTables > tables.length && el('p', { class: 'small' }, say('log.and_more', { n: allTables - tables.length })),
  );
}

/** A limit set by the operator, with its start if it waits. */
function limitSaid({ from, ...limit }) {
  const words = limitWords(limit);
  return from === undefined ? words : say('log.sig_limit_waits', { limit: words, from: utc(from) });
}

/** Why a start was refused: a label of the service (`ops/startup.rs`); one of another version is quoted. */
function startWords(label) {
  const key = `log.start_${label.toLowerCase().replace(/[^a-z]+/g, '_')}`;
  return has(key) ? say(key) : say('main.reason_quoted', { reason: label });
}

/** By whom, as the log names them: `operator`, `house`, `auditor:NAME`, `player:NAME`. */
function byWords(by) {
  const [kind, name] = by.split(':'),
    key = `log.by_${kind}`;
  return has(key) ? say(key, { name }) : by;
}

/** A significant event in words. */
export function significantWords({ kind, by, reason, down_ms: down, ...values }) {
  return say(`log.sig_${kind}`, {
    by: byWords(by),
    ...values,
    ...(reason && { reason: kind === 'refused_start' ? startWords(reason) : reasonWords(reason) }),
    ...(kind === 'limit_set' && { limit: limitSaid(values) }),
    ...(kind === 'event_postponed' && { at: utc(values.at) }),
    ...(kind === 'start' && { seconds: Math.round((down || 0) / 1000) }),
  });
}

/** The operator's acts, and the service's incidents. */
export function significant({ significant }) {
  return section(
    'significant',
    say('log.significant'),
    significant.length
      ? paged(significant, ({ index, time, ...event }) =>
          el(
            'li',
            {},
            el('span', { class: 'soft small' }, utc(time)),
            ' ',
            coded(significantWords(event)),
            ' · ',
            entryLink(index),
          ),
        )
      : el('p', {}, say('log.none_significant')),
  );
}

// The look of a tournament's room: drawn from the room's data, with buttons that name their action (`data-do`).

import { el } from './dom.js';
import { language, listed, money, say } from './words.js';
import { session } from './session.js';
import { coded } from './trouble.js';
import { keptSeed } from './tournament-draws.js';
import { act, dealPanel } from './tournament-deal.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The time until a moment: 4:07, 1:02:30, 3 d 4 h. */
export function untilWords(ms) {
  const left = Math.max(0, Math.ceil(ms / SECOND) * SECOND);
  const two = value => String(value).padStart(2, '0');
  if (left >= DAY) return say('tournament.days', { days: Math.floor(left / DAY),
    hours: Math.floor((left % DAY) / HOUR) });
  const [hours, minutes, seconds] = [Math.floor(left / HOUR), Math.floor((left % HOUR) / MINUTE),
    (left % MINUTE) / SECOND];
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

const countdown = (room, moment, kind = '') =>
  el('span', { class: `countdown ${kind}`.trim(), dataset: { until: String(moment) } },
    untilWords(moment - room.now()));

const local = moment => new Date(moment).toLocaleString(language() === 'ja' ? 'ja-JP' : 'en-GB', {
  dateStyle: 'medium', timeStyle: 'short',
});

const duration = ms => (ms % MINUTE || ms < MINUTE
  ? say('tournament.seconds', { count: Math.round(ms / SECOND) }) : say('tournament.minutes', { count: ms / MINUTE }));

const fact = (term, ...what) => [el('dt', {}, term), el('dd', {}, what)];
const panel = (id, title, ...children) =>
  el('section', { class: `panel event-${id}`, dataset: { id }, 'aria-labelledby': `event-${id}` },
    el('h2', { id: `event-${id}` }, title), children);

const blindsWords = ({ small, big, third, ante }) =>
  [small, big, third].filter(one => one !== undefined).map(money).join(' / ')
  + (ante ? ` · ${say('tournament.ante', { amount: money(ante) })}` : '');

function head(room) {
  const { summary, structure } = room.view;
  const { entry } = structure;
  const price = [money(entry.buy_in), entry.bounty > 0
    && say('tournament.with_bounty', { amount: money(entry.bounty) }),
    say('tournament.with_fee', { amount: money(entry.fee) })].filter(Boolean).join(' + ');
  const poker = room.view.table_rules.game.poker.hand;
  return el('header', { class: 'event-head', dataset: { id: 'head' } },
    el('h1', {}, summary.tournament),
    el('p', { class: 'table-tags' },
      el('span', { class: summary.stage === 'running' ? 'tag good' : summary.stage === 'cancelled' ? 'tag bad'
        : 'tag' },
        say(`tournament.stage_${summary.stage}`)),
      el('span', { class: 'tag' }, say(`poker.game_${poker.family}${poker.hi_lo ? '_hi_lo' : ''}`)),
      el('span', { class: 'tag' }, structure.name),
      el('span', { class: 'tag' }, price)),
    room.problem && el('p', { class: 'notice bad', role: 'alert', dataset: { id: 'problem' } }, coded(room.problem)));
}

function clock(room) {
  const { clock: at, summary, hand_for_hand: round } = room.view;
  if (summary.stage === 'registering' || !at) {
    return panel('clock', say('tournament.starts'),
      el('p', { class: 'event-time' }, countdown(room, summary.starts_at, 'big')),
        el('p', { class: 'soft' }, local(summary.starts_at)));
  }
  if (summary.stage !== 'running') {
    return panel('clock', say(`tournament.stage_${summary.stage}`),
      el('p', { class: 'soft' }, say(`tournament.is_${summary.stage}`)));
  }
  return panel('clock', at.in_break ? say('tournament.break') : say('tournament.level', { level: at.level }),
    at.stands
      ? el('p', { class: 'notice warn' }, say(`tournament.stands_${at.stands.cause}`),
        at.stands.until && [' ', countdown(room, at.stands.until)])
      : at.next_change && el('p', { class: 'event-time' }, countdown(room, at.next_change, 'big'),
        el('span', { class: 'soft' }, say(at.in_break ? 'tournament.to_play' : 'tournament.to_level'))),
    at.blinds && el('p', { class: 'event-blinds' }, blindsWords(at.blinds)),
    el('dl', { class: 'facts' },
      at.next_break && !at.in_break && fact(say('tournament.next_break'), countdown(room, at.next_break)),
      round !== null && fact(say('tournament.hand_for_hand'),
        say('tournament.hand_round', { round: Number(round) + 1 }))));
}

function numbers(room) {
  const { summary, average_stack: average, tables, registration, structure } = room.view;
  const ends = registration.closed
    ? say(`tournament.closed_${registration.closed}`)
    : registration.late_levels ? say('tournament.late', { levels: registration.late_levels })
      : say('tournament.to_start');
  return panel('numbers', say('tournament.field'),
    el('dl', { class: 'facts' },
      fact(say('tournament.entries'),
        `${money(summary.entries)} (${say('tournament.players', { count: money(summary.players) })})`),
      summary.stage === 'running' && fact(say('tournament.remaining'), money(summary.remaining)),
      summary.stage === 'running' && fact(say('tournament.average'), money(average)),
      fact(say('tournament.tables'), money(tables)),
      fact(say('tournament.seats'), money(summary.seats)),
      fact(say('tournament.stack'), money(structure.entry.stack)),
      fact(say('tournament.registration'), registration.from > room.now()
        ? [say('tournament.opens'), ' ', countdown(room, registration.from)] : ends)));
}

/** The instant of a cancellation may lie at least this far back (spec/games/refunds.md, 2.1). */
const REACH_MS = 1800000;

const placesWords = ({ first, last }) => (first === last ? `${first}` : `${first}–${last}`);

function prizes(room) {
  const { prizes: pool, payouts, places, structure } = room.view;
  const { satellite } = structure.payouts;
  return panel('prizes', say('tournament.prizes'),
    el('p', { class: 'event-pool' }, money(pool.pool), ' ',
      el('span', { class: 'soft small' }, say(pool.is_final ? 'tournament.pool_final' : 'tournament.pool_now'))),
    el('dl', { class: 'facts' },
      fact(say('tournament.collected'), money(pool.collected)),
      pool.overlay > 0 && fact(say('tournament.overlay'), money(pool.overlay)),
      structure.guarantee > 0 && fact(say('tournament.guarantee'), money(structure.guarantee)),
      fact(say('tournament.places'), money(places))),
    satellite && el('p', {}, say('tournament.satellite'), ' ',
      el('a', { href: `/tournament/${satellite.target}` }, satellite.target)),
    payouts.length > 0 && el('table', { class: 'sums' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, say('tournament.place')),
        el('th', { scope: 'col', class: 'number' }, say('tournament.prize')))),
      el('tbody', {}, payouts.slice(0, 30).map(one => el('tr', { dataset: { id: `place-${one.first}` } },
        el('td', {}, placesWords(one)),
        el('td', { class: 'number' }, one.seat && say('tournament.a_seat'), one.seat && one.cash > 0 && ' + ',
          (one.cash > 0 || !one.seat) && money(one.cash)))))));
}

// --- The player's own entry
// -------------------------------------------------------------------------------------------

const PAYS = ['cash', 't_dollars', 'ticket'];

function payChoice(own) {
  const can = { cash: true, t_dollars: own.t_dollars > 0, ticket: own.ticket };
  const ways = PAYS.filter(way => can[way]);
  if (ways.length === 1) return null;
  return el('fieldset', { class: 'event-pay' }, el('legend', {}, say('tournament.pay')),
    ways.map((way, at) => el('label', { class: 'check' },
    el('input', { type: 'radio', name: 'pay', value: way, checked: at === 0 }),
    say(`tournament.pay_${way}`, { amount: money(own.t_dollars) }))));
}

function entering(room, again) {
  const { structure, own } = room.view;
  const { entry } = structure;
  return [
    payChoice(own),
    act('register', say(again ? 'tournament.re_enter' : 'tournament.register',
      { amount: money(entry.buy_in + entry.bounty + entry.fee) })),
    el('details', { class: 'seed-choice' }, el('summary', {}, say('tournament.seed')),
      el('p', { class: 'soft small' }, say('tournament.seed_says')),
      el('label', { class: 'field' }, say('tournament.seed_own'),
        el('input', { name: 'seed', class: 'mono', maxLength: 64, spellcheck: false, autocomplete: 'off',
          placeholder: say('tournament.seed_made') }))),
  ];
}

const isOut = entry => ['out', 'disqualified'].includes(entry.at);

/** The choices allowed by structure, stack and clock; in the end the house decides. */
function canRebuy({ structure, clock: at, summary, own }) {
  const { rebuy } = structure;
  const { entry } = own;
  return rebuy && summary.stage === 'running' && !isOut(entry) && at.level <= rebuy.levels && entry.rebuys < rebuy.most
    && entry.chips <= rebuy.stack_at_most;
}

const canAddOn = ({ structure, clock: at, summary, own }) => structure.add_on && summary.stage === 'running'
  && !isOut(own.entry)
  && at.in_break && at.level === structure.add_on.after_level;

function rankWords(entry) {
  if (!entry.rank) return null;
  const [first, last] = entry.rank;
  return say('tournament.finished', { place: placesWords({ first, last }), amount: money(entry.received) });
}

function ownEntry(room) {
  const { own, registration, summary, structure } = room.view;
  const { entry } = own;
  const mayLeave = summary.stage === 'registering' && registration.unregister_until !== null
    && registration.unregister_until > room.now();
  return [
    el('dl', { class: 'facts' },
      fact(say('tournament.entry_no'), `${Number(entry.entry_no) + 1}`),
      fact(say('tournament.standing'), say(entry.rank ? 'tournament.at_ranked' : `tournament.at_${entry.at}`)),
      entry.at === 'seated' && !entry.rank && fact(say('tournament.chips'), money(entry.chips)),
      entry.table && !entry.rank &&
        fact(say('tournament.table'), `${entry.table} · ${say('tournament.seat', { seat: entry.seat })}`),
      structure.entry.bounty > 0 && fact(say('tournament.head'), money(entry.bounty)),
      entry.bounty_won > 0 && fact(say('tournament.bounty_won'), money(entry.bounty_won)),
      entry.sold > 0 && fact(say('tournament.sold'), `${entry.sold / 100} %`)),
    rankWords(entry) && el('p', { class: 'notice' }, rankWords(entry)),
    entry.table && entry.at === 'seated' && summary.stage === 'running'
      && el('a', { class: 'button big', href: `/play/${entry.table}` }, say('tournament.to_table')),
    own.rebuy_until !== null && el('p', { class: 'notice warn', role: 'alert' }, say('tournament.rebuy_asked'), ' ',
      countdown(room, own.rebuy_until)),
    el('div', { class: 'row' },
      (canRebuy(room.view) || own.rebuy_until !== null) && act('rebuy', say('tournament.rebuy', {
        amount: money(structure.rebuy.price + structure.rebuy.fee), chips: money(structure.rebuy.chips) })),
      own.rebuy_until !== null && act('decline', say('tournament.decline'), { kind: 'second' }),
      canAddOn(room.view) && act('addon', say('tournament.add_on', {
        amount: money(structure.add_on.price + structure.add_on.fee), chips: money(structure.add_on.chips) })),
      mayLeave && act('unregister', say('tournament.unregister'), { kind: 'second' })),
    mayLeave && el('p', { class: 'soft small' }, say('tournament.unregister_until'), ' ',
      countdown(room, registration.unregister_until)),
  ];
}

function own(room) {
  const { own: standing, summary, structure } = room.view;
  const title = say('tournament.yours');
  if (!session.player) {
    return panel('own', title, el('p', {}, say('tournament.stranger')), act('login', say('main.sign_in')));
  }
  if (!standing) return panel('own', title, el('p', { class: 'soft' }, say('tournament.no_player')));
  const { entry } = standing;
  const again = entry && isOut(entry) && structure.entry.entries_per_player > 1;
  return panel('own', title,
    entry && ownEntry(room),
    summary.open && (!entry || again) && entering(room, !!entry),
    !entry && !summary.open && el('p', { class: 'soft' }, say('tournament.not_open')),
    stakes(room));
}

/** Parts of entries: only before the start, if the structure has them. */
function stakes(room) {
  const { structure, summary, own: standing } = room.view;
  if (!structure.staking || summary.stage !== 'registering') return null;
  const { entry } = standing;
  const offers = room.standings.entries.filter(one => one.player !== session.player && one.offered > one.sold);
  if (!entry && !offers.length) return null;
  return el('details', { class: 'event-stakes' }, el('summary', {}, say('tournament.stakes')),
    entry && el('form', { class: 'row' },
      el('label', { class: 'field' }, say('tournament.offer_percent'),
        el('input', { name: 'offer', inputMode: 'decimal', autocomplete: 'off' })),
      el('button', { type: 'submit', class: 'button second', dataset: { do: 'offer' } }, say('tournament.offer'))),
    offers.map(one => el('form', { class: 'row', dataset: { id: one.player } },
      el('label', { class: 'field' }, say('tournament.buy_percent',
        { seller: one.player, percent: (one.offered - one.sold) / 100 }),
        el('input', { name: `buy-${one.player}`, inputMode: 'decimal', autocomplete: 'off' })),
      el('button', { type: 'submit', class: 'button second', dataset: { do: 'buy', seller: one.player } },
        say('tournament.buy')))));
}

// --- The draw of seats -----------------------------------------------------------------------------------------------

function checkLine({ what, ok }) {
  return el('li', { class: ok ? 'good' : 'bad', dataset: { id: what } },
    el('span', { 'aria-hidden': 'true' }, ok ? '✓ ' : '✗ '),
    say(ok ? `tournament.check_${what}` : `tournament.check_${what}_failed`));
}

function seedState(room) {
  const { own: standing, draw } = room.view;
  if (!standing?.entry || isOut(standing.entry)) return null;
  const use = standing.reveals_use ?? standing.next_use - 1;
  if (room.lostSeed !== null && draw) return el('p', { class: 'notice warn' }, say('tournament.seed_lost'));
  const kept = use >= 0 ? keptSeed(room.view, use) : null;
  return el('p', { class: 'small' }, say(kept ? 'tournament.seed_kept' : 'tournament.seed_elsewhere'), ' ',
    kept && el('code', {}, kept.commitment.slice(0, 16), '…'));
}

function draws(room) {
  const { draw } = room.view;
  const { list, tip, whole: complete, failed, broken } = room.draws;
  return panel('draws', say('tournament.draws'),
    el('p', { class: 'soft small' }, say('tournament.draws_how')),
    failed && el('p', { class: 'notice bad', role: 'alert' },
      say('tournament.not_on_log'), ' ', coded(`[${failed.failed.check}]`)),
    broken && el('p', { class: 'notice bad', role: 'alert' },
      say('tournament.draw_broken', { number: broken.draw + 1 })),
    draw && el('p', { class: 'notice' }, say(`tournament.draw_${draw.kind}`,
      { table: draw.table ?? '', count: draw.entrants }), ' ',
      say('tournament.awaited', { count: draw.awaited }), ' ', countdown(room, draw.reveal_by)),
    seedState(room),
    tip && el('p', { class: 'small' }, say('tournament.tip'), ' ', el('code', {}, tip)),
    list.length > 0 && el('ol', { class: 'draw-list' }, list.map(one => el('li', { dataset: { id: String(one.draw) } },
      el('details', {}, el('summary', {}, say(`tournament.kind_${one.kind}`), ' ',
        one.done && el('span', { class: one.checks.every(check => check.ok) ? 'tag good' : 'tag bad' },
          say(one.checks.every(check => check.ok) ? 'tournament.checked' : 'tournament.not_sound'))),
      el('p', { class: 'small' }, say('tournament.seeds_out',
        { count: one.seeds.length, withheld: one.done?.withheld ?? 0 })),
      one.done && el('ul', { class: 'event-checks small' }, one.checks.map(checkLine)),
      one.done && one.draw > 0 && el('p', { class: 'soft small' }, say('tournament.later_draw')),
      one.done && el('p', { class: 'small' }, 's: ', el('code', {}, one.done.link), el('br'), 'E: ',
        el('code', {}, one.done.entropy)))))),
    !complete && el('p', { class: 'soft small' }, say('tournament.too_large')));
}

// --- Structure, standings, tables ------------------------------------------------------------------------------------

function breaksWords({ after, synchronised }) {
  if (synchronised) {
    return say('tournament.breaks_synchronised', { every: duration(synchronised.every_ms),
      ms: duration(synchronised.ms) });
  }
  if (!after.length) return say('tournament.no_breaks');
  return say('tournament.breaks_after', { levels: listed(after.map(one => one.level)), ms: duration(after[0].ms) });
}

function structure(room) {
  const { structure: rules, clock: at, digest } = room.view;
  const { rebuy, add_on: addOn, entry } = rules;
  return panel('structure', say('tournament.structure'),
    el('dl', { class: 'facts' },
      fact(say('tournament.breaks'), breaksWords(rules.breaks)),
      rebuy && fact(say('tournament.rebuys'), say('tournament.rebuy_rule', {
        amount: money(rebuy.price + rebuy.fee), chips: money(rebuy.chips), most: rebuy.most, levels: rebuy.levels,
          stack: money(rebuy.stack_at_most) })),
      addOn && fact(say('tournament.add_ons'), say('tournament.add_on_rule', {
        amount: money(addOn.price + addOn.fee), chips: money(addOn.chips), level: addOn.after_level })),
      fact(say('tournament.re_entry'), entry.entries_per_player > 1
        ? say('tournament.re_entry_rule', { count: entry.entries_per_player }) : say('tournament.no_re_entry')),
      entry.bounty > 0 && fact(say('tournament.bounty'),
        say(`tournament.bounty_${rules.bounty_onto_head}`, { amount: money(entry.bounty) })),
      fact(say('tournament.turn'), duration(rules.clocks.turn_ms)),
      rules.clocks.between_hands_ms > 0 && fact(say('tournament.pause'), duration(rules.clocks.between_hands_ms)),
      fact(say('tournament.operator'), [
        say('tournament.operator_may', { ms: duration(Math.max(rules.cancel_after_ms, REACH_MS)) }),
        rules.guarantee > 0 && ` ${say('tournament.operator_guarantee')}`,
        rules.bounty_on === 'some' && ` ${say('tournament.operator_bounties')}`,
      ]),
      fact(say('tournament.digest'), el('code', {}, digest))),
    el('details', { open: true }, el('summary', {}, say('tournament.levels')),
      el('div', { class: 'scrolls', tabIndex: 0, role: 'group', 'aria-label': say('tournament.levels') },
        el('table', { class: 'sums' },
        el('thead', {}, el('tr', {}, ['tournament.level_no', 'tournament.blinds', 'tournament.ante_head',
          'tournament.length']
          .map(key => el('th', { scope: 'col' }, say(key))))),
        el('tbody', {}, rules.levels.map((one, i) => el('tr', {
          class: at && at.level === i + 1 && room.view.summary.stage === 'running' ? 'me' : '',
            dataset: { id: `level-${i}` },
        },
        el('td', {}, String(i + 1)), el('td', {}, blindsWords({ ...one, ante: 0 })),
          el('td', {}, one.ante ? money(one.ante) : '–'),
        el('td', {}, duration(one.ms)))))))));
}

function standingRow(one, room) {
  const own = one.player === session.player;
  const place = one.rank ? placesWords({ first: one.rank[0], last: one.rank[1] }) : say(`tournament.at_${one.at}`);
  const bounty = room.view.structure.entry.bounty > 0;
  return el('tr', { class: own ? 'me' : '', dataset: { id: String(one.entry_no) } },
    el('td', {}, place),
    el('th', { scope: 'row' }, one.player, one.re_entry && ` (${say('tournament.re_entered')})`,
      one.rebuys > 0 && el('span', { class: 'how' }, say('tournament.rebuys_count', { count: one.rebuys }))),
    el('td', { class: 'number' }, isOut(one) ? '–' : money(one.chips)),
    bounty && el('td', { class: 'number' }, money(one.bounty)),
    el('td', {}, one.table ? el('a', { href: `/play/${one.table}` }, `${one.table.split('.').at(-1)} / ${one.seat}`)
      : '–'),
    el('td', { class: 'number' }, one.received ? money(one.received) : '–'));
}

const NUMBERS = new Set(['chips', 'head', 'received']);

function standings(room) {
  const { entries, next } = room.standings;
  const bounty = room.view.structure.entry.bounty > 0;
  const heads = ['place', 'player', 'chips', bounty && 'head', 'table_seat', 'received'].filter(Boolean);
  return panel('standings', say('tournament.standings'),
    entries.length === 0 ? el('p', { class: 'soft' }, say('tournament.nobody'))
      : el('div', { class: 'scrolls', tabIndex: 0, role: 'group', 'aria-label': say('tournament.standings') },
        el('table', { class: 'sums' },
          el('thead', {}, el('tr', {}, heads.map(name =>
            el('th', { scope: 'col', class: NUMBERS.has(name) ? 'number' : '' }, say(`tournament.${name}`))))),
          el('tbody', {}, entries.map(one => standingRow(one, room))))),
    (next || room.cursors.length > 1) && el('div', { class: 'row' },
      room.cursors.length > 1 && act('previous', say('tournament.previous'), { kind: 'second' }),
      next && act('next', say('tournament.next'), { kind: 'second' })));
}

function tables(room) {
  const list = room.tables.filter(one => one.seats.length);
  if (!list.length) return null;
  return panel('tables', say('tournament.tables'),
    el('ul', { class: 'event-table-list' }, list.map(one => el('li', { dataset: { id: String(one.number) } },
      one.table ? el('a', { href: `/play/${one.table}` }, say('tournament.table_no', { number: one.number }))
        : el('b', {}, say('tournament.table_no', { number: one.number })),
      el('span', { class: 'small' }, one.seats.map(seat => `${seat.player} ${money(seat.chips)}`).join(' · '))))));
}

/** The room as it stands. */
export function whole(room) {
  return el('div', { class: 'event-room', 'aria-busy': String(room.busy) },
    head(room),
    el('div', { class: 'event-side', dataset: { id: 'side' } }, own(room), dealPanel(room, panel, countdown),
      clock(room), numbers(room)),
    el('div', { class: 'event-main', dataset: { id: 'main' } }, standings(room), tables(room), prizes(room),
      draws(room), structure(room)));
}

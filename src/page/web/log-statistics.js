// The results of the log's last rounds compared with chance. The bands come from the exact distribution, for all bars
// of a plot together: an honest house lies within them.

import { el } from './dom.js';
import { GAMES } from './games.js';
import { listed, money, say } from './words.js';
import { frequencies, intervals } from './plots.js';
import { section, table } from './log-sections.js';

/** Where people decide: the means of best play and of copying the dealer, in percent (spec/games/odds.md). */
const PLAYED = {
  joy: [100.1946, 94.431],
  'live-blackjack': [99.2926, 94.3246],
  'six-deck': [100.2543, 94.3244],
  'study-group': [99.916, 94.3244],
};
const ALIKE = {
  'joy-own': 'joy',
  'rng-blackjack': 'live-blackjack',
  'six-deck-solo': 'six-deck',
  'study-group-solo': 'study-group',
};
const RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'];

const KIND = /^([^:]*):([^:]*)(?::(.*))?$/;

/** The figures `{exact, variance}` of one unit on a kind of bet; variance is null if it must be estimated. */
function lawOf(kind) {
  const [, game, name, law] = KIND.exec(kind);
  if (game === 'blackjack')
    return { exact: (PLAYED[name] || []).map((value, i) => ({ value, name: ['best', 'copy'][i] })), variance: null };
  const ways = JSON.parse(law);
  if (!ways) return { exact: [], variance: null };
  const moment = power => ways.reduce((all, [chance, back]) => all + chance * back ** power, 0),
    mean = moment(1);
  return { exact: [{ value: 100 * mean }], variance: moment(2) - mean * mean };
}

/** The range in which all of `of` equal counts lie together in 95 of 100 honest logs. */
function band(total, of) {
  const share = 1 / of,
    tail = 0.025 / of;
  let low = null,
    sum = 0,
    log = total * Math.log1p(-share);
  for (let n = 0; n <= total; n++) {
    sum += Math.exp(log);
    if (low === null && sum > tail) low = n;
    if (sum >= 1 - tail) return { mean: total * share, low: low ?? 0, high: n };
    log += Math.log((total - n) / (n + 1)) + Math.log(share / (1 - share));
  }
  return { mean: total * share, low: low ?? 0, high: total };
}

/** Returns with their interval, faces and pockets with their band. */
export function statistics({ returns, ranks, faces, suits, pockets, spins }) {
  const merged = new Map();
  for (const one of returns) {
    const [game, ...rest] = one.kind.split(':'),
      kind = game === 'blackjack' ? `${game}:${ALIKE[rest[0]] || rest[0]}` : one.kind,
      sums = merged.get(kind);
    merged.set(
      kind,
      sums
        ? Object.fromEntries(Object.keys(one).map(name => [name, name === 'kind' ? kind : sums[name] + one[name]]))
        : { ...one, kind },
    );
  }
  const rows = [...merged.values()]
    .filter(one => one.bets >= 30)
    .sort((a, b) => (a.kind < b.kind ? -1 : 1))
    .map(({ kind, bets, staked, returned, ss, sr, rr }) => {
      // The exact variance, with the bets of one round taken together; otherwise the estimated error of a ratio of
      // sums.
      const ratio = returned / staked,
        { exact, variance } = lawOf(kind);
      const seen = rr - 2 * ratio * sr + ratio * ratio * ss,
        error = Math.sqrt(Math.max(0, variance === null ? seen : variance * ss)) / staked;
      return {
        ...namesOf(kind),
        bets,
        value: 100 * ratio,
        low: 100 * (ratio - 1.96 * error),
        high: 100 * (ratio + 1.96 * error),
        exact,
      };
    });
  return section(
    'statistics',
    say('log.statistics'),
    el('p', { class: 'soft small' }, say('log.statistics_why')),
    el(
      'div',
      { class: 'plots' },
      rows.length > 0 &&
        el(
          'figure',
          {},
          el(
            'figcaption',
            {},
            el('strong', {}, say('log.returns')),
            ' ',
            el('span', { class: 'soft small' }, say('log.returns_why')),
          ),
          intervals(rows, say('log.returns')),
          el(
            'details',
            { dataset: { id: 'returns' } },
            el('summary', {}, say('log.as_table')),
            table(
              [
                [say('log.bet')],
                [say('log.bets'), true],
                [say('log.returned'), true],
                [say('log.interval'), true],
                [say('log.exact'), true],
              ],
              rows.map(({ name, bets, value, low, high, exact }) => [
                name,
                money(bets),
                `${value.toFixed(2)} %`,
                `${low.toFixed(2)}–${high.toFixed(2)} %`,
                listed(exact
                  .map(one => `${one.name ? `${say(`log.play_${one.name}`)} ` : ''}${one.value.toFixed(2)} %`)) || '—',
              ]),
              say('log.returns'),
            ),
          ),
        ),
      faces > 0 &&
        el(
          'figure',
          {},
          el(
            'figcaption',
            {},
            el('strong', {}, say('log.faces', { n: money(faces) })),
            ' ',
            el('span', { class: 'soft small' }, say('log.band_why')),
          ),
          frequencies(
            ranks.map((count, i) => ({ label: RANKS[i], count })),
            band(faces, 13),
            say('log.faces', { n: money(faces) }),
          ),
          el(
            'p',
            { class: 'small' },
            ['♣', '♦', '♥', '♠'].map((sign, i) => `${sign} ${money(suits[i])}`).join('   '),
          ),
        ),
      spins > 0 &&
        el(
          'figure',
          {},
          el(
            'figcaption',
            {},
            el('strong', {}, say('log.pockets', { n: money(spins) })),
            ' ',
            el('span', { class: 'soft small' }, say('log.band_why')),
          ),
          frequencies(
            pockets.map((count, i) => ({ label: String(i), count })),
            band(spins, 37),
            say('log.pockets', { n: money(spins) }),
          ),
        ),
      !rows.length && !faces && !spins && el('p', {}, say('log.nothing_yet')),
    ),
  );
}

/** The names of a kind of bet: beside its bar, and in the table. */
function namesOf(kind) {
  const [, game, bet, law] = KIND.exec(kind);
  if (game === 'blackjack') return { label: bet, name: bet };
  const ways = JSON.parse(law),
    name = `${say(`log.bet_${bet}`)}${ways?.length === 1 ? ` ${ways[0][1] - 1}:1` : ''}`;
  return { label: `${GAMES[game].pip} ${name}`, name: `${say(`game.${game}`)} · ${name}` };
}

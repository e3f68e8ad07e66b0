// The parts around a replayed round's table: the verdict, who won and why, the proof of a step, the log and its key.

import { el } from './dom.js';
import { language, money, say } from './words.js';
import { session } from './session.js';
import { faceName, mark, shoeWord } from './seal.js';
import { coded, RULE, timeWords } from './trouble.js';
import { cardName } from './card.js';

const SIGNS = { sound: '✓', sound_so_far: '◔', not_sound: '✗' };
const TONES = { sound: 'good', sound_so_far: 'warn', not_sound: 'bad' };

const utc = ms => new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC');
/** By the reader's clock, as they remember it, and as the log and the desk have it. */
export const bothTimes = ms => `${timeWords(ms, 'medium')} · ${utc(ms)}`;
/** Words in which a rule that somebody named leads to its sentence. */
const ruled = text => coded(text, new RegExp(`(${RULE.source})`));

/** Words first; hashes below, for readers who want them. */
export function verdictOf({ verdict, told }, again = null) {
  const kind = verdict.verdict,
    isBad = kind === 'not_sound';
  const mine =
    told &&
    (told.players.find(({ player }) => player === session.player) ||
      (told.players.length === 1 ? told.players[0] : null));
  // For one hand or bet the sum adds no information.
  const own = mine && (mine.lines.length === 2 ? mine.lines.slice(0, 1) : mine.lines);
  const why = !told || isBad ? [] : told.voided ? told.voided.lines : own || told.table;
  const [first, ...rest] = verdict.text.split(/(?<=[.。]) ?(?=\S)/);
  const glue = language() === 'ja' ? '' : ' ';
  return el(
    'section',
    { class: `verdict notice ${TONES[kind]}`, role: isBad ? 'alert' : null },
    el(
      'p',
      { class: `verdict-word ${TONES[kind]}` },
      el('span', { 'aria-hidden': 'true' }, SIGNS[kind]),
      ' ',
      say(`round.${kind}`),
      told?.voided && el('span', { class: 'tag warn' }, say('round.void')),
    ),
    el('p', { class: 'verdict-head' }, isBad || !told ? first : told.title),
    why.map(line => el('p', {}, ruled(line))),
    isBad || !told ? rest.length > 0 && el('p', {}, rest.join(glue)) : el('p', { class: 'soft' }, verdict.text),
    isBad && el('p', { class: 'mono small' }, coded(verdict.technical)),
    again &&
      el('p', {}, el('button', { class: 'button second', type: 'button', on: { click: again } }, say('round.again'))),
  );
}

/** The proof of this step: each face's slot, salt, path and root, and the entry's place under the checkpoint. */
export function proofOf(step, words, { log, rules }, shoes) {
  const [game] = Object.keys(rules?.game ?? {});
  const hashes = (title, list) =>
    el(
      'details',
      {},
      el('summary', {}, `${title} (${list.length})`),
      el(
        'ol',
        { class: 'path' },
        list.map(hash => el('li', {}, el('code', {}, hash))),
      ),
    );
  const fact = (name, ...what) => [el('dt', {}, name), el('dd', {}, what)];
  const face = one =>
    el(
      'div',
      { class: 'face-proof' },
      el(
        'h3',
        {},
        mark(one.state),
        ' ',
        faceName(one),
        ' ',
        el('span', { class: 'soft small' }, say(`seal.${one.state}`)),
      ),
      el(
        'dl',
        { class: 'facts' },
        fact(say('round.slot'), String(one.slot)),
        fact(shoeWord(game), String(one.shoe)),
        fact(say('round.root'), el('code', {}, one.root)),
        shoes.has(one.shoe) &&
          fact(say('round.committed'), say('round.in_entry', { entry: shoes.get(one.shoe).entry })),
        one.opening && fact(say('round.salt'), el('code', {}, one.opening.salt)),
      ),
      one.opening && hashes(say('round.path'), one.opening.path),
    );
  return [
    el('h2', { id: 'step-proof-head' }, say('round.proof')),
    el('p', {}, ruled(words)),
    step.faces.map(face),
    el(
      'dl',
      { class: 'facts' },
      fact(say('round.entry'), String(step.index)),
      fact(say('round.time'), bothTimes(step.time)),
      log && fact(say('round.under'), say('round.checkpoint', { size: log.size }), ' ', el('code', {}, log.root)),
    ),
    step.proof && hashes(say('round.inclusion'), step.proof),
    language() === 'en' &&
      step.words.length > 0 &&
      el(
        'details',
        {},
        el('summary', {}, say('round.exact_words')),
        step.words.map(line => el('p', { class: 'small' }, ruled(line))),
      ),
  ];
}

/** Each player's stakes and returns, and why. */
export function resultsOf({ told }) {
  if (!told?.players.length) return null;
  const row = ({ player, staked, returned, net, gain, lines }) =>
    el(
      'tr',
      { class: player === session.player ? 'me' : null },
      el(
        'th',
        { scope: 'row' },
        player,
        lines.slice(0, -1).map(line => el('span', { class: 'how' }, line)),
      ),
      el('td', { class: 'number' }, money(staked)),
      el('td', { class: 'number' }, gain === 'open' ? '' : money(returned)),
      el(
        'td',
        { class: `number ${told.voided ? '' : { won: 'good', lost: 'bad' }[gain] || ''}` },
        gain === 'open'
          ? say('round.open')
          : told.voided && net === 0
            ? say('round.void')
            : (net > 0 ? '+' : net < 0 ? '−' : '') + money(Math.abs(net)),
      ),
    );
  return el(
    'section',
    { class: 'panel' },
    el('h2', {}, say('round.results')),
    told.table.length > 0 && el('p', {}, told.table.join(language() === 'ja' ? '' : ' ')),
    el(
      'div',
      { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': say('round.results') },
      el(
        'table',
        { class: 'sums' },
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            el('th', { scope: 'col' }, say('round.player')),
            ['staked', 'returned', 'net'].map(name =>
              el('th', { scope: 'col', class: 'number' }, say(`round.${name}`)),
            ),
          ),
        ),
        el('tbody', {}, told.players.map(row)),
      ),
    ),
  );
}

/** The log that vouches for all this. */
export function technicalOf({ log, vkey, keyTrusted }) {
  if (!log) return null;
  return el(
    'p',
    { class: 'soft small technical' },
    say('round.log_line', { size: log.size }),
    ' ',
    el('code', {}, log.root),
    ' ',
    vkey && el('code', {}, vkey),
    ' ',
    say(keyTrusted ? 'round.key_pinned' : 'round.key_unknown'),
  );
}

// A card's seal: whether its face is proven yet, and how. It opens to slot, salt, path, root and the root's commitment
// (spec/page.md, 3).

import { el, fill } from './dom.js';
import { listed, say } from './words.js';
import { card, cardName } from './card.js';
import { GAMES } from './games.js';

const MARKS = {
  proven: 'M5.2 9.3l2.6 2.6 5-5.4',
  pending: 'M9 4.8V9l2.8 1.8',
  failed: 'M6 6l6 6M12 6l-6 6',
  hidden: 'M6.4 8.4V6.9a2.6 2.6 0 015.2 0v1.5M5.4 8.4h7.2v4.4H5.4z',
};

/** The state of a card: a shown face without a proof yet is pending; without a face it is hidden. */
export function stateOf(face, shown) {
  if (!shown) return 'hidden';
  return face?.state === 'failed' || face?.state === 'proven' ? face.state : 'pending';
}

export function mark(state) {
  return el(
    'svg',
    { viewBox: '0 0 18 18', class: `seal seal-${state}`, 'aria-hidden': 'true' },
    el('circle', { cx: 9, cy: 9, r: 8 }),
    el('path', { d: MARKS[state] }),
  );
}

/** A wheel and dice have numbers in their slots, and a face-down card has neither. */
const isNumber = face => !!face && !face.card && Number.isInteger(face.value);

/** The card or number in a slot, in words. */
export const faceName = face => (isNumber(face) ? say('seal.number', { value: face.value }) : cardName(face.card));

/** The shoe, wheel, dice or pile with the slots, by its name in the game. */
export const shoeWord = game => say(`seal.${GAMES[game]?.slots ?? 'shoe'}`);

/** The words for the state: a hole card that was not shown was seen by its holder. */
const wordOf = (state, isHeld) => (state === 'hidden' && isHeld ? 'held' : state);

/** A card in its place with its seal; `open` shows its proof. */
export function sealed(code, face, open, isHeld = false) {
  const state = stateOf(face, !!code),
    words = say(`seal.${wordOf(state, isHeld)}`),
    name = listed([cardName(code), words]);
  return el(
    'button',
    {
      class: `sealed is-${state}`,
      type: 'button',
      tabIndex: -1,
      title: words,
      dataset: { seal: state, card: code || '' },
      on: { click: open },
    },
    el('span', { class: 'visually-hidden' }, name),
    card(code, { label: '' }),
    mark(state),
  );
}

const line = (term, ...what) => [el('dt', {}, term), el('dd', {}, what)];

/** The proof of a card in a dialog: its place, its root, and the time of the commitment. */
export function showProof({ code, face, slot, shoeNo, committed, game, isHeld = false }) {
  const hasNumber = isNumber(face),
    state = stateOf(face, !!code || hasNumber),
    word = wordOf(state, isHeld),
    opening = face?.opening;
  const close = el(
    'button',
    { class: 'button second', type: 'button', on: { click: () => dialog.close() } },
    say('main.close'),
  );
  const dialog = el(
    'dialog',
    { class: 'proof', 'aria-label': say('seal.title') },
    el(
      'div',
      { class: 'dialog-parts' },
      el(
        'div',
        { class: 'proof-head' },
        !hasNumber && card(code, { label: '' }),
        el(
          'div',
          {},
          el('h2', {}, hasNumber ? faceName(face) : cardName(code)),
          el('p', { class: `seal-words is-${state}` }, mark(state), say(`seal.${word}`)),
          el('p', { class: 'soft small' }, say(`seal.${word}_means`)),
          hasNumber && el('p', { class: 'soft small' }, say(`seal.${GAMES[game].slots}_means`)),
        ),
      ),
      el(
        'dl',
        { class: 'facts' },
        line(shoeWord(game), String(shoeNo)),
        line(say('seal.slot'), String(slot)),
        committed !== null &&
          committed !== undefined &&
          line(say('seal.committed'), say('seal.entry', { entry: committed })),
        face?.entry !== undefined &&
          face?.entry !== null &&
          line(say('seal.turned'), say('seal.entry', { entry: face.entry })),
        face?.root && line(say('seal.root'), el('code', {}, face.root)),
        opening && line(say('seal.salt'), el('code', {}, opening.salt)),
        opening &&
          line(
            say('seal.path'),
            el(
              'ol',
              { class: 'path' },
              opening.path.map(hash => el('li', {}, el('code', {}, hash))),
            ),
          ),
      ),
      opening && el('p', { class: 'soft small' }, say('seal.how')),
      close,
    ),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}

/** A list of all faces and their seals. */
export function proofList(faces, open) {
  return fill(
    el('ul', { class: 'proof-list' }),
    faces.map(face => {
      const state = stateOf(face, true);
      return el(
        'li',
        {},
        el(
          'button',
          { type: 'button', class: 'quiet', on: { click: () => open(face) } },
          mark(state),
          `${faceName(face)} · ${say('seal.slot_no', { slot: face.slot })}`,
          el('span', { class: 'visually-hidden' }, `, ${say(`seal.${state}`)}`),
        ),
      );
    }),
  );
}

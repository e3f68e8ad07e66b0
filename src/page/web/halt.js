// A failed check: its name in words, its meaning, the evidence as a file. After it nothing binding is sent.

import { el } from './dom.js';
import { language, say } from './words.js';
import { session } from './session.js';
import { coded } from './trouble.js';

/** Checks whose name alone says which part of the promise is broken; for the others only the message tells it. */
const TOLD = {
  key: 'key',
  checkpoint: 'log',
  consistency: 'log',
  inclusion: 'log',
  receipt: 'receipt',
  opening: 'card',
  opening_missing: 'card',
  opening_extra: 'card',
  own: 'own',
  choice: 'bets',
  commitment: 'bets',
  reveal: 'bets',
  dealt_slot: 'card',
  dealt_place: 'rules',
  face_leaked: 'card',
  bets: 'bets',
  asked: 'asked',
  epoch: 'card',
  bundle_context: 'log',
  origin: 'log',
  signature: 'rules',
};

export function saveFile({ name, text }) {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

export function haltPanel(failure, table) {
  const { check, message, entry, evidence } = failure;
  const told = TOLD[check] || 'rules';
  const named = table ? `${table.name}-${evidence?.name || 'evidence.json'}` : evidence?.name || 'evidence.json';
  const forget = () => {
    if (!confirm(say('halt.sure_forget'))) return;
    session.forgetLog();
    location.reload();
  };
  return el(
    'section',
    { class: 'halt', role: 'alert', dataset: { check } },
    el('h2', {}, say('halt.title')),
    el('p', {}, say(`halt.${told}`)),
    el(
      'p',
      { class: 'mono small' },
      // The message is English; it stands in the evidence too.
      coded(
        [entry !== undefined && say('halt.entry', { entry }), language() === 'en' && message, `[${check}]`]
          .filter(Boolean).join(' '),
      ),
    ),
    el('p', {}, say('halt.means')),
    el(
      'div',
      { class: 'row' },
      evidence &&
        el(
          'button',
          { class: 'button', type: 'button', on: { click: () => saveFile({ ...evidence, name: named }) } },
          say('halt.save'),
        ),
      el('a', { class: 'button second', href: '/verify' }, say('halt.verify')),
      (check === 'key' || told === 'log') &&
        el('button', { class: 'button danger', type: 'button', on: { click: forget } }, say('halt.forget')),
    ),
  );
}

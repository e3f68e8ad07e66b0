// Talks about a deal among the remaining players (spec/games/tournaments.md, 11): wishes, a proposal's amounts,
// answers.

import { el } from './dom.js';
import { money, say } from './words.js';
import { session } from './session.js';

/** A button of the room, by its action. */
export const act = (name, words, { kind = '', ...data } = {}) => el('button', {
  type: 'button', class: `button ${kind}`.trim(), dataset: { do: name, ...data },
}, words);

function proposalOf(room, deal, own, countdown) {
  const { proposal } = deal;
  const playerOf = number => room.standings.entries.find(one => one.entry_no === number)?.player
    ?? String(Number(number) + 1);
  const accepted = own && proposal.accepted.includes(own.entry_no);
  return [
    el('table', { class: 'sums' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, say('tournament.player')),
        el('th', { scope: 'col', class: 'number' }, say('tournament.prize')),
          el('th', { scope: 'col' }, say('tournament.accepted')))),
      el('tbody', {}, proposal.amounts.map(([number, amount]) => el('tr', { dataset: { id: String(number) } },
        el('th', { scope: 'row' }, playerOf(number)), el('td', { class: 'number' }, money(amount)),
        el('td', {}, proposal.accepted.includes(number) ? say('tournament.yes') : '–'))))),
    el('p', {}, say('tournament.answer_by'), ' ', countdown(room, proposal.answer_by)),
    own && el('div', { class: 'row' },
      !accepted && act('accept', say('tournament.accept'), { digest: proposal.digest }),
      act('refuse', say('tournament.refuse'), { kind: 'danger', digest: proposal.digest })),
  ];
}

function proposing(room) {
  const left = room.standings.entries.filter(one => ['waiting', 'seated'].includes(one.at));
  return [
    el('div', { class: 'row' }, act('propose', say('tournament.by_chips'), { method: 'chips' }),
      act('propose', say('tournament.by_icm'), { method: 'icm', kind: 'second' })),
    el('details', {}, el('summary', {}, say('tournament.by_amounts')),
      left.map(one => el('label', { class: 'field', dataset: { id: String(one.entry_no) } }, one.player,
        el('input', { inputMode: 'numeric', autocomplete: 'off', dataset: { amount: String(one.entry_no) } }))),
      act('propose', say('tournament.propose'), { method: 'amounts', kind: 'second' })),
  ];
}

/** Empty if the structure has no deals, or too many players are left for one. */
export function dealPanel(room, panel, countdown) {
  const { structure, summary, own, deal } = room.view;
  if (!structure.deal || summary.stage !== 'running' || summary.remaining > structure.deal.most_players) return null;
  const entry = session.player && own?.entry && ['waiting', 'seated'].includes(own.entry.at) ? own.entry : null;
  if (!entry && !deal) return null;
  const wanted = deal?.wanted ?? [];
  const wants = entry && wanted.includes(entry.entry_no);
  return panel('deal', say('tournament.deal'),
    el('p', {}, say('tournament.wanted', { count: wanted.length, remaining: summary.remaining })),
    deal?.proposal && proposalOf(room, deal, entry, countdown),
    entry && deal?.since && !deal.proposal && proposing(room),
    entry && act(wants ? 'unwant' : 'want', say(wants ? 'tournament.unwant' : 'tournament.want'), { kind: 'second' }));
}

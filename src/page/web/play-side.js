// Next to the felt: events, proofs, the player's own rounds, the table's sign.

import { el, fill, keepHeight } from './dom.js';
import { GAMES } from './games.js';
import { money, need, say } from './words.js';
import { get } from './api.js';
import { session } from './session.js';
import { signInWords } from './play-sign.js';
import { mark, proofList, shoeWord, showProof } from './seal.js';

const SHOWN_ROUNDS = 12;
const SHOWN_STEPS = 40;
const short = text => `${text.slice(0, 10)}…${text.slice(-6)}`;

/** Other names, where the slots are not those of a shoe. */
const OF_SHOE = { next: 'side.shoe_next', mixed: 'side.entropy', from: 'side.entropy_says', slots: 'side.cards' };
const OTHERWISE = {
  deck: { next: 'side.deck_next', from: 'side.deck_says' },
  wheel: { next: 'side.wheel_next', mixed: 'side.spin', from: 'side.spin_says', slots: 'side.numbers' },
  dice: { next: 'side.dice_next', mixed: 'side.throw', from: 'side.throw_says', slots: 'side.numbers' },
  pile: { next: 'side.pile_next', from: 'side.pile_says' },
};

export class Side {
  constructor(room) {
    const { info } = room.table;
    Object.assign(this, { room, rounds: [], player: undefined });
    this.story = el('ol', { class: 'story', 'aria-label': say('side.story') });
    this.proofs = el('div', { class: 'proofs' });
    this.own = el('div', { class: 'own-rounds' });
    const part = (name, open, ...inside) =>
      el(
        'details',
        { class: 'side-part', dataset: { part: name }, open },
        el('summary', {}, say(`side.${name}`)),
        inside,
      );
    this.storyPart = part('story', false, this.story);
    this.storyPart.addEventListener('toggle', () => this.tellStory().catch(() => {}));
    this.rulesPart = part(
      'sign',
      false,
      el(
        'ul',
        { class: 'sign' },
        info.notices.map(notice => el('li', {}, signInWords(notice))),
      ),
    );
    this.rulesPart.addEventListener('toggle', () => this.tellRules().catch(() => {}));
    const wide = matchMedia('(min-width: 60rem)').matches;
    this.element = el(
      'aside',
      { class: 'side', 'aria-label': say('side.title') },
      part('proofs', wide, this.proofs),
      this.rulesPart,
      this.storyPart,
      // It grows with each round, so it stands last.
      part('rounds', wide, this.own),
    );
  }

  /** The game's rules with the table's numbers, above its sign: loaded when a user opens it. */
  async tellRules() {
    if (this.hasRules || !this.rulesPart.open) return;
    this.hasRules = true;
    const { rulesOf } = await import('./play-rules.js');
    this.rulesPart.firstChild.after(await rulesOf(this.room.table.rules, !!this.room.table.info.tournament));
  }

  draw() {
    const { table } = this.room;
    this.drawProofs(table);
    this.drawStory(table);
    if (this.player !== session.player) {
      this.player = session.player;
      this.rounds = [];
      if (session.player) this.read().catch(() => {});
    }
    this.drawRounds();
  }

  /** A line that says in words what was fixed when, and how far it is proven. */
  drawProofs({ view, rules, round, isPending, checkpoint, faces, halted }) {
    const shoe = view.shoe,
      [game] = Object.keys(rules.game),
      named = { ...OF_SHOE, ...OTHERWISE[GAMES[game].slots] },
      shown = [...faces.values()].filter(
        face => !round || face.shoe === round.shoe_no || round.shoes?.includes(face.shoe),
      );
    // After the last round of a shoe the next one is committed already: it is not the one that this round is of.
    const isNext = shoe && round && !(round.shoes ?? [round.shoe_no]).includes(shoe.shoe_no);
    const [, size, root] = checkpoint ? checkpoint.split('\n') : [];
    const state = halted ? 'failed' : isPending ? 'pending' : 'proven';
    const mine = round?.contributors.find(one => one.player === session.player);
    fill(
      this.proofs,
      size &&
        el(
        'p',
        { class: `proof-line is-${state}` },
        mark(state),
        el('span', {}, say(`side.${state}`, { size: size ? money(size) : '…' })),
      ),
      el(
        'dl',
        { class: 'facts' },
        shoe && [
          el('dt', {}, isNext ? say(named.next) : shoeWord(game)),
          el(
            'dd',
            {},
            say('side.shoe_says', { shoe: shoe.shoe_no, entry: shoe.entry ?? '…' }),
            shoe.candidates.map(({ root: deck }) => el('code', { title: deck }, ` ${short(deck)}`)),
          ),
        ],
        mine && [
          el('dt', {}, say('side.seed')),
          el(
            'dd',
            {},
            say(mine.seed ? 'side.seed_out' : 'side.seed_kept'),
            el('code', { title: mine.commitment }, ` ${short(mine.commitment)}`),
          ),
        ],
        round?.entropy && [
          el('dt', {}, say(named.mixed)),
          el(
            'dd',
            {},
            el('code', { title: round.entropy }, short(round.entropy)),
            ' ',
            say(named.from, { count: round.contributors.length }),
          ),
        ],
        root && [el('dt', {}, say('side.checkpoint')), el('dd', {}, el('code', { title: root }, short(root)))],
      ),
      shown.length > 0 &&
        el(
          'details',
          {
            open: this.cardsOpen,
            on: {
              toggle: event => {
                this.cardsOpen = event.target.open;
              },
            },
          },
          el('summary', {}, say(named.slots, { count: shown.length })),
          proofList(shown, face =>
            showProof({
              code: face.card,
              face,
              slot: face.slot,
              shoeNo: face.shoe,
              game,
              committed: shoe?.shoe_no === face.shoe ? shoe.entry : null,
            }),
          ),
        ),
      el(
        'p',
        { class: 'soft small' },
        say('side.knows'),
        ' ',
        round && el('a', { href: `/round/${round.id}` }, say('side.round', { round: round.id })),
      ),
    );
    if (!this.cardsOpen) keepHeight(this.proofs);
  }

  /** The events, in the words of a replayed round: loaded when a user opens the list. */
  async tellStory() {
    if (!this.storyPart.open) return;
    const [{ isTold, stepInWords }] = await Promise.all([import('./round-steps.js'), need('round')]);
    const { rules } = this.room.table;
    this.steps = ({ name, fields }) => (isTold(name) ? stepInWords({ event: name, fields }, rules) : null);
    this.drawStory(this.room.table);
  }

  drawStory({ story }) {
    const last = story.at(-1),
      name = `${story.length} ${last?.index} ${last?.name}`;
    if (!this.steps || !this.storyPart.open || this.told === name) return;
    this.told = name;
    const lines = story.map(event => ({ ...event, words: this.steps(event) })).filter(({ words }) => words);
    fill(
      this.story,
      lines
        .slice(-SHOWN_STEPS)
        .map(({ index, time, words }) =>
          el(
            'li',
            { title: say('side.entry', { entry: index }) },
            el('time', { class: 'soft', dateTime: new Date(time).toISOString() }, new Date(time).toLocaleTimeString()),
            ' ',
            words,
          ),
        )
        .reverse(),
    );
  }

  async read() {
    const list = await get(`/v1/players/${session.player}/rounds?limit=50`);
    const prefix = `${this.room.table.name}:`;
    const known = new Set(this.rounds.map(round => round.id));
    this.rounds.push(
      ...list.rounds.filter(
        round => round.id.startsWith(prefix) && ['settled', 'voided'].includes(round.phase) && !known.has(round.id),
      ),
    );
    this.drawRounds();
  }

  /** A round ended: if the player was in it, it comes first. */
  ended({ round_no: roundNo, players }, isVoid) {
    const mine = players.find(one => one.player === session.player),
      id = `${this.room.table.name}:${roundNo}`;
    if (!mine || this.rounds.some(round => round.id === id)) return;
    this.rounds.unshift({ id, staked: mine.staked, returned: mine.returned, phase: isVoid ? 'voided' : 'settled' });
  }

  drawRounds() {
    const list = this.rounds.slice(0, SHOWN_ROUNDS),
      name = JSON.stringify([session.player, list]);
    if (this.listed === name) return;
    this.listed = name;
    fill(
      this.own,
      list.length
        ? el(
            'ul',
            { class: 'round-list' },
            list.map(({ id, staked, returned, phase }) => {
              const net = returned - staked,
                tone = phase === 'voided' ? '' : net > 0 ? 'good' : net < 0 ? 'bad' : '';
              return el(
                'li',
                {},
                el('a', { href: `/round/${id}` }, `#${id.split(':')[1]}`),
                el('span', { class: 'soft' }, say('side.staked', { staked: money(staked) })),
                el(
                  'b',
                  { class: tone },
                  phase === 'voided'
                    ? say('side.void')
                    : `${net > 0 ? '+' : net < 0 ? '−' : '±'}${money(Math.abs(net))}`,
                ),
              );
            }),
          )
        : el('p', { class: 'soft small' }, say(session.player ? 'side.none' : 'side.nobody')),
    );
  }
}

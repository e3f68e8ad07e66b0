// A finished round: the verdict and the table first, then card by card, each step with its words and its proof. The
// bundle is fetched; everything shown is computed from it in a worker (round-worker.js) instead of asked from the
// service.

import { el, fill } from './dom.js';
import { gameModule } from './games.js';
import { language, money, say } from './words.js';
import { get } from './api.js';
import { session } from './session.js';
import { proof } from './proof.js';
import { sealed, showProof } from './seal.js';
import { stepInWords } from './round-steps.js';
import { bothTimes, verdictOf, resultsOf, proofOf, technicalOf } from './round-parts.js';

const STEP_MS = 1100,
  SPEEDS = [0.5, 1, 2, 4];

/** Signs for the replay's buttons: some fonts lack them. */
const ICONS = {
  first: 'M3 4h2v12H3zM17 4v12L8 10z',
  back: 'M12.5 3.5L6 10l6.5 6.5 1.6-1.6L9.2 10l4.9-4.9z',
  play: 'M6 4l10 6-10 6z',
  next: 'M7.5 3.5L14 10l-6.5 6.5-1.6-1.6L10.8 10 5.9 5.1z',
  last: 'M15 4h2v12h-2zM3 4v12l9-6z',
  pause: 'M5 4h4v12H5zM11 4h4v12h-4z',
};
const icon = name =>
  el('svg', { viewBox: '0 0 20 20', class: 'icon', 'aria-hidden': 'true' }, el('path', { d: ICONS[name] }));

/** Judges one bundle in its own worker, which then ends. */
function judged(given) {
  const worker = new Worker(new URL('./round-worker.js', import.meta.url));
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data: { reply, error } }) =>
      error === undefined ? resolve(reply) : reject(new Error(error));
    worker.onerror = event => reject(new Error(event.message || 'the verifier did not load'));
    worker.postMessage({ number: 0, given });
  }).finally(() => worker.terminate());
}

function save(name, text, type) {
  const link = el('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

class Room {
  constructor(root, id, app) {
    Object.assign(this, { root, id, app, at: 0, timer: 0, speed: 1, isClosed: false });
    [, this.table, this.number] = /^(.*):([0-9]+)$/.exec(id);
    this.keys = event => this.key(event);
  }

  /** The bundle and its result; it must belong to the key pinned in this browser. */
  async load() {
    // A log unknown to this browser is noticed in the verdict: its key is not the pinned one.
    await proof.log().catch(() => null);
    this.text = await get(`/v1/rounds/${this.id}/bundle`, { as: 'text' });
    this.vkey = session.log()?.vkey ?? null;
    const { text, id: round, vkey } = this;
    this.found = await judged({ text, round, vkey, me: session.player, language: language() });
    const { rules, steps } = this.found;
    // Entries after the round, above all its shoe's end, leave the table unchanged.
    steps.forEach((step, n) => {
      step.view ||= n ? steps[n - 1].view : null;
    });
    this.shoes = new Map(this.found.shoes);
    this.faces = new Map();
    for (const step of steps) for (const face of step.faces) this.faces.set(`${face.shoe}/${face.slot}`, face);
    this.name = rules && Object.keys(rules.game)[0];
    this.game = rules && steps.some(step => step.view?.game) ? await gameModule(this.name) : null;
    const end = steps.findLastIndex(({ event }) => event === 'round_settled' || event === 'round_voided');
    this.at = Math.max(0, end < 0 ? steps.length - 1 : end);
  }

  draw() {
    const {
      found: { steps },
      id,
    } = this;
    const isOver = !this.found.told || ['settled', 'voided'].includes(this.found.told.phase);
    const steppable = this.game && steps.length > 0;
    const begun = steps.find(({ event }) => event === 'bets_closed' || event === 'hand_begun');
    this.feltBox = el('div', { class: 'felt-box' });
    this.status = el('p', { class: 'status', role: 'status' });
    this.detail = el('section', { class: 'panel step-proof', 'aria-labelledby': 'step-proof-head' });
    fill(
      this.root,
      el(
        'div',
        { class: 'replay', dataset: { game: this.name || '' } },
        el(
          'header',
          { class: 'replay-head' },
          el(
            'h1',
            {},
            say('round.title', { number: this.number }),
            ' ',
            el('span', { class: 'table-name' }, this.table),
          ),
          begun && el('p', { class: 'soft small' }, say('round.begun', { time: bothTimes(begun.time) })),
          el('nav', { class: 'row', 'aria-label': say('round.others') }, this.neighbours()),
        ),
        verdictOf(this.found, isOver ? null : () => this.app.go(`/round/${this.id}`)),
        // Above the felt: below it they would cover the player's own cards.
        steppable && this.controls(),
        steppable &&
          el(
            'section',
            { class: 'felt', 'aria-label': say('round.table') },
            el('h2', { class: 'visually-hidden' }, say('round.table')),
            el('div', { class: 'status-line' }, this.status),
            this.feltBox,
          ),
        el(
          'div',
          { class: 'replay-more' },
          el('div', { class: 'replay-column' }, resultsOf(this.found), this.takeAway()),
          steppable && this.detail,
        ),
        steppable && this.list(),
        technicalOf(this.found),
      ),
    );
    this.app.title(id);
    if (steppable) this.show(this.at, false);
  }

  neighbours() {
    const number = Number(this.number),
      to = n => `/round/${this.table}:${n}`;
    return [
      number > 0 && el('a', { class: 'quiet', href: to(number - 1) }, `‹ ${say('round.before')}`),
      el('a', { class: 'quiet', href: to(number + 1) }, `${say('round.after')} ›`),
      el('a', { class: 'quiet', href: `/play/${this.table}` }, say('round.to_table')),
    ];
  }

  controls() {
    const { steps } = this.found,
      button = (name, action) =>
        el(
          'button',
          {
            class: 'button second',
            type: 'button',
            'aria-label': say(`round.${name}`),
            title: say(`round.${name}`),
            on: { click: action },
          },
          icon(name),
        );
    this.slider = el('input', {
      type: 'range',
      min: '0',
      max: String(steps.length - 1),
      value: String(this.at),
      'aria-label': say('round.step_slider'),
      on: {
        input: () => {
          this.stop();
          this.show(Number(this.slider.value));
        },
      },
    });
    this.playButton = button('play', () => (this.timer ? this.stop() : this.play()));
    this.count = el('output', { class: 'small soft' });
    const speed = el(
      'select',
      {
        'aria-label': say('round.speed'),
        on: {
          change: () => {
            this.speed = Number(speed.value);
          },
        },
      },
      SPEEDS.map(one => el('option', { value: String(one), selected: one === 1 }, `${one}×`)),
    );
    return el(
      'div',
      { class: 'replay-controls', role: 'group', 'aria-label': say('round.replay') },
      button('first', () => {
        this.stop();
        this.show(0);
      }),
      button('back', () => {
        this.stop();
        this.show(this.at - 1);
      }),
      this.playButton,
      button('next', () => {
        this.stop();
        this.show(this.at + 1);
      }),
      button('last', () => {
        this.stop();
        this.show(steps.length - 1);
      }),
      speed,
      this.slider,
      this.count,
    );
  }

  play() {
    const { steps } = this.found;
    if (this.at >= steps.length - 1) this.show(0);
    const next = () => {
      if (this.at >= steps.length - 1) return this.stop();
      this.show(this.at + 1);
      this.timer = setTimeout(next, STEP_MS / this.speed);
      return undefined;
    };
    this.timer = setTimeout(next, STEP_MS / this.speed);
    this.playing(true);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.playing(false);
  }

  playing(isOn) {
    const name = say(isOn ? 'round.pause' : 'round.play');
    this.playButton.setAttribute('aria-label', name);
    this.playButton.title = name;
    fill(this.playButton, icon(isOn ? 'pause' : 'play'));
  }

  key(event) {
    if (!this.slider || event.altKey || event.ctrlKey || event.metaKey || document.querySelector('dialog[open]'))
      return;
    if (event.target.closest('input, select, textarea')) return;
    const moves = {
      ArrowRight: () => this.show(this.at + 1),
      ArrowLeft: () => this.show(this.at - 1),
      Home: () => this.show(0),
      End: () => this.show(Infinity),
    };
    if (event.key === ' ' && !event.target.closest('button, a, summary')) {
      event.preventDefault();
      if (this.timer) this.stop();
      else this.play();
    } else if (moves[event.key]) {
      event.preventDefault();
      this.stop();
      moves[event.key]();
    }
  }

  /** The table after this step, its words and its proof. */
  show(wanted, isMove = true) {
    const { steps } = this.found;
    this.at = Math.min(Math.max(0, wanted), steps.length - 1);
    const step = steps[this.at],
      { view } = step;
    const felt = this.game.felt(view?.game ?? null, this.context(view));
    if (this.feltBox.firstChild !== felt) fill(this.feltBox, felt);
    const words = stepInWords(step, this.found.rules);
    this.status.textContent = words;
    this.slider.value = String(this.at);
    this.slider.setAttribute('aria-valuetext', words);
    this.count.textContent = say('round.step_of', { n: this.at + 1, of: steps.length });
    fill(this.detail, proofOf(step, words, this.found, this.shoes));
    for (const [n, item] of (this.items || []).entries()) item.toggleAttribute('aria-current', n === this.at);
    if (isMove && !this.timer) this.items?.[this.at]?.scrollIntoView?.({ block: 'nearest' });
  }

  context(view) {
    const { rules } = this.found;
    const table = {
      table: this.table,
      rules,
      seats: [],
      window: null,
      cash: null,
      round: this.id,
      shoe: null,
      waiting: [],
      next_round: Number(this.number),
    };
    return {
      me: session.player,
      rules,
      table,
      round: view,
      seats: [],
      own: null,
      money,
      say,
      isReplay: true,
      story: this.found.steps.slice(0, this.at + 1).map(({ event, fields }) => ({ name: event, fields: fields ?? {} })),
      card: ({ slot, pile, card, isHeld }) => {
        const shoe = view?.shoes && pile !== undefined && pile !== null ? view.shoes[pile] : view?.shoe_no,
          face = this.faces.get(`${shoe}/${slot}`);
        const open = () =>
          showProof({
            code: card,
            face: card ? face : null,
            slot,
            shoeNo: shoe,
            game: this.name,
            isHeld,
            committed: this.shoes.get(shoe)?.entry ?? null,
          });
        return sealed(card, card ? face : null, open, isHeld);
      },
      act: () => {},
    };
  }

  takeAway() {
    const file = this.id.replace(':', '-');
    // Without the key the program would take any key on trust.
    const named = `${location.origin} ${this.id}${this.vkey ? ` --key '${this.vkey}'` : ''}`;
    const commands = [
      `fairshoe-audit round ${named}`,
      ...(this.name === 'poker' ? [`fairshoe-audit history ${named}`] : []),
    ];
    return el(
      'section',
      { class: 'panel take-away' },
      el('h2', {}, say('round.take_away')),
      el(
        'div',
        { class: 'row' },
        el(
          'button',
          {
            class: 'button second',
            type: 'button',
            on: { click: () => save(`${file}.json`, this.text, 'application/json') },
          },
          say('round.bundle'),
        ),
        el(
          'button',
          {
            class: 'button second',
            type: 'button',
            on: {
              click: async () =>
                save(
                  `${file}-steps.json`,
                  await get(`/v1/rounds/${this.id}/recall`, { as: 'text' }),
                  'application/json',
                ),
            },
          },
          say('round.recall'),
        ),
        el(
          'button',
          { class: 'button second', type: 'button', on: { click: () => this.print() } },
          say('round.print'),
        ),
        el(
          'a',
          { class: 'button second', href: `/verify#${this.id}`, target: '_blank', rel: 'noopener' },
          say('round.second'),
        ),
      ),
      el('p', { class: 'soft small' }, say('round.bundle_why')),
      el('p', { class: 'soft small' }, say(this.name === 'poker' ? 'round.history_poker' : 'round.yourself')),
      commands.map(line => el('pre', { tabIndex: 0 }, el('code', {}, line))),
    );
  }

  /** The report has every step, whichever is open on the screen. */
  print() {
    const list = this.root.querySelector('.step-list');
    if (list) list.open = true;
    print();
  }

  list() {
    const { steps, rules } = this.found;
    this.items = steps.map((step, n) =>
      el(
        'li',
        {},
        el(
          'button',
          {
            class: 'quiet',
            type: 'button',
            on: {
              click: () => {
                this.stop();
                this.show(n, false);
              },
            },
          },
          el('span', { class: 'soft small' }, `${n + 1}`),
          ' ',
          stepInWords(step, rules),
        ),
      ),
    );
    return el(
      'details',
      { class: 'panel step-list' },
      el('summary', {}, say('round.all_steps', { n: steps.length })),
      el('ol', {}, this.items),
    );
  }
}

/** The room: see main.js. */
export async function open(root, { round }, app) {
  app.title(round);
  const [, table, number] = /^(.*):([0-9]+)$/.exec(round);
  fill(
    root,
    el(
      'div',
      { class: 'replay' },
      el('h1', {}, say('round.title', { number }), ' ', el('span', { class: 'table-name' }, table)),
      el('p', { class: 'soft', 'aria-busy': 'true' }, say('round.reading')),
    ),
  );
  const room = new Room(root, round, app);
  try {
    await room.load();
  } catch (error) {
    if (!['unknown_round', 'bundle_too_large', 'malformed'].includes(error.code))
      throw error;
    fill(
      root,
      el(
        'div',
        { class: 'replay' },
        el('h1', {}, say('round.title', { number }), ' ', el('span', { class: 'table-name' }, table)),
        el('p', { class: 'notice' }, say(`round.${error.code === 'malformed' ? 'unknown_round' : error.code}`)),
        el('p', {}, el('a', { href: '/log' }, say('round.to_log'))),
      ),
    );
    return () => {};
  }
  room.draw();
  addEventListener('keydown', room.keys);
  return () => {
    removeEventListener('keydown', room.keys);
    clearTimeout(room.timer);
  };
}

// A round that was played: the verdict and the table first, then card by card, each step with its words and its proof.
// The bundle is fetched, and everything shown is computed from it in a worker (round-worker.js), not asked of the service.

import { el, fill } from './dom.js';
import { say, language } from './words.js';
import { get, Problem } from './api.js';
import { session } from './session.js';
import { proof } from './proof.js';
import { money } from './account.js';
import { sealed, showProof, mark } from './seal.js';
import { cardName } from './card.js';
import { stepInWords } from './round-steps.js';

const GAMES = {
  blackjack: () => import('./game-blackjack.js'), baccarat: () => import('./game-baccarat.js'),
  roulette: () => import('./game-roulette.js'), safe: () => import('./game-safe.js'), poker: () => import('./game-poker.js'),
};
const STEP_MS = 1100, SPEEDS = [0.5, 1, 2, 4];
const SIGNS = { sound: '✓', sound_so_far: '◔', not_sound: '✗' };
const TONES = { sound: 'good', sound_so_far: 'warn', not_sound: 'bad' };

/** Signs of the replay's buttons: fonts lack them here and there. */
const ICONS = {
  first: 'M5 4h2v12H5zM17 4v12L8 10z', back: 'M15 4v12L6 10z', play: 'M6 4l10 6-10 6z', next: 'M4 4l9 6-9 6zM14 4h2v12h-2z',
  last: 'M3 4l9 6-9 6zM13 4h2v12h-2z', pause: 'M5 4h4v12H5zM11 4h4v12h-4z',
};
const icon = name => el('svg', { viewBox: '0 0 20 20', class: 'icon', 'aria-hidden': 'true' }, el('path', { d: ICONS[name] }));

const utc = ms => new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC');

/** Judges one bundle in a worker of its own, which goes when it has. */
function judged(given) {
  const worker = new Worker(new URL('./round-worker.js', import.meta.url));
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data: { reply, error } }) => (error === undefined ? resolve(reply) : reject(new Error(error)));
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

  /** The bundle and what it comes to; the key pinned in this browser is the one that it must be of. */
  async load() {
    // A log that is not the one this browser knows shows up in the verdict: its key is not the pinned one.
    await proof.log().catch(() => null);
    this.text = await get(`/v1/rounds/${this.id}/bundle`, { as: 'text' });
    const vkey = session.log()?.vkey ?? null;
    this.found = await judged({ text: this.text, round: this.id, vkey, me: session.player, language: language() });
    const { rules, steps } = this.found;
    this.shoes = new Map(this.found.shoes);
    this.faces = new Map();
    for (const step of steps) for (const face of step.faces) this.faces.set(`${face.shoe}/${face.slot}`, face);
    this.name = rules && Object.keys(rules.game)[0];
    this.game = rules && steps.some(step => step.view?.game) ? await GAMES[this.name]() : null;
    this.at = Math.max(0, steps.findLastIndex(step => step.view?.game));
  }

  draw() {
    const { found: { steps }, id } = this;
    const steppable = this.game && steps.length > 0;
    this.feltBox = el('div', { class: 'felt-box' });
    this.status = el('p', { class: 'status', role: 'status' });
    this.detail = el('section', { class: 'panel step-proof', 'aria-labelledby': 'step-proof-head' });
    fill(this.root, el('div', { class: 'replay', dataset: { game: this.name || '' } },
      el('header', { class: 'replay-head' },
        el('h1', {}, say('round.title', { number: this.number }), ' ', el('span', { class: 'table-name' }, this.table)),
        el('nav', { class: 'row', 'aria-label': say('round.others') }, this.neighbours())),
      this.verdict(),
      steppable && el('section', { class: 'felt', 'aria-label': say('round.table') }, 
        el('h2', { class: 'visually-hidden' }, say('round.table')), el('div', { class: 'status-line' }, this.status), this.feltBox),
      steppable && this.controls(),
      el('div', { class: 'replay-more' },
        el('div', { class: 'replay-column' }, this.results(), this.takeAway()),
        steppable && this.detail),
      steppable && this.list(),
      this.technical()));
    this.app.title(id);
    if (steppable) this.show(this.at, false);
  }

  neighbours() {
    const number = Number(this.number), to = n => `/round/${this.table}:${n}`;
    return [
      number > 0 && el('a', { class: 'quiet', href: to(number - 1) }, `‹ ${say('round.before')}`),
      el('a', { class: 'quiet', href: to(number + 1) }, `${say('round.after')} ›`),
      el('a', { class: 'quiet', href: `/play/${this.table}` }, say('round.to_table')),
    ];
  }

  /** In words first; hashes below, for whoever wants them. */
  verdict() {
    const { verdict, told } = this.found, kind = verdict.verdict, isBad = kind === 'not_sound';
    const mine = told && (told.players.find(({ player }) => player === session.player) || (told.players.length === 1 ? told.players[0] : null));
    const why = !told || isBad ? [] : told.voided ? told.voided.lines : mine ? mine.lines : told.table;
    const [first, ...rest] = verdict.text.split(/(?<=[.。]) ?(?=\S)/);
    const glue = language() === 'ja' ? '' : ' ';
    return el('section', { class: `verdict notice ${TONES[kind]}`, role: isBad ? 'alert' : null },
      el('p', { class: `verdict-word ${TONES[kind]}` }, el('span', { 'aria-hidden': 'true' }, SIGNS[kind]), ' ', say(`round.${kind}`),
        told?.voided && el('span', { class: 'tag warn' }, say('round.void'))),
      el('p', { class: 'verdict-head' }, isBad || !told ? first : told.title),
      why.map(line => el('p', {}, line)),
      isBad || !told ? rest.length > 0 && el('p', {}, rest.join(glue)) : el('p', { class: 'soft' }, verdict.text),
      isBad && el('p', { class: 'mono small' }, verdict.technical));
  }

  controls() {
    const { steps } = this.found, button = (name, action) =>
      el('button', { class: 'button second', type: 'button', 'aria-label': say(`round.${name}`), title: say(`round.${name}`), on: { click: action } }, icon(name));
    this.slider = el('input', {
      type: 'range', min: '0', max: String(steps.length - 1), value: String(this.at), 'aria-label': say('round.step_slider'),
      on: { input: () => { this.stop(); this.show(Number(this.slider.value)); } },
    });
    this.playButton = button('play', () => (this.timer ? this.stop() : this.play()));
    this.count = el('output', { class: 'small soft' });
    const speed = el('select', { 'aria-label': say('round.speed'), on: { change: () => { this.speed = Number(speed.value); } } },
      SPEEDS.map(one => el('option', { value: String(one), selected: one === 1 }, `${one}×`)));
    return el('div', { class: 'replay-controls', role: 'group', 'aria-label': say('round.replay') },
      button('first', () => { this.stop(); this.show(0); }),
      button('back', () => { this.stop(); this.show(this.at - 1); }),
      this.playButton,
      button('next', () => { this.stop(); this.show(this.at + 1); }),
      button('last', () => { this.stop(); this.show(steps.length - 1); }),
      speed, this.slider, this.count);
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
    if (!this.slider || event.altKey || event.ctrlKey || event.metaKey || document.querySelector('dialog[open]')) return;
    if (event.target.closest('input, select, textarea')) return;
    const moves = { ArrowRight: () => this.show(this.at + 1), ArrowLeft: () => this.show(this.at - 1), Home: () => this.show(0), End: () => this.show(Infinity) };
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
    const step = steps[this.at], { view } = step;
    const felt = this.game.felt(view?.game ?? null, this.context(view));
    if (this.feltBox.firstChild !== felt) fill(this.feltBox, felt);
    const words = stepInWords(step, this.found.rules);
    this.status.textContent = words;
    this.slider.value = String(this.at);
    this.slider.setAttribute('aria-valuetext', words);
    this.count.textContent = say('round.step_of', { n: this.at + 1, of: steps.length });
    this.proofOf(step, words);
    for (const [n, item] of (this.items || []).entries()) item.toggleAttribute('aria-current', n === this.at);
    if (isMove && !this.timer) this.items?.[this.at]?.scrollIntoView?.({ block: 'nearest' });
  }

  context(view) {
    const { rules } = this.found;
    const table = { table: this.table, rules, seats: [], window: null, cash: null, round: this.id, shoe: null, waiting: [], next_round: Number(this.number) };
    return {
      me: session.player, rules, table, round: view, seats: [], own: null, money, say, isReplay: true,
      card: ({ slot, pile, card }) => {
        const shoe = view?.shoes && pile !== undefined && pile !== null ? view.shoes[pile] : view?.shoe_no, face = this.faces.get(`${shoe}/${slot}`);
        return sealed(card, card ? face : null, () => showProof({ code: card, face: card ? face : null, slot, shoeNo: shoe, committed: this.shoes.get(shoe)?.entry ?? null }));
      },
      act: () => {},
    };
  }

  /** What proves this step: each face's slot, salt, path and root, and the entry's place under the checkpoint. */
  proofOf(step, words) {
    const { log } = this.found, hashes = (title, list) => el('details', {}, el('summary', {}, `${title} (${list.length})`),
      el('ol', { class: 'path' }, list.map(hash => el('li', {}, el('code', {}, hash)))));
    const fact = (name, ...what) => [el('dt', {}, name), el('dd', {}, what)];
    const face = one => el('div', { class: 'face-proof' },
      el('h3', {}, mark(one.state), ' ', one.card ? cardName(one.card) : String(one.value), ' ', el('span', { class: 'soft small' }, say(`seal.${one.state}`))),
      el('dl', { class: 'facts' }, fact(say('round.slot'), say('round.slot_of', { slot: one.slot, shoe: one.shoe })),
        fact(say('round.root'), el('code', {}, one.root)), this.shoes.has(one.shoe) && fact(say('round.committed'), say('round.in_entry', { entry: this.shoes.get(one.shoe).entry })),
        one.opening && fact(say('round.salt'), el('code', {}, one.opening.salt))),
      one.opening && hashes(say('round.path'), one.opening.path));
    fill(this.detail,
      el('h2', { id: 'step-proof-head' }, say('round.proof')), el('p', {}, words),
      step.faces.map(face),
      el('dl', { class: 'facts' },
        fact(say('round.entry'), String(step.index)), fact(say('round.time'), utc(step.time)),
        log && fact(say('round.under'), say('round.checkpoint', { size: log.size }), ' ', el('code', {}, log.root))),
      step.proof && hashes(say('round.inclusion'), step.proof),
      language() === 'en' && step.words.length > 0 && el('details', {}, el('summary', {}, say('round.exact_words')), step.words.map(line => el('p', { class: 'small' }, line))));
  }

  results() {
    const { told } = this.found;
    if (!told?.players.length) return null;
    const row = ({ player, staked, returned, net, gain, lines }) => el('tr', { class: player === session.player ? 'me' : null },
      el('th', { scope: 'row' }, player, lines.slice(0, -1).map(line => el('span', { class: 'how' }, line))),
      el('td', { class: 'number' }, money(staked)), el('td', { class: 'number' }, gain === 'open' ? '' : money(returned)),
      el('td', { class: `number ${told.voided ? '' : { won: 'good', lost: 'bad' }[gain] || ''}` },
        gain === 'open' ? say('round.open') : told.voided && net === 0 ? say('round.void') : (net > 0 ? '+' : net < 0 ? '−' : '') + money(Math.abs(net))));
    return el('section', { class: 'panel' },
      el('h2', {}, say('round.results')),
      told.table.length > 0 && el('p', {}, told.table.join(language() === 'ja' ? '' : ' ')),
      el('div', { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': say('round.results') }, el('table', { class: 'sums' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, say('round.player')), ['staked', 'returned', 'net'].map(name => el('th', { scope: 'col', class: 'number' }, say(`round.${name}`))))),
        el('tbody', {}, told.players.map(row)))));
  }

  takeAway() {
    const file = this.id.replace(':', '-');
    const commands = [`fairshoe-audit round ${location.origin} ${this.id}`, ...(this.name === 'poker' ? [`fairshoe-audit history ${location.origin} ${this.id}`] : [])];
    return el('section', { class: 'panel take-away' },
      el('h2', {}, say('round.take_away')),
      el('div', { class: 'row' },
        el('button', { class: 'button second', type: 'button', on: { click: () => save(`${file}.json`, this.text, 'application/json') } }, say('round.bundle')),
        el('button', { class: 'button second', type: 'button', on: { click: async () => save(`${file}-steps.json`, await get(`/v1/rounds/${this.id}/recall`, { as: 'text' }), 'application/json') } }, say('round.recall')),
        el('button', { class: 'button second', type: 'button', on: { click: () => print() } }, say('round.print')),
        el('a', { class: 'button second', href: `/verify#${this.id}`, target: '_blank', rel: 'noopener' }, say('round.second'))),
      el('p', { class: 'soft small' }, say('round.bundle_why')),
      el('p', { class: 'soft small' }, say(this.name === 'poker' ? 'round.history_poker' : 'round.yourself')),
      commands.map(line => el('pre', { tabIndex: 0 }, el('code', {}, line))));
  }

  list() {
    const { steps, rules } = this.found;
    this.items = steps.map((step, n) => el('li', {}, el('button', { class: 'quiet', type: 'button', on: { click: () => { this.stop(); this.show(n, false); } } },
      el('span', { class: 'soft small' }, `${n + 1}`), ' ', stepInWords(step, rules))));
    return el('details', { class: 'panel step-list' }, el('summary', {}, say('round.all_steps', { n: steps.length })), el('ol', {}, this.items));
  }

  technical() {
    const { log, vkey, keyTrusted } = this.found;
    if (!log) return null;
    return el('p', { class: 'soft small technical' }, say('round.log_line', { size: log.size }), ' ', el('code', {}, log.root), ' ',
      vkey && el('code', {}, vkey), ' ', say(keyTrusted ? 'round.key_pinned' : 'round.key_unknown'));
  }
}

/** The room: see main.js. */
export async function open(root, { round }, app) {
  app.title(round);
  const [, table, number] = /^(.*):([0-9]+)$/.exec(round);
  fill(root, el('div', { class: 'replay' }, el('h1', {}, say('round.title', { number }), ' ', el('span', { class: 'table-name' }, table)),
    el('p', { class: 'soft', 'aria-busy': 'true' }, say('round.reading'))));
  const room = new Room(root, round, app);
  try {
    await room.load();
  } catch (error) {
    if (!(error instanceof Problem) || !['unknown_round', 'bundle_too_large', 'malformed'].includes(error.code)) throw error;
    fill(root, el('div', { class: 'replay' }, el('h1', {}, say('round.title', { number }), ' ', el('span', { class: 'table-name' }, table)),
      el('p', { class: 'notice' }, say(`round.${error.code === 'malformed' ? 'unknown_round' : error.code}`)),
      el('p', {}, el('a', { href: '/log' }, say('round.to_log')))));
    return () => {};
  }
  room.draw();
  addEventListener('keydown', room.keys);
  return () => {
    removeEventListener('keydown', room.keys);
    clearTimeout(room.timer);
  };
}

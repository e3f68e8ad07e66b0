// The log for auditors and whoever asks: checkpoints as they come, witnesses, what this browser saw before, voids, withheld
// seeds, changes of shoes, statistics beside what chance makes of them, significant events, and how to audit it all oneself.
// Everything counted is read from the last entries by tiles and held against the signed checkpoint (log-worker.js).

import { el, fill } from './dom.js';
import { say } from './words.js';
import { get } from './api.js';
import { session } from './session.js';
import { proof } from './proof.js';
import { money } from './account.js';
import { frequencies, intervals, columns } from './plots.js';

const POLL_MS = 5000, QUIET_POLL_MS = 20_000, QUIET_AFTER = 12, COUNT_EVERY_MS = 10_000;
const FIRST_ENTRIES = 8192, MOST_ENTRIES = 65_536, MOST_CHECKPOINTS = 12, TABLE_PAGES = 10;
const PAGE = 25, LISTED = 12, BUCKETS = 24;
const AHEAD = ['nobody', 'level', 'players', 'house'];
const CAUSES = ['reveal_missing', 'crash', 'malfunction', 'shoe_exhausted', 'abandoned'];
/**
 * What a stake comes back to (spec/games/odds.md): of bets that chance alone decides the mean and the variance of one
 * unit, exact; of blackjack, where people decide, the means of best play and of copying the dealer, in percent.
 */
const BACCARAT_8 = { player: [0.446247, 2], banker: [0.458597, 1.95], tie: [0.095156, 9] };
const PLAYED = {
  joy: [100.1946, 94.431], 'live-blackjack': [99.2926, 94.3246], 'six-deck': [100.2543, 94.3244], 'study-group': [99.916, 94.3244],
};
const NUMBERS = { straight: 1, split: 2, street: 3, corner: 4, line: 6, column: 12, dozen: 12, even_chance: 18 };
const ALIKE = { 'joy-own': 'joy', 'rng-blackjack': 'live-blackjack', 'six-deck-solo': 'six-deck', 'study-group-solo': 'study-group' };
const RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'];

/** `{exact, variance}` of one unit on a kind of bet; variance null where what is seen must do. */
function lawOf(kind) {
  const [game, first, second] = kind.split(':');
  if (game === 'roulette') {
    const chance = NUMBERS[first] / 37, back = 1 + Number(second);
    return { exact: [{ value: 100 * chance * back }], variance: back * back * chance * (1 - chance) };
  }
  if (game === 'blackjack') return { exact: (PLAYED[first] || []).map((value, i) => ({ value, name: ['best', 'copy'][i] })), variance: null };
  if (first !== '8' || !BACCARAT_8[second]) return { exact: [], variance: null };
  const [won, back] = BACCARAT_8[second], drawn = second === 'tie' ? 0 : BACCARAT_8.tie[0], mean = won * back + drawn;
  return { exact: [{ value: 100 * mean }], variance: won * back * back + drawn - mean * mean };
}

/** From where to where each of `of` equal counts lies in 95 of 100 honest logs, all of them together. */
function band(total, of) {
  const share = 1 / of, tail = 0.025 / of;
  let low = null, sum = 0, log = total * Math.log1p(-share);
  for (let n = 0; n <= total; n++) {
    sum += Math.exp(log);
    if (low === null && sum > tail) low = n;
    if (sum >= 1 - tail) return { mean: total * share, low: low ?? 0, high: n };
    log += Math.log((total - n) / (n + 1)) + Math.log(share / (1 - share));
  }
  return { mean: total * share, low: low ?? 0, high: total };
}

const utc = ms => new Date(ms).toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
const clock = ms => new Date(ms).toISOString().slice(11, 19);
const readNote = text => { const [origin, size, root] = text.split('\n'); return { text, origin, size: Number(size), root }; };

/** The worker that reads the log; `onProgress` hears how far it is. */
function reader(onProgress) {
  const worker = new Worker(new URL('./log-worker.js', import.meta.url)), waiting = new Map();
  let numbered = 0;
  worker.onmessage = ({ data: { number, reply, error, failed, progress } }) => {
    if (progress) return onProgress(progress);
    const call = waiting.get(number);
    waiting.delete(number);
    if (error === undefined) call?.resolve(reply);
    else call?.reject(Object.assign(new Error(error), { failed }));
    return undefined;
  };
  worker.onerror = event => {
    for (const { reject } of waiting.values()) reject(new Error(event.message || 'the reader of the log did not load'));
    waiting.clear();
  };
  return {
    ask: (name, given) => new Promise((resolve, reject) => {
      waiting.set(++numbered, { resolve, reject });
      worker.postMessage({ number: numbered, name, given });
    }),
    stop: () => worker.terminate(),
  };
}

/** Rule sets by table, as far as some pages of tables go. */
async function rulesByTable() {
  const rules = {};
  let cursor = null;
  for (let page = 0; page < TABLE_PAGES; page++) {
    const { tables, next } = await get(`/v1/tables?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
    for (const table of tables) rules[table.table] = table.rules;
    if (!next) break;
    cursor = next;
  }
  return rules;
}

const section = (id, title, ...content) => el('section', { class: 'panel log-part', 'aria-labelledby': `log-${id}` }, el('h2', { id: `log-${id}` }, title), content);

function table(heads, rows, label) {
  return el('div', { class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': label }, el('table', { class: 'sums' },
    el('thead', {}, el('tr', {}, heads.map(([words, isNumber]) => el('th', { scope: 'col', class: isNumber ? 'number' : null }, words)))),
    el('tbody', {}, rows.map(cells => el('tr', {}, cells.map((cell, i) =>
      (i ? el('td', { class: heads[i][1] ? 'number' : null }, cell) : el('th', { scope: 'row' }, cell))))))));
}

/** A list of which the first are shown, and the rest page by page. */
function paged(items, draw) {
  const list = el('ul', { class: 'events' }), count = el('span', { class: 'small soft' });
  let page = 0;
  const show = to => {
    page = Math.min(Math.max(0, to), Math.max(0, Math.ceil(items.length / PAGE) - 1));
    fill(list, items.slice(page * PAGE, (page + 1) * PAGE).map(draw));
    count.textContent = say('log.page_of', { from: items.length ? page * PAGE + 1 : 0, to: Math.min(items.length, (page + 1) * PAGE), n: items.length });
    newer.disabled = page === 0;
    older.disabled = (page + 1) * PAGE >= items.length;
  };
  const newer = el('button', { class: 'quiet', type: 'button', on: { click: () => show(page - 1) } }, `‹ ${say('log.newer')}`);
  const older = el('button', { class: 'quiet', type: 'button', on: { click: () => show(page + 1) } }, `${say('log.older')} ›`);
  show(0);
  return [list, items.length > PAGE && el('div', { class: 'row' }, newer, count, older)];
}

const roundLink = id => el('a', { href: `/round/${id}` }, id);
const entryLink = index => el('a', { href: `/v1/entries/${index}`, target: '_blank', rel: 'noopener' }, say('log.entry', { index }));

class Room {
  constructor(root, app) {
    Object.assign(this, { root, app, seen: [], quiet: 0, timer: 0, countedAt: 0, isClosed: false, most: FIRST_ENTRIES, counting: null });
    this.before = session.log();
    for (const name of ['head', 'trouble', 'checkpoints', 'witnesses', 'scope', 'figures']) this[name] = el('div', { class: `log-${name}` });
    this.reader = reader(({ read, of }) => { this.progress.value = of ? read / of : 1; });
    this.progress = el('progress', { max: 1, value: 0, 'aria-label': say('log.reading') });
    this.wake = () => { if (!document.hidden) { this.quiet = 0; this.poll(); } };
  }

  async open() {
    fill(this.root, el('div', { class: 'log-room' },
      el('header', { class: 'log-top' }, el('h1', {}, say('log.title')), el('p', { class: 'soft' }, say('log.what'))),
      this.trouble, this.head,
      el('div', { class: 'log-pair' }, this.checkpoints, this.witnesses), this.scope, this.figures, this.audit()));
    fill(this.head, el('p', { class: 'soft', 'aria-busy': 'true' }, say('log.reading')));
    [this.info, this.rules] = await Promise.all([get('/v1/log'), rulesByTable()]);
    fill(this.auditBox, this.commands());
    const known = await proof.log();
    if (!known.ok) this.failed(known.failed, known.evidence);
    await this.sight(this.info.checkpoint, known.ok);
    document.addEventListener('visibilitychange', this.wake);
    this.drawWitnesses();
    this.count();
    this.timer = setTimeout(() => this.poll(), POLL_MS);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    document.removeEventListener('visibilitychange', this.wake);
    this.reader.stop();
  }

  /** What did not hold, first and in words, with the evidence to keep. */
  failed({ check, message, entry }, evidence) {
    const save = () => {
      const link = el('a', { href: URL.createObjectURL(new Blob([evidence.text], { type: 'application/json' })), download: evidence.name });
      link.click();
    };
    fill(this.trouble, el('div', { class: 'notice bad', role: 'alert' },
      el('p', {}, el('strong', {}, say(['fork', 'key', 'checkpoint'].includes(check) ? `log.failed_${check}` : 'log.failed'))),
      el('p', { class: 'mono small' }, entry === undefined ? '' : `${say('log.entry', { index: entry })}: `, message, ` [${check}]`),
      evidence && el('button', { class: 'button danger', type: 'button', on: { click: save } }, say('log.evidence'))));
  }

  /** A checkpoint that came: shown with how it stands to the one before. */
  async sight(text, isHeld = null) {
    const note = readNote(text), last = this.seen[0];
    if (last && last.text === text) return false;
    let held = isHeld;
    if (held === null) {
      const reply = await proof.checkpoint(text);
      held = reply.ok;
      if (!reply.ok) this.failed(reply.failed, reply.evidence);
    }
    this.seen.unshift({ ...note, at: Date.now(), held, grown: last ? note.size - last.size : null });
    this.seen.splice(MOST_CHECKPOINTS);
    if (held) this.note = note;
    this.drawHead();
    return true;
  }

  async poll() {
    clearTimeout(this.timer);
    if (this.isClosed || document.hidden) return;
    try {
      const isNew = await this.sight(await get('/checkpoint', { as: 'text', tries: 1 }));
      this.quiet = isNew ? 0 : this.quiet + 1;
      this.reach(null);
      if (isNew) await this.drawWitnesses();
      if (isNew && Date.now() - this.countedAt > COUNT_EVERY_MS) this.count('more');
    } catch (error) {
      this.quiet = QUIET_AFTER;
      this.reach(error);
    }
    clearTimeout(this.timer);
    if (!this.isClosed) this.timer = setTimeout(() => this.poll(), this.quiet >= QUIET_AFTER ? QUIET_POLL_MS : POLL_MS);
  }

  /** Whether the service was reached, beside the head. */
  reach(error) {
    if (this.reached) this.reached.textContent = error ? say('log.away', { why: error.message }) : say('log.live');
    this.reached?.classList.toggle('warn', !!error);
  }

  drawHead() {
    const [now] = this.seen, { before } = this, old = before && readNote(before.checkpoint);
    this.reached = el('span', { class: 'tag good', role: 'status' }, say('log.live'));
    const seenWords = !old ? say('log.first_visit') : now.held ? say('log.extends', { size: money(old.size) }) : say('log.not_extends', { size: money(old.size) });
    fill(this.head, el('div', { class: 'log-facts' },
      el('div', {}, el('p', { class: 'log-size' }, money(now.size)), el('p', { class: 'soft small' }, say('log.entries'), ' ', this.reached)),
      el('dl', { class: 'facts' },
        el('dt', {}, say('log.name')), el('dd', {}, el('code', {}, now.origin)),
        el('dt', {}, say('log.root')), el('dd', {}, el('code', {}, now.root)),
        el('dt', {}, say('log.key')), el('dd', {}, el('code', {}, this.info.vkey)),
        el('dt', {}, say('log.since')), el('dd', {}, utc(this.info.started_at)),
        el('dt', {}, say('log.this_browser')), el('dd', { class: now.held ? 'good' : 'bad' }, now.held ? '✓ ' : '✗ ', seenWords))));
    fill(this.checkpoints, section('checkpoints', say('log.checkpoints'),
      table([[say('log.seen_at')], [say('log.size'), true], [say('log.grown'), true], [say('log.holds')]],
        this.seen.map(({ at, size, grown, held }) => [clock(at), money(size), grown === null ? '' : `+${money(grown)}`, held ? `✓ ${say('log.held')}` : `✗ ${say('log.not_held')}`]), say('log.checkpoints')),
      el('p', { class: 'soft small' }, say('log.checkpoints_why'))));
  }

  async drawWitnesses() {
    const ready = await get('/readyz', { tries: 1 }).catch(error => ({ error }));
    const { witnessed } = ready;
    const rows = witnessed?.witnesses?.map(({ name, cosigned_size: size, cosigned_at: at, error, alarm }) => [
      name, size === null || size === undefined ? '—' : money(size), at ? utc(at) : '—',
      el('span', { class: alarm ? 'bad' : error ? 'warn' : 'good' }, alarm ? `✗ ${say('log.alarm')}` : error ? `! ${error}` : `✓ ${say('log.cosigns')}`)]);
    fill(this.witnesses, section('witnesses', say('log.witnesses'), rows?.length
      ? [table([[say('log.witness')], [say('log.size'), true], [say('log.cosigned_at')], [say('log.state')]], rows, say('log.witnesses')),
        el('p', {}, witnessed.unwitnessed ? say('log.unwitnessed') : say('log.quorum', { size: money(witnessed.size ?? 0) }))]
      : el('p', {}, say('log.no_witness')), el('p', { class: 'soft small' }, say('log.witnesses_why'))));
  }

  /** Reads and counts; `more`: only what came since. */
  async count(name = 'read') {
    if (this.counting || !this.note) return;
    this.countedAt = Date.now();
    this.counting = name;
    if (name === 'read') fill(this.scope, el('section', { class: 'panel log-part', 'aria-busy': 'true' }, el('p', {}, say('log.reading')), this.progress));
    try {
      const summary = await this.reader.ask(name, { note: this.note.text, most: this.most, rules: this.rules });
      if (this.isClosed || !summary) return;
      this.drawScope(summary);
      this.drawFigures(summary);
    } catch (error) {
      if (this.isClosed) return;
      if (error.failed) this.failed(error.failed, null);
      else fill(this.scope, el('p', { class: 'notice warn' }, error.message, ' ', el('button', { class: 'quiet', type: 'button', on: { click: () => this.count() } }, say('log.again'))));
    } finally {
      this.counting = null;
    }
  }

  drawScope({ from, to, firstTime, lastTime, rounds, voids, shoes }) {
    const more = el('button', {
      class: 'button second', type: 'button', disabled: from === 0 || this.most >= MOST_ENTRIES,
      on: { click: () => { this.most = Math.min(MOST_ENTRIES, this.most * 4); this.count(); } },
    }, say('log.earlier'));
    fill(this.scope, section('scope', say('log.scope'),
      el('p', {}, say('log.covers', { from: money(from), to: money(to - 1), n: money(to - from), begin: utc(firstTime), end: utc(lastTime) }), ' ',
        el('strong', { class: 'good' }, '✓ ', say('log.each_held'))),
      el('p', {}, say('log.counted', { rounds: money(rounds), voids: money(voids), shoes: money(shoes) })),
      el('div', { class: 'row' }, from > 0 && more, el('span', { class: 'soft small' }, from === 0 ? say('log.whole') : this.most >= MOST_ENTRIES ? say('log.rest') : ''))));
  }

  drawFigures(summary) {
    const open = new Set([...this.figures.querySelectorAll('details[open]')].map(one => one.dataset.id));
    fill(this.figures,
      el('div', { class: 'log-pair' }, this.voids(summary), el('div', { class: 'log-column' }, this.withheld(summary), this.changes(summary))),
      this.statistics(summary), this.tables(summary), this.significant(summary));
    for (const one of this.figures.querySelectorAll('details[data-id]')) one.open = open.has(one.dataset.id);
  }

  voids({ causes, voidList, aheadOverTime, firstTime, lastTime, voids, rounds }) {
    const of = new Map(causes), number = (cause, ahead) => of.get(`${cause}/${ahead}`) || 0;
    const rows = CAUSES.map(cause => [say(`log.cause_${cause}`), ...AHEAD.map(ahead => String(number(cause, ahead))), String(AHEAD.reduce((all, ahead) => all + number(cause, ahead), 0))]);
    const width = Math.max(1, lastTime - firstTime + 1) / BUCKETS;
    const buckets = Array.from({ length: BUCKETS }, (_, i) => ({ label: i ? utc(lastTime).slice(0, 16) : utc(firstTime).slice(0, 16), parts: AHEAD.map(kind => ({ kind, count: 0 })) }));
    for (const [time, ahead] of aheadOverTime) {
      const at = Math.min(BUCKETS - 1, Math.max(0, Math.floor((time - firstTime) / width)));
      buckets[at].parts[AHEAD.indexOf(ahead)].count++;
    }
    return section('voids', say('log.voids'),
      el('p', {}, say('log.voids_of', { voids: money(voids), rounds: money(rounds + voids) })),
      table([[say('log.cause')], ...AHEAD.map(ahead => [say(`log.ahead_${ahead}`), true]), [say('log.all'), true]], rows, say('log.voids')),
      voids > 0 && [columns(buckets, say('log.voids_plot')), el('ul', { class: 'legend' }, AHEAD.map(kind => el('li', {}, el('span', { class: `swatch part ${kind}` }), say(`log.ahead_${kind}`))))],
      el('p', { class: 'soft small' }, say('log.voids_why')),
      voidList.length > 0 && el('details', { dataset: { id: 'voids' } }, el('summary', {}, say('log.list', { n: voidList.length })),
        paged(voidList, ({ index, time, round, cause, ahead, missing, reason }) => el('li', {}, el('span', { class: 'soft small' }, utc(time)), ' ', roundLink(round), ' ',
          say(`log.cause_${cause}`), missing.length > 0 && `: ${missing.join(', ')}`, reason && ` (${reason})`, ' · ', say('log.ahead'), ' ', say(`log.ahead_${ahead}`), ' · ', entryLink(index)))));
  }

  withheld({ withheld, withholders, late }) {
    return section('withheld', say('log.withheld'),
      withheld.length ? table([[say('log.player')], [say('log.seeds'), true]], withheld.slice(0, LISTED).map(([player, n]) => [player, String(n)]), say('log.withheld')) : el('p', {}, say('log.none_withheld')),
      withholders > LISTED && el('p', { class: 'small' }, say('log.and_more', { n: withholders - LISTED })),
      late > 0 && el('p', {}, say('log.late', { n: late })),
      el('p', { class: 'soft small' }, say('log.withheld_why')));
  }

  changes({ changes }) {
    return section('changes', say('log.changes'),
      changes.length ? table([[say('log.cause')], [say('log.times'), true]], changes.map(([cause, n]) => [say(`log.shoe_${cause}`), String(n)]), say('log.changes')) : el('p', {}, say('log.no_changes')),
      el('p', { class: 'soft small' }, say('log.changes_why')));
  }

  statistics({ returns, ranks, faces, suits, pockets, spins }) {
    const merged = new Map();
    for (const one of returns) {
      const [game, ...rest] = one.kind.split(':'), kind = game === 'blackjack' ? `${game}:${ALIKE[rest[0]] || rest[0]}` : one.kind, sums = merged.get(kind);
      merged.set(kind, sums ? Object.fromEntries(Object.keys(one).map(name => [name, name === 'kind' ? kind : sums[name] + one[name]])) : { ...one, kind });
    }
    const rows = [...merged.values()].filter(one => one.bets >= 30).sort((a, b) => (a.kind < b.kind ? -1 : 1)).map(({ kind, bets, staked, returned, ss, sr, rr }) => {
      // The law's variance, bets of one round taken as one; else the error of a ratio of sums, as it is seen.
      const ratio = returned / staked, { exact, variance } = lawOf(kind);
      const seen = rr - 2 * ratio * sr + ratio * ratio * ss, error = Math.sqrt(Math.max(0, variance === null ? seen : variance * ss)) / staked;
      return { label: this.kindName(kind), bets, value: 100 * ratio, low: 100 * (ratio - 1.96 * error), high: 100 * (ratio + 1.96 * error), exact };
    });
    return section('statistics', say('log.statistics'),
      el('p', { class: 'soft small' }, say('log.statistics_why')),
      el('div', { class: 'plots' },
        rows.length > 0 && el('figure', {}, el('figcaption', {}, el('strong', {}, say('log.returns')), ' ', el('span', { class: 'soft small' }, say('log.returns_why'))), intervals(rows, say('log.returns')),
          el('details', { dataset: { id: 'returns' } }, el('summary', {}, say('log.as_table')), table([[say('log.bet')], [say('log.bets'), true], [say('log.returned'), true], [say('log.interval'), true], [say('log.exact'), true]],
            rows.map(({ label, bets, value, low, high, exact }) => [label, money(bets), `${value.toFixed(2)} %`, `${low.toFixed(2)}–${high.toFixed(2)} %`, exact.map(one => `${one.name ? `${say(`log.play_${one.name}`)} ` : ''}${one.value.toFixed(2)} %`).join(', ') || '—']), say('log.returns')))),
        faces > 0 && el('figure', {}, el('figcaption', {}, el('strong', {}, say('log.faces', { n: money(faces) })), ' ', el('span', { class: 'soft small' }, say('log.band_why'))),
          frequencies(ranks.map((count, i) => ({ label: RANKS[i], count })), band(faces, 13), say('log.faces', { n: money(faces) })),
          el('p', { class: 'small' }, ['♣', '♦', '♥', '♠'].map((sign, i) => `${sign} ${money(suits[i])}`).join('   '))),
        spins > 0 && el('figure', {}, el('figcaption', {}, el('strong', {}, say('log.pockets', { n: money(spins) })), ' ', el('span', { class: 'soft small' }, say('log.band_why'))),
          frequencies(pockets.map((count, i) => ({ label: String(i), count })), band(spins, 37), say('log.pockets', { n: money(spins) }))),
        !rows.length && !faces && !spins && el('p', {}, say('log.nothing_yet'))));
  }

  kindName(kind) {
    const [game, first, second] = kind.split(':');
    if (game === 'blackjack') return first;
    if (game === 'baccarat') return `baccarat ${second}`;
    return `roulette ${first.replace('_', ' ')}`;
  }

  tables({ tables, allTables }) {
    return section('tables', say('log.tables'),
      el('details', { dataset: { id: 'tables' } }, el('summary', {}, say('log.list', { n: allTables })),
        table([[say('log.table')], [say('log.rules')], [say('log.rounds'), true], [say('log.void_rounds'), true], [say('log.staked'), true], [say('log.returned'), true], [say('log.kept'), true]],
          tables.map(one => [one.table, one.rules || '—', money(one.rounds), money(one.voids), money(one.staked), money(one.returned), one.staked ? `${((100 * (one.staked - one.returned)) / one.staked).toFixed(1)} %` : '—']), say('log.tables'))),
      allTables > tables.length && el('p', { class: 'small' }, say('log.and_more', { n: allTables - tables.length })));
  }

  significant({ significant }) {
    return section('significant', say('log.significant'),
      significant.length ? paged(significant, ({ index, time, kind, by, ...values }) => el('li', {}, el('span', { class: 'soft small' }, utc(time)), ' ', say(`log.sig_${kind}`, { by, ...values, down_ms: undefined, seconds: Math.round((values.down_ms || 0) / 1000) }), ' · ', entryLink(index)))
        : el('p', {}, say('log.none_significant')));
  }

  audit() {
    this.auditBox = el('div', { class: 'log-commands' });
    return section('audit', say('log.audit'), el('p', {}, say('log.audit_why')), this.auditBox);
  }

  commands() {
    const { origin } = location, { vkey } = this.info;
    const lines = [
      ['log.cmd_log', `fairshoe-audit log ${origin} --key '${vkey}'`],
      ['log.cmd_kept', `fairshoe-audit log ${origin} --key '${vkey}' --kept reply.json`],
      ['log.cmd_stats', `fairshoe-audit stats ${origin} --html report.html`],
      ['log.cmd_mirror', `fairshoe-audit mirror ${origin} mirror\nnode fairshoe-verify.js log mirror --key '${vkey}'`],
    ];
    return lines.map(([key, line]) => {
      const copy = el('button', { class: 'quiet', type: 'button' }, say('log.copy'));
      copy.addEventListener('click', async () => { await navigator.clipboard.writeText(line); copy.textContent = say('log.copied'); });
      return el('div', { class: 'command' }, el('div', { class: 'row' }, el('span', {}, say(key)), copy), el('pre', { tabIndex: 0 }, el('code', {}, line)));
    });
  }
}

/** The room: see main.js. */
export async function open(root, params, app) {
  app.title(say('log.title'));
  const room = new Room(root, app);
  try {
    await room.open();
  } catch (error) {
    room.close();
    throw error;
  }
  return () => room.close();
}

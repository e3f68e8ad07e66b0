// The log for auditors and all readers: checkpoints as they come, witnesses, this browser's memory, voids, withheld
// seeds, changes of shoes, statistics compared with chance, significant events, and how to audit everything alone. All
// counts come from the last entries, read by tiles and checked against the signed checkpoint (log-worker.js).

import { el, fill } from './dom.js';
import { language, money, say } from './words.js';
import { get } from './api.js';
import { session } from './session.js';
import { coded, problemWords } from './trouble.js';
import { proof } from './proof.js';
import { section, table, utc, voids, withheld, changes, turnover, significant } from './log-sections.js';
import { statistics } from './log-statistics.js';
import { findPart } from './log-find.js';

const POLL_MS = 5000,
  QUIET_POLL_MS = 20_000,
  QUIET_AFTER = 12,
  COUNT_EVERY_MS = 10_000;
const FIRST_ENTRIES = 8192,
  MOST_ENTRIES = 65_536,
  MOST_CHECKPOINTS = 12,
  TABLE_PAGES = 10;
const clock = ms => new Date(ms).toISOString().slice(11, 19);
const readNote = text => {
  const [origin, size, root] = text.split('\n');
  return { text, origin, size: Number(size), root };
};

/** The worker that reads the log; `onProgress` gets its progress. */
function reader(onProgress) {
  const worker = new Worker(new URL('./log-worker.js', import.meta.url)),
    waiting = new Map();
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
    for (const { reject } of waiting.values())
      reject(new Error(event.message || 'the reader of the log did not load'));
    waiting.clear();
  };
  return {
    ask: (name, given) =>
      new Promise((resolve, reject) => {
        waiting.set(++numbered, { resolve, reject });
        worker.postMessage({ number: numbered, name, given });
      }),
    stop: () => worker.terminate(),
  };
}

/** Rule sets by table, as far as a few pages of tables go. */
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

class Room {
  constructor(root, app) {
    Object.assign(this, {
      root,
      app,
      seen: [],
      quiet: 0,
      timer: 0,
      countedAt: 0,
      countedTo: Infinity,
      isClosed: false,
      most: FIRST_ENTRIES,
      counting: null,
    });
    this.before = session.log();
    this.find = findPart();
    for (const name of ['head', 'trouble', 'checkpoints', 'witnesses', 'scope', 'figures'])
      this[name] = el('div', { class: `log-${name}` });
    this.reader = reader(({ read, of }) => {
      this.progress.value = of ? read / of : 1;
    });
    this.progress = el('progress', { max: 1, value: 0, 'aria-label': say('log.reading') });
    this.wake = () => {
      if (!document.hidden) {
        this.quiet = 0;
        this.poll();
      }
    };
  }

  async open() {
    fill(
      this.root,
      el(
        'div',
        { class: 'log-room' },
        el(
          'header',
          { class: 'log-top' },
          el('h1', {}, say('log.title')),
          el('p', { class: 'soft' }, say('log.what')),
        ),
        this.trouble,
        this.head,
        el('div', { class: 'log-pair' }, this.checkpoints, this.witnesses),
        this.scope,
        this.figures,
        this.find.part,
        this.audit(),
      ),
    );
    fill(this.head, el('p', { class: 'soft', 'aria-busy': 'true' }, say('log.reading')));
    [this.info, this.rules] = await Promise.all([get('/v1/log'), rulesByTable()]);
    fill(this.auditBox, this.commands());
    const known = await proof.log();
    if (!known.ok) this.failed(known.failed, known.evidence);
    else if (this.info.vkey !== known.log.vkey)
      this.failed({ check: 'key', message: `${this.info.vkey}, ${known.log.vkey}` }, null);
    // Each reply is judged alone: a lying service may tell everyone something else.
    await this.sight(this.info.checkpoint, known.ok ? null : false);
    // The room is there without them.
    this.offerNotes().catch(() => {});
    document.addEventListener('visibilitychange', this.wake);
    this.drawWitnesses();
    this.count();
    // `/log#log-find`: a part is led to once it is there.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
    this.timer = setTimeout(() => this.poll(), POLL_MS);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    document.removeEventListener('visibilitychange', this.wake);
    this.reader.stop();
    this.find.stop();
  }

  /** The failed check, first and in words, with the evidence to keep. */
  failed({ check, message, entry }, evidence) {
    const save = () => {
      const link = el('a', {
        href: URL.createObjectURL(new Blob([evidence.text], { type: 'application/json' })),
        download: evidence.name,
      });
      link.click();
    };
    fill(
      this.trouble,
      el(
        'div',
        { class: 'notice bad', role: 'alert' },
        el(
          'p',
          {},
          el('strong', {}, say(['fork', 'key', 'checkpoint'].includes(check) ? `log.failed_${check}` : 'log.failed')),
        ),
        el(
          'p',
          { class: 'mono small' },
          entry === undefined ? '' : `${say('log.entry', { index: entry })}: `,
          language() === 'en' && `${message} `,
          coded(`[${check}]`),
        ),
        evidence &&
          el('button', { class: 'button danger', type: 'button', on: { click: save } }, say('log.evidence')),
      ),
    );
  }

  /** A new checkpoint: shown with its relation to the one before. */
  async sight(text, isHeld = null) {
    const note = readNote(text),
      last = this.seen[0];
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
      if (this.note.size > this.countedTo && Date.now() - this.countedAt > COUNT_EVERY_MS) this.count('more');
    } catch (error) {
      this.quiet = QUIET_AFTER;
      this.reach(error);
    }
    clearTimeout(this.timer);
    if (!this.isClosed)
      this.timer = setTimeout(() => this.poll(), this.quiet >= QUIET_AFTER ? QUIET_POLL_MS : POLL_MS);
  }

  /** Whether the service was reached, beside the head. */
  reach(error) {
    const words = error ? say('log.away', { why: problemWords(error) }) : say('log.live');
    if (this.reached) this.reached.textContent = words;
    this.reached?.classList.toggle('warn', !!error);
  }

  drawHead() {
    const [now] = this.seen,
      { before } = this,
      old = before && readNote(before.checkpoint);
    this.reached = el('span', { class: 'tag good', role: 'status' }, say('log.live'));
    const seenWords = old
      ? say(now.held ? 'log.extends' : 'log.not_extends', { size: money(old.size) })
      : say(now.held ? 'log.first_visit' : 'log.failed');
    fill(
      this.head,
      el(
        'div',
        { class: 'log-facts' },
        el(
          'div',
          {},
          el('p', { class: 'log-size' }, money(now.size)),
          el('p', { class: 'soft small' }, say('log.entries'), ' ', this.reached),
        ),
        el(
          'dl',
          { class: 'facts' },
          el('dt', {}, say('log.name')),
          el('dd', {}, el('code', {}, now.origin)),
          el('dt', {}, say('log.root')),
          el('dd', {}, el('code', {}, now.root)),
          el('dt', {}, say('log.key')),
          el('dd', {}, el('code', {}, this.info.vkey)),
          el('dt', {}, say('log.since')),
          el('dd', {}, utc(this.info.started_at)),
          el('dt', {}, say('log.this_browser')),
          el('dd', { class: now.held ? 'good' : 'bad' }, now.held ? '✓ ' : '✗ ', seenWords),
        ),
      ),
    );
    fill(
      this.checkpoints,
      section(
        'checkpoints',
        say('log.checkpoints'),
        table(
          [[say('log.seen_at')], [say('log.size'), true], [say('log.grown'), true], [say('log.holds')]],
          this.seen.map(({ at, size, grown, held }) => [
            clock(at),
            money(size),
            grown === null ? '' : `+${money(grown)}`,
            held ? `✓ ${say('log.held')}` : `✗ ${say('log.not_held')}`,
          ]),
          say('log.checkpoints'),
        ),
        el('p', { class: 'soft small' }, say('log.checkpoints_why')),
      ),
    );
  }

  async drawWitnesses() {
    const ready = await get('/readyz', { tries: 1 }).catch(error => ({ error }));
    const { witnessed } = ready;
    const rows = witnessed?.witnesses?.map(({ name, cosigned_size: size, cosigned_at: at, error, alarm }) => [
      name,
      size === null || size === undefined ? '—' : money(size),
      at ? utc(at) : '—',
      el(
        'span',
        { class: alarm ? 'bad' : error ? 'warn' : 'good' },
        alarm
          ? `✗ ${say('log.alarm')}`
          : error
            ? `! ${language() === 'en' ? error : say('log.cosign_fails')}`
            : `✓ ${say('log.cosigns')}`,
      ),
    ]);
    fill(
      this.witnesses,
      section(
        'witnesses',
        say('log.witnesses'),
        rows?.length
          ? [
              table(
                [[say('log.witness')], [say('log.size'), true], [say('log.cosigned_at')], [say('log.state')]],
                rows,
                say('log.witnesses'),
              ),
              el(
                'p',
                {},
                witnessed.unwitnessed
                  ? say('log.unwitnessed')
                  : say('log.quorum', { size: money(witnessed.size ?? 0) }),
              ),
            ]
          : el('p', {}, say('log.no_witness')),
        el('p', { class: 'soft small' }, say('log.witnesses_why')),
      ),
    );
  }

  /** Reads and counts; `more`: only the entries added since. */
  async count(name = 'read') {
    if (this.counting || !this.note) return;
    this.countedAt = Date.now();
    this.counting = name;
    if (name === 'read')
      fill(
        this.scope,
        el(
          'section',
          { class: 'panel log-part', 'aria-busy': 'true' },
          el('p', {}, say('log.reading')),
          this.progress,
        ),
      );
    try {
      const summary = await this.reader.ask(name, { note: this.note.text, most: this.most, rules: this.rules });
      if (this.isClosed || !summary) return;
      this.countedTo = summary.to;
      this.drawScope(summary);
      this.drawFigures(summary);
    } catch (error) {
      if (this.isClosed) return;
      if (error.failed) this.failed(error.failed, null);
      else
        fill(
          this.scope,
          el(
            'p',
            { class: 'notice warn' },
            coded(problemWords(error)),
            ' ',
            el('button', { class: 'quiet', type: 'button', on: { click: () => this.count() } }, say('log.again')),
          ),
        );
    } finally {
      this.counting = null;
    }
  }

  drawScope({ from, to, firstTime, lastTime, rounds, voids, shoes }) {
    const more = el(
      'button',
      {
        class: 'button second',
        type: 'button',
        disabled: from === 0 || this.most >= MOST_ENTRIES,
        on: {
          click: () => {
            this.most = Math.min(MOST_ENTRIES, this.most * 4);
            this.count();
          },
        },
      },
      say('log.earlier'),
    );
    fill(
      this.scope,
      section(
        'scope',
        say('log.scope'),
        el(
          'p',
          {},
          say('log.covers', {
            from: money(from),
            to: money(to - 1),
            n: money(to - from),
            begin: utc(firstTime),
            end: utc(lastTime),
          }),
          ' ',
          el('strong', { class: 'good' }, '✓ ', say('log.each_held')),
        ),
        el('p', {}, say('log.counted', { rounds: money(rounds), voids: money(voids), shoes: money(shoes) })),
        el(
          'div',
          { class: 'row' },
          from > 0 && more,
          el(
            'span',
            { class: 'soft small' },
            from === 0 ? say('log.whole') : this.most >= MOST_ENTRIES ? say('log.rest') : '',
          ),
        ),
      ),
    );
  }

  drawFigures(summary) {
    const open = new Set([...this.figures.querySelectorAll('details[open]')].map(one => one.dataset.id));
    fill(
      this.figures,
      el(
        'div',
        { class: 'log-pair' },
        voids(summary),
        el('div', { class: 'log-column' }, withheld(summary), changes(summary)),
      ),
      statistics(summary),
      turnover(summary),
      significant(summary),
    );
    for (const one of this.figures.querySelectorAll('details[data-id]')) one.open = open.has(one.dataset.id);
  }

  audit() {
    this.auditBox = el('div', { class: 'log-commands' });
    this.notesBox = el('div', {});
    return section('audit', say('log.audit'), el('p', {}, say('log.audit_why')), this.auditBox, this.notesBox);
  }

  /** What the house signed for who plays in this browser, as a file for the audit. */
  async offerNotes() {
    const { count, text } = await proof.notes(),
      { origin } = location;
    if (!count) return;
    const save = async () => (await import('./halt.js')).saveFile({ name: 'notes.jsonl', text });
    fill(
      this.notesBox,
      el('p', {}, say('log.notes', { count })),
      el('button', { class: 'button second', type: 'button', on: { click: save } }, say('log.notes_save')),
      command(say('log.cmd_notes'), `fairshoe-audit log ${origin} --key '${this.info.vkey}' --kept notes.jsonl`),
    );
  }

  commands() {
    const { origin } = location,
      { vkey } = this.info;
    const lines = [
      ['log.cmd_log', `fairshoe-audit log ${origin} --key '${vkey}'`],
      ['log.cmd_kept', `fairshoe-audit log ${origin} --key '${vkey}' --kept reply.json`],
      ['log.cmd_stats', `fairshoe-audit stats ${origin} --html report.html`],
      [
        'log.cmd_mirror',
        `fairshoe-audit mirror ${origin} mirror\nnode fairshoe-verify.js log mirror --key '${vkey}'`,
      ],
    ];
    return lines.map(([key, line]) => command(say(key), line));
  }
}

/** A line for a terminal, with what it does. */
function command(what, line) {
  const copy = el('button', { class: 'quiet', type: 'button' }, say('log.copy'));
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(line);
    copy.textContent = say('log.copied');
  });
  return el(
    'div',
    { class: 'command' },
    el('div', { class: 'row' }, el('span', {}, what), copy),
    el('pre', { tabIndex: 0 }, el('code', {}, line)),
  );
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

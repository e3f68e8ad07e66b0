// The contract, readable: calls by tag, search, one open call at a time with its parameters, bodies, answers, errors
// and examples, and a form that sends it. The content is openapi.yaml, read in a worker.

import { el, fill } from './dom.js';
import { has, need, say } from './words.js';
import { get } from './api.js';
import { session } from './session.js';
import { badge, bodies, fold, kindOf, marked, paragraphs, schemaTree } from './docs-form.js';
import { tryIt } from './docs-try.js';

const CONTRACT = '/openapi.yaml';
const SEARCH_AFTER_MS = 120;

/** The worker that holds the contract: `ask(name, given)`, `stop()`. */
function reader() {
  const worker = new Worker(new URL('./docs-worker.js', import.meta.url), { type: 'module' });
  const waiting = new Map();
  let numbered = 0;
  worker.onmessage = ({ data: { number, reply, error } }) => {
    const call = waiting.get(number);
    waiting.delete(number);
    if (error === undefined) call?.resolve(reply);
    else call?.reject(new Error(error));
  };
  worker.onerror = event => {
    for (const { reject } of waiting.values())
      reject(new Error(event.message || 'the reader of the contract did not load'));
    waiting.clear();
  };
  return {
    ask: (name, given = {}) =>
      new Promise((resolve, reject) => {
        waiting.set(++numbered, { resolve, reject });
        worker.postMessage({ number: numbered, name, given });
      }),
    stop: () => worker.terminate(),
  };
}

const whoMay = ({ open, roles }) =>
  roles ? say('docs.roles', { roles: roles.join(', ') }) : open ? say('docs.anyone') : say('docs.any_token');

/** Whether a person may send this call from here: calls that only read, and players' calls. */
const canTry = ({ method, roles }) =>
  method === 'get' || method === 'head' || !roles || roles.some(role => /^(player|auditor)/.test(role));

function drawOperation(operation, ask, defaults, stops) {
  const { method, path, summary, description, parameters, request, responses } = operation;
  const errors = responses.filter(({ status }) => !status.startsWith('2')),
    good = responses.filter(({ status }) => status.startsWith('2'));
  const answer = ({ status, description: what, headers, bodies: list, codes }) =>
    el(
      'div',
      { class: 'response' },
      el(
        'h3',
        {},
        el('span', { class: `tag ${status.startsWith('2') ? 'good' : 'warn'}` }, status),
        ' ',
        codes.map(one => [el('a', { href: `/docs?code=${one}` }, el('code', {}, one)), ' ']),
      ),
      el('p', {}, marked(what || '')),
      headers.length > 0 &&
        el(
          'p',
          { class: 'small soft' },
          say('docs.headers'),
          ' ',
          headers.map(one => [el('code', {}, one), ' ']),
        ),
      bodies(list, ask),
    );
  return [
    el('h1', { tabIndex: -1 }, summary),
    el('p', { class: 'address' }, badge(method), ' ', el('code', {}, path)),
    el('p', { class: 'small soft' }, whoMay(operation)),
    paragraphs(description),
    canTry(operation)
      ? fold(el('strong', {}, say('docs.try')), () => tryIt(operation, defaults, stops))
      : el('p', { class: 'notice small' }, say('docs.operators')),
    parameters.length > 0 && [
      el('h2', {}, say('docs.parameters')),
      el(
        'dl',
        { class: 'parameters' },
        parameters.map(one => [
          el(
            'dt',
            {},
            el('code', {}, one.name),
            ' ',
            el('span', { class: 'soft small' }, one.in, one.required ? `, ${say('docs.required')}` : ''),
          ),
          el(
            'dd',
            {},
            one.description && el('p', {}, marked(one.description)),
            el('p', { class: 'small' }, el('code', {}, kindOf(one.schema))),
          ),
        ]),
      ),
    ],
    request && [
      el('h2', {}, say('docs.request')),
      request.description && el('p', {}, marked(request.description)),
      bodies(request.bodies, ask),
    ],
    el('h2', {}, say('docs.answers')),
    good.map(answer),
    errors.length > 0 && fold(say('docs.errors', { n: errors.length }), () => errors.map(answer)),
  ];
}

/** The room: see main.js. */
export async function open(root, { query }, app) {
  app.title(say('docs.title'));
  const contract = reader(),
    stops = [];
  const list = el('nav', { class: 'calls', 'aria-label': say('docs.calls') });
  const pane = el('section', { class: 'call', 'aria-live': 'off' });
  const found = el('p', { class: 'small soft', role: 'status' });
  const search = el('input', {
    type: 'search',
    placeholder: say('docs.search'),
    'aria-label': say('docs.search'),
    spellcheck: false,
  });
  const frame = el(
    'div',
    { class: 'docs', dataset: { shows: 'list' } },
    el('div', { class: 'docs-side' }, search, found, list),
    pane,
  );
  fill(root, frame);
  fill(pane, el('p', { class: 'soft' }, say('docs.reading')));

  let about;
  try {
    about = await contract.ask('read', { address: CONTRACT });
  } catch (error) {
    contract.stop();
    throw error;
  }
  const defaults = { player: session.player ?? '', table: '', id: '', round_no: '0', shoe_no: '0' };
  get('/v1/tables?limit=1', { tries: 1 })
    .then(({ tables: [table] }) => {
      if (table) Object.assign(defaults, { table: table.table, id: `${table.table}:0` });
    })
    .catch(() => {
      /* the fields stay empty */
    });

  const stopAll = () => {
    while (stops.length) stops.pop()();
  };
  const intro = () => {
    stopAll();
    frame.dataset.shows = 'list';
    fill(
      pane,
      el('h1', {}, say('docs.title')),
      el('p', { class: 'soft' }, `${about.title} ${about.version} · ${about.summary}`),
      el('p', {}, el('a', { href: CONTRACT, download: 'openapi.yaml' }, say('docs.download'))),
      el('p', { class: 'notice small' }, say('docs.english')),
      paragraphs(about.description),
      about.tags.map(({ name, description }) => fold(el('strong', {}, name), () => paragraphs(description || '—'))),
      fold(say('docs.schemas', { n: about.schemas.length }), () =>
        el(
          'ul',
          { class: 'schema' },
          about.schemas.map(name =>
            el(
              'li',
              {},
              fold(el('code', {}, name), async () =>
                schemaTree(await contract.ask('schema', { name }), contract.ask),
              ),
            ),
          ),
        ),
      ),
    );
  };
  const links = new Map();
  const show = async (id, isStep = true) => {
    const operation = await contract.ask('operation', { id });
    if (!operation) return intro();
    stopAll();
    if (isStep) history.pushState(null, '', `/docs?call=${encodeURIComponent(id)}`);
    for (const [name, link] of links) link.toggleAttribute('aria-current', name === id);
    frame.dataset.shows = 'call';
    const back = el('button', { class: 'quiet back', type: 'button' }, `‹ ${say('docs.calls')}`);
    back.addEventListener('click', () => {
      frame.dataset.shows = 'list';
      links.get(id)?.focus();
    });
    fill(pane, back, drawOperation(operation, contract.ask, defaults, stops));
    if (isStep) {
      pane.querySelector('h1').focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    return undefined;
  };

  /** What a code stands for: a rule or a check in its page's words, a refusal by the calls that answer with it. */
  const legend = async code => {
    const all = await (await fetch(new URL('./legend.json', import.meta.url))).json();
    const stated = Object.hasOwn(all, code) ? all[code] : [];
    const calls = new Set(stated.length ? [] : await contract.ask('search', { words: code }));
    if (calls.size) await Promise.all([need('play'), need('tournament')]);
    const problem = `trouble.${code}`;
    frame.dataset.shows = 'call';
    if (calls.size) draw(calls);
    fill(
      pane,
      el('h1', { tabIndex: -1 }, el('code', {}, code)),
      has(problem) && el('p', {}, say(problem)),
      stated.map(([page, line, words]) => [
        el('p', { class: 'soft small' }, say('docs.states', { page, line })),
        paragraphs(words),
      ]),
      calls.size > 0 && el('p', {}, say('docs.calls_with', { n: calls.size })),
      !stated.length && !calls.size && el('p', {}, say('docs.no_code')),
      el('p', { class: 'notice small' }, say('docs.english')),
      el('p', {}, el('a', { href: '/docs' }, say('docs.title'))),
    );
  };

  const narrow = matchMedia('(max-width: 800px)');
  const draw = only => {
    links.clear();
    // Only programs send HEAD; addresses that a browser opens come last, because they are no calls.
    const shown = about.operations.filter(({ id, method }) => (only ? only.has(id) : method !== 'head'));
    const isPage = ({ name }) => name === 'Page';
    fill(
      list,
      [...about.tags.filter(tag => !isPage(tag)), ...about.tags.filter(isPage)].map(({ name }) => {
        const own = shown.filter(({ tag }) => tag === name);
        if (!own.length) return null;
        return el(
          'details',
          { open: !!only || (own.length < 16 && name !== 'Page' && !narrow.matches) },
          el('summary', {}, name, ' ', el('span', { class: 'soft small' }, String(own.length))),
          el(
            'ul',
            {},
            own.map(({ id, method, path, summary }) => {
              const link = el(
                'a',
                { href: `/docs?call=${id}` },
                badge(method),
                el('span', { class: 'what' }, el('span', {}, summary), el('code', {}, path)),
              );
              link.addEventListener('click', event => {
                if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                show(id);
              });
              links.set(id, link);
              return el('li', {}, link);
            }),
          ),
        );
      }),
    );
  };
  let timer = 0;
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const words = search.value.trim();
      const ids = words ? new Set(await contract.ask('search', { words })) : null;
      draw(ids);
      found.textContent = ids ? say('docs.found', { n: ids.size }) : '';
    }, SEARCH_AFTER_MS);
  });

  draw(null);
  intro();
  const asked = query.get('call');
  if (asked) await show(asked, false);
  const code = query.get('code');
  if (code) await legend(code);
  return () => {
    clearTimeout(timer);
    stopAll();
    contract.stop();
  };
}

// The contract, readable: calls by tag, search, one call open at a time with its parameters, bodies, answers, errors and
// examples, and a form that sends it. What stands here is openapi.yaml, read in a worker.

import { el, fill } from './dom.js';
import { say } from './words.js';
import { get, post, remove, follow, Problem } from './api.js';
import { session } from './session.js';

const CONTRACT = '/openapi.yaml';
const SEARCH_AFTER_MS = 120, MOST_SHOWN = 60000, MOST_EVENTS = 20;

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
    for (const { reject } of waiting.values()) reject(new Error(event.message || 'the reader of the contract did not load'));
    waiting.clear();
  };
  return {
    ask: (name, given = {}) => new Promise((resolve, reject) => {
      waiting.set(++numbered, { resolve, reject });
      worker.postMessage({ number: numbered, name, given });
    }),
    stop: () => worker.terminate(),
  };
}

/** `**bold**` and `` `code` `` of a line of the contract, as elements. */
function marked(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map(part => {
    if (/^\*\*.+\*\*$/.test(part)) return el('strong', {}, marked(part.slice(2, -2)));
    if (/^`.+`$/.test(part)) return el('code', {}, part.slice(1, -1));
    return part;
  });
}

const paragraphs = text => text.trim().split(/\n\s*\n/).filter(Boolean).map(one => el('p', {}, marked(one.replace(/\n/g, ' '))));
const badge = method => el('span', { class: `method ${method}` }, method === 'delete' ? 'DEL' : method.toUpperCase());
const pretty = value => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

function code(text) {
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n…` : text;
  const copy = el('button', { class: 'quiet copy', type: 'button' }, say('docs.copy'));
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = say('docs.copied');
  });
  return el('div', { class: 'code-box' }, copy, el('pre', { tabIndex: 0 }, el('code', {}, shown)));
}

/** A fold whose content is made when it is opened. */
function fold(head, make, open = false) {
  const body = el('div', { class: 'fold-body' });
  const made = el('details', { class: 'fold' }, el('summary', {}, head), body);
  let drawn = false;
  const draw = async () => {
    if (drawn || !made.open) return;
    drawn = true;
    try { fill(body, await make()); } catch (error) { drawn = false; fill(body, el('p', { class: 'bad' }, error.message)); }
  };
  made.addEventListener('toggle', draw);
  if (open) made.open = true;
  return made;
}

const nameOf = ref => ref.split('/').pop();

/** One line for what a schema takes: "integer, 1 to 50, default 50". */
function kindOf(schema) {
  if (schema === true || schema === undefined || schema === null) return say('docs.any');
  if (schema.$ref) return nameOf(schema.$ref);
  const parts = [];
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : schema.type;
  if (schema.const !== undefined) parts.push(JSON.stringify(schema.const));
  else if (schema.enum) parts.push(schema.enum.map(one => JSON.stringify(one)).join(' | '));
  else if (schema.oneOf || schema.anyOf) parts.push((schema.oneOf || schema.anyOf).map(kindOf).join(' | '));
  else if (type === 'array') parts.push(say('docs.list_of', { what: kindOf(schema.items) }));
  else if (schema.additionalProperties && typeof schema.additionalProperties === 'object')
    parts.push(say('docs.map_of', { what: kindOf(schema.additionalProperties) }));
  else parts.push(type || (schema.properties || schema.allOf ? 'object' : say('docs.any')));
  const bounds = [['minimum', '≥'], ['maximum', '≤'], ['minLength', '≥', say('docs.characters')],
    ['maxLength', '≤', say('docs.characters')], ['minItems', '≥', say('docs.items')], ['maxItems', '≤', say('docs.items')]];
  for (const [name, sign, what = ''] of bounds)
    if (schema[name] !== undefined) parts.push(`${sign} ${schema[name]} ${what}`.trim());
  if (schema.pattern) parts.push(schema.pattern);
  if (schema.default !== undefined) parts.push(say('docs.default', { value: JSON.stringify(schema.default) }));
  return parts.join(', ');
}

/** What can be opened of a schema: its properties, its items, what it is one of. */
function partsOf(schema) {
  if (!schema || typeof schema !== 'object') return [];
  const inner = schema.items || (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : null);
  return [
    ...Object.entries(schema.properties || {}).map(([name, of]) => ({ name, of, required: (schema.required || []).includes(name) })),
    ...(schema.allOf || schema.oneOf || schema.anyOf || []).filter(one => one.type !== 'null').map(of => ({ name: null, of })),
    ...(inner ? [{ name: say('docs.each'), of: inner }] : []),
  ];
}

/** A schema as a tree that opens step by step; references are fetched as they are opened. */
function schemaTree(schema, ask, depth = 0) {
  const parts = schema.$ref ? [{ name: null, of: schema }] : partsOf(schema);
  if (!parts.length) return el('p', { class: 'small' }, el('code', {}, kindOf(schema)));
  return el('ul', { class: 'schema' }, parts.map(({ name, of, required }) => {
    const line = [
      name && el('code', { class: 'property' }, name), name && ' ', el('span', { class: 'kind' }, kindOf(of)),
      required && el('span', { class: 'tag' }, say('docs.required')),
    ];
    const words = of.description && el('p', { class: 'small soft' }, marked(of.description));
    const deep = of.$ref || of.items?.$ref || partsOf(of).length;
    if (!deep || depth > 12) return el('li', {}, el('div', { class: 'schema-line' }, line), words);
    const open = async () => {
      const target = of.$ref ? await ask('schema', { name: nameOf(of.$ref) }) : of;
      return [of.$ref && target.description && el('p', { class: 'small soft' }, marked(target.description)), schemaTree(target, ask, depth + 1)];
    };
    return el('li', {}, fold(line, open, depth === 0 && parts.length === 1), words);
  }));
}

/** The examples of a body; several by name. */
const examples = list => list.map(({ name, summary, value }, at) =>
  fold([say('docs.example'), list.length > 1 || summary ? `: ${summary || name}` : ''], () => code(pretty(value)), at === 0 && list.length === 1));

function bodies(list, ask) {
  return list.map(({ type, schema, items, examples: shown }) => el('div', { class: 'body' },
    el('p', { class: 'small soft' }, el('code', {}, type)),
    schema && fold(say('docs.form'), () => schemaTree(schema, ask)),
    items && fold(say('docs.each_line'), () => schemaTree(items, ask)),
    examples(shown)));
}

const whoMay = ({ open, roles }) =>
  (roles ? say('docs.roles', { roles: roles.join(', ') }) : open ? say('docs.anyone') : say('docs.any_token'));

/** Whether a person may send this from here: what only reads, and what players do. */
const canTry = ({ method, roles }) =>
  method === 'get' || method === 'head' || !roles || roles.some(role => /^(player|auditor)/.test(role));

/** A field for a parameter, filled with what is likely. */
function fieldFor({ name, in: place, required, schema }, defaults) {
  const likely = place === 'path' ? defaults[name] ?? '' : '';
  const placeholder = schema?.default !== undefined ? String(schema.default) : '';
  const input = schema?.type === 'boolean'
    ? el('select', {}, el('option', { value: '' }, ''), el('option', {}, 'true'), el('option', {}, 'false'))
    : el('input', { type: 'text', value: likely, placeholder, autocapitalize: 'off', autocomplete: 'off', spellcheck: false, required });
  return { name, place, input, element: el('label', { class: 'field' }, el('span', {}, name, required ? ' *' : '', el('span', { class: 'soft small' }, ` ${place}`)), input) };
}

/** The form that sends a call, and what comes back. */
function tryIt(operation, defaults, stops) {
  const { method, path, parameters, request, responses } = operation;
  const fields = parameters.filter(({ name }) => name !== 'Fairshoe-Signature').map(one => fieldFor(one, defaults));
  const example = request?.bodies[0]?.examples[0]?.value;
  const body = request && el('textarea', { class: 'mono', rows: 6, spellcheck: false, 'aria-label': say('docs.body') }, example === undefined ? '{}' : pretty(example));
  const answer = el('div', { class: 'answer', 'aria-live': 'polite' });
  const types = responses.filter(({ status }) => status.startsWith('2')).flatMap(({ bodies: list }) => list.map(({ type }) => type));
  const who = el('p', { class: 'small soft' });
  const tell = () => { who.textContent = session.player ? say('docs.as', { player: session.player }) : say('docs.as_nobody'); };
  tell();
  stops.push(session.onChange(tell));

  const target = () => {
    let to = path;
    const query = new URLSearchParams(), headers = {};
    for (const { name, place, input } of fields) {
      const value = input.value.trim();
      if (place === 'path') {
        if (!value) throw new Error(say('docs.needed', { name }));
        to = to.replace(`{${name}}`, encodeURIComponent(value).replace(/%3A/gi, ':').replace(/%2F/gi, '/'));
      } else if (value && place === 'query') query.set(name, value);
      else if (value && place === 'header') headers[name] = value;
    }
    return { to: query.size ? `${to}?${query}` : to, headers };
  };

  const show = (status, kind, text, ms) => fill(answer,
    el('p', {}, el('strong', { class: kind }, status), ' ', el('span', { class: 'soft small' }, ms === null ? '' : say('docs.took', { ms }))),
    text !== '' && code(text));

  function stream(to, last) {
    const lines = [];
    const stop = follow(to, {
      last,
      onEvent: ({ id, event, data }) => {
        lines.push(`id: ${id}\nevent: ${event}\ndata: ${data}\n`);
        show(say('docs.streaming'), 'good', lines.slice(-MOST_EVENTS).join('\n'), null);
        if (lines.length >= MOST_EVENTS) stop();
      },
      onState: (state, problem) => {
        if (state === 'open' && !lines.length) show(say('docs.streaming'), 'good', '', null);
        if (state === 'ended') show(`${problem.status} ${problem.code}`, 'bad', problem.detail, null);
      },
    });
    stops.push(stop);
  }

  async function send(event) {
    event.preventDefault();
    const begun = performance.now(), since = () => Math.round(performance.now() - begun);
    try {
      const { to, headers } = target();
      if (types.includes('text/event-stream')) return stream(to, headers['Last-Event-ID'] ?? null);
      const isBytes = types.some(type => type === 'application/octet-stream');
      const options = { tries: 1, as: isBytes ? 'bytes' : 'text', extra: headers };
      let reply;
      if (method === 'get' || method === 'head') reply = await get(to, options);
      else if (method === 'delete') reply = await remove(to, { ...options, body: body ? JSON.parse(body.value) : undefined });
      else reply = await post(to, body ? JSON.parse(body.value) : undefined, options);
      if (isBytes) reply = say('docs.bytes', { n: reply.length }) + '\n' + [...reply.slice(0, 256)].map(one => one.toString(16).padStart(2, '0')).join(' ');
      let text = reply;
      try { text = pretty(JSON.parse(reply)); } catch { /* no JSON: as it is */ }
      return show(say('docs.fine'), 'good', text, since());
    } catch (error) {
      if (error instanceof Problem) return show(`${error.status || ''} ${error.code}`.trim(), 'bad', error.detail, since());
      return show(say('docs.not_sent'), 'bad', error.message, null);
    }
  }

  return el('form', { class: 'try', on: { submit: send } },
    fields.length > 0 && el('div', { class: 'fields' }, fields.map(({ element }) => element)),
    body && el('label', { class: 'field' }, say('docs.body'), body), who,
    el('div', { class: 'row' }, el('button', { class: 'button' }, badge(method), say('docs.send')),
      el('span', { class: 'small soft' }, method === 'get' || method === 'head' ? '' : say('docs.binds'))),
    answer);
}

function drawOperation(operation, ask, defaults, stops) {
  const { method, path, summary, description, parameters, request, responses } = operation;
  const errors = responses.filter(({ status }) => !status.startsWith('2')), good = responses.filter(({ status }) => status.startsWith('2'));
  const answer = ({ status, description: what, headers, bodies: list, codes }) => el('div', { class: 'response' },
    el('h3', {}, el('span', { class: `tag ${status.startsWith('2') ? 'good' : 'warn'}` }, status), ' ', codes.map(one => [el('code', {}, one), ' '])),
    el('p', {}, marked(what || '')), headers.length > 0 && el('p', { class: 'small soft' }, say('docs.headers'), ' ', headers.map(one => [el('code', {}, one), ' '])), bodies(list, ask));
  return [
    el('h2', { tabIndex: -1 }, summary),
    el('p', { class: 'address' }, badge(method), ' ', el('code', {}, path)),
    el('p', { class: 'small soft' }, whoMay(operation)),
    paragraphs(description),
    canTry(operation)
      ? fold(el('strong', {}, say('docs.try')), () => tryIt(operation, defaults, stops))
      : el('p', { class: 'notice small' }, say('docs.operators')),
    parameters.length > 0 && [el('h3', {}, say('docs.parameters')), el('dl', { class: 'parameters' }, parameters.map(one => [
      el('dt', {}, el('code', {}, one.name), ' ', el('span', { class: 'soft small' }, one.in, one.required ? `, ${say('docs.required')}` : '')),
      el('dd', {}, one.description && el('p', {}, marked(one.description)), el('p', { class: 'small' }, el('code', {}, kindOf(one.schema)))),
    ]))],
    request && [el('h3', {}, say('docs.request')), request.description && el('p', {}, marked(request.description)), bodies(request.bodies, ask)],
    el('h3', {}, say('docs.answers')), good.map(answer),
    errors.length > 0 && fold(say('docs.errors', { n: errors.length }), () => errors.map(answer)),
  ];
}

/** The room: see main.js. */
export async function open(root, { query }, app) {
  app.title(say('docs.title'));
  const contract = reader(), stops = [];
  const list = el('nav', { class: 'calls', 'aria-label': say('docs.calls') });
  const pane = el('section', { class: 'call', 'aria-live': 'off' });
  const found = el('p', { class: 'small soft', role: 'status' });
  const search = el('input', { type: 'search', placeholder: say('docs.search'), 'aria-label': say('docs.search'), spellcheck: false });
  const frame = el('div', { class: 'docs', dataset: { shows: 'list' } }, el('div', { class: 'docs-side' }, search, found, list), pane);
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
  get('/v1/tables?limit=1', { tries: 1 }).then(({ tables: [table] }) => {
    if (table) Object.assign(defaults, { table: table.table, id: `${table.table}:0` });
  }).catch(() => { /* the fields stay empty */ });

  const stopAll = () => { while (stops.length) stops.pop()(); };
  const intro = () => {
    stopAll();
    frame.dataset.shows = 'list';
    fill(pane,
      el('h1', {}, say('docs.title')), el('p', { class: 'soft' }, `${about.title} ${about.version} · ${about.summary}`),
      el('p', {}, el('a', { href: CONTRACT, download: 'openapi.yaml' }, say('docs.download'))),
      el('p', { class: 'notice small' }, say('docs.english')),
      paragraphs(about.description),
      about.tags.map(({ name, description }) => fold(el('strong', {}, name), () => paragraphs(description || '—'))),
      fold(say('docs.schemas', { n: about.schemas.length }), () => el('ul', { class: 'schema' }, about.schemas.map(name =>
        el('li', {}, fold(el('code', {}, name), async () => schemaTree(await contract.ask('schema', { name }), contract.ask)))))));
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
    back.addEventListener('click', () => { frame.dataset.shows = 'list'; links.get(id)?.focus(); });
    fill(pane, back, drawOperation(operation, contract.ask, defaults, stops));
    if (isStep) {
      pane.querySelector('h2').focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    return undefined;
  };

  const draw = only => {
    links.clear();
    const shown = about.operations.filter(({ id }) => !only || only.has(id));
    fill(list, about.tags.map(({ name }) => {
      const own = shown.filter(({ tag }) => tag === name);
      if (!own.length) return null;
      return el('details', { open: !!only || own.length < 16 }, el('summary', {}, name, ' ', el('span', { class: 'soft small' }, String(own.length))),
        el('ul', {}, own.map(({ id, method, path, summary }) => {
          const link = el('a', { href: `/docs?call=${id}` }, badge(method), el('span', { class: 'what' }, el('span', {}, summary), el('code', {}, path)));
          link.addEventListener('click', event => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            show(id);
          });
          links.set(id, link);
          return el('li', {}, link);
        })));
    }));
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
  return () => { clearTimeout(timer); stopAll(); contract.stop(); };
}

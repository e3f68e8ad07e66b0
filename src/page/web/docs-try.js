// A call sent from the contract's page, with the token of the player who is signed in, and its answer.

import { el, fill } from './dom.js';
import { say } from './words.js';
import { rawEvents, tryOnce } from './api.js';
import { session } from './session.js';
import { badge, code, pretty } from './docs-form.js';

const MOST_EVENTS = 20;

/** A field for a parameter, filled with a likely value. */
function fieldFor({ name, in: place, required, schema }, defaults) {
  const likely = place === 'path' ? (defaults[name] ?? '') : '';
  const placeholder = schema?.default !== undefined ? String(schema.default) : '';
  const input =
    schema?.type === 'boolean'
      ? el('select', {}, el('option', { value: '' }, ''), el('option', {}, 'true'), el('option', {}, 'false'))
      : el('input', {
          type: 'text',
          value: likely,
          placeholder,
          autocapitalize: 'off',
          autocomplete: 'off',
          spellcheck: false,
          required,
        });
  return {
    name,
    place,
    input,
    element: el(
      'label',
      { class: 'field' },
      el('span', {}, name, required ? ' *' : '', el('span', { class: 'soft small' }, ` ${place}`)),
      input,
    ),
  };
}

const bytesInWords = bytes =>
  say('docs.bytes', { n: bytes.length }) +
  '\n' +
  [...bytes.slice(0, 256)].map(one => one.toString(16).padStart(2, '0')).join(' ');

/** The form that sends a call, and its answer. */
export function tryIt(operation, defaults, stops) {
  const { method, path, parameters, request, responses } = operation;
  const fields = parameters.filter(({ name }) => name !== 'Fairshoe-Signature').map(one => fieldFor(one, defaults));
  const example = request?.bodies[0]?.examples[0]?.value;
  const body =
    request &&
    el(
      'textarea',
      { class: 'mono', rows: 10, spellcheck: false, 'aria-label': say('docs.body') },
      example === undefined ? '{}' : pretty(example),
    );
  const answer = el('div', { class: 'answer', 'aria-live': 'polite' });
  const types = responses
    .filter(({ status }) => status.startsWith('2'))
    .flatMap(({ bodies: list }) => list.map(({ type }) => type));
  const who = el('p', { class: 'small soft' });
  const tell = () => {
    who.textContent = session.player ? say('docs.as', { player: session.player }) : say('docs.as_nobody');
  };
  tell();
  stops.push(session.onChange(tell));

  const target = () => {
    let to = path;
    const query = new URLSearchParams(),
      headers = {};
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

  const show = (status, kind, text, ms) =>
    fill(
      answer,
      el(
        'p',
        {},
        el('strong', { class: kind }, status),
        ' ',
        el('span', { class: 'soft small' }, ms === null ? '' : say('docs.took', { ms })),
      ),
      text !== '' && code(text),
    );

  async function stream(to, headers) {
    const lines = [],
      stopping = new AbortController(),
      { signal } = stopping;
    stops.push(() => stopping.abort());
    try {
      const response = await tryOnce('GET', to, { headers: { Accept: 'text/event-stream', ...headers }, signal });
      show(say('docs.streaming'), 'good', '', null);
      for await (const { id, event, data } of rawEvents(response)) {
        lines.push(`id: ${id}\nevent: ${event}\ndata: ${data.join('\n')}\n`);
        show(say('docs.streaming'), 'good', lines.join('\n'), null);
        if (lines.length >= MOST_EVENTS) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async function send(event) {
    event.preventDefault();
    const begun = performance.now(),
      since = () => Math.round(performance.now() - begun);
    try {
      const { to, headers } = target();
      if (types.includes('text/event-stream')) return await stream(to, headers);
      const isBytes = types.some(type => type === 'application/octet-stream');
      // Serialised again, so that a body that is not JSON is not sent.
      const given = body ? JSON.stringify(JSON.parse(body.value)) : method === 'post' ? '{}' : undefined;
      const response = await tryOnce(method.toUpperCase(), to, { headers, body: given });
      const reply = isBytes ? bytesInWords(new Uint8Array(await response.arrayBuffer())) : await response.text();
      let text = reply;
      try {
        text = pretty(JSON.parse(reply));
      } catch {
        /* no JSON: as it is */
      }
      return show(say('docs.fine'), 'good', text, since());
    } catch (error) {
      if (error.name === 'ProblemError')
        return show(`${error.status || ''} ${error.code}`.trim(), 'bad', error.detail, since());
      return show(say('docs.not_sent'), 'bad', error.message, null);
    }
  }

  return el(
    'form',
    { class: 'try', on: { submit: send } },
    fields.length > 0 &&
      el(
        'div',
        { class: 'fields' },
        fields.map(({ element }) => element),
      ),
    body && el('label', { class: 'field' }, say('docs.body'), body),
    who,
    el(
      'div',
      { class: 'row' },
      el('button', { class: 'button' }, badge(method), say('docs.send')),
      el('span', { class: 'small soft' }, method === 'get' || method === 'head' ? '' : say('docs.binds')),
    ),
    answer,
  );
}

// The contract's parts as elements: marked text, code to copy, folds, schemas that open step by step.

import { el, fill } from './dom.js';
import { say } from './words.js';
import { coded, RULE } from './trouble.js';

const MOST_SHOWN = 60000;

const RULES = new RegExp(`(${RULE.source})`);

/** `**bold**`, `*stressed*` and `` `code` `` of a line of the contract or of a page, as elements. */
export function marked(text) {
  return text.split(/(\*\*[^*]+\*\*|(?<![\w*])\*[^*\s][^*]*\*(?!\w)|`[^`]+`)/).map(part => {
    if (/^\*\*.+\*\*$/.test(part)) return el('strong', {}, marked(part.slice(2, -2)));
    if (/^\*[^*]+\*$/.test(part)) return el('em', {}, marked(part.slice(1, -1)));
    if (/^`.+`$/.test(part)) return el('code', {}, part.slice(1, -1));
    return coded(part, RULES);
  });
}

export const paragraphs = text =>
  text
    .trim()
    .split(/\n\s*\n/)
    .filter(Boolean)
    .map(one => el('p', {}, marked(one.replace(/\n/g, ' '))));
export const badge = method =>
  el('span', { class: `method ${method}` }, method === 'delete' ? 'DEL' : method.toUpperCase());
export const pretty = value => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

export function code(text) {
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n…` : text;
  const copy = el('button', { class: 'quiet copy', type: 'button' }, say('docs.copy'));
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = say('docs.copied');
  });
  return el('div', { class: 'code-box' }, copy, el('pre', { tabIndex: 0 }, el('code', {}, shown)));
}

/** A fold whose content is made when it is opened. */
export function fold(head, make, open = false) {
  const body = el('div', { class: 'fold-body' });
  const made = el('details', { class: 'fold' }, el('summary', {}, head), body);
  let drawn = false;
  const draw = async () => {
    if (drawn || !made.open) return;
    drawn = true;
    try {
      fill(body, await make());
    } catch (error) {
      drawn = false;
      fill(body, el('p', { class: 'bad' }, error.message));
    }
  };
  made.addEventListener('toggle', draw);
  if (open) made.open = true;
  return made;
}

const nameOf = ref => ref.split('/').pop();

/** One line about a schema's values: "integer, 1 to 50, default 50". */
export function kindOf(schema) {
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
  const bounds = [
    ['minimum', '≥'],
    ['maximum', '≤'],
    ['minLength', '≥', say('docs.characters')],
    ['maxLength', '≤', say('docs.characters')],
    ['minItems', '≥', say('docs.items')],
    ['maxItems', '≤', say('docs.items')],
  ];
  for (const [name, sign, what = ''] of bounds)
    if (schema[name] !== undefined) parts.push(`${sign} ${schema[name]} ${what}`.trim());
  if (schema.pattern) parts.push(schema.pattern);
  if (schema.default !== undefined) parts.push(say('docs.default', { value: JSON.stringify(schema.default) }));
  return parts.join(', ');
}

/** The parts of a schema that can be opened: its properties, its items, its alternatives. */
function partsOf(schema) {
  if (!schema || typeof schema !== 'object') return [];
  const inner =
    schema.items || (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : null);
  return [
    ...Object.entries(schema.properties || {}).map(([name, of]) => ({
      name,
      of,
      required: (schema.required || []).includes(name),
    })),
    ...(schema.allOf || schema.oneOf || schema.anyOf || [])
      .filter(one => one.type !== 'null')
      .map(of => ({ name: null, of })),
    ...(inner ? [{ name: say('docs.each'), of: inner }] : []),
  ];
}

/** A schema as a tree that opens step by step; references are fetched as they are opened. */
export function schemaTree(schema, ask, depth = 0) {
  const parts = schema.$ref ? [{ name: null, of: schema }] : partsOf(schema);
  if (!parts.length) return el('p', { class: 'small' }, el('code', {}, kindOf(schema)));
  return el(
    'ul',
    { class: 'schema' },
    parts.map(({ name, of, required }) => {
      const line = [
        name && el('code', { class: 'property' }, name),
        name && ' ',
        el('span', { class: 'kind' }, kindOf(of)),
        required && [' ', el('span', { class: 'tag' }, say('docs.required'))],
      ];
      const words = of.description && el('p', { class: 'small soft' }, marked(of.description));
      const deep = of.$ref || of.items?.$ref || partsOf(of).length;
      if (!deep || depth > 12) return el('li', {}, el('div', { class: 'schema-line' }, line), words);
      const open = async () => {
        const target = of.$ref ? await ask('schema', { name: nameOf(of.$ref) }) : of;
        return [
          of.$ref && target.description && el('p', { class: 'small soft' }, marked(target.description)),
          schemaTree(target, ask, depth + 1),
        ];
      };
      return el('li', {}, fold(line, open, depth === 0 && parts.length === 1), words);
    }),
  );
}

/** The examples of a body; several by name. */
const examples = list =>
  list.map(({ name, summary, value }, at) =>
    fold(
      [say('docs.example'), list.length > 1 || summary ? `: ${summary || name}` : ''],
      () => code(pretty(value)),
      at === 0 && list.length === 1,
    ),
  );

export function bodies(list, ask) {
  return list.map(({ type, schema, items, examples: shown }) =>
    el(
      'div',
      { class: 'body' },
      el('p', { class: 'small soft' }, el('code', {}, type)),
      schema && fold(say('docs.form'), () => schemaTree(schema, ask)),
      items &&
        fold(say(type === 'text/event-stream' ? 'docs.each_event' : 'docs.each_line'), () => schemaTree(items, ask)),
      examples(shown),
    ),
  );
}

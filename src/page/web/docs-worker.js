// Reads the contract in a worker: 800 KB of YAML would block the thread that scrolls.

import { readYaml } from './yaml.js';

const METHODS = ['get', 'post', 'put', 'delete', 'head'];
let contract = null;

/** The target of `$ref`, followed to its end. */
function follow(value, most = 20) {
  let at = value;
  for (let hops = 0; at && typeof at === 'object' && at.$ref && hops < most; hops++)
    at = at.$ref
      .replace('#/', '')
      .split('/')
      .reduce((from, part) => from?.[part.replace(/~1/g, '/').replace(/~0/g, '~')], contract);
  return at;
}

const examplesOf = content =>
  Object.entries(content.examples || {}).map(([name, example]) => {
    const { summary, value } = follow(example) || {};
    return { name, summary: summary || null, value };
  });

const bodiesOf = content =>
  Object.entries(content || {}).map(([type, body]) => ({
    type,
    schema: body.schema ?? null,
    items: body['x-item-schema'] ?? null,
    examples: examplesOf(body),
  }));

function operations() {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    METHODS.filter(method => item[method]).map(method => {
      const { operationId: id, tags, summary, security, 'x-roles': roles = null, deprecated } = item[method];
      return {
        id,
        method,
        path,
        tag: tags[0],
        summary,
        roles,
        deprecated: !!deprecated,
        open: !security || security.some(one => !Object.keys(one).length),
      };
    }),
  );
}

function operation(id) {
  for (const [path, item] of Object.entries(contract.paths)) {
    for (const method of METHODS) {
      const found = item[method];
      if (!found || found.operationId !== id) continue;
      const parameters = [...(item.parameters || []), ...(found.parameters || [])].map(one => follow(one));
      const request = follow(found.requestBody);
      const responses = Object.entries(found.responses).map(([status, given]) => {
        const { description, headers, content, 'x-codes': codes = [] } = follow(given);
        const bodies = bodiesOf(content);
        return {
          status,
          description,
          headers: Object.keys(headers || {}),
          bodies,
          codes,
        };
      });
      const { summary, description = '', tags, security, 'x-roles': roles = null } = found;
      return {
        id,
        method,
        path,
        tag: tags[0],
        summary,
        description,
        roles,
        responses,
        open: !security || security.some(one => !Object.keys(one).length),
        needsToken: !!security?.some(one => one.bearer),
        parameters: parameters.map(({ name, in: place, required, description: what = '', schema }) => ({
          name,
          in: place,
          required: !!required,
          description: what,
          schema,
        })),
        request: request
          ? {
              required: !!request.required,
              description: request.description || '',
              bodies: bodiesOf(request.content),
            }
          : null,
      };
    }
  }
  return null;
}

/** The results of a search: operations that contain all its words. */
function search(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return operations()
    .filter(({ id, method, path, tag, summary }) => {
      const found = contract.paths[path][method];
      const text = [
        id,
        method,
        path,
        tag,
        summary,
        found.description,
        ...(found.parameters || []).map(one => follow(one)?.name || ''),
        ...Object.values(found.responses).flatMap(given => follow(given)?.['x-codes'] || []),
      ]
        .join(' ')
        .toLowerCase();
      return wanted.every(word => text.includes(word));
    })
    .map(({ id }) => id);
}

const CALLS = {
  async read({ address }) {
    const answer = await fetch(address, { credentials: 'omit' });
    if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
    contract = readYaml(await answer.text());
    const { info, tags, components } = contract;
    return {
      title: info.title,
      version: info.version,
      summary: info.summary,
      description: info.description,
      tags: tags.map(({ name, description = '' }) => ({ name, description })),
      operations: operations(),
      schemas: Object.keys(components.schemas),
    };
  },
  operation: ({ id }) => operation(id),
  schema: ({ name }) => contract.components.schemas[name] ?? null,
  search: ({ words }) => search(words),
};

onmessage = async ({ data: { number, name, given } }) => {
  try {
    postMessage({ number, reply: await CALLS[name](given) });
  } catch (error) {
    postMessage({ number, error: error.message || String(error) });
  }
};

// What the contract says of each call: its path, what it may answer, and which examples it names.
'use strict';
const fs = require('fs');
const path = require('path');

const FOLDER = path.join(__dirname, '..');
const WHOLE = path.join(FOLDER, '../../../openapi.yaml');
const FILES = ['service', 'log', 'players', 'transfers', 'wallet', 'tables', 'rounds', 'tournaments', 'records'];

// Examples that several calls name, and in which file they stand.
const SHARED = { bundle: 'rounds', 'act.200.refused': 'rounds' };

const last = reference => reference.$ref.split('/').pop();

class Contract {
  constructor(readYaml) {
    const read = file => readYaml(fs.readFileSync(file, 'utf8')), { paths, components } = read(WHOLE);
    this.errors = read(path.join(FOLDER, 'errors.yaml'));
    this.responses = components.responses;
    this.headers = components.headers;
    /** By the calls' names. */
    this.calls = new Map();
    /** Of each file its examples' names, in the order in which the calls name them. */
    this.files = new Map(FILES.map(name => [name, []]));
    for (const [at, methods] of Object.entries(paths))
      for (const [method, call] of Object.entries(methods))
        this.#add(call.tags[0].toLowerCase(), at, method.toUpperCase(), call);
    for (const [name, file] of Object.entries(SHARED)) this.files.get(file).unshift(name);
  }

  #add(file, at, method, call) {
    const id = call.operationId, answers = {};
    this.#name(file, call.requestBody?.content);
    for (const [status, answer] of Object.entries(call.responses)) {
      const { content = {}, headers = {} } = answer.$ref ? this.responses[last(answer)] : answer;
      // Errors are those of errors.yaml, and their examples in one file.
      if (content['application/problem+json']) continue;
      for (const [name, header] of Object.entries(headers)) if (header.$ref) headers[name] = this.headers[last(header)];
      answers[status] = { content, headers };
      this.#name(file, answer.content);
    }
    const codes = this.errors.calls[id]
      .flatMap(one => this.errors.groups[one] || [typeof one === 'string' ? one : Object.keys(one)[0]]);
    this.calls.set(id, { id, at, method, answers, codes: new Set(codes) });
  }

  #name(file, content) {
    for (const { examples } of Object.values(content || {}))
      for (const name of Object.values(examples || {}).map(last))
        if (!Object.hasOwn(SHARED, name) && !this.files.get(file).includes(name)) this.files.get(file).push(name);
  }

  /** In what a reply is none that the contract has for this call, or null. */
  breach(call, { status, type, headers, body }) {
    if (status >= 400 && type === 'application/problem+json') {
      const { code } = body, known = this.errors.codes[code];
      if (!known) return `answers ${status} ${code}, which is no code of errors.yaml`;
      if (known.status !== status) return `answers ${code} with ${status}, and errors.yaml has it with ${known.status}`;
      const header = { 401: 'www-authenticate', 421: 'retry-after', 429: 'retry-after', 503: 'retry-after' }[status];
      if (header && !headers[header]) return `answers ${code} without ${header}`;
      return call.codes.has(code) ? null : `answers ${code}, which its row of errors.yaml does not have`;
    }
    const answer = call.answers[status];
    if (!answer) return `answers ${status}, which it does not have`;
    for (const [name, { required, schema }] of Object.entries(answer.headers)) {
      const came = headers[name.toLowerCase()];
      if (required && (came === undefined || (schema.const !== undefined && came !== schema.const)))
        return `answers ${status} with ${name}: ${came}`;
    }
    const { content } = answer;
    if (call.method !== 'HEAD' && Object.keys(content).length && !content[type])
      return `answers ${status} as ${type}, and not as ${Object.keys(content).join(' or ')}`;
    return null;
  }

  /** Of each code its words. */
  words(code) {
    return this.errors.codes[code].words;
  }
}

module.exports = { Contract, FOLDER };

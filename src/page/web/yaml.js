// Reads the subset of YAML used by openapi.yaml: block and flow mappings and lists, plain, quoted and block scalars.
// Anchors, tags, several documents and keys that are no text are refused, so they are never misread.

const KEY = /^('(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^\s'"[\]{}#&*!|>%@`,?-][^#]*?|[-?:][^\s#][^#]*?)\s*:(?=\s|$)/;
const DEEPEST = 100;
const ESCAPES = { n: '\n', t: '\t', r: '\r', 0: '\0', '"': '"', '\\': '\\', '/': '/', e: '\x1b', a: '\x07', b: '\b' };

/** Lines broken for their length become one: a break is a space, an empty line a break. */
const fold = text =>
  text.replace(/[ \t]*\n[ \t\n]*/g, breaks => {
    const count = breaks.split('\n').length - 1;
    return count === 1 ? ' ' : '\n'.repeat(count - 1);
  });

function plain(text) {
  if (text === '' || text === 'null' || text === '~') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text) && Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER)
    return Number(text);
  return text;
}

function unquote(text) {
  if (text[0] === "'") return fold(text.slice(1, -1)).replace(/''/g, "'");
  return fold(text.slice(1, -1).replace(/\\\n[ \t]*/g, '')).replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))/g,
    (whole, two, four, one) =>
      one === undefined ? String.fromCharCode(parseInt(two || four, 16)) : (ESCAPES[one] ?? whole),
  );
}

class Reader {
  constructor(text) {
    this.lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
    this.at = 0;
  }

  fail(why) {
    throw new SyntaxError(`line ${this.at + 1}: ${why}`);
  }

  /** The indentation of the next non-empty line; -1 at the end. */
  next() {
    while (this.at < this.lines.length && /^\s*(#|$)/.test(this.lines[this.at])) this.at++;
    return this.at < this.lines.length ? this.lines[this.at].search(/\S/) : -1;
  }

  /** The value indented by at least `least`, or null if there is none. */
  block(least, depth) {
    if (depth > DEEPEST) this.fail('this is nested too deep');
    const indent = this.next();
    if (indent < least) return null;
    const text = this.lines[this.at].slice(indent);
    if (/^-(\s|$)/.test(text)) return this.list(indent, depth);
    if (KEY.test(text)) return this.mapping(indent, depth);
    this.at++;
    return this.inline(text, least - 1, depth);
  }

  list(indent, depth) {
    const made = [];
    while (this.next() === indent && /^-(\s|$)/.test(this.lines[this.at].slice(indent))) {
      const rest = this.lines[this.at].slice(indent + 1),
        inner = rest.search(/\S/);
      if (inner < 0) {
        this.at++;
        made.push(this.block(indent + 1, depth + 1));
      } else if (/^[|>]/.test(rest.slice(inner))) {
        this.at++;
        made.push(this.literal(rest.slice(inner), indent));
      } else {
        // The item is read as its own block, indented to its first character.
        this.lines[this.at] = ' '.repeat(indent + 1) + rest;
        made.push(this.block(indent + 1, depth + 1));
      }
    }
    return made;
  }

  mapping(indent, depth) {
    const made = {};
    while (this.next() === indent) {
      const text = this.lines[this.at].slice(indent),
        found = KEY.exec(text);
      if (!found) break;
      const key = /^['"]/.test(found[1]) ? unquote(found[1]) : found[1];
      if (Object.hasOwn(made, key)) this.fail(`${key} stands twice`);
      const value = this.value(text.slice(found[0].length).trim(), indent, depth + 1);
      Object.defineProperty(made, key, { value, enumerable: true, writable: true, configurable: true });
    }
    return made;
  }

  /** The value after a key. */
  value(rest, indent, depth) {
    this.at++;
    if (/^[|>]/.test(rest)) return this.literal(rest, indent);
    if (rest !== '' && rest[0] !== '#') return this.inline(rest, indent, depth);
    const below = this.next();
    const isList = below === indent && /^-(\s|$)/.test(this.lines[this.at].slice(below));
    return isList ? this.list(indent, depth) : this.block(indent + 1, depth);
  }

  literal(head, indent) {
    const [, style, keep] = /^([|>])([+-]?)\s*(?:#.*)?$/.exec(head) || this.fail('a block scalar of an unknown form');
    const taken = [];
    let inner = -1;
    for (; this.at < this.lines.length; this.at++) {
      const line = this.lines[this.at],
        own = line.search(/\S/);
      if (own >= 0 && own <= indent) break;
      if (inner < 0 && own >= 0) inner = own;
      taken.push(line.slice(Math.max(inner, 0)));
    }
    while (taken.length && keep !== '+' && taken[taken.length - 1].trim() === '') taken.pop();
    const text = style === '|' ? taken.join('\n') : fold(taken.join('\n'));
    return keep === '-' || !taken.length ? text : `${text}\n`;
  }

  /** A scalar or flow collection that begins with `text` and may continue below, indented by more than `indent`. */
  inline(text, indent, depth) {
    if (/^[&*!]/.test(text)) this.fail('anchors, aliases and tags are not read');
    const more = () => {
      if (this.at >= this.lines.length) return null;
      const line = this.lines[this.at],
        own = line.search(/\S/);
      if (own >= 0 && own <= indent) return null;
      this.at++;
      return `\n${line.trim()}`;
    };
    if (/^[{['"]/.test(text)) {
      const flow = new Flow(text, more, why => this.fail(why)),
        value = flow.value(depth);
      if (!/^\s*(#.*)?$/.test(flow.text.slice(flow.at))) this.fail('something stands behind a value');
      return value;
    }
    let whole = text.replace(/\s+#.*$/, '').trim();
    for (let next = more(); next !== null; next = more()) whole += next.replace(/\s+#.*$/, '');
    return plain(fold(whole).trim());
  }
}

class Flow {
  constructor(text, more, fail) {
    Object.assign(this, { text, more, fail, at: 0 });
  }

  /** The character here; at the end of the text more is fetched. */
  peek() {
    while (this.at >= this.text.length) {
      const next = this.more();
      if (next === null) this.fail('a value has no end');
      this.text += next;
    }
    return this.text[this.at];
  }

  skip() {
    while (/\s/.test(this.peek())) this.at++;
  }

  value(depth) {
    if (depth > DEEPEST) this.fail('this is nested too deep');
    const first = this.peek();
    if (first === '{') return this.collection('}', {}, depth);
    if (first === '[') return this.collection(']', [], depth);
    if (first === "'" || first === '"') return this.quoted(first);
    const start = this.at;
    for (; !/[,\]}]/.test(this.peek()); this.at++)
      if (this.text[this.at] === ':' && /[\s,\]}]/.test(this.after())) break;
    return plain(fold(this.text.slice(start, this.at)).trim());
  }

  after() {
    this.at++;
    const next = this.peek();
    this.at--;
    return next;
  }

  quoted(mark) {
    const start = this.at++;
    for (;;) {
      const here = this.peek();
      if (here === '\\' && mark === '"') {
        this.at += 2;
        continue;
      }
      this.at++;
      if (here !== mark) continue;
      if (mark === "'" && this.text[this.at] === "'") {
        this.at++;
        continue;
      }
      return unquote(this.text.slice(start, this.at));
    }
  }

  collection(end, made, depth) {
    this.at++;
    for (;;) {
      this.skip();
      if (this.peek() === end) {
        this.at++;
        return made;
      }
      const item = this.value(depth + 1);
      if (end === ']') made.push(item);
      else {
        this.skip();
        if (this.peek() !== ':') this.fail('a key without a value');
        this.at++;
        this.skip();
        const value = this.value(depth + 1);
        Object.defineProperty(made, String(item), { value, enumerable: true, writable: true, configurable: true });
      }
      this.skip();
      if (this.peek() === ',') this.at++;
      else if (this.peek() !== end) this.fail(`${end} or a comma is missing`);
    }
  }
}

/** The value of a YAML text; throws `SyntaxError` with the line if it cannot be read. */
export function readYaml(text) {
  const reader = new Reader(text),
    value = reader.block(0, 0);
  if (reader.next() >= 0) reader.fail('this fits nowhere');
  return value;
}

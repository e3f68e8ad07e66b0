// Reads the notation of spec/words.md, in which the parts of schemas/ are written too, and makes JSON Schema of it.
// Only the parts use these:
//   `int64`           an integer without bounds          `'word'`, `1`   this text, this number alone
//   `(word)`          a single word of an enumeration    `F = false`     what holds where it is left out
//   `F | null`        a form, or null                    `F or null`     the same, of a simple type, as one `type`
//   `...`             a line, or behind the last field: the object may have more fields
//   `yaml`            the lines below are the schema, where no notation has it
//   `// text`         a comment that openapi.yaml does not have
'use strict';

class Mistake extends Error {}

let readYaml = () => {
  throw new Mistake('no reader of YAML was given');
};
/** The reader of YAML, for what stands below `yaml`. */
const use = reader => {
  readYaml = reader;
};

const PLAIN = { boolean: { type: 'boolean' }, int64: { type: 'integer', format: 'int64' }, null: { type: 'null' } };
const WIDTHS = { u8: 255n, u16: 65535n, u32: 4294967295n };
const count = text => (text ? Number(text) : null);
const pascal = word => word.replace(/(^|_)([a-z0-9])/g, (whole, low, letter) => letter.toUpperCase());

/** Reads one form in one line. */
class Reader {
  constructor(text) {
    Object.assign(this, { text, at: 0 });
  }

  fail(why) {
    throw new Mistake(`${why}, at \`${this.text.slice(this.at, this.at + 40)}\` of \`${this.text}\``);
  }

  eat(pattern) {
    const found = pattern.exec(this.text.slice(this.at));
    if (found) this.at += found[0].length;
    return found;
  }

  need(pattern) {
    return this.eat(pattern) || this.fail(`${pattern} is missing`);
  }

  form(single = false) {
    const list = [this.item()];
    while (this.eat(/^ \| /)) list.push(this.item());
    let form = list.length === 1 ? list[0] : { union: list };
    if (form.words?.length === 1 && !single && !form.bracketed) this.fail('no form, or a word without brackets');
    if (list.length > 1 && list.every(one => one.words)) form = { words: list.flatMap(one => one.words) };
    if (this.eat(/^ or null\b/)) form = { nullable: form };
    const preset = this.eat(/^ = (\w+)/);
    return preset ? { ...form, preset: JSON.parse(preset[1]) } : form;
  }

  item() {
    let form = this.atom(), found;
    while ((found = this.eat(/^\[(?:(\d+)|(\d*)\.\.(\d*))?\]/))) {
      const [, exact, least = exact, most = exact] = found;
      form = { list: form, least: count(least), most: count(most) };
    }
    return form;
  }

  range() {
    const found = this.eat(/^ ?(-?\d+)?\.\.(-?\d+)?/);
    return found && found.slice(1, 3).map(end => (end === undefined ? null : BigInt(end)));
  }

  atom() {
    let found;
    if (this.eat(/^\{/)) return this.fields();
    if (this.eat(/^\(/)) {
      const form = this.form(true);
      this.need(/^\)/);
      return { ...form, bracketed: true };
    }
    if (this.eat(/^</)) {
      const tuple = [this.form()];
      while (this.eat(/^, */)) tuple.push(this.form());
      this.need(/^ of /);
      const any = this.form();
      this.need(/^>/);
      return { tuple, any };
    }
    if ((found = this.eat(/^(u8|u16|u32)\b/))) return this.wide(WIDTHS[found[1]]);
    if ((found = this.eat(/^'([^']*)'/))) return { constant: found[1] };
    if ((found = this.range())) return { range: found };
    if ((found = this.eat(/^\d+:\d+/))) return { words: [found[0]] };
    if ((found = this.eat(/^\d+/))) return { constant: Number(found[0]) };
    if (this.eat(/^string\b/)) return { text: this.range() || [null, null], pattern: this.pattern() };
    if ((found = this.eat(/^[A-Z]\w*/))) return { name: found[0] };
    found = this.need(/^[a-z0-9_]+/);
    return Object.hasOwn(PLAIN, found[0]) ? { plain: found[0] } : { words: [found[0]] };
  }

  /** A number of so many bytes, perhaps within bounds. */
  wide(width) {
    return { range: this.range() || [0n, width], width };
  }

  pattern() {
    let found = this.eat(/^ `([^`]*)`/), pattern = found && found[1];
    while (found && (found = this.eat(/^ \+ `([^`]*)`/))) pattern += found[1];
    return pattern;
  }

  /** The fields of an object behind its brace. */
  fields() {
    const fields = [];
    let open = false;
    if (this.eat(/^\}/)) return { fields, open };
    do {
      if (this.eat(/^\.\.\./)) open = true;
      else {
        const [, name, optional] = this.need(/^([a-z]\w*)(\?)?: /);
        fields.push({ name, optional: !!optional, form: this.form() });
      }
    } while (this.eat(/^, */));
    this.need(/^\}/);
    return { fields, open };
  }

  whole() {
    const form = this.form();
    return this.at === this.text.length ? form : this.fail('there is more');
  }
}

/** The lines of a part as a tree: each with what is said of it and with the lines that are indented below it. */
function tree(text) {
  const top = { below: [], indent: -1 }, open = [top];
  let said = [], joined = '', raw = null;
  text.split('\n').forEach((line, n) => {
    if (/^\s*(\/\/|$)/.test(line)) return;
    const indent = line.search(/\S/);
    // Below `yaml` a schema stands as it is.
    if (raw && indent > raw.indent) return void (raw.yaml += `${line}\n`);
    raw = null;
    if (!joined && line[indent] === '#') return void said.push(line.slice(indent + 1).trim());
    const found = / # (.*)$/.exec(line);
    const bare = found ? line.slice(0, found.index).trimEnd() : line;
    joined = joined ? `${joined} ${bare.trim()}` : bare;
    // An open brace, or a comma, bar or plus at the end, goes on in the next line.
    if (/[,|{+]$/.test(joined)) return;
    const at = joined.search(/\S/);
    while (open[open.length - 1].indent >= at) open.pop();
    if (found) said.push(found[1]);
    const node = { n: n + 1, indent: at, text: joined.trim(), about: said.join(' '), below: [] };
    open[open.length - 1].below.push(node);
    open.push(node);
    if (/: yaml$/.test(node.text)) raw = Object.assign(node, { yaml: '' });
    said = [];
    joined = '';
  });
  if (joined || said.length) throw new Mistake(`nothing follows \`${joined || said[0]}\``);
  return top.below;
}

const fieldOf = node => {
  const found = /^([a-z]\w*)(\?)?:(?: (.*))?$/.exec(node.text);
  if (!found) throw new Mistake(`line ${node.n}: \`${node.text}\` is no field`);
  return { name: found[1], optional: !!found[2], form: formOf(node, found[3] || '') };
};

/** The form of a line: its text, or the fields below it; `[1..20]` alone is a list of those. */
function formOf(node, text) {
  let form;
  if (node.yaml) form = { yaml: node.yaml };
  else if (node.below.length) {
    const fields = node.below.filter(one => one.text !== '...').map(fieldOf);
    form = { fields, open: fields.length < node.below.length };
    const found = /^\[(\d+)?(?:(\.\.)(\d+)?)?\]$/.exec(text);
    if (found) form = { list: form, least: count(found[1]), most: count(found[2] ? found[3] : found[1]) };
    else if (text) throw new Mistake(`line ${node.n}: \`${text}\` has fields below it`);
  } else form = new Reader(text).whole();
  return node.about ? { ...form, about: node.about } : form;
}

/**
 * What a part declares, in its order: `{name, form}`; `{name, alias}` for a form with a name that makes no schema; of
 * a choice `{name, choice: [{word, name, form}]}`, whose variants are objects of one property, or only their form where
 * they have no word.
 */
function read(text) {
  return tree(text).map(node => {
    const alias = /^([A-Z]\w*) = (.*)$/.exec(node.text);
    if (alias) return { name: alias[1], alias: formOf(node, alias[2]) };
    const found = /^([A-Z]\w*):(?: (.*))?$/.exec(node.text);
    if (!found) throw new Mistake(`line ${node.n}: \`${node.text}\` is no schema`);
    const [, name, rest = ''] = found, choice = /^one of (\w*)\*(\w*)$/.exec(rest);
    if (!choice) return { name, form: formOf(node, rest) };
    const variants = node.below.map(one => {
      const [, own, form] = /^([A-Z]\w*): (.*)$/.exec(one.text) || [];
      if (own) return { name: own, form: formOf(one, form) };
      const [, word, as, inner = ''] = /^([a-z]\w*)(?: as ([A-Z]\w*))?:(?: (.*))?$/.exec(one.text) || [];
      if (!word) throw new Mistake(`line ${one.n}: \`${one.text}\` is no variant`);
      return { word, name: as || `${choice[1]}${pascal(word)}${choice[2]}`, form: formOf(one, inner) };
    });
    return { name, choice: variants, about: node.about };
  });
}

const aliases = new Map();
/** Names that stand for their form and make no schema: those of spec/words.md. */
const rename = declared => declared.forEach(({ name: word, alias }) => alias && aliases.set(word, alias));

const ref = name => ({ $ref: `#/components/schemas/${name}` });
const number = value => (value === null ? undefined : Number.isSafeInteger(Number(value)) ? Number(value) : value);
/** Without what is undefined. */
const known = object => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

function objectOf(fields, open) {
  const needed = fields.filter(field => !field.optional).map(field => field.name);
  return known({
    type: 'object',
    additionalProperties: open ? undefined : false,
    required: needed.length ? needed : undefined,
    properties: fields.length ? Object.fromEntries(fields.map(({ name, form }) => [name, schema(form)])) : undefined,
  });
}

/** A form as JSON Schema. */
function schema(form) {
  const { about, preset } = form, made = known({ ...bare(form), default: preset });
  return about ? (made.$ref ? { ...made, description: about } : { description: about, ...made }) : made;
}

function bare(form) {
  const { name, words, list, range, text, constant, plain, fields, nullable, tuple, yaml } = form;
  const given = value => value ?? undefined;
  if (name) return aliases.has(name) ? schema(aliases.get(name)) : ref(name);
  if (words) return { type: 'string', enum: words };
  if (list)
    return known({ type: 'array', minItems: given(form.least), maxItems: given(form.most), items: schema(list) });
  if (range) {
    const fits = range.every(end => end !== null && end >= -(2n ** 31n) && end < 2n ** 31n);
    const [minimum, maximum] = range.map(number);
    return known({ type: 'integer', format: fits ? undefined : 'int64', minimum, maximum });
  }
  if (text)
    return known({
      type: 'string', minLength: number(text[0]), maxLength: number(text[1]), pattern: given(form.pattern),
    });
  if (constant !== undefined) return { type: typeof constant === 'string' ? 'string' : 'integer', const: constant };
  if (plain) return PLAIN[plain];
  if (fields) return objectOf(fields, form.open);
  if (nullable) {
    const { type, ...more } = schema(nullable);
    return { type: [type, 'null'], ...more };
  }
  if (tuple) {
    const count = tuple.length;
    return { type: 'array', prefixItems: tuple.map(schema), items: schema(form.any), minItems: count, maxItems: count };
  }
  if (yaml) return readYaml(yaml);
  return { oneOf: form.union.map(schema) };
}

/** The schemas of a part by name, in their order. */
function schemas(declared) {
  return declared.flatMap(({ name, form, choice, about, alias }) => {
    if (alias) return [];
    if (!choice) return [[name, schema(form)]];
    const named = known({ description: about || undefined, oneOf: choice.map(one => ref(one.name)) });
    const variants = choice.map(one =>
      [one.name, one.word ? objectOf([{ name: one.word, optional: false, form: one.form }], false) : schema(one.form)]);
    return [[name, named], ...variants];
  });
}

/** The blocks of a page by their names: what stands between ```forms NAME and ```, read. */
const blocks = page =>
  new Map([...page.matchAll(/^```forms (\w+)\n([^]*?)^```$/gm)].map(([, title, text]) => [title, read(text)]));

module.exports = { use, read, rename, schemas, blocks, pascal, Mistake };

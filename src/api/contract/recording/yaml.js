// Writes the YAML of the examples: a value on one line where it fits, long texts broken so that they can be followed.
'use strict';

const WIDTH = 120;

// A text that needs no quotes: it begins with a letter, and nothing in it means anything to YAML.
const PLAIN = /^[A-Za-z](?:[\w .;/+=()-]*[\w./+=()-])?$/;
const WORDS = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

const quoted = text => (PLAIN.test(text) && !WORDS.test(text) ? text : `'${text.replace(/'/g, "''")}'`);
const key = name => (/^[A-Za-z_][\w.]*$/.test(name) && !WORDS.test(name) ? name : quoted(name));

/** A value on one line, or null where it has none: a text with line breaks. */
function flow(value) {
  if (typeof value === 'string') return /[\n\t\\]/.test(value) || /^\s|\s$/.test(value) ? null : quoted(value);
  if (value === null || typeof value !== 'object') return String(value);
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([name, one]) => {
    const text = flow(one);
    return text === null || isList ? text : `${key(name)}: ${text}`;
  });
  if (parts.includes(null)) return null;
  return isList ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}

/** Words as lines of at most WIDTH characters; null where a word is too long for one. */
function fold(text, indent) {
  if (/[\n\t\\]|  /.test(text) || /^\s|\s$/.test(text)) return null;
  const made = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) {
      made.push(line);
      line = word;
    } else line += line === '' ? word : ` ${word}`;
    if (indent + [...line].length > WIDTH) return null;
  }
  return [...made, line];
}

/**
 * A text in double quotes on several lines, each but the last ended by `\`: after a line break, or else before it would
 * be too long: behind a comma or space near its end, or else behind what opens a value, where there is one.
 */
function escaped(text, first, indent) {
  const made = [];
  let line = first;
  const flush = at => {
    made.push(`${line.slice(0, at)}\\`);
    line = ' '.repeat(indent) + line.slice(at);
  };
  for (const piece of text.split(/(?<=\n)/)) {
    if (line.trim() !== '' && line !== first) flush(line.length);
    line += JSON.stringify(piece).slice(1, -1);
    // One character is for the `\`, or for the quote at the end.
    while ([...line].length > WIDTH - 1) {
      let at = WIDTH - 1;
      const near = line.slice(0, at), from = Math.max(indent + 1, at - 40);
      const behind = marks => Math.max(...marks.map(mark => near.lastIndexOf(mark) + 1));
      at = [behind([',', ' ']), behind([':', '{', '['])].find(soft => soft > from) || at;
      // An escape is not torn apart, and a line does not begin with a space, which would be lost.
      while (/(?:^|[^\\])(?:\\\\)*\\$/.test(line.slice(0, at)) || line[at] === ' ') at--;
      flush(at);
    }
  }
  return [...made, `${line}"`];
}

/** The lines of a value behind `head`, which ends in `:` or `-`; what stands below is indented by `indent`. */
function lines(head, value, indent) {
  const text = flow(value), column = [...head].length;
  if (text !== null && column + 1 + [...text].length <= WIDTH) return [`${head} ${text}`];
  const at = ' '.repeat(indent);
  if (typeof value === 'string') {
    const rows = value.split('\n');
    const fits = rows.every(row => indent + [...row].length <= WIDTH && !/^\s|\s$|\t/.test(row));
    if (rows.length > 2 && rows.pop() === '' && rows[rows.length - 1] !== '' && fits)
      return [`${head} |`, ...rows.map(row => (row === '' ? '' : at + row))];
    const folded = fold(value, indent);
    if (folded) return [`${head} >-`, ...folded.map(line => at + line)];
    return escaped(value, `${head} "`, indent);
  }
  return [head, ...below(value, indent)];
}

/** The lines of a mapping or list, indented. */
function below(value, indent) {
  const at = ' '.repeat(indent);
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([name, one]) => lines(`${at}${key(name)}:`, one, indent + 2));
  return value.flatMap(one => {
    const text = flow(one);
    if ((text !== null && indent + 2 + [...text].length <= WIDTH) || one === null || typeof one !== 'object')
      return lines(`${at}-`, one, indent + 2);
    // The first line of what is in the item stands behind its dash.
    const inner = below(one, indent + 2);
    return [`${at}- ${inner[0].slice(indent + 2)}`, ...inner.slice(1)];
  });
}

/** The text of a file of examples: `about` as its comment, then each example; `apart`: always on lines of its own. */
function write(about, examples, apart = false) {
  const one = ([name, example]) => {
    if (!apart) return lines(`${key(name)}:`, example, 2);
    const { summary, value } = example;
    return [`${name}:`, ...lines('  summary:', summary, 4), '  value:', ...below(value, 4)];
  };
  return `${[`# ${about}`, ...Object.entries(examples).flatMap(one)].join('\n')}\n`;
}

module.exports = { write };

// The places where the second verifier can refuse, and which of them a program of these tests makes refuse:
//   FAIRSHOE_SITES=FILE node --require ./tests/second_verifier/sites.js PROGRAM …
// adds a line of JSON to FILE at the program's end: `{"sites":[PLACE…],"reached":[PLACE…]}`. A place is named by
// its part and its text.
'use strict';
const fs = require('fs');
const Module = require('module');
const path = require('path');

const VERIFIER = path.join(__dirname, '../../tools/verifier/fairshoe-verify.js');
const PARTS = path.join(__dirname, '../../tools/verifier/parts');
/** The functions that refuse; `need` only if its first argument does not hold. */
const REFUSES = /(?<![.\w])(need|unsoundAt|unsound|broken|fault|refuse|refuseFile|refused)\(/g;
const sites = new Set(), reached = new Set();

/** A part's text in which each place says its number before it refuses. */
function marked(part, text) {
  const seen = new Map();
  const name = at => {
    const words = text.slice(at).split(/;\s*\n|\n\n/)[0].replace(/\s+/g, ' ').slice(0, 90).trimEnd();
    const place = `${part}: ${words}`, nth = (seen.get(place) || 0) + 1;
    seen.set(place, nth);
    return nth > 1 ? `${place} #${nth}` : place;
  };
  return text.replace(REFUSES, (all, word, at) => {
    const before = text.slice(text.lastIndexOf('\n', at) + 1, at);
    if (/(^|\s)(\/\/|\/?\*)|function $|const $/.test(before)) return all;
    const place = name(at);
    sites.add(place);
    return `site(${JSON.stringify(place)}, ${word})(`;
  });
}

/** The verifier's text with its places marked. `site` is a global: the text may be run by `new Function`. */
function instrument(text) {
  for (const file of fs.readdirSync(PARTS)) {
    const part = fs.readFileSync(path.join(PARTS, file), 'utf8');
    if (text.includes(part)) text = text.replace(part, () => marked(file.replace('.js', ''), part));
  }
  return text;
}

if (process.env.FAIRSHOE_SITES) {
  globalThis.site = (place, refuses) => (...all) => {
    if (refuses.name === 'need' && all[0]) return undefined;
    reached.add(place);
    // For search.js: as if the place were not there.
    if (globalThis.onSite && globalThis.onSite(place)) return undefined;
    return refuses(...all);
  };
  const compile = Module.prototype._compile;
  Module.prototype._compile = function compileMarked(text, name, ...rest) {
    return compile.call(this, name === VERIFIER ? instrument(text) : text, name, ...rest);
  };
  process.on('exit', () => {
    const line = { sites: [...sites], reached: [...reached] };
    if (sites.size) fs.appendFileSync(process.env.FAIRSHOE_SITES, `${JSON.stringify(line)}\n`);
  });
}

module.exports = { instrument };

// The programs' arguments: options with two dashes, each with the words after it.
'use strict';

/** `--audit PATH --only two words` as `{audit: 'PATH', only: 'two words'}`; `''` for an option that stands alone. */
function options(words = process.argv.slice(2)) {
  const given = {};
  let name = null;
  for (const word of words) {
    if (word.startsWith('--')) {
      name = word.slice(2);
      given[name] = '';
    } else if (name === null) throw new Error(`what is ${word}? An option begins with two dashes`);
    else given[name] += given[name] ? ` ${word}` : word;
  }
  return given;
}

module.exports = { options };

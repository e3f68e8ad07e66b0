#!/usr/bin/env node
// Makes fairshoe-verify.js from parts/ and the words of spec/words.md: the parts in a row, in one function.
// `node tools/verifier/build.js` writes it; with `--check` it exits 1 if it is not what the parts make.
'use strict';
const fs = require('fs');
const path = require('path');
const { words } = require('./words.js');

const here = name => path.join(__dirname, name);
const read = name => fs.readFileSync(here(name), 'utf8');
/** A game is a part of its own, `game-NAME`, with one constant of that name. */
const GAMES = ['blackjack', 'baccarat', 'roulette', 'safe', 'poker', 'dragon_tiger', 'sic_bo'];
const PARTS = [
  'bytes', 'crypto', 'log', 'fairness', 'entry', 'event-form', 'words', 'forms', 'game-cards', 'game-chance',
  ...GAMES.map(game => `game-${game.replaceAll('_', '-')}`), 'games', 'house', 'players', 'guests',
  'transfers', 'wallet', 'limits', 'windows', 'rounds', 'cash', 'cash-hands', 'noted', 'state',
  'overdue', 'tournament', 'event-state', 'event-tables', 'event-fold', 'event-duty', 'event-decide',
  'event-refund', 'given', 'event-lines', 'story', 'event-story', 'told-words', 'told', 'bundle', 'view', 'faces',
  'extends', 'replay', 'follow', 'followed', 'evidence', 'inputs', 'ledger-transfers', 'ledger-wallet', 'ledger',
  'ledger-events', 'continues', 'cluster', 'reconcile', 'tournament-file', 'vectors', 'tournament-vectors', 'play',
  'node',
];

const header = `#!/usr/bin/env node
// fairshoe-verify: a second, independent verifier of fairshoe's rounds, written from spec/ alone. Runs in Node 18 or
// newer and in any browser of that age, offline, without a dependency. Made by build.js from parts/ and spec/words.md:
// change those.
// In Node: node fairshoe-verify.js --help. In a page: the functions are those of the global object fairshoe.
'use strict';
const fairshoe = (() => {
`;
const footer = `
return api;
})();
if (typeof module === 'object') {
  module.exports = fairshoe;
  if (require.main === module) fairshoe.main(process.argv.slice(2));
}
`;
const MADE = { words, games: () => `const GAMES = { ${GAMES.join(', ')} };\n` };
const part = name => `\n${MADE[name] ? MADE[name]() : read(`parts/${name}.js`)}`;
const script = `${header}${PARTS.map(part).join('')}${footer}`;
if (process.argv[2] !== '--check') fs.writeFileSync(here('fairshoe-verify.js'), script);
else if (!fs.existsSync(here('fairshoe-verify.js')) || read('fairshoe-verify.js') !== script) {
  console.error('fairshoe-verify.js is not what parts/ and spec/words.md make: run node tools/verifier/build.js');
  process.exitCode = 1;
}

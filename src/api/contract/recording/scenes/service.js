// A service that has just started, before anybody plays: what it says of itself, its pages, its log.
'use strict';
const { Unexpected } = require('../recorder');

const ROOMS = {
  Lobby: {}, PlayRoom: { table: 'joy-1' }, TournamentRoom: { tournament: 'friday' }, RoundRoom: { id: 'joy-1:0' },
  LogRoom: {}, DocsRoom: {},
};

/** The first lines of a text. */
const beginning = count => text => `${text.split('\n').slice(0, count).join('\n')}\n`;

/** Of all metrics the first, and the line that ends them. */
function firstMetric(text) {
  const rows = text.trimEnd().split('\n');
  return `${[...rows.slice(0, 3), rows[rows.length - 1]].join('\n')}\n`;
}

/** The page's rooms and a file of it. */
async function openPages({ anyone }) {
  let document = '';
  for (const [room, path] of Object.entries(ROOMS)) {
    document = await anyone.ask(`get${room}`, path);
    await anyone.ask(`head${room}`, path);
  }
  const [, version] = /"\/page\/([0-9a-f]{16})\//.exec(document);
  for (const method of ['get', 'head']) await anyone.ask(`${method}PageFile`, { version, file: 'main.js' });
}

/** Hashes and entries are bytes, which no example shows: what it says of them is held against what came. */
async function readTiles({ anyone, recorder }) {
  const { size } = await anyone.ask('getLog', {}, { as: 'one' });
  const index = `000.p/${size}`;
  const hashes = await anyone.ask('getTile', { level: 0, index }, { raw: true });
  if (hashes.length !== 32 * size) throw new Unexpected(`a tile of ${size} hashes has ${hashes.length} bytes`);
  recorder.keep('getTile.200.one', '(width × 32 bytes)');
  const bundle = await anyone.ask('getEntryBundle', { index }, { raw: true });
  if (bundle.readUInt16BE(0) > bundle.length) throw new Unexpected('a bundle does not begin with an entry\'s length');
  recorder.keep('getEntryBundle.200.one', '(u16 length, entry, …)');
  await anyone.ask('headTile', { level: 0, index });
  await anyone.ask('headEntryBundle', { index });
}

module.exports = async stage => {
  const { anyone } = stage;
  await anyone.ask('getHealth', {}, { as: 'one' });
  await anyone.ask('getReady', {}, { as: 'one' });
  await anyone.ask('getCluster', {}, { as: 'alone' });
  await anyone.ask('getMetrics', {}, { as: 'one', shown: firstMetric });
  await anyone.ask('getContract', {}, { as: 'one', shown: beginning(2) });
  await anyone.ask('getVerifier', {}, { as: 'one', shown: beginning(2), summary: 'Its beginning' });
  await openPages(stage);
  await readTiles(stage);
  await anyone.ask('getCheckpoint', {}, { as: 'one' });
  await anyone.ask('headCheckpoint');
  const joy = ({ rulesets }) => ({ rulesets: rulesets.filter(one => one.name === 'joy') });
  await anyone.ask('listRuleSets', {}, { as: 'one', shown: joy, summary: 'One of them.' });
  await anyone.ask('getRuleSet', { name: 'joy' }, { as: 'one' });
  await anyone.ask('listTables', {}, { as: 'one', query: { limit: 1 } });
};

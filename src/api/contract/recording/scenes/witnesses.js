// A log with two witnesses, of which both must cosign; then one of them is away.
'use strict';
const { until } = require('../programs');
const { bet } = require('./shared');

module.exports = async (stage, witness) => {
  const { anyone } = stage;
  await until('a checkpoint met the quorum', async () => (await anyone.ask('getReady')).witnessed.size !== null);
  await anyone.ask('getWitnessedCheckpoint', {}, { reply: 'one' });
  await witness.program.end();
  const alice = await stage.player('alice', 1000);
  await until('the log is unwitnessed', async () => {
    const ready = await anyone.ask('getReady', {}, { reply: 'unwitnessed' });
    return ready.witnessed.unwitnessed && ready.witnessed.witnesses.some(one => one.error !== null);
  });
  await bet(alice, 'joy-1', [{ spot: '1', stake: 7 }], { code: 'unwitnessed' });
};

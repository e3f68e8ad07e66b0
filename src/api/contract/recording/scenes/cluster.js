// Two nodes of a shard: what the one that follows says of it, and that it decides nothing.
'use strict';
const fs = require('fs');
const path = require('path');
const { folder, freePort, until } = require('../programs');

/** The folder of another node: a copy of the first one's secrets. */
function joined(data) {
  const made = folder('data');
  fs.cpSync(path.join(data, 'secrets'), path.join(made, 'secrets'), { recursive: true });
  fs.copyFileSync(path.join(data, 'operator.token'), path.join(made, 'operator.token'));
  return made;
}

module.exports = async (start, order) => {
  // A node has a port of its own, where clients find it again; what it says of itself is the same at each recording.
  const node = async (no, more, where = {}) => {
    const itself = ['--node', `east-${no}`, '--advertise', `http://127.0.0.1:808${no}`];
    return start([...order, '--shard', 'east', ...itself, ...more], { ...where, port: await freePort() });
  };
  const first = await node(1, ['--origin', 'one.example/log']);
  const leads = async () => (await first.anyone.ask('getCluster')).leads;
  await until('the first node leads', leads);
  const second = await node(2, [], { data: joined(first.data) });
  await until('the second node knows who leads', async () => {
    const view = await second.anyone.ask('getCluster', {}, { reply: 'follower' });
    // The first ones that it hears of are the leader's before it has opened its tables.
    return !view.leads && view.leader !== null && view.shards[0]?.tables.length;
  });
  await second.operator.ask('createPlayer', {}, { body: { player: 'alice' }, code: 'not_leader' });
};

// Chips from one log to another: two services that know each other.
'use strict';

const policyOf = async ({ anyone }) => {
  const { vkey } = await anyone.ask('getLog');
  return `log ${vkey}\nquorum none\n`;
};

module.exports = async (one, two) => {
  const knows = { log: 'two.example/log', policy: await policyOf(two) };
  await one.operator.ask('knowLog', {}, { body: knows, as: 'one' });
  await two.operator.ask('knowLog', {}, { body: { log: 'one.example/log', policy: await policyOf(one) } });
  const alice = await one.player('alice', 1000);
  await two.player('alice', 1000);
  const body = { to: 'two.example/log', amount: 700 };
  const sent = await alice.ask('sendTransfer', { player: 'alice' }, { body, key: 'trip-1', as: 'one' });
  const [{ entry, proof }] = sent.receipts;
  const claim = { from: 'one.example/log', entry, proof };
  await two.anyone.ask('claimTransfer', {}, { body: claim, as: 'one' });
  await two.anyone.ask('listLogs', {}, { reply: 'one' });

  const far = { to: 'three.example/log', amount: 1 };
  await alice.ask('sendTransfer', { player: 'alice' }, { body: far, key: 'trip-2', code: 'unknown_log' });
  await two.anyone.ask('claimTransfer', {}, { body: claim, code: 'already_claimed' });
  const more = { ...claim, entry: entry.replace('700', '701') };
  await two.anyone.ask('claimTransfer', {}, { body: more, code: 'claim_refused' });
};

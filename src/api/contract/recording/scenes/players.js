// Players: how they are made, get chips, keys and tokens. Gives back those who play in other scenes.
'use strict';
const { Pen } = require('../seeds');

module.exports = async stage => {
  const { operator, anyone } = stage;
  await anyone.ask('admitGuest', {}, { as: 'one', body: {} });
  const alice = await stage.player('alice', 100_000, { as: 'one' }, { as: 'one' });
  const { size } = await anyone.ask('getLog');
  await anyone.ask('getEntry', { index: size - 1 }, { as: 'one' });
  await anyone.ask('getReceipt', { index: size - 1 }, { as: 'one' });
  await alice.ask('getPlayer', { player: 'alice' }, { as: 'one' });

  const erin = new Pen('erin');
  const made = await operator.ask('createPlayer', {}, { body: { player: 'erin', key: erin.key }, request: 'signs' });
  const frank = await stage.player('frank', 10_000);
  await frank.ask('setKey', { player: 'frank' }, { body: { key: new Pen('frank').key }, request: 'own', reply: 'one' });
  await operator.ask('setKey', { player: 'frank' }, { body: { reason: 'key lost' }, request: 'lost' });
  const gina = await stage.player('gina', 10_000), ofGina = { player: 'gina' }, loss = { of: 'loss', per: 'week' };
  await gina.ask('setLimit', ofGina, { body: { ...loss, most: 5_000 }, request: 'loss', reply: 'one' });
  await gina.ask('setLimit', ofGina, { body: loss, request: 'none' });
  await gina.ask('setLimit', ofGina, { body: { of: 'deposit', per: 'week', most: 500 } });
  const tooMuch = key => ({ body: { amount: 600 }, key });
  await operator.ask('creditPlayer', ofGina, { ...tooMuch('too-much'), code: 'limit_reached' });
  await gina.ask('exclude', ofGina, { body: { until: Date.now() + 30 * 24 * 3_600_000 }, as: 'one' });
  await operator.ask('creditPlayer', ofGina, { ...tooMuch('too-much-again'), code: 'excluded' });
  await operator.ask('issueToken', { player: 'frank' }, { body: {}, request: 'keep' });
  await operator.ask('issueToken', { player: 'frank' }, { body: { revoke: true }, as: 'one' });
  await operator.ask('issueTicket', { player: 'frank' }, { body: {}, request: 'one' });
  const ticket = await operator.ask('issueTicket', { player: 'frank' },
    { body: { revoke: true, seconds: 3600 }, request: 'short', reply: 'one' });
  await stage.anyone.ask('exchangeTicket', {}, { body: { ticket: ticket.ticket }, as: 'one' });
  const auditor = await operator.ask('createAuditor', {}, { body: { name: 'gaming-board' }, as: 'one' });

  const ofAlice = { player: 'alice' };
  await operator.ask('withdrawChips', ofAlice, { body: { amount: 500, reference: 'desk 4' }, key: 'out-1', as: 'one' });
  await operator.ask('correctPlayer', ofAlice, { body: { amount: 300, reason: 'case 17' }, key: 'case-17', as: 'one' });
  // What went in and out so far, before anybody plays.
  for (const [reply, query] of [['one', {}], ['csv', { format: 'csv' }]])
    await alice.ask('listTransactions', { player: 'alice' }, { reply, query });
  const bob = await stage.player('bob', 100_000);
  await operator.ask('listPlayers', {}, { query: { limit: 2 }, as: 'one' });
  await stage.anyone.ask('getNames', {}, { query: { players: 'alice,bob' }, as: 'one' });
  return { alice, bob, erin: stage.client(made.token, 'erin'), auditor: stage.client(auditor.token, 'gaming-board') };
};

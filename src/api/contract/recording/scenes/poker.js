// A hand of poker at a cash table, from the seats to the showdown, and its shoe, which is disclosed to an auditor.
'use strict';
const { commitment, seed } = require('../seeds');
const { opened } = require('./shared');

const AT = { table: 'holdem-1' };
const HAND = { summary: 'A hand of poker' };

/** What is done at each decision after the first: nobody folds, and everyone shows. */
const ON = ['check', 'call', 'show'];

module.exports = async (stage, { alice, bob, auditor }) => {
  const { anyone } = stage;
  await alice.ask('takeSeat', AT, { body: { seat: 1, buy_in: 10_000 } });
  await alice.ask('sitOut', AT, { body: {}, as: 'one' });
  await alice.ask('takeSeat', AT, { body: {} });
  await alice.ask('addChips', AT, { body: { amount: 2000 }, as: 'one' });
  const seat = { seat: 2, buy_in: 10_000, client: 'mobile', entry: 'wait' };
  await bob.ask('takeSeat', AT, { body: seat, request: 'cash', summary: 'At a cash table' });

  const called = await opened(anyone, AT.table, 2);
  const roundNo = called.cash.call.round_no, id = `${AT.table}:${roundNo}`;
  const committing = player => ({ commitment: commitment(called, roundNo, player.name), epoch: called.epoch });
  await alice.ask('commitSeed', { id }, { body: committing(alice) });
  await alice.ask('getTable', AT, { reply: 'cash', summary: 'A cash table' });
  await bob.ask('commitSeed', { id }, { body: committing(bob), as: 'hand', ...HAND });

  const revealing = player => ({
    player: player.name,
    seed: seed(player.name, AT.table, roundNo),
    next: commitment(called, roundNo + 1, player.name),
  });
  await alice.ask('revealSeed', { id }, { body: revealing(alice) });
  const summary = 'The last seed deals a hand of poker';
  let reply = await bob.ask('revealSeed', { id }, { body: revealing(bob), as: 'hand', summary });
  const tooLow = { decision: reply.round.decisions[0].decision, action: { raise: { to: 1 } } };
  await alice.ask('act', { id }, { body: tooLow, code: 'raise_out_of_range' });
  const raise = { decision: reply.round.decisions[0].decision, action: { raise: { to: 400 } } };
  reply = await alice.ask('act', { id }, { body: raise, as: 'hand', summary: 'A raise' });
  while (reply.round.decisions.length) {
    const { decision, player, options } = reply.round.decisions[0];
    const action = ON.find(word => options.some(option => option.action === word));
    reply = await (player === 'alice' ? alice : bob).ask('act', { id }, { body: { decision, action } });
  }
  await alice.ask('getRound', { id }, { reply: 'hand', ...HAND });

  const shoe = { ...AT, shoe_no: reply.round.shoe_no };
  await anyone.ask('getShoe', shoe, { reply: 'sealed', summary: 'A sealed shoe' });
  await auditor.ask('discloseShoe', shoe, { body: { reason: 'complaint 2026/31' }, as: 'one' });
  await auditor.ask('getDisclosure', shoe, { reply: 'one' });
  for (const player of [alice, bob]) await player.ask('leaveSeat', AT);
};

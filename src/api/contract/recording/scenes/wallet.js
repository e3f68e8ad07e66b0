// Chips from the operator's wallet and back. What waits for the wallet is recorded while it is away.
'use strict';

const ALICE = { player: 'alice' };

/** The number of the operation that a reply's entry asks for. */
function numberIn(reply) {
  const { events } = JSON.parse(reply.receipts[0].entry);
  return events.find(event => event.wallet_asked).wallet_asked.no;
}

module.exports = async (stage, wallet) => {
  let program = await wallet.start();
  const alice = await stage.player('alice');
  const over = no => alice.ask('getWalletOperation', { no }, { query: { wait_ms: 20_000 }, reply: 'one' });
  const ask = (call, key, names = {}) => alice.ask(call, ALICE, { body: { amount: 500 }, key, ...names });
  await over(numberIn(await ask('depositFromWallet', 'in-1', { as: 'one' })));
  const paid = numberIn(await ask('withdrawToWallet', 'out-1', { as: 'one' }));
  await alice.ask('getWalletOperation', { no: paid }, { query: { wait_ms: 20_000 } });

  await program.end();
  const no = numberIn(await ask('depositFromWallet', 'in-2'));
  await alice.ask('getPlayerWallet', ALICE, { reply: 'one' });
  await alice.ask('cancelDeposit', { no }, { body: {}, as: 'one' });
  for (let n = 0; n < 7; n++) await ask('depositFromWallet', `more-${n}`);
  await ask('depositFromWallet', 'too-many', { code: 'too_many_operations' });
  await alice.ask('cancelDeposit', { no: 99 }, { body: {}, code: 'unknown_operation' });
  program = await wallet.start();
  await alice.ask('getWalletOperation', { no }, { query: { wait_ms: 20_000 } });
  await program.end();
};

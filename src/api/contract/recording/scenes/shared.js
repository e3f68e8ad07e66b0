// Tables of several players: seats, betting windows, the operator's announcements, a full table; and a game of Safe
// that uses its pile up.
'use strict';
const { commitment } = require('../seeds');
const { until } = require('../programs');
const { betFor, revelation } = require('./solo');

/** The table once so many are expected in its window, or in the hand that is called. */
const opened = (player, table, count = 1) =>
  until(`bets are open at ${table}`, async () => {
    const view = await player.ask('getTable', { table });
    const expected = view.window?.expected || view.cash?.call?.awaited || [];
    return expected.length >= count ? view : null;
  });

const bet = async (player, table, bets, names = {}) =>
  player.ask('placeBet', { table }, { body: await betFor(player, table, bets), ...names });

async function blackjack(stage, { alice, bob }) {
  const at = { table: 'live-blackjack-1' };
  await alice.ask('takeSeat', at, { body: { seat: 1 }, as: 'one' });
  await bob.ask('takeSeat', at, { body: { seat: 2 } });
  const { window } = await opened(alice, at.table, 2);
  await bet(alice, at.table, [{ spot: '1', stake: 100 }], { as: 'shared' });
  await stage.anyone.ask('getTable', at, { reply: 'shared' });
  const { next_seq: seq } = await stage.anyone.ask('listTableEntries', at);
  await alice.ask('cancelBet', { ...at, round_no: window.round_no }, { reply: 'one' });
  await alice.ask('leaveSeat', at, { reply: 'one' });
  const query = { from_seq: seq, limit: 2, proofs: true };
  await stage.anyone.ask('listTableEntries', at, { reply: 'one', query });
  await bob.ask('leaveSeat', at);
}

async function roulette(stage, { alice, bob }) {
  const at = { table: 'roulette-1' };
  // The window closes by itself once all who are expected have bet: one of them waits.
  for (const player of [alice, bob]) await player.ask('takeSeat', at, { body: {} });
  const { window } = await opened(alice, at.table, 2);
  await bet(alice, at.table, [{ spot: 'red', stake: 100 }]);
  const { round } = await stage.operator.ask('closeBets', at, { body: { round_no: window.round_no }, as: 'one' });
  await alice.ask('revealSeed', { id: round.id }, { body: revelation(alice, round) });
  for (const player of [alice, bob]) await player.ask('leaveSeat', at);
}

/** A shoe that is changed at discretion, and a table without a free seat. */
async function byTheOperator(stage, { alice, bob }) {
  const { operator, anyone } = stage;
  const options = { house_shuffle: true };
  await operator.ask('openTable', {}, { body: { table: 'salon-1', rules: 'six-deck', options } });
  await until('its shoe is committed', async () => (await anyone.ask('getTable', { table: 'salon-1' })).shoe);
  await operator.ask('shuffle', { table: 'salon-1' }, { body: { reason: 'worn cards' }, as: 'one' });
  const at = { table: 'roulette-2' };
  await operator.ask('openTable', {}, { body: { ...at, rules: 'roulette', options: { seats: 2 } } });
  await alice.ask('takeSeat', at, { body: {} });
  await bob.ask('takeSeat', at, { body: { seat: 2 } });
  const dora = await stage.player('dora', 10_000);
  await dora.ask('wantSeat', at, { body: {}, as: 'one' });
  const [ed, flo] = [await stage.player('ed', 10_000), await stage.player('flo', 10_000)];
  await ed.ask('wantSeat', at, { body: {} });
  await flo.ask('wantSeat', at, { body: {}, code: 'too_many_waiting' });
  await operator.ask('unseat', { ...at, seat: 2 }, { body: { reason: 'asleep' }, as: 'one' });
  await alice.ask('leaveSeat', at);
}

/** What is done in Safe so that few are lost and the pile runs out. */
const PRUDENT = ['accept', 'stand', 'hit', 'pass'];

async function safe(stage) {
  const table = 'safe-1', players = new Map();
  for (const name of ['ann', 'bea', 'cid', 'dan']) players.set(name, await stage.player(name, 10_000));
  for (const player of players.values()) await player.ask('takeSeat', { table }, { body: {} });
  for (;;) {
    const { window, seats } = await opened(stage.anyone, table, players.size);
    const id = `${table}:${window.round_no}`;
    for (const one of seats) await bet(players.get(one.player), table, [{ spot: String(one.seat), stake: 100 }]);
    for (;;) {
      const { round } = await stage.anyone.ask('getRound', { id });
      if (round.pile) return newPile(stage, players, round.pile, table);
      if (round.phase === 'awaiting_reveals') {
        const { player } = round.contributors.find(one => one.seed === null);
        await players.get(player).ask('revealSeed', { id }, { body: revelation(players.get(player), round) });
      } else if (round.phase === 'open') {
        const { decision, player, options } = round.decisions[0];
        const action = PRUDENT.find(word => options.some(option => option.action === word));
        await players.get(player).ask('act', { id }, { body: { decision, action } });
      } else break;
    }
  }
}

/** A new pile: everyone who is still in commits, and reveals. */
async function newPile(stage, players, pile, table) {
  const view = await stage.anyone.ask('getTable', { table });
  const id = `${table}:${pile.round_no}`;
  const who = pile.players.map(one => players.get(one.player));
  for (const [n, player] of who.entries()) {
    const body = { commitment: commitment(view, pile.round_no, player.name), epoch: view.epoch };
    await player.ask('commitSeed', { id }, { body, as: n === 0 ? 'one' : undefined });
  }
  for (const player of who)
    await player.ask('revealSeed', { id }, { body: revelation(player, { table, round_no: pile.round_no }) });
}

module.exports = async (stage, players) => {
  await blackjack(stage, players);
  await roulette(stage, players);
  await byTheOperator(stage, players);
  await safe(stage);
};
Object.assign(module.exports, { bet, opened });

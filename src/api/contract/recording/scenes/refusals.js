// What a service in use refuses, a code each: the request of each is wrong in one way.
'use strict';
const net = require('net');
const { commitment, Pen } = require('../seeds');
const { until } = require('../programs');
const { PLAIN, betFor, deal, offered, revelation, standOut, voided } = require('./solo');
const { bet, opened } = require('./shared');

const ZEROS = '0'.repeat(64);
const JOY = { table: 'joy-1' };

/** Names, tokens, bodies and paths. */
async function requests(stage, { alice, bob, auditor }) {
  const { operator, anyone } = stage;
  const refused = (who, code, call, path, options) => who.ask(call, path, { code, ...options });
  await refused(alice, 'malformed', 'placeBet', JOY, { body: { round_no: 0, bets: [] } });
  await refused(stage.client(ZEROS), 'unauthorized', 'getPlayer', { player: 'alice' });
  await refused(alice, 'not_allowed', 'createPlayer', {}, { body: { player: 'carol' } });
  await refused(anyone, 'not_found', 'getTile', { level: 0, index: '999' });
  await refused(operator, 'unknown_player', 'getPlayer', { player: 'nobody' });
  await refused(anyone, 'unknown_table', 'getTable', { table: 'joy-9' });
  await refused(anyone, 'unknown_round', 'getRound', { id: 'joy-1:999999' });
  await refused(anyone, 'unknown_shoe', 'getShoe', { table: 'joy-1', shoe_no: 999_999 });
  await refused(anyone, 'unknown_entry', 'getEntry', { index: 999_999 });
  await refused(anyone, 'unknown_ruleset', 'getRuleSet', { name: 'none' });
  await refused(anyone, 'unknown_structure', 'getStructure', { name: 'none' });
  await refused(anyone, 'unknown_tournament', 'getTournament', { tournament: 'sunday' });
  await refused(anyone, 'ticket_refused', 'exchangeTicket', {}, { body: { ticket: ZEROS } });
  await refused(operator, 'player_exists', 'createPlayer', {}, { body: { player: 'alice' } });
  await refused(operator, 'table_exists', 'openTable', {}, { body: { table: 'joy-1', rules: 'joy' } });
  await refused(operator, 'not_replaceable', 'openTable', {},
    { body: { table: 'joy-8', rules: 'joy', replaces: 'joy-1' } });
  await refused(operator, 'rule_set_refused', 'openTable', {},
    { body: { table: 'joy-8', rules: 'joy', options: { decks: 99 } } });
  await refused(operator, 'unsupported_media_type', 'createPlayer', {},
    { body: { player: 'carol' }, headers: { 'content-type': 'text/plain' } });
  await refused(operator, 'body_too_large', 'createPlayer', {}, { body: ' '.repeat(65_537) });
  const ofAlice = { player: 'alice' };
  await refused(operator, 'amount_out_of_range', 'creditPlayer', ofAlice, { body: { amount: 0 }, key: 'none' });
  await refused(operator, 'idempotency_key_reused', 'creditPlayer', ofAlice,
    { body: { amount: 1 }, key: 'credit-alice' });
  await refused(operator, 'key_refused', 'createPlayer', {}, { body: { player: 'carol', key: ZEROS } });
  await refused(alice, 'no_wallet', 'depositFromWallet', ofAlice, { body: { amount: 500 }, key: 'no-wallet' });
  await refused(anyone, 'not_witnessed', 'getWitnessedCheckpoint');
  await refused(auditor, 'shoe_not_sealed', 'discloseShoe', { table: 'holdem-1', shoe_no: 999 },
    { body: { reason: 'complaint 2026/32' } });
  for (let n = 0; n < 15; n++) await bob.ask('issueToken', { player: 'bob' }, { body: {} });
  await refused(bob, 'too_many_tokens', 'issueToken', { player: 'bob' }, { body: {} });
  for (let n = 0; n < 4; n++) await bob.ask('openTable', {}, { body: { table: `bobs-${n}`, rules: 'joy' } });
  await refused(bob, 'too_many_tables', 'openTable', {}, { body: { table: 'bobs-4', rules: 'joy' } });
}

/** Signatures of a player who has a key. */
async function signatures(stage, { alice, erin }) {
  const { origin } = await stage.anyone.ask('getLog'), pen = new Pen('erin');
  const issue = { issue_token: { holder: 'player:erin', revoke: false } };
  const at = { player: 'erin' }, body = {};
  const signed = (nonce, command) => ({ 'fairshoe-signature': pen.sign(origin, nonce, command) });
  await erin.ask('issueToken', at, { body, code: 'signature_missing' });
  await erin.ask('issueToken', at, { body, headers: signed(1, {}), code: 'signature_wrong' });
  await erin.ask('issueToken', at, { body, headers: signed(1, issue) });
  await erin.ask('issueToken', at, { body, headers: signed(1, issue), code: 'nonce_used' });
  await alice.ask('issueToken', { player: 'alice' }, { body, headers: signed(1, issue), code: 'no_key' });
}

/** Bets, seeds and choices at a table of one player. */
async function rounds(stage, { alice, bob }) {
  const { anyone } = stage, poor = await stage.player('poor', 5);
  const place = async (player, code, more, bets = [{ spot: '1', stake: 7 }]) =>
    player.ask('placeBet', JOY, { body: { ...await betFor(player, 'joy-1', bets), ...more }, code });
  await place(alice, 'bet_count', {}, []);
  await place(alice, 'unknown_spot', {}, [{ spot: '2', stake: 7 }]);
  await place(alice, 'below_minimum', {}, [{ spot: '1', stake: 0 }]);
  await place(alice, 'above_maximum', {}, [{ spot: '1', stake: 1001 }]);
  await place(alice, 'unknown_chip', {}, [{ spot: '1', stake: 3, chips: [3] }]);
  await place(alice, 'chips_differ', {}, [{ spot: '1', stake: 7, chips: [5, 1] }]);
  await place(poor, 'insufficient_balance');
  await place(poor, 'chip_above_balance', {}, [{ spot: '1', stake: 10, chips: [10] }]);
  await place(alice, 'wrong_round', { round_no: 999 });
  await place(alice, 'wrong_epoch', { epoch: ZEROS });
  await alice.ask('takeSeat', JOY, { body: {}, code: 'solo_table' });

  const { round } = await bet(alice, 'joy-1', [{ spot: '1', stake: 7 }]);
  await place(bob, 'round_in_progress', { round_no: round.round_no + 1 });
  const { id } = round, reveal = (body, code) => anyone.ask('revealSeed', { id }, { body, code });
  await alice.ask('act', { id }, { body: { decision: 0, action: 'hit' }, code: 'awaiting_reveals' });
  await reveal({ player: 'bob', seed: ZEROS }, 'not_a_contributor');
  await reveal({ player: 'alice', seed: ZEROS }, 'seed_does_not_open');
  await reveal(revelation(alice, round, { saw: { size: 1, root: `${'A'.repeat(43)}=` } }), 'saw_other');
  let dealt = await alice.ask('revealSeed', { id }, { body: revelation(alice, round) });
  while (offered(dealt) !== PLAIN) {
    await standOut(alice, dealt);
    dealt = await deal(alice, 'joy-1', [{ spot: '1', stake: 7 }]);
  }
  const open = dealt.round, { decision } = open.decisions[0];
  const act = (who, body, code) => who.ask('act', { id: open.id }, { body, code });
  await act(bob, { decision, action: 'hit' }, 'not_your_decision');
  await act(alice, { decision: 77, action: 'hit' }, 'decision_not_open');
  await act(alice, { decision, action: 'split' }, 'action_not_offered');
  await act(alice, { decision, action: { double: { amount: 5 } } }, 'extra_stake_refused');
  await anyone.ask('revealSeed', { id: open.id }, { body: { player: 'alice', seed: ZEROS }, code: 'reveals_over' });
  await stage.operator.ask('voidRound', { id: open.id }, { body: { reason: 'reader fault 3' } });
}

/** Seats, windows and seeds at a table of several players, one of whom withholds twice. */
async function seats(stage) {
  const { anyone, operator } = stage, at = { table: 'room-1' };
  const options = { bet_time_ms: 60_000, reveal_time_ms: 2000, turn_time_ms: 60_000 };
  await operator.ask('openTable', {}, { body: { ...at, rules: 'live-blackjack', options } });
  const [gus, hal, ida] = await Promise.all(['gus', 'hal', 'ida'].map(name => stage.player(name, 10_000)));
  const poor = await stage.player('penny', 5);
  await gus.ask('takeSeat', at, { body: { seat: 1 } });
  await hal.ask('takeSeat', at, { body: { seat: 2 } });
  await opened(gus, at.table, 2);
  await ida.ask('takeSeat', at, { body: { seat: 1 }, code: 'seat_not_free' });
  await poor.ask('takeSeat', at, { body: {}, code: 'chips_needed' });
  await gus.ask('takeSeat', at, { body: {} });
  await gus.ask('wantSeat', at, { body: {}, code: 'nothing_to_do' });
  await gus.ask('addChips', at, { body: { amount: 2000 }, code: 'not_a_cash_table' });
  const one = spot => [{ spot, stake: 100 }];
  await bet(ida, at.table, one('3'), { code: 'not_seated' });
  await bet(gus, at.table, one('2'), { code: 'spot_taken' });
  await bet(gus, at.table, [{ spot: '1', stake: 101 }], { code: 'off_step' });
  const { next_round: roundNo } = await anyone.ask('getTable', at);
  await hal.ask('cancelBet', { ...at, round_no: roundNo }, { code: 'no_bet' });

  await changeOften(gus, at.table);
  for (const offence of [1, 2]) {
    await opened(gus, at.table, 2);
    // In the first window a bet of the first player's stands already.
    if (offence === 2) await bet(gus, at.table, one('1'));
    const { round } = await bet(hal, at.table, one('2'));
    await gus.ask('revealSeed', { id: round.id }, { body: revelation(gus, round) });
    const { id } = round, another = { player: 'gus', seed: ZEROS };
    if (offence === 1) await anyone.ask('revealSeed', { id }, { body: another, code: 'already_revealed' });
    await voided(anyone, id);
    const again = offence === 1 ? {} : { code: 'cooldown' };
    await hal.ask('takeSeat', at, { body: { seat: 2 }, ...again });
  }
  await opened(gus, at.table);
  await ida.ask('takeSeat', at, { body: { seat: 3 } });
  await bet(ida, at.table, one('3'), { code: 'newcomer_waits' });
  await operator.ask('closeBets', { table: 'baccarat-1' }, { body: { round_no: 0 }, code: 'bets_not_open' });
  const { token } = await anyone.ask('admitGuest', {}, { body: {} });
  await stage.client(token, 'guest').ask('takeSeat', { table: 'roulette-1' }, { body: {}, code: 'other_chips' });
}

/** Changes a bet until the table takes no more changes. */
async function changeOften(player, table) {
  for (let stake = 100; ; stake = 202 - stake) {
    const body = await betFor(player, table, [{ spot: '1', stake }]);
    const { code } = await player.ask('placeBet', { table }, { body, anyStatus: true });
    if (code) return player.ask('placeBet', { table }, { body, code: 'too_many_changes' });
  }
}

/** Seats and hands at cash tables. */
async function cash(stage) {
  const { operator } = stage, at = { table: 'holdem-1' };
  const [jo, kit] = [await stage.player('jo', 100_000), await stage.player('kit', 100_000)];
  await operator.ask('closeBets', at, { body: { round_no: 999 }, code: 'hand_not_called' });
  await jo.ask('takeSeat', at, { body: { buy_in: 500 }, code: 'buy_in_out_of_range' });
  await bet(jo, at.table, [{ spot: '1', stake: 100 }], { code: 'is_a_cash_table' });
  const most = { most_seats: { desktop: 1, mobile: 1, browser: 1 } };
  await operator.ask('openTable', {}, { body: { table: 'holdem-2', rules: 'holdem', options: most } });
  for (const player of [jo, kit]) await player.ask('takeSeat', at, { body: { buy_in: 10_000 } });
  await jo.ask('takeSeat', { table: 'holdem-2' }, { body: { buy_in: 10_000 }, code: 'too_many_seats' });
  const view = await opened(jo, at.table), roundNo = view.cash.call.round_no, id = `${at.table}:${roundNo}`;
  const commit = (player, more) => player.ask('commitSeed', { id },
    { body: { commitment: commitment(view, roundNo, player.name), epoch: view.epoch }, ...more });
  await jo.ask('sitOut', at, { body: {} });
  await commit(jo, { code: 'sitting_out' });
  for (const player of [jo, kit]) await player.ask('leaveSeat', at);
}

/** One request as it stands, over a connection of its own; the body of the reply. */
const wire = ({ port }, text) =>
  new Promise((done, failed) => {
    let said = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8').on('data', piece => {
      said += piece;
      const [head, body] = said.split('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(head);
      if (body === undefined || !length || Buffer.byteLength(body) < Number(length[1])) return;
      socket.destroy();
      done(JSON.parse(body));
    });
    socket.on('error', failed);
  });

/** What is no request of HTTP/1.1, or does not come. */
async function connections(stage) {
  const { recorder } = stage;
  const refused = async text => {
    const body = await wire(stage, text), { status } = recorder.contract.errors.codes[body.code];
    if (body.status !== status) recorder.breaches.add(`a connection is told ${body.code} with ${body.status}`);
    recorder.problems.set(body.code, body);
  };
  const headers = Array.from({ length: 97 }, (_, n) => `X-${n}: 1\r\n`).join('');
  await Promise.all([
    refused('DELETE /healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
    refused(`GET /healthz HTTP/1.1\r\nHost: x\r\n${headers}\r\n`),
    // The rest of it does not come: after ten seconds nobody waits for it.
    refused('GET /healthz HTTP/1.1\r\nHost:'),
  ]);
}

/** A service that has no room: for guests, for those who follow, and for requests without a token. */
async function cramped(stage) {
  const { anyone, operator } = stage;
  await anyone.ask('admitGuest', {}, { body: {} });
  await anyone.ask('admitGuest', {}, { body: {}, code: 'too_many_guests' });
  const waiting = operator.ask('listTableEntries', JOY, { query: { from_seq: 99, wait_ms: 5000 } });
  await until('somebody follows', async () => /^fairshoe_event_streams 1$/m.test(await operator.ask('getMetrics')));
  await operator.ask('streamTable', JOY, { code: 'unavailable' });
  await waiting;
  await until('it is too much', async () => (await anyone.ask('getLog', {}, { anyStatus: true })).code);
  await anyone.ask('getLog', {}, { code: 'rate_limited' });
}

/** A service that admits no guests and begins nothing, for its disk is as good as full. */
async function full({ anyone, operator }) {
  await anyone.ask('admitGuest', {}, { body: {}, code: 'guests_not_offered' });
  await operator.ask('createPlayer', {}, { body: { player: 'alice' }, code: 'disk_full' });
}

/** A service whose log has ended. */
async function ended({ operator }) {
  await operator.ask('createPlayer', {}, { body: { player: 'alice' }, code: 'log_ended' });
}

/** A service whose wallet is asked for what is played for, and does not answer. */
async function withoutWallet(stage) {
  const alice = await stage.player('alice');
  await bet(alice, 'joy-1', [{ spot: '1', stake: 7 }], { code: 'wallet_unavailable' });
}

module.exports = { requests, signatures, rounds, seats, cash, connections, cramped, full, ended, withoutWallet };

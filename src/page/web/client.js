// The client that players install (tools/clients/typescript), as the page runs it: seeds, checks, play.
// Made of its sources by the command tools/clients/typescript/check --page: change those, and run it again.
/* global fairshoe */

import {
  BadReply,
  BrokenOff,
  CheckFailed,
  Connection,
  FairshoeError,
  InvalidInput,
  MemoryStore,
  NotYet,
  ProblemError,
  SeedLost,
  Unproven,
  asBadReply,
  freshKey,
  freshSeed,
  isSame,
  prepared,
  readEntry,
  readJson,
  readStream,
  requireSendable,
  sleep,
  valueOf,
  writeJson,
} from './client-calls.js';

/** The second verifier, a script that the worker loads before this. */
const verifier = fairshoe;

// --- asked.ts

// What a reply's entry has to say for each call. *Attack: a good receipt of another entry* (spec/receipts.md,
// "Verifying"): the log signed something, and not what was asked for, by whoever asked, now.
const only = (from, names) => Object.fromEntries(names.filter(name => from?.[name] !== undefined).map(name => [name, from?.[name]]));
/** `TABLE:NUMBER` as a command has it. */
function roundOf(id) {
  const text = String(id), at = text.lastIndexOf(':');
  return { table: text.slice(0, at), round_no: Number(text.slice(at + 1)) };
}
const ofTable = (by, name, ...body) => args => ({ by, names: [name].flat(), fields: { table: args['table'], ...only(args.body, body) } });
const ofRound = (by, name, ...body) => args => ({ by, names: [name].flat(), fields: { ...roundOf(args['id']), ...only(args.body, body) } });
const ofPlayer = (by, name, ...body) => args => ({ by, names: [name], fields: { player: args['player'], ...only(args.body, body) } });
const ofEvent = (by, name, ...fields) => args => ({
  by,
  names: [name],
  isTournament: true,
  fields: { event: args['tournament'], ...only({ ...args.body, ...only(args, fields) }, fields) },
});
const ofToken = (holder, { body }, by) => ({
  by,
  names: ['issue_token'],
  fields: { holder, revoke: body?.['revoke'] ?? false },
});
/** A rule set of this name in which these options are as they were asked for. */
function wrongRules(rules, name, options) {
  const { name: said, table, game } = (rules ?? {});
  if (name !== undefined && said !== name)
    return `rules: asked for ${String(name)}, the entry says ${String(said)}`;
  const has = { ...Object.values(game ?? {})[0], ...table };
  const other = Object.entries((options ?? {})).find(([option, wanted]) => option in has && !isSame(has[option], wanted));
  return other ? `the option ${other[0]} is ${JSON.stringify(has[other[0]])} in the entry` : null;
}
/** A structure as it was given, or one of that name. */
function wrongStructure(structure, given) {
  const { name } = (structure ?? {});
  const isRight = typeof given === 'string' ? name === given : isSame(structure, given);
  return isRight ? null : 'the structure in the entry is not the one that was asked for';
}
function seatAsked({ table, body }) {
  const names = body?.['buy_in'] !== undefined ? ['sit_down'] : ['take_seat', 'ask_to_play', 'sit_in'];
  return {
    by: 'own',
    names,
    fields: { table, ...only(body, ['buy_in', 'client', 'entry', 'straddle']) },
    // Who asks for their own seat asks to play: that entry names none.
    wrong: command => body?.['seat'] === undefined || command['seat'] === undefined || command['seat'] === body['seat']
      ? null
      : `seat: asked for ${String(body['seat'])}, the entry says ${String(command['seat'])}`,
  };
}
const ASKED = {
  admitGuest: () => ({ by: 'house', names: ['admit_guest'], fields: {} }),
  createPlayer: ({ body }) => ({ by: 'operator', names: ['create_player'], fields: only(body, ['player', 'key']) }),
  creditPlayer: ofPlayer('operator', 'credit', 'amount', 'reference'),
  withdrawChips: ofPlayer('giver', 'withdraw', 'amount', 'reference'),
  correctPlayer: ofPlayer('operator', 'correct', 'amount', 'reason'),
  knowLog: ({ body }) => ({
    by: 'operator',
    names: ['know_log'],
    fields: {
      ...only(body, ['log']),
      policy: typeof body?.['policy'] === 'string' ? base64(body['policy']) : undefined,
    },
  }),
  claimTransfer: ({ body }) => ({
    by: 'anyone',
    names: ['transfer_in'],
    fields: { ...only(body, ['from', 'entry']), receipt: base64(String(body?.['proof'])) },
  }),
  sendTransfer: ofPlayer('giver', 'transfer_out', 'to', 'amount'),
  depositFromWallet: ofPlayer('giver', 'wallet_deposit', 'amount'),
  withdrawToWallet: ofPlayer('giver', 'wallet_withdraw', 'amount'),
  cancelDeposit: args => ({ by: 'giver', names: ['wallet_cancel'], fields: { no: args['no'] } }),
  setKey: ofPlayer('giver', 'set_key', 'key', 'reason'),
  setLimit: ofPlayer('giver', 'set_limit', 'of', 'per', 'most'),
  exclude: ofPlayer('giver', 'exclude', 'until'),
  issueToken: args => ofToken(`player:${String(args['player'])}`, args, 'giver'),
  // A ticket does not say whose it is: the answer does, and `joinByTicket` holds it against the entry.
  exchangeTicket: () => ({
    by: 'operator',
    names: ['issue_token'],
    fields: {},
    wrong: ({ holder }) => (/^player:/.test(String(holder)) ? null : `the token is for ${JSON.stringify(holder)}`),
  }),
  createAuditor: args => ofToken(`auditor:${String(args.body?.['name'])}`, args, 'operator'),
  openTable: ({ body }) => ({
    by: 'giver',
    names: ['open_table'],
    fields: only(body, ['table', 'replaces']),
    wrong: command => wrongRules(command['rules'], body?.['rules'], body?.['options']),
  }),
  closeTable: ofTable('giver', 'close_table'),
  takeSeat: seatAsked,
  leaveSeat: ofTable('own', 'leave_seat'),
  sitOut: ofTable('own', 'sit_out'),
  wantSeat: ofTable('own', 'want_seat'),
  unseat: ofTable('operator', 'unseat', 'reason'),
  addChips: ofTable('own', 'add_chips', 'amount'),
  // At a cash table the call for the hand ends, and the commitment to it is taken back.
  closeBets: ofTable('operator', ['close_bets', 'close_call'], 'round_no'),
  shuffle: ofTable('operator', 'retire_shoe', 'reason'),
  discloseShoe: ({ table, shoe_no, body }) => ({
    by: 'auditor',
    names: ['disclose_shoe'],
    fields: { table, shoe_no, ...only(body, ['reason']) },
  }),
  placeBet: ofTable('own', 'bet', 'round_no', 'bets', 'commitment'),
  cancelBet: ({ table, round_no }) => ({
    by: 'own',
    names: ['cancel_bet', 'withdraw_hand_seed'],
    fields: { table, round_no },
  }),
  commitSeed: ofRound('own', ['commit_seed', 'commit_hand_seed'], 'commitment'),
  // What `saw` says goes with a seed and asks for nothing; a repeat gets the entry with the one that was seen before.
  revealSeed: ofRound('anyone', 'reveal', 'player', 'seed', 'next'),
  handInLateSeed: ofRound('anyone', 'late_seed', 'player', 'seed'),
  act: ofRound('own', 'act', 'decision', 'action'),
  voidRound: ofRound('operator', 'void_round', 'reason'),
  createTournament: ({ body }) => ({
    by: 'operator',
    names: ['create'],
    isTournament: true,
    fields: { event: body?.['tournament'], ...only(body, ['starts_at', 'registration_from']) },
    wrong: command => wrongStructure(command['structure'], body?.['structure']) ??
      wrongRules(command['rules'], undefined, body?.['options']),
  }),
  register: ofEvent('own', 'register', 'commitment', 'pay'),
  unregister: ofEvent('own', 'unregister'),
  revealSeatSeed: ofEvent('anyone', 'reveal_seat_seed', 'draw_no', 'entry_no', 'seed', 'next'),
  rebuy: ofEvent('own', 'rebuy'),
  declineRebuy: ofEvent('own', 'decline_rebuy', 'entry_no'),
  addOn: ofEvent('own', 'add_on'),
  offerStake: ofEvent('own', 'offer_stake', 'basis_points'),
  buyStake: ofEvent('own', 'buy_stake', 'seller', 'basis_points'),
  wantDeal: ofEvent('own', 'want_deal', 'want'),
  proposeDeal: ofEvent('own', 'propose_deal', 'method', 'amounts'),
  answerDeal: ofEvent('own', 'answer_deal', 'digest', 'accept'),
  setBounty: ofEvent('operator', 'set_bounty', 'player', 'has'),
  disqualify: ofEvent('operator', 'disqualify', 'player', 'reason'),
  substitutePrize: ofEvent('giver', 'substitute_prize', 'place', 'what', 'value'),
  changeRegistration: ofEvent('operator', 'change_registration', 'late_levels', 'unregister_ms', 'reason'),
  postpone: ofEvent('operator', 'postpone', 'starts_at', 'reason'),
  cancelTournament: ofEvent('operator', 'cancel', 'instant', 'reason'),
};
/**
 * Calls that have a key and repeat by their content too: the house answers with the entry that did the same before, if
 * now there is nothing to do.
 */
const FINDS_BEFORE = new Set([
  'takeSeat',
  'leaveSeat',
  'closeBets',
  'voidRound',
  'createTournament',
  'register',
  'unregister',
  'setBounty',
  'disqualify',
  'substitutePrize',
  'changeRegistration',
  'postpone',
  'cancelTournament',
]);
/** Whether the entry of such a call, under a key that was never used, is one that the call made. */
const isFresh = (id, repeats) => repeats === 'once' || (repeats === 'key' && !FINDS_BEFORE.has(id));
const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
function wrongBy(rule, { by }, args, said) {
  if (rule === 'anyone')
    return null;
  const player = args['player'];
  const isRight = () => {
    if (rule === 'auditor')
      return String(said).startsWith('auditor:');
    if (rule === 'house' || rule === 'operator')
      return said === rule;
    if (by !== null)
      return said === by;
    const isPlayer = typeof player === 'string' ? said === `player:${player}` : String(said).startsWith('player:');
    return isPlayer || (rule === 'giver' && said === 'operator');
  };
  return isRight() ? null : `asked for by ${by ?? rule}, the entry is by ${JSON.stringify(said)}`;
}
/** Holds the entry of a reply, which is proven to be on the log, against what was asked for. */
function holdToAsked(id, given, receipts, asking) {
  const args = given, asked = ASKED[id]?.(args), [own] = receipts;
  if (!asked || !own)
    return;
  const { by, command } = readEntry(own.entry);
  const outer = asked.isTournament ? command['tournament'] : command;
  const [name = 'nothing', got] = Object.entries(outer ?? {})[0] ?? [];
  const fields = (got ?? {});
  const evidence = { name: 'receipts.json', text: JSON.stringify({ receipts }) };
  const fail = (message) => {
    throw new CheckFailed({ check: 'asked', entry: own.index, message }, evidence);
  };
  if (!asked.names.includes(name))
    fail(`asked for ${asked.names.join(' or ')}, the entry says ${name}`);
  for (const [field, wanted] of Object.entries(asked.fields)) {
    const said = fields[field];
    // A secret stands in no message: a seed that the entry does not have is not told to whoever reads the error.
    const shown = (value) => (field === 'seed' ? 'a seed' : (JSON.stringify(value) ?? 'nothing'));
    if (!isSame(said, wanted))
      fail(`${field}: asked for ${shown(wanted)}, the entry says ${shown(said)}`);
  }
  const wrong = asked.wrong?.(fields) ?? wrongBy(asked.by, asking, args, by);
  if (wrong !== null)
    fail(wrong);
  // *Attack: the receipt of an equal credit of last week, for one that was never given.*
  if (asking.size !== null && BigInt(own.index) < asking.size)
    fail(`the entry is older than the request: the log had ${asking.size} entries before it`);
}

// --- caller.ts

class Caller {
}

// --- generated/tournament-calls.ts

class TournamentCalls extends Caller {
  /** The structures that the product ships. */
  listStructures(options = {}) {
    return this.call('listStructures', {}, options);
  }
  /** A structure. */
  getStructure(args, options = {}) {
    return this.call('getStructure', args, options);
  }
  /** The tournaments, by name. */
  listTournaments(args = {}, options = {}) {
    return this.call('listTournaments', args, options);
  }
  /** Announce a tournament. */
  createTournament(args, options = {}) {
    return this.call('createTournament', args, options);
  }
  /** A tournament as it stands. */
  getTournament(args, options = {}) {
    return this.call('getTournament', args, options);
  }
  /** The standings. */
  listStandings(args, options = {}) {
    return this.call('listStandings', args, options);
  }
  /** Its tables, by number. */
  listTournamentTables(args, options = {}) {
    return this.call('listTournamentTables', args, options);
  }
  /** A tournament's own entries in order. */
  listTournamentEntries(args, options = {}) {
    return this.call('listTournamentEntries', args, options);
  }
  /** Enter, or enter again. */
  register(args, options = {}) {
    return this.call('register', args, options);
  }
  /** Give the entry back. */
  unregister(args, options = {}) {
    return this.call('unregister', args, options);
  }
  /** Reveal a seed for a draw of seats. */
  revealSeatSeed(args, options = {}) {
    return this.call('revealSeatSeed', args, options);
  }
  /** Buy chips again. */
  rebuy(args, options = {}) {
    return this.call('rebuy', args, options);
  }
  /** No rebuy: the player is out. */
  declineRebuy(args, options = {}) {
    return this.call('declineRebuy', args, options);
  }
  /** Take the add-on. */
  addOn(args, options = {}) {
    return this.call('addOn', args, options);
  }
  /** Offer a part of the entry. */
  offerStake(args, options = {}) {
    return this.call('offerStake', args, options);
  }
  /** Buy a part of somebody's entry. */
  buyStake(args, options = {}) {
    return this.call('buyStake', args, options);
  }
  /** Wish for a deal, or not any more. */
  wantDeal(args, options = {}) {
    return this.call('wantDeal', args, options);
  }
  /** Propose the numbers of a deal. */
  proposeDeal(args, options = {}) {
    return this.call('proposeDeal', args, options);
  }
  /** Accept a deal, or refuse it. */
  answerDeal(args, options = {}) {
    return this.call('answerDeal', args, options);
  }
  /** Say who has a bounty. */
  setBounty(args, options = {}) {
    return this.call('setBounty', args, options);
  }
  /** Disqualify a player. */
  disqualify(args, options = {}) {
    return this.call('disqualify', args, options);
  }
  /** Offer something else for a prize, or accept it. */
  substitutePrize(args, options = {}) {
    return this.call('substitutePrize', args, options);
  }
  /** Change the times of registration. */
  changeRegistration(args, options = {}) {
    return this.call('changeRegistration', args, options);
  }
  /** Begin later. */
  postpone(args, options = {}) {
    return this.call('postpone', args, options);
  }
  /** Call it off. */
  cancelTournament(args, options = {}) {
    return this.call('cancelTournament', args, options);
  }
}

// --- generated/calls.ts

class Calls extends TournamentCalls {
  /** The process answers. */
  getHealth(options = {}) {
    return this.call('getHealth', {}, options);
  }
  /** The service can be used. */
  getReady(options = {}) {
    return this.call('getReady', {}, options);
  }
  /** The shards, and who leads them. */
  getCluster(options = {}) {
    return this.call('getCluster', {}, options);
  }
  /** Metrics for an operator's monitoring. */
  getMetrics(options = {}) {
    return this.call('getMetrics', {}, options);
  }
  /** This contract. */
  getContract(options = {}) {
    return this.call('getContract', {}, options);
  }
  /** A second verifier, as a page. */
  getVerifier(options = {}) {
    return this.call('getVerifier', {}, options);
  }
  /** The newest signed checkpoint. */
  getCheckpoint(options = {}) {
    return this.call('getCheckpoint', {}, options);
  }
  /** The newest checkpoint that met the witnesses' quorum. */
  getWitnessedCheckpoint(options = {}) {
    return this.call('getWitnessedCheckpoint', {}, options);
  }
  /** A tile of hashes. */
  getTile(args, options = {}) {
    return this.call('getTile', args, options);
  }
  /** The lines of a state that the log may name. */
  getState(args, options = {}) {
    return this.call('getState', args, options);
  }
  /** A bundle of entries. */
  getEntryBundle(args, options = {}) {
    return this.call('getEntryBundle', args, options);
  }
  /** The log in one view. */
  getLog(options = {}) {
    return this.call('getLog', {}, options);
  }
  /** An entry's receipt. */
  getReceipt(args, options = {}) {
    return this.call('getReceipt', args, options);
  }
  /** An entry's exact bytes. */
  getEntry(args, options = {}) {
    return this.call('getEntry', args, options);
  }
  /** Become a guest. */
  admitGuest(args = {}, options = {}) {
    return this.call('admitGuest', args, options);
  }
  /** Players' names. */
  getNames(args, options = {}) {
    return this.call('getNames', args, options);
  }
  /** Find players. */
  listPlayers(args = {}, options = {}) {
    return this.call('listPlayers', args, options);
  }
  /** Create a player. */
  createPlayer(args, options = {}) {
    return this.call('createPlayer', args, options);
  }
  /** A balance, a key, the last nonce. */
  getPlayer(args, options = {}) {
    return this.call('getPlayer', args, options);
  }
  /** All that moved a player's balance. */
  listTransactions(args, options = {}) {
    return this.call('listTransactions', args, options);
  }
  /** Chips in. */
  creditPlayer(args, options = {}) {
    return this.call('creditPlayer', args, options);
  }
  /** Chips out. */
  withdrawChips(args, options = {}) {
    return this.call('withdrawChips', args, options);
  }
  /** Correct the book against a player. */
  correctPlayer(args, options = {}) {
    return this.call('correctPlayer', args, options);
  }
  /** The key that a player signs with. */
  setKey(args, options = {}) {
    return this.call('setKey', args, options);
  }
  /** A limit that a player sets themselves. */
  setLimit(args, options = {}) {
    return this.call('setLimit', args, options);
  }
  /** A player shuts themselves out. */
  exclude(args, options = {}) {
    return this.call('exclude', args, options);
  }
  /** A further token for a player. */
  issueToken(args, options = {}) {
    return this.call('issueToken', args, options);
  }
  /** A ticket by which a browser becomes the player. */
  issueTicket(args, options = {}) {
    return this.call('issueTicket', args, options);
  }
  /** A player's token for a ticket. */
  exchangeTicket(args, options = {}) {
    return this.call('exchangeTicket', args, options);
  }
  /** A token for an auditor. */
  createAuditor(args, options = {}) {
    return this.call('createAuditor', args, options);
  }
  /** Other logs that are known. */
  listLogs(options = {}) {
    return this.call('listLogs', {}, options);
  }
  /** Name another log. */
  knowLog(args, options = {}) {
    return this.call('knowLog', args, options);
  }
  /** Chips from another log. */
  claimTransfer(args, options = {}) {
    return this.call('claimTransfer', args, options);
  }
  /** Chips to another log. */
  sendTransfer(args, options = {}) {
    return this.call('sendTransfer', args, options);
  }
  /** A player's open operations of the wallet. */
  getPlayerWallet(args, options = {}) {
    return this.call('getPlayerWallet', args, options);
  }
  /** Chips for money that the wallet has. */
  depositFromWallet(args, options = {}) {
    return this.call('depositFromWallet', args, options);
  }
  /** Chips back to the wallet. */
  withdrawToWallet(args, options = {}) {
    return this.call('withdrawToWallet', args, options);
  }
  /** An operation of the wallet. */
  getWalletOperation(args, options = {}) {
    return this.call('getWalletOperation', args, options);
  }
  /** A deposit is not wanted any more. */
  cancelDeposit(args, options = {}) {
    return this.call('cancelDeposit', args, options);
  }
  /** The rule sets on offer. */
  listRuleSets(options = {}) {
    return this.call('listRuleSets', {}, options);
  }
  /** A rule set. */
  getRuleSet(args, options = {}) {
    return this.call('getRuleSet', args, options);
  }
  /** The open tables, by name. */
  listTables(args = {}, options = {}) {
    return this.call('listTables', args, options);
  }
  /** Open a table. */
  openTable(args, options = {}) {
    return this.call('openTable', args, options);
  }
  /** A table. */
  getTable(args, options = {}) {
    return this.call('getTable', args, options);
  }
  /** The table's current shoe commitment. */
  getTableShoe(args, options = {}) {
    return this.call('getTableShoe', args, options);
  }
  /** The bundle of the table's latest shoe. */
  getTableBundle(args, options = {}) {
    return this.call('getTableBundle', args, options);
  }
  /** Close a table. */
  closeTable(args, options = {}) {
    return this.call('closeTable', args, options);
  }
  /** Take a seat, or ask to play the next round. */
  takeSeat(args, options = {}) {
    return this.call('takeSeat', args, options);
  }
  /** Leave the seat. */
  leaveSeat(args, options = {}) {
    return this.call('leaveSeat', args, options);
  }
  /** Sit out. */
  sitOut(args, options = {}) {
    return this.call('sitOut', args, options);
  }
  /** Wait for a seat. */
  wantSeat(args, options = {}) {
    return this.call('wantSeat', args, options);
  }
  /** Free a seat. */
  unseat(args, options = {}) {
    return this.call('unseat', args, options);
  }
  /** Add chips before a seat of a cash table. */
  addChips(args, options = {}) {
    return this.call('addChips', args, options);
  }
  /** Announce “no more bets”. */
  closeBets(args, options = {}) {
    return this.call('closeBets', args, options);
  }
  /** Change the shoe at discretion. */
  shuffle(args, options = {}) {
    return this.call('shuffle', args, options);
  }
  /** A table's entries in order, with openings. */
  listTableEntries(args, options = {}) {
    return this.call('listTableEntries', args, options);
  }
  /** A shoe, and its seeds once it is retired. */
  getShoe(args, options = {}) {
    return this.call('getShoe', args, options);
  }
  /** A shoe that was disclosed to the caller. */
  getDisclosure(args, options = {}) {
    return this.call('getDisclosure', args, options);
  }
  /** Disclose a sealed shoe to an auditor. */
  discloseShoe(args, options = {}) {
    return this.call('discloseShoe', args, options);
  }
  /** A player's rounds, newest first. */
  listPlayerRounds(args, options = {}) {
    return this.call('listPlayerRounds', args, options);
  }
  /** Bet, with the commitment to a fresh seed. */
  placeBet(args, options = {}) {
    return this.call('placeBet', args, options);
  }
  /** The text of a commitment. */
  tryCommitment(args, options = {}) {
    return this.call('tryCommitment', args, options);
  }
  /** Take bets back before they are closed. */
  cancelBet(args, options = {}) {
    return this.call('cancelBet', args, options);
  }
  /** A table's rounds, newest first. */
  listTableRounds(args, options = {}) {
    return this.call('listTableRounds', args, options);
  }
  /** A round, with openings of every card shown. */
  getRound(args, options = {}) {
    return this.call('getRound', args, options);
  }
  /** Commit to a seed for a hand of poker, or for a new pile. */
  commitSeed(args, options = {}) {
    return this.call('commitSeed', args, options);
  }
  /** Reveal a client seed. */
  revealSeed(args, options = {}) {
    return this.call('revealSeed', args, options);
  }
  /** Hand in a seed after the void. */
  handInLateSeed(args, options = {}) {
    return this.call('handInLateSeed', args, options);
  }
  /** The caller's open decisions. */
  listActions(args, options = {}) {
    return this.call('listActions', args, options);
  }
  /** Decide. */
  act(args, options = {}) {
    return this.call('act', args, options);
  }
  /** Declare a malfunction. */
  voidRound(args, options = {}) {
    return this.call('voidRound', args, options);
  }
  /** The dispute bundle. */
  getBundle(args, options = {}) {
    return this.call('getBundle', args, options);
  }
  /** Judge a bundle. */
  verifyBundle(args, options = {}) {
    return this.call('verifyBundle', args, options);
  }
  /** The last rounds of a player, in full. */
  recallPlayer(args, options = {}) {
    return this.call('recallPlayer', args, options);
  }
  /** A round, step by step. */
  recallRound(args, options = {}) {
    return this.call('recallRound', args, options);
  }
  /** Find rounds. */
  findRounds(args = {}, options = {}) {
    return this.call('findRounds', args, options);
  }
  /** All rounds between two times. */
  exportRounds(args = {}, options = {}) {
    return this.call('exportRounds', args, options);
  }
  /** Significant events. */
  listSignificant(args = {}, options = {}) {
    return this.call('listSignificant', args, options);
  }
}

// --- generated/operations.ts

// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// Every call of the contract, and how a call whose answer was lost may be repeated.
const OPERATIONS = {
  getHealth: { method: 'GET', path: '/healthz', reply: 'text', repeats: 'read' },
  getReady: { method: 'GET', path: '/readyz', reply: 'json', repeats: 'read' },
  getCluster: { method: 'GET', path: '/v1/cluster', reply: 'json', repeats: 'read' },
  getMetrics: { method: 'GET', path: '/metrics', reply: 'text', repeats: 'read' },
  getContract: { method: 'GET', path: '/openapi.yaml', reply: 'text', repeats: 'read' },
  getVerifier: { method: 'GET', path: '/verify', reply: 'text', repeats: 'read' },
  getCheckpoint: { method: 'GET', path: '/checkpoint', reply: 'text', repeats: 'read' },
  getWitnessedCheckpoint: { method: 'GET', path: '/checkpoint/witnessed', reply: 'text', repeats: 'read' },
  getTile: { method: 'GET', path: '/tile/{level}/{index}', reply: 'bytes', repeats: 'read' },
  getState: { method: 'GET', path: '/state/{size}', reply: 'text', repeats: 'read' },
  getEntryBundle: { method: 'GET', path: '/tile/entries/{index}', reply: 'bytes', repeats: 'read' },
  getLog: { method: 'GET', path: '/v1/log', reply: 'json', repeats: 'read' },
  getReceipt: { method: 'GET', path: '/v1/receipts/{index}', reply: 'text', repeats: 'read' },
  getEntry: { method: 'GET', path: '/v1/entries/{index}', reply: 'json', repeats: 'read' },
  admitGuest: { method: 'POST', path: '/v1/guests', reply: 'json', repeats: 'key' },
  getNames: { method: 'GET', path: '/v1/names', reply: 'json', repeats: 'read' },
  listPlayers: { method: 'GET', path: '/v1/players', reply: 'json', repeats: 'read' },
  createPlayer: { method: 'POST', path: '/v1/players', reply: 'json', repeats: 'key' },
  getPlayer: { method: 'GET', path: '/v1/players/{player}', reply: 'json', repeats: 'read' },
  listTransactions: { method: 'GET', path: '/v1/players/{player}/transactions', reply: 'text', repeats: 'read' },
  creditPlayer: { method: 'POST', path: '/v1/players/{player}/credit', reply: 'json', repeats: 'key' },
  withdrawChips: { method: 'POST', path: '/v1/players/{player}/withdraw', reply: 'json', repeats: 'key' },
  correctPlayer: { method: 'POST', path: '/v1/players/{player}/correct', reply: 'json', repeats: 'key' },
  setKey: { method: 'POST', path: '/v1/players/{player}/key', reply: 'json', repeats: 'key' },
  setLimit: { method: 'POST', path: '/v1/players/{player}/limits', reply: 'json', repeats: 'key' },
  exclude: { method: 'POST', path: '/v1/players/{player}/exclusion', reply: 'json', repeats: 'key' },
  issueToken: { method: 'POST', path: '/v1/players/{player}/tokens', reply: 'json', repeats: 'once' },
  issueTicket: { method: 'POST', path: '/v1/players/{player}/tickets', reply: 'json', repeats: 'read' },
  exchangeTicket: { method: 'POST', path: '/v1/tickets/exchange', reply: 'json', repeats: 'once' },
  createAuditor: { method: 'POST', path: '/v1/auditors', reply: 'json', repeats: 'once' },
  listLogs: { method: 'GET', path: '/v1/logs', reply: 'json', repeats: 'read' },
  knowLog: { method: 'POST', path: '/v1/logs', reply: 'json', repeats: 'key' },
  claimTransfer: { method: 'POST', path: '/v1/transfers', reply: 'json', repeats: 'content' },
  sendTransfer: { method: 'POST', path: '/v1/players/{player}/transfers', reply: 'json', repeats: 'key' },
  getPlayerWallet: { method: 'GET', path: '/v1/players/{player}/wallet', reply: 'json', repeats: 'read' },
  depositFromWallet: {
    method: 'POST', path: '/v1/players/{player}/wallet/deposits', reply: 'json', repeats: 'key',
  },
  withdrawToWallet: {
    method: 'POST', path: '/v1/players/{player}/wallet/withdrawals', reply: 'json', repeats: 'key',
  },
  getWalletOperation: { method: 'GET', path: '/v1/wallet/{no}', reply: 'json', repeats: 'read' },
  cancelDeposit: { method: 'POST', path: '/v1/wallet/{no}/cancel', reply: 'json', repeats: 'key' },
  listRuleSets: { method: 'GET', path: '/v1/rulesets', reply: 'json', repeats: 'read' },
  getRuleSet: { method: 'GET', path: '/v1/rulesets/{name}', reply: 'json', repeats: 'read' },
  listTables: { method: 'GET', path: '/v1/tables', reply: 'json', repeats: 'read' },
  openTable: { method: 'POST', path: '/v1/tables', reply: 'json', repeats: 'key' },
  getTable: { method: 'GET', path: '/v1/tables/{table}', reply: 'json', repeats: 'read' },
  getTableShoe: { method: 'GET', path: '/v1/tables/{table}/shoe', reply: 'json', repeats: 'read' },
  getTableBundle: { method: 'GET', path: '/v1/tables/{table}/bundle', reply: 'json', repeats: 'read' },
  closeTable: { method: 'POST', path: '/v1/tables/{table}/close', reply: 'json', repeats: 'key' },
  takeSeat: { method: 'POST', path: '/v1/tables/{table}/seat', reply: 'json', repeats: 'key' },
  leaveSeat: { method: 'DELETE', path: '/v1/tables/{table}/seat', reply: 'json', repeats: 'key' },
  sitOut: { method: 'POST', path: '/v1/tables/{table}/sit_out', reply: 'json', repeats: 'key' },
  wantSeat: { method: 'POST', path: '/v1/tables/{table}/waiting', reply: 'json', repeats: 'key' },
  unseat: { method: 'POST', path: '/v1/tables/{table}/seats/{seat}/unseat', reply: 'json', repeats: 'key' },
  addChips: { method: 'POST', path: '/v1/tables/{table}/chips', reply: 'json', repeats: 'key' },
  closeBets: { method: 'POST', path: '/v1/tables/{table}/close_bets', reply: 'json', repeats: 'key' },
  shuffle: { method: 'POST', path: '/v1/tables/{table}/shuffle', reply: 'json', repeats: 'key' },
  listTableEntries: { method: 'GET', path: '/v1/tables/{table}/entries', reply: 'json', repeats: 'read' },
  getShoe: { method: 'GET', path: '/v1/shoes/{table}/{shoe_no}', reply: 'json', repeats: 'read' },
  getDisclosure: { method: 'GET', path: '/v1/shoes/{table}/{shoe_no}/disclosure', reply: 'json', repeats: 'read' },
  discloseShoe: { method: 'POST', path: '/v1/shoes/{table}/{shoe_no}/disclosure', reply: 'json', repeats: 'key' },
  listPlayerRounds: { method: 'GET', path: '/v1/players/{player}/rounds', reply: 'json', repeats: 'read' },
  placeBet: { method: 'POST', path: '/v1/tables/{table}/bets', reply: 'json', repeats: 'content' },
  tryCommitment: { method: 'POST', path: '/v1/tables/{table}/commitment', reply: 'json', repeats: 'read' },
  cancelBet: { method: 'DELETE', path: '/v1/tables/{table}/bets/{round_no}', reply: 'json', repeats: 'content' },
  listTableRounds: { method: 'GET', path: '/v1/tables/{table}/rounds', reply: 'json', repeats: 'read' },
  getRound: { method: 'GET', path: '/v1/rounds/{id}', reply: 'json', repeats: 'read' },
  commitSeed: { method: 'POST', path: '/v1/rounds/{id}/commitments', reply: 'json', repeats: 'content' },
  revealSeed: { method: 'POST', path: '/v1/rounds/{id}/reveals', reply: 'json', repeats: 'content' },
  handInLateSeed: { method: 'POST', path: '/v1/rounds/{id}/late-seeds', reply: 'json', repeats: 'content' },
  listActions: { method: 'GET', path: '/v1/rounds/{id}/actions', reply: 'json', repeats: 'read' },
  act: { method: 'POST', path: '/v1/rounds/{id}/actions', reply: 'json', repeats: 'content' },
  voidRound: { method: 'POST', path: '/v1/rounds/{id}/void', reply: 'json', repeats: 'key' },
  getBundle: { method: 'GET', path: '/v1/rounds/{id}/bundle', reply: 'json', repeats: 'read' },
  verifyBundle: { method: 'POST', path: '/v1/verify', reply: 'json', repeats: 'read' },
  listStructures: { method: 'GET', path: '/v1/structures', reply: 'json', repeats: 'read' },
  getStructure: { method: 'GET', path: '/v1/structures/{name}', reply: 'json', repeats: 'read' },
  listTournaments: { method: 'GET', path: '/v1/tournaments', reply: 'json', repeats: 'read' },
  createTournament: { method: 'POST', path: '/v1/tournaments', reply: 'json', repeats: 'key' },
  getTournament: { method: 'GET', path: '/v1/tournaments/{tournament}', reply: 'json', repeats: 'read' },
  listStandings: { method: 'GET', path: '/v1/tournaments/{tournament}/standings', reply: 'json', repeats: 'read' },
  listTournamentTables: {
    method: 'GET', path: '/v1/tournaments/{tournament}/tables', reply: 'json', repeats: 'read',
  },
  listTournamentEntries: {
    method: 'GET', path: '/v1/tournaments/{tournament}/entries', reply: 'json', repeats: 'read',
  },
  register: { method: 'POST', path: '/v1/tournaments/{tournament}/registration', reply: 'json', repeats: 'key' },
  unregister: {
    method: 'DELETE', path: '/v1/tournaments/{tournament}/registration', reply: 'json', repeats: 'key',
  },
  revealSeatSeed: {
    method: 'POST', path: '/v1/tournaments/{tournament}/draws/{draw_no}/reveals', reply: 'json', repeats: 'content',
  },
  rebuy: { method: 'POST', path: '/v1/tournaments/{tournament}/rebuy', reply: 'json', repeats: 'key' },
  declineRebuy: {
    method: 'POST', path: '/v1/tournaments/{tournament}/decline_rebuy', reply: 'json', repeats: 'key',
  },
  addOn: { method: 'POST', path: '/v1/tournaments/{tournament}/add_on', reply: 'json', repeats: 'key' },
  offerStake: { method: 'POST', path: '/v1/tournaments/{tournament}/stakes', reply: 'json', repeats: 'key' },
  buyStake: { method: 'POST', path: '/v1/tournaments/{tournament}/stakes/{seller}', reply: 'json', repeats: 'key' },
  wantDeal: { method: 'POST', path: '/v1/tournaments/{tournament}/deal/wish', reply: 'json', repeats: 'key' },
  proposeDeal: {
    method: 'POST', path: '/v1/tournaments/{tournament}/deal/proposals', reply: 'json', repeats: 'key',
  },
  answerDeal: { method: 'POST', path: '/v1/tournaments/{tournament}/deal/answers', reply: 'json', repeats: 'key' },
  setBounty: { method: 'POST', path: '/v1/tournaments/{tournament}/bounties', reply: 'json', repeats: 'key' },
  disqualify: { method: 'POST', path: '/v1/tournaments/{tournament}/disqualify', reply: 'json', repeats: 'key' },
  substitutePrize: {
    method: 'POST', path: '/v1/tournaments/{tournament}/substitutes', reply: 'json', repeats: 'key',
  },
  changeRegistration: {
    method: 'POST', path: '/v1/tournaments/{tournament}/registration_times', reply: 'json', repeats: 'key',
  },
  postpone: { method: 'POST', path: '/v1/tournaments/{tournament}/postpone', reply: 'json', repeats: 'key' },
  cancelTournament: { method: 'POST', path: '/v1/tournaments/{tournament}/cancel', reply: 'json', repeats: 'key' },
  recallPlayer: { method: 'GET', path: '/v1/players/{player}/recall', reply: 'json', repeats: 'read' },
  recallRound: { method: 'GET', path: '/v1/rounds/{id}/recall', reply: 'json', repeats: 'read' },
  findRounds: { method: 'GET', path: '/v1/rounds', reply: 'text', repeats: 'read' },
  exportRounds: { method: 'GET', path: '/v1/export', reply: 'text', repeats: 'read' },
  listSignificant: { method: 'GET', path: '/v1/significant', reply: 'json', repeats: 'read' },
};
/** The calls that a player with a key signs. */
const SIGNED_CALLS = new Set([
  'withdrawChips', 'setKey', 'setLimit', 'exclude', 'issueToken', 'sendTransfer', 'depositFromWallet',
  'withdrawToWallet', 'cancelDeposit', 'openTable', 'closeTable', 'takeSeat', 'leaveSeat', 'sitOut', 'wantSeat',
  'addChips', 'placeBet', 'cancelBet', 'commitSeed', 'revealSeed', 'handInLateSeed', 'act', 'register',
  'unregister', 'revealSeatSeed', 'rebuy', 'declineRebuy', 'addOn', 'offerStake', 'buyStake', 'wantDeal',
  'proposeDeal', 'answerDeal', 'substitutePrize',
]);
/** The calls that the service signs for before it decides them, where that is asked for. */
const SIGNED_FOR = new Set([
  'placeBet', 'cancelBet', 'commitSeed', 'revealSeed', 'act', 'register', 'unregister', 'revealSeatSeed', 'rebuy',
  'addOn', 'answerDeal',
]);

// --- keys.ts

// A player's own Ed25519 key (spec/entries.md, "Signed commands"): made here, kept in the client's store, and saved to
// a file and brought back from one. Its secret half is shown to nobody but the player.
const HEX = /^[0-9a-f]{64}$/;
/** A file of a key is not a tenth as long. */
const MOST_FILE = 4096;
const toBase64Url = (hex) => btoa(String.fromCharCode(...(hex.match(/../g) ?? []).map(byte => parseInt(byte, 16))))
  .replace(/\+/g, '-')
  .replace(/\//g, '_')
  .replace(/=/g, '');
const toHex = (base64Url) => [...atob(base64Url.replace(/-/g, '+').replace(/_/g, '/'))]
  .map(one => one.charCodeAt(0).toString(16).padStart(2, '0'))
  .join('');
/** A new key; null where the platform makes none: an old browser, or a page that did not come over `https`. */
async function freshPlayerKey() {
  try {
    const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']));
    const { d, x } = await crypto.subtle.exportKey('jwk', pair.privateKey);
    return { key: toHex(x ?? ''), secret: toHex(d ?? '') };
  }
  catch {
    return null;
  }
}
/** What signs with this key; null where its halves are not of one key, or the platform knows no such keys. */
async function signerOfKey({ key, secret }) {
  try {
    const shown = { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(key) };
    const pen = await crypto.subtle.importKey('jwk', { ...shown, d: toBase64Url(secret) }, 'Ed25519', false, ['sign']);
    const signer = async (message) => new Uint8Array(await crypto.subtle.sign('Ed25519', pen, message));
    // Not every platform compares the halves. *Attack: a file with another's public half, so that each signature of it
    // tells of the secret one.*
    const eye = await crypto.subtle.importKey('jwk', shown, 'Ed25519', false, ['verify']);
    const probe = new TextEncoder().encode(`fairshoe/v1/key-probe\n${freshSeed()}\n`);
    const tried = (await signer(probe));
    return (await crypto.subtle.verify('Ed25519', eye, tried, probe)) ? signer : null;
  }
  catch {
    return null;
  }
}
const MARK = 'pen of ';
/** The keys of one player of one log in a store. One that may have been named stays: it may be the one in force. */
class PlayerKeys {
  #store;
  #origin;
  #player;
  constructor(store, origin, player) {
    this.#store = store;
    this.#origin = origin;
    this.#player = player;
  }
  /** Each under its own name: two tabs that make one at once lose none. */
  get #prefix() {
    return `${MARK}${this.#origin} ${this.#player} `;
  }
  async all() {
    const names = [...(await this.#store.names())].filter(name => name.startsWith(this.#prefix));
    return names.map(name => name.slice(this.#prefix.length)).filter(key => HEX.test(key)).sort();
  }
  /** Also of a log before this one: under a new name a log goes on with its players' keys (spec/recovery.md). */
  async find(key) {
    const end = ` ${this.#player} ${key}`, names = [...(await this.#store.names())].filter(name => name.startsWith(MARK) && name.endsWith(end));
    const secret = names[0] === undefined ? null : await this.#store.get(names[0]);
    return secret === null || !HEX.test(secret) ? null : { key, secret };
  }
  async keep({ key, secret }) {
    await this.#store.set(this.#prefix + key, secret);
  }
  async forget() {
    for (const key of await this.all())
      await this.#store.delete(this.#prefix + key);
  }
  /** The text of a file that holds the key, for `read` of another store, of this client or the Python one. */
  write({ key, secret }) {
    const held = { fairshoe_player_key: 1, log: this.#origin, player: this.#player, key, secret };
    return `${JSON.stringify(held, null, 2)}\n`;
  }
  /** The key of such a file, which has to be this player's, and of this log where it is none of these. */
  read(text, known) {
    const { fairshoe_player_key: form, log, player, key, secret } = fieldsOf(text);
    if (form !== 1)
      throw new InvalidInput('this is no file of a key');
    if ((log !== this.#origin && !known.includes(key)) || player !== this.#player)
      throw new InvalidInput(`the file is of ${String(player)} at ${String(log)}, not of ${this.#player} here`);
    if (typeof key !== 'string' || typeof secret !== 'string' || !HEX.test(key) || !HEX.test(secret))
      throw new InvalidInput('the file is damaged: its key is none');
    return { key, secret };
  }
}
function fieldsOf(text) {
  if (text.length > MOST_FILE)
    throw new InvalidInput('this is no file of a key: it is too long');
  try {
    const value = readJson(text);
    return value !== null && typeof value === 'object' ? value : {};
  }
  catch {
    throw new InvalidInput('this is no file of a key');
  }
}

// --- lists.ts

// Lists that have no end which is known before: each line is bounded, read and handed on as it comes, and nothing is
// kept. All of it is the service's word; what contradicts itself, or was not asked for, is refused.
/** Characters of a line; the longest of its kind has less than 1,024. */
const LONGEST_LINE = 64 * 1024;
/** Between two lines the service may have a long log to look through, and sends nothing meanwhile. */
const LINE_MS = 600_000;
/** The lines of a body, each without its end. One that breaks off throws: what came before is not the whole. */
async function* linesOf(body, what, signal, longest = LONGEST_LINE, lineMs = LINE_MS) {
  const reader = body.getReader(), decoder = new TextDecoder();
  let rest = '', count = 0;
  const brokenOff = (why, cause) => new BrokenOff(what, count, why, cause);
  const next = async () => {
    let timer, stop;
    const ends = new Promise((_, reject) => {
      timer = setTimeout(() => reject(brokenOff('the next line does not come')), lineMs);
      stop = () => reject(signal?.reason);
      signal?.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([reader.read(), ends]);
    }
    catch (error) {
      signal?.throwIfAborted();
      throw error instanceof BrokenOff ? error : brokenOff('the connection ended', error);
    }
    finally {
      clearTimeout(timer);
      if (stop)
        signal?.removeEventListener('abort', stop);
    }
  };
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { value, done } = await next();
      if (done)
        break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longest || lines.some(line => line.length > longest))
        throw new BadReply(`${what}: a line is longer than ${longest} characters`);
      for (const line of lines) {
        count += 1;
        yield line;
      }
    }
    if (rest + decoder.decode() !== '')
      throw brokenOff('it ends within a line');
  }
  finally {
    await reader.cancel().catch(() => undefined);
  }
}
function recordOf(line, what) {
  const value = readJson(line);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new BadReply(`${what}: a line is no record`);
  return value;
}
/** A part in a round, which agrees with itself and was asked for. */
function partOf(line, asked) {
  const part = recordOf(line, 'findRounds');
  const { round, player, outcome, rules, ended, staked, returned, net, cause, last_entry: last } = part;
  const fail = (why) => {
    throw new BadReply(`findRounds: ${String(round)}: ${why}`);
  };
  if (typeof round !== 'string' || typeof player !== 'string')
    fail('a part names its round and its player');
  const isOver = outcome !== 'in_play';
  if ([ended, staked, returned, net, last].some(one => (one !== null) !== isOver))
    fail('it is over, or it is not, and the sums say otherwise');
  if (staked !== null && returned !== null && net !== null) {
    const won = cause !== null ? 'void' : net > 0 ? 'won' : net < 0 ? 'lost' : 'even';
    if (net !== returned - staked || outcome !== won)
      fail(`${returned} for ${staked} is not ${net}, ${outcome}`);
  }
  const told = { player, table: round.slice(0, round.lastIndexOf(':')), rules, outcome };
  if (Object.keys(told).some(name => asked[name] !== undefined && asked[name] !== told[name]))
    fail('it was not asked for');
  return part;
}
/** Reads postings to one account, which follow from each other. */
function transactionsFrom() {
  let before = null;
  return line => {
    const one = recordOf(line, 'listTransactions');
    const { index, amount, balance } = one;
    const isNext = before === null || (index >= before.index && before.balance + amount === balance);
    if (![index, amount, balance].every(Number.isSafeInteger) || balance < 0 || !isNext)
      throw new BadReply(`listTransactions: the posting of entry ${String(index)} does not follow the one before`);
    before = one;
    return one;
  };
}

// --- log.ts

// The log as this client knows it (spec/receipts.md, "Verifying" and "Keeping a checkpoint"): one key, and the newest
// checkpoint of one history. Whatever is signed otherwise, or is of another history, is a failed check.
const PIN = 'key of ';
const CHECKPOINT = 'checkpoint of ';
/** A node that follows may be behind the one that was asked before, for a moment. */
const TILE_PAUSES_MS = [100, 200, 400, 0];
const bytesOf = (text) => new TextEncoder().encode(text);
/** A signed checkpoint's size, as its second line says. */
const sizeOf = (checkpoint) => {
  const [, size = ''] = checkpoint.split('\n');
  if (!/^(0|[1-9][0-9]*)$/.test(size))
    throw new CheckFailed({ check: 'checkpoint', message: 'it has no size' });
  return BigInt(size);
};
const hasProof = (one) => typeof one?.proof === 'string';
/** The signed checkpoint that a receipt's proof ends with. */
const checkpointIn = (proof) => proof.slice(proof.indexOf('\n\n') + 2);
/** Runs a function of the verifier; what does not hold is a `CheckFailed`. */
function checking(action, evidence = null) {
  try {
    return action();
  }
  catch (error) {
    if (error instanceof verifier.Unusable)
      throw new BadReply(`the answer cannot be judged: ${error.message}`);
    if (!(error instanceof verifier.Unsound))
      throw asBadReply(error);
    const { check, message, entry, table, evidence: own } = error;
    const shown = own === undefined ? evidence : { name: `${check}.json`, text: own };
    throw new CheckFailed({ check: check ?? 'inclusion', message, entry, table }, shown);
  }
}
/** Throws the first finding of a report that is not sound. */
function holdReport(report, evidence = null) {
  if (report.verdict !== 'not_sound')
    return;
  const [first] = report.findings;
  throw new CheckFailed(first ?? { check: 'unknown', message: 'the verifier names no finding' }, evidence);
}
class KnownLog {
  #store;
  #source;
  #vkey = null;
  #trust = null;
  #checkpoint = null;
  #ready = null;
  /** Checks of one history against the next go one after the other: each begins at what the one before kept. */
  #extending = Promise.resolve();
  #failure = null;
  #given;
  /** Checkpoints whose signature holds, out of the last receipts. */
  #signed = new Set();
  constructor(source, store, given) {
    this.#source = source;
    this.#store = store;
    this.#given = given;
    if (given !== null) {
      try {
        verifier.readLogKey(given);
      }
      catch (error) {
        throw new InvalidInput(`the log's key cannot be used: ${error.message}`);
      }
    }
  }
  /** The first check that failed, after which nothing is sent that would bind the player; or null. */
  get failure() {
    return this.#failure;
  }
  /** The log's verifier key, once it is known. */
  get vkey() {
    return this.#vkey;
  }
  get trust() {
    return this.#trust;
  }
  /** The newest signed checkpoint that was verified; keep it, and compare it with what others saw. */
  get checkpoint() {
    return this.#checkpoint;
  }
  /** Remembers the first failed check; it is what is thrown from then on. */
  fail(error) {
    if (!(error instanceof CheckFailed))
      throw error;
    throw (this.#failure ??= error);
  }
  /** Knows the key, and takes up the checkpoint that was kept. */
  async ready(signal) {
    const asked = (this.#ready ??= this.#begin(signal));
    try {
      await asked;
    }
    catch (error) {
      if (this.#ready === asked)
        this.#ready = null;
      return this.fail(error);
    }
    return this.#vkey;
  }
  async #begin(signal) {
    const pins = await Promise.all(this.#source.addresses.map(address => this.#store.get(PIN + address)));
    const pinned = [...new Set([...pins, this.#given].filter(pin => pin !== null))];
    if (pinned.length > 1)
      throw new CheckFailed({ check: 'key', message: `the log's key was pinned as ${pinned.join(', and as ')}` });
    let [vkey] = pinned;
    this.#trust = this.#given !== null ? 'given' : 'pinned';
    if (vkey === undefined) {
      const info = await this.#source.info(signal);
      if (typeof info?.vkey !== 'string' || typeof info.checkpoint !== 'string')
        throw new BadReply('the service names no key of its log');
      this.#hold(info.checkpoint, info.vkey);
      vkey = info.vkey;
      this.#trust = 'pinned_now';
    }
    for (const address of this.#source.addresses)
      await this.#store.set(PIN + address, vkey);
    const kept = await this.#store.get(CHECKPOINT + vkey);
    if (kept !== null)
      this.#hold(kept, vkey);
    this.#checkpoint = kept;
    this.#vkey = vkey;
  }
  /** The signature of a checkpoint. */
  #hold(text, vkey) {
    if (this.#signed.has(text))
      return;
    const evidence = { name: 'checkpoint', text };
    checking(() => holdReport(verifier.verifyCheckpoint(bytesOf(text), null, vkey), evidence), evidence);
  }
  /** What the service says of its log: the same key, and a checkpoint of the one history. */
  async holdInfo(info, signal) {
    const vkey = await this.ready(signal);
    if (info.vkey !== vkey)
      this.fail(new CheckFailed({ check: 'key', message: `the service names the key ${info.vkey}; known is ${vkey}` }, { name: 'checkpoint', text: info.checkpoint }));
    if (info.origin !== verifier.readLogKey(vkey).name)
      this.fail(new CheckFailed({ check: 'origin', message: `the service names the log ${info.origin}` }));
    await this.hold(info.checkpoint, signal);
  }
  /**
   * Holds a signed checkpoint against the one that is kept, by tiles, and keeps the newer one. *Attack: a log that goes
   * back, or one that was made for this reader.* Where tiles do not come nothing is kept, and nothing has failed.
   */
  async hold(text, signal) {
    const vkey = await this.ready(signal);
    if (typeof text !== 'string')
      throw new BadReply('the answer has no checkpoint');
    const step = this.#extending.then(() => this.#extend(text, vkey, signal));
    this.#extending = step.catch(() => undefined);
    await step.catch((error) => this.fail(error));
  }
  async #extend(text, vkey, signal) {
    const before = this.#checkpoint;
    if (text === before)
      return;
    this.#hold(text, vkey);
    let newest = text;
    if (before !== null) {
      const [a, b] = [sizeOf(before), sizeOf(text)];
      const [older, newer] = a <= b ? [before, text] : [text, before];
      const paths = verifier.tilesFor(a < b ? a : b, a < b ? b : a);
      const fetched = paths.map(async (path) => [path, await this.#tile(path, [older, newer], signal)]);
      const tiles = Object.fromEntries(await Promise.all(fetched));
      checking(() => verifier.extends(older, newer, tiles, vkey));
      newest = newer;
    }
    if (newest !== before)
      await this.#keep(newest, vkey);
    this.#checkpoint = newest;
  }
  /** Another client of the same store, in another tab, may have kept a newer one meanwhile: that stays. */
  async #keep(newest, vkey) {
    const kept = await this.#store.get(CHECKPOINT + vkey);
    if (kept === null || sizeOf(kept) < sizeOf(newest))
      await this.#store.set(CHECKPOINT + vkey, newest);
  }
  async #tile(path, checkpoints, signal) {
    for (const pause of TILE_PAUSES_MS) {
      try {
        return await this.#source.tile(path, signal);
      }
      catch (error) {
        if (!(error instanceof ProblemError) || error.status !== 404)
          throw error;
        await sleep(pause, signal);
      }
    }
    throw new Unproven(checkpoints, path);
  }
  /**
   * Receipts: the log signed a tree that holds these very entries, and that tree is of the one history. The entries,
   * as they were written.
   */
  async receipts(receipts, signal) {
    const vkey = await this.ready(signal), text = JSON.stringify({ receipts });
    if (!receipts.every(hasProof))
      throw new BadReply('a receipt has no proof');
    const evidence = { name: 'receipts.json', text };
    try {
      checking(() => holdReport(verifier.verifyReceipts(bytesOf(text), null, null, vkey), evidence), evidence);
    }
    catch (error) {
      this.fail(error);
    }
    const notes = new Set(receipts.map(({ proof }) => checkpointIn(proof)));
    // Their signatures were looked at with the receipts.
    this.#signed = notes;
    for (const note of notes)
      await this.hold(note, signal);
  }
  /** A note of the house, of what it received or refused: whether its key signed it, for this log. */
  async isHouseNote(note, signal) {
    const key = await this.ready(signal);
    try {
      verifier.verifyLog({ lines: [], leaves: [] }, { key, kept: [{ name: 'note', bytes: bytesOf(note), entry: null }] });
      return true;
    }
    catch (error) {
      if (error instanceof verifier.Unusable)
        return false;
      throw error;
    }
  }
}

// --- notes.ts

// Signed notes of what the house received or refused (spec/receipts.md, "Received and refused"): evidence, kept until
// the log has what was asked for.
/** So many are kept of one log; the oldest go first. */
const MOST_NOTES = 256;
const OF_A_NOTE = 'note of ';
/** What a note says; of a refusal the code stands between. */
function saidIn({ kind, note }) {
  const lines = note.split('\n'), from = kind === 'received' ? 3 : 4;
  return { what: lines.slice(from, from + 3).join('\n'), time: Number(lines[2]) };
}
function saidInEntry(text) {
  const { by, command, signed, time } = readEntry(text);
  return { what: [by, writeJson(command), signed ? writeJson(signed) : '-'].join('\n'), time };
}
class Notes {
  #store;
  /** Of this run what was received, and is neither on the log nor refused as far as is known here: by name. */
  #open = new Map();
  #turn = Promise.resolve();
  constructor(store) {
    this.#store = store;
  }
  #inTurn(action) {
    const done = this.#turn.then(action);
    this.#turn = done.catch(() => undefined);
    return done;
  }
  /** Keeps a note that this log's key signed. A refusal of what was received takes the place of the note of that. */
  keep(origin, heard) {
    return this.#inTurn(async () => {
      const said = saidIn(heard), digest = verifier.hex(verifier.sha256(new TextEncoder().encode(heard.note)));
      const name = `${OF_A_NOTE}${origin} ${said.time} ${digest.slice(0, 32)}`;
      await this.#store.set(name, heard.note);
      if (heard.kind === 'received')
        this.#open.set(name, said);
      else
        await this.#forget(({ what }) => what === said.what);
      const names = await this.#names(origin);
      for (const old of names.slice(0, Math.max(names.length - MOST_NOTES, 0)))
        await this.#drop(old);
    });
  }
  /**
   * An entry is proven to be on the log: what was received of it no longer needs its note. *Attack: an older entry with
   * the same command, in the place of the one that was signed for.*
   */
  settle({ entry }) {
    if (!this.#open.size)
      return;
    const logged = saidInEntry(entry);
    const isLogged = ({ what, time }) => what === logged.what && time <= logged.time;
    // One note too many does no harm.
    this.#inTurn(() => this.#forget(isLogged)).catch(() => undefined);
  }
  /** Ends when what was proven so far is done with. */
  async settled() {
    await this.#turn;
  }
  /** All that are kept of this log, the oldest first. */
  all(origin) {
    return this.#inTurn(async () => {
      const notes = [];
      for (const name of await this.#names(origin)) {
        const note = await this.#store.get(name);
        if (note !== null)
          notes.push({ kind: note.startsWith('fairshoe refused/') ? 'refused' : 'received', note });
      }
      return notes;
    });
  }
  async #names(origin) {
    const mark = `${OF_A_NOTE}${origin} `, timeOf = (name) => Number(name.slice(mark.length).split(' ', 1)[0]);
    const names = [...(await this.#store.names())].filter(name => name.startsWith(mark));
    return names.sort((one, other) => timeOf(one) - timeOf(other));
  }
  async #forget(isMeant) {
    for (const [name, said] of [...this.#open])
      if (isMeant(said))
        await this.#drop(name);
  }
  async #drop(name) {
    this.#open.delete(name);
    await this.#store.delete(name);
  }
}
/** Notes as a file that `fairshoe-audit log --kept` and the second verifier read: a line for each. */
const linesOfNotes = (notes) => notes.map(({ kind, note }) => `${writeJson({ [kind]: note })}\n`).join('');

// --- owed.ts

// Entries that came without their proofs, which were asked for later (spec/receipts.md, "Proofs that come later"):
// until one is proven it is the service's word, and nothing that it signed.
/** So many entries are owed at most: past them the client asks with proofs again. */
const MOST_OWED = 4096;
/** Calls of a client with `proofs: 'later'` that ask for their proofs later by themselves. */
const BY_ITSELF = new Set(['revealSeed', 'act']);
/** The table of a round; an event has none. */
const tableOf = (round) => round.slice(0, Math.max(round.lastIndexOf(':'), 0));
/** The round that a call is about, or the event. */
const roundIn = ({ id, tournament, table, round_no: roundNo }) => String(id ?? tournament ?? `${String(table)}:${String(roundNo)}`);
/** Whether the receipts of a call may come without their proofs. */
const asksLater = ({ query }) => query?.proofs === 'later';
class Owed {
  #entries = new Map();
  list() {
    return [...this.#entries.values()];
  }
  /** The arguments of a call with `proofs=later` where it is to ask so: `isWanted` by the client's own option. */
  ask(id, args, isWanted) {
    const isAsked = asksLater(args);
    // *Attack: a house that could still choose its shoe when it knows the seed.*
    if (isAsked && id === 'placeBet')
      throw new InvalidInput('the proofs of a bet are not asked for later: they are held before its seed is revealed');
    if (!isAsked && !(isWanted && BY_ITSELF.has(id)))
      return args;
    const { proofs: _, ...others } = (args.query ?? {});
    return { ...args, query: this.#entries.size < MOST_OWED ? { ...others, proofs: 'later' } : others };
  }
  /**
   * Keeps the entry of a receipt that came without a proof, where that was asked for. False where as many are owed as
   * may be (calls that went out at once, or a second receipt): then it is not kept, and is to be proven at once.
   */
  add({ index, entry }, round) {
    if (!Number.isSafeInteger(index) || index < 0 || typeof entry !== 'string')
      throw new BadReply('a receipt without a proof has no index and entry');
    const before = this.#entries.get(index);
    if (before && before.entry !== entry)
      fail(before, entry, 'the service told two entries at this place');
    if (!before && this.#entries.size >= MOST_OWED)
      return false;
    this.#entries.set(index, { index, entry, round });
    return true;
  }
  /**
   * An entry that is proven to be on the log: one that was owed there has to be the same, and is owed no more. What
   * differs stays: these bytes are all that there is of the lie.
   */
  settle({ index, entry }) {
    const owed = this.#entries.get(index);
    if (!owed)
      return;
    if (owed.entry !== entry)
      fail(owed, entry, 'the log has another entry than the one that the service told');
    this.#entries.delete(index);
  }
}
function fail({ index, entry }, other, message) {
  const text = JSON.stringify({ index, told: entry, other });
  throw new CheckFailed({ check: 'receipt', entry: index, message }, { name: 'told.json', text });
}

// --- seeds.ts

// Client seeds (spec/fairness.md, "Client seed"): made here, kept before their commitment is told to anybody, and kept
// until the round is over.
const PREFIX = 'seed ';
/** Seeds of rounds whose end was never seen are forgotten after this. */
const KEPT_MS = 7 * 86_400_000;
const NAME = /^[a-z0-9_-][a-z0-9._-]{0,63}$/;
/** The commitment to a seed, which is all that is shown of it before the bets are closed. */
function commitmentTo(seed, { origin, table, epoch, roundNo, player }) {
  const bytes = verifier.unhex(seed, 32);
  if (!bytes)
    throw new InvalidInput('a seed is 64 lower-case hexadecimal digits');
  if (!verifier.unhex(epoch, 32))
    throw new InvalidInput('an epoch is 64 lower-case hexadecimal digits');
  if (!NAME.test(table) || !NAME.test(player))
    throw new InvalidInput('that is no name of a table or a player');
  if (!Number.isSafeInteger(roundNo) || roundNo < 0)
    throw new InvalidInput(`${roundNo} is no round's number`);
  return verifier.clientCommitment(verifier.tableContext(origin, table, epoch), roundNo, player, bytes);
}
const nameOf = ({ origin, table, epoch, roundNo, player }) => `${PREFIX}${origin} ${table} ${epoch} ${roundNo} ${player}`;
/** Whether these are the same bets, in whatever order. */
function isSameBets(one, other) {
  const plain = (bets) => bets.map(({ spot, stake }) => `${spot} ${stake}`).sort();
  return isSame(plain(one), plain(other));
}
/** What is done with one store goes one after the other: two bets at once have one seed. */
const queues = new WeakMap();
class Seeds {
  #store;
  #cleaned = null;
  constructor(store) {
    this.#store = store;
  }
  #inTurn(action) {
    const done = (queues.get(this.#store) ?? Promise.resolve()).then(action);
    queues.set(this.#store, done.catch(() => undefined));
    return done;
  }
  /**
   * The seed for a round: the one that is kept, else `chosen`, which the player made by themselves, else a fresh one.
   * It is in the store when this is over, so that its commitment may be sent. One place has one seed: *a second one
   * shown for the same round would tell the house what the first commitment does not bind.*
   */
  async prepare(place, bets, chosen = null) {
    await (this.#cleaned ??= this.forgetOld(Date.now() - KEPT_MS));
    return this.#inTurn(async () => {
      const name = nameOf(place), before = await this.#read(name);
      const seed = before?.seed ?? chosen ?? freshSeed(), asked = before?.bets ?? [];
      const isNew = bets !== null && !asked.some(one => isSameBets(one, bets));
      const kept = {
        seed,
        commitment: commitmentTo(seed, place),
        bets: isNew ? [...asked, bets] : asked,
        madeAt: before?.madeAt ?? Date.now(),
      };
      await this.#store.set(name, JSON.stringify(kept));
      return kept;
    });
  }
  /** The log has these bets in place of those before them: only they may bind from now on. */
  async stands(place, bets) {
    await this.#inTurn(() => this.#setBets(nameOf(place), [bets]));
  }
  /** The log has it that the bets of this round are taken back: none may bind. */
  async takenBack(origin, table, roundNo, player) {
    await this.#inTurn(async () => {
      for (const name of await this.#namesOf(origin, table, roundNo, player))
        await this.#setBets(name, []);
    });
  }
  async #setBets(name, bets) {
    const kept = await this.#read(name);
    if (kept)
      await this.#store.set(name, JSON.stringify({ ...kept, bets }));
  }
  async #namesOf(origin, table, roundNo, player) {
    return [...(await this.#store.names())].filter(name => name.startsWith(`${PREFIX}${origin} ${table} `) && name.endsWith(` ${roundNo} ${player}`));
  }
  /** The seed that was kept under this commitment, whatever the epoch; or null. */
  async find(origin, table, roundNo, player, commitment) {
    for (const name of await this.#namesOf(origin, table, roundNo, player)) {
      const kept = await this.#read(name);
      if (kept?.commitment === commitment)
        return kept;
    }
    return null;
  }
  /** Forgets the seeds of this table's rounds up to this one: they are over. */
  async forget(origin, table, player, upTo) {
    for (const name of await this.#store.names()) {
      if (!name.startsWith(`${PREFIX}${origin} ${table} `))
        continue;
      const [, , , , roundNo, whose] = name.split(' ');
      if (whose === player && Number(roundNo) <= upTo)
        await this.#store.delete(name);
    }
  }
  /** Forgets those that were made before this time. */
  async forgetOld(before) {
    for (const name of await this.#store.names()) {
      if (!name.startsWith(PREFIX))
        continue;
      const kept = await this.#read(name);
      if (!kept || kept.madeAt < before)
        await this.#store.delete(name);
    }
  }
  async #read(name) {
    const text = await this.#store.get(name);
    return text === null ? null : JSON.parse(text);
  }
}

// --- sign.ts

// Commands that a player with a key signs (spec/entries.md, "Signed commands"): the command as it will stand in the
// entry, in the contract's order of fields.
/** A signer from a key of WebCrypto, where the platform knows Ed25519. */
const signerOf = (key) => async (message) => new Uint8Array(await crypto.subtle.sign('Ed25519', key, message));
/** These fields of a body, in this order; what is not said is left out. */
const pick = (from, ...names) => Object.fromEntries(names.filter(name => from?.[name] !== undefined).map(name => [name, from?.[name]]));
/** A tournament's command: these fields of the path and the body, in this order, behind the event. */
const inEvent = (name, ...fields) => ({ tournament, body, ...path }) => ({
  tournament: { [name]: { event: tournament, ...pick({ ...body, ...path }, ...fields) } },
});
const betOf = ({ spot, stake, chips }) => ({ spot, stake, ...(chips ? { chips } : {}) });
const SIGNED = {
  placeBet: ({ table, body }) => ({
    bet: {
      table,
      round_no: body?.['round_no'],
      bets: (body?.['bets']).map(betOf),
      commitment: body?.['commitment'],
    },
  }),
  cancelBet: ({ table, round_no }, { isCash }) => ({
    [isCash ? 'withdraw_hand_seed' : 'cancel_bet']: { table, round_no },
  }),
  commitSeed: ({ id, body }, { isCash }) => ({
    [isCash ? 'commit_hand_seed' : 'commit_seed']: { ...roundOf(id), ...pick(body, 'commitment') },
  }),
  revealSeed: ({ id, body }) => {
    const saw = body?.['saw'];
    return {
      reveal: {
        ...roundOf(id),
        ...pick(body, 'player', 'seed'),
        ...(saw ? { saw: pick(saw, 'size', 'root') } : {}),
        ...pick(body, 'next'),
      },
    };
  },
  handInLateSeed: ({ id, body }) => ({ late_seed: { ...roundOf(id), ...pick(body, 'player', 'seed') } }),
  act: ({ id, body }) => ({ act: { ...roundOf(id), ...pick(body, 'decision', 'action') } }),
  openTable: ({ body }, { rules }) => {
    if (body?.['table'] === undefined)
      throw new InvalidInput('who signs names the table that they open');
    return { open_table: { table: body['table'], rules, ...pick(body, 'replaces') } };
  },
  takeSeat: ({ table, body }, { isCash }) => {
    if (body?.['buy_in'] !== undefined) {
      if (body['seat'] === undefined)
        throw new InvalidInput('who signs names the seat that they take');
      return { sit_down: { table, ...pick(body, 'seat', 'buy_in', 'client', 'entry') } };
    }
    if (isCash)
      return { sit_in: { table, ...pick(body, 'entry', 'straddle') } };
    return body?.['seat'] === undefined ? { ask_to_play: { table } } : { take_seat: { table, ...pick(body, 'seat') } };
  },
  leaveSeat: ({ table }) => ({ leave_seat: { table } }),
  sitOut: ({ table }) => ({ sit_out: { table } }),
  wantSeat: ({ table }) => ({ want_seat: { table } }),
  addChips: ({ table, body }) => ({ add_chips: { table, ...pick(body, 'amount') } }),
  closeTable: ({ table }) => ({ close_table: { table } }),
  setKey: ({ player, body }) => ({ set_key: { player, ...pick(body, 'key') } }),
  setLimit: ({ player, body }) => ({ set_limit: { player, ...pick(body, 'of', 'per', 'most') } }),
  exclude: ({ player, body }) => ({ exclude: { player, ...pick(body, 'until') } }),
  issueToken: ({ player, body }) => ({
    issue_token: { holder: `player:${String(player)}`, revoke: body?.['revoke'] ?? false },
  }),
  sendTransfer: ({ player, body }) => ({
    transfer_out: { ...pick(body, 'to'), player, ...pick(body, 'amount') },
  }),
  depositFromWallet: ({ player, body }) => ({ wallet_deposit: { player, ...pick(body, 'amount') } }),
  withdrawToWallet: ({ player, body }) => ({ wallet_withdraw: { player, ...pick(body, 'amount') } }),
  cancelDeposit: ({ no }) => ({ wallet_cancel: { no } }),
  withdrawChips: ({ player, body }) => ({ withdraw: { player, ...pick(body, 'amount', 'reference') } }),
  register: inEvent('register', 'commitment', 'pay'),
  unregister: inEvent('unregister'),
  revealSeatSeed: inEvent('reveal_seat_seed', 'draw_no', 'entry_no', 'seed', 'next'),
  rebuy: inEvent('rebuy'),
  declineRebuy: inEvent('decline_rebuy', 'entry_no'),
  addOn: inEvent('add_on'),
  offerStake: inEvent('offer_stake', 'basis_points'),
  buyStake: inEvent('buy_stake', 'seller', 'basis_points'),
  substitutePrize: inEvent('substitute_prize', 'place', 'what', 'value'),
  wantDeal: inEvent('want_deal', 'want'),
  proposeDeal: inEvent('propose_deal', 'method', 'amounts'),
  answerDeal: inEvent('answer_deal', 'digest', 'accept'),
};
/** The calls of which the kind of the table decides what command they make, and whose arguments do not say it. */
const dependsOnTable = (id, { body }) => id === 'commitSeed' ||
  id === 'cancelBet' ||
  (id === 'takeSeat' && body?.['buy_in'] === undefined);
/** The command that a call makes, as it will stand in the entry. */
function commandText(id, args, beside) {
  const made = SIGNED[id]?.(args, beside);
  if (!made)
    throw new InvalidInput(`${id}: give the signature with the call; this client does not make it`);
  return writeJson(made);
}
/** What is signed: five lines of ASCII. */
const signedText = (origin, player, nonce, command) => `fairshoe/v1/signed-command\n${origin}\nplayer:${player}\n${nonce}\n${command}\n`;
/** The value of `Fairshoe-Signature`. */
async function signatureHeader(signer, origin, player, nonce, command) {
  const bytes = await signer(new TextEncoder().encode(signedText(origin, player, nonce, command)));
  if (bytes.length !== 64)
    throw new InvalidInput(`an Ed25519 signature has 64 bytes, this one ${bytes.length}`);
  return `nonce=${nonce}, sig=${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

// --- play.ts

/** Somebody else, or the clock, was faster or the table is gone: what is due is looked at again. */
const RACES = new Set([
  'already_revealed',
  'reveals_over',
  'deadline_passed',
  'wrong_round',
  'round_in_progress',
  'nothing_to_do',
  'not_a_contributor',
  'hand_not_called',
  'decision_not_open',
  'not_your_decision',
  'bets_not_open',
  'newcomer_waits',
  'awaiting_reveals',
  'hand_in_progress',
  'unknown_table',
]);
/** How long one question for news waits. */
const NEWS_MS = 10_000;
/** So many races in a row, with nothing new between, are no races. */
const MOST_RACES = 20;
/** What is due for this player now: the first of these. */
async function due(table, strategy) {
  const { round, state } = table, me = table.client.player;
  const pile = round?.pile, piled = pile?.players.find(one => one.player === me);
  if (round?.phase === 'awaiting_reveals' && table.mine?.seed === null) {
    await table.reveal();
    return 'done';
  }
  if (pile && piled) {
    if (pile.awaits === 'commitments' && piled.commitment === null)
      return table.commit(pile.round_no).then(() => 'done');
    if (pile.awaits === 'seeds' && piled.seed === null)
      return table.reveal().then(() => 'done');
  }
  await table.lookAtOwn();
  const decision = round?.phase === 'open' ? round.decisions.find(one => one.player === me) : undefined;
  if (round && decision) {
    await table.act(decision, await strategy.decide({ decision, round, own: table.own, table }));
    return 'done';
  }
  const call = state?.cash?.call, seat = state?.cash?.seats.find(one => one.player === me);
  if (call &&
    seat &&
    !seat.sitting_out &&
    me !== null &&
    call.awaited.includes(me) &&
    !state.cash?.committed.includes(me))
    return table.commit(call.round_no).then(() => 'done');
  return bet(table, strategy, me);
}
async function bet(table, strategy, me) {
  const { info, state } = table;
  if (!info || !state || 'poker' in info.rules.game)
    return 'nothing';
  const isSolo = info.rules.table.mode === 'solo';
  if (isSolo ? state.round !== null || !state.shoe : !state.window)
    return 'nothing';
  if (!isSolo) {
    const seat = state.seats.find(one => one.player === me);
    if (!seat)
      throw new InvalidInput(`${me} has no seat at ${table.name}: call sit() first`);
    if (seat.waits_for_shoe || state.window?.bets.some(one => one.player === me))
      return 'nothing';
  }
  if (!strategy.bets)
    throw new InvalidInput('a strategy for this game says what to bet');
  const bets = await strategy.bets(table);
  if (bets === null)
    return isSolo ? 'left' : 'nothing';
  await table.bet(bets);
  return 'done';
}
async function* playRounds(table, strategy, { rounds = Infinity, signal }) {
  if (table.client.player === null)
    throw new InvalidInput('nobody plays: join as a guest or sign in first');
  if (!table.info)
    await table.open();
  let played = 0, races = 0, isOver = false;
  while (played < rounds) {
    signal?.throwIfAborted();
    const ended = table.takeEnded();
    if (ended) {
      const mine = ended.contributors.find(one => one.player === table.client.player);
      const { staked = 0, returned = 0 } = mine ?? {};
      yield { id: ended.id, round: ended, staked, returned, verdict: await table.settle(ended) };
      played += 1;
      continue;
    }
    if (isOver || table.isClosed)
      return;
    try {
      const what = await due(table, strategy);
      if (what === 'left')
        return;
      if (what === 'done')
        races = 0;
      else
        await table.refresh(NEWS_MS);
    }
    catch (error) {
      // A tournament that is over calls no more hands; the last one's end may not be here yet.
      isOver = error instanceof ProblemError && error.code === 'registration_closed';
      if (isOver) {
        await table.refresh();
        continue;
      }
      if (!(error instanceof ProblemError) || !RACES.has(error.code) || (races += 1) > MOST_RACES)
        throw error;
      await table.refresh(races > 2 ? 1000 : 0);
    }
  }
}

// --- seat.ts

// A seat of this player's: one who sits already, as after a crash, sits; one who leaves still owes the seed that binds.
/** What the service answers to one who sits already. */
const SITS_ALREADY = new Set(['seat_not_free', 'nothing_to_do']);
/** And to one who left, or does as soon as the hand is over. */
const LEFT_ALREADY = new Set(['not_seated', 'nothing_to_do']);
/** So many seats are chosen for one who signs, of which others take each meanwhile. */
const SEATS_TRIED = 8;
/** How often a seed that is due is tried, or a window that is about to close is waited for. */
const MOST_TRIES = 8;
const TRY_AGAIN_MS = 250;
/** So many entries of a table without a shoe are asked for at once. */
const ENTRIES_AT_ONCE = 256;
async function sitAt(table, wish, { take }) {
  const { client } = table;
  const isChosen = wish.seat === undefined && (await client.signs());
  const known = client.checkpoint === null ? 0n : sizeOf(client.checkpoint);
  // The seat is theirs: what is left of the wish is to play.
  const { entry, straddle } = wish;
  const rest = { ...(entry ? { entry } : {}), ...(straddle === undefined ? {} : { straddle }) };
  const playOn = () => take(rest).catch((error) => {
    if (error instanceof ProblemError && error.code === 'nothing_to_do')
      return null;
    throw error;
  });
  try {
    const accepted = await (isChosen ? takeChosen(table, wish, take) : take(wish));
    if (BigInt(accepted.receipts[0]?.index ?? 0) >= known)
      return accepted;
    const own = await ownSeat(table);
    // *Attack: the entry of an earlier time at this table, for a seat that was never given.*
    if (!own)
      throw new BadReply('the answer is an entry of before, and by the log nobody sits there for it');
    // They sat down then, and sit out since: for a hand that was called and never began, as while their program was away.
    return own.cash?.isOut && own.cash.hasChips && !own.cash.isLeaving ? await playOn() : accepted;
  }
  catch (error) {
    if (!(error instanceof ProblemError) || !SITS_ALREADY.has(error.code))
      throw error;
    const own = await ownSeat(table);
    // Another seat than theirs, none, or one without chips is not what was asked for.
    if (!own || (wish.seat !== undefined && wish.seat !== own.seat))
      throw error;
    if (own.cash && (own.cash.isLeaving || !own.cash.hasChips))
      throw error;
    if (error.code === 'nothing_to_do' || (own.cash && !own.cash.isOut))
      return null;
    return playOn();
  }
}
/** A seat that is chosen for the player; another one where somebody else took it meanwhile. */
async function takeChosen(table, wish, take) {
  let body = await withSeat(table, wish);
  for (let tried = 1;; tried += 1)
    try {
      return await take(body);
    }
    catch (error) {
      const isTaken = error instanceof ProblemError && error.code === 'seat_not_free' && body.seat !== undefined;
      if (!isTaken || tried >= SEATS_TRIED)
        throw error;
      const next = await withSeat(table, wish);
      // The same again is their own, or none is free.
      if (next.seat === body.seat || next.seat === undefined)
        throw error;
      body = next;
    }
}
/** Who signs names the seat that they take: their own, or the first free one by the service's word. */
async function withSeat(table, wish) {
  const own = await ownSeat(table);
  // One who sits and brings no chips asks to play, and names none.
  if (own)
    return wish.buy_in === undefined ? wish : { ...wish, seat: own.seat };
  const { seats, cash, rules } = await table.readInfo();
  const taken = new Set([...seats, ...(cash?.seats ?? [])].map(({ seat }) => seat));
  for (let seat = 1; seat <= rules.table.seats; seat += 1)
    if (!taken.has(seat))
      return { ...wish, seat };
  return { ...wish, seat: 1 };
}
async function ownSeat(table) {
  await table.refresh();
  await table.prove();
  const { state } = table, me = table.client.player;
  if (!state)
    return me === null ? null : seatByEntries(table, me);
  const cash = state.cash?.seats.find(one => one.player === me);
  if (cash) {
    const { seat, stack, top_up: topUp, sitting_out: isOut, leaving: isLeaving } = cash;
    return { seat, cash: { hasChips: stack + topUp > 0, isOut, isLeaving } };
  }
  const seat = state.seats.find(one => one.player === me)?.seat;
  return seat === undefined ? null : { seat, cash: null };
}
/** The same at a table that never had a shoe: nobody played there, and its entries are few. */
async function seatByEntries({ name, client, info }, me) {
  const isCash = !!info && 'poker' in info.rules.game;
  let own = null;
  for (let from = 0;; from += ENTRIES_AT_ONCE) {
    const query = { from_seq: from, limit: ENTRIES_AT_ONCE, proofs: true };
    const { entries } = await client.listTableEntries({ table: name, query });
    for (const event of entries.flatMap(({ entry }) => readEntry(entry).events)) {
      const [word, fields] = Object.entries(event)[0];
      if (fields.player !== me)
        continue;
      if (word === 'seat_taken')
        own = { seat: Number(fields.seat), cash: isCash ? { hasChips: true, isOut: false, isLeaving: false } : null };
      else if (word === 'seat_left')
        own = null;
      else if (own?.cash && (word === 'sat_out' || word === 'sat_in'))
        own.cash.isOut = word === 'sat_out';
    }
    if (entries.length < ENTRIES_AT_ONCE)
      return own;
  }
}
async function leaveFrom(table, { leave }) {
  const left = await withBets(table, leave).catch((error) => {
    if (error instanceof ProblemError && LEFT_ALREADY.has(error.code))
      return error;
    throw error;
  });
  // Who left before, and was cut off then, still owes the seed.
  if (left instanceof ProblemError)
    await table.refresh();
  const hasRevealed = await revealOwed(table);
  if (!(left instanceof ProblemError))
    return left;
  if (hasRevealed || left.code === 'nothing_to_do')
    return null;
  throw left;
}
/** Bets whose time is over come back no more: the window closes by itself, and then the seat can be left. */
async function withBets(table, leave) {
  for (let tries = 1;; tries += 1) {
    try {
      return await leave();
    }
    catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'deadline_passed' || tries >= MOST_TRIES)
        throw error;
      await sleep(TRY_AGAIN_MS);
      await table.refresh();
    }
  }
}
/** The seed that the round in play, or its new pile, awaits of this player, who is not there to reveal it later. */
async function revealOwed(table) {
  let tries = 1;
  for (; isAwaited(table); tries += 1) {
    try {
      await table.reveal();
    }
    catch (error) {
      const mayPass = error instanceof NotYet || (error instanceof ProblemError && RACES.has(error.code));
      if (!mayPass || tries >= MOST_TRIES)
        throw error;
      await sleep(TRY_AGAIN_MS);
      await table.refresh();
    }
  }
  return tries > 1;
}
function isAwaited({ round, mine, client }) {
  if (round?.pile) {
    const piled = round.pile.players.find(one => one.player === client.player);
    return round.pile.awaits === 'seeds' && piled?.seed === null;
  }
  return round?.phase === 'awaiting_reveals' && mine?.seed === null;
}

// --- table.ts

// A table as this client knows it: its entries with their proofs, each decided again by the second verifier's follower
// (spec/page.md, 4), and what is sent for the player, which rests on nothing else.
/** A table at which no shoe was ever committed has no history yet. */
const NOTHING_YET = new Set(['no_shoe', 'unknown_shoe', 'unknown_round']);
const OVER = new Set(['settled', 'voided']);
/** What a follower lacks comes with the answer to one question; more than this many would be a circle. */
const MOST_QUESTIONS = 8;
/** So many epochs come and go while one commitment is sent. */
const MOST_EPOCHS = 8;
/** How often a table without any shoe is looked at, and how many times before a bet at most. */
const LOOK_MS = 300;
const MOST_LOOKS = 40;
/** A request is not sent again: what it would be bound to is there no more. */
class StartedAnew extends FairshoeError {
}
class Table {
  name;
  client;
  #signal;
  #onEntry;
  #info = null;
  #follower = null;
  #own = null;
  /** Whose own cards they are. */
  #ownOf = null;
  #ownFaces = [];
  /** Rounds that ended with this player in them, and were not asked for yet. */
  #ended = new Map();
  #seen = new Set();
  #closed = false;
  /** The newest entry that was taken. */
  #newest = null;
  /** Entries of a stream that no proof came for yet: their places in the table's sequence, by index. */
  #unproven = new Map();
  /** Own cards that came before the deal that they are of. */
  #waiting = null;
  /** What comes is taken one after the other: from a stream, of answers, by questions. */
  #taking = Promise.resolve();
  constructor(client, name, { signal, onEntry } = {}) {
    this.client = client;
    this.name = name;
    this.#signal = signal;
    this.#onEntry = onEntry;
  }
  // --- What is known ------------------------------------------------------------------------------------------------
  /** Rules and signs: what only the service says. Null before `open`. */
  get info() {
    return this.#info;
  }
  /** Seats, window, shoe, call of a hand: what the rules make of the proven entries. Null before the first shoe. */
  get state() {
    return this.#follower?.table() ?? null;
  }
  /** The round in play, or the one that ended last. */
  get round() {
    return this.#follower?.view() ?? null;
  }
  /** The faces of that round, with their openings. */
  get faces() {
    return [...(this.#follower?.faces() ?? []), ...this.#ownFaces];
  }
  /** The player's own cards of a private game, held against the deck that was picked. */
  get own() {
    return this.#ownOf === this.client.player && this.#own?.round === this.round?.id ? this.#own : null;
  }
  /** The verdict on the shoe in use, as far as it has come. */
  get verdict() {
    return this.#follower?.verdict().verdict ?? null;
  }
  /** Whether the table is closed, and nothing comes any more. */
  get isClosed() {
    return this.#closed;
  }
  /** The newest entry that was taken; a stream goes on behind it. */
  get newest() {
    return this.#newest;
  }
  /** Whether something that a stream brought waits for its proof. */
  get isPending() {
    return this.#unproven.size > 0;
  }
  /** The follower's newest checkpoint. */
  get checkpoint() {
    return this.#follower?.checkpoint ?? null;
  }
  /** A file of all that was shown, for `/verify` and `fairshoe-audit`. */
  evidence() {
    return this.#follower?.evidence() ?? null;
  }
  get #me() {
    const { player } = this.client;
    if (player === null)
      throw new InvalidInput('nobody plays: join as a guest or sign in first');
    return player;
  }
  /** This player's part of the round in play; or null. */
  get mine() {
    return this.round?.contributors.find(one => one.player === this.client.player) ?? null;
  }
  // --- Following ----------------------------------------------------------------------------------------------------
  /** Reads the table, and judges the history of its latest shoe. */
  open() {
    return this.#inTurn(async () => {
      await this.client.ready(this.#signal);
      await this.#readInfo();
      await this.#begin();
      return this;
    });
  }
  #inTurn(action) {
    const done = this.#taking.then(() => {
      this.#signal?.throwIfAborted();
      return action();
    });
    this.#taking = done.catch(() => undefined);
    return done;
  }
  /** Reads what only the service says of the table: rules, signs, whose it is. */
  readInfo() {
    return this.#inTurn(() => this.#readInfo());
  }
  async #readInfo() {
    const info = await this.client.getTable({ table: this.name }, { signal: this.#signal });
    if (!info.rules?.table || !info.rules.game)
      throw new BadReply(`the answer names no rules of ${this.name}`);
    return (this.#info = info);
  }
  async #begin() {
    const info = this.#info ?? (await this.#readInfo());
    if (!info.shoe && info.next_round === 0)
      return;
    try {
      await this.#beginWithBundle();
    }
    catch (error) {
      if (!(error instanceof ProblemError) || !NOTHING_YET.has(error.code))
        throw error;
    }
  }
  /** Who sits here by the proven entries; also of a table that is closed, as it was then. */
  async provenPlayers() {
    await this.#inTurn(() => (this.#follower ? this.#refresh(0) : this.#beginWithBundle()));
    return [...(this.state?.seats ?? []), ...(this.state?.cash?.seats ?? [])].map(({ player }) => player);
  }
  async #beginWithBundle() {
    const vkey = await this.client.ready(this.#signal);
    const text = await this.client.tableBundleText(this.name, { signal: this.#signal });
    const follower = checking(() => new verifier.Follower(text, vkey));
    if (follower.failure) {
      const { check, message, entry } = follower.failure;
      this.client.fail(new CheckFailed({ check, message, entry }, { name: 'bundle.json', text }));
    }
    await this.#holdBundle(text);
    // A bundle of another table would be followed as if it were this one.
    if (follower.table()?.table !== this.name)
      this.client.fail({ check: 'bundle_context', message: `the bundle is not of ${this.name}` }, { name: 'bundle.json', text });
    this.#follower = follower;
    this.#newest = this.#entriesOf(text).at(-1) ?? null;
    this.#note(null);
  }
  #entriesOf(bundle) {
    const { entries } = readJson(bundle);
    return entries;
  }
  /** A bundle's checkpoint is of the one history. */
  async #holdBundle(text) {
    const { checkpoint } = readJson(text);
    await this.client.holdCheckpoint(checkpoint, this.#signal);
  }
  /** Entries that came without their proofs, out of a round's bundle that was judged: it has them. */
  #takeOwed(owed, bundle) {
    const follower = this.#follower;
    const { entries, checkpoint } = readJson(bundle);
    const items = entries.flatMap(one => {
      const seq = this.#unproven.get(one.index);
      return seq !== undefined && owed.has(one.index) ? [{ ...one, seq }] : [];
    });
    if (follower && items.length)
      this.#took(this.#judge(() => follower.take(items, checkpoint)), items);
  }
  /** A newer bundle of the table: all that it holds is proven. */
  async #renew(follower) {
    const text = await this.client.tableBundleText(this.name, { signal: this.#signal });
    await this.#holdBundle(text);
    const change = this.#judge(() => follower.renew(text)), entries = this.#entriesOf(text);
    for (const { index } of entries)
      this.#unproven.delete(index);
    this.client.takeProven(entries);
    this.#note(change);
    this.#tell(entries);
  }
  /** Takes what happened since; waits for it up to `waitMs` where there is nothing yet. */
  async refresh(waitMs = 0) {
    const follower = this.#follower;
    if (!follower || !waitMs || this.isPending)
      return this.#inTurn(() => this.#refresh(waitMs));
    // Whatever else comes meanwhile is not kept waiting.
    const page = await this.#pageFrom(follower.nextSeq, waitMs);
    return this.#inTurn(async () => {
      this.#takePage(follower, page);
      await this.#answerNeeds(follower);
    });
  }
  async #refresh(waitMs) {
    const follower = this.#follower;
    if (!follower) {
      await this.#readInfo();
      await this.#begin();
      if (!this.#follower && waitMs > 0)
        await sleep(Math.min(waitMs, LOOK_MS), this.#signal);
      return;
    }
    await this.#takeFrom(follower, Math.min(follower.nextSeq, ...this.#unproven.values()));
    await this.#answerNeeds(follower);
  }
  /**
   * An entry that a stream told, with its openings: decided at once, and proven by the next `refresh` or `prove`.
   * Nothing is sent that rests on it before.
   */
  takeStreamed({ index, entry }, openings = []) {
    return this.#inTurn(async () => {
      const follower = this.#follower;
      if (!follower)
        return this.#refresh(0);
      // What is known already may still lack its openings.
      if (this.#isNew(index) || openings.length)
        this.#took(this.#judge(() => follower.takePending(index, entry, openings)), [{ index, entry }]);
      return this.#answerNeeds(follower);
    });
  }
  /** Own cards that a stream told. */
  takeStreamedOwn(own) {
    return this.#inTurn(async () => this.#takeOwn(own));
  }
  /** Proves what a stream brought. False: not all of it is on the log yet. */
  prove() {
    return this.#inTurn(async () => {
      for (let asked = 0; this.isPending && asked < MOST_QUESTIONS; asked += 1)
        await this.#refresh(0);
      return this.#isProven;
    });
  }
  get #isProven() {
    return !!this.#follower && !this.#follower.needs && !this.isPending;
  }
  #isNew = (index) => index > (this.#newest?.index ?? -1);
  #pageFrom(seq, waitMs) {
    this.#signal?.throwIfAborted();
    return this.client.entriesToFollow(this.name, seq, waitMs, this.#signal);
  }
  async #takeFrom(follower, seq) {
    this.#takePage(follower, await this.#pageFrom(seq, 0));
  }
  #takePage(follower, page) {
    const items = page.entries.map(item => {
      if (!item?.proof)
        throw new BadReply(`an entry of ${this.name} comes without its proof`);
      return { ...item, proof: item.proof, openings: item.openings ?? [] };
    });
    this.#took(this.#judge(() => follower.take(items, page.checkpoint)), items);
    // Taken with its proof and not proven by it: of a shoe that is over and forgotten, which binds nothing any more.
    if (!follower.needs) {
      for (const { index } of items)
        this.#unproven.delete(index);
      this.client.takeProven(items);
    }
    this.#closed = page.closed;
  }
  async #answerNeeds(follower) {
    for (let asked = 0; follower.needs && asked < MOST_QUESTIONS; asked += 1) {
      if (follower.needs.bundle)
        await this.#renew(follower);
      else
        await this.#takeFrom(follower, follower.needs.entries);
    }
  }
  /** What the follower made of entries that it was given. */
  #took(change, items) {
    for (const { index, seq, proven } of change.entries)
      if (!proven)
        this.#unproven.set(index, seq);
    for (const index of [...change.proven, ...change.entries.filter(one => one.proven).map(one => one.index)])
      this.#unproven.delete(index);
    this.#note(change);
    const taken = new Set(change.entries.map(one => one.index));
    // What cannot be decided before there is a newer bundle may be of a shoe that the bundle no longer holds.
    this.#tell(items.filter(one => taken.has(one.index) || this.#follower?.needs?.bundle));
  }
  #tell(entries) {
    for (const { index, entry } of entries) {
      if (!this.#isNew(index))
        continue;
      this.#newest = { index, entry };
      this.#onEntry?.(this.#newest);
    }
  }
  /** The entries, openings and own cards of a reply, of whose receipts the client has verified those with a proof. */
  async #takeReply(accepted) {
    if (!this.#follower) {
      await this.#refresh(0);
      return;
    }
    const follower = this.#follower, shoeNo = accepted.round?.shoe_no;
    // An opening without a shoe is of the round's own one.
    const openings = (accepted.openings ?? []).map(one => one.shoe_no === undefined && shoeNo !== undefined ? { ...one, shoe_no: shoeNo } : one);
    for (const [at, receipt] of accepted.receipts.entries()) {
      if (readEntry(receipt.entry).at?.table !== this.name)
        continue;
      const { index, entry, proof } = receipt, shown = at === 0 ? openings : [];
      // One without a proof, as it was asked for, waits for it like those of a stream.
      const judged = () => proof === undefined
        ? follower.takePending(index, entry, shown)
        : follower.takeReceipt({ index, entry, proof }, shown);
      const take = () => this.#took(this.#judge(judged), [receipt]);
      take();
      if (follower.needs) {
        await this.#answerNeeds(follower);
        take();
      }
    }
    if (accepted.own)
      this.#takeOwn(accepted.own);
  }
  #takeOwn(own) {
    const faces = this.#judge(() => this.#follower?.own(own, this.#me) ?? null);
    // Before the deal is here they wait for it; those of a hand that is over by now are of no use any more.
    const isOver = Number(roundOf(own.round)['round_no']) < (this.round?.round_no ?? 0);
    this.#waiting = faces || isOver ? null : own;
    if (!faces)
      return;
    this.#own = own;
    this.#ownOf = this.#me;
    this.#ownFaces = faces;
  }
  /** Own cards that no reply brought: of a hand that others' seeds opened. */
  async #readOwn() {
    const { round } = this;
    if (!this.#info ||
      !('poker' in this.#info.rules.game) ||
      !round ||
      round.phase !== 'open' ||
      this.own ||
      (!this.mine && !this.#info.tournament))
      return;
    const read = await this.client.getRound({ id: round.id }, { signal: this.#signal });
    if (read.own)
      this.#takeOwn(read.own);
  }
  /** Runs a check of the follower; what fails ends play, with everything that was shown as evidence. */
  #judge(action, evidence = null) {
    try {
      return checking(action);
    }
    catch (error) {
      if (!(error instanceof CheckFailed))
        throw error;
      return this.client.fail(error.with(error.evidence ?? evidence ?? this.evidence()));
    }
  }
  /** Remembers rounds of this player that ended. */
  #note(change) {
    if (this.#waiting && this.client.player !== null)
      this.#takeOwn(this.#waiting);
    const views = [...(change?.entries.map(({ view }) => view) ?? []), this.round];
    const { player } = this.client;
    for (const view of views) {
      if (!view || this.#seen.has(view.id) || !OVER.has(view.phase))
        continue;
      this.#seen.add(view.id);
      // What was over before this client came is nobody's news.
      if (change && view.contributors.some(one => one.player === player))
        this.#ended.set(view.id, view);
    }
  }
  /** A round of this player's that is over, once. */
  takeEnded() {
    const [first] = this.#ended;
    if (!first)
      return null;
    this.#ended.delete(first[0]);
    return first[1];
  }
  // --- Sending ------------------------------------------------------------------------------------------------------
  /**
   * Takes a seat, or asks to play the next round; at a cash table with `buy_in`. Where this player sits already, by
   * proven entries, as after a crash, they play on with what they have there. Null: there was nothing left to do.
   */
  sit(body = {}) {
    return sitAt(this, body, this.#seatCalls);
  }
  /**
   * Leaves the seat. A hand or round that this player's commitment is bound in goes on without them, but for its seed,
   * which they owe: who withholds it is named for it, and from the second time on has a cooldown. It is revealed here
   * before this is over, also where they left before and were cut off. Do not end the program between a commitment and
   * this. Null: they had left, or leave when the hand is over.
   */
  leave() {
    return leaveFrom(this, this.#seatCalls);
  }
  get #seatCalls() {
    return {
      take: async (body) => this.#sent(await this.client.takeSeat({ table: this.name, body }, this.#calling)),
      leave: async () => this.#sent(await this.client.leaveSeat({ table: this.name }, this.#calling)),
    };
  }
  /** Sits out at a cash table from the next hand on; `sit()` comes back. */
  async sitOut() {
    return this.#sent(await this.client.sitOut({ table: this.name }, this.#calling));
  }
  /** Waits for a seat of a table that is full. */
  async wait() {
    return this.#sent(await this.client.wantSeat({ table: this.name }, this.#calling));
  }
  async addChips(amount) {
    return this.#sent(await this.client.addChips({ table: this.name, body: { amount } }, this.#calling));
  }
  /** Takes the bets in the open window back. */
  async takeBack() {
    const { window } = this.state ?? {};
    if (!window)
      throw new InvalidInput(`no bets are open at ${this.name}`);
    return this.#sent(await this.client.cancelBet({ table: this.name, round_no: window.round_no }, this.#calling));
  }
  get #calling() {
    return { signal: this.#signal, isCash: !!this.#info && 'poker' in this.#info.rules.game };
  }
  async #sent(accepted) {
    await this.#inTurn(() => this.#takeReply(accepted));
    return accepted;
  }
  /**
   * Waits until the shoe that a commitment is for is proven, and gives the epoch that it was committed in. *Attack: a
   * wrong one, or none, so that the seed opens nothing, and the player is named as one who withheld it.*
   */
  async #provenPlace(given) {
    for (let looked = 0; looked < MOST_LOOKS; looked += 1) {
      await this.refresh();
      await this.prove();
      if (this.#epochOf(given) !== null && this.#isProven) {
        await this.#inTurn(() => this.#compareEpoch());
        const roundNo = given ?? this.state?.window?.round_no ?? this.state?.next_round;
        const epoch = this.#epochOf(given);
        if (epoch !== null && roundNo !== undefined)
          return { origin: await this.#origin(), table: this.name, epoch, roundNo, player: this.#me };
      }
      // Of a table that is closed nothing is waited for: this says so.
      await this.readInfo();
      await sleep(LOOK_MS, this.#signal);
    }
    throw new NotYet(`no shoe of ${this.name} is proven: there is nothing to commit a seed to, and none was`);
  }
  async #origin() {
    return verifier.readLogKey(await this.client.ready(this.#signal)).name;
  }
  /** The epoch of the shoe that this number is dealt from: of a pile that is shuffled, else of the shoe in use. */
  #epochOf(roundNo) {
    const { live = null, shoe = null } = this.#follower?.rules ?? {};
    if (live?.pile && live.pile.no === roundNo)
      return live.pile.shoe.epoch;
    if (live && live.no === roundNo)
      return live.shoe.epoch;
    return shoe?.epoch ?? null;
  }
  /** Between two entries of the table the dealer may have started anew: what the service says has to be the same. */
  async #compareEpoch() {
    const { epoch: said } = await this.#readInfo();
    if (!this.#follower || said === this.#epochOf(null))
      return;
    await this.#renew(this.#follower);
    const proven = this.#epochOf(null), again = await this.#readInfo();
    if (proven !== null && again.epoch !== proven && again.shoe?.shoe_no === this.state?.shoe?.shoe_no)
      this.client.fail({
        check: 'epoch',
        message: `the table names the epoch ${again.epoch}; its shoe's is ${proven}`,
      });
  }
  /**
   * Sends a commitment to a seed that is kept, with the epoch that it is bound to. A dealer that starts anew has another
   * one: then the same request is not sent again, since its seed would open nothing, and the next one has another
   * commitment. *Attack: a service that says so of an epoch that the log shows to be in force, or for ever.*
   */
  async #commitTo(given, bets, chosen, send) {
    for (let tries = 1;; tries++) {
      const place = await this.#provenPlace(given);
      const { commitment } = await this.client.seeds.prepare(place, bets, chosen);
      const beforeRepeat = async () => {
        await this.refresh();
        if (this.#epochOf(given) !== place.epoch)
          throw new StartedAnew('the shoe is another one by now');
      };
      try {
        const accepted = await send(place, commitment, { ...this.#calling, beforeRepeat });
        if (bets)
          await this.client.seeds.stands(place, bets);
        return await this.#sent(accepted);
      }
      catch (error) {
        if (error instanceof StartedAnew)
          continue;
        if (!(error instanceof ProblemError) || error.code !== 'wrong_epoch' || tries >= MOST_EPOCHS)
          throw error;
        await this.refresh();
        if (this.#epochOf(given) === place.epoch)
          throw error;
      }
    }
  }
  /**
   * Bets in the open window, or in the next round of a solo table, with the commitment to a seed: `chosen`, which the
   * player made by themselves, or a fresh one. `roundNo`: in this round or in none, however late this is sent.
   */
  bet(bets, chosen = null, roundNo = null) {
    return this.#commitTo(roundNo, bets, chosen, ({ roundNo: round_no, epoch }, commitment, calling) => this.client.placeBet({ table: this.name, body: { round_no, bets, commitment, epoch } }, calling));
  }
  /** Commits a seed to the hand that is called, or to the new pile that is shuffled. */
  commit(roundNo, chosen = null) {
    return this.#commitTo(roundNo, null, chosen, ({ epoch }, commitment, calling) => this.client.commitSeed({ id: `${this.name}:${roundNo}`, body: { commitment, epoch } }, calling));
  }
  /**
   * Reveals this player's seed of the round in play, or of its new pile. Everything that the follower has is proven by
   * now, under a checkpoint of the one history: that checkpoint goes with the seed. What binds is what was asked for,
   * and the seed opens the commitment that binds. `withNext`: at a cash table the commitment to the next hand goes
   * along, where this player stays in their seat. Who does not want that hand leaves with `leave()`, or sits out before
   * it begins: once it has, its seed is owed.
   */
  async reveal({ withNext = false } = {}) {
    if (this.#follower?.needs)
      await this.refresh();
    if (!(await this.prove()))
      throw new NotYet(`not all that happened at ${this.name} is proven: no seed is shown`);
    const { round } = this, me = this.#me;
    const pile = round?.pile?.awaits === 'seeds' ? round.pile : null;
    // Before bets bind the house may still choose what it deals: a seed that it knows by then protects nobody.
    if (!round || (!pile && round.phase !== 'awaiting_reveals'))
      throw new InvalidInput(`no round of ${this.name} awaits seeds`);
    const mine = (pile?.players ?? round.contributors).find(one => one.player === me);
    const roundNo = pile?.round_no ?? round.round_no;
    if (!mine?.commitment)
      throw new InvalidInput(`${me} has no commitment in ${round.id}`);
    const origin = await this.#origin();
    const kept = await this.client.seeds.find(origin, this.name, roundNo, me, mine.commitment);
    if (!kept)
      throw new SeedLost(`the seed for ${this.name}:${roundNo} is not in the store`);
    const epoch = this.#epochOf(roundNo) ?? '';
    if (commitmentTo(kept.seed, { origin, table: this.name, epoch, roundNo, player: me }) !== mine.commitment)
      throw new SeedLost(`the seed for ${this.name}:${roundNo} was kept for another epoch, and opens nothing in this`);
    if (!pile && !this.state?.cash)
      this.#holdToBets(kept.bets, round, me);
    const [, size, root] = (this.client.checkpoint ?? '').split('\n');
    const saw = size !== undefined && root !== undefined ? { saw: { size: Number(size), root } } : {};
    const next = withNext ? await this.#nextCommitment(roundNo + 1) : null;
    const send = (more) => this.client.revealSeed({ id: `${this.name}:${roundNo}`, body: { player: me, seed: kept.seed, ...saw, ...more } }, this.#calling);
    if (next === null)
      return this.#sent(await send({}));
    try {
      return await this.#sent(await send({ next }));
    }
    catch (error) {
      // Perhaps only the commitment to the next hand could not be taken: this hand's seed goes alone.
      if (!(error instanceof ProblemError))
        throw error;
      return this.#sent(await send({}));
    }
  }
  /** The commitment to a hand that is to be called; null where this player is not going to play it, or may not. */
  async #nextCommitment(roundNo) {
    const seat = this.state?.cash?.seats.find(one => one.player === this.client.player);
    if (!seat || seat.sitting_out || seat.leaving || this.#info?.tournament)
      return null;
    const epoch = this.#epochOf(null), { epoch: said } = await this.readInfo();
    // A dealer that started anew has another epoch: what is committed to in this one opens nothing.
    if (epoch === null || said !== epoch)
      return null;
    const place = { origin: await this.#origin(), table: this.name, epoch, roundNo, player: this.#me };
    return (await this.client.seeds.prepare(place, null)).commitment;
  }
  /** What binds is one of those that were asked for and may stand, to the chip. */
  #holdToBets(asked, round, me) {
    const bound = round.contributors.find(one => one.player === me)?.bets ?? [];
    if (asked.some(bets => isSameBets(bets, bound)))
      return;
    const message = `asked for ${JSON.stringify(asked)}, bound is ${JSON.stringify(bound)}`;
    this.client.fail({ check: 'bets', message }, this.evidence());
  }
  /** Answers an open decision of the round in play. */
  async act(decision, action) {
    const { round } = this;
    if (!round)
      throw new InvalidInput('there is no round to act in');
    const args = { id: round.id, body: { decision: decision.decision, action } };
    return this.#sent(await this.client.act(args, this.#calling));
  }
  // --- Playing ------------------------------------------------------------------------------------------------------
  /** Plays rounds, each of them verified whole when it is over. */
  play(strategy, options = {}) {
    return playRounds(this, strategy, { signal: this.#signal, ...options });
  }
  /** Own cards, where they are not here yet and may be asked for. */
  async lookAtOwn() {
    await this.#inTurn(() => this.#readOwn()).catch((error) => {
      if (!(error instanceof ProblemError))
        throw error;
    });
  }
  /** The verdict on a round of this table that is over, and the seeds of rounds up to it forgotten. */
  async settle(round) {
    const owed = new Set(this.client.owed.map(({ index }) => index));
    const verdict = await this.client.verifyRound(round.id, { signal: this.#signal });
    await this.#inTurn(async () => this.#takeOwed(owed, verdict.bundle));
    await this.client.seeds.forget(await this.#origin(), this.name, this.#me, round.round_no);
    return verdict;
  }
}

// --- tournament.ts

// Tournaments (spec/games/tournaments.md, 3): a seed for each draw of this player's seat, kept before its commitment is
// sent, and revealed when the draw awaits it. Hands are played at the table that the draw gives, as at a cash table.
const SEAT_SEED = 'seat-seed ';
/** Somebody else, or the clock, was faster. */
const DRAW_RACES = new Set(['already_revealed', 'wrong_draw', 'not_an_entrant', 'deadline_passed']);
const EVENT_OVER = new Set(['ended', 'cancelled']);
const EVENT_NEWS_MS = 10_000;
/** Seeds of events of which nothing is heard any more are forgotten after this. */
const SEAT_SEED_KEPT_MS = 60 * 86_400_000;
/** So many entries are asked for at once. */
const PAGE = 256;
/** A draw whose reveal lost a race is looked at again after this. */
const AGAIN_MS = 200;
const u16 = (value) => Uint8Array.of(value >> 8, value & 255);
/** The commitment to a seed for a seat: number `use` of this player in this event. */
function seatCommitmentTo(seed, { origin, event, epoch, use, player }) {
  const bytes = verifier.unhex(seed, 32), name = new TextEncoder().encode(player);
  if (!bytes)
    throw new InvalidInput('a seed is 64 lower-case hexadecimal digits');
  if (!verifier.unhex(epoch, 32))
    throw new InvalidInput('an epoch is 64 lower-case hexadecimal digits');
  if (!Number.isInteger(use) || use < 0 || use > 65535)
    throw new InvalidInput(`${use} is no commitment's number`);
  const context = verifier.tableContext(origin, event, epoch);
  const said = [verifier.label('seat-seed'), context, u16(use), u16(name.length), name, bytes];
  return verifier.hex(verifier.sha256(verifier.concat(...said)));
}
/** What the proven entries of an event say of one player. */
class Proven {
  epoch = null;
  draw = null;
  own = null;
  /** How many commitments the player gave: the next one is bound to this number. */
  uses = 0;
  #player;
  #started = false;
  constructor(player) {
    this.#player = player;
  }
  take(events) {
    for (const { tournament } of events) {
      const [name, fields] = Object.entries((tournament ?? {}))[0] ?? [];
      if (name !== undefined && fields)
        this.#event(name, fields);
    }
  }
  #event(name, fields) {
    const { own } = this;
    if (name === 'created')
      this.epoch = String(fields['epoch']);
    else if (name === 'started')
      this.#started = true;
    else if (name === 'registered' && fields['player'] === this.#player) {
      const awaits = { commitment: String(fields['commitment']), use: this.uses };
      this.own = { entryNo: Number(fields['entry_no']), awaits, wasStarted: this.#started, isSeated: false };
      this.uses += 1;
    }
    else if (name === 'draw_called') {
      const table = typeof fields['table'] === 'number' ? fields['table'] : null;
      this.draw = { drawNo: Number(fields['draw_no']), kind: fields['kind'], table };
    }
    else if (name === 'seats_drawn') {
      // Whoever waited has a seat now, but for those who came when its entrants were fixed: they are seen to sit later.
      if (own && this.draw && this.#mayBeIn(this.draw, own))
        own.isSeated = true;
      this.draw = null;
    }
    else if (name === 'seat_seed_revealed' && own && own.entryNo === fields['entry_no']) {
      own.awaits = null;
      if (typeof fields['next'] === 'string')
        own.awaits = { commitment: fields['next'], use: this.uses++ };
    }
    else if (OUT.has(name) && own?.entryNo === fields['entry_no'])
      this.own = null;
  }
  #mayBeIn({ kind }, own) {
    return kind === 'first' ? !own.wasStarted : kind === 'late' && !own.isSeated;
  }
  /**
   * The open draw that may await this player's seed. *Attack: a view that says that a draw awaits it when none was
   * called, or another one, so that the house knows the seed before it has to call the draw.*
   */
  due() {
    const { draw, own } = this;
    if (!draw || !own?.awaits)
      return null;
    if (this.#mayBeIn(draw, own))
      return { draw, own, mustSitAt: null };
    return draw.table === null ? null : { draw, own, mustSitAt: draw.table };
  }
}
/** After these an entry is in no draw any more. */
const OUT = new Set(['unregistered', 'player_eliminated', 'player_disqualified']);
/** Where an entry stands that is in the event no more. */
const OUT_AT = new Set(['out', 'disqualified']);
class Tournament {
  name;
  client;
  #store;
  /** What is known by proof, of whom, and from which place of the event's own sequence on there is more. */
  #proven = null;
  constructor(client, name, store) {
    this.client = client;
    this.name = name;
    this.#store = store;
  }
  /** The event as the service shows it: its word, but for what `register` and `reveal` hold against the log. */
  view(signal) {
    return this.client.getTournament({ tournament: this.name }, { signal });
  }
  get #me() {
    const { player } = this.client;
    if (player === null)
      throw new InvalidInput('nobody plays: join as a guest or sign in first');
    return player;
  }
  /** Reads the event's entries with their proofs, from its creation on; waits for the next one up to `waitMs`. */
  async #follow(signal, waitMs = 0) {
    const me = this.#me;
    if (this.#proven?.of !== me)
      this.#proven = { of: me, state: new Proven(me), nextSeq: 0, lastIndex: -1 };
    const known = this.#proven;
    for (let wait = waitMs;; wait = 0) {
      const query = { from_seq: known.nextSeq, limit: PAGE, wait_ms: wait, proofs: true };
      const { entries } = await this.client.listTournamentEntries({ tournament: this.name, query }, { signal });
      for (const { index, entry } of entries) {
        const { at, events } = readEntry(entry);
        const isNext = (at?.table ?? at?.event) === this.name && at?.seq === known.nextSeq && index > known.lastIndex;
        // A page that was asked for twice at once is taken once.
        if (at && at.seq < known.nextSeq)
          continue;
        if (!isNext)
          this.client.fail({
            check: 'table_seq',
            entry: index,
            message: `the entry is not number ${known.nextSeq} of ${this.name}`,
          });
        known.state.take(events);
        Object.assign(known, { nextSeq: known.nextSeq + 1, lastIndex: index });
      }
      if (entries.length < PAGE)
        break;
    }
    // *Attack: an event that begins without its creation, under whatever epoch, so that no seed opens its commitment.*
    if (known.state.epoch === null)
      throw new FairshoeError(`the creation of ${this.name} is not shown`);
    return known.state;
  }
  async #context(signal) {
    const { epoch } = await this.#follow(signal);
    const origin = verifier.readLogKey(await this.client.ready(signal)).name;
    return { origin, epoch: epoch ?? '', event: this.name, player: this.#me };
  }
  /** Keeps a seed for this number: the player's own, else the one that is kept already, else a fresh one. */
  async #commit(use, signal, chosen = null) {
    const context = await this.#context(signal), name = this.#nameOf(context, use), before = await this.#kept(name);
    const seed = chosen ?? before?.seed ?? freshSeed();
    const commitment = seatCommitmentTo(seed, { ...context, use });
    const kept = { seed, commitment, madeAt: before?.madeAt ?? Date.now() };
    await this.#store.set(name, JSON.stringify(kept));
    return commitment;
  }
  async #kept(name) {
    const text = await this.#store.get(name);
    return text === null ? null : JSON.parse(text);
  }
  #nameOf({ origin, epoch }, use) {
    return `${SEAT_SEED}${origin} ${this.name} ${epoch} ${this.#me} ${use}`;
  }
  /** Enters, with the commitment to a seed for the draw of the seat: the player's own, or a fresh one. */
  async register(pay = 'cash', signal, chosen = null) {
    const { uses } = await this.#follow(signal);
    const commitment = await this.#commit(uses, signal, chosen);
    return this.client.register({ tournament: this.name, body: { commitment, pay } }, { signal });
  }
  /**
   * Reveals the seed that an open draw awaits, with the commitment for the next one; false: it awaits none. The log
   * shows that the draw was called and that this player's entry is one that it seats; a draw that breaks a table or
   * draws the last one anew, that they sit there. What does not show stays with the player, who is seated without it.
   */
  async reveal(signal) {
    const { own: said } = await this.view(signal);
    const due = (await this.#follow(signal)).due();
    const awaits = due?.own.awaits;
    if (!due || !awaits || said?.reveals_use !== awaits.use)
      return false;
    if (due.mustSitAt !== null && !(await this.#sitsAt(due.mustSitAt, signal)))
      return false;
    const context = await this.#context(signal), kept = await this.#kept(this.#nameOf(context, awaits.use));
    if (!kept || seatCommitmentTo(kept.seed, { ...context, use: awaits.use }) !== awaits.commitment)
      throw new SeedLost(`seed ${awaits.use} for ${this.name} is not in the store`);
    const next = await this.#commit((await this.#follow(signal)).uses, signal);
    const args = {
      tournament: this.name,
      draw_no: due.draw.drawNo,
      body: { entry_no: due.own.entryNo, seed: kept.seed, next },
    };
    await this.client.revealSeatSeed(args, { signal });
    return true;
  }
  /**
   * Forgets this player's seeds that no draw will await any more: while none is open, all but that of the commitment in
   * force; and all of them once the event is over, or the player is out of it. Of any event, those that are old.
   */
  async forgetSeeds(view) {
    const { own, draw, summary, origin, epoch } = view;
    if (own && !draw && this.client.player !== null) {
      const isIn = own.entry && !OUT_AT.has(own.entry.at) && !EVENT_OVER.has(summary.stage);
      const name = `${SEAT_SEED}${origin} ${this.name} ${epoch} ${this.client.player} `;
      for (const one of await this.#store.names())
        if (one.startsWith(name) && Number(one.slice(name.length)) < own.next_use - (isIn ? 1 : 0))
          await this.#store.delete(one);
    }
    for (const one of await this.#store.names()) {
      if (!one.startsWith(SEAT_SEED))
        continue;
      const kept = await this.#kept(one);
      if (!kept || kept.madeAt < Date.now() - SEAT_SEED_KEPT_MS)
        await this.#store.delete(one);
    }
  }
  /** Whether the proven entries of the event's table of this number have the player at it. */
  async #sitsAt(table, signal) {
    // A table that breaks is closed when its draw is called.
    const at = this.client.table(`${this.name}.${table}`, signal ? { signal } : {});
    return (await at.provenPlayers()).includes(this.#me);
  }
  /**
   * Reveals whatever draws await until the event is over or the signal says so, while hands are played elsewhere: seats
   * are drawn in mid-event, too. `onView` hears of the event each time that something happened.
   */
  async attend({ signal, onView, } = {}) {
    for (;;) {
      // What happened behind this, or comes, ends the wait below: nothing that the view does not have is missed.
      await this.#follow(signal);
      const seen = this.#proven?.nextSeq;
      const view = await this.view(signal);
      onView?.(view);
      if (EVENT_OVER.has(view.summary.stage))
        return;
      try {
        if (await this.reveal(signal))
          continue;
      }
      catch (error) {
        if (!(error instanceof ProblemError) || !DRAW_RACES.has(error.code))
          throw error;
        await sleep(AGAIN_MS, signal);
      }
      if (this.#proven?.nextSeq === seen)
        await this.#follow(signal, EVENT_NEWS_MS);
    }
  }
}

// --- client.ts

// A client of one service: the calls of the contract, each answer checked as far as it can be.
class Client extends Calls {
  #connection;
  #store;
  #log;
  #onNote;
  #notes;
  #asksNotes;
  #isLater;
  #owed = new Owed();
  /** Seeds that were committed to. */
  seeds;
  #token;
  #player;
  /** What signs; null: nothing does. Undefined: the player's own key, which is not looked for yet. */
  #signer;
  /** Whether the player's own key signs, and not one that was given. */
  #isOwn;
  #onKey;
  #looking = null;
  /** Whether the key in force is not here, by the service's word. */
  #isElsewhere = false;
  /** The nonce that was used last; null: not asked for yet. */
  #nonce = null;
  /** The highest nonce of this player's that is proven to be on the log: nothing signed under a lower one is good. */
  #provenNonce = 0;
  /** Signed commands whose answers are not here yet. */
  #underWay = new Set();
  /** Entries that answered a request of this client, the newest ones. */
  #answered = new Set();
  constructor(options) {
    super();
    this.#connection = new Connection(options.addresses, options.fetch, options.retry);
    this.#store = options.store ?? new MemoryStore();
    this.#onNote = options.onNote;
    this.#notes = new Notes(this.#store);
    this.#asksNotes = options.notes === undefined;
    this.#isLater = options.proofs === 'later';
    this.#token = options.token ?? null;
    this.#player = options.player ?? null;
    this.#signer = options.signer;
    this.#isOwn = options.signer === undefined;
    this.#onKey = options.onKey;
    this.seeds = new Seeds(this.#store);
    const { addresses } = this.#connection;
    this.#log = new KnownLog({
      addresses,
      info: async (signal) => (await this.#plain('getLog', {}, { signal, token: null })),
      tile: (path, signal) => this.#tile(path, signal),
    }, this.#store, options.logKey ?? null);
  }
  // --- Who, and what is known ---------------------------------------------------------------------------------------
  /** Who plays; null: nobody. */
  get player() {
    return this.#player;
  }
  /** What this player's calls go with: a secret, to be kept where they play on later. Null: nobody plays. */
  get token() {
    return this.#token;
  }
  /** The address that the next request goes to: one of those given, or the leader's. */
  get address() {
    return this.#connection.current;
  }
  /** The newest checkpoint that was verified. */
  get checkpoint() {
    return this.#log.checkpoint;
  }
  /** The log's key, once it is known. */
  get logKey() {
    return this.#log.vkey;
  }
  /** Who vouched for the key. `pinned_now`: nobody, it was taken from the service just now. Null: not known yet. */
  get keyTrust() {
    return this.#log.trust;
  }
  /** The first check that failed: nothing that changes anything is sent any more. */
  get failure() {
    return this.#log.failure;
  }
  /** Entries that came without their proofs, as this client asked, and are not proven yet: the service's word. */
  get owed() {
    return this.#owed.list();
  }
  /** From now on this player's token goes with each call, once the service knows it. */
  async signIn(player, token, options = {}) {
    await this.#log.ready(options.signal);
    const view = await this.getPlayer({ player }, { ...options, token });
    if (this.#player !== null && this.#player !== player)
      this.#forgetPen();
    this.#player = player;
    this.#token = token;
    this.#nonce = null;
    return view;
  }
  /** Takes up who played before without asking the service: the next call shows whether the token is theirs. */
  resume(player, token) {
    this.signOut();
    this.#player = player;
    this.#token = token;
  }
  /** Becomes a guest with play chips, where the service admits guests. */
  async joinAsGuest(options = {}) {
    for (let tried = 0; tried < 4; tried += 1) {
      // Another guest is another request.
      const idempotencyKey = tried === 0 ? options.idempotencyKey : undefined;
      const made = await this.admitGuest({}, { ...options, idempotencyKey, token: null });
      // A repeat is not shown the token again: the answer that held it is lost, and the guest with it.
      if (made.token === undefined || made.player === undefined)
        continue;
      const admitted = readEntry(made.receipts[0]?.entry ?? 'null').events.some(event => event.guest_admitted?.player === made.player);
      if (!admitted)
        this.fail({ check: 'asked', message: `the entry does not admit ${made.player}` });
      return this.signIn(made.player, made.token, options);
    }
    throw new BadReply('four guests were admitted, and none came with a token');
  }
  /**
   * Becomes the player for whom the house's own page gave this ticket; it is good once. What it is exchanged for ends by
   * itself: the house gives another.
   */
  async joinByTicket(ticket, options = {}) {
    const { player, token, receipts } = await this.exchangeTicket({ body: { ticket } }, { ...options, token: null });
    if (player === undefined || token === undefined)
      throw new BadReply('a ticket was exchanged for no token');
    const { command } = readEntry(receipts[0]?.entry ?? 'null');
    const { holder } = (command['issue_token'] ?? {});
    if (holder !== `player:${player}`)
      this.fail({ check: 'asked', message: `the token is not for ${player}` });
    return this.signIn(player, token, options);
  }
  /** Forgets who plays. Their own key stays in the store. */
  signOut() {
    this.#player = null;
    this.#token = null;
    this.#forgetPen();
  }
  /** A signer that was given is the player's for whom it was given; the next one's own key is looked for. */
  #forgetPen() {
    this.#isOwn ||= this.#signer !== null;
    this.#signer = this.#isOwn ? undefined : null;
    this.#looking = null;
    this.#isElsewhere = false;
    this.#nonce = null;
    this.#provenNonce = 0;
  }
  /** The key that everything is held against: given, pinned earlier, or pinned by this. `keyTrust` says which. */
  ready(signal) {
    return this.#log.ready(signal);
  }
  /** A table, followed entry by entry, each proven and decided again. */
  table(name, options = {}) {
    return new Table(this, name, options);
  }
  /** A tournament: entering it, and this player's seeds for the draws of their seat. */
  tournament(name) {
    return new Tournament(this, name, this.#store);
  }
  // --- Calls --------------------------------------------------------------------------------------------------------
  /**
   * A call as it would go out now, signed where the player has a key, for whoever has to send it without waiting for
   * anything: a page that is being closed. Nothing holds its answer against a receipt. What the player signs later makes
   * its signature void, so it is prepared anew then.
   */
  async prepare(id, args = {}, options = {}) {
    if (!Object.hasOwn(OPERATIONS, id))
      throw new InvalidInput(`${id} is no call of the contract`);
    const operation = OPERATIONS[id];
    if (operation.repeats !== 'read' && this.#log.failure)
      throw this.#log.failure;
    requireSendable(operation, args);
    return prepared(operation, await this.#signed(id, args, options), options, this.#token);
  }
  call(id, asked, options) {
    return this.#ask(id, asked, options, true);
  }
  async #ask(id, asked, options, signs) {
    const operation = OPERATIONS[id];
    // After a failed check nothing is sent any more that would bind anybody (spec/page.md, 3).
    if (operation.repeats !== 'read' && this.#log.failure)
      throw this.#log.failure;
    const given = this.#owed.ask(id, this.#asksNotes ? withNote(id, asked) : asked, this.#isLater);
    requireSendable(operation, given);
    const idempotencyKey = operation.repeats === 'key' ? (options.idempotencyKey ?? freshKey()) : undefined;
    try {
      // What a seed is revealed on is held by proof: the commitment, and all that the table was told to have since.
      if (id === 'revealSeed')
        await this.#prove(of => tableOf(of.round) === tableOf(roundIn(given)), options);
      const asking = await this.#asking(id, operation, options);
      for (let tried = 1;; tried += 1) {
        const args = signs ? await this.#signed(id, given, options) : given;
        const isSigned = args.signature !== given.signature;
        const answer = this.#answer(id, args, { ...options, idempotencyKey }, asking);
        try {
          const value = isSigned ? await this.#tracked(answer) : await answer;
          if (id === 'cancelBet' && asking.by !== null)
            await this.#takeBack(args);
          // Another key is in force, of the store or not.
          if (id === 'setKey' && signs && asking.by !== null)
            this.#lookAgain();
          return value;
        }
        catch (error) {
          if (!(error instanceof ProblemError) || !signs)
            throw error;
          // Another tab or program of this player's named, replaced or cleared the key.
          if (PEN_CODES.has(error.code))
            this.#lookAgain();
          const isAgain = isSigned && error.code === 'nonce_used' && tried < MOST_SIGNATURES;
          if (!isAgain || !(await this.#isPast(id, args, options)))
            throw error;
        }
      }
    }
    catch (error) {
      if (error instanceof FairshoeError)
        error.idempotencyKey ??= idempotencyKey ?? null;
      throw error;
    }
  }
  async #answer(id, args, options, asking) {
    const value = await this.#plain(id, args, options);
    await this.#hold(id, args, value, asking, options.signal).catch((error) => {
      throw asBadReply(error);
    });
    return value;
  }
  async #tracked(answer) {
    this.#underWay.add(answer);
    try {
      return await answer;
    }
    finally {
      this.#underWay.delete(answer);
    }
  }
  /**
   * Whether a command that was refused for its nonce may be signed anew. Most do nothing when they are logged twice in
   * a row. Any other only where a later nonce is proven to be on the log: *attack: a house that refuses a payment, gets
   * it signed a second time, and logs both.*
   */
  async #isPast(id, { signature }, { signal }) {
    const player = this.#player;
    if (player === null)
      return false;
    // Another program's clock may be ahead of this one's.
    const { last_nonce: last } = await this.getPlayer({ player }, { signal });
    this.#nonce = Math.max(this.#nonce ?? 0, last);
    if (SAME_TWICE.has(id))
      return true;
    await Promise.allSettled(this.#underWay);
    return Number(/^nonce=(\d+)/.exec(signature ?? '')?.[1]) < this.#provenNonce;
  }
  /** Bets that the log shows as taken back bind nothing any more. */
  async #takeBack({ table, round_no: roundNo }) {
    const { name } = verifier.readLogKey(await this.#log.ready());
    if (this.#player !== null)
      await this.seeds.takenBack(name, String(table), Number(roundNo), this.#player);
  }
  /** Who asks, and how many entries the log is known to have before: an entry that the call makes comes behind them. */
  async #asking(id, { repeats }, options) {
    const isOurs = options.token === undefined && this.#token !== null && this.#player !== null;
    const by = isOurs ? `player:${this.#player}` : null;
    if (options.idempotencyKey !== undefined || !isFresh(id, repeats))
      return { by, size: null };
    if (this.#log.checkpoint === null) {
      await this.#log.ready(options.signal);
      if (this.#log.checkpoint === null)
        await this.getCheckpoint({ signal: options.signal });
    }
    return { by, size: sizeOf(this.#log.checkpoint ?? '') };
  }
  /** The same arguments with the player's signature, where they have a key and the call makes a command of theirs. */
  async #signed(id, args, options) {
    const player = this.#player;
    if (player === null || args.signature !== undefined || !SIGNED_CALLS.has(id))
      return args;
    // Chips out is the player's command, and the operator's token goes with it.
    const isOut = id === 'withdrawChips';
    const isOurs = isOut ? args['player'] === player : options.token === undefined && this.#token !== null;
    if (!isOurs)
      return args;
    if (!(await this.#pen(player, !isOut))) {
      if (!this.#isElsewhere)
        return args;
      // *Attack: a house that speaks of another key, so that no first one is made, and logs what comes unsigned.*
      this.#lookAgain();
      throw new ProblemError(403, { code: 'signature_missing', detail: `the key of ${player} is not in this store` });
    }
    const named = id === 'openTable' ? withTable(args, player) : args;
    return { ...named, signature: await this.#signature(id, named, player, options) };
  }
  async #signature(id, args, player, options) {
    const signer = await this.#pen(player, false);
    if (!signer)
      throw new InvalidInput('nobody signs: this player has no key here, and no signer was given');
    const { signal } = options;
    const isCash = dependsOnTable(id, args) && (options.isCash ?? (await this.#isCash(args, signal)));
    const command = commandText(id, args, { isCash, rules: await this.#rulesFor(id, args, signal) });
    const { name } = verifier.readLogKey(await this.#log.ready(signal));
    if (this.#nonce === null) {
      const { last_nonce: last } = await this.getPlayer({ player }, { signal });
      // Another command may have been signed meanwhile.
      this.#nonce = Math.max(this.#nonce ?? 0, last);
    }
    // Greater than the last one, also than that of another client of this player's whose clock is right.
    this.#nonce = Math.max(this.#nonce + 1, Date.now());
    return signatureHeader(signer, name, player, this.#nonce, command);
  }
  async #isCash(args, signal) {
    const table = String(args['table'] ?? roundOf(args['id'])['table']);
    const { rules } = await this.getTable({ table }, { signal });
    if (!rules?.game)
      throw new BadReply(`the answer names no rules of ${table}`);
    return 'poker' in rules.game;
  }
  /** The rule set that a new table has: signed is all of it. What its name stands for is the service's word. */
  async #rulesFor(id, { body }, signal) {
    const { rules } = (body ?? {});
    if (id !== 'openTable' || typeof rules !== 'string')
      return undefined;
    return (await this.getRuleSet({ name: rules }, { signal })).rules;
  }
  /**
   * This player's signature of the payment of chips, for the operator, whose `withdrawChips` takes it as `signature`
   * with the same body. It is good until this player signs something else that is logged: send it first.
   */
  async signWithdrawal(body, options = {}) {
    const player = this.#player;
    if (player === null)
      throw new InvalidInput('nobody plays: sign in first');
    return this.#signature('withdrawChips', { player, body }, player, options);
  }
  // --- The player's own key -----------------------------------------------------------------------------------------
  /** Whether this player's commands are signed. Their own key is made and named by this, where they have none yet. */
  async signs() {
    return this.#player !== null && (await this.#pen(this.#player, true)) !== null;
  }
  /** From now on this player's commands are signed by this; null: no longer. */
  useSigner(signer) {
    this.#isOwn = false;
    this.#signer = signer;
  }
  /** Looks anew for the player's own key before the next command. */
  #lookAgain() {
    if (!this.#isOwn)
      return;
    this.#signer = undefined;
    this.#looking = null;
    this.#isElsewhere = false;
  }
  /** What signs this player's commands. `mayName`: a first key is made and named where there is none. */
  async #pen(player, mayName) {
    for (let tried = 0; this.#signer === undefined; tried += 1) {
      if (this.#player !== player || tried >= MOST_SIGNATURES)
        throw new InvalidInput('somebody else plays by now');
      if (!mayName)
        return (await this.#held(player)).signer;
      // One look for all calls that wait for it: two would make two keys.
      const looking = (this.#looking ??= this.#look(player));
      try {
        await looking;
      }
      finally {
        if (this.#looking === looking)
          this.#looking = null;
      }
    }
    return this.#signer ?? null;
  }
  async #keys(player) {
    const { name } = verifier.readLogKey(await this.#log.ready());
    return new PlayerKeys(this.#store, name, player);
  }
  /** The key in force, and what signs with it where it is here. */
  async #held(player) {
    const keys = await this.#keys(player), view = await this.getPlayer({ player });
    const kept = view.key === null ? null : await keys.find(view.key);
    return { keys, view, signer: kept && (await signerOfKey(kept)) };
  }
  async #look(player) {
    // A key that is forgotten with the program would lock its player out for a day: none is made then.
    const isKept = !(this.#store instanceof MemoryStore) || player.startsWith('guest.');
    if (!isKept && !(await (await this.#keys(player)).all()).length) {
      this.#signer = null;
      return;
    }
    const { keys, view, signer } = await this.#held(player);
    let pen = signer;
    if (view.key === null) {
      // One that was kept, and whose naming was not answered, goes before a new one. *Attack: an operator's key that
      // waits for a player without one: their own is in force at once, and takes it back.*
      const [kept = null] = await keys.all();
      const made = kept === null ? await freshPlayerKey() : await keys.find(kept);
      pen = made && (await signerOfKey(made));
      if (made && pen) {
        await keys.keep(made);
        try {
          await this.#ask('setKey', { player, body: { key: made.key } }, {}, false);
        }
        catch (error) {
          // Another tab was first: its key is in the store, or the player's, and elsewhere.
          if (error instanceof ProblemError && error.code === 'signature_missing')
            return;
          throw error;
        }
        this.#onKey?.(made.key);
      }
    }
    if (this.#player !== player || !this.#isOwn)
      return;
    this.#signer = pen;
    this.#isElsewhere = pen === null && view.key !== null;
  }
  /** How this player's commands go out; nothing is made by this. */
  async keyState() {
    const { keys, view, signer } = await this.#held(this.#whoPlays());
    const { key, key_waits: waits } = view;
    return {
      state: key === null ? 'none' : signer ? 'signs' : 'elsewhere',
      key,
      waitsUntil: waits?.from ?? null,
      isNextHere: waits?.key != null && (await keys.find(waits.key)) !== null,
    };
  }
  /** The text of a file that holds the key in force, to be saved where it is not lost; null where it is not here. */
  async keyFile() {
    const { keys, view } = await this.#held(this.#whoPlays());
    const kept = view.key === null ? null : await keys.find(view.key);
    return kept && keys.write(kept);
  }
  /** Brings a key back, out of the text of such a file: the key in force, one that waits to be, or a first one. */
  async takeKeyFile(text) {
    const { keys, view } = await this.#held(this.#whoPlays());
    const wanted = [view.key, view.key_waits?.key], read = keys.read(text, wanted);
    if (!(await signerOfKey(read)))
      throw new InvalidInput('the file is damaged: its two halves are not of one key');
    if (view.key !== null && !wanted.includes(read.key))
      throw new InvalidInput('the file holds another key than the one in force');
    await keys.keep(read);
    this.#lookAgain();
    if (view.key === null)
      await this.signs();
    return this.keyState();
  }
  /**
   * Makes and keeps another key, whose public half the operator names in the place of a lost one (`setKey` with a
   * reason). It is in force a day later, and signs here from then on.
   */
  async nextKey() {
    const made = await freshPlayerKey();
    if (!made)
      throw new InvalidInput('no key can be made here: the platform knows no Ed25519, or only over https');
    await (await this.#keys(this.#whoPlays())).keep(made);
    return made.key;
  }
  /** Takes this player's keys out of the store: whoever has no file of them has lost them. */
  async forgetKeys() {
    await (await this.#keys(this.#whoPlays())).forget();
    this.#lookAgain();
  }
  #whoPlays() {
    if (this.#player === null)
      throw new InvalidInput('nobody plays: sign in first');
    return this.#player;
  }
  /** Sends a call, and reads the answer; nothing of it is checked. */
  async #plain(id, args, options) {
    const operation = OPERATIONS[id];
    const token = options.token === undefined ? this.#token : options.token;
    const heard = new Map();
    const hear = (kind, note) => {
      // A note that cannot be read or kept takes no answer with it.
      if (!heard.has(note))
        heard.set(note, this.#hear(kind, note).catch(() => undefined));
    };
    const received = operation.reply === 'json' ? (note) => hear('received', note) : undefined;
    try {
      const answer = await this.#connection.send(operation, args, options, token, received);
      const value = valueOf(operation, answer);
      const { received: note } = (operation.repeats === 'read' ? {} : value);
      if (typeof note === 'string')
        hear('received', note);
      return value;
    }
    catch (error) {
      if (error instanceof ProblemError && error.refused !== null)
        hear('refused', error.refused);
      throw error;
    }
    finally {
      await Promise.all(heard.values());
    }
  }
  /** What the second verifier, the contract and the history kept here say of an answer. */
  async #hold(id, args, value, asking, signal) {
    if (id === 'getCheckpoint' || id === 'getWitnessedCheckpoint')
      return this.#log.hold(value, signal);
    if (id === 'getReceipt')
      return this.#log.hold(checkpointIn(value), signal);
    if (id === 'getLog')
      return this.#log.holdInfo(value, signal);
    const reply = (value !== null && typeof value === 'object' ? value : {});
    const receipts = receiptsIn(reply);
    const isRead = OPERATIONS[id].repeats === 'read';
    // *Attack: an answer that says "done" and holds nothing that the house could not deny.*
    if (!isRead && !receipts.length)
      throw new BadReply(`the answer to ${id} has no receipt`);
    const isOwed = (one) => asksLater(args) && one?.proof === undefined;
    const proven = receipts.filter(one => !isOwed(one));
    if (proven.length)
      await this.#holdReceipts(proven, signal);
    if (!isRead) {
      try {
        const unkept = receipts.filter(isOwed).filter(one => !this.#owed.add(one, roundIn(args)));
        await this.#proveEach(unkept, signal);
        holdToAsked(id, args, receipts, asking);
        this.#holdToOwnEntry(id, receipts[0], reply);
        if (proven[0] && proven[0] === receipts[0])
          this.#takeNonce(proven[0].entry);
      }
      catch (error) {
        this.#log.fail(error);
      }
    }
    if (typeof reply['checkpoint'] === 'string')
      await this.#log.hold(reply['checkpoint'], signal);
    if (id === 'listTableEntries' || id === 'listTournamentEntries')
      await this.#holdEntries(args, reply, signal);
  }
  #takeNonce(entry) {
    const { by, signed } = readEntry(entry);
    if (by === `player:${this.#player}` && signed)
      this.#provenNonce = Math.max(this.#provenNonce, signed.nonce);
  }
  /**
   * One entry answers one request, and the reply names the table that it opens. *Attack: two equal credits at once, and
   * one entry for both.*
   */
  #holdToOwnEntry(id, { index, entry }, { table }) {
    const fail = (message) => {
      throw new CheckFailed({ check: 'asked', entry: index, message }, { name: 'entry.json', text: entry });
    };
    const opened = readEntry(entry).command['open_table']?.table;
    if (id === 'openTable' && table !== opened)
      fail(`the entry opens ${opened}, the answer names ${String(table)}`);
    if (!isFresh(id, OPERATIONS[id].repeats))
      return;
    if (this.#answered.has(index))
      fail('the entry answered another request before');
    this.#answered.add(index);
    if (this.#answered.size > ANSWERED_KEPT)
      this.#answered.delete([...this.#answered][0]);
  }
  /** Entries that came with proofs are those of the checkpoint that came with them. */
  async #holdEntries({ query }, { entries, checkpoint }, signal) {
    if (!Array.isArray(entries) || typeof checkpoint !== 'string')
      throw new BadReply('the answer has no list of entries with its checkpoint');
    const receipts = entries.flatMap(({ index, entry, proof }) => {
      if (proof === undefined && query?.proofs)
        throw new BadReply(`entry ${index} comes without its proof`);
      return proof === undefined ? [] : [{ index, entry, proof: proofText(index, proof, checkpoint) }];
    });
    if (receipts.length)
      await this.#holdReceipts(receipts, signal);
  }
  async #holdReceipts(receipts, signal) {
    await this.#log.receipts(receipts, signal);
    this.takeProven(receipts);
    await this.#notes.settled();
  }
  async #hear(kind, note) {
    // A note that its key did not sign shows nothing and accuses nobody: it is not handed on as evidence.
    if (!note.startsWith(`fairshoe ${kind}/v1\n`) || !(await this.#log.isHouseNote(note)))
      return;
    await this.#notes.keep(await this.#origin(), { kind, note });
    this.#onNote?.({ kind, note });
  }
  async #origin() {
    return verifier.readLogKey(await this.#log.ready()).name;
  }
  /**
   * The house's signed notes that are kept, the oldest first: of what it received that is not on the log as far as is
   * known here, and of what it refused. `linesOfNotes` makes the file for `fairshoe-audit log --kept` of them.
   */
  async notes() {
    return this.#notes.all(await this.#origin());
  }
  async #tile(path, signal) {
    const [, level = '', index = ''] = /^tile\/([^/]+)\/(.+)$/.exec(path) ?? [];
    return (await this.#plain('getTile', { level: Number(level), index }, { signal, token: null }));
  }
  /** Bytes of an answer that is hashed or judged as it came. */
  async #text(id, args, options) {
    const operation = { ...OPERATIONS[id], reply: 'text' };
    const token = options.token === undefined ? this.#token : options.token;
    return (await this.#connection.send(operation, args, options, token)).text;
  }
  /** Holds a signed checkpoint, wherever it came from, against the history kept here. */
  holdCheckpoint(checkpoint, signal) {
    return this.#log.hold(checkpoint, signal);
  }
  // --- What is proven -----------------------------------------------------------------------------------------------
  /** An entry of the log with its receipt, verified; what `getEntry` alone gives is not proven. */
  async provenEntry(index, options = {}) {
    const text = await this.#text('getEntry', { index }, options);
    const proof = await this.#text('getReceipt', { index }, options);
    const receipt = { index, entry: text, proof };
    await this.#holdReceipts([receipt], options.signal);
    return { receipt, entry: readEntry(text) };
  }
  /**
   * Proves what is owed: the log's own receipt of each entry has to hold for the bytes that were told. What does not
   * hold is a failed check. What the log has no receipt for stays owed, and its error is thrown.
   */
  async proveOwed(options = {}) {
    await this.#prove(() => true, options);
  }
  async #prove(isMeant, { signal }) {
    await this.#proveEach(this.#owed.list().filter(isMeant), signal);
  }
  async #proveEach(told, signal) {
    for (const { index, entry } of told) {
      const proof = await this.#text('getReceipt', { index }, { signal });
      await this.#holdReceipts([{ index, entry, proof }], signal);
    }
  }
  /**
   * Entries that are proven to be on the log known here: those that were owed are held against them, and notes of what
   * was received go.
   */
  takeProven(entries) {
    try {
      for (const one of entries) {
        this.#owed.settle(one);
        this.#notes.settle(one);
      }
    }
    catch (error) {
      this.#log.fail(error);
    }
  }
  /** A round's bundle as it came, for `verifyBundleText`, a file or somebody else. */
  bundleText(round, options = {}) {
    return this.#text('getBundle', { id: round }, options);
  }
  /** The bundle of a table's latest shoe. */
  tableBundleText(table, options = {}) {
    return this.#text('getTableBundle', { table }, options);
  }
  /**
   * The full verdict on a round: its bundle is fetched and judged here, by the second verifier, under the key known
   * here, and its checkpoint is held against the history kept here. What is not sound is a failed check, with the
   * bundle as its evidence. `sound_so_far` is sound as far as the round or its shoe has come: a shoe's seed is out when
   * the shoe is retired. What is owed of the round is proven by the bundle; what it does not hold, by its receipt.
   */
  async verifyRound(round, options = {}) {
    const vkey = await this.#log.ready(options.signal);
    const text = await this.bundleText(round, options);
    const evidence = { name: 'bundle.json', text };
    const report = await this.verifyBundleText(text, vkey);
    if (report.verdict === 'not_sound') {
      const [first] = report.findings;
      this.fail(first ?? { check: 'unknown', message: 'the verifier names no finding' }, evidence);
    }
    // *Attack: the good bundle of another round.*
    if (report.round?.id !== round)
      this.fail({ check: 'bundle_round', message: `the bundle is of ${report.round?.id}, not of ${round}` }, evidence);
    const { checkpoint, entries } = readJson(text);
    if (typeof checkpoint !== 'string')
      throw new BadReply('the bundle has no checkpoint');
    await this.#log.hold(checkpoint, options.signal);
    this.takeProven(entries);
    await this.#notes.settled();
    await this.#prove(owed => owed.round === round, options);
    return report;
  }
  /**
   * The verdict on a bundle that is at hand, whoever it came from: nothing is sent, and what is not sound is said and
   * not thrown. Without a key it is judged under the one known here.
   */
  async verifyBundleText(text, vkey) {
    const key = vkey ?? (await this.#log.ready());
    return checking(() => ({ ...verifier.verifyBundle(text, key), bundle: text }));
  }
  /** A table's entries with their proofs, for a follower: it holds each against the checkpoint, which is held here. */
  async entriesToFollow(table, fromSeq, waitMs, signal) {
    const query = { from_seq: fromSeq, limit: 256, wait_ms: waitMs, proofs: true };
    const page = (await this.#plain('listTableEntries', { table, query }, { signal }));
    if (!Array.isArray(page?.entries))
      throw new BadReply('the answer has no list of entries');
    await this.#log.hold(page.checkpoint, signal);
    return page;
  }
  // --- Lists --------------------------------------------------------------------------------------------------------
  /**
   * Each player's part in each round that is as asked for, as its line comes; nothing is kept. All of it is the
   * service's word, held to agree with itself and with what was asked. `findRounds` gives the same as one text.
   */
  async *eachRound(query = {}, options = {}) {
    for await (const line of this.#lines('findRounds', { query }, options))
      yield partOf(line, query);
  }
  /** All that moved a player's balance, in the order of the log, as it comes: each follows from the one before. */
  async *eachTransaction(player, query = {}, options = {}) {
    const read = transactionsFrom();
    for await (const line of this.#lines('listTransactions', { player, query }, options))
      yield read(line);
  }
  async *#lines(id, args, options) {
    const token = options.token === undefined ? this.#token : options.token;
    yield* linesOf(await this.#connection.open(OPERATIONS[id], args, options, token), id, options.signal);
  }
  /**
   * A self check, which changes nothing: the service's commitment to a seed is the one that this client makes. The seed
   * is made for this and thrown away. One that is given was shown to the house: nobody can play with it any more.
   */
  async tryCommitment({ table, body = {} }, options = {}) {
    const { player = this.#player, seed = freshSeed(), round_no: roundNo = 0 } = body;
    if (player === null)
      throw new InvalidInput('whose commitment would it be? Name the player');
    const trial = await super.tryCommitment({ table, body: { player, round_no: roundNo, seed } }, options);
    const origin = verifier.readLogKey(await this.#log.ready(options.signal)).name;
    const told = { origin: trial.origin, table: trial.table, round_no: trial.round_no, player: trial.player };
    if (!isSame(told, { origin, table, round_no: roundNo, player }))
      this.fail({ check: 'origin', message: `the dry run is of ${JSON.stringify(told)}` });
    if (!verifier.unhex(String(trial.epoch), 32))
      throw new BadReply('the epoch is none');
    const text = String(trial.hashed), hashed = verifier.unhex(text, text.length / 2);
    const made = commitmentTo(seed, { origin, table, epoch: trial.epoch, roundNo, player });
    if (trial.commitment !== made || !hashed || verifier.hex(verifier.sha256(hashed)) !== made)
      this.fail({
        check: 'seed_revealed',
        message: 'the service expects another commitment to a seed than this client makes',
      });
    return trial;
  }
  // --- Streams ------------------------------------------------------------------------------------------------------
  /** A table's entries as they happen. Nothing on a stream is proven; `table` follows one with proofs. */
  tableEvents(table, options = {}) {
    const isOver = async () => (await this.listTableEntries({ table, query: BEHIND_ALL }, { signal: options.signal })).closed;
    const at = { name: table, path: `/v1/tables/${nameIn(table)}/events` };
    return readStream(this.#connection, at, this.#token, isOver, options);
  }
  /** A tournament's entries as they happen. */
  tournamentEvents(tournament, options = {}) {
    const isOver = async () => (await this.listTournamentEntries({ tournament, query: BEHIND_ALL }, { signal: options.signal })).closed;
    const at = { name: tournament, path: `/v1/tournaments/${nameIn(tournament)}/events` };
    return readStream(this.#connection, at, this.#token, isOver, options);
  }
  fail(failed, evidence = null) {
    return this.#log.fail(failed instanceof CheckFailed ? failed : new CheckFailed(failed, evidence));
  }
}
/** The same call, to be signed for before it is decided, where the house signs for such calls. */
function withNote(id, args) {
  const query = { received: 'first', ...args.query };
  return SIGNED_FOR.has(id) ? { ...args, query } : args;
}
/** These say that another key is in force than the client thinks, or none. */
const PEN_CODES = new Set(['signature_missing', 'signature_wrong', 'no_key']);
/** So often a command is signed at most, where others of this player's overtake it. */
const MOST_SIGNATURES = 4;
/** Calls whose command, logged twice in a row, does what it does once: the second is refused, or changes nothing. */
const SAME_TWICE = new Set([
  'setKey',
  'setLimit',
  'exclude',
  'openTable',
  'closeTable',
  'takeSeat',
  'leaveSeat',
  'sitOut',
  'wantSeat',
  'placeBet',
  'cancelBet',
  'commitSeed',
  'revealSeed',
  'handInLateSeed',
  'act',
  'register',
  'unregister',
  'revealSeatSeed',
  'declineRebuy',
  'wantDeal',
  'proposeDeal',
  'answerDeal',
]);
/** Who signs names the table that they open; a guest's are called so (spec/ledger.md, "Play chips"). */
function withTable(args, player) {
  const body = (args.body ?? {});
  if (body.table !== undefined)
    return args;
  return { ...args, body: { ...body, table: `${player.startsWith('guest.') ? `play.${player}.` : ''}own-${freshKey()}` } };
}
/** So many entries that answered a request are remembered: more than a client has under way at once. */
const ANSWERED_KEPT = 4096;
/** So many receipts a reply has at most (openapi.yaml, `Accepted`). */
const MOST_RECEIPTS = 2;
/** The receipts of a reply, whichever field they stand in. */
function receiptsIn({ receipts, receipt, committed, revealed, sealed }) {
  // *Attack: a million receipts in one reply, each to be proven, or kept as owed.*
  if (Array.isArray(receipts) && receipts.length > MOST_RECEIPTS)
    throw new BadReply(`the answer has ${receipts.length} receipts`);
  if (Array.isArray(receipts))
    return receipts;
  const isReceipt = (one) => one !== null && typeof one === 'object' && 'proof' in one;
  return [receipt, committed, revealed, sealed].filter(isReceipt);
}
/** Asks for no entry, only whether there will be any. */
const BEHIND_ALL = { from_seq: Number.MAX_SAFE_INTEGER, limit: 1 };
/** A proof in the form of a receipt's. */
const proofText = (index, path, checkpoint) => ['c2sp.org/tlog-proof@v1', `index ${index}`, ...path, '', checkpoint].join('\n');
function nameIn(name) {
  if (!/^[a-z0-9_-][a-z0-9._-]{0,63}$/.test(name))
    throw new InvalidInput(`${name} is no name`);
  return name;
}

// --- display.ts

// Chips as people read them. Amounts stay whole numbers: nothing here is computed in fractions, or read back.
const MOST_DECIMALS = 8;
/**
 * An amount in the house's currency, exactly: 1250 of `{code: 'EUR', decimals: 2}` is `12.50 EUR`. Without a currency
 * (the house says nothing) chips are whole numbers.
 */
function formatChips(chips, currency) {
  if (!Number.isSafeInteger(chips))
    throw new InvalidInput(`an amount is a whole number; got ${String(chips)}`);
  const digits = String(Math.abs(chips)), sign = chips < 0 ? '-' : '';
  if (!currency)
    return sign + digits;
  const { code, decimals } = currency;
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > MOST_DECIMALS || !/^[A-Z0-9]{2,8}$/.test(code))
    throw new InvalidInput('a currency has a code of 2 to 8 of A-Z 0-9 and 0 to 8 decimals');
  const padded = digits.padStart(decimals + 1, '0');
  const at = padded.length - decimals;
  return `${sign}${padded.slice(0, at)}${decimals ? `.${padded.slice(at)}` : ''} ${code}`;
}

// --- generated/error-codes.ts

const ERROR_CODES = [
  'malformed', 'unauthorized', 'not_allowed', 'guests_not_offered', 'ticket_refused', 'not_your_decision',
  'signature_missing', 'signature_wrong', 'not_found', 'unknown_player', 'unknown_table', 'unknown_round',
  'unknown_shoe', 'unknown_entry', 'not_witnessed', 'unknown_ruleset', 'unknown_structure', 'unknown_tournament',
  'unknown_log', 'unknown_operation', 'method_not_allowed', 'request_timeout', 'wrong_round', 'wrong_epoch',
  'round_in_progress', 'no_shoe', 'recovering', 'insufficient_balance', 'claim_refused', 'already_claimed',
  'too_many_operations', 'no_wallet', 'amount_out_of_range', 'spot_taken', 'player_count', 'solo_table',
  'seat_not_free', 'not_seated', 'chips_needed', 'cooldown', 'excluded', 'limit_reached', 'bets_not_open',
  'newcomer_waits', 'no_bet', 'nothing_to_do', 'player_exists', 'nonce_used', 'no_key', 'table_exists',
  'too_many_tables', 'not_replaceable', 'too_many_waiting', 'too_many_tokens', 'not_a_contributor',
  'seed_does_not_open', 'already_revealed', 'reveals_over', 'saw_other', 'awaiting_reveals', 'deadline_passed',
  'decision_not_open', 'action_not_offered', 'extra_stake_refused', 'idempotency_key_reused',
  'registration_closed', 'field_full', 'not_registered', 'wrong_draw', 'not_an_entrant', 'hand_in_progress',
  'tournament_table', 'other_chips', 'deadline_ahead', 'too_many_seats', 'level_blocked', 'sitting_out',
  'is_a_cash_table', 'hand_not_called', 'not_a_cash_table', 'shoe_not_sealed', 'bundle_too_large', 'log_ended',
  'body_too_large', 'unsupported_media_type', 'bet_count', 'unknown_spot', 'spot_twice', 'below_minimum',
  'above_maximum', 'off_step', 'unknown_chip', 'chip_above_balance', 'chips_differ', 'rule_set_refused',
  'structure_refused', 'stake_refused', 'deal_refused', 'instant_out_of_range', 'buy_in_out_of_range',
  'raise_out_of_range', 'key_refused', 'too_many_guests', 'rate_limited', 'too_many_changes', 'not_leader',
  'head_too_large', 'internal', 'unavailable', 'busy', 'stopping', 'wallet_unavailable', 'disk_full',
  'unwitnessed',
];

export {
  Client,
  ERROR_CODES,
  OPERATIONS,
  Seeds,
  Table,
  Tournament,
  commitmentTo,
  formatChips,
  isSameBets,
  linesOfNotes,
  seatCommitmentTo,
  signerOf,
};

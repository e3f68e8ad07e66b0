// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// The calls of the contract as methods. What carries them out is in ../client.ts.
import type { Chips, Count, Name, Nothing, PartOutcome, RoundId, SeatNumber, SignatureHeader } from './words.js';
import type { Entry } from './entries.js';
import type { RuleSetList, RuleSetView } from './rules.js';
import type {
  BundleVerdict, ClusterView, Disclosure, KnownLogList, KnownLogRequest, PlayerRecall, PlayerWallet, Ready,
  Recall, ShoeHistory, SignificantList, WalletMovement, WalletOperation,
} from './records.js';
import type {
  Accepted, Act, Announced, Because, BetRequest, Bundle, Claim, Commit, Correction, CurrentShoe, DecisionList,
  DisplayNames, LateSeed, LogInfo, LoginTicket, MoreChips, Movement, NewAuditor, NewExclusion, NewKey, NewLimit,
  NewPlayer, NewTable, NewTicket, NewToken, NewTransfer, PlayerList, PlayerView, Reveal, RoundList, RoundRead,
  SeatWish, TableEntries, TableList, TableView, TicketExchange, Trial, TrialCommitment,
} from './views.js';
import type { CallOptions } from '../http.js';
import { TournamentCalls } from './tournament-calls.js';

export abstract class Calls extends TournamentCalls {
  /** The process answers. */
  getHealth(options: CallOptions = {}): Promise<string> {
    return this.call('getHealth', {}, options) as Promise<string>;
  }

  /** The service can be used. */
  getReady(options: CallOptions = {}): Promise<Ready> {
    return this.call('getReady', {}, options) as Promise<Ready>;
  }

  /** The shards, and who leads them. */
  getCluster(options: CallOptions = {}): Promise<ClusterView> {
    return this.call('getCluster', {}, options) as Promise<ClusterView>;
  }

  /** Metrics for an operator's monitoring. */
  getMetrics(options: CallOptions = {}): Promise<string> {
    return this.call('getMetrics', {}, options) as Promise<string>;
  }

  /** This contract. */
  getContract(options: CallOptions = {}): Promise<string> {
    return this.call('getContract', {}, options) as Promise<string>;
  }

  /** A second verifier, as a page. */
  getVerifier(options: CallOptions = {}): Promise<string> {
    return this.call('getVerifier', {}, options) as Promise<string>;
  }

  /** The newest signed checkpoint. */
  getCheckpoint(options: CallOptions = {}): Promise<string> {
    return this.call('getCheckpoint', {}, options) as Promise<string>;
  }

  /** The newest checkpoint that met the witnesses' quorum. */
  getWitnessedCheckpoint(options: CallOptions = {}): Promise<string> {
    return this.call('getWitnessedCheckpoint', {}, options) as Promise<string>;
  }

  /** A tile of hashes. */
  getTile(args: { level: number; index: string }, options: CallOptions = {}): Promise<Uint8Array> {
    return this.call('getTile', args, options) as Promise<Uint8Array>;
  }

  /** The lines of a state that the log may name. */
  getState(args: { size: string }, options: CallOptions = {}): Promise<string> {
    return this.call('getState', args, options) as Promise<string>;
  }

  /** A bundle of entries. */
  getEntryBundle(args: { index: string }, options: CallOptions = {}): Promise<Uint8Array> {
    return this.call('getEntryBundle', args, options) as Promise<Uint8Array>;
  }

  /** The log in one view. */
  getLog(options: CallOptions = {}): Promise<LogInfo> {
    return this.call('getLog', {}, options) as Promise<LogInfo>;
  }

  /** An entry's receipt. */
  getReceipt(args: { index: Count; query?: { witnessed?: boolean } }, options: CallOptions = {}): Promise<string> {
    return this.call('getReceipt', args, options) as Promise<string>;
  }

  /** An entry's exact bytes. */
  getEntry(args: { index: Count }, options: CallOptions = {}): Promise<Entry> {
    return this.call('getEntry', args, options) as Promise<Entry>;
  }

  /** Become a guest. */
  admitGuest(args: { body?: Nothing } = {}, options: CallOptions = {}): Promise<Accepted> {
    return this.call('admitGuest', args, options) as Promise<Accepted>;
  }

  /** Players' names. */
  getNames(args: { query: { players: string } }, options: CallOptions = {}): Promise<DisplayNames> {
    return this.call('getNames', args, options) as Promise<DisplayNames>;
  }

  /** Find players. */
  listPlayers(
    args: { query?: { search?: string; cursor?: Name; limit?: number } } = {},
    options: CallOptions = {},
  ): Promise<PlayerList> {
    return this.call('listPlayers', args, options) as Promise<PlayerList>;
  }

  /** Create a player. */
  createPlayer(args: { body: NewPlayer }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('createPlayer', args, options) as Promise<Accepted>;
  }

  /** A balance, a key, the last nonce. */
  getPlayer(args: { player: Name }, options: CallOptions = {}): Promise<PlayerView> {
    return this.call('getPlayer', args, options) as Promise<PlayerView>;
  }

  /** All that moved a player's balance. */
  listTransactions(args: {
    player: Name;
    query?: { from?: string; to?: string; format?: 'jsonl' | 'csv' };
  }, options: CallOptions = {}): Promise<string> {
    return this.call('listTransactions', args, options) as Promise<string>;
  }

  /** Chips in. */
  creditPlayer(args: { player: Name; body: Movement }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('creditPlayer', args, options) as Promise<Accepted>;
  }

  /** Chips out. */
  withdrawChips(
    args: { player: Name; body: Movement; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('withdrawChips', args, options) as Promise<Accepted>;
  }

  /** Correct the book against a player. */
  correctPlayer(args: { player: Name; body: Correction }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('correctPlayer', args, options) as Promise<Accepted>;
  }

  /** The key that a player signs with. */
  setKey(
    args: { player: Name; body: NewKey; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('setKey', args, options) as Promise<Accepted>;
  }

  /** A limit that a player sets themselves. */
  setLimit(
    args: { player: Name; body: NewLimit; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('setLimit', args, options) as Promise<Accepted>;
  }

  /** A player shuts themselves out. */
  exclude(
    args: { player: Name; body: NewExclusion; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('exclude', args, options) as Promise<Accepted>;
  }

  /** A further token for a player. */
  issueToken(
    args: { player: Name; body: NewToken; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('issueToken', args, options) as Promise<Accepted>;
  }

  /** A ticket by which a browser becomes the player. */
  issueTicket(args: { player: Name; body: NewTicket }, options: CallOptions = {}): Promise<LoginTicket> {
    return this.call('issueTicket', args, options) as Promise<LoginTicket>;
  }

  /** A player's token for a ticket. */
  exchangeTicket(args: { body: TicketExchange }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('exchangeTicket', args, options) as Promise<Accepted>;
  }

  /** A token for an auditor. */
  createAuditor(args: { body: NewAuditor }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('createAuditor', args, options) as Promise<Accepted>;
  }

  /** Other logs that are known. */
  listLogs(options: CallOptions = {}): Promise<KnownLogList> {
    return this.call('listLogs', {}, options) as Promise<KnownLogList>;
  }

  /** Name another log. */
  knowLog(args: { body: KnownLogRequest }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('knowLog', args, options) as Promise<Accepted>;
  }

  /** Chips from another log. */
  claimTransfer(args: { body: Claim }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('claimTransfer', args, options) as Promise<Accepted>;
  }

  /** Chips to another log. */
  sendTransfer(
    args: { player: Name; body: NewTransfer; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('sendTransfer', args, options) as Promise<Accepted>;
  }

  /** A player's open operations of the wallet. */
  getPlayerWallet(args: { player: Name }, options: CallOptions = {}): Promise<PlayerWallet> {
    return this.call('getPlayerWallet', args, options) as Promise<PlayerWallet>;
  }

  /** Chips for money that the wallet has. */
  depositFromWallet(
    args: { player: Name; body: WalletMovement; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('depositFromWallet', args, options) as Promise<Accepted>;
  }

  /** Chips back to the wallet. */
  withdrawToWallet(
    args: { player: Name; body: WalletMovement; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('withdrawToWallet', args, options) as Promise<Accepted>;
  }

  /** An operation of the wallet. */
  getWalletOperation(
    args: { no: Count; query?: { wait_ms?: number } },
    options: CallOptions = {},
  ): Promise<WalletOperation> {
    return this.call('getWalletOperation', args, options) as Promise<WalletOperation>;
  }

  /** A deposit is not wanted any more. */
  cancelDeposit(
    args: { no: Count; body?: Nothing; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('cancelDeposit', args, options) as Promise<Accepted>;
  }

  /** The rule sets on offer. */
  listRuleSets(options: CallOptions = {}): Promise<RuleSetList> {
    return this.call('listRuleSets', {}, options) as Promise<RuleSetList>;
  }

  /** A rule set. */
  getRuleSet(args: { name: Name }, options: CallOptions = {}): Promise<RuleSetView> {
    return this.call('getRuleSet', args, options) as Promise<RuleSetView>;
  }

  /** The open tables, by name. */
  listTables(
    args: { query?: { cursor?: Name; limit?: number } } = {},
    options: CallOptions = {},
  ): Promise<TableList> {
    return this.call('listTables', args, options) as Promise<TableList>;
  }

  /** Open a table. */
  openTable(args: { body: NewTable; signature?: SignatureHeader }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('openTable', args, options) as Promise<Accepted>;
  }

  /** A table. */
  getTable(args: { table: Name }, options: CallOptions = {}): Promise<TableView> {
    return this.call('getTable', args, options) as Promise<TableView>;
  }

  /** The table's current shoe commitment. */
  getTableShoe(args: { table: Name }, options: CallOptions = {}): Promise<CurrentShoe> {
    return this.call('getTableShoe', args, options) as Promise<CurrentShoe>;
  }

  /** The bundle of the table's latest shoe. */
  getTableBundle(args: { table: Name }, options: CallOptions = {}): Promise<Bundle> {
    return this.call('getTableBundle', args, options) as Promise<Bundle>;
  }

  /** Close a table. */
  closeTable(
    args: { table: Name; body?: Nothing; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('closeTable', args, options) as Promise<Accepted>;
  }

  /** Take a seat, or ask to play the next round. */
  takeSeat(
    args: { table: Name; body: SeatWish; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('takeSeat', args, options) as Promise<Accepted>;
  }

  /** Leave the seat. */
  leaveSeat(args: { table: Name; signature?: SignatureHeader }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('leaveSeat', args, options) as Promise<Accepted>;
  }

  /** Sit out. */
  sitOut(
    args: { table: Name; body?: Nothing; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('sitOut', args, options) as Promise<Accepted>;
  }

  /** Wait for a seat. */
  wantSeat(
    args: { table: Name; body?: Nothing; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('wantSeat', args, options) as Promise<Accepted>;
  }

  /** Free a seat. */
  unseat(args: { table: Name; seat: SeatNumber; body: Because }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('unseat', args, options) as Promise<Accepted>;
  }

  /** Add chips before a seat of a cash table. */
  addChips(
    args: { table: Name; body: MoreChips; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('addChips', args, options) as Promise<Accepted>;
  }

  /** Announce “no more bets”. */
  closeBets(args: { table: Name; body: Announced }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('closeBets', args, options) as Promise<Accepted>;
  }

  /** Change the shoe at discretion. */
  shuffle(args: { table: Name; body: Because }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('shuffle', args, options) as Promise<Accepted>;
  }

  /** A table's entries in order, with openings. */
  listTableEntries(args: {
    table: Name;
    query?: { from_seq?: Count; limit?: number; wait_ms?: number; proofs?: boolean };
  }, options: CallOptions = {}): Promise<TableEntries> {
    return this.call('listTableEntries', args, options) as Promise<TableEntries>;
  }

  /** A shoe, and its seeds once it is retired. */
  getShoe(args: { table: Name; shoe_no: Count }, options: CallOptions = {}): Promise<ShoeHistory> {
    return this.call('getShoe', args, options) as Promise<ShoeHistory>;
  }

  /** A shoe that was disclosed to the caller. */
  getDisclosure(args: { table: Name; shoe_no: Count }, options: CallOptions = {}): Promise<Disclosure> {
    return this.call('getDisclosure', args, options) as Promise<Disclosure>;
  }

  /** Disclose a sealed shoe to an auditor. */
  discloseShoe(
    args: { table: Name; shoe_no: Count; body: Because },
    options: CallOptions = {},
  ): Promise<Disclosure> {
    return this.call('discloseShoe', args, options) as Promise<Disclosure>;
  }

  /** A player's rounds, newest first. */
  listPlayerRounds(
    args: { player: Name; query?: { cursor?: string; limit?: number } },
    options: CallOptions = {},
  ): Promise<RoundList> {
    return this.call('listPlayerRounds', args, options) as Promise<RoundList>;
  }

  /** Bet, with the commitment to a fresh seed. */
  placeBet(args: {
    table: Name;
    body: BetRequest;
    query?: { proofs?: 'later'; received?: 'first' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('placeBet', args, options) as Promise<Accepted>;
  }

  /** The text of a commitment. */
  tryCommitment(args: { table: Name; body: Trial }, options: CallOptions = {}): Promise<TrialCommitment> {
    return this.call('tryCommitment', args, options) as Promise<TrialCommitment>;
  }

  /** Take bets back before they are closed. */
  cancelBet(args: {
    table: Name;
    round_no: Count;
    query?: { proofs?: 'later'; received?: 'first' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('cancelBet', args, options) as Promise<Accepted>;
  }

  /** A table's rounds, newest first. */
  listTableRounds(
    args: { table: Name; query?: { cursor?: string; limit?: number } },
    options: CallOptions = {},
  ): Promise<RoundList> {
    return this.call('listTableRounds', args, options) as Promise<RoundList>;
  }

  /** A round, with openings of every card shown. */
  getRound(args: { id: RoundId }, options: CallOptions = {}): Promise<RoundRead> {
    return this.call('getRound', args, options) as Promise<RoundRead>;
  }

  /** Commit to a seed for a hand of poker, or for a new pile. */
  commitSeed(args: {
    id: RoundId;
    body: Commit;
    query?: { proofs?: 'later'; received?: 'first' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('commitSeed', args, options) as Promise<Accepted>;
  }

  /** Reveal a client seed. */
  revealSeed(args: {
    id: RoundId;
    body: Reveal;
    query?: { received?: 'first'; proofs?: 'later' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('revealSeed', args, options) as Promise<Accepted>;
  }

  /** Hand in a seed after the void. */
  handInLateSeed(args: {
    id: RoundId;
    body: LateSeed;
    query?: { proofs?: 'later' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('handInLateSeed', args, options) as Promise<Accepted>;
  }

  /** The caller's open decisions. */
  listActions(args: { id: RoundId }, options: CallOptions = {}): Promise<DecisionList> {
    return this.call('listActions', args, options) as Promise<DecisionList>;
  }

  /** Decide. */
  act(args: {
    id: RoundId;
    body: Act;
    query?: { received?: 'first'; proofs?: 'later' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('act', args, options) as Promise<Accepted>;
  }

  /** Declare a malfunction. */
  voidRound(args: { id: RoundId; body: Because }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('voidRound', args, options) as Promise<Accepted>;
  }

  /** The dispute bundle. */
  getBundle(args: { id: RoundId }, options: CallOptions = {}): Promise<Bundle> {
    return this.call('getBundle', args, options) as Promise<Bundle>;
  }

  /** Judge a bundle. */
  verifyBundle(args: { body: Bundle }, options: CallOptions = {}): Promise<BundleVerdict> {
    return this.call('verifyBundle', args, options) as Promise<BundleVerdict>;
  }

  /** The last rounds of a player, in full. */
  recallPlayer(
    args: { player: Name; query?: { last?: number } },
    options: CallOptions = {},
  ): Promise<PlayerRecall> {
    return this.call('recallPlayer', args, options) as Promise<PlayerRecall>;
  }

  /** A round, step by step. */
  recallRound(args: { id: RoundId }, options: CallOptions = {}): Promise<Recall> {
    return this.call('recallRound', args, options) as Promise<Recall>;
  }

  /** Find rounds. */
  findRounds(args: {
    query?: { player?: Name; table?: Name; rules?: string; outcome?: PartOutcome; from?: string; to?: string; min_staked?: Chips; min_net?: number; max_net?: number; format?: 'jsonl' | 'csv' };
  } = {}, options: CallOptions = {}): Promise<string> {
    return this.call('findRounds', args, options) as Promise<string>;
  }

  /** All rounds between two times. */
  exportRounds(args: { query?: { from?: string; to?: string } } = {}, options: CallOptions = {}): Promise<string> {
    return this.call('exportRounds', args, options) as Promise<string>;
  }

  /** Significant events. */
  listSignificant(
    args: { query?: { from?: string; to?: string; cursor?: string; limit?: number } } = {},
    options: CallOptions = {},
  ): Promise<SignificantList> {
    return this.call('listSignificant', args, options) as Promise<SignificantList>;
  }
}

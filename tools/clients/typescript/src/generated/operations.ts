// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// Every call of the contract, and how a call whose answer was lost may be repeated.

/**
 * `read`: it changes nothing. `key`: by its `Idempotency-Key`. `content`: the same request finds what it did
 * before. `once`: a repeat would do it twice.
 */
export type Repeats = 'read' | 'key' | 'content' | 'once';
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly reply: 'json' | 'text' | 'bytes';
  readonly repeats: Repeats;
}

export const OPERATIONS = {
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
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

/** The calls that a player with a key signs. */
export const SIGNED_CALLS: ReadonlySet<OperationId> = new Set<OperationId>([
  'withdrawChips', 'setKey', 'setLimit', 'exclude', 'issueToken', 'sendTransfer', 'depositFromWallet',
  'withdrawToWallet', 'cancelDeposit', 'openTable', 'closeTable', 'takeSeat', 'leaveSeat', 'sitOut', 'wantSeat',
  'addChips', 'placeBet', 'cancelBet', 'commitSeed', 'revealSeed', 'handInLateSeed', 'act', 'register',
  'unregister', 'revealSeatSeed', 'rebuy', 'declineRebuy', 'addOn', 'offerStake', 'buyStake', 'wantDeal',
  'proposeDeal', 'answerDeal', 'substitutePrize',
]);

/** The calls that the service signs for before it decides them, where that is asked for. */
export const SIGNED_FOR: ReadonlySet<OperationId> = new Set<OperationId>([
  'placeBet', 'cancelBet', 'commitSeed', 'revealSeed', 'act', 'register', 'unregister', 'revealSeatSeed', 'rebuy',
  'addOn', 'answerDeal',
]);

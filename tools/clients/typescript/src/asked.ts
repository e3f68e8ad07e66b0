// What a reply's entry has to say for each call. *Attack: a good receipt of another entry* (spec/receipts.md,
// "Verifying"): the log signed something, and not what was asked for.
import { BadReply, CheckFailed } from './errors.js';
import { isSame } from './json.js';
import type { CallArgs } from './http.js';
import type { OperationId } from './generated/operations.js';
import type { Receipt } from './generated/contract.js';

interface Asked {
  /** The commands that the call makes, as the log names them. */
  names: readonly string[];
  fields: Record<string, unknown>;
  /** What only the house chooses is not compared; whether a field may be absent where it was asked for. */
  tournament?: boolean;
}

type Args = CallArgs & { body?: Record<string, unknown> };

const only = (from: Record<string, unknown> | undefined, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter(name => from?.[name] !== undefined).map(name => [name, from?.[name]]));

/** `TABLE:NUMBER` as a command has it. */
export function roundOf(id: unknown): Record<string, unknown> {
  const text = String(id),
    at = text.lastIndexOf(':');
  return { table: text.slice(0, at), round_no: Number(text.slice(at + 1)) };
}

const ofTable =
  (name: string | string[], ...body: string[]) =>
  (args: Args): Asked => ({ names: [name].flat(), fields: { table: args['table'], ...only(args.body, body) } });
const ofRound =
  (name: string | string[], ...body: string[]) =>
  (args: Args): Asked => ({ names: [name].flat(), fields: { ...roundOf(args['id']), ...only(args.body, body) } });
const ofPlayer =
  (name: string, ...body: string[]) =>
  (args: Args): Asked => ({ names: [name], fields: { player: args['player'], ...only(args.body, body) } });
const ofEvent =
  (name: string, ...fields: string[]) =>
  (args: Args): Asked => ({
    names: [name],
    tournament: true,
    fields: { event: args['tournament'], ...only({ ...args.body, ...only(args, fields) }, fields) },
  });

const ASKED: Partial<Record<OperationId, (args: Args) => Asked>> = {
  admitGuest: () => ({ names: ['admit_guest'], fields: {} }),
  createPlayer: ({ body }) => ({ names: ['create_player'], fields: only(body, ['player', 'key']) }),
  creditPlayer: ofPlayer('credit', 'amount', 'reference'),
  withdrawChips: ofPlayer('withdraw', 'amount', 'reference'),
  correctPlayer: ofPlayer('correct', 'amount', 'reason'),
  sendTransfer: ofPlayer('transfer_out', 'to', 'amount'),
  depositFromWallet: ofPlayer('wallet_deposit', 'amount'),
  withdrawToWallet: ofPlayer('wallet_withdraw', 'amount'),
  cancelDeposit: args => ({ names: ['wallet_cancel'], fields: { no: args['no'] } }),
  setKey: ofPlayer('set_key', 'key', 'reason'),
  issueToken: args => ({ names: ['issue_token'], fields: { holder: `player:${String(args['player'])}` } }),
  createAuditor: ({ body }) => ({ names: ['issue_token'], fields: { holder: `auditor:${String(body?.['name'])}` } }),
  openTable: ({ body }) => ({ names: ['open_table'], fields: only(body, ['table', 'replaces']) }),
  closeTable: ofTable('close_table'),
  takeSeat: ofTable(['take_seat', 'ask_to_play', 'sit_down', 'sit_in'], 'seat', 'buy_in'),
  leaveSeat: ofTable('leave_seat'),
  sitOut: ofTable('sit_out'),
  wantSeat: ofTable('want_seat'),
  unseat: ofTable('unseat', 'reason'),
  addChips: ofTable('add_chips', 'amount'),
  closeBets: ofTable('close_bets', 'round_no'),
  shuffle: ofTable('retire_shoe', 'reason'),
  placeBet: ofTable('bet', 'round_no', 'bets', 'commitment'),
  cancelBet: args => ({ names: ['cancel_bet'], fields: { table: args['table'], round_no: args['round_no'] } }),
  commitSeed: ofRound(['commit_seed', 'commit_hand_seed'], 'commitment'),
  revealSeed: ofRound('reveal', 'player', 'seed', 'saw', 'next'),
  handInLateSeed: ofRound('late_seed', 'player', 'seed'),
  act: ofRound('act', 'decision', 'action'),
  voidRound: ofRound('void_round', 'reason'),
  createTournament: ({ body }) => ({ names: ['create'], tournament: true, fields: { event: body?.['tournament'] } }),
  register: ofEvent('register', 'commitment', 'pay'),
  unregister: ofEvent('unregister'),
  revealSeatSeed: ofEvent('reveal_seat_seed', 'draw_no', 'entry_no', 'seed', 'next'),
  rebuy: ofEvent('rebuy'),
  declineRebuy: ofEvent('decline_rebuy', 'entry_no'),
  addOn: ofEvent('add_on'),
  offerStake: ofEvent('offer_stake', 'basis_points'),
  buyStake: ofEvent('buy_stake', 'seller', 'basis_points'),
  wantDeal: ofEvent('want_deal', 'want'),
  proposeDeal: ofEvent('propose_deal', 'method', 'amounts'),
  answerDeal: ofEvent('answer_deal', 'digest', 'accept'),
  setBounty: ofEvent('set_bounty', 'player', 'has'),
  disqualify: ofEvent('disqualify', 'player', 'reason'),
  changeRegistration: ofEvent('change_registration', 'late_levels', 'unregister_ms', 'reason'),
  postpone: ofEvent('postpone', 'reason'),
  cancelTournament: ofEvent('cancel', 'instant', 'reason'),
};

/** Holds the entry of a reply, which is proven to be on the log, against what was asked for. */
export function holdToAsked(id: OperationId, args: CallArgs, receipts: Receipt[]): void {
  const asked = ASKED[id]?.(args as Args),
    [own] = receipts;
  if (!asked || !own) return;
  const { command } = readEntry(own.entry);
  const outer = asked.tournament ? (command['tournament'] as Record<string, unknown> | undefined) : command;
  const [name = 'nothing', got = {}] = Object.entries(outer ?? {})[0] ?? [];
  const evidence = { name: 'receipts.json', text: JSON.stringify({ receipts }) };
  const fail = (message: string): never => {
    throw new CheckFailed({ check: 'asked', entry: own.index, message }, evidence);
  };
  if (!asked.names.includes(name)) fail(`asked for ${asked.names.join(' or ')}, the entry says ${name}`);
  for (const [field, wanted] of Object.entries(asked.fields)) {
    const said = (got as Record<string, unknown>)[field];
    // A secret stands in no message: a seed that the entry does not have is not told to whoever reads the error.
    const shown = (value: unknown): string => (field === 'seed' ? 'a seed' : (JSON.stringify(value) ?? 'nothing'));
    if (!isSame(said, wanted)) fail(`${field}: asked for ${shown(wanted)}, the entry says ${shown(said)}`);
  }
}

export interface ReadEntry {
  time: number;
  by: string;
  at?: { table?: string; event?: string; seq: number };
  command: Record<string, unknown>;
  events: Record<string, unknown>[];
}

/** An entry's text, parsed. */
export function readEntry(text: string): ReadEntry {
  const entry = JSON.parse(text) as ReadEntry;
  if (entry === null || typeof entry !== 'object' || typeof entry.command !== 'object' || !Array.isArray(entry.events))
    throw new BadReply('an entry of the answer has no command and events');
  return entry;
}

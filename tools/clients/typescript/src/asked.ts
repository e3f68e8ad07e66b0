// What a reply's entry has to say for each call. *Attack: a good receipt of another entry* (spec/receipts.md,
// "Verifying"): the log signed something, and not what was asked for, by whoever asked, now.
import { CheckFailed } from './errors.js';
import { readEntry } from './entry.js';
import { isSame } from './json.js';
import type { CallArgs } from './http.js';
import type { OperationId, Repeats } from './generated/operations.js';
import type { Receipt } from './generated/contract.js';

/**
 * In whose name an entry stands: `own` is the player who asked; `giver` they or the operator; `anyone` nobody has to
 * be, since a seed and a claim prove themselves.
 */
type By = 'house' | 'operator' | 'auditor' | 'own' | 'giver' | 'anyone';

interface Asked {
  by: By;
  /** The commands that the call makes, as the log names them. */
  names: readonly string[];
  /** What was asked for, by field of the command. What only the house chooses is not here. */
  fields: Fields;
  /** Says what is wrong with the command where fields alone do not; or null. */
  wrong?: (command: Fields) => string | null;
  isTournament?: boolean;
}

type Fields = Record<string, unknown>;
type Args = CallArgs & { body?: Fields };

const only = (from: Fields | undefined, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter(name => from?.[name] !== undefined).map(name => [name, from?.[name]]));

/** `TABLE:NUMBER` as a command has it. */
export function roundOf(id: unknown): Fields {
  const text = String(id),
    at = text.lastIndexOf(':');
  return { table: text.slice(0, at), round_no: Number(text.slice(at + 1)) };
}

type Rule = (args: Args) => Asked;
const ofTable =
  (by: By, name: string | string[], ...body: string[]): Rule =>
  args => ({ by, names: [name].flat(), fields: { table: args['table'], ...only(args.body, body) } });
const ofRound =
  (by: By, name: string | string[], ...body: string[]): Rule =>
  args => ({ by, names: [name].flat(), fields: { ...roundOf(args['id']), ...only(args.body, body) } });
const ofPlayer =
  (by: By, name: string, ...body: string[]): Rule =>
  args => ({ by, names: [name], fields: { player: args['player'], ...only(args.body, body) } });
const ofEvent =
  (by: By, name: string, ...fields: string[]): Rule =>
  args => ({
    by,
    names: [name],
    isTournament: true,
    fields: { event: args['tournament'], ...only({ ...args.body, ...only(args, fields) }, fields) },
  });
const ofToken = (holder: string, { body }: Args, by: By): Asked => ({
  by,
  names: ['issue_token'],
  fields: { holder, revoke: body?.['revoke'] ?? false },
});

/** A rule set of this name in which these options are as they were asked for. */
function wrongRules(rules: unknown, name: unknown, options: unknown): string | null {
  const { name: said, table, game } = (rules ?? {}) as { name?: unknown; table?: Fields; game?: Fields };
  if (name !== undefined && said !== name) return `rules: asked for ${String(name)}, the entry says ${String(said)}`;
  const has: Fields = { ...(Object.values(game ?? {})[0] as Fields | undefined), ...table };
  const other = Object.entries((options ?? {}) as Fields).find(
    ([option, wanted]) => option in has && !isSame(has[option], wanted),
  );
  return other ? `the option ${other[0]} is ${JSON.stringify(has[other[0]])} in the entry` : null;
}

/** A structure as it was given, or one of that name. */
function wrongStructure(structure: unknown, given: unknown): string | null {
  const { name } = (structure ?? {}) as { name?: unknown };
  const isRight = typeof given === 'string' ? name === given : isSame(structure, given);
  return isRight ? null : 'the structure in the entry is not the one that was asked for';
}

function seatAsked({ table, body }: Args): Asked {
  const names = body?.['buy_in'] !== undefined ? ['sit_down'] : ['take_seat', 'ask_to_play', 'sit_in'];
  return {
    by: 'own',
    names,
    fields: { table, ...only(body, ['buy_in', 'client', 'entry', 'straddle']) },
    // Who asks for their own seat asks to play: that entry names none.
    wrong: command =>
      body?.['seat'] === undefined || command['seat'] === undefined || command['seat'] === body['seat']
        ? null
        : `seat: asked for ${String(body['seat'])}, the entry says ${String(command['seat'])}`,
  };
}

const ASKED: Partial<Record<OperationId, Rule>> = {
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
    wrong: command =>
      wrongStructure(command['structure'], body?.['structure']) ??
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
const FINDS_BEFORE: ReadonlySet<OperationId> = new Set<OperationId>([
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
export const isFresh = (id: OperationId, repeats: Repeats): boolean =>
  repeats === 'once' || (repeats === 'key' && !FINDS_BEFORE.has(id));

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** Who asks, and what was known when they did. */
export interface Asking {
  /** `player:NAME`; null where it is not known whose token it is. */
  by: string | null;
  /** The log had so many entries before the call: its own one is not among them. Null: it may be. */
  size: bigint | null;
}

function wrongBy(rule: By, { by }: Asking, args: Args, said: unknown): string | null {
  if (rule === 'anyone') return null;
  const player = args['player'];
  const isRight = (): boolean => {
    if (rule === 'auditor') return String(said).startsWith('auditor:');
    if (rule === 'house' || rule === 'operator') return said === rule;
    if (by !== null) return said === by;
    const isPlayer = typeof player === 'string' ? said === `player:${player}` : String(said).startsWith('player:');
    return isPlayer || (rule === 'giver' && said === 'operator');
  };
  return isRight() ? null : `asked for by ${by ?? rule}, the entry is by ${JSON.stringify(said)}`;
}

/** Holds the entry of a reply, which is proven to be on the log, against what was asked for. */
export function holdToAsked(id: OperationId, given: CallArgs, receipts: Receipt[], asking: Asking): void {
  const args = given as Args,
    asked = ASKED[id]?.(args),
    [own] = receipts;
  if (!asked || !own) return;
  const { by, command } = readEntry(own.entry);
  const outer = asked.isTournament ? (command['tournament'] as Fields | undefined) : command;
  const [name = 'nothing', got] = Object.entries(outer ?? {})[0] ?? [];
  const fields = (got ?? {}) as Fields;
  const evidence = { name: 'receipts.json', text: JSON.stringify({ receipts }) };
  const fail = (message: string): never => {
    throw new CheckFailed({ check: 'asked', entry: own.index, message }, evidence);
  };
  if (!asked.names.includes(name)) fail(`asked for ${asked.names.join(' or ')}, the entry says ${name}`);
  for (const [field, wanted] of Object.entries(asked.fields)) {
    const said = fields[field];
    // A secret stands in no message: a seed that the entry does not have is not told to whoever reads the error.
    const shown = (value: unknown): string => (field === 'seed' ? 'a seed' : (JSON.stringify(value) ?? 'nothing'));
    if (!isSame(said, wanted)) fail(`${field}: asked for ${shown(wanted)}, the entry says ${shown(said)}`);
  }
  const wrong = asked.wrong?.(fields) ?? wrongBy(asked.by, asking, args, by);
  if (wrong !== null) fail(wrong);
  // *Attack: the receipt of an equal credit of last week, for one that was never given.*
  if (asking.size !== null && BigInt(own.index) < asking.size)
    fail(`the entry is older than the request: the log had ${asking.size} entries before it`);
}

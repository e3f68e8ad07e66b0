// Commands that a player with a key signs (spec/entries.md, "Signed commands"): the command as it will stand in the
// entry, in the contract's order of fields.
import { InvalidInput } from './errors.js';
import type { CallArgs } from './http.js';
import type { OperationId } from './generated/operations.js';
import type { Bet } from './generated/contract.js';
import { writeJson } from './json.js';
import { roundOf } from './asked.js';

/** Signs bytes with the player's Ed25519 key: the 64 bytes of the signature. The key itself is never seen here. */
export type Signer = (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** A signer from a key of WebCrypto, where the platform knows Ed25519. */
export const signerOf =
  (key: CryptoKey): Signer =>
  async message =>
    new Uint8Array(await crypto.subtle.sign('Ed25519', key, message as BufferSource));

type Fields = Record<string, unknown>;
type Args = CallArgs & { body?: Fields };

/** What a command holds that the call does not say. */
export interface Beside {
  /** Whether it is at a cash table. */
  isCash: boolean;
  /** Of a table that is opened: the rule set whole, with its fields in the order in which the house has them. */
  rules: unknown;
}
type Made = (args: Args, beside: Beside) => Fields;

/** These fields of a body, in this order; what is not said is left out. */
const pick = (from: Fields | undefined, ...names: string[]): Fields =>
  Object.fromEntries(names.filter(name => from?.[name] !== undefined).map(name => [name, from?.[name]]));

/** A tournament's command: these fields of the path and the body, in this order, behind the event. */
const inEvent =
  (name: string, ...fields: string[]): Made =>
  ({ tournament, body, ...path }) => ({
    tournament: { [name]: { event: tournament, ...pick({ ...body, ...path }, ...fields) } },
  });

const betOf = ({ spot, stake, chips }: Bet): Fields => ({ spot, stake, ...(chips ? { chips } : {}) });

const SIGNED: Partial<Record<OperationId, Made>> = {
  placeBet: ({ table, body }) => ({
    bet: {
      table,
      round_no: body?.['round_no'],
      bets: (body?.['bets'] as Bet[]).map(betOf),
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
    const saw = body?.['saw'] as Fields | undefined;
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
    if (body?.['table'] === undefined) throw new InvalidInput('who signs names the table that they open');
    return { open_table: { table: body['table'], rules, ...pick(body, 'replaces') } };
  },
  takeSeat: ({ table, body }, { isCash }) => {
    if (body?.['buy_in'] !== undefined) {
      if (body['seat'] === undefined) throw new InvalidInput('who signs names the seat that they take');
      return { sit_down: { table, ...pick(body, 'seat', 'buy_in', 'client', 'entry') } };
    }
    if (isCash) return { sit_in: { table, ...pick(body, 'entry', 'straddle') } };
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
export const dependsOnTable = (id: OperationId, { body }: CallArgs): boolean =>
  id === 'commitSeed' ||
  id === 'cancelBet' ||
  (id === 'takeSeat' && (body as Fields | undefined)?.['buy_in'] === undefined);

/** The command that a call makes, as it will stand in the entry. */
export function commandText(id: OperationId, args: CallArgs, beside: Beside): string {
  const made = SIGNED[id]?.(args as Args, beside);
  if (!made) throw new InvalidInput(`${id}: give the signature with the call; this client does not make it`);
  return writeJson(made);
}

/** What is signed: five lines of ASCII. */
export const signedText = (origin: string, player: string, nonce: number, command: string): string =>
  `fairshoe/v1/signed-command\n${origin}\nplayer:${player}\n${nonce}\n${command}\n`;

/** The value of `Fairshoe-Signature`. */
export async function signatureHeader(
  signer: Signer,
  origin: string,
  player: string,
  nonce: number,
  command: string,
): Promise<string> {
  const bytes = await signer(new TextEncoder().encode(signedText(origin, player, nonce, command)));
  if (bytes.length !== 64) throw new InvalidInput(`an Ed25519 signature has 64 bytes, this one ${bytes.length}`);
  return `nonce=${nonce}, sig=${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

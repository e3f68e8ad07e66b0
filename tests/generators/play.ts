// One hand of each game with the types that openapi-typescript makes of openapi.yaml, against a running service.
// Usage: node play.js URL OPERATOR_TOKEN

import { createHash, randomBytes } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi.js';

type Schemas = components['schemas'];
type Action = Schemas['Action'];
type View = Schemas['TableView'];
type Client = ReturnType<typeof createClient<paths>>;

// The rules of a table, how many sit at it, its game, where a bet is placed.
const HANDS: [string, number, Schemas['GameView']['kind'], string | null][] = [
  ['joy', 1, 'blackjack', '1'],
  ['rng-baccarat', 1, 'baccarat', 'player'],
  ['rng-roulette', 1, 'roulette', 'red'],
  ['safe', 2, 'safe', null],
  ['holdem', 2, 'poker', null],
  ['omaha', 2, 'poker', null],
];
const PATIENCE_MS = 60_000;
// What ends a hand soonest comes first.
const QUIET: Schemas['PlainAction'][] = ['stand', 'check', 'call', 'show', 'muck', 'accept', 'pass', 'fold'];
const LAST: Schemas['PlainAction'] = 'hit';

const [url, operatorToken] = process.argv.slice(2) as [string, string];
const sleep = (ms: number) => new Promise(done => setTimeout(done, ms));

const clientOf = (token: string): Client =>
  createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });

/** The body of a reply that is no problem. */
function told<T>(reply: { data?: T; error?: Schemas['Problem'] }): T {
  if (reply.error !== undefined) throw new Error(`${reply.error.code}: ${reply.error.detail}`);
  return reply.data as T;
}

function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`there is no ${what}`);
  return value;
}

const linesUp = (text: string) => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
};

/** Every entry of a reply has one command and events of one name each. A reply in lines nobody asked for here. */
function checkEntries(accepted: Schemas['Accepted'] | string): void {
  if (typeof accepted === 'string') throw new Error(`lines came: ${accepted}`);
  for (const { entry } of accepted.receipts) {
    const { command, events }: Schemas['Entry'] = JSON.parse(entry);
    for (const one of [command, ...events])
      if (Object.keys(one).length !== 1) throw new Error(`not one of several: ${JSON.stringify(one)}`);
  }
}

/** What is quiet, else what is least. */
function choose({ options }: Schemas['Decision'], { game }: Schemas['RoundView'], name: string): Action {
  const offered = new Map(options.map(option => [option.action, option]));
  const quiet = QUIET.find(word => offered.has(word));
  if (quiet) return quiet;
  if (offered.has('insurance')) return { insurance: { take: false } };
  if (offered.has('even_money')) return { even_money: { take: false } };
  if (offered.has('change') && game?.kind === 'safe') {
    const seen = game.players.find(one => one.player === name)?.hand?.cards.find(card => card.card !== null);
    if (seen?.card) return { change: { card: seen.card } };
  }
  if (offered.has('open')) return { open: {} };
  if (offered.has('discard')) return { discard: {} };
  const bet = offered.get('bet')?.to?.[0], raise = offered.get('raise')?.to?.[0];
  if (bet !== undefined) return { bet: { to: bet } };
  if (raise !== undefined) return { raise: { to: raise } };
  if (offered.has(LAST)) return LAST;
  throw new Error(`nothing to choose: ${JSON.stringify(options)}`);
}

class Player {
  private readonly seeds = new Map<string, Buffer>();

  constructor(readonly name: string, readonly client: Client) {}

  static async credited(operator: Client, name: string): Promise<Player> {
    const made = told(await operator.POST('/v1/players', { body: { player: name } }));
    const header = { 'Idempotency-Key': `credit-${name}` };
    const given = { params: { path: { player: name }, header }, body: { amount: 1_000_000 } };
    checkEntries(told(await operator.POST('/v1/players/{player}/credit', given)));
    return new Player(name, clientOf(present(made.token, 'token')));
  }

  /** The commitment to a client seed (spec/fairness.md, "Client seed"). */
  private commitment({ origin, table, epoch }: View, roundNo: number): string {
    const id = `${table}:${roundNo}`, seed = this.seeds.get(id) ?? randomBytes(32), number = Buffer.alloc(8);
    const bound = Buffer.from(present(epoch, 'epoch'), 'hex');
    this.seeds.set(id, seed);
    number.writeBigUInt64BE(BigInt(roundNo));
    const label = Buffer.from('fairshoe/v1/client-seed\0');
    const parts = [label, linesUp(origin), linesUp(table), bound, number, linesUp(this.name), seed];
    return createHash('sha256').update(Buffer.concat(parts)).digest('hex');
  }

  async view(table: string): Promise<View> {
    return told(await this.client.GET('/v1/tables/{table}', { params: { path: { table } } }));
  }

  async sit(table: string): Promise<void> {
    const { cash, rules } = await this.view(table);
    const body: Schemas['SeatWish'] = cash ? { buy_in: rules.table.stake_min } : {};
    checkEntries(told(await this.client.POST('/v1/tables/{table}/seat', { params: { path: { table } }, body })));
  }

  /** One look at the table: whatever is this player's to do is done. */
  async turn(table: string, spot: string | null): Promise<void> {
    const view = await this.view(table), known = (roundNo: number) => this.seeds.has(`${table}:${roundNo}`);
    const call = view.cash?.call;
    if (view.round) return this.play(view, view.round);
    if (call) {
      if (call.awaited.includes(this.name) && !known(call.round_no)) await this.commit(view, call.round_no);
    } else if (view.rules.table.mode === 'solo') {
      if (view.shoe && this.seeds.size === 0) await this.bet(view, view.next_round, present(spot, 'spot'));
    } else if (view.window && !known(view.window.round_no)) {
      const seat = present(view.seats.find(one => one.player === this.name), 'seat').seat;
      await this.bet(view, view.window.round_no, spot ?? String(seat));
    }
    return undefined;
  }

  private async bet(view: View, roundNo: number, spot: string): Promise<void> {
    const bets = [{ spot, stake: view.rules.table.stake_min }];
    const body = { round_no: roundNo, bets, commitment: this.commitment(view, roundNo) };
    const params = { path: { table: view.table } };
    checkEntries(told(await this.client.POST('/v1/tables/{table}/bets', { params, body })));
  }

  private async commit(view: View, roundNo: number): Promise<void> {
    const params = { path: { id: `${view.table}:${roundNo}` } };
    const body = { commitment: this.commitment(view, roundNo) };
    checkEntries(told(await this.client.POST('/v1/rounds/{id}/commitments', { params, body })));
  }

  private async reveal(id: string): Promise<void> {
    const body = { player: this.name, seed: present(this.seeds.get(id), 'seed').toString('hex') };
    checkEntries(told(await this.client.POST('/v1/rounds/{id}/reveals', { params: { path: { id } }, body })));
  }

  private async play(view: View, id: string): Promise<void> {
    const { round } = told(await this.client.GET('/v1/rounds/{id}', { params: { path: { id } } }));
    const own = round.contributors.find(one => one.player === this.name);
    if (round.phase === 'awaiting_reveals') return own?.seed === null ? this.reveal(id) : undefined;
    if (round.pile) return this.shuffle(view, round.pile);
    const decision = round.decisions.find(one => one.player === this.name);
    if (!decision) return undefined;
    const body = { decision: decision.decision, action: choose(decision, round, this.name) };
    return checkEntries(told(await this.client.POST('/v1/rounds/{id}/actions', { params: { path: { id } }, body })));
  }

  /** A new pile in mid-game. */
  private async shuffle(view: View, pile: Schemas['PileView']): Promise<void> {
    const own = pile.players.find(one => one.player === this.name);
    if (own?.commitment === null) await this.commit(view, pile.round_no);
    else if (own?.seed === null && pile.awaits === 'seeds') await this.reveal(`${view.table}:${pile.round_no}`);
  }
}

async function hand(operator: Client, [rules, count, kind, spot]: (typeof HANDS)[number]): Promise<void> {
  const players: Player[] = [];
  for (let number = 0; number < count; number++) players.push(await Player.credited(operator, `ts-${rules}-${number}`));
  const first = present(players[0], 'player');
  let table = `ts-${rules}`;
  if (count === 1) {
    // A table for one is that player's own, and has a name that the house gives it.
    table = present(told(await first.client.POST('/v1/tables', { body: { rules } })).table, 'table');
  } else {
    told(await operator.POST('/v1/tables', { body: { table, rules } }));
    for (const player of players) await player.sit(table);
  }
  const id = `${table}:${(await first.view(table)).next_round}`;
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(20)) {
    for (const player of players) await player.turn(table, spot);
    const { data } = await first.client.GET('/v1/rounds/{id}', { params: { path: { id } } });
    if (data?.round.phase !== 'settled' && data?.round.phase !== 'voided') continue;
    const { phase, game, staked, returned } = data.round;
    if (phase !== 'settled' || game?.kind !== kind) throw new Error(`${rules}: ${JSON.stringify(data.round)}`);
    const late = { params: { path: { id } }, body: { decision: 999, action: 'stand' as const } };
    const { error } = await first.client.POST('/v1/rounds/{id}/actions', late);
    if (error?.code !== 'wrong_round') throw new Error(`${rules}: ${error?.code}`);
    console.log(`${rules}: settled, ${staked} staked, ${returned} returned; ${data.openings.length} openings`);
    return;
  }
  throw new Error(`${rules}: not settled in ${PATIENCE_MS} ms`);
}

const operator = clientOf(operatorToken);
for (const row of HANDS) await hand(operator, row);

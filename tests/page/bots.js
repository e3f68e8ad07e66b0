// Players without a browser: they sit, bet, commit, reveal their seeds and decide, at any table, so that a test has
// company if a game needs it, and rooms have something to show.
import { createHash, randomBytes } from 'node:crypto';
import { sleep } from './harness.js';

function commitmentTo(kind, { origin, table, epoch }, number, player, seed) {
  const text = words => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(words));
    return Buffer.concat([length, Buffer.from(words)]);
  };
  const parts = [
    Buffer.from(`fairshoe/v1/${kind}\0`), text(origin), text(table), Buffer.from(epoch, 'hex'), number, text(player),
    Buffer.from(seed, 'hex'),
  ];
  return createHash('sha256').update(Buffer.concat(parts)).digest('hex');
}

/** The commitment to a client seed (spec/fairness.md). */
export function commitmentOf({ roundNo, player, seed, ...table }) {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(roundNo));
  return commitmentTo('client-seed', table, number, player, seed);
}

/** The commitment to a seed for a tournament's draw; `use` is the number of the player's commitments there before. */
export function seatCommitmentOf({ use, player, seed, ...event }) {
  const number = Buffer.alloc(2);
  number.writeUInt16BE(use);
  return commitmentTo('seat-seed', event, number, player, seed);
}

/** The bots' choices: they stand, check, call, show, pass, and otherwise take the cheapest. */
export function calm({ options }, round, player) {
  const offered = Object.fromEntries(options.map(option => [option.action, option]));
  const quiet = ['stand', 'check', 'call', 'show', 'muck', 'accept', 'pass', 'fold'].find(word => offered[word]);
  if (quiet) return quiet;
  for (const word of ['insurance', 'even_money']) if (offered[word]) return { [word]: { take: false } };
  if (offered.change) {
    const own = round.game.players.find(one => one.player === player);
    const seen = own.hand.cards.map(card => card.card).filter(Boolean);
    if (seen.length > 0) return { change: { card: seen[0] } };
  }
  for (const word of ['open', 'discard', 'double']) if (offered[word]) return { [word]: {} };
  for (const word of ['bet', 'raise']) if (offered[word]) return { [word]: { to: offered[word].to[0] } };
  return options[0].action;
}

/** The same, but folding whenever possible. */
export const folds = (decision, round, player) => (
  decision.options.some(option => option.action === 'fold') ? 'fold' : calm(decision, round, player));

/** A bot's stake under a table's rules. */
function betsAt(rules, seat) {
  const stake = rules.table.stake_min;
  const [kind] = Object.keys(rules.game);
  const named = { roulette: 'red', baccarat: 'player', dragon_tiger: 'dragon', sic_bo: 'small' };
  return [{ spot: named[kind] ?? String(seat ?? 1), stake }];
}

export class Bot {
  constructor(service, player, token) {
    Object.assign(this, { service, player, token, seeds: new Map(), stopped: false, own: [] });
  }

  /** A player created by the operator, with chips. */
  static async credited(service, player, chips = 1_000_000) {
    const { token } = await service.operator('/v1/players', { player });
    await service.operator(`/v1/players/${player}/credit`, { amount: chips }, `credit-${player}`);
    return new Bot(service, player, token);
  }

  /** A guest with play chips. */
  static async guest(service) {
    const { player, token } = await service.must('/v1/guests', { body: {} });
    return new Bot(service, player, token);
  }

  call(at, body) { return this.service.call(at, { token: this.token, body }); }
  must(at, body) { return this.service.must(at, { token: this.token, body }); }

  seed(id) {
    if (!this.seeds.has(id)) this.seeds.set(id, randomBytes(32).toString('hex'));
    return this.seeds.get(id);
  }

  commitment(view, roundNo) {
    const { origin, epoch, table } = view;
    const seed = this.seed(`${table}:${roundNo}`);
    return commitmentOf({ origin, table, epoch, roundNo, player: this.player, seed });
  }

  /** Takes a seat, in poker with the least buy-in. */
  async sit(table, seat) {
    const view = await this.must(`/v1/tables/${table}`);
    const body = seat === undefined ? {} : { seat };
    if (view.cash) body.buy_in = view.rules.table.stake_min;
    return this.must(`/v1/tables/${table}/seat`, body);
  }

  /** One look at the table: does this bot's next action. Returns whether there was one. */
  async turn(table, { choose = calm, bets, rounds = Infinity } = {}) {
    const { body: view } = await this.call(`/v1/tables/${table}`);
    const started = this.seeds.size;
    if (view.round) return this.#inRound(table, view, choose);
    const call = view.cash?.call;
    if (call?.awaited.includes(this.player) && !view.cash.committed.includes(this.player)) {
      if (started >= rounds && !this.seeds.has(`${table}:${call.round_no}`)) return false;
      const commitment = this.commitment(view, call.round_no);
      return (await this.call(`/v1/rounds/${table}:${call.round_no}/commitments`, { commitment })).status < 300;
    }
    const solo = view.rules.table.mode === 'solo';
    const open = solo ? view.shoe && { round_no: view.next_round, bets: [] } : view.window;
    if (!open || open.bets.some(bet => bet.player === this.player)) return false;
    if (started >= rounds && !this.seeds.has(`${table}:${open.round_no}`)) return false;
    const seat = view.seats.find(one => one.player === this.player)?.seat;
    const placed = {
      round_no: open.round_no, bets: bets ?? betsAt(view.rules, seat), commitment: this.commitment(view, open.round_no),
    };
    return (await this.call(`/v1/tables/${table}/bets`, placed)).status < 300;
  }

  async #inRound(table, view, choose) {
    const { status, body } = await this.call(`/v1/rounds/${view.round}`);
    if (status >= 300) return false;
    const { round } = body;
    if (body.own && !this.own.some(own => own.round === body.own.round)) this.own.push(body.own);
    const mine = round.contributors.find(one => one.player === this.player);
    if (round.phase === 'awaiting_reveals' && mine && mine.seed === null && this.seeds.has(round.id)) {
      const seed = { player: this.player, seed: this.seed(round.id) };
      return (await this.call(`/v1/rounds/${round.id}/reveals`, seed)).status < 300;
    }
    const decision = round.decisions.find(one => one.player === this.player);
    if (!decision) return false;
    const action = choose(decision, round, this.player);
    if (action === undefined) return false;
    return (await this.call(`/v1/rounds/${round.id}/actions`, { decision: decision.decision, action })).status < 300;
  }

  /** Plays on by itself until `stop()`; waits for a service that is away. */
  start(table, options = {}) {
    this.stopped = false;
    this.running = (async () => {
      while (!this.stopped) {
        let did = false;
        try { did = await this.turn(table, options); } catch { await sleep(100); }
        if (!did) await sleep(options.pace ?? 80);
      }
    })();
    return this;
  }

  async stop() {
    this.stopped = true;
    await this.running;
  }

  /** Plays so many whole rounds of a solo table; returns their names. */
  async rounds(table, count, options = {}) {
    const before = (await this.must(`/v1/tables/${table}`)).next_round;
    for (let now = before; ;) {
      const view = await this.must(`/v1/tables/${table}`);
      now = view.next_round;
      if (now >= before + count && !view.round) break;
      if (!await this.turn(table, { ...options, rounds: this.seeds.size + 1 })) await sleep(30);
    }
    return Array.from({ length: count }, (_, at) => `${table}:${before + at}`);
  }

  #seat(view, event) {
    const use = view.own.next_use;
    const { origin, epoch } = view;
    const seed = this.seed(`${event}/${use}`);
    return seatCommitmentOf({ origin, epoch, table: event, use, player: this.player, seed });
  }

  /** Enters a tournament, for cash. */
  async register(event) {
    const view = await this.must(`/v1/tournaments/${event}`);
    return this.must(`/v1/tournaments/${event}/registration`, { commitment: this.#seat(view, event), pay: 'cash' });
  }

  /** One look at a tournament: a seed for a draw, or a turn at this bot's table. */
  async eventTurn(event, options) {
    const { body: view, status } = await this.call(`/v1/tournaments/${event}`);
    if (status >= 300) return false;
    if (view.own?.reveals_use !== null && view.own?.reveals_use !== undefined) {
      const seed = this.seed(`${event}/${view.own.reveals_use}`);
      const revealed = { entry_no: view.own.entry.entry_no, seed, next: this.#seat(view, event) };
      return (await this.call(`/v1/tournaments/${event}/draws/${view.draw.draw_no}/reveals`, revealed)).status < 300;
    }
    const { tables } = (await this.call(`/v1/tournaments/${event}/tables`)).body;
    for (const { table, open } of tables ?? []) if (open && await this.turn(table, options)) return true;
    return false;
  }

  /** Plays a tournament by itself until `stop()`. */
  startEvent(event, options = {}) {
    this.stopped = false;
    this.running = (async () => {
      while (!this.stopped) {
        let did = false;
        try { did = await this.eventTurn(event, options); } catch { await sleep(100); }
        if (!did) await sleep(options.pace ?? 100);
      }
    })();
    return this;
  }
}

/** A tournament of a shipped structure, made fast: few hands end it, and no test waits for a clock. */
export async function announce(service, event, { structure = 'freezeout-6', startsIn = 1500, stack = 2, change } = {}) {
  const shipped = (await service.must(`/v1/structures/${structure}`)).structure;
  Object.assign(shipped, { guarantee: 0, late_levels: 0, unregister_ms: 0, draw_hands: 0, breaks: { after: [] } });
  Object.assign(shipped.entry, { stack: stack * shipped.levels[0].big, players_min: 2, entries_per_player: 1 });
  Object.assign(shipped.clocks, { turn_ms: 30_000, commit_ms: 30_000, reveal_ms: 30_000, between_hands_ms: 0 });
  change?.(shipped);
  const request = { tournament: event, structure: shipped, starts_at: Date.now() + startsIn };
  await service.operator('/v1/tournaments', request);
}

// Plays rounds of any game by a strategy: what is due is done, in its order and in time.
import type { RoundVerdict } from './client.js';
import { InvalidInput, ProblemError } from './errors.js';
import type { Table } from './table.js';
import type { Action, Bet, Decision, OwnCards, RoundView } from './generated/contract.js';

/** What a player decides. */
export interface Strategy {
  /** The bets of the next round; null: none (a solo table is left then). Not asked at poker. */
  bets?(table: Table): Bet[] | null | Promise<Bet[] | null>;
  /** The choice at an open decision. */
  decide(turn: Turn): Action | Promise<Action>;
}

export interface Turn {
  decision: Decision;
  /** The round as everybody sees it, decided again from proven entries. */
  round: RoundView;
  /** The player's own cards of a private game. */
  own: OwnCards | null;
  table: Table;
}

export interface PlayOptions {
  /** How many rounds; by default without an end. */
  rounds?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface PlayedRound {
  id: string;
  round: RoundView;
  staked: number;
  returned: number;
  /** The verdict on the round; `not_sound` is thrown instead, as `CheckFailed`. */
  verdict: RoundVerdict;
}

/** Somebody else, or the clock, was faster or the table is gone: what is due is looked at again. */
export const RACES = new Set([
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
async function due(table: Table, strategy: Strategy): Promise<'done' | 'nothing' | 'left'> {
  const { round, state } = table,
    me = table.client.player;
  const pile = round?.pile,
    piled = pile?.players.find(one => one.player === me);
  if (round?.phase === 'awaiting_reveals' && table.mine?.seed === null) {
    await table.reveal();
    return 'done';
  }
  if (pile && piled) {
    if (pile.awaits === 'commitments' && piled.commitment === null)
      return table.commit(pile.round_no).then(() => 'done');
    if (pile.awaits === 'seeds' && piled.seed === null) return table.reveal().then(() => 'done');
  }
  await table.lookAtOwn();
  const decision = round?.phase === 'open' ? round.decisions.find(one => one.player === me) : undefined;
  if (round && decision) {
    await table.act(decision, await strategy.decide({ decision, round, own: table.own, table }));
    return 'done';
  }
  const call = state?.cash?.call,
    seat = state?.cash?.seats.find(one => one.player === me);
  if (
    call &&
    seat &&
    !seat.sitting_out &&
    me !== null &&
    call.awaited.includes(me) &&
    !state.cash?.committed.includes(me)
  )
    return table.commit(call.round_no).then(() => 'done');
  return bet(table, strategy, me);
}

async function bet(table: Table, strategy: Strategy, me: string | null): Promise<'done' | 'nothing' | 'left'> {
  const { info, state } = table;
  if (!info || !state || 'poker' in info.rules.game) return 'nothing';
  const isSolo = info.rules.table.mode === 'solo';
  if (isSolo ? state.round !== null || !state.shoe : !state.window) return 'nothing';
  if (!isSolo) {
    const seat = state.seats.find(one => one.player === me);
    if (!seat) throw new InvalidInput(`${me} has no seat at ${table.name}: call sit() first`);
    if (seat.waits_for_shoe || state.window?.bets.some(one => one.player === me)) return 'nothing';
  }
  if (!strategy.bets) throw new InvalidInput('a strategy for this game says what to bet');
  const bets = await strategy.bets(table);
  if (bets === null) return isSolo ? 'left' : 'nothing';
  await table.bet(bets);
  return 'done';
}

export async function* playRounds(
  table: Table,
  strategy: Strategy,
  { rounds = Infinity, signal }: PlayOptions,
): AsyncGenerator<PlayedRound> {
  if (table.client.player === null) throw new InvalidInput('nobody plays: join as a guest or sign in first');
  if (!table.info) await table.open();
  let played = 0,
    races = 0,
    isOver = false;
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
    if (isOver || table.isClosed) return;
    try {
      const what = await due(table, strategy);
      if (what === 'left') return;
      if (what === 'done') races = 0;
      else await table.refresh(NEWS_MS);
    } catch (error) {
      // A tournament that is over calls no more hands; the last one's end may not be here yet.
      isOver = error instanceof ProblemError && error.code === 'registration_closed';
      if (isOver) {
        await table.refresh();
        continue;
      }
      if (!(error instanceof ProblemError) || !RACES.has(error.code) || (races += 1) > MOST_RACES) throw error;
      await table.refresh(races > 2 ? 1000 : 0);
    }
  }
}

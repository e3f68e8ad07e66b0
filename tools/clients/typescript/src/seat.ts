// A seat of this player's: one who sits already, as after a crash, sits; one who leaves still owes the seed that binds.
import { BadReply, NotYet, ProblemError } from './errors.js';
import { readEntry } from './entry.js';
import { sleep } from './http.js';
import { sizeOf } from './log.js';
import { RACES } from './play.js';
import type { Table } from './table.js';
import type { Accepted, SeatWish } from './generated/contract.js';

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

/** Where this player sits, by proven entries. */
interface OwnSeat {
  seat: number;
  /** At a cash table: what they sit with and how; null at any other. */
  cash: { hasChips: boolean; isOut: boolean; isLeaving: boolean } | null;
}

/** The calls themselves, each with its reply taken. */
export interface SeatCalls {
  take(body: SeatWish): Promise<Accepted>;
  leave(): Promise<Accepted>;
}

export async function sitAt(table: Table, wish: SeatWish, { take }: SeatCalls): Promise<Accepted | null> {
  const { client } = table;
  const isChosen = wish.seat === undefined && (await client.signs());
  const known = client.checkpoint === null ? 0n : sizeOf(client.checkpoint);
  // The seat is theirs: what is left of the wish is to play.
  const { entry, straddle } = wish;
  const rest = { ...(entry ? { entry } : {}), ...(straddle === undefined ? {} : { straddle }) };
  const playOn = () =>
    take(rest).catch((error: unknown) => {
      if (error instanceof ProblemError && error.code === 'nothing_to_do') return null;
      throw error;
    });
  try {
    const accepted = await (isChosen ? takeChosen(table, wish, take) : take(wish));
    if (BigInt(accepted.receipts[0]?.index ?? 0) >= known) return accepted;
    const own = await ownSeat(table);
    // *Attack: the entry of an earlier time at this table, for a seat that was never given.*
    if (!own) throw new BadReply('the answer is an entry of before, and by the log nobody sits there for it');
    // They sat down then, and sit out since: for a hand that was called and never began, as while their program was away.
    return own.cash?.isOut && own.cash.hasChips && !own.cash.isLeaving ? await playOn() : accepted;
  } catch (error) {
    if (!(error instanceof ProblemError) || !SITS_ALREADY.has(error.code)) throw error;
    const own = await ownSeat(table);
    // Another seat than theirs, none, or one without chips is not what was asked for.
    if (!own || (wish.seat !== undefined && wish.seat !== own.seat)) throw error;
    if (own.cash && (own.cash.isLeaving || !own.cash.hasChips)) throw error;
    if (error.code === 'nothing_to_do' || (own.cash && !own.cash.isOut)) return null;
    return playOn();
  }
}

/** A seat that is chosen for the player; another one where somebody else took it meanwhile. */
async function takeChosen(table: Table, wish: SeatWish, take: SeatCalls['take']): Promise<Accepted> {
  let body = await withSeat(table, wish);
  for (let tried = 1; ; tried += 1)
    try {
      return await take(body);
    } catch (error) {
      const isTaken = error instanceof ProblemError && error.code === 'seat_not_free' && body.seat !== undefined;
      if (!isTaken || tried >= SEATS_TRIED) throw error;
      const next = await withSeat(table, wish);
      // The same again is their own, or none is free.
      if (next.seat === body.seat || next.seat === undefined) throw error;
      body = next;
    }
}

/** Who signs names the seat that they take: their own, or the first free one by the service's word. */
async function withSeat(table: Table, wish: SeatWish): Promise<SeatWish> {
  const own = await ownSeat(table);
  // One who sits and brings no chips asks to play, and names none.
  if (own) return wish.buy_in === undefined ? wish : { ...wish, seat: own.seat };
  const { seats, cash, rules } = await table.readInfo();
  const taken = new Set([...seats, ...(cash?.seats ?? [])].map(({ seat }) => seat));
  for (let seat = 1; seat <= rules.table.seats; seat += 1) if (!taken.has(seat)) return { ...wish, seat };
  return { ...wish, seat: 1 };
}

async function ownSeat(table: Table): Promise<OwnSeat | null> {
  await table.refresh();
  await table.prove();
  const { state } = table,
    me = table.client.player;
  if (!state) return me === null ? null : seatByEntries(table, me);
  const cash = state.cash?.seats.find(one => one.player === me);
  if (cash) {
    const { seat, stack, top_up: topUp, sitting_out: isOut, leaving: isLeaving } = cash;
    return { seat, cash: { hasChips: stack + topUp > 0, isOut, isLeaving } };
  }
  const seat = state.seats.find(one => one.player === me)?.seat;
  return seat === undefined ? null : { seat, cash: null };
}

/** The same at a table that never had a shoe: nobody played there, and its entries are few. */
async function seatByEntries({ name, client, info }: Table, me: string): Promise<OwnSeat | null> {
  const isCash = !!info && 'poker' in info.rules.game;
  let own: OwnSeat | null = null;
  for (let from = 0; ; from += ENTRIES_AT_ONCE) {
    const query = { from_seq: from, limit: ENTRIES_AT_ONCE, proofs: true };
    const { entries } = await client.listTableEntries({ table: name, query });
    for (const event of entries.flatMap(({ entry }) => readEntry(entry).events)) {
      const [word, fields] = Object.entries(event)[0] as [string, { player?: string; seat?: number }];
      if (fields.player !== me) continue;
      if (word === 'seat_taken')
        own = { seat: Number(fields.seat), cash: isCash ? { hasChips: true, isOut: false, isLeaving: false } : null };
      else if (word === 'seat_left') own = null;
      else if (own?.cash && (word === 'sat_out' || word === 'sat_in')) own.cash.isOut = word === 'sat_out';
    }
    if (entries.length < ENTRIES_AT_ONCE) return own;
  }
}

export async function leaveFrom(table: Table, { leave }: SeatCalls): Promise<Accepted | null> {
  const left = await withBets(table, leave).catch((error: unknown) => {
    if (error instanceof ProblemError && LEFT_ALREADY.has(error.code)) return error;
    throw error;
  });
  // Who left before, and was cut off then, still owes the seed.
  if (left instanceof ProblemError) await table.refresh();
  const hasRevealed = await revealOwed(table);
  if (!(left instanceof ProblemError)) return left;
  if (hasRevealed || left.code === 'nothing_to_do') return null;
  throw left;
}

/** Bets whose time is over come back no more: the window closes by itself, and then the seat can be left. */
async function withBets(table: Table, leave: () => Promise<Accepted>): Promise<Accepted> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await leave();
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'deadline_passed' || tries >= MOST_TRIES) throw error;
      await sleep(TRY_AGAIN_MS);
      await table.refresh();
    }
  }
}

/** The seed that the round in play, or its new pile, awaits of this player, who is not there to reveal it later. */
async function revealOwed(table: Table): Promise<boolean> {
  let tries = 1;
  for (; isAwaited(table); tries += 1) {
    try {
      await table.reveal();
    } catch (error) {
      const mayPass = error instanceof NotYet || (error instanceof ProblemError && RACES.has(error.code));
      if (!mayPass || tries >= MOST_TRIES) throw error;
      await sleep(TRY_AGAIN_MS);
      await table.refresh();
    }
  }
  return tries > 1;
}

function isAwaited({ round, mine, client }: Table): boolean {
  if (round?.pile) {
    const piled = round.pile.players.find(one => one.player === client.player);
    return round.pile.awaits === 'seeds' && piled?.seed === null;
  }
  return round?.phase === 'awaiting_reveals' && mine?.seed === null;
}

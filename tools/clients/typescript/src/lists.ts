// Lists that have no end which is known before: each line is bounded, read and handed on as it comes, and nothing is
// kept. All of it is the service's word; what contradicts itself, or was not asked for, is refused.
import { BadReply, BrokenOff } from './errors.js';
import { readJson } from './json.js';
import type { PartInRound, Transaction } from './generated/contract.js';

/** Characters of a line; the longest of its kind has less than 1,024. */
const LONGEST_LINE = 64 * 1024;
/** Between two lines the service may have a long log to look through, and sends nothing meanwhile. */
const LINE_MS = 600_000;

/** The lines of a body, each without its end. One that breaks off throws: what came before is not the whole. */
export async function* linesOf(
  body: ReadableStream<Uint8Array>,
  what: string,
  signal: AbortSignal | undefined,
  longest = LONGEST_LINE,
  lineMs = LINE_MS,
): AsyncGenerator<string> {
  const reader = body.getReader(),
    decoder = new TextDecoder();
  let rest = '',
    count = 0;
  const brokenOff = (why: string, cause?: unknown): BrokenOff => new BrokenOff(what, count, why, cause);
  const next = async (): Promise<ReadableStreamReadResult<Uint8Array>> => {
    let timer: ReturnType<typeof setTimeout> | undefined, stop: (() => void) | undefined;
    const ends = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(brokenOff('the next line does not come')), lineMs);
      stop = () => reject(signal?.reason);
      signal?.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([reader.read(), ends]);
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof BrokenOff ? error : brokenOff('the connection ended', error);
    } finally {
      clearTimeout(timer);
      if (stop) signal?.removeEventListener('abort', stop);
    }
  };
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { value, done } = await next();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longest || lines.some(line => line.length > longest))
        throw new BadReply(`${what}: a line is longer than ${longest} characters`);
      for (const line of lines) {
        count += 1;
        yield line;
      }
    }
    if (rest + decoder.decode() !== '') throw brokenOff('it ends within a line');
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function recordOf(line: string, what: string): Record<string, unknown> {
  const value = readJson(line);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new BadReply(`${what}: a line is no record`);
  return value as Record<string, unknown>;
}

/** A part in a round, which agrees with itself and was asked for. */
export function partOf(line: string, asked: Record<string, unknown>): PartInRound {
  const part = recordOf(line, 'findRounds') as PartInRound;
  const { round, player, outcome, rules, ended, staked, returned, net, cause, last_entry: last } = part;
  const fail = (why: string): never => {
    throw new BadReply(`findRounds: ${String(round)}: ${why}`);
  };
  if (typeof round !== 'string' || typeof player !== 'string') fail('a part names its round and its player');
  const isOver = outcome !== 'in_play';
  if ([ended, staked, returned, net, last].some(one => (one !== null) !== isOver))
    fail('it is over, or it is not, and the sums say otherwise');
  if (staked !== null && returned !== null && net !== null) {
    const won = cause !== null ? 'void' : net > 0 ? 'won' : net < 0 ? 'lost' : 'even';
    if (net !== returned - staked || outcome !== won) fail(`${returned} for ${staked} is not ${net}, ${outcome}`);
  }
  const told: Record<string, unknown> = { player, table: round.slice(0, round.lastIndexOf(':')), rules, outcome };
  if (Object.keys(told).some(name => asked[name] !== undefined && asked[name] !== told[name]))
    fail('it was not asked for');
  return part;
}

/** Reads postings to one account, which follow from each other. */
export function transactionsFrom(): (line: string) => Transaction {
  let before: Transaction | null = null;
  return line => {
    const one = recordOf(line, 'listTransactions') as Transaction;
    const { index, amount, balance } = one;
    const isNext = before === null || (index >= before.index && before.balance + amount === balance);
    if (![index, amount, balance].every(Number.isSafeInteger) || balance < 0 || !isNext)
      throw new BadReply(`listTransactions: the posting of entry ${String(index)} does not follow the one before`);
    before = one;
    return one;
  };
}

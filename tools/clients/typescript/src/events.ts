// Server-sent events as an async iterator, taken up again behind the last one after a break.
import { BadReply, NoAnswer, ProblemError } from './errors.js';
import { type Connection, readProblem, sleep } from './http.js';
import { readJson } from './json.js';
import type { GivenOpening } from './fairshoe-verify.js';
import type { OwnCards } from './generated/contract.js';
import { readEntry } from './entry.js';

/**
 * What a stream tells. **Nothing of it is proven**: `entry` is an entry's exact text, `index` its place in the log.
 * Entries are held to be of what was asked for and in their order without a gap, and no more.
 */
export type StreamEvent =
  | { type: 'entry'; index: number; entry: string }
  | { type: 'openings'; index: number; openings: GivenOpening[] }
  | { type: 'own'; index: number; own: OwnCards };

export interface StreamOptions {
  signal?: AbortSignal | undefined;
  /** The index of the last entry that is known: the stream goes on behind it. */
  lastEventId?: number | undefined;
  /** Hears when the connection is there, and when it broke: then it is made again. */
  onState?: ((state: 'open' | 'broken', why?: unknown) => void) | undefined;
}

interface RawEvent {
  id: string | null;
  event: string;
  data: string[];
}

const FIRST_WAIT_MS = 300;
const MOST_WAIT_MS = 8000;
/** The service says something every 15 seconds: a stream that is silent for longer is dead. */
const SILENCE_MS = 40_000;
/** No entry and no list of openings is longer: a line, or lines of one event, without an end do not fill the memory. */
const LONGEST_EVENT = 16 * 1024 * 1024;

/** The events of a stream's bytes, by the rules of the HTML standard as far as the service uses them. */
export async function* parseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<RawEvent> {
  const decoder = new TextDecoder();
  let text = '',
    length = 0,
    event: RawEvent = { id: null, event: 'message', data: [] };
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    if (text.length > LONGEST_EVENT) throw new NoAnswer('a line of the stream has no end');
    for (const ended of lines) {
      const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
      if (line === '') {
        if (event.data.length) yield event;
        event = { id: null, event: 'message', data: [] };
        length = 0;
      } else if (!line.startsWith(':')) {
        length += line.length + 1;
        if (length > LONGEST_EVENT) throw new NoAnswer('an event of the stream has no end');
        const at = line.indexOf(':'),
          name = at < 0 ? line : line.slice(0, at);
        const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
        if (name === 'data') event.data.push(value);
        else if (name === 'event') event.event = value;
        else if (name === 'id') event.id = value;
      }
    }
  }
}

/** What comes of a body, piece by piece; `alive` hears that something came. */
export async function* chunksOf(body: ReadableStream<Uint8Array>, alive: () => void): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      alive();
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf({ id, event, data }: RawEvent): StreamEvent | null {
  const index = Number(id),
    text = data.join('\n');
  if (id === null || !/^(0|[1-9][0-9]*)$/.test(id) || !Number.isSafeInteger(index)) return null;
  if (event === 'entry') return { type: 'entry', index, entry: text };
  if (event === 'openings') {
    const openings = readJson(text);
    if (!Array.isArray(openings)) throw new BadReply('openings of the stream are no list');
    return { type: 'openings', index, openings: openings as GivenOpening[] };
  }
  if (event === 'own') {
    const own = readJson(text) as OwnCards | null;
    if (typeof own?.round !== 'string') throw new BadReply('own cards of the stream are of no round');
    return { type: 'own', index, own };
  }
  return null;
}

/** Whether an entry closes its table: nothing comes behind it. */
const isLast = (entry: string): boolean => readEntry(entry).events.some(event => 'table_closed' in event);

/**
 * The order of a stream. *Attacks: entries of another table, shown as this one's; one left out.*
 */
class Order {
  readonly #name: string;
  #index = -1;
  #seq: number | null = null;

  constructor(name: string) {
    this.#name = name;
  }

  /** Holds an event that is told for the first time to those before it. */
  hold(event: StreamEvent): void {
    if (event.type !== 'entry') {
      if (event.index !== this.#index) throw new BadReply(`the stream has ${event.type} without their entry`);
      if (event.type === 'own' && !event.own.round.startsWith(`${this.#name}:`))
        throw new BadReply(`the stream has own cards of ${event.own.round}`);
      return;
    }
    const { at } = readEntry(event.entry);
    if (!at || (at.table ?? at.event) !== this.#name)
      throw new BadReply(`entry ${event.index} of the stream is not of ${this.#name}`);
    if (event.index <= this.#index || (this.#seq !== null && at.seq !== this.#seq + 1))
      throw new BadReply(`entry ${event.index} of the stream does not follow entry ${this.#index}`);
    this.#index = event.index;
    this.#seq = at.seq;
  }
}

/**
 * Reads a stream for as long as there is one. Ends where the table is closed; throws what the service refuses, and what
 * ends the signal. A broken connection is made again, with `Last-Event-ID`.
 */
export async function* readStream(
  connection: Connection,
  { path, name }: { path: string; name: string },
  token: string | null,
  isOver: () => Promise<boolean>,
  { signal, lastEventId, onState = () => undefined }: StreamOptions,
): AsyncGenerator<StreamEvent> {
  const order = new Order(name);
  let behind = lastEventId,
    wasOpen = false,
    last: { index: number | undefined; types: Set<StreamEvent['type']> } = { index: undefined, types: new Set() };
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MOST_WAIT_MS)) {
    const quiet = new AbortController();
    const limit = signal ? AbortSignal.any([signal, quiet.signal]) : quiet.signal;
    let silence = setTimeout(() => quiet.abort(), SILENCE_MS);
    const alive = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => quiet.abort(), SILENCE_MS);
    };
    let pause = wait,
      told = false;
    try {
      const response = await connection.fetch(path, {
        signal: limit,
        headers: {
          Accept: 'text/event-stream',
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          ...(behind === undefined ? {} : { 'Last-Event-ID': String(behind) }),
        },
      });
      if (!response.ok || !response.body) throw await readProblem(response, limit);
      if (!/^text\/event-stream\b/.test(response.headers.get('Content-Type') ?? ''))
        throw new BadReply('the answer is no stream of events');
      wait = FIRST_WAIT_MS;
      pause = wait;
      wasOpen = true;
      onState('open');
      for await (const raw of parseEvents(chunksOf(response.body, alive))) {
        const event = eventOf(raw);
        if (event === null) continue;
        // What belongs to an entry has its number too, and a break may come between them: an entry is behind us once
        // the next one is here. What comes a second time after a break is left out.
        if (event.index !== last.index) {
          behind = last.index ?? behind;
          last = { index: event.index, types: new Set() };
        }
        if (last.types.has(event.type)) continue;
        last.types.add(event.type);
        order.hold(event);
        yield event;
        if (event.type === 'entry' && isLast(event.entry)) return;
        told = true;
      }
      onState('broken');
      // A service that stops ends its streams, too; of a table that is closed nothing comes any more.
      if (!told && (await isOver())) return;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ProblemError) {
        // A table that is closed between two connections is not there any more.
        if (wasOpen && error.status === 404) return;
        if (error.status !== 429 && error.status < 500) throw error;
        if (error.retryAfterMs > connection.mostRetryAfterMs) throw error;
        pause = Math.max(wait, error.retryAfterMs);
      } else if (!isBreak(error)) throw error;
      onState('broken', error);
    } finally {
      clearTimeout(silence);
    }
    // Many who watch one table do not come back in the same instant.
    await sleep(pause * (0.7 + 0.6 * Math.random()), signal);
  }
}

/** What `fetch` and readers throw where a connection ends; anything else is an error of this program. */
const isBreak = (error: unknown): boolean =>
  error instanceof NoAnswer ||
  error instanceof TypeError ||
  (error instanceof Error && /Abort|Timeout/.test(error.name));

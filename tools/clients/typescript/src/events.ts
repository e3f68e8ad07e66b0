// Server-sent events as an async iterator, taken up again behind the last one after a break.
import { BadReply, InvalidInput, NoAnswer, ProblemError } from './errors.js';
import { type Connection, readProblem, sleep } from './http.js';
import { readJson } from './json.js';
import type { GivenOpening } from './fairshoe-verify.js';
import type { OwnCards } from './generated/contract.js';
import { readEntry } from './entry.js';

/**
 * What a stream tells. **Nothing of it is proven**: `entry` is an entry's exact text, `index` its place in the log.
 * Entries are held to be of what was asked for and in their order without a gap, and no more. Behind the event with an
 * `id` a later stream goes on, as `lastEventId`.
 */
export type StreamEvent =
  | { type: 'entry'; id: string; index: number; entry: string }
  | { type: 'openings'; id: string; index: number; openings: GivenOpening[] }
  | { type: 'own'; id: string; index: number; own: OwnCards };

export interface StreamOptions {
  signal?: AbortSignal | undefined;
  /**
   * The `id` of the last event that is known: the stream goes on behind it. A number is the index of an entry of which
   * all is known: its openings and own cards, too.
   */
  lastEventId?: number | string | undefined;
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

/** What a stream tells of an entry, in the order in which it is told: `80`, `80.1`, `80.2`. */
const PARTS: readonly string[] = ['entry', 'openings', 'own'];

/** Where an event stands in a stream: of which entry it is, and which part of it. */
type Place = readonly [index: number, part: number];

function placeOf(id: string): Place | null {
  const [, index, part = '0'] = /^(0|[1-9][0-9]*)(?:\.([12]))?$/.exec(id) ?? [];
  return index !== undefined && Number.isSafeInteger(Number(index)) ? [Number(index), Number(part)] : null;
}

function eventOf({ id, event, data }: RawEvent): StreamEvent | null {
  const at = id === null ? null : placeOf(id),
    text = data.join('\n');
  if (id === null || at === null || !PARTS.includes(event)) return null;
  const [index, part] = at;
  if (PARTS[part] !== event) throw new BadReply(`the stream has ${event} with the id ${id}`);
  if (event === 'entry') return { type: 'entry', id, index, entry: text };
  if (event === 'openings') {
    const openings = readJson(text);
    if (!Array.isArray(openings)) throw new BadReply('openings of the stream are no list');
    return { type: 'openings', id, index, openings: openings as GivenOpening[] };
  }
  const own = readJson(text) as OwnCards | null;
  if (typeof own?.round !== 'string') throw new BadReply('own cards of the stream are of no round');
  return { type: 'own', id, index, own };
}

/** Whether an entry closes its table: nothing comes behind it. */
const isLast = (entry: string): boolean => readEntry(entry).events.some(event => 'table_closed' in event);

/**
 * The order of a stream. *Attacks: entries of another table, shown as this one's; one left out.*
 */
class Order {
  readonly #name: string;
  #index: number;
  #part: number;
  #seq: number | null = null;

  constructor(name: string, [index, part]: Place) {
    this.#name = name;
    this.#index = index;
    this.#part = part;
  }

  /** Holds an event to those before it. */
  hold(event: StreamEvent): void {
    const part = PARTS.indexOf(event.type);
    if (event.type !== 'entry') {
      if (event.index !== this.#index) throw new BadReply(`the stream has ${event.type} without their entry`);
      if (part <= this.#part) throw new BadReply(`the stream has ${event.type} of entry ${event.index} again`);
      this.#part = part;
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
    this.#part = part;
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
  let behind = typeof lastEventId === 'number' ? `${lastEventId}.2` : lastEventId,
    wasOpen = false;
  const begins = behind === undefined ? ([-1, 0] as const) : placeOf(behind);
  if (begins === null) throw new InvalidInput(`${behind} is the id of no event`);
  const order = new Order(name, begins);
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
          ...(behind === undefined ? {} : { 'Last-Event-ID': behind }),
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
        order.hold(event);
        behind = event.id;
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

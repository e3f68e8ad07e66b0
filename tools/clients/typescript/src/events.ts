// Server-sent events as an async iterator, taken up again behind the last one after a break.
import { NoAnswer, ProblemError } from './errors.js';
import { type Connection, readProblem, sleep } from './http.js';
import { readJson } from './json.js';
import type { GivenOpening } from './fairshoe-verify.js';
import type { OwnCards } from './generated/contract.js';
import { readEntry } from './asked.js';

/**
 * What a stream tells. **Nothing of it is proven**: `entry` is an entry's exact text, which a `Table` takes and proves;
 * `index` is its place in the log.
 */
export type StreamEvent =
  | { type: 'entry'; index: number; entry: string }
  | { type: 'openings'; index: number; openings: GivenOpening[] }
  | { type: 'own'; index: number; own: OwnCards };

export interface StreamOptions {
  signal?: AbortSignal | undefined;
  /** The index of the last entry that is known: the stream goes on behind it. */
  lastEventId?: number | undefined;
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
/** No entry and no list of openings is longer: a stream without an end of line does not fill the memory. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** The events of a stream's bytes, by the rules of the HTML standard as far as the service uses them. */
export async function* parseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<RawEvent> {
  const decoder = new TextDecoder();
  let text = '',
    event: RawEvent = { id: null, event: 'message', data: [] };
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    if (text.length > LONGEST_LINE) throw new NoAnswer('a line of the stream has no end');
    for (const ended of lines) {
      const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
      if (line === '') {
        if (event.data.length) yield event;
        event = { id: null, event: 'message', data: [] };
      } else if (!line.startsWith(':')) {
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

async function* chunksOf(body: ReadableStream<Uint8Array>, alive: () => void): AsyncGenerator<Uint8Array> {
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
  if (event === 'openings') return { type: 'openings', index, openings: readJson(text) as GivenOpening[] };
  if (event === 'own') return { type: 'own', index, own: readJson(text) as OwnCards };
  return null;
}

/** Whether an entry closes its table: nothing comes behind it. */
const isLast = (entry: string): boolean => readEntry(entry).events.some(event => 'table_closed' in event);

/**
 * Reads a stream for as long as there is one. Ends where the table is closed; throws what the service refuses, and what
 * ends the signal. A broken connection is made again, with `Last-Event-ID`.
 */
export async function* readStream(
  connection: Connection,
  path: string,
  token: string | null,
  isOver: () => Promise<boolean>,
  { signal, lastEventId }: StreamOptions,
): AsyncGenerator<StreamEvent> {
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
      if (!response.ok || !response.body) throw await readProblem(response);
      wait = FIRST_WAIT_MS;
      pause = wait;
      wasOpen = true;
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
        yield event;
        if (event.type === 'entry' && isLast(event.entry)) return;
        told = true;
      }
      // A service that stops ends its streams, too; of a table that is closed nothing comes any more.
      if (!told && (await isOver())) return;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ProblemError) {
        // A table that is closed between two connections is not there any more.
        if (wasOpen && error.status === 404) return;
        if (error.status !== 429 && error.status < 500) throw error;
        pause = Math.max(wait, error.retryAfterMs);
      } else if (!isBreak(error)) throw error;
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

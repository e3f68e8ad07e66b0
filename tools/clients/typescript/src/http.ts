// Requests: to one of several addresses or the leader that a node names, again after a lost answer where that is safe.
import { BadReply, FairshoeError, InvalidInput, NoAnswer, ProblemError, orInvalid } from './errors.js';
import { readJson, writeJson } from './json.js';
import { freshKey } from './random.js';
import type { Operation } from './generated/operations.js';

/** What a call of the contract is given: parameters of its path by name, and these. */
export interface CallArgs {
  body?: unknown;
  query?: object;
  signature?: string;
  [parameter: string]: unknown;
}

export interface CallOptions {
  /** Ends the call, its waits and its repeats. */
  signal?: AbortSignal | undefined;
  /** The name of the request; by default a fresh one, the same for every repeat. Errors of the call hold it. */
  idempotencyKey?: string | undefined;
  /** Another token than the client's; null: none. */
  token?: string | null | undefined;
  /**
   * Of a player who signs: whether the table is a cash table, whose commands have other names. `Table` says so; else
   * the service is asked.
   */
  isCash?: boolean | undefined;
  /** How often this call is sent at most, where that is not what `retry` says. */
  attempts?: number | undefined;
  /** Runs before the request is sent again; what it throws ends the call. */
  beforeRepeat?: (() => Promise<void>) | undefined;
}

export interface RetryOptions {
  /** How often a request is sent at most. */
  attempts?: number;
  /** The first pause; each one after it is up to twice as long. */
  firstWaitMs?: number;
  mostWaitMs?: number;
  /** Where the service asks for a longer pause than this, its error is thrown instead. */
  mostRetryAfterMs?: number;
  /** How long an answer may take. */
  replyMs?: number;
  /** Whether a leader that a node names is asked in its place: a page may be let ask its own address alone. */
  followLeader?: boolean;
  /** Hears of each pause before a call is sent again; null: calls go through again. */
  onWait?: (waiting: Waiting | null) => void;
}

/** A pause before a call is sent again, and what it is for: the answer that asked for it, or that there was none. */
export interface Waiting {
  ms: number;
  error: FairshoeError;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Answer {
  status: number;
  /** `application/json` and the like, without parameters. */
  media: string;
  text: string;
  bytes: Uint8Array;
}

const RETRY: Required<RetryOptions> = {
  attempts: 8,
  firstWaitMs: 200,
  mostWaitMs: 8000,
  mostRetryAfterMs: 30_000,
  replyMs: 30_000,
  followLeader: true,
  onWait: () => undefined,
};
/** The service, or a proxy before it, is away or busy; the request can be sent again. */
const PASSING = new Set([408, 421, 429, 500, 502, 503, 504]);
/** After these the request may have been carried out: the service failed inside, or a proxy gave up waiting. */
const UNKNOWN_OUTCOME = new Set([500, 502, 504]);
/** No answer is longer, a bundle of the longest shoe included: one without an end does not fill the memory. */
const MOST_BYTES = 256 * 1024 * 1024;
/** The answer to an error is short. */
const MOST_ERROR_BYTES = 64 * 1024;
/** Before the first line of a list the service may have a long log to look through. */
const LIST_MS = 600_000;
/** A timer for more than this goes off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const NEWLINE = 10;
/** Of an answer in lines. */
const LINES = 'application/x-ndjson';

/** Waits, unless the signal ends it. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const ended = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', ended);
      resolve();
    }, Math.min(ms, LONGEST_TIMER_MS));
    signal?.addEventListener('abort', ended, { once: true });
  });
}

/** Hears the note that stands in an answer's first line, before the second one is there. */
export type Hear = (note: string) => void;

/**
 * An answer's body, as long as it may be and as long as the signal lets it last. `first` gets its first line as soon as
 * that is here.
 */
async function readBody(
  response: Response,
  most: number,
  signal?: AbortSignal,
  first?: (line: string) => void,
): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let length = 0;
  // A body that comes drop by drop ends with the signal, whatever the given `fetch` makes of it.
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const { value, done } = await reader.read();
      signal?.throwIfAborted();
      if (done) break;
      length += value.length;
      if (length > most) throw new BadReply(`the answer is longer than ${most} bytes`);
      parts.push(value);
      if (first && value.includes(NEWLINE)) {
        first(new TextDecoder().decode(joined(parts, length)).split('\n', 1)[0] as string);
        first = undefined;
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
  return joined(parts, length);
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
  return bytes;
}

/** What a line of an answer to `received=first` says: the note that something came, or what became of it. */
interface Line {
  received?: unknown;
  status?: unknown;
  reply?: unknown;
}

function lineOf(text: string): Line {
  try {
    return (readJson(text) ?? {}) as Line;
  } catch {
    return {};
  }
}

/**
 * The answer that stands in the second line of one to `received=first`, as if it had come alone. *Attack: a note, and
 * no more: nobody knows what became of the request, and it is sent again.*
 */
function answerIn(text: string, what: string): Answer {
  const lines = text.split('\n').map(lineOf);
  const { status, reply } = lines.find(line => typeof line.status === 'number') ?? {};
  if (typeof status !== 'number' || reply === null || typeof reply !== 'object')
    throw new NoAnswer(`${what} ended before it said what became of the request`);
  if (status < 200 || status >= 300) throw problemOf(status, JSON.stringify(reply), null);
  const received = lines.find(line => typeof line.received === 'string')?.received;
  const body = JSON.stringify(received === undefined ? reply : { ...reply, received });
  return { status, media: 'application/json', text: body, bytes: new TextEncoder().encode(body) };
}

/** An address without what follows the host, or an error that says what is wrong with it, and tells no password. */
function readAddress(given: string): string {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw new InvalidInput('that is no address: give one such as https://fairshoe.example');
  }
  if (url.username || url.password) throw new InvalidInput('an address holds no user and no password');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new InvalidInput(`an address is of http or https, not of ${url.protocol}`);
  if (url.pathname !== '/' || url.search || url.hash)
    throw new InvalidInput(`${url.origin}: an address ends after host and port`);
  return url.origin;
}

export class Connection {
  readonly addresses: readonly string[];
  readonly #fetch: Fetch;
  readonly #retry: Required<RetryOptions>;
  /** Where the next request goes first: one of the addresses, or the leader that a node named. */
  #current: string;

  constructor(addresses: string | readonly string[], fetching?: Fetch, retry: RetryOptions = {}) {
    const list = [addresses ?? []].flat().map(readAddress);
    if (!list.length) throw new InvalidInput('give at least one address of the service');
    this.addresses = [...new Set(list)];
    this.#current = this.addresses[0] as string;
    // Called through globalThis: a browser's fetch refuses another `this`.
    this.#fetch = fetching ?? ((url, init) => globalThis.fetch(url, init));
    const given = Object.entries(retry).filter(([, value]) => value !== undefined);
    this.#retry = { ...RETRY, ...Object.fromEntries(given) };
  }

  /** Where the service asks for a longer pause than this, its error is thrown instead. */
  get mostRetryAfterMs(): number {
    return this.#retry.mostRetryAfterMs;
  }

  /** The address that the next request goes to. */
  get current(): string {
    return this.#current;
  }

  /** The next of the given addresses: the current one did not answer, or does not know who leads. */
  #turn(): void {
    const at = this.addresses.indexOf(this.#current);
    this.#current = this.addresses[(at + 1) % this.addresses.length] as string;
  }

  /**
   * Goes to the leader that a node named. *Attack: a node that names an address without encryption, so that the token
   * can be read on the way.* What a leader answers is checked under the same key as everything else.
   */
  #follow(leader: string): boolean {
    let address: string;
    try {
      address = readAddress(leader);
    } catch {
      return false;
    }
    if (this.#current.startsWith('https:') && !address.startsWith('https:')) return false;
    if (address === this.#current) return false;
    this.#current = address;
    return true;
  }

  /** One request to one address. */
  async fetch(path: string, init: RequestInit): Promise<Response> {
    const url = `${this.#current}${path}`;
    // A redirect would take the token to whatever address an answer names. (Not `error`: Node's fetch then loses the
    // body of a request that is answered with 421, which it sends a second time by itself.)
    // A tile under its address never changes, and is held against a root that was signed: a browser may have it.
    const cache = path.startsWith('/tile/') ? 'default' : 'no-store';
    const response = await this.#fetch(url, { ...init, cache, credentials: 'omit', redirect: 'manual' });
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
      throw new BadReply(`${url} answers with a redirect, which is not followed`);
    return response;
  }

  async #once(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
    signal: AbortSignal | undefined,
    hear: Hear | undefined,
  ): Promise<Answer> {
    const limits = [AbortSignal.timeout(this.#retry.replyMs), ...(signal ? [signal] : [])];
    const limit = AbortSignal.any(limits);
    let answer: Answer;
    let retryAfter: string | null;
    try {
      const response = await this.fetch(path, {
        method,
        headers,
        signal: limit,
        ...(body === undefined ? {} : { body }),
      });
      const first = (line: string): void => {
        const { received } = lineOf(line);
        if (typeof received === 'string') hear?.(received);
      };
      const isTwo = hear !== undefined && response.ok && mediaOf(response) === LINES;
      const most = response.ok ? MOST_BYTES : MOST_ERROR_BYTES;
      const bytes = await readBody(response, most, limit, isTwo ? first : undefined);
      retryAfter = response.headers.get('Retry-After');
      answer = { status: response.status, media: mediaOf(response), bytes, text: new TextDecoder().decode(bytes) };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof BadReply) throw error;
      throw new NoAnswer(`${this.#current} gave no answer to ${method} ${path}`, { cause: error });
    }
    if (answer.status >= 200 && answer.status < 300)
      return hear && answer.media === LINES ? answerIn(answer.text, `${this.#current}: ${method} ${path}`) : answer;
    throw problemOf(answer.status, answer.text, retryAfter);
  }

  /**
   * Sends a call of the contract until it is answered, as far as that is safe. `hear` gets each note of
   * `received=first` as it comes: the answer may never do.
   */
  async send(
    operation: Operation,
    args: CallArgs,
    options: CallOptions,
    token: string | null,
    hear?: Hear,
  ): Promise<Answer> {
    const { method, path, headers, body } = prepared(operation, args, options, token);
    return this.#untilAnswered(operation, options, () => this.#once(method, path, headers, body, options.signal, hear));
  }

  /** The same of a list, whose lines are left to be read as they come. Once one has come it is not asked again. */
  async open(
    operation: Operation,
    args: CallArgs,
    options: CallOptions,
    token: string | null,
  ): Promise<ReadableStream<Uint8Array>> {
    const path = pathOf(operation, args);
    const headers = { ...headersOf(args, token), Accept: LINES };
    return this.#untilAnswered(operation, options, async () => {
      const { signal } = options,
        late = new AbortController();
      // Only the wait for its beginning is limited by this.
      const timer = setTimeout(() => late.abort(), LIST_MS);
      let response: Response;
      try {
        const limit = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
        response = await this.fetch(path, { headers, signal: limit });
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof BadReply) throw error;
        throw new NoAnswer(`${this.#current} gave no answer to GET ${path}`, { cause: error });
      } finally {
        clearTimeout(timer);
      }
      if (!response.ok) throw await readProblem(response, signal);
      const media = mediaOf(response);
      if (media !== LINES || !response.body) throw new BadReply(`the answer is ${media}, and no list`);
      return response.body;
    });
  }

  async #untilAnswered<T>(operation: Operation, options: CallOptions, once: () => Promise<T>): Promise<T> {
    const { firstWaitMs, mostWaitMs, mostRetryAfterMs, followLeader, onWait } = this.#retry;
    const attempts = options.attempts ?? this.#retry.attempts;
    const asked = new Set<string>();
    for (let tried = 1, wait = firstWaitMs; ; tried += 1, wait = Math.min(2 * wait, mostWaitMs)) {
      options.signal?.throwIfAborted();
      try {
        asked.add(this.#current);
        const answer = await once();
        // A node that only follows serves readers as well: that it read is no sign that it decides.
        if (tried > 1 || operation.repeats !== 'read') onWait(null);
        return answer;
      } catch (error) {
        if (!(error instanceof FairshoeError) || !this.#mayRepeat(error, operation) || tried >= attempts) throw error;
        let pause = wait * (0.5 + 0.5 * Math.random());
        if (error instanceof ProblemError) {
          if (error.retryAfterMs > mostRetryAfterMs) throw error;
          if (error.status === 421 && followLeader && error.leader !== null && this.#follow(error.leader)) {
            // A leader that this call did not ask yet is asked at once; two nodes that name each other wait.
            if (!asked.has(this.#current)) continue;
          } else if (error.status === 421) this.#turn();
          pause = Math.max(pause, error.retryAfterMs);
        } else this.#turn();
        onWait({ ms: pause, error });
        await sleep(pause, options.signal);
        await options.beforeRepeat?.();
      }
    }
  }

  #mayRepeat(error: FairshoeError, { repeats }: Operation): boolean {
    if (error instanceof NoAnswer) return repeats !== 'once';
    if (!(error instanceof ProblemError)) return false;
    if (UNKNOWN_OUTCOME.has(error.status)) return repeats !== 'once';
    // To a reader "no shoe" is an answer; to a player it says that the next one is being committed.
    const isAtOnce = error.code === 'recovering' || (error.code === 'no_shoe' && repeats !== 'read');
    return PASSING.has(error.status) || isAtOnce;
  }
}

const mediaOf = (response: Response): string =>
  (response.headers.get('Content-Type') ?? '').split(';')[0]?.trim() ?? '';

function headersOf({ signature }: CallArgs, token: string | null): Record<string, string> {
  return {
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...(typeof signature === 'string' ? { 'Fairshoe-Signature': signature } : {}),
  };
}

function problemOf(status: number, text: string, retryAfter: string | null): ProblemError {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = { detail: text.slice(0, 200) };
  }
  const seconds = Number(retryAfter);
  return new ProblemError(status, body, Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0);
}

/** A request as it goes out. */
export interface Prepared {
  readonly method: string;
  /** Below the service's address. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** The request of a call of the contract. */
export function prepared(operation: Operation, args: CallArgs, options: CallOptions, token: string | null): Prepared {
  const path = pathOf(operation, args);
  const headers = headersOf(args, token);
  if (operation.repeats === 'key') headers['Idempotency-Key'] = options.idempotencyKey ?? freshKey();
  const { method } = operation;
  if (method !== 'POST') return { method, path, headers };
  headers['Content-Type'] = 'application/json';
  return { method, path, headers, body: writeJson(args.body ?? {}) };
}

/** The error of an answer to a stream, or of one line of an answer. */
export async function readProblem(response: Response, signal?: AbortSignal): Promise<ProblemError> {
  const bytes = await readBody(response, MOST_ERROR_BYTES, signal).catch(() => new Uint8Array());
  return problemOf(response.status, new TextDecoder().decode(bytes), response.headers.get('Retry-After'));
}

/** Throws `InvalidInput` for what can never be sent. */
export function requireSendable(operation: Operation, args: CallArgs): void {
  pathOf(operation, args);
  if (operation.method === 'POST') writeJson(args.body ?? {});
}

function pathOf({ path }: Operation, args: CallArgs): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = args[name];
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      throw new InvalidInput(`${name}: ${value} is not a whole number that can be sent exactly`);
    if (typeof value !== 'string' && typeof value !== 'number') throw new InvalidInput(`${name} is missing`);
    // `index` of a tile is a path of its own, and `.` or `..` would become another path.
    const parts = String(value).split('/');
    if (parts.some(part => part === '' || part === '.' || part === '..') || (parts.length > 1 && name !== 'index'))
      throw new InvalidInput(`${name}: ${String(value)} is no name`);
    return orInvalid(() => parts.map(part => encodeURIComponent(part).replaceAll('%3A', ':')).join('/'));
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args.query ?? {})) if (value !== undefined) query.set(name, String(value));
  return query.size ? `${filled}?${query.toString()}` : filled;
}

/** An answer as the contract types it. */
export function valueOf(operation: Operation, answer: Answer): unknown {
  if (operation.reply === 'bytes') return answer.bytes;
  if (operation.reply === 'text') return answer.text;
  if (answer.media !== 'application/json')
    throw new BadReply(`the answer is ${answer.media || 'of no type'}, not JSON`);
  const value = readJson(answer.text);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new BadReply('the answer is no JSON object');
  return value;
}

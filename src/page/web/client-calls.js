// The client that players install (tools/clients/typescript), as the page runs it: calls, streams, what is kept.
// Made of its sources by the command tools/clients/typescript/check --page: change those, and run it again.

// --- errors.ts

/** Every error that this package throws by itself is one of these. */
class FairshoeError extends Error {
  name = 'FairshoeError';
  /**
   * Of a call that has one: the `Idempotency-Key` that it went under. Where its outcome is not known, the same call
   * with this key finds what it did, or does it once.
   */
  idempotencyKey = null;
}
/** What was given to the client cannot be used; nothing was sent. */
class InvalidInput extends FairshoeError {
  name = 'InvalidInput';
}
/** The service answered with an error (RFC 9457). Only `code` is stable; `detail` is for people. */
class ProblemError extends FairshoeError {
  name = 'ProblemError';
  status;
  code;
  detail;
  /** How long the service asks to wait, in milliseconds; 0 where it does not say. */
  retryAfterMs;
  /** Of `not_leader`: where the node that decides is reached. */
  leader;
  /** Of `unknown_table`: the table that came in its place. */
  replacedBy;
  /** The house's signed note of what it refused: evidence, to be kept (spec/receipts.md). */
  refused;
  /** `body` is whatever the answer held: of it only texts are taken. */
  constructor(status, body, retryAfterMs = 0) {
    const fields = (body !== null && typeof body === 'object' ? body : {});
    const textOf = (name) => (typeof fields[name] === 'string' ? fields[name] : null);
    const code = textOf('code');
    const detail = textOf('detail') || textOf('title') || `HTTP ${status}`;
    super(`${code ?? `HTTP ${status}`}: ${detail}`);
    this.status = status;
    this.code = code ?? 'unknown';
    this.detail = detail;
    this.retryAfterMs = retryAfterMs;
    this.leader = textOf('leader');
    this.replacedBy = textOf('replaced_by');
    this.refused = textOf('refused');
  }
}
/**
 * No answer came, or none that is whole: whether the request was carried out is not known. What may be repeated was
 * repeated before this is thrown.
 */
class NoAnswer extends FairshoeError {
  name = 'NoAnswer';
}
/** A list broke off after so many lines: what came is not the whole. Ask again, from the start or from a time on. */
class BrokenOff extends NoAnswer {
  name = 'BrokenOff';
  lines;
  constructor(what, lines, why, cause) {
    super(`${what} broke off after ${lines} lines: ${why}`, { cause });
    this.lines = lines;
  }
}
/**
 * An answer that is not what the contract says, or lacks the proof that it promises. Nothing of it was taken; of a call
 * that changes something nobody knows whether it was carried out.
 */
class BadReply extends FairshoeError {
  name = 'BadReply';
}
/** What a check of an answer threw: an error of this package as it is, another for an answer that cannot be read. */
const asBadReply = (error) => error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError
  ? new BadReply(`the answer cannot be read: ${error.message}`, { cause: error })
  : error;
/** What a value that is sent as it is given throws where it cannot be written: a BigInt, half a character. */
function orInvalid(write) {
  try {
    return write();
  }
  catch (error) {
    if (error instanceof FairshoeError)
      throw error;
    throw new InvalidInput(`that cannot be sent: ${error.message}`, { cause: error });
  }
}
/**
 * Something that was shown does not hold. After it the client sends nothing more that would bind the player
 * (spec/page.md, 3). `check` is a name of spec/audit.md, "Findings".
 */
class CheckFailed extends FairshoeError {
  name = 'CheckFailed';
  check;
  /** What does not hold, without the check's name and the entry. */
  detail;
  /** The log index of the entry at fault. */
  entry;
  table;
  evidence;
  constructor(failed, evidence = null) {
    super(`${failed.check}: ${failed.entry === undefined ? '' : `entry ${failed.entry}: `}${failed.message}`);
    this.check = failed.check;
    this.detail = failed.message;
    this.entry = failed.entry ?? null;
    this.table = failed.table ?? null;
    this.evidence = evidence;
    this.#failed = failed;
  }
  #failed;
  /** The same failure, with a file that shows it. */
  with(evidence) {
    return new CheckFailed(this.#failed, evidence);
  }
}
/**
 * The log does not show that it goes on from what was seen before: it does not have the tiles. That is an outage, or a
 * log that went back; until it answers nothing newer is kept (spec/receipts.md, "Keeping a checkpoint").
 */
class Unproven extends FairshoeError {
  name = 'Unproven';
  /** The two signed checkpoints, the older one first: to be kept, and to be shown to others. */
  checkpoints;
  constructor(checkpoints, path) {
    const sizes = checkpoints.map(text => text.split('\n')[1]).join(' and ');
    super(`the log does not show that its trees of ${sizes} entries are one history: it does not have ${path}`);
    this.checkpoints = checkpoints;
  }
}
/** What this would rest on is not proven yet: nothing was sent, and it may be asked for again. */
class NotYet extends FairshoeError {
  name = 'NotYet';
}
/** The seed that a commitment binds to is not in the store: the round cannot be revealed from here. */
class SeedLost extends FairshoeError {
  name = 'SeedLost';
}

// --- json.ts

// JSON of the contract: every number is a whole one, and small enough that JavaScript does not round it.
/** Reads an answer. A number that JavaScript would round is refused, never used. */
function readJson(text) {
  let rounded = null;
  const value = parse(text, (_, one) => {
    if (typeof one === 'number' && !Number.isSafeInteger(one))
      rounded ??= one;
    return one;
  });
  if (rounded !== null)
    throw new BadReply(`the answer holds the number ${String(rounded)}, which cannot be kept exactly`);
  return value;
}
function parse(text, reviver) {
  try {
    return JSON.parse(text, reviver);
  }
  catch (error) {
    throw new BadReply(`the answer is not JSON: ${error.message}`);
  }
}
/** Writes a body. The service takes neither fractions nor null; a field that is undefined is left out. */
function writeJson(body) {
  const plain = (name, value) => {
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      throw new InvalidInput(`${name}: ${value} is not a whole number that can be sent exactly`);
    if (value === null)
      throw new InvalidInput(`${name}: leave out what is not said instead of null`);
    return value;
  };
  return orInvalid(() => JSON.stringify(body, plain));
}
/** The same value with the fields of its objects in one order. */
function sorted(value) {
  if (Array.isArray(value))
    return value.map(sorted);
  if (value === null || typeof value !== 'object')
    return value;
  const fields = value;
  return Object.fromEntries(Object.keys(fields)
    .sort()
    .map(name => [name, sorted(fields[name])]));
}
/** Whether two values are the same, whatever the order of their fields. */
const isSame = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

// --- random.ts

// What must not be guessed, of the platform's randomness.
const randomHex = (bytes) => [...crypto.getRandomValues(new Uint8Array(bytes))].map(byte => byte.toString(16).padStart(2, '0')).join('');
/** A player's seed: 32 bytes, in hexadecimal digits. */
const freshSeed = () => randomHex(32);
/** A name of a request that the contract repeats by `Idempotency-Key`. */
const freshKey = () => randomHex(16);

// --- http.ts

// Requests: to one of several addresses or the leader that a node names, again after a lost answer where that is safe.
const RETRY = {
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
function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const ended = () => {
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
/**
 * An answer's body, as long as it may be and as long as the signal lets it last. `first` gets its first line as soon as
 * that is here.
 */
async function readBody(response, most, signal, first) {
  const reader = response.body?.getReader();
  if (!reader)
    return new Uint8Array();
  const parts = [];
  let length = 0;
  // A body that comes drop by drop ends with the signal, whatever the given `fetch` makes of it.
  const stop = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const { value, done } = await reader.read();
      signal?.throwIfAborted();
      if (done)
        break;
      length += value.length;
      if (length > most)
        throw new BadReply(`the answer is longer than ${most} bytes`);
      parts.push(value);
      if (first && value.includes(NEWLINE)) {
        first(new TextDecoder().decode(joined(parts, length)).split('\n', 1)[0]);
        first = undefined;
      }
    }
  }
  finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
  return joined(parts, length);
}
function joined(parts, length) {
  const bytes = new Uint8Array(length);
  parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
  return bytes;
}
function lineOf(text) {
  try {
    return (readJson(text) ?? {});
  }
  catch {
    return {};
  }
}
/**
 * The answer that stands in the second line of one to `received=first`, as if it had come alone. *Attack: a note, and
 * no more: nobody knows what became of the request, and it is sent again.*
 */
function answerIn(text, what) {
  const lines = text.split('\n').map(lineOf);
  const { status, reply } = lines.find(line => typeof line.status === 'number') ?? {};
  if (typeof status !== 'number' || reply === null || typeof reply !== 'object')
    throw new NoAnswer(`${what} ended before it said what became of the request`);
  if (status < 200 || status >= 300)
    throw problemOf(status, JSON.stringify(reply), null);
  const received = lines.find(line => typeof line.received === 'string')?.received;
  const body = JSON.stringify(received === undefined ? reply : { ...reply, received });
  return { status, media: 'application/json', text: body, bytes: new TextEncoder().encode(body) };
}
/** An address without what follows the host, or an error that says what is wrong with it, and tells no password. */
function readAddress(given) {
  let url;
  try {
    url = new URL(given);
  }
  catch {
    throw new InvalidInput('that is no address: give one such as https://fairshoe.example');
  }
  if (url.username || url.password)
    throw new InvalidInput('an address holds no user and no password');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new InvalidInput(`an address is of http or https, not of ${url.protocol}`);
  if (url.pathname !== '/' || url.search || url.hash)
    throw new InvalidInput(`${url.origin}: an address ends after host and port`);
  return url.origin;
}
class Connection {
  addresses;
  #fetch;
  #retry;
  /** Where the next request goes first: one of the addresses, or the leader that a node named. */
  #current;
  constructor(addresses, fetching, retry = {}) {
    const list = [addresses ?? []].flat().map(readAddress);
    if (!list.length)
      throw new InvalidInput('give at least one address of the service');
    this.addresses = [...new Set(list)];
    this.#current = this.addresses[0];
    // Called through globalThis: a browser's fetch refuses another `this`.
    this.#fetch = fetching ?? ((url, init) => globalThis.fetch(url, init));
    const given = Object.entries(retry).filter(([, value]) => value !== undefined);
    this.#retry = { ...RETRY, ...Object.fromEntries(given) };
  }
  /** Where the service asks for a longer pause than this, its error is thrown instead. */
  get mostRetryAfterMs() {
    return this.#retry.mostRetryAfterMs;
  }
  /** The address that the next request goes to. */
  get current() {
    return this.#current;
  }
  /** The next of the given addresses: the current one did not answer, or does not know who leads. */
  #turn() {
    const at = this.addresses.indexOf(this.#current);
    this.#current = this.addresses[(at + 1) % this.addresses.length];
  }
  /**
   * Goes to the leader that a node named. *Attack: a node that names an address without encryption, so that the token
   * can be read on the way.* What a leader answers is checked under the same key as everything else.
   */
  #follow(leader) {
    let address;
    try {
      address = readAddress(leader);
    }
    catch {
      return false;
    }
    if (this.#current.startsWith('https:') && !address.startsWith('https:'))
      return false;
    if (address === this.#current)
      return false;
    this.#current = address;
    return true;
  }
  /** One request to one address. */
  async fetch(path, init) {
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
  async #once(method, path, headers, body, signal, hear) {
    const limits = [AbortSignal.timeout(this.#retry.replyMs), ...(signal ? [signal] : [])];
    const limit = AbortSignal.any(limits);
    let answer;
    let retryAfter;
    try {
      const response = await this.fetch(path, {
        method,
        headers,
        signal: limit,
        ...(body === undefined ? {} : { body }),
      });
      const first = (line) => {
        const { received } = lineOf(line);
        if (typeof received === 'string')
          hear?.(received);
      };
      const isTwo = hear !== undefined && response.ok && mediaOf(response) === LINES;
      const most = response.ok ? MOST_BYTES : MOST_ERROR_BYTES;
      const bytes = await readBody(response, most, limit, isTwo ? first : undefined);
      retryAfter = response.headers.get('Retry-After');
      answer = { status: response.status, media: mediaOf(response), bytes, text: new TextDecoder().decode(bytes) };
    }
    catch (error) {
      signal?.throwIfAborted();
      if (error instanceof BadReply)
        throw error;
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
  async send(operation, args, options, token, hear) {
    const { method, path, headers, body } = prepared(operation, args, options, token);
    return this.#untilAnswered(operation, options, () => this.#once(method, path, headers, body, options.signal, hear));
  }
  /** The same of a list, whose lines are left to be read as they come. Once one has come it is not asked again. */
  async open(operation, args, options, token) {
    const path = pathOf(operation, args);
    const headers = { ...headersOf(args, token), Accept: LINES };
    return this.#untilAnswered(operation, options, async () => {
      const { signal } = options, late = new AbortController();
      // Only the wait for its beginning is limited by this.
      const timer = setTimeout(() => late.abort(), LIST_MS);
      let response;
      try {
        const limit = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
        response = await this.fetch(path, { headers, signal: limit });
      }
      catch (error) {
        signal?.throwIfAborted();
        if (error instanceof BadReply)
          throw error;
        throw new NoAnswer(`${this.#current} gave no answer to GET ${path}`, { cause: error });
      }
      finally {
        clearTimeout(timer);
      }
      if (!response.ok)
        throw await readProblem(response, signal);
      const media = mediaOf(response);
      if (media !== LINES || !response.body)
        throw new BadReply(`the answer is ${media}, and no list`);
      return response.body;
    });
  }
  async #untilAnswered(operation, options, once) {
    const { firstWaitMs, mostWaitMs, mostRetryAfterMs, followLeader, onWait } = this.#retry;
    const attempts = options.attempts ?? this.#retry.attempts;
    const asked = new Set();
    for (let tried = 1, wait = firstWaitMs;; tried += 1, wait = Math.min(2 * wait, mostWaitMs)) {
      options.signal?.throwIfAborted();
      try {
        asked.add(this.#current);
        const answer = await once();
        // A node that only follows serves readers as well: that it read is no sign that it decides.
        if (tried > 1 || operation.repeats !== 'read')
          onWait(null);
        return answer;
      }
      catch (error) {
        if (!(error instanceof FairshoeError) || !this.#mayRepeat(error, operation) || tried >= attempts)
          throw error;
        let pause = wait * (0.5 + 0.5 * Math.random());
        if (error instanceof ProblemError) {
          if (error.retryAfterMs > mostRetryAfterMs)
            throw error;
          if (error.status === 421 && followLeader && error.leader !== null && this.#follow(error.leader)) {
            // A leader that this call did not ask yet is asked at once; two nodes that name each other wait.
            if (!asked.has(this.#current))
              continue;
          }
          else if (error.status === 421)
            this.#turn();
          pause = Math.max(pause, error.retryAfterMs);
        }
        else
          this.#turn();
        onWait({ ms: pause, error });
        await sleep(pause, options.signal);
        await options.beforeRepeat?.();
      }
    }
  }
  #mayRepeat(error, { repeats }) {
    if (error instanceof NoAnswer)
      return repeats !== 'once';
    if (!(error instanceof ProblemError))
      return false;
    if (UNKNOWN_OUTCOME.has(error.status))
      return repeats !== 'once';
    // To a reader "no shoe" is an answer; to a player it says that the next one is being committed.
    const isAtOnce = error.code === 'recovering' || (error.code === 'no_shoe' && repeats !== 'read');
    return PASSING.has(error.status) || isAtOnce;
  }
}
const mediaOf = (response) => (response.headers.get('Content-Type') ?? '').split(';')[0]?.trim() ?? '';
function headersOf({ signature }, token) {
  return {
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...(typeof signature === 'string' ? { 'Fairshoe-Signature': signature } : {}),
  };
}
function problemOf(status, text, retryAfter) {
  let body;
  try {
    body = JSON.parse(text);
  }
  catch {
    body = { detail: text.slice(0, 200) };
  }
  const seconds = Number(retryAfter);
  return new ProblemError(status, body, Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0);
}
/** The request of a call of the contract. */
function prepared(operation, args, options, token) {
  const path = pathOf(operation, args);
  const headers = headersOf(args, token);
  if (operation.repeats === 'key')
    headers['Idempotency-Key'] = options.idempotencyKey ?? freshKey();
  const { method } = operation;
  if (method !== 'POST')
    return { method, path, headers };
  headers['Content-Type'] = 'application/json';
  return { method, path, headers, body: writeJson(args.body ?? {}) };
}
/** The error of an answer to a stream, or of one line of an answer. */
async function readProblem(response, signal) {
  const bytes = await readBody(response, MOST_ERROR_BYTES, signal).catch(() => new Uint8Array());
  return problemOf(response.status, new TextDecoder().decode(bytes), response.headers.get('Retry-After'));
}
/** Throws `InvalidInput` for what can never be sent. */
function requireSendable(operation, args) {
  pathOf(operation, args);
  if (operation.method === 'POST')
    writeJson(args.body ?? {});
}
function pathOf({ path }, args) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = args[name];
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      throw new InvalidInput(`${name}: ${value} is not a whole number that can be sent exactly`);
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new InvalidInput(`${name} is missing`);
    // `index` of a tile is a path of its own, and `.` or `..` would become another path.
    const parts = String(value).split('/');
    if (parts.some(part => part === '' || part === '.' || part === '..') || (parts.length > 1 && name !== 'index'))
      throw new InvalidInput(`${name}: ${String(value)} is no name`);
    return orInvalid(() => parts.map(part => encodeURIComponent(part).replaceAll('%3A', ':')).join('/'));
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args.query ?? {}))
    if (value !== undefined)
      query.set(name, String(value));
  return query.size ? `${filled}?${query.toString()}` : filled;
}
/** An answer as the contract types it. */
function valueOf(operation, answer) {
  if (operation.reply === 'bytes')
    return answer.bytes;
  if (operation.reply === 'text')
    return answer.text;
  if (answer.media !== 'application/json')
    throw new BadReply(`the answer is ${answer.media || 'of no type'}, not JSON`);
  const value = readJson(answer.text);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new BadReply('the answer is no JSON object');
  return value;
}

// --- entry.ts

// An entry of the log, as far as every reader of one needs it.
/** An entry's text, parsed. */
function readEntry(text) {
  const entry = readJson(text);
  const isObject = (value) => value !== null && typeof value === 'object';
  if (!entry || !isObject(entry.command) || !Array.isArray(entry.events) || !entry.events.every(isObject))
    throw new BadReply('an entry of the answer has no command and events');
  return entry;
}

// --- events.ts

// Server-sent events as an async iterator, taken up again behind the last one after a break.
const FIRST_WAIT_MS = 300;
const MOST_WAIT_MS = 8000;
/** The service says something every 15 seconds: a stream that is silent for longer is dead. */
const SILENCE_MS = 40_000;
/** No entry and no list of openings is longer: a line, or lines of one event, without an end do not fill the memory. */
const LONGEST_EVENT = 16 * 1024 * 1024;
/** The events of a stream's bytes, by the rules of the HTML standard as far as the service uses them. */
async function* parseEvents(chunks) {
  const decoder = new TextDecoder();
  let text = '', length = 0, event = { id: null, event: 'message', data: [] };
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    if (text.length > LONGEST_EVENT)
      throw new NoAnswer('a line of the stream has no end');
    for (const ended of lines) {
      const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
      if (line === '') {
        if (event.data.length)
          yield event;
        event = { id: null, event: 'message', data: [] };
        length = 0;
      }
      else if (!line.startsWith(':')) {
        length += line.length + 1;
        if (length > LONGEST_EVENT)
          throw new NoAnswer('an event of the stream has no end');
        const at = line.indexOf(':'), name = at < 0 ? line : line.slice(0, at);
        const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
        if (name === 'data')
          event.data.push(value);
        else if (name === 'event')
          event.event = value;
        else if (name === 'id')
          event.id = value;
      }
    }
  }
}
/** What comes of a body, piece by piece; `alive` hears that something came. */
async function* chunksOf(body, alive) {
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done)
        return;
      alive();
      yield value;
    }
  }
  finally {
    await reader.cancel().catch(() => undefined);
  }
}
/** What a stream tells of an entry, in the order in which it is told: `80`, `80.1`, `80.2`. */
const PARTS = ['entry', 'openings', 'own'];
function placeOf(id) {
  const [, index, part = '0'] = /^(0|[1-9][0-9]*)(?:\.([12]))?$/.exec(id) ?? [];
  return index !== undefined && Number.isSafeInteger(Number(index)) ? [Number(index), Number(part)] : null;
}
function eventOf({ id, event, data }) {
  const at = id === null ? null : placeOf(id), text = data.join('\n');
  if (id === null || at === null || !PARTS.includes(event))
    return null;
  const [index, part] = at;
  if (PARTS[part] !== event)
    throw new BadReply(`the stream has ${event} with the id ${id}`);
  if (event === 'entry')
    return { type: 'entry', id, index, entry: text };
  if (event === 'openings') {
    const openings = readJson(text);
    if (!Array.isArray(openings))
      throw new BadReply('openings of the stream are no list');
    return { type: 'openings', id, index, openings: openings };
  }
  const own = readJson(text);
  if (typeof own?.round !== 'string')
    throw new BadReply('own cards of the stream are of no round');
  return { type: 'own', id, index, own };
}
/** Whether an entry closes its table: nothing comes behind it. */
const isLast = (entry) => readEntry(entry).events.some(event => 'table_closed' in event);
/**
 * The order of a stream. *Attacks: entries of another table, shown as this one's; one left out.*
 */
class Order {
  #name;
  #index;
  #part;
  #seq = null;
  constructor(name, [index, part]) {
    this.#name = name;
    this.#index = index;
    this.#part = part;
  }
  /** Holds an event to those before it. */
  hold(event) {
    const part = PARTS.indexOf(event.type);
    if (event.type !== 'entry') {
      if (event.index !== this.#index)
        throw new BadReply(`the stream has ${event.type} without their entry`);
      if (part <= this.#part)
        throw new BadReply(`the stream has ${event.type} of entry ${event.index} again`);
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
async function* readStream(connection, { path, name }, token, isOver, { signal, lastEventId, onState = () => undefined }) {
  let behind = typeof lastEventId === 'number' ? `${lastEventId}.2` : lastEventId, wasOpen = false;
  const begins = behind === undefined ? [-1, 0] : placeOf(behind);
  if (begins === null)
    throw new InvalidInput(`${behind} is the id of no event`);
  const order = new Order(name, begins);
  for (let wait = FIRST_WAIT_MS;; wait = Math.min(2 * wait, MOST_WAIT_MS)) {
    const quiet = new AbortController();
    const limit = signal ? AbortSignal.any([signal, quiet.signal]) : quiet.signal;
    let silence = setTimeout(() => quiet.abort(), SILENCE_MS);
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(() => quiet.abort(), SILENCE_MS);
    };
    let pause = wait, told = false;
    try {
      const response = await connection.fetch(path, {
        signal: limit,
        headers: {
          Accept: 'text/event-stream',
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          ...(behind === undefined ? {} : { 'Last-Event-ID': behind }),
        },
      });
      if (!response.ok || !response.body)
        throw await readProblem(response, limit);
      if (!/^text\/event-stream\b/.test(response.headers.get('Content-Type') ?? ''))
        throw new BadReply('the answer is no stream of events');
      wait = FIRST_WAIT_MS;
      pause = wait;
      wasOpen = true;
      onState('open');
      for await (const raw of parseEvents(chunksOf(response.body, alive))) {
        const event = eventOf(raw);
        if (event === null)
          continue;
        order.hold(event);
        behind = event.id;
        yield event;
        if (event.type === 'entry' && isLast(event.entry))
          return;
        told = true;
      }
      onState('broken');
      // A service that stops ends its streams, too; of a table that is closed nothing comes any more.
      if (!told && (await isOver()))
        return;
    }
    catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ProblemError) {
        // A table that is closed between two connections is not there any more.
        if (wasOpen && error.status === 404)
          return;
        if (error.status !== 429 && error.status < 500)
          throw error;
        if (error.retryAfterMs > connection.mostRetryAfterMs)
          throw error;
        pause = Math.max(wait, error.retryAfterMs);
      }
      else if (!isBreak(error))
        throw error;
      onState('broken', error);
    }
    finally {
      clearTimeout(silence);
    }
    // Many who watch one table do not come back in the same instant.
    await sleep(pause * (0.7 + 0.6 * Math.random()), signal);
  }
}
/** What `fetch` and readers throw where a connection ends; anything else is an error of this program. */
const isBreak = (error) => error instanceof NoAnswer ||
  error instanceof TypeError ||
  (error instanceof Error && /Abort|Timeout/.test(error.name));

// --- store.ts

// Where a client keeps what it must not lose: seeds until they are revealed, the log's key, the newest checkpoint.
/** Forgets everything when the program ends: a seed that is committed to is lost then, and the round void. */
class MemoryStore {
  #values = new Map();
  get(name) {
    return this.#values.get(name) ?? null;
  }
  set(name, value) {
    this.#values.set(name, value);
  }
  delete(name) {
    this.#values.delete(name);
  }
  names() {
    return [...this.#values.keys()];
  }
}
/** Keeps its values in a browser's storage, behind a prefix of their names. */
class WebStore {
  #storage;
  #prefix;
  constructor(storage, prefix = 'fairshoe-client ') {
    this.#storage = storage;
    this.#prefix = prefix;
  }
  get(name) {
    return this.#storage.getItem(this.#prefix + name);
  }
  set(name, value) {
    this.#storage.setItem(this.#prefix + name, value);
  }
  delete(name) {
    this.#storage.removeItem(this.#prefix + name);
  }
  names() {
    const all = Array.from({ length: this.#storage.length }, (_, at) => this.#storage.key(at));
    return all.flatMap(name => (name?.startsWith(this.#prefix) ? [name.slice(this.#prefix.length)] : []));
  }
}

export {
  BadReply,
  BrokenOff,
  CheckFailed,
  Connection,
  FairshoeError,
  InvalidInput,
  MemoryStore,
  NoAnswer,
  NotYet,
  ProblemError,
  SeedLost,
  Unproven,
  WebStore,
  asBadReply,
  chunksOf,
  freshKey,
  freshSeed,
  isSame,
  orInvalid,
  parseEvents,
  prepared,
  readEntry,
  readJson,
  readProblem,
  readStream,
  requireSendable,
  sleep,
  sorted,
  valueOf,
  writeJson,
};

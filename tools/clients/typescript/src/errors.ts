// What can go wrong, as classes: the service refuses, does not answer, answers with something else than the contract
// says, or shows something that does not hold.
import type { ErrorCode } from './generated/contract.js';

/** Every error that this package throws by itself is one of these. */
export class FairshoeError extends Error {
  override name = 'FairshoeError';
  /**
   * Of a call that has one: the `Idempotency-Key` that it went under. Where its outcome is not known, the same call
   * with this key finds what it did, or does it once.
   */
  idempotencyKey: string | null = null;
}

/** What was given to the client cannot be used; nothing was sent. */
export class InvalidInput extends FairshoeError {
  override name = 'InvalidInput';
}

/** The service answered with an error (RFC 9457). Only `code` is stable; `detail` is for people. */
export class ProblemError extends FairshoeError {
  override name = 'ProblemError';
  readonly status: number;
  readonly code: ErrorCode | 'unknown';
  readonly detail: string;
  /** How long the service asks to wait, in milliseconds; 0 where it does not say. */
  readonly retryAfterMs: number;
  /** Of `not_leader`: where the node that decides is reached. */
  readonly leader: string | null;
  /** Of `unknown_table`: the table that came in its place. */
  readonly replacedBy: string | null;
  /** The house's signed note of what it refused: evidence, to be kept (spec/receipts.md). */
  readonly refused: string | null;

  /** `body` is whatever the answer held: of it only texts are taken. */
  constructor(status: number, body: unknown, retryAfterMs = 0) {
    const fields = (body !== null && typeof body === 'object' ? body : {}) as Record<string, unknown>;
    const textOf = (name: string): string | null => (typeof fields[name] === 'string' ? fields[name] : null);
    const code = textOf('code');
    const detail = textOf('detail') || textOf('title') || `HTTP ${status}`;
    super(`${code ?? `HTTP ${status}`}: ${detail}`);
    this.status = status;
    this.code = (code as ErrorCode | null) ?? 'unknown';
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
export class NoAnswer extends FairshoeError {
  override name = 'NoAnswer';
}

/** A list broke off after so many lines: what came is not the whole. Ask again, from the start or from a time on. */
export class BrokenOff extends NoAnswer {
  override name = 'BrokenOff';
  readonly lines: number;

  constructor(what: string, lines: number, why: string, cause?: unknown) {
    super(`${what} broke off after ${lines} lines: ${why}`, { cause });
    this.lines = lines;
  }
}

/**
 * An answer that is not what the contract says, or lacks the proof that it promises. Nothing of it was taken; of a call
 * that changes something nobody knows whether it was carried out.
 */
export class BadReply extends FairshoeError {
  override name = 'BadReply';
}

/** What a check of an answer threw: an error of this package as it is, another for an answer that cannot be read. */
export const asBadReply = (error: unknown): unknown =>
  error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError
    ? new BadReply(`the answer cannot be read: ${error.message}`, { cause: error })
    : error;

/** What a value that is sent as it is given throws where it cannot be written: a BigInt, half a character. */
export function orInvalid<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof FairshoeError) throw error;
    throw new InvalidInput(`that cannot be sent: ${(error as Error).message}`, { cause: error });
  }
}

/** A file that shows what failed, for `fairshoe-audit`, or for the page at `/verify`. */
export interface Evidence {
  name: string;
  text: string;
}

/**
 * Something that was shown does not hold. After it the client sends nothing more that would bind the player
 * (spec/page.md, 3). `check` is a name of spec/audit.md, "Findings".
 */
export class CheckFailed extends FairshoeError {
  override name = 'CheckFailed';
  readonly check: string;
  /** What does not hold, without the check's name and the entry. */
  readonly detail: string;
  /** The log index of the entry at fault. */
  readonly entry: number | null;
  readonly table: string | null;
  readonly evidence: Evidence | null;

  constructor(
    failed: { check: string; message: string; entry?: number | undefined; table?: string | undefined },
    evidence: Evidence | null = null,
  ) {
    super(`${failed.check}: ${failed.entry === undefined ? '' : `entry ${failed.entry}: `}${failed.message}`);
    this.check = failed.check;
    this.detail = failed.message;
    this.entry = failed.entry ?? null;
    this.table = failed.table ?? null;
    this.evidence = evidence;
    this.#failed = failed;
  }

  readonly #failed: { check: string; message: string; entry?: number | undefined; table?: string | undefined };

  /** The same failure, with a file that shows it. */
  with(evidence: Evidence | null): CheckFailed {
    return new CheckFailed(this.#failed, evidence);
  }
}

/**
 * The log does not show that it goes on from what was seen before: it does not have the tiles. That is an outage, or a
 * log that went back; until it answers nothing newer is kept (spec/receipts.md, "Keeping a checkpoint").
 */
export class Unproven extends FairshoeError {
  override name = 'Unproven';
  /** The two signed checkpoints, the older one first: to be kept, and to be shown to others. */
  readonly checkpoints: readonly [string, string];

  constructor(checkpoints: readonly [string, string], path: string) {
    const sizes = checkpoints.map(text => text.split('\n')[1]).join(' and ');
    super(`the log does not show that its trees of ${sizes} entries are one history: it does not have ${path}`);
    this.checkpoints = checkpoints;
  }
}

/** What this would rest on is not proven yet: nothing was sent, and it may be asked for again. */
export class NotYet extends FairshoeError {
  override name = 'NotYet';
}

/** The seed that a commitment binds to is not in the store: the round cannot be revealed from here. */
export class SeedLost extends FairshoeError {
  override name = 'SeedLost';
}

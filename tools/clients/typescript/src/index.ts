// A client of fairshoe: plays, follows and verifies, in browsers and in Node. What needs Node is in `fairshoe/node`.
export { Client, type ClientOptions, type RoundVerdict } from './client.js';
export {
  BadReply,
  BrokenOff,
  CheckFailed,
  type Evidence,
  FairshoeError,
  InvalidInput,
  NoAnswer,
  NotYet,
  ProblemError,
  SeedLost,
  Unproven,
} from './errors.js';
export { type Currency, formatChips } from './display.js';
export type { StreamEvent, StreamOptions } from './events.js';
export type { CallOptions, Fetch, Prepared, RetryOptions, Waiting } from './http.js';
export type { KeyState } from './keys.js';
export type { KeyTrust } from './log.js';
export { type HouseNote, linesOfNotes } from './notes.js';
export type { OwedEntry } from './owed.js';
export type { PlayedRound, PlayOptions, Strategy, Turn } from './play.js';
export { type KeptSeed, type SeedPlace, Seeds, commitmentTo, isSameBets } from './seeds.js';
export { freshSeed } from './random.js';
export { type Signer, signerOf } from './sign.js';
export { MemoryStore, type StorageLike, type Store, WebStore } from './store.js';
export { Table, type TableOptions, type TakenEntry } from './table.js';
export { Tournament, seatCommitmentTo } from './tournament.js';
export type {
  BundleReport,
  Face,
  Finding,
  Replay,
  RoundOutcome,
  RoundWords,
  TableState,
  VerdictWord,
  Verifier,
} from './fairshoe-verify.js';
/** The second verifier whole: bundles, replays, receipts, checkpoints, words for people. */
export { default as verifier } from './fairshoe-verify.js';
export { ERROR_CODES } from './generated/error-codes.js';
export { OPERATIONS, type OperationId } from './generated/operations.js';
export type * from './generated/contract.js';

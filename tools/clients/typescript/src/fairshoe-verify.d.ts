// The second verifier (tools/verifier/fairshoe-verify.js) as this package uses it; the build copies it beside the
// compiled files. spec/page.md, 4, says what its functions do.
import type { OwnCards, Receipt, RoundView, TableView } from './generated/contract.js';

export type VerdictWord = 'sound' | 'sound_so_far' | 'not_sound';

/** What does not hold: `check` is a name of spec/audit.md, `entry` a log index. */
export interface Finding {
  check: string;
  entry?: number;
  table?: string;
  message: string;
}

export interface RoundOutcome {
  id: string;
  shoe_no: number | null;
  /** The rule set's name. */
  rules: string | null;
  phase: RoundView['phase'] | null;
  players: { player: string; staked: number; returned: number }[];
}

/** The verdict on a bundle: every entry, event, slot, face and payment of its shoe decided again. */
export interface BundleReport {
  verdict: VerdictWord;
  findings: Finding[];
  /** The round, step by step, in plain English. */
  story: string[];
  key: string | null;
  key_trusted: boolean;
  round: RoundOutcome | { id: string } | null;
  entries: { index: number; entry: unknown }[];
  /** The shoes whose seed is out, and how many faces were held against it. */
  shoes: { shoe: number; entry: number; faces: number }[];
}

export interface ReplayStep {
  index: number;
  event: string;
  entry: unknown;
  words: string[];
  view: RoundView | null;
  faces: Face[];
  proof: unknown;
}

export interface Replay {
  verdict: VerdictWord;
  findings: Finding[];
  story: string[];
  round: RoundOutcome | null;
  steps: ReplayStep[];
}

export interface ReceiptReport {
  verdict: 'sound' | 'not_sound';
  findings: Finding[];
  story: string[];
  key: string | null;
}

export interface CheckpointReport extends ReceiptReport {
  checkpoint?: { origin: string; size: string; root: string };
}

/** A face that was shown: of a wheel `value` and no card. */
export interface Face {
  shoe: number;
  slot: number;
  card: string | null;
  value: number | null;
  state: 'pending' | 'proven';
  opening: GivenOpening | null;
  root: string | null;
  entry: number;
}

export interface GivenOpening {
  slot: number;
  value: number;
  salt: string;
  path: string[];
  shoe_no?: number;
}

/** Seats, window, shoe and call of a table, with the fields that the contract has for them. */
export type TableState = Pick<
  TableView,
  'table' | 'next_round' | 'round' | 'shoe' | 'seats' | 'window' | 'last_hand'
> & {
  cash: Omit<NonNullable<TableView['cash']>, 'own'> | null;
  waiting: string[];
};

export interface Change {
  entries: { index: number; seq: number; words: string[]; view: RoundView | null; proven: boolean; decided: boolean }[];
  proven: number[];
  older: boolean;
  needs: Needs | null;
  view: RoundView | null;
  table: TableState | null;
}

export type Needs = { entries: number; bundle?: undefined } | { bundle: true; entries?: undefined };

export interface FollowedItem {
  index: number;
  seq: number;
  entry: string;
  proof: string[];
  openings?: GivenOpening[];
}

interface ShoeRecord {
  epoch: string;
}

/** A table followed entry by entry; every entry is decided again by the rules. */
export declare class Follower {
  constructor(bundleText: string, vkey: string | null);
  readonly report: BundleReport;
  readonly failure: (Error & Finding) | null;
  readonly needs: Needs | null;
  readonly size: number;
  readonly checkpoint: string;
  readonly nextSeq: number;
  /** The table as the rules have it: with each shoe the epoch that it was committed in. */
  readonly rules: {
    shoe: ShoeRecord | null;
    live: { no: number; shoe: ShoeRecord; pile?: { no: number; shoe: ShoeRecord } | null } | null;
  };
  take(items: FollowedItem[], checkpoint: string): Change;
  takeReceipt(receipt: Required<Receipt>, openings?: GivenOpening[]): Change;
  takePending(index: number, entry: string, openings?: GivenOpening[]): Change;
  renew(bundleText: string): Change;
  view(): RoundView | null;
  table(): TableState | null;
  faces(): Face[];
  own(own: OwnCards, player: string): Face[] | null;
  verdict(): { verdict: VerdictWord; findings: Finding[]; round: RoundView | null };
  evidence(): { name: string; text: string };
}

/** What is judged does not hold. */
export declare class Unsound extends Error {
  readonly check: string;
  readonly entry?: number;
  readonly table?: string;
  readonly evidence?: string;
}
/** What was given cannot be judged at all. */
export declare class Unusable extends Error {}

/** What a round's report says, in the words of one who played it. */
export interface RoundWords {
  game: string;
  phase: string;
  title: string;
  table: string[];
  players: {
    player: string;
    who: string;
    staked: number;
    returned: number;
    net: number;
    gain: string;
    lines: string[];
  }[];
  voided: { cause: string; ahead: string; missing: string[]; lines: string[] } | null;
}

export interface Verifier {
  Follower: typeof Follower;
  Unsound: typeof Unsound;
  Unusable: typeof Unusable;
  verifyBundle(text: string, vkey: string | null): BundleReport;
  replayOf(text: string, round: string | null, vkey: string | null): Replay;
  verifyReceipts(bytes: Uint8Array, entry: Uint8Array | null, policy: Uint8Array | null, vkey: string): ReceiptReport;
  verifyCheckpoint(bytes: Uint8Array, policy: Uint8Array | null, vkey: string): CheckpointReport;
  /** Throws Unusable where the kept bytes are no evidence under the key. */
  verifyLog(
    log: { lines: string[]; leaves: Uint8Array[] },
    against: { key: string; kept: { name: string; bytes: Uint8Array; entry: null }[] },
  ): unknown;
  verifyFollowed(text: string, vkey: string | null): BundleReport;
  verdictInWords(
    report: BundleReport,
    language?: 'en' | 'ja',
  ): {
    verdict: VerdictWord;
    title: string;
    text: string;
    technical: string;
    /** What a reader has to know who named no key. */
    onTrust: string | null;
  };
  roundInWords(
    report: BundleReport,
    view: RoundView | null,
    options: { me?: string; language?: 'en' | 'ja' },
  ): RoundWords;
  tilesFor(older: number | bigint, newer: number | bigint): string[];
  extends(older: string, newer: string, tiles: Record<string, Uint8Array>, vkey: string): void;
  readLogKey(vkey: string): { name: string };
  clientCommitment(tctx: Uint8Array, roundNo: number, player: string, seed: Uint8Array): string;
  tableContext(origin: string, table: string, epoch: string): Uint8Array;
  unhex(text: string, length: number): Uint8Array | null;
  hex(bytes: Uint8Array): string;
  label(name: string): Uint8Array;
  concat(...parts: Uint8Array[]): Uint8Array;
  sha256(bytes: Uint8Array): Uint8Array;
  viewAtEnd(bundleText: string, report: BundleReport): RoundView | null;
}

declare const verifier: Verifier;
export default verifier;

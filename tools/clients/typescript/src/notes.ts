// Signed notes of what the house received or refused (spec/receipts.md, "Received and refused"): evidence, kept until
// the log has what was asked for.
import verifier from './fairshoe-verify.js';
import { readEntry } from './entry.js';
import { writeJson } from './json.js';
import type { Store } from './store.js';

export interface HouseNote {
  kind: 'received' | 'refused';
  note: string;
}

/** So many are kept of one log; the oldest go first. */
export const MOST_NOTES = 256;
const OF_A_NOTE = 'note of ';

/** Who gave which command under which signature, and when: what a note and an entry both say. */
interface Said {
  what: string;
  time: number;
}

/** What a note says; of a refusal the code stands between. */
function saidIn({ kind, note }: HouseNote): Said {
  const lines = note.split('\n'),
    from = kind === 'received' ? 3 : 4;
  return { what: lines.slice(from, from + 3).join('\n'), time: Number(lines[2]) };
}

function saidInEntry(text: string): Said {
  const { by, command, signed, time } = readEntry(text);
  return { what: [by, writeJson(command), signed ? writeJson(signed) : '-'].join('\n'), time };
}

export class Notes {
  readonly #store: Store;
  /** Of this run what was received, and is neither on the log nor refused as far as is known here: by name. */
  readonly #open = new Map<string, Said>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(action);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Keeps a note that this log's key signed. A refusal of what was received takes the place of the note of that. */
  keep(origin: string, heard: HouseNote): Promise<void> {
    return this.#inTurn(async () => {
      const said = saidIn(heard),
        digest = verifier.hex(verifier.sha256(new TextEncoder().encode(heard.note)));
      const name = `${OF_A_NOTE}${origin} ${said.time} ${digest.slice(0, 32)}`;
      await this.#store.set(name, heard.note);
      if (heard.kind === 'received') this.#open.set(name, said);
      else await this.#forget(({ what }) => what === said.what);
      const names = await this.#names(origin);
      for (const old of names.slice(0, Math.max(names.length - MOST_NOTES, 0))) await this.#drop(old);
    });
  }

  /**
   * An entry is proven to be on the log: what was received of it no longer needs its note. *Attack: an older entry with
   * the same command, in the place of the one that was signed for.*
   */
  settle({ entry }: { entry: string }): void {
    if (!this.#open.size) return;
    const logged = saidInEntry(entry);
    const isLogged = ({ what, time }: Said): boolean => what === logged.what && time <= logged.time;
    // One note too many does no harm.
    this.#inTurn(() => this.#forget(isLogged)).catch(() => undefined);
  }

  /** Ends when what was proven so far is done with. */
  async settled(): Promise<void> {
    await this.#turn;
  }

  /** All that are kept of this log, the oldest first. */
  all(origin: string): Promise<HouseNote[]> {
    return this.#inTurn(async () => {
      const notes: HouseNote[] = [];
      for (const name of await this.#names(origin)) {
        const note = await this.#store.get(name);
        if (note !== null) notes.push({ kind: note.startsWith('fairshoe refused/') ? 'refused' : 'received', note });
      }
      return notes;
    });
  }

  async #names(origin: string): Promise<string[]> {
    const mark = `${OF_A_NOTE}${origin} `,
      timeOf = (name: string): number => Number(name.slice(mark.length).split(' ', 1)[0]);
    const names = [...(await this.#store.names())].filter(name => name.startsWith(mark));
    return names.sort((one, other) => timeOf(one) - timeOf(other));
  }

  async #forget(isMeant: (said: Said) => boolean): Promise<void> {
    for (const [name, said] of [...this.#open]) if (isMeant(said)) await this.#drop(name);
  }

  async #drop(name: string): Promise<void> {
    this.#open.delete(name);
    await this.#store.delete(name);
  }
}

/** Notes as a file that `fairshoe-audit log --kept` and the second verifier read: a line for each. */
export const linesOfNotes = (notes: readonly HouseNote[]): string =>
  notes.map(({ kind, note }) => `${writeJson({ [kind]: note })}\n`).join('');

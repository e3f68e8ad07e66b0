// What needs Node: a store on disk.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { mkdir, open, readFile, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { FairshoeError } from './errors.js';
import type { Store } from './store.js';

/** Another process uses the folder: two that keep seeds in it would lose each other's. */
export class StoreInUse extends FairshoeError {
  override name = 'StoreInUse';
}

/**
 * A folder with a file for each value, readable by its owner alone. A value is on the disk when `set` is over. One
 * process has the folder at a time, from its first use until `close` or its end; within it any number of stores may.
 */
export class FileStore implements Store {
  readonly #folder: string;
  #held: Promise<Lock> | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Names hold blanks and what a file's name cannot: the file is named by their hash. */
  #file(name: string): string {
    return path.join(this.#folder, `${createHash('sha256').update(name).digest('hex')}.json`);
  }

  async get(name: string): Promise<string | null> {
    await this.#hold();
    const kept = await this.#read(this.#file(name));
    return kept?.name === name ? kept.value : null;
  }

  async set(name: string, value: string): Promise<void> {
    const lock = await this.#hold();
    await lock.inTurn(() => writeWhole(this.#file(name), JSON.stringify({ name, value })));
  }

  async delete(name: string): Promise<void> {
    const lock = await this.#hold();
    await lock.inTurn(() => rm(this.#file(name), { force: true }));
  }

  async names(): Promise<string[]> {
    await this.#hold();
    const files = await readdir(this.#folder);
    const kept = files.filter(file => file.endsWith('.json')).map(file => this.#read(path.join(this.#folder, file)));
    return (await Promise.all(kept)).flatMap(one => (one ? [one.name] : []));
  }

  /** Lets another process have the folder; a later use takes it again. */
  async close(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    (await held)?.leave();
  }

  async #read(file: string): Promise<{ name: string; value: string } | null> {
    const text = await readFile(file, 'utf8').catch(orNothing(null));
    return text === null ? null : (JSON.parse(text) as { name: string; value: string });
  }

  async #hold(): Promise<Lock> {
    const held = (this.#held ??= Lock.take(this.#folder));
    return held.catch((error: unknown) => {
      if (this.#held === held) this.#held = null;
      throw error;
    });
  }
}

/** A folder that this process has. Its file `lock` names the process. */
class Lock {
  /** Those of this process, by the folder's real path. */
  static readonly #held = new Map<string, Promise<Lock>>();
  readonly #folder: string;
  readonly #text: string;
  #users = 0;
  #isLeft = false;
  #writes: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, text: string) {
    this.#folder = folder;
    this.#text = text;
  }

  static async take(given: string): Promise<Lock> {
    await makeFolder(given);
    const folder = await realpath(given);
    const held = Lock.#held.get(folder) ?? Lock.#make(folder);
    Lock.#held.set(folder, held);
    try {
      const lock = await held;
      // Its last user may have left it just now.
      if (lock.#isLeft) return await Lock.take(given);
      lock.#users += 1;
      return lock;
    } catch (error) {
      if (Lock.#held.get(folder) === held) Lock.#held.delete(folder);
      throw error;
    }
  }

  static async #make(folder: string): Promise<Lock> {
    const file = path.join(folder, 'lock'),
      text = JSON.stringify({ pid: process.pid, host: hostname(), by: randomBytes(8).toString('hex') });
    if (!(await createWith(file, text))) await breakStale(file, text);
    const lock = new Lock(folder, text);
    process.once('exit', () => lock.#remove());
    // What a process that died was writing.
    const left = (await readdir(folder)).filter(name => name.endsWith('.new'));
    for (const name of left) await rm(path.join(folder, name), { force: true });
    return lock;
  }

  /** Writes go one after the other, so that the last one asked for is what stays. */
  inTurn(write: () => Promise<void>): Promise<void> {
    const done = this.#writes.then(write);
    this.#writes = done.catch(() => undefined);
    return done;
  }

  leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#isLeft = true;
    Lock.#held.delete(this.#folder);
    this.#remove();
  }

  #remove(): void {
    const file = path.join(this.#folder, 'lock');
    try {
      if (readFileSync(file, 'utf8') === this.#text) rmSync(file);
    } catch {
      // The folder is gone, or somebody took the lock away: there is nothing to give back.
    }
  }
}

/** Takes a lock over from a process of this machine that is no more; one process at a time looks. */
async function breakStale(file: string, text: string): Promise<void> {
  const breaking = `${file}.breaking`;
  const inUse = (why: string): StoreInUse =>
    new StoreInUse(`the folder ${path.dirname(file)} is in use: ${why}. Where that is wrong, delete the file`);
  if (!(await createWith(breaking, text))) throw inUse(`another process is taking it over (${breaking})`);
  try {
    const found = await readFile(file, 'utf8').catch(orNothing(null));
    if (found !== null) {
      const { pid, host } = ownerIn(found);
      // In a container the process before this one had the same number.
      const isOlder = (await stat(file)).mtimeMs < performance.timeOrigin;
      const isGone = host === hostname() && pid !== null && (pid === process.pid ? isOlder : !isAlive(pid));
      if (!isGone) throw inUse(`process ${pid ?? 'unknown'} of ${host ?? 'an unknown machine'} has it (${file})`);
      await rm(file);
    }
    if (!(await createWith(file, text))) throw inUse(`another process has just taken it (${file})`);
  } finally {
    await rm(breaking, { force: true });
  }
}

function ownerIn(text: string): { pid: number | null; host: string | null } {
  try {
    const { pid, host } = JSON.parse(text) as { pid?: unknown; host?: unknown };
    return { pid: Number.isSafeInteger(pid) ? (pid as number) : null, host: typeof host === 'string' ? host : null };
  } catch {
    return { pid: null, host: null };
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A new file with this text; false where there is one of its name. */
async function createWith(file: string, text: string): Promise<boolean> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw error;
  });
  if (!handle) return false;
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
  return true;
}

/** Whole or not at all, also after a power cut: a new file is synced, then takes the old one's place. */
async function writeWhole(file: string, text: string): Promise<void> {
  const fresh = `${file}.${randomBytes(8).toString('hex')}.new`;
  const handle = await open(fresh, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
  await syncFolder(path.dirname(file));
}

/** The folder, and those above it that are made for it, as they are on the disk. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const top = path.dirname(path.resolve(first));
  for (let made = path.dirname(path.resolve(folder)); made.length >= top.length; made = path.dirname(made)) {
    await syncFolder(made);
    if (made === path.dirname(made)) break;
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folder as a file; its renames are in the file system's journal.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** For what is not there; any other failure of the disk is thrown on. */
const orNothing =
  <T>(nothing: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return nothing;
    throw error;
  };

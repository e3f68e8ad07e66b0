// What needs Node: a store on disk.
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Store } from './store.js';

/** A folder with a file for each value, readable by its owner alone. A value is on the disk when `set` is over. */
export class FileStore implements Store {
  readonly #folder: string;
  #made: Promise<unknown> | null = null;
  #written = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Names hold blanks and what a file's name cannot: the file is named by their hash. */
  #file(name: string): string {
    return path.join(this.#folder, `${createHash('sha256').update(name).digest('hex')}.json`);
  }

  async get(name: string): Promise<string | null> {
    const kept = await this.#read(this.#file(name));
    return kept?.name === name ? kept.value : null;
  }

  async set(name: string, value: string): Promise<void> {
    await (this.#made ??= mkdir(this.#folder, { recursive: true, mode: 0o700 }));
    // Whole or not at all, also after a power cut: a new file is synced, then takes the old one's place.
    const file = this.#file(name),
      fresh = `${file}.${process.pid}.${(this.#written += 1)}`;
    const handle = await open(fresh, 'w', 0o600);
    try {
      await handle.writeFile(JSON.stringify({ name, value }));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async delete(name: string): Promise<void> {
    await rm(this.#file(name), { force: true });
  }

  async names(): Promise<string[]> {
    const files = await readdir(this.#folder).catch(orNothing([]));
    const kept = files.filter(file => file.endsWith('.json')).map(file => this.#read(path.join(this.#folder, file)));
    return (await Promise.all(kept)).flatMap(one => (one ? [one.name] : []));
  }

  async #read(file: string): Promise<{ name: string; value: string } | null> {
    const text = await readFile(file, 'utf8').catch(orNothing(null));
    return text === null ? null : (JSON.parse(text) as { name: string; value: string });
  }
}

/** For what is not there; any other failure of the disk is thrown on. */
const orNothing =
  <T>(nothing: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return nothing;
    throw error;
  };

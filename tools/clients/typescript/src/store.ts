// Where a client keeps what it must not lose: seeds until they are revealed, the log's key, the newest checkpoint.

/** Texts by name. A value that was set MUST be there after a crash: a seed is kept before its commitment is sent. */
export interface Store {
  get(name: string): string | null | Promise<string | null>;
  set(name: string, value: string): void | Promise<void>;
  delete(name: string): void | Promise<void>;
  names(): Iterable<string> | Promise<Iterable<string>>;
}

/** Forgets everything when the program ends: a seed that is committed to is lost then, and the round void. */
export class MemoryStore implements Store {
  readonly #values = new Map<string, string>();

  get(name: string): string | null {
    return this.#values.get(name) ?? null;
  }
  set(name: string, value: string): void {
    this.#values.set(name, value);
  }
  delete(name: string): void {
    this.#values.delete(name);
  }
  names(): string[] {
    return [...this.#values.keys()];
  }
}

/** `localStorage`, `sessionStorage`, or what has their methods. */
export interface StorageLike {
  readonly length: number;
  key(index: number): string | null;
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

/** Keeps its values in a browser's storage, behind a prefix of their names. */
export class WebStore implements Store {
  readonly #storage: StorageLike;
  readonly #prefix: string;

  constructor(storage: StorageLike, prefix = 'fairshoe-client ') {
    this.#storage = storage;
    this.#prefix = prefix;
  }

  get(name: string): string | null {
    return this.#storage.getItem(this.#prefix + name);
  }
  set(name: string, value: string): void {
    this.#storage.setItem(this.#prefix + name, value);
  }
  delete(name: string): void {
    this.#storage.removeItem(this.#prefix + name);
  }
  names(): string[] {
    const all = Array.from({ length: this.#storage.length }, (_, at) => this.#storage.key(at));
    return all.flatMap(name => (name?.startsWith(this.#prefix) ? [name.slice(this.#prefix.length)] : []));
  }
}

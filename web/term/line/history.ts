/** Where lines are kept; localStorage has this shape. */
export interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** The lines that were run, the newest last, kept from visit to visit. */
export class History {
  readonly #storage: Storage | undefined;
  readonly #key: string;
  readonly #limit: number;
  #lines: string[] = [];

  constructor(storage: Storage | undefined, key = "tabernetes.history", limit = 1000) {
    this.#storage = storage;
    this.#key = key;
    this.#limit = limit;
    try {
      const lines: unknown = JSON.parse(storage?.getItem(key) ?? "[]");
      if (Array.isArray(lines)) this.#lines = lines.filter((line) => typeof line === "string");
    } catch {
      // Somebody else wrote there, or storage is forbidden: begin anew.
    }
  }

  get length(): number {
    return this.#lines.length;
  }

  at(index: number): string | undefined {
    return this.#lines[index];
  }

  /** Adds a line; not an empty one, one that begins with a space, or the same twice in a row. */
  add(line: string): void {
    if (line.trim() === "" || line.startsWith(" ") || line === this.#lines.at(-1)) return;
    this.#lines = [...this.#lines, line].slice(-this.#limit);
    try {
      this.#storage?.setItem(this.#key, JSON.stringify(this.#lines));
    } catch {
      // Full or forbidden: the history then lasts as long as the page.
    }
  }

  /** The newest line before `before` that contains `needle`, or -1. */
  findBackwards(needle: string, before: number): number {
    for (let i = Math.min(before, this.#lines.length) - 1; i >= 0; i--) {
      if (this.#lines[i]?.includes(needle)) return i;
    }
    return -1;
  }
}

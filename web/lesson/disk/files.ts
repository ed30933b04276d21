/*
 * What a folder or an archive of the reader's holds, before anything of it is read. Whoever made it is a stranger:
 * names are looked at here, and all of it is bounded.
 */

/** What is taken of a folder or an archive. */
export const MOST = {
  /** Bytes of an archive. */
  archive: 32 << 20,
  /** Files and folders that are looked at. */
  entries: 5000,
  /** Folders in each other. */
  depth: 12,
  /** UTF-16 code units of a name with its folders. */
  name: 500,
  /** Bytes of one lesson's files together, unpacked. */
  bytes: 8 << 20,
} as const;

/** What a reader's folder or archive is refused for, in words for them. */
export class DiskError extends Error {
  override readonly name = "DiskError";
}

/** A file, and how it is read: at most so many bytes of it, or it rejects. */
export interface Held {
  /** As its folder or archive says. */
  readonly size: number;
  read(most: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Files by their names below the folder, "steps/one.md". */
export class Files {
  readonly #files = new Map<string, Held>();
  readonly #what: string;
  #looked = 0;

  /** `what` it is that holds them, as errors call it. */
  constructor(what: string) {
    this.#what = what;
  }

  get(name: string): Held | undefined {
    return this.#files.get(name);
  }

  get names(): IterableIterator<string> {
    return this.#files.keys();
  }

  /** Counts a file or a folder. Throws where there are too many. */
  look(): void {
    if (++this.#looked > MOST.entries) {
      throw new DiskError(
        `${this.#what} holds more than ${MOST.entries} files and folders. Open the folder of the lesson itself.`,
      );
    }
  }

  /** Whether a folder or a file is looked into; throws where it lies outside, or too deep. */
  wants(name: string): boolean {
    const parts = name.split("/");
    if (/^(?:\/|[A-Za-z]:)|\\|\0/.test(name) || parts.includes("..")) {
      throw new DiskError(
        `${this.#what} names a file outside of itself, ${quoted(name)}: nothing of it was taken.`,
      );
    }
    if (name.length > MOST.name || parts.length > MOST.depth) {
      throw new DiskError(
        `${this.#what} has a file in more than ${MOST.depth} folders, or with a name of more than ${MOST.name} characters: ${quoted(name)}. Open the folder of the lesson itself.`,
      );
    }
    // What editors, systems and tools leave beside a lesson's files.
    return !parts.some((part) => part.startsWith(".") || SKIPPED.has(part));
  }

  /** Takes a file, of which there is one. */
  add(name: string, held: Held): void {
    if (!this.wants(name)) return;
    if (this.#files.has(name)) {
      throw new DiskError(
        `${this.#what} has two files named ${quoted(name)}: nothing of it was taken.`,
      );
    }
    this.#files.set(name, held);
  }
}

const SKIPPED: ReadonlySet<string> = new Set(["__MACOSX", "node_modules"]);

/** What a stranger wrote, between quotes, for a message. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

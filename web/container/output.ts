import { cost, PIECE, TO, utf8, WINDOW, type Post } from "./message.ts";

/** How much may wait for a log that is slow; what is printed beyond it is left out, and counted. */
const MOST = 1 << 20;

interface Waiting {
  kind: string;
  bytes: Uint8Array;
}

/** Standard output and error of a container. Printing never waits: what prints may be a loop. */
export class Output {
  readonly #post: Post;
  #credit = WINDOW;
  #queue: Waiting[] = [];
  #queued = 0;
  #left = 0;
  #scheduled = false;
  #drained: (() => void)[] = [];

  constructor(post: Post) {
    this.#post = post;
  }

  stdout(text: string): void {
    this.#print(TO.stdout, text);
  }

  stderr(text: string): void {
    this.#print(TO.stderr, text);
  }

  /** The cluster has written so many bytes. */
  give(bytes: number): void {
    this.#credit += bytes;
    this.#pump();
  }

  /** Resolves when all of it was sent. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#pump();
    });
  }

  #print(kind: string, text: string): void {
    const all = utf8(text.length > MOST ? text.slice(0, MOST) : text);
    if (this.#queued + all.length > MOST) {
      this.#left += all.length;
      return;
    }
    for (let at = 0; at < all.length; at += PIECE) this.#add(kind, all.subarray(at, at + PIECE));
    if (this.#queued > PIECE) this.#pump();
    else if (!this.#scheduled) {
      // What one turn prints line by line goes together.
      this.#scheduled = true;
      queueMicrotask(() => {
        this.#scheduled = false;
        this.#pump();
      });
    }
  }

  #add(kind: string, bytes: Uint8Array): void {
    this.#queued += bytes.length;
    const last = this.#queue.at(-1);
    if (last?.kind !== kind || last.bytes.length + bytes.length > PIECE) {
      this.#queue.push({ kind, bytes });
      return;
    }
    const joined = new Uint8Array(last.bytes.length + bytes.length);
    joined.set(last.bytes);
    joined.set(bytes, last.bytes.length);
    last.bytes = joined;
  }

  #pump(): void {
    let sent = 0;
    for (const { kind, bytes } of this.#queue) {
      if (this.#credit < cost(bytes.length)) break;
      this.#credit -= cost(bytes.length);
      this.#queued -= bytes.length;
      this.#post(kind, 0, bytes);
      sent++;
    }
    this.#queue.splice(0, sent);
    if (this.#queue.length > 0) return;
    if (this.#left > 0) {
      const left = this.#left;
      this.#left = 0;
      this.stderr(
        `… ${left} bytes of output were left out: they came faster than a log is written\n`,
      );
      return;
    }
    for (const done of this.#drained.splice(0)) done();
  }
}

/** What console.log prints of its arguments. */
export function format(values: readonly unknown[]): string {
  return `${values.map(one).join(" ")}\n`;
}

function one(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return describe(value);
  try {
    const json: unknown = typeof value === "object" ? JSON.stringify(value) : undefined;
    return typeof json === "string" ? json : String(value);
  } catch {
    return "[it cannot be shown]";
  }
}

/** A thrown value as a log has it: with where it came from. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return one(error);
  const { stack } = error;
  const headline = `${error.name}: ${error.message}`;
  return stack?.includes(error.message) ? stack : [headline, stack ?? ""].join("\n").trim();
}

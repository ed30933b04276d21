import { text, TO, utf8, type Message, type Post } from "./message.ts";

/** How many are asked for at once; the cluster takes no more. */
const AT_ONCE = 16;

interface Asked {
  done: (data: Uint8Array<ArrayBuffer>) => void;
  failed: (error: Error) => void;
}

/** The container's file system, as its user may read it: the image, ConfigMaps, Secrets, volumes. */
export class Files {
  readonly #post: Post;
  readonly #asked = new Map<number, Asked>();
  readonly #waiting: (() => void)[] = [];
  #last = 0;

  constructor(post: Post) {
    this.#post = post;
  }

  /** A file's bytes, 1 MiB at most. Rejects with why it cannot be read. */
  read(path: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.#ask(TO.file, path);
  }

  /** A file as text in UTF-8. */
  async text(path: string): Promise<string> {
    return text(await this.read(path));
  }

  /** The names in a directory. */
  async list(path: string): Promise<string[]> {
    return JSON.parse(text(await this.#ask(TO.list, path))) as string[];
  }

  /** What was asked for has come, or why it does not. */
  answered({ id, data }: Message, there: boolean): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (there) asked?.done(data);
    else asked?.failed(new Error(text(data)));
    this.#waiting.shift()?.();
  }

  async #ask(kind: string, path: unknown): Promise<Uint8Array<ArrayBuffer>> {
    const name = utf8(String(path));
    if (name.length > 4096) throw new TypeError("The path of a file has 4096 bytes at most");
    while (this.#asked.size >= AT_ONCE) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return new Promise((done, failed) => {
      const id = ++this.#last;
      this.#asked.set(id, { done, failed });
      this.#post(kind, id, name);
    });
  }
}

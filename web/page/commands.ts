import type { Disposable } from "../state/disposable.ts";

/** Something the page can do, as the palette lists it. */
export interface PageCommand {
  /** What it does, beginning with a verb: "Switch to the dark theme". */
  title: string;
  /** Other words it is found by. */
  words?: string;
  /** The key that does the same, as it is shown: "Ctrl K". */
  keys?: string;
  /** The kubectl command it stands for. */
  line?: string;
  run: () => void;
}

/** What the palette offers, registered by whoever can do it. */
export class Commands {
  readonly #sources = new Set<() => readonly PageCommand[]>();

  /** Adds commands, asked for anew each time the palette opens. */
  add(source: () => readonly PageCommand[]): Disposable {
    this.#sources.add(source);
    return { dispose: () => void this.#sources.delete(source) };
  }

  all(): PageCommand[] {
    return [...this.#sources].flatMap((source) => source());
  }
}

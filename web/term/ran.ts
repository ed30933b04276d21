import type { Disposable } from "../state/disposable.ts";
import type { Readable } from "../state/store.ts";

/** A row of the terminal that moves with its text. */
export interface Mark {
  /** Its place in the buffer, counted from the top; -1 when its text is gone. */
  readonly line: number;
}

/** A line that was run at a terminal's prompt. */
export interface Ran {
  readonly id: number;
  readonly line: string;
  /** The name of the shell that runs it. */
  readonly session: string;
  /** In milliseconds since 1970; no end while it runs. */
  readonly began: number;
  ended?: number;
  /** The row in which the line begins. */
  readonly mark: Promise<Mark>;
}

/** Where a row is drawn, in pixels below the top of `place`. */
export interface Row {
  readonly top: number;
  readonly height: number;
}

/** The lines that were run in a terminal, for whoever draws something beside them. */
export interface RanLines {
  /** The element to draw into; it covers the terminal. */
  readonly place: HTMLElement;
  /** Those whose text is still there, in the order in which they were run. */
  readonly runs: Readable<readonly Ran[]>;
  /** Goes up whenever rows may stand elsewhere. */
  readonly moved: Readable<number>;
  /** Undefined if it is out of sight. */
  row(ran: Ran): Row | undefined;
  /** What was written after the line and before the next one. */
  output(ran: Ran): readonly string[];
  /** Brings it into sight. */
  reveal(ran: Ran): void;
  focus(): void;
}

/** What is drawn beside the lines, until disposed. */
export interface Beside extends Disposable {
  /** Goes to what stands beside the last line. */
  focus(): void;
}

export type DrawBeside = (lines: RanLines) => Beside;

import type { Mark } from "./ran.ts";

/** The terminal's screen, as much of xterm.js as the session uses. */
export interface Screen {
  readonly cols: number;
  readonly rows: number;
  /** Those columns of it that are in sight at once: what is typed stays within them. */
  readonly inSight: number;
  /** The row `up` above the cursor, once everything written before has been drawn. */
  mark(up: number): Promise<Mark>;
  /** The column the cursor is in, once everything written before has been drawn. */
  column(): Promise<number>;
  /** Resolves when the data has been drawn; waiting for it holds a fast writer back. */
  write(data: string | Uint8Array): Promise<void>;
  /** The line that is being typed, as it stands, for those who hear it. */
  typed(text: string, cursor: number): void;
  /** Clears everything above the line with the cursor. */
  clear(): void;
  /** Raw: line ends come from the program; else a bare newline also returns the carriage. */
  setRaw(on: boolean): void;
  /** Undoes what a program has left on: another screen, the mouse, another character set. */
  restore(): void;
}

/* A command line of the terminal's shell, and what is offered for the word under its cursor. Part of web/rpc/protocol.ts. */

export interface ExecParams {
  /** A line for the shell; none where there is `args`. */
  line?: string;
  /** A program and its arguments, each taken as it is: for what is put together from names that
   * others chose. */
  args?: readonly string[];
  /** The shell that keeps variables and the working directory between lines; made on first use. */
  session: string;
  /** True when the output is a terminal (xterm.js), which lets `kubectl exec -it` go raw. */
  tty: boolean;
  cols: number;
  rows: number;
}

export interface CloseParams {
  session: string;
}

export interface CompleteParams {
  line: string;
  /** Offset into `line` in UTF-16 units, as JavaScript counts. */
  cursor: number;
  /** The shell whose working directory and variables count; the same name as in ExecParams. */
  session?: string;
}

export interface Completion {
  /** Candidates that replace line[from:cursor]. */
  from: number;
  words: { text: string; help?: string }[];
}

/** One terminal of the page, with a shell of its own. */
export interface ShellTab {
  /** By which the cluster knows its shell. */
  readonly shell: string;
  /** Something runs in it. */
  readonly busy: boolean;
  /** Types lines, runs them as one and gives the exit code. */
  execute(lines: string, signal: AbortSignal): Promise<number>;
  run(line: string): void;
  type(line: string): void;
  focus(): void;
}

/** Types and runs lines in the page's terminal; the terminal's view fills it in. */
export interface TerminalControl {
  /** Types a line and runs it. */
  run(line: string): void;
  /** Puts a line at the prompt and leaves it there. */
  type(line: string): void;
  focus(): void;
  /** Runs a line in a terminal of its own. */
  runInNewTab(line: string): void;
}

/** Leads into the guide. */
export interface GuideControl {
  /** Opens a chapter. */
  read(chapter: string): void;
  /** Goes where the last command goes. */
  follow(): void;
}

/** Lets a person edit a text; resolves with undefined when they leave it as it was. */
export type EditFile = (name: string, text: string) => Promise<string | undefined>;

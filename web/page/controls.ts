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

/** Lets a person edit a text; resolves with undefined when they leave it as it was. */
export type EditFile = (name: string, text: string) => Promise<string | undefined>;

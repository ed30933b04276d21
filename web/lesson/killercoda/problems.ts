import { cut, type Problem } from "../lesson.ts";

/** Something that a scenario must not hold, and the file that it is in. */
export type Refusal = Problem & { readonly file: string };

/** What a scenario lacks here: all of it at once, for its reader and its author. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly refusals: readonly Refusal[];

  constructor(refusals: readonly Refusal[]) {
    const lines = refusals.slice(0, MOST).map(said);
    const more = refusals.length - lines.length;
    super(
      `This scenario wants what is not here, and nothing of it was run:\n${lines.join("\n")}${more > 0 ? `\nand ${more} more` : ""}`,
    );
    this.refusals = refusals;
  }
}

/** Refusals that are named. */
const MOST = 10;

export function said({ file, line, what }: Refusal): string {
  return `${file}${line > 0 ? `:${line}` : ""}: ${what}`;
}

/** What a stranger wrote, between quotes, for a message. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text));
}

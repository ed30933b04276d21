import type { Code } from "../prose/prose.ts";

/** A word of the guide's, as the build makes it of glossary.md (compile-glossary.ts). */
export interface Word {
  /** In links and addresses. */
  readonly name: string;
  readonly term: string;
  /** What it means, in a few sentences. */
  readonly of: readonly (string | Code)[];
  /** The chapters that link it. */
  readonly chapters: readonly string[];
}

/** By this name the list of them is read, as a chapter is by its own. */
export const WORDS = "words";

const texts = import.meta.glob<readonly Word[]>("./glossary.md", { import: "default" });

/** All of them, by the alphabet. They are fetched when the first is asked for. */
export async function glossary(): Promise<readonly Word[]> {
  const load = texts["./glossary.md"];
  if (!load) throw new Error("the page was built without the guide's words");
  return await load();
}

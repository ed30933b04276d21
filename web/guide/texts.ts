import type { Reader } from "./blocks.ts";
import type { Block, Chapter } from "./chapter.ts";

/** The chapters' texts, each fetched when it is first asked for, with what draws it. */
export class Texts {
  /** It comes with the text of a chapter that has such a block. */
  criticalPath: Reader["criticalPath"];
  /** The texts that have come, and what is to be said in the place of one that did not. */
  readonly #known = new Map<string, readonly Block[] | string>();
  /** There is something else to be drawn. */
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** A chapter's text, or what is said in its place: nothing while it comes. */
  of(chapter: Chapter): readonly Block[] | string {
    const { name } = chapter;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    // It is there before anybody could have read that it comes.
    const coming = "";
    this.#known.set(name, coming);
    void this.#fetch(chapter).then((text) => {
      this.#known.set(name, text);
      this.#changed();
    });
    return coming;
  }

  /** A chapter's text, if it has come. */
  come(name: string): readonly Block[] | undefined {
    const known = this.#known.get(name);
    return typeof known === "string" ? undefined : known;
  }

  async #fetch({ title, text }: Chapter): Promise<readonly Block[] | string> {
    try {
      const blocks = await text();
      if (blocks.some(({ type }) => type === "critical-path"))
        this.criticalPath = (await import("./critical-path.ts")).drawCriticalPath;
      return blocks;
    } catch (error) {
      return `The chapter "${title}" could not be loaded: ${String(error)}. Check the connection, then reload the page.`;
    }
  }
}

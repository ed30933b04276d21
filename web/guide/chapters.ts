import type { Block, Chapter, Head } from "./chapter.ts";

const heads = import.meta.glob<Head>("./chapters/*.md", {
  eager: true,
  query: "?head",
  import: "default",
});
const texts = import.meta.glob<readonly Block[]>("./chapters/*.md", { import: "default" });

/** The guide, in the order in which a command comes to its chapters. */
export const CHAPTERS: readonly Chapter[] = Object.keys(texts)
  .sort()
  .flatMap((file) => {
    const head = heads[file];
    const load = texts[file];
    return head && load ? [{ ...head, text: load }] : [];
  });

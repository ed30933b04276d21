import type { Chapter } from "./chapter.ts";

const files = import.meta.glob<Chapter>("./chapters/*.md", { eager: true, import: "default" });

/** The guide, in the order in which a command comes to its chapters. */
export const CHAPTERS: readonly Chapter[] = Object.keys(files)
  .sort()
  .flatMap((file) => files[file] ?? []);

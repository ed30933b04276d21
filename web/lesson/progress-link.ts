/* How far a reader is, as it stands in a link (ADR 48). Whoever opens one is asked before it counts. */
import { pack, unpack } from "../share/pack.ts";
import type { Lesson } from "./lesson.ts";
import { progressIn, written, type Progress } from "./progress.ts";

/** Characters of a link that are taken: a lesson of fifty steps with long titles has fewer. */
const MOST = 16_384;

export function packProgress(lesson: Lesson, progress: Progress): Promise<string> {
  return pack(written(lesson, progress));
}

/** Reads what `packProgress` made, which anybody may have written. Rejects in words for the reader. */
export async function unpackProgress(packed: string, lesson: Lesson): Promise<Progress> {
  let text: string;
  try {
    if (packed.length > MOST) throw new Error(`${packed.length} characters`);
    text = await unpack(packed);
  } catch (error) {
    throw new Error(
      "How far somebody was cannot be read of this link: it is damaged, or was changed on its way. Ask whoever sent it to send it again.",
      { cause: error },
    );
  }
  const progress = progressIn(text, lesson);
  if (progress) return progress;
  throw new Error(
    "This link says how far somebody was in steps that this lesson does not have: it is of another lesson, or of an older one.",
  );
}

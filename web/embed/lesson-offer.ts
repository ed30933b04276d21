import type { Loaded } from "../lesson/load.ts";
import { same, type Progress } from "../lesson/progress.ts";
import { reason } from "../rpc/reason.ts";

/** What a link says of somebody's progress, or why it says nothing; undefined if the reader is there. */
export async function offered(
  from: string,
  { lesson }: Loaded,
  own: Progress,
): Promise<Progress | string | undefined> {
  try {
    const { unpackProgress } = await import("../lesson/progress-link.ts");
    const progress = await unpackProgress(from, lesson);
    return same(progress, own, lesson) ? undefined : progress;
  } catch (error) {
    return reason(error);
  }
}

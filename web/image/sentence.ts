import { humanDuration } from "../kube/age.ts";
import type { MemoryImage } from "../rpc/protocol.ts";

/** What there is of a cluster's memory, for people; undefined before its Worker has said so. */
export function imageSentence(image: MemoryImage | undefined, now: number): string {
  if (!image) return "Whether its memory is kept is known once it has started.";
  const ago = (at: number) => `${humanDuration(Math.max(0, now - at))} ago`;
  const { kept, failed } = image;
  const is = kept
    ? `Its memory was kept ${ago(kept.at)}: ${Math.round(kept.bytes / 1e6)} MB.`
    : "There is no image of its memory: a reload starts it anew.";
  if (failed?.lasts) return `${is} None can be kept: ${failed.why}.`;
  if (failed) return `${is} None could be kept ${ago(failed.at)}: ${failed.why}.`;
  return kept
    ? is
    : `${is} One is taken when nothing but heartbeats was written for some seconds, and nobody waits for an answer.`;
}

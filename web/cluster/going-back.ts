import type { CheckpointDifference } from "../rpc/protocol.ts";

/** What going back would do, or did, in a sentence. */
export function sentenceOf(difference: CheckpointDifference, done = false): string {
  const { comesBack, changes, goes } = difference;
  const parts = [
    part(comesBack, done ? "came back" : comesBack === 1 ? "comes back" : "come back"),
    part(changes, done ? "are as then" : changes === 1 ? "changes" : "change", done),
    part(goes, done ? "went" : goes === 1 ? "goes" : "go"),
  ].filter((text) => text !== "");
  if (parts.length === 0) return done ? "Nothing had changed." : "Nothing would change.";
  const last = parts.pop() ?? "";
  const list = parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
  return `${list[0]?.toUpperCase() ?? ""}${list.slice(1)}.`;
}

function part(count: number, verb: string, done = false): string {
  if (count === 0) return "";
  const what = count === 1 ? "1 object" : `${count} objects`;
  return `${what} ${count === 1 && done ? verb.replace("are", "is") : verb}`;
}

/** A line for each object, as kubectl would name it. */
export function changesIn({ objects }: CheckpointDifference): string[] {
  return objects.map(
    ({ what, kind, namespace, name }) =>
      `${what.padEnd(10)} ${kind} ${namespace ? `${namespace}/` : ""}${name}`,
  );
}

import { memoryHere, type Memory } from "../sdk/memory.ts";

/** What stands beside a button that starts a cluster: what it downloads, as far as that is known. */
export function beforeStart(bytes: number | undefined, memory: Memory): string {
  const download =
    bytes === undefined
      ? "It runs in this tab; it is downloaded once."
      : `It runs in this tab. ${(bytes / 1e6).toFixed(0)} MB are downloaded, once.`;
  return `${download} ${memory.says}`.trimEnd();
}

/** Whether a cluster may start without that somebody asks for it: not on somebody's last gigabyte, nor bill. */
export function mayStartItself(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return !connection?.saveData && memoryHere().is !== "little";
}

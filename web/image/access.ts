/* The part of https://fs.spec.whatwg.org/ that Workers only have, and TypeScript's library for pages lacks. */
import type { File } from "./format.ts";

/** A file that is open, for this Worker alone. */
export interface OpenFile extends File {
  close(): void;
}

/** Opens a file. Rejects with a NoModificationAllowedError while somebody else has it. */
export function access(handle: FileSystemFileHandle): Promise<OpenFile> {
  return (
    handle as unknown as { createSyncAccessHandle(): Promise<OpenFile> }
  ).createSyncAccessHandle();
}

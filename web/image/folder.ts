/* The files of a cluster that is kept (wasm/opfs), as far as its image is concerned. */
import { keptFolder, LOCK } from "../kept/kept.ts";

/** Two, of which one is written while the other is the one that counts. */
export const IMAGES = ["image-0", "image-1"] as const;

/** The file that is there while an image is tried. */
export const TRIED = "image-tried";

export const isImage = (name: string): boolean => name.startsWith("image-");

export async function folderOf(cluster: string): Promise<FileSystemDirectoryHandle> {
  return (await keptFolder()).getDirectoryHandle(cluster);
}

const TRIES = 20;
const BETWEEN_MS = 100;

/** Deletes what images there are. A Worker that is ending gives its file back some moments later. */
export async function dropImages(cluster: string): Promise<void> {
  const folder = await folderOf(cluster).catch(() => undefined);
  if (!folder) return; // there is no such cluster
  for (const name of [...IMAGES, TRIED]) {
    for (let left = TRIES; ; left--) {
      try {
        await folder.removeEntry(name);
        break;
      } catch (error) {
        if (error instanceof DOMException && error.name === "NotFoundError") break;
        if (left <= 1) throw error;
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
      }
    }
  }
}

/** Moments to go back to (core/checkpoint): a program that goes on reads them again. */
const isCheckpoints = (name: string): boolean => name.startsWith("checkpoints-");

/**
 * The sizes of a cluster's files, of those that its program writes to all the time without them (the journal, the
 * revisions, the nodes' disks): what is in those the program itself compares with what it knows.
 */
export async function filesOf(folder: FileSystemDirectoryHandle): Promise<Record<string, number>> {
  const files: Record<string, number> = {};
  for await (const [name, entry] of folder.entries()) {
    if (entry.kind !== "file" || name === LOCK || isImage(name) || isCheckpoints(name)) continue;
    files[name] = /^((journal|disk)-|revisions$)/.test(name) ? -1 : (await entry.getFile()).size;
  }
  return files;
}

/** Whether two lists of files are the same. */
export function sameFiles(a: Record<string, number>, b: Record<string, number>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

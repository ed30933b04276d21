import { messageOf } from "../rpc/reason.ts";
/*
 * Clusters that are kept in this browser: a folder each of the origin-private file system
 * (https://fs.spec.whatwg.org/), which the cluster's Worker writes (wasm/opfs).
 */

/** The folder of this project below the origin's; wasm/opfs has the same name. */
const ROOT = "tabernetes";
/** The file whose handle a cluster's Worker holds while it is open; wasm/opfs has the same name. */
export const LOCK = "lock";

/** The file that a folder has while a cluster is made in it; core/clusterfile has the same name. */
export const UNFINISHED = "unfinished";

/** Where the page leaves, for itself after a reload, whose folder is to be deleted first. */
const FORGET = "tabernetes.forget";

/** The name of the cluster that a page keeps at first. */
export const CLUSTER = "cluster";

/** A cluster that is kept, and what its files take, in bytes. */
export interface Kept {
  name: string;
  bytes: number;
}

export type Root = () => Promise<FileSystemDirectoryHandle>;

/** The origin's folder; rejects where the browser has none, or refuses it. */
const originFolder: Root = () => {
  const storage = (globalThis.navigator as Partial<Navigator> | undefined)?.storage;
  if (!storage || !("getDirectory" in storage)) {
    return Promise.reject(
      new Error("this browser has no storage for this address: it takes https, or localhost"),
    );
  }
  return storage.getDirectory();
};

/** The folder of which each cluster has one. */
export async function keptFolder(root: Root = originFolder): Promise<FileSystemDirectoryHandle> {
  return (await root()).getDirectoryHandle(ROOT, { create: true });
}

/** What is kept in this browser, by name; what was begun and never completed is deleted. */
export async function listKept(root: Root = originFolder): Promise<Kept[]> {
  const kept: Kept[] = [];
  const begun: string[] = [];
  const all = await keptFolder(root);
  for await (const [name, handle] of all.entries()) {
    if (handle.kind !== "directory") continue;
    let bytes = 0;
    let files = 0;
    let whole = true;
    for await (const [file, entry] of handle.entries()) {
      if (entry.kind !== "file" || file === LOCK) continue;
      files++;
      bytes += (await entry.getFile()).size;
      if (file === UNFINISHED) whole = false;
    }
    if (!whole) begun.push(name);
    else if (files > 0) kept.push({ name, bytes });
  }
  // A copy or an import whose tab ended. One that is under way cannot be deleted.
  for (const name of begun) await forget(name, root).catch(() => undefined);
  return kept.sort((a, b) => a.name.localeCompare(b.name));
}

/** Deletes a cluster that is kept and not open; one that is not there is deleted already. */
export async function forget(name: string, root: Root = originFolder): Promise<void> {
  try {
    await (await keptFolder(root)).removeEntry(name, { recursive: true });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "NotFoundError")) throw error;
  }
}

/** Has the page delete a cluster when it is loaded next, before anything opens it. */
export function forgetAtNextLoad(name: string, storage: Pick<Storage, "setItem">): void {
  storage.setItem(FORGET, name);
}

/** How often, and how many milliseconds apart, a folder is tried whose Worker may still be ending. */
const TRIES = 20;
const BETWEEN_MS = 250;

/**
 * Deletes what the page before had said. Resolves in any case: what cannot be deleted is told: it is
 * not to be opened as if it were new.
 */
export async function forgetAsSaid(
  storage: Pick<Storage, "getItem" | "removeItem">,
  root: Root = originFolder,
  between = BETWEEN_MS,
): Promise<string> {
  const name = storage.getItem(FORGET);
  if (name === null) return "";
  storage.removeItem(FORGET);
  for (let left = TRIES; ; left--) {
    try {
      await forget(name, root);
      return "";
    } catch (error) {
      if (left <= 1) {
        return `The cluster that was kept could not be deleted: ${messageOf(error)}`;
      }
      await new Promise((resolve) => setTimeout(resolve, between));
    }
  }
}

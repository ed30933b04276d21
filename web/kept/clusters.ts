/*
 * What can be done with clusters that are kept and not open: their folders are copied, renamed and
 * deleted by the page itself. Each fails with a sentence that says what to do.
 */
import { isImage } from "../image/folder.ts";
import { forget, keptFolder, listKept, LOCK, UNFINISHED, type Kept, type Root } from "./kept.ts";

/** What a cluster may be called: it is a folder, and a word in a sentence. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** Why a name cannot be a new cluster's; "" if it can. */
export function nameProblem(name: string, taken: readonly Kept[]): string {
  if (!NAME.test(name)) {
    return "A name has up to 40 small letters, digits and hyphens, and neither begins nor ends with a hyphen.";
  }
  if (taken.some((other) => other.name === name)) return `There is a cluster "${name}" already.`;
  return "";
}

/** Whether a tab has the cluster open. */
export async function isOpen(name: string, root?: Root): Promise<boolean> {
  const all = await keptFolder(root);
  try {
    const folder = await all.getDirectoryHandle(name);
    const lock = await folder.getFileHandle(LOCK);
    // A Worker's handle is the only one there can be.
    await (await lock.createWritable({ keepExistingData: true })).abort();
    return false;
  } catch (error) {
    return error instanceof DOMException && error.name === "NoModificationAllowedError";
  }
}

/** Gives a cluster that is not open another name. When it fails, the old one is as it was. */
export async function rename(name: string, to: string, root?: Root): Promise<void> {
  const problem = nameProblem(to, await listKept(root));
  if (problem) throw new Error(problem);
  if (await isOpen(name, root)) {
    throw new Error(`"${name}" is open in a tab: open another cluster there, or close it.`);
  }
  const all = await keptFolder(root);
  const from = await all.getDirectoryHandle(name);
  const target = await all.getDirectoryHandle(to, { create: true });
  try {
    await target.getFileHandle(UNFINISHED, { create: true });
    for await (const [file, handle] of from.entries()) {
      if (handle.kind !== "file" || file === LOCK || isImage(file)) continue;
      const out = await (await target.getFileHandle(file, { create: true })).createWritable();
      await out.write(await handle.getFile());
      await out.close();
    }
    await target.removeEntry(UNFINISHED);
  } catch (error) {
    await forget(to, root);
    throw error;
  }
  await forget(name, root);
}

/** What the browser says of the storage of this page. */
export interface StorageState {
  /** Bytes; undefined where the browser does not say. */
  usage?: number;
  quota?: number;
  /** Whether the browser has promised not to delete it when space becomes scarce. */
  persisted: boolean;
}

export async function storageState(
  storage: Partial<StorageManager> | undefined = (navigator as Partial<Navigator>).storage,
): Promise<StorageState> {
  const estimate = (await storage?.estimate?.()) ?? {};
  return { ...estimate, persisted: (await storage?.persisted?.()) ?? false };
}

/** Asks the browser not to delete what is kept; false if it refuses. */
export async function persist(
  storage: Partial<StorageManager> | undefined = (navigator as Partial<Navigator>).storage,
): Promise<boolean> {
  return (await storage?.persist?.()) ?? false;
}

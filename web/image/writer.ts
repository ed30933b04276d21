/*
 * The Worker that writes an image: it makes a program of its own from the module, to see which pages are as they
 * always begin, and leaves those out.
 */
import { messageOf } from "../rpc/reason.ts";
import { access } from "./access.ts";
import { folderOf, IMAGES } from "./folder.ts";
import { describe, write, type Description } from "./format.ts";

export interface WriteOrder {
  cluster: string;
  module: WebAssembly.Module;
  memory: ArrayBuffer;
  about: Omit<Description, "pieces" | "format">;
}

export interface Written {
  bytes?: number;
  why?: string;
}

addEventListener("message", ({ data }: MessageEvent<WriteOrder>) => {
  save(data).then(
    (bytes) => postMessage({ bytes } satisfies Written),
    (error: unknown) =>
      postMessage({
        why: messageOf(error),
      } satisfies Written),
  );
});

async function save({ cluster, module, memory, about }: WriteOrder): Promise<number> {
  const folder = await folderOf(cluster);
  const [old, target] = await slots(folder);
  const handle = await folder.getFileHandle(target, { create: true });
  const file = await access(handle);
  let bytes: number;
  try {
    // No image while it is written.
    file.truncate(0);
    bytes = write(file, about, memory, await freshMemory(module));
  } catch (error) {
    file.truncate(0);
    throw error;
  } finally {
    file.close();
  }
  await folder.removeEntry(old).catch(() => undefined);
  return bytes;
}

/** Which image counts, and which is to be written. */
async function slots(folder: FileSystemDirectoryHandle): Promise<[old: string, target: string]> {
  let best = -1;
  let old = 1;
  for (const [i, name] of IMAGES.entries()) {
    let serial = -1;
    try {
      const file = await access(await folder.getFileHandle(name));
      try {
        serial = describe(file)?.serial ?? -1;
      } finally {
        file.close();
      }
    } catch {
      // there is none, or it is damaged
    }
    if (serial > best) [best, old] = [serial, i];
  }
  return old === 0 ? [IMAGES[0], IMAGES[1]] : [IMAGES[1], IMAGES[0]];
}

/** The memory of a program that has not run. */
async function freshMemory(module: WebAssembly.Module): Promise<ArrayBuffer> {
  const imports: Record<string, Record<string, () => void>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = () => undefined;
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  return (exports.mem as WebAssembly.Memory).buffer;
}

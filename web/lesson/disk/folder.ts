/* Reads a folder that a reader has chosen or dropped. */
import { messageOf } from "../../rpc/reason.ts";
import { DiskError, Files, quoted, type Held } from "./files.ts";

/** The files of a folder that was chosen: the browser has listed them. */
export function filesOfList(list: readonly File[], what: string): Files {
  const files = new Files(what);
  for (const file of list) {
    files.look();
    // Their names begin with the folder's own.
    files.add(file.webkitRelativePath.replace(/^[^/]*\//, ""), held(file));
  }
  return files;
}

/** The files of folders and files that were dropped; a folder that stands alone is the one that is meant. */
export async function filesOfEntries(
  entries: readonly FileSystemEntry[],
  what: string,
): Promise<Files> {
  const files = new Files(what);
  const [only] = entries;
  if (entries.length === 1 && only && isFolder(only)) await within(only, "", files);
  else for (const entry of entries) await take(entry, "", files);
  return files;
}

async function take(entry: FileSystemEntry, above: string, files: Files): Promise<void> {
  files.look();
  const name = above + entry.name;
  if (!files.wants(name)) return;
  if (isFolder(entry)) await within(entry, `${name}/`, files);
  else if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    files.add(name, held(file));
  }
}

async function within(folder: FileSystemDirectoryEntry, path: string, files: Files): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    // It gives some of them at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    for (const entry of some) await take(entry, path, files);
  }
}

/** A file of the disk, read when it is asked for. */
export function held(file: File): Held {
  return {
    size: file.size,
    read: async (most) => {
      if (file.size > most) throw new DiskError(`it has more than ${most} bytes`);
      try {
        return new Uint8Array(await file.arrayBuffer());
      } catch (error) {
        // It was moved, changed or locked since.
        const why = messageOf(error);
        throw new DiskError(`its file cannot be read any more (${quoted(why)})`, { cause: error });
      }
    },
  };
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

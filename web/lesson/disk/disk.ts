/*
 * Lessons of the reader's own disk. The page reads them by itself, and nothing of them leaves it: they lie at an
 * address that leads nowhere, by which the reader of lessons asks for their files.
 */
import { MOST as LESSON } from "../lesson.ts";
import { MissingError, type Reads } from "../reads.ts";
import { DiskError, MOST, quoted, type Files } from "./files.ts";

/** A lesson in what a reader has opened. */
export interface DiskLesson {
  /** What was opened, and the folder in it. */
  readonly name: string;
  /** Its folder's address. No host has it (RFC 6761); progress is kept by it. */
  readonly src: string;
  readonly reads: Reads;
}

/** The lessons of a folder or an archive that is called `name`; throws DiskError where there is none. */
export function lessonsOf(name: string, files: Files): DiskLesson[] {
  const folders = foldersOf(files.names);
  if (folders.length === 0) {
    throw new DiskError(
      `${quoted(name)} has no lesson: neither a lesson.md nor a scenario's index.json.`,
    );
  }
  return folders.map((folder) => {
    const path = [name, ...folder.split("/").filter(Boolean)];
    const src = `https://disk.invalid/${path.map(encodeURIComponent).join("/")}/`;
    return { name: path.join("/"), src, reads: byDisk(files, folder, src) };
  });
}

/** Folders with a lesson.md or an index.json, "a/b/", but none that lies in another one of them. */
function foldersOf(names: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const name of names) {
    const folder = /^(.*\/)?(?:lesson\.md|index\.json)$/.exec(name);
    if (folder) folders.add(folder[1] ?? "");
  }
  return [...folders].filter((folder) => !above(folder).some((one) => folders.has(one))).sort();
}

function above(folder: string): string[] {
  const parts = folder.split("/").slice(0, -1);
  return parts.map((_, n) =>
    parts
      .slice(0, n)
      .map((part) => `${part}/`)
      .join(""),
  );
}

function byDisk(files: Files, folder: string, src: string): Reads {
  let left: number = MOST.bytes;
  return async (address) => {
    const name = decodeURIComponent(address.href.slice(src.length));
    const file = address.href.startsWith(src) ? files.get(folder + name) : undefined;
    if (!file) throw new MissingError(`There is no ${name}.`, "the folder has no such file");
    try {
      if (left <= 0) throw new DiskError(`a lesson has at most ${MOST.bytes >> 20} MiB`);
      const bytes = await file.read(LESSON.file);
      left -= bytes.length;
      return new TextDecoder().decode(bytes);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      throw new DiskError(`${name} cannot be read: ${error.message}.`, { cause: error });
    }
  };
}

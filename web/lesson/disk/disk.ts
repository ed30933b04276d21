/*
 * Lessons of the reader's own disk. The page reads them by itself, and nothing of them leaves it: they lie at an
 * address that leads nowhere, by which the reader of lessons asks for their files.
 */
import { MOST as LESSON } from "../lesson.ts";
import { MissingError, type Pictures, type Reads } from "../reads.ts";
import { DiskError, MOST, quoted, type Files } from "./files.ts";

/** A lesson in what a reader has opened. */
export interface DiskLesson {
  /** What was opened, and the folder in it. */
  readonly name: string;
  /** Its folder's address. No host has it (RFC 6761); progress is kept by it. */
  readonly src: string;
  readonly reads: Reads;
  /** Its pictures, as data of this page: a policy that shows nothing of other hosts lets them be shown. */
  readonly pictures: Pictures;
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
    return { name: path.join("/"), src, ...byDisk(files, folder, src) };
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

function byDisk(files: Files, folder: string, src: string): Pick<DiskLesson, "reads" | "pictures"> {
  let left: number = MOST.bytes;
  const bytesOf = async (address: URL, most: number): Promise<Uint8Array<ArrayBuffer>> => {
    const name = decodeURIComponent(address.href.slice(src.length));
    const file = address.href.startsWith(src) ? files.get(folder + name) : undefined;
    if (!file) throw new MissingError(`There is no ${name}.`, "the folder has no such file");
    try {
      if (left <= 0) throw new DiskError(`a lesson has at most ${MOST.bytes >> 20} MiB`);
      const bytes = await file.read(most);
      left -= bytes.length;
      return bytes;
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      throw new DiskError(`${name} cannot be read: ${error.message}.`, { cause: error });
    }
  };
  const shown = new Map<string, string>(); // a picture is counted once, however often it is opened
  return {
    reads: async (address) => new TextDecoder().decode(await bytesOf(address, LESSON.file)),
    pictures: async (address) => {
      const known = shown.get(address.href);
      if (known !== undefined) return known;
      const type = TYPES.get(/\.[a-z]+$/.exec(address.pathname)?.[0] ?? "");
      if (type === undefined) throw new MissingError("That is no picture.");
      const data = await dataOf(new Blob([await bytesOf(address, LESSON.image)], { type }));
      shown.set(address.href, data);
      return data;
    },
  };
}

/** Pictures that a lesson may have. As such nothing in them is run, whatever they are. */
const TYPES: ReadonlyMap<string, string> = new Map([
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".jpeg", "image/jpeg"],
  [".webp", "image/webp"],
  [".gif", "image/gif"],
  [".svg", "image/svg+xml"],
]);

/** A blob as an address that has it in itself. */
async function dataOf(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  // A call takes some ten thousand arguments.
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return `data:${blob.type};base64,${btoa(text)}`;
}

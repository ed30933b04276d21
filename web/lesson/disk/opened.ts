/* What a reader chose or dropped, as lessons: a folder, a zip archive, or a lesson.md by itself. */
import { lessonsOf, type DiskLesson } from "./disk.ts";
import { DiskError, Files, quoted } from "./files.ts";
import { filesOfEntries, filesOfList, held } from "./folder.ts";

/** Of a folder that was chosen. */
export function lessonsOfFolder(list: readonly File[]): DiskLesson[] {
  const name = list[0]?.webkitRelativePath.split("/", 1)[0] ?? "";
  if (name === "") throw new DiskError("The folder is empty.");
  return lessonsOf(name, filesOfList(list, quoted(name)));
}

/** Of a file that was chosen. */
export async function lessonsOfFile(file: File): Promise<DiskLesson[]> {
  if (/\.md$/i.test(file.name)) {
    const files = new Files(quoted(file.name));
    files.add("lesson.md", held(file));
    return lessonsOf(file.name, files);
  }
  // What unpacks is fetched with the first archive.
  const { filesOfZip } = await import("./zip.ts");
  return lessonsOf(file.name, await filesOfZip(file, quoted(file.name)));
}

/** Of what was dropped. It has to be asked for its entries at once, before anything is waited for. */
export async function lessonsOfDrop({ items }: DataTransfer): Promise<DiskLesson[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const [first] = entries;
  if (!first) {
    // What another program hands over may be no entry of a disk.
    const [file, ...more] = [...items].flatMap((item) => item.getAsFile() ?? []);
    if (file && more.length === 0) return lessonsOfFile(file);
    throw new DiskError("Nothing was dropped that can be read: drop a folder or a zip.");
  }
  if (entries.length === 1 && first.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (first as FileSystemFileEntry).file(resolve, reject),
    );
    return lessonsOfFile(file);
  }
  const name = entries.length === 1 ? first.name : "dropped files";
  return lessonsOf(name, await filesOfEntries(entries, quoted(name)));
}

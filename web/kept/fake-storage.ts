/* An origin-private file system for tests: folders are objects, files their bytes, or how many they have. */
import type { Root } from "./kept.ts";

export interface Files {
  [name: string]: Files | Uint8Array | number;
}

const isFile = (entry: Files | Uint8Array | number): entry is Uint8Array | number =>
  typeof entry === "number" || entry instanceof Uint8Array;

const later = <T>(value: T) => Promise.resolve(value);
const fails = (name: string, message = name) => Promise.reject(new DOMException(message, name));

/** `busy`: so many deletions fail, as of a file that somebody has open. */
export function fileSystem(files: Files, busy: { times: number } = { times: 0 }): Root {
  const file = (at: Files, name: string) => ({
    kind: "file",
    getFile: () => {
      const content = at[name] as Uint8Array | number;
      const size = typeof content === "number" ? content : content.length;
      return later({ size, content });
    },
    createWritable: () =>
      later({
        write: ({ content }: { content: Uint8Array | number }) => later(void (at[name] = content)),
        close: () => later(undefined),
        abort: () => later(undefined),
      }),
    createSyncAccessHandle: () =>
      later({
        getSize: () => (at[name] as Uint8Array).length,
        read(into: Uint8Array, { at: from }: { at: number }) {
          const part = (at[name] as Uint8Array).subarray(from, from + into.length);
          into.set(part);
          return part.length;
        },
        close: () => undefined,
      }),
  });
  const handle = (at: Files): FileSystemDirectoryHandle =>
    ({
      kind: "directory",
      getDirectoryHandle(name: string, options?: { create?: boolean }) {
        if (!(name in at) && !options?.create) return fails("NotFoundError");
        return later(handle((at[name] ??= {}) as Files));
      },
      getFileHandle(name: string, options?: { create?: boolean }) {
        if (!(name in at) && !options?.create) return fails("NotFoundError");
        at[name] ??= 0;
        return later(file(at, name));
      },
      async *entries() {
        for (const [name, entry] of Object.entries(at)) {
          await later(undefined);
          yield [name, isFile(entry) ? file(at, name) : handle(entry)];
        }
      },
      removeEntry(name: string) {
        if (!(name in at)) return fails("NotFoundError");
        if (busy.times-- > 0) return fails("NoModificationAllowedError", "busy");
        Reflect.deleteProperty(at, name);
        return later(undefined);
      },
    }) as unknown as FileSystemDirectoryHandle;
  return () => later(handle(files));
}

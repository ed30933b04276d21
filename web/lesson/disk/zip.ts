/* Reads a zip archive by zip.js, which is fetched with the first one. */
import { BlobReader, configure, ZipReader } from "@zip.js/zip.js/lib/zip-core-custom.js";
import { messageOf } from "../../rpc/reason.ts";
import { DiskError, Files, MOST, quoted } from "./files.ts";

/** How many times as long as it is packed a file may be: prose and shell are four times, bombs a thousand. */
const RATIO = 200;
/** Below so many bytes that says nothing. */
const SMALL = 16 << 10;

// Bytes that are unpacked at a time: a thousandfold of it is what a step can hold at most.
configure({ chunkSize: 4096, useWebWorkers: false });

/** The files of an archive; they are unpacked when they are read. Rejects with DiskError. */
export async function filesOfZip(archive: Blob, what: string): Promise<Files> {
  if (archive.size > MOST.archive)
    throw new DiskError(`${what} has more than ${MOST.archive >> 20} MiB: that is no lesson.`);
  const files = new Files(what);
  const zip = new ZipReader(new BlobReader(archive), {
    // What two programs could read as two different things is refused: names, sizes, lists.
    strictness: "strict",
    filenameValidation: "tolerant", // ours has words for the reader
    checkCrc32: true,
    checkOverlappingEntry: true,
  });
  try {
    for await (const entry of zip.getEntriesGenerator()) {
      files.look();
      const { filename, directory, encrypted, symlink, uncompressedSize, compressedSize } = entry;
      if (directory) files.wants(filename.replace(/\/$/, ""));
      // A link is none of its files, wherever it leads.
      if (directory || symlink) continue;
      files.add(filename, {
        size: uncompressedSize,
        read: async (most) => {
          if (encrypted) throw new DiskError("it is encrypted");
          const least = Math.max(SMALL, compressedSize * RATIO);
          const sink = new Bounded(Math.min(most, least), () =>
            least < most ? "it is packed as no text is" : `it has more than ${most} bytes`,
          );
          if (uncompressedSize > sink.most) throw sink.refused();
          try {
            await entry.getData(sink.stream);
          } catch (error) {
            throw sink.refusal ?? damaged(error);
          }
          return sink.all();
        },
      });
    }
  } catch (error) {
    if (error instanceof DiskError) throw error;
    throw new DiskError(
      `${what} is no zip archive that can be read: ${damaged(error).message}. Make it again, or open the folder.`,
      { cause: error },
    );
  }
  return files;
}

/** Takes what is unpacked until it is more than it may be; then nothing more is unpacked. */
class Bounded {
  readonly most: number;
  readonly #why: () => string;
  readonly #parts: Uint8Array<ArrayBuffer>[] = [];
  #size = 0;
  refusal: DiskError | undefined;
  readonly stream = new WritableStream<Uint8Array<ArrayBuffer>>({
    write: (part) => {
      this.#size += part.length;
      if (this.#size > this.most) throw this.refused();
      this.#parts.push(part);
    },
  });

  constructor(most: number, why: () => string) {
    this.most = most;
    this.#why = why;
  }

  refused(): DiskError {
    return (this.refusal ??= new DiskError(this.#why()));
  }

  async all(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await new Blob(this.#parts).arrayBuffer());
  }
}

function damaged(error: unknown): DiskError {
  const why = messageOf(error);
  return new DiskError(`it is damaged (${quoted(why)})`, { cause: error });
}

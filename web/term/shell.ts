import type { Call } from "../rpc/client.ts";
import type { Completion, ExecParams } from "../rpc/protocol.ts";

/** What runs command lines. */
export interface Shell {
  /** By which the cluster knows it. */
  readonly name: string;
  /** Settles when lines can be run. */
  readonly ready: Promise<void>;
  exec(
    params: Omit<ExecParams, "session" | "line" | "args"> & { line: string },
    on: {
      data(chunk: Uint8Array, stream?: string): Promise<void>;
      raw(on: boolean): void;
      stdin(): void;
      edit: EditFile;
    },
  ): Call<{ code: number }>;
  complete(line: string, cursor: number): Promise<Completion>;
  /** Ends the shell with all that runs in it. */
  close(): void;
}

/** Lets a person edit a file's text; resolves with the new text, or undefined to leave it. */
export type EditFile = (name: string, text: string) => Promise<string | undefined>;

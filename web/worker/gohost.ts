import type { StderrTail } from "./stderr.ts";

/** The class that wasm_exec.js leaves on globalThis (Go's lib/wasm/wasm_exec.js). */
export interface GoRuntime {
  argv: string[];
  env: Record<string, string>;
  exit: (code: number) => void;
  importObject: WebAssembly.Imports;
  /** The program's linear memory; replaced when it grows. */
  mem: DataView;
  /** Lets the program go on until it waits again. */
  _resume(): void;
  /** Resolves when the program has ended. */
  run(instance: WebAssembly.Instance): Promise<void>;
}

/**
 * Puts a `globalThis.fs` in place before wasm_exec.js looks for one. The program's files live in
 * its own memory; all that still comes here is what the runtime writes to descriptors 1 and 2.
 * Standard output goes to the console, standard error there and into `tail`.
 */
export function installStdio(tail: StderrTail): void {
  const stdout = new LineWriter((line) => console.log(line));
  const writeSync = (fd: number, bytes: Uint8Array): number => {
    if (fd === 2) for (const line of tail.write(bytes)) log(line);
    else stdout.write(bytes);
    return bytes.length;
  };
  const enosys = (...args: unknown[]) => {
    const callback = args.at(-1) as (error: Error) => void;
    callback(Object.assign(new Error("not implemented"), { code: "ENOSYS" }));
  };
  const calls: Record<string, unknown> = {
    constants: {
      O_WRONLY: -1,
      O_RDWR: -1,
      O_CREAT: -1,
      O_TRUNC: -1,
      O_APPEND: -1,
      O_EXCL: -1,
      O_DIRECTORY: -1,
    },
    writeSync,
    write(
      fd: number,
      bytes: Uint8Array,
      offset: number,
      length: number,
      _position: number | null,
      callback: (error: Error | null, written: number) => void,
    ) {
      callback(null, writeSync(fd, bytes.subarray(offset, offset + length)));
    },
    fsync: (_fd: number, callback: (error: Error | null) => void) => callback(null),
  };
  const fs = new Proxy(calls, { get: (_calls, name) => calls[String(name)] ?? enosys });
  Object.assign(globalThis, { fs });
}

/** To the console, at the level that klog's first letter says; its chatter is hidden by default. */
function log(line: string): void {
  switch (/^([IWEF])\d{4} /.exec(line)?.[1]) {
    case "I":
      console.debug(line);
      return;
    case "W":
      console.warn(line);
      return;
    case "E":
    case "F":
      console.error(line);
      return;
    default:
      console.info(line);
  }
}

class LineWriter {
  readonly #decoder = new TextDecoder();
  readonly #print: (line: string) => void;
  #open = "";

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  write(bytes: Uint8Array): void {
    const lines = (this.#open + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#open = lines.pop() ?? "";
    for (const line of lines) this.#print(line);
  }
}

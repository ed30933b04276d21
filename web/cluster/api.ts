import type { CallError } from "../rpc/client.ts";
import { clusterFetch } from "../rpc/fetch.ts";
import type { Checkpoint, CheckpointDifference, ExecParams, TraceExport } from "../rpc/protocol.ts";
import type { Cluster } from "./cluster.ts";
import { imagesOf, type Images } from "./images.ts";

/** What the API needs of a cluster. */
type Running = Pick<Cluster, "client" | "ready" | "serving" | "measure">;

/** What a command printed, and how it ended. */
export interface CommandResult {
  /** Exit code, 0 for success. */
  code: number;
  /** All that it printed, as text. */
  stdout: string;
  /** What it printed of errors and warnings. */
  stderr: string;
}

/** How a command is run. Everything has a default. */
export interface CommandOptions {
  /** Standard input; empty when left out. */
  stdin?: string | Uint8Array;
  /** Ends the command. */
  signal?: AbortSignal;
  /**
   * Told what the command prints, as it comes; it is in the result nevertheless. Chunks end where
   * characters do.
   */
  output?: (text: string, stream: "stdout" | "stderr") => void;
  /**
   * The shell in which it runs: commands with the same name share variables and the working
   * directory. The page's terminals have their own.
   */
  session?: string;
}

/** The cluster for scripts: `globalThis.tabernetes` on the page, and what the SDK gives (web/sdk). */
export interface Tabernetes {
  /** Resolves when every part of the cluster has started, rejects when it cannot start. */
  readonly ready: Promise<void>;
  /**
   * Runs one line in the page's shell, once the cluster is ready. A line that does not begin
   * with `kubectl` or `k` is taken as kubectl's arguments: `kubectl("get pods")` and
   * `kubectl("kubectl get pods")` do the same. Quotes, pipes, `&&` and heredocs work as in a
   * shell. A command that fails resolves with its exit code; it rejects only when the cluster
   * is gone or `signal` was aborted. A list is kubectl's arguments, each taken as it is, without
   * any shell: `kubectl(["describe", `pod/${name}`])`.
   */
  kubectl(line: string | readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Runs any shell line: `shell("cat <<EOF | kubectl apply -f - …")`. Else like `kubectl`. */
  shell(line: string, options?: CommandOptions): Promise<CommandResult>;
  /**
   * `fetch` against the apiserver as cluster admin, once the API answers. `path` begins with
   * "/". Bodies stream both ways, `init.signal` ends a request or a watch.
   */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Ends the shell of that name, with what runs in it. There can be 64 shells: whoever uses a name
   * of its own closes it when it is done.
   */
  close(session: string): Promise<void>;
  /**
   * What the cluster did, step by step, as far as it is held: all of it, or what the step of that
   * number caused.
   */
  trace(id?: number): Promise<TraceExport>;
  /** The images that in-tab nodes have besides their own. */
  readonly images: Images;
  /**
   * Remembers what the cluster holds now, under a name for people. `of` is what it is a step of, such as
   * a lesson: of each step the latest is remembered, 50 of them at most, and no other goes for them.
   */
  checkpoint(why?: string, of?: string): Promise<Checkpoint>;
  /**
   * What is remembered, the oldest first: one before each command that may have changed something,
   * before what the page's views deleted or applied, and those that were asked for. What `fetch` writes
   * takes none. The oldest go when there are many, those that nobody asked for first.
   */
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** What going back to one would change; nothing is touched. */
  compare(id: number): Promise<CheckpointDifference>;
  /**
   * Goes back to one: what was deleted since comes back, what was changed is as it was, what came
   * later goes. Containers begin anew. What there was before is remembered, too.
   */
  restore(id: number): Promise<CheckpointDifference>;
}

export function createApi(cluster: Running): Tabernetes {
  const exec = async (what: What, options: CommandOptions = {}): Promise<CommandResult> => {
    await cluster.ready;
    return run(cluster, what, options);
  };
  return {
    ready: cluster.ready,
    images: imagesOf(cluster),
    shell: (line, options) => exec({ line }, options),
    kubectl: (line, options) =>
      exec(
        typeof line === "string" ? { line: asKubectl(line) } : { args: ["kubectl", ...line] },
        options,
      ),
    close: async (session) => {
      await cluster.ready;
      await cluster.client.call("close", { session }).result;
    },
    checkpoint: async (why = "asked for", of?: string) => {
      await cluster.serving;
      return cluster.client.call("takeCheckpoint", { why, ...(of ? { of } : {}) }).result;
    },
    checkpoints: async () => {
      await cluster.serving;
      return (await cluster.client.call("checkpoints", {}).result).checkpoints;
    },
    compare: async (id) => {
      await cluster.serving;
      return cluster.client.call("compareCheckpoint", { id }).result;
    },
    restore: async (id) => {
      await cluster.serving;
      return cluster.client.call("restoreCheckpoint", { id }).result;
    },
    trace: async (id) => {
      const text = new Collected();
      const call = cluster.client.call("export", id === undefined ? {} : { id }, {
        data: (chunk) => {
          text.add(chunk);
          return undefined;
        },
      });
      await call.result;
      return JSON.parse(text.text()) as TraceExport;
    },
    fetch: async (path, init) => {
      await cluster.serving;
      return clusterFetch(cluster.client, path, init);
    },
  };
}

/** Puts `kubectl` before a line that is only its arguments. */
export function asKubectl(line: string): string {
  if (/^\s*(kubectl|k)(\s|$)/.test(line)) return line;
  // What is given is a line already: whoever put it together has quoted it, or gives a list.
  // eslint-disable-next-line no-restricted-syntax
  return `kubectl ${line}`;
}

/** What is run: a line in the shell, or a program with its arguments. */
type What = Pick<ExecParams, "line" | "args">;

async function run(cluster: Running, what: What, options: CommandOptions): Promise<CommandResult> {
  options.signal?.throwIfAborted();
  const output = { stdout: new Collected(), stderr: new Collected() };
  const call = cluster.client.call(
    "exec",
    { ...what, session: options.session ?? "api", tty: false, cols: 80, rows: 24 },
    {
      data: (chunk, stream) => {
        const name = stream === "stderr" ? "stderr" : "stdout";
        const text = output[name].add(chunk);
        if (text !== "") options.output?.(text, name);
        return undefined;
      },
    },
  );
  const abort = () => call.cancel();
  options.signal?.addEventListener("abort", abort, { once: true });
  if (options.stdin !== undefined) {
    const { stdin } = options;
    call.send(typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin);
  }
  call.end();
  try {
    const { code } = await call.result;
    options.signal?.throwIfAborted();
    return { code, stdout: output.stdout.text(), stderr: output.stderr.text() };
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error as CallError;
  } finally {
    options.signal?.removeEventListener("abort", abort);
  }
}

class Collected {
  readonly #decoder = new TextDecoder();
  #text = "";

  /** Returns the text that came with the chunk. */
  add(chunk: Uint8Array): string {
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#text += text;
    return text;
  }

  text(): string {
    return this.#text + this.#decoder.decode();
  }
}

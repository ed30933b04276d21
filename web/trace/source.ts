import type { TraceKind } from "../rpc/protocol.ts";

/** A line of upstream's source. */
export interface Source {
  readonly url: string;
  /** "pkg/scheduler/schedule_one.go:812"; the address itself if it is of no file. */
  readonly place: string;
}

/** Where upstream does what a step tells; undefined if no line does. */
export function sourceOf({ url }: Pick<TraceKind, "url">): Source | undefined {
  // It is the module's own word; it leads to one place all the same.
  if (!url.startsWith("https://github.com/")) return undefined;
  const [, file = "", line = ""] = /\/blob\/[^/]+\/(.*)#L(\d+)$/.exec(url) ?? [];
  return { url, place: file ? `${file}:${line}` : url };
}

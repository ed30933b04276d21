/*
 * What the frame of containers (frame.ts) says, and is told. It shares a process with the modules of containers, so it
 * is believed no more than they are: what comes from it is read by `checked` and `measured` only.
 */
import type { MeasuredContainers } from "../rpc/protocol.ts";

/** What the frame says to the page once it is there; its process is one of its own. */
export const HELLO = "tabernetes-containers";
/** The same where it can measure what its Workers hold. */
export const HELLO_MEASURES = "tabernetes-containers-measures";

/** The page's one message to the frame's window, with two ports: the cluster's, and that of the page's questions. */
export interface Told {
  /** The script of a container's Worker, and the mark by which those of this cluster are known (measure.ts). */
  script: string;
  mark: string;
}

/** What the cluster's Worker says. With `begin` comes the port by which the container's Worker speaks. */
export type ToFrame =
  | { type: "begin"; number: number; module: string }
  | { type: "end"; number: number }
  | { type: "ping"; number: number };

export type FromFrame =
  /** The Worker was begun; not where the module's host lets this origin not read it. */
  | { type: "begun"; number: number; begun: boolean }
  /** The Worker ended, with what the browser says of it. */
  | { type: "failed"; number: number; message: string }
  | { type: "pong"; number: number };

/** A message of the frame's, with what may be said and no more; undefined if it is none. */
export function checked(data: unknown): FromFrame | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { type, number, begun, message } = data as Record<string, unknown>;
  if (!isCount(number)) return undefined;
  switch (type) {
    case "begun":
      return typeof begun === "boolean" ? { type, number, begun } : undefined;
    case "failed":
      return typeof message === "string"
        ? { type, number, message: message.slice(0, 300) }
        : undefined;
    case "pong":
      return { type, number };
    default:
      return undefined;
  }
}

/** More than there are Workers at once (core/node/image/defined). */
const MOST_WORKERS = 64;

/** What the frame has measured; nothing if it is no such list. */
export function measured(data: unknown): MeasuredContainers["workers"] {
  if (!Array.isArray(data) || data.length > MOST_WORKERS) return [];
  return data.flatMap((one: unknown) => {
    const { number, bytes } = (one ?? {}) as Record<string, unknown>;
    return isCount(number) && isCount(bytes) ? [{ number, bytes }] : [];
  });
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

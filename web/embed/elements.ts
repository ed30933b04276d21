/*
 * Elements for somebody else's page: `<tabernetes-cluster>`, `<tabernetes-terminal>` and
 * `<tabernetes-lesson>`. Importing this
 * registers them. docs/embedding.md tells how.
 */
import { ClusterElement } from "./cluster-element.ts";

export { ClusterElement };
export * from "../sdk/index.ts";

/** `<tabernetes-terminal>` (terminal-element.ts, which is loaded by itself). */
export interface TerminalElement extends HTMLElement {
  /** Starts the cluster, if need be, and opens the terminal. */
  start(): Promise<void>;
  /** Everything that the terminal shows. */
  text(): string;
}

/** `<tabernetes-lesson>` (lesson-element.ts, which is loaded by itself). */
export interface LessonElement extends HTMLElement {
  /** The address of the lesson's folder. */
  src: string | null;
  /** The steps, and which of them are done; the event "progress" says that it changed. */
  readonly progress: { title: string; done: boolean }[];
}

declare global {
  interface HTMLElementEventMap {
    /** Of `<tabernetes-terminal>`: how far it is. */
    "tabernetes-state": CustomEvent<"waiting" | "starting" | "ready" | "failed">;
  }
  interface HTMLElementTagNameMap {
    "tabernetes-cluster": ClusterElement;
    "tabernetes-lesson": LessonElement;
    "tabernetes-terminal": TerminalElement;
  }
}

import("./terminal-element.ts").catch(reportError);
import("./lesson-element.ts").catch(reportError);

/*
 * Elements for somebody else's page: `<tabernetes-cluster>`, `<tabernetes-terminal>`,
 * `<tabernetes-map>`, `<tabernetes-objects>`, `<tabernetes-guide>` and `<tabernetes-lesson>`. Importing this registers them. docs/embedding.md tells
 * how.
 */
import type { OverCluster, TerminalElement } from "../sdk/terminal.ts";
import { ClusterElement } from "./cluster-element.ts";

export { ClusterElement };
export * from "../sdk/index.ts";

/** `<tabernetes-lesson>` (lesson-element.ts, which is loaded by itself). */
export interface LessonElement extends HTMLElement, OverCluster {
  /** The address of the lesson's folder. */
  src: string | null;
  /** How far somebody was, as `linkTo` was given it: the reader is asked whether to go on from there. */
  from: string | null;
  /** Makes a link to the lesson of what `from` takes; with it the reader can have one. */
  linkTo: ((from: string) => string) | undefined;
  /** The steps, and which of them are done; the event "progress" says that it changed. */
  readonly progress: { title: string; done: boolean }[];
}

/** `<tabernetes-map>`, `<tabernetes-objects>` and `<tabernetes-guide>` (view-element.ts, which is loaded by itself). */
export interface ViewElement extends HTMLElement, OverCluster {
  /** Starts the cluster, if need be, and opens the view. */
  start(): Promise<void>;
}

/** What the reader has chosen in a view. */
export interface Selected {
  /** As kubectl names one of it. */
  kind: string;
  /** Its name in the cluster. */
  name: string;
  /** Absent for what is in no namespace. */
  namespace?: string;
}

declare global {
  interface HTMLElementEventMap {
    /** Of a view: what the reader has chosen; null for nothing any more. */
    "tabernetes-select": CustomEvent<Selected | null>;
    /** Of `<tabernetes-terminal>`, `<tabernetes-lesson>` and views: how far it is. */
    "tabernetes-state": CustomEvent<"waiting" | "starting" | "ready" | "failed">;
  }
  interface HTMLElementTagNameMap {
    "tabernetes-cluster": ClusterElement;
    "tabernetes-guide": ViewElement;
    "tabernetes-lesson": LessonElement;
    "tabernetes-map": ViewElement;
    "tabernetes-objects": ViewElement;
    "tabernetes-terminal": TerminalElement;
  }
}

import("./guide-element.ts").catch(reportError);
import("./map-element.ts").catch(reportError);
import("./objects-element.ts").catch(reportError);
import("./terminal-element.ts").catch(reportError);
import("./lesson-element.ts").catch(reportError);

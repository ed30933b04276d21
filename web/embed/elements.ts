/*
 * Elements for somebody else's page: `<tabernetes-cluster>` and `<tabernetes-terminal>`. Importing this
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

declare global {
  interface HTMLElementTagNameMap {
    "tabernetes-cluster": ClusterElement;
    "tabernetes-terminal": TerminalElement;
  }
}

import("./terminal-element.ts").catch(reportError);

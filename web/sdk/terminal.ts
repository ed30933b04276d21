import type { EmbeddedCluster } from "./create.ts";

/** An element that stands over a cluster. */
export interface OverCluster {
  /** A cluster that there is already; it counts before the attribute `for` and the element around. */
  cluster: EmbeddedCluster | undefined;
}

/** `<tabernetes-terminal>` (web/embed/terminal-element.ts, which is loaded by itself). */
export interface TerminalElement extends HTMLElement, OverCluster {
  /** Starts the cluster, if need be, and opens the terminal. */
  start(): Promise<void>;
  /** Everything that the terminal shows. */
  text(): string;
}

/** How a terminal looks. */
export interface TerminalOptions {
  /** Pixels: 9 to 28, by default 13. */
  fontSize?: number;
  /** By default as the page around it is. */
  theme?: "light" | "dark";
}

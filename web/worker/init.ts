import type { ClusterConfig } from "../rpc/protocol.ts";
import type { Loaded } from "./load.ts";

/** The one message the page sends to the Worker itself; everything later goes over `port`. */
export interface WorkerInit {
  port: MessagePort;
  config: ClusterConfig;
  /** Absolute URL of assets/manifest.json. */
  manifestUrl: string;
  /** What another cluster of the page has loaded already. */
  loaded?: Loaded;
  /** Whether the page wants what this one loads: it gets one `Loaded` as the Worker's own message. */
  share?: boolean;
}

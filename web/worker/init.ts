import type { ClusterConfig } from "../rpc/protocol.ts";

/** The one message the page sends to the Worker itself; everything later goes over `port`. */
export interface WorkerInit {
  port: MessagePort;
  config: ClusterConfig;
  /** Absolute URL of assets/manifest.json. */
  manifestUrl: string;
}

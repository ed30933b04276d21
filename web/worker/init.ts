import type { ClusterConfig } from "../rpc/protocol.ts";
import type { Loaded } from "./load.ts";

/**
 * The first message the page sends to the Worker itself. What it says later goes over `port`, but for
 * a WorkerOrder.
 */
export interface WorkerInit {
  port: MessagePort;
  config: ClusterConfig;
  /** Absolute URL of assets/manifest.json. */
  manifestUrl: string;
  /** Absolute URL of the script of containers' Workers, to which a container's number is appended (web/cluster/measure.ts). */
  containerUrl: string;
  /** Where to ask for the frame in which they are begun (web/worker/containers.ts); absent where there is none. */
  containers?: MessagePort;
  /** Absolute URL of the script of the Worker that writes an image of the cluster's memory. */
  imageUrl: string;
  /** What another cluster of the page has loaded already. */
  loaded?: Loaded;
  /** Whether the page wants what this one loads: it gets one `Loaded` as the Worker's own message. */
  share?: boolean;
}

/** Whether the program may go on: asleep, its timers wait and its monotonic clock stands still. */
export type WorkerOrder = "sleep" | "wake";

/* The tunnel to a hub. Part of web/rpc/protocol.ts. */

export interface AttachParams {
  /** The hub's WebSocket. */
  url: string;
  /** The hub's pairing secret. */
  secret: string;
  /** What the cluster wants to be called; empty leaves it to the hub. */
  name: string;
  /** A random text by which the hub knows this tab again. */
  instance: string;
}

/** What the worker tells of the tunnel. */
export type AttachEvent =
  | {
      type: "state";
      up?: boolean;
      name?: string;
      serverName?: string;
      addresses?: string[];
      certHash?: string;
      error?: string;
    }
  /** Somebody asks for access; `code` is what the asker's terminal shows, too. */
  | { type: "ask"; id: number; user: string; code: string }
  /** Nobody waits for that answer any more. */
  | { type: "withdrawn"; id: number };

export type AttachOrder =
  | { type: "answer"; id: number; agree: boolean }
  /** The network may have changed: see whether the tunnel is alive. */
  | { type: "nudge" };

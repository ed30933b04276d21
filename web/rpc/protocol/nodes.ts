/* In-tab nodes that come and go, and machines that are invited. Part of web/rpc/protocol.ts. */

export interface NodesParams {
  action: "list" | "add" | "stop" | "shutdown" | "heal" | "remove";
  /** The node's, but for "list" and "add". */
  name?: string;
  /** Whole cores and MiB of a node to be added; 0 or none: as the others have. */
  cpu?: number;
  memory?: number;
  /** MiB, too. */
  disk?: number;
}

export type InTabState = "running" | "shutting down" | "stopped";

export interface NodesResult {
  /** The node's that was added. */
  name?: string;
  nodes: { name: string; state: InTabState }[];
}

/** The hub's URL as the machine sees it, and the cluster's name there. */
export interface InviteParams {
  hub: string;
  cluster: string;
  /** The pin of the hub's certificate; empty if none is needed. */
  certHash: string;
}

export interface InviteResult {
  /** "id.secret", good until `expires` (RFC 3339). */
  token: string;
  expires: string;
  /** "sha256:…" of the cluster CA's public key. */
  caHash: string;
  /** What the machine's administrator runs. */
  line: string;
}

/* HTTP requests and WebSockets to an address of the cluster, from outside of it. Part of web/rpc/protocol.ts. */

export interface VisitParams {
  /** "IP:port": a Service's, a node port, an Ingress', a pod's. */
  address: string;
  /** TLS with `host` as the server's name, whatever its certificate is. */
  tls: boolean;
  /** The header Host. */
  host: string;
  method: string;
  /** Path and query, beginning with "/". */
  path: string;
  /** Those of the connection are left out: Host, Content-Length, Upgrade, …. */
  headers: [string, string][];
  /** True when body chunks follow as `data`, closed by `end`. */
  body: boolean;
}

/**
 * Where the connection ended, before the head; or why there is no answer, before the error: nobody
 * serves there ("refused"), nothing would be heard ("dropped": a policy), nothing was heard in time
 * ("late"), the node is stopped or there is none ("stopped"), the connection broke ("broken").
 */
export type VisitEvent = { endpoint: string } | { failed: VisitFailure };

export type VisitFailure = "refused" | "dropped" | "late" | "stopped" | "broken";

export interface VisitSocketParams {
  /** "IP:port", `tls` and `host` as of VisitParams. */
  address: string;
  tls: boolean;
  host: string;
  /** Path and query, beginning with "/". */
  path: string;
  /** The header Origin. */
  origin: string;
  /** Subprotocols that it speaks. */
  protocols: string[];
}

/** As of a visit, and how many bytes of a message have gone. */
export type VisitSocketEvent = VisitEvent | { took: number };

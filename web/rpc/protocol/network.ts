/* The way of a packet between two pods. Part of web/rpc/protocol.ts. */

export interface PacketPathParams {
  from: PodName;
  to: PodName;
}

export interface PodName {
  namespace: string;
  name: string;
}

export interface PacketPath {
  hops: Hop[];
  /** Whether there is such a way. */
  arrives: boolean;
  /** The smallest on the way, in bytes; none if there are no packets. */
  mtu?: number;
  subnets: Subnet[];
}

/** A place that what one pod sends to another comes through. */
export interface Hop {
  /** Where it is: "pod default/a", "node-1". */
  at: string;
  /** What takes it there: "eth0", "bridge", "vxlan", "in-tab dialer". */
  by: string;
  /** That of the place. */
  address?: string;
  /** The largest packet in bytes; none where there are no packets. */
  mtu?: number;
  /** Why it goes this way, or not at all. */
  why?: string;
}

/** A node's range of pod addresses. */
export interface Subnet {
  node: string;
  pods: string;
  inTab: boolean;
}

/** Which addresses have answered of late, and how many connections each. */
export interface AnsweredEvent {
  endpoints: Record<string, number>;
}

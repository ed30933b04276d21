import { byName } from "./order.ts";
import type { KubeObject } from "./types.ts";

/** discovery.k8s.io/v1 EndpointSlice, as far as it is shown. */
export interface EndpointSlice extends KubeObject {
  endpoints?:
    | {
        addresses?: string[];
        conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
        nodeName?: string;
        targetRef?: { kind?: string; name?: string; namespace?: string; uid?: string };
      }[]
    | null;
  ports?: { name?: string; port?: number; protocol?: string }[] | null;
}

/** Where a Service's traffic goes: one address, as its EndpointSlices have it. */
export interface Endpoint {
  /** "10.244.0.5:80", with each port. */
  address: string;
  /** Unset counts as ready, as the API says (EndpointConditions). */
  ready: boolean;
  terminating: boolean;
  nodeName: string;
  /** What serves there, a pod mostly. */
  target: { kind: string; name: string; namespace: string; uid: string } | undefined;
}

/** Endpoints of slices, in the order of their addresses. */
export function endpointsOf(slices: Iterable<EndpointSlice>): Endpoint[] {
  const found: Endpoint[] = [];
  for (const { endpoints, ports, metadata } of slices) {
    const suffix = (ports ?? []).map(({ port }) => port).filter((port) => port !== undefined);
    for (const { addresses, conditions, nodeName, targetRef } of endpoints ?? []) {
      const [address = ""] = addresses ?? [];
      const target = targetRef?.kind && targetRef.name ? targetRef : undefined;
      found.push({
        address: suffix.length > 0 ? `${address}:${suffix.join(",")}` : address,
        ready: conditions?.ready ?? true,
        terminating: conditions?.terminating ?? false,
        nodeName: nodeName ?? "",
        target: target && {
          kind: target.kind ?? "",
          name: target.name ?? "",
          namespace: target.namespace ?? metadata.namespace ?? "",
          uid: target.uid ?? "",
        },
      });
    }
  }
  return found.sort((a, b) => byName(a.address, b.address));
}

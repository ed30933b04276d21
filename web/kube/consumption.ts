import type { Fetch } from "./reflector.ts";
import { ask } from "./request.ts";

/** What a node's kubelet measures; undefined where it measures nothing, as in the tab. */
export interface Consumption {
  /** Cores, averaged by the kubelet over its last seconds. */
  cpu: number | undefined;
  /** Bytes of the working set. */
  memory: number | undefined;
  /** Bytes that the kubelet's file system holds. */
  disk: number | undefined;
}

/** The part of a kubelet's Summary (k8s.io/kubelet/pkg/apis/stats/v1alpha1) that is read. */
export interface Summary {
  node?: {
    cpu?: { usageNanoCores?: number };
    memory?: { workingSetBytes?: number };
    fs?: { usedBytes?: number };
  };
}

/** In-tab programs share one thread and one heap: their kubelets say 0, which is no measurement. */
export function consumptionOf({ node }: Summary): Consumption {
  const cpu = node?.cpu?.usageNanoCores ?? 0;
  const memory = node?.memory?.workingSetBytes ?? 0;
  return {
    cpu: cpu > 0 ? cpu / 1e9 : undefined,
    memory: memory > 0 ? memory : undefined,
    disk: node?.fs?.usedBytes,
  };
}

/** How many nodes are asked: of a cluster with more, the first. */
const MOST = 20;

/** Asks kubelets, one after the other, through the apiserver. One that does not answer is left out. */
export async function askKubelets(
  fetch: Fetch,
  names: readonly string[],
): Promise<ReadonlyMap<string, Consumption>> {
  const found = new Map<string, Consumption>();
  for (const name of names.slice(0, MOST)) {
    try {
      const path = `/api/v1/nodes/${name}/proxy/stats/summary`;
      const response = await ask(fetch, path, { signal: AbortSignal.timeout(5000) });
      found.set(name, consumptionOf((await response.json()) as Summary));
    } catch {
      // Stopped, or on its way: the node's own status says so.
    }
  }
  return found;
}

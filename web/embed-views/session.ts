import type { Cluster } from "../cluster/cluster.ts";
import { clusterBehind, type EmbeddedCluster } from "../sdk/create.ts";
import { Session } from "../session/session.ts";
import type { Disposable } from "../state/disposable.ts";

interface Joined {
  readonly session: Session;
  views: number;
  /** How many of them show what kubelets measure. */
  measuring: number;
}

const sessions = new Map<Cluster, Joined>();

/**
 * What is known of a cluster, once for all views over it; it is forgotten when the last of them is disposed
 * of. `measures`: this one shows what kubelets measure.
 */
export function joinSession(
  embedded: EmbeddedCluster,
  measures = false,
): Disposable & { readonly session: Session } {
  const cluster = clusterBehind(embedded);
  const joined = sessions.get(cluster) ?? begin(cluster);
  joined.views++;
  if (measures) joined.measuring++;
  let left = false;
  return {
    session: joined.session,
    dispose: () => {
      if (left) return;
      left = true;
      if (measures) joined.measuring--;
      if (--joined.views > 0) return;
      sessions.delete(cluster);
      joined.session.dispose();
    },
  };
}

function begin(cluster: Cluster): Joined {
  const joined = { session: new Session(cluster), views: 0, measuring: 0 };
  joined.session.measurements.interest = () =>
    document.hidden || cluster.asleep || joined.measuring === 0 ? "none" : "measuring";
  sessions.set(cluster, joined);
  return joined;
}

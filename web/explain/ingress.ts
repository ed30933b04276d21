import { sh } from "../kube/shell-line.ts";
import type { KubeObject } from "../kube/types.ts";
import { eventsOf, lastEvent, named, record } from "./about.ts";
import type { Around, Explanation } from "./types.ts";
import { sentence, told } from "./words.ts";

/** Why an Ingress has no address: nobody serves its class, or has served it yet. */
export function explainIngress(ingress: KubeObject, around: Around): Explanation | undefined {
  const { ingress: addresses } = record(record(record(ingress).status).loadBalancer);
  if (Array.isArray(addresses) && addresses.length > 0) return undefined;
  const { ingressClassName } = record(record(ingress).spec);
  const className = told(
    ingressClassName ?? ingress.metadata.annotations?.["kubernetes.io/ingress.class"],
    80,
  );
  if (lastEvent(eventsOf(ingress, around), "NoIngressClass")) {
    const why = className ? `there is no IngressClass “${className}”` : "it has no class";
    return {
      state: "failing",
      sentence: sentence(`${why}, so nobody serves it`),
      line: "kubectl get ingressclass",
    };
  }
  const whose = className ? `the controller of its class “${className}”` : "a controller";
  return {
    state: "pending",
    sentence: sentence(`${whose} has not given it an address yet`),
    line: sh`kubectl describe ingress ${named(ingress)}`,
  };
}

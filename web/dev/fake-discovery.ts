import type { AggregatedDiscovery } from "../kube/discovery.ts";

/** What the fake serves, in the shape and the words of v1.36's aggregated discovery. */
export const CORE: AggregatedDiscovery = {
  items: [
    {
      metadata: {},
      versions: [
        {
          version: "v1",
          resources: [
            resource("configmaps", "ConfigMap", ["cm"]),
            resource("events", "Event", ["ev"]),
            resource("namespaces", "Namespace", ["ns"], "Cluster"),
            resource("nodes", "Node", ["no"], "Cluster"),
            resource("pods", "Pod", ["po"]),
            resource("services", "Service", ["svc"]),
          ],
        },
      ],
    },
  ],
};

export const GROUPS: AggregatedDiscovery = {
  items: [
    {
      metadata: { name: "discovery.k8s.io" },
      versions: [{ version: "v1", resources: [resource("endpointslices", "EndpointSlice", [])] }],
    },
  ],
};

function resource(
  name: string,
  kind: string,
  shortNames: string[],
  scope: "Namespaced" | "Cluster" = "Namespaced",
) {
  return {
    resource: name,
    responseKind: { kind },
    scope,
    singularResource: kind.toLowerCase(),
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    shortNames,
  };
}

import type { ApiPlace } from "./apipath.ts";

/** The object the inspector shows. */
export interface Selection {
  /** As kubectl names one of it: "pod", "node". */
  kind: string;
  name: string;
  /** Absent for what is in no namespace. */
  namespace?: string;
  /** Empty until the object has been read. */
  uid: string;
  /** Where it is in the API; pods and nodes need not say. */
  place?: ApiPlace;
}

/** Where a selected object is in the API. */
export function selectedPlace({ kind, name, namespace, place }: Selection): ApiPlace {
  if (place) return place;
  const resource = kind === "node" ? "nodes" : "pods";
  return { group: "", version: "v1", resource, ...(namespace ? { namespace } : {}), name };
}

export interface Command {
  /** What it is for, as a verb. */
  verb: string;
  line: string;
  /** True when it changes or deletes something: the page types it but does not run it. */
  mutates?: boolean;
}

/** The kubectl commands for an object; the namespace is named only when it must be. */
export function commandsFor({ kind, name, namespace }: Selection): Command[] {
  const inNamespace = namespace && namespace !== "default" ? ` -n ${namespace}` : "";
  if (kind === "node") {
    return [
      { verb: "Describe", line: `kubectl describe node ${name}` },
      { verb: "List its pods", line: `kubectl get pods -A --field-selector spec.nodeName=${name}` },
      { verb: "Cordon", line: `kubectl cordon ${name}`, mutates: true },
    ];
  }
  return [
    { verb: "Describe", line: `kubectl describe pod ${name}${inNamespace}` },
    { verb: "Logs", line: `kubectl logs ${name}${inNamespace}` },
    { verb: "YAML", line: `kubectl get pod ${name}${inNamespace} -o yaml` },
    { verb: "Delete", line: `kubectl delete pod ${name}${inNamespace}`, mutates: true },
  ];
}

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

/**
 * The kubectl commands for an object; the namespace is named only when it must be. `argument` is
 * how kubectl names it, where that is more than kind and name.
 */
export function commandsFor(
  { kind, name, namespace }: Selection,
  argument = `${kind} ${name}${namespace && namespace !== "default" ? ` -n ${namespace}` : ""}`,
): Command[] {
  const isPod = /^pod[ /]/.test(argument);
  const common: Command[] = [{ verb: "Describe", line: `kubectl describe ${argument}` }];
  if (/^node[ /]/.test(argument)) {
    return [
      ...common,
      { verb: "List its pods", line: `kubectl get pods -A --field-selector spec.nodeName=${name}` },
      { verb: "Cordon", line: `kubectl cordon ${name}`, mutates: true },
    ];
  }
  if (isPod)
    common.push({ verb: "Logs", line: `kubectl logs ${argument.replace(/^pod[ /]/, "")}` });
  return [
    ...common,
    { verb: "YAML", line: `kubectl get ${argument} -o yaml` },
    { verb: "Delete", line: `kubectl delete ${argument}`, mutates: true },
  ];
}

import type { ApiPlace } from "./apipath.ts";
import { fieldSelector } from "./fields.ts";
import { inNamespace } from "./kubectl.ts";
import { sh } from "./shell-line.ts";

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
 * The kubectl commands for an object. `args` is how kubectl names it (kubectlArguments), where that
 * is more than kind and name.
 */
export function commandsFor(
  { kind, name, namespace }: Selection,
  args: readonly string[] = [kind, name, ...inNamespace(namespace)],
): Command[] {
  const is = (what: string) => args[0] === what || args[0] === `${what}/${name}`;
  const common: Command[] = [{ verb: "Describe", line: sh`kubectl describe ${args}` }];
  if (is("node")) {
    const selector = fieldSelector({ "spec.nodeName": name });
    return [
      ...common,
      { verb: "List its pods", line: sh`kubectl get pods -A --field-selector ${selector}` },
      { verb: "Cordon", line: sh`kubectl cordon ${name}`, mutates: true },
    ];
  }
  if (is("pod")) {
    common.push({ verb: "Logs", line: sh`kubectl logs ${[name, ...inNamespace(namespace)]}` });
  }
  return [
    ...common,
    { verb: "YAML", line: sh`kubectl get ${args} -o yaml` },
    { verb: "Delete", line: sh`kubectl delete ${args}`, mutates: true },
  ];
}

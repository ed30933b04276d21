/** The object the inspector shows. */
export interface Selection {
  kind: "pod" | "node";
  name: string;
  /** Pods only. */
  namespace?: string;
  uid: string;
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

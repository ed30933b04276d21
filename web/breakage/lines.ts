import { quote, sh } from "../kube/shell-line.ts";
import type { Riddle, Scenario } from "./table.ts";

/** The namespace in which a scenario, or a riddle, happens. */
export function namespaceOf(one: Scenario | Riddle): string {
  return `${"see" in one ? "broken" : "riddle"}-${one.name}`;
}

/** Whether it harms a node, which must be chosen then. */
export function needsNode({ break: lines }: Scenario): boolean {
  return lines.some((line) => line.includes(NODE));
}

const NODE = "{{node}}";

/** The lines that break it, as they are typed. `node` is the one that may be harmed. */
export function breakLines(one: Scenario | Riddle, node = ""): string[] {
  return [sh`kubectl create namespace ${namespaceOf(one)}`, ...one.break.map(naming(node))];
}

/** What is done to nodes before it is broken, after that, before it is mended, and after it is cleaned up: as lines. */
export function nodeLines({ unplug, disk }: Scenario, node: string) {
  return {
    first: disk ? [sh`minikube node add --disk-size=${disk}m`] : [],
    broken: unplug ? [sh`minikube node stop ${node}`] : [],
    mending: unplug ? [sh`minikube node start ${node}`] : [],
    last: disk ? [sh`minikube node delete ${node}`] : [],
  };
}

/** The lines that mend it. */
export function mendLines({ mend }: Scenario, node = ""): string[] {
  return mend.map(naming(node));
}

/** The lines that leave nothing of it. */
export function cleanLines(one: Scenario | Riddle, node = ""): string[] {
  const own = "clean" in one ? one.clean.map(naming(node)) : [];
  return [...own, sh`kubectl delete namespace ${namespaceOf(one)} --wait=false`];
}

/** Puts a node's name into lines; it is the API's word, and quoted where it needs to be. */
function naming(node: string): (line: string) => string {
  // Inside of a YAML string a quoted word would be another one: such a name breaks nothing.
  const word = quote(node) === node ? node : "";
  return (line) => line.replaceAll(NODE, word);
}

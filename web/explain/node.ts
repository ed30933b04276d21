import { age } from "../kube/age.ts";
import { conditionsOf } from "../kube/conditions.ts";
import { fieldSelector } from "../kube/fields.ts";
import { sh } from "../kube/shell-line.ts";
import type { KubeObject } from "../kube/types.ts";
import { record } from "./about.ts";
import type { Around, Explanation } from "./types.ts";
import { sentence, told } from "./words.ts";

/** What a node is short of, by its condition. */
const SHORT: Record<string, string> = {
  MemoryPressure: "memory",
  DiskPressure: "disk",
  PIDPressure: "process IDs",
};

/** Why a node takes no pods, or loses those that it has. */
export function explainNode(node: KubeObject, { now }: Around): Explanation | undefined {
  const { name } = node.metadata;
  const conditions = conditionsOf(node);
  const ready = conditions.find(({ type }) => type === "Ready");
  const line = sh`kubectl describe node ${name}`;
  if (ready?.status === "Unknown") {
    const since = age(ready.lastTransitionTime, now);
    const pods = fieldSelector({ "spec.nodeName": name });
    return {
      state: "failing",
      sentence: sentence(
        `its kubelet has not answered for ${since}: its pods count as not ready, and are evicted when their tolerations end (5m, if they do not say)`,
      ),
      line: sh`kubectl get pods -A -o wide --field-selector ${pods}`,
    };
  }
  if (ready?.status === "False") {
    return {
      state: "failing",
      sentence: sentence(`it is not ready: ${told(ready.message) || told(ready.reason, 60)}`),
      line,
    };
  }
  const short = conditions.filter(
    ({ type, status }) => status === "True" && Object.hasOwn(SHORT, type),
  );
  const [first] = short;
  if (first) {
    const what = short.map(({ type }) => SHORT[type] ?? "").join(" and ");
    return {
      state: "failing",
      sentence: sentence(
        `it is short of ${what}: it takes no more pods, and its kubelet evicts some`,
      ),
      line,
    };
  }
  if (record(record(node).spec).unschedulable !== true) return undefined;
  return {
    state: "cordoned",
    sentence: sentence("it is cordoned: no further pods are placed on it"),
    line: sh`kubectl uncordon ${name}`,
  };
}

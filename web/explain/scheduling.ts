import { inNamespace } from "../kube/kubectl.ts";
import { sh } from "../kube/shell-line.ts";
import type { Condition, KubeObject } from "../kube/types.ts";
import { named, record } from "./about.ts";
import type { Explanation } from "./types.ts";
import { listed, sentence, told } from "./words.ts";

/** What a reason of the scheduler means, and where one looks further. */
interface Meaning {
  readonly words: string;
  readonly line: string;
}

/** Characters of the scheduler's message that are read. */
const READ = 2000;

/**
 * Why no node takes a pod, from its condition PodScheduled: "0/3 nodes are available: 2 Insufficient cpu,
 * 1 node(s) were unschedulable. …" (pkg/scheduler/framework/types.go, FitError).
 */
export function unscheduled(pod: KubeObject, condition: Condition): Explanation {
  const message = (condition.message ?? "").slice(0, READ);
  const describe = sh`kubectl describe pod ${named(pod)}`;
  if (condition.reason === "SchedulingGated") {
    const gates = listed(gatesOf(pod).map((gate) => told(gate, 80)));
    return {
      state: "pending",
      sentence: sentence(
        `it is held back by the scheduling ${gates.includes(" and ") ? "gates" : "gate"} ${gates}, until whoever put it there takes it away`,
      ),
      line: describe,
    };
  }
  const missing = /\bpersistentvolumeclaim "([^"]+)" not found/.exec(message)?.[1];
  if (missing !== undefined) {
    return {
      state: "pending",
      sentence: sentence(
        `the scheduler waits for the claim “${told(missing, 80)}”, which is not there`,
      ),
      line: claims(pod),
    };
  }
  const [, of = "", reasons = ""] = /^0\/(\d+) nodes are available: (.*)$/s.exec(message) ?? [];
  if (of === "") {
    return {
      state: "pending",
      sentence: sentence(
        `no node was chosen for it: ${told(message) || "the scheduler did not say why"}`,
      ),
      line: describe,
    };
  }
  const meanings = reasonsOf(reasons).map(({ count, reason }) => meaning(pod, reason, count));
  if (meanings.length === 0) {
    return {
      state: "pending",
      sentence: sentence(`no node takes it: ${told(message)}`),
      line: describe,
    };
  }
  return {
    state: "pending",
    sentence: sentence(
      of === "1" ? "the one node there is does not take it: " : `none of ${of} nodes takes it: `,
      listed(
        meanings.map(({ words }) => words),
        4,
      ),
    ),
    line: meanings[0]?.line ?? describe,
  };
}

/** What stands before each node's reason; what stands before a claim's has none. */
const REASON = /(?:^|, )(?:(\d+) )?((?:(?!, \d+ )[^.]|\.(?! |$))+)/g;

function reasonsOf(text: string): { count: number; reason: string }[] {
  // What preemption would do comes after the first full stop.
  const [first = ""] = text.split(/\.(?: |$)/);
  return [...first.matchAll(REASON)].map(([, count, reason = ""]) => ({
    count: Number(count ?? 0),
    reason: reason.trim(),
  }));
}

function meaning(pod: KubeObject, reason: string, count: number): Meaning {
  const many = count === 1 ? "1" : String(count);
  const [has, does, is] = count === 1 ? ["has", "does", "is"] : ["have", "do", "are"];
  const resource = /^Insufficient (\S+)$/.exec(reason)?.[1];
  if (resource !== undefined) {
    const wants = asked(pod, resource);
    const what = resource === "cpu" ? "CPU" : told(resource, 60);
    return {
      words: `${many} ${has} not enough ${what} left${wants ? ` (it asks for ${wants})` : ""}`,
      line: "kubectl describe nodes",
    };
  }
  const taint = /^node\(s\) had (?:untolerated taints?(?:\(s\))?|taints)(?: \{([^}]*)\})?/.exec(
    reason,
  );
  if (taint) {
    const which = taint[1] ? ` ${told(taint[1], 80)}` : "";
    return {
      words: `${many} ${has} a taint${which} that it does not tolerate`,
      line: "kubectl get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints",
    };
  }
  if (reason.startsWith("node(s) were unschedulable")) {
    return { words: `${many} ${is} cordoned`, line: "kubectl get nodes" };
  }
  if (reason === "node(s) didn't match Pod's node affinity/selector") {
    return {
      words: `${many} ${does} not have the labels that its nodeSelector or node affinity wants${selectorOf(pod)}`,
      line: "kubectl get nodes --show-labels",
    };
  }
  if (reason.includes("unbound immediate PersistentVolumeClaims")) {
    return { words: "a claim of it is not bound to a volume yet", line: claims(pod) };
  }
  if (
    /persistent volumes to bind|free storage|volume node affinity|PersistentVolume's node/.test(
      reason,
    )
  ) {
    return { words: `${many} ${does} not reach a volume for its claim`, line: claims(pod) };
  }
  const others = sh`kubectl get ${["pods", ...inNamespace(pod.metadata.namespace)]} -o wide --show-labels`;
  if (reason.includes("anti-affinity")) {
    return {
      words: `${many} already ${has} a pod that its anti-affinity keeps it from`,
      line: others,
    };
  }
  if (reason.includes("pod affinity")) {
    return {
      words: `${many} ${does} not have the pod that its affinity wants beside it`,
      line: others,
    };
  }
  if (reason.includes("topology spread")) {
    return { words: `${many} would break its topology spread constraints`, line: others };
  }
  if (reason.startsWith("Too many pods")) {
    return {
      words: `${many} ${has} as many pods as ${count === 1 ? "it" : "they"} may`,
      line: "kubectl describe nodes",
    };
  }
  if (reason.includes("free ports")) {
    return { words: `on ${many} its hostPort is taken`, line: "kubectl get pods -A -o wide" };
  }
  return {
    words: `${count > 0 ? `${many} said ` : ""}“${told(reason, 100)}”`,
    line: sh`kubectl describe pod ${named(pod)}`,
  };
}

function claims(pod: KubeObject): string {
  return sh`kubectl describe ${["pvc", ...inNamespace(pod.metadata.namespace)]}`;
}

/** What its containers ask for of a resource, as they say it. */
function asked(pod: KubeObject, resource: string): string {
  const containers = record(record(pod).spec).containers;
  if (!Array.isArray(containers)) return "";
  const all = containers.map((container: unknown) => {
    const requests = record(record(record(container).resources).requests);
    return told(Object.hasOwn(requests, resource) ? requests[resource] : "", 20);
  });
  return listed(all.filter((one) => one !== ""));
}

function selectorOf(pod: KubeObject): string {
  const wanted = Object.entries(record(record(record(pod).spec).nodeSelector));
  if (wanted.length === 0) return "";
  return ` (${listed(wanted.map(([key, value]) => told(`${key}=${String(value)}`, 80)))})`;
}

function gatesOf(pod: KubeObject): unknown[] {
  const gates = record(record(pod).spec).schedulingGates;
  return Array.isArray(gates) ? gates.map((gate) => record(gate).name) : [];
}

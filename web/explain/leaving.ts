import { age } from "../kube/age.ts";
import { sh } from "../kube/shell-line.ts";
import type { KubeObject } from "../kube/types.ts";
import { named, record } from "./about.ts";
import type { Around, Explanation } from "./types.ts";
import { listed, sentence, told } from "./words.ts";

/** Finalizers of Kubernetes' own that are gone in a moment, unless what they wait for is not. */
const OWN: Record<string, string> = {
  foregroundDeletion: "it goes once what it owns is gone",
  orphan: "the garbage collector takes its name off what it owns",
  "kubernetes.io/pvc-protection": "a pod uses it",
  "kubernetes.io/pv-protection": "a claim uses it",
};

/** Milliseconds that an object may take to go before that is worth a word. */
const PATIENCE = 5000;

/** Why an object that was deleted is still there; undefined while that is what is to be expected. */
export function leaving(object: KubeObject, { now }: Around): Explanation | undefined {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  // Its time has come when the grace period is over: the timestamp is that moment.
  const over = now - Date.parse(deletionTimestamp ?? "");
  if (!(over > PATIENCE)) return undefined;
  const kind = kindOf(object);
  if (finalizers.length > 0) {
    const [first = ""] = finalizers;
    const why = OWN[first] ?? "whoever put it there has to take it away";
    return {
      state: "terminating",
      sentence: sentence(
        `it was deleted ${age(deletionTimestamp, now)} ago and waits for the finalizer${finalizers.length > 1 ? "s" : ""} `,
        listed(finalizers.map((one) => told(one, 100))),
        `: ${why}`,
      ),
      line: sh`kubectl get ${[kind, ...named(object)]} -o jsonpath='{.metadata.finalizers}'`,
    };
  }
  const node = record(record(object).spec).nodeName;
  if (kind !== "pod" || typeof node !== "string") return undefined;
  return {
    state: "terminating",
    sentence: sentence(
      `it should have ended ${age(deletionTimestamp, now)} ago, and the kubelet of ${told(node, 80)} has not said that it has`,
    ),
    line: sh`kubectl get node ${node}`,
  };
}

/** A kind as kubectl takes it, with its group where it is not one of Kubernetes' core. */
function kindOf({ kind = "", apiVersion = "" }: KubeObject): string {
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0] ?? ""}` : "";
  return `${kind.toLowerCase()}${group}`;
}

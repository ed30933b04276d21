import { conditionsOf } from "../kube/conditions.ts";
import { inNamespace } from "../kube/kubectl.ts";
import { sh } from "../kube/shell-line.ts";
import type { KubeObject } from "../kube/types.ts";
import { record } from "./about.ts";
import { explainPod } from "./pod.ts";
import { selects, selectorText } from "./selector.ts";
import type { Around, Explanation } from "./types.ts";
import { counted, sentence, told } from "./words.ts";

/** Why a Service answers nobody: it selects no pod, or none that is ready. */
export function explainService(service: KubeObject, around: Around): Explanation | undefined {
  const spec = record(record(service).spec);
  const matchLabels = record(spec.selector) as Record<string, string>;
  // Without a selector its endpoints are somebody else's to write.
  if (Object.keys(matchLabels).length === 0 || spec.type === "ExternalName") return undefined;
  const { namespace } = service.metadata;
  const inIt = [...around.pods].filter(({ metadata }) => metadata.namespace === namespace);
  const chosen = inIt.filter(({ metadata }) => selects({ matchLabels }, metadata.labels));
  const text = selectorText({ matchLabels });
  const get = ["get", "pods", ...inNamespace(namespace)];
  if (chosen.length === 0) {
    const near =
      inIt.length === 0
        ? "there is no pod in its namespace"
        : "no pod in its namespace has these labels";
    return {
      state: "failing",
      sentence: sentence(
        `its selector ${told(text, 120)} selects nothing: ${near}, so nobody answers`,
      ),
      line: sh`kubectl ${get} --show-labels`,
    };
  }
  if (spec.publishNotReadyAddresses === true) return undefined;
  if (chosen.some(isReady)) return undefined;
  const [sick] = chosen
    .map((pod) => ({ pod, why: explainPod(pod, around) }))
    .filter(({ why }) => why && why.state !== "standin");
  return {
    state: "unready",
    sentence: `${sentence(`none of the ${counted(chosen.length, "pod")} that it selects is ready, so nobody answers`)}${
      sick?.why ? ` Pod ${told(sick.pod.metadata.name, 80)}: ${sick.why.sentence}` : ""
    }`,
    line: sick?.why?.line ?? sh`kubectl ${get} -l ${text}`,
  };
}

function isReady(pod: KubeObject): boolean {
  return conditionsOf(pod).some(({ type, status }) => type === "Ready" && status === "True");
}

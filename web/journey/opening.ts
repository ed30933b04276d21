import type { TraceStep } from "../rpc/protocol.ts";
import { batched } from "../trace/batched.ts";
import { oneObject } from "../trace/object-words.ts";
import { sentence, textOf } from "../trace/words.ts";
import { so } from "./so.ts";

/**
 * What is said of a step while a command is told. The scheduler's attempt, its Binding, a batch of pods and a request
 * are told before their parts, and what they came to is those parts' to tell: said of them is what they set out to do.
 * Alone, or at the end of all, each says its outcome. `steps` are all of the command's, `told` those that are told.
 */
export function opening(
  step: TraceStep,
  told: readonly TraceStep[],
  steps: readonly TraceStep[] = told,
): string {
  const parts = () => told.filter(({ cause }) => cause === step.id);
  switch (step.kind) {
    case "scheduler.attempt":
      return parts().some(({ kind }) => kind.startsWith("scheduler."))
        ? `looks for a node for ${oneObject(step.object)}`
        : sentence(step);
    case "scheduler.bind":
      // Of the later pods the parts are not told: their Bindings are asked for all the same.
      return /^(Success)?$/.test(textOf(step.details, "code"))
        ? `asks for ${oneObject(step.object)} to be bound to ${textOf(step.details, "node")}`
        : sentence(step);
    case "controllers.batch":
      // Of the later ones the pods' requests are not told: they are made all the same.
      return textOf(step.details, "failed") === ""
        ? batched((key) => textOf(step.details, key), true)
        : sentence(step);
    case "kubelet.syncPod":
      return parts().length > 0 ? syncs(step) : sentence(step);
    case "apiserver.request":
    case "kubectl.request":
      return asked(step, steps, parts().length > 0);
    case "apiserver.decoded":
      // Whose a field is stands beside it: that a manager counts those with defaults as well is for who looks further.
      return sentence({
        ...step,
        details: { ...(step.details as object | null), managers: undefined },
      });
    case "etcd.put":
      return `${sentence(step)}${kept(step)}`;
    case "etcd.watched":
      return `${sentence(step)}. So all who watch hear of it`;
    case "controllers.informed":
      return `${sentence(step)}, which put what there is to do into queues`;
    default:
      return sentence(step);
  }
}

/** A request. If its parts are told its answer is theirs to tell, and it is said first what it is. */
function asked(step: TraceStep, steps: readonly TraceStep[], begins: boolean): string {
  const does = so(step, steps);
  if (does !== "") {
    const about = { ...step, object: { ...step.object, name: "", namespace: "" } };
    return `${does}: ${sentence(begins ? unanswered(about) : about)}`;
  }
  if (!begins) return sentence(step);
  const typed = ({ kind }: TraceStep) => kind === "kubectl.request";
  const isTaken = steps.some((one) => one.id === step.cause && typed(one));
  const lead = typed(step) ? "asks the API server: " : isTaken ? "takes the request up: " : "";
  return `${lead}${sentence(unanswered(step))}`;
}

/** What it is to be written into etcd: from then on an object is there, and not before. */
function kept({ details }: TraceStep): string {
  if (textOf(details, "succeeded") === "false") return "";
  return textOf(details, "previous") === "" ? ": now it exists" : ": now it is stored";
}

/** A sync before its calls. Once the pod is there it is looked at again, for whatever reason. */
function syncs({ node = "the kubelet", object, details }: TraceStep): string {
  return textOf(details, "updateType") === "create"
    ? `${node} sets out to have ${oneObject(object)} run as it is written`
    : `${node} looks again whether ${oneObject(object)} runs as it is written`;
}

/** A request before its answer is there. */
function unanswered(step: TraceStep): TraceStep {
  return { ...step, details: { ...(step.details as object | undefined), code: undefined } };
}

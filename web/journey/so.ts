import type { TraceStep } from "../rpc/protocol.ts";
import { oneObject } from "../trace/object-words.ts";
import { REQUEST } from "../trace/told.ts";
import { textOf } from "../trace/words.ts";
import { requester } from "./requester.ts";

/*
 * Nobody orders a controller, a scheduler or a kubelet to do anything: each has seen something, and asks the API server
 * for what it thinks is right. What it asks for is said first, in words; the request's own stand behind.
 */

/**
 * "so the deployment controller creates replicaset default/nginx-7f8", of a request that a component of the cluster
 * made because of what came before; empty of any other.
 */
export function so(step: TraceStep, steps: readonly TraceStep[]): string {
  const { kind, object, cause = 0 } = step;
  if (kind !== REQUEST || !object?.resource) return "";
  const by = steps.find(({ id }) => id === cause);
  if (!by || by.kind.startsWith("kubectl.")) return "";
  const does = done(step);
  if (does === "") return "";
  const who = requester(step, steps);
  return `so ${/^(a |kube-)/.test(who) ? who : `the ${who}`} ${does}`;
}

/** What is asked for. */
function done({ object = {}, details }: TraceStep): string {
  const { subresource = "", ...whole } = object;
  const { resource } = whole;
  const itself = oneObject(whole);
  switch (subresource) {
    case "":
      break;
    case "status":
      return resource === "pods" ? `writes how ${itself} is` : "writes how far it is";
    case "binding":
      return `has the node's name written into ${itself}`;
    default:
      return "";
  }
  const verb = VERBS.get(textOf(details, "verb"));
  return verb === undefined ? "" : `${verb} ${itself}`;
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ["create", "creates"],
  ["update", "changes"],
  ["patch", "changes"],
  ["delete", "deletes"],
]);

import type { Fetch } from "../kube/reflector.ts";
import type { Right, Subject } from "../rpc/protocol.ts";

/** Who is asked about. */
export interface Who {
  user: string;
  groups: readonly string[];
}

/** What the API server answers. */
export interface Verdict {
  allowed: boolean;
  /** A deny that ended it; without it nobody had an opinion. */
  denied: boolean;
  /** In the authorizer's words; empty if it gave none. */
  reason: string;
  /** What went wrong while it was asked. */
  problem: string;
}

const PATH = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** Asks the authorizers in force, by upstream's SubjectAccessReview. */
export async function review(fetch: Fetch, who: Who, right: Right): Promise<Verdict> {
  const { path, verb, ...resource } = right;
  const spec = {
    user: who.user,
    groups: who.groups,
    ...(path
      ? { nonResourceAttributes: { path, verb } }
      : { resourceAttributes: { ...resource, verb } }),
  };
  const response = await fetch(PATH, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec,
    }),
  });
  const answer = (await response.json()) as {
    message?: string;
    status?: { allowed?: boolean; denied?: boolean; reason?: string; evaluationError?: string };
  };
  if (!response.ok) throw new Error(answer.message ?? `the API server answered ${response.status}`);
  const {
    allowed = false,
    denied = false,
    reason = "",
    evaluationError = "",
  } = answer.status ?? {};
  return { allowed, denied, reason, problem: evaluationError };
}

/** A subject of a binding as somebody to ask about. */
export function whoIs({ kind, namespace = "", name, group }: Subject): Who {
  switch (kind) {
    case "Group":
      return { user: "somebody", groups: [name] };
    case "ServiceAccount":
      return {
        user: `system:serviceaccount:${namespace}:${name}`,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, EVERYBODY],
      };
    default:
      return { user: name, groups: group === undefined ? [EVERYBODY] : [group, EVERYBODY] };
  }
}

/** What an authorizer of a type can say of everybody; empty of one whose subjects are listed. */
export function ofEverybody(type: string): string {
  switch (type) {
    case "Node":
      return "each node, of itself and of what its Pods refer to";
    case "AlwaysAllow":
      return "everybody who gets as far as that";
    case "AlwaysDeny":
      return "nobody";
    case "Webhook":
      return "whom it answers so: it is asked of each request, and cannot be asked for everybody";
    default:
      return "";
  }
}

/** The group of all that were authenticated. */
export const EVERYBODY = "system:authenticated";

/** "deployments.apps/scale" as a right has it; a path stays one. */
export function parseResource(
  what: string,
): Pick<Right, "group" | "resource" | "subresource" | "path"> {
  const text = what.trim();
  if (text.startsWith("/")) return { group: "", resource: "", subresource: "", path: text };
  const [named = "", subresource = ""] = text.split("/", 2);
  const dot = named.indexOf(".");
  return dot < 0
    ? { group: "", resource: named, subresource, path: "" }
    : { group: named.slice(dot + 1), resource: named.slice(0, dot), subresource, path: "" };
}

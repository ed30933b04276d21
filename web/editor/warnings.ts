import { parse } from "yaml";
import { expressionWarnings, MOST, record, shortened } from "../kube/type-checking.ts";
import type { Problem } from "./problems.ts";

/** How many characters of all of an answer's warnings are read: webhooks write some of them. */
const READ = 100_000;

/**
 * What the server warns of while it takes an object: deprecations, what PodSecurity and policies only
 * warn of, what a webhook says. They come in the answer's header (RFC 7234, 5.5).
 */
export function warningsIn(headers: Headers): Problem[] {
  const found = (headers.get("warning") ?? "")
    .slice(0, READ)
    .matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...found].slice(0, MOST).map(([, quoted = ""]) => {
    const message = shortened(quoted.replace(/\\(.)/g, "$1"));
    // "spec.template.spec.containers[0].env[1]: hides previous definition of …"
    return { message, field: /^([a-z]\w*(?:\.\w+|\[[^\]\s]*\])+): /.exec(message)?.[1] ?? "" };
  });
}

/** What type checking says of a policy. */
export type TypeChecked = "waits" | "none" | Problem[];

/**
 * What the cluster's type checking says of a ValidatingAdmissionPolicy's expressions, of the server's
 * YAML: "waits" while its controller has not looked at what is there now, "none" of any other object.
 * A field that the policy's kinds do not have is no error to the server, and fails when it is evaluated.
 */
export function typeChecked(yaml: string): TypeChecked {
  // Most objects are none, and are not read.
  if (!/^kind: ["']?ValidatingAdmissionPolicy["']?\s*$/m.test(yaml)) return "none";
  const { metadata, status } = record(parse(yaml));
  const { generation } = record(metadata);
  const { observedGeneration, typeChecking } = record(status);
  if (typeof generation !== "number" || observedGeneration !== generation) return "waits";
  return expressionWarnings(typeChecking);
}

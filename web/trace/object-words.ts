import type { TraceObject } from "../rpc/protocol.ts";

/* What an object is called where steps are told. */

/** "deployments default/nginx", "pods/binding default/nginx-7f8-x2l4f"; empty if it is about none. */
export function objectName(object: TraceObject | undefined): string {
  if (!object?.resource) return "";
  const { resource, subresource, namespace, name } = object;
  const what = subresource ? `${resource}/${subresource}` : resource;
  // Of all of a namespace, and of one that was not given its name yet.
  if (!name) return namespace ? `${what} in ${namespace}` : what;
  return `${what} ${[namespace, name].filter(Boolean).join("/")}`;
}

/**
 * One object within a sentence: "pod default/nginx-7f8-x2l4f", "the scale of deployment default/nginx"; empty if there
 * is none. A request's own words have the resource as its path has it ("POST pods").
 */
export function oneObject(object: TraceObject | undefined): string {
  if (!object?.resource || !object.name) return objectName(object);
  const { resource, subresource, namespace, name } = object;
  const one = [singular(resource), [namespace, name].filter(Boolean).join("/")];
  const words = one.filter(Boolean).join(" ");
  return subresource ? `the ${subresource} of ${words}` : words;
}

/** Resources that are called as one of them is. */
const SAME = new Set(["endpoints"]);

/** What one of a resource is called, as API conventions have its plural: "networkpolicies", "ingresses". */
export function singular(resource: string): string {
  if (SAME.has(resource)) return resource;
  return resource
    .replace(/ies$/, "y")
    .replace(/(ss|x|ch|sh)es$/, "$1")
    .replace(/([^s])s$/, "$1");
}

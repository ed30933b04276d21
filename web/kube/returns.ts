import type { ApiPlace } from "./apipath.ts";

/** What going back leaves as it is, since it is derived or of its moment (core/checkpoint/scope.go), by its resource. */
const PASSING: readonly string[] = [
  "events",
  "leases",
  "endpoints",
  "endpointslices",
  "csinodes",
  "certificatesigningrequests",
  "podcertificaterequests",
  "apiservices",
];

/** Whether an object that is deleted by the page comes back, in a sentence. */
export function returns({ group, resource }: Pick<ApiPlace, "group" | "resource">): string {
  const upstreams = !group.includes(".") || group.endsWith(".k8s.io");
  return upstreams && PASSING.includes(resource)
    ? "This cannot be undone: going back leaves such objects as they are."
    : "The view Go back has the objects again, not what containers and volumes held.";
}

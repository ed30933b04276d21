import type { TraceStep } from "../../rpc/protocol.ts";

/** One stage of the API server's start, as the steps of its ring tell of it. */
export interface Stage {
  readonly kind: string;
  readonly title: string;
  /** What it is, in a sentence. */
  readonly about: string;
  readonly steps: readonly TraceStep[];
}

/** The stages, in the order in which the server is made (cmd/kube-apiserver/app, Run). */
const STAGES: readonly (readonly [kind: string, title: string, about: string])[] = [
  ["start.flags", "Flags", "The command line that the server was given. All else follows from it."],
  [
    "start.admission",
    "Admission",
    "Plugins that may change or refuse what is written, in the order in which they are asked.",
  ],
  [
    "start.authentication",
    "Authentication",
    "Who is asked whose request it is, in order, until one says yes.",
  ],
  ["start.authorization", "Authorization", "Who is asked whether it may be, in order."],
  [
    "start.servers",
    "Servers",
    "Three servers in a chain: what the first does not know goes to the next.",
  ],
  ["start.storage", "Storage", "Where the objects of each group lie in etcd."],
  [
    "start.routes",
    "Routes",
    "Each version's resources, and how many pairs of a verb and a path lead to them.",
  ],
  ["start.groups", "Groups", "The versions of the API's groups that are served."],
  ["start.openapi", "OpenAPI", "Where the server describes itself: kubectl and editors read it."],
  ["start.hooks", "Hooks", "What runs once the server listens."],
  ["start.step", "The whole cluster", "What was started after what, the API server among it."],
];

/** The stages of which anything is known, in order. */
export function stagesOf(steps: Iterable<TraceStep>): Stage[] {
  const by = new Map<string, TraceStep[]>();
  for (const step of steps) {
    if (!step.kind.startsWith("start.")) continue;
    by.set(step.kind, [...(by.get(step.kind) ?? []), step]);
  }
  return STAGES.flatMap(([kind, title, about]) => {
    const own = by.get(kind)?.sort((a, b) => a.at - b.at || a.id - b.id);
    return own ? [{ kind, title, about, steps: own }] : [];
  });
}

/** Lines of what a step of the start says, read as a stranger's data. */
export function linesOf(details: unknown): string[] {
  const of = (key: string): unknown =>
    typeof details === "object" && details !== null
      ? (details as Record<string, unknown>)[key]
      : undefined;
  const text = (key: string) => {
    const value = of(key);
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  const list = (key: string) => {
    const value = of(key);
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  };
  const path = text("path");
  if (path) {
    const routes = text("routes");
    const items = [...list("keys"), ...list("resources")].join("  ");
    return [`${path}${routes ? ` · ${routes} routes` : ""}: ${items}`];
  }
  const step = text("step");
  if (step) return [[step, text("state"), text("detail")].filter(Boolean).join(" · ")];
  return list("names");
}

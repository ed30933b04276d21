import type { TraceStep } from "../rpc/protocol.ts";
import { Alike } from "./alike.ts";

/*
 * Of several that go the same way, such as the pods of a ReplicaSet, one is told (story.ts). Where it begins that is
 * said, with how many there are.
 */

/** For each told step that begins the way of several what is said of them. */
export function siblings(
  steps: readonly TraceStep[],
  told: readonly TraceStep[],
): ReadonlyMap<number, string> {
  const alike = new Alike(new Map(steps.map((step) => [step.id, step])));
  const firsts = new Map<string, TraceStep>();
  for (const step of told) if (!firsts.has(alike.of(step))) firsts.set(alike.of(step), step);
  const others = new Map<TraceStep, Set<string>>();
  const isTold = new Set(told);
  for (const step of steps) {
    const name = nameOf(step);
    if (name === "" || isTold.has(step)) continue;
    const first = firsts.get(alike.of(step));
    if (!first || nameOf(first) === "" || nameOf(first) === name) continue;
    others.set(first, (others.get(first) ?? new Set()).add(name));
  }
  const said = new Map<number, string>();
  const known = new Set<string>();
  for (const step of told) {
    const names = others.get(step);
    if (!names || [...names].every((name) => known.has(name))) continue;
    for (const name of names) known.add(name);
    said.set(step.id, sentence(step, names.size));
  }
  return said;
}

/** The same, kept as long as the same steps are told. */
export class Siblings {
  #told: readonly TraceStep[] = [];
  #steps: readonly TraceStep[] = [];
  #said: ReadonlyMap<number, string> = new Map();

  of(steps: readonly TraceStep[], told: readonly TraceStep[]): ReadonlyMap<number, string> {
    if (steps !== this.#steps || told.length !== this.#told.length) {
      this.#steps = steps;
      this.#told = told;
      this.#said = siblings(steps, told);
    }
    return this.#said;
  }
}

/** What goes a way: each node leads its pods to a Service by itself, else it is the object. */
function goes({ kind, node, object }: TraceStep): { readonly kind: string; readonly name: string } {
  if (kind.startsWith("network.") && node) return { kind: "nodes", name: node };
  return { kind: object?.resource ?? "", name: object?.name ?? "" };
}

function nameOf(step: TraceStep): string {
  const { kind, name } = goes(step);
  const namespace = kind === "nodes" ? "" : (step.object?.namespace ?? "");
  return name === "" ? "" : `${kind} ${namespace}/${name}`;
}

function sentence(step: TraceStep, others: number): string {
  const rest = others === 1 ? "other goes" : "others go";
  const all = ["Of", others + 1, goes(step).kind].filter(Boolean).join(" ");
  return `${all} this one is told: the ${rest} the same way.`;
}

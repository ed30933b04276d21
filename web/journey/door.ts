import type { TraceStep } from "../rpc/protocol.ts";
import { Details, textOf } from "../trace/details.ts";
import { REQUEST } from "../trace/told.ts";

/*
 * The door of kube-apiserver: who asks, whether they may, and what plugins make of it. Every request goes through it,
 * and a story of ten of them would be for the most part that. It is told in full once, and of later requests what they
 * have of their own: another way to be known, another authorizer that lets them in, a plugin that changes something.
 * What turns a request back is always told.
 */

/** The parts of the door, by their steps' kinds: what each is said to be a part of. */
const PARTS: ReadonlyMap<string, string> = new Map([
  ["authentication.accepted", "authentication"],
  ["authorization.allowed", "authorization"],
  ["apiserver.decoded", "admission"],
  ["admission.mutating", "admission"],
  ["registry.created", "admission"],
  ["registry.updated", "admission"],
  ["admission.validating", "admission"],
]);

/** "a", "a and b", "a, b and c". */
const IN_WORDS = new Intl.ListFormat("en-GB");

/** A story without what its requests pass as another did before. */
export function onceThroughTheDoor(story: readonly TraceStep[]): readonly TraceStep[] {
  const known = new Set<string>();
  return story.filter((step) => {
    const own = ownOf(step);
    if (!own) return true;
    const news = own.filter((one) => !known.has(one));
    for (const one of news) known.add(one);
    return news.length > 0;
  });
}

/**
 * What a request passes as another did before, in a sentence; empty of what is no request, or of which each part has
 * something told. `steps` are all of the command's, `told` those that are told.
 */
export function passesAgain(
  step: TraceStep,
  steps: readonly TraceStep[],
  told: readonly TraceStep[],
): string {
  if (step.kind !== REQUEST) return "";
  const partsOf = (some: readonly TraceStep[]) =>
    new Set(some.flatMap(({ cause, kind }) => (cause === step.id ? (PARTS.get(kind) ?? []) : [])));
  const all = partsOf(steps);
  const own = partsOf(told);
  const again = [...new Set(PARTS.values())].filter((part) => all.has(part) && !own.has(part));
  const words = IN_WORDS.format(again);
  return words && `${words.charAt(0).toUpperCase()}${words.slice(1)}: as before.`;
}

/** By what a step of the door is news, any of which suffices; undefined of what is always told. */
function ownOf({ kind, variant = "", object, details }: TraceStep): readonly string[] | undefined {
  if (!PARTS.has(kind) || turnsBack(details)) return undefined;
  if (kind === "authentication.accepted" || kind === "authorization.allowed")
    return [`${kind} ${lastAsked(details)}`];
  // What is sent is another object each time; a change of one that is there is shown where it is written.
  if (kind === "apiserver.decoded")
    return [`${kind} ${variant} ${variant === "" ? (object?.resource ?? "") : ""}`];
  if (kind === "admission.mutating")
    return [kind, ...pluginsWith(details, "changed").map((name) => `${kind} ${name}`)];
  return [kind];
}

const turnsBack = (details: unknown) => pluginsWith(details, "refused").length > 0;

/** Who gave the answer. */
function lastAsked(details: unknown): string {
  return textOf(new Details(details).list("asked").at(-1), "name");
}

function pluginsWith(details: unknown, what: "changed" | "refused"): readonly string[] {
  return new Details(details)
    .list("plugins")
    .map((plugin) => new Details(plugin))
    .filter((plugin) => plugin.has(what))
    .map((plugin) => plugin.text("name"));
}

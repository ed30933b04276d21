import type { TraceStep } from "../rpc/protocol.ts";
import type { TraceFeed } from "./feed.ts";
import { listOf } from "./look.ts";
import { caused, commands } from "./told.ts";
import { textOf } from "./words.ts";

/* Which step proves what is said of a command: in the guide, and in a lesson. */

/**
 * The first step of a kind; with `like` the first one of that queue, event, reason, type (without its package),
 * resource, subresource, container, path or handler, of whom that authorizer allowed or from whom that header was taken, or that
 * says that this condition is true: a kubelet reports a pod many times before it is Ready. "created-pods" is one that made a
 * pod, "created-pods-binding" one of its binding, "updated-pods-status" one that wrote its status; "done" is one that says
 * no error.
 */
export function firstLike(
  steps: readonly TraceStep[],
  kind: string,
  like?: string,
): TraceStep | undefined {
  return steps.find((step) => step.kind === kind && (like === undefined || isLike(step, like)));
}

function isLike(step: TraceStep, like: string): boolean {
  const { details, object } = step;
  if (like === "done") return textOf(details, "error") === "";
  if (like.startsWith(CREATED)) {
    const made = created(step);
    return made !== "" && like === CREATED + made;
  }
  if (like.startsWith(UPDATED)) {
    const { resource = "" } = object ?? {};
    return updates(step) && like === UPDATED + named(resource, object?.subresource);
  }
  return (
    [
      textOf(details, "queue"),
      textOf(details, "event"),
      textOf(details, "reason"),
      textOf(details, "type").split(".").at(-1),
      textOf(details, "container"),
      textOf(details, "handler"),
      textOf(details, "path").slice(1),
      textOf(listOf(details, "asked").at(-1), "name"),
      object?.resource,
      object?.subresource,
      ...listOf(details, "takenOff"),
    ].includes(like) || conditionsOf(details).includes(`${like}=True`)
  );
}

const CREATED = "created-";
const UPDATED = "updated-";

const named = (resource: string, subresource: string | undefined) =>
  subresource ? `${resource}-${subresource}` : resource;

/** Whether a request changed what was there: who reads a status, or is refused, did not. */
function updates({ kind, details }: TraceStep): boolean {
  const verb = textOf(details, "verb");
  const writes = verb === "update" || verb === "patch";
  return kind === "apiserver.request" && writes && textOf(details, "code") === "200";
}

/**
 * The resource, with its subresource, of which a step made one; empty if it made none. Many write a status of what they
 * did not make: a request that made something is answered 201, and finds no such key in the store.
 */
function created({ kind, details, object }: TraceStep): string {
  if (kind === "etcd.put") {
    const [, , resource = ""] = textOf(details, "key").split("/");
    const was = textOf(details, "previous");
    return textOf(details, "succeeded") === "true" && (was === "" || was === "0") ? resource : "";
  }
  if (textOf(details, "code") !== "201") return "";
  const resource = object?.resource ?? textOf(details, "path").split("/").at(-1) ?? "";
  return named(resource, object?.subresource);
}

function conditionsOf(details: unknown): readonly unknown[] {
  const { conditions } = (details ?? {}) as { readonly conditions?: unknown };
  return Array.isArray(conditions) ? conditions : [];
}

/** What comes of no command: real nodes tell how they reach each other when one has joined. */
const BY_ITSELF: ReadonlySet<string> = new Set(["network.ways"]);

/** Of which commands. */
interface Of {
  readonly about?: { readonly kind: string; readonly like?: string } | undefined;
  readonly after?: number | undefined;
}

/** How many commands before the one that is told of may prove something. */
const BEFORE = 8;

/**
 * The same of the commands that were typed last, the last of them first: what somebody has seen once is not unseen. With
 * `about` only of those that have such a step, with `after` only of those that came after that one.
 */
export function earlierLike(
  trace: Pick<TraceFeed, "steps" | "tree">,
  kind: string,
  like?: string,
  { about, after = 0 }: Of = {},
): TraceStep | undefined {
  for (const { id } of commands(trace.steps).slice(-BEFORE).reverse()) {
    if (id <= after) continue;
    const steps = caused(trace, id);
    if (about && !firstLike(steps, about.kind, about.like)) continue;
    const found = firstLike(steps, kind, like);
    if (found) return found;
  }
  return BY_ITSELF.has(kind)
    ? firstLike([...trace.steps.values()].reverse(), kind, like)
    : undefined;
}

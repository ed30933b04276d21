import { sh } from "../kube/shell-line.ts";
import type { Event } from "../kube/types.ts";
import { happened, named } from "./about.ts";
import type { OfPod } from "./container.ts";
import type { Around, Explanation } from "./types.ts";
import { sentence, told } from "./words.ts";

/** How a probe's failure begins in an event (pkg/kubelet/prober/prober.go), and what follows of it. */
const PROBES = [
  { name: "startup", follows: "it counts as not started, and is ended if that goes on" },
  { name: "liveness", follows: "it is ended and started again if that goes on" },
  { name: "readiness", follows: "no Service sends it requests" },
] as const;

/** Why a container that runs is not ready, or soon ended: by its probes, as its events tell. */
export function probeTrouble(of: OfPod, { now }: Around): Explanation | undefined {
  const { status, spec, pod, events, what } = of;
  const began = Date.parse(status.state?.running?.startedAt ?? "") || 0;
  for (const { name, follows } of PROBES) {
    if (spec[`${name}Probe`] === undefined || !isFailing(name, of)) continue;
    const event = events.find((one) => failed(one, name, status.name) && happened(one) >= began);
    const why = told(event?.message?.replace(/^\w+ probe (?:failed|errored[^:]*): /, ""));
    // Not ready yet is what begins; a liveness probe leaves nothing but its events.
    if (!event && (name === "liveness" || now - began < PATIENCE)) continue;
    return {
      state: name === "liveness" ? "failing" : "unready",
      sentence: sentence(
        `the ${name} probe of ${what} ${event ? "fails" : "has not succeeded yet"}`,
        why && ` (${why})`,
        `: ${follows}`,
      ),
      line: sh`kubectl describe pod ${named(pod)}`,
    };
  }
  return undefined;
}

/** Milliseconds that a container may take to be ready before that is worth a word. */
const PATIENCE = 30_000;

/** How old a liveness probe's failure may be to be one that goes on, in seconds of its own period. */
const PERIODS = 3;

function isFailing(
  name: (typeof PROBES)[number]["name"],
  { status, spec, events }: OfPod,
): boolean {
  if (name === "startup") return status.started === false;
  if (name === "readiness") return status.ready === false && status.started !== false;
  const last = events.find((event) => failed(event, name, status.name));
  const { periodSeconds = 10 } = spec.livenessProbe as { periodSeconds?: number };
  const newest = Math.max(0, ...events.map(happened));
  return last !== undefined && happened(last) >= newest - PERIODS * periodSeconds * 1000;
}

function failed({ reason, message = "", involvedObject }: Event, probe: string, container: string) {
  const { fieldPath } = involvedObject;
  const mine = fieldPath === undefined || fieldPath.endsWith(`{${container}}`);
  return reason === "Unhealthy" && mine && message.toLowerCase().startsWith(`${probe} probe `);
}

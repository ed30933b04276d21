/** Reasons to wait that every pod has at its beginning, and that say no more than Pending does. */
const PLAIN: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);

/** For what a pod waits, as its containers say it: "ErrImagePull"; empty if that is nothing out of the ordinary. */
export function waitsFor(containers: readonly unknown[]): string {
  const reasons = containers.map((one) => /: waiting: (\w+)/.exec(String(one))?.[1] ?? "");
  return reasons.find((one) => one !== "" && !PLAIN.has(one)) ?? "";
}

/**
 * What a kubelet reports of a pod: "Running, ready", "Pending: ErrImagePull". `containers` are in the words of
 * containerState in core/node/podtrace: "nginx: waiting: ErrImagePull, 0 restarts".
 */
export function reported(
  phase: string,
  conditions: readonly unknown[],
  containers: readonly unknown[],
): string {
  if (conditions.includes("Ready=True")) return `${phase}, ready`;
  const reason = waitsFor(containers);
  return reason === "" ? phase : `${phase}: ${reason}`;
}

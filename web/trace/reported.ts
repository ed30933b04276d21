/** Reasons to wait that every pod has at its beginning, and that say no more than Pending does. */
const PLAIN: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);

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
  const reasons = containers.map((one) => /: waiting: (\w+)/.exec(String(one))?.[1] ?? "");
  const reason = reasons.find((one) => one !== "" && !PLAIN.has(one));
  return reason === undefined ? phase : `${phase}: ${reason}`;
}

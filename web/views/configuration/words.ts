import { says } from "../../configuration/draft.ts";
import type { ConfigurationFiles, Configured } from "../../rpc/protocol.ts";

/** What is in force, and what would change. */
export function inForceWords(
  inForce: ConfigurationFiles | undefined,
  changed: readonly string[],
  kept: string | undefined,
): string {
  if (!inForce) return "Asking the cluster.";
  const names = Object.keys(inForce).filter((name) => says(inForce, name));
  const force =
    names.length === 0
      ? "Upstream's defaults are in force, with kubeadm's flags"
      : `In force: ${names.join(", ")}${kept ? `, kept with ${kept}` : ""}`;
  return changed.length === 0 ? `${force}.` : `${force}. Changed: ${changed.join(", ")}.`;
}

/** How it came into force. */
export function configuredWords(did: Configured): string {
  if (did.atStart) return "It is in force when the cluster starts again: reload this page.";
  if (did.changed.length === 0) return "Nothing changed.";
  const how = [
    did.reloaded.length > 0 ? `${did.reloaded.join(", ")} read anew` : "",
    did.restarted.length > 0 ? `${did.restarted.join(" and ")} started anew in place` : "",
    did.newNodes.length > 0
      ? `${did.newNodes.join(", ")} for nodes that are added from now on, and for all when the cluster starts again`
      : "",
  ].filter((text) => text !== "");
  return `In force: ${how.join(", ")}, in ${(did.took / 1000).toFixed(1)} s.`;
}

import type { TraceStep } from "../rpc/protocol.ts";

/*
 * Who works in a node. The kubelet decides, and asks others for what it cannot do itself: the container runtime, by the
 * CRI, which has a network made for a sandbox.
 */

/** Who does what a step tells of, in a word; a node is its kubelet's where nothing is done. */
export function whoAt(step: TraceStep | undefined): string {
  if (step?.kind.startsWith("cri.")) return "runtime";
  if (step?.kind.startsWith("cni.")) return "network";
  return "kubelet";
}

import { sh } from "./shell-line.ts";
import type { InTabState } from "../rpc/protocol.ts";
import type { Node, Row } from "./types.ts";

/** A node's state in one line, as kubectl has it, and what keeps it from being well. */
export interface NodeState {
  /** Ready, and short of nothing. */
  well: boolean;
  /** kubectl's Status column, and what the node is short of: "Ready,DiskPressure". */
  text: string;
  /** What its kubelet says of that. */
  why: string;
}

export function nodeState({ cells, object }: Row<Node>): NodeState {
  const conditions = object.status.conditions ?? [];
  const held = conditions.filter(({ status }) => status === "True");
  const short = held.filter(({ type }) => type.endsWith("Pressure"));
  return {
    well: short.length === 0 && held.some(({ type }) => type === "Ready"),
    text: [cells.Status ?? "", ...short.map(({ type }) => type)].filter(Boolean).join(","),
    why: short.map(({ message }) => message ?? "").join(", "),
  };
}

/** What can be done to a node, with the command or the fault that it stands for. */
export interface NodeAction {
  verb: "Cordon" | "Uncordon" | "Drain" | "Shut down" | "Stop" | "Heal" | "Remove";
  /** A command that the terminal runs, or undefined for what no kubectl can do. */
  line?: string;
  /** What a fault does, which no kubectl can, and the terminal's line that does the same. */
  fault?: string;
  same?: string;
  action?: "shutdown" | "stop" | "heal" | "remove";
}

/** The actions that make sense for a node now. `state` is undefined for a node not in the tab. */
export function actionsFor({ object }: Row<Node>, state: InTabState | undefined): NodeAction[] {
  const { name } = object.metadata;
  const actions: NodeAction[] = [
    object.spec.unschedulable
      ? { verb: "Uncordon", line: sh`kubectl uncordon ${name}` }
      : { verb: "Cordon", line: sh`kubectl cordon ${name}` },
    {
      verb: "Drain",
      line: sh`kubectl drain ${name} --ignore-daemonsets --delete-emptydir-data --force`,
    },
  ];
  if (state === "running" || state === "shutting down") {
    actions.push({
      verb: "Stop",
      action: "stop",
      same: sh`minikube node stop ${name}`,
      fault: `Cuts ${name} off: kubelet, runtime and network, as when its plug is pulled. NotReady follows 50 s after its last lease, eviction of its pods 300 s later.`,
    });
  }
  if (state === "stopped") {
    actions.push({
      verb: "Heal",
      action: "heal",
      same: sh`minikube node start ${name}`,
      fault: `Connects ${name} again, as it was when it was stopped. Its kubelet renews the lease and reports what runs.`,
    });
  }
  if (state) {
    actions.push({
      verb: "Remove",
      action: "remove",
      same: sh`minikube node delete ${name}`,
      fault: `Stops ${name} for good, ends its containers, then: ${sh`kubectl delete node ${name}`}. The pod garbage collector takes its pods away.`,
    });
  }
  // Last: what else there is stays in its place when this goes.
  if (state === "running") {
    actions.push({
      verb: "Shut down",
      action: "shutdown",
      same: sh`minikube ssh -n ${name} -- sudo poweroff`,
      fault: `Its kubelet ends the pods of ${name}, those of lower priority first, each with its grace; then the machine is off.`,
    });
  }
  return actions;
}

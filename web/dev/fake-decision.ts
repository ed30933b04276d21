import type {
  AskPluginParams,
  DecisionParams,
  PluginAnswer,
  SchedulingDecision,
} from "../rpc/protocol.ts";
import type { FakeCluster } from "./fake-cluster.ts";

const FILTERS = ["NodeUnschedulable", "TaintToleration", "NodeResourcesFit"];
const NODES = ["node-1", "node-2", "node-3"];

/** What a scheduler would have said: where no node fits, the second filter refused each. */
export function decided(
  cluster: FakeCluster,
  { namespace, name }: DecisionParams,
): SchedulingDecision {
  const row = [...cluster.rows.pods.values()].find(({ object }) => object.metadata.name === name);
  if (!row) throw new Error(`no attempt at ${namespace}/${name} is kept`);
  const { spec } = row.object as unknown as { spec?: { nodeName?: string } };
  const node = spec?.nodeName ?? "";
  const fits = node !== "";
  return {
    namespace,
    name,
    uid: row.object.metadata.uid,
    profile: "default-scheduler",
    attempt: 1,
    began: Date.now(),
    took: 3,
    filters: FILTERS,
    scores: [{ name: "ImageLocality", weight: 1 }],
    rows: NODES.map((at) => ({
      node: at,
      passed: fits,
      filters: FILTERS.map((plugin, i) =>
        fits || i === 0
          ? { plugin, verdict: "passed" as const }
          : i === 1
            ? { plugin, verdict: "refused" as const, why: "node(s) had an untolerated taint" }
            : { plugin, verdict: "not asked" as const, why: "TaintToleration had refused" },
      ),
      scores: [
        {
          plugin: "ImageLocality",
          scored: fits,
          raw: 10,
          normalized: 10,
          weighted: at === node ? 20 : 10,
          ...(fits ? {} : { why: "the node had not passed the filters" }),
        },
      ],
      total: fits ? (at === node ? 20 : 10) : 0,
    })),
    moreRows: 0,
    feasible: fits ? NODES.length : 0,
    node,
    hint: "",
    nominated: "",
    message: fits ? "" : "0/3 nodes are available: 3 node(s) had an untolerated taint.",
    preemption: "",
  };
}

/** What a plugin says when it is asked afterwards. */
export function asked({ node, plugin }: AskPluginParams): PluginAnswer {
  return {
    plugin,
    node,
    at: Date.now(),
    filter: { plugin, verdict: "refused", why: "Insufficient cpu" },
  };
}

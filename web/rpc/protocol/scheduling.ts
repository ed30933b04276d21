/* The scheduler's verdicts and scores, nodes by plugins. Part of web/rpc/protocol.ts. */

export interface DecisionParams {
  namespace: string;
  name: string;
}

/** One attempt of the scheduler at one pod. */
export interface SchedulingDecision {
  namespace: string;
  name: string;
  uid: string;
  /** The scheduler's name, as in spec.schedulerName. */
  profile: string;
  /** Counted from 1. */
  attempt: number;
  /** In milliseconds since 1970, and how long the search for a node took. */
  began: number;
  took: number;
  /** The plugins, in the order in which they are asked. */
  filters: string[];
  scores: SchedulingWeight[];
  rows: SchedulingRow[];
  /** How many nodes there are besides those in rows. */
  moreRows: number;
  /** How many nodes passed all filters. */
  feasible: number;
  /** The node that was chosen; empty if none was. */
  node: string;
  /** The node that was tried first since an equal pod had just been scheduled; empty for none. */
  hint: string;
  /** The node that preemption had made room on before; empty for none. */
  nominated: string;
  /** Why no node was chosen, in the scheduler's words. */
  message: string;
  /** What preemption came to, if no node passed. */
  preemption: string;
}

/** A score plugin, and what its normalized score is multiplied by. */
export interface SchedulingWeight {
  name: string;
  weight: number;
}

export interface SchedulingRow {
  node: string;
  passed: boolean;
  /** In the order of SchedulingDecision's. */
  filters: PluginVerdict[];
  scores: PluginScore[];
  /** The sum of the weighted scores. */
  total: number;
}

export interface PluginVerdict {
  plugin: string;
  verdict: "passed" | "refused" | "skipped" | "not asked";
  /** The plugin's message, or why it was not asked. */
  why?: string;
}

/** The numbers mean nothing unless `scored`; `why` says what kept the plugin from it. */
export interface PluginScore {
  plugin: string;
  scored: boolean;
  raw: number;
  normalized: number;
  weighted: number;
  why?: string;
}

export interface AskPluginParams {
  namespace: string;
  name: string;
  node: string;
  plugin: string;
}

/** What a plugin says when it is asked afterwards, of the cluster as it is at that time. */
export interface PluginAnswer {
  plugin: string;
  node: string;
  /** In milliseconds since 1970. */
  at: number;
  /** None if the plugin does not filter, or does not score. */
  filter?: PluginVerdict;
  score?: PluginScore;
}

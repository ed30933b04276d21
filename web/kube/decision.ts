import { amongBest } from "./chance.ts";
import type {
  PluginAnswer,
  PluginScore,
  PluginVerdict,
  SchedulingDecision,
} from "../rpc/protocol.ts";

/** One cell of nodes × plugins, as people read it. */
export interface Cell {
  readonly plugin: string;
  readonly text: string;
  readonly why: string;
  readonly refused: boolean;
  /** It was not asked in the attempt, and can be asked now. */
  readonly open: boolean;
  /** Milliseconds since 1970 at which it was asked afterwards. */
  readonly asked?: number;
}

export interface DecisionRow {
  readonly node: string;
  readonly chosen: boolean;
  readonly passed: boolean;
  readonly filters: readonly Cell[];
  readonly scores: readonly Cell[];
  readonly total: string;
}

/** What was asked afterwards, by node and plugin. */
export type Answers = ReadonlyMap<string, PluginAnswer>;

export function answerKey(node: string, plugin: string): string {
  return `${node}\n${plugin}`;
}

/** How the node was found among equal ones, as the story says it; empty if its score says so, or if there was none. */
export function foundBy({ rows, hint, node }: SchedulingDecision): string {
  const scored = rows.filter(({ passed, scores }) => passed && scores.some((one) => one.scored));
  // One that was tried first is taken without a look at others.
  if (!scored.some((row) => row.node === node) || hint === node) return "";
  return amongBest(scored.map(({ total }) => String(total)));
}

/** An attempt of the scheduler, with what was asked afterwards in its place. */
export function decisionRows(decision: SchedulingDecision, answers: Answers): DecisionRow[] {
  return decision.rows.map((row) => {
    const late = (plugin: string) => answers.get(answerKey(row.node, plugin));
    return {
      node: row.node,
      chosen: row.node !== "" && row.node === decision.node,
      passed: row.passed,
      filters: row.filters.map((verdict) => filterCell(verdict, late(verdict.plugin))),
      scores: row.scores.map((score) => scoreCell(score, late(score.plugin))),
      total: row.passed ? String(row.total) : "",
    };
  });
}

const MARKS: Readonly<Record<PluginVerdict["verdict"], string>> = {
  passed: "✓",
  refused: "✕",
  skipped: "·",
  "not asked": "–",
};

function filterCell(verdict: PluginVerdict, late: PluginAnswer | undefined): Cell {
  const said = late?.filter ?? verdict;
  return {
    plugin: verdict.plugin,
    text: MARKS[said.verdict],
    why: [said.verdict, said.why].filter(Boolean).join(": "),
    refused: said.verdict === "refused",
    open: verdict.verdict === "not asked" && late === undefined,
    ...(late ? { asked: late.at } : {}),
  };
}

function scoreCell(score: PluginScore, late: PluginAnswer | undefined): Cell {
  const said = late?.score ?? score;
  return {
    plugin: score.plugin,
    text: said.scored ? String(said.weighted) : "–",
    why: said.scored
      ? `raw ${said.raw}, normalised ${said.normalized}, weighted ${said.weighted}`
      : `not scored${said.why ? `: ${said.why}` : ""}`,
    refused: false,
    open: !score.scored && late === undefined,
    ...(late ? { asked: late.at } : {}),
  };
}

import type { TraceStep } from "../rpc/protocol.ts";
import { textOf } from "./words.ts";

/** A field that an admission plugin changed, as text. */
export interface Changed {
  readonly by: string;
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** What a step changed of an object: admission plugins, defaulting, the registry. */
export function changesOf(details: unknown): Changed[] {
  const by = (name: string, of: unknown) =>
    listOf(of, "changed").map((change) => ({
      by: name,
      path: textOf(change, "path"),
      before: valueOf(change, "before"),
      after: valueOf(change, "after"),
    }));
  return [
    ...by("", details),
    ...listOf(details, "plugins").flatMap((plugin) => by(textOf(plugin, "name"), plugin)),
  ];
}

/** Nodes and plugins, with what each said. */
export interface Matrix {
  readonly title: string;
  readonly plugins: readonly string[];
  readonly rows: readonly {
    readonly node: string;
    readonly chosen: boolean;
    readonly cells: readonly { text: string; why: string; refused: boolean }[];
  }[];
}

/** The scheduler's verdicts or scores, node by node; undefined for any other step. */
export function matrixOf({ kind, details }: TraceStep): Matrix | undefined {
  if (kind === "scheduler.filter") return filtered(details);
  if (kind === "scheduler.score") return scored(details);
  return undefined;
}

/** A node passes plugins in order, up to the one that refuses it; those behind it are not asked. */
function filtered(details: unknown): Matrix {
  const plugins = listOf(details, "plugins").map(String);
  const skipped = new Set(listOf(details, "skipped").map(String));
  return {
    title: "Nodes and filters",
    plugins,
    rows: listOf(details, "nodes").map((row) => {
      const refusal = valueAt(row, "refused");
      const refusedBy = plugins.indexOf(textOf(refusal, "plugin"));
      const asked = textOf(row, "notAsked") === "";
      return {
        node: textOf(row, "node"),
        chosen: false,
        cells: plugins.map((name, i) => {
          if (!asked) return { text: "–", why: textOf(row, "notAsked"), refused: false };
          if (i === refusedBy) {
            return { text: "✕", why: textOf(refusal, "message"), refused: true };
          }
          if (refusedBy >= 0 && i > refusedBy) {
            const by = plugins[refusedBy] ?? "";
            return { text: "–", why: `not asked: ${by} had refused`, refused: false };
          }
          return skipped.has(name)
            ? { text: "·", why: "skipped: it has nothing to do with this pod", refused: false }
            : { text: "✓", why: "passed", refused: false };
        }),
      };
    }),
  };
}

function scored(details: unknown): Matrix {
  const rows = listOf(details, "nodes");
  const plugins = [
    ...new Set(
      rows.flatMap((row) => listOf(row, "scores").map((score) => textOf(score, "plugin"))),
    ),
  ];
  const chosen = textOf(details, "chosen");
  return {
    title: "Nodes and scores",
    plugins: [...plugins, "Total"],
    rows: rows.map((row) => {
      const scores = listOf(row, "scores");
      const cells = plugins.map((plugin) => {
        const score = scores.find((one) => textOf(one, "plugin") === plugin);
        if (textOf(score, "scored") !== "true") {
          return { text: "–", why: textOf(score, "why") || "not asked", refused: false };
        }
        const why = `raw ${textOf(score, "raw")}, normalised ${textOf(score, "normalized")}`;
        return { text: textOf(score, "weighted"), why, refused: false };
      });
      const total = { text: textOf(row, "total"), why: "the sum of all", refused: false };
      const node = textOf(row, "node");
      return { node, chosen: node === chosen, cells: [...cells, total] };
    }),
  };
}

function valueAt(of: unknown, key: string): unknown {
  return typeof of === "object" && of !== null ? (of as Record<string, unknown>)[key] : undefined;
}

/** A list among a step's details; empty if there is none. */
export function listOf(of: unknown, key: string): readonly unknown[] {
  const value = valueAt(of, key);
  return Array.isArray(value) ? value : [];
}

/** A value as people read it: a text as it is, all else as JSON; bounded. */
function valueOf(of: unknown, key: string): string {
  const value = valueAt(of, key);
  if (value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

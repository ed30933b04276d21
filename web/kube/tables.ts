import { byName } from "./order.ts";
import { age } from "./age.ts";
import type { Column, KubeObject, Row } from "./types.ts";

/*
 * What a table of the server's becomes on the page: which columns are shown, in which order its
 * rows stand, which of them a filter leaves. The cells are the server's words and stay so.
 */

export interface Sorting {
  /** A column's name. */
  by: string;
  descending: boolean;
}

export interface TableView {
  /** Shows the columns of `-o wide`, too. */
  wide: boolean;
  /** Puts the namespace first, as `kubectl get -A` does. */
  namespaces: boolean;
}

const NAMESPACE: Column = { name: "Namespace", type: "string", priority: 0 };

/** The columns to show. */
export function shownColumns(
  columns: readonly Column[],
  { wide, namespaces }: TableView,
): Column[] {
  const shown = columns.filter((column) => wide || (column.priority ?? 0) === 0);
  return namespaces ? [NAMESPACE, ...shown] : shown;
}

/**
 * The text of one cell. A table's own AGE is from when the object last changed, so the page counts
 * on by itself from the object's creation.
 */
export function cellText({ object, cells }: Row<KubeObject>, column: string, now: number): string {
  if (column === "Namespace") return cells[column] ?? object.metadata.namespace ?? "";
  if (column === "Age") return age(object.metadata.creationTimestamp, now);
  return cells[column] ?? "";
}

/** Sorts by one column, numbers by their size; rows that are equal keep their order. */
export function sortRows<T extends KubeObject>(
  rows: readonly Row<T>[],
  { by, descending }: Sorting,
): Row<T>[] {
  const sign = descending ? -1 : 1;
  if (by === "Age") {
    // The youngest first, as the smallest age.
    const created = (row: Row<T>) => Date.parse(row.object.metadata.creationTimestamp ?? "") || 0;
    return [...rows].sort((a, b) => sign * (created(b) - created(a)));
  }
  const keyed = rows.map((row) => ({ row, key: cellText(row, by, 0) }));
  return keyed.sort((a, b) => sign * byName(a.key, b.key)).map(({ row }) => row);
}

/** What somebody types into the filter: words for the page, or a selector for the server. */
export interface Filter {
  /** Every one of them must be in a row, or, if it begins with "!", in none of its cells. */
  words: readonly string[];
  /** As `kubectl get -l` takes it; the server filters by it. */
  labelSelector: string;
}

/** Reads "web !Running" or, as k9s has it, "-l app=web". */
export function parseFilter(text: string): Filter {
  const selector = /^\s*-l[\s=]*(.*)$/.exec(text);
  if (selector) return { words: [], labelSelector: (selector[1] ?? "").trim() };
  const words = text.toLowerCase().split(/\s+/);
  return { words: words.filter((word) => word !== "" && word !== "!"), labelSelector: "" };
}

/** True when the words of a filter leave the row in. */
export function passes(row: Row<KubeObject>, { words }: Filter): boolean {
  if (words.length === 0) return true;
  const text = [row.object.metadata.namespace ?? "", ...Object.values(row.cells)]
    .join("\n")
    .toLowerCase();
  return words.every((word) =>
    word.startsWith("!") ? !text.includes(word.slice(1)) : text.includes(word),
  );
}

/** The width of each column in characters: its longest text, within bounds. */
export function columnWidths(
  rows: readonly Row<KubeObject>[],
  columns: readonly Column[],
  longest = 64,
): number[] {
  return columns.map(({ name }) => {
    let width = name.length + 2;
    for (const { object, cells } of rows) {
      const text = name === "Namespace" ? (object.metadata.namespace ?? "") : (cells[name] ?? "");
      if (text.length > width) width = text.length;
    }
    // "10m59s": an age grows while nothing else changes.
    return Math.min(Math.max(width, name === "Age" ? 6 : 4), longest);
  });
}

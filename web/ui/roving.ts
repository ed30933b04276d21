/**
 * Moves the focus among items in columns with the arrow keys, Home and End. Returns whether the
 * key was one of these. An item counts as focused also inside a shadow root.
 */
export function moveFocus(columns: HTMLElement[][], key: string): boolean {
  const focused = (item: HTMLElement) => item.matches(":focus");
  const x = columns.findIndex((items) => items.some(focused));
  const column = columns[x];
  if (!column) return false;
  const y = column.findIndex(focused);
  const target = targetOf(columns, x, y, key);
  if (target === undefined) return false;
  target?.focus();
  return true;
}

/** Undefined for a key that moves nothing, null at an edge. */
function targetOf(
  columns: HTMLElement[][],
  x: number,
  y: number,
  key: string,
): HTMLElement | null | undefined {
  const column = columns[x] ?? [];
  const beside = (to: number) => columns[to]?.[Math.min(y, columns[to].length - 1)] ?? null;
  switch (key) {
    case "ArrowUp":
      return column[y - 1] ?? null;
    case "ArrowDown":
      return column[y + 1] ?? null;
    case "ArrowLeft":
      return beside(x - 1);
    case "ArrowRight":
      return beside(x + 1);
    case "Home":
      return column[0] ?? null;
    case "End":
      return column.at(-1) ?? null;
    default:
      return undefined;
  }
}

/*
 * One stop of Tab for the whole drawing, as it may have hundreds of parts that open: the arrow keys lead
 * from part to part, as they lie.
 */

interface Middle {
  readonly x: number;
  readonly y: number;
}

const AHEAD: Readonly<Record<string, Middle>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** Which of `parts` a key leads to from one that lies at `from`; undefined at an edge. Lengths in pixels. */
export function toward(from: Middle, parts: readonly Middle[], key: string): number | undefined {
  if (key === "Home") return parts.length > 0 ? 0 : undefined;
  if (key === "End") return parts.length > 0 ? parts.length - 1 : undefined;
  const way = AHEAD[key];
  if (!way) return undefined;
  let nearest: number | undefined;
  let least = Infinity;
  parts.forEach(({ x, y }, i) => {
    const along = (x - from.x) * way.x + (y - from.y) * way.y;
    const aside = Math.abs((x - from.x) * way.y) + Math.abs((y - from.y) * way.x);
    // What lies more aside than ahead is another key's.
    if (along < 1 || aside > along * 3) return;
    const far = along + 2 * aside;
    if (far >= least) return;
    least = far;
    nearest = i;
  });
  return nearest;
}

const partsOf = (stage: Element) => [...stage.querySelectorAll<SVGElement>("svg [role=button]")];

/** Leaves one part that Tab comes to: the one it came to last, if it is there. */
export function leaveOneStop(stage: Element): void {
  if (stage.querySelector("svg [role=button][tabindex='0']")) return;
  stage.querySelector("svg [role=button]")?.setAttribute("tabindex", "0");
}

/** The part that has the focus is the one that Tab comes back to. */
export function stopsAt(stage: Element, target: EventTarget | null): void {
  if (!(target instanceof SVGElement) || target.getAttribute("role") !== "button") return;
  for (const part of stage.querySelectorAll("svg [tabindex='0']"))
    part.setAttribute("tabindex", "-1");
  target.setAttribute("tabindex", "0");
}

/** Moves the focus as a key says. From the stage itself they lead in, if they do not scroll it. */
export function rove(stage: Element, event: KeyboardEvent): void {
  const parts = partsOf(stage);
  const at = parts.findIndex((part) => part === event.target);
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (!(event.key in AHEAD) && event.key !== "Home" && event.key !== "End") return;
  if (at < 0) {
    const scrolls =
      stage.scrollHeight > stage.clientHeight || stage.scrollWidth > stage.clientWidth;
    if (!scrolls && event.target === stage) {
      event.preventDefault();
      parts.find((part) => part.getAttribute("tabindex") === "0")?.focus();
    }
    return;
  }
  event.preventDefault();
  const middles = parts.map((part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return { x: (left + right) / 2, y: (top + bottom) / 2 };
  });
  const from = middles[at];
  const to = from && toward(from, middles, event.key);
  if (to !== undefined) parts[to]?.focus();
}

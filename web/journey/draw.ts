import { nothing, svg } from "lit";
import { POD_STATES, type PodState } from "../kube/podstate.ts";
import { glyph } from "../ui/glyph.ts";
import type { Label, Point } from "./layout.ts";
import { drawnOf, hasStarted } from "./standing.ts";

/** A line through points. */
export function line(points: readonly Point[], name: string) {
  return svg`<polyline class=${name} points=${points.map(({ x, y }) => `${x},${y}`).join(" ")} />`;
}

/** A node's pods, each as on the map, as many as have room, and how many more there are. */
export function drawPods(
  pods: ReadonlyMap<string, PodState>,
  x: number,
  y: number,
  room: number,
  open: (pod: string) => void,
) {
  const drawn = drawnOf(pods, Math.floor((room + 8) / 22));
  const more = pods.size - drawn.length;
  return svg`${drawn.map(([name, state], i) => drawPod(name, state, { x: x + 22 * i, y }, () => open(name)))}
    ${more > 0 ? svg`<text class="small" x=${x + 22 * drawn.length} y=${y + 12}>+${more}</text>` : nothing}`;
}

function drawPod(name: string, state: PodState, { x, y }: Point, open: () => void) {
  const words = `${name}: ${POD_STATES.find((one) => one.state === state)?.label ?? state}`;
  const opens = (event: Event) => {
    // Its node lies around it.
    event.stopPropagation();
    open();
  };
  return svg`<g transform="translate(${x - 2.6} ${y - 2.6}) scale(1.2)">${glyph(state)}</g>
    <rect class="pod" role="button" tabindex="-1" aria-label="Open the pod ${words}" ?data-started=${hasStarted(state)} x=${x - 3} y=${y - 4} width="20" height="22" @click=${opens} @keydown=${byKey(open)}><title>${words}</title></rect>`;
}

/** What a click does, by the keyboard. */
export function byKey(act: () => void) {
  return (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  };
}

/** What waits in a queue: a mark for each item, up to five. */
export function drawQueue(waiting: number, x: number, y: number) {
  if (waiting === 0) return nothing;
  const drawn = Math.min(waiting, 5);
  return svg`<g>${Array.from({ length: drawn }, (_, i) => svg`<rect class="item" x=${x - 9 * i} y=${y - 9} width="6" height="10" />`)}
    <title>${`${waiting} in its queue`}</title></g>`;
}

/** A mark for each plugin that a request comes to at a station; those that changed or refused it stand out. */
export function drawStops(
  names: readonly string[],
  acted: ReadonlySet<string>,
  { x, y }: Point,
  { anchor, dx, stops }: Label,
) {
  if (!stops || names.length === 0) return nothing;
  const each = Math.min(8, stops.room / names.length);
  const wide = each * names.length;
  const begin = x + dx - (anchor === "middle" ? wide / 2 : 0);
  return svg`<g>${names.map(
    (name, i) =>
      svg`<rect class="stop" ?data-acted=${acted.has(name)} x=${begin + each * i} y=${y + stops.dy} width=${each * 0.6} height="7"><title>${name}</title></rect>`,
  )}</g>`;
}

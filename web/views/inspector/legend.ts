import { html, nothing, svg } from "lit";
import { POD_STATES } from "../../kube/podstate.ts";
import { glyph } from "../../ui/glyph.ts";

/** What stands above the legend, by the view that it stands beside: those that draw pods. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ["map", "Pods in the map"],
  ["journey", "Pods"],
]);

/**
 * The journey's small marks and those of its lines that are none between neighbours, drawn as it does (drawQueue and
 * drawStops in web/journey/draw.ts, .answer and .binding in web/journey/journey-style.ts).
 */
const TICKS = [
  { mark: "item", label: "Ticks in a controller's box: items that wait in its queue" },
  {
    mark: "stop",
    label:
      "Ticks below admission and validation: plugins, blue those that changed or refused something",
  },
  { mark: "answer", label: "Dashes: an answer goes back to who asked, with its code" },
  {
    mark: "binding",
    label: "Dots to a node: the one that a Binding names, in the pod; nothing goes along them",
  },
] as const;

type Mark = (typeof TICKS)[number]["mark"];

export interface Legend {
  readonly title: string;
  readonly ticks: readonly { readonly mark: Mark; readonly label: string }[];
}

/** Of shapes and colours, beside a view; undefined where none is needed. */
export function legendOf(shown: string): Legend | undefined {
  const title = TITLES.get(shown);
  if (title === undefined) return undefined;
  return { title, ticks: shown === "journey" ? TICKS : [] };
}

export function legend(shown: string) {
  const found = legendOf(shown);
  if (!found) return nothing;
  return html`<h2>${found.title}</h2>
    <ul class="legend">
      ${POD_STATES.map(({ state, label }) => html`<li>${glyph(state)} ${label}</li>`)}
      ${found.ticks.map(({ mark, label }) => html`<li>${tick(mark)} ${label}</li>`)}
    </ul>`;
}

function tick(mark: Mark) {
  if (mark === "answer" || mark === "binding")
    return svg`<svg class="tick" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><line x1="1" y1="8" x2="15" y2="8" data-line=${mark} /></svg>`;
  const [width, height] = mark === "item" ? [6, 10] : [4, 8];
  const at = mark === "item" ? [1, 9] : [0, 6, 12];
  return svg`<svg class="tick" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${at.map(
    (x, i) =>
      svg`<rect x=${x} y=${(16 - height) / 2} width=${width} height=${height} ?data-blue=${mark === "item" || i === 1} />`,
  )}</svg>`;
}

import { css, svg, type SVGTemplateResult } from "lit";
import { SHAPES, type Mark, type Shape } from "./shapes.ts";

/** Decoration: the words beside it, or the label of what holds it, say the same. */
export function glyph(state: Shape): SVGTemplateResult {
  return svg`<svg class="glyph" data-state=${state} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${SHAPES[state].map(path)}</svg>`;
}

function path({ d, stroke, dash, hole }: Mark) {
  const paint = hole ? "var(--glyph-hole, #fff)" : "currentColor";
  return stroke === undefined
    ? svg`<path d=${d} fill=${paint} />`
    : svg`<path d=${d} fill="none" stroke=${paint} stroke-width=${stroke} stroke-dasharray=${dash?.join(" ") ?? "none"} />`;
}

export const glyphStyle = css`
  .glyph {
    flex: none;
    --glyph-hole: var(--panel);
  }
  [data-state="running"] {
    color: var(--running);
  }
  [data-state="standin"] {
    color: var(--standin);
  }
  [data-state="unready"] {
    color: var(--unready);
  }
  [data-state="pending"] {
    color: var(--pending);
  }
  [data-state="failing"] {
    color: var(--failing);
  }
  [data-state="terminating"] {
    color: var(--terminating);
  }
  [data-state="succeeded"] {
    color: var(--succeeded);
  }
  [data-state="unknown"] {
    color: var(--unknown);
  }
`;

import { css, svg, type SVGTemplateResult } from "lit";
import type { PodState } from "../kube/podstate.ts";

/*
 * One shape for each state, told apart without colour: filled square, half-filled square, dashed
 * ring, triangle, crossed square, tick, question mark. Drawn on a 16-pixel square.
 */
const SHAPES: Record<PodState, SVGTemplateResult> = {
  running: svg`<rect x="2" y="2" width="12" height="12" rx="2" fill="currentColor" />`,
  unready: svg`<rect x="2.75" y="2.75" width="10.5" height="10.5" rx="1.5" fill="none" stroke="currentColor" stroke-width="1.5" />
    <path d="M3 13V8h10v5z" fill="currentColor" />`,
  pending: svg`<circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" stroke-width="1.75" stroke-dasharray="3 1.9" />`,
  failing: svg`<path d="M8 1.5 15 14H1z" fill="currentColor" />
    <path d="M8 6v4M8 11.4v1.2" stroke="var(--glyph-hole, #fff)" stroke-width="1.5" />`,
  terminating: svg`<rect x="2.75" y="2.75" width="10.5" height="10.5" rx="1.5" fill="none" stroke="currentColor" stroke-width="1.5" />
    <path d="m5.5 5.5 5 5m0-5-5 5" stroke="currentColor" stroke-width="1.5" />`,
  succeeded: svg`<path d="m2.5 8.5 3.5 3.5 7.5-8" fill="none" stroke="currentColor" stroke-width="2" />`,
  unknown: svg`<rect x="2.75" y="2.75" width="10.5" height="10.5" rx="1.5" fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="2 1.5" />
    <path d="M6.2 6.4c0-2.4 3.6-2.3 3.6 0 0 1.4-1.8 1.5-1.8 3M8 10.8v1.3" fill="none" stroke="currentColor" stroke-width="1.4" />`,
};

/** Decoration: the words beside it, or the label of what holds it, say the same. */
export function glyph(state: PodState): SVGTemplateResult {
  return svg`<svg class="glyph" data-state=${state} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${SHAPES[state]}</svg>`;
}

export const glyphStyle = css`
  .glyph {
    flex: none;
    --glyph-hole: var(--panel);
  }
  [data-state="running"] {
    color: var(--running);
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

import { html, nothing } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import type { Part } from "./happened.ts";

/** What a part of a command's line leads to. */
export interface PartNeeds {
  look(step: TraceStep): void;
  /** Lights up what a part is about, wherever the page draws it; undefined: nothing any more. */
  point(part: Pick<Part, "step" | "objects"> | undefined): void;
}

/** A part of what a command set off: pointed at it lights up, a click opens its step. */
export function partButton(part: Part, on: PartNeeds, title: string, name = "") {
  const { text, step, failed } = part;
  return html`<button
    class=${name || nothing}
    ?data-failed=${failed}
    title=${title}
    @click=${() => on.look(step)}
    @pointerenter=${() => on.point(part)}
    @pointerleave=${() => on.point(undefined)}
    @focus=${() => on.point(part)}
    @blur=${() => on.point(undefined)}
  >
    ${failed ? html`<span aria-hidden="true">✕ </span>` : nothing}${text}
  </button>`;
}

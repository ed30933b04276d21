import { css, html, nothing, type TemplateResult } from "lit";
import { memoryHere } from "../sdk/memory.ts";
import { beforeStart } from "./before.ts";
import { still } from "./still.ts";

/** What an element shows: its button, how far the cluster is, why it cannot be, or what it is for. */
export type Stage =
  | { is: "waiting"; bytes?: number }
  | { is: "starting"; far: string }
  | { is: "failed"; why: string }
  | { is: "open" };

/** How far an element is, as its event "tabernetes-state" tells. */
export type ElementState = "waiting" | "starting" | "ready" | "failed";

export function stateOf({ is }: Stage): ElementState {
  return is === "open" ? "ready" : is;
}

/** What stands in an element's place until it is open. */
export function drawStage(
  stage: Stage,
  start: string,
  begin: () => void,
  above: TemplateResult | typeof nothing = nothing,
): TemplateResult {
  if (stage.is === "waiting" && memoryHere().is === "little") {
    // What would run is shown, and why not to start it; who wants to may.
    return html`<div class="poster">
      ${above} ${still()}
      <p role="status">${words(stage)}</p>
      <button class="anyway" @click=${begin}>${start} anyway</button>
    </div>`;
  }
  return html`<div class="poster">
    ${above}
    ${
      stage.is === "starting"
        ? nothing
        : html`<button @click=${begin}>${stage.is === "failed" ? "Try again" : start}</button>`
    }
    <p role="status">${words(stage)}</p>
  </div>`;
}

function words(stage: Stage): string {
  switch (stage.is) {
    case "waiting":
      return beforeStart(stage.bytes, memoryHere());
    case "starting":
      return stage.far || "Starting Kubernetes in this tab …";
    case "failed":
      return stage.why;
    case "open":
      return "";
  }
}

/** The box of an element that stands in somebody's page, whose text says its own font. */
export const boxStyle = css`
  :host {
    display: flex;
    flex-direction: column;
    box-sizing: border-box;
    position: relative;
    height: 320px;
    min-width: 0;
    overflow: hidden;
    border: 1px solid var(--tabernetes-line, rgb(128 128 128 / 50%));
    background: var(--panel);
    color: var(--text);
  }
  :host([hidden]) {
    display: none;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
`;

export const stageStyle = css`
  .poster {
    margin: auto;
    box-sizing: border-box;
    max-height: 100%;
    overflow: auto;
    padding: 16px;
    text-align: center;
    overflow-wrap: anywhere;
  }
  .still {
    display: block;
    width: 180px;
    max-width: 100%;
    margin: 0 auto;
  }
  .still .pods {
    fill: var(--accent);
  }
  .poster p {
    margin: 8px 0 0;
  }
  .poster pre {
    max-height: 40vh;
    margin: 8px 0;
    overflow: auto;
    padding: 6px 10px;
    border: 1px solid var(--tabernetes-line, rgb(128 128 128 / 50%));
    font: 13px/1.4 var(--mono);
    text-align: left;
    white-space: pre-wrap;
  }
  button {
    min-height: 40px;
    padding: 4px 20px;
    border: 1px solid var(--accent);
    border-radius: 4px;
    background: var(--accent);
    color: var(--on-accent);
    font: inherit;
    cursor: pointer;
  }
  button.anyway {
    margin-top: 8px;
    background: none;
    color: var(--accent);
  }
`;

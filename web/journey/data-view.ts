import { html, nothing } from "lit";
import { drawMatrix } from "../trace/matrix-view.ts";
import type { Data } from "./data.ts";

/** What a step knows: it stands where the object would that the step does not change. */
export function drawData({ matrix, marks, more, title, asked, lines, cut }: Data) {
  return html`<section class="data" aria-label="What this step knows">
    ${matrix ? drawMatrix(matrix) : nothing}
    ${marks === "" ? nothing : html`<p class="cut">${marks}</p>`}
    ${more > 0 ? html`<p class="cut">and ${more} more nodes: “Show the step” has all.</p>` : nothing}
    ${
      asked.length === 0
        ? nothing
        : html`<h3 id="asked">${title}</h3>
            <ol class="asked" aria-labelledby="asked">
              ${asked.map(
                ({ name, says, why, acted, refused }) =>
                  html`<li ?data-acted=${acted} ?data-refused=${refused}>
                    <span>${name}</span><span>${says}</span>
                    ${why === "" ? nothing : html`<span class="why">${why}</span>`}
                  </li>`,
              )}
            </ol>`
    }
    ${lines.length === 0 ? nothing : html`<div class="yaml">${lines.map(drawLine)}</div>`}
    ${cut === "" ? nothing : html`<p class="cut">Left out: ${cut}</p>`}
  </section>`;
}

/** What does not fit goes on a little further in. */
export function drawLine(text: string) {
  const words = text.trimStart();
  return html`<span class="text" style=${`--in: ${text.length - words.length}ch`}>${words}</span>`;
}

import { html } from "lit";
import type { Held } from "../../share/content.ts";
import { seen } from "../../share/seen.ts";

/** What a manifest holds, and the manifest itself: as text, with what cannot be seen in it made visible. */
export function held(objects: readonly Held[], text: string) {
  const count = objects.length === 1 ? "1 object" : `${objects.length} objects`;
  return html`<h3>${count}</h3>
    <ul tabindex="0" aria-label="Objects of the manifest">
      ${objects.map(
        ({ kind, name, namespace }) =>
          html`<li>
            <span>${seen(kind)}</span
            ><span
              >${namespace ? html`<span class="dim">${seen(namespace)}/</span>` : ""}${
                name ? seen(name) : html`<span class="dim">(no name)</span>`
              }</span
            >
          </li>`,
      )}
    </ul>
    <h3>The manifest</h3>
    <pre tabindex="0" aria-label="The manifest">${seen(text)}</pre>`;
}

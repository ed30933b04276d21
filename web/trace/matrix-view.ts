import { html, nothing } from "lit";
import { chosenMark } from "../ui/chosen.ts";
import type { Matrix } from "./look.ts";

/** Plugins below one another: their names are long, and a dozen of them are no columns of a narrow pane. */
export function drawMatrix({ title, plugins, rows }: Matrix) {
  return html`<h3>${title}</h3>
    <div class="wide" tabindex="0" role="region" aria-label=${title}>
      <table class="matrix">
        <thead>
          <tr>
            <th>Plugin</th>
            ${rows.map(
              ({ node, chosen }) =>
                html`<th scope="col" class="mono number" ?data-chosen=${chosen}>
                  ${chosen ? chosenMark : nothing}${node}
                </th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${plugins.map(
            (plugin, at) =>
              html`<tr>
                <th scope="row">${breakable(plugin)}</th>
                ${rows.map(({ cells, chosen }) => {
                  const { text = "", why = "", refused = false } = cells[at] ?? {};
                  return html`<td
                    class="number"
                    title=${why}
                    ?data-chosen=${chosen}
                    ?data-refused=${refused}
                  >
                    ${text}
                  </td>`;
                })}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

/** A name that may go on in the next line before each of its words. */
function breakable(name: string) {
  return name.split(/(?<=[a-z])(?=[A-Z])/).map((word, at) => (at ? html`<wbr />${word}` : word));
}

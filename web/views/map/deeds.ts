import { css, html, nothing } from "lit";
import { inNamespace } from "../../kube/kubectl.ts";
import type { Selection } from "../../kube/selection.ts";
import { sh } from "../../kube/shell-line.ts";
import type { Deed } from "../../map/deeds.ts";
import { ABOVE, type Thing } from "../../map/storeys.ts";
import { ask } from "../../ui/ask.ts";

/** Types a line into the terminal and runs it. */
export type Run = (line: string) => void;

/** What kubectl scale scales. */
const SCALED = ["deployments", "statefulsets", "replicasets"];

/** Below the map: what can be done with what is selected, each with the line that does it. */
export function deedsBar(
  { kind, name }: Selection,
  deeds: readonly Deed[],
  thing: Thing | undefined,
  run: Run,
) {
  if (deeds.length === 0) return nothing;
  return html`<div class="deeds" role="group" aria-label=${`Actions on ${kind}/${name}`}>
    <span class="of mono">${kind}/${name}</span>
    ${thing ? replicas(thing, run) : nothing}
    ${deeds.map(
      (deed) =>
        html`<span class="deed"
          ><button
            class="quiet"
            aria-label=${`${deed.verb} ${name}: ${deed.line}`}
            title=${deed.means ?? deed.loses ?? deed.line}
            @click=${() => void perform(deed, `${kind}/${name}`, run)}
          >
            ${deed.verb}</button
          ><code class="mono" title=${deed.line}>${deed.line}</code></span
        >`,
    )}
  </div>`;
}

/** Runs its line, where something is lost by it after asking. */
export async function perform({ verb, line, loses }: Deed, what: string, run: Run): Promise<void> {
  const yes =
    loses === undefined ||
    (await ask({ title: `${verb} ${what}?`, text: loses, line, verb, loses: true }));
  if (yes) run(line);
}

/** How many it is to have, by the command that says so. */
function replicas(thing: Thing, run: Run) {
  const { resource, name, namespace, wanted, owner } = thing;
  if (!SCALED.includes(resource) || wanted === undefined || owner !== undefined) return nothing;
  const line = (n: number) =>
    sh`kubectl scale ${[`${ABOVE[resource].kind}/${name}`, `--replicas=${n}`, ...inNamespace(namespace)]}`;
  const button = (text: string, words: string, n: number) =>
    html`<button
      class="quiet"
      ?disabled=${n < 0}
      aria-label=${words}
      title=${line(Math.max(0, n))}
      @click=${() => run(line(n))}
    >
      ${text}
    </button>`;
  return html`<span class="deed">
    <span>replicas</span>
    ${button("−", "One replica less", wanted - 1)}<b class="mono">${wanted}</b>
    ${button("+", "One replica more", wanted + 1)}
    <code class="mono">${line(wanted + 1)}</code>
  </span>`;
}

export const deedsStyle = css`
  .deeds {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px 16px;
    max-height: 40%;
    margin-top: 8px;
    padding-top: 6px;
    border-top: 1px solid var(--line);
    overflow: auto;
    color: var(--text-2);
    font-size: var(--size-s);
  }
  .deeds .of {
    max-width: 100%;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    unicode-bidi: isolate;
    color: var(--text);
  }
  .deed {
    display: flex;
    align-items: center;
    gap: 4px;
    min-width: 0;
    max-width: 100%;
  }
  .deed button {
    flex: none;
    min-width: 26px;
    min-height: 24px;
  }
  .deed code {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    font-size: 11px;
  }
`;

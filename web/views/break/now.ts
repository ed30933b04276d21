import { html, nothing } from "lit";
import { explain } from "../../explain/explain.ts";
import type { Explanation } from "../../explain/types.ts";
import type { KubeObject } from "../../kube/types.ts";
import { objectRoute } from "../../page/address.ts";
import { formatRoute } from "../../page/route.ts";
import type { Session } from "../../session/session.ts";
import { glyph } from "../../ui/glyph.ts";

/** How many of a namespace's pods are told of. */
const MOST = 4;

/** What fails in a namespace at this moment, in the pods' own words, and on the node that was harmed. */
export function now(
  { pods, nodes, events }: Pick<Session, "pods" | "nodes" | "events">,
  namespace: string,
  node = "",
) {
  const inIt = objects(pods).filter(({ metadata }) => metadata.namespace === namespace);
  const harmed = objects(nodes).filter(({ metadata }) => metadata.name === node);
  const around = { now: Date.now(), events: objects(events), pods: inIt };
  const told = [...harmed, ...inIt].flatMap((object) => {
    const why = explain(object, around);
    return why ? [{ object, why }] : [];
  });
  if (told.length === 0) return nothing;
  return html`<ul class="now" aria-label="What is seen now">
    ${told.slice(0, MOST).map(({ object, why }) => line(object, why))}
    ${told.length > MOST ? html`<li><span></span>and ${told.length - MOST} more</li>` : nothing}
  </ul>`;
}

function line(
  { kind, metadata: { name, namespace } }: KubeObject,
  { state, sentence }: Explanation,
) {
  const resource = kind === "Node" ? "nodes" : "pods";
  const place = { group: "", version: "v1", resource, ...(namespace ? { namespace } : {}), name };
  const shape = state === "cordoned" ? "pending" : state;
  return html`<li>
    <span data-state=${shape}>${glyph(shape)}</span>
    <span
      ><a class="mono" href=${formatRoute(objectRoute(place))}>${resource.slice(0, -1)}/${name}</a>
      ${sentence}</span
    >
  </li>`;
}

function objects<T extends KubeObject>({
  state,
}: {
  state: { rows: ReadonlyMap<string, { object: T }> };
}): T[] {
  return [...state.rows.values()].map(({ object }) => object);
}

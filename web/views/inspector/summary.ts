import { html, nothing, type TemplateResult } from "lit";
import type { TabNeeds } from "./tab.ts";
import { objectRoute } from "../../page/address.ts";
import { age } from "../../kube/age.ts";
import { placeOf, type ApiPlace } from "../../kube/apipath.ts";
import { segments, type ConditionHistory } from "../../kube/conditions.ts";
import { byKind } from "../../kube/discovery.ts";
import { podState } from "../../kube/podstate.ts";
import { containerFacts, type ContainerFacts } from "../../kube/container-state.ts";
import { cellText } from "../../kube/tables.ts";
import type { Column, KubeObject, OwnerReference, Pod, Row } from "../../kube/types.ts";
import { formatRoute } from "../../page/route.ts";
import { glyph } from "../../ui/glyph.ts";

/** What the server's table says of the object, column by column, and what its metadata says. */
export function summary(
  on: TabNeeds,
  place: ApiPlace,
  row: Row<KubeObject>,
  columns: readonly Column[],
  history: ConditionHistory,
): TemplateResult {
  const { metadata } = row.object;
  const now = Date.now();
  const status = row.cells.Status;
  const isPod = place.resource === "pods" && place.group === "";
  const owners = metadata.ownerReferences ?? [];
  return html`${
      status
        ? html`<p class="state" data-state=${isPod ? podState(row as Row<Pod>) : nothing}>
            ${isPod ? glyph(podState(row as Row<Pod>)) : nothing} <b>${status}</b>
          </p>`
        : nothing
    }
    ${isPod ? pod(row.object, now) : nothing}
    <dl>
      ${columns
        .filter(({ name }) => name !== "Name" && name !== "Status")
        .map(({ name, description }) => fact(name, cellText(row, name, now), description))}
      ${metadata.namespace ? fact("Namespace", metadata.namespace) : nothing}
      ${
        owners.length > 0
          ? html`<dt>Owned by</dt>
              ${owners.map((owner) => html`<dd class="mono">${ownerLink(on, place, owner)}</dd>`)}`
          : nothing
      }
    </dl>
    ${conditions(history, metadata.creationTimestamp, now)} ${pairs("Labels", metadata.labels)}
    ${pairs("Annotations", metadata.annotations)}
    ${
      metadata.finalizers
        ? html`<h2>Finalizers</h2>
            <p class="mono">${metadata.finalizers.join(", ")}</p>`
        : nothing
    }`;
}

/** The containers of a pod, each with its own reasons; why the pod does not run stands above it. */
function pod(object: KubeObject, now: number) {
  return html`<ul class="containers" aria-label="Containers">
    ${containerFacts(object, now).map(container)}
  </ul>`;
}

function container(facts: ContainerFacts) {
  const { name, image, kind, state, bad, standIn, message, before, next, restarts } = facts;
  const times = restarts === 1 ? "once" : `${restarts} times`;
  return html`<li>
    <span class="mono"
      ><b>${name}</b>${kind ? html` <span class="kind">${kind}</span>` : nothing}</span
    >
    <span class="mono image">${image}</span>
    ${standIn ? html`<p data-state="standin">A stand-in: the tab does not have this image.</p>` : nothing}
    <p ?data-bad=${bad}>${state}${next ? `, starts again ${next}` : ""}</p>
    ${message ? html`<p class="said">${message}</p>` : nothing}
    ${before || restarts > 0 ? html`<p class="before">${restarts > 0 ? `Restarted ${times}. ` : ""}${before ? `Before: ${before}` : ""}</p>` : nothing}
  </li>`;
}

function fact(name: string, value: string, description?: string) {
  // What kubectl writes where there is nothing to say.
  return value && value !== "<none>"
    ? html`<dt title=${description ?? nothing}>${name}</dt>
        <dd class="mono">${value}</dd>`
    : nothing;
}

function ownerLink(on: TabNeeds, place: ApiPlace, { apiVersion = "", kind, name }: OwnerReference) {
  const resource = byKind(on.session.catalog.served.state.resources, apiVersion, kind);
  const text = `${kind}/${name}`;
  if (!resource) return text;
  const route = objectRoute(placeOf(resource, place.namespace, name));
  return html`<a href=${formatRoute(route)}>${text}</a>`;
}

function pairs(title: string, values: Record<string, string> | undefined) {
  const entries = Object.entries(values ?? {});
  if (entries.length === 0) return nothing;
  return html`<h2>${title}</h2>
    <dl class="pairs mono">${entries.map(([key, value]) => pair(key, value))}</dl>`;
}

/** Characters of key and value that stand beside each other, and of a value that is not folded. */
const BESIDE = 40;
const SHORT = 200;

/** What programs keep for themselves (kubectl apply its whole last manifest) is folded away. */
function pair(key: string, value: string) {
  const long = key.length + value.length > BESIDE ? "long" : nothing;
  if (value.length <= SHORT) {
    return html`<dt class=${long}>${key}</dt>
      <dd class=${long}>${value}</dd>`;
  }
  return html`<dt class="long">${key}</dt>
    <dd class="long">
      <details>
        <summary>${value.length} characters</summary>
        <div class="value">${value}</div>
      </details>
    </dd>`;
}

/** Each condition on a line of time: filled while True, empty while False, hatched while Unknown. */
function conditions(history: ConditionHistory, created: string | undefined, now: number) {
  if (history.size === 0) return nothing;
  const first = Math.min(...[...history.values()].map((all) => all[0]?.at ?? now));
  const start = Math.min(first, Date.parse(created ?? "") || first);
  return html`<h2>Conditions <span class="span mono">${age(iso(start), now)}</span></h2>
    <ul class="conditions">
      ${[...history].map(([type, transitions]) => {
        const last = transitions.at(-1);
        const words = last?.status === "" ? "gone" : (last?.status ?? "");
        return html`<li>
          <span class="type mono ellipsis" title=${type}>${type}</span>
          <b class="mono">${words}</b>
          <span class="since mono">${last ? age(iso(last.at), now) : ""}</span>
          <span class="line" aria-hidden="true"
            >${segments(transitions, start, now).map(
              ({ status, from, to, transition }) =>
                html`<i
                  data-status=${status}
                  style=${`left:${(from * 100).toFixed(2)}%;width:max(2px, ${((to - from) * 100).toFixed(2)}%)`}
                  title=${`${status} ${transition.reason} since ${new Date(transition.at).toLocaleTimeString("en-GB")}`}
                ></i>`,
            )}</span
          >
          ${last?.reason || last?.message ? html`<p>${[last.reason, last.message].filter((t) => t).join(": ")}</p>` : nothing}
          ${
            transitions.length > 1
              ? html`<details>
                  <summary>${transitions.length - 1} earlier</summary>
                  <ol>
                    ${transitions
                      .slice(0, -1)
                      .reverse()
                      .map(
                        (t) =>
                          html`<li class="mono">
                            ${new Date(t.at).toLocaleTimeString("en-GB")} ${t.status || "gone"}
                            ${t.reason}
                          </li>`,
                      )}
                  </ol>
                </details>`
              : nothing
          }
        </li>`;
      })}
    </ul>`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

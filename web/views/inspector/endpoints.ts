import { css, html, LitElement, nothing } from "lit";
import type { ApiPlace } from "../../kube/apipath.ts";
import { endpointsOf, type Endpoint, type EndpointSlice } from "../../kube/endpoints.ts";
import { follow, type Followed } from "../../kube/follow.ts";
import { objectRoute } from "../../page/address.ts";
import { formatRoute } from "../../page/route.ts";
import type { Session } from "../../session/session.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";

/** What it stands over. */
export interface EndpointsNeeds {
  session: Pick<Session, "fetch">;
}

/** Where the traffic of a Service goes, live: the addresses of its EndpointSlices. */
export class EndpointsView extends LitElement {
  static override properties = { service: { attribute: false } };
  static override styles = [
    base,
    css`
      :host {
        margin-bottom: 16px;
      }
      h2 {
        margin: 20px 0 8px;
        font-size: var(--size-m);
        font-weight: 600;
      }
      ul {
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: flex;
        flex-wrap: wrap;
        gap: 2px 12px;
        padding: 4px 0;
        border-top: 1px solid var(--line);
        overflow-wrap: anywhere;
      }
      a {
        min-width: 0;
        color: var(--accent);
      }
      .ready {
        margin-left: auto;
        color: var(--running);
      }
      .ready[data-not] {
        color: var(--unready);
      }
      p {
        margin: 0;
        color: var(--text-2);
      }
      .problem {
        color: var(--failing);
      }
    `,
  ];
  declare service: ApiPlace | undefined;
  readonly #on: EndpointsNeeds;
  #followed: Followed<EndpointSlice> | undefined;
  #key = "";

  constructor(on: EndpointsNeeds) {
    super();
    this.#on = on;
    this.service = undefined;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#follow();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unfollow();
  }

  protected override willUpdate(): void {
    if (this.isConnected) this.#follow();
  }

  override render() {
    const state = this.#followed?.rows.state;
    const problem = this.#followed?.problem;
    if (problem)
      return html`<h2>Endpoints</h2>
        <p class="problem">${problem}</p>`;
    if (!state?.synced) return nothing;
    const endpoints = endpointsOf([...state.rows.values()].map(({ object }) => object));
    return html`<h2>Endpoints</h2>
      ${
        endpoints.length === 0
          ? html`<p>None: no pod matches its selector, or none has an address yet.</p>`
          : html`<ul>
              ${endpoints.map((endpoint) => line(endpoint))}
            </ul>`
      }`;
  }

  #follow(): void {
    const { service } = this;
    const key = service ? `${service.namespace ?? ""}/${service.name ?? ""}` : "";
    if (key === this.#key) return;
    this.#unfollow();
    this.#key = key;
    if (!service?.name || !service.namespace) return;
    const namespace = encodeURIComponent(service.namespace);
    this.#followed = follow<EndpointSlice>({
      fetch: this.#on.session.fetch,
      path: `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
      query: { labelSelector: `kubernetes.io/service-name=${service.name}` },
      changed: () => this.requestUpdate(),
    });
  }

  #unfollow(): void {
    this.#followed?.dispose();
    this.#followed = undefined;
    this.#key = "";
  }
}

function line({ address, ready, terminating, nodeName, target }: Endpoint) {
  const state = terminating ? "terminating" : ready ? "ready" : "not ready";
  return html`<li class="mono">
    <span>${address}</span>
    ${target ? where(target) : nothing} ${nodeName ? html`<span>${nodeName}</span>` : nothing}
    <span class="ready" ?data-not=${!ready || terminating}>${state}</span>
  </li>`;
}

function where({ kind, name, namespace }: NonNullable<Endpoint["target"]>) {
  const text = `${kind.toLowerCase()}/${name}`;
  if (kind !== "Pod") return html`<span>${text}</span>`;
  const place = { group: "", version: "v1", resource: "pods", namespace, name };
  return html`<a href=${formatRoute(objectRoute(place))}>${text}</a>`;
}

define("tn-endpoints", EndpointsView);

import { css, html, LitElement, nothing } from "lit";
import { entriesOf, SINGULAR, type Openable } from "../../browser/sites.ts";
import { follow, type Followed } from "../../kube/follow.ts";
import type { KubeObject } from "../../kube/types.ts";
import { browserRoute } from "../../page/browser-route.ts";
import { formatRoute } from "../../page/route.ts";
import type { Session } from "../../session/session.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";

/** What it stands over. */
export interface OpenablesNeeds {
  readonly session: Pick<Session, "fetch" | "nodes">;
}

/** How many objects are listed of each kind. */
const MOST = 200;

const LISTS: readonly [Openable, string][] = [
  ["services", "/api/v1/services"],
  ["ingresses", "/apis/networking.k8s.io/v1/ingresses"],
];

/** What there is to open, when the address names nothing: every entry of Services and Ingresses. */
export class Openables extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        padding: 8px 16px;
        overflow: auto;
      }
      h2 {
        margin: 8px 0 4px;
        font-size: var(--size-m);
        font-weight: 600;
      }
      ul {
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        padding: 4px 0;
        border-bottom: 1px solid var(--line);
        overflow-wrap: anywhere;
      }
      a {
        color: var(--accent);
      }
    `,
  ];
  readonly #on: OpenablesNeeds;
  #followed: Followed<KubeObject>[] = [];

  constructor(on: OpenablesNeeds) {
    super();
    this.#on = on;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { fetch } = this.#on.session;
    this.#followed = LISTS.map(([, path]) =>
      follow<KubeObject>({ fetch, path, changed: () => this.requestUpdate() }),
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const followed of this.#followed.splice(0)) followed.dispose();
  }

  override render() {
    const nodes = [...this.#on.session.nodes.state.rows.values()].map(({ object }) => object);
    const entries = LISTS.flatMap(([resource], i) =>
      [...(this.#followed[i]?.rows.state.rows.values() ?? [])]
        .slice(0, MOST)
        .flatMap(({ object }) =>
          entriesOf(resource, object, nodes).map((entry) => ({ resource, object, entry })),
        ),
    );
    return html`<h2>Open a page of the cluster</h2>
      ${
        entries.length === 0
          ? html`<p>
              There is no Service yet. Type
              <code class="mono">kubectl create deployment web --image=nginx</code>, then
              <code class="mono">kubectl expose deployment web --port=80 --type=NodePort</code>.
            </p>`
          : nothing
      }
      <ul>
        ${entries.map(({ resource, object: { metadata }, entry }) => {
          const { name, namespace = "default" } = metadata;
          const route = browserRoute({ resource, namespace, name, entry: entry.name, at: "" });
          return html`<li>
            <a class="mono" href=${formatRoute(route)}
              >${SINGULAR[resource]}/${name}${namespace === "default" ? "" : ` -n ${namespace}`}</a
            >
            <span class="mono">${entry.site.origin}${entry.path}</span>
          </li>`;
        })}
      </ul>`;
  }
}

define("tn-openables", Openables);

import { html, LitElement, nothing } from "lit";
import frameAddress from "virtual:browser-frame";
import { Browsing } from "../../browser/browsing.ts";
import {
  entriesOf,
  servicesOf,
  SINGULAR,
  sitesOf,
  type Entry,
  type Openable,
} from "../../browser/sites.ts";
import { LACKING, problemWords } from "../../browser/words.ts";
import { endpointsOf, type EndpointSlice } from "../../kube/endpoints.ts";
import { fieldSelector } from "../../kube/fields.ts";
import { follow, type Followed } from "../../kube/follow.ts";
import type { HubConnection } from "../../hub/connection.ts";
import type { KubeObject } from "../../kube/types.ts";
import type { Page } from "../../page/page.ts";
import { parseBrowserRoute, withAt, type BrowserRoute } from "../../page/browser-route.ts";
import { messageOf } from "../../rpc/reason.ts";
import type { Session } from "../../session/session.ts";
import { base } from "../../ui/base.ts";
import { copy } from "../../ui/copy.ts";
import { define } from "../../ui/define.ts";
import { Watched } from "../../ui/watched.ts";
import { answeredWords } from "./answered.ts";
import { browserStyle } from "./style.ts";
import { Openables } from "./openables.ts";

/** What it stands over. */
export interface BrowserNeeds {
  readonly session: Pick<Session, "cluster" | "fetch" | "nodes" | "pods">;
  readonly page: Pick<Page, "route" | "shown" | "terminal">;
  readonly hub: Pick<HubConnection, "state" | "hostOf" | "ticket">;
}

/**
 * What a browser shows of a Service, an Ingress or a pod: asked for by the cluster's own data path, in
 * a frame that reaches nothing else, and asked for again as other endpoints come to serve it.
 */
export class BrowserView extends LitElement {
  static override properties = {
    typed: { state: true },
    reloads: { state: true },
    unopened: { state: true },
  };
  static override styles = [base, browserStyle];
  declare typed: string | undefined;
  /** It loads again by itself as endpoints change. */
  declare reloads: boolean;
  /** Why its own address could not be opened. */
  declare unopened: string;
  readonly #on: BrowserNeeds;
  readonly #place = document.createElement("div");
  readonly #openables: Openables;
  readonly #route;
  readonly #nodes;
  #key = "";
  #opened: BrowserRoute | undefined;
  #object: Followed<KubeObject> | undefined;
  #slices: Followed<EndpointSlice> | undefined;
  #entries: readonly Entry[] = [];
  #ready: { key: string; count: number } | undefined;
  #browsing: Browsing | undefined;
  #told: { dispose(): void } | undefined;
  /** Endpoints have changed while a document was loading. */
  #again = false;

  constructor(on: BrowserNeeds) {
    super();
    this.#on = on;
    this.typed = undefined;
    this.reloads = true;
    this.unopened = "";
    this.#place.className = "place";
    this.#openables = new Openables(on);
    this.#route = new Watched(this, on.page.route);
    this.#nodes = new Watched(this, on.session.nodes, 500);
    this.addController(new Watched(this, on.hub.state));
    // The row of an endpoint's pod may come after its answer.
    this.addController(new Watched(this, on.session.pods, 500));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#close();
    this.#key = "";
  }

  override render() {
    const asked = parseBrowserRoute(this.#route.state);
    // Another view is shown: this one keeps what it has.
    if (this.#on.page.shown.state === "browser") this.#follow(asked);
    if (!this.#opened) return this.#openables;
    const { resource, name, namespace } = this.#opened;
    const state = this.#browsing?.state.state;
    const object = this.#subject();
    this.#place.toggleAttribute("data-old", state?.problem !== undefined);
    return html`<form class="bar" @submit=${(event: Event) => this.#submit(event)}>
        <button
          type="button"
          class="quiet"
          title="Back"
          aria-label="Back"
          ?disabled=${!state?.canBack}
          @click=${() => this.#browsing?.step(-1)}
        >
          ←
        </button>
        <button
          type="button"
          class="quiet"
          title="Forward"
          aria-label="Forward"
          ?disabled=${!state?.canForward}
          @click=${() => this.#browsing?.step(1)}
        >
          →
        </button>
        <button
          type="button"
          class="quiet"
          ?disabled=${!state?.url}
          @click=${() => this.#browsing?.reload()}
        >
          Reload
        </button>
        <input
          class="mono"
          aria-label="Address"
          spellcheck="false"
          autocapitalize="off"
          autocomplete="off"
          maxlength="4096"
          .value=${this.typed ?? state?.url ?? ""}
          @input=${(event: Event) => (this.typed = (event.target as HTMLInputElement).value)}
          @keydown=${(event: KeyboardEvent) => event.key === "Escape" && (this.typed = undefined)}
        />
        <label
          title="Asks again whenever other endpoints come to serve it: a rollout is seen as it happens"
        >
          <input
            type="checkbox"
            .checked=${this.reloads}
            @change=${(event: Event) => (this.reloads = (event.target as HTMLInputElement).checked)}
          />
          Follow rollouts
        </label>
      </form>
      <p class="status" role="status">
        <span class="mono"
          >${SINGULAR[resource]}/${name}${namespace === "default" ? "" : ` -n ${namespace}`}</span
        >
        ${state ? answeredWords(state, this.#on.session.pods.state.rows.values()) : nothing}
        ${this.#ownAddress()}
      </p>
      ${this.#problems(object, this.#opened)}
      ${this.unopened ? html`<p class="note" role="alert">${this.unopened}</p>` : nothing}
      ${(state?.notes ?? []).map((note) => html`<p class="note">${note}</p>`)}
      ${(state?.lacks ?? []).map((what) => html`<p class="note">${LACKING[what]}</p>`)}
      ${this.#place}`;
  }

  #problems(object: KubeObject | undefined, opened: BrowserRoute) {
    const about = (text: string, line?: string) =>
      html`<div class="problem" role="alert">
        <p>${text}</p>
        ${
          line
            ? html`<p class="line">
                <code class="mono">${line}</code>
                <button class="quiet" @click=${() => this.#on.page.terminal?.run(line)}>Run</button>
                <button class="quiet" aria-label=${`Copy: ${line}`} @click=${copy(line)}>
                  Copy
                </button>
              </p>`
            : nothing
        }
      </div>`;
    if (this.#object?.problem) return about(this.#object.problem);
    if (this.#object && !this.#object.rows.state.synced) return nothing;
    if (!object)
      return about(
        `There is no ${SINGULAR[opened.resource]} ${opened.name} in namespace ${opened.namespace}, or no longer.`,
      );
    if (this.#entries.length === 0) {
      return about(
        `It has no address yet, or no TCP port: there is nothing to open.${opened.resource === "services" ? " A headless Service has none; open one of its pods." : ""}`,
      );
    }
    const problem = this.#browsing?.state.state.problem;
    if (!problem) return nothing;
    const { text, line } = problemWords(problem, {
      ...opened,
      services: servicesOf(opened.resource, object),
      ready: this.#ready?.count,
    });
    return about(text, line);
  }

  /** Behind a hub on this machine a Service has an address of its own, with cookies and all. */
  #ownAddress() {
    if (this.#opened?.resource !== "services") return nothing;
    const { name, namespace, entry } = this.#opened;
    const shown = URL.parse(this.#browsing?.state.state.url ?? "");
    const { pathname, search } = shown ?? { pathname: "/", search: "" };
    const port = Number(entry || this.#entries[0]?.name) || undefined;
    const visit = { name, namespace, port, path: `${pathname}${search}` };
    const host = this.#on.hub.hostOf(visit);
    if (host === undefined) return nothing;
    return html`<button
      class="own"
      title=${`http://${host}${visit.path} in a tab of its own: with cookies, modules and everything that a frame cannot have`}
      @click=${() => this.#openOwn(visit)}
    >
      Own address <span aria-hidden="true">↗</span>
    </button>`;
  }

  #openOwn(visit: Parameters<HubConnection["ticket"]>[0]): void {
    this.unopened = "";
    this.#on.hub.ticket(visit).then(
      // It is another origin: it gets no hold of this page.
      (url) => void window.open(url, "_blank", "noopener,noreferrer"),
      (error: unknown) => {
        const why = messageOf(error);
        this.unopened = `Its own address was not opened: ${why}.`;
      },
    );
  }

  #submit(event: Event): void {
    event.preventDefault();
    const current = this.#browsing?.state.state.url ?? "";
    const url = URL.parse(this.typed ?? current, current);
    if (!url || !this.#browsing) return;
    this.typed = undefined;
    this.#browsing.go(url.href);
  }

  #subject(): KubeObject | undefined {
    const [row] = this.#object?.rows.state.rows.values() ?? [];
    return row?.object;
  }

  /** Opens what the address asks for, if that is something else than before. */
  #follow(asked: BrowserRoute | undefined): void {
    const key = asked ? `${asked.resource}/${asked.namespace}/${asked.name}/${asked.entry}` : "";
    if (key === this.#key) {
      if (!asked) return;
      if (!this.#browsing) this.#enter(asked);
      else if (asked.at !== this.#opened?.at) this.#goTo(asked);
      return;
    }
    this.#close();
    this.#key = key;
    this.#opened = asked;
    if (!asked) return;
    const path = collection(asked.resource, asked.namespace);
    const { fetch } = this.#on.session;
    this.#object = follow<KubeObject>({
      fetch,
      path,
      query: { fieldSelector: fieldSelector({ "metadata.name": asked.name }) },
      changed: () => this.requestUpdate(),
    });
    if (asked.resource === "pods") return;
    this.#slices = follow<EndpointSlice>({
      fetch,
      path: collection("endpointslices", asked.namespace),
      changed: () => this.#endpointsChanged(),
    });
  }

  /** Goes in by the entry that was asked for, as soon as there is one. */
  #enter(asked: BrowserRoute): void {
    const object = this.#subject();
    if (!object) return;
    const nodes = [...this.#nodes.state.rows.values()].map(({ object }) => object);
    this.#entries = entriesOf(asked.resource, object, nodes);
    const entry = this.#entries.find(({ name }) => name === asked.entry) ?? this.#entries[0];
    if (!entry) return;
    const address = new URL(frameAddress, document.baseURI).href;
    const { client } = this.#on.session.cluster;
    const browsing = new Browsing(address, this.#place, client, sitesOf(this.#entries));
    this.#browsing = browsing;
    this.#told = browsing.state.subscribe(() => this.#changed());
    browsing.go(new URL(asked.at || entry.path, entry.site.origin).href);
  }

  /** Somebody has written another path into the page's address, or opened the entry again. */
  #goTo(asked: BrowserRoute): void {
    const entry = this.#entries.find(({ name }) => name === asked.entry) ?? this.#entries[0];
    this.#opened = asked;
    if (entry) this.#browsing?.go(new URL(asked.at || entry.path, entry.site.origin).href);
  }

  #changed(): void {
    this.requestUpdate();
    const state = this.#browsing?.state.state;
    if (!state || !this.#opened) return;
    if (this.#again && !state.loading) {
      this.#again = false;
      queueMicrotask(() => this.#reloadByItself());
    }
    if (!state.url || this.#on.page.shown.state !== "browser") return;
    const { pathname, search, hash } = new URL(state.url);
    const route = withAt(this.#on.page.route.state, `${pathname}${search}${hash}`);
    this.#opened = parseBrowserRoute(route) ?? this.#opened;
    this.#on.page.route.dispatch(route);
  }

  #endpointsChanged(): void {
    const object = this.#subject();
    const state = this.#slices?.rows.state;
    if (!object || !state?.synced || !this.#opened) return;
    const services = servicesOf(this.#opened.resource, object);
    const slices = [...state.rows.values()]
      .map(({ object }) => object)
      .filter(({ metadata }) =>
        services.includes(metadata.labels?.["kubernetes.io/service-name"] ?? ""),
      );
    const ready = endpointsOf(slices).filter((one) => one.ready && !one.terminating);
    const key = ready.map(({ address, target }) => `${address} ${target?.uid ?? ""}`).join();
    const before = this.#ready;
    this.#ready = { key, count: ready.length };
    this.requestUpdate();
    if (before && before.key !== key) this.#reloadByItself();
  }

  #reloadByItself(): void {
    const browsing = this.#browsing;
    // What a form has sent is not sent twice.
    if (!this.reloads || !browsing?.harmless) return;
    if (browsing.state.state.loading) this.#again = true;
    else browsing.reload();
  }

  #close(): void {
    this.#told?.dispose();
    this.#browsing?.dispose();
    this.#object?.dispose();
    this.#slices?.dispose();
    this.#told = this.#browsing = this.#object = this.#slices = undefined;
    this.#opened = this.#ready = undefined;
    this.#entries = [];
    this.#again = false;
    this.typed = undefined;
    this.unopened = "";
  }
}

function collection(resource: Openable | "endpointslices", namespace: string): string {
  const groups = {
    services: "/api/v1",
    pods: "/api/v1",
    ingresses: "/apis/networking.k8s.io/v1",
    endpointslices: "/apis/discovery.k8s.io/v1",
  };
  return `${groups[resource]}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
}

define("tn-browser", BrowserView);

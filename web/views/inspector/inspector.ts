import { define } from "../../ui/define.ts";
import { html, LitElement, nothing } from "lit";
import type { TabNeeds } from "./tab.ts";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import { entriesOf, isOpenable } from "../../browser/sites.ts";
import { browserRoute } from "../../page/browser-route.ts";
import { formatRoute } from "../../page/route.ts";
import type { ApiPlace } from "../../kube/apipath.ts";
import { recordConditions, type ConditionHistory } from "../../kube/conditions.ts";
import { hasPodTemplate } from "../../kube/containers.ts";
import { latestEvents } from "../../kube/events.ts";
import { age } from "../../kube/age.ts";
import { kubectlArgument, kubectlArguments } from "../../kube/kubectl.ts";
import { SelectedObject } from "../../kube/selected-object.ts";
import { commandsFor, type Command, type Selection } from "../../kube/selection.ts";
import type { KubeObject, Row } from "../../kube/types.ts";
import { Progress, STEPS } from "../../kube/progress.ts";
import { suggest } from "../../kube/suggest.ts";
import type { Disposable } from "../../state/disposable.ts";
import { Watched } from "../../ui/watched.ts";
import { whole } from "../../ui/whole.ts";
import { base } from "../../ui/base.ts";
import { copy } from "../../ui/copy.ts";
import { firstFocusable } from "../../ui/focus.ts";
import { glyph, glyphStyle } from "../../ui/glyph.ts";
import { inspectorStyle } from "./style.ts";
import type { ExplanationView } from "./explanation.ts";
import { EndpointsView } from "./endpoints.ts";
import { legend } from "./legend.ts";
import { summary } from "./summary.ts";
import type { ObjectTab } from "./tab.ts";
import { askDelete, openShell } from "../../actions/object.ts";

const TABS = [
  { name: "summary", label: "Summary" },
  { name: "yaml", label: "YAML" },
  { name: "describe", label: "Describe" },
  { name: "events", label: "Events" },
  { name: "tree", label: "Tree" },
  { name: "logs", label: "Logs" },
  { name: "scheduling", label: "Scheduling" },
] as const;

/** What the address calls a tab, where that is not the tab's own name. */
const OPTIONS: Record<string, string> = { edit: "yaml", previous: "logs" };

/** What it stands over. */
export type InspectorNeeds = TabNeeds & {
  session: Pick<Session, "catalog" | "events" | "fetch" | "nodes" | "pods">;
  page: Pick<Page, "pane" | "route" | "selection" | "shown" | "showSteps" | "terminal">;
};

/** Ports, or hosts and paths, that are offered. */
const MOST_ENTRIES = 12;

function isService({ resource, group }: ApiPlace): boolean {
  return resource === "services" && group === "";
}

/** The selected object, of any kind, live: the server's words for it, its YAML, events and logs. */
export class InspectorView extends LitElement {
  static override styles = [base, glyphStyle, inspectorStyle];
  readonly #on: InspectorNeeds;
  readonly #selection;
  readonly #route;
  readonly #shown;
  readonly #events;
  readonly #served;
  readonly #endpoints: EndpointsView;
  readonly #pods;
  readonly #progress = new Progress();
  #meeting: Disposable | undefined;
  #ticker: ReturnType<typeof setInterval> | undefined;
  readonly #object: SelectedObject;
  readonly #histories = new Map<string, ConditionHistory>();
  readonly #tabs = new Map<string, ObjectTab>();
  #problem = "";
  #explanation: ExplanationView | undefined;

  constructor(on: InspectorNeeds) {
    super();
    this.#on = on;
    this.#endpoints = new EndpointsView(on);
    this.#selection = new Watched(this, on.page.selection);
    this.#route = new Watched(this, on.page.route);
    this.#object = new SelectedObject({
      fetch: on.session.fetch,
      selection: on.page.selection,
      changed: () => {
        if (this.#object.row) this.#history(this.#object.row);
        this.requestUpdate();
      },
    });
    this.#shown = new Watched(this, on.page.shown);
    this.#events = new Watched(this, on.session.events, 150);
    this.#pods = new Watched(this, on.session.pods, 500);
    this.#served = new Watched(this, on.session.catalog.served);
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate(); // it may have been elsewhere before
    // Every change: a pod that is deleted may be gone before the next drawing.
    const { pods } = this.#on.session;
    this.#meeting = pods.subscribe(({ rows }) => this.#progress.meet(rows.values()));
    // Ages grow without any message.
    this.#ticker = setInterval(() => this.#selection.state && this.requestUpdate(), 1000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ticker);
    this.#meeting?.dispose();
    this.#object.dispose();
  }

  protected override willUpdate(): void {
    if (!this.#object.select()) return;
    this.#tabs.clear();
    this.#problem = "";
    if (this.#object.place) void this.#on.session.catalog.use();
  }

  override render() {
    const selected = this.#selection.state;
    const { place, row, synced, deleted } = this.#object;
    if (!selected || !place) return this.#nothingSelected();
    const name = this.#title(selected, place);
    return html`<article aria-label=${name}>
      <h2 class="mono">
        <span>${name}</span>
        <button
          class="quiet"
          title="Close (Esc)"
          @click=${() => this.#on.page.selection.dispatch(undefined)}
        >
          Close
        </button>
      </h2>
      ${row ? this.#whole(selected, place, row, deleted) : this.#unknown(synced)}
    </article>`;
  }

  #unknown(synced: boolean) {
    const { problem } = this.#object;
    if (problem) return html`<p class="problem" role="alert">${problem}</p>`;
    return html`<p class="note beside">
      ${synced ? "There is no such object, or no longer." : "Asking the apiserver for it."}
    </p>`;
  }

  #whole(selected: Selection, place: ApiPlace, row: Row<KubeObject>, deleted: boolean) {
    const isPod = place.resource === "pods" && place.group === "";
    const logs = isPod || hasPodTemplate(row.object);
    const { show = "summary" } = this.#route.state.query;
    const wanted = OPTIONS[show] ?? show;
    const tabs = TABS.filter(
      ({ name }) => (name !== "logs" || logs) && (name !== "scheduling" || isPod),
    );
    const shown = tabs.some(({ name }) => name === wanted) ? wanted : "summary";
    return html`${deleted ? html`<p class="gone" role="status">It has been deleted.</p>` : nothing}
      ${deleted ? nothing : this.#why(row.object)}
      <div class="tabs">
        <div role="tablist" aria-label="About it" @keydown=${this.#tabKey}>
          ${tabs.map(
            ({ name, label }) =>
              html`<button
                role="tab"
                id=${`tab-${name}`}
                aria-selected=${name === shown}
                aria-controls="tabpanel"
                tabindex=${name === shown ? 0 : -1}
                @click=${() => this.#show(name)}
              >
                ${label}
              </button>`,
          )}
        </div>
        <span class="gap"></span>
        <button
          class="quiet"
          title="What happened to it, in the trace"
          @click=${() => this.#on.page.showSteps?.(place)}
        >
          Steps
        </button>
        ${deleted ? nothing : this.#actions(place, isPod)}
      </div>
      ${deleted ? nothing : this.#entries(place, row)}
      <div
        class=${shown === "summary" ? "panel scroll" : "panel"}
        id="tabpanel"
        role="tabpanel"
        aria-labelledby=${`tab-${shown}`}
        tabindex=${shown === "summary" ? 0 : nothing}
      >
        ${
          shown === "summary"
            ? html`${summary(this.#on, place, row, this.#object.columns, this.#history(row))}
              ${isService(place) && !deleted ? this.#endpointsOf(place) : nothing}
              ${deleted ? nothing : this.#commands(this.#commandsFor(selected, place))}
              ${this.#eventsOf(row)}`
            : this.#tab(shown, { place, row, deleted }, show)
        }
      </div>`;
  }

  /** Why it is not as it should be; what says so is loaded with the first object. */
  #why(object: KubeObject) {
    if (!this.#explanation) {
      // Without it the object is shown all the same, in the words of its status.
      void import("./explanation.ts").then(
        ({ ExplanationView }) => {
          this.#explanation ??= new ExplanationView(this.#on);
          this.requestUpdate();
        },
        () => undefined,
      );
      return nothing;
    }
    this.#explanation.object = object;
    return this.#explanation;
  }

  #endpointsOf(place: ApiPlace): EndpointsView {
    this.#endpoints.service = place;
    return this.#endpoints;
  }

  /** What a browser can open of it. */
  #entries(
    { resource, group, namespace = "default", name = "" }: ApiPlace,
    { object }: Row<KubeObject>,
  ) {
    if (!isOpenable(resource, group)) return nothing;
    const nodes = [...this.#on.session.nodes.state.rows.values()].map((row) => row.object);
    const entries = entriesOf(resource, object, nodes).slice(0, MOST_ENTRIES);
    if (entries.length === 0) return nothing;
    return html`<p class="entries">
      ${entries.map((entry) => {
        const route = browserRoute({ resource, namespace, name, entry: entry.name, at: "" });
        return html`<a
          class="button"
          href=${formatRoute(route)}
          title=${`${entry.site.origin}${entry.path}`}
          @click=${() => this.#on.page.pane.dispatch("map")}
          >Open ${entry.name}</a
        >`;
      })}
    </p>`;
  }

  #actions(place: ApiPlace, isPod: boolean) {
    return html`<span class="actions">
      ${
        isPod
          ? html`<button
              class="quiet"
              title="Shell in its container (s)"
              @click=${() => openShell(this.#on, place)}
            >
              Shell
            </button>`
          : nothing
      }
      <button class="quiet" title="Edit (e)" @click=${() => this.#show("edit")}>Edit</button>
      <button class="quiet" title="Delete (Ctrl D)" @click=${() => askDelete(this.#on, place)}>
        Delete
      </button>
    </span>`;
  }

  /** The element of a tab; it is loaded when it is first shown. */
  #tab(name: string, subject: ObjectTab["subject"], show: string) {
    const tab = this.#tabs.get(name);
    if (tab) {
      tab.subject = subject;
      tab.option = show in OPTIONS ? show : "";
      return tab;
    }
    if (this.#problem) return html`<p class="problem" role="alert">${this.#problem}</p>`;
    void import("./open.ts")
      .then(({ openTab }) => openTab(name, this.#on))
      .then(
        (opened) => {
          if (!this.#tabs.has(name)) this.#tabs.set(name, opened);
        },
        (error: unknown) => {
          this.#problem = `This part of the page could not be loaded: ${String(error)}. Check the connection, then reload the page.`;
        },
      )
      .finally(() => this.requestUpdate());
    return nothing;
  }

  #nothingSelected() {
    return html`<article class="scroll" tabindex="0" aria-label="What to try">
      <h2>Try</h2>
      ${this.#commands(this.#suggested())} ${this.#ticked()} ${legend(this.#shown.state)}
      <p class="note">Select a pod, a node or any other object to see more of it here.</p>
    </article>`;
  }

  /** What somebody has done already, ticked by what the cluster shows. */
  #ticked() {
    const { done } = this.#progress;
    if (done.size === 0) return nothing;
    return html`<ul class="done" aria-label="Done">
      ${STEPS.map(({ name, label }) => {
        const of = done.get(name);
        return of === undefined
          ? nothing
          : html`<li>${glyph("succeeded")} <span>${label(of)}</span></li>`;
      })}
    </ul>`;
  }

  /** What to try; an empty map, and the first view, offer the first command themselves. */
  #suggested(): readonly Command[] {
    const { rows } = this.#pods.state;
    const commands = suggest(rows.values());
    const offered = rows.size === 0 && ["map", "journey"].includes(this.#shown.state);
    return offered ? commands.filter(({ verb }) => verb !== "Create") : commands;
  }

  #commands(commands: readonly Command[]) {
    return html`<ul class="commands">
      ${commands.map(
        ({ verb, line, mutates }) =>
          html`<li>
            <code class="mono" title=${line}>${whole(line)}</code>
            <span class="buttons">
              <button class="quiet" aria-label=${`Copy: ${line}`} @click=${copy(line)}>Copy</button>
              <button
                class="quiet"
                aria-label=${`${mutates ? "Type" : "Run"}, ${verb}: ${line}`}
                title=${mutates ? "Put the line at the prompt" : "Run the line in the terminal"}
                @click=${() => (mutates ? this.#on.page.terminal?.type(line) : this.#on.page.terminal?.run(line))}
              >
                ${mutates ? "Type" : "Run"}
              </button>
            </span>
          </li>`,
      )}
    </ul>`;
  }

  #commandsFor(selected: Selection, place: ApiPlace): Command[] {
    if (!selected.place) return commandsFor(selected);
    return commandsFor(selected, kubectlArguments(place, this.#served.state.resources));
  }

  #title({ kind, name, place }: Selection, at: ApiPlace): string {
    if (!place) return `${kind}/${name}`;
    const { group, version, resource } = at;
    return kubectlArgument({ group, version, resource, name }, this.#served.state.resources);
  }

  #eventsOf({ object }: Row<KubeObject>) {
    const { name, namespace } = object.metadata;
    const about = { kind: object.kind ?? "", name, namespace };
    const events = latestEvents(this.#events.state.rows.values(), 5, about);
    if (events.length === 0) return nothing;
    return html`<h2>Events</h2>
      <ol class="events">
        ${events.map(
          ({ object: event }) =>
            html`<li ?data-warning=${event.type === "Warning"}>
              <b>${event.reason}</b>
              <span class="mono">${age(event.lastTimestamp ?? event.eventTime, Date.now())}</span>
              <p>${event.message}</p>
            </li>`,
        )}
      </ol>`;
  }

  /** The conditions over time, as long as the page has known the object. */
  #history(row: Row<KubeObject>): ConditionHistory {
    const { uid } = row.object.metadata;
    const history = recordConditions(this.#histories.get(uid) ?? new Map(), row.object, Date.now());
    this.#histories.set(uid, history);
    return history;
  }

  #show(show: string): void {
    const { path, query } = this.#on.page.route.state;
    this.#on.page.route.dispatch({
      path,
      query: { ...query, show: show === "summary" ? "" : show },
    });
  }

  #tabKey(event: KeyboardEvent): void {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    const tabs = [...this.renderRoot.querySelectorAll<HTMLElement>("[role='tab']")];
    const next = tabs[tabs.findIndex((tab) => tab.matches(":focus")) + by];
    next?.focus();
    next?.click();
    event.preventDefault();
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.defaultPrevented || !this.#selection.state) return;
    this.#on.page.selection.dispatch(undefined);
    const view = document.querySelector<HTMLElement>("tn-stage > :not([hidden])");
    view?.focus();
    // One that does not take the focus itself has something that does.
    if (view && document.activeElement !== view) firstFocusable(view.shadowRoot ?? view)?.focus();
  }
}

define("tn-inspector", InspectorView);

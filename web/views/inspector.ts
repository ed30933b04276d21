import { html, LitElement, nothing } from "lit";
import type { App } from "../app.ts";
import { age } from "../kube/age.ts";
import { latestEvents } from "../kube/events.ts";
import { POD_STATES, podState } from "../kube/podstate.ts";
import { commandsFor, type Command, type Selection } from "../kube/selection.ts";
import type { Node, Pod, Row } from "../kube/types.ts";
import { Watched } from "../state/watched.ts";
import { base } from "./base.ts";
import { glyph, glyphStyle } from "./glyph.ts";
import { inspectorStyle } from "./inspector-style.ts";

/** Commands to begin with, shown while nothing is selected. */
const FIRST: Command[] = [
  { verb: "Create", line: "kubectl create deployment nginx --image=nginx --replicas=3" },
  { verb: "Look", line: "kubectl get pods -o wide" },
  { verb: "Describe", line: "kubectl describe deployment nginx" },
  { verb: "Scale", line: "kubectl scale deployment nginx --replicas=6" },
];

/** The selected object: what is known of it, its events, and the commands that say more. */
export class InspectorView extends LitElement {
  static override styles = [base, glyphStyle, inspectorStyle];
  readonly #app: App;
  readonly #selection;
  readonly #pods;
  readonly #nodes;
  readonly #events;
  #ticker: ReturnType<typeof setInterval> | undefined;

  constructor(app: App) {
    super();
    this.#app = app;
    this.#selection = new Watched(this, app.selection);
    this.#pods = new Watched(this, app.pods);
    this.#nodes = new Watched(this, app.nodes);
    this.#events = new Watched(this, app.events, 150);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Ages grow without any message.
    this.#ticker = setInterval(() => this.#selection.state && this.requestUpdate(), 1000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ticker);
  }

  override render() {
    const selected = this.#selection.state;
    if (!selected) return this.#nothingSelected();
    const row =
      selected.kind === "pod"
        ? this.#pods.state.rows.get(selected.uid)
        : this.#nodes.state.rows.get(selected.uid);
    return html`<article aria-label=${`${selected.kind}/${selected.name}`}>
      <h2 class="mono">
        <span>${selected.kind}/${selected.name}</span>
        <button
          class="quiet"
          title="Close (Esc)"
          @click=${() => this.#app.selection.dispatch(undefined)}
        >
          Close
        </button>
      </h2>
      ${
        row === undefined
          ? html`<p class="quiet-text">It has been deleted.</p>`
          : selected.kind === "pod"
            ? podFacts(row as Row<Pod>)
            : nodeFacts(row as Row<Node>)
      }
      ${row === undefined ? nothing : this.#commands(commandsFor(selected))}
      ${this.#eventsOf(selected)}
    </article>`;
  }

  #nothingSelected() {
    return html`<article>
      <h2>Try</h2>
      ${this.#commands(FIRST)}
      <h2>Pods in the map</h2>
      <ul class="legend">
        ${POD_STATES.map(({ state, label }) => html`<li>${glyph(state)} ${label}</li>`)}
      </ul>
      <p class="quiet-text">Select a pod or a node to see more of it here.</p>
    </article>`;
  }

  #commands(commands: Command[]) {
    return html`<ul class="commands">
      ${commands.map(
        ({ verb, line, mutates }) =>
          html`<li>
            <code class="mono" title=${line}>${line}</code>
            <span class="buttons">
              <button class="quiet" aria-label=${`Copy: ${line}`} @click=${copy(line)}>Copy</button>
              <button
                class="quiet"
                aria-label=${`${verb}: ${line} (${mutates ? "Type" : "Run"})`}
                title=${mutates ? "Put the line at the prompt" : "Run the line in the terminal"}
                @click=${() => (mutates ? this.#app.terminal?.type(line) : this.#app.terminal?.run(line))}
              >
                ${mutates ? "Type" : "Run"}
              </button>
            </span>
          </li>`,
      )}
    </ul>`;
  }

  #eventsOf({ kind, name, namespace }: Selection) {
    const about = { kind: kind === "pod" ? "Pod" : "Node", name, namespace };
    const events = latestEvents(this.#events.state.rows.values(), 8, about);
    if (events.length === 0) return nothing;
    return html`<h2>Events</h2>
      <ol class="events">
        ${events.map(
          ({ object }) =>
            html`<li ?data-warning=${object.type === "Warning"}>
              <b>${object.reason}</b>
              <span class="mono">${age(object.lastTimestamp ?? object.eventTime, Date.now())}</span>
              <p>${object.message}</p>
            </li>`,
        )}
      </ol>`;
  }
}

function podFacts(row: Row<Pod>) {
  const { object, cells } = row;
  const owner = object.metadata.ownerReferences?.find((ref) => ref.controller);
  return html`<p class="state" data-state=${podState(row)}>
      ${glyph(podState(row))} <b>${cells.Status}</b>
    </p>
    ${facts([
      ["Ready", cells.Ready],
      ["Restarts", cells.Restarts],
      ["Age", age(object.metadata.creationTimestamp, Date.now())],
      ["Namespace", object.metadata.namespace],
      ["Node", object.spec.nodeName ?? "<none>"],
      ["IP", object.status.podIP ?? "<none>"],
      ["Controlled by", owner && `${owner.kind}/${owner.name}`],
      ["Images", object.spec.containers.map((c) => c.image).join(", ")],
    ])}`;
}

function nodeFacts({ object, cells }: Row<Node>) {
  const { capacity = {}, addresses = [] } = object.status;
  return html`<p class="state"><b>${cells.Status}</b></p>
    ${facts([
      ["Version", cells.Version],
      ["Age", age(object.metadata.creationTimestamp, Date.now())],
      ["Address", addresses.find((a) => a.type === "InternalIP")?.address],
      ["Pod CIDR", object.spec.podCIDR],
      ["CPU", capacity.cpu],
      ["Memory", capacity.memory],
      ["Pods, at most", capacity.pods],
    ])}`;
}

function facts(pairs: [string, string | undefined][]) {
  return html`<dl>
    ${pairs.map(([name, value]) =>
      value
        ? html`<dt>${name}</dt>
            <dd class="mono">${value}</dd>`
        : nothing,
    )}
  </dl>`;
}

function copy(line: string) {
  return async (event: MouseEvent) => {
    const button = event.currentTarget as HTMLButtonElement;
    try {
      await navigator.clipboard.writeText(line);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };
}

customElements.define("tn-inspector", InspectorView);

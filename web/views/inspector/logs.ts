import { reason } from "../../rpc/reason.ts";
import { define } from "../../ui/define.ts";
import { html, nothing } from "lit";
import type { TabNeeds } from "./tab.ts";
import { placePath } from "../../kube/apipath.ts";
import { containersOf } from "../../kube/containers.ts";
import { inNamespace } from "../../kube/kubectl.ts";
import { ask } from "../../kube/request.ts";
import { sh } from "../../kube/shell-line.ts";
import { argumentsFor } from "../../actions/object.ts";
import { base } from "../../ui/base.ts";
import { copy } from "../../ui/copy.ts";
import { ObjectTab } from "./tab.ts";
import { tabStyle } from "./tab-style.ts";
import { TextPane } from "./text.ts";

/** Lines asked for at first, and kept at most. */
const TAIL = 1000;
const MOST = 20_000;

/**
 * The logs of a pod, from the API itself, or of what has a template of pods, by `kubectl logs`,
 * which knows how to find them.
 */
export class LogsTab extends ObjectTab {
  static override properties = {
    ...ObjectTab.properties,
    container: { state: true },
    following: { state: true },
    wrapped: { state: true },
    stamped: { state: true },
    previous: { state: true },
    note: { state: true },
    problem: { state: true },
  };
  static override styles = [base, tabStyle];
  declare container: string;
  declare following: boolean;
  declare wrapped: boolean;
  declare stamped: boolean;
  declare previous: boolean;
  declare note: string;
  declare problem: string;
  #pane: TextPane | undefined;
  /** The end of the last line. */
  #end = "";
  #stop: AbortController | undefined;
  /** What is being read. */
  #source = "";

  constructor(on: TabNeeds) {
    super(on);
    this.container = "";
    this.following = true;
    this.wrapped = true;
    this.stamped = false;
    this.previous = false;
    this.note = "";
    this.problem = "";
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.abort();
    this.#pane?.dispose();
    this.#pane = undefined;
    this.#source = "";
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("option")) this.previous = this.option === "previous";
    const names = this.#containers;
    if (names.length > 0 && !names.includes(this.container)) this.container = names[0] ?? "";
  }

  override render() {
    const names = this.#containers;
    return html`<div class="tools">
        ${
          names.length > 0
            ? html`<label
                >Container
                <select
                  @change=${(e: Event) => (this.container = (e.target as HTMLSelectElement).value)}
                >
                  ${names.map((name) => html`<option ?selected=${name === this.container}>${name}</option>`)}
                </select></label
              >`
            : nothing
        }
        ${this.#toggle("Follow", "following", "Show new lines as they come")}
        ${this.#toggle("Previous", "previous", "Of the container before its last restart (-p)")}
        ${this.#toggle("Wrap", "wrapped", "Break long lines")}
        ${this.#toggle("Times", "stamped", "When each line was written (--timestamps)")}
        <button class="quiet" title="Find (Ctrl+F)" @click=${() => this.#pane?.find()}>Find</button>
        <button class="quiet" title=${this.#line} @click=${copy(this.#line)}>Copy command</button>
      </div>
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
      ${this.note ? html`<p class="note" role="status">${this.note}</p>` : nothing}
      <div class="text"></div>`;
  }

  #toggle(
    label: string,
    property: "following" | "previous" | "wrapped" | "stamped",
    title: string,
  ) {
    return html`<button
      class="quiet"
      aria-pressed=${this[property]}
      title=${title}
      @click=${() => (this[property] = !this[property])}
    >
      ${label}
    </button>`;
  }

  /** The text, made anew each time the tab comes back into the page. */
  #open(): TextPane | undefined {
    const text = this.renderRoot.querySelector<HTMLElement>(".text");
    if (!text) return undefined;
    const label = "Logs";
    return new TextPane(text, { language: "plain", readOnly: true, label, wrap: this.wrapped });
  }

  protected override updated(changed: Map<string, unknown>): void {
    this.#pane ??= this.#open();
    if (changed.has("wrapped") && this.#pane) this.#pane.wrap = this.wrapped;
    const { uid } = this.subject.row.object.metadata;
    const source = [uid, this.container, this.following, this.previous, this.stamped].join(" ");
    if (source === this.#source) return;
    this.#source = source;
    void this.#read();
  }

  get #pod(): boolean {
    const { group, resource } = this.subject.place;
    return group === "" && resource === "pods";
  }

  get #containers(): string[] {
    return this.#pod ? containersOf(this.subject.row.object) : [];
  }

  /** The kubectl command that prints the same. */
  get #line(): string {
    return sh`kubectl ${this.#arguments}`;
  }

  get #arguments(): string[] {
    const { place } = this.subject;
    const what = this.#pod
      ? [place.name ?? "", ...inNamespace(place.namespace)]
      : argumentsFor(this.on, place);
    const parts = ["logs", ...what];
    if (this.#pod && this.#containers.length > 1) parts.push("-c", this.container);
    if (!this.#pod) parts.push("--all-pods", "--all-containers", "--prefix");
    if (this.previous) parts.push("-p");
    else if (this.following) parts.push("-f");
    if (this.stamped) parts.push("--timestamps");
    return [...parts, `--tail=${TAIL}`];
  }

  async #read(): Promise<void> {
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    this.problem = "";
    this.note = "";
    if (this.#pane) this.#pane.text = "";
    this.#end = "";
    try {
      if (this.#pod) await this.#fromApi(stop.signal);
      else await this.#fromKubectl(stop.signal);
      if (this.following && !this.previous) this.note = "The log has ended: its container stopped.";
    } catch (error) {
      if (stop.signal.aborted) return;
      this.problem = reason(error);
    }
    if (!stop.signal.aborted && this.#pane?.text === "" && this.#end === "" && !this.problem) {
      this.note = "Nothing has been logged.";
    }
  }

  async #fromApi(signal: AbortSignal): Promise<void> {
    const query: Record<string, string> = { container: this.container, tailLines: String(TAIL) };
    if (this.following && !this.previous) query.follow = "true";
    if (this.previous) query.previous = "true";
    if (this.stamped) query.timestamps = "true";
    const path = `${placePath(this.subject.place)}/log`;
    const response = await ask(this.on.session.fetch, path, { query, accept: "*/*", signal });
    if (!response.body) return;
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#add(decoder.decode(value, { stream: true }));
    }
  }

  #fromKubectl(signal: AbortSignal): Promise<void> {
    const decoder = new TextDecoder();
    const errors = new TextDecoder();
    const call = this.on.session.cluster.client.call(
      "exec",
      {
        args: ["kubectl", ...this.#arguments],
        session: "logs",
        tty: false,
        cols: 200,
        rows: 24,
      },
      {
        data: (chunk, stream) => {
          if (signal.aborted) return undefined;
          if (stream === "stderr") this.problem += errors.decode(chunk, { stream: true });
          else this.#add(decoder.decode(chunk, { stream: true }));
          return undefined;
        },
      },
    );
    call.end();
    signal.addEventListener("abort", () => call.cancel(), { once: true });
    return call.result.then(() => undefined);
  }

  #add(text: string): void {
    if (!this.#pane) return;
    const atEnd = this.#pane.atEnd;
    // A line's end makes room for the next one only when that comes.
    const all = this.#end + text;
    this.#end = all.endsWith("\n") ? "\n" : "";
    this.#pane.append(all.slice(0, all.length - this.#end.length), MOST);
    if (atEnd && this.following) this.#pane.scrollToEnd();
  }
}

define("tn-object-logs", LogsTab);

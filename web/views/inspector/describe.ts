import { define } from "../../ui/define.ts";
import { html, nothing } from "lit";
import { sh } from "../../kube/shell-line.ts";
import { argumentsFor } from "../../actions/object.ts";
import { base } from "../../ui/base.ts";
import { ObjectTab } from "./tab.ts";
import { tabStyle } from "./tab-style.ts";
import { TextPane } from "./text.ts";

/** What `kubectl describe` prints, again whenever the object has changed. */
export class DescribeTab extends ObjectTab {
  static override properties = { ...ObjectTab.properties, problem: { state: true } };
  static override styles = [base, tabStyle];
  declare problem: string;
  #pane: TextPane | undefined;
  #shown = "";
  #busy = false;

  override render() {
    const line = sh`kubectl ${this.#arguments}`;
    return html`<div class="tools">
        <code class="mono">${line}</code><span class="gap"></span>
        <button class="quiet" title="Find (Ctrl+F)" @click=${() => this.#pane?.find()}>Find</button>
      </div>
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
      <div class="text"></div>`;
  }

  get #arguments(): string[] {
    return ["describe", ...argumentsFor(this.on, this.subject.place)];
  }

  /** The text, made anew each time the tab comes back into the page. */
  #open(): TextPane | undefined {
    const text = this.renderRoot.querySelector<HTMLElement>(".text");
    if (!text) return undefined;
    const label = "What kubectl describe prints";
    return new TextPane(text, { language: "plain", readOnly: true, label, wrap: true });
  }

  protected override updated(): void {
    this.#pane ??= this.#open();
    if (!this.#busy) void this.#load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#pane?.dispose();
    this.#pane = undefined;
    this.#shown = "";
  }

  async #load(): Promise<void> {
    const { uid, resourceVersion } = this.subject.row.object.metadata;
    const version = `${uid} ${resourceVersion}`;
    if (this.#shown === version || this.subject.deleted) return;
    this.#shown = version;
    this.#busy = true;
    const { stdout, stderr } = await this.on.session.api.kubectl(this.#arguments, {
      session: "describe",
    });
    this.#busy = false;
    if (!this.#pane) return;
    this.#pane.text = stdout;
    this.problem = stderr.trim();
    // It may have changed while kubectl was asking.
    void this.#load();
  }
}

define("tn-object-describe", DescribeTab);

import { reason } from "../../rpc/reason.ts";
import { define } from "../../ui/define.ts";
import { codeFolding } from "@codemirror/language";
import { html, nothing } from "lit";
import type { TabNeeds } from "./tab.ts";
import {
  managedBy,
  managedEntries,
  withoutManagedFields,
  type Span,
} from "../../editor/managed.ts";
import { getYaml } from "../../editor/ask-yaml.ts";
import { sh } from "../../kube/shell-line.ts";
import { argumentsFor } from "../../actions/object.ts";
import { base } from "../../ui/base.ts";
import { copy } from "../../ui/copy.ts";
import { ObjectTab } from "./tab.ts";
import { tabStyle } from "./tab-style.ts";
import { TextPane } from "./text.ts";
import { EditPane } from "./edit.ts";

/** The object as the server's own YAML, live; its managed fields folded, each under its owner. */
export class YamlTab extends ObjectTab {
  static override properties = {
    ...ObjectTab.properties,
    problem: { state: true },
    managed: { state: true },
  };
  static override styles = [base, tabStyle];
  declare problem: string;
  /** Whether metadata.managedFields is shown. */
  declare managed: boolean;
  #pane: TextPane | undefined;
  #edit: EditPane | undefined;
  /** What is shown: its uid and version. */
  #shown = "";
  #yaml = "";
  /** Entries of managedFields that have been folded once: what somebody has unfolded stays so. */
  #folded = new Set<string>();

  constructor(on: TabNeeds) {
    super(on);
    this.problem = "";
    this.managed = false;
  }

  override render() {
    const editing = this.option === "edit";
    const what = argumentsFor(this.on, this.subject.place);
    return html`${
        editing
          ? nothing
          : html`<div class="tools">
              <button class="quiet" title="Find (Ctrl+F)" @click=${() => this.#pane?.find()}>
                Find
              </button>
              <button class="quiet" @click=${(e: Event) => copy(this.#pane?.text ?? "")(e)}>
                Copy
              </button>
              <button class="quiet" @click=${copy(sh`kubectl get ${what} -o yaml`)}>
                Copy command
              </button>
              <button
                class="quiet"
                aria-pressed=${this.managed}
                title="metadata.managedFields: who has set which field"
                @click=${() => (this.managed = !this.managed)}
              >
                Managed fields
              </button>
            </div>`
      }
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
      <div class="text" ?hidden=${editing}></div>
      ${editing ? this.#editor() : nothing}`;
  }

  /** The text, made anew each time the tab comes back into the page. */
  #open(): TextPane | undefined {
    const text = this.renderRoot.querySelector<HTMLElement>(".text");
    if (!text) return undefined;
    return new TextPane(
      text,
      { language: "yaml", readOnly: true, label: "YAML of the object" },
      codeFolding({
        preparePlaceholder: (state, range) => managedBy(state, range) ?? "…",
        placeholderDOM: (_view, onclick, prepared) => {
          const fold = document.createElement("span");
          fold.className = "cm-foldPlaceholder";
          fold.textContent = String(prepared);
          fold.title = "Unfold";
          fold.onclick = onclick;
          return fold;
        },
      }),
    );
  }

  protected override updated(changed: Map<string, unknown>): void {
    this.#pane ??= this.#open();
    if (this.option !== "edit") this.#edit = undefined;
    const { uid, resourceVersion } = this.subject.row.object.metadata;
    const version = `${uid} ${resourceVersion}`;
    if (changed.has("managed")) this.#draw();
    if (this.#shown === version || this.subject.deleted) return;
    this.#shown = version;
    void this.#load();
  }

  #draw(): void {
    if (!this.#pane || !this.#yaml) return;
    this.#pane.text = this.managed ? this.#yaml : withoutManagedFields(this.#yaml);
    if (!this.managed) {
      this.#folded.clear();
      return;
    }
    const { doc } = this.#pane.view.state;
    const entries = managedEntries(doc);
    const words = (span: Span) => doc.sliceString(span.from, span.to);
    this.#pane.fold(entries.filter((span) => !this.#folded.has(words(span))));
    this.#folded = new Set(entries.map(words));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#pane?.dispose();
    this.#pane = undefined;
    this.#shown = "";
  }

  #editor() {
    this.#edit ??= new EditPane(this.on, this.subject.place, () => this.#show("yaml"));
    return this.#edit;
  }

  async #load(): Promise<void> {
    try {
      this.#yaml = await getYaml(this.on.session.fetch, this.subject.place);
      this.problem = "";
      this.#draw();
    } catch (error) {
      this.problem = reason(error);
    }
  }

  #show(show: string): void {
    const { path, query } = this.on.page.route.state;
    this.on.page.route.dispatch({ path, query: { ...query, show } });
  }
}

define("tn-object-yaml", YamlTab);

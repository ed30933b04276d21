import { define } from "../../ui/define.ts";
import { html, LitElement, nothing } from "lit";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import { refuses, type Outcome } from "../../editor/check.ts";
import { EXAMPLES } from "../../editor/examples.ts";
import { NO_FILES, reduceFiles, shownFile, type FilesAction } from "../../editor/files.ts";
import { ManifestEditor } from "../../editor/manifest-editor.ts";
import { comparable, current, type Way } from "../../editor/submit.ts";
import { formatRoute } from "../../page/route.ts";
import { objectRoute } from "../../page/address.ts";
import { sh } from "../../kube/shell-line.ts";
import { Disposables } from "../../state/disposable.ts";
import { Store } from "../../state/store.ts";
import { Watched } from "../../ui/watched.ts";
import { ask, tell } from "../../ui/ask.ts";
import { base } from "../../ui/base.ts";
import { editorStyle } from "./editor-style.ts";
import { keptFiles, keepFiles } from "./kept.ts";
import { ReviewView, type Change } from "../../editor/review.ts";

/** What it stands over. */
export interface EditorNeeds {
  session: Pick<Session, "api" | "catalog" | "fetch" | "remember">;
  page: Pick<Page, "commands" | "route" | "terminal">;
}

/** Files with manifests: written with the cluster's help, checked by it, applied to it. */
export class EditorView extends LitElement {
  static override properties = {
    outcomes: { state: true },
    applied: { state: true },
    review: { state: true },
    busy: { state: true },
    dragging: { state: true },
  };
  static override styles = [base, editorStyle];
  /** What the last dry run said; undefined while it is under way. */
  declare outcomes: readonly Outcome[] | undefined;
  /** What applying said. */
  declare applied: readonly Outcome[] | undefined;
  declare review: readonly Change[] | undefined;
  declare busy: boolean;
  declare dragging: boolean;
  readonly #on: EditorNeeds;
  readonly #files = new Store(reduceFiles, keptFiles() ?? NO_FILES);
  readonly #shown;
  readonly #held = new Disposables();
  readonly #reviewView = new ReviewView();
  #editor: ManifestEditor | undefined;
  /** The file whose text the editor has. */
  #loaded = 0;
  readonly #states = new Map<number, ManifestEditor["view"]["state"]>();

  constructor(on: EditorNeeds) {
    super();
    this.#on = on;
    this.outcomes = [];
    this.busy = false;
    this.dragging = false;
    this.#shown = new Watched(this, this.#files);
    this.addEventListener("dragover", (event) => this.#dragOver(event));
    this.addEventListener("dragleave", () => (this.dragging = false));
    this.addEventListener("drop", (event) => void this.#drop(event));
  }

  override render() {
    const { open } = this.#shown.state;
    const file = shownFile(this.#shown.state);
    if (this.review) this.#reviewView.changes = this.review;
    return html`<div class="tools">
        <div class="files" role="group" aria-label="Files">
          ${open.map(
            ({ id, name, text, saved }) =>
              html`<span class="file" ?data-shown=${id === file.id}>
                <button
                  aria-pressed=${id === file.id}
                  class="mono"
                  title=${text === saved ? name : `${name}, not saved`}
                  @click=${() => this.#do({ type: "show", id })}
                >
                  ${name}${text === saved ? "" : " •"}</button
                ><button
                  class="quiet"
                  aria-label=${`Close ${name}`}
                  @click=${() => void this.#close(id)}
                >
                  ×
                </button>
              </span>`,
          )}
        </div>
        <span class="gap"></span>
        <select aria-label="Begin with an example" @change=${this.#example}>
          <option value="">New…</option>
          <option value="empty">Empty file</option>
          <optgroup label="Examples">
            ${EXAMPLES.map(
              ({ name, about }) => html`<option value=${name} title=${about}>${name}</option>`,
            )}
          </optgroup>
        </select>
        <button class="quiet" title="Open files of this machine" @click=${this.#pick}>Open</button>
        <button class="quiet" title="Save on this machine (Ctrl S)" @click=${() => this.#save()}>
          Save
        </button>
        <button
          class="quiet"
          title="Write it into the terminal's home directory"
          @click=${() => void this.#toTerminal()}
        >
          To terminal
        </button>
        <input type="file" multiple hidden accept=".yaml,.yml,.json,.txt" @change=${this.#picked} />
      </div>
      <div class="text" ?hidden=${this.review !== undefined}></div>
      ${this.review ? html`<div class="text">${this.#reviewView}</div>` : nothing}
      ${this.dragging ? html`<p class="drop">Drop the files here to open them.</p>` : nothing}
      ${this.applied ? this.#results(this.applied) : nothing}
      <div class="bar">${this.#status()} ${this.#buttons()}</div>`;
  }

  #buttons() {
    if (this.review) {
      return html`<button class="button" @click=${() => this.#back()}>Back</button>
        <button
          class="button primary"
          ?disabled=${this.busy}
          @click=${() => void this.#apply({ how: "apply", force: false })}
        >
          Apply
        </button>`;
    }
    const nothingThere = shownFile(this.#shown.state).text.trim() === "";
    return html`<button
        class="button"
        ?disabled=${this.busy || nothingThere}
        title="Show what would change"
        @click=${() => void this.#see()}
      >
        Review
      </button>
      <button
        class="button primary"
        ?disabled=${this.busy || nothingThere}
        title="kubectl apply --server-side (Ctrl Enter)"
        @click=${() => void this.#apply({ how: "apply", force: false })}
      >
        Apply
      </button>`;
  }

  /** One sentence, or the list of what is wrong; each goes to its line. */
  #status() {
    const { text } = shownFile(this.#shown.state);
    if (text.trim() === "") {
      return html`<p role="status">
        Choose an example under New, type <code>apiVersion:</code>, or drop a file here.
      </p>`;
    }
    if (!this.outcomes) return html`<p role="status">Asking the server.</p>`;
    const findings = this.outcomes.flatMap((outcome) => outcome.findings);
    const count = this.outcomes.length;
    const takes = `The server would take ${count === 1 ? "it" : `all ${count} documents`}`;
    if (findings.length === 0) return html`<p role="status">${takes}.</p>`;
    return html`<ul aria-live="polite" aria-label="Problems">
      ${this.outcomes.some(refuses) ? nothing : html`<li>${takes}, and warns:</li>`}
      ${findings.map(
        ({ message, from, severity }) =>
          html`<li>
            <button
              class="finding"
              data-severity=${severity}
              @click=${() => this.#editor?.goTo(from)}
            >
              <span class="mono">${this.#lineOf(from)}</span> ${message}
            </button>
          </li>`,
      )}
    </ul>`;
  }

  #results(outcomes: readonly Outcome[]) {
    const conflicts = outcomes.some((o) => o.findings.some((f) => f.owner !== undefined));
    return html`<div class="results" role="status">
      <ul class="mono">
        ${outcomes.map(({ what, answer, findings, target }) => {
          if (!answer?.ok) {
            return html`<li class="bad">${what}: ${findings.map((f) => f.message).join(" ")}</li>`;
          }
          const link = "place" in target ? formatRoute(objectRoute(target.place)) : "";
          return html`<li>
            <a href=${link}>${what}</a> ${answer.created ? "created" : "serverside-applied"}
            ${findings.map((f) => html`<div>Warning: ${f.message}</div>`)}
          </li>`;
        })}
      </ul>
      ${
        conflicts
          ? html`<button
              class="button"
              @click=${() => void this.#apply({ how: "apply", force: true })}
            >
              Take the fields over (--force-conflicts)
            </button>`
          : nothing
      }
      <button class="quiet" @click=${() => (this.applied = undefined)}>Close</button>
    </div>`;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#held.add(this.#files.subscribe(keepFiles));
    this.#held.add(this.#on.page.commands.add(() => this.#examples()));
    if (this.hasUpdated) this.#open();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#held.dispose();
    this.#editor?.dispose();
    this.#editor = undefined;
    this.#loaded = 0;
    this.#states.clear();
  }

  protected override firstUpdated(): void {
    this.#open();
  }

  /** The editor itself, made anew each time this comes back into a page. */
  #open(): void {
    const parent = this.renderRoot.querySelector<HTMLElement>(".text");
    if (!parent) return;
    this.#editor = new ManifestEditor(parent, this.#on.session, {
      label: "Manifests",
      way: { how: "apply", force: false },
      checked: (outcomes) => (this.outcomes = outcomes),
      changed: (text) => {
        this.outcomes = undefined;
        this.#do({ type: "edit", id: this.#loaded, text });
      },
      apply: () => void this.#apply({ how: "apply", force: false }),
      save: () => this.#save(),
    });
    this.#load();
  }

  /** The examples, for the palette. */
  #examples() {
    return EXAMPLES.map(({ name, text, about }) => ({
      title: `Edit an example: ${name}`,
      words: `new manifest yaml ${about}`,
      run: () => {
        this.#on.page.route.dispatch({ path: ["editor"], query: {} });
        this.#do({ type: "open", name: fileName(name), text });
      },
    }));
  }

  protected override updated(): void {
    this.#load();
  }

  override focus(): void {
    this.#editor?.view.focus();
  }

  /** Puts the shown file into the editor, with the history of changes it had. */
  #load(): void {
    const file = shownFile(this.#files.state);
    const editor = this.#editor;
    if (!editor || file.id === this.#loaded) return;
    if (this.#loaded !== 0) this.#states.set(this.#loaded, editor.view.state);
    this.#loaded = file.id;
    this.outcomes = file.text.trim() === "" ? [] : undefined;
    this.applied = undefined;
    this.review = undefined;
    editor.view.setState(this.#states.get(file.id) ?? editor.stateOf(file.text));
    editor.check();
  }

  #do(action: FilesAction): void {
    this.#files.dispatch(action);
  }

  #lineOf(offset: number): string {
    const doc = this.#editor?.view.state.doc;
    return doc ? String(doc.lineAt(Math.min(offset, doc.length)).number) : "";
  }

  #example(event: Event): void {
    const select = event.target as HTMLSelectElement;
    const { value } = select;
    select.value = "";
    const example = EXAMPLES.find(({ name }) => name === value);
    this.#do({ type: "open", name: example ? fileName(value) : "", text: example?.text ?? "" });
    this.focus();
  }

  #pick(): void {
    this.renderRoot.querySelector<HTMLInputElement>("input[type='file']")?.click();
  }

  async #picked(event: Event): Promise<void> {
    const input = event.target as HTMLInputElement;
    await this.#openAll([...(input.files ?? [])]);
    input.value = "";
  }

  #dragOver(event: DragEvent): void {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.dragging = true;
  }

  async #drop(event: DragEvent): Promise<void> {
    this.dragging = false;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    await this.#openAll(files);
  }

  async #openAll(files: readonly File[]): Promise<void> {
    for (const file of files) {
      const text = await file.text();
      if (text.includes("\0")) tell(`${file.name} is no text.`, true);
      else this.#do({ type: "open", name: file.name, text });
    }
  }

  #save(): void {
    const { id, name, text } = shownFile(this.#files.state);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
    this.#do({ type: "saved", id });
  }

  /** So that `kubectl apply -f` finds it there. */
  async #toTerminal(): Promise<void> {
    const { id, name, text } = shownFile(this.#files.state);
    const safe = name.replace(/[^\w.-]/g, "-");
    const { code, stderr } = await this.#on.session.api.shell(sh`cat > ~/${safe}`, {
      stdin: text,
      session: "editor",
    });
    if (code === 0) {
      this.#do({ type: "saved", id, name: safe });
      this.#on.page.terminal?.type(sh`kubectl apply -f ~/${safe}`);
    } else tell(`Write ~/${safe}: ${stderr}`, true);
  }

  async #close(id: number): Promise<void> {
    const file = this.#files.state.open.find((f) => f.id === id);
    if (file && file.text !== file.saved && file.text.trim() !== "") {
      const yes = await ask({
        title: `Close ${file.name}?`,
        text: "What was typed since it was last saved is lost.",
        verb: "Close",
        loses: true,
      });
      if (!yes) return;
    }
    this.#states.delete(id);
    this.#do({ type: "close", id });
  }

  async #see(): Promise<void> {
    const editor = this.#editor;
    if (!editor) return;
    this.busy = true;
    try {
      const way = { how: "apply", force: false } as const;
      const outcomes = await editor.checker.run(editor.text, way, { dryRun: true });
      this.outcomes = outcomes;
      const changes: Change[] = [];
      for (const { what, target, answer } of outcomes) {
        if (!answer?.ok || !("place" in target)) continue;
        const before = await current(this.#on.session.fetch, target.place);
        changes.push({ what, before, after: comparable(answer.yaml) });
      }
      if (changes.length > 0) {
        this.review = changes;
        return;
      }
      // What is wrong is listed below the text, each with its line; the first one is gone to.
      const [first] = outcomes.flatMap(({ findings }) => findings);
      const refused = outcomes.filter(({ answer }) => !answer?.ok).length;
      const how = refused === outcomes.length ? "it" : `${refused} of ${outcomes.length} documents`;
      tell(
        `Nothing to review: the server would refuse ${how}. ${first?.message ?? ""}`.trim(),
        true,
      );
      if (first) editor.goTo(first.from);
    } catch (error) {
      tell(String(error), true);
    } finally {
      this.busy = false;
    }
  }

  async #apply(way: Way): Promise<void> {
    const editor = this.#editor;
    if (!editor || this.busy) return;
    this.busy = true;
    try {
      const { name } = shownFile(this.#shown.state);
      await this.#on.session.remember(sh`kubectl apply --server-side -f ${name}`);
      this.applied = await editor.checker.run(editor.text, way, { dryRun: false });
      this.#back();
      editor.check();
    } catch (error) {
      tell(String(error), true);
    } finally {
      this.busy = false;
    }
  }

  #back(): void {
    this.review = undefined;
    void this.updateComplete.then(() => this.focus());
  }
}

function fileName(example: string): string {
  return `${example.toLowerCase().replace(/[^a-z]+/g, "-")}.yaml`;
}

define("tn-editor", EditorView);

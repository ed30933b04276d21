import { reason } from "../../rpc/reason.ts";
import { define } from "../../ui/define.ts";
import { css, html, LitElement, nothing } from "lit";
import type { TabNeeds } from "./tab.ts";
import { refuses, type Outcome } from "../../editor/check.ts";
import { withoutManagedFields } from "../../editor/managed.ts";
import { ManifestEditor } from "../../editor/manifest-editor.ts";
import { merge } from "../../editor/merge.ts";
import { comparable, submit } from "../../editor/submit.ts";
import type { ApiPlace } from "../../kube/apipath.ts";
import { sh } from "../../kube/shell-line.ts";
import { getYaml } from "../../editor/ask-yaml.ts";
import { argument } from "../../actions/object.ts";
import { tell } from "../../ui/ask.ts";
import { base } from "../../ui/base.ts";
import { ReviewView, type Change } from "../../editor/review.ts";
import { tabStyle } from "./tab-style.ts";

/**
 * Edits one object as `kubectl edit` does: the whole of it, of the version that was read. The
 * server's dry run says while typing what it would answer; before anything is changed the
 * difference is shown; somebody else's change in between is put together with one's own.
 */
export class EditPane extends LitElement {
  static override properties = {
    note: { state: true },
    problem: { state: true },
    conflict: { state: true },
    review: { state: true },
    busy: { state: true },
  };
  static override styles = [
    base,
    tabStyle,
    css`
      :host {
        flex: 1;
        height: auto;
      }
      .bar {
        display: flex;
        flex: none;
        flex-wrap: wrap;
        align-items: center;
        gap: 8px;
        padding: 6px 8px 6px 16px;
        border-top: 1px solid var(--line);
      }
      .bar p {
        flex: 1;
        min-width: 20ch;
        margin: 0;
        color: var(--text-2);
        overflow-wrap: anywhere;
        white-space: pre-line;
      }
      .bar p.bad {
        color: var(--failing);
      }
      .conflict {
        padding: 8px 16px;
        border-top: 1px solid var(--line);
        border-left: 3px solid var(--pending);
      }
      .conflict p {
        margin: 0 0 8px;
      }
      .text {
        min-height: 120px;
      }
    `,
  ];
  declare note: string;
  declare problem: string;
  /** Set when the object has another version by now. */
  declare conflict: boolean;
  declare review: Change | undefined;
  declare busy: boolean;
  readonly #on: TabNeeds;
  readonly #place: ApiPlace;
  readonly #done: () => void;
  readonly #reviewView = new ReviewView();
  #editor: ManifestEditor | undefined;
  /** The object as it was read. */
  #base = "";

  constructor(on: TabNeeds, place: ApiPlace, done: () => void) {
    super();
    this.#on = on;
    this.#place = place;
    this.#done = done;
    this.note = "Asking the apiserver for it.";
    this.problem = "";
    this.conflict = false;
    this.busy = true;
  }

  override render() {
    const unchanged = this.#editor?.text === this.#base;
    if (this.review) this.#reviewView.changes = [this.review];
    return html`<div class="text" ?hidden=${this.review !== undefined}></div>
      ${this.review ? html`<div class="text">${this.#reviewView}</div>` : nothing}
      ${this.conflict ? this.#conflict() : nothing}
      <div class="bar">
        <p class=${this.problem ? "bad" : ""} role="status">${this.problem || this.note}</p>
        ${
          this.review
            ? html`<button class="button" @click=${() => this.#backToText()}>Back</button>
                <button
                  class="button primary"
                  ?disabled=${this.busy}
                  @click=${() => void this.#apply()}
                >
                  Apply
                </button>`
            : html`<button class="button" @click=${this.#done}>Cancel</button>
                <button
                  class="button primary"
                  title="Show what would change (Ctrl Enter)"
                  ?disabled=${this.busy || unchanged}
                  @click=${() => void this.#see()}
                >
                  Review
                </button>`
        }
      </div>`;
  }

  #conflict() {
    return html`<div class="conflict" role="alert">
      <p>
        Somebody else, a controller perhaps, has changed the object since you began. Replacing it
        would undo that, so the API refuses (409 Conflict).
      </p>
      <button class="button" @click=${() => void this.#rebase()}>
        Put my changes onto the newest version
      </button>
    </div>`;
  }

  protected override firstUpdated(): void {
    const parent = this.renderRoot.querySelector<HTMLElement>(".text");
    if (!parent) return;
    this.#editor = new ManifestEditor(parent, this.#on.session, {
      label: `YAML of ${argument(this.#on, this.#place)}, to be edited`,
      way: { how: "replace" },
      checked: (outcomes) => this.#checked(outcomes),
      changed: () => this.requestUpdate(),
      apply: () => void this.#see(),
    });
    void this.#read();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#editor?.dispose();
    this.#editor = undefined;
  }

  async #read(): Promise<void> {
    try {
      this.#base = await this.#newest();
      if (!this.#editor) return;
      this.#editor.text = this.#base;
      this.note = "Change it; the server checks as you type.";
      this.busy = false;
      this.#editor.view.focus();
    } catch (error) {
      this.problem = reason(error);
    }
  }

  async #newest(): Promise<string> {
    return withoutManagedFields(await getYaml(this.#on.session.fetch, this.#place));
  }

  #checked(outcomes: readonly Outcome[]): void {
    const changed = this.#editor?.text !== this.#base;
    const findings = outcomes.flatMap((outcome) => outcome.findings);
    const stale = outcomes.some((o) => o.answer?.ok === false && o.answer.code === 409);
    this.conflict = stale && changed;
    const said = findings.map((f) => f.message).join("\n");
    const refused = outcomes.some(refuses);
    this.problem = refused && !stale && changed ? said : "";
    if (!changed || stale) return;
    this.note = `The server would take it${said === "" || refused ? "." : `, and warns:\n${said}`}`;
  }

  /** Shows what the server says would change. */
  async #see(): Promise<void> {
    const text = this.#editor?.text ?? "";
    this.busy = true;
    try {
      const answer = await submit(
        this.#on.session.fetch,
        this.#place,
        text,
        { how: "replace" },
        { dryRun: true },
      );
      if (answer.ok) {
        const before = comparable(await getYaml(this.#on.session.fetch, this.#place));
        const what = argument(this.#on, this.#place);
        this.review = { what, before, after: comparable(answer.yaml) };
        this.problem = "";
        this.note = `The same as ${this.#line()}.`;
      } else this.#refused(answer.code, answer.problems.map((p) => p.message).join("\n"));
    } catch (error) {
      this.problem = reason(error);
    } finally {
      this.busy = false;
    }
  }

  /** What it stands for, for people. */
  #line(): string {
    return `${sh`kubectl replace -f -`} for ${argument(this.#on, this.#place)}`;
  }

  async #apply(): Promise<void> {
    const text = this.#editor?.text ?? "";
    this.busy = true;
    try {
      const way = { how: "replace" } as const;
      await this.#on.session.remember(this.#line());
      const answer = await submit(this.#on.session.fetch, this.#place, text, way, {
        dryRun: false,
      });
      if (answer.ok) {
        const warned = answer.warnings.map(({ message }) => `. Warning: ${message}`);
        tell(`${argument(this.#on, this.#place)} edited${warned.join("")}`);
        this.#done();
      } else this.#refused(answer.code, answer.problems.map((p) => p.message).join("\n"));
    } catch (error) {
      this.problem = reason(error);
    } finally {
      this.busy = false;
    }
  }

  #refused(code: number, problem: string): void {
    this.review = undefined;
    this.conflict = code === 409;
    this.problem = code === 409 ? "" : problem;
    this.#editor?.check();
  }

  #backToText(): void {
    this.review = undefined;
    this.note = "";
    void this.updateComplete.then(() => this.#editor?.view.focus());
  }

  /** Takes the newest version and makes one's own changes in it again. */
  async #rebase(): Promise<void> {
    const mine = this.#editor?.text ?? "";
    try {
      const theirs = await this.#newest();
      const { text, conflicts } = merge(this.#base, mine, theirs);
      this.#base = theirs;
      if (!this.#editor) return;
      this.#editor.text = text;
      this.conflict = false;
      this.problem = "";
      const lines = conflicts.join(", ");
      this.note =
        conflicts.length === 0
          ? "Your changes are on the newest version now."
          : `Both have changed line ${lines}: yours stands there now. Look at it before you go on.`;
      this.#editor.check();
      const [first] = conflicts;
      if (first !== undefined) this.#editor.goTo(this.#editor.view.state.doc.line(first).from);
    } catch (error) {
      this.problem = reason(error);
    }
  }
}

define("tn-object-edit", EditPane);

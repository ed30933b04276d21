import { define } from "../ui/define.ts";
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { css, html, LitElement } from "lit";
import { setup } from "../editor/setup.ts";
import { base } from "../ui/base.ts";

/** A change that somebody is about to make. */
export interface Change {
  /** As kubectl names the object. */
  what: string;
  /** The object as it is; "" when there is none. */
  before: string;
  /** As the server says it would be. */
  after: string;
}

/** What would change, as the server's dry run says, before it does. */
export class ReviewView extends LitElement {
  static override properties = { changes: { attribute: false } };
  static override styles = [
    base,
    css`
      :host {
        height: 100%;
        overflow: auto;
        font-size: var(--size-s);
      }
      h2 {
        margin: 0;
        padding: 8px 16px 4px;
        font-size: var(--size-s);
        font-weight: 600;
      }
      p {
        margin: 0;
        padding: 2px 16px 8px;
        color: var(--text-2);
      }
      section {
        border-bottom: 1px solid var(--line);
      }
    `,
  ];
  declare changes: readonly Change[];
  #views: EditorView[] = [];

  constructor() {
    super();
    this.changes = [];
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#clear();
  }

  override render() {
    return html`${this.changes.map(({ what, before, after }, i) => {
      const words = before === "" ? "is new" : before === after ? "stays as it is" : "changes";
      return html`<section>
        <h2 class="mono">${what} ${words}</h2>
        ${before === after ? html`<p>Nothing in it would be different.</p>` : html`<div data-diff=${i}></div>`}
      </section>`;
    })}`;
  }

  protected override updated(): void {
    this.#clear();
    for (const place of this.renderRoot.querySelectorAll<HTMLElement>("[data-diff]")) {
      const change = this.changes[Number(place.dataset.diff)];
      if (!change) continue;
      const { what, before, after } = change;
      place.replaceChildren();
      const view = new EditorView({
        state: EditorState.create({
          doc: after,
          extensions: [
            setup({ language: "yaml", readOnly: true, label: `Changes of ${what}` }),
            // Something new is shown as it is, not as added line by line.
            before === ""
              ? []
              : unifiedMergeView({
                  original: before,
                  mergeControls: false,
                  collapseUnchanged: { margin: 3, minSize: 6 },
                }),
            EditorView.theme({
              "&": { height: "auto" },
              // The sign that CodeMirror draws there is in few fonts.
              "& .cm-collapsedLines:before, & .cm-collapsedLines:after": { content: '"…"' },
            }),
          ],
        }),
        parent: place,
        ...(this.renderRoot instanceof ShadowRoot ? { root: this.renderRoot } : {}),
      });
      this.#views.push(view);
    }
  }

  #clear(): void {
    for (const view of this.#views.splice(0)) view.destroy();
  }
}

define("tn-review", ReviewView);

import { define } from "../../ui/define.ts";
import { css, html, LitElement } from "lit";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import { base } from "../../ui/base.ts";
import { dialogStyle } from "../../ui/dialog-style.ts";
import type { TextEditor } from "./text-editor.ts";

/** What it stands over. */
export interface EditDialogNeeds {
  session: Pick<Session, "catalog" | "fetch">;
  page: Pick<Page, "editor" | "terminal">;
}

/** A file's text in a dialog, for `vi`, `nano` and `kubectl edit` typed in the terminal. */
export class EditDialog extends LitElement {
  static override properties = { name: { state: true } };
  static override styles = [
    base,
    dialogStyle,
    css`
      dialog {
        width: min(900px, calc(100vw - 32px));
        height: min(700px, calc(100dvh - 64px));
        padding: 0;
      }
      form {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr) auto;
        height: 100%;
      }
      h2 {
        margin: 0;
        padding: 12px 16px;
        font-size: var(--size-m);
        border-bottom: 1px solid var(--line);
      }
      section {
        min-height: 0;
        overflow: hidden;
      }
      [hidden] {
        display: none !important;
      }
      textarea {
        width: 100%;
        padding: 12px 16px;
        border: 0;
        background: var(--panel);
        color: var(--text);
        font: 13px/1.5 var(--mono);
        tab-size: 2;
      }
      /* By class: the editor's own elements are in this shadow root, too. */
      .foot {
        display: flex;
        align-items: center;
        gap: 8px;
        padding: 8px 16px;
        border-top: 1px solid var(--line);
      }
      .foot p {
        flex: 1;
        margin: 0;
        color: var(--text-2);
        font-size: var(--size-s);
      }
    `,
  ];
  declare name: string;
  readonly #on: EditDialogNeeds;
  #editor: TextEditor | undefined;
  #answer: ((text: string | undefined) => void) | undefined;

  constructor(on: EditDialogNeeds) {
    super();
    this.#on = on;
    this.name = "";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#on.page.editor ??= this.#asked;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.#on.page.editor === this.#asked) this.#on.page.editor = undefined;
    if (this.#answer) this.#finish(undefined);
  }

  readonly #asked = (name: string, text: string) => this.edit(name, text);

  /** Resolves with the text when it is saved, with undefined when the dialog is closed. */
  async edit(name: string, text: string): Promise<string | undefined> {
    this.#answer?.(undefined);
    this.name = name;
    await this.updateComplete;
    this.#area.value = text;
    this.#area.setSelectionRange(0, 0);
    this.#dialog.showModal();
    this.#area.focus();
    void this.#upgrade();
    return new Promise((resolve) => (this.#answer = resolve));
  }

  /** The plain text box gives way to the editor as soon as that has been loaded. */
  async #upgrade(): Promise<void> {
    const { openText } = await import("./text-editor.ts");
    if (!this.#dialog.open || this.#editor) return;
    const place = this.#find("section");
    this.#editor = openText(place, this.#on.session, this.name, this.#area.value);
    this.#area.hidden = true;
    place.hidden = false;
    this.#editor.focus();
  }

  override render() {
    return html`<dialog aria-labelledby="name" @close=${() => this.#finish(undefined)}>
      <form @submit=${this.#save} @keydown=${this.#key}>
        <h2 class="mono" id="name">${this.name}</h2>
        <textarea aria-label=${`Text of ${this.name}`} spellcheck="false"></textarea>
        <section hidden aria-label="Text"></section>
        <div class="foot">
          <p>Ctrl+S saves and closes, Esc leaves the file as it was.</p>
          <button type="button" class="button" @click=${() => this.#dialog.close()}>Cancel</button>
          <button class="button primary">Save and close</button>
        </div>
      </form>
    </dialog>`;
  }

  get #dialog(): HTMLDialogElement {
    return this.#find("dialog");
  }

  get #area(): HTMLTextAreaElement {
    return this.#find("textarea");
  }

  #find<T extends "dialog" | "textarea" | "section">(tag: T): HTMLElementTagNameMap[T] {
    const element = this.renderRoot.querySelector(tag);
    if (!element) throw new Error(`the editor's dialog has no ${tag}`);
    return element;
  }

  #key(event: KeyboardEvent): void {
    if (event.key.toLowerCase() === "s" && (event.ctrlKey || event.metaKey)) this.#save(event);
  }

  #save(event: Event): void {
    event.preventDefault();
    this.#finish(this.#editor?.text ?? this.#area.value);
    this.#dialog.close();
  }

  #finish(text: string | undefined): void {
    const answer = this.#answer;
    this.#answer = undefined;
    this.#editor?.dispose();
    this.#editor = undefined;
    this.#area.hidden = false;
    this.#find("section").hidden = true;
    if (!answer) return;
    answer(text);
    this.#on.page.terminal?.focus();
  }
}

define("tn-edit-dialog", EditDialog);

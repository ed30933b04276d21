import { define } from "../../ui/define.ts";
import { css, html, LitElement, nothing } from "lit";
import type { Session } from "../../session/session.ts";
import type { Page } from "../../page/page.ts";
import { search, type Hit, type Searched } from "../../page/search.ts";
import { Disposables } from "../../state/disposable.ts";
import { Watched } from "../../ui/watched.ts";
import { focused } from "../../ui/focus.ts";
import { base } from "../../ui/base.ts";
import { dialogStyle } from "../../ui/dialog-style.ts";

/** What is found, and where it leads. */
export interface PaletteNeeds {
  session: Pick<Session, "catalog" | "namespaces" | "nodes" | "pods">;
  page: Pick<Page, "commands" | "entered" | "route" | "palette" | "keys">;
}

/** Where every view, action, kind and object is found by typing: Ctrl-K, Cmd-K or ":". */
export class PaletteView extends LitElement {
  static override properties = { text: { state: true }, at: { state: true } };
  static override styles = [
    base,
    dialogStyle,
    css`
      dialog {
        width: min(640px, calc(100vw - 24px));
        max-height: min(560px, calc(100dvh - 48px));
        margin: 12vh auto auto;
        padding: 0;
        overflow: hidden;
      }
      dialog[open] {
        display: flex;
        flex-direction: column;
      }
      input {
        flex: none;
        width: 100%;
        padding: 12px 16px;
        border: 0;
        border-bottom: 1px solid var(--line);
        outline: 0;
        background: none;
        color: var(--text);
        font: 16px var(--mono);
      }
      input::placeholder {
        color: var(--text-2);
        opacity: 1;
      }
      ul {
        flex: 1;
        min-height: 0;
        margin: 0;
        padding: 4px 0 8px;
        overflow: auto;
        list-style: none;
      }
      .group {
        padding: 8px 16px 2px;
        font-size: var(--size-s);
        color: var(--text-2);
      }
      [role="option"] {
        display: flex;
        align-items: baseline;
        gap: 16px;
        padding: 4px 16px;
        cursor: pointer;
      }
      [role="option"][aria-selected="true"] {
        background: var(--accent-soft);
      }
      [role="option"] > :first-child {
        flex: 1;
      }
      .detail {
        color: var(--text-2);
        font-size: var(--size-s);
        white-space: pre;
      }
      p {
        margin: 0;
        padding: 12px 16px;
        color: var(--text-2);
      }
      @media (max-width: 799px) {
        dialog {
          margin-top: 8px;
        }
        [role="option"] {
          padding: 10px 16px;
        }
      }
    `,
  ];
  declare text: string;
  declare at: number;
  readonly #on: PaletteNeeds;
  readonly #served;
  readonly #held = new Disposables();
  #before: HTMLElement | undefined;

  constructor(on: PaletteNeeds) {
    super();
    this.#on = on;
    this.text = "";
    this.at = 0;
    this.#served = new Watched(this, on.session.catalog.served);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#held.listen(document, "keydown", (event) => this.#global(event), { capture: true });
    this.#held.add(this.#on.page.palette.subscribe((text) => this.open(text)));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#held.dispose();
  }

  /** Opens it with a text typed already. */
  open(text = ""): void {
    if (this.#dialog?.open) return;
    void this.#on.session.catalog.use();
    this.#on.session.namespaces.use();
    this.#before = focused();
    this.text = text;
    this.at = 0;
    this.#dialog?.showModal();
    // What is typed may be as it was: that it is open is all that has changed.
    this.requestUpdate();
    const input = this.renderRoot.querySelector("input");
    if (!input) return;
    input.value = text;
    input.focus();
    input.setSelectionRange(text.length, text.length);
  }

  override render() {
    const hits = this.#hits();
    const shown = this.#dialog?.open ?? false;
    return html`<dialog
      aria-label="Go to a view, a kind or an object"
      @close=${this.#closed}
      @click=${this.#outside}
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="hits"
        aria-activedescendant=${hits.length > 0 ? `hit-${this.at}` : nothing}
        aria-label="Type a kind, a name or an action"
        placeholder="Type a kind, a name or an action; :po kube-system"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        @input=${this.#typed}
        @keydown=${this.#key}
      />
      ${
        hits.length === 0 && shown
          ? html`<p role="status">
              ${
                this.#served.state.known
                  ? `Nothing is called ${this.text.replace(/^:/, "")}.`
                  : "Kinds are known as soon as the apiserver answers."
              }
            </p>`
          : nothing
      }
      <ul id="hits" role="listbox" aria-label="Found" @click=${this.#click}>
        ${hits.map((hit, i) => this.#hit(hit, i, hits[i - 1]))}
      </ul>
    </dialog>`;
  }

  protected override updated(): void {
    this.renderRoot.querySelector(`#hit-${this.at}`)?.scrollIntoView({ block: "nearest" });
  }

  #hit(hit: Hit, i: number, before: Hit | undefined) {
    const heading =
      hit.group === before?.group
        ? nothing
        : html`<li class="group" role="presentation">${hit.group}</li>`;
    return html`${heading}
      <li role="option" id=${`hit-${i}`} data-hit=${i} aria-selected=${i === this.at}>
        <span class=${hit.group === "Views and actions" ? "" : "mono"}>${hit.title}</span>
        <span class="detail mono">${hit.detail}</span>
      </li>`;
  }

  #hits(): Hit[] {
    if (!this.#dialog?.open) return [];
    const { resources } = this.#served.state;
    const known = (name: string, rows: Searched["objects"][number]["object"][]) => {
      const resource = resources.find((r) => r.name === name && r.group === "");
      return resource ? rows.map((object) => ({ resource, object })) : [];
    };
    const objects = (name: string, { rows }: { rows: ReadonlyMap<string, { object: never }> }) =>
      known(
        name,
        [...rows.values()].map((row) => row.object),
      );
    return search(this.text, {
      commands: this.#on.page.commands.all(),
      resources,
      namespaces: this.#on.session.namespaces.names.state,
      objects: [
        ...objects("pods", this.#on.session.pods.state as never),
        ...objects("nodes", this.#on.session.nodes.state as never),
      ],
      go: (route) => {
        this.#on.page.route.dispatch(route);
        this.#on.page.entered.emit();
      },
    });
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot instanceof ShadowRoot ? this.renderRoot.querySelector("dialog") : null;
  }

  #typed(event: InputEvent): void {
    this.text = (event.target as HTMLInputElement).value;
    this.at = 0;
  }

  #key(event: KeyboardEvent): void {
    const { length } = this.#hits();
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && length > 0) {
      event.preventDefault();
      this.at = (this.at + by + length) % length;
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.#run(this.at);
    }
  }

  #click(event: MouseEvent): void {
    const hit = (event.target as HTMLElement).closest<HTMLElement>("[data-hit]");
    if (hit) this.#run(Number(hit.dataset.hit));
  }

  #outside(event: MouseEvent): void {
    if (event.target === this.#dialog) this.#dialog?.close();
  }

  #run(index: number): void {
    const hit = this.#hits()[index];
    if (!hit) return;
    this.#before = undefined;
    this.#dialog?.close();
    hit.run();
  }

  #closed(): void {
    // The event comes a moment after the fact: it may have been opened again since, by ":".
    if (this.#dialog?.open) return;
    this.#before?.focus();
    this.text = "";
  }

  /** Keys of the page, wherever the focus is; a terminal and what is being typed keep theirs. */
  #global(event: KeyboardEvent): void {
    const from = event.composedPath()[0] as HTMLElement | undefined;
    const inTerminal = from?.closest(".xterm") != null;
    const typing = from?.matches("input, textarea, select, [contenteditable='true'], .cm-content");
    if (event.key.toLowerCase() === "k" && !event.shiftKey && !event.altKey) {
      // Ctrl-K cuts the rest of a line in a terminal and in an editor.
      if (event.metaKey || (event.ctrlKey && !inTerminal && !typing)) {
        event.preventDefault();
        this.open();
      }
      return;
    }
    if (typing || inTerminal || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === ":") {
      event.preventDefault();
      this.open(":");
    } else if (event.key === "?") {
      event.preventDefault();
      this.#on.page.keys.emit();
    }
  }
}

define("tn-palette", PaletteView);

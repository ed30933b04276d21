import { define } from "../../ui/define.ts";
import { css, html, LitElement } from "lit";
import type { Page } from "../../page/page.ts";
import type { Disposable } from "../../state/disposable.ts";
import { base } from "../../ui/base.ts";
import { dialogStyle } from "../../ui/dialog-style.ts";

interface KeyGroup {
  title: string;
  keys: readonly [keys: string, what: string][];
}

const MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Every key of the page. Those of objects are k9s'. */
const GROUPS: readonly KeyGroup[] = [
  {
    title: "Everywhere but in the terminal",
    keys: [
      [MAC ? "⌘ K" : "Ctrl K", "Go to a view, a kind, an object or an action"],
      [":", "Go to a kind"],
      ["?", "This list"],
      ["Esc", "Back"],
    ],
  },
  {
    title: "Map",
    keys: [
      ["← ↑ ↓ →", "Move"],
      ["Enter", "Select"],
      ["Shift F10", "What can be done with it; also the right button, or a finger that stays"],
      ["Delete", "Delete it"],
    ],
  },
  {
    title: "Objects",
    keys: [
      ["↑ ↓ j k", "Move; also PgUp, PgDn, g, G"],
      ["Enter", "Inspect"],
      ["/", "Filter; -l app=web asks the server, !word excludes"],
      ["0", "All namespaces"],
      ["w", "Columns of -o wide"],
      ["Shift N, Shift A …", "Sort by the column with that letter"],
      ["d y v t", "Describe, YAML, events, owner tree"],
      ["l p", "Logs, logs of the previous container"],
      ["s", "Shell"],
      ["e", "Edit"],
      ["Shift J", "Go to its owner"],
      ["Ctrl D", "Delete"],
    ],
  },
  {
    title: "Terminal",
    keys: [
      ["Tab", "Complete"],
      ["Ctrl R", "Search the history"],
      ["Ctrl Shift F", "Find"],
      ["Ctrl Shift ↑", "What the last command set off, and what its output names"],
      ["Ctrl Shift ↓", "The last address in sight; the arrows go to others, Esc back"],
    ],
  },
  {
    title: "Editor",
    keys: [
      ["Ctrl Space", "Complete from the cluster's OpenAPI"],
      [MAC ? "⌘ Enter" : "Ctrl Enter", "Apply"],
      [MAC ? "⌘ S" : "Ctrl S", "Save"],
      ["Esc Tab", "Leave the editor with Tab"],
    ],
  },
];

/** What it stands over. */
export interface KeysNeeds {
  page: Pick<Page, "keys">;
}

/** The list of keys, on "?". */
export class KeysView extends LitElement {
  static override styles = [
    base,
    dialogStyle,
    css`
      dialog {
        width: min(760px, calc(100vw - 24px));
        max-height: calc(100dvh - 48px);
        padding: 16px 20px;
      }
      .groups {
        columns: 2 300px;
        column-gap: 32px;
      }
      section {
        break-inside: avoid;
        margin-bottom: 16px;
      }
      h2 {
        margin: 0 0 4px;
        font-size: var(--size-s);
        font-weight: 400;
        color: var(--text-2);
      }
      dl {
        display: grid;
        grid-template-columns: 13ch 1fr;
        gap: 4px 12px;
        margin: 0;
        font-size: var(--size-s);
      }
      dd {
        margin: 0;
      }
    `,
  ];

  readonly #page: KeysNeeds["page"];
  #listening: Disposable | undefined;

  constructor({ page }: KeysNeeds) {
    super();
    this.#page = page;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#listening = this.#page.keys.subscribe(() => {
      const dialog = this.renderRoot.querySelector("dialog");
      if (!dialog?.open) dialog?.showModal();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#listening?.dispose();
  }

  override render() {
    return html`<dialog aria-label="Keys">
      <div class="groups">
        ${GROUPS.map(
          ({ title, keys }) =>
            html`<section>
              <h2>${title}</h2>
              <dl>
                ${keys.map(
                  ([key, what]) =>
                    html`<dt class="mono">${key}</dt>
                      <dd>${what}</dd>`,
                )}
              </dl>
            </section>`,
        )}
      </div>
      <form method="dialog"><button class="quiet" autofocus>Close (Esc)</button></form>
    </dialog>`;
  }
}

define("tn-keys", KeysView);

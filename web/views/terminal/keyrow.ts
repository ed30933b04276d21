import { define } from "../../ui/define.ts";
import { css, html, LitElement } from "lit";
import { base } from "../../ui/base.ts";

/** What a phone's keyboard lacks, and the bytes a terminal expects for it. */
const KEYS: readonly { label: string; name: string; data: string }[] = [
  { label: "esc", name: "Escape", data: "\x1b" },
  { label: "tab", name: "Tab", data: "\t" },
  { label: "↑", name: "Up", data: "\x1b[A" },
  { label: "↓", name: "Down", data: "\x1b[B" },
  { label: "←", name: "Left", data: "\x1b[D" },
  { label: "→", name: "Right", data: "\x1b[C" },
  { label: "|", name: "Pipe", data: "|" },
  { label: "-", name: "Hyphen", data: "-" },
  { label: "/", name: "Slash", data: "/" },
];

/**
 * A row of keys above a phone's keyboard. Ctrl holds for the next key, from here or from the
 * keyboard.
 */
export class KeyRowView extends LitElement {
  static override properties = { ctrl: { state: true } };
  static override styles = [
    base,
    css`
      :host {
        display: none;
      }
      @media (max-width: 799px) {
        :host {
          display: grid;
          grid-auto-flow: column;
          grid-auto-columns: minmax(0, 1fr);
          border-top: 1px solid var(--line);
        }
        button {
          min-height: 44px;
          padding: 0;
          border: 0;
          background: none;
          color: var(--text);
          font: var(--size-m) var(--mono);
        }
        button[aria-pressed="true"] {
          background: var(--accent-soft);
        }
      }
    `,
  ];
  declare ctrl: boolean;
  readonly #send: (data: string) => void;

  constructor(send: (data: string) => void) {
    super();
    this.ctrl = false;
    this.#send = send;
  }

  override render() {
    return html`<button aria-label="ctrl: Control" aria-pressed=${this.ctrl} @click=${this.#toggle}>
        ctrl
      </button>
      ${KEYS.map(
        ({ label, name, data }) =>
          html`<button
            aria-label=${/^[a-z]+$/.test(label) ? `${label}: ${name}` : name}
            @pointerdown=${keepFocus}
            @click=${() => this.#send(this.apply(data))}
          >
            ${label}
          </button>`,
      )}`;
  }

  /** What the terminal gets for `data` now: with Ctrl held, a letter becomes its control code. */
  apply(data: string): string {
    if (!this.ctrl) return data;
    this.ctrl = false;
    return withControl(data);
  }

  #toggle(): void {
    this.ctrl = !this.ctrl;
    this.#send("");
  }
}

/** The control code of a character, for example Ctrl-C for "c"; other data stays as it is. */
function withControl(data: string): string {
  return /^[@-_a-z]$/.test(data)
    ? String.fromCharCode(data.toUpperCase().charCodeAt(0) & 31)
    : data;
}

/** A tap must not close the phone's keyboard. */
function keepFocus(event: PointerEvent): void {
  event.preventDefault();
}

define("tn-keyrow", KeyRowView);

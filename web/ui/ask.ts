import { css, html, LitElement } from "lit";
import { base } from "./base.ts";
import { dialogStyle } from "./dialog-style.ts";
import { define } from "./define.ts";
import { focused } from "./focus.ts";

export interface Question {
  title: string;
  /** What will happen. */
  text: string;
  /** The kubectl command it stands for. */
  line?: string;
  /** The button that does it, a verb. */
  verb: string;
  /** Something is lost by it: the button is in the colour of what fails. */
  loses?: boolean;
}

/** A question with one verb, above everything else. */
class AskDialog extends LitElement {
  static override styles = [
    base,
    dialogStyle,
    css`
      dialog {
        width: min(480px, calc(100vw - 24px));
        padding: 16px 20px;
      }
      h2 {
        margin: 0 0 8px;
        font-size: var(--size-m);
        font-weight: 600;
        overflow-wrap: anywhere;
      }
      p {
        margin: 0 0 12px;
        color: var(--text-2);
      }
      code {
        font: var(--size-s) var(--mono);
        color: var(--text);
        overflow-wrap: anywhere;
      }
      .actions {
        display: flex;
        justify-content: flex-end;
        gap: 8px;
      }
    `,
  ];
  readonly #question: Question;
  #answer: (yes: boolean) => void = () => undefined;
  readonly answer = new Promise<boolean>((resolve) => (this.#answer = resolve));

  constructor(question: Question) {
    super();
    this.#question = question;
  }

  override render() {
    const { title, text, line, verb, loses } = this.#question;
    return html`<dialog class="ask" aria-label=${title} @close=${this.#closed}>
      <form method="dialog">
        <h2>${title}</h2>
        <p>${text}</p>
        ${line ? html`<p><code>${line}</code></p>` : ""}
        <div class="actions">
          <button class="button" value="">Cancel</button>
          <button class="button primary" ?data-loses=${loses ?? false} value="yes" autofocus>
            ${verb}
          </button>
        </div>
      </form>
    </dialog>`;
  }

  protected override firstUpdated(): void {
    this.renderRoot.querySelector("dialog")?.showModal();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#answer(false);
  }

  #closed(event: Event): void {
    this.#answer((event.target as HTMLDialogElement).returnValue === "yes");
  }
}

define("tn-ask", AskDialog);

/** Asks in a dialog; resolves with whether the verb was chosen. The focus goes back to where it was. */
export async function ask(question: Question): Promise<boolean> {
  const before = focused();
  const dialog = new AskDialog(question);
  document.body.append(dialog);
  const yes = await dialog.answer;
  dialog.remove();
  before?.focus();
  return yes;
}

/** How long something is said, in milliseconds. */
const SAID = { well: 4000, failed: 12_000 };

/** What was asked for has gone so: lines in a corner, for some seconds each. */
class ToldView extends LitElement {
  static override properties = { lines: { state: true } };
  static override styles = [
    base,
    css`
      :host {
        position: fixed;
        right: 16px;
        bottom: 48px;
        z-index: 20;
        display: flex;
        flex-direction: column;
        gap: 8px;
        max-width: min(480px, calc(100vw - 32px));
      }
      p {
        margin: 0;
        padding: 8px 12px;
        border: 1px solid var(--line-strong);
        border-left: 3px solid var(--running);
        border-radius: 4px;
        background: var(--raised);
        font-size: var(--size-s);
        overflow-wrap: anywhere;
      }
      p[data-failed] {
        border-left-color: var(--failing);
      }
    `,
  ];
  declare lines: readonly { text: string; failed: boolean }[];

  constructor() {
    super();
    this.lines = [];
    this.role = "status";
  }

  say(text: string, failed: boolean): void {
    const line = { text, failed };
    this.lines = [...this.lines, line];
    setTimeout(
      () => {
        this.lines = this.lines.filter((other) => other !== line);
        if (this.lines.length === 0) this.remove();
      },
      failed ? SAID.failed : SAID.well,
    );
  }

  override render() {
    return this.lines.map(({ text, failed }) => html`<p ?data-failed=${failed}>${text}</p>`);
  }
}

define("tn-told", ToldView);

let told: ToldView | undefined;

/** Says in a corner, for some seconds, how something went that was asked for. */
export function tell(text: string, failed = false): void {
  told ??= new ToldView();
  if (!told.isConnected) document.body.append(told);
  told.say(text, failed);
}

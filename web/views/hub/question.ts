import { define } from "../../ui/define.ts";
import { css, html, LitElement } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { Watched } from "../../ui/watched.ts";
import { base } from "../../ui/base.ts";
import { dialogStyle } from "../../ui/dialog-style.ts";
import type { HubConnection } from "../../hub/connection.ts";

/** Milliseconds for which a question that has just come takes no answer. */
const READ_FIRST = 1000;

/**
 * Asks the owner whether somebody outside may have access, one question after the other. Each has a
 * dialog of its own, which takes no answer until it could have been read: whoever asks chooses when
 * it appears, and must not get a click or a key that was meant for the one before.
 */
export class QuestionView extends LitElement {
  static override properties = { read: { state: true } };
  static override styles = [
    base,
    dialogStyle,
    css`
      dialog {
        width: min(460px, calc(100vw - 32px));
        padding: 16px;
      }
      h2 {
        margin: 0 0 8px;
        font-size: var(--size-m);
      }
      p {
        margin: 0 0 8px;
      }
      .code {
        margin: 12px 0;
        font: 20px/1.5 var(--mono);
        letter-spacing: 0.06em;
      }
      div {
        display: flex;
        justify-content: flex-end;
        gap: 8px;
        margin-top: 16px;
      }
    `,
  ];
  /** The question that has been shown long enough to be answered. */
  declare read: number | undefined;
  readonly #hub: HubConnection;
  readonly #state;
  #shown: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(hub: HubConnection) {
    super();
    this.#hub = hub;
    this.#state = new Watched(this, hub.state);
  }

  override render() {
    const [question] = this.#state.state.questions;
    if (!question) return "";
    const { id } = question;
    const early = this.read !== id;
    const answer = (agree: boolean) => (event: Event) => {
      event.preventDefault();
      if (this.read === id) this.#hub.answer(id, agree);
    };
    return keyed(
      id,
      html`<dialog aria-labelledby="title" tabindex="-1" @cancel=${answer(false)}>
        <h2 id="title">Access to this cluster</h2>
        <p><b>${question.user}</b> asks to administer this cluster from outside this page.</p>
        <p>Agree only if the terminal that asks shows this code:</p>
        <p class="code">${question.code}</p>
        <div>
          <button class="button refuse" ?disabled=${early} @click=${answer(false)}>Refuse</button>
          <button class="button primary" ?disabled=${early} @click=${answer(true)}>
            Give access
          </button>
        </div>
      </dialog>`,
    );
  }

  override updated(): void {
    const dialog = this.renderRoot.querySelector("dialog");
    if (dialog && !dialog.open) dialog.showModal();
    const id = this.#state.state.questions[0]?.id;
    if (id === this.#shown) return;
    this.#shown = id;
    clearTimeout(this.#timer);
    if (id !== undefined) this.#timer = setTimeout(() => void this.#letAnswer(id), READ_FIRST);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  async #letAnswer(id: number): Promise<void> {
    this.read = id;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(".refuse")?.focus();
  }
}

define("tn-question", QuestionView);

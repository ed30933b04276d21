import { css, html, LitElement } from "lit";
import { Watched } from "../state/watched.ts";
import { base } from "../views/base.ts";
import type { Door } from "./door.ts";

/** Asks the owner whether somebody outside may have access, one question after the other. */
export class DoorView extends LitElement {
  static override styles = [
    base,
    css`
      dialog {
        width: min(460px, calc(100vw - 32px));
        padding: 16px;
        border: 1px solid var(--line-strong);
        border-radius: 6px;
        background: var(--raised);
        color: var(--text);
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 40%);
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
  readonly #door: Door;
  readonly #state;

  constructor(door: Door) {
    super();
    this.#door = door;
    this.#state = new Watched(this, door.state);
  }

  override render() {
    const [question] = this.#state.state.questions;
    if (!question) return "";
    const answer = (agree: boolean) => () => this.#door.answer(question.id, agree);
    return html`<dialog aria-labelledby="title" @cancel=${answer(false)}>
      <h2 id="title">Access to this cluster</h2>
      <p><b>${question.user}</b> asks to administer this cluster from outside this page.</p>
      <p>Agree only if the terminal that asks shows this code:</p>
      <p class="code">${question.code}</p>
      <div>
        <button class="button" @click=${answer(false)}>Refuse</button>
        <button class="button primary" @click=${answer(true)}>Give access</button>
      </div>
    </dialog>`;
  }

  override updated(): void {
    const dialog = this.renderRoot.querySelector("dialog");
    if (dialog && !dialog.open) dialog.showModal();
  }
}

customElements.define("tn-door", DoorView);

import { html } from "lit";

/** What there is to do when a story has come to its end. */
export interface Next {
  /** Has the guide say what comes next. */
  read(): void;
  /** Shows what there is to break. */
  breakSomething(): void;
  /** Leads to where the reader types a command of their own. */
  type(): void;
}

/** The ways on from the last step. */
export const drawNext = (next: Next) =>
  html`<span class="next" role="group" aria-label="What next">
    <button class="button primary" @click=${() => next.read()}>What next</button>
    <button class="button" @click=${() => next.breakSomething()}>Break something</button>
    <button class="button type" @click=${() => next.type()}>Type your own</button>
  </span>`;

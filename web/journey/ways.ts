import { css, html, LitElement } from "lit";
import { link } from "../page/route.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";

/** The command that the guide follows. */
const FOLLOWED = "kubectl create deployment nginx --image=nginx --replicas=3";

/** What it stands over. */
export interface WaysNeeds {
  /** Runs the line, with the guide beside it and the journey in sight. */
  follow(line: string): void;
  /** Shows what there is to break. */
  breakSomething(): void;
  /** Puts guide and journey away. */
  terminalOnly(): void;
}

/** The line above the first view: three ways in. */
export class WaysView extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        flex: none;
        padding: 6px 16px;
        border-bottom: 1px solid var(--line);
        background: var(--panel);
      }
      :host([hidden]) {
        display: none;
      }
      .line {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 6px 8px;
      }
      .ways {
        display: flex;
        gap: 8px;
      }
      .button {
        font-size: var(--size-s);
      }
      p {
        margin: 0;
        color: var(--text-2);
        font-size: var(--size-s);
      }
      a {
        color: var(--accent);
        text-decoration: underline;
      }
      @media (max-width: 799px) {
        .ways {
          flex: 1 0 100%;
        }
        .button {
          flex: 1 1 auto;
          min-height: 40px;
          padding: 0 6px;
        }
      }
    `,
  ];
  static override properties = { followed: { state: true } };
  /** Once a command is followed, what comes next stands out in its place. */
  declare followed: boolean;
  readonly #on: WaysNeeds;

  constructor(on: WaysNeeds) {
    super();
    this.#on = on;
    this.followed = false;
  }

  override render() {
    return html`<div class="line">
      <p>
        Kubernetes itself runs in this tab, and what you do stays in it. Begin here, or with a
        <a href=${link("lessons")}>lesson</a>:
      </p>
      <div class="ways" role="group" aria-label="Ways in">
        <button
          class=${this.followed ? "button" : "button primary"}
          title=${`Runs ${FOLLOWED}`}
          @click=${() => {
            this.followed = true;
            this.#on.follow(FOLLOWED);
          }}
        >
          Follow a command
        </button>
        <button class="button" @click=${() => this.#on.breakSomething()}>Break something</button>
        <button class="button" @click=${() => this.#on.terminalOnly()}>Just a terminal</button>
      </div>
    </div>`;
  }
}

define("tn-ways", WaysView);

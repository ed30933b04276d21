import { css, html, LitElement, nothing } from "lit";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";

/** The command that the guide follows. */
export const FOLLOWED = "kubectl create deployment nginx --image=nginx --replicas=3";

/** Commands that come to nothing, each stopped somewhere else. */
export const BROKEN: readonly { readonly where: string; readonly line: string }[] = [
  {
    where: "refused at authorization",
    line: "kubectl create deployment nobodys --image=nginx --as=nobody",
  },
  {
    where: "refused by an admission plugin",
    line: "kubectl create deployment lost --image=nginx --namespace=nowhere",
  },
  {
    where: "no node fits",
    line: `kubectl run picky --image=nginx --overrides='{"spec":{"nodeSelector":{"disk":"ssd"}}}'`,
  },
  {
    where: "the image is not found",
    line: "kubectl create deployment typo --image=nginx:nope",
  },
];

/** What it stands over. */
export interface WaysNeeds {
  /** Runs the line, with the guide beside it and the journey in sight. */
  follow(line: string): void;
  /** Runs the line, with the journey in sight. */
  run(line: string): void;
  /** Puts guide and journey away. */
  terminalOnly(): void;
}

/** The line above the first view: three ways in. */
export class WaysView extends LitElement {
  static override properties = { breaking: { state: true } };
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
      .line .button {
        font-size: var(--size-s);
      }
      .line > span {
        color: var(--text-2);
        font-size: var(--size-s);
      }
      ul {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 0 12px;
        margin: 8px 0 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: grid;
        grid-template-columns: subgrid;
        grid-column: 1 / -1;
        align-items: baseline;
        padding: 2px 0;
        border-top: 1px solid var(--line);
        font-size: var(--size-s);
      }
      li button {
        padding: 3px 6px;
        border: 0;
        background: none;
        color: var(--accent);
        font: var(--size-s) var(--mono);
        text-align: left;
        overflow-wrap: anywhere;
        cursor: pointer;
      }
      p {
        margin: 4px 0 2px;
        font-size: var(--size-s);
      }
      a {
        color: var(--accent);
      }
      li button:hover {
        background: var(--hover);
      }
      @media (max-width: 799px) {
        .line > span {
          display: none;
        }
        .line .button {
          flex: 1 1 auto;
          min-height: 40px;
          padding: 0 6px;
        }
        ul {
          grid-template-columns: minmax(0, 1fr);
        }
        li button {
          min-height: 32px;
          padding-left: 0;
        }
      }
    `,
  ];
  declare breaking: boolean;
  readonly #on: WaysNeeds;

  constructor(on: WaysNeeds) {
    super();
    this.#on = on;
    this.breaking = false;
  }

  override render() {
    return html`<div class="line" role="group" aria-label="Ways in">
        <span>Kubernetes itself runs in this tab, and what you do stays in it. Begin here:</span>
        <button
          class="button primary"
          title=${`Runs ${FOLLOWED}`}
          @click=${() => this.#on.follow(FOLLOWED)}
        >
          Follow a command
        </button>
        <button
          class="button"
          aria-expanded=${this.breaking}
          @click=${() => (this.breaking = !this.breaking)}
        >
          Break something
        </button>
        <button class="button" @click=${() => this.#on.terminalOnly()}>Just a terminal</button>
      </div>
      ${
        this.breaking
          ? html`<ul aria-label="Commands that come to nothing">
                ${BROKEN.map(
                  ({ where, line }) =>
                    html`<li>
                      <span>${where}</span>
                      <button
                        aria-label=${`Run in the terminal: ${line}`}
                        @click=${() => this.#run(line)}
                      >
                        ${line}
                      </button>
                    </li>`,
                )}
              </ul>
              <p>
                <a href="#/break">More to break and to mend, and five riddles</a>
              </p>`
          : nothing
      }`;
  }

  #run(line: string): void {
    this.breaking = false;
    this.#on.run(line);
  }
}

define("tn-ways", WaysView);

import { html, LitElement, nothing } from "lit";
import type { Breaker } from "../../breakage/breaker.ts";
import { namespaceOf } from "../../breakage/lines.ts";
import type { Riddle } from "../../breakage/table.ts";
import { humanDuration } from "../../kube/age.ts";
import { sh } from "../../kube/shell-line.ts";
import type { Page } from "../../page/page.ts";
import { reason } from "../../rpc/reason.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { prose } from "./prose.ts";
import { breakStyle } from "./style.ts";

type Stage = "unposed" | "posed" | "solved" | "given up";

/** Something that is wrong, to be found: its story, hints one by one, a check, and the time it took. */
export class RiddleView extends LitElement {
  static override properties = {
    stage: { state: true },
    hints: { state: true },
    said: { state: true },
    busy: { state: true },
  };
  static override styles = [base, breakStyle];
  declare stage: Stage;
  /** How many hints were asked for. */
  declare hints: number;
  declare said: string;
  declare busy: boolean;
  readonly #riddle: Riddle;
  readonly #breaker: Breaker;
  readonly #page: Pick<Page, "terminal">;
  /** When it was posed, in milliseconds since 1970. */
  #began = 0;

  constructor(riddle: Riddle, breaker: Breaker, page: Pick<Page, "terminal">) {
    super();
    this.#riddle = riddle;
    this.#breaker = breaker;
    this.#page = page;
    this.stage = "unposed";
    this.hints = 0;
    this.said = "";
    this.busy = false;
  }

  /** What its title is marked with. */
  get mark(): string {
    if (this.stage === "unposed") return "";
    return this.stage === "posed" ? "open" : this.stage;
  }

  /** The line with which one begins. */
  get #look(): string {
    return sh`kubectl get pods -n ${namespaceOf(this.#riddle)}`;
  }

  override render() {
    const { story, hints } = this.#riddle;
    const { stage, busy } = this;
    return html`<p>${prose(story)}</p>
      ${
        stage === "unposed"
          ? nothing
          : html`<p>
              It is in the namespace <code>${namespaceOf(this.#riddle)}</code>. Begin with
              <button
                class="quiet"
                title="Run the line in the terminal"
                @click=${() => this.#page.terminal?.run(this.#look)}
              >
                <code>${this.#look}</code>
              </button>
            </p>`
      }
      ${
        this.hints > 0
          ? html`<ol class="hints" aria-label="Hints">
              ${hints.slice(0, this.hints).map((hint) => html`<li>${prose(hint)}</li>`)}
            </ol>`
          : nothing
      }
      ${stage === "given up" || stage === "solved" ? this.#answer() : nothing}
      <div class="buttons">
        ${
          stage === "posed"
            ? html`<button
                  class="button primary"
                  ?disabled=${busy}
                  @click=${() => void this.#check()}
                >
                  Check
                </button>
                <button
                  class="button"
                  ?disabled=${this.hints >= hints.length}
                  @click=${() => this.#hint()}
                >
                  ${this.hints >= hints.length ? "No more hints" : `Hint ${this.hints + 1} of ${hints.length}`}
                </button>
                <button class="button" @click=${() => (this.stage = "given up")}>Give up</button>`
            : html`<button
                class="button primary"
                ?disabled=${busy}
                @click=${() => void this.#pose()}
              >
                ${stage === "unposed" ? "Begin" : "Begin again"}
              </button>`
        }
        ${stage === "unposed" ? nothing : html`<button class="button" ?disabled=${busy} @click=${() => void this.#forget()}>Clean up</button>`}
      </div>
      <p role="status">${this.said}</p>`;
  }

  #answer() {
    const { answer, solution } = this.#riddle;
    return html`<p><b>What it was:</b> ${prose(answer)}</p>
      <pre tabindex="0" aria-label="One way to mend it">${solution.join("\n")}</pre>`;
  }

  #hint(): void {
    this.hints++;
  }

  async #pose(): Promise<void> {
    await this.#do("Something is being made, and broken …", async () => {
      if (this.stage !== "unposed") await this.#breaker.forget(this.#riddle, true);
      await this.#breaker.pose(this.#riddle);
      this.#began = Date.now();
      this.hints = 0;
      this.stage = "posed";
      // The guide tells of the last command: it shall not be the one that broke it.
      this.#page.terminal?.run(this.#look);
      return "";
    });
  }

  async #check(): Promise<void> {
    await this.#do("Checking …", async () => {
      if (!(await this.#breaker.isSolved(this.#riddle))) return "Not yet: it is still wrong.";
      this.stage = "solved";
      const took = humanDuration(Date.now() - this.#began);
      const hints = this.hints === 1 ? "one hint" : `${this.hints === 0 ? "no" : this.hints} hints`;
      return `Solved in ${took}, with ${hints}.`;
    });
  }

  async #forget(): Promise<void> {
    await this.#do("", async () => {
      await this.#breaker.forget(this.#riddle);
      this.stage = "unposed";
      this.hints = 0;
      return "";
    });
  }

  async #do(meanwhile: string, act: () => Promise<string>): Promise<void> {
    this.busy = true;
    this.said = meanwhile;
    try {
      this.said = await act();
    } catch (error) {
      this.said = reason(error);
    }
    this.busy = false;
    this.dispatchEvent(new Event("stage", { bubbles: true, composed: true }));
  }
}

define("tn-riddle", RiddleView);

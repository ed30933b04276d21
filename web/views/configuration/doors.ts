import { html, LitElement, nothing } from "lit";
import { switched } from "../../configuration/flags.ts";
import { SENTENCES } from "../../configuration/tables.ts";
import type { Deed, Door, Doors } from "../../rpc/protocol.ts";
import type { Session } from "../../session/session.ts";
import type { Disposable } from "../../state/disposable.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { partStyle } from "./style.ts";

/** Milliseconds between two looks, while somebody looks. */
const EVERY = 2000;

/** What it stands over. */
export interface DoorsNeeds {
  session: Pick<Session, "controlPlane" | "trace">;
  lookAt(step: number): void;
  /** The draft's flags of kube-apiserver. */
  flags(): string;
  /** Switches an admission plugin in the draft. */
  switch(name: string, wanted: boolean, byDefault: boolean): void;
}

/** Authenticators, authorizers and admission plugins in the order in which they are asked. */
export class DoorsView extends LitElement {
  static override properties = { doors: { state: true }, problem: { state: true } };
  static override styles = [base, partStyle];
  declare doors: Doors | undefined;
  declare problem: string;
  readonly #on: DoorsNeeds;
  #timer: ReturnType<typeof setInterval> | undefined;
  #follows: Disposable | undefined;

  constructor(on: DoorsNeeds) {
    super();
    this.#on = on;
    this.doors = undefined;
    this.problem = "";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // What plugins change is only compared while somebody follows the trace.
    this.#follows = this.#on.session.trace.follow();
    this.refresh();
    this.#timer = setInterval(() => {
      if (this.checkVisibility() && !document.hidden) this.refresh();
    }, EVERY);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#follows?.dispose();
    clearInterval(this.#timer);
  }

  /** Asks anew. */
  refresh(): void {
    this.#on.session.controlPlane.doors().then(
      (doors) => {
        this.doors = doors;
        this.problem = "";
      },
      (error: unknown) => {
        this.problem = error instanceof Error ? error.message : String(error);
      },
    );
  }

  override render() {
    const { doors } = this;
    if (!doors) return html`<p>${this.problem || "Asking the cluster."}</p>`;
    return html`${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
    ${this.#table("Authentication", "Each is asked in turn; the first that knows the credentials ends it.", doors.authenticators, SENTENCES.authenticators)}
    ${this.#table("Authorization", "Each allows, denies or has no opinion; the first two end it. With no opinion at all it is refused.", doors.authorizers, SENTENCES.authorizers)}
    ${this.#table("Admission", "What changes something is asked in turn, then what only checks. A switch changes the draft's flags.", doors.admission, SENTENCES.admission, true)}`;
  }

  #table(
    title: string,
    says: string,
    doors: readonly Door[],
    sentences: Readonly<Record<string, string | undefined>>,
    switches = false,
  ) {
    return html`<h2>${title}</h2>
      <p class="quiet-text">${says}</p>
      <table class="cards">
        <thead>
          <tr>
            ${switches ? html`<th>On</th>` : html`<th>#</th>`}
            <th>Who is asked, and what for</th>
            <th>Did last</th>
          </tr>
        </thead>
        <tbody>
          ${doors.map(
            (door, i) =>
              html`<tr>
                <td>${switches ? this.#switch(door) : i + 1}</td>
                <td class="wide">
                  <span class="mono">${door.name}</span><br /><span class="quiet-text"
                    >${sentences[door.name] ?? ""}</span
                  >
                </td>
                <td class="wide">${this.#last(door)}</td>
              </tr>`,
          )}
        </tbody>
      </table>`;
  }

  #switch(door: Door) {
    const wanted = switched(this.#on.flags(), door.name) ?? door.default;
    return html`<label
      ><input
        type="checkbox"
        aria-label=${door.name}
        .checked=${wanted}
        @change=${(event: Event) => {
          this.#on.switch(door.name, (event.target as HTMLInputElement).checked, door.default);
          this.requestUpdate();
        }}
      />${wanted === door.on ? nothing : html`<span class="quiet-text">not yet</span>`}</label
    >`;
  }

  #last({ last, on }: Door) {
    if (!last) return on ? html`<span class="quiet-text">nothing yet</span>` : nothing;
    return html`<button class="link" @click=${() => this.#on.lookAt(last.step)}>
        ${new Date(last.at).toLocaleTimeString("en-GB")}
      </button>
      ${lastWords(last)}`;
  }
}

/** "refused create pods/web of default for jane: …" */
function lastWords({ did, verb = "", object = "", user = "", reason = "" }: Deed): string {
  const what = [did, verb.toLowerCase(), object, user ? `for ${user}` : ""].filter(Boolean);
  return `${what.join(" ")}${reason ? `: ${reason}` : ""}`;
}

define("tn-doors", DoorsView);

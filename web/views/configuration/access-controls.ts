import { html, LitElement, nothing } from "lit";
import { switched } from "../../configuration/flags.ts";
import { SENTENCES } from "../../configuration/tables.ts";
import type { Deed, AccessControl, AccessControls } from "../../rpc/protocol.ts";
import { reason } from "../../rpc/reason.ts";
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
export class AccessControlsView extends LitElement {
  static override properties = { controls: { state: true }, problem: { state: true } };
  static override styles = [base, partStyle];
  declare controls: AccessControls | undefined;
  declare problem: string;
  readonly #on: DoorsNeeds;
  #timer: ReturnType<typeof setInterval> | undefined;
  #follows: Disposable | undefined;

  constructor(on: DoorsNeeds) {
    super();
    this.#on = on;
    this.controls = undefined;
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
    this.#on.session.controlPlane.accessControls().then(
      (controls) => {
        this.controls = controls;
        this.problem = "";
      },
      (error: unknown) => {
        this.problem = reason(error);
      },
    );
  }

  override render() {
    const { controls } = this;
    if (!controls) return html`<p>${this.problem || "Asking the cluster."}</p>`;
    return html`${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
    ${this.#table("Authentication", "Each is asked in turn; the first that knows the credentials ends it.", controls.authenticators, SENTENCES.authenticators)}
    ${this.#table("Authorization", "Each allows, denies or has no opinion; the first two end it. With no opinion at all it is refused.", controls.authorizers, SENTENCES.authorizers)}
    ${this.#table("Admission", "What changes something is asked in turn, then what only checks. A switch changes the draft's flags.", controls.admission, SENTENCES.admission, true)}`;
  }

  #table(
    title: string,
    says: string,
    controls: readonly AccessControl[],
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
          ${controls.map(
            (control, i) =>
              html`<tr>
                <td>${switches ? this.#switch(control) : i + 1}</td>
                <td class="wide">
                  <span class="mono">${control.name}</span><br /><span class="quiet-text"
                    >${sentences[control.name] ?? ""}</span
                  >
                </td>
                <td class="wide">${this.#last(control)}</td>
              </tr>`,
          )}
        </tbody>
      </table>`;
  }

  #switch(control: AccessControl) {
    const wanted = switched(this.#on.flags(), control.name) ?? control.default;
    return html`<label
      ><input
        type="checkbox"
        aria-label=${control.name}
        .checked=${wanted}
        @change=${(event: Event) => {
          this.#on.switch(
            control.name,
            (event.target as HTMLInputElement).checked,
            control.default,
          );
          this.requestUpdate();
        }}
      />${wanted === control.on ? nothing : html`<span class="quiet-text">not yet</span>`}</label
    >`;
  }

  #last({ last, on }: AccessControl) {
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

define("tn-access-controls", AccessControlsView);

import { html, LitElement, nothing } from "lit";
import { formatRoute } from "../../page/route.ts";
import { reason } from "../../rpc/reason.ts";
import type { Session } from "../../session/session.ts";
import { contentOf } from "../../share/content.ts";
import { share, type Shared } from "../../share/share.ts";
import { ShortLinks } from "../../share/short.ts";
import { base } from "../../ui/base.ts";
import { copy } from "../../ui/copy.ts";
import { define } from "../../ui/define.ts";
import { held } from "./held.ts";
import { shareStyle } from "./style.ts";

const NO_LINK = { link: "", problem: "" };

/** What it stands over. */
export interface ShareNeeds {
  session: Pick<Session, "api" | "cluster">;
}

/** A link to what people made in this cluster: what will be in it, then the link. */
export class ShareView extends LitElement {
  static override properties = {
    shared: { state: true },
    problem: { state: true },
    secrets: { state: true },
    days: { state: true },
    short: { state: true },
  };
  static override styles = [base, shareStyle];
  /** Undefined while it is read. */
  declare shared: Shared | undefined;
  declare problem: string;
  declare secrets: boolean;
  /** For how many days this site keeps what has a short link; 0 where there are none. */
  declare days: number;
  /** The short link, or why there is none. */
  declare short: { link: string; problem: string };
  readonly #links = new ShortLinks(document.baseURI);
  readonly #on: ShareNeeds;
  /** Counts what was asked for: an answer to an older question is left. */
  #turn = 0;

  constructor(on: ShareNeeds) {
    super();
    this.#on = on;
    this.shared = undefined;
    this.problem = "";
    this.secrets = false;
    this.days = 0;
    this.short = NO_LINK;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#read();
    void this.#links.days().then((days) => (this.days = days));
  }

  override render() {
    const { shared, problem } = this;
    return html`<div class="page">
      <h2>Share what is in this cluster</h2>
      <p class="dim">
        The link has the manifest of what people made here in its part after #, which no server
        sees. Whoever opens it sees the manifest first, and applies it to a cluster of their own.
      </p>
      <div class="row">
        <label
          ><input
            type="checkbox"
            .checked=${this.secrets}
            @change=${(event: Event) => this.#ask((event.target as HTMLInputElement).checked)}
          />
          with Secrets</label
        >
        <button class="quiet" @click=${() => void this.#read()}>Read again</button>
      </div>
      <p role="status" ?data-failed=${problem !== ""}>${problem || (shared ? "" : "Reading …")}</p>
      ${shared ? this.#what(shared) : nothing}
    </div>`;
  }

  #what({ text, packed, problem }: Shared) {
    if (text === "") {
      return html`<p>
        There is nothing to share yet. Make something, such as
        <code>kubectl create deployment web --image=nginx</code>, then read again.
      </p>`;
    }
    if (problem) return html`<p data-failed role="alert">${problem}</p>`;
    const link = linkTo(packed);
    return html`<div class="row">
        <button class="button primary" @click=${copy(link)}>Copy link</button>
        <span class="dim">${link.length} characters</span>
      </div>
      ${this.days > 0 ? this.#shorter(packed) : nothing}
      <p class="warns">
        ${
          this.secrets
            ? "Its Secrets can be read by whoever has the link, and wherever it is kept."
            : "No Secret is in it. Look through the rest: whoever has the link can read it."
        }
      </p>
      ${held(contentOf(text).objects, text)}`;
  }

  /** What a short link means is said before anything leaves this browser. */
  #shorter(packed: string) {
    const { link, problem } = this.short;
    return html`<div class="row">
        ${
          link
            ? html`<button class="button" @click=${copy(link)}>Copy short link</button>
                <code>${link}</code>`
            : html`<button class="button" @click=${() => void this.#shorten(packed)}>
                Make a short link
              </button>`
        }
        <span class="dim"
          >This site keeps the manifest for ${this.days} days, and who runs it can read it.</span
        >
      </div>
      ${problem ? html`<p data-failed role="alert">${problem}</p>` : nothing}`;
  }

  async #shorten(packed: string): Promise<void> {
    const turn = this.#turn;
    let short: typeof this.short;
    try {
      short = { link: await this.#links.make(packed), problem: "" };
    } catch (error) {
      short = { link: "", problem: reason(error) };
    }
    if (turn === this.#turn) this.short = short;
  }

  #ask(secrets: boolean): void {
    this.secrets = secrets;
    void this.#read();
  }

  async #read(): Promise<void> {
    const turn = ++this.#turn;
    this.shared = undefined;
    this.problem = "";
    this.short = NO_LINK;
    try {
      const shared = await share(this.#on.session, this.secrets);
      if (turn === this.#turn) this.shared = shared;
    } catch (error) {
      if (turn !== this.#turn) return;
      this.problem = `Read every object: ${reason(error)}`;
    }
  }
}

function linkTo(state: string): string {
  return new URL(formatRoute({ path: ["open"], query: { state } }), document.baseURI).href;
}

define("tn-share", ShareView);

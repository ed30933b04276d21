import { html, LitElement, nothing } from "lit";
import type { Page } from "../../page/page.ts";
import { formatRoute, viewOf } from "../../page/route.ts";
import { reason } from "../../rpc/reason.ts";
import type { Session } from "../../session/session.ts";
import { sourceOf, type Source } from "../../share/address.ts";
import { applyLine } from "../../share/apply.ts";
import { contentOf, type Content } from "../../share/content.ts";
import { read } from "../../share/read.ts";
import { seen } from "../../share/seen.ts";
import { ShortLinks } from "../../share/short.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { Watched } from "../../ui/watched.ts";
import { held } from "./held.ts";
import { shareStyle } from "./style.ts";

/** What it stands over. */
export interface OpenNeeds {
  session: Pick<Session, "api" | "nodes">;
  page: Pick<Page, "pane" | "route" | "settings" | "terminal">;
}

/** The label of nodes that are machines (core/realnode). */
const KIND = "node.tabernetes.internal/kind";

/** What a link holds. Nothing of it is applied before somebody has seen it and says so. */
export class OpenView extends LitElement {
  static override properties = {
    opened: { state: true },
    problem: { state: true },
    line: { state: true },
    busy: { state: true },
  };
  static override styles = [base, shareStyle];
  declare opened: { text: string; content: Content } | undefined;
  declare problem: string;
  /** The line that applied it. */
  declare line: string;
  declare busy: boolean;
  readonly #on: OpenNeeds;
  readonly #route;
  readonly #nodes;
  #source: Source | undefined;
  /** The address that `#source` was read from. */
  #from = "";

  constructor(on: OpenNeeds) {
    super();
    this.#on = on;
    this.opened = undefined;
    this.problem = "";
    this.line = "";
    this.busy = false;
    this.#route = new Watched(this, on.page.route);
    this.#nodes = new Watched(this, on.session.nodes, 500);
  }

  /** Another link in the same tab is another question. */
  protected override willUpdate(): void {
    const route = this.#route.state;
    if (viewOf(route) !== "open") return;
    const from = formatRoute(route);
    if (from === this.#from) return;
    this.#from = from;
    void this.#read(from);
  }

  override render() {
    const { opened, problem } = this;
    if (this.#empty) return this.#which();
    return html`<div class="page">
      <h2>Open a manifest</h2>
      ${this.#whence()}
      <p role="status" ?data-failed=${problem !== ""}>
        ${problem || (opened ? "" : "Reading it …")}
      </p>
      ${opened ? this.#asks(opened) : nothing}
    </div>`;
  }

  /** A link that names nothing: the reader may. */
  get #empty(): boolean {
    const { path, query } = this.#route.state;
    return path[0] === "open" && Object.keys(query).length === 0;
  }

  #which() {
    const open = (event: SubmitEvent) => {
      event.preventDefault();
      const url = this.renderRoot.querySelector("input")?.value.trim() ?? "";
      if (url) this.#on.page.route.dispatch({ path: ["open"], query: { url } });
    };
    return html`<form class="page" @submit=${open}>
      <h2>Open a manifest</h2>
      <p class="dim">
        From an https address that lets web pages read it, such as one of raw.githubusercontent.com.
        It is shown before anything of it is applied.
      </p>
      <div class="row">
        <input type="url" aria-label="Address of a manifest" placeholder="https://…" />
        <button class="button primary">Open</button>
      </div>
    </form>`;
  }

  #whence() {
    if (this.#source?.from !== "web") {
      return html`<p class="dim">Somebody sent it in the link that you opened.</p>`;
    }
    return html`<p class="dim">
      The link names <code>${seen(this.#source.address.href)}</code>, which the terminal reads.
    </p>`;
  }

  #asks({ text, content }: { text: string; content: Content }) {
    const machines = [...this.#nodes.state.rows.values()].filter(
      ({ object }) => object.metadata.labels?.[KIND] === "real",
    ).length;
    return html`<p>
        ${this.line ? "Applied," : "Nothing of it has been applied. Read it: applied,"} it runs in
        the cluster of this tab, with every right.
      </p>
      ${
        machines > 0
          ? html`<p class="warns">
              This cluster has ${machines} real ${machines === 1 ? "machine" : "machines"}: what you
              apply may run there, too, as root if it asks to.
            </p>`
          : nothing
      }
      <div class="row">
        <button class="button primary" ?disabled=${this.busy} @click=${() => this.#apply(content)}>
          ${this.line ? "Apply again" : "Apply"}
        </button>
        <span class="dim"
          >${
            this.line
              ? html`<code>${this.line}</code> was typed into the terminal`
              : html`by <code>kubectl apply</code>, in the terminal`
          }</span
        >
      </div>
      ${held(content.objects, text)}`;
  }

  async #read(from: string): Promise<void> {
    this.opened = undefined;
    this.problem = "";
    this.line = "";
    this.#source = undefined;
    if (this.#empty) return;
    try {
      this.#source = sourceOf(this.#route.state);
      const text = await read(this.#source, this.#on.session.api, new ShortLinks(document.baseURI));
      const content = contentOf(text);
      if (from === this.#from) this.opened = { text, content };
    } catch (error) {
      if (from === this.#from) this.problem = reason(error);
    }
  }

  async #apply(content: Content): Promise<void> {
    const { page, session } = this.#on;
    this.busy = true;
    this.problem = "";
    try {
      const line = await applyLine(content, session.api);
      this.line = line;
      page.settings.dispatch({ wide: false });
      page.pane.dispatch("term");
      page.terminal?.run(line);
    } catch (error) {
      this.problem = reason(error);
    } finally {
      this.busy = false;
    }
  }
}

define("tn-open", OpenView);

import { html, LitElement, nothing } from "lit";
import { Breaker } from "../../breakage/breaker.ts";
import { breakLines, cleanLines, mendLines, namespaceOf, nodeLines } from "../../breakage/lines.ts";
import { RIDDLES, SCENARIOS, type Scenario } from "../../breakage/table.ts";
import type { Page } from "../../page/page.ts";
import { reason } from "../../rpc/reason.ts";
import type { Session } from "../../session/session.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { glyphStyle } from "../../ui/glyph.ts";
import { Watched } from "../../ui/watched.ts";
import { now } from "./now.ts";
import { prose } from "./prose.ts";
import { RiddleView } from "./riddle.ts";
import { breakStyle } from "./style.ts";

/** What it stands over. */
export interface BreakNeeds {
  session: Pick<Session, "api" | "cluster" | "events" | "nodes" | "pods">;
  page: Pick<Page, "route" | "terminal">;
}

type State = "broken" | "mended";

/** Things to break, one click each, and riddles: what will be seen, why, and how to mend it. */
export class BreakView extends LitElement {
  static override properties = {
    states: { state: true },
    said: { state: true },
    busy: { state: true },
  };
  static override styles = [base, glyphStyle, breakStyle];
  declare states: ReadonlyMap<string, State>;
  /** What went wrong with a button, and of which scenario. */
  declare said: { readonly name: string; readonly text: string };
  declare busy: string;
  readonly #on: BreakNeeds;
  readonly #breaker: Breaker;
  readonly #riddles: ReadonlyMap<string, RiddleView>;
  readonly #route;
  #shown = "";

  constructor(on: BreakNeeds) {
    super();
    this.#on = on;
    this.states = new Map();
    this.said = { name: "", text: "" };
    this.busy = "";
    this.#breaker = new Breaker({
      api: on.session.api,
      type: (line) => on.page.terminal?.run(line),
      nodes: (params) => on.session.cluster.client.call("nodes", params).result,
    });
    this.#riddles = new Map(
      RIDDLES.map((riddle) => [riddle.name, new RiddleView(riddle, this.#breaker, on.page)]),
    );
    this.addEventListener("stage", () => this.requestUpdate());
    this.#route = new Watched(this, on.page.route);
    new Watched(this, on.session.pods, 250);
    new Watched(this, on.session.events, 500);
    new Watched(this, on.session.nodes, 500);
  }

  override render() {
    const groups = [...new Set(SCENARIOS.map(({ group }) => group))];
    return html`<div class="page">
      <p>
        Break something, see what Kubernetes says of it, and mend it. Each happens in a namespace of
        its own, by the lines that are shown, typed into the terminal.
      </p>
      <h2>Something is wrong: find it</h2>
      <ul class="list">
        ${RIDDLES.map(({ name, title }) => {
          const riddle = this.#riddles.get(name);
          return this.#item(`riddle-${name}`, title, riddle?.mark ?? "", () => riddle);
        })}
      </ul>
      ${groups.map(
        (group) =>
          html`<h2>${group}</h2>
            <ul class="list">
              ${SCENARIOS.filter((one) => one.group === group).map((one) =>
                this.#item(one.name, one.title, this.states.get(one.name) ?? "", () =>
                  this.#scenario(one),
                ),
              )}
            </ul>`,
      )}
    </div>`;
  }

  #item(name: string, title: string, mark: string, body: () => unknown) {
    const open = this.#route.state.query.what === name;
    return html`<li>
      <button
        class="title"
        id=${`title-${name}`}
        aria-expanded=${open}
        @click=${() => this.#open(open ? "" : name)}
      >
        <span class="fold" aria-hidden="true">${open ? "▾" : "▸"}</span>${title}${
          mark ? html`<span class="mark">${mark}</span>` : nothing
        }
      </button>
      ${open ? html`<section aria-labelledby=${`title-${name}`}>${body()}</section>` : nothing}
    </li>`;
  }

  #open(what: string): void {
    this.#on.page.route.dispatch({ path: ["break"], query: { what } });
  }

  /** What was opened is brought into sight, once: what it says of the cluster comes below its buttons. */
  protected override updated(): void {
    const { what = "" } = this.#route.state.query;
    if (what === this.#shown) return;
    this.#shown = what;
    this.renderRoot.querySelector("li:has(> section)")?.scrollIntoView({ block: "nearest" });
  }

  #scenario(one: Scenario) {
    const state = this.states.get(one.name);
    const node = this.#breaker.nodeOf(one);
    const shown = node ?? "NODE";
    const { first, broken, mending: before, last } = nodeLines(one, shown);
    const lines = [...first, ...breakLines(one, shown), ...broken];
    const mending = [...before, ...mendLines(one, shown)];
    const button = (verb: string, primary: boolean, act: () => void) =>
      html`<button
        class=${primary ? "button primary" : "button"}
        ?disabled=${this.busy !== ""}
        @click=${act}
      >
        ${verb}
      </button>`;
    return html`<dl>
        <dt>You will see</dt>
        <dd>${prose(one.see)}</dd>
        <dt>Why</dt>
        <dd>${prose(one.why)}</dd>
        <dt>To mend it</dt>
        <dd>${prose(one.how)}</dd>
      </dl>
      <div class="buttons">
        ${button("Break it", !state, () => void this.#do(one, "broken"))}
        ${button("Mend it", state === "broken", () => void this.#do(one, "mended"))}
        ${button("Clean up", state === "mended", () => void this.#do(one, undefined))}
      </div>
      <p role="status" ?data-failed=${this.said.name === one.name && this.said.text !== ""}>
        ${this.busy === one.name ? waiting(one) : this.said.name === one.name ? this.said.text : ""}
      </p>
      ${state ? now(this.#on.session, namespaceOf(one), node) : nothing}
      <details>
        <summary>The lines that break it</summary>
        <pre tabindex="0" aria-label="Lines that break it">${lines.join("\n")}</pre>
      </details>
      <details>
        <summary>The lines that mend it, and clean up</summary>
        <pre tabindex="0" aria-label="Lines that mend it">
${[...mending, "", ...cleanLines(one, shown), ...last].join("\n")}</pre>
      </details>`;
  }

  async #do(one: Scenario, to: State | undefined): Promise<void> {
    this.busy = one.name;
    this.said = { name: "", text: "" };
    const states = new Map(this.states);
    if (to) states.set(one.name, to);
    else states.delete(one.name);
    try {
      const done =
        to === "broken"
          ? this.#breaker.break(one)
          : to === "mended"
            ? this.#breaker.mend(one)
            : this.#breaker.clean(one);
      this.states = states;
      await done;
    } catch (error) {
      const text = reason(error);
      this.said = { name: one.name, text };
    }
    this.busy = "";
  }
}

/** What takes a while, while it does. */
function waiting({ unplug, disk }: Scenario): string {
  if (unplug) return "Waiting for its pods, then the node is unplugged …";
  return disk ? `Waiting for a node with a disk of ${String(disk)} MiB …` : "";
}

define("tn-break", BreakView);

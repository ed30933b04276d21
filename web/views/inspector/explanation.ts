import { css, html, LitElement, nothing } from "lit";
import { explain } from "../../explain/explain.ts";
import type { Crashed, Explanation } from "../../explain/types.ts";
import { placePath } from "../../kube/apipath.ts";
import type { KubeObject } from "../../kube/types.ts";
import type { Page } from "../../page/page.ts";
import type { Session } from "../../session/session.ts";
import { base } from "../../ui/base.ts";
import { define } from "../../ui/define.ts";
import { glyph, glyphStyle } from "../../ui/glyph.ts";
import { Watched } from "../../ui/watched.ts";

/** What it stands over. */
export interface ExplanationNeeds {
  session: Pick<Session, "events" | "fetch" | "pods">;
  page: Pick<Page, "terminal">;
}

/** Bytes of a log's last line that are asked for, and crashed runs of which it is remembered. */
const LAST_WORDS = 4096;
const REMEMBERED = 64;

/** One sentence on top of an object that is not as it should be, and the command that looks further. */
export class ExplanationView extends LitElement {
  static override properties = { object: { attribute: false } };
  static override styles = [
    base,
    glyphStyle,
    css`
      :host(:empty) {
        flex: none;
      }
      section {
        display: grid;
        flex: none;
        grid-template-columns: 16px minmax(0, 1fr);
        gap: 4px 8px;
        max-height: 30vh;
        padding: 8px 16px;
        overflow: auto;
        border-top: 1px solid var(--line);
        border-bottom: 1px solid var(--line);
        background: var(--raised);
      }
      p {
        margin: 0;
        overflow-wrap: anywhere;
      }
      button {
        grid-column: 2;
        justify-self: start;
        padding: 2px 8px;
        border: 1px solid var(--line-strong);
        border-radius: 4px;
        background: none;
        font-family: var(--mono);
        font-size: var(--size-s);
        text-align: left;
        overflow-wrap: anywhere;
        cursor: pointer;
      }
      button:hover {
        background: var(--hover);
      }
      @media (max-width: 799px) {
        button {
          min-height: 36px;
        }
      }
    `,
  ];
  /** What it is about; undefined for what has been deleted. */
  declare object: KubeObject | undefined;
  readonly #on: ExplanationNeeds;
  readonly #events;
  readonly #pods;
  readonly #lastWords = new Map<string, string>();
  #ticker: ReturnType<typeof setInterval> | undefined;

  constructor(on: ExplanationNeeds) {
    super();
    this.#on = on;
    this.object = undefined;
    this.#events = new Watched(this, on.session.events, 250);
    this.#pods = new Watched(this, on.session.pods, 500);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Ages, and the time until the next start, change without any message.
    this.#ticker = setInterval(() => this.requestUpdate(), 1000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ticker);
  }

  override render() {
    const why = this.object && this.#explain(this.object);
    if (!why) return nothing;
    const { sentence, line } = why;
    // A node that is cordoned waits, as far as pods go.
    const shape = why.state === "cordoned" ? "pending" : why.state;
    return html`<section aria-label="Why">
      <span data-state=${shape}>${glyph(shape)}</span>
      <p class="sentence">${sentence}</p>
      <button
        class="chip"
        aria-label=${`Type, Look further: ${line}`}
        title="Put the line at the prompt"
        @click=${() => this.#on.page.terminal?.type(line)}
      >
        ${line}
      </button>
    </section>`;
  }

  #explain(object: KubeObject): Explanation | undefined {
    const { rows: events } = this.#events.state;
    const { rows: pods } = this.#pods.state;
    return explain(object, {
      now: Date.now(),
      events: objects(events),
      pods: objects(pods),
      lastWords: (crashed) => this.#wordsOf(crashed),
    });
  }

  /** What a run of a container has said last: asked for once, and shown when it is there. */
  #wordsOf(crashed: Crashed): string | undefined {
    const { pod, namespace, container, previous, restarts } = crashed;
    const key = JSON.stringify([namespace, pod, container, restarts, previous]);
    if (!this.#lastWords.has(key)) {
      if (this.#lastWords.size >= REMEMBERED) this.#lastWords.clear();
      this.#lastWords.set(key, "");
      void this.#ask(crashed).then((words) => {
        this.#lastWords.set(key, words);
        this.requestUpdate();
      });
    }
    return this.#lastWords.get(key);
  }

  async #ask({ pod, namespace, container, previous }: Crashed): Promise<string> {
    const place = { group: "", version: "v1", resource: "pods", namespace, name: pod };
    const query = new URLSearchParams({
      container,
      tailLines: "1",
      limitBytes: String(LAST_WORDS),
      ...(previous ? { previous: "true" } : {}),
    });
    try {
      const response = await this.#on.session.fetch(`${placePath(place)}/log?${query.toString()}`);
      return response.ok ? await response.text() : "";
    } catch {
      // The sentence is true without them.
      return "";
    }
  }
}

/** The objects of rows, as often as they are gone through. */
function objects<T>(rows: ReadonlyMap<string, { object: T }>): Iterable<T> {
  return {
    *[Symbol.iterator]() {
      for (const { object } of rows.values()) yield object;
    },
  };
}

define("tn-explanation", ExplanationView);

import { html, LitElement, nothing, svg } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import type { Disposable } from "../state/disposable.ts";
import type { Readable } from "../state/store.ts";
import type { TraceFeed } from "../trace/feed.ts";
import { caused, lastTelling } from "../trace/told.ts";
import { sentence, took } from "../trace/words.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { Watched } from "../ui/watched.ts";
import { journeyStyle } from "./journey-style.ts";
import {
  HEIGHT,
  momentOf,
  originOf,
  placeOf,
  sceneOf,
  SERVER,
  WIDTH,
  type Moment,
  type Place,
  type Scene,
} from "./scene.ts";

/** How many things move at once; the rest is counted. */
const MOVING = 12;
/** Milliseconds: how long one of them is under way, and how long a step is shown when it is slow. */
const TRAVEL = 200;
const SLOWLY = 900;

/** What it stands over. */
export interface JourneyNeeds {
  readonly trace: TraceFeed;
  readonly nodes: Readable<{
    readonly rows: ReadonlyMap<string, { readonly object: { metadata: { name: string } } }>;
  }>;
  /** Has the page look at a step; nothing else is opened. */
  focusOn(step: TraceStep | undefined): void;
  look(step: TraceStep): void;
}

/**
 * One drawing of the machine inside the tab. What happens moves in it as it happens; slowly, the steps
 * of the last command are shown one by one, forwards and backwards, while the cluster goes on.
 */
export class JourneyView extends LitElement {
  static override properties = {
    cursor: { state: true },
    playing: { state: true },
    counted: { state: true },
  };
  static override styles = [base, journeyStyle];
  /** The step of the command that is shown when it is slow; undefined: as it happens. */
  declare cursor: number | undefined;
  declare playing: boolean;
  /** How many steps came that were not drawn moving, since too many were. */
  declare counted: number;
  readonly #on: JourneyNeeds;
  readonly #nodes;
  readonly #still = matchMedia("(prefers-reduced-motion: reduce)");
  #arrivals: Disposable | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #scene: Scene = sceneOf([], []);
  /** The command that is replayed stays the same while others come. */
  #steps: readonly TraceStep[] = [];
  #seen = 0;
  #moving = 0;

  constructor(on: JourneyNeeds) {
    super();
    this.#on = on;
    this.cursor = undefined;
    this.playing = false;
    this.counted = 0;
    new Watched(this, on.trace.version, 150);
    this.#nodes = new Watched(this, on.nodes, 250);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#seen = lastId(this.#on.trace);
    this.#arrivals = this.#on.trace.version.subscribe(() => this.#arrived());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#arrivals?.dispose();
    this.#pause();
  }

  protected override willUpdate(): void {
    const { trace } = this.#on;
    if (this.cursor === undefined) {
      const command = lastTelling(trace);
      this.#steps = command ? caused(trace, command.id) : [];
    }
    const names = [...this.#nodes.state.rows.values()].map(({ object }) => object.metadata.name);
    this.#scene = sceneOf(names, this.#steps);
  }

  override render() {
    const { cursor } = this;
    const steps = cursor === undefined ? this.#steps : this.#steps.slice(0, cursor + 1);
    const step = steps.at(-1);
    return html`<div class="bar">${this.#controls(step)}</div>
      <div class="stage" tabindex="0" role="group" aria-label="The cluster">
        ${this.#draw(momentOf(steps), cursor === undefined ? undefined : step)}
      </div>
      <p class="caption" role="status">
        <span class="said"
          >${step ? sentence(step) : "Run a command in the terminal: it travels here, from kubectl to the nodes."}</span
        >
        ${step ? html`<span class="when">${step.component}${step.took === undefined ? "" : ` · ${took(step.took)}`}</span>` : nothing}
        ${step ? html`<button class="quiet" @click=${() => this.#on.look(step)}>Show the step</button>` : nothing}
      </p>`;
  }

  #controls(step: TraceStep | undefined) {
    const [first] = this.#steps;
    const last = this.#steps.length - 1;
    const at = this.cursor ?? last;
    if (!first || !step) return html`<span class="at">As it happens</span>`;
    return html`<button
        class="button"
        aria-pressed=${this.cursor !== undefined}
        title=${this.cursor === undefined ? "Show the steps of the last command one by one" : "Back to what happens now"}
        @click=${() => (this.cursor === undefined ? this.#slowly() : this.#leave())}
      >
        ${this.cursor === undefined ? "Slowly" : "As it happens"}
      </button>
      ${
        this.cursor === undefined
          ? html`<span class="at"
              >${this.#steps.length}
              steps${this.counted > 0 ? `, ${this.counted} of them too fast to draw` : ""}</span
            >`
          : html`<button
                class="quiet"
                aria-label="One step back"
                ?disabled=${at <= 0}
                @click=${() => this.#go(at - 1)}
              >
                ◂
              </button>
              <button class="quiet" @click=${() => (this.playing ? this.#pause() : this.#play())}>
                ${this.playing ? "Pause" : "Play"}
              </button>
              <button
                class="quiet"
                aria-label="One step on"
                ?disabled=${at >= last}
                @click=${() => this.#go(at + 1)}
              >
                ▸
              </button>
              <input
                type="range"
                aria-label="Step of the command"
                min="0"
                max=${last}
                .value=${String(at)}
                @input=${(e: Event) => this.#go(Number((e.target as HTMLInputElement).value))}
              />
              <span class="at">${at + 1} of ${last + 1} · +${took(step.at - first.at)}</span>`
      }`;
  }

  #draw(moment: Moment, step: TraceStep | undefined) {
    const { places, ways, moreControllers, moreNodes } = this.#scene;
    const here = step && placeOf(step, this.#scene);
    const from = step && originOf(step, this.#on.trace.steps, this.#scene);
    return svg`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${this.#said(moment, here)}>
      <rect class="frame" x=${SERVER.x} y=${SERVER.y} width=${SERVER.width} height=${SERVER.height} rx="6" />
      <text class="small" x=${SERVER.x + 10} y=${SERVER.y + 18}>kube-apiserver</text>
      ${ways.map(([a, b]) => way(places.get(a), places.get(b), "way"))}
      ${here ? way(from, here, "now") : nothing}
      ${[...places.values()].map((place) => this.#place(place, moment, place === here))}
      ${moreControllers > 0 ? svg`<text class="small" x="10" y="394">and ${moreControllers} more controllers</text>` : nothing}
      ${moreNodes > 0 ? svg`<text class="small" x="800" y="394">and ${moreNodes} more nodes</text>` : nothing}
      ${step ? this.#dot(placeOf(step, this.#scene), step) : nothing}
      <g class="moving"></g>
    </svg>`;
  }

  #place(place: Place, moment: Moment, lit: boolean) {
    const { id, name, shape, x, y, width, height } = place;
    if (shape === "station") {
      const asked = moment.asked.get(id) ?? [];
      return svg`<g ?data-lit=${lit}>
        <circle class="station" cx=${x} cy=${y} r="10" />
        <text x=${x} y=${y + 32} text-anchor="middle">${name}</text>
        <text class="small" x=${x} y=${y + 52} text-anchor="middle">${brief(id, asked)}</text>
        <title>${asked.length > 0 ? `${name}: ${asked.join(", ")}` : name}</title>
      </g>`;
    }
    const left = x - width / 2;
    const top = y - height / 2;
    const pods = moment.pods.get(id.replace(/^node /, ""));
    return svg`<g ?data-lit=${lit}>
      <rect class="box" x=${left} y=${top} width=${width} height=${height} rx="4" />
      <text x=${left + 12} y=${top + 25}>${cut(name.replace(/ controller$/, ""), Math.floor((width - 20) / 9))}</text>
      ${name.endsWith(" controller") ? svg`<text class="small" x=${left + 12} y=${top + 47}>controller</text>` : nothing}
      ${id === "etcd" ? svg`<text class="small" x=${left + 12} y=${top + 46}>${moment.revision ? `revision ${moment.revision}` : "no revision yet"}</text>` : nothing}
      ${pods && id.startsWith("node ") ? drawPods(pods, left + 14, top + Math.min(44, height - 22)) : nothing}
      <title>${name}</title>
    </g>`;
  }

  #dot({ x, y, shape, width }: Place, step: TraceStep) {
    const at = shape === "box" ? x + width / 2 - 16 : x;
    const show = () => this.#on.look(step);
    return isRefusal(step.kind)
      ? svg`<text class="failed" x=${at} y=${y + 8} text-anchor="middle" @click=${show}>✕</text>`
      : svg`<circle class="dot" cx=${at} cy=${y} r="8" @click=${show} />`;
  }

  /** The drawing in words. */
  #said({ revision, pods }: Moment, here: Place | undefined): string {
    const nodes = [...pods].map(
      ([node, { bound, started }]) => `${node}: ${started} of ${bound} pods started`,
    );
    return [
      "The cluster in this tab: kubectl, the API server's stations, etcd, controllers, scheduler and nodes",
      here ? `now at ${here.name}` : "",
      revision ? `etcd is at revision ${revision}` : "",
      ...nodes,
    ]
      .filter(Boolean)
      .join("; ");
  }

  /** Steps have come: those that can be seen move, the rest is counted. */
  #arrived(): void {
    const { trace } = this.#on;
    const before = this.#seen;
    this.#seen = lastId(trace);
    // Nobody looks, or looks at something else, or wants it still.
    if (this.cursor !== undefined || document.hidden || !this.checkVisibility()) return;
    const fresh = [...trace.steps.values()].filter(({ id, cause }) => id > before && cause);
    if (fresh.some(({ kind }) => kind === "kubectl.request")) this.counted = 0;
    for (const step of fresh) {
      if (this.#still.matches || this.#moving >= MOVING) this.counted++;
      else this.#move(step);
    }
  }

  #move(step: TraceStep): void {
    const layer = this.renderRoot.querySelector(".moving");
    const from = originOf(step, this.#on.trace.steps, this.#scene);
    const to = placeOf(step, this.#scene);
    if (!layer || from === to) return;
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    dot.setAttribute("class", "dot");
    dot.setAttribute("r", "7");
    dot.addEventListener("click", () => this.#on.look(step));
    layer.append(dot);
    this.#moving++;
    const at = ({ x, y }: Place) => ({ transform: `translate(${x}px, ${y}px)` });
    const travel = dot.animate([at(from), at(to)], { duration: TRAVEL, easing: "ease-in-out" });
    const end = () => {
      dot.remove();
      this.#moving--;
    };
    travel.onfinish = end;
    travel.oncancel = end;
  }

  #slowly(): void {
    this.#go(0);
    this.#play();
  }

  #leave(): void {
    this.#pause();
    this.cursor = undefined;
    this.#on.focusOn(undefined);
  }

  #go(to: number): void {
    this.cursor = Math.min(this.#steps.length - 1, Math.max(0, to));
    this.#on.focusOn(this.#steps[this.cursor]);
  }

  #play(): void {
    this.playing = true;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      const at = this.cursor ?? 0;
      if (at >= this.#steps.length - 1) this.#pause();
      else this.#go(at + 1);
    }, SLOWLY);
  }

  #pause(): void {
    this.playing = false;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function way(a: Place | undefined, b: Place | undefined, name: string) {
  if (!a || !b) return nothing;
  return svg`<line class=${name} x1=${a.x} y1=${a.y} x2=${b.x} y2=${b.y} />`;
}

function drawPods({ bound, started }: { bound: number; started: number }, x: number, y: number) {
  const drawn = Math.min(bound, 10);
  return svg`${Array.from({ length: drawn }, (_, i) => svg`<rect class="pod" ?data-started=${i < started} x=${x + 22 * i} y=${y} width="14" height="14" rx="2" />`)}
    ${bound > drawn ? svg`<text class="small" x=${x + 22 * drawn} y=${y + 12}>+${bound - drawn}</text>` : nothing}`;
}

function isRefusal(kind: string): boolean {
  return /\.(refused|forbidden)$/.test(kind);
}

/** Who is asked at a station: whose word it was, or how many there are. */
function brief(station: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  if (station === "admission" || station === "validation") {
    return `${names.length} ${names.length === 1 ? "plugin" : "plugins"}`;
  }
  return cut(names.at(-1) ?? "", 16);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function lastId({ steps }: TraceFeed): number {
  let last = 0;
  for (const id of steps.keys()) if (id > last) last = id;
  return last;
}

define("tn-journey", JourneyView);

import { html, LitElement, nothing } from "lit";
import type { TraceStep } from "../rpc/protocol.ts";
import { Disposables } from "../state/disposable.ts";
import type { Onward } from "../guide/onward.ts";
import { caused, lastTelling, top } from "../trace/told.ts";
import { sentence } from "../trace/words.ts";
import { base } from "../ui/base.ts";
import { define } from "../ui/define.ts";
import { wordStyle } from "../guide/word-style.ts";
import { glyphStyle } from "../ui/glyph.ts";
import { Watched } from "../ui/watched.ts";
import { besides, lettersOf } from "./besides.ts";
import { Boxes } from "./boxes.ts";
import { asList, caption } from "./caption.ts";
import { arrow } from "./arrows.ts";
import { isSame, liveControls, onward, since, slowControls, toPlay } from "./controls.ts";
import { drawing } from "./drawing.ts";
import { journeyStyle } from "./journey-style.ts";
import { momentOf, startOf, writtenBefore } from "./moment.ts";
import type { GrowthView } from "./growth-view.ts";
import { Past } from "./past.ts";
import { Versions } from "./versions.ts";
import { Explains } from "./explains.ts";
import { Holds } from "./holds.ts";
import { Moving } from "./moving.ts";
import { fitsHigh, stays, lastsOf, sceneOf, type Scene } from "./scene.ts";
import { Play } from "./play.ts";
import { MUCH, Replayed } from "./replayed.ts";
import { leaveOneStop, rove, stopsAt } from "./rove.ts";
import { standing } from "./standing.ts";
import { opening } from "./opening.ts";
import type { JourneyNeeds } from "./needs.ts";
import { bringIntoSight } from "./sight.ts";
import { Siblings } from "./siblings.ts";
import { passesAgain } from "./door.ts";
import { nearest } from "./story.ts";
import { whereabouts } from "./whereabouts.ts";

const NONE: ReadonlyMap<string, TraceStep> = new Map();
/** Milliseconds from a command's steps until what they wrote is read. */
const REST = 2000;

/**
 * One drawing of the machine inside the tab. What happens moves in it as it happens; slowly, the steps
 * of the last command are shown one by one, forwards and backwards, while the cluster goes on.
 */
export class JourneyView extends LitElement {
  static override properties = {
    cursor: { state: true },
    every: { state: true },
    narrow: { state: true },
    below: { state: true },
  };
  static override styles = [base, glyphStyle, wordStyle, journeyStyle];
  /** The step of the command that is shown when it is slow; undefined: as it happens. */
  declare cursor: number | undefined;
  /** Slowly: every step, instead of those that led to something. */
  declare every: boolean;
  declare narrow: boolean;
  /** Slowly: how high the drawing is if it stays as it is as it happens, with the object that grows below it. */
  declare below: number | undefined;
  readonly #on: JourneyNeeds;
  readonly #nodes;
  readonly #pods;
  readonly #pointed;
  readonly #still = matchMedia("(prefers-reduced-motion: reduce)");
  readonly #play = new Play({
    told: () => this.#told,
    at: () => this.cursor ?? 0,
    go: (to) => this.#go(to),
    known: (chapter) => this.#on.guide.title(chapter) !== undefined,
    seen: () => this.checkVisibility() || this.#on.guide.tellsAlone(),
    letters: (step) => lettersOf(step, this.#said(step), this.#replayed, this.#on.trace.steps),
    changed: () => {
      this.requestUpdate();
      this.#onward();
    },
  });
  /** What it hears of as long as it is in a page. */
  #hears = new Disposables();
  /** What was asked for when it was answered last. */
  #asked: object | undefined;
  #scene: Scene = sceneOf([], []);
  readonly #boxes = new Boxes();
  readonly #siblings = new Siblings();
  readonly #past = new Past();
  /** The command that is replayed stays the same while others come. */
  readonly #replayed = new Replayed();
  readonly #phone = matchMedia("(max-width: 799px)");
  readonly #resize = new ResizeObserver(() => {
    const [sides, stage] = [".sides", ".stage"].map((name) => this.renderRoot.querySelector(name));
    if (!sides || !stage || stage.clientWidth === 0) return;
    this.below = this.#phone.matches ? undefined : stays(sides.getBoundingClientRect());
    this.narrow = !this.#isBelow && fitsHigh(stage.getBoundingClientRect());
    if (!this.#missed) return;
    this.requestUpdate();
    // Who comes back from the trace finds the guide at the step that is shown here.
    if (this.cursor !== undefined) this.#go(this.cursor);
  });
  /** Whoever looks at it, or has the focus in it, or has it replayed, holds it. */
  readonly #holds: Holds;
  readonly #explains = new Explains(this);
  /** Whether a command has been shown slowly: until then the button for it stands out. */
  #slowed = false;
  /** Versions of this command's objects, read before etcd forgets them. */
  readonly #versions: Versions;
  #rest: ReturnType<typeof setTimeout> | undefined;
  /** Its steps when they were read last. */
  #read: readonly TraceStep[] = [];
  /** The object that grows, slowly; what draws it is fetched then. */
  #growth: GrowthView | undefined;
  readonly #moving: Moving;
  /** What the guide has of it. */
  #says: Onward | undefined;
  /** The step that was brought into sight. */
  #sighted: TraceStep | undefined;
  /** The step that the caption tells. */
  #captioned: TraceStep | undefined;
  /** It was out of sight when something changed, and drew nothing. */
  #missed = false;

  constructor(on: JourneyNeeds) {
    super();
    this.#on = on;
    this.#versions = new Versions(on.etcd);
    this.#holds = new Holds(() => on.hold());
    this.#moving = new Moving({
      steps: on.trace.steps,
      scene: () => this.#scene,
      layer: () => this.renderRoot.querySelector(".moving"),
      look: (step) => on.look(step),
      arrived: () => {
        if (this.cursor === undefined && this.#now() !== this.#captioned) this.requestUpdate();
      },
    });
    this.cursor = undefined;
    this.every = false;
    this.narrow = false;
    this.below = undefined;
    for (const [take, leave] of [
      ["pointerenter", "pointerleave"],
      ["focusin", "focusout"],
    ] as const) {
      this.addEventListener(take, () => this.#holds.hold(take));
      this.addEventListener(leave, () => this.#holds.release(take));
    }
    new Watched(this, on.trace.version, () => (this.#steps.length > MUCH ? 600 : 150));
    new Watched(this, on.telling.chosen);
    this.#nodes = new Watched(this, on.nodes, 250);
    this.#pods = new Watched(this, on.pods, 250);
    this.#pointed = new Watched(this, on.pointed);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.firstUpdated();
    this.#past.lives.take(this.#on.trace.steps.values());
    const { trace, telling, asked, guide } = this.#on;
    const hears = (this.#hears = new Disposables());
    hears.add(trace.arrivals.subscribe((steps) => this.#arrived(steps)));
    hears.listen(window, "keydown", (event) => this.#key(event));
    hears.add(telling.chosen.subscribe(() => this.#turn()));
    hears.add(asked.subscribe(() => this.#seek()));
    this.#seek();
    hears.add(
      guide.turned.subscribe(() => {
        if (this.#play.playing) this.#play.pause("reader");
        // There may be a way to its chapter now, or none any more.
        else this.requestUpdate();
      }),
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#hears.dispose();
    this.#moving.stop();
    this.#resize.disconnect();
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#play.pause();
    this.#holds.dispose();
  }

  protected override firstUpdated(): void {
    for (const part of this.renderRoot.querySelectorAll(".sides, .stage"))
      this.#resize.observe(part);
  }

  /** Nobody looks at what is behind another view. */
  protected override shouldUpdate(): boolean {
    this.#missed = this.hasUpdated && !this.checkVisibility();
    return !this.#missed;
  }

  get #isBelow(): boolean {
    return this.below !== undefined && this.cursor !== undefined && this.#growth !== undefined;
  }

  get #steps(): readonly TraceStep[] {
    return this.#replayed.steps;
  }

  get #told(): readonly TraceStep[] {
    return this.#replayed.told;
  }

  protected override willUpdate(): void {
    const { trace, telling } = this.#on;
    // Slowly there is an object to read beside the drawing: the page gives it more room (layout.css).
    this.toggleAttribute("slowly", this.cursor !== undefined);
    const shown = this.cursor === undefined ? undefined : this.#told[this.cursor];
    const command =
      this.cursor === undefined ? (telling.command ?? lastTelling(trace)) : this.#steps[0];
    const all = command ? caused(trace, command.id) : [];
    if (this.cursor === undefined) this.#replayed.live(all, this.every);
    else this.#replayed.slow(all, this.every);
    if (shown) this.cursor = nearest(this.#told, shown);
    if (this.#growth && this.cursor !== undefined) {
      this.#growth.steps = this.#steps;
      this.#growth.told = this.#told;
      this.#growth.step = this.#told[this.cursor];
      this.#growth.below = this.below !== undefined;
    }
    const names = [...this.#nodes.state.rows.values()].map(({ object }) => object.metadata.name);
    const at = this.cursor === undefined ? undefined : this.#told[this.cursor];
    this.#scene = sceneOf(names, this.#steps, this.narrow, at, this.#boxes);
  }

  protected override updated(): void {
    const stage = this.renderRoot.querySelector(".stage");
    if (stage) leaveOneStop(stage);
    const step = this.cursor === undefined ? undefined : this.#told[this.cursor];
    this.#onward();
    if (step === this.#sighted) return;
    this.#sighted = step;
    bringIntoSight(this, this.#growth);
  }

  override render() {
    const { cursor } = this;
    const step = cursor === undefined ? this.#now() : this.#told[cursor];
    this.#captioned = step;
    const { steps } = this.#on.trace;
    const until = cursor === undefined ? undefined : step;
    const beside = this.#besides(until);
    const seen = until && this.#replayed.seen(until);
    const moment = momentOf(this.#steps, until, startOf(steps), this.#past.lives, seen);
    const pods = standing(this.#pods.state, moment, seen, this.#past);
    const revision = moment.revision || writtenBefore(steps, until, this.#steps);
    return html`<h2 class="sr">Journey</h2>
      ${this.#on.ways} ${step ? html`<div class="bar">${this.#controls(step)}</div>` : nothing}
      <div class="sides" ?data-below=${this.#isBelow}>
        <div
          class="stage"
          style=${this.#isBelow ? `height: ${this.below}px` : nothing}
          tabindex="0"
          role="group"
          aria-label="The cluster"
          @focusin=${(event: FocusEvent) => stopsAt(event.currentTarget as Element, event.target)}
          @keydown=${(event: KeyboardEvent) => rove(event.currentTarget as Element, event)}
        >
          ${drawing({
            scene: this.#scene,
            moment: { ...moment, revision, pods },
            step: until,
            pointed: this.#pointed.state,
            ...beside,
            steps,
            look: (one) => this.#on.look(one),
            // As it happens, of very much, nodes and pods open only.
            lasts:
              until || this.#steps.length <= MUCH ? lastsOf(this.#steps, this.#scene, until) : NONE,
            open: (object) => this.#on.open(object),
          })}
        </div>
        ${cursor === undefined ? nothing : (this.#growth ?? nothing)}
      </div>
      ${asList(this.#told)}
      ${caption({
        step,
        told: this.#told,
        steps: this.#steps,
        stands: this.#stands(step),
        beside,
        line: this.#steps[0] ? sentence(this.#steps[0]) : "",
        explains: this.#explains,
        heard: cursor !== undefined && !this.#play.playing,
        look: (one) => this.#on.look(one),
      })}`;
  }

  /** As it happens, the last step that is to be said: a dot may still be under way to a later one. */
  #now(): TraceStep | undefined {
    if (this.#steps.length > MUCH) return this.#told.at(-1);
    return this.#moving.lastSaid(this.#told) ?? this.#told[0];
  }

  /** Slowly: how many go the way of a step, where that begins, and what a request passes as another did. */
  #stands(step: TraceStep | undefined): string {
    if (!step || this.cursor === undefined || this.every) return "";
    const many = this.#siblings.of(this.#steps, this.#told).get(step.id);
    return [many, passesAgain(step, this.#steps, this.#told)].filter(Boolean).join(" ");
  }

  #besides(step: TraceStep | undefined) {
    return besides(step, this.#replayed, this.#on.trace.steps);
  }

  /** What is told of a step. */
  #said(step: TraceStep): string {
    const stands = this.#stands(step);
    return `${opening(step, this.#told, this.#steps)}${stands && `. ${stands}`}`;
  }

  #controls(step: TraceStep) {
    const { guide } = this.#on;
    const last = this.#told.length - 1;
    const at = this.cursor ?? last;
    const chapter = this.cursor === undefined ? "" : this.#play.chapter();
    return html`<button
        class=${!this.#on.ways.hidden && !this.#slowed ? "button primary" : "button"}
        aria-pressed=${this.cursor !== undefined}
        title=${this.cursor === undefined ? "Show the steps of the last command one by one" : "Back to what happens now"}
        @click=${() => (this.cursor === undefined ? this.#press(this.#steps) : this.#leave())}
      >
        ${this.cursor === undefined ? "Slowly" : "As it happens"}
      </button>
      ${
        this.cursor === undefined
          ? liveControls(
              this.#steps.length,
              this.#told.length,
              this.#moving.undrawn.of(this.#steps[0]?.id),
              (one) => this.#on.look(one),
            )
          : slowControls({
              play: this.#play,
              step,
              said: this.#said(step),
              at,
              last,
              steps: this.#steps.length,
              begun: this.#steps[0]?.at ?? step.at,
              every: this.every,
              title: guide.title(chapter) ?? "",
              own: whereabouts({ step, chapter, told: this.#told, steps: this.#steps }, guide),
              hidden: !guide.shows(chapter),
              later: since(this.#steps[0], this.#on.telling),
              next: this.#on.next,
              tell: (command) => this.#tell(command),
              go: (to) => this.#jump(to),
              read: () => {
                // Another step may have been looked at meanwhile: it is this one's chapter.
                this.#go(at);
                guide.show(chapter);
              },
              showEvery: () => this.#showEvery(step),
            })
      }`;
  }

  /** Steps have come: those that can be seen move. */
  #arrived(steps: readonly TraceStep[]): void {
    this.#past.lives.take(steps);
    this.#rest ??= setTimeout(() => this.#readVersions(), REST);
    // Nobody looks, or looks at something else, or wants it still.
    const isSeen = !document.hidden && this.checkVisibility();
    if (this.cursor !== undefined || !isSeen || this.#still.matches) {
      this.#moving.stop();
      return;
    }
    const fresh = steps.filter(({ cause, kind }) => cause ?? kind === "kubectl.command");
    this.#moving.take(fresh);
  }

  /** It may be long until a command is told slowly. */
  #readVersions(): void {
    this.#rest = undefined;
    const steps = this.#steps;
    if (steps === this.#read || steps.length > MUCH) return;
    if (document.hidden || !this.checkVisibility()) return;
    this.#read = steps;
    void this.#versions.read(steps, this.#told);
  }

  #showEvery(at: TraceStep): void {
    this.every = !this.every;
    this.#replayed.slow(this.#steps, this.every);
    this.cursor = nearest(this.#told, at);
  }

  readonly #grown = () => bringIntoSight(this, this.#growth);

  async #grow(): Promise<void> {
    if (this.#growth) return;
    const { GrowthView } = await import("./growth-view.ts");
    this.#growth ??= new GrowthView({ trace: this.#on.trace, etcd: this.#versions });
    // Its place may be new, and the drawing stands lower then. Where another press was quicker it listens already.
    this.#growth.addEventListener("grown", this.#grown);
    this.requestUpdate();
  }

  #press(steps: readonly TraceStep[]): void {
    this.#slow(steps);
    this.#play.begin();
    void toPlay(this);
  }

  #slow(steps: readonly TraceStep[]): void {
    void this.#grow();
    this.#holds.hold("slowly");
    this.#slowed = true;
    this.#replayed.clear();
    this.#replayed.slow(steps, this.every);
  }

  /** Goes to the moment that somebody has asked for elsewhere, as by the reader's hand. */
  #seek(): void {
    const { asked, trace } = this.#on;
    const { state } = asked;
    if (!state || state === this.#asked) return;
    this.#asked = state;
    const root = top(trace.steps, state.step.id);
    // From its beginning it is told as by the button: it stops where there is a chapter to read.
    if (root === state.step.id) return this.#press(caused(trace, root));
    this.#slow(caused(trace, root));
    this.#jump(nearest(this.#told, state.step));
  }

  /**
   * Another command is chosen than the one that is replayed: it begins, as by the button. At once, whether anybody sees
   * it or not: on a phone it is chosen in another pane, and the step of the old one must not be come back to.
   */
  #turn(): void {
    const { trace, telling } = this.#on;
    if (this.cursor === undefined || telling.root === this.#steps[0]?.id) return;
    const told = telling.command ?? lastTelling(trace);
    if (!told || told === this.#steps[0]) return;
    this.#slow(caused(trace, told.id));
    this.#play.begin();
  }

  #tell({ id }: TraceStep): void {
    this.#on.choose(id);
    void toPlay(this); // the button that was pressed is gone
  }

  #leave(): void {
    this.#play.pause();
    this.cursor = undefined;
    this.#onward();
    this.#holds.release("slowly");
    this.#on.focusOn(undefined);
    // On a small phone it was scrolled to the step; what begins above the bar is there again.
    void this.updateComplete.then(() => this.scrollTo({ top: 0, behavior: "instant" }));
  }

  /** What the guide of a phone has in the bar's place. */
  #onward(): void {
    const at = this.cursor ?? -1;
    const step = this.#told[at];
    const title = this.#on.guide.title(this.#play.chapter());
    const ended = at >= this.#told.length - 1;
    // What is said may be the same at the next step: they go from where it is then.
    const next =
      step &&
      onward(this.#play, this.#said(step), title, ended, {
        back: at > 0 ? () => this.#jump((this.cursor ?? 0) - 1) : undefined,
        on: ended ? undefined : () => this.#jump((this.cursor ?? 0) + 1),
      });
    if (isSame(next, this.#says)) return;
    this.#says = next;
    this.#on.guide.tells(next);
  }

  #go(to: number): void {
    const at = Math.min(this.#told.length - 1, Math.max(0, to));
    this.cursor = at;
    this.#on.focusOn(this.#told[at], this.#play.chapter());
  }

  /** Who has it told slowly goes on and back by the arrow keys. */
  #key(event: KeyboardEvent): void {
    const by =
      this.cursor === undefined || !this.checkVisibility() ? 0 : arrow(event, this.renderRoot);
    if (by === 0) return;
    event.preventDefault();
    this.#jump((this.cursor ?? 0) + by);
  }

  /** By the reader's hand. */
  #jump(to: number): void {
    this.#go(to);
    this.#play.moved();
  }
}

define("tn-journey", JourneyView);

import { html, LitElement, type PropertyValues } from "lit";
import type { EmbeddedCluster } from "../sdk/create.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";
import { sharedOf } from "./cluster-element.ts";
import { reason } from "../rpc/reason.ts";
import type { SharedCluster } from "./shared.ts";
import { drawStage, stateOf, type ElementState, type Stage } from "./stage.ts";
import { Theme } from "./theme.ts";
import { viewStyle } from "./view-style.ts";

/** A view of ours in an element (web/embed-views). */
export interface OpenView extends Disposable {
  readonly element: HTMLElement;
  /** The element's colours are others now. */
  repaint?(): void;
}

/** What a view is opened with. */
export interface ViewGround {
  readonly cluster: EmbeddedCluster;
  readonly shared: SharedCluster;
  /** The element that it stands in: its attributes, and where its events come from. */
  readonly element: HTMLElement;
}

/**
 * An element that shows one of the page's views over a cluster. Until somebody starts that, here or in
 * another element, it shows a button; then it opens by itself, and takes no focus. What the view
 * is made of is loaded then.
 */
export abstract class ViewElement extends LitElement {
  static override properties = { stage: { state: true }, cluster: { attribute: false } };
  static override styles = viewStyle;
  declare stage: Stage;
  /** A cluster that there is already. */
  declare cluster: EmbeddedCluster | undefined;
  #view: OpenView | undefined;
  #told: ElementState | undefined;
  #near: IntersectionObserver | undefined;
  #life = new AbortController();
  #held = new Disposables();

  constructor() {
    super();
    this.stage = { is: "waiting" };
    new Theme(this, () => this.#view?.repaint?.());
  }

  /** Loads and makes the view. */
  protected abstract open(on: ViewGround): Promise<OpenView>;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#begin();
  }

  #begin(): void {
    this.#life = new AbortController();
    this.#held = new Disposables();
    // Nothing is asked for an element that nobody sees.
    this.#near = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      this.#near?.disconnect();
      this.#join();
    });
    this.#near.observe(this);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("cluster") || !this.isConnected) return;
    // What is open is of the one before.
    this.#end();
    this.#begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#end();
  }

  #end(): void {
    this.#near?.disconnect();
    this.#life.abort();
    this.#held.dispose();
    this.#close({ is: "waiting" });
  }

  override render() {
    if (this.stage.is === "open") return html`<div class="place">${this.#view?.element}</div>`;
    return drawStage(this.stage, "Start Kubernetes here", () => void this.start());
  }

  override updated(): void {
    const detail = stateOf(this.stage);
    if (detail === this.#told) return;
    this.#told = detail;
    this.dispatchEvent(new CustomEvent("tabernetes-state", { detail }));
  }

  /** Starts the cluster, if need be, and opens the view. */
  async start(): Promise<void> {
    if (this.stage.is === "starting" || this.stage.is === "open") return;
    const { signal } = this.#life;
    this.stage = { is: "starting", far: "" };
    try {
      const shared = sharedOf(this);
      const cluster = await shared.started((far) => {
        if (this.stage.is === "starting") this.stage = { is: "starting", far };
      }, signal);
      const view = await this.open({ cluster, shared, element: this });
      if (signal.aborted || shared.ended.aborted) {
        view.dispose();
        if (!signal.aborted) this.#fails(ENDED);
        return;
      }
      this.#view = view;
      this.stage = { is: "open" };
      const held = this.#held;
      held.add(shared.shows(this));
      held.add(cluster.on("fault", ({ message, hint }) => this.#fails(`${message} ${hint}`)));
      shared.ended.addEventListener("abort", () => this.#fails(ENDED), { signal, once: true });
    } catch (error) {
      if (!signal.aborted) this.#fails(reason(error));
    }
  }

  /** Goes with the cluster from when somebody has started it; says before what that downloads. */
  #join(): void {
    let shared;
    try {
      shared = sharedOf(this);
    } catch {
      return; // it names a cluster that is not there: who presses the button is told
    }
    const follow = () => {
      if (shared.begun && this.stage.is === "waiting") void this.start();
    };
    this.#held.add(shared.onChange(follow));
    follow();
    void shared.size().then((bytes) => {
      if (bytes !== undefined && this.stage.is === "waiting") this.stage = { is: "waiting", bytes };
    });
  }

  #fails(why: string): void {
    if (this.isConnected) this.#close({ is: "failed", why });
  }

  #close(stage: Stage): void {
    this.#view?.dispose();
    this.#view = undefined;
    this.stage = stage;
  }
}

const ENDED = "The page has ended this cluster.";

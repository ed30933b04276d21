import { html, LitElement } from "lit";

const PANES = [
  { name: "term", label: "Terminal" },
  { name: "map", label: "Map" },
  { name: "inspect", label: "Inspect" },
  { name: "events", label: "Events" },
] as const;

export type PaneName = (typeof PANES)[number]["name"];

/** The bar with which a phone chooses its one pane. Drawn into the page: layout.css styles it. */
export class PanesView extends LitElement {
  static override properties = { pane: { state: true } };
  declare pane: PaneName;

  constructor() {
    super();
    this.pane = "term";
    this.style.display = "contents";
  }

  protected override createRenderRoot() {
    return this;
  }

  override render() {
    return PANES.map(
      ({ name, label }) =>
        html`<button aria-pressed=${this.pane === name} @click=${() => this.show(name)}>
          ${label}
        </button>`,
    );
  }

  show(pane: PaneName): void {
    this.pane = pane;
    document.body.dataset.pane = pane;
    const work = document.querySelector<HTMLElement>(".work");
    if (work) work.dataset.pane = pane;
  }
}

customElements.define("tn-panes", PanesView);

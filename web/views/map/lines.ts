/** Lines between things of the map, from above to below, where both can be seen. */
export class Lines {
  readonly element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  /** Pairs of uids. */
  lines: readonly (readonly [string, string])[] = [];
  readonly #host: HTMLElement;
  readonly #sized = new ResizeObserver(() => this.draw());
  readonly #scrolled = () => this.draw();

  constructor(host: HTMLElement) {
    this.#host = host;
    this.element.classList.add("lines");
    this.element.setAttribute("aria-hidden", "true");
  }

  begin(): void {
    this.#sized.observe(this.#host);
    // What scrolls is within.
    this.#host.shadowRoot?.addEventListener("scroll", this.#scrolled, true);
  }

  end(): void {
    this.#sized.disconnect();
    this.#host.shadowRoot?.removeEventListener("scroll", this.#scrolled, true);
  }

  draw(): void {
    const from = this.#host.getBoundingClientRect();
    const paths = this.lines.flatMap(([above, below]) => {
      const top = this.#seen(above);
      const bottom = this.#seen(below);
      if (!top || !bottom) return [];
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const x1 = top.left + Math.min(20, top.width / 2) - from.left;
      const y1 = top.bottom - from.top;
      const x2 = bottom.left + Math.min(10, bottom.width / 2) - from.left;
      const y2 = bottom.top - from.top;
      const bend = Math.max(8, (y2 - y1) / 2);
      path.setAttribute("d", `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`);
      return [path];
    });
    this.element.replaceChildren(...paths);
  }

  /** Where a thing is, if it is not scrolled out of sight. */
  #seen(uid: string): DOMRect | undefined {
    const found = this.#host.shadowRoot?.querySelector(`[data-uid="${CSS.escape(uid)}"]`);
    const within = found?.closest(".storeys, .columns")?.getBoundingClientRect();
    const at = found?.getBoundingClientRect();
    if (!at || !within || at.bottom > within.bottom + 1 || at.top < within.top - 1)
      return undefined;
    return at;
  }
}

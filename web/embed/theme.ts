import type { ReactiveController, ReactiveControllerHost } from "lit";

const DARK = "(prefers-color-scheme: dark)";

/**
 * Light or dark for an element in somebody else's page: as its attribute `theme` says, else as the page is.
 * It sets `data-dark`, which style sheets look for, and the color-scheme.
 */
export class Theme implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #painted: () => void;
  readonly #dark = matchMedia(DARK);

  /** `painted` is called after each change. */
  constructor(host: ReactiveControllerHost & HTMLElement, painted: () => void) {
    this.#host = host;
    this.#painted = painted;
    host.addController(this);
  }

  hostConnected(): void {
    this.#dark.addEventListener("change", this.#paint);
    this.#paint();
  }

  hostDisconnected(): void {
    this.#dark.removeEventListener("change", this.#paint);
  }

  readonly #paint = () => {
    const theme = this.#host.getAttribute("theme");
    const page = getComputedStyle(document.documentElement).colorScheme;
    // A page that says nothing of schemes is light.
    const dark =
      theme === "dark" || (theme !== "light" && page.includes("dark") && this.#wants(page));
    this.#host.toggleAttribute("data-dark", dark);
    this.#host.style.colorScheme = dark ? "dark" : "light";
    this.#painted();
  };

  #wants(page: string): boolean {
    return this.#dark.matches || !page.includes("light");
  }
}

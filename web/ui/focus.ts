import { Disposables, type Disposable } from "../state/disposable.ts";

const FOCUSABLE =
  "a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex]:not([tabindex='-1'])";

/** What has the focus, shadow roots included. */
export function focused(): HTMLElement | undefined {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element instanceof HTMLElement ? element : undefined;
}

/** The first thing that can have the focus in an element, shadow roots included. */
export function firstFocusable(root: ParentNode): HTMLElement | undefined {
  for (const element of root.querySelectorAll<HTMLElement>("*")) {
    if (element.shadowRoot) {
      const inside = firstFocusable(element.shadowRoot);
      if (inside) return inside;
    }
    if (element.matches(FOCUSABLE) && element.tabIndex >= 0 && element.checkVisibility()) {
      return element;
    }
  }
  return undefined;
}

/**
 * F6 goes to the next pane and Shift+F6 to the one before, as in every desktop: the terminal takes
 * Tab for itself, and there must be a way out.
 */
export function attachPaneKeys(
  panes: readonly HTMLElement[],
  terminal: { pane: HTMLElement; focus(): void },
): Disposable {
  const held = new Disposables();
  held.listen(window, "keydown", (event) => {
    if (event.key !== "F6" || event.defaultPrevented) return;
    event.preventDefault();
    const now = panes.findIndex((pane) => pane.contains(document.activeElement));
    const by = event.shiftKey ? -1 : 1;
    for (let i = 1; i <= panes.length; i++) {
      const pane = panes[(now + by * i + panes.length * (i + 1)) % panes.length];
      if (!pane?.checkVisibility()) continue;
      if (pane === terminal.pane) {
        terminal.focus();
        return;
      }
      const target = firstFocusable(pane);
      if (target) {
        target.focus();
        return;
      }
    }
  });
  return held;
}

/**
 * Where there is more of the journey than room, on a small phone: where the step happens is scrolled to, below the
 * object that grows, which stays in sight if there is room.
 */
export function bringIntoSight(view: HTMLElement, grows: HTMLElement | undefined): void {
  const [bar, here, caption] = [".bar", "[data-here]", ".caption"].map((name) =>
    view.shadowRoot?.querySelector(name)?.getBoundingClientRect(),
  );
  if (!bar || !here || !caption || getComputedStyle(view).overflowY !== "auto") return;
  // The bar is as high as its words take.
  if (grows) grows.style.top = `${bar.height}px`;
  const stays = grows?.isConnected && getComputedStyle(grows).position === "sticky";
  const top = bar.bottom + (stays ? grows.offsetHeight : 0);
  if (here.top >= top && here.bottom <= caption.top) return;
  const middle = (top + caption.top) / 2;
  // At once: what scrolls smoothly would still be under way when the next step asks where it stands.
  view.scrollBy({ top: (here.top + here.bottom) / 2 - middle, behavior: "instant" });
}

/** What has arrow keys of its own: texts that are typed, the slider, the drawing, whose parts they lead to. */
const OWN = "input, select, textarea, .stage";

/**
 * By how many steps a key leads on: the arrows do, of whoever stands at nothing or at the controls; 0 for none. `root`
 * has the controls.
 */
export function arrow(event: KeyboardEvent, root: ParentNode & Node): -1 | 0 | 1 {
  const way = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (way === 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return 0;
  const [target] = event.composedPath();
  if (event.defaultPrevented || !(target instanceof Element)) return 0;
  if (target === target.ownerDocument.body) return way;
  return root.contains(target) && !target.closest(OWN) ? way : 0;
}

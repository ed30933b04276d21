/** A place of the text that somebody has left by a link in it. */
export interface Place {
  readonly chapter: string;
  /** How far the text was scrolled, and how far below its top the link stood. */
  readonly top: number;
  readonly below: number;
  /** What the link is, and which of those that are alike. */
  readonly key: string;
  readonly nth: number;
}

/** Characters of a link that are remembered: it may have a whole command in it. */
const LONGEST = 200;

/** Links that lead to one step are alike, whatever was seen of it since. */
function keyOf(link: HTMLElement): string {
  const { dataset, ariaLabel, textContent } = link;
  return (dataset.step ?? ariaLabel ?? textContent).slice(0, LONGEST);
}

function alike(list: HTMLElement, key: string): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("article a")].filter((a) => keyOf(a) === key);
}

/** Where a link stands in the open chapter of a list of them. */
export function placeOf(list: HTMLElement, chapter: string, link: HTMLElement): Place {
  const key = keyOf(link);
  const below = link.getBoundingClientRect().top - list.getBoundingClientRect().top;
  return { chapter, top: list.scrollTop, below, key, nth: alike(list, key).indexOf(link) };
}

/** Has a place in sight again as it was, and its link the focus; false as long as its text is not there, or not seen. */
export function bringBack(list: HTMLElement, { top, below, key, nth }: Place): boolean {
  const article = list.querySelector<HTMLElement>("article");
  if (!article?.checkVisibility() || "coming" in article.dataset) return false;
  const link = alike(list, key)[nth];
  // It may be in what was folded meanwhile.
  unfold(link);
  list.scrollTop = top;
  // More may stand above it than then.
  if (link?.checkVisibility())
    list.scrollTop += link.getBoundingClientRect().top - list.getBoundingClientRect().top - below;
  const heading = article.previousElementSibling?.querySelector<HTMLElement>("button");
  (link ?? heading)?.focus({ preventScroll: true });
  return true;
}

/** Opens what an element is folded in. */
export function unfold(element: Element | undefined): void {
  const fold = element?.closest("details");
  if (fold) fold.open = true;
}

/** A place as the browser's history has it: what else is in there is none. */
export function readPlace(value: unknown): Place | undefined {
  const { chapter, top, below, key, nth } = (value ?? {}) as Partial<Record<keyof Place, unknown>>;
  if (typeof chapter !== "string" || typeof key !== "string") return undefined;
  if (!isNumber(top) || !isNumber(below) || !isNumber(nth)) return undefined;
  return { chapter, top, below, key, nth };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

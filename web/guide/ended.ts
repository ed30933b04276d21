import { html } from "lit";
import { unfold } from "./place.ts";

/** The section of the last chapter that says what comes next, by its heading's id. */
export const NEXT = "what-next";

/** What is said when a story that was told slowly has come to its last step. */
export const ENDED = "The story has ended.";

export const nextButton = (go: () => void) =>
  html`<button class="button primary" @click=${go}>What next</button>`;

/** The line below the chapters that says so; on a phone the story's own does (onward.ts). */
export const drawEnded = (go: () => void) =>
  html`<div class="ended">
    <span role="status">${ENDED}</span>
    ${nextButton(go)}
  </div>`;

/** Brings a heading into sight, below the one that sticks to the top, and gives it the focus; false if it is not there. */
export function findHeading(list: HTMLElement, id: string, below: number): boolean {
  // It may come by an address, and is no selector.
  const all = id === "" ? [] : [...list.querySelectorAll<HTMLElement>("h4[id]")];
  const found = all.find((heading) => heading.id === id);
  if (!found) return false;
  unfold(found);
  list.scrollTop = found.offsetTop - below;
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
  return true;
}

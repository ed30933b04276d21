import { KEY } from "./pairing.ts";

/**
 * True for a page with the access of a hub in somebody else's page: that one could lay what it likes
 * over the questions which are asked here. Our own server forbids it in a header; other hosts may
 * not. Must run before the secret is taken out of the address.
 */
export function framedWithHub(): boolean {
  if (window.top === window) return false;
  if (new URLSearchParams(location.hash.replace(/^#/, "")).has("hub")) return true;
  try {
    return sessionStorage.getItem(KEY) !== null;
  } catch {
    // Storage is forbidden: nothing is kept in it either.
    return false;
  }
}

/** In place of the page. The address is not given again: it has the secret in it. */
export function sayFramed(): void {
  const words = document.createElement("p");
  words.setAttribute("role", "alert");
  words.className = "framed";
  words.textContent =
    "This cluster is open to a hub, so its page does not work inside of another page. Open its address in a tab of its own.";
  document.body.replaceChildren(words);
}

/* global document, localStorage, matchMedia, addEventListener, HTMLScriptElement */
/*
 * Runs before the first paint, from a file of its own: the page allows no script inside of it. It is
 * the only one that the first paint waits for.
 */
// Before the first paint: the chosen theme, so that the page never flashes in the other one, and
// whether the guide has a place, so that nothing shifts.
(() => {
  let chosen = null;
  try {
    const kept = JSON.parse(localStorage.getItem("tabernetes.settings") ?? "{}");
    chosen = kept.theme;
    if (kept.guideOpen === false) document.documentElement.dataset.guide = "closed";
  } catch {
    // Storage is forbidden: the system's theme it is.
  }
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  // A script that does not arrive cannot say so itself.
  addEventListener(
    "error",
    (event) => {
      if (event.target instanceof HTMLScriptElement) {
        document.querySelector(".boot h2").textContent = "The page's script could not be loaded.";
        document.querySelector(".boot p").textContent =
          `${event.target.src} did not arrive. Check the connection, then reload the page.`;
      }
    },
    true,
  );
})();

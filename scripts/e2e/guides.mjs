/* What tests of the guide have in common, over the fake worker (web/dev/fake-trace.ts). */

/** The guide's own command. */
export const CREATE = "kubectl create deployment nginx --image=nginx --replicas=3";

/** Runs a line of kubectl's, as it is typed. */
export const run = (page, line) =>
  page.evaluate((l) => globalThis.tabernetes.kubectl(l), line.replace("kubectl ", ""));

/** Opens a chapter, and waits for its text. */
export async function read(guide, name) {
  const heading = guide.locator(`h3[data-name="${name}"]`);
  if ((await heading.getAttribute("data-open")) === null) await heading.getByRole("button").click();
  await guide.locator(`h3[data-name="${name}"][data-open] + article:not([data-coming])`).waitFor();
}

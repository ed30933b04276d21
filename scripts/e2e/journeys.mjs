/* What tests of the journey have in common, over the fake worker (web/dev/fake-trace.ts). */

/** Creates a Deployment of three pods. */
export const CREATE = "create deployment nginx --image=nginx --replicas=3";

export const kubectl = (page, line) => page.evaluate((l) => globalThis.tabernetes.kubectl(l), line);

/** Gives the journey of a command that has come to its end, and its pods stand in their nodes. */
export const journeysOf =
  (site) =>
  async (t, options, line = CREATE) => {
    const page = await site.visit(t, "journey", options);
    await kubectl(page, line);
    const journey = page.locator("tn-journey");
    await journey.locator("rect.pod[data-started]").nth(2).waitFor();
    return { page, journey };
  };

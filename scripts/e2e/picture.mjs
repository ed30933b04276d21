/*
 * Makes README's picture of the journey, of a real cluster: the guide's command, slowly, at the moment
 * at which its pods are on their nodes. `node scripts/e2e/picture.mjs` after `make build`; it needs
 * ImageMagick's convert, and writes docs/pictures/journey.png.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch, ready } from "./browser.mjs";
import { serve } from "./site.mjs";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
mkdirSync("out/e2e", { recursive: true });
execFileSync("go", ["build", "-o", "out/e2e/serve", "./scripts/serve"]);
const site = await serve("out/site");
const browser = await launch();
const context = await browser.newContext({
  viewport: { width: 1120, height: 760 },
  deviceScaleFactor: 2,
  colorScheme: "light",
});
// The drawing has most of the height, and the inspector has little to say.
await context.addInitScript(() => {
  localStorage["tabernetes.settings"] ??= JSON.stringify({ split: 72, inspect: 240, guide: 300 });
});
const page = await context.newPage();
await page.goto(site.url);
await ready(page);
await page.locator(".boot").waitFor({ state: "detached" });
await page.locator("tn-ways").getByRole("button", { name: "Follow a command" }).click();
const journey = page.locator("tn-journey");
await journey.locator("rect.pod[data-started]").nth(2).waitFor({ timeout: 120_000 });
await journey.getByRole("button", { name: "Slowly" }).click();
await journey.getByRole("button", { name: "Pause" }).click();
const slider = journey.getByRole("slider");
const last = Number(await slider.getAttribute("max"));
for (let at = 0; at <= last; at++) {
  await slider.fill(String(at));
  if ((await journey.locator(".said").innerText()).startsWith("bind ")) break;
}
mkdirSync("docs/pictures", { recursive: true });
await page.screenshot({ path: "out/e2e/journey.png" });
await browser.close();
await site.close();
execFileSync("convert", [
  "out/e2e/journey.png",
  ...["-strip", "-dither", "None", "-colors", "64", "-define", "png:compression-level=9"],
  "PNG8:docs/pictures/journey.png",
]);

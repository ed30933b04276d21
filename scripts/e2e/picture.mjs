/*
 * Makes README's picture of the journey, of a real cluster: the guide's command, slowly, at the moment
 * at which a pod is bound to its node. `node scripts/e2e/picture.mjs` after `make build` writes
 * docs/pictures/journey.webp.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch, ready } from "./browser.mjs";
import { serve } from "./site.mjs";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
mkdirSync("out/e2e", { recursive: true });
execFileSync("go", ["build", "-o", "out/e2e/serve", "./scripts/serve"]);
const site = await serve("out/site");
const browser = await launch();
const context = await browser.newContext({
  viewport: { width: 1360, height: 800 },
  deviceScaleFactor: 2,
  colorScheme: "light",
});
// The drawing has most of the height, and the inspector has little to say.
await context.addInitScript(() => {
  localStorage["tabernetes.settings"] ??= JSON.stringify({ split: 64, inspect: 240, guide: 330 });
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
const shot = await page.screenshot();
// The browser packs it, too: nothing else has to be installed.
const packed = await page.evaluate(async (base64) => {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", 0.75).split(",")[1];
}, shot.toString("base64"));
mkdirSync("docs/pictures", { recursive: true });
writeFileSync("docs/pictures/journey.webp", Buffer.from(packed, "base64"));
await browser.close();
await site.close();

/*
 * Makes README's moving picture, of a real cluster: the way of the guide's command, step by step. And the one that
 * links to a published page show.
 *
 *   node scripts/e2e/picture.mjs             after `make build`
 *   node scripts/e2e/picture.mjs link
 *
 * writes docs/pictures/journey.webp, which img2webp puts together (Debian's package webp), or docs/pictures/link.png.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch, ready } from "./browser.mjs";
import { settled } from "./look.mjs";
import { serve } from "./site.mjs";

const LINK = process.argv[2] === "link";
const FILE = `docs/pictures/${LINK ? "link.png" : "journey.webp"}`;
/** Bytes that README's readers may be asked to fetch for it, and who shows a link. */
const MOST = LINK ? 300_000 : 2_000_000;
/** Steps that are shown, milliseconds of each, and of the last. */
const STEPS = 36;
const STEP = 1000;
const LAST = 4000;

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const frames = "out/e2e/frames";
rmSync(frames, { recursive: true, force: true });
mkdirSync(frames, { recursive: true });
mkdirSync("docs/pictures", { recursive: true });
execFileSync("go", ["build", "-o", "out/e2e/serve", "./scripts/serve"]);
const site = await serve("out/site");
const browser = await launch();
try {
  if (LINK) await shown();
  else put(await shots());
} finally {
  await browser.close();
  await site.close();
}
const { size } = statSync(FILE);
console.log(`${FILE}: ${size} bytes`);
if (size > MOST) throw new Error(`${FILE} has ${size} bytes, and may have ${MOST}`);

/** The map of a cluster that does something, and the terminal below it, at the size that is asked for. */
async function shown() {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 630 },
    colorScheme: "dark",
  });
  await context.addInitScript(() => {
    localStorage["tabernetes.settings"] ??= JSON.stringify({
      intro: false,
      guideOpen: false,
      split: 60,
      inspect: 300,
      fontSize: 15,
    });
  });
  const page = await context.newPage();
  await page.goto(`${site.url}#/map`);
  await ready(page);
  await page.locator(".boot").waitFor({ state: "detached" });
  const type = async (line, until) => {
    await page.evaluate((l) => document.querySelector("tn-terminal").run(l), line);
    await page.waitForFunction(
      (text) => document.querySelector("tn-terminal").text().includes(text),
      until,
    );
  };
  await type(
    "kubectl create deployment web --image=nginx --replicas=6",
    "deployment.apps/web created",
  );
  await type("kubectl expose deployment web --port=80", "service/web exposed");
  await page.locator("tn-map button.pod[data-state='running']").nth(5).waitFor();
  await type("kubectl get nodes", "node-3");
  await page.mouse.move(0, 0);
  await settled(page);
  writeFileSync(FILE, await page.screenshot());
}

/** Pictures of the command that has ended, looked at slowly. Their files, the last one its end. */
async function shots() {
  const context = await browser.newContext({
    viewport: { width: 1360, height: 860 },
    colorScheme: "light",
  });
  // The drawing has most of the height, and the inspector has little to say.
  await context.addInitScript(() => {
    localStorage["tabernetes.settings"] ??= JSON.stringify({ split: 76, inspect: 240, guide: 330 });
  });
  const page = await context.newPage();
  await page.goto(site.url);
  await ready(page);
  await page.locator(".boot").waitFor({ state: "detached" });
  await page.locator("tn-ways").getByRole("button", { name: "Follow a command" }).click();
  const journey = page.locator("tn-journey");
  await journey.getByRole("button", { name: "Go on" }).waitFor({ timeout: 120_000 });
  const slider = journey.getByRole("slider");
  const last = Number(await slider.getAttribute("max"));
  const every = Math.ceil(last / STEPS);
  const files = [];
  for (let at = last % every; at <= last; at += every) {
    await slider.fill(String(at));
    // What moves with the step: the guide scrolls, dots travel.
    await settled(page);
    files.push(`${frames}/${String(at).padStart(3, "0")}.png`);
    writeFileSync(files.at(-1), await page.screenshot());
  }
  return files;
}

function put(files) {
  const of = files.flatMap((file) => {
    const shown = file === files.at(-1) ? LAST : STEP;
    return ["-d", String(shown), "-lossy", "-q", "70", "-m", "4", file];
  });
  try {
    execFileSync("img2webp", ["-loop", "0", "-min_size", ...of, "-o", FILE], { stdio: "pipe" });
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    throw new Error("img2webp is missing: apt-get install webp", { cause: error });
  }
}

/*
 * A lesson from the reader's own disk, in the workbench: a folder or a zip, chosen or dropped. Nothing of it leaves
 * the page, and nothing of it runs before its reader says so.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, screenshot } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");
const PHONE = { width: 390, height: 844 };
const SCENARIO = "nodehost/lesson/check/testdata/first-pod";

/** A directory with a course of two lessons, one of which is a scenario, and a hostile one. */
function disk(t) {
  const dir = mkdtempSync(`${tmpdir()}/lesson-`);
  t.after(() => rmSync(dir, { recursive: true }));
  cpSync(SCENARIO, `${dir}/course/first pod`, { recursive: true });
  mkdirSync(`${dir}/course/.git`);
  writeFileSync(`${dir}/course/.git/config`, "");
  mkdirSync(`${dir}/course/hostile`);
  writeFileSync(
    `${dir}/course/hostile/lesson.md`,
    '---\ntitle: "T<b>"\nmanifests: [a.yaml]\n---\n## A\n<script>globalThis.bad = 1</script>\n\n![x](https://other.example/x.png)\n\n![mine](p/own.svg) ![none](missing.png)\n',
  );
  mkdirSync(`${dir}/course/hostile/p`);
  writeFileSync(
    `${dir}/course/hostile/p/own.svg`,
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="globalThis.bad = 2"><script>globalThis.bad = 3</script><image href="https://other.example/y.png"/></svg>',
  );
  writeFileSync(
    `${dir}/course/hostile/a.yaml`,
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: default}}",
  );
  zip(`${dir}/course.zip`, [["course/", `${dir}/course`]]);
  writeFileSync(`${dir}/bomb.md`, " ".repeat(64 << 20));
  zip(`${dir}/bomb.zip`, [["lesson.md", `${dir}/bomb.md`]]);
  zip(`${dir}/climbs.zip`, [
    ["../../lesson.md", `${dir}/course/hostile/lesson.md`],
    ["lesson.md", `${dir}/course/hostile/lesson.md`],
  ]);
  return dir;
}

/** An archive, as Python's zipfile writes it: it has no names that it would not write. */
function zip(file, entries) {
  const program = `
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
    for name, path in zip(sys.argv[2::2], sys.argv[3::2]):
        if not os.path.isdir(path):
            z.write(path, name)
            continue
        for above, _, files in os.walk(path):
            for one in files:
                at = os.path.join(above, one)
                z.write(at, name + os.path.relpath(at, path))
`;
  execFileSync("python3", ["-c", program, file, ...entries.flat()]);
}

/** Drops files or folders of this machine on the view, as a hand does. */
async function drop(page, ...files) {
  const hand = await page.context().newCDPSession(page);
  const { x, y } = await page.locator("tn-lessons").boundingBox();
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"])
    await hand.send("Input.dispatchDragEvent", { type, x: x + 50, y: y + 50, data });
  await hand.detach();
}

test("a folder and a zip of the reader's disk become lessons", async (t) => {
  const dir = disk(t);
  const page = await site.visit(t, "lessons");
  const sent = [];
  page.on("request", (request) => sent.push(request.url()));
  const view = page.locator("tn-lessons");
  const device = page.locator("tn-lesson-disk");
  const choose = async (button, path) => {
    const chooser = page.waitForEvent("filechooser");
    await device.getByRole("button", { name: button }).click();
    await (await chooser).setFiles(path);
  };
  const namespaces = () => page.evaluate(() => globalThis.tabernetes.kubectl("get ns -o name"));
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "lesson-disk");
  await page.setViewportSize(PHONE);
  await device.scrollIntoViewIfNeeded();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await screenshot(page, "lesson-disk-phone");
  await page.setViewportSize(DESKTOP.viewport);

  // A course has several, of which the reader takes one.
  await choose("Choose a folder", `${dir}/course`);
  await device.getByText("It has 2 lessons. Which one?").waitFor();
  await screenshot(page, "lesson-disk-which");
  await device.getByRole("button", { name: "course/first pod" }).click();
  await view.getByRole("heading", { name: "A first pod" }).waitFor();
  await view.getByText("From this device: course/first pod").waitFor();
  await view.getByText("kubectl create namespace lab").waitFor();
  assert.doesNotMatch((await namespaces()).stdout, /lab/, "run unasked");
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "lesson-disk-asks");
  await page.setViewportSize(PHONE);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await screenshot(page, "lesson-disk-asks-phone");
  await page.setViewportSize(DESKTOP.viewport);
  await view.getByRole("button", { name: "Open the lesson" }).click();
  await view.getByRole("button", { name: "2. Run it" }).click();
  await view.getByRole("button", { name: "Do it for me" }).click();
  await view.getByText("The cluster is as this step expects it.").waitFor({ timeout: 120_000 });
  assert.match((await namespaces()).stdout, /namespace\/lab/);
  assert.equal(await view.getByRole("button", { name: "Link to here" }).count(), 0);
  await screenshot(page, "lesson-disk-open");

  // The list again, a zip that is dropped, and the way back to the one that is open.
  await view.getByRole("link", { name: "All lessons" }).last().click();
  await drop(page, `${dir}/course`);
  await device.getByRole("button", { name: "course/hostile" }).waitFor();
  await drop(page, `${dir}/course.zip`);
  await device.getByRole("button", { name: "course.zip/course/hostile" }).click();
  await view.getByRole("heading", { name: "T<b>" }).waitFor();
  await view.getByText("Applied first: a.yaml").waitFor();
  await view.getByRole("button", { name: "Open the lesson" }).click();
  await view.getByText("<script>globalThis.bad = 1</script>", { exact: true }).waitFor();
  assert.equal(await view.locator("script").count(), 0);
  // Its own picture is shown, from the page itself; nothing in it is run or fetched.
  const picture = view.getByRole("img", { name: "mine" });
  await picture.evaluate((image) => image.decode());
  assert.deepEqual(
    await picture.evaluate(({ src, naturalWidth }) => [src.slice(0, 19), naturalWidth]),
    ["data:image/svg+xml;", 40],
  );
  assert.equal(await view.locator("img").count(), 1);
  await view.getByText("[none]").waitFor();
  assert.equal(await page.evaluate(() => globalThis.bad), undefined);

  for (const [file, says] of [
    ["bomb.zip", "lesson.md cannot be read: it has more than 262144 bytes"],
    ["climbs.zip", 'names a file outside of itself, "../../lesson.md"'],
    ["bomb.md", "lesson.md cannot be read: it has more than 262144 bytes"],
  ]) {
    await page.evaluate(() => (globalThis.location.hash = "#/lessons"));
    await choose("Choose a zip", `${dir}/${file}`);
    await view.getByRole("alert").filter({ hasText: says }).waitFor();
  }
  await drop(page, resolve("package.json"));
  await device.getByRole("alert").filter({ hasText: "no zip archive" }).waitFor();
  await screenshot(page, "lesson-disk-refused");

  // The page has only fetched what it is made of.
  const { origin } = new URL(site.url);
  assert.deepEqual(
    sent.filter((url) => !url.startsWith(`${origin}/page/`) && !url.startsWith("blob:")),
    [],
  );
  assert.deepEqual(await page.evaluate(() => globalThis.violated), []);

  // An address says what was opened, and a page that has just begun does not have it.
  await page.evaluate(() => (globalThis.location.hash = "#/lessons?disk=course%2Ffirst+%3Cb%3E"));
  await view.getByText("course/first <b> was opened from this device").waitFor();
});

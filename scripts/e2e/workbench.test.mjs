/* The terminal and the nodes panel on the real cluster: one start, many checks. */
import { before, test } from "node:test";
import { ready, screenshot, terminalText } from "./browser.mjs";
import { over } from "./visits.mjs";

const site = over("out/site");
let page;
before(async () => {
  await site.begun;
  const context = { name: "workbench", diagnostic: console.log, after: () => undefined };
  page = await site.open(context);
  await ready(page);
});

const PATIENCE = 60_000;
const shows = (text) =>
  page.waitForFunction(
    (wanted) => document.querySelector("tn-terminal").text().replaceAll("\n", "").includes(wanted),
    text,
    { timeout: PATIENCE },
  );
/** Types a line and waits for what it prints. */
async function types(line, text) {
  await page.locator("tn-terminal").evaluate((terminal) => terminal.focus());
  await page.keyboard.type(`${line}\r`);
  try {
    await shows(text);
  } catch (error) {
    throw new Error(`no ${text} after ${line}:\n${await terminalText(page)}`, { cause: error });
  }
}
const idle = () =>
  page.waitForFunction(
    () => document.querySelector("tn-terminal").text().trimEnd().endsWith("$"),
    null,
    { timeout: PATIENCE },
  );

test("files, variables, loops and pipes in a home directory", async () => {
  await types(
    "for i in 1 2 3; do echo n$i; done | tee ~/n | wc -l; x=$(head -1 ~/n); echo got-$x",
    "3got-n1",
  );
});

test("kubectl edit opens the page's editor, and what is saved is applied", async () => {
  await types("k create configmap edited --from-literal=k=old", "configmap/edited created");
  await page.keyboard.type("kubectl edit configmap edited\r");
  await page.getByRole("textbox", { name: /^Text of / }).waitFor();
  await page.locator(".cm-line", { hasText: "k: old" }).first().click();
  await page.keyboard.press("End");
  for (let i = 0; i < "old".length; i++) await page.keyboard.press("Backspace");
  await page.keyboard.type("edited-here");
  await page.keyboard.press("Control+S");
  await shows("configmap/edited edited");
  await idle();
  await types("k get cm edited -o jsonpath='{.data.k}{\"\\n\"}'", "edited-here");
});

test("diff, explain, hints, colour", async () => {
  await types(
    "k get cm edited -o yaml | sed s/edited-here/differs/ > c.yaml; k diff -f c.yaml",
    "+  k: differs",
  );
  await idle();
  await types("kubectl explain pod.spec.hostname", "FIELD: hostname");
  await idle();
  await types(
    "kubectl run --image=nginx --replicas=3",
    "A name comes first: kubectl run nginx --image=nginx --replicas=3",
  );
  await idle();
  await types("docker ps", "Try: kubectl get pods -A");
  await types("kubectl get ns default -v=8 -o name", "namespace/default");
});

test("~/.kube comes back", async () => {
  await types(
    "rm -r ~/.kube; k get ns default -o name; ls -A ~/.kube | tr '\\n' +",
    "cache+config+",
  );
});

test("Tab completes names and containers", async () => {
  await page.keyboard.type("kubectl describe node node-2\x20\x7f\x7f2\t");
  await shows("kubectl describe node node-2");
  await page.keyboard.press("Control+U");
});

test("watch runs again and again until Ctrl-C", async () => {
  await page.keyboard.type("watch -n 1 kubectl get nodes\r");
  await shows("Every 1s: kubectl get nodes");
  await page.keyboard.press("Control+C");
  await idle();
});

test("a node is added, stopped, taken for lost, healed and removed", async () => {
  await page.evaluate(() => (globalThis.location.hash = "#/nodes"));
  const panel = page.locator("tn-nodes");
  const row = panel.locator("tr", { hasText: "node-4" });
  await panel.getByRole("button", { name: "Add a node" }).click();
  await panel.getByText("node/node-4 is Ready").waitFor({ timeout: PATIENCE });
  await row.getByText("Ready", { exact: true }).waitFor();
  await row.getByRole("button", { name: /^Stop/ }).click();
  // Upstream's grace period is 50 s.
  await row.getByText("NotReady").waitFor({ timeout: 120_000 });
  await screenshot(page, "cluster-nodes-desktop-light");
  await row.getByRole("button", { name: /^Heal/ }).click();
  await row.getByText("Ready", { exact: true }).waitFor({ timeout: PATIENCE });
  await row.getByRole("button", { name: /^Remove/ }).click();
  await row.waitFor({ state: "detached", timeout: PATIENCE });
});

/*
 * The hub and the page in headless Chromium: what scripts/headless runs without --native.
 *
 *   node scripts/headless.mjs STATE KUBECONFIG NODES
 *
 * Prints what nodehost prints, and one line `ready NAME KUBECONFIG` when the cluster is ready and
 * the kubeconfig leads to it. LISTEN and CLIENTS are the hub's addresses (default: loopback). With
 * HUB, the address of the page as a hub prints it that runs already, only the browser is started.
 * SESSION is a file for the tab's session storage: the next run with it is the same tab restored,
 * as browsers do after a crash, under its name at the hub, with a new cluster. TRACE is a file that has
 * what the cluster did until now, a step of JSON on each line; what somebody puts into TRACE.run is
 * typed into the tab's own shell, and when somebody makes TRACE.reload, the page is loaded anew. With
 * KEEP the browser keeps the cluster over that. RESUME is a file, too: when somebody makes it, the cluster is taken
 * from the hub, its memory is kept, the page goes on from it, and is at its hub again (ADR 52); then the file is gone.
 *
 * The owner who agrees to the request for access is this script: it compares the codes as a person
 * would, and presses the button of the page. SIGINT and SIGTERM end everything, and so does the end
 * of any part.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { launch, ready } from "./e2e/browser.mjs";
import { imageKept, report } from "./e2e/kept-memory.mjs";

const [state, kubeconfig, nodes] = process.argv.slice(2);
const NODEHOST = process.env.NODEHOST ?? "out/nodehost";
const NAME = "tab";
/** Where the hub listens for the page and for machines that join, and for clients. */
const { LISTEN = "127.0.0.1:0", CLIENTS = "127.0.0.1:0" } = process.env;
const { HUB, SESSION, TRACE, KEEP, RESUME } = process.env;
/** Milliseconds that the hub may take to stop by itself. */
const STOP_PATIENCE = 10_000;
/** Milliseconds that one step on the page may take. */
const PATIENCE = 180_000;

const children = new Set();
let browser;
let stopping = false;

/** Ends everything; only the first call counts. */
async function stop(code, why) {
  if (stopping) return;
  stopping = true;
  if (why) console.error(`headless: ${why}`);
  await browser?.close().catch(() => undefined);
  await Promise.all(
    [...children].map(async (child) => {
      const exited = once(child, "exit");
      child.kill("SIGINT");
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE);
      await exited;
      clearTimeout(late);
    }),
  );
  rmSync(kubeconfig, { force: true }); // its cluster is gone
  process.exit(code);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => void stop(0));

/** Starts nodehost; a group of its own keeps the terminal's SIGINT for us. */
function nodehost(args, stdio) {
  const child = spawn(NODEHOST, args, { stdio, detached: true });
  children.add(child);
  child.on("exit", () => children.delete(child));
  child.on("error", (error) => void stop(1, `${NODEHOST}: ${error.message}`));
  return child;
}

try {
  const page = await open(HUB ?? (await startHub()));
  await ready(page);
  if (SESSION) {
    const session = await page.evaluate(() => JSON.stringify(sessionStorage));
    writeFileSync(SESSION, session, { mode: 0o600 }); // the hub's secret is in it
  }
  await access(page);
  console.log(`ready ${NAME} ${kubeconfig}`);
  if (TRACE) record(page).catch((error) => stop(1, `the trace: ${error.stack ?? error}`));
  if (RESUME)
    resume(page).catch((error) => stop(1, `going on from memory: ${error.stack ?? error}`));
} catch (error) {
  await stop(1, error.stack ?? error);
}

/** The hub; returns the address of its page. */
async function startHub() {
  const hub = nodehost(
    [
      "serve",
      "--state",
      state,
      `--listen=${LISTEN}`,
      `--clients=${CLIENTS}`,
      "--cluster-ports=0",
      "--print-secret",
    ],
    ["ignore", "pipe", "inherit"],
  );
  hub.on("exit", (code) => void stop(1, `the hub ended with code ${code}`));
  return new Promise((resolve, reject) => {
    createInterface({ input: hub.stdout }).on("line", (line) => {
      const [, url] = /^page\s+(\S+)$/.exec(line) ?? [];
      if (url) resolve(url);
    });
    hub.on("exit", () => reject(new Error("the hub did not start")));
  });
}

/** The page in a browser, attached to its hub. */
async function open(address) {
  browser = await launch(
    [
      "--disable-background-timer-throttling",
      "--disable-renderer-backgrounding",
      "--disable-backgrounding-occluded-windows",
      // The hub is this script's, or that of whoever started it; its certificate is its own.
      ...(address.startsWith("https:") ? ["--ignore-certificate-errors"] : []),
    ],
    // Playwright's own handlers would end this process before everything else has ended.
    { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
  );
  browser.on("disconnected", () => void stop(1, "the browser ended"));
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE); // a busy machine takes longer than Playwright thinks
  page.on("crash", () => void stop(1, "the page crashed"));
  page.on("console", (message) => {
    if (message.type() === "error") console.error(`page: ${message.text()}`);
  });
  // Nobody looks: the journey and the guide, which draw what the trace tells, would take more of a
  // processor than the cluster does.
  const quiet = { intro: false, guideOpen: false };
  const settings = JSON.stringify({
    nodes: Number(nodes),
    keep: Boolean(KEEP ?? RESUME),
    resume: Boolean(RESUME),
    ...quiet,
  });
  await page.addInitScript((text) => {
    const kept = JSON.parse(localStorage.getItem("tabernetes.settings") ?? "{}");
    localStorage.setItem("tabernetes.settings", JSON.stringify({ ...kept, ...JSON.parse(text) }));
  }, settings);
  if (SESSION && existsSync(SESSION)) {
    await page.addInitScript(
      (text) => {
        if (sessionStorage.length > 0) return;
        for (const [key, value] of Object.entries(JSON.parse(text)))
          sessionStorage.setItem(key, value);
      },
      readFileSync(SESSION, "utf8"),
    );
  }
  await page.goto(`${address}&name=${NAME}`);
  return page;
}

/** Asks for access as a person would at the terminal, and agrees as the owner would on the page. */
async function access(page) {
  const asking = nodehost(
    [
      "kubeconfig",
      "--state",
      state,
      "--cluster",
      NAME,
      "--user",
      "headless",
      "--kubeconfig",
      kubeconfig,
    ],
    ["pipe", "ignore", "pipe"],
  );
  let said = "";
  asking.stderr.on("data", (chunk) => (said += chunk));
  const ended = once(asking, "exit");
  const dialog = page.locator("tn-question dialog");
  await Promise.race([dialog.waitFor(), ended]);
  if (asking.exitCode !== null) throw new Error(`no access: ${said}`);
  const code = await dialog.locator(".code").innerText();
  if (!said.includes(`the code ${code}.`)) {
    throw new Error(`the page shows the code ${code}, but the terminal says: ${said}`);
  }
  await dialog.getByRole("button", { name: "Give access" }).click();
  asking.stdin.end("yes\n"); // the codes were compared above
  const [exit] = await ended;
  if (exit !== 0) throw new Error(`no access: ${said}`);
}

/** Keeps TRACE as it is, and types what lies in TRACE.run, until everything ends. */
async function record(page) {
  while (!stopping) {
    const typed = `${TRACE}.run`;
    if (existsSync(typed)) {
      const line = readFileSync(typed, "utf8");
      rmSync(typed);
      const run = (text) => globalThis.tabernetes.shell(text, { session: "headless" });
      const { code, stdout, stderr } = await page.evaluate(run, line);
      console.log(`typed: ended with ${code}: ${stdout}${stderr}`);
    }
    const reload = `${TRACE}.reload`;
    if (existsSync(reload)) {
      rmSync(reload);
      await page.reload();
      await ready(page);
      console.log("loaded anew");
    }
    const { steps } = await page.evaluate(() => globalThis.tabernetes.trace());
    writeFileSync(`${TRACE}.new`, steps.map((step) => `${JSON.stringify(step)}\n`).join(""));
    renameSync(`${TRACE}.new`, TRACE);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** Goes on from memory whenever somebody asks for it, until everything ends. */
async function resume(page) {
  page.on("dialog", (dialog) => void dialog.accept()); // that it is left, with what runs in it
  for (; !stopping; await new Promise((resolve) => setTimeout(resolve, 1000))) {
    if (!existsSync(RESUME)) continue;
    // No memory is kept of a cluster that a hub reaches.
    const hub = await page.evaluate(() => {
      const key = "tabernetes.hub";
      const kept = sessionStorage.getItem(key);
      sessionStorage.removeItem(key);
      return { key, kept };
    });
    await page.reload();
    await ready(page);
    await imageKept(page);
    await page.evaluate(({ key, kept }) => sessionStorage.setItem(key, kept), hub);
    await page.reload();
    await ready(page);
    const { from, why } = await report(page);
    if (from === undefined) throw new Error(`it began anew: ${why}`);
    console.log("went on from memory");
    rmSync(RESUME);
  }
}

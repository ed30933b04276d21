/* The built page with the real cluster in it, used as a person uses it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DESKTOP, PHONE, ready, screenshot, terminalText } from "./browser.mjs";
import { over } from "./visits.mjs";

const GUIDE = "kubectl create deployment nginx --image=nginx --replicas=3";

const site = over("out/site");

describe("one visit", () => {
  let page;
  /** What the console was told. */
  const said = [];

  test("the guide's command, typed while the cluster starts, runs when it is ready", async (t) => {
    const context = { name: t.name, diagnostic: (m) => t.diagnostic(m), after: () => undefined };
    page = await site.open(context, site.url, { ...DESKTOP, colorScheme: "light" });
    page.on("console", (message) => said.push(message.text()));
    await page.locator("tn-terminal .xterm").waitFor();
    await page.keyboard.type(`${GUIDE}\r`);
    await screenshot(page, "cluster-boot-desktop-light");
    await ready(page);
    await shows(page, "deployment.apps/nginx created");
  });

  test("the map shows three pods running on three nodes", async () => {
    await page
      .locator("tn-map .column[aria-label^='Node '] button.pod[data-state='running']")
      .nth(2)
      .waitFor({ timeout: 90_000 });
    const columns = await page
      .locator("tn-map .column[aria-label^='Node ']")
      .evaluateAll((all) =>
        all.map((column) => [
          column.getAttribute("aria-label"),
          column.querySelectorAll("button.pod").length,
        ]),
      );
    assert.deepEqual(columns, [
      ["Node node-1", 1],
      ["Node node-2", 1],
      ["Node node-3", 1],
    ]);
    await screenshot(page, "cluster-pods-desktop-light");
  });

  test("the components' chatter stays out of the console, and kubelets can measure files", () => {
    const chatter = said.filter((line) => /^I\d{4} /.test(line) || line.includes("log stats"));
    assert.deepEqual(chatter.slice(0, 3), []);
  });

  test("a pod's describe runs in the terminal from the inspector", async () => {
    await page.locator("tn-map button.pod").first().click();
    await page.locator("tn-inspector").getByText("Running", { exact: true }).waitFor();
    await page
      .locator("tn-inspector button[aria-label*='Describe: kubectl describe pod nginx-']")
      .click();
    await shows(page, "default-scheduler");
    await page.emulateMedia({ colorScheme: "dark" });
    await screenshot(page, "cluster-inspect-desktop-dark");
  });

  test("kubectl(): output, exit codes, quotes, pipes, heredocs, standard input", async () => {
    const run = (line, options) =>
      page.evaluate(([l, o]) => globalThis.tabernetes.kubectl(l, o), [line, options]);
    const names = await run(
      `get nodes -o jsonpath='{range .items[*]}{.metadata.name}{"\\n"}{end}' | sort -r`,
    );
    assert.deepEqual(names, { code: 0, stdout: "node-3\nnode-2\nnode-1\n", stderr: "" });
    const missing = await run("kubectl get pod absent");
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /pods "absent" not found/);
    const manifest = (name) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
    assert.equal(
      (await run(`apply -f - <<EOF\n${manifest("from-heredoc")}EOF`)).stdout,
      "configmap/from-heredoc created\n",
    );
    assert.equal(
      (await run("apply -f -", { stdin: manifest("from-stdin") })).stdout,
      "configmap/from-stdin created\n",
    );
  });

  test("every command of kubectl explains itself", async () => {
    const helpOf = async (command) => {
      const { stdout } = await page.evaluate(
        (l) => globalThis.tabernetes.kubectl(l),
        `${command} --help`,
      );
      return stdout;
    };
    const below = (help, command = "") =>
      [...help.matchAll(/Commands[^\n]*:\n((?: {2}\S+ .*\n)+)/g)].flatMap(([, list]) =>
        [...list.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => `${command} ${name}`.trim()),
      );
    let explained = 0;
    for (const commands = below(await helpOf("")); commands.length > 0; explained++) {
      const command = commands.shift();
      const help = await helpOf(command);
      assert.match(help, /^Usage:\n {2}kubectl /m, command);
      assert.doesNotMatch(help, /can't evaluate|template:/, command);
      commands.push(...below(help, command));
    }
    assert.ok(explained > 80, `only ${explained} commands`);
  });

  test("kubectl() can be ended", async () => {
    const result = await page.evaluate(async () => {
      const stop = new AbortController();
      const watch = globalThis.tabernetes.kubectl("get pods --watch", {
        signal: stop.signal,
        session: "ends",
      });
      setTimeout(() => stop.abort(), 500);
      return watch.then(
        () => "resolved",
        (error) => error.name,
      );
    });
    assert.equal(result, "AbortError");
  });

  test("fetch(): status, streaming watch, abort", async () => {
    const result = await page.evaluate(async () => {
      const { fetch } = globalThis.tabernetes;
      const path = "/api/v1/namespaces/default/configmaps";
      const missing = await fetch(`${path}/absent`);
      const stop = new AbortController();
      const watch = await fetch(`${path}?watch=1&fieldSelector=metadata.name=streamed`, {
        signal: stop.signal,
      });
      const reader = watch.body.getReader();
      const created = await fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "streamed" },
        }),
      });
      const first = new TextDecoder().decode((await reader.read()).value);
      const next = reader.read().then(
        () => "more",
        (error) => error.name,
      );
      stop.abort();
      return {
        missing: missing.status,
        reason: (await missing.json()).reason,
        created: created.status,
        first: JSON.parse(first).type,
        next: await next,
      };
    });
    assert.deepEqual(result, {
      missing: 404,
      reason: "NotFound",
      created: 201,
      first: "ADDED",
      next: "AbortError",
    });
  });

  test("exec -it goes raw and comes back", async () => {
    await page.locator("tn-terminal .screen").click();
    await page.keyboard.type("kubectl exec -it deploy/nginx -- sh\r");
    // The container's own prompt, after the line: what is typed from now on is the shell's.
    await page.waitForFunction(
      () => /deploy\/nginx -- sh\s*\n.*[#$]\s*$/.test(document.querySelector("tn-terminal").text()),
      null,
      { timeout: 20_000 },
    );
    await page.keyboard.type("echo in-$((20+22)); exit\r");
    await shows(page, "in-42");
    // What is typed before the program has ended is its own: wait for the prompt.
    await page.waitForFunction(() =>
      document.querySelector("tn-terminal").text().endsWith("in-42\n$"),
    );
    await page.keyboard.type("echo back-$((1+1))\r");
    await shows(page, "back-2");
  });

  test("Tab completes resources", async () => {
    await page.keyboard.type("kubectl get deploym\t");
    await shows(page, "kubectl get deployments");
    await page.keyboard.press("Control+U");
  });

  test("deleting the deployment empties the map", async () => {
    await page.keyboard.type("kubectl delete deployment nginx\r");
    await shows(page, 'deployment.apps "nginx" deleted');
    await page.waitForFunction(
      () => document.querySelector("tn-map").shadowRoot.querySelectorAll(".pod").length === 0,
      null,
      { timeout: 90_000 },
    );
    await page.context().close();
  });
});

test("on a phone, with the components' whole log in the console", async (t) => {
  const phone = { ...PHONE, colorScheme: "dark" };
  const page = await site.open(t, `${site.url}?verbose`, phone);
  let informed = 0;
  page.on("console", (message) => (informed += /^I\d{4} /m.test(message.text()) ? 1 : 0));
  await screenshot(page, "cluster-boot-phone-dark");
  await ready(page);
  assert.ok(informed > 10, `${informed} informational lines`);
  await page.keyboard.type(`${GUIDE}\r`);
  await shows(page, "deployment.apps/nginx created");
  await page.getByRole("button", { name: "Map" }).click();
  await page.locator("tn-map button.pod[data-state='running']").nth(2).waitFor({ timeout: 90_000 });
  await screenshot(page, "cluster-map-phone-dark");
});

/** Waits until the terminal shows `text`, line breaks at its edge aside. */
async function shows(page, text, timeout = 60_000) {
  try {
    await page.waitForFunction(
      (wanted) =>
        document.querySelector("tn-terminal").text().replaceAll("\n", "").includes(wanted),
      text,
      { timeout },
    );
  } catch (error) {
    throw new Error(`the terminal does not show ${text}:\n${await terminalText(page)}`, {
      cause: error,
    });
  }
}

/* The tab from outside: `make headless`, and the machine's own kubectl through the hub. */
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), "door-"));
const kubeconfig = join(dir, "kubeconfig");
const KUBECTL = ["/usr/bin/kubectl", "/usr/local/bin/kubectl"].find((file) => existsSync(file));
let headless;

before(async () => {
  execFileSync("go", ["build", "-o", "out/nodehost", "./nodehost"], { stdio: "inherit" });
  headless = spawn("node", ["scripts/headless.mjs", join(dir, "state"), kubeconfig, "3"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: headless.stdout });
  const [line] = await Promise.race([
    once(lines, "line"),
    once(headless, "exit").then(([code]) => {
      throw new Error(`headless ended with code ${code}`);
    }),
  ]);
  assert.equal(line, `ready tab ${kubeconfig}`);
});
after(() => {
  headless?.kill("SIGINT");
  rmSync(dir, { recursive: true, force: true });
});

async function kubectl(...args) {
  const { stdout } = await run(KUBECTL, ["--kubeconfig", kubeconfig, ...args], {
    timeout: 120_000,
  });
  return stdout;
}

test(
  "kubectl reaches the tab",
  { skip: KUBECTL ? false : "kubectl is not installed" },
  async () => {
    assert.match(await kubectl("auth", "whoami"), /headless/);
    assert.match(await kubectl("create", "deployment", "web", "--image=nginx"), /created/);
    assert.match(
      await kubectl("rollout", "status", "deployment/web", "--timeout=100s"),
      /rolled out/,
    );
    for (let i = 0; i < 5; i++) {
      assert.equal(
        await kubectl("exec", "deployment/web", "--", "sh", "-c", "echo inside"),
        "inside\n",
      );
    }
    assert.match(await kubectl("logs", "deployment/web"), /nginx/);
  },
);

test("SIGINT ends all of it", async () => {
  const exited = once(headless, "exit");
  headless.kill("SIGINT");
  assert.deepEqual(await exited, [0, null]);
  assert.equal(existsSync(kubeconfig), false);
});

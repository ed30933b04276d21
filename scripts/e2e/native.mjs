/* A native cluster of this machine over a data directory, and the machine's own kubectl at it. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Milliseconds that a command may take, and the hub to end. */
const PATIENCE = 180_000;

export const KUBECTL = ["/usr/bin/kubectl", "/usr/local/bin/kubectl"].find((file) =>
  existsSync(file),
);

/** Builds nodehost; where nothing has changed that takes a second. */
export function buildNodehost() {
  execFileSync("go", ["build", "-o", "out/nodehost", "./nodehost"], { stdio: "inherit" });
}

/** Starts a cluster that is kept in `data`. `stop` ends it, as does the end of the test; what it kept stays. Its log is out/e2e/native.log. */
export async function native(t, data) {
  const state = mkdtempSync(join(tmpdir(), "native-"));
  const kubeconfig = join(state, "kubeconfig");
  const serve = ["serve", "--state", state, "--data-dir", data, "--control-plane=native"];
  const ports = ["--listen=127.0.0.1:0", "--clients=127.0.0.1:0", "--cluster-ports=0"];
  const log = openSync("out/e2e/native.log", "a");
  const cluster = spawn(
    "out/nodehost",
    [...serve, ...ports, "--grant", "--kubeconfig", kubeconfig],
    { stdio: ["ignore", "pipe", log] },
  );
  closeSync(log);
  const ended = once(cluster, "exit");
  const stop = async () => {
    cluster.kill("SIGINT");
    const late = setTimeout(() => cluster.kill("SIGKILL"), PATIENCE);
    await ended;
    clearTimeout(late);
  };
  t.after(async () => {
    await stop();
    rmSync(state, { recursive: true, force: true });
  });
  const ready = (async () => {
    for await (const line of createInterface({ input: cluster.stdout }))
      if (line.startsWith("ready native ")) return;
    throw new Error("the native cluster ended: out/e2e/native.log");
  })();
  await ready;
  cluster.stdout.resume(); // what it says later fills no pipe
  return {
    stop,
    kubectl: async (...args) => {
      const given = ["--kubeconfig", kubeconfig, ...args];
      return (await run(KUBECTL, given, { timeout: PATIENCE })).stdout.trim();
    },
  };
}

/*
 * The dedicated Worker that holds the cluster. It loads the WebAssembly module, hands the Go
 * program one end of the page's MessagePort, and reports what goes wrong on that same port.
 * Everything else that travels there is between the page and Go (web/rpc/protocol.ts).
 */
import { VERSION, type Fault, type TabernetesHost, type ToPage } from "../rpc/protocol.ts";
import { installClock } from "./clock.ts";
import { compileFault, downloadFault, describe, exitFault, LoadError } from "./fault.ts";
import { installStdio, type GoRuntime } from "./gohost.ts";
import type { WorkerInit } from "./init.ts";
import { alreadyLoaded, load, type Progress } from "./load.ts";
import { StderrTail } from "./stderr.ts";

const tail = new StderrTail();

addEventListener(
  "message",
  (event: MessageEvent<WorkerInit>) => {
    const { port } = event.data;
    const post = (message: ToPage) => port.postMessage(message);
    start(event.data, post).catch((error: unknown) => {
      post(error instanceof LoadError ? error.fault : exitFault(undefined, tail.text(), error));
    });
  },
  { once: true },
);

async function start(init: WorkerInit, post: (message: ToPage) => void): Promise<void> {
  const progress: Progress = (step) => post({ type: "boot", ...step, at: performance.now() });
  const loaded = init.loaded ?? (await load(init.manifestUrl, progress));
  if (init.loaded) alreadyLoaded(progress);
  else if (init.share) postMessage(loaded);
  const { module, manifest } = loaded;

  installStdio(tail);
  const execUrl = new URL(manifest.exec.url, init.manifestUrl).href;
  try {
    await import(/* @vite-ignore */ execUrl);
  } catch (error) {
    throw new LoadError(downloadFault(`Go's runtime script (${execUrl})`, describe(error)));
  }
  const scope = globalThis as unknown as {
    Go: new () => GoRuntime;
    tabernetesHost: TabernetesHost;
  };
  const go = new scope.Go();
  go.argv = ["tabernetes"];
  installClock(go, (milliseconds) => post({ type: "slept", at: Date.now(), milliseconds }));

  let instance: WebAssembly.Instance;
  try {
    instance = await WebAssembly.instantiate(module, go.importObject);
  } catch (error) {
    throw new LoadError(compileFault(error));
  }

  progress({ step: "compile", state: "done" });

  // `make bench` reads its size.
  Object.assign(globalThis, { tabernetesMemory: instance.exports.mem });

  let ended = false;
  const end = (fault: Fault) => {
    // Whatever follows the first cause is noise: Go callbacks into a program that has ended.
    if (ended) return;
    ended = true;
    post(fault);
  };
  go.exit = (code) => end(exitFault(code, tail.text()));
  addEventListener("error", (event) => {
    event.preventDefault();
    end(exitFault(undefined, tail.text(), event.error ?? event.message));
  });
  addEventListener("unhandledrejection", (event) => {
    // A trap inside wasm surfaces here or as an error event; any other rejection is not fatal.
    if (event.reason instanceof WebAssembly.RuntimeError) {
      end(exitFault(undefined, tail.text(), event.reason));
    }
  });

  scope.tabernetesHost = { port: init.port, protocol: VERSION, config: init.config };
  await go.run(instance);
  end(exitFault(undefined, tail.text()));
}

/*
 * The dedicated Worker that holds the cluster. It loads the WebAssembly module, hands the Go
 * program one end of the page's MessagePort, and reports what goes wrong on that same port.
 * Everything else that travels there is between the page and Go (web/rpc/protocol.ts).
 */
import type { ToPage } from "../rpc/protocol.ts";
import { messageOf } from "../rpc/reason.ts";
import { downloadFault, exitFault, LoadError } from "./fault.ts";
import { installStdio, type GoRuntime } from "./gohost.ts";
import type { WorkerInit } from "./init.ts";
import { alreadyLoaded, load, type Progress } from "./load.ts";
import { run, type Program } from "./program.ts";
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
  const { manifest } = loaded;

  installStdio(tail);
  const execUrl = new URL(manifest.exec.url, init.manifestUrl).href;
  try {
    await import(/* @vite-ignore */ execUrl);
  } catch (error) {
    throw new LoadError(downloadFault(`Go's runtime script (${execUrl})`, messageOf(error)));
  }
  const scope = globalThis as unknown as { Go: new () => GoRuntime };
  const compiled = () => progress({ step: "compile", state: "done" });
  const program: Program = {
    init,
    loaded,
    post,
    compiled,
    make: () => Object.assign(new scope.Go(), { argv: ["tabernetes"] }),
    tail,
  };
  const { keep, resume } = init.config;
  if (!keep || !resume) {
    if (keep) void leaveNoImage(keep);
    await run(program);
    return;
  }
  // Only a cluster whose memory is kept needs what is there.
  const { goOnOrBegin } = await import("../image/worker.ts");
  await goOnOrBegin(program, run);
}

/** Deletes the memory of a cluster that was kept when Settings said so: Secrets are in it, and it takes 200 MB and more. */
async function leaveNoImage(cluster: string): Promise<void> {
  try {
    const { dropImages } = await import("../image/folder.ts");
    await dropImages(cluster);
  } catch (error) {
    console.warn("the image of the cluster's memory could not be deleted", error);
  }
}

/** In mode "fake" this stands for web/cluster/spawn.ts. */
export function spawnWorker(): Worker {
  return new Worker(new URL("./fake-worker.ts", import.meta.url), { type: "module", name: "fake" });
}

/** The Worker that holds the cluster. Mode "fake" replaces this file, see vite.config.ts. */
export function spawnWorker(): Worker {
  return new Worker(new URL("../worker/worker.ts", import.meta.url), {
    type: "module",
    name: "tabernetes",
  });
}

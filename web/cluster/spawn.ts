import script from "../worker/worker.ts?worker&url";
import { startWorker } from "./start-worker.ts";

/** The Worker that holds the cluster. Mode "fake" replaces this file, see vite.config.ts. */
export function spawnWorker(): Worker {
  return startWorker(new URL(script, import.meta.url), "tabernetes");
}

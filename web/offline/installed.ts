import { REFUSED, type Refused } from "./published.ts";

/** What is used here of a page's ServiceWorkerContainer. */
export interface Workers {
  register(script: string, options: RegistrationOptions): Promise<ServiceWorkerRegistration>;
  addEventListener(type: "message", listener: (event: MessageEvent<unknown>) => void): void;
  removeEventListener(type: "message", listener: (event: MessageEvent<unknown>) => void): void;
}

/** What follows a reason that another visit may not have. */
const AGAIN = "The next visit tries again";

/**
 * Registers the service worker and resolves once one of them answers for the site, which may be that of
 * an earlier visit. Rejects with what was refused: `navigator.serviceWorker.ready` would wait for ever.
 */
export async function installed(workers: Workers): Promise<ServiceWorkerRegistration> {
  let why = "the browser did not say why";
  const told = ({ data }: MessageEvent<unknown>) => {
    if (isRefused(data)) why = data.why.slice(0, 300);
  };
  // It may tell before it is seen to have failed.
  workers.addEventListener("message", told);
  try {
    const registration = await workers.register("sw.js", { updateViaCache: "none" });
    const { installing, active } = registration;
    if (active) return registration;
    const last = installing ?? registration.waiting;
    if (last) await settled(last);
    if (!registration.active) throw new Error(`the site's files were not kept: ${why}. ${AGAIN}`);
    return registration;
  } finally {
    workers.removeEventListener("message", told);
  }
}

/** Resolves once a worker answers, or never will. */
function settled(worker: ServiceWorker): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!["activating", "activated", "redundant"].includes(worker.state)) return;
      worker.removeEventListener("statechange", look);
      resolve();
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

function isRefused(data: unknown): data is Refused {
  const { type, why } = (data ?? {}) as Partial<Refused>;
  return type === REFUSED && typeof why === "string";
}

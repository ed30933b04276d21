import { REFUSED, type Refused } from "./published.ts";

/** What is used here of a page's ServiceWorkerContainer. */
export interface Workers {
  register(script: string, options: RegistrationOptions): Promise<ServiceWorkerRegistration>;
  addEventListener(type: "message", listener: (event: MessageEvent<unknown>) => void): void;
  removeEventListener(type: "message", listener: (event: MessageEvent<unknown>) => void): void;
}

/** How long after its failure a service worker's reason may come, in milliseconds. */
const LATE = 1000;

/** What follows a reason that another visit may not have. */
const AGAIN = "The next visit tries again";

/**
 * Registers the service worker of `script` and resolves once one of them answers for the site, which may be that of
 * an earlier visit. Rejects with what was refused: `navigator.serviceWorker.ready` would wait for ever.
 */
export async function installed(workers: Workers, script: URL): Promise<ServiceWorkerRegistration> {
  let hear: (why: string) => void = () => undefined;
  const heard = new Promise<string>((resolve) => (hear = resolve));
  const told = ({ data }: MessageEvent<unknown>) => {
    if (isRefused(data)) hear(data.why.slice(0, 300));
  };
  // It may tell before it is seen to have failed.
  workers.addEventListener("message", told);
  try {
    const registration = await workers.register(script.href, { updateViaCache: "none" });
    const { installing, active } = registration;
    if (active) return registration;
    const last = installing ?? registration.waiting;
    if (last) await settled(last);
    if (registration.active) return registration;
    // Browsers bring what it says and what became of it in no order.
    const silence = new Promise<string>((resolve) =>
      setTimeout(() => resolve("the browser did not say why"), LATE),
    );
    throw new Error(
      `the site's files were not kept: ${await Promise.race([heard, silence])}. ${AGAIN}`,
    );
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

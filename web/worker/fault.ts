import type { Fault } from "../rpc/protocol.ts";
import { messageOf } from "../rpc/reason.ts";

/*
 * What to say when the cluster cannot start or cannot go on. Each function takes what is known
 * where it went wrong and returns the sentence for the page: what happened, and what to do.
 */

const RELOAD = "Reload the page.";

/** Carries a Fault through the throw of a load that failed. */
export class LoadError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** A response that did not come, or came with a status that is not 200. */
export function downloadFault(what: string, reason: string): Fault {
  return {
    type: "fault",
    component: "download",
    message: `The download of ${what} failed: ${reason}`,
    hint: `Check the connection, then reload the page. What has arrived is not fetched again when the browser kept it.`,
  };
}

/** The module ended early: `got` of `want` bytes came. */
export function truncatedFault(got: number, want: number): Fault {
  return {
    type: "fault",
    component: "download",
    message: `The download broke off: ${megabytes(got)} of ${megabytes(want)} arrived.`,
    hint: `Check the connection, then reload the page. If it breaks off at the same place again, a proxy on the way may limit the size of downloads.`,
  };
}

/** The bytes are all there, and the browser refuses them or cannot make an instance. */
export function compileFault(error: unknown): Fault {
  if (isMemoryError(error)) return memoryFault(messageOf(error));
  return {
    type: "fault",
    component: "compile",
    message: `The browser could not compile the WebAssembly module: ${messageOf(error)}`,
    hint: `Reload the page with an empty cache (Shift + reload). If that does not help, a newer browser will: Chromium 119, Firefox 120 or Safari 18.`,
  };
}

export function memoryFault(detail: string): Fault {
  return {
    type: "fault",
    component: "memory",
    message: `There is not enough memory for the cluster: ${detail}`,
    hint: `It needs about 400 MB free. Close other tabs, then reload the page.`,
  };
}

/**
 * The Go program has ended, which it never does on its own.
 * @param code its exit code, or undefined when it was stopped by a JavaScript exception
 * @param stderr the last lines it wrote
 */
export function exitFault(code: number | undefined, stderr: string, error?: unknown): Fault {
  const headline = goHeadline(stderr);
  if (isMemoryError(error) || /out of memory|cannot allocate memory/.test(headline ?? "")) {
    return { ...memoryFault(headline ?? messageOf(error)), stack: stderr };
  }
  const what =
    headline ?? (error === undefined ? `exit code ${code ?? "unknown"}` : messageOf(error));
  const fault: Fault = {
    type: "fault",
    component: componentOf(stderr),
    message: `The cluster stopped: ${what}`,
    hint: `${RELOAD} A cluster that is kept goes on, any other starts empty. If it happens again, copy the details into a report.`,
  };
  if (stderr) fault.stack = stderr;
  return fault;
}

/** The line that names the reason: a panic, a fatal error of the runtime, klog's F line. */
function goHeadline(stderr: string): string | undefined {
  const lines = stderr.split("\n");
  return (
    lines.find((line) => /^(panic|fatal error|runtime): /.test(line)) ??
    lines.findLast((line) => /^F\d{4} /.test(line))?.replace(/^F\d{4} \S+\s+\d+ /, "") ??
    lines.findLast((line) => line.trim() !== "")
  );
}

/** The first Kubernetes package on the stack names the part that failed. */
function componentOf(stderr: string): string {
  const named =
    /k8s\.io\/kubernetes\/(?:cmd\/)?(?:pkg\/)?(kube-[a-z-]+|kubelet|scheduler|controller)\b/.exec(
      stderr,
    )?.[1];
  switch (named) {
    case undefined:
      return "cluster";
    case "scheduler":
      return "kube-scheduler";
    case "controller":
      return "kube-controller-manager";
    default:
      return named;
  }
}

function isMemoryError(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && /memory/i.test(error.message));
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

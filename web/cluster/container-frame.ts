import { HELLO, HELLO_MEASURES, measured, type Told } from "../container/frame-wire.ts";
import type { MeasuredContainers } from "../rpc/protocol.ts";
import type { Disposable } from "../state/disposable.ts";
import type { FrameOrder } from "../worker/containers.ts";
import type { Browser } from "./measure.ts";

/** Milliseconds until a frame that does not say that it is there will not be. */
const PATIENCE = 10_000;

/**
 * Whether containers of this page run in a frame. Chromium alone is known to give it a process of its own. An isolated
 * page measures what they hold only in its own process, and without an origin there is no other.
 */
export function hasFrames({ origin, crossOriginIsolated, performance }: Browser): boolean {
  return origin !== "null" && !crossOriginIsolated && "memory" in performance;
}

/**
 * The hidden frame in which a cluster's containers in JavaScript run (web/container/frame.ts), for the cluster's Worker,
 * which asks for it and speaks with it by a port of its own.
 *
 * Where the frame's file is on the page's origin, and its host isolates it, it has a process of its own and measures
 * what is in it. Elsewhere a sandbox takes its origin away, which has a process, too, and cannot be measured.
 */
export class ContainerFrame implements Disposable {
  readonly #address: URL;
  readonly #told: Told;
  readonly #cluster: MessagePort;
  readonly #hear = (event: MessageEvent) => this.#hello(event);
  readonly #violation = (event: SecurityPolicyViolationEvent) => this.#forbidden(event);
  #boxed: boolean;
  #element: HTMLIFrameElement | undefined;
  #late: ReturnType<typeof setTimeout> | undefined;
  /** A frame that measures, and who waits for one. */
  #port: MessagePort | undefined;
  #wait: (() => void) | undefined;
  #answer: ((workers: MeasuredContainers["workers"]) => void) | undefined;

  constructor(address: URL, told: Told, cluster: MessagePort) {
    this.#address = address;
    this.#told = told;
    this.#cluster = cluster;
    this.#boxed = address.origin !== location.origin;
    cluster.onmessage = ({ data }: MessageEvent<FrameOrder>) => {
      this.#remove();
      if (data === "wanted") this.#make();
    };
  }

  /** What its Workers hold. It waits as long as there is no frame that can be asked. */
  async measure(): Promise<MeasuredContainers["workers"]> {
    while (!this.#port) await new Promise<void>((resolve) => (this.#wait = resolve));
    this.#port.postMessage(null);
    return new Promise((resolve) => (this.#answer = resolve));
  }

  dispose(): void {
    this.#remove();
    this.#cluster.close();
  }

  #make(): void {
    const element = document.createElement("iframe");
    // Never allow-same-origin: a module would have this site's origin in a page of any other.
    if (this.#boxed) element.setAttribute("sandbox", "allow-scripts");
    element.title = "Containers in JavaScript";
    element.tabIndex = -1;
    element.ariaHidden = "true";
    element.style.display = "none";
    element.referrerPolicy = "no-referrer";
    element.src = this.#address.href;
    this.#element = element;
    window.addEventListener("message", this.#hear);
    document.addEventListener("securitypolicyviolation", this.#violation);
    this.#late = setTimeout(() => this.#none(), PATIENCE);
    document.documentElement.append(element);
  }

  #hello({ source, data }: MessageEvent): void {
    const { contentWindow } = this.#element ?? {};
    if (!contentWindow || source !== contentWindow) return;
    if (data !== HELLO && data !== HELLO_MEASURES) return;
    const measures = data === HELLO_MEASURES;
    if (!measures && !this.#boxed) {
      // Its host does not isolate it: it is in this page's process.
      this.#remove();
      this.#boxed = true;
      this.#make();
      return;
    }
    this.#settle();
    const [cluster, page] = [new MessageChannel(), new MessageChannel()];
    // An opaque origin has no name; the window is the one that has just spoken.
    const to = this.#boxed ? "*" : location.origin;
    contentWindow.postMessage(this.#told, to, [cluster.port2, page.port2]);
    this.#cluster.postMessage(null, [cluster.port1]);
    if (!measures || this.#boxed) return;
    this.#port = page.port1;
    this.#port.onmessage = ({ data }) => this.#answered(measured(data));
    this.#wait?.();
  }

  /** The page's policy may forbid the frame: nothing says so but this event. */
  #forbidden({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void {
    if (effectiveDirective !== "frame-src") return;
    if (URL.parse(blockedURI)?.origin === this.#address.origin) this.#none();
  }

  #none(): void {
    this.#remove();
    this.#cluster.postMessage(null);
  }

  #settle(): void {
    clearTimeout(this.#late);
    window.removeEventListener("message", this.#hear);
    document.removeEventListener("securitypolicyviolation", this.#violation);
  }

  #remove(): void {
    this.#settle();
    this.#element?.remove();
    this.#element = undefined;
    this.#port?.close();
    this.#port = undefined;
    this.#answered([]);
  }

  #answered(workers: MeasuredContainers["workers"]): void {
    this.#answer?.(workers);
    this.#answer = undefined;
  }
}

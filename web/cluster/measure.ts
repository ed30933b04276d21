/*
 * What the Workers of containers hold. Only a document can ask its browser, only where it is isolated from others
 * (nodehost/site sends the header for their frame), and only Chromium answers, after ten to twenty seconds, with its
 * garbage collected.
 */
import type { Call, RpcClient } from "../rpc/client.ts";
import type { MeasuredContainers } from "../rpc/protocol.ts";

/** What is used here of performance.measureUserAgentSpecificMemory's answer; TypeScript has no type of it. */
export interface Memory {
  breakdown: readonly { bytes: number; attribution: readonly { url: string; scope: string }[] }[];
}

/** What is used here of a browser. */
export interface Browser {
  crossOriginIsolated: boolean;
  origin: string;
  performance: { measureUserAgentSpecificMemory?(): Promise<Memory> };
}

/**
 * The end of the addresses of a cluster's Workers of containers: a page may have several clusters. A container's
 * number follows.
 */
export function containersMark(): string {
  return `#container-${++clusters}-`;
}
let clusters = 0;

/** Measures what the Workers of containers hold. */
export type Measure = () => Promise<MeasuredContainers["workers"]>;

/**
 * How this document measures its Workers with that mark; undefined where it cannot. In a frame without an origin
 * Chromium does not survive the question.
 */
export function measureHere(mark: string, browser = globalThis as Browser): Measure | undefined {
  const { performance } = browser;
  if (!browser.crossOriginIsolated || browser.origin === "null") return undefined;
  if (!performance.measureUserAgentSpecificMemory) return undefined;
  return async () => {
    try {
      const memory = await performance.measureUserAgentSpecificMemory?.();
      return memory ? heldBy(memory, mark) : [];
    } catch (error) {
      console.warn("what containers hold could not be measured", error);
      return [];
    }
  };
}

/** Measures whenever the cluster asks, from now on, and as long as there is the cluster. */
export function measureContainers(client: Pick<RpcClient, "call">, measure: Measure): void {
  const answer = async () => call.order({ workers: await measure() });
  const call: Call<unknown, MeasuredContainers> = client.call(
    "measureContainers",
    {},
    { event: () => void answer() },
  );
  call.result.catch(() => undefined); // the cluster has ended
}

/** The Workers with that mark, and what is theirs alone. */
export function heldBy(memory: Memory, mark: string): MeasuredContainers["workers"] {
  const held = new Map<number, number>();
  for (const { bytes, attribution } of memory.breakdown) {
    const [of, ...others] = attribution;
    if (!of || others.length > 0 || of.scope !== "DedicatedWorkerGlobalScope") continue;
    const [, after = ""] = of.url.split(mark);
    const number = /^\d+$/.test(after) && Number(after);
    if (number) held.set(number, (held.get(number) ?? 0) + bytes);
  }
  return [...held].map(([number, bytes]) => ({ number, bytes }));
}

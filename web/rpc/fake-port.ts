import type { Port } from "./client.ts";
import { VERSION, type ToPage, type ToWorker } from "./protocol.ts";

/** The worker's end in tests: what was sent to it, and what it sends. */
export class FakePort implements Port {
  readonly sent: ToWorker[] = [];
  onmessage: ((event: MessageEvent<ToPage>) => void) | null = null;

  postMessage(message: ToWorker): void {
    this.sent.push(message);
  }

  close(): void {
    this.onmessage = null;
  }

  /** The first message of all. */
  hello(version = VERSION): void {
    this.#greeted = true;
    this.reply({ type: "hello", version });
  }

  #greeted = false;

  reply(message: ToPage): void {
    if (!this.#greeted) this.hello();
    this.raw(message);
  }

  /** Sends it as it is, without a greeting before. */
  raw(message: ToPage): void {
    this.onmessage?.({ data: message } as MessageEvent<ToPage>);
  }

  data(id: number, text: string, stream: "stdout" | "stderr" | "body" = "stdout"): void {
    this.reply({ type: "data", id, stream, chunk: new TextEncoder().encode(text) });
  }

  head(id: number, status = 200, headers: [string, string][] = []): void {
    this.reply({ type: "head", id, status, statusText: "", headers });
  }

  /** Bytes acknowledged so far. */
  acked(id: number): number {
    return this.sent.reduce((n, m) => (m.type === "ack" && m.id === id ? n + m.bytes : n), 0);
  }

  of<T extends ToWorker["type"]>(type: T): Extract<ToWorker, { type: T }>[] {
    return this.sent.filter((m): m is Extract<ToWorker, { type: T }> => m.type === type);
  }
}

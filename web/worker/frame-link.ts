import { checked, type ToFrame } from "../container/frame-wire.ts";
import type { ContainerWorker, Place } from "./container-worker.ts";

/** Milliseconds from one question whether the frame is there to the next, and how many it may leave unanswered. */
const EVERY = 1000;
const UNHEARD = 6;

/**
 * What became of a Worker that was to be begun in a frame: its module's host does not let the frame read it (unread), or
 * there is no frame any more (gone), of which the Worker has heard nothing.
 */
export type Begun = Place | "unread" | "gone";

interface Live {
  readonly worker: ContainerWorker;
  readonly place: Place;
  /** Until it has begun. */
  begun: ((what: Begun) => void) | undefined;
}

/**
 * The cluster's end of a frame with Workers of containers (web/container/frame.ts). Browsers tell nobody that a frame's
 * process has ended, so that it is asked: its own thread has nothing to do but answer.
 */
export class FrameLink {
  readonly #port: MessagePort;
  readonly #gone: () => void;
  readonly #live = new Map<number, Live>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #asked = 0;
  #heard = 0;
  #ended = false;

  /** `gone` is called once, when there is no frame any more. */
  constructor(port: MessagePort, gone: () => void) {
    this.#port = port;
    this.#gone = gone;
    port.onmessage = ({ data }: MessageEvent<unknown>) => this.#hear(data);
  }

  begin(worker: ContainerWorker, module: string): Promise<Begun> {
    if (this.#ended) return Promise.resolve("gone");
    const { number } = worker;
    const { port1, port2 } = new MessageChannel();
    const place = Object.assign(port1, {
      terminate: () => {
        port1.close();
        this.#forget(number);
        this.#tell({ type: "end", number });
      },
    });
    this.#tell({ type: "begin", number, module }, [port2]);
    this.#timer ??= setInterval(() => this.#ask(), EVERY);
    return new Promise((begun) => this.#live.set(number, { worker, place, begun }));
  }

  #hear(data: unknown): void {
    if (this.#ended) return;
    const message = checked(data);
    if (!message) {
      this.#end(); // it is not ours any more
      return;
    }
    if (message.type === "pong") {
      this.#heard = Math.max(this.#heard, Math.min(message.number, this.#asked));
      return;
    }
    const live = this.#live.get(message.number);
    if (!live) return;
    const { begun, place, worker } = live;
    live.begun = undefined;
    if (message.type === "failed") {
      this.#forget(message.number);
      begun?.(place);
      worker.fail(message.message);
    } else if (message.begun) {
      begun?.(place);
    } else if (begun) {
      this.#forget(message.number);
      begun("unread");
    }
  }

  #ask(): void {
    if (this.#asked - this.#heard >= UNHEARD) {
      this.#end();
      return;
    }
    this.#tell({ type: "ping", number: ++this.#asked });
  }

  #end(): void {
    this.#ended = true;
    clearInterval(this.#timer);
    const all = [...this.#live.values()];
    this.#live.clear();
    this.#gone();
    for (const { worker, begun } of all) {
      if (begun) begun("gone");
      else worker.close();
    }
    this.#port.close();
  }

  #forget(number: number): void {
    this.#live.delete(number);
    if (this.#live.size > 0) return;
    // Nobody is there who could end it.
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#heard = this.#asked;
  }

  #tell(message: ToFrame, transfer: Transferable[] = []): void {
    if (!this.#ended) this.#port.postMessage(message, transfer);
  }
}

import { ContainerWorker, type Place } from "./container-worker.ts";
import { FrameLink } from "./frame-link.ts";

/** What the cluster's Worker says to the page about its frame: one is wanted, or the one that there was is gone. */
export type FrameOrder = "wanted" | "gone";

/** Begins the Workers of containers: in a frame of the page's, which has a process of its own, or else here. */
export class Containers {
  readonly #page: MessagePort | undefined;
  readonly #here: (number: number) => Worker;
  #link: Promise<FrameLink | undefined> | undefined;
  #given: (port: MessagePort | undefined) => void = () => undefined;

  /** The page answers on its port with that of a frame, or none. `here` begins a Worker in this Worker's process. */
  constructor(page: MessagePort | undefined, here: (number: number) => Worker) {
    this.#page = page;
    this.#here = here;
    if (!page) return;
    page.onmessage = ({ ports }: MessageEvent) => this.#given(ports[0]);
  }

  begin(number: number): ContainerWorker {
    return new ContainerWorker(number, (worker, module) => this.#find(worker, module));
  }

  async #find(worker: ContainerWorker, module: string): Promise<Place | undefined> {
    const link = await this.#frame();
    const place = (await link?.begin(worker, module)) ?? "unread";
    if (place === "gone") {
      worker.close();
      return undefined;
    }
    if (place !== "unread") return place;
    const here = this.#here(worker.number);
    here.onerror = (event) => {
      event.preventDefault();
      worker.fail(event.message || "its script could not be loaded");
    };
    return here;
  }

  #frame(): Promise<FrameLink | undefined> {
    const page = this.#page;
    if (!page) return Promise.resolve(undefined);
    this.#link ??= new Promise((resolve) => {
      const gone = () => {
        this.#link = undefined;
        page.postMessage("gone" satisfies FrameOrder);
      };
      this.#given = (port) => resolve(port && new FrameLink(port, gone));
      page.postMessage("wanted" satisfies FrameOrder);
    });
    return this.#link;
  }
}

import { reason } from "../rpc/reason.ts";
import type { Disposable } from "../state/disposable.ts";
import { Store } from "../state/store.ts";
import type { Lack } from "../frame/wire.ts";
import { PATIENCE, STEPS } from "./bounds.ts";
import { Frame, type Shown, type Told } from "./frame.ts";
import type { Site } from "./sites.ts";
import { chunksOf, VisitError, Visitor } from "./visitor.ts";

/** A place of the history. */
interface Entry {
  readonly url: string;
  readonly x: number;
  readonly y: number;
}

/** What a document is asked for with. */
interface Going {
  url: string;
  method?: string;
  headers?: [string, string][];
  body?: ArrayBuffer;
  /** It takes the place of the last one in the history. */
  replace?: boolean;
  /** Where it is scrolled to. */
  x?: number;
  y?: number;
}

/** What came. */
interface Answered {
  readonly status: number;
  readonly statusText: string;
  readonly endpoint: string;
  readonly bytes: number;
  /** Milliseconds until all of it was there. */
  readonly took: number;
  readonly redirected: boolean;
}

export interface BrowsingState {
  readonly url: string;
  readonly title: string;
  readonly loading: boolean;
  readonly answered: Answered | undefined;
  /** Why there is nothing, or no more; `failure` as VisitError has it. */
  readonly problem: { failure: VisitError["failure"] | "ended"; message: string } | undefined;
  /** What happened besides: cut, missed, left. */
  readonly notes: readonly string[];
  readonly lacks: readonly Lack[];
  readonly canBack: boolean;
  readonly canForward: boolean;
}

const NOTHING: BrowsingState = {
  url: "",
  title: "",
  loading: false,
  answered: undefined,
  problem: undefined,
  notes: [],
  lacks: [],
  canBack: false,
  canForward: false,
};

/** Documents that follow each other by themselves, without a person, until it is taken for a loop. */
const BY_ITSELF = 20;
/** Milliseconds in which a frame says that it is there, and in which a process without frames ends. */
const GREETING = 2_000;
const ENDING = 4_000;
/** Milliseconds after which a frame is given up; its file may have to be fetched. */
const LONG_GREETING = 20_000;
const UNHEARD =
  "The frame's own file did not come: check the connection to where this page is from, then reload it.";
/** Notes that are kept of one document. */
const NOTES = 6;

/** One person's way through the pages of an object of the cluster: a history, and what is shown of it. */
export class Browsing implements Disposable {
  readonly state = new Store<BrowsingState, Partial<BrowsingState>>(
    (old, change) => ({ ...old, ...change }),
    NOTHING,
  );
  readonly #address: string;
  readonly #place: HTMLElement;
  #visitor: Visitor;
  #client: ConstructorParameters<typeof Visitor>[0];
  #entries: Entry[] = [];
  #at = -1;
  #stop = new AbortController();
  #frame: Frame | undefined;
  #next: Frame | undefined;
  #method = "GET";
  #spinning: ReturnType<typeof setTimeout> | undefined;
  #byItself = 0;

  /** `address`: the frame's file. Frames are put into `place`. */
  constructor(
    address: string,
    place: HTMLElement,
    client: ConstructorParameters<typeof Visitor>[0],
    sites: ReadonlyMap<string, Site>,
  ) {
    this.#address = address;
    this.#place = place;
    this.#client = client;
    this.#visitor = new Visitor(client, sites);
  }

  /** What may be asked, from the next document on. */
  set sites(sites: ReadonlyMap<string, Site>) {
    this.#visitor = new Visitor(this.#client, sites);
  }

  /** Whether loading it again does nothing twice. */
  get harmless(): boolean {
    return this.#method === "GET";
  }

  go(url: string): void {
    this.#byItself = 0;
    if (!this.#visitor.sites.has(new URL(url).origin)) {
      const message = `${url.slice(0, 200)} is not of what is opened here`;
      this.state.dispatch({ problem: { failure: "elsewhere", message } });
      return;
    }
    void this.#load({ url });
  }

  /** The same document once more, where it is scrolled to. */
  reload(): void {
    this.#byItself = 0;
    this.#again();
  }

  step(by: number): void {
    const entry = this.#entries[this.#at + by];
    if (by === 0) this.reload();
    if (!entry || by === 0) return;
    this.#at += by;
    void this.#load({ ...entry, replace: true });
  }

  dispose(): void {
    this.#stop.abort();
    clearTimeout(this.#spinning);
    this.#frame?.dispose();
    this.#next?.dispose();
  }

  #again(): void {
    const entry = this.#entries[this.#at];
    if (entry) void this.#load({ ...entry, replace: true });
  }

  async #load(going: Going): Promise<void> {
    this.#stop.abort();
    const stop = (this.#stop = new AbortController());
    const timer = setTimeout(
      () => stop.abort(new VisitError("late", `no whole answer within ${PATIENCE / 1000} s`)),
      PATIENCE,
    );
    clearTimeout(this.#spinning);
    this.#enter(going);
    this.state.dispatch({ loading: true });
    const begun = performance.now();
    try {
      const visited = await this.#visitor.request({
        ...going,
        headers: [
          ["accept", ACCEPT],
          ["user-agent", navigator.userAgent],
          ...(going.headers ?? []),
        ],
        signal: stop.signal,
      });
      const { response, endpoint, redirected, url, method } = visited;
      const notes: string[] = [];
      const parts: Uint8Array<ArrayBuffer>[] = [];
      const cut = () =>
        notes.push(
          "The answer is larger than this view takes (16 MiB): it was cut there. curl at the prompt reads all of it.",
        );
      for await (const chunk of chunksOf(response.body, cut)) parts.push(new Uint8Array(chunk));
      if (stop.signal.aborted) throw stop.signal.reason;
      const bytes = await new Blob(parts).arrayBuffer();
      const { status, statusText, headers } = response;
      this.#method = method;
      this.#entries[this.#at] = { url, x: going.x ?? 0, y: going.y ?? 0 };
      this.state.dispatch({
        ...this.#history(),
        title: "",
        loading: false,
        problem: undefined,
        notes,
        lacks: headers.has("set-cookie") ? ["cookies"] : [],
        answered: {
          status,
          statusText,
          endpoint,
          redirected,
          bytes: bytes.byteLength,
          took: performance.now() - begun,
        },
      });
      const contentType = headers.get("content-type") ?? "";
      this.#show({ url, contentType, bytes, x: going.x ?? 0, y: going.y ?? 0 });
    } catch (error) {
      // Something else is loaded meanwhile.
      if (stop !== this.#stop) return;
      const message = reason(error);
      const failure = error instanceof VisitError ? error.failure : "broken";
      this.state.dispatch({ loading: false, problem: { failure, message }, answered: undefined });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Takes a place in the history. */
  #enter({ url, replace = false, x = 0, y = 0 }: Going): void {
    if (!replace || this.#at < 0) {
      this.#entries = [...this.#entries.slice(0, this.#at + 1), { url, x, y }].slice(-STEPS);
      this.#at = this.#entries.length - 1;
    } else this.#entries[this.#at] = { url, x, y };
    this.state.dispatch(this.#history());
  }

  #history() {
    return {
      url: this.#entries[this.#at]?.url ?? "",
      canBack: this.#at > 0,
      canForward: this.#at < this.#entries.length - 1,
    };
  }

  /** The document before it stays until this one is drawn. */
  #show(shown: Shown): void {
    this.#next?.dispose();
    const frame: Frame = new Frame(this.#address, shown, this.#visitor, (told) =>
      this.#told(frame, told),
    );
    this.#next = frame;
    frame.element.toggleAttribute("data-next", true);
    this.#place.append(frame.element);
    clearTimeout(this.#spinning);
    const before = this.#frame !== undefined;
    this.#spinning = setTimeout(
      () => {
        if (frame !== this.#next || frame.greeted) return;
        if (before) this.#letGo(shown);
        else this.#told(frame, { type: "ended", why: UNHEARD });
      },
      before ? GREETING : LONG_GREETING,
    );
  }

  /**
   * The document before has a script that does not come to an end: a frame beside it, which the browser
   * gives the same process, does not begin. Without any frame that process ends, after a while.
   */
  #letGo(shown: Shown): void {
    this.#frame?.dispose();
    this.#next?.dispose();
    this.#frame = this.#next = undefined;
    this.#note("The page before did not come to an end by itself: its frame was taken away.");
    this.#spinning = setTimeout(() => this.#show(shown), ENDING);
  }

  #told(frame: Frame, told: Told): void {
    if (frame === this.#next && told.type === "drawn") {
      this.#frame?.dispose();
      this.#frame = frame;
      this.#next = undefined;
      frame.element.toggleAttribute("data-next", false);
      return;
    }
    if (frame !== this.#frame && frame !== this.#next) return;
    switch (told.type) {
      case "go":
        if (++this.#byItself > BY_ITSELF && told.replace) {
          this.#note(
            "It leads to itself again and again: it is not followed any more. Reload it to go on.",
          );
        } else if (this.#visitor.sites.has(new URL(told.url).origin)) void this.#load(told);
        else this.#note(`It leads to ${told.url.slice(0, 200)}, which is not reached from here.`);
        break;
      case "at":
        if (this.#visitor.sites.has(new URL(told.url).origin)) this.#enter(told);
        break;
      case "step":
        this.step(told.by);
        break;
      case "scroll": {
        const entry = this.#entries[this.#at];
        if (entry) this.#entries[this.#at] = { ...entry, x: told.x, y: told.y };
        break;
      }
      case "title":
        this.state.dispatch({ title: told.text });
        break;
      case "lacks": {
        const { lacks } = this.state.state;
        if (!lacks.includes(told.what)) this.state.dispatch({ lacks: [...lacks, told.what] });
        break;
      }
      case "missed":
        this.#note(told.what);
        break;
      case "left":
        this.#note(
          "Its script went to another address (location = …), where this view cannot follow. Links and forms lead on; Reload brings it back.",
        );
        break;
      case "reloads":
        if (++this.#byItself > BY_ITSELF)
          this.#note(
            "It loads itself again and again: it is not loaded any more. Reload it to go on.",
          );
        else this.#again();
        break;
      case "ended":
        this.state.dispatch({ loading: false, problem: { failure: "ended", message: told.why } });
        break;
      case "drawn":
        break;
    }
  }

  #note(text: string): void {
    const { notes } = this.state.state;
    if (notes.length < NOTES && !notes.includes(text))
      this.state.dispatch({ notes: [...notes, text] });
  }
}

/** As browsers ask for documents. */
const ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";

import { MOST_PACKED, ShareError } from "./pack.ts";

/** Short links of a site that keeps what is shared (wasm/edge); most sites serve files only. */
export class ShortLinks {
  readonly #at: URL;

  /** `base` is the address of the page. */
  constructor(base: string) {
    this.#at = new URL("s/", base);
  }

  /** For how many days a text is kept; 0 where there are no short links. */
  async days(): Promise<number> {
    try {
      const response = await fetch(this.#at, { headers: { accept: "application/json" } });
      const { days } = JSON.parse(await bounded(response)) as { days?: unknown };
      return response.ok && typeof days === "number" && days > 0 ? days : 0;
    } catch {
      // A page in its place, or nothing: a host of files.
      return 0;
    }
  }

  /** Has a text kept; returns its link. Throws ShareError. */
  async make(packed: string): Promise<string> {
    const response = await this.#ask("", { method: "POST", body: packed });
    const { id } = JSON.parse(await bounded(response)) as { id?: unknown };
    if (typeof id !== "string") throw new ShareError("The site answered with no link.");
    return new URL(id, this.#at).href;
  }

  /** What is kept under a name. Throws ShareError. */
  async read(id: string): Promise<string> {
    return bounded(await this.#ask(id));
  }

  async #ask(path: string, init?: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(new URL(path, this.#at), init);
    } catch (error) {
      throw new ShareError(`The site cannot be asked for short links: ${String(error)}`);
    }
    if (response.ok) return response;
    // What a host of files answers is no sentence for a reader.
    const said = response.headers.get("content-type")?.startsWith("text/plain") ?? false;
    const why = said ? (await bounded(response)).slice(0, 300).trim() : "";
    throw new ShareError(
      why || `The site has no short links (HTTP ${response.status}): ask for the long one.`,
    );
  }
}

/** An answer's text, no further than anything that is kept is long. */
async function bounded(response: Response): Promise<string> {
  const body = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const part = await body?.read();
    if (!part || part.done) return text;
    text += part.value;
    if (text.length > MOST_PACKED) {
      await body?.cancel();
      throw new ShareError("The site answered with more than a link can hold.");
    }
  }
}

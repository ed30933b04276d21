import { bytesOf, headerOf, type Page } from "./ask.ts";

/** How deep style sheets import each other. */
const DEEPEST = 5;

/**
 * What a document is made of. The frame's policy lets it load nothing but what it has made itself, so
 * each file is asked of the page, and stands in the document as a blob's address.
 */
export class Resources {
  readonly #page: Page;
  readonly #had = new Map<string, Promise<string>>();

  constructor(page: Page) {
    this.#page = page;
  }

  /** The blob's address of a file; fails if there is none. */
  file(url: string, type = ""): Promise<string> {
    return this.#once(`${type} ${url}`, async () => {
      const answer = await this.#get(url);
      return blob(await bytesOf(answer), type || headerOf(answer, "content-type"));
    });
  }

  /** The blob's address of a style sheet, with all that it names. */
  style(url: string, depth = 0): Promise<string> {
    return this.#once(`style ${url}`, async () => {
      const answer = await this.#get(url);
      const text = new TextDecoder().decode(await bytesOf(answer));
      return blob(await this.css(text, answer.url, depth), "text/css");
    });
  }

  /** A style's text, in which each file that can be had is a blob's address. */
  async css(text: string, base: string, depth = 0): Promise<string> {
    const parts = [...text.matchAll(CSS_FILES)];
    const replaced = await Promise.all(
      parts.map(async (match) => {
        const [whole, , imported, rest, , named = ""] = match;
        try {
          if (imported !== undefined) {
            if (depth >= DEEPEST) return "";
            return `@import url("${await this.style(absolute(imported, base), depth + 1)}")${rest ?? ""};`;
          }
          return isLocal(named) ? whole : `url("${await this.file(absolute(named, base))}")`;
        } catch {
          return imported === undefined ? 'url("data:,")' : "";
        }
      }),
    );
    let at = 0;
    let out = "";
    parts.forEach((match, i) => {
      out += text.slice(at, match.index) + (replaced[i] ?? "");
      at = match.index + match[0].length;
    });
    return out + text.slice(at);
  }

  async #get(url: string) {
    const answer = await this.#page.ask({ url });
    if (answer.status >= 400) {
      await answer.body.cancel();
      throw new TypeError(`${url}: ${answer.status} ${answer.statusText}`);
    }
    return answer;
  }

  #once(key: string, make: () => Promise<string>): Promise<string> {
    const had = this.#had.get(key) ?? make();
    this.#had.set(key, had);
    return had;
  }
}

/** `@import "a.css" screen;` and `url(a.png)`. */
const CSS_FILES =
  /@import\s+(?:url\(\s*)?(["']?)([^"')\s;]+)\1\s*\)?([^;{}]*);|url\(\s*(["']?)(.*?)\4\s*\)/g;

/** What needs nobody to be asked. */
export function isLocal(address: string): boolean {
  return address === "" || /^\s*(?:#|data:|blob:|about:|javascript:)/i.test(address);
}

export function absolute(address: string, base: string): string {
  return new URL(address, base).href;
}

function blob(bytes: BlobPart, type: string): string {
  return URL.createObjectURL(new Blob([bytes], { type }));
}

import { setAside, WANTED } from "./document.ts";
import { absolute, isLocal, type Resources } from "./resources.ts";

type Loads = "file" | "script" | "style";

/** What elements load, by their names and attributes. */
const LOADS: Record<string, Record<string, Loads>> = {
  img: { src: "file" },
  script: { src: "script" },
  link: { href: "style" },
};

/**
 * What scripts put into the document later: an address that is set waits until its file is there.
 * What comes as HTML is found when it has come.
 */
export class Elements {
  readonly #from: Resources;
  /** The address that a script has given an element, which it reads back. */
  readonly #given = new WeakMap<Element, string>();
  // It is called on elements only.
  // eslint-disable-next-line @typescript-eslint/unbound-method
  readonly #set = Element.prototype.setAttribute;

  constructor(from: Resources) {
    this.#from = from;
  }

  /** Takes the setters of addresses over, for good. */
  takeOver(): void {
    this.#property(HTMLImageElement.prototype, "src");
    this.#property(HTMLScriptElement.prototype, "src");
    this.#property(HTMLLinkElement.prototype, "href");
    const give = this.#give.bind(this);
    const set = this.#set;
    Element.prototype.setAttribute = function (name: unknown, value: unknown) {
      const attribute = String(name).toLowerCase();
      const loads = LOADS[this.localName]?.[attribute];
      if (loads) give(this, attribute, loads, String(value));
      else set.call(this, String(name), String(value));
    };
  }

  /** Follows the document that has just been opened. */
  watch(): void {
    new MutationObserver((records) => {
      for (const { target, addedNodes } of records) {
        if (target instanceof Element) this.#look(target);
        for (const node of addedNodes) {
          if (!(node instanceof Element)) continue;
          this.#look(node);
          for (const inside of node.querySelectorAll("*")) this.#look(inside);
        }
      }
    }).observe(document, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["src", "srcset", WANTED],
    });
    // What the policy has refused before it was found here is not its last word.
    addEventListener(
      "error",
      (event) => {
        if (event.target instanceof Element && event.target.hasAttribute(WANTED)) {
          event.stopImmediatePropagation();
        }
      },
      true,
    );
  }

  #look(element: Element): void {
    if (!/^(?:img|source|video|audio|track|image|input)$/.test(element.localName)) return;
    const name = element.localName === "image" ? "href" : "src";
    if (!element.hasAttribute(WANTED) && !isLocal(element.getAttribute(name) ?? "")) {
      setAside(element);
      return; // it is looked at again for that
    }
    const wanted = element.getAttribute(WANTED);
    if (wanted === null || this.#given.get(element) === wanted) return;
    this.#given.set(element, wanted);
    this.#from.file(absolute(wanted, document.baseURI)).then(
      (url) => this.#set.call(element, name, url),
      () => {
        element.removeAttribute(WANTED);
        element.dispatchEvent(new Event("error"));
      },
    );
  }

  #give(element: Element, name: string, loads: Loads, address: string): void {
    this.#given.delete(element);
    if (isLocal(address)) {
      this.#set.call(element, name, address);
      return;
    }
    this.#given.set(element, absolute(address, document.baseURI));
    // What is set after the address, such as a link's rel, counts, too.
    queueMicrotask(() => {
      const url = this.#given.get(element);
      if (url === undefined) return;
      if (loads === "style" && !(element as HTMLLinkElement).relList.contains("stylesheet")) return;
      const loaded =
        loads === "style"
          ? this.#from.style(url)
          : this.#from.file(url, loads === "script" ? "text/javascript" : "");
      loaded.then(
        (blob) => {
          if (this.#given.get(element) === url) this.#set.call(element, name, blob);
        },
        () => element.dispatchEvent(new Event("error")),
      );
    });
  }

  #property(prototype: Element, name: string): void {
    const was = Object.getOwnPropertyDescriptor(prototype, name);
    if (!was?.get || !was.set) return;
    // eslint-disable-next-line @typescript-eslint/unbound-method -- called on elements
    const { get } = was;
    const give = this.#give.bind(this);
    const given = this.#given;
    Object.defineProperty(prototype, name, {
      ...was,
      get(this: Element) {
        return given.get(this) ?? (get.call(this) as string);
      },
      set(this: Element, value: unknown) {
        const loads = LOADS[this.localName]?.[name];
        if (loads) give(this, name, loads, String(value));
      },
    });
  }
}

import type { Page } from "./ask.ts";
import { absolute } from "./resources.ts";

/** The address that the document has, with what its scripts have made of it. */
export class Place {
  url: string;
  constructor(url: string) {
    this.url = url;
  }
}

/** Links, forms and the history lead through the page; the frame itself goes nowhere. */
export function follow(page: Page, place: Place): void {
  addEventListener("click", (event) => {
    const path = event.composedPath();
    const link = path.find(
      (one) => one instanceof HTMLAnchorElement || one instanceof HTMLAreaElement,
    );
    if (!link || event.defaultPrevented || event.button !== 0) return;
    const href = link.getAttribute("href");
    if (href === null || /^\s*javascript:/i.test(href)) return;
    event.preventDefault();
    const url = URL.parse(href, document.baseURI);
    if (!url) return;
    if (withoutHash(url.href) === withoutHash(place.url) && url.hash !== "") {
      place.url = url.href;
      page.tell({ type: "at", url: url.href, replace: false });
      toHash(url.hash);
      dispatchEvent(new HashChangeEvent("hashchange"));
      return;
    }
    page.tell({ type: "go", url: url.href, method: "GET", headers: [], replace: false });
  });
  addEventListener("submit", (event) => {
    if (event.defaultPrevented || !(event.target instanceof HTMLFormElement)) return;
    event.preventDefault();
    void submit(page, event.target, event.submitter);
  });
  // A form that a script submits tells nobody.
  HTMLFormElement.prototype.submit = function () {
    void submit(page, this, null);
  };
  window.open = (url) => {
    const to = String(url ?? "");
    if (to) {
      const address = absolute(to, document.baseURI);
      page.tell({ type: "go", url: address, method: "GET", headers: [], replace: false });
    }
    return null;
  };
  const state = { now: null as unknown };
  const at = (replace: boolean) => (data: unknown, _title: string, url?: string | URL | null) => {
    state.now = data;
    if (url === undefined || url === null) return;
    place.url = absolute(String(url), document.baseURI);
    page.tell({ type: "at", url: place.url, replace });
  };
  const step = (by: number) => page.tell({ type: "step", by });
  for (const [name, value] of Object.entries({
    pushState: at(false),
    replaceState: at(true),
    back: () => step(-1),
    forward: () => step(1),
    go: (by = 0) => step(by),
  })) {
    Object.defineProperty(history, name, { value, configurable: true, writable: true });
  }
  Object.defineProperty(history, "state", { get: () => state.now, configurable: true });
  let told = 0;
  addEventListener("scroll", () => {
    told ||= requestAnimationFrame(() => {
      told = 0;
      page.tell({ type: "scroll", x: Math.round(scrollX), y: Math.round(scrollY) });
    });
  });
  addEventListener("pagehide", () => page.tell({ type: "left" }));
}

/** Scrolls to what a fragment names. */
export function toHash(hash: string): void {
  const name = decodeURIComponent(hash.slice(1));
  if (name === "" || name === "top") scrollTo(0, 0);
  else document.getElementById(name)?.scrollIntoView();
}

async function submit(page: Page, form: HTMLFormElement, submitter: HTMLElement | null) {
  const own = (name: string) =>
    submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
  const url = URL.parse(own("action"), document.baseURI);
  if (!url) return;
  const data = new FormData(form, submitter);
  if (own("method").toUpperCase() !== "POST") {
    url.search = fields(data).toString();
    page.tell({ type: "go", url: url.href, method: "GET", headers: [], replace: false });
    return;
  }
  const kind = own("enctype").toLowerCase();
  const encoded = new Response(kind === "multipart/form-data" ? data : fields(data));
  const type = encoded.headers.get("content-type") ?? "";
  const body = await encoded.arrayBuffer();
  page.tell({
    type: "go",
    url: url.href,
    method: "POST",
    headers: [["content-type", type]],
    body,
    replace: false,
  });
}

function fields(data: FormData): URLSearchParams {
  const all = new URLSearchParams();
  for (const [name, value] of data)
    all.append(name, typeof value === "string" ? value : value.name);
  return all;
}

function withoutHash(url: string): string {
  return url.replace(/#.*$/, "");
}

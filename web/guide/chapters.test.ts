import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CHAPTERS as ON_PAGE } from "./chapters.ts";
import { CHAPTER_NAMES } from "../lesson/chapters.ts";
import { plain } from "../prose/prose.ts";
import { OLDER, type Inline } from "./chapter.ts";
import { compileChapter } from "./compile.ts";
import { claimsOf } from "./current.ts";
import { NEXT } from "./ended.ts";

const FOLDER = "web/guide/chapters";
const CHAPTERS = readdirSync(FOLDER)
  .sort()
  .map((file) => compileChapter(file, readFileSync(`${FOLDER}/${file}`, "utf8")));

test("the page knows each chapter's head, and fetches its text", async () => {
  expect(ON_PAGE.length).toBe(CHAPTERS.length);
  for (const [i, { blocks, name, title, component, mark, why }] of CHAPTERS.entries()) {
    const { text, ...head } = ON_PAGE[i] ?? { text: () => [] };
    expect(head).toEqual({ name, title, component, ...(mark === undefined ? {} : { mark, why }) });
    expect(await text()).toEqual(blocks);
  }
});

describe("the chapters", () => {
  test("are those that a lesson may lead to, in the order in which a command comes to them", () => {
    expect(CHAPTERS.map(({ name }) => name)).toEqual(CHAPTER_NAMES);
  });

  test.each(CHAPTERS)("$name can be read in a few minutes", ({ words }) => {
    expect(words).toBeGreaterThan(150);
    expect(words).toBeLessThan(600);
  });

  test.each(CHAPTERS)(
    "$name says what older guides had, and has something to run",
    ({ name, blocks }) => {
      const headings = blocks.flatMap((b) => (b.type === "heading" ? [plain(b.text)] : []));
      if (name !== "wrap-up") expect(headings.at(-1)).toBe(OLDER);
      // It is for those who have read one: others have come to the chapter's end.
      const older = blocks.flatMap((b) => (b.type === "heading" && b.fold === "older" ? b.id : []));
      expect(older).toEqual(name === "wrap-up" ? [] : ["since-the-older-guides"]);
      expect(blocks.some((b) => b.type === "run")).toBe(true);
      expect(new Set(headings).size).toBe(headings.length);
    },
  );

  test("say at once which the older guides are, and where all that they have is told", () => {
    const [first] = CHAPTERS;
    const blocks = first?.blocks ?? [];
    const at = blocks.findLastIndex((block) => block.type === "heading");
    const said = blocks[at + 1];
    expect(said && plain(inlines(said).filter((piece) => typeof piece === "string"))).toMatch(
      /^The older guides are /,
    );
    expect(said && inlines(said)).toContainEqual(
      expect.objectContaining({ type: "view", name: "editions" }),
    );
  });

  test("tell what kubectl does in the order in which it does it", () => {
    const [tree] = JSON.parse(readFileSync("core/cluster/testdata/trees.json", "utf8")) as {
      steps: string[];
    }[];
    const steps = tree?.steps.flatMap((line) => /^ {2}(kubectl\.\w+)/.exec(line)?.[1] ?? []) ?? [];
    expect(steps.length).toBeGreaterThan(4);
    // One that is refused does nothing after.
    const [first, ...told] = CHAPTERS[0]?.kinds ?? [];
    expect([first, ...told]).toEqual(["kubectl.refused", ...steps]);
  });

  test.each([
    [/\bPods?\b/, "A Pod is a container"],
    [/\betcd\b/, "the key-value database"],
    [/\bkubelets?\b/, "the agents that run Pods"],
    [/\bfield manager\b/, "the name under which the server notes who set which field"],
    [/\bregistry\b/, "the server's layer above its storage"],
    [/\bhandlers?\b/, "the function that answers"],
    [/\bworkload-high\b/, "that of Kubernetes' own controllers"],
    [/\bStrict\b/, "to refuse fields that it does not know"],
    [/\bQoS\b/, "quality of service"],
    [/\bhooks?\b/, "functions that a resource may have"],
    [/\btaints?\b/, "marks that keep pods away"],
    [/\bsysctls?\b/, "settings of the kernel"],
  ])("say what %s is where it is first used", (word, what) => {
    const text = CHAPTERS.flatMap(({ blocks }) => blocks.map(spoken)).join(" ");
    const at = text.search(word);
    expect(text.slice(at, at + 250)).toContain(what);
  });

  test("of Admission say at their beginning what a number of plugins counts", () => {
    const admission = CHAPTERS.find(({ name }) => name === "admission")?.blocks ?? [];
    const before = admission.slice(
      0,
      admission.findIndex(({ type }) => type === "heading"),
    );
    const text = before.map(spoken).join(" ");
    // As the journey draws it, and as a claim's figure has it.
    expect(text).toMatch(
      /Until the request at hand has come here, .* counts all that are on: .* as \+30/,
    );
    expect(text).toMatch(/those of its pass.* They are fewer/);
  });

  test("of Authorization count the group's authorizer, and say that the queue they tell of comes before", () => {
    const authorization = CHAPTERS.find(({ name }) => name === "authorization")?.blocks ?? [];
    // The story stops here at an authorizer's answer, which is to be in sight: so the queue stands after it.
    const queue = authorization.findIndex((block) => spoken(block) === "In the queue");
    expect(spoken(authorization[queue + 1] ?? { type: "code", text: "" })).toMatch(
      /^This comes before the question, and is told after it/,
    );
    const text = authorization.map(spoken).join(" ");
    // As the drawing counts them, and as a step names the first (authorizerName in core/apiserver/apitrace).
    expect(text).toMatch(/--authorization-mode=Node,RBAC, and asks three/);
    expect(text).not.toMatch(/no authorizer/);
  });

  test("of Authentication say that calls without credentials are this tab's alone", () => {
    const text = CHAPTERS.find(({ name }) => name === "authentication")
      ?.blocks.map(spoken)
      .join(" ");
    expect(text).toMatch(
      /In this tab alone they call the handler [^.]*directly: [^.]* without credentials\./,
    );
  });

  test("of Controllers say in the sentence of the batches why they are small", () => {
    const controllers = CHAPTERS.find(({ name }) => name === "controllers")?.blocks ?? [];
    const text = controllers.map(spoken).join(" ");
    const sentence = /[^.]*in batches of 1, then 2, then 4[^.]*\./.exec(text)?.[0];
    expect(sentence).toMatch(/so that a quota or an admission plugin .* refuses one request first/);
  });

  test("of kubectl say of discovery only where it is needed that it is two requests", () => {
    const text = CHAPTERS[0]?.blocks.map(spoken).join(" ");
    expect(text).toContain("by discovery. Where it is needed, it is two requests");
  });

  test("say at their end, and nowhere else, where the time went", () => {
    const paths = CHAPTERS.filter(({ blocks }) => blocks.some((b) => b.type === "critical-path"));
    expect(paths.map(({ name }) => name)).toEqual(["wrap-up"]);
  });

  test("say at their end what comes next, in lines that are told", () => {
    const nexts = CHAPTERS.filter(({ blocks }) => blocks.some(({ type }) => type === "next"));
    expect(nexts.map(({ name }) => name)).toEqual(["wrap-up"]);
    const blocks = nexts[0]?.blocks ?? [];
    const at = blocks.findIndex((block) => block.type === "heading" && block.id === NEXT);
    const end = blocks.findIndex(({ type }, i) => i > at && type === "heading");
    const section = blocks.slice(at, end);
    expect(section.filter(({ type }) => type === "next")).toHaveLength(3);
    // What there is to break, and how a machine joins, has views of its own.
    expect(section.flatMap(inlines)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "view", name: "break" }),
        expect.objectContaining({ type: "view", name: "nodes" }),
      ]),
    );
  });

  test("that are about one kind of command say so at their beginning", () => {
    const abouts = CHAPTERS.flatMap(({ name, blocks }) =>
      blocks.flatMap((b, at) => (b.type === "about" ? [[name, at, b.kind, b.like]] : [])),
    );
    expect(abouts).toEqual([["wrap-up", 0, "apiserver.request", "created-deployments"]]);
  });

  // A request for a resource may as well read it, write its status, or be refused.
  test("claim of no request but what it made or changed, or by its path", () => {
    const claims = CHAPTERS.flatMap(({ blocks }) => blocks.flatMap(inlines)).flatMap((piece) =>
      typeof piece !== "string" && piece.type === "step" && piece.kind.endsWith(".request")
        ? (piece.like ?? [])
        : [],
    );
    expect(claims.length).toBeGreaterThan(3);
    for (const like of claims) expect(like).toMatch(/^((created|updated)-\w+|healthz)/);
  });

  test("claim of any command nothing that they tell of a new Deployment alone", () => {
    const own =
      /^(kubectl\.(object|request)|apiserver\.(decoded|handler)$|registry\.(stored|created)|cri\.(?!Exec$|CreateContainer@first$)|cni\.)/;
    const replicas = /created-(deployments|replicasets|pods)$/;
    for (const { name, blocks } of CHAPTERS) {
      for (const { kind, like = "", any } of blocks.flatMap((block) => claimsOf([block]))) {
        const which = like === "" ? kind : `${kind}@${like}`;
        const alone = own.test(which) || replicas.test(like) || name === "wrap-up";
        if (alone) expect(any, `${name}: ${which}`).toBeUndefined();
      }
    }
    const any = CHAPTERS.filter(({ blocks }) => claimsOf(blocks).some((claim) => claim.any));
    expect(any.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["authentication", "authorization", "admission", "etcd", "scheduler"]),
    );
  });

  test.each(CHAPTERS)("$name is tied to steps, or says why it is not", ({ kinds, why }) => {
    expect(kinds.length > 0 || why !== undefined).toBe(true);
  });

  test("that the guide's own command passes over say so in a word, and why", () => {
    const marked = CHAPTERS.flatMap(({ name, mark }) => (mark === undefined ? [] : [[name, mark]]));
    expect(marked).toEqual([
      ["initializers", "off"],
      ["networking", "aside"],
    ]);
  });

  test("have a login beside the story, folded, and nothing else of it", () => {
    const asides = CHAPTERS.flatMap(({ name, blocks }) =>
      blocks.flatMap((b) =>
        b.type === "heading" && b.fold === "aside" ? [[name, plain(b.text)]] : [],
      ),
    );
    expect(asides).toEqual([["authentication", "Aside: a login, as the handshake it is"]]);
  });

  test("name no step that the cluster does not declare", () => {
    // Each line of it begins with a kind's name, before its variant.
    const places = readFileSync("core/trace/places.txt", "utf8");
    const declared = new Set([...places.matchAll(/^[^\t\n/]+/gm)].map(([name]) => name));
    expect(declared.size).toBeGreaterThan(40);
    for (const { name, kinds } of CHAPTERS) {
      for (const kind of kinds) expect(declared, `${name} speaks of ${kind}`).toContain(kind);
    }
  });

  test("links to chapters lead to one", () => {
    const names = new Set(CHAPTERS.map(({ name }) => name));
    for (const piece of CHAPTERS.flatMap(({ blocks }) => blocks).flatMap(inlines)) {
      if (typeof piece !== "string" && piece.type === "chapter")
        expect(names).toContain(piece.name);
    }
  });
});

describe("a Markdown file", () => {
  const file = (body: string) => `---\ntitle: T\ncomponent: c\n---\n${body}`;

  test("becomes data; markup in it stays text", () => {
    const chapter = compileChapter(
      "01-x.md",
      file("A `<b>` & [claim](step:etcd.put).\n\n```shell\necho '<i>' && ls\n```\n"),
    );
    expect(chapter.blocks).toEqual([
      {
        type: "paragraph",
        text: [
          "A ",
          { type: "code", text: "<b>" },
          " & ",
          { type: "step", kind: "etcd.put", of: ["claim"] },
          ".",
        ],
      },
      { type: "run", line: "echo '<i>' && ls" },
    ]);
    expect(chapter.kinds).toEqual(["etcd.put"]);
  });

  test("may have a block that the page makes of steps, by itself and by a name that there is", () => {
    expect(compileChapter("01-x.md", file("[Its *way*](block:critical-path)\n")).blocks).toEqual([
      { type: "critical-path", of: ["Its ", { type: "em", of: ["way"] }] },
    ]);
  });

  test("may have something aside, which goes to the next heading", () => {
    const { blocks } = compileChapter("01-x.md", file("## Aside: so\n\nA.\n\n## Not so\n"));
    expect(blocks).toEqual([
      { type: "heading", id: "aside-so", text: ["Aside: so"], fold: "aside" },
      { type: "paragraph", text: ["A."] },
      { type: "heading", id: "not-so", text: ["Not so"] },
    ]);
  });

  test("may have claims that are true of any command, and no other title", () => {
    const { blocks } = compileChapter("01-x.md", file('[A](step:etcd.put "of any command")\n'));
    const claim = { type: "step", kind: "etcd.put", any: true, of: ["A"] };
    expect(blocks).toEqual([{ type: "paragraph", text: [claim] }]);
  });

  test.each([
    ['[A](step:etcd.put "of most")', /of most/],
    ['[A](chapter:etcd "of any command")', /of any command/],
    ["[A block](block:weather)", /weather/],
    ["[a Deployment](about:deployments)", /the step "deployments"/],
    ["see [a Deployment](about:etcd.put)", /paragraph of its own/],
    ["see [a block](block:critical-path)", /paragraph of its own/],
    ["<script>alert(1)</script>", /html/],
    ["an ![image](https://example.com/x.png)", /image/],
    ["a [link](https://example.com)", /link/],
    ["a [link](javascript:alert)", /link/],
    ["# Title", /heading/],
    ["> quoted", /blockquote/],
    ["a <b>bold</b> word", /html/],
  ])("with %s is refused, by its name", (body, what) => {
    expect(() => compileChapter("01-x.md", file(body))).toThrow(what);
    expect(() => compileChapter("01-x.md", file(body))).toThrow(/01-x\.md/);
  });

  test("without a title, or with a key that nobody knows, is refused", () => {
    expect(() => compileChapter("01-x.md", "---\ntitle: T\n---\n")).toThrow(/component/);
    expect(() => compileChapter("01-x.md", "no front matter")).toThrow(/title/);
    expect(() => compileChapter("01-x.md", "---\nauthor: a\n---\n")).toThrow(/author/);
    const marked = "---\ntitle: T\ncomponent: c\nmark: off\n---\n";
    expect(() => compileChapter("01-x.md", marked)).toThrow(/why/);
    expect(() => compileChapter("x.md", "")).toThrow(/NN-name/);
  });
});

/** A block's prose: code is not read aloud. */
function spoken(block: (typeof CHAPTERS)[number]["blocks"][number]): string {
  switch (block.type) {
    case "heading":
    case "paragraph":
      return plain(block.text);
    case "list":
      return block.items.map(plain).join(" ");
    case "table":
      return [block.head, ...block.rows].flat().map(plain).join(" ");
    default:
      return "";
  }
}

function inlines(block: (typeof CHAPTERS)[number]["blocks"][number]): Inline[] {
  const deep = (of: readonly Inline[]): Inline[] =>
    of.flatMap((piece) =>
      typeof piece === "string" || piece.type === "code" ? [piece] : [piece, ...deep(piece.of)],
    );
  switch (block.type) {
    case "heading":
    case "paragraph":
      return deep(block.text);
    case "critical-path":
    case "about":
      return deep(block.of);
    case "list":
      return block.items.flatMap(deep);
    case "table":
      return [block.head, ...block.rows].flat().flatMap(deep);
    default:
      return [];
  }
}

import { describe, expect, it } from "vitest";
import { ITEM, manifestOf } from "../editor/context.ts";
import { keysOf, schemaAt } from "../editor/schema.ts";
import { emptyLog, MAX_EVENTS, passes, take } from "./audit.ts";
import { changed, fileNames, fileOf, nameProblem } from "./draft.ts";
import { fields } from "./fields.ts";
import { switched, switchPlugin } from "./flags.ts";
import { EVERYBODY, parseResource, review, whoIs } from "./rights.ts";
import { filesOf, FORMS, randomKey, SENTENCES, TEMPLATES } from "./tables.ts";

describe("the draft", () => {
  it("is changed where a file says something else; an empty one is as none", () => {
    expect(changed({ "audit.yaml": "a" }, { "audit.yaml": "b", "tokens.csv": " \n" })).toEqual([
      "audit.yaml",
    ]);
    expect(changed({ x: "" }, {})).toEqual([]);
    expect(changed({ x: "1" }, { x: "" })).toEqual(["x"]);
  });

  it("lists what means something first, and others by name", () => {
    const names = fileNames({ z: "1" }, { a: "1", z: "2" });
    expect(names.slice(0, FORMS.length)).toEqual(FORMS.map(({ file }) => file));
    expect(names.slice(FORMS.length)).toEqual(["a", "z"]);
  });

  it("finds the file that an error of upstream's is about", () => {
    const names = fileNames({ "my.kubeconfig": "x" });
    for (const [problem, file] of [
      ['AuthorizationConfiguration: authorizers: Required value: "x"', "authorization.yaml"],
      ["ABAC policies: error reading abac.jsonl", "abac.jsonl"],
      ["static token file: line 1", "tokens.csv"],
      ["audit Policy: level", "audit.yaml"],
      ['scheduler Policy: there was no predicate "x"', "scheduler.yaml"],
      ['enable-admission-plugins plugin "No" is unknown', "kube-apiserver.flags"],
      ['kubeconfig of the authorizer "w": my.kubeconfig', "my.kubeconfig"],
      ["parse kube-scheduler flags: unknown flag: --nope", "kube-scheduler.flags"],
      ['couldn\'t init admission plugin "EventRateLimit": limits[0].qps: bad', "admission.yaml"],
      ["profiles[0].percentageOfNodesToScore: Invalid value: 200", "scheduler.yaml"],
      ["something else", ""],
    ] as const) {
      expect(fileOf(problem, names), problem).toBe(file);
    }
  });

  it("takes the names that the cluster takes", () => {
    expect(nameProblem("a.kubeconfig")).toBe("");
    for (const bad of ["", "../x", ".x", "a/b", "a".repeat(101), "<b>"]) {
      expect(nameProblem(bad), bad).not.toBe("");
    }
  });
});

describe("the fields of a form", () => {
  it("are those of upstream's types, in their version", async () => {
    const found = await fields.of("apiserver.config.k8s.io/v1", "AuthenticationConfiguration");
    if (!found) throw new Error("there is none");
    const offered = (...path: string[]) =>
      keysOf(found.api, schemaAt(found.api, found.schema, path)).map(({ label }) => label);
    expect(offered()).toEqual(["anonymous", "apiVersion", "jwt", "kind"]);
    expect(offered("jwt", ITEM, "issuer")).toContain("audienceMatchPolicy");
    expect(await fields.of("apiserver.config.k8s.io/v1alpha9", found.schema.type ?? "")).toBe(
      undefined,
    );
  });

  it("are there for every form that a template has", async () => {
    for (const text of TEMPLATES.flatMap(({ files }) => Object.values(files))) {
      const { apiVersion, kind } = manifestOf(text.split("\n"), 0);
      if (kind === "" || kind === "Config" || apiVersion === "v1") continue;
      expect(await fields.of(apiVersion, kind), `${apiVersion} ${kind}`).toBeDefined();
    }
  });
});

describe("switching an admission plugin", () => {
  it("writes a flag only where the default is another", () => {
    const on = switchPlugin("# mine\n--v=2\n", "AlwaysPullImages", true, false);
    expect(on).toBe("# mine\n--v=2\n--enable-admission-plugins=AlwaysPullImages\n");
    expect(switched(on, "AlwaysPullImages")).toBe(true);
    const both = switchPlugin(on, "EventRateLimit", true, false);
    expect(both).toContain("--enable-admission-plugins=AlwaysPullImages,EventRateLimit\n");
    expect(switchPlugin(both, "AlwaysPullImages", false, false)).toBe(
      "# mine\n--v=2\n--enable-admission-plugins=EventRateLimit\n",
    );
    expect(switchPlugin(on, "AlwaysPullImages", false, false)).toBe("# mine\n--v=2\n");
    expect(switchPlugin("", "LimitRanger", true, true)).toBe("");
  });

  it("takes a plugin from the other list, and knows both ways to write a flag", () => {
    const flags = "--disable_admission_plugins=LimitRanger, ResourceQuota\n";
    expect(switched(flags, "ResourceQuota")).toBe(false);
    expect(switchPlugin(flags, "LimitRanger", true, true)).toBe(
      "--disable-admission-plugins=ResourceQuota\n",
    );
    expect(switched("--enable-admission-plugins\n", "x")).toBeUndefined();
  });
});

describe("the audit", () => {
  const event = (verb: string, code = 200, stage = "ResponseComplete") => ({
    event: { verb, stage, user: { username: "jane" }, responseStatus: { code }, requestURI: "/x" },
  });

  it("keeps the latest, and counts what was missed", () => {
    let log = take(emptyLog, [event("get"), { missed: 7 }]);
    log = take(
      log,
      Array.from({ length: MAX_EVENTS }, () => event("list")),
    );
    expect(log.events).toHaveLength(MAX_EVENTS);
    expect(log.events[0]).toMatchObject({ verb: "list", number: 1 });
    expect(log.missed).toBe(7);
  });

  it("takes what is no event as one that says nothing", () => {
    const { events } = take(emptyLog, [
      { event: null },
      { event: "x" },
      { event: { verb: { a: 1 }, user: 7, responseStatus: "x", annotations: [] } },
    ]);
    for (const one of events) expect(one).toMatchObject({ verb: "", user: "", code: 0 });
  });

  it("is filtered by words, stage and refusal", () => {
    const { events } = take(emptyLog, [
      event("get"),
      event("create", 403),
      event("create", 0, "RequestReceived"),
    ]);
    const found = (words: string, stage = "", refused = false) =>
      events.filter((one) => passes(one, { words, stage, refused })).length;
    expect(found("")).toBe(3);
    expect(found("CREATE jane")).toBe(2);
    expect(found("create 403")).toBe(1);
    expect(found("", "RequestReceived")).toBe(1);
    expect(found("", "", true)).toBe(1);
    expect(found("nobody")).toBe(0);
  });
});

describe("rights", () => {
  it("are read as kubectl writes them", () => {
    expect(parseResource("pods")).toEqual({
      group: "",
      resource: "pods",
      subresource: "",
      path: "",
    });
    expect(parseResource("deployments.apps/scale")).toEqual({
      group: "apps",
      resource: "deployments",
      subresource: "scale",
      path: "",
    });
    expect(parseResource("/healthz").path).toBe("/healthz");
  });

  it("ask of an account what it is", () => {
    expect(whoIs({ kind: "ServiceAccount", namespace: "a", name: "b" })).toEqual({
      user: "system:serviceaccount:a:b",
      groups: ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"],
    });
    expect(whoIs({ kind: "Group", name: "g" }).groups).toEqual(["g"]);
    expect(whoIs({ kind: "User", name: "u", group: "g" }).groups).toEqual(["g", EVERYBODY]);
  });

  it("are asked by a SubjectAccessReview, and its error is told", async () => {
    const right = { verb: "get", namespace: "a", name: "", ...parseResource("pods") };
    const who = { user: "jane", groups: ["g"] };
    const sent: unknown[] = [];
    const answering = (status: number, body: unknown) => (_path: string, init?: RequestInit) => {
      sent.push(JSON.parse(init?.body as string));
      return Promise.resolve(new Response(JSON.stringify(body), { status }));
    };
    expect(
      await review(answering(201, { status: { allowed: true, reason: "bound" } }), who, right),
    ).toEqual({ allowed: true, denied: false, reason: "bound", problem: "" });
    expect(sent[0]).toMatchObject({
      spec: { user: "jane", resourceAttributes: { verb: "get", resource: "pods", namespace: "a" } },
    });
    await expect(review(answering(403, { message: "no" }), who, right)).rejects.toThrow("no");
  });
});

describe("the tables", () => {
  it("offer files that have a name, with a key of their own", () => {
    for (const template of TEMPLATES) {
      for (const name of Object.keys(template.files)) expect(nameProblem(name)).toBe("");
    }
    const encryption = TEMPLATES.find(({ name }) => name === "encryption");
    const texts = encryption ? Object.values(filesOf(encryption)) : [];
    expect(texts.join()).toMatch(/secret: [A-Za-z0-9+/]{43}=/);
    expect(texts.join()).not.toMatch(/\bKEY\b/);
    expect(atob(randomKey())).toHaveLength(32);
    expect(SENTENCES.authorizers.RBAC).toContain("Role");
  });
});

import { expect, test, vi } from "vitest";
import { findResources, kubectlName, listable, resourcesOf } from "../kube/discovery.ts";
import { formatRoute, type Route } from "./route.ts";
import { search, type Searched } from "./search.ts";

const resources = resourcesOf({
  items: [
    {
      metadata: {},
      versions: [
        {
          version: "v1",
          resources: [
            {
              resource: "events",
              singularResource: "event",
              verbs: ["list"],
              shortNames: ["ev"],
              responseKind: { kind: "Event" },
              scope: "Namespaced",
            },
            {
              resource: "pods",
              singularResource: "pod",
              verbs: ["list", "watch"],
              shortNames: ["po"],
              responseKind: { kind: "Pod" },
              scope: "Namespaced",
              subresources: [{ subresource: "log" }],
            },
            {
              resource: "bindings",
              singularResource: "binding",
              verbs: ["create"],
              responseKind: { kind: "Binding" },
              scope: "Namespaced",
            },
          ],
        },
      ],
    },
    {
      metadata: { name: "autoscaling" },
      versions: [
        {
          version: "v2",
          resources: [
            {
              resource: "horizontalpodautoscalers",
              singularResource: "horizontalpodautoscaler",
              verbs: ["list"],
              shortNames: ["hpa"],
              scope: "Namespaced",
            },
          ],
        },
        {
          version: "v1",
          resources: [
            {
              resource: "horizontalpodautoscalers",
              singularResource: "horizontalpodautoscaler",
              verbs: ["list"],
              shortNames: ["hpa"],
              scope: "Namespaced",
            },
          ],
        },
      ],
    },
    {
      metadata: { name: "events.k8s.io" },
      versions: [
        {
          version: "v1",
          resources: [{ resource: "events", verbs: ["list"], scope: "Namespaced" }],
        },
      ],
    },
  ],
});

const pods = resources.find((r) => r.name === "pods");
if (!pods) throw new Error("no pods");
const went = vi.fn<(route: Route) => void>();
const among: Searched = {
  commands: [{ title: "Open the editor", words: "yaml", keys: "", run: () => undefined }],
  resources,
  namespaces: ["default", "kube-system"],
  objects: [
    {
      resource: pods,
      object: { metadata: { name: "web-1", namespace: "shop", uid: "1", resourceVersion: "1" } },
    },
  ],
  go: went,
};
const titles = (text: string) => search(text, among).map((h) => h.title);
const goes = (text: string) => {
  search(text, among)[0]?.run();
  return formatRoute(went.mock.lastCall?.[0] ?? { path: [], query: {} });
};

test("one version of each resource that can be listed", () => {
  expect(listable(resources).map((r) => `${r.name}.${r.group}/${r.version}`)).toEqual([
    "events./v1",
    "pods./v1",
    "horizontalpodautoscalers.autoscaling/v2",
    "events.events.k8s.io/v1",
  ]);
});

test("a kind is found by plural, short name, kind or group, the exact one first", () => {
  expect(findResources(listable(resources), "po").map((r) => r.name)).toEqual([
    "pods",
    "horizontalpodautoscalers",
  ]);
  expect(findResources(resources, "Pod")[0]?.name).toBe("pods");
  expect(findResources(resources, "events.events.k8s.io")[0]?.group).toBe("events.k8s.io");
  expect(findResources(resources, "hpa")[0]?.version).toBe("v2");
  expect(findResources(resources, "nothing")).toEqual([]);
});

test("kubectl is told the group where the name alone means another one", () => {
  expect(resources.map((r) => kubectlName(r, resources))).toEqual([
    "events",
    "pods",
    "bindings",
    "horizontalpodautoscalers",
    "horizontalpodautoscalers",
    "events.events.k8s.io",
  ]);
});

test("a colon asks for kinds, a second word for a namespace or a filter", () => {
  expect(titles(":po")).toEqual(["pods", "horizontalpodautoscalers"]);
  expect(goes(":po")).toBe("#/api/v1/pods");
  expect(goes(":po kube-system")).toBe("#/api/v1/namespaces/kube-system/pods");
  expect(goes(":po web")).toBe("#/api/v1/pods?filter=web");
});

test("without a colon: actions, kinds and objects", () => {
  expect(titles("yaml")).toEqual(["Open the editor"]);
  expect(titles("web")).toEqual(["pod/web-1"]);
  expect(goes("web")).toBe("#/api/v1/namespaces/shop/pods/web-1");
  // With nothing typed, what there is: actions, then kinds, the most used first.
  expect(titles("").slice(0, 2)).toEqual(["Open the editor", "pods"]);
});

test("what is called so comes before what has only to do with it", () => {
  const run = () => undefined;
  const commands = [
    { title: "Go to Then and now", words: "editions guide", run },
    { title: "Open the guide", run },
  ];
  const hits = search("guide", {
    commands,
    resources,
    namespaces: [],
    objects: [],
    go: () => undefined,
  });
  expect(hits.map(({ title }) => title)).toEqual(["Open the guide", "Go to Then and now"]);
});

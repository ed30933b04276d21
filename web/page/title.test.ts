import { expect, test } from "vitest";
import type { Selection } from "../kube/selection.ts";
import { Store } from "../state/store.ts";
import type { Route } from "./route.ts";
import { attachTitle, clusterWords } from "./title.ts";
import { PageViews } from "./views.ts";

test("the title says what is looked at, and how the cluster is", () => {
  const set = <T>(value: T) => new Store<T, T>((_old, next) => next, value);
  const route = set<Route>({ path: [], query: {} });
  const selection = set<Selection | undefined>(undefined);
  const views = new PageViews();
  views.add({ name: "nodes", label: "Nodes", open: () => Promise.reject(new Error("not shown")) });
  const cluster = set("starting");
  const root = { title: "Tabernetes: what it is" };
  const title = attachTitle({ route, selection, views }, cluster, root);
  expect(root.title).toBe("starting · Tabernetes");
  cluster.dispatch("");
  expect(root.title).toBe("Tabernetes");
  route.dispatch({ path: ["nodes"], query: {} });
  cluster.dispatch("2 failing");
  expect(root.title).toBe("Nodes · 2 failing · Tabernetes");
  selection.dispatch({ kind: "pod", name: "x".repeat(200), uid: "" });
  expect(root.title).toBe(`pod/${"x".repeat(55)}… · 2 failing · Tabernetes`);
  title.dispose();
  expect(root.title).toBe("Tabernetes: what it is");
});

test.each([
  [{ fault: true, ready: false, stale: false, failing: 0 }, "stopped"],
  [{ fault: false, ready: false, stale: false, failing: 0 }, "starting"],
  [{ fault: false, ready: true, stale: true, failing: 3 }, "not live"],
  [{ fault: false, ready: true, stale: false, failing: 3 }, "3 failing"],
  [{ fault: false, ready: true, stale: false, failing: 0 }, ""],
])("%j is %j", (state, words) => {
  expect(clusterWords(state)).toBe(words);
});

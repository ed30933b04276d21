import { expect, test } from "vitest";
import type { ViewGround } from "../embed/view-element.ts";
import type { OpenTerminal } from "../embed/shared.ts";
import { attachSelection } from "../page/navigate.ts";
import { parseRoute } from "../page/route.ts";
import { Place } from "./place.ts";

function setUp() {
  const element = new EventTarget();
  const told: unknown[] = [];
  element.addEventListener("tabernetes-select", (event) => {
    told.push((event as CustomEvent<unknown>).detail);
  });
  const shared: { terminal: OpenTerminal | undefined } = { terminal: undefined };
  const place = new Place({ element, shared } as unknown as ViewGround, parseRoute("#/objects/po"));
  return { place, told, shared };
}

test("what is opened is told once, and not again when more is known of it", () => {
  const { place, told } = setUp();
  place.add(attachSelection(place));
  place.route.dispatch(parseRoute("#/api/v1/namespaces/demo/pods/<b>?all=1"));
  const { state } = place.selection;
  if (state) place.selection.dispatch({ ...state, uid: "1" });
  place.selection.dispatch(undefined);
  expect(told).toEqual([{ kind: "pod", name: "<b>", namespace: "demo" }, null]);
  expect(place.route.state.path).toEqual(["api", "v1", "pods"]);
  place.dispose();
});

test("lines go to the terminal that is open, which has the focus then", () => {
  const { place, shared } = setUp();
  expect(place.terminal).toBeUndefined();
  const done: string[] = [];
  shared.terminal = {
    shell: "embed-1",
    busy: false,
    execute: () => Promise.resolve(0),
    run: (line) => done.push(`run ${line}`),
    type: (line) => done.push(`type ${line}`),
    focus: () => done.push("focus"),
  };
  place.terminal?.run("a");
  place.terminal?.type("b");
  // Escape leads to the terminal in the page, and nowhere here.
  place.terminal?.focus();
  expect(done).toEqual(["run a", "focus", "type b", "focus"]);
});

import { expect, test } from "vitest";
import type { Route } from "../page/route.ts";
import { Store } from "../state/store.ts";
import { FromJourney } from "./from-journey.ts";

const routeOf = () =>
  new Store<Route, Route>((_old, next) => next, { path: ["journey"], query: {} });
const to = (view: string): Route => ({ path: [view], query: {} });

test("who comes from the journey to the trace can go back, until they have left it", () => {
  const route = routeOf();
  const from = new FromJourney(route);
  expect(from.came.state).toBe(false);
  from.leave(() => route.dispatch(to("trace")));
  expect(from.came.state).toBe(true);
  route.dispatch({ ...to("trace"), query: { of: "pods" } });
  expect(from.came.state).toBe(true);
  route.dispatch(to("map"));
  expect(from.came.state).toBe(false);
  route.dispatch(to("trace"));
  expect(from.came.state).toBe(false);
});

test("who is led elsewhere has no way back, and nobody listens once it is disposed", () => {
  const route = routeOf();
  const from = new FromJourney(route);
  from.leave(() => route.dispatch(to("start")));
  expect(from.came.state).toBe(false);
  from.leave(() => route.dispatch(to("trace")));
  from.dispose();
  route.dispatch(to("map"));
  expect(from.came.state).toBe(true);
});

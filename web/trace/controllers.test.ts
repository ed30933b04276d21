import { expect, test } from "vitest";
import { controllerOf } from "./controllers.ts";

test.each([
  ["noexec_taint_pod", "taint-eviction"],
  ["replicaSet", "replicaset"],
  ["deployment", "deployment"],
  ["a_queue_of_tomorrow", "a-queue-of-tomorrow"],
  ["constructor", "constructor"],
  ["", ""],
])("the queue %j is of the controller %j", (queue, controller) => {
  expect(controllerOf(queue)).toBe(controller);
});

import { expect, test } from "vitest";
import { latestEvents } from "./events.ts";
import { commandsFor } from "./selection.ts";
import type { Event, Row } from "./types.ts";

function event(reason: string, seconds: number, pod = "web"): Row<Event> {
  return {
    cells: {},
    object: {
      metadata: { name: reason, uid: reason, resourceVersion: "1" },
      reason,
      lastTimestamp: new Date(seconds * 1000).toISOString(),
      involvedObject: { kind: "Pod", name: pod, namespace: "default" },
    },
  };
}

test("newest first, and within one second the last that came", () => {
  const rows = [event("Scheduled", 10), event("Pulled", 11), event("Created", 11)];
  expect(latestEvents(rows, 2).map((r) => r.object.reason)).toEqual(["Created", "Pulled"]);
});

test("only those of one object", () => {
  const rows = [event("Scheduled", 10), event("Other", 11, "db")];
  const about = { kind: "Pod", name: "web", namespace: "default" };
  expect(latestEvents(rows, 9, about).map((r) => r.object.reason)).toEqual(["Scheduled"]);
});

test("commands name the namespace only when it is not the default one", () => {
  const lines = (namespace: string) =>
    commandsFor({ kind: "pod", name: "web", namespace, uid: "1" }).map((c) => c.line);
  expect(lines("default")[0]).toBe("kubectl describe pod web");
  expect(lines("kube-system")[1]).toBe("kubectl logs web -n kube-system");
});

import { describe, expect, test } from "vitest";
import type { TraceStep } from "../rpc/protocol.ts";
import { step } from "../trace/steps.testing.ts";
import { otherWrites } from "./other-writes.ts";

const command = step(1, "kubectl.command");
const put = step(5, "etcd.put", { cause: 3, details: { revision: 316 } });
const watched = step(6, "etcd.watched", { cause: 5 });

describe("revisions between two told writes", () => {
  const wrote = (id: number, revision: number, resource?: string, kind = "etcd.put") =>
    step(id, kind, {
      ...(resource === undefined ? {} : { object: { resource } }),
      details: { revision, key: `/registry/${resource ?? "leases"}/kube-node-lease/node-1` },
    });
  const later = wrote(20, 322, "pods");

  test("are whose the trace says, by resource, and others' where it does not say", () => {
    const between = (...known: readonly TraceStep[]) =>
      otherWrites(later, [put, watched, later], [put, later, ...known]);
    expect(between()).toBe("Revisions 317 to 321 were others' writes.");
    expect(
      between(
        wrote(10, 317, "events"),
        wrote(11, 318, "deployments"),
        wrote(12, 319),
        wrote(13, 320, "events", "etcd.delete"),
        // Told twice, by the command and by the whole trace.
        wrote(13, 320, "events", "etcd.delete"),
        // What was written before or after, or not at all.
        wrote(14, 310, "secrets"),
        wrote(15, 323, "secrets"),
        step(16, "etcd.put", { object: { resource: "secrets" }, details: { succeeded: false } }),
        step(17, "etcd.watched", { object: { resource: "secrets" }, details: { revision: 318 } }),
      ),
    ).toBe("Revisions 317 to 321: 2 writes to events, 1 to deployments, 1 to leases, 1 by others.");
  });

  test("are none where they follow each other, before the first, and at a step that writes nothing", () => {
    const next = wrote(20, 317, "pods");
    expect(otherWrites(next, [put, next], [])).toBe("");
    expect(otherWrites(later, [command, later], [])).toBe("");
    expect(otherWrites(watched, [put, watched], [])).toBe("");
    // Two that began in another order than they were written.
    expect(otherWrites(put, [later, put], [])).toBe("");
  });

  test("one alone has its own words", () => {
    const one = wrote(20, 318, "pods");
    expect(otherWrites(one, [put, one], [])).toBe("Revision 317 was another's write.");
    expect(otherWrites(one, [put, one], [wrote(9, 317, "leases")])).toBe(
      "Revision 317: 1 write to leases.",
    );
  });

  test("of many resources the most written are named", () => {
    const far = wrote(30, 326, "pods");
    const all = ["a", "b", "b", "c", "d", "e"].map((name, i) => wrote(40 + i, 317 + i, name));
    expect(otherWrites(far, [put, far], all)).toBe(
      "Revisions 317 to 325: 2 writes to b, 1 to a, 1 to c, 2 more, 3 by others.",
    );
  });
});

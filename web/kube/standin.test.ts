import { expect, test } from "vitest";
import { podState } from "./podstate.ts";
import { standIns, standInWords } from "./standin.ts";
import type { Pod, Row } from "./types.ts";

const ID = "docker.io/acme/shop@sha256:0123";

function row(imageID: string, status: string): Row<Pod> {
  const containerStatuses = [{ name: "main", image: "docker.io/acme/shop:2", imageID }];
  const conditions = [{ type: "Ready", status: "True" }];
  const object = {
    metadata: { name: "p", uid: "p" },
    spec: {},
    status: { containerStatuses, conditions },
  };
  return { object, cells: { Status: status } } as unknown as Row<Pod>;
}

test.each([
  [`stand-in://${ID}`, "Running", "standin"],
  [ID, "Running", "running"],
  // Whatever is wrong besides has the shape of that.
  [`stand-in://${ID}`, "CrashLoopBackOff", "failing"],
  [`stand-in://${ID}`, "Completed", "succeeded"],
] as const)("imageID %s, STATUS %s is drawn as %s", (imageID, status, state) => {
  expect(podState(row(imageID, status))).toBe(state);
});

test("says which images are missing, each once, and nothing of a pod that has all", () => {
  expect(standInWords(row(ID, "Running").object)).toBe("");
  expect(standInWords({})).toBe("");
  const of = (name: string, image?: string) => ({ name, image, imageID: `stand-in://x` });
  const pod = {
    status: {
      initContainerStatuses: [of("i", "a:1")],
      containerStatuses: [of("c", "b:1"), of("d", "a:1"), { name: "e", image: "c", imageID: ID }],
      ephemeralContainerStatuses: [of("debug")],
    },
  };
  expect(standIns(pod)).toEqual(["a:1", "b:1", "debug"]);
  expect(standInWords(pod)).toMatch(/^The tab does not have the images a:1, b:1, debug\. In their/);
});

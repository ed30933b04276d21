import { expect, test } from "vitest";
import { step } from "../trace/steps.testing.ts";
import { lookedFor } from "./head.ts";

const command = step(1, "kubectl.command");
const said = (...kinds: readonly string[]) =>
  lookedFor(
    { tree: () => kinds.map((kind, i) => ({ step: step(i + 2, kind), depth: 1 })) },
    command,
  );

test("of a command that wrote nothing it is said whether it looked, or reached into a pod", () => {
  expect(said("apiserver.request", "kubectl.exit")).toBe("only looked.");
  for (const kind of ["cri.Exec", "cri.Attach", "cri.PortForward", "kubelet.logs"])
    expect(said("apiserver.request", kind)).toBe("reached into a pod, and wrote nothing.");
});

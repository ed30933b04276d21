import { describe, expect, test } from "vitest";
import { compileFault, exitFault, truncatedFault } from "./fault.ts";
import { parseManifest } from "./manifest.ts";
import { StderrTail } from "./stderr.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("StderrTail", () => {
  test("lines are put together from writes cut anywhere", () => {
    const tail = new StderrTail();
    const all = bytes("pänic: one\ntwo");
    expect(tail.write(all.slice(0, 2))).toEqual([]);
    expect(tail.write(all.slice(2))).toEqual(["pänic: one"]);
    expect(tail.text()).toBe("pänic: one\ntwo");
  });

  test("only the last lines are kept", () => {
    const tail = new StderrTail(2);
    tail.write(bytes("a\nb\nc\nd"));
    expect(tail.text()).toBe("b\nc\nd");
  });
});

describe("exitFault", () => {
  test("a panic names its reason and the component on its stack", () => {
    const stack = [
      "I1120 09:00:00.000000 1 log.go:1] fine",
      "panic: runtime error: index out of range [1] with length 0",
      "",
      "goroutine 7 [running]:",
      "k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoop(0x1)",
    ].join("\n");
    const fault = exitFault(2, stack);
    expect(fault.component).toBe("kubelet");
    expect(fault.message).toBe(
      "The cluster stopped: panic: runtime error: index out of range [1] with length 0",
    );
    expect(fault.stack).toBe(stack);
    expect(fault.hint).toMatch(/Reload the page/);
  });

  test("klog's fatal line is the reason when there is no panic", () => {
    const fault = exitFault(255, "F1120 09:00:00.000000       1 server.go:12] no more ports\n");
    expect(fault.message).toBe("The cluster stopped: server.go:12] no more ports");
  });

  test.each([
    "fatal error: runtime: out of memory",
    "runtime: out of memory: cannot allocate 4194304-byte block (12 in use)",
  ])("%s is a lack of memory", (line) => {
    expect(exitFault(2, line).component).toBe("memory");
  });

  test("an exit without a word says its code", () => {
    expect(exitFault(3, "").message).toBe("The cluster stopped: exit code 3");
  });
});

test("an instance that does not fit into memory is no compile error", () => {
  expect(compileFault(new RangeError("could not allocate memory")).component).toBe("memory");
  expect(compileFault(new Error("bad magic")).component).toBe("compile");
});

test("a download that broke off says how far it came", () => {
  expect(truncatedFault(1_500_000, 14_000_000).message).toBe(
    "The download broke off: 1.5 MB of 14.0 MB arrived.",
  );
});

describe("parseManifest", () => {
  test("what the build writes", () => {
    const manifest = { wasm: { url: "t.wasm", size: 5, br: 2 }, exec: { url: "e.js" } };
    expect(parseManifest(JSON.stringify(manifest))).toEqual(manifest);
  });
  test.each([
    ["<!doctype html>", "it is not JSON"],
    ["null", "it names no WebAssembly module"],
    ['{"wasm":{"url":"a","size":1}}', "it names no wasm_exec.js"],
  ])("%s: %s", (text, message) => {
    expect(() => parseManifest(text)).toThrow(message);
  });
});

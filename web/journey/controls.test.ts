import { expect, test } from "vitest";
import { counted, toldSoFar, where } from "./controls.ts";

test("how many steps there are, and how many of them are told slowly", () => {
  expect(counted(658, 47)).toBe("658 steps so far, 47 of them told slowly");
  // Very many are told slowly when that is asked for, and every step counts as it is.
  expect(counted(5000, 5000)).toBe("5000 steps so far");
  expect(counted(1, 1)).toBe("1 step so far");
  // As it happens the guide says how many there are: two that are drawn at two times would not agree.
  expect(toldSoFar(47)).toBe("47 steps to tell slowly so far");
});

test("where it is says the chapter that is read, and whose a step is that is told meanwhile", () => {
  const plays = { waits: "", playing: true } as const;
  expect(where(plays, "kubelet", "kubelet", false)).toBe("Now: kubelet.");
  expect(where(plays, "kubelet", "Scheduler", false)).toBe("Now: kubelet. Meanwhile: Scheduler.");
  expect(where(plays, "kubelet", "", false)).toBe("Now: kubelet.");
  expect(where(plays, "", "Scheduler", false)).toBe("");
  const waits = { waits: "chapter", playing: false } as const;
  expect(where(waits, "etcd", "Admission", false)).toBe("Now: etcd. Read, then go on.");
});

import { expect, test } from "vitest";
import type { Tabernetes } from "../cluster/api.ts";
import { applyLine } from "./apply.ts";
import { MOST_TEXT } from "./pack.ts";
import { read } from "./read.ts";

function shell(answer: Partial<Awaited<ReturnType<Tabernetes["shell"]>>> = {}) {
  const asked: [string, unknown][] = [];
  const api: Pick<Tabernetes, "shell"> = {
    shell: (line, options) => {
      asked.push([line, options?.stdin]);
      options?.output?.(answer.stdout ?? "", "stdout");
      if (options?.signal?.aborted) return Promise.reject(new Error("aborted"));
      return Promise.resolve({ code: 0, stdout: "", stderr: "", ...answer });
    },
  };
  return { api, asked };
}

const NOW = new Date("2026-11-23T19:00:01.5Z");

test("a manifest goes into a file, and nothing of it into a line", async () => {
  const { api, asked } = shell();
  const rest = "kind: $(reboot)\n'; reboot\n";
  expect(await applyLine({ objects: [], definitions: "", rest }, api, NOW)).toBe(
    "kubectl apply -f ~/shared-20261123190001.yaml",
  );
  expect(asked[0]).toEqual(["cat > ~/shared-20261123190001.yaml", rest]);
  expect(JSON.stringify(asked.slice(1))).not.toContain("reboot");
  const line = await applyLine({ objects: [], definitions: "a", rest }, api, NOW);
  expect(line).toMatch(/^kubectl apply -f ~\/\S+-kinds.yaml && kubectl wait .* && kubectl apply/);
  await expect(
    applyLine({ objects: [], definitions: "", rest }, shell({ code: 1, stderr: "full" }).api),
  ).rejects.toThrow("full");
});

test("what kubectl reads otherwise than it was shown is not applied", async () => {
  const a = { apiVersion: "v1", kind: "ConfigMap", namespace: "", name: "a b" };
  const applied = (answer: Parameters<typeof shell>[0], ...objects: (typeof a)[]) =>
    applyLine({ objects, definitions: "", rest: "x" }, shell(answer).api, NOW);
  await expect(applied({ stdout: "v1 ConfigMap  a+b\n" }, a)).resolves.toContain("kubectl apply");
  await expect(applied({ stdout: "v1 Secret  a+b\n" }, a)).rejects.toThrow(
    "kubectl reads Secret a b (v1) where ConfigMap a b (v1) is shown",
  );
  await expect(applied({ stdout: "v1 ConfigMap  a+b\nv1 Secret  s\n" }, a)).rejects.toThrow(
    "kubectl reads Secret s (v1) where nothing is shown",
  );
  await expect(applied({ stdout: "" }, a)).rejects.toThrow("reads nothing where ConfigMap");
  await expect(applied({ stdout: "v1 ConfigMap+a  b\n" }, a)).rejects.toThrow("is shown");
});

test("a file in the Internet is read by the terminal, as one word, and no further than is taken", async () => {
  const short = { read: () => Promise.reject(new Error("nobody asked for it")) };
  const from = (text: string) => ({ from: "web", address: new URL(text) }) as const;
  const { api, asked } = shell({ stdout: "kind: Pod" });
  expect(await read(from("https://e.com/a;reboot'$(x)"), api, short)).toBe("kind: Pod");
  expect(asked[0]?.[0]).toBe(`curl -fsSL -m 30 'https://e.com/a;reboot'\\''$(x)'`);
  const long = shell({ stdout: "a".repeat(MOST_TEXT + 1) });
  await expect(read(from("https://e.com/a"), long.api, short)).rejects.toThrow("the most");
  const refused = shell({ code: 22, stderr: "curl: (22) 404\n" });
  await expect(read(from("https://e.com/a"), refused.api, short)).rejects.toThrow("curl: (22) 404");
});

import { expect, test } from "vitest";
import { Breaker } from "./breaker.ts";
import { RIDDLES, SCENARIOS } from "./table.ts";

/** A cluster of so many nodes, which remembers what is done with it; `codes` are those of its lines. */
function cluster(nodes: number, codes: number[] = []) {
  const typed: string[] = [];
  const asked: string[] = [];
  const done: string[] = [];
  const breaker = new Breaker({
    api: {
      shell: (line) => {
        asked.push(line);
        return Promise.resolve({ code: codes.shift() ?? 0, stdout: "", stderr: "no" });
      },
    },
    type: (lines) => void typed.push(lines),
    nodes: ({ action, name, disk }) => {
      if (action !== "list") done.push(`${action} ${name ?? disk ?? ""}`);
      if (action === "add") nodes++;
      const names = Array.from({ length: nodes }, (_, i) => `node-${i + 1}`);
      return Promise.resolve({
        name: `node-${nodes}`,
        nodes: names.map((name) => ({ name, state: "running" as const })),
      });
    },
  });
  return { breaker, typed, asked, done };
}

function scenario(wanted: string) {
  const found = SCENARIOS.find(({ name }) => name === wanted);
  if (!found) throw new Error(`there is no ${wanted}`);
  return found;
}

test("a node is unplugged once its pods are up, plugged in to mend, and free after cleaning up", async () => {
  const { breaker, typed, asked, done } = cluster(3, [1, 0]);
  const dies = scenario("node-dies");
  await breaker.break(dies);
  expect(breaker.nodeOf(dies)).toBe("node-3");
  expect(typed[0]).toMatch(/^kubectl create namespace broken-node-dies\nkubectl apply /);
  // Asked until it is so: only then.
  expect(asked).toHaveLength(2);
  expect(done).toEqual(["stop node-3"]);
  await breaker.break(scenario("taint"));
  expect(breaker.nodeOf(scenario("taint"))).toBe("node-2");
  await breaker.mend(dies);
  expect(done).toEqual(["stop node-3", "heal node-3"]);
  await breaker.clean(dies);
  expect(typed.at(-1)).toBe("kubectl delete namespace broken-node-dies --wait=false");
  expect(breaker.nodeOf(dies)).toBeUndefined();
});

test("a node short of disk is added for it, harmed by nothing else, and goes when it is cleaned up", async () => {
  const { breaker, typed, done } = cluster(3);
  const short = scenario("node-short-of-disk");
  await breaker.break(short);
  expect(breaker.nodeOf(short)).toBe("node-4");
  expect(done).toEqual(["add 64"]);
  expect(typed[0]).toContain('kubernetes.io/hostname: "node-4"');
  await breaker.break(scenario("taint"));
  expect(breaker.nodeOf(scenario("taint"))).toBe("node-3");
  await breaker.mend(short);
  await breaker.clean(short);
  expect(done).toEqual(["add 64", "remove node-4"]);
  await breaker.clean(short);
  expect(done).toHaveLength(2);
});

test("the only node of a cluster is not harmed", async () => {
  const { breaker, typed, done } = cluster(1);
  await expect(breaker.break(scenario("drain"))).rejects.toThrow(
    "needs a node to harm beside another",
  );
  expect([...typed, ...done]).toEqual([]);
});

test("a riddle is made in silence, and says so when it could not be", async () => {
  const [riddle] = RIDDLES;
  if (!riddle) throw new Error("there is no riddle");
  const { breaker, typed, asked } = cluster(3);
  await breaker.pose(riddle);
  expect(typed).toEqual([]);
  expect(asked).toHaveLength(riddle.break.length + 1);
  // Nothing was printed, and the shop has to answer.
  expect(await breaker.isSolved(riddle)).toBe(false);
  await expect(cluster(3, [1]).breaker.pose(riddle)).rejects.toThrow(
    "The riddle could not be made: no",
  );
});

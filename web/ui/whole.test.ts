import { expect, test } from "vitest";
import { whole } from "./whole.ts";

/** Words in brackets have an element of their own, short ones in round brackets. */
const drawn = (code: string, most?: number) =>
  whole(code, most)
    .map((piece) => {
      if (typeof piece === "string") return piece;
      const [style, word] = (piece as { values: [string, string] }).values;
      return style === "word" ? `[${word}]` : `(${word})`;
    })
    .join("");

test("words that a browser would break inside are whole, and nothing is lost between them", () => {
  expect(drawn("kubectl scale deployment/nginx --replicas=6")).toBe(
    "kubectl scale (deployment/nginx) (--replicas=6)",
  );
  expect(drawn("kube-scheduler\n  pods")).toBe("(kube-scheduler)\n  pods");
  expect(drawn("cat /apis/apps/v1/namespaces/default/deployments")).toBe(
    "cat [/apis/apps/v1/namespaces/default/deployments]",
  );
  expect(drawn("/apis/apps/v1/namespaces/default/deployments", 40)).toBe(
    "/apis/apps/v1/namespaces/default/deployments",
  );
  expect(drawn("metadata.resourceVersion")).toBe("metadata.resourceVersion");
});

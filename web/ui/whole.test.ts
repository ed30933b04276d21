import { expect, test } from "vitest";
import { whole } from "./whole.ts";

/** What is drawn, with each element by its class: a word that may be broken in a table has its pieces. */
const drawn = (code: string, most?: number) => whole(code, most).map(textOf).join("");

function textOf(piece: unknown): string {
  if (typeof piece === "string") return piece;
  if (Array.isArray(piece)) return piece.map(textOf).join("");
  const { strings, values } = piece as { strings?: readonly string[]; values: unknown[] };
  if (!strings) return "";
  const said = strings.map((text, i) => text + textOf(values[i] ?? "")).join("");
  return said
    .replace(/<wbr \/>/g, "|")
    .replace(/<span class="piece">(.*?)<\/span>/g, "$1")
    .replace(/^<span class="word">(.*)<\/span>$/, "[$1]")
    .replace(/^<span class="word short">(.*)<\/span>$/, "($1)");
}

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
  expect(drawn("--requestheader-client-ca-file", 40)).toBe("[--requestheader-|client-|ca-|file]");
  expect(drawn("metadata.resourceVersion")).toBe("metadata.resourceVersion");
});

import { expect, test } from "vitest";
import { Fold } from "./fold.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const fold = (columns: number, ...pieces: string[]) => {
  const folded = new Fold();
  return pieces.map((piece) => folded.write(bytes(piece), columns)).join("");
};

test.each<[string, string[], string]>([
  ["a sentence", ['pods is forbidden: User "nobody"\n'], 'pods is\nforbidden: User\n"nobody"\n'],
  ["what fits", ["error: no\nand no\n"], "error: no\nand no\n"],
  ["pieces of a line", ["aaaaaaa ", "bbbbbbb ", "ccc\n"], "aaaaaaa bbbbbbb \nccc\n"],
  [
    "a long name",
    ["see https://example.com/a/long/way now\n"],
    "see\nhttps://example.com/a/long/way\nnow\n",
  ],
  ["room before words", ["    indented words here\n"], "    indented\nwords here\n"],
  [
    "what moves the cursor",
    ["\x1b[31mred red red red red red\n"],
    "\x1b[31mred red red red red red\n",
  ],
  [
    "progress in one line",
    ["10 %\r20 % of many words that go on\r"],
    "10 %\r20 % of many words that go on\r",
  ],
  ["wide characters", ["日本語日本語 日本語\n"], "日本語日本語\n日本語\n"],
  ["nothing", [""], ""],
])("%s", (_what, pieces, want) => {
  expect(fold(16, ...pieces)).toBe(want);
});

test("a character that comes in two pieces", () => {
  const folded = new Fold();
  const [e] = [bytes("é")];
  expect(folded.write(e.subarray(0, 1), 9) + folded.write(e.subarray(1), 9)).toBe("é");
});

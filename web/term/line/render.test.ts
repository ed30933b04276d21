import { describe, expect, test } from "vitest";
import { listWords, offer } from "./complete.ts";
import { draw, leave, NOTHING_DRAWN } from "./render.ts";
import { width } from "./width.ts";

const at = (text: string, cursor = text.length, prompt = "$ ") => ({
  prompt,
  buffer: { text, cursor },
});

describe("draw", () => {
  test("the cursor goes back to where it is in the text", () => {
    const { output, drawn } = draw(NOTHING_DRAWN, at("abc", 1), 20);
    expect(output).toBe("\r\x1b[J$ abc\r\x1b[3C");
    expect(drawn).toMatchObject({ cursorRow: 0, lastRow: 0 });
  });

  test("a long line breaks at the edge, and the cursor may stand on its first row", () => {
    const { output, drawn } = draw(NOTHING_DRAWN, at("abcdefgh", 2), 6);
    expect(output).toBe("\r\x1b[J$ abcd\r\nefgh\r\x1b[1A\x1b[4C");
    expect(drawn).toMatchObject({ cursorRow: 0, lastRow: 1 });
    expect(leave(drawn)).toBe("\x1b[1B\r\n");
  });

  test("a line that fills its row puts the cursor on the next", () => {
    const { output, drawn } = draw(NOTHING_DRAWN, at("abcd"), 6);
    expect(output).toBe("\r\x1b[J$ abcd\r\n\r");
    expect(drawn).toMatchObject({ cursorRow: 1, lastRow: 1 });
  });

  test("the next drawing begins where the last one did", () => {
    expect(draw({ cursorRow: 2, lastRow: 3 }, at(""), 20).output).toBe(
      "\r\x1b[2A\x1b[J$ \r\x1b[2C",
    );
  });

  test("behind a program's question the line breaks where the row ends, and the question stays", () => {
    const { output, drawn } = draw(NOTHING_DRAWN, at("abcd", 4, ""), 6, 4);
    expect(output).toBe("\r\x1b[4C\x1b[Jab\r\ncd\r\x1b[2C");
    expect(draw(drawn, at("a", 1, ""), 6, 4).output).toBe("\r\x1b[1A\x1b[5C\x1b[J\r\x1b[5C");
    expect(draw(drawn, at("b", 1, ""), 6, 4).output).toBe("\r\x1b[1A\x1b[4C\x1b[Jb\r\x1b[5C");
  });

  test("control characters are shown, not obeyed", () => {
    expect(draw(NOTHING_DRAWN, at("a\x1b[2J\x07\x7f"), 20).output).toBe(
      "\r\x1b[J$ a^[[2J^G^?\r\x1b[12C",
    );
  });

  test("further lines of a command are marked", () => {
    expect(draw(NOTHING_DRAWN, at("a\nb"), 20).output).toBe("\r\x1b[J$ a\r\n> b\r\x1b[3C");
  });

  test("what is there already is not written again: a screen reader would say it at each key", () => {
    const next = (before: string, now: string, cursor?: number, cols = 20) =>
      draw(draw(NOTHING_DRAWN, at(before), cols).drawn, at(now, cursor), cols).output;
    expect(next("get p", "get po")).toBe("\r\x1b[7C\x1b[Jo\r\x1b[8C");
    expect(next("get po", "get p")).toBe("\r\x1b[7C\x1b[J\r\x1b[7C");
    expect(next("get po", "get pods ")).toBe("\r\x1b[8C\x1b[Jds \r\x1b[11C");
    // Only the cursor moves.
    expect(next("get po", "get po", 4)).toBe("\r\x1b[6C");
    // From the history comes another line.
    expect(next("k", "k get no")).toBe("\r\x1b[3C\x1b[J get no\r\x1b[10C");
    // Beyond a full row the cursor cannot go, nor behind a row's end that is no longer there.
    expect(next("abcd", "abcde", 5, 6)).toBe("\r\x1b[Je\r\x1b[1C");
    expect(next("abcd", "abc", 3, 6)).toBe("\r\x1b[1A\x1b[5C\x1b[J\r\x1b[5C");
    expect(next("abcde", "abcd", 4, 6)).toBe("\r\x1b[J\r");
    // An accent stands in the cell of its letter.
    expect(next("e", "e\u0301")).toBe("\r\x1b[2C\x1b[Je\u0301\r\x1b[3C");
    expect(next("e\u0301", "e")).toBe("\r\x1b[2C\x1b[Je\r\x1b[3C");
  });

  test("in another width all of it is drawn anew: the terminal has folded it since", () => {
    const { drawn } = draw(NOTHING_DRAWN, at("ab"), 20);
    expect(draw(drawn, at("abc"), 10).output).toBe("\r\x1b[J$ abc\r\x1b[5C");
  });

  test("a wide character is not cut in two at the edge", () => {
    const { output, drawn } = draw(NOTHING_DRAWN, at("abc界"), 6);
    expect(output).toBe("\r\x1b[J$ abc\r\n界\r\x1b[2C");
    expect(drawn.cursorRow).toBe(1);
  });
});

test.each([
  ["abc", 3],
  ["界", 2],
  ["e\u0301", 1],
  ["\u200b", 0],
])("%j is %i cells wide", (text, cells) => {
  expect(width(text)).toBe(cells);
});

describe("offer", () => {
  const words = (...texts: string[]) => ({ from: 4, words: texts.map((text) => ({ text })) });

  test("the only word is put in, with a space unless it goes on", () => {
    expect(offer(words("pods"), "po")).toEqual({ type: "replace", from: 4, text: "pods " });
    expect(offer(words("--output="), "--o")).toEqual({
      type: "replace",
      from: 4,
      text: "--output=",
    });
  });

  test("several words give what they share, then their list", () => {
    const both = words("poddisruptionbudgets", "pods");
    expect(offer(both, "p")).toEqual({ type: "replace", from: 4, text: "pod" });
    expect(offer(both, "pod")).toMatchObject({ type: "list" });
    expect(offer(words(), "x")).toEqual({ type: "nothing" });
  });

  test("lists stand in columns, or with their help when all have one", () => {
    const six = ["a", "b", "c", "d", "e", "f"].map((text) => ({ text }));
    expect(listWords(six, 8)).toEqual(["a  c  e", "b  d  f"]);
    const helped = [
      { text: "get", help: "Display one or many resources" },
      { text: "describe", help: "Show details" },
    ];
    expect(listWords(helped, 24)).toEqual(["get       Display one o…", "describe  Show details"]);
  });

  test("what is listed is shown, not obeyed, and ends", () => {
    const hostile = "a\x1b[2J\x9b\u202eb\u2028c\td";
    expect(listWords([{ text: hostile }, { text: "b" }], 80)).toEqual(["a^[[2J^[bc^Id  b"]);
    const [line] = listWords([{ text: "a", help: `${hostile}\nsecond` }], 80);
    expect(line).toBe("a  a^[[2J^[bc^Id");
    const long = listWords([{ text: "n".repeat(65_536) }, { text: "b" }], 40);
    expect(long.map(width)).toEqual([253, 1]);
    expect(long[0]?.endsWith("n…")).toBe(true);
    expect(listWords([{ text: "界".repeat(500), help: "h" }], 40).map(width)).toEqual([39]);
  });
});

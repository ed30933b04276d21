import { describe, expect, test } from "vitest";
import { LineEditor, splitPaste, type Effect } from "./editor.ts";
import { History } from "./history.ts";
import { parseKeys } from "./keys.ts";

/** Types what a terminal would send; returns what came of it. */
function typed(data: string, history = new History(undefined)) {
  const editor = new LineEditor(history);
  const effects: Effect[] = [];
  const type = (more: string) => {
    for (const key of parseKeys(more).flatMap(splitPaste)) {
      const effect = editor.press(key);
      if (effect) effects.push(effect);
    }
  };
  type(data);
  return { editor, effects, type };
}

/** The text with the cursor as "|". */
function shown(data: string, history?: History): string {
  const { text, cursor } = typed(data, history).editor.buffer;
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const LEFT = "\x1b[D";
const UP = "\x1b[A";
const DOWN = "\x1b[B";

test.each([
  ["abc", "abc|"],
  ["abc" + LEFT + "x", "abx|c"],
  ["abc\x01x", "x|abc"],
  ["abc\x01\x05x", "abcx|"],
  ["abc\x7f", "ab|"],
  ["abc" + LEFT + LEFT + "\x1b[3~", "a|c"],
  ["one two\x17", "one |"],
  ["one two\x15", "|"],
  ["one two" + LEFT + LEFT + LEFT + "\x0b", "one |"],
  ["one two\x17\x19\x19", "one twotwo|"],
  ["get pods/web-1\x1bb\x1bb", "get pods/|web-1"],
  ["a b\x01\x1bf", "a| b"],
  ["one two\x01\x1bd", "| two"],
  ["ab\x14", "ba|"],
  ["e\u0301x\x7f\x7f", "|"],
  ["👩‍👩‍👧" + LEFT + "x", "x|👩‍👩‍👧"],
  ["ab\x04", "ab|"],
  ["ab\x01\x04", "|b"],
  ["a\x1b[99~b\x1b[1;2Pc", "abc|"],
  // What the terminal answers to a program that has ended is not typed by anybody.
  ["a\x1b]11;rgb:ffff/ffff/ffff\x07b", "ab|"],
  ["a\x1bP1$r0m\x1b\\b\x1b[?1;2cc\x1b]11;rgb:ff", "abc|"],
])("%j gives %s", (data, expected) => {
  expect(shown(data)).toBe(expected);
});

test("Enter submits, Ctrl-C drops, Ctrl-D on nothing ends", () => {
  expect(typed("kubectl get pods\r").effects).toEqual([
    { type: "submit", line: "kubectl get pods" },
  ]);
  expect(typed("half\x03").effects).toEqual([{ type: "interrupt", line: "half" }]);
  expect(typed("\x04").effects).toEqual([{ type: "eof" }]);
});

test("Enter submits the whole line, wherever the cursor is", () => {
  expect(typed("abc" + LEFT + "\r").effects).toEqual([{ type: "submit", line: "abc" }]);
});

test("an open heredoc goes on to the next line", () => {
  const { effects, type, editor } = typed("kubectl apply -f - <<EOF\ra: b\r");
  expect(effects).toEqual([]);
  expect(editor.buffer.text).toBe("kubectl apply -f - <<EOF\na: b\n");
  type("EOF\r");
  expect(effects).toEqual([{ type: "submit", line: "kubectl apply -f - <<EOF\na: b\nEOF" }]);
});

test("within several lines the arrows move between them first", () => {
  expect(shown("echo 'one\rtwo" + UP + "x")).toBe("echx|o 'one\ntwo");
});

describe("a paste", () => {
  const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

  test("runs its complete lines and leaves the last one", () => {
    const { effects, editor } = typed(paste("echo a\recho b\recho c"));
    expect(effects).toEqual([
      { type: "submit", line: "echo a" },
      { type: "submit", line: "echo b" },
    ]);
    expect(editor.buffer.text).toBe("echo c");
  });

  test("keeps a heredoc together, tabs and all", () => {
    const { effects } = typed(paste("cat <<EOF\r\n\tkey: v\r\nEOF\r\n"));
    expect(effects).toEqual([{ type: "submit", line: "cat <<EOF\n\tkey: v\nEOF" }]);
  });
});

describe("history", () => {
  const filled = () => {
    const history = new History(undefined);
    for (const line of ["get pods", "get nodes", "describe pod x"]) history.add(line);
    return history;
  };

  test("up and down walk through it, and the new line is kept", () => {
    expect(shown("dra" + UP, filled())).toBe("describe pod x|");
    expect(shown("dra" + UP + UP, filled())).toBe("get nodes|");
    expect(shown("dra" + UP + UP + DOWN + DOWN, filled())).toBe("dra|");
    expect(typed(UP + UP + UP + UP, filled()).effects).toEqual([{ type: "bell" }]);
  });

  test("Ctrl-R finds the newest, then older ones", () => {
    expect(shown("\x12get", filled())).toBe("|get nodes");
    expect(shown("\x12get\x12", filled())).toBe("|get pods");
    expect(typed("\x12get", filled()).editor.view.prompt).toBe("(reverse-i-search)`get': ");
    expect(typed("\x12get\r", filled()).effects).toEqual([{ type: "submit", line: "get nodes" }]);
    expect(shown("\x12get\x07", filled())).toBe("|");
  });

  test("it survives in storage, without repeats and blanks", () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    };
    const history = new History(storage, "h", 3);
    for (const line of ["a", "b", "b", "", " secret", "c", "d"]) history.add(line);
    expect(JSON.parse(kept.get("h") ?? "")).toEqual(["b", "c", "d"]);
    expect(new History(storage, "h").at(2)).toBe("d");
    kept.set("h", "{broken");
    expect(new History(storage, "h")).toHaveLength(0);
  });
});

test("in a command's input Tab is a tab, and lines end with Enter whatever they hold", () => {
  const editor = new LineEditor(new History(undefined));
  editor.reset("input");
  const effects = parseKeys("it's\t\r").map((key) => editor.press(key));
  expect(effects.at(-1)).toEqual({ type: "submit", line: "it's\t" });
});

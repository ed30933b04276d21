/* The terminal over the fake worker (web/dev): keys, pastes, floods, tabs, the editor, its cursor. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { ready, screenshot, terminalText } from "./browser.mjs";
import { settled } from "./look.mjs";
import { over } from "./visits.mjs";

const site = over("out/site-fake");

const type = (page, ...lines) => page.keyboard.type(lines.map((line) => `${line}\r`).join(""));
const shows = (page, text) =>
  page.waitForFunction(
    (wanted) => document.querySelector("tn-terminal").text().includes(wanted),
    text,
    {
      timeout: 5000,
    },
  );

describe("the terminal", () => {
  test("Ctrl-C ends a command, and one that reads gets lines", async (t) => {
    const page = await site.visit(t);
    await type(page, "sleep 100");
    await page.keyboard.press("Control+C");
    await type(page, "cat", "a line");
    await shows(page, "a line\na line");
    await page.keyboard.press("Control+D");
    await type(page, "echo after");
    await shows(page, "$ echo after\nafter");
  });

  test("keys go raw to a program that wants them", async (t) => {
    const page = await site.visit(t);
    await type(page, "sh");
    await shows(page, "/ #");
    await page.keyboard.press("ArrowUp");
    await shows(page, "<27 91 65>");
    await page.keyboard.press("Control+C");
    await shows(page, "<3>");
    await page.keyboard.type("q");
    // What is typed before the prompt is back goes to a program that no longer reads.
    await page.waitForFunction(() =>
      document.querySelector("tn-terminal").text().trimEnd().endsWith("$"),
    );
    await type(page, "echo cooked");
    await shows(page, "cooked");
  });

  test("a flood of output arrives whole, and the page stays alive", async (t) => {
    const page = await site.visit(t);
    await type(page, "flood");
    await shows(page, "line 1999 line 1999");
    assert.ok((await terminalText(page)).includes("line 1000 "));
  });

  test("a paste runs its lines; history and type size outlive the visit", async (t) => {
    const page = await site.visit(t);
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData("text/plain", "echo one\necho two\necho three");
      const { renderRoot } = document.querySelector("tn-terminal");
      const target = renderRoot.querySelector(".xterm-helper-textarea");
      target.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
    });
    await shows(page, "$ echo two\ntwo\n$ echo three");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Larger type" }).click();
    await page.reload();
    await ready(page);
    await page.keyboard.press("ArrowUp");
    await shows(page, "$ echo three");
    const size = await page.evaluate(
      () => JSON.parse(localStorage.getItem("tabernetes.settings")).fontSize,
    );
    assert.equal(size, 14);
  });

  test("tabs have shells of their own, opened, chosen by keys and closed", async (t) => {
    const page = await site.visit(t);
    await type(page, "echo first");
    await shows(page, "$ echo first\nfirst");
    await page.getByRole("button", { name: "New terminal" }).click();
    await page.locator(".screen:not([hidden]) .xterm").waitFor();
    await type(page, "echo second");
    await shows(page, "$ echo second\nsecond");
    assert.ok(!(await terminalText(page)).includes("first"));
    await page.getByRole("tab", { selected: true }).press("ArrowLeft");
    await shows(page, "$ echo first\nfirst");
    await page.getByRole("tab", { name: "2" }).click();
    await shows(page, "$ echo second");
    // Its history is everybody's.
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Control+U");
    await page.keyboard.press("Control+D");
    await shows(page, "$ echo first\nfirst");
    assert.equal(await page.getByRole("tab").count(), 1);
  });

  test("vi opens an editor: saving answers with the text, Escape with nothing", async (t) => {
    const page = await site.visit(t);
    await type(page, "vi notes.txt");
    // CodeMirror takes the place of the plain field that is there until it has come.
    await page.locator('.cm-content[aria-label="Text of notes.txt"]').fill("one\ntwo\n");
    // It is no vi: who types :wq finds it in the text, and how to save beside it.
    await page.getByText("Ctrl+S saves and closes, Esc leaves the file as it was.").waitFor();
    await page.keyboard.press("Control+S");
    await shows(page, "$ vi notes.txt\none\ntwo");
    await type(page, "nano notes.txt");
    await page.getByRole("textbox", { name: "Text of notes.txt" }).waitFor();
    await page.keyboard.press("Escape");
    await shows(page, "left as it was");
    await type(page, "echo focused");
    await shows(page, "$ echo focused\nfocused");
  });

  test("a click below the last row is one into the terminal", async (t) => {
    const page = await site.visit(t);
    const screen = await page.locator("tn-terminal .screen").boundingBox();
    const below = [screen.x + 200, screen.y + screen.height - 2];
    await page.evaluate(() => document.activeElement.blur());
    await page.mouse.click(...below);
    await type(page, "echo a:b");
    await shows(page, "$ echo a:b\na:b");
  });

  test("find marks what is there and Escape gives the focus back", async (t) => {
    const page = await site.visit(t);
    await type(page, "echo needle");
    await page.keyboard.press("Control+Shift+F");
    await page.keyboard.type("needle");
    await page.keyboard.press("Escape");
    await type(page, "echo back");
    await shows(page, "$ echo back\nback");
  });

  test("an address in the output is a link, drawn and by keys; what a stranger bends is none", async (t) => {
    const page = await site.visit(t);
    await page
      .context()
      .route("https://docs.example.com/**", (route) =>
        route.fulfill({ contentType: "text/html", body: "<title>docs</title>" }),
      );
    await type(page, "echo 日本 see https://docs.example.com/a. and http://docs.example.com/b");
    await type(page, "echo https://you@docs.example.com javascript://docs.example.com/%0aalert(1)");
    await type(page, "echo https://127.0.0.1:6443 https://docs.example.com/\u202emoc.live");
    const links = page.locator("tn-terminal a.url");
    const named = (path) => links.and(page.locator(`[href="https://docs.example.com/${path}"]`));
    // What is typed at the prompt is not a link before it runs, and one then.
    await page.keyboard.type("echo https://docs.example.com/typed");
    await named("").last().waitFor();
    assert.equal(await named("typed").count(), 0);
    await page.keyboard.press("Enter");
    await named("typed").nth(1).waitFor();
    const leads = await links.evaluateAll((all) =>
      all.map((a) => [a.href.replace("https://docs.example.com", ""), a.target, a.rel].join(" ")),
    );
    const away = (path) => Array(2).fill(`${path} _blank noopener noreferrer`);
    assert.deepEqual([...leads].sort(), ["/", "/a", "/typed"].flatMap(away));
    // It is underlined where its text stands, two wide characters of two cells each before it.
    const [box, line] = await named("a")
      .last()
      .evaluate((a) => [a.getBoundingClientRect().toJSON(), getComputedStyle(a).borderBottomStyle]);
    const host = await page.locator("tn-terminal .xterm-screen").first().boundingBox();
    const cell = box.width / "https://docs.example.com/a".length;
    assert.equal(line, "solid");
    assert.equal(Math.round((box.x - host.x) / cell), "日日本本 see ".length);
    // By keys: to the last one, up, and back to the prompt; Enter opens a tab that knows nothing of this one.
    await page.keyboard.press("Control+Shift+ArrowDown");
    const focused = () =>
      page.evaluate(() => document.querySelector("tn-terminal").shadowRoot.activeElement.href);
    assert.equal(await focused(), "https://docs.example.com/typed");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    assert.equal(await focused(), "https://docs.example.com/");
    const [opened] = await Promise.all([
      page.context().waitForEvent("page"),
      page.keyboard.press("Enter"),
    ]);
    await opened.waitForURL("https://docs.example.com/");
    assert.equal(await opened.evaluate(() => globalThis.opener), null);
    await opened.close();
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "terminal-addresses");
    await page.keyboard.press("Escape");
    await type(page, "echo back");
    await shows(page, "$ echo back\nback");
  });

  test("its cursor blinks, and nothing is drawn between", async (t) => {
    const page = await site.visit(t);
    await settled(page);
    const lit = (wanted) =>
      page.waitForFunction((wanted) => {
        const tab = document.querySelector("tn-terminal").shadowRoot;
        const cursor = tab.querySelector(".xterm-focus .xterm-cursor");
        return (
          cursor && (getComputedStyle(cursor).backgroundColor !== "rgba(0, 0, 0, 0)") === wanted
        );
      }, wanted);
    for (const wanted of [true, false, true, false]) await lit(wanted);
    // What is typed shows where, at once.
    await type(page, "echo here");
    await lit(true);
    const running = await page.evaluate(() => {
      const of = (root) => [
        ...root.getAnimations().filter(({ playState }) => playState === "running"),
        ...[...root.querySelectorAll("*")].flatMap((e) => (e.shadowRoot ? of(e.shadowRoot) : [])),
      ];
      return of(document)
        .filter(({ effect }) => effect.getComputedTiming().endTime === Infinity)
        .map(({ animationName }) => animationName);
    });
    assert.deepEqual(running, []);
  });
});

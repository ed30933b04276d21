/*
 * The guide as something to read: its words, and the ways on. Over the page in mode "fake".
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, screenshot } from "./browser.mjs";
import { CREATE, read, run } from "./guides.mjs";
import { over } from "./visits.mjs";

const SMALL = { ...PHONE, viewport: { width: 360, height: 740 } };

const site = over("out/site-fake");

/** Words of code that are broken though a line has room for them, and full stops that begin a line. */
const broken = (element) => {
  const found = [];
  const tops = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return [...range.getClientRects()];
  };
  for (const code of element.renderRoot.querySelectorAll("code, pre")) {
    if (!code.checkVisibility()) continue;
    let line = code;
    while (getComputedStyle(line).display === "inline") line = line.parentElement;
    const { paddingLeft, paddingRight } = getComputedStyle(line);
    const room = line.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    const walk = document.createTreeWalker(code, 4 /* text */);
    while (walk.nextNode()) {
      for (const { 0: word, index } of walk.currentNode.data.matchAll(/\S+/g)) {
        const rects = tops(walk.currentNode, index, index + word.length);
        const wide = rects.reduce((sum, { width }) => sum + width, 0);
        if (rects.length > 1 && wide < room) found.push(word);
      }
    }
    let next = code.nextSibling;
    while (next?.nodeType === Node.COMMENT_NODE) next = next.nextSibling;
    if (next?.nodeType !== Node.TEXT_NODE || !/^[.,:;)?]/.test(next.data)) continue;
    const [stop] = tops(next, 0, 1);
    const last = [...code.getClientRects()].at(-1);
    if (stop && last && !code.closest("td") && stop.top > last.bottom - 2)
      found.push(`${code.innerText} ${next.data[0]}`);
  }
  return found;
};

for (const [device, options] of Object.entries({ desktop: DESKTOP, phone: SMALL })) {
  test(`code is broken between words, and inside only those that are wider than a line: ${device}`, async (t) => {
    const page = await site.visit(t, "guide/kubectl", options);
    const guide = page.locator("tn-guide");
    for (const heading of await guide.locator("h3[data-name]").all()) {
      const name = await heading.getAttribute("data-name");
      await read(guide, name);
      // What is folded is read, too.
      await guide
        .locator("article details.fold")
        .evaluateAll((folds) => folds.forEach((fold) => (fold.open = true)));
      assert.deepEqual(await guide.evaluate(broken), [], name);
      const wider = await guide
        .locator(".scroll")
        .evaluate((list) => list.scrollWidth - list.clientWidth);
      assert.equal(wider, 0, `${name} is wider than its place`);
    }
    await read(guide, "scheduler");
    await screenshot(page, `guide-code-${device}`);
    await run(page, CREATE);
    if (device === "phone") {
      const bar = page.getByRole("navigation", { name: "Panes" });
      await bar.getByRole("button", { name: "Inspect" }).tap();
    }
    const inspector = page.locator("tn-inspector");
    await inspector.getByText("kubectl scale deployment/nginx --replicas=6").waitFor();
    assert.deepEqual(await inspector.evaluate(broken), []);
    await screenshot(page, `guide-try-${device}`);
  });
}

const phone = async (t, view, options = SMALL) => {
  const page = await site.visit(t, view, options);
  const panes = page.getByRole("navigation", { name: "Panes" });
  const pane = (name) => panes.getByRole("button", { name }).tap();
  return { page, pane, guide: page.locator("tn-guide") };
};

test("on a phone the story goes on where it is read: with a chapter, and the guide follows", async (t) => {
  const { page, pane, guide } = await phone(t, "", { ...SMALL, newcomer: true });
  const journey = page.locator("tn-journey");
  await page.locator("tn-ways").getByRole("button", { name: "Follow a command" }).tap();
  const story = guide.getByRole("group", { name: "The story, slowly" });
  assert.equal(await story.count(), 0);
  await journey.getByRole("button", { name: "Go on" }).waitFor();
  await pane("Guide");
  await story.getByText("Now: kubectl. Read, then go on.").waitFor();
  await screenshot(page, "guide-onward-phone");
  // Step by step, as in the journey: what each is is said here.
  const [back, on] = ["One step back", "One step on"].map((name) =>
    story.getByRole("button", { name }),
  );
  assert.equal(await back.isDisabled(), true);
  for (const button of [back, on, story.getByRole("button", { name: "Go on" })]) {
    const { width, height } = await button.boundingBox();
    assert.ok(width >= 44 && height >= 44, `${width} by ${height}`);
  }
  await on.tap();
  await on.press("Enter");
  await page.waitForFunction(() => {
    const { shadowRoot } = document.querySelector("tn-journey");
    const said = document.querySelector("tn-guide").shadowRoot.querySelector(".onward span");
    return !/^Now: /.test(said.textContent) && shadowRoot !== null;
  });
  await back.press("Enter");
  await back.tap();
  await story.getByText(CREATE, { exact: false }).waitFor();
  assert.equal(await back.isDisabled(), true);
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "guide-steps-phone");
  await story.getByRole("button", { name: "Play" }).tap();
  // It says what happens meanwhile, and the next chapter opens and waits.
  await story.getByRole("button", { name: "Pause" }).waitFor();
  await story.getByText("Now: Authentication. Read, then go on.").waitFor({ timeout: 60_000 });
  await guide.locator("h3[data-name='authentication'][data-open]").waitFor();
  // Whoever has turned to another chapter is led back by going on.
  await read(guide, "scheduler");
  await story.getByRole("button", { name: "Go on" }).tap();
  await guide.locator("h3[data-name='authentication'][data-open]").waitFor();
  await story.getByRole("button", { name: "Pause" }).tap();
  await story.getByRole("button", { name: "Play" }).waitFor();
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(wider, 0);
  // The journey is where the guide has left it.
  await pane("Journey");
  await journey.getByRole("button", { name: "Play" }).waitFor();
  await journey.getByText("Now: Authentication.").waitFor();
  // At its end the same line says so, and leads on.
  const slider = journey.getByRole("slider", { name: "Step of the command" });
  await slider.fill(await slider.getAttribute("max"));
  await pane("Guide");
  await guide.getByText("The story has ended.").filter({ visible: true }).waitFor();
  await screenshot(page, "guide-end-phone");
  assert.equal(await guide.getByRole("button", { name: "What next" }).count(), 1);
  await story.getByRole("button", { name: "What next" }).tap();
  await guide.locator("h3[data-name='wrap-up'][data-open]").waitFor();
  await pane("Journey");
  await journey.getByRole("button", { name: "As it happens" }).tap();
  await pane("Guide");
  await story.waitFor({ state: "detached" });
});

test("beside the journey the guide has no second button for it", async (t) => {
  const page = await site.visit(t, "journey");
  await run(page, CREATE);
  const journey = page.locator("tn-journey");
  await journey.locator("rect.pod[data-started]").nth(2).waitFor();
  await journey.getByRole("button", { name: "Slowly" }).click();
  await journey.getByRole("button", { name: "Go on" }).waitFor();
  assert.equal(await page.locator("tn-guide .onward").isVisible(), false);
});

test("a chapter says which of how many it is, in its heading's line", async (t) => {
  const { guide } = await phone(t, "guide/kubectl");
  for (const [name, said] of [
    ["kubectl", "1 of 14"],
    ["networking", "12 of 14"],
    ["wrap-up", "14 of 14"],
  ]) {
    await read(guide, name);
    await guide.getByRole("button", { name: said, exact: false, expanded: true }).waitFor();
    const high = await guide
      .locator("h3[data-name]")
      .evaluateAll((all) => all.map((h) => h.offsetHeight));
    assert.equal(new Set(high).size, 1, `${name}: ${high.join(" ")}`);
  }
});

test("a login stands aside in its chapter, folded", async (t) => {
  const { page, guide } = await phone(t, "guide/authentication");
  const aside = guide.locator("article details.fold", { hasText: "Aside: a login" });
  await aside.waitFor();
  const ada = aside.getByRole("button", { name: /set-credentials ada/ });
  assert.equal(await ada.isVisible(), false);
  await guide.getByRole("heading", { name: "Since the older guides" }).scrollIntoViewIfNeeded();
  await screenshot(page, "guide-aside-phone");
  await aside.getByRole("heading", { name: "Aside: a login" }).tap();
  await ada.waitFor();
});

test("another command takes nobody away from where they read: its beginning is offered", async (t) => {
  const page = await site.visit(t);
  const guide = page.locator("tn-guide");
  const follow = guide.getByRole("button", { name: "Follow steps" });
  const open = (name) => guide.locator(`h3[data-name="${name}"][data-open]`);
  const told = (line) => guide.locator(".of b", { hasText: line });
  const another = guide.getByText("Another command is told now.");
  const OTHER = "kubectl create deployment other --replicas=1";
  const THIRD = "kubectl create deployment third --replicas=1";
  await run(page, CREATE);
  await told(CREATE).waitFor();
  // By hand to another chapter: the guide does not follow, and stays.
  await read(guide, "scheduler");
  assert.equal(await follow.getAttribute("aria-pressed"), "false");
  await run(page, OTHER);
  await told(OTHER).waitFor();
  await another.waitFor();
  assert.equal(await open("scheduler").count(), 1);
  await screenshot(page, "guide-another-desktop");
  await guide.getByRole("button", { name: "To its beginning" }).click();
  await open("kubectl").waitFor();
  assert.equal(await another.count(), 0);
  assert.equal(await follow.getAttribute("aria-pressed"), "true");
  // Who follows is at the chapter of the step that is looked at, and stays there as well.
  await read(guide, "scheduler");
  await guide.locator("article a.claim[title$='(scheduler.bind)']").click();
  await follow.click();
  await run(page, THIRD);
  await told(THIRD).waitFor();
  await another.waitFor();
  assert.equal(await open("scheduler").count(), 1);
  // Told slowly, it has the reader there.
  const journey = page.locator("tn-journey");
  await page.evaluate(() => (globalThis.location.hash = "#/journey"));
  await journey.getByRole("button", { name: "Slowly" }).click();
  await open("kubectl").waitFor();
  await another.waitFor({ state: "detached" });
});

test("a command that only looked is no other story, but it is said, and can be told", async (t) => {
  const page = await site.visit(t, "guide/kubectl");
  const guide = page.locator("tn-guide");
  await run(page, CREATE);
  await guide.locator(".of b", { hasText: CREATE }).waitFor();
  const looked = guide.locator(".others p", { hasText: "kubectl get pods It only looked." });
  assert.equal(await looked.count(), 0);
  await run(page, "kubectl get pods");
  await looked.waitFor();
  assert.equal(await guide.locator(".of b", { hasText: CREATE }).count(), 1);
  // Who follows is led to the beginning of what they have chosen.
  await read(guide, "scheduler");
  await guide.locator("article a.claim[title$='(scheduler.bind)']").click();
  await guide.getByRole("button", { name: "Follow steps" }).click();
  await guide.locator("h3[data-name='scheduler'][data-open]").waitFor();
  await looked.getByRole("button", { name: "Tell instead: kubectl get pods" }).click();
  await guide.locator(".of b", { hasText: "kubectl get pods" }).waitFor();
  await guide.locator("h3[data-name='kubectl'][data-open]").waitFor();
  // And its answer is where it was read.
  await read(guide, "etcd");
  const answer = "answered by the List handler of pods, from the watch cache: 3 objects";
  await guide.locator("article .did li", { hasText: answer }).waitFor();
});

test("beside another command a text stands as it is, and above it what that command did here", async (t) => {
  const page = await site.visit(t, "guide/admission");
  const guide = page.locator("tn-guide");
  const legend = guide.locator("article .legend");
  const refused = "kubectl create deployment lost --image=nginx --namespace=nowhere";
  await run(page, CREATE);
  await guide.locator(".of b", { hasText: CREATE }).waitFor();
  await read(guide, "admission");
  await guide.locator("article a.claim[title*='(admission.mutating']").first().waitFor();
  assert.equal(await legend.count(), 0);
  await run(page, refused);
  await guide.locator(".of b", { hasText: refused }).waitFor();
  await legend.getByText("What came here of kubectl create deployment lost").waitFor();
  const did = legend.locator(".did li");
  await did.getByText('namespaces "nowhere" not found').waitFor();
  await screenshot(page, "guide-legend-desktop");
  // Of the one that was made nothing stands in the text, which has what is true of any command.
  const figures = guide.locator("article > :not(.legend) a.claim");
  for (const said of await figures.allInnerTexts())
    assert.match(said, /^(What each did|that only look|ends it all)/);
  assert.equal(await figures.filter({ hasText: "ends it all" }).count(), 1);
  // And what it did stays in sight however far one reads.
  await guide.getByRole("heading", { name: "Since the older guides" }).scrollIntoViewIfNeeded();
  const { top, bottom } = await guide.locator(".scroll").evaluate((e) => e.getBoundingClientRect());
  const { y, height } = await legend.boundingBox();
  assert.ok(y >= top && y + height < (top + bottom) / 2, `${y} ${height} in ${top} … ${bottom}`);
  await screenshot(page, "guide-legend-below-desktop");
  await did.locator(".moment").last().click();
  await page
    .locator("tn-journey .caption", { hasText: 'namespaces "nowhere" not found' })
    .waitFor();
  await did.locator("[aria-current='step']").waitFor();
  await guide
    .locator("article > :not(.legend) [aria-current='step']", { hasText: "ends it all" })
    .waitFor();
  await read(guide, "scheduler");
  await legend.getByText("No step is told slowly here of").waitFor();
});

/** What has the focus, shadow roots included, by its words. */
const focused = (page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.innerText.trim();
  });

for (const [device, options] of Object.entries({ desktop: DESKTOP, phone: SMALL })) {
  test(`a word has a note, by a press or a key, and all words stand together: ${device}`, async (t) => {
    const page = await site.visit(t, "guide/etcd", options);
    const guide = page.locator("tn-guide");
    await read(guide, "etcd");
    const word = guide.getByRole("button", { name: "watch cache", exact: true });
    const note = guide.getByRole("dialog", { name: "watch cache" });
    const press = () => (device === "phone" ? word.tap() : word.click());
    await word.scrollIntoViewIfNeeded();
    // What words mean is no part of what a visitor waits for.
    const fetched = () =>
      page.evaluate(
        () =>
          performance.getEntriesByType("resource").filter(({ name }) => /glossary/.test(name))
            .length,
      );
    assert.equal(await fetched(), 0);
    await press();
    await note.getByText("What kube-apiserver has in memory of each resource").waitFor();
    const { x, y, width, height } = await note.boundingBox();
    const at = await word.boundingBox();
    const { width: most, height: high } = options.viewport ?? { width: 1440, height: 900 };
    assert.ok(x >= 0 && y >= 0 && x + width <= most && y + height <= high, `${x} ${y} ${width}`);
    // Beside its word, and not over it.
    assert.ok(y >= at.y + at.height || y + height <= at.y, `${y} ${height} ${at.y}`);
    assert.deepEqual(await violations(page), []);
    await screenshot(page, `guide-word-${device}`);
    await page.keyboard.press("Escape");
    await note.waitFor({ state: "hidden" });
    assert.equal(await focused(page), "watch cache");
    // What is behind it had nothing of that key.
    await guide.locator("h3[data-name='etcd'][data-open]").waitFor();
    await page.keyboard.press("Enter");
    await note.waitFor();
    // A press of the word again, and one elsewhere, close it.
    await press();
    await note.waitFor({ state: "hidden" });
    await press();
    await note.waitFor();
    await guide.locator(".of").click();
    await note.waitFor({ state: "hidden" });
    await press();
    await note.getByRole("link", { name: "All words" }).click();
    const words = guide.locator("h3[data-name='words'][data-open] + article dl");
    await words.locator("dt", { hasText: /^watch cache$/ }).waitFor();
    const lines = await words.locator("dt").count();
    assert.equal((await words.locator("dd .chapters a").count()) >= lines, true);
    assert.deepEqual(await violations(page), []);
    await screenshot(page, `guide-words-${device}`);
    await words.locator("dt:text-is('lease') + dd").getByRole("link", { name: "Wrap-up" }).click();
    await guide.locator("h3[data-name='wrap-up'][data-open]").waitFor();
  });
}

test("a note goes where its word goes, and whoever leaves it by keys has closed it", async (t) => {
  const page = await site.visit(t, "guide/etcd");
  const guide = page.locator("tn-guide");
  await read(guide, "etcd");
  const word = guide.getByRole("button", { name: "compaction", exact: true });
  const note = guide.getByRole("dialog", { name: "compaction" });
  await word.click();
  await note.waitFor();
  const apart = async () => {
    const [a, b] = [await note.boundingBox(), await word.boundingBox()];
    return Math.round(Math.min(Math.abs(a.y - b.y - b.height), Math.abs(b.y - a.y - a.height)));
  };
  const before = await apart();
  await guide.locator(".scroll").evaluate((list) => (list.scrollTop -= 60));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  assert.equal(await apart(), before);
  // F6 goes to the next pane: an Esc there is that one's.
  await page.keyboard.press("F6");
  await note.waitFor({ state: "hidden" });
});

test("the words have an address, as chapters have", async (t) => {
  const { guide } = await phone(t, "guide/words");
  await guide.locator("h3[data-name='words'][data-open] + article dt").first().waitFor();
});

test("who counts the chapters is told which were passed by, in the first one that comes after", async (t) => {
  const page = await site.visit(t, "guide/kubectl");
  const guide = page.locator("tn-guide");
  await run(page, CREATE);
  await guide.locator(".of", { hasText: "3 containers run" }).waitFor();
  await read(guide, "controllers");
  const passed = guide.locator("article .passed");
  await passed
    .filter({ hasText: "6, Initializers, is passed by: no step of this command comes there." })
    .waitFor();
  await passed.filter({ hasText: "Nothing of it happens here unless you switch it on." }).waitFor();
  await screenshot(page, "guide-passed-desktop");
  await passed.getByRole("link", { name: "Initializers" }).click();
  await guide.locator("h3[data-name='initializers'][data-open]").waitFor();
  await read(guide, "etcd");
  assert.equal(await passed.count(), 0);
  // A command that only looks goes no further than the server.
  await run(page, "kubectl get pods");
  const looked = guide.locator(".others p", { hasText: "kubectl get pods It only looked." });
  await looked.getByRole("button", { name: "Tell instead: kubectl get pods" }).click();
  await guide.locator("h3[data-name='controllers']", { hasText: "passed by" }).waitFor();
  await read(guide, "etcd");
  await passed
    .filter({ hasText: "3, Authorization; 4, Admission are passed by: no step of this command" })
    .waitFor();
  await passed
    .filter({ hasText: "This is as far as the command goes: chapters 6 to 14 are passed by." })
    .waitFor();
});

test("a story that has ended leads to what comes next, which is run and told", async (t) => {
  const page = await site.visit(t, "journey");
  const guide = page.locator("tn-guide");
  const journey = page.locator("tn-journey");
  await run(page, CREATE);
  await journey.locator("rect.pod[data-started]").nth(2).waitFor();
  await journey.getByRole("button", { name: "Slowly" }).click();
  const next = guide.getByRole("button", { name: "What next" });
  await journey.getByRole("button", { name: "Go on" }).waitFor();
  assert.equal(await next.count(), 0);
  const slider = journey.getByRole("slider", { name: "Step of the command" });
  await slider.fill(await slider.getAttribute("max"));
  await journey.getByText("This was the last step.").waitFor();
  await guide.getByText("The story has ended.").filter({ visible: true }).waitFor();
  await next.click();
  await guide.locator("h3[data-name='wrap-up'][data-open]").waitFor();
  const heading = guide.getByRole("heading", { name: "What next" });
  await heading.waitFor();
  assert.equal(await focused(page), "What next");
  const { top, bottom } = await guide.locator(".scroll").evaluate((e) => e.getBoundingClientRect());
  const { y } = await heading.boundingBox();
  assert.ok(y > top && y < (top + bottom) / 2, `${y} in ${top} … ${bottom}`);
  assert.deepEqual(await violations(page), []);
  await screenshot(page, "guide-next-desktop");
  await guide.getByRole("link", { name: "break something else" }).waitFor();
  const typo = "kubectl create deployment typo --image=nginx:no-such-tag";
  await guide.getByRole("button", { name: `Run, and have it told: ${typo}` }).click();
  await guide.locator(".of b", { hasText: typo }).waitFor();
  await guide.locator("h3[data-name='kubectl'][data-open]").waitFor();
  await journey.locator(`.caption .of[title="${typo}"]`).waitFor({ state: "attached" });
  // It is told slowly, as the one before was: from its first step.
  await journey.getByText(/^1 of \d+ · /).waitFor();
  await journey.getByRole("button", { name: "Go on" }).waitFor();
  await next.waitFor({ state: "detached" });
});

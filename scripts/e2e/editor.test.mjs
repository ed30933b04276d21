/*
 * Editing over the real cluster: an object in the inspector, and documents in the editor. What is asked
 * for here only an apiserver can answer: OpenAPI, dry runs, conflicts, owners of fields, warnings.
 */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { screenshot } from "./browser.mjs";
import { CRD, SHIP } from "./ships.mjs";
import { oneVisit } from "./visits.mjs";

const visit = oneVisit("editor");
const { kubectl, go, shows, until } = visit;
let page;
before(async () => {
  await visit.begun;
  page = visit.page;
  await kubectl("create deployment web --image=nginx --replicas=3");
  await kubectl("apply -f -", CRD);
  await kubectl("wait --for=condition=Established crd/ships.example.com");
});
const inspector = () => page.locator("tn-inspector");

describe("editing an object", () => {
  const pane = () => page.locator("tn-object-edit");
  const edit = async (from, to) => {
    const line = pane().locator(".cm-line", { hasText: from }).first();
    await line.click();
    await page.keyboard.press("End");
    await page.keyboard.press("Shift+Home");
    // Home stops at the indentation.
    await page.keyboard.type(to.trimStart());
  };

  test("the server checks while typing; what it would change is shown before it does", async () => {
    await go("#/apis/apps/v1/namespaces/default/deployments/web?show=edit");
    await shows(pane().locator(".cm-line"), "replicas: 3");
    await edit(/^ {2}replicas: 3/, "  replicas: -3");
    await shows(pane().locator(".bar p"), /spec\.replicas: Invalid value: -3/);
    await pane().locator(".cm-lintRange-error").first().waitFor();
    await edit(/^ {2}replicas: -3/, "  replicas: 1");
    await shows(pane().locator(".bar p"), "The server would take it.");
    await pane().getByRole("button", { name: "Review" }).click();
    await pane().locator("tn-review .cm-changedLine", { hasText: "replicas: 1" }).waitFor();
    await screenshot(page, "objects-review-desktop-light");
    await pane().getByRole("button", { name: "Apply", exact: true }).click();
    await until(
      (out) => out === "1",
      async () => (await kubectl("get deployment web -o jsonpath={.spec.replicas}")).stdout,
    );
  });

  test("a conflict is explained, and both changes are put together", async () => {
    await go("#/apis/apps/v1/namespaces/default/deployments/web?show=edit");
    await shows(pane().locator(".cm-line"), "replicas: 1");
    await kubectl("label deployment web tier=front");
    await edit(/^ {2}replicas: 1/, "  replicas: 2");
    await shows(pane().locator(".conflict"), "409 Conflict");
    await pane()
      .getByRole("button", { name: /Put my changes/ })
      .click();
    await shows(pane().locator(".bar p"), /on the newest version|The server would take it/);
    await pane().getByRole("button", { name: "Review" }).click();
    await pane().getByRole("button", { name: "Apply", exact: true }).click();
    await until(
      (out) => out === "2 front",
      async () =>
        (await kubectl("get deployment web -o jsonpath='{.spec.replicas} {.metadata.labels.tier}'"))
          .stdout,
    );
  });
});

describe("the editor", () => {
  const editor = () => page.locator("tn-editor");
  const content = () => editor().locator(".cm-content").first();
  const write = async (manifest) => {
    await content().click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(manifest);
  };

  test("completes and explains from the cluster's OpenAPI, kinds of one's own included", async () => {
    await go("#/editor");
    await write("apiVersion: example.com/v1\nkind: Ship\nmetadata:\n  name: nina\nspec:\n  ");
    await until(
      async (found) => found,
      async () => {
        await page.keyboard.press("Control+Space");
        return editor()
          .locator(".cm-tooltip-autocomplete li", { hasText: "masts" })
          .first()
          .isVisible();
      },
    );
    await editor().locator(".cm-tooltip-autocomplete li", { hasText: "masts" }).first().click();
    await page.keyboard.type("2");
    await shows(editor().locator(".bar"), "The server would take it.");
    await editor().locator(".cm-line", { hasText: "masts" }).locator("span").first().hover();
    await shows(editor().locator(".cm-field"), "How many masts she has.");
    await page.mouse.move(5, 5);
  });

  test("marks what the dry run refuses, at its line, in the document it is in", async () => {
    await write(
      `${SHIP.replace("3", "0").replace("pinta", "nina")}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndatta: {}\n`,
    );
    await until(
      (all) => all.length === 2,
      () => editor().locator(".finding").allInnerTexts(),
    );
    const [first, second] = await editor().locator(".finding").allInnerTexts();
    assert.match(first, /^6\s+spec\.masts: Invalid value/);
    assert.match(second, /^12\s+.*datta/);
    await screenshot(page, "editor-findings-desktop-light");
  });

  test("applies several documents, the later ones of a kind that the first brings", async () => {
    await kubectl("delete crd ships.example.com");
    await write(`${CRD}---\n${SHIP}`);
    await editor().getByRole("button", { name: "Apply", exact: true }).click();
    await shows(editor().locator(".results"), /ship(\.example\.com)?\/pinta created/, 60_000);
  });

  test("explains whose field it is, and takes it over", async () => {
    await write(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n",
    );
    await shows(editor().locator(".finding"), /^\s*6\s+spec\.replicas is owned by /);
    await editor().getByRole("button", { name: "Apply", exact: true }).click();
    await editor()
      .getByRole("button", { name: /Take the fields over/ })
      .click();
    await shows(editor().locator(".results"), "deployment/web serverside-applied");
    await until(
      (out) => out === "1",
      async () => (await kubectl("get deployment web -o jsonpath={.spec.replicas}")).stdout,
    );
  });

  test("warns of what the server takes all the same, and of a policy that does not fit its kinds", async () => {
    await kubectl("create namespace strict");
    await kubectl("label namespace strict pod-security.kubernetes.io/warn=restricted");
    await write(
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: loose\n  namespace: strict\nspec:\n  containers:\n  - {name: c, image: nginx}\n",
    );
    await shows(editor().locator(".bar"), "The server would take it, and warns:");
    await shows(editor().locator(".finding"), 'would violate PodSecurity "restricted:latest"');
    await write(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: typed
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: object.spec.nope == 1
`);
    await shows(editor().locator(".bar"), "The server would take it.");
    await editor().getByRole("button", { name: "Apply", exact: true }).click();
    await shows(
      editor().locator(".results"),
      /typed created\s+Warning: spec\.validations\[0\]\.expression: .*undefined field 'nope'/,
    );
    // Its line keeps the mark for as long as nothing else is typed.
    await shows(editor().locator(".finding[data-severity=warning]"), /^\s*10\s+spec\.validations/);
    await editor()
      .locator(".cm-lintRange-warning", { hasText: "expression: object.spec.nope == 1" })
      .waitFor();
    assert.deepEqual(await violations(page), []);
    await screenshot(page, "editor-warnings-desktop-light");
    const typed = "#/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/typed";
    await go(typed);
    await shows(inspector(), "It does not fit what it is for: spec.validations[0].expression");
    await screenshot(page, "policy-types-desktop-light");
    await kubectl("delete namespace/strict validatingadmissionpolicy/typed --wait=false");
    await go("#/editor");
  });

  test("a file goes to the terminal's home directory", async () => {
    await write("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: at-home\n");
    await editor().getByRole("button", { name: "To terminal" }).click();
    const { stdout } = await until(
      ({ stdout }) => stdout !== "", // the file is there before what goes into it
      () => page.evaluate(() => globalThis.tabernetes.shell("cat ~/*.yaml")),
    );
    assert.match(stdout, /name: at-home/);
  });

  test("a list, as kubectl prints it, is what it holds", async () => {
    const list = await kubectl(
      "create configmap listed --from-literal=a=b --dry-run=client -o yaml",
    );
    const item = list.stdout.trimEnd().split("\n").join("\n  ");
    await write(`apiVersion: v1\nkind: List\nitems:\n- ${item}\n`);
    await editor().getByRole("button", { name: "Apply", exact: true }).click();
    await shows(editor().locator(".results"), "configmap/listed created");
  });

  test("files are opened from this machine, dropped, and saved on it", async () => {
    const file = (name, value) => ({
      name,
      mimeType: "application/yaml",
      buffer: Buffer.from(`apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${value}\n`),
    });
    const chooser = page.waitForEvent("filechooser");
    await editor().getByRole("button", { name: "Open", exact: true }).click();
    await (await chooser).setFiles([file("one.yaml", "opened"), file("two.yaml", "opened-too")]);
    await editor()
      .getByRole("button", { name: /^two\.yaml/ })
      .waitFor();
    await shows(content(), "opened-too");
    const dropped = await page.evaluateHandle(() => {
      const transfer = new globalThis.DataTransfer();
      transfer.items.add(new globalThis.File(["kind: Dropped\n"], "three.yaml"));
      transfer.items.add(new globalThis.File(["\0\0"], "picture.png"));
      return transfer;
    });
    await editor().dispatchEvent("dragover", { dataTransfer: dropped });
    await editor().getByText("Drop the files here to open them.").waitFor();
    await editor().dispatchEvent("drop", { dataTransfer: dropped });
    await shows(content(), "kind: Dropped");
    await page.getByText("picture.png is no text.").waitFor();
    const download = page.waitForEvent("download");
    await editor().getByRole("button", { name: "Save", exact: true }).click();
    const saved = await download;
    assert.equal(saved.suggestedFilename(), "three.yaml");
    const chunks = await (await saved.createReadStream()).toArray();
    assert.equal(Buffer.concat(chunks).toString(), "kind: Dropped\n");
    await editor()
      .getByRole("button", { name: /^one\.yaml/ })
      .click();
    await shows(content(), "opened");
  });
});

/* What a screen reader has of a page: Chromium's accessibility tree, over the protocol of its developer tools. */

/** What stands between the things that are said: no words of its own. */
const SILENT = new Set([
  "generic",
  "StaticText",
  "InlineTextBox",
  "none",
  "ListMarker",
  "code",
  "MenuListPopup",
]);
/** Properties that are said with a name, or that say when a text is read out by itself. */
const SAID = new Set(["level", "expanded", "pressed", "selected", "live", "busy"]);

/**
 * What is said of a page, in the order in which it is read: `role "name" property=value …`, two spaces
 * deeper below each thing that is said itself; of a live region with what it reads out. `within` is a part
 * of the page: what has that role and name, with what is in it.
 */
export async function spoken(page, within) {
  const tools = await page.context().newCDPSession(page);
  const { nodes } = await tools.send("Accessibility.getFullAXTree");
  await tools.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const lines = [];
  const say = (node, depth, inside) => {
    const role = node.role?.value ?? "none";
    const name = node.name?.value ?? "";
    const is = inside || (role === within?.role && name === within.name);
    const silent = node.ignored || SILENT.has(role);
    if (is && !silent) {
      const said = (node.properties ?? [])
        .filter((property) => SAID.has(property.name))
        .map((property) => ` ${property.name}=${property.value.value}`)
        .join("");
      const text = /live=(polite|assertive)/.test(said) ? `: ${textOf(node, byId)}` : "";
      lines.push(`${"  ".repeat(depth)}${role} "${name}"${said}${text}`);
    }
    for (const id of node.childIds ?? []) {
      const child = byId.get(id);
      if (child) say(child, is && !silent ? depth + 1 : depth, is);
    }
  };
  say(nodes[0], 0, within === undefined);
  return lines;
}

function textOf(node, byId) {
  if (node.role?.value === "StaticText") return node.name?.value ?? "";
  return (node.childIds ?? []).map((id) => textOf(byId.get(id) ?? {}, byId)).join("");
}

/** What of `wanted` is not among `lines` in that order; whatever else may lie between. */
export function unsaid(lines, wanted) {
  let at = 0;
  for (const line of lines) {
    if (wanted[at]?.test(line.trim())) at++;
  }
  return wanted.slice(at);
}

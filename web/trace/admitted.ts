import { count } from "./count.ts";
import { Details, textOf } from "./details.ts";

/** A plugin that may change may refuse as well: what it had changed by then counts for nothing. */
export function admitted(
  d: Details,
  may: string,
  does: "changed" | "refused",
  cut: string | undefined,
): string {
  const plugins = d.list("plugins").map((plugin) => new Details(plugin));
  const refused = plugins.filter((p) => p.text("refused") === "true");
  const changed = plugins.filter((p) => p.has("changed") && !refused.includes(p));
  const changes = did(changed, "changed");
  // Who refuses ends the pass: the others were not asked, and are in no count.
  if (refused.length > 0) {
    const last = plugins.at(-1)?.text("refused") === "true" ? ", none after that" : "";
    const asked = `${count(plugins.length, "admission plugin")} asked${last}`;
    return [did(refused, "refused"), asked, changes && `before that ${changes}`]
      .filter(Boolean)
      .join("; ");
  }
  const none = cut === undefined ? `none ${does} it` : `whether one ${does} it was not looked at`;
  return `${count(plugins.length, "admission plugin")} ${may}; ${changes || none}`;
}

/** How many of a pass there are, or were asked until one refused. */
export function plugins(d: Details): string {
  const all = d.list("plugins");
  const refused = all.some((plugin) => textOf(plugin, "refused") === "true");
  return `${count(all.length, "plugin")}${refused ? " until a refusal" : ""}`;
}

/** "ServiceAccount, Priority changed it"; empty if none did. */
function did(plugins: readonly Details[], what: string): string {
  const names = plugins.map((p) => p.text("name")).join(", ");
  return names && `${names} ${what} it`;
}

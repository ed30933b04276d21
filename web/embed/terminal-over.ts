import type { EmbeddedCluster } from "../sdk/create.ts";
import type { TerminalOptions } from "../sdk/terminal.ts";
import { TerminalElement } from "./terminal-element.ts";

const KNOWN = ["fontSize", "theme"];

/** A terminal over a cluster that there is already, which opens once it stands in a page. */
export function terminalOver(cluster: EmbeddedCluster, options: TerminalOptions): TerminalElement {
  const { fontSize, theme } = options as Record<keyof TerminalOptions, unknown>;
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`terminal knows no option "${unknown.slice(0, 80)}": ${KNOWN.join(", ")}`);
  }
  if (fontSize !== undefined && !(typeof fontSize === "number" && fontSize >= 9 && fontSize <= 28))
    throw new TypeError("terminal: fontSize is a number from 9 to 28");
  if (theme !== undefined && theme !== "light" && theme !== "dark")
    throw new TypeError('terminal: theme is "light" or "dark"');
  const element = new TerminalElement();
  element.cluster = cluster;
  if (fontSize !== undefined) element.setAttribute("font-size", String(fontSize));
  if (theme !== undefined) element.setAttribute("theme", theme);
  return element;
}

import type { ITheme } from "@xterm/xterm";

/** The sixteen colours of a terminal on the page's own ground, all readable on it. */
const LIGHT: ITheme = {
  black: "#1c1f23",
  red: "#b3261e",
  green: "#1a7f4b",
  yellow: "#8a5a00",
  blue: "#1d5bbf",
  magenta: "#8a3ea1",
  cyan: "#0b7285",
  white: "#5b6068",
  brightBlack: "#6b7078",
  brightRed: "#c02f27",
  brightGreen: "#15803d",
  brightYellow: "#94610a",
  brightBlue: "#2563eb",
  brightMagenta: "#9333ea",
  brightCyan: "#0e7490",
  brightWhite: "#1c1f23",
};

const DARK: ITheme = {
  black: "#3a4046",
  red: "#ff8a80",
  green: "#57c28d",
  yellow: "#e0a84a",
  blue: "#8ab4f8",
  magenta: "#d0a2f0",
  cyan: "#68c7d3",
  white: "#d3d6da",
  brightBlack: "#8a9098",
  brightRed: "#ffaba3",
  brightGreen: "#7fd6ab",
  brightYellow: "#efc47c",
  brightBlue: "#aecbfa",
  brightMagenta: "#e0c1f7",
  brightCyan: "#93dae3",
  brightWhite: "#ffffff",
};

/** xterm's theme from the custom properties that `element` sees now. */
export function terminalTheme(element: Element): ITheme {
  const style = getComputedStyle(element);
  const value = (name: string) => style.getPropertyValue(name).trim();
  const dark = style.colorScheme.includes("dark");
  return {
    ...(dark ? DARK : LIGHT),
    background: value("--panel"),
    foreground: value("--text"),
    cursor: value("--text"),
    cursorAccent: value("--panel"),
    selectionBackground: dark ? "#3b5378" : "#c4d7f5",
  };
}

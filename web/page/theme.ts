import type { SettingsStore } from "./settings.ts";
import { Disposables, type Disposable } from "../state/disposable.ts";

/** Keeps the page in the chosen theme, or in the system's; calls `changed` after each change. */
export function attachTheme(settings: SettingsStore, changed: () => void): Disposable {
  const held = new Disposables();
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const { theme } = settings.state;
    const name = theme === "auto" ? (system.matches ? "dark" : "light") : theme;
    if (document.documentElement.dataset.theme === name) return;
    document.documentElement.dataset.theme = name;
    changed();
  };
  apply();
  held.add(settings.subscribe(apply));
  system.addEventListener("change", apply);
  held.add({ dispose: () => system.removeEventListener("change", apply) });
  return held;
}

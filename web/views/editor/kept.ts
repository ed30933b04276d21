import type { Files } from "../../editor/files.ts";
import { pageStorage } from "../../page/settings.ts";

const KEY = "tabernetes.editor";
/** Characters that are kept at most: storage is shared with everything else of the page. */
const MOST = 500_000;

/** The files that were open when the page was left. */
export function keptFiles(): Files | undefined {
  try {
    const files = JSON.parse(pageStorage()?.getItem(KEY) ?? "") as Files;
    const whole = files.open.every(
      (file) => typeof file.name === "string" && typeof file.text === "string",
    );
    return whole && files.open.length > 0 ? files : undefined;
  } catch {
    return undefined;
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Keeps them, some time after the last change. */
export function keepFiles(files: Files): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const text = JSON.stringify(files);
    if (text.length > MOST) return;
    try {
      pageStorage()?.setItem(KEY, text);
    } catch {
      // Full or forbidden: the files then last as long as the page.
    }
  }, 500);
}

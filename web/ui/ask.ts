import "../style/dialogs.css";
import { html, render } from "lit";

export interface Question {
  title: string;
  /** What will happen. */
  text: string;
  /** The kubectl command it stands for. */
  line?: string;
  /** The button that does it, a verb. */
  verb: string;
}

/** Asks in a dialog; resolves with whether the verb was chosen. Drawn into the page, styled there. */
export function ask({ title, text, line, verb }: Question): Promise<boolean> {
  const dialog = document.createElement("dialog");
  dialog.className = "ask";
  dialog.setAttribute("aria-label", title);
  render(
    html`<form method="dialog">
      <h2>${title}</h2>
      <p>${text}</p>
      ${line ? html`<p><code>${line}</code></p>` : ""}
      <div class="actions">
        <button class="button" value="">Cancel</button>
        <button class="button primary" value="yes" autofocus>${verb}</button>
      </div>
    </form>`,
    dialog,
  );
  const before = document.activeElement;
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement) before.focus();
      resolve(dialog.returnValue === "yes");
    });
  });
}

/** Says in a corner, for some seconds, how something went that was asked for. */
export function tell(text: string, failed = false): void {
  let place = document.querySelector(".told");
  if (!place) {
    place = document.createElement("div");
    place.className = "told";
    place.setAttribute("role", "status");
    document.body.append(place);
  }
  const line = document.createElement("p");
  line.textContent = text;
  line.toggleAttribute("data-failed", failed);
  place.append(line);
  setTimeout(() => line.remove(), failed ? 12_000 : 4000);
}

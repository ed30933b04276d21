import { html } from "lit";

/** The way to another chapter. Beside other views it is an address of the page; else nothing of the guide is one. */
export function drawLink(name: string, said: unknown, around: boolean, read: () => void) {
  if (!around) return html`<button class="inside" @click=${read}>${said}</button>`;
  return html`<a
    href="#/guide/${name}"
    @click=${(event: Event) => {
      event.preventDefault();
      read();
    }}
    >${said}</a
  >`;
}

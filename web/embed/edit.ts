/** Lets the reader edit a file of the terminal (vi, kubectl edit); undefined leaves it as it is. */
export function askEdit(root: ShadowRoot, name: string, text: string): Promise<string | undefined> {
  const dialog = document.createElement("dialog");
  const heading = document.createElement("strong");
  heading.textContent = name;
  heading.id = "file";
  dialog.setAttribute("aria-labelledby", heading.id);
  const area = document.createElement("textarea");
  area.value = text;
  area.spellcheck = false;
  area.setAttribute("aria-labelledby", heading.id);
  const buttons = document.createElement("div");
  const button = (label: string, value: string) => {
    const made = document.createElement("button");
    made.textContent = label;
    made.addEventListener("click", () => dialog.close(value));
    buttons.append(made, " ");
  };
  button("Save", "save");
  button("Cancel", "cancel");
  dialog.append(heading, area, buttons);
  root.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    // Escape closes it with nothing said.
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "save" ? area.value : undefined);
    });
  });
}

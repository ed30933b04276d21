/** A click handler that copies a text and says so on its button for a moment. */
export function copy(text: string) {
  return async (event: Event) => {
    const button = event.currentTarget as HTMLButtonElement;
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => (button.textContent = label), 1500);
  };
}

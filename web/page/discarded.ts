/** What to say in a tab that the browser had discarded and now opens again; `kept` is the name its cluster is kept under, or "". */
export function discarded(kept: string): string {
  const ended = "The browser had ended this tab to save memory";
  return kept
    ? `${ended}. ${kept} goes on from what was kept of it; Clusters says how.`
    : `${ended}, and with it the cluster that was here: this is a new one. Settings keep the next one in this browser.`;
}

import { html, nothing } from "lit";
import type { BrowsingState } from "../../browser/browsing.ts";
import type { Pod, Row } from "../../kube/types.ts";
import { objectRoute } from "../../page/address.ts";
import { formatRoute } from "../../page/route.ts";

/** What came, who answered, and how long it took. */
export function answeredWords(
  { answered, loading, title }: BrowsingState,
  pods: Iterable<Row<Pod>>,
) {
  if (loading && !answered) return "Asking for it.";
  if (!answered) return nothing;
  const { status, statusText, endpoint, bytes, took, redirected } = answered;
  return html`<b ?data-bad=${status >= 400}>${status} ${statusText}</b>
    ${redirected ? "after a redirect" : nothing} ${who(endpoint, pods)}
    <span class="size">${sizeOf(bytes)}, ${Math.round(took)} ms</span>
    ${title ? html`<span class="title ellipsis">${title}</span>` : nothing}`;
}

/** The pod whose address answered. */
function who(endpoint: string, pods: Iterable<Row<Pod>>) {
  const ip = endpoint.replace(/:\d+$/, "");
  for (const { object } of endpoint ? pods : []) {
    if (object.status.podIP !== ip) continue;
    const { name, namespace } = object.metadata;
    const place = {
      group: "",
      version: "v1",
      resource: "pods",
      name,
      ...(namespace ? { namespace } : {}),
    };
    return html`<span class="who"
      >from
      <a class="mono" href=${formatRoute(objectRoute(place))}>${name}</a
      >${object.spec.nodeName ? html` on ${object.spec.nodeName}` : nothing}</span
    >`;
  }
  return endpoint ? html`<span class="who mono">${endpoint}</span>` : nothing;
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1 << 20
    ? `${(bytes / 1024).toFixed(1)} KiB`
    : `${(bytes / 1048576).toFixed(1)} MiB`;
}

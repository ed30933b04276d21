import { html, type TemplateResult } from "lit";

/** What a device that may be too small is shown: a control plane, and three nodes with pods on them. */
export function still(): TemplateResult {
  return html`<svg
    class="still"
    viewBox="0 0 180 92"
    role="img"
    aria-label="A picture of what would run here: a control plane and three nodes with pods"
  >
    <g fill="none" stroke="currentcolor">
      <path d="M55 .5h70v24H55zM.5 50.5h53v41h-53zM63.5 50.5h53v41h-53zM126.5 50.5h53v41h-53z" />
      <path d="M90 25v25M90 37H27v13M90 37h63v13" />
    </g>
    <g class="pods">
      <path
        d="M8 58h12v12H8zM26 58h12v12H26zM8 74h12v12H8zM71 58h12v12H71zM89 58h12v12H89zM134 58h12v12h-12zM152 58h12v12h-12zM134 74h12v12h-12z"
      />
      <path d="M62 8h16v9H62zM82 8h16v9H82zM102 8h16v9h-16z" />
    </g>
  </svg>`;
}

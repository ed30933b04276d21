import { css } from "lit";

/** Colours are the page's own, or set from outside, as those of code blocks that run. */
export const lessonStyle = css`
  :host {
    display: block;
    box-sizing: border-box;
    min-width: 0;
    overflow-wrap: anywhere;
    line-height: 1.5;
    --accent: var(--tabernetes-accent, #1d5bbf);
    --accent: var(--tabernetes-accent, light-dark(#1d5bbf, #8ab4f8));
    --ok: var(--tabernetes-ok, #1a7f4b);
    --ok: var(--tabernetes-ok, light-dark(#1a7f4b, #57c28d));
    --failed: var(--tabernetes-failed, #c02f27);
    --failed: var(--tabernetes-failed, light-dark(#c02f27, #ff8a80));
    --line: var(--tabernetes-line, rgb(128 128 128 / 50%));
    --mono: var(--tabernetes-mono, ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace);
  }
  :host([theme]) {
    padding: 12px 16px;
    background: var(--tabernetes-panel, #fdfdfc);
    color: var(--tabernetes-text, #1c1f23);
  }
  :host([theme="light"]) {
    color-scheme: light;
  }
  :host([theme="dark"]) {
    color-scheme: dark;
    background: var(--tabernetes-panel, #1a1d20);
    color: var(--tabernetes-text, #e3e5e8);
  }
  :host([hidden]) {
    display: none;
  }
  h2,
  h3,
  h4 {
    margin: 0 0 8px;
    line-height: 1.25;
  }
  p,
  ul,
  ol,
  blockquote,
  table {
    margin: 0 0 12px;
  }
  .about {
    font-size: 0.875rem;
  }
  nav ol {
    display: flex;
    flex-wrap: wrap;
    gap: 4px;
    margin: 8px 0 20px;
    padding: 0;
    list-style: none;
  }
  button {
    min-height: 32px;
    padding: 2px 14px;
    border: 1px solid currentcolor;
    border-radius: 4px;
    background: none;
    color: var(--accent);
    font: inherit;
    font-size: 0.875rem;
    cursor: pointer;
  }
  button:disabled {
    cursor: default;
    opacity: 0.6;
  }
  nav button {
    min-width: 40px;
    border-color: var(--line);
    color: inherit;
    font-variant-numeric: tabular-nums;
  }
  nav button[aria-current] {
    border-color: var(--accent);
    color: var(--accent);
    font-weight: 600;
    box-shadow: inset 0 -2px 0 currentcolor;
  }
  button:focus-visible,
  summary:focus-visible,
  a:focus-visible,
  pre:focus-visible,
  h3:focus-visible,
  .table:focus-visible,
  input:focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  a,
  .inside {
    color: var(--accent);
  }
  .inside {
    min-height: 0;
    padding: 0;
    border: 0;
    font-size: inherit;
    text-align: inherit;
    text-decoration: underline;
  }
  code,
  pre {
    font-family: var(--mono);
    font-size: 0.875em;
  }
  pre {
    max-height: 24em;
    margin: 0 0 8px;
    padding: 8px 12px;
    border: 1px solid var(--line);
    border-radius: 4px;
    overflow: auto;
    white-space: pre;
    overflow-wrap: normal;
    tab-size: 4;
  }
  .row + .printed {
    margin-top: 8px;
  }
  .printed {
    border-style: dashed;
  }
  .part {
    margin: 0 0 16px;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 12px;
    font-size: 0.875rem;
  }
  .task {
    padding: 8px 0 8px 12px;
    border-left: 3px solid var(--line);
  }
  fieldset.task {
    padding: 8px 0 8px 12px;
    border-left: 3px solid var(--line);
  }
  /* Else it would stand beside the border, and not within. */
  legend {
    float: left;
    width: 100%;
  }
  legend + * {
    clear: both;
  }
  .task.done {
    border-left-color: var(--ok);
  }
  .task p {
    margin: 0 0 4px;
  }
  [role="status"].done {
    color: var(--ok);
  }
  .failed {
    color: var(--failed);
  }
  /* What a command says stands as it says it. */
  [role="status"].failed,
  .lines {
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }
  summary {
    cursor: pointer;
    font-size: 0.875rem;
  }
  fieldset {
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    padding: 0;
    white-space: pre-line;
  }
  label {
    display: flex;
    gap: 8px;
    align-items: baseline;
    padding: 4px 0;
  }
  img {
    max-width: 100%;
    height: auto;
  }
  blockquote {
    padding-left: 12px;
    border-left: 3px solid var(--line);
  }
  .table {
    overflow-x: auto;
  }
  table {
    border-collapse: collapse;
  }
  th,
  td {
    padding: 4px 12px 4px 0;
    border-bottom: 1px solid var(--line);
    text-align: left;
    vertical-align: top;
  }
  .link {
    box-sizing: border-box;
    width: 100%;
    min-height: 32px;
    margin-top: 8px;
    padding: 2px 8px;
    border: 1px solid var(--line);
    border-radius: 4px;
    background: none;
    color: inherit;
    font: 0.875rem var(--mono);
  }
  footer {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    margin-top: 24px;
    padding-top: 12px;
    border-top: 1px solid var(--line);
  }
`;

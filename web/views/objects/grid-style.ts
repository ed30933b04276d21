import { css } from "lit";

export const gridStyle = css`
  :host {
    height: 100%;
    min-height: 0;
  }
  .scroll {
    height: 100%;
    overflow: auto;
    scroll-padding-top: 28px;
  }
  table {
    width: 100%;
    table-layout: fixed;
    border-collapse: separate;
    border-spacing: 0;
    font: var(--size-s) / 1.4 var(--mono);
    font-variant-numeric: tabular-nums;
  }
  table:focus-visible {
    outline: none;
  }
  th {
    position: sticky;
    top: 0;
    z-index: 1;
    height: 27px;
    padding: 0;
    border-bottom: 1px solid var(--line);
    background: var(--bg);
    text-align: left;
    font-weight: 400;
  }
  thead td {
    position: sticky;
    top: 0;
    background: var(--bg);
    border-bottom: 1px solid var(--line);
  }
  th button {
    width: 100%;
    padding: 4px 8px 4px 12px;
    border: 0;
    background: none;
    color: var(--text-2);
    font: var(--size-s) var(--sans);
    text-align: left;
    white-space: nowrap;
    cursor: pointer;
  }
  th button:hover,
  th[aria-sort="ascending"] button,
  th[aria-sort="descending"] button {
    color: var(--text);
  }
  tbody tr[data-index] {
    height: var(--row);
    cursor: default;
  }
  tbody td {
    padding: 0 8px 0 12px;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  tr[data-index]:hover {
    background: var(--hover);
  }
  tr[aria-selected="true"] {
    background: var(--accent-soft);
  }
  tr[data-cursor] td:first-child {
    box-shadow: inset 2px 0 var(--line-strong);
  }
  table:focus-visible tr[data-cursor],
  table:focus tr[data-cursor] {
    outline: 2px solid var(--accent);
    outline-offset: -2px;
  }
  [data-state="failing"] {
    color: var(--failing);
  }
  [data-state="pending"] {
    color: var(--pending);
  }
  [data-state="unready"] {
    color: var(--unready);
  }
  [data-state="terminating"] {
    color: var(--terminating);
  }
  [data-state="standin"] {
    color: var(--standin);
  }
  [data-state="running"] {
    color: var(--running);
  }
  [data-state="succeeded"] {
    color: var(--succeeded);
  }
`;

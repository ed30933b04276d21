import { css } from "lit";

export const etcdStyle = css`
  :host {
    display: grid;
    grid-template: auto minmax(0, 1fr) / minmax(220px, 38%) minmax(0, 1fr);
    min-height: 0;
    font-size: var(--size-s);
  }
  .head {
    grid-column: 1 / -1;
    display: flex;
    flex-wrap: wrap;
    gap: 4px 12px;
    align-items: center;
    padding: 6px 16px;
    border-bottom: 1px solid var(--line);
    color: var(--text-2);
  }
  .tree,
  .detail {
    min-width: 0;
    padding: 8px 12px;
    overflow: auto;
  }
  .detail {
    border-left: 1px solid var(--line);
    background: var(--panel);
  }
  ul {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  ul ul {
    padding-left: 14px;
  }
  .entry {
    display: block;
    width: 100%;
    min-height: 24px;
    padding: 1px 4px;
    border: 0;
    background: none;
    font: var(--size-s) var(--mono);
    text-align: left;
    overflow-wrap: anywhere;
    cursor: pointer;
  }
  .entry:hover {
    background: var(--hover);
  }
  .entry[aria-current="true"] {
    background: var(--accent-soft);
  }
  .entry span {
    color: var(--text-2);
  }
  h2 {
    margin: 0 0 4px;
    font-size: var(--size-m);
    overflow-wrap: anywhere;
  }
  .scroll + h2,
  pre + h2 {
    margin-top: 16px;
  }
  h3 {
    margin: 12px 0 4px;
    font-size: var(--size-s);
  }
  p {
    margin: 4px 0;
    overflow-wrap: anywhere;
  }
  .problem {
    color: var(--failing);
  }
  pre {
    margin: 0;
    padding: 8px;
    overflow: auto;
    background: var(--bg);
    font: var(--size-s) / 1.5 var(--mono);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  ins {
    color: var(--running);
    text-decoration: none;
  }
  del {
    color: var(--failing);
    text-decoration: none;
  }
  .scroll {
    overflow-x: auto;
  }
  table {
    border-collapse: collapse;
    font-variant-numeric: tabular-nums;
  }
  th,
  td {
    padding: 3px 10px 3px 0;
    border-bottom: 1px solid var(--line);
    text-align: left;
  }
  th {
    color: var(--text-2);
    font-weight: 400;
  }
  /* Their addresses are long: they give way, and who is behind is seen without scrolling. */
  .watchers td {
    white-space: nowrap;
  }
  .watchers td.mono {
    min-width: 12ch;
    white-space: normal;
    overflow-wrap: anywhere;
  }
  td .quiet {
    min-height: 24px;
    color: var(--accent);
  }
  .quiet[aria-pressed="true"] {
    background: var(--accent-soft);
  }
  @media (max-width: 799px) {
    :host {
      display: block;
      overflow: auto;
    }
    .tree,
    .detail {
      overflow: visible;
      border-left: 0;
      border-top: 1px solid var(--line);
    }
  }
`;

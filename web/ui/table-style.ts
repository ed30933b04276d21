import { css } from "lit";

/** Pages of the main pane that are a bar above a table. */
export const tableStyle = css`
  :host {
    height: 100%;
    overflow: auto;
  }
  .page {
    display: flex;
    flex-direction: column;
    min-height: 100%;
    padding: 8px 16px;
    font-size: var(--size-s);
  }
  h2 {
    margin: 16px 0 4px;
    font-size: var(--size-m);
    font-weight: 600;
  }
  .page > p {
    max-width: 78ch;
    margin: 4px 0;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 12px;
    min-height: 32px;
    margin-bottom: 8px;
  }
  .bar input,
  .bar select {
    padding: 2px 6px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font: var(--size-s) var(--mono);
  }
  .bar input[type="number"] {
    width: 9ch;
  }
  .scroll {
    overflow-x: auto;
  }
  .quiet-text {
    color: var(--text-2);
  }
  table {
    width: 100%;
    border-collapse: collapse;
  }
  th {
    text-align: left;
    font-weight: 400;
    color: var(--text-2);
  }
  th,
  td {
    padding: 4px 16px 4px 0;
    border-bottom: 1px solid var(--line);
    white-space: nowrap;
    vertical-align: top;
  }
  td.wide {
    white-space: normal;
    overflow-wrap: anywhere;
    min-width: 240px;
  }
  .actions {
    padding: 1px 0;
  }
  .link {
    padding: 0;
    border: 0;
    background: none;
    color: var(--accent);
    cursor: pointer;
    text-align: left;
  }
  button:disabled {
    opacity: 0.6;
    cursor: default;
  }
  p {
    margin: 0 0 4px;
  }
`;

/** A table of what is kept, with what can be done with each: where it is narrow, cells stand below each other. */
export const keptTableStyle = css`
  .row,
  td .acts {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 6px 8px;
  }
  .row {
    padding: 6px 0;
  }
  input:is([type="text"], :not([type])) {
    max-width: 100%;
    padding: 2px 6px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font: var(--size-s) var(--mono);
  }
  [data-failed] {
    color: var(--failing);
  }
  @media (max-width: 799px) {
    tr,
    td {
      display: block;
    }
    thead {
      display: none;
    }
    td {
      border: 0;
      padding: 2px 0;
    }
    tr {
      padding: 8px 0;
      border-bottom: 1px solid var(--line);
    }
  }
`;

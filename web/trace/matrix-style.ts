import { css } from "lit";

/** Of nodes and plugins, wherever they are drawn. */
export const matrixStyle = css`
  table {
    border-collapse: collapse;
    font-size: var(--size-s);
    font-variant-numeric: tabular-nums;
  }
  th,
  td {
    padding: 3px 10px 3px 0;
    border-bottom: 1px solid var(--line);
    text-align: left;
    vertical-align: top;
    overflow-wrap: anywhere;
  }
  thead th {
    color: var(--text-2);
    font-weight: 400;
  }
  .number {
    text-align: right;
  }
  .matrix :is(th, td) {
    padding-right: 6px; /* three nodes beside the guide, on a screen of 1440 */
    overflow-wrap: normal;
  }
  .matrix .number {
    white-space: nowrap;
  }
  .matrix tbody th {
    min-width: 11ch;
    color: var(--text-2);
    font-weight: 400;
  }
  .matrix tr > :last-child {
    padding-right: 0;
  }
  [data-refused] {
    color: var(--failing);
  }
  [data-chosen] {
    font-weight: 600;
  }
`;

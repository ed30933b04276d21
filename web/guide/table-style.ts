import { css } from "lit";

/** Tables of the chapters, and that of the critical path. One that is wider than its place is `wide` (web/ui/wide-style.ts). */
export const tableStyle = css`
  table {
    width: 100%;
    border-collapse: collapse;
    font-size: var(--size-s);
  }
  th,
  td {
    padding: 4px 6px 4px 0;
    border-bottom: 1px solid var(--line);
    text-align: left;
    vertical-align: top;
  }
  /* A column is as wide as its longest word: a wider table is moved. Very long ones are broken at a hyphen or a slash. */
  :is(th, td) :is(code, .word) {
    overflow-wrap: normal;
    font-size: 11.5px;
  }
  :is(th, td) :is(.short, .piece) {
    white-space: nowrap;
  }
  th {
    color: var(--text-2);
    font-weight: 400;
  }
  .path {
    margin: 8px 0;
  }
  .path caption {
    padding-bottom: 4px;
    font-weight: 600;
    text-align: left;
  }
  .path :is(th, td) {
    vertical-align: baseline;
  }
  .path tbody th {
    color: var(--text);
  }
  .path tfoot :is(th, td) {
    border-bottom: 0;
    color: var(--text);
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  .path tfoot .aside {
    color: var(--text-2);
    font-weight: 400;
  }
  .path .number {
    font-family: var(--mono);
    font-variant-numeric: tabular-nums;
    text-align: right;
    white-space: nowrap;
  }
  .path .share {
    width: 40%;
    padding-right: 0;
  }
  .path .bar {
    display: block;
    width: max(2px, var(--part));
    height: 8px;
    background: var(--accent);
  }
`;

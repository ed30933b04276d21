import { css } from "lit";

export const eventsTabStyle = css`
  ol {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  li {
    display: grid;
    grid-template-columns: 1fr auto;
    padding: 6px 0;
    border-bottom: 1px solid var(--line);
  }
  b {
    font-weight: 600;
  }
  li span,
  li p {
    color: var(--text-2);
  }
  li p {
    grid-column: 1 / 3;
    margin: 0;
    overflow-wrap: anywhere;
  }
  .from {
    font-size: var(--size-s);
  }
  [data-warning] b {
    color: var(--failing);
  }
`;

import { css } from "lit";

/** What every view with a shadow root shares. */
export const base = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  :host {
    display: block;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
  }
  button {
    font: inherit;
    color: inherit;
  }
  .mono {
    font-family: var(--mono);
    font-variant-numeric: tabular-nums;
  }
  .quiet {
    border: 0;
    padding: 2px 8px;
    border-radius: 4px;
    background: none;
    color: var(--text-2);
    font-size: var(--size-s);
    cursor: pointer;
  }
  .quiet:hover {
    background: var(--hover);
    color: var(--text);
  }
  .ellipsis {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    min-width: 0;
  }
`;

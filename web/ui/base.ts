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
  /* Whatever a view says of its own comes before this. */
  :where(a:not(.button)) {
    color: var(--accent);
  }
  button {
    font: inherit;
    color: inherit;
  }
  /* For screen readers alone. */
  .sr {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: 0;
    overflow: hidden;
    white-space: nowrap; /* a line for each word of a long list is laid out anew at each change */
    clip-path: inset(50%);
  }
  .mono {
    font-family: var(--mono);
    font-variant-numeric: tabular-nums;
  }
  /* A word of code (whole.ts). */
  .word {
    display: inline-block;
    max-width: 100%;
    overflow-wrap: anywhere;
  }
  /* A column of a table is as narrow as it has to be. */
  .word.short:not(td .word) {
    display: inline;
    white-space: nowrap;
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
  .button {
    padding: 3px 12px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    cursor: pointer;
  }
  .button:hover:not(:disabled) {
    background: var(--hover);
  }
  .button:disabled {
    color: var(--text-2);
    cursor: default;
  }
  .button.primary:not(:disabled) {
    border-color: var(--accent);
    background: var(--accent);
    color: var(--on-accent);
  }
  /* What is lost is said in the colour of what fails, and by its verb. */
  .button.primary[data-loses]:not(:disabled) {
    border-color: var(--failing);
    background: var(--failing);
    color: var(--panel);
  }
  .ellipsis {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    min-width: 0;
  }
`;

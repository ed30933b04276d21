import { css } from "lit";

/** Words that are explained, their notes, and the list of all. */
export const wordStyle = css`
  .term {
    padding: 0;
    border: 0;
    background: none;
    font: inherit;
    text-align: inherit;
    text-decoration: underline dotted var(--text-2);
    text-decoration-thickness: 2px;
    text-underline-offset: 3px;
    cursor: help;
  }
  .term:hover,
  .term:has(+ :popover-open) {
    background: var(--hover);
    text-decoration-color: var(--accent);
  }
  @media (pointer: coarse) {
    .term {
      margin: -6px 0; /* a finger's room, and none in the sentence */
      padding: 6px 0;
    }
  }
  .note {
    inset: auto;
    width: max-content;
    max-width: min(320px, calc(100vw - 16px));
    max-height: calc(100vh - 16px);
    margin: 0;
    padding: 8px 12px;
    overflow-y: auto;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font-size: var(--size-s);
    font-weight: 400;
    line-height: 1.5;
    text-align: left;
    overflow-wrap: anywhere;
    white-space: normal;
  }
  .note:focus {
    outline: none;
  }
  .note > * {
    display: block;
  }
  .note > span {
    margin: 2px 0 4px;
  }
  .words dt {
    font-weight: 600;
  }
  .words dd {
    margin: 2px 0 12px;
  }
  .words .chapters {
    display: block;
    color: var(--text-2);
    font-size: var(--size-s);
  }
`;

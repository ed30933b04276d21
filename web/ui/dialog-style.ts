import { css } from "lit";

/** The box of a dialog, and what lies behind it. */
export const dialogStyle = css`
  dialog {
    border: 1px solid var(--line-strong);
    border-radius: 6px;
    background: var(--raised);
    color: var(--text);
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 30%);
  }
`;

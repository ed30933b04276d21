import { css } from "lit";

export const lessonsStyle = css`
  :host {
    display: block;
    height: 100%;
    overflow: auto;
  }
  [hidden] {
    display: none;
  }
  .page {
    box-sizing: border-box;
    max-width: 72ch;
    padding: 12px 16px 32px;
  }
  ol {
    margin: 12px 0 0;
    padding: 0;
    list-style-position: inside;
  }
  li {
    padding: 8px 0;
    border-top: 1px solid var(--line);
  }
  li p {
    margin: 4px 0 0;
    color: var(--text-2);
  }
  .time {
    margin-left: 8px;
    color: var(--text-2);
  }
  nav {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 16px;
    margin-bottom: 12px;
  }
  form,
  tn-lesson-disk {
    display: block;
    margin-top: 16px;
    padding-top: 8px;
    border-top: 1px solid var(--line);
  }
  form .row {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  input {
    flex: 1 1 20rem;
    min-width: 0;
  }
  /* Around it: on the element itself these would lead back to its own. */
  .lesson {
    --tabernetes-accent: var(--accent);
    --tabernetes-ok: var(--running);
    --tabernetes-failed: var(--failing);
    --tabernetes-line: var(--line-strong);
    --tabernetes-mono: var(--mono);
  }
`;

export const elsewhereStyle = css`
  .dim {
    color: var(--text-2);
  }
  .warns {
    padding-left: 12px;
    border-left: 3px solid var(--pending);
  }
`;

export const deviceStyle = css`
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
  }
  .dim {
    color: var(--text-2);
  }
  :host([over]) {
    outline: 2px dashed var(--accent);
    outline-offset: 4px;
  }
  /* Fingers drop nothing. */
  @media (hover: none) {
    .drop {
      display: none;
    }
  }
  ul {
    margin: 8px 0 0;
    padding: 0;
    list-style: none;
  }
  li {
    margin-top: 6px;
  }
  li button {
    max-width: 100%;
    overflow-wrap: anywhere;
    white-space: normal;
    text-align: start;
  }
`;

import { css } from "lit";

/** Only the marks and what is unfolded take the pointer: all else is the terminal's. */
export const marksStyle = css`
  :host {
    position: absolute;
    inset: 0;
    overflow: hidden;
    pointer-events: none;
    font-size: var(--size-s);
  }
  .mark {
    position: absolute;
    left: 0;
    width: 20px;
    padding: 0;
    border: 0;
    border-radius: 3px;
    background: none;
    color: var(--text-2);
    font: var(--size-m) / 1 var(--mono);
    cursor: pointer;
    pointer-events: auto;
  }
  .mark:hover {
    background: var(--hover);
    color: var(--text);
  }
  .mark:focus-visible {
    outline-offset: -2px;
  }
  .mark[aria-expanded="true"] {
    color: var(--accent);
  }
  /* Out of sight, and reached by the keyboard all the same. */
  .mark[data-away] {
    clip-path: inset(50%);
    pointer-events: none;
  }
  .panel {
    position: absolute;
    left: 20px;
    right: 24px;
    max-height: 60%;
    padding: 4px 32px 4px 4px;
    overflow-y: auto;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    pointer-events: auto;
  }
  .parts {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px;
    font-family: var(--mono);
    font-variant-numeric: tabular-nums;
  }
  .parts button,
  .object {
    min-width: 24px;
    max-width: 100%;
    min-height: 24px;
    padding: 2px 5px;
    border: 0;
    border-radius: 4px;
    background: none;
    text-align: left;
    overflow-wrap: anywhere;
    cursor: pointer;
  }
  .parts button:hover,
  .object:hover {
    background: var(--hover);
  }
  .parts [data-failed] {
    color: var(--failing);
  }
  .arrow {
    color: var(--text-2);
  }
  ul {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 8px;
    margin: 2px 0 0;
    padding: 2px 0 0;
    border-top: 1px solid var(--line);
    list-style: none;
  }
  .object {
    color: var(--accent);
    font-family: var(--mono);
  }
  .close {
    position: absolute;
    top: 2px;
    right: 2px;
    min-width: 28px;
    min-height: 28px;
  }
  @media (max-width: 799px) {
    .panel {
      right: 4px;
      max-height: 75%;
    }
    .parts button,
    .object {
      min-height: 32px;
    }
  }
`;

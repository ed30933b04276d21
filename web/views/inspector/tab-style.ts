import { css } from "lit";

export const tabStyle = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
    font-size: var(--size-s);
  }
  .tools {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px;
    padding: 4px 8px;
    border-bottom: 1px solid var(--line);
  }
  .tools:empty {
    display: none;
  }
  .tools .gap {
    flex: 1;
  }
  .tools select,
  .tools label {
    font-size: var(--size-s);
    color: var(--text-2);
  }
  .tools select {
    height: 26px;
    max-width: 20ch;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font-family: var(--mono);
  }
  .quiet[aria-pressed="true"] {
    background: var(--accent-soft);
    color: var(--text);
  }
  .text {
    flex: 1;
    min-height: 0;
    overflow: hidden;
  }
  [hidden] {
    display: none !important;
  }
  .problem,
  .note {
    margin: 0;
    padding: 8px 16px;
    color: var(--text-2);
    overflow-wrap: anywhere;
    white-space: pre-line;
  }
  .problem {
    color: var(--failing);
  }
  .scroll {
    flex: 1;
    min-height: 0;
    overflow: auto;
    padding: 8px 16px 16px;
  }
  @media (max-width: 799px) {
    .quiet {
      min-height: 36px;
    }
  }
`;

import { css } from "lit";
import { screenStyle } from "../../term/style.ts";

const paneStyle = css`
  :host {
    display: flex;
    flex-direction: column;
    position: relative;
    height: 100%;
  }
  .tools {
    display: flex;
    align-items: center;
    gap: 2px;
    height: 32px;
    padding: 0 8px 0 16px;
  }
  .tools .quiet {
    min-width: 28px;
    min-height: 28px;
  }
  .paste {
    display: none;
  }
  .gap {
    flex: 1;
  }
  .tabs {
    display: flex;
    gap: 2px;
    min-width: 0;
    overflow-x: auto;
    scrollbar-width: none;
  }
  .tab {
    display: inline-flex;
    white-space: nowrap;
  }
  .tab[data-current] {
    box-shadow: inset 0 -2px var(--accent);
  }
  .tab[data-current] [role="tab"] {
    color: var(--text);
  }
  .tab .close {
    padding: 2px 6px 2px 0;
  }
  input[aria-invalid="true"] {
    border-color: var(--failing);
  }
  input {
    width: 160px;
    padding: 2px 8px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font: var(--size-s) var(--mono);
  }
  @media (max-width: 799px) {
    .screen {
      padding: 0 0 0 20px;
    }
    .tools {
      height: 44px;
      padding: 0 4px;
    }
    .tools .quiet {
      min-width: 36px;
      min-height: 40px;
    }
    .paste {
      display: inline;
    }
  }
`;

export const terminalStyle = [...screenStyle, paneStyle];

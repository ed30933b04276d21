import xterm from "@xterm/xterm/css/xterm.css?inline";
import { css, unsafeCSS } from "lit";

/** xterm.js' own sheet: it draws below a shadow root, where no sheet of the document reaches. */
const xtermStyle = unsafeCSS(xterm);

const paneStyle = css`
  :host {
    display: flex;
    flex-direction: column;
    position: relative;
    height: 100%;
  }
  .screen {
    position: relative;
    flex: 1;
    min-height: 0;
    /* Marks stand beside the lines (web/trace/marks-view.ts). */
    padding: 0 0 4px 20px;
  }
  /* xterm.js fits itself to the computed size of its host, which has no padding of its own. */
  .sideways,
  .host {
    height: 100%;
  }
  /* Tables are wide: they scroll sideways, and what is typed is folded to what is in sight. */
  .sideways {
    overflow: auto hidden;
  }
  .host {
    /* As wide as kubectl's wide tables of pods. */
    width: max(100%, 132ch);
    font-family: var(--mono);
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
  .sr {
    position: absolute;
    clip-path: inset(50%);
  }
  .screen[hidden] {
    display: none;
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
  /* xterm.js draws its ground on the rows only; below the last one is its style sheet's black. */
  .xterm .xterm-viewport {
    background: var(--panel) !important;
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

export const terminalStyle = [xtermStyle, paneStyle];

import { css } from "lit";

export const editorStyle = css`
  :host {
    display: flex;
    flex-direction: column;
    position: relative;
    height: 100%;
    min-height: 0;
    font-size: var(--size-s);
  }
  :host([hidden]) {
    display: none;
  }
  [hidden] {
    display: none !important;
  }
  .tools {
    display: flex;
    flex: none;
    align-items: center;
    gap: 2px;
    padding: 4px 8px 4px 4px;
    border-bottom: 1px solid var(--line);
  }
  .files {
    display: flex;
    min-width: 0;
    overflow-x: auto;
    scrollbar-width: none;
  }
  .file {
    display: flex;
    align-items: center;
    white-space: nowrap;
  }
  .file[data-shown] {
    background: var(--hover);
    border-radius: 4px;
  }
  .file button.mono {
    padding: 3px 0 3px 8px;
    border: 0;
    background: none;
    color: var(--text-2);
    cursor: pointer;
  }
  .file [aria-pressed="true"] {
    color: var(--text);
  }
  .file .quiet {
    min-width: 24px;
    min-height: 24px;
    padding: 2px 6px;
  }
  .gap {
    flex: 1;
  }
  select {
    height: 26px;
    max-width: 16ch;
    border: 0;
    border-radius: 4px;
    background: transparent;
    color: var(--text-2);
    font: var(--size-s) var(--sans);
  }
  option,
  optgroup {
    background: var(--raised);
    color: var(--text);
  }
  .text {
    flex: 1;
    min-height: 0;
    overflow: hidden;
  }
  .bar,
  .results {
    display: flex;
    flex: none;
    align-items: flex-start;
    gap: 8px;
    padding: 6px 8px 6px 16px;
    border-top: 1px solid var(--line);
    background: var(--panel);
  }
  .bar p,
  .bar ul,
  .results ul {
    flex: 1;
    min-width: 0;
    max-height: 120px;
    margin: 0;
    padding: 4px 0;
    overflow: auto;
    list-style: none;
    color: var(--text-2);
  }
  code {
    font-family: var(--mono);
    color: var(--text);
  }
  .results .bad {
    color: var(--failing);
  }
  .results a {
    color: var(--accent);
  }
  .finding {
    display: flex;
    gap: 12px;
    width: 100%;
    padding: 2px 0;
    border: 0;
    background: none;
    text-align: left;
    cursor: pointer;
    overflow-wrap: anywhere;
  }
  .finding:hover {
    background: var(--hover);
  }
  .finding .mono {
    flex: none;
    min-width: 3ch;
    text-align: right;
    color: var(--failing);
  }
  .finding[data-severity="warning"] .mono {
    color: var(--pending);
  }
  .button {
    flex: none;
  }
  .drop {
    position: absolute;
    inset: 40px 16px 48px;
    display: grid;
    place-items: center;
    margin: 0;
    border: 2px dashed var(--accent);
    background: var(--panel);
    pointer-events: none;
  }
  .cm-field {
    max-width: 56ch;
    padding: 8px 12px;
  }
  .cm-field b {
    font: 600 var(--size-s) var(--mono);
  }
  .cm-field p {
    margin: 4px 0 0;
    white-space: pre-line;
  }
  @media (max-width: 799px) {
    .tools {
      flex-wrap: wrap;
    }
    .quiet,
    .button {
      min-height: 36px;
    }
  }
`;

import { css } from "lit";

/** The browser view: an address, a line of status, and the frame in all the room that is left. */
export const browserStyle = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
    overflow: auto;
    font-size: var(--size-s);
  }
  .bar {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px 4px;
    padding: 4px 8px;
    border-bottom: 1px solid var(--line);
  }
  .bar button {
    min-width: 28px;
    min-height: 26px;
  }
  .bar button:disabled {
    opacity: 0.5;
    cursor: default;
  }
  .bar > input {
    flex: 1 1 200px;
    min-width: 0;
    min-height: 26px;
    padding: 2px 8px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font-size: var(--size-s);
  }
  label {
    display: flex;
    align-items: center;
    gap: 4px;
    min-height: 26px;
    padding: 0 4px;
    color: var(--text-2);
    white-space: nowrap;
  }
  .status {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    gap: 0 12px;
    margin: 0;
    padding: 4px 12px;
    border-bottom: 1px solid var(--line);
    color: var(--text-2);
    overflow-wrap: anywhere;
  }
  .status b {
    color: var(--running);
  }
  .status b[data-bad] {
    color: var(--failing);
  }
  .status a {
    color: var(--accent);
  }
  .status .own {
    margin-left: auto;
    padding: 0 6px;
    min-height: 24px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: none;
    color: var(--accent);
    font: inherit;
    cursor: pointer;
  }
  .title {
    max-width: 40ch;
  }
  .note,
  .problem {
    flex: none;
    margin: 0;
    padding: 4px 12px;
    border-bottom: 1px solid var(--line);
    overflow-wrap: anywhere;
  }
  .note {
    color: var(--text-2);
  }
  .problem p {
    margin: 2px 0;
    max-width: 90ch;
  }
  .problem p:first-child {
    color: var(--failing);
  }
  .line {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 8px;
  }
  /* What stands in it has its own colours, mostly none. */
  .place {
    position: relative;
    flex: 1;
    min-height: 120px;
    background: #fff;
    color-scheme: light;
  }
  .place:empty {
    background: none;
  }
  iframe {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    border: 0;
    background: #fff;
  }
  /* What came before the problem above it. */
  .place[data-old] iframe {
    opacity: 0.45;
  }
  iframe[data-next] {
    visibility: hidden;
  }
  tn-openables {
    flex: 1;
    min-height: 0;
  }
`;

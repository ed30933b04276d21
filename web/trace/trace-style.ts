import { css } from "lit";

export const traceStyle = css`
  :host {
    display: flex;
    flex-direction: column;
    min-height: 0;
  }
  .bar {
    flex: none;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    padding: 6px 8px 6px 16px;
    border-bottom: 1px solid var(--line);
    font-size: var(--size-s);
  }
  .together {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 8px;
  }
  select,
  input {
    height: 26px;
    min-width: 0;
    padding: 0 6px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font: inherit;
  }
  select[aria-label="Command"] {
    flex: 1 1 24ch;
    max-width: 56ch;
    font-family: var(--mono);
  }
  input {
    flex: 0 1 16ch;
  }
  .gap {
    flex: 1;
  }
  .count {
    color: var(--text-2);
    font-variant-numeric: tabular-nums;
  }
  .note {
    margin: 0;
    padding: 8px 16px;
    color: var(--failing);
  }
  .none {
    margin: 0;
    padding: 16px;
    color: var(--text-2);
  }
  .body {
    display: grid;
    flex: 1;
    grid-template-columns: minmax(0, 1fr) minmax(240px, 40%);
    min-height: 0;
  }
  .list {
    /* What is beside it takes room of its own. */
    container: list / inline-size;
    overflow: auto;
    @supports (overflow-anchor: none) {
      overflow-anchor: none;
    }
  }
  .list:focus-visible {
    outline-offset: -2px;
  }
  .detail {
    min-height: 0;
    border-left: 1px solid var(--line);
    background: var(--panel);
  }
  .detail > * {
    height: 100%;
  }
  .row {
    display: grid;
    grid-template-columns: 9ch 22ch minmax(0, 1fr) 8ch 8ch minmax(0, 90px);
    gap: 8px;
    align-items: center;
    height: 26px;
    padding: 0 8px 0 16px;
    font: var(--size-s) var(--mono);
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
    cursor: pointer;
  }
  .row:hover {
    background: var(--hover);
  }
  .row[aria-selected="true"] {
    background: var(--accent-soft);
    box-shadow: inset 3px 0 var(--accent);
  }
  .row > * {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  /* What has no room in one line has another, or two in a narrow list; the step beside the list has it in whole in any case. */
  .row .what {
    display: -webkit-box;
    white-space: normal;
    overflow-wrap: anywhere;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
  }
  .at,
  .took {
    text-align: right;
  }
  .at,
  .who,
  .node,
  .took {
    color: var(--text-2);
  }
  .row[aria-selected="true"] > * {
    color: var(--text);
  }
  .time {
    position: relative;
    height: 8px;
    background: var(--line);
  }
  .time i {
    position: absolute;
    min-width: 2px;
    height: 8px;
    background: var(--accent);
  }
  .what {
    padding-left: min(calc(var(--depth) * 12px), 40%);
  }
  @container list (max-width: 1100px) {
    .row {
      height: 44px;
    }
  }
  /* When it began, and below it how long it took, beside the whole sentence. */
  @container list (max-width: 820px) {
    .row {
      grid-template-columns: 8ch minmax(0, 1fr);
      grid-auto-flow: column;
      gap: 0 8px;
    }
    .row .what {
      grid-area: 1 / 2 / 3;
      line-height: 14px;
      -webkit-line-clamp: 3;
      padding-left: min(calc(var(--depth) * 4px), 12%);
    }
    .at {
      grid-area: 1 / 1;
      align-self: end;
    }
    .took {
      grid-area: 2 / 1;
      align-self: start;
    }
    .who,
    .node,
    .time {
      display: none;
    }
  }
  :host {
    container-type: inline-size;
  }
  @media (max-width: 799px) {
    .body {
      grid-template-columns: minmax(0, 1fr);
      grid-template-rows: minmax(0, 1fr) minmax(0, 1fr);
    }
    .detail {
      border-top: 1px solid var(--line);
      border-left: 0;
    }
  }
`;

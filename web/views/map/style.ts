import { css } from "lit";

export const mapStyle = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    padding: 4px 16px 12px;
  }
  .toolbar {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 12px;
    min-height: 28px;
    margin-bottom: 4px;
    font-size: var(--size-s);
    color: var(--text-2);
  }
  .toolbar select {
    max-width: 200px;
    padding: 1px 4px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font: var(--size-s) var(--mono);
  }
  .toolbar .sum {
    margin-left: auto;
    white-space: nowrap;
  }
  tn-map-canvas {
    flex: 1;
  }
  .meters {
    display: grid;
    /* Of one height whatever the numbers are: pods below must not move with them. */
    grid-template-columns: 2fr 3fr;
    gap: 8px;
    padding: 0 6px 6px;
    font-size: 11px;
    color: var(--text-2);
  }
  .meters span {
    position: relative;
    padding-bottom: 3px;
    overflow: hidden;
    white-space: nowrap;
  }
  .meters i {
    position: absolute;
    inset: auto 0 0;
    height: 2px;
    background: linear-gradient(to right, var(--text-2) calc(100% * var(--part)), var(--line) 0);
  }
  .meters b {
    position: absolute;
    bottom: 0;
    left: calc(100% * var(--part) - 1px);
    width: 2px;
    height: 5px;
    background: var(--accent);
  }
  .columns {
    flex: 1;
    overflow: auto;
    display: grid;
    grid-auto-flow: column;
    grid-auto-columns: minmax(132px, 1fr);
    gap: 12px;
    min-height: 0;
  }
  .column {
    min-width: 0;
    border-top: 2px solid var(--line-strong);
  }
  .column.loose {
    border-top: 2px dashed var(--line-strong);
    color: var(--text-2);
  }
  .head {
    display: flex;
    align-items: baseline;
    gap: 8px;
    width: 100%;
    min-height: 32px;
    padding: 6px 6px 4px;
    border: 0;
    background: none;
    text-align: left;
    font-size: var(--size-s);
    color: var(--text-2);
  }
  button.head {
    cursor: pointer;
  }
  .head .name {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    unicode-bidi: isolate;
    font-size: var(--size-m);
    color: var(--text);
  }
  .loose .head .name {
    color: var(--text-2);
  }
  .head .count {
    margin-left: auto;
    white-space: nowrap;
  }
  .ready {
    color: var(--running);
  }
  .notready {
    color: var(--failing);
  }
  .slots {
    display: flex;
    flex-direction: column;
  }
  .pod {
    display: flex;
    align-items: center;
    gap: 8px;
    width: 100%;
    height: 24px;
    padding: 0 6px;
    border: 0;
    border-radius: 4px;
    background: none;
    text-align: left;
    font-size: var(--size-s);
    cursor: pointer;
  }
  button:is(.pod, .head):hover {
    background: var(--hover);
  }
  /* What a command set off, while its words are pointed at. */
  button:is(.pod, .head)[data-pointed] {
    outline: 2px solid var(--accent);
    outline-offset: -2px;
  }
  button:is(.pod, .head)[aria-pressed="true"] {
    background: var(--accent-soft);
    box-shadow: inset 2px 0 var(--accent);
  }
  .pod .name {
    display: flex;
    min-width: 0;
    overflow: hidden;
    white-space: nowrap;
    color: var(--text);
  }
  .pod .status {
    flex: none;
    max-width: 60%;
    margin-left: auto;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    unicode-bidi: isolate;
  }
  .gone {
    cursor: default;
  }
  .gone::before {
    content: "";
    width: 16px;
    height: 16px;
    border: 1px dotted var(--line-strong);
    border-radius: 3px;
    opacity: 0.6;
  }
  [data-dense] .slots {
    flex-flow: row wrap;
    gap: 2px;
    padding: 2px 4px;
  }
  [data-dense] .pod {
    width: 20px;
    height: 20px;
    padding: 2px;
  }
  [data-dense] .pod :is(.name, .status) {
    display: none;
  }
  [data-dense] .pod[aria-pressed="true"] {
    box-shadow: 0 0 0 2px var(--accent);
  }
  .empty {
    position: absolute;
    inset: auto 16px 24px;
    margin: 0;
    text-align: center;
    color: var(--text-2);
  }
  .command {
    padding: 4px 8px;
    border: 1px solid var(--line);
    border-radius: 4px;
    background: var(--raised);
    font-size: var(--size-s);
    color: var(--text);
    cursor: pointer;
  }
  .command:hover {
    background: var(--hover);
  }
  @media (max-width: 799px) {
    .columns {
      grid-auto-flow: row;
      grid-auto-rows: max-content;
      align-content: start;
    }
    .pod,
    .head {
      min-height: 36px;
      align-items: center;
    }
    [data-dense] .pod {
      min-height: 0;
      width: 28px;
      height: 28px;
      padding: 6px;
    }
  }
`;

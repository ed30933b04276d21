import { css } from "lit";

/** Nodes below each other, and room for a finger. */
const narrow = css`
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
  .deed {
    flex: 1 1 100%;
  }
  .deed button {
    min-width: 36px;
    min-height: 36px;
  }
`;

export const mapStyle = css`
  :host {
    position: relative;
    display: flex;
    flex-direction: column;
    height: 100%;
    padding: 4px 16px 12px;
  }
  .storeys {
    display: flex;
    flex: 0 1 auto;
    flex-direction: column;
    gap: 6px;
    max-height: 40%;
    margin-bottom: 10px;
    overflow: auto;
  }
  .storey {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    gap: 4px 8px;
  }
  .thing {
    display: flex;
    align-items: center;
    gap: 6px;
    max-width: 100%;
    min-height: 26px;
    padding: 1px 8px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font-size: var(--size-s);
    cursor: pointer;
  }
  .thing:hover {
    background: var(--hover);
  }
  .thing .kind,
  .thing .of {
    flex: none;
    color: var(--text-2);
  }
  .thing .name {
    min-width: 0;
    overflow-wrap: anywhere;
    text-align: left;
  }
  .thing .of[data-short] {
    color: var(--pending);
  }
  .thing[aria-pressed="true"] {
    border-color: var(--accent);
    background: var(--accent-soft);
  }
  .thing[data-related] {
    border-color: var(--accent);
  }
  .squares {
    display: flex;
    flex-wrap: wrap;
    gap: 2px;
  }
  .square {
    width: 9px;
    height: 9px;
    border: 1px solid currentColor;
    border-radius: 2px;
  }
  .square[data-state="running"] {
    background: currentColor;
  }
  .square[data-state="failing"] {
    border-radius: 5px;
  }
  .storeys .more {
    margin: 0;
    color: var(--text-2);
    font-size: var(--size-s);
  }
  /* Lines are below what they join, which is never less readable for them. */
  .storeys,
  .columns {
    position: relative;
    z-index: 1;
  }
  .lines {
    position: absolute;
    z-index: 0;
    inset: 0;
    width: 100%;
    height: 100%;
    pointer-events: none;
  }
  .lines path {
    fill: none;
    stroke: var(--accent);
    stroke-width: 1.25;
    opacity: 0.5;
  }
  .pod[data-related] {
    box-shadow: inset 2px 0 var(--accent);
  }
  .pod .ring {
    position: absolute;
    left: 2px;
  }
  .ring circle {
    fill: none;
    stroke: var(--failing);
    stroke-width: 2;
    stroke-dasharray: 1;
    transform: rotate(-90deg);
    transform-origin: center;
    /* It says how long, not that something moves: it goes on where movement is not wanted. */
    animation: empties var(--total) linear var(--gone) both;
  }
  @keyframes empties {
    from {
      stroke-dashoffset: 0;
    }
    to {
      stroke-dashoffset: 1;
    }
  }
  .eviction {
    margin: 0;
    padding: 0 6px 6px;
    color: var(--failing);
    font-size: var(--size-s);
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
    flex: 0 1 auto;
    min-width: 8ch;
    overflow-wrap: anywhere;
    unicode-bidi: isolate;
    font-size: var(--size-m);
    color: var(--text);
  }
  .loose .head .name {
    color: var(--text-2);
  }
  /* Where there is no room for all, the name is read first. */
  .head .count {
    flex: 0 9 auto;
    min-width: 0;
    margin-left: auto;
    overflow: hidden;
    white-space: nowrap;
  }
  .ready {
    color: var(--running);
  }
  .notready {
    color: var(--failing);
  }
  /* Green is too faint on the colour of what is selected. */
  .head[aria-pressed="true"] :is(.ready, .notready) {
    color: var(--text);
  }
  .slots {
    display: flex;
    flex-direction: column;
  }
  .pod {
    position: relative;
    display: flex;
    align-items: center;
    gap: 8px;
    width: 100%;
    min-height: 24px;
    padding: 2px 6px;
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
  /* Pods differ in their last letters: a name goes on in another line rather than being cut. */
  .pod .name {
    flex: 0 1 auto;
    min-width: 8ch;
    overflow-wrap: anywhere;
    line-height: 1.3;
    color: var(--text);
  }
  .pod .status:empty {
    display: none;
  }
  .gone .name {
    visibility: hidden;
  }
  .pod .status {
    flex: 0 1 auto;
    min-width: 3ch;
    margin-left: auto;
    text-align: right;
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
  [data-dense] .pod :is(.name, .status, .ring) {
    display: none;
  }
  [data-dense] .pod[aria-pressed="true"] {
    box-shadow: 0 0 0 2px var(--accent);
  }
  .empty {
    position: absolute;
    z-index: 2;
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
    ${narrow}
  }
  /* In an element of somebody else's page its box counts (web/embed/view-style.ts). */
  @container tabernetes (max-width: 479px) {
    ${narrow}
  }
`;

import { css } from "lit";

/** The pane of the object that grows. */
export const growthStyle = css`
  :host {
    display: block;
    min-height: 0;
    border-left: 1px solid var(--line);
    background: var(--panel);
  }
  .scroll {
    position: relative; /* where a line stands is counted from here */
    height: 100%;
    overflow: auto;
  }
  header {
    position: sticky;
    inset: 0 0 auto;
    background: var(--panel);
    color: var(--text-2);
  }
  h2 {
    margin: 0;
    padding: 4px 16px;
    background: var(--panel);
    font: 400 var(--size-s) var(--mono);
  }
  /* It is there from the first line on: what is said of the object stands in it, too, and nothing moves for that. */
  .key {
    display: flex;
    flex-wrap: wrap;
    gap: 0 8px;
    padding: 0 16px 4px;
    font-size: var(--size-s);
  }
  .key ul {
    display: contents;
    list-style: none;
  }
  .key li {
    padding-left: 4px;
  }
  .state {
    margin: 0;
    color: var(--text);
  }
  .said {
    margin: 0;
    padding: 0 16px 4px;
    color: var(--text);
    font-size: var(--size-s);
  }
  .source {
    margin: 0;
    padding: 0 16px 4px;
    font-size: var(--size-s);
    overflow-wrap: anywhere;
  }
  .source a {
    color: var(--accent);
    font-family: var(--mono);
  }
  .fold {
    display: none;
  }
  /* Below the drawing it is wide and low: it goes on beside itself, as a newspaper does. */
  :host([below]) {
    border: 0;
    border-top: 1px solid var(--line);
  }
  :host([below]) .scroll {
    display: flex;
    flex-direction: column;
    overflow: auto hidden;
  }
  :host([below]) :is(header, .forgotten) {
    flex: none;
    position: sticky;
    left: 0;
  }
  :host([below]) .body {
    flex: 1;
    display: flex;
    min-height: 0;
  }
  :host([below]) .lines {
    flex: 1;
    min-width: 0;
    columns: 30ch;
    column-gap: 16px;
    column-fill: auto;
  }
  :host([below]) .lines > li {
    break-inside: avoid;
  }
  :host([below]) .data {
    flex: 0 0 min(44ch, 50%);
    box-sizing: border-box;
    overflow-y: auto;
  }
  .lines {
    margin: 0;
    padding: 0 16px 8px;
    list-style: none;
    font: var(--size-s) / 1.5 var(--mono);
  }
  .lines > li {
    padding-left: 8px;
    overflow-wrap: anywhere;
  }
  :where(.lines, .key) li {
    border-left: 4px solid var(--line);
  }
  /* Above the first of their lines: beside them there would be no room for lines. */
  .by {
    display: block;
    padding-top: 2px;
    color: var(--text-2);
  }
  /* What does not fit goes on a little further in. */
  .text {
    display: block;
    padding-left: calc(var(--in) + 2ch);
    text-indent: -2ch;
    white-space: pre-wrap;
  }
  .forgotten {
    margin: 0;
    padding: 0 16px 4px;
    color: var(--text-2);
    font-size: var(--size-s);
  }
  [data-fresh] .text {
    background: var(--accent-soft);
    font-weight: 600;
  }
  /* Written by others since: no part of what the step does. */
  [data-meanwhile] .text {
    font-style: italic;
  }
  summary {
    padding: 4px 16px;
    color: var(--text-2);
    font-size: var(--size-s);
    overflow-wrap: anywhere;
    cursor: pointer;
  }
  /* Whoever writes has one colour (authors.ts); etcd, and who is not known, that of the line. */
  [data-mark="asked"] {
    border-color: var(--accent);
  }
  [data-mark="defaults"] {
    border-color: var(--terminating);
  }
  [data-mark="plugin"] {
    border-color: var(--pending);
  }
  [data-mark="registry"] {
    border-color: var(--failing);
  }
  [data-mark="later"] {
    border-color: var(--running);
  }
  [data-mark="none"] {
    border-color: var(--line-strong);
  }
  @media (max-width: 799px) {
    :host {
      border-left: 0;
      border-bottom: 1px solid var(--line);
    }
    /* The key scrolls away there: lines have the room. Where a step's source is stands behind them. */
    .scroll {
      display: flex;
      flex-direction: column;
    }
    .scroll > * {
      flex: none;
    }
    header {
      display: contents;
    }
    .source {
      order: 1;
    }
    summary {
      padding-block: 12px;
    }
    h2 {
      position: sticky;
      top: 0;
      padding: 0;
      color: var(--text-2);
    }
    h2 .name {
      display: none;
    }
    .fold {
      display: flex;
      align-items: center;
      gap: 8px;
      width: 100%;
      min-height: 44px;
      padding: 0 16px;
      border: 0;
      background: none;
      color: inherit;
      font: inherit;
      text-align: left;
      overflow-wrap: anywhere;
      cursor: pointer;
    }
    /* In the heading, whose second line it has: the key above the lines scrolls away. */
    .key .state {
      display: none;
    }
    .fold .state {
      display: block;
      font-family: var(--sans);
    }
    .fold:focus-visible {
      outline-offset: -2px;
    }
    :host([folded]) .scroll {
      overflow: hidden;
    }
    :host([folded]) :is(.body, .key, .said, .source) {
      display: none;
    }
  }
`;

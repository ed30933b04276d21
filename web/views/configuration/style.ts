import { css } from "lit";

export const configurationStyle = css`
  :host {
    display: grid;
    grid-template: auto minmax(0, 1fr) / minmax(200px, 260px) minmax(0, 1fr);
    min-height: 0;
    font-size: var(--size-s);
  }
  .head {
    grid-column: 1 / -1;
    display: flex;
    flex-wrap: wrap;
    gap: 6px 8px;
    align-items: center;
    padding: 6px 16px;
    border-bottom: 1px solid var(--line);
  }
  .head .state {
    flex: 1 1 32ch;
    color: var(--text-2);
  }
  .said {
    flex: 1 1 100%;
    margin: 0;
    overflow-wrap: anywhere;
    max-height: 30vh;
    overflow: auto;
  }
  .said[data-failed],
  .problems {
    color: var(--failing);
  }
  nav {
    min-width: 0;
    padding: 8px;
    overflow: auto;
    border-right: 1px solid var(--line);
  }
  nav h2 {
    margin: 12px 8px 4px;
    color: var(--text-2);
    font-size: var(--size-s);
    font-weight: 400;
  }
  nav ul {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  nav button {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 8px;
    width: 100%;
    min-height: 26px;
    padding: 3px 8px;
    border: 0;
    border-radius: 4px;
    background: none;
    text-align: left;
    overflow-wrap: anywhere;
    cursor: pointer;
  }
  nav button:hover {
    background: var(--hover);
  }
  nav button[aria-current="true"] {
    background: var(--accent-soft);
  }
  nav .mark {
    flex: none;
    color: var(--text-2);
  }
  nav .mark[data-failed] {
    color: var(--failing);
  }
  .small {
    display: none;
  }
  .lines {
    white-space: pre-wrap;
  }
  input,
  select {
    padding: 2px 6px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font: var(--size-s) var(--mono);
    min-width: 0;
  }
  input {
    max-width: 100%;
  }
  form {
    display: flex;
    flex-wrap: wrap;
    gap: 6px 8px;
    align-items: center;
    padding-bottom: 16px;
  }
  .panel {
    display: flex;
    flex-direction: column;
    min-width: 0;
    min-height: 0;
    overflow: auto;
  }
  .about {
    margin: 0;
    padding: 8px 16px 4px;
  }
  .about h2 {
    margin: 0 0 2px;
    font-size: var(--size-m);
    overflow-wrap: anywhere;
  }
  .about p {
    margin: 2px 0;
    color: var(--text-2);
  }
  .problems {
    margin: 0;
    padding: 4px 16px;
    font: var(--size-s) / 1.5 var(--mono);
    overflow-wrap: anywhere;
  }
  .text {
    flex: 1;
    min-height: 160px;
    border-top: 1px solid var(--line);
    overflow: hidden;
  }
  .templates {
    margin: 0;
    padding: 4px 16px 16px;
    list-style: none;
  }
  .templates li {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 4px 12px;
    padding: 4px 0;
    border-bottom: 1px solid var(--line);
  }
  .templates .names {
    color: var(--text-2);
    overflow-wrap: anywhere;
  }
  @media (max-width: 799px) {
    :host {
      display: block;
      overflow: auto;
    }
    nav {
      display: none;
    }
    .small {
      display: flex;
      gap: 8px;
      align-items: center;
      padding: 6px 16px;
      border-bottom: 1px solid var(--line);
    }
    .small select {
      flex: 1;
      min-height: 32px;
    }
    .panel {
      overflow: visible;
    }
    .text {
      height: 60vh;
      flex: none;
    }
  }
`;

/** Of the tables beside the files. */
export const partStyle = css`
  :host {
    display: block;
    padding: 8px 16px 16px;
  }
  h2 {
    margin: 12px 0 4px;
    font-size: var(--size-m);
  }
  p {
    max-width: 78ch;
    margin: 4px 0;
    overflow-wrap: anywhere;
  }
  .quiet-text {
    color: var(--text-2);
  }
  .problem {
    color: var(--failing);
  }
  form,
  .bar {
    display: flex;
    flex-wrap: wrap;
    gap: 6px 12px;
    align-items: center;
    margin: 4px 0 8px;
  }
  label {
    display: inline-flex;
    gap: 6px;
    align-items: center;
  }
  input:not([type="checkbox"]),
  select {
    min-width: 0;
    max-width: 100%;
    padding: 2px 6px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--raised);
    color: var(--text);
    font: var(--size-s) var(--mono);
  }
  .scroll {
    overflow-x: auto;
  }
  table {
    width: 100%;
    border-collapse: collapse;
    font-variant-numeric: tabular-nums;
  }
  th {
    color: var(--text-2);
    font-weight: 400;
    text-align: left;
  }
  th,
  td {
    padding: 4px 12px 4px 0;
    border-bottom: 1px solid var(--line);
    vertical-align: top;
  }
  td.wide {
    min-width: 14ch;
    overflow-wrap: anywhere;
  }
  .link {
    padding: 0;
    border: 0;
    background: none;
    color: var(--accent);
    text-align: left;
    cursor: pointer;
  }
  .verdict {
    font-size: var(--size-m);
  }
  .verdict[data-state="allowed"] b {
    color: var(--running);
  }
  .verdict[data-state="refused"] b {
    color: var(--failing);
  }
  pre {
    margin: 0;
    padding: 8px;
    max-height: 40vh;
    overflow: auto;
    background: var(--bg);
    font: var(--size-s) / 1.5 var(--mono);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  @media (max-width: 799px) {
    .cards thead {
      display: none;
    }
    .cards tr,
    .cards td {
      display: block;
      border: 0;
    }
    .cards tr {
      padding: 6px 0;
      border-bottom: 1px solid var(--line);
    }
    .cards td {
      padding: 1px 0;
    }
  }
`;
